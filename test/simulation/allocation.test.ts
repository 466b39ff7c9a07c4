import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contactModels } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { loadOwnRobot, OWN_ROBOTS, ownRobotPath } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'

/*
 * A step allocates nothing after warm-up. Measured in a process of its own, on the plain bundle and not on what the test
 * runner makes of the modules: with a nursery of 1 MB, garbage of 10 bytes a step would fill it within 100,000 steps and
 * show up as a scavenge; and what the heap holds is compared before and after without a collection in between as well.
 */
const steps = 100_000
const warmUp = 20_000

let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'featherbed-allocation-'))
  await build({
    entryPoints: [new URL('./allocation.run.ts', import.meta.url).pathname],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile: join(folder, 'run.mjs'),
    logLevel: 'silent',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Measured {
  readonly hash: string
  readonly scavenges: number
  /** Bytes that the heap holds more after the steps: as they left it, and after a forced collection. */
  readonly growth: number
  readonly growthAfterCollection: number
}

for (const name of OWN_ROBOTS) {
  describe.each(Object.keys(contactModels))(`${name} under %s, with its controller`, (contactModel) => {
    let measured: Measured
    beforeAll(() => {
      const flags = ['--expose-gc', '--max-semi-space-size=1']
      const args = [ownRobotPath(name), contactModel, `${warmUp}`, `${steps}`]
      measured = JSON.parse(execFileSync(process.execPath, [...flags, join(folder, 'run.mjs'), ...args]).toString())
    })

    test(`${steps} steps: no scavenge, and the heap grows by less than a byte a step`, () => {
      expect(measured.scavenges).toBe(0)
      expect(measured.growthAfterCollection / steps).toBeLessThan(1)
      expect(measured.growth / steps).toBeLessThan(1)
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
