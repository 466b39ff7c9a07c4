/** Problems of steps that a run keeps: of those that failed, of the first that took a fallback, and of one that was asked for. */
import type { SavedProblem } from '../../contact/index.ts'
import type { World } from '../../simulation/index.ts'
import type { SolverOutcome } from './solverOutcomes.ts'

export type SavedReason = 'failure' | 'fallback' | 'asked'

/** A step and its problem. Structured-cloneable. */
export interface SavedStep {
  /** The step ends at this count of steps since the start. */
  readonly step: number
  /** The time that the step ends at [s]. */
  readonly t: number
  readonly reason: SavedReason
  readonly problem: SavedProblem
}

/** A saved step as results show it; `file` is null where no files were requested. */
export interface ReportedStep extends Omit<SavedStep, 'problem'> {
  readonly file: string | null
}

/** Failed steps of a run that are saved. */
const MOST_FAILURES = 3

/** The file that a step of a run is saved in; of several comparisons with the number of its own. */
export const problemFile = (run: number, step: number, comparison?: number) =>
  `problem-${[comparison, run, step].filter((part) => part !== undefined).join('-')}.json`

/** Watches one world: call `after` behind each of its steps, whether it threw or not. */
export class StepKeeper {
  readonly steps: SavedStep[] = []
  private readonly world: World
  private readonly wanted: number
  private failures: number
  private fallbacks: number
  private failuresKept = 0
  private fallbacksKept = 0
  private readonly countsBefore: readonly { readonly solved: number; readonly failed: number }[]

  /** @param wanted the step whose problem is asked for, if any */
  constructor(world: World, wanted = -1) {
    const { failures, fallbacks, solvers } = world.events
    this.world = world
    this.wanted = wanted
    this.failures = failures
    this.fallbacks = fallbacks
    this.countsBefore = solvers.map(({ solved, failed }) => ({ solved, failed }))
  }

  after(): void {
    const { events, stepCount, failure } = this.world
    if (events.failures !== this.failures) {
      this.failures = events.failures
      this.fallbacks = events.fallbacks
      if (this.failuresKept < MOST_FAILURES && this.keep('failure')) this.failuresKept++
    } else if (events.fallbacks !== this.fallbacks) {
      this.fallbacks = events.fallbacks
      if (this.fallbacksKept === 0 && this.keep('fallback')) this.fallbacksKept++
    }
    if (stepCount === this.wanted && failure === undefined) this.keep('asked')
  }

  /** Of each solver of the chain, in its order, since this began to watch. */
  solvers(): SolverOutcome[] {
    return this.world.events.solvers.map(({ solver, solved, failed }, i) => ({
      name: solver,
      solved: solved - this.countsBefore[i].solved,
      failed: failed - this.countsBefore[i].failed,
    }))
  }

  /** Whether the step had a problem, which is then among `steps`. */
  private keep(reason: SavedReason): boolean {
    const { contactModel, stepCount, failure, dt, wholeStep, robots } = this.world
    const problem = contactModel.problem?.()
    if (problem === undefined) return false
    // a step that was broken off has not been counted
    const step = failure === undefined ? stepCount : stepCount + dt / wholeStep
    const t = step * wholeStep
    const origin = {
      contactModel: contactModel.name,
      robots: robots.map(({ name }) => name),
      ...problem.origin,
      time: t,
      step,
      reason,
    }
    this.steps.push({ step, t, reason, problem: { ...problem, origin } })
    return true
  }
}
