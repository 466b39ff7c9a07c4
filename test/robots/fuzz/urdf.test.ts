import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { full, hasRobots } from '../../dailyModels.ts'
import { guarded } from './guard.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
hasRobots('damaged copies of real robot files')

/** Inputs when everything is run; one of 250 otherwise. */
const counts = { urdf: 25_000, xacro: 9000, srdf: 1000, mjcf: 25_000, sdf: 15_000 }

for (const [format, count] of Object.entries(counts)) {
  test(`damaged ${format} files end in a robot that can fall or in a RobotError, within a bound of CPU time and 512 MB`, async () => {
    const wanted = full ? count : count / 250
    const run = [format, String(wanted), root]
    const { outcomes, failures, seconds, megabytes } = await guarded(new URL('./urdfRun.ts', import.meta.url), run)
    if (full)
      console.log(`${format}: ${JSON.stringify(outcomes)}, at most ${seconds?.toFixed(2)} s and ${megabytes?.toFixed(0)} MB`)
    expect(failures).toEqual([])
    expect((outcomes.Robot ?? 0) + (outcomes.RobotError ?? 0)).toBe(wanted)
    // a mutator that breaks everything, or nothing, tests little; a few inputs are too few to tell
    if (!full) return
    expect(outcomes.Robot).toBeGreaterThan(0.1 * wanted)
    expect(outcomes.RobotError).toBeGreaterThan(0.1 * wanted)
  })
}
