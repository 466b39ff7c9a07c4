import type { ComplementaritySolver, SolverStatus } from '../solvers/complementarity.ts'
import { type ContactProblem, GroupKind } from '../solvers/contactProblem.ts'
import { PyramidProblem, type PyramidSides } from '../solvers/pyramid.ts'
import { type ContactConstraints, constraintKind } from './contactConstraints.ts'

/** A normal impulse below this share of the largest one pushes nobody. */
const PUSHING = 1e-9

/**
 * Contacts under constraints as one mixed linear complementarity problem, after Williams, Lu and Trinkle (2014), equations 29 to 32, with
 * the velocities eliminated: A z + b, in which no contact has been chosen beforehand. Friction is that of pyramids, and what else is in
 * the contact problem, joint limits, loops, dry friction, stands as it is.
 *
 * With psi_i the normal velocity of contact i, gap included (`right` holds psi / h), s_m the least psi of member m, and max_g the greatest s of
 * constraint g, the rows are, for members m = 1..M of g and contacts i = 1..K of m, in the lists' order:
 *
 *   b_k  k = 2..K, if K > 1   0 <= b_k ⟂ psi_k - r_(k-1) + b_k >= 0,  r_1 = psi_1, r_k = r_(k-1) - b_k:   r_K = s_m
 *   c_k  k = 2..M             0 <= c_k ⟂ s_1 + Σ_(j<=k) c_j - s_k >= 0:                                   s_1 + Σ c = max_g
 *   e                         0 <= e ⟂ max_g - e >= 0:                                                  max_g >= 0
 *   d_m  m that may push      0 <= d_m ⟂ s_m + d_m >= 0:                                                d_m = max(0, -s_m)
 *   p_i  of such m            0 <= p_i ⟂ max_g + d_m + (psi_i - s_m) >= 0
 *
 * c, e and d are the paper's (11 to 15), for members of one contact to the letter, but for two of its slips: E_e is -I where all E are said to
 * be the identity, and the chain of c makes E_c lower triangular, and E_ec and E_pc rows of ones. Cross-contact constraints have c and e. b
 * is the same chain for the least; the bracket in the row of p lets only the least of a member push. Unilateral constraints, and others
 * of one member that may push, have the ordinary row of each contact, so that with these alone it is Stewart and Trinkle's problem. A
 * contact that no constraint lets push has no impulse; one that no constraint names at all is an ordinary one.
 *
 * Unknowns: those of `PyramidProblem`, scaled as there, without those of contacts that cannot push; then per constraint in the lists' order
 * b of its members, c, e, d. The slacks are velocities. The matrix belongs to no class for which a method is sure to end, there may be many
 * answers, and none of them is preferred: `MemberSearch` is for those who want a certain one.
 */
export class WholeConstraints {
  size = 0
  A = new Float64Array(0)
  b = new Float64Array(0)
  free = new Uint8Array(0)
  /** A guess, see `fold`. */
  z = new Float64Array(0)
  /** 1: the largest violation of the constraints' own conditions by the last answer [m/s], see `constraintViolation`. */
  readonly violation = new Float64Array(1)
  private readonly pyramids: PyramidProblem
  private readonly solver: ComplementaritySolver
  private readonly tolerance: number

  /** Per unknown of the pyramids: its place, or -1. */
  private place = new Int32Array(0)
  private zPyramids = new Float64Array(0)
  /** Per group of the contact problem: its first unknown among those of the pyramids; whether it is left out; the factor of its rows. */
  private at = new Int32Array(0)
  private silent = new Uint8Array(0)
  private scale = new Float64Array(0)
  /** Per member: the first b, and d; per constraint: the first c, and e; -1 where there is none. */
  private firstB = new Int32Array(0)
  private dOf = new Int32Array(0)
  private firstC = new Int32Array(0)
  private eOf = new Int32Array(0)
  /** Per contact: psi, normal impulse, whether it is excused, of the last answer. */
  private psi = new Float64Array(0)
  private impulse = new Float64Array(0)
  private excused = new Uint8Array(0)

  /** @param tolerance of the constraints' own conditions, as a share of the largest entry of `right` (or of 1 m/s if that is less) */
  constructor(solver: ComplementaritySolver, sides: PyramidSides, tolerance = 1e-7) {
    this.solver = solver
    this.pyramids = new PyramidProblem(sides)
    this.tolerance = tolerance
  }

  /** Pivots or steps of the last solve. */
  get iterations(): number {
    return this.solver.iterations
  }

  /** Of the complementarity problem. */
  get residual(): Float64Array {
    return this.solver.residual
  }

  /**
   * `solved` if the complementarity problem is, and the constraints say so too; `residual` if the former alone is.
   *
   * @param groupOf per contact of the constraints: its group in `problem`, unilateral or frictional
   * @param p       rowCount, in: a guess, zero where nothing is known; out: the impulses, if `solved`
   */
  solve(problem: ContactProblem, constraints: ContactConstraints, groupOf: Int32Array, p: Float64Array): SolverStatus {
    this.assemble(problem, constraints, groupOf)
    const { solver, psi, impulse, excused, violation } = this
    this.fold(problem, constraints, groupOf, p)
    const status = solver.solve(this.size, this.A, this.b, this.free, this.z)
    violation[0] = Number.POSITIVE_INFINITY
    if (status !== 'solved') return status
    this.unfold(problem, solver.z, p)
    const { rowCount, first, right } = problem
    let scale = 1
    for (let r = 0; r < rowCount; r++) if (Math.abs(right[r]) > scale) scale = Math.abs(right[r])
    this.velocities(problem, groupOf, p)
    for (let i = 0; i < groupOf.length; i++) impulse[i] = p[first[groupOf[i]]]
    constraintViolation(constraints, psi, impulse, groupOf.length, excused, violation)
    return violation[0] <= this.tolerance * scale ? 'solved' : 'residual'
  }

  /** Sets A, b and free. */
  assemble(problem: ContactProblem, constraints: ContactConstraints, groupOf: Int32Array): void {
    this.pyramids.assemble(problem)
    this.number(problem, constraints, groupOf)
    this.fillPyramids()
    this.fillConstraints(constraints, groupOf)
  }

  /** Places of all unknowns. */
  private number(
    { groupCount, kind, first, rowCount, W }: ContactProblem,
    { count, kind: constraint, memberCount, memberStart, pushing, contactStart, contact }: ContactConstraints,
    groupOf: Int32Array,
  ): void {
    const { pyramids } = this
    const { size: full, free, sides } = pyramids
    this.reserveLists(groupOf.length, groupCount, memberCount, count, full)
    const { at, silent, scale, place, firstB, dOf, firstC, eOf } = this
    silent.fill(0, 0, groupCount)
    for (let k = 0; k < contactStart[memberCount]; k++) silent[groupOf[contact[k]]] = 1
    for (let g = 0; g < count; g++) {
      if (constraint[g] === constraintKind.cross) continue
      const end = contactStart[memberStart[g] + pushing[g]]
      for (let k = contactStart[memberStart[g]]; k < end; k++) silent[groupOf[contact[k]]] = 0
    }
    let unknown = 0
    let next = 0
    for (let g = 0; g < groupCount; g++) {
      at[g] = unknown
      const own = W[first[g] * rowCount + first[g]]
      scale[g] = own > 0 ? 1 / Math.sqrt(own) : 1
      const length = kind[g] === GroupKind.frictional ? sides.count + 2 : kind[g] === GroupKind.bounded ? 3 : 1
      for (let k = 0; k < length; k++) place[unknown++] = silent[g] === 1 ? -1 : next++
    }
    for (let g = 0; g < count; g++) {
      const end = memberStart[g + 1]
      firstC[g] = -1
      eOf[g] = -1
      for (let m = memberStart[g]; m < end; m++) {
        firstB[m] = -1
        dOf[m] = -1
      }
      const plain = end === memberStart[g] + 1 && pushing[g] === 1
      if (plain || end === memberStart[g]) continue
      for (let m = memberStart[g]; m < end; m++) {
        const least = contactStart[m + 1] - contactStart[m] - 1
        if (least > 0) firstB[m] = next
        next += least
      }
      firstC[g] = next
      next += end - memberStart[g] - 1
      eOf[g] = next++
      if (constraint[g] === constraintKind.cross) continue
      for (let m = memberStart[g]; m < memberStart[g] + pushing[g]; m++) dOf[m] = next++
    }
    this.size = next
    if (next > this.b.length) {
      this.A = new Float64Array(4 * next * next)
      this.b = new Float64Array(2 * next)
      this.free = new Uint8Array(2 * next)
      this.z = new Float64Array(2 * next)
    }
    this.free.fill(0, 0, next)
    for (let k = 0; k < full; k++) if (place[k] >= 0) this.free[place[k]] = free[k]
  }

  private reserveLists(contacts: number, groups: number, members: number, constraints: number, unknowns: number): void {
    if (contacts > this.psi.length) {
      this.psi = new Float64Array(2 * contacts)
      this.impulse = new Float64Array(2 * contacts)
      this.excused = new Uint8Array(2 * contacts)
    }
    if (groups > this.at.length) {
      this.at = new Int32Array(2 * groups)
      this.silent = new Uint8Array(2 * groups)
      this.scale = new Float64Array(2 * groups)
    }
    if (members > this.firstB.length) {
      this.firstB = new Int32Array(2 * members)
      this.dOf = new Int32Array(2 * members)
    }
    if (constraints > this.firstC.length) {
      this.firstC = new Int32Array(2 * constraints)
      this.eOf = new Int32Array(2 * constraints)
    }
    if (unknowns > this.place.length) {
      this.place = new Int32Array(2 * unknowns)
      this.zPyramids = new Float64Array(2 * unknowns)
    }
  }

  private fillPyramids(): void {
    const { A, b, size: n, place, pyramids } = this
    const { A: from, b: right, size: full } = pyramids
    A.fill(0, 0, n * n)
    b.fill(0, 0, n)
    for (let i = 0; i < full; i++) {
      if (place[i] < 0) continue
      b[place[i]] = right[i]
      for (let j = 0; j < full; j++) if (place[j] >= 0) A[place[i] * n + place[j]] = from[i * full + j]
    }
  }

  private fillConstraints(constraints: ContactConstraints, groupOf: Int32Array): void {
    const { A, b, size: n, at, place, scale, firstB, dOf, firstC, eOf } = this
    const { count, memberStart, contactStart, contact } = constraints
    for (let g = 0; g < count; g++) {
      if (eOf[g] < 0) continue
      const one = memberStart[g]
      for (let m = one; m < memberStart[g + 1]; m++) {
        const start = contactStart[m]
        for (let k = start + 1; k < contactStart[m + 1]; k++) {
          const row = firstB[m] + k - start - 1
          this.addPsi(row, groupOf[contact[k]], 1)
          this.addPsi(row, groupOf[contact[start]], -1)
          for (let l = firstB[m]; l <= row; l++) A[row * n + l] += 1
        }
        if (m > one) {
          const row = firstC[g] + m - one - 1
          this.addLeast(row, one, constraints, groupOf, 1)
          for (let l = firstC[g]; l <= row; l++) A[row * n + l] += 1
          this.addLeast(row, m, constraints, groupOf, -1)
        }
        if (dOf[m] < 0) continue
        const d = dOf[m]
        this.addLeast(d, m, constraints, groupOf, 1)
        A[d * n + d] += 1
        for (let k = start; k < contactStart[m + 1]; k++) {
          const row = place[at[groupOf[contact[k]]]]
          for (let l = 0; l < n; l++) A[row * n + l] = 0
          b[row] = 0
          this.addGreatest(row, g, constraints, groupOf)
          A[row * n + d] += 1
          this.addPsi(row, groupOf[contact[k]], 1)
          this.addLeast(row, m, constraints, groupOf, -1)
          // in the unit of the other rows of impulses
          const factor = scale[groupOf[contact[k]]]
          for (let l = 0; l < n; l++) A[row * n + l] *= factor
          b[row] *= factor
        }
      }
      const e = eOf[g]
      this.addGreatest(e, g, constraints, groupOf)
      A[e * n + e] -= 1
    }
  }

  /** Adds `sign` psi of a contact to a row: the row that the pyramids have of its normal, in m/s again. */
  private addPsi(row: number, group: number, sign: number): void {
    const { A, b, size: n, at, place, scale, pyramids } = this
    const { A: from, b: right, size: full } = pyramids
    const k = at[group]
    const factor = sign / scale[group]
    b[row] += factor * right[k]
    for (let j = 0; j < full; j++) if (place[j] >= 0) A[row * n + place[j]] += factor * from[k * full + j]
  }

  /** Adds `sign` s_m. */
  private addLeast(
    row: number,
    m: number,
    { contactStart, contact }: ContactConstraints,
    groupOf: Int32Array,
    sign: number,
  ): void {
    const { A, size: n, firstB } = this
    const start = contactStart[m]
    this.addPsi(row, groupOf[contact[start]], sign)
    for (let k = 0; k < contactStart[m + 1] - start - 1; k++) A[row * n + firstB[m] + k] -= sign
  }

  /** Adds max_g. */
  private addGreatest(row: number, g: number, constraints: ContactConstraints, groupOf: Int32Array): void {
    const { A, size: n, firstC } = this
    const { memberStart } = constraints
    this.addLeast(row, memberStart[g], constraints, groupOf, 1)
    for (let k = 0; k < memberStart[g + 1] - memberStart[g] - 1; k++) A[row * n + firstC[g] + k] += 1
  }

  /** z := a guess that stands for the impulses p, with the slacks that belong to these. After `assemble`. */
  fold(problem: ContactProblem, constraints: ContactConstraints, groupOf: Int32Array, p: Float64Array): void {
    const { z, size: n, place, psi, pyramids, firstB, dOf, firstC, eOf } = this
    pyramids.fold(problem, p)
    z.fill(0, 0, n)
    for (let k = 0; k < pyramids.size; k++) if (place[k] >= 0) z[place[k]] = pyramids.z[k]
    this.velocities(problem, groupOf, p)
    const { count, memberStart, contactStart, contact } = constraints
    for (let g = 0; g < count; g++) {
      if (eOf[g] < 0) continue
      let greatest = Number.NEGATIVE_INFINITY
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        let least = psi[contact[contactStart[m]]]
        for (let k = contactStart[m] + 1; k < contactStart[m + 1]; k++) {
          const down = least - psi[contact[k]]
          if (down <= 0) continue
          z[firstB[m] + k - contactStart[m] - 1] = down
          least -= down
        }
        if (dOf[m] >= 0 && least < 0) z[dOf[m]] = -least
        if (m > memberStart[g] && least > greatest) z[firstC[g] + m - memberStart[g] - 1] = least - greatest
        if (least > greatest) greatest = least
      }
      if (greatest > 0) z[eOf[g]] = greatest
    }
  }

  /** p := the impulses that z stands for. */
  unfold(problem: ContactProblem, z: Float64Array, p: Float64Array): void {
    const { zPyramids, place, pyramids } = this
    for (let k = 0; k < pyramids.size; k++) zPyramids[k] = place[k] >= 0 ? z[place[k]] : 0
    pyramids.unfold(problem, zPyramids, p)
  }

  /** psi of all contacts. */
  private velocities({ W, right, rowCount, first }: ContactProblem, groupOf: Int32Array, p: Float64Array): void {
    const { psi } = this
    for (let i = 0; i < groupOf.length; i++) {
      const r = first[groupOf[i]]
      let sum = right[r]
      for (let c = 0; c < rowCount; c++) sum += W[r * rowCount + c] * p[c]
      psi[i] = sum
    }
  }
}

/**
 * violation[0] := how far psi and normal impulses are from what the constraints ask [m/s]: the most that the value of one is below zero, or
 * that for each constraint a contact pushes for, its value or the contact's own psi is above zero, or its member below the contact.
 *
 * @param psi     per contact: gap over the step at its end [m/s]
 * @param excused scratch, per contact
 */
export function constraintViolation(
  constraints: ContactConstraints,
  psi: Float64Array,
  impulse: Float64Array,
  contactCount: number,
  excused: Uint8Array,
  violation: Float64Array,
): void {
  const { count, kind, memberStart, pushing, contactStart, contact } = constraints
  let largest = 0
  for (let i = 0; i < contactCount; i++) if (impulse[i] > largest) largest = impulse[i]
  excused.fill(0, 0, contactCount)
  let worst = 0
  for (let g = 0; g < count; g++) {
    let value = Number.NEGATIVE_INFINITY
    for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
      let least = Number.POSITIVE_INFINITY
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (psi[contact[k]] < least) least = psi[contact[k]]
      if (least > value) value = least
    }
    if (memberStart[g + 1] > memberStart[g] && -value > worst) worst = -value
    if (kind[g] === constraintKind.cross) continue
    for (let m = memberStart[g]; m < memberStart[g] + pushing[g]; m++) {
      let least = Number.POSITIVE_INFINITY
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (psi[contact[k]] < least) least = psi[contact[k]]
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
        const i = contact[k]
        excused[i] = 1
        if (impulse[i] <= PUSHING * largest) continue
        if (value > worst) worst = value
        if (psi[i] > worst) worst = psi[i]
        if (psi[i] - least > worst) worst = psi[i] - least
      }
    }
  }
  // named by constraints, but by none that lets it push
  for (let k = 0; k < contactStart[memberStart[count]]; k++) {
    if (excused[contact[k]] === 0 && impulse[contact[k]] > PUSHING * largest) worst = Number.POSITIVE_INFINITY
  }
  violation[0] = worst
}
