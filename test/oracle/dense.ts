/*
 * Full matrices, row-major, by textbook methods that know nothing of trees: what sparse and recursive answers are held
 * against.
 */

/** A^-1 b for symmetric positive definite A, by Cholesky's A = G G^T. @throws Error if A is not positive definite */
export function choleskySolve(A: Float64Array, b: Float64Array): Float64Array {
  const n = b.length
  const G = cholesky(A, n)
  const x = Float64Array.from(b)
  for (let r = 0; r < n; r++) {
    for (let k = 0; k < r; k++) x[r] -= G[r * n + k] * x[k]
    x[r] /= G[r * n + r]
  }
  for (let r = n - 1; r >= 0; r--) {
    for (let k = r + 1; k < n; k++) x[r] -= G[k * n + r] * x[k]
    x[r] /= G[r * n + r]
  }
  return x
}

/** G, lower triangular. */
export function cholesky(A: Float64Array, n: number): Float64Array {
  const G = new Float64Array(n * n)
  for (let r = 0; r < n; r++) {
    for (let c = 0; c <= r; c++) {
      let sum = A[r * n + c]
      for (let k = 0; k < c; k++) sum -= G[r * n + k] * G[c * n + k]
      if (r === c && !(sum > 0)) throw new Error(`not positive definite: pivot ${sum} in row ${r}`)
      G[r * n + c] = r === c ? Math.sqrt(sum) : sum / G[c * n + c]
    }
  }
  return G
}

/** A x. */
export function product(A: Float64Array, x: Float64Array): Float64Array {
  const n = x.length
  const out = new Float64Array(A.length / n)
  for (let r = 0; r < out.length; r++) for (let c = 0; c < n; c++) out[r] += A[r * n + c] * x[c]
  return out
}

/** A^T x. */
export function transposedProduct(A: Float64Array, x: Float64Array): Float64Array {
  const n = A.length / x.length
  const out = new Float64Array(n)
  for (let r = 0; r < x.length; r++) for (let c = 0; c < n; c++) out[c] += A[r * n + c] * x[r]
  return out
}

/**
 * The condition number of D^-1/2 A D^-1/2, D the diagonal of A: that of a mass matrix with each velocity in its own units,
 * and within a factor of n the smallest that any choice of units gives (van der Sluis 1969). To two digits or so, by power
 * iteration.
 */
export function conditionNumber(A: Float64Array, n: number): number {
  const scaled = A.map((x, k) => x / Math.sqrt(A[Math.floor(k / n) * (n + 1)] * A[(k % n) * (n + 1)]))
  const largest = (next: (x: Float64Array) => Float64Array): number => {
    let x = Float64Array.from({ length: n }, (_, k) => 1 + (k % 7) / 7)
    let size = 0
    for (let step = 0; step < 60; step++) {
      const y = next(x)
      size = Math.hypot(...y)
      x = y.map((value) => value / size)
    }
    return size
  }
  return largest((x) => product(scaled, x)) * largest((x) => choleskySolve(scaled, x))
}

/** Largest |a - b| / largest |size|, of `b` itself if nothing else is given; NaN if any number is not finite. */
export function largestDifference(a: Float64Array, b: Float64Array, sizes: Float64Array = b): number {
  let error = 0
  let size = 0
  for (let k = 0; k < b.length; k++) {
    const e = Math.abs(a[k] - b[k])
    if (e > error || Number.isNaN(e)) error = e
    size = Math.max(size, Math.abs(sizes[k]))
  }
  return size > 0 ? error / size : error
}

/** Largest |A - B| / sqrt(Bii Bjj). */
export function scaledDifference(A: Float64Array, B: Float64Array): number {
  const n = Math.sqrt(B.length)
  let error = 0
  for (let r = 0; r < n; r++) {
    for (let c = 0; c < n; c++) {
      const e = Math.abs(A[r * n + c] - B[r * n + c]) / Math.sqrt(B[r * n + r] * B[c * n + c])
      if (e > error || Number.isNaN(e)) error = e
    }
  }
  return error
}
