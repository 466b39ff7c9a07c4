import { crbaOnBranches, factorize, type Model, PassiveJoints, RestFrame, rnea, solve } from '../../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import type { SavedProblem } from '../../savedProblem.ts'
import type { FrictionMethod } from './frictionOptions.ts'
import type { ImpulseOptions, RowTargets } from './impulseLaw.ts'
import { ImpulseProblem, newtonNames } from './impulseProblem.ts'

/** Times that regularised joints' stick and slide may be guessed anew in one step. */
const JOINT_PASSES = 4

/**
 * What a velocity-level step is made of: M, c and the velocity without contact at its start, and the problem of its impulses.
 *
 *   begin         M and c, and the rows of the contacts found at the start
 *   solve         v_free, impulses, and the velocities that they lead to; as often as wanted, with other rows or targets
 *   finish        q and v at the end
 */
export class ImpulseStep {
  readonly frame: RestFrame
  readonly problem: ImpulseProblem
  /** Names of all that may be asked, in the order in which `SolverEvents` counts them. */
  readonly solvers: readonly string[]
  /** nv x nv: M~ = M + h D + h² K, and its factor; nv: v_free of the last solve. */
  readonly M: Float64Array
  readonly L: Float64Array
  readonly vFree: Float64Array
  private readonly model: Model
  private readonly law: FrictionMethod
  private readonly joints: PassiveJoints
  private readonly c: Float64Array
  private pass = 0

  constructor(context: ContactModelContext, law: FrictionMethod & { readonly name: string }, options: ImpulseOptions) {
    const { model } = context
    const { nv } = model
    this.model = model
    this.law = law
    this.frame = new RestFrame(model)
    this.joints = new PassiveJoints(model, !options.dryJoints)
    this.problem = new ImpulseProblem(law.name, context, law, options)
    this.solvers = [...newtonNames, ...law.solvers.map(({ name }) => name)]
    this.c = new Float64Array(nv)
    this.M = new Float64Array(nv * nv)
    this.L = new Float64Array(nv * nv)
    this.vFree = new Float64Array(nv)
  }

  begin(step: ContactStep): void {
    const { state, data, dt } = step
    crbaOnBranches(this.model, data)
    this.frame.begin(state.v, dt)
    rnea(this.model, state, this.frame.acceleration, data, this.c)
    this.problem.begin(step)
  }

  /**
   * vNext and vMove, the velocity that moves positions, from the rows that the problem has.
   *
   * @param seen    whose contacts they are: the step, or one with the contacts of another configuration
   * @param targets what contacts take part, and which gaps they have to meet; default: all, those of `seen`
   */
  solve(step: ContactStep, seen: ContactStep, vNext: Float64Array, vMove: Float64Array, targets?: RowTargets): void {
    this.beginPasses(step)
    do {
      this.freeVelocity(step)
      this.problem.solve(seen, this.M, this.L, this.vFree, vNext, vMove, targets)
    } while (this.needsPass(vNext))
    this.problem.report(seen.contacts)
  }

  beginPasses({ state, dt }: ContactStep): void {
    this.joints.begin(state, dt)
    this.pass = 1
  }

  /** Whether regularised joint friction was computed for a wrong guess of what sticks, so that the step is solved once more. */
  needsPass(vNext: Float64Array): boolean {
    return this.joints.settle(vNext) && this.pass++ !== JOINT_PASSES
  }

  /**
   * L := the factor of M~ = M + h D + h² K, and v_f = v + M~⁻¹ h (tau - c + passive(q + h v, v)): the momentum of a step without Jᵀ p
   * (Williams, Lu and Trinkle, 2014, eq. 27).
   */
  freeVelocity({ data, state, tau, dt }: ContactStep): void {
    const { M, L, vFree, c, joints } = this
    const { nv } = this.model
    const { pattern } = this.problem.rows
    pattern.copyBranches(data.M, M)
    for (let k = 0; k < nv; k++) vFree[k] = tau[k] - c[k]
    joints.add(M, vFree, state.v, dt)
    pattern.copyBranches(M, L)
    factorize(this.model, L, L)
    for (let k = 0; k < nv; k++) vFree[k] *= dt
    solve(this.model, L, vFree)
    for (let k = 0; k < nv; k++) vFree[k] += state.v[k]
  }

  finish({ state, dt }: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    this.frame.finish(state.q, state.v, vNext, dt, vMove)
  }

  /** The problem of the last step, see `ImpulseProblem.save`. */
  save(island?: number, targets?: RowTargets): SavedProblem | undefined {
    const { law } = this
    const saved = this.problem.save(this.M, island, targets)
    return saved && { ...saved, law: law.friction, ...(law.sides === undefined ? {} : { sides: law.sides }) }
  }
}
