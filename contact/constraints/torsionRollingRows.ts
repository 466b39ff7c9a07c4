import type { Data, Model } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import type { ContactRows } from './contactRows.ts'
import { frictionAt } from './slipLaw.ts'

/** Angular velocity below which rolling has no direction [rad/s]. */
const NO_ROLLING = 1e-9

/** Motion resisted by a row: spin about the normal, rolling along the contact's direction of rolling, and across it. */
export const resistedMotion = { spin: 0, along: 1, across: 2 } as const

/**
 * Rows of torsional friction and rolling resistance: angular velocity of B relative to A about the normal (torsional), and about two
 * tangential axes (rolling), the first along the angular velocity at the start of the step. They act on the velocities of the contact's own
 * rows.
 *
 *   |m_n| <= mu R p_n,   |m_t| <= l p_n along each axis,        R the contact's `torsion`, l its `rolling` [m]
 *
 * The first is Contensou's (1962) for a circular contact of radius R; l is the shift of the load ahead of the rolling body's centre.
 */
export class TorsionRollingRows {
  /** Number of rows; per row: its contact, and its motion (`resistedMotion`). */
  count = 0
  contact = new Int32Array(0)
  axis = new Uint8Array(0)
  /** Per contact: its rows, from first[i] to first[i + 1] - 1. */
  first = new Int32Array(1)
  /** Per row: angular velocity about its axis at the start of the step [rad/s]. */
  rate = new Float64Array(0)
  /** Per row: angular speed of its contact at the start of the step, tangential or about the normal [rad/s]. */
  speed = new Float64Array(0)
  /** Per row: ratio of its largest moment to its contact's normal force [m]. */
  lever = new Float64Array(0)
  /** Per row 3: its axis in world coordinates. */
  direction = new Float64Array(0)
  /** Per row: start of its J in `ContactRows.J`, one number per velocity of its contact's list. */
  at = new Int32Array(0)
  private readonly model: Model
  /** nv: index in J of a velocity's entry of the current row. */
  private readonly place: Int32Array
  /** 3: the angular velocity of the current contact. */
  private readonly omega = new Float64Array(3)

  constructor(model: Model) {
    this.model = model
    this.place = new Int32Array(model.nv)
  }

  /** @param rows the rows of the same contacts, to which J is appended */
  build(data: Data, contacts: ContactSet, rows: ContactRows, v: Float64Array): void {
    const { count, torsion, rolling } = contacts
    this.count = 0
    if (count >= this.first.length) this.first = new Int32Array(contacts.capacity + 1)
    const { first } = this
    let total = 0
    for (let i = 0; i < count; i++) {
      if (rows.size[i] === 0) continue
      if (torsion[i] > 0) total++
      if (rolling[i] > 0) total += 2
    }
    if (total > this.contact.length) this.reserve(2 * total)
    for (let i = 0; i < count; i++) {
      first[i] = this.count
      if (total > 0 && rows.size[i] > 0 && (torsion[i] > 0 || rolling[i] > 0)) this.add(data, contacts, rows, v, i)
    }
    first[count] = this.count
  }

  private reserve(rows: number): void {
    this.contact = new Int32Array(rows)
    this.axis = new Uint8Array(rows)
    this.rate = new Float64Array(rows)
    this.speed = new Float64Array(rows)
    this.lever = new Float64Array(rows)
    this.direction = new Float64Array(3 * rows)
    this.at = new Int32Array(rows)
  }

  private add(data: Data, contacts: ContactSet, rows: ContactRows, v: Float64Array, i: number): void {
    const { omega, direction } = this
    const { normal, tangent1, tangent2, inverse2, torsion, rolling, bodyA, bodyB } = contacts
    omega.fill(0)
    this.addAngular(data, bodyB[i], 1, v)
    this.addAngular(data, bodyA[i], -1, v)
    const n = 3 * i
    if (torsion[i] > 0) {
      for (let d = 0; d < 3; d++) direction[3 * this.count + d] = normal[n + d]
      this.addRow(data, contacts, rows, i, resistedMotion.spin)
    }
    if (!(rolling[i] > 0)) return
    const unit = Math.sqrt(inverse2[i]) // times tangent2 it is of length 1
    const x = omega[0] * tangent1[n] + omega[1] * tangent1[n + 1] + omega[2] * tangent1[n + 2]
    const y = (omega[0] * tangent2[n] + omega[1] * tangent2[n + 1] + omega[2] * tangent2[n + 2]) * unit
    const speed = Math.sqrt(x * x + y * y)
    const c = speed > NO_ROLLING ? x / speed : 1
    const s = speed > NO_ROLLING ? y / speed : 0
    for (let d = 0; d < 3; d++) direction[3 * this.count + d] = c * tangent1[n + d] + s * unit * tangent2[n + d]
    this.addRow(data, contacts, rows, i, resistedMotion.along)
    for (let d = 0; d < 3; d++) direction[3 * this.count + d] = c * unit * tangent2[n + d] - s * tangent1[n + d]
    this.addRow(data, contacts, rows, i, resistedMotion.across)
    this.speed[this.count - 1] = this.speed[this.count - 2]
  }

  /** moment[3 i..] += the moment of contact i for amounts[at] about the axis of row j. */
  addMoment({ moment, normal, tangent1, tangent2, inverse2 }: ContactSet, j: number, amounts: Float64Array, at: number): void {
    const { direction } = this
    const i = this.contact[j]
    const n = 3 * i
    for (let d = 0; d < 3; d++) {
      const along = amounts[at] * direction[3 * j + d]
      moment[n] += along * normal[n + d]
      moment[n + 1] += along * tangent1[n + d]
      moment[n + 2] += along * tangent2[n + d] * inverse2[i]
    }
  }

  /** omega += sign times the angular velocity of a body. */
  private addAngular({ SW }: Data, body: number, sign: number, v: Float64Array): void {
    const { omega } = this
    const { vOfS, sParent, sLast } = this.model
    for (let s = sLast[body]; s >= 0; s = sParent[s]) {
      for (let d = 0; d < 3; d++) omega[d] += sign * SW[s][d] * v[vOfS[s]]
    }
  }

  /** Adds the row of rotation about the axis in `direction`. */
  private addRow(data: Data, contacts: ContactSet, rows: ContactRows, i: number, axis: number): void {
    const { bodyA, bodyB, torsion, rolling } = contacts
    const { place, omega, direction } = this
    const j = this.count++
    const at = rows.append(rows.size[i])
    this.at[j] = at
    this.contact[j] = i
    this.axis[j] = axis
    for (let c = 0; c < rows.size[i]; c++) {
      place[rows.velocities[rows.first[i] + c]] = at + c
      rows.J[at + c] = 0
    }
    this.addBody(data, rows.J, bodyB[i], 1, j)
    this.addBody(data, rows.J, bodyA[i], -1, j)
    this.rate[j] = direction[3 * j] * omega[0] + direction[3 * j + 1] * omega[1] + direction[3 * j + 2] * omega[2]
    if (axis === resistedMotion.spin) this.rate[j] += contacts.spin[i]
    this.speed[j] = Math.abs(this.rate[j])
    const radius = torsion[i]
    this.lever[j] = axis === resistedMotion.spin ? radius * frictionAt(contacts, i, radius * this.speed[j]) : rolling[i]
  }

  private addBody({ SW }: Data, J: Float64Array, body: number, sign: number, j: number): void {
    const { place, direction } = this
    const { vOfS, sParent, sLast } = this.model
    const x = sign * direction[3 * j]
    const y = sign * direction[3 * j + 1]
    const z = sign * direction[3 * j + 2]
    for (let s = sLast[body]; s >= 0; s = sParent[s]) {
      J[place[vOfS[s]]] += x * SW[s][0] + y * SW[s][1] + z * SW[s][2]
    }
  }
}
