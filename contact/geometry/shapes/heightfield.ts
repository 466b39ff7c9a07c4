import * as is from '../../../dynamics/math/arguments.ts'
import { GeometryError } from '../geometryError.ts'
import { heightFieldSurface } from '../mesh/heightField.ts'
import { noSolid, type ShapeKind } from './shapeKind.ts'

/**
 * Height field: solid below its surface, unbounded along -z, over a rectangle centred at the origin; empty outside it. Fixtures only.
 *
 * Each cell of the grid is two triangles, divided by the diagonal from its corner at least x and y to that at greatest x and y.
 */
export interface HeightField {
  readonly type: 'heightfield'
  /** Grid points along y, at least 2. */
  readonly rows: number
  /** Grid points along x, at least 2. */
  readonly columns: number
  /** Distance between grid points along x and y. */
  readonly spacing: readonly [number, number]
  /** z of the grid points, rows x columns: row by row towards greater y, each row towards greater x [m]. */
  readonly heights: Float64Array
}

export const heightfield: ShapeKind<HeightField> = {
  expected: is.fields<HeightField>(
    { type: is.text, rows: is.whole(2), columns: is.whole(2), spacing: is.lengths(2), heights: is.instance(Float64Array) },
    {},
  ),
  check({ rows, columns, heights }, require) {
    require(heights.length === rows * columns, `${heights.length} heights, expected ${rows} x ${columns}`)
    require(heights.every(Number.isFinite), 'a height is not finite, expected lengths')
  },
  support() {
    throw new GeometryError('a height field has no farthest point below; ask for the support of a bounded shape')
  },
  reach({ rows, columns, spacing, heights }, d, out, at) {
    const x = d[0]
    const y = d[1]
    const z = d[2]
    let low = Infinity
    let high = -Infinity
    for (let r = 0; r < rows; r++) {
      const v = (r - 0.5 * (rows - 1)) * spacing[1]
      for (let c = 0; c < columns; c++) {
        const u = (c - 0.5 * (columns - 1)) * spacing[0]
        const height = x * u + y * v + z * heights[r * columns + c]
        if (height < low) low = height
        if (height > high) high = height
      }
    }
    // unbounded along -z
    out[at] = z > 0 ? -Infinity : low
    out[at + 3] = z < 0 ? Infinity : high
  },
  farthest: () => Infinity,
  thickness: () => Infinity,
  halfExtent: ({ rows, columns, spacing }) => 0.5 * Math.max((rows - 1) * spacing[1], (columns - 1) * spacing[0]),
  solid: () => noSolid,
  surface: heightFieldSurface,
}
