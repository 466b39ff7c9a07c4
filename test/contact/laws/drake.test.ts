import { describe, test } from 'vitest'
import { contactModels } from '../../../contact/index.ts'
import { sapExceptions, similarExceptions, tamsiExceptions } from './drake.ts'
import { exceptions } from './exceptions.ts'
import { full, type LawOptions } from './law.ts'
import { contactLaws } from './laws.ts'
import { register } from './register.ts'

// `drake` is lagged, and its other approximations are models of their own here
const others: Record<string, LawOptions> = {
  similar: { ...exceptions.drake, except: similarExceptions },
  sap: { except: sapExceptions },
  tamsi: { ...exceptions.drake, except: tamsiExceptions },
}

for (const approximation of full ? (['similar', 'sap', 'tamsi'] as const) : []) {
  const options = others[approximation]
  const name = `drake ${approximation}`
  register(name, (context, given) => contactModels.drake(context, { ...given, approximation }))
  describe(name, () => {
    contactLaws(name, 'one body', options)
    contactLaws(name, 'several bodies', options)
  })
}
if (!full) test.skip('laws of drake similar, drake sap and drake tamsi: set FEATHERBED_FULL')
