import { parseDocument, type ScalarTag } from 'yaml'
import type { Budget } from './expression/budget.ts'
import { checkSize } from './expression/numbers.ts'
import { Dict, List, type Value } from './expression/values.ts'
import { ExpressionError, LimitError } from './failures.ts'

/** Longest YAML file [characters]. */
const maxText = 64 * 1024
/** Most nodes that aliases may expand to, counted with those inside others. */
const maxAliases = 100
const maxNesting = 60

/** Factors of unit tags, into radians and metres. */
const units: readonly (readonly [string, number])[] = [
  ['!radians', 1],
  ['!degrees', Math.PI / 180],
  ['!meters', 1],
  ['!millimeters', 0.001],
  ['!foot', 0.3048],
  ['!inches', 0.0254],
]

/** PyYAML's booleans; without the `y` of YAML 1.1, which is a common name of a coordinate. */
const booleans: readonly ScalarTag[] = [
  { tag: 'tag:yaml.org,2002:bool', default: true, test: /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/, resolve: () => true },
  { tag: 'tag:yaml.org,2002:bool', default: true, test: /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/, resolve: () => false },
]

/** PyYAML's floats have a point and a sign in the exponent: 3e5, -3e-1 and 1.5e3 are text to it. */
const exponents: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  test: /^[-+]?[0-9][0-9_]*(?:[eE][-+]?[0-9]+|\.[0-9_]*[eE][0-9]+)$/,
  resolve: (source) => source,
}

/** Types of YAML 1.1 that robot files do without; a date is text. */
const unwanted = /bool|timestamp|binary|set|omap|pairs/

/**
 * Reads YAML as PyYAML does for ROS' xacro: version 1.1, in which `yes` is true; tags for units, which may be followed by
 * an expression.
 *
 * @param evaluate the value of an expression behind a unit
 * @throws ExpressionError for text that is no YAML, LimitError for too much of it
 */
export function readYaml(text: string, evaluate: (expression: string) => number, budget: Budget): Value {
  if (text.length > maxText) {
    throw new LimitError(`the YAML file has ${text.length} characters; at most ${maxText} are read.`, 'Split it.')
  }
  budget.step(8 * text.length) // parsing YAML is slow: microseconds a character
  // the parser makes a finding of its own of any error thrown inside of it
  let failure: ExpressionError | undefined
  const inUnit = (source: string, factor: number): number => {
    try {
      return evaluate(source) * factor
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      failure ??= error
      return Number.NaN
    }
  }
  const tags = units.map(([tag, factor]): ScalarTag => ({ tag, resolve: (source) => inUnit(source, factor) }))
  let plain: unknown
  try {
    const document = parseDocument(text, {
      version: '1.1',
      intAsBigInt: true,
      uniqueKeys: false,
      logLevel: 'silent',
      customTags: (all) => [
        ...booleans,
        exponents,
        ...all.filter((tag) => typeof tag === 'string' || !unwanted.test(tag.tag)),
        ...tags,
      ],
    })
    if (failure) throw failure
    const [problem] = [...document.errors, ...document.warnings]
    if (problem?.message.includes('call stack')) throw tooDeep()
    if (problem) throw new ExpressionError(`this is no YAML that is read here: ${firstLine(problem)}`, 'Check the file.')
    plain = document.toJS({ mapAsMap: true, maxAliasCount: maxAliases })
  } catch (error) {
    if (error instanceof ExpressionError) throw error
    if (error instanceof RangeError) throw tooDeep()
    throw new LimitError(`the YAML stands for too much: ${firstLine(error)}`, 'Write out what its aliases mean.')
  }
  return fromPlain(plain, 0, budget)
}

function fromPlain(plain: unknown, depth: number, budget: Budget): Value {
  budget.step(1)
  if (depth > maxNesting) throw tooDeep()
  if (Array.isArray(plain)) return new List(plain.map((item) => fromPlain(item, depth + 1, budget)))
  if (plain instanceof Map) {
    const pairs = [...plain].map(([key, item]): [Value, Value] => [
      fromPlain(key, depth + 1, budget),
      fromPlain(item, depth + 1, budget),
    ])
    return new Dict(pairs)
  }
  if (typeof plain === 'bigint') return checkSize(plain)
  if (typeof plain === 'string' || typeof plain === 'number' || typeof plain === 'boolean') return plain
  return null
}

function tooDeep(): LimitError {
  return new LimitError(`the YAML is nested more than ${maxNesting} deep.`, 'Flatten it.')
}

function firstLine(error: unknown): string {
  const [line] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/[.:]?$/, '.')
}
