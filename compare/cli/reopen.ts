/** Comparisons that a report or results.json holds, to be run again. */
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { temporaryFolder } from '../../control/ownFiles.ts'
import { type Bundle, BundleError, bundleIn, type EndOfRun, layOut, unpackBundle } from '../judge/bundle.ts'
import type { Results } from '../judge/compare.ts'
import { flagOf, type Scenario } from '../scenario/index.ts'
import { UsageError } from './errors.ts'
import { readInput } from './input.ts'
import { type ScenarioFlags, trustedAs } from './scenarioArguments.ts'

export interface Reopened {
  /** The file's name. */
  readonly file: string
  readonly bundle: Bundle
  /** Where its files are for as long as it runs; the caller removes it. */
  readonly folder: string
  readonly scenarios: readonly Scenario[]
  /** Notices before it runs. */
  readonly notes: readonly string[]
}

/**
 * Contents of the target if it is a page or results with a bundle in it; undefined for robots and scenarios.
 *
 * @throws UsageError
 */
export async function reopen(targets: readonly string[], flags: ScenarioFlags): Promise<Reopened | undefined> {
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
  const changed = [
    'controller',
    'models',
    'dt',
    'duration',
    'seed',
    'patience',
    'memory',
    'stepBudget',
    'floating',
    'fixed',
    'ccd',
    'concave',
    'srdf',
    'root',
  ] as const
  const flag = changed.find((name) => flags[name] !== undefined)
  if (flag !== undefined)
    throw new UsageError(
      `${flagOf(flag)}: ${path} holds its scenarios as they were run; leave the flag out, or run the scenario itself`,
    )
  const folder = await temporaryFolder()
  try {
    const bundle = unpackBundle(packed)
    const scenarios = trustedAs(await layOut(bundle, folder), flags)
    const scripts = [...bundle.files.keys()].filter((name) => name.startsWith('controllers/')).map((name) => basename(name))
    const notes = [
      ...(scripts.length > 0 && !flags.untrusted
        ? [`${path} holds controller code, which runs with your rights: ${scripts.join(', ')}; with --untrusted it has none`]
        : []),
      ...(bundle.missing.length > 0
        ? [`${path} lacks ${bundle.missing.join(', ')}, which lay outside of the robots' folders`]
        : []),
    ]
    return { file: basename(path), bundle, folder, scenarios, notes }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (error instanceof BundleError) throw new UsageError(`${path}: ${error.message}`)
    throw error
  }
}

/** How runs ended beside how they did in a bundle. */
export interface Again {
  readonly runs: number
  readonly same: number
  readonly different: readonly EndOfRun[]
}

export function compareEnds(ends: Bundle['ends'], comparisons: readonly Results[]): Again {
  const expected = ends.flat()
  const found = comparisons.flatMap(({ runs }) => runs)
  const different = expected.filter((end, i) => {
    const run = found[i]
    return run?.model !== end.model || run.dt !== end.dt || run.seed !== end.seed || run.hash !== end.hash
  })
  return { runs: expected.length, same: expected.length - different.length, different }
}
