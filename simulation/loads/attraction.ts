import type { ContactSet } from '../../contact/index.ts'
import { addBodyForces, type Data, type Model } from '../../dynamics/index.ts'
import { addForceAt } from './pulls.ts'

/** The attraction of contacts that adhere (`Adhesion`), as forces on their bodies over a step. */
export class Attraction {
  private readonly model: Model
  /** 6 a body, as `addBodyForces`; and nv. */
  private readonly forces: Float64Array
  private readonly tau: Float64Array
  private readonly point = new Float64Array(3)
  private readonly force = new Float64Array(3)

  constructor(model: Model) {
    this.model = model
    this.forces = new Float64Array(6 * model.nb)
    this.tau = new Float64Array(model.nv)
  }

  /** applied += its generalised force. @param dt 1: of the step [s] */
  add(
    data: Data,
    { count, bodyA, bodyB, point: at, normal, adhesion }: ContactSet,
    dt: Float64Array,
    applied: Float64Array,
  ): void {
    const { model, forces, tau, point, force } = this
    forces.fill(0)
    tau.fill(0)
    for (let i = 0; i < count; i++) {
      if (adhesion[i] === 0) continue
      for (let d = 0; d < 3; d++) {
        point[d] = at[3 * i + d]
        force[d] = (-adhesion[i] * normal[3 * i + d]) / dt[0]
      }
      addForceAt(forces, bodyB[i], point, force)
      for (let d = 0; d < 3; d++) force[d] = -force[d]
      addForceAt(forces, bodyA[i], point, force)
    }
    addBodyForces(model, forces, data, tau)
    for (let k = 0; k < tau.length; k++) applied[k] += tau[k]
  }

  /** applied -= its generalised force; given[0] += its work [J]. @param v0, v1 nv: velocities at the ends of the step */
  end(v0: Float64Array, v1: Float64Array, dt: Float64Array, applied: Float64Array, given: Float64Array): void {
    const { tau } = this
    for (let k = 0; k < tau.length; k++) {
      applied[k] -= tau[k]
      given[0] += 0.5 * dt[0] * tau[k] * (v0[k] + v1[k])
    }
  }
}
