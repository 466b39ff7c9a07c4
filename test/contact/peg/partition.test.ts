/*
 * Islands that nothing ties together: each takes its own step, and a corner that has no end of the step that peg finds leaves the bits of
 * another island as they are.
 */
import { expect, test } from 'vitest'
import { partsOf, stepped } from './cornerStep.ts'
import { cornerOf } from './corners.ts'

/** Of the random corners, one at which peg falls back. */
const HARD = 3169

const scene = (seed: number, along: number) => partsOf(cornerOf(seed), `${seed}`, along)

/** One step of the scenes together: q and v of the bodies of each, and the fallbacks. */
function taken(...scenes: readonly ReturnType<typeof partsOf>[]) {
  const world = stepped(cornerOf(HARD), scenes, 'peg', { compliance: 1e-12, gapTolerance: 5e-9 })
  const { q, v } = world.state
  let i = 0
  const states = scenes.map(({ robots }) =>
    robots.flatMap(() => {
      i++
      return [...q.subarray(7 * i - 7, 7 * i), ...v.subarray(6 * i - 6, 6 * i)]
    }),
  )
  return { states, fallbacks: world.events.fallbacks, iterations: world.events.iterations }
}

test('islands that are evaluated more than once have the bits that they have alone, beside one that falls back too', () => {
  const hard = scene(HARD, 0)
  const hardAlone = taken(hard)
  expect(hardAlone.fallbacks).toBe(1)
  const easy = [39, 159, 340].map((seed, n) => scene(seed, 100 * (n + 1)))
  const easyAlone = easy.map((one) => taken(one))
  for (const { fallbacks, iterations } of easyAlone) {
    expect(fallbacks).toBe(0)
    expect(iterations).toBeGreaterThan(10)
  }
  for (const [n, one] of easy.entries()) {
    for (const scenes of [
      [one, hard],
      [hard, one],
    ]) {
      const { states, fallbacks } = taken(...scenes)
      expect(states[scenes.indexOf(one)]).toEqual(easyAlone[n].states[0])
      expect(states[scenes.indexOf(hard)]).toEqual(hardAlone.states[0])
      expect(fallbacks).toBe(1)
    }
  }
  const together = taken(...easy)
  expect(together.fallbacks).toBe(0)
  expect(together.states).toEqual(easyAlone.map(({ states }) => states[0]))
})
