/**
 * The fields of a scenario file, each once: its kind, its unit, its default and its meaning. docs/scenario.md is made from this
 * (`npm run docs`), and so are the messages, the list of defaults in reports and the type of a scenario.
 */
import * as z from 'zod'
import {
  type Combination,
  type ContactModelName,
  combinations,
  contactModelNames,
  defaultPhysicalInputs,
  type LocalLawChoice,
  type LoopKind,
  localLaws,
  rowsOfLoop,
  selfCollisions,
} from '../../contact/index.ts'
import { didYouMean } from '../../dynamics/index.ts'
import { defaultStepBudget } from '../../simulation/index.ts'
import { builtInControllers } from './controllers.ts'
import type { Kind } from './expression.ts'
import {
  byName,
  either,
  expected,
  fields,
  functionOfTime,
  jointKinds,
  jointSpeedKinds,
  listOf,
  material,
  notOneOf,
  oneOf,
  oneOrMore,
  option,
  parsed,
  quantity,
  shown,
  text,
  threeFunctions,
  triple,
  truth,
  wholeNumber,
  withSurface,
} from './fields.ts'
import { type LawName, lawNames } from './limits.ts'
import { measure, success } from './outcomes.ts'
import { type Issue, issuesOf } from './problems.ts'
import { sample } from './sampling.ts'
import { atMostHalf, obstacles, rounding, solidShape } from './shapes.ts'

/** More would take too long to set up. */
const mostBodies = 1000
const mostSeeds = 1000

const lawLimit = quantity('number', { min: 0 }).optional()

type Vector = [number, number, number]
const zero = (): Vector => [0, 0, 0]
const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T
const report = (context: { issues: z.core.$ZodRawIssue[] }, issues: readonly Issue[]) => {
  for (const { path, message } of issues) context.issues.push({ code: 'custom', input: undefined, path: [...path], message })
}

const name = text('a name').optional()
const robotSource = text('a path or the name of a robot')
const base = oneOf(['floating', 'fixed']).optional().meta({
  description: 'whether its root link moves freely',
  otherwise: 'as the file says',
  why: 'floating, unless the root link is fixed to the world',
})
const xacro = byName('ARGUMENT', option)
  .default({})
  .transform((values) => Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)])))
  .meta({
    description: 'arguments of robots written in xacro; on the command line `ARGUMENT:=value`',
    otherwise: "the file's own",
  })

/** Whether a controller's text is a path rather than the name of a built-in. */
export const looksLikeFile = (text: string) => /[/\\]|\.([cm]?[jt]s|onnx|ya?ml)$/.test(text)

export interface ControllerChoice {
  /** A key of the built-in controllers. */
  readonly builtIn?: string
  /** Path of a controller script. */
  readonly file?: string
  /** Of a script: it runs in an interpreter that has nothing of this machine. */
  readonly untrusted?: boolean
  /** Ticks a second in place of the controller's own [Hz]. */
  readonly rate?: number
  /** A `Program` among a script's options becomes a number, or a function of t, when the controller is made. */
  readonly options: Readonly<Record<string, unknown>>
}

const controller = z
  .union(
    [
      text('a path or the name of a built-in').transform((name) => (looksLikeFile(name) ? { file: name } : { name })),
      fields({
        name: text('a built-in controller').optional(),
        file: text('a path').optional(),
        untrusted: truth.optional(),
        rate: quantity('rate', { above: 0 }).optional(),
        options: byName('OPTION', z.unknown()).optional(),
      }).refine(...either('name', 'file', 'needs either a name or a file')),
    ],
    expected("a path, a built-in controller's name, or {name or file, untrusted, rate, options}"),
  )
  .transform(async (stated, context): Promise<ControllerChoice> => {
    const {
      name,
      file,
      untrusted,
      rate,
      options: given = {},
    } = stated as { name?: string; file?: string; untrusted?: boolean; rate?: number; options?: Record<string, unknown> }
    if (name === undefined) {
      const issues: Issue[] = []
      const options = (await withPrograms(given, ['options'], issues)) as Record<string, unknown>
      report(context, issues)
      return { file, ...(untrusted && { untrusted }), rate, options }
    }
    const known = Object.keys(builtInControllers)
    if (!known.includes(name)) {
      const message = `found ${shown(name)}, expected a path to a script or one of ${known.join(', ')}${didYouMean(name, known)}`
      report(context, [{ path: [], message }])
      return { options: {} }
    }
    const checked = await builtInControllers[name as keyof typeof builtInControllers].options.safeParseAsync(given)
    if (!checked.success) report(context, issuesOf(checked.error.issues, ['options']))
    return { builtIn: name, rate, options: (checked.data ?? {}) as Record<string, unknown> }
  })
  .optional()
  .meta({
    takes: 'a path, the name of a built-in, or `{name or file, untrusted, rate, options}`',
    description: 'controller of the robot, below',
    otherwise: "each robot's own",
    why:
      'built-in robots drive; others hold home by PD with gravity compensation, drive wheels run at 0.2 m/s; ' +
      'gains from 1 / (M^-1)_ii',
  })

const byPart = z.union([z.number(), byName('PART', z.number())], expected('a number, or numbers by part')).optional()
const sensorErrors = {
  name: text('a name'),
  rate: quantity('rate', { above: 0 }).optional(),
  delay: quantity('duration', { min: 0 }).optional(),
  noise: byPart,
  bias: byPart,
  resolution: byPart,
}
const mounting = {
  link: text('the name of a link'),
  position: triple('length').optional(),
  rpy: triple('angle').optional(),
}
const sensors = listOf(
  z.discriminatedUnion(
    'type',
    [
      fields({ type: z.literal('imu'), ...sensorErrors, ...mounting }),
      fields({ type: z.literal('force-torque'), ...sensorErrors, joint: text('the name of a joint') }),
      fields({ type: z.literal('encoder'), ...sensorErrors, joint: text('the name of a joint') }),
      fields({ type: z.literal('loop'), ...sensorErrors, loop: text('the name of a loop') }),
      fields({ type: z.literal('length'), ...sensorErrors, length: text('the name of a tendon or coupling') }),
      fields({
        type: z.literal('rays'),
        ...sensorErrors,
        ...mounting,
        /** About the sensor's z axis from x, evenly. */
        from: quantity('angle').default(0),
        to: quantity('angle').default(0),
        count: wholeNumber(1, 10_000).default(1),
        range: quantity('length', { above: 0 }).default(10),
      }),
      fields({ type: z.literal('pose'), ...sensorErrors, of: text('the name of a robot, companion or body, or NAME/LINK') }),
      fields({ type: z.literal('file'), ...sensorErrors }),
    ],
    expected('a sensor with a type: imu, force-torque, encoder, loop, length, rays, pose or file'),
  ),
  'sensors',
).transform((list, context) => {
  list.forEach(({ name }, i) => {
    if (list.findIndex((one) => one.name === name) < i)
      report(context, [{ path: [i, 'name'], message: `holds the name "${name}" twice; every sensor needs its own` }])
  })
  return list
})

const actuators = listOf(
  fields({
    joints: oneOrMore(text('the name of a joint, with * for any part of it')),
    interface: oneOf(['effort', 'velocity', 'position']).optional(),
    kp: quantity('number', { min: 0 }).optional(),
    kd: quantity('number', { min: 0 }).optional(),
    effortLimit: quantity('number', { above: 0 }).optional(),
    noLoadSpeed: quantity(jointSpeedKinds, { above: 0 }).optional(),
    lag: quantity('duration', { min: 0 }).optional(),
    rotorInertia: quantity('number', { min: 0 }).optional(),
    gearRatio: quantity('number').optional(),
    backlash: quantity(['angle', 'length'], { min: 0 }).optional(),
    stiffness: quantity('number', { above: 0 }).optional(),
    friction: quantity('number', { min: 0 }).optional(),
    damping: quantity('number', { min: 0 }).optional(),
  }),
  'actuators',
)

/** A text that begins with `=` is an expression, in which t is the time; any other value stays as it is. */
async function withPrograms(value: unknown, path: readonly PropertyKey[], issues: Issue[]): Promise<unknown> {
  if (typeof value === 'string' && value.startsWith('=')) {
    const program = await parsed(value.slice(1), ['t'])
    if (typeof program !== 'string') return program
    issues.push({ path, message: `found ${shown(value)}, ${program}` })
    return undefined
  }
  if (Array.isArray(value)) return Promise.all(value.map((v, i) => withPrograms(v, [...path, i], issues)))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(async ([key, v]) => [key, await withPrograms(v, [...path, key], issues)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** Without z where a floating body is to be set on the surface below. */
const place = z.union(
  [triple('length'), z.tuple([quantity('length'), quantity('length')], expected('[x, y, z], or [x, y] for on the ground there'))],
  expected('[x, y, z], or [x, y] for on the ground there'),
)
/** Where something that moves begins. */
const placement = {
  position: place.optional().meta({
    takes: '`[x, y, z]` or `[x, y]` [m]',
    description: 'two numbers set a floating base on the surface below',
    otherwise: 'set down at x = y = 0',
  }),
  rpy: triple('angle').optional().meta({ description: 'roll, pitch, yaw about fixed axes, as in URDF', otherwise: '0' }),
  linearVelocity: triple('speed').optional().meta({ description: 'of the base, in world axes', otherwise: '0' }),
  angularVelocity: triple('angularSpeed').optional().meta({ description: 'of the base, in world axes', otherwise: '0' }),
}
const start = {
  joints: byName('JOINT', quantity(jointKinds)).default({}).meta({ description: 'positions', otherwise: 'home' }),
  jointVelocities: byName('JOINT', quantity(jointSpeedKinds)).default({}).meta({ description: 'velocities', otherwise: '0' }),
  ...placement,
}
/** How far along each axis, either way: one number for all three, or three. */
const spread = (kind: Kind) =>
  z.union(
    [quantity(kind, { min: 0 }).transform((x): Vector => [x, x, x]), triple(kind, { min: 0 })],
    expected('a number or three, none below 0'),
  )

const loopEnd = fields({
  robot: text('name of a robot, companion or body').optional().meta({ otherwise: 'the compared robot' }),
  link: text('name of a link, or `world`').optional().meta({ otherwise: 'the only one' }),
  point: triple('length').optional().meta({ description: "in the link's axes", otherwise: 'its origin' }),
  axis: triple('number').optional().meta({ description: "of a hinge, in the link's axes" }),
}).transform(withoutUndefined)

/** Checks of loops without their links; the world does the rest. */
const loops = listOf(
  fields({
    name,
    kind: oneOf(Object.keys(rowsOfLoop) as LoopKind[]),
    a: loopEnd,
    b: loopEnd,
    from: quantity('duration', { min: 0 }).optional().meta({ description: 'it is on from this time on', otherwise: 'the start' }),
    until: quantity('duration', { above: 0 }).optional().meta({ description: 'and until this time', otherwise: 'the end' }),
    active: truth
      .optional()
      .meta({ description: 'whether it is on at first, for controllers to switch by `state.loops`', otherwise: 'true' }),
    maxForce: quantity('force', { above: 0 })
      .optional()
      .meta({ description: 'force on its point above which it releases', otherwise: 'none' }),
  }),
  'loops',
).transform((list, context) => {
  const names = new Set<string>()
  return list.map((stated, i) => {
    const { name = `loop${i + 1}`, kind, a, b } = stated
    const issue = (message: string, ...path: PropertyKey[]) => report(context, [{ path: [i, ...path], message }])
    if (names.has(name)) issue(`holds the name "${name}" twice; every loop needs its own`)
    names.add(name)
    if (kind === 'hinge' && !a.axis && !b.axis)
      issue('needs an axis at a, at b or at both, such as [0, 1, 0]; a hinge turns about it')
    for (const side of ['a', 'b'] as const)
      if (kind !== 'hinge' && stated[side].axis) issue(`is of a hinge, and this is a ${kind}`, side, 'axis')
    return { ...stated, name }
  })
})

const pushes = listOf(
  fields({
    name,
    robot: text('name of a robot, companion or body').optional().meta({ otherwise: 'the compared robot' }),
    link: text('name of a link').optional().meta({ otherwise: 'the only one' }),
    point: triple('length').optional().meta({ description: "in the link's axes", otherwise: 'its origin' }),
    impulse: triple('impulse').describe('in world axes [N s]'),
    at: quantity('duration', { min: 0 }).describe('when it begins'),
    duration: quantity('duration', { min: 0 }).default(0.1).describe('time over which it is spread evenly'),
  }),
  'pushes',
).transform((list) => list.map((push, i) => withoutUndefined({ ...push, name: push.name ?? `push${i + 1}` })))

/** The parameters of all local laws; the world says which are whose. */
const laws = listOf(
  fields({
    law: oneOf(Object.keys(localLaws) as (keyof typeof localLaws)[]),
    ...Object.fromEntries(
      Object.entries(localLaws).flatMap(([law, parameters]) =>
        Object.entries(parameters as Record<string, readonly [string, string, number, number]>).map(
          ([name, [meaning, , , otherwise]]) => [
            name,
            quantity('number')
              .optional()
              .meta({ description: `\`${law}\`: ${meaning}`, otherwise: `${otherwise}` }),
          ],
        ),
      ),
    ),
  }).transform((stated) => withoutUndefined(stated) as LocalLawChoice),
  'laws of contacts',
)
  .default([])
  .describe('laws of single contacts, which change their friction and restitution')

const motion = fields({
  position: threeFunctions('[0, 0, "0.002*sin(60*pi*t)"]').meta({
    description: 'displacement of its origin from the start, in world axes [m]',
    otherwise: '0',
  }),
  rpy: threeFunctions('[0, 0, "0.5*t"]').meta({
    description: 'rotation about its origin and the axes of the world, as `rpy` is [rad]',
    otherwise: '0',
  }),
  surface: threeFunctions('[0.3, 0, 0]').meta({
    description: "velocity of its surface beyond its own, as of a belt, in the shape's axes [m/s]",
    otherwise: '0',
  }),
})

const inertial = ['mass', 'density', 'centerOfMass', 'inertia', 'linearVelocity', 'angularVelocity'] as const

const body = withSurface({
  name,
  shape: solidShape,
  mass: quantity('mass', { above: 0 }).optional(),
  density: quantity('density', { above: 0 }).optional().describe('in place of the mass'),
  centerOfMass: triple('length').optional().meta({ description: "in the shape's axes", otherwise: "the solid's" }),
  inertia: listOf(quantity('number'), 'three or six numbers')
    .refine(({ length }) => length === 3 || length === 6, expected('[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]'))
    .transform(
      ([xx, yy, zz, xy = 0, xz = 0, yz = 0]) => [xx, yy, zz, xy, xz, yz] as [number, number, number, number, number, number],
    )
    .optional()
    .meta({
      takes: '`[xx, yy, zz]` or `[xx, yy, zz, xy, xz, yz]` [kg m²]',
      description: "about the centre of mass, in the shape's axes",
      otherwise: "the solid's",
    }),
  repeat: z
    .tuple([wholeNumber(1), wholeNumber(1), wholeNumber(1)], expected('three whole numbers, such as [3, 3, 2]'))
    .optional()
    .meta({ takes: '`[nx, ny, nz]`', description: 'a grid of copies NAME-1, NAME-2, ...' }),
  spacing: spread('length').optional().describe('of the grid'),
  motion: motion.optional().meta({
    takes: '`{position, rpy, surface}`',
    description: 'prescribed pose over time, in place of a mass, below',
    otherwise: 'moves by itself',
  }),
  ...placement,
}).check((context) => {
  const { value, issues } = context
  const issue = (path: PropertyKey[], message: string) => issues.push({ code: 'custom', input: value, path, message })
  if (value.motion === undefined) {
    if ((value.mass === undefined) === (value.density === undefined)) issue([], 'needs a mass or a density, or a motion')
    return
  }
  for (const field of inertial)
    if (value[field] !== undefined) issue([field], 'belongs to a free body; leave it out beside a motion')
})

/** Bodies with their copies; those without a name are called body1, body2, ... */
const bodies = listOf(body, 'bodies').transform((list, context) => {
  let total = 0
  return list.flatMap(({ repeat, spacing, position, ...stated }, i) => {
    const issue = (message: string, ...path: PropertyKey[]) => report(context, [{ path: [i, ...path], message }])
    const { name = `body${i + 1}`, ...rest } = withoutUndefined(stated)
    if (repeat === undefined) {
      total++
      if (spacing !== undefined) issue('is of no use without repeat', 'spacing')
      return [{ ...rest, name, ...(position && { position }) }]
    }
    const [nx, ny, nz] = repeat
    total += nx * ny * nz
    if (total > mostBodies) issue(`makes ${total} bodies; at most ${mostBodies} are taken`)
    else if (position?.length !== 3 || spacing === undefined) issue('needs a position [x, y, z] and a spacing beside repeat')
    else {
      return Array.from({ length: nx * ny * nz }, (_, k) => {
        const cell = [k % nx, Math.floor(k / nx) % ny, Math.floor(k / (nx * ny))]
        return {
          ...rest,
          name: `${name}-${k + 1}`,
          position: position.map((p, axis) => p + cell[axis] * spacing[axis]) as Vector,
        }
      })
    }
    return []
  })
})

const choices = ['all', ...contactModelNames] as const
const models = oneOrMore(
  z.union([oneOf(choices), z.looseObject({ name: oneOf(choices) }).catchall(option)], notOneOf(choices)),
).transform((entries, context) => {
  const chosen: { name: ContactModelName; options: Record<string, number | string | boolean> }[] = []
  for (const entry of entries) {
    const { name, ...options } = typeof entry === 'string' ? { name: entry } : entry
    for (const model of name === 'all' ? contactModelNames : [name]) {
      if (chosen.some((m) => m.name === model)) report(context, [{ path: [], message: `names "${model}" twice` }])
      chosen.push({ name: model, options: options as (typeof chosen)[number]['options'] })
    }
  }
  return chosen
})

const plane = withSurface({ height: quantity('length').default(0) })
type Ground = z.output<typeof plane> & {
  /** Not stated: it is lowered for a robot that is bolted down and would stand in it. */ isDefault?: boolean
}
const ground = z
  .union([z.literal(false), plane], expected('false or fields such as {friction: 0.8}'))
  .optional()
  .transform((stated): Ground | undefined => (stated === undefined ? { height: 0, isDefault: true } : stated || undefined))

const combination = oneOf(Object.keys(combinations) as Combination[]).optional()

/** In the order of the documentation. */
export const scenarioFields = {
  name: name.meta({ description: 'a title', otherwise: "the robots' names" }),
  robot: robotSource.optional().meta({
    description: 'a URDF, xacro, MJCF or SDF file, or one of our own robots, such as `humanoid` and `quadruped`',
    otherwise: 'required unless there are `bodies`',
  }),
  robots: oneOrMore(robotSource)
    .optional()
    .meta({ takes: 'a list of these', description: 'several, compared one by one, each in a world of its own' }),
  base,
  xacro,
  roots: oneOrMore(text('a folder')).default([]).meta({
    takes: 'a folder, or a list of these',
    description: 'folders that robots may read beside their own package; `--root` on the command line',
    otherwise: 'none',
  }),
  srdf: text('an SRDF file').optional().meta({
    takes: 'a file',
    description:
      "the robot's SRDF: pairs of links that do not collide, named poses for `start`, joint of its base to the world; on the command line `--srdf`",
    otherwise: 'none',
  }),
  concave: z
    .union([truth, quantity('length', { above: 0, max: 0.1 })], expected('true, false, or a length such as 0.1 mm'))
    .default(false)
    .meta({
      takes: 'true, or a length',
      description:
        "whether robots' collision meshes that are closed stay as concave as they are " +
        '([solids that are not convex](geometry.md#solids-that-are-not-convex)); a length is the error to which their distance is sampled. ' +
        'On the command line `--concave`',
      why: 'a mesh is its convex hull, which costs least',
    }),
  controller,
  sensors: sensors.default([]).meta({
    takes: 'list of `{type, name, ...}`',
    description: 'sensors for the controller of the compared robot ([controllers.md](controllers.md#sensors))',
  }),
  payloads: listOf(
    fields({
      link: text('the name of a link'),
      mass: quantity('mass', { min: 0 }),
      position: triple('length').default(zero).describe("of its centre of mass, in the link's axes"),
      inertia: triple('number').default(zero).describe("about its centre of mass and the link's axes [kg m²]"),
    }),
    'payloads',
  )
    .default([])
    .meta({
      takes: 'list of `{link, mass, position, inertia}`',
      description:
        "masses that are bolted to links of the compared robot: centre of mass at `position`, and `inertia` `[xx, yy, zz]` about it, in the link's axes. Its controller knows of them",
    }),
  actuators: actuators.default([]).meta({
    takes: 'list of `{joints, ...}`',
    description: 'actuators between its commands and the efforts of its joints ([controllers.md](controllers.md#actuators))',
  }),
  thrusters: listOf(
    fields({
      name: text('a name'),
      link: text('the name of a link'),
      point: triple('length').optional(),
      force: triple('number').optional(),
      moment: triple('number').optional(),
      range: z.tuple([quantity('number'), quantity('number')], expected('[low, high]')).optional(),
    }),
    'thrusters',
  )
    .default([])
    .meta({
      takes: 'list of `{name, link, ...}`',
      description:
        'forces on links in their own axes, as of rotors and nozzles, each times an input of `ctrl` ([controllers.md](controllers.md#thrusters))',
    }),
  start: fields({
    pose: text('the name of a pose')
      .optional()
      .meta({
        description:
          "one of the robot's named poses, such as a keyframe of MJCF: it takes the place of home, and a base that it states is not set down. " +
          'A keyframe has velocities and inputs of motors, too. On the command line `--pose`',
      }),
    key: text('the name of a keyframe').optional().meta({ description: 'the same, `--key` on the command line' }),
    ...start,
  })
    .refine(({ pose, key }) => pose === undefined || key === undefined, {
      path: ['key'],
      message: 'is the same as pose; leave one out',
    })
    .transform(({ key, pose = key, ...stated }) => ({ ...stated, ...(pose !== undefined && { pose }) }))
    .prefault({})
    .meta({
      description: 'where the compared robot begins',
      otherwise: 'home, at rest',
      why: 'every joint at zero clamped into its limits, or the pose that the maker states; on the lowest collision point',
    }),
  ground: ground.meta({
    takes: '`{height, SURFACE...}`, or `false` for none',
    description: 'a horizontal plane',
    otherwise: 'z = 0',
    why:
      'a horizontal plane that states no friction of its own; under a robot that is bolted down and would reach into it at home, ' +
      '1 cm below its lowest point',
  }),
  boxes: listOf(
    withSurface({
      name,
      size: triple('length', { above: 0 }).describe('full edge lengths'),
      rounding,
      position: triple('length').describe('of the centre'),
      rpy: triple('angle').default(zero).describe('roll, pitch, yaw about fixed axes'),
    }).refine(...(atMostHalf as [(stated: object) => boolean, (typeof atMostHalf)[1]])),
    'boxes',
  )
    .transform((list) => list.map((box, i) => ({ ...box, name: box.name ?? `box${i + 1}` })))
    .default([])
    .describe('fixed boxes'),
  obstacles: obstacles
    .default([])
    .meta({ takes: 'list of `{type, SIZES..., position, rpy, name, SURFACE...}`', description: 'fixed things, below' }),
  companions: listOf(fields({ name, robot: robotSource, base, xacro, controller, ...start }), 'companions')
    .transform((list) =>
      list.map(({ name, robot, base, xacro, controller, ...start }, i) => {
        return { name: name ?? `companion${i + 1}`, robot, base, xacro, controller, start }
      }),
    )
    .default([])
    .describe('further robots in the same world, below'),
  bodies: bodies.default([]).describe('free bodies in the same world, below'),
  loops: loops.default([]).describe('loops that are closed between links, below'),
  pushes: pushes.default([]).describe('pushes from outside, below'),
  materials: byName('LINK', withSurface({})).default({}).describe("surfaces of links; overrides the robot's file"),
  combine: fields({
    friction: combination.meta({ otherwise: '`min`' }),
    restitution: combination.meta({ otherwise: '`max`' }),
    unstated: oneOf(['other', 'default']).optional().meta({
      description: "value of a surface that states none: the other one's, or the default",
      otherwise: '`other`',
    }),
  })
    .default({})
    .describe('how two surfaces make a pair'),
  physical: fields({
    allowedPenetration: quantity('length', { above: 0 })
      .optional()
      .meta({
        description: 'depth to which the weight may press one pair',
        otherwise: `${defaultPhysicalInputs.allowedPenetration * 1000} mm; with free bodies below 6 cm a sixtieth of the smallest`,
        why: 'depth to which the weight may press one pair',
      }),
    stiffness: quantity('stiffness', { above: 0 }).optional().meta({
      description: 'of one pair of shapes',
      otherwise: 'weight / allowedPenetration',
      why: "of one pair, for the heavier of the two; the models' parameters give the number",
    }),
    damping: quantity('damping', { min: 0 }).optional().meta({
      description: 'of one pair of bodies',
      otherwise: 'critical',
      why: 'for the mass of the two on that stiffness',
    }),
    friction: material.friction.meta({
      description: 'of pairs neither of whose surfaces states its own',
      otherwise: `${defaultPhysicalInputs.friction}`,
      why: 'where neither surface states its own',
    }),
    restitution: material.restitution.meta({
      description: 'the same',
      otherwise: `${defaultPhysicalInputs.restitution}`,
      why: 'where neither surface states its own',
    }),
    limitRestitution: material.restitution.meta({ description: 'of the limits of joints', otherwise: '0' }),
  })
    .default({})
    .describe('physical properties of contacts, stated once; each model derives its parameters from them'),
  localLaws: laws,
  gravity: z
    .union(
      [triple('acceleration'), quantity('acceleration').transform((g): Vector => [0, 0, -g])],
      expected('a magnitude, downwards, or a vector such as [0, 0, -9.81]'),
    )
    .optional()
    .meta({ description: 'a magnitude, downwards, or a vector', otherwise: '9.81 m/s² downwards', why: 'standard' }),
  medium: fields({
    density: quantity('density', { min: 0 })
      .default(0)
      .meta({ description: 'resists by the square of the speed', otherwise: '0' }),
    viscosity: quantity('number', { min: 0 })
      .default(0)
      .meta({ takes: 'number [Pa s]', description: 'resists by the speed', otherwise: '0' }),
    wind: triple('speed').default([0, 0, 0]).meta({ description: 'its own velocity', otherwise: '0' }),
  })
    .optional()
    .meta({
      description:
        'fluid around all bodies, by the two models of MuJoCo: of the box of their inertia, or of ellipsoids where a file of MJCF states them. Without buoyancy',
      otherwise: 'the medium of its MJCF file, or none',
    }),
  selfCollision: oneOf(['file', ...selfCollisions])
    .default('file')
    .meta({
      description:
        'whether parts of one robot touch: as its file says ([MJCF](robots.md#contacts-of-mjcf) does, others say none), or by a rule of the scenario. ' +
        'Pairs that its files exclude never do, nor, by a rule of the scenario, those that overlap at home',
      why: 'parts of a robot of MJCF touch as in MuJoCo, those of others pass through each other',
    }),
  asMujoco: truth.default(false).meta({
    description:
      "whether what the scenario leaves out is as in MuJoCo with the robot's MJCF file: its step, integrator, cone and impratio under the contact model " +
      '`mujoco`, its start and its surroundings alone, its motors ([coming from MuJoCo](coming-from-mujoco.md)). On the command line `--as-mujoco`',
  }),
  integrator: oneOf(['semi-implicit-euler', 'rk4']).default('semi-implicit-euler').meta({
    description: 'of force-level models, `lcp` and `lotstedt`',
    why: 'for force-level models, lcp and lotstedt; velocity-level models bring their own update',
  }),
  ccd: z
    .union([truth, z.literal('time-of-contact')], expected('true, false or time-of-contact'))
    .default(false)
    .meta({
      description:
        'whether fast motion is met in time ([fast motion](how-it-works.md#fast-motion)): motion of a step that would bring two shapes through ' +
        'each other ends where they touch. Otherwise it is counted (`tunnelled`). On the command line `--ccd`. `time-of-contact`: every ' +
        'step ends where shapes that were apart touch, and the rest of it is taken after the collision',
      takes: '`true`, `false`, `time-of-contact`',
      why: 'shapes that pass through each other within a step are counted',
    }),
  duration: quantity('duration', { above: 0, max: 1e5 })
    .default(5)
    .meta({ description: 'simulated time', why: 'long enough for a robot to settle and to move' }),
  dt: oneOrMore(quantity('duration', { min: 1e-7, max: 1 }))
    .transform((list) => [...new Set(list)].sort((a, b) => a - b))
    .default([1e-3, 1e-2])
    .meta({ description: 'one step size, or several', why: 'a careful and a bold step size' }),
  models: models.prefault('all').meta({
    takes: '`all`, or a list of names or `{name: NAME, OPTION: value}`',
    description: 'contact models, and their options, below',
    why: 'every model in the registry',
  }),
  limits: fields({
    penetration: quantity('length', { above: 0 }).optional().meta({
      description: 'deepest penetration at any time',
      otherwise: 'twice `physical.allowedPenetration`',
      why: 'deepest penetration at any time: twice the allowed depth, to which a load goes that is laid on a spring at once',
    }),
    tracking: quantity('fraction', { above: 0 })
      .default(0.01)
      .meta({ description: 'error of the motion over its scale', why: 'error of the motion over its scale' }),
    energy: quantity('fraction', { above: 0 }).default(0.01).meta({
      description: 'error of the mechanical energy over its scale',
      why: 'error of the mechanical energy over its scale',
    }),
    laws: fields(Object.fromEntries(lawNames.map((law) => [law, lawLimit])) as Record<LawName, typeof lawLimit>)
      .optional()
      .meta({
        takes: '`{LAW: number}`',
        description: `of how far a run may break a law of mechanics or contact, in the law's SI unit: ${lawNames.map((law) => `\`${law}\``).join(', ')}`,
        otherwise: "each law's own",
      }),
  })
    .prefault({})
    .describe('of the verdict'),
  exact: fields({
    x: functionOfTime.optional().describe('of the base'),
    y: functionOfTime.optional(),
    z: functionOfTime.optional(),
    joints: byName('JOINT', functionOfTime).default({}),
    energy: functionOfTime.optional().describe('less its value at the start'),
  })
    .optional()
    .describe('the exact solution, where one is known'),
  measure: measure.meta({
    takes: '`{NAME: {kind, ...}}`',
    description: 'quantities of bodies, links and joints, by names of your own, below',
    otherwise: 'none',
  }),
  success: success.meta({
    takes: 'a condition',
    description: 'over the measures: whether a run succeeded, such as `held and slipped < 5 mm`, below',
    otherwise: 'none',
  }),
  seed: wholeNumber(0).optional().meta({
    description: 'of the perturbed start; handed to a script as `options.seed`, and shown',
    otherwise: '1',
    why: 'handed to the controller as options.seed; starts the perturbation',
  }),
  seeds: z
    .union(
      [
        wholeNumber(1, mostSeeds),
        z
          .array(wholeNumber(0))
          .min(1, 'is empty')
          .transform((list) => [...new Set(list)]),
      ],
      expected('how many, or a list of whole numbers'),
    )
    .optional()
    .meta({
      takes: 'a whole number, or a list of them',
      description: 'how many runs, of `seed` and those after it, or a list of seeds. `--seed N` makes the run of one',
      otherwise: '1',
    }),
  perturb: fields({
    position: spread('length').default(zero).describe('of floating bases along each axis'),
    rotation: quantity('angle', { min: 0, max: Math.PI }).default(0).describe('of floating bases about each axis'),
    joints: quantity(jointKinds, { min: 0 }).default(0).describe('within their limits'),
    linearVelocity: spread('speed').default(zero).describe('of floating bases'),
    angularVelocity: spread('angularSpeed').default(zero).describe('of floating bases'),
  })
    .optional()
    .describe('spread of the start, either way'),
  sweep: byName('FIELD.FIELD', oneOrMore(z.unknown())).default({}).describe('every combination of the values is a run, below'),
  sample: sample.optional().meta({
    takes: '`{method, count, seed, over}`',
    description: 'draws of values from distributions, each with every combination of the sweep, below',
    otherwise: 'none',
  }),
  decide: fields({
    success: quantity('fraction', { above: 0, max: 1 }).describe('probability of success in question'),
    confidence: quantity('fraction', { above: 0, max: 1 }).default(0.95),
  })
    .optional()
    .meta({
      takes: '`{success, confidence}`',
      description: '`featherbed sweep` ends the seeds of a cell as soon as its probability of success is surely above or below',
      otherwise: 'all seeds are run',
    }),
  vary: fields({
    friction: quantity('number', { min: 0 }).default(1).describe('of every coefficient of friction'),
    stiffness: quantity('number', { above: 0 }).default(1).describe('of every stiffness'),
    mass: quantity('number', { above: 0 })
      .default(1)
      .describe('of the mass and inertia of all that moves, which controllers know'),
    delay: wholeNumber(0).default(0).describe("periods by which the compared robot's efforts act late"),
  })
    .optional()
    .meta({
      takes: '`{friction, stiffness, mass, delay}`',
      description: 'factors on inputs of the world',
      otherwise: '1, no delay',
    }),
  stepBudget: quantity('number', { above: 0 })
    .default(defaultStepBudget)
    .meta({
      description:
        'the most work that one step may take, in multiply-adds, about 1e9 a second. A step beyond it ends its run, and its problem is ' +
        'saved. It is counted and not timed, so that the run ends at the same step on every machine. On the command line ' +
        '`--step-budget`',
      otherwise: '1e10',
    }),
  patience: quantity('duration', { above: 0 })
    .default(5)
    .describe(
      'limit of processor time of each call of a controller script, after which its run ends. In a sandbox it is counted in turns of loops and calls, 20 million a second',
    ),
  memory: quantity('number', { above: 0 })
    .default(1.5)
    .describe('in GB; a run under a controller script that needs more is ended'),
} satisfies z.ZodRawShape

export type ScenarioFields = { [K in keyof typeof scenarioFields]: z.output<(typeof scenarioFields)[K]> }
