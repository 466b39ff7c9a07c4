import * as is from '../../dynamics/math/arguments.ts'
import type { Lane } from '../checkpoint.ts'
import type { EffortSource } from '../effortSource.ts'
import { World } from '../world.ts'
import type { WorldOptions } from '../worldOptions.ts'

/** Options of `WorldBatch`, beside those of each of its worlds, which have no `controller`. */
export interface BatchOptions {
  /** Number of worlds. */
  readonly count: number
  /** Source of efforts of a world's robot, a new one at each call; with several robots, of each of them. Default: none. */
  readonly controllers?: (world: number, robot: number) => EffortSource | undefined
  /** Makes the arrays; default `createBatchArrays`. */
  readonly arrays?: (nq: number, nv: number) => BatchArrays
}

/** State and settings of all worlds of a batch, one world after the other: read and written between steps. @unchecked */
export class BatchArrays {
  /** count x nq, and count x nv. */
  readonly q!: Float64Array
  readonly v!: Float64Array
  /** count x nv: efforts, constant until changed, of robots without a controller [N m, N]. */
  readonly tau!: Float64Array
  /** Per world: friction of surfaces that state none (`PhysicalInputs.friction`). NaN, the default: that of the options. */
  readonly friction!: Float64Array
  /** Per world: 1 if it takes part in steps. A failure sets 0; so may the caller, for a world that is to stand still. */
  readonly active!: Uint8Array
  /** Per world: its completed steps, and the number of its contacts in the last of them. */
  readonly stepCounts!: Int32Array
  readonly contactCounts!: Int32Array

  constructor(arrays: BatchArrays) {
    Object.assign(this, arrays)
  }
}

/** @unchecked @param isShared whether threads share them */
export function createBatchArrays(count: number, nq: number, nv: number, isShared = false): BatchArrays {
  const bytes = (size: number) => (isShared ? new SharedArrayBuffer(size) : new ArrayBuffer(size))
  const [q, v, tau, friction] = [nq, nv, nv, 1].map((width) => new Float64Array(bytes(8 * count * width)))
  const [stepCounts, contactCounts] = [0, 1].map(() => new Int32Array(bytes(4 * count)))
  friction.fill(NaN)
  return { q, v, tau, friction, active: new Uint8Array(bytes(count)), stepCounts, contactCounts }
}

/**
 * Many worlds of the same robots, surroundings and contact model, with one memory for computing: each has only what a step hands on to the
 * next, so that thousands stay near the processor. Each gives the bits of a `World` of the same options.
 *
 * ```ts
 * const batch = new WorldBatch({ count: 4096, robot, contactModel: 'ncp', dt: 1e-3 })
 * batch.q[5 * batch.nq + 2] += 0.1 // lifts robot 5
 * batch.step(20)
 * batch.visit(5, (world) => world.hash())
 * ```
 */
export class WorldBatch extends BatchArrays {
  readonly count: number
  readonly nq: number
  readonly nv: number
  /** In which each world is computed in its turn. */
  private readonly workspace: World
  private readonly lanes: Lane[] = []
  private readonly controllers: BatchOptions['controllers']
  /** State at the start of the options. */
  private readonly home: Pick<BatchArrays, 'q' | 'v'>

  /** @throws RangeError, and as `World` */
  constructor(given: BatchOptions & WorldOptions) {
    is.check(given, is.made('options of a batch', 'count'), 'options')
    const { count, controllers, arrays, ...options } = given
    is.check({ count, controllers, arrays }, batchKind)
    if ((options.robots ?? [options]).some(({ controller }) => controller !== undefined))
      throw new RangeError('one controller cannot drive many worlds; give the option controllers, which makes one for each')
    const world = new World(options)
    const { nq, nv } = world.model
    super((arrays ?? ((nq, nv) => createBatchArrays(count, nq, nv)))(nq, nv))
    this.count = count
    this.nq = nq
    this.nv = nv
    this.workspace = world
    this.controllers = controllers
    this.home = { q: world.state.q.slice(), v: world.state.v.slice() }
    for (let i = 0; i < count; i++) this.reset(i)
  }

  /**
   * Advances each active world by n steps, one world after the other. A world that fails stops, with the state of its last step, and the others
   * go on; see `failure`.
   *
   * @param after called after the steps of each world while it is in place, to read its contacts, which it does not keep; what it changes is lost
   * @throws RangeError for a friction below 0, and n that is no whole number
   */
  step(n = 1, after?: (world: World, i: number) => void): void {
    is.check(n, stepsKind, 'steps')
    for (let i = 0; i < this.count; i++) this.useFriction(i)
    for (let i = 0; i < this.count; i++) if (this.active[i] !== 0 && n > 0) this.stepOne(i, n, after)
  }

  /** Why a world failed, if it did. */
  failure(i: number): Error | undefined {
    this.checkIndex(i)
    return this.lanes[i].failure
  }

  /**
   * Puts a world in place of the batch's own memory for computing, to read it or act on it, and keeps what changed. The `World` is valid during
   * the call alone, and its contacts are empty, as those of a restored one. @returns what `use` returns
   */
  visit<Result>(i: number, use: (world: World) => Result): Result {
    this.checkIndex(i)
    this.useFriction(i)
    this.load(i)
    if (this.controllers === undefined) this.workspace.stepBefore.restore(undefined)
    try {
      return use(this.workspace)
    } finally {
      this.store(i)
    }
  }

  /** Returns a world to the start of the options, with a new controller; its friction stays. */
  reset(i: number): void {
    const { lanes, workspace, home, nq, nv, controllers } = this
    this.checkIndex(i)
    this.q.set(home.q, i * nq)
    this.v.set(home.v, i * nv)
    this.tau.fill(0, i * nv, (i + 1) * nv)
    this.active[i] = 1
    this.stepCounts[i] = 0
    this.contactCounts[i] = 0
    lanes[i] = workspace.saved.createLane(controllers && workspace.robots.map((_, robot) => controllers(i, robot)))
    if (controllers !== undefined) this.visit(i, (world) => lanes[i].turns.start(world))
  }

  private stepOne(i: number, n: number, after: ((world: World, i: number) => void) | undefined): void {
    const { workspace } = this
    this.load(i)
    try {
      for (let k = 0; k < n; k++) workspace.step()
    } catch {
      // `World.failure` has it
      this.active[i] = 0
    }
    this.contactCounts[i] = workspace.contacts.count
    this.store(i)
    after?.(workspace, i)
  }

  private useFriction(i: number): void {
    const lane = this.lanes[i]
    if (!Object.is(this.friction[i], lane.friction)) this.workspace.saved.setFriction(lane, this.friction[i], `friction[${i}]`)
  }

  private load(i: number): void {
    const { workspace, nq, nv, q, v, tau } = this
    const { state } = workspace
    for (let k = 0; k < nq; k++) state.q[k] = q[i * nq + k]
    for (let k = 0; k < nv; k++) {
      state.v[k] = v[i * nv + k]
      workspace.tau[k] = tau[i * nv + k]
    }
    workspace.saved.load(this.lanes[i])
  }

  private store(i: number): void {
    const { workspace, nq, nv, q, v, tau } = this
    const { state } = workspace
    workspace.saved.store(this.lanes[i])
    for (let k = 0; k < nq; k++) q[i * nq + k] = state.q[k]
    for (let k = 0; k < nv; k++) {
      v[i * nv + k] = state.v[k]
      tau[i * nv + k] = workspace.tau[k]
    }
    this.stepCounts[i] = workspace.stepCount
  }

  private checkIndex(i: number): void {
    if (!(Number.isInteger(i) && i >= 0 && i < this.count))
      throw new RangeError(`there is no world ${i}; the batch has ${this.count}, numbered from 0`)
  }
}

const stepsKind = is.whole(0)
const batchKind = is.fields<BatchOptions>({ count: is.whole(1) }, { controllers: is.callback, arrays: is.callback })
