import type { Shape } from './shapes/index.ts'

/** Properties of a surface; undefined if files and scenarios state none. `MaterialRules` combines two surfaces. */
export interface Surface {
  /** Coefficient of Coulomb friction in sliding. */
  readonly friction?: number
  /**
   * Friction by direction: the coefficient across `frictionAxis`; `friction` is that along it. Friction forces satisfy (f1 / friction)² +
   * (f2 / frictionAcross)² ≤ fn²; in sliding the force in this ellipse with largest dissipation acts. Default: `friction`.
   */
  readonly frictionAcross?: number
  /**
   * The axis in the shape's axes, of any length, projected into the plane of contact; or `world`, the axis of Gazebo and MuJoCo where none is
   * stated: the world's y axis, its z axis on a surface within 60 degrees of y. Required with `frictionAcross`.
   */
  readonly frictionAxis?: readonly [number, number, number] | 'world'
  /** Coefficient of static friction, along the axis if any; across, in the same ratio to that of sliding. Default: `friction`. */
  readonly staticFriction?: number
  /** Increase of the friction coefficient with sliding speed [s/m]. */
  readonly viscousFriction?: number
  /** Stribeck velocity: speed scale over which friction falls from static to sliding [m/s]. */
  readonly stribeckVelocity?: number
  /** Torsional friction: a moment about the normal of at most friction times this radius times the normal force [m]. Default: 0. */
  readonly torsionRadius?: number
  /** Rolling resistance: a tangential moment of at most this length times the normal force [m]. Default: 0. */
  readonly rollingLength?: number
  /** Newton's coefficient, 0 to 1. */
  readonly restitution?: number
  /** Stiffness [N/m] and damping [N s/m] of a contact with a rigid surface. */
  readonly stiffness?: number
  readonly damping?: number
  /**
   * Whether static friction is solved for as the forces that keep the point from accelerating, in contact models that support it: exact and
   * expensive, for wheels. One such surface suffices in a pair.
   */
  readonly solvedStaticFriction?: boolean
  /** Attraction of a pair of shapes in contact, shared by its points [N]; those of two surfaces add up. Default: 0. */
  readonly adhesion?: number
  /** Gap up to which it acts, the larger of two [m]. Default: 0. */
  readonly adhesionRange?: number
  /** Set for a geom of MuJoCo: two of them make a pair by MuJoCo's rules (`pairMaterial`). */
  readonly geom?: GeomSurface
}

/** Parts of a MuJoCo geom's surface besides `Surface.friction`, which is 1 where it states none. */
export interface GeomSurface {
  /** Of two geoms that of the higher priority gives the pair its surface; of equal ones the larger values count. */
  readonly priority: number
  /** 1: no friction; 3: sliding friction; 4: torsional friction too; 6: rolling resistance too. */
  readonly condim: number
  /** Bounds of the moments about the normal and across it, over the load [m]. */
  readonly spin: number
  readonly roll: number
  /** For the contact model `mujoco`; undefined where none of it is stated. */
  readonly softness?: GeomSoftness
  /** Distance at which a contact begins there; those of two geoms add up [m]. Default 0. */
  readonly margin?: number
  /** Of a `GeomPair`: its solreffriction, 2 numbers; default: its solref. */
  readonly frictionReference?: readonly number[]
  /** Attraction of each of its contacts [N], and the distance beyond the margin up to which it acts; those of two geoms add up [m]. */
  readonly adhesion?: number
  readonly gap?: number
}

/** MuJoCo's solref (2) and solimp (5). */
export interface Softness {
  readonly solref: readonly number[]
  readonly solimp: readonly number[]
}

/** With its weight in a pair. */
export interface GeomSoftness extends Softness {
  readonly solmix: number
}

/** Of a joint of MuJoCo, where it states them. */
export interface JointSoftness {
  readonly limit?: Softness
  readonly friction?: Softness
}

/** Of an equality of MuJoCo. */
export interface LoopSoftness extends Softness {
  /** Length by which a weld's rotation is multiplied, `torquescale` [m]. */
  readonly turnScale: number
}

/** MuJoCo's `<pair>`: two geoms that touch whatever else keeps them apart, with a surface of its own. */
export interface GeomPair {
  readonly geoms: readonly [string, string]
  /** `frictionAcross` acts across the axis `world`, or on a plane across that of a capsule. */
  readonly surface: Required<Pick<Surface, 'friction' | 'geom'>> & Pick<Surface, 'frictionAcross'>
}

/** A shape at its pose on a body, with its surface properties. Body 0 is the world: a fixture. */
export interface PlacedShape extends Surface {
  /** Unique in its world. */
  readonly name: string
  readonly body: number
  readonly shape: Shape
  /** 9, row-major: turns the shape's axes into the body's. */
  readonly R: Float64Array
  /** 3: the shape's origin in the body's axes [m]. */
  readonly p: Float64Array
  /**
   * Velocity of the surface beyond its body's, as of a belt or a track: 6 numbers in the shape's axes, linear at its origin [m/s] and angular
   * [rad/s], or a function that writes them for a time [s]. Contacts have its part along their plane.
   */
  readonly surfaceVelocity?: readonly number[] | ((t: number, out: Float64Array) => void)
  /** MuJoCo's collision bits, by default all: two shapes touch only if contype of one shares a bit with conaffinity of the other. */
  readonly contype?: number
  readonly conaffinity?: number
  /** The pairs that name it, and its name in its file. */
  readonly geomPairs?: readonly GeomPair[]
  readonly geomName?: string
  /** 3: centre of mass of a geom's own link in the body's axes [m], where fixed joints put several into the body. */
  readonly linkCenter?: Float64Array
  /** The link that has it: of surroundings that a link may be kept apart from, `world`. */
  readonly link?: string
}

/** The pair that names both shapes, if there is one. @unchecked */
export function geomPairOf({ geomPairs, geomName: a }: PlacedShape, { geomName: b }: PlacedShape): GeomPair | undefined {
  return geomPairs?.find(({ geoms: [x, y] }) => (x === a && y === b) || (x === b && y === a))
}

/** Gap up to which MuJoCo has two shapes in contact [m]. @unchecked */
export function marginOfPair(a: PlacedShape, b: PlacedShape): number {
  const stated = geomPairOf(a, b)
  if (stated) return stated.surface.geom.margin ?? 0
  return (a.geom?.margin ?? 0) + (b.geom?.margin ?? 0)
}

type Bits = Pick<PlacedShape, 'contype' | 'conaffinity'>

/** Whether the bits of two shapes let them touch. @unchecked */
export function bitsMeet(
  { contype: typeA = -1, conaffinity: toA = -1 }: Bits,
  { contype: typeB = -1, conaffinity: toB = -1 }: Bits,
): boolean {
  return ((typeA & toB) | (typeB & toA)) !== 0
}
