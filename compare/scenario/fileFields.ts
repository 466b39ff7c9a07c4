/** JSON files written by people or commands, and read by commands: text, fields and their errors. */
import * as z from 'zod'
import { shown } from './index.ts'
import { isDeeper } from './nesting.ts'

/** Levels that a file of ours may be nested; a controller's memory is the deepest. */
const DEEPEST = 64
/** Problems that are reported one by one; of one field, and of a whole file. Further ones are counted. */
const MOST_OF_FIELD = 3
const MOST = 30

export const found = (input: unknown) => (input === undefined ? 'is missing' : `found ${shown(input)}`)

/** The message of a value that is of the wrong type, or not there. */
export const expecting = (what: string) => ({
  error: ({ input }: { readonly input?: unknown }) => `${found(input)}, expected ${what}`,
})

/** JSON writes null for numbers that are not finite. */
const foundNumber = (input: unknown) => (input === null ? 'found null, which stands for no finite number' : found(input))

export const number = (expected: string, good: (x: number) => boolean = () => true) =>
  z.number({ error: ({ input }) => `${foundNumber(input)}, expected ${expected}` }).refine(good, expecting(expected))

export const list = <T extends z.ZodType>(entry: T, expected: string) => z.array(entry, expecting(expected))

/** An object with these fields and no others. */
export function fields<T extends z.ZodRawShape>(shape: T) {
  const known = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownFields(issue.keys, known)
        : `${found(issue.input)}, expected an object with ${known}`,
  })
}

/** @param known the fields that there may be */
export function unknownFields(keys: readonly string[], known: string): string {
  const [few, more] = [
    keys.slice(0, MOST_OF_FIELD).map((key) => (key.length > 60 ? `${key.slice(0, 57)}...` : key)),
    keys.length - MOST_OF_FIELD,
  ]
  return `has the unknown field ${few.join(', ')}${more > 0 ? ` and ${more} more` : ''}; known are ${known}`
}

/**
 * The value of a JSON text.
 *
 * @param Problem error for a text that is none, or that is nested deeper than any file of ours
 * @param expected remedy, for the message
 */
export function parseJson(text: string, file: string, Problem: new (message: string) => Error, expected = ''): unknown {
  if (typeof text !== 'string') throw new Problem(`${file}: is ${typeof text}, expected the text of a file`)
  const remedy = expected && `; ${expected}`
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem(`${file}: is no JSON: ${(error as Error).message}${remedy}`)
  }
  if (isDeeper(value, DEEPEST)) throw new Problem(`${file}: is nested deeper than ${DEEPEST} levels${remedy}`)
  return value
}

/** The problems of a file, line by line, with their fields. */
export class Lines {
  private readonly file: string
  private readonly wrong = new Map<string, number>()
  private readonly lines: string[] = []

  constructor(file: string) {
    this.file = file
  }

  add(path: readonly PropertyKey[], message: string): void {
    const field = path.length === 0 ? '' : String(path[0])
    const count = (this.wrong.get(field) ?? 0) + 1
    this.wrong.set(field, count)
    if (count <= (field === '' ? MOST : MOST_OF_FIELD)) this.lines.push(`${this.file}: ${placeOf(path)}${message}`)
  }

  has(field: string): boolean {
    return this.wrong.has(field)
  }

  get all(): string[] {
    const more = [...this.wrong].filter(([field, count]) => field !== '' && count > MOST_OF_FIELD)
    const all = [
      ...this.lines,
      ...more.map(([field, count]) => `${this.file}: ${field} has ${count - MOST_OF_FIELD} more like these`),
    ]
    return all.length > MOST ? [...all.slice(0, MOST), `${this.file}: ${all.length - MOST} more problems`] : all
  }
}

/** `J[2][0] `, or nothing for the file itself. */
function placeOf(path: readonly PropertyKey[]): string {
  const words = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return words === '' ? '' : `${words.replace(/^\./, '')} `
}
