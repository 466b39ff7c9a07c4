import { describe } from 'vitest'
import { lcpLaws, lotstedtLaws } from './accelerationLevel.ts'
import { contactLaws } from './laws.ts'

describe('lcp', () => {
  describe('lotstedt', () => {
    contactLaws('lotstedt', 'one body', lotstedtLaws)
    contactLaws('lotstedt', 'several bodies', lotstedtLaws)
  })
  contactLaws('lcp', 'one body', lcpLaws)
  contactLaws('lcp', 'several bodies', lcpLaws)
})
