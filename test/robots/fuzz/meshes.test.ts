import { expect, test } from 'vitest'
import { full, hasRobots } from '../../dailyModels.ts'
import { guarded } from './guard.ts'

hasRobots('damaged copies of real mesh files')

/** Inputs when everything is run; a hundredth of them otherwise. */
const counts = { stl: 7500, obj: 5500, dae: 7000, gltf: 2500, ply: 2500 }

for (const [format, count] of Object.entries(counts)) {
  test(`damaged ${format} files end in a mesh or in a MeshError, within a bound of CPU time and 512 MB`, async () => {
    const wanted = full ? count : count / 100
    const { outcomes, failures } = await guarded(new URL('./meshesRun.ts', import.meta.url), [format, String(wanted)])
    expect(failures).toEqual([])
    expect((outcomes.mesh ?? 0) + (outcomes.MeshError ?? 0)).toBe(wanted)
    // a mutator that breaks everything, or nothing, tests little; ten inputs are too few to tell
    if (!full) return
    expect(outcomes.mesh).toBeGreaterThan(0.02 * wanted)
    expect(outcomes.MeshError).toBeGreaterThan(0.1 * wanted)
  })
}
