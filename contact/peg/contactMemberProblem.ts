import { type ContactProblem, type ContactSolver, UNKNOWN_MODE } from '../solvers/contactProblem.ts'
import type { ContactConstraints } from './contactConstraints.ts'
import type { MemberProblem } from './memberSearch.ts'

/**
 * A `MemberProblem` over a `ContactProblem`, with friction, softness and whatever else is in it: the groups of contacts that are not active are
 * left out, and a solver of contact problems answers what remains. psi = u_n = (W p + right)_n, softness included; the cost is
 * |v⁺ - v_free|²_M = pᵀ J M⁻¹ Jᵀ p.
 *
 * It refers to the arrays that it is given, and does not copy them. Nothing is allocated after it is made.
 */
export class ContactMemberProblem implements MemberProblem {
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
  private readonly problem: ContactProblem
  private readonly groupOf: Int32Array
  private readonly solvers: readonly ContactSolver[]
  private readonly softness: Float64Array
  private readonly part: ContactProblemPart
  private readonly isIn: Uint8Array
  private readonly q: Float64Array
  private readonly mode: Int8Array

  /**
   * @param groupOf  per contact of the constraints: its group in `problem`, unilateral or frictional; all other groups are always there
   * @param softness rowCount: what of the diagonal of W is softness
   * @param startGap per contact: gap over the step at its start [m/s], if paths count
   * @param solvers  asked one after another, each from nothing, until one has an answer
   */
  constructor(
    problem: ContactProblem,
    constraints: ContactConstraints,
    groupOf: Int32Array,
    softness: Float64Array,
    startGap: Float64Array | undefined,
    solvers: readonly ContactSolver[],
  ) {
    const { W, right, first, rowCount, groupCount } = problem
    const n = groupOf.length
    this.problem = problem
    this.constraints = constraints
    this.groupOf = groupOf
    this.softness = softness
    this.startGap = startGap
    this.solvers = solvers
    this.contactCount = n
    this.key = Int32Array.from({ length: n }, (_, i) => i)
    this.freeGap = Float64Array.from(groupOf, (g) => right[first[g]])
    this.own = Float64Array.from(groupOf, (g) => W[first[g] * rowCount + first[g]] - softness[first[g]])
    this.endGap = new Float64Array(n)
    this.impulse = new Float64Array(n)
    this.p = new Float64Array(rowCount)
    this.part = new ContactProblemPart(problem)
    this.isIn = new Uint8Array(groupCount)
    this.q = new Float64Array(rowCount)
    this.mode = new Int8Array(groupCount)
  }

  solveActive(active: Uint8Array): boolean {
    const { problem, part, isIn, groupOf, p, q, endGap, impulse, softness, cost } = this
    const { W, right, rowCount, first } = problem
    isIn.fill(1)
    for (let i = 0; i < groupOf.length; i++) isIn[groupOf[i]] = active[i]
    part.take(isIn)
    if (!this.solvePart()) return false
    part.scatter(q, p)
    for (let i = 0; i < groupOf.length; i++) {
      const r = first[groupOf[i]]
      let psi = right[r]
      for (let c = 0; c < rowCount; c++) psi += W[r * rowCount + c] * p[c]
      endGap[i] = psi
      impulse[i] = p[r]
    }
    cost[0] = 0
    for (let r = 0; r < rowCount; r++) {
      if (p[r] === 0) continue
      let u = -softness[r] * p[r]
      for (let c = 0; c < rowCount; c++) u += W[r * rowCount + c] * p[c]
      cost[0] += p[r] * u
    }
    return true
  }

  private solvePart(): boolean {
    const { part, q, mode, solvers } = this
    if (part.rowCount === 0) return true
    for (let k = 0; k < solvers.length; k++) {
      q.fill(0)
      mode.fill(UNKNOWN_MODE)
      if (solvers[k].solve(part, q, mode) === 'solved') return true
    }
    return false
  }
}

/** Some of the groups of a contact problem, in their order, as a problem of their own. */
export class ContactProblemPart implements ContactProblem {
  rowCount = 0
  readonly W: Float64Array
  readonly right: Float64Array
  groupCount = 0
  readonly first: Int32Array
  readonly kind: Uint8Array
  readonly limit: Float64Array
  private readonly whole: ContactProblem
  /** Per row of the part: which of the whole it is. */
  private readonly rows: Int32Array

  constructor(whole: ContactProblem) {
    const { rowCount, groupCount } = whole
    this.whole = whole
    this.W = new Float64Array(rowCount * rowCount)
    this.right = new Float64Array(rowCount)
    this.first = new Int32Array(groupCount + 1)
    this.kind = new Uint8Array(groupCount)
    this.limit = new Float64Array(groupCount)
    this.rows = new Int32Array(rowCount)
  }

  /** @param isIn per group of the whole: 1 if it is part */
  take(isIn: Uint8Array): void {
    const { whole, W, right, first, kind, limit, rows } = this
    let count = 0
    let groups = 0
    for (let g = 0; g < whole.groupCount; g++) {
      if (isIn[g] === 0) continue
      first[groups] = count
      kind[groups] = whole.kind[g]
      limit[groups] = whole.limit[g]
      groups++
      for (let r = whole.first[g]; r < whole.first[g + 1]; r++) rows[count++] = r
    }
    first[groups] = count
    this.groupCount = groups
    this.rowCount = count
    for (let i = 0; i < count; i++) {
      right[i] = whole.right[rows[i]]
      for (let j = 0; j < count; j++) W[i * count + j] = whole.W[rows[i] * whole.rowCount + rows[j]]
    }
  }

  /** p of the whole := q of the part, 0 where it has none. */
  scatter(q: Float64Array, p: Float64Array): void {
    p.fill(0)
    for (let i = 0; i < this.rowCount; i++) p[this.rows[i]] = q[i]
  }

  /** q of the part := what p of the whole is there. */
  gather(p: Float64Array, q: Float64Array): void {
    for (let i = 0; i < this.rowCount; i++) q[i] = p[this.rows[i]]
  }
}
