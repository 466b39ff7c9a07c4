import { describe } from 'vitest'
import { LevenbergMarquardtMcp } from '../../../contact/solvers/index.ts'
import { newtonLaws } from './newtonLaws.ts'

describe('lmmcp', () => {
  newtonLaws(() => new LevenbergMarquardtMcp(), 0.95)
})
