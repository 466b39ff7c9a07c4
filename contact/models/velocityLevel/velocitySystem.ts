import { addWork, IslandFactor, type SparseCholesky, solveTreeOfFactor } from '../../../dynamics/index.ts'
import type { LoopRows } from '../../loops/index.ts'
import { type NewtonProblem, spring } from '../../solvers/index.ts'
import type { ContactRows } from '../contactRows.ts'
import type { TurningRows } from '../turningRows.ts'
import type { Islands } from './islands.ts'
import { IslandTree } from './islandTree.ts'
import type { JointRows } from './jointRows.ts'

/**
 * Rows of one island over the velocities of its trees, for the Newton solver: contacts, one or three rows each; then rows of joints; of
 * loops; and of torsional and rolling resistance. The two maps of `NewtonProblem` are solves with M~ and with H = M~ + Jᵀ G J, both sparse.
 */
export class VelocitySystem implements NewtonProblem {
  rowCount = 0
  groupCount = 0
  right = new Float64Array(0)
  soft = new Float64Array(0)
  first = new Int32Array(1)
  kind = new Uint8Array(0)
  limit = new Float64Array(0)
  scale = new Float64Array(0)
  corner = new Float64Array(0)
  springs = new Float64Array(0)

  /** The contacts, joint rows and loop rows of the island, in the order of its groups. */
  contactCount = 0
  contacts = new Int32Array(0)
  jointCount = 0
  jointAt = 0
  loopCount = 0
  loopAt = 0
  turnCount = 0
  turns = new Int32Array(0)
  /** The first row of a joint, of a loop, and of torsion and rolling. */
  jointRow = 0
  loopRow = 0
  turnRow = 0

  private readonly rows: ContactRows
  private readonly joints: JointRows
  private readonly loops: LoopRows
  private readonly loopJ: Float64Array
  private readonly turning: TurningRows
  private readonly islands: Islands
  private readonly factors: IslandFactor
  private readonly pattern: SparseCholesky
  private readonly nv: number
  private island = 0
  private firstTree = 0
  private endTree = 0
  /** nv x nv: M~, its factor, and H. */
  M: Float64Array = new Float64Array(0)
  private L: Float64Array = new Float64Array(0)
  private readonly H: Float64Array
  /** nv: velocities; and the inverse of M~'s diagonal. */
  private readonly x: Float64Array
  private readonly inverseOfM: Float64Array
  /** Of one contact: G J, in the order of its list of velocities. */
  private readonly GJ: Float64Array
  /** Of an island of one tree: its part on which rows act. */
  private readonly tree: IslandTree
  private isSingle = false
  /** Per tree: 1 while it has infinite mass, so that no impulse moves it; not in islands of one tree. */
  readonly held: Uint8Array
  /**
   * Rows of joints, loops and turning, after those of contacts, as `ContactRows` has its own: those of row r have the velocities at[entry[n]] to
   * at[entry[n + 1] - 1], n = r - jointRow, and the numbers J there.
   */
  private entry = new Int32Array(1)
  private at = new Int32Array(0)
  private J = new Float64Array(0)
  /** Multiply-adds: of a product with J, and to add Jᵀ G J. */
  private productWork = 0
  private squareWork = 0

  constructor(
    rows: ContactRows,
    joints: JointRows,
    loops: LoopRows,
    loopJ: Float64Array,
    turning: TurningRows,
    islands: Islands,
  ) {
    const { pattern } = rows
    const { nv } = pattern.model
    this.rows = rows
    this.joints = joints
    this.loops = loops
    this.loopJ = loopJ
    this.turning = turning
    this.islands = islands
    this.pattern = pattern
    this.nv = nv
    this.factors = new IslandFactor(pattern)
    this.H = new Float64Array(nv * nv)
    this.x = new Float64Array(nv)
    this.inverseOfM = new Float64Array(nv)
    this.GJ = new Float64Array(3 * nv)
    this.tree = new IslandTree(pattern)
    this.held = new Uint8Array(pattern.treeCount)
  }

  /**
   * A new step, whose islands and pattern are known.
   *
   * @param M nv x nv: M~ on the branches of the trees, its lower triangle
   * @param L nv x nv: its factor, `factorize`
   */
  begin(M: Float64Array, L: Float64Array): void {
    const { islands, factors, inverseOfM, nv } = this
    this.M = M
    this.L = L
    this.held.fill(0) // an aborted step may have left some
    for (let k = 0; k < nv; k++) inverseOfM[k] = 1 / M[k * nv + k]
    factors.begin(islands.count, islands.trees, islands.treeStart)
  }

  /** Starts an island without rows, with capacity for its contacts. */
  open(island: number): void {
    const { islands } = this
    const { contactStart, jointStart, loopStart, treeStart } = islands
    this.island = island
    this.firstTree = treeStart[island]
    this.endTree = treeStart[island + 1]
    this.jointAt = jointStart[island]
    this.jointCount = jointStart[island + 1] - this.jointAt
    this.loopAt = loopStart[island]
    this.loopCount = loopStart[island + 1] - this.loopAt
    this.reserve(contactStart[island + 1] - contactStart[island])
    this.contactCount = 0
    this.turnCount = 0
    this.rowCount = 0
    this.groupCount = 0
  }

  /** Appends a contact of `width` rows, and its torsional and rolling rows. All other rows come after those of contacts: `close`. */
  addContact(contact: number, width: number): void {
    const { first, count } = this.turning
    this.contacts[this.contactCount++] = contact
    this.first[this.groupCount++] = this.rowCount
    this.rowCount += width
    if (count > 0) for (let j = first[contact]; j < first[contact + 1]; j++) this.turns[this.turnCount++] = j
  }

  close(): void {
    this.jointRow = this.rowCount
    this.loopRow = this.jointRow + this.jointCount
    this.turnRow = this.loopRow + this.loopCount
    for (let n = 0; n < this.jointCount + this.loopCount + this.turnCount; n++) this.first[this.groupCount++] = this.rowCount++
    this.first[this.groupCount] = this.rowCount
    this.gather()
    this.estimate()
  }

  /** The rows of joints, loops, torsion and rolling, and the velocities on which all act. */
  private gather(): void {
    const { islands, rows, joints, loops, pattern, contacts, contactCount, jointCount, loopCount, nv, loopJ, tree } = this
    const { turning, turns, turnCount } = this
    let total = jointCount
    for (let n = 0; n < loopCount; n++) total += loops.size[islands.loops[this.loopAt + n]]
    for (let n = 0; n < turnCount; n++) total += turning.entry[turns[n] + 1] - turning.entry[turns[n]]
    if (total > this.at.length) {
      this.at = new Int32Array(2 * total)
      this.J = new Float64Array(2 * total)
    }
    const { at, J, entry } = this
    let e = 0
    for (let n = 0; n < jointCount; n++, e++) {
      const j = islands.joints[this.jointAt + n]
      entry[n] = e
      at[e] = joints.velocity[j]
      J[e] = joints.sign[j]
    }
    for (let n = 0; n < loopCount; n++) {
      const r = islands.loops[this.loopAt + n]
      entry[jointCount + n] = e
      for (let a = loops.first[r]; a < loops.first[r] + loops.size[r]; a++, e++) {
        at[e] = loops.velocities[a]
        J[e] = loopJ[r * nv + loops.velocities[a]]
      }
    }
    for (let n = 0; n < turnCount; n++) {
      const i = turning.contact[turns[n]]
      entry[jointCount + loopCount + n] = e
      for (let c = 0; c < rows.size[i]; c++, e++) {
        at[e] = rows.velocities[rows.first[i] + c]
        J[e] = turning.J[turning.entry[turns[n]] + c]
      }
    }
    entry[jointCount + loopCount + turnCount] = e
    this.countEntries()
    this.isSingle = this.endTree - this.firstTree === 1 && !pattern.couplesTree(islands.trees[this.firstTree])
    if (!this.isSingle) return
    tree.begin()
    for (let m = 0; m < contactCount; m++) tree.add(rows.velocities[rows.first[contacts[m]]])
    for (let a = 0; a < e; a++) tree.add(at[a])
    tree.close(islands.trees[this.firstTree], this.L)
  }

  /** Multiply-adds of a product with J, and of Jᵀ G J. */
  private countEntries(): void {
    const { rows, contacts, contactCount, groupCount, entry } = this
    let product = 0
    let square = 0
    for (let m = 0; m < contactCount; m++) {
      const size = rows.size[contacts[m]]
      product += 3 * size
      square += 3 * size * (size + 4)
    }
    for (let n = 0; n < groupCount - contactCount; n++) {
      const size = entry[n + 1] - entry[n]
      product += size
      square += size * size
    }
    this.productWork = product
    this.squareWork = square
  }

  /** scale[g] := mean over the rows of Σ J_k² / M~_kk, as if velocities were not coupled. */
  private estimate(): void {
    const { inverseOfM, first, groupCount, scale, entry, at, J, rows, contacts, contactCount, jointCount } = this
    const { velocities } = rows
    for (let m = 0; m < contactCount; m++) {
      const i = contacts[m]
      const isThree = first[m + 1] - first[m] === 3
      const end = rows.first[i] + rows.size[i]
      let sum = 0
      for (let c = rows.first[i], e = 3 * rows.entry[i]; c < end; c++, e += 3) {
        let squares = rows.J[e] * rows.J[e]
        if (isThree) squares += rows.J[e + 1] * rows.J[e + 1] + rows.J[e + 2] * rows.J[e + 2]
        sum += squares * inverseOfM[velocities[c]]
      }
      scale[m] = isThree ? sum / 3 : sum
    }
    let largest = 0
    for (let g = contactCount, n = 0; g < groupCount; g++, n++) {
      let sum = 0
      for (let e = entry[n]; e < entry[n + 1]; e++) sum += J[e] * J[e] * inverseOfM[at[e]]
      scale[g] = sum
      if (n >= jointCount && sum > largest) largest = sum
    }
    // a row that moves nothing, as one across the plane of a planar linkage, gets the largest scale
    for (let g = 0; g < groupCount; g++) if (!(scale[g] > 0)) scale[g] = largest > 0 ? largest : 1
  }

  respond(p: Float64Array, u: Float64Array): void {
    const { x } = this
    addWork(this.productWork, 2, 1)
    this.addTransposed(p)
    this.solveMass()
    this.velocitiesOf(x, u)
  }

  respondCoupled(e: Float64Array, u: Float64Array): void {
    const { x } = this
    addWork(this.productWork, 2, 1)
    this.addTransposed(e)
    if (this.isSingle) this.tree.solve(x)
    else this.factors.solve(this.island, x)
    this.velocitiesOf(x, u)
  }

  /** v += M~⁻¹ Jᵀ p. */
  addVelocity(p: Float64Array, v: Float64Array): void {
    const { pattern, islands, x, tree } = this
    const { treeStart, velocitiesOfTrees } = pattern
    this.addTransposed(p)
    this.solveMass()
    if (this.isSingle) tree.followMass(islands.trees[this.firstTree], this.L, x)
    for (let t = this.firstTree; t < this.endTree; t++) {
      for (let i = treeStart[islands.trees[t]]; i < treeStart[islands.trees[t] + 1]; i++) {
        v[velocitiesOfTrees[i]] += x[velocitiesOfTrees[i]]
      }
    }
  }

  factor(G: Float64Array, isSymmetric: boolean): number {
    const { factors, M, island, islands, firstTree, endTree, tree, contactCount, groupCount, first } = this
    addWork(this.squareWork, isSymmetric ? 1 : 2, 1)
    if (this.isSingle) tree.load(isSymmetric)
    else factors.load(M, this.H, island, islands.trees, firstTree, endTree)
    for (let m = 0; m < contactCount; m++) {
      if (first[m + 1] - first[m] === 3) this.addThree(G, m, isSymmetric)
      else if (G[9 * m] !== 0) this.addNormal(G, m, isSymmetric)
    }
    for (let g = contactCount; g < groupCount; g++) if (G[9 * g] !== 0) this.addOne(G, g, isSymmetric)
    if (this.isSingle) return tree.factorize()
    return factors.factorize(this.H, island, isSymmetric)
  }

  /** H += Jᵀ G J of a contact with friction; the rows of its velocities at those behind them, and their columns if G is not symmetric. */
  private addThree(G: Float64Array, m: number, isSymmetric: boolean): void {
    const { GJ, rows, contacts } = this
    const { J } = rows
    const i = contacts[m]
    const o = 9 * m
    const g0 = G[o]
    const g1 = G[o + 1]
    const g2 = G[o + 2]
    const g3 = G[o + 3]
    const g4 = G[o + 4]
    const g5 = G[o + 5]
    const g6 = G[o + 6]
    const g7 = G[o + 7]
    const g8 = G[o + 8]
    if (g0 === 0 && g4 === 0 && g8 === 0 && g3 === 0 && g6 === 0) return
    const from = 3 * rows.entry[i]
    const end = 3 * rows.size[i]
    if (g1 === 0 && g2 === 0 && g3 === 0 && g5 === 0 && g6 === 0 && g7 === 0) {
      for (let a = 0; a < end; a += 3) {
        GJ[a] = g0 * J[from + a]
        GJ[a + 1] = g4 * J[from + a + 1]
        GJ[a + 2] = g8 * J[from + a + 2]
      }
    } else {
      for (let a = 0; a < end; a += 3) {
        const j0 = J[from + a]
        const j1 = J[from + a + 1]
        const j2 = J[from + a + 2]
        GJ[a] = g0 * j0 + g1 * j1 + g2 * j2
        GJ[a + 1] = g3 * j0 + g4 * j1 + g5 * j2
        GJ[a + 2] = g6 * j0 + g7 * j1 + g8 * j2
      }
    }
    if (this.isSingle) this.addToTree(i, isSymmetric)
    else this.addToMatrix(i, isSymmetric)
  }

  /** The same with `GJ`, where the contact's list is a velocity and all of its ancestors. */
  private addToTree(i: number, isSymmetric: boolean): void {
    const { GJ, rows, tree } = this
    const { J, velocities } = rows
    const { chain, diagonal, upper, lower } = tree
    const from = 3 * rows.entry[i]
    const end = 3 * rows.size[i]
    for (let a = 0, c = rows.first[i]; a < end; a += 3, c++) {
      const k = velocities[c]
      const j0 = J[from + a]
      const j1 = J[from + a + 1]
      const j2 = J[from + a + 2]
      diagonal[k] += j0 * GJ[a] + j1 * GJ[a + 1] + j2 * GJ[a + 2]
      for (let b = a + 3, to = chain[k]; b < end; b += 3, to++) upper[to] += j0 * GJ[b] + j1 * GJ[b + 1] + j2 * GJ[b + 2]
      if (isSymmetric) continue
      const x0 = GJ[a]
      const x1 = GJ[a + 1]
      const x2 = GJ[a + 2]
      for (let b = from + a + 3, to = chain[k]; b < from + end; b += 3, to++)
        lower[to] += J[b] * x0 + J[b + 1] * x1 + J[b + 2] * x2
    }
  }

  private addToMatrix(i: number, isSymmetric: boolean): void {
    const { GJ, rows, H, nv } = this
    const { J, velocities } = rows
    const first = rows.first[i]
    const from = 3 * rows.entry[i]
    const size = rows.size[i]
    for (let a = 0; a < size; a++) {
      const k = velocities[first + a]
      const row = k * nv
      const j0 = J[from + 3 * a]
      const j1 = J[from + 3 * a + 1]
      const j2 = J[from + 3 * a + 2]
      for (let b = a, d = 3 * a; b < size; b++, d += 3)
        H[row + velocities[first + b]] += j0 * GJ[d] + j1 * GJ[d + 1] + j2 * GJ[d + 2]
      if (isSymmetric) continue
      const x0 = GJ[3 * a]
      const x1 = GJ[3 * a + 1]
      const x2 = GJ[3 * a + 2]
      for (let b = a + 1, d = from + 3 * b; b < size; b++, d += 3) {
        H[velocities[first + b] * nv + k] += J[d] * x0 + J[d + 1] * x1 + J[d + 2] * x2
      }
    }
  }

  /** H += Jᵀ G J of a contact without friction. */
  private addNormal(G: Float64Array, m: number, isSymmetric: boolean): void {
    const { rows, contacts, x } = this
    const { J, velocities } = rows
    const i = contacts[m]
    const first = rows.first[i]
    const from = 3 * rows.entry[i]
    for (let a = 0; a < rows.size[i]; a++) x[velocities[first + a]] = J[from + 3 * a]
    this.addRow(G[9 * m], velocities, first, first + rows.size[i], isSymmetric)
  }

  /** H += Jᵀ G J of a row of a joint or a loop. */
  private addOne(G: Float64Array, g: number, isSymmetric: boolean): void {
    const { at, J, entry, x } = this
    const n = g - this.contactCount
    for (let e = entry[n]; e < entry[n + 1]; e++) x[at[e]] = J[e]
    this.addRow(G[9 * g], at, entry[n], entry[n + 1], isSymmetric)
  }

  /** H += g xᵀ x, x a row at the velocities list[start] to list[end - 1], each of which has those behind it in its row of H. */
  private addRow(g: number, list: Int32Array, start: number, end: number, isSymmetric: boolean): void {
    const { x, H, nv, tree } = this
    const { chain, diagonal, upper, lower } = tree
    for (let a = start; a < end; a++) {
      const k = list[a]
      const y = g * x[k]
      if (this.isSingle) {
        diagonal[k] += y * x[k]
        const depth = chain[k + 1] - chain[k]
        for (let b = a + 1; b < end; b++) {
          const to = chain[k] + depth - 1 - (chain[list[b] + 1] - chain[list[b]])
          upper[to] += y * x[list[b]]
          if (!isSymmetric) lower[to] += y * x[list[b]]
        }
        continue
      }
      H[k * nv + k] += y * x[k]
      for (let b = a + 1; b < end; b++) {
        H[k * nv + list[b]] += y * x[list[b]]
        if (!isSymmetric) H[list[b] * nv + k] += y * x[list[b]]
      }
    }
  }

  private solveMass(): void {
    const { pattern, islands, L, x, held } = this
    const { treeStart, velocitiesOfTrees } = pattern
    if (this.isSingle) {
      this.tree.solveMass(x)
      return
    }
    for (let n = this.firstTree; n < this.endTree; n++) {
      const t = islands.trees[n]
      if (held[t] === 0) solveTreeOfFactor(pattern, L, t, x)
      else for (let i = treeStart[t]; i < treeStart[t + 1]; i++) x[velocitiesOfTrees[i]] = 0
    }
  }

  /** x := Jᵀ p. */
  private addTransposed(p: Float64Array): void {
    const { x, J, at, entry, first, contacts, contactCount, groupCount, rows, pattern, islands, tree, jointRow } = this
    const { J: jacobian, velocities } = rows
    if (this.isSingle) for (let n = 0; n < tree.size; n++) x[tree.velocity[n]] = 0
    else {
      for (let t = this.firstTree; t < this.endTree; t++) {
        for (let i = pattern.treeStart[islands.trees[t]]; i < pattern.treeStart[islands.trees[t] + 1]; i++) {
          x[pattern.velocitiesOfTrees[i]] = 0
        }
      }
    }
    for (let m = 0; m < contactCount; m++) {
      const r = first[m]
      const i = contacts[m]
      const end = rows.first[i] + rows.size[i]
      const p0 = p[r]
      if (first[m + 1] - r === 1) {
        if (p0 === 0) continue
        for (let c = rows.first[i], e = 3 * rows.entry[i]; c < end; c++, e += 3) x[velocities[c]] += jacobian[e] * p0
        continue
      }
      const p1 = p[r + 1]
      const p2 = p[r + 2]
      if (p0 === 0 && p1 === 0 && p2 === 0) continue
      for (let c = rows.first[i], e = 3 * rows.entry[i]; c < end; c++, e += 3) {
        x[velocities[c]] += jacobian[e] * p0 + jacobian[e + 1] * p1 + jacobian[e + 2] * p2
      }
    }
    for (let n = 0; n < groupCount - contactCount; n++) {
      const value = p[jointRow + n]
      if (value !== 0) for (let e = entry[n]; e < entry[n + 1]; e++) x[at[e]] += J[e] * value
    }
  }

  /** u := J v, per row. @param v nv */
  velocitiesOf(v: Float64Array, u: Float64Array): void {
    const { J, at, entry, first, contacts, contactCount, groupCount, rows, jointRow } = this
    const { J: jacobian, velocities } = rows
    for (let m = 0; m < contactCount; m++) {
      const r = first[m]
      const i = contacts[m]
      const end = rows.first[i] + rows.size[i]
      let u0 = 0
      let u1 = 0
      let u2 = 0
      for (let c = rows.first[i], e = 3 * rows.entry[i]; c < end; c++, e += 3) {
        const value = v[velocities[c]]
        u0 += jacobian[e] * value
        u1 += jacobian[e + 1] * value
        u2 += jacobian[e + 2] * value
      }
      u[r] = u0
      if (first[m + 1] - r === 1) continue
      u[r + 1] = u1
      u[r + 2] = u2
    }
    for (let n = 0; n < groupCount - contactCount; n++) {
      let sum = 0
      for (let e = entry[n]; e < entry[n + 1]; e++) sum += J[e] * v[at[e]]
      u[jointRow + n] = sum
    }
  }

  private reserve(contacts: number): void {
    if (this.turning.count > this.turns.length) this.turns = new Int32Array(2 * this.turning.count)
    const others = this.jointCount + this.loopCount + this.turning.count
    const groups = contacts + others
    const rows = 3 * contacts + others
    if (contacts > this.contacts.length) this.contacts = new Int32Array(2 * contacts)
    if (rows > this.right.length) {
      this.right = new Float64Array(2 * rows)
      this.soft = new Float64Array(2 * rows)
    }
    if (others >= this.entry.length) this.entry = new Int32Array(2 * others + 1)
    if (groups < this.kind.length) return
    this.first = new Int32Array(2 * groups + 2)
    this.kind = new Uint8Array(2 * groups + 1)
    this.limit = new Float64Array(2 * groups + 1)
    this.scale = new Float64Array(2 * groups + 1)
    this.corner = new Float64Array(4 * groups + 2)
    this.springs = new Float64Array(spring.size * (2 * groups + 1))
  }
}
