import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contactModels } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { loadOwnRobot, OWN_ROBOTS, ownRobotPath } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'
import { bundled, type OwnProcess, type WindowedAllocation, windowFlags } from '../ownProcess.ts'

/*
 * A step allocates nothing after warm-up, controller included: bytes are counted over ten times 10,000 steps.
 */
const steps = 10_000
const warmUp = 20_000

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./allocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

for (const name of OWN_ROBOTS) {
  describe.each(Object.keys(contactModels))(`${name} under %s, with its controller`, (contactModel) => {
    let measured: WindowedAllocation & { readonly hash: string }
    const solves = new World({ robot: loadOwnRobot(name), contactModel, dt: 1e-3 }).contactModel.solvers.includes('tree-guess')
    beforeAll(() => {
      // how far the engine has compiled after the warm-up depends on what else the machine does: a process that shows a boxed number is
      // asked to show it again
      for (let attempt = 1; attempt <= 3; attempt++) {
        measured = script.run(windowFlags, [ownRobotPath(name), contactModel, `${warmUp}`, `${steps}`]) as typeof measured
        const { quietest, middle, growthAfterCollection } = measured
        if (solves || (quietest === 0 && middle < 16_000 && growthAfterCollection < 10 * steps)) break
      }
    })

    test('10,000 steps allocate nothing, and the heap does not grow', () => {
      const { quietest, middle, growthAfterCollection } = measured
      // Where a problem is solved, modes that change seldom are found by code that the engine has not compiled, which boxes numbers:
      // some kilobytes each time, in one step of some thousands. One boxed number a step would be 160,000 bytes in every window.
      if (solves) {
        expect(quietest).toBeLessThan(80_000)
        expect(middle).toBeLessThan(400_000)
        // and what it compiles at last it keeps, once: a hundred kilobytes
        expect(growthAfterCollection / (10 * steps)).toBeLessThan(5)
        return
      }
      expect(quietest).toBe(0)
      // a branch that is taken for the first time after the warm-up sends its function back to the interpreter for a while, which
      // boxes numbers; one boxed number a step would be 160,000 bytes in every window
      expect(middle).toBeLessThan(16_000)
      expect(growthAfterCollection / (10 * steps)).toBeLessThan(1)
    })

    // anitescu-potra projects a nanometre out once in some hundred steps, which the engine has not compiled either
    if (solves && contactModel !== 'anitescu-potra') {
      test('10,000 steps of standing, in which contacts go on as they did, allocate nothing at all', () => {
        let standing: WindowedAllocation | undefined
        for (let attempt = 1; attempt <= 3 && standing?.quietest !== 0; attempt++) {
          standing = script.run(windowFlags, [
            ownRobotPath(name),
            contactModel,
            `${warmUp}`,
            `${steps}`,
            'hold',
          ]) as WindowedAllocation
        }
        expect(standing?.quietest).toBe(0)
        expect(standing?.middle).toBeLessThan(16_000)
      })
    }

    test('10,000 steps give the same hash in another process that was built another way', () => {
      const robot = loadOwnRobot(name)
      const controller = createControllerLoop(defaultControllerFor(robot), robot)
      const world = new World({ robot, contactModel, dt: 1e-3, controller })
      for (let i = 0; i < 10_000; i++) world.step()
      expect(world.hash()).toBe(measured.hash)
    })
  })
}
