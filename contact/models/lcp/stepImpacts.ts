import { factorize } from '../../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import type { ContactSet } from '../../contactSet.ts'
import { SimultaneousImpulses } from '../../impacts/index.ts'
import { GroupKind } from '../../solvers/index.ts'
import type { ImpulseProblem } from '../velocityLevel/impulseProblem.ts'
import type { ImpulseStep } from '../velocityLevel/impulseStep.ts'

/** Approach speed below which there is no impact where there is no gravity [m/s]. */
const LEAST_APPROACH = 1e-8

/**
 * Impacts of one step, all at once, before its forces: velocities change by M⁻¹ Jᵀ p at the start of the step, without any joint's damping
 * or friction, which have no time to act. A contact impacts that would close within the step, and approaches faster than gravity makes
 * it in one.
 */
export class StepImpacts {
  private readonly name: string
  private readonly restitutionThreshold: number
  /** 1: the approach speed from which on there are impacts [m/s]. */
  private readonly leastApproach: Float64Array
  private readonly simultaneous = new SimultaneousImpulses()
  /** nv: what impulses add to the velocity. */
  private readonly change: Float64Array
  /** 3 a contact: impulse along normal and tangents [N s]; and whether there is any in this step. */
  private impact = new Float64Array(0)
  private hasImpacts = false
  // per row, and per group, of an island
  private u = new Float64Array(0)
  private p = new Float64Array(0)
  private least = new Float64Array(0)
  private inelastic = new Float64Array(0)

  constructor(name: string, { model, gravity, dt }: ContactModelContext, restitutionThreshold: number) {
    this.name = name
    this.restitutionThreshold = restitutionThreshold
    this.leastApproach = Float64Array.of(Math.max(LEAST_APPROACH, gravity * dt))
    this.change = new Float64Array(model.nv)
  }

  /**
   * Changes step.state.v by what impacts; `impulses` has begun the step, and is to begin it anew if anything did.
   *
   * @param bounce out, per contact: the speed at which it leaves, where restitution has a part in it [m/s]
   * @returns whether anything impacted
   */
  meet(step: ContactStep, impulses: ImpulseStep, bounce: Float64Array): boolean {
    this.hasImpacts = false
    const { contacts, data, state } = step
    const { problem, M, L, vFree } = impulses
    if (!this.approaches(problem, contacts.count)) return false
    impulses.beginPasses(step)
    impulses.freeVelocity(step)
    problem.rows.velocity(problem.uFree, vFree, contacts.count)
    for (let i = 0; i < contacts.count; i++) if (this.hits(problem, step, i)) this.hasImpacts = true
    if (!this.hasImpacts) return false
    const { change } = this
    if (3 * contacts.capacity > this.impact.length) this.impact = new Float64Array(3 * contacts.capacity)
    this.impact.fill(0)
    change.fill(0)
    M.set(data.M)
    factorize(step.model, M, L)
    problem.prepare(step, M, L, vFree)
    for (let n = 0; n < problem.islands.count; n++) this.meetIsland(problem, step, n, bounce)
    for (let k = 0; k < change.length; k++) state.v[k] += change[k]
    // what bounces keeps the speed that it leaves with over the step: so gravity has no more of it on the way up than it had on the way down
    problem.rows.velocity(problem.uStart, state.v, contacts.count)
    for (let i = 0; i < contacts.count; i++) bounce[i] = Math.max(Math.min(bounce[i], problem.uStart[3 * i]), 0)
    return true
  }

  private approaches({ rows, uStart }: ImpulseProblem, count: number): boolean {
    for (let i = 0; i < count; i++) if (rows.size[i] > 0 && uStart[3 * i] < -this.leastApproach[0]) return true
    return false
  }

  /** Whether contact i closes within the step, and faster than what is a matter of forces. */
  private hits({ rows, uStart, uFree }: ImpulseProblem, { contacts: { gap }, dt }: ContactStep, i: number): boolean {
    return rows.size[i] > 0 && uStart[3 * i] < -this.leastApproach[0] && gap[i] + dt * uFree[3 * i] < 0
  }

  private meetIsland(problem: ImpulseProblem, step: ContactStep, island: number, bounce: Float64Array): void {
    const { system } = problem
    const { events } = step
    problem.build(step, island)
    this.reserve(system.rowCount)
    const { u, p, least, inelastic, simultaneous, impact } = this
    system.velocitiesOf(step.state.v, u)
    if (!this.setTargets(problem, step)) return
    if (!simultaneous.solve(system, u, least, inelastic, p)) this.fail(step)
    if (simultaneous.isFallback) events.fallbacks++
    events.iterations += simultaneous.iterations
    system.addVelocity(p, this.change)
    const { contacts, contactCount, first } = system
    for (let m = 0; m < contactCount; m++) {
      for (let r = first[m], k = 3 * contacts[m]; r < first[m + 1]; r++, k++) impact[k] = p[r]
      bounce[contacts[m]] = least[m] > 0 ? least[m] : 0
    }
  }

  /** Coulomb's law, and what normal velocities are to be at least after impacts; whether anything impacts. */
  private setTargets(problem: ImpulseProblem, step: ContactStep): boolean {
    const { system, islands, joints } = problem
    const { contacts, contactCount, jointCount, jointAt, groupCount, kind, limit } = system
    const { least, inelastic } = this
    const { gap, mu, restitution } = step.contacts
    inelastic.fill(0, 0, groupCount)
    for (let m = 0; m < contactCount; m++) if (gap[contacts[m]] > 0) inelastic[m] = -gap[contacts[m]] / step.dt
    for (let n = 0; n < jointCount; n++) {
      const room = joints.room[islands.joints[jointAt + n]]
      if (room > 0) inelastic[contactCount + n] = -room / step.dt
    }
    for (let g = 0; g < groupCount; g++) least[g] = inelastic[g]
    let found = false
    for (let m = 0; m < contactCount; m++) {
      const i = contacts[m]
      // whatever friction is that of forces
      if (mu[i] > 0) kind[m] = GroupKind.frictional
      limit[m] = mu[i]
      if (!this.hits(problem, step, i)) continue
      found = true
      const approach = 0 - problem.uStart[3 * i]
      if (approach > this.restitutionThreshold && restitution[i] > 0) least[m] = restitution[i] * approach
    }
    return found
  }

  /** Adds the impulses of this step's impacts to what its forces gave. */
  report({ count, impact, impulse }: ContactSet): void {
    if (!this.hasImpacts) return
    for (let i = 0; i < 3 * count; i++) {
      impact[i] = this.impact[i]
      impulse[i] += this.impact[i]
    }
  }

  private fail({ events, state }: ContactStep): void {
    events.failures++
    if (events.firstFailure === '') {
      events.firstFailure = `${this.name}: no impulses of impacts were found, at t = ${state.t[0]} s; the step was taken without them`
    }
  }

  private reserve(rows: number): void {
    if (rows <= this.p.length) return
    this.u = new Float64Array(2 * rows)
    this.p = new Float64Array(2 * rows)
    this.least = new Float64Array(2 * rows)
    this.inelastic = new Float64Array(2 * rows)
  }
}
