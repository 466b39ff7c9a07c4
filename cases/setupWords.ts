/** A scene's set-up in words, so that it can be built again without its file: every field that it states, constants worked out. */
import { constantOf, parseExpression } from '../compare/scenario/index.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * @param stated the scenario of a case, with values for its parameters
 * @returns its fields in their order, `;` between them
 */
export async function setupWords(stated: Fields): Promise<string> {
  const known = (await withConstants(stated)) as Fields
  return Object.entries(known)
    .map(([key, value]) =>
      Array.isArray(value) && value.some(isFields) ? listWords(key, value as Fields[]) : `${key} ${words(value)}`,
    )
    .join('; ')
}

/** The values of a case in words: `mu 0.2, v 2`. */
export async function caseWords(values: Fields): Promise<string> {
  return fieldsWords((await withConstants(values)) as Fields)
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const number = (value: number) => `${Number(value.toPrecision(4))}`

function words(value: unknown): string {
  if (typeof value === 'number') return number(value)
  if (Array.isArray(value)) return `(${value.map(words).join(', ')})`
  if (!isFields(value)) return String(value)
  return isShape(value) ? shapeWords(value) : `{${fieldsWords(value)}}`
}

const fieldsWords = (fields: Fields) =>
  Object.entries(fields)
    .map(([key, value]) => (isFields(value) && isShape(value) ? words(value) : `${key} ${words(value)}`))
    .join(', ')

const isShape = (value: Fields) => typeof value.type === 'string'

/** An obstacle has the fields of its shape beside its own. */
function shapeWords({ type, points: corners, ...fields }: Fields): string {
  const rest = fieldsWords(fields)
  if (corners === undefined) return `${String(type)} of ${rest}`
  const points = corners as readonly (readonly number[])[]
  const within = (axis: number) => {
    const values = points.map((point) => point[axis])
    return `${number(Math.min(...values))} to ${number(Math.max(...values))}`
  }
  return `${String(type)} of ${points.length} points, x ${within(0)}, y ${within(1)}, z ${within(2)}${rest === '' ? '' : `, ${rest}`}`
}

/** A list of things: fields that all have alike stand once, before it. */
function listWords(key: string, list: readonly Fields[]): string {
  const alike = (field: string) => list.length > 1 && list.every((one) => words(one[field]) === words(list[0][field]))
  const shared = Object.keys(list[0]).filter((field) => field in list[0] && alike(field))
  const pick = (one: Fields, of: (field: string) => boolean) =>
    Object.fromEntries(Object.entries(one).filter(([field]) => field !== 'name' && of(field)))
  const each = shared.length > 0 ? ` (each ${fieldsWords(pick(list[0], (field) => shared.includes(field)))})` : ''
  const own = list.map((one) => {
    const name = one.name === undefined ? '' : `${String(one.name)} `
    return `${name}${words(pick(one, (field) => !shared.includes(field))).replace(/^\{(.*)\}$/, '$1')}`
  })
  return `${key}${each}: ${own.join(' | ')}`
}

/** Expressions that are constants become numbers in SI units; all else stays, such as names and functions of t. */
async function withConstants(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(withConstants))
  if (isFields(value)) {
    const entries = Object.entries(value).map(async ([key, one]) => [key, await withConstants(one)] as const)
    return Object.fromEntries(await Promise.all(entries))
  }
  if (typeof value !== 'string' || !/\d/.test(value) || isQuantity.test(value)) return value // a name such as "b" is a unit too
  try {
    return constantOf(await parseExpression(value))
  } catch {
    return value
  }
}

/** A number with its unit, which is left as it is written. */
const isQuantity = /^[-+\d.e]+ ?[a-z/%]+$/i
