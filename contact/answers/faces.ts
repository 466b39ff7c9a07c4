/** The conditions of contact as unions of polyhedra: each group of rows is in one of its faces, convex sets of impulses and velocities. */
import { cos } from '../../dynamics/index.ts'
import { GroupKind, type PyramidSides } from '../solvers/index.ts'

export type Vector = readonly number[]

/** a . u >= least, u the velocities of a group; `least` in units of the tolerance. */
export interface Condition {
  readonly group: number
  readonly a: Vector
  readonly least: number
}

/** A convex set of impulses, fixed + sum of x_k generator_k with 0 <= x_k <= most, and of velocities. */
export interface Face {
  readonly name: string
  readonly generators: readonly Vector[]
  readonly fixed?: Vector
  readonly most?: number
  readonly conditions: readonly Condition[]
  /** Of a face wider than the set it stands for: smaller ones that cover that set, and its width, by which the widest is split first. */
  readonly parts?: () => readonly Face[]
  readonly width?: number
  /** Of slip, and of apart: where a . u is no more than `NEAR_ANSWER` tolerances, its solutions count as those of stick, or touch, if there are any. */
  readonly near?: Vector
}

/** Consecutive rows of a problem, in one of several faces. */
export interface FaceGroup {
  readonly first: number
  /** Coefficient of friction of a cone, which its faces contain. */
  readonly mu?: number
  readonly faces: readonly Face[]
  /** A superset of all faces. */
  readonly whole: Face
}

/** u = W p + rhs, and the conditions on its groups. */
export interface FaceProblem {
  readonly rowCount: number
  /** rowCount x rowCount, row-major. */
  readonly W: Float64Array
  readonly rhs: Float64Array
  readonly groups: readonly FaceGroup[]
  /** Unit of velocities, a power of two: near the largest right-hand side. */
  readonly scale: number
}

/** Tolerance of a condition, of the unit of velocities. A velocity within it counts as zero. */
export const ANSWER_TOLERANCE = 2 ** -30

/** Slip, and gaps that open, by less than so many tolerances are those of a contact that sticks, or touches. */
export const NEAR_ANSWER = 64

/** The power of two next to x, by which products are exact. @unchecked */
export const powerOfTwo = (x: number): number => (x > 0 && Number.isFinite(x) ? 2 ** Math.round(Math.log2(x)) : 1)

/** Condition that a . u is zero within `most` tolerances. */
const isZero = (group: number, a: Vector, most = 1): Condition[] => [
  { group, a, least: -most },
  { group, a: a.map((x) => 0 - x), least: -most },
]
const atLeast = (group: number, a: Vector, least = 1): Condition => ({ group, a, least })
const along = (d: Vector) => [0, ...d]

/** Direction of friction in words: its angle from tangent 1. */
const degrees = ([x, y = 0]: Vector) => `${Math.round((180 / Math.PI) * Math.atan2(y, x) + 360) % 360}°`

/** Corners of a contact's friction in the plane of its tangents, or of a planar contact the two ends. @unchecked */
export const directionsOf = (sides: PyramidSides, isPlanar: boolean): Vector[] =>
  isPlanar ? [[1], [-1]] : Array.from({ length: sides.count }, (_, k) => [sides.cosine[k], sides.sine[k]])

/**
 * A contact with friction in a pyramid whose impulses are sums of (1, mu d) over its corners d; slip is opposite to maximum dissipation
 * (Stewart and Trinkle 1996). The faces overlap within the tolerance alone, and cover all: apart; stick; slip against one corner; slip
 * square to the edge between two. @unchecked
 *
 * @param unit of impulses, a power of two
 */
export function contactGroup(group: number, first: number, mu: number, corners: readonly Vector[], unit: number): FaceGroup {
  const generators = corners.map((d) => [unit, ...d.map((x) => unit * (mu * x))])
  const normal = [1, ...corners[0].map(() => 0)]
  const touch = isZero(group, normal)
  const n = corners.length
  const half = corners.slice(0, n / 2)
  const face = (name: string, of: readonly Vector[], conditions: readonly Condition[]): Face => ({
    name,
    generators: of,
    conditions: [...touch, ...conditions],
  })
  const stick = face(
    'stick',
    generators,
    half.flatMap((d) => isZero(group, along(d), n === 2 ? 1 : 2)),
  )
  const apart: Face = { name: 'apart', generators: [], conditions: [atLeast(group, normal)], near: normal }
  // unit tangents of the pyramid's edges, but for a power of two
  const edges = corners.map((d, i) => {
    const next = corners[(i + 1) % n]
    const difference = d.map((x, k) => next[k] - x)
    const size = powerOfTwo(1 / Math.hypot(...difference))
    return difference.map((x) => size * x)
  })
  const slides = corners.flatMap((d, i) => {
    const name = `slip at ${degrees(d.map((x) => 0 - x))}`
    const forward = along(d.map((x) => 0 - x))
    const toStick = (near: Vector, own: Face): Face => ({ ...own, near })
    if (n === 2) return [toStick(forward, face(name, [generators[i]], [atLeast(group, forward)]))]
    const [j, before] = [(i + 1) % n, edges[(i + n - 1) % n]]
    const middle = d.map((x, k) => 0 - x - corners[j][k])
    return [
      toStick(
        forward,
        face(name, [generators[i]], [atLeast(group, along(edges[i])), atLeast(group, along(before.map((x) => 0 - x)))]),
      ),
      toStick(
        along(middle),
        face(
          `slip at ${degrees(middle)}`,
          [generators[i], generators[j]],
          [...isZero(group, along(edges[i])), atLeast(group, along(middle))],
        ),
      ),
    ]
  })
  const whole: Face = { name: 'open', generators, conditions: [atLeast(group, normal, -1)] }
  return { first, faces: [apart, stick, ...slides], whole }
}

/** Directions of slip in a turn, at the finest. */
export const FINEST_SLIP = 256
const COARSEST = 8
/** Sides of the pyramid of stick at last: 1.0012 times the cone at its corners. */
const FINEST_STICK = 64

/**
 * A contact with friction in the cone, by faces that contain its modes: apart; stick in a circumscribed pyramid, refined by its sides; slip
 * between two directions, refined by halves. An excluded face excludes its modes; one that is not may have none. @unchecked
 */
export function coneGroup(group: number, first: number, mu: number, sides: PyramidSides, unit: number): FaceGroup {
  const direction = (k: number, reach: number) => {
    const i = ((k % FINEST_SLIP) + FINEST_SLIP) % FINEST_SLIP
    return [reach * sides.cosine[i], reach * sides.sine[i]]
  }
  const push = (d: Vector) => [unit, ...d.map((x) => unit * (mu * x))]
  const normal = [1, 0, 0]
  const touch = isZero(group, normal)
  const outward = (steps: number) => (1 + ANSWER_TOLERANCE) / cos((Math.PI * steps) / FINEST_SLIP)
  const apart: Face = { name: 'apart', generators: [], conditions: [atLeast(group, normal)], near: normal }
  const still = [isZero(group, [0, 1, 0], 2), isZero(group, [0, 0, 1], 2)].flat()
  const stick = (count: number): Face => {
    const step = FINEST_SLIP / count
    return {
      name: 'stick',
      generators: Array.from({ length: count }, (_, k) => push(direction(k * step, outward(step)))),
      conditions: [...touch, ...still],
      ...(count < FINEST_STICK && { parts: () => [stick(4 * count)], width: step / 8 }),
    }
  }
  const slip = (from: number, to: number): Face => {
    const [a, b, middle] = [direction(from, 1), direction(to, 1), direction((from + to) / 2, 1)]
    const half = (to - from) / 2
    const reach = outward(to - from)
    // the arc lies in the triangle of its ends and of the point where the tangents there meet, or beyond
    const tip = half >= 1 ? direction((from + to) / 2, -reach) : a.map((x, i) => -reach * reach * 0.5 * (x + b[i]))
    const across = half >= 1 ? middle : a.map((x, i) => x + b[i])
    return {
      name: `slip at ${degrees(a)} to ${degrees(b)}`,
      generators: [push(direction(from, -1 - ANSWER_TOLERANCE)), push(direction(to, -1 - ANSWER_TOLERANCE)), push(tip)],
      conditions: [
        ...touch,
        atLeast(group, [0, -a[1], a[0]], -1),
        atLeast(group, [0, b[1], -b[0]], -1),
        atLeast(group, along(across)),
      ],
      near: along(across),
      ...(to - from > 1 && { parts: () => [slip(from, (from + to) / 2), slip((from + to) / 2, to)], width: to - from }),
    }
  }
  const size = FINEST_SLIP / COARSEST
  const slips = Array.from({ length: COARSEST }, (_, k) => slip(k * size, (k + 1) * size))
  const whole: Face = { name: 'open', generators: stick(COARSEST).generators, conditions: [atLeast(group, normal, -1)] }
  return { first, mu, faces: [apart, stick(2 * COARSEST), ...slips], whole }
}

/** A contact under the associated law: p in the cone of the generators (1, mu d), u in its dual, p . u = 0 (Anitescu 2006). @unchecked */
export function associatedGroup(group: number, first: number, mu: number, corners: readonly Vector[], unit: number): FaceGroup {
  const generators = corners.map((d) => [unit, ...d.map((x) => unit * (mu * x))])
  const dual = corners.map((d) => [1, ...d.map((x) => mu * x)])
  const n = corners.length
  const apart: Face = { name: 'apart', generators: [], conditions: dual.map((g) => atLeast(group, g)) }
  const stick: Face = { name: 'stick', generators, conditions: dual.flatMap((g) => isZero(group, g)) }
  const normal = [1, ...corners[0].map(() => 0)]
  const slides = corners.flatMap((d, i): Face[] => {
    const [j, before] = [(i + 1) % n, (i + n - 1) % n]
    const corner: Face = {
      name: `slip at ${degrees(d.map((x) => 0 - x))}`,
      generators: [generators[i]],
      conditions: [...isZero(group, dual[i]), ...[...new Set([j, before])].map((k) => atLeast(group, dual[k]))],
    }
    if (n === 2) return [corner]
    const middle = d.map((x, k) => 0 - x - corners[j][k])
    const others = dual.flatMap((g, k) => (k === i || k === j ? [] : [atLeast(group, g, -1)]))
    return [
      corner,
      {
        name: `slip at ${degrees(middle)}`,
        generators: [generators[i], generators[j]],
        conditions: [...isZero(group, dual[i]), ...isZero(group, dual[j]), ...others, atLeast(group, normal)],
      },
    ]
  })
  const whole: Face = { name: 'open', generators, conditions: dual.map((g) => atLeast(group, g, -1)) }
  return { first, faces: [apart, stick, ...slides], whole }
}

/** A row that is no contact with friction. @unchecked @param limit of a bounded one */
export function rowGroup(group: number, first: number, kind: GroupKind, limit: number, unit: number): FaceGroup {
  const up = [[unit]]
  const zero = isZero(group, [1])
  if (kind === GroupKind.bilateral) {
    const held: Face = { name: 'held', generators: [[unit], [-unit]], conditions: zero }
    return { first, faces: [held], whole: held }
  }
  if (kind === GroupKind.bounded) {
    const inside = { generators: up, fixed: [-limit], most: (2 * limit) / unit }
    return {
      first,
      faces: [
        { name: 'stick', ...inside, conditions: zero },
        { name: 'slip +', generators: [], fixed: [-limit], conditions: [atLeast(group, [1])] },
        { name: 'slip -', generators: [], fixed: [limit], conditions: [atLeast(group, [-1])] },
      ],
      whole: { name: 'open', ...inside, conditions: [] },
    }
  }
  return {
    first,
    faces: [
      { name: 'apart', generators: [], conditions: [atLeast(group, [1])] },
      { name: 'touch', generators: up, conditions: zero },
    ],
    whole: { name: 'open', generators: up, conditions: [atLeast(group, [1], -1)] },
  }
}
