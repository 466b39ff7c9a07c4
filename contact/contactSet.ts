import { grown } from './grown.ts'

/** Initial capacity. */
const START = 32

/**
 * The contacts of one configuration, as parallel arrays: entry i of each array is contact i, for i < count. @unchecked
 *
 * Everything is in world axes. The unit normal points from body A to body B, the gap is positive when apart. Bodies are
 * numbered as in the model, 0 being the world; in a contact with the fixed surroundings A is the world, so the normal
 * points out of the ground into the robot.
 *
 * Capacity grows when a count first exceeds it, so that a steady simulation allocates nothing. `reserve` replaces the
 * arrays: read them from the set again after each detection.
 */
export class ContactSet {
  count = 0
  capacity = START
  bodyA = new Int32Array(START)
  bodyB = new Int32Array(START)
  /**
   * Number of the pair of shapes: `robot shape * number of fixtures + fixture`; two shapes of robots have numbers above these, in
   * the order of their shapes (`CollisionPairs`). Stable over a run.
   */
  pair = new Int32Array(START)
  /** Number of the geometric feature within the pair, stable from step to step. */
  feature = new Int32Array(START)
  /** 3 a contact [m]: midway between the two surfaces. */
  point = new Float64Array(3 * START)
  /** 3 a contact, unit. */
  normal = new Float64Array(3 * START)
  /**
   * 3 a contact, unit; tangent1, tangent2 and normal are right-handed in the order t1, t2, n. Where friction has directions, tangent1 lies
   * along the axis of the larger coefficient, `mu`, and tangent2, along the other, has the length r, the smaller over the larger
   * (`FrictionAxes`). Components of slip are products with the tangents, components of force are multiples of them: in these numbers the
   * friction ellipse is a circle of radius mu f_n, sliding friction opposes the slip, and |u_t| is the power of friction over mu f_n. True
   * lengths are those of the vectors in world axes.
   */
  tangent1 = new Float64Array(3 * START)
  tangent2 = new Float64Array(3 * START)
  /** 1 / r²: a vector's component along tangent2 is its product with tangent2 times this. 1 if friction has no directions. */
  inverse2 = new Float64Array(START).fill(1)
  /** [m], negative when penetrating. */
  gap = new Float64Array(START)
  /** Coulomb friction and restitution of the pair. */
  mu = new Float64Array(START)
  restitution = new Float64Array(START)
  /**
   * Further friction of the pair: static, at least `mu`; viscous [s/m]; Stribeck velocity [m/s]. See `frictionAtSpeed`. Models with
   * Coulomb's law alone use only `mu`.
   */
  muStatic = new Float64Array(START)
  viscous = new Float64Array(START)
  stribeck = new Float64Array(START)
  /** Radius of torsional friction, and length of rolling resistance [m]; see `TorsionRollingRows`. */
  torsion = new Float64Array(START)
  rolling = new Float64Array(START)
  /** Stiffness [N/m] and damping [N s/m] of the pair's surfaces; NaN if neither states one. */
  stiffness = new Float64Array(START)
  damping = new Float64Array(START)
  /** 1 if static friction is to be solved for (`Surface.solvedStaticFriction`), else 0. */
  solvedStatic = new Uint8Array(START)
  /** Whether any surface of the scene runs (`RunningSurfaces`); else the next two are zero. */
  runs = false
  /** 3 a contact: velocity of B's surface against A's beyond those of their bodies, products with normal and tangents [m/s]; the first is 0. */
  running = new Float64Array(3 * START)
  /** Angular velocity of B's surface against A's about the normal, likewise [rad/s]. */
  spin = new Float64Array(START)
  /** Impulse over the step by which its bodies attract each other along the normal (`Adhesion`) [N s]; `impulse` is that of the law against it. */
  adhesion = new Float64Array(START)
  /** The part of it that is a property of the surfaces, not of an actuator: for MuJoCo's law, whose springs it does not press. */
  passiveAdhesion = new Float64Array(START)
  /**
   * 3 a contact, written by the contact model: impulse on body B over the step, at the point, along
   * [normal, tangent1, tangent2] [N s]. Body A receives the opposite. The mean force over the step is impulse / dt; of contacts that adhere,
   * less the attraction (`writeWrench`).
   */
  impulse = new Float64Array(3 * START)
  /** 3 a contact, axes of `impulse`: the part of it due to an instantaneous impact [N s]. */
  impact = new Float64Array(3 * START)
  /** 3 a contact, axes of `impulse`: moment on B of torsional friction, rolling resistance and offset friction (`UniformPatch`) [N m s]. */
  moment = new Float64Array(3 * START)

  private readonly wrench = new Float64Array(6)

  /** Reserves space for `capacity` contacts, keeping the present ones. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    this.bodyA = grown(this.bodyA, capacity)
    this.bodyB = grown(this.bodyB, capacity)
    this.pair = grown(this.pair, capacity)
    this.feature = grown(this.feature, capacity)
    this.point = grown(this.point, 3 * capacity)
    this.normal = grown(this.normal, 3 * capacity)
    this.tangent1 = grown(this.tangent1, 3 * capacity)
    this.tangent2 = grown(this.tangent2, 3 * capacity)
    this.inverse2 = grown(this.inverse2, capacity).fill(1, this.capacity)
    this.gap = grown(this.gap, capacity)
    this.mu = grown(this.mu, capacity)
    this.restitution = grown(this.restitution, capacity)
    this.muStatic = grown(this.muStatic, capacity)
    this.viscous = grown(this.viscous, capacity)
    this.stribeck = grown(this.stribeck, capacity)
    this.torsion = grown(this.torsion, capacity)
    this.rolling = grown(this.rolling, capacity)
    this.stiffness = grown(this.stiffness, capacity)
    this.damping = grown(this.damping, capacity)
    this.solvedStatic = grown(this.solvedStatic, capacity)
    this.running = grown(this.running, 3 * capacity)
    this.spin = grown(this.spin, capacity)
    this.adhesion = grown(this.adhesion, capacity)
    this.passiveAdhesion = grown(this.passiveAdhesion, capacity)
    this.impulse = grown(this.impulse, 3 * capacity)
    this.impact = grown(this.impact, 3 * capacity)
    this.moment = grown(this.moment, 3 * capacity)
    this.capacity = capacity
  }

  /** Replaces the contacts by copies of all contacts of another set. */
  copy(other: ContactSet): void {
    this.reserve(other.capacity)
    this.count = 0
    this.runs = other.runs
    for (let i = 0; i < other.count; i++) this.append(other, i)
  }

  /** Adds a copy of contact k of another set. */
  append(other: ContactSet, k: number): void {
    if (this.count === this.capacity) this.reserve(2 * this.capacity)
    const i = this.count++
    this.bodyA[i] = other.bodyA[k]
    this.bodyB[i] = other.bodyB[k]
    this.pair[i] = other.pair[k]
    this.feature[i] = other.feature[k]
    this.inverse2[i] = other.inverse2[k]
    this.gap[i] = other.gap[k]
    this.mu[i] = other.mu[k]
    this.restitution[i] = other.restitution[k]
    this.muStatic[i] = other.muStatic[k]
    this.viscous[i] = other.viscous[k]
    this.stribeck[i] = other.stribeck[k]
    this.torsion[i] = other.torsion[k]
    this.rolling[i] = other.rolling[k]
    this.stiffness[i] = other.stiffness[k]
    this.damping[i] = other.damping[k]
    this.solvedStatic[i] = other.solvedStatic[k]
    this.spin[i] = other.spin[k]
    this.adhesion[i] = other.adhesion[k]
    this.passiveAdhesion[i] = other.passiveAdhesion[k]
    for (let d = 0; d < 3; d++) {
      this.point[3 * i + d] = other.point[3 * k + d]
      this.normal[3 * i + d] = other.normal[3 * k + d]
      this.tangent1[3 * i + d] = other.tangent1[3 * k + d]
      this.tangent2[3 * i + d] = other.tangent2[3 * k + d]
      this.running[3 * i + d] = other.running[3 * k + d]
      this.impulse[3 * i + d] = other.impulse[3 * k + d]
      this.impact[3 * i + d] = other.impact[3 * k + d]
      this.moment[3 * i + d] = other.moment[3 * k + d]
    }
  }

  /** out = impulse on body B at contact i over the step: moment about the world's origin [N m s], then linear [N s], world axes. */
  writeWrench(i: number, out: Float64Array): void {
    const { point, normal, tangent1, tangent2, impulse, moment, adhesion } = this
    const k = 3 * i
    const push = impulse[k] - adhesion[i]
    for (let d = 0; d < 3; d++) {
      out[d] = moment[k] * normal[k + d] + moment[k + 1] * tangent1[k + d] + moment[k + 2] * tangent2[k + d]
      out[3 + d] = push * normal[k + d] + impulse[k + 1] * tangent1[k + d] + impulse[k + 2] * tangent2[k + d]
    }
    out[0] += point[k + 1] * out[5] - point[k + 2] * out[4]
    out[1] += point[k + 2] * out[3] - point[k] * out[5]
    out[2] += point[k] * out[4] - point[k + 1] * out[3]
  }

  /**
   * The mean force of the contacts on each body over a step, for `addBodyForces`. With it the motor efforts are rnea(q, v, a) - Jᵀ f.
   *
   * @param dt of the step [s]
   * @param out out: 6 a body, [moment; force] in world axes about the world's origin [N m, N]
   */
  writeBodyForces(dt: number, out: Float64Array): void {
    const { count, bodyA, bodyB, wrench } = this
    out.fill(0)
    for (let i = 0; i < count; i++) {
      this.writeWrench(i, wrench)
      for (let d = 0; d < 6; d++) {
        out[6 * bodyB[i] + d] += wrench[d] / dt
        out[6 * bodyA[i] + d] -= wrench[d] / dt
      }
    }
  }
}
