import * as is from '../../../dynamics/math/arguments.ts'
import { GeometryError } from '../geometryError.ts'
import { Core, noSolid, type ShapeKind } from './shapeKind.ts'

/** Half-space, solid where normal . x < offset. Fixtures only. */
export interface HalfSpace {
  readonly type: 'halfspace'
  readonly normal: readonly [number, number, number]
  readonly offset: number
}

export const halfspace: ShapeKind<HalfSpace> = {
  expected: is.fields<HalfSpace>({ type: is.text, normal: is.numbers(3), offset: is.finite }, {}),
  check({ normal }, require) {
    const length = Math.hypot(...normal)
    require(Math.abs(length - 1) < 1e-9, `normal has length ${length}, expected 1`)
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
