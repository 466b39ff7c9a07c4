import type { Data, Model } from '../../dynamics/index.ts'
import { FactoredMatrix } from './factoredMatrix.ts'
import { RecursiveMatrix } from './recursiveMatrix.ts'
import type { RowSet } from './rowSet.ts'
import { TestForceMatrix } from './testForceMatrix.ts'

export type ContactMatrixName = 'factored' | 'test-forces' | 'recursive'

/**
 * W = J M~⁻¹ Jᵀ with M~ = M + diag(added), from the factor of M~ or from articulated inertias: what a unit impulse along one row does to the velocity along another.
 * Symmetric to the bit, positive semidefinite.
 *
 * `begin` once a configuration, then `build` for one set of rows after another. Nothing is allocated once the workspace has grown to the
 * largest set of rows met.
 */
export interface ContactMatrix {
  readonly name: ContactMatrixName
  /**
   * Takes the configuration of `data`, which is kept and read until the next `begin`; needs `kinematics`. Only `factored` writes its M, and none its L.
   *
   * @param added nv, not below 0: what M~ has on its diagonal besides M's, such as the step times the joints' damping [kg m², kg]
   * @throws RangeError if added has not nv entries
   * @throws Error if M~ is not positive definite
   */
  begin(data: Data, added: Float64Array): void
  /**
   * @param W out: rowCount x rowCount, row-major in the first entries; longer arrays are taken too
   * @throws RangeError if W has too few entries, or if an entry names a body or velocity that there is not
   */
  build(rows: RowSet, W: Float64Array): void
}

/** @throws RangeError, unless it is `factored`, if joints of the model follow others, or a floating joint stands inside a tree; see `isArticulated` */
export function createContactMatrix(name: ContactMatrixName, model: Model): ContactMatrix {
  if (name === 'factored') return new FactoredMatrix(model)
  return name === 'recursive' ? new RecursiveMatrix(model) : new TestForceMatrix(model)
}
