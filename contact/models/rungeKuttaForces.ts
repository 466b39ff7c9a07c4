import {
  type Acceleration,
  aba,
  addPassiveForces,
  createRk4Workspace,
  createState,
  JOINT_STICK_SPEED,
  type Rk4Workspace,
  rk4,
  type State,
} from '../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import { ContactRows } from './contactRows.ts'
import { type ForceLaw, ForceWorkspace, type FrictionOptions } from './forceLaw.ts'
import { LimitSprings } from './joints.ts'
import { staticStiffness } from './physicalGains.ts'

/** Dry joint friction is viscous up to this speed here: explicit stages must resolve it [rad/s, m/s]. */
const JOINT_STICK_SPEED_EXPLICIT = 10 * JOINT_STICK_SPEED

/**
 * The Runge-Kutta step of a force law (order 4 on the configuration manifold while contacts do not change): forces as they
 * are at each of the four stages, with contacts detected anew; the law's memory advances once a step.
 *
 * The impulses reported are the stages' forces with their weights. A contact is known from stage to stage by its pair and
 * feature; a feature that is not there at the start of the step gives its part to another of the same pair. Of a pair that
 * begins to touch within the step this first part goes unreported, for there is no contact yet to report it at.
 */
export class RungeKuttaForces implements Acceleration {
  private readonly law: ForceLaw
  private readonly stickSpeed: number
  private readonly rows: ContactRows
  private readonly limits: LimitSprings
  private readonly work = new ForceWorkspace()
  /** The state at the start of the step, which rk4 advances while the world's own state visits the stages. */
  private readonly base: State
  private readonly start: State
  private readonly workspace: Rk4Workspace
  private readonly total: Float64Array
  /** 1: what a force of the present stage counts for in the step's impulse [s]. */
  private readonly weight = new Float64Array(1)
  private step!: ContactStep
  private stage = 0
  /** The contacts at the start of the step: pair and feature, and 3 each, the impulse in world axes. */
  private startCount = 0
  private startPair = new Int32Array(0)
  private startFeature = new Int32Array(0)
  private given = new Float64Array(0)

  constructor(context: ContactModelContext, law: ForceLaw, { stickSpeedExplicit }: FrictionOptions) {
    const { model, mass } = context
    this.law = law
    this.stickSpeed = stickSpeedExplicit
    this.rows = new ContactRows(model)
    this.limits = new LimitSprings(model, Math.sqrt(staticStiffness(context) / mass))
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

    // the contacts of this step are those at its start, so find them once more to report at
    state.q.set(start.q)
    state.v.set(start.v)
    step.detect()
    this.report()
    state.q.set(base.q)
    state.v.set(base.v)
  }

  /** Acceleration at a stage. The first is the start of the step, for which everything has been detected. */
  evaluate(stage: State, a: Float64Array): void {
    const { step, total } = this
    const { model, state, data, tau, dt } = step
    if (this.stage > 0) {
      state.q.set(stage.q)
      state.v.set(stage.v)
      step.detect()
    }
    for (let k = 0; k < model.nv; k++) total[k] = tau[k]
    addPassiveForces(model, state.v, JOINT_STICK_SPEED_EXPLICIT, total)
    this.limits.addExplicit(total, state.q, state.v)
    this.weight[0] = this.stage === 1 || this.stage === 2 ? dt / 3 : dt / 6
    this.addContacts()
    aba(model, state, total, data, a)
    this.stage++
  }

  private begin(): void {
    const { contacts } = this.step
    if (contacts.capacity > this.startPair.length) {
      this.startPair = new Int32Array(contacts.capacity)
      this.startFeature = new Int32Array(contacts.capacity)
      this.given = new Float64Array(3 * contacts.capacity)
    }
    this.startCount = contacts.count
    for (let i = 0; i < contacts.count; i++) {
      this.startPair[i] = contacts.pair[i]
      this.startFeature[i] = contacts.feature[i]
    }
    this.given.fill(0)
  }

  /** Adds the contacts' generalised forces to the total, and weight times each force to what its contact has given. */
  private addContacts(): void {
    const { step, law, rows, work, total, given, weight } = this
    const { data, contacts, memory, state } = step
    const { count, mu, normal, tangent1, tangent2 } = contacts
    work.reserve(contacts.capacity)
    const { selected, active, spring, slope, damping, u, force } = work
    rows.build(data, contacts)
    rows.velocity(u, state.v, count)
    law.select(contacts, selected)

    // signs do not depend on how many share the force: first who pushes, then how hard
    active.set(selected)
    law.coefficients(contacts, memory, selected, active, spring, slope, damping)
    for (let i = 0; i < count; i++) if (selected[i] !== 0 && !(spring[i] - damping[i] * u[3 * i] > 0)) active[i] = 0
    law.coefficients(contacts, memory, selected, active, spring, slope, damping)

    for (let i = 0; i < count; i++) {
      if (active[i] === 0) continue
      const n = 3 * i
      const slip = Math.sqrt(u[n + 1] * u[n + 1] + u[n + 2] * u[n + 2])
      const push = spring[i] - damping[i] * u[n]
      const drag = (mu[i] * push) / Math.max(slip, this.stickSpeed)
      force[n] = push
      force[n + 1] = -drag * u[n + 1]
      force[n + 2] = -drag * u[n + 2]
      rows.addForce(total, force, i)
      const start = this.findStart(contacts.pair[i], contacts.feature[i])
      if (start < 0) continue
      for (let d = 0; d < 3; d++) {
        const along = force[n] * normal[n + d] + force[n + 1] * tangent1[n + d] + force[n + 2] * tangent2[n + d]
        given[3 * start + d] += weight[0] * along
      }
    }
  }

  private findStart(pair: number, feature: number): number {
    const { startCount, startPair, startFeature } = this
    let found = -1
    for (let i = 0; i < startCount; i++) {
      if (startPair[i] !== pair) continue
      if (startFeature[i] === feature) return i
      if (found < 0) found = i
    }
    return found
  }

  private report(): void {
    const { given, step } = this
    const { count, impulse, normal, tangent1, tangent2 } = step.contacts
    for (let i = 0; i < count; i++) {
      const n = 3 * i
      impulse[n] = given[n] * normal[n] + given[n + 1] * normal[n + 1] + given[n + 2] * normal[n + 2]
      impulse[n + 1] = given[n] * tangent1[n] + given[n + 1] * tangent1[n + 1] + given[n + 2] * tangent1[n + 2]
      impulse[n + 2] = given[n] * tangent2[n] + given[n + 1] * tangent2[n + 1] + given[n + 2] * tangent2[n + 2]
    }
  }
}
