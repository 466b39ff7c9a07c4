/** Cases: scenario, measures, nature's values, and requirements on models. They are YAML files in the folders beside this one. */
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { byName, expected, fields, listOf, oneOf, text, truth } from '../compare/scenario/fields.ts'
import {
  checkScenario,
  constantOf,
  ExpressionError,
  flagOf,
  parseExpression,
  type Scenario,
  ScenarioError,
} from '../compare/scenario/index.ts'
import { describe, issuesOf } from '../compare/scenario/problems.ts'
import { resolvePaths } from '../compare/scenario/world/files.ts'
import type { Logged } from '../compare/scenario/world/log.ts'
import { readLog } from '../compare/scenario/world/logFile.ts'
import { contactModelNames } from '../contact/index.ts'
import { solved } from './equations.ts'
import { caseWords, setupWords } from './setupWords.ts'

/**
 * Reduction of a measure's quantity over its window: the value at the last step, or at the very end (`at`; linear between steps); the
 * change from the beginning to the end, and that over the time (`rate`); the largest, least and mean value, and largest less least (`range`);
 * the sum of its values times the step (`integral`); the first time at which it is above zero (`when`); or the mean time between moments at
 * which it becomes so (`period`).
 */
export const reductions = [
  'end',
  'at',
  'change',
  'rate',
  'largest',
  'least',
  'range',
  'mean',
  'integral',
  'when',
  'period',
] as const
export type Reduction = (typeof reductions)[number]

const word = z.union([z.number(), z.string()], expected('a number or an expression'))
const modelNames = listOf(oneOf(contactModelNames), 'contact models').min(1, 'is empty')
/** How models of a law miss it, by reason; see docs/cases.md. */
const exceptFields = fields({
  models: modelNames,
  of: text('the name of a measure').optional(),
  tendsTo: z.number().optional(),
  within: z.number().optional(),
  half: truth.optional(),
  uneven: z.number().optional(),
  fails: truth.optional(),
  because: text('a reason'),
})
const lawFields = fields({
  order: truth.default(false),
  impact: truth.default(false),
  within: z.number().optional(),
  of: modelNames.optional(),
  without: listOf(fields({ models: modelNames, because: text('a reason') }), 'models, and why').default([]),
})
const values = z.array(z.unknown(), expected('a list of values')).min(1, 'is empty')
/** A recorded path, such as a film or a robot's log; see docs/fit.md. */
const pathFields = fields({
  /** Rows of numbers, one a sample, or the file of a log that has them. */
  rows: z.union([text('the file of a log'), z.array(z.unknown())], expected('rows of numbers, or the file of a log')),
  /** Samples a second, or the name of the column of their times [s]. */
  time: word,
  /** By how much later the rows are than what they show [s]. */
  lag: word.default(0),
  /** The free body whose state at the first row is fitted to the rows before it touches anything: by the first place and turn below. */
  start: text('the name of a free body').optional(),
  of: listOf(
    fields({
      name: text('a name'),
      unit: z.string().default(''),
      /** Quantities in the order of the columns; those of a quaternion, scalar last, are compared by the angle between two. */
      of: listOf(word, 'quantities').min(1, 'is empty'),
      columns: listOf(word, 'columns, by name or number').min(1, 'is empty'),
      isTurn: truth.default(false),
      /** Distances are relative to this. */
      scale: word,
      /** Of what was recorded: a distance then counts by its logarithm over this, so that a run is judged while it is near. */
      noise: word.optional(),
    }),
    'what is compared',
  ).min(1, 'is empty'),
})
/** `$name` in any text of the others is the value of a parameter. */
const sceneFields = fields({
  title: text('a title'),
  nature: text('what nature does, in words'),
  source: text('where that is from'),
  /** Named values; lists of which every combination is a case; and sets of values, each of which is one, or the log that they stand in. */
  parameters: byName('NAME', z.unknown()).default({}),
  sweep: byName('NAME', values).default({}),
  cases: z
    .union(
      [text('the file of a log'), listOf(byName('NAME', z.unknown()), 'sets of values').min(1, 'is empty')],
      expected('a list of sets of values, or the file of a log'),
    )
    .default([{}]),
  /** Equations of motion that are integrated for the truth, one after the other; the last values are parameters, and the time that passed is `elapsed`. */
  equations: listOf(
    fields({
      start: byName('NAME', word),
      where: byName('NAME', word).default({}),
      rates: byName('NAME', word),
      time: word.optional(),
      until: word.optional(),
    }),
    'equations of motion',
  ).default([]),
  /** A parameter whose value is measured from which on the first measure, which takes `when`, happens at all: by bisection between two. */
  search: fields({ parameter: text('a name'), from: word, to: word }).optional(),
  scenario: z.record(z.string(), z.unknown(), expected('the fields of a scenario')),
  path: pathFields.optional(),
  /** Whether nothing is to touch, as in a test of free flight. */
  contactless: truth.default(false),
  measures: listOf(
    fields({
      name: text('a name'),
      unit: z.string().default(''),
      of: word,
      /** One of `reductions`. */
      take: z.string().default('end'),
      window: z.tuple([word, word], expected('[from, to]')).optional(),
      /** Default: the figure. */
      nature: word.optional(),
      /** The value as docs print it, a number and its unit, such as `1.00 mm`. */
      figure: text('a number and its unit').optional(),
      /** Errors are relative to this; default: nature's value. */
      scale: word.optional(),
      /** Default: a hundredth of the scale. */
      within: word.optional(),
    }),
    'measures',
  ).default([]),
  /** See `lawFields`; a case may state its own. */
  law: z.unknown().optional(),
  except: listOf(exceptFields, 'models, how they miss, and why').default([]),
})

/** Law of `npm test` for models in a scene; see docs/cases.md. */
export type Law = z.output<typeof lawFields>
export type Exception = z.output<typeof exceptFields>

/** One measure of one case. */
export type Measure = Readonly<Awaited<ReturnType<typeof measureOf>>>

/** A recorded path beside the quantities that it is compared with, all words filled in. */
export type Path = Readonly<Awaited<ReturnType<typeof pathOf>>>
export type PathMeasure = Path['of'][number]

/** A scene with values for all its parameters. */
export interface SceneCase {
  /** Nature's motion, with the case's values. */
  readonly nature: string
  /** The swept ones. */
  readonly values: Readonly<Record<string, unknown>>
  readonly law: Law | undefined
  /** The same object in cases whose words are the same. */
  readonly scenario: Scenario
  readonly measures: readonly Measure[]
  readonly path: Path | undefined
}

export interface Scene {
  /** Its file's, without extension. */
  readonly name: string
  readonly title: string
  readonly nature: string
  readonly source: string
  readonly contactless: boolean
  readonly except: readonly Exception[]
  readonly search: { readonly parameter: string; readonly from: number; readonly to: number } | undefined
  /** As they are written; a case may state its own. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly cases: readonly SceneCase[]
  /** Scenario of the first case, in words, and the values by which each case differs. */
  readonly setup: string
}

let parsed: { readonly source: string; readonly raw: unknown } | undefined

/**
 * @param file for messages, and for paths that are relative to it
 * @param instead values in place of those of the scene's parameters
 * @throws ScenarioError
 */
export async function parseScene(source: string, file: string, instead: Readonly<Record<string, number>> = {}): Promise<Scene> {
  const name = file.replace(/^.*[/\\]/, '').replace(/\.ya?ml$/, '')
  const read = checked(sceneFields, rawOf(source, file), file)
  const { title, nature, source: from, parameters, sweep, scenario, contactless, measures, except } = read
  let search: Scene['search']
  const cases: SceneCase[] = []
  let setup = ''
  const differing: string[] = []
  const scenarios = new Map<string, Scenario>()
  const stated = await statedIn(read.cases, file)
  const sets = combinations(sweep).flatMap((one) => stated.map(({ values, where }) => ({ swept: { ...one, ...values }, where })))
  for (const { swept, where } of sets) {
    const given = { ...parameters, ...swept, ...instead }
    const known = { ...given, ...(await solved(read.equations, given, (known) => filler(known, where))) }
    const filled = filler(known, where)
    const worded = filler(known, where, false)
    const value = (word: number | string, what: string) => constant(filled(word), `${where} ${what}`)
    search ??= read.search && {
      ...read.search,
      from: await value(read.search.from, 'search'),
      to: await value(read.search.to, 'search'),
    }
    const raw = filled(scenario) as Record<string, unknown>
    const key = JSON.stringify(raw)
    const own = scenarios.get(key) ?? resolvePaths(await checkedScenario(raw, where), file)
    scenarios.set(key, own)
    setup ||= await setupWords(raw)
    if (!read.path) differing.push(await caseWords(filled(swept) as Record<string, unknown>))
    cases.push({
      values: swept,
      nature: String(worded(nature)),
      law: read.law === undefined ? undefined : checked(lawFields, filled(read.law), where),
      scenario: own,
      path:
        read.path &&
        (await pathOf(
          { ...(filled({ ...read.path, rows: [] }) as ReadPath), rows: lookedUp(read.path.rows, known) },
          value,
          where,
          file,
        )),
      measures: await Promise.all(measures.map((measure) => measureOf(measure, own.duration, { filled, worded, value }, where))),
    })
  }
  if (measures.length === 0 && !read.path) throw new ScenarioError([`${file}: has neither measures nor a path`])
  if (differing.length > 1) setup += `. Cases: ${differing.join(' | ')}`
  return { name, title, nature, source: from, contactless, except, search, parameters, cases, setup }
}

/** Fills in words; `worded` without brackets, and `value` a constant. */
interface Fill {
  readonly filled: (value: unknown) => unknown
  readonly worded: (value: unknown) => unknown
  readonly value: ValueOf
}

async function measureOf(
  { of, take, window, ...measure }: z.output<typeof sceneFields>['measures'][number],
  duration: number,
  { filled, worded, value }: Fill,
  where: string,
) {
  const [name, unit] = [String(worded(measure.name)), String(worded(measure.unit))]
  const at = (word: number | string) => value(word, `measures "${name}"`)
  const [begin, end] = window ? await Promise.all(window.map(at)) : [0, duration]
  const figure = measure.figure === undefined ? undefined : String(worded(measure.figure))
  const nature = await at(measure.nature ?? figure?.replace('µ', 'u') ?? Number.NaN)
  const scale = measure.scale === undefined ? Math.abs(nature) : await at(measure.scale)
  if (!(begin >= 0 && begin <= end && end <= duration * (1 + 1e-9)))
    throw new ScenarioError([
      `${where} measures "${name}": its window [${begin}, ${end}] s is not within the ${duration} s of the scenario`,
    ])
  return {
    name,
    unit,
    /** An expression in quantities of the world's state. */
    of: String(filled(of)),
    take: checked(oneOf(reductions), worded(take), `${where} measures "${name}" take`),
    /** [s] */
    from: begin,
    to: end,
    /** Nature's value, and the bound for agreement. */
    nature,
    within: measure.within === undefined ? 0.01 * scale : await at(measure.within),
    /** Errors are relative to this. */
    scale,
    /** As docs print it. */
    ...(figure !== undefined && { figure }),
  }
}

function rawOf(source: string, file: string): unknown {
  try {
    // one that is read again with other values has been parsed
    const raw = parsed?.source === source ? parsed.raw : parse(source)
    parsed = { source, raw }
    return raw
  } catch (error) {
    throw new ScenarioError([`${file}: ${(error as Error).message}`])
  }
}

/** Rows are long, and hold no words: what `$name` stands for, as it is. */
const lookedUp = (rows: ReadPath['rows'], known: Readonly<Record<string, unknown>>) =>
  typeof rows === 'string' && rows.startsWith('$') ? (known[rows.slice(1)] as ReadPath['rows']) : rows

type ReadPath = z.output<typeof pathFields>
type ValueOf = (word: number | string, what: string) => Promise<number>

/** Logs that were read: a search reads the scene anew for each point. */
const logs = new Map<string, readonly Logged[]>()

async function logOf(file: string): Promise<readonly Logged[]> {
  const log = logs.get(file) ?? (await readLog(file))
  logs.set(file, log)
  return log
}

async function pathOf({ rows, time, lag, start, of }: ReadPath, value: ValueOf, where: string, file: string) {
  const problem = (message: string) => new ScenarioError([`${where} path: ${message}`])
  let columns: string[] | undefined
  let table = rows as readonly (readonly unknown[])[]
  if (typeof rows === 'string') {
    const logged = await logOf(resolve(dirname(file), rows))
    columns = Object.keys(logged[0].values)
    table = logged.map(({ values }) => (columns as string[]).map((name) => values[name]))
  }
  const column = (column: number | string) => {
    const index = typeof column === 'number' ? column : (columns?.indexOf(column) ?? -1)
    if (!(index >= 0 && index < (table[0]?.length ?? 0)))
      throw problem(`"${column}" is none of its columns ${columns?.join(', ') ?? `0 to ${(table[0]?.length ?? 0) - 1}`}`)
    return index
  }
  const measures = await Promise.all(
    of.map(async ({ name, unit, of, columns, isTurn, scale, ...own }) => {
      if (of.length !== columns.length || (isTurn && of.length !== 4))
        throw problem(
          `"${name}" compares ${of.length} quantities with ${columns.length} columns${isTurn ? '; a turn has four' : ''}`,
        )
      const at = (word: number | string) => value(word, `path "${name}"`)
      const noise = own.noise === undefined ? undefined : await at(own.noise)
      return { name, unit, of: of.map(String), columns: columns.map(column), isTurn, scale: await at(scale), noise }
    }),
  )
  const used = measures.flatMap(({ columns }) => columns)
  const numbers = table as readonly (readonly number[])[]
  const bad = numbers.findIndex((row) => !Array.isArray(row) || used.some((column) => !Number.isFinite(row[column])))
  if (numbers.length < 3 || bad >= 0)
    throw problem(bad >= 0 ? `row ${bad} has no number in a column that is compared` : 'has fewer than three rows')
  const timed = typeof time === 'string' && columns?.includes(time) ? columns.indexOf(time) : -1
  const late = await value(lag, 'path lag')
  const rate = timed < 0 ? await value(time, 'path time') : 0
  if (timed < 0 && !(rate > 0)) throw problem(`time found ${rate}, expected samples a second, or the name of a column`)
  const times = numbers.map((row, i) => (timed < 0 ? i / rate : row[timed] - numbers[0][timed]) - late)
  return {
    /** Times of the samples from the start of the run [s], and their rows. */
    times,
    rows: numbers,
    start,
    of: measures,
  }
}

/** @throws ScenarioError */
function checked<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const read = schema.safeParse(value)
  if (!read.success) throw new ScenarioError(issuesOf(read.error.issues, []).map((issue) => describe(issue, () => where)))
  return read.data
}

async function checkedScenario(raw: Record<string, unknown>, where: string): Promise<Scenario> {
  return checkScenario(raw, (path) => `${where} scenario${flagOf(String(path[0] ?? '')).slice(1)}`)
}

/** The sets of values of a scene, or of the log that it names. */
async function statedIn(cases: string | readonly Logged['values'][], file: string): Promise<readonly Logged[]> {
  if (typeof cases !== 'string') return cases.map((values) => ({ values, where: file }))
  return (await logOf(resolve(dirname(file), cases))).map(({ values, where }) => ({ values, where: `${file} with ${where}` }))
}

function combinations(sweep: Readonly<Record<string, unknown[]>>): Record<string, unknown>[] {
  return Object.entries(sweep).reduce<Record<string, unknown>[]>(
    (list, [key, values]) => list.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  )
}

/** Puts values in for `$name`: a text that is nothing else becomes the value; in a longer one stands the value in brackets, unless it is prose. */
function filler(known: Readonly<Record<string, unknown>>, where: string, brackets = true): (value: unknown) => unknown {
  const lookup = (name: string) => {
    if (!Object.hasOwn(known, name))
      throw new ScenarioError([`${where}: "$${name}" is none of the parameters ${Object.keys(known).join(', ')}`])
    return known[name]
  }
  const fill = (value: unknown, depth: number): unknown => {
    if (depth > 20) throw new ScenarioError([`${where}: parameters that stand for each other`])
    if (typeof value === 'string') {
      const alone = /^\$([A-Za-z_]\w*)$/.exec(value)
      if (alone) return fill(lookup(alone[1]), depth + 1)
      return value.replaceAll(/\$([A-Za-z_]\w*)/g, (_, name: string) => {
        const text = String(fill(lookup(name), depth + 1))
        return brackets ? `(${text})` : text
      })
    }
    if (Array.isArray(value)) return value.map((one) => fill(one, depth))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, depth)]))
  }
  return (value) => fill(value, 0)
}

async function constant(word: unknown, where: string): Promise<number> {
  if (typeof word === 'number') return word
  try {
    return constantOf(await parseExpression(String(word)))
  } catch (error) {
    if (error instanceof ExpressionError) throw new ScenarioError([`${where}: "${String(word)}" ${error.message}`])
    throw error
  }
}
