import type { QuadraticProgram } from '../../control/index.ts'

/** How far x and u are from the conditions of Karush, Kuhn and Tucker, each over the size of what it sums. */
export function optimality({ n, m, H, g, C, lower, upper, x, u }: QuadraticProgram): number {
  let worst = 0
  for (let i = 0; i < n; i++) {
    let sum = g[i]
    let size = 1 + Math.abs(g[i])
    for (let j = 0; j < n; j++) {
      const term = H[Math.max(i, j) * n + Math.min(i, j)] * x[j]
      sum += term
      size += Math.abs(term)
    }
    for (let row = 0; row < m; row++) {
      sum -= C[row * n + i] * u[row]
      size += Math.abs(C[row * n + i] * u[row])
    }
    worst = Math.max(worst, Math.abs(sum) / size)
  }
  for (let row = 0; row < m; row++) {
    let value = 0
    let size = 1
    for (let j = 0; j < n; j++) {
      value += C[row * n + j] * x[j]
      size += Math.abs(C[row * n + j] * x[j])
    }
    worst = Math.max(worst, (lower[row] - value) / size, (value - upper[row]) / size)
    // a row pushes only where it touches, and inwards
    if (u[row] > 0) worst = Math.max(worst, Math.abs(value - lower[row]) / size)
    if (u[row] < 0) worst = Math.max(worst, Math.abs(value - upper[row]) / size)
  }
  return worst
}
