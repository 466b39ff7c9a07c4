import { addWork, IslandFactor, type SparseCholesky, solveTreeOfFactor } from '../../dynamics/index.ts'
import type { NewtonProblem } from '../solvers/index.ts'
import type { ContactRows } from './contactRows.ts'
import { IslandRows } from './islandRows.ts'
import type { Islands } from './islands.ts'
import { IslandTree } from './islandTree.ts'
import { sources } from './rowSource.ts'

/**
 * Rows of one island over the velocities of its trees, for the Newton solver. Both maps of `NewtonProblem` are sparse solves, with M~ and
 * with H = M~ + Jᵀ G J, G the Newton blocks of the groups.
 */
export class VelocitySystem extends IslandRows implements NewtonProblem {
  /** nv x nv: M~, its factor, and H. */
  M: Float64Array = new Float64Array(0)
  private L: Float64Array = new Float64Array(0)
  private readonly H: Float64Array
  /** Per tree: 1 while its mass is infinite, so that impulses do not move it; not in islands of one tree. */
  readonly held: Uint8Array
  private readonly islands: Islands
  private readonly factors: IslandFactor
  private readonly pattern: SparseCholesky
  private readonly nv: number
  private island = 0
  private firstTree = 0
  private endTree = 0
  /** nv: scratch velocities; and the inverse diagonal of M~. */
  private readonly x: Float64Array
  private readonly inverseOfM: Float64Array
  /** G J of the current contact, for the velocities of its list, and of the next; G is a 3 x 3 Newton block. */
  private readonly GJ: Float64Array
  /** The velocities on which rows act, in an island of one tree. */
  private readonly tree: IslandTree
  private isSingle = false
  /** Cost in multiply-adds: of a product with J, and of adding Jᵀ G J. */
  private productWork = 0
  private squareWork = 0

  constructor(jacobian: ContactRows, islands: Islands) {
    super(jacobian)
    const { pattern } = jacobian
    const { nv } = pattern.model
    this.islands = islands
    this.pattern = pattern
    this.nv = nv
    this.factors = new IslandFactor(pattern)
    this.H = new Float64Array(nv * nv)
    this.x = new Float64Array(nv)
    this.inverseOfM = new Float64Array(nv)
    this.GJ = new Float64Array(6 * nv)
    this.tree = new IslandTree(pattern)
    this.held = new Uint8Array(pattern.treeCount)
  }

  /**
   * Starts a step whose islands and pattern are known.
   *
   * @param M nv x nv: M~ on the branches of the trees, its lower triangle
   * @param L nv x nv: its factor, `factorize`
   */
  begin(M: Float64Array, L: Float64Array): void {
    const { islands, factors, inverseOfM, nv, held } = this
    this.M = M
    this.L = L
    for (let t = 0; t < held.length; t++) held[t] = 0 // an aborted step may have left entries at 1
    for (let k = 0; k < nv; k++) inverseOfM[k] = 1 / M[k * nv + k]
    factors.begin(islands.count, islands.trees, islands.treeStart)
  }

  /** Starts an island without rows, with capacity for its contacts and other constraints. */
  open(island: number, contacts: number, others: number): void {
    const { treeStart } = this.islands
    this.island = island
    this.firstTree = treeStart[island]
    this.endTree = treeStart[island + 1]
    this.clear(contacts, others)
  }

  /** Completes the island after its last row. @param isSolved false: for products with J alone */
  close(isSolved: boolean): void {
    const { islands, pattern, tree, list, size, groupCount, contactCount } = this
    const { velocities } = this.jacobian
    this.estimateScale()
    if (!isSolved) return
    this.countWork()
    this.isSingle = this.endTree - this.firstTree === 1 && !pattern.couplesTree(islands.trees[this.firstTree])
    if (this.isSingle) {
      tree.begin()
      // the first velocity of a contact's list has all others as ancestors
      for (let g = 0; g < contactCount; g++) tree.add(velocities[list[g]])
      for (let g = contactCount; g < groupCount; g++) for (let c = list[g]; c < list[g] + size[g]; c++) tree.add(velocities[c])
      tree.close(islands.trees[this.firstTree], this.L)
    }
  }

  /** Multiply-adds of a product with J, and of Jᵀ G J. */
  private countWork(): void {
    const { size, contactCount, groupCount } = this
    let product = 0
    let square = 0
    for (let g = 0; g < groupCount; g++) {
      const n = size[g]
      product += g < contactCount ? 3 * n : n
      square += g < contactCount ? 3 * n * (n + 4) : n * n
    }
    this.productWork = product
    this.squareWork = square
  }

  /** scale[g] := mean over the rows of Σ J_k² / M~_kk: their diagonal of W without coupling of velocities. */
  private estimateScale(): void {
    const { inverseOfM, first, start, groupCount, contactCount, scale, list, size, at } = this
    const { J, velocities } = this.jacobian
    let largest = 0
    for (let g = 0; g < groupCount; g++) {
      const isThree = first[g + 1] - first[g] === 3
      const stride = g < contactCount ? 3 : 1
      const end = list[g] + size[g]
      let sum = 0
      for (let c = list[g], e = at[g]; c < end; c++, e += stride) {
        let squares = J[e] * J[e]
        if (isThree) squares += J[e + 1] * J[e + 1] + J[e + 2] * J[e + 2]
        sum += squares * inverseOfM[velocities[c]]
      }
      scale[g] = isThree ? sum / 3 : sum
      if (g >= start[sources.loop] && sum > largest) largest = sum
    }
    // a row without effect, as one normal to the plane of a planar linkage, gets the largest scale
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
    this.solveCoupled(e)
    this.velocitiesOf(this.x, u)
  }

  /** x := H⁻¹ Jᵀ e. */
  private solveCoupled(e: Float64Array): void {
    addWork(this.productWork, 2, 1)
    this.addTransposed(e)
    if (this.isSingle) this.tree.solve(this.x)
    else this.factors.solve(this.island, this.x)
  }

  /** v += M~⁻¹ Jᵀ p. */
  addVelocity(p: Float64Array, v: Float64Array): void {
    this.addTransposed(p)
    this.solveMass()
    this.addSolution(v)
  }

  /** v += H⁻¹ Jᵀ e, with H as factored last. */
  addCoupled(e: Float64Array, v: Float64Array): void {
    this.solveCoupled(e)
    this.addSolution(v)
  }

  /** v += x. */
  private addSolution(v: Float64Array): void {
    const { pattern, islands, x, tree } = this
    const { treeStart, velocitiesOfTrees } = pattern
    if (this.isSingle) tree.followMass(islands.trees[this.firstTree], this.L, x)
    for (let t = this.firstTree; t < this.endTree; t++) {
      for (let i = treeStart[islands.trees[t]]; i < treeStart[islands.trees[t] + 1]; i++) {
        v[velocitiesOfTrees[i]] += x[velocitiesOfTrees[i]]
      }
    }
  }

  /** r += Jᵀ p. @param r nv */
  addImpulse(p: Float64Array, r: Float64Array): void {
    const { first, contactCount, groupCount, list, size, at } = this
    const { J, velocities } = this.jacobian
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      const isThree = first[g + 1] - n === 3
      const stride = g < contactCount ? 3 : 1
      const p1 = isThree ? p[n + 1] : 0
      const p2 = isThree ? p[n + 2] : 0
      if (p[n] === 0 && p1 === 0 && p2 === 0) continue
      for (let c = list[g], e = at[g]; c < list[g] + size[g]; c++, e += stride) {
        r[velocities[c]] += J[e] * p[n]
        if (isThree) r[velocities[c]] += J[e + 1] * p1 + J[e + 2] * p2
      }
    }
  }

  factor(G: Float64Array, isSymmetric: boolean): number {
    const { factors, M, island, islands, firstTree, endTree, tree, groupCount, first } = this
    addWork(this.squareWork, isSymmetric ? 1 : 2, 1)
    if (this.isSingle) tree.load(isSymmetric)
    else factors.load(M, this.H, island, islands.trees, firstTree, endTree)
    for (let g = 0; g < groupCount; g++) {
      if (first[g + 1] - first[g] !== 3) {
        if (G[9 * g] !== 0) this.addOne(G, g, isSymmetric)
      } else if (this.writeProduct(G, g, 0)) {
        const isPair = this.sharesList(g) && this.writeProduct(G, g + 1, 3 * this.size[g])
        if (this.isSingle) this.addToTree(g, isPair, isSymmetric)
        else this.addToMatrix(g, isPair, isSymmetric)
        if (isPair) g++
      }
    }
    if (this.isSingle) return tree.factorize()
    return factors.factorize(this.H, island, isSymmetric)
  }

  /** Whether the next group is a contact with friction too, of the same velocities, so that both are added at once. */
  private sharesList(g: number): boolean {
    const { first, list, size, groupCount } = this
    return g + 1 < groupCount && first[g + 2] - first[g + 1] === 3 && list[g + 1] === list[g] && size[g + 1] === size[g]
  }

  /** GJ, from `to` on, := G J of contact m. @returns false if G is zero */
  private writeProduct(G: Float64Array, m: number, to: number): boolean {
    const { GJ } = this
    const { J } = this.jacobian
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
    if (g0 === 0 && g4 === 0 && g8 === 0 && g3 === 0 && g6 === 0) return false
    const end = to + 3 * this.size[m]
    if (g1 === 0 && g2 === 0 && g3 === 0 && g5 === 0 && g6 === 0 && g7 === 0) {
      for (let a = to, e = this.at[m]; a < end; a += 3, e += 3) {
        GJ[a] = g0 * J[e]
        GJ[a + 1] = g4 * J[e + 1]
        GJ[a + 2] = g8 * J[e + 2]
      }
      return true
    }
    for (let a = to, e = this.at[m]; a < end; a += 3, e += 3) {
      const j0 = J[e]
      const j1 = J[e + 1]
      const j2 = J[e + 2]
      GJ[a] = g0 * j0 + g1 * j1 + g2 * j2
      GJ[a + 1] = g3 * j0 + g4 * j1 + g5 * j2
      GJ[a + 2] = g6 * j0 + g7 * j1 + g8 * j2
    }
    return true
  }

  /**
   * H += Jᵀ G J of contact m, from `GJ`, and of the next one if `isPair`: rows of H, and columns too if G is not symmetric. The contact's list
   * is a velocity and all of its ancestors.
   */
  private addToTree(m: number, isPair: boolean, isSymmetric: boolean): void {
    const { GJ, tree, list } = this
    const { J, velocities } = this.jacobian
    const { chain, diagonal, upper, lower } = tree
    const from = this.at[m]
    const end = 3 * this.size[m]
    if (!isPair) {
      for (let a = 0, c = list[m]; a < end; a += 3, c++) {
        const k = velocities[c]
        const e = from + a
        const j0 = J[e]
        const j1 = J[e + 1]
        const j2 = J[e + 2]
        const x0 = GJ[a]
        const x1 = GJ[a + 1]
        const x2 = GJ[a + 2]
        diagonal[k] += j0 * x0 + j1 * x1 + j2 * x2
        for (let b = a + 3, to = chain[k]; b < end; b += 3, to++) upper[to] += j0 * GJ[b] + j1 * GJ[b + 1] + j2 * GJ[b + 2]
        if (isSymmetric) continue
        for (let b = e + 3, to = chain[k]; b < from + end; b += 3, to++) lower[to] += J[b] * x0 + J[b + 1] * x1 + J[b + 2] * x2
      }
      return
    }
    const next = this.at[m + 1] - from
    for (let a = 0, c = list[m]; a < end; a += 3, c++) {
      const k = velocities[c]
      const e = from + a
      const j0 = J[e]
      const j1 = J[e + 1]
      const j2 = J[e + 2]
      const i0 = J[e + next]
      const i1 = J[e + next + 1]
      const i2 = J[e + next + 2]
      const x0 = GJ[a]
      const x1 = GJ[a + 1]
      const x2 = GJ[a + 2]
      const y0 = GJ[end + a]
      const y1 = GJ[end + a + 1]
      const y2 = GJ[end + a + 2]
      diagonal[k] = diagonal[k] + (j0 * x0 + j1 * x1 + j2 * x2) + (i0 * y0 + i1 * y1 + i2 * y2)
      for (let b = a + 3, to = chain[k]; b < end; b += 3, to++) {
        const d = end + b
        upper[to] = upper[to] + (j0 * GJ[b] + j1 * GJ[b + 1] + j2 * GJ[b + 2]) + (i0 * GJ[d] + i1 * GJ[d + 1] + i2 * GJ[d + 2])
      }
      if (isSymmetric) continue
      for (let b = e + 3, to = chain[k]; b < from + end; b += 3, to++) {
        const d = b + next
        lower[to] = lower[to] + (J[b] * x0 + J[b + 1] * x1 + J[b + 2] * x2) + (J[d] * y0 + J[d + 1] * y1 + J[d + 2] * y2)
      }
    }
  }

  private addToMatrix(m: number, isPair: boolean, isSymmetric: boolean): void {
    const { GJ, H, nv, list } = this
    const { J, velocities } = this.jacobian
    const from = this.at[m]
    const first = list[m]
    const size = this.size[m]
    const end = 3 * size
    const next = isPair ? this.at[m + 1] - from : 0
    for (let a = 0; a < size; a++) {
      const k = velocities[first + a]
      const row = k * nv
      const e = from + 3 * a
      const j0 = J[e]
      const j1 = J[e + 1]
      const j2 = J[e + 2]
      const x0 = GJ[3 * a]
      const x1 = GJ[3 * a + 1]
      const x2 = GJ[3 * a + 2]
      if (!isPair) {
        for (let b = a, d = 3 * a; b < size; b++, d += 3)
          H[row + velocities[first + b]] += j0 * GJ[d] + j1 * GJ[d + 1] + j2 * GJ[d + 2]
        if (isSymmetric) continue
        for (let b = a + 1, d = e + 3; b < size; b++, d += 3)
          H[velocities[first + b] * nv + k] += J[d] * x0 + J[d + 1] * x1 + J[d + 2] * x2
        continue
      }
      const i0 = J[e + next]
      const i1 = J[e + next + 1]
      const i2 = J[e + next + 2]
      for (let b = a, d = 3 * a; b < size; b++, d += 3) {
        const to = row + velocities[first + b]
        const f = end + d
        H[to] = H[to] + (j0 * GJ[d] + j1 * GJ[d + 1] + j2 * GJ[d + 2]) + (i0 * GJ[f] + i1 * GJ[f + 1] + i2 * GJ[f + 2])
      }
      if (isSymmetric) continue
      const y0 = GJ[end + 3 * a]
      const y1 = GJ[end + 3 * a + 1]
      const y2 = GJ[end + 3 * a + 2]
      for (let b = a + 1, d = e + 3; b < size; b++, d += 3) {
        const to = velocities[first + b] * nv + k
        const f = d + next
        H[to] = H[to] + (J[d] * x0 + J[d + 1] * x1 + J[d + 2] * x2) + (J[f] * y0 + J[f + 1] * y1 + J[f + 2] * y2)
      }
    }
  }

  /** H += Jᵀ G J of a group of one row: for each velocity of its list, entries in its row with those after it. */
  private addOne(G: Float64Array, g: number, isSymmetric: boolean): void {
    const { x, H, nv, tree, list, size, at } = this
    const { J, velocities } = this.jacobian
    const { chain, diagonal, upper, lower } = tree
    const stride = g < this.contactCount ? 3 : 1
    const end = list[g] + size[g]
    for (let a = list[g], e = at[g]; a < end; a++, e += stride) x[velocities[a]] = J[e]
    for (let a = list[g]; a < end; a++) {
      const k = velocities[a]
      const y = G[9 * g] * x[k]
      if (this.isSingle) {
        diagonal[k] += y * x[k]
        const depth = chain[k + 1] - chain[k]
        for (let b = a + 1; b < end; b++) {
          const j = velocities[b]
          const to = chain[k] + depth - 1 - (chain[j + 1] - chain[j])
          upper[to] += y * x[j]
          if (!isSymmetric) lower[to] += y * x[j]
        }
        continue
      }
      H[k * nv + k] += y * x[k]
      for (let b = a + 1; b < end; b++) {
        const j = velocities[b]
        H[k * nv + j] += y * x[j]
        if (!isSymmetric) H[j * nv + k] += y * x[j]
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
    const { x, first, contactCount, groupCount, list, size, at, pattern, islands, tree } = this
    const { J, velocities } = this.jacobian
    if (this.isSingle) for (let n = 0; n < tree.size; n++) x[tree.velocity[n]] = 0
    else {
      for (let t = this.firstTree; t < this.endTree; t++) {
        for (let i = pattern.treeStart[islands.trees[t]]; i < pattern.treeStart[islands.trees[t] + 1]; i++) {
          x[pattern.velocitiesOfTrees[i]] = 0
        }
      }
    }
    for (let g = 0; g < groupCount; g++) {
      const r = first[g]
      const end = list[g] + size[g]
      const p0 = p[r]
      if (first[g + 1] - r === 1) {
        if (p0 === 0) continue
        const stride = g < contactCount ? 3 : 1
        for (let c = list[g], e = at[g]; c < end; c++, e += stride) x[velocities[c]] += J[e] * p0
        continue
      }
      const p1 = p[r + 1]
      const p2 = p[r + 2]
      if (p0 === 0 && p1 === 0 && p2 === 0) continue
      if (this.sharesList(g) && p[r + 3] !== 0) {
        const p3 = p[r + 3]
        const p4 = p[r + 4]
        const p5 = p[r + 5]
        for (let c = list[g], e = at[g], d = at[++g]; c < end; c++, e += 3, d += 3) {
          const k = velocities[c]
          x[k] = x[k] + (J[e] * p0 + J[e + 1] * p1 + J[e + 2] * p2) + (J[d] * p3 + J[d + 1] * p4 + J[d + 2] * p5)
        }
        continue
      }
      for (let c = list[g], e = at[g]; c < end; c++, e += 3) {
        x[velocities[c]] += J[e] * p0 + J[e + 1] * p1 + J[e + 2] * p2
      }
    }
  }

  /** u := J v, per row. @param v nv */
  velocitiesOf(v: Float64Array, u: Float64Array): void {
    const { first, contactCount, groupCount, list, size, at } = this
    const { J, velocities } = this.jacobian
    for (let g = 0; g < groupCount; g++) {
      const r = first[g]
      const end = list[g] + size[g]
      let u0 = 0
      if (first[g + 1] - r === 1) {
        const stride = g < contactCount ? 3 : 1
        for (let c = list[g], e = at[g]; c < end; c++, e += stride) u0 += J[e] * v[velocities[c]]
        u[r] = u0
        continue
      }
      let u1 = 0
      let u2 = 0
      if (this.sharesList(g)) {
        let u3 = 0
        let u4 = 0
        let u5 = 0
        for (let c = list[g], e = at[g], d = at[++g]; c < end; c++, e += 3, d += 3) {
          const value = v[velocities[c]]
          u0 += J[e] * value
          u1 += J[e + 1] * value
          u2 += J[e + 2] * value
          u3 += J[d] * value
          u4 += J[d + 1] * value
          u5 += J[d + 2] * value
        }
        u[r] = u0
        u[r + 1] = u1
        u[r + 2] = u2
        u[r + 3] = u3
        u[r + 4] = u4
        u[r + 5] = u5
        continue
      }
      for (let c = list[g], e = at[g]; c < end; c++, e += 3) {
        const value = v[velocities[c]]
        u0 += J[e] * value
        u1 += J[e + 1] * value
        u2 += J[e + 2] * value
      }
      u[r] = u0
      u[r + 1] = u1
      u[r + 2] = u2
    }
  }
}
