/**
 * A command that is killed or interrupted at any moment leaves what was finished, whole; with --resume it ends in the same bytes as one
 * that was not. One of each daily, two hundred in all with FEATHERBED_FULL=1; seeded.
 *
 * Not the same bytes are the times that a computer took and how busy it was: of results.json `cost`, `step_us`, `realTimeFactor`, `machine`,
 * the verdicts and notes that costs decide, and the report, which shows them; of map.json, made without timing, and of other studies nothing.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { McapStreamReader } from '@mcap/core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ResultsFile } from '../../compare/judge/compare.ts'
import { Random } from '../../compare/scenario/world/random.ts'
import { hasEnded } from '../../control/ownFiles.ts'
import { full } from '../dailyModels.ts'
import { featherbed, main, temporaryFolder } from './command.ts'

/** Of each of compare, run and map. */
const COUNT = full ? 67 : 1
/** Of `run`, at 1 ms [s]. */
const DURATION = full ? 20 : 2
const signals = ['SIGKILL', 'SIGINT', 'SIGTERM'] as const

const folder = temporaryFolder()
const scenario = folder.write(
  'drop.yaml',
  'name: drop\nbodies: [{ name: ball, shape: { type: sphere, radius: 5 cm }, mass: 1, position: [0, 0, 0.06] }]\n' +
    'duration: 0.3\ndt: 1e-3\nmodels: [penalty, ncp]\n',
)
const place = (name: string) => {
  const path = join(folder.path, name)
  mkdirSync(path, { recursive: true })
  return path
}

/** Starts a command and ends it once it has come so far, unless it ends before. @returns how it ended */
function broken(
  args: readonly string[],
  isReached: (pid: number) => boolean,
  signal: NodeJS.Signals,
): Promise<number | NodeJS.Signals | null> {
  const child: ChildProcess = spawn(process.execPath, [main, ...args, '--quiet'], {
    stdio: 'ignore',
  })
  const watch = setInterval(() => {
    if (!isReached(child.pid as number)) return
    clearInterval(watch)
    child.kill(signal)
  }, 5)
  return new Promise((resolve) =>
    child.once('exit', (code, ended) => {
      clearInterval(watch)
      resolve(ended ?? code)
    }),
  )
}

/** Whether a command has so many jobs done, with 0 that it has begun to write into its folder. */
const hasDone = (out: string, jobs: number) =>
  jobs === 0 ? existsSync(out) && readdirSync(out).length > 0 : filesIn(join(out, '.partial')).length >= jobs
const filesIn = (path: string) => (existsSync(path) ? readdirSync(path).filter((name) => !name.startsWith('.')) : [])
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? -1

/** What a file of results holds that no clock says. */
function untimed(path: string): unknown {
  const { comparisons } = JSON.parse(readFileSync(path, 'utf8')) as ResultsFile
  return comparisons.map(({ scenario, robots, truths, runs }) => ({
    scenario,
    robots,
    truths,
    runs: runs.map(({ cost: _cost, error, missed: _, metrics, ...run }) => ({
      ...run,
      error: error && { ...error, note: null },
      metrics: { ...metrics, step_us: null, realTimeFactor: null },
    })),
  }))
}

const jsonIn = (path: string) =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : undefined
const leftIn = (path: string) => readdirSync(path).filter((name) => name.startsWith('.'))
/** Whether a command's temporary folder is there, for some looks. */
const hasFolder = (random: Random) => {
  let looks = Math.floor(30 * random.next())
  return (pid: number) => readdirSync(tmpdir()).some((name) => name.includes(`-${pid}-`)) && looks-- === 0
}
/** Temporary folders of processes that have ended. */
const temporary = () =>
  readdirSync(tmpdir()).filter((name) => hasEnded(/^featherbed-([0-9a-f]{8}-\d+-\d+)-/.exec(name)?.[1] ?? ''))

describe('ended at random moments', () => {
  let whole: unknown
  const runArgs = ['run', scenario, '--model', 'penalty', '--dt', '1e-3', '--duration', String(DURATION)]
  const printed = ['--no-timing', '--json', '--quiet']
  /** Studies, the jobs that each has at least, and how often each is ended. */
  const studies: Readonly<Record<string, readonly [words: readonly string[], jobs: number, count: number]>> = {
    map: [['--over', 'dt=1ms..4ms/3,friction=0.1..1/2', '--models', 'penalty', '--duration', '0.2', '--no-timing'], 6, COUNT],
    tune: [['--duration', '0.1'], 12, 20],
    sensitivity: [['--models', 'penalty', '--duration', '0.1'], 6, 20],
    transfer: [['--controllers', 'hold,none', '--models', 'penalty,ncp', '--duration', '0.1'], 4, 20],
  }

  beforeAll(async () => {
    await featherbed(['compare', scenario, '--out', place('whole'), '--quiet'])
    whole = untimed(join(folder.path, 'whole', 'results.json'))
  })

  test('compare: what was finished is there, and --resume ends the same', async () => {
    let stopped = 0
    for (let i = 0; i < COUNT; i++) {
      const jobs = Math.floor(5 * new Random(11, i).next()) // two runs, two references
      const out = place(`compare-${i}`)
      const ended = await broken(['compare', scenario, '--out', out], () => hasDone(out, jobs), signals[i % 3])
      const results = join(out, 'results.json')
      if (existsSync(results)) expect(untimed(results)).toEqual(whole)
      else stopped++
      const partial = jsonIn(join(out, 'results.partial.json'))
      if (partial)
        for (const run of partial.finished as object[]) expect(run).toMatchObject({ model: expect.any(String), status: 'ok' })
      if (typeof ended === 'number' && ended !== 0) expect([130, 143]).toContain(ended)
      const resumed = await featherbed(['compare', scenario, '--out', out, '--quiet', '--resume'])
      expect(resumed).toMatchObject({ code: 0, stderr: '' })
      expect(untimed(results)).toEqual(whole)
      expect(leftIn(out)).toEqual([])
      expect(readdirSync(out).sort()).toEqual(['report.html', 'results.json'])
      rmSync(out, { recursive: true })
    }
    if (full) expect(stopped).toBeGreaterThan(COUNT / 3)
  })

  test('run --record: the recording can be read to where the run was, and the results of a signal are whole', async () => {
    let stopped = 0
    for (let i = 0; i < COUNT; i++) {
      const bytes = new Random(12, i).next() * DURATION * 1e6 // a thousand for each of its steps
      const signal = signals[i % 3]
      const out = place(`run-${i}`)
      const [recording, checkpoint] = ['r.mcap', 'c.json'].map((name) => join(out, name))
      const args = [...runArgs, '--record', recording, '--checkpoint', checkpoint, '--out', out]
      const ended = await broken(args, () => sizeOf(recording) >= bytes, signal)
      if (ended !== 0) stopped++
      if (existsSync(recording)) {
        const { frames, isClosed } = framesIn(recording)
        expect(frames.every((step, k) => step === k)).toBe(true)
        if (ended === 0) expect(frames.length).toBe(1000 * DURATION + 1)
        if (ended === 0 || typeof ended === 'number') expect(isClosed).toBe(true)
      }
      const result = jsonIn(join(out, 'run.json'))
      if (ended === 130 || ended === 143) {
        // the signal may come when only the times are still taken
        if (result?.status === 'ok') expect(result.steps).toBe(1000 * DURATION)
        else expect(result).toMatchObject({ status: 'failed', failure: expect.stringMatching(/^interrupted/) })
        if (result?.status === 'failed' && existsSync(checkpoint) && full) {
          const rest = await featherbed(['run', scenario, '--from', checkpoint, '--duration', String(DURATION), ...printed])
          expect(JSON.parse(rest.stdout).hash).toBe(await hashOfRun())
        }
      }
      // the next command is not kept out by what is left
      if (!full) continue
      const again = await featherbed([...args.slice(0, 7), '0.01', ...args.slice(8), '--quiet', '--no-timing'])
      expect(again).toMatchObject({ code: 0, stderr: '' })
      expect(leftIn(out)).toEqual([])
      rmSync(out, { recursive: true })
    }
    if (full) expect(stopped).toBeGreaterThan(COUNT / 3)
  })

  let hash: Promise<string> | undefined
  const hashOfRun = () => {
    hash ??= featherbed([...runArgs, ...printed]).then(({ stdout }) => JSON.parse(stdout).hash as string)
    return hash
  }

  for (const [verb, [words, most, count]] of Object.entries(studies))
    test.runIf(full)(`${verb}: --resume ends in the same bytes`, async () => {
      const out = place(verb)
      const args = [verb, verb === 'transfer' ? 'diffdrive' : scenario, ...words, '--out', out]
      const figures = join(out, `${verb}.json`)
      expect((await featherbed([...args, '--quiet'])).code).toBe(0)
      const [whole, files] = [readFileSync(figures, 'utf8'), readdirSync(out).sort()]
      let stopped = 0
      for (let i = 0; i < count; i++) {
        const jobs = Math.floor((most + 1) * new Random(13, i).next())
        rmSync(out, { recursive: true })
        await broken(args, () => hasDone(out, jobs), signals[i % 3])
        if (existsSync(figures)) expect(readFileSync(figures, 'utf8')).toBe(whole)
        else stopped++
        const resumed = await featherbed([...args, '--quiet', '--resume'])
        expect(resumed).toMatchObject({ code: 0, stderr: '' })
        expect(readFileSync(figures, 'utf8')).toBe(whole)
        expect(readdirSync(out).sort()).toEqual(files)
      }
      expect(stopped).toBeGreaterThan(count / 3)
    })

  // a file system of 64 kB, which root may make
  const small = place('small')
  const mount = (...options: string[]) => spawnSync('mount', ['-t', 'tmpfs', '-o', options.join(), 'none', small]).status === 0
  const hasSmall = full && mount('size=64k')
  test.runIf(hasSmall)(
    'compare on a full disk says so and keeps whole files; with --resume on more of it, it ends the same',
    async () => {
      try {
        const args = ['compare', scenario, '--out', join(small, 'out')]
        const first = await featherbed([...args, '--quiet'])
        expect(first).toMatchObject({ code: 1, stderr: expect.stringMatching(/ENOSPC: the disk is full/) })
        for (const name of ['results.json', 'results.partial.json']) jsonIn(join(small, 'out', name))
        expect(mount('remount', 'size=20m')).toBe(true)
        expect(await featherbed([...args, '--quiet', '--resume'])).toMatchObject({ code: 0, stderr: '' })
        expect(untimed(join(small, 'out', 'results.json'))).toEqual(whole)
        expect(readdirSync(join(small, 'out')).sort()).toEqual(['report.html', 'results.json'])
      } finally {
        spawnSync('umount', [small])
      }
    },
  )

  test.runIf(full)('a controller script and a report that is opened again leave no temporary folder behind', async () => {
    const script = folder.write('push.ts', 'export default { init: () => 0, update: ({ robot }) => robot.joints.map(() => 0) }\n')
    const out = place('scripted')
    const args = ['diffdrive', '--controller', script, '--models', 'penalty', '--dt', '1e-3', '--duration', '0.2', '--quiet']
    await featherbed(['compare', ...args, '--out', out])
    for (let i = 0; i < 20; i++) {
      const random = new Random(14, i)
      await broken(['compare', join(out, 'report.html')], hasFolder(random), signals[i % 3])
      await broken(['compare', ...args], hasFolder(random), signals[(i + 1) % 3])
    }
    await featherbed(['run', ...args.filter((word) => !['--models', 'penalty'].includes(word))])
    expect(temporary()).toEqual([])
  })
})

/** The steps of the state messages in order, and whether it has its end. */
function framesIn(path: string): { frames: number[]; isClosed: boolean } {
  const reader = new McapStreamReader()
  const frames: number[] = []
  let [topic, isClosed] = [-1, false]
  reader.append(readFileSync(path))
  for (let record = reader.nextRecord(); record; record = reader.nextRecord()) {
    if (record.type === 'Channel' && record.topic === '/solver') topic = record.id
    if (record.type === 'Message' && record.channelId === topic)
      frames.push(JSON.parse(new TextDecoder().decode(record.data)).step)
    if (record.type === 'Footer') isClosed = true
  }
  return { frames, isClosed }
}
