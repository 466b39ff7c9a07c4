import type { ContactProblem } from '../contactProblem.ts'

/**
 * Contact problem of the Newton solver: groups of rows as in `ContactProblem`, and two linear maps in place of W, which may exploit the
 * structure of M.
 */
export interface NewtonProblem extends Omit<ContactProblem, 'W'> {
  /** rowCount: compliance, added to the diagonal of W; positive, but 0 in contacts of a compliant law. */
  readonly soft: Float64Array
  /** groupCount: coefficient of friction of a frictional or sliding group, greatest |p| of a bounded one or a box. */
  readonly limit: Float64Array
  /** groupCount: an estimate of the group's diagonal entries of W, above 0. */
  readonly scale: Float64Array
  /**
   * 2 a group: cosine and sine of the angle from the first tangent to the first corner of its pyramid, its slip, or the axis of its box;
   * for a pressed group its least normal impulse, and an unused number.
   */
  readonly corner: Float64Array
  /** u := J M⁻¹ Jᵀ p. */
  respond(p: Float64Array, u: Float64Array): void
  /**
   * Factors H = M + Jᵀ G J.
   *
   * @param G 9 a group, row-major; only the first for a group of one row
   * @returns the sign of det H, 0 if H is singular
   */
  factor(G: Float64Array, isSymmetric: boolean): number
  /** u := J H⁻¹ Jᵀ e, with H as factored last. */
  respondCoupled(e: Float64Array, u: Float64Array): void
}

/** dp := e - G Jdv, Jdv := J H⁻¹ Jᵀ e, du := W dp + S dp: a Newton step of a problem factored with G, 9 a group. @unchecked */
export function coupledStep(
  problem: NewtonProblem,
  G: Float64Array,
  e: Float64Array,
  Jdv: Float64Array,
  dp: Float64Array,
  du: Float64Array,
): void {
  const { rowCount, groupCount, first, soft } = problem
  problem.respondCoupled(e, Jdv)
  for (let g = 0; g < groupCount; g++) {
    const n = first[g]
    const a = 9 * g
    const j0 = Jdv[n]
    if (first[g + 1] - n !== 3) {
      dp[n] = e[n] - G[a] * j0
      continue
    }
    const j1 = Jdv[n + 1]
    const j2 = Jdv[n + 2]
    dp[n] = e[n] - (G[a] * j0 + G[a + 1] * j1 + G[a + 2] * j2)
    dp[n + 1] = e[n + 1] - (G[a + 3] * j0 + G[a + 4] * j1 + G[a + 5] * j2)
    dp[n + 2] = e[n + 2] - (G[a + 6] * j0 + G[a + 7] * j1 + G[a + 8] * j2)
  }
  problem.respond(dp, du)
  for (let r = 0; r < rowCount; r++) du[r] += soft[r] * dp[r]
}

/** out[to..to + 8] := B⁻¹, 3 x 3. @unchecked */
export function invert3(out: Float64Array, to: number, B: Float64Array): void {
  const a = B[0]
  const b = B[1]
  const c = B[2]
  const d = B[3]
  const e = B[4]
  const f = B[5]
  const g = B[6]
  const h = B[7]
  const i = B[8]
  const inverse = 1 / (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))
  out[to] = (e * i - f * h) * inverse
  out[to + 1] = (c * h - b * i) * inverse
  out[to + 2] = (b * f - c * e) * inverse
  out[to + 3] = (f * g - d * i) * inverse
  out[to + 4] = (a * i - c * g) * inverse
  out[to + 5] = (c * d - a * f) * inverse
  out[to + 6] = (d * h - e * g) * inverse
  out[to + 7] = (b * g - a * h) * inverse
  out[to + 8] = (a * e - b * d) * inverse
}
