import type { SelfCollision } from '../contact/detection/index.ts'
import type { JointSoftness, LoopSoftness, PlacedShape, Shape } from '../contact/geometry/index.ts'
import type { FluidPart, LengthConstraint, LengthPart, Medium, Polynomial } from '../dynamics/index.ts'
import type { Diagnostic, Place } from './robot.ts'

export type Triple = readonly [number, number, number]

/** A pose in URDF's form: position [m], and fixed-axis roll, pitch, yaw, R = Rz(yaw) Ry(pitch) Rx(roll) [rad]. */
export interface OriginDescription {
  readonly xyz: Triple
  readonly rpy: Triple
}

export type GeometryDescription =
  | { readonly type: 'box'; readonly size: Triple }
  | { readonly type: 'sphere'; readonly radius: number }
  | { readonly type: 'cylinder'; readonly radius: number; readonly length: number }
  | { readonly type: 'capsule'; readonly radius: number; readonly length: number }
  /** Its convex hull; or, where `concave` is set, the solid bounded by it, with exact distance or of this error [m]. */
  | { readonly type: 'mesh'; readonly filename: string; readonly scale: Triple; readonly concave?: true | number }
  /** Half axes along x, y, z [m]. */
  | { readonly type: 'ellipsoid'; readonly radii: Triple }
  /** The convex hull of points, n x 3 [m]. */
  | { readonly type: 'points'; readonly points: readonly number[] }

/** How a shape looks. */
export interface MaterialDescription {
  /** Red, green, blue and opacity, 0 to 1. */
  readonly rgba: readonly [number, number, number, number]
  /** Reference to an image over it, multiplied by its colour; paths start from the robot's file, else from that of `place`. */
  readonly texture?: string
  /** Whether it replaces the materials that the file of a mesh states. */
  readonly replaces?: true
  readonly place: Place
}

/** One `<visual>` or `<collision>`. */
export interface ShapeDescription {
  readonly name: string
  readonly origin: OriginDescription
  readonly geometry: GeometryDescription
  readonly friction?: number
  /** Friction by direction, as in `Surface`, in the shape's axes; stated with `friction`. */
  readonly frictionAcross?: number
  readonly frictionAxis?: Triple | 'world'
  /** Of MJCF: its name, bits, surface and pairs. */
  readonly geom?: Required<Pick<PlacedShape, 'contype' | 'conaffinity' | 'geom'>> &
    Pick<PlacedShape, 'geomName' | 'geomPairs'> & { readonly surfaceVelocity?: readonly number[] }
  /** For `InertialDescription.ofShapes` [kg/m^3]. */
  readonly density?: number
  readonly material?: MaterialDescription
  /** Whether it is drawn. Default: visuals are, collision shapes are not; in MJCF by their groups. */
  readonly isShown?: boolean
  readonly place: Place
}

/** A fixed shape of the environment; besides the shapes of links, the half-space below z = 0 and the solid below a height field. */
export interface SurroundingDescription extends Omit<ShapeDescription, 'geometry'> {
  readonly geometry:
    | GeometryDescription
    | { readonly type: 'plane' }
    | {
        readonly type: 'heightfield'
        readonly rows: number
        readonly columns: number
        readonly spacing: readonly [number, number]
        readonly heights: readonly number[]
      }
}

/** Contact parameters of a link beyond friction and restitution; kept but not used, for their meaning differs between simulators. */
export interface ContactDescription {
  /** [N/m] */
  readonly stiffness?: number
  /** [N s/m] */
  readonly damping?: number
  /** Penetration depth below which nothing is corrected [m]. */
  readonly minDepth?: number
  /** Largest correction velocity of penetration [m/s]. */
  readonly maxVelocity?: number
  readonly maxContacts?: number
  readonly rollingFriction?: number
  readonly spinningFriction?: number
}

/** `inertia` is about the centre of mass in the axes of `origin`: [xx, yy, zz, xy, xz, yz] [kg m^2]. */
export interface InertialDescription {
  readonly origin: OriginDescription
  readonly mass: number
  readonly inertia: readonly [number, number, number, number, number, number]
  /** Set where it is that of the collision shapes: their density, where they state none [kg/m^3]; `mass` if positive is theirs. */
  readonly ofShapes?: number
  readonly place: Place
  readonly inertiaPlace: Place
}

export interface LinkDescription extends Pick<ShapeDescription, 'friction' | 'frictionAcross' | 'frictionAxis'> {
  readonly name: string
  readonly inertial?: InertialDescription
  readonly visuals: readonly ShapeDescription[]
  readonly collisions: readonly ShapeDescription[]
  /** As friction, from `<gazebo>` or `<contact>`; they hold for collisions that state none of their own. */
  readonly restitution?: number
  readonly contact?: ContactDescription
  /** Share of its weight that is held (MuJoCo's gravcomp). */
  readonly gravityCompensation?: number
  /** False where the file turns gravity off for this link alone; reported, not applied. */
  readonly gravity?: boolean
  /** Set for a frame between the joints of one body, which has no mass by design. */
  readonly massless?: true
  readonly place: Place
}

/** A named frame on a link, Drake's `<frame>`. Its name differs from those of all links and other frames. */
export interface FrameDescription {
  readonly name: string
  readonly link: string
  readonly origin: OriginDescription
  readonly place: Place
}

export type JointDescriptionType = 'revolute' | 'continuous' | 'prismatic' | 'fixed' | 'floating' | 'planar' | 'spherical'

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
  /** Unit axis in the joint's own axes; the normal of a planar joint; 1 0 0 where the type has none. */
  readonly axis: Triple
  /**
   * [rad, m]; infinite where there are none, always infinite for joints that are neither revolute nor prismatic, but for the largest angle of a
   * spherical one.
   */
  readonly lower: number
  readonly upper: number
  /** [N m, N] and [rad/s, m/s]; Infinity where none is stated. */
  readonly effort: number
  readonly velocity: number
  /** Range of the efforts of actuators, of which `effort` is the larger end. */
  readonly effortRange?: readonly [number, number]
  /** URDF 1.2's limits on the rates of change [rad/s^2, m/s^2; rad/s^3, m/s^3]; reported, not enforced. */
  readonly acceleration?: number
  readonly deceleration?: number
  readonly jerk?: number
  readonly damping: number
  /** Of its speed's second and third power, beside `damping` [N m s^2/rad^2, N m s^3/rad^3]. */
  readonly dampingPolynomial?: readonly [number, number]
  readonly friction: number
  /** Rotor inertia reflected to the joint, from `<transmission>`: rotor inertia times the square of the reduction [kg m^2, kg]. */
  readonly armature: number
  /** Whether its motor holds the weight that `gravityCompensation` states, within the range of its efforts. */
  readonly compensates?: true
  /** A spring towards `springReference` (0 if not stated) [N m/rad, N/m; rad, m]. */
  readonly stiffness?: number
  readonly springReference?: number
  /** MuJoCo's springdamper in place of both: time constant [s] and damping ratio, of the joint's inertia in the reference configuration. */
  readonly springDamper?: readonly [number, number]
  /** Of MJCF, for the contact model `mujoco`. */
  readonly softness?: JointSoftness
  /** Set for a fixed joint of a body that is placed from outside, MuJoCo's mocap; it is on the world. */
  readonly mocap?: true
  /** Joint position in the file's reference configuration, if not zero: as many numbers as it has coordinates [rad, m]. */
  readonly initial?: readonly number[]
  /** Soft limits of `<safety_controller>` [rad, m]; reported, not enforced. */
  readonly softLower?: number
  readonly softUpper?: number
  readonly mimic?: MimicDescription
  readonly place: Place
}

/**
 * MuJoCo's actuator of a joint. With l = gear q and l' = gear q' of its joint: effort = gear (gain(l, l') u + bias(l, l')), where gain and bias are
 * [constant, of l, of l'] and u is the control input, or what a first-order filter or an integrator makes of it. A servo whose gain is
 * minus its bias of l has a damping ratio in place of a positive bias of l', as MuJoCo has it.
 */
export interface ActuatorDescription {
  readonly name: string
  /** '' of one that acts along `lengths`. */
  readonly joint: string
  /** Transmission other than to a joint of one degree of freedom: one length, or the three of an orientation. */
  readonly lengths?: readonly (readonly PartDescription[])[]
  /** The link whose contacts it attracts, in place of an effort: its force is shared among them. */
  readonly attracts?: string
  /** Index of its first input in `ctrl`. */
  readonly input: number
  readonly gear: number
  readonly gain: readonly [number, number, number]
  readonly bias: readonly [number, number, number]
  readonly dynamics: 'none' | 'integrator' | 'filter' | 'filterexact' | 'muscle'
  /**
   * Of `<pid>`, in place of the gain: its inputs with their ranges, each of which acts by the bias with the other sign (a feedforward by 1);
   * gain and bound (0: none) of the integral of the position's error, and the largest rate of the position (0: any).
   */
  readonly pid?: {
    readonly inputs: readonly string[]
    readonly ranges: readonly (readonly [number, number])[]
    readonly integral: number
    readonly windup: number
    readonly slew: number
  }
  /** Parts of its force that are those of a muscle, in place of gain and bias; and its parameters. */
  readonly muscle?: MuscleDescription
  /** Of an orientation servo, in place of gain and bias: gains, bound of its moment, chart of its inputs, and whether its lengths are of a site. */
  readonly orientation?: {
    readonly stiffness: number
    /** Above 0 a damping ratio, else minus the damping. */
    readonly damping: number
    readonly most: number
    readonly isQuaternion: boolean
    readonly inSite: boolean
  }
  /** Set where the filtered input of the end of the step acts. */
  readonly early?: true
  /** Of the filter [s]. */
  readonly timeConstant: number
  /** Ranges of the control input, of the force before the gear, and of the filtered or integrated input; infinite where not stated. */
  readonly control: readonly [number, number]
  readonly force: readonly [number, number]
  readonly activation: readonly [number, number]
  /** Range of all actuators together at its joint, where it states one. */
  readonly jointForce?: readonly [number, number]
  /** Before the gear; part of the joint's own already. */
  readonly armature: number
  readonly damping: number
  readonly place: Place
}

/**
 * A muscle as MuJoCo has it: an active and a passive force over its length, the active one over its speed too, both times `force`, or, where
 * that is negative, `scale` over the acceleration that a force of 1 gives in the reference configuration.
 */
export interface MuscleDescription {
  readonly isActive: boolean
  readonly isPassive: boolean
  /** Lengths, over the optimal one, that `lengthRange` stands for. */
  readonly range: readonly [number, number]
  readonly force: number
  readonly scale: number
  /** Lengths at which the active force ends, over the optimal one; speed at which it ends, in optimal lengths per second. */
  readonly shortest: number
  readonly longest: number
  readonly speed: number
  /** Passive force at the longest length, and active force at fast lengthening, over the largest. */
  readonly passive: number
  readonly lengthening: number
  /** Of the actuator; undefined where the file leaves it to be computed [m, rad]. */
  readonly lengthRange?: readonly [number, number]
  /** Time constants of activation and deactivation, and the difference of inputs over which one becomes the other [s, s, 1]. */
  readonly timeConstants: readonly [number, number, number]
}

/** A frame on a link, such as a site, or what a sensor measures. */
export interface SeatDescription {
  readonly link: string
  readonly origin: OriginDescription
}

/** `LengthPart` by the names of joints and links. */
export type PartDescription = {
  [K in LengthPart['type']]: Omit<Extract<LengthPart, { type: K }>, 'body' | 'point' | 'rotation' | 'side' | 'from' | 'pin'> & {
    readonly joint?: string
    readonly at?: SeatDescription
    /** The side of what is wrapped, the frame of an offset, or a crank's pin. */
    readonly other?: SeatDescription
  }
}[LengthPart['type']]

/** A length with forces, of `<tendon>` or of a joint whose spring is more than a linear one: `Tendon` by names. */
export interface TendonDescription {
  readonly name: string
  readonly parts: readonly PartDescription[]
  readonly stiffness: Polynomial
  readonly damping: Polynomial
  /** Default: the length where springs of joints are at rest. */
  readonly free?: readonly [number, number]
  readonly yield?: number
  /** Inertia of its motion [kg, kg m^2]. */
  readonly armature?: number
  readonly place: Place
}

/** A condition on a length: `LengthConstraint` by names; references are lengths in the file's reference configuration. */
export interface LengthDescription extends Omit<LengthConstraint, 'parts' | 'other' | 'references'> {
  readonly parts: readonly PartDescription[]
  readonly other?: readonly PartDescription[]
  readonly place: Place
}

/** What a medium acts on: the box of a body's inertia, or an ellipsoid. Sizes and coefficients as in `FluidPart`. */
export type FluidDescription = Omit<FluidPart, 'body' | 'point' | 'rotation'> & { readonly at: SeatDescription }

/** MuJoCo's sensor. */
export interface SensorDescription {
  readonly name: string
  /** Its tag in MJCF. */
  readonly type: string
  /** Joints whose coordinates it sums, each times a factor. */
  readonly joints?: readonly (readonly [joint: string, factor: number])[]
  readonly actuator?: string
  /** Length that it measures. */
  readonly length?: readonly PartDescription[]
  /** Frame that is measured, on the root of its subtree where that is; and the frame in which it is measured, else the world's. */
  readonly object?: SeatDescription
  readonly reference?: SeatDescription
  /** What touches: a geom, all of a link, or its subtree; with another such, else with anything. */
  readonly sides?: readonly { readonly link: string; readonly geom?: string; readonly isTree: boolean }[]
  /** Volume of a site: of the object, or of the reference where there is one. */
  readonly zone?: Shape
  /** The magnetic flux in world axes. */
  readonly field?: Triple
  /** Standard deviation, which MuJoCo states and does not apply. */
  readonly noise: number
  /** Bound on the size of each number, from above alone where it is never negative; 0: none. */
  readonly cutoff: number
  readonly place: Place
}

/** Loop closure: two links connected at a point, or rigidly, beside the tree; `relative` is the pose of b in a then, else as at the start. */
export interface LoopDescription {
  readonly name: string
  readonly kind: 'point' | 'weld'
  readonly a: { readonly link: string; readonly point?: Triple }
  readonly b: { readonly link: string; readonly point?: Triple }
  readonly relative?: OriginDescription
  readonly softness?: LoopSoftness
  /** Whether it is on at first. Default true. */
  readonly active?: boolean
  readonly place: Place
}

/** Elements that the loader used, kept without using them, and ignored. In order of appearance. */
export interface Tags {
  readonly used: readonly string[]
  readonly carried: readonly string[]
  readonly ignored: readonly string[]
}

/** Two links that are not to collide with each other, and the reason. */
export interface DisabledCollision {
  readonly link1: string
  readonly link2: string
  /** Such as `adjacent` or `never` in SRDF, or the element that states it. */
  readonly reason: string
  readonly place: Place
}

/** A named pose, SRDF's `<group_state>`: by joint, one number, or as many as the joint has coordinates [rad, m]. */
export interface PoseDescription {
  readonly name: string
  readonly group: string
  readonly joints: ReadonlyMap<string, readonly number[]>
  /** Velocities by joint, in the coordinates of `Model` [rad/s, m/s]. */
  readonly velocities?: ReadonlyMap<string, readonly number[]>
  /** Position and quaternion (x, y, z, w) in the world of links that are placed from outside, by their names. */
  readonly mocaps?: ReadonlyMap<string, readonly number[]>
  /** Control inputs of the actuators, in the order of the file, and inputs of those that filter or integrate them. */
  readonly ctrl?: readonly number[]
  readonly act?: readonly number[]
  /** Per tendon: by how much its spring has yielded [m, rad]. */
  readonly springSets?: readonly number[]
  readonly place: Place
}

/** SRDF's `<virtual_joint>`: the joint between the robot's root and the world. */
export interface VirtualJointDescription {
  readonly name: string
  readonly type: 'fixed' | 'floating' | 'planar'
  readonly parentFrame: string
  readonly childLink: string
  readonly place: Place
}

/** Content of an SRDF file. */
export interface SemanticDescription {
  readonly disabledCollisions: readonly DisabledCollision[]
  readonly poses: readonly PoseDescription[]
  readonly virtualJoints: readonly VirtualJointDescription[]
  readonly tags: Tags
  readonly diagnostics: readonly Diagnostic[]
}

/** Free bodies of a file that may hold several, by the names of their joints. */
export interface FreeBodies {
  /** The one that carries the base, if it floats. */
  readonly base?: string
  /** Those that carry objects: things of their own beside the robot. */
  readonly objects: readonly string[]
  /** Whether there are others than the base, or mocap bodies: then all begins where the file says. */
  readonly isPlaced: boolean
}

/** MuJoCo's step of a file in MJCF (`<option>`), with its defaults; a scenario takes it with `asMujoco`. */
export interface MujocoSolver {
  /** [s] */
  readonly timestep: number
  readonly integrator: 'Euler' | 'RK4' | 'implicit' | 'implicitfast' | 'discrete'
  readonly cone: 'pyramidal' | 'elliptic'
  readonly impratio: number
}

/** Content of a robot file, value by value, with the place of everything; nothing merged or estimated yet. */
export interface RobotDescription {
  readonly name: string
  readonly file: string
  readonly place: Place
  /** In the order of the file. */
  readonly links: readonly LinkDescription[]
  readonly joints: readonly JointDescription[]
  /** In MJCF; undefined in formats that describe one robot. */
  readonly freeBodies?: FreeBodies
  /** Each on a link that is declared. */
  readonly frames: readonly FrameDescription[]
  /** Name of the link that has no parent: `world` if joints name it as a parent, declared or not. */
  readonly root: string
  /** Whether the root is the `world` that joints name and no link declares. */
  readonly worldUndeclared: boolean
  /** Pairs that the file itself excludes from collision, such as those of `drake:collision_filter_group`. */
  readonly disabledCollisions: readonly DisabledCollision[]
  /** Links for which the file states whether they may collide with their own robot (`selfCollide`). */
  readonly selfCollide: ReadonlyMap<string, boolean>
  /** Which links touch each other, in formats that say so for the whole file. */
  readonly selfCollision?: SelfCollision
  /** Fixed shapes of the environment in the same file, in world axes. */
  readonly surroundings?: readonly SurroundingDescription[]
  readonly actuators?: readonly ActuatorDescription[]
  /** Names of the control inputs of all actuators, in their order, those that do not act here included. */
  readonly controls?: readonly string[]
  readonly sensors?: readonly SensorDescription[]
  readonly loops?: readonly LoopDescription[]
  readonly tendons?: readonly TendonDescription[]
  /** Limits and dry friction of tendons, and couplings that are no followers. */
  readonly lengths?: readonly LengthDescription[]
  /** The medium that its bodies move in, and what it acts on. */
  readonly fluid?: Medium & { readonly parts: readonly FluidDescription[] }
  /** [m/s^2]; undefined, and left to the caller, where the file states none. */
  readonly gravity?: Triple
  /** Of MJCF. */
  readonly solver?: MujocoSolver
  readonly tags: Tags
  readonly diagnostics: readonly Diagnostic[]
}

/** A joint without limits, and one without friction, springs and rotor. */
export const unlimited = { lower: -Infinity, upper: Infinity, effort: Infinity, velocity: Infinity } as const
export const plain = { axis: [1, 0, 0], ...unlimited, damping: 0, friction: 0, armature: 0 } as const

/** Shapes by which the viewer of the file's format draws a link. @unchecked */
export const shownShapes = ({ visuals, collisions }: LinkDescription): readonly ShapeDescription[] => [
  ...visuals.filter(({ isShown = true }) => isShown),
  ...collisions.filter(({ isShown = false }) => isShown),
]
