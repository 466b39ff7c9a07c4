import { crba, type SparseCholesky, type State } from '../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import { DryJoints, JointLimits } from './joints.ts'

/** Most passes of a stage. */
const JOINT_PASSES = 20

/** Limits and dry friction of joints in a stage of the Runge-Kutta step. */
export class HeldJoints {
  private readonly limits: JointLimits
  private readonly dry: DryJoints
  private readonly pattern: SparseCholesky

  /** @param pattern of M */
  constructor(context: ContactModelContext, pattern: SparseCholesky) {
    this.limits = new JointLimits(context)
    this.dry = new DryJoints(context.model)
    this.pattern = pattern
  }

  /** Whether a stage has any. Call before its `hold`. */
  reach({ q, v }: State): boolean {
    return this.limits.reach(q, v) || this.dry.any
  }

  /**
   * Adds their acceleration to a.
   *
   * @param L    nv x nv, out: factor of M with the gains of those that act
   * @param pull nv, out: scratch
   */
  hold({ model, data, state, dt, events }: ContactStep, a: Float64Array, L: Float64Array, pull: Float64Array): void {
    const { limits, dry, pattern } = this
    const { v } = state
    crba(model, data)
    dry.begin()
    let passes = 0
    for (let isSettled = false; !isSettled && passes < JOINT_PASSES; passes++) {
      pattern.load(data.M, L)
      pull.fill(0)
      limits.add(L, pull, a, 1)
      dry.add(data.M, L, pull, v, a, dt)
      pattern.factorize(L)
      pattern.solve(L, pull)
      for (let k = 0; k < model.nv; k++) pull[k] += a[k]
      isSettled = !limits.settle(pull, 1)
      if (dry.settle(v, pull, dt)) isSettled = false
    }
    events.iterations += passes
    a.set(pull)
  }
}
