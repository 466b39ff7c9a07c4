import type { SolverEvents } from '../contact/index.ts'
import type { State } from '../dynamics/index.ts'
import type { ControllerTurns } from './controllerTurns.ts'
import type { EnergyAudit } from './energy/energyAudit.ts'
import type { SavedLastStep } from './lastStep.ts'
import type { LiveForces, Pushes } from './loads/pushes.ts'
import type { World } from './world.ts'
import { checkQuaternions } from './worldParts.ts'

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
  /** Saved by the effort source of each robot; null for those without one. */
  readonly controllers: readonly unknown[]
  readonly events: SolverEvents
  /** The books of the energy audit; without them it begins anew. */
  readonly energy?: Float64Array
  /** 6 a body: the contact forces that the controllers' next turn sees; without them zero. */
  readonly contactForces?: Float64Array
  /** The rest of their view of the step before. */
  readonly lastStep?: SavedLastStep
  /** Pushes and pulls that came during the run. */
  readonly live?: LiveForces
}

/** All that steps between two turns of the controllers change; see `World.save`. */
export interface Snapshot {
  readonly q: Float64Array
  readonly v: Float64Array
  readonly contactMemory: Float64Array
  readonly energy: Float64Array
  readonly events: SolverEvents
  stepCount: number
}

/** The state that the next step depends on, beside the step count: saves, checks and restores it. */
export class WorldState {
  /** Arrays by their names in a checkpoint; those of a snapshot first. */
  private readonly arrays: Readonly<Record<'q' | 'v' | 'contactMemory' | 'energy' | 'tau' | 'contactForces', Float64Array>>
  private readonly world: World
  private readonly state: State
  private readonly audit: EnergyAudit
  private readonly turns: ControllerTurns
  private readonly pushes: Pushes

  constructor(world: World, contactMemory: Float64Array, audit: EnergyAudit, turns: ControllerTurns, pushes: Pushes) {
    const { state, tau } = world
    const { contactForces } = turns
    this.arrays = { q: state.q, v: state.v, contactMemory, energy: audit.numbers, tau, contactForces }
    this.world = world
    this.state = state
    this.audit = audit
    this.turns = turns
    this.pushes = pushes
  }

  save(): Checkpoint {
    const { world, arrays, turns, pushes } = this
    const { q, v, contactMemory, energy, tau, contactForces } = arrays
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
      lastStep: turns.stepBefore.save(),
      live: pushes.save(),
    }
  }

  /** @throws RangeError for a checkpoint of other robots, or of what no step leaves behind. @param isSame whether its contact model's memory is taken too */
  check(checkpoint: Checkpoint, isSame: boolean): void {
    const { world, arrays, turns } = this
    const { robots, stepCount, controllers, lastStep } = checkpoint
    const own = world.robots.map(({ name }) => name)
    if (robots.length !== own.length || robots.some((name, i) => name !== own[i])) {
      throw new RangeError(`the checkpoint is of ${robots.join(', ')}, this world of ${own.join(', ')}; the order counts too`)
    }
    const names = (['q', 'v', 'tau', 'contactForces'] as const).filter((name) => checkpoint[name] !== undefined)
    for (const name of names) checkLength(name, arrays[name], checkpoint[name] as Float64Array)
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

  /** @param isSame whether the contact model goes on too, with its memory and counts; else both begin anew. @param fresh those counts */
  restore(checkpoint: Checkpoint, isSame: boolean, fresh: SolverEvents): void {
    const { world, arrays, turns, audit } = this
    arrays.q.set(checkpoint.q)
    arrays.v.set(checkpoint.v)
    arrays.tau.set(checkpoint.tau)
    arrays.contactForces.fill(0)
    if (checkpoint.contactForces !== undefined) arrays.contactForces.set(checkpoint.contactForces)
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
    const { q, v, contactMemory, energy } = this.arrays
    return {
      q: q.slice(),
      v: v.slice(),
      contactMemory: contactMemory.slice(),
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
    snapshot.energy.set(arrays.energy)
    setEvents(snapshot.events, world.events)
    snapshot.stepCount = world.stepCount
  }

  rewind(snapshot: Snapshot): void {
    const { arrays, world } = this
    arrays.q.set(snapshot.q)
    arrays.v.set(snapshot.v)
    arrays.contactMemory.set(snapshot.contactMemory)
    setEvents(world.events, snapshot.events)
    this.audit.goOn(snapshot.energy, this.state)
  }
}

/** In place, for the contact model holds the very objects. */
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
