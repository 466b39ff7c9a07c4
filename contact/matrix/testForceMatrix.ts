import { addWork, type Data, type Model } from '../../dynamics/index.ts'
import { ArticulatedResponse } from './articulatedResponse.ts'
import type { ContactMatrix } from './contactMatrix.ts'
import { checkRows, type RowSet } from './rowSet.ts'

/** Multiply-adds of a test force at a joint, inward or outward; and of an entry of W. */
const OF_JOINT = 12
const OF_ENTRY = 6

/**
 * W by test forces: the response of all rows to a unit impulse along one row, propagated inward to the root and outward again by
 * the articulated-body algorithm, is that row's column. Mirtich, Impulse-based dynamic simulation of rigid body systems (1996),
 * section 4.2; Kokkevis, Practical physics for articulated characters (GDC 2004). O(m n) for m rows, after O(n) for the inertias;
 * outward only along paths to bodies with rows.
 *
 * Supports models in which no joint follows another and no floating joint is inside a tree.
 */
export class TestForceMatrix implements ContactMatrix {
  readonly name = 'test-forces'
  private readonly response: ArticulatedResponse
  /** Per velocity: whether it moves a body with rows. And the list of those that do, tree by tree as in `ArticulatedInertias`, rising. */
  private readonly isTouched: Uint8Array
  private readonly touched: Int32Array
  /** Per tree: start of its touched velocities; and its sides as a linked list, -1 at the end. */
  private readonly touchedStart: Int32Array
  private readonly firstSide: Int32Array
  private nextSide = new Int32Array(0)
  private entryOfSide = new Int32Array(0)
  private readonly u: Float64Array
  private readonly dV: Float64Array
  /** Joints that test forces have passed, in or out, since `build` began. */
  private passed = 0

  constructor(model: Model) {
    const { nv } = model
    this.response = new ArticulatedResponse(model, 'test forces')
    const trees = this.response.inertias.treeStart.length - 1
    this.isTouched = new Uint8Array(nv)
    this.touched = new Int32Array(nv)
    this.touchedStart = new Int32Array(trees + 1)
    this.firstSide = new Int32Array(trees)
    this.u = new Float64Array(nv)
    this.dV = new Float64Array(6 * nv + 6)
  }

  begin(data: Data, added: Float64Array): void {
    this.response.begin(data, added)
  }

  build(rows: RowSet, W: Float64Array): void {
    const { response } = this
    const { count, rowCount, width } = rows
    checkRows(response.model, rows, W)
    response.listSides(rows)
    this.touch(count)
    W.fill(0, 0, rowCount * rowCount)
    this.passed = 0
    for (let i = 0; i < count; i++) for (let r = 0; r < width[i]; r++) this.addColumn(rows, i, r, W)
    for (let r = 0; r < rowCount; r++) for (let s = r + 1; s < rowCount; s++) W[r * rowCount + s] = W[s * rowCount + r]
    addWork(this.passed, OF_JOINT, 1)
    addWork(rowCount, rowCount + 1, OF_ENTRY / 2)
  }

  /** Lists the velocities of the outward pass, and the sides of each tree. */
  private touch(count: number): void {
    const { response, isTouched, touched, touchedStart, firstSide } = this
    const { sideStart, sideCount, velocity, inertias } = response
    const { tree, treeStart, velocitiesByTree } = inertias
    const { vParent } = response.model
    if (sideCount > this.nextSide.length) {
      this.nextSide = new Int32Array(2 * sideCount)
      this.entryOfSide = new Int32Array(2 * sideCount)
    }
    const { nextSide, entryOfSide } = this
    isTouched.fill(0)
    firstSide.fill(-1)
    for (let i = count - 1; i >= 0; i--) {
      for (let s = sideStart[i + 1] - 1; s >= sideStart[i]; s--) {
        const t = tree[velocity[s]]
        entryOfSide[s] = i
        nextSide[s] = firstSide[t]
        firstSide[t] = s
        for (let k = velocity[s]; k >= 0 && isTouched[k] === 0; k = vParent[k]) isTouched[k] = 1
      }
    }
    let n = 0
    for (let t = 0; t < firstSide.length; t++) {
      touchedStart[t] = n
      if (firstSide[t] < 0) continue
      for (let e = treeStart[t]; e < treeStart[t + 1]; e++) {
        if (isTouched[velocitiesByTree[e]] !== 0) touched[n++] = velocitiesByTree[e]
      }
    }
    touchedStart[firstSide.length] = n
  }

  /** Writes the response of entry i and all earlier ones to row r of entry i. */
  private addColumn(rows: RowSet, i: number, r: number, W: Float64Array): void {
    const { sideStart, velocity, inertias } = this.response
    const { tree } = inertias
    const start = sideStart[i]
    const end = sideStart[i + 1]
    if (start === end) return
    this.push(start, r)
    const t = tree[velocity[start]]
    // at most two sides
    if (end - start === 2 && tree[velocity[start + 1]] !== t) {
      this.read(rows, t, i, r, W)
      this.push(start + 1, r)
      this.read(rows, tree[velocity[start + 1]], i, r, W)
      return
    }
    if (end - start === 2) this.push(start + 1, r)
    this.read(rows, t, i, r, W)
  }

  /** Inward pass: stores each joint's effort S . f in u, and propagates the remaining force towards the root. */
  private push(side: number, r: number): void {
    const { u, response } = this
    const { inertias, velocity, wrench } = response
    const { flatS: S, flatU: U, Dinv } = inertias
    const { vParent } = response.model
    const w = 18 * side + 6 * r
    let f0 = wrench[w]
    let f1 = wrench[w + 1]
    let f2 = wrench[w + 2]
    let f3 = wrench[w + 3]
    let f4 = wrench[w + 4]
    let f5 = wrench[w + 5]
    for (let k = velocity[side]; k >= 0; k = vParent[k]) {
      this.passed++
      const j = 6 * k
      const s = S[j] * f0 + S[j + 1] * f1 + S[j + 2] * f2 + S[j + 3] * f3 + S[j + 4] * f4 + S[j + 5] * f5
      u[k] += s
      const g = Dinv[k] * s
      f0 -= g * U[j]
      f1 -= g * U[j + 1]
      f2 -= g * U[j + 2]
      f3 -= g * U[j + 3]
      f4 -= g * U[j + 4]
      f5 -= g * U[j + 5]
    }
  }

  /** Outward pass along the paths to all sides of the tree, and from these into column r of entry i. */
  private read(rows: RowSet, t: number, i: number, r: number, W: Float64Array): void {
    const { u, dV, touched, touchedStart, firstSide, nextSide, entryOfSide, response } = this
    const { inertias, velocity, wrench } = response
    const { flatS: S, flatU: U, Dinv, next } = inertias
    const { rowCount, firstRow, width } = rows
    const end = touchedStart[t + 1]
    this.passed += end - touchedStart[t]
    for (let e = touchedStart[t]; e < end; e++) {
      const k = touched[e]
      const j = 6 * k
      const p = 6 * next[k]
      const d0 = dV[p]
      const d1 = dV[p + 1]
      const d2 = dV[p + 2]
      const d3 = dV[p + 3]
      const d4 = dV[p + 4]
      const d5 = dV[p + 5]
      const x = Dinv[k] * (u[k] - (U[j] * d0 + U[j + 1] * d1 + U[j + 2] * d2 + U[j + 3] * d3 + U[j + 4] * d4 + U[j + 5] * d5))
      u[k] = 0
      dV[j] = d0 + S[j] * x
      dV[j + 1] = d1 + S[j + 1] * x
      dV[j + 2] = d2 + S[j + 2] * x
      dV[j + 3] = d3 + S[j + 3] * x
      dV[j + 4] = d4 + S[j + 4] * x
      dV[j + 5] = d5 + S[j + 5] * x
    }
    const column = firstRow[i] + r
    for (let s = firstSide[t]; s >= 0; s = nextSide[s]) {
      const j = entryOfSide[s]
      if (j > i) break
      const d = 6 * velocity[s]
      for (let k = 0; k < width[j]; k++) {
        const row = firstRow[j] + k
        if (row > column) break
        const w = 18 * s + 6 * k
        W[column * rowCount + row] +=
          wrench[w] * dV[d] +
          wrench[w + 1] * dV[d + 1] +
          wrench[w + 2] * dV[d + 2] +
          wrench[w + 3] * dV[d + 3] +
          wrench[w + 4] * dV[d + 4] +
          wrench[w + 5] * dV[d + 5]
      }
    }
  }
}
