import { crbaOnBranches, type Data, Elimination, type Model } from '../../dynamics/index.ts'
import type { ContactMatrix } from './contactMatrix.ts'
import { checkRows, RowKind, type RowSet } from './rowSet.ts'
import { RowWays } from './rowWays.ts'

/**
 * W by the factor of the joint-space inertia: M~ = Lᵀ L by the composite-rigid-body algorithm and Featherstone's sparse
 * factorisation, Y = L⁻ᵀ Jᵀ, W = Yᵀ Y. Ruspini and Khatib, A framework for multi-contact multi-body dynamic simulation and
 * haptic display (IROS 2000); Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 6. Supports every model.
 *
 * With m rows on supporting paths of depth d, W costs O(m d² + m² d) after O(n d) for M and O(n d²) for L.
 */
export class FactoredMatrix implements ContactMatrix {
  readonly name = 'factored'
  private readonly model: Model
  private readonly ways: RowWays
  private data: Data | undefined

  private readonly elimination: Elimination
  private readonly L: Float64Array
  /** L's entries row by row, each from the root outward; row k starts at rowStart[k] and has 1 / L[k, k] last. */
  private readonly packed: Float64Array
  private readonly rowStart: Int32Array
  /** The index of each of them in L. */
  private readonly place: Int32Array

  constructor(model: Model) {
    const { nv, vParent } = model
    this.model = model
    this.ways = new RowWays(model)
    this.elimination = new Elimination(model)
    this.L = new Float64Array(nv * nv)
    this.rowStart = new Int32Array(nv)
    const { depth } = this.ways
    let total = 0
    for (let k = 0; k < nv; k++) {
      this.rowStart[k] = total
      total += depth[k]
    }
    this.packed = new Float64Array(total)
    this.place = new Int32Array(total)
    for (let k = 0; k < nv; k++) {
      for (let j = k; j >= 0; j = vParent[j]) this.place[this.rowStart[k] + depth[j] - 1] = k * nv + j
    }
  }

  begin(data: Data, added: Float64Array): void {
    const { model, elimination, L, packed, place, rowStart, ways } = this
    const { nv } = model
    if (added.length !== nv) throw new RangeError(`added has ${added.length} entries; expected ${nv}.`)
    this.data = data
    crbaOnBranches(model, data)
    elimination.load(data.M, L)
    for (let k = 0; k < nv; k++) L[k * nv + k] += added[k]
    elimination.factorize(L)
    for (let e = 0; e < packed.length; e++) packed[e] = L[place[e]]
    for (let k = 0; k < nv; k++) {
      const e = rowStart[k] + ways.depth[k] - 1
      packed[e] = 1 / packed[e]
    }
  }

  build(rows: RowSet, W: Float64Array): void {
    const { data, ways, model } = this
    if (data === undefined) throw new Error('the contact matrix has no configuration yet; call begin(data, added) first.')
    checkRows(model, rows, W)
    ways.place(rows)
    const { end, start, depth, Y } = ways
    for (let i = 0; i < rows.count; i++) {
      if (end[i] < 0) continue
      if (rows.kind[i] === RowKind.joint) Y[start[i] + 3 * depth[rows.joint[i]] - 3] = rows.sign[i]
      else this.writeJacobian(data.flat.SC, data, rows, i)
      this.halfSolve(i)
    }
    ways.multiply(rows, W)
  }

  /** Writes Jᵀ of entry i, on the velocities that move one of its bodies and not the other. */
  private writeJacobian(S: Float64Array, data: Data, rows: RowSet, i: number): void {
    const { Y, depth, start, otherStart, otherEnd, from } = this.ways
    const { sParent, sLast, vOfS } = this.model
    const { bodyA, bodyB, kind, point, axes, width } = rows
    const a = bodyA[i]
    const b = bodyB[i]
    const t = 9 * i
    const two = width[i] > 1 ? 1 : 0
    const three = width[i] > 2 ? 1 : 0
    const a0 = axes[t]
    const a1 = axes[t + 1]
    const a2 = axes[t + 2]
    const b0 = two * axes[t + 3]
    const b1 = two * axes[t + 4]
    const b2 = two * axes[t + 5]
    const c0 = three * axes[t + 6]
    const c1 = three * axes[t + 7]
    const c2 = three * axes[t + 8]
    const force = kind[i] === RowKind.force
    const meeting = this.meetingMotion(a, b)
    for (let side = 0; side < 2; side++) {
      const body = side === 0 ? b : a
      // the other path has the velocities deeper than the common ones; all the rest are on the first
      const shift = side === 1 && otherEnd[i] >= 0 ? from[i] : 0
      const origin = side === 1 && otherEnd[i] >= 0 ? otherStart[i] - 3 * shift : start[i]
      const sign = side === 0 ? 1 : -1
      const c = 3 * data.center[body]
      const x = point[3 * i] - data.flat.p_WB[c]
      const y = point[3 * i + 1] - data.flat.p_WB[c + 1]
      const z = point[3 * i + 2] - data.flat.p_WB[c + 2]
      for (let s = sLast[body]; s !== meeting; s = sParent[s]) {
        const k = 6 * s
        const wx = sign * S[k]
        const wy = sign * S[k + 1]
        const wz = sign * S[k + 2]
        let vx = wx
        let vy = wy
        let vz = wz
        if (force) {
          vx = sign * S[k + 3] + (wy * z - wz * y)
          vy = sign * S[k + 4] + (wz * x - wx * z)
          vz = sign * S[k + 5] + (wx * y - wy * x)
        }
        const d = depth[vOfS[s]]
        const at = (d > shift ? origin : start[i]) + 3 * (d - 1)
        Y[at] += a0 * vx + a1 * vy + a2 * vz
        Y[at + 1] += b0 * vx + b1 * vy + b2 * vz
        Y[at + 2] += c0 * vx + c1 * vy + c2 * vz
      }
    }
  }

  /** The last motion that moves both bodies, -1 if none. */
  private meetingMotion(bodyA: number, bodyB: number): number {
    const { sParent, sLast } = this.model
    let a = sLast[bodyA]
    let b = sLast[bodyB]
    while (a !== b) {
      if (a > b) a = sParent[a]
      else b = sParent[b]
    }
    return a
  }

  /** Y := L⁻ᵀ Y of entry i: from the tips inward, the other path first. */
  private halfSolve(i: number): void {
    const { packed, rowStart } = this
    const { Y, ends, end, start, otherEnd, otherStart, from, depth } = this.ways
    const { vParent } = this.model
    const first = start[i]
    if (otherEnd[i] >= 0) {
      const shared = from[i]
      let k = ends[otherEnd[i]]
      for (let d = depth[k] - 1; d >= shared; d--, k = vParent[k]) {
        const l = rowStart[k]
        const at = otherStart[i] - 3 * shared
        scale(Y, at + 3 * d, packed, l + d)
        subtract(Y, at + 3 * d, at, packed, l, shared, d)
        subtract(Y, at + 3 * d, first, packed, l, 0, shared)
      }
    }
    let k = ends[end[i]]
    for (let d = depth[k] - 1; d >= 0; d--, k = vParent[k]) {
      scale(Y, first + 3 * d, packed, rowStart[k] + d)
      subtract(Y, first + 3 * d, first, packed, rowStart[k], 0, d)
    }
  }
}

/** Three numbers of Y at `at`, times packed[l]. */
function scale(Y: Float64Array, at: number, packed: Float64Array, l: number): void {
  const f = packed[l]
  Y[at] *= f
  Y[at + 1] *= f
  Y[at + 2] *= f
}

/** Y[start + 3 d] -= packed[l + d] Y[at], three numbers each, for the depths from `low` to `high` - 1. */
function subtract(Y: Float64Array, at: number, start: number, packed: Float64Array, l: number, low: number, high: number): void {
  const y0 = Y[at]
  const y1 = Y[at + 1]
  const y2 = Y[at + 2]
  for (let d = low, y = start + 3 * low; d < high; d++, y += 3) {
    const f = packed[l + d]
    Y[y] -= f * y0
    Y[y + 1] -= f * y1
    Y[y + 2] -= f * y2
  }
}
