import { describe } from 'vitest'
import { lcpLaws } from './accelerationLevel.ts'
import { contactLaws } from './laws.ts'

describe('lcp', () => {
  contactLaws('lcp', 'one body', lcpLaws)
  contactLaws('lcp', 'several bodies', lcpLaws)
})
