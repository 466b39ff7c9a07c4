/** Ratio of diagonal entries above which a problem is scaled before the solve. */
const SPREAD = 1e4

/**
 * A complementarity problem in other units: z = D z', D A D z' + D b = D w, such that the diagonal entries of D A D are 1. If A has a zero
 * there, as for the slip of a friction pyramid, the largest entry of the row is 1. Complementary bases and solutions are unchanged; but the
 * rounding of small rows is no longer compared with large ones.
 *
 * The workspace grows with n; otherwise nothing is allocated.
 */
export class Balance {
  A = new Float64Array(0)
  b = new Float64Array(0)
  start = new Float64Array(0)
  z = new Float64Array(0)
  private d = new Float64Array(0)

  reserve(n: number): void {
    if (n <= this.b.length) return
    this.A = new Float64Array(n * n)
    this.b = new Float64Array(n)
    this.start = new Float64Array(n)
    this.z = new Float64Array(n)
    this.d = new Float64Array(n)
  }

  isNeeded(n: number, A: Float64Array): boolean {
    let least = Number.POSITIVE_INFINITY
    let largest = 0
    for (let i = 0; i < n; i++) {
      const own = Math.abs(A[i * n + i])
      if (own > largest) largest = own
      if (own > 0 && own < least) least = own
    }
    return largest > SPREAD * least
  }

  /** Sets A, b, start, and z := 0. */
  scale(n: number, A: Float64Array, b: Float64Array, start: Float64Array): void {
    const { A: S, b: c, start: guess, z, d } = this
    for (let i = 0; i < n; i++) {
      const own = Math.abs(A[i * n + i])
      d[i] = own > 0 ? 1 / Math.sqrt(own) : 0
    }
    for (let i = 0; i < n; i++) {
      if (A[i * n + i] !== 0) continue
      let most = 0
      for (let j = 0; j < n; j++) {
        const row = Math.abs(A[i * n + j])
        const column = Math.abs(A[j * n + i])
        const size = (row > column ? row : column) * (A[j * n + j] !== 0 ? d[j] : 0)
        if (size > most) most = size
      }
      d[i] = most > 0 ? 1 / most : 1
    }
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) S[i * n + j] = d[i] * A[i * n + j] * d[j]
      c[i] = d[i] * b[i]
      guess[i] = start[i] / d[i]
      z[i] = 0
    }
  }

  /** z in the units of the given problem. */
  unscale(n: number, z: Float64Array): void {
    for (let i = 0; i < n; i++) z[i] = this.d[i] * this.z[i]
  }
}
