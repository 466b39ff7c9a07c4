import { addWork } from '../math/index.ts'
import { checkLength, checkRoom } from '../model/checkLength.ts'
import type { Model } from '../model/model.ts'

/*
 * M = L^T L with L lower triangular, which preserves the branch-induced sparsity of M: L[k, j] is nonzero only if j = k or j is an ancestor
 * of k. Featherstone (2008), section 6.5, with the expanded parent array `vParent`. All matrices are nv x nv row-major. Of L only the
 * non-zeros of the lower triangle are written and read.
 */

// scratch of `factorize`, for the largest nv so far
let pathScratch = new Int32Array(0)
let rowScratch = new Float64Array(0)

/**
 * L := the factor of M. Featherstone (2008), Table 6.3, for up to four velocities k, k - 1, ... at once if each is the next one's child, as
 * in every chain, and for two of their ancestors i at once: a third of the reads and writes of L. @unchecked
 *
 * @param M joint-space inertia; the lower triangle is read
 * @param L out: may be M itself; else its other entries are copied from M
 * @throws RangeError if M or L has not nv x nv entries
 * @throws Error if M is not positive definite
 */
export function factorize(model: Model, M: Float64Array, L: Float64Array): void {
  const { nv } = model
  checkLength('M', M, nv * nv)
  checkLength('L', L, nv * nv)
  addFactorWork(nv)
  if (L !== M) L.set(M)
  factorizeRange(model, L, 0, nv)
}

/** Counts the work of `factorize`. @unchecked */
export function addFactorWork(nv: number): void {
  addWork(nv, (nv >> 1) + 40, 1)
}

/**
 * `factorize` in place for the velocities from `first` to `last` - 1. All their descendants must have been factored before; a joint's
 * velocities must not be split.
 */
export function factorizeRange(model: Model, L: Float64Array, first: number, last: number): void {
  const { nv, vParent } = model
  if (pathScratch.length < nv) {
    pathScratch = new Int32Array(nv)
    rowScratch = new Float64Array(4 * nv)
  }
  const path = pathScratch
  const f = rowScratch

  // path[start..end-1] = k and its ancestors; in a chain the array stays, without its head
  let start = 0
  let end = 0
  for (let k = last - 1; k >= first; ) {
    if (start >= end || path[start] !== k) {
      start = 0
      end = 0
      for (let j = k; j >= 0; j = vParent[j]) path[end++] = j
    }
    let n = 1
    while (n < 4 && start + n < end && path[start + n] === k - n) n++
    start += n

    finishTriangle(model, L, k, n)
    if (n === 4) finishFourRows(L, nv, k, path, start, end, f)
    else finishRows(L, nv, k, n, path, start, end, f)
    if (n > 2) subtractFour(L, nv, path, start, end, f)
    else subtractTwo(L, nv, path, start, end, f)
    k -= n
  }
}

/** Factors the diagonal block of rows k, k - 1, ..., k - n + 1. */
function finishTriangle(model: Model, L: Float64Array, k: number, n: number): void {
  const { nv } = model
  const row0 = k * nv + k
  const row1 = row0 - nv
  const row2 = row1 - nv
  const pivot0 = L[row0]
  if (!(pivot0 > 0)) throw notPositive(model, k, pivot0)
  const L00 = Math.sqrt(pivot0)
  L[row0] = L00
  if (n === 1) return
  const inverse0 = 1 / L00
  const L01 = L[row0 - 1] * inverse0
  const pivot1 = L[row1 - 1] - L01 * L01
  if (!(pivot1 > 0)) throw notPositive(model, k - 1, pivot1)
  const L11 = Math.sqrt(pivot1)
  L[row0 - 1] = L01
  L[row1 - 1] = L11
  if (n === 2) return
  const inverse1 = 1 / L11
  const L02 = L[row0 - 2] * inverse0
  const L12 = (L[row1 - 2] - L01 * L02) * inverse1
  const pivot2 = L[row2 - 2] - L02 * L02 - L12 * L12
  if (!(pivot2 > 0)) throw notPositive(model, k - 2, pivot2)
  const L22 = Math.sqrt(pivot2)
  L[row0 - 2] = L02
  L[row1 - 2] = L12
  L[row2 - 2] = L22
  if (n === 3) return
  const row3 = row2 - nv
  const L03 = L[row0 - 3] * inverse0
  const L13 = (L[row1 - 3] - L01 * L03) * inverse1
  const L23 = (L[row2 - 3] - L02 * L03 - L12 * L13) * (1 / L22)
  const pivot3 = L[row3 - 3] - L03 * L03 - L13 * L13 - L23 * L23
  if (!(pivot3 > 0)) throw notPositive(model, k - 3, pivot3)
  L[row0 - 3] = L03
  L[row1 - 3] = L13
  L[row2 - 3] = L23
  L[row3 - 3] = Math.sqrt(pivot3)
}

/** Computes these rows at the common ancestors: f[4 s + r] = L[k - r, j] for j = path[s], 0 for r >= n as far as read. */
function finishRows(
  L: Float64Array,
  nv: number,
  k: number,
  n: number,
  path: Int32Array,
  start: number,
  end: number,
  f: Float64Array,
): void {
  for (let r = 0; r < n; r++) {
    const row = (k - r) * nv
    const inverse = 1 / L[row + k - r]
    for (let s = start; s < end; s++) {
      const j = path[s]
      let x = L[row + j]
      for (let q = 0; q < r; q++) x -= L[(k - q) * nv + k - r] * f[4 * s + q]
      x *= inverse
      f[4 * s + r] = x
      L[row + j] = x
    }
  }
  const read = n < 3 ? 2 : 4
  for (let r = n; r < read; r++) for (let s = start; s < end; s++) f[4 * s + r] = 0
}

/** `finishRows` for n = 4. */
function finishFourRows(
  L: Float64Array,
  nv: number,
  k: number,
  path: Int32Array,
  start: number,
  end: number,
  f: Float64Array,
): void {
  const row0 = k * nv
  const row1 = row0 - nv
  const row2 = row1 - nv
  const row3 = row2 - nv
  const L01 = L[row0 + k - 1]
  const L02 = L[row0 + k - 2]
  const L03 = L[row0 + k - 3]
  const L12 = L[row1 + k - 2]
  const L13 = L[row1 + k - 3]
  const L23 = L[row2 + k - 3]
  const inverse0 = 1 / L[row0 + k]
  const inverse1 = 1 / L[row1 + k - 1]
  const inverse2 = 1 / L[row2 + k - 2]
  const inverse3 = 1 / L[row3 + k - 3]
  for (let s = start; s < end; s++) {
    const j = path[s]
    const x0 = L[row0 + j] * inverse0
    const x1 = (L[row1 + j] - L01 * x0) * inverse1
    const x2 = (L[row2 + j] - L02 * x0 - L12 * x1) * inverse2
    const x3 = (L[row3 + j] - L03 * x0 - L13 * x1 - L23 * x2) * inverse3
    L[row0 + j] = x0
    L[row1 + j] = x1
    L[row2 + j] = x2
    L[row3 + j] = x3
    f[4 * s] = x0
    f[4 * s + 1] = x1
    f[4 * s + 2] = x2
    f[4 * s + 3] = x3
  }
}

/** L[i, j] -= the sum over the four rows of L[k, i] L[k, j], for each ancestor i, and for j = i and its ancestors; h is i's parent. */
function subtractFour(L: Float64Array, nv: number, path: Int32Array, start: number, end: number, f: Float64Array): void {
  let s = start
  for (; s + 1 < end; s += 2) {
    const rowI = path[s] * nv
    const rowH = path[s + 1] * nv
    const i0 = f[4 * s]
    const i1 = f[4 * s + 1]
    const i2 = f[4 * s + 2]
    const i3 = f[4 * s + 3]
    const h0 = f[4 * s + 4]
    const h1 = f[4 * s + 5]
    const h2 = f[4 * s + 6]
    const h3 = f[4 * s + 7]
    L[rowI + path[s]] -= i0 * i0 + i1 * i1 + (i2 * i2 + i3 * i3)
    for (let t = s + 1; t < end; t++) {
      const j = path[t]
      const j0 = f[4 * t]
      const j1 = f[4 * t + 1]
      const j2 = f[4 * t + 2]
      const j3 = f[4 * t + 3]
      L[rowI + j] -= i0 * j0 + i1 * j1 + (i2 * j2 + i3 * j3)
      L[rowH + j] -= h0 * j0 + h1 * j1 + (h2 * j2 + h3 * j3)
    }
  }
  if (s < end) {
    const i0 = f[4 * s]
    const i1 = f[4 * s + 1]
    const i2 = f[4 * s + 2]
    const i3 = f[4 * s + 3]
    L[path[s] * nv + path[s]] -= i0 * i0 + i1 * i1 + (i2 * i2 + i3 * i3)
  }
}

/** `subtractFour` for one row or two. */
function subtractTwo(L: Float64Array, nv: number, path: Int32Array, start: number, end: number, f: Float64Array): void {
  let s = start
  for (; s + 1 < end; s += 2) {
    const rowI = path[s] * nv
    const rowH = path[s + 1] * nv
    const i0 = f[4 * s]
    const i1 = f[4 * s + 1]
    const h0 = f[4 * s + 4]
    const h1 = f[4 * s + 5]
    L[rowI + path[s]] -= i0 * i0 + i1 * i1
    for (let t = s + 1; t < end; t++) {
      const j = path[t]
      const j0 = f[4 * t]
      const j1 = f[4 * t + 1]
      L[rowI + j] -= i0 * j0 + i1 * j1
      L[rowH + j] -= h0 * j0 + h1 * j1
    }
  }
  if (s < end) L[path[s] * nv + path[s]] -= f[4 * s] * f[4 * s] + f[4 * s + 1] * f[4 * s + 1]
}

/**
 * x := M^-1 x = L^-1 L^-T x, in place. @unchecked
 *
 * @param x nv
 * @throws RangeError if L has not nv x nv entries, or x not nv; likewise both halves below
 */
export function solve(model: Model, L: Float64Array, x: Float64Array): void {
  solveLTransposed(model, L, x)
  solveL(model, L, x)
}

/** x := L^-T x, in place. @unchecked @param x nv */
export function solveLTransposed(model: Model, L: Float64Array, x: Float64Array): void {
  const { nv } = model
  checkLength('L', L, nv * nv)
  checkLength('x', x, nv)
  addWork(nv, 10, 1)
  solveLTransposedRange(model, L, 0, nv, x)
}

/** `solveLTransposed` for the velocities from `first` to `end` - 1, after their descendants. @unchecked */
export function solveLTransposedRange(model: Model, L: Float64Array, first: number, end: number, x: Float64Array): void {
  const { nv, vParent } = model
  for (let k = end - 1; k >= first; k--) {
    const row = k * nv
    const xk = x[k] / L[row + k]
    x[k] = xk
    for (let j = vParent[k]; j >= 0; j = vParent[j]) x[j] -= L[row + j] * xk
  }
}

/** x := L^-1 x, in place. @unchecked @param x nv */
export function solveL(model: Model, L: Float64Array, x: Float64Array): void {
  const { nv } = model
  checkLength('L', L, nv * nv)
  checkLength('x', x, nv)
  addWork(nv, 10, 1)
  solveLRange(model, L, 0, nv, x)
}

/** `solveL` for the velocities from `first` to `end` - 1, after their ancestors. */
export function solveLRange(model: Model, L: Float64Array, first: number, end: number, x: Float64Array): void {
  const { nv, vParent } = model
  for (let k = first; k < end; k++) {
    const row = k * nv
    let sum = x[k]
    for (let j = vParent[k]; j >= 0; j = vParent[j]) sum -= L[row + j] * x[j]
    x[k] = sum / L[row + k]
  }
}

/**
 * x := L^-T x for nv numbers at x[offset..] that are nonzero only on the path from velocity `last` to the root, such as a row of a point's
 * Jacobian with `last = model.vLast[body]`. Only the path is read and written, and the result is 0 elsewhere: 10 operations instead of 400
 * for a finger's row of W = J M^-1 J^T. @unchecked
 *
 * @param last the last velocity of the branch, or -1 for none
 * @throws RangeError if L has not nv x nv entries, or if x has too few entries
 */
export function solveLTransposedOnBranch(model: Model, L: Float64Array, last: number, x: Float64Array, offset: number): void {
  const { nv, vParent } = model
  checkLength('L', L, nv * nv)
  checkRoom('x', x, offset, nv)
  for (let k = last; k >= 0; k = vParent[k]) {
    const row = k * nv
    const xk = x[offset + k] / L[row + k]
    x[offset + k] = xk
    for (let j = vParent[k]; j >= 0; j = vParent[j]) x[offset + j] -= L[row + j] * xk
  }
}

/** The error for a pivot d of velocity k that is not positive. */
export function notPositive(model: Model, k: number, d: number): Error {
  return new Error(
    `factorize: M of model "${model.name}" is not positive definite: pivot ${d} at velocity ${k}, ` +
      `joint "${model.jointName[model.bodyOfV[k]]}". If it is 0 or below, the bodies that this joint carries have no mass ` +
      'to resist it, or M was changed; if it is NaN, the state is not finite.',
  )
}

/** For the compiler: what this file's functions refer to. */
// biome-ignore format: a list
export const factorizationParts = () => ({
  factorize, addFactorWork, factorizeRange, finishTriangle, finishRows, finishFourRows, subtractFour, subtractTwo, notPositive, pathScratch, rowScratch,
  solve, solveLTransposed, solveLTransposedRange, solveL, solveLRange, addWork, checkLength,
})
