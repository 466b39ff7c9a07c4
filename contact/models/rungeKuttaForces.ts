import {
  type Acceleration,
  aba,
  addPassiveForces,
  crba,
  createRk4Workspace,
  createState,
  pointJacobianDotTimesV,
  type Rk4Workspace,
  rk4,
  type State,
} from '../../dynamics/index.ts'
import { ContactRows, hasFriction, slidingFriction, UniformPatch } from '../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { type ForceLaw, ForceWorkspace, type FrictionOptions } from './forceLaw.ts'
import { StickingSystem, TangentialSprings } from './friction/index.ts'
import { HeldLengths } from './heldLengths.ts'
import { HeldJoints } from './joints.ts'
import { LoopSprings } from './loopSprings.ts'
import { StageImpulses } from './stageImpulses.ts'
import { TorsionRollingMoments } from './torsionRollingMoments.ts'

/**
 * The Runge-Kutta step of a force law (order 4 on the configuration manifold while contacts do not change): forces are evaluated at each of
 * the four stages, with new detection of contacts; the law's memory advances once a step.
 *
 * Friction, F being the normal force and mu(s) its coefficient at a slip of s (`frictionAtSpeed`):
 *
 *   regularised   -mu(s) F v_t / max(s, stick speed)
 *   springs       -k e - c v_t up to muStatic F, beyond that mu(s) F in the same direction. The extensions e are integrated
 *                 with the state, e' = v_t, and cut back to mu(s) F / k at the end of the step
 *   solved        forces by which all sticking points have J_t a + J_t' v = -s / h, s being their
 *                 slip at the start of the step, which is thereby removed: J_t M⁻¹ J_tᵀ x = -(J_t a0 + J_t' v + s / h)
 *                 (`StickingSystem`). Points that need more than muStatic F slide with mu(s) F, and the rest is solved
 *                 again. J_t' is that of points fixed in the bodies: a wheel that turns about the normal while it rolls is left
 *                 with a slip of h times the product of its two speeds and its radius
 *
 * The impulses reported are the stages' forces with their weights (`StageImpulses`).
 */
export class RungeKuttaForces implements Acceleration {
  readonly loops: LoopSprings
  private readonly law: ForceLaw
  /** 1: speed up to which friction is viscous, at least the velocity change by gravity in a step [m/s]. */
  private readonly hg: Float64Array
  private readonly rows: ContactRows
  private readonly joints: HeldJoints
  private readonly torsionRolling: TorsionRollingMoments
  private readonly patch: UniformPatch | undefined
  private readonly work = new ForceWorkspace()
  /** The state at the start of the step, advanced by rk4 while the world's own state takes the stages' values. */
  private readonly base: State
  private readonly start: State
  private readonly workspace: Rk4Workspace
  private readonly total: Float64Array
  private readonly friction: FrictionOptions
  private readonly sticking: StickingSystem
  /** nv x nv: M, with the gains of limits, and its factor, for `StickingSystem`. */
  private readonly L: Float64Array
  /** nv: generalised force of released contacts, then their acceleration; acceleration with limits. */
  private readonly pull: Float64Array
  private readonly springs: TangentialSprings
  /** Per contact: slip [m/s], dry coefficient of friction, normal force [N]; 3: J_t a + J_t' v + v_t / h at 1 and 2 [m/s²]. */
  private slip = new Float64Array(0)
  private coefficient = new Float64Array(0)
  private push = new Float64Array(0)
  private rate = new Float64Array(0)
  /** Per contact at the start, for its spring: normal force and coefficient in the last stage; 0 if inactive. */
  private lastPush = new Float64Array(0)
  private lastCoefficient = new Float64Array(0)
  /** 3 a contact at the start, in world axes: slip of the previous stage, of the first, and the weighted sum so far. */
  private rateBefore = new Float64Array(0)
  private firstRate = new Float64Array(0)
  private way = new Float64Array(0)
  private readonly p3 = new Float64Array(3)
  private readonly a3 = new Float64Array(3)
  private readonly e3 = new Float64Array(3)
  /** 1: weight of the present stage's forces in the step's impulse [s]. */
  private readonly weight = new Float64Array(1)
  /** 1: time of the present stage from the start of the step [s]. */
  private readonly ahead = new Float64Array(1)
  private step!: ContactStep
  private stage = 0
  private readonly impulses = new StageImpulses()

  constructor(context: ContactModelContext, law: ForceLaw, friction: FrictionOptions) {
    const { model, pairCount, trees } = context
    this.law = law
    this.hg = Float64Array.of(friction.stickSpeedExplicit)
    this.friction = friction
    this.sticking = new StickingSystem(model.nv)
    this.L = new Float64Array(model.nv * model.nv)
    this.pull = new Float64Array(model.nv)
    this.springs = new TangentialSprings(pairCount, trees, friction.tangentialStiffness, law.memorySize)
    this.loops = new LoopSprings(context)
    const lengths = new HeldLengths(context)
    this.rows = new ContactRows(model, this.loops.rows, lengths.rows)
    this.joints = new HeldJoints(context, lengths, this.rows)
    this.torsionRolling = new TorsionRollingMoments(model)
    this.patch = friction.patch === 'uniform' ? new UniformPatch(context) : undefined
    this.base = createState(model)
    this.start = createState(model)
    this.workspace = createRk4Workspace(model)
    this.total = new Float64Array(model.nv)
  }

  advance(step: ContactStep): void {
    const { model, state, contacts, memory, dt } = step
    const { base, start } = this
    this.step = step
    this.stage = 0
    this.law.remember(contacts, memory)
    this.begin()
    start.q.set(state.q)
    start.v.set(state.v)
    base.q.set(state.q)
    base.v.set(state.v)
    base.t[0] = state.t[0]

    rk4(model, base, this, dt, this.workspace)

    // contacts of this step are those at its start: detect them again, to report there
    state.q.set(start.q)
    state.v.set(start.v)
    step.detectStart()
    this.impulses.report(step.contacts)
    this.patch?.find(step.contacts)
    this.patch?.report(step.contacts)
    if (this.friction.kind === 'springs') this.rememberSprings()
    state.q.set(base.q)
    state.v.set(base.v)
  }

  /** Acceleration at a stage. The first stage is the start of the step, whose contacts are already detected. */
  evaluate(stage: State, a: Float64Array): void {
    const { step, total } = this
    const { model, state, data, tau, dt } = step
    if (this.stage > 0) {
      state.q.set(stage.q)
      state.v.set(stage.v)
      step.detect()
    }
    for (let k = 0; k < model.nv; k++) total[k] = tau[k]
    if (this.stage > 0) step.elements?.addChange(state, data, total)
    addPassiveForces(model, state, Infinity, total) // dry friction is added below
    this.weight[0] = this.stage === 1 || this.stage === 2 ? dt / 3 : dt / 6
    this.ahead[0] = dt * (this.stage === 0 ? 0 : this.stage === 3 ? 1 : 0.5)
    this.addContacts()
    this.loops.begin(data, state.v)
    this.loops.add(total, 0)
    this.loops.addStageForces(step, this.weight)
    aba(model, state, total, data, a)
    const isHeld = this.joints.reach(step)
    if (isHeld) this.joints.hold(step, a, this.L, this.pull, this.weight)
    if (this.sticking.count > 0) this.addStickForces(a, isHeld)
    this.impulses.add(step.contacts, this.work.force, this.work.active, this.weight)
    this.torsionRolling.addTo(this.impulses.givenMoment, this.impulses.startOf, this.weight)
    this.stage++
  }

  private begin(): void {
    const { contacts, data, memory, events } = this.step
    if (contacts.capacity > this.lastPush.length) {
      this.lastPush = new Float64Array(contacts.capacity)
      this.lastCoefficient = new Float64Array(contacts.capacity)
      this.rateBefore = new Float64Array(3 * contacts.capacity)
      this.firstRate = new Float64Array(3 * contacts.capacity)
      this.way = new Float64Array(3 * contacts.capacity)
    }
    this.impulses.begin(contacts)
    this.firstRate.fill(0)
    if (this.friction.kind !== 'springs') return
    const { springs, law, work } = this
    work.reserve(contacts.capacity)
    law.select(contacts, work.selected)
    springs.begin(contacts, data, memory, work.selected)
    if (springs.left > 0) events.fallbacks++
    this.way.fill(0)
    this.rateBefore.fill(0)
  }

  /** Adds the contacts' generalised forces to the total, except those to be solved for. */
  private addContacts(): void {
    const { step, law, rows, work, total, sticking, friction } = this
    const { data, contacts, memory, state } = step
    const { count, viscous, solvedStatic } = contacts
    work.reserve(contacts.capacity)
    this.reserve(contacts.capacity)
    sticking.clear(contacts.capacity)
    const { selected, active, spring, damping, u, force } = work
    rows.build(data, contacts)
    rows.velocity(u, state.v, count)
    this.patch?.move(data, contacts, rows, state.v, u)
    law.select(contacts, selected)

    // signs do not depend on the number that share the force: first the active set, then magnitudes
    active.set(selected)
    law.coefficients(contacts, memory, work)
    for (let i = 0; i < count; i++) if (selected[i] !== 0 && !(spring[i] - damping[i] * u[3 * i] > 0)) active[i] = 0
    law.coefficients(contacts, memory, work)

    const onSprings = friction.kind === 'springs'
    if (onSprings) this.lastPush.fill(0)
    for (let i = 0; i < count; i++) {
      if (active[i] === 0) continue
      const n = 3 * i
      this.slip[i] = Math.sqrt(u[n + 1] * u[n + 1] + u[n + 2] * u[n + 2])
      const push = spring[i] - damping[i] * u[n]
      force[n] = push
      this.push[i] = push
      const isSolved = friction.kind === 'solved' || solvedStatic[i] !== 0
      if (isSolved && this.slip[i] <= this.hg[0] && hasFriction(contacts, i)) {
        force[n + 1] = 0
        force[n + 2] = 0
        sticking.add(i)
      } else if (!isSolved && onSprings && this.pullSpring(i)) {
        force[n + 1] -= viscous[i] * push * u[n + 1]
        force[n + 2] -= viscous[i] * push * u[n + 2]
      } else {
        this.findCoefficient(i, contacts)
        const drag = (this.coefficient[i] * push) / Math.max(this.slip[i], this.hg[0]) + viscous[i] * push
        force[n + 1] = -drag * u[n + 1]
        force[n + 2] = -drag * u[n + 2]
      }
      rows.addForce(total, force, i)
    }
    this.torsionRolling.begin(data, contacts, rows, state.v)
    this.torsionRolling.addExplicit(total, data, contacts, rows, active, this.push, this.hg)
  }

  private reserve(capacity: number): void {
    if (capacity <= this.slip.length) return
    this.slip = new Float64Array(capacity)
    this.coefficient = new Float64Array(capacity)
    this.push = new Float64Array(capacity)
    this.rate = new Float64Array(3 * capacity)
  }

  /** Sets the coefficient of friction: static up to the stick speed, sliding beyond. */
  private findCoefficient(i: number, contacts: ContactSet): void {
    const { coefficient, slip, hg } = this
    if (slip[i] > hg[0]) slidingFriction(coefficient, contacts, i, slip)
    else coefficient[i] = contacts.muStatic[i]
  }

  /** Adds the acceleration by the sticking forces to a. Contacts beyond their friction limit are released, so that the loop ends. */
  private addStickForces(a: Float64Array, isHeld: boolean): void {
    const { step, sticking, rows, work, L, pull, rate, coefficient, slip } = this
    const { model, data, contacts } = step
    const { muStatic } = contacts
    const { force, u } = work
    const { nv } = model
    if (!isHeld) {
      crba(model, data)
      rows.pattern.load(data.M, L)
      rows.pattern.factorize(L)
    }
    for (let released = true; released && sticking.count > 0; ) {
      this.findRates(a)
      sticking.solve(rows, L, rate, muStatic, this.push)
      step.events.iterations++
      released = false
      pull.fill(0)
      for (let n = sticking.count - 1; n >= 0; n--) {
        const i = sticking.contact[n]
        const x1 = sticking.x[2 * n]
        const x2 = sticking.x[2 * n + 1]
        const holding = Math.sqrt(x1 * x1 + x2 * x2)
        if (holding <= muStatic[i] * force[3 * i]) continue
        slidingFriction(coefficient, contacts, i, slip)
        const share = (coefficient[i] * force[3 * i]) / holding
        const thick = contacts.viscous[i] * force[3 * i]
        rate[3 * i] = 0
        rate[3 * i + 1] = share * x1 - thick * u[3 * i + 1]
        rate[3 * i + 2] = share * x2 - thick * u[3 * i + 2]
        force[3 * i + 1] = rate[3 * i + 1]
        force[3 * i + 2] = rate[3 * i + 2]
        rows.addForce(pull, rate, i)
        sticking.remove(n)
        released = true
      }
      if (!released) break
      rows.pattern.solve(L, pull)
      for (let k = 0; k < nv; k++) a[k] += pull[k]
    }
    if (sticking.count === 0) return
    for (let k = 0; k < nv; k++) a[k] += sticking.change[k]
    for (let n = 0; n < sticking.count; n++) {
      force[3 * sticking.contact[n] + 1] = sticking.x[2 * n]
      force[3 * sticking.contact[n] + 2] = sticking.x[2 * n + 1]
    }
  }

  /** rate = J_t a + J_t' v + s / h of each contact in the system: its slip acceleration (Baraff's survey, eq. 13), and removal of s. */
  private findRates(a: Float64Array): void {
    const { step, sticking, rows, rate, p3, a3 } = this
    const { model, state, data, contacts } = step
    const { bodyA, bodyB, point, tangent1, tangent2 } = contacts
    rows.product(rate, a, contacts.count)
    for (let m = 0; m < sticking.count; m++) {
      const i = sticking.contact[m]
      const n = 3 * i
      for (let d = 0; d < 3; d++) p3[d] = point[n + d]
      this.addFirstSlip(i)
      for (let side = -1; side < 2; side += 2) {
        pointJacobianDotTimesV(model, state, data, side < 0 ? bodyA[i] : bodyB[i], p3, a3)
        rate[n + 1] += side * (a3[0] * tangent1[n] + a3[1] * tangent1[n + 1] + a3[2] * tangent1[n + 2])
        rate[n + 2] += side * (a3[0] * tangent2[n] + a3[1] * tangent2[n + 1] + a3[2] * tangent2[n + 2])
      }
    }
  }

  /** rate += s / h of contact i, s its slip at the start of the step; nothing for a contact that is new since then. */
  private addFirstSlip(i: number): void {
    const { step, stage, rate, work, firstRate: first } = this
    const { contacts, dt } = step
    const { pair, feature, tangent1, tangent2, inverse2 } = contacts
    const start = this.impulses.find(pair[i], feature[i])
    if (start < 0 || this.impulses.feature[start] !== feature[i]) return
    const n = 3 * i
    const s = 3 * start
    if (stage === 0) {
      const { u } = work
      for (let d = 0; d < 3; d++) first[s + d] = (u[n + 1] * tangent1[n + d] + u[n + 2] * inverse2[i] * tangent2[n + d]) / dt
    }
    rate[n + 1] += first[s] * tangent1[n] + first[s + 1] * tangent1[n + 1] + first[s + 2] * tangent1[n + 2]
    rate[n + 2] += first[s] * tangent2[n] + first[s + 1] * tangent2[n + 1] + first[s + 2] * tangent2[n + 2]
  }

  /** Sets the force of contact i's spring and damper, limited to friction. @returns false if it has no spring, being new in the step */
  private pullSpring(i: number): boolean {
    const { step, springs, work, slip, coefficient, e3, weight, ahead, lastPush, lastCoefficient, rateBefore, way } = this
    const { contacts } = step
    const { pair, feature, tangent1, tangent2, inverse2, muStatic } = contacts
    const { u, force, slope } = work
    const n = 3 * i
    const start = this.impulses.find(pair[i], feature[i])
    if (start < 0 || this.impulses.feature[start] !== feature[i] || springs.has[start] === 0) return false
    const s = 3 * start
    for (let d = 0; d < 3; d++) {
      const rate = u[n + 1] * tangent1[n + d] + u[n + 2] * inverse2[i] * tangent2[n + d]
      e3[d] = springs.extension[s + d] + ahead[0] * rateBefore[s + d]
      rateBefore[s + d] = rate
      way[s + d] += weight[0] * rate
    }
    springs.stiffen(start, slope, i)
    const k = springs.stiffness[start]
    const c = springs.damping[start]
    const f1 = -k * (e3[0] * tangent1[n] + e3[1] * tangent1[n + 1] + e3[2] * tangent1[n + 2]) - c * u[n + 1]
    const f2 = -k * (e3[0] * tangent2[n] + e3[1] * tangent2[n + 1] + e3[2] * tangent2[n + 2]) - c * u[n + 2]
    const asked = Math.sqrt(f1 * f1 + f2 * f2)
    const holds = asked <= muStatic[i] * force[n]
    if (holds) coefficient[i] = muStatic[i]
    else slidingFriction(coefficient, contacts, i, slip)
    const share = holds ? 1 : (coefficient[i] * force[n]) / asked
    force[n + 1] = share * f1
    force[n + 2] = share * f2
    lastPush[start] = force[n]
    lastCoefficient[start] = coefficient[i]
    return true
  }

  /** Stores each spring, its extension limited by friction. */
  private rememberSprings(): void {
    const { step, springs, lastPush, lastCoefficient, way } = this
    const { contacts, data, memory } = step
    const { tangent2, inverse2 } = contacts
    const { extension: e, stiffness } = springs
    springs.clear(memory)
    for (let i = 0; i < contacts.count; i++) {
      if (!(lastPush[i] > 0) || !(stiffness[i] > 0)) continue
      const n = 3 * i
      const x = e[n] + way[n]
      const y = e[n + 1] + way[n + 1]
      const z = e[n + 2] + way[n + 2]
      const across = x * tangent2[n] + y * tangent2[n + 1] + z * tangent2[n + 2]
      // length as for its force: the component across counts less if friction has directions
      const length = Math.sqrt(Math.max(x * x + y * y + z * z + across * across * (1 - inverse2[i]), 0))
      const limit = (lastCoefficient[i] * lastPush[i]) / stiffness[i]
      const excess = length > limit ? 1 - limit / length : 0
      e[n] -= excess * x
      e[n + 1] -= excess * y
      e[n + 2] -= excess * z
      if (contacts.runs) springs.run(step, i)
      springs.keep(contacts, data, memory, i)
    }
  }
}
