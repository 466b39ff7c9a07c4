/**
 * Whether nothing shows at first sight that A is not symmetric positive semidefinite: |A_ij - A_ji| within rounding, no
 * diagonal entry below zero, no entry above the root of its two diagonal ones.
 */
export function looksSemidefinite(n: number, A: Float64Array): boolean {
  let largest = 0
  for (let i = 0; i < n; i++) {
    if (A[i * n + i] < 0 && -A[i * n + i] > largest) largest = -A[i * n + i]
    else if (A[i * n + i] > largest) largest = A[i * n + i]
  }
  const least = 1e-10 * largest
  for (let i = 0; i < n; i++) {
    const aii = A[i * n + i]
    if (aii < -least) return false
    for (let j = 0; j < i; j++) {
      const aij = A[i * n + j]
      const bound = Math.sqrt(Math.max(0, aii * A[j * n + j]))
      if (Math.abs(aij - A[j * n + i]) > 1e-6 * bound + least) return false
      if (Math.abs(aij) > bound * (1 + 1e-6) + least) return false
    }
  }
  return true
}
