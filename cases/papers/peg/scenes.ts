import { hullOf, type PlacedShape, type Polyhedron, polyhedralVersion, type Shape } from '../../../contact/geometry/index.ts'
import { buildModel, JointType } from '../../../dynamics/index.ts'
import { createFreeBody, type Robot } from '../../../robots/index.ts'
import type { EffortSource, WorldRobot } from '../../../simulation/index.ts'
import { boxOf, fixture, loadOf } from '../baraff/scene.ts'

/** One of the two bodies of a scene. */
export interface SceneBody {
  readonly name: string
  readonly polyhedron: Polyhedron
  /** Undefined for one that is fixed to the world. */
  readonly robot: Robot | undefined
  /** Start: q as the body's joint has it, v likewise; of a fixed one the place of its middle. */
  readonly q: readonly number[]
  readonly v: readonly number[]
  /** [kg], and of a prism its moment about its axis [kg m²]; 0 for one that is fixed. */
  readonly mass: number
  readonly inertia: number
  /** Of a prism, counter-clockwise: the corners of its polygon, their names, and its edges, of which edge i leaves corner i. */
  readonly polygon: readonly Point2[]
  readonly corners: readonly string[]
  readonly edges: readonly string[]
}

/** Two bodies that one large step brings together; the contacts' A and B in this order. */
export interface Scene {
  readonly id: string
  readonly title: string
  /** Flat things on planar joints, drawn from above; else blocks in space. */
  readonly isPlanar: boolean
  readonly a: SceneBody
  readonly b: SceneBody
  /** [m/s²], downwards. */
  readonly gravity: number
  /** [s] */
  readonly dt: number
  /** After the first step a force along x acts on B for another step [N]. */
  readonly push?: number
}

export type Point2 = readonly [number, number]

/** Prisms that stand for polygons are so long: longer than anything overlaps [m]. */
const prismLength = 4

/** @param corners counter-clockwise, in the body's axes; its centroid should be the origin */
function prismOf(corners: readonly Point2[]): Polyhedron {
  const points = corners.flatMap(([x, y]) => [x, y, -0.5 * prismLength, x, y, 0.5 * prismLength])
  return hullOf(Float64Array.from(points), points.length)
}

interface PolygonOptions {
  readonly name: string
  readonly corners: readonly Point2[]
  readonly names: readonly string[]
  readonly edges: readonly string[]
  readonly mass: number
  /** About the centroid [kg m²]; default: that of the full polygon. */
  readonly inertia?: number
  /** x, y, angle. */
  readonly q: readonly [number, number, number]
  readonly v: readonly [number, number, number]
}

/** A polygon on a planar joint, as a prism. */
export function polygonBody({ name, corners, names, edges, mass, inertia, q, v }: PolygonOptions): SceneBody {
  const polyhedron = prismOf(corners)
  const shape: Shape = { type: 'hull', polyhedron }
  const free = createFreeBody({ name, shape, mass, gravity: [0, 0, 0] })
  const izz = inertia ?? mass * momentOf(corners)
  const body = {
    name,
    jointName: 'plane',
    parent: 0,
    jointType: JointType.planar,
    axis: [0, 0, 1] as const,
    mass,
    centerOfMass: [0, 0, 0] as const,
    inertia: [izz, izz, izz, 0, 0, 0] as const,
  }
  const robot: Robot = {
    ...free,
    model: buildModel(name, [body], [0, 0, 0]),
    floating: false,
    freeJoints: [{ name: 'plane', type: 'planar', body: 1, qIndex: 0, vIndex: 0 }],
    home: Float64Array.from(q),
    counts: { links: 1, joints: { ...free.counts.joints, planar: 1 } },
  }
  return { name, polyhedron, robot, q, v, mass, inertia: izz, polygon: corners, corners: names, edges }
}

/** Mean of x² + y² over a polygon [m²]. */
function momentOf(corners: readonly Point2[]): number {
  let area = 0
  let moment = 0
  corners.forEach(([x, y], i) => {
    const [u, v] = corners[(i + 1) % corners.length]
    const part = x * v - y * u
    area += part / 2
    moment += (part * (x * x + y * y + x * u + y * v + u * u + v * v)) / 12
  })
  return moment / area
}

/** An isosceles triangle on its base, about its centroid. */
const triangle = (base: number, height: number): Point2[] => [
  [-base / 2, -height / 3],
  [base / 2, -height / 3],
  [0, (2 * height) / 3],
]

interface Pair {
  /** Base and height of the red triangle [m]. */
  readonly base: number
  readonly height: number
  /** Size of the blue one over that of the red one. */
  readonly ratio: number
  /** Both [kg]. */
  readonly mass: number
  /** From corner to corner [m]. */
  readonly gap: number
  /** Of the blue one, to the left [m/s]. */
  readonly speed: number
  readonly dt: number
}

/** Red on the left, its nearest corner at the origin; bases on the line y = 0. */
function triangles(id: string, title: string, { base, height, ratio, mass, gap, speed, dt }: Pair): Scene {
  const small = { base: ratio * base, height: ratio * height }
  return {
    id,
    title,
    isPlanar: true,
    a: polygonBody({
      name: 'red',
      corners: triangle(base, height),
      names: ['far corner of red', 'corner of red', 'top of red'],
      edges: ['base of red', 'flank of red', 'far flank of red'],
      mass,
      q: [-base / 2, height / 3, 0],
      v: [0, 0, 0],
    }),
    b: polygonBody({
      name: 'blue',
      corners: triangle(small.base, small.height),
      names: ['corner of blue', 'far corner of blue', 'top of blue'],
      edges: ['base of blue', 'far flank of blue', 'flank of blue'],
      mass,
      q: [gap + small.base / 2, small.height / 3, 0],
      v: [-speed, 0, 0],
    }),
    gravity: 0,
    dt,
  }
}

/**
 * Of figures 9 and 11: similar, and so not of one size; both so large that the nearest corners alone are within reach of a step, which is
 * looked for two steps ahead.
 */
export const figure11: Pair = { base: 1.6, height: 3.2, ratio: 0.6, mass: 1, gap: 0.1, speed: 1, dt: 0.5 }
/** Of one size: the models' results are known in closed form. */
export const congruent: Pair = { base: 1, height: Math.sqrt(3) / 2, ratio: 1, mass: 1, gap: 0.1, speed: 1, dt: 0.5 }

export const trianglesOfFigure11 = (): Scene => triangles('11', 'two triangles on one line', figure11)
export const congruentTriangles = (): Scene => triangles('11-congruent', 'two triangles of one size on one line', congruent)
/** The same at another step, and the gap in proportion: V h / gap stays. */
export const trianglesAt = (dt: number): Scene =>
  triangles(`11 at ${dt} s`, 'two triangles on one line', { ...figure11, dt, gap: gapAt(dt) })
export const gapAt = (dt: number) => (figure11.gap * dt) / figure11.dt

/**
 * Of figures 10 and 12: two cubes, the lower one fixed, its top at z = 1, the upper one above it; so large that a corner has no other corner
 * within reach but the one that it hits.
 */
export const figure12 = { size: 3, top: 1, mass: 1, gap: 0.04, gravity: 9.81, dt: 0.25, push: 8 } as const

export function blocksOfFigure12(isPushed: boolean): Scene {
  const { size, top, mass, gap, gravity, dt, push } = figure12
  const shape = { type: 'box', size: [size, size, size] } as const
  const q = [0, 0, top + gap + 0.5 * size, 0, 0, 0, 1]
  const polyhedron = polyhedralVersion(shape)
  const unnamed = { polygon: [], corners: [], edges: [] }
  return {
    id: isPushed ? '12-pushed' : '12',
    title: isPushed ? 'the block that has landed, under a force' : 'a block falls onto its like',
    isPlanar: false,
    a: { name: 'blue', polyhedron, robot: undefined, q: [0, 0, top - 0.5 * size], v: [], mass: 0, inertia: 0, ...unnamed },
    b: {
      name: 'red',
      polyhedron,
      robot: boxOf('red', shape.size, mass, [0, 0, q[2]], gravity),
      q,
      v: [0, 0, 0, 0, 0, 0],
      mass,
      inertia: 0,
      ...unnamed,
    },
    gravity,
    dt,
    push: isPushed ? push : undefined,
  }
}

/** Of figure 1: a corner, and a vertex that comes from beyond both of its sides [m, m/s, kg]. */
export const figure1 = {
  aside: 0.1,
  above: 0.05,
  speed: 1,
  fall: 0.4,
  dt: 0.5,
  side: 3,
  width: 1.2,
  height: 1.5,
  heavy: 1e6,
  mass: 1,
} as const

/**
 * The corner is that of a heavy square, the vertex the tip of a light triangle that stands on it. It passes over the top at a height
 * that it keeps; or falls, and hits the top beyond the corner.
 */
export function cornerOfFigure1(falls: boolean): Scene {
  const { aside, above, speed, fall, dt, side, width, height, heavy, mass } = figure1
  const half = side / 2
  return {
    id: falls ? '1-landing' : '1',
    title: falls ? 'a tip comes down on the top, from beyond the corner' : 'a tip passes over the corner',
    isPlanar: true,
    a: polygonBody({
      name: 'red',
      corners: [
        [-half, -half],
        [half, -half],
        [half, half],
        [-half, half],
      ],
      names: ['lower left corner of red', 'lower right corner of red', 'corner of red', 'upper left corner of red'],
      edges: ['bottom of red', 'side of red', 'top of red', 'far side of red'],
      mass: heavy,
      q: [-half, -half, 0],
      v: [0, 0, 0],
    }),
    b: polygonBody({
      name: 'blue',
      corners: [
        [0, (-2 * height) / 3],
        [width / 2, height / 3],
        [-width / 2, height / 3],
      ],
      names: ['tip of blue', 'upper right corner of blue', 'upper left corner of blue'],
      edges: ['right side of blue', 'top of blue', 'left side of blue'],
      mass,
      q: [aside, above + (2 * height) / 3, 0],
      v: [-speed, falls ? -fall : 0, 0],
    }),
    gravity: 0,
    dt,
  }
}

/** Parts of a world. In scenes with a push a force along x acts from the second step on, at the centre of a body that has not turned. */
export function worldParts({ a, b, push = 0, dt }: Scene): { robots: WorldRobot[]; fixtures: PlacedShape[] } {
  const moving = ({ name, robot, q, v }: SceneBody, controller?: EffortSource): WorldRobot[] =>
    robot === undefined ? [] : [{ name, robot, q, v, controller }]
  const fixed = ({ name, robot, polyhedron, q }: SceneBody): PlacedShape[] =>
    robot === undefined ? [fixture(name, { type: 'hull', polyhedron }, [q[0], q[1], q[2]])] : []
  const pushed = push === 0 ? undefined : loadOf((t) => [t > 0.5 * dt ? push : 0, 0, 0])
  return { robots: [...moving(a), ...moving(b, pushed)], fixtures: [...fixed(a), ...fixed(b)] }
}
