import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Allocation, allocationFlags, bundled, type OwnProcess } from '../../ownProcess.ts'

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./convexAllocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

for (const [what, name] of [
  ['distance', 'signed distances'],
  ['warm', 'signed distances from where the last ones ended'],
  ['manifold', 'manifolds of at most four points, with a memory'],
]) {
  test(`${name} of all pairs of shapes, apart and overlapping, allocate nothing`, () => {
    const run = script.run(allocationFlags, ['60000', what]) as Allocation & { contacts: number; queries: number }
    const { scavenges, growthAfterCollection, contacts, queries } = run
    expect(contacts).toBeGreaterThan(queries / 3)
    // the nursery of 1 MB would not hold two boxed numbers a query; less than a byte each stays
    expect(scavenges).toBe(0)
    expect(growthAfterCollection).toBeLessThan(queries)
  })
}
