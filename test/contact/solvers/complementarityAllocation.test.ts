import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ComplementaritySolverName } from '../../../contact/solvers/index.ts'
import { bundled, type OwnProcess, steadyFlags, type WindowedAllocation } from '../../ownProcess.ts'

const rounds = 2

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./complementarityAllocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

/** Rounds of warm-up, until all branches have been compiled: fewest where problems without an answer take thousands of steps. */
const warmUps = {
  lemke: 150,
  murty: 150,
  dantzig: 150,
  pgs: 120,
  lmmcp: 40,
  'path-following': 200,
  enumeration: 120,
} satisfies Record<ComplementaritySolverName, number>

for (const [name, warmUp] of Object.entries(warmUps)) {
  test(`${name}: solves of problems of every class allocate nothing`, () => {
    const { quietest, middle, solves } = script.run(steadyFlags, [name, `${warmUp}`, `${rounds}`]) as WindowedAllocation & {
      readonly solves: number
    }
    expect(quietest).toBe(0)
    // one boxed number a solve would be 16 bytes in every window
    expect(middle).toBeLessThan(1.6 * rounds * solves)
  })
}
