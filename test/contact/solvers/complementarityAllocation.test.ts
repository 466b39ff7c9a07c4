import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ComplementaritySolverName } from '../../../contact/solvers/index.ts'
import { bundled, type OwnProcess, type WindowedAllocation, windowFlags } from '../../ownProcess.ts'

const rounds = 2

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./complementarityAllocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

/** Rounds of warm-up: each solver is to have seen its rare branches. */
const warmUps = {
  lemke: 150,
  murty: 150,
  'murty-iterative': 60,
  dantzig: 150,
  pgs: 60,
  nncg: 60,
  'fb-newton': 60,
  lmmcp: 40,
  'path-following': 200,
  enumeration: 60,
} satisfies Record<ComplementaritySolverName, number>

for (const [name, warmUp] of Object.entries(warmUps)) {
  test(`${name}: solves of problems of every class allocate nothing`, () => {
    const { quietest, middle, solves } = script.run(windowFlags, [name, `${warmUp}`, `${rounds}`]) as WindowedAllocation & {
      solves: number
    }
    expect(quietest).toBe(0)
    // one boxed number a solve would be 16 bytes in every window
    expect(middle).toBeLessThan(1.6 * rounds * solves)
  })
}
