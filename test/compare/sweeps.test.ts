import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Decision, sequential } from '../../compare/run/decision.ts'
import { effectsOf, type Row } from '../../compare/sweeps/effects.ts'
import { readRows } from '../../compare/sweeps/parquet.ts'
import { createRandom } from '../../dynamics/index.ts'
import { ended, featherbed, refusal, temporaryFolder } from './command.ts'

const { path, write } = temporaryFolder()
const at = (...names: string[]) => join(path, ...names)

/** A ball that is let go above the ground, 600 runs in 3 chunks. */
const drop = `
name: drop
bodies: [{ name: ball, shape: { type: sphere, radius: 5 cm }, mass: 1, position: [0, 0, 0.06] }]
duration: 0.02 s
dt: [1 ms, 2 ms]
models: [ncp, { name: penalty, lambda: 0.9 }]
seeds: 5
perturb: { position: 5 mm }
measure: { near: { kind: reached, body: ball, point: [0, 0, 0.06], tolerance: 6 mm } }
success: near
sweep: { physical.friction: [0.2, 0.5], models.penalty.lambda: [0.8, 0.9] }
sample: { count: 10, over: { vary.mass: { from: 0.5, to: 2, scale: log }, gravity: { from: 1, to: 40 } } }
`
const scenario = write('drop.yaml', drop)
const bytes = (...names: string[]) => readFileSync(at(...names))
const whole = ended(0, featherbed(['sweep', scenario, '--out', at('whole'), '--quiet']))

const rowsOf = async (file: string, columns: string[]) => {
  const all: Readonly<Record<string, unknown>>[] = []
  for await (const group of (await readRows(at(file, 'runs.parquet'))).rows(columns)) all.push(...group)
  return all
}

describe('a sweep', () => {
  test('has a row for every run, with its values, figures, success and units', async () => {
    await whole
    const rows = await rowsOf('whole', [
      'run',
      'cell',
      'model',
      'dt',
      'physical.friction',
      'models.penalty.lambda',
      'vary.mass',
      'seed',
      'status',
      'success',
      'measure.near.distance',
    ])
    expect(rows.length).toBe(10 * 2 * (1 + 2) * 2 * 5)
    expect(new Set(rows.map(({ run }) => run)).size).toBe(rows.length)
    expect(rows.every(({ status }) => status === 'ok')).toBe(true)
    // an option of one model makes no further runs of the others
    expect(rows.filter(({ model }) => model === 'ncp').every((row) => row['models.penalty.lambda'] === null)).toBe(true)
    for (const row of rows) expect(row.success).toBe((row['measure.near.distance'] as number) <= 6e-3)
    expect(new Set(rows.map((row) => row['vary.mass'])).size).toBe(10)
    const { units, about } = await readRows(at('whole', 'runs.parquet'))
    expect(units).toMatchObject({ dt: 's', penetrationMax_m: 'm', 'measure.near.t': 's' })
    expect(about.sweep).toBe('drop')
  })

  test('has the same bits run by run as one run by itself', async () => {
    await whole
    const [row] = (await rowsOf('whole', ['model', 'seed', 'hash', 'dt', 'vary.mass', 'gravity', 'physical.friction'])).filter(
      ({ seed, dt }) => seed === 4 && dt === 1e-3,
    )
    const alone = drop.replace(
      /sweep:[\s\S]*$/,
      `physical: { friction: ${row['physical.friction']} }\nvary: { mass: ${row['vary.mass']} }\ngravity: ${row.gravity}\n`,
    )
    const file = write('alone.yaml', alone)
    const { stdout } = await ended(
      0,
      featherbed(['run', file, '--model', String(row.model), '--dt', '1 ms', '--seed', '4', '--json']),
    )
    expect(stdout).toContain(String(row.hash))
  })

  test('by shards, interrupted or not, merges to the same bytes', async () => {
    await whole
    const shards = [1, 2, 3].map((i) => at(`shard${i}`))
    for (const [i, out] of shards.entries())
      await ended(0, featherbed(['compare', scenario, '--shard', `${i + 1}/3`, '--out', out, '--quiet']))
    expect(await refusal(['merge', ...shards.slice(1), '--out', at('part')])).toContain('1 of 3 chunks are missing (0)')
    await ended(0, featherbed(['merge', ...shards.toReversed(), '--out', at('merged')]))
    for (const file of ['runs.parquet', 'cells.parquet', 'runs.json', 'cells.json'])
      expect(bytes('merged', file).equals(bytes('whole', file)), file).toBe(true)
  })

  test('goes on from the chunks that lie there, and refuses those of another sweep or that were cut off', async () => {
    await whole
    mkdirSync(at('resumed', 'chunks', '0'), { recursive: true })
    for (const file of ['sweep.json', 'chunks/0/1.json']) writeFileSync(at('resumed', file), bytes('whole', file))
    expect(await refusal(['sweep', scenario, '--out', at('resumed'), '--quiet'])).toContain('--resume goes on from there')
    await ended(0, featherbed(['sweep', scenario, '--out', at('resumed'), '--resume', '--quiet']))
    expect(bytes('resumed', 'runs.parquet').equals(bytes('whole', 'runs.parquet'))).toBe(true)
    const other = write('other.yaml', drop.replace('mass: 1,', 'mass: 1.5,'))
    expect(await refusal(['sweep', other, '--out', at('resumed'), '--resume', '--quiet'])).toContain('another sweep')
    writeFileSync(at('resumed', 'chunks', '0', '2.json'), bytes('whole', 'chunks', '0', '2.json').subarray(0, -40))
    expect(await refusal(['merge', at('resumed'), '--out', at('again')])).toContain('is no whole chunk')
  })

  test('keeps a run that breaks off, and one whose values no scenario may have, as rows that say why', async () => {
    const file = write(
      'broken.yaml',
      drop.replace(
        /sweep:[\s\S]*$/,
        'sweep: { physical.restitution: [0], bodies.ball.mass: [1, 2] }\nsample: { count: 2, over: { physical.friction: { mean: 0, sd: 1e-3 } } }\n',
      ),
    )
    await ended(0, featherbed(['sweep', file, '--out', at('broken'), '--quiet']))
    const rows = await rowsOf('broken', ['status', 'failure', 'physical.friction'])
    const wrong = rows.filter((row) => (row['physical.friction'] as number) < 0)
    expect(wrong.length).toBeGreaterThan(0)
    expect(wrong.every(({ status, failure }) => status === 'failed' && String(failure).includes('at least 0'))).toBe(true)
    expect(rows.filter(({ status }) => status === 'ok').length).toBe(rows.length - wrong.length)
  })

  test('ends the seeds of a cell when its success is decided', async () => {
    const file = write(
      'decided.yaml',
      drop
        .replace('seeds: 5', 'seeds: 200\ndecide: { success: 0.5 }')
        .replace('tolerance: 6 mm', 'tolerance: 20 mm')
        .replace(/sweep:[\s\S]*$/, ''),
    )
    await ended(0, featherbed(['sweep', file, '--out', at('decided'), '--quiet']))
    const { columns, rows } = JSON.parse(bytes('decided', 'cells.json').toString()) as {
      columns: { name: string }[]
      rows: unknown[][]
    }
    const column = (name: string) => rows.map((row) => row[columns.findIndex((own) => own.name === name)])
    // all succeed: the likelihood ratio 2^n / (n + 1) passes 20 at the 8th
    expect(column('runs')).toEqual([8, 8, 8, 8])
    expect(column('decided')).toEqual(['above', 'above', 'above', 'above'])
    for (const low of column('success.low')) expect(low).toBeGreaterThan(0.5)
  })

  test('gives a page with success, distributions, what matters, and maps', async () => {
    await whole
    await ended(0, featherbed(['report', at('whole'), '--figures', 'success,measure.near.distance']))
    const page = bytes('whole', 'report.html').toString()
    for (const words of ['<h2>success</h2>', 'gravity', 'distribution of near.distance', 'of success by input'])
      expect(page).toContain(words)
    expect(await refusal(['report', at('whole'), '--figures', 'penetrationMx_m'])).toContain('Did you mean penetrationMax_m')
    expect(await refusal(['report', at('nowhere')])).toContain('is not there')
  })

  test.each([
    [['--shard', '0/3'], '--shard found "0/3"'],
    [['--shard', '4/3'], '--shard found "4/3"'],
    [['--redis', 'http://127.0.0.1:1'], 'expected redis://'],
    [['--redis', 'redis://user:secret@127.0.0.1:1'], 'redis://***@127.0.0.1:1: connect ECONNREFUSED'],
  ])('refuses %j', async (words, message) => {
    const text = await refusal(['sweep', scenario, '--out', at('refused'), '--quiet', ...words])
    expect(text).toContain(message)
    expect(text).not.toContain('secret')
    expect(existsSync(at('refused', 'runs.parquet'))).toBe(false)
  })
})

describe('the question whether a probability is above a bound', () => {
  test('is answered wrongly in at most 5 % of sequences, however often one looks', () => {
    const random = createRandom(3)
    let wrong = 0
    for (let k = 0; k < 2000; k++) {
      const decision = new Decision({ success: 0.3, confidence: 0.95 })
      for (let n = 0; n < 500 && decision.state === 'open'; n++) decision.isDecidedBy(random.next() < 0.3)
      if (decision.state !== 'open') wrong++
    }
    expect(wrong).toBeLessThanOrEqual(100)
    expect(wrong).toBeGreaterThan(20) // it does not look away either
  })

  test('has the interval of all bounds that it does not refuse', () => {
    const decided = (success: number) => {
      const decision = new Decision({ success, confidence: 0.95 })
      for (let k = 0; k < 40; k++) decision.isDecidedBy(k % 5 > 0)
      return decision.state
    }
    const [low, high] = sequential(32, 40, 0.95)
    expect([decided(low - 1e-9), decided(low + 1e-9), decided(high - 1e-9), decided(high + 1e-9)]).toEqual([
      'above',
      'open',
      'open',
      'below',
    ])
  })
})

test('shares of variance are those of a linear function, whatever else is drawn', async () => {
  const random = createRandom(1)
  const rows: Row[] = Array.from({ length: 20_000 }, () => {
    const [a, b, c] = [random.next(), random.next(), random.next()]
    return { model: 'm', a, b, c, y: 3 * a + b + 0.1 }
  })
  const [{ effects, map }] = await effectsOf(async function* () { yield rows }, ['a', 'b', 'c'], ['y']) // biome-ignore format: one call
  // variances 9/12 and 1/12, of which ten bins leave a hundredth within
  expect(effects.map(({ input }) => input)).toEqual(['a', 'b', 'c'])
  expect(effects[0].share).toBeCloseTo(0.9 * 0.99, 1.5)
  expect(effects[1].share).toBeCloseTo(0.1 * 0.99, 1.5)
  expect(effects[2].share).toBeLessThan(2e-3)
  expect(map?.cells.length).toBe(10)
})
