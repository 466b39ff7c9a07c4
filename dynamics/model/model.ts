/**
 * A mechanism: bodies, joints and constants. A `Model` never changes after it is made; its variables are in `State`, all that can be
 * recomputed from both in `Data`.
 *
 * Body 0 is the world. One joint connects every other body i to its parent, and parent[i] < i (regular numbering), so that a loop over
 * rising i goes from the roots outward. The world may be the root of several trees: a floating base is a joint of type `floating`, and two
 * robots in one world are two trees.
 */

import type { Fluid } from '../passive/fluid.ts'
import type { LengthConstraint } from '../passive/lengthConstraint.ts'
import type { Tendon } from '../passive/tendons.ts'

/** Joint types, defined by the table in `joints.ts`. */
export const JointType = { fixed: 0, revolute: 1, prismatic: 2, floating: 3, planar: 4, spherical: 5, mocap: 6 } as const
export type JointType = (typeof JointType)[keyof typeof JointType]

export interface Model {
  readonly name: string
  /** Number of bodies, the world included. */
  readonly nb: number
  /**
   * Length of q. A floating joint has 7 entries: position [m] in the joint's axes, then unit quaternion x, y, z, w. A
   * spherical joint has that quaternion; a planar joint has position x, y [m] and angle [rad]. A body that is placed from outside
   * (MuJoCo's mocap) has the 7 of a floating joint, and no velocity: between two changes of its pose it stands still.
   */
  readonly nq: number
  /**
   * Length of v. A floating joint has 6: the body's spatial velocity [omega; v] in its own axes [rad/s, m/s]; a spherical
   * joint has omega, a planar joint v_x, v_y and omega, in the body's own axes as well.
   */
  readonly nv: number
  /** Number of joint motions, the columns of S: all velocities, and one more for each joint that follows another. */
  readonly ns: number
  /** nb: the parent of each body; parent[0] = -1. */
  readonly parent: Int32Array
  /** nb: the type of the joint under each body, which connects it to its parent. */
  readonly jointType: Uint8Array
  /** nb x 3: unit axis of a revolute or prismatic joint, normal of a planar one's plane, in the body's own axes. */
  readonly jointAxis: Float64Array
  /** nb x 3: the direction of a planar joint's x axis; its y axis is normal x this. See `planeDirection`. */
  readonly planeAxis: Float64Array
  /** nb + 1: body i owns q[qStart[i]] to q[qStart[i+1] - 1]. */
  readonly qStart: Int32Array
  /** nb + 1: body i owns v[vStart[i]] to v[vStart[i+1] - 1]. */
  readonly vStart: Int32Array
  /** nv: the body to which each velocity belongs. */
  readonly bodyOfV: Int32Array
  /**
   * nv: the next velocity towards the root, -1 at a root: Featherstone's expanded parent array (2008, section 6.4). If joints follow others
   * it is the elimination tree of M: the path from the last velocity that moves a body still contains all others that move it, and possibly
   * some that do not.
   */
  readonly vParent: Int32Array
  /** nb: the last velocity that moves each body, -1 for bodies fixed to the world. */
  readonly vLast: Int32Array

  // Joints that follow others (URDF's mimic joints): position = multiplier q + offset, q that of the joint followed. Such a joint has no
  // velocity, but a motion, driven by the followed joint's velocity.
  /** nb: the body on the joint that each body's joint follows; -1 for independent joints. */
  readonly follows: Int32Array
  /** nb: 1 and 0 for independent joints. */
  readonly multiplier: Float64Array
  readonly offset: Float64Array
  /** nb + 1: the joint under body i has the motions sStart[i] to sStart[i+1] - 1. Equal to vStart if no joint follows. */
  readonly sStart: Int32Array
  /** ns: the velocity that drives each motion. */
  readonly vOfS: Int32Array
  /** ns: the next motion towards the root, -1 at a root. */
  readonly sParent: Int32Array
  /** nb: the last motion on the path from the root to each body, -1 for bodies fixed to the world. */
  readonly sLast: Int32Array
  /**
   * nb views of 12: pose of the joint in the parent at q = 0, as [E (9, row-major), r (3)]: E turns the parent's axes
   * into the joint's, r is the joint's origin in the parent's axes [m].
   */
  readonly XT: readonly Float64Array[]
  /**
   * nb views of 10: inertia of each body about its own origin in its own axes,
   * [m, m cx, m cy, m cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz] [kg, kg m, kg m^2]; c is the centre of mass.
   */
  readonly I: readonly Float64Array[]
  /** nv: viscous joint damping [N m s/rad, N s/m]. */
  readonly damping: Float64Array
  /** 2 a velocity: damping by the second and third power of the speed, against it; undefined without [N m s²/rad², N m s³/rad³]. */
  readonly dampingPolynomial?: Float64Array
  /** nv: dry joint friction [N m, N]. */
  readonly friction: Float64Array
  /** nv: rotor inertia reflected to the joint, added to the diagonal of M [kg m^2, kg]. */
  readonly armature: Float64Array
  /** nv: stiffness of joint springs [N m/rad, N/m], and their rest positions [rad, m]. Part of `passiveForces`, not of bias forces. */
  readonly stiffness: Float64Array
  readonly springReference: Float64Array
  /** nv: joint limits [rad, m]; -Infinity and Infinity if there are none, as for floating joints. */
  readonly lower: Float64Array
  readonly upper: Float64Array
  /** nv: largest motor effort [N m, N]; Infinity if none is stated. */
  readonly effortLimit: Float64Array
  /** nv: stated speed limit [rad/s, m/s]; Infinity if none is stated. Reported, not enforced. */
  readonly velocityLimit: Float64Array
  /** nb: a body has the name of its first link; bodyName[0] = 'world'. */
  readonly bodyName: readonly string[]
  /** nb: the name of the joint under each body. */
  readonly jointName: readonly string[]
  /** Forces against gravity on some of its bodies (MuJoCo's gravcomp). */
  readonly compensation?: GravityCompensation
  /** Lengths with springs, dampers or limits besides those of single joints; part of no algorithm but `PassiveElements`. */
  readonly tendons?: readonly Tendon[]
  /** Limits, dry friction and couplings of lengths besides those of single joints; contact models keep them. */
  readonly lengths?: readonly LengthConstraint[]
  /** Medium that its bodies move in; part of no algorithm but `PassiveElements`. */
  readonly fluid?: Fluid
  /** 6: the spatial acceleration of gravity in world axes, [0, 0, 0, gx, gy, gz] [m/s^2]. */
  readonly gravity: Float64Array
}

/** Forces that hold part of the weight of bodies, at any configuration; no part of bias forces. */
export interface GravityCompensation {
  /** 4 a body: mass that is held, and its first moment in the body's axes [kg, kg m]. */
  readonly moments: Float64Array
  /** 2 a velocity: range of the sum of motor and compensation where motors hold it [N m, N]; NaN where it is a force by itself. */
  readonly ranges: Float64Array
}

/** Definition of one body; `buildModel` makes a `Model` from a list of these. */
export interface BodyDefinition {
  readonly name: string
  readonly jointName: string
  /** Index into the list of bodies, counted from 1; 0 is the world. */
  readonly parent: number
  readonly jointType: JointType
  /** Unit axis in the joint's axes; needed for revolute, prismatic and planar joints (the plane's normal). */
  readonly axis?: readonly [number, number, number]
  /** Rotation of the joint's axes in the parent's axes (row-major, joint to parent), and origin in the parent [m]. */
  readonly rotation?: ArrayLike<number>
  readonly position?: readonly [number, number, number]
  readonly mass: number
  /** Centre of mass in the body's axes [m]. */
  readonly centerOfMass?: readonly [number, number, number]
  /** Rotational inertia about the centre of mass, in the body's axes: [xx, yy, zz, xy, xz, yz] [kg m^2]. */
  readonly inertia: readonly [number, number, number, number, number, number]
  /**
   * In place of `centerOfMass`: mass times the centre of mass [kg m]. `inertia` is then about the body's origin, so that summed moments of
   * parts can be used directly.
   */
  readonly firstMoment?: readonly [number, number, number]
  readonly damping?: number
  readonly dampingPolynomial?: readonly [number, number]
  readonly friction?: number
  readonly armature?: number
  readonly stiffness?: number
  readonly springReference?: number
  readonly lower?: number
  readonly upper?: number
  readonly effortLimit?: number
  readonly velocityLimit?: number
  /** Mass whose weight is held, and its first moment [kg, kg m]; where the joint's motor holds it, the range of both together [N m, N]. */
  readonly compensation?: readonly [number, number, number, number]
  readonly compensationRange?: readonly [number, number]
  /**
   * For a revolute or prismatic joint that follows another: the index of the followed joint's body. That joint must be revolute or
   * prismatic and independent; it may come later in the list. Damping, friction, armature and spring of a follower act on the joint that it
   * follows; its limits are not read.
   */
  readonly follows?: number
  readonly multiplier?: number
  readonly offset?: number
}
