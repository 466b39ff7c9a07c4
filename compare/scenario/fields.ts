/** The kinds of fields of scenario files: check, description and error messages of each. */
import * as z from 'zod'
import { didYouMean } from '../../dynamics/index.ts'
import {
  constantOf,
  ExpressionError,
  fits,
  type Kind,
  kinds,
  type Program,
  parseExpression,
  type Variables,
} from './expression.ts'
import { materialPair, materialPairs } from './materials.ts'

/** The meaning of a field, beside zod's own `description`: */
declare module 'zod' {
  interface GlobalMeta {
    /** Accepted values, where the schema's type does not say it. */
    takes?: string
    kind?: Kind
    /** Value where none is stated and the schema holds no default: settled elsewhere. */
    otherwise?: string
    /** Why that is the default. Reports list the defaults that have a reason. */
    why?: string
  }
}

/** Characters of a value that a message quotes. */
const QUOTED = 60

/** A value as a message quotes it. */
export const shown = (value: unknown) => {
  const text = beginning(value, QUOTED + 1) ?? String(value)
  return text.length > QUOTED ? `${text.slice(0, QUOTED - 3)}...` : text
}

/** At least `room` characters of its JSON, or all: a value may be as large as its file, and many messages may quote it. */
function beginning(value: unknown, room: number): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room))
  if (typeof value !== 'object' || value === null || room <= 0) return JSON.stringify(value)
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return JSON.stringify(value)
  const isList = Array.isArray(value)
  let text = isList ? '[' : '{'
  for (const key in value) {
    if (text.length >= room) return text
    const entry = beginning((value as Record<string, unknown>)[key], room - text.length)
    if (entry === undefined && !isList) continue
    text += `${text.length > 1 ? ',' : ''}${isList ? '' : `${JSON.stringify(key.slice(0, room))}:`}${entry ?? 'null'}`
  }
  return text + (isList ? ']' : '}')
}

/** The message of a value that is of the wrong type. */
export const expected = (what: string) => ({
  error: ({ input }: { input?: unknown }) => `found ${shown(input)}, expected ${what}`,
})

/** The output of a schema, read-only. */
export type Frozen<T> = unknown extends T ? T : { readonly [K in keyof T]: Frozen<T[K]> }

interface Range {
  readonly min?: number
  readonly above?: number
  readonly max?: number
  /** What a larger number would mean, after the largest allowed. */
  readonly beyond?: (found: number) => string
}

/** A text that is only a number, as every flag of the command line is, needs no parser. */
const plainNumber = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i

/** A number in a file: SI, or a text with units. `kind` may list several, for joints that turn or slide. */
export function quantity(kind: Kind | readonly Kind[], { min, above, max, beyond }: Range = {}) {
  const allowed: readonly Kind[] = typeof kind === 'string' ? [kind] : kind
  const { unit, like } = kinds[allowed[0]]
  const inUnit = unit === '' ? '' : ` ${unit}`
  const wanted = unit === '' ? 'a number' : `a number in ${unit}, or a text with units such as "${like}"`
  return z
    .union([z.number(), z.string()], expected(wanted))
    .transform(async (value, context) => {
      const wrong = (message: string) => fail(context, value, message)
      let number: number
      if (typeof value === 'number') number = value
      else if (plainNumber.test(value)) number = Number(value)
      else {
        const program = await parsed(value, [])
        if (typeof program === 'string') return wrong(`${program}; expected ${wanted}`)
        const fitting = await Promise.all(allowed.map((k) => fits(program, k)))
        if (!fitting.some(Boolean)) return wrong(`whose unit does not fit; expected ${wanted}`)
        number = constantOf(program)
      }
      if (!Number.isFinite(number)) return wrong('expected a finite number')
      if (above !== undefined && !(number > above)) return wrong(`expected more than ${above}${inUnit}`)
      if (min !== undefined && number < min) return wrong(`expected at least ${min}${inUnit}`)
      if (max !== undefined && number > max)
        return wrong(`expected at most ${max}${inUnit}${beyond === undefined ? '' : `: ${beyond(number)}`}`)
      return number
    })
    .meta({ kind: allowed[0], takes: allowed.map((k) => (kinds[k].unit === '' ? k : `[${kinds[k].unit}]`)).join(' or ') })
}

function fail(context: { issues: z.core.$ZodRawIssue[] }, value: unknown, message: string): never {
  context.issues.push({ code: 'custom', input: value, message: `found ${shown(value)}, ${message}` })
  return z.NEVER
}

/** The program of a text, or its error. */
export async function parsed(text: string, variables: Variables): Promise<Program | string> {
  try {
    return await parseExpression(text, variables)
  } catch (error) {
    if (error instanceof ExpressionError) return `which ${error.message}`
    throw error
  }
}

/** A text in `variables`. */
export const functionOf = (variables: Variables, like: string) =>
  z
    .union([z.number(), z.string()], expected(`an expression in ${variables.join(' and ')}, such as "${like}"`))
    .transform(async (value, context) => {
      const program = await parsed(String(value), variables)
      return typeof program === 'string' ? fail(context, value, program) : program
    })
    .meta({ takes: `function of ${variables.map((name) => `\`${name}\``).join(', ')}` })
/** For closed forms. */
export const functionOfTime = functionOf(['t'], '0.3*t')
export const threeFunctions = (likes: string) =>
  z.tuple([functionOfTime, functionOfTime, functionOfTime], expected(`three functions of t, such as ${likes}`)).optional()

export const triple = (kind: Kind, range?: Range) => {
  const one = quantity(kind, range)
  return z.tuple([one, one, one], expected('three numbers, such as [0, 0, 0.1]'))
}
export const text = (what: string) => z.string(expected(what)).min(1, `is empty, expected ${what}`).meta({ takes: what })
export const truth = z.boolean(expected('true or false'))
export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  z
    .int(expected('a whole number'))
    .min(least, `expected a whole number from ${least} up`)
    .max(most, expected(`at most ${most}`))
    .meta({ takes: 'whole number' })
export const notOneOf = (values: readonly string[]) => ({
  error: ({ input }: { input?: unknown }) =>
    `found ${shown(input)}, expected one of ${values.join(', ')}${didYouMean(input, values)}`,
})
export const oneOf = <const T extends string>(values: readonly T[]) => z.enum(values as readonly [T, ...T[]], notOneOf(values))
export const listOf = <T extends z.ZodType>(item: T, what: string) => z.array(item, expected(`a list of ${what}`))
export const option = z.union([z.number(), z.string(), z.boolean()], expected('a number, a text, true or false'))
export const oneOrMore = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), z.array(item).min(1, 'is empty'))
/** A table by names that the file chooses. */
export const byName = <T extends z.ZodType>(name: string, item: T) => z.record(z.string().meta({ takes: name }), item)

const energyMade = (e: number) =>
  `each impact would make ${Number((100 * (e * e - 1)).toPrecision(3))} % of the energy of its approach`

/** The figures of a known pair of materials, in the place of its name; what is stated beside it stays. */
export const withPair = <T extends object>(stated: T): T => {
  const { pair, ...own } = stated as { pair?: readonly string[] }
  return pair === undefined ? stated : ({ ...materialPair(pair)?.surface, ...own } as T)
}

/** Of one surface; how two make a pair is `combine`. */
export const material = {
  pair: z
    .array(z.string(), expected('two materials, such as [rubber, concrete]'))
    .refine((names) => materialPair(names) !== undefined, {
      error: ({ input }) => {
        const known = materialPairs.map(({ materials, state }) => [...materials, ...(state === 'dry' ? [] : [state])].join(', '))
        return `found ${shown(input)}, expected one of [${known.join('], [')}]${didYouMean((input as string[]).join(', '), known)}`
      },
    })
    .optional()
    .meta({
      takes: '`[MATERIAL, MATERIAL]`, or with a state, such as `wet`, third',
      description:
        'friction, static friction and restitution of this pair ([materials.md](materials.md)) where nothing else is stated; of one of the two surfaces',
    }),
  friction: quantity('number', { min: 0 }).optional().describe('coefficient of Coulomb friction while sliding'),
  frictionAcross: quantity('number', { min: 0 }).optional().meta({
    description: 'friction by direction: the same across `frictionAxis`, along which `friction` counts',
    otherwise: '`friction`',
  }),
  frictionAxis: triple('number')
    .optional()
    .describe("its axis, in the shape's axes, with which it turns; stated with `frictionAcross`"),
  restitution: quantity('number', { min: 0, max: 1, beyond: energyMade }).optional().describe("Newton's"),
  staticFriction: quantity('number', { min: 0 })
    .optional()
    .meta({ description: 'coefficient up to which it sticks, at least `friction`', otherwise: '`friction`' }),
  viscousFriction: quantity('slowness', { min: 0 }).optional().describe('growth of the coefficient with the speed of sliding'),
  stribeckVelocity: quantity('speed', { min: 0 }).optional().describe('speed over which friction falls from static to sliding'),
  torsionRadius: quantity('length', { min: 0 })
    .optional()
    .meta({ description: 'moment about the normal of up to `friction` times this times the load', otherwise: '0' }),
  rollingLength: quantity('length', { min: 0 })
    .optional()
    .meta({ description: 'moment across the normal of up to this times the load', otherwise: '0' }),
  stiffness: quantity('stiffness', { above: 0 }).optional().describe('of a contact with something rigid'),
  damping: quantity('damping', { min: 0 }).optional().describe('of a contact with something rigid'),
  solvedStaticFriction: truth.optional().describe('whether sticking is to be solved for, as at wheels'),
  adhesion: quantity('force', { min: 0 }).optional().meta({
    description: 'attraction of a pair of shapes in contact, shared by its points; adds to that of the other',
    otherwise: '0',
  }),
  adhesionRange: quantity('length', { min: 0 }).optional().meta({ description: 'gap up to which it acts', otherwise: '0' }),
  surface: threeFunctions('[0.3, 0, 0]').meta({
    description: "velocity of the surface beyond the body's, as of a track or a belt, in the link's or the shape's axes [m/s]",
    otherwise: '0',
  }),
}
export const jointKinds: readonly Kind[] = ['angle', 'length']
export const jointSpeedKinds: readonly Kind[] = ['angularSpeed', 'speed']

/** An object with exactly these fields; any other is an error that lists the allowed ones, one line for each. */
export function fields<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, {
    error: ({ code, input, inst, keys }) => {
      const known = Object.keys((inst as z.ZodObject).shape)
      if (code !== 'unrecognized_keys') return `found ${shown(input)}, expected the fields ${known.join(', ')}`
      return (keys as string[]).map((key) => notAField(key, known)).join('\n')
    },
  })
}

export const notAField = (key: string, known: readonly string[]) =>
  `is not a field here; known are ${known.join(', ')}${didYouMean(key, known)}`

/** Of checks that are made whatever else is wrong with the object's fields. */
const ofObject = { when: ({ value }: z.core.ParsePayload) => typeof value === 'object' && value !== null }

/** For `refine`: exactly one of two fields is stated. */
export const either = (a: string, b: string, error: string) =>
  [
    (stated: object) => (stated[a as keyof object] === undefined) !== (stated[b as keyof object] === undefined),
    { error, ...ofObject },
  ] as const

/** For `refine`: static friction below sliding friction is refused by the contacts' materials too, which know no line of a file. */
export const ordered = [
  ({ friction, staticFriction }: { friction?: number; staticFriction?: number }) =>
    !((staticFriction as number) < (friction as number)),
  {
    error: ({ input }: { input?: unknown }) => {
      const { friction, staticFriction } = input as { friction: number; staticFriction: number }
      return `found ${staticFriction}, expected at least the friction, ${friction}; nothing slides harder than it sticks`
    },
    path: ['staticFriction'] as PropertyKey[],
    ...ofObject,
  },
] as const
/** For `refine`: the same of friction by direction, which is three fields. */
export const directed = [
  ({
    friction,
    frictionAcross,
    frictionAxis,
  }: {
    friction?: number
    frictionAcross?: number
    frictionAxis?: readonly number[]
  }) =>
    (frictionAcross === undefined) === (frictionAxis === undefined) &&
    (frictionAcross === undefined || friction !== undefined) &&
    (frictionAxis === undefined || frictionAxis.some((x) => x !== 0)),
  {
    error: 'friction by direction is friction, frictionAcross and frictionAxis, all three, and the axis is not zero',
    path: ['frictionAcross'] as PropertyKey[],
    ...ofObject,
  },
] as const
/** An object that states a surface among its fields. */
export const withSurface = <T extends z.ZodRawShape>(shape: T) =>
  fields({ ...shape, ...material })
    .overwrite((stated) => withPair(stated))
    .refine(...(ordered as [(stated: object) => boolean, (typeof ordered)[1]]))
    .refine(...(directed as [(stated: object) => boolean, (typeof directed)[1]]))
