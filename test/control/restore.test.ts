/** What a controller sees of a restore: its memory as it was saved, and no second `init`. */
import { expect, test } from 'vitest'
import { type Controller, createControllerLoop } from '../../control/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { createGround, World } from '../../simulation/index.ts'

interface Memory {
  ticks: number
  readonly list: number[]
}

test('init is called once a world; memory, time, target and contact forces are those of the checkpoint, each time as another copy', async () => {
  const robot = await loadOwnRobot('quadruped')
  const seen: { t: number; memory: Memory; ticks: number; q: number; force: number; target: number }[] = []
  let inits = 0
  let first: Memory | undefined
  const controller: Controller<Memory> = {
    rate: 1000,
    init() {
      inits++
      first = { ticks: 0, list: [] }
      return first
    },
    update({ t, q, memory, contactForces, target }) {
      const force = contactForces.reduce((sum, x) => sum + Math.abs(x), 0)
      seen.push({ t, memory, ticks: memory.ticks, q: q[2], force, target: target.joints[0] })
      memory.list.push(memory.ticks++)
      target.joints[0] = memory.ticks
      return new Float64Array(robot.joints.length)
    },
  }
  const loop = createControllerLoop(controller as Controller, robot)
  const world = new World({
    robots: [{ robot, controller: loop }],
    fixtures: [createGround()],
    contactModel: 'penalty',
    dt: 1e-3,
  })
  const advance = (steps: number) => {
    for (let k = 0; k < steps; k++) world.step()
  }
  const start = world.checkpoint()
  advance(20)
  const middle = world.checkpoint()
  advance(10)
  const hash = world.hash()
  const wanted = seen.slice(20)
  expect(wanted.every(({ force }) => force > 0)).toBe(true)

  for (let again = 0; again < 2; again++) {
    seen.length = 0
    world.restore(middle)
    advance(10)
    expect(world.hash()).toBe(hash)
    expect(seen.map(({ memory: _, ...all }) => all)).toEqual(wanted.map(({ memory: _, ...all }) => all))
    expect(seen[0].memory).not.toBe(first)
    expect(seen[0].memory.list).toHaveLength(30)
  }

  // a reset
  seen.length = 0
  world.restore(start)
  advance(1)
  expect(seen[0]).toMatchObject({ t: 0, ticks: 0, force: 0, target: NaN })
  expect(inits).toBe(1)
})
