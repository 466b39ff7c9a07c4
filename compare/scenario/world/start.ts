/** Start states: home, the scenario's own, and a seed's perturbation. */
import { lowestPoint, type PlacedShape } from '../../../contact/geometry/index.ts'
import { CollisionPairs, treesOf } from '../../../contact/index.ts'
import {
  didYouMean,
  mulMatrix3,
  quaternionOfRotation,
  quaternionOfRotationVector,
  rotateTransposed3,
  rotationOfQuaternion,
  shortened,
} from '../../../dynamics/index.ts'
import { groundedShapes, type NamedPose, placedShapes, placesAt, type Robot, shapePairsOf } from '../../../robots/index.ts'
import type { Perturbation, Start, Vector } from '../index.ts'
import { PenetrationMeter } from './penetration.ts'
import type { Random } from './random.ts'
import { SetupError } from './setupError.ts'
import { rotationOfRpy } from './surroundings.ts'

/** Entries of a robot's own model; R and p where one that is bolted down stands elsewhere than at the origin. */
export interface StartState {
  readonly q: Float64Array
  readonly v: Float64Array
  readonly R?: Float64Array
  readonly p?: Float64Array
  /** Whether its height was not stated but found. */
  readonly isSetDown: boolean
}

export interface StartOptions {
  /** The field that states it, for messages: `start`, or `companions.NAME`. */
  readonly field: string
  /** Height of the ground, under floating bodies whose position is not stated [m]. */
  readonly ground: number
  readonly perturb?: { readonly by: Perturbation; readonly random: Random }
  /** Whether what is not stated is as in its file (`Robot.fileStart`). */
  readonly asFile?: boolean
}

/**
 * Home, with stated values put in, plus the perturbation. Numbers are drawn in one order whatever is stated.
 *
 * @throws SetupError for a joint that the robot does not have, or velocities of a base that is fixed
 */
export function startOf(robot: Robot, start: Start, { field, ground, perturb, asFile }: StartOptions): StartState {
  const fileStart = asFile && start.pose === undefined ? robot.fileStart : undefined
  const pose: Pick<NamedPose, 'q' | 'v'> = fileStart ? { q: fileStart } : poseOf(robot, start.pose, field)
  const q = pose.q.slice()
  const v = pose.v?.slice() ?? new Float64Array(robot.model.nv)
  const names = robot.joints.map(({ name }) => name)
  const jointNamed = (kind: string, name: string) => {
    const joint = robot.joints[names.indexOf(name)]
    if (joint === undefined)
      throw new SetupError(
        `${field}.${kind}.${name}: "${robot.name}" has no moving joint "${name}"; it has ${namesOf(names)}${didYouMean(name, names)}`,
      )
    return joint
  }
  for (const [name, value] of Object.entries(start.joints)) q[jointNamed('joints', name).qIndex] = value
  for (const [name, value] of Object.entries(start.jointVelocities)) v[jointNamed('jointVelocities', name).vIndex] = value
  if (perturb) perturbJoints(robot, q, perturb.by.joints, perturb.random)
  const placed = fileStart ? { ...robot, isPlaced: true } : robot
  return robot.floating ? floatingStart(placed, start, q, v, ground, perturb) : fixedStart(robot, start, q, v, field)
}

function poseOf({ name: robot, poses, home }: Robot, wanted: string | undefined, field: string): Pick<NamedPose, 'q' | 'v'> {
  if (wanted === undefined) return { q: home }
  const pose = poses.find(({ name, group }) => name === wanted || `${group}/${name}` === wanted)
  if (pose) return pose
  const known =
    poses.length === 0
      ? 'it has none: those of a URDF stand in an SRDF, which `srdf` or --srdf names; or state joints'
      : `it has ${namesOf(poses.map(({ name }) => name))}`
  throw new SetupError(`${field}.pose: "${robot}" has no pose "${wanted}"; ${known}`)
}

function perturbJoints({ joints, model }: Robot, q: Float64Array, reach: number, random: Random): void {
  for (const { qIndex, vIndex } of joints)
    q[qIndex] = Math.min(model.upper[vIndex], Math.max(model.lower[vIndex], q[qIndex] + random.within(reach)))
}

function fixedStart(robot: Robot, start: Start, q: Float64Array, v: Float64Array, field: string): StartState {
  const { position, rpy, linearVelocity, angularVelocity } = start
  const moving = Object.entries({ linearVelocity, angularVelocity }).find(([, value]) => value !== undefined)
  if (moving)
    throw new SetupError(`${field}.${moving[0]}: the base of "${robot.name}" is fixed; set base: floating, or leave it out`)
  if (position === undefined && rpy === undefined) return { q, v, isSetDown: false }
  const [x, y, z = 0] = position ?? [0, 0]
  return { q, v, R: rotationOfRpy(rpy ?? [0, 0, 0]), p: Float64Array.of(x, y, z), isSetDown: false }
}

function floatingStart(
  robot: Robot,
  { pose, position, rpy, linearVelocity, angularVelocity }: Start,
  q: Float64Array,
  v: Float64Array,
  ground: number,
  perturb: StartOptions['perturb'],
): StartState {
  if (position) q.set(position)
  const isSetDown = position === undefined ? pose === undefined && !robot.isPlaced : position.length !== 3
  if (rpy) quaternionOfRotation(q, 3, rotationOfRpy(rpy))
  const draw = (reach: readonly number[]) => reach.map((r) => (perturb ? perturb.random.within(r) : 0))
  const { by } = perturb ?? {}
  const turn = draw(by ? [by.rotation, by.rotation, by.rotation] : [])
  const shift = draw(by?.position ?? [])
  const linear = draw(by?.linearVelocity ?? [])
  const angular = draw(by?.angularVelocity ?? [])
  if (turn.some((angle) => angle !== 0)) turnBase(q, turn)
  const { treeOf } = treesOf(robot.model)
  const base = { ...robot, shapes: robot.shapes.filter(({ body }) => treeOf[body] === treeOf[1]) }
  const lowest = isSetDown ? lowestOf(base, q) : Infinity
  if (lowest < Infinity) q[2] += ground - lowest
  for (let k = 0; k < 3; k++) q[k] += shift[k] ?? 0
  // on the ground, and not in it
  if (isSetDown && by) q[2] += by.position[2]

  const R = placesAt(robot, q).R_WB[1]
  // what is stated takes the place of a keyframe's
  const add = (own: Float64Array, stated: Vector | undefined, extra: readonly number[]) => {
    if (stated === undefined && extra.every((x) => x === 0)) return
    const more = Float64Array.from(stated ?? [0, 0, 0], (x, k) => x + (extra[k] ?? 0))
    rotateTransposed3(more, R, more)
    for (let k = 0; k < 3; k++) own[k] = (stated ? 0 : own[k]) + more[k]
  }
  add(v.subarray(0, 3), angularVelocity, angular)
  add(v.subarray(3, 6), linearVelocity, linear)
  return { q, v, isSetDown }
}

/** Nearer than this to a surface counts as standing on it [m]. */
const STANDING = 1e-6
const MOST_LIFTS = 200

/**
 * Lifts a robot out of its initial overlaps by their depth, again and again: the minimum translation is never longer
 * than the way up.
 *
 * @param field that states where it is, for messages
 * @throws SetupError where that leads nowhere, as beside a high wall that it stands in with its edge
 */
export function removePenetration(robot: Robot, q: Float64Array, fixtures: readonly PlacedShape[], field: string): void {
  const shapes = robot.shapes.filter(({ body }) => body > 0)
  const excluded = shapePairsOf(robot.disabledCollisions, [...shapes, ...fixtures])
  const pairs = new CollisionPairs(robot.model, shapes, fixtures, { excluded })
  const meter = new PenetrationMeter({ robot, shapes, fixtures, pairs })
  for (let lifts = 0; lifts < MOST_LIFTS; lifts++) {
    meter.measure(placesAt(robot, q))
    if (!(meter.deepest[0] > STANDING)) return
    q[2] += meter.deepest[0]
  }
  const { a, b } = meter.namesOf(meter.deepestPair[0])
  const within = fixtures.some(({ name }) => name === a) ? a : b
  throw new SetupError(
    `${field}: "${robot.name}" was to be set down where it is ${meter.deepest[0].toPrecision(2)} m deep in "${within}", and lifting it ` +
      `did not free it; move it aside, or state its height as a third number of its position`,
  )
}

/** How much higher than the lowest shape one may be that touches as well [m]. */
const LEVEL = 5e-3

/**
 * Advice on a robot with joints that floats because its file ties it to no world, and has nothing but its root to stand on: an arm
 * or a gripper, as a rule, that is bolted down where it works. A sentence or two, or null.
 */
export function floatingNotice(robot: Robot, q: Float64Array, base: 'floating' | 'fixed' | undefined): string | null {
  if (base !== undefined || !robot.floating || robot.joints.length === 0) return null
  const point = new Float64Array(3)
  const heights = placedShapes(robot, q).map(({ shape, R, p }) => {
    lowestPoint(shape, R, p, point)
    return point[2]
  })
  const low = robot.shapes.filter((_, s) => heights[s] < Math.min(...heights) + LEVEL)
  if (low.some(({ body }) => body !== 1)) return null
  const root = robot.frames.find(({ body }) => body === 1)?.name ?? 'base'
  const stands = low.length === 0 ? 'has nothing to stand on' : 'lies loose on the ground with its root'
  return `"${robot.name}" ${stands}: its file ties "${root}" to no world, so its base floats. If it is bolted down, say --fixed, or base: fixed in a scenario.`
}

/** Further than this beyond its range counts as out of it [rad, m]: less is the rounding of a file. */
const ROUNDING = 1e-3

/** Advice on joints that start beyond their limits, which push them back from the first step on. A sentence or two, or null. */
export function limitsNote({ name: robot, joints, model }: Robot, q: Float64Array): string | null {
  const beyond = joints.filter(
    ({ qIndex, vIndex }) => q[qIndex] < model.lower[vIndex] - ROUNDING || q[qIndex] > model.upper[vIndex] + ROUNDING,
  )
  if (beyond.length === 0) return null
  const [{ name, type, qIndex, vIndex }, ...rest] = beyond
  const [lower, upper, found] = [model.lower[vIndex], model.upper[vIndex], q[qIndex]].map((x) => Number(x.toPrecision(4)))
  const unit = type === 'prismatic' ? 'm' : 'rad'
  const more = rest.length === 0 ? '' : `; so do ${namesOf(rest.map((joint) => joint.name))}`
  return `"${robot}" starts with ${name} at ${found} ${unit}, beyond its limits ${lower} to ${upper} ${unit}${more}. Give it other start.joints, or correct the limits in its file.`
}

/** Turns the base by a rotation vector in world axes. */
function turnBase(q: Float64Array, vector: readonly number[]): void {
  const quaternion = new Float64Array(4)
  const [turn, now, R] = [new Float64Array(9), new Float64Array(9), new Float64Array(9)]
  quaternionOfRotationVector(quaternion, 0, Float64Array.from(vector), 0)
  rotationOfQuaternion(turn, quaternion, 0)
  rotationOfQuaternion(now, q, 3)
  mulMatrix3(R, turn, now)
  quaternionOfRotation(q, 3, R)
}

/** Height of the lowest point that may touch the ground, Infinity if there is none, or of the base where the robot has no shapes [m]. */
export function lowestOf(robot: Robot, q: Float64Array): number {
  if (robot.shapes.length === 0) return q[2]
  const point = new Float64Array(3)
  let lowest = Infinity
  for (const { shape, R, p } of placedShapes({ ...robot, shapes: groundedShapes(robot) }, q)) {
    lowestPoint(shape, R, p, point)
    lowest = Math.min(lowest, point[2])
  }
  return lowest
}

/** The names that there are, for messages. */
export const namesOf = (names: readonly string[]) => shortened([...new Set(names)], 12) || 'none'
