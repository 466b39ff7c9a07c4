/** What a world found wrong with itself. The run that it came from is over. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
  /** The step that failed, counted from 0: as many were completed. */
  readonly step: number
  /** Time at the start of the step that failed [s]. */
  readonly time: number
  /** The joint, or the body of a floating base, whose number is not finite. */
  readonly joint: string

  constructor(message: string, step: number, time: number, joint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.step = step
    this.time = time
    this.joint = joint
  }
}

/** A world cannot be made of these options; `cause` is what was thrown on the way. */
export class WorldError extends RangeError {
  override readonly name = 'WorldError'

  constructor(message: string, cause: unknown) {
    super(message, { cause })
  }
}
