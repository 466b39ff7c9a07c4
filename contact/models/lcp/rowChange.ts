import { createData, createState, type Data, type Model, RestFrame, type State } from '../../../dynamics/index.ts'
import { ContactRows } from '../../constraints/index.ts'
import type { ContactStep } from '../../contactModel.ts'
import { ContactSet } from '../../contactSet.ts'

/** Fraction of a step over which rows are differenced: a power of two, for exact division; contacts are still those of the start. */
export const PART = 2 ** -10
/** Greatest rotation of a normal in a step that is resolved [rad]; more in that fraction of it is a jump from facet to facet. */
const RESOLVED = 0.25

/**
 * J̇ v of normals at the start of a step: the rate of J v along the motion with v, from detection a thousandth of a step ahead, or behind. It includes
 * the rotation of normals and the travel of contact points, for any shapes.
 */
export class RowChange {
  /** 2: `part` and `count` of the constructor; nv: displacement from the start. */
  private readonly part: Float64Array
  private readonly move: Float64Array
  private readonly frame: RestFrame
  private readonly rows: ContactRows
  private readonly state: State
  private readonly data: Data
  private readonly contacts = new ContactSet()
  private isKnown = false
  /** 3 a contact detected ahead: velocities along normal and tangents [m/s]. */
  private u = new Float64Array(0)

  /**
   * @param part  of a step, ahead of its start or, below 0, behind
   * @param count of instances whose mean is taken
   */
  constructor(model: Model, part: number, count: number) {
    this.part = Float64Array.of(part, count)
    this.move = new Float64Array(model.nv)
    this.frame = new RestFrame(model)
    this.rows = new ContactRows(model)
    this.state = createState(model)
    this.data = createData(model)
  }

  /** Discards the rates, for new velocities or a new step. */
  forget(): void {
    this.isKnown = false
  }

  /** out[0] += h J̇ v of contact i over `count` [m/s], 0 if it is not detected there. @param uStart J v, 3 a contact */
  add(out: Float64Array, step: ContactStep, i: number, uStart: Float64Array): void {
    if (!this.isKnown) this.find(step)
    const { contacts, u } = this
    const { pair, feature, normal } = step.contacts
    // one feature touches several facets of a mesh or height field: that contact is meant whose normal is nearest
    let found = -1
    let least = PART * PART * RESOLVED * RESOLVED
    for (let k = 0; k < contacts.count; k++) {
      if (contacts.pair[k] !== pair[i] || contacts.feature[k] !== feature[i]) continue
      let turned = 0
      for (let d = 0; d < 3; d++) {
        const change = contacts.normal[3 * k + d] - normal[3 * i + d]
        turned += change * change
      }
      if (!(turned < least)) continue
      least = turned
      found = k
    }
    if (found >= 0) out[0] += (u[3 * found] - uStart[3 * i]) / (this.part[0] * this.part[1])
  }

  private find(step: ContactStep): void {
    const { frame, rows, state, data, contacts, move } = this
    state.q.set(step.state.q)
    state.v.set(step.state.v)
    state.t[0] = step.state.t[0]
    for (let k = 0; k < move.length; k++) move[k] = this.part[0] * step.dt * state.v[k]
    frame.finish(state.q, state.v, step.state.v, 1, move)
    step.detectAt(state, data, contacts)
    if (3 * contacts.capacity > this.u.length) this.u = new Float64Array(3 * contacts.capacity)
    rows.reserve(contacts.capacity)
    rows.buildMoving(data, contacts, state.v, this.u)
    this.isKnown = true
  }
}
