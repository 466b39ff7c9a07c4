import { addWork, type Data, type Model, SparseCholesky } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import { grown } from '../grown.ts'
import { CoupledBodies } from './couplings/coupledBodies.ts'
import { LengthRows } from './couplings/lengthRows.ts'
import { LoopRows } from './couplings/loopRows.ts'

/** Cost of the three rows of a contact per velocity, in multiply-adds. */
const ENTRY = 25

/**
 * Jacobian rows of contacts: three a contact, along its normal and tangents, so that row · v is the velocity of B's point relative to A's.
 * A row is nonzero only at the velocities on the paths from the contact's bodies to their roots; only these are listed and stored. The
 * columns G of Williams, Lu and Trinkle (2014), eq. 26, with +n on B and -n on A. @unchecked
 */
export class ContactRows {
  /**
   * Entries of J: three per velocity of a contact's list (normal, tangent 1, tangent 2), from 3 entry[i] on for contact i; then other rows,
   * by `append`.
   */
  J = new Float64Array(0)
  /** count + 1: total length of the lists of the contacts before each. */
  entry = new Int32Array(1)
  /** Per contact: start and length of its list in `velocities`. */
  first = new Int32Array(0)
  size = new Int32Array(0)
  /**
   * Velocity indices of all lists: first of each body, falling to its root; then of loops and of contacts that couple two moving bodies, in
   * the elimination order. The entries after k in a list lie in row k of `pattern`.
   */
  velocities: Int32Array
  /** Per velocity: an index of it in `velocities`. */
  readonly placeOf: Int32Array
  /** The sparsity of M + Σ Jᵀ B J over the present contacts, and its factorisation. */
  readonly pattern: SparseCholesky

  private readonly model: Model
  /** Loops and lengths couple bodies at every step. Their rows are stored elsewhere; their lists follow the pattern. */
  private readonly coupled: CoupledBodies
  private readonly firstOfBody: Int32Array
  private readonly sizeOfBody: Int32Array
  /** Ends in `velocities` of the lists of bodies, behind which are those of loops, and of the present contacts. */
  private readonly endOfBodies: number
  private end: number
  /** End of J. */
  private endOfJ = 0
  /** 3 a contact: velocity of the surfaces beyond the bodies' at the rows' points (`ContactSet.running`); undefined if none runs. */
  private running: Float64Array | undefined
  /** nv: index of a velocity in the current contact's list, counted from the start of J. */
  private readonly place: Int32Array
  /** nv zeros, and scratch for the products J v of these. */
  private readonly atRest: Float64Array
  private noVelocity = new Float64Array(0)

  constructor(model: Model, loops = new LoopRows(model), lengths = new LengthRows(model, [])) {
    const { nb, vLast, vParent } = model
    this.model = model
    this.coupled = new CoupledBodies(loops, lengths)
    this.pattern = new SparseCholesky(model)
    this.firstOfBody = new Int32Array(nb)
    this.sizeOfBody = new Int32Array(nb)
    this.atRest = new Float64Array(model.nv)
    this.place = new Int32Array(model.nv)
    this.placeOf = new Int32Array(model.nv)
    const list: number[] = []
    const lists = new Map<number, number>() // from the first velocity of a list to its start
    for (let i = 0; i < nb; i++) {
      if (vLast[i] < 0) continue
      let size = 0
      for (let k = vLast[i]; k >= 0; k = vParent[k]) size++
      const start = lists.get(vLast[i]) ?? list.length
      this.firstOfBody[i] = start
      this.sizeOfBody[i] = size
      if (start < list.length) continue
      lists.set(vLast[i], start)
      for (let k = vLast[i]; k >= 0; k = vParent[k]) this.placeOf[k] = list.push(k) - 1
    }
    this.endOfBodies = list.length
    this.end = list.length + this.coupled.listed
    this.velocities = new Int32Array(this.end)
    this.velocities.set(list)
    this.coupled.set(this.pattern, this.first, this.first, 0, this.velocities, this.endOfBodies)
  }

  reserve(count: number): void {
    if (count <= this.first.length) return
    this.noVelocity = new Float64Array(3 * count)
    this.first = new Int32Array(count)
    this.size = new Int32Array(count)
    this.entry = new Int32Array(count + 1)
  }

  /** Rows of all contacts; needs `kinematics` in data. */
  build(data: Data, contacts: ContactSet): void {
    this.reserve(contacts.capacity)
    this.buildMoving(data, contacts, this.atRest, this.noVelocity)
  }

  /** `build`, and u = J v as in `velocity`. */
  buildMoving(data: Data, contacts: ContactSet, v: Float64Array, u: Float64Array): void {
    const { pattern, sizeOfBody, firstOfBody } = this
    const { nv, ns } = this.model
    const { count, bodyA, bodyB } = contacts
    this.reserve(contacts.capacity)
    this.setRunning(contacts)
    const { first, size, entry } = this
    let between = 0
    for (let i = 0; i < count; i++) {
      const a = bodyA[i]
      const b = bodyB[i]
      if (sizeOfBody[a] > 0 && sizeOfBody[b] > 0) between++
      const body = sizeOfBody[b] > sizeOfBody[a] ? b : a
      first[i] = firstOfBody[body]
      size[i] = sizeOfBody[body]
    }
    if (between > 0 || pattern.coupledCount > 0 || this.coupled.any) this.couple(contacts)
    for (let i = 0; i < count; i++) entry[i + 1] = entry[i] + size[i]
    addWork(entry[count] + 4 * count, ENTRY, 1)
    this.endOfJ = 3 * entry[count]
    if (this.endOfJ > this.J.length) this.J = new Float64Array(2 * this.endOfJ)
    if (between === 0 && ns === nv) {
      this.setRows(data, contacts, v, u)
      if (this.running !== undefined) addRunning(u, this.running, count)
      return
    }
    const { J, velocities, place } = this
    J.fill(0, 0, 3 * entry[count])
    for (let i = 0; i < count; i++) {
      const a = bodyA[i]
      const b = bodyB[i]
      for (let c = first[i], e = 3 * entry[i]; c < first[i] + size[i]; c++, e += 3) place[velocities[c]] = e
      if (sizeOfBody[b] > 0) this.addBody(data, contacts, i, b, 1)
      if (sizeOfBody[a] > 0) this.addBody(data, contacts, i, a, -1)
    }
    this.velocity(u, v, count)
  }

  private setRunning({ runs, count, capacity, running }: ContactSet): void {
    if (!runs) {
      this.running = undefined
      return
    }
    if (this.running === undefined || this.running.length < 3 * count) this.running = new Float64Array(3 * capacity)
    for (let k = 0; k < 3 * count; k++) this.running[k] = running[k]
  }

  /** Reserves J for one more row. @returns the index of its first entry */
  append(size: number): number {
    const at = this.endOfJ
    this.endOfJ += size
    if (this.endOfJ > this.J.length) this.J = grown(this.J, 2 * this.endOfJ)
    return at
  }

  /** `build` for contacts between a moving and a fixed body only, without joints that follow others: each velocity is one joint motion. */
  private setRows({ flat }: Data, contacts: ContactSet, v: Float64Array, u: Float64Array): void {
    const { J, velocities, sizeOfBody, first, size, entry } = this
    const { count, bodyB, point, normal, tangent1, tangent2 } = contacts
    const { SW } = flat
    for (let i = 0; i < count; i++) {
      const sign = sizeOfBody[bodyB[i]] > 0 ? 1 : -1
      const n = 3 * i
      const x = point[n]
      const y = point[n + 1]
      const z = point[n + 2]
      const n0 = sign * normal[n]
      const n1 = sign * normal[n + 1]
      const n2 = sign * normal[n + 2]
      const s0 = sign * tangent1[n]
      const s1 = sign * tangent1[n + 1]
      const s2 = sign * tangent1[n + 2]
      const t0 = sign * tangent2[n]
      const t1 = sign * tangent2[n + 1]
      const t2 = sign * tangent2[n + 2]
      const end = first[i] + size[i]
      let un = 0
      let u1 = 0
      let u2 = 0
      for (let at = first[i], e = 3 * entry[i]; at < end; at++, e += 3) {
        const k = velocities[at]
        const s = 6 * k
        const wx = SW[s]
        const wy = SW[s + 1]
        const wz = SW[s + 2]
        // v0 + omega x p
        const a = SW[s + 3] + (wy * z - wz * y)
        const b = SW[s + 4] + (wz * x - wx * z)
        const c = SW[s + 5] + (wx * y - wy * x)
        const jn = n0 * a + n1 * b + n2 * c
        const j1 = s0 * a + s1 * b + s2 * c
        const j2 = t0 * a + t1 * b + t2 * c
        J[e] = jn
        J[e + 1] = j1
        J[e + 2] = j2
        un += jn * v[k]
        u1 += j1 * v[k]
        u2 += j2 * v[k]
      }
      u[n] = un
      u[n + 1] = u1
      u[n + 2] = u2
    }
  }

  /** Adds sign times a body's part to the three rows of contact i, as `directionRow` does to one. */
  private addBody({ SW }: Data, { point, normal, tangent1, tangent2 }: ContactSet, i: number, body: number, sign: number): void {
    const { J, place } = this
    const { vOfS, sParent, sLast } = this.model
    const n = 3 * i
    const x = point[n]
    const y = point[n + 1]
    const z = point[n + 2]
    const n0 = sign * normal[n]
    const n1 = sign * normal[n + 1]
    const n2 = sign * normal[n + 2]
    const s0 = sign * tangent1[n]
    const s1 = sign * tangent1[n + 1]
    const s2 = sign * tangent1[n + 2]
    const t0 = sign * tangent2[n]
    const t1 = sign * tangent2[n + 1]
    const t2 = sign * tangent2[n + 2]
    for (let s = sLast[body]; s >= 0; s = sParent[s]) {
      const S = SW[s]
      const wx = S[0]
      const wy = S[1]
      const wz = S[2]
      // v0 + omega x p
      const a = S[3] + (wy * z - wz * y)
      const b = S[4] + (wz * x - wx * z)
      const c = S[5] + (wx * y - wy * x)
      const e = place[vOfS[s]]
      J[e] += n0 * a + n1 * b + n2 * c
      J[e + 1] += s0 * a + s1 * b + s2 * c
      J[e + 2] += t0 * a + t1 * b + t2 * c
    }
  }

  /** Moves the tangents' rows of contact i to the point offset by `offset` along tangents 1 and 2 [m]; the normal's row is unchanged. */
  moveTangents({ SW }: Data, { normal, bodyA, bodyB, spin }: ContactSet, i: number, offset: Float64Array): void {
    const { J, place, velocities, first, size, entry, running } = this
    if (running !== undefined) {
      running[3 * i + 1] -= offset[2 * i + 1] * spin[i]
      running[3 * i + 2] += offset[2 * i] * spin[i]
    }
    const { vOfS, sParent, sLast } = this.model
    for (let c = first[i], e = 3 * entry[i]; c < first[i] + size[i]; c++, e += 3) place[velocities[c]] = e
    for (let sign = -1; sign < 2; sign += 2) {
      for (let s = sLast[sign < 0 ? bodyA[i] : bodyB[i]]; s >= 0; s = sParent[s]) {
        const S = SW[s]
        const e = place[vOfS[s]]
        const spin = sign * (S[0] * normal[3 * i] + S[1] * normal[3 * i + 1] + S[2] * normal[3 * i + 2])
        J[e + 1] -= offset[2 * i + 1] * spin
        J[e + 2] += offset[2 * i] * spin
      }
    }
  }

  /** Adds the coupled bodies to the pattern, and lists the velocities of contacts between two branches. */
  private couple({ count, bodyA, bodyB }: ContactSet): void {
    const { model, pattern, first, size, sizeOfBody } = this
    const { vLast } = model
    if (this.coupled.any) this.coupled.set(pattern, bodyA, bodyB, count, this.velocities, this.endOfBodies)
    else pattern.setCouplings(bodyA, bodyB, count)
    this.end = this.endOfBodies + this.coupled.listed
    for (let i = 0; i < count; i++) {
      const a = bodyA[i]
      const b = bodyB[i]
      if (sizeOfBody[a] === 0 || sizeOfBody[b] === 0 || pattern.onSamePath(vLast[a], vLast[b])) continue
      if (i > 0 && bodyA[i - 1] === a && bodyB[i - 1] === b) {
        first[i] = first[i - 1]
        size[i] = size[i - 1]
      } else {
        first[i] = this.end
        this.listTwo(vLast[a], vLast[b], sizeOfBody[a] + sizeOfBody[b])
        size[i] = this.end - first[i]
      }
    }
  }

  /** Appends the velocities of two branches, each once, in the order of elimination. */
  private listTwo(lastA: number, lastB: number, most: number): void {
    const { vParent } = this.model
    const { position } = this.pattern
    if (this.end + most > this.velocities.length) {
      const grown = new Int32Array(2 * (this.end + most))
      grown.set(this.velocities)
      this.velocities = grown
    }
    const { velocities } = this
    let a = lastA
    let b = lastB
    while (a >= 0 || b >= 0) {
      const takesA = a >= 0 && (b < 0 || position[a] <= position[b])
      const takesB = b >= 0 && (a < 0 || position[b] <= position[a])
      velocities[this.end++] = takesA ? a : b
      if (takesA) a = vParent[a]
      if (takesB) b = vParent[b]
    }
  }

  /**
   * u = J v [m/s], three a contact: normal, tangent 1, tangent 2, and the velocity of surfaces that run. The last two are the slip (Baraff's
   * survey, eq. 12).
   */
  velocity(u: Float64Array, v: Float64Array, count: number): void {
    this.product(u, v, count)
    if (this.running !== undefined) addRunning(u, this.running, count)
  }

  /** u = J v. */
  product(u: Float64Array, v: Float64Array, count: number): void {
    const { J, first, size, velocities, entry } = this
    addWork(entry[count], 3, 1)
    for (let i = 0; i < count; i++) {
      const end = first[i] + size[i]
      let un = 0
      let u1 = 0
      let u2 = 0
      for (let c = first[i], e = 3 * entry[i]; c < end; c++, e += 3) {
        const k = velocities[c]
        un += J[e] * v[k]
        u1 += J[e + 1] * v[k]
        u2 += J[e + 2] * v[k]
      }
      u[3 * i] = un
      u[3 * i + 1] = u1
      u[3 * i + 2] = u2
    }
  }

  /** Row r of contact i among all nv velocities. Allocates. */
  denseRow(i: number, r: number): number[] {
    return this.dense(this.first[i], this.size[i], 3 * this.entry[i] + r, 3)
  }

  /** A row as nv numbers: of J from `at` on, every `stride`-th number. Allocates. */
  dense(list: number, size: number, at: number, stride: number): number[] {
    const out = Array<number>(this.model.nv).fill(0)
    for (let c = 0; c < size; c++) out[this.velocities[list + c]] = this.J[at + stride * c]
    return out
  }

  /** Velocity along the normal of contact i, row · v [m/s]. */
  normalVelocity(v: Float64Array, i: number): number {
    const { J, first, size, velocities, entry } = this
    let un = 0
    for (let c = first[i], e = 3 * entry[i]; c < first[i] + size[i]; c++, e += 3) un += J[e] * v[velocities[c]]
    return un
  }

  /** tau += Jᵀ f of contact i, with f = [normal, tangent 1, tangent 2] at f[3 i]. */
  addForce(tau: Float64Array, f: Float64Array, i: number): void {
    const { J, first, size, velocities, entry } = this
    for (let c = first[i], e = 3 * entry[i]; c < first[i] + size[i]; c++, e += 3) {
      tau[velocities[c]] += J[e] * f[3 * i] + J[e + 1] * f[3 * i + 1] + J[e + 2] * f[3 * i + 2]
    }
  }
}

function addRunning(u: Float64Array, running: Float64Array, count: number): void {
  for (let k = 0; k < 3 * count; k++) u[k] += running[k]
}
