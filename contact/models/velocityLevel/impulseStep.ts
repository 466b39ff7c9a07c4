import { crbaOnBranches, JointFriction, type Model, RestFrame, rnea } from '../../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import type { SavedProblem } from '../../savedProblem.ts'
import { LemkeSolver, ModeGuess, PyramidSolver, pyramidSides } from '../../solvers/index.ts'
import { type ImpulseOptions, ImpulseProblem, type RowTargets } from './impulseProblem.ts'
import { Projection } from './projection.ts'
import { SolverChain } from './solverChain.ts'
import { TreeGuess } from './treeGuess.ts'
import type { VelocityLevelLaw } from './velocityLevel.ts'

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
  /** The factor of M~ = M + h D, nv x nv, and nv: v_free of the last solve. */
  readonly L: Float64Array
  readonly vFree: Float64Array
  private readonly model: Model
  private readonly law: VelocityLevelLaw
  private readonly joints: JointFriction
  private readonly c: Float64Array
  private last: ContactStep | undefined
  private pass = 0

  constructor(context: ContactModelContext, law: VelocityLevelLaw, options: ImpulseOptions) {
    const { model } = context
    const { nv } = model
    this.model = model
    this.law = law
    this.frame = new RestFrame(model)
    this.joints = new JointFriction(model, !options.dryJoints)
    const tree =
      law.tree === undefined ? undefined : new TreeGuess(nv, law.solvers[0].law, law.tree, pyramidSides(law.sides ?? 4))
    const chain = new SolverChain(law.solvers, tree === undefined ? 0 : 1)
    const names = tree === undefined ? chain.names : [tree.name, ...chain.names]
    const sides = pyramidSides(4)
    const correcting = [new ModeGuess(sides), new PyramidSolver(new LemkeSolver(1e-8), sides)]
    const projects = options.drift === 'projection'
    const projectionChain = new SolverChain(projects ? correcting : [], names.length, 'projection/')
    const projection = projects ? new Projection(nv, projectionChain) : undefined
    this.problem = new ImpulseProblem(law.name, context, chain, options, tree, projection)
    this.solvers = [...names, ...projectionChain.names]
    this.c = new Float64Array(nv)
    this.L = new Float64Array(nv * nv)
    this.vFree = new Float64Array(nv)
  }

  begin(step: ContactStep): void {
    const { state, data } = step
    this.last = step
    crbaOnBranches(this.model, data)
    this.frame.begin(state.v)
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
      this.problem.solve(seen, this.L, this.vFree, vNext, vMove, targets)
    } while (this.needsPass(vNext))
    this.problem.report(seen.contacts)
  }

  beginPasses({ state }: ContactStep): void {
    this.joints.begin(state.v)
    this.pass = 1
  }

  /** Whether regularised joint friction was computed for a wrong guess of what sticks, so that the step is solved once more. */
  needsPass(vNext: Float64Array): boolean {
    return this.joints.settle(vNext) && this.pass++ !== JOINT_PASSES
  }

  /** L := the factor of M + h D, and v_f = v + (M + h D)⁻¹ h (tau - c - passive). */
  freeVelocity({ data, state, tau, dt }: ContactStep): void {
    const { L, vFree, c, joints } = this
    const { pattern } = this.problem.rows
    const { nv } = this.model
    pattern.load(data.M, L)
    for (let k = 0; k < nv; k++) vFree[k] = tau[k] - c[k]
    joints.add(L, vFree, state.v, dt)
    pattern.factorize(L)
    for (let k = 0; k < nv; k++) vFree[k] *= dt
    pattern.solve(L, vFree)
    for (let k = 0; k < nv; k++) vFree[k] += state.v[k]
  }

  finish({ state, dt }: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    this.frame.finish(state.q, state.v, vNext, dt, vMove)
  }

  /** The problem of the last step, see `ImpulseProblem.save`. */
  save(island?: number, targets?: RowTargets): SavedProblem | undefined {
    const { last, law, model } = this
    if (last === undefined) return undefined
    const { data, state, dt } = last
    const { nv } = model
    const M = new Float64Array(nv * nv)
    for (let k = 0; k < nv; k++) for (let j = k; j >= 0; j = model.vParent[j]) M[k * nv + j] = data.M[k * nv + j]
    this.joints.add(M, new Float64Array(nv), state.v, dt)
    const saved = this.problem.save(M, this.L, this.vFree, island, targets)
    return saved && { ...saved, law: law.solvers[0].law, ...(law.sides === undefined ? {} : { sides: law.sides }) }
  }
}
