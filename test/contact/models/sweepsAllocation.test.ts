import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundled, type OwnProcess, type WindowedAllocation, windowFlags } from '../../ownProcess.ts'

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./sweepsAllocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

for (const [solver, balls] of [
  ['contact-pgs', '2'],
  ['micro-impulses', '1'],
]) {
  test(`ncp by ${solver}: steps in which a column of balls stands allocate nothing, ${balls} high`, () => {
    const { quietest, middle, growthAfterCollection } = script.run(windowFlags, [solver, balls]) as WindowedAllocation
    expect(quietest).toBe(0)
    // one boxed number a step would be 16 bytes in every window
    expect(middle).toBeLessThan(1600)
    expect(growthAfterCollection / 10_000).toBeLessThan(1)
  })
}
