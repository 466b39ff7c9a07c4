import { checkLength } from './checkLength.ts'
import type { Model } from './model.ts'

/*
 * M = L^T L with L lower triangular, which keeps the zeros that the branches of a tree put into M: L[k, j] is not 0 only
 * where j = k or j is an ancestor of k. Featherstone (2008), section 6.5, with the expanded parent array `vParent`.
 * All matrices are nv x nv row-major. Of L the lower triangle is written and read, and of that only what is not 0.
 */

// Scratch of `factorize`, as long as the largest nv met.
let pathScratch = new Int32Array(0)
let fScratch = new Float64Array(0)
let gScratch = new Float64Array(0)

/**
 * L := the factor of M. Featherstone (2008), Table 6.3, for a velocity k and its parent p at once where p = k - 1, as along
 * every chain, and for two of their ancestors i at once: a quarter of the reads and writes of L.
 *
 * @param M joint-space inertia; the lower triangle is read
 * @param L out: may be M itself; else its other entries become M's
 * @throws RangeError if M or L has not nv x nv entries
 * @throws Error if M is not positive definite
 */
export function factorize(model: Model, M: Float64Array, L: Float64Array): void {
  const { nv, vParent } = model
  checkLength('M', M, nv * nv)
  checkLength('L', L, nv * nv)
  if (L !== M) L.set(M)
  if (pathScratch.length < nv) {
    pathScratch = new Int32Array(nv)
    fScratch = new Float64Array(nv)
    gScratch = new Float64Array(nv)
  }
  const path = pathScratch
  const f = fScratch
  const g = gScratch

  // path[start..end-1] = k and its ancestors; down a chain it stays, less its head
  let start = 0
  let end = 0
  for (let k = nv - 1; k >= 0; k--) {
    if (start >= end || path[start] !== k) {
      start = 0
      end = 0
      for (let j = k; j >= 0; j = vParent[j]) path[end++] = j
    }
    start++

    const rowK = k * nv
    if (!(L[rowK + k] > 0)) throw notPositive(model, k, L[rowK + k])
    L[rowK + k] = Math.sqrt(L[rowK + k])
    const inverseK = 1 / L[rowK + k]

    // f = L[k, :] and g = L[p, :] at the ancestors of both, done
    const p = k - 1
    if (start < end && path[start] === p) {
      const rowP = p * nv
      const x = L[rowK + p] * inverseK
      const d = L[rowP + p] - x * x
      if (!(d > 0)) throw notPositive(model, p, d)
      L[rowK + p] = x
      L[rowP + p] = Math.sqrt(d)
      const inverseP = 1 / L[rowP + p]
      start++
      for (let s = start; s < end; s++) {
        const j = path[s]
        f[s] = L[rowK + j] * inverseK
        g[s] = (L[rowP + j] - x * f[s]) * inverseP
        L[rowK + j] = f[s]
        L[rowP + j] = g[s]
      }
      k--
    } else {
      for (let s = start; s < end; s++) {
        const j = path[s]
        f[s] = L[rowK + j] * inverseK
        g[s] = 0
        L[rowK + j] = f[s]
      }
    }

    // L[i, j] -= L[k, i] L[k, j] + L[p, i] L[p, j] for each ancestor i, and for j = i and its ancestors; h is i's parent
    let s = start
    for (; s + 1 < end; s += 2) {
      const rowI = path[s] * nv
      const rowH = path[s + 1] * nv
      const fi = f[s]
      const gi = g[s]
      const fh = f[s + 1]
      const gh = g[s + 1]
      L[rowI + path[s]] -= fi * fi + gi * gi
      for (let t = s + 1; t < end; t++) {
        const j = path[t]
        const fj = f[t]
        const gj = g[t]
        L[rowI + j] -= fi * fj + gi * gj
        L[rowH + j] -= fh * fj + gh * gj
      }
    }
    if (s < end) L[path[s] * nv + path[s]] -= f[s] * f[s] + g[s] * g[s]
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

function notPositive(model: Model, k: number, d: number): Error {
  return new Error(
    `factorize: M of model "${model.name}" is not positive definite: pivot ${d} at velocity ${k}, ` +
      `joint "${model.jointName[model.bodyOfV[k]]}". If it is 0 or below, the bodies that this joint carries have no mass ` +
      'to resist it, or M was changed; if it is NaN, the state is not finite.',
  )
}
