import type { WorkLimitError } from '../dynamics/index.ts'

/** Failure of a world, which ends its run. */
export class SimulationError extends Error {
  override readonly name: string = 'SimulationError'
  /** Index of the failed step from 0: the number of completed steps. */
  readonly step: number
  /** Time at the start of the failed step [s]. */
  readonly time: number
  /** The joint, or the body of a floating base, whose number is not finite; '' if there is none. */
  readonly joint: string

  constructor(message: string, step: number, time: number, joint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.step = step
    this.time = time
    this.joint = joint
  }
}

/** Invalid world options; `cause` is the underlying error. */
export class WorldError extends RangeError {
  override readonly name = 'WorldError'

  constructor(message: string, cause: unknown) {
    super(message, { cause })
  }
}

/** A run in which the numerical method created many times the energy available to it; see docs/reliability.md. */
export class EnergyError extends SimulationError {
  override readonly name = 'EnergyError'
  /** Unaccounted energy, and the energy available to the run: initial, from falling, and from its motors [J]. */
  readonly invented: number
  readonly spent: number

  constructor(message: string, step: number, time: number, invented: number, spent: number) {
    super(message, step, time, '')
    this.invented = invented
    this.spent = spent
  }
}

/** A step that would have exceeded `WorldOptions.stepBudget`. */
export class StepBudgetError extends SimulationError {
  override readonly name = 'StepBudgetError'
  /** Multiply-adds: the budget, and those spent when the step ended. */
  readonly budget: number
  readonly spent: number
  /** The running stage of the step: a solver's name as in `SolverEvents.solvers`, or another stage. */
  readonly place: string
  /** Numbers of contacts and rows of the current problem; 0 without one. */
  readonly contacts: number
  readonly rows: number

  constructor(message: string, step: number, time: number, cause: WorkLimitError) {
    super(message, step, time, '', cause)
    this.budget = cause.limit
    this.spent = cause.spent
    this.place = cause.place
    this.contacts = cause.contacts
    this.rows = cause.rows
  }
}
