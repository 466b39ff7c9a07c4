/** Solves A x = b in b by Cholesky, A = L L' in its own lower triangle, which alone is read. A is positive definite. */
export function solvePositive(A: Float64Array, b: Float64Array): void {
  const n = b.length
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = A[i * n + j]
      for (let k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k]
      A[i * n + j] = i === j ? Math.sqrt(sum) : sum / A[j * n + j]
    }
    for (let k = 0; k < i; k++) b[i] -= A[i * n + k] * b[k]
    b[i] /= A[i * n + i]
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) b[i] -= A[k * n + i] * b[k]
    b[i] /= A[i * n + i]
  }
}
