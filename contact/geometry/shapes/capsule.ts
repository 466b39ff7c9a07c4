import * as is from '../../../dynamics/math/arguments.ts'
import type { Polyhedron } from '../mesh/polyhedron.ts'
import { domedPrism, nearestFace, polyhedronOfPoint } from '../mesh/prism.ts'
import { Core, farthestOfPoints, type ShapeKind } from './shapeKind.ts'

/** Capsule centred at the origin, axis along z; `length` is without the caps. */
export interface Capsule {
  readonly type: 'capsule'
  readonly radius: number
  readonly length: number
}

export const capsule: ShapeKind<Capsule> = {
  expected: is.fields<Capsule>({ type: is.text, radius: is.positive(' [m]'), length: is.number(0, 'm') }, {}),
  support({ radius, length }, d, out) {
    const x = d[0]
    const y = d[1]
    const z = d[2]
    const size = Math.sqrt(x * x + y * y + z * z)
    const scale = size > 0 ? radius / size : 0
    out[0] = scale * x
    out[1] = scale * y
    out[2] = scale * z + (z < 0 ? -0.5 * length : 0.5 * length)
  },
  reach({ radius, length }, d, out, at) {
    const high = radius + 0.5 * Math.abs(d[2]) * length
    out[at] = -high
    out[at + 3] = high
  },
  farthest: ({ radius, length }, R, p) => farthestOfPoints([0, 0, -0.5 * length, 0, 0, 0.5 * length], R, p) + radius,
  thickness: ({ radius }) => 2 * radius,
  halfExtent: ({ radius, length }) => radius + 0.5 * length,
  solid({ radius: r, length: l }) {
    const r2 = r * r
    const tube = Math.PI * r2 * l
    const caps = (4 / 3) * Math.PI * r2 * r
    // two half balls, whose centroids are 3/8 r beyond the tube's ends
    const across = (tube * (3 * r2 + l * l)) / 12 + caps * (0.4 * r2 + 0.25 * l * l + 0.375 * l * r)
    return {
      volume: tube + caps,
      centroid: [0, 0, 0],
      inertia: [across, across, (0.5 * tube + 0.4 * caps) * r2, 0, 0, 0],
    }
  },
  size: ({ radius, length }) => Float64Array.of(radius, 0.5 * length),
  core: ({ radius, length }) => ({
    ...(length > 0 ? { kind: Core.segment, polyhedron: segment(length) } : { kind: Core.point, polyhedron: polyhedronOfPoint }),
    rounding: radius,
    halfLength: 0.5 * length,
  }),
  polyhedral({ radius, length }, sides, fit) {
    const inscribed = domedPrism(radius, length, sides)
    if (fit === 'inscribed') return inscribed
    return domedPrism((radius * radius) / nearestFace(inscribed, 0.5 * length), length, sides)
  },
}

function segment(length: number): Polyhedron {
  const vertices = Float64Array.from([0, 0, -0.5 * length, 0, 0, 0.5 * length])
  return { vertices, faces: [], faceNormals: new Float64Array(0), edges: Int32Array.from([0, 1]) }
}
