import type { Data } from '../model/data.ts'
import { JointType, type Model } from '../model/model.ts'
import type { State } from '../model/state.ts'
import { FluidForces } from './fluid.ts'
import { type Tendon, TendonLengths } from './tendons.ts'

/**
 * Forces that a model carries besides those of its joints: springs and dampers of tendons, which may yield, and those of a medium. They act at their
 * value at the start of a step; integrators with stages evaluate them at each (`addChange`). @unchecked
 */
export class PassiveElements {
  readonly lengths: TendonLengths
  /** Per tendon: by how much its spring has yielded, the set of the free range, a state [m, rad]. */
  readonly set: Float64Array
  private readonly tendons: readonly Tendon[]
  private readonly yields: readonly number[]
  private readonly fluid: FluidForces | undefined
  /** nv: forces at the start of the step. */
  private readonly start: Float64Array
  private readonly force = new Float64Array(1)
  private readonly armature: Float64Array
  /** First velocities of floating joints with an added mass. */
  private readonly massive: Int32Array

  constructor(model: Model) {
    const { tendons = [], fluid } = model
    this.tendons = tendons
    this.lengths = new TendonLengths(model)
    this.set = new Float64Array(tendons.length)
    this.yields = tendons.flatMap(({ yield: own }, t) => (own === undefined ? [] : [t]))
    this.fluid = fluid && (fluid.density > 0 || fluid.viscosity > 0) ? new FluidForces(model, fluid) : undefined
    this.start = new Float64Array(model.nv)
    this.armature = model.armature
    this.massive = massiveOf(model)
  }

  /** Whether a model has any. */
  static areIn(model: Model): boolean {
    const { tendons, fluid } = model
    return (
      massiveOf(model).length > 0 ||
      (tendons !== undefined && tendons.length > 0) ||
      (fluid !== undefined && (fluid.density > 0 || fluid.viscosity > 0))
    )
  }

  /**
   * tau += the forces at the start of a step. Springs that the last step left beyond their yield take their set first, but for a run's first step.
   *
   * Reads data.R_WB, data.p_WB, data.SW (`kinematics`) and data.V (`velocities`).
   *
   * @param isFirst whether this is the first step of a run, whose sets are those of its start
   */
  begin(state: State, data: Data, isFirst: boolean, tau: Float64Array): void {
    const { start, yields } = this
    this.lengths.evaluate(state.q, data)
    if (!isFirst) for (let n = 0; n < yields.length; n++) this.giveWay(yields[n])
    start.fill(0)
    this.addForces(state.v, data, start)
    for (let k = 0; k < start.length; k++) tau[k] += start[k]
  }

  /** tau += the forces at another state of the step less those at its start. Reads what `begin` does. */
  addChange(state: State, data: Data, tau: Float64Array): void {
    const { start } = this
    this.lengths.evaluate(state.q, data)
    for (let k = 0; k < start.length; k++) tau[k] -= start[k]
    this.addForces(state.v, data, tau)
  }

  /** An added mass a of a floating joint is of its velocity in the world: a (dv/dt + w x v), of which M has the first term. */
  private turnMass(v: Float64Array, tau: Float64Array): void {
    const { massive, armature } = this
    for (let n = 0; n < massive.length; n++) {
      const k = massive[n]
      for (let d = 0; d < 3; d++) {
        const i = (d + 1) % 3
        const j = (d + 2) % 3
        tau[k + 3 + d] -= armature[k + 3 + d] * (v[k + i] * v[k + 3 + j] - v[k + j] * v[k + 3 + i])
      }
    }
  }

  /** Return mapping of perfect plasticity: the deflection of a spring is at most its yield. */
  private giveWay(t: number): void {
    const { set, lengths, tendons } = this
    const { free, yield: most = Infinity } = tendons[t]
    const x = lengths.length[t] - set[t]
    if (x - free[1] > most) set[t] += x - free[1] - most
    else if (x - free[0] < -most) set[t] += x - free[0] + most
  }

  private addForces(v: Float64Array, data: Data, tau: Float64Array): void {
    const { tendons, set, lengths, force } = this
    for (let t = 0; t < tendons.length; t++) {
      const { stiffness: k, damping: c, free } = tendons[t]
      const l = lengths.length[t] - set[t]
      const x = l > free[1] ? l - free[1] : l < free[0] ? l - free[0] : 0
      lengths.speed(t, v, force, 0)
      const u = force[0]
      const speed = Math.abs(u)
      force[0] = -x * (k[0] + x * (k[1] + x * k[2])) - u * (c[0] + speed * (c[1] + speed * c[2]))
      if (force[0] !== 0) lengths.addForce(t, force, 0, tau)
    }
    this.fluid?.add(data, tau)
    this.turnMass(v, tau)
  }
}

function massiveOf({ nb, jointType, vStart, armature }: Model): Int32Array {
  const found: number[] = []
  for (let i = 1; i < nb; i++) if (jointType[i] === JointType.floating && armature[vStart[i] + 3] > 0) found.push(vStart[i])
  return Int32Array.from(found)
}
