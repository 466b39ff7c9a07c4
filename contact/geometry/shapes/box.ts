import { boxPolyhedron } from '../hull.ts'
import { areLengths, Core, farthestOfPoints, found, reachBothWays, type ShapeKind } from './shapeKind.ts'

/** Centred at the origin; `size` is the full edge length along x, y, z. */
export interface Box {
  readonly type: 'box'
  readonly size: readonly [number, number, number]
}

export const box: ShapeKind<Box> = {
  check({ size }, require) {
    require(areLengths(size, 3) && size.every((s) => s > 0), `size is ${found(size)}, expected three positive lengths`)
  },
  support({ size }, x, y, z, out) {
    out[0] = x < 0 ? -0.5 * size[0] : 0.5 * size[0]
    out[1] = y < 0 ? -0.5 * size[1] : 0.5 * size[1]
    out[2] = z < 0 ? -0.5 * size[2] : 0.5 * size[2]
  },
  reach({ size }, x, y, z, out, at) {
    reachBothWays(0.5 * (Math.abs(x) * size[0] + Math.abs(y) * size[1] + Math.abs(z) * size[2]), out, at)
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
