/** `--untrusted` and `untrusted: true`: a script in a sandbox, from the command line. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleIn, unpackBundle } from '../../compare/judge/bundle.ts'
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
    expect.stringMatching(/needed more than 0\.2 GB of memory; --memory allows it more/),
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
