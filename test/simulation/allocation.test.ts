import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { loadOwnRobot, type OwnRobot, ownRobotPath } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'
import { dailyPair, full, tellWhatIsNotRun } from '../dailyModels.ts'
import { bundled, type OwnProcess, steadyFlags, type WindowedAllocation } from '../ownProcess.ts'

/*
 * A step allocates nothing after warm-up, controller included: bytes are counted over ten times 10,000 steps, or ten times 1,000 when not
 * everything is run in full. The second gives up what happens less than once in a thousand steps, and slower leaks than are allocated.
 */
const steps = full ? 10_000 : 1_000
const warmUp = full ? 20_000 : 10_000
/** As many steps as are compared bit by bit; those of every build are compared by browser/determinism.test.ts. */
const compared = full ? 10_000 : 2_000

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./allocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

// The quadruped's is about its controller: impulses of its landings, as penalty models have them, are too seldom to be compiled.
tellWhatIsNotRun('allocation of the humanoid, and of diffdrive but for ncp,', dailyPair)
const subjects = { diffdrive: full ? dailyPair : (['ncp'] as const), humanoid: dailyPair, quadruped: ['ncp'] as const }
for (const [name, models] of Object.entries(subjects) as [OwnRobot, typeof dailyPair][]) {
  describe.each(models)(`${name} under %s, with its controller`, (contactModel) => {
    let measured: WindowedAllocation & { readonly hash: string }
    const solves = new World({ robot: loadOwnRobot(name), contactModel, dt: 1e-3 }).contactModel.solvers.includes('newton')
    beforeAll(() => {
      const args = [ownRobotPath(name), contactModel, `${warmUp}`, `${steps}`, `${compared}`]
      measured = script.run(steadyFlags, args) as typeof measured
    })

    test('steps allocate nothing, and the heap does not grow', () => {
      const { quietest, middle, growthAfterCollection } = measured
      // Where a problem is solved, modes that change seldom are found by code that the engine has not compiled, which boxes numbers:
      // some kilobytes each time, in one step of some thousands. One boxed number a step would be 16 bytes a step in every window.
      if (solves) {
        expect(quietest).toBeLessThan(8 * steps)
        expect(middle).toBeLessThan(40 * steps)
        // and what it compiles at last it keeps, once: a hundred kilobytes
        expect(growthAfterCollection).toBeLessThan(full ? 50 * steps : 100_000)
        return
      }
      expect(quietest).toBe(0)
      // a branch that is taken for the first time after the warm-up sends its function back to the interpreter for a while, which
      // boxes numbers; one boxed number a step would be 16 bytes a step in every window
      expect(middle).toBeLessThan(1.6 * steps)
      // a function that is compiled anew at last is ten kilobytes, once; one number a step that is kept would be a hundred and sixty
      expect(growthAfterCollection).toBeLessThan(full ? 10 * steps : 30_000)
    })

    // anitescu-potra projects a nanometre out once in some hundred steps, which the engine has not compiled either
    if (solves && contactModel !== 'anitescu-potra') {
      test('steps of standing, in which contacts go on as they did, allocate nothing at all', () => {
        const args = [ownRobotPath(name), contactModel, `${warmUp}`, `${steps}`, `${compared}`, 'hold']
        const standing = script.run(steadyFlags, args) as WindowedAllocation
        expect(standing.quietest).toBe(0)
        expect(standing.middle).toBeLessThan(1.6 * steps)
      })
    }

    test('steps give the same hash in another process that was built another way', () => {
      const robot = loadOwnRobot(name)
      const controller = createControllerLoop(defaultControllerFor(robot), robot)
      const world = new World({ robot, contactModel, dt: 1e-3, controller })
      for (let i = 0; i < compared; i++) world.step()
      expect(world.hash()).toBe(measured.hash)
    })
  })
}

test('whole-body inverse dynamics allocates nothing', () => {
  const args = [ownRobotPath('quadruped'), 'ncp', `${warmUp}`, `${steps}`, '0', 'balance']
  const { quietest, middle } = script.run(steadyFlags, args) as WindowedAllocation
  expect(quietest).toBe(0)
  expect(middle).toBeLessThan(1.6 * steps)
})

test('a pull allocates nothing', () => {
  const args = [ownRobotPath('quadruped'), 'penalty', `${warmUp}`, `${steps}`, '0', 'pull']
  const { quietest, middle } = script.run(steadyFlags, args) as WindowedAllocation
  expect(quietest).toBe(0)
  expect(middle).toBeLessThan(1.6 * steps)
})

test('sensors, contacts by name and actuators allocate nothing', () => {
  const args = [ownRobotPath('quadruped'), 'penalty', `${warmUp}`, `${steps}`, '0', 'senses']
  const { quietest, middle } = script.run(steadyFlags, args) as WindowedAllocation
  expect(quietest).toBe(0)
  expect(middle).toBeLessThan(1.6 * steps)
})
