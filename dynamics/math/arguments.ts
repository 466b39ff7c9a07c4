import { shortened } from './listed.ts'
import { didYouMean } from './nearest.ts'

/* Checks of arguments where a program enters the package, by tables with a row a field. A step calls none of these. */

/** Expectation of a value. @returns '' if it is met; else a line for each problem, which begins with `where` */
export type Kind = (value: unknown, where: string) => string
/** Expectations of the fields that an object has to state, and of its others: types see to it that no field is left out. */
type Needed<T> = { readonly [Name in keyof T as undefined extends T[Name] ? never : Name]: Kind }
type Others<T> = { readonly [Name in keyof T as undefined extends T[Name] ? Name : never]-?: Kind }
type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const isList = (x: unknown): x is ArrayLike<unknown> => Array.isArray(x) || (ArrayBuffer.isView(x) && !(x instanceof DataView))
const problemsOf = (lines: readonly string[]) => lines.filter((line) => line !== '').join('\n')

/** A value as messages quote it. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value)
  if (typeof value === 'function') return 'a function'
  if (isList(value)) return `[${shortened(Array.from(value, (x) => (isObject(x) ? '...' : quoted(x))).slice(0, 10), 9, ', ...')}]`
  return isObject(value) ? `an object of ${shortened(Object.keys(value), 6) || 'nothing'}` : String(value)
}

/** An expectation in the words that follow "expected". */
export const kind =
  (expected: string, accepts: (value: never) => boolean): Kind =>
  (value, where) =>
    accepts(value as never) ? '' : `${where.replace(/: $/, '') || 'it'} is ${quoted(value)}; expected ${expected}`

/** Within bounds, both allowed; Infinity only where it is the stated bound. */
export const number = (least: number, unit = '', most: number = Number.MAX_VALUE): Kind =>
  kind(
    `${most < Number.MAX_VALUE ? `a number from ${least} to ${most}` : `a finite number of at least ${least}`}${unit && ` [${unit}]`}`,
    (x: number) => typeof x === 'number' && x >= least && x <= most,
  )
/** @param more completes "a positive number" */
export const positive = (more = ''): Kind =>
  kind(`a positive number${more}`, (x: number) => typeof x === 'number' && x > 0 && x < Infinity)
export const finite = kind('a finite number', Number.isFinite)
export const whole = (least: number): Kind =>
  kind(`a whole number from ${least} up`, (x: number) => Number.isSafeInteger(x) && x >= least)
/** So many positive lengths. */
export const lengths = (count: number): Kind => listOf(positive(' [m]'), count)
export const flag = kind('true or false', (x) => typeof x === 'boolean')
export const text = kind('a text', (x) => typeof x === 'string')
export const name = kind('a text that is not empty', (x) => typeof x === 'string' && x !== '')
export const callback = kind('a function', (x) => typeof x === 'function')
/** An object that is made elsewhere. @param keys of which it has all */
export const made = (expected: string, ...keys: readonly string[]): Kind =>
  kind(expected, (x: object) => isObject(x) && !isList(x) && keys.every((key) => key in x))
export const oneOf = (...choices: readonly unknown[]): Kind => {
  const expected = kind(`one of ${choices.join(', ')}`, (x) => choices.includes(x))
  return (value, where) => expected(value, where) && expected(value, where) + didYouMean(value, choices.map(String))
}
/** @param what of which it is an instance */
export const instance = (what: abstract new (...args: never[]) => object): Kind =>
  kind(`a ${what.name}`, (x) => (x as unknown) instanceof what)
/** The first, unless the value meets another one. */
export const either =
  (first: Kind, ...others: readonly Kind[]): Kind =>
  (value, where) =>
    others.some((other) => other(value, where) === '') ? '' : first(value, where)

export const array = kind('an array of numbers', isList)
/** @param length default: any */
export const numbers = (length?: number): Kind =>
  kind(
    `${length ?? 'an array of'} finite numbers`,
    (x: ArrayLike<unknown>) => isList(x) && (length ?? x.length) === x.length && Array.from(x).every(Number.isFinite),
  )
/** Rows of unit length at right angles, the third the cross product of the others. */
export const rotation = (within = 1e-6): Kind =>
  kind('the 9 numbers of a rotation, row by row', (R: ArrayLike<number>) => {
    const [a, b, c, d, e, f, g, h, i] = numbers(9)(R, '') === '' ? Array.from(R) : [NaN]
    const lengths = [a * a + b * b + c * c - 1, d * d + e * e + f * f - 1, a * d + b * e + c * f]
    return [...lengths, b * f - c * e - g, c * d - a * f - h, a * e - b * d - i].every((error) => Math.abs(error) < within)
  })

export const list = kind('a list', isList)
/** @param length default: any */
export const listOf = (item: Kind, length?: number): Kind => {
  const list = kind(
    `a list${length === undefined ? '' : ` of ${length}`}`,
    (x: ArrayLike<unknown>) => isList(x) && (length ?? x.length) === x.length,
  )
  const items = (value: readonly unknown[], where: string) =>
    problemsOf(Array.from(value, (one, i) => item(one, `${where}[${i}]`)))
  return (value, where) => list(value, where) || items(value as readonly unknown[], where)
}
/** Of one or more. */
export const filled =
  (item: Kind): Kind =>
  (value, where) =>
    listOf(item)(value, where) || kind('one or more', (x: ArrayLike<unknown>) => x.length > 0)(value, where)
export const byName =
  (item: Kind): Kind =>
  (value, where) =>
    made('an object by names')(value, where) ||
    problemsOf(Object.entries(value as Fields).map(([name, one]) => item(one, `${where}.${name}`)))
/** An object of these fields, and no others unless it is `open`. */
export const fields =
  <T>(needed: Needed<T>, others: Others<T>, open = false): Kind =>
  (value, where) => {
    const known = { ...needed, ...others } as Readonly<Record<string, Kind>>
    const names = Object.keys(known)
    const at = (name: string) => (where === '' || where.endsWith(': ') ? where + name : `${where}.${name}`)
    const expected = made(`an object of ${names.join(', ')}`)(value, where)
    if (expected !== '') return expected
    const given = value as Fields
    const strange = Object.keys(given).filter((name) => !open && !Object.hasOwn(known, name))
    return problemsOf([
      ...strange.map((name) => `${at(name)} is not known; known are ${names.join(', ')}${didYouMean(name, names)}`),
      ...names.map((name) => (given[name] === undefined && name in others ? '' : known[name](given[name], at(name)))),
    ])
  }
/** The same where nothing has to be stated. */
export const options = <T>(others: Others<Partial<T>>): Kind => fields<Partial<T>>({} as Needed<Partial<T>>, others)
/** One of several tables, by a field that names it. */
export const variants =
  (key: string, kinds: Readonly<Record<string, Kind>>): Kind =>
  (value, where) =>
    made(`an object with a ${key}`)(value, where) ||
    oneOf(...Object.keys(kinds))((value as Fields)[key], `${where}.${key}`) ||
    kinds[(value as Fields)[key] as string](value, where)

/** @throws RangeError with a line for each problem: where, what was found, what is expected */
export function check(value: unknown, expected: Kind, where = ''): void {
  const problems = expected(value, where)
  if (problems !== '') throw new RangeError(problems)
}
