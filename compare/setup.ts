/** From a scenario to a world: the robot, its surroundings, its start, its controller. */
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { lowestPoint, type PlacedShape, supportPoint } from '../contact/geometry/index.ts'
import { loadController } from '../control/files.ts'
import { type Controller, type ControllerLoop, createControllerLoop, defaultControllerFor } from '../control/index.ts'
import { cos, createData, createState, kinematics, mulMatrix3, rotateTransposed3, sin } from '../dynamics/index.ts'
import { isOwnRobot, loadOwnRobot, loadRobotFile } from '../robots/files.ts'
import type { Robot } from '../robots/index.ts'
import { World } from '../simulation/index.ts'
import { createBuiltIn } from './controllers.ts'
import { PenetrationMeter } from './penetration.ts'
import type { RobotScale } from './reference.ts'
import { type ModelChoice, materialize, type Scenario } from './scenario.ts'

/** What a run needs besides its model and its step. */
export interface Prepared {
  readonly robot: Robot
  readonly fixtures: readonly PlacedShape[]
  readonly q: Float64Array
  readonly v: Float64Array
  readonly scale: RobotScale
  readonly controller: PreparedController
}

export interface PreparedController {
  readonly name: string
  readonly controller: Controller
  readonly options: Readonly<Record<string, unknown>>
  /** Why this one, if nobody chose it. */
  readonly why: string
}

/** A scenario that asks for something that its robot does not have. */
export class SetupError extends Error {
  override name = 'SetupError'
}

/** A robot by path, or by name if it is one of our own, with what xacro is given for its arguments. */
export async function loadRobotBySource(
  source: string,
  base?: 'floating' | 'fixed',
  xacroArgs: Readonly<Record<string, string>> = {},
): Promise<Robot> {
  return isOwnRobot(source) ? loadOwnRobot(source, { base }) : loadRobotFile(source, { base, xacroArgs })
}

/** Paths in a scenario file are relative to that file; names of our own robots stay names. */
export function resolveBeside(file: string | undefined, source: string): string {
  if (file === undefined || isAbsolute(source) || isOwnRobot(source)) return source
  return resolve(dirname(file), source)
}

/** The robots that a thread has read, by source and base: reading one with large meshes may take longer than a run. */
export type RobotCache = Map<string, Promise<Robot>>

/** The robot, where it starts and what it stands on. @throws SetupError or RobotError */
export async function prepareRobot(
  scenario: Scenario,
  source: string,
  cache: RobotCache = new Map(),
): Promise<Omit<Prepared, 'controller'>> {
  const { base, xacro } = scenario
  const key = JSON.stringify([base, xacro, source])
  const loading = cache.get(key) ?? loadRobotBySource(source, base, xacro)
  cache.set(key, loading)
  const robot = withMaterials(await loading, scenario)
  const { q, v } = startOf(scenario, robot)
  return { robot, fixtures: fixturesOf(scenario), q, v, scale: scaleOf(robot, q) }
}

/** All that a run needs; loads the controller, which runs its top level. @throws SetupError, RobotError or ControllerError */
export async function prepare(scenario: Scenario, source: string): Promise<Prepared> {
  const prepared = await prepareRobot(scenario, source)
  return { ...prepared, controller: await prepareController(scenario, prepared.robot) }
}

export function createWorld(
  scenario: Scenario,
  { robot, fixtures, q, v, controller }: Prepared,
  { name, options }: ModelChoice,
  dt: number,
  heartbeat?: Int32Array,
): { world: World; loop: ControllerLoop } {
  const loop = createControllerLoop(controller.controller, robot, {
    name: controller.name,
    options: controller.options,
    heartbeat,
  })
  const { physical, integrator, combine } = scenario
  const world = new World({
    robot,
    fixtures,
    contactModel: name,
    contactOptions: options,
    physical,
    materials: combine,
    dt,
    integrator,
    controller: loop,
    q,
    v,
  })
  return { world, loop }
}

/** Builds every contact model once, so that an option that a model does not know ends the command before anything runs. */
export function checkModels(scenario: Scenario, prepared: Omit<Prepared, 'controller'>): void {
  const controller = { name: 'none', why: '', controller: createBuiltIn('none', {}, scenario.duration), options: {} }
  for (const model of scenario.models) {
    try {
      createWorld(scenario, { ...prepared, controller }, model, scenario.dt[0])
    } catch (error) {
      if (error instanceof RangeError) throw new SetupError(`models: ${error.message}`)
      throw error
    }
  }
}

/** How deep the robot stands in its surroundings before the first step [m]. */
export function startPenetration({ robot, fixtures, q }: Omit<Prepared, 'controller'>): number {
  const meter = new PenetrationMeter(robot.shapes, fixtures)
  meter.measure(placesAt(robot, q))
  return meter.deepest[0]
}

function withMaterials(robot: Robot, { materials }: Scenario): Robot {
  const links = robot.shapes.map(({ link }) => link)
  for (const link of Object.keys(materials)) {
    if (!links.includes(link))
      throw new SetupError(
        `materials.${link}: "${robot.name}" has no link "${link}" with a collision shape; it has ${listed(links)}`,
      )
  }
  const shapes = robot.shapes.map((shape) =>
    Object.hasOwn(materials, shape.link) ? { ...shape, ...materials[shape.link] } : shape,
  )
  return { ...robot, shapes }
}

/** The ground and the boxes of a scenario. */
export function fixturesOf({ ground, boxes }: Scenario): PlacedShape[] {
  const R = () => new Float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1])
  const fixtures: PlacedShape[] = boxes.map(({ name, size, position, rpy, ...surface }) => ({
    name,
    body: 0,
    shape: { type: 'box', size },
    R: rotationOfRpy(rpy),
    p: Float64Array.from(position),
    ...surface,
  }))
  if (ground) {
    const { height, ...surface } = ground
    fixtures.unshift({
      name: 'ground',
      body: 0,
      shape: { type: 'halfspace', normal: [0, 0, 1], offset: height },
      R: R(),
      p: new Float64Array(3),
      ...surface,
    })
  }
  return fixtures
}

/** Roll, pitch, yaw about fixed axes, as in URDF: Rz(yaw) Ry(pitch) Rx(roll), row-major. */
export function rotationOfRpy([roll, pitch, yaw]: readonly [number, number, number]): Float64Array {
  const [cr, sr, cp, sp, cy, sy] = [cos(roll), sin(roll), cos(pitch), sin(pitch), cos(yaw), sin(yaw)]
  const R = new Float64Array(9)
  const Rzy = Float64Array.from([cy * cp, -sy, cy * sp, sy * cp, cy, sy * sp, -sp, 0, cp])
  mulMatrix3(R, Rzy, Float64Array.from([1, 0, 0, 0, cr, -sr, 0, sr, cr]))
  return R
}

/** Home, with what the scenario states put in; a floating base whose place is not stated is set on the ground. */
function startOf({ start, ground }: Scenario, robot: Robot): { q: Float64Array; v: Float64Array } {
  const q = robot.home.slice()
  const v = new Float64Array(robot.model.nv)
  const names = robot.joints.map(({ name }) => name)
  const jointNamed = (field: string, name: string) => {
    const joint = robot.joints[names.indexOf(name)]
    if (joint === undefined)
      throw new SetupError(`start.${field}.${name}: "${robot.name}" has no moving joint "${name}"; it has ${listed(names)}`)
    return joint
  }
  for (const [name, value] of Object.entries(start.joints)) q[jointNamed('joints', name).qIndex] = value
  for (const [name, value] of Object.entries(start.jointVelocities)) v[jointNamed('jointVelocities', name).vIndex] = value

  const { position, rpy, linearVelocity, angularVelocity } = start
  const stated = Object.entries({ position, rpy, linearVelocity, angularVelocity }).find(([, value]) => value !== undefined)
  if (!robot.floating) {
    if (stated)
      throw new SetupError(`start.${stated[0]}: the base of "${robot.name}" is fixed; set base: floating, or leave it out`)
    return { q, v }
  }
  if (position) q.set(position)
  if (rpy) quaternionOfRpy(q, rpy)
  if (!position) q[2] += (ground?.height ?? 0) - lowestOf(robot, q)
  if (linearVelocity || angularVelocity) {
    const R = rotationOfRpy(rpy ?? [0, 0, 0])
    if (!rpy) rotationOfBase(robot, q, R)
    rotateTransposed3(v.subarray(0, 3), R, Float64Array.from(angularVelocity ?? [0, 0, 0]))
    rotateTransposed3(v.subarray(3, 6), R, Float64Array.from(linearVelocity ?? [0, 0, 0]))
  }
  return { q, v }
}

function quaternionOfRpy(q: Float64Array, [roll, pitch, yaw]: readonly [number, number, number]): void {
  const [cr, sr, cp, sp, cy, sy] = [cos(roll / 2), sin(roll / 2), cos(pitch / 2), sin(pitch / 2), cos(yaw / 2), sin(yaw / 2)]
  q[3] = sr * cp * cy - cr * sp * sy
  q[4] = cr * sp * cy + sr * cp * sy
  q[5] = cr * cp * sy - sr * sp * cy
  q[6] = cr * cp * cy + sr * sp * sy
}

function placesAt(robot: Robot, q: Float64Array) {
  const state = createState(robot.model)
  state.q.set(q)
  const data = createData(robot.model)
  kinematics(robot.model, state, data)
  return data
}

function rotationOfBase(robot: Robot, q: Float64Array, out: Float64Array): void {
  out.set(placesAt(robot, q).R_WB[1])
}

/** Every shape's place in the world at q, as [R, p]. */
function placedShapes(robot: Robot, q: Float64Array) {
  const { R_WB, p_WB } = placesAt(robot, q)
  return robot.shapes.map(({ shape, body, R, p }) => {
    const RW = new Float64Array(9)
    mulMatrix3(RW, R_WB[body], R)
    const B = R_WB[body]
    const pW = Float64Array.from([0, 1, 2], (i) => p_WB[body][i] + B[3 * i] * p[0] + B[3 * i + 1] * p[1] + B[3 * i + 2] * p[2])
    return { shape, R: RW, p: pW }
  })
}

/** Height of the lowest collision point, or of the base where the robot has no shapes [m]. */
function lowestOf(robot: Robot, q: Float64Array): number {
  if (robot.shapes.length === 0) return q[2]
  const point = new Float64Array(3)
  let lowest = Infinity
  for (const { shape, R, p } of placedShapes(robot, q)) {
    lowestPoint(shape, R, p, point)
    lowest = Math.min(lowest, point[2])
  }
  return lowest
}

function scaleOf(robot: Robot, q: Float64Array): RobotScale {
  const { model } = robot
  const [low, high] = [new Float64Array(3).fill(Infinity), new Float64Array(3).fill(-Infinity)]
  const widen = (point: Float64Array) => {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], point[k])
      high[k] = Math.max(high[k], point[k])
    }
  }
  const point = new Float64Array(3)
  for (const { shape, R, p } of placedShapes(robot, q)) {
    for (let k = 0; k < 6; k++) {
      const direction = new Float64Array(3)
      direction[k % 3] = k < 3 ? 1 : -1
      supportPoint(shape, R, p, direction, point)
      widen(point)
    }
  }
  placesAt(robot, q).p_WB.slice(1).forEach(widen)
  let mass = 0
  for (let i = 1; i < model.nb; i++) mass += model.I[i][0]
  const size = Math.max(0.01, Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]))
  return { size, weight: mass * Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5]) }
}

/** Loads a script, which runs its top level. @throws ControllerError */
export async function prepareController(scenario: Scenario, robot: Robot): Promise<PreparedController> {
  const { controller, seed, duration } = scenario
  const { name, why } = controllerName(scenario, robot)
  if (controller === undefined) return { name, why, controller: defaultControllerFor(robot), options: {} }
  const { builtIn, file, options } = controller
  if (builtIn !== undefined) return { name, why, controller: createBuiltIn(builtIn, options, duration), options }
  return { name, why, controller: await loadController(file as string), options: { seed, ...(materialize(options) as object) } }
}

/** What a robot's controller will be called, without loading it: a script's top level may do anything. */
export function controllerName({ controller }: Scenario, robot: Robot): { name: string; why: string } {
  if (controller !== undefined) return { name: controller.builtIn ?? basename(controller.file as string), why: '' }
  const why = 'the default for this robot'
  if (robot.name === 'diffdrive') return { name: 'unicycle on a figure eight', why }
  if (robot.name === 'humanoid') return { name: 'drive-and-wave', why }
  return { name: 'hold', why }
}

function listed(names: readonly string[]): string {
  const unique = [...new Set(names)]
  return unique.length > 12 ? `${unique.slice(0, 12).join(', ')} and ${unique.length - 12} more` : unique.join(', ') || 'none'
}
