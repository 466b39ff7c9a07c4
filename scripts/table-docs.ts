/**
 * The tables of docs/scenario.md, made from the schema of scenario files, of docs/verdict.md, from the table of metrics, and of docs/robots.md, from the vocabularies: between
 * `<!-- NAME -->` and `<!-- end -->` stands the table NAME. What is outside is kept by hand. A test compares the pages with what this makes.
 *
 *     npm run docs
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { metricDefinitions } from '../compare/measure/metricDefinitions.ts'
import { defaultText, inner } from '../compare/scenario/defaults.ts'
import { material } from '../compare/scenario/fields.ts'
import { materialPairs, materialSources } from '../compare/scenario/materials.ts'
import { measureKinds } from '../compare/scenario/outcomes.ts'
import { scenarioFields } from '../compare/scenario/schema.ts'
import { shapes } from '../compare/scenario/shapes.ts'
import { type Option, optionTable } from '../contact/modelOptions.ts'
import { listedIn, type Vocabulary } from '../robots/elements/index.ts'
import { mjcfVocabulary } from '../robots/mjcf/schema.ts'
import { sdfVocabulary } from '../robots/sdf/schema.ts'
import { srdfVocabulary } from '../robots/srdf.ts'
import { urdfVocabulary } from '../robots/urdf/vocabulary.ts'

type Schema = z.core.$ZodType
type Shape = Readonly<Record<string, Schema>>

const notes = (schema: Schema) => z.globalRegistry.get(schema) ?? {}
const code = (word: string) => `\`${word}\``
const isSurface = (key: string) => Object.hasOwn(material, key)
const hasSurface = (shape: Shape) => Object.keys(material).every((key) => key in shape)
const ownFields = (shape: Shape) => Object.entries(shape).filter(([key]) => !(hasSurface(shape) && isSurface(key)))

/** What a field takes, in words. */
function takes(schema: Schema): string {
  const { takes: stated } = notes(schema)
  if (stated !== undefined) return stated
  const def = schema._zod.def as unknown as Record<'innerType' | 'in' | 'out' | 'element' | 'keyType' | 'valueType', Schema> & {
    type: string
    entries: Record<string, string>
    values: unknown[]
    options: Schema[]
    items: Schema[]
    shape: Shape
  }
  switch (def.type) {
    case 'pipe':
      return def.in._zod.def.type === 'transform' ? `${takes(inner(def.out)).replace(/^list of /, '')}, or a list` : takes(def.in)
    case 'array':
      return `list of ${takes(def.element)}`
    case 'tuple': {
      const [first] = def.items.map(takes)
      return `\`[${['x', 'y', 'z'].slice(0, def.items.length).join(', ')}]\`${/^\[/.test(first) ? ` ${first}` : ''}`
    }
    case 'union':
      return [...new Set(def.options.map(takes))].join(' or ')
    case 'record':
      return `\`{${takes(def.keyType)}: ...}\`${def.valueType._zod.def.type === 'pipe' ? `, ${takes(def.valueType)}` : ''}`
    case 'object':
      return `\`{${[...ownFields(def.shape).map(([key]) => key), ...(hasSurface(def.shape) ? ['SURFACE...'] : [])].join(', ')}}\``
    case 'enum':
      return Object.values(def.entries).map(code).join(', ')
    case 'literal':
      return def.values.map((value) => code(String(value))).join(', ')
    case 'boolean':
      return '`true`, `false`'
    default:
      return def.innerType ? takes(def.innerType) : 'text'
  }
}

const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

function fieldTable(shape: Shape): string {
  const rows = Object.entries(shape).map(([key, schema]) => {
    const fallback = defaultText(schema) ?? ''
    const isWord = /^(string|boolean)$/.test(typeof (schema._zod.def as { defaultValue?: unknown }).defaultValue)
    return [code(key), takes(schema), isWord ? code(fallback) : fallback, notes(schema).description ?? '']
  })
  return table(['Field', 'Takes', 'Default', 'Meaning'], rows)
}

/** The object that a field holds, or a list of. */
function shapeOf(schema: Schema): Shape {
  const { element, shape } = inner(schema)._zod.def as { element?: Schema; shape?: Shape }
  if (element) return shapeOf(element)
  if (!shape) throw new Error('a field without fields of its own')
  return Object.fromEntries(ownFields(shape))
}

function shapeTable(): string {
  const rows = Object.entries(shapes).map(([type, schema]) => {
    const sizes = Object.entries(schema.shape).filter(([key]) => key !== 'type')
    const text = sizes.map(([key, size]) => {
      const { description } = notes(size)
      return `${code(key)} ${takes(size)}${description ? `, ${description}` : ''}`
    })
    return [code(type), text.join('; '), notes(schema).description ?? '']
  })
  return table(['`type`', 'Sizes', 'Its origin'], rows)
}

function optionText({ docs, meaning, choices = [], unit }: Option): string {
  const words = choices.filter((choice) => typeof choice !== 'boolean').map((choice) => code(String(choice)))
  const text = docs ?? meaning
  const listed = words.some((word) => !text.includes(word)) ? `: ${words.join(', ')}` : ''
  return `${text}${listed}${/^1?$/.test(unit) ? '' : ` [${unit}]`}`
}

function defaultOfOption({ default: value, defaultOf = {}, defaultDocs }: Option): string {
  const shown = (one: Option['default']) =>
    typeof one !== 'number' ? code(String(one)) : one > 0 && one < 1e-2 ? one.toExponential() : String(one)
  const others = Object.entries(defaultOf).map(([model, other]) => `; ${code(model)}: ${shown(other)}`)
  return defaultDocs ?? `${shown(value)}${others.join('')}`
}

/** A row an option; models stand in the first of their group. */
function modelOptionTable(): string {
  const rows = optionTable.flatMap(({ models, page, when, options }) =>
    Object.values(options).map((option, i) => {
      const names = models.map((model) => (model.includes(' ') ? model : code(model))).join(', ')
      const of = `${names}${when ? ` with ${code(when)}` : ''}${page ? ` ([law](${page}))` : ''}`
      return [i === 0 ? of : '', code(option.name), optionText(option), defaultOfOption(option)]
    }),
  )
  return table(['Models', 'Option', 'Meaning', 'Default'], rows)
}

const measureTable = ({ kind: _, from: _from, until: _until, ...shape }: Shape) => fieldTable(shape)
const fieldsOf = (name: keyof typeof scenarioFields) => fieldTable(shapeOf(scenarioFields[name]))
const blocks: Record<string, () => string> = {
  fields: () => fieldTable(scenarioFields),
  surface: () => fieldTable(material),
  shapes: shapeTable,
  options: modelOptionTable,
  ...Object.fromEntries(Object.entries(measureKinds).map(([kind, { shape }]) => [kind, () => measureTable(shape)])),
  'bodies motion': () => fieldTable(shapeOf(shapeOf(scenarioFields.bodies).motion)),
  'loops end': () => fieldTable(shapeOf(shapeOf(scenarioFields.loops).a)),
  ...Object.fromEntries(
    (
      ['start', 'boxes', 'companions', 'bodies', 'loops', 'pushes', 'combine', 'physical', 'limits', 'exact', 'perturb'] as const
    ).map((name) => [name, () => fieldsOf(name)] as const),
  ),
}

/** Elements of a format by their parents: those that act, those that are told, those on which no motion depends. */
function elementTable(vocabulary: Vocabulary): string {
  const list = (names: readonly string[]) => names.map((name) => code(name)).join(', ')
  const rows = [...vocabulary].flatMap(([name, word]) => {
    if (!listedIn(word)?.length) return []
    const { children = [], told = {}, reported = {}, idle = [] } = word
    const findings = Object.entries(reported).map(([child, finding]) => `${code(child)} (${code(finding)})`)
    const said = [...Object.keys(told).map(code), ...findings].join(', ')
    return [[code(name), list(children), said, list(idle)]]
  })
  return table(['In', 'Acts', 'Told', 'No motion depends on it'], rows)
}

/** Attributes of a format by their elements. */
function attributeTable(vocabulary: Vocabulary): string {
  const list = (names: readonly string[]) => names.map((name) => code(name)).join(', ')
  const rows = [...vocabulary].flatMap(([name, { attributes = [], toldAttributes = {}, carried = [] }]) => {
    const told = Object.entries(toldAttributes).map(([attribute, finding]) => `${code(attribute)} (${code(finding.code)})`)
    const idle = carried.filter((attribute) => !Object.hasOwn(toldAttributes, attribute))
    const read = attributes.filter((attribute) => !Object.hasOwn(toldAttributes, attribute))
    return read.length + told.length + idle.length === 0 ? [] : [[code(name), list(read), told.join(', '), list(idle)]]
  })
  return table(['Attributes of', 'Act', 'Told', 'No motion depends on it'], rows)
}

const metricTable = () =>
  table(
    ['Key', 'Unit', 'What it is'],
    Object.entries(metricDefinitions).map(([key, { unit, text }]) => [code(key), unit, text.replace(/ Exact: 0\.$/, '')]),
  )

type Tables = Readonly<Record<string, () => string>>
/** Pages with tables, each by its name. */
const pages: Readonly<Record<string, Tables>> = {
  'scenario.md': blocks,
  'verdict.md': { metrics: metricTable },
  'materials.md': {
    pairs: () =>
      table(
        ['Pair', 'State', 'Static friction', 'Sliding friction', 'Restitution', 'Sources'],
        materialPairs.map(({ materials, state, shown, sources }) => [materials.join(', '), state, ...shown, sources.join(', ')]),
      ),
    sources: () =>
      table(
        ['', 'Source'],
        Object.entries(materialSources).map(([key, source]) => [key, source]),
      ),
  },
  'robots.md': {
    urdf: () => elementTable(urdfVocabulary),
    sdf: () => elementTable(sdfVocabulary),
    srdf: () => elementTable(srdfVocabulary),
    mjcf: () => elementTable(mjcfVocabulary),
    'mjcf attributes': () => attributeTable(mjcfVocabulary),
  },
}

/** The page with its tables made anew. @throws Error for a table that the page has no place for */
export function pageWithTables(name: string, page: string, tables: Tables = pages[name]): string {
  const places = new Set<string>()
  const made = page.replace(/<!-- ([a-z ]+) -->\n[\s\S]*?<!-- end -->/g, (_, block: string) => {
    places.add(block)
    return `<!-- ${block} -->\n${tables[block]()}\n<!-- end -->`
  })
  const missing = Object.keys(tables).filter((block) => !places.has(block))
  if (missing.length > 0) throw new Error(`docs/${name} has no place for ${missing.join(', ')}`)
  return made
}

/** @param tables of the page */
export function writePage(name: string, tables?: Tables): void {
  const file = fileURLToPath(new URL(`../docs/${name}`, import.meta.url))
  writeFileSync(file, pageWithTables(name, readFileSync(file, 'utf8'), tables))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const name of Object.keys(pages)) writePage(name)
