/** A checkpoint on disk is the state to the last bit: what goes on from it is what was never interrupted. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CheckpointError, checkpointText, parseCheckpoint } from '../../compare/recording/checkpointFile.ts'
import { doJob } from '../../compare/run/run.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import { createFreeBody } from '../../robots/index.ts'
import { type Checkpoint, World } from '../../simulation/index.ts'
import { dailyModels } from '../dailyModels.ts'
import { featherbed, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const made = (controllers: readonly unknown[] = [null]): Checkpoint => ({
  robots: ['arm'],
  contactModel: 'penalty',
  dt: 1e-3,
  stepCount: 7,
  q: Float64Array.of(0.1, -0, 5e-324, 1 / 3),
  v: Float64Array.of(Number.MAX_VALUE, -1e-300),
  tau: new Float64Array(0),
  contactMemory: Float64Array.of(NaN, Infinity, -Infinity, 0),
  controllers,
  events: {
    failures: 0,
    fallbacks: 1,
    iterations: 2,
    residualMax: 1e-17,
    firstFailure: '',
    tunnelled: 0,
    firstTunnelling: '',
    energyGains: 0,
    firstEnergyGain: '',
    strained: 0,
    firstStrain: '',
    letGo: 0,
    firstLetGo: '',
    firstShaking: '',
    solvers: [{ solver: 'lemke', solved: 3, failed: 1 }],
  },
})
const same = (value: unknown) => parseCheckpoint(checkpointText(value as Checkpoint), 'c.json')

test('every number comes back as it was, strange ones too', () => {
  const before = made()
  const after = same(before)
  for (const key of ['q', 'v', 'contactMemory'] as const)
    expect([...after[key]].every((x, i) => Object.is(x, before[key][i]))).toBe(true)
  expect(after).toEqual(before)
})

test('a controller’s memory comes back: typed arrays, maps, sets, what is not there', () => {
  const memory = {
    integral: Float64Array.of(1, -0),
    count: Int32Array.of(3),
    bytes: Uint8Array.of(255),
    seen: new Set([1, 2]),
    table: new Map<unknown, unknown>([['a', { deep: [NaN, -0, undefined] }]]),
    nothing: undefined,
    text: 'ä"\n',
  }
  expect(same(made([memory, null])).controllers).toEqual([memory, null])
})

test('a push and a pull of a running world come back, and act on', () => {
  const robot = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1 })
  const world = new World({ robot, contactModel: 'ncp', dt: 1e-3 })
  world.act({ type: 'push', impulse: [0, 0, 1], duration: 1 })
  world.act({ type: 'pull', to: [1, 0, 1] })
  world.step()
  const saved = parseCheckpoint(checkpointText(world.checkpoint()), 'ball.json')
  world.step()
  const hash = world.hash()
  world.restore(saved)
  world.step()
  expect(world.hash()).toBe(hash)
})

test('what a file cannot hold is refused by its place', () => {
  expect(() => checkpointText(made([{ update: () => 1 }]))).toThrow('checkpoint.controllers[0].update is a function')
  expect(() => checkpointText(made([{ when: new Date(0) }]))).toThrow('checkpoint.controllers[0].when is a Date')
})

test('files that are none, of another version, or cut off are refused', () => {
  const text = checkpointText(made())
  for (const [broken, message] of [
    ['{}', 'is no checkpoint'],
    ['7', 'is no checkpoint'],
    [text.slice(0, 100), 'is no JSON'],
    [text.replace('"featherbedCheckpoint": 6', '"featherbedCheckpoint": 99'), 'version 99.*reads versions 2 to 6'],
    [text.replace('"featherbedCheckpoint": 6', '"featherbedCheckpoint": 1'), 'version 1,'],
    [text.replace('"featherbedCheckpoint": 6', '"featherbedCheckpoint": "3"'), 'version "3",'],
    [text.replace('"q"', '"p"'), 'q is no list of numbers'],
    [text.replace('"dt": 0.001', '"dt": -1'), 'dt found -1, expected a time step above 0 s'],
    [text.replace('"robots"', '"robot"'), 'robots is missing'],
    [text.replace('"arm"', '7'), 'robots\\[0\\] found 7, expected a text'],
    [text.replace(/"events": \{[\s\S]*\}/, '"events": null\n}'), 'events found null, expected an object'],
    [text.replace('"stepCount": 7', '"stepCount": -1000000000'), 'stepCount found -1000000000, expected a whole number'],
    [text.replace('"stepCount": 7', '"stepCount": 8'), 't found 0.007, expected 0.008'],
    [text.replace('0.1,', '"NaN",'), 'q holds what is no finite number'],
    [text.replace('"controllers": [', `"controllers": [${'['.repeat(9e4)}${']'.repeat(9e4)},`), 'deeper than 64 levels'],
  ])
    expect(() => parseCheckpoint(broken, 'c.json')).toThrow(new RegExp(`c\\.json: .*${message}`))
  expect(() => parseCheckpoint('{}', 'c.json')).toThrow(CheckpointError)
})

test('a checkpoint of version 2, which counted no solvers, is read as one that has none', () => {
  const old = { ...made(), events: { ...made().events, solvers: undefined } }
  const text = checkpointText(old as unknown as Checkpoint).replace('"featherbedCheckpoint": 5', '"featherbedCheckpoint": 2')
  expect(parseCheckpoint(text, 'c.json')).toEqual({ ...made(), events: { ...made().events, solvers: [] } })
})

test('a run that goes on from a checkpoint of version 2 counts its solvers from there', async () => {
  const scenario = await checkScenario({ robots: ['diffdrive'], duration: 0.02, dt: 1e-3 })
  const job = { kind: 'run', scenario, robot: 'diffdrive', model: { name: 'stewart-trinkle', options: {} }, dt: 1e-3 } as const
  const { checkpoint, solvers: whole } = await doJob({ ...job, checkpointAt: 0.01 })
  const { solvers: _, ...events } = (checkpoint as Checkpoint).events
  const text = checkpointText({ ...(checkpoint as Checkpoint), events } as Checkpoint).replace(/Checkpoint": 5/, 'Checkpoint": 2')
  const rest = await doJob({ ...job, from: parseCheckpoint(text, 'c.json') })
  const asked = (solvers: typeof whole) => solvers.reduce((sum, { solved, failed }) => sum + solved + failed, 0)
  expect(asked(rest.solvers)).toBe(asked(whole) / 2) // it stands, and each step asks as often as any other
})

describe('a run that goes on from a checkpoint on disk has the bits of one that was never interrupted', () => {
  for (const name of dailyModels) {
    test(name, async () => {
      const scenario = await checkScenario({
        robots: ['diffdrive'],
        duration: 0.1,
        dt: 1e-3,
        bodies: [{ shape: { type: 'box', size: [0.1, 0.1, 0.1] }, mass: 1, position: [0, 1, 0.06] }],
      })
      const job = { kind: 'run', scenario, robot: 'diffdrive', model: { name, options: {} }, dt: 1e-3 } as const
      const whole = await doJob({ ...job, checkpointAt: 0.05 })
      const from = same(whole.checkpoint)
      const rest = await doJob({ ...job, from })
      expect(rest).toMatchObject({ status: 'ok', steps: 100 })
      expect(rest.hash).toBe(whole.hash)
    })
  }
})

describe('featherbed run', () => {
  const file = join(folder.path, 'middle.json')
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await featherbed([
      'run',
      'humanoid',
      '--duration',
      '0.1',
      '--no-timing',
      '--json',
      '--quiet',
      ...args,
    ])
    expect(stderr).toBe('')
    return { code, ...JSON.parse(stdout) }
  }

  test('goes on from a checkpoint to the same bits', async () => {
    const whole = await run('--model', 'penalty', '--dt', '1e-3', '--checkpoint', file, '--at', '0.05')
    const rest = await run('--from', file) // its model and its step are the checkpoint's
    expect(rest).toMatchObject({ code: 0, model: 'penalty', dt: 1e-3, steps: 100 })
    expect(rest.hash).toBe(whole.hash)
  })

  test('goes on under another model and step from the same state', async () => {
    const other = await run(
      '--from',
      file,
      '--model',
      'stewart-trinkle',
      '--dt',
      '5e-4',
      '--checkpoint',
      join(folder.path, 'end.json'),
    )
    expect(other).toMatchObject({ code: 0, status: 'ok', model: 'stewart-trinkle', steps: 200 })
    const end = parseCheckpoint(readFileSync(join(folder.path, 'end.json'), 'utf8'), 'end.json')
    expect(end).toMatchObject({ contactModel: 'stewart-trinkle', stepCount: 200 })
  })

  test('refuses a checkpoint of another robot, or of a time that its step never meets', async () => {
    const answer = await featherbed(['run', 'diffdrive', '--from', file, '--json', '--quiet'])
    expect(answer.code).toBe(1)
    expect(JSON.parse(answer.stdout).failure).toContain('the checkpoint is of humanoid, this world of diffdrive')
    const odd = await featherbed(['run', 'humanoid', '--from', file, '--dt', '3e-4', '--json', '--quiet'])
    expect(JSON.parse(odd.stdout).failure).toContain('is no whole number of steps of dt = 0.0003 s')
    const over = await featherbed(['run', 'humanoid', '--from', file, '--duration', '0.04', '--json', '--quiet'])
    expect(JSON.parse(over.stdout).failure).toContain('take a longer --duration')
  })
})
