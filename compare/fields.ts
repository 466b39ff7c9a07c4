/** The kinds of field that scenario files are made of, and how each says what is wrong with it. */
import * as z from 'zod'
import { constantOf, ExpressionError, fits, type Kind, kinds, parseExpression } from './expression.ts'

/** A value as a message quotes it. */
export const shown = (value: unknown) => {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value))
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

interface Range {
  readonly min?: number
  readonly above?: number
  readonly max?: number
}

/** A text that is only a number, as every flag of the command line is, needs no parser. */
const plainNumber = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i

/** A number in a file: SI, or a text with units. `kind` may list several, for joints that turn or slide. */
export function quantity(kind: Kind | readonly Kind[], { min, above, max }: Range = {}) {
  const allowed: readonly Kind[] = typeof kind === 'string' ? [kind] : kind
  const { unit, like } = kinds[allowed[0]]
  const inUnit = unit === '' ? '' : ` ${unit}`
  const expected = unit === '' ? 'expected a number' : `expected a number in ${unit}, or a text with units such as "${like}"`
  return z
    .union([z.number(), z.string()], { error: ({ input }) => `found ${shown(input)}, ${expected}` })
    .transform(async (value, context) => {
      const fail = (message: string) => {
        context.issues.push({ code: 'custom', input: value, message })
        return z.NEVER
      }
      let number = value as number
      if (typeof value === 'string' && plainNumber.test(value)) number = Number(value)
      else if (typeof value === 'string') {
        try {
          const program = await parseExpression(value)
          const fitting = await Promise.all(allowed.map((k) => fits(program, k)))
          if (!fitting.some(Boolean)) return fail(`found ${shown(value)}, whose unit does not fit; ${expected}`)
          number = constantOf(program)
        } catch (error) {
          if (error instanceof ExpressionError) return fail(`found ${shown(value)}, which ${error.message}; ${expected}`)
          throw error
        }
      }
      if (!Number.isFinite(number)) return fail(`found ${shown(value)}, expected a finite number`)
      if (above !== undefined && !(number > above)) return fail(`found ${shown(value)}, expected more than ${above}${inUnit}`)
      if (min !== undefined && number < min) return fail(`found ${shown(value)}, expected at least ${min}${inUnit}`)
      if (max !== undefined && number > max) return fail(`found ${shown(value)}, expected at most ${max}${inUnit}`)
      return number
    })
}

/** A function of t, for closed forms. */
export const functionOfTime = z
  .union([z.number(), z.string()], {
    error: ({ input }) => `found ${shown(input)}, expected an expression in t, such as "0.3*t"`,
  })
  .transform(async (value, context) => {
    try {
      return await parseExpression(String(value), ['t'])
    } catch (error) {
      context.issues.push({ code: 'custom', input: value, message: `found ${shown(value)}, which ${(error as Error).message}` })
      return z.NEVER
    }
  })

export const triple = (kind: Kind, range?: Range) =>
  z.tuple([quantity(kind, range), quantity(kind, range), quantity(kind, range)], {
    error: ({ input }) => `found ${shown(input)}, expected three numbers, such as [0, 0, 0.1]`,
  })
export const text = (what: string) =>
  z.string({ error: ({ input }) => `found ${shown(input)}, expected ${what}` }).min(1, `is empty, expected ${what}`)
export const surface = {
  friction: quantity('number', { min: 0 }).optional(),
  restitution: quantity('number', { min: 0, max: 1 }).optional(),
}
export const truth = z.boolean({ error: ({ input }) => `found ${shown(input)}, expected true or false` })
/** Of one surface; how two make a pair is `combine`. */
export const material = {
  ...surface,
  staticFriction: quantity('number', { min: 0 }).optional(),
  viscousFriction: quantity('number', { min: 0 }).optional(),
  stribeckVelocity: quantity('speed', { min: 0 }).optional(),
  torsionRadius: quantity('length', { min: 0 }).optional(),
  rollingLength: quantity('length', { min: 0 }).optional(),
  stiffness: quantity('stiffness', { above: 0 }).optional(),
  damping: quantity('damping', { min: 0 }).optional(),
  solvedStaticFriction: truth.optional(),
}
export const jointKinds: readonly Kind[] = ['angle', 'length']
export const jointSpeedKinds: readonly Kind[] = ['angularSpeed', 'speed']

/** An object with exactly these fields; what else stands in it is an error that lists what may. */
export function fields<T extends z.ZodRawShape>(shape: T) {
  const known = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `is not a field here; known are ${known}`
        : `found ${shown(issue.input)}, expected the fields ${known}`,
  })
}

export const option = z.union([z.number(), z.string(), z.boolean()], {
  error: ({ input }) => `found ${shown(input)}, expected a number, a text, true or false`,
})
export const oneOrMore = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), z.array(item).min(1, 'is empty'))
