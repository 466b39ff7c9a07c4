import type { ContactSet } from '../contact/index.ts'
import type { Data, State } from '../dynamics/index.ts'

/**
 * Kinematics and contacts of the end of a step, detected by a contact model (`ContactStep.endAt`): the next step, if it starts there, needs no
 * detection of its own.
 */
export class DetectedEnd {
  /** The state of the last `detectAt`, and its horizon [s]. */
  private readonly q: Float64Array
  private readonly v: Float64Array
  private readonly horizon = new Float64Array(1)
  /** Its results; undefined unless they are those of the end of the step. */
  private data: Data | undefined
  private contacts: ContactSet | undefined

  constructor({ q, v }: State) {
    this.q = new Float64Array(q.length)
    this.v = new Float64Array(v.length)
  }

  /** Stores the state for which a model detects. */
  note({ q, v }: State, horizon: Float64Array): void {
    this.q.set(q)
    this.v.set(v)
    this.horizon[0] = horizon[0]
  }

  /** Stores the results of the last `note`. */
  set(data: Data, contacts: ContactSet): void {
    this.data = data
    this.contacts = contacts
  }

  forget(): void {
    this.data = undefined
  }

  /** Writes kinematics and velocities of this state, if they are known. @returns whether they are */
  bringData({ q, v }: State, out: Data): boolean {
    const { data } = this
    if (data === undefined) return false
    if (!isSame(q, this.q) || !isSame(v, this.v)) this.forget()
    else copyKinematics(out, data)
    return this.data !== undefined
  }

  /** Writes the contacts, if they are those of this horizon, after `bringData`; only once. @returns whether they are */
  bringContacts(horizon: Float64Array, out: ContactSet): boolean {
    const { data, contacts } = this
    if (data === undefined || contacts === undefined) return false
    this.forget()
    if (horizon[0] !== this.horizon[0]) return false
    out.copy(contacts)
    return true
  }
}

function isSame(x: Float64Array, y: Float64Array): boolean {
  for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return false
  return true
}

/** Copies the results of `kinematics` and `velocities`. */
function copyKinematics({ flat: out }: Data, { flat }: Data): void {
  out.X.set(flat.X)
  out.R_WB.set(flat.R_WB)
  out.p_WB.set(flat.p_WB)
  out.SW.set(flat.SW)
  out.V.set(flat.V)
}
