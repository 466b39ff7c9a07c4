import type { JointSource } from '../../constraints/index.ts'
import type { ContactModelContext } from '../../contactModel.ts'
import type { ContactSet } from '../../contactSet.ts'
import { PairPhysics, staticFrequency } from '../physicalGains.ts'

/**
 * Speed below which an approach is left to the dampers, and above which the contact stops it at once [m/s]. Compliance yields at lower
 * speeds; if these were stopped too, its springs would settle as slowly as massless ones.
 */
const LEAST_STOPPED = 1e-5

export type DriftChoice = 'pairs' | 'deepest-point' | 'none'

/**
 * Correction of penetrations: springs and dampers with each pair's physical gains K, C (`PairPhysics`, those of `penalty-deepest`), added
 * to the contact forces, not to the contact problem, whose own forces would cancel them.
 */
export class Drift {
  readonly physics: PairPhysics
  private readonly gains = new Float64Array(3)
  /** Per pair: its deepest contact, -1 for none. */
  private readonly deepest: Int32Array
  /** Per tree, and last for rows of no tree: frequency of joint limits [rad/s]. */
  private readonly frequency: Float64Array
  private readonly treeOf: Int32Array
  private readonly bodyOfV: Int32Array

  constructor(context: ContactModelContext) {
    const { trees, pairCount, model } = context
    this.physics = new PairPhysics(context, true)
    this.deepest = new Int32Array(pairCount)
    this.frequency = trees.mass.map((mass) => staticFrequency(context, mass))
    this.treeOf = trees.treeOf
    this.bodyOfV = model.bodyOfV
  }

  /**
   * Velocity added to the free velocity of contact i, which then moves like a damped oscillator: the pair's mass m on a spring K and a
   * damper C, by implicit Euler, from velocity un, with an approach of at most 1e-5 m/s since the contact stops any faster one at once. A
   * short step adds the force K depth - C un; a step longer than the period only removes the depth.
   *
   * @param h   1: time step [s]
   * @param out out[0] [m/s]
   */
  contact(out: Float64Array, contacts: ContactSet, i: number, u: Float64Array, h: Float64Array): void {
    const gap = contacts.gap[i]
    const { gains } = this
    this.physics.write(gains, contacts, i)
    const square = gains[0] / gains[2]
    const rate = gains[1] / gains[2]
    const un = u[3 * i] > -LEAST_STOPPED ? u[3 * i] : -LEAST_STOPPED
    const dt = h[0]
    out[0] = -un - (dt * (-square * gap - (rate + dt * square) * un)) / (1 + dt * rate + dt * dt * square)
  }

  /** out[0] := the velocity added in the same manner to row j of the joints, a limit that is passed [m/s, rad/s]. */
  limit(out: Float64Array, { distanceToLimit, velocity, speed }: JointSource, j: number, h: Float64Array): void {
    const dt = h[0]
    const omega = this.frequency[this.treeOf[this.bodyOfV[velocity[j]]]]
    const u = speed[j] > -LEAST_STOPPED ? speed[j] : -LEAST_STOPPED
    const square = omega * omega
    const rate = 2 * omega
    out[0] = -u - (dt * (-square * distanceToLimit[j] - (rate + dt * square) * u)) / (1 + dt * rate + dt * dt * square)
  }

  /** Sets isDeepest to 1 for each pair's deepest contact below the surface (the first of equals), else to 0. */
  findDeepest({ count, pair, gap }: ContactSet, isDeepest: Uint8Array): void {
    const { deepest } = this
    for (let i = 0; i < count; i++) deepest[pair[i]] = -1
    for (let i = 0; i < count; i++) {
      isDeepest[i] = 0
      if (!(gap[i] < 0)) continue
      const best = deepest[pair[i]]
      if (best >= 0 && gap[best] <= gap[i]) continue
      if (best >= 0) isDeepest[best] = 0
      isDeepest[i] = 1
      deepest[pair[i]] = i
    }
  }

  /** out[0] := impulse of K depth - C un of contact i [N s], at most the one that stops it within the step at inverse mass out[0]. */
  impulse(out: Float64Array, contacts: ContactSet, i: number, u: Float64Array, h: Float64Array): void {
    const { gains } = this
    const dt = h[0]
    this.physics.write(gains, contacts, i)
    const un = u[3 * i]
    const stiff = 1 + out[0] * dt * (gains[1] + dt * gains[0])
    out[0] = (dt * (-gains[0] * contacts.gap[i] - (gains[1] + dt * gains[0]) * un)) / stiff
  }
}
