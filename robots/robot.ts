import type { SelfCollision } from '../contact/detection/index.ts'
import type { JointSoftness, PlacedShape } from '../contact/geometry/index.ts'
import type { Frame, LengthPart, Model } from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import type {
  ActuatorDescription,
  LoopDescription,
  MujocoSolver,
  MuscleDescription,
  PoseDescription,
  SensorDescription,
} from './description.ts'

export type { Frame } from '../dynamics/index.ts'

/** Position in a file. Lines count from 1; 0 where only the file is known. */
export interface Place {
  readonly file: string
  readonly line: number
}

/** A finding of the loader about a robot: its place, the message with any repair, and the remedy. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'info'
  /** A stable kebab-case identifier, such as `inertia-triangle` or `mesh-missing`. */
  readonly code: string
  /** The element it is about, such as `<inertia> of link "FR_hip"`. */
  readonly element: string
  readonly file: string
  readonly line: number
  readonly message: string
  readonly remedy: string
  /** Set where the loader chose or changed a value that affects the motion; an error when loading strictly. */
  readonly repaired?: true
}

/** One collision shape. Its name is the link's, with the number of the collision when the link has several. */
export interface CollisionShape extends PlacedShape {
  readonly link: string
}

/** A joint of one coordinate, which a motor may drive. */
export interface RobotJoint {
  readonly name: string
  readonly type: 'revolute' | 'continuous' | 'prismatic'
  readonly body: number
  readonly qIndex: number
  readonly vIndex: number
  /** Of its limit and dry friction under the contact model `mujoco`. */
  readonly softness?: JointSoftness
}

/**
 * An unactuated joint of several coordinates inside the tree. Coordinates and velocities are those of the joint
 * types of `dynamics`: floating q 7, v 6; planar q 3, v 3; spherical q 4, v 3.
 */
export interface RobotFreeJoint extends Pick<RobotJoint, 'name' | 'body' | 'qIndex' | 'vIndex'> {
  readonly type: 'floating' | 'planar' | 'spherical'
}

/** A body that is placed from outside: its position and quaternion (x, y, z, w) in the world are q[qIndex] to q[qIndex + 6]. */
export interface RobotMocap extends Pick<RobotJoint, 'body' | 'qIndex'> {
  /** Of its link. */
  readonly name: string
}

/** A joint without a coordinate of its own: its position is multiplier q + offset, with q of the joint that it follows. */
export interface RobotMimic {
  readonly name: string
  readonly type: 'revolute' | 'continuous' | 'prismatic'
  readonly body: number
  /** The joint at the end of the chain of mimics: one of `Robot.joints`. */
  readonly follows: string
  readonly multiplier: number
  readonly offset: number
}

/** A named pose (SRDF), or a keyframe (MJCF). Joints and a base that it leaves out are as in the home pose. */
export interface NamedPose extends Pick<PoseDescription, 'name' | 'group' | 'springSets'> {
  /** nq. */
  readonly q: Float64Array
  /** nv: of a keyframe; undefined is at rest. */
  readonly v?: Float64Array
  /** Control inputs, in the order of `Robot.controls`. */
  readonly ctrl?: readonly number[]
  /** Filtered or integrated inputs of `Robot.actuators` that have one, in their order. */
  readonly act?: readonly number[]
}

/** An actuator of the robot's file at the coordinate that it drives: q = multiplier q[qIndex] + offset is that of its joint. */
export interface RobotActuator
  extends Omit<ActuatorDescription, 'place' | 'armature' | 'damping' | 'lengths' | 'attracts' | 'muscle'> {
  /** In place of a coordinate: one length, or three of an orientation; indices are then -1. */
  readonly lengths?: readonly (readonly LengthPart[])[]
  /** The body whose contacts it attracts. */
  readonly attracts?: number
  readonly muscle?: Required<MuscleDescription>
  readonly qIndex: number
  readonly vIndex: number
  readonly multiplier: number
  readonly offset: number
}

/** A sensor of the robot's file, on its bodies. */
export interface RobotSensor extends Pick<SensorDescription, 'name' | 'type' | 'zone' | 'field' | 'noise' | 'cutoff'> {
  /** Sum of slope q[qIndex] + offset, of joints or of the length of an actuator. */
  readonly terms: readonly { readonly qIndex: number; readonly vIndex: number; readonly slope: number; readonly offset: number }[]
  /** In place of terms: a length, times a factor. */
  readonly along?: { readonly parts: readonly LengthPart[]; readonly factor: number }
  /** Limits of its joint. */
  readonly limits?: readonly [number, number]
  /** Index in `Robot.actuators`. */
  readonly actuator?: number
  /** Named as their links. */
  readonly object?: Frame
  readonly reference?: Frame
  /** The subtree of the object's link, of `e_potential` all that no joint moves: of each body that it reaches the moments of its links there, as `Model.I`; and the names of its links. */
  readonly subtree?: readonly { readonly body: number; readonly I: Float64Array }[]
  readonly links?: readonly string[]
  /** Up to two, whose contacts with each other are counted, or of one with anything: shapes of links, of one geom alone where that is stated. */
  readonly sides?: readonly { readonly links: readonly string[]; readonly geom?: string }[]
}

/** Loop closure: two links connected at a point, or rigidly: as at the start, or b at `relative` in a. Points are in the links' axes [m]. */
export interface RobotLoop extends Pick<LoopDescription, 'name' | 'kind' | 'softness' | 'active'> {
  readonly a: { readonly link: string; readonly point?: readonly number[] }
  readonly b: { readonly link: string; readonly point?: readonly number[] }
  readonly relative?: { readonly R: Float64Array; readonly p: Float64Array }
}

/** Expectation of a robot. */
export const robotKind = is.made('a robot, such as loadRobot makes', 'model', 'joints', 'shapes', 'frames', 'home')

/** A robot ready to simulate: the mechanism, its collision shapes, its names, and its home pose. */
export interface Robot {
  readonly name: string
  readonly model: Model
  readonly floating: boolean
  /** Joints of one coordinate in the order of the velocities, without the mimic ones; each is driven by one effort. */
  readonly joints: readonly RobotJoint[]
  /** Joints of several coordinates inside the tree, the floating base not among them. */
  readonly freeJoints: readonly RobotFreeJoint[]
  readonly mimics: readonly RobotMimic[]
  /** Bodies that are placed from outside, in MJCF, in the order of the file. */
  readonly mocaps?: readonly RobotMocap[]
  /** Of its file, in MJCF: those of joints, in its order. */
  readonly actuators?: readonly RobotActuator[]
  /** Names of the inputs of all of its file's actuators, in the order of `ctrl`; those that do not act here are among them. */
  readonly controls?: readonly string[]
  /** Of its file, in MJCF, in its order. */
  readonly sensors?: readonly RobotSensor[]
  readonly poses: readonly NamedPose[]
  /** Links that are not to collide with each other, or with the surroundings as `world`, by the file or its SRDF; each pair once. */
  readonly disabledCollisions: readonly (readonly [string, string])[]
  /** Links on different bodies whose collision shapes touch or overlap in the home pose; each pair once. */
  readonly overlaps: readonly (readonly [string, string])[]
  /**
   * The bodies of objects in its file, the last of all, each a tree of its own (`separated`); and whether the file places all that moves:
   * then home and poses are not set down.
   */
  readonly objects?: readonly number[]
  readonly isPlaced?: boolean
  /** MuJoCo's step of its file, in MJCF. */
  readonly solver?: MujocoSolver
  /** Links of the objects that `separated` took from its file, if its sensors are on them: each a robot of its own next after it in a world. */
  readonly beside?: readonly string[]
  /** Which of its links touch each other by its file, as in MJCF; then those that overlap in the home pose may, too. */
  readonly selfCollision?: SelfCollision
  readonly frames: readonly Frame[]
  readonly shapes: readonly CollisionShape[]
  /** Fixed shapes of the environment in its file, in world axes, on body 0. */
  readonly surroundings?: readonly PlacedShape[]
  /** Loop closures of its file. A link `world` is the world. */
  readonly loops?: readonly RobotLoop[]
  /**
   * nq: every joint at zero clamped into its limits, or in the requested named pose; a floating base is at the height
   * at which the lowest collision point touches z = 0, unless the pose states it or `ground` is false.
   */
  readonly home: Float64Array
  /** nq: where MJCF begins, MuJoCo's qpos0: not clamped into limits and not set down. */
  readonly fileStart?: Float64Array
  /** Sum over all links as stated in the file, and as used after repairs [kg]. */
  readonly massDeclared: number
  readonly massUsed: number
  readonly diagnostics: readonly Diagnostic[]
  /** Elements of the file that the loader used, kept without using them (such as visuals), and ignored. */
  readonly tags: { readonly used: readonly string[]; readonly carried: readonly string[]; readonly ignored: readonly string[] }
  /** Counts of the file, before links are merged. */
  readonly counts: {
    readonly links: number
    readonly joints: {
      readonly revolute: number
      readonly continuous: number
      readonly prismatic: number
      readonly fixed: number
      readonly floating: number
      readonly planar: number
      /** Also counted under their own type. */
      readonly mimic: number
      /** Only there if there are any. */
      readonly spherical?: number
    }
  }
  /** 4: mass of the links fixed to the world, and mass times their centre of mass in world axes [kg, kg m]. */
  readonly worldMoments: Float64Array
}
