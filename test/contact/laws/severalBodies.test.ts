import { describe } from 'vitest'
import { contactModelNames } from '../../../contact/index.ts'
import { full, tellWhatIsNotRun } from '../../dailyModels.ts'
import { exceptions } from './exceptions.ts'
import { contactLaws } from './laws.ts'

const models = full ? contactModelNames : (['ncp'] as const)
tellWhatIsNotRun('laws of several bodies', models)

for (const name of models) {
  describe(name, () => contactLaws(name, 'several bodies', exceptions[name]))
}
