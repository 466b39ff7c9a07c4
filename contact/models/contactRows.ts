import { type Data, directionRow, type Model } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'

/**
 * Jacobian rows of contacts: three a contact, along its normal and tangents, so that row · v is the velocity of B's point
 * relative to A's. A row is nonzero only at the velocities on the way from the contact's body to the root; these are
 * listed, tip first, and nothing else of a row is ever read or written.
 */
export class ContactRows {
  /** Row r of contact i starts at (3 i + r) nv. */
  J = new Float64Array(0)
  /** Per contact: where its list of velocities starts in `velocities`, and how long it is. */
  first = new Int32Array(0)
  size = new Int32Array(0)
  /** The lists of all bodies one after the other, each falling; at the end nv - 1 .. 0 for contacts of two moving bodies. */
  readonly velocities: Int32Array
  /**
   * The model whose branch-induced sparsity fits M + Σ Jᵀ B J: the model itself while every contact is with something
   * fixed; with a contact between two moving bodies one whose velocities form a single chain, that is, dense.
   */
  pattern: Model

  private readonly model: Model
  private readonly dense: Model
  private readonly firstOfBody: Int32Array
  private readonly sizeOfBody: Int32Array
  /** Per velocity: the list of it and of those after it on the way to the root. */
  private readonly firstOfV: Int32Array
  private readonly sizeOfV: Int32Array

  constructor(model: Model) {
    const { nb, nv, vLast, vParent } = model
    this.model = model
    this.pattern = model
    this.dense = { ...model, vParent: Int32Array.from({ length: nv }, (_, k) => k - 1) }
    this.firstOfBody = new Int32Array(nb)
    this.sizeOfBody = new Int32Array(nb)
    this.firstOfV = new Int32Array(nv)
    this.sizeOfV = new Int32Array(nv)
    const list: number[] = []
    const lists = new Map<number, number>() // by the first velocity of a list: where it starts
    const listFrom = (last: number): number => {
      const known = lists.get(last)
      if (known !== undefined) return known
      const start = list.length
      lists.set(last, start)
      for (let k = last; k >= 0; k = vParent[k]) list.push(k)
      return start
    }
    const length = new Int32Array(nv)
    for (let k = 0; k < nv; k++) length[k] = vParent[k] < 0 ? 1 : length[vParent[k]] + 1
    for (let i = 0; i < nb; i++) {
      if (vLast[i] < 0) continue
      this.firstOfBody[i] = listFrom(vLast[i])
      this.sizeOfBody[i] = length[vLast[i]]
    }
    for (let k = 0; k < nv; k++) {
      this.firstOfV[k] = listFrom(k)
      this.sizeOfV[k] = length[k]
    }
    for (let k = nv - 1; k >= 0; k--) list.push(k)
    this.velocities = Int32Array.from(list)
  }

  reserve(count: number): void {
    if (count <= this.first.length) return
    this.J = new Float64Array(3 * count * this.model.nv)
    this.first = new Int32Array(count)
    this.size = new Int32Array(count)
  }

  /** Rows of all contacts; needs `kinematics` in data. */
  build(data: Data, contacts: ContactSet): void {
    const { model, velocities, sizeOfBody, firstOfBody } = this
    const { nv } = model
    const { count, bodyA, bodyB, point, normal, tangent1, tangent2 } = contacts
    this.reserve(contacts.capacity)
    const { J, first, size } = this
    this.pattern = model
    for (let i = 0; i < count; i++) {
      const a = bodyA[i]
      const b = bodyB[i]
      if (sizeOfBody[a] > 0 && sizeOfBody[b] > 0) {
        first[i] = velocities.length - nv
        size[i] = nv
        this.pattern = this.dense
      } else {
        const body = sizeOfBody[b] > 0 ? b : a
        first[i] = firstOfBody[body]
        size[i] = sizeOfBody[body]
      }
      const row = 3 * i * nv
      for (let c = first[i]; c < first[i] + size[i]; c++) {
        const k = velocities[c]
        J[row + k] = 0
        J[row + nv + k] = 0
        J[row + 2 * nv + k] = 0
      }
      if (sizeOfBody[b] > 0) {
        directionRow(model, data, b, point, 3 * i, normal, 3 * i, 1, J, row)
        directionRow(model, data, b, point, 3 * i, tangent1, 3 * i, 1, J, row + nv)
        directionRow(model, data, b, point, 3 * i, tangent2, 3 * i, 1, J, row + 2 * nv)
      }
      if (sizeOfBody[a] > 0) {
        directionRow(model, data, a, point, 3 * i, normal, 3 * i, -1, J, row)
        directionRow(model, data, a, point, 3 * i, tangent1, 3 * i, -1, J, row + nv)
        directionRow(model, data, a, point, 3 * i, tangent2, 3 * i, -1, J, row + 2 * nv)
      }
    }
  }

  /** The list of one velocity and those after it on the way to the root: where it starts, and how long it is. */
  firstOfVelocity(k: number): number {
    return this.pattern === this.model ? this.firstOfV[k] : this.velocities.length - 1 - k
  }

  sizeOfVelocity(k: number): number {
    return this.pattern === this.model ? this.sizeOfV[k] : k + 1
  }

  /** u = J v, three entries a contact: normal, tangent 1, tangent 2 [m/s]. */
  velocity(u: Float64Array, v: Float64Array, count: number): void {
    const { J, first, size, velocities } = this
    const { nv } = this.model
    for (let i = 0; i < count; i++) {
      const row = 3 * i * nv
      let un = 0
      let u1 = 0
      let u2 = 0
      for (let c = first[i]; c < first[i] + size[i]; c++) {
        const k = velocities[c]
        un += J[row + k] * v[k]
        u1 += J[row + nv + k] * v[k]
        u2 += J[row + 2 * nv + k] * v[k]
      }
      u[3 * i] = un
      u[3 * i + 1] = u1
      u[3 * i + 2] = u2
    }
  }

  /** tau += Jᵀ f of contact i, with f = [normal, tangent 1, tangent 2] at f[3 i]. */
  addForce(tau: Float64Array, f: Float64Array, i: number): void {
    const { J, first, size, velocities } = this
    const { nv } = this.model
    const row = 3 * i * nv
    for (let c = first[i]; c < first[i] + size[i]; c++) {
      const k = velocities[c]
      tau[k] += J[row + k] * f[3 * i] + J[row + nv + k] * f[3 * i + 1] + J[row + 2 * nv + k] * f[3 * i + 2]
    }
  }
}
