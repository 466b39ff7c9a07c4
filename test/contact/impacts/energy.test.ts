import { describe, expect, test } from 'vitest'
import { dailyModels, full } from '../../dailyModels.ts'
import { bouncingRow, kanesPendulum, meetsImpacts, pendulumBeforeItStrikes, randomImpact, waysOf } from './randomImpacts.ts'

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

const ROWS = full ? 1000 : 40
if (!full) console.log(`not run: all but ${ROWS} of 1,000 rows of balls that springs meet; set FEATHERBED_FULL`)

/* Without impulses for impacts: the springs of the law meet them, over many steps. */
describe.each(['hunt-crossley', 'drake', 'mujoco'] as const)('%s', (model) => {
  test(`no row of three to ten balls of 0.03 to 30 kg gains 1e-6 of its energy: ${ROWS} at random, at steps of 0.1 to 5 ms`, () => {
    for (let seed = 0; seed < ROWS; seed++) {
      const { gain, gains, text } = bouncingRow(model, seed)
      expect(gain, `seed ${seed}: ${text}`).toBeLessThan(1e-6)
      expect(gains, `seed ${seed}: ${text}`).toBe(0)
    }
  })

  test.skipIf(model === 'mujoco')("Kane's double pendulum gains nothing, at 27 poses and speeds, where it jams too", () => {
    for (const tilt of [10, 25, 27.8])
      for (const [first, second] of [
        [-0.17, -0.8],
        [-0.8, 0.21],
        [0.5, -1.5],
      ])
        for (const e of [0, 0.5, 0.95]) {
          const { gain } = pendulumBeforeItStrikes(model, tilt, [first, second], e, 5e-4)
          expect(gain, `tilt ${tilt}, speeds ${first} and ${second}, e ${e}`).toBeLessThan(5e-4)
        }
  })
})
