import * as is from '../../../dynamics/math/arguments.ts'
import { boxPolyhedron } from '../mesh/hull.ts'
import { Core, farthestOfPoints, type ShapeKind } from './shapeKind.ts'

/** Box centred at the origin; `size` is the full edge length along x, y, z. */
export interface Box {
  readonly type: 'box'
  readonly size: readonly [number, number, number]
}

export const box: ShapeKind<Box> = {
  expected: is.fields<Box>({ type: is.text, size: is.lengths(3) }, {}),
  support({ size }, d, out) {
    for (let k = 0; k < 3; k++) out[k] = d[k] < 0 ? -0.5 * size[k] : 0.5 * size[k]
  },
  reach({ size }, d, out, at) {
    const high = 0.5 * (Math.abs(d[0]) * size[0] + Math.abs(d[1]) * size[1] + Math.abs(d[2]) * size[2])
    out[at] = -high
    out[at + 3] = high
  },
  farthest({ size }, R, p) {
    const [x, y, z] = [0.5 * size[0], 0.5 * size[1], 0.5 * size[2]]
    return farthestOfPoints(
      [-x, x].flatMap((a) => [-y, y].flatMap((b) => [-z, z].flatMap((c) => [a, b, c]))),
      R,
      p,
    )
  },
  thickness: ({ size }) => Math.min(...size),
  halfExtent: ({ size }) => 0.5 * Math.max(...size),
  solid({ size: [x, y, z] }) {
    const volume = x * y * z
    const k = volume / 12
    return {
      volume,
      centroid: [0, 0, 0],
      inertia: [k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y), 0, 0, 0],
    }
  },
  size: ({ size }) => Float64Array.from(size, (x) => 0.5 * x),
  core: ({ size }) => ({ kind: Core.box, polyhedron: boxPolyhedron(size) }),
  polyhedral: ({ size }) => boxPolyhedron(size),
  corners: ({ size }) => boxPolyhedron(size).vertices,
}
