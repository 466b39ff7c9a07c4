import { mulMatrix3, place3, quaternionOfRotation, sincos } from '../dynamics/index.ts'
import type { OriginDescription, Triple } from './description.ts'

/** Axes and origin of something in the axes of something else: x_outer = p + R x. */
export interface Pose {
  /** 9, row-major. */
  readonly R: Float64Array
  /** 3 [m]. */
  readonly p: Float64Array
}

export function identityPose(): Pose {
  return { R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), p: new Float64Array(3) }
}

/** URDF's fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). Right angles written to few digits stay as written. */
export function rotationOfRpy(rpy: Triple): Float64Array {
  const angles = Float64Array.from(rpy)
  const sc = new Float64Array(2)
  sincos(sc, angles, 0)
  const [sr, cr] = sc
  sincos(sc, angles, 1)
  const [sp, cp] = sc
  sincos(sc, angles, 2)
  const [sy, cy] = sc
  return Float64Array.of(
    cy * cp,
    cy * sp * sr - sy * cr,
    cy * sp * cr + sy * sr,
    sy * cp,
    sy * sp * sr + cy * cr,
    sy * sp * cr - cy * sr,
    -sp,
    cp * sr,
    cp * cr,
  )
}

export function poseOfOrigin({ xyz, rpy }: OriginDescription): Pose {
  return { R: rotationOfRpy(rpy), p: Float64Array.from(xyz) }
}

/** The pose of c in a, from b in a and c in b. */
export function compose(ab: Pose, bc: Pose): Pose {
  const R = new Float64Array(9)
  const p = new Float64Array(3)
  mulMatrix3(R, ab.R, bc.R)
  place3(p, ab.R, ab.p, bc.p)
  return { R, p }
}

/** Turned by `angle` about a unit axis: Rodrigues' formula. */
export function rotationAbout([x, y, z]: Triple, angle: number): Float64Array {
  const sc = new Float64Array(2)
  sincos(sc, Float64Array.of(angle), 0)
  const [s, c] = sc
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

/** What the rounding of a quaternion to doubles does to an angle [rad]. */
const quaternionRounding = 1.2e-15

function asWritten(angle: number): number {
  const part = (Math.round((angle * 12) / Math.PI) * Math.PI) / 12
  if (Math.abs(part - angle) < quaternionRounding) return part + 0
  const decimal = Number(angle.toFixed(14))
  return Math.abs(decimal - angle) < quaternionRounding ? decimal : angle
}

/**
 * The inverse of `poseOfOrigin`. Where pitch is a right angle, only yaw less or plus roll is determined, and roll is 0. A
 * rotation comes back to a few units in the last place; near those pitches to about 1e-8, the square root of it.
 */
export function originOfPose({ R, p }: Pose): OriginDescription {
  const level = Math.hypot(R[0], R[3])
  const pitch = Math.atan2(-R[6], level)
  const [roll, yaw] = level > 1e-9 ? [Math.atan2(R[7], R[8]), Math.atan2(R[3], R[0])] : [0, Math.atan2(-R[1], R[4])]
  return { xyz: [p[0], p[1], p[2]], rpy: [roll, pitch, yaw] }
}

/** A pose at a position, turned by R or not. */
export function poseAt(p: ArrayLike<number>, R: Float64Array = identityPose().R): Pose {
  return { R, p: Float64Array.from(p) }
}

export function inversePose({ R, p }: Pose): Pose {
  const T = Float64Array.of(R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
  const moved = new Float64Array(3)
  place3(moved, T, moved, Float64Array.of(-p[0], -p[1], -p[2]))
  return { R: T, p: moved }
}

/** The inverse of `poseOfOrigin` by way of a quaternion, which keeps its digits at right angles of pitch too. */
export function poseToOrigin({ R, p }: Pose): OriginDescription {
  const q = new Float64Array(4)
  quaternionOfRotation(q, 0, R)
  return { xyz: [p[0], p[1], p[2]], rpy: rpyOfQuaternion([q[0], q[1], q[2], q[3]]) }
}
