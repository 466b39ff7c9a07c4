import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Progress } from '../../compare/cli/terminal.ts'
import { type Comparison, compare } from '../../compare/judge/compare.ts'
import { JobStore } from '../../compare/run/jobStore.ts'
import { failed, type Job } from '../../compare/run/run.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import { Grid } from '../../compare/studies/grid.ts'

const scenario = await checkScenario({
  name: 'drop',
  bodies: [{ name: 'ball', shape: { type: 'sphere', radius: '5 cm' }, mass: 1, position: [0, 0, 0.06] }],
  duration: 0.1,
  dt: [1e-3, 2e-3],
  models: ['stewart-trinkle', 'penalty', 'ncp'],
})
const folder = mkdtempSync(join(tmpdir(), 'featherbed-resume-'))
const partial = join(folder, '.partial')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** All but what was timed. */
function withoutTimes({ results, plots }: Comparison) {
  const { verdicts: _, ...rest } = results
  const runs = results.runs.map(({ cost: _cost, metrics, ...run }) => ({
    ...run,
    metrics: metrics && { ...metrics, step_us: null, realTimeFactor: null },
  }))
  return { ...rest, runs, plots }
}

/** [ms] */
const LONG_AGO = 1000
/** Makes all files of a folder old: a file that is written twice within a tick of the clock keeps its time. */
const age = (path: string) => {
  for (const file of readdirSync(path)) utimesSync(join(path, file), 1e-3 * LONG_AGO, 1e-3 * LONG_AGO)
}
const written = () => readdirSync(partial).map((file) => [file, statSync(join(partial, file)).mtimeMs] as const)

describe('a comparison that was interrupted', () => {
  test('goes on to the same bits, and does again neither what was done nor more than what was cut short', async () => {
    const whole = await compare(scenario, { threads: 0 })
    const interrupted = compare(scenario, {
      threads: 0,
      store: new JobStore(partial, '1', false),
      progress: (_, fraction) => {
        if (fraction > 0.5) throw new Error('interrupted')
      },
    })
    await expect(interrupted).rejects.toThrow('interrupted')
    const before = written()
    expect(before.length).toBeGreaterThan(2)
    expect(before.length).toBeLessThan(9)

    const [[cut]] = before
    truncateSync(join(partial, cut), 100)
    age(partial)
    const resumed = await compare(scenario, { threads: 0, store: new JobStore(partial, '1', true) })
    expect(withoutTimes(resumed)).toEqual(withoutTimes(whole))
    const after = new Map(written())
    expect(after.size).toBe(9) // six runs and three references
    expect(before.filter(([file]) => after.get(file) !== LONG_AGO).map(([file]) => file)).toEqual([cut])
  })

  test('what a script imports counts as part of it', async () => {
    const [script, gains, kept] = ['push.ts', 'gains.ts', '.other'].map((name) => join(folder, name))
    writeFileSync(gains, 'export const effort = 0')
    writeFileSync(
      script,
      "import { effort } from './gains.ts'\nexport default { init: () => 0, update: ({ robot }) => robot.joints.map(() => effort) }",
    )
    const own = await checkScenario({ robot: 'diffdrive', controller: script, duration: 0.01, dt: 1e-3, models: 'ncp' })
    const job: Job = { kind: 'run', scenario: own, robot: 'diffdrive', model: own.models[0], dt: 1e-3 }
    const store = new JobStore(kept, '1', false)
    await store.reads(new Map(), [job])
    store.keep(job, { ...failed('for a test'), hash: '1' })
    expect(store.load(job)?.hash).toBe('1')
    writeFileSync(gains, 'export const effort = 1')
    await store.reads(new Map(), [job])
    expect(store.load(job)).toBeUndefined()
    // of a run that was ended by memory, by patience or by what its controller left behind there is no hash, and it is done again
    store.keep(job, failed('for a test'))
    expect(store.load(job)).toBeUndefined()
  })

  test('a grid, as map and sensitivity have it, goes on too, and does again what it cannot keep', async () => {
    const kept = join(folder, '.grid')
    const job: Job = { kind: 'run', scenario, robot: '', model: scenario.models[0], dt: 1e-3 }
    const cells = [1, 2, 3].map((factor) => ({ job: { ...job, vary: { mass: factor } }, against: job }))
    const figures = (store: JobStore) =>
      new Grid({ patience: 1, threads: 0, store }).run(cells, ({ hash }, against) => [hash, against?.hash])
    const whole = await figures(new JobStore(kept, '1', false))
    expect(new Set(whole.map(([hash]) => hash)).size).toBe(3)
    const files = readdirSync(kept)
    expect(files).toHaveLength(4)
    truncateSync(join(kept, files[0]), 100)
    age(kept)
    expect(await figures(new JobStore(kept, '1', true))).toEqual(whole)
    expect(files.filter((file) => statSync(join(kept, file)).mtimeMs !== LONG_AGO)).toEqual([files[0]])
    const full = new JobStore(kept, '1', false)
    rmSync(kept, { recursive: true })
    expect(await figures(full)).toEqual(whole)
    expect(full.failure).toMatch(/cannot be written \(ENOENT: its folder does not exist\)/)
  })

  test('jobs of another version, and without resuming, are not taken over', () => {
    const files = written().length
    expect(files).toBe(9)
    const other = new JobStore(partial, '1', false)
    expect(written()).toEqual([])
    expect(other.runs).toEqual([])
  })
})

describe('progress', () => {
  const shown = (times: readonly (readonly [number, number])[], quiet = false) => {
    const lines: string[] = []
    let now = 0
    const stream = { isTTY: false, write: (text: string) => lines.push(text) > 0 }
    const progress = new Progress(quiet, stream, () => now)
    for (const [time, fraction] of times) {
      now = time
      progress.show('simulating', fraction)
    }
    return lines
  }

  test('without a terminal there is a line every ten seconds, with what is left at the rate so far', () => {
    const lines = shown([[0, 0], [5, 0.2], [10, 0.4], [15, 0.5], [20, 0.5]]) // biome-ignore format: a table
    expect(lines).toEqual(['simulating\n', 'simulating: 40 %, about 15 s left\n', 'simulating: 50 %, about 20 s left\n'])
  })

  test('what was there before does not count for the rate', () => {
    expect(shown([[0, 0], [0.5, 0.5], [10.5, 0.6]])).toEqual(['simulating\n', 'simulating: 60 %, about 40 s left\n']) // biome-ignore format: a table
  })

  test('quiet says nothing', () => {
    expect(shown([[0, 0], [20, 0.5]], true)).toEqual([]) // biome-ignore format: a table
  })
})
