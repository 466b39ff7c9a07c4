import { crba, factorize, JointFriction, type Model, RestFrame, rnea, solve } from '../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { ContactRows } from './contactRows.ts'
import { type ForceLaw, ForceWorkspace, type FrictionOptions } from './forceLaw.ts'
import { LimitSprings } from './joints.ts'
import { staticStiffness } from './physicalGains.ts'

/** Passes of one implicit step before friction gives way. */
const PASS_LIMIT = 20
/** In this many first passes a contact that was let go may come back. */
const RETURN_PASSES = 4
/** Relative error in a force of friction, and in the normal force it goes with, that calls for another pass. */
const FORCE_TOLERANCE = 1e-3

const FRICTIONLESS = 0
const STICK = 1
const SLIDE = 2

// what the end of the step says of a contact's guess
const HOLDS = 0
/** It was let go, and would push. */
const PUSHES = 1
const PULLS = 2
/** It was to stick, and moves faster than the stick speed. */
const SLIPS = 3
/** It was to slide one way, and slides the other. */
const TURNS_ROUND = 4
/** Friction does not go with the normal force that came of it. */
const MISSES = 5

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
 * the value that friction was computed with (a secant finds the value that agrees); rest and steady sliding need one
 * pass, a change of contact two to four. If the passes run out, friction gives way until what is left is admissible
 * (`giveWay`); that counts as a fallback.
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
  /** Per contact: HOLDS or what else the last pass says. */
  private verdict = new Uint8Array(0)
  /** Per contact: the normal force that came of the last pass, negative where it would pull [N]. */
  private normal = new Float64Array(0)
  /** Per contact: the normal force that friction is computed with [N]. */
  private load = new Float64Array(0)
  /** Per contact: the load before, and by how much the normal force that came of it missed it; NaN at first [N]. */
  private oldLoad = new Float64Array(0)
  private oldMiss = new Float64Array(0)
  /** Per contact, 2: direction of sliding; and 1: speed of sliding, or up to which sticking friction is viscous [m/s]. */
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
      this.evaluate(contacts, dt)
      passes++
      settled = this.settle(contacts, dt, passes)
    }
    if (!settled) {
      events.fallbacks++
      passes += this.giveWay(step)
    }
    events.iterations += passes

    frame.finish(q, v, this.vNext, dt)
    const { impulse, count } = contacts
    for (let i = 0; i < 3 * count; i++) impulse[i] = dt * work.force[i]
  }

  private reserve(capacity: number): void {
    if (!this.work.reserve(capacity)) return
    this.mode = new Uint8Array(capacity)
    this.verdict = new Uint8Array(capacity)
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
    } else this.stick(i)
  }

  private stick(i: number): void {
    this.mode[i] = STICK
    this.speed[i] = this.stickSpeed
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
    const { mode, load, direction, speed, constant, tangential } = this
    constant[3 * i + 1] = 0
    constant[3 * i + 2] = 0
    tangential[3 * i] = 0
    tangential[3 * i + 1] = 0
    tangential[3 * i + 2] = 0
    const strength = mu[i] * load[i]
    if (mode[i] === STICK) {
      tangential[3 * i] = strength / speed[i]
      tangential[3 * i + 2] = strength / speed[i]
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

  /**
   * Forces at the end of the step, and what they say of each guess; `settle` acts upon that. Straight through, whatever
   * happens: a branch that is taken for the first time makes the engine throw a compiled function away, and until this one
   * is compiled anew every number in it would be boxed.
   */
  private evaluate(contacts: ContactSet, dt: number): void {
    const { rows, work, mode, verdict, load, direction, stickSpeed, uNext, vNext, constant, tangential, normal } = this
    const { selected, active, spring, slope, damping, u, force } = work
    const { count, mu } = contacts
    rows.velocity(uNext, vNext, count)
    for (let i = 0; i < count; i++) {
      const n = 3 * i
      const u1 = uNext[n + 1]
      const u2 = uNext[n + 2]
      const fn = spring[i] - (damping[i] + dt * slope[i]) * uNext[n]
      const f1 = constant[n + 1] - tangential[n] * (u1 - u[n + 1]) - tangential[n + 1] * (u2 - u[n + 2])
      const f2 = constant[n + 2] - tangential[n + 1] * (u1 - u[n + 1]) - tangential[n + 2] * (u2 - u[n + 2])
      const cone = mu[i] * fn
      const isSelected = selected[i] !== 0
      const isActive = isSelected && active[i] !== 0
      const sticks = mode[i] === STICK
      const slides = mode[i] === SLIDE
      const pushes = fn > 0
      const pulls = fn < 0
      const slips = Math.sqrt(u1 * u1 + u2 * u2) > stickSpeed * (1 + FORCE_TOLERANCE)
      const turnsRound = u1 * direction[2 * i] + u2 * direction[2 * i + 1] < 0
      const leavesCone = Math.sqrt(f1 * f1 + f2 * f2) > cone * (1 + FORCE_TOLERANCE)
      const misses = Math.abs(mu[i] * load[i] - cone) > FORCE_TOLERANCE * cone

      normal[i] = fn
      force[n] = isActive ? fn : 0
      force[n + 1] = isActive ? f1 : 0
      force[n + 2] = isActive ? f2 : 0
      let says = HOLDS
      if (isSelected && !isActive) says = pushes ? PUSHES : HOLDS
      else if (isActive && pulls) says = PULLS
      else if (isActive && sticks) says = slips ? SLIPS : leavesCone ? MISSES : HOLDS
      else if (isActive && slides) says = turnsRound ? TURNS_ROUND : leavesCone || misses ? MISSES : HOLDS
      verdict[i] = says
    }
  }

  /** True if every guess held; where one did not, it is changed. */
  private settle(contacts: ContactSet, dt: number, pass: number): boolean {
    const { verdict, joints, limits, vNext } = this
    let settled = true
    for (let i = 0; i < contacts.count; i++) {
      if (verdict[i] === HOLDS) continue
      if (verdict[i] === PUSHES && pass >= RETURN_PASSES) continue
      this.guessAgain(i, contacts.mu)
      settled = false
    }
    if (joints.settle(vNext)) settled = false
    if (limits.settle(vNext, dt)) settled = false
    return settled
  }

  private guessAgain(i: number, mu: Float64Array): void {
    const { mode, verdict, normal, load, oldLoad, uNext, work } = this
    switch (verdict[i]) {
      case PUSHES: // it was let go too early
        work.active[i] = 1
        load[i] = normal[i]
        oldLoad[i] = Number.NaN
        if (mu[i] > 0) this.slideOrStick(i, uNext)
        break
      case PULLS: // perhaps friction of too great a load lifts it: let go only if it lifts without friction too
        if (mu[i] > 0 && load[i] > 0) this.renewLoad(i)
        else work.active[i] = 0
        break
      case TURNS_ROUND: // friction stops a contact, it does not turn it round
        this.stick(i)
        this.renewLoad(i)
        break
      case SLIPS:
        this.renewLoad(i)
        this.slideOrStick(i, uNext)
        break
      case MISSES:
        this.renewLoad(i)
        if (mode[i] === SLIDE) this.slideOrStick(i, uNext)
    }
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

  /**
   * The way out where no guesses hold together: friction becomes a plain damper, mu F / |v_t| of the last pass; then what
   * pulls is let go and friction that leaves its cone is dropped, both for the rest of the step, so that this ends. All of
   * it stays implicit and takes energy out. The last pass's forces, clipped and applied as constants, would be no way out:
   * many points balance one another on a light foot, and what clipping leaves over throws it. (A humanoid of 180 kg that
   * fell at steps of 10 ms had its ankles accelerated from 49 to 265 rad/s in one step, and soon to no end.)
   *
   * @returns passes taken
   */
  private giveWay(step: ContactStep): number {
    const { model, state, contacts, memory, dt } = step
    const { law, work, mode, normal, load, speed, stickSpeed, uNext, limits, vNext } = this
    const { selected, active, spring, slope, damping, force } = work
    const { count, mu } = contacts
    for (let i = 0; i < count; i++) {
      active[i] = selected[i]
      if (selected[i] === 0) continue
      load[i] = Math.max(normal[i], 0)
      mode[i] = mu[i] > 0 ? STICK : FRICTIONLESS
      speed[i] = Math.max(Math.hypot(uNext[3 * i + 1], uNext[3 * i + 2]), stickSpeed)
    }
    for (let passes = 1; ; passes++) {
      law.coefficients(contacts, memory, selected, active, spring, slope, damping)
      this.assemble(step)
      this.solve(model, state.v)
      this.evaluate(contacts, dt)
      const slack = 1 + FORCE_TOLERANCE
      let settled = !limits.settle(vNext, dt)
      for (let i = 0; i < count; i++) {
        if (active[i] === 0) continue
        const n = 3 * i
        if (force[n] < 0) active[i] = 0
        else if (mode[i] === STICK && Math.hypot(force[n + 1], force[n + 2]) > mu[i] * force[n] * slack) mode[i] = FRICTIONLESS
        else continue
        settled = false
      }
      if (settled) return passes
    }
  }
}
