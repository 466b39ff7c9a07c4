import type { Polyhedron } from '../polyhedron.ts'
import { domedPrism, nearestFace, polyhedronOfPoint } from '../prism.ts'
import { Core, checkRounds, farthestOfPoints, reachBothWays, type ShapeKind } from './shapeKind.ts'
import { sphere } from './sphere.ts'

/** Centred at the origin, axis along z; `length` is without the caps. */
export interface Capsule {
  readonly type: 'capsule'
  readonly radius: number
  readonly length: number
}

export const capsule: ShapeKind<Capsule> = {
  check: checkRounds,
  support({ radius, length }, x, y, z, out) {
    sphere.support({ type: 'sphere', radius }, x, y, z, out)
    out[2] += z < 0 ? -0.5 * length : 0.5 * length
  },
  reach({ radius, length }, _x, _y, z, out, at) {
    reachBothWays(radius + 0.5 * Math.abs(z) * length, out, at)
  },
  farthest: ({ radius, length }, R, p) => farthestOfPoints([0, 0, -0.5 * length, 0, 0, 0.5 * length], R, p) + radius,
  thickness: ({ radius }) => 2 * radius,
  halfExtent: ({ radius, length }) => radius + 0.5 * length,
  solid({ radius: r, length: l }) {
    const r2 = r * r
    const tube = Math.PI * r2 * l
    const caps = (4 / 3) * Math.PI * r2 * r
    // two half balls, their own centroids 3/8 r beyond the tube's ends
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
