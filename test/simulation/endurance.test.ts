import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadOwnRobot, OWN_ROBOTS, ownRobotPath } from '../../robots/files.ts'
import { bundled, type OwnProcess } from '../ownProcess.ts'

/** A million steps of a millisecond each, over a quarter of an hour of motion; a hundredth of it in the daily suite. */
const steps = process.env.FEATHERBED_FULL ? 1_000_000 : 10_000

interface Endurance {
  readonly steps: number
  readonly finite: boolean
  readonly bytes: readonly number[]
  readonly height: number
  readonly failures: number
}

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./endurance.run.ts', import.meta.url))
})
afterAll(() => script.delete())

test.each(OWN_ROBOTS)(
  '%s under penalty goes on for all steps: finite, upright, no failures, and the heap stays flat',
  (name) => {
    const found = script.run(['--expose-gc'], [ownRobotPath(name), `${steps}`]) as Endurance
    expect(found.steps).toBe(steps)
    expect(found.finite).toBe(true)
    expect(found.failures).toBe(0)
    expect(Math.abs(found.height - loadOwnRobot(name).home[2])).toBeLessThan(0.01)
    // the engine may hold some more or some fewer of its own tables; 100 bytes a step would be 90 MB
    expect(found.bytes[9] - found.bytes[0]).toBeLessThan(1_000_000)
  },
  300_000,
)
