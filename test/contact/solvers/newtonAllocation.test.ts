import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundled, type OwnProcess, type WindowedAllocation, windowFlags } from '../../ownProcess.ts'

const rounds = 5

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./complementarityAllocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

for (const name of ['fb-newton', 'lmmcp', 'path-following']) {
  test(`${name}: solves of problems of every class allocate nothing`, () => {
    const { quietest, middle, solves } = script.run(windowFlags, [name, '60', `${rounds}`]) as WindowedAllocation & {
      solves: number
    }
    expect(quietest).toBe(0)
    // one boxed number a solve would be 16 bytes in every window
    expect(middle).toBeLessThan(1.6 * rounds * solves)
  })
}
