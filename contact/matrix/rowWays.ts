import type { Model } from '../../dynamics/index.ts'
import { RowKind, type RowSet } from './rowSet.ts'

/**
 * A matrix Y with a column for each row of a `RowSet`, three to an entry, with the branch-induced sparsity of Jᵀ: nonzero only on
 * the supporting paths of the entry's two bodies; and W = Yᵀ Y.
 *
 * A path is identified by its last velocity, its end, and a velocity by its depth on it, so that two paths have their first depths
 * in common and the sums of W run over contiguous numbers.
 */
export class RowWays {
  /** nv: number of velocities from each one to its root, itself included. */
  readonly depth: Int32Array
  /** The rows placed last, and the number of their entries. */
  rows: RowSet | undefined
  count = 0
  /** Per end: its velocity. */
  readonly ends: Int32Array
  /**
   * Per entry: the end of a path, and the start of its part of Y, 3 numbers a velocity, the root's first; and, for two moving bodies,
   * the same for the rest of the other path, from depth `from` + 1 on. -1 where there is none.
   */
  end = new Int32Array(0)
  start = new Int32Array(0)
  otherEnd = new Int32Array(0)
  otherStart = new Int32Array(0)
  from = new Int32Array(0)
  Y = new Float64Array(0)

  private readonly model: Model
  private readonly root: Int32Array
  private endCount = 0
  /** Per velocity: its end, -1 if none. */
  private readonly endOfV: Int32Array
  /** endCount x endCount: number of common velocities of two paths. */
  private common = new Int32Array(0)
  /** 9: the block of W of two entries. */
  private readonly block = new Float64Array(9)

  constructor(model: Model) {
    const { nv, vParent } = model
    this.model = model
    this.depth = new Int32Array(nv)
    this.root = new Int32Array(nv)
    for (let k = 0; k < nv; k++) {
      this.depth[k] = vParent[k] < 0 ? 1 : this.depth[vParent[k]] + 1
      this.root[k] = vParent[k] < 0 ? k : this.root[vParent[k]]
    }
    this.ends = new Int32Array(nv)
    this.endOfV = new Int32Array(nv).fill(-1)
  }

  /** Assigns every entry its paths and its place in Y, and clears Y. */
  place(rows: RowSet): void {
    const { count, kind, bodyA, bodyB, joint } = rows
    const { vLast, sLast } = this.model
    this.rows = rows
    this.reserve(count)
    const { end, start, otherEnd, otherStart, from, ends, endOfV, depth } = this
    for (let e = 0; e < this.endCount; e++) endOfV[ends[e]] = -1
    this.count = count
    this.endCount = 0
    let size = 0
    for (let i = 0; i < count; i++) {
      const ofJoint = kind[i] === RowKind.joint
      const a = ofJoint ? -1 : vLast[bodyA[i]]
      const b = ofJoint ? joint[i] : vLast[bodyB[i]]
      const first = b < 0 ? a : b
      end[i] = -1
      otherEnd[i] = -1
      from[i] = 0
      if (first < 0 || (!ofJoint && sLast[bodyA[i]] === sLast[bodyB[i]])) continue
      end[i] = this.endOf(first)
      start[i] = size
      size += 3 * depth[first]
      if (a < 0 || b < 0) continue
      const shared = this.sharedDepth(a, b)
      from[i] = shared
      if (shared === depth[a]) continue
      otherEnd[i] = this.endOf(a)
      otherStart[i] = size
      size += 3 * (depth[a] - shared)
    }
    if (size > this.Y.length) this.Y = new Float64Array(Math.max(size, 2 * this.Y.length))
    else this.Y.fill(0, 0, size)
    this.shareWays()
  }

  private reserve(count: number): void {
    if (count <= this.end.length) return
    const capacity = Math.max(count, 2 * this.end.length)
    this.end = new Int32Array(capacity)
    this.start = new Int32Array(capacity)
    this.otherEnd = new Int32Array(capacity)
    this.otherStart = new Int32Array(capacity)
    this.from = new Int32Array(capacity)
  }

  private endOf(k: number): number {
    const { endOfV, ends } = this
    if (endOfV[k] < 0) {
      ends[this.endCount] = k
      endOfV[k] = this.endCount++
    }
    return endOfV[k]
  }

  /** Number of common velocities of the paths of a and b. */
  private sharedDepth(a: number, b: number): number {
    const { vParent } = this.model
    if (this.root[a] !== this.root[b]) return 0
    let j = a
    let k = b
    while (j !== k) {
      if (j > k) j = vParent[j]
      else k = vParent[k]
    }
    return j < 0 ? 0 : this.depth[j]
  }

  private shareWays(): void {
    const { endCount: n, ends } = this
    if (n * n > this.common.length) this.common = new Int32Array(4 * n * n)
    const { common } = this
    for (let e = 0; e < n; e++) {
      for (let f = 0; f <= e; f++) {
        const shared = this.sharedDepth(ends[e], ends[f])
        common[e * n + f] = shared
        common[f * n + e] = shared
      }
    }
  }

  /** W := Yᵀ Y. */
  multiply(rows: RowSet, W: Float64Array): void {
    const { block, end, otherEnd, start, common, endCount: n, Y } = this
    const { count, rowCount, firstRow, width } = rows
    for (let i = 0; i < count; i++) {
      const one = otherEnd[i] < 0 && end[i] >= 0
      const plain = one && width[i] === 3
      for (let j = 0; j <= i; j++) {
        const below = firstRow[i] * rowCount + firstRow[j]
        const above = firstRow[j] * rowCount + firstRow[i]
        if (plain && otherEnd[j] < 0 && width[j] === 3 && end[j] >= 0) {
          setProducts(W, below, above, rowCount, Y, start[i], start[j], common[end[i] * n + end[j]])
          continue
        }
        if (one && otherEnd[j] < 0 && end[j] >= 0 && (width[i] === 1 || width[j] === 1)) {
          const depths = common[end[i] * n + end[j]]
          if (width[i] === 1) setRow(W, below, above, 1, rowCount, width[j], Y, start[i], start[j], depths)
          else setRow(W, below, above, rowCount, 1, width[i], Y, start[j], start[i], depths)
          continue
        }
        this.setBlock(i, j)
        for (let r = 0; r < width[i]; r++) {
          for (let s = 0; s < width[j]; s++) {
            W[below + r * rowCount + s] = block[3 * r + s]
            W[above + s * rowCount + r] = block[3 * r + s]
          }
        }
      }
    }
  }

  /** block := Y_iᵀ Y_j, over the common velocities of any two of their paths. */
  private setBlock(i: number, j: number): void {
    const { block, end, otherEnd, start, otherStart, from, common, endCount: n, Y } = this
    block.fill(0)
    if (end[i] < 0 || end[j] < 0) return
    addProducts(block, Y, start[i], start[j], 0, common[end[i] * n + end[j]])
    const a = from[i]
    const b = from[j]
    if (otherEnd[i] >= 0) addProducts(block, Y, otherStart[i] - 3 * a, start[j], a, common[otherEnd[i] * n + end[j]])
    if (otherEnd[j] < 0) return
    addProducts(block, Y, start[i], otherStart[j] - 3 * b, b, common[end[i] * n + otherEnd[j]])
    if (otherEnd[i] < 0) return
    const shared = common[otherEnd[i] * n + otherEnd[j]]
    addProducts(block, Y, otherStart[i] - 3 * a, otherStart[j] - 3 * b, a > b ? a : b, shared)
  }
}

/** Writes the products of one row, at Y[i], with `width` others, at Y[j], to W from `below` on, and transposed from `above` on. */
function setRow(
  W: Float64Array,
  below: number,
  above: number,
  step: number,
  stepAbove: number,
  width: number,
  Y: Float64Array,
  i: number,
  j: number,
  depths: number,
): void {
  let w0 = 0
  let w1 = 0
  let w2 = 0
  const end = i + 3 * depths
  for (let x = i, z = j; x < end; x += 3, z += 3) {
    w0 += Y[x] * Y[z]
    w1 += Y[x] * Y[z + 1]
    w2 += Y[x] * Y[z + 2]
  }
  W[below] = w0
  W[above] = w0
  if (width === 1) return
  W[below + step] = w1
  W[above + stepAbove] = w1
  if (width === 2) return
  W[below + 2 * step] = w2
  W[above + 2 * stepAbove] = w2
}

/** The 3 x 3 block of W at `below`, and its transpose at `above`: the sum of Y[i + 3 d] Y[j + 3 d]ᵀ over the first depths. */
function setProducts(
  W: Float64Array,
  below: number,
  above: number,
  rowCount: number,
  Y: Float64Array,
  i: number,
  j: number,
  depths: number,
): void {
  let w00 = 0
  let w01 = 0
  let w02 = 0
  let w10 = 0
  let w11 = 0
  let w12 = 0
  let w20 = 0
  let w21 = 0
  let w22 = 0
  const end = i + 3 * depths
  for (let x = i, z = j; x < end; x += 3, z += 3) {
    const x0 = Y[x]
    const x1 = Y[x + 1]
    const x2 = Y[x + 2]
    const z0 = Y[z]
    const z1 = Y[z + 1]
    const z2 = Y[z + 2]
    w00 += x0 * z0
    w01 += x0 * z1
    w02 += x0 * z2
    w10 += x1 * z0
    w11 += x1 * z1
    w12 += x1 * z2
    w20 += x2 * z0
    w21 += x2 * z1
    w22 += x2 * z2
  }
  const below1 = below + rowCount
  const below2 = below1 + rowCount
  W[below] = w00
  W[below + 1] = w01
  W[below + 2] = w02
  W[below1] = w10
  W[below1 + 1] = w11
  W[below1 + 2] = w12
  W[below2] = w20
  W[below2 + 1] = w21
  W[below2 + 2] = w22
  const above1 = above + rowCount
  const above2 = above1 + rowCount
  W[above] = w00
  W[above + 1] = w10
  W[above + 2] = w20
  W[above1] = w01
  W[above1 + 1] = w11
  W[above1 + 2] = w21
  W[above2] = w02
  W[above2 + 1] = w12
  W[above2 + 2] = w22
}

/** block (3 x 3) += the sum of Y[i + 3 d] Y[j + 3 d]ᵀ over the depths from `low` to `high` - 1. */
function addProducts(block: Float64Array, Y: Float64Array, i: number, j: number, low: number, high: number): void {
  if (low >= high) return
  let w00 = block[0]
  let w01 = block[1]
  let w02 = block[2]
  let w10 = block[3]
  let w11 = block[4]
  let w12 = block[5]
  let w20 = block[6]
  let w21 = block[7]
  let w22 = block[8]
  const end = i + 3 * high
  for (let x = i + 3 * low, z = j + 3 * low; x < end; x += 3, z += 3) {
    const x0 = Y[x]
    const x1 = Y[x + 1]
    const x2 = Y[x + 2]
    const z0 = Y[z]
    const z1 = Y[z + 1]
    const z2 = Y[z + 2]
    w00 += x0 * z0
    w01 += x0 * z1
    w02 += x0 * z2
    w10 += x1 * z0
    w11 += x1 * z1
    w12 += x1 * z2
    w20 += x2 * z0
    w21 += x2 * z1
    w22 += x2 * z2
  }
  block[0] = w00
  block[1] = w01
  block[2] = w02
  block[3] = w10
  block[4] = w11
  block[5] = w12
  block[6] = w20
  block[7] = w21
  block[8] = w22
}
