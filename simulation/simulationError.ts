import type { WorkLimitError } from '../dynamics/index.ts'

/** What a world found wrong with itself. The run that it came from is over. */
export class SimulationError extends Error {
  override readonly name: string = 'SimulationError'
  /** The step that failed, counted from 0: as many were completed. */
  readonly step: number
  /** Time at the start of the step that failed [s]. */
  readonly time: number
  /** The joint, or the body of a floating base, whose number is not finite; '' where none is to blame. */
  readonly joint: string

  constructor(message: string, step: number, time: number, joint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.step = step
    this.time = time
    this.joint = joint
  }
}

/** A world cannot be made of these options; `cause` is the error underneath. */
export class WorldError extends RangeError {
  override readonly name = 'WorldError'

  constructor(message: string, cause: unknown) {
    super(message, { cause })
  }
}

/** A run whose numerical method invented many times the energy that it had to spend; see docs/reliability.md. */
export class EnergyError extends SimulationError {
  override readonly name = 'EnergyError'
  /** What nothing accounts for, and what the run had to spend: at its start, by falling, and from its motors [J]. */
  readonly invented: number
  readonly spent: number

  constructor(message: string, step: number, time: number, invented: number, spent: number) {
    super(message, step, time, '')
    this.invented = invented
    this.spent = spent
  }
}

/** A step that would have taken more work than `WorldOptions.stepBudget`. */
export class StepBudgetError extends SimulationError {
  override readonly name = 'StepBudgetError'
  /** Multiply-adds: the budget, and those spent when the step ended. */
  readonly budget: number
  readonly spent: number
  /** The part of the step that was running: a solver's name as in `SolverEvents.solvers`, or a stage. */
  readonly place: string
  /** Of the problem at hand; 0 where there was none. */
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
