import { expect, test } from 'vitest'
import { contactModelNamed } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'

test('penalty and stewart-trinkle drive the same figure eight, though they share nothing but the contacts', () => {
  const robot = loadOwnRobot('diffdrive')
  const [soft, rigid] = ['penalty', 'stewart-trinkle'].map((contactModel) => {
    const controller = createControllerLoop(defaultControllerFor(robot), robot)
    const world = new World({ robot, contactModel: contactModelNamed(contactModel), dt: 2.5e-4, controller })
    for (let i = 0; i < 12_000; i++) world.step()
    return world.state.q
  })
  // 1.1 m on, with a turn of 2 rad: the springs let wheels of 10 cm in by 0.3 mm, which is 0.3 % of the way
  expect(Math.hypot(soft[0] - rigid[0], soft[1] - rigid[1])).toBeLessThan(3e-3)
  // the heading, by the quaternion's turn between the two
  const turn = soft[3] * rigid[3] + soft[4] * rigid[4] + soft[5] * rigid[5] + soft[6] * rigid[6]
  expect(2 * Math.acos(Math.min(1, Math.abs(turn)))).toBeLessThan(5e-3)
})
