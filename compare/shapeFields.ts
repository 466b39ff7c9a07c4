/** Shapes as scenario files state them: sizes in the terms in which people think of a ramp or a flight of stairs. */
import * as z from 'zod'
import type { Surface } from '../contact/geometry/index.ts'
import { ExpressionError, type Program, parseExpression } from './expression.ts'
import { fields, material, quantity, shown, text, triple } from './fields.ts'

/** What a free body may be. Lengths [m]. Files are paths of meshes, `scale` multiplies their coordinates. */
export type SolidChoice =
  | { readonly type: 'box'; readonly size: readonly [number, number, number] }
  | { readonly type: 'sphere'; readonly radius: number }
  /** Semi-axes along x, y, z. */
  | { readonly type: 'ellipsoid'; readonly radii: readonly [number, number, number] }
  | { readonly type: 'cylinder' | 'capsule'; readonly radius: number; readonly length: number }
  | {
      readonly type: 'hull'
      readonly points?: readonly (readonly [number, number, number])[]
      readonly file?: string
      readonly scale?: number
    }
  | { readonly type: 'mesh'; readonly file: string; readonly scale?: number }

/** What may stand around: the origin of ramps, steps and stairs is the middle of their lower front edge; they rise along x. */
export type ObstacleChoice =
  | SolidChoice
  /** `angle` [rad] or `height` at the far end. */
  | { readonly type: 'ramp'; readonly length: number; readonly width: number; readonly angle?: number; readonly height?: number }
  | { readonly type: 'step'; readonly length: number; readonly width: number; readonly height: number }
  | { readonly type: 'stairs'; readonly count: number; readonly rise: number; readonly run: number; readonly width: number }
  | HeightFieldChoice

/** Rows of heights towards greater y, or a height as a function of x and y over a rectangle of a size; centred at its origin. */
export interface HeightFieldChoice {
  readonly type: 'heightfield'
  readonly heights: readonly (readonly number[])[] | Program
  readonly spacing: readonly [number, number]
  readonly size?: readonly [number, number]
}

/** Grid points that a height field may have, and steps that a flight of stairs may have. */
const largestField = 250_000
const longestStairs = 200

const positive = { above: 0 } as const
const length = quantity('length', positive)
const scale = quantity('number', positive).optional()
const file = text('the path of a mesh file')
const pair = z.tuple([length, length], { error: ({ input }) => `found ${shown(input)}, expected two lengths, such as [4, 2]` })

const solids = {
  box: { type: z.literal('box'), size: triple('length', positive) },
  sphere: { type: z.literal('sphere'), radius: length },
  ellipsoid: { type: z.literal('ellipsoid'), radii: triple('length', positive) },
  cylinder: { type: z.literal('cylinder'), radius: length, length },
  capsule: { type: z.literal('capsule'), radius: length, length },
  hull: {
    type: z.literal('hull'),
    points: z
      .array(triple('length'), { error: ({ input }) => `found ${shown(input)}, expected a list of points` })
      .min(4, 'holds fewer than the four points of a solid')
      .optional(),
    file: file.optional(),
    scale,
  },
  mesh: { type: z.literal('mesh'), file, scale },
}

/** One height, as text, for every x and y. */
const heightOfPlace = z.string().transform(async (value, context) => {
  try {
    return await parseExpression(value, ['x', 'y'])
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    context.issues.push({ code: 'custom', input: value, message: `found ${shown(value)}, which ${error.message}` })
    return z.NEVER
  }
})
const rows = z.array(z.array(quantity('length')).min(2, 'holds fewer than two heights')).min(2, 'holds fewer than two rows')

const raised = {
  ramp: {
    type: z.literal('ramp'),
    length,
    width: length,
    angle: quantity('angle', { above: 0, max: 1.55 }).optional(),
    height: length.optional(),
  },
  step: { type: z.literal('step'), length, width: length, height: length },
  stairs: {
    type: z.literal('stairs'),
    count: z
      .int({ error: ({ input }) => `found ${shown(input)}, expected a whole number` })
      .min(1, 'expected at least 1')
      .max(longestStairs, `expected at most ${longestStairs}`),
    rise: length,
    run: length,
    width: length,
  },
  heightfield: {
    type: z.literal('heightfield'),
    heights: z.union([heightOfPlace, rows], {
      error: ({ input }) =>
        `found ${shown(input)}, expected rows of heights, such as [[0, 0], [0, 0.1]], or a function of x and y, such as "0.1*sin(x)"`,
    }),
    spacing: z.union([length.transform((d) => [d, d] as const), pair], {
      error: ({ input }) => `found ${shown(input)}, expected a length or two`,
    }),
    size: pair.optional(),
  },
}

const wrongType = (types: readonly string[]) => ({
  error: ({ input }: { input?: unknown }) =>
    typeof input === 'object' && input !== null && !Array.isArray(input)
      ? `found the type ${shown((input as { type?: unknown }).type)}, expected one of ${types.join(', ')}`
      : `found ${shown(input)}, expected an object with a type, one of ${types.join(', ')}`,
})

interface Problems {
  readonly value: unknown
  readonly issues: z.core.$ZodRawIssue[]
}

const problem = ({ value, issues }: Problems, path: PropertyKey[], message: string) =>
  issues.push({ code: 'custom', input: value, path, message })

function checkHull(context: Problems): void {
  const { points, file } = context.value as { points?: unknown; file?: unknown }
  if ((points === undefined) === (file === undefined)) problem(context, [], 'needs either points or a file')
}

function checkRamp(context: Problems): void {
  const { angle, height } = context.value as { angle?: unknown; height?: unknown }
  if ((angle === undefined) === (height === undefined)) problem(context, [], 'needs either an angle or a height')
}

function checkField(context: Problems): void {
  const { heights, spacing, size } = context.value as HeightFieldChoice
  if (Array.isArray(heights)) {
    const list = heights as readonly (readonly number[])[]
    const odd = list.findIndex((row) => row.length !== list[0].length)
    if (odd >= 0)
      problem(
        context,
        ['heights', odd],
        `holds ${list[odd].length} heights, the first row ${list[0].length}; rows are of one length`,
      )
    if (size !== undefined)
      problem(context, ['size'], 'stands beside rows of heights, which have theirs by their spacing; leave it out')
    if (list.length * list[0].length > largestField) problem(context, ['heights'], tooLarge(list[0].length, list.length))
    return
  }
  if (size === undefined) {
    problem(context, ['size'], 'is missing, expected two lengths: the rectangle over which the function holds')
    return
  }
  const { columns, rows } = gridOf(size, spacing)
  if (columns * rows > largestField) problem(context, ['spacing'], tooLarge(columns, rows))
}

const tooLarge = (columns: number, rows: number) =>
  `makes ${columns} x ${rows} grid points; at most ${largestField} are taken, so take a larger spacing`

/** Grid points of a rectangle, at least two along each side. */
export function gridOf([x, y]: readonly [number, number], [dx, dy]: readonly [number, number]) {
  return { columns: Math.max(1, Math.round(x / dx)) + 1, rows: Math.max(1, Math.round(y / dy)) + 1 }
}

const { box, sphere, ellipsoid, cylinder, capsule, hull, mesh } = solids

/** The `shape` of a free body. */
export const solidShape = z.discriminatedUnion(
  'type',
  [
    fields(box),
    fields(sphere),
    fields(ellipsoid),
    fields(cylinder),
    fields(capsule),
    fields(hull).check(checkHull),
    fields(mesh),
  ],
  wrongType(Object.keys(solids)),
)

const placed = {
  name: text('a name').optional(),
  position: triple('length').optional(),
  rpy: triple('angle').optional(),
  ...material,
}

/** One of the `obstacles`: its shape, place and surface in one object. */
export const obstacle = z.discriminatedUnion(
  'type',
  [
    fields({ ...box, ...placed }),
    fields({ ...sphere, ...placed }),
    fields({ ...ellipsoid, ...placed }),
    fields({ ...cylinder, ...placed }),
    fields({ ...capsule, ...placed }),
    fields({ ...hull, ...placed }).check(checkHull),
    fields({ ...mesh, ...placed }),
    fields({ ...raised.ramp, ...placed }).check(checkRamp),
    fields({ ...raised.step, ...placed }),
    fields({ ...raised.stairs, ...placed }),
    fields({ ...raised.heightfield, ...placed }).check(checkField),
  ],
  wrongType([...Object.keys(solids), ...Object.keys(raised)]),
)

/** What is stated of a surface, without all else. */
export function surfaceOf(stated: Surface): Surface {
  const out: Record<string, unknown> = {}
  for (const key of Object.keys(material) as (keyof Surface)[]) if (stated[key] !== undefined) out[key] = stated[key]
  return out
}
