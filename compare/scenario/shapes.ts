/** Shapes as scenario files state them: sizes in the terms in which people think of a ramp or a flight of stairs. */
import * as z from 'zod'
import type { Surface } from '../../contact/geometry/index.ts'
import { didYouMean } from '../../dynamics/index.ts'
import {
  directed,
  either,
  expected,
  type Frozen,
  fields,
  functionOf,
  listOf,
  material,
  ordered,
  quantity,
  shown,
  text,
  triple,
  wholeNumber,
  withPair,
} from './fields.ts'

/** Grid points that a height field may have, and steps that a flight of stairs may have. */
const largestField = 250_000
const longestStairs = 200

const positive = { above: 0 } as const
const length = quantity('length', positive)
const scale = quantity('number', positive).optional().describe('multiplies the coordinates')
const file = text('path of a mesh file')
const pair = z.tuple([length, length], expected('two lengths, such as [4, 2]'))

export const rounding = quantity('length', { min: 0 })
  .optional()
  .meta({ description: 'radius of its edges and corners, within its size: at most half the least', otherwise: '0' })
/** For `refine`: of a box. */
export const atMostHalf = [
  ({ size, rounding }: { size: readonly number[]; rounding?: number }) => !(2 * (rounding as number) > Math.min(...size)),
  { error: 'is more than half the least size', path: ['rounding'] as PropertyKey[] },
] as const

const solids = {
  box: fields({ type: z.literal('box'), size: triple('length', positive), rounding })
    .refine(...(atMostHalf as [(stated: object) => boolean, (typeof atMostHalf)[1]]))
    .describe('centre'),
  sphere: fields({ type: z.literal('sphere'), radius: length }).describe('centre'),
  ellipsoid: fields({
    type: z.literal('ellipsoid'),
    radii: triple('length', positive).describe('its semi-axes'),
  }).describe('centre'),
  cylinder: fields({ type: z.literal('cylinder'), radius: length, length: length.describe('along z') }).describe('centre'),
  capsule: fields({
    type: z.literal('capsule'),
    radius: length,
    length: length.describe('along z, without the caps'),
  }).describe('centre'),
  hull: fields({
    type: z.literal('hull'),
    points: listOf(triple('length'), 'points').min(4, 'holds fewer than the four points of a solid').optional(),
    file: file.optional().describe('in place of points'),
    scale,
  })
    .refine(...either('points', 'file', 'needs either points or a file'))
    .describe('that of the points'),
  mesh: fields({ type: z.literal('mesh'), file: file.describe('STL, OBJ, DAE, glTF, PLY; closed'), scale }).describe(
    'that of the file',
  ),
}

const raised = {
  ramp: fields({
    type: z.literal('ramp'),
    length,
    width: length,
    angle: quantity('angle', { above: 0, max: 1.55 }).optional(),
    height: length.optional().describe('at the far end, in place of the angle'),
  })
    .refine(...either('angle', 'height', 'needs either an angle or a height'))
    .describe('middle of its foot; rises along x'),
  step: fields({ type: z.literal('step'), length, width: length, height: length }).describe(
    'middle of its lower front edge, from which it extends along x',
  ),
  stairs: fields({
    type: z.literal('stairs'),
    count: wholeNumber(1, longestStairs),
    rise: length,
    run: length,
    width: length,
  }).describe('middle of the foot; rise along x'),
  heightfield: fields({
    type: z.literal('heightfield'),
    heights: z
      .union(
        [
          functionOf(['x', 'y'], '0.1*sin(x)'),
          z.array(z.array(quantity('length')).min(2, 'holds fewer than two heights')).min(2, 'holds fewer than two rows'),
        ],
        expected('rows of heights, such as [[0, 0], [0, 0.1]], or a function of x and y, such as "0.1*sin(x)"'),
      )
      .describe('rows from least to greatest y, or a function'),
    spacing: z
      .union([length.transform((d): [number, number] => [d, d]), pair], expected('a length or two'))
      .describe('one or two'),
    size: pair.optional().describe('of the rectangle, beside a function'),
  })
    .check(checkField)
    .describe('centre of its rectangle'),
}

/** Shapes of surroundings; the description of each states its origin. */
export const shapes = { ...solids, ...raised }

/** A free body's. Lengths [m]. */
export type SolidChoice = Frozen<z.output<(typeof solids)[keyof typeof solids]>>
export type ObstacleChoice = Frozen<z.output<(typeof shapes)[keyof typeof shapes]>>
/** Centred at its origin. */
export type HeightFieldChoice = Frozen<z.output<typeof raised.heightfield>>

type Context = z.core.ParsePayload

const problem = ({ value, issues }: Context, path: PropertyKey[], message: string) =>
  issues.push({ code: 'custom', input: value, path, message })

function checkField(context: Context): void {
  const { heights, size } = context.value as HeightFieldChoice
  const tooLarge = (columns: number, rows: number) =>
    `makes ${columns} x ${rows} grid points; at most ${largestField} are taken, so take a larger spacing`
  const { columns, rows } = extentOf(context.value as HeightFieldChoice)
  if (Array.isArray(heights)) {
    const odd = heights.findIndex((row) => row.length !== columns)
    if (odd >= 0)
      problem(context, ['heights', odd], `holds ${heights[odd].length} heights, the first row ${columns}; rows are of one length`)
    if (size !== undefined)
      problem(context, ['size'], 'stands beside rows of heights, which have theirs by their spacing; leave it out')
    if (rows * columns > largestField) problem(context, ['heights'], tooLarge(columns, rows))
  } else if (size === undefined) {
    problem(context, ['size'], 'is missing, expected two lengths: the rectangle over which the function holds')
  } else if (columns * rows > largestField) problem(context, ['spacing'], tooLarge(columns, rows))
}

const extentOf = ({ heights, spacing, size = [0, 0] }: HeightFieldChoice) =>
  Array.isArray(heights) ? { columns: heights[0].length, rows: heights.length } : gridOf(size, spacing)

/** A few letters make a field, so that all together are bounded. */
function checkFields(context: Context): void {
  const extents = (context.value as ObstacleChoice[]).map((one) => (one.type === 'heightfield' ? extentOf(one) : undefined))
  const points = extents.reduce((sum, extent) => sum + (extent ? extent.columns * extent.rows : 0), 0)
  if (points > 4 * largestField)
    problem(context, [], `make ${points} grid points; at most ${4 * largestField} are taken, so take larger spacings`)
}

/** Grid points of a rectangle, at least two along each side. */
export function gridOf([x, y]: readonly [number, number], [dx, dy]: readonly [number, number]) {
  return { columns: Math.max(1, Math.round(x / dx)) + 1, rows: Math.max(1, Math.round(y / dy)) + 1 }
}

/** One of `kinds` by its `type`, with further fields beside its own. */
function shapeAmong<T extends z.ZodObject, Further extends z.ZodRawShape>(kinds: Record<string, T>, further: Further) {
  const types = Object.keys(kinds)
  const all = Object.values(kinds).map((kind) =>
    kind
      .safeExtend(further)
      .overwrite((stated) => withPair(stated))
      .refine(...ordered)
      .refine(...directed),
  )
  return z.discriminatedUnion('type', all as unknown as [z.ZodObject], {
    error: ({ input }) => {
      if (typeof input !== 'object' || input === null || Array.isArray(input))
        return `found ${shown(input)}, expected an object with a type, one of ${types.join(', ')}`
      const { type } = input as { type?: unknown }
      return `${type === undefined ? 'is missing' : `found the type ${shown(type)}`}, expected one of ${types.join(', ')}${didYouMean(type, types)}`
    },
  }) as unknown as z.ZodType<z.output<T> & { [K in keyof Further]: z.output<Further[K]> }>
}

/** The `shape` of a free body. */
export const solidShape = shapeAmong(solids, {}).meta({ takes: '`{type, SIZES...}`' })

const placed = {
  name: text('a name').optional(),
  position: triple('length').default([0, 0, 0]),
  rpy: triple('angle').default([0, 0, 0]),
  ...material,
}

/** The `obstacles`: shape, place and surface in one object; those without a name are called by their type and a number. */
export const obstacles = listOf(shapeAmong(shapes, placed), 'obstacles')
  .check(checkFields)
  .transform((list) => {
    const count = new Map<string, number>()
    return list.map((stated) => {
      const n = (count.get(stated.type) ?? 0) + 1
      count.set(stated.type, n)
      const { name = `${stated.type}${n}`, position, rpy, ...rest } = stated
      const shape = Object.fromEntries(Object.entries(rest).filter(([key, value]) => !(key in material) && value !== undefined))
      return { name, shape: shape as ObstacleChoice, position, rpy, ...surfaceOf(stated) }
    })
  })

/** The stated properties of a surface alone. */
export function surfaceOf(stated: Surface): Surface {
  const out: Record<string, unknown> = {}
  for (const key of Object.keys(material) as (keyof Surface)[]) if (stated[key] !== undefined) out[key] = stated[key]
  return out
}
