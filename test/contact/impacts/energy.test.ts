import { describe, expect, test } from 'vitest'
import { dailyModels, full } from '../../dailyModels.ts'
import { kanesPendulum, meetsImpacts, randomImpact, waysOf } from './randomImpacts.ts'

const IMPACTS = full ? 10_000 : 35
if (!full) console.log(`not run: all but ${IMPACTS} of 10,000 random impacts of each model; set FEATHERBED_FULL`)

const models = dailyModels.filter(meetsImpacts)

describe.each(models)('%s', (model) => {
  test(`no impact gains 1e-9 of the kinetic energy: ${IMPACTS} at random, of free bodies, pairs, chains and rows, by all hypotheses`, () => {
    let struck = 0
    for (let seed = 0; seed < IMPACTS; seed++) {
      const { gain, struck: has, options, kind, world } = randomImpact(model, seed)
      expect(gain, `seed ${seed}: ${kind}, ${JSON.stringify(options)}`).toBeLessThan(1e-9)
      expect(world.events.failures, `seed ${seed}`).toBe(0)
      if (has) struck++
    }
    expect(struck).toBeGreaterThan(0.6 * IMPACTS)
  }, 1_800_000)

  test("Kane's double pendulum gains nothing, where Newton's rule by itself has it gain 65 % at e = 0.5 and 239 % at 0.9", () => {
    for (const options of waysOf(model)) {
      for (const e of [0, 0.5, 0.9, 1]) {
        const { gain, struck } = kanesPendulum(model, e, options)
        expect(struck).toBe(true)
        expect(gain, `e ${e}, ${JSON.stringify(options)}`).toBeLessThan(1e-9)
      }
    }
  })
})
