/** Sweeps: one scenario for each combination of the values that fields are to have. */
import { contactModelNames } from '../../contact/index.ts'
import { didYouMean } from '../../dynamics/index.ts'
import { shown } from './fields.ts'
import { describe, type Issue, type Locate } from './problems.ts'
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
 * @returns the problems of each value by itself; where there are none, and none of the scenario, those of combinations
 */
export async function readSweep(
  raw: RawScenario,
  base: ReadFields,
  locate: Locate,
): Promise<Pick<Scenario, 'sweep' | 'variants'> & { readonly problems: readonly string[] }> {
  const { sweep: _, ...plain } = raw
  const sweep = Object.fromEntries(Object.entries(base.data.sweep ?? {}).map(([path, values]) => [path, distinct(values)]))
  const problems: string[] = []
  const most = Object.keys(sweep).find((path) => sweep[path].length > mostVariants)
  if (most !== undefined) {
    const problem = `${locate(['sweep', most])} sweep.${most}: has ${sweep[most].length} values; at most ${mostVariants} are run. Sweep fewer`
    return { sweep: {}, variants: [], problems: [problem] }
  }
  for (const path of Object.keys(sweep))
    for (const value of sweep[path]) problems.push(...(await problemsOf(plain, path, value, locate, base)))
  const without = { sweep: {}, variants: [] }
  if (problems.length > 0 || base.issues.length > 0) return { ...without, problems }

  const data = base.data as ScenarioFields
  const { robots, dt, seeds, models } = scenarioOf(raw, data)
  const counts = [Math.max(1, robots.length), dt.length, seeds.length]
  if (Object.keys(sweep).length === 0) return { ...without, problems: tooManyRuns(counts, models.length, 0, locate) }
  const count = countCombinations(sweep, models)
  if (count > mostVariants) {
    const where = `${locate(['sweep'])} sweep`
    return {
      ...without,
      problems: [`${where}: makes ${count} combinations; at most ${mostVariants} are run. Sweep fewer values`],
    }
  }
  const combinations = combinationsOf(sweep, models)
  const runs = combinations.reduce((sum, { models }) => sum + models.length, 0)
  problems.push(...tooManyRuns(counts, runs, combinations.length, locate))
  const variants: Variant[] = []
  for (const { values, models } of combinations) {
    const changed = withValues(plain, values)
    const read = await readWith(changed, Object.keys(values), data)
    problems.push(
      ...read.issues.map((issue) => `${locate(['sweep'])} sweep ${shown(values)}: ${describe(issue, () => '').trim()}`),
    )
    if (problems.length > 0) continue
    const scenario = scenarioOf(changed, read.data as ScenarioFields)
    variants.push({ values, scenario: { ...scenario, models: scenario.models.filter(({ name }) => models.includes(name)) } })
  }
  return { sweep, variants, problems }
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

/** How many `combinationsOf` makes, without making them. */
function countCombinations(sweep: Record<string, unknown[]>, models: Scenario['models']): number {
  const paths = Object.keys(sweep)
  const sizeOf = (list: readonly string[]) => list.reduce((size, path) => size * sweep[path].length, 1)
  const common = sizeOf(paths.filter((path) => modelOption(path) === undefined))
  const own = models.map(({ name }) => paths.filter((path) => modelOption(path)?.model === name))
  const plain = own.some((list) => list.length === 0) ? 1 : 0
  return common * own.reduce((sum, list) => sum + (list.length === 0 ? 0 : sizeOf(list)), plain)
}

/** An option of one model makes no variants of the others. */
function combinationsOf(sweep: Record<string, unknown[]>, models: Scenario['models']): { values: Values; models: string[] }[] {
  const paths = Object.keys(sweep)
  const common = product(
    sweep,
    paths.filter((path) => modelOption(path) === undefined),
  )
  const ownPaths = (name: string) => paths.filter((path) => modelOption(path)?.model === name)
  const names = models.map(({ name }) => name)
  const plain = names.filter((name) => ownPaths(name).length === 0)
  return common.flatMap((values) => [
    ...(plain.length > 0 ? [{ values, models: plain }] : []),
    ...names.flatMap((name) => {
      const own = ownPaths(name)
      return own.length === 0 ? [] : product(sweep, own).map((options) => ({ values: { ...values, ...options }, models: [name] }))
    }),
  ])
}

function product(sweep: Record<string, unknown[]>, paths: readonly string[]): Values[] {
  return paths.reduce<Values[]>(
    (list, path) => list.flatMap((values) => sweep[path].map((value) => ({ ...values, [path]: value }))),
    [{}],
  )
}

/** Problems that one value adds. */
async function problemsOf(plain: Raw, path: string, value: unknown, locate: Locate, base: ReadFields): Promise<string[]> {
  const where = `${locate(['sweep', path])} sweep["${path}"]`
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
