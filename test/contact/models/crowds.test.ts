import { expect, test } from 'vitest'
import { createRandom } from '../../../dynamics/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { createGround, World } from '../../../simulation/index.ts'
import { full } from '../../dailyModels.ts'

/** A hundred boxes a little apart and askew, which fall onto each other: an island of some 800 contacts after 50 steps. */
function createCrowd(contactModel: 'stewart-trinkle' | 'convex'): World {
  const random = createRandom(7)
  const robots = Array.from({ length: 100 }, (_, k) => {
    const place = [0.205 * (k % 5), 0.205 * (Math.floor(k / 5) % 5), 0.11 + 0.22 * Math.floor(k / 25)]
    const turn = [0, 1, 2].map(() => random.between(-0.04, 0.04))
    const length = Math.hypot(...turn, 1)
    const robot = createFreeBody({
      name: `box ${k}`,
      shape: { type: 'box', size: [0.2, 0.2, 0.2] },
      mass: random.between(1, 8),
    })
    return { name: `box ${k}`, robot, q: Float64Array.of(...place, ...turn.map((x) => x / length), 1 / length) }
  })
  return new World({
    robots,
    fixtures: [createGround()],
    physical: { friction: 0.5, restitution: 0 },
    contactModel,
    dt: 2e-3,
  })
}

// the proximal method alone: 856 Newton steps in these ten time steps, and a residual of 7.4e-5
test('pyramids: a crowd that becomes one island is solved to 1e-6 in some 35 Newton steps a time step', () => {
  const world = createCrowd('stewart-trinkle')
  for (let n = 0; n < 40; n++) world.step()
  const before = world.events.iterations
  for (let n = 0; n < 10; n++) world.step()
  expect(world.contacts.count).toBeGreaterThan(800)
  expect(world.events.iterations - before).toBeLessThan(450)
  expect(world.events.residualMax).toBeLessThan(1e-6)
  expect(world.events.fallbacks).toBe(0)
})

// the proximal method alone: 710
test.runIf(full)('cones with associated slip: some 24 Newton steps a time step', () => {
  const world = createCrowd('convex')
  for (let n = 0; n < 40; n++) world.step()
  const before = world.events.iterations
  for (let n = 0; n < 10; n++) world.step()
  expect(world.events.iterations - before).toBeLessThan(350)
  expect(world.events.residualMax).toBeLessThan(1e-6)
})
