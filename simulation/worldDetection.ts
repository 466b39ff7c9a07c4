import type { PlacedShape } from '../contact/geometry/index.ts'
import {
  type Adhesion,
  type CollisionPairs,
  ContactDetector,
  type ContactModel,
  type ContactSet,
  type DetectorOptions,
  PairMaterials,
  type PhysicalInputs,
  type Reading,
  type RunningSurfaces,
  setMaterials,
} from '../contact/index.ts'
import { createStepData, type Data, kinematics, type Model, type State, velocities, workOn } from '../dynamics/index.ts'
import type { CollisionShape } from '../robots/index.ts'
import { DetectedEnd } from './detectedEnd.ts'
import { Attraction } from './loads/attraction.ts'

/** Memory of a world's contacts from step to step: the contact model's and the detector's, views of `all`, the part of a checkpoint. */
export type ContactMemory = Readonly<Record<'all' | 'ofModel' | 'ofDetector', Float64Array>>

/** Kinematics and contacts of a world, with the contacts' memory from step to step. */
export class WorldDetection {
  readonly pairs: CollisionPairs
  /** Kinematics and velocities of the last evaluated state. */
  readonly data: Data
  readonly contacts: ContactSet
  /** That of the present world of a batch, else the only one. */
  memory: ContactMemory
  readonly surfaces: RunningSurfaces | undefined
  readonly adhesion: Adhesion | undefined
  readonly attraction: Attraction | undefined
  /** Creates a detector of the same shapes. */
  readonly createDetector: (reading: Reading) => ContactDetector
  /** Creates an empty memory; and the materials of all pairs with another friction of surfaces that state none. */
  readonly createMemory: () => ContactMemory
  readonly materialsAt: (friction: number) => PairMaterials
  /** Whether detection at the start of a step may be repeated, after other configurations. */
  readonly hasStages: boolean
  private readonly model: Model
  private readonly state: State
  readonly detector: ContactDetector
  /** All shapes, in the order of `pairs`. */
  readonly placed: readonly PlacedShape[]
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
    this.placed = [...shapes, ...fixtures]
    this.surfaces = rules.surfaces
    this.createDetector = (reading) => new ContactDetector(model, shapes, fixtures, physical, { ...all, reading })
    this.detector = new ContactDetector(model, shapes, fixtures, physical, { ...all, reading, features, range })
    const size = this.detector.memorySize
    this.materialsAt = (friction) => {
      const stated = { ...rules.materials, geomFriction: friction }
      const materials = new PairMaterials(this.pairs.count, { ...physical, friction }, stated)
      setMaterials(this.pairs, this.placed, materials)
      return materials
    }
    this.pairs = this.detector.pairs
    this.data = createStepData(model)
    this.contacts = this.detector.createContacts()
    this.createMemory = () => {
      const all = new Float64Array(memorySize + size)
      return { all, ofModel: all.subarray(0, memorySize), ofDetector: all.subarray(memorySize) }
    }
    this.memory = this.createMemory()
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
    if (this.end.bringContacts(horizon, this.contacts)) this.memory.ofDetector.set(this.elsewhere)
    else this.detector.detect(this.data, horizon, this.contacts, this.memory.ofDetector)
  }

  /** Starts a step. */
  begin(): void {
    if (this.hasStages) this.before.set(this.memory.ofDetector)
  }

  /** Detects contacts of the present state, with the memory of the start of the step. */
  detectStart(horizon: Float64Array): void {
    this.memory.ofDetector.set(this.before)
    this.updateKinematics()
    this.detectContacts(horizon)
  }

  /** Detects contacts of another state, without changing the memory. */
  detectAt(state: State, data: Data, contacts: ContactSet, horizon: Float64Array): void {
    this.elsewhere.set(this.memory.ofDetector)
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
