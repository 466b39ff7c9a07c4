import {
  type ComplementaritySolver,
  type ContactProblem,
  GroupKind,
  PyramidProblem,
  type PyramidSides,
  type SolverStatus,
} from '../../solvers/index.ts'
import { type ContactConstraints, constraintKind } from '../contactConstraints.ts'

/**
 * Contacts under constraints as one mixed linear complementarity problem, after Williams, Lu and Trinkle (2014), equations 29 to 32, with
 * the velocities eliminated: A z + b, without any prior selection of contacts. Friction is that of pyramids; joint limits, loops and dry
 * friction are as in the contact problem. Contact i of the constraints is group i of the problem. @unchecked
 *
 * With psi_i the normal velocity of contact i, gap included (`rhs` holds psi / h), s_m the least psi of disjunct m, and max_g the greatest
 * s of constraint g, the rows are, for disjuncts m = 1..M of g and contacts i = 1..K of m, in the lists' order:
 *
 *   b_k  k = 2..K, if K > 1   0 <= b_k ⟂ psi_k - r_(k-1) + b_k >= 0,  r_1 = psi_1, r_k = r_(k-1) - b_k:   r_K = s_m
 *   c_k  k = 2..M             0 <= c_k ⟂ s_1 + Σ_(j<=k) c_j - s_k >= 0:                                   s_1 + Σ c = max_g
 *   e                         0 <= e ⟂ max_g - e >= 0:                                                  max_g >= 0
 *   d_m  m that may push      0 <= d_m ⟂ s_m + d_m >= 0:                                                d_m = max(0, -s_m)
 *   p_i  of such m            0 <= p_i ⟂ max_g + d_m + (psi_i - s_m) >= 0
 *
 * c, e and d are exactly the paper's (11 to 15) for disjuncts of one contact, after two corrections: E_e is -I although the paper calls all
 * E the identity, and the chain of c makes E_c lower triangular, and E_ec and E_pc rows of ones. Cross-contact constraints have c and e. b
 * is the same chain for the minimum; the bracket in the row of p allows an impulse only for the least contact of a disjunct. Unilateral
 * constraints, and others of one disjunct that may push, have the ordinary row of each contact, so that with these alone it is Stewart and
 * Trinkle's problem. A contact without a disjunct that may push has no impulse; one in no constraint is an ordinary contact.
 *
 * Unknowns: those of `PyramidProblem`, scaled as there, without those of contacts that may have no impulse; then per constraint in the
 * lists' order b of its disjuncts, c, e, d. The slacks are velocities. The matrix is of no class for which a method is known to terminate;
 * there may be several solutions, of which none is preferred, unlike in `DisjunctSearch`.
 */
export class WholeConstraints {
  readonly size: number
  readonly A: Float64Array
  readonly b: Float64Array
  readonly free: Uint8Array
  readonly #problem: ContactProblem
  readonly #constraints: ContactConstraints
  readonly #pyramids: PyramidProblem
  /** Per unknown of the pyramids: its index, or -1. */
  readonly #place: Int32Array
  /** Per group of the contact problem: its first unknown among those of the pyramids, and the factor of its rows. */
  readonly #at: number[] = []
  readonly #scale: number[] = []
  /** Per constraint with alternatives: indices of its first c, and e; and of each disjunct's first b, and d if it may push. */
  readonly #slacks: readonly Slacks[]

  constructor(problem: ContactProblem, constraints: ContactConstraints, sides: PyramidSides) {
    this.#problem = problem
    this.#constraints = constraints
    this.#pyramids = new PyramidProblem(sides)
    this.#pyramids.assemble(problem)
    const { size: full, free } = this.#pyramids
    this.#place = new Int32Array(full)
    const impulses = this.#numberImpulses(sides.count)
    const { slacks, size } = slacksOf(constraints, impulses)
    this.#slacks = slacks
    this.size = size
    this.A = new Float64Array(size * size)
    this.b = new Float64Array(size)
    this.free = new Uint8Array(size)
    for (let i = 0; i < full; i++) {
      if (this.#place[i] < 0) continue
      this.free[this.#place[i]] = free[i]
      this.#write(this.#place[i], this.#pyramidRow(i, 1))
    }
    for (const own of slacks) this.#writeConstraint(own)
  }

  /** Indices of the pyramids' unknowns. @returns their number */
  #numberImpulses(sides: number): number {
    const { groupCount, kind, first, rowCount, W } = this.#problem
    const { count, kind: constraint, disjunctCount, disjunctStart, pushing, contactStart, contact } = this.#constraints
    const silent = new Uint8Array(groupCount)
    for (let k = 0; k < contactStart[disjunctCount]; k++) silent[contact[k]] = 1
    for (let g = 0; g < count; g++) {
      if (constraint[g] === constraintKind.cross) continue
      const end = contactStart[disjunctStart[g] + pushing[g]]
      for (let k = contactStart[disjunctStart[g]]; k < end; k++) silent[contact[k]] = 0
    }
    let unknown = 0
    let next = 0
    for (let g = 0; g < groupCount; g++) {
      this.#at.push(unknown)
      const own = W[first[g] * rowCount + first[g]]
      this.#scale.push(own > 0 ? 1 / Math.sqrt(own) : 1)
      const length = kind[g] === GroupKind.frictional ? sides + 2 : kind[g] === GroupKind.bounded ? 3 : 1
      for (let k = 0; k < length; k++) this.#place[unknown++] = silent[g] === 1 ? -1 : next++
    }
    return next
  }

  /** Writes a row of A and an entry of b. @param values coefficients of the unknowns, then the constant */
  #write(row: number, values: Float64Array): void {
    this.A.set(values.subarray(0, this.size), row * this.size)
    this.b[row] = values[this.size]
  }

  #pyramidRow(i: number, factor: number): Float64Array {
    const { A, b, size: full } = this.#pyramids
    const row = new Float64Array(this.size + 1)
    row[this.size] = factor * b[i]
    for (let j = 0; j < full; j++) if (this.#place[j] >= 0) row[this.#place[j]] = factor * A[i * full + j]
    return row
  }

  /** psi of a contact as a row: that of its normal in the pyramids' problem, scaled to m/s. */
  #psi(i: number): Float64Array {
    return this.#pyramidRow(this.#at[i], 1 / this.#scale[i])
  }

  #least({ contacts, firstB }: SlackDisjunct): Float64Array {
    const row = this.#psi(contacts[0])
    for (let k = 1; k < contacts.length; k++) row[firstB + k - 1] -= 1
    return row
  }

  #greatest({ disjuncts, firstC }: Slacks): Float64Array {
    const row = this.#least(disjuncts[0])
    for (let m = 1; m < disjuncts.length; m++) row[firstC + m - 1] += 1
    return row
  }

  #writeConstraint(own: Slacks): void {
    const { disjuncts, firstC, e } = own
    const greatest = this.#greatest(own)
    disjuncts.forEach((disjunct, m) => {
      const { contacts, firstB, d } = disjunct
      const least = this.#least(disjunct)
      contacts.slice(1).forEach((i, k) => {
        const row = difference(this.#psi(i), this.#psi(contacts[0]))
        for (let l = firstB; l <= firstB + k; l++) row[l] += 1
        this.#write(firstB + k, row)
      })
      if (m > 0) {
        const row = this.#least(disjuncts[0])
        for (let l = firstC; l < firstC + m; l++) row[l] += 1
        this.#write(firstC + m - 1, difference(row, least))
      }
      if (d === undefined) return
      const row = least.slice()
      row[d] += 1
      this.#write(d, row)
      for (const i of contacts) {
        const above = difference(this.#psi(i), least)
        above[d] += 1
        // in the units of the other rows of impulses
        this.#write(
          this.#place[this.#at[i]],
          above.map((x, l) => this.#scale[i] * (greatest[l] + x)),
        )
      }
    })
    const row = greatest.slice()
    row[e] -= 1
    this.#write(e, row)
  }

  /** Solves for the impulses p, valid if `solved`. */
  solve(solver: ComplementaritySolver, p: Float64Array): SolverStatus {
    p.fill(0)
    const status = solver.solve(this.size, this.A, this.b, this.free, this.fold(p))
    if (status === 'solved') this.unfold(solver.z, p)
    return status
  }

  /** The unknowns that represent impulses p, with the slacks that follow from these. */
  fold(p: Float64Array): Float64Array {
    const z = new Float64Array(this.size)
    const pyramids = this.#pyramids
    pyramids.fold(this.#problem, p)
    this.#place.forEach((at, k) => {
      if (at >= 0) z[at] = pyramids.z[k]
    })
    const { W, rhs, rowCount, first } = this.#problem
    const psi = (i: number) => {
      let sum = rhs[first[i]]
      for (let c = 0; c < rowCount; c++) sum += W[first[i] * rowCount + c] * p[c]
      return sum
    }
    for (const { disjuncts, firstC, e } of this.#slacks) {
      let greatest = Number.NEGATIVE_INFINITY
      disjuncts.forEach(({ contacts, firstB, d }, m) => {
        let least = psi(contacts[0])
        contacts.slice(1).forEach((i, k) => {
          z[firstB + k] = Math.max(0, least - psi(i))
          least = Math.min(least, psi(i))
        })
        if (d !== undefined) z[d] = Math.max(0, -least)
        if (m > 0) z[firstC + m - 1] = Math.max(0, least - greatest)
        greatest = Math.max(greatest, least)
      })
      z[e] = Math.max(0, greatest)
    }
    return z
  }

  /** p := the impulses represented by z. */
  unfold(z: Float64Array, p: Float64Array): void {
    const impulses = Float64Array.from(this.#place, (at) => (at >= 0 ? z[at] : 0))
    this.#pyramids.unfold(this.#problem, impulses, p)
  }
}

interface SlackDisjunct {
  readonly contacts: readonly number[]
  readonly firstB: number
  readonly d: number | undefined
}

interface Slacks {
  readonly disjuncts: readonly SlackDisjunct[]
  readonly firstC: number
  readonly e: number
}

/** Indices of the slacks, from `next` on. */
function slacksOf(constraints: ContactConstraints, next: number): { slacks: Slacks[]; size: number } {
  const { count, kind, disjunctStart, pushing, contactStart, contact } = constraints
  const slacks: Slacks[] = []
  let size = next
  for (let g = 0; g < count; g++) {
    const [start, end] = [disjunctStart[g], disjunctStart[g + 1]]
    if (end === start || (end === start + 1 && pushing[g] === 1)) continue
    const disjuncts = Array.from({ length: end - start }, (_, m) => {
      const contacts = [...contact.subarray(contactStart[start + m], contactStart[start + m + 1])]
      const firstB = size
      size += contacts.length - 1
      return { contacts, firstB }
    })
    const firstC = size
    size += disjuncts.length - 1
    const e = size++
    slacks.push({
      disjuncts: disjuncts.map((disjunct, m) => ({
        ...disjunct,
        d: kind[g] !== constraintKind.cross && m < pushing[g] ? size++ : undefined,
      })),
      firstC,
      e,
    })
  }
  return { slacks, size }
}

const difference = (a: Float64Array, b: Float64Array) => a.map((x, i) => x - b[i])
