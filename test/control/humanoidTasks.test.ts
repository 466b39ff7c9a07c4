import { expect, test } from 'vitest'
import type { World } from '../../simulation/index.ts'
import { degree, playScene, tiltOf } from '../compare/playScene.ts'
import { full } from '../dailyModels.ts'

const models = full ? ['lcp', 'stewart-trinkle', 'anitescu-potra', 'convex', 'ncp', 'lnc', 'peg', 'mujoco'] : ['ncp']
if (!full) console.log(`not run: the humanoid's tasks under other models than ${models.join(', ')}; set FEATHERBED_FULL`)

// a step of 1 ms lies between target and position, in which the arms move by 0.11 degrees
test.each(models)('under %s the humanoid drives a slalom while all its joints follow within half a degree', async (model) => {
  let worst = 0
  let swing = 0
  const world = await playScene('humanoid-slalom', model, 1e-3, ({ robots, state }) => {
    const [{ robot, controller }] = robots
    const { joints: target } = (controller as unknown as { target: { joints: Float64Array } }).target
    robot.joints.forEach(({ name, qIndex }, j) => {
      if (Number.isNaN(target[j])) return
      worst = Math.max(worst, Math.abs(target[j] - state.q[qIndex]))
      if (name === 'left_shoulder_pitch_joint') swing = Math.max(swing, state.q[qIndex])
    })
  })
  console.log(`${model}: ${(worst / degree).toFixed(3)} degrees`)
  expect(worst).toBeLessThan(0.5 * degree)
  expect(swing).toBeGreaterThan(0.29)
  expect(Math.hypot(world.state.q[0], world.state.q[1])).toBeGreaterThan(0.6)
})

/** Of the body beside the robot. */
const body = (world: World) => world.robots[1].state.q

test.each(models)('under %s the humanoid pushes a crate as far as its hands go, and straight', async (model) => {
  const world = await playScene('humanoid-pushes', model, 1e-3)
  const q = body(world)
  // the speed's integral; the thumbs, 0.408 m ahead of the axle, and half the crate
  expect(Math.abs(world.state.q[0] - 0.3 * 4.5)).toBeLessThan(1e-3)
  expect(Math.abs(q[0] - (0.3 * 4.5 + 0.408 + 0.25))).toBeLessThan(2e-3)
  expect(Math.abs(q[1])).toBeLessThan(1e-3)
  for (let k = 3; k < 6; k++) expect(Math.abs(q[k])).toBeLessThan(1e-3)
})

test.each(models)('under %s the humanoid carries a board over a bump of 8 mm', async (model) => {
  let [tilt, highest] = [0, 0]
  const world = await playScene('humanoid-carries', model, 1e-3, (now) => {
    tilt = Math.max(tilt, tiltOf(now))
    highest = Math.max(highest, now.state.q[2])
  })
  const [q, base] = [body(world), world.state.q]
  expect(base[0]).toBeGreaterThan(1.5) // beyond the bump
  expect(highest).toBeGreaterThan(0.106)
  expect(tilt).toBeLessThan(2 * degree)
  // on the forearms, where it lay
  expect(Math.abs(q[0] - base[0] - 0.2)).toBeLessThan(0.01)
  expect(Math.abs(q[2] - 0.866)).toBeLessThan(2e-3)
  expect(Math.hypot(q[4] + 0.016, q[3], q[5])).toBeLessThan(5e-3)
})
