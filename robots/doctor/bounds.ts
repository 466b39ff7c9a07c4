import { supportPoint } from '../../contact/geometry/index.ts'
import type { SeatedShape } from '../compile/shapes.ts'

/** Bounding box of shapes along the axes of their poses [m]; inverted if there are none. */
export function boundsOf(shapes: readonly SeatedShape[]): { low: Float64Array; high: Float64Array } {
  const low = new Float64Array(3).fill(Infinity)
  const high = new Float64Array(3).fill(-Infinity)
  const direction = new Float64Array(3)
  const point = new Float64Array(3)
  for (const { shape, R, p } of shapes) {
    for (let k = 0; k < 3; k++) {
      direction.fill(0)
      direction[k] = 1
      supportPoint(shape, R, p, direction, point)
      high[k] = Math.max(high[k], point[k])
      direction[k] = -1
      supportPoint(shape, R, p, direction, point)
      low[k] = Math.min(low[k], point[k])
    }
  }
  return { low, high }
}
