import { describe, expect, test } from 'vitest'
import type { PlacedShape, Shape, TriangleMesh } from '../../contact/index.ts'
import { createFreeBody } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { fixedBox, ground } from '../contact/detection/scene.ts'
import { beaker, channel, torus } from '../contact/geometry/meshes.ts'
import { identity } from '../contact/geometry/poses.ts'
import { dailyPair, tellWhatIsNotRun } from '../dailyModels.ts'

const g = 9.81
const dt = 1e-3
const downwards = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const

const body = (
  name: string,
  mesh: TriangleMesh,
  position: readonly [number, number, number],
  quaternion?: readonly [number, number, number, number],
) => createFreeBody({ name, shape: { type: 'mesh', mesh }, mass: 2, position, quaternion, friction: 0.5 })

/** The mean of the normal forces on the last body over the second half of some steps [N]. */
function settle(world: World, steps = 800): number {
  let impulse = 0
  for (let n = 0; n < steps; n++) {
    world.step()
    if (n < steps / 2) continue
    const { count, bodyB, normal } = world.contacts
    for (let c = 0; c < count; c++)
      if (bodyB[c] === world.model.nb - 1) impulse += world.contacts.impulse[3 * c] * normal[3 * c + 2]
  }
  return impulse / (0.5 * steps * dt)
}

tellWhatIsNotRun('concave bodies', dailyPair)
for (const contactModel of dailyPair) {
  describe(contactModel, () => {
    test('a channel laid over a rail stays on it, on its web', () => {
      const rail = fixedBox('rail', [0.2, 2, 0.4], [0, 0, 0.2])
      const world = new World({
        robots: [{ robot: body('channel', channel, [0, 0, 0.3], downwards) }],
        fixtures: [rail],
        contactModel,
        dt,
      })
      expect(settle(world) / (2 * g)).toBeCloseTo(1, 2)
      expect(Math.abs(world.state.q[2] - 0.3)).toBeLessThan(2e-3)
    })

    test('a ring let go over a peg slides down it to the ground', () => {
      const peg: PlacedShape = {
        name: 'peg',
        body: 0,
        shape: { type: 'cylinder', radius: 0.17, length: 0.6 },
        R: identity,
        p: Float64Array.of(0, 0, 0.3),
      }
      const ring = body('ring', torus(0.3, 0.1, 24, 12), [0.01, 0, 0.45])
      const world = new World({ robots: [{ robot: ring }], fixtures: [ground, peg], contactModel, dt })
      // soft laws still rock
      expect(Math.abs(settle(world) / (2 * g) - 1)).toBeLessThan(0.02)
      expect(Math.abs(world.state.q[2] - 0.1)).toBeLessThan(2e-3)
    })

    test('a beaker stands in a beaker that stands', () => {
      const robots = [
        { robot: body('outer', beaker(0.1, 0.15, 0.01, 12), [0, 0, 0]) },
        { robot: body('inner', beaker(0.08, 0.15, 0.01, 12), [0, 0, 0.01]) },
      ]
      const world = new World({ robots, fixtures: [ground], contactModel, dt })
      expect(Math.abs(settle(world, 200) / (2 * g) - 1)).toBeLessThan(0.02)
      expect(Math.abs(world.state.q[9] - 0.01)).toBeLessThan(4e-3)
    })
  })
}

test('solids whose distance is sampled rest where exact ones do', () => {
  const rests = (sampled?: number) => {
    const ring: Shape = { type: 'mesh', mesh: torus(0.3, 0.1, 24, 12), sampled }
    const rail = fixedBox('rail', [0.2, 2, 0.4], [0, 0, 0.2])
    const robots = [{ robot: createFreeBody({ name: 'ring', shape: ring, mass: 2, position: [0, 0, 0.5], friction: 0.5 }) }]
    const world = new World({ robots, fixtures: [rail], contactModel: 'ncp', dt })
    settle(world, 300)
    return world.state.q[2]
  }
  expect(Math.abs(rests(1e-3) - rests())).toBeLessThan(1e-3)
})
