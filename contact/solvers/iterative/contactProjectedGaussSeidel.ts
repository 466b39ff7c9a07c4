import { addWork } from '../../../dynamics/math/index.ts'
import type { SolverStatus } from '../complementarity.ts'
import { type ContactProblem, type ContactSolver, type FrictionLaw, GroupKind } from '../contactProblem.ts'
import { contactResidual, onPolygon, pyramidOf } from '../contactResidual.ts'

/** Sweeps between evaluations of the residual. */
const SWEEPS = 4
/** Number of past sweeps in Anderson's acceleration. */
const DEPTH = 5
/** Consecutive sweeps without a smaller change, after which plain sweeps follow, twice as many each time. */
const PATIENCE = 40
const PLAIN = 8

export interface ContactProjectedGaussSeidelOptions {
  readonly law: FrictionLaw
  /** Sides of the pyramid, unused by other laws. Default 4. */
  readonly sides?: number
  /** Largest `contactResidual` of a solution. 1e-9. */
  readonly tolerance?: number
  /** Most sweeps. 10,000. */
  readonly limit?: number
  readonly acceleration?: 'none' | 'anderson'
  /** Whether the last sweep's result counts as solved, whatever its residual. Default false. */
  readonly updatesInPlace?: boolean
}

/**
 * Projected Gauss-Seidel on the rows of a `ContactProblem`: u from the current impulses, a step against it, and projection on the group's
 * admissible set. Normals step first; then both tangents together, by one step against u_t over the larger eigenvalue of their block, onto
 * the disc of radius mu p_n (or a given one), or the polygon (with separate steps, p_t would converge to a direction not against the slip).
 * Under 'associated' normal and tangents step together, over the trace of their block, onto the cone. @unchecked
 *
 * Sweeps are cheap, but converge slowly if W is badly conditioned, as for light bodies under heavy ones. Anderson's acceleration combines
 * the last five sweeps such that their changes cancel best (Anderson 1965; Walker and Ni, SIAM J. Numer. Anal. 49, 2011). It is suspended
 * for a sweep when the change doubles, or when the combination opposes the sweep: growing sweeps, as when friction wedges a body in, lead
 * away from a point where changes would cancel, and on to a solution. If that does not help, plain sweeps follow for a while.
 */
export class ContactProjectedGaussSeidel implements ContactSolver {
  readonly name: string
  readonly law: FrictionLaw
  iterations = 0
  readonly residual = new Float64Array(1)
  private readonly sides: number
  private readonly tolerance: number
  private readonly limit: number
  private readonly acceleration: 'none' | 'anderson'
  private readonly updatesInPlace: boolean
  private readonly pyramid: Float64Array
  private readonly x = new Float64Array(3)

  private u = new Float64Array(0)
  private answer = new Float64Array(0)
  /** Per row: scale in which changes are compared, as in `contactResidual`. */
  private scale = new Float64Array(0)
  private before = new Float64Array(0)
  private change = new Float64Array(0)
  private direction = new Float64Array(0)
  /** DEPTH each: differences between successive sweeps of changes and of results, in a ring buffer. */
  private changes = new Float64Array(0)
  private results = new Float64Array(0)
  private lastChange = new Float64Array(0)
  private lastResult = new Float64Array(0)
  private readonly G = new Float64Array(DEPTH * DEPTH)
  private readonly weights = new Float64Array(DEPTH)

  constructor(options: ContactProjectedGaussSeidelOptions) {
    const { law, sides = 4, tolerance = 1e-9, limit = 10000, acceleration = 'none', updatesInPlace = false } = options
    this.name = acceleration === 'none' ? 'contact-pgs' : 'contact-pgs-anderson'
    this.law = law
    this.sides = sides
    this.tolerance = tolerance
    this.limit = limit
    this.acceleration = acceleration
    this.updatesInPlace = updatesInPlace
    this.pyramid = law === 'pyramid' ? pyramidOf(sides) : new Float64Array(0)
  }

  solve(problem: ContactProblem, p: Float64Array, _mode: Int8Array): SolverStatus {
    const { law, sides, u, residual, tolerance, limit } = this
    const { rowCount: rows } = problem
    if (rows > u.length) this.reserve(2 * rows)
    this.iterations = 0
    contactResidual(problem, law, sides, p, this.u, residual)
    if (residual[0] <= tolerance) return 'solved'
    if (residual[0] === Number.POSITIVE_INFINITY) p.fill(0, 0, rows)
    this.scales(problem)
    // an accelerated p may lie outside the cones; only the result of a sweep is a solution
    const { answer } = this
    for (let r = 0; r < rows; r++) answer[r] = p[r]
    const status = this.iterate(problem, p, limit)
    for (let r = 0; r < rows; r++) p[r] = answer[r]
    return status === 'limit' && this.updatesInPlace ? 'solved' : status
  }

  /** A sweep from p into p, with its scaled change in `change`; at intervals, also the test for a solution. */
  private step(problem: ContactProblem, p: Float64Array): SolverStatus {
    const { before, change, scale, answer, residual } = this
    const { rowCount: rows } = problem
    for (let r = 0; r < rows; r++) before[r] = p[r]
    this.sweep(problem, p)
    for (let r = 0; r < rows; r++) change[r] = (p[r] - before[r]) * scale[r]
    this.iterations++
    if (this.iterations % SWEEPS !== 0 && this.iterations !== this.limit) return 'limit'
    contactResidual(problem, this.law, this.sides, p, this.u, residual)
    if (residual[0] === Number.POSITIVE_INFINITY) return 'residual'
    for (let r = 0; r < rows; r++) answer[r] = p[r]
    return residual[0] <= this.tolerance ? 'solved' : 'limit'
  }

  private iterate(problem: ContactProblem, p: Float64Array, limit: number): SolverStatus {
    const { change, changes, results, lastChange, lastResult, scale, weights, direction } = this
    const { rowCount: rows } = problem
    let kept = 0
    let next = 0
    let last = Number.POSITIVE_INFINITY
    let least = Number.POSITIVE_INFINITY
    let idle = 0
    let plain = 0
    let pause = PLAIN
    let fresh = true
    while (this.iterations < limit) {
      const status = this.step(problem, p)
      if (status !== 'limit') return status
      if (this.acceleration === 'none') continue
      let now = 0
      for (let r = 0; r < rows; r++) now += change[r] * change[r]
      if (now === 0) return this.settle(problem, p)
      if (now < least) {
        least = now
        idle = 0
        pause = PLAIN
      } else idle++
      if (idle === PATIENCE) {
        plain = pause
        pause *= 2
        idle = 0
      }
      if (now > 4 * last || plain > 0) {
        // bad combination: restart from this sweep's result
        kept = 0
        fresh = true
      }
      last = now
      if (plain > 0) {
        plain--
        continue
      }
      if (!fresh) {
        const at = next * rows
        for (let r = 0; r < rows; r++) {
          changes[at + r] = change[r] - lastChange[r]
          results[at + r] = p[r] * scale[r] - lastResult[r]
        }
        next = (next + 1) % DEPTH
        if (kept < DEPTH) kept++
      } else next = 0
      fresh = false
      for (let r = 0; r < rows; r++) {
        lastChange[r] = change[r]
        lastResult[r] = p[r] * scale[r]
      }
      if (kept === 0) continue
      this.combination(rows, kept)
      let along = now
      for (let r = 0; r < rows; r++) {
        let sum = 0
        for (let k = 0; k < kept; k++) sum -= weights[k] * results[k * rows + r]
        direction[r] = sum
        along += sum * change[r]
      }
      if (along > 0) for (let r = 0; r < rows; r++) p[r] += direction[r] / scale[r]
    }
    return this.acceleration === 'none' ? 'limit' : this.settle(problem, p)
  }

  /** weights := least-squares weights of the kept differences of changes for the last change. */
  private combination(rows: number, kept: number): void {
    const { changes, change, G, weights } = this
    addWork(rows, kept, (kept >> 1) + 2)
    let trace = 0
    for (let i = 0; i < kept; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0
        for (let r = 0; r < rows; r++) sum += changes[i * rows + r] * changes[j * rows + r]
        G[i * DEPTH + j] = sum
      }
      trace += G[i * DEPTH + i]
      let sum = 0
      for (let r = 0; r < rows; r++) sum += changes[i * rows + r] * change[r]
      weights[i] = sum
    }
    // Cholesky, regularised against large weights of nearly dependent differences
    for (let i = 0; i < kept; i++) {
      G[i * DEPTH + i] += 1e-12 * trace
      for (let j = 0; j <= i; j++) {
        let sum = G[i * DEPTH + j]
        for (let k = 0; k < j; k++) sum -= G[i * DEPTH + k] * G[j * DEPTH + k]
        if (j < i) G[i * DEPTH + j] = G[j * DEPTH + j] > 0 ? sum / G[j * DEPTH + j] : 0
        else G[i * DEPTH + i] = sum > 0 ? Math.sqrt(sum) : 0
      }
    }
    for (let i = 0; i < kept; i++) {
      let sum = weights[i]
      for (let k = 0; k < i; k++) sum -= G[i * DEPTH + k] * weights[k]
      weights[i] = G[i * DEPTH + i] > 0 ? sum / G[i * DEPTH + i] : 0
    }
    for (let i = kept - 1; i >= 0; i--) {
      let sum = weights[i]
      for (let k = i + 1; k < kept; k++) sum -= G[k * DEPTH + i] * weights[k]
      weights[i] = G[i * DEPTH + i] > 0 ? sum / G[i * DEPTH + i] : 0
    }
  }

  /** A last sweep, and the status of its result. */
  private settle(problem: ContactProblem, p: Float64Array): SolverStatus {
    const { answer, residual } = this
    this.sweep(problem, p)
    this.iterations++
    contactResidual(problem, this.law, this.sides, p, this.u, residual)
    if (residual[0] === Number.POSITIVE_INFINITY) return 'residual'
    for (let r = 0; r < problem.rowCount; r++) answer[r] = p[r]
    if (residual[0] <= this.tolerance) return 'solved'
    return this.iterations < this.limit ? 'residual' : 'limit'
  }

  private reserve(capacity: number): void {
    this.u = new Float64Array(capacity)
    this.answer = new Float64Array(capacity)
    this.scale = new Float64Array(capacity)
    this.before = new Float64Array(capacity)
    this.change = new Float64Array(capacity)
    this.direction = new Float64Array(capacity)
    this.changes = new Float64Array(DEPTH * capacity)
    this.results = new Float64Array(DEPTH * capacity)
    this.lastChange = new Float64Array(capacity)
    this.lastResult = new Float64Array(capacity)
  }

  private scales({ rowCount: rows, groupCount, first, W }: ContactProblem): void {
    const { scale } = this
    for (let g = 0; g < groupCount; g++) {
      let trace = 0
      for (let r = first[g]; r < first[g + 1]; r++) trace += W[r * rows + r]
      const s = trace > 0 ? Math.sqrt(trace / (first[g + 1] - first[g])) : 1
      for (let r = first[g]; r < first[g + 1]; r++) scale[r] = s
    }
  }

  private sweep(problem: ContactProblem, p: Float64Array): void {
    const { rowCount: rows, groupCount, W, rhs, first, kind, limit } = problem
    const { x, law } = this
    addWork(rows, rows + 20, 1)
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      const row = n * rows
      const frictional = kind[g] === GroupKind.frictional
      const isDisc = kind[g] === GroupKind.disc
      let un = rhs[n]
      for (let j = 0; j < rows; j++) un += W[row + j] * p[j]
      const wn = W[row + n]
      let pn = p[n]
      if (!frictional || law !== 'associated') {
        if (wn > 0) {
          const to = pn - un / wn
          if (kind[g] === GroupKind.bilateral) pn = to
          else if (kind[g] === GroupKind.bounded) pn = to > limit[g] ? limit[g] : to < -limit[g] ? -limit[g] : to
          else pn = to > 0 ? to : 0
          p[n] = pn
        }
        if (!frictional && !isDisc) continue
      }
      const mu = limit[g]
      let u1 = rhs[n + 1]
      let u2 = rhs[n + 2]
      for (let j = 0; j < rows; j++) u1 += W[row + rows + j] * p[j]
      for (let j = 0; j < rows; j++) u2 += W[row + 2 * rows + j] * p[j]
      const w1 = W[row + rows + n + 1]
      const w2 = W[row + 2 * rows + n + 2]
      if (law === 'associated' && !isDisc) {
        const w = wn + w1 + w2
        if (!(w > 0)) continue
        const qn = pn - un / w
        const qx = p[n + 1] - u1 / w
        const qy = p[n + 2] - u2 / w
        const qt = Math.sqrt(qx * qx + qy * qy)
        if (qt <= mu * qn) {
          p[n] = qn
          p[n + 1] = qx
          p[n + 2] = qy
        } else {
          const to = qn + mu * qt > 0 ? (qn + mu * qt) / (1 + mu * mu) : 0
          const part = qt > 0 ? (mu * to) / qt : 0
          p[n] = to
          p[n + 1] = part * qx
          p[n + 2] = part * qy
        }
        continue
      }
      const half = (w1 - w2) / 2
      const cross = W[row + rows + n + 2]
      const w = (w1 + w2) / 2 + Math.sqrt(half * half + cross * cross)
      if (w > 0) {
        x[0] = p[n + 1] - u1 / w
        x[1] = p[n + 2] - u2 / w
      } else {
        x[0] = p[n + 1]
        x[1] = p[n + 2]
      }
      const most = isDisc ? mu : pn > 0 ? mu * pn : 0
      if (law === 'pyramid' && !isDisc) {
        x[2] = most
        onPolygon(this.sides, this.pyramid, x)
      } else {
        const length = Math.sqrt(x[0] * x[0] + x[1] * x[1])
        if (length > most) {
          x[0] *= most / length
          x[1] *= most / length
        }
      }
      p[n + 1] = x[0]
      p[n + 2] = x[1]
    }
  }
}
