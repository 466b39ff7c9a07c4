/**
 * The benchmark: scenes whose end is known from nature, under every contact model and engine, at every step. A row holds where each measure
 * of each case is within its bound.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMap, parseDocument } from 'yaml'
import { asset } from '../assets.ts'
import { ScenarioError } from '../compare/scenario/index.ts'
import { contactModelNames } from '../contact/index.ts'
import { didYouMean } from '../dynamics/index.ts'
import { adaptersOf, type EngineAdapter, EngineMissing, engineNames } from '../engines/index.ts'
import type { RowJob } from './job.ts'
import { doRows } from './lanes.ts'
import { type Measure, parseScene, type Scene, type SceneCase } from './scene.ts'
import type { Trial } from './trial.ts'

const folder = fileURLToPath(asset('cases/scenes/'))
const films = fileURLToPath(asset('cases/films/'))

/** Names of the scenes that come with the program. */
export const sceneNames = (): readonly string[] => namesIn(folder)

const namesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => basename(file, '.yaml'))
    .sort()

/** Names of the scenes of recorded paths, for fits alone: the recordings do not come with the program. */
const filmNames = (): readonly string[] => namesIn(films)

/**
 * @param asked names of scenes, or paths of files; none: all that there are
 * @param log a file whose cases take the place of the scenes' own
 * @param isFit whether scenes of recorded paths have names too
 * @throws ScenarioError
 */
export function sceneFiles(
  asked: readonly string[],
  log?: string,
  isFit = false,
): readonly { readonly file: string; readonly source: string }[] {
  const names = isFit ? [...filmNames(), ...sceneNames()] : sceneNames()
  const files = (asked.length === 0 ? names : asked).map((name) => {
    if (/[/\\]|\.ya?ml$/.test(name)) return name
    if (!names.includes(name))
      throw new ScenarioError([`there is no scene "${name}"${didYouMean(name, names)}; there are ${names.join(', ')}`])
    return `${isFit && filmNames().includes(name) ? films : folder}${name}.yaml`
  })
  return files.map((file) => ({ file, source: withCases(textOf(file), log) }))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ScenarioError([`${file}: cannot be read (${(error as NodeJS.ErrnoException).code}); name a scene, or its file`])
  }
}

function withCases(source: string, log: string | undefined): string {
  if (log === undefined) return source
  const document = parseDocument(source)
  // one that cannot be read is left as it is: its parser reports why
  if (document.errors.length > 0 || !isMap(document.contents)) return source
  document.set('cases', resolve(log))
  return String(document)
}

/** Of engines; of our models, which run with their defaults unless a scene says otherwise, all but the name is ''. */
export type ColumnInfo = Pick<EngineAdapter, 'name' | 'packageName' | 'version' | 'settings'>

/** A column of the table at one step. */
export interface Row {
  readonly column: string
  /** [s] */
  readonly dt: number
  /** `holds`, `misses`, or the status of the first case that was not measured. */
  readonly verdict: Verdict
  /** The largest error over its bound, of all cases; null unless all were measured. */
  readonly score: number | null
  /** Which measure and case that was, with its value, or why there is none. */
  readonly worst: string
  readonly lacks: readonly string[]
  readonly failures: number
  readonly fallbacks: number
  /** Most contact points in a step, of the case that had fewest. */
  readonly contacts: number
  /** Mean over the cases of computing time over simulated time. */
  readonly cost: number
  /** Values of the measures, a list a case. */
  readonly values: readonly (readonly (number | null)[])[]
}
export type Verdict = 'holds' | 'misses' | 'failed' | 'blocked' | 'inconclusive'

export type SceneResult = PhenomenaResult['scenes'][number]

export type PhenomenaResult = Readonly<Awaited<ReturnType<typeof runPhenomena>>>

export interface PhenomenaOptions {
  /** Default: all. */
  readonly scenes?: readonly string[]
  /** A log whose cases take the place of the scenes' own. */
  readonly cases?: string
  readonly models?: readonly string[]
  readonly engines?: readonly string[]
  /** 0: in this thread. */
  readonly threads: number
  readonly version: string
  readonly progress?: (fraction: number) => void
}

/** @throws ScenarioError for a scene that is not there or cannot be read */
export async function runPhenomena(options: PhenomenaOptions) {
  const { models = contactModelNames, engines = engineNames, threads, version, progress } = options
  const files = sceneFiles(options.scenes ?? [], options.cases)
  const scenes = await Promise.all(files.map(({ file, source }) => parseScene(source, file)))
  const { adapters, missing } = await installed(engines)
  const columns: ColumnInfo[] = [
    ...models.map((name) => ({ name, packageName: '', version: '', settings: '' })),
    ...adapters.map(({ name, packageName, version, settings }) => ({ name, packageName, version, settings })),
  ]
  const jobs: (RowJob & { readonly scene: number })[] = scenes.flatMap(({ cases }, scene) =>
    columns.flatMap(({ name }) => cases[0].scenario.dt.map((dt) => ({ ...files[scene], scene, column: name, dt }))),
  )
  const rows: Row[] = []
  let done = 0
  await doRows(jobs, threads, (index, trials) => {
    const { scene, column, dt } = jobs[index]
    rows[index] = rowOf(scenes[scene], column, dt, trials)
    progress?.(++done / jobs.length)
  })
  return {
    version,
    columns,
    /** Requested engines that are missing, and remedies. */
    missing,
    scenes: scenes.map(({ name, title, nature, source, setup, cases }, scene) => ({
      name,
      title,
      nature,
      source,
      /** See `Scene.setup`. */
      setup,
      steps_s: cases[0].scenario.dt,
      cases: cases.map(({ values, measures }) => ({ values, measures })),
      rows: rows.filter((_, index) => jobs[index].scene === scene),
    })),
  }
}

async function installed(engines: readonly string[]) {
  const adapters: EngineAdapter[] = []
  const missing: string[] = []
  for (const engine of engines) {
    try {
      adapters.push(...(await adaptersOf(engine)))
    } catch (error) {
      if (!(error instanceof EngineMissing)) throw error
      missing.push(error.message)
    }
  }
  return { adapters, missing }
}

function rowOf({ cases }: Scene, column: string, dt: number, trials: readonly Trial[]): Row {
  const sum = (key: 'failures' | 'fallbacks' | 'cost') => trials.reduce((total, trial) => total + trial[key], 0)
  const counted = {
    column,
    dt,
    lacks: [...new Set(trials.flatMap(({ lacks }) => lacks))],
    failures: sum('failures'),
    fallbacks: sum('fallbacks'),
    contacts: Math.min(...trials.map(({ contacts }) => contacts)),
    cost: sum('cost') / trials.length,
    values: trials.map(({ values }) => values.map((value) => (Number.isFinite(value) ? value : null))),
  }
  const named = (at: number) => {
    // a case with a name needs no list of its values
    if (typeof cases[at]?.values.name === 'string') return ` (${cases[at].values.name})`
    const text = Object.entries(cases[at]?.values ?? {}).map(
      ([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    )
    return text.length > 0 ? ` (${text.join(', ')})` : ''
  }
  const odd = trials.findIndex(({ status }) => status !== 'measured')
  if (odd >= 0) {
    const { status, why } = trials[odd]
    return { ...counted, verdict: status as Verdict, score: null, worst: `${why}${named(odd)}` }
  }
  const { at, measure, value, error } = furthestOff({ cases, ...counted })
  const { name, unit, nature } = measure
  const worst = `${name} ${shown(value, unit)} for ${shown(nature, unit)}${named(at)}`
  return { ...counted, verdict: error <= 1 ? 'holds' : 'misses', score: Number.isFinite(error) ? error : null, worst }
}

/** Which measure of which case is furthest off, over its bound. A value that is null is infinite. */
export function furthestOff({
  cases,
  values,
}: { readonly cases: readonly Pick<SceneCase, 'measures'>[] } & Pick<Row, 'values'>): Record<'at' | 'value' | 'error', number> & {
  readonly measure: Measure
} {
  const all = cases.flatMap(({ measures }, at) =>
    measures.map((measure, m) => {
      const value = values[at][m] ?? Infinity
      return { at, measure, value, error: Math.abs(value - measure.nature) / measure.within }
    }),
  )
  return all.reduce((worst, one) => (one.error > worst.error ? one : worst))
}

const shown = (value: number, unit: string) =>
  Number.isFinite(value) ? `${Number(value.toPrecision(4))}${unit === '' ? '' : ` ${unit}`}` : 'never'

/** The longest step at which a column holds, with all shorter ones; 0 where it never does. [s] */
export function longestStep({ rows }: SceneResult, column: string): number {
  let longest = 0
  for (const { dt, verdict } of rows.filter((row) => row.column === column).sort((a, b) => a.dt - b.dt)) {
    if (verdict !== 'holds') break
    longest = dt
  }
  return longest
}

/** Median over a column's rows of computing time over simulated time; 0 where nothing was timed. */
export function medianCost({ scenes }: PhenomenaResult, column: string): number {
  const costs = scenes.flatMap(({ rows }) => rows.filter((row) => row.column === column && row.cost > 0).map(({ cost }) => cost))
  return costs.sort((a, b) => a - b)[costs.length >> 1] ?? 0
}

/** Of all cases that a row measured, the value of measure m that is farthest from nature, over its bound; null where there is none. */
export function farthestValue({ cases }: SceneResult, { values }: Row, m: number): number | null {
  let [farthest, largest] = [null as number | null, -1]
  values.forEach((ofCase, at) => {
    const value = ofCase[m] ?? null
    const { nature, within } = cases[at].measures[m]
    const distance = value === null ? -1 : Math.abs(value - nature) / within
    if (distance > largest) [farthest, largest] = [value, distance]
  })
  return farthest
}

/** Differences of two tables, a line a row of which the verdict is another. */
export function differences(kept: PhenomenaResult, now: PhenomenaResult): string[] {
  return now.scenes.flatMap((scene) => {
    const before = kept.scenes.find(({ name }) => name === scene.name)
    if (before === undefined) return [`${scene.name}: is not in the kept table`]
    return scene.rows.flatMap(({ column, dt, verdict, worst }) => {
      const old = before.rows.find((row) => row.column === column && row.dt === dt)
      if (old === undefined) return [`${scene.name}, ${column} at ${dt} s: is not in the kept table`]
      return old.verdict === verdict
        ? []
        : [`${scene.name}, ${column} at ${dt} s: ${verdict} (${worst}), kept as ${old.verdict} (${old.worst})`]
    })
  })
}

/** A table with the rows of an earlier one where it has none of a column and step; scenes of both, columns in the order of the earlier one. */
export function mergedWith(kept: PhenomenaResult, now: PhenomenaResult): PhenomenaResult {
  const isIn = ({ columns }: PhenomenaResult, name: string) => columns.some((column) => column.name === name)
  const columns = [
    ...kept.columns.map((column) => now.columns.find(({ name }) => name === column.name) ?? column),
    ...now.columns.filter(({ name }) => !isIn(kept, name)),
  ]
  const place = ({ column, dt }: Row) => 1e3 * columns.findIndex(({ name }) => name === column) + dt
  const names = [...new Set([...kept.scenes, ...now.scenes].map(({ name }) => name))].sort()
  const scenes = names.map((name) => {
    const [before, after] = [kept, now].map((table) => table.scenes.find((scene) => scene.name === name))
    if (before === undefined || after === undefined) return (after ?? before) as SceneResult
    const left = before.rows.filter(({ column, dt }) => !after.rows.some((row) => row.column === column && row.dt === dt))
    return { ...after, rows: [...left, ...after.rows].sort((a, b) => place(a) - place(b)) }
  })
  return { ...now, columns, missing: [], scenes }
}
