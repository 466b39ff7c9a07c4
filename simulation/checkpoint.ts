import type { SolverEvents } from '../contact/index.ts'
import type { State } from '../dynamics/index.ts'
import type { ControllerTurns } from './controllerTurns.ts'
import type { EnergyAudit } from './energy/energyAudit.ts'
import type { SavedLastStep } from './lastStep.ts'
import type { LiveForces, Pushes } from './loads/pushes.ts'
import type { World } from './world.ts'
import { checkQuaternions } from './worldParts.ts'

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
export interface Snapshot {
  readonly q: Float64Array
  readonly v: Float64Array
  readonly contactMemory: Float64Array
  readonly springSet: Float64Array
  readonly energy: Float64Array
  readonly loops: Float64Array
  readonly events: SolverEvents
  stepCount: number
}

/** The input of the next step, besides the step count: saves, checks and restores it. */
export class WorldState {
  /** Arrays by their names in a checkpoint; first those of a snapshot. */
  private readonly arrays: Readonly<
    Record<'q' | 'v' | 'contactMemory' | 'springSet' | 'loops' | 'energy' | 'tau' | 'contactForces', Float64Array>
  >
  private readonly world: World
  private readonly state: State
  private readonly audit: EnergyAudit
  private readonly turns: ControllerTurns
  private readonly pushes: Pushes

  constructor(world: World, contactMemory: Float64Array, audit: EnergyAudit, turns: ControllerTurns, pushes: Pushes) {
    const { state, tau } = world
    const { contactForces } = turns
    const springSet = pushes.elements?.set ?? new Float64Array(0)
    const loops = world.switches?.numbers ?? new Float64Array(0)
    this.arrays = { q: state.q, v: state.v, contactMemory, springSet, loops, energy: audit.numbers, tau, contactForces }
    this.world = world
    this.state = state
    this.audit = audit
    this.turns = turns
    this.pushes = pushes
  }

  save(): Checkpoint {
    const { world, arrays, turns, pushes } = this
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
      lastStep: turns.stepBefore.save(),
      live: pushes.save(),
      ...(springSet.length > 0 && { springSet: springSet.slice() }),
      ...(world.surfaces && { surfaces: world.surfaces.given.slice() }),
    }
  }

  /** @throws RangeError for another robot's checkpoint, or invalid values. @param isSame whether model memory is restored too */
  check(checkpoint: Checkpoint, isSame: boolean): void {
    const { world, arrays, turns } = this
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
    if (lastStep !== undefined) turns.stepBefore.check(lastStep)
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
    const { world, arrays, turns, audit } = this
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
    const { q, v, contactMemory, springSet, loops, energy } = this.arrays
    return {
      q: q.slice(),
      v: v.slice(),
      contactMemory: contactMemory.slice(),
      springSet: springSet.slice(),
      loops: loops.slice(),
      energy: energy.slice(),
      events: structuredClone(this.world.events),
      stepCount: 0,
    }
  }

  /** Without allocating. */
  saveTo(snapshot: Snapshot): void {
    const { arrays, world } = this
    snapshot.q.set(arrays.q)
    snapshot.v.set(arrays.v)
    snapshot.contactMemory.set(arrays.contactMemory)
    snapshot.springSet.set(arrays.springSet)
    snapshot.loops.set(arrays.loops)
    snapshot.energy.set(arrays.energy)
    setEvents(snapshot.events, world.events)
    snapshot.stepCount = world.stepCount
  }

  rewind(snapshot: Snapshot): void {
    const { arrays, world } = this
    arrays.q.set(snapshot.q)
    arrays.v.set(snapshot.v)
    arrays.contactMemory.set(snapshot.contactMemory)
    arrays.springSet.set(snapshot.springSet)
    arrays.loops.set(snapshot.loops)
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
