import { expect, test } from 'vitest'
import { full } from '../../dailyModels.ts'
import { guarded } from './guard.ts'

/** Inputs when everything is run; one of 200 otherwise. With the mutants of the other files they are more than 200,000. */
const counts = {
  ...{ urdf: 8000, mjcf: 8000, sdf: 8000, srdf: 2000, xacro: 6000, mesh: 6000 },
  ...{ onnx: 6000, scenario: 4000, packed: 4000, link: 400, log: 2000 },
}

for (const formats of full ? Object.keys(counts).map((format) => [format]) : [Object.keys(counts)]) {
  test(`${formats.join(', ')} by the grammar end in what they state or in a documented error, and no part is lost without a finding`, async () => {
    const wanted = formats.map((format) => counts[format as keyof typeof counts] / (full ? 1 : 200))
    const run = formats.flatMap((format, k) => [format, String(wanted[k])])
    const { outcomes, failures, seconds, megabytes } = await guarded(new URL('./grammarRun.ts', import.meta.url), run)
    if (full)
      console.log(`${formats}: ${JSON.stringify(outcomes)}, at most ${seconds?.toFixed(2)} s and ${megabytes?.toFixed(0)} MB`)
    expect(failures).toEqual([])
    const sum = (list: readonly number[]) => list.reduce((all, n) => all + n, 0)
    expect(sum(Object.values(outcomes))).toBe(sum(wanted))
  })
}
