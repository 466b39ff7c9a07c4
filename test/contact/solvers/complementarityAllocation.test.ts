import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ComplementaritySolverName } from '../../../contact/solvers/index.ts'
import { bundled, type OwnProcess, steadyFlags, type WindowedAllocation, windowFlags } from '../../ownProcess.ts'

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
  'murty-iterative': 120,
  dantzig: 150,
  pgs: 120,
  nncg: 120,
  'fb-newton': 50,
  lmmcp: 40,
  'path-following': 200,
  enumeration: 120,
} satisfies Record<ComplementaritySolverName, number>

for (const [name, warmUp] of Object.entries(warmUps)) {
  test(`${name}: solves of problems of every class allocate nothing`, () => {
    let measured: (WindowedAllocation & { solves: number }) | undefined
    // What is compiled steadily boxes nothing, but for fb-newton: seven numbers in a round, in a helper that the engine takes in or not by
    // what its other thread has seen by then, so that is asked again until it takes it in.
    const [flags, attempts] = name === 'fb-newton' ? [windowFlags, 9] : [steadyFlags, 1]
    for (let attempt = 0; attempt < attempts; attempt++) {
      measured = script.run(flags, [name, `${warmUp * (1 + (attempt % 3))}`, `${rounds}`]) as typeof measured
      if (measured?.quietest === 0 && measured.middle < 1.6 * rounds * measured.solves) break
    }
    const { quietest, middle, solves } = measured as NonNullable<typeof measured>
    expect(quietest).toBe(0)
    // one boxed number a solve would be 16 bytes in every window
    expect(middle).toBeLessThan(1.6 * rounds * solves)
  })
}
