import { addWork, type SparseCholesky } from '../../dynamics/index.ts'

/**
 * The velocities of one tree on which an island's rows act, leaves before the root, and M~ with all other velocities eliminated. With M~ =
 * Lᵀ L it is L_Pᵀ L_P, L_P being the rows and columns of L at these velocities, which include all ancestors of each. A robot on two wheels
 * has eight of its thirty velocities here.
 *
 * Row k of such a matrix has its diagonal, and one number for each ancestor of k, nearest first, from chain[k] on. To eliminate row k from
 * an ancestor's row takes contiguous numbers of both.
 */
export class IslandTree {
  /** The velocities, and their number. */
  size = 0
  readonly velocity: Int32Array
  /** nv + 1: start in `ancestors` of the ancestors of velocity k; and the ancestors. */
  readonly chain: Int32Array
  readonly ancestors: Int32Array
  /** Per velocity: diagonal of H, inverted once factored; rows of H above it; and columns if H is not symmetric. */
  readonly diagonal: Float64Array
  readonly upper: Float64Array
  readonly lower: Float64Array
  private readonly isIn: Uint8Array
  private readonly L: Float64Array
  private readonly inverseOfL: Float64Array
  private readonly M: Float64Array
  private readonly diagonalOfM: Float64Array
  private readonly pattern: SparseCholesky
  private isSymmetric = true
  /** Cost in multiply-adds: of half a solve, and of a symmetric factorisation. */
  private solveWork = 0
  private factorWork = 0

  constructor(pattern: SparseCholesky) {
    const { nv, vParent } = pattern.model
    this.pattern = pattern
    this.velocity = new Int32Array(nv)
    this.chain = new Int32Array(nv + 1)
    const list: number[] = []
    for (let k = 0; k < nv; k++) {
      for (let j = vParent[k]; j >= 0; j = vParent[j]) list.push(j)
      this.chain[k + 1] = list.length
    }
    this.ancestors = Int32Array.from(list)
    this.upper = new Float64Array(list.length)
    this.lower = new Float64Array(list.length)
    this.L = new Float64Array(list.length)
    this.M = new Float64Array(list.length)
    this.diagonal = new Float64Array(nv)
    this.diagonalOfM = new Float64Array(nv)
    this.inverseOfL = new Float64Array(nv)
    this.isIn = new Uint8Array(nv)
  }

  begin(): void {
    const { velocity, isIn } = this
    for (let n = 0; n < this.size; n++) isIn[velocity[n]] = 0
    this.size = 0
  }

  /** Adds a velocity and its ancestors. */
  add(last: number): void {
    const { isIn } = this
    const { vParent } = this.pattern.model
    for (let k = last; k >= 0 && isIn[k] === 0; k = vParent[k]) isIn[k] = 1
  }

  /** Completes the tree after the last `add`. @param factor nv x nv: the factor of M~ */
  close(tree: number, factor: Float64Array): void {
    const { pattern, isIn, velocity, chain, ancestors, L, inverseOfL, M, diagonalOfM } = this
    const { model, treeStart, velocitiesOfTrees } = pattern
    const { nv } = model
    let size = 0
    for (let i = treeStart[tree]; i < treeStart[tree + 1]; i++) {
      const k = velocitiesOfTrees[i]
      if (isIn[k] === 0) continue
      velocity[size++] = k
      const row = k * nv
      const d = factor[row + k]
      inverseOfL[k] = 1 / d
      diagonalOfM[k] = d * d
      for (let a = chain[k]; a < chain[k + 1]; a++) {
        const x = factor[row + ancestors[a]]
        L[a] = x
        M[a] = d * x
      }
    }
    this.size = size
    this.solveWork = 0
    this.factorWork = 0
    for (let n = 0; n < size; n++) {
      const depth = chain[velocity[n] + 1] - chain[velocity[n]] + 2
      this.solveWork += depth
      this.factorWork += (depth * depth) >> 1
    }
    addWork(this.factorWork, 2, 1)
    for (let n = 0; n < size; n++) {
      const end = chain[velocity[n] + 1]
      for (let a = chain[velocity[n]]; a < end; a++) {
        const j = ancestors[a]
        const x = L[a]
        diagonalOfM[j] += x * x
        for (let b = a + 1, to = chain[j]; b < end; b++, to++) M[to] += x * L[b]
      }
    }
  }

  /** H := M. */
  load(isSymmetric: boolean): void {
    const { velocity, size, chain, diagonal, upper, lower, M, diagonalOfM } = this
    this.isSymmetric = isSymmetric
    for (let n = 0; n < size; n++) {
      const k = velocity[n]
      diagonal[k] = diagonalOfM[k]
      for (let a = chain[k]; a < chain[k + 1]; a++) upper[a] = M[a]
      if (!isSymmetric) for (let a = chain[k]; a < chain[k + 1]; a++) lower[a] = M[a]
    }
  }

  /** Factors H in place. @returns the sign of its determinant, 0 if singular */
  factorize(): number {
    const { velocity, size, chain, ancestors, diagonal, upper, lower, isSymmetric } = this
    addWork(this.factorWork, isSymmetric ? 1 : 2, 1)
    let sign = 1
    for (let n = 0; n < size; n++) {
      const k = velocity[n]
      const pivot = diagonal[k]
      if (!(Math.abs(pivot) > 0 && Math.abs(pivot) < Number.POSITIVE_INFINITY)) return 0
      if (pivot < 0) sign = -sign
      const inverse = 1 / pivot
      diagonal[k] = inverse
      const end = chain[k + 1]
      if (isSymmetric) {
        for (let a = chain[k]; a < end; a++) {
          const l = upper[a] * inverse
          if (l === 0) continue
          const j = ancestors[a]
          diagonal[j] -= l * upper[a]
          for (let b = a + 1, to = chain[j]; b < end; b++, to++) upper[to] -= l * upper[b]
        }
        continue
      }
      for (let a = chain[k]; a < end; a++) lower[a] *= inverse
      for (let a = chain[k]; a < end; a++) {
        const l = lower[a]
        const u = upper[a]
        const j = ancestors[a]
        diagonal[j] -= l * u
        for (let b = a + 1, to = chain[j]; b < end; b++, to++) {
          upper[to] -= l * upper[b]
          lower[to] -= lower[b] * u
        }
      }
    }
    return sign
  }

  /** x := H⁻¹ x. @param x nv; only the tree's listed velocities are read and written */
  solve(x: Float64Array): void {
    const { velocity, size, chain, ancestors, diagonal, upper, lower, isSymmetric } = this
    addWork(this.solveWork, 2, 1)
    for (let n = 0; n < size; n++) {
      const k = velocity[n]
      const end = chain[k + 1]
      if (isSymmetric) {
        const value = x[k] * diagonal[k]
        for (let a = chain[k]; a < end; a++) x[ancestors[a]] -= upper[a] * value
      } else {
        const value = x[k]
        for (let a = chain[k]; a < end; a++) x[ancestors[a]] -= lower[a] * value
      }
    }
    for (let n = size - 1; n >= 0; n--) {
      const k = velocity[n]
      const end = chain[k + 1]
      let value = x[k]
      for (let a = chain[k]; a < end; a++) value -= upper[a] * x[ancestors[a]]
      x[k] = value * diagonal[k]
    }
  }

  /** x := M⁻¹ x. @param x nv; only the tree's listed velocities are read and written */
  solveMass(x: Float64Array): void {
    const { L, inverseOfL, velocity, size, chain, ancestors } = this
    addWork(this.solveWork, 2, 1)
    for (let n = 0; n < size; n++) {
      const k = velocity[n]
      const end = chain[k + 1]
      const value = x[k] * inverseOfL[k]
      x[k] = value
      for (let a = chain[k]; a < end; a++) x[ancestors[a]] -= L[a] * value
    }
    for (let n = size - 1; n >= 0; n--) {
      const k = velocity[n]
      const end = chain[k + 1]
      let value = x[k]
      for (let a = chain[k]; a < end; a++) value -= L[a] * x[ancestors[a]]
      x[k] = value * inverseOfL[k]
    }
  }

  /** Back-substitutes, after `solveMass`, to the tree's other velocities, on which no row acts. @param factor nv x nv: the factor of M~ */
  followMass(tree: number, factor: Float64Array, x: Float64Array): void {
    const { pattern, isIn, chain, ancestors } = this
    const { model, treeStart, velocitiesOfTrees } = pattern
    const { nv } = model
    for (let i = treeStart[tree + 1] - 1; i >= treeStart[tree]; i--) {
      const k = velocitiesOfTrees[i]
      if (isIn[k] === 1) continue
      const row = k * nv
      let value = 0
      for (let a = chain[k]; a < chain[k + 1]; a++) value -= factor[row + ancestors[a]] * x[ancestors[a]]
      x[k] = value / factor[row + k]
    }
  }
}
