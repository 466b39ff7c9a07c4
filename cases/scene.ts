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
  ).min(1, 'is empty'),
  /** See `lawFields`; a case may state its own. */
  law: z.unknown().optional(),
  except: listOf(exceptFields, 'models, how they miss, and why').default([]),
})

/** Law of `npm test` for models in a scene; see docs/cases.md. */
export type Law = z.output<typeof lawFields>
export type Exception = z.output<typeof exceptFields>

/** One measure of one case. */
export interface Measure {
  readonly name: string
  readonly unit: string
  /** An expression in quantities of the world's state. */
  readonly of: string
  readonly take: Reduction
  /** [s] */
  readonly from: number
  readonly to: number
  /** Nature's value, and the bound for agreement. */
  readonly nature: number
  readonly within: number
  /** Errors are relative to this. */
  readonly scale: number
  /** As docs print it. */
  readonly figure?: string
}

/** A scene with values for all its parameters. */
export interface SceneCase {
  /** Nature's motion, with the case's values. */
  readonly nature: string
  /** The swept ones. */
  readonly values: Readonly<Record<string, unknown>>
  readonly law: Law | undefined
  readonly scenario: Scenario
  readonly measures: readonly Measure[]
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
  let raw: unknown
  try {
    // one that is read again with other values has been parsed
    raw = parsed?.source === source ? parsed.raw : parse(source)
    parsed = { source, raw }
  } catch (error) {
    throw new ScenarioError([`${file}: ${(error as Error).message}`])
  }
  const read = checked(sceneFields, raw, file)
  const { title, nature, source: from, parameters, sweep, scenario, contactless, measures, except } = read
  let search: Scene['search']
  const cases: SceneCase[] = []
  let setup = ''
  const differing: string[] = []
  const stated = await statedIn(read.cases, file)
  const sets = combinations(sweep).flatMap((one) => stated.map(({ values, where }) => ({ swept: { ...one, ...values }, where })))
  for (const { swept, where } of sets) {
    const given = { ...parameters, ...swept, ...instead }
    const known = { ...given, ...(await solved(read.equations, given, (known) => filler(known, where))) }
    const filled = filler(known, where)
    const worded = filler(known, where, false)
    const value = (word: number | string, what: string) => constant(filled(word), `${where} ${what}`)
    if (read.search) {
      const { parameter, from, to } = read.search
      search ??= { parameter, from: await value(from, 'search'), to: await value(to, 'search') }
    }
    const raw = filled(scenario) as Record<string, unknown>
    const own = resolvePaths(await checkedScenario(raw, where), file)
    setup ||= await setupWords(raw)
    differing.push(await caseWords(filled(swept) as Record<string, unknown>))
    cases.push({
      values: swept,
      nature: String(worded(nature)),
      law: read.law === undefined ? undefined : checked(lawFields, filled(read.law), where),
      scenario: own,
      measures: await Promise.all(
        measures.map(async ({ of, take, window, ...measure }): Promise<Measure> => {
          const [name, unit] = [String(worded(measure.name)), String(worded(measure.unit))]
          const at = (word: number | string) => value(word, `measures "${name}"`)
          const [begin, end] = window ? await Promise.all(window.map(at)) : [0, own.duration]
          const figure = measure.figure === undefined ? undefined : String(worded(measure.figure))
          const nature = await at(measure.nature ?? figure?.replace('µ', 'u') ?? Number.NaN)
          const scale = measure.scale === undefined ? Math.abs(nature) : await at(measure.scale)
          if (!(begin >= 0 && begin <= end && end <= own.duration * (1 + 1e-9)))
            throw new ScenarioError([
              `${where} measures "${name}": its window [${begin}, ${end}] s is not within the ${own.duration} s of the scenario`,
            ])
          return {
            name,
            unit,
            of: String(filled(of)),
            take: checked(oneOf(reductions), worded(take), `${where} measures "${name}" take`),
            from: begin,
            to: end,
            nature,
            within: measure.within === undefined ? 0.01 * scale : await at(measure.within),
            scale,
            ...(figure !== undefined && { figure }),
          }
        }),
      ),
    })
  }
  if (cases.length > 1) setup += `. Cases: ${differing.join(' | ')}`
  return { name, title, nature, source: from, contactless, except, search, parameters, cases, setup }
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
  return (await readLog(resolve(dirname(file), cases))).map(({ values, where }) => ({ values, where: `${file} with ${where}` }))
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
