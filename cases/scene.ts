/** Scenes of the benchmark: what is simulated, what is measured, and what nature does. They are YAML files beside this one, in `scenes`. */
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
import { caseWords, setupWords } from './setupWords.ts'

/**
 * What a measure takes of its quantity over its window: the value at the end; the change from the beginning to the end, and that over the time
 * (`rate`); the largest, least and mean value, and largest less least (`range`); or the first time at which it is above zero (`when`).
 */
export const takings = ['end', 'change', 'rate', 'largest', 'least', 'range', 'mean', 'when'] as const
export type Taking = (typeof takings)[number]

const word = z.union([z.number(), z.string()], expected('a number or an expression'))
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
  scenario: z.record(z.string(), z.unknown(), expected('the fields of a scenario')),
  /** Whether nothing is to touch, as in a test of free flight. */
  contactless: truth.default(false),
  measures: listOf(
    fields({
      name: text('a name'),
      unit: z.string().default(''),
      of: word,
      take: oneOf(takings).default('end'),
      window: z.tuple([word, word], expected('[from, to]')).optional(),
      nature: word,
      within: word,
    }),
    'measures',
  ).min(1, 'is empty'),
})

/** One measure of one case. */
export interface Measure {
  readonly name: string
  readonly unit: string
  /** An expression in quantities of the world's state. */
  readonly of: string
  readonly take: Taking
  /** [s] */
  readonly from: number
  readonly to: number
  /** What nature has, and how far off counts as the same. */
  readonly nature: number
  readonly within: number
}

/** A scene with values for all its parameters. */
export interface SceneCase {
  /** The swept ones. */
  readonly values: Readonly<Record<string, unknown>>
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
  /** As they are written; a case may state its own. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly cases: readonly SceneCase[]
  /** What the first case states of its scenario, in words, and by which values each case differs. */
  readonly setup: string
}

/**
 * @param file for messages, and for paths that are relative to it
 * @param instead values in place of those of the scene's parameters
 * @throws ScenarioError
 */
export async function parseScene(source: string, file: string, instead: Readonly<Record<string, number>> = {}): Promise<Scene> {
  const name = file.replace(/^.*[/\\]/, '').replace(/\.ya?ml$/, '')
  let raw: unknown
  try {
    raw = parse(source)
  } catch (error) {
    throw new ScenarioError([`${file}: ${(error as Error).message}`])
  }
  const read = sceneFields.safeParse(raw)
  if (!read.success) throw new ScenarioError(issuesOf(read.error.issues, []).map((issue) => describe(issue, () => file)))
  const { title, nature, source: from, parameters, sweep, scenario, contactless, measures } = read.data
  const cases: SceneCase[] = []
  let setup = ''
  const differing: string[] = []
  const stated = statedIn(read.data.cases, file)
  const sets = combinations(sweep).flatMap((one) => stated.map(({ values, where }) => ({ swept: { ...one, ...values }, where })))
  for (const { swept, where } of sets) {
    const known = { ...parameters, ...swept, ...instead }
    const filled = filler(known, where)
    const raw = filled(scenario) as Record<string, unknown>
    const own = resolvePaths(await checkedScenario(raw, where), file)
    setup ||= await setupWords(raw)
    differing.push(await caseWords(filled(swept) as Record<string, unknown>))
    cases.push({
      values: swept,
      scenario: own,
      measures: await Promise.all(
        measures.map(async ({ name, unit, of, take, window, nature, within }): Promise<Measure> => {
          const value = (word: number | string) => constant(filled(word), `${where} measures "${name}"`)
          const [begin, end] = window ? await Promise.all(window.map(value)) : [0, own.duration]
          if (!(begin >= 0 && begin <= end && end <= own.duration * (1 + 1e-9)))
            throw new ScenarioError([
              `${where} measures "${name}": its window [${begin}, ${end}] s is not within the ${own.duration} s of the scenario`,
            ])
          return {
            name,
            unit,
            of: String(filled(of)),
            take,
            from: begin,
            to: end,
            nature: await value(nature),
            within: await value(within),
          }
        }),
      ),
    })
  }
  if (cases.length > 1) setup += `. Cases: ${differing.join(' | ')}`
  return { name, title, nature, source: from, contactless, parameters, cases, setup }
}

async function checkedScenario(raw: Record<string, unknown>, where: string): Promise<Scenario> {
  return checkScenario(raw, (path) => `${where} scenario${flagOf(String(path[0] ?? '')).slice(1)}`)
}

/** The sets of values of a scene, or of the log that it names. */
function statedIn(cases: string | readonly Logged['values'][], file: string): readonly Logged[] {
  if (typeof cases !== 'string') return cases.map((values) => ({ values, where: file }))
  return readLog(resolve(dirname(file), cases)).map(({ values, where }) => ({ values, where: `${file} with ${where}` }))
}

function combinations(sweep: Readonly<Record<string, unknown[]>>): Record<string, unknown>[] {
  return Object.entries(sweep).reduce<Record<string, unknown>[]>(
    (list, [key, values]) => list.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  )
}

/** Puts values in for `$name`: a text that is nothing else becomes the value; in a longer one stands the value in brackets. */
function filler(known: Readonly<Record<string, unknown>>, where: string): (value: unknown) => unknown {
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
      return value.replaceAll(/\$([A-Za-z_]\w*)/g, (_, name: string) => `(${String(fill(lookup(name), depth + 1))})`)
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
