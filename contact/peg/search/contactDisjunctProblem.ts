import { type ContactProblem, type ContactSolver, UNKNOWN_MODE } from '../../solvers/index.ts'
import type { ContactConstraints } from '../contactConstraints.ts'
import type { DisjunctProblem } from './disjunctViolations.ts'

/**
 * A `DisjunctProblem` over a `ContactProblem`, with its friction and compliance: groups of inactive contacts are removed, and a solver of
 * contact problems solves the rest. psi = u_n = (W p + rhs)_n, compliance included; the cost is |v⁺ - v_free|²_M = pᵀ J M⁻¹ Jᵀ p. Contact i
 * of the constraints is group i of the problem, unilateral or frictional; groups after the contacts are always present. @unchecked
 */
export class ContactDisjunctProblem implements DisjunctProblem {
  readonly contactCount: number
  readonly constraints: ContactConstraints
  readonly key: Int32Array
  readonly startGap: Float64Array | undefined
  readonly freeGap: Float64Array
  readonly own: Float64Array
  readonly endGap: Float64Array
  readonly impulse: Float64Array
  readonly cost = new Float64Array(1)
  /** rowCount of the whole problem: impulses of the last `solveActive`. */
  readonly p: Float64Array
  readonly #problem: ContactProblem
  readonly #solvers: readonly ContactSolver[]
  readonly #softness: Float64Array

  /**
   * @param softness rowCount: the compliance in the diagonal of W
   * @param startGap per contact: gap over the step at its start [m/s], if paths count
   * @param solvers  tried one after another, each without warm start, until one has a solution
   */
  constructor(
    problem: ContactProblem,
    constraints: ContactConstraints,
    contactCount: number,
    softness: Float64Array,
    startGap: Float64Array | undefined,
    solvers: readonly ContactSolver[],
  ) {
    const { W, rhs, first, rowCount } = problem
    const normals = first.slice(0, contactCount)
    this.#problem = problem
    this.#softness = softness
    this.#solvers = solvers
    this.constraints = constraints
    this.startGap = startGap
    this.contactCount = contactCount
    this.key = Int32Array.from(normals.keys())
    this.freeGap = Float64Array.from(normals, (r) => rhs[r])
    this.own = Float64Array.from(normals, (r) => W[r * rowCount + r] - softness[r])
    this.endGap = new Float64Array(contactCount)
    this.impulse = new Float64Array(contactCount)
    this.p = new Float64Array(rowCount)
  }

  solveActive(active: Uint8Array): boolean {
    const { p, endGap, impulse, cost, contactCount } = this
    const { rowCount, groupCount, first, rhs } = this.#problem
    const isIn = new Uint8Array(groupCount).fill(1)
    isIn.set(active.subarray(0, contactCount))
    const { part, rows } = partOf(this.#problem, isIn)
    const q = new Float64Array(rows.length)
    const mode = new Int8Array(part.groupCount)
    const solves = (solver: ContactSolver) => {
      q.fill(0)
      mode.fill(UNKNOWN_MODE)
      return solver.solve(part, q, mode) === 'solved'
    }
    if (rows.length > 0 && !this.#solvers.some(solves)) return false
    p.fill(0)
    rows.forEach((r, k) => {
      p[r] = q[k]
    })
    for (let i = 0; i < contactCount; i++) {
      endGap[i] = this.#velocity(first[i], rhs[first[i]])
      impulse[i] = p[first[i]]
    }
    cost[0] = 0
    for (let r = 0; r < rowCount; r++) if (p[r] !== 0) cost[0] += p[r] * this.#velocity(r, -this.#softness[r] * p[r])
    return true
  }

  /** Row r of W p, added to `from`. */
  #velocity(r: number, from: number): number {
    const { W, rowCount } = this.#problem
    let sum = from
    for (let c = 0; c < rowCount; c++) sum += W[r * rowCount + c] * this.p[c]
    return sum
  }
}

/**
 * The groups of a contact problem that are marked in `isIn`, in their order, as a problem, and the row of the whole for each of its rows. @unchecked
 */
export function partOf(whole: ContactProblem, isIn: Uint8Array): { part: ContactProblem; rows: readonly number[] } {
  const groups = [...isIn.keys()].filter((g) => isIn[g] === 1)
  const rows: number[] = []
  const first = [0]
  for (const g of groups) {
    for (let r = whole.first[g]; r < whole.first[g + 1]; r++) rows.push(r)
    first.push(rows.length)
  }
  const n = rows.length
  const part = {
    rowCount: n,
    W: Float64Array.from({ length: n * n }, (_, k) => whole.W[rows[Math.floor(k / n)] * whole.rowCount + rows[k % n]]),
    rhs: Float64Array.from(rows, (r) => whole.rhs[r]),
    groupCount: groups.length,
    first: Int32Array.from(first),
    kind: Uint8Array.from(groups, (g) => whole.kind[g]),
    limit: Float64Array.from(groups, (g) => whole.limit[g]),
  }
  return { part, rows }
}
