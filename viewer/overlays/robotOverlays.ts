/** Overlays of the robot and its posture. */

import type { Color } from 'three'
import { crossed, type Model, TendonLengths } from '../../dynamics/index.ts'
import { eigenSymmetric3 } from '../../robots/index.ts'
import { along, amber, at, blue, green, grey, type Pen, type Point, red, type Sight, teal, violet } from './pen.ts'
import { type Places, partCenter, placesOf } from './trails.ts'

/** Of links and of frames fixed to them, a bolted base among them. */
export function linkFrames(pen: Pen, { robot, data, size }: Sight): void {
  for (const { body, R, p } of robot.frames) {
    const [R_WB, p_WB] = [data.R_WB[body], data.p_WB[body]]
    const origin = at(p_WB, R_WB, p[0], p[1], p[2])
    const axes = new Array<number>(9)
    for (let c = 0; c < 3; c++) {
      const end = at([0, 0, 0], R_WB, R[c], R[3 + c], R[6 + c])
      for (let r = 0; r < 3; r++) axes[3 * r + c] = end[r]
    }
    pen.axes(origin, axes, 0.12 * size)
  }
}

const lengths = new WeakMap<Model, TendonLengths>()

/** Tendons along their ways, as part of the robot's looks. */
export function tendons(pen: Pen, { robot: { model }, data, snapshot }: Sight): void {
  const own = lengths.get(model) ?? new TendonLengths(model)
  lengths.set(model, own)
  for (let t = 0; t < own.count; t++) {
    const pieces = own.drawing(snapshot.q, data, t)
    for (let k = 0; k < pieces.length; k += 6) pen.line(pieces.slice(k, k + 3), pieces.slice(k + 3, k + 6), red)
  }
}

/** A joint of one coordinate as it stands. */
interface JointSight {
  /** Origin of the body that it moves [m]. */
  readonly p: Float64Array
  /** Unit, along or about which it moves. */
  readonly axis: number[]
  readonly turns: boolean
  /** Directions across the axis; the first turns with the body. */
  readonly hand: number[]
  readonly other: number[]
}

function jointSight({ robot, data }: Sight, joint: Sight['robot']['joints'][number]): JointSight {
  const { body, type } = joint
  const S = data.SW[robot.model.sStart[body]]
  const turns = type !== 'prismatic'
  const axis = turns ? [S[0], S[1], S[2]] : [S[3], S[4], S[5]]
  const R = data.R_WB[body]
  // the axis of the body that is most across the joint's
  const cosines = [0, 1, 2].map((c) => Math.abs(R[c] * axis[0] + R[3 + c] * axis[1] + R[6 + c] * axis[2]))
  const c = cosines.indexOf(Math.min(...cosines))
  const off = R[c] * axis[0] + R[3 + c] * axis[1] + R[6 + c] * axis[2]
  const hand = [0, 1, 2].map((k) => R[3 * k + c] - off * axis[k])
  const length = Math.hypot(...hand)
  const unit = hand.map((x) => x / length)
  return { p: data.p_WB[body], axis, turns, hand: unit, other: crossed(axis, unit) }
}

/** Of each joint its axis; where it has limits its range, as an arc or a rail, and a hand where it is, red within a twentieth of a limit. */
export function jointAxes(pen: Pen, sight: Sight): void {
  const { robot, snapshot, size } = sight
  const { lower, upper } = robot.model
  for (const joint of robot.joints) {
    const { vIndex: v } = joint
    const q = snapshot.q[joint.qIndex]
    const { p, axis, turns, hand, other } = jointSight(sight, joint)
    const isBounded = lower[v] > -Infinity && upper[v] < Infinity
    const isNear = isBounded && Math.min(q - lower[v], upper[v] - q) < 0.05 * (upper[v] - lower[v])
    const color = isNear ? red : amber
    pen.line(along(p, axis, -0.1 * size), along(p, axis, 0.1 * size), color)
    if (!isBounded) continue
    const radius = 0.09 * size
    if (turns) {
      pen.line(p, along(p, hand, radius), color)
      pen.arc(p, hand, other, radius, lower[v] - q, upper[v] - q, 12, grey)
    } else {
      const beside = along(p, hand, 0.3 * radius)
      pen.line(p, beside, color)
      pen.line(along(beside, axis, lower[v] - q), along(beside, axis, upper[v] - q), grey)
    }
  }
}

/** Part of its limit that a joint's effort takes; undefined where there is none. */
export function effortShare(limit: number, effort: number): number | undefined {
  return limit > 0 && limit < Infinity ? Math.abs(effort) / limit : undefined
}

export const effortColor = (share: number): Color => (share < 0.5 ? green : share < 0.9 ? amber : red)

/** About each joint that has a limit of effort a gauge: all round at the limit. Green, from half of it on amber, from nine tenths on red. */
export function efforts(pen: Pen, sight: Sight): void {
  const { robot, snapshot, size } = sight
  for (const joint of robot.joints) {
    const share = effortShare(robot.model.effortLimit[joint.vIndex], snapshot.tau[joint.vIndex])
    if (share === undefined) continue
    const { p, hand, other } = jointSight(sight, joint)
    const part = Math.min(share, 1)
    const turn = 2 * Math.PI * part
    // lines are a pixel wide
    for (const radius of [0.11, 0.115, 0.12])
      pen.arc(p, hand, other, radius * size, 0, turn, Math.ceil(24 * part), effortColor(share))
    pen.arc(p, hand, other, 0.115 * size, turn, 2 * Math.PI, 24, grey)
  }
}

/** 24 a body: corners of the box of even density with its mass and inertia, in the body's axes [m]; NaN without mass. */
const boxes = new WeakMap<Model, readonly Float64Array[]>()

function inertiaBox(I: ArrayLike<number>): Float64Array {
  const corners = new Float64Array(24).fill(Number.NaN)
  const [m, hx, hy, hz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz] = Array.from(I)
  if (!(m > 0)) return corners
  const c = [hx / m, hy / m, hz / m]
  // about the centre of mass (Steiner)
  const { values, vectors } = eigenSymmetric3([
    Ixx - m * (c[1] * c[1] + c[2] * c[2]),
    Iyy - m * (c[0] * c[0] + c[2] * c[2]),
    Izz - m * (c[0] * c[0] + c[1] * c[1]),
    Ixy + m * c[0] * c[1],
    Ixz + m * c[0] * c[2],
    Iyz + m * c[1] * c[2],
  ])
  const sum = values[0] + values[1] + values[2]
  // m (b² + c²) / 12 about each axis of a box
  const half = values.map((own) => 0.5 * Math.sqrt(Math.max(0, (6 / m) * (sum - 2 * own))))
  for (let i = 0; i < 8; i++) {
    for (let k = 0; k < 3; k++) {
      corners[3 * i + k] = c[k]
      for (let e = 0; e < 3; e++) corners[3 * i + k] += vectors[3 * k + e] * (i & (1 << e) ? half[e] : -half[e])
    }
  }
  return corners
}

const edges = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7]

/** Boxes of even density with each body's mass and inertia. */
export function inertiaBoxes(pen: Pen, { robot: { model }, data }: Sight): void {
  let own = boxes.get(model)
  if (own === undefined) boxes.set(model, (own = model.I.map(inertiaBox)))
  for (let i = 1; i < model.nb; i++) {
    const box = own[i]
    if (Number.isNaN(box[0])) continue
    const corners = Array.from({ length: 8 }, (_, k) =>
      at(data.p_WB[i], data.R_WB[i], box[3 * k], box[3 * k + 1], box[3 * k + 2]),
    )
    for (let e = 0; e < edges.length; e += 2) pen.line(corners[edges[e]], corners[edges[e + 1]], violet)
  }
}

/** A cross at the centre of mass of each robot, and the way down from it. */
export function massCenter(pen: Pen, { robot: { model }, parts, snapshot, size }: Sight): void {
  for (const part of parts) {
    const center = partCenter(model, placesOf(model, snapshot), part)
    if (Number.isNaN(center[0])) continue
    pen.cross(center, 0.08 * size, blue)
    pen.line(center, [center[0], center[1], 0], blue)
  }
}

/** Of a body, in world axes [m]; its origin where it has no mass. */
function bodyCenter({ robot: { model }, data }: Sight, i: number): number[] {
  const [m, hx, hy, hz] = model.I[i]
  return m > 0 ? at(data.p_WB[i], data.R_WB[i], hx / m, hy / m, hz / m) : Array.from(data.p_WB[i])
}

/** A cross at each body's own, the larger the more of the whole mass it has. */
export function massCenters(pen: Pen, sight: Sight): void {
  const { model } = sight.robot
  const whole = model.I.reduce((sum, I) => sum + I[0], 0)
  for (let i = 1; i < model.nb; i++) {
    if (model.I[i][0] > 0) pen.cross(bodyCenter(sight, i), 0.1 * sight.size * Math.cbrt(model.I[i][0] / whole), teal)
  }
}

/** At their centres of mass, where fewer of them coincide than at joints. */
export function linkNames(pen: Pen, sight: Sight): void {
  const { model } = sight.robot
  for (let i = 1; i < model.nb; i++) pen.note(bodyCenter(sight, i), model.bodyName[i])
}

/** The axes of the selected link, a ring about each, and its name. */
export function selection(pen: Pen, sight: Sight): void {
  const { data, selected, size, robot } = sight
  const [R, p] = [data.R_WB[selected], data.p_WB[selected]]
  pen.axes(p, R, 0.35 * size)
  const axes = [0, 1, 2].map((c) => [R[c], R[3 + c], R[6 + c]])
  const colors = [red, green, blue]
  for (let k = 0; k < 3; k++) pen.arc(p, axes[(k + 1) % 3], axes[(k + 2) % 3], 0.2 * size, 0, 2 * Math.PI, 24, colors[k])
  pen.note(bodyCenter(sight, selected), robot.model.bodyName[selected])
}

/** Where a point was. @param of it among the places of a snapshot */
function trail(pen: Pen, { robot, record }: Sight, of: (places: Places) => Point, color: Color): void {
  let before: Point | undefined
  for (const snapshot of record()) {
    const next = of(placesOf(robot.model, snapshot))
    if (before) pen.line(before, next, color)
    before = next
  }
}

/** Of each robot. */
export function massTrail(pen: Pen, sight: Sight): void {
  for (const part of sight.parts) trail(pen, sight, (places) => partCenter(sight.robot.model, places, part), amber)
}

/** Of the link's origin. */
export function linkTrail(pen: Pen, sight: Sight): void {
  if (sight.selected > 0) trail(pen, sight, ({ origins }) => origins[sight.selected], teal)
}
