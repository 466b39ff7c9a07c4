import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Allocation, allocationFlags, bundled, type OwnProcess } from '../../ownProcess.ts'

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./featureContactsAllocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

test('the search for feature contacts allocates nothing', () => {
  const { scavenges, growthAfterCollection, contacts, searches } = script.run(allocationFlags, ['80000']) as Allocation & {
    contacts: number
    searches: number
  }
  expect(contacts).toBeGreaterThan(searches)
  // the nursery of 1 MB would not hold one boxed number a search, 1.28 MB; less than a byte each stays
  expect(scavenges).toBe(0)
  expect(growthAfterCollection).toBeLessThan(searches)
})
