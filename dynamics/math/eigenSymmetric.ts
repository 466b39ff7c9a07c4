/** Eigenvalues of a symmetric n x n matrix and, in the columns, its eigenvectors, by cyclic Jacobi rotations (1846). A is overwritten. @unchecked */
export function eigenSymmetric(a: Float64Array, n: number): { values: number[]; vectors: Float64Array } {
  const vectors = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0))
  let rotates = true
  // converges quadratically: a handful of sweeps reaches the last bit
  for (let sweep = 0; sweep < 30 && rotates; sweep++) {
    rotates = false
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const apq = a[n * p + q]
        if (apq === 0) continue
        rotates = true
        const theta = (a[(n + 1) * q] - a[(n + 1) * p]) / (2 * apq)
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
        const c = 1 / Math.sqrt(t * t + 1)
        const s = t * c
        for (let k = 0; k < n; k++) rotate(a, n * k + p, n * k + q, c, s)
        for (let k = 0; k < n; k++) rotate(a, n * p + k, n * q + k, c, s)
        a[n * p + q] = a[n * q + p] = 0
        for (let k = 0; k < n; k++) rotate(vectors, n * k + p, n * k + q, c, s)
      }
  }
  return { values: Array.from({ length: n }, (_, i) => a[(n + 1) * i]), vectors }
}

function rotate(a: Float64Array, i: number, j: number, c: number, s: number): void {
  const [x, y] = [a[i], a[j]]
  a[i] = c * x - s * y
  a[j] = s * x + c * y
}
