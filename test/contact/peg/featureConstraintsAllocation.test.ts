import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Allocation, allocationFlags, bundled, type OwnProcess } from '../../ownProcess.ts'

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./featureConstraintsAllocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

test('constraints on feature contacts are made without allocating, by both rules', () => {
  const { scavenges, growthAfterCollection, constraints, pairs } = script.run(allocationFlags, ['40000']) as Allocation & {
    constraints: number
    pairs: number
  }
  expect(constraints).toBeGreaterThan(pairs)
  // the nursery of 1 MB would not hold one boxed number a pair in space and one in the plane, 1.28 MB; less than a byte each stays
  expect(scavenges).toBe(0)
  expect(growthAfterCollection).toBeLessThan(pairs)
})
