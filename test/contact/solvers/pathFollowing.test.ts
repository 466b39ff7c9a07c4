import { describe } from 'vitest'
import { PathFollowing } from '../../../contact/solvers/index.ts'
import { newtonLaws } from './newtonLaws.ts'

describe('path-following', () => {
  newtonLaws(() => new PathFollowing(), 0.95)
})
