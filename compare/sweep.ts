/** Sweeps: one scenario for each combination of the values that fields are to have. */
import { shown } from './fields.ts'
import type { RawScenario, Scenario, Variant } from './scenario.ts'
import { looksLikeFile } from './scenarioFill.ts'
import { type Locate, ScenarioError } from './scenarioProblems.ts'
import { modelNames } from './scenarioSchema.ts'

/** Fields that a sweep may go into. The others say what is compared and judged, not how the world is. */
const swept = [
  'base',
  'bodies',
  'boxes',
  'ccd',
  'combine',
  'companions',
  'controller',
  'gravity',
  'ground',
  'integrator',
  'materials',
  'models',
  'obstacles',
  'perturb',
  'physical',
  'selfCollision',
  'start',
  'xacro',
]
const lists = ['bodies', 'boxes', 'companions', 'obstacles']
const mostVariants = 1000
const mostRuns = 10_000

type Raw = Record<string, unknown>
type Values = Record<string, unknown>
type Check = (raw: RawScenario) => Promise<Scenario>

/**
 * Checks a scenario and every combination of its sweep.
 *
 * @throws ScenarioError with every problem of the scenario; or of the sweep, each value tried by itself; or for too many runs
 */
export async function withVariants(raw: RawScenario, locate: Locate, check: Check): Promise<Scenario> {
  const { sweep: _, ...plain } = raw
  const base = await check(raw)
  const sweep = sweepOf(raw.sweep)
  const paths = Object.keys(sweep)
  const counts = [Math.max(1, base.robots.length), base.dt.length, base.seeds.length]
  if (paths.length === 0) {
    checkRuns(counts, base.models.length, 0, locate)
    return base
  }
  const problems: string[] = []
  for (const path of paths) {
    for (const value of sweep[path]) problems.push(...(await problemsOf(plain, { [path]: value }, locate, check, base)))
  }
  if (problems.length > 0) throw new ScenarioError([...new Set(problems)])

  const count = countCombinations(sweep, base)
  if (count > mostVariants)
    throw new ScenarioError([
      `${locate(['sweep'])} sweep: makes ${count} combinations; at most ${mostVariants} are run. Sweep fewer values`,
    ])
  const combinations = combinationsOf(sweep, base)
  checkRuns(
    counts,
    combinations.reduce((sum, { models }) => sum + models.length, 0),
    combinations.length,
    locate,
  )
  const variants: Variant[] = []
  for (const { values, models } of combinations) {
    const scenario = await check(withValues(plain, values))
    variants.push({ values, scenario: { ...scenario, models: scenario.models.filter(({ name }) => models.includes(name)) } })
  }
  return { ...base, sweep, variants }
}

function checkRuns([robots, steps, seeds]: readonly number[], models: number, variants: number, locate: Locate): void {
  const runs = robots * steps * seeds * models
  if (runs <= mostRuns) return
  const [field, what] = variants > 0 ? ['sweep', 'models in variants'] : ['seeds', 'models']
  throw new ScenarioError([
    `${locate([field])} ${field}: asks for ${runs} runs (${robots} robots x ${models} ${what} x ${steps} steps x ${seeds} seeds); ` +
      `at most ${mostRuns} are made`,
  ])
}

function sweepOf(stated: unknown): Record<string, unknown[]> {
  if (typeof stated !== 'object' || stated === null) return {}
  return Object.fromEntries(
    Object.entries(stated).map(([path, values]) => {
      const list: unknown[] = Array.isArray(values) ? values : [values]
      const keys = list.map((value) => JSON.stringify(value))
      return [path, list.filter((_, i) => keys.indexOf(keys[i]) === i)]
    }),
  )
}

/** `models.NAME.OPTION`, or undefined for another path. */
function modelOption(path: string): { model: string; option: string } | undefined {
  const [, model, option] = /^models\.([^.]+)\.([^.]+)$/.exec(path) ?? []
  return model === undefined ? undefined : { model, option }
}

/** How many `combinationsOf` makes, without making them. */
function countCombinations(sweep: Record<string, unknown[]>, { models }: Scenario): number {
  const paths = Object.keys(sweep)
  const sizeOf = (list: readonly string[]) => list.reduce((size, path) => size * sweep[path].length, 1)
  const common = sizeOf(paths.filter((path) => modelOption(path) === undefined))
  const own = models.map(({ name }) => paths.filter((path) => modelOption(path)?.model === name))
  const plain = own.some((list) => list.length === 0) ? 1 : 0
  return common * own.reduce((sum, list) => sum + (list.length === 0 ? 0 : sizeOf(list)), plain)
}

/** An option of one model makes no variants of the others. */
function combinationsOf(sweep: Record<string, unknown[]>, { models }: Scenario): { values: Values; models: string[] }[] {
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

async function problemsOf(plain: Raw, values: Values, locate: Locate, check: Check, base: Scenario): Promise<string[]> {
  const [[path, value]] = Object.entries(values)
  const where = `${locate(['sweep', path])} sweep["${path}"]`
  try {
    const own = modelOption(path)
    if (own !== undefined && !base.models.some(({ name }) => name === own.model))
      return [
        `${where}: there is no model "${own.model}" among those that are compared, ${base.models.map(({ name }) => name).join(', ')}`,
      ]
    await check(withValues(plain, values))
    return []
  } catch (error) {
    if (error instanceof PathError) return [`${where}: ${error.message}`]
    if (!(error instanceof ScenarioError)) throw error
    return error.problems.map((problem) => `${where} = ${shown(value)}: ${problem.replace(/^\S+ /, '')}`)
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
  if (!swept.includes(keys[0])) throw new PathError(`goes into "${keys[0]}"; a sweep may go into ${swept.join(', ')}`)
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
  const known = entries.map((entry, i) => String((entry as Raw | null)?.name ?? i)).join(', ') || 'none'
  throw new PathError(`finds no "${key}" in ${path[0]}; there are ${known}`)
}

function setModelOption(raw: Raw, path: string, value: unknown): void {
  const own = modelOption(path)
  if (own === undefined) throw new PathError('names no option of a model; write models.NAME.OPTION')
  const stated = raw.models === undefined ? ['all'] : Array.isArray(raw.models) ? raw.models : [raw.models]
  const entries = stated.flatMap((entry): Raw[] => {
    const { name, ...options } = typeof entry === 'object' && entry !== null ? (entry as Raw) : { name: entry }
    return name === 'all' ? modelNames().map((model) => ({ name: model, ...options })) : [{ name, ...options }]
  })
  raw.models = entries.map((entry) => (entry.name === own.model ? { ...entry, [own.option]: value } : entry))
}
