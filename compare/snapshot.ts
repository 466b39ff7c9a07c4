/** A moment of a run as it can be drawn: what stands where, and what every contact carries. */
import {
  boxPolyhedron,
  type HeightField,
  hullOf,
  type PlacedShape,
  polyhedralVersion,
  type Shape,
  type TriangleMesh,
} from '../contact/geometry/index.ts'
import { type FeatureMoment, featureMoment } from '../contact/index.ts'
import { FrameSource, type RecordedContacts, type RecordedShape, type World } from '../simulation/index.ts'

/** Plain data that structuredClone copies. All in world axes. */
export interface Snapshot {
  /** End of the step whose contacts these are [s]. */
  readonly t: number
  /** nq, of all robots and bodies together. */
  readonly q: Float64Array
  readonly shapes: readonly DrawnShape[]
  readonly contacts: readonly ContactForce[]
  /** Of contact models that read features; contact i is `contacts[i]`. */
  readonly features?: FeatureMoment
}

/** A collision shape where it stands, as flat faces: curves and fine meshes with few enough to draw. */
export interface DrawnShape {
  /** Unique in its world. */
  readonly name: string
  /** The link of a robot that it belongs to; '' for the surroundings. */
  readonly link: string
  /** Which robot or free body of the world, from 0 up; -1 for the surroundings. */
  readonly owner: number
  readonly type: Shape['type']
  /** n x 3 [m]. */
  readonly vertices: Float64Array
  /** Loops of vertices, counter-clockwise seen from outside; each is convex, and flat but for rounding. */
  readonly faces: readonly Int32Array[]
  /** Faces that meet at a smaller angle, as its cosine, stand for a curve. */
  readonly crease: number
  /** Of a half-space, which has neither vertices nor faces: unit normal, and normal . x of its plane [m]. */
  readonly plane?: { readonly normal: readonly [number, number, number]; readonly offset: number }
}

/** What one contact passes on: the mean over the step that has just ended. */
export interface ContactForce {
  /** Names of the shapes, `a` that of the body with the lower number: the surroundings' in a contact with them. */
  readonly a: string
  readonly b: string
  /** Midway between the surfaces [m], where it was detected: at the start of the step. */
  readonly point: readonly [number, number, number]
  /** Unit, from A to B. */
  readonly normal: readonly [number, number, number]
  /** On B, without impacts; A gets the opposite [N]. */
  readonly force: readonly [number, number, number]
  /** What came at once, as an impact in this step, on B [N s]. */
  readonly impact: readonly [number, number, number]
  /** [m], negative when penetrating. */
  readonly gap: number
}

/** Which shapes contacts are between is the same at every moment of a world. */
const sources = new WeakMap<World, FrameSource>()

/** Takes it between two steps. Changes nothing of the world. */
export function takeSnapshot(world: World): Snapshot {
  const { robot, fixtures } = world
  const source = sources.get(world) ?? new FrameSource(world)
  sources.set(world, source)
  const { t, q, contacts } = source.read()
  const { R_WB, p_WB } = source.data
  return {
    t: t[0],
    q: q.slice(),
    shapes: [
      ...robot.shapes.map((shape, s) => drawn(shape, shape.link, ownerOf(world, s), R_WB[shape.body], p_WB[shape.body])),
      ...fixtures.map((shape) => drawn(shape, '', -1, R_WB[0], p_WB[0])),
    ],
    contacts: contactForces(source.shapes, contacts),
    ...(world.contactModel.reading === 'features' ? { features: featureMoment(world.contacts, world.dt) } : {}),
  }
}

/** The number of the robot that a shape is of: their shapes follow each other. */
function ownerOf({ robots }: World, shape: number): number {
  return Math.max(
    0,
    robots.findLastIndex(({ start }) => start.shape <= shape),
  )
}

function contactForces(shapes: readonly RecordedShape[], contacts: RecordedContacts): ContactForce[] {
  const { count, shapeA, shapeB, point, normal, force, impact, gap } = contacts
  return Array.from({ length: count }, (_, c) => {
    const at = (list: Float64Array) => [list[3 * c], list[3 * c + 1], list[3 * c + 2]] as const
    const [a, b] = [shapes[shapeA[c]].name, shapes[shapeB[c]].name]
    return { a, b, point: at(point), normal: at(normal), force: at(force), impact: at(impact), gap: gap[c] }
  })
}

/** In the shape's own axes. */
type Facets = Pick<DrawnShape, 'vertices' | 'faces' | 'crease'>

/** The same shapes are drawn at many moments of many runs. */
const facetsOfShape = new WeakMap<Shape, Facets>()

function drawn(
  { name, shape, R, p }: PlacedShape,
  link: string,
  owner: number,
  R_WB: Float64Array,
  p_WB: Float64Array,
): DrawnShape {
  const turn = (A: Float64Array, v: readonly number[]) =>
    [0, 1, 2].map((i) => A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2])
  const place = (v: readonly number[]) => {
    const inBody = turn(R, v)
    return turn(
      R_WB,
      inBody.map((x, i) => x + p[i]),
    ).map((x, i) => x + p_WB[i])
  }
  const about = { name, link, owner, type: shape.type }
  if (shape.type === 'halfspace') {
    const normal = turn(R_WB, turn(R, shape.normal)) as unknown as [number, number, number]
    const on = place(shape.normal.map((n) => n * shape.offset))
    const offset = normal[0] * on[0] + normal[1] * on[1] + normal[2] * on[2]
    return { ...about, vertices: new Float64Array(0), faces: [], crease: 1, plane: { normal, offset } }
  }
  let facets = facetsOfShape.get(shape)
  if (facets === undefined) {
    facets = facetsOf(shape)
    facetsOfShape.set(shape, facets)
  }
  const vertices = new Float64Array(facets.vertices.length)
  for (let i = 0; i < vertices.length; i += 3) vertices.set(place([...facets.vertices.subarray(i, i + 3)]), i)
  return { ...about, ...facets, vertices }
}

/** As many as tell what it is; every drawing of every run holds them. */
const sides = { sphere: 40, capsule: 16, cylinder: 24 } as const
const hullVertices = 40
const meshTriangles = 500
const gridCells = 20

/** Cosines of about 20, 35 and 50 degrees: facets of bodies with true edges, of curves, of what was made coarser. */
const creases = { exact: 0.94, curved: 0.82, coarse: 0.64 } as const

function facetsOf(shape: Exclude<Shape, { type: 'halfspace' }>): Facets {
  switch (shape.type) {
    case 'box':
      return { ...boxPolyhedron(shape.size), crease: creases.exact }
    case 'hull': {
      const { polyhedron } = shape
      if (polyhedron.vertices.length <= 3 * hullVertices) return { ...polyhedron, crease: creases.exact }
      return { ...hullOf(polyhedron.vertices, hullVertices), crease: creases.coarse }
    }
    case 'mesh':
      return facetsOfMesh(shape.mesh)
    case 'heightfield':
      return facetsOfField(shape)
    case 'sphere':
      // a contact point is drawn by its contacts
      if (shape.radius === 0) return { vertices: new Float64Array(0), faces: [], crease: 1 }
      return { ...polyhedralVersion(shape, { sides: sides.sphere }), crease: creases.curved }
    default:
      return {
        ...polyhedralVersion(shape, { sides: sides[shape.type === 'ellipsoid' ? 'sphere' : shape.type] }),
        crease: creases.curved,
      }
  }
}

/** A fine mesh made coarser: the vertices in a cell of a grid become their mean. */
function facetsOfMesh({ vertices, triangles }: TriangleMesh): Facets {
  const asFaces = (list: ArrayLike<number>) =>
    Array.from({ length: list.length / 3 }, (_, t) => Int32Array.of(list[3 * t], list[3 * t + 1], list[3 * t + 2]))
  if (triangles.length <= 3 * meshTriangles) return { vertices, faces: asFaces(triangles), crease: creases.exact }
  const low = [Infinity, Infinity, Infinity]
  const high = [-Infinity, -Infinity, -Infinity]
  vertices.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x)
    high[i % 3] = Math.max(high[i % 3], x)
  })
  const extent = Math.max(...high.map((x, k) => x - low[k]), Number.MIN_VALUE)
  let coarse: Facets | undefined
  for (let cells = 32; cells >= 3; cells = Math.floor(0.8 * cells)) {
    coarse = clustered(vertices, triangles, low, extent / cells, cells + 1)
    if (coarse.faces.length <= meshTriangles) break
  }
  return coarse as Facets
}

function clustered(vertices: Float64Array, triangles: Int32Array, low: readonly number[], size: number, across: number): Facets {
  const clusters = new Map<number, number>()
  const sums: number[] = []
  const clusterOf = Int32Array.from({ length: vertices.length / 3 }, (_, i) => {
    const cell = [0, 1, 2].map((k) => Math.floor((vertices[3 * i + k] - low[k]) / size))
    const key = (cell[2] * across + cell[1]) * across + cell[0]
    const cluster = clusters.get(key) ?? clusters.size
    clusters.set(key, cluster)
    for (let k = 0; k < 3; k++) sums[4 * cluster + k] = (sums[4 * cluster + k] ?? 0) + vertices[3 * i + k]
    sums[4 * cluster + 3] = (sums[4 * cluster + 3] ?? 0) + 1
    return cluster
  })
  const seen = new Set<string>()
  const faces: Int32Array[] = []
  for (let t = 0; t < triangles.length; t += 3) {
    const face = Int32Array.of(clusterOf[triangles[t]], clusterOf[triangles[t + 1]], clusterOf[triangles[t + 2]])
    const [a, b, c] = face
    if (a === b || b === c || c === a) continue
    const first = Math.min(a, b, c)
    const key = (a === first ? [a, b, c] : b === first ? [b, c, a] : [c, a, b]).join()
    if (seen.has(key)) continue
    seen.add(key)
    faces.push(face)
  }
  const means = Float64Array.from({ length: 3 * clusters.size }, (_, j) => {
    const cluster = Math.floor(j / 3)
    return sums[4 * cluster + (j % 3)] / sums[4 * cluster + 3]
  })
  return { vertices: means, faces, crease: creases.coarse }
}

/** The surface of a height field, every so many grid points. */
function facetsOfField({ rows, columns, spacing, heights }: HeightField): Facets {
  const every = (n: number) => {
    const stride = Math.max(1, Math.ceil((n - 1) / gridCells))
    const out = []
    for (let i = 0; i < n - 1; i += stride) out.push(i)
    return [...out, n - 1]
  }
  const [xs, ys] = [every(columns), every(rows)]
  const vertices = Float64Array.from(
    ys.flatMap((j) =>
      xs.flatMap((i) => [(i - 0.5 * (columns - 1)) * spacing[0], (j - 0.5 * (rows - 1)) * spacing[1], heights[j * columns + i]]),
    ),
  )
  const faces: Int32Array[] = []
  for (let j = 0; j + 1 < ys.length; j++) {
    for (let i = 0; i + 1 < xs.length; i++) {
      const corner = j * xs.length + i
      const [right, far, above] = [corner + 1, corner + xs.length + 1, corner + xs.length]
      faces.push(Int32Array.of(corner, right, far), Int32Array.of(corner, far, above))
    }
  }
  return { vertices, faces, crease: creases.coarse }
}
