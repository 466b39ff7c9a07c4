import { selection } from './constrainedContacts.ts'
import type { ConstrainedStep } from './constrainedStep.ts'
import type { EndOfStep } from './endOfStep.ts'
import { type FeatureContactSet, type FeatureStep, STANDS_ALONE } from './features/featureContactSet.ts'
import type { ImpactingPairs } from './impactingPairs.ts'
import { EventMark, Iterate } from './iterate.ts'

/** Evaluations of the end of a step before it is approached in stages, and of each stage. */
const DIRECT_PASSES = 15
const STAGE_PASSES = 4
/** Step length of the point of linearisation in a damped iteration, 1 being its solution, and its evaluations. */
const DAMPING = 0.25
const DAMPED_PASSES = 100
/** Share of its first violation that a stage may leave. */
const STAGE_SHARE = 0.02
/** Largest and least fraction of the step between stages. */
const LEAST_INCREMENT = 1e-3
const MOST_INCREMENT = 1 / 8
/** Times the tolerance of gaps, see `isFar`. */
const FAR = 1000
/** Rounding of gaps [m]. */
const NO_MISS = 1e-12
/** Points within a step at which bodies are tested for separation. */
const PATH_SAMPLES = 16
/** Share of the overlap without the selected contacts, beyond which the violation to first order puts their choice in doubt. */
const DOUBT = 0.1

/** Names of its searches among solvers. */
export const searchNames = ['end-of-step', 'way-of-step'] as const

/**
 * Searches for an end of the step at which the true gaps hold: to first order; by solving again with the geometry of that end, and of the
 * next; and where that does not settle, from other starts and in stages.
 */
export class StepSearch {
  readonly once: ConstrainedStep
  readonly end: EndOfStep
  /** nv: the current iterate, that of `once`. */
  private readonly v: Float64Array
  private readonly passes: number
  /** Of the two `searchNames` in `SolverEvents.solvers`: the first. */
  private readonly endIndex: number
  /** By the geometry of the start of the step. */
  private readonly first: Iterate
  /** Without all contacts of constraints with several disjuncts; known if it was solved for. */
  private readonly unconstrained: Iterate
  /** The iterate of the least violation at its end; and an end found, while a nearer one is searched for. */
  private readonly best: Iterate
  private readonly candidate: Iterate
  /** nv: velocity at the last stage reached, and to the point of linearisation of the last solve. */
  private readonly vStage: Float64Array
  private readonly vPoint: Float64Array
  private readonly before = new EventMark()
  /** Source of the contacts of v; undefined where it has none under constraints with several disjuncts. */
  private solved: FeatureStep | undefined
  /** Whether v is that of `unconstrained`. */
  private isUnconstrained = false
  private evaluations = 0
  /** Whether the last evaluation was at the end of v. */
  private isEvaluated = false
  /** Whether the error of first order is so large that the whole path counts, not only its end. */
  private isFar = false
  /** Whether an end was accepted although a path to it leads through a body. */
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

  /** If no end is found, the best iterate is used and counts as a fallback. */
  solve(step: FeatureStep, impacts?: ImpactingPairs): void {
    this.before.set(step.events)
    this.once.solve(step, impacts)
    this.accept(step, this.firstOrder(step))
  }

  /** Whether the velocity to first order, just solved for, is a solution for which no choice was made; it counts as one then. */
  isEndOfFirstOrder(step: FeatureStep): boolean {
    const { choice } = this.once
    if (!this.evaluateFirst(step) || choice.hasImpulseByChoice(step.contacts)) return false
    step.events.solvers[this.endIndex].solved++
    return true
  }

  /** Whether the velocity to first order, or the unconstrained one, has a valid end, or one is recovered. */
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
        // only to first order was there an obstacle
        this.restart(false)
        step.events.fallbacks = this.before.fallbacks
        return true
      }
    }
    // where first order is nearly right, so is the choice by it
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

  /** Whether the end of first order is valid. */
  private evaluateFirst(step: FeatureStep): boolean {
    const { end, once, v } = this
    end.begin()
    end.evaluate(step, once.impulses.frame, v, 1, step)
    return end.isValid(step.contacts, once.choice)
  }

  /**
   * Fixed-point iteration: solves again with the geometry of the end of the fraction `part` of the step, until the true gaps hold there,
   * from v on.
   *
   * @param share of the step from one point of linearisation to the velocity found there; below 1 it damps an iteration that alternates
   *              between features whose normals turn with the bodies
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
      // cut off, unless it converges: then only accuracy is missing
      if (this.evaluations === this.passes || (pass >= most && !(keepsRows && miss < 0.5 * lastMiss))) return false
      this.evaluations++
      step.events.iterations++
      // rows stay as they are while the same contacts have impulses and the violation falls: then only gaps remain to be closed; with
      // normals of curved shapes from the first pass on, so that an impulse between balls goes through both their centres
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
      // fallbacks of earlier iterates are none of the solution's
      before.restore(step.events)
      once.solveWith(step, this.solved, keepsRows ? selection.keep : selection.search)
    }
  }

  /** Rows about the end of v; where the iteration is damped, of a point on the way to it. @returns the step there */
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

  /** Starts an iteration from the velocity to first order, or from that without the contacts of constraints with several disjuncts. */
  private restart(fromFirst: boolean): void {
    const { first, unconstrained, v, once } = this
    v.set(fromFirst ? first.v : unconstrained.isKnown ? unconstrained.v : once.impulses.vFree)
    this.solved = undefined
    this.isEvaluated = false
    this.isUnconstrained = !fromFirst && unconstrained.isKnown
    this.end.begin()
  }

  /** `refine` with the whole step, after `restart`, with all evaluations. */
  private refineFrom(step: FeatureStep, fromFirst: boolean, most: number, share = 1): boolean {
    this.evaluations = 0
    this.restart(fromFirst)
    return this.refine(step, 1, most, share)
  }

  /**
   * Sets `unconstrained`: with contacts under unilateral constraints, joint limits, loops and dry joints. Restores the solution of the
   * start.
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

  /** Whether true gaps hold at the end of `unconstrained` and on the path there. Sets its violation. */
  private isUnconstrainedValid(step: FeatureStep): boolean {
    const { once, end, unconstrained } = this
    this.isEvaluated = false
    end.evaluate(step, once.impulses.frame, unconstrained.v, 1, this.solved)
    const isValid = end.isValid(unconstrained.contacts, once.choice)
    unconstrained.violation[0] = end.miss[0]
    // strictly: where bodies are about to touch, tolerances are no free space
    return isValid && end.miss[0] <= NO_MISS && this.isPathValid(step, unconstrained.v)
  }

  /** Whether true gaps hold at points on the path of w, its end excluded. */
  private isPathValid(step: FeatureStep, w: Float64Array): boolean {
    const { once, end } = this
    for (let n = PATH_SAMPLES - 1; n > 0; n--) {
      end.evaluate(step, once.impulses.frame, w, n / PATH_SAMPLES, this.solved)
      if (!end.isValid(undefined, once.choice)) return false
    }
    return true
  }

  /**
   * First with rows that keep momentum, then with derivatives of the true gaps, then in stages; last an end whose path leads through a
   * body, if necessary by damped iteration.
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
    // accept a tunnelling solution rather than fail
    once.followsPath = false
    this.tunnels =
      this.refineFrom(step, false, DIRECT_PASSES) ||
      this.refineFrom(step, false, DAMPED_PASSES, DAMPING) ||
      this.continueInStages(step)
    once.followsPath = true
    return this.tunnels
  }

  /** The nearer of the ends that iterations from first order and from the velocity without contact find, if its path is valid. */
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

  /** Continuation: `refine` for growing fractions of the step, so that the separating features are followed from one to the next. */
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

/** Whether no contact of features has an impulse. */
function standAlone({ count, impulse, applicability }: FeatureContactSet): boolean {
  for (let i = 0; i < count; i++) if (impulse[3 * i] > 0 && applicability[i] !== STANDS_ALONE) return false
  return true
}
