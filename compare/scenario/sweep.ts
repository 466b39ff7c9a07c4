/** Sweeps: one scenario for each combination of the values that fields are to have. */
import { contactModelNames } from '../../contact/index.ts'
import { didYouMean } from '../../dynamics/index.ts'
import { shown } from './fields.ts'
import { describe, type Issue, type Locate, ScenarioError } from './problems.ts'
import { drawOf, edgesOf, type Sample } from './sampling.ts'
import {
  disagreements,
  type RawScenario,
  type ReadFields,
  readFields,
  type Scenario,
  scenarioOf,
  type Variant,
} from './scenario.ts'
import { looksLikeFile, type ScenarioFields, scenarioFields } from './schema.ts'

/** Fields of the comparison and its judgement, not of the world. */
const others = [
  'name',
  'robot',
  'robots',
  'loops',
  'duration',
  'dt',
  'limits',
  'exact',
  'measure',
  'success',
  'seed',
  'seeds',
  'sweep',
  'sample',
  'decide',
  'asMujoco',
  'patience',
  'memory',
  'stepBudget',
]
/** Fields that a sweep may go into. */
const swept = Object.keys(scenarioFields)
  .filter((field) => !others.includes(field))
  .sort()
const lists = ['bodies', 'boxes', 'companions', 'obstacles', 'pushes']
const mostVariants = 1000
export const mostRuns = 10_000

type Raw = Record<string, unknown>
type Values = Record<string, unknown>

/**
 * Every combination of a scenario's sweep, of which only the fields are read again that the sweep goes into.
 *
 * @param base the scenario without its sweep, with all that is wrong with it
 * @param isLarge whether there may be any number, whose combinations are not made here
 * @returns the problems of each value by itself; where there are none, and none of the scenario, those of combinations
 */
export async function readSweep(
  raw: RawScenario,
  base: ReadFields,
  locate: Locate,
  isLarge = false,
): Promise<Pick<Scenario, 'sweep' | 'variants'> & { readonly problems: readonly string[] }> {
  const { sweep: _, sample: _sample, ...plain } = raw
  const sweep = Object.fromEntries(Object.entries(base.data.sweep ?? {}).map(([path, values]) => [path, distinct(values)]))
  const problems: string[] = []
  const most = isLarge ? undefined : Object.keys(sweep).find((path) => sweep[path].length > mostVariants)
  if (most !== undefined) {
    const problem = `${locate(['sweep', most])} sweep.${most}: has ${sweep[most].length} values; at most ${mostVariants} are run. Sweep fewer`
    return { sweep: {}, variants: [], problems: [problem] }
  }
  const over = base.data.sample?.over ?? {}
  const twice = Object.keys(over).find((path) => path in sweep)
  if (twice !== undefined) problems.push(`${locate(['sample', 'over', twice])} sample.over.${twice}: is swept too; leave one out`)
  for (const [path, own] of Object.entries(over))
    for (const value of edgesOf(own)) problems.push(...(await problemsOf(plain, path, value, locate, base, 'sample')))
  for (const path of Object.keys(sweep))
    for (const value of sweep[path]) problems.push(...(await problemsOf(plain, path, value, locate, base)))
  const without = { sweep: {}, variants: [] }
  if (problems.length > 0 || base.issues.length > 0) return { ...without, problems }

  const combinations = new Combinations(plain, base.data as ScenarioFields, sweep)
  const { robots, dt, seeds, models } = combinations.base
  const counts = [Math.max(1, robots.length), dt.length, seeds.length]
  const { count } = combinations
  if (!combinations.varies) return { ...without, problems: isLarge ? [] : tooManyRuns(counts, models.length, 0, locate) }
  if (isLarge) return { sweep, variants: [], problems: [] }
  const field = base.data.sample ? 'sample' : 'sweep'
  if (count > mostVariants) {
    const where = `${locate([field])} ${field}`
    return {
      ...without,
      problems: [
        `${where}: makes ${count} combinations; at most ${mostVariants} are compared. Use fewer values, or featherbed sweep, which takes any number`,
      ],
    }
  }
  const runs = Array.from({ length: count }, (_, i) => combinations.entry(i).models.length).reduce((a, b) => a + b)
  problems.push(...tooManyRuns(counts, runs, count, locate))
  const variants: Variant[] = []
  for (let i = 0; i < count && problems.length === 0; i++) {
    try {
      variants.push(await combinations.at(i))
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      problems.push(...error.problems.map((problem) => `${locate([field])} ${problem}`))
    }
  }
  return { sweep, variants, problems }
}

/** Every combination of a sweep's values, with every draw of a sample; each is made by itself, so that there may be any number. */
export class Combinations {
  readonly base: Scenario
  readonly count: number
  /** Of the sweep, by field. */
  readonly sweep: Readonly<Record<string, readonly unknown[]>>
  /** Fields that get values, in their order. */
  readonly paths: readonly string[]
  private readonly plain: Raw
  private readonly data: ScenarioFields
  /** Of one draw and one combination of common values: paths of options, and models that have these. */
  readonly kinds: readonly { readonly paths: readonly string[]; readonly models: readonly string[] }[]
  private readonly common: readonly string[]

  /** @param plain without its sweep @param data of it, without errors */
  constructor(plain: RawScenario, data: ScenarioFields, sweep: Record<string, unknown[]>) {
    const paths = Object.keys(sweep)
    this.plain = plain
    this.data = data
    this.sweep = sweep
    this.base = scenarioOf(plain, data)
    this.paths = [...new Set([...Object.keys(data.sample?.over ?? {}).toSorted(), ...paths])]
    this.common = paths.filter((path) => modelOption(path) === undefined)
    // an option of one model makes no variants of the others
    const own = this.base.models.map(({ name }) => ({
      models: [name],
      paths: paths.filter((path) => modelOption(path)?.model === name),
    }))
    const without = own.flatMap(({ models, paths: options }) => (options.length === 0 ? models : []))
    const swept = own.filter(({ paths: options }) => options.length > 0)
    this.kinds = [...(without.length > 0 ? [{ models: without, paths: [] }] : []), ...swept]
    this.count = (data.sample?.count ?? 1) * this.sizeOf(this.common) * this.kindsSize
  }

  /** Distributions of the sample, by field. */
  get over(): Sample['over'] | undefined {
    return this.data.sample?.over
  }

  get varies(): boolean {
    return this.paths.length > 0
  }

  /** Values of combination i and the models that it is of, unchecked. */
  entry(i: number): { readonly values: Values; readonly models: readonly string[] } {
    const { kinds, common, data } = this
    let rest = i % this.kindsSize
    const group = Math.floor(i / this.kindsSize)
    const kind = kinds.find(({ paths }) => {
      const size = this.sizeOf(paths)
      if (rest < size) return true
      rest -= size
      return false
    }) as (typeof kinds)[number]
    const draw = data.sample && drawOf(data.sample, Math.floor(group / this.sizeOf(common)))
    const values = { ...draw, ...this.product(common, group % this.sizeOf(common)), ...this.product(kind.paths, rest) }
    return { values, models: kind.models }
  }

  /** @throws ScenarioError with what is wrong with its values */
  async at(i: number): Promise<Variant> {
    const { values, models } = this.entry(i)
    const scenario = await this.withValues(values)
    return { values, scenario: { ...scenario, models: scenario.models.filter(({ name }) => models.includes(name)) } }
  }

  /** The scenario with each value that is no number by itself: all files that any combination names. @throws ScenarioError */
  async *eachWord(): AsyncGenerator<Scenario> {
    const drawn = Object.entries(this.over ?? {}).map(([path, own]) => [path, 'values' in own ? own.values : []] as const)
    for (const [path, values] of [...drawn, ...Object.entries(this.sweep)])
      for (const value of values) if (typeof value !== 'number') yield this.withValues({ [path]: value })
  }

  private async withValues(values: Values): Promise<Scenario> {
    const changed = withValues(this.plain, values)
    const read = await readWith(changed, Object.keys(values), this.data)
    if (read.issues.length > 0)
      throw new ScenarioError(
        read.issues.map(
          (issue) => `${this.data.sample ? 'sample' : 'sweep'} ${shown(values)}: ${describe(issue, () => '').trim()}`,
        ),
      )
    return scenarioOf(changed, read.data as ScenarioFields)
  }

  private get kindsSize(): number {
    return this.kinds.reduce((sum, { paths }) => sum + this.sizeOf(paths), 0)
  }

  readonly sizeOf = (paths: readonly string[]) => paths.reduce((size, path) => size * this.sweep[path].length, 1)

  /** Combination k of these; the last path changes first. */
  private product(paths: readonly string[], k: number): Values {
    let rest = k
    const values = paths.toReversed().map((path) => {
      const { length } = this.sweep[path]
      const own = [path, this.sweep[path][rest % length]] as const
      rest = Math.floor(rest / length)
      return own
    })
    return Object.fromEntries(values.toReversed())
  }
}

/** The fields with those read again that paths go into, and their issues. */
async function readWith(raw: Raw, paths: readonly string[], data: ReadFields['data']): Promise<ReadFields> {
  const touched = [...new Set(paths.map((path) => path.split('.')[0]))]
  const others = Object.fromEntries(Object.entries(data).filter(([key]) => !touched.includes(key)))
  const read = await readFields(raw, touched)
  const all = { ...others, ...read.data }
  return { data: all, issues: [...read.issues, ...disagreements(raw, all)] }
}

function distinct(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

function tooManyRuns([robots, steps, seeds]: readonly number[], models: number, variants: number, locate: Locate): string[] {
  const runs = robots * steps * seeds * models
  if (runs <= mostRuns) return []
  const [field, what] = variants > 0 ? ['sweep', 'models in variants'] : ['seeds', 'models']
  return [
    `${locate([field])} ${field}: requests ${runs} runs (${robots} robots x ${models} ${what} x ${steps} steps x ${seeds} seeds); ` +
      `at most ${mostRuns} are made`,
  ]
}

/** `models.NAME.OPTION`, or undefined for another path. */
function modelOption(path: string): { model: string; option: string } | undefined {
  const [, model, option] = /^models\.([^.]+)\.([^.]+)$/.exec(path) ?? []
  return model === undefined ? undefined : { model, option }
}

/** Problems that one value adds. */
async function problemsOf(
  plain: Raw,
  path: string,
  value: unknown,
  locate: Locate,
  base: ReadFields,
  field: 'sweep' | 'sample' = 'sweep',
): Promise<string[]> {
  const where =
    field === 'sweep' ? `${locate([field, path])} sweep["${path}"]` : `${locate([field, 'over', path])} sample.over["${path}"]`
  const own = modelOption(path)
  const { models } = base.data
  if (own !== undefined && models !== undefined && !models.some(({ name }) => name === own.model)) {
    const names = models.map(({ name }) => name)
    const among = `those that are compared, ${names.join(', ')}${didYouMean(own.model, names)}`
    return [`${where}: there is no model "${own.model}" among ${among}`]
  }
  const text = (issue: Issue) => describe(issue, () => '').trim()
  const known = base.issues.map(text)
  try {
    const { issues } = await readWith(withValues(plain, { [path]: value }), [path], base.data)
    return issues.map(text).flatMap((issue) => (known.includes(issue) ? [] : `${where} = ${shown(value)}: ${issue}`))
  } catch (error) {
    if (error instanceof PathError) return [`${where}: ${error.message}`]
    throw error
  }
}

/** A path that leads nowhere. */
class PathError extends Error {}

function withValues(plain: Raw, values: Values): Raw {
  const raw = structuredClone(plain)
  for (const [path, value] of Object.entries(values)) setValue(raw, path, value)
  return raw
}

function setValue(raw: Raw, path: string, value: unknown): void {
  const keys = path.split('.')
  if (keys.some((key) => key === '' || key === '__proto__' || key === 'constructor' || key === 'prototype'))
    throw new PathError('is no path of a field; write one such as physical.friction')
  if (!swept.includes(keys[0]))
    throw new PathError(`goes into "${keys[0]}"; a sweep may go into ${swept.join(', ')}${didYouMean(keys[0], swept)}`)
  if (keys[0] === 'models') {
    setModelOption(raw, path, value)
    return
  }
  if (keys[0] === 'controller') openController(raw, keys)
  if (keys[0] === 'companions' && keys[2] === 'controller')
    openController(memberOf(raw.companions, keys[1], keys) as Raw, keys.slice(2))
  let place: unknown = raw
  keys.slice(0, -1).forEach((key, i) => {
    place = Array.isArray(place) ? memberOf(place, key, keys.slice(0, i + 1)) : childOf(place as Raw, key, keys.slice(0, i + 1))
  })
  const last = keys[keys.length - 1]
  if (Array.isArray(place)) {
    const index = Number(last)
    if (!(Number.isInteger(index) && index >= 0 && index < place.length))
      throw new PathError(`has no entry "${last}" there; entries are counted from 0 to ${place.length - 1}`)
    place[index] = value
  } else (place as Raw)[last] = value
}

/** `controller: hold` becomes `controller: {name: hold}`, so that options find a place. */
function openController(holder: Raw, keys: readonly string[]): void {
  const { controller } = holder
  if (typeof controller === 'string' && keys.length > 1)
    holder.controller = looksLikeFile(controller) ? { file: controller } : { name: controller }
}

function childOf(place: Raw, key: string, path: readonly string[]): unknown {
  place[key] ??= path.length === 1 && lists.includes(key) ? [] : {}
  if (typeof place[key] !== 'object') throw new PathError(`has no place: ${path.join('.')} is ${shown(place[key])}`)
  return place[key]
}

/** An entry of a list, by its name or its number. */
function memberOf(list: unknown, key: string, path: readonly string[]): unknown {
  const entries = Array.isArray(list) ? list : []
  const named = entries.find((entry) => typeof entry === 'object' && entry !== null && (entry as Raw).name === key)
  const found = named ?? (/^\d+$/.test(key) ? entries[Number(key)] : undefined)
  if (typeof found === 'object' && found !== null) return found
  const known = entries.map((entry, i) => String((entry as Raw | null)?.name ?? i))
  throw new PathError(`finds no "${key}" in ${path[0]}; there are ${known.join(', ') || 'none'}${didYouMean(key, known)}`)
}

function setModelOption(raw: Raw, path: string, value: unknown): void {
  const own = modelOption(path)
  if (own === undefined) throw new PathError('names no option of a model; write models.NAME.OPTION')
  const stated = raw.models === undefined ? ['all'] : Array.isArray(raw.models) ? raw.models : [raw.models]
  const entries = stated.flatMap((entry): Raw[] => {
    const { name, ...options } = typeof entry === 'object' && entry !== null ? (entry as Raw) : { name: entry }
    return name === 'all' ? contactModelNames.map((model) => ({ name: model, ...options })) : [{ name, ...options }]
  })
  raw.models = entries.map((entry) => (entry.name === own.model ? { ...entry, [own.option]: value } : entry))
}
