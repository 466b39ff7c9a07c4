import { GeometryError } from '../geometryError.ts'
import { areLengths, Core, found, isLength, noSolid, type ShapeKind } from './shapeKind.ts'

/** Half-space, solid where normal . x < offset. Fixtures only. */
export interface HalfSpace {
  readonly type: 'halfspace'
  readonly normal: readonly [number, number, number]
  readonly offset: number
}

export const halfspace: ShapeKind<HalfSpace> = {
  check({ normal, offset }, require) {
    require(areLengths(normal, 3), `normal is ${found(normal)}, expected three numbers of length 1`)
    const length = Math.hypot(...normal)
    require(Math.abs(length - 1) < 1e-9, `normal has length ${length}, expected 1`)
    require(isLength(offset), `offset is ${found(offset)}, expected a finite length`)
  },
  support() {
    throw new GeometryError('a half-space has no farthest point; ask for the support of a bounded shape')
  },
  reach(_shape, _d, out, at) {
    out[at] = -Infinity
    out[at + 3] = Infinity
  },
  farthest: () => Infinity,
  thickness: () => Infinity,
  halfExtent: () => 0,
  solid: () => noSolid,
  core: () => ({ kind: Core.halfspace }),
}
