import { expect, test } from 'vitest'
import { guarded } from './guard.ts'

test('texts made to do harm end in what they should, each within 2 s and 512 MB', { timeout: 120_000 }, async () => {
  const { outcomes, failures } = await guarded(new URL('./urdfHostile.ts', import.meta.url), [])
  expect(failures).toEqual([])
  expect(Object.keys(outcomes).sort()).toEqual(['Robot', 'RobotError'])
})
