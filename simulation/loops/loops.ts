import type { LoopSoftness } from '../../contact/geometry/index.ts'
import { type LoopClosure, type LoopKind, LoopRows, rigidGroups } from '../../contact/index.ts'
import {
  createData,
  type Data,
  type Frame,
  frameIndex,
  JointType,
  kinematics,
  type Model,
  mulMatrix3,
  place3,
  quaternionOfRotation,
  rotate3,
  rotateTransposed3,
  type State,
} from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import type { Robot } from '../../robots/index.ts'
import { nearestClosed } from './nearestClosed.ts'

/** One end of a loop. */
export interface WorldLoopEnd {
  /** The robot, by its name in the world. Default: the first. */
  readonly robot?: string
  /** Link or other named frame of the robot; or, without a robot, 'world'. Default: its only one, for example of a free body. */
  readonly link?: string
  /** 3: point in the link's axes [m]. Default: its origin; for welds and the world, the other end's point at the start. A weld with a relative pose is at b's. */
  readonly point?: readonly number[]
  /** 3, of any length: axis of a hinge in the link's axes. Default: the other end's axis at the start. */
  readonly axis?: readonly number[]
}

/**
 * A closed loop, which a URDF, being a tree, cannot contain: a point, a hinge or a weld between two links. A weld preserves the initial
 * relative orientation of the links, unless it states their relative pose.
 */
export interface WorldLoop {
  /** Default: loop1, loop2, ... */
  readonly name?: string
  readonly kind: LoopKind
  readonly a: WorldLoopEnd
  readonly b: WorldLoopEnd
  /** Of a weld: the pose of b's link in the axes of a's, R (9, row-major) and p [m]. Default: as at the start. */
  readonly relative?: { readonly R: Float64Array; readonly p: ArrayLike<number> }
  /** As of a `LoopClosure`; with it a loop may be open at the start, and closes as its softness lets it. */
  readonly softness?: LoopSoftness
  /** It is on from this time on, and until that [s]; from and while `active`, true by default, which controllers change (`LoopSwitches`). */
  readonly from?: number
  readonly until?: number
  readonly active?: boolean
  /** Largest force on its point; above it lets go, and stays off until it is asked for anew [N]. Default: none. */
  readonly maxForce?: number
}

const end = is.options<WorldLoopEnd>({ robot: is.text, link: is.text, point: is.numbers(3), axis: is.numbers(3) })
const loopKind = is.fields<WorldLoop>(
  { kind: is.oneOf('point', 'hinge', 'weld'), a: end, b: end },
  {
    ...{ name: is.text, relative: is.fields<NonNullable<WorldLoop['relative']>>({ R: is.rotation(), p: is.numbers(3) }, {}) },
    ...{ softness: is.made('a softness', 'solref', 'solimp'), from: is.number(0, 's'), until: is.number(0, 's', Infinity) },
    ...{ active: is.flag, maxForce: is.number(0, 'N', Infinity) },
  },
)

/** Whether a loop is on at times only. */
export const isSwitched = ({ from, until, maxForce, active }: WorldLoop): boolean =>
  [from, until, maxForce, active].some((word) => word !== undefined)

/** Whether it is on at the start. */
export const startsOn = ({ from = 0, active = true }: WorldLoop): boolean => active && from === 0

/** Loops that cannot be closed as stated: all problems, one a line. */
export class LoopError extends RangeError {
  override name = 'LoopError'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Greatest error of a loop at the start, for rounding in the stated ends [m, rad]. */
const OPEN_POINT = 1e-5
const OPEN_ANGLE = 1e-4

/** Length below which an axis has no direction. */
const NO_LENGTH = 1e-9

/**
 * Converts the loops of a world to loops between bodies. @unchecked
 *
 * @param names of the robots that make up `robot`
 * @param state at the start
 * @throws LoopError
 */
export function closeLoops(robot: Robot, names: readonly string[], loops: readonly WorldLoop[], state: State): LoopClosure[] {
  if (loops.length === 0) return []
  const data = createData(robot.model)
  kinematics(robot.model, state, data)
  const rigid = rigidGroups(robot.model)
  const problems: string[] = []
  const closed: LoopClosure[] = []
  let open = 0
  loops.forEach((loop, l) => {
    const name = loop.name ?? `loop${l + 1}`
    try {
      is.check(loop, loopKind)
      const a = endOf(robot, names, loop, 'a', data)
      const b = endOf(robot, names, loop, 'b', data)
      const bodies = [a.frame.body, b.frame.body]
      if (rigid[a.frame.body] === rigid[b.frame.body] || bodies.every((body) => robot.model.vLast[body] < 0))
        throw new RangeError(`"${a.frame.name}" and "${b.frame.name}" cannot move against each other; name two links that can`)
      const { kind, softness } = loop
      const closure = { name, kind, ...placed(loop, a, b, data), ...(softness && { softness }) }
      closed.push(closure)
      // a mocap body pulls from where it is
      if (
        softness ||
        (isSwitched(loop) && !startsOn(loop)) ||
        bodies.some((body) => robot.model.jointType[body] === JointType.mocap)
      )
        return
      const gap = gapOf(closure, robot.model, data)
      if (gap === '') return
      open++
      problems.push(`loop "${name}": ${gap}`)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      problems.push(`loop "${name}": ${error.message}`)
    }
  })
  if (problems.length > 0 && open === problems.length) problems.push(adviceFor(robot, closed, state))
  if (problems.length > 0) throw new LoopError(problems)
  return closed
}

/** Points and orientations of a loop that is switched on at the configuration of data. */
export const placedNow = (robot: Robot, names: readonly string[], loop: WorldLoop, data: Data): ReturnType<typeof placed> =>
  placed(loop, endOf(robot, names, loop, 'a', data), endOf(robot, names, loop, 'b', data), data)

/** Advice on closing open loops, for messages. */
function adviceFor(robot: Robot, loops: readonly LoopClosure[], state: State): string {
  const q = nearestClosed(robot.model, loops, state)
  if (q === undefined) return 'No joint angles near this start close them: change the points'
  const joints = robot.joints.filter(({ qIndex }) => q[qIndex] !== state.q[qIndex])
  const places = joints.map(({ name, qIndex }) => `${name}: ${Number(q[qIndex].toFixed(9))}`)
  return `Change the start or the points; near this start they are closed at {${places.join(', ')}}`
}

/** An end of a loop, with its stated point and axis in world axes at the start. */
interface End {
  readonly frame: Frame
  readonly origin: Float64Array
  readonly point: Float64Array | undefined
  /** Unit. */
  readonly axis: Float64Array | undefined
}

function endOf(robot: Robot, names: readonly string[], loop: WorldLoop, side: 'a' | 'b', data: Data): End {
  const stated = loop[side]
  const { point, axis } = stated
  const frame = isWorld(stated) ? worldFrame() : linkFrame(robot, names, stated, `${side}.`)
  const length = axis && Math.hypot(...axis)
  if (length !== undefined && !(length > NO_LENGTH))
    throw new RangeError(`${side}.axis has no direction; expected one in the link's axes, such as [0, 1, 0]`)
  if (axis && loop.kind !== 'hinge') throw new RangeError(`${side}.axis is of a hinge, and this is a ${loop.kind}; leave it out`)

  const R = new Float64Array(9)
  mulMatrix3(R, data.R_WB[frame.body], frame.R)
  const origin = new Float64Array(3)
  place3(origin, data.R_WB[frame.body], data.p_WB[frame.body], frame.p)
  const place = (own: readonly number[]) => {
    const outer = new Float64Array(3)
    place3(outer, R, origin, Float64Array.from(own))
    return outer
  }
  const turn = (own: readonly number[], by: number) => {
    const outer = Float64Array.from(own, (x) => x / by)
    rotate3(outer, R, outer)
    return outer
  }
  return { frame, origin, point: point && place(point), axis: axis && turn(axis, length as number) }
}

const isWorld = ({ robot, link }: WorldLoopEnd) => robot === undefined && link === 'world'

const worldFrame = (): Frame => ({
  name: 'world',
  body: 0,
  R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
  p: new Float64Array(3),
})

/**
 * The frame of a link, from the names of its robot (default: the first) and of the link. @unchecked
 *
 * @param names of the robots that make up `robot`
 * @param where beginning of messages
 * @throws RangeError for unknown names
 */
export function linkFrame(
  { frames }: Robot,
  names: readonly string[],
  { robot, link }: Pick<WorldLoopEnd, 'robot' | 'link'>,
  where: string,
): Frame {
  if (robot !== undefined && !names.includes(robot))
    throw new RangeError(`${where}robot is "${robot}"; in this world there are ${names.join(', ')}`)
  const prefix = names.length > 1 ? `${robot ?? names[0]}/` : ''
  const own = frames.filter(({ name }) => name.startsWith(prefix))
  if (link === undefined) {
    if (own.length === 1) return own[0]
    throw new RangeError(`${where}link is missing, and "${robot ?? names[0]}" has ${own.length} links; name one of them`)
  }
  try {
    return own[frameIndex(own, prefix + link)]
  } catch (error) {
    throw new RangeError(`${where}link: ${(error as Error).message}; "world" is what stands still`)
  }
}

/** The closed loop's points and orientations in the axes of both bodies. */
function placed(loop: WorldLoop, a: End, b: End, data: Data): Omit<LoopClosure, 'name' | 'kind' | 'softness'> {
  const { kind, relative } = loop
  if (kind === 'weld' && relative) return weldedAt(a.frame, b.frame, relative, loop.b.point)
  const own = (side: 'a' | 'b', { point, origin }: End) => point ?? (kind === 'weld' || isWorld(loop[side]) ? undefined : origin)
  const pointA = own('a', a) ?? own('b', b) ?? a.origin
  const pointB = own('b', b) ?? pointA
  const [axisA, axisB] = kind === 'hinge' ? hingeAxes(a, b) : [undefined, undefined]
  const bodyA = a.frame.body
  const bodyB = b.frame.body
  return {
    bodyA,
    bodyB,
    pointA: pointIn(bodyA, pointA, data),
    pointB: pointIn(bodyB, pointB, data),
    orientationA: kind === 'point' ? [0, 0, 0, 1] : turnIn(bodyA, axisA, data),
    orientationB: kind === 'point' ? [0, 0, 0, 1] : turnIn(bodyB, axisB, data),
  }
}

/** A weld at a point of b's link, by default its origin, with the axes of that link. */
function weldedAt(
  a: Frame,
  b: Frame,
  relative: NonNullable<WorldLoop['relative']>,
  point: readonly number[] = [0, 0, 0],
): Omit<LoopClosure, 'name' | 'kind'> {
  const [p, own] = [new Float64Array(3), new Float64Array(3)]
  const R = new Float64Array(9)
  place3(p, relative.R, Float64Array.from(relative.p), Float64Array.from(point))
  place3(p, a.R, a.p, p.slice())
  place3(own, b.R, b.p, Float64Array.from(point))
  mulMatrix3(R, a.R, relative.R)
  const turnOf = (axes: Float64Array) => {
    const q = new Float64Array(4)
    quaternionOfRotation(q, 0, axes)
    return Array.from(q)
  }
  return {
    ...{ bodyA: a.body, bodyB: b.body, pointA: Array.from(p), pointB: Array.from(own) },
    orientationA: turnOf(R),
    orientationB: turnOf(Float64Array.from(b.R)),
  }
}

function hingeAxes(a: End, b: End): [Float64Array, Float64Array] {
  const axisA = a.axis ?? b.axis
  const axisB = b.axis ?? a.axis
  if (!axisA || !axisB) throw new RangeError('a hinge needs an axis at a, at b or at both, such as [0, 1, 0]')
  return [axisA, axisB]
}

/** Description of a loop's error; '' if it is closed. @param when of the error */
export function gapOf(loop: LoopClosure, model: Model, data: Data, when = ' at the start'): string {
  const rows = new LoopRows(model, [loop])
  rows.build(data)
  const { error, point } = rows
  const apart = Math.hypot(error[0], error[1], error[2])
  if (apart > OPEN_POINT) {
    const at = (side: number) => `[${[0, 1, 2].map((d) => Number((point[d] + 0.5 * side * error[d]).toFixed(6))).join(', ')}]`
    return (
      `is open by ${Number((apart * 1000).toPrecision(3))} mm${when}: the point of a is at ${at(-1)}, that of b at ${at(1)} ` +
      `in world axes, and ${OPEN_POINT * 1000} mm is the most`
    )
  }
  const angle = Math.hypot(...error.slice(3))
  if (!(angle > OPEN_ANGLE)) return ''
  return (
    `is open${when}: the axes of a and b are ${Number(((angle * 180) / Math.PI).toPrecision(3))} degrees apart, and ` +
    `${OPEN_ANGLE} rad is the most`
  )
}

function pointIn(body: number, point: Float64Array, { R_WB, p_WB }: Data): number[] {
  const own = point.map((x, k) => x - p_WB[body][k])
  rotateTransposed3(own, R_WB[body], own)
  return Array.from(own)
}

/** Orientation of the loop's frame in a body's axes: in world axes at the start its z is `axis`; without one it equals the world's axes. */
function turnIn(body: number, axis: Float64Array | undefined, { R_WB }: Data): number[] {
  const outer = axis === undefined ? Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1) : axesAlong(axis)
  const R_BW = Float64Array.from({ length: 9 }, (_, k) => R_WB[body][3 * (k % 3) + Math.floor(k / 3)])
  const own = new Float64Array(9)
  mulMatrix3(own, R_BW, outer)
  const turn = new Float64Array(4)
  quaternionOfRotation(turn, 0, own)
  return Array.from(turn)
}

/** Right-handed axes, in columns, whose z is the given unit vector. */
function axesAlong(z: Float64Array): Float64Array {
  // x orthogonal to the world axis most nearly perpendicular to z
  const least = [0, 1, 2].reduce((best, k) => (Math.abs(z[k]) < Math.abs(z[best]) ? k : best), 0)
  const x = Float64Array.from(z, (zk, k) => (k === least ? 1 : 0) - z[least] * zk)
  const length = Math.hypot(...x)
  for (let k = 0; k < 3; k++) x[k] /= length
  const y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]]
  return Float64Array.of(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
}
