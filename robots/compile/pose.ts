import { mulMatrix3, place3, quaternionOfRotation, rotationOfQuaternion, sincos, transposed3 } from '../../dynamics/index.ts'
import type { OriginDescription, Triple } from '../description.ts'

/** Axes and origin of a frame in another one: x_outer = p + R x. */
export interface Pose {
  /** 9, row-major. */
  readonly R: Float64Array
  /** 3 [m]. */
  readonly p: Float64Array
}

export function identityPose(): Pose {
  return { R: unturned(), p: new Float64Array(3) }
}

function unturned(): Float64Array {
  const R = new Float64Array(9)
  R[0] = R[4] = R[8] = 1
  return R
}

const angles = new Float64Array(3)
/** Sine and cosine of one of them. */
const sc = new Float64Array(2)

/** URDF's fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). Right angles written to few digits stay as written. */
export function rotationOfRpy(rpy: Triple): Float64Array {
  const R = new Float64Array(9)
  angles.set(rpy)
  sincos(sc, angles, 0)
  const [sr, cr] = [sc[0], sc[1]]
  sincos(sc, angles, 1)
  const [sp, cp] = [sc[0], sc[1]]
  sincos(sc, angles, 2)
  const [sy, cy] = [sc[0], sc[1]]
  R[0] = cy * cp
  R[1] = cy * sp * sr - sy * cr
  R[2] = cy * sp * cr + sy * sr
  R[3] = sy * cp
  R[4] = sy * sp * sr + cy * cr
  R[5] = sy * sp * cr - cy * sr
  R[6] = -sp
  R[7] = cp * sr
  R[8] = cp * cr
  return R
}

/** Rotation and place of an `<origin>`: roll, pitch and yaw about fixed axes [rad], metres. @unchecked */
export function poseOfOrigin({ xyz, rpy }: OriginDescription): Pose {
  return { R: rotationOfRpy(rpy), p: new Float64Array(xyz) }
}

/** A pose and the numbers that a file states for it, which keep their digits. */
export interface StatedPose extends Pose {
  readonly origin?: OriginDescription
}

export const originOf = (pose: StatedPose): OriginDescription => pose.origin ?? poseToOrigin(pose)

/** The pose of c in a, from b in a and c in b. @unchecked */
export function compose(ab: Pose, bc: Pose): Pose {
  const R = new Float64Array(9)
  const p = new Float64Array(3)
  mulMatrix3(R, ab.R, bc.R)
  place3(p, ab.R, ab.p, bc.p)
  return { R, p }
}

/** Turned by `angle` about a unit axis: Rodrigues' formula. */
export function rotationAbout([x, y, z]: Triple, angle: number): Float64Array {
  angles[0] = angle
  sincos(sc, angles, 0)
  const [s, c] = [sc[0], sc[1]]
  const k = 1 - c
  return Float64Array.of(
    c + k * x * x,
    k * x * y - s * z,
    k * x * z + s * y,
    k * x * y + s * z,
    c + k * y * y,
    k * y * z - s * x,
    k * x * z - s * y,
    k * y * z + s * x,
    c + k * z * z,
  )
}

/**
 * Roll, pitch, yaw of a unit quaternion x, y, z, w. Bernardes and Viollet, "Quaternion to Euler angles conversion: a direct,
 * general and computationally efficient method", PLoS ONE 17(11), 2022, for the order z y x. An angle that was written with few
 * digits, or is a multiple of 15 degrees, comes back as it was written: the quaternion's own rounding is coarser.
 */
export function rpyOfQuaternion([x, y, z, w]: readonly [number, number, number, number]): Triple {
  const [a, b, c, d] = [w - y, z + x, y + w, x - z]
  const pitch = 2 * Math.atan2(Math.hypot(c, d), Math.hypot(a, b)) - Math.PI / 2
  const sum = Math.atan2(b, a)
  const difference = Math.atan2(d, c)
  // at a right angle of pitch one of the two is undetermined, and roll is 0
  const steep = Math.PI / 2 - Math.abs(pitch)
  if (steep < 1e-9) return [0, asWritten(pitch), asWritten(wrapped(pitch > 0 ? -2 * difference : 2 * sum))]
  return [asWritten(wrapped(sum + difference)), asWritten(pitch), asWritten(wrapped(sum - difference))]
}

const wrapped = (angle: number) => (angle > Math.PI ? angle - 2 * Math.PI : angle < -Math.PI ? angle + 2 * Math.PI : angle)

/** Error of an angle by rounding of a quaternion to doubles [rad]. */
const quaternionRounding = 1.2e-15

function asWritten(angle: number): number {
  const part = (Math.round((angle * 12) / Math.PI) * Math.PI) / 12
  if (Math.abs(part - angle) < quaternionRounding) return part + 0
  const decimal = Number(angle.toFixed(14))
  return Math.abs(decimal - angle) < quaternionRounding ? decimal : angle
}

/** A pose at a position, turned by R or not. */
export function poseAt(p: ArrayLike<number>, R: Float64Array = unturned()): Pose {
  return { R, p: new Float64Array(p) }
}

/** @unchecked */
export function inversePose({ R, p }: Pose): Pose {
  const T = transposed3(R)
  const moved = new Float64Array(3)
  place3(moved, T, moved, Float64Array.of(-p[0], -p[1], -p[2]))
  return { R: T, p: moved }
}

/** The unit quaternion x, y, z, w of a rotation. */
export function quaternionOf(R: Float64Array): [number, number, number, number] {
  const q = new Float64Array(4)
  quaternionOfRotation(q, 0, R)
  return [q[0], q[1], q[2], q[3]]
}

/** Position, and quaternion (x, y, z, w). */
export const placeOf = ({ R, p }: Pose): readonly number[] => [...p, ...quaternionOf(R)]

/** The inverse of `poseOfOrigin` by way of a quaternion, which keeps its digits at right angles of pitch too. */
export function poseToOrigin({ R, p }: Pose): OriginDescription {
  return { xyz: [p[0], p[1], p[2]], rpy: rpyOfQuaternion(quaternionOf(R)) }
}

/** The shortest rotation of z onto a unit vector. */
export function rotationToZ([x, y, z]: Triple): Float64Array {
  const across = Math.hypot(x, y)
  if (across < 1e-15) return z > 0 ? identityPose().R : rotationAbout([1, 0, 0], Math.PI)
  return rotationAbout([-y / across, x / across, 0], Math.atan2(across, z))
}

/** The same scaled by the largest entry first, so that neither tiny nor huge ones lose their direction to under- or overflow. */
export function scaledUnitOf(vector: Triple): Triple | undefined {
  const largest = Math.max(...vector.map(Math.abs))
  if (largest === 0) return undefined
  const [x, y, z] = vector.map((entry) => entry / largest)
  const length = Math.sqrt(x * x + y * y + z * z)
  return [x / length, y / length, z / length]
}

export function unitOf([x, y, z]: Triple): Triple | undefined {
  const length = Math.hypot(x, y, z)
  return length > 1e-14 ? [x / length, y / length, z / length] : undefined
}

/** Of a unit quaternion x, y, z, w. */
export function rotationOf(quaternion: ArrayLike<number>): Float64Array {
  const R = new Float64Array(9)
  rotationOfQuaternion(R, Float64Array.from(quaternion), 0)
  return R
}
