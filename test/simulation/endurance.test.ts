import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SolverCount } from '../../contact/index.ts'
import { loadOwnRobot, OWN_ROBOTS, ownRobotPath } from '../../robots/files.ts'
import { dailyPair, full, tellWhatIsNotRun } from '../dailyModels.ts'
import { bundled, type OwnProcess } from '../ownProcess.ts'

/** A million steps of a millisecond each, over a quarter of an hour of motion; a hundredth of it in the daily suite, of the humanoid, and of the others under one model. */
const steps = full ? 1_000_000 : 10_000

interface Endurance {
  readonly steps: number
  readonly finite: boolean
  readonly bytes: readonly number[]
  readonly height: number
  readonly failures: number
  readonly fallbacks: number
  readonly solvers: readonly SolverCount[]
}

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./endurance.run.ts', import.meta.url))
})
afterAll(() => script.delete())

/** A gripper by itself touches nothing; a million steps of 36 rollers take a quarter of an hour under each model. */
const touching = OWN_ROBOTS.filter((name) => !name.endsWith('gripper') && !(full && name === 'mecanum'))
const runs = touching.flatMap((name) =>
  dailyPair.flatMap((model) => (full || name === 'humanoid' || model === 'ncp' ? [[name, model] as const] : [])),
)

tellWhatIsNotRun('endurance of the humanoid, and of others but for ncp,', dailyPair)

test.each(runs)(
  '%s under %s goes on for all steps: finite, upright, no failures, and the heap stays flat',
  (name, model) => {
    const found = script.run(['--expose-gc'], [ownRobotPath(name), model, `${steps}`]) as Endurance
    expect(found.steps).toBe(steps)
    expect(found.finite).toBe(true)
    expect(found.failures).toBe(0)
    expect(Math.abs(found.height - loadOwnRobot(name).home[2])).toBeLessThan(0.01)
    // the engine may hold some more or some fewer of its own tables; 100 bytes a step would be 90 MB, and 0.9 MB in the daily suite
    expect(found.bytes[9] - found.bytes[0]).toBeLessThan(500_000)
    // every step that was solved was solved by somebody, and what one could not do another did
    const solved = found.solvers.filter(({ solver }) => !solver.includes('/')).reduce((sum, count) => sum + count.solved, 0)
    if (found.solvers.length > 0) expect(solved).toBeGreaterThanOrEqual(steps * 0.99)
    if (full) {
      const shown = found.solvers.map(({ solver, solved, failed }) => `${solver} ${solved}/${failed}`).join(', ')
      console.log(`${name} ${model}: ${found.fallbacks} fallbacks; solved/failed: ${shown || 'nothing to solve'}`)
    }
  },
  300_000,
)
