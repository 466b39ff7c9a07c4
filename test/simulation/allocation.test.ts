import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contactModels } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { loadOwnRobot, OWN_ROBOTS, ownRobotPath } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'
import { type Allocation, allocationFlags, bundled, type OwnProcess } from '../ownProcess.ts'

/*
 * A step allocates nothing after warm-up, controller included. What the heap holds is compared before and after without a
 * collection in between as well.
 */
const steps = 100_000
const warmUp = 20_000

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./allocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

for (const name of OWN_ROBOTS) {
  describe.each(Object.keys(contactModels))(`${name} under %s, with its controller`, (contactModel) => {
    let measured: Allocation & { readonly hash: string }
    beforeAll(() => {
      measured = script.run(allocationFlags, [ownRobotPath(name), contactModel, `${warmUp}`, `${steps}`]) as typeof measured
    })

    test(`${steps} steps: no scavenge, and the heap grows by less than a byte a step`, () => {
      expect(measured.scavenges).toBe(0)
      expect(measured.growthAfterCollection / steps).toBeLessThan(1)
      // A branch that is taken for the first time after the warm-up sends its function back to the interpreter, which boxes
      // numbers until it is compiled anew: up to 4 bytes a step have been seen. One boxed number a step would be 16.
      expect(measured.growth / steps).toBeLessThan(8)
    })

    test('10,000 steps give the same hash in another process that was built another way', () => {
      const robot = loadOwnRobot(name)
      const controller = createControllerLoop(defaultControllerFor(robot), robot)
      const world = new World({ robot, contactModel, dt: 1e-3, controller })
      for (let i = 0; i < 10_000; i++) world.step()
      expect(world.hash()).toBe(measured.hash)
    })
  })
}
