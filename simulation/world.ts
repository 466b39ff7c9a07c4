import type { PlacedShape } from '../contact/geometry/index.ts'
import {
  bodyPairsOf,
  CollisionPairs,
  ContactDetector,
  type ContactModel,
  type ContactModelContext,
  type ContactSet,
  type ContactStep,
  capsOf,
  combinations,
  contactModelNamed,
  contactModels,
  type DetectorOptions,
  defaultPhysicalInputs,
  type Integrator,
  type LoopClosure,
  noEvents,
  type PhysicalInputs,
  type Reading,
  rigidGroups,
  type SelfCollision,
  type SolverEvents,
  treesOf,
} from '../contact/index.ts'
import {
  clampEfforts,
  createData,
  createState,
  type Data,
  kinematics,
  limitWork,
  type Model,
  quaternionStart,
  type State,
  unlimitWork,
  velocities,
  WorkLimitError,
  workOn,
} from '../dynamics/index.ts'
import {
  type CollisionShape,
  combineRobots,
  type PartStarts,
  type Robot,
  type RobotPart,
  sizeOf,
  startsOf,
} from '../robots/index.ts'
import { Tunnelling } from './ccd/tunnelling.ts'
import type { EffortSource } from './effortSource.ts'
import { EnergyAudit } from './energy/energyAudit.ts'
import { explainBudget, explainEnergy, explainFailure, gained } from './explainFailure.ts'
import { createGround } from './ground.ts'
import { Fnv1a } from './hash.ts'
import { LastStep, type SavedLastStep } from './lastStep.ts'
import type { WorldAction } from './loads/actions.ts'
import type { Pull } from './loads/pulls.ts'
import { type LiveForces, Pushes } from './loads/pushes.ts'
import { closeLoops } from './loops.ts'
import { PrescribedBodies } from './prescribedMotion.ts'
import { EnergyError, SimulationError, type StepBudgetError, WorldError } from './simulationError.ts'
import { defaultStepBudget, type WorldOptions, type WorldRobot } from './worldOptions.ts'

/** Everything that the next step depends on, as plain data that structuredClone copies. */
export interface Checkpoint {
  /** Names of the robots, in their order. */
  readonly robots: readonly string[]
  /** The contact model whose memory this holds. */
  readonly contactModel: string
  /** Time step [s]; the time of the checkpoint is stepCount dt. */
  readonly dt: number
  readonly stepCount: number
  readonly q: Float64Array
  readonly v: Float64Array
  /** nv: the efforts held until the next controller tick [N m, N]. */
  readonly tau: Float64Array
  /** The contact model's memory, and behind it what detection remembers of pairs. */
  readonly contactMemory: Float64Array
  /** What the effort source of each robot saved; null for those without one. */
  readonly controllers: readonly unknown[]
  readonly events: SolverEvents
  /** The books of the energy audit; without them it begins anew. */
  readonly energy?: Float64Array
  /** 6 a body: the contact forces that the controllers' next turn sees; without them zero. */
  readonly contactForces?: Float64Array
  /** What else they see of the step before. */
  readonly lastStep?: SavedLastStep
  /** Pushes and pulls that came during the run. */
  readonly live?: LiveForces
}

/** A horizon that margins are no wider for, but that are there [s]. */
const NO_TIME = 1e-12

/** What `keep` writes down; see there. */
export interface Moment {
  readonly q: Float64Array
  readonly v: Float64Array
  readonly memory: Float64Array
  readonly events: SolverEvents
  readonly energy: Float64Array
  stepCount: number
}

/** A contact model made for one step size, and what it is handed. */
interface Rung {
  readonly contactModel: ContactModel
  readonly step: ContactStep
  /** 1: how far ahead of touching contacts are wanted [s]. */
  readonly horizon: Float64Array
  /** Of the whole step. */
  readonly part: number
}

/** One of the robots of a world, and its part of the whole. */
export interface RobotInWorld {
  /** Unique in the world. */
  readonly name: string
  readonly robot: Robot
  readonly controller: EffortSource | undefined
  /** Views: its entries of the world's state and efforts. */
  readonly state: State
  readonly tau: Float64Array
  /** Where its bodies (but the world), coordinates, velocities and `Robot.shapes` begin among those of the whole. */
  readonly start: PartStarts
}

/**
 * Robots and free bodies among fixed surroundings, under one contact model, advanced by `step`.
 *
 * All of them are one mechanism, a forest (`combineRobots`), so that what touches what makes no difference to the algorithms.
 * A world of one robot is that robot; of several, names begin with the robot's and a slash.
 *
 * What a caller reads between steps: `state` is the state now, at time state.t = stepCount * dt. `contacts` are those
 * detected at the start of the step that has just ended, with the impulses that acted over it; `tau` the efforts that
 * acted over it. `data` belongs to the step: run `kinematics` on a `Data` of your own for the present state.
 */
export class World {
  /** All that moves, as one. */
  readonly robot: Robot
  readonly robots: readonly RobotInWorld[]
  readonly model: Model
  readonly fixtures: readonly PlacedShape[]
  /**
   * The robots' collision shapes but those that are welded to the world. Contact pair `s * fixtures.length + f` is
   * shapes[s] against fixtures[f]; those of two shapes of robots have greater numbers, see `pairs`.
   */
  readonly shapes: readonly CollisionShape[]
  /**
   * Of `shapes`; behind them, with self-collision or several robots, the shapes welded to the world; and `fixtures`.
   */
  readonly pairs: CollisionPairs
  /** What `WorldOptions.loops` became. */
  readonly loops: readonly LoopClosure[]
  readonly physical: PhysicalInputs

  readonly state: State
  readonly data: Data
  readonly contacts: ContactSet
  /** nv: motor efforts, clamped into the model's effort limits [N m, N]. */
  readonly tau: Float64Array
  /** nv: those, and what pushes and pulls gave over the last step on average. */
  readonly applied: Float64Array
  readonly events: SolverEvents
  /** Steps completed since the start; those that `divide` made smaller count for their part, so that t is always stepCount times the whole step. */
  stepCount = 0
  /** What ended the run; no step is taken after it. */
  failure: Error | undefined

  /** Whether what is thrown now is the controller's. */
  private ticking = false
  /** 1: work of bodies whose motion is given, in the last step, on what moves by itself [J]. */
  readonly given = new Float64Array(1)
  /** 1: multiply-adds. */
  private readonly stepBudget: Float64Array
  private readonly detector: ContactDetector
  private readonly tunnelling: Tunnelling
  private readonly audit: EnergyAudit
  /** The bodies whose motion is given. */
  private readonly prescribed: PrescribedBodies
  private readonly pushes: Pushes
  /** 2: start and length of the step that is taken [s]. */
  private readonly span = new Float64Array(2)
  /** Kinematics of the end of a step that is looked at before the next one begins. */
  private readonly endData: Data
  /** The whole step and its divisions, by how often it is halved; those that were asked for. */
  private readonly rungs: Rung[] = []
  private rung: Rung
  private readonly makeRung: (halvings: number) => Rung
  /** The whole step's model at a part of the step. */
  private readonly makeCut: (part: number, ahead: number) => Rung
  /** A detector of the same shapes. */
  readonly createDetector: (reading: Reading) => ContactDetector
  /** The step count at which controllers have had their turn. */
  private tickedAt = Number.NaN
  /** 6 a body: mean forces of contacts over the last step, for controllers; and views, of each robot's bodies. */
  private readonly contactForces: Float64Array
  private readonly ownContactForces: readonly Float64Array[]
  /** What controllers perceive of the last step. */
  readonly stepBefore: LastStep
  /** Whether there is a controller to see it. */
  private readonly isDriven: boolean
  /** Controllers get kinematics of their own, so that nothing they compute reaches the step. */
  private readonly controllerData: readonly Data[]
  /** What a checkpoint saves of contacts; and views of it: the contact model's (`contactStep.memory`) and detection's part. */
  private readonly contactMemory: Float64Array
  private readonly detectionMemory: Float64Array
  /** What detection remembered before the step, kept for an integrator with stages; empty for others. */
  private readonly memoryBefore: Float64Array
  /** What detection remembers of configurations that are only looked at. */
  private readonly memoryElsewhere: Float64Array

  /**
   * @throws WorldError, which is a RangeError, for a step size or budget that is not positive, an unknown contact model or option, an excluded
   *   link that collides with nothing, a start of the wrong length, no robot, two of one name, and robots that no step can be computed for;
   *   LoopError, which is one too, for loops that cannot be closed
   * @throws ControllerError if a controller's start fails
   */
  constructor(options: WorldOptions) {
    try {
      const { dt } = options
      if (!(typeof dt === 'number' && dt > 0 && dt < Infinity))
        throw new RangeError(`dt is ${dt}; a time step is a positive number of seconds, such as 1e-3`)
      const { stepBudget = defaultStepBudget } = options
      if (!(stepBudget > 0))
        throw new RangeError(`stepBudget is ${stepBudget}; expected a positive number of multiply-adds, such as 1e10`)
      this.stepBudget = Float64Array.of(stepBudget)
      checkChoices(options)
      const members = namedRobots(options)
      const names = members.map(({ name }) => name)
      const robot = combineRobots(names.join(' and '), members)
      const { model } = robot
      this.robot = robot
      this.model = model
      this.fixtures = options.fixtures ?? [createGround()]
      this.shapes = robot.shapes.filter(({ body }) => body > 0)
      this.physical = { ...defaultPhysicalInputs, ...withoutUndefined(options.physical) }

      this.state = createState(model)
      this.tau = new Float64Array(model.nv)
      this.robots = members.map((member, i) => robotInWorld(member, startsOf(members, i), this.state, this.tau))
      members.forEach((member, i) => {
        setStart(this.robots[i], member)
      })
      this.prescribed = new PrescribedBodies(model, this.robots, members)
      this.prescribed.start(dt)
      this.loops = closeLoops(robot, names, options.loops ?? [], this.state)
      this.pushes = new Pushes(robot, names, options.pushes ?? [])
      for (const { name, bodyA, bodyB } of this.loops)
        for (const body of [bodyA, bodyB]) this.prescribed.checkFree(body, `loop "${name}"`)
      for (const { name, body } of this.pushes.list) this.prescribed.checkFree(body, `push "${name}"`)
      this.applied = new Float64Array(model.nv)

      const { shapes, rules } = detectionOf(options, robot, members, this.shapes, this.loops, this.prescribed)
      const pairs = new CollisionPairs(model, shapes, this.fixtures, rules)
      const context: ContactModelContext = {
        model: this.prescribed.model,
        trees: treesOf(model),
        physical: this.physical,
        integrator: options.integrator ?? 'semi-implicit-euler',
        dt,
        gravity: Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5]),
        pairCount: pairs.count,
        bodyPairs: bodyPairsOf(model, pairs, shapes),
        caps: capsOf(pairs, shapes, this.fixtures),
        loops: this.loops,
        start: this.state.q.slice(),
      }
      const contactModel = createContactModel(options, context)
      const { reading, features, range, memorySize } = contactModel
      this.detector = new ContactDetector(model, shapes, this.fixtures, this.physical, { ...rules, reading, features, range })
      this.pairs = this.detector.pairs
      const scene = {
        model,
        pairs: this.pairs,
        shapes,
        fixtures: this.fixtures,
        treeOf: treesOf(model).treeOf,
        loops: this.loops,
        dt,
      }
      this.tunnelling = new Tunnelling(scene, options.ccd ?? false)

      this.audit = new EnergyAudit(model, Math.max(...members.map((one, i) => sizeOf(one.robot, this.robots[i].state.q))))
      this.data = createData(model)
      this.endData = createData(model)
      this.contacts = this.detector.createContacts()
      this.events = noEvents(contactModel.solvers)

      this.contactMemory = new Float64Array(memorySize + this.detector.memorySize)
      this.detectionMemory = this.contactMemory.subarray(memorySize)
      this.memoryBefore = new Float64Array(options.integrator === 'rk4' ? this.detector.memorySize : 0)
      this.memoryElsewhere = new Float64Array(this.detector.memorySize)
      const contactStep = {
        model: this.prescribed.model,
        state: this.state,
        data: this.data,
        contacts: this.contacts,
        tau: this.applied,
        // Made as null, so that V8 keeps dt as an object: handing it from function to function then boxes nothing.
        dt: null as unknown as number,
        memory: this.contactMemory.subarray(0, memorySize),
        events: this.events,
        detect: () => this.detect(),
        detectStart: () => {
          this.detectionMemory.set(this.memoryBefore)
          this.detect()
        },
        detectAt: (state: State, data: Data, contacts: ContactSet) => {
          this.memoryElsewhere.set(this.detectionMemory)
          workOn('detection', 0, 0)
          kinematics(model, state, data)
          velocities(model, state, data)
          this.detector.detect(data, this.rung.horizon, contacts, this.memoryElsewhere)
        },
      }
      const rungOf = (model: ContactModel, part: number, ahead = part * dt): Rung => {
        const step = { ...contactStep }
        step.dt = part * dt
        return { contactModel: model, step, horizon: Float64Array.of(model.lookAhead * ahead), part }
      }
      this.makeCut = (part, ahead) => rungOf(contactModel, part, ahead)
      this.createDetector = (reading) => new ContactDetector(model, shapes, this.fixtures, this.physical, { ...rules, reading })
      this.makeRung = (halvings) => {
        const part = 0.5 ** halvings
        return rungOf(createContactModel(options, { ...context, dt: part * dt }), part)
      }
      this.rung = rungOf(contactModel, 1)
      this.rungs.push(this.rung)
      this.isDriven = this.robots.some(({ controller }) => controller !== undefined)
      this.contactForces = new Float64Array(6 * model.nb)
      this.stepBefore = new LastStep(model.nv)
      // a robot's body 0, the world, is where the last body of the one before it is
      this.ownContactForces = this.robots.map(({ robot: { model: own }, start: { body } }) =>
        this.contactForces.subarray(6 * body, 6 * (body + own.nb)),
      )
      this.controllerData = this.robots.map((member) => createData(member.robot.model))
      this.robots.forEach(({ controller, robot: own }, index) => {
        controller?.start(own.model, dt, { world: this, index })
      })
    } catch (error) {
      throw refused(options, error)
    }
  }

  /** What takes the present step. */
  get contactModel(): ContactModel {
    return this.rung.contactModel
  }

  /** The present time step: the whole one, or what `divide` made of it [s]. */
  get dt(): number {
    return this.rung.step.dt
  }

  /** The step that the world was made with, in which its time is counted [s]. */
  get wholeStep(): number {
    return this.rungs[0].step.dt
  }

  /**
   * Makes the steps that follow 2^-halvings of the whole step. The contact model at that step goes on with the memory of the one before.
   * Steps have to fill a whole one together before controllers have their next turn.
   */
  divide(halvings: number): void {
    this.rungs[halvings] ??= this.makeRung(halvings)
    this.rung = this.rungs[halvings]
  }

  /**
   * Makes the next step this part of the whole one, under the model of the whole step. Parts have to fill a whole step together before
   * controllers have their next turn.
   *
   * @param seesAhead whether contacts are detected ahead of touching; else no farther apart than `lookAheadSlack`
   */
  cut(part: number, seesAhead: boolean): void {
    if (part === 1 && seesAhead) this.divide(0)
    else this.rung = this.makeCut(part, seesAhead ? part * this.wholeStep : NO_TIME)
  }

  /** Gives the controllers that are due now their turn, once; the step that follows then does not. Throws as `step` does. */
  tick(): void {
    this.guarded(this.controlOnce)
  }

  /**
   * Advances the world by dt.
   *
   * @throws ControllerError if the controller fails; SimulationError if the step cannot be computed or the state
   *   after it is not finite; StepBudgetError, which is one too, if it takes more work than its budget; EnergyError, another, if the run has
   *   invented ten times the energy that it had to spend. Any of them ends the run: `failure` keeps the error, the state stays as it was found, and every
   *   further call throws.
   */
  step(): void {
    this.guarded(this.advanceOnce)
  }

  /**
   * Looks at the energy of the last step, which is otherwise looked at when the next one begins: call it at the end of a run.
   * Throws as `step` does.
   */
  finish(): void {
    this.guarded(this.strikeOnce)
  }

  /** The pulls that act; their forces are those of the last step. */
  get pulls(): readonly Pull[] {
    return this.pushes.pulls
  }

  /**
   * Does something to the world between two steps; the next step is the first that has it. What acts is part of a checkpoint. `LiveRun`
   * keeps a record of it.
   *
   * ```ts
   * world.act({ type: 'efforts', efforts: [0.2, -0.2] }) // of a robot without a controller
   * world.step()
   * ```
   *
   * @throws RangeError for a robot, a link or a joint that is not there, and for what is not finite
   */
  act(action: WorldAction): void {
    const { pushes, wholeStep } = this
    switch (action.type) {
      case 'push':
        pushes.push({ ...action, at: this.stepCount * wholeStep }, wholeStep)
        for (const { name, body } of pushes.list) this.prescribed.checkFree(body, `push "${name}"`)
        break
      case 'pull':
        pushes.pull(action, wholeStep)
        for (const { name, body } of pushes.pulls) this.prescribed.checkFree(body, `pull "${name}"`)
        break
      case 'release':
        pushes.release(action.name, wholeStep)
        break
      case 'efforts':
        this.setEfforts(this.robotNamed(action.robot), action.efforts)
        break
      case 'command': {
        const { name, controller } = this.robotNamed(action.robot)
        if (controller?.command === undefined) throw new RangeError(`the controller of "${name}" takes no command`)
        checkEntries(`command of "${name}"`, action.command, controller.command.length, true)
        controller.command.set(action.command)
      }
    }
  }

  private robotNamed(name = this.robots[0].name): RobotInWorld {
    const found = this.robots.find((robot) => robot.name === name)
    if (found) return found
    throw new RangeError(`there is no robot "${name}" in this world; there are ${this.robots.map((one) => one.name).join(', ')}`)
  }

  private setEfforts({ name, robot, controller, tau }: RobotInWorld, efforts: ArrayLike<number>): void {
    if (controller !== undefined) throw new RangeError(`"${name}" has a controller, which gives its efforts; make it without one`)
    checkEntries(`efforts of "${name}"`, efforts, robot.joints.length, false)
    tau.fill(0)
    robot.joints.forEach(({ vIndex }, j) => {
      tau[vIndex] = efforts[j]
    })
    clampEfforts(robot.model, tau)
  }

  // made once, so that a step allocates nothing
  private readonly strikeOnce = () => this.strikeNow()
  private readonly advanceOnce = () => this.advance()
  private readonly controlOnce = () => this.control()

  private guarded(action: () => void): void {
    if (this.failure !== undefined) throw this.isOver(this.failure)
    try {
      action()
    } catch (error) {
      if (error instanceof WorkLimitError) this.failure = this.budgetSpent(error)
      else this.failure = this.ticking || error instanceof SimulationError ? (error as Error) : explainFailure(this, error)
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
    // efforts of this step, held between the controllers' ticks
    this.control()

    limitWork(this.stepBudget)

    // where everything is, and what touches or is about to
    if (this.memoryBefore.length > 0) this.memoryBefore.set(this.detectionMemory)
    const { state } = this
    this.look()
    this.strike(this.data)
    this.find()

    // the contact model takes q and v to the end of the step
    this.tunnelling.begin(state.q)
    this.audit.begin(state.v)
    this.stepBefore.velocity.set(state.v)
    if (this.prescribed.any) {
      this.prescribed.time[0] = (this.stepCount + this.rung.part) * this.wholeStep
      this.prescribed.time[1] = this.dt
      this.prescribed.begin()
    }
    this.push()
    this.rung.contactModel.advance(this.rung.step)

    if (!isFiniteState(state)) throw explainFailure(this)
    if (this.prescribed.any) this.prescribed.end(this.applied)

    // motion too fast for it is counted, or ends where shapes meet
    workOn('tunnelling', 0, 0)
    this.tunnelling.end(state, this.contacts, this.events)
    if (this.prescribed.any) this.prescribed.writeWork(this.contacts, this.given)
    this.audit.post(state, this.applied, this.given, this.dt)
    if (this.isDriven) {
      this.contacts.writeBodyForces(this.dt, this.contactForces)
      this.stepBefore.readContacts(this.contacts, this.dt)
    }

    // a product, not a sum: the time of step 10,000 carries one rounding error and not 10,000
    this.stepCount += this.rung.part
    state.t[0] = this.stepCount * this.wholeStep
  }

  /** What acts over the step beside contacts: the motors' efforts, pushes and pulls. */
  private push(): void {
    const { applied, span } = this
    span[0] = this.stepCount * this.wholeStep
    span[1] = this.dt
    applied.set(this.tau)
    this.pushes.add(span, this.data, applied)
  }

  /** Looks at what became of energy in the last step. @param data kinematics and velocities of the present state. @throws EnergyError */
  private strike(data: Data): void {
    const { audit, events } = this
    const isFatal = audit.close(this.state, data, this.contacts, events)
    if (events.energyGains > 0 && events.firstEnergyGain === '') {
      const when = `by the end of step ${this.lastStep} (t = ${Number(this.state.t[0].toPrecision(9))} s)`
      events.firstEnergyGain = `${gained(audit.invented, audit.scale)} ${when}`
    }
    if (isFatal) throw explainEnergy(this, this.lastStep, audit.invented, audit.scale)
  }

  /** The same now, and not when the next step begins. */
  private strikeNow(): void {
    const { model, state, audit, endData } = this
    if (audit.isOwed) {
      kinematics(model, state, endData)
      velocities(model, state, endData)
      this.strike(endData)
    } else if (audit.isFatal) throw explainEnergy(this, this.lastStep, audit.invented, audit.scale)
  }

  private get lastStep(): number {
    return Math.ceil(this.stepCount) - 1
  }

  /** Closes the energy balance before the state is saved; a fatal error is left for the next step to throw. */
  private closeBooks(): void {
    try {
      this.strikeNow()
    } catch (error) {
      if (!(error instanceof EnergyError)) throw error
    }
  }

  /** Counted as a failure of the solver that was at work. */
  private budgetSpent(error: WorkLimitError): StepBudgetError {
    const { events } = this
    const failure = explainBudget(this, error)
    const solver = events.solvers.find(({ solver }) => solver === error.place)
    if (solver !== undefined) solver.failed++
    events.failures++
    if (events.firstFailure === '') events.firstFailure = failure.message
    return failure
  }

  private control(): void {
    if (this.stepCount === this.tickedAt || !Number.isInteger(this.stepCount)) return
    for (let i = 0; i < this.robots.length; i++) {
      this.controlOne(this.robots[i], this.controllerData[i], this.ownContactForces[i])
    }
    this.tickedAt = this.stepCount
  }

  private controlOne({ robot, controller, state, tau }: RobotInWorld, data: Data, contactForces: Float64Array): void {
    if (controller === undefined || this.stepCount % controller.everySteps !== 0) return
    this.ticking = true
    kinematics(robot.model, state, data)
    velocities(robot.model, state, data)
    controller.tick(state, data, tau, contactForces)
    clampEfforts(robot.model, tau)
    this.ticking = false
  }

  private detect(): void {
    this.look()
    this.find()
  }

  /** Kinematics and velocities of the present state. */
  private look(): void {
    const { model, state, data } = this
    workOn('detection', 0, 0)
    kinematics(model, state, data)
    velocities(model, state, data)
  }

  /** Contacts of the state that was looked at. */
  private find(): void {
    this.detector.detect(this.data, this.rung.horizon, this.contacts, this.detectionMemory)
  }

  /**
   * 64-bit hash of q, v, the step count and what is remembered of contacts, as 16 hexadecimal digits. Equal runs have equal
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

  /** A copy of everything that the next step depends on. @throws RangeError within a whole step that `divide` has divided */
  checkpoint(): Checkpoint {
    if (!Number.isInteger(this.stepCount))
      throw new RangeError(`a checkpoint is of the end of a whole step; the world is at ${this.stepCount} of them`)
    this.closeBooks()
    return {
      robots: this.robots.map(({ name }) => name),
      contactModel: this.contactModel.name,
      dt: this.wholeStep,
      stepCount: this.stepCount,
      q: this.state.q.slice(),
      v: this.state.v.slice(),
      tau: this.tau.slice(),
      contactMemory: this.contactMemory.slice(),
      controllers: this.robots.map(({ controller }) => controller?.save() ?? null),
      events: structuredClone(this.events),
      energy: this.audit.numbers.slice(),
      contactForces: this.contactForces.slice(),
      lastStep: this.stepBefore.save(),
      live: this.pushes.save(),
    }
  }

  /**
   * Goes back (or forward) to a checkpoint of this world or of one made with the same options; the steps that follow are
   * bit for bit those that followed the checkpoint. Contacts are empty until the next step. Clears a failure.
   *
   * @throws RangeError if the checkpoint is of another contact model or step size (`adopt` takes such a one), or of other robots, or
   *   holds what no step leaves behind; ControllerError for what a controller did not save. The world is then as it was, but for controllers
   */
  restore(checkpoint: Checkpoint): void {
    const { contactModel, dt } = checkpoint
    if (contactModel !== this.contactModel.name || dt !== this.wholeStep) {
      throw new RangeError(
        `the checkpoint is of ${contactModel} at dt = ${dt} s, this world of ${this.contactModel.name} at dt = ${this.wholeStep} s; ` +
          'adopt goes on from it under another contact model or step',
      )
    }
    this.checkState(checkpoint)
    checkLength('contactMemory', this.contactMemory, checkpoint.contactMemory)
    if (checkpoint.energy !== undefined) checkLength('energy', this.audit.numbers, checkpoint.energy)
    this.resume(checkpoint, checkpoint.stepCount)
    this.contactMemory.set(checkpoint.contactMemory)
    setEvents(this.events, checkpoint.events)
    const { energy } = checkpoint
    if (energy !== undefined) this.audit.goOn(energy, this.state)
  }

  /**
   * Goes on from a checkpoint of a world with the same robots under another contact model, step size or other surroundings: state,
   * efforts and controllers are taken over; the contact model begins with an empty memory and counts of its own.
   *
   * @throws as `restore`; RangeError if its time is no whole number of this world's steps
   */
  adopt(checkpoint: Checkpoint): void {
    this.checkState(checkpoint)
    const t = checkpoint.stepCount * checkpoint.dt
    const { wholeStep: dt } = this
    const stepCount = Math.round(t / dt)
    if (!(Math.abs(stepCount * dt - t) <= 1e-9 * Math.max(dt, t))) {
      throw new RangeError(`the checkpoint is of t = ${t} s, which is no whole number of steps of dt = ${dt} s`)
    }
    this.resume(checkpoint, stepCount)
    this.contactMemory.fill(0)
    setEvents(this.events, noEvents(this.contactModel.solvers))
  }

  /** Room for `keep`. */
  createMoment(): Moment {
    const { state, contactMemory, events } = this
    return {
      q: state.q.slice(),
      v: state.v.slice(),
      memory: contactMemory.slice(),
      events: structuredClone(events),
      energy: this.audit.numbers.slice(),
      stepCount: 0,
    }
  }

  /** Writes down, without allocating, what steps between two turns of the controllers change. */
  keep(moment: Moment): void {
    moment.q.set(this.state.q)
    moment.v.set(this.state.v)
    this.closeBooks()
    moment.energy.set(this.audit.numbers)
    moment.memory.set(this.contactMemory)
    setEvents(moment.events, this.events)
    moment.stepCount = this.stepCount
  }

  /** Goes back to what `keep` wrote since the controllers' last turn. Contacts are empty until the next step. Clears a failure. */
  goBack(moment: Moment): void {
    const { state } = this
    state.q.set(moment.q)
    state.v.set(moment.v)
    this.contactMemory.set(moment.memory)
    setEvents(this.events, moment.events)
    this.stepCount = moment.stepCount
    state.t[0] = moment.stepCount * this.wholeStep
    this.audit.goOn(moment.energy, state)
    this.contacts.count = 0
    this.failure = undefined
  }

  private checkState({
    robots,
    stepCount,
    q,
    v,
    tau,
    controllers,
    contactForces = this.contactForces,
    lastStep,
  }: Checkpoint): void {
    const own = this.robots.map(({ name }) => name)
    if (robots.length !== own.length || robots.some((name, i) => name !== own[i])) {
      throw new RangeError(`the checkpoint is of ${robots.join(', ')}, this world of ${own.join(', ')}; the order counts too`)
    }
    checkLength('q', this.state.q, q)
    checkLength('v', this.state.v, v)
    checkLength('tau', this.tau, tau)
    checkLength('contactForces', this.contactForces, contactForces)
    checkLength('controllers', this.robots, controllers)
    if (lastStep !== undefined) this.stepBefore.check(lastStep)
    if (!(Number.isSafeInteger(stepCount) && stepCount >= 0))
      throw new RangeError(`checkpoint.stepCount is ${stepCount}; steps are counted from 0 up`)
    for (const [name, values] of Object.entries({ q, v, tau, contactForces })) {
      const k = values.findIndex((x) => !Number.isFinite(x))
      if (k >= 0) throw new RangeError(`checkpoint.${name}[${k}] is ${values[k]}; a step ends in finite numbers`)
    }
    checkQuaternions(this.model, q, 'checkpoint.')
  }

  private resume(checkpoint: Checkpoint, stepCount: number): void {
    const { state } = this
    state.q.set(checkpoint.q)
    state.v.set(checkpoint.v)
    this.tau.set(checkpoint.tau)
    this.contactForces.fill(0)
    if (checkpoint.contactForces !== undefined) this.contactForces.set(checkpoint.contactForces)
    this.stepBefore.restore(checkpoint.lastStep)
    this.pushes.restore(checkpoint.live, this.wholeStep)
    this.stepCount = stepCount
    state.t[0] = stepCount * this.wholeStep
    this.audit.forget()
    this.contacts.count = 0
    this.failure = undefined
    this.ticking = false
    this.tickedAt = Number.NaN
    this.robots.forEach(({ controller }, i) => {
      controller?.restore(checkpoint.controllers[i])
    })
  }
}

/** Why a world cannot be made, as one type: what dynamics, contact and geometry refuse each say in their own words. */
function refused({ robot, robots }: WorldOptions, error: unknown): Error {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  if (['LoopError', 'ControllerError', 'WorldError'].includes(name)) return error as Error
  if (error instanceof RangeError || name === 'GeometryError') return new WorldError(message, error)
  const names = robots?.map((member) => member?.name ?? member?.robot?.name) ?? [robot?.name]
  return new WorldError(
    `no world can be made of ${names.join(', ')}: ${message}. Check the options, and the robot's masses and shapes with featherbed inspect`,
    error,
  )
}

const selfCollisions: readonly SelfCollision[] = ['none', 'all-but-adjacent', 'all']
const integrators: readonly Integrator[] = ['semi-implicit-euler', 'rk4']

/** What JavaScript lets a caller state though the types do not. */
function checkChoices({
  integrator = integrators[0],
  selfCollision = selfCollisions[0],
  materials = {},
  physical = {},
}: WorldOptions): void {
  const known: [string, unknown, readonly string[]][] = [
    ['integrator', integrator, integrators],
    ['selfCollision', selfCollision, selfCollisions],
    ['materials.friction', materials.friction ?? 'min', Object.keys(combinations)],
    ['materials.restitution', materials.restitution ?? 'max', Object.keys(combinations)],
    ['materials.unstated', materials.unstated ?? 'other', ['other', 'default']],
  ]
  for (const [name, value, choices] of known)
    if (!choices.includes(value as string))
      throw new RangeError(`${name} is ${String(value)}; choose one of ${choices.join(', ')}`)
  if (typeof physical !== 'object')
    throw new RangeError(`physical is ${String(physical)}; give an object such as { friction: 0.5 }`)
  for (const [name, value] of Object.entries(physical))
    if (value !== undefined && !(typeof value === 'number' && value >= 0 && value < Infinity))
      throw new RangeError(`physical.${name} is ${String(value)}; give a finite number of at least 0`)
}

/** What the options ask for, every robot with a name that no other has. */
function namedRobots({ robot, robots, controller, q, v }: WorldOptions): (WorldRobot & RobotPart)[] {
  if ((robot === undefined) === (robots === undefined)) {
    throw new RangeError('a world has either one robot or a list of robots; give one of the two options')
  }
  const members = robots ?? [{ robot: robot as Robot, controller, q, v }]
  if (members.length === 0) throw new RangeError('robots is empty; a world holds at least one robot or free body')
  const taken = new Set(members.flatMap(({ name }) => (name === undefined ? [] : [name])))
  return members.map((member) => {
    let { name } = member
    if (name === undefined) {
      name = member.robot.name
      for (let n = 2; taken.has(name); n++) name = `${member.robot.name}-${n}`
      taken.add(name)
    }
    return { ...member, name }
  })
}

function robotInWorld({ name, robot, controller }: WorldRobot & RobotPart, start: PartStarts, whole: State, tau: Float64Array) {
  const { nq, nv } = robot.model
  const state = {
    q: whole.q.subarray(start.q, start.q + nq),
    v: whole.v.subarray(start.v, start.v + nv),
    t: whole.t,
  }
  return { name, robot, controller, state, tau: tau.subarray(start.v, start.v + nv), start }
}

/** The shapes that detection is given, and which of them may touch. */
function detectionOf(
  options: WorldOptions,
  robot: Robot,
  members: readonly RobotPart[],
  moving: readonly CollisionShape[],
  loops: readonly LoopClosure[],
  prescribed: PrescribedBodies,
): { shapes: readonly CollisionShape[]; rules: DetectorOptions } {
  const { selfCollision = 'none', excludedCollisions = [], allowHomeOverlaps = true, fixtures = [createGround()] } = options
  const limits = { materials: options.materials, maxPoints: options.maxPointsPerPair }
  if (selfCollision === 'none' && members.length === 1) return { shapes: moving, rules: limits }
  const shapes = [...moving, ...robot.shapes.filter(({ body }) => body === 0)]
  for (const link of excludedCollisions.flat()) {
    if (shapesOf(link, shapes).length > 0) continue
    const known = [...new Set(shapes.map((shape) => shape.link))].join(', ')
    throw new RangeError(`excludedCollisions names "${link}"; the links of ${robot.name} with collision shapes are ${known}`)
  }
  const owner = new Map(
    members.flatMap((part, i) => part.robot.shapes.map((_, k) => [startsOf(members, i).shape + k, i] as const)),
  )
  const joined = selfCollision === 'all' ? [] : shapesThatLoopsJoin(robot.model, loops, shapes)
  const links = [...robot.disabledCollisions, ...excludedCollisions, ...(allowHomeOverlaps ? robot.overlaps : [])]
  return {
    shapes,
    rules: {
      ...limits,
      selfCollision,
      robotOf: Int32Array.from(shapes, (shape) => owner.get(robot.shapes.indexOf(shape)) ?? 0),
      excluded: [
        ...links.flatMap(([a, b]) => shapesOf(a, shapes).flatMap((x) => shapesOf(b, shapes).map((y) => [x, y] as const))),
        ...joined,
        ...prescribed.pairsWith([...shapes, ...fixtures]),
      ],
    },
  }
}

/** Pairs of shapes on bodies that a loop joins, by their names. The world as an end names no shape, so that such a loop joins none. */
function shapesThatLoopsJoin(model: Model, loops: readonly LoopClosure[], shapes: readonly CollisionShape[]) {
  const rigid = rigidGroups(model)
  const on = (body: number) => shapes.filter((shape) => rigid[shape.body] === rigid[body])
  const between = loops.filter(({ bodyA, bodyB }) => rigid[bodyA] !== rigid[0] && rigid[bodyB] !== rigid[0])
  return between.flatMap(({ bodyA, bodyB }) => on(bodyA).flatMap((a) => on(bodyB).map((b) => [a.name, b.name] as const)))
}

const shapesOf = (link: string, shapes: readonly CollisionShape[]) => shapes.flatMap((s) => (s.link === link ? [s.name] : []))

function createContactModel(options: WorldOptions, context: ContactModelContext): ContactModel {
  const { contactModel: name, contactOptions } = options
  if (typeof name === 'function') return name(context, contactOptions)
  return contactModels[contactModelNamed(name)](context, contactOptions as never)
}

/** In place, for the contact model holds the very objects. */
function setEvents(events: SolverEvents, { solvers, ...counts }: SolverEvents): void {
  Object.assign(events, counts)
  events.solvers.forEach((count, i) => {
    Object.assign(count, solvers[i])
  })
}

/** What a caller passes on as undefined leaves the default alone. */
function withoutUndefined(physical: Partial<PhysicalInputs> = {}): Partial<PhysicalInputs> {
  return Object.fromEntries(Object.entries(physical).filter(([, value]) => value !== undefined))
}

function setStart({ robot, state }: RobotInWorld, { q, v }: WorldRobot): void {
  setNumbers(robot.model, 'q', state.q, q ?? robot.home)
  setNumbers(robot.model, 'v', state.v, v ?? new Float64Array(robot.model.nv))
  checkQuaternions(robot.model, state.q)
}

function setNumbers(model: Model, name: 'q' | 'v', out: Float64Array, given: ArrayLike<number>): void {
  const sizeName = name === 'q' ? 'nq' : 'nv'
  if (given.length !== out.length)
    throw new RangeError(`start ${name} has ${given.length} entries; ${model.name} has ${sizeName} = ${out.length}`)
  for (let i = 0; i < out.length; i++) {
    if (!Number.isFinite(given[i])) throw new RangeError(`start ${name}[${i}] is ${given[i]}; it must be a finite number`)
    out[i] = given[i]
  }
}

function checkQuaternions(model: Model, q: Float64Array, where = 'start '): void {
  const { nb, jointName } = model
  for (let i = 1; i < nb; i++) {
    const k = quaternionStart(model, i)
    if (k < 0) continue
    const norm = Math.hypot(q[k], q[k + 1], q[k + 2], q[k + 3])
    if (!(Math.abs(norm - 1) < 1e-6))
      throw new RangeError(`${where}q[${k}..${k + 3}], the quaternion of "${jointName[i]}", has norm ${norm}; normalise it to 1`)
  }
}

function checkEntries(name: string, given: ArrayLike<number>, length: number, mayBeNaN: boolean): void {
  if (given.length !== length) throw new RangeError(`${name}: ${given.length} numbers; expected ${length}`)
  for (let k = 0; k < length; k++)
    if (!Number.isFinite(given[k]) && !(mayBeNaN && Number.isNaN(given[k])))
      throw new RangeError(`${name}: entry ${k} is ${given[k]}; expected a finite number`)
}

function checkLength(name: string, own: ArrayLike<unknown>, saved: ArrayLike<unknown>): void {
  if (saved.length !== own.length)
    throw new RangeError(`checkpoint.${name} has ${saved.length} entries, this world has ${own.length}; it is of another world`)
}

/** x - x is 0 for a finite x and NaN for every other, so the sum is 0 if and only if all are finite. */
function isFiniteState({ q, v }: State): boolean {
  let sum = 0
  for (let i = 0; i < q.length; i++) sum += q[i] - q[i]
  for (let i = 0; i < v.length; i++) sum += v[i] - v[i]
  return sum === 0
}
