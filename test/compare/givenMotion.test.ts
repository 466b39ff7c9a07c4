import { expect, test } from 'vitest'
import { playScene } from './playScene.ts'

test('docs/examples/conveyor.yaml: the box follows its closed form, and the belt does not leave', async () => {
  const world = await playScene('conveyor', 'ncp', 1e-3)
  const [box, belt] = world.robots
  expect(box.state.q[0]).toBeCloseTo(0.5 - 0.5 ** 2 / (2 * 0.25 * 9.81), 3)
  expect(belt.state.q[0]).toBe(1)
})

test('docs/examples/treadmill.yaml: a quadruped that stands on the belt is carried along', async () => {
  for (const model of ['penalty', 'ncp']) {
    const world = await playScene('treadmill', model, 1e-3)
    expect(world.robots[0].state.v[3]).toBeCloseTo(0.2, 3)
    // 0.1 m while the belt gains speed, 0.2 m after it
    expect(world.state.q[0] - 0.3).toBeLessThan(0.01)
    expect(world.state.q[0] - 0.3).toBeGreaterThan(-0.01)
  }
})
