import { describe, expect, test } from 'vitest'
import type { ContactModelName, ContactModelOptions } from '../../../contact/index.ts'
import type { Robot } from '../../../robots/index.ts'
import { dailyModels, full } from '../../dailyModels.ts'
import { box, makeWorld, run, sphere, velocityW } from '../laws/scenes.ts'
import { forceLevel, meetsImpacts, waysOf } from './randomImpacts.ts'

const models = dailyModels.filter(meetsImpacts)
/** To these a ball is a polyhedron. */
const polyhedral = ['peg', 'lnc']

/** Speed at which what falls at a speed leaves the ground, over that; `share` of a step's way above it. */
function rebound(
  model: ContactModelName,
  options: ContactModelOptions,
  robot: Robot,
  dt: number,
  speed: number,
  e: number,
  share: number,
): number {
  const world = makeWorld({
    model,
    dt,
    robot,
    physical: { restitution: e, friction: 0.5 },
    options,
    q: [0, 0, 0.1 + (1 + share) * speed * dt, 0, 0, 0, 1],
    v: [0, 0, 0, 0, 0, -speed],
  })
  // as deep as it was found by penalty models, it takes 1 / e steps to leave
  run(world, (5 + 2 / e) * dt)
  expect(world.events.failures).toBe(0)
  return velocityW(world)[2] / speed
}

describe.each(models)('%s', (model) => {
  test('a sphere and a box that lands flat leave at e of their speed, from 0.05 to 50 m/s, at 1 and 10 ms, to 1 %', () => {
    const bodies = [sphere(0.1, 2, [0, 0, 0]), box([0.3, 0.3, 0.2], 2, [0, 0, 0])]
    for (const options of model === 'hunt-crossley' ? [{ impacts: 'stronge' }] : waysOf(model)) {
      for (const robot of bodies) {
        for (const dt of [1e-3, 1e-2]) {
          for (const speed of full ? [0.05, 0.1, 0.3, 1, 3, 10, 30, 50] : [0.05, 50]) {
            for (const e of full ? [0.1, 0.3, 0.5, 0.7, 0.9, 1] : [0.1, 0.7]) {
              for (const share of full ? [0.02, 0.3, 0.7, 0.98] : [0.3]) {
                const left = rebound(model, options, robot, dt, speed, e, share)
                // it is off by what constraints that are soft by 1e-5 leave of the approach, a tenth of which is e
                expect(Math.abs(left / e - 1), `${JSON.stringify(options)}, ${dt} s, ${speed} m/s, e ${e}`).toBeLessThan(3e-4)
              }
            }
          }
        }
      }
    }
  }, 1_800_000)

  test("Newton's cradle of five passes the speed on to the last, with neighbours that touch or do not quite", () => {
    const ways = waysOf(model).filter(({ impulses }) => impulses !== 'simultaneous')
    for (const options of ways) {
      for (const gap of [0, 1e-4, 3e-4]) {
        for (const dt of [1e-3, 1e-4]) {
          const robots = [0, 1, 2, 3, 4].map((i) => {
            // every other one is wider, so that no edges meet
            const width = i % 2 === 0 ? 0.2 : 0.3
            return {
              robot: polyhedral.includes(model) ? box([0.2, width, width], 2, [0, 0, 0]) : sphere(0.1, 2, [0, 0, 0]),
              q: [i * (0.2 + gap) - (i === 0 ? 0.0203 : 0), 0, 0, 0, 0, 0, 1],
              v: [0, 0, 0, i === 0 ? 1 : 0, 0, 0],
            }
          })
          const world = makeWorld({ model, dt, robots, fixtures: [], physical: { restitution: 1 }, options })
          run(world, 0.03)
          world.robots.forEach((robot, i) => {
            const off = Math.abs(velocityW(robot)[0] - (i === 4 ? 1 : 0))
            expect(off, `ball ${i}, gaps of ${gap} m, ${dt} s, ${JSON.stringify(options)}`).toBeLessThan(1e-9)
          })
        }
      }
    }
  })
})

test('penalty models have it by default, the others by an option', () => {
  // their springs meet impacts
  const soft = ['mujoco', 'drake', 'kelvin-voigt']
  expect(forceLevel.every((model) => meetsImpacts(model as ContactModelName))).toBe(true)
  for (const model of dailyModels.filter((name) => !soft.includes(name))) {
    const shown = makeWorld({ model, robot: sphere(0.1) }).contactModel.parameters.used.map(({ name }) => name)
    expect(shown).toContain('impacts')
    if (!forceLevel.includes(model))
      expect(shown).toEqual(expect.arrayContaining(['impulses', 'restitutionThreshold', 'restitution']))
  }
})
