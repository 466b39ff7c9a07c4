import { crbaOnBranches, PassiveJoints, RestFrame, rnea, workOn } from '../../../dynamics/index.ts'
import { ContactRows, UniformPatch } from '../../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import { type ForceLaw, ForceWorkspace, type FrictionOptions } from '../forceLaw.ts'
import { FreeFlight } from '../freeFlight.ts'
import { StickingSystem } from '../friction/index.ts'
import { HeldLengths } from '../heldLengths.ts'
import { JointLimits } from '../joints.ts'
import { LoopSprings } from '../loopSprings.ts'
import { TorsionRollingMoments } from '../torsionRollingMoments.ts'
import { ActiveSet, DRAG, FORCE_TOLERANCE, FRICTIONLESS, STICK, SYSTEM } from './activeSet.ts'
import { ContactForces } from './contactForces.ts'

/** Passes of one implicit step before friction is relaxed, see `relaxContacts`. */
const PASS_LIMIT = 20
/** Passes after which solved static friction becomes regularised for the rest of the step. */
const HELD_PASSES = 8

/**
 * The semi-implicit step of a force law: velocity-dependent forces, and the springs' change over the step to first order, are taken at the
 * end-of-step velocity (linearly implicit), so that neither damping nor nearly rigid friction limits the step:
 *
 *   (M + h D + h² K + h Σ Jᵀ B J) v⁺ = M v + h (tau - c - K (q - rest) + Σ Jᵀ f0),   contact force f = f0 - B J v⁺,
 *
 * with velocities in axes fixed over the step (`RestFrame`), c the bias force in these, and B = diag(damping + h slope, Bt) in (normal,
 * tangents). Joint limits (`JointLimits`), lengths (`HeldLengths`) and loops are springs and dampers in the same system. Friction is the sticking force g of a contact, and beyond
 * the cone mu F g / |g|, linearised as in Newton's method:
 *
 *   regularised   g = -b v_t, b = mu F / stickSpeed: sticking, Bt = b; sliding along t, a constant -mu F t and
 *                 Bt = mu F / |v_t| across t only
 *   springs       g = -k e - (c + h k) v_t, e the extension of the spring: the same with b = c + h k and v_t + k e / b in
 *                 place of v_t
 *   solved        g such that v_t = 0, for all sticking contacts at once (`StickingSystem`), on the H of all other forces
 *
 * The step is solved again until `ActiveSet` finds all modes consistent: rest and steady sliding need one pass, a change of contact two to
 * four. If the passes run out, friction is relaxed until it is admissible (`relaxContacts`), and the step counts as a fallback.
 */
export class SemiImplicitForces {
  readonly loops: LoopSprings
  private readonly law: ForceLaw
  private readonly sticking: StickingSystem
  private readonly frame: RestFrame
  private readonly flight: FreeFlight
  private readonly rows: ContactRows
  private readonly joints: PassiveJoints
  private readonly limits: JointLimits
  private readonly lengths: HeldLengths
  private readonly torsionRolling: TorsionRollingMoments
  private readonly patch: UniformPatch | undefined
  private readonly work = new ForceWorkspace()
  private readonly forces: ContactForces
  private readonly activeSet: ActiveSet
  private readonly c: Float64Array
  private readonly H: Float64Array
  /** Of H: where its factor is. */
  private factor: Float64Array
  /** nv: right-hand side, then the change of velocity over the step. */
  private readonly dv: Float64Array
  private readonly vNext: Float64Array

  constructor(context: ContactModelContext, law: ForceLaw, friction: FrictionOptions) {
    const { model } = context
    this.law = law
    this.sticking = new StickingSystem(model.nv)
    this.frame = new RestFrame(model)
    this.flight = new FreeFlight(context, this.frame, true, true)
    this.loops = new LoopSprings(context)
    this.lengths = new HeldLengths(context)
    this.rows = new ContactRows(model, this.loops.rows, this.lengths.rows)
    this.joints = new PassiveJoints(model)
    this.limits = new JointLimits(context)
    this.torsionRolling = new TorsionRollingMoments(model)
    this.patch = friction.patch === 'uniform' ? new UniformPatch(context) : undefined
    this.forces = new ContactForces(this.rows, this.work)
    this.activeSet = new ActiveSet(context, friction, law.memorySize, this.forces)
    this.c = new Float64Array(model.nv)
    this.H = new Float64Array(model.nv * model.nv)
    this.factor = this.H
    this.dv = new Float64Array(model.nv)
    this.vNext = new Float64Array(model.nv)
  }

  advance(step: ContactStep): void {
    const { state, contacts, dt, events } = step
    this.begin(step)
    let passes = 0
    let start = 0
    let settled = false
    while (!settled && passes - start < PASS_LIMIT) {
      // the first pass has the coefficients of the start
      if (passes > 0) this.law.coefficients(contacts, step.memory, this.work)
      this.solve(step)
      this.addStickForces(step)
      this.activeSet.relaxTolerance(contacts, passes)
      this.forces.evaluate(step, this.vNext)
      passes++
      settled = this.settle(step, passes - start)
      if (!settled && passes === HELD_PASSES && this.activeSet.regularise(step)) start = passes
    }
    if (!settled) {
      events.fallbacks++
      passes += this.relaxContacts(step)
    }
    events.iterations += passes

    this.activeSet.rememberSprings(step)
    this.loops.addForces(step, this.vNext)
    this.lengths.addForces(step, this.vNext)
    this.joints.writeEfforts(this.vNext)
    this.frame.finish(state.q, state.v, this.vNext, dt)
    this.flight.end(step)
    const { impulse, count } = contacts
    for (let i = 0; i < 3 * count; i++) impulse[i] = dt * this.work.force[i]
    this.torsionRolling.report(contacts, this.rows, this.vNext, dt)
    this.patch?.report(contacts)
  }

  /** Sets M and c, rows, coefficients and assumed modes at the start of the step. */
  private begin(step: ContactStep): void {
    const { model, state, data, contacts, memory, dt } = step
    const { law, frame, rows, work } = this
    const { q, v } = state
    if (work.reserve(contacts.capacity)) {
      this.forces.reserve(contacts.capacity)
      this.activeSet.reserve(contacts.capacity)
    }
    workOn('forces', contacts.count, 0)

    crbaOnBranches(model, data)
    frame.begin(v, dt)
    this.flight.begin(step)
    rnea(model, state, frame.acceleration, data, this.c)
    rows.buildMoving(data, contacts, v, work.u)
    this.patch?.move(data, contacts, rows, v, work.u)
    this.torsionRolling.begin(data, contacts, rows, v)
    law.remember(contacts, memory)
    law.select(contacts, work.selected)
    for (let i = 0; i < contacts.count; i++) work.active[i] = work.selected[i]
    this.joints.begin(state, dt, step.servos)
    this.limits.begin(q, v, dt)
    this.lengths.begin(q, v, data, dt)
    this.loops.begin(data, v)
    law.coefficients(contacts, memory, work)
    this.activeSet.begin(step)
  }

  /**
   * Computes vNext with the present modes: H = M + h D + h² K + h Σ Jᵀ B J, factored, and H dv = h (tau - c + passive + Σ Jᵀ (f0 - B u)).
   */
  private solve(step: ContactStep): void {
    const { data, contacts, tau, dt } = step
    const { v } = step.state
    const { H, dv, c, rows, vNext, activeSet, forces } = this
    const { pattern } = rows
    const nv = dv.length
    pattern.load(data.M, H)
    for (let k = 0; k < nv; k++) dv[k] = tau[k] - c[k]
    this.joints.add(H, dv, v, dt)
    this.limits.add(H, dv, v, dt)
    this.lengths.add(data.M, H, dv, v, dt, rows.velocities)
    this.loops.add(dv, dt, H)
    forces.linearise(step, activeSet)
    forces.addTo(H, dv, contacts.count)
    this.torsionRolling.add(H, dv, rows, this.work.active, activeSet.load, dt)
    for (let k = 0; k < nv; k++) dv[k] *= dt
    this.factor = pattern.factorIn(data, H)
    pattern.solveIn(data, this.factor, dv)
    for (let k = 0; k < nv; k++) vNext[k] = v[k] + dv[k]
  }

  /** Solves the forces on contacts of the linear system, and adds their change of the end-of-step velocity. */
  private addStickForces(step: ContactStep): void {
    const { sticking, activeSet, forces, work, rows, factor, vNext } = this
    const { mode, holding, load } = activeSet
    const { count, muStatic, capacity } = step.contacts
    sticking.clear(capacity)
    for (let i = 0; i < count; i++) {
      if (work.active[i] !== 0 && mode[i] === STICK && holding[i] === SYSTEM) sticking.add(i)
    }
    if (sticking.count === 0) return
    rows.velocity(forces.uNext, vNext, count)
    sticking.solve(rows, factor, forces.uNext, muStatic, load)
    const { contact, x, change } = sticking
    for (let k = 0; k < vNext.length; k++) vNext[k] += change[k]
    for (let n = 0; n < sticking.count; n++) {
      forces.constant[3 * contact[n] + 1] = x[2 * n] / step.dt
      forces.constant[3 * contact[n] + 2] = x[2 * n + 1] / step.dt
    }
  }

  /** Whether the modes of all contacts, joints and limits are consistent; revises those that are not. */
  private settle({ state, contacts, dt }: ContactStep, pass: number): boolean {
    const { activeSet, joints, limits, lengths, vNext } = this
    let settled = activeSet.update(contacts, pass)
    if (joints.settle(vNext)) settled = false
    if (limits.settle(vNext, dt, state.v)) settled = false
    if (lengths.settle(vNext, dt, true, true)) settled = false
    return settled
  }

  /**
   * Fallback where no modes are consistent: friction becomes a plain damper, mu F / |v_t| of the last pass; then pulling contacts are
   * released and friction that leaves its cone is dropped, both for the rest of the step, so that this terminates. All this is implicit and
   * dissipates energy. The last pass's forces, clipped and applied as constants, would throw a light foot whose points balance each other.
   *
   * @returns passes taken
   */
  private relaxContacts(step: ContactStep): number {
    const { contacts, memory, dt } = step
    const { law, work, forces, activeSet, limits, lengths, vNext } = this
    const { mode, coefficient } = activeSet
    const { uNext } = forces
    const { selected, active, force } = work
    const { count, viscous } = contacts
    for (let i = 0; i < count; i++) {
      active[i] = selected[i]
      if (selected[i] !== 0) activeSet.relax(i, contacts)
    }
    for (let passes = 1; ; passes++) {
      law.coefficients(contacts, memory, work)
      this.solve(step)
      forces.evaluate(step, vNext)
      let settled = !limits.settle(vNext, dt)
      if (lengths.settle(vNext, dt, false, false)) settled = false
      for (let i = 0; i < count; i++) {
        if (active[i] === 0) continue
        const n = 3 * i
        const slip = Math.hypot(uNext[n + 1], uNext[n + 2])
        const cone = (coefficient[i] + viscous[i] * slip) * force[n] * (1 + FORCE_TOLERANCE)
        if (force[n] < 0) active[i] = 0
        else if (mode[i] === DRAG && Math.hypot(force[n + 1], force[n + 2]) > cone) mode[i] = FRICTIONLESS
        else continue
        settled = false
      }
      if (settled) return passes
    }
  }
}
