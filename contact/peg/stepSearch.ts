import { selection } from './constrainedContacts.ts'
import type { ConstrainedStep } from './constrainedStep.ts'
import type { EndOfStep } from './endOfStep.ts'
import { type FeatureContactSet, type FeatureStep, STANDS_ALONE } from './features/featureContactSet.ts'
import type { ImpactingPairs } from './impactingPairs.ts'
import { EventMark, Iterate } from './iterate.ts'

/** Most evaluations of the end of a step before it is approached in stages, and of each stage. */
const DIRECT_PASSES = 15
const STAGE_PASSES = 4
/** Damping of the iteration (step length of the point of linearisation), and its most evaluations. */
const DAMPING = 0.25
const DAMPED_PASSES = 100
/** Fraction of its initial violation that a stage may leave. */
const STAGE_SHARE = 0.02
/** Largest and least fraction of the step between stages. */
const LEAST_INCREMENT = 1e-3
const MOST_INCREMENT = 1 / 8
/** Multiple of the gap tolerance; see `isFar`. */
const FAR = 1000
/** Rounding of gaps [m]. */
const NO_MISS = 1e-12
/** Points within a step at which bodies are tested for separation. */
const PATH_SAMPLES = 16
/** Ratio of the first-order violation to the overlap without the selected contacts, beyond which their selection is doubtful. */
const DOUBT = 0.1

/** Solver names of the searches. */
export const searchNames = ['end-of-step', 'way-of-step'] as const

/**
 * Searches for an end of the step at which the true gaps hold: to first order; then by repeated solves with the geometry of the last end;
 * if that does not converge, from other starts and in stages.
 */
export class StepSearch {
  readonly once: ConstrainedStep
  readonly end: EndOfStep
  /** nv: the current iterate, that of `once`. */
  private readonly v: Float64Array
  private readonly passes: number
  /** Index of the first of `searchNames` in `SolverEvents.solvers`. */
  private readonly endIndex: number
  /** Iterate with the geometry of the start of the step. */
  private readonly first: Iterate
  /** Iterate without any contact of constraints with several disjuncts; known once solved. */
  private readonly unconstrained: Iterate
  /** The iterate of least violation at its end; and a valid end, while a nearer one is searched for. */
  private readonly best: Iterate
  private readonly candidate: Iterate
  /** nv: velocity at the last reached stage, and to the point of linearisation of the last solve. */
  private readonly vStage: Float64Array
  private readonly vPoint: Float64Array
  private readonly before = new EventMark()
  /** The step with the contacts of v; undefined without any under constraints with several disjuncts. */
  private solved: FeatureStep | undefined
  /** Whether v is the velocity of `unconstrained`. */
  private isUnconstrained = false
  private evaluations = 0
  /** Whether the last evaluation was at the end of v. */
  private isEvaluated = false
  /** Whether the first-order error is so large that the whole path is tested, not only its end. */
  private isFar = false
  /** Whether an end was accepted although its path passes through a body. */
  private tunnels = false

  constructor(once: ConstrainedStep, end: EndOfStep, passes: number, endIndex: number) {
    const nv = once.v.length
    this.once = once
    this.end = end
    this.v = once.v
    this.passes = passes
    this.endIndex = endIndex
    this.first = new Iterate(nv)
    this.unconstrained = new Iterate(nv)
    this.best = new Iterate(nv)
    this.candidate = new Iterate(nv)
    this.vStage = new Float64Array(nv)
    this.vPoint = new Float64Array(nv)
  }

  /** Solves a step. If no end is found, the best iterate is used, which counts as a fallback. */
  solve(step: FeatureStep, impacts?: ImpactingPairs): void {
    this.before.set(step.events)
    this.once.solve(step, impacts)
    this.accept(step, this.firstOrder(step))
  }

  /** Whether the new first-order velocity is a solution without any selection of disjuncts; if so, counts it as one. */
  isEndOfFirstOrder(step: FeatureStep): boolean {
    const { choice } = this.once
    if (!this.evaluateFirst(step) || choice.hasImpulseByChoice(step.contacts)) return false
    step.events.solvers[this.endIndex].solved++
    this.end.hand(step)
    return true
  }

  /** Whether the first-order velocity, or the unconstrained one, has a valid end, possibly after recovery. */
  private firstOrder(step: FeatureStep): boolean {
    const { once, end, first, unconstrained, best, v } = this
    const { choice } = once
    best.violation[0] = Number.POSITIVE_INFINITY
    first.v.set(v)
    this.solved = step
    this.evaluations = 0
    this.isUnconstrained = false
    this.tunnels = false
    unconstrained.isKnown = false
    const isValid = this.evaluateFirst(step)
    const miss = end.miss[0]
    this.isEvaluated = true
    this.isFar = miss > FAR * end.tolerance
    if (choice.hasChoice && choice.hasImpulseByChoice(step.contacts)) {
      this.solveUnconstrained(step)
      if (this.isUnconstrainedValid(step)) {
        // an obstacle exists only to first order
        this.restart(false)
        step.events.fallbacks = this.before.fallbacks
        return true
      }
    }
    if (isValid && !unconstrained.isKnown) end.hand(step)
    // if first order is nearly exact, so is its selection
    return isValid || this.recover(step, unconstrained.isKnown && miss > DOUBT * unconstrained.violation[0])
  }

  /** Leaves the contacts of the solution in the step, and counts the outcome. */
  private accept(step: FeatureStep, isFound: boolean): void {
    const { events, contacts } = step
    const { solved } = this
    const end = events.solvers[this.endIndex]
    const path = events.solvers[this.endIndex + 1]
    if (this.isFar && isFound && !this.tunnels) path.solved++
    else if (this.isFar) path.failed++
    if (!isFound) {
      end.failed++
      events.fallbacks++
      this.best.copyTo(this.v, contacts)
      return
    }
    end.solved++
    if (solved === undefined) contacts.copy(this.unconstrained.contacts)
    else if (solved !== step) contacts.copy(solved.contacts)
  }

  /** Whether the end of the first-order velocity is valid. */
  private evaluateFirst(step: FeatureStep): boolean {
    const { end, once, v } = this
    end.begin()
    end.evaluate(step, once.impulses.frame, v, 1, step)
    return end.isValid(step.contacts, once.choice)
  }

  /**
   * Fixed-point iteration: from v on, solves again with the geometry at the fraction `part` of the step, until the true gaps hold there.
   *
   * @param share fraction of the change of the point of linearisation that is made; below 1 it damps an iteration that alternates between
   * features whose normals turn with the bodies
   * @returns whether they hold
   */
  private refine(step: FeatureStep, part: number, most: number, share = 1): boolean {
    const { once, end, v, best, before } = this
    this.vPoint.set(v)
    let firstMiss = 0
    let lastMiss = Number.POSITIVE_INFINITY
    let keepsRows = false
    for (let pass = 0; ; pass++) {
      if (!this.isEvaluated) end.evaluate(step, once.impulses.frame, v, part, this.solved)
      const isValid = end.isValid(this.solved?.contacts, once.choice)
      this.isEvaluated = false
      // a velocity that was only a point of linearisation is no solution
      if (isValid && (this.solved !== undefined || this.isUnconstrained)) return true
      const miss = end.miss[0]
      if (pass === 0) firstMiss = miss
      else if (part < 1 && miss < STAGE_SHARE * firstMiss) return true
      if (part === 1 && this.solved !== undefined && miss < best.violation[0]) {
        best.violation[0] = miss
        best.copyFrom(v, this.solved.contacts)
      }
      // stops unless it converges, so that only accuracy is missing
      if (this.evaluations === this.passes || (pass >= most && !(keepsRows && miss < 0.5 * lastMiss))) return false
      this.evaluations++
      step.events.iterations++
      // rows are kept while the same contacts have impulses and the violation falls, so that only gaps remain to be closed; with normals of
      // curved shapes from the first pass on, so that an impulse between balls passes through both centres
      keepsRows =
        this.solved !== undefined &&
        (pass > 0
          ? end.isSettled() && miss < (keepsRows ? 0.5 : 1) * lastMiss
          : this.solved === step && standAlone(step.contacts))
      if (keepsRows && this.solved !== undefined) {
        once.choice.rows.correct(once.impulses.problem, this.solved, end.gapOfSolved, v, part)
      } else this.solved = this.relinearise(step, part, share, pass === 0)
      lastMiss = miss
      this.isUnconstrained = false
      // fallbacks of earlier iterates do not count for the solution
      before.restore(step.events)
      once.solveWith(step, this.solved, keepsRows ? selection.keep : selection.search)
    }
  }

  /** Builds rows about the end of v, or, in a damped iteration, about a point between. @returns the step at that point */
  private relinearise(step: FeatureStep, part: number, share: number, isFirst: boolean): FeatureStep {
    const { once, end, v, vPoint } = this
    const { choice, impulses } = once
    for (let k = 0; k < v.length; k++) vPoint[k] += share * (v[k] - vPoint[k])
    if (share < 1 && !isFirst) {
      end.evaluate(step, impulses.frame, vPoint, part, undefined)
      end.isValid(undefined, choice)
    }
    const { contacts } = end.step
    if (end.alternates()) choice.uniteAlternating(contacts, end)
    choice.dropDistantDisjuncts(contacts, end.floor)
    once.relinearise(step, end, vPoint, part)
    return end.step
  }

  /** Starts an iteration from the first-order velocity, or from that without the contacts of constraints with several disjuncts. */
  private restart(fromFirst: boolean): void {
    const { first, unconstrained, v, once } = this
    v.set(fromFirst ? first.v : unconstrained.isKnown ? unconstrained.v : once.impulses.vFree)
    this.solved = undefined
    this.isEvaluated = false
    this.isUnconstrained = !fromFirst && unconstrained.isKnown
    this.end.begin()
  }

  /** `restart`, then `refine` for the whole step with all evaluations. */
  private refineFrom(step: FeatureStep, fromFirst: boolean, most: number, share = 1): boolean {
    this.evaluations = 0
    this.restart(fromFirst)
    return this.refine(step, 1, most, share)
  }

  /**
   * Solves `unconstrained`, with contacts under unilateral constraints, joint limits, loops and dry joints; then restores the first-order
   * solution.
   */
  private solveUnconstrained(step: FeatureStep): void {
    const { once, first, unconstrained, v } = this
    const { contacts } = step
    const { rows } = once.choice
    first.copyFrom(v, contacts)
    first.copyActive(rows.active)
    once.solveWith(step, step, selection.none)
    unconstrained.copyFrom(v, contacts)
    first.copyTo(v, contacts)
    first.restoreActive(rows.active)
  }

  /** Whether true gaps hold at the end of `unconstrained` and on its path. Sets its violation. */
  private isUnconstrainedValid(step: FeatureStep): boolean {
    const { once, end, unconstrained } = this
    this.isEvaluated = false
    end.evaluate(step, once.impulses.frame, unconstrained.v, 1, this.solved)
    const isValid = end.isValid(unconstrained.contacts, once.choice)
    unconstrained.violation[0] = end.miss[0]
    // strictly: for bodies about to touch, tolerances are not free space
    return isValid && end.miss[0] <= NO_MISS && this.isPathValid(step, unconstrained.v)
  }

  /** Whether true gaps hold at points on the path of velocity w, without its end. */
  private isPathValid(step: FeatureStep, w: Float64Array): boolean {
    const { once, end } = this
    for (let n = PATH_SAMPLES - 1; n > 0; n--) {
      end.evaluate(step, once.impulses.frame, w, n / PATH_SAMPLES, this.solved)
      if (!end.isValid(undefined, once.choice)) return false
    }
    return true
  }

  /**
   * Tries rows that conserve momentum, then derivatives of the true gaps, then stages; last, by damped iteration if necessary, an end whose
   * path passes through a body.
   */
  private recover(step: FeatureStep, mayChoose: boolean): boolean {
    const { once } = this
    once.keepsMomentum = true
    const isFound = this.findNearest(step, mayChoose)
    once.keepsMomentum = false
    if (isFound) return true
    this.evaluations = 0
    this.restart(true)
    if (this.findNearest(step, mayChoose)) return true
    if (this.continueInStages(step) && (!this.isFar || this.isPathValid(step, this.v))) return true
    if (!once.followsPath) return false
    // accepts a tunnelling solution rather than failure
    once.followsPath = false
    this.tunnels =
      this.refineFrom(step, false, DIRECT_PASSES) ||
      this.refineFrom(step, false, DAMPED_PASSES, DAMPING) ||
      this.continueInStages(step)
    once.followsPath = true
    return this.tunnels
  }

  /** The nearest of the ends found from the first-order velocity and from that without contacts, if its path is valid. */
  private findNearest(step: FeatureStep, mayChoose: boolean): boolean {
    const { once, candidate, v } = this
    const isFound = this.refine(step, 1, DIRECT_PASSES)
    if (!mayChoose) return isFound && (!this.isFar || this.isPathValid(step, v))
    candidate.cost[0] = once.cost[0]
    if (isFound && this.solved !== undefined) {
      candidate.copyFrom(v, this.solved.contacts)
      candidate.fallbacks = step.events.fallbacks
    }
    this.restart(false)
    const isNearer = this.refine(step, 1, DIRECT_PASSES) && (!isFound || once.cost[0] < candidate.cost[0])
    if (isNearer && this.isPathValid(step, v)) return true
    if (!isFound || !this.isPathValid(step, candidate.v)) return false
    step.events.fallbacks = candidate.fallbacks
    this.solved = this.end.step
    candidate.copyTo(v, this.solved.contacts)
    return true
  }

  /** Continuation: `refine` for growing fractions of the step, which follows the separating features from one to the next. */
  private continueInStages(step: FeatureStep): boolean {
    const { v, vStage, end } = this
    let part = 0
    let increment = MOST_INCREMENT
    this.restart(false)
    while (part < 1 && this.evaluations < this.passes && increment > LEAST_INCREMENT) {
      vStage.set(v)
      const wasUnconstrained = this.isUnconstrained
      const next = Math.min(1, part + increment)
      end.begin()
      if (this.refine(step, next, STAGE_PASSES)) {
        part = next
        increment = Math.min(MOST_INCREMENT, 2 * increment)
      } else {
        v.set(vStage)
        this.solved = undefined
        this.isUnconstrained = wasUnconstrained
        increment *= 0.5
      }
    }
    return part === 1
  }
}

/** Whether no feature contact has an impulse. */
function standAlone({ count, impulse, applicability }: FeatureContactSet): boolean {
  for (let i = 0; i < count; i++) if (impulse[3 * i] > 0 && applicability[i] !== STANDS_ALONE) return false
  return true
}
