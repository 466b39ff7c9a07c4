/** Runs on threads: the same bits as in series, and what goes wrong in one stays in one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compare, type Results } from '../../compare/judge/compare.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import { whole } from '../dailyModels.ts'
import { blockUrdf, ended, featherbed, featherbedProcess, onlyComparison, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const block = folder.write('block.urdf', blockUrdf)

const hashes = ({ runs }: Results) => runs.map(({ robot, model, dt, hash }) => ({ robot, model, dt, hash }))

test('runs on threads have the same bits as one after the other, built or from source', async () => {
  const robots = ['diffdrive', 'humanoid']
  const models = ['penalty', 'stewart-trinkle']
  const args = ['compare', ...robots, '--models', models.join(), '--dt', '2e-3', '--duration', '0.1', '--json', '--quiet']
  const parallel = onlyComparison((await featherbed([...args, '--threads', '2'])).stdout)
  const serial = onlyComparison((await featherbed([...args, '--serial'])).stdout)
  const { results } = await compare(await checkScenario({ robots, models, dt: 2e-3, duration: 0.1 }), {
    timing: false,
    threads: 0,
  })
  expect(hashes(parallel)).toHaveLength(4)
  expect(hashes(serial)).toEqual(hashes(parallel))
  expect(hashes(results)).toEqual(hashes(parallel))
  // errors come from the references, which ran on threads too
  const errors = ({ runs }: Results) => runs.map(({ error }) => error)
  expect(errors(results)).toEqual(errors(parallel))
})

test('a crowd under seeds and a sweep has the same bits on threads, and every run says what it was', async () => {
  const file = folder.write(
    'crowd.yaml',
    `robot: diffdrive
duration: 30 ms
dt: 2 ms
models: penalty
obstacles: [{ type: ramp, length: 1, width: 1, angle: 10 deg, position: [0.5, 0, 0] }]
companions: [{ name: other, robot: block.urdf, position: [0, 1] }]
bodies: [{ name: ball, shape: { type: sphere, radius: 0.1 }, mass: 1, position: [0, 1, 0.4] }]
seeds: [3, 1]
perturb: { position: 1 cm, rotation: 1 deg, joints: 1 deg, linearVelocity: 0.1 }
sweep: { physical.friction: [0.3, 0.8] }`,
  )
  const args = ['compare', file, '--json', '--quiet']
  const parallel = onlyComparison((await featherbed([...args, '--threads', '2'])).stdout)
  const serial = onlyComparison((await featherbed([...args, '--serial', '--seed', '1'])).stdout)
  const shown = ({ runs }: Results, of: number) =>
    runs.filter(({ seed }) => seed === of).map(({ hash, model, variant, error }) => ({ hash, model, variant, error }))
  expect(serial.runs).toHaveLength(2)
  expect(shown(serial, 1)).toEqual(shown(parallel, 1))
  const { runs, verdicts, robots } = parallel
  expect(runs.map(({ seed, variant }) => `${seed} ${variant?.['physical.friction']}`)).toEqual([
    '3 0.3',
    '1 0.3',
    '3 0.8',
    '1 0.8',
  ])
  expect(new Set(runs.map(({ hash }) => hash)).size).toBe(4)
  expect(robots[0].others).toEqual(['other', 'ball'])
  expect(runs[0].tracking.map(({ robot }) => robot)).toEqual(['diffdrive', 'other'])
  expect(verdicts).toHaveLength(1)
})

describe('a controller that goes wrong ends its own run; the others go on', () => {
  test('whatever it does, now or later', async () => {
    /** By the loop's period [ms], which is the run's step; the smallest step, and with it the reference, is well. */
    const wrongs: Record<number, readonly [string, RegExp]> = {
      2: ['throw new Error("no idea")', /controller "wrong\.js": update threw at t = 0\.01.* s: no idea/],
      3: ['return new Array(memory.n).fill(NaN)', /update returned NaN in entry 0.* t = 0\.01/],
      4: ['return [1]', /update returned 1 entries at t = 0\.01.* s; it must return one effort for each of the 2/],
      5: ['for (;;) {}', /controller did not return within 0.5 s at t = 0\.02 s/],
      6: ['process.exit(0)', /ended by itself with code 0/],
      7: ['setTimeout(() => process.exit(0), 5)', /ended by itself with code 0/],
      8: ['setTimeout(() => { throw new Error("late") }, 5)', /left a timer or a promise behind that failed: late/],
      10: ['Promise.reject(new Error("nope"))', /left a timer or a promise behind that failed: nope/],
    }
    const cases = Object.entries(wrongs).map(([period, [wrong]]) => `case ${period}: ${wrong}; break`)
    const file = folder.write(
      'wrong.js',
      `export default {
        rate: 1000,
        init: ({ period, robot }) => ({ period: Math.round(1e3 * period), n: robot.joints.length }),
        update: ({ t, memory }) => {
          if (t > 0.015) switch (memory.period) { ${cases.join('\n')} }
          return new Array(memory.n).fill(0)
        },
      }`,
    )
    const steps = ['1', ...Object.keys(wrongs)].map((period) => `${period} ms`)
    const scenario = { robot: 'diffdrive', controller: file, duration: '0.05 s', models: 'penalty', dt: steps, patience: '0.5 s' }
    const { stdout } = await ended(
      0,
      featherbed(['compare', folder.write('wrong.json', JSON.stringify(scenario)), '--json', '--quiet']),
    )
    const { runs, verdicts } = onlyComparison(stdout)
    expect(runs).toHaveLength(steps.length)
    for (const { dt, status, failure } of runs) {
      const message = wrongs[Math.round(1e3 * dt)]?.[1]
      expect({ dt, status }).toEqual({ dt, status: message ? 'failed' : 'ok' })
      if (message) expect(failure).toMatch(message)
      else expect(failure).toBeNull()
    }
    expect(verdicts).toHaveLength(1)
  })

  whole('init that never returns, and a top level that never returns', async () => {
    for (const [name, source] of [
      ['init.js', 'export default { init() { for (;;) {} }, update: () => [0, 0] }'],
      ['top.js', 'for (;;) {}\nexport default { init() {}, update: () => [0, 0] }'],
    ]) {
      const file = folder.write(name, source)
      const { stdout } = await ended(
        1,
        featherbed(['run', 'diffdrive', '--controller', file, '--patience', '0.3', '--json', '--quiet']),
      )
      expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', failure: expect.stringContaining('did not return') })
    }
  })

  test('what a controller prints goes to stderr', async () => {
    const file = folder.write('talks.js', 'export default { init() { console.log("hello there") }, update: () => [0, 0] }')
    const { stdout, stderr } = await featherbedProcess(['run', 'diffdrive', '--controller', file, '--duration', '0.01', '--json'])
    expect(() => JSON.parse(stdout)).not.toThrow()
    expect(stderr).toContain('hello there')
  })
})

test('a controller’s options arrive: texts as texts, expressions as numbers and functions of t', async () => {
  folder.write(
    'options.js',
    `export default {
      init: ({ options }) => { if (options.side !== 'left' || options.reach !== 0.1 || options.seed !== 4) throw new Error(JSON.stringify(options)); return {} },
      update: () => [0, 0],
      metrics: () => ({ answer: 42 }),
    }`,
  )
  folder.write(
    'options.yaml',
    'robot: diffdrive\nseed: 4\nduration: 10 ms\nmodels: penalty\ndt: 1 ms\ncontroller: { file: options.js, options: { side: left, reach: "=10 cm" } }',
  )
  const { stdout } = await featherbed(['run', join(folder.path, 'options.yaml'), '--json', '--quiet'])
  expect(JSON.parse(stdout)).toMatchObject({ status: 'ok', controllerMetrics: { answer: 42 } })
})

test('names with HTML in them are shown, not obeyed', async () => {
  const name = '<script>alert(1)</script>'
  const urdf = folder.write('evil.urdf', blockUrdf.replace('name="block"', 'name="&lt;script&gt;alert(1)&lt;/script&gt;"'))
  const out = join(folder.path, 'evil')
  await ended(0, featherbed(['compare', urdf, '--duration', '0.02', '--models', 'penalty', '--out', out, '--quiet']))
  const html = readFileSync(join(out, 'report.html'), 'utf8')
  expect(html).not.toContain(name)
  expect(html).toContain('&lt;script&gt;alert(1)')
})

test('a run that blows up fails with a reason, and the verdict says that it failed', async () => {
  const scenario = await checkScenario({
    robots: [block],
    duration: 0.2,
    dt: [1e-2],
    models: ['penalty'],
    physical: { stiffness: 1e9, damping: 1e9 },
    start: { position: [0, 0, 0.05] },
  })
  const { results } = await compare(scenario, { timing: false, threads: 0 })
  const [run] = results.runs
  if (run.status === 'failed') {
    expect(run.failure).toMatch(/is not finite after step/)
    expect(results.verdicts[0].reasons[0]).toContain('breaks off')
  } else expect(run.missed.length).toBeGreaterThan(0)
  expect(results.verdicts[0].model).toBeNull()
})

test('a closed form in the scenario is what errors are taken against: free fall', async () => {
  const scenario = await checkScenario({
    robots: [block],
    ground: false,
    duration: 0.5,
    dt: [1e-3],
    models: ['penalty'],
    start: { position: [0, 0, 3], linearVelocity: [2, 0, 0] },
    exact: { x: '2*t', y: '0', z: '3 - 9.81*t^2/2', energy: '0' },
  })
  const { results } = await compare(scenario, { timing: false, threads: 0 })
  const { error } = results.runs[0]
  expect(error?.against).toBe('closed form')
  // semi-implicit Euler falls g t dt / 2 further than exactly: root mean square over 0.5 s, over the 1.58 m that it travels
  const expected = (9.81 * 1e-3 * 0.5) / 2 / Math.sqrt(3) / Math.hypot(1, (9.81 * 0.25) / 2)
  expect(error?.tracking).toBeGreaterThan(0.98 * expected)
  expect(error?.tracking).toBeLessThan(1.02 * expected)
})

test('what a surface states and no model reads is named; how surfaces make a pair decides the friction that acts', async () => {
  // ground of 0.2 and a block of 0.8 at 1.5 m/s: the smaller is 0.2, the geometric mean 0.4
  for (const [combine, mu] of [
    [{}, 0.2],
    [{ friction: 'geometric-mean' }, 0.4],
  ] as const) {
    const { results } = await compare(
      await checkScenario({
        robots: [block],
        models: ['stewart-trinkle'],
        dt: 1e-3,
        duration: 0.2,
        ground: { friction: 0.2, staticFriction: 0.3 },
        materials: { body: { friction: 0.8, stiffness: 1e4 } },
        combine,
        start: { linearVelocity: [1.5, 0, 0] },
        exact: { x: `1.5*t - 0.5*${mu}*9.81*t^2` },
      }),
      { threads: 0 },
    )
    const [run] = results.runs
    expect(run.parameters?.unused).toContain('stiffness of a surface')
    expect(run.parameters?.unused).not.toContain('staticFriction of a surface')
    // an Euler step brakes half a step early: mu g dt t / 2 = 0.4 mm of 0.3 m
    expect(run.error?.against).toBe('closed form')
    expect(run.error?.tracking).toBeLessThan(2e-3)
  }
})
