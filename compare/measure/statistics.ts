/** Middle one of these, or the mean of the middle two; NaN of none. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle])
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0
  for (let k = 0; k < values.length; k++) sum += values[k]
  return sum / values.length
}
