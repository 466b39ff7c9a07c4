import {
  boxPolyhedron,
  type Collider,
  createCollider,
  hullOf,
  type Polyhedron,
  type Shape,
  solidOf,
} from '../../../contact/geometry/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { exactSeparation, place } from '../geometry/exactOverlap.ts'
import { cross, dot, plus, product, randomUnit, rotation, scaled, turned, unit } from '../geometry/poses.ts'

/*
 * Two convex bodies that are to meet corner-on within one step. The place where they meet is drawn first: a feature of A upon one of B,
 * so turned that a plane just parts them, or that plane missed by a little to the side. Then each is moved back along its free motion
 * to the start of the step, where they are apart.
 */

type Features =
  | 'vertex on vertex'
  | 'vertex on edge'
  | 'vertex on face'
  | 'edge on edge'
  | 'edge on face'
  | 'face on face'
  | 'flush corners'

export interface CornerBody {
  readonly shape: Shape
  readonly collider: Collider
  readonly fixed: boolean
  /** [kg], and about the centre of mass, which is the origin of its axes: xx, yy, zz, xy, xz, yz [kg m²]. */
  readonly mass: number
  readonly inertia: readonly [number, number, number, number, number, number]
  /** At the start of the step: row-major, body's axes to world's; origin [m]. */
  readonly R: Float64Array
  readonly p: Float64Array
  /** At the start of the step: in the body's axes [rad/s]; of the origin in the world's [m/s]. */
  readonly omega: Float64Array
  readonly v: Float64Array
}

export interface Corner {
  readonly dt: number
  readonly friction: number
  /** Body A may be fixed; it is the body with the smaller number. */
  readonly bodies: readonly [CornerBody, CornerBody]
}

const steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5]
const kinds: readonly Features[] = [
  'vertex on vertex',
  'vertex on edge',
  'edge on edge',
  'vertex on face',
  'edge on face',
  'face on face',
  'flush corners',
]
/** Farthest apart at the start that bodies may be while still called so [m]: touching to rounding is no start. */
const leastApart = 1e-9

/** The configuration of a seed. */
export function cornerOf(seed: number): Corner {
  const random = createRandom(7_000_000 + seed)
  const dt = steps[random.index(steps.length)]
  const friction = random.next() < 0.2 ? random.between(0.1, 1) : 0
  const features = kinds[random.index(kinds.length)]
  for (;;) {
    const normal = randomUnit(random)
    const [a, b] = features === 'flush corners' ? flushBoxes(random, normal) : meetingOf(random, features, normal)
    const bodies = backedUp(random, a, b, normal, dt)
    if (bodies !== undefined) return { dt, friction, bodies }
  }
}

/** A body at the place where it is to meet the other. */
interface Meeting {
  readonly shape: Shape
  readonly R: Float64Array
  readonly p: Float64Array
}

function meetingOf(random: Random, features: Features, normal: Float64Array): readonly [Meeting, Meeting] {
  const shapeA = polyhedron(random)
  const shapeB = random.next() < 0.2 ? shapeA : polyhedron(random)
  const [first, second] = features.split(' on ')
  const swapped = random.next() < 0.5
  const a = presented(random, shapeA, swapped ? second : first, normal)
  const b = presented(random, shapeB, swapped ? first : second, negated(normal))
  return [a, { ...b, p: plus(b.p, aside(random, normal)) }]
}

/** Turned so that a feature drawn at random is the only one that is farthest along n, and with a point of it at the origin. */
function presented(random: Random, shape: Shape, feature: string, n: Float64Array): Meeting {
  const core = coreOf(shape)
  const { vertices, faces, faceNormals, edges } = core
  const vertex = (v: number) => vertices.slice(3 * v, 3 * v + 3)
  let direction: Float64Array
  let point: Float64Array
  const cone = (list: readonly number[]) => {
    const out = new Float64Array(3)
    for (const f of list) {
      const weight = random.between(0.1, 1)
      for (let k = 0; k < 3; k++) out[k] += weight * faceNormals[3 * f + k]
    }
    return unit(out)
  }
  const around = (...list: number[]) => faces.flatMap((loop, f) => (list.every((v) => loop.includes(v)) ? [f] : []))
  if (feature === 'vertex') {
    const v = random.index(vertices.length / 3)
    direction = cone(around(v))
    point = vertex(v)
  } else if (feature === 'edge') {
    const e = random.index(edges.length / 2)
    direction = cone(around(edges[2 * e], edges[2 * e + 1]))
    point = between(vertex(edges[2 * e]), vertex(edges[2 * e + 1]), random.between(0.02, 0.98))
  } else {
    const f = random.index(faces.length)
    direction = faceNormals.slice(3 * f, 3 * f + 3)
    const loop = faces[f]
    const [i, j] = [random.index(loop.length), random.index(loop.length)]
    point = between(between(vertex(loop[i]), vertex(loop[j]), random.next()), middle(vertices, loop), random.between(0.1, 0.9))
  }
  const quarters = feature === 'face' && random.next() < 0.5
  const angle = quarters ? (random.index(4) * Math.PI) / 2 : random.between(-Math.PI, Math.PI)
  const R = product(rotation(n, angle), turnOnto(direction, n))
  return { shape, R, p: negated(turned(R, point)) }
}

/** Two boxes with parallel axes, or nearly, edge on edge or corner on corner. */
function flushBoxes(random: Random, normal: Float64Array): readonly [Meeting, Meeting] {
  const sizeA = boxSize(random)
  const sizeB = random.next() < 0.5 ? sizeA : boxSize(random)
  const R = random.next() < 0.3 ? rotation([0, 0, 1], 0) : rotation(randomUnit(random), random.between(-Math.PI, Math.PI))
  const local = [0, 3, 6].map((_, k) => R[k] * normal[0] + R[3 + k] * normal[1] + R[6 + k] * normal[2])
  const alongside = random.index(4)
  const offset = local.map((n, k) => {
    const reach = 0.5 * (sizeA[k] + sizeB[k])
    return k === alongside ? random.between(-reach, reach) : Math.sign(n) * reach
  })
  // the face that parts them is one of those that meet at the corner
  if (random.next() < 0.3) {
    const k = random.index(3)
    offset[k] += random.between(-0.02, 0.02)
  }
  const RB = product(R, rotation(randomUnit(random), jitter(random)))
  return [
    { shape: { type: 'box', size: sizeA }, R, p: new Float64Array(3) },
    { shape: { type: 'box', size: sizeB }, R: RB, p: turned(R, offset) },
  ]
}

/**
 * Velocities, and both moved back to the start of the step; undefined if they are not apart there, or not on the way. What they come by
 * within the step is from a thousandth to half a metre; turns are up to 0.4 rad.
 */
function backedUp(
  random: Random,
  meetingA: Meeting,
  meetingB: Meeting,
  normal: Float64Array,
  dt: number,
): readonly [CornerBody, CornerBody] | undefined {
  const fixed = random.next() < 0.4
  const solids = [meetingA, meetingB].map(({ shape }, i) => {
    const { volume, inertia } = solidOf(shape)
    const density = 10 ** random.between(2, 3.9)
    const [xx, yy, zz, xy, xz, yz] = inertia.map((x) => density * x)
    return {
      shape,
      collider: createCollider(shape),
      mass: density * volume,
      inertia: [xx, yy, zz, xy, xz, yz] as const,
      fixed: i === 0 && fixed,
    }
  })
  for (let attempt = 0; attempt < 10; attempt++) {
    const fraction = random.between(0.1, 1)
    const approach = randomUnit(random)
    // B comes against the normal, more or less steeply
    if (dot(approach, normal) > 0) for (let k = 0; k < 3; k++) approach[k] = -approach[k]
    const travel = 10 ** random.between(-3, -0.3)
    const share = fixed ? 0 : random.between(-0.5, 1.5)
    const drift = fixed || random.next() < 0.5 ? new Float64Array(3) : randomUnit(random)
    const common = random.between(0, 0.3)
    const bodies = [meetingA, meetingB].map(({ R, p }, i): CornerBody => {
      const body = solids[i]
      const still = body.fixed
      const move = Float64Array.from(approach, (x, k) =>
        still ? 0 : travel * x * (i === 0 ? -share : 1 - share) + common * drift[k],
      )
      const turn = still || random.next() < 0.3 ? new Float64Array(3) : scaled(randomUnit(random), 10 ** random.between(-3, -0.4))
      // the turn is about an axis that stands still, in the body and in the world
      const angle = Math.hypot(...turn)
      const back = angle > 0 ? rotation(scaled(turn, 1 / angle), -fraction * angle) : rotation([0, 0, 1], 0)
      return {
        ...body,
        R: product(R, back),
        p: Float64Array.from(p, (x, k) => x - fraction * move[k]),
        omega: spinBefore(scaled(turn, 1 / dt), body.inertia, dt),
        v: scaled(move, 1 / dt),
      }
    })
    bodies.forEach(({ collider, R, p }) => {
      place(collider, R, p)
    })
    if (exactSeparation(bodies[0].collider, bodies[1].collider) > leastApart) return [bodies[0], bodies[1]]
  }
  return undefined
}

/**
 * The spin at the start of the step that w, in the body's axes, is after it, by the implicit midpoint:
 * spin = w + dt I⁻¹ (m × I m), m between the two.
 */
function spinBefore(w: Float64Array, inertia: CornerBody['inertia'], dt: number): Float64Array {
  let spin = w
  for (let k = 0; k < 200; k++) {
    const m = w.map((x, d) => 0.5 * (x + spin[d]))
    const rate = solveSymmetric(inertia, cross(m, timesSymmetric(inertia, m)))
    spin = w.map((x, d) => x + dt * rate[d])
  }
  return spin
}

function timesSymmetric([xx, yy, zz, xy, xz, yz]: CornerBody['inertia'], w: ArrayLike<number>): Float64Array {
  return Float64Array.of(xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2], xz * w[0] + yz * w[1] + zz * w[2])
}

function solveSymmetric([xx, yy, zz, xy, xz, yz]: CornerBody['inertia'], b: ArrayLike<number>): Float64Array {
  const columns = [Float64Array.of(xx, xy, xz), Float64Array.of(xy, yy, yz), Float64Array.of(xz, yz, zz)]
  const determinant = dot(columns[0], cross(columns[1], columns[2]))
  return Float64Array.from([0, 1, 2], (k) => dot(b, cross(columns[(k + 1) % 3], columns[(k + 2) % 3])) / determinant)
}

const length = (random: Random) => 10 ** random.between(-1, 0)
const boxSize = (random: Random): [number, number, number] => [length(random), length(random), length(random)]

/** Boxes, tetrahedra, prisms on regular polygons, and hulls of up to 16 points, about their centroids. */
function polyhedron(random: Random): Shape {
  for (;;) {
    const choice = random.index(4)
    if (choice === 0) return { type: 'box', size: boxSize(random) }
    const points: number[] = []
    if (choice === 1) for (let i = 0; i < 12; i++) points.push(random.between(-0.5, 0.5))
    else if (choice === 2) {
      const sides = 3 + random.index(6)
      const [radius, half] = [0.5 * length(random), 0.5 * length(random)]
      for (let i = 0; i < sides; i++) {
        const angle = (2 * Math.PI * i) / sides
        for (const z of [-half, half]) points.push(radius * Math.cos(angle), radius * Math.sin(angle), z)
      }
    } else {
      const numbers = 3 * (8 + random.index(9))
      for (let i = 0; i < numbers; i++) points.push(random.between(-0.5, 0.5))
    }
    const shape = centred(Float64Array.from(points))
    if (shape !== undefined) return shape
  }
}

/** Undefined for slivers. */
function centred(points: Float64Array): Shape | undefined {
  const { volume, centroid } = solidOf({ type: 'hull', polyhedron: hullOf(points) })
  if (volume < 1e-3) {
    const reach = Math.max(...points.map(Math.abs))
    if (volume < 0.01 * reach * reach * reach) return undefined
  }
  return { type: 'hull', polyhedron: hullOf(points.map((x, i) => x - centroid[i % 3])) }
}

/** How far B is set off along the plane that parts the two: not at all, or up to 5 cm. */
function aside(random: Random, normal: Float64Array): Float64Array {
  if (random.next() < 0.5) return new Float64Array(3)
  const side = randomUnit(random)
  const off = dot(side, normal)
  const size = 10 ** random.between(-3, -1.3)
  return Float64Array.from(side, (x, k) => size * (x - off * normal[k]))
}

/** None, rounding, or up to a hundredth of a radian. */
const jitter = (random: Random) => (random.next() < 0.4 ? 0 : 10 ** random.between(-15, -2))

function coreOf(shape: Shape): Polyhedron {
  if (shape.type === 'box') return boxPolyhedron(shape.size)
  if (shape.type === 'hull') return shape.polyhedron
  throw new Error(`a ${shape.type} has no corners`)
}

/** The shortest turn from one unit vector to another. */
function turnOnto(from: Float64Array, to: Float64Array): Float64Array {
  const axis = cross(from, to)
  const sine = Math.hypot(...axis)
  if (sine < 1e-9) {
    if (dot(from, to) > 0) return rotation([0, 0, 1], 0)
    const other = Math.abs(from[0]) < 0.7 ? Float64Array.of(1, 0, 0) : Float64Array.of(0, 1, 0)
    return rotation(unit(cross(from, other)), Math.PI)
  }
  return rotation(scaled(axis, 1 / sine), Math.atan2(sine, dot(from, to)))
}

const negated = (a: Float64Array) => a.map((x) => -x)
const between = (a: Float64Array, b: Float64Array, t: number) => a.map((x, k) => x + t * (b[k] - x))

function middle(vertices: Float64Array, loop: Int32Array): Float64Array {
  const out = new Float64Array(3)
  for (const v of loop) for (let k = 0; k < 3; k++) out[k] += vertices[3 * v + k] / loop.length
  return out
}
