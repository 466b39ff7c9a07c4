import { type Model, solve } from '../../../dynamics/index.ts'
import type { ImpulseOptions, ImpulseProblem, RowTargets } from '../../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import { GroupKind } from '../../solvers/index.ts'
import type { ImpulseStep } from './impulseStep.ts'
import type { StepImpacts } from './stepImpacts.ts'
import type { VelocityLevelLaw } from './velocityLevel.ts'

/** Least velocity to which r of a step is relative [m/s, rad/s]; and its largest part, of differences of both sides with their curvature. */
const SLOW = 0.1
const BALANCED = 1e-6
/** Of the slip along which a pyramid is turned. */
const ROUNDING = 1e-12

/** Of all islands: w, p, scale, distance (gap) and corner of the solution; u and P with it held; du, dP, and scratch. */
const ofRow = ['w', 'p', 'scale', 'distance', 'corner', 'u', 'P', 'du', 'dP', 'e'] as const
type Rows = Readonly<Record<(typeof ofRow)[number], Float64Array>>
const createRows = (count: number) => Object.fromEntries(ofRow.map((name) => [name, new Float64Array(count)])) as unknown as Rows

/**
 * Derivatives of a step by the implicit function theorem. At its end velocities v⁺ and impulses p solve
 *
 *   r = h (tau - c + passive) - M~ (v⁺ - v) + Jᵀ p = 0,    p = P(p - u / scale),    u = J v⁺ + offsets + S p,
 *
 * P the law, with derivative D. With the changes dr, du and dP of these by the state and parameters, v⁺ and p held,
 *
 *   dv⁺ = M~⁻¹ (dr + Jᵀ dp),    dp = D (dp - (J dv⁺ + S dp + du) / scale) + dP,
 *
 * one solve with the Newton's matrix H = M~ + Jᵀ G J at the solution: dv⁺ = y + H⁻¹ Jᵀ (A dP - G (J y + du)), y = M~⁻¹ dr (`ContactNewton`).
 * dr, du and dP are differences of the assembled equations, on the contact set of the solution; nothing is solved for them but impacts.
 *
 * `record`, `add` and `respond` belong to the world that took the step; `hold` and `finish` to others, at its start with another state or
 * other parameters.
 */
export class StepTangent {
  /** Why steps have no derivatives; '' if they have. */
  readonly refusal: string
  /** Whether springs, which curve with the state, have impulses in the last step. */
  isCurved = false
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
  /** Whether a contact slips under a pyramid that turns with the velocity without impulses. */
  private turns = false
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

  /** Takes the solution of the step that was just advanced. @returns why it has no derivatives, '' if it has */
  record(): string {
    const { problem } = this.impulses
    const { islands, system, torsionRolling, solver, step } = problem
    if (torsionRolling.count > 0) return 'torsional or rolling resistance'
    this.rowCount = 0
    this.factored = -1
    this.isOne = islands.count === 1
    this.turns = false
    this.isCurved = false
    for (let i = 0; i < islands.count; i++) {
      if (!this.isOne) problem.build(step as ContactStep, i)
      const { rowCount, groupCount, contactCount, first, w, p, scale, distance, corner } = system
      this.reserve(this.rowCount + rowCount)
      const { rows } = this
      if (!this.isOne) solver.newton.map(system, w, p)
      for (let g = 0; g < groupCount; g++) {
        const n = first[g]
        const slips = first[g + 1] - n === 3 && p[n] > 0 && (w[n + 1] !== p[n + 1] || w[n + 2] !== p[n + 2])
        this.turns ||= slips && this.options.turns
        this.isCurved ||= g < contactCount && p[n] > 0 && this.options.compliant !== undefined
        for (let r = first[g], k = this.rowCount + r; r < first[g + 1]; r++, k++) {
          rows.w[k] = w[r]
          rows.p[k] = p[r]
          rows.scale[k] = scale[g]
          rows.distance[k] = distance[r]
          rows.corner[k] = corner[2 * g + ((r - first[g]) % 2)]
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
   * @returns false if the rows are others
   */
  hold(step: ContactStep, solved: StepTangent): boolean {
    const { impulses, impacts, model, free, x } = this
    const { problem } = impulses
    if (solved.impacts?.any) {
      impulses.begin(step)
      impacts?.resolve(step, impulses)
    }
    impulses.beginResidual(step)
    let { vFree } = solved.impulses
    if (solved.turns) {
      impulses.residual(step, vFree, free)
      solve(model, solved.impulses.L, free)
      for (let k = 0; k < free.length; k++) free[k] += vFree[k]
      vFree = free
    }
    impulses.residual(step, solved.vNext, this.r)
    problem.begin(step)
    if (!this.setTargets(step, solved)) return false
    // compliance of rigid rows of joints and loops is a part of their inverse mass
    const { compliant } = this.options
    const { joints, loops } = solved.impulses.problem
    const usesMass = compliant === undefined ? joints.count + loops.count > 0 : compliant.usesMass === true
    if (usesMass) impulses.writeDiagonal(step)
    problem.prepare(step, usesMass ? impulses.M : solved.impulses.M, solved.impulses.L, vFree, this.targets)
    this.reserve(solved.rowCount)
    for (let k = 0; k < x.length; k++) x[k] = solved.vNext[k] - vFree[k]
    this.rowCount = 0
    for (let i = 0; i < problem.islands.count; i++) {
      problem.build(step, i, false)
      if (this.rowCount + problem.system.rowCount > solved.rowCount || !this.holdIsland(step, solved)) return false
    }
    return this.rowCount === solved.rowCount && haveSameJoints(problem, solved.impulses.problem)
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
      targets.gap[i] = of.gap[i] <= farthest ? Math.min(gap[i], farthest) : Math.max(gap[i], of.gap[i])
    }
    return true
  }

  /** Adds an island to r, u and P. @returns false if a contact does not stay on its side, or another shares its compliance */
  private holdIsland(step: ContactStep, { rows: of, turns, impulses }: StepTangent): boolean {
    const { rows, x, rowCount: from } = this
    const { system, solver, contacts } = this.impulses.problem
    const { first, index, w, p, groupCount, contactCount, rowCount, rhs, soft, scale } = system
    for (let g = 0; g < groupCount; g++) {
      if (g < contactCount && contacts.pointsOf(index[g]) !== impulses.problem.contacts.pointsOf(index[g])) return false
      if (!this.keepSide(step, g, of, from + first[g])) return false
      if (turns && g < contactCount && first[g + 1] - first[g] === 3)
        this.turnPyramid(g, impulses.problem.contacts.uFree, of.corner, from + first[g])
      scale[g] = of.scale[from + first[g]]
    }
    for (let r = 0; r < rowCount; r++) {
      w[r] = of.w[from + r]
      p[r] = of.p[from + r]
    }
    system.addImpulse(p, this.r)
    system.velocitiesOf(x, rows.e)
    for (let r = 0; r < rowCount; r++) rows.u[from + r] = rows.e[r] + rhs[r] + soft[r] * p[r]
    solver.newton.map(system, w, rows.e)
    for (let r = 0; r < rowCount; r++) rows.P[from + r] = rows.e[r]
    this.rowCount += rowCount
    return true
  }

  /**
   * Keeps a contact or limit on the side, touching or open, on which its distance at the step's own start is: targets have a kink at 0.
   *
   * @returns false if a spring with an impulse would be on the other side
   */
  private keepSide({ contacts: { gap }, dt }: ContactStep, g: number, { distance: of, p }: Rows, from: number): boolean {
    const { compliant, activeDistance } = this.options
    const { system, driftRate } = this.impulses.problem
    const { kind, first, rhs, added, distance, contactCount, index } = system
    const isContact = g < contactCount
    const r = first[g]
    const d = isContact ? gap[index[g]] : distance[r]
    const isSpring = (isContact ? compliant : compliant?.writeJoint) !== undefined
    if (isSpring) return !isContact || d > 0 === of[from] > 0 || !(p[from] > 0)
    const wasOpen = of[from] >= 0
    if (kind[g] > GroupKind.disc || d >= 0 === wasOpen) return true
    const open = isContact && activeDistance !== undefined ? 0 : d / dt
    rhs[r] += (wasOpen ? open : driftRate[0] * d) - added[r]
    return true
  }

  /** Turns a pyramid by the derivative at the step's own start, since slow slip would turn it far. */
  private turnPyramid(g: number, free: Float64Array, before: Float64Array, from: number): void {
    const { system, contacts } = this.impulses.problem
    const { corner, index } = system
    const k = 3 * index[g]
    const x = free[k + 1]
    const y = free[k + 2]
    const cos = before[from]
    const sin = before[from + 1]
    const slip = Math.sqrt(x * x + y * y)
    const isTurned =
      Math.abs(slip * cos - x) + Math.abs(slip * sin - y) <= ROUNDING * slip && (corner[2 * g + 1] !== 0 || sin !== 0)
    const across = isTurned ? (cos * (contacts.uFree[k + 2] - y) - sin * (contacts.uFree[k + 1] - x)) / slip : 0
    corner[2 * g] = cos - sin * across
    corner[2 * g + 1] = sin + cos * across
  }

  /** Adds a weighted evaluation by `hold` to dr, du and dP. */
  add({ r, rows: { u, P } }: StepTangent, weight: number): void {
    const { rows, dr } = this
    for (let k = 0; k < dr.length; k++) dr[k] += weight * r[k]
    for (let k = 0; k < this.rowCount; k++) {
      rows.du[k] += weight * u[k]
      rows.dP[k] += weight * P[k]
    }
  }

  /** Whether r has the step as its solution, by the mean of evaluations on both sides. */
  isBalanced({ r: plus }: StepTangent, { r: minus }: StepTangent): boolean {
    const { vNext, impulses } = this
    const nv = vNext.length
    let [speed, off] = [SLOW, 0]
    for (let k = 0; k < nv; k++) {
      speed = Math.max(speed, Math.abs(vNext[k]))
      off = Math.max(off, Math.abs(plus[k] + minus[k]) / impulses.M[k * nv + k])
    }
    return off <= BALANCED * speed
  }

  /** dv := derivative of the velocity at the end, in the axes of the start, of what was added since the last call. @param dv out: nv */
  respond(dv: Float64Array): void {
    const { model, impulses, rows, dr } = this
    const { system, islands, solver, step } = impulses.problem
    dv.set(dr)
    solve(model, impulses.L, dv)
    for (let i = 0, from = 0; i < islands.count; from += system.rowCount, i++) {
      if (i !== this.factored) {
        if (!this.isOne) impulses.problem.build(step as ContactStep, i)
        solver.newton.linearizeAt(system, system.w, rows.P, this.isOne)
        this.factored = i
      }
      system.velocitiesOf(dv, rows.u)
      for (let r = 0; r < system.rowCount; r++) {
        rows.u[r] += rows.du[from + r]
        rows.P[r] = rows.dP[from + r]
      }
      solver.newton.respond(system, rows.P, rows.u, rows.e)
      system.addCoupled(rows.e, dv)
    }
    this.clear()
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
