import type { Data, Model } from '../../dynamics/index.ts'
import { FactoredMatrix } from './factoredMatrix.ts'
import { RecursiveMatrix } from './recursiveMatrix.ts'
import type { RowSet } from './rowSet.ts'
import { TestForceMatrix } from './testForceMatrix.ts'

export type ContactMatrixName = 'factored' | 'test-forces' | 'recursive'

/**
 * Delassus matrix W = J M~⁻¹ Jᵀ with M~ = M + diag(added), from the factor of M~ or from articulated inertias: the velocity along
 * one row per unit impulse along another. Symmetric to the bit, positive semidefinite.
 *
 * `begin` once a configuration, then `build` for one set of rows after another. Nothing is allocated once the workspace has grown to
 * the largest set of rows.
 */
export interface ContactMatrix {
  readonly name: ContactMatrixName
  /**
   * Sets the configuration from `data`, which is read until the next `begin`; needs `kinematics`. Only `factored` writes its M, none L.
   *
   * @param added nv, not below 0: added to M's diagonal in M~, such as the step times the joints' damping [kg m², kg]
   * @throws RangeError if added has not nv entries
   * @throws Error if M~ is not positive definite
   */
  begin(data: Data, added: Float64Array): void
  /**
   * @param W out: rowCount x rowCount, row-major in the first entries; longer arrays are valid too
   * @throws RangeError if W has too few entries, or if an entry has an unknown body or velocity
   */
  build(rows: RowSet, W: Float64Array): void
}

/** @throws RangeError, except for `factored`, for models with joints following others or floating joints inside trees (`isArticulated`) */
export function createContactMatrix(name: ContactMatrixName, model: Model): ContactMatrix {
  if (name === 'factored') return new FactoredMatrix(model)
  return name === 'recursive' ? new RecursiveMatrix(model) : new TestForceMatrix(model)
}
