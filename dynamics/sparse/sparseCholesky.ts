import { addWork } from '../math/index.ts'
import { checkLength, checkRoom } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import {
  factorizeRange,
  notPositive,
  solveLRange,
  solveLTransposedOnBranch,
  solveLTransposedRange,
  solve as solveTree,
} from './factorization.ts'
import { SparseFactor } from './sparseFactor.ts'
import { SparsePattern, WIDTH } from './sparsePattern.ts'

/**
 * Sparse Cholesky factorisation H = Lᵀ L of a matrix with the pattern of M and couplings, in the mirrored form of Featherstone (2008),
 * section 6.5. Trees without couplings are factored in place by `factorize`, bit for bit as if they were alone; the others as groups
 * (`SparseFactor`), whose part of L is stored here. @unchecked
 */
export class SparseCholesky extends SparsePattern {
  private readonly factor: SparseFactor

  constructor(model: Model) {
    super(model)
    this.factor = new SparseFactor(this, true)
  }

  /**
   * Factors H. The factor of trees without couplings replaces H in place, that of the others is stored here.
   *
   * @param H in and out: nv x nv
   * @throws RangeError if H has not nv x nv entries
   * @throws Error if H is not positive definite
   */
  factorize(H: Float64Array): void {
    const { model, runs, runCount, groupCount, factor } = this
    checkLength('H', H, model.nv * model.nv)
    addWork(this.allFactorWork, 1, 1)
    for (let r = runCount - 1; r >= 0; r--) factorizeRange(model, H, runs[2 * r], runs[2 * r + 1])
    factor.reserve()
    for (let g = 0; g < groupCount; g++) if (factor.factorize(H, g, true) === 0) this.throwNotPositive(g)
  }

  /**
   * `factorize`, by compiled code where there is some.
   *
   * @returns the matrix with the factor in it: H or data.L
   */
  factorIn(data: Data, H: Float64Array): Float64Array {
    const { compiled, L } = data
    if (compiled?.isReady === true && this.coupledCount === 0) {
      this.copyBranches(H, L)
      if (compiled.factorize(this.model)) {
        addWork(this.allFactorWork, 1, 1)
        return L
      }
    }
    this.factorize(H)
    return H
  }

  /** `solve` with what `factorIn` returned. */
  solveIn(data: Data, factor: Float64Array, x: Float64Array): void {
    if (factor === data.L && data.compiled?.solve(x) === true) addWork(this.allSolveWork, 2, 1)
    else this.solve(factor, x)
  }

  /** Throws for the first pivot of group g that is not positive; earlier ones are already square roots. */
  private throwNotPositive(g: number): never {
    const { model, columns, columnStart, factor } = this
    let c = columnStart[g]
    let diagonal = WIDTH * c
    for (; factor.upper[diagonal] > 0; diagonal += WIDTH + 1) c++
    throw notPositive(model, columns[c], factor.upper[diagonal])
  }

  /**
   * x := H⁻¹ x, in place; likewise the two halves below, x := L⁻ᵀ x and x := L⁻¹ x.
   *
   * @param H after `factorize`
   * @param x nv
   * @throws RangeError if H has not nv x nv entries, or x not nv
   */
  solve(H: Float64Array, x: Float64Array): void {
    addWork(this.allSolveWork, 2, 1)
    if (this.coupledCount === 0) solveTree(this.model, H, x)
    else {
      this.solveLTransposed(H, x)
      this.solveL(H, x)
    }
  }

  solveLTransposed(H: Float64Array, x: Float64Array): void {
    const { model, runs, runCount, groupCount, factor } = this
    checkLength('H', H, model.nv * model.nv)
    checkLength('x', x, model.nv)
    for (let r = runCount - 1; r >= 0; r--) solveLTransposedRange(model, H, runs[2 * r], runs[2 * r + 1], x)
    for (let g = 0; g < groupCount; g++) factor.forward(g, 0, x, 0)
  }

  solveL(H: Float64Array, x: Float64Array): void {
    const { model, runs, runCount, groupCount, factor } = this
    checkLength('H', H, model.nv * model.nv)
    checkLength('x', x, model.nv)
    for (let r = 0; r < runCount; r++) solveLRange(model, H, runs[2 * r], runs[2 * r + 1], x)
    for (let g = groupCount - 1; g >= 0; g--) factor.backward(g, x)
  }

  /**
   * x := L⁻ᵀ x for nv numbers at x[offset..] that are nonzero only on `path(first)`, such as the row of a contact whose list of velocities
   * starts with `first`. Only these are read and written, and the result is 0 elsewhere.
   *
   * @param first a velocity, or -1 for none
   * @throws RangeError if H has not nv x nv entries, or if x has too few entries
   */
  solveLTransposedOnPath(H: Float64Array, first: number, x: Float64Array, offset: number): void {
    const { model, treeOfV, isCoupled, groupOfV, rowOfV, width, columnStart, columns, next, factor } = this
    if (first < 0 || isCoupled[treeOfV[first]] === 0) {
      solveLTransposedOnBranch(model, H, first, x, offset)
      return
    }
    checkRoom('x', x, offset, model.nv)
    for (let k = first; k >= 0; ) {
      const g = groupOfV[k]
      factor.forward(g, rowOfV[k], x, offset)
      k = next[columns[columnStart[g] + width[g] - 1]]
    }
  }
}
