import type { PlacedShape } from '../contact/geometry/index.ts'
import {
  type Adhesion,
  type CollisionPairs,
  ContactDetector,
  type ContactModel,
  type ContactSet,
  type DetectorOptions,
  type PhysicalInputs,
  type Reading,
  type RunningSurfaces,
} from '../contact/index.ts'
import { createStepData, type Data, kinematics, type Model, type State, velocities, workOn } from '../dynamics/index.ts'
import type { CollisionShape } from '../robots/index.ts'
import { DetectedEnd } from './detectedEnd.ts'
import { Attraction } from './loads/attraction.ts'

/** Kinematics and contacts of a world, with the contacts' memory from step to step. */
export class WorldDetection {
  readonly pairs: CollisionPairs
  /** Kinematics and velocities of the last evaluated state. */
  readonly data: Data
  readonly contacts: ContactSet
  /** The contacts' part of a checkpoint; and a view of it, the contact model's memory. */
  readonly memory: Float64Array
  readonly memoryOfModel: Float64Array
  readonly surfaces: RunningSurfaces | undefined
  readonly adhesion: Adhesion | undefined
  readonly attraction: Attraction | undefined
  /** Creates a detector of the same shapes. */
  readonly createDetector: (reading: Reading) => ContactDetector
  /** Whether detection at the start of a step may be repeated, after other configurations. */
  readonly hasStages: boolean
  private readonly model: Model
  private readonly state: State
  private readonly detector: ContactDetector
  /** A view of `memory`. */
  private readonly own: Float64Array
  /** The detector's memory at the start of the step, for integrators with stages; else empty. */
  private readonly before: Float64Array
  /** The detector's memory of trial configurations. */
  private readonly elsewhere: Float64Array
  private readonly end: DetectedEnd

  constructor(
    model: Model,
    state: State,
    shapes: readonly CollisionShape[],
    fixtures: readonly PlacedShape[],
    physical: PhysicalInputs,
    rules: DetectorOptions,
    { reading, features, range, memorySize, lookAhead }: ContactModel,
    hasStages: boolean,
  ) {
    // of pairs of features, not all that are listed touch
    const all = reading === 'features' ? { ...rules, adhesion: undefined } : rules
    this.adhesion = all.adhesion
    if (this.adhesion) {
      this.adhesion.isRigid = lookAhead >= 1
      this.attraction = new Attraction(model)
    }
    this.hasStages = hasStages
    this.model = model
    this.state = state
    this.surfaces = rules.surfaces
    this.createDetector = (reading) => new ContactDetector(model, shapes, fixtures, physical, { ...all, reading })
    this.detector = new ContactDetector(model, shapes, fixtures, physical, { ...all, reading, features, range })
    this.pairs = this.detector.pairs
    this.data = createStepData(model)
    this.contacts = this.detector.createContacts()
    const size = this.detector.memorySize
    this.memory = new Float64Array(memorySize + size)
    this.memoryOfModel = this.memory.subarray(0, memorySize)
    this.own = this.memory.subarray(memorySize)
    this.before = new Float64Array(hasStages ? size : 0)
    this.elsewhere = new Float64Array(size)
    this.end = new DetectedEnd(state)
  }

  /** Computes kinematics and velocities of the present state. */
  updateKinematics(): void {
    if (!this.end.bringData(this.state, this.data)) this.kinematicsOf(this.state, this.data)
  }

  /** Detects contacts of the last evaluated state. @param horizon 1: time ahead for which contacts are detected [s] */
  detectContacts(horizon: Float64Array): void {
    if (this.end.bringContacts(horizon, this.contacts)) this.own.set(this.elsewhere)
    else this.detector.detect(this.data, horizon, this.contacts, this.own)
  }

  /** Starts a step. */
  begin(): void {
    if (this.hasStages) this.before.set(this.own)
  }

  /** Detects contacts of the present state, with the memory of the start of the step. */
  detectStart(horizon: Float64Array): void {
    this.own.set(this.before)
    this.updateKinematics()
    this.detectContacts(horizon)
  }

  /** Detects contacts of another state, without changing the memory. */
  detectAt(state: State, data: Data, contacts: ContactSet, horizon: Float64Array): void {
    this.elsewhere.set(this.own)
    this.end.note(state, horizon)
    this.kinematicsOf(state, data)
    this.detector.detect(data, horizon, contacts, this.elsewhere)
  }

  /** See `ContactStep.endAt`; what surfaces do depends on the time of the step. */
  endAt(data: Data, contacts: ContactSet): void {
    if (this.surfaces === undefined && this.adhesion === undefined) this.end.set(data, contacts)
  }

  /** Call when state or memory was set between two steps. */
  forget(): void {
    this.end.forget()
  }

  private kinematicsOf(state: State, data: Data): void {
    workOn('detection', 0, 0)
    kinematics(this.model, state, data)
    velocities(this.model, state, data)
  }
}
