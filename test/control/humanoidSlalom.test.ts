import { expect, test } from 'vitest'
import { degree, playScene } from '../compare/playScene.ts'
import { full } from '../dailyModels.ts'

const models = full
  ? ['lcp', 'stewart-trinkle', 'anitescu-potra', 'convex', 'ncp', 'lnc', 'peg', 'mujoco']
  : ['lcp', 'ncp', 'mujoco']
if (!full) console.log(`not run: the humanoid's slalom under other models than ${models.join(', ')}; set FEATHERBED_FULL`)

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
