/**
 * What is compared, on what, for how long: scenario files and their defaults.
 *
 * A scenario file is YAML (or JSON, which is YAML). Every number may be a plain number in SI units or a text with units
 * and arithmetic, see `expression.ts`. The command line's flags are the same fields and are checked by the same rules.
 * docs/scenario.md lists the fields.
 */
import { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import * as z from 'zod'
import type { Surface } from '../contact/geometry/index.ts'
import {
  type Combination,
  combinations,
  contactModels,
  defaultPhysicalInputs,
  type Integrator,
  type MaterialRules,
  type PhysicalInputs,
} from '../contact/index.ts'
import { builtInControllers } from './controllers.ts'
import { constantOf, ExpressionError, evaluator, isProgram, type Program, parseExpression } from './expression.ts'
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

/** A whole comparison, every default filled in. Structured-cloneable: workers get it as it is. */
export interface Scenario {
  readonly name: string
  /** Paths of URDF or xacro files, or names of our own robots. */
  readonly robots: readonly string[]
  /** undefined: as the file says. */
  readonly base: 'floating' | 'fixed' | undefined
  /** What robots written in xacro are given for their arguments; `key:=value` on the command line. */
  readonly xacro: Readonly<Record<string, string>>
  readonly ground: ({ readonly height: number } & Surface) | undefined
  readonly boxes: readonly FixedBox[]
  /** Surfaces of links, by link name; overrides what the robot's file says. */
  readonly materials: Readonly<Record<string, Surface>>
  /** How two surfaces make a pair. */
  readonly combine: MaterialRules
  /** undefined: each robot's default. */
  readonly controller: ControllerChoice | undefined
  /** [s] */
  readonly duration: number
  /** Step sizes, rising [s]. */
  readonly dt: readonly number[]
  readonly models: readonly ModelChoice[]
  readonly integrator: Integrator
  /** Only what was stated; `defaultPhysicalInputs` gives the rest. */
  readonly physical: Partial<PhysicalInputs>
  readonly limits: Limits
  readonly start: Start
  readonly seed: number
  /** A controller that has not answered for this long ends its run [s of wall-clock time]. */
  readonly patience: number
  readonly exact: ClosedForm | undefined
  /** The fields that nobody stated, with what they became. */
  readonly defaults: readonly Default[]
}

export interface FixedBox extends Surface {
  readonly name: string
  /** Full edge lengths [m]. */
  readonly size: readonly [number, number, number]
  readonly position: readonly [number, number, number]
  /** Roll, pitch, yaw about fixed axes, as in URDF [rad]. */
  readonly rpy: readonly [number, number, number]
}

export interface ControllerChoice {
  /** A key of the built-in controllers. */
  readonly builtIn?: string
  /** Path of a controller script. */
  readonly file?: string
  /** A `Program` among a script's options becomes a number, or a function of t, when the controller is made. */
  readonly options: Readonly<Record<string, unknown>>
}

export interface ModelChoice {
  readonly name: string
  readonly options: Readonly<Record<string, number | string | boolean>>
}

/** A run passes when it exceeds none of these. */
export interface Limits {
  /** Deepest penetration at any time [m]. */
  readonly penetration: number
  /** Error of the motion, as a fraction of its scale. */
  readonly tracking: number
  /** Error of the mechanical energy, as a fraction of its scale. */
  readonly energy: number
}

export interface Start {
  /** Joint positions by joint name [rad, m]; others stay at home. */
  readonly joints: Readonly<Record<string, number>>
  /** Joint velocities by joint name [rad/s, m/s]; others are zero. */
  readonly jointVelocities: Readonly<Record<string, number>>
  readonly position?: readonly [number, number, number]
  readonly rpy?: readonly [number, number, number]
  /** Of the base, in world axes [m/s, rad/s]. */
  readonly linearVelocity?: readonly [number, number, number]
  readonly angularVelocity?: readonly [number, number, number]
}

/** The exact solution, where one is known, as functions of t: errors are then taken against it. */
export interface ClosedForm {
  readonly x?: Program
  readonly y?: Program
  readonly z?: Program
  readonly joints: Readonly<Record<string, Program>>
  /** Mechanical energy less its value at t = 0 [J]. */
  readonly energy?: Program
}

export interface Default {
  readonly field: string
  readonly value: string
  readonly why: string
}

/** A scenario that cannot be read: all its problems at once, one a line. */
export class ScenarioError extends Error {
  override name = 'ScenarioError'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Scenario as it is written, before any check. */
export type RawScenario = Record<string, unknown>

const largestFile = 1_000_000
const integrators = ['semi-implicit-euler', 'rk4'] as const
const modelNames = () => Object.keys(contactModels)
const rules = Object.keys(combinations) as Combination[]
const combination = z.enum(rules, { error: ({ input }) => `found ${shown(input)}, expected one of ${rules.join(', ')}` })
const modelName = text('the name of a contact model').refine((name) => name === 'all' || modelNames().includes(name), {
  error: ({ input }) => `found ${shown(input)}, expected "all" or one of ${modelNames().join(', ')}`,
})
const schema = fields({
  name: text('a name').optional(),
  robot: text('a path or the name of a robot').optional(),
  robots: oneOrMore(text('a path or the name of a robot')).optional(),
  base: z
    .enum(['floating', 'fixed'], { error: ({ input }) => `found ${shown(input)}, expected "floating" or "fixed"` })
    .optional(),
  xacro: z.record(z.string(), option).optional(),
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
  materials: z.record(z.string(), fields(material)).optional(),
  combine: fields({
    friction: combination.optional(),
    restitution: combination.optional(),
    unstated: z
      .enum(['other', 'default'], { error: ({ input }) => `found ${shown(input)}, expected other or default` })
      .optional(),
  }).optional(),
  controller: z
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
    .optional(),
  duration: quantity('duration', { above: 0, max: 1e5 }).optional(),
  dt: oneOrMore(quantity('duration', { min: 1e-7, max: 1 })).optional(),
  models: oneOrMore(z.union([modelName, z.looseObject({ name: modelName }).catchall(option)])).optional(),
  integrator: z
    .enum(integrators, { error: ({ input }) => `found ${shown(input)}, expected ${integrators.join(' or ')}` })
    .optional(),
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
  start: fields({
    joints: z.record(z.string(), quantity(jointKinds)).optional(),
    jointVelocities: z.record(z.string(), quantity(jointSpeedKinds)).optional(),
    position: triple('length').optional(),
    rpy: triple('angle').optional(),
    linearVelocity: triple('speed').optional(),
    angularVelocity: triple('angularSpeed').optional(),
  }).optional(),
  exact: fields({
    x: functionOfTime.optional(),
    y: functionOfTime.optional(),
    z: functionOfTime.optional(),
    joints: z.record(z.string(), functionOfTime).optional(),
    energy: functionOfTime.optional(),
  }).optional(),
  seed: z
    .int({ error: ({ input }) => `found ${shown(input)}, expected a whole number` })
    .min(0, 'expected a whole number from 0 up')
    .optional(),
  patience: quantity('duration', { above: 0 }).optional(),
})

type Checked = z.output<typeof schema>

/** Where a field stands, for messages: `file.yaml:12`, or the flag that set it. */
export type Locate = (path: readonly PropertyKey[]) => string

/**
 * Reads the text of a scenario file.
 *
 * @param overrides fields that take the place of the file's, such as the command line's flags
 * @throws ScenarioError with every problem: file, line, field, what was found, what was expected
 */
export async function parseScenario(source: string, file: string, overrides: RawScenario = {}): Promise<Scenario> {
  if (source.length > largestFile)
    throw new ScenarioError([`${file}: holds ${source.length} characters, more than the ${largestFile} that a scenario may have`])
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, uniqueKeys: true, prettyErrors: false })
  if (document.errors.length > 0) {
    throw new ScenarioError(document.errors.map((e) => `${file}:${lines.linePos(e.pos[0]).line} ${e.message}`))
  }
  const forbidden: string[] = []
  visit(document, {
    Pair(_, pair) {
      const key = isScalar(pair.key) ? String(pair.key.value) : ''
      if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
        const at = isScalar(pair.key) && pair.key.range ? `:${lines.linePos(pair.key.range[0]).line}` : ''
        forbidden.push(`${file}${at} ${key}: is a reserved word and cannot be a key; rename it`)
      }
    },
  })
  if (forbidden.length > 0) throw new ScenarioError(forbidden)
  let raw: unknown
  try {
    raw = document.toJS({ maxAliasCount: 50 })
  } catch (error) {
    throw new ScenarioError([`${file}: ${(error as Error).message}; at most 50 aliases are followed`])
  }
  if (!isMap(document.contents))
    throw new ScenarioError([`${file}: found ${shown(raw)}, expected fields such as "robot: diffdrive"`])

  const locate: Locate = (path) => {
    if (Object.hasOwn(overrides, path[0] as string)) return `--${String(path[0])}`
    for (let n = path.length; n > 0; n--) {
      const node = document.getIn(path.slice(0, n), true) as { range?: [number, number, number] } | undefined
      if (node?.range) return `${file}:${lines.linePos(node.range[0]).line}`
    }
    return file
  }
  return checkScenario({ ...(raw as RawScenario), ...overrides }, locate)
}

/**
 * Checks a scenario that was not read from a file and fills in the defaults.
 *
 * @throws ScenarioError with every problem
 */
export async function checkScenario(
  raw: RawScenario,
  locate: Locate = (path) => `--${String(path[0] ?? 'scenario')}`,
): Promise<Scenario> {
  const result = await schema.safeParseAsync(raw)
  if (!result.success)
    throw new ScenarioError([...new Set(flatten(result.error.issues, []).map((issue) => describe(issue, locate)))])
  const problems: string[] = []
  const scenario = await fill(result.data, problems, locate)
  if (problems.length > 0) throw new ScenarioError(problems)
  return scenario
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Unions report one list of issues per member: the member that got furthest says what is wrong. */
function flatten(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[]): Issue[] {
  return issues.flatMap((issue): Issue[] => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'invalid_union') {
      const inner = issue.errors
        .map((errors) => flatten(errors, path))
        .filter((list) => list.some((i) => i.path.length > path.length))
      if (inner.length > 0) return inner[inner.length - 1]
    }
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path: [...path, key], message: issue.message }))
    return [{ path, message: issue.message }]
  })
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`)).join('')
}

function describe({ path, message }: Issue, locate: Locate): string {
  const field = fieldOf(path)
  const where = locate(path)
  if (where === `--${field.replace(/\[\d+\]$/, '')}`) return `${where} ${message}` // the message quotes the item
  return `${where} ${field}: ${message}`
}

/** Every value that nobody stated, here and nowhere else. */
export const scenarioDefaults = {
  duration: 5,
  dt: [1e-3, 1e-2],
  integrator: 'semi-implicit-euler' as Integrator,
  limits: { penetration: 1e-3, tracking: 0.01, energy: 0.01 },
  seed: 1,
  patience: 5,
}

async function fill(data: Checked, problems: string[], locate: Locate): Promise<Scenario> {
  const defaults: Default[] = []
  const orDefault = <T>(
    value: T | undefined,
    field: string,
    fallback: T,
    why: string,
    print: (value: T) => string = String,
  ): T => {
    if (value !== undefined) return value
    defaults.push({ field, value: print(fallback), why })
    return fallback
  }
  const problem = (field: string, message: string) => problems.push(describe({ path: [field], message }, locate))

  if (data.robot !== undefined && data.robots !== undefined) problem('robots', 'stands beside "robot"; state one of them')
  const robots = [...new Set(data.robots ?? (data.robot === undefined ? [] : [data.robot]))]
  if (robots.length === 0)
    problem('robot', 'is missing, expected a path to a URDF or xacro file, or the name of a built-in robot')

  const duration = orDefault(
    data.duration,
    'duration',
    scenarioDefaults.duration,
    'long enough for a robot to settle and to move',
    (d) => `${d} s`,
  )
  const dt = [
    ...new Set(
      orDefault(data.dt, 'dt', scenarioDefaults.dt, 'a careful and a bold step size', (list) =>
        list.map((d) => `${d} s`).join(', '),
      ),
    ),
  ].sort((a, b) => a - b)
  if (dt.some((step) => step > duration)) problem('dt', `found ${dt.at(-1)} s, expected no more than the duration, ${duration} s`)

  const models: ModelChoice[] = []
  for (const entry of orDefault<NonNullable<Checked['models']>>(
    data.models,
    'models',
    ['all'],
    'every model in the registry',
    () => modelNames().join(', '),
  )) {
    const { name, ...options } = typeof entry === 'string' ? { name: entry } : entry
    const chosen = name === 'all' ? modelNames() : [name]
    for (const model of chosen) {
      if (models.some((m) => m.name === model)) problem('models', `names "${model}" twice`)
      models.push({ name: model, options: options as ModelChoice['options'] })
    }
  }

  const limits = {
    penetration: orDefault(
      data.limits?.penetration,
      'limits.penetration',
      scenarioDefaults.limits.penetration,
      'deepest penetration at any time',
      (x) => `${x * 1000} mm`,
    ),
    tracking: orDefault(
      data.limits?.tracking,
      'limits.tracking',
      scenarioDefaults.limits.tracking,
      'error of the motion over its scale',
      (x) => `${x * 100} %`,
    ),
    energy: orDefault(
      data.limits?.energy,
      'limits.energy',
      scenarioDefaults.limits.energy,
      'error of the mechanical energy over its scale',
      (x) => `${x * 100} %`,
    ),
  }
  const ground = data.ground === false ? undefined : { ...data.ground, height: data.ground?.height ?? 0 }
  const applied = (stated: unknown, field: string, value: string, why: string) => {
    if (stated === undefined) defaults.push({ field, value, why })
  }
  const { allowedPenetration, friction, restitution } = defaultPhysicalInputs
  const { physical = {} } = data
  applied(data.base, 'base', 'as the file says', 'floating, unless the root link is fixed to the world')
  applied(data.ground, 'ground', 'z = 0', 'a horizontal plane that states no friction of its own')
  applied(
    physical.allowedPenetration,
    'physical.allowedPenetration',
    `${allowedPenetration * 1000} mm`,
    'how deep the weight may press one pair',
  )
  applied(
    physical.stiffness,
    'physical.stiffness',
    'weight / allowedPenetration',
    "of one pair; the models' parameters give the number",
  )
  applied(physical.damping, 'physical.damping', 'critical', "for the robot's mass on that stiffness")
  applied(physical.friction, 'physical.friction', `${friction}`, 'where neither surface states its own')
  applied(physical.restitution, 'physical.restitution', `${restitution}`, 'where neither surface states its own')
  const home = 'every joint at zero clamped into its limits, or the pose that the maker states; on the lowest collision point'
  applied(data.start, 'start', 'home, at rest', home)
  const held = 'our own robots drive; others hold home by PD with gravity compensation, drive wheels run at 0.2 m/s'
  applied(data.controller, 'controller', "each robot's own", `${held}; gains from 1 / (M^-1)_ii`)

  const boxes = (data.boxes ?? []).map((box, i) => ({
    ...box,
    name: box.name ?? `box${i + 1}`,
    rpy: box.rpy ?? ([0, 0, 0] as const),
  }))
  const names = boxes.map((b) => b.name)
  const twice = names.find((name, i) => name === 'ground' || names.indexOf(name) !== i)
  if (twice !== undefined) problem('boxes', `holds the name "${twice}" twice; every fixture needs its own`)

  return {
    name: data.name ?? robots.map(fileStem).join(' and '),
    robots,
    base: data.base,
    xacro: Object.fromEntries(Object.entries(data.xacro ?? {}).map(([key, value]) => [key, String(value)])),
    ground,
    boxes,
    materials: data.materials ?? {},
    combine: data.combine ?? {},
    controller: await controllerOf(data.controller, problem),
    duration,
    dt,
    models,
    integrator: orDefault(
      data.integrator,
      'integrator',
      scenarioDefaults.integrator,
      'for force-level models; velocity-level models bring their own update',
    ),
    physical: data.physical ?? {},
    limits,
    start: { ...data.start, joints: data.start?.joints ?? {}, jointVelocities: data.start?.jointVelocities ?? {} },
    seed: orDefault(data.seed, 'seed', scenarioDefaults.seed, 'handed to the controller as options.seed'),
    patience: data.patience ?? scenarioDefaults.patience,
    exact: data.exact && { ...data.exact, joints: data.exact.joints ?? {} },
    defaults,
  }
}

/** What a path calls itself: `robots/a1.urdf` is a1. */
function fileStem(path: string): string {
  return path.replace(/^.*[/\\]/, '').replace(/\.(urdf|xacro|urdf\.xacro)$/i, '')
}

/** A controller is a file if it looks like one, else the name of a built-in. */
async function controllerOf(
  choice: Checked['controller'],
  problem: (field: string, message: string) => void,
): Promise<ControllerChoice | undefined> {
  if (choice === undefined) return undefined
  const looksLikeFile = typeof choice === 'string' && /[/\\]|\.[cm]?[jt]s$/.test(choice)
  const stated = typeof choice !== 'string' ? choice : looksLikeFile ? { file: choice } : { name: choice }
  const { name, file, options: given = {} } = stated as { name?: string; file?: string; options?: Record<string, unknown> }
  if ((name === undefined) === (file === undefined)) problem('controller', 'needs either a name or a file')
  if (name !== undefined) {
    const known = Object.keys(builtInControllers)
    if (!known.includes(name)) {
      problem('controller', `found ${shown(name)}, expected a path to a script or one of ${known.join(', ')}`)
      return undefined
    }
    const checked = await builtInControllers[name as keyof typeof builtInControllers].options.safeParseAsync(given)
    if (!checked.success)
      for (const issue of flatten(checked.error.issues, ['options']))
        problem('controller', `${fieldOf(issue.path)}: ${issue.message}`)
    return { builtIn: name, options: (checked.data ?? {}) as Record<string, unknown> }
  }
  const options: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    options[key] = await optionOf(value, (message) => problem('controller', `options.${key} ${message}`))
  }
  return { file, options }
}

/** A text that begins with `=` is an expression, in which t is the time; any other value stays as it is. */
async function optionOf(value: unknown, problem: (message: string) => void): Promise<unknown> {
  if (typeof value === 'string' && value.startsWith('=')) {
    try {
      return await parseExpression(value.slice(1), true)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      problem(`found ${shown(value)}, which ${error.message}`)
      return undefined
    }
  }
  if (Array.isArray(value)) return Promise.all(value.map((v) => optionOf(v, problem)))
  if (typeof value === 'object' && value !== null) {
    const out: Record<string, unknown> = {}
    for (const [key, v] of Object.entries(value)) out[key] = await optionOf(v, problem)
    return out
  }
  return value
}

/** Options as a controller gets them: an expression is a number, or a function of t [s] if it varies. */
export function materialize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(materialize)
  if (typeof value !== 'object' || value === null) return value
  if (isProgram(value)) return value.varies ? evaluator(value) : constantOf(value)
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, materialize(v)]))
}
