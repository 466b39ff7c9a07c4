/** From a scenario to a world: robots and bodies, surroundings, starts and controllers, wherever the files are. */
import type { PlacedShape, Surface } from '../../../contact/geometry/index.ts'
import { type CreateContactModel, contactModelNames, isEffective } from '../../../contact/index.ts'
import {
  actuated,
  type Controller,
  type ControllerLoop,
  createControllerLoop,
  DEFAULT_RATE,
  defaultControllerFor,
  delayed,
  Motors,
  ownNameOf,
  type SensorOptions,
  scaled,
  stepsPerTick,
  withRotors,
  withThrusters,
} from '../../../control/index.ts'
import {
  cos,
  didYouMean,
  mulMatrix3,
  mulQuaternion,
  normalizeQuaternion,
  place3,
  quaternionOfRotation,
  sin,
} from '../../../dynamics/index.ts'
import {
  createFreeBody,
  createPrescribedBody,
  floorOf,
  inMedium,
  placeRobot,
  placesAt,
  type Robot,
  sizeOf,
} from '../../../robots/index.ts'
import { LoopError, massAndWeight, type PrescribedMotion, World, type WorldLoop } from '../../../simulation/index.ts'
import { createBuiltIn } from '../controllers.ts'
import { type BodyChoice, type ControllerChoice, evaluator, type ModelChoice, materialize, type Scenario } from '../index.ts'
import { type Logged, unmatched } from './log.ts'
import { checkMeasures } from './measured.ts'
import { withPayloads } from './payload.ts'
import { type Overlap, PenetrationMeter, SMALLEST_OVERLAP } from './penetration.ts'
import { Random } from './random.ts'
import { type RobotFile, robotFileOf } from './robotFile.ts'
import { SetupError } from './setupError.ts'
import { lowestOf, namesOf, removePenetration, type StartState, startOf } from './start.ts'
import { fixturesOf, placedSurface, rotationOfRpy, solidOf } from './surroundings.ts'
import { varied } from './vary.ts'

export { SetupError } from './setupError.ts'

export interface RobotScale {
  /** Diagonal of the box around the robot's collision shapes at its start [m]. */
  readonly size: number
  /** Of everything that moves [N]. */
  readonly weight: number
  /** Sizes of the others in the world, in their order [m]. */
  readonly others?: readonly number[]
}

/** Something that moves, at its start. */
export interface Member extends Pick<StartState, 'q' | 'v'> {
  /** undefined: the robot's own. */
  readonly name: string | undefined
  readonly robot: Robot
  /** Its drive, if any. */
  readonly drive: Drive | undefined
  /** Of a body that does not move by itself. */
  readonly motion?: PrescribedMotion
  /** The named pose from which it starts, if any. */
  readonly pose?: string
  /** The file that it was read from, as the scenario names it, and another member of that file whose name is its first's. */
  readonly source?: string
  readonly fileOf?: string
}

/** A controller that is not loaded yet: a script's top level may do anything. */
export interface Drive {
  /** undefined: the robot's default. */
  readonly choice: ControllerChoice | undefined
  readonly name: string
  /** Why this one, if it was not chosen. */
  readonly why: string
}

/** A run without its controllers, its model and its step. */
export interface PreparedWorld {
  /** Of the compared robot, or of its file where that holds objects alone; of the first body where there is no robot. */
  readonly name: string
  /** The robot that is compared, or the first body where there is none. */
  readonly robot: Robot
  /** All that moves, that robot first. */
  readonly members: readonly Member[]
  readonly fixtures: readonly PlacedShape[]
  /** Loops of robots' files, and links of their objects that never touch another, by their names in the world. */
  readonly loops: readonly WorldLoop[]
  readonly excludedCollisions: readonly (readonly [string, string])[]
  /** Height of the ground, if there is one [m]. */
  readonly groundHeight: number | undefined
  readonly scale: RobotScale
}

export interface Prepared extends PreparedWorld {
  /** Of each member. */
  readonly controllers: readonly (PreparedController | undefined)[]
  /** In the place of a contact model: another engine. */
  readonly outside?: OutsideModel
}

/** Another engine that steps a world. */
export interface OutsideModel {
  readonly create: CreateContactModel
  /** @param motions of each member @param inputs of the actuators of the robot's file, where its controller writes these */
  attach(world: World, motions: readonly Member['motion'][], inputs: Float64Array | undefined): void
  delete(): void
}

export interface PreparedController {
  readonly name: string
  readonly controller: Controller
  /** In place of its own [Hz]. */
  readonly rate?: number
  readonly options: Readonly<Record<string, unknown>>
  /** How many of its periods late its efforts act; default 0. */
  readonly delay?: number
  /** Factor on its efforts, before they are clamped; default 1. */
  readonly gain?: number
}

/** Whether a model is another engine, and not in the registry. */
export const isOutside = (model: string): boolean => !(contactModelNames as readonly string[]).includes(model)

/** In place of the robot's source where a scenario has bodies only. */
export const BODIES_ONLY = ''

/** The robots that a scenario compares, one world each. @unchecked */
export const subjectsOf = ({ robots }: Scenario): readonly string[] => (robots.length > 0 ? robots : [BODIES_ONLY])

/** Where the files of a scenario come from. Paths are those of the scenario. */
export interface Sources {
  /** A robot by path, or by name. @throws RobotError */
  robot(source: string, how: Pick<Scenario, 'base' | 'xacro' | 'roots' | 'concave' | 'srdf'>): Promise<Robot>
  /** A script or a policy. @param limits of a sandbox, if it is to run in one @throws ControllerError */
  controller(file: string, limits?: { readonly patience: number; readonly memory: number }): Promise<Controller>
  /** A mesh. @param stamp changes whenever the bytes do @throws Error whose message says why it cannot be had */
  mesh(file: string): { readonly stamp: string | number; bytes(): Uint8Array }
  /** The lines of a table. @throws Error */
  table(file: string): Promise<readonly Logged[]>
}

/** The scenario with other paths: of robots, which may be names, of controllers and meshes, and of roots; those of its variants too. */
export function mapPaths(
  scenario: Scenario,
  paths: {
    readonly robot: (source: string) => string
    readonly file: (path: string) => string
    readonly folder: (path: string) => string
  },
): Scenario {
  const controller = (choice: ControllerChoice | undefined) => {
    if (choice?.file !== undefined) return { ...choice, file: paths.file(choice.file) }
    const table = tableOf(choice)
    if (choice === undefined || table === undefined) return choice
    const trajectory = { ...(choice.options.trajectory as object), file: paths.file(table) }
    return { ...choice, options: { ...choice.options, trajectory } }
  }
  const shape = <T extends object>(choice: T): T =>
    'file' in choice && typeof choice.file === 'string' ? { ...choice, file: paths.file(choice.file) } : choice
  return {
    ...scenario,
    robots: scenario.robots.map(paths.robot),
    roots: (scenario.roots ?? []).map(paths.folder), // a bundle of an older Featherbed has none
    ...(scenario.srdf !== undefined && { srdf: paths.file(scenario.srdf) }),
    controller: controller(scenario.controller),
    companions: scenario.companions.map((companion) => ({
      ...companion,
      robot: paths.robot(companion.robot),
      controller: controller(companion.controller),
    })),
    bodies: scenario.bodies.map((body) => ({ ...body, shape: shape(body.shape) })),
    obstacles: scenario.obstacles.map((obstacle) => ({ ...obstacle, shape: shape(obstacle.shape) })),
    variants: scenario.variants.map((variant) => ({ ...variant, scenario: mapPaths(variant.scenario, paths) })),
  }
}

/** The file of a built-in controller's waypoints, if it has one. */
const tableOf = (choice: ControllerChoice | undefined): string | undefined =>
  choice?.builtIn === undefined ? undefined : (choice.options.trajectory as { file?: string } | undefined)?.file

export const everyScenario = (scenario: Scenario): Scenario[] => [
  scenario,
  ...scenario.variants.flatMap((variant) => everyScenario(variant.scenario)),
]

/** The choices of scripts in a scenario and its variants. */
export const scriptsOf = (scenario: Scenario): (ControllerChoice & { readonly file: string })[] =>
  everyScenario(scenario).flatMap(({ controller, companions }) =>
    [controller, ...companions.map((companion) => companion.controller)].flatMap((choice) =>
      choice?.file === undefined ? [] : { ...choice, file: choice.file },
    ),
  )

/**
 * The scenario as someone else's, and its variants: scripts run in sandboxes.
 *
 * @param border see `Scenario`
 */
export function withoutTrust(scenario: Scenario, border?: readonly string[]): Scenario {
  const own = (choice: ControllerChoice | undefined) => (choice?.file === undefined ? choice : { ...choice, untrusted: true })
  return {
    ...scenario,
    border,
    controller: own(scenario.controller),
    companions: scenario.companions.map((companion) => ({ ...companion, controller: own(companion.controller) })),
    variants: scenario.variants.map((variant) => ({ ...variant, scenario: withoutTrust(variant.scenario, border) })),
  }
}

/** The robots that a thread has read, by source and base: reading one with large meshes may take longer than a run. */
export type RobotCache = Map<string, Promise<Robot>>

/**
 * Robots and bodies, their starts and the ground below them.
 *
 * @param source one of `subjectsOf(scenario)`
 * @throws SetupError or RobotError
 */
export async function prepareWorld(
  sources: Omit<Sources, 'controller'>,
  scenario: Scenario,
  source: string,
  cache: RobotCache = new Map(),
): Promise<PreparedWorld> {
  const read = async (path: string, base: Scenario['base'], xacro: Scenario['xacro'], srdf?: string) => {
    const { roots, concave, border } = scenario
    const key = JSON.stringify([base, xacro, path, roots, concave, srdf, border])
    const loading = cache.get(key) ?? sources.robot(path, { base, xacro, roots, concave, srdf })
    cache.set(key, loading)
    return amid(await loading, scenario)
  }
  const own =
    source === BODIES_ONLY ? undefined : withMaterials(await read(source, scenario.base, scenario.xacro, scenario.srdf), scenario)
  const file = own && robotFileOf(own, undefined, [...scenario.companions, ...scenario.bodies])
  const groundHeight = scenario.ground && (file?.robot ? groundUnder(file.robot.robot, scenario) : scenario.ground.height)
  const fixtures = [...likeFloor(fixturesOf(scenario, sources, groundHeight), scenario, own), ...besideGround(scenario, own)]
  const { perturb, seed } = scenario
  const members: Member[] = []
  const add = ({ name, robot, field, start, drive, motion, source, fileOf }: Entrant) => {
    // a stream of numbers each: one more body does not change where the others start
    const random = perturb && motion === undefined ? { by: perturb, random: new Random(seed, members.length) } : undefined
    const begin = startOf(robot, start, { field, ground: groundHeight ?? 0, perturb: random, asFile: scenario.asMujoco })
    const still = [...fixtures, ...robot.shapes.filter(({ body }) => body === 0 && robot.selfCollision !== undefined)]
    if (begin.isSetDown && still.some(({ shape }) => shape.type !== 'halfspace')) removePenetration(robot, begin.q, still, field)
    const { q, v, R, p } = begin
    const given = motion && motionFrom(q.slice(), motion)
    given?.pose(0, q)
    // one that is bolted down elsewhere stands there from here on, for its controller too
    members.push({ name, robot: placeRobot(robot, R, p), drive, q, v, motion: given, pose: start.pose, source, fileOf })
  }
  const files: RobotFile[] = []
  const addFile = (file: RobotFile, path: string, field: string, of: DrivenRobot) => {
    files.push(file)
    entrantsOf(file, path, field, of).forEach(add)
    fixtures.push(...(file.still?.shapes ?? []))
  }
  if (file && !file.robot) checkObjects(own!, scenario)
  if (file && !isScenery(own!)) addFile(file, source, 'start', scenario)
  for (const companion of scenario.companions) {
    const { name, robot: path, base, xacro, start } = companion
    const robot = await read(path, base, xacro)
    if (isScenery(robot)) fixtures.push(...sceneryAt(robot, start, `companions.${name}`))
    else addFile(robotFileOf(robot, name, []), path, `companions.${name}`, companion)
  }
  for (const body of scenario.bodies) {
    const { name, motion } = body
    const start = { ...body, joints: {}, jointVelocities: {} }
    add({ name, robot: amid(freeBodyOf(body, sources), scenario), field: `bodies.${name}`, start, drive: undefined, motion })
  }
  if (members.length === 0) throw new SetupError(`${source}: ${nothingMoves}`)
  const { robot } = members[0]
  return {
    ...{ name: own?.name ?? members[0].name!, robot, members, fixtures, groundHeight, scale: scaleOf(members) },
    loops: files.flatMap(({ loops }) => loops),
    excludedCollisions: files.flatMap(({ excludedCollisions }) => excludedCollisions),
  }
}

const nothingMoves =
  'nothing in it moves, so there is nothing to compare; static models are surroundings, to stand among `companions` beside a robot'

/** What a scenario says of the robot of a file. */
type DrivenRobot = Pick<Scenario, 'start' | 'controller'> & Partial<Pick<Scenario, 'payloads' | 'actuators' | 'thrusters'>>

/** Something that is to move, as the scenario states it. */
interface Entrant extends Pick<Member, 'name' | 'robot' | 'drive' | 'source' | 'fileOf'>, Pick<BodyChoice, 'motion'> {
  /** The field that states its start. */
  readonly field: string
  readonly start: Scenario['start']
}

/** The robot of a file, as the scenario drives it, and its objects, which begin where the file or its pose says. */
function entrantsOf({ robot, objects, first }: RobotFile, source: string, field: string, of: DrivenRobot): Entrant[] {
  const { start, controller } = of
  const unmoved = { pose: start.pose, joints: {}, jointVelocities: {} }
  const own = robot && { ...robot, robot: geared(robot.robot, of), start, drive: driveOf(controller, robot.robot) }
  const others = objects.map((object) => ({ ...object, start: unmoved, drive: undefined, fileOf: first }))
  return [...(own ? [own] : []), ...others].map((one) => ({ ...one, source, field }))
}

/** Refuses what a scenario says of a robot where its file holds objects alone. @throws SetupError */
function checkObjects({ name }: Robot, { start, controller }: Scenario): void {
  const { pose: _, joints, jointVelocities, ...place } = start
  const stated = Object.entries({ ...joints, ...jointVelocities, ...place }).find(([, value]) => value !== undefined)
  if (stated)
    throw new SetupError(
      `start: "${name}" holds objects alone, which start where it says or a pose of it; leave ${stated[0]} out`,
    )
  if (controller && controller.builtIn !== 'none')
    throw new SetupError(`controller: "${name}" holds objects alone, and no robot; leave the controller out`)
}

/** The robot with its payloads and additions of its actuators. @throws SetupError */
function geared(robot: Robot, { payloads = [], actuators = [], thrusters = [] }: DrivenRobot): Robot {
  try {
    return withThrusters(withRotors(withPayloads(robot, payloads), actuators), thrusters)
  } catch (error) {
    throw new SetupError((error as Error).message)
  }
}

/**
 * The fixtures, of which the first is the ground if the scenario has one: it takes the place of a floor of the robot's file, with its
 * bits and pairs, and its friction if the scenario's ground states none.
 */
function likeFloor(fixtures: readonly PlacedShape[], { ground }: Scenario, robot: Robot | undefined): readonly PlacedShape[] {
  const floor = robot && floorOf(robot)
  if (ground === undefined || floor === undefined) return fixtures
  const { contype, conaffinity, geomName, geomPairs, link, friction, geom } = floor
  const surface = statesFriction(ground) ? {} : { friction, geom }
  return [{ ...fixtures[0], contype, conaffinity, geomName, geomPairs, link, ...surface }, ...fixtures.slice(1)]
}

/** Whether a surface of a scenario has friction of its own, which overrides that of MuJoCo's geoms. */
const statesFriction = ({ friction, staticFriction, torsionRadius, rollingLength }: Surface) =>
  [friction, staticFriction, torsionRadius, rollingLength].some((x) => x !== undefined)

/** A file of static models alone. */
const isScenery = ({ model, shapes }: Robot) => model.nb === 1 && shapes.length === 0

/** Its shapes where the scenario puts it. */
function sceneryAt(robot: Robot, start: Scenario['start'], field: string): PlacedShape[] {
  const { R = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), p = new Float64Array(3) } = startOf(robot, start, { field, ground: 0 })
  return (robot.surroundings ?? []).map((shape) => {
    const placed = { R: new Float64Array(9), p: new Float64Array(3) }
    mulMatrix3(placed.R, R, shape.R)
    place3(placed.p, R, p, shape.p)
    return { ...shape, ...placed }
  })
}

/** The surroundings in the robot's file, except the floor that a ground replaces. */
const besideGround = ({ ground }: Scenario, robot: Robot | undefined) =>
  (robot?.surroundings ?? []).filter((shape) => ground === undefined || shape !== floorOf(robot!))

/** How far below the lowest point of a robot that is bolted down the default ground lies, where it would reach into it [m]. */
const CLEARANCE = 0.01

/**
 * Height of the ground [m]. Arms are drawn with their base at the origin, and many reach below it at home; in a
 * default ground they would be stuck, whatever the model.
 */
function groundUnder(robot: Robot, scenario: Scenario): number {
  const { ground, start } = scenario
  const { height, isDefault } = ground as NonNullable<Scenario['ground']>
  if (!isDefault || robot.floating || start.position !== undefined || start.rpy !== undefined) return height
  const shapes = robot.shapes.filter(({ body }) => body > 0)
  if (shapes.length === 0) return height
  const { q } = startOf(robot, start, { field: 'start', ground: 0 })
  const lowest = lowestOf({ ...robot, shapes }, q)
  return lowest < height - SMALLEST_OVERLAP ? lowest - CLEARANCE : height
}

/** All that a run needs; loads the controllers, which runs their top levels. @throws SetupError, RobotError or ControllerError */
export async function prepare(sources: Sources, scenario: Scenario, source: string, cache?: RobotCache): Promise<Prepared> {
  return withControllers(sources, scenario, await prepareWorld(sources, scenario, source, cache))
}

/** Loads scripts, which runs their top levels. @throws ControllerError */
export async function withControllers(sources: Sources, scenario: Scenario, prepared: PreparedWorld): Promise<Prepared> {
  const controllers: (PreparedController | undefined)[] = []
  for (const { robot, drive } of prepared.members) controllers.push(drive && (await loadDrive(sources, scenario, robot, drive)))
  return { ...prepared, controllers }
}

async function loadDrive(
  sources: Sources,
  { seed, duration, patience, memory }: Scenario,
  robot: Robot,
  { choice, name }: Drive,
): Promise<PreparedController> {
  if (choice === undefined) return { name, controller: defaultControllerFor(robot), options: {} }
  const { builtIn, file, untrusted, rate, options } = choice
  if (builtIn !== undefined)
    return { name, controller: createBuiltIn(builtIn, await withTable(sources, choice, robot), duration), rate, options }
  const limits = untrusted ? { patience, memory: 1e9 * memory } : undefined
  const controller = await sources.controller(file as string, limits)
  return { name, controller, rate, options: { seed, ...(materialize(options) as object) } }
}

/** A built-in's options, with the waypoints of a table read, or those of a robot's log. @throws ScenarioError, SetupError */
async function withTable(
  sources: Pick<Sources, 'table'>,
  choice: ControllerChoice,
  { name, joints }: Robot,
): Promise<ControllerChoice['options']> {
  const file = tableOf(choice)
  if (file === undefined) return choice.options
  const known = joints.map((joint) => joint.name)
  const waypoints = (await sources.table(file)).map(({ values: { t, ...positions }, where }) => {
    if (typeof t !== 'number') throw new SetupError(`${where}: states no time; a column t holds seconds`)
    const own = isLog(file) ? Object.entries(positions).filter(([joint]) => known.includes(joint)) : Object.entries(positions)
    for (const [joint, value] of own) {
      if (!known.includes(joint))
        throw new SetupError(
          `${where}: "${name}" has no moving joint "${joint}"; it has ${namesOf(known)}${didYouMean(joint, known)}`,
        )
      if (typeof value !== 'number') throw new SetupError(`${where}: ${joint} is "${value}", no number`)
    }
    return { t, joints: Object.fromEntries(own) }
  })
  return { ...choice.options, trajectory: { ...(choice.options.trajectory as object), waypoints } }
}

/** Whether a table is a log of a whole robot, some of whose joints a model may lack. */
const isLog = (file: string) => /\.mcap$/i.test(file)

/** How the joints of robots and of the logs that they follow differ, a line a robot. @throws ScenarioError */
export async function logNotes(sources: Pick<Sources, 'table'>, { members }: PreparedWorld): Promise<string[]> {
  const notes: string[] = []
  for (const { robot, drive } of members) {
    const file = tableOf(drive?.choice)
    if (file === undefined || !isLog(file)) continue
    const cases = await sources.table(file)
    const told = unmatched(new Set(cases.flatMap(({ values }) => Object.keys(values))), robot)
    if (told !== '') notes.push(`${nameOf(file)}: ${told}`)
  }
  return notes
}

/** The last part of a path, under any system. */
const nameOf = (path: string) => path.replace(/^.*[\\/]/, '')

/** The name of a robot's controller, without loading it. */
function driveOf(choice: ControllerChoice | undefined, robot: Robot): Drive {
  if (choice !== undefined) return { choice, name: choice.builtIn ?? nameOf(choice.file as string), why: '' }
  const why = 'the default for this robot'
  const own = ownNameOf(robot)
  if (own === 'diffdrive') return { choice, name: 'unicycle on a figure eight', why }
  if (own === 'humanoid') return { choice, name: 'drive-and-wave', why }
  if (own === 'quadruped') return { choice, name: 'trot', why }
  if (robot.actuators?.some(({ bias }) => bias.some((x) => x !== 0)))
    return { choice: { builtIn: 'none', options: {} }, name: 'none', why: 'the servos of its file' }
  return { choice, name: 'hold', why }
}

/**
 * The world, and the controller loop of each of its robots; `loop` is that of the robot that is compared. @unchecked
 *
 * @param rateStep the step to whole ones of which the controllers' periods are rounded [s], a multiple of dt; default: dt
 */
export function createWorld(
  stated: Scenario,
  prepared: Prepared,
  { name, options }: ModelChoice,
  dt: number,
  heartbeat?: Int32Array,
  rateStep?: number,
): { world: World; loop: ControllerLoop | undefined; loops: readonly (ControllerLoop | undefined)[] } {
  const { scenario, prepared: own } = stated.vary ? varied(stated, prepared, stated.vary) : { scenario: stated, prepared }
  const { members, fixtures, controllers, loops: fileLoops, excludedCollisions, outside } = own
  const { actuators = [] } = scenario // a bundle of an older Featherbed has none
  const loops = controllers.map((driver, i) => {
    if (driver === undefined) return undefined
    const { controller, name, options, delay = 0, gain = 1 } = driver
    const rate = rateStep === undefined ? driver.rate : 1 / controllerPeriod(driver, rateStep)
    const { robot } = members[i]
    const isCompared = i === 0
    const sensors = isCompared ? sensorsOf(scenario) : undefined
    const isHeld = name === 'none' && robot.actuators !== undefined
    const { ctrl, act } = (isHeld && keyOf(robot, members[i].pose)) || {}
    const driving = isHeld ? held(robot, ctrl) : controller
    const loop = createControllerLoop(driving, robot, { name, options, rate, heartbeat, sensors, act, seed: scenario.seed })
    const late = delay > 0 ? delayed(loop, delay) : loop
    const strong = gain === 1 ? late : scaled(late, gain)
    return isCompared && actuators.length > 0 ? actuated(strong, robot, actuators) : strong
  })
  const { physical, integrator, ccd, stepBudget, combine, selfCollision, loops: closed, pushes, localLaws = [] } = scenario
  const world = new World({
    robots: members.map(({ name, fileOf, robot, q, v, motion }, i) => ({
      ...{ name, fileOf, robot, q, v, motion, controller: loops[i] },
      springSets: keyOf(robot, members[i].pose)?.springSets,
    })),
    loops: [...closed, ...fileLoops],
    excludedCollisions,
    pushes,
    fixtures,
    ...(outside ? { contactModel: outside.create } : { contactModel: name, contactOptions: options }),
    physical,
    materials: combine,
    localLaws,
    selfCollision,
    dt,
    integrator,
    ccd: ccd !== false,
    stepBudget,
  })
  if (outside && localLaws.some(isEffective))
    throw new SetupError('localLaws are of our contact models, and an outside engine has none; leave them out, or without effect')
  const motions = members.map(({ motion }) => motion)
  outside?.attach(world, motions, loops[0] instanceof Motors ? loops[0].inputs : undefined)
  return { world, loop: loops[0], loops }
}

/** A controller that gives the file's actuators the same inputs always, where none are stated zeros. */
const held = ({ controls = [] }: Robot, stated: readonly number[] = []): Controller => {
  const ctrl = Float64Array.from(controls, (_, k) => stated[k] ?? 0)
  return { output: 'ctrl', init: () => undefined, update: () => ctrl }
}

/** The keyframe that the robot starts from. */
const keyOf = ({ poses }: Robot, pose: string | undefined) =>
  poses.find(({ name, group }) => pose === name || pose === `${group}/${name}`)

type Turned = { readonly rpy?: [number, number, number] }
type Fan = { readonly from?: number; readonly to?: number; readonly count?: number }

/** Of the compared robot, by name; undefined where there are none. */
function sensorsOf({ sensors = [] }: Scenario): Record<string, SensorOptions> | undefined {
  if (sensors.length === 0) return undefined
  return Object.fromEntries(
    sensors.map(({ name, ...stated }) => {
      const { rpy, from = 0, to = 0, count, ...own } = stated as typeof stated & Turned & Fan
      const fan = count !== undefined && { directions: fanOf({ from, to, count }) }
      return [name, { ...own, ...(rpy && { rotation: rotationOfRpy(rpy) }), ...fan } as SensorOptions]
    }),
  )
}

/** Unit vectors in the sensor's x-y plane, at equal angles. */
function fanOf({ from, to, count }: { from: number; to: number; count: number }): Float64Array {
  const directions = new Float64Array(3 * count)
  for (let i = 0; i < count; i++) {
    const angle = from + (count > 1 ? (i * (to - from)) / (count - 1) : 0)
    directions[3 * i] = cos(angle)
    directions[3 * i + 1] = sin(angle)
  }
  return directions
}

/** Period of a controller at a step [s]. */
export const controllerPeriod = ({ rate, controller }: PreparedController, dt: number): number =>
  stepsPerTick(rate ?? controller.rate ?? DEFAULT_RATE, dt) * dt

/** A world without controllers. @throws SetupError if a contact model or the world refuses it */
function worldAtRest(scenario: Scenario, prepared: PreparedWorld, model: ModelChoice): World {
  try {
    return createWorld(scenario, { ...prepared, controllers: prepared.members.map(() => undefined) }, model, scenario.dt[0]).world
  } catch (error) {
    if (error instanceof LoopError) throw new SetupError(error.problems.map((problem) => `loops: ${problem}`).join('\n'))
    const { name, message } = error as Error
    if (!(error instanceof RangeError || name === 'GeometryError')) throw error
    throw new SetupError(message.replace(/^/gm, `models: ${model.name}: `))
  }
}

/**
 * Builds every contact model once, so that options that models do not know end the command before anything runs. @unchecked
 *
 * @returns overlaps at the start, deepest first; no contact model can make that good
 * @throws SetupError with refusals of each model or the world
 */
export function checkWorlds(scenario: Scenario, prepared: PreparedWorld): readonly Overlap[] {
  const problems = new Set<string>()
  let world: World | undefined
  for (const model of scenario.models.filter(({ name }) => !isOutside(name))) {
    try {
      const made = worldAtRest(scenario, prepared, model)
      world ??= made
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
      problems.add(error.message)
    }
  }
  if (world === undefined || problems.size > 0) throw new SetupError([...problems].join('\n'))
  checkMeasures(world, scenario.measure)
  const meter = new PenetrationMeter(world)
  meter.measure(placesAt(world.robot, world.state.q))
  return meter.overlaps()
}

/** Under the scenario's gravity, and in its medium. */
function amid(robot: Robot, { gravity, medium }: Scenario): Robot {
  const under = gravity && { ...robot, model: { ...robot.model, gravity: Float64Array.of(0, 0, 0, ...gravity) } }
  return inMedium(under ?? robot, medium)
}

function freeBodyOf(body: BodyChoice, sources: Pick<Sources, 'mesh'>): Robot {
  const { name, shape, mass, density, centerOfMass, inertia } = body
  const where = `bodies: "${name}"`
  try {
    const options = { name, shape: solidOf(shape, where, sources), ...placedSurface(body) }
    return body.motion ? createPrescribedBody(options) : createFreeBody({ ...options, mass, density, centerOfMass, inertia })
  } catch (error) {
    if (error instanceof RangeError || (error as Error).name === 'GeometryError')
      throw new SetupError(`${where}: ${(error as Error).message}`)
    throw error
  }
}

/** The motion that a scenario states for a body which starts at q. */
function motionFrom(q: Float64Array, { position, rpy, surface }: NonNullable<BodyChoice['motion']>): PrescribedMotion {
  const at = position?.map(evaluator)
  const turned = rpy?.map(evaluator)
  const speed = surface?.map(evaluator)
  const angles: [number, number, number] = [0, 0, 0]
  const turn = new Float64Array(4)
  return {
    pose(t, out) {
      out.set(q)
      if (at) for (let k = 0; k < 3; k++) out[k] += at[k](t)
      if (!turned) return
      for (let k = 0; k < 3; k++) angles[k] = turned[k](t)
      quaternionOfRotation(turn, 0, rotationOfRpy(angles))
      mulQuaternion(out, 3, turn, 0, q, 3)
      normalizeQuaternion(out, 3)
    },
    surface:
      speed &&
      ((t, out) => {
        for (let k = 0; k < 3; k++) out[k] = speed[k](t)
      }),
  }
}

function withMaterials(robot: Robot, { materials }: Scenario): Robot {
  const links = robot.shapes.map(({ link }) => link)
  for (const link of Object.keys(materials)) {
    if (!links.includes(link))
      throw new SetupError(
        `materials.${link}: "${robot.name}" has no link "${link}" with a collision shape; it has ${namesOf(links)}${didYouMean(link, links)}`,
      )
  }
  if (Object.keys(materials).length === 0) return robot
  const shapes = robot.shapes.map((shape) => {
    if (!Object.hasOwn(materials, shape.link)) return shape
    const stated = materials[shape.link]
    const R = robot.frames.find(({ name }) => name === shape.link)?.R
    return {
      ...shape,
      ...(statesFriction(stated) && { geom: undefined }),
      ...placedSurface(stated, R && betweenAxes(R, shape.R)),
    }
  })
  return { ...robot, shapes }
}

/** Sᵀ R, which turns the axes of R into those of S, both within one body. */
function betweenAxes(R: Float64Array, S: Float64Array): Float64Array {
  const out = new Float64Array(9)
  mulMatrix3(out, Float64Array.of(S[0], S[3], S[6], S[1], S[4], S[7], S[2], S[5], S[8]), R)
  return out
}

function scaleOf(members: readonly Member[]): RobotScale {
  const sizes = members.map(({ robot, q }) => sizeOf(robot, q))
  const weight = members.reduce((sum, { robot: { model } }) => sum + massAndWeight(model).weight, 0)
  return { size: sizes[0], weight, others: sizes.slice(1) }
}
