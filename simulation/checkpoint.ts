import { followStep, noEvents, type PairFriction, type SolverEvents, type StepInput } from '../contact/index.ts'
import type { State } from '../dynamics/index.ts'
import { ControllerTurns } from './controllerTurns.ts'
import type { EffortSource } from './effortSource.ts'
import type { EnergyAudit } from './energy/energyAudit.ts'
import type { SavedLastStep } from './lastStep.ts'
import type { ActingForces, LiveForces, Pushes } from './loads/pushes.ts'
import type { StepLevels } from './stepLevels.ts'
import type { World } from './world.ts'
import type { ContactMemory, WorldDetection } from './worldDetection.ts'
import { checkQuaternions, type RobotInWorld } from './worldParts.ts'

/** Complete input of the next step, as plain data that structuredClone copies. */
export interface Checkpoint {
  /** Names of the robots, in their order. */
  readonly robots: readonly string[]
  /** The contact model to which the memory belongs. */
  readonly contactModel: string
  /** Time step [s]; the time of the checkpoint is stepCount dt. */
  readonly dt: number
  readonly stepCount: number
  readonly q: Float64Array
  readonly v: Float64Array
  /** nv: the efforts, constant until the next controller tick [N m, N]. */
  readonly tau: Float64Array
  /** The contact model's memory, then the detector's memory of pairs. */
  readonly contactMemory: Float64Array
  /** Saved by each robot's effort source; null for robots without one. */
  readonly controllers: readonly unknown[]
  readonly events: SolverEvents
  /** Numbers of the energy audit; without them the audit starts again. */
  readonly energy?: Float64Array
  /** 6 a body: contact forces for the controllers' next tick; default zero. */
  readonly contactForces?: Float64Array
  /** Numbers of loops that are on at times only; none without such. */
  readonly loops?: Float64Array
  /** The controllers' other data of the last step. */
  readonly lastStep?: SavedLastStep
  /** Velocities that controllers gave to surfaces, as `RunningSurfaces.given`; default none. */
  readonly surfaces?: Float64Array
  /** Per tendon: by how much its spring has yielded [m, rad]; default as before. */
  readonly springSet?: Float64Array
  /** Pushes and pulls added during the run. */
  readonly live?: LiveForces
}

/** Variables that change in steps between two controller ticks; see `World.save`. */
export interface Snapshot extends Readonly<Record<ArrayName, Float64Array>> {
  readonly events: SolverEvents
  stepCount: number
}
const ofSnapshot = ['q', 'v', 'contactMemory', 'springSet', 'loops', 'energy'] as const
type ArrayName = (typeof ofSnapshot)[number]

/** All that a step of one of many worlds hands on to its next, besides q, v and tau: large memories are pointed to, small ones copied. */
export interface Lane {
  readonly robots: readonly RobotInWorld[]
  readonly turns: ControllerTurns
  readonly memory: ContactMemory
  readonly step: StepInput
  /** Those of `WorldState.carried`, then `EnergyAudit.pressed`. */
  numbers: Float64Array
  forces: ActingForces
  /** Of surfaces that state none, NaN for that of the options; and that of the pairs with it. */
  friction: number
  materials: PairFriction
  stepCount: number
  failure: Error | undefined
}

/** The input of the next step, besides the step count: saves, checks and restores it. */
export class WorldState {
  /** Arrays by their names in a checkpoint. */
  private readonly arrays: Record<ArrayName | 'tau' | 'contactForces', Float64Array>
  private readonly world: World
  private readonly state: State
  private readonly audit: EnergyAudit
  private readonly detection: WorldDetection
  private readonly levels: StepLevels
  private readonly pushes: Pushes
  /** Arrays that lanes copy to their numbers, one after the other; and what all lanes start with, of the options. */
  private readonly carried: readonly Float64Array[]
  private readonly start: Pick<Lane, 'numbers' | 'forces' | 'materials'>

  /** @param world before its first step */
  constructor(world: World, detection: WorldDetection, levels: StepLevels, audit: EnergyAudit, pushes: Pushes) {
    const { state, tau } = world
    const { contactForces } = world.turns
    const contactMemory = detection.memory.all
    const springSet = pushes.elements?.set ?? new Float64Array(0)
    const loops = world.switches?.numbers ?? new Float64Array(0)
    this.arrays = { q: state.q, v: state.v, contactMemory, springSet, loops, energy: audit.numbers, tau, contactForces }
    this.world = world
    this.state = state
    this.audit = audit
    this.detection = detection
    this.levels = levels
    this.pushes = pushes
    const more = [world.surfaces?.given, detection.adhesion?.ofBody].filter((array) => array !== undefined)
    this.carried = [...audit.carried, springSet, loops, ...more]
    const numbers = Float64Array.from(this.carried.flatMap((array) => Array.from(array)))
    this.start = { numbers, forces: pushes.acting, materials: { ...detection.detector.materials } }
  }

  /** A lane at the start of the options. @param controllers one a robot, not yet started; default none */
  createLane(controllers?: readonly (EffortSource | undefined)[]): Lane {
    const { world, detection, levels } = this
    const { data, hasStages, takesRates } = world.turns
    const robots = controllers ? world.robots.map((one, k) => ({ ...one, controller: controllers[k] })) : world.robots
    const turns = controllers ? new ControllerTurns(world, robots, hasStages, takesRates, data) : world.turns
    const memory = detection.createMemory()
    const own = { memory: memory.ofModel, events: noEvents(world.contactModel.solvers), servos: turns.servos }
    const step = { ...own, dt: levels.current.step.dt, actuate: turns.stages?.actuate }
    const lane = { ...this.start, robots, turns, memory, step, friction: NaN, stepCount: 0, failure: undefined }
    return { ...lane, numbers: lane.numbers.slice() }
  }

  /** @param friction of the surfaces that state none; NaN for that of the options. @throws RangeError for one below 0 */
  setFriction(lane: Lane, friction: number, name: string): void {
    if (friction < 0 || friction === Infinity)
      throw new RangeError(`${name} is ${friction}; expected a number from 0 up, or NaN for that of the options`)
    lane.materials = Number.isNaN(friction) ? this.start.materials : this.detection.materialsAt(friction)
    lane.friction = friction
  }

  /** Puts a lane's world in the place of the present one, but for q, v and tau. */
  load({ numbers, turns, robots, memory, step, forces, materials, stepCount, failure }: Lane): void {
    const { world, arrays, carried, audit, detection } = this
    let at = 0
    for (let k = 0; k < carried.length; k++) {
      const to = carried[k]
      for (let i = 0; i < to.length; i++) to[i] = numbers[at++]
    }
    const { pressed, pressedLength } = audit
    for (let i = 0; i < pressedLength; i++) pressed[i] = numbers[at++]
    world.resumeAt(stepCount)
    world.failure = failure
    world.robots = robots
    world.events = step.events
    world.turns = turns
    arrays.contactMemory = memory.all
    arrays.contactForces = turns.contactForces
    detection.memory = memory
    detection.forget()
    detection.detector.materials.useFriction(materials)
    this.pushes.acting = forces
    followStep(this.levels.current.step, step)
    turns.forget()
  }

  store(lane: Lane): void {
    const { world, carried, audit, start } = this
    const { pressed, pressedLength } = audit
    const size = start.numbers.length + pressedLength
    if (lane.numbers.length < size) lane.numbers = new Float64Array(size + pressedLength)
    const { numbers } = lane
    let at = 0
    for (let k = 0; k < carried.length; k++) {
      const from = carried[k]
      for (let i = 0; i < from.length; i++) numbers[at++] = from[i]
    }
    for (let i = 0; i < pressedLength; i++) numbers[at++] = pressed[i]
    lane.failure = world.failure
    lane.stepCount = world.stepCount
    lane.forces = this.pushes.acting
  }

  save(): Checkpoint {
    const { world, arrays, pushes } = this
    const { q, v, contactMemory, springSet, loops, energy, tau, contactForces } = arrays
    return {
      robots: world.robots.map(({ name }) => name),
      contactModel: world.contactModel.name,
      dt: world.wholeStep,
      stepCount: world.stepCount,
      q: q.slice(),
      v: v.slice(),
      tau: tau.slice(),
      contactMemory: contactMemory.slice(),
      controllers: world.robots.map(({ controller }) => controller?.save() ?? null),
      events: structuredClone(world.events),
      energy: energy.slice(),
      contactForces: contactForces.slice(),
      ...(loops.length > 0 && { loops: loops.slice() }),
      lastStep: world.turns.stepBefore.save(),
      live: pushes.save(),
      ...(springSet.length > 0 && { springSet: springSet.slice() }),
      ...(world.surfaces && { surfaces: world.surfaces.given.slice() }),
    }
  }

  /** @throws RangeError for another robot's checkpoint, or invalid values. @param isSame whether model memory is restored too */
  check(checkpoint: Checkpoint, isSame: boolean): void {
    const { world, arrays } = this
    const { robots, stepCount, controllers, lastStep } = checkpoint
    const own = world.robots.map(({ name }) => name)
    if (robots.length !== own.length || robots.some((name, i) => name !== own[i])) {
      throw new RangeError(`the checkpoint is of ${robots.join(', ')}, this world of ${own.join(', ')}; the order counts too`)
    }
    const names = (['q', 'v', 'tau', 'contactForces', 'springSet', 'loops'] as const).filter(
      (name) => checkpoint[name] !== undefined,
    )
    for (const name of names) checkLength(name, arrays[name], checkpoint[name] as Float64Array)
    if (checkpoint.surfaces) checkLength('surfaces', world.surfaces?.given ?? [], checkpoint.surfaces)
    checkLength('controllers', world.robots, controllers)
    if (lastStep !== undefined) world.turns.stepBefore.check(lastStep)
    if (!(Number.isSafeInteger(stepCount) && stepCount >= 0))
      throw new RangeError(`checkpoint.stepCount is ${stepCount}; steps are counted from 0 up`)
    for (const name of names) {
      const values = checkpoint[name] as Float64Array
      const k = values.findIndex((x) => !Number.isFinite(x))
      if (k >= 0) throw new RangeError(`checkpoint.${name}[${k}] is ${values[k]}; a step ends in finite numbers`)
    }
    checkQuaternions(world.model, checkpoint.q, 'checkpoint.')
    if (!isSame) return
    for (const name of ['contactMemory', 'energy'] as const)
      if (checkpoint[name] !== undefined) checkLength(name, arrays[name], checkpoint[name])
  }

  /** @param isSame whether the contact model continues, with its memory and counts; else both start again. @param fresh initial counts */
  restore(checkpoint: Checkpoint, isSame: boolean, fresh: SolverEvents): void {
    const { world, arrays, audit } = this
    const { turns } = world
    arrays.q.set(checkpoint.q)
    arrays.v.set(checkpoint.v)
    arrays.tau.set(checkpoint.tau)
    arrays.contactForces.fill(0)
    if (checkpoint.contactForces !== undefined) arrays.contactForces.set(checkpoint.contactForces)
    if (checkpoint.springSet !== undefined) arrays.springSet.set(checkpoint.springSet)
    if (checkpoint.loops !== undefined) arrays.loops.set(checkpoint.loops)
    world.surfaces?.given.fill(Number.NaN)
    if (checkpoint.surfaces !== undefined) world.surfaces?.given.set(checkpoint.surfaces)
    turns.stepBefore.restore(checkpoint.lastStep)
    this.pushes.restore(checkpoint.live, world.wholeStep)
    audit.forget()
    turns.forget()
    world.robots.forEach(({ controller }, i) => {
      controller?.restore(checkpoint.controllers[i])
    })
    if (isSame) arrays.contactMemory.set(checkpoint.contactMemory)
    else arrays.contactMemory.fill(0)
    setEvents(world.events, isSame ? checkpoint.events : fresh)
    if (isSame && checkpoint.energy !== undefined) audit.goOn(checkpoint.energy, this.state)
  }

  createSnapshot(): Snapshot {
    const arrays = Object.fromEntries(ofSnapshot.map((name) => [name, this.arrays[name].slice()])) as Pick<Snapshot, ArrayName>
    return { ...arrays, events: structuredClone(this.world.events), stepCount: 0 }
  }

  /** Without allocating. */
  saveTo(snapshot: Snapshot): void {
    const { arrays, world } = this
    for (let k = 0; k < ofSnapshot.length; k++) snapshot[ofSnapshot[k]].set(arrays[ofSnapshot[k]])
    setEvents(snapshot.events, world.events)
    snapshot.stepCount = world.stepCount
  }

  rewind(snapshot: Snapshot): void {
    const { arrays, world } = this
    for (let k = 0; k < ofSnapshot.length; k++) arrays[ofSnapshot[k]].set(snapshot[ofSnapshot[k]])
    setEvents(world.events, snapshot.events)
    this.audit.goOn(snapshot.energy, this.state)
  }
}

/** In place, since the contact model refers to this object. */
function setEvents(events: SolverEvents, { solvers, ...counts }: SolverEvents): void {
  Object.assign(events, counts)
  events.solvers.forEach((count, i) => {
    Object.assign(count, solvers[i])
  })
}

function checkLength(name: string, own: ArrayLike<unknown>, saved: ArrayLike<unknown>): void {
  if (saved.length !== own.length)
    throw new RangeError(`checkpoint.${name} has ${saved.length} entries, this world has ${own.length}; it is of another world`)
}
