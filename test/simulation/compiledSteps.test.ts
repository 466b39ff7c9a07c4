import { afterEach, expect, test } from 'vitest'
import { contactModelNames } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { compilation } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'

const usual = compilation.after
afterEach(() => {
  compilation.after = usual
})
const robot = loadOwnRobot('diffdrive')
const worldOf = (contactModel: (typeof contactModelNames)[number]) =>
  new World({ robot, contactModel, dt: 1e-3, controller: createControllerLoop(defaultControllerFor(robot), robot) })
const advance = (world: World, to: number) => {
  while (world.stepCount < to) world.step()
}

test.each(contactModelNames)('%s: states keep their bits where compiled dynamics take over within a run', async (name) => {
  await compilation.load()
  const readable = worldOf(name)
  compilation.after = Infinity
  advance(readable, 120)
  const world = worldOf(name)
  advance(world, 60)
  expect(world.data.compiled?.isReady).toBe(false)
  compilation.after = 0
  advance(world, 120)
  expect(world.data.compiled?.isReady).toBe(true)
  expect(world.hash()).toBe(readable.hash())
})

test('a robot is compiled in parts between its steps, once all its worlds together have taken so many', async () => {
  await compilation.load()
  compilation.after = 4096
  const robot = loadOwnRobot('gripper')
  const worlds = [1e-3, 2e-3].map((dt) => new World({ robot, contactModel: 'penalty', dt }))
  for (const world of worlds) advance(world, 1024)
  expect(worlds.map(({ data }) => data.compiled?.isReady)).toEqual([false, false])
  advance(worlds[1], 1024 + 16 * 512)
  expect(worlds[1].data.compiled?.isReady).toBe(true)
})
