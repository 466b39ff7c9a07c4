import { describe } from 'vitest'
import { FischerBurmeisterNewton } from '../../../contact/solvers/index.ts'
import { newtonLaws } from './newtonLaws.ts'

describe('fb-newton', () => {
  newtonLaws(() => new FischerBurmeisterNewton(), 0.95)
})
