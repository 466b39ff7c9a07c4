/** Rows that a step would leave within this of zero tie. The scaled problem's entries are about 1. */
export const TIE_TOLERANCE = 1e-11

/**
 * Of rows that tie in the ratio test, the one whose row of the inverse basis over its pivot is lexicographically least, so that
 * degenerate problems do not cycle (Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, section 4.9). The columns of the
 * inverse basis are those of the variables that the search started with: a stored column while such a one is outside the basis, a unit
 * vector while it is inside. Ties are told in the rows' own units, not by their ratios, whose rounding errors small pivots blow up.
 *
 * @param T          the tableau, rows of `width`
 * @param column     of the entering variable
 * @param sign       1 if pivots of rows that a step takes down are positive in T, -1 if they are negative
 * @param order      the variables that the search started with, `orderCount` of them, in the order that decides
 * @param where      per variable: its column while outside the basis, else -1 - (its row)
 * @param candidates the rows that tie, `count` of them; destroyed
 */
export function lexicographicLeast(
  T: Float64Array,
  width: number,
  column: number,
  sign: number,
  order: Int32Array,
  orderCount: number,
  where: Int32Array,
  candidates: Int32Array,
  count: number,
): number {
  for (let k = 0; k < orderCount && count > 1; k++) {
    const at = where[order[k]]
    if (at < 0) {
      // a unit column: positive in its own row, zero in the others, which are therefore less
      for (let c = 0; c < count; c++) {
        if (candidates[c] === -1 - at) {
          candidates[c] = candidates[--count]
          break
        }
      }
      continue
    }
    let least = Number.POSITIVE_INFINITY
    for (let c = 0; c < count; c++) {
      const row = candidates[c] * width
      const ratio = T[row + at] / T[row + column]
      if (ratio < least) least = ratio
    }
    let kept = 0
    for (let c = 0; c < count; c++) {
      const row = candidates[c] * width
      const bound = sign * least * T[row + column]
      if (sign * T[row + at] - bound <= TIE_TOLERANCE * (1 + Math.abs(bound))) candidates[kept++] = candidates[c]
    }
    count = kept
  }
  return candidates[0]
}
