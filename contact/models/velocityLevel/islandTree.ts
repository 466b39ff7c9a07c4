import type { Elimination } from '../../../dynamics/index.ts'

/**
 * The velocities of one tree on which an island's rows act, numbered from the tips to the root, and M~ among them with everything else
 * eliminated: for M~ = Lᵀ L with the sparsity of the tree that is L_Pᵀ L_P, L_P the rows and columns of L at these velocities, which include
 * all ancestors of each. A robot on two wheels has eight of its thirty velocities here.
 */
export class IslandTree {
  size = 0
  /** The velocity that each number stands for, and nv: the number of a velocity. */
  readonly velocity: Int32Array
  readonly number: Int32Array
  /** Row k of L_P, and after `load` of H: at the ancestors of k, `ancestors[start[k]]` to `ancestors[start[k + 1] - 1]`. */
  readonly start: Int32Array
  ancestors = new Int32Array(0)
  private L = new Float64Array(0)
  private M = new Float64Array(0)
  H = new Float64Array(0)
  private readonly isIn: Uint8Array
  private readonly pattern: Elimination
  private isSymmetric = true

  constructor(pattern: Elimination) {
    const { nv } = pattern.model
    this.pattern = pattern
    this.velocity = new Int32Array(nv)
    this.number = new Int32Array(nv)
    this.start = new Int32Array(nv + 1)
    this.isIn = new Uint8Array(nv)
  }

  begin(): void {
    const { velocity, isIn } = this
    for (let k = 0; k < this.size; k++) isIn[velocity[k]] = 0
    this.size = 0
  }

  /** Takes in a velocity and its ancestors. */
  add(last: number): void {
    const { isIn } = this
    const { vParent } = this.pattern.model
    for (let k = last; k >= 0 && isIn[k] === 0; k = vParent[k]) isIn[k] = 1
  }

  /** After all have been added: numbers the velocities of a tree. @param L nv x nv: the factor of M~ */
  close(tree: number, L: Float64Array): void {
    const { pattern, isIn, velocity, number, start } = this
    const { model, treeStart, velocitiesOfTrees } = pattern
    const { nv, vParent } = model
    let n = 0
    for (let i = treeStart[tree]; i < treeStart[tree + 1]; i++) {
      const k = velocitiesOfTrees[i]
      if (isIn[k] === 0) continue
      number[k] = n
      velocity[n++] = k
    }
    this.size = n
    if (n * n > this.H.length) {
      this.H = new Float64Array(2 * n * n)
      this.M = new Float64Array(2 * n * n)
      this.L = new Float64Array(2 * n * n)
      this.ancestors = new Int32Array(n * n)
    }
    const { ancestors, M, L: own } = this
    let end = 0
    for (let k = 0; k < n; k++) {
      start[k] = end
      const row = velocity[k] * nv
      own[k * n + k] = L[row + velocity[k]]
      for (let j = vParent[velocity[k]]; j >= 0; j = vParent[j]) {
        own[k * n + number[j]] = L[row + j]
        ancestors[end++] = number[j]
      }
    }
    start[n] = end
    // M := Lᵀ L at rows a and the ancestors of a
    for (let k = 0; k < n; k++) {
      M[k * n + k] = 0
      for (let s = start[k]; s < start[k + 1]; s++) M[k * n + ancestors[s]] = 0
    }
    for (let k = 0; k < n; k++) {
      const row = k * n
      const d = own[row + k]
      M[row + k] += d * d
      for (let s = start[k]; s < start[k + 1]; s++) {
        const a = ancestors[s]
        const x = own[row + a]
        M[row + a] += d * x
        M[a * n + a] += x * x
        for (let t = s + 1; t < start[k + 1]; t++) M[a * n + ancestors[t]] += x * own[row + ancestors[t]]
      }
    }
  }

  /** H := M. */
  load(isSymmetric: boolean): void {
    const { H, M, size: n, start, ancestors } = this
    this.isSymmetric = isSymmetric
    for (let k = 0; k < n; k++) {
      const row = k * n
      H[row + k] = M[row + k]
      for (let s = start[k]; s < start[k + 1]; s++) {
        const a = ancestors[s]
        H[row + a] = M[row + a]
        if (!isSymmetric) H[a * n + k] = M[row + a]
      }
    }
  }

  /** Factors H, as it was loaded and added to. @returns false if it is singular */
  factorize(): boolean {
    const { H, size: n, start, ancestors, isSymmetric } = this
    for (let k = 0; k < n; k++) {
      const row = k * n
      const pivot = H[row + k]
      if (!(Math.abs(pivot) > 0 && Math.abs(pivot) < Number.POSITIVE_INFINITY)) return false
      const inverse = 1 / pivot
      H[row + k] = inverse
      const end = start[k + 1]
      for (let s = start[k]; s < end; s++) {
        const a = ancestors[s]
        const to = a * n
        if (isSymmetric) {
          const l = H[row + a] * inverse
          if (l === 0) continue
          for (let t = s; t < end; t++) H[to + ancestors[t]] -= l * H[row + ancestors[t]]
        } else {
          const l = H[to + k] * inverse
          H[to + k] = l
          if (l === 0) continue
          for (let t = start[k]; t < end; t++) H[to + ancestors[t]] -= l * H[row + ancestors[t]]
        }
      }
    }
    return true
  }

  /** x := H⁻¹ x. */
  solve(x: Float64Array): void {
    const { H, size: n, start, ancestors, isSymmetric } = this
    for (let k = 0; k < n; k++) {
      const row = k * n
      const value = isSymmetric ? x[k] * H[row + k] : x[k]
      for (let s = start[k]; s < start[k + 1]; s++) {
        const a = ancestors[s]
        x[a] -= (isSymmetric ? H[row + a] : H[a * n + k]) * value
      }
    }
    for (let k = n - 1; k >= 0; k--) {
      const row = k * n
      let value = x[k]
      for (let s = start[k]; s < start[k + 1]; s++) value -= H[row + ancestors[s]] * x[ancestors[s]]
      x[k] = value * H[row + k]
    }
  }

  /** x := M⁻¹ x. */
  solveMass(x: Float64Array): void {
    const { L, size: n, start, ancestors } = this
    for (let k = 0; k < n; k++) {
      const row = k * n
      const value = x[k] / L[row + k]
      x[k] = value
      for (let s = start[k]; s < start[k + 1]; s++) x[ancestors[s]] -= L[row + ancestors[s]] * value
    }
    for (let k = n - 1; k >= 0; k--) {
      const row = k * n
      let value = x[k]
      for (let s = start[k]; s < start[k + 1]; s++) value -= L[row + ancestors[s]] * x[ancestors[s]]
      x[k] = value / L[row + k]
    }
  }
}
