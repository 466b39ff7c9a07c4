/** Measures of one's own: quantities of bodies, links and joints that a scenario names, and the condition over them that is a success. */
import * as z from 'zod'
import { didYouMean } from '../../dynamics/index.ts'
import { byName, expected, fields, jointKinds, oneOf, oneOrMore, parsed, quantity, shown, text, triple } from './fields.ts'

/** More would cost a run too much. */
const MOST_MEASURES = 20
const MOST_HOLDERS = 8

const body = text('name of a body, companion or link, or `NAME/LINK`')
const thing = text('the same, or the name of what is fixed, such as `ground`')
const window = {
  from: quantity('duration', { min: 0 }).default(0).describe('it counts from this time on'),
  until: quantity('duration', { above: 0 }).optional().meta({ description: 'and until this time', otherwise: 'the end' }),
}
const stated = (a: unknown, b: unknown) => a !== undefined || b !== undefined

/** Each with its fields; in the order of the documentation. */
export const measureKinds = {
  held: fields({
    kind: z.literal('held'),
    body,
    by: oneOrMore(thing)
      .pipe(z.array(z.string()).max(MOST_HOLDERS, `names more than ${MOST_HOLDERS}`))
      .optional()
      .meta({ takes: 'a name, or a list of these', description: 'each of these passes a force on to it' }),
    pause: quantity('duration', { min: 0 }).default(0.05).describe('for which one of them may let go of it'),
    above: quantity('length').optional().describe('height of its origin, below which it is not held'),
    ...window,
  }).refine(({ by, above }) => stated(by, above), 'needs by or above: what holds it, or the height that it keeps'),
  slipped: fields({
    kind: z.literal('slipped'),
    body,
    on: thing.describe('in whose axes its motion counts'),
    ...window,
  }),
  fell: fields({
    kind: z.literal('fell'),
    body,
    tilt: quantity('angle', { above: 0, max: Math.PI })
      .optional()
      .describe('angle between its axis that pointed upwards at first and the vertical'),
    below: quantity('length').optional().describe('height of its origin'),
    ...window,
  }).refine(({ tilt, below }) => stated(tilt, below), 'needs tilt or below: an angle, or a height'),
  reached: fields({
    kind: z.literal('reached'),
    body: body.optional(),
    point: triple('length').optional().describe('that it should reach, in world axes'),
    offset: triple('length').optional().meta({ description: "its own point, in the body's axes", otherwise: 'its origin' }),
    joint: text('name of a joint').optional().describe('in place of body and point'),
    value: quantity(jointKinds).optional().describe('that the joint should reach'),
    tolerance: quantity(jointKinds, { above: 0 }),
    when: oneOf(['end', 'any']).default('end').describe('at the end of the time that counts, or at any time in it'),
    ...window,
  }).refine(
    ({ body, point, joint, value }) =>
      stated(body, point) ? body && point && !stated(joint, value) : joint && stated(value, undefined),
    'needs a body and a point, or a joint and a value',
  ),
} as const
export type MeasureKind = keyof typeof measureKinds
const kindNames = Object.keys(measureKinds) as MeasureKind[]

/** Figures of a kind beside its own value: variables of `success` with a dot between. */
export const measureParts = {
  held: ['t'],
  slipped: ['angle'],
  fell: ['t'],
  reached: ['t', 'distance'],
} as const satisfies Record<MeasureKind, readonly string[]>

const { held, slipped, fell, reached } = measureKinds
const one = z.discriminatedUnion('kind', [held, slipped, fell, reached], {
  error: ({ input }) => {
    const { kind } = (input ?? {}) as { kind?: unknown }
    return `${kind === undefined ? 'names no kind' : `found the kind ${shown(kind)}`}, expected one of ${kindNames.join(', ')}${didYouMean(kind, kindNames)}`
  },
})

/** A measure that is called as its kind need not state it. */
const withKinds = (value: unknown) =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value).map(([name, own]) => {
          const isShort = Object.hasOwn(measureKinds, name) && typeof own === 'object' && own !== null && !('kind' in own)
          return [name, isShort ? { kind: name, ...own } : own]
        }),
      )

export const measure = z
  .preprocess(withKinds, byName('NAME', one))
  .superRefine(async (measures, context) => {
    const names = Object.keys(measures)
    const issue = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path })
    if (names.length > MOST_MEASURES) issue(`holds ${names.length} measures; at most ${MOST_MEASURES} are taken`)
    for (const name of names.slice(0, MOST_MEASURES)) {
      // a unit, a constant, or no name at all
      const isFree =
        /^[A-Za-z]\w*$/.test(name) &&
        typeof (await parsed(name, [])) === 'string' &&
        typeof (await parsed(name, [name])) !== 'string'
      if (!isFree) issue('cannot be a name in expressions: take letters and digits that are no unit, such as lifted', name)
    }
  })
  .default({})

/** A condition, with the names that it was read with. */
export const success = z
  .string(expected('a condition over the measures, such as "held and slipped < 5 mm"'))
  .transform(async (written, context) => {
    const words = [...written.matchAll(/(?<![\w.])[A-Za-z][\w.]*(?![\w.]|\s*\()/g)].map(([word]) => word)
    const unknown = async (word: string) => (typeof (await parsed(word, [])) === 'string' ? [word] : [])
    const names = (await Promise.all([...new Set(words)].map(unknown))).flat()
    const program = await parsed(written, names)
    if (typeof program !== 'string') return { ...program, names }
    context.issues.push({ code: 'custom', input: written, message: `found ${shown(written)}, ${program}` })
    return z.NEVER
  })
  .optional()

export type Measures = z.output<typeof measure>
export type MeasureChoice = Measures[string]
export type Success = NonNullable<z.output<typeof success>>

/** The variables of a condition over these measures. */
export const outcomeVariables = (measures: Readonly<Record<string, { readonly kind: MeasureKind }>>): string[] =>
  Object.entries(measures).flatMap(([name, { kind }]) => [name, ...measureParts[kind].map((part) => `${name}.${part}`)])
