import type { Shape } from './shapes/index.ts'

/**
 * Properties of a surface; undefined where files and scenarios state none. `MaterialRules` combines two surfaces.
 */
export interface Surface {
  /** Coefficient of Coulomb friction while sliding. */
  readonly friction?: number
  /**
   * Friction by direction: the coefficient across `frictionAxis`, along which `friction` counts. The forces are those of the ellipse
   * (f1 / friction)² + (f2 / frictionAcross)² ≤ fn², of which sliding takes the one of largest dissipation. Default: `friction`.
   */
  readonly frictionAcross?: number
  /** Its axis in the shape's axes, of any length; only its part in the plane of a contact counts. Stated with `frictionAcross`. */
  readonly frictionAxis?: readonly [number, number, number]
  /** Coefficient of static Coulomb friction, along the axis where there is one; it is as many times that of sliding across. Default: `friction`. */
  readonly staticFriction?: number
  /** Viscous part: growth of the coefficient with the speed of sliding [s/m]. */
  readonly viscousFriction?: number
  /** Speed over which friction falls from static to sliding (Stribeck) [m/s]. */
  readonly stribeckVelocity?: number
  /** Torsional friction: a moment about the normal of up to friction times this radius times the load [m]. Default: 0. */
  readonly torsionRadius?: number
  /** Rolling resistance: a moment across the normal of up to this length times the load [m]. Default: 0. */
  readonly rollingLength?: number
  /** Newton's coefficient, 0 to 1. */
  readonly restitution?: number
  /** Of a contact with something rigid [N/m], [N s/m]. */
  readonly stiffness?: number
  readonly damping?: number
  /**
   * Whether static friction is solved for as the forces that keep the point from accelerating, where a contact model supports that:
   * exact and expensive, meant for wheels. For a pair, one such surface is enough.
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
   * Collision bit masks: the shape's groups (default 1), and those that it touches (default all). Two shapes touch only if each is in
   * a group that the other touches.
   */
  readonly groups?: number
  readonly touches?: number
}
