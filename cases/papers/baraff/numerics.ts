import { mean } from '../../../compare/measure/statistics.ts'

/** Small numerical methods of the experiments' own, so that results of contact models are compared with something independent. */

/** x of A x = b by Gaussian elimination with row pivoting; NaN where A is singular. A is row-major, n x n; both are read only. */
export const solveDense = (A: readonly (readonly number[])[], b: readonly number[]): number[] =>
  solveColumns(
    A,
    b.map((x) => [x]),
  ).map(([x]) => x)

/** X of A X = B, likewise. */
export function solveColumns(A: readonly (readonly number[])[], B: readonly (readonly number[])[]): number[][] {
  const n = A.length
  const rows = A.map((row, i) => [...row, ...B[i]])
  for (let k = 0; k < n; k++) {
    let best = k
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i
    ;[rows[k], rows[best]] = [rows[best], rows[k]]
    for (let i = 0; i < n; i++) {
      if (i === k) continue
      const factor = rows[i][k] / rows[k][k]
      for (let j = k; j < rows[i].length; j++) rows[i][j] -= factor * rows[k][j]
    }
  }
  return rows.map((row, i) => row.slice(n).map((x) => x / row[i]))
}

/** n of y = c xⁿ, by least squares in logarithms. */
export function fittedOrder(x: readonly number[], y: readonly number[]): number {
  const [u, v] = [x.map(Math.log), y.map(Math.log)]
  const [mu, mv] = [mean(u), mean(v)]
  let [above, below] = [0, 0]
  u.forEach((value, k) => {
    above += (value - mu) * (v[k] - mv)
    below += (value - mu) ** 2
  })
  return above / below
}
