/** Quadratic programs by the package quadprog, a translation of Goldfarb and Idnani's own in R. */
import { createRequire } from 'node:module'
import type { QuadraticProgram } from '../../control/index.ts'

const { solveQP } = createRequire(import.meta.url)('quadprog') as {
  solveQP(D: number[][], d: number[], A: number[][], b: number[], equalities: number): { solution: number[]; message: string }
}

/** A program in the package's form: arrays that begin at 1, a column a side of a row, equalities first. */
export interface QuadprogForm {
  readonly D: readonly number[][]
  readonly d: readonly number[]
  readonly A: readonly number[][]
  readonly b: readonly number[]
  readonly equalities: number
}

export function quadprogForm({ n, m, H, g, C, lower, upper }: QuadraticProgram): QuadprogForm {
  const sides: { row: number; sign: number; bound: number }[] = []
  for (let row = 0; row < m; row++) if (lower[row] === upper[row]) sides.push({ row, sign: 1, bound: lower[row] })
  const equalities = sides.length
  for (let row = 0; row < m; row++) {
    if (lower[row] === upper[row]) continue
    if (Number.isFinite(lower[row])) sides.push({ row, sign: 1, bound: lower[row] })
    if (Number.isFinite(upper[row])) sides.push({ row, sign: -1, bound: -upper[row] })
  }
  const column = (i: number) => (i === 0 ? sides.map(() => 0) : sides.map(({ row, sign }) => sign * C[row * n + i - 1]))
  return {
    D: Array.from({ length: n + 1 }, (_, i) =>
      Array.from({ length: n + 1 }, (_, j) => (i * j === 0 ? 0 : H[(Math.max(i, j) - 1) * n + Math.min(i, j) - 1])),
    ),
    d: [0, ...Array.from(g, (x) => -x)],
    A: Array.from({ length: n + 1 }, (_, i) => [0, ...column(i)]),
    b: [0, ...sides.map(({ bound }) => bound)],
    equalities,
  }
}

/** @returns the minimiser; undefined where there is none. The package writes to what it is handed: these are copies. */
export function solveByQuadprog({ D, d, A, b, equalities }: QuadprogForm): number[] | undefined {
  const rows = (matrix: readonly number[][]) => matrix.map((row) => row.slice())
  const { solution, message } = solveQP(rows(D), d.slice(), rows(A), b.slice(), equalities)
  return message === '' ? solution.slice(1) : undefined
}
