import type { Diagnostic, Place } from './robot.ts'

export type Triple = readonly [number, number, number]

/** A pose as URDF writes it: position [m], and fixed-axis roll, pitch, yaw, R = Rz(yaw) Ry(pitch) Rx(roll) [rad]. */
export interface OriginDescription {
  readonly xyz: Triple
  readonly rpy: Triple
}

export type GeometryDescription =
  | { readonly type: 'box'; readonly size: Triple }
  | { readonly type: 'sphere'; readonly radius: number }
  | { readonly type: 'cylinder'; readonly radius: number; readonly length: number }
  | { readonly type: 'capsule'; readonly radius: number; readonly length: number }
  | { readonly type: 'mesh'; readonly filename: string; readonly scale: Triple }

/** One `<visual>` or `<collision>`. */
export interface ShapeDescription {
  readonly name: string
  readonly origin: OriginDescription
  readonly geometry: GeometryDescription
  readonly friction?: number
  readonly place: Place
}

/** `inertia` is about the centre of mass in the axes of `origin`: [xx, yy, zz, xy, xz, yz] [kg m^2]. */
export interface InertialDescription {
  readonly origin: OriginDescription
  readonly mass: number
  readonly inertia: readonly [number, number, number, number, number, number]
  readonly place: Place
  readonly inertiaPlace: Place
}

export interface LinkDescription {
  readonly name: string
  readonly inertial?: InertialDescription
  readonly visuals: readonly ShapeDescription[]
  readonly collisions: readonly ShapeDescription[]
  /** From `<gazebo>` or `<contact>`; holds for collisions that state none of their own. */
  readonly friction?: number
  readonly restitution?: number
  readonly place: Place
}

export type JointDescriptionType = 'revolute' | 'continuous' | 'prismatic' | 'fixed' | 'floating'

export interface MimicDescription {
  readonly joint: string
  readonly multiplier: number
  readonly offset: number
  readonly place: Place
}

export interface JointDescription {
  readonly name: string
  readonly type: JointDescriptionType
  readonly parent: string
  readonly child: string
  readonly origin: OriginDescription
  /** Unit axis in the joint's own axes. */
  readonly axis: Triple
  /** [rad, m]; infinite where there are none, always infinite for continuous joints. */
  readonly lower: number
  readonly upper: number
  /** [N m, N] and [rad/s, m/s]; Infinity where none is stated. */
  readonly effort: number
  readonly velocity: number
  readonly damping: number
  readonly friction: number
  readonly mimic?: MimicDescription
  readonly place: Place
}

/** Which elements the loader acted on, kept without acting on them, and passed by. In order of appearance. */
export interface Tags {
  readonly used: readonly string[]
  readonly carried: readonly string[]
  readonly ignored: readonly string[]
}

/** What a file says, checked for itself, with the place of everything; nothing merged or estimated yet. */
export interface RobotDescription {
  readonly name: string
  readonly file: string
  readonly place: Place
  /** In the order of the file. */
  readonly links: readonly LinkDescription[]
  readonly joints: readonly JointDescription[]
  /** Name of the link that has no parent: `world` if joints name it as a parent, declared or not. */
  readonly root: string
  /** Whether the root is the `world` that joints name and no link declares. */
  readonly worldUndeclared: boolean
  readonly tags: Tags
  readonly diagnostics: readonly Diagnostic[]
}
