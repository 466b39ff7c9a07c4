/** Fields of the JSON files that people write and commands read, with what was found and what was expected as the message. */
import * as z from 'zod'
import { shown } from './scenario/index.ts'

export const found = (input: unknown) => (input === undefined ? 'is missing' : `found ${shown(input)}`)

/** JSON writes null for what is not finite. */
const foundNumber = (input: unknown) => (input === null ? 'found null, which stands for no finite number' : found(input))

export const number = (expected: string, good: (x: number) => boolean = () => true) =>
  z
    .number({ error: ({ input }) => `${foundNumber(input)}, expected ${expected}` })
    .refine(good, { error: ({ input }) => `${found(input)}, expected ${expected}` })

/** An object with these fields and no others. */
export function fields<T extends z.ZodRawShape>(shape: T) {
  const known = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has the unknown field ${issue.keys.join(', ')}; known are ${known}`
        : `${found(issue.input)}, expected an object with ${known}`,
  })
}
