import { combineModels, inertiaToWorld, movedPart, mulMatrix3, rotate3 } from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import { type CollisionShape, type Robot, robotKind } from './robot.ts'

/** One of several robots that share a world. */
export interface RobotPart {
  /** Unique among the parts; prefix, with a slash, of the names of its links, joints and shapes. */
  readonly name: string
  readonly robot: Robot
  /** Pose of all that is bolted to the world (`ModelPart`); without effect for a floating robot. */
  readonly R?: Float64Array
  readonly p?: Float64Array
}

const part = is.fields<RobotPart>({ name: is.text, robot: robotKind }, { R: is.rotation(), p: is.numbers(3) }, true)

/**
 * Several robots as one, with their bodies, coordinates and names one after another: link `arm` of part `left` is `left/arm`. Its home
 * pose is that of all parts. A single part keeps its names and named poses; if it is at the origin, it is returned itself.
 *
 * @throws RangeError if there is none, two have one name, or gravity differs between them
 */
export function combineRobots(name: string, parts: readonly RobotPart[]): Robot {
  is.check(name, is.text, 'combineRobots: name')
  is.check(parts, is.listOf(part), 'combineRobots: parts')
  if (parts.length === 1 && parts[0].R === undefined && parts[0].p === undefined) return parts[0].robot
  const twice = parts.find((part, i) => parts.some((other, j) => j < i && other.name === part.name))
  if (twice) throw new RangeError(`two robots are called "${twice.name}"; give each a name of its own`)
  const model = combineModels(
    name,
    parts.map((part) => ({ model: part.robot.model, prefix: prefixOf(part, parts), R: part.R, p: part.p })),
  )
  const moved = parts.map((part, i) => movedRobot(part, prefixOf(part, parts), startsOf(parts, i)))
  const all = <T>(of: (robot: MovedRobot) => readonly T[]): T[] => moved.flatMap(of)
  const sum = (of: (robot: Robot) => number) => parts.reduce((total, { robot }) => total + of(robot), 0)
  const tags = (kind: 'used' | 'carried' | 'ignored') => [...new Set(parts.flatMap(({ robot }) => robot.tags[kind]))].sort()
  const counted = (kind: keyof Robot['counts']['joints']) => sum(({ counts }) => counts.joints[kind] ?? 0)
  return {
    name,
    model,
    floating: parts[0].robot.floating,
    joints: all(({ joints }) => joints),
    freeJoints: all(({ freeJoints }) => freeJoints),
    mimics: all(({ mimics }) => mimics),
    ...(moved.some(({ mocaps }) => mocaps) && { mocaps: all(({ mocaps = [] }) => mocaps) }),
    ...(moved.some(({ actuators }) => actuators) && { actuators: all(({ actuators = [] }) => actuators) }),
    ...(parts.length === 1 && { sensors: moved[0].sensors, controls: parts[0].robot.controls, beside: parts[0].robot.beside }),
    poses: parts.length === 1 ? parts[0].robot.poses : [],
    ...(parts.length === 1 && { selfCollision: parts[0].robot.selfCollision }),
    disabledCollisions: all(({ disabledCollisions }) => disabledCollisions),
    overlaps: all(({ overlaps }) => overlaps),
    frames: all(({ frames }) => frames),
    shapes: all(({ shapes }) => shapes),
    home: Float64Array.from(parts.flatMap(({ robot }) => [...robot.home])),
    massDeclared: sum(({ massDeclared }) => massDeclared),
    massUsed: sum(({ massUsed }) => massUsed),
    diagnostics: parts.flatMap(({ robot }) => robot.diagnostics),
    tags: { used: tags('used'), carried: tags('carried'), ignored: tags('ignored') },
    counts: {
      links: sum(({ counts }) => counts.links),
      joints: {
        revolute: counted('revolute'),
        continuous: counted('continuous'),
        prismatic: counted('prismatic'),
        fixed: counted('fixed'),
        floating: counted('floating'),
        planar: counted('planar'),
        mimic: counted('mimic'),
        spherical: counted('spherical'),
      },
    },
    worldMoments: Float64Array.from([0, 1, 2, 3], (k) => moved.reduce((total, { worldMoments }) => total + worldMoments[k], 0)),
  }
}

/**
 * A robot bolted to the world, at another pose: R (9, row-major) turns its axes into the world's, p is its origin [m]. The pose of a
 * floating robot is in q.
 */
export function placeRobot(robot: Robot, R: Float64Array | undefined, p: Float64Array | undefined): Robot {
  is.check(robot, robotKind, 'placeRobot: robot')
  return combineRobots(robot.name, [{ name: robot.name, robot, R, p }])
}

/** Offsets of each part's bodies, coordinates and velocities in the whole. */
export type PartStarts = Readonly<ReturnType<typeof startsOf>>

/** @unchecked */
export function startsOf(parts: readonly { readonly robot: Robot }[], part: number) {
  const before = parts.slice(0, part).map(({ robot }) => robot)
  const sum = (of: (robot: Robot) => number) => before.reduce((total, robot) => total + of(robot), 0)
  return {
    /** Added to the numbers of its bodies but the world's. */
    body: sum(({ model }) => model.nb - 1),
    q: sum(({ model }) => model.nq),
    v: sum(({ model }) => model.nv),
    /** Of `Robot.shapes`. */
    shape: sum(({ shapes }) => shapes.length),
  }
}

type MovedRobot = Pick<
  Robot,
  | 'joints'
  | 'freeJoints'
  | 'mimics'
  | 'mocaps'
  | 'actuators'
  | 'sensors'
  | 'disabledCollisions'
  | 'overlaps'
  | 'frames'
  | 'shapes'
  | 'worldMoments'
>

const prefixOf = ({ name }: RobotPart, parts: readonly RobotPart[]) => (parts.length === 1 ? '' : `${name}/`)

function movedRobot({ robot, R, p }: RobotPart, prefix: string, start: PartStarts): MovedRobot {
  const named = (own: string) => prefix + own
  const bodyOf = (body: number) => (body > 0 ? body + start.body : 0)
  const joint = <J extends { name: string; body: number; qIndex: number; vIndex: number }>(own: J): J => ({
    ...own,
    name: named(own.name),
    body: bodyOf(own.body),
    qIndex: own.qIndex + start.q,
    vIndex: own.vIndex + start.v,
  })
  // surroundings, where no link is called so
  const isWorld = (link: string) => link === 'world' && robot.frames.every(({ name }) => name !== link)
  const linked = (link: string) => (isWorld(link) ? link : named(link))
  const links = ([a, b]: readonly [string, string]) => [linked(a), linked(b)] as const
  const placed = <T extends { readonly body: number; readonly R: Float64Array; readonly p: Float64Array }>(own: T): T =>
    own.body > 0 ? { ...own, body: bodyOf(own.body) } : { ...own, ...moved(own, R, p) }
  const [mass, ...first] = robot.worldMoments
  const turned = new Float64Array(3)
  if (R) rotate3(turned, R, Float64Array.from(first))
  else turned.set(first)
  return {
    joints: robot.joints.map(joint),
    freeJoints: robot.freeJoints.map(joint),
    actuators: robot.actuators?.map(({ lengths, attracts, ...own }) => ({
      ...{ ...own, name: named(own.name), joint: named(own.joint) },
      ...(attracts !== undefined && { attracts: bodyOf(attracts) }),
      ...(lengths
        ? { lengths: lengths.map((parts) => parts.map((part) => movedPart(part, { body: bodyOf, R, p }))) }
        : { qIndex: own.qIndex + start.q, vIndex: own.vIndex + start.v }),
    })),
    mocaps: robot.mocaps?.map((own) => ({
      ...{ name: named(own.name), body: bodyOf(own.body), qIndex: own.qIndex + start.q },
    })),
    sensors: robot.sensors?.map(({ terms, along, object, reference, subtree, ...own }) => ({
      ...{ ...own, name: named(own.name) },
      terms: terms.map((term) => ({ ...term, qIndex: term.qIndex + start.q, vIndex: term.vIndex + start.v })),
      ...(along && { along: { ...along, parts: along.parts.map((part) => movedPart(part, { body: bodyOf, R, p })) } }),
      ...(object && { object: placed(object) }),
      ...(reference && { reference: placed(reference) }),
      ...(subtree && {
        subtree: subtree.map(({ body, I }) => ({ body: bodyOf(body), I: body > 0 ? I : movedInertia(I, R, p) })),
      }),
    })),
    mimics: robot.mimics.map((own) => ({
      ...own,
      name: named(own.name),
      body: bodyOf(own.body),
      follows: named(own.follows),
    })),
    disabledCollisions: robot.disabledCollisions.map(links),
    overlaps: robot.overlaps.map(links),
    frames: robot.frames.map((frame) => placed({ ...frame, name: named(frame.name) })),
    shapes: robot.shapes.map((shape): CollisionShape => placed({ ...shape, name: named(shape.name), link: named(shape.link) })),
    worldMoments: Float64Array.of(mass, ...turned.map((x, k) => x + mass * (p?.[k] ?? 0))),
  }
}

function movedInertia(I: Float64Array, R?: Float64Array, p?: Float64Array): Float64Array {
  const out = new Float64Array(10)
  const zero = new Float64Array(3)
  inertiaToWorld(out, R ?? Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), p ?? zero, zero, I)
  return out
}

function moved(own: { readonly R: Float64Array; readonly p: Float64Array }, R?: Float64Array, p?: Float64Array) {
  const turnedR = own.R.slice()
  const turnedP = own.p.slice()
  if (R) {
    mulMatrix3(turnedR, R, own.R)
    rotate3(turnedP, R, own.p)
  }
  if (p) for (let k = 0; k < 3; k++) turnedP[k] += p[k]
  return { R: turnedR, p: turnedP }
}
