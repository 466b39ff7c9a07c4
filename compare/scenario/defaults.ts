/** Defaults of the schema's fields as text, and which of them applied. */
import * as z from 'zod'
import { type Kind, kinds } from './expression.ts'
import type { Default, RawScenario } from './scenario.ts'
import { scenarioFields } from './schema.ts'

/** The schema inside of wrappers: optional, default, preprocessed or transformed. */
export function inner(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType, in: from, out } = schema._zod.def as { innerType?: z.ZodType; in?: z.ZodType; out?: z.ZodType }
  if (innerType) return inner(innerType)
  // of a preprocessed field its output, of a transformed one its input
  if (from && out) return inner(from._zod.def.type === 'transform' ? out : from)
  return schema
}

/** The description of a schema, or of its first part that has one. */
export function notesOf(schema: z.core.$ZodType): z.core.GlobalMeta {
  const {
    innerType,
    in: from,
    out,
    element,
  } = schema._zod.def as Partial<Record<'innerType' | 'in' | 'out' | 'element', z.ZodType>>
  const next = innerType ?? (from?._zod.def.type === 'transform' ? out : from) ?? element
  return { ...(next && notesOf(next)), ...z.globalRegistry.get(schema) }
}

/** A value as people write it: 1 ms, 1 mm, 1 %. */
function printed(value: unknown, kind: Kind | undefined): string {
  if (Array.isArray(value)) return value.map((one) => printed(one, kind)).join(', ')
  if (typeof value !== 'number' || kind === undefined) return String(value)
  const { unit } = kinds[kind]
  if (kind === 'fraction') return `${100 * value} %`
  return /^[ms]$/.test(unit) && value !== 0 && Math.abs(value) < 0.1 ? `${1000 * value} m${unit}` : `${value} ${unit}`.trim()
}

/** The default as text; undefined where there is none. */
export function defaultText(schema: z.core.$ZodType): string | undefined {
  const { otherwise, kind } = notesOf(schema)
  if (otherwise !== undefined) return otherwise
  const { defaultValue } = schema._zod.def as { defaultValue?: unknown }
  if (defaultValue === undefined || (typeof defaultValue === 'object' && !Array.isArray(defaultValue))) return undefined
  return Array.isArray(defaultValue) && defaultValue.length === 0 ? 'none' : printed(defaultValue, kind)
}

/** The fields that have a reason for their default and are not stated, in the order of the schema. */
export function defaultsOf(raw: RawScenario): Default[] {
  const stated: RawScenario = { ...raw, seed: raw.seed ?? raw.seeds }
  return noted(scenarioFields, stated, '')
}

function noted(shape: z.core.$ZodShape, stated: Record<string, unknown>, prefix: string): Default[] {
  return Object.entries(shape).flatMap(([key, schema]): Default[] => {
    const given = stated[key]
    const { why } = z.globalRegistry.get(schema) ?? {}
    if (why !== undefined) return given === undefined ? [{ field: prefix + key, value: defaultText(schema) ?? '', why }] : []
    const object = inner(schema)
    if (!(object instanceof z.ZodObject) || (given !== undefined && (typeof given !== 'object' || given === null))) return []
    return noted(object.shape, (given ?? {}) as Record<string, unknown>, `${prefix}${key}.`)
  })
}
