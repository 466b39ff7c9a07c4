import { describe } from 'vitest'
import { dailyPair, tellWhatIsNotRun } from '../../dailyModels.ts'
import { exceptions } from './exceptions.ts'
import { contactLaws } from './laws.ts'

tellWhatIsNotRun('laws of several bodies', dailyPair)

for (const name of dailyPair) {
  describe(name, () => contactLaws(name, 'several bodies', exceptions[name]))
}
