/**
 * Scenario files. They are YAML (or JSON, which is YAML). Every number may be a plain number in SI units or a text with units and
 * arithmetic, see `expression.ts`. The command line's flags are the same fields and are checked by the same rules.
 */

import {
  CST,
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  parseDocument,
  type Range,
  visit,
  type YAMLMap,
} from 'yaml'
import { Meter } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import { shown } from './fields.ts'
import { isDeeper } from './nesting.ts'
import { describe, flagOf, type Locate, ScenarioError } from './problems.ts'
import { disagreements, type RawScenario, readFields, type Scenario, scenarioOf } from './scenario.ts'
import type { ScenarioFields } from './schema.ts'
import { Combinations, readSweep } from './sweep.ts'

const largestFile = 1_000_000
/** Levels of a file, and its words, marks and spaces: more take the parser too long, and too much memory. */
const deepest = 50
const limits = {
  'words, marks and spaces': 200_000,
  /** Texts that may be numbers with units or formulas, which take a tenth of a millisecond each; and their characters. */
  texts: 20_000,
  'characters in texts': 200_000,
}
/** Longer ones are no formulas. */
const longestFormula = 500

/**
 * Reads the text of a scenario file.
 *
 * @param overrides fields that take the place of the file's, such as the command line's flags
 * @throws ScenarioError with every problem: file, line, field, what was found, what was expected
 */
export async function parseScenario(source: string, file: string, overrides: RawScenario = {}): Promise<Scenario> {
  const { raw, locate } = rawScenario(source, file, overrides)
  return checkScenario(raw, locate)
}

/** The fields of a scenario file, unchecked, and where each stands. @throws ScenarioError for what is no scenario file */
export function rawScenario(
  source: string,
  file: string,
  overrides: RawScenario = {},
): { readonly raw: RawScenario; readonly locate: Locate } {
  is.check(source, is.text, 'text of a scenario')
  is.check(overrides, is.made('fields of a scenario'), 'overrides')
  const lines = new LineCounter()
  const document = documentOf(source, file, lines)
  let raw: unknown
  try {
    raw = document.toJS({ maxAliasCount: 50 })
  } catch (error) {
    throw new ScenarioError([`${file}: ${(error as Error).message}; at most 50 aliases are followed`])
  }
  if (!isMap(document.contents))
    throw new ScenarioError([`${file}: found ${shown(raw)}, expected fields such as "robot: diffdrive"`])
  if (isDeeper(raw, deepest))
    throw new ScenarioError([`${file}: is nested ${tooDeep}, or an alias stands within what it stands for`])

  const pairs = new WeakMap<YAMLMap, Map<string, Pair>>()
  /** A map may have as many keys as a file has lines, and each may be wrong. */
  const childOf = (node: unknown, key: PropertyKey): unknown => {
    if (isSeq(node)) return node.items[Number(key)]
    if (!isMap(node)) return undefined
    const known = pairs.get(node) ?? new Map(node.items.map((pair) => [String(pair.key), pair]))
    pairs.set(node, known)
    return known.get(String(key))?.value
  }
  const locate: Locate = (path) => {
    if (Object.hasOwn(overrides, path[0] as string)) return flagOf(String(path[0]))
    let at = file
    let node: unknown = document.contents
    for (const key of path) {
      node = childOf(node, key)
      const { range } = (node ?? {}) as { range?: Range | null }
      if (range) at = `${file}:${lines.linePos(range[0]).line}`
    }
    return at
  }
  return { raw: { ...(raw as RawScenario), ...withOptionsOf(raw as RawScenario, overrides) }, locate }
}

const tooDeep = `deeper than ${deepest} levels, which no scenario is`

/** @throws ScenarioError for invalid YAML, or more than a scenario may be */
function documentOf(source: string, file: string, lines: LineCounter): Document.Parsed {
  if (source.length > largestFile)
    throw new ScenarioError([`${file}: holds ${source.length} characters, more than the ${largestFile} that a scenario may have`])
  const refusal = (kind: string, most: number) =>
    new ScenarioError([`${file}: holds more than the ${most} ${kind} that a scenario may have`])
  const meter = new Meter<keyof typeof limits>(limits, refusal)
  checkSize(source, file, meter)
  // the library's own check of keys takes the square of their number
  const document = parseDocument(source, { lineCounter: lines, uniqueKeys: false, prettyErrors: false, logLevel: 'error' })
  const wrong = document.errors.map((e) => `${file}:${lines.linePos(e.pos[0]).line} ${e.message}`)
  if (wrong.length > 0) throw new ScenarioError(wrong)
  const countText = (key: unknown, length: number) => {
    if (key === 'key' || length > longestFormula) return
    meter.ask('texts')
    meter.ask('characters in texts', length)
  }
  visit(document, {
    Scalar: (key, { value }) => (typeof value === 'string' ? countText(key, value.length) : undefined),
    Alias: (key) => countText(key, 0),
    Map(_, { items }) {
      const seen = new Set<string>()
      for (const { key } of items) {
        const { range } = (key ?? {}) as { range?: Range | null }
        const at = range ? `:${lines.linePos(range[0]).line}` : ''
        if (!isScalar(key)) {
          if (isCollection(key)) wrong.push(`${file}${at} found a list or a map as a key, expected a word`)
          continue
        }
        const name = String(key.value)
        if (name === '__proto__' || name === 'constructor' || name === 'prototype')
          wrong.push(`${file}${at} ${name}: is a reserved word and cannot be a key; rename it`)
        if (seen.has(name)) wrong.push(`${file}${at} Map keys must be unique`)
        seen.add(name)
      }
    },
  })
  if (wrong.length > 0) throw new ScenarioError(wrong)
  return document
}

/** That the parser, which calls itself for each level, comes to an end soon. */
function checkSize(source: string, file: string, meter: Meter<keyof typeof limits>): void {
  let [line, depth, indicators] = [1, 0, 0]
  const refusal = (kind: string, most: number) =>
    new ScenarioError([`${file}:${line} holds more than the ${most} ${kind} that a scenario may have`])
  for (const token of new Lexer().lex(source)) {
    const type = CST.tokenType(token)
    if (type === 'newline') line++
    if (type === 'flow-seq-start' || type === 'flow-map-start') depth++
    else if (type === 'flow-seq-end' || type === 'flow-map-end') depth--
    // `- - -` begins a list within a list within a list
    if (type === 'seq-item-ind' || type === 'explicit-key-ind') indicators++
    else if (type !== 'space') indicators = 0
    if (depth > deepest || indicators > deepest) throw new ScenarioError([`${file}:${line} is nested ${tooDeep}`])
    meter.ask('words, marks and spaces', 1, refusal)
  }
}

/** Models that are named in place of the file's keep the options that the file gives them, and a pose what else it says of the start. */
function withOptionsOf({ models: stated, start }: RawScenario, given: RawScenario): RawScenario {
  const others = Object.entries((start ?? {}) as object).filter(([field]) => field !== 'pose' && field !== 'key')
  const overrides =
    given.start === undefined ? given : { ...given, start: { ...Object.fromEntries(others), ...(given.start as object) } }
  if (!Array.isArray(overrides.models) || !Array.isArray(stated)) return overrides
  const entries: unknown[] = stated
  const named = (name: unknown) => entries.find((entry) => (entry as { name?: unknown } | null)?.name === name)
  return { ...overrides, models: overrides.models.map((model) => (typeof model === 'string' ? (named(model) ?? model) : model)) }
}

/**
 * Checks a scenario and every combination of its sweep, and fills in the defaults.
 *
 * @throws ScenarioError with every problem of its fields, of agreement between them, and of its sweep
 */
export async function checkScenario(raw: RawScenario, locate: Locate = flagged): Promise<Scenario> {
  const { data, sweep, variants } = await checked(raw, locate)
  return { ...scenarioOf(raw, data), sweep, variants }
}

const flagged: Locate = (path) => flagOf(String(path[0] ?? 'scenario'))

/** Checks a scenario whose sweep may have any number of combinations, which are made one by one. @throws ScenarioError */
export async function checkSweep(raw: RawScenario, locate: Locate = flagged): Promise<Combinations> {
  const { data, sweep } = await checked(raw, locate, true)
  const { sweep: _, sample: _sample, ...plain } = raw
  return new Combinations(plain, data, sweep)
}

async function checked(raw: RawScenario, locate: Locate, isLarge = false) {
  is.check(raw, is.made('the fields of a scenario'), 'scenario')
  const read = await readFields(raw)
  const issues = [...read.issues, ...disagreements(raw, read.data)]
  const { sweep, variants, problems } = await readSweep(raw, { data: read.data, issues }, locate, isLarge)
  const all = [...issues.map((issue) => describe(issue, locate)), ...problems]
  if (all.length > 0) throw new ScenarioError(all)
  return { data: read.data as ScenarioFields, sweep: sweep as Record<string, unknown[]>, variants }
}
