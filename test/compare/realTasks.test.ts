import { expect, test } from 'vitest'
import type { World } from '../../simulation/index.ts'
import { hasRobots } from '../dailyModels.ts'
import { degree, playScene, tiltOf, yawOf } from './playScene.ts'

/** The tasks of docs/examples/real are done: by one rigid model at the larger step, so that what the models differ in is no failure of the task. */
const isHere = hasRobots('the tasks of real robots')

test.runIf(isHere)('the A1 trots forward and stays upright', async () => {
  let tilt = 0
  const { state } = await playScene('real/trot-a1', 'ncp', 5e-3, (world) => {
    tilt = Math.max(tilt, tiltOf(world))
  })
  expect(tilt).toBeLessThan(3 * degree)
  expect(state.q[0]).toBeGreaterThan(0.45)
})

test.runIf(isHere)('Atlas that was nudged stands again where it stood', async () => {
  let start: number[] = []
  const world = await playScene('real/stand-atlas', 'ncp', 5e-3, ({ state: { q } }) => {
    if (start.length === 0) start = Array.from(q.subarray(0, 3))
  })
  expect(tiltOf(world)).toBeLessThan(0.5 * degree)
  for (let k = 0; k < 3; k++) expect(Math.abs(world.state.q[k] - start[k])).toBeLessThan(3e-3)
})

test.runIf(isHere)('the Husky turns to the left on its four wheels', async () => {
  const world = await playScene('real/drive-husky', 'ncp', 5e-3)
  expect(yawOf(world)).toBeGreaterThan(45 * degree)
  expect(tiltOf(world)).toBeLessThan(1 * degree)
})

test.runIf(isHere)('the TurtleBot3 stops', async () => {
  const { state } = await playScene('real/brake-turtlebot3', 'ncp', 5e-3)
  // 0.22 m/s for 0.9 s, less the ramp of 0.4 s
  expect(Math.abs(state.q[0] - 0.22 * 0.7)).toBeLessThan(0.04)
  expect(Math.hypot(state.v[3], state.v[4])).toBeLessThan(0.05)
})

test.runIf(isHere)('the UR5 is held back by the table, and wipes on', async () => {
  const { state } = await playScene('real/reach-ur5', 'ncp', 5e-3)
  expect(Math.abs(state.q[0] - 0.3)).toBeLessThan(0.01)
  expect(state.q[1]).toBeLessThan(-0.8715) // it was to go down to -0.87
  expect(state.q[1]).toBeGreaterThan(-0.88)
})

test.runIf(isHere)('the Panda lifts the cube by 5 cm and holds it', async () => {
  const height = ({ state: { q } }: World) => q[8 + 2]
  const heights: number[] = []
  const world = await playScene('real/grip-panda', 'ncp', 5e-3, (now) => heights.push(height(now)))
  expect(height(world)).toBeGreaterThan(0.326 + 0.05)
  expect(Math.abs(height(world) - (heights.at(-60) ?? NaN))).toBeLessThan(2e-4)
})
