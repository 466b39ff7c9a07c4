import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ComplementaritySolverName } from '../../../contact/solvers/index.ts'
import { bundled, type OwnProcess, type WindowedAllocation, windowFlags } from '../../ownProcess.ts'

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
    // how far the engine has compiled depends on what else the machine does: what shows a boxed number is asked to show it again
    for (let attempt = 1; attempt <= 3; attempt++) {
      measured = script.run(windowFlags, [name, `${warmUp * attempt}`, `${rounds}`]) as typeof measured
      if (measured?.quietest === 0 && measured.middle < 1.6 * rounds * measured.solves) break
    }
    const { quietest, middle, solves } = measured as NonNullable<typeof measured>
    expect(quietest).toBe(0)
    // one boxed number a solve would be 16 bytes in every window
    expect(middle).toBeLessThan(1.6 * rounds * solves)
  })
}
