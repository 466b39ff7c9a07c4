import type { PlacedShape } from '../../contact/geometry/index.ts'
import {
  createDataWithoutM,
  type Data,
  JointType,
  kinematics,
  kineticEnergy,
  type Model,
  potentialEnergy,
  velocities,
} from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import type { CollisionShape, Robot } from '../../robots/index.ts'
import type { World } from '../world.ts'
import { isWorld } from '../worldOptions.ts'

/** One entry of q, v or tau: its name, for example `base/wx` or a joint's, and its unit, '' for a pure number. */
export interface RecordedEntry {
  readonly name: string
  readonly unit: string
}

/** The entries of a robot's q, v and tau, in the order of its own model. */
export interface RecordedEntries {
  readonly q: readonly RecordedEntry[]
  readonly v: readonly RecordedEntry[]
  readonly tau: readonly RecordedEntry[]
}

/** Indices in `RecordingFrame.solver`. */
export const SolverEntry = { iterations: 0, failures: 1, fallbacks: 2, residualMax: 3 } as const

/**
 * The contacts of the step that ended at the frame's time: detected at its start, (step - 1) dt, with the impulses over it. Everything is
 * in world axes. Body A < body B; the normal points from A to B, and force, impulse, impact and moment act on B at the point, the opposite
 * on A. Entry i of each array is contact i, for i < count.
 */
export interface RecordedContacts {
  count: number
  /** Numbers of bodies in the world's model, 0 being the world. */
  bodyA: Int32Array
  bodyB: Int32Array
  /** Indices into `FrameSource.shapes`. */
  shapeA: Int32Array
  shapeB: Int32Array
  /** Pair of shapes, as in `ContactSet`. */
  pair: Int32Array
  feature: Int32Array
  /** 3 a contact: midway between the surfaces [m], and the unit normal. */
  point: Float64Array
  normal: Float64Array
  /** [m], negative when penetrating. */
  gap: Float64Array
  /** 3 a contact: mean force over the step, without impacts: (impulse - impact) / dt [N]. */
  force: Float64Array
  /** 3 a contact: total impulse over the step, and the part of it due to an impact [N s]. */
  impulse: Float64Array
  impact: Float64Array
  /** 3 a contact: moment of torsional friction, rolling resistance and friction offset from the point, over the step [N m s]. */
  moment: Float64Array
}

/** One instant of a recording. Its arrays are overwritten by the next `FrameSource.read`. */
export type RecordingFrame = ReturnType<typeof createFrame>

/** A collision shape to which contacts refer. */
export interface RecordedShape {
  /** Name of the shape or fixture. */
  readonly name: string
  /** 'world' for fixtures. */
  readonly link: string
  readonly placed: PlacedShape
}

/**
 * Fills frames from a world, for recorders and writers. Does not change the world; allocates only when contacts exceed their largest number
 * so far.
 */
export class FrameSource {
  readonly world: World
  /** All shapes to which contacts refer: the robots', then the fixtures. */
  readonly shapes: readonly RecordedShape[]
  /** Entries of the world's robots, in their order. */
  readonly entries: readonly RecordedEntries[]
  readonly frame: RecordingFrame
  /** The controllers' channels, of all robots; with several robots, names begin with the robot's. */
  readonly channels: readonly string[]
  /** Has `kinematics` and `velocities` of the frame, unless measuring is off. */
  readonly data: Data
  readonly #measure: boolean
  /** Per pair: indices into `shapes`. */
  readonly #shapeA: Int32Array
  readonly #shapeB: Int32Array
  /** 3: the solver's counts at the last frame. */
  readonly #last = new Float64Array(3)
  readonly #one = new Float64Array(1)

  /** @param measure whether to compute kinematics and energies. Default true */
  constructor(world: World, measure = true) {
    is.check(world, isWorld, 'world of recordings')
    const { model } = world
    this.world = world
    this.#measure = measure
    const { shapes, shapeA, shapeB } = shapesOfPairs(world)
    this.shapes = shapes
    this.#shapeA = shapeA
    this.#shapeB = shapeB
    this.entries = world.robots.map((member) => entriesOf(member.robot))
    this.data = createDataWithoutM(model)
    this.channels = world.robots.flatMap(({ name, controller }) => {
      const names = controller?.log?.names ?? []
      return world.robots.length > 1 ? names.map((channel) => `${name}/${channel}`) : names
    })
    this.frame = createFrame(model, this.channels.length)
    this.frame.step = world.stepCount
    this.#countFromNow()
  }

  /** Writes the present world, between two steps, into `frame`. */
  read(): RecordingFrame {
    const { frame, world, data } = this
    const { model, state, events } = world
    const last = this.#last
    // an earlier checkpoint was restored: the counts since are lost
    if (
      world.stepCount < frame.step ||
      events.iterations < last[SolverEntry.iterations] ||
      events.failures < last[SolverEntry.failures] ||
      events.fallbacks < last[SolverEntry.fallbacks]
    )
      this.#countFromNow()
    frame.step = world.stepCount
    frame.t.set(state.t)
    frame.q.set(state.q)
    frame.v.set(state.v)
    frame.tau.set(world.tau)
    let at = 0
    for (const { controller } of world.robots) {
      if (controller?.log === undefined) continue
      frame.log.set(controller.log.values, at)
      at += controller.log.values.length
    }
    if (this.#measure) {
      kinematics(model, state, data)
      velocities(model, state, data)
      kineticEnergy(model, state, data, this.#one)
      frame.energy[0] = this.#one[0]
      potentialEnergy(model, state, data, this.#one)
      frame.energy[1] = this.#one[0]
    }
    const { solver } = frame
    solver[SolverEntry.iterations] = events.iterations - last[SolverEntry.iterations]
    solver[SolverEntry.failures] = events.failures - last[SolverEntry.failures]
    solver[SolverEntry.fallbacks] = events.fallbacks - last[SolverEntry.fallbacks]
    solver[SolverEntry.residualMax] = events.residualMax
    this.#countFromNow()
    this.#readContacts()
    return frame
  }

  #countFromNow(): void {
    const { events } = this.world
    this.#last[SolverEntry.iterations] = events.iterations
    this.#last[SolverEntry.failures] = events.failures
    this.#last[SolverEntry.fallbacks] = events.fallbacks
  }

  #readContacts(): void {
    const out = this.frame.contacts
    const { contacts, dt } = this.world
    const { count, point, normal, tangent1, tangent2, impulse, impact, moment } = contacts
    if (count > out.gap.length) growContacts(out, contacts.capacity)
    out.count = count
    for (let c = 0; c < count; c++) {
      const pair = contacts.pair[c]
      out.bodyA[c] = contacts.bodyA[c]
      out.bodyB[c] = contacts.bodyB[c]
      out.shapeA[c] = this.#shapeA[pair]
      out.shapeB[c] = this.#shapeB[pair]
      out.pair[c] = pair
      out.feature[c] = contacts.feature[c]
      out.gap[c] = contacts.gap[c]
      const n = 3 * c
      const push = impulse[n] - contacts.adhesion[c]
      for (let k = n; k < n + 3; k++) {
        out.point[k] = point[k]
        out.normal[k] = normal[k]
        out.impulse[k] = push * normal[k] + impulse[n + 1] * tangent1[k] + impulse[n + 2] * tangent2[k]
        out.impact[k] = impact[n] * normal[k] + impact[n + 1] * tangent1[k] + impact[n + 2] * tangent2[k]
        out.moment[k] = moment[n] * normal[k] + moment[n + 1] * tangent1[k] + moment[n + 2] * tangent2[k]
        out.force[k] = (out.impulse[k] - out.impact[k]) / dt
      }
    }
  }
}

/** All shapes of a world to which contacts refer, the robots' before the fixtures, and by pair the index of each side: inverts `CollisionPairs.numberOf`, with the detector's order of A and B. @unchecked */
export function shapesOfPairs({ pairs, shapes, robot, fixtures }: World): {
  readonly shapes: readonly RecordedShape[]
  readonly shapeA: Int32Array
  readonly shapeB: Int32Array
} {
  const welded = pairs.shapeCount > shapes.length ? robot.shapes.filter(({ body }) => body === 0) : []
  const moving = [...shapes, ...welded].map(recordedShape)
  const fixed = fixtures.map((placed): RecordedShape => ({ name: placed.name, link: 'world', placed }))
  const shapeA = new Int32Array(pairs.count)
  const shapeB = new Int32Array(pairs.count)
  for (let i = 0; i < moving.length; i++) {
    for (let f = 0; f < fixtures.length; f++) {
      shapeA[i * fixtures.length + f] = moving.length + f
      shapeB[i * fixtures.length + f] = i
    }
    for (let j = i + 1; pairs.selfCount > 0 && j < moving.length; j++) {
      const pair = pairs.numberOf(i, j)
      if (pair < 0) continue
      const ordered = moving[i].placed.body < moving[j].placed.body
      shapeA[pair] = ordered ? i : j
      shapeB[pair] = ordered ? j : i
    }
  }
  return { shapes: [...moving, ...fixed], shapeA, shapeB }
}

const recordedShape = (placed: CollisionShape): RecordedShape => ({ name: placed.name, link: placed.link, placed })

/** An empty frame for a model; energies are NaN. @unchecked @param channels number of controllers' channels */
export function createFrame({ nq, nv }: Model, channels = 0) {
  const contacts = { count: 0 } as RecordedContacts
  growContacts(contacts, 32)
  return {
    /** Steps completed. */
    step: 0,
    /** 1: step dt [s]. */
    t: new Float64Array(1),
    /** nq, nv: the state at t, all robots one after another. */
    q: new Float64Array(nq),
    v: new Float64Array(nv),
    /** nv: motor efforts that acted over the step that ended at t [N m, N]. */
    tau: new Float64Array(nv),
    /** 2: kinetic and potential energy at t [J]; NaN if not measured. */
    energy: new Float64Array(2).fill(Number.NaN),
    /**
     * 4 (`SolverEntry`): iterations, failed steps and fallback steps since the last frame (or the source's creation, or the restore of an
     * earlier checkpoint); and the largest residual of the run so far.
     */
    solver: new Float64Array(4),
    /** The controllers' channels at their last tick, `FrameSource.channels`; NaN before. */
    log: new Float64Array(channels).fill(Number.NaN),
    contacts,
  }
}

/** Reserves space for `capacity` contacts and clears them. @unchecked */
export function growContacts(contacts: RecordedContacts, capacity: number): void {
  for (const name of ['bodyA', 'bodyB', 'shapeA', 'shapeB', 'pair', 'feature'] as const) contacts[name] = new Int32Array(capacity)
  contacts.gap = new Float64Array(capacity)
  for (const name of ['point', 'normal', 'force', 'impulse', 'impact', 'moment'] as const)
    contacts[name] = new Float64Array(3 * capacity)
}

const place = [
  ['x', 'm'],
  ['y', 'm'],
  ['z', 'm'],
] as const
const quaternion = [
  ['qx', ''],
  ['qy', ''],
  ['qz', ''],
  ['qw', ''],
] as const
const turning = [
  ['wx', 'rad/s'],
  ['wy', 'rad/s'],
  ['wz', 'rad/s'],
] as const
const moving = [
  ['vx', 'm/s'],
  ['vy', 'm/s'],
  ['vz', 'm/s'],
] as const
type Parts = readonly (readonly [string, string])[]

/** By joint type: the parts of its coordinates and of its velocities, in the order of `Model`. */
const parts: Record<number, { readonly q: Parts; readonly v: Parts }> = {
  [JointType.fixed]: { q: [], v: [] },
  [JointType.revolute]: { q: [['', 'rad']], v: [['', 'rad/s']] },
  [JointType.prismatic]: { q: [['', 'm']], v: [['', 'm/s']] },
  [JointType.floating]: { q: [...place, ...quaternion], v: [...turning, ...moving] },
  [JointType.planar]: {
    q: [
      ['x', 'm'],
      ['y', 'm'],
      ['angle', 'rad'],
    ],
    v: [
      ['vx', 'm/s'],
      ['vy', 'm/s'],
      ['wz', 'rad/s'],
    ],
  },
  [JointType.spherical]: { q: quaternion, v: turning },
  [JointType.mocap]: { q: [...place, ...quaternion], v: [] },
}

/**
 * Names of the entries of a robot's q, v and tau: the joint's name if it has one coordinate, else followed by a part, such as `ball/qx`. A
 * floating base's joint is called `base`. @unchecked
 */
export function entriesOf({ model, floating }: Robot): RecordedEntries {
  const { nb, jointType, jointName, qStart, vStart } = model
  const q: RecordedEntry[] = []
  const v: RecordedEntry[] = []
  for (let i = 1; i < nb; i++) {
    const joint = floating && i === 1 ? 'base' : jointName[i]
    const named = ([part, unit]: readonly [string, string]) => ({ name: part === '' ? joint : `${joint}/${part}`, unit })
    // a joint that follows another has no entries
    if (qStart[i + 1] > qStart[i]) q.push(...parts[jointType[i]].q.map(named))
    if (vStart[i + 1] > vStart[i]) v.push(...parts[jointType[i]].v.map(named))
  }
  const tau = v.map(({ name, unit }) => ({ name, unit: unit === 'm/s' ? 'N' : 'Nm' }))
  return { q, v, tau }
}

/** The entries of all robots of a world; with several robots, names begin with the robot's. @unchecked */
export function allEntries({ world, entries }: FrameSource): RecordedEntries {
  if (entries.length === 1) return entries[0]
  const all = (kind: keyof RecordedEntries) =>
    entries.flatMap((own, i) => own[kind].map(({ name, unit }) => ({ name: `${world.robots[i].name}/${name}`, unit })))
  return { q: all('q'), v: all('v'), tau: all('tau') }
}
