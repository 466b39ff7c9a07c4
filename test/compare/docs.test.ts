import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { builtInControllers } from '../../compare/controllers.ts'
import { metricDefinitions } from '../../compare/metricDefinitions.ts'
import { doJob } from '../../compare/run.ts'
import { parseScenario } from '../../compare/scenario.ts'
import { checkWorlds, prepareWorld, resolvePaths, subjectsOf } from '../../compare/setup.ts'
import { integrateConfiguration } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { temporaryFolder } from './command.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const examples = join(docs, 'examples')

test('docs/metrics.md defines every metric', () => {
  const text = readFileSync(join(docs, 'metrics.md'), 'utf8')
  for (const key of Object.keys(metricDefinitions)) expect(text).toContain(`\`${key}\``)
})

test('every page of docs that another names is there', () => {
  for (const page of readdirSync(docs).filter((file) => file.endsWith('.md'))) {
    const text = readFileSync(join(docs, page), 'utf8')
    for (const [, link] of text.matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect(existsSync(join(docs, link)), `${page}: ${link}`).toBe(true)
  }
})

describe('docs/controllers.md', () => {
  const text = readFileSync(join(docs, 'controllers.md'), 'utf8')
  const folder = temporaryFolder()
  const [, source] = /```ts\n(.*?)```/s.exec(text) as RegExpExecArray
  const [, yaml] = /```yaml\n(.*?)```/s.exec(text) as RegExpExecArray

  test('shows a controller and a scenario that run', async () => {
    folder.write('my_controller.ts', source)
    const file = folder.write('my.yaml', yaml)
    const read = await parseScenario(yaml, file, { duration: 0.05, dt: [1e-3] })
    const scenario = resolvePaths(read, file)
    const [model] = read.models
    const outcome = await doJob({ kind: 'run', scenario, robot: 'diffdrive', model, dt: 1e-3 })
    expect(outcome).toMatchObject({ status: 'ok', failure: '', controllerMetrics: { worstError_rad: expect.any(Number) } })
  })
})

describe('docs/conventions.md', () => {
  test('tells the order of q and v: base first, then the joints in the order of the velocities', async () => {
    const { floating, joints, model } = await loadOwnRobot('humanoid')
    expect({ floating, nq: model.nq - model.nv }).toEqual({ floating: true, nq: 1 })
    expect(joints.map(({ qIndex }) => qIndex)).toEqual(joints.map((_, j) => 7 + j))
    expect(joints.map(({ vIndex }) => vIndex)).toEqual(joints.map((_, j) => 6 + j))
  })

  test("tells the axes of the base's velocity: its own", async () => {
    const { model, home } = await loadOwnRobot('diffdrive')
    const q = home.slice()
    q.set([0, 0, Math.SQRT1_2, Math.SQRT1_2], 3) // a quarter turn to the left: x of the base is y of the world
    const v = new Float64Array(model.nv)
    v[3] = 1
    const next = new Float64Array(model.nq)
    integrateConfiguration(model, q, v, 0.5, next)
    expect([0, 1, 2].map((k) => Math.round(1e9 * (next[k] - q[k])) / 1e9)).toEqual([0, 0.5, 0])
  })
})

test('docs/scenario.md begins with a scenario that is one', async () => {
  const [, yaml] = /```yaml\n(.*?)```/s.exec(readFileSync(join(docs, 'scenario.md'), 'utf8')) as RegExpExecArray
  expect(await parseScenario(yaml, 'shown.yaml')).toMatchObject({
    dt: [1e-3, 5e-3],
    limits: { penetration: 5e-4, tracking: 0.02 },
  })
})

test('docs/scenario.md names every built-in controller', () => {
  const text = readFileSync(join(docs, 'scenario.md'), 'utf8')
  for (const name of Object.keys(builtInControllers)) expect(text).toContain(`\`${name}\``)
})

describe('every example runs under every model', () => {
  for (const name of readdirSync(examples).filter((file) => file.endsWith('.yaml'))) {
    test(name, async () => {
      const file = join(examples, name)
      const read = await parseScenario(readFileSync(file, 'utf8'), file, { duration: 0.01, dt: [1e-3] })
      const scenario = resolvePaths(read, file)
      const [robot] = subjectsOf(scenario)
      for (const model of scenario.models) {
        const outcome = await doJob({ kind: 'run', scenario, robot, model, dt: 1e-3 })
        expect(outcome, model.name).toMatchObject({ status: 'ok', failure: '' })
      }
      // nothing starts inside of something else
      expect(checkWorlds(scenario, await prepareWorld(scenario, robot))).toEqual([])
    })
  }
  test('push.ts', async () => {
    const scenario = await parseScenario('robot: diffdrive\nduration: 0.05\ncontroller: push.ts', join(examples, 'x.yaml'))
    const controller = { file: join(dirname(join(examples, 'x.yaml')), 'push.ts'), options: {} }
    const outcome = await doJob({
      kind: 'run',
      scenario: { ...scenario, controller },
      robot: 'diffdrive',
      model: { name: 'penalty', options: {} },
      dt: 1e-3,
    })
    expect(outcome).toMatchObject({ status: 'ok', controllerMetrics: { worstError_rad: expect.any(Number) } })
  })
})
