import type { PlacedShape } from '../contact/geometry/index.ts'
import {
  bodyPairsOf,
  CollisionPairs,
  type ContactDetector,
  type ContactModel,
  type ContactModelContext,
  type ContactSet,
  type ContactStep,
  capsOf,
  type LoopClosure,
  noEvents,
  type PairMaterials,
  type PhysicalInputs,
  type Reading,
  type RunningSurfaces,
  type SolverEvents,
  softnessOf,
  treesOf,
  workOfSurfaces,
} from '../contact/index.ts'
import {
  addGravityCompensation,
  clampCompensation,
  type Data,
  limitWork,
  type Model,
  type State,
  unlimitWork,
  WorkLimitError,
  workOn,
} from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import { type CollisionShape, type Robot, sizeOf } from '../robots/index.ts'
import { Tunnelling } from './ccd/tunnelling.ts'
import { type Checkpoint, type Snapshot, WorldState } from './checkpoint.ts'
import { ControllerTurns } from './controllerTurns.ts'
import { EnergyWatch } from './energy/energyWatch.ts'
import { explainBudget, explainFailure } from './explainFailure.ts'
import { createGround } from './ground.ts'
import { Fnv1a } from './hash.ts'
import type { LastStep } from './lastStep.ts'
import { apply, type WorldAction } from './loads/actions.ts'
import type { Pull } from './loads/pulls.ts'
import type { Pushes } from './loads/pushes.ts'
import type { LoopSwitches } from './loops/loopSwitches.ts'
import type { PrescribedBodies } from './prescribedMotion.ts'
import { SimulationError, type StepBudgetError } from './simulationError.ts'
import { StepLevels } from './stepLevels.ts'
import { WorldDetection } from './worldDetection.ts'
import { defaultStepBudget, type WorldOptions, worldKind } from './worldOptions.ts'
import {
  createContactModel,
  defaultPhysical,
  detectionOf,
  mechanismOf,
  type RobotInWorld,
  refused,
  surfacesOf,
  withoutUndefined,
} from './worldParts.ts'

export type { Checkpoint, Snapshot } from './checkpoint.ts'
export type { RobotInWorld } from './worldParts.ts'

/**
 * Robots and free bodies among fixed surroundings, under one contact model, advanced by `step`.
 *
 * All of them are one mechanism, a forest (`combineRobots`), so that algorithms treat contacts between any of them alike. With several
 * robots, names begin with the robot's and a slash.
 *
 * Between steps, `state` is the present state, at time state.t = stepCount * dt; `contacts` are those detected at the start of the last
 * step, with their impulses over it; `tau` are the efforts over it. `data` belongs to the step: for the present state run `kinematics` with
 * another `Data`.
 */
export class World {
  /** All moving mechanisms combined. */
  readonly robot: Robot
  robots: readonly RobotInWorld[]
  readonly model: Model
  readonly fixtures: readonly PlacedShape[]
  /**
   * The robots' collision shapes, without those fixed to the world. Contact pair `s * fixtures.length + f` is shapes[s] against
   * fixtures[f]; pairs of two robot shapes have greater numbers, see `pairs`.
   */
  readonly shapes: readonly CollisionShape[]
  /** Pairs of `shapes`; then, with self-collision, several robots or a `GeomPair`, of shapes fixed to the world; and `fixtures`. */
  readonly pairs: CollisionPairs
  /** Loops of `WorldOptions.loops`, between bodies. */
  readonly loops: readonly LoopClosure[]
  /** Of loops that are on at times only; undefined if there is none. */
  readonly switches: LoopSwitches | undefined
  readonly physical: PhysicalInputs

  readonly state: State
  /** Kinematics and velocities of the start of the last step. */
  readonly data: Data
  readonly contacts: ContactSet
  /** nv: motor efforts, clamped to the model's effort limits [N m, N]. */
  readonly tau: Float64Array
  /** nv: motor efforts plus gravity compensation and the mean efforts of pushes and pulls over the last step. */
  readonly applied: Float64Array
  events: SolverEvents
  /** Steps completed since the start; a shorter step counts as its fraction, so that t is always stepCount times the whole step. */
  stepCount = 0
  /** The error that ended the run; later steps throw. */
  failure: Error | undefined

  /** 1: work of bodies with prescribed motion on all others, and of surfaces that run, in the last step [J]. */
  readonly given = new Float64Array(1)
  /** 1: multiply-adds. */
  private readonly stepBudget: Float64Array
  private readonly tunnelling: Tunnelling
  private readonly energy: EnergyWatch
  /** Bodies of prescribed motion. */
  private readonly prescribed: PrescribedBodies
  private readonly pushes: Pushes
  private readonly levels: StepLevels
  turns: ControllerTurns
  /** Also exchanges this world for others of the same options (`WorldBatch`). */
  readonly saved: WorldState
  private readonly detection: WorldDetection

  /**
   * @throws WorldError, which is a RangeError, for a step size or budget that is not positive, an unknown contact model or option, an
   * excluded link without collision shapes, a start of the wrong length, no robot, two of one name, and robots for which no step can be
   * computed; LoopError, also a RangeError, for loops that cannot be closed
   * @throws ControllerError if a controller's start fails
   */
  constructor(options: WorldOptions) {
    try {
      is.check(options, worldKind)
      const { dt } = options
      this.stepBudget = Float64Array.of(options.stepBudget ?? defaultStepBudget)
      const mechanism = mechanismOf(options)
      const { members, prescribed, robot, model } = { ...mechanism, model: mechanism.robot.model }
      this.robot = robot
      this.model = model
      this.fixtures = options.fixtures ?? [createGround()]
      this.shapes = robot.shapes.filter(({ body }) => body > 0)
      this.physical = { ...defaultPhysical(members), ...withoutUndefined(options.physical) }
      this.state = mechanism.state
      this.tau = mechanism.tau
      this.robots = mechanism.robots
      this.prescribed = prescribed
      this.loops = mechanism.loops
      this.switches = mechanism.switches
      this.pushes = mechanism.pushes
      this.applied = new Float64Array(model.nv)
      const { shapes, rules: allowed } = detectionOf(options, robot, members, this.shapes, this.loops, prescribed)
      const pairs = new CollisionPairs(model, shapes, this.fixtures, allowed)
      const rules = { ...allowed, ...surfacesOf(pairs, [...shapes, ...this.fixtures], robot) }
      const context: ContactModelContext = {
        model: prescribed.model,
        trees: treesOf(model),
        physical: this.physical,
        integrator: options.integrator ?? 'semi-implicit-euler',
        dt,
        gravity: Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5]),
        pairCount: pairs.count,
        bodyPairs: bodyPairsOf(model, pairs, shapes),
        caps: capsOf(pairs, shapes, this.fixtures),
        softness: softnessOf(pairs, shapes, this.fixtures, robot.joints, model.nv),
        dampsLast: members.some((one) => one.robot.selfCollision !== undefined),
        adhesionRange: rules.adhesion?.range,
        loops: this.loops,
        start: this.state.q.slice(),
      }
      const contactModel = createContactModel(options, context)
      const hasStages = options.integrator === 'rk4' || contactModel.hasStages === true
      const { state, fixtures, physical } = this
      this.detection = new WorldDetection(model, state, shapes, fixtures, physical, rules, contactModel, hasStages)
      this.pairs = this.detection.pairs
      this.data = this.detection.data
      this.contacts = this.detection.contacts
      this.events = noEvents(contactModel.solvers)
      const scene = { model, pairs: this.pairs, shapes, fixtures, treeOf: context.trees.treeOf, loops: this.loops, dt }
      this.tunnelling = new Tunnelling({ ...scene, isGiven: (body) => prescribed.isGiven(body) }, options.ccd ?? false)

      this.energy = new EnergyWatch(this, Math.max(...members.map((one, i) => sizeOf(one.robot, this.robots[i].state.q))))
      const modelAt = (part: number) => createContactModel(options, { ...context, dt: part })
      this.turns = new ControllerTurns(this, this.robots, hasStages, contactModel.takesRates === true)
      this.levels = new StepLevels(contactModel, this.handed(), dt, modelAt)
      this.saved = new WorldState(this, this.detection, this.levels, this.energy.audit, this.pushes)
      this.turns.start(this)
    } catch (error) {
      throw refused(options, error)
    }
  }

  /** The arguments of the contact model at each step. */
  private handed(): ContactStep {
    const { detection } = this
    return {
      model: this.prescribed.model,
      state: this.state,
      data: this.data,
      contacts: this.contacts,
      tau: this.applied,
      servos: this.turns.servos,
      elements: this.pushes.elements,
      // Initialised with null, so that V8 stores dt as an object, which calls pass without boxing.
      dt: null as unknown as number,
      memory: detection.memory.ofModel,
      events: this.events,
      actuate: this.turns.stages?.actuate,
      loopForces: loopForcesOf(this.model, this.loops.length),
      detect: () => {
        detection.updateKinematics()
        detection.detectContacts(this.levels.current.horizon)
      },
      detectStart: () => detection.detectStart(this.levels.current.horizon),
      detectAt: (state, data, contacts) => detection.detectAt(state, data, contacts, this.levels.current.horizon),
      endAt: (data, contacts) => detection.endAt(data, contacts),
    }
  }

  /** Surfaces that run, if any. */
  get surfaces(): RunningSurfaces | undefined {
    return this.detection.surfaces
  }

  /** Per body of a robot: attraction of its contacts by actuators, written by its controller at each step [N]; empty where it has none. */
  attractionOf(index: number): Float64Array {
    is.check(index, is.oneOf(...this.robots.keys()), 'index of a robot')
    const { robot, start } = this.robots[index]
    return this.detection.adhesion?.ofBody.subarray(start.body, start.body + robot.model.nb) ?? new Float64Array(0)
  }

  /** Creates a detector of the same shapes. */
  createDetector(reading: Reading): ContactDetector {
    return this.detection.createDetector(reading)
  }

  /** The contacts' memory from step to step: the contact model's, then the detector's. */
  get memory(): Float64Array {
    return this.detection.memory.all
  }

  /** The controllers' data of the last step. */
  get stepBefore(): LastStep {
    return this.turns.stepBefore
  }

  /** Of the last step, as `ContactStep.loopForces`; undefined without loops and lengths. */
  get loopForces(): Float64Array | undefined {
    return this.levels.current.step.loopForces
  }

  /** The model of the present step. */
  get contactModel(): ContactModel {
    return this.levels.current.contactModel
  }

  /** The present time step: the whole one, or a part set by `subdivide` or `shorten` [s]. */
  get dt(): number {
    return this.levels.current.step.dt
  }

  /** The time step of the options, in which steps are counted [s]. */
  get wholeStep(): number {
    return this.levels.whole
  }

  /**
   * Sets the following steps to 2^-halvings of the whole step. The contact model of that step continues with the present memory. Steps must
   * add up to a whole one before the controllers' next tick.
   */
  subdivide(halvings: number): void {
    is.check(halvings, halvingsKind, 'halvings')
    this.levels.subdivide(halvings)
  }

  /**
   * Sets the next step to this fraction of the whole one, with the whole step's contact model. Fractions must add up to a whole step before
   * the controllers' next tick.
   *
   * @param seesAhead whether contacts are detected before touching; if not, only within `lookAheadSlack`
   */
  shorten(part: number, seesAhead: boolean): void {
    is.check(part, partKind, 'part of a step')
    is.check(seesAhead, is.flag, 'seesAhead')
    this.levels.shorten(part, seesAhead)
  }

  /** Ticks the controllers that are due now; the following step then does not. Throws like `step`. */
  runControllers(): void {
    this.guarded(this.controlOnce)
  }

  /**
   * Advances the world by dt.
   *
   * @throws ControllerError if the controller fails; SimulationError if the step cannot be computed or the state after it is not finite;
   * StepBudgetError, also a SimulationError, if it exceeds its budget of work; EnergyError, likewise, if unaccounted energy is ten times
   * the energy available to the run. Any of them ends the run: `failure` stores the error, the state is kept, and every further call
   * throws.
   */
  step(): void {
    this.guarded(this.advanceOnce)
  }

  /** Audits the energy of the last step at the end of a run; otherwise the next step does. Throws like `step`. */
  auditLastStep(): void {
    this.guarded(this.auditOnce)
  }

  /** All shapes, in the order of `pairs`, and the surfaces of these pairs. */
  get touching(): { readonly placed: readonly PlacedShape[]; readonly materials: PairMaterials } {
    const { placed, detector } = this.detection
    return { placed, materials: detector.materials }
  }

  /** Whether the motion of a body is prescribed. */
  isPrescribed(body: number): boolean {
    return this.prescribed.isGiven(body)
  }

  /** The active pulls, with their forces in the last step. */
  get pulls(): readonly Pull[] {
    return this.pushes.acting.pulls
  }

  /**
   * Acts on the world between two steps. Active pushes and pulls are part of a checkpoint. `LiveRun` records actions.
   *
   * ```ts
   * world.act({ type: 'efforts', efforts: [0.2, -0.2] }) // of a robot without a controller
   * world.step()
   * ```
   *
   * @throws RangeError for an unknown robot, link or joint, and for numbers that are not finite
   */
  act(action: WorldAction): void {
    apply(action, this, this.pushes, this.prescribed)
  }

  // made once, so that a step allocates nothing
  private readonly auditOnce = () => this.energy.auditNow()
  private readonly advanceOnce = () => this.advance()
  private readonly controlOnce = () => this.turns.run(this.stepCount)

  private guarded(action: () => void): void {
    if (this.failure !== undefined) throw this.isOver(this.failure)
    try {
      action()
    } catch (error) {
      if (error instanceof WorkLimitError) this.failure = this.budgetSpent(error)
      else
        this.failure = this.turns.isRunning || error instanceof SimulationError ? (error as Error) : explainFailure(this, error)
      throw this.failure
    } finally {
      unlimitWork()
    }
  }

  private isOver(failure: Error): SimulationError {
    const joint = failure instanceof SimulationError ? failure.joint : ''
    const message = `this run ended at step ${this.stepCount}: ${failure.message}`
    return new SimulationError(message, this.stepCount, this.state.t[0], joint, failure)
  }

  private advance(): void {
    // efforts of this step, constant between the controllers' ticks
    this.turns.run(this.stepCount)

    limitWork(this.stepBudget)

    const { state, detection, energy } = this
    const { adhesion } = detection
    const { contactModel, part } = this.levels.current
    const step = this.beginStep(true)
    // the contact model advances q and v to the end of the step
    contactModel.advance(step)
    if (step.loopForces !== undefined) this.switches?.end(step.loopForces, state, this.events)
    this.turns.readServos(this)

    if (!isFiniteState(state)) throw explainFailure(this)
    if (this.prescribed.any) this.prescribed.end(this.applied)

    // counts tunnelling, or ends the motion at the contact
    workOn('tunnelling', 0, 0)
    this.tunnelling.end(state, detection.hasStages ? undefined : this.data, this.contacts, this.events)
    this.given[0] = 0
    if (this.prescribed.any) this.prescribed.writeWork(this.contacts, this.given)
    if (this.contacts.runs) workOfSurfaces(this.contacts, this.given)
    if (adhesion) detection.attraction?.end(this.turns.stepBefore.velocity, state.v, adhesion.dt, this.applied, this.given)
    energy.audit.post(state, this.contacts, this.turns.stepBefore.velocity, this.applied, this.given, this.dt)
    this.turns.read(step, this.pushes.forces)

    // a product, not a sum: the time of step 10,000 has one rounding error, not 10,000
    this.stepCount += part
    state.t[0] = this.stepCount * this.wholeStep
  }

  /**
   * Sets kinematics, contacts and forces of the present state, as a step does before its contact model advances it. `StepGradient` calls it
   * alone, and audits no energy.
   */
  beginStep(audits = false): ContactStep {
    // kinematics and contacts at the start of the step
    const { state, detection, energy } = this
    detection.begin()
    const { adhesion, surfaces } = detection
    if (adhesion) adhesion.dt[0] = this.dt
    if (surfaces) {
      surfaces.time[0] = (this.stepCount + this.levels.current.part) * this.wholeStep
      surfaces.update()
    }
    detection.updateKinematics()
    if (audits) energy.auditStep(this.data)
    if (this.switches?.begin(state, this.data, this.stepCount)) energy.audit.forget()
    detection.detectContacts(this.levels.current.horizon)

    this.tunnelling.begin(state.q)
    this.turns.stepBefore.velocity.set(state.v)
    this.turns.stepBefore.configuration.set(state.q)
    if (this.prescribed.any) {
      this.prescribed.time[0] = (this.stepCount + this.levels.current.part) * this.wholeStep
      this.prescribed.time[1] = this.dt
      this.prescribed.begin()
    }
    this.push()
    if (adhesion) detection.attraction?.add(this.data, this.contacts, adhesion.dt, this.applied)
    const { step } = this.levels.current
    step.loopForces?.fill(0)
    return step
  }

  /** Sets the forces of the step besides contacts: the motors' efforts, pushes and pulls. */
  private push(): void {
    const { applied } = this
    const { span } = this.pushes
    span[0] = this.stepCount * this.wholeStep
    span[1] = this.dt
    applied.set(this.tau)
    this.turns.servos?.effort.set(this.tau)
    addGravityCompensation(this.model, this.data, applied, 1)
    clampCompensation(this.model, applied)
    this.turns.stages?.begin(applied)
    this.pushes.elements?.begin(this.state, this.data, this.stepCount === 0, applied)
    this.pushes.add(span, this.data, applied)
  }

  /** Counts an exceeded budget as a failure of the running solver. */
  private budgetSpent(error: WorkLimitError): StepBudgetError {
    const { events } = this
    const failure = explainBudget(this, error)
    const solver = events.solvers.find(({ solver }) => solver === error.place)
    if (solver !== undefined) solver.failed++
    events.failures++
    if (events.firstFailure === '') events.firstFailure = failure.message
    return failure
  }

  /**
   * 64-bit hash of q, v, the step count and the contacts' memory, as 16 hexadecimal digits. Equal runs have equal
   * hashes on every machine and engine.
   */
  hash(): string {
    const hash = new Fnv1a()
    hash.doubles(this.state.q)
    hash.doubles(this.state.v)
    hash.doubles([this.stepCount])
    hash.doubles(this.detection.memory.all)
    if (this.switches !== undefined) hash.doubles(this.switches.numbers)
    if (this.pushes.elements !== undefined) hash.doubles(this.pushes.elements.set)
    return hash.digest()
  }

  /** A copy of the complete input of the next step. @throws RangeError within a divided whole step */
  checkpoint(): Checkpoint {
    if (!Number.isInteger(this.stepCount))
      throw new RangeError(`a checkpoint is of the end of a whole step; the world is at ${this.stepCount} of them`)
    this.energy.auditBeforeSave()
    return this.saved.save()
  }

  /**
   * Restores a checkpoint of this world or of one made with the same options; the following steps are bit for bit those that followed the
   * checkpoint. Contacts are empty until the next step. Clears a failure.
   *
   * @throws RangeError if the checkpoint is of another contact model or step size (see `adopt`), or of other robots, or has invalid values;
   * ControllerError for data that a controller did not save. The world is then unchanged, except for controllers
   */
  restore(checkpoint: Checkpoint): void {
    is.check(checkpoint, checkpointKind, 'checkpoint')
    const { contactModel, dt } = checkpoint
    if (contactModel !== this.contactModel.name || dt !== this.wholeStep) {
      throw new RangeError(
        `the checkpoint is of ${contactModel} at dt = ${dt} s, this world of ${this.contactModel.name} at dt = ${this.wholeStep} s; ` +
          'adopt goes on from it under another contact model or step',
      )
    }
    this.saved.check(checkpoint, true)
    this.resume(checkpoint, checkpoint.stepCount, true)
  }

  /**
   * Continues from a checkpoint of a world with the same robots but another contact model, step size or surroundings: state, efforts and
   * controllers are restored; the contact model starts with empty memory and counts.
   *
   * @throws as `restore`; RangeError if its time is not a multiple of this world's step
   */
  adopt(checkpoint: Checkpoint): void {
    is.check(checkpoint, checkpointKind, 'checkpoint')
    this.saved.check(checkpoint, false)
    const t = checkpoint.stepCount * checkpoint.dt
    const { wholeStep: dt } = this
    const stepCount = Math.round(t / dt)
    if (!(Math.abs(stepCount * dt - t) <= 1e-9 * Math.max(dt, t))) {
      throw new RangeError(
        `the checkpoint is of t = ${Number(t.toPrecision(9))} s, which is no whole number of steps of dt = ${dt} s`,
      )
    }
    this.resume(checkpoint, stepCount, false)
  }

  private resume(checkpoint: Checkpoint, stepCount: number, isSame: boolean): void {
    this.resumeAt(stepCount)
    this.saved.restore(checkpoint, isSame, noEvents(this.contactModel.solvers))
  }

  /** Sets the step count, at the end of a step whose contacts are not known. */
  resumeAt(stepCount: number): void {
    this.stepCount = stepCount
    this.state.t[0] = stepCount * this.wholeStep
    this.contacts.count = 0
    this.detection.forget()
    this.failure = undefined
  }

  /** Room for `save`. */
  createSnapshot(): Snapshot {
    return this.saved.createSnapshot()
  }

  /** Stores, without allocation, the variables that change in steps between two controller ticks. */
  save(snapshot: Snapshot): void {
    this.energy.auditBeforeSave()
    this.saved.saveTo(snapshot)
  }

  /** Restores a snapshot saved since the controllers' last tick. Contacts are empty until the next step. Clears a failure. */
  rewind(snapshot: Snapshot): void {
    this.resumeAt(snapshot.stepCount)
    this.saved.rewind(snapshot)
  }
}

const [halvingsKind, partKind] = [is.whole(0), is.number(Number.MIN_VALUE, '', 1)]
const checkpointKind = is.made('what World.checkpoint gives', 'robots', 'contactModel', 'q', 'v', 'controllers')

/** x - x is 0 for a finite x and NaN for every other, so the sum is 0 if and only if all are finite. */
function isFiniteState({ q, v }: State): boolean {
  let sum = 0
  for (let i = 0; i < q.length; i++) sum += q[i] - q[i]
  for (let i = 0; i < v.length; i++) sum += v[i] - v[i]
  return sum === 0
}

/** Room for `ContactStep.loopForces`. */
function loopForcesOf({ nb, lengths = [] }: Model, loops: number): Float64Array | undefined {
  return loops + lengths.length > 0 ? new Float64Array(6 * (nb + loops) + lengths.length) : undefined
}
