import { expect, test } from 'vitest'
import { checkScenario } from '../../compare/scenario/index.ts'
import { BODIES_ONLY, createWorld, prepare } from '../../compare/scenario/world/files.ts'
import { varied } from '../../compare/scenario/world/vary.ts'

test('a factor keeps the allowed penetration of a small body, and one on stiffness divides it', async () => {
  const bodies = [{ name: 'ball', shape: { type: 'sphere', radius: 0.01 }, mass: 1 }]
  const scenario = await checkScenario({ bodies, duration: 1 })
  const prepared = await prepare(scenario, BODIES_ONLY)
  const allowed = (factors: Parameters<typeof varied>[2]) => {
    const to = varied(scenario, prepared, factors)
    return createWorld(to.scenario, to.prepared, to.scenario.models[0], 1e-3).world.physical.allowedPenetration
  }
  const { world } = createWorld(scenario, prepared, scenario.models[0], 1e-3)
  expect(world.physical.allowedPenetration).toBeLessThan(5e-4)
  expect(allowed({ friction: 2 })).toBe(world.physical.allowedPenetration)
  expect(allowed({ stiffness: 4 })).toBeCloseTo(world.physical.allowedPenetration / 4, 12)
})
