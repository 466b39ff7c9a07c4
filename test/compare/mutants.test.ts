/**
 * Whatever was done to a file of our own formats: it is refused by a typed error, or read, and what is read can be used. A hundredth of
 * the mutants is tried daily, all of them with FEATHERBED_FULL=1.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { contactsAt } from '../../compare/inspect/contactsAt.ts'
import { dynamicsAt, parseStateFile } from '../../compare/inspect/dynamicsAt.ts'
import { parsePair } from '../../compare/inspect/pairFile.ts'
import { parseProblem } from '../../compare/inspect/problemFile.ts'
import { solveProblem } from '../../compare/inspect/solve.ts'
import { solvers } from '../../compare/inspect/solvers.ts'
import { bundleIn, bundleOf, layOut, packBundle, unpackBundle } from '../../compare/judge/bundle.ts'
import { compare } from '../../compare/judge/compare.ts'
import { checkpointText, parseCheckpoint } from '../../compare/recording/checkpointFile.ts'
import { JobStore } from '../../compare/run/jobStore.ts'
import { doJob, failed, type RunJob } from '../../compare/run/run.ts'
import { checkScenario, parseScenario } from '../../compare/scenario/index.ts'
import {
  checkWorlds,
  createWorld,
  prepareWorld,
  type RobotCache,
  resolvePaths,
  subjectsOf,
  withControllers,
} from '../../compare/scenario/world/files.ts'
import { Random } from '../../compare/scenario/world/random.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import type { Checkpoint, World } from '../../simulation/index.ts'
import { full } from '../dailyModels.ts'
import { temporaryFolder } from './command.ts'
import { damaged, jsonMutant, yamlMutant } from './mutants.ts'

const COUNT = full ? 10_000 : 100
/** Of one mutant [s]. Much less, as a rule; a garbage collection may fall into any. */
const CPU = 2

const typed = new Set([
  'BundleError', 'CheckpointError', 'ControllerError', 'EnergyError', 'LoopError', 'PairFileError', 'ProblemFileError', 'RobotError', 'ScenarioError',
  'SetupError', 'SimulationError', 'StateFileError', 'StepBudgetError', 'WorldError',
]) // biome-ignore format: a table
const examples = fileURLToPath(new URL('../../docs/examples', import.meta.url))
const example = (name: string) => readFileSync(join(examples, name), 'utf8')
const folder = temporaryFolder()

/** Tries mutants of these texts. @returns how many were read */
async function attempt(
  texts: readonly string[],
  mutate: (text: string, random: Random) => string,
  use: (mutant: string) => unknown,
): Promise<number> {
  let read = 0
  const wrong: string[] = []
  let slowest = { seconds: 0, i: -1 }
  for (let i = 0; i < COUNT; i++) {
    const mutant = mutate(texts[i % texts.length], new Random(7, i))
    const before = process.cpuUsage()
    try {
      await use(mutant)
      read++
    } catch (error) {
      if (!(error instanceof Error && typed.has(error.name)))
        wrong.push(`mutant ${i}: ${error instanceof Error ? error.stack?.slice(0, 600) : error}\n${mutant.slice(0, 300)}`)
    }
    const { user, system } = process.cpuUsage(before)
    const seconds = (user + system) / 1e6
    if (seconds > slowest.seconds) slowest = { seconds, i }
  }
  if (process.env.FEATHERBED_SAY !== undefined)
    console.log(
      `${read} of ${COUNT} read, slowest ${slowest.i} with ${slowest.seconds.toFixed(2)} s, ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
    )
  expect(wrong.slice(0, 5)).toEqual([])
  expect(slowest.seconds, `mutant ${slowest.i}`).toBeLessThan(CPU)
  return read
}

const cache: RobotCache = new Map()

describe('mutants are refused by a typed error, or read and used', () => {
  test('checkpoints', async () => {
    const scenario = await checkScenario({
      robots: ['diffdrive'],
      duration: 0.02,
      dt: 1e-3,
      bodies: [{ shape: { type: 'box', size: [0.1, 0.1, 0.1] }, mass: 1, position: [0, 1, 0.06] }],
    })
    const model = { name: 'stewart-trinkle', options: {} } as const
    const job: RunJob = { kind: 'run', scenario, robot: 'diffdrive', model, dt: 1e-3 }
    const { checkpoint } = await doJob({ ...job, checkpointAt: 0.01 })
    const prepared = await withControllers(scenario, await prepareWorld(scenario, 'diffdrive', cache))
    await attempt([checkpointText(checkpoint as Checkpoint)], jsonMutant, (text) => {
      const from = parseCheckpoint(text, 'mutant')
      expect(from.stepCount).toBeGreaterThanOrEqual(0)
      const { world } = createWorld(scenario, prepared, model, 1e-3)
      if (!taken(world, from)) return
      for (let k = 0; k < 3; k++) world.step()
    })
  })

  /** Whether a world goes on from it; a RangeError of `restore` says why not. */
  function taken(world: World, from: Checkpoint): boolean {
    try {
      if (from.contactModel === world.contactModel.name && from.dt === world.dt) world.restore(from)
      else world.adopt(from)
      return true
    } catch (error) {
      if (error instanceof RangeError && /^(the )?checkpoint/.test(error.message)) return false
      throw error
    }
  }

  test('problems', async () => {
    const texts = ['lcp', 'mlcp', 'block-corner', 'corner', 'painleve-rod', 'painleve-rod-forces'].map((name) =>
      example(`problems/${name}.json`),
    )
    await attempt(texts, jsonMutant, (text) => solveProblem(parseProblem(text, 'mutant'), solvers, 'all'))
  })

  test('pairs', async () => {
    const texts = ['box-on-box', 'corner-in-box', 'edge-on-edge', 'wheel-on-step'].map((name) => example(`pairs/${name}.json`))
    await attempt(texts, jsonMutant, (text) =>
      contactsAt(
        parsePair(text, 'mutant', () => {
          throw new Error('no meshes here')
        }),
      ),
    )
  })

  test('states', async () => {
    const robot = await loadOwnRobot('diffdrive')
    const text = JSON.stringify({
      q: { base: [0, 0, 0.1, 0, 0, 0, 1], left_wheel_joint: 0.2 },
      v: { base: [0, 0, 0, 1, 0, 0] },
      a: {},
      tau: new Array(robot.model.nv).fill(0.1),
    })
    await attempt([text], jsonMutant, (mutant) => dynamicsAt(robot, parseStateFile(mutant, 'mutant'), []))
  })

  test('scenarios', async () => {
    const names = [
      'crate',
      'ramp',
      'slide',
      'stairs',
      'terrain',
      'edges-step',
      'push',
      'which-step',
      'default/grip',
      'default/ramp',
    ]
    await attempt(
      names.map((name) => example(`${name}.yaml`)),
      yamlMutant,
      async (text) => {
        const scenario = resolvePaths(await parseScenario(text, 'mutant'), join(examples, 'mutant'))
        for (const source of subjectsOf(scenario).slice(0, 1)) {
          const prepared = await prepareWorld(scenario, source, cache)
          checkWorlds({ ...scenario, models: scenario.models.slice(0, 1) }, prepared)
          const controllers = prepared.members.map(() => undefined)
          const { world } = createWorld(scenario, { ...prepared, controllers }, scenario.models[0], scenario.dt[0])
          for (let k = 0; k < 3; k++) world.step()
        }
      },
    )
  })

  test('results', async () => {
    const scenario = await checkScenario({ robots: ['diffdrive'], duration: 0.01, dt: [1e-3], models: ['penalty'] })
    const { results } = await compare(scenario, { timing: false, threads: 0 })
    const bundle = packBundle(await bundleOf([scenario], [results], new Map(), { sources: [], command: '', featherbed: '' }))
    const text = JSON.stringify({ version: 2, comparisons: [results], bundle })
    const page = `<html><script type="application/json" id="bundle">${JSON.stringify(bundle)}</script></html>`
    /** Half of the damage goes where most of the text is not: into the bundle. */
    const mutate = (whole: string, random: Random) => {
      if (random.next() < 0.5 && whole.startsWith('{')) return jsonMutant(whole, random)
      const at = whole.indexOf(bundle) + Math.floor(random.next() * bundle.length)
      const letter = 'ABCXYZabcxyz0189+/='[Math.floor(random.next() * 19)]
      return whole.slice(0, at) + letter + whole.slice(random.next() < 0.2 ? at + 40 : at + 1)
    }
    let k = 0
    const read = await attempt([text, page], mutate, async (mutant) => {
      const packed = bundleIn(mutant)
      if (packed === undefined) return
      const again = unpackBundle(packed)
      const [own] = await layOut(again, join(folder.path, `mutant-${k++}`))
      expect(own).toEqual(scenario) // nothing that was changed is run
    })
    expect(read).toBeGreaterThan(0)
  })

  test('what --resume goes on from: any change counts as not done', async () => {
    const scenario = await checkScenario({ robots: ['diffdrive'], duration: 0.01, dt: [1e-3], models: ['penalty'] })
    const job: RunJob = { kind: 'run', scenario, robot: 'diffdrive', model: scenario.models[0], dt: 1e-3 }
    const store = new JobStore(join(folder.path, 'store'), '1', false)
    await store.reads(new Map(), [job])
    const kept = { ...failed('for a test'), hash: '1', steps: 3 }
    store.keep(job, kept)
    const [name] = readdirSync(join(folder.path, 'store'))
    const file = join(folder.path, 'store', name)
    await attempt([readFileSync(file, 'latin1')], damaged, (mutant) => {
      writeFileSync(file, mutant, 'latin1')
      const found = store.load(job)
      if (found !== undefined) expect(found).toEqual(kept)
    })
  })
})
