import type { ContactModel, ContactStep } from '../contact/index.ts'

/** A horizon too small to widen margins, but positive, so that contacts are detected before touching [s]. */
const NO_TIME = 1e-12

/** A contact model for one step size, and its arguments. */
export interface StepLevel {
  readonly contactModel: ContactModel
  readonly step: ContactStep
  /** 1: time ahead for which contacts are detected [s]. */
  readonly horizon: Float64Array
  /** Fraction of the whole step. */
  readonly part: number
}

/** The whole step of a world, and the shorter steps in use. */
export class StepLevels {
  /** The present step's level. */
  current: StepLevel
  /** Length of the whole step, the unit of the step count [s]. */
  readonly whole: number
  /** Levels by the number of halvings of the whole step. */
  private readonly halved: StepLevel[] = []
  private readonly contactModel: ContactModel
  private readonly handed: ContactStep
  private readonly modelAt: (dt: number) => ContactModel

  /**
   * @param contactModel for the whole step
   * @param handed  each level's arguments, except dt
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

  /** Sets the following steps to 2^-halvings of the whole step. */
  subdivide(halvings: number): void {
    const part = 0.5 ** halvings
    this.halved[halvings] ??= this.level(this.modelAt(part * this.whole), part)
    this.current = this.halved[halvings]
  }

  /** Sets the next step to this fraction of the whole one, with the whole step's model. @param seesAhead as in `World.shorten` */
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
