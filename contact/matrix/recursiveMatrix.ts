import type { Data, Model } from '../../dynamics/index.ts'
import { ArticulatedResponse } from './articulatedResponse.ts'
import type { ContactMatrix } from './contactMatrix.ts'
import { checkRows, type RowSet } from './rowSet.ts'

/**
 * W recursively, without M, by force propagators: O(n) for the inertias of the articulated-body algorithm, plus the cost of the
 * rows. The bodies with rows, and those where their supporting paths join, are the junctions of a tree that is small for few
 * contacts. Its edges combine the joints between into 6 x 6 matrices, once for all rows. Wensing, Featherstone and Orin, A
 * reduced-order recursive algorithm for the computation of the operational-space inertia matrix (ICRA 2012), the
 * extended-force-propagator algorithm.
 *
 * With the articulated-body algorithm's U, D and S, a force f at a junction x transmits P f to the junction p inward of it and moves
 * x by Theta f while p is fixed. So
 *
 *   u = S . P,  Theta += u u^T / D,  P -= U u^T / D   joint by joint inward, from Theta = 0 and P = 1,
 *   Omega_x = Theta + P^T Omega_p P                   junction by junction outward: response of the free x to f,
 *
 * and where the paths of two wrenches F_i and F_j join in x, W_ij = (P..P F_i) . Omega_x (P..P F_j). For m rows on j junctions
 * O(n) for the inertias and the edges, and O(m² + m j) regardless of depth.
 *
 * Supports models in which no joint follows another and no floating joint is inside a tree.
 */
export class RecursiveMatrix implements ContactMatrix {
  readonly name = 'recursive'
  private readonly response: ArticulatedResponse

  // constant: velocities in preorder, each followed by its descendants, and the start of each tree
  private readonly preorder: Int32Array
  private readonly preorderStart: Int32Array

  // per velocity
  /** 1 if on the path from a side to its root; number of such children; sides of its own. */
  private readonly isTouched: Uint8Array
  private readonly branches: Int32Array
  private readonly ownSides: Int32Array
  /** Its own junction, or the next one inward; -1 if there is none. */
  private readonly junctionOfV: Int32Array
  private readonly touchedTrees: Int32Array
  private readonly isTouchedTree: Uint8Array

  // junctions, in preorder
  private junctionCount = 0
  private readonly nodeOf: Int32Array
  /** The parent junction, -1 if none; and the first one after all descendants. */
  private readonly inward: Int32Array
  private readonly end: Int32Array
  /** The sides of its subtree are sideFirst[x] to sideFirst[end[x]] - 1 in the order of junctions. */
  private readonly sideFirst: Int32Array
  /** 36 each: P by columns; Theta, then Omega. */
  private P = new Float64Array(0)
  private Omega = new Float64Array(0)

  // sides, in the order of junctions: their entries; 18, the wrenches propagated to the current junction
  private entry = new Int32Array(0)
  private G = new Float64Array(0)
  /** 18: Omega G of one side. */
  private readonly T = new Float64Array(18)
  private readonly u = new Float64Array(6)
  private readonly product = new Float64Array(36)

  constructor(model: Model) {
    const { nv } = model
    this.response = new ArticulatedResponse(model, 'recursive')
    const trees = this.response.inertias.treeStart.length - 1
    this.preorder = new Int32Array(nv)
    this.preorderStart = new Int32Array(trees + 1)
    this.orderVelocities(model)
    this.isTouched = new Uint8Array(nv)
    this.branches = new Int32Array(nv)
    this.ownSides = new Int32Array(nv)
    this.junctionOfV = new Int32Array(nv)
    this.touchedTrees = new Int32Array(trees)
    this.isTouchedTree = new Uint8Array(trees)
    this.nodeOf = new Int32Array(nv)
    this.inward = new Int32Array(nv)
    this.end = new Int32Array(nv)
    this.sideFirst = new Int32Array(nv + 1)
  }

  private orderVelocities({ nv, vParent }: Model): void {
    const { tree } = this.response.inertias
    const children: number[][] = Array.from({ length: nv }, () => [])
    const roots: number[] = []
    for (let k = nv - 1; k >= 0; k--) (vParent[k] < 0 ? roots : children[vParent[k]]).push(k)
    let n = 0
    for (let stack = roots; stack.length > 0; ) {
      const k = stack.pop() as number
      if (vParent[k] < 0) this.preorderStart[tree[k]] = n
      this.preorder[n++] = k
      for (const child of children[k]) stack.push(child)
    }
    this.preorderStart[this.preorderStart.length - 1] = nv
  }

  begin(data: Data, added: Float64Array): void {
    this.response.begin(data, added)
  }

  build(rows: RowSet, W: Float64Array): void {
    const { response } = this
    const { rowCount } = rows
    checkRows(response.model, rows, W)
    response.listSides(rows)
    this.findJunctions()
    this.orderSides(rows.count)
    for (let x = 0; x < this.junctionCount; x++) {
      this.makeEdge(x)
      this.makeOmega(x)
    }
    W.fill(0, 0, rowCount * rowCount)
    for (let x = this.junctionCount - 1; x >= 0; x--) this.meetAt(x, rows, W)
    for (let r = 0; r < rowCount; r++) for (let s = r + 1; s < rowCount; s++) W[r * rowCount + s] = W[s * rowCount + r]
  }

  private findJunctions(): void {
    const { response, isTouched, branches, ownSides, junctionOfV, touchedTrees, isTouchedTree, preorder, preorderStart } = this
    const { sideCount, velocity: sideVelocity, inertias } = response
    const { vParent } = response.model
    const { tree } = inertias
    const { nodeOf, inward, end } = this
    isTouched.fill(0)
    isTouchedTree.fill(0)
    branches.fill(0)
    ownSides.fill(0)
    let trees = 0
    for (let s = 0; s < sideCount; s++) {
      const last = sideVelocity[s]
      ownSides[last]++
      for (let k = last; k >= 0 && isTouched[k] === 0; k = vParent[k]) {
        isTouched[k] = 1
        if (vParent[k] >= 0) branches[vParent[k]]++
      }
      if (isTouchedTree[tree[last]] !== 0) continue
      isTouchedTree[tree[last]] = 1
      touchedTrees[trees++] = tree[last]
    }
    let n = 0
    for (let i = 0; i < trees; i++) {
      const t = touchedTrees[i]
      for (let e = preorderStart[t]; e < preorderStart[t + 1]; e++) {
        const k = preorder[e]
        if (isTouched[k] === 0) continue
        const above = vParent[k] < 0 ? -1 : junctionOfV[vParent[k]]
        if (ownSides[k] === 0 && branches[k] < 2) {
          junctionOfV[k] = above
          continue
        }
        junctionOfV[k] = n
        nodeOf[n] = k
        inward[n] = above
        n++
      }
    }
    this.junctionCount = n
    for (let x = 0; x < n; x++) end[x] = x + 1
    for (let x = n - 1; x >= 0; x--) if (inward[x] >= 0 && end[x] > end[inward[x]]) end[inward[x]] = end[x]
    if (36 * n > this.P.length) {
      this.P = new Float64Array(72 * n)
      this.Omega = new Float64Array(72 * n)
    }
  }

  private orderSides(count: number): void {
    const { response, ownSides, junctionCount, nodeOf, sideFirst, junctionOfV } = this
    const { sideCount, sideStart, velocity: sideVelocity, wrench } = response
    if (sideCount > this.entry.length) {
      this.entry = new Int32Array(2 * sideCount)
      this.G = new Float64Array(36 * sideCount)
    }
    const { entry, G } = this
    let n = 0
    for (let x = 0; x < junctionCount; x++) {
      sideFirst[x] = n
      n += ownSides[nodeOf[x]]
      ownSides[nodeOf[x]] = sideFirst[x] // from here on: the place of its next side
    }
    sideFirst[junctionCount] = n
    for (let i = 0; i < count; i++) {
      for (let s = sideStart[i]; s < sideStart[i + 1]; s++) {
        const place = ownSides[nodeOf[junctionOfV[sideVelocity[s]]]]++
        entry[place] = i
        for (let c = 0; c < 18; c++) G[18 * place + c] = wrench[18 * s + c]
      }
    }
  }

  /** P and Theta of the edge from junction x to the one inward, or to the world. */
  private makeEdge(x: number): void {
    const { response, P, Omega: Theta, u, nodeOf, inward } = this
    const { flatS: S, flatU: U, Dinv } = response.inertias
    const { vParent } = response.model
    const o = 36 * x
    for (let c = 0; c < 36; c++) {
      P[o + c] = 0
      Theta[o + c] = 0
    }
    for (let c = 0; c < 6; c++) P[o + 7 * c] = 1
    const stop = inward[x] < 0 ? -1 : nodeOf[inward[x]]
    for (let k = nodeOf[x]; k !== stop; k = vParent[k]) {
      const j = 6 * k
      const d = Dinv[k]
      const s0 = S[j]
      const s1 = S[j + 1]
      const s2 = S[j + 2]
      const s3 = S[j + 3]
      const s4 = S[j + 4]
      const s5 = S[j + 5]
      const g0 = d * U[j]
      const g1 = d * U[j + 1]
      const g2 = d * U[j + 2]
      const g3 = d * U[j + 3]
      const g4 = d * U[j + 4]
      const g5 = d * U[j + 5]
      for (let c = 0; c < 6; c++) {
        const p = o + 6 * c
        const uc = s0 * P[p] + s1 * P[p + 1] + s2 * P[p + 2] + s3 * P[p + 3] + s4 * P[p + 4] + s5 * P[p + 5]
        u[c] = uc
        P[p] -= g0 * uc
        P[p + 1] -= g1 * uc
        P[p + 2] -= g2 * uc
        P[p + 3] -= g3 * uc
        P[p + 4] -= g4 * uc
        P[p + 5] -= g5 * uc
      }
      const u0 = u[0]
      const u1 = u[1]
      const u2 = u[2]
      const u3 = u[3]
      const u4 = u[4]
      const u5 = u[5]
      for (let r = 0; r < 6; r++) {
        const f = d * u[r]
        const t = o + 6 * r
        Theta[t] += f * u0
        Theta[t + 1] += f * u1
        Theta[t + 2] += f * u2
        Theta[t + 3] += f * u3
        Theta[t + 4] += f * u4
        Theta[t + 5] += f * u5
      }
    }
  }

  /** Omega_x = Theta + P^T Omega_p P, in the place of Theta. */
  private makeOmega(x: number): void {
    const { P, Omega, product: A, inward } = this
    if (inward[x] < 0) return
    const o = 36 * x
    const p = 36 * inward[x]
    // A by columns = Omega_p P
    for (let c = 0; c < 6; c++) mulColumn(A, 6 * c, Omega, p, P, o + 6 * c)
    for (let r = 0; r < 6; r++) {
      const a = o + 6 * r
      const p0 = P[a]
      const p1 = P[a + 1]
      const p2 = P[a + 2]
      const p3 = P[a + 3]
      const p4 = P[a + 4]
      const p5 = P[a + 5]
      for (let c = 0; c <= r; c++) {
        const b = 6 * c
        const sum = p0 * A[b] + p1 * A[b + 1] + p2 * A[b + 2] + p3 * A[b + 3] + p4 * A[b + 4] + p5 * A[b + 5]
        const w = Omega[o + 6 * r + c] + sum
        Omega[o + 6 * r + c] = w
        Omega[o + 6 * c + r] = w
      }
    }
  }

  // pairs

  /** Adds all pairs of sides whose paths join at junction x; then propagates all sides to the next junction inward. */
  private meetAt(x: number, rows: RowSet, W: Float64Array): void {
    const { end, sideFirst, inward, P, G } = this
    const last = sideFirst[end[x]]
    for (let s = sideFirst[x]; s < sideFirst[x + 1]; s++) this.meet(s, s, last, x, rows, W)
    for (let child = x + 1; child < end[x] && end[child] < end[x]; child = end[child]) {
      const other = sideFirst[end[child]]
      for (let s = sideFirst[child]; s < other; s++) this.meet(s, other, last, x, rows, W)
    }
    if (inward[x] < 0) return
    for (let g = 18 * sideFirst[x]; g < 18 * last; g += 6) propagate(G, g, P, 36 * x)
  }

  /** Adds side s with the sides from `first` to `last` - 1. */
  private meet(s: number, first: number, last: number, x: number, rows: RowSet, W: Float64Array): void {
    const { entry, G, T, Omega } = this
    const { width, firstRow, rowCount } = rows
    const i = entry[s]
    const rowI = firstRow[i]
    for (let r = 0; r < width[i]; r++) mulColumn(T, 6 * r, Omega, 36 * x, G, 18 * s + 6 * r)
    for (let t = first; t < last; t++) {
      const j = entry[t]
      const rowJ = firstRow[j]
      // below the diagonal
      const toI = rowI > rowJ ? rowCount : 1
      const toJ = rowI > rowJ ? 1 : rowCount
      const at = rowI * toI + rowJ * toJ
      if (width[i] === 3 && width[j] === 3) addProducts(W, at, toI, toJ, T, G, 18 * t)
      else this.addSome(W, at, toI, toJ, 18 * t, width[i], width[j])
      if (i !== j || s === t) continue
      // the two sides of one entry: the transposed block as well
      if (width[i] === 3) addProducts(W, at, toJ, toI, T, G, 18 * t)
      else this.addSome(W, at, toJ, toI, 18 * t, width[i], width[i])
    }
  }

  /** `addProducts` for fewer than three rows. */
  private addSome(W: Float64Array, at: number, toI: number, toJ: number, g: number, widthI: number, widthJ: number): void {
    const { T, G } = this
    for (let r = 0; r < widthI; r++) {
      for (let q = 0; q < widthJ; q++) {
        let sum = 0
        for (let c = 0; c < 6; c++) sum += T[6 * r + c] * G[g + 6 * q + c]
        W[at + r * toI + q * toJ] += sum
      }
    }
  }
}

/** W[at + r toI + q toJ] += T_r . G_q for three wrenches of T and three of G from g on. */
function addProducts(W: Float64Array, at: number, toI: number, toJ: number, T: Float64Array, G: Float64Array, g: number): void {
  let w00 = 0
  let w01 = 0
  let w02 = 0
  let w10 = 0
  let w11 = 0
  let w12 = 0
  let w20 = 0
  let w21 = 0
  let w22 = 0
  for (let c = 0; c < 6; c++) {
    const x0 = T[c]
    const x1 = T[c + 6]
    const x2 = T[c + 12]
    const z0 = G[g + c]
    const z1 = G[g + c + 6]
    const z2 = G[g + c + 12]
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
  W[at] += w00
  W[at + toJ] += w01
  W[at + 2 * toJ] += w02
  const at1 = at + toI
  W[at1] += w10
  W[at1 + toJ] += w11
  W[at1 + 2 * toJ] += w12
  const at2 = at1 + toI
  W[at2] += w20
  W[at2 + toJ] += w21
  W[at2 + 2 * toJ] += w22
}

/** out[a..] = A[m..] x[k..], a symmetric 6 x 6 matrix times a column. */
function mulColumn(out: Float64Array, a: number, A: Float64Array, m: number, x: Float64Array, k: number): void {
  const x0 = x[k]
  const x1 = x[k + 1]
  const x2 = x[k + 2]
  const x3 = x[k + 3]
  const x4 = x[k + 4]
  const x5 = x[k + 5]
  for (let r = 0; r < 6; r++) {
    const c = m + 6 * r
    out[a + r] = A[c] * x0 + A[c + 1] * x1 + A[c + 2] * x2 + A[c + 3] * x3 + A[c + 4] * x4 + A[c + 5] * x5
  }
}

/** Multiplies the wrench at G[g..] by P, which is at P[p..] by columns. */
function propagate(G: Float64Array, g: number, P: Float64Array, p: number): void {
  const x0 = G[g]
  const x1 = G[g + 1]
  const x2 = G[g + 2]
  const x3 = G[g + 3]
  const x4 = G[g + 4]
  const x5 = G[g + 5]
  for (let r = 0; r < 6; r++) {
    const c = p + r
    G[g + r] = P[c] * x0 + P[c + 6] * x1 + P[c + 12] * x2 + P[c + 18] * x3 + P[c + 24] * x4 + P[c + 30] * x5
  }
}
