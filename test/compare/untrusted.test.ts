/** `--untrusted` and `untrusted: true`: a script in a sandbox, from the command line. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Reopened, reopen } from '../../compare/cli/reopen.ts'
import { bundleIn, packBundle, unpackBundle } from '../../compare/judge/bundle.ts'
import type { ResultsFile } from '../../compare/judge/compare.ts'
import { featherbed, onlyComparison, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const text = `import { gravityForces } from 'featherbed/dynamics'
export default {
  init: ({ robot, model, options }) => ({ n: robot.joints.length, tau: new Float64Array(model.nv), efforts: new Float64Array(robot.joints.length), gain: options.gain }),
  update({ t, q, v, robot, model, state, data, memory }) {
    gravityForces(model, state, data, memory.tau)
    robot.joints.forEach(({ qIndex, vIndex }, j) => {
      memory.efforts[j] = memory.tau[vIndex] + 3 * (robot.home[qIndex] - q[qIndex]) - 0.3 * v[vIndex] + (memory.gain?.(t) ?? 0) * Math.exp(-t)
    })
    return memory.efforts
  },
  metrics: ({ t }) => ({ end_s: t }),
}`
const walk = folder.write('walk.ts', text.replace('gain: options.gain', ''))
/** Imports nothing, whose loading takes a second in a sandbox. */
const plain = (line: string) =>
  `export default { init: ({ robot }) => new Float64Array(robot.joints.length), update({ t, memory }) { ${line}; return memory } }`
const short = ['--duration', '0.1', '--quiet', '--json']
interface Run {
  readonly status: string
  readonly failure: string | null
  readonly hash: string
  readonly controllerMetrics: object
}
const run = async (...args: string[]) => JSON.parse((await featherbed(['run', 'quadruped', ...args, ...short])).stdout) as Run

test('a run has the hash and the metrics of the trusted one', async () => {
  const [trusted, untrusted] = [await run('--controller', walk), await run('--controller', walk, '--untrusted')]
  expect(trusted.status).toBe('ok')
  expect(untrusted.hash).toBe(trusted.hash)
  expect(untrusted.controllerMetrics).toEqual(trusted.controllerMetrics)
})

test('the flag and the field put the script in a sandbox, and nothing else does', async () => {
  const throwing = folder.write(
    'throwing.ts',
    text.replace('gravityForces(model', 'if (typeof process === "undefined") throw new Error("inside"); gravityForces(model'),
  )
  expect((await run('--controller', throwing)).status).toBe('ok')
  expect((await run('--controller', throwing, '--untrusted')).failure).toMatch(/update threw at t = 0\.00000 s: inside/)
  const scenario = folder.write(
    'scenario.yaml',
    `robot: quadruped\ncontroller: { file: throwing.ts, untrusted: true }\nduration: 0.05\nmodels: penalty\ndt: 1e-3\n`,
  )
  const { stdout } = await featherbed(['compare', scenario, '--json', '--quiet'])
  expect(onlyComparison(stdout).runs.map(({ failure }) => failure)).toEqual([expect.stringMatching(/inside/)])
})

test('one that never returns is ended within its patience, one that needs memory by its limit; the others go on', async () => {
  const well = folder.write('well.ts', plain(''))
  const loop = folder.write('loop.ts', plain('if (t > 0.01) for (;;) {}'))
  const fat = folder.write('fat.ts', plain('const all = []; for (;;) all.push(new Float64Array(1e5))'))
  const top = folder.write('top.ts', `for (;;) {}\n${plain('')}`)
  const scenario = folder.write(
    'sweep.json',
    JSON.stringify({
      robot: 'quadruped',
      duration: 0.05,
      models: 'penalty',
      dt: 1e-3,
      patience: 0.3,
      memory: 0.2,
      sweep: { controller: [well, loop, fat, top] },
    }),
  )
  const { stdout } = await featherbed(['compare', scenario, '--untrusted', '--json', '--quiet'])
  const { comparisons } = JSON.parse(stdout) as ResultsFile
  expect(comparisons.flatMap(({ runs }) => runs.map(({ failure }) => failure))).toEqual([
    null,
    expect.stringMatching(/update threw at t = 0\.012\d* s: it did not return within 0.3 s/),
    expect.stringMatching(/needed more than 0\.2 GB of memory; --memory raises the limit/),
    expect.stringMatching(/threw while it was loaded: it did not return within 0.3 s/),
  ])
})

test('a report that somebody sent runs again in a sandbox, with the same hashes', async () => {
  const out = join(folder.path, 'out')
  const first = await featherbed([
    'compare',
    'quadruped',
    '--controller',
    walk,
    '--models',
    'penalty',
    '--dt',
    '1e-3',
    ...short,
    '--out',
    out,
  ])
  expect(first.code).toBe(0)
  const again = await featherbed(['compare', join(out, 'results.json'), '--untrusted', '--json', '--quiet'])
  expect(onlyComparison(again.stdout).runs.map(({ hash }) => hash)).toEqual(
    onlyComparison(first.stdout).runs.map(({ hash }) => hash),
  )
  expect(again.stderr).not.toMatch(/runs with your rights/)
})

test('a script that imports from elsewhere fails, and what it names is not put into the report', async () => {
  folder.write('secret.json', '{"key": "of nobody else"}')
  mkdirSync(join(folder.path, 'sent'))
  const spy = folder.write(
    join('sent', 'spy.ts'),
    `import secret from '../secret.json'\n${text.replace('options.gain', 'secret')}`,
  )
  const out = join(folder.path, 'spied')
  const only = ['--models', 'penalty', '--dt', '1e-3', ...short, '--out', out]
  const { stdout } = await featherbed(['compare', 'quadruped', '--controller', spy, '--untrusted', ...only])
  expect(onlyComparison(stdout).runs[0].failure).toMatch(/cannot import .*secret\.json, which is outside of its folder/)
  const { files } = unpackBundle(bundleIn(readFileSync(join(out, 'results.json'), 'utf8')) as string)
  expect([...files.keys()]).toEqual(['controllers/0/spy.ts'])
})

describe('a report that a stranger changed', () => {
  /** Results of one run on the quadruped for 0.05 s, with its scenario and its script replaced. */
  async function sent(name: string, change: (scenario: Record<string, unknown>) => object, script = plain('')): Promise<string> {
    const out = join(folder.path, 'original')
    const of = ['quadruped', '--controller', folder.write('sent.ts', plain('')), '--models', 'penalty,lcp', '--dt', '1e-3,2e-3']
    if (!existsSync(out)) await featherbed(['compare', ...of, '--duration', '0.05', '--no-timing', '--quiet', '--out', out])
    const bundle = unpackBundle(bundleIn(readFileSync(join(out, 'results.json'), 'utf8')) as string)
    const scenarios = bundle.scenarios.map((scenario) => ({ ...scenario, ...change({ ...scenario }) })) as typeof bundle.scenarios
    const files = new Map([...bundle.files].map(([file]) => [file, Buffer.from(script)] as const))
    return folder.write(name, JSON.stringify({ comparisons: [], bundle: packBundle({ ...bundle, scenarios, files }) }))
  }
  const again = (path: string, ...flags: string[]) =>
    featherbed(['compare', path, '--untrusted', '--json', '--no-timing', ...flags])
  const failures = (stdout: string) => onlyComparison(stdout).runs.map(({ failure }) => failure)

  test('has the patience of this program, whatever it asks for, and what a flag allows', async () => {
    const path = await sent(
      'patient.json',
      () => ({ patience: 1e9, memory: 1e3, stepBudget: 1e99 }),
      plain('if (t > 0.01) for (;;) {}'),
    )
    const one = await again(path, '--models', 'penalty', '--dt', '1e-3')
    expect(failures(one.stdout)).toEqual([expect.stringMatching(/it did not return within 5 s; --patience raises the limit/)])
    expect(one.stderr).toMatch(/requests patience 1000000000 s and gets 5; --patience raises it/)
    expect(one.stderr).toMatch(/requests memory 1000 GB and gets 1.5; --memory raises it/)
    expect(one.stderr).toMatch(/requests stepBudget 1e\+99 multiply-adds and gets 10000000000; --step-budget raises it/)
    const other = await again(path, '--models', 'penalty', '--dt', '1e-3', '--patience', '0.1', '--quiet')
    expect(failures(other.stdout)).toEqual([expect.stringMatching(/it did not return within 0.1 s/)])
    expect(other.stderr).not.toMatch(/requests/)
  })

  test('is run as far as flags say: models, steps, seeds and seconds', async () => {
    const path = await sent('wide.json', () => ({}))
    const narrow = await again(path, '--models', 'lcp', '--dt', '2e-3')
    expect(onlyComparison(narrow.stdout).runs.map(({ model, dt }) => [model, dt])).toEqual([['lcp', 2e-3]])
    expect((JSON.parse(narrow.stdout) as { again: object }).again).toMatchObject({ runs: 1, same: 1 })
    const short = await again(path, '--models', 'lcp', '--duration', '0.02')
    expect(onlyComparison(short.stdout).scenario.duration).toBe(0.02)
    expect(JSON.parse(short.stdout)).not.toHaveProperty('again')
    expect((await again(path, '--seed', '7')).stderr).toMatch(/holds no run of the models, steps and seeds that the flags name/)
  })

  test('names no program to start for an engine outside', async () => {
    const real = { name: 'MuJoCo 3', options: { python: join(folder.path, 'program') } }
    const path = await sent('program.json', ({ models }) => ({ models: [...(models as object[]), real] }))
    const { scenarios, folder: own } = (await reopen([path], { untrusted: true })) as Reopened
    rmSync(own, { recursive: true })
    expect(scenarios[0].models.at(-1)).toEqual({ name: 'MuJoCo 3', options: {} })
  })

  test('reads no table of this machine', async () => {
    const table = folder.write('own.csv', 't,secret\n0,1\n')
    const own = { builtIn: 'computed-torque', options: { trajectory: { kind: 'quintic', file: table } } }
    const { stderr } = await again(await sent('table.json', () => ({ controller: own })))
    expect(stderr).toMatch(/its scenario names the file ".*own\.csv", which it does not hold/)
    const both = { ...own, file: 'controllers/0/sent.ts' }
    expect((await again(await sent('both.json', () => ({ controller: both })))).stderr).toMatch(/needs either a name or a file/)
  })

  test('has its scenario checked as a file has', async () => {
    const ray = { name: 'a', type: 'rays', link: 'trunk', from: 0, to: 0, range: 10, count: 1e9 }
    for (const [name, change, message] of [
      ['dt', { dt: [1e-300] }, /dt\[0\]: found 1e-300, expected at least 1e-7 s/],
      ['seeds', { seeds: Array.from({ length: 5000 }, (_, i) => i) }, /requests 20000 runs .* at most 10000 are made/],
      ['rays', { sensors: [ray] }, /sensors\[0\]\.count: found 1000000000, expected at most 10000/],
      ['model', { models: [{ name: 'penalty', options: { nosuch: 1 } }] }, /has no option "nosuch"|nosuch/],
      ['text', { duration: {} }, /duration: found \{\}, expected a number/],
      ['field', { nosuch: 1 }, /nosuch: is not a field here/],
      ['shape', { bodies: 5 }, /bodies: found 5, expected a list/],
      ['none', { models: null }, /its scenarios cannot be read/],
    ] as const) {
      const { code, stderr } = await again(await sent(`${name}.json`, () => change))
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) })
    }
  })
})
