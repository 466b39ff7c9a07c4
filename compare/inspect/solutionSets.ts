/** All solutions of a contact problem under constraints, without friction: output of `featherbed solve`. */
import { type ContactConstraints, constraintKind, LeastNorm, LemkeSolver, type SavedProblem } from '../../contact/index.ts'
import { ContactSystem } from '../answers/contactSystem.ts'
import { type ConstrainedProblem, problemOf } from './constrained.ts'

/**
 * A connected set of solutions: one velocity, with all impulses that lead to it. What pushes has gap 0, W_SS p = -psi, which leaves open only
 * parts of p without effect on the velocity; at one velocity the legal impulses are convex.
 */
export interface SolutionSet {
  readonly velocity: readonly number[]
  /** |v - v_free| in M [kg^1/2 m/s]. */
  readonly cost: number
  /** Contacts that push in some of its solutions. */
  readonly pushing: readonly number[]
  /** Of its impulses: 0 for a point, else how many directions are indeterminate. */
  readonly dimension: number
}

export interface SolutionSets {
  /** The nearest to the free velocity first. */
  readonly sets: readonly SolutionSet[]
  /** False if the work was at its limit before all choices were tried: there may be more sets. */
  readonly complete: boolean
}

/** Most work of one enumeration: the sum of (unknowns)³ of its subproblems, about 2 s. */
const MOST_WORK = 3e8
/** Of gaps and of impulses times W_ii, over the largest free velocity: violation that is rounding; difference of two solutions. */
const [ROUNDING, WIDTH] = [1e-9, 1e-6]

/** Conditions that hold on a convex set of impulses p >= 0: per row, gap at least 0; then, gap at most 0; then, p = 0. */
type Mode = Uint8Array
/** Of a clause one alternative holds; an alternative are places in a `Mode`. */
type Clause = readonly (readonly number[])[]

/** The solution of a mode that is nearest to the free velocity. */
interface Nearest {
  readonly p: Float64Array
  readonly psi: Float64Array
  /** |v - v_free|² in M. */
  readonly cost: number
}

/**
 * All solutions, by depth-first search over the alternatives of all constraints at the end of the step. Contacts are rigid: softness is left
 * out. A text instead where there is friction or a row whose impulse has either sign.
 */
export function solutionSets(saved: SavedProblem, most = MOST_WORK): SolutionSets | string {
  if (saved.mu.some((mu) => mu > 0)) return 'solutions are listed without friction alone'
  if (saved.rows?.some(({ kind }) => kind !== 'unilateral'))
    return 'solutions are listed without loops and dry friction of joints alone'
  const system = new ContactSystem(saved)
  const { given } = problemOf(saved, system)
  const search = new Enumeration(given, most)
  search.extend(search.root, search.clauses)
  const complete = search.work < most
  const sets = search.found.map(({ nearest: { p, cost }, on }): SolutionSet => {
    const { pushing, dimension } = search.impulses(on)
    const ofContacts = pushing.filter((i) => i < given.contactCount)
    return { velocity: [...system.velocity(p)], cost: Math.sqrt(Math.max(0, cost)), pushing: ofContacts, dimension }
  })
  return { sets: sets.sort((a, b) => a.cost - b.cost), complete }
}

class Enumeration {
  work = 0
  /** Solutions of different velocities; `on`: the contacts that may push in one of them. */
  readonly found: { readonly nearest: Nearest; readonly on: Set<number> }[] = []
  readonly clauses: Clause[] = []
  readonly root: Mode
  readonly #solver = new LemkeSolver(1e-10)
  readonly #n: number
  /** n x n, without softness; and n. */
  readonly #W: readonly Float64Array[]
  readonly #rhs: Float64Array
  readonly #scale: number
  readonly #most: number
  /** Per row: the first with the same gap, whatever the impulses. */
  readonly #same: readonly number[]

  constructor({ problem: { rowCount: n, W, rhs }, constraints, contactCount, softness }: ConstrainedProblem, most: number) {
    this.#n = n
    this.#most = most
    this.#rhs = rhs
    this.#scale = rhs.reduce((largest, x) => Math.max(largest, Math.abs(x)), 1e-300)
    const rows = Array.from({ length: n }, (_, i) => W.slice(i * n, i * n + n).map((x, j) => (i === j ? x - softness[i] : x)))
    this.#W = rows
    const largest = Math.max(...rows.map((row, i) => row[i]))
    const isSame = (i: number, k: number) =>
      Math.abs(rhs[i] - rhs[k]) <= 1e-12 * this.#scale && rows[i].every((x, j) => Math.abs(x - rows[k][j]) <= 1e-12 * largest)
    this.#same = rows.map((_, i) => rows.findIndex((_, k) => k === i || isSame(i, k)))
    this.root = new Uint8Array(3 * n).fill(1, 2 * n)
    for (let i = contactCount; i < n; i++) this.#addUnilateral(i)
    this.#addConstraints(constraints)
  }

  #closed(i: number): number[] {
    return [this.#same[i], this.#n + this.#same[i]]
  }

  #addUnilateral(i: number): void {
    this.root[2 * this.#n + i] = 0
    this.root[this.#same[i]] = 1
    this.clauses.push([[2 * this.#n + i], this.#closed(i)])
  }

  /** What the constraints state (`ContactConstraints`), as clauses. */
  #addConstraints({ count, kind, disjunctStart, pushing, contactStart, contact }: ContactConstraints): void {
    const n = this.#n
    for (let g = 0; g < count; g++) {
      const members = Array.from({ length: disjunctStart[g + 1] - disjunctStart[g] }, (_, k) => [
        ...contact.subarray(contactStart[disjunctStart[g] + k], contactStart[disjunctStart[g] + k + 1]),
      ])
      const push = kind[g] === constraintKind.cross ? [] : members.slice(0, pushing[g])
      if (members.length === 1 && push.length === 1) {
        for (const i of push[0]) this.#addUnilateral(i)
        continue
      }
      this.clauses.push(members.map((own) => own.map((i) => this.#same[i])))
      for (const own of push) {
        const others = members.filter((other) => other !== own).map((other) => other.map((c) => n + this.#same[c]))
        for (const i of own) {
          // with an impulse no member is apart, and the contact is the least of its own
          const off = 2 * n + i
          this.root[off] = 0
          const closed = [...own.map((c) => this.#same[c]), ...this.#closed(i)]
          this.clauses.push([[off], [...closed, ...others.flatMap((other) => (other.length === 1 ? other : []))]])
          for (const other of others) if (other.length > 1) this.clauses.push([[off], ...other.map((l) => [l])])
        }
      }
    }
  }

  /** Finds all solutions in `mode` that satisfy the clauses. */
  extend(mode: Mode, clauses: readonly Clause[]): void {
    const open = clauses.filter((clause) => !clause.some((one) => one.every((l) => mode[l] === 1)))
    if (this.work >= this.#most) return
    const nearest = this.#nearest(mode)
    if (nearest === undefined) return
    const { psi } = nearest
    const broken = open.filter((clause) => !clause.some((one) => this.#isTrue(one, psi)))
    // if all that may push is closed there is one velocity, whose gaps decide
    if (this.#same.every((k, i) => mode[2 * this.#n + i] === 1 || mode[k] + mode[this.#n + k] === 2)) {
      if (broken.length > 0) return
      if (open.every((clause) => clause.some((one) => this.#isTrue(one, psi, mode)))) {
        this.#add(nearest, mode)
        return
      }
    }
    const next = (broken.length > 0 ? broken : open).reduce((a, b) => (b.length < a.length ? b : a))
    const rest = open.filter((clause) => clause !== next)
    const passed: number[] = []
    const tried = new Set<string>()
    for (const one of next) {
      if (tried.has(one.join())) continue
      tried.add(one.join())
      const branch = mode.slice()
      for (const l of [...one, ...passed]) branch[l] = 1
      this.extend(branch, rest)
      // what the first alternative has needs not be found again in the next
      if (one.length === 1 && one[0] < this.#n) passed.push(this.#n + one[0])
    }
  }

  #add(nearest: Nearest, mode: Mode): void {
    const isOne = ({ psi }: Nearest) => psi.every((x, k) => Math.abs(x - nearest.psi[k]) <= WIDTH * this.#scale)
    let known = this.found.find((one) => isOne(one.nearest))
    if (known === undefined) this.found.push((known = { nearest, on: new Set() }))
    for (let i = 0; i < this.#n; i++) if (mode[2 * this.#n + i] === 0) known.on.add(i)
  }

  /** Whether an alternative holds by its gaps; whether contacts are without impulse is that of a mode, or left open. */
  #isTrue(one: readonly number[], psi: Float64Array, mode?: Mode): boolean {
    const n = this.#n
    const most = 2 * ROUNDING * this.#scale
    return one.every((l) => (l < n ? psi[l] >= -most : l < 2 * n ? psi[l - n] <= most : mode === undefined || mode[l] === 1))
  }

  /**
   * The least |v - v_free|² = pᵀ W p over a mode, by the conditions of Karush, Kuhn and Tucker; undefined where the mode is empty.
   *
   * @param least a contact that has to push
   */
  #nearest(mode: Mode, least?: number): Nearest | undefined {
    const [n, W, rhs, scale] = [this.#n, this.#W, this.#rhs, this.#scale]
    const on = this.#same.flatMap((_, i) => (mode[2 * n + i] === 0 ? [i] : []))
    // G p + h >= 0: gaps of sign s, at most rounding beyond 0; W_ii p_i at least the width
    const conditions = [...mode.subarray(0, 2 * n).keys()].flatMap((l) => {
      const [k, s] = [l % n, l < n ? 1 : -1]
      return mode[l] === 1 ? [{ G: on.map((j) => s * W[k][j]), h: s * rhs[k] + ROUNDING * scale }] : []
    })
    if (least !== undefined) conditions.push({ G: on.map((j) => (j === least ? W[j][j] : 0)), h: -WIDTH * scale })
    const [m, size] = [on.length, on.length + conditions.length]
    const A = new Float64Array(size * size)
    const b = new Float64Array(size)
    on.forEach((i, r) => {
      on.forEach((j, c) => {
        A[r * size + c] = W[i][j]
      })
    })
    conditions.forEach(({ G, h }, k) => {
      b[m + k] = h
      G.forEach((x, c) => {
        A[(m + k) * size + c] = x
        A[c * size + m + k] = -x
      })
    })
    this.work += size * size * size
    if (this.#solver.solve(size, A, b) !== 'solved') return undefined
    const p = new Float64Array(n)
    on.forEach((i, r) => {
      p[i] = this.#solver.z[r]
    })
    const change = W.map((row) => row.reduce((sum, x, j) => sum + x * p[j], 0))
    return { p, psi: rhs.map((x, k) => x + change[k]), cost: change.reduce((sum, x, k) => sum + x * p[k], 0) }
  }

  /** The contacts that push in some solution of a velocity, and how many directions their impulses leave open. */
  impulses(on: ReadonlySet<number>): { pushing: number[]; dimension: number } {
    const mode = new Uint8Array(3 * this.#n).fill(1, 2 * this.#n)
    for (const i of on) {
      mode[2 * this.#n + i] = 0
      for (const l of this.#closed(i)) mode[l] = 1
    }
    const pushing = [...on].filter((i) => this.#nearest(mode, i) !== undefined).sort((i, j) => i - j)
    const count = pushing.length
    const ranked = new LeastNorm(1e-7)
    const own = Float64Array.from(pushing.flatMap((i) => pushing.map((j) => this.#W[i][j])))
    ranked.solve(count, own, new Float64Array(count), new Float64Array(count).fill(1), new Float64Array(count))
    return { pushing, dimension: count - ranked.rank }
  }
}
