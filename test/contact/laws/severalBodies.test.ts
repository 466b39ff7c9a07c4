import { describe } from 'vitest'
import { dailyModels, tellWhatIsNotRun } from '../../dailyModels.ts'
import { exceptions } from './exceptions.ts'
import { contactLaws } from './laws.ts'

tellWhatIsNotRun('laws of several bodies')

for (const name of dailyModels) {
  describe(name, () => contactLaws(name, 'several bodies', exceptions[name]))
}
