import * as is from '../../../dynamics/math/arguments.ts'
import { polyhedronOf } from '../mesh/hull.ts'
import { Core, type ShapeKind } from './shapeKind.ts'
import { sphere } from './sphere.ts'

/** Ellipsoid centred at the origin, semi-axes along x, y, z, all positive. */
export interface Ellipsoid {
  readonly type: 'ellipsoid'
  readonly radii: readonly [number, number, number]
}

/** Most iterations for the farthest point; each goes to the support point along the direction from the origin, which is farther. */
const farthestSteps = 500

export const ellipsoid: ShapeKind<Ellipsoid> = {
  expected: is.fields<Ellipsoid>({ type: is.text, radii: is.lengths(3) }, {}),
  support({ radii: [a, b, c] }, d, out) {
    const x = d[0]
    const y = d[1]
    const z = d[2]
    const length = Math.sqrt(a * a * x * x + b * b * y * y + c * c * z * z)
    out[0] = length > 0 ? (a * a * x) / length : a
    out[1] = length > 0 ? (b * b * y) / length : 0
    out[2] = length > 0 ? (c * c * z) / length : 0
  },
  reach({ radii: [a, b, c] }, d, out, at) {
    const x = d[0]
    const y = d[1]
    const z = d[2]
    const high = Math.sqrt(a * a * x * x + b * b * y * y + c * c * z * z)
    out[at] = -high
    out[at + 3] = high
  },
  /** Iterates from the end of each axis to a point whose outward normal is along its direction from the origin. */
  farthest(shape, R, p) {
    const local = new Float64Array(3)
    const s = new Float64Array(3)
    const point = new Float64Array(3)
    let farthest = 0
    for (let start = 0; start < 6; start++) {
      const d = Float64Array.from([0, 3, 6], (row) => (start < 3 ? 1 : -1) * R[row + (start % 3)])
      for (let step = 0; step < farthestSteps; step++) {
        for (let k = 0; k < 3; k++) local[k] = R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2]
        ellipsoid.support(shape, local, s)
        for (let k = 0; k < 3; k++) point[k] = p[k] + R[3 * k] * s[0] + R[3 * k + 1] * s[1] + R[3 * k + 2] * s[2]
        d.set(point)
      }
      farthest = Math.max(farthest, Math.hypot(point[0], point[1], point[2]))
    }
    return farthest
  },
  thickness: ({ radii }) => 2 * Math.min(...radii),
  halfExtent: ({ radii }) => Math.max(...radii),
  solid({ radii: [a, b, c] }) {
    const volume = (4 / 3) * Math.PI * a * b * c
    const k = 0.2 * volume
    return {
      volume,
      centroid: [0, 0, 0],
      inertia: [k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b), 0, 0, 0],
    }
  },
  size: ({ radii }) => Float64Array.from(radii),
  core: ({ radii }) => ({ kind: Core.ellipsoid, radii, bound: Math.max(...radii) }),
  polyhedral({ radii }, sides, fit) {
    const { vertices, faces } = sphere.polyhedral!({ type: 'sphere', radius: 1 }, sides, fit)
    return polyhedronOf(
      vertices.map((x, i) => radii[i % 3] * x),
      [...faces],
    )
  },
}
