/** The fields of a scenario file and how each is checked. docs/scenario.md says what they mean. */
import * as z from 'zod'
import { type Combination, combinations, contactModels, type LoopKind, rowsOfLoop } from '../contact/index.ts'
import type { Kind } from './expression.ts'
import {
  fields,
  functionOfTime,
  jointKinds,
  jointSpeedKinds,
  material,
  oneOrMore,
  option,
  quantity,
  shown,
  surface,
  text,
  triple,
} from './fields.ts'
import { obstacle, solidShape } from './shapeFields.ts'

const integrators = ['semi-implicit-euler', 'rk4'] as const
const selfCollisions = ['none', 'all-but-adjacent', 'all'] as const
export const modelNames = () => Object.keys(contactModels)
const rules = Object.keys(combinations) as Combination[]
const oneOf = <T extends string>(values: readonly T[]) =>
  z.enum(values as unknown as [T, ...T[]], {
    error: ({ input }) => `found ${shown(input)}, expected one of ${values.join(', ')}`,
  })
const combination = oneOf(rules)
const modelName = text('the name of a contact model').refine((name) => name === 'all' || modelNames().includes(name), {
  error: ({ input }) => `found ${shown(input)}, expected "all" or one of ${modelNames().join(', ')}`,
})
const wholeNumber = (least: number) =>
  z
    .int({ error: ({ input }) => `found ${shown(input)}, expected a whole number` })
    .min(least, `expected a whole number from ${least} up`)
const listOf = <T extends z.ZodType>(item: T, what: string) =>
  z.array(item, { error: ({ input }) => `found ${shown(input)}, expected a list of ${what}` })
const base = z
  .enum(['floating', 'fixed'], { error: ({ input }) => `found ${shown(input)}, expected "floating" or "fixed"` })
  .optional()
const xacro = z.record(z.string(), option).optional()
const controller = z
  .union(
    [
      text('a controller'),
      fields({
        name: text('a built-in controller').optional(),
        file: text('a path').optional(),
        options: z.record(z.string(), z.unknown()).optional(),
      }),
    ],
    {
      error: ({ input }) => `found ${shown(input)}, expected a path, a built-in controller's name, or {name or file, options}`,
    },
  )
  .optional()
/** Without z where something that floats is to be set on what lies below. */
const place = z.union(
  [
    triple('length'),
    z.tuple([quantity('length'), quantity('length')], {
      error: ({ input }) => `found ${shown(input)}, expected [x, y, z], or [x, y] for on the ground there`,
    }),
  ],
  { error: ({ input }) => `found ${shown(input)}, expected [x, y, z], or [x, y] for on the ground there` },
)
const placement = {
  position: place.optional(),
  rpy: triple('angle').optional(),
  linearVelocity: triple('speed').optional(),
  angularVelocity: triple('angularSpeed').optional(),
}
const start = {
  joints: z.record(z.string(), quantity(jointKinds)).optional(),
  jointVelocities: z.record(z.string(), quantity(jointSpeedKinds)).optional(),
  ...placement,
}
/** How far along each axis, either way: one number for all three, or three. */
const spread = (kind: Kind) =>
  z.union([quantity(kind, { min: 0 }).transform((x): [number, number, number] => [x, x, x]), triple(kind, { min: 0 })], {
    error: ({ input }) => `found ${shown(input)}, expected a number or three, none below 0`,
  })
const counts = z.tuple([wholeNumber(1), wholeNumber(1), wholeNumber(1)], {
  error: ({ input }) => `found ${shown(input)}, expected three whole numbers, such as [3, 3, 2]`,
})
const loopKinds = Object.keys(rowsOfLoop) as LoopKind[]
const loopEnd = fields({
  robot: text('the name of a robot, companion or body').optional(),
  link: text('the name of a link, or "world"').optional(),
  point: triple('length').optional(),
  axis: triple('number').optional(),
})
const inertia = z
  .array(quantity('number'), { error: ({ input }) => `found ${shown(input)}, expected three or six numbers` })
  .refine(({ length }) => length === 3 || length === 6, {
    error: ({ input }) => `found ${shown(input)}, expected [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]`,
  })

export const schema = fields({
  name: text('a name').optional(),
  robot: text('a path or the name of a robot').optional(),
  robots: oneOrMore(text('a path or the name of a robot')).optional(),
  base,
  xacro,
  ground: z
    .union([z.literal(false), fields({ height: quantity('length').optional(), ...material })], {
      error: ({ input }) => `found ${shown(input)}, expected false or fields such as {friction: 0.8}`,
    })
    .optional(),
  boxes: z
    .array(
      fields({
        name: text('a name').optional(),
        size: triple('length', { above: 0 }),
        position: triple('length'),
        rpy: triple('angle').optional(),
        ...material,
      }),
      { error: ({ input }) => `found ${shown(input)}, expected a list of boxes` },
    )
    .optional(),
  obstacles: listOf(obstacle, 'obstacles').optional(),
  companions: listOf(
    fields({
      name: text('a name').optional(),
      robot: text('a path or the name of a robot'),
      base,
      xacro,
      controller,
      ...start,
    }),
    'companions',
  ).optional(),
  bodies: listOf(
    fields({
      name: text('a name').optional(),
      shape: solidShape,
      mass: quantity('mass', { above: 0 }).optional(),
      density: quantity('density', { above: 0 }).optional(),
      centerOfMass: triple('length').optional(),
      inertia: inertia.optional(),
      repeat: counts.optional(),
      spacing: spread('length').optional(),
      ...placement,
      ...material,
    }),
    'bodies',
  ).optional(),
  loops: listOf(fields({ name: text('a name').optional(), kind: oneOf(loopKinds), a: loopEnd, b: loopEnd }), 'loops').optional(),
  materials: z.record(z.string(), fields(material)).optional(),
  combine: fields({
    friction: combination.optional(),
    restitution: combination.optional(),
    unstated: oneOf(['other', 'default']).optional(),
  }).optional(),
  controller,
  gravity: z
    .union([triple('acceleration'), quantity('acceleration').transform((g): [number, number, number] => [0, 0, -g])], {
      error: ({ input }) => `found ${shown(input)}, expected a magnitude, downwards, or a vector such as [0, 0, -9.81]`,
    })
    .optional(),
  selfCollision: oneOf(selfCollisions).optional(),
  duration: quantity('duration', { above: 0, max: 1e5 }).optional(),
  dt: oneOrMore(quantity('duration', { min: 1e-7, max: 1 })).optional(),
  models: oneOrMore(z.union([modelName, z.looseObject({ name: modelName }).catchall(option)])).optional(),
  integrator: oneOf(integrators).optional(),
  ccd: z.boolean({ error: ({ input }) => `found ${shown(input)}, expected true or false` }).optional(),
  physical: fields({
    allowedPenetration: quantity('length', { above: 0 }).optional(),
    stiffness: quantity('stiffness', { above: 0 }).optional(),
    damping: quantity('damping', { min: 0 }).optional(),
    ...surface,
  }).optional(),
  limits: fields({
    penetration: quantity('length', { above: 0 }).optional(),
    tracking: quantity('number', { above: 0 }).optional(),
    energy: quantity('number', { above: 0 }).optional(),
  }).optional(),
  start: fields({ ...start, pose: text('the name of a pose').optional() }).optional(),
  exact: fields({
    x: functionOfTime.optional(),
    y: functionOfTime.optional(),
    z: functionOfTime.optional(),
    joints: z.record(z.string(), functionOfTime).optional(),
    energy: functionOfTime.optional(),
  }).optional(),
  seed: wholeNumber(0).optional(),
  seeds: z
    .union([wholeNumber(1), z.array(wholeNumber(0)).min(1, 'is empty')], {
      error: ({ input }) => `found ${shown(input)}, expected how many, or a list of whole numbers`,
    })
    .optional(),
  perturb: fields({
    position: spread('length').optional(),
    rotation: quantity('angle', { min: 0, max: Math.PI }).optional(),
    joints: quantity(jointKinds, { min: 0 }).optional(),
    linearVelocity: spread('speed').optional(),
    angularVelocity: spread('angularSpeed').optional(),
  }).optional(),
  sweep: z.record(z.string(), oneOrMore(z.unknown())).optional(),
  patience: quantity('duration', { above: 0 }).optional(),
})

/** A scenario whose fields are of the right kinds; nothing is filled in yet. */
export type CheckedScenario = z.output<typeof schema>
