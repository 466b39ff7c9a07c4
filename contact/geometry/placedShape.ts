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
  /** The axis in the shape's axes, of any length, projected into the plane of contact. Required with `frictionAcross`. */
  readonly frictionAxis?: readonly [number, number, number]
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
   * Collision bit masks: the shape's groups (default 1), and the groups that it touches (default all). Two shapes touch only if each is in
   * a group that the other touches.
   */
  readonly groups?: number
  readonly touches?: number
}
