import type { Data } from '../../dynamics/index.ts'
import type { RowSet } from './rowSet.ts'

export type ExplicitWay = 'test-forces' | 'recursive'
export type ContactMatrixName = 'factored' | ExplicitWay

/**
 * W = J M~⁻¹ Jᵀ with M~ = M + diag(added): what a unit impulse along one row does to the velocity along another. Symmetric to
 * the bit, positive semidefinite.
 *
 * The order of calls is `begin` once a configuration, then `solve` as often as wanted; `build` for a set of rows, then `apply`
 * for the rows of the last `build`. A set of rows may be built without another `begin`, island by island. Nothing is
 * allocated once the workspace has grown to the largest set of rows met.
 */
export interface ContactMatrix {
  readonly name: ContactMatrixName
  /**
   * Takes the configuration of `data`, which is kept and read until the next `begin`; needs `kinematics`. `factored` runs
   * `crbaOnBranches` and so writes data.M; the others leave M and L alone and take data made by `createDataWithoutM`.
   *
   * @param added nv, not below 0: what M~ has on its diagonal besides M's, such as the step times the joints' damping [kg m², kg]
   * @throws RangeError if added has not nv entries
   * @throws Error if M~ is not positive definite
   */
  begin(data: Data, added: Float64Array): void
  /**
   * x := M~⁻¹ x, in place.
   *
   * @param x nv
   * @throws RangeError if x has not nv entries
   */
  solve(x: Float64Array): void
  /**
   * @param W out: rowCount x rowCount, row-major in the first entries; longer arrays are taken too
   * @throws RangeError if W has too few entries, or if an entry names a body or velocity that there is not
   */
  build(rows: RowSet, W: Float64Array): void
  /**
   * dv += M~⁻¹ Jᵀ p for the rows of the last `build`.
   *
   * @param p  rowCount or more [N s, N m s]; forces give accelerations
   * @param dv in and out: nv
   * @throws RangeError if p has fewer than rowCount entries, or dv not nv
   */
  apply(p: Float64Array, dv: Float64Array): void
  /**
   * u = J v, of any rows.
   *
   * @param v nv
   * @param u out: rowCount or more [m/s, rad/s]
   * @throws RangeError if v has not nv entries, or u fewer than rowCount
   */
  velocity(rows: RowSet, v: Float64Array, u: Float64Array): void
}

/** What to throw before the first `begin`. */
export function notBegun(): Error {
  return new Error('the contact matrix has no configuration yet; call begin(data, added) first.')
}

/** What to throw before the first `build`. */
export function notBuilt(): Error {
  return new Error('the contact matrix has no rows yet; call build(rows, W) first.')
}

/** @throws RangeError if `array` has fewer than `length` entries */
export function checkAtLeast(name: string, array: Float64Array, length: number): void {
  if (array.length < length) throw tooFew(name, array.length, length)
}

function tooFew(name: string, found: number, expected: number): RangeError {
  return new RangeError(`${name} has ${found} entries; expected at least ${expected}.`)
}

/** @throws RangeError if `array` has not `length` entries */
export function checkExactly(name: string, array: Float64Array, length: number): void {
  if (array.length !== length) throw wrongLength(name, array.length, length)
}

function wrongLength(name: string, found: number, expected: number): RangeError {
  return new RangeError(`${name} has ${found} entries, but this model has ${expected} velocities.`)
}
