import { boundingRadius, type PlacedShape } from '../contact/geometry/index.ts'
import {
  Adhesion,
  type CollisionPairs,
  type ContactModel,
  type ContactModelContext,
  contactModelNamed,
  contactModels,
  createLocalLaw,
  type DetectorOptions,
  defaultPhysicalInputs,
  isEffective,
  type LoopClosure,
  type PhysicalInputs,
  RunningSurfaces,
  rigidGroups,
} from '../contact/index.ts'
import { createState, type Model, quaternionStart, type State } from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import {
  type CollisionShape,
  combineRobots,
  type PartStarts,
  type Robot,
  type RobotPart,
  shapePairsOf,
  startsOf,
} from '../robots/index.ts'
import type { EffortSource } from './effortSource.ts'
import { createGround } from './ground.ts'
import { Pushes } from './loads/pushes.ts'
import { LoopSwitches } from './loops/loopSwitches.ts'
import { closeLoops, isSwitched } from './loops/loops.ts'
import { PrescribedBodies } from './prescribedMotion.ts'
import { WorldError } from './simulationError.ts'
import type { WorldOptions, WorldRobot } from './worldOptions.ts'

/* The parts of a world, from its options. */

/** Share of the size of the smallest free body that may penetrate, where that is less than the default. */
const SHARE = 1 / 60

/** `defaultPhysicalInputs`, but that no more may penetrate than a sixtieth of the size of the smallest free body. @unchecked */
export function defaultPhysical(members: readonly Pick<WorldRobot, 'robot' | 'motion'>[]): PhysicalInputs {
  const sizes = members.flatMap(({ robot: { model, shapes, floating }, motion }) => {
    const radii = shapes.filter(({ body }) => body > 0).map(({ shape, R, p }) => boundingRadius(shape, R, p))
    if (motion !== undefined || !floating || model.nb > 2 || radii.length === 0) return []
    // what touches may be points of a larger body
    const [m, , , , xx, yy, zz] = model.I[1]
    return [2 * Math.max(Math.sqrt((0.5 * (xx + yy + zz)) / m), ...radii)]
  })
  const { allowedPenetration: most } = defaultPhysicalInputs
  return { ...defaultPhysicalInputs, allowedPenetration: Math.min(most, ...sizes.map((size) => SHARE * size)) }
}

/** One of the robots of a world, and its part of the whole. */
export interface RobotInWorld {
  /** Unique in the world. */
  readonly name: string
  readonly robot: Robot
  readonly controller: EffortSource | undefined
  /** Views of its entries of the world's state and efforts. */
  readonly state: State
  readonly tau: Float64Array
  /** First indices of its bodies (without the world), coordinates, velocities and `Robot.shapes` among those of the whole. */
  readonly start: PartStarts
}

/** Converts errors of dynamics, contact and geometry to WorldError. */
export function refused(options: WorldOptions | undefined, error: unknown): Error {
  const { robot, robots } = options ?? ({} as Partial<WorldOptions>)
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  if (['LoopError', 'ControllerError', 'WorldError'].includes(name)) return error as Error
  if (error instanceof RangeError || name === 'GeometryError') return new WorldError(message, error)
  const names = robots?.map((member) => member?.name ?? member?.robot?.name) ?? [robot?.name]
  return new WorldError(
    `no world can be made of ${names.join(', ')}: ${message}. Check the options, and the robot's masses and shapes with featherbed inspect`,
    error,
  )
}

/** All robots and free bodies combined, with their loops and pushes. */
interface Mechanism {
  readonly members: readonly (WorldRobot & RobotPart)[]
  readonly robot: Robot
  readonly state: State
  readonly tau: Float64Array
  readonly robots: readonly RobotInWorld[]
  /** Bodies of prescribed motion. */
  readonly prescribed: PrescribedBodies
  readonly loops: readonly LoopClosure[]
  /** Those that are on at times only; undefined if there is none. */
  readonly switches: LoopSwitches | undefined
  readonly pushes: Pushes
}

export function mechanismOf(options: WorldOptions): Mechanism {
  const members = namedRobots(options)
  const names = members.map(({ name }) => name)
  const robot = combineRobots(names.join(' and '), members)
  const state = createState(robot.model)
  const tau = new Float64Array(robot.model.nv)
  const robots = members.map((member, i) => robotInWorld(member, startsOf(members, i), state, tau))
  members.forEach((member, i) => {
    setStart(robots[i], member)
  })
  const prescribed = new PrescribedBodies(robot.model, robots, members)
  prescribed.start(options.dt)
  const { loops: stated = [] } = options
  const closed = closeLoops(robot, names, stated, state)
  const switches = stated.some(isSwitched) ? new LoopSwitches(robot, names, closed, stated) : undefined
  const loops = switches?.loops ?? closed
  const pushes = new Pushes(robot, names, options.pushes ?? [])
  let tendons = 0
  for (const { robot, springSets = [] } of members) {
    pushes.elements?.set.set(springSets, tendons)
    tendons += robot.model.tendons?.length ?? 0
  }
  for (const { name, bodyA, bodyB } of loops) for (const body of [bodyA, bodyB]) prescribed.checkFree(body, `loop "${name}"`)
  for (const { name, body } of pushes.acting.list) prescribed.checkFree(body, `push "${name}"`)
  return { members, robot, state, tau, robots, prescribed, loops, switches, pushes }
}

/** The robots of the options, each with a unique name. */
function namedRobots({ robot, robots, controller, q, v }: WorldOptions): (WorldRobot & RobotPart)[] {
  if ((robot === undefined) === (robots === undefined)) {
    throw new RangeError('a world has either one robot or a list of robots; give one of the two options')
  }
  const members = robots ?? [{ robot: robot as Robot, controller, q, v }]
  if (members.length === 0) throw new RangeError('robots is empty; a world holds at least one robot or free body')
  const taken = new Set(members.flatMap(({ name }) => (name === undefined ? [] : [name])))
  return members.map((member) => {
    let { name } = member
    if (name === undefined) {
      name = member.robot.name
      for (let n = 2; taken.has(name); n++) name = `${member.robot.name}-${n}`
      taken.add(name)
    }
    return { ...member, name }
  })
}

function robotInWorld(
  { name, robot, controller }: WorldRobot & RobotPart,
  start: PartStarts,
  whole: State,
  tau: Float64Array,
): RobotInWorld {
  const { nq, nv } = robot.model
  const state = {
    q: whole.q.subarray(start.q, start.q + nq),
    v: whole.v.subarray(start.v, start.v + nv),
    t: whole.t,
  }
  return { name, robot, controller, state, tau: tau.subarray(start.v, start.v + nv), start }
}

/** The shapes for detection, and the pairs that may touch. */
export function detectionOf(
  options: WorldOptions,
  robot: Robot,
  members: readonly (WorldRobot & RobotPart)[],
  moving: readonly CollisionShape[],
  loops: readonly LoopClosure[],
  prescribed: PrescribedBodies,
): { shapes: readonly CollisionShape[]; rules: DetectorOptions } {
  const { selfCollision = 'file', excludedCollisions = [], allowHomeOverlaps = true, fixtures = [createGround()] } = options
  const materials = { ...options.materials, geomFriction: options.physical?.friction }
  const stated = (options.localLaws ?? []).map((one) => ({ law: createLocalLaw(one), isEffective: isEffective(one) }))
  const acting = stated.flatMap((one) => (one.isEffective ? [one.law] : []))
  const laws = acting.length > 0 ? acting : undefined
  const limits = { materials, maxPoints: options.maxPointsPerPair, laws }
  const own = members.map((member) => (selfCollision === 'file' ? member.robot.selfCollision : undefined))
  const chosen = own.map((rule) => rule ?? (selfCollision === 'file' ? 'none' : selfCollision))
  for (const link of excludedCollisions.flat()) {
    if ([...robot.shapes, ...fixtures].some((shape) => shape.link === link)) continue
    const known = [...new Set(robot.shapes.map((shape) => shape.link))].join(', ')
    throw new RangeError(`excludedCollisions names "${link}"; the links of ${robot.name} with collision shapes are ${known}`)
  }
  if (chosen.every((rule) => rule === 'none') && members.length === 1 && !robot.shapes.some(({ geomPairs }) => geomPairs)) {
    const fromWorld = robot.disabledCollisions.filter((pair) => pair.includes('world'))
    return { shapes: moving, rules: { ...limits, excluded: shapePairsOf(fromWorld, [...moving, ...fixtures]) } }
  }
  const shapes = [...moving, ...robot.shapes.filter(({ body }) => body === 0)]
  const owner = new Map(members.flatMap(({ robot }, i) => robot.shapes.map(() => i)).map((i, k) => [robot.shapes[k], i]))
  const robotOf = Int32Array.from(shapes, (shape) => owner.get(shape)!)
  const names = members.map(({ name, fileOf = name }) => [name, fileOf])
  const fileOf = robotOf.map((i) => names.findIndex(([name]) => name === names[i][1]))
  // by its file, only what the file excludes
  const byFile = new Set(shapes.filter((_, k) => own[robotOf[k]] !== undefined).map(({ link }) => link))
  const overlaps = allowHomeOverlaps ? robot.overlaps.filter(([link]) => !byFile.has(link)) : []
  const joined = selfCollision === 'all' ? [] : shapesThatLoopsJoin(robot.model, loops, shapes, byFile)
  const links = [...robot.disabledCollisions, ...excludedCollisions, ...overlaps]
  return {
    shapes,
    rules: {
      ...limits,
      selfCollision: chosen,
      robotOf,
      fileOf,
      excluded: [...shapePairsOf(links, [...shapes, ...fixtures]), ...joined, ...prescribed.pairsWith([...shapes, ...fixtures])],
    },
  }
}

/** What of the surfaces changes from step to step. */
export const surfacesOf = (pairs: CollisionPairs, shapes: readonly PlacedShape[], { model, actuators = [] }: Robot) => ({
  surfaces: RunningSurfaces.of(pairs, shapes),
  adhesion: Adhesion.of(
    pairs,
    shapes,
    model.nb,
    actuators.some(({ attracts }) => attracts !== undefined),
  ),
})

/** Pairs of shapes on bodies connected by a loop that is always on, by their names; none for a loop with the world as an end, and for two of the links `except`. */
function shapesThatLoopsJoin(
  model: Model,
  loops: readonly LoopClosure[],
  shapes: readonly CollisionShape[],
  except: ReadonlySet<string>,
) {
  const rigid = rigidGroups(model)
  const on = (body: number) => shapes.filter((shape) => rigid[shape.body] === rigid[body])
  const between = loops.filter(({ bodyA, bodyB, switch: own }) => !own && rigid[bodyA] !== rigid[0] && rigid[bodyB] !== rigid[0])
  const pairs = between.flatMap(({ bodyA, bodyB }) => on(bodyA).flatMap((a) => on(bodyB).map((b) => [a, b] as const)))
  return pairs.filter(([a, b]) => !(except.has(a.link) && except.has(b.link))).map(([a, b]) => [a.name, b.name] as const)
}

export function createContactModel(options: WorldOptions, context: ContactModelContext): ContactModel {
  const { contactModel: name, contactOptions } = options
  if (typeof name === 'function') {
    const model = name(context, contactOptions)
    is.check(model, is.made('a contact model', 'advance', 'solvers'), 'what contactModel returned')
    return model
  }
  return contactModels[contactModelNamed(name)](context, contactOptions as never)
}

/** Removes undefined fields, so that they do not override defaults. */
export function withoutUndefined(physical: Partial<PhysicalInputs> = {}): Partial<PhysicalInputs> {
  return Object.fromEntries(Object.entries(physical).filter(([, value]) => value !== undefined))
}

function setStart({ robot, state }: RobotInWorld, { q, v }: WorldRobot): void {
  setNumbers(robot.model, 'q', state.q, q ?? robot.home)
  setNumbers(robot.model, 'v', state.v, v ?? new Float64Array(robot.model.nv))
  checkQuaternions(robot.model, state.q)
}

function setNumbers(model: Model, name: 'q' | 'v', out: Float64Array, given: ArrayLike<number>): void {
  const sizeName = name === 'q' ? 'nq' : 'nv'
  if (given.length !== out.length)
    throw new RangeError(`start ${name} has ${given.length} entries; ${model.name} has ${sizeName} = ${out.length}`)
  for (let i = 0; i < out.length; i++) {
    if (!Number.isFinite(given[i])) throw new RangeError(`start ${name}[${i}] is ${given[i]}; it must be a finite number`)
    out[i] = given[i]
  }
}

export function checkQuaternions(model: Model, q: Float64Array, where = 'start '): void {
  const { nb, jointName } = model
  for (let i = 1; i < nb; i++) {
    const k = quaternionStart(model, i)
    if (k < 0) continue
    const norm = Math.hypot(q[k], q[k + 1], q[k + 2], q[k + 3])
    if (!(Math.abs(norm - 1) < 1e-6))
      throw new RangeError(`${where}q[${k}..${k + 3}], the quaternion of "${jointName[i]}", has norm ${norm}; normalise it to 1`)
  }
}
