import { crba, factorize, type Model, rnea, solve } from '../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { ContactRows } from './contactRows.ts'
import { type ForceLaw, ForceWorkspace, type FrictionOptions } from './forceLaw.ts'
import { JointFriction, LimitSprings } from './joints.ts'
import { staticStiffness } from './physicalGains.ts'
import { RestFrame } from './restFrame.ts'

/** Passes of one implicit step before the forces found so far are taken as they are. */
const PASS_LIMIT = 12
/** In this many first passes a contact that was let go may come back. */
const RETURN_PASSES = 4
/** Relative error in a force of friction, and in the normal force it goes with, that calls for another pass. */
const FORCE_TOLERANCE = 1e-3

const FRICTIONLESS = 0
const STICK = 1
const SLIDE = 2

/**
 * The semi-implicit step of a force law. Everything in a force that depends on velocity, and the spring's change over the
 * step to first order, is evaluated at the velocity at the end of the step (linearly implicit), so that neither critical
 * damping nor nearly rigid friction limits the step size:
 *
 *   (M + h D + h Σ Jᵀ B J) v⁺ = M v + h (tau - c + Σ Jᵀ f0),   contact force f = f0 - B J v⁺,
 *
 * with velocities in axes that stand still over the step (see `RestFrame`) and c the bias force in these;
 * B = diag(damping + h slope, Bt) in (normal, tangents). For contacts with something fixed, Jᵀ B J lies within the
 * branch-induced sparsity of M, so the same factorisation serves at no extra fill. Friction is Newton's linearisation of
 * -mu F v_t / max(|v_t|, stick speed): sticking, Bt = mu F / stickSpeed; sliding along t, a constant -mu F t and
 * Bt = mu F / |v_t| across t only.
 *
 * The step is solved again while a contact would pull (it is let go), friction would leave its cone, or F has moved from
 * the value that friction was computed with (a secant finds the value that agrees); rest and steady sliding need one pass, a change of contact two to four. If
 * the passes run out, the forces found last are clipped to what is admissible and applied as they are; that counts as a
 * fallback.
 */
export class SemiImplicitForces {
  private readonly law: ForceLaw
  private readonly stickSpeed: number
  private readonly frame: RestFrame
  private readonly rows: ContactRows
  private readonly joints: JointFriction
  private readonly limits: LimitSprings
  private readonly work = new ForceWorkspace()
  private readonly c: Float64Array
  private readonly H: Float64Array
  /** nv: right-hand side, then the change of velocity over the step. */
  private readonly dv: Float64Array
  private readonly vNext: Float64Array
  /** Per contact: FRICTIONLESS, STICK or SLIDE. */
  private mode = new Uint8Array(0)
  /** Per contact: the normal force that came of the last pass, negative where it would pull [N]. */
  private normal = new Float64Array(0)
  /** Per contact: the normal force that friction is computed with [N]. */
  private load = new Float64Array(0)
  /** Per contact: the load before, and by how much the normal force that came of it missed it; NaN at first [N]. */
  private oldLoad = new Float64Array(0)
  private oldMiss = new Float64Array(0)
  /** Per contact, 2: direction of sliding; and 1: speed of sliding [m/s]. */
  private direction = new Float64Array(0)
  private speed = new Float64Array(0)
  /** Per contact, 3: f0 - B u, and 3: Bt as [11, 12, 22]. */
  private constant = new Float64Array(0)
  private tangential = new Float64Array(0)
  /** 3 a contact: J v⁺. */
  private uNext = new Float64Array(0)

  constructor(context: ContactModelContext, law: ForceLaw, { stickSpeed }: FrictionOptions) {
    const { model, mass } = context
    this.law = law
    this.stickSpeed = stickSpeed
    this.frame = new RestFrame(model)
    this.rows = new ContactRows(model)
    this.joints = new JointFriction(model)
    this.limits = new LimitSprings(model, Math.sqrt(staticStiffness(context) / mass))
    this.c = new Float64Array(model.nv)
    this.H = new Float64Array(model.nv * model.nv)
    this.dv = new Float64Array(model.nv)
    this.vNext = new Float64Array(model.nv)
  }

  advance(step: ContactStep): void {
    const { model, state, data, contacts, memory, dt, events } = step
    const { law, frame, rows, joints, limits, work } = this
    const { q, v } = state
    this.reserve(contacts.capacity)

    crba(model, data)
    frame.begin(v)
    rnea(model, state, frame.acceleration, data, this.c)
    rows.build(data, contacts)
    rows.velocity(work.u, v, contacts.count)
    law.remember(contacts, memory)
    law.select(contacts, work.selected)
    work.active.set(work.selected)
    joints.begin(v)
    limits.begin(q)
    this.guess(contacts, memory)

    let passes = 0
    let settled = false
    while (!settled && passes < PASS_LIMIT) {
      law.coefficients(contacts, memory, work.selected, work.active, work.spring, work.slope, work.damping)
      this.assemble(step)
      this.solve(model, v)
      passes++
      settled = this.settle(contacts, dt, passes)
    }
    events.iterations += passes
    if (!settled) {
      events.fallbacks++
      this.applyClipped(step)
    }

    frame.finish(q, v, this.vNext, dt)
    const { impulse, count } = contacts
    for (let i = 0; i < 3 * count; i++) impulse[i] = dt * work.force[i]
  }

  private reserve(capacity: number): void {
    if (!this.work.reserve(capacity)) return
    this.mode = new Uint8Array(capacity)
    this.normal = new Float64Array(capacity)
    this.load = new Float64Array(capacity)
    this.oldLoad = new Float64Array(capacity)
    this.oldMiss = new Float64Array(capacity)
    this.direction = new Float64Array(2 * capacity)
    this.speed = new Float64Array(capacity)
    this.constant = new Float64Array(3 * capacity)
    this.tangential = new Float64Array(3 * capacity)
    this.uNext = new Float64Array(3 * capacity)
  }

  /** Friction's first guess: what slides at the start of the step goes on sliding, under the normal force of that time. */
  private guess(contacts: ContactSet, memory: Float64Array): void {
    const { law, work, mode, load, oldLoad } = this
    const { selected, active, spring, slope, damping, u } = work
    law.coefficients(contacts, memory, selected, active, spring, slope, damping)
    for (let i = 0; i < contacts.count; i++) {
      if (selected[i] === 0) continue
      load[i] = Math.max(spring[i] - damping[i] * u[3 * i], 0)
      oldLoad[i] = Number.NaN
      if (contacts.mu[i] > 0) this.slideOrStick(i, u)
      else mode[i] = FRICTIONLESS
    }
  }

  /** Sliding along u if that is faster than the stick speed, sticking otherwise. */
  private slideOrStick(i: number, u: Float64Array): void {
    const { mode, direction, speed, stickSpeed } = this
    const u1 = u[3 * i + 1]
    const u2 = u[3 * i + 2]
    speed[i] = Math.sqrt(u1 * u1 + u2 * u2)
    if (speed[i] > stickSpeed) {
      mode[i] = SLIDE
      direction[2 * i] = u1 / speed[i]
      direction[2 * i + 1] = u2 / speed[i]
    } else mode[i] = STICK
  }

  /** H = M + h D + h Σ Jᵀ B J, and the right-hand side h (tau - c + passive + Σ Jᵀ (f0 - B u)) in dv. */
  private assemble(step: ContactStep): void {
    const { data, contacts, tau, dt } = step
    const { v } = step.state
    const { H, dv, c, rows, constant, tangential, work } = this
    const { active, spring, slope, damping, u } = work
    const { J, first, size, velocities } = rows
    const nv = dv.length
    H.set(data.M)
    for (let k = 0; k < nv; k++) dv[k] = tau[k] - c[k]
    this.joints.add(H, dv, v, dt)
    this.limits.add(H, dv, v, dt)

    for (let i = 0; i < contacts.count; i++) {
      if (active[i] === 0) continue
      const Bn = damping[i] + dt * slope[i]
      this.linearise(i, contacts.mu)
      const B11 = tangential[3 * i]
      const B12 = tangential[3 * i + 1]
      const B22 = tangential[3 * i + 2]
      constant[3 * i] = spring[i] - Bn * u[3 * i]
      constant[3 * i + 1] -= B11 * u[3 * i + 1] + B12 * u[3 * i + 2]
      constant[3 * i + 2] -= B12 * u[3 * i + 1] + B22 * u[3 * i + 2]
      rows.addForce(dv, constant, i)

      const rowN = 3 * i * nv
      const row1 = rowN + nv
      const row2 = row1 + nv
      const end = first[i] + size[i]
      for (let a = first[i]; a < end; a++) {
        const k = velocities[a]
        const n = dt * Bn * J[rowN + k]
        const t1 = dt * (B11 * J[row1 + k] + B12 * J[row2 + k])
        const t2 = dt * (B12 * J[row1 + k] + B22 * J[row2 + k])
        const target = k * nv
        // the list falls, so what follows lies in the lower triangle, which is what the factorisation reads
        for (let b = a; b < end; b++) {
          const l = velocities[b]
          H[target + l] += n * J[rowN + l] + t1 * J[row1 + l] + t2 * J[row2 + l]
        }
      }
    }
    for (let k = 0; k < nv; k++) dv[k] *= dt
  }

  /** Friction of contact i around the present guess: constant part and Bt. */
  private linearise(i: number, mu: Float64Array): void {
    const { mode, load, direction, speed, stickSpeed, constant, tangential } = this
    constant[3 * i + 1] = 0
    constant[3 * i + 2] = 0
    tangential[3 * i] = 0
    tangential[3 * i + 1] = 0
    tangential[3 * i + 2] = 0
    const strength = mu[i] * load[i]
    if (mode[i] === STICK) {
      tangential[3 * i] = strength / stickSpeed
      tangential[3 * i + 2] = strength / stickSpeed
    } else if (mode[i] === SLIDE) {
      const x = direction[2 * i]
      const y = direction[2 * i + 1]
      constant[3 * i + 1] = -strength * x
      constant[3 * i + 2] = -strength * y
      const across = strength / speed[i]
      tangential[3 * i] = across * y * y
      tangential[3 * i + 1] = -across * x * y
      tangential[3 * i + 2] = across * x * x
    }
  }

  private solve(model: Model, v: Float64Array): void {
    const { H, dv, vNext, rows } = this
    const { pattern } = rows
    factorize(pattern, H, H)
    solve(pattern, H, dv)
    for (let k = 0; k < model.nv; k++) vNext[k] = v[k] + dv[k]
  }

  /** Forces at the end of the step; true if every guess held. Where one did not, it is changed. */
  private settle(contacts: ContactSet, dt: number, pass: number): boolean {
    const { rows, work, uNext, vNext, constant, tangential, load, oldLoad, joints, limits } = this
    const { selected, active, spring, slope, damping, u, force } = work
    const { count, mu } = contacts
    rows.velocity(uNext, vNext, count)
    let settled = true
    for (let i = 0; i < count; i++) {
      const n = 3 * i
      force[n] = 0
      force[n + 1] = 0
      force[n + 2] = 0
      if (selected[i] === 0) continue
      const normal = spring[i] - (damping[i] + dt * slope[i]) * uNext[n]
      this.normal[i] = normal
      if (active[i] === 0) {
        if (normal > 0 && pass < RETURN_PASSES) {
          active[i] = 1
          load[i] = normal
          oldLoad[i] = Number.NaN
          if (mu[i] > 0) this.slideOrStick(i, uNext)
          settled = false
        }
        continue
      }
      if (normal < 0) {
        // it may be friction of too great a load that lifts the contact: let go only if it lifts without friction too
        if (mu[i] > 0 && load[i] > 0) this.renewLoad(i)
        else active[i] = 0
        settled = false
        continue
      }
      force[n] = normal
      const du1 = uNext[n + 1] - u[n + 1]
      const du2 = uNext[n + 2] - u[n + 2]
      force[n + 1] = constant[n + 1] - tangential[n] * du1 - tangential[n + 1] * du2
      force[n + 2] = constant[n + 2] - tangential[n + 1] * du1 - tangential[n + 2] * du2
      if (mu[i] > 0 && !this.settleFriction(i, mu)) settled = false
    }
    if (joints.settle(vNext)) settled = false
    if (limits.settle(vNext, dt)) settled = false
    return settled
  }

  /** Whether friction at contact i is what its law says at the end of the step; if not, the guess is renewed. */
  private settleFriction(i: number, friction: Float64Array): boolean {
    const mu = friction[i]
    const { mode, load, direction, stickSpeed, uNext, work } = this
    const { force } = work
    const n = 3 * i
    const cone = mu * force[n]
    const size = Math.sqrt(force[n + 1] * force[n + 1] + force[n + 2] * force[n + 2])
    const inside = size <= cone * (1 + FORCE_TOLERANCE)
    const u1 = uNext[n + 1]
    const u2 = uNext[n + 2]
    if (mode[i] === STICK) {
      if (Math.sqrt(u1 * u1 + u2 * u2) > stickSpeed * (1 + FORCE_TOLERANCE)) this.slideOrStick(i, uNext)
      else if (inside) return true
      this.renewLoad(i)
      return false
    }
    if (u1 * direction[2 * i] + u2 * direction[2 * i + 1] < 0) {
      // friction stops a contact, it does not turn it round
      mode[i] = STICK
      this.renewLoad(i)
      return false
    }
    if (inside && Math.abs(mu * load[i] - cone) <= FORCE_TOLERANCE * cone) return true
    this.renewLoad(i)
    this.slideOrStick(i, uNext)
    return false
  }

  /**
   * The load that friction is computed with next: the normal force that came of the present one, or, where that misses
   * again, by the secant through the two, for friction may act back on the normal force more than one to one.
   */
  private renewLoad(i: number): void {
    const { normal: normals, load, oldLoad, oldMiss } = this
    const normal = normals[i]
    const miss = normal - load[i]
    let next = normal
    if (oldLoad[i] !== load[i] && oldMiss[i] !== miss && !Number.isNaN(oldLoad[i])) {
      const secant = load[i] - (miss * (load[i] - oldLoad[i])) / (miss - oldMiss[i])
      if (secant >= 0 && secant < 10 * (normal + load[i] + oldLoad[i])) next = secant
    }
    oldLoad[i] = load[i]
    oldMiss[i] = miss
    load[i] = Math.max(next, 0)
  }

  /** The last pass's forces, clipped to push and to lie in their cones, applied as constants. */
  private applyClipped(step: ContactStep): void {
    const { model, data, contacts, tau, dt } = step
    const { v } = step.state
    const { H, dv, c, rows, work } = this
    const { force, active } = work
    H.set(data.M)
    for (let k = 0; k < model.nv; k++) dv[k] = tau[k] - c[k]
    this.joints.add(H, dv, v, dt)
    this.limits.add(H, dv, v, dt)
    for (let i = 0; i < contacts.count; i++) {
      if (active[i] === 0) {
        force[3 * i] = 0
        force[3 * i + 1] = 0
        force[3 * i + 2] = 0
        continue
      }
      const cone = contacts.mu[i] * force[3 * i]
      const size = Math.sqrt(force[3 * i + 1] ** 2 + force[3 * i + 2] ** 2)
      if (size > cone) {
        force[3 * i + 1] *= cone / size
        force[3 * i + 2] *= cone / size
      }
      rows.addForce(dv, force, i)
    }
    for (let k = 0; k < model.nv; k++) dv[k] *= dt
    this.solve(model, v)
  }
}
