/** The smallest and the largest coordinate of points along each axis. @unchecked */
export function boundsOf(points: Float64Array): [Float64Array, Float64Array] {
  const low = new Float64Array(3).fill(Infinity)
  const high = new Float64Array(3).fill(-Infinity)
  for (let i = 0; i < points.length; i++) {
    const k = i % 3
    low[k] = Math.min(low[k], points[i])
    high[k] = Math.max(high[k], points[i])
  }
  return [low, high]
}

/** Half the largest extent of points along an axis; 0 without points. @unchecked */
export function halfExtentOf(points: Float64Array): number {
  const [low, high] = boundsOf(points)
  return points.length === 0 ? 0 : 0.5 * Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2])
}
