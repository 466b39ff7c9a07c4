import { type Model, solve } from '../../../dynamics/index.ts'
import type { ImpulseOptions, ImpulseProblem, RowTargets } from '../../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import { GroupKind } from '../../solvers/index.ts'
import type { ImpulseStep } from './impulseStep.ts'
import type { StepImpacts } from './stepImpacts.ts'
import type { VelocityLevelLaw } from './velocityLevel.ts'

/** Least velocity to which changes are relative [m/s, rad/s]. */
const SLOW = 0.1
/** Of the slip along which a pyramid is turned. */
const ROUNDING = 1e-12

/**
 * Of all islands: w, p, scale, distance (gap), velocity without impulses, corner and u of the solution; u and P with it held; du and dP. Of one
 * island: changes of u and P, and of impulses.
 */
const ofRow = ['w', 'p', 'scale', 'distance', 'free', 'corner', 'base', 'u', 'P', 'du', 'dP', 'ofU', 'ofP', 'dp'] as const
type Rows = Readonly<Record<(typeof ofRow)[number], Float64Array>>
const createRows = (count: number) => Object.fromEntries(ofRow.map((name) => [name, new Float64Array(count)])) as unknown as Rows

/**
 * Derivatives of a step by the implicit function theorem. At its end velocities v⁺ and impulses p solve
 *
 *   r = h (tau - c + passive) - M~ (v⁺ - v) + Jᵀ p = 0,    p = P(p - u / scale),    u = J v⁺ + offsets + S p,
 *
 * P the law, with derivative D. With the changes dr, du and dP of these by the state and parameters, v⁺ and p held,
 *
 *   dv⁺ = M~⁻¹ (dr + Jᵀ dp),    dp = D (dp - du / scale) + dP,    du = J dv⁺ + S dp + the given du:
 *
 * one solve with the Newton's matrix H = M~ + Jᵀ G J at the solution (`ContactNewton.tangent`). dr, du and dP are differences of the
 * assembled equations, which are smooth as long as no contact comes into use or goes out of it; nothing is solved for them but impacts.
 *
 * `record`, `add` and `respond` belong to the world that took the step; `hold` and `finish` to others, at its start with another state or
 * other parameters.
 */
export class StepTangent {
  /** Why steps have no derivatives; '' if they have. */
  readonly refusal: string
  /** Whether a contact has an impulse in the last step. */
  isPressed = false
  /** Whether rows need differences of both sides: those of springs curve much. */
  readonly isCurved: boolean
  private readonly model: Model
  private readonly impulses: ImpulseStep
  private readonly impacts: StepImpacts | undefined
  private readonly options: ImpulseOptions
  /** nv: velocity at the end of the last step in the axes of its start; r; dr; velocity without impulses, of `hold`; and scratch. */
  private readonly vNext: Float64Array
  private readonly r: Float64Array
  private readonly dr: Float64Array
  private readonly free: Float64Array
  private readonly x: Float64Array
  private rowCount = 0
  private rows = createRows(0)
  /** The island whose linearisation is factored, -1 if none; and whether the only island is as the step left it. */
  private factored = -1
  private isOne = false
  private readonly targets: { active: Uint8Array; gap: Float64Array; exact: Uint8Array } & RowTargets

  /** @param vNext nv: where the model writes the velocity at the end of its step */
  constructor(
    { model, loops = [] }: ContactModelContext,
    impulses: ImpulseStep,
    impacts: StepImpacts | undefined,
    vNext: Float64Array,
    law: VelocityLevelLaw,
    options: ImpulseOptions,
  ) {
    const { nv, friction, damping } = model
    this.model = model
    this.impulses = impulses
    this.impacts = impacts
    this.vNext = vNext
    this.options = options
    this.isCurved = options.compliant !== undefined
    this.targets = { active: new Uint8Array(0), gap: this.rows.u, exact: new Uint8Array(0) }
    this.r = new Float64Array(nv)
    this.dr = new Float64Array(nv)
    this.free = new Float64Array(nv)
    this.x = new Float64Array(nv)
    const refused: readonly (readonly [string, boolean])[] = [
      ['step "trapezoidal"', options.trapezoidal === true],
      ['drift "projection"', options.drift === 'projection'],
      ['loops "end-of-step"', options.closesLoops === true && loops.length > 0],
      ['a solver other than "newton"', law.initialSolver >= 0 || law.matrix !== undefined],
      ['jointFriction "regularised"', !options.dryJoints && friction.some((one) => one > 0)],
      ['damping after impulses', law.damping === 'last' && damping.some((one) => one > 0)],
    ]
    this.refusal = refused.find(([, isSo]) => isSo)?.[0] ?? ''
  }

  /** Whether the last step had impacts before its own problem. */
  get hasImpacts(): boolean {
    return this.impacts?.any === true
  }

  /** Takes the solution of the step that was just advanced. @returns why it has no derivatives, '' if it has */
  record(): string {
    const { x, vNext } = this
    const { problem, vFree } = this.impulses
    const { islands, system, contacts, torsionRolling, solver, step } = problem
    if (torsionRolling.count > 0) return 'torsional or rolling resistance'
    this.rowCount = 0
    this.factored = -1
    this.isOne = islands.count === 1
    this.isPressed = false
    for (let k = 0; k < x.length; k++) x[k] = vNext[k] - vFree[k]
    for (let i = 0; i < islands.count; i++) {
      if (!this.isOne) problem.build(step as ContactStep, i)
      const { rowCount, groupCount, contactCount, first, index, w, p, scale, distance, corner, rhs, soft } = system
      this.reserve(this.rowCount + rowCount)
      const { rows } = this
      if (!this.isOne) solver.newton.map(system, w, p)
      system.velocitiesOf(x, rows.ofU)
      for (let g = 0; g < groupCount; g++) {
        if (g < contactCount && p[first[g]] > 0) this.isPressed = true
        for (let r = first[g], k = this.rowCount + r; r < first[g + 1]; r++, k++) {
          rows.w[k] = w[r]
          rows.p[k] = p[r]
          rows.scale[k] = scale[g]
          rows.distance[k] = distance[r]
          rows.free[k] = g < contactCount ? contacts.uFree[3 * index[g] + r - first[g]] : 0
          rows.corner[k] = corner[2 * g + ((r - first[g]) % 2)]
          rows.base[k] = rows.ofU[r] + rhs[r] + soft[r] * p[r]
        }
      }
      this.rowCount += rowCount
    }
    this.clear()
    return ''
  }

  private clear(): void {
    this.dr.fill(0)
    this.rows.du.fill(0)
    this.rows.dP.fill(0)
  }

  private reserve(count: number): void {
    if (count <= this.rows.w.length) return
    const { rows } = this
    this.rows = createRows(2 * count)
    for (const name of ofRow) this.rows[name].set(rows[name])
  }

  /**
   * Evaluates the equations at the start of the step of another world, with the solution held that `solved` recorded. Of a step with
   * impacts, these are resolved anew.
   *
   * @param hasForces false: rows alone, without r
   * @returns false if the rows are others
   */
  hold(step: ContactStep, solved: StepTangent, hasForces: boolean): boolean {
    const { impulses, impacts, model, free, x, r } = this
    const { problem } = impulses
    if (solved.hasImpacts) {
      impulses.begin(step)
      impacts?.resolve(step, impulses)
    }
    let { vFree } = solved.impulses
    if (this.options.turns) {
      impulses.residual(step, vFree, free)
      solve(model, solved.impulses.L, free)
      for (let k = 0; k < free.length; k++) free[k] += vFree[k]
      vFree = free
    }
    if (hasForces) impulses.residual(step, solved.vNext, r)
    problem.begin(step)
    if (!this.setTargets(step, solved)) return false
    const usesMass = this.options.compliant?.usesMass === true
    if (usesMass) impulses.writeDiagonal(step)
    problem.prepare(step, usesMass ? impulses.M : solved.impulses.M, solved.impulses.L, vFree, this.targets)
    this.reserve(solved.rowCount)
    for (let k = 0; k < x.length; k++) x[k] = solved.vNext[k] - vFree[k]
    let from = 0
    for (let i = 0; i < problem.islands.count; i++) {
      problem.build(step, i, false)
      from += problem.system.rowCount
      if (from > solved.rowCount) return false
      this.holdIsland(step, solved, from - problem.system.rowCount)
    }
    return from === solved.rowCount && haveSameJoints(problem, solved.impulses.problem)
  }

  /** Keeps contacts active that the law's distance would make others. @returns false if there are other contacts */
  private setTargets({ contacts: { count, capacity, pair, feature, gap } }: ContactStep, solved: StepTangent): boolean {
    const { targets } = this
    const { contacts, step } = solved.impulses.problem
    if (targets.active.length < capacity) {
      targets.active = new Uint8Array(capacity).fill(1)
      targets.gap = new Float64Array(capacity)
      targets.exact = new Uint8Array(capacity)
    }
    if (count !== contacts.count || step === undefined) return false
    const { contacts: of } = step
    const farthest = this.options.activeDistance ?? Number.POSITIVE_INFINITY
    for (let i = 0; i < count; i++) {
      if (pair[i] !== of.pair[i] || feature[i] !== of.feature[i]) return false
      targets.gap[i] = of.gap[i] <= farthest ? Math.min(gap[i], farthest) : gap[i]
    }
    return true
  }

  /** Adds an island, of which the first row is `from`, to r, u and P. */
  private holdIsland(step: ContactStep, solved: StepTangent, from: number): void {
    const { rows, x } = this
    const { system, solver } = this.impulses.problem
    const { first, w, p, groupCount, rowCount, rhs, soft, scale } = system
    for (let g = 0; g < groupCount; g++) {
      this.keepSide(step, g, solved.rows, from + first[g])
      scale[g] = solved.rows.scale[from + first[g]]
    }
    for (let r = 0; r < rowCount; r++) {
      w[r] = solved.rows.w[from + r]
      p[r] = solved.rows.p[from + r]
    }
    system.velocitiesOf(x, rows.ofU)
    solver.newton.map(system, w, rows.ofP)
    system.addImpulse(p, this.r)
    for (let r = 0, k = from; r < rowCount; r++, k++) {
      rows.u[k] = rows.ofU[r] + rhs[r] + soft[r] * p[r]
      rows.P[k] = rows.ofP[r]
    }
  }

  /**
   * Keeps a contact or limit on the side, touching or open, on which its distance at the step's own start is: targets have a kink at 0. And
   * turns its pyramid by the derivative there, since slow slip would turn it far.
   */
  private keepSide({ contacts: { gap }, dt }: ContactStep, g: number, of: Rows, from: number): void {
    const { compliant, activeDistance, turns } = this.options
    const { system, contacts, driftRate } = this.impulses.problem
    const { kind, first, rhs, added, distance, contactCount, index, corner } = system
    const isContact = g < contactCount
    const d = isContact ? gap[index[g]] : distance[first[g]]
    const isRigid = isContact ? compliant === undefined : compliant?.writeJoint === undefined
    if (isRigid && kind[g] <= GroupKind.disc && d >= 0 !== of.distance[from] >= 0) {
      const open = isContact && activeDistance !== undefined ? 0 : d / dt
      rhs[first[g]] += (of.distance[from] < 0 ? driftRate[0] * d : open) - added[first[g]]
    }
    if (!turns || !isContact || first[g + 1] - first[g] !== 3) return
    const [x, y, cos, sin] = [of.free[from + 1], of.free[from + 2], of.corner[from], of.corner[from + 1]]
    const slip = Math.hypot(x, y)
    const isTurned =
      Math.abs(slip * cos - x) + Math.abs(slip * sin - y) <= ROUNDING * slip && (corner[2 * g + 1] !== 0 || sin !== 0)
    const [u1, u2] = contacts.uFree.subarray(3 * index[g] + 1)
    const across = isTurned ? (cos * (u2 - y) - sin * (u1 - x)) / slip : 0
    corner[2 * g] = cos - sin * across
    corner[2 * g + 1] = sin + cos * across
  }

  /**
   * Adds the change from the solution to `held`, times `factor`, to those of the step.
   *
   * @param opposite  likewise held, of the other side, for a central difference of rows
   * @param hasForces whether of r too
   */
  add(held: StepTangent, factor: number, opposite?: StepTangent, hasForces = false): void {
    const { rows, dr } = this
    const half = 0.5 * factor
    for (let k = 0; k < dr.length; k++) dr[k] += opposite && hasForces ? half * (held.r[k] - opposite.r[k]) : factor * held.r[k]
    for (let k = 0; k < this.rowCount; k++) {
      const { u, P } = held.rows
      rows.du[k] += opposite ? half * (u[k] - opposite.rows.u[k]) : factor * (u[k] - rows.base[k])
      rows.dP[k] += opposite ? half * (P[k] - opposite.rows.P[k]) : factor * (P[k] - rows.p[k])
    }
  }

  /**
   * Derivative of the velocity at the end, in the axes of the start, of the changes added since the last call.
   *
   * @param dv out: nv
   * @returns its largest entry over the largest velocity, of at least `SLOW`
   */
  respond(dv: Float64Array): number {
    const { model, impulses, rows, dr, vNext } = this
    const { problem } = impulses
    const { system, islands, solver } = problem
    dv.set(dr)
    solve(model, impulses.L, dv)
    for (let i = 0, from = 0; i < islands.count; i++) {
      if (i !== this.factored) {
        if (!this.isOne) problem.build(problem.step as ContactStep, i)
        solver.newton.linearizeAt(system, system.w, rows.ofP, this.isOne)
        this.factored = i
      }
      const { rowCount } = system
      system.velocitiesOf(dv, rows.ofU)
      for (let r = 0; r < rowCount; r++) {
        rows.ofU[r] += rows.du[from + r]
        rows.ofP[r] = rows.dP[from + r]
      }
      solver.newton.tangent(system, rows.ofP, rows.ofU, rows.dp)
      system.addVelocity(rows.dp, dv)
      from += rowCount
    }
    this.clear()
    let [speed, change] = [SLOW, 0]
    for (let k = 0; k < dv.length; k++) {
      speed = Math.max(speed, Math.abs(vNext[k]))
      change = Math.max(change, Math.abs(dv[k]))
    }
    return change / speed
  }

  /** q and v at the end of a step held by `hold`, for the velocity of `solved` plus part dv. */
  finish(solved: StepTangent, part: number, dv: Float64Array): void {
    const { x, impulses } = this
    const step = impulses.problem.step as ContactStep
    for (let k = 0; k < x.length; k++) x[k] = solved.vNext[k] + part * dv[k]
    impulses.finishNear(step, solved.impulses, solved.vNext, x)
  }
}

function haveSameJoints({ joints: a }: ImpulseProblem, { joints: b }: ImpulseProblem): boolean {
  if (a.count !== b.count) return false
  for (let j = 0; j < a.count; j++) if (a.coordinate[j] !== b.coordinate[j] || a.sign[j] !== b.sign[j]) return false
  return true
}
