import { type Elimination, IslandFactor, solveTreeOfFactor } from '../../../dynamics/index.ts'
import type { LoopRows } from '../../loops/index.ts'
import type { NewtonProblem } from '../../solvers/index.ts'
import type { ContactRows } from '../contactRows.ts'
import type { Islands } from './islands.ts'
import { IslandTree } from './islandTree.ts'
import type { JointRows } from './jointRows.ts'

/**
 * The rows of one island over the velocities of its trees, as the Newton solver sees them: contacts, one or three rows each; then rows
 * of joints; then of loops. The two maps of `NewtonProblem` are solves with M~ and with H = M~ + Jᵀ G J, both sparse.
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

  /** The contacts, joint rows and loop rows of the island, in the order of its groups. */
  contactCount = 0
  contacts = new Int32Array(0)
  jointCount = 0
  jointAt = 0
  loopCount = 0
  loopAt = 0
  /** The first row of a joint, and of a loop. */
  jointRow = 0
  loopRow = 0

  private readonly rows: ContactRows
  private readonly joints: JointRows
  private readonly loops: LoopRows
  private readonly loopJ: Float64Array
  private readonly islands: Islands
  private readonly factors: IslandFactor
  private readonly pattern: Elimination
  private readonly nv: number
  private island = 0
  private firstTree = 0
  private endTree = 0
  /** nv x nv: M~, its factor, and H. */
  private M: Float64Array = new Float64Array(0)
  private L: Float64Array = new Float64Array(0)
  private readonly H: Float64Array
  /** nv: velocities, of a single tree by their numbers in `tree`. */
  private readonly x: Float64Array
  private readonly work: Float64Array
  /** Of one contact: G J, in the order of its list of velocities. */
  private readonly GJ: Float64Array
  /** Where the island is one tree to itself: its part on which rows act. */
  private readonly tree: IslandTree
  private isSingle = false
  /**
   * Rows as entries one behind the other, in the order of elimination: those of group g are entry[g] to entry[g + 1] - 1, each with its
   * velocity (by its number in `tree` where that serves) and its one or three numbers in the rows, 3 an entry.
   */
  private entry = new Int32Array(1)
  private at = new Int32Array(0)
  private J = new Float64Array(0)

  constructor(rows: ContactRows, joints: JointRows, loops: LoopRows, loopJ: Float64Array, islands: Islands) {
    const { pattern } = rows
    const { nv } = pattern.model
    this.rows = rows
    this.joints = joints
    this.loops = loops
    this.loopJ = loopJ
    this.islands = islands
    this.pattern = pattern
    this.nv = nv
    this.factors = new IslandFactor(pattern)
    this.H = new Float64Array(nv * nv)
    this.x = new Float64Array(nv)
    this.work = new Float64Array(nv)
    this.GJ = new Float64Array(3 * nv)
    this.tree = new IslandTree(pattern)
  }

  /**
   * A new step, whose islands and pattern are known.
   *
   * @param M nv x nv: M~ on the branches of the trees, its lower triangle
   * @param L nv x nv: its factor, `factorize`
   */
  begin(M: Float64Array, L: Float64Array): void {
    const { islands, factors } = this
    this.M = M
    this.L = L
    factors.begin(islands.count, islands.trees, islands.treeStart)
  }

  /** An island without rows yet, with room for so many contacts. */
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
    this.rowCount = 0
    this.groupCount = 0
  }

  /** Appends a contact, of so many rows. Joints and loops come after all contacts: `close`. */
  addContact(contact: number, width: number): void {
    this.contacts[this.contactCount++] = contact
    this.first[this.groupCount++] = this.rowCount
    this.rowCount += width
  }

  close(): void {
    this.jointRow = this.rowCount
    this.loopRow = this.jointRow + this.jointCount
    for (let n = 0; n < this.jointCount + this.loopCount; n++) this.first[this.groupCount++] = this.rowCount++
    this.first[this.groupCount] = this.rowCount
    this.gather()
    this.estimate()
  }

  /** Rows as entries. */
  private gather(): void {
    const { islands, rows, joints, loops, pattern, contacts, contactCount, jointCount, loopCount, first, nv, loopJ, tree } = this
    const { velocities } = rows
    this.isSingle = this.endTree - this.firstTree === 1 && !pattern.couplesTree(islands.trees[this.firstTree])
    let total = jointCount
    for (let m = 0; m < contactCount; m++) total += rows.size[contacts[m]]
    for (let n = 0; n < loopCount; n++) total += loops.size[islands.loops[this.loopAt + n]]
    if (total > this.at.length) {
      this.at = new Int32Array(2 * total)
      this.J = new Float64Array(6 * total)
    }
    if (this.isSingle) {
      tree.begin()
      for (let m = 0; m < contactCount; m++) tree.add(velocities[rows.first[contacts[m]]])
      for (let n = 0; n < jointCount; n++) tree.add(joints.velocity[islands.joints[this.jointAt + n]])
      for (let n = 0; n < loopCount; n++) {
        const r = islands.loops[this.loopAt + n]
        for (let a = loops.first[r]; a < loops.first[r] + loops.size[r]; a++) tree.add(loops.velocities[a])
      }
      tree.close(islands.trees[this.firstTree], this.L)
    }
    const { at, J, entry } = this
    let e = 0
    for (let m = 0; m < contactCount; m++) {
      entry[m] = e
      const i = contacts[m]
      const row = 3 * i * nv
      const isOne = first[m + 1] - first[m] === 1
      for (let c = rows.first[i]; c < rows.first[i] + rows.size[i]; c++, e++) {
        const k = velocities[c]
        at[e] = k
        J[3 * e] = rows.J[row + k]
        J[3 * e + 1] = isOne ? 0 : rows.J[row + nv + k]
        J[3 * e + 2] = isOne ? 0 : rows.J[row + 2 * nv + k]
      }
    }
    for (let n = 0; n < jointCount; n++, e++) {
      const j = islands.joints[this.jointAt + n]
      entry[contactCount + n] = e
      at[e] = joints.velocity[j]
      J[3 * e] = joints.sign[j]
    }
    for (let n = 0; n < loopCount; n++) {
      const r = islands.loops[this.loopAt + n]
      entry[contactCount + jointCount + n] = e
      for (let a = loops.first[r]; a < loops.first[r] + loops.size[r]; a++, e++) {
        at[e] = loops.velocities[a]
        J[3 * e] = loopJ[r * nv + loops.velocities[a]]
      }
    }
    entry[this.groupCount] = e
    if (this.isSingle) for (let i = 0; i < e; i++) at[i] = tree.number[at[i]]
  }

  /** scale[g] := mean over the rows of Σ J_k² / M~_kk, which takes the velocities as if they were not coupled. */
  private estimate(): void {
    const { M, nv, first, groupCount, scale, entry, at, J, tree, isSingle, contactCount, jointCount } = this
    let largest = 0
    for (let g = 0; g < groupCount; g++) {
      const isThree = first[g + 1] - first[g] === 3
      let sum = 0
      for (let e = entry[g]; e < entry[g + 1]; e++) {
        const k = isSingle ? tree.velocity[at[e]] : at[e]
        let squares = J[3 * e] * J[3 * e]
        if (isThree) squares += J[3 * e + 1] * J[3 * e + 1] + J[3 * e + 2] * J[3 * e + 2]
        sum += squares / M[k * nv + k]
      }
      scale[g] = isThree ? sum / 3 : sum
      if (g >= contactCount + jointCount && sum > largest) largest = sum
    }
    // a row that moves nothing, as one across the plane of a planar linkage, is as light as the lightest
    for (let g = 0; g < groupCount; g++) if (!(scale[g] > 0)) scale[g] = largest > 0 ? largest : 1
  }

  respond(p: Float64Array, u: Float64Array): void {
    this.addTransposed(p)
    this.solveMass()
    this.velocities(u)
  }

  respondCoupled(e: Float64Array, u: Float64Array): void {
    const { islands, firstTree, endTree, x } = this
    this.addTransposed(e)
    if (this.isSingle) this.tree.solve(x)
    else this.factors.solve(this.H, this.island, islands.trees, firstTree, endTree, x)
    this.velocities(u)
  }

  /** v += M~⁻¹ Jᵀ p. */
  addVelocity(p: Float64Array, v: Float64Array): void {
    const { pattern, islands, x, tree, work } = this
    this.addTransposed(p)
    let by = x
    if (this.isSingle) {
      by = work
      for (
        let i = pattern.treeStart[islands.trees[this.firstTree]];
        i < pattern.treeStart[islands.trees[this.firstTree] + 1];
        i++
      ) {
        work[pattern.velocitiesOfTrees[i]] = 0
      }
      for (let k = 0; k < tree.size; k++) work[tree.velocity[k]] = x[k]
    }
    for (let t = this.firstTree; t < this.endTree; t++) {
      solveTreeOfFactor(pattern, this.L, islands.trees[t], by)
      for (let i = pattern.treeStart[islands.trees[t]]; i < pattern.treeStart[islands.trees[t] + 1]; i++) {
        const k = pattern.velocitiesOfTrees[i]
        v[k] += by[k]
      }
    }
  }

  /** u := J v, per row, of velocities of all trees. */
  velocitiesOf(v: Float64Array, u: Float64Array): void {
    const { pattern, islands, x, tree } = this
    if (this.isSingle) for (let k = 0; k < tree.size; k++) x[k] = v[tree.velocity[k]]
    else {
      for (let t = this.firstTree; t < this.endTree; t++) {
        for (let i = pattern.treeStart[islands.trees[t]]; i < pattern.treeStart[islands.trees[t] + 1]; i++) {
          const k = pattern.velocitiesOfTrees[i]
          x[k] = v[k]
        }
      }
    }
    this.velocities(u)
  }

  factor(G: Float64Array, isSymmetric: boolean): boolean {
    const { factors, M, island, islands, firstTree, endTree, groupCount, tree } = this
    if (this.isSingle) {
      tree.load(isSymmetric)
      for (let g = 0; g < groupCount; g++) this.addTo(tree.H, tree.size, G, g, isSymmetric)
      return tree.factorize()
    }
    factors.load(M, this.H, island, islands.trees, firstTree, endTree)
    for (let g = 0; g < groupCount; g++) this.addTo(this.H, this.nv, G, g, isSymmetric)
    return factors.factorize(this.H, island, islands.trees, firstTree, endTree, isSymmetric)
  }

  /** H += Jᵀ G J of group g; the rows of its velocities at those behind them, and their columns if G is not symmetric. */
  private addTo(H: Float64Array, n: number, G: Float64Array, g: number, isSymmetric: boolean): void {
    const { GJ, J, at, entry, first } = this
    const from = entry[g]
    const end = entry[g + 1]
    const o = 9 * g
    if (first[g + 1] - first[g] === 1) {
      const w = G[o]
      if (w === 0) return
      for (let a = from; a < end; a++) {
        const row = at[a] * n
        const x = w * J[3 * a]
        H[row + at[a]] += x * J[3 * a]
        for (let b = a + 1; b < end; b++) {
          H[row + at[b]] += x * J[3 * b]
          if (!isSymmetric) H[at[b] * n + at[a]] += x * J[3 * b]
        }
      }
      return
    }
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
    for (let a = from; a < end; a++) {
      const j0 = J[3 * a]
      const j1 = J[3 * a + 1]
      const j2 = J[3 * a + 2]
      const to = 3 * (a - from)
      GJ[to] = g0 * j0 + g1 * j1 + g2 * j2
      GJ[to + 1] = g3 * j0 + g4 * j1 + g5 * j2
      GJ[to + 2] = g6 * j0 + g7 * j1 + g8 * j2
    }
    for (let a = from; a < end; a++) {
      const k = at[a]
      const row = k * n
      const j0 = J[3 * a]
      const j1 = J[3 * a + 1]
      const j2 = J[3 * a + 2]
      const c = 3 * (a - from)
      const x0 = GJ[c]
      const x1 = GJ[c + 1]
      const x2 = GJ[c + 2]
      H[row + k] += j0 * x0 + j1 * x1 + j2 * x2
      if (isSymmetric) {
        for (let b = a + 1, d = c + 3; b < end; b++, d += 3) H[row + at[b]] += j0 * GJ[d] + j1 * GJ[d + 1] + j2 * GJ[d + 2]
        continue
      }
      for (let b = a + 1, d = c + 3; b < end; b++, d += 3) {
        H[row + at[b]] += j0 * GJ[d] + j1 * GJ[d + 1] + j2 * GJ[d + 2]
        H[at[b] * n + k] += J[3 * b] * x0 + J[3 * b + 1] * x1 + J[3 * b + 2] * x2
      }
    }
  }

  private solveMass(): void {
    const { pattern, islands, L, x } = this
    if (this.isSingle) this.tree.solveMass(x)
    else for (let t = this.firstTree; t < this.endTree; t++) solveTreeOfFactor(pattern, L, islands.trees[t], x)
  }

  /** x := Jᵀ p. */
  private addTransposed(p: Float64Array): void {
    const { x, J, at, entry, first, groupCount, pattern, islands } = this
    if (this.isSingle) x.fill(0, 0, this.tree.size)
    else {
      for (let t = this.firstTree; t < this.endTree; t++) {
        for (let i = pattern.treeStart[islands.trees[t]]; i < pattern.treeStart[islands.trees[t] + 1]; i++) {
          x[pattern.velocitiesOfTrees[i]] = 0
        }
      }
    }
    for (let g = 0; g < groupCount; g++) {
      const r = first[g]
      const p0 = p[r]
      if (first[g + 1] - r === 1) {
        if (p0 !== 0) for (let e = entry[g]; e < entry[g + 1]; e++) x[at[e]] += J[3 * e] * p0
        continue
      }
      const p1 = p[r + 1]
      const p2 = p[r + 2]
      if (p0 === 0 && p1 === 0 && p2 === 0) continue
      for (let e = entry[g]; e < entry[g + 1]; e++) x[at[e]] += J[3 * e] * p0 + J[3 * e + 1] * p1 + J[3 * e + 2] * p2
    }
  }

  /** u := J x, per row. */
  private velocities(u: Float64Array): void {
    const { x, J, at, entry, first, groupCount } = this
    for (let g = 0; g < groupCount; g++) {
      const r = first[g]
      let u0 = 0
      if (first[g + 1] - r === 1) {
        for (let e = entry[g]; e < entry[g + 1]; e++) u0 += J[3 * e] * x[at[e]]
        u[r] = u0
        continue
      }
      let u1 = 0
      let u2 = 0
      for (let e = entry[g]; e < entry[g + 1]; e++) {
        const value = x[at[e]]
        u0 += J[3 * e] * value
        u1 += J[3 * e + 1] * value
        u2 += J[3 * e + 2] * value
      }
      u[r] = u0
      u[r + 1] = u1
      u[r + 2] = u2
    }
  }

  private reserve(contacts: number): void {
    const groups = contacts + this.jointCount + this.loopCount
    const rows = 3 * contacts + this.jointCount + this.loopCount
    if (contacts > this.contacts.length) this.contacts = new Int32Array(2 * contacts)
    if (rows > this.right.length) {
      this.right = new Float64Array(2 * rows)
      this.soft = new Float64Array(2 * rows)
    }
    if (groups < this.kind.length) return
    this.first = new Int32Array(2 * groups + 2)
    this.entry = new Int32Array(2 * groups + 2)
    this.kind = new Uint8Array(2 * groups + 1)
    this.limit = new Float64Array(2 * groups + 1)
    this.scale = new Float64Array(2 * groups + 1)
    this.corner = new Float64Array(4 * groups + 2)
  }
}
