import * as is from '../../../dynamics/math/arguments.ts'
import { icosphere, nearestFace, polyhedronOfPoint, scaled } from '../mesh/prism.ts'
import { Core, farthestOfPoints, type ShapeKind } from './shapeKind.ts'

/** Sphere centred at the origin. Radius 0 is a contact point. */
export interface Sphere {
  readonly type: 'sphere'
  readonly radius: number
}

const centre = [0, 0, 0]

export const sphere: ShapeKind<Sphere> = {
  expected: is.fields<Sphere>({ type: is.text, radius: is.number(0, 'm') }, {}),
  support({ radius }, d, out) {
    const x = d[0]
    const y = d[1]
    const z = d[2]
    const length = Math.sqrt(x * x + y * y + z * z)
    const scale = length > 0 ? radius / length : 0
    out[0] = scale * x
    out[1] = scale * y
    out[2] = scale * z
  },
  reach({ radius }, _d, out, at) {
    out[at] = -radius
    out[at + 3] = radius
  },
  farthest: ({ radius }, R, p) => farthestOfPoints(centre, R, p) + radius,
  thickness: ({ radius }) => 2 * radius,
  halfExtent: ({ radius }) => radius,
  solid({ radius }) {
    const r2 = radius * radius
    const volume = (4 / 3) * Math.PI * r2 * radius
    const i = 0.4 * volume * r2
    return { volume, centroid: [0, 0, 0], inertia: [i, i, i, 0, 0, 0] }
  },
  size: ({ radius }) => Float64Array.of(radius, 0),
  core: ({ radius }) => ({ kind: Core.point, polyhedron: polyhedronOfPoint, rounding: radius }),
  polyhedral({ radius }, sides, fit) {
    if (radius === 0) return polyhedronOfPoint
    const inscribed = icosphere(radius, sides)
    return fit === 'inscribed' ? inscribed : scaled(inscribed, radius / nearestFace(inscribed, 0))
  },
}
