import type { ContactModel, ContactStep } from '../contact/index.ts'

/** A horizon too small to widen margins, but not zero, so that contacts are still detected ahead of touching [s]. */
const NO_TIME = 1e-12

/** A contact model for one step size, and its arguments. */
export interface StepLevel {
  readonly contactModel: ContactModel
  readonly step: ContactStep
  /** 1: how far ahead of touching contacts are wanted [s]. */
  readonly horizon: Float64Array
  /** Of the whole step. */
  readonly part: number
}

/** The whole step of a world, and the parts of it that are asked for. */
export class StepLevels {
  /** The present step's level. */
  current: StepLevel
  /** The whole step, in which time is counted [s]. */
  readonly whole: number
  /** By how often the whole step is halved. */
  private readonly halved: StepLevel[] = []
  private readonly contactModel: ContactModel
  private readonly handed: ContactStep
  private readonly modelAt: (dt: number) => ContactModel

  /**
   * @param contactModel of the whole step
   * @param handed  each level's arguments, but for dt
   * @param modelAt the contact model at another step
   */
  constructor(contactModel: ContactModel, handed: ContactStep, dt: number, modelAt: (dt: number) => ContactModel) {
    this.whole = dt
    this.contactModel = contactModel
    this.handed = handed
    this.modelAt = modelAt
    this.current = this.level(contactModel, 1)
    this.halved.push(this.current)
  }

  /** Makes the steps that follow 2^-halvings of the whole step. */
  subdivide(halvings: number): void {
    const part = 0.5 ** halvings
    this.halved[halvings] ??= this.level(this.modelAt(part * this.whole), part)
    this.current = this.halved[halvings]
  }

  /** Makes the next step this part of the whole one, under the model of the whole step. @param seesAhead as `World.shorten` */
  shorten(part: number, seesAhead: boolean): void {
    if (part === 1 && seesAhead) this.subdivide(0)
    else this.current = this.level(this.contactModel, part, seesAhead ? part * this.whole : NO_TIME)
  }

  private level(contactModel: ContactModel, part: number, ahead = part * this.whole): StepLevel {
    const step = { ...this.handed }
    step.dt = part * this.whole
    return { contactModel, step, horizon: Float64Array.of(contactModel.lookAhead * ahead), part }
  }
}
