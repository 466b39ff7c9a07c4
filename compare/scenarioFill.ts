/** From fields that are each right to a scenario: what nobody stated, and what has to agree between fields. */
import type { Surface } from '../contact/geometry/index.ts'
import { defaultPhysicalInputs, type Integrator } from '../contact/index.ts'
import type { WorldLoop } from '../simulation/index.ts'
import { builtInControllers } from './controllers.ts'
import { ExpressionError, parseExpression } from './expression.ts'
import { shown } from './fields.ts'
import type { BodyChoice, Companion, ControllerChoice, Default, FixedBox, ModelChoice, Obstacle, Scenario } from './scenario.ts'
import { fieldOf, flatten } from './scenarioProblems.ts'
import { type CheckedScenario, modelNames } from './scenarioSchema.ts'
import { type ObstacleChoice, surfaceOf } from './shapeFields.ts'

/** Every value that nobody stated, here and nowhere else. */
export const scenarioDefaults = {
  duration: 5,
  dt: [1e-3, 1e-2],
  integrator: 'semi-implicit-euler' as Integrator,
  ccd: false,
  selfCollision: 'none' as const,
  limits: { penetration: 1e-3, tracking: 0.01, energy: 0.01 },
  seed: 1,
  patience: 5,
}

/** More would take longer to set up than anybody waits. */
const mostBodies = 1000
const mostSeeds = 1000

type Problem = (path: PropertyKey[], message: string) => void

/** @param problem is told of each thing that is wrong; what is returned then is of no use */
export async function fillScenario(data: CheckedScenario, problem: Problem): Promise<Scenario> {
  const noted: Default[] = []
  const { robots, name } = comparedRobots(data, problem)
  const { duration, dt } = timesOf(data, noted, problem)
  const ground =
    data.ground === false
      ? undefined
      : { ...data.ground, height: data.ground?.height ?? 0, ...(data.ground === undefined ? { isDefault: true } : {}) }
  const boxes = boxesOf(data)
  const obstacles = obstaclesOf(data)
  const companions = await companionsOf(data, problem)
  const bodies = bodiesOf(data, problem)
  checkNames(data, boxes, obstacles, companions, bodies, problem)
  const loops = loopsOf(data, problem)
  checkSurfaces(data, problem)
  const { seed, seeds } = seedsOf(data, problem)
  const models = modelsOf(data, noted, problem)
  const limits = limitsOf(data, noted)
  noteAppliedDefaults(data, noted)
  const zero = [0, 0, 0] as const
  const { perturb } = data

  return {
    name,
    robots,
    base: data.base,
    xacro: texts(data.xacro),
    ground,
    boxes,
    obstacles,
    companions,
    bodies,
    loops,
    gravity: data.gravity,
    selfCollision: orDefault(
      noted,
      data.selfCollision,
      'selfCollision',
      scenarioDefaults.selfCollision,
      'parts of one robot pass through each other',
    ),
    materials: data.materials ?? {},
    combine: data.combine ?? {},
    controller: await controllerOf(data.controller, (message) => problem(['controller'], message)),
    duration,
    dt,
    models,
    integrator: orDefault(
      noted,
      data.integrator,
      'integrator',
      scenarioDefaults.integrator,
      'for force-level models; velocity-level models bring their own update',
    ),
    ccd: orDefault(noted, data.ccd, 'ccd', scenarioDefaults.ccd, 'shapes that pass through each other within a step are counted'),
    physical: data.physical ?? {},
    limits,
    start: { ...data.start, joints: data.start?.joints ?? {}, jointVelocities: data.start?.jointVelocities ?? {} },
    seeds,
    seed,
    perturb: perturb && {
      position: perturb.position ?? zero,
      rotation: perturb.rotation ?? 0,
      joints: perturb.joints ?? 0,
      linearVelocity: perturb.linearVelocity ?? zero,
      angularVelocity: perturb.angularVelocity ?? zero,
    },
    sweep: {},
    variants: [],
    patience: data.patience ?? scenarioDefaults.patience,
    exact: data.exact && { ...data.exact, joints: data.exact.joints ?? {} },
    defaults: orderedLikeFields(noted),
  }
}

function orDefault<T>(
  noted: Default[],
  value: T | undefined,
  field: string,
  fallback: T,
  why: string,
  print: (value: T) => string = String,
): T {
  if (value !== undefined) return value
  noted.push({ field, value: print(fallback), why })
  return fallback
}

/** In the order in which a reader meets the fields. */
function orderedLikeFields(noted: Default[]): Default[] {
  const order = ['duration', 'dt', 'models', 'limits', 'base', 'ground', 'physical', 'start', 'controller']
  const rank = ({ field }: Default) => {
    const place = order.indexOf(field.split('.')[0])
    return place < 0 ? order.length : place
  }
  return noted.toSorted((a, b) => rank(a) - rank(b))
}

const texts = (values: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))

/** What a path calls itself: `robots/a1.urdf` is a1. */
const fileStem = (path: string) => path.replace(/^.*[/\\]/, '').replace(/\.(urdf|xacro|urdf\.xacro)$/i, '')

function comparedRobots(data: CheckedScenario, problem: Problem) {
  if (data.robot !== undefined && data.robots !== undefined) problem(['robots'], 'stands beside "robot"; state one of them')
  const robots = [...new Set(data.robots ?? (data.robot === undefined ? [] : [data.robot]))]
  const hasBodies = (data.bodies ?? []).length > 0
  if (robots.length === 0 && !hasBodies)
    problem(
      ['robot'],
      'is missing, expected a path to a URDF, xacro, MJCF or SDF file, or the name of a built-in robot; or else bodies',
    )
  if (robots.length === 0 && hasBodies) {
    for (const field of ['controller', 'start', 'materials'] as const)
      if (data[field] !== undefined) problem([field], 'is about a robot, and there is none; leave it out, or state a robot')
  }
  return { robots, name: data.name ?? (robots.length > 0 ? robots.map(fileStem).join(' and ') : 'bodies') }
}

function timesOf(data: CheckedScenario, noted: Default[], problem: Problem) {
  const duration = orDefault(
    noted,
    data.duration,
    'duration',
    scenarioDefaults.duration,
    'long enough for a robot to settle and to move',
    (d) => `${d} s`,
  )
  const stated = orDefault(noted, data.dt, 'dt', scenarioDefaults.dt, 'a careful and a bold step size', (list) =>
    list.map((d) => `${d} s`).join(', '),
  )
  const dt = [...new Set(stated)].sort((a, b) => a - b)
  if (dt.some((step) => step > duration))
    problem(['dt'], `found ${dt.at(-1)} s, expected no more than the duration, ${duration} s`)
  return { duration, dt }
}

function modelsOf(data: CheckedScenario, noted: Default[], problem: Problem): ModelChoice[] {
  const entries = orDefault<NonNullable<CheckedScenario['models']>>(
    noted,
    data.models,
    'models',
    ['all'],
    'every model in the registry',
    () => modelNames().join(', '),
  )
  const models: ModelChoice[] = []
  for (const entry of entries) {
    const { name, ...options } = typeof entry === 'string' ? { name: entry } : entry
    const chosen = name === 'all' ? modelNames() : [name]
    for (const model of chosen) {
      if (models.some((m) => m.name === model)) problem(['models'], `names "${model}" twice`)
      models.push({ name: model, options: options as ModelChoice['options'] })
    }
  }
  return models
}

function limitsOf({ limits }: CheckedScenario, noted: Default[]) {
  const limit = (key: keyof typeof scenarioDefaults.limits, why: string, print: (x: number) => string) =>
    orDefault(noted, limits?.[key], `limits.${key}`, scenarioDefaults.limits[key], why, print)
  return {
    penetration: limit('penetration', 'deepest penetration at any time', (x) => `${x * 1000} mm`),
    tracking: limit('tracking', 'error of the motion over its scale', (x) => `${x * 100} %`),
    energy: limit('energy', 'error of the mechanical energy over its scale', (x) => `${x * 100} %`),
  }
}

/** Defaults that are applied elsewhere: by the robot's reader, the world, the models, the controllers. */
function noteAppliedDefaults(data: CheckedScenario, noted: Default[]): void {
  const applied = (stated: unknown, field: string, value: string, why: string) => {
    if (stated === undefined) noted.push({ field, value, why })
  }
  const { allowedPenetration, friction, restitution } = defaultPhysicalInputs
  const { physical = {} } = data
  applied(data.base, 'base', 'as the file says', 'floating, unless the root link is fixed to the world')
  applied(
    data.ground,
    'ground',
    'z = 0',
    'a horizontal plane that states no friction of its own; lower under a robot that is bolted down and would stand in it',
  )
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
    "of one pair, for the heavier of the two; the models' parameters give the number",
  )
  applied(physical.damping, 'physical.damping', 'critical', 'for the mass of the two on that stiffness')
  applied(physical.friction, 'physical.friction', `${friction}`, 'where neither surface states its own')
  applied(physical.restitution, 'physical.restitution', `${restitution}`, 'where neither surface states its own')
  const home = 'every joint at zero clamped into its limits, or the pose that the maker states; on the lowest collision point'
  applied(data.start, 'start', 'home, at rest', home)
  const held = 'our own robots drive; others hold home by PD with gravity compensation, drive wheels run at 0.2 m/s'
  applied(data.controller, 'controller', "each robot's own", `${held}; gains from 1 / (M^-1)_ii`)
  applied(data.gravity, 'gravity', '9.81 m/s² downwards', 'standard')
  if (data.seeds === undefined)
    applied(data.seed, 'seed', `${scenarioDefaults.seed}`, 'handed to the controller as options.seed; starts the perturbation')
}

function seedsOf({ seed, seeds }: CheckedScenario, problem: Problem) {
  const first = seed ?? scenarioDefaults.seed
  if (seeds === undefined) return { seed: first, seeds: [first] }
  if (typeof seeds === 'number') {
    if (seeds > mostSeeds) problem(['seeds'], `found ${seeds}, expected at most ${mostSeeds}`)
    return { seed: first, seeds: Array.from({ length: Math.min(seeds, mostSeeds) }, (_, i) => first + i) }
  }
  if (seed !== undefined) problem(['seed'], 'stands beside a list of seeds; state one of them')
  const list = [...new Set(seeds)]
  return { seed: list[0], seeds: list }
}

function boxesOf({ boxes = [] }: CheckedScenario): FixedBox[] {
  return boxes.map((box, i) => ({ ...box, name: box.name ?? `box${i + 1}`, rpy: box.rpy ?? ([0, 0, 0] as const) }))
}

function obstaclesOf({ obstacles = [] }: CheckedScenario): Obstacle[] {
  const count = new Map<string, number>()
  return obstacles.map((stated) => {
    const n = (count.get(stated.type) ?? 0) + 1
    count.set(stated.type, n)
    const { name = `${stated.type}${n}`, position = [0, 0, 0] as const, rpy = [0, 0, 0] as const, ...rest } = stated
    const surface = surfaceOf(stated)
    const shape = Object.fromEntries(Object.entries(rest).filter(([key]) => !(key in surface))) as unknown as ObstacleChoice
    return { name, shape: withoutUndefined(shape), position, rpy, ...surface }
  })
}

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T

async function companionsOf({ companions = [] }: CheckedScenario, problem: Problem): Promise<Companion[]> {
  return Promise.all(
    companions.map(async (stated, i) => {
      const {
        name = `companion${i + 1}`,
        robot,
        base,
        xacro,
        controller,
        joints = {},
        jointVelocities = {},
        ...placement
      } = stated
      return {
        name,
        robot,
        base,
        xacro: texts(xacro),
        controller: await controllerOf(controller, (message) => problem(['companions', i, 'controller'], message)),
        start: { joints, jointVelocities, ...placement },
      }
    }),
  )
}

function bodiesOf({ bodies = [] }: CheckedScenario, problem: Problem): BodyChoice[] {
  let total = 0
  return bodies.flatMap((stated, i): BodyChoice[] => {
    const { repeat, spacing, name = `body${i + 1}`, inertia, position, ...rest } = stated
    if ((rest.mass === undefined) === (rest.density === undefined)) problem(['bodies', i], 'needs either a mass or a density')
    const [xx, yy, zz, xy = 0, xz = 0, yz = 0] = inertia ?? []
    const body = {
      ...withoutUndefined(rest),
      ...(inertia && { inertia: [xx, yy, zz, xy, xz, yz] as const }),
    } as Omit<BodyChoice, 'name'>
    total += repeat === undefined ? 1 : repeat[0] * repeat[1] * repeat[2]
    if (total > mostBodies) {
      problem(['bodies', i], `makes ${total} bodies; at most ${mostBodies} are taken`)
      return []
    }
    if (repeat === undefined) {
      if (spacing !== undefined) problem(['bodies', i, 'spacing'], 'is of no use without repeat')
      return [{ ...body, name, ...(position && { position }) }]
    }
    if (position?.length !== 3 || spacing === undefined) {
      problem(['bodies', i], 'needs a position [x, y, z] and a spacing beside repeat')
      return []
    }
    const [nx, ny, nz] = repeat
    return Array.from({ length: nx * ny * nz }, (_, k) => {
      const cell = [k % nx, Math.floor(k / nx) % ny, Math.floor(k / (nx * ny))]
      const at = position.map((p, axis) => p + cell[axis] * spacing[axis]) as [number, number, number]
      return { ...body, name: `${name}-${k + 1}`, position: at }
    })
  })
}

/** What can be said of loops without their links; the world says the rest. */
function loopsOf({ loops = [] }: CheckedScenario, problem: Problem): WorldLoop[] {
  const names = new Set<string>()
  return loops.map(({ name: stated, kind, a, b }, i) => {
    const name = stated ?? `loop${i + 1}`
    if (names.has(name)) problem(['loops', i], `holds the name "${name}" twice; every loop needs its own`)
    names.add(name)
    if (kind === 'hinge' && !a.axis && !b.axis)
      problem(['loops', i], 'needs an axis at a, at b or at both, such as [0, 1, 0]; a hinge turns about it')
    for (const side of ['a', 'b'] as const) {
      if (kind !== 'hinge' && { a, b }[side].axis) problem(['loops', i, side, 'axis'], `is of a hinge, and this is a ${kind}`)
    }
    return { name, kind, a: withoutUndefined(a), b: withoutUndefined(b) }
  })
}

/** Fixed things share one list of names, and what moves another. */
function checkNames(
  data: CheckedScenario,
  boxes: readonly FixedBox[],
  obstacles: readonly Obstacle[],
  companions: readonly Companion[],
  bodies: readonly BodyChoice[],
  problem: Problem,
): void {
  const repeated = (names: readonly string[]) => names.find((name, i) => names.indexOf(name) !== i)
  const twiceFixed = repeated(['ground', ...boxes.map(({ name }) => name), ...obstacles.map(({ name }) => name)])
  if (twiceFixed !== undefined)
    problem(
      [data.boxes && boxes.some(({ name }) => name === twiceFixed) ? 'boxes' : 'obstacles'],
      `holds the name "${twiceFixed}" twice; every fixture needs its own`,
    )
  const twiceMoving = repeated([...companions.map(({ name }) => name), ...bodies.map(({ name }) => name)])
  if (twiceMoving !== undefined)
    problem(
      [data.bodies ? 'bodies' : 'companions'],
      `holds the name "${twiceMoving}" twice; every companion and body needs its own`,
    )
  for (const [field, list] of [
    ['companions', companions],
    ['bodies', bodies],
  ] as const) {
    const slashed = list.find(({ name }) => name.includes('/'))
    if (slashed)
      problem([field], `holds the name "${slashed.name}"; names hold no "/", which parts a robot's name from its links'`)
  }
}

/** Static friction below sliding friction is refused by the contacts' materials too, where nobody knows the line. */
function checkSurfaces(data: CheckedScenario, problem: Problem): void {
  const check = (surface: Surface | undefined, ...path: PropertyKey[]) => {
    const { friction, staticFriction } = surface ?? {}
    if (friction !== undefined && staticFriction !== undefined && staticFriction < friction)
      problem(
        [...path, 'staticFriction'],
        `found ${staticFriction}, expected at least the friction, ${friction}; nothing slides harder than it sticks`,
      )
  }
  if (data.ground) check(data.ground, 'ground')
  for (const field of ['boxes', 'obstacles', 'bodies'] as const)
    for (const [i, item] of (data[field] ?? []).entries()) check(item, field, i)
  for (const [link, surface] of Object.entries(data.materials ?? {})) check(surface, 'materials', link)
}

/** Whether a controller's text is a path rather than the name of a built-in. */
export const looksLikeFile = (text: string) => /[/\\]|\.[cm]?[jt]s$/.test(text)

/** A controller is a file if it looks like one, else the name of a built-in. */
async function controllerOf(
  choice: CheckedScenario['controller'],
  problem: (message: string) => void,
): Promise<ControllerChoice | undefined> {
  if (choice === undefined) return undefined
  const stated = typeof choice !== 'string' ? choice : looksLikeFile(choice) ? { file: choice } : { name: choice }
  const { name, file, options: given = {} } = stated as { name?: string; file?: string; options?: Record<string, unknown> }
  if ((name === undefined) === (file === undefined)) problem('needs either a name or a file')
  if (name !== undefined) {
    const known = Object.keys(builtInControllers)
    if (!known.includes(name)) {
      problem(`found ${shown(name)}, expected a path to a script or one of ${known.join(', ')}`)
      return undefined
    }
    const checked = await builtInControllers[name as keyof typeof builtInControllers].options.safeParseAsync(given)
    if (!checked.success)
      for (const issue of flatten(checked.error.issues, ['options'])) problem(`${fieldOf(issue.path)}: ${issue.message}`)
    return { builtIn: name, options: (checked.data ?? {}) as Record<string, unknown> }
  }
  const options: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    options[key] = await optionOf(value, (message) => problem(`options.${key} ${message}`))
  }
  return { file, options }
}

/** A text that begins with `=` is an expression, in which t is the time; any other value stays as it is. */
async function optionOf(value: unknown, problem: (message: string) => void): Promise<unknown> {
  if (typeof value === 'string' && value.startsWith('=')) {
    try {
      return await parseExpression(value.slice(1), ['t'])
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
