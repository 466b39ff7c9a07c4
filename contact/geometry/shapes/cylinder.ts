import { cos } from '../../../dynamics/index.ts'
import * as is from '../../../dynamics/math/arguments.ts'
import { GeometryError } from '../geometryError.ts'
import { prism } from '../mesh/prism.ts'
import { Core, type ShapeKind } from './shapeKind.ts'

/** Cylinder centred at the origin, axis along z; `length` is the full height. */
export interface Cylinder {
  readonly type: 'cylinder'
  readonly radius: number
  readonly length: number
}

export const cylinder: ShapeKind<Cylinder> = {
  expected: is.fields<Cylinder>({ type: is.text, radius: is.positive(' [m]'), length: is.number(0, 'm') }, {}),
  support({ radius, length }, d, out) {
    const x = d[0]
    const y = d[1]
    const z = d[2]
    const across = Math.sqrt(x * x + y * y)
    out[0] = across > 0 ? (radius * x) / across : radius
    out[1] = across > 0 ? (radius * y) / across : 0
    out[2] = z < 0 ? -0.5 * length : 0.5 * length
  },
  reach({ radius, length }, d, out, at) {
    const x = d[0]
    const y = d[1]
    const z = d[2]
    const high = radius * Math.sqrt(x * x + y * y) + 0.5 * Math.abs(z) * length
    out[at] = -high
    out[at + 3] = high
  },
  farthest({ radius, length }, R, p) {
    // the origin in the cylinder's axes is -R^T p; the farthest rim point lies opposite
    const x = R[0] * p[0] + R[3] * p[1] + R[6] * p[2]
    const y = R[1] * p[0] + R[4] * p[1] + R[7] * p[2]
    const z = R[2] * p[0] + R[5] * p[1] + R[8] * p[2]
    return Math.hypot(Math.hypot(x, y) + radius, Math.abs(z) + 0.5 * length)
  },
  thickness: ({ radius, length }) => Math.min(2 * radius, length),
  halfExtent: ({ radius, length }) => Math.max(radius, 0.5 * length),
  solid({ radius, length }) {
    const r2 = radius * radius
    const volume = Math.PI * r2 * length
    const across = (volume * (3 * r2 + length * length)) / 12
    return { volume, centroid: [0, 0, 0], inertia: [across, across, 0.5 * volume * r2, 0, 0, 0] }
  },
  size: ({ radius, length }) => Float64Array.of(radius, 0.5 * length),
  core: ({ radius, length }) => ({
    kind: Core.cylinder,
    radius,
    halfLength: 0.5 * length,
    bound: Math.hypot(radius, 0.5 * length),
  }),
  polyhedral({ radius, length }, sides, fit) {
    if (!(length > 0)) throw new GeometryError(`a cylinder of length ${length} has no polyhedral version; use a hull`)
    return prism(fit === 'inscribed' ? radius : radius / cos(Math.PI / sides), length, sides)
  },
}
