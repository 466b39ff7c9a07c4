import { describe } from 'vitest'
import { type ContactModelName, contactModels } from '../../../contact/index.ts'
import { exceptions } from './exceptions.ts'
import { contactLaws } from './laws.ts'

for (const name of Object.keys(contactModels) as ContactModelName[]) {
  describe(name, () => contactLaws(name, 'several bodies', exceptions[name]))
}
