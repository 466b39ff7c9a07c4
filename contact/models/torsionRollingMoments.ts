import type { Data, Model } from '../../dynamics/index.ts'
import type { ContactRows } from '../constraints/index.ts'
import { resistedMotion, TorsionRollingRows } from '../constraints/index.ts'
import type { ContactSet } from '../contactSet.ts'

/** Angular velocity below which the resistance is viscous [rad/s]. */
const STICK_RATE = 1e-3

/** Multiple of a rotation's largest change by the resistance in a step, above which it does not stop within the step. */
const FAST = 4

/**
 * Torsional friction and rolling resistance of force-level models. A fast rotation is resisted by the whole moment, a slower one by m = -b
 * omega, b = bound / max(|omega|, 1 mrad/s) with omega of the start of the step in b, so that it may stop but never reverses.
 */
export class TorsionRollingMoments {
  private readonly rows: TorsionRollingRows
  /** Per row: b [N m s], and the moment against a fast rotation [N m]. */
  private b = new Float64Array(0)
  private m = new Float64Array(0)

  constructor(model: Model) {
    this.rows = new TorsionRollingRows(model)
  }

  begin(data: Data, contacts: ContactSet, rows: ContactRows, v: Float64Array): void {
    this.rows.build(data, contacts, rows, v)
    if (this.rows.count <= this.b.length) return
    this.b = new Float64Array(2 * this.rows.count)
    this.m = new Float64Array(2 * this.rows.count)
  }

  /**
   * H += h b Jᵀ J and force += the moments at the start, like the other terms of the implicit step.
   *
   * @param load per contact: its normal force [N], where `active` is 1
   */
  add(
    H: Float64Array,
    force: Float64Array,
    { J, velocities, first, size }: ContactRows,
    active: Uint8Array,
    load: Float64Array,
    dt: number,
  ): void {
    const { rows, b, m } = this
    const { at, contact, axis, rate, speed, lever } = rows
    const nv = force.length
    for (let j = 0; j < rows.count; j++) {
      const i = contact[j]
      const bound = active[i] !== 0 ? lever[j] * load[i] : 0
      b[j] = bound / Math.max(speed[j], STICK_RATE)
      m[j] = 0
      if (bound === 0) continue
      const from = first[i] - at[j]
      const end = at[j] + size[i]
      // as if velocities were not coupled, so that inertia is under- or overestimated
      let response = 0
      for (let a = at[j]; a < end; a++) {
        const k = velocities[from + a]
        response += (J[a] * J[a]) / H[k * nv + k]
      }
      if (axis[j] !== resistedMotion.across && speed[j] > FAST * dt * bound * response) {
        m[j] = rate[j] > 0 ? -bound : bound
        b[j] = 0
      }
      for (let a = at[j]; a < end; a++) {
        const k = velocities[from + a]
        force[k] += (m[j] - b[j] * rate[j]) * J[a]
        const x = dt * b[j] * J[a]
        // entries after k in the list are in row k of H
        for (let c = a; c < end; c++) H[k * nv + velocities[from + c]] += x * J[c]
      }
    }
  }

  /**
   * force += the moments of the present velocities, for explicit steps. They are viscous below the change of angular velocity by gravity's
   * moment in a step: h g lever / k², k the radius of torsion, or the contact's distance from the body's origin.
   *
   * @param hg 1: h g [m/s]
   */
  addExplicit(
    force: Float64Array,
    data: Data,
    { point, bodyA, bodyB, torsion }: ContactSet,
    { J, velocities, first, size }: ContactRows,
    active: Uint8Array,
    load: Float64Array,
    hg: Float64Array,
  ): void {
    const { rows, b } = this
    const { at, contact, axis, rate, speed, lever } = rows
    for (let j = 0; j < rows.count; j++) {
      const i = contact[j]
      const origin = data.p_WB[bodyB[i] > 0 ? bodyB[i] : bodyA[i]]
      let square = axis[j] === resistedMotion.spin ? torsion[i] * torsion[i] : 0
      if (square === 0) for (let d = 0; d < 3; d++) square += (point[3 * i + d] - origin[d]) * (point[3 * i + d] - origin[d])
      const slowest = (hg[0] * lever[j]) / square
      b[j] = active[i] !== 0 ? (lever[j] * load[i]) / Math.max(speed[j], STICK_RATE, slowest) : 0
      for (let c = 0; c < size[i]; c++) force[velocities[first[i] + c]] -= b[j] * rate[j] * J[at[j] + c]
    }
  }

  /** sum[3 i..] += weight[0] times the present moments in world axes, i = place[contact], if that is not negative. */
  addTo(sum: Float64Array, place: Int32Array, weight: Float64Array): void {
    const { rows, b } = this
    for (let j = 0; j < rows.count; j++) {
      const i = place[rows.contact[j]]
      if (i < 0) continue
      for (let d = 0; d < 3; d++) sum[3 * i + d] -= weight[0] * b[j] * rows.rate[j] * rows.direction[3 * j + d]
    }
  }

  /** Writes the moments over the step, for velocities v at its end. */
  report(contacts: ContactSet, { J, velocities, first, size }: ContactRows, v: Float64Array, dt: number): void {
    const { rows, b, m } = this
    const { at, contact, axis } = rows
    for (let j = 0; j < rows.count; j++) {
      const i = contact[j]
      let omega = axis[j] === resistedMotion.spin ? contacts.spin[i] : 0
      for (let c = 0; c < size[i]; c++) omega += J[at[j] + c] * v[velocities[first[i] + c]]
      m[j] = dt * (m[j] - b[j] * omega)
      rows.addMoment(contacts, j, m, j)
    }
  }
}
