/**
 * The contacts of one configuration, as parallel arrays: entry i of each array is contact i, for i < count.
 *
 * Everything is in world axes. The unit normal points from body A to body B, the gap is positive when apart. Bodies are
 * numbered as in the model, 0 being the world; in a contact with the fixed surroundings A is the world, so the normal
 * points out of the ground into the robot.
 *
 * Capacity grows when a count first exceeds it, so that a steady simulation allocates nothing. `reserve` replaces the
 * arrays: take them from the set anew after each detection.
 */
export class ContactSet {
  count = 0
  capacity: number
  bodyA!: Int32Array
  bodyB!: Int32Array
  /**
   * Which pair of shapes touches: `robot shape * number of fixtures + fixture`; two shapes of robots have numbers above these, in
   * the order of their shapes (`CollisionPairs`). Stable over a run.
   */
  pair!: Int32Array
  /** Which point of the pair it is; the same feature keeps its number from step to step. */
  feature!: Int32Array
  /** 3 a contact [m]: midway between the two surfaces. */
  point!: Float64Array
  /** 3 a contact, unit. */
  normal!: Float64Array
  /** 3 a contact, unit; tangent1, tangent2 and normal are right-handed in the order t1, t2, n. */
  tangent1!: Float64Array
  tangent2!: Float64Array
  /** [m], negative when penetrating. */
  gap!: Float64Array
  /** Coulomb friction and restitution of the pair. */
  mu!: Float64Array
  restitution!: Float64Array
  /**
   * The rest of the pair's friction: static, at least `mu`; viscous [s/m]; Stribeck velocity [m/s]. See `frictionAtSpeed`. A contact
   * model that knows Coulomb's law alone takes `mu` and passes by these.
   */
  muStatic!: Float64Array
  viscous!: Float64Array
  stribeck!: Float64Array
  /** What the pair's surfaces state of stiffness [N/m] and damping [N s/m]; NaN where they are silent. */
  stiffness!: Float64Array
  damping!: Float64Array
  /** 1 where a surface asks that static friction is solved for (`Surface.solvedStaticFriction`), else 0. */
  solvedStatic!: Uint8Array
  /**
   * 3 a contact, written by the contact model: what body B received over the step at the point along
   * [normal, tangent1, tangent2] [N s]. Body A received the opposite. The mean force over the step is impulse / dt.
   */
  impulse!: Float64Array
  /** 3 a contact, like `impulse`: the part of it that came as an impact, all at once, and not as a force over the step [N s]. */
  impact!: Float64Array

  constructor(capacity = 32) {
    this.capacity = 0
    this.reserve(capacity)
  }

  /** Makes room for `capacity` contacts and keeps those that are there. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    const ints = (old: Int32Array | undefined) => {
      const grown = new Int32Array(capacity)
      if (old) grown.set(old)
      return grown
    }
    const floats = (old: Float64Array | undefined, width: number) => {
      const grown = new Float64Array(capacity * width)
      if (old) grown.set(old)
      return grown
    }
    this.bodyA = ints(this.bodyA)
    this.bodyB = ints(this.bodyB)
    this.pair = ints(this.pair)
    this.feature = ints(this.feature)
    this.point = floats(this.point, 3)
    this.normal = floats(this.normal, 3)
    this.tangent1 = floats(this.tangent1, 3)
    this.tangent2 = floats(this.tangent2, 3)
    this.gap = floats(this.gap, 1)
    this.mu = floats(this.mu, 1)
    this.restitution = floats(this.restitution, 1)
    this.muStatic = floats(this.muStatic, 1)
    this.viscous = floats(this.viscous, 1)
    this.stribeck = floats(this.stribeck, 1)
    this.stiffness = floats(this.stiffness, 1)
    this.damping = floats(this.damping, 1)
    const bytes = new Uint8Array(capacity)
    if (this.solvedStatic) bytes.set(this.solvedStatic)
    this.solvedStatic = bytes
    this.impulse = floats(this.impulse, 3)
    this.impact = floats(this.impact, 3)
    this.capacity = capacity
  }
}
