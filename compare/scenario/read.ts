/**
 * Scenario files. They are YAML (or JSON, which is YAML). Every number may be a plain number in SI units or a text with units and
 * arithmetic, see `expression.ts`. The command line's flags are the same fields and are checked by the same rules.
 */
import { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { shown } from './fields.ts'
import { describe, type Locate, ScenarioError } from './problems.ts'
import { disagreements, type RawScenario, readFields, type Scenario, scenarioOf } from './scenario.ts'
import type { ScenarioFields } from './schema.ts'
import { readSweep } from './sweep.ts'

const largestFile = 1_000_000

/**
 * Reads the text of a scenario file.
 *
 * @param overrides fields that take the place of the file's, such as the command line's flags
 * @throws ScenarioError with every problem: file, line, field, what was found, what was expected
 */
export async function parseScenario(source: string, file: string, overrides: RawScenario = {}): Promise<Scenario> {
  if (source.length > largestFile)
    throw new ScenarioError([`${file}: holds ${source.length} characters, more than the ${largestFile} that a scenario may have`])
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, uniqueKeys: true, prettyErrors: false })
  if (document.errors.length > 0) {
    throw new ScenarioError(document.errors.map((e) => `${file}:${lines.linePos(e.pos[0]).line} ${e.message}`))
  }
  const forbidden: string[] = []
  visit(document, {
    Pair(_, pair) {
      const key = isScalar(pair.key) ? String(pair.key.value) : ''
      if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
        const at = isScalar(pair.key) && pair.key.range ? `:${lines.linePos(pair.key.range[0]).line}` : ''
        forbidden.push(`${file}${at} ${key}: is a reserved word and cannot be a key; rename it`)
      }
    },
  })
  if (forbidden.length > 0) throw new ScenarioError(forbidden)
  let raw: unknown
  try {
    raw = document.toJS({ maxAliasCount: 50 })
  } catch (error) {
    throw new ScenarioError([`${file}: ${(error as Error).message}; at most 50 aliases are followed`])
  }
  if (!isMap(document.contents))
    throw new ScenarioError([`${file}: found ${shown(raw)}, expected fields such as "robot: diffdrive"`])

  const locate: Locate = (path) => {
    if (Object.hasOwn(overrides, path[0] as string)) return `--${String(path[0])}`
    for (let n = path.length; n > 0; n--) {
      const node = document.getIn(path.slice(0, n), true) as { range?: [number, number, number] } | undefined
      if (node?.range) return `${file}:${lines.linePos(node.range[0]).line}`
    }
    return file
  }
  return checkScenario({ ...(raw as RawScenario), ...withOptionsOf(raw as RawScenario, overrides) }, locate)
}

/** Models that are named in place of the file's keep the options that the file gives them. */
function withOptionsOf({ models: stated }: RawScenario, overrides: RawScenario): RawScenario {
  if (!Array.isArray(overrides.models) || !Array.isArray(stated)) return overrides
  const entries: unknown[] = stated
  const named = (name: unknown) => entries.find((entry) => (entry as { name?: unknown } | null)?.name === name)
  return { ...overrides, models: overrides.models.map((model) => (typeof model === 'string' ? (named(model) ?? model) : model)) }
}

/**
 * Checks a scenario and every combination of its sweep, and fills in the defaults.
 *
 * @throws ScenarioError with every problem of its fields, of what has to agree between them, and of its sweep
 */
export async function checkScenario(
  raw: RawScenario,
  locate: Locate = (path) => `--${String(path[0] ?? 'scenario')}`,
): Promise<Scenario> {
  const read = await readFields(raw)
  const issues = [...read.issues, ...disagreements(raw, read.data)]
  const { sweep, variants, problems } = await readSweep(raw, { data: read.data, issues }, locate)
  const all = [...issues.map((issue) => describe(issue, locate)), ...problems]
  if (all.length > 0) throw new ScenarioError(all)
  return { ...scenarioOf(raw, read.data as ScenarioFields), sweep, variants }
}
