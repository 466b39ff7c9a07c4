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
    this.impulse = floats(this.impulse, 3)
    this.impact = floats(this.impact, 3)
    const small = (old: Uint8Array | undefined) => {
      const grown = new Uint8Array(capacity)
      if (old) grown.set(old)
      return grown
    }
    this.solvedStatic = small(this.solvedStatic)
    this.capacity = capacity
  }

  /** Takes over all contacts of another set. */
  copy(other: ContactSet): void {
    this.reserve(other.capacity)
    const { count } = other
    this.count = count
    for (let i = 0; i < count; i++) this.takeOne(other, i, i)
  }

  /** Contact `to` becomes contact `from` of another set. */
  protected takeOne(other: ContactSet, from: number, to: number): void {
    this.bodyA[to] = other.bodyA[from]
    this.bodyB[to] = other.bodyB[from]
    this.pair[to] = other.pair[from]
    this.feature[to] = other.feature[from]
    this.gap[to] = other.gap[from]
    this.mu[to] = other.mu[from]
    this.restitution[to] = other.restitution[from]
    this.muStatic[to] = other.muStatic[from]
    this.viscous[to] = other.viscous[from]
    this.stribeck[to] = other.stribeck[from]
    this.stiffness[to] = other.stiffness[from]
    this.damping[to] = other.damping[from]
    this.solvedStatic[to] = other.solvedStatic[from]
    for (let k = 0; k < 3; k++) {
      this.point[3 * to + k] = other.point[3 * from + k]
      this.normal[3 * to + k] = other.normal[3 * from + k]
      this.tangent1[3 * to + k] = other.tangent1[3 * from + k]
      this.tangent2[3 * to + k] = other.tangent2[3 * from + k]
      this.impulse[3 * to + k] = other.impulse[3 * from + k]
      this.impact[3 * to + k] = other.impact[3 * from + k]
    }
  }
}
