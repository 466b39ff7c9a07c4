/**
 * The same bits under other engines, and no growth: this Node without its optimising compilers, and the Nodes whose paths FEATHERBED_NODES
 * lists with ":" between them. All with FEATHERBED_FULL=1.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { full } from '../dailyModels.ts'
import { main, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const dist = fileURLToPath(new URL('../../dist', import.meta.url))
const script = folder.write(
  'own.ts',
  `import { gravityForces } from 'featherbed/dynamics'
  export default {
    init: ({ robot, model }) => ({ tau: new Float64Array(model.nv), efforts: new Float64Array(robot.joints.length) }),
    update({ t, q, v, robot, model, state, data, memory: { tau, efforts } }) {
      gravityForces(model, state, data, tau)
      robot.joints.forEach(({ qIndex, vIndex }, j) => {
        efforts[j] = tau[vIndex] + 20 * (robot.home[qIndex] + 0.1 * Math.sin(9 * t) - q[qIndex]) - (1 + t) ** 1.5 * v[vIndex]
      })
      return efforts
    },
  }`,
)
const runs: Readonly<Record<string, readonly string[]>> = {
  'own controllers, all models': ['diffdrive', '--duration', '0.2', '--dt', '2e-3'],
  'a trot': ['quadruped', '--models', 'penalty,lcp,stewart-trinkle,mujoco', '--duration', '0.2', '--dt', '2e-3'],
  'a script': ['quadruped', '--controller', script, '--models', 'ncp', '--duration', '0.2', '--dt', '1e-3'],
  'a script in a sandbox': [
    'quadruped',
    '--controller',
    script,
    '--untrusted',
    '--models',
    'ncp',
    '--duration',
    '0.2',
    '--dt',
    '1e-3',
  ],
}

function hashes(node: string, flags: readonly string[], words: readonly string[]): readonly string[] {
  const args = [...flags, main, 'compare', ...words, '--no-timing', '--json', '--quiet']
  const { stdout, stderr } = spawnSync(node, args, { encoding: 'utf8', maxBuffer: 1e9 })
  if (stdout === '') throw new Error(stderr)
  const { comparisons } = JSON.parse(stdout) as { comparisons: { runs: { model: string; status: string; hash: string }[] }[] }
  return comparisons.flatMap((one) => one.runs.map(({ model, status, hash }) => `${model} ${status} ${hash}`))
}

describe.runIf(full)('the same hashes', () => {
  const engines = [
    [process.execPath, '--no-opt'],
    [process.execPath, '--jitless'],
    ...(process.env.FEATHERBED_NODES ?? '').split(':').flatMap((path) => (path === '' ? [] : [[path]])),
  ]
  // a sandbox is WebAssembly, which is compiled
  for (const [name, words] of Object.entries(runs))
    for (const [node, ...flags] of engines)
      test.runIf(!(words.includes('--untrusted') && flags.includes('--jitless')))(`${name}: ${node} ${flags.join(' ')}`, () => {
        const expected = hashes(process.execPath, [], words)
        expect(expected.every((run) => run.includes(' ok '))).toBe(true)
        expect(hashes(node, flags, words)).toEqual(expected)
      })
})

test.runIf(full)('a million steps keep no more memory than a hundred thousand', () => {
  const code = `
    const { loadOwnRobot } = await import('${dist}/robots/files.js')
    const { createControllerLoop, defaultControllerFor } = await import('${dist}/control/index.js')
    const { World } = await import('${dist}/simulation/index.js')
    const robot = loadOwnRobot('diffdrive')
    const controller = createControllerLoop(defaultControllerFor(robot), robot)
    const world = new World({ robot, contactModel: 'penalty', dt: 1e-3, controller })
    const keptAfter = (steps) => {
      while (world.stepCount < steps) world.step()
      gc()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      return heapUsed + arrayBuffers
    }
    const first = keptAfter(1e5)
    console.log(keptAfter(1e6) - first)`
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], { encoding: 'utf8' })
  expect(stdout).toMatch(/\d/)
  expect(Number(stdout)).toBeLessThan(1e5) // bytes: 0.1 a step
})
