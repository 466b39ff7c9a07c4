import { addWork, type Data, pointVelocity, velocities, workOn } from '../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { type ImpactHypothesis, ImpactLaw } from './impactLaw.ts'
import type { ImpactOptions } from './impactOptions.ts'
import { PairImpulse } from './pairImpulse.ts'
import { ContactPatches } from './patches.ts'
import { TouchingPairs } from './touching.ts'

/** Least approach speed of an impact without gravity: Drumwright's epsilon, "very near to zero" [m/s]. */
const LEAST_APPROACH = 1e-8
/** Reduction of the approach speed, relative to epsilon, below which an impulse had no effect. */
const NO_CHANGE = 1e-3
/** Energy gains, relative to the energy exchanged by an impulse, that are rounding. */
const ROUNDING = 1e-12
/** Cost of a patch at each impulse, in multiply-adds. */
const PATCH = 10
/** Additional cost of a patch on the trees of the impulse. */
const PATCH_CHANGE = 150
/** Most impulses of one step, per eligible patch. */
const SWEEP_LIMIT = 50

/**
 * Impacts at the start of a step, for force-level models: the state machine of Drumwright, A fast and stable penalty method for rigid body
 * simulation, IEEE TVCG 14 (2008), figure 2. A pair of bodies that did not touch and now approaches faster than epsilon impacts; a pair
 * that touched is in resting contact, resolved by forces at any speed, unless another pair's impact in this step has increased its approach
 * speed, possibly through joints, by more than epsilon. @unchecked
 *
 * Epsilon is the change of speed by gravity within a step, g dt: bodies that are set down on each other, or that separate for a step,
 * approach at up to that speed without an impact.
 *
 * Impulses are sequential, always at the fastest approach (Baraff's sequential impulses), each at the centroid of a contact patch, until no
 * eligible patch approaches faster than epsilon. Each changes v by M^-1 J^T p, so that it reaches all joints. Approaches that remain at the
 * limit of impulses are left to the forces of resting contact; that counts as a fallback.
 */
export class ImpactPhase {
  readonly memorySize: number
  private readonly hypothesis: ImpactHypothesis
  private readonly restitutionThreshold: number
  /** 1: epsilon, the least approach speed of an impact [m/s]. */
  private readonly leastApproach: Float64Array
  private readonly touching: TouchingPairs
  private readonly patches: ContactPatches
  private readonly response: PairImpulse
  private readonly law = new ImpactLaw()
  private readonly point = new Float64Array(3)
  private readonly velocity = new Float64Array(3)
  /** 3 a contact: its part of its patch's impulse, on B in world axes; and the number of contacts. */
  private impact = new Float64Array(0)
  private impactCount = 0

  /** @param memoryOffset start of the phase's `memorySize` numbers in the model's memory */
  constructor(context: ContactModelContext, { impacts, restitutionThreshold }: ImpactOptions, memoryOffset: number) {
    if (impacts === 'none') throw new RangeError("impacts is 'none'; an impact phase needs a hypothesis of restitution")
    this.hypothesis = impacts
    this.restitutionThreshold = restitutionThreshold
    this.leastApproach = Float64Array.of(Math.max(LEAST_APPROACH, context.gravity * context.dt))
    this.touching = new TouchingPairs(context, memoryOffset)
    this.patches = new ContactPatches(this.touching, this.leastApproach, Float64Array.of(context.dt))
    this.response = new PairImpulse(context.model, context.trees)
    this.memorySize = this.touching.memorySize
  }

  /**
   * Resolves the impacts of this step: changes step.state.v, and updates data.V if a pair is new. Call once a step, after detection at its
   * start and before its forces.
   */
  resolve(step: ContactStep): void {
    const { model, state, data, contacts, memory } = step
    const { touching } = this
    this.impactCount = 0
    if (touching.advance(contacts, memory) > 0) this.strikeAll(step)
    let some = false
    for (let i = 0; i < contacts.count; i++) if (touching.hasBounced(contacts, i)) some = true
    if (!some) return
    velocities(model, state, data)
    for (let i = 0; i < contacts.count; i++) {
      if (touching.hasBounced(contacts, i) && this.approaches(data, contacts, i))
        touching.setBounced(touching.of(contacts, i), false)
    }
  }

  /** Whether the bodies approach at contact i faster than epsilon. */
  private approaches(data: Data, { bodyA, bodyB, point: at, normal }: ContactSet, i: number): boolean {
    const { point, velocity, leastApproach } = this
    let un = 0
    for (let d = 0; d < 3; d++) point[d] = at[3 * i + d]
    pointVelocity(data, bodyB[i], point, velocity)
    for (let d = 0; d < 3; d++) un += normal[3 * i + d] * velocity[d]
    pointVelocity(data, bodyA[i], point, velocity)
    for (let d = 0; d < 3; d++) un -= normal[3 * i + d] * velocity[d]
    return un < -leastApproach[0]
  }

  private strikeAll(step: ContactStep): void {
    const { model, state, data, contacts, events } = step
    const { patches, response } = this
    workOn('impacts', contacts.count, 0)
    patches.build(contacts)
    velocities(model, state, data)
    this.measure(data, contacts)
    let worst = patches.fastest()
    if (worst < 0) return

    response.begin(data)
    let settled = true
    let count = 0
    for (; worst >= 0 && count < SWEEP_LIMIT * patches.eligibleCount; worst = patches.fastest()) {
      if (!this.strike(step, worst)) settled = false
      count++
    }
    events.iterations += count
    if (worst >= 0 || !settled) events.fallbacks++
    velocities(model, state, data)
    this.share(contacts)
    for (let p = 0; p < patches.count; p++) if (patches.bounced[p] === 1) this.touching.setBounced(patches.pair[p], true)
  }

  /**
   * `resolve` for rigid models, in which an impact belongs to the step in which its contacts would close: in the order of closing, until no
   * patch closes within the step at a speed above epsilon, whether or not it touched before.
   *
   * @param active, uStart, uFree see `ContactPatches.buildRigid`
   */
  resolveClosing(step: ContactStep, active: Uint8Array, uStart: Float64Array, uFree: Float64Array): void {
    const { model, state, data, contacts, events } = step
    const { patches, response } = this
    workOn('impacts', contacts.count, 0)
    patches.buildRigid(contacts, active, uStart, uFree)
    velocities(model, state, data)
    this.measure(data, contacts)
    response.begin(data)
    let settled = true
    let count = 0
    let next = patches.first()
    for (; next >= 0 && count < SWEEP_LIMIT * patches.eligibleCount; next = patches.first()) {
      if (!this.strike(step, next)) settled = false
      count++
    }
    events.iterations += count
    if (next >= 0 || !settled) events.fallbacks++
    velocities(model, state, data)
    this.share(contacts)
  }

  /** Whether `resolveClosing` resolved contact i with restitution. */
  bounced(i: number): boolean {
    const p = this.patches.patchOf[i]
    return p >= 0 && this.patches.bounced[p] === 1
  }

  /** Whether the pair of bodies of contact i has rebounded and still separates: springs then do not act on it at any penetration. */
  leaves(contacts: ContactSet, i: number): boolean {
    return this.touching.hasBounced(contacts, i)
  }

  /** Whether the pair of bodies of contact i, which may have been detected within the step, touched at its start. */
  touches(contacts: ContactSet, i: number): boolean {
    return this.touching.touches(contacts, i)
  }

  /**
   * Reports this step's impacts: writes contacts.impact, and adds it to contacts.impulse, which already holds the step's forces. The
   * contacts are those of `resolve`, possibly detected again.
   */
  report(contacts: ContactSet): void {
    if (this.impactCount === 0) return // zero since detection
    const { count, impulse, impact } = contacts
    this.writeImpulses(contacts, impact)
    for (let k = 0; k < 3 * count; k++) impulse[k] += impact[k]
  }

  /** impact := the last impulses, 3 a contact along its normal and tangents [N s]. */
  writeImpulses({ count, normal, tangent1, tangent2, inverse2 }: ContactSet, impact: Float64Array): void {
    const { impact: given, impactCount } = this
    for (let i = 0; i < count; i++) {
      const n = 3 * i
      impact[n] = 0
      impact[n + 1] = 0
      impact[n + 2] = 0
      if (i >= impactCount) continue
      for (let d = n; d < n + 3; d++) {
        impact[n] += given[d] * normal[d]
        impact[n + 1] += given[d] * tangent1[d]
        impact[n + 2] += given[d] * tangent2[d] * inverse2[i]
      }
    }
  }

  /** Sets u of each patch: the velocity of B at its centroid relative to A. */
  private measure(data: Data, contacts: ContactSet): void {
    const { patches, point, velocity } = this
    const { count, bodyA, bodyB, centroid, axes, u, unBefore } = patches
    for (let p = 0; p < count; p++) {
      for (let d = 0; d < 3; d++) point[d] = centroid[3 * p + d]
      for (let r = 0; r < 3; r++) u[3 * p + r] = 0
      pointVelocity(data, bodyB[p], point, velocity)
      for (let r = 0; r < 3; r++) for (let d = 0; d < 3; d++) u[3 * p + r] += axes[9 * p + 3 * r + d] * velocity[d]
      pointVelocity(data, bodyA[p], point, velocity)
      for (let r = 0; r < 3; r++) for (let d = 0; d < 3; d++) u[3 * p + r] -= axes[9 * p + 3 * r + d] * velocity[d]
      unBefore[p] = u[3 * p]
    }
    if (contacts.runs) patches.addRunning(contacts)
  }

  /** Applies one impulse at patch p. @returns whether the law found it */
  private strike({ state, data }: ContactStep, p: number): boolean {
    const { patches, response, law, restitutionThreshold, leastApproach } = this
    const { bodyA, bodyB, centroid, axes, u, K, known, friction, total, push } = patches
    const a = bodyA[p]
    const b = bodyB[p]
    addWork(patches.count, PATCH, 1)
    response.select(a, b)
    if (known[p] === 0) {
      response.inertia(data, a, b, centroid, axes, p, law.K)
      for (let k = 0; k < 9; k++) K[9 * p + k] = law.K[k]
      known[p] = 1
    }
    for (let k = 0; k < 9; k++) law.K[k] = K[9 * p + k]
    for (let r = 0; r < 3; r++) {
      law.u[r] = u[3 * p + r]
      law.surface[r] = friction[3 * p + r]
    }
    if (-u[3 * p] < restitutionThreshold) law.surface[2] = 0
    if (law.surface[2] > 0) patches.bounced[p] = 1
    const found = law.solve(this.hypothesis)
    this.limitEnergy()
    for (let d = 0; d < 3; d++) {
      let along = 0
      for (let r = 0; r < 3; r++) along += law.impulse[r] * axes[9 * p + 3 * r + d]
      push[9 * p + d] = along
      total[3 * p + d] += along
    }
    const before = u[3 * p]
    response.apply(data, a, b, centroid, push, p, state.v)
    this.spread(data, p)
    // locked by friction: the impulse has no effect
    if (!(u[3 * p] > before + NO_CHANGE * leastApproach[0])) patches.retire(p)
    return found
  }

  /**
   * Limits the law's impulse p, if it would gain energy, to p0 + s (p - p0) with the largest s that gains none, p0 being the frictionless
   * impulse that stops the approach. Newton's may gain energy where friction reverses the slip, Poisson's in rare cases.
   */
  private limitEnergy(): void {
    const { K, u, impulse: p } = this.law
    let linear = 0
    let square = 0
    for (let r = 0; r < 3; r++) {
      linear += p[r] * u[r]
      for (let c = 0; c < 3; c++) square += p[r] * K[3 * r + c] * p[c]
    }
    if (!(linear + 0.5 * square > ROUNDING * square)) return
    const p0 = -u[0] / K[0]
    const constant = 0.5 * p0 * u[0]
    p[0] -= p0
    linear = 0
    square = 0
    for (let r = 0; r < 3; r++) {
      linear += p[r] * (u[r] + K[3 * r] * p0)
      for (let c = 0; c < 3; c++) square += p[r] * K[3 * r + c] * p[c]
    }
    const root = Math.sqrt(Math.max(linear * linear - 2 * square * constant, 0))
    const s = Math.min(linear > 0 ? (-2 * constant) / (linear + root) : (root - linear) / square, 1)
    for (let r = 0; r < 3; r++) p[r] *= s
    p[0] += p0
  }

  /** Updates the velocities of all patches on trees that the impulse at patch p changed; patches of other body pairs may now impact. */
  private spread(data: Data, p: number): void {
    const { patches, response } = this
    const { count, pair, bodyA, bodyB, centroid, axes, u } = patches
    const { treeOf } = response
    const treeA = treeOf[bodyA[p]]
    const treeB = treeOf[bodyB[p]]
    for (let k = 0; k < count; k++) {
      const a = treeOf[bodyA[k]]
      const b = treeOf[bodyB[k]]
      const ofA = a >= 0 && (a === treeA || a === treeB)
      const ofB = b >= 0 && (b === treeA || b === treeB)
      if (!ofA && !ofB) continue
      addWork(PATCH_CHANGE, 1, 1)
      response.addRelativeChange(data, bodyA[k], bodyB[k], ofA, ofB, centroid, axes, k, u)
      if (pair[k] !== pair[p]) patches.admitJolted(k)
    }
  }

  /** Distributes each patch's impulse equally among its contacts, which gives exactly the force and moment at the centroid. */
  private share({ capacity, count }: ContactSet): void {
    const { patchOf, size, total } = this.patches
    if (this.impact.length < 3 * capacity) this.impact = new Float64Array(3 * capacity)
    const { impact } = this
    this.impactCount = count
    for (let i = 0; i < count; i++) {
      const p = patchOf[i]
      for (let d = 0; d < 3; d++) impact[3 * i + d] = p < 0 ? 0 : total[3 * p + d] / size[p]
    }
  }
}
