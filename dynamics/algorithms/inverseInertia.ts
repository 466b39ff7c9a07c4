import { checkLength } from '../model/checkLength.ts'
import type { Model } from '../model/model.ts'

/*
 * M^-1 J^T and W = J M^-1 J^T for Jacobians of points, by the factor M = L^T L (Featherstone 2008, sections 6.4 and 6.5). A row of J is
 * nonzero only on the paths from its one or two bodies to the root; L^-T preserves this, and the rest of the row is neither read nor
 * written.
 *
 * Rows lie one after another, nv numbers each. `bodies` has two entries a row: the bodies for which `directionRow` was called; 0, the
 * world, for none.
 */

// scratch: the velocities that move a row's bodies, falling
let path = new Int32Array(0)

/**
 * G := L^-T J^T in place, row by row. Then W = J M^-1 J^T = G^T G (`delassusMatrix`), and J v_free + W impulse are the
 * rows' velocities after an impulse. @unchecked
 *
 * @param L      factor of M by `factorize`, nv x nv
 * @param bodies 2 a row, see above
 * @param count  number of rows
 * @param G      in: J, count x nv; out: each row multiplied by L^-T; longer arrays are allowed
 * @throws RangeError if L has not nv x nv entries, or if bodies or G have too few
 */
export function halfSolveTransposedJacobian(
  model: Model,
  L: Float64Array,
  bodies: Int32Array,
  count: number,
  G: Float64Array,
): void {
  const { nv } = model
  checkLength('L', L, nv * nv)
  checkRows(nv, bodies, count, G)
  for (let i = 0; i < count; i++) {
    const row = i * nv
    const end = pathOf(model, bodies[2 * i], bodies[2 * i + 1])
    const velocities = path
    for (let s = 0; s < end; s++) {
      const k = velocities[s]
      const rowL = k * nv
      const x = G[row + k] / L[rowL + k]
      G[row + k] = x
      // with two branches some of these are not on k's path to the root; L is 0 there
      for (let t = s + 1; t < end; t++) G[row + velocities[t]] -= L[rowL + velocities[t]] * x
    }
  }
}

/**
 * W = G^T G = J M^-1 J^T, the Delassus matrix, of the G of `halfSolveTransposedJacobian`: the velocity change along
 * one row by a unit impulse along another. Symmetric, positive semidefinite, of rank nv at most; the inverse of the
 * operational-space inertia where that exists. @unchecked
 *
 * @param W out: count x count, row-major; longer arrays are allowed
 * @throws RangeError if bodies, G or W have too few entries
 */
export function delassusMatrix(model: Model, bodies: Int32Array, count: number, G: Float64Array, W: Float64Array): void {
  const { nv } = model
  checkRows(nv, bodies, count, G)
  if (W.length < count * count) throw tooFew('W', W.length, count * count)
  for (let i = 0; i < count; i++) {
    const row = i * nv
    const end = pathOf(model, bodies[2 * i], bodies[2 * i + 1])
    const velocities = path
    for (let j = 0; j <= i; j++) {
      const other = j * nv
      let sum = 0
      for (let s = 0; s < end; s++) sum += G[row + velocities[s]] * G[other + velocities[s]]
      W[i * count + j] = sum
      W[j * count + i] = sum
    }
  }
}

/**
 * M^-1 J^T in place: each row of J becomes that row's change of all velocities by a unit impulse, M^-1 J_i^T. For W alone
 * `halfSolveTransposedJacobian` does half of the work. @unchecked
 *
 * @param rows in: J, count x nv; out: (M^-1 J^T)^T; longer arrays are allowed
 * @throws RangeError if L has not nv x nv entries, or if bodies or rows have too few
 */
export function solveTransposedJacobian(
  model: Model,
  L: Float64Array,
  bodies: Int32Array,
  count: number,
  rows: Float64Array,
): void {
  const { nv, vParent } = model
  halfSolveTransposedJacobian(model, L, bodies, count, rows)
  for (let i = 0; i < count; i++) {
    const row = i * nv
    for (let k = 0; k < nv; k++) {
      const rowL = k * nv
      let sum = rows[row + k]
      for (let j = vParent[k]; j >= 0; j = vParent[j]) sum -= L[rowL + j] * rows[row + j]
      rows[row + k] = sum / L[rowL + k]
    }
  }
}

/** Fills `path` with the velocities on both bodies' paths to the root, each once, falling. @returns their number */
function pathOf({ nb, nv, vLast, vParent }: Model, bodyA: number, bodyB: number): number {
  if (path.length < nv) path = new Int32Array(nv)
  if (!(bodyA >= 0 && bodyA < nb && bodyB >= 0 && bodyB < nb)) throw noSuchBodies(bodyA, bodyB, nb)
  let a = vLast[bodyA]
  let b = vLast[bodyB]
  let end = 0
  while (a >= 0 || b >= 0) {
    const k = a > b ? a : b
    path[end++] = k
    if (a === k) a = vParent[k]
    if (b === k) b = vParent[k]
  }
  return end
}

function checkRows(nv: number, bodies: Int32Array, count: number, rows: Float64Array): void {
  if (bodies.length < 2 * count) throw tooFew('bodies', bodies.length, 2 * count)
  if (rows.length < count * nv) throw tooFew('the array of rows', rows.length, count * nv)
}

function tooFew(name: string, found: number, expected: number): RangeError {
  return new RangeError(`${name} has ${found} entries; expected at least ${expected}.`)
}

function noSuchBodies(bodyA: number, bodyB: number, nb: number): RangeError {
  return new RangeError(`bodies ${bodyA} and ${bodyB}; expected whole numbers from 0 (the world) to ${nb - 1}.`)
}
