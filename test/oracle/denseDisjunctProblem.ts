import type { ContactConstraints } from '../../contact/peg/contactConstraints.ts'
import type { DisjunctProblem } from '../../contact/peg/search/disjunctViolations.ts'
import type { ComplementaritySolver } from '../../contact/solvers/complementarity.ts'
import { DantzigSolver } from '../../contact/solvers/pivoting/dantzig.ts'

/**
 * A `DisjunctProblem` of numbers alone, without friction and without softness: gaps over the step psi = W p + rhs, W = J_n M⁻¹ J_nᵀ, one row
 * a contact, and nothing else that acts. The rows that are active are solved for by Dantzig's method, and the cost is
 * |v⁺ - v_free|²_M = pᵀ W p.
 *
 * It refers to the arrays that it is given, and does not copy them.
 */
export class DenseDisjunctProblem implements DisjunctProblem {
  readonly contactCount: number
  readonly constraints: ContactConstraints
  readonly key: Int32Array
  readonly startGap: Float64Array | undefined
  readonly freeGap: Float64Array
  readonly own: Float64Array
  readonly endGap: Float64Array
  readonly impulse: Float64Array
  readonly cost = new Float64Array(1)
  private readonly W: Float64Array
  private readonly solver: ComplementaritySolver
  /** The active rows, and their problem. */
  private readonly rows: Int32Array
  private readonly A: Float64Array
  private readonly b: Float64Array
  private readonly free: Uint8Array
  private readonly start: Float64Array

  /**
   * @param W        n x n, n being the length of `rhs`: symmetric, positive semidefinite [1/kg]
   * @param rhs    gaps over the step that the free velocities lead to [m/s]
   * @param startGap n: gaps over the step at its start [m/s], if paths count
   * @param key      n: different numbers, by which ties are decided; the places in the list if left out
   */
  constructor(
    W: Float64Array,
    rhs: Float64Array,
    constraints: ContactConstraints,
    startGap?: Float64Array,
    key?: Int32Array,
    solver: ComplementaritySolver = new DantzigSolver(),
  ) {
    const n = rhs.length
    if (W.length < n * n) throw new RangeError(`W has ${W.length} entries; ${n} contacts need ${n * n}`)
    this.contactCount = n
    this.constraints = constraints
    this.key = key ?? Int32Array.from({ length: n }, (_, i) => i)
    this.startGap = startGap
    this.freeGap = rhs
    this.own = new Float64Array(n)
    for (let i = 0; i < n; i++) this.own[i] = W[i * n + i]
    this.endGap = new Float64Array(n)
    this.impulse = new Float64Array(n)
    this.W = W
    this.solver = solver
    this.rows = new Int32Array(n)
    this.A = new Float64Array(n * n)
    this.b = new Float64Array(n)
    this.free = new Uint8Array(n)
    this.start = new Float64Array(n)
  }

  solveActive(active: Uint8Array): boolean {
    const { contactCount: n, W, freeGap, rows, A, b, free, start, solver, impulse, endGap, cost } = this
    let m = 0
    for (let i = 0; i < n; i++) if (active[i] === 1) rows[m++] = i
    for (let k = 0; k < m; k++) {
      for (let l = 0; l < m; l++) A[k * m + l] = W[rows[k] * n + rows[l]]
      b[k] = freeGap[rows[k]]
    }
    impulse.fill(0)
    if (m > 0 && solver.solve(m, A, b, free, start) !== 'solved') return false
    for (let k = 0; k < m; k++) impulse[rows[k]] = solver.z[k] > 0 ? solver.z[k] : 0
    cost[0] = 0
    for (let i = 0; i < n; i++) {
      let push = 0
      for (let k = 0; k < m; k++) push += W[i * n + rows[k]] * impulse[rows[k]]
      endGap[i] = freeGap[i] + push
      cost[0] += impulse[i] * push
    }
    return true
  }
}
