import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Allocation, allocationFlags, bundled, type OwnProcess } from '../../ownProcess.ts'

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./penaltyReadingAllocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

test('the penalty reading allocates nothing, whatever the shapes', () => {
  const { scavenges, growthAfterCollection, points, readings } = script.run(allocationFlags, ['70000']) as Allocation & {
    points: number
    readings: number
  }
  expect(points).toBeGreaterThan(readings)
  // the nursery of 1 MB would not hold one boxed number a reading, 1.1 MB; less than a byte each stays
  expect(scavenges).toBe(0)
  expect(growthAfterCollection).toBeLessThan(readings)
})
