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

/** Quantile of the normal distribution for 95 %. */
const Z = 1.959964

/**
 * Interval of 95 % of a rate of which `good` of `n` were seen, the score interval: E. B. Wilson, Probable inference, the law of succession, and
 * statistical inference, Journal of the American Statistical Association 22 (1927) 209-212.
 */
export function wilson(good: number, n: number): readonly [number, number] {
  const rate = good / n
  const middle = (rate + (Z * Z) / (2 * n)) / (1 + (Z * Z) / n)
  const half = (Z / (1 + (Z * Z) / n)) * Math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n))
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
