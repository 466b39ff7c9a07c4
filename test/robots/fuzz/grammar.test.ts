import { expect, test } from 'vitest'
import { full } from '../../dailyModels.ts'
import { guarded } from './guard.ts'

/** Inputs when everything is run; one of 400 otherwise. With the mutants of the other files, 200,000 and more. */
const counts = {
  urdf: 6000,
  mjcf: 8000,
  sdf: 6000,
  srdf: 2000,
  xacro: 6000,
  mesh: 6000,
  onnx: 6000,
  scenario: 4000,
  packed: 4000,
  link: 400,
  log: 2000,
}

for (const [format, count] of Object.entries(counts)) {
  test(`${format} by its grammar ends in what it states or in a documented error, and no part is lost without a finding`, async () => {
    const wanted = full ? count : count / 400
    const { outcomes, failures, seconds, megabytes } = await guarded(new URL('./grammarRun.ts', import.meta.url), [
      format,
      String(wanted),
    ])
    if (full)
      console.log(`${format}: ${JSON.stringify(outcomes)}, at most ${seconds?.toFixed(2)} s and ${megabytes?.toFixed(0)} MB`)
    expect(failures).toEqual([])
    expect(Object.values(outcomes).reduce((sum, n) => sum + n, 0)).toBe(wanted)
  })
}
