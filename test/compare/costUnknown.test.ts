import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { compare } from '../../compare/judge/compare.ts'
import { checkScenario } from '../../compare/scenario/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-cost-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('where no cost could be taken the run says so, and the verdict is the same', async () => {
  const script = join(folder, 'once.ts')
  // runs load the script anew; what is timed begins again without loading
  writeFileSync(
    script,
    "let starts = 0\nexport default { init() { if (starts++ > 0) throw new Error('twice'); return { f: () => 0 } }, update: ({ robot }) => robot.joints.map(() => 0) }",
  )
  const scenario = await checkScenario({ robot: 'diffdrive', controller: script, duration: 0.01, dt: 1e-3, models: 'ncp' })
  const {
    results: {
      runs: [run],
      verdicts: [verdict],
    },
  } = await compare(scenario, { threads: 0 })
  const note = expect.stringMatching(/^its cost could not be taken: /)
  expect(run).toMatchObject({ status: 'ok', cost: null, error: { tracking: expect.any(Number), note } })
  const { results: untimed } = await compare(scenario, { threads: 0, timing: false })
  expect(untimed.verdicts[0]).toEqual(verdict)
})

test('a robot under the controller `none` has no error by the rate of its controller', async () => {
  const controller = { name: 'none', rate: 300 }
  const scenario = await checkScenario({ robot: 'diffdrive', controller, duration: 0.02, dt: [1e-3, 5e-3], models: 'ncp' })
  const { results } = await compare(scenario, { timing: false, threads: 0 })
  for (const { error } of results.runs) expect(error?.parts).toMatchObject({ controllerRate: null, integrator: {} })
})
