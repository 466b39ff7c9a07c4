import { describe } from 'vitest'
import { dailyModels, tellWhatIsNotRun } from '../../dailyModels.ts'
import { exceptions } from './exceptions.ts'
import { contactLaws } from './laws.ts'

tellWhatIsNotRun('laws of one body')
for (const name of dailyModels) {
  describe(name, () => contactLaws(name, 'one body', exceptions[name]))
}
