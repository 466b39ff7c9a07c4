import type { ComplementaritySolver, SolverStatus } from './complementarity.ts'
import { looksSemidefinite } from './looksSemidefinite.ts'
import { ScaledComplementarity } from './scaledComplementarity.ts'

/** Steps of one attempt. */
const STEP_LIMIT = 30
/** Steps of the last one, which goes on from the best point of all. */
const LAST_LIMIT = 300
/** Starts of the sequence for a matrix that seems semidefinite: only rounding can stop a descent away from an answer there. */
const FEW = 4
/** Share of the decrease that the slope promises which a step must keep; trials of a step, each half as long as the one before. */
const SHARE = 1e-4
const HALVINGS = 30
/** A direction must descend by so much of its squared length. */
const DESCENT = 1e-10
/** Attempts end where the gradient is so small, relative to the merit: a stationary point that is no answer. */
const FLAT = 1e-9
/** A merit below this, in units of the scaled problem, is as near to 0 as rounding lets it come. */
const ROUNDING = 1e-30

/**
 * What methods have in common that descend a merit, half the squared norm of a system of equations whose zeros are the answers of a
 * mixed linear complementarity problem: several starts, the search along a direction, and the solution of active sets.
 *
 * A descent ends at a stationary point, which need not be an answer. Then the next start is tried: the caller's guess, zero, and
 * `attempts` points of a fixed sequence (four, if A seems semidefinite), 30 steps each, and at last the best point of all for 300
 * more. As soon as the active set repeats itself, its linear system is solved at once, and where an attempt ends, or the guess is new,
 * up to twelve sets in turn, each the one that the answer of the last suggests (`ScaledComplementarity.walk`). So what is returned is
 * mostly the answer of a linear system and not the limit of a sequence.
 *
 * The search is not monotone (Grippo, Lampariello and Lucidi 1986): a step may end above the present merit, but not above the largest of
 * the last few.
 */
export abstract class MeritDescent implements ComplementaritySolver {
  abstract readonly name: string
  iterations = 0
  protected readonly problem: ScaledComplementarity
  private readonly attempts: number
  /** The point, and A x + b. */
  protected x = new Float64Array(0)
  protected wx = new Float64Array(0)
  protected gradient = new Float64Array(0)
  /** The direction, and A d. */
  protected d = new Float64Array(0)
  protected Ad = new Float64Array(0)
  /** 4: merit, norm of its gradient, the best merit of all attempts, length of the step. */
  protected readonly number = new Float64Array(4)
  private active = new Uint8Array(0)
  private best = new Float64Array(0)
  /** The last merits. */
  private readonly merits: Float64Array

  /**
   * @param tolerance largest `complementarityResidual` of an answer
   * @param attempts  starts beyond the guess and zero before it gives up
   * @param memory    how many last merits the search looks back on
   */
  constructor(tolerance: number, attempts: number, memory: number) {
    this.problem = new ScaledComplementarity(tolerance)
    this.attempts = attempts
    this.merits = new Float64Array(memory)
  }

  get z(): Float64Array {
    return this.problem.z
  }
  get w(): Float64Array {
    return this.problem.w
  }
  get residual(): Float64Array {
    return this.problem.residual
  }

  solve(n: number, A: Float64Array, b: Float64Array, free: Uint8Array, start: Float64Array): SolverStatus {
    this.iterations = 0
    const { problem, number } = this
    if (!problem.load(this.name, n, A, b, free, start)) return 'residual'
    this.reserve(n)
    const { x, wx, active, best } = this
    number[2] = Number.POSITIVE_INFINITY
    const attempts = looksSemidefinite(n, A) ? Math.min(FEW, this.attempts) : this.attempts
    let limit = false
    let guessed = false
    for (let i = 0; i < n; i++) if (problem.start[i] !== 0) guessed = true
    for (let attempt = guessed ? -2 : -1; attempt <= attempts; attempt++) {
      const last = attempt === attempts
      if (attempt === -2) {
        for (let i = 0; i < n; i++) x[i] = problem.start[i]
        problem.multiply(x, wx)
        for (let i = 0; i < n; i++) active[i] = x[i] > wx[i] ? 1 : 0
        if (problem.walk(active, x)) return 'solved'
      } else if (attempt === -1) x.fill(0, 0, n)
      else if (last) for (let i = 0; i < n; i++) x[i] = best[i]
      else problem.spread(attempt, x)
      const status = this.attempt(n, last ? LAST_LIMIT : STEP_LIMIT)
      if (status === 'solved' || problem.walk(active, x)) return 'solved'
      if (status === 'limit') limit = true
    }
    problem.accept(best)
    return limit ? 'limit' : 'residual'
  }

  private reserve(n: number): void {
    if (n <= this.x.length) return
    this.x = new Float64Array(n)
    this.wx = new Float64Array(n)
    this.gradient = new Float64Array(n)
    this.d = new Float64Array(n)
    this.Ad = new Float64Array(n)
    this.active = new Uint8Array(n)
    this.best = new Float64Array(n)
    this.reserveEquations(n)
  }

  protected abstract reserveEquations(n: number): void

  /** The equations at x and wx, and number[0], the merit. */
  protected abstract evaluate(n: number): void

  /** The linearised equations at x and wx, and the gradient of the merit. */
  protected abstract linearize(n: number): void

  /**
   * Moves x and wx, and evaluates there.
   *
   * @param step of this attempt, from 0 up
   * @returns false if no direction descends
   */
  protected abstract advance(n: number, step: number): boolean

  /** From x until an answer, a stationary point or the cap. */
  private attempt(n: number, limit: number): SolverStatus {
    const { problem, x, wx, active, best, gradient, merits, number } = this
    merits.fill(0)
    problem.multiply(x, wx)
    this.evaluate(n)
    for (let step = 0; ; step++) {
      let changed = step === 0
      for (let i = 0; i < n; i++) {
        const on = x[i] > wx[i] ? 1 : 0
        if (active[i] !== on) changed = true
        active[i] = on
      }
      if (number[0] < number[2]) {
        number[2] = number[0]
        for (let i = 0; i < n; i++) best[i] = x[i]
      }
      // the first point's set too: after a good guess that is all there is to do
      if ((step === 0 || !changed) && problem.settle(active, x)) return 'solved'
      if (number[0] < ROUNDING) return problem.accept(x) ? 'solved' : 'residual'
      if (step === limit) return 'limit'
      this.iterations++
      merits[step % merits.length] = number[0]
      this.linearize(n)
      let square = 0
      for (let i = 0; i < n; i++) square += gradient[i] * gradient[i]
      number[1] = Math.sqrt(square)
      if (!(number[1] > FLAT * number[0])) return 'residual'
      if (!this.advance(n, step)) return 'residual'
    }
  }

  /** d := -gradient. */
  protected descend(n: number): void {
    const { gradient, d } = this
    for (let i = 0; i < n; i++) d[i] = -gradient[i]
  }

  /** Ad := A d. */
  protected along(n: number): void {
    const { d, Ad } = this
    const { A } = this.problem
    for (let i = 0; i < n; i++) {
      let sum = 0
      for (let j = 0; j < n; j++) sum += A[i * n + j] * d[j]
      Ad[i] = sum
    }
  }

  /** Moves x and wx along d as far as the merit falls enough. False, and they stay, if it does not or d does not descend. */
  protected search(n: number): boolean {
    const { x, wx, d, Ad, gradient, merits, number } = this
    let slope = 0
    let size = 0
    for (let i = 0; i < n; i++) {
      slope += gradient[i] * d[i]
      size += d[i] * d[i]
    }
    if (!(slope < -DESCENT * size)) return false
    let reference = 0
    for (let k = 0; k < merits.length; k++) if (merits[k] > reference) reference = merits[k]
    this.along(n)
    number[3] = 1
    for (let i = 0; i < n; i++) {
      x[i] += d[i]
      wx[i] += Ad[i]
    }
    for (let halving = 0; ; halving++) {
      this.evaluate(n)
      if (number[0] <= reference + SHARE * number[3] * slope) break
      const back = halving === HALVINGS ? number[3] : number[3] / 2
      for (let i = 0; i < n; i++) {
        x[i] -= back * d[i]
        wx[i] -= back * Ad[i]
      }
      if (halving === HALVINGS) return false
      number[3] -= back
    }
    // what the sums have lost
    this.problem.multiply(x, wx)
    this.evaluate(n)
    return true
  }
}
