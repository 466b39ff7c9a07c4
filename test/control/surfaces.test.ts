import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkpointText, parseCheckpoint } from '../../compare/recording/checkpointFile.ts'
import { type Controller, createControllerLoop } from '../../control/index.ts'
import { loadRobot, type Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

const crawler = (): Robot => {
  const text = readFileSync(new URL('../../cases/closed-forms/robots/crawler.urdf', import.meta.url), 'utf8')
  const robot = loadRobot(text, { file: 'crawler.urdf' })
  const still = (_: number, out: Float64Array) => out.fill(0)
  return { ...robot, shapes: robot.shapes.map((shape) => ({ ...shape, friction: 0.7, surfaceVelocity: still })) }
}

/** Straight for half a second, then to the left on the spot. */
const steering: Controller = {
  init: () => ({ ticks: 0 }),
  update(state) {
    const turns = state.t >= 0.5
    state.surfaces.set([turns ? 0.3 : -0.5, 0, 0, turns ? -0.3 : -0.5, 0, 0])
    return new Float64Array(0)
  },
}

function worldOf(robot: Robot, controller: Controller): World {
  const q = robot.home.slice()
  q[2] = 0.075
  return new World({ robot, q, contactModel: 'ncp', dt: 1e-3, controller: createControllerLoop(controller, robot) })
}

const run = (world: World, steps: number) => {
  for (let k = 0; k < steps; k++) world.step()
  return world
}

test('a controller steers by its tracks, and a checkpoint between its ticks goes on bit for bit', () => {
  const robot = crawler()
  const world = run(worldOf(robot, steering), 500)
  expect(world.state.q[0]).toBeCloseTo(0.25 - 0.25 / (2 * 0.7 * 9.81), 3)
  run(world, 301)
  expect(world.state.v[2]).toBeGreaterThan(0.3)
  expect(Math.hypot(world.state.v[3], world.state.v[4])).toBeLessThan(0.03)

  const checkpoint = world.checkpoint()
  expect([...checkpoint.surfaces!]).toEqual([0.3, 0, 0, -0.3, 0, 0])
  const hash = run(world, 100).hash()
  const other = worldOf(robot, steering)
  other.restore(parseCheckpoint(checkpointText(checkpoint), 'a.json'))
  expect(run(other, 100).hash()).toBe(hash)
})

test('velocities of surfaces are in the axes of their links, and those that it leaves go on as stated', () => {
  const robot = crawler()
  const seen: number[][] = []
  const reading: Controller = {
    init: () => undefined,
    update(state) {
      seen.push([...state.surfaces])
      if (state.t === 0) state.surfaces[3] = 1
      return new Float64Array(0)
    },
  }
  // the left track is turned by 90 degrees within its body, the link by none
  const turned = Float64Array.of(0, -1, 0, 1, 0, 0, 0, 0, 1)
  const shapes = robot.shapes.map((shape) =>
    shape.link === 'left' ? { ...shape, R: turned, surfaceVelocity: [0, -0.2, 0, 0, 0, 0] } : shape,
  )
  run(worldOf({ ...robot, shapes }, reading), 10)
  expect(seen[0]).toEqual([0.2, 0, 0, 0, 0, 0])
  expect(seen[4]).toEqual([0.2, 0, 0, 1, 0, 0])
})

test('a velocity that is no number names its link', () => {
  const bad: Controller = {
    init: () => undefined,
    update: ({ surfaces }) => {
      surfaces[3] = Number.NaN
      return []
    },
  }
  expect(() => run(worldOf(crawler(), bad), 1)).toThrow('surfaces has NaN, 0, 0 for "right"; it must be three finite numbers')
})
