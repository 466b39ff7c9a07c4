import { expect, test } from 'vitest'
import { full } from '../../dailyModels.ts'
import { guarded } from './guard.ts'

/** Characters; when not everything is run, the longer ones are left out. */
const longest = full ? 20_000_000 : 20_000

test('texts made to do harm end in what they should, each within a bound of CPU time and 512 MB', async () => {
  const { outcomes, failures } = await guarded(new URL('./urdfHostile.ts', import.meta.url), [String(longest)])
  expect(failures).toEqual([])
  expect(Object.keys(outcomes).sort()).toEqual(['Robot', 'RobotError'])
})
