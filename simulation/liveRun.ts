import * as is from '../dynamics/math/arguments.ts'
import type { WorldAction } from './loads/actions.ts'
import type { Checkpoint, World } from './world.ts'

/** A recorded action on a run, before the step that follows step count `step`. */
export interface Input<Setup> {
  readonly step: number
  readonly action: WorldAction | ChangeAction<Setup>
}

/** Continues with other options: friction, gravity, a controller's gains, another contact model. */
export interface ChangeAction<Setup> {
  readonly type: 'change'
  readonly change: Partial<Setup>
}

/** State from which a run can continue: the world's checkpoint, and the setup from which the world was made. */
export interface SavedRun<Setup> {
  readonly setup: Setup
  readonly checkpoint: Checkpoint
}

/**
 * A world with a record of all actions on it while it runs. Setup and record repeat the run, or resume it from any step, bit for bit:
 *
 * ```ts
 * const run = new LiveRun(setup, createWorld)
 * run.act({ type: 'push', link: 'base_link', impulse: [3, 0, 0] })
 * while (run.stepCount < 1000) run.step()
 * const again = new LiveRun(setup, createWorld)
 * again.record.push(...run.record)
 * while (again.stepCount < 1000) again.step() // again.world.hash() === run.world.hash()
 * ```
 */
export class LiveRun<Setup extends { readonly dt: number }> {
  /** Past and planned actions, by rising step. */
  readonly record: Input<Setup>[] = []
  private readonly create: (setup: Setup) => World
  /** One world per setup, so that returning to an earlier setup is fast. */
  private readonly worlds = new Map<Setup, World>()
  private setup: Setup

  /** @param from a run of the same robots from which this one continues, for example with another step size; its record is not copied */
  constructor(setup: Setup, create: (setup: Setup) => World, from?: SavedRun<Setup>) {
    is.check(setup, is.fields<{ dt: number }>({ dt: is.positive(' of seconds') }, {}, true), 'LiveRun: setup')
    is.check(create, is.callback, 'LiveRun: create')
    this.setup = setup
    this.create = create
    this.worlds.set(setup, from ? takenOver(from, setup, create) : create(setup))
  }

  get world(): World {
    return this.worlds.get(this.setup) as World
  }

  get stepCount(): number {
    return this.world.stepCount
  }

  /**
   * Records an action before the step that follows step count `step`, which must not be past. Removes entries of later steps.
   *
   * @throws RangeError for a past step, and for a change of the time step
   */
  act(action: Input<Setup>['action'], step = this.stepCount): void {
    if (step < this.stepCount)
      throw new RangeError(`step ${step} is over, the run is at ${this.stepCount}; restore an earlier one`)
    if (action.type === 'change' && (action.change.dt ?? this.setup.dt) !== this.setup.dt)
      throw new RangeError(
        'a run counts its time in steps of one size; make a LiveRun with another dt that goes on from this one',
      )
    const keep = this.record.findIndex((input) => input.step > step)
    if (keep >= 0) this.record.length = keep
    const last = this.record.at(-1)?.step === step ? this.record.at(-1)?.action : undefined
    const merged = last && mergedInto(last, action)
    if (merged) this.record.pop()
    this.record.push({ step, action: merged ?? action })
  }

  /** Applies the record's actions for this step, and advances. Throws like `World.act` and `World.step`. */
  step(): void {
    const { record, stepCount } = this
    // searched from the end of a long record, near which the run usually is
    let i = record.length
    while (i > 0 && record[i - 1].step >= stepCount) i--
    for (; i < record.length && record[i].step === stepCount; i++) {
      const { action } = record[i]
      if (action.type === 'change') this.change(action.change)
      else this.world.act(action)
    }
    this.world.step()
  }

  save(): SavedRun<Setup> {
    return { setup: this.setup, checkpoint: this.world.checkpoint() }
  }

  /** Returns to a saved state. The record is kept: its actions from that step on are applied again. */
  restore({ setup, checkpoint }: SavedRun<Setup>): void {
    let world = this.worlds.get(setup)
    if (world === undefined) {
      world = this.create(setup)
      this.worlds.set(setup, world)
    }
    world.restore(checkpoint)
    this.setup = setup
  }

  private change(change: Partial<Setup>): void {
    const next = { ...this.setup, ...change }
    this.worlds.set(next, takenOver(this.save(), next, this.create))
    this.setup = next
    // removed worlds are made again when a restore needs them
    for (const old of this.worlds.keys()) if (this.worlds.size > MOST_WORLDS && old !== next) this.worlds.delete(old)
  }
}

/** Two inputs of one step merged, if the second replaces the first, as of a moving hand while time stands still. */
function mergedInto<Setup>(a: Input<Setup>['action'], b: Input<Setup>['action']): Input<Setup>['action'] | undefined {
  if (a.type === 'change' && b.type === 'change') return { type: 'change', change: { ...a.change, ...b.change } }
  if (a.type === 'pull' && b.type === 'pull' && a.name === b.name) return b
  if (a.type === 'command' && b.type === 'command' && a.robot === b.robot) return b
  return undefined
}

const MOST_WORLDS = 8

/**
 * A world with other options that continues a run. The contact model keeps its memory if it is the same with the same step; controllers
 * keep theirs, except values changed by the options, such as gains.
 */
function takenOver<Setup>({ setup, checkpoint }: SavedRun<Setup>, next: Setup, create: (setup: Setup) => World): World {
  const world = create(next)
  const fresh = world.checkpoint()
  const before = create(setup).checkpoint().controllers
  const controllers = checkpoint.controllers.map((memory, i) => rebased(memory, before[i], fresh.controllers[i]))
  const taken = { ...checkpoint, controllers, energy: undefined }
  const { contactModel, dt, contactMemory } = checkpoint
  if (contactModel === fresh.contactModel && dt === fresh.dt && contactMemory.length === fresh.contactMemory.length)
    world.restore(taken)
  else world.adopt(taken)
  return world
}

/** The current value, except where `before` and `after` differ; `after` if its structure differs from both. */
function rebased(now: unknown, before: unknown, after: unknown): unknown {
  if (isTable(now) && isTable(before) && isTable(after)) {
    const keys = Object.keys(after)
    if (!sameKeys(now, keys) || !sameKeys(before, keys)) return after
    const out = (ArrayBuffer.isView(after) || Array.isArray(after) ? after.slice() : {}) as Record<string, unknown>
    for (const key of keys) out[key] = rebased(now[key], before[key], after[key])
    return out
  }
  return Object.is(before, after) ? now : after
}

type Table = Record<string, unknown> & { slice(): unknown }

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' &&
  value !== null &&
  (Array.isArray(value) || ArrayBuffer.isView(value) || Object.getPrototypeOf(value) === Object.prototype)
const sameKeys = (table: Table, keys: readonly string[]) =>
  Object.keys(table).length === keys.length && keys.every((key) => Object.hasOwn(table, key))
