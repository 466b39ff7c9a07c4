import type { PlacedShape } from '../contact/geometry/index.ts'
import {
  type CollisionPairs,
  ContactDetector,
  type ContactModel,
  type ContactModelContext,
  ContactSet,
  type ContactStep,
  contactModels,
  defaultPhysicalInputs,
  type PhysicalInputs,
  type SolverEvents,
  treesOf,
} from '../contact/index.ts'
import {
  clampEfforts,
  createData,
  createState,
  type Data,
  JointType,
  kinematics,
  type Model,
  quaternionStart,
  type State,
  velocities,
} from '../dynamics/index.ts'
import type { CollisionShape, Robot } from '../robots/index.ts'
import type { EffortSource } from './effortSource.ts'
import { explainFailure } from './explainFailure.ts'
import { createGround } from './ground.ts'
import { Fnv1a } from './hash.ts'
import { SimulationError } from './simulationError.ts'
import type { WorldOptions } from './worldOptions.ts'

/** Everything that the next step depends on, as plain data that structuredClone copies. */
export interface Checkpoint {
  readonly stepCount: number
  readonly q: Float64Array
  readonly v: Float64Array
  /** nv: the efforts held until the next controller tick [N m, N]. */
  readonly tau: Float64Array
  readonly contactMemory: Float64Array
  /** What the effort source saved; null without one. */
  readonly controller: unknown
  readonly events: SolverEvents
}

/**
 * One robot among fixed surroundings, under one contact model and one controller, advanced by `step`.
 *
 * What a caller reads between steps: `state` is the state now, at time state.t = stepCount * dt. `contacts` are those
 * detected at the start of the step that has just ended, with the impulses that acted over it; `tau` the efforts that
 * acted over it. `data` belongs to the step: run `kinematics` on a `Data` of your own for the present state.
 */
export class World {
  readonly robot: Robot
  readonly model: Model
  readonly fixtures: readonly PlacedShape[]
  /**
   * The robot's collision shapes but those that are welded to the world. Contact pair `s * fixtures.length + f` is
   * shapes[s] against fixtures[f]; those of two shapes of the robot have greater numbers, see `pairs`.
   */
  readonly shapes: readonly CollisionShape[]
  /** Of `shapes`, behind them with self-collision the shapes welded to the world, and `fixtures`. */
  readonly pairs: CollisionPairs
  readonly contactModel: ContactModel
  readonly physical: PhysicalInputs
  readonly controller: EffortSource | undefined
  /** Time step [s]. */
  readonly dt: number

  readonly state: State
  readonly data: Data
  readonly contacts: ContactSet
  /** nv: motor efforts, clamped into the model's effort limits [N m, N]. */
  readonly tau: Float64Array
  readonly events: SolverEvents
  /** Steps completed since the start. */
  stepCount = 0
  /** What ended the run; no step is taken after it. */
  failure: Error | undefined

  /** Whether what is thrown now is the controller's. */
  private ticking = false
  private readonly detector: ContactDetector
  /** 1: how far ahead of touching contacts are wanted [s]. */
  private readonly horizon: Float64Array
  /** The controller gets kinematics of its own, so that nothing it computes reaches the step. */
  private readonly controllerData: Data
  private readonly contactMemory: Float64Array
  private readonly contactStep: ContactStep

  /**
   * @throws RangeError for a step size that is not positive, an unknown contact model, an excluded link that collides with nothing, or a
   *   start of the wrong length
   * @throws ControllerError if the controller's start fails
   */
  constructor(options: WorldOptions) {
    const { robot, dt, controller } = options
    const { model } = robot
    if (!(dt > 0 && dt < Infinity)) throw new RangeError(`dt is ${dt}; a time step is a positive number of seconds, such as 1e-3`)
    this.robot = robot
    this.model = model
    this.dt = dt
    this.controller = controller
    this.fixtures = options.fixtures ?? [createGround()]
    this.shapes = robot.shapes.filter(({ body }) => body > 0)
    this.physical = { ...defaultPhysicalInputs, ...withoutUndefined(options.physical) }
    this.detector = createDetector(options, this.shapes, this.fixtures, this.physical)
    this.pairs = this.detector.pairs
    this.contactModel = createContactModel(options, {
      model,
      trees: treesOf(model),
      physical: this.physical,
      integrator: options.integrator ?? 'semi-implicit-euler',
      dt,
      mass: movingMass(model),
      gravity: Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5]),
      pairCount: this.detector.pairCount,
    })

    this.state = createState(model)
    setStart(model, 'q', this.state.q, options.q ?? robot.home)
    setStart(model, 'v', this.state.v, options.v ?? new Float64Array(model.nv))
    checkQuaternions(model, this.state.q)
    this.data = createData(model)
    this.contacts = new ContactSet()
    this.tau = new Float64Array(model.nv)
    this.events = { failures: 0, fallbacks: 0, iterations: 0, residualMax: 0, firstFailure: '' }

    this.horizon = Float64Array.of(this.contactModel.lookAhead * dt)
    this.contactMemory = new Float64Array(this.contactModel.memorySize)
    const contactStep = {
      model,
      state: this.state,
      data: this.data,
      contacts: this.contacts,
      tau: this.tau,
      // Made as null, so that V8 keeps dt as an object: handing it from function to function then boxes nothing.
      dt: null as unknown as number,
      memory: this.contactMemory,
      events: this.events,
      detect: () => this.detect(),
    }
    contactStep.dt = dt
    this.contactStep = contactStep
    this.controllerData = createData(model)
    controller?.start(model, dt)
  }

  /**
   * Advances the world by dt.
   *
   * @throws ControllerError if the controller fails; SimulationError if the step cannot be computed or the state
   *   after it is not finite. Either ends the run: `failure` keeps the error, the state stays as it was found, and every
   *   further call throws.
   */
  step(): void {
    if (this.failure !== undefined) throw new Error(`this run ended at step ${this.stepCount}: ${this.failure.message}`)
    try {
      this.advance()
    } catch (error) {
      this.failure = this.ticking || error instanceof SimulationError ? (error as Error) : explainFailure(this, error)
      throw this.failure
    }
  }

  private advance(): void {
    const { model, state, controller, tau } = this

    // efforts of this step, held between the controller's ticks
    if (controller !== undefined && this.stepCount % controller.everySteps === 0) {
      this.ticking = true
      kinematics(model, state, this.controllerData)
      velocities(model, state, this.controllerData)
      controller.tick(state, this.controllerData, tau)
      clampEfforts(model, tau)
      this.ticking = false
    }

    // where everything is, and what touches or is about to
    this.detect()

    // the contact model takes q and v to the end of the step
    this.contactModel.advance(this.contactStep)

    if (!isFiniteState(state)) throw explainFailure(this)

    // a product, not a sum: the time of step 10,000 carries one rounding error and not 10,000
    this.stepCount++
    state.t[0] = this.stepCount * this.dt
  }

  /** Kinematics, velocities and contacts of the present state. */
  private detect(): void {
    const { model, state, data, contacts } = this
    kinematics(model, state, data)
    velocities(model, state, data)
    this.detector.detect(data, this.horizon, contacts)
  }

  /**
   * 64-bit hash of q, v, the step count and the contact model's memory, as 16 hexadecimal digits. Equal runs have equal
   * hashes on every machine and engine.
   */
  hash(): string {
    const hash = new Fnv1a()
    hash.doubles(this.state.q)
    hash.doubles(this.state.v)
    hash.doubles([this.stepCount])
    hash.doubles(this.contactMemory)
    return hash.digest()
  }

  /** A copy of everything that the next step depends on. */
  checkpoint(): Checkpoint {
    return {
      stepCount: this.stepCount,
      q: this.state.q.slice(),
      v: this.state.v.slice(),
      tau: this.tau.slice(),
      contactMemory: this.contactMemory.slice(),
      controller: this.controller?.save() ?? null,
      events: { ...this.events },
    }
  }

  /**
   * Goes back (or forward) to a checkpoint of this world or of one made with the same options; the steps that follow are
   * bit for bit those that followed the checkpoint. Contacts are empty until the next step. Clears a failure.
   *
   * @throws RangeError if the checkpoint's sizes are those of another robot or contact model
   */
  restore(checkpoint: Checkpoint): void {
    const { state, tau, contactMemory } = this
    setExactly('q', state.q, checkpoint.q)
    setExactly('v', state.v, checkpoint.v)
    setExactly('tau', tau, checkpoint.tau)
    setExactly('contactMemory', contactMemory, checkpoint.contactMemory)
    this.stepCount = checkpoint.stepCount
    state.t[0] = checkpoint.stepCount * this.dt
    Object.assign(this.events, checkpoint.events)
    this.contacts.count = 0
    this.failure = undefined
    this.ticking = false
    this.controller?.restore(checkpoint.controller)
  }
}

function createDetector(
  options: WorldOptions,
  moving: readonly CollisionShape[],
  fixtures: readonly PlacedShape[],
  physical: PhysicalInputs,
): ContactDetector {
  const { robot, selfCollision = 'none', excludedCollisions = [], allowHomeOverlaps = true } = options
  const limits = { materials: options.materials, maxPoints: options.maxPointsPerPair }
  if (selfCollision === 'none') return new ContactDetector(robot.model, moving, fixtures, physical, limits)
  const shapes = [...moving, ...robot.shapes.filter(({ body }) => body === 0)]
  for (const link of excludedCollisions.flat()) {
    if (shapesOf(link, shapes).length > 0) continue
    const known = [...new Set(shapes.map((shape) => shape.link))].join(', ')
    throw new RangeError(`excludedCollisions names "${link}"; the links of ${robot.name} with collision shapes are ${known}`)
  }
  const links = [...robot.disabledCollisions, ...excludedCollisions, ...(allowHomeOverlaps ? robot.overlaps : [])]
  return new ContactDetector(robot.model, shapes, fixtures, physical, {
    ...limits,
    selfCollision,
    excluded: links.flatMap(([a, b]) => shapesOf(a, shapes).flatMap((x) => shapesOf(b, shapes).map((y) => [x, y] as const))),
  })
}

const shapesOf = (link: string, shapes: readonly CollisionShape[]) => shapes.flatMap((s) => (s.link === link ? [s.name] : []))

function createContactModel(options: WorldOptions, context: ContactModelContext): ContactModel {
  const { contactModel: name, contactOptions } = options
  const known = Object.keys(contactModels)
  if (!known.includes(name)) throw new RangeError(`there is no contact model "${name}"; choose one of ${known.join(', ')}`)
  return contactModels[name as keyof typeof contactModels](context, contactOptions)
}

/** What a caller passes on as undefined leaves the default alone. */
function withoutUndefined(physical: Partial<PhysicalInputs> = {}): Partial<PhysicalInputs> {
  return Object.fromEntries(Object.entries(physical).filter(([, value]) => value !== undefined))
}

/** Mass of every body that is not fixed to the world [kg]. */
function movingMass({ nb, parent, jointType, I }: Model): number {
  const moves = new Uint8Array(nb)
  let mass = 0
  for (let i = 1; i < nb; i++) {
    moves[i] = jointType[i] === JointType.fixed ? moves[parent[i]] : 1
    if (moves[i]) mass += I[i][0]
  }
  return mass
}

function setStart(model: Model, name: 'q' | 'v', out: Float64Array, given: ArrayLike<number>): void {
  const sizeName = name === 'q' ? 'nq' : 'nv'
  if (given.length !== out.length)
    throw new RangeError(`start ${name} has ${given.length} entries; ${model.name} has ${sizeName} = ${out.length}`)
  for (let i = 0; i < out.length; i++) {
    if (!Number.isFinite(given[i])) throw new RangeError(`start ${name}[${i}] is ${given[i]}; it must be a finite number`)
    out[i] = given[i]
  }
}

function checkQuaternions(model: Model, q: Float64Array): void {
  const { nb, jointName } = model
  for (let i = 1; i < nb; i++) {
    const k = quaternionStart(model, i)
    if (k < 0) continue
    const norm = Math.hypot(q[k], q[k + 1], q[k + 2], q[k + 3])
    if (!(Math.abs(norm - 1) < 1e-6))
      throw new RangeError(`start q[${k}..${k + 3}], the quaternion of "${jointName[i]}", has norm ${norm}; normalise it to 1`)
  }
}

function setExactly(name: string, out: Float64Array, saved: Float64Array): void {
  if (saved.length !== out.length)
    throw new RangeError(`checkpoint.${name} has ${saved.length} entries, this world has ${out.length}; it is of another world`)
  out.set(saved)
}

/** x - x is 0 for a finite x and NaN for every other, so the sum is 0 if and only if all are finite. */
function isFiniteState({ q, v }: State): boolean {
  let sum = 0
  for (let i = 0; i < q.length; i++) sum += q[i] - q[i]
  for (let i = 0; i < v.length; i++) sum += v[i] - v[i]
  return sum === 0
}
