import type { Data } from '../dynamics/index.ts'
import type { CollisionShape, Robot } from '../robots/index.ts'
import { homeData } from './homeData.ts'

/** A motor-driven wheel. */
export interface DriveWheel {
  /** Index into robot.joints. */
  readonly joint: number
  readonly name: string
  /** [m] */
  readonly radius: number
  /** +1 if a positive joint speed rolls towards +x of the base, -1 if towards -x. */
  readonly sign: number
  /** Centre in the base's axes [m]. */
  readonly x: number
  readonly y: number
}

/** The wheels of a robot that steers by driving its two sides at different speeds. x forward, y left. */
export interface DriveWheels {
  readonly left: readonly DriveWheel[]
  readonly right: readonly DriveWheel[]
  /** Distance between the middles of the two sides [m]. */
  readonly track: number
  /** Position of the axle along the base's x, the mean of all wheels [m]. */
  readonly axleX: number
}

/** Largest height of a wheel above the ground at home, in radii: some casters reach a little lower than the wheels. */
const CLEARANCE = 0.25
/** Cosine of the largest angle between a wheel's axis and the joint's, or the base's y. */
const ALIGNED = 0.9

/**
 * Finds the drive wheels: continuous joints about the base's y axis whose body carries a cylinder about that axis, or a
 * sphere centred on it, that reaches down to the ground in the home pose. Undefined unless there is one on each side. @unchecked
 */
export function driveWheels(robot: Robot): DriveWheels | undefined {
  const { model, joints, shapes, floating } = robot
  const data = homeData(robot)
  const base = floating ? 1 : 0

  const wheels: DriveWheel[] = []
  joints.forEach(({ name, type, body }, joint) => {
    if (type !== 'continuous') return
    const axis = data.SW[model.sStart[body]].subarray(0, 3)
    const R_WB = data.R_WB[base]
    const alongY = R_WB[1] * axis[0] + R_WB[4] * axis[1] + R_WB[7] * axis[2]
    if (Math.abs(alongY) < ALIGNED) return
    const radius = Math.max(0, ...shapes.filter((shape) => shape.body === body).map((shape) => wheelRadius(shape, axis, data)))
    if (radius === 0) return
    const d = [0, 1, 2].map((k) => data.p_WB[body][k] - data.p_WB[base][k])
    const x = R_WB[0] * d[0] + R_WB[3] * d[1] + R_WB[6] * d[2]
    const y = R_WB[1] * d[0] + R_WB[4] * d[1] + R_WB[7] * d[2]
    wheels.push({ joint, name, radius, sign: alongY > 0 ? 1 : -1, x, y })
  })

  const left = wheels.filter((wheel) => wheel.y > 0)
  const right = wheels.filter((wheel) => wheel.y < 0)
  if (left.length === 0 || right.length === 0) return undefined
  return { left, right, track: mean(left, 'y') - mean(right, 'y'), axleX: mean(wheels, 'x') }
}

/** The shape's radius if it is a wheel about this axis that reaches the ground z = 0, else 0. */
function wheelRadius({ shape, body, R, p }: CollisionShape, axis: Float64Array, data: Data): number {
  if (shape.type !== 'cylinder' && shape.type !== 'sphere') return 0
  const R_WB = data.R_WB[body]
  const rotated = (k: number, x: number, y: number, z: number) => R_WB[3 * k] * x + R_WB[3 * k + 1] * y + R_WB[3 * k + 2] * z
  const offset = [0, 1, 2].map((k) => rotated(k, p[0], p[1], p[2]))
  if (shape.type === 'cylinder') {
    const symmetry = [0, 1, 2].map((k) => rotated(k, R[2], R[5], R[8]))
    if (Math.abs(symmetry[0] * axis[0] + symmetry[1] * axis[1] + symmetry[2] * axis[2]) < ALIGNED) return 0
  }
  const along = offset[0] * axis[0] + offset[1] * axis[1] + offset[2] * axis[2]
  const beside = Math.hypot(offset[0] - along * axis[0], offset[1] - along * axis[1], offset[2] - along * axis[2])
  if (beside > 0.1 * shape.radius) return 0
  const lowest = data.p_WB[body][2] + offset[2] - shape.radius
  return Math.abs(lowest) <= CLEARANCE * shape.radius ? shape.radius : 0
}

const mean = (wheels: readonly DriveWheel[], key: 'x' | 'y') => wheels.reduce((sum, wheel) => sum + wheel[key], 0) / wheels.length
