import { ContactConstraints } from './solvers/index.ts'

/** What a contact's place in `ContactSet.constraints` has come to in the step. */
export const contactRole = {
  /** Takes no part: its gap may do what it likes, or no constraint names it. */
  idle: 0,
  /** One of several of which another has stayed apart. */
  passedBy: 1,
  /** Kept apart, and may push. */
  active: 2,
} as const

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

  // of the reading 'features' alone; other readings leave them as they are
  /** One of `featureKind`, and the features of A and B, as their polyhedra or polygons number them. */
  kind!: Uint8Array
  featureA!: Int32Array
  featureB!: Int32Array
  /** How far the features miss each other beside the normal [m]. */
  aside!: Float64Array
  /** Sine of the angle by which the features face each other beyond the limit of applicability. */
  applicability!: Float64Array
  /** One of `contactRole`, written by contact models that choose among contacts. */
  role!: Uint8Array
  /** What the contacts have to satisfy together; without constraints each stands for itself. */
  readonly constraints = new ContactConstraints()

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
    this.featureA = ints(this.featureA)
    this.featureB = ints(this.featureB)
    this.aside = floats(this.aside, 1)
    this.applicability = floats(this.applicability, 1)
    const small = (old: Uint8Array | undefined) => {
      const grown = new Uint8Array(capacity)
      if (old) grown.set(old)
      return grown
    }
    this.kind = small(this.kind)
    this.role = small(this.role)
    this.solvedStatic = small(this.solvedStatic)
    this.capacity = capacity
  }

  /** Takes over all contacts of another set. */
  copy(other: ContactSet): void {
    this.reserve(other.capacity)
    const { count } = other
    this.count = count
    for (let i = 0; i < count; i++) {
      this.bodyA[i] = other.bodyA[i]
      this.bodyB[i] = other.bodyB[i]
      this.pair[i] = other.pair[i]
      this.feature[i] = other.feature[i]
      this.gap[i] = other.gap[i]
      this.mu[i] = other.mu[i]
      this.restitution[i] = other.restitution[i]
      this.muStatic[i] = other.muStatic[i]
      this.viscous[i] = other.viscous[i]
      this.stribeck[i] = other.stribeck[i]
      this.stiffness[i] = other.stiffness[i]
      this.damping[i] = other.damping[i]
      this.solvedStatic[i] = other.solvedStatic[i]
      this.kind[i] = other.kind[i]
      this.featureA[i] = other.featureA[i]
      this.featureB[i] = other.featureB[i]
      this.aside[i] = other.aside[i]
      this.applicability[i] = other.applicability[i]
      this.role[i] = other.role[i]
    }
    for (let k = 0; k < 3 * count; k++) {
      this.point[k] = other.point[k]
      this.normal[k] = other.normal[k]
      this.tangent1[k] = other.tangent1[k]
      this.tangent2[k] = other.tangent2[k]
      this.impulse[k] = other.impulse[k]
      this.impact[k] = other.impact[k]
    }
    this.constraints.copy(other.constraints)
  }
}
