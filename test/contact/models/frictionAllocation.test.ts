import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownRobotPath } from '../../../robots/files.ts'
import { bundled, type OwnProcess, type WindowedAllocation, windowFlags } from '../../ownProcess.ts'

const steps = 3000

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./frictionAllocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

for (const friction of ['springs', 'solved']) {
  test(`${friction}: steps of a robot that stands on them allocate nothing`, () => {
    const measured = script.run(windowFlags, [ownRobotPath('diffdrive'), friction, '20000', `${steps}`]) as WindowedAllocation
    expect(measured.quietest).toBe(0)
    // one boxed number a step would be 16 bytes in every window
    expect(measured.middle).toBeLessThan(1.6 * steps)
    expect(measured.growthAfterCollection / (10 * steps)).toBeLessThan(1)
  })
}
