import { checkLength } from './checkLength.ts'
import type { Model } from './model.ts'

/*
 * M = L^T L with L lower triangular, which keeps the zeros that the branches of a tree put into M: L[k, j] is not 0 only
 * where j = k or j is an ancestor of k. Featherstone (2008), section 6.5, with the expanded parent array `vParent`.
 * All matrices are nv x nv row-major. Of L the lower triangle is written and read, and of that only what is not 0.
 */

/**
 * L := the factor of M. Featherstone (2008), Table 6.3.
 *
 * @param M joint-space inertia; the lower triangle is read
 * @param L out: may be M itself
 * @throws RangeError if M or L has not nv x nv entries
 * @throws Error if M is not positive definite
 */
export function factorize(model: Model, M: Float64Array, L: Float64Array): void {
  const { nv, vParent } = model
  checkLength('M', M, nv * nv)
  checkLength('L', L, nv * nv)
  if (L !== M) {
    for (let k = 0; k < nv; k++) {
      for (let j = k; j >= 0; j = vParent[j]) L[k * nv + j] = M[k * nv + j]
    }
  }

  for (let k = nv - 1; k >= 0; k--) {
    const row = k * nv
    const d = L[row + k]
    if (!(d > 0)) throw notPositive(model, k, d)
    const root = Math.sqrt(d)
    const inverse = 1 / root
    L[row + k] = root
    for (let i = vParent[k]; i >= 0; i = vParent[i]) L[row + i] *= inverse

    // L[i, j] -= L[k, i] L[k, j] for all ancestors i of k and j of i. Two i go together, so that L[k, j] and vParent[j]
    // are read once for both: 2.7 instead of 4.2 microseconds for a humanoid of 32 velocities.
    let i = vParent[k]
    while (i >= 0) {
      const f = L[row + i]
      const rowI = i * nv
      L[rowI + i] -= f * f
      const h = vParent[i]
      if (h < 0) break
      const g = L[row + h]
      const rowH = h * nv
      for (let j = h; j >= 0; j = vParent[j]) {
        const x = L[row + j]
        L[rowI + j] -= f * x
        L[rowH + j] -= g * x
      }
      i = vParent[h]
    }
  }
}

/** x := M^-1 x = L^-1 L^-T x, in place. @param x nv */
export function solve(model: Model, L: Float64Array, x: Float64Array): void {
  solveLTransposed(model, L, x)
  solveL(model, L, x)
}

/** x := L^-T x, in place. @param x nv */
export function solveLTransposed(model: Model, L: Float64Array, x: Float64Array): void {
  const { nv, vParent } = model
  checkLength('L', L, nv * nv)
  checkLength('x', x, nv)
  for (let k = nv - 1; k >= 0; k--) {
    const row = k * nv
    const xk = x[k] / L[row + k]
    x[k] = xk
    for (let j = vParent[k]; j >= 0; j = vParent[j]) x[j] -= L[row + j] * xk
  }
}

/** x := L^-1 x, in place. @param x nv */
export function solveL(model: Model, L: Float64Array, x: Float64Array): void {
  const { nv, vParent } = model
  checkLength('L', L, nv * nv)
  checkLength('x', x, nv)
  for (let k = 0; k < nv; k++) {
    const row = k * nv
    let sum = x[k]
    for (let j = vParent[k]; j >= 0; j = vParent[j]) sum -= L[row + j] * x[j]
    x[k] = sum / L[row + k]
  }
}

/**
 * x := L^-T x for nv numbers at x[offset..] that are 0 except on the branch from velocity `last` to the root, as a row of a
 * point's Jacobian is with `last = lastVelocity(model, body)`. The result is 0 off that branch too, and nothing there is
 * touched: 10 operations instead of 400 for a finger's row matter when W = J M^-1 J^T is built.
 *
 * @param last the last velocity of the branch, or -1 for none
 */
export function solveLTransposedOnBranch(model: Model, L: Float64Array, last: number, x: Float64Array, offset: number): void {
  const { nv, vParent } = model
  checkLength('L', L, nv * nv)
  for (let k = last; k >= 0; k = vParent[k]) {
    const row = k * nv
    const xk = x[offset + k] / L[row + k]
    x[offset + k] = xk
    for (let j = vParent[k]; j >= 0; j = vParent[j]) x[offset + j] -= L[row + j] * xk
  }
}

/** x := L x, in place. @param x nv */
export function mulL(model: Model, L: Float64Array, x: Float64Array): void {
  const { nv, vParent } = model
  checkLength('L', L, nv * nv)
  checkLength('x', x, nv)
  for (let k = nv - 1; k >= 0; k--) {
    const row = k * nv
    let sum = L[row + k] * x[k]
    for (let j = vParent[k]; j >= 0; j = vParent[j]) sum += L[row + j] * x[j]
    x[k] = sum
  }
}

/** x := L^T x, in place. @param x nv */
export function mulLTransposed(model: Model, L: Float64Array, x: Float64Array): void {
  const { nv, vParent } = model
  checkLength('L', L, nv * nv)
  checkLength('x', x, nv)
  for (let k = 0; k < nv; k++) {
    const row = k * nv
    const xk = x[k]
    x[k] = L[row + k] * xk
    for (let j = vParent[k]; j >= 0; j = vParent[j]) x[j] += L[row + j] * xk
  }
}

/**
 * out = M x, by the entries of M's lower triangle that the branches leave.
 *
 * @param x   nv
 * @param out out: nv, not x itself
 */
export function mulM(model: Model, M: Float64Array, x: Float64Array, out: Float64Array): void {
  const { nv, vParent } = model
  checkLength('M', M, nv * nv)
  checkLength('x', x, nv)
  checkLength('out', out, nv)
  for (let k = 0; k < nv; k++) {
    const row = k * nv
    const xk = x[k]
    let sum = M[row + k] * xk
    for (let j = vParent[k]; j >= 0; j = vParent[j]) {
      sum += M[row + j] * x[j]
      out[j] += M[row + j] * xk
    }
    out[k] = sum
  }
}

function notPositive(model: Model, k: number, d: number): Error {
  return new Error(
    `factorize: M of model "${model.name}" is not positive definite: pivot ${d} at velocity ${k}, ` +
      `joint "${model.jointName[model.bodyOfV[k]]}". If it is 0 or below, the bodies that this joint carries have no mass ` +
      'to resist it, or M was changed; if it is NaN, the state is not finite.',
  )
}
