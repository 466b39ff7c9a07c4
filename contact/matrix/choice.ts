import type { Model } from '../../dynamics/index.ts'
import { isArticulated } from './articulatedResponse.ts'
import type { ContactMatrix, ContactMatrixName } from './contactMatrix.ts'
import { FactoredMatrix } from './factoredMatrix.ts'
import { RecursiveMatrix } from './recursiveMatrix.ts'
import { TestForceMatrix } from './testForceMatrix.ts'

/**
 * The matrix of that name for a model; for a model with joints that follow others, or with a floating joint inside a tree, the
 * factored one whatever the name, as its own name then says.
 */
export function createContactMatrix(name: ContactMatrixName, model: Model): ContactMatrix {
  if (!isArticulated(model)) return new FactoredMatrix(model)
  switch (name) {
    case 'factored':
      return new FactoredMatrix(model)
    case 'test-forces':
      return new TestForceMatrix(model)
    case 'recursive':
      return new RecursiveMatrix(model)
  }
}
