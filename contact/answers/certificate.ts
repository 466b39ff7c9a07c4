import { type ExactRows, eliminate, integersOf } from './exact.ts'
import { ANSWER_TOLERANCE, type FaceProblem } from './faces.ts'
import { LinearProgram } from './linearProgram.ts'
import type { FacePolyhedron } from './search.ts'

/**
 * Proof that a choice of faces has no solution, even with every condition relaxed by the tolerance (Farkas 1902): amounts y >= 0 of its
 * conditions a . u >= least whose sum, as a function of the impulses, rises along no generator but those of bounded amount, and with these at
 * their bounds is below the sum of y least.
 */
export interface Certificate {
  /** Per condition of the polyhedron. */
  readonly amounts: readonly bigint[]
}

/** By how much the sum is to fall along every generator, so that rounding cannot make it rise. */
const MARGIN = 2 ** -36

/** Finds proofs of empty choices, by floating point, and checks them in exact numbers. @unchecked */
export class Certifier {
  readonly #problem: FaceProblem
  readonly #exact: ExactRows
  readonly #program = new LinearProgram()

  /** @param exact the rows of `problem` */
  constructor(problem: FaceProblem, exact: ExactRows) {
    this.#problem = problem
    this.#exact = exact
  }

  /** Undefined where rounding leaves it open. */
  certify(polyhedron: FacePolyhedron): Certificate | undefined {
    const rows = this.#rowsOf(polyhedron)
    const { columns } = polyhedron
    const program = this.#program
    polyhedron.open(program)
    program.lower(MARGIN)
    if (program.solve() > 0) {
      const { integers } = integersOf([...program.farkas()])
      if (isProof(rows, integers)) return { amounts: integers.slice(0, polyhedron.conditions.length) }
    }
    // a sum that is to be zero along some generators: the multipliers of the last basis, exactly
    if (polyhedron.open(program).solve() === 0) return undefined
    const slacks = program.nonbasic.filter((k) => k >= columns.length && k < columns.length + rows.length)
    const basics = program.basic.filter((k) => k < columns.length)
    if (slacks.length !== basics.length + 1) return undefined
    const system = basics.map((j) => [...slacks.map((i) => rows[i - columns.length][j]), 0n])
    system.push([...slacks.map(() => 1n), 1n])
    const determinant = eliminate(system, slacks.length)
    if (determinant === 0n) return undefined
    const amounts = rows.map(() => 0n)
    slacks.forEach((i, k) => {
      const value = system[k][slacks.length]
      amounts[i - columns.length] = determinant > 0n ? value : -value
    })
    return isProof(rows, amounts) ? { amounts: amounts.slice(0, polyhedron.conditions.length) } : undefined
  }

  /** Rows of the program, A x <= b, times one common denominator; b last. */
  #rowsOf(polyhedron: FacePolyhedron): bigint[][] {
    const { groups, scale } = this.#problem
    const { columns, conditions, choice } = polyhedron
    const { denominator } = this.#exact
    const fixed = groups.flatMap(({ first, whole }, g) => {
      const { fixed } = choice[g] ?? whole
      return fixed === undefined ? [] : [{ first, p: fixed }]
    })
    // of velocities: the problem's unit, a power of two
    const [unit, wide] = scale >= 1 ? [1n, BigInt(scale)] : [BigInt(1 / scale), 1n]
    const fine = BigInt(1 / ANSWER_TOLERANCE)
    const times = ({ value, shift }: Shifted, factor: bigint): Shifted => ({ value: value * factor, shift })
    const rows = conditions.map(({ group, a, least }): Shifted[][] => {
      const { first } = groups[group]
      const free = [this.#free(a, first), ...fixed.map((one) => this.#dot(a, first, one.p, one.first))]
      const bound = shiftedOf(least)
      return [
        ...columns.map(({ group: other, generator }) => [
          times(this.#dot(a, first, generator, groups[other].first), -wide * fine),
        ]),
        [...free.map((x) => times(x, unit * fine)), times(bound, -denominator * wide)],
      ]
    })
    columns.forEach(({ most }, j) => {
      if (most === undefined) return
      const one = { value: denominator * wide * fine, shift: 0 }
      rows.push([...columns.map((_, k) => (k === j ? [one] : [])), [times(shiftedOf(most), one.value)]])
    })
    const power = Math.max(0, ...rows.flat(2).map(({ shift }) => shift))
    return rows.map((row) =>
      row.map((terms) => terms.reduce((sum, { value, shift }) => sum + (value << BigInt(power - shift)), 0n)),
    )
  }

  /** a . rhs in the exact rows. */
  #free(a: readonly number[], row: number): Shifted {
    const { integers, shift } = integersOf(a)
    return { value: integers.reduce((sum, x, k) => sum + x * this.#exact.rhs[row + k], 0n), shift }
  }

  /** a . W g in the exact rows. */
  #dot(a: readonly number[], row: number, g: readonly number[], column: number): Shifted {
    const [left, right] = [integersOf(a), integersOf(g)]
    const n = this.#problem.rowCount
    const { W } = this.#exact
    let value = 0n
    for (const [i, x] of left.integers.entries())
      for (const [k, y] of right.integers.entries()) value += x * W[(row + i) * n + column + k] * y
    return { value, shift: left.shift + right.shift }
  }
}

/** value / 2^shift. */
interface Shifted {
  readonly value: bigint
  readonly shift: number
}

function shiftedOf(x: number): Shifted {
  const { integers, shift } = integersOf([x])
  return { value: integers[0], shift }
}

/** y >= 0, yᵀ A >= 0, yᵀ b < 0. */
function isProof(rows: readonly (readonly bigint[])[], y: readonly bigint[]): boolean {
  if (y.some((x) => x < 0n)) return false
  const used = y.flatMap((_, i) => (y[i] > 0n ? [i] : []))
  const sum = (j: number) => used.reduce((total, i) => total + y[i] * rows[i][j], 0n)
  const columns = rows[0]?.length ?? 0
  for (let j = 0; j < columns - 1; j++) if (sum(j) < 0n) return false
  return columns > 0 && sum(columns - 1) < 0n
}
