/** Runs the core beside the page: one world at a time, as far as requested, in portions between messages to it. */

import type { LawCheck } from '../../compare/measure/index.ts'
import { type ContactSet, contactModelNamed, featureMoment } from '../../contact/index.ts'
import { type ControllerLoop, scaled } from '../../control/index.ts'
import {
  compilation,
  createData,
  createState,
  kinematics,
  kineticEnergy,
  potentialEnergy,
  velocities,
} from '../../dynamics/index.ts'
import { type Checkpoint, LiveRun, type SavedRun, World } from '../../simulation/index.ts'
import { Judge, lawValues } from '../checks/judge.ts'
import { createController } from '../controllers.ts'
import type { PreparedScene, worldOfScene as WorldOfScene } from '../scenes/scene.ts'
import { thinned } from './history.ts'
import {
  contactStride,
  type FeaturesAt,
  type FromWorker,
  type RunAction,
  type RunSetup,
  type Snapshot,
  snapshotCapacity,
  type ToWorker,
} from './protocol.ts'
import { trigonometryHash } from './trigonometryHash.ts'

/** The part of a worker's global scope that this module uses; the page's library declares a window instead. */
const scope = globalThis as unknown as {
  postMessage(message: FromWorker): void
}

/** How long to simulate before listening again [ms]. */
const portion = 10
/** The same of steps without a snapshot: the page stops a run that says nothing [ms]. */
const longest = 1000
/** Computing time over which a step's mean is taken [ms]; the clock that a worker has may be as coarse as 0.1 ms. */
const measured = 20

let run = 0
/** Of a run that is of a scenario: its controllers, and its world builder. */
let scene: { readonly prepared: PreparedScene; readonly worldOf: typeof WorldOfScene } | undefined
/** Messages during a scene's preparation; undefined while none is. */
let backlog: ToWorker[] | undefined
/** The world, and its actions. */
let live: LiveRun<RunSetup> | undefined
/** Setup of the run's start. */
let begun: RunSetup | undefined
/** A recording that is played in place of a run. */
let recorded: RunSetup['recorded']
/** Of worlds that have a controller. */
const loops = new WeakMap<World, ControllerLoop>()
/** Of runs checked by the laws. It reads every step once, in order; repeated steps are no part of that. */
let judge: Judge | undefined
/** The step from which on there is to be a judge, which then holds the run to the laws from there; Infinity: never. */
let judgedFrom = Number.POSITIVE_INFINITY
/** Whether the run has failed; its record can still be read. */
let ended = false
let target = 0
let every = 1
let waiting = false
/** Whether the page shows feature contacts. */
let watching = false
let stepTime = Number.NaN
let busy = 0
let busySteps = 0
/** One at each snapshot, so that any step of the record can be shown again. By step, oldest first. */
const checkpoints = new Map<number, SavedRun<RunSetup>>()

// a message to oneself yields to other messages, without the delay that timers have
const turn = new MessageChannel()
turn.port1.onmessage = () => {
  waiting = false
  simulate()
}

/** Takes a message of the page. */
export function receive({ data: message }: Pick<MessageEvent<ToWorker>, 'data'>): void {
  if (backlog !== undefined) backlog.push(message)
  else take(message)
}

/** Reads a scenario and loads its controllers, which takes turns; messages wait. */
async function prepareFor(message: Extract<ToWorker, { type: 'start' | 'hash' }>): Promise<void> {
  backlog = []
  try {
    const [{ prepareScene }, { worldOfScene }] = await Promise.all([
      import('../scenes/prepared.ts'),
      import('../scenes/scene.ts'),
    ])
    scene = { prepared: await prepareScene(message.setup.scene as NonNullable<RunSetup['scene']>), worldOf: worldOfScene }
    take(message, true)
  } catch (error) {
    if (message.type === 'start') {
      run = message.run
      live = undefined
      scope.postMessage({ type: 'failed', run, message: describe(error), t: 0 })
    } else scope.postMessage({ type: 'error', message: describe(error) })
  }
  const waited = backlog
  backlog = undefined
  for (const later of waited) receive({ data: later })
}

/** @param isPrepared whether its scene is */
function take(message: ToWorker, isPrepared = false): void {
  try {
    if ((message.type === 'start' || message.type === 'hash') && message.setup.scene !== undefined && !isPrepared) {
      void prepareFor(message)
      return
    }
    switch (message.type) {
      case 'start':
        start(message.run, message.setup)
        break
      case 'advance':
        if (message.run !== run) break
        target = message.toStep
        every = message.every
        simulate()
        break
      case 'refine':
        if (message.run === run) refine(message.from, message.to)
        break
      case 'watch-features':
        watching = message.wanted
        break
      case 'features':
        if (message.run === run) scope.postMessage({ type: 'features', run, ...featuresOf(message.step) })
        break
      case 'checkpoint':
        if (message.run === run)
          scope.postMessage({ type: 'checkpoint', run, step: message.step, checkpoint: checkpointOf(message.step) })
        break
      case 'act':
        act(message.run, message.step, message.action)
        break
      case 'tape':
        if (message.run === run) void tape(message)
        break
      case 'record':
        scope.postMessage({ type: 'record', record: live?.record ?? [] })
        break
      case 'hash':
        void hashOfRun(message.setup, message.steps, message.restoreAt).then(
          (hash) => scope.postMessage({ type: 'hash', hash }),
          (error) => scope.postMessage({ type: 'error', message: describe(error) }),
        )
        break
      case 'hash-trigonometry':
        scope.postMessage({ type: 'hash', hash: trigonometryHash(message.count) })
        break
    }
  } catch (error) {
    scope.postMessage({ type: 'error', message: describe(error) })
  }
}

function start(number: number, setup: RunSetup): void {
  run = number
  target = 0
  live = judge = undefined
  begun = setup
  recorded = setup.recorded
  judgedFrom = Number.POSITIVE_INFINITY
  ended = false
  stepTime = Number.NaN
  busy = busySteps = 0
  checkpoints.clear()
  if (recorded !== undefined) {
    scope.postMessage({ type: 'started', run, readsFeatures: false })
    scope.postMessage({ type: 'snapshots', run, snapshots: recorded.snapshots.slice(0, 1), features: [] })
    reached = recorded.snapshots[0].step
    return
  }
  try {
    live = liveRunOf(setup)
    const { world } = live
    if (setup.judged) judgedFrom = world.stepCount
    startJudge()
    remember(live)
    scope.postMessage({
      type: 'started',
      run,
      readsFeatures: world.contactModel.reading === 'features',
      read: setup.scene && scene?.prepared.read,
    })
    scope.postMessage({ type: 'snapshots', run, snapshots: [judged(beforeSteps(world))], features: watched(world) })
  } catch (error) {
    scope.postMessage({ type: 'failed', run, message: describe(error), t: 0 })
  }
}

/** How long a run is not judged after something was done to it, for more may be done [s]. */
const settling = 0.25

function act(number: number, step: number, action: RunAction): void {
  run = number
  target = step
  if (live === undefined) return
  if (live.stepCount > step || ended) {
    goTo(live, step)
    judge = undefined
  }
  for (const later of [...checkpoints.keys()].filter((at) => at > step)) checkpoints.delete(later)
  if (!checkpoints.has(step) && live.stepCount === step) remember(live)
  live.act(action, step)
  ended = false
  if (action.type === 'change') judge = undefined // the world will be another
  if (judge === undefined && judgedFrom < Number.POSITIVE_INFINITY) judgedFrom = step + Math.ceil(settling / live.world.wholeStep)
}

/** Takes a run to a step of its record. */
function goTo(live: LiveRun<RunSetup>, step: number): void {
  const before = [...checkpoints.keys()].findLast((from) => from <= step)
  const checkpoint = before === undefined ? undefined : checkpoints.get(before)
  if (checkpoint === undefined) throw new RangeError(`step ${step} is not on record any more`)
  live.restore(checkpoint)
  while (live.stepCount < step) live.step()
}

function startJudge(): void {
  if (live === undefined || judge !== undefined || live.stepCount < judgedFrom) return
  judge = new Judge(live.world, [loops.get(live.world)])
}

/** The last step sent of a recording. */
let reached = 0

/** Tells the next snapshots of a recording, and when it is over. */
function play(): void {
  if (recorded === undefined || ended) return
  const { snapshots, end } = recorded
  const last = snapshots[snapshots.length - 1]
  const next = snapshots.filter((one) => one.step > reached && one.step <= target && (one.step % every === 0 || one === last))
  if (next.length > 0) {
    scope.postMessage({ type: 'snapshots', run, snapshots: next, features: [] })
    reached = next[next.length - 1].step
  }
  if (target < last.step) return
  ended = true
  scope.postMessage({ type: 'failed', run, message: end, t: last.t })
}

function simulate(): void {
  if (recorded !== undefined) play()
  if (live === undefined || ended || waiting || live.stepCount >= target) return
  const snapshots: Snapshot[] = []
  const features: FeaturesAt[] = []
  let laws: readonly LawCheck[] | undefined
  const deadline = performance.now() + portion
  try {
    for (let now = 0; live.stepCount < target && now < deadline; ) {
      const begin = live.stepCount
      const stop = Math.min(target, begin + every - (begin % every))
      let spent = 0
      startJudge()
      while (live.stepCount < stop && spent < longest) {
        judge?.before()
        const before = performance.now()
        live.step()
        spent += performance.now() - before
        judge?.after()
      }
      now = performance.now()
      measure(spent, live.stepCount - begin)
      if (live.stepCount < stop) break // what has been said so far is that it goes on
      laws = judge?.laws()
      snapshots.push(judged(snapshot(live.world), laws))
      features.push(...watched(live.world))
      remember(live)
    }
  } catch (error) {
    if (snapshots.length > 0) scope.postMessage({ type: 'snapshots', run, snapshots, features, laws })
    scope.postMessage({ type: 'failed', run, message: describe(error), t: live.world.state.t[0] })
    ended = true
    return
  }
  scope.postMessage({ type: 'snapshots', run, snapshots, features, laws })
  if (live.stepCount < target) {
    waiting = true
    turn.port2.postMessage(0)
  }
}

function remember(live: LiveRun<RunSetup>): void {
  checkpoints.set(live.stepCount, live.save())
  if (checkpoints.size <= snapshotCapacity) return
  const kept = new Set(thinned([...checkpoints.keys()].sort((a, b) => a - b)))
  for (const step of checkpoints.keys()) if (!kept.has(step)) checkpoints.delete(step)
}

function refine(from: number, to: number): void {
  if (recorded !== undefined) {
    const between = recorded.snapshots.filter(({ step }) => step > from && step <= to)
    scope.postMessage({ type: 'snapshots', run, snapshots: between, features: [] })
    return
  }
  if (live === undefined) return
  const present = live.save()
  const snapshots: Snapshot[] = []
  const features: FeaturesAt[] = []
  goTo(live, from)
  while (live.stepCount < to) {
    live.step()
    snapshots.push(snapshot(live.world))
    features.push(...watched(live.world))
  }
  live.restore(present)
  scope.postMessage({ type: 'snapshots', run, snapshots, features })
}

/** The feature contacts of the step that has just ended, if the page shows them. */
function watched(world: World): FeaturesAt[] {
  if (!watching || world.contactModel.reading !== 'features') return []
  // nothing has been detected before the first step
  if (world.stepCount === 0) return [{ step: 0, moment: undefined }]
  return [{ step: world.stepCount, moment: featureMoment(world.contacts, world.dt) }]
}

async function tape({ run, toStep, format, info }: Extract<ToWorker, { type: 'tape' }>): Promise<void> {
  try {
    if (begun === undefined || live === undefined) throw new Error('there is no run to be recorded')
    const { taped } = await import('../recordings/tape.ts')
    const again = liveRunOf(begun)
    again.record.push(...live.record)
    scope.postMessage({ type: 'tape', run, files: taped(again, toStep, format, info) })
  } catch (error) {
    scope.postMessage({ type: 'tape', run, files: [], problem: describe(error) })
  }
}

function featuresOf(step: number): FeaturesAt {
  if (live?.world.contactModel.reading !== 'features') return { step, moment: undefined }
  return { step, moment: visit(step, ({ contacts, dt }) => featureMoment(contacts, dt)) }
}

function checkpointOf(step: number): Checkpoint | undefined {
  return checkpoints.get(step)?.checkpoint ?? visit(step, (world) => world.checkpoint())
}

/**
 * Computes a step of the record again, from the checkpoint before it, reads something of the world as it then is, and returns to where the
 * run was; undefined for a step that is not on record.
 */
function visit<T>(step: number, read: (world: World) => T): T | undefined {
  const before = [...checkpoints.keys()].findLast((from) => from < step)
  const checkpoint = before === undefined ? undefined : checkpoints.get(before)
  if (live === undefined || checkpoint === undefined || step > live.stepCount) return undefined
  const present = live.save()
  try {
    live.restore(checkpoint)
    while (live.stepCount < step) live.step()
    return read(live.world)
  } finally {
    live.restore(present)
  }
}

function measure(milliseconds: number, steps: number): void {
  busy += milliseconds
  busySteps += steps
  if (busy < measured) return
  stepTime = (1000 * busy) / busySteps
  busy = busySteps = 0
}

function judged(snapshot: Snapshot, laws: readonly LawCheck[] | undefined = judge?.laws()): Snapshot {
  return laws === undefined ? snapshot : { ...snapshot, laws: lawValues(laws) }
}

/** Of a world that has made no step: what a step finds is not known. */
const beforeSteps = (world: World): Snapshot => ({
  ...snapshot(world),
  penetration: Number.NaN,
  force: Number.NaN,
})

function snapshot(world: World): Snapshot {
  const { contacts, dt, events, state, pulls } = world
  const loop = loops.get(world)
  const { list, bodies, mu, penetration, force } = describeContacts(contacts, dt)
  return {
    step: world.stepCount,
    t: state.t[0],
    q: state.q.slice(),
    contacts: list,
    penetration,
    force,
    hash: world.hash(),
    stepTime,
    solverFailures: events.failures,
    fallbacks: events.fallbacks,
    tunnelled: events.tunnelled,
    v: state.v.slice(),
    tau: world.tau.slice(),
    contactBodies: bodies,
    energy: mechanicalEnergy(world),
    target: loop === undefined ? new Float64Array(0) : Float64Array.of(...loop.target.joints, ...loop.target.base),
    pull: pulls.length === 0 ? undefined : Float64Array.of(...pulls[0].point, ...pulls[0].to, ...pulls[0].force),
    mu,
  }
}

/** Of the present state [J], by data of its own: the step's data stay unchanged. */
function mechanicalEnergy({ model, state }: World): number {
  const own = createState(model)
  own.q.set(state.q)
  own.v.set(state.v)
  const data = createData(model)
  kinematics(model, own, data)
  velocities(model, own, data)
  const energy = new Float64Array(2)
  kineticEnergy(model, own, data, energy)
  potentialEnergy(model, own, data, energy.subarray(1))
  return energy[0] + energy[1]
}

/** Contacts that touch or push; those that a model merely looked ahead at are left out. */
function describeContacts(contacts: ContactSet, dt: number) {
  const { count, bodyA, bodyB, point, normal, tangent1, tangent2, inverse2, gap, impulse, adhesion } = contacts
  const mu = new Float32Array(count)
  const list = new Float32Array(count * contactStride)
  const bodies = new Int32Array(2 * count)
  const total = [0, 0, 0]
  let penetration = 0
  let end = 0
  for (let i = 0; i < count; i++) {
    const pushes = impulse[3 * i] !== 0 || impulse[3 * i + 1] !== 0 || impulse[3 * i + 2] !== 0
    if (!pushes && gap[i] > 0) continue
    for (let k = 0; k < 3; k++) {
      const force =
        ((impulse[3 * i] - adhesion[i]) * normal[3 * i + k] +
          impulse[3 * i + 1] * tangent1[3 * i + k] +
          impulse[3 * i + 2] * tangent2[3 * i + k]) /
        dt
      list[end + k] = point[3 * i + k]
      list[end + 3 + k] = normal[3 * i + k]
      list[end + 6 + k] = force
      total[k] += force
    }
    list[end + 9] = gap[i]
    bodies.set([bodyA[i], bodyB[i]], (2 * end) / contactStride)
    // in the direction in which friction acts
    const [, f1, f2] = impulse.subarray(3 * i, 3 * i + 3)
    const acts = inverse2[i] !== 1 && (f1 !== 0 || f2 !== 0)
    mu[end / contactStride] = contacts.mu[i] * (acts ? Math.hypot(f1, f2 / Math.sqrt(inverse2[i])) / Math.hypot(f1, f2) : 1)
    penetration = Math.max(penetration, -gap[i])
    end += contactStride
  }
  return {
    list: list.slice(0, end),
    bodies: bodies.slice(0, (2 * end) / contactStride),
    mu: mu.slice(0, end / contactStride),
    penetration,
    force: Math.hypot(total[0], total[1], total[2]),
  }
}

function createWorld(setup: RunSetup): World {
  const { contactModel, controller, dt, physical, fixtures, gain = 1, gravity, options } = setup
  if (setup.scene !== undefined) {
    if (scene === undefined) throw new Error('the scenario was not read')
    const { world, loop } = scene.worldOf(scene.prepared, setup)
    if (loop) loops.set(world, loop)
    return world
  }
  const { robot } = setup
  const own =
    gravity === undefined ? robot : { ...robot, model: { ...robot.model, gravity: Float64Array.of(0, 0, 0, ...gravity) } }
  const plain = createController(controller, own, options)
  const loop = plain === undefined || gain === 1 ? plain : scaled(plain, gain)
  const world = new World({ robot: own, contactModel: contactModelNamed(contactModel), dt, physical, fixtures, controller: loop })
  if (loop) loops.set(world, loop)
  return world
}

function liveRunOf({ from, ...setup }: RunSetup): LiveRun<RunSetup> {
  // of a fork's inherited state, the controller's memory depends on the step and the model at most
  const left = from && { setup: { ...setup, contactModel: from.contactModel, dt: from.dt }, checkpoint: from }
  return new LiveRun<RunSetup>(setup, createWorld, left)
}

/** Of a run on compiled dynamics from its first step. */
async function hashOfRun(setup: RunSetup, steps: number, restoreAt?: number): Promise<string> {
  await compilation.load()
  compilation.after = 0
  const world = createWorld(setup)
  const advance = (to: number) => {
    while (world.stepCount < to) world.step()
  }
  if (restoreAt !== undefined) {
    advance(restoreAt)
    const checkpoint = structuredClone(world.checkpoint())
    advance(Math.floor((restoreAt + steps) / 2))
    world.restore(checkpoint)
  }
  advance(steps)
  if (world.data.compiled?.isReady !== true) throw new Error('the dynamics were not compiled')
  return world.hash()
}

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error))
