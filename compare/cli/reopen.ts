/** Comparisons that a report or results.json holds, to be run again. */
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { temporaryFolder } from '../../control/ownFiles.ts'
import { type Bundle, BundleError, bundleIn, type EndOfRun, layOut, unpackBundle } from '../judge/bundle.ts'
import type { Results } from '../judge/compare.ts'
import { flagOf, type Scenario, type ScenarioFields } from '../scenario/index.ts'
import { strangers } from '../scenario/world/files.ts'
import { UsageError } from './errors.ts'
import { readInput } from './input.ts'
import { fieldsOf, type ScenarioFlags, withinLimits } from './scenarioArguments.ts'
import type { FlagsOf } from './verb.ts'

export interface Reopened {
  /** The file's name. */
  readonly file: string
  readonly bundle: Bundle
  /** Where its files are for as long as it runs; the caller removes it. */
  readonly folder: string
  /** Within the flags. */
  readonly scenarios: readonly Scenario[]
  /** How their runs ended when it was made; undefined where they are shorter now. */
  readonly ends: readonly EndOfRun[] | undefined
  /** Notices before it runs. */
  readonly notes: readonly string[]
}

/** Flags that say how a report is run again. */
export const reopenFlags = {
  '--trust': 'trust a report that is run again: its scripts run with your rights, at full speed (default: in a sandbox)',
} as const

type ReopenFlags = ScenarioFlags & FlagsOf<typeof reopenFlags>

/**
 * Contents of the target if it is a page or results with a bundle in it; undefined for robots and scenarios.
 *
 * @throws UsageError
 */
export async function reopen(targets: readonly string[], flags: ReopenFlags): Promise<Reopened | undefined> {
  const path = targets.find((target) => /\.html?$/i.test(target)) ?? targets.find((target) => /\.json$/i.test(target))
  if (path === undefined) return undefined
  const text = readInput(path, { remedy: 'give the path of a report, of results or of a scenario' })
  const packed = bundleIn(text)
  if (packed === undefined) {
    if (/\.json$/i.test(path) && !/"comparisons"\s*:/.test(text)) return undefined // a scenario
    throw new UsageError(`${path}: holds nothing that could be run again; give a report.html or results.json that compare wrote`)
  }
  if (targets.length > 1)
    throw new UsageError(`found ${targets.join(' ')}; ${path} holds a whole comparison and is run by itself`)
  const changed = ['controller', 'floating', 'fixed', 'ccd', 'concave', 'srdf', 'root', 'pose', 'key', 'asMujoco'] as const
  const flag = changed.find((name) => flags[name] !== undefined)
  if (flag !== undefined)
    throw new UsageError(
      `${flagOf(flag)}: ${path} holds its scenarios as they were run; leave the flag out, or run the scenario itself`,
    )
  const folder = await temporaryFolder()
  try {
    const bundle = unpackBundle(packed)
    const isTrusted = flags.trust && !flags.untrusted
    const { within, isKept, duration } = await narrowing(flags)
    const all = await layOut(bundle, folder)
    const sent = isTrusted ? all : all.map((scenario) => strangers(scenario, [folder]))
    const scenarios = await withinLimits(sent.flatMap(within), flags, !isTrusted)
    if (scenarios.length === 0) throw new UsageError(`${path}: holds no run of the models, steps and seeds that the flags name`)
    const isWhole = all.every((scenario) => scenario.duration <= duration)
    const ends = isWhole ? bundle.ends.flat().filter(isKept) : undefined
    const scripts = [...bundle.files.keys()].filter((name) => name.startsWith('controllers/')).map((name) => basename(name))
    const notes = [
      ...(scripts.length > 0
        ? [
            `${path} holds controller code: ${scripts.join(', ')}; ${isTrusted ? 'it runs with your rights' : 'it runs in a sandbox, with --trust as yours'}`,
          ]
        : []),
      ...(bundle.missing.length > 0
        ? [`${path} lacks ${bundle.missing.join(', ')}, which lay outside of the robots' folders`]
        : []),
    ]
    return { file: basename(path), bundle, folder, scenarios, ends, notes }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (error instanceof BundleError) throw new UsageError(`${path}: ${error.message}`)
    throw error
  }
}

/** Of what a report holds, the runs that flags name, and the longest time of each. @throws ScenarioError */
async function narrowing(flags: ReopenFlags) {
  const stated = (['models', 'dt', 'seed', 'duration'] as const).filter((name) => flags[name] !== undefined)
  const { models, dt, seed, duration = Infinity }: Partial<ScenarioFields> = await fieldsOf(flags, stated)
  const names = models?.map(({ name }) => name as string)
  const among = <T>(list: readonly T[] | undefined, value: T) => list?.includes(value) ?? true
  const hasSeed = (own: number) => own === (seed ?? own)
  const within = (scenario: Scenario): Scenario[] => {
    const narrowed = {
      models: scenario.models.filter(({ name }) => among(names, name)),
      dt: scenario.dt.filter((step) => among(dt, step)),
      seeds: scenario.seeds.filter(hasSeed),
      duration: Math.min(scenario.duration, duration),
      variants: scenario.variants.flatMap(({ values, scenario: own }) => within(own).map((one) => ({ values, scenario: one }))),
    }
    const lists = [narrowed.models, narrowed.dt, narrowed.seeds, scenario.variants.length > 0 ? narrowed.variants : [scenario]]
    return lists.some((list) => list.length === 0) ? [] : [{ ...scenario, ...narrowed, seed: narrowed.seeds[0] }]
  }
  const isKept = ({ model, dt: step, seed: own }: EndOfRun) => among(names, model) && among(dt, step) && hasSeed(own)
  return { within, isKept, duration }
}

/** How runs ended beside how they did in a bundle. */
export interface Again {
  readonly runs: number
  readonly same: number
  readonly different: readonly EndOfRun[]
}

export function compareEnds(expected: readonly EndOfRun[], comparisons: readonly Results[]): Again {
  const found = comparisons.flatMap(({ runs }) => runs)
  const different = expected.filter((end, i) => {
    const run = found[i]
    return run?.model !== end.model || run.dt !== end.dt || run.seed !== end.seed || run.hash !== end.hash
  })
  return { runs: expected.length, same: expected.length - different.length, different }
}
