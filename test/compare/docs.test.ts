import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import * as compareFolder from '../../compare/index.ts'
import { doJob } from '../../compare/run/run.ts'
import { builtInControllers } from '../../compare/scenario/controllers.ts'
import { parseScenario } from '../../compare/scenario/index.ts'
import { checkWorlds, prepareWorld, resolvePaths, subjectsOf } from '../../compare/scenario/world/files.ts'
import { type ContactModelOptions, contactChoice, contactModelNames } from '../../contact/index.ts'
import * as controlFolder from '../../control/index.ts'
import * as dynamicsFolder from '../../dynamics/index.ts'
import * as rootFolder from '../../index.ts'
import * as robotFiles from '../../robots/files.ts'
import * as robotsFolder from '../../robots/index.ts'
import { pageWithTables } from '../../scripts/table-docs.ts'
import * as simulationFolder from '../../simulation/index.ts'
import { full } from '../dailyModels.ts'
import { temporaryFolder } from './command.ts'

const { loadOwnRobot } = robotFiles
const { World } = simulationFolder
type World = InstanceType<typeof World>

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const examples = join(docs, 'examples')

describe('docs/controllers.md', () => {
  const text = readFileSync(join(docs, 'controllers.md'), 'utf8')
  const folder = temporaryFolder()
  const [, source] = /```ts\n(.*?)```/s.exec(text) as RegExpExecArray
  const [, yaml] = /```yaml\n((?:(?!```).)*?my_controller\.ts.*?)```/s.exec(text) as RegExpExecArray

  test('shows the controller that `featherbed new controller` writes', () => {
    expect(source).toBe(readFileSync(join(examples, 'controller.ts'), 'utf8'))
  })

  test('shows a controller and a scenario that run', async () => {
    folder.write('my_controller.ts', source)
    const file = folder.write('my.yaml', yaml)
    const read = await parseScenario(yaml, file, { duration: 0.05, dt: [1e-3] })
    const scenario = resolvePaths(read, file)
    const [model] = read.models
    const outcome = await doJob({ kind: 'run', scenario, robot: 'diffdrive', model, dt: 1e-3 })
    expect(outcome).toMatchObject({ status: 'ok', failure: null, controllerMetrics: { worstError_rad: expect.any(Number) } })
  })
})

describe('the conventions of docs/dynamics.md', () => {
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
    dynamicsFolder.integrateConfiguration(model, q, v, 0.5, next)
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

test.each(['scenario.md', 'verdict.md', 'robots.md'])('docs/%s holds its tables; npm run docs makes them anew', (name) => {
  const page = readFileSync(join(docs, name), 'utf8')
  expect(pageWithTables(name, page)).toBe(page)
})

test('docs/scenario.md names every built-in controller', () => {
  const text = readFileSync(join(docs, 'scenario.md'), 'utf8')
  for (const name of Object.keys(builtInControllers)) expect(text).toContain(`\`${name}\``)
})

test('docs/scenario.md lists the options of every model', () => {
  const text = readFileSync(join(docs, 'scenario.md'), 'utf8')
  const [, table] = /## Options of the models([\s\S]*?)\n## /.exec(text) as RegExpExecArray
  const listed = new Set(
    [...table.matchAll(/^\|[^|]*\|([^|]*)\|/gm)].flatMap(([, cell]) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)),
  )
  const known = new Set<string>()
  const robot = loadOwnRobot('diffdrive')
  // some options are there for some values of others
  const choices: ContactModelOptions[] = [
    {},
    { friction: 'springs' },
    { integral: true },
    { impacts: 'newton' },
    { approximation: 'sap' },
    { solver: 'contact-pgs' },
    { solver: 'micro-impulses' },
  ]
  for (const given of choices) {
    for (const contactModel of contactModelNames) {
      try {
        new World({ robot, ...contactChoice(contactModel, { ...given, nosuchoption: 0 }), dt: 1e-3 })
      } catch (error) {
        const [, names] = /it knows (.*)$/.exec((error as Error).message) as RegExpExecArray
        for (const name of names.split(', ')) known.add(name)
      }
    }
  }
  expect([...listed].sort()).toEqual([...known].sort())
})

/** Samples of a page, each with its heading. */
const samplesOf = (page: string): [string, string][] =>
  readFileSync(join(docs, page), 'utf8')
    .split(/^## /m)
    .flatMap((part) =>
      [...part.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]): [string, string] => [part.split('\n')[0], code]),
    )

/** Runs a sample as a user copies it, with this project's folders for the package's. @returns what it logs, and behind it `shown` */
async function run(code: string, shown = ''): Promise<unknown[]> {
  const runnable = code.replace(/import (\{[^}]*\}) from ('[^']*')/g, 'const $1 = modules[$2]').replace(/\} as const$/m, '}')
  const said: unknown[] = []
  const body = `return (async () => {${runnable}\n${shown && `console.log(${shown})`}})()`
  await new Function('modules', 'console', body)(modules, { log: (...words: unknown[]) => said.push(words[0]) })
  return said
}

/** The sample of a page that makes a world. */
async function runSample(page: string, replace: readonly (readonly [string, string])[], shown: string) {
  const [, code] = samplesOf(page).find(([, sample]) => sample.includes('new World')) as [string, string]
  const said = await run(
    replace.reduce((source, [from, to]) => source.replace(from, to), code),
    shown,
  )
  return said.at(-1) as World & { readonly robots: { readonly name: string }[] }
}
const modules = {
  featherbed: rootFolder,
  'featherbed/dynamics': dynamicsFolder,
  'featherbed/compare': compareFolder,
  'featherbed/control': controlFolder,
  'featherbed/robots': robotsFolder,
  'featherbed/robots/files': robotFiles,
  'featherbed/simulation': simulationFolder,
}

describe('samples run as they are printed', () => {
  const shorter = ['< 5)', '< 0.05)'] as const

  for (const [heading, code] of samplesOf('in-ten-lines.md')) {
    test(`docs/in-ten-lines.md: ${heading}`, async () => {
      const own = code.replace('my_robot.urdf', robotFiles.ownRobotPath('diffdrive'))
      const said = await run(own)
      if (code.includes('console.log')) expect(said.length).toBeGreaterThan(0)
    })
  }

  test('docs/how-it-works.md', async () => {
    const world = await runSample('how-it-works.md', [shorter], 'world')
    expect(world.robots.map(({ name }) => name)).toEqual(['diffdrive', 'crate'])
    expect(world.state.t[0]).toBeCloseTo(0.05, 12)
  })

  test('docs/recording.md', async () => {
    const path = join(temporaryFolder().path, 'walk.mcap')
    await runSample('recording.md', [shorter, ["'walk.mcap'", JSON.stringify(path)]], 'world')
    expect(readFileSync(path).subarray(1, 5).toString()).toBe('MCAP')
  })
})

test('docs/tutorial.md shows its controller and its scenario as they are', () => {
  const text = readFileSync(join(docs, 'tutorial.md'), 'utf8')
  for (const name of ['cart.ts', 'cart.yaml', 'vole.yaml'])
    expect(text).toContain(readFileSync(join(examples, 'tutorial', name), 'utf8'))
})

describe('every example runs under every model', () => {
  const isPolicy = (file: string) => /^\s*network:/m.test(readFileSync(join(examples, file), 'utf8'))
  const names = readdirSync(examples).filter((file) => file.endsWith('.yaml') && !isPolicy(file))
  for (const name of [...names, 'tutorial/cart.yaml', 'tutorial/vole.yaml']) {
    test(name, async () => {
      const file = join(examples, name)
      const read = await parseScenario(readFileSync(file, 'utf8'), file, { duration: 0.01, dt: [1e-3] })
      const scenario = resolvePaths(read, file)
      const [robot] = subjectsOf(scenario)
      const models = scenario.models.filter(({ name: model }) => full || model === 'penalty' || model === 'peg')
      for (const model of models) {
        const outcome = await doJob({ kind: 'run', scenario, robot, model, dt: 1e-3 })
        expect(outcome, model.name).toMatchObject({ status: 'ok', failure: null })
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
