import {
  addFactorWork,
  crbaOnBranches,
  type Data,
  factorize,
  JOINT_STICK_SPEED,
  type Model,
  PassiveJoints,
  RestFrame,
  rnea,
  solve,
  TrapezoidalDynamics,
} from '../../../dynamics/index.ts'
import type { FrictionMethod, ImpulseOptions, RowTargets } from '../../constraints/index.ts'
import { ImpulseProblem, newtonNames } from '../../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import type { SavedProblem } from '../../savedProblem.ts'
import { FreeFlight } from '../freeFlight.ts'
import { DIVERGED, LoopEnds, MOST_CORRECTIONS } from './loopEnds.ts'

/** Most passes over the stick and slip modes of regularised joint friction in a step. */
const JOINT_PASSES = 4

/** Settings of a law for the step, besides those of friction. */
export interface StepLaw {
  readonly name: string
  /** `RestFrame`'s, of MuJoCo's Euler, under which trees fly by the bias force of the start too; default: as `FreeFlight` [rad]. */
  readonly explicitTurn?: number
  /** Whether the end of the step is evaluated, by the velocity there, before its impulses are known. */
  readonly evaluatesEnd?: boolean
  /** Whether joint springs act as at the start of the step. */
  readonly explicitSprings?: boolean
  /**
   * Damping of joints, and what servos add to M~: part of M~ (default), of what impulses and explicit damping give (MuJoCo's Euler), or
   * explicit.
   */
  readonly damping?: 'last' | 'explicit'
  /** Whether servos have gains that act so, where no joint has damping. */
  readonly hasServos?: boolean
}

/**
 * Velocity-level step: M, c and the velocity without contact at its start, and the problem of its impulses.
 *
 *   begin         M and c, and the rows of the contacts detected there
 *   solve         v_free, impulses and the resulting velocities; may be repeated with other rows or targets
 *   finish        q and v at the end
 */
export class ImpulseStep {
  readonly frame: RestFrame
  readonly problem: ImpulseProblem
  /** Names of all solvers, in the order of `SolverEvents`. */
  readonly solvers: readonly string[]
  /** nv x nv: M~ = M + theta h D + theta² h² K; nv: v_free of the last solve. */
  readonly M: Float64Array
  readonly vFree: Float64Array
  /** Memory of the problem; in trapezoidal steps nv more: acceleration by the impulses of the last step. */
  readonly memorySize: number
  private readonly flight: FreeFlight
  private readonly model: Model
  private readonly law: FrictionMethod
  private readonly joints: PassiveJoints
  private readonly c: Float64Array
  private readonly ends: LoopEnds | undefined
  private readonly trapezoidal: TrapezoidalDynamics | undefined
  /** nv x nv, nv: M and c of the step: at its start, or the mean of start and end. */
  private mass: Float64Array
  private bias: Float64Array
  private pass = 0
  /** Of the step. */
  private data: Data | undefined = undefined
  /** nv: h D, where it is no part of M~; and where it acts last nv x nv: the factor of M + h D. */
  private readonly damped: Float64Array
  private readonly dampedL: Float64Array
  private readonly change: Float64Array

  constructor(context: ContactModelContext, law: FrictionMethod & StepLaw, options: ImpulseOptions) {
    const { model } = context
    const { nv } = model
    this.model = model
    this.law = law
    const explicitTurn = options.trapezoidal ? Infinity : law.explicitTurn
    this.frame = new RestFrame(model, explicitTurn)
    this.flight = new FreeFlight(context, this.frame, explicitTurn === undefined, law.evaluatesEnd === true)
    this.joints = new PassiveJoints(
      model,
      !options.dryJoints,
      options.trapezoidal ? 0.5 : 1,
      law.explicitSprings,
      JOINT_STICK_SPEED,
    )
    this.problem = new ImpulseProblem(law.name, context, law, options)
    this.solvers = [...newtonNames, ...law.solvers.map(({ name }) => name)]
    this.c = new Float64Array(nv)
    this.M = new Float64Array(nv * nv)
    this.vFree = new Float64Array(nv)
    this.ends =
      options.closesLoops && this.problem.loops.count > 0 ? new LoopEnds(model, this.problem.loops.loops.loops) : undefined
    this.trapezoidal = options.trapezoidal ? new TrapezoidalDynamics(model) : undefined
    this.memorySize = this.problem.memorySize + (options.trapezoidal ? nv : 0)
    this.mass = this.M
    this.bias = this.c
    const hasDamping = model.damping.some((d) => d > 0) || model.dampingPolynomial !== undefined
    const isApart = law.damping !== undefined && (law.hasServos || hasDamping)
    const isLast = isApart && law.damping === 'last'
    this.damped = new Float64Array(isApart ? nv : 0)
    this.dampedL = new Float64Array(isLast ? nv * nv : 0)
    this.change = new Float64Array(isLast ? nv : 0)
  }

  /** nv x nv: the factor of M~, from the first solve of a step on. */
  get L(): Float64Array {
    return (this.data as Data).L
  }

  begin(step: ContactStep): void {
    const { state, data, dt } = step
    this.data = data
    crbaOnBranches(this.model, data)
    this.frame.begin(state.v, dt)
    this.flight.begin(step)
    rnea(this.model, state, this.frame.acceleration, data, this.c)
    this.mass = data.M
    this.bias = this.c
    this.problem.begin(step)
  }

  /**
   * Solves for vNext, and vMove, the velocity that moves positions, with the current rows of the problem.
   *
   * @param seen    source of the contacts: the step, or one with the contacts of another configuration
   * @param targets active contacts and their gap constraints; default: all, with the gaps of `seen`
   */
  solve(step: ContactStep, seen: ContactStep, vNext: Float64Array, vMove: Float64Array, targets?: RowTargets): void {
    this.beginPasses(step)
    this.predictEnd(step)
    do {
      this.freeVelocity(step)
      this.problem.solve(seen, this.M, this.L, this.vFree, vNext, vMove, targets)
    } while (this.needsPass(vNext))
    if (this.dampedL.length > 0) this.dampLast(step, vNext, vMove)
    if (this.ends !== undefined) this.closeLoops(this.ends, step, seen, vNext, vMove)
    if (this.trapezoidal !== undefined) {
      this.trapezoidal.meanVelocity(step.state.v, vNext, vMove)
      this.rememberImpulses(step, vNext)
    }
    this.problem.report(seen.contacts)
  }

  /** v⁺ = v + (M + h D)⁻¹ M (v_c - v), of the velocity v_c that impulses and explicit damping give. */
  private dampLast({ state: { v } }: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    const { M, damped, dampedL, change } = this
    const { nv } = this.model
    this.problem.contacts.rows.pattern.copyBranches(M, dampedL)
    for (let k = 0; k < nv; k++) dampedL[k * nv + k] += damped[k]
    factorize(this.model, dampedL, dampedL)
    for (let k = 0; k < nv; k++) change[k] = damped[k] * (vNext[k] - v[k])
    solve(this.model, dampedL, change)
    for (let k = 0; k < nv; k++) {
      vMove[k] -= change[k]
      if (vMove !== vNext) vNext[k] -= change[k]
    }
  }

  /** Stores the impulses' velocity change over the full step, not a shortened one, over which it would be a large acceleration. */
  private rememberImpulses({ memory }: ContactStep, vNext: Float64Array): void {
    const { vFree, memorySize, problem } = this
    const dt = problem.wholeStep[0]
    for (let k = 0, at = problem.memorySize; at < memorySize; k++, at++) memory[at] = (vNext[k] - vFree[k]) / dt
  }

  /** Trapezoidal step: M and c as the mean of its start and its end, predicted with the impulses of the previous step. */
  private predictEnd(step: ContactStep): void {
    const { trapezoidal, frame, vFree, c } = this
    if (trapezoidal === undefined) return
    this.freeVelocity(step)
    const at = this.problem.memorySize
    for (let k = 0; k < vFree.length; k++) vFree[k] += step.dt * step.memory[at + k]
    trapezoidal.average(step.state, step.dt, frame, vFree, step.data.M, c)
    this.mass = trapezoidal.M
    this.bias = trapezoidal.c
    this.problem.loops.average(trapezoidal, step.state.q, vFree)
  }

  private closeLoops(ends: LoopEnds, step: ContactStep, seen: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    const { problem } = this
    const { target } = problem.loops
    let tangent = 0
    for (let n = 0; !ends.areClosed(step, this.frame, vNext, vMove, target); n++) {
      if (n === 0) tangent = ends.open[0]
      else if (n === MOST_CORRECTIONS || !(ends.open[0] <= DIVERGED * tangent)) {
        target.fill(0)
        problem.solveAgain(seen, vNext, vMove)
        step.events.fallbacks++
        return
      }
      problem.solveAgain(seen, vNext, vMove)
    }
  }

  beginPasses({ state, dt, servos }: ContactStep): void {
    this.joints.begin(state, dt, servos)
    this.pass = 1
  }

  /** Whether regularised joint friction had wrong stick and slip modes, so that the step must be solved again. */
  needsPass(vNext: Float64Array): boolean {
    return this.joints.settle(vNext) && this.pass++ !== JOINT_PASSES
  }

  /**
   * L := the factor of M~ = M + theta h D + theta² h² K, and v_f = v + M~⁻¹ h (tau - c + passive(q + theta h v, v)): the velocity of a step
   * without Jᵀ p (Williams, Lu and Trinkle, 2014, eq. 27).
   */
  freeVelocity({ state, tau, dt }: ContactStep): void {
    const { M, L, vFree, mass, bias, joints } = this
    const { nv } = this.model
    const { pattern } = this.problem.contacts.rows
    pattern.copyBranches(mass, M)
    for (let k = 0; k < nv; k++) vFree[k] = tau[k] - bias[k]
    joints.add(M, vFree, state.v, dt)
    for (let k = 0; k < this.damped.length; k++) {
      this.damped[k] = M[k * nv + k] - mass[k * nv + k]
      M[k * nv + k] = mass[k * nv + k]
    }
    pattern.copyBranches(M, L)
    for (let k = 0; k < nv; k++) vFree[k] *= dt
    const code = this.data?.compiled
    if (code?.isReady === true && code.factorize(this.model)) addFactorWork(nv)
    else {
      // what compiled code has left of M~ without a factor is no input
      if (code?.isReady === true) pattern.copyBranches(M, L)
      factorize(this.model, L, L)
    }
    if (code?.isReady !== true || !code.solve(vFree)) solve(this.model, L, vFree)
    for (let k = 0; k < nv; k++) vFree[k] += state.v[k]
  }

  finish(step: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    this.problem.loops.addForces(step)
    this.problem.joints.addForces(step)
    this.joints.writeEfforts(vNext)
    this.flight.settle(step, this.vFree, vNext)
    this.frame.finish(step.state.q, step.state.v, vNext, step.dt, vMove)
    this.flight.end(step)
  }

  /** Begins `residual` in a step. Needs `kinematics`. */
  beginResidual(step: ContactStep): void {
    this.frame.begin(step.state.v, step.dt)
    this.flight.begin(step)
    this.joints.begin(step.state, step.dt, step.servos)
  }

  /**
   * r := h (tau - c + passive) - M~ (v⁺ - v), with v⁺ held: r + Jᵀ p is zero at the end of the step. Overwrites M.
   *
   * @param r out: nv [N m s, N s]
   */
  residual({ state, data, tau, dt }: ContactStep, vNext: Float64Array, r: Float64Array): void {
    const { M, c, frame, joints, model } = this
    const { nv } = model
    for (let k = 0; k < nv; k++) r[k] = frame.acceleration[k] + (vNext[k] - state.v[k]) / dt
    rnea(model, state, r, data, c)
    for (let k = 0; k < nv; k++) {
      M[k * nv + k] = 0
      r[k] = tau[k] - c[k]
    }
    joints.add(M, r, state.v, dt)
    for (let k = 0; k < nv; k++) r[k] = dt * r[k] - (this.damped.length > 0 ? 0 : M[k * nv + k]) * (vNext[k] - state.v[k])
  }

  /** Writes the diagonal of M~ at the start of a step, of which the rows of compliant laws depend, to M. */
  writeDiagonal({ state, data, dt, servos }: ContactStep): void {
    const { M, c, joints, model } = this
    const { nv } = model
    crbaOnBranches(model, data)
    for (let k = 0; k < nv; k++) M[k * nv + k] = data.M[k * nv + k]
    if (this.damped.length > 0) return
    joints.begin(state, dt, servos)
    joints.add(M, c, state.v, dt)
  }

  /** q and v at the end of the step whose `residual` was computed, at vNext near that of `solved`, the step in whose manner bodies fly. */
  finishNear(step: ContactStep, { vFree }: ImpulseStep, solved: Float64Array, vNext: Float64Array): void {
    this.flight.settle(step, vFree, solved)
    this.frame.finish(step.state.q, step.state.v, vNext, step.dt)
    this.flight.end(step)
  }

  /** The problem of the last step (`ImpulseProblem.save`). */
  save(island?: number, targets?: RowTargets): SavedProblem | undefined {
    const { law } = this
    const saved = this.problem.save(this.M, island, targets)
    return saved && { ...saved, law: law.friction, ...(law.sides === undefined ? {} : { sides: law.sides }) }
  }
}
