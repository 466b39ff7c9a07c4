import { literalPeg, onFeatures, models as paperModels } from '../../../cases/papers/peg/models.ts'
import {
  bodyPairsOf,
  type Collider,
  CollisionPairs,
  type ContactConstraints,
  ContactDetector,
  type ContactModelContext,
  type ContactModelOptions,
  type ContactStep,
  constraintKind,
  contactModels,
  defaultPhysicalInputs,
  FeatureContactSet,
  featureKind,
  featuresOf,
  noEvents,
  type PlacedShape,
  type SavedProblem,
  type SolverEvents,
  treesOf,
} from '../../../contact/index.ts'
import {
  type BodyDefinition,
  buildModel,
  createData,
  createState,
  type Data,
  JointType,
  kinematics,
  quaternionOfRotation,
  type Random,
  rotationOfQuaternion,
  type State,
  velocities,
} from '../../../dynamics/index.ts'
import { exactSeparation, place } from '../geometry/exactOverlap.ts'
import { dot, identity, minus, origin, plus, product, rotation, turned, turnedBack } from '../geometry/poses.ts'
import { type Corner, type CornerBody, cross, spinAfter, timesSymmetric } from './corners.ts'

/*
 * One step of one contact model from a configuration of `corners.ts`, and what it is worth by tests that belong to no model: poses and
 * velocities before and after, contacts and impulses are all that is read of it.
 */

export interface Contender {
  readonly name: string
  readonly model: keyof typeof models
  readonly options: ContactModelOptions
}

/** Place and motion of one body: R row-major, body's axes to world's; both velocities in world axes, of the origin [rad/s, m/s]. */
export interface Motion {
  readonly R: Float64Array
  readonly p: Float64Array
  readonly omega: Float64Array
  readonly v: Float64Array
}

export type Motions = readonly [Motion, Motion]

/** A configuration whose contacts were asked for. */
interface Look {
  readonly bodies: Motions
  readonly feature: Int32Array
  readonly gap: Float64Array
  readonly point: Float64Array
}

export interface Outcome {
  readonly corner: Corner
  /** At the start, and at the end of the step with its velocity. */
  readonly start: Motions
  readonly end: Motions
  /** What the model left in the step: its contacts with their impulses. */
  readonly contacts: FeatureContactSet
  /** Where they were found, with the velocity that leads there; at the start with that of the start. */
  readonly seenFrom: Look
  readonly isAtStart: boolean
  /** Whether contacts are those of features, under constraints. */
  readonly byFeatures: boolean
  /** Where its gaps were read last: rows may be those of an earlier look. */
  readonly gapsFrom: Look
  /** The start, and whatever else was looked at, in this order. */
  readonly looks: readonly Look[]
  readonly events: SolverEvents
  readonly problem: () => SavedProblem | undefined
}

/** Takes the step. */
export function outcomeOf(corner: Corner, { model: name, options }: Contender): Outcome {
  const { bodies, planar, dt, friction } = corner
  const moving = bodies.filter(({ fixed }) => !fixed)
  const joint = planar ? { jointType: JointType.planar, axis: [0, 0, 1] as const } : { jointType: JointType.floating }
  const model = buildModel(
    'corner',
    moving.map(({ mass, inertia }, i): BodyDefinition => {
      return { name: `body ${i}`, jointName: `joint ${i}`, parent: 0, ...joint, mass, inertia: [...inertia] }
    }),
    [0, 0, 0],
  )
  const placed = ({ shape }: CornerBody, i: number): PlacedShape => ({
    name: `shape ${i}`,
    body: i,
    shape,
    R: identity,
    p: origin,
  })
  const shapes = moving.map((body, i) => placed(body, i + 1))
  const fixtures = bodies
    .filter(({ fixed }) => fixed)
    .map((body): PlacedShape => ({ name: 'fixture', body: 0, shape: body.shape, R: body.R, p: body.p }))
  const rules = { robotOf: Int32Array.from(shapes.keys()) }
  const pairs = new CollisionPairs(model, shapes, fixtures, rules)
  const state = createState(model)
  moving.forEach((body, i) => {
    writeState(body, planar, state, model.qStart[i + 1], model.vStart[i + 1])
  })
  const physical = { ...defaultPhysicalInputs, friction, restitution: 0 }
  const context: ContactModelContext = {
    model,
    trees: treesOf(model),
    physical,
    integrator: 'semi-implicit-euler',
    dt,
    gravity: 0,
    pairCount: pairs.count,
    bodyPairs: bodyPairsOf(model, pairs, shapes),
    loops: [],
    start: state.q.slice(),
  }
  const contactModel = models[name](context, options)
  const { reading, features } = contactModel
  const detector = new ContactDetector(model, shapes, fixtures, physical, { ...rules, reading, features })
  const horizon = Float64Array.of(contactModel.lookAhead * dt)
  const memory = new Float64Array(detector.memorySize)
  const data = createData(model)
  const contacts = new FeatureContactSet()
  const detect = (at: State, into: Data, found: FeatureContactSet, remembered: Float64Array) => {
    kinematics(model, at, into)
    velocities(model, at, into)
    detector.detect(into, horizon, found, remembered)
  }

  const startR = bodies.map(({ R }) => R)
  const motions = (at: State): Motions => {
    let i = 0
    const list = bodies.map((body, k): Motion => {
      if (body.fixed) return { R: body.R, p: body.p, omega: new Float64Array(3), v: new Float64Array(3) }
      i++
      return readMotion(at, model.qStart[i], model.vStart[i], planar, startR[k])
    })
    return [list[0], list[1]]
  }
  const start = motions(state)
  const looks: Look[] = []
  const keep = (bodies: Motions, { count, feature, gap, point }: FeatureContactSet) => {
    looks.push({ bodies, feature: feature.slice(0, count), gap: gap.slice(0, count), point: point.slice(0, 3 * count) })
  }
  const events = noEvents(contactModel.solvers)
  detect(state, data, contacts, memory)
  keep(start, contacts)
  const step: ContactStep = {
    model,
    state,
    data,
    contacts,
    tau: new Float64Array(model.nv),
    dt,
    memory: new Float64Array(contactModel.memorySize),
    events,
    detect: () => detect(state, data, contacts, memory),
    detectStart: () => detect(state, data, contacts, memory),
    detectAt: (at, into, found) => {
      detect(at, into, featuresOf(found), memory.slice())
      keep(motions(at), featuresOf(found))
    },
  }
  contactModel.advance(step)
  let seen = looks.length - 1
  while (seen > 0 && !isOf(looks[seen], contacts)) seen--
  return {
    corner,
    start,
    end: motions(state),
    contacts,
    seenFrom: looks[seen],
    isAtStart: seen === 0,
    byFeatures: reading === 'features',
    gapsFrom: looks[seen === 0 ? 0 : Math.max(seen, lookAt(looks, motions(state)) - 1)],
    looks,
    events,
    problem: () => contactModel.problem?.(),
  }
}

function writeState({ R, p, omega, v }: CornerBody, planar: boolean, state: State, q: number, k: number): void {
  const own = [0, 1, 2].map((d) => R[d] * v[0] + R[3 + d] * v[1] + R[6 + d] * v[2])
  if (planar) {
    state.q.set([p[0], p[1], Math.atan2(R[3], R[0])], q)
    state.v.set([own[0], own[1], omega[2]], k)
  } else {
    state.q.set(p, q)
    quaternionOfRotation(state.q, q + 3, R)
    state.v.set([...omega, ...own], k)
  }
}

/** A step keeps a spin in the axes of its start, and turns the velocity of the origin into those of its end. */
function readMotion({ q, v }: State, at: number, k: number, planar: boolean, startR: Float64Array): Motion {
  if (planar) {
    const R = rotation([0, 0, 1], q[at + 2])
    const omega = Float64Array.of(0, 0, v[k + 2])
    return { R, p: Float64Array.of(q[at], q[at + 1], 0), omega, v: turned(R, [v[k], v[k + 1], 0]) }
  }
  const R = new Float64Array(9)
  rotationOfQuaternion(R, q, at + 3)
  return { R, p: q.slice(at, at + 3), omega: turned(startR, v.slice(k, k + 3)), v: turned(R, v.slice(k + 3, k + 6)) }
}

/** The last look that was at the answer. */
function lookAt(looks: readonly Look[], end: Motions): number {
  const isAt = ({ bodies }: Look) =>
    bodies.every((motion, b) =>
      [0, 1, 2].every(
        (k) =>
          Math.abs(motion.p[k] - end[b].p[k]) < 1e-13 &&
          Math.abs(motion.omega[k] - end[b].omega[k]) <= 1e-12 * Math.abs(end[b].omega[k]),
      ),
    )
  let last = looks.length - 1
  while (last > 0 && !isAt(looks[last])) last--
  return last
}

/** Whether contacts were found there. */
function isOf({ feature, gap, point }: Look, contacts: FeatureContactSet): boolean {
  return (
    feature.length === contacts.count &&
    feature.every((x, i) => x === contacts.feature[i]) &&
    gap.every((x, i) => x === contacts.gap[i]) &&
    point.every((x, k) => x === contacts.point[k])
  )
}

/** The motion without contact: straight, the spin changed by gyration. */
export function freeMotion({ bodies, dt }: Corner): Motions {
  const list = bodies.map(({ fixed, R, p, omega, v, inertia }): Motion => {
    if (fixed) return { R, p, omega: new Float64Array(3), v: new Float64Array(3) }
    return { R, p, omega: turned(R, spinAfter(omega, inertia, dt)), v }
  })
  return [list[0], list[1]]
}

/** Where a body is after a time at constant velocities. */
export function moved({ R, p, omega, v }: Motion, time: number): Motion {
  const speed = Math.hypot(...omega)
  const turn =
    speed > 0
      ? rotation(
          omega.map((w) => w / speed),
          time * speed,
        )
      : identity
  return { R: product(turn, R), p: p.map((x, k) => x + time * v[k]), omega, v }
}

/** By the exact test. */
export function separationAt({ bodies, planar }: Corner, [a, b]: Motions): number {
  place(bodies[0].collider, a.R, a.p)
  place(bodies[1].collider, b.R, b.p)
  return exactSeparation(bodies[0].collider, bodies[1].collider, planar)
}

/**
 * The least separation found at so many equal parts of the step, its end left out; parts in which the bodies cannot come as near as they
 * are apart are passed over.
 */
export function leastOnTheWay(corner: Corner, [a, b]: Motions, parts: number): number {
  const { bodies, dt } = corner
  const approach = Math.hypot(...b.v.map((x, k) => x - a.v[k]))
  const turning = Math.hypot(...a.omega) * bodies[0].collider.radius + Math.hypot(...b.omega) * bodies[1].collider.radius
  // twice, for radii are about the middle of the shape and not its origin
  const part = ((approach + 2 * turning) * dt) / parts
  let least = Infinity
  for (let k = 1; k < parts; ) {
    const time = (dt * k) / parts
    const separation = separationAt(corner, [moved(a, time), moved(b, time)])
    least = Math.min(least, separation)
    k += Math.max(1, Math.floor(separation / part))
  }
  return least
}

/** The motion that leads from the start to the end of the step: that of the positions, whatever the velocity afterwards is. */
export function motionBetween({ bodies, dt }: Corner, start: Motions, end: Motions): Motions {
  const list = bodies.map((_, i): Motion => {
    const { R, p } = start[i]
    const turn = product(end[i].R, transposed(R))
    return { R, p, omega: rotationVector(turn).map((x) => x / dt), v: end[i].p.map((x, k) => (x - p[k]) / dt) }
  })
  return [list[0], list[1]]
}

const transposed = (R: Float64Array) => Float64Array.of(R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])

function rotationVector(R: Float64Array): Float64Array {
  const axis = Float64Array.of(R[7] - R[5], R[2] - R[6], R[3] - R[1])
  const sine = Math.hypot(...axis) / 2
  const angle = Math.atan2(sine, (R[0] + R[4] + R[8] - 1) / 2)
  return axis.map((x) => (sine > 0 ? (x / 2 / sine) * angle : 0))
}

/** |v|, of the differences of two motions, in the metric of the mass matrix [√J]. */
export function distanceInM({ bodies }: Corner, x: Motions, y: Motions): number {
  let sum = 0
  for (const [i, { fixed, R, mass, inertia }] of bodies.entries()) {
    if (fixed) continue
    const dv = x[i].v.map((a, k) => a - y[i].v[k])
    const dw = x[i].omega.map((a, k) => a - y[i].omega[k])
    const own = turnedBack(R, dw)
    sum += mass * dot(dv, dv) + dot(own, timesSymmetric(inertia, own))
  }
  return Math.sqrt(sum)
}

export interface Linearised {
  /** Gaps at the end of the step by the model's last linearisation [m]. */
  readonly gap: Float64Array
  /** Least value of a constraint [m]: negative where one is violated; Infinity without constraints. */
  readonly least: number
  /** Largest of impulse times gap, over the mass of the lighter mover [m²/s]. */
  readonly product: number
  /** Contacts that push although the rules of `ContactConstraints` say that they may not. */
  readonly forbidden: readonly string[]
  /** Largest miss of M (v⁺ - v_free) = Jᵀ p, over |M v_free| (of either body's momentum and spin, in its own unit). */
  readonly momentum: number
}

/** How an impulse at a contact works on a body: its arm, and what turns its torque into a change of the angular momentum. */
interface Lever {
  arm(i: number, b: number): Float64Array
  /** 9 a body: changes of the angular velocity, to changes of the turn there. */
  readonly turns: readonly Float64Array[]
}

/**
 * The two ways in which an end of the step is linearised: gaps change exactly as the bodies move there; or impulses act upon bodies that are
 * where they are at the start, on one line through the mean of the places where the points in touch are then, weighed by the
 * masses crosswise, so that momentum is kept.
 */
function leversOf({ corner, start, contacts, seenFrom, isAtStart }: Outcome): readonly Lever[] {
  const { bodies, dt } = corner
  const there = seenFrom.bodies
  const pointOf = (i: number) => contacts.point.slice(3 * i, 3 * i + 3)
  const fromThere: Lever = {
    arm: (i, b) => pointOf(i).map((x, d) => x - there[b].p[d]),
    turns: there.map(({ omega }) => (isAtStart ? identity : leftJacobian(omega, dt))),
  }
  const [massA, massB] = bodies.map(({ fixed, mass }) => (fixed ? 0 : mass))
  // what does not move has no say
  const share = massA === 0 ? 1 : massA / (massA + massB)
  const fromStart: Lever = {
    arm(i, b) {
      const back = [0, 1].map((c) => {
        const own = turnedBack(there[c].R, minus(pointOf(i), there[c].p))
        return turned(start[c].R, own).map((x, d) => x + start[c].p[d])
      })
      return back[0].map((x, d) => (1 - share) * x + share * back[1][d] - start[b].p[d])
    },
    turns: [identity, identity],
  }
  return isAtStart ? [fromThere] : [fromThere, fromStart]
}

/**
 * The last problem, worked out anew from contacts, impulses and velocities, by the one of the two ways of linearising that the
 * momentum tells: gap at the end = gap there + its derivative by the velocity that leads there, times the difference of the velocities.
 */
export function linearised(outcome: Outcome): Linearised {
  const { corner, contacts, gapsFrom, isAtStart, byFeatures, end, looks } = outcome
  const { bodies, dt } = corner
  const { count, normal, impulse } = contacts
  const levers = leversOf(outcome)
  const misses = levers.map((lever) => momentumMiss(corner, contacts, lever, end))
  const momentum = Math.min(...misses)
  const lever = levers[misses.indexOf(momentum)]
  const there = gapsFrom.bodies
  const gapThere = gapsOf(contacts, gapsFrom)
  const out = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const n = normal.subarray(3 * i, 3 * i + 3)
    let speed = 0
    for (const [b, sign] of [-1, 1].entries()) {
      // from the start, the whole velocity counts
      const change = (x: Float64Array, y: Float64Array) => x.map((a, k) => a - (isAtStart ? 0 : y[k]))
      const turning = cross(turned(lever.turns[b], change(end[b].omega, there[b].omega)), lever.arm(i, b))
      const v = change(end[b].v, there[b].v)
      speed += sign * dot(n, plus(v, turning))
    }
    out[i] = gapThere[i] + dt * speed
  }
  const lighter = Math.min(...bodies.map(({ fixed, mass }) => (fixed ? Infinity : mass)))
  let largest = 0
  for (let i = 0; i < count; i++) largest = Math.max(largest, Math.abs(impulse[3 * i] * out[i]) / lighter)
  const { least: value, forbidden } = readConstraints(contacts.constraints, contacts, out, !byFeatures)
  // a model that has looked at the end of the free motion and found it legal had no problem to solve
  const least = looks.length > 1 && impulse.subarray(0, 3 * count).every((p) => p === 0) ? Infinity : value
  return { gap: out, least, product: largest, forbidden, momentum }
}

/** Gaps of contacts as they were found elsewhere; their own where they were not. */
function gapsOf({ count, feature, gap }: FeatureContactSet, elsewhere: Look): Float64Array {
  const known = new Map(Array.from(elsewhere.feature, (x, i) => [x, elsewhere.gap[i]]))
  return Float64Array.from({ length: count }, (_, i) => known.get(feature[i]) ?? gap[i])
}

/** How the turn after dt changes with the angular velocity: exp(dt (w + e)) = exp(dt J e) exp(dt w) to first order in e, over dt. */
function leftJacobian(omega: Float64Array, dt: number): Float64Array {
  const angle = dt * Math.hypot(...omega)
  if (angle < 1e-12) return identity
  const [x, y, z] = omega.map((w) => (w * dt) / angle)
  const a = Math.sin(angle) / angle
  const b = (1 - Math.cos(angle)) / angle
  const c = 1 - a
  return Float64Array.of(
    a + c * x * x,
    c * x * y - b * z,
    c * x * z + b * y,
    c * x * y + b * z,
    a + c * y * y,
    c * y * z - b * x,
    c * x * z - b * y,
    c * y * z + b * x,
    a + c * z * z,
  )
}

/** Gaps may miss zero by so much and still count as zero [m]. */
const zeroGap = 1e-10

function readConstraints(
  { count, kind, memberStart, pushing, contactStart, contact }: ContactConstraints,
  contacts: FeatureContactSet,
  gap: Float64Array,
  eachAlone: boolean,
): { least: number; forbidden: string[] } {
  let least = Infinity
  const forbidden: string[] = []
  const allowed = new Uint8Array(contacts.count)
  for (let i = 0; i < contacts.count && eachAlone; i++) {
    least = Math.min(least, gap[i])
    if (Math.abs(gap[i]) <= zeroGap) allowed[i] = 1
  }
  for (let g = 0; g < count; g++) {
    let value = -Infinity
    const members: number[] = []
    for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
      let lowest = Infinity
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) lowest = Math.min(lowest, gap[contact[k]])
      members.push(lowest)
      value = Math.max(value, lowest)
    }
    least = Math.min(least, value)
    if (kind[g] === constraintKind.cross) continue
    for (let m = 0; m < pushing[g]; m++) {
      const from = memberStart[g] + m
      for (let k = contactStart[from]; k < contactStart[from + 1]; k++) {
        const i = contact[k]
        if (value <= zeroGap && gap[i] <= members[m] + zeroGap && Math.abs(gap[i]) <= zeroGap) allowed[i] = 1
      }
    }
  }
  for (let i = 0; i < contacts.count; i++) {
    const p = contacts.impulse[3 * i]
    if (p < 0) forbidden.push(`contact ${i} pulls with ${p} N s`)
    if (p > 0 && allowed[i] === 0) forbidden.push(`contact ${i} pushes with ${p} N s at gap ${gap[i]} m`)
  }
  return { least, forbidden }
}

function momentumMiss(corner: Corner, contacts: FeatureContactSet, { arm, turns }: Lever, end: Motions): number {
  const free = freeMotion(corner)
  const { count, normal, tangent1, tangent2, impulse } = contacts
  let worst = 0
  for (const [b, { fixed, R, mass, inertia }] of corner.bodies.entries()) {
    if (fixed) continue
    const sign = b === 0 ? -1 : 1
    const linear = new Float64Array(3)
    const angular = new Float64Array(3)
    let size = 0
    for (let i = 0; i < count; i++) {
      const f = Float64Array.from([0, 1, 2], (d) => {
        const k = 3 * i + d
        return sign * (impulse[3 * i] * normal[k] + impulse[3 * i + 1] * tangent1[k] + impulse[3 * i + 2] * tangent2[k])
      })
      if (f.every((x) => x === 0)) continue
      const torque = turnedBack(turns[b], cross(arm(i, b), f))
      size = Math.max(size, Math.hypot(...f))
      for (let d = 0; d < 3; d++) {
        linear[d] += f[d]
        angular[d] += torque[d]
      }
    }
    const turn = turnedBack(R, minus(end[b].omega, free[b].omega))
    const spin = turned(R, timesSymmetric(inertia, turn))
    const reach = corner.bodies[b].collider.radius
    const scale = mass * (Math.hypot(...free[b].v) + reach * Math.hypot(...free[b].omega)) + size
    for (let d = 0; d < 3; d++) {
      worst = Math.max(worst, Math.abs(mass * (end[b].v[d] - free[b].v[d]) - linear[d]) / scale)
      // polygons turn about z alone
      if (corner.planar && d < 2) continue
      worst = Math.max(worst, Math.abs(spin[d] - angular[d]) / (scale * reach))
    }
  }
  return worst
}

export interface Surface {
  /** How far what pushes is from the other body's feature along it, at the end of the step: to the side [m]. */
  readonly aside: number
  /** And along the normal: it pushes from afar [m]. */
  readonly apart: number
  readonly pushing: number
}

/** Of all contacts that push, the worst. Features are looked up at the end of the step; of manifolds the points are moved there. */
export function surface({ corner, contacts, seenFrom, byFeatures, end }: Outcome): Surface {
  const colliders = corner.bodies.map(({ collider }) => collider) as [Collider, Collider]
  colliders.forEach((collider, i) => {
    place(collider, end[i].R, end[i].p)
  })
  let [aside, apart, pushing] = [0, 0, 0]
  // impulses of rounding and of softness do not count: 1e-9 of all, or 1e-10 m/s of the lighter body
  const lighter = Math.min(...corner.bodies.map(({ fixed, mass }) => (fixed ? Infinity : mass)))
  const total = contacts.impulse.subarray(0, 3 * contacts.count).reduce((sum, x) => sum + Math.abs(x), 0)
  for (let i = 0; i < contacts.count; i++) {
    if (!(contacts.impulse[3 * i] > Math.max(1e-9 * total, 1e-10 * lighter))) continue
    pushing++
    const pair = corner.planar ? planarPair(corner, contacts, i, seenFrom.bodies) : [contacts.featureA[i], contacts.featureB[i]]
    const miss = byFeatures
      ? featureMiss(colliders, contacts.kind[i], pair[0], pair[1])
      : pointMiss(colliders, contacts, i, seenFrom.bodies, end)
    aside = Math.max(aside, miss[0])
    apart = Math.max(apart, miss[1])
  }
  return { aside, apart, pushing }
}

type Miss = readonly [aside: number, apart: number]

function featureMiss([a, b]: readonly [Collider, Collider], kind: number, i: number, j: number): Miss {
  if (kind === featureKind.vertexFace) return vertexMiss(a.verticesW, i, b, j)
  if (kind === featureKind.faceVertex) return vertexMiss(b.verticesW, j, a, i)
  return edgeMiss(a, i, b, j)
}

/** Polygons number their features in a way of their own: the prism's vertex that the contact is nearest to, and the face with its normal. */
function planarPair({ bodies }: Corner, { kind, point, normal }: FeatureContactSet, i: number, there: Motions): [number, number] {
  const side = kind[i] === featureKind.vertexFace ? 0 : 1
  const own = (k: number, x: ArrayLike<number>) => turnedBack(there[k].R, x)
  const P = own(side, minus(point.subarray(3 * i, 3 * i + 3), there[side].p))
  const n = own(
    1 - side,
    [0, 1, 2].map((d) => (side === 0 ? -1 : 1) * normal[3 * i + d]),
  )
  const V = bodies[side].collider.core!.vertices
  const N = bodies[1 - side].collider.core!.faceNormals
  const best = (count: number, value: (k: number) => number) => {
    const values = Array.from({ length: count }, (_, k) => value(k))
    return values.indexOf(Math.min(...values))
  }
  const vertex = best(V.length / 3, (k) => Math.hypot(V[3 * k] - P[0], V[3 * k + 1] - P[1]))
  const face = best(N.length / 3, (k) => -dot(n, N.subarray(3 * k, 3 * k + 3)))
  return side === 0 ? [vertex, face] : [face, vertex]
}

function vertexMiss(V: Float64Array, v: number, { core, verticesW, normalsW }: Collider, f: number): Miss {
  const x = V.subarray(3 * v, 3 * v + 3)
  const n = normalsW.subarray(3 * f, 3 * f + 3)
  return [besideFace(x, verticesW, core!.faces[f], n), Math.abs(height(x, verticesW, core!.faces[f][0], n))]
}

const height = (x: ArrayLike<number>, V: Float64Array, v: number, n: ArrayLike<number>) =>
  dot(n, [x[0] - V[3 * v], x[1] - V[3 * v + 1], x[2] - V[3 * v + 2]])

/** How far a point is from a convex face, across its normal. */
function besideFace(x: ArrayLike<number>, V: Float64Array, loop: Int32Array, n: ArrayLike<number>): number {
  let inside = true
  let nearest = Infinity
  const h = height(x, V, loop[0], n)
  const flat = [0, 1, 2].map((k) => x[k] - h * n[k])
  for (let k = 0; k < loop.length; k++) {
    const p = V.subarray(3 * loop[k], 3 * loop[k] + 3)
    const q = V.subarray(3 * loop[(k + 1) % loop.length], 3 * loop[(k + 1) % loop.length] + 3)
    const along = q.map((y, d) => y - p[d])
    const from = flat.map((y, d) => y - p[d])
    if (dot(cross(along, from), n) < 0) inside = false
    const t = Math.min(1, Math.max(0, dot(from, along) / dot(along, along)))
    nearest = Math.min(nearest, Math.hypot(...from.map((y, d) => y - t * along[d])))
  }
  return inside ? 0 : nearest
}

function edgeMiss(a: Collider, i: number, b: Collider, j: number): Miss {
  const ends = ({ core, verticesW: V }: Collider, e: number) =>
    [0, 1].map((s) => V.subarray(3 * core!.edges[2 * e + s], 3 * core!.edges[2 * e + s] + 3))
  const [p, q] = ends(a, i)
  const [r, s] = ends(b, j)
  const u = q.map((x, k) => x - p[k])
  const w = s.map((x, k) => x - r[k])
  const n = cross(u, w)
  const size2 = dot(n, n)
  const from = r.map((x, k) => x - p[k])
  const t = dot(cross(from, w), n) / size2
  const k = dot(cross(from, u), n) / size2
  const over = (x: number, edge: Float64Array) => Math.max(0, -x, x - 1) * Math.hypot(...edge)
  return [Math.max(over(t, u), over(k, w)), Math.abs(dot(from, n)) / Math.sqrt(size2)]
}

/** The points of the two surfaces, moved with their bodies to the end; the nearer one to the other body counts. */
function pointMiss(
  [a, b]: readonly [Collider, Collider],
  { point, normal, gap }: FeatureContactSet,
  i: number,
  there: Motions,
  end: Motions,
): Miss {
  const onto = (side: number, k: number) => {
    const x = [0, 1, 2].map((d) => point[3 * i + d] + 0.5 * side * gap[i] * normal[3 * i + d] - there[k].p[d])
    return turned(end[k].R, turnedBack(there[k].R, x)).map((y, d) => y + end[k].p[d])
  }
  const [fromA, fromB] = [surfaceMiss(onto(-1, 0), b), surfaceMiss(onto(1, 1), a)]
  return Math.hypot(...fromA) < Math.hypot(...fromB) ? fromA : fromB
}

/** From a point to the nearest face: across its normal, and along it. */
function surfaceMiss(x: Float64Array, { core, verticesW, normalsW }: Collider): Miss {
  let best: Miss = [Infinity, Infinity]
  core!.faces.forEach((loop, f) => {
    const n = normalsW.subarray(3 * f, 3 * f + 3)
    const miss: Miss = [besideFace(x, verticesW, loop, n), Math.abs(height(x, verticesW, loop[0], n))]
    if (Math.hypot(...miss) < Math.hypot(...best)) best = miss
  })
  return best
}

/**
 * How much nearer to the free motion, as a share of the answer's distance, a legal motion is that was found at random near the way
 * from the answer there: 0 if none. Legal at the end of the step and on the way.
 */
export function nearerLegal(outcome: Outcome, random: Random, trials: number): number {
  const { corner, start, end } = outcome
  const free = freeMotion(corner)
  const answer: Motions = [
    { ...start[0], omega: end[0].omega, v: end[0].v },
    { ...start[1], omega: end[1].omega, v: end[1].v },
  ]
  const whole = distanceInM(corner, answer, free)
  let best = 0
  for (let k = 0; k < trials; k++) {
    const share = random.between(0, 1)
    const spread = [0, 0.02, 0.1, 0.3][k % 4] * whole
    const trial = corner.bodies.map((body, i): Motion => {
      if (body.fixed) return free[i]
      const { mass, inertia, R } = body
      const noise = (unit: number) =>
        Float64Array.from([0, 1, 2], (d) => (corner.planar && d === 2 ? 0 : random.between(-1, 1) * unit))
      const dv = noise(spread / Math.sqrt(mass))
      const own = Float64Array.from([0, 1, 2], (d) =>
        corner.planar && d < 2 ? 0 : (random.between(-1, 1) * spread) / Math.sqrt(inertia[d]),
      )
      const dw = turned(R, own)
      const mix = (x: Float64Array, y: Float64Array, extra: Float64Array) => x.map((a, d) => a + share * (y[d] - a) + extra[d])
      return { ...start[i], omega: mix(free[i].omega, answer[i].omega, dw), v: mix(free[i].v, answer[i].v, dv) }
    })
    const motions: Motions = [trial[0], trial[1]]
    const gain = 1 - distanceInM(corner, motions, free) / whole
    if (gain <= best) continue
    if (separationAt(corner, [moved(motions[0], corner.dt), moved(motions[1], corner.dt)]) < 0) continue
    if (leastOnTheWay(corner, motions, 8) < 0) continue
    best = gain
  }
  return best
}
/** Those of the product, and those that the paper compares. */
export const models = {
  ...contactModels,
  'stewart-trinkle on features': onFeatures(contactModels['stewart-trinkle']),
  'anitescu-potra on features': onFeatures(contactModels['anitescu-potra']),
  'literal peg': literalPeg,
  'peg in the plane': paperModels.peg.inPlane,
  'lnc in the plane': paperModels.lnc.inPlane,
}
