import {
  adjacencyOf,
  type Collider,
  checkShape,
  createCollider,
  GeometryError,
  halfExtentOfShape,
  heightAt,
  heightFieldSurface,
  MeshFeature,
  meshDistance,
  meshOfPolyhedron,
  meshTreeOf,
  nextInTriangle,
  type PlacedShape,
  type Polyhedron,
  placeCollider,
  placeCore,
  pointToEllipsoid,
  polyhedralVersion,
  refineMesh,
  type Shape,
  sampledDistance,
  sampledFieldOf,
  sizeOf,
  type TriangleMesh,
} from '../../geometry/index.ts'
import { shapeTolerance } from '../../tolerances.ts'

export interface FieldShapeOptions {
  /**
   * Faces are subdivided until no triangle is larger, so that flat faces have points inside [m^2]; Infinity leaves corners alone. Default:
   * the square of the largest extent, over 64. Height fields keep their grid.
   */
  readonly maxArea?: number
  /** Number of balls along the axis of capsules, and discs along that of cylinders; at least 2. */
  readonly stations?: number
}

/** Kinds of signed distance functions. */
export const FieldKind = {
  sphere: 0,
  capsule: 1,
  cylinder: 2,
  box: 3,
  polyhedron: 4,
  halfspace: 5,
  mesh: 6,
  heightfield: 7,
  ellipsoid: 8,
} as const

/**
 * A shape prepared for penetration queries: a signed distance field, and sample points of its surface to be tested against others. All is
 * in the shape's axes, except its pose.
 *
 * Surface points are of two kinds. Flat faces have the vertices of their triangulation. Curved surfaces have running points, which keep the
 * contact smooth in rolling: see `stationCount`.
 */
export type FieldShape = Readonly<ReturnType<typeof assembled>>

/** Whether the bounding balls of two convex shapes are disjoint. */
export function areBallsApart({ collider: a }: FieldShape, { collider: b }: FieldShape): boolean {
  if (a === undefined || b === undefined) return false
  const x = b.centerW[0] - a.centerW[0]
  const y = b.centerW[1] - a.centerW[1]
  const z = b.centerW[2] - a.centerW[2]
  const reach = a.radius + b.radius
  return x * x + y * y + z * z > reach * reach
}

/** Whether a shape has an inside: false for hulls without volume. @unchecked */
export function hasInside({ shape }: PlacedShape): boolean {
  return shape.type !== 'hull' || shape.polyhedron.faces.length >= 4
}

const none = new Int32Array(0)
const noPoints = new Float64Array(0)
const noMesh: TriangleMesh = { vertices: noPoints, triangles: none }

/** Running points at a station: one, or this number at the ends of cylinders. */
export const ringPoints = 8
const maxStations = 64

/**
 * A shape prepared for penetration queries. Distances of rounded boxes are exact; their surface points are those of the polyhedral version.
 *
 * @unchecked @param collider of the same shape, whose pose is then shared; without it, `placeFieldShape` sets the pose
 * @throws GeometryError for shapes with invalid numbers, hulls without volume, meshes that are not closed, and invalid options
 */
export function createFieldShape(
  shape: Shape,
  { maxArea, stations = 5 }: FieldShapeOptions = {},
  collider = isConvex(shape) ? createCollider(shape) : undefined,
): FieldShape {
  checkShape(shape, 'of a query')
  if (!Number.isInteger(stations) || stations < 2 || stations > maxStations) {
    throw new GeometryError(`${stations} stations along an axis were asked for, expected 2 to ${maxStations}`)
  }
  return assembled(shape, stations, collider, preparedFor(shape, maxArea))
}

function stationCountOf({ type }: Shape, stations: number): number {
  if (type === 'capsule' || type === 'cylinder') return stations
  return type === 'sphere' || type === 'ellipsoid' ? 1 : 0
}

/** One literal without spreads, so that all field shapes have one hidden class. */
function assembled(shape: Shape, stations: number, collider: Collider | undefined, prepared: Prepared) {
  return {
    shape,
    /** One of `FieldKind`. */
    kind: prepared.kind,
    /** Undefined for shapes that are not convex. */
    collider,
    /** Whether the shape is the intersection of the half-spaces below its facets. */
    polyhedral: prepared.polyhedral,
    /** 9 and 3: pose in the world; shared with `collider` if there is one. */
    R: collider?.R ?? Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
    p: collider?.p ?? new Float64Array(3),
    /** Half the largest extent, 0 for half-spaces [m]. */
    halfExtent: prepared.halfExtent,
    /** n x 3: vertices of the surface, corners first, then Steiner points [m]; and the number of corners. */
    vertices: prepared.vertices,
    cornerCount: prepared.cornerCount,
    /** Facets, merged from coplanar triangles: 3 each, outward unit normal; and 1 each: normal · x [m]. */
    facetNormals: prepared.facetNormals,
    facetOffsets: prepared.facetOffsets,
    /** The facets at vertex i are vertexFacets[k] for vertexFacetStart[i] <= k < vertexFacetStart[i + 1]. */
    vertexFacetStart: prepared.vertexFacetStart,
    vertexFacets: prepared.vertexFacets,
    /** The edges of vertex i are entries k with edgeStart[i] <= k < edgeStart[i + 1] of the next two lists. */
    edgeStart: prepared.edgeStart,
    /** The other end. */
    edgeEnds: prepared.edgeEnds,
    /** 2 an entry: the facets on both sides, -1 for none. */
    edgeFacets: prepared.edgeFacets,
    /** Scratch: one mark per vertex, 0 between queries. */
    marks: prepared.marks,
    /** A ball tree over the vertices. 4 a node: centre and radius of the ball around its vertices [m]. */
    balls: prepared.balls,
    /** 2 a node: first child (the second follows it) and 0; or, for a leaf, first index in `order` and number of vertices. */
    links: prepared.links,
    order: prepared.order,
    /**
     * Running points: at each of these stations on the axis, from z = -reach to reach, the point of the ball or disc of radius `size[0]` that
     * lies deepest in the other shape, by the gradient of the other's distance at the centre. An ellipsoid has one: the support point along
     * the minimum translation from a convex shape. Discs at the ends of cylinders have seven more, 45 degrees apart, so that an upright
     * cylinder stands on its rim.
     */
    stationCount: stationCountOf(shape, stations),
    /** [m] sphere: radius; capsule, cylinder: radius, half length; box: half edges of its core along x, y, z, rounding; ellipsoid: radii along x, y, z. */
    size: prepared.size,
    /** Corners of polyhedra, without Steiner points. */
    corners: prepared.corners,
    /** Boxes: the facet at the negative and positive side of x, y, z. */
    boxFacets: prepared.boxFacets,
    /** Distance tree of polyhedra and meshes. */
    tree: prepared.tree,
    /** Sampled field that replaces the exact distance to `tree`, if set. */
    sampled: prepared.sampled,
    /** Per triangle of `tree`: its facet, -1 if it has no area. */
    facetOfTriangle: prepared.facetOfTriangle,
  }
}

/**
 * A robot shape or fixture prepared for contacts with bounded shapes; undefined for shapes without an inside.
 *
 * @param collider of the same shape, whose pose is shared; meshes and height fields have their own
 * @throws GeometryError with the name of the shape if a mesh does not bound a solid, and for rounded boxes, whose edges have no sample points
 * here that roll on
 */
export function fieldOfPlaced(placed: PlacedShape, collider: Collider): FieldShape | undefined {
  if (!hasInside(placed)) return undefined
  const { shape, name } = placed
  if (shape.type === 'box' && shape.rounding) {
    throw new GeometryError(
      `shape "${name}": a box with rounding has no volume of overlap with bounded shapes (penalty, penalty-deepest) or moving meshes; use another model, or leave rounding out`,
    )
  }
  try {
    return createFieldShape(shape, {}, isConvex(shape) ? collider : undefined)
  } catch (error) {
    if (error instanceof GeometryError) throw new GeometryError(`shape "${name}": ${error.message}`)
    throw error
  }
}

type Prepared = ReturnType<typeof prepare>

/** Prepared data, made once per mesh or hull and shared by all its shapes. */
const known = new WeakMap<object, Map<string, Prepared>>()

function preparedFor(shape: Shape, maxArea: number | undefined): Prepared {
  const source = shape.type === 'mesh' ? shape.mesh : shape.type === 'hull' ? shape.polyhedron : undefined
  if (source === undefined) return prepare(shape, maxArea)
  const made = known.get(source) ?? new Map<string, Prepared>()
  known.set(source, made)
  const key = `${shape.type} ${maxArea} ${shape.type === 'mesh' ? shape.sampled : ''}`
  const prepared = made.get(key) ?? prepare(shape, maxArea)
  made.set(key, prepared)
  return prepared
}

function prepare(shape: Shape, maxArea: number | undefined) {
  const solid = polyhedronFor(shape)
  const coarse = solid ? meshOfPolyhedron(solid) : shape.type === 'mesh' ? shape.mesh : noMesh
  if (solid && solid.faces.length < 4) {
    throw new GeometryError('a hull without volume has no inside, which the penalty reading is about; use a thin box')
  }
  const halfExtent = halfExtentOfShape(shape)
  const mesh =
    shape.type === 'heightfield'
      ? heightFieldSurface(shape)
      : coarse.triangles.length > 0
        ? refinedBelow(coarse, maxArea ?? (halfExtent * halfExtent) / 16)
        : noMesh
  const facets = facetsOf(mesh)
  const { normals, offsets } = shape.type === 'cylinder' ? caps(shape.length) : shape.type === 'halfspace' ? plane(shape) : facets
  return {
    kind: kindOf(shape),
    polyhedral: (shape.type === 'box' && !shape.rounding) || shape.type === 'hull' || shape.type === 'halfspace',
    halfExtent,
    vertices: mesh.vertices,
    cornerCount: shape.type === 'heightfield' ? mesh.vertices.length / 3 : coarse.vertices.length / 3,
    facetNormals: normals,
    facetOffsets: offsets,
    ...facetsAtVertices(mesh, facets.facetOf),
    ...edgesAtVertices(mesh, facets.facetOf),
    marks: new Uint8Array(mesh.vertices.length / 3),
    ...ballTree(mesh.vertices),
    size: sizeOf(shape),
    corners: solid ? solid.vertices : noPoints,
    boxFacets: shape.type === 'box' ? (shape.rounding ? new Int32Array(6).fill(-1) : boxFacetsOf(facets.normals)) : none,
    tree: coarse.triangles.length > 0 ? meshTreeOf(coarse) : undefined,
    sampled: shape.type === 'mesh' && shape.sampled !== undefined ? sampledFieldOf(shape.mesh, shape.sampled) : undefined,
    // a subdivided triangle keeps its number for its first part
    facetOfTriangle: facets.facetOf.slice(0, coarse.triangles.length / 3),
  }
}

/** Places a shape in the world by its pose on a body; parameters as those of `placeCollider`. @unchecked */
export function placeFieldShape(
  field: FieldShape,
  R_WB: Float64Array,
  p_WB: Float64Array,
  R: Float64Array,
  p: Float64Array,
): void {
  if (field.collider !== undefined) {
    placeCollider(field.collider, R_WB, p_WB, R, p)
    placeCore(field.collider)
    return
  }
  const { R: RW, p: pW } = field
  for (let i = 0; i < 9; i += 3) {
    for (let j = 0; j < 3; j++) RW[i + j] = R_WB[i] * R[j] + R_WB[i + 1] * R[3 + j] + R_WB[i + 2] * R[6 + j]
    pW[i / 3] = p_WB[i / 3] + R_WB[i] * p[0] + R_WB[i + 1] * p[1] + R_WB[i + 2] * p[2]
  }
}

/**
 * Relative pose, from the axes of one placed shape into those of another: x_other = Q x + s.
 *
 * @param Q out, 9
 * @param s out, 3 [m]
 */
export function relativePose({ R: RO, p: pO }: FieldShape, { R, p }: FieldShape, Q: Float64Array, s: Float64Array): void {
  const dx = pO[0] - p[0]
  const dy = pO[1] - p[1]
  const dz = pO[2] - p[2]
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) Q[3 * i + j] = R[i] * RO[j] + R[3 + i] * RO[3 + j] + R[6 + i] * RO[6 + j]
    s[i] = R[i] * dx + R[3 + i] * dy + R[6 + i] * dz
  }
}

function isConvex({ type }: Shape): boolean {
  return type !== 'mesh' && type !== 'heightfield'
}

function kindOf({ type }: Shape): number {
  return type === 'hull' ? FieldKind.polyhedron : FieldKind[type]
}

function polyhedronFor(shape: Shape): Polyhedron | undefined {
  if (shape.type === 'box') return polyhedralVersion(shape)
  return shape.type === 'hull' ? shape.polyhedron : undefined
}

function caps(length: number) {
  return { normals: Float64Array.of(0, 0, -1, 0, 0, 1), offsets: Float64Array.of(0.5 * length, 0.5 * length) }
}

function plane({ normal, offset }: Shape & { type: 'halfspace' }) {
  const length = Math.hypot(...normal)
  return { normals: Float64Array.from(normal, (x) => x / length), offsets: Float64Array.of(offset / length) }
}

function refinedBelow(mesh: TriangleMesh, maxArea: number): TriangleMesh {
  return maxArea === Infinity ? mesh : refineMesh(mesh, maxArea)
}

/**
 * Facets, grown by region: neighbouring triangles whose normals and planes agree to `shapeTolerance` of the extent with those of
 * the seed triangle, the largest one left.
 */
function facetsOf(mesh: TriangleMesh) {
  const { vertices, triangles } = mesh
  const count = triangles.length / 3
  const facetOf = new Int32Array(count).fill(-1)
  const areas = new Float64Array(3 * count)
  const squares = new Float64Array(count)
  const { twins } = adjacencyOf(mesh)
  let extent = 0
  for (let k = 0; k < vertices.length; k++) extent = Math.max(extent, Math.abs(vertices[k] - vertices[k % 3]))
  for (let t = 0; t < count; t++) {
    const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]]
    for (let k = 0; k < 3; k++) {
      const l = (k + 1) % 3
      const m = (k + 2) % 3
      areas[3 * t + k] =
        (vertices[b + l] - vertices[a + l]) * (vertices[c + m] - vertices[a + m]) -
        (vertices[b + m] - vertices[a + m]) * (vertices[c + l] - vertices[a + l])
      squares[t] += areas[3 * t + k] * areas[3 * t + k]
    }
  }
  const seeds = Array.from({ length: count }, (_, t) => t).sort((s, t) => squares[t] - squares[s] || s - t)
  const normals: number[] = []
  const offsets: number[] = []
  for (const seed of seeds) {
    if (facetOf[seed] >= 0 || !(squares[seed] > 0)) continue
    const f = offsets.length
    const n = [0, 1, 2].map((k) => areas[3 * seed + k] / Math.sqrt(squares[seed]))
    const height = (i: number) => n[0] * vertices[3 * i] + n[1] * vertices[3 * i + 1] + n[2] * vertices[3 * i + 2]
    const level = height(triangles[3 * seed])
    facetOf[seed] = f
    const sum = [0, 0, 0]
    const members = [seed]
    for (const t of members) {
      for (let k = 0; k < 3; k++) sum[k] += areas[3 * t + k]
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        const s = Math.floor(twins[h] / 3)
        if (s < 0 || facetOf[s] >= 0) continue
        const agreement = n[0] * areas[3 * s] + n[1] * areas[3 * s + 1] + n[2] * areas[3 * s + 2]
        if (!(agreement > (1 - shapeTolerance * shapeTolerance) * Math.sqrt(squares[s]))) continue
        const corner = triangles[nextInTriangle(nextInTriangle(twins[h]))]
        if (!(Math.abs(height(corner) - level) <= shapeTolerance * extent)) continue
        facetOf[s] = f
        members.push(s)
      }
    }
    const length = Math.hypot(...sum)
    const normal = sum.map((x) => x / length)
    let offset = -Infinity
    for (const t of members) {
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        const i = 3 * triangles[h]
        offset = Math.max(offset, normal[0] * vertices[i] + normal[1] * vertices[i + 1] + normal[2] * vertices[i + 2])
      }
    }
    normals.push(...normal)
    offsets.push(offset)
  }
  return { facetOf, normals: Float64Array.from(normals), offsets: Float64Array.from(offsets) }
}

function facetsAtVertices(mesh: TriangleMesh, facetOf: Int32Array) {
  const { vertexStart, vertexTriangles } = adjacencyOf(mesh)
  const count = mesh.vertices.length / 3
  const vertexFacetStart = new Int32Array(count + 1)
  const list: number[] = []
  for (let i = 0; i < count; i++) {
    const around = vertexTriangles.subarray(vertexStart[i], vertexStart[i + 1])
    list.push(...[...new Set(Array.from(around, (t) => facetOf[t]))].filter((f) => f >= 0).sort((f, g) => f - g))
    vertexFacetStart[i + 1] = list.length
  }
  return { vertexFacetStart, vertexFacets: Int32Array.from(list) }
}

function edgesAtVertices(mesh: TriangleMesh, facetOf: Int32Array) {
  const { edges, edgeTriangles } = adjacencyOf(mesh)
  const edgeStart = new Int32Array(mesh.vertices.length / 3 + 1)
  for (const i of edges) edgeStart[i + 1]++
  for (let i = 1; i < edgeStart.length; i++) edgeStart[i] += edgeStart[i - 1]
  const next = edgeStart.slice()
  const edgeEnds = new Int32Array(edges.length)
  const edgeFacets = new Int32Array(2 * edges.length)
  edges.forEach((i, h) => {
    const place = next[i]++
    edgeEnds[place] = edges[h ^ 1]
    for (let side = 0; side < 2; side++) {
      const triangle = edgeTriangles[(h & ~1) + side]
      edgeFacets[2 * place + side] = triangle < 0 ? -1 : facetOf[triangle]
    }
  })
  return { edgeStart, edgeEnds, edgeFacets }
}

function boxFacetsOf(normals: Float64Array): Int32Array {
  const out = new Int32Array(6)
  for (let f = 0; f < 6; f++) {
    for (let k = 0; k < 3; k++) if (normals[3 * f + k] !== 0) out[2 * k + (normals[3 * f + k] > 0 ? 1 : 0)] = f
  }
  return out
}

const maxInLeaf = 4

/**
 * A tree of bounding balls over points: splits them at the median along the longest side of their box until at most four are left.
 *
 * @param reach per point, the radius of the element that it represents [m]; default 0
 */
export function ballTree(vertices: Float64Array, reach?: Float64Array) {
  const count = vertices.length / 3
  const order = Int32Array.from({ length: count }, (_, i) => i)
  const balls: number[] = []
  const links: number[] = []
  const rest: [node: number, first: number, end: number][] = count > 0 ? [[0, 0, count]] : []
  let nodes = 1
  while (rest.length > 0) {
    const [node, first, end] = rest.pop()!
    const low = [Infinity, Infinity, Infinity]
    const high = [-Infinity, -Infinity, -Infinity]
    for (let s = first; s < end; s++) {
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], vertices[3 * order[s] + k])
        high[k] = Math.max(high[k], vertices[3 * order[s] + k])
      }
    }
    const center = [0, 1, 2].map((k) => 0.5 * (low[k] + high[k]))
    let radius = 0
    for (let s = first; s < end; s++) {
      const farthest = Math.hypot(...center.map((x, k) => vertices[3 * order[s] + k] - x))
      radius = Math.max(radius, farthest + (reach?.[order[s]] ?? 0))
    }
    for (let k = 0; k < 3; k++) balls[4 * node + k] = center[k]
    balls[4 * node + 3] = radius
    if (end - first <= maxInLeaf) {
      links[2 * node] = first
      links[2 * node + 1] = end - first
      continue
    }
    const axis = [0, 1, 2].reduce((best, k) => (high[k] - low[k] > high[best] - low[best] ? k : best))
    order.subarray(first, end).sort((i, j) => vertices[3 * i + axis] - vertices[3 * j + axis] || i - j)
    const middle = (first + end) >> 1
    links[2 * node] = nodes
    links[2 * node + 1] = 0
    rest.push([nodes, first, middle], [nodes + 1, middle, end])
    nodes += 2
  }
  return { balls: Float64Array.from(balls), links: Int32Array.from(links), order }
}

const answer = new Float64Array(7)
const feature = new Int32Array(2)
const unlimited = Float64Array.of(Infinity)
const surface = new Float64Array(4)
/** 1 - cos of the angle between a mesh's gradient and the nearest triangle's normal, below which the distance is to its facet. */
const ofFacet = 1e-12

/**
 * Signed distance of a point, negative inside. @unchecked
 *
 * Exact to rounding for all shapes but height fields, for which it is the distance from the plane of the triangle above or below. Faces of
 * hulls and meshes that are flat to `shapeTolerance` count as flat.
 *
 * @param x     3, in the shape's axes [m]
 * @param out   out, 4: distance [m] and its gradient, a unit vector; where it is not unique, a fixed choice
 * @param facet out, 1: the facet to whose plane the distance is, or -1 for curved surfaces, edges and vertices
 */
export function pointDistance(field: FieldShape, x: Float64Array, out: Float64Array, facet: Int32Array): void {
  switch (field.kind) {
    case FieldKind.sphere:
    case FieldKind.capsule:
      ballDistance(field, x, out)
      facet[0] = -1
      break
    case FieldKind.ellipsoid:
      pointToEllipsoid(x, field.size, out)
      facet[0] = -1
      break
    case FieldKind.cylinder:
      cylinderDistance(field, x, out, facet)
      break
    case FieldKind.box:
      boxDistance(field, x, out, facet)
      break
    case FieldKind.polyhedron:
      planesDistance(field, x, unlimited, 0, out, facet)
      if (out[0] > 0) surfaceDistance(field, x, out, facet)
      break
    case FieldKind.halfspace:
      planesDistance(field, x, unlimited, 0, out, facet)
      break
    case FieldKind.mesh:
      surfaceDistance(field, x, out, facet)
      break
    default:
      terrainDistance(field, x, out, facet)
  }
}

/**
 * `pointDistance` for points inside and on the surface. For points outside, hulls return a lower bound, and stop early if it is more than
 * `limit`.
 *
 * @param limit its k-th entry [m], not negative
 */
export function pointDistanceWithin(
  field: FieldShape,
  x: Float64Array,
  limit: Float64Array,
  k: number,
  out: Float64Array,
  facet: Int32Array,
): void {
  if (field.kind === FieldKind.polyhedron) {
    planesDistance(field, x, limit, k, out, facet)
    return
  }
  pointDistance(field, x, out, facet)
}

/**
 * Whether a ball around x is apart from a shape, by `out` of `pointDistanceWithin`; beside a height field, which has no distance there, by
 * the way to its rectangle.
 *
 * @param reach its k-th entry and `more`: radius of the ball [m]
 */
export function isBallApart(
  { shape }: FieldShape,
  x: Float64Array,
  reach: Float64Array,
  k: number,
  more: Float64Array,
  out: Float64Array,
) {
  const radius = reach[k] + more[0]
  if (shape.type !== 'heightfield' || out[0] < Infinity) return out[0] > radius
  const besideX = Math.max(Math.abs(x[0]) - 0.5 * (shape.columns - 1) * shape.spacing[0], 0)
  const besideY = Math.max(Math.abs(x[1]) - 0.5 * (shape.rows - 1) * shape.spacing[1], 0)
  return besideX * besideX + besideY * besideY > radius * radius
}

function ballDistance({ size }: FieldShape, x: Float64Array, out: Float64Array): void {
  const z = x[2] - Math.min(Math.max(x[2], -size[1]), size[1])
  const length = Math.sqrt(x[0] * x[0] + x[1] * x[1] + z * z)
  const scale = length > 0 ? 1 / length : 0
  out[0] = length - size[0]
  // on the axis, all directions across it are equally near
  out[1] = length > 0 ? scale * x[0] : 1
  out[2] = scale * x[1]
  out[3] = scale * z
}

function cylinderDistance({ size }: FieldShape, x: Float64Array, out: Float64Array, facet: Int32Array): void {
  const across = Math.sqrt(x[0] * x[0] + x[1] * x[1])
  const ux = across > 0 ? x[0] / across : 1
  const uy = across > 0 ? x[1] / across : 0
  const side = across - size[0]
  const cap = Math.abs(x[2]) - size[1]
  const up = x[2] < 0 ? -1 : 1
  if (side > 0 && cap > 0) {
    const length = Math.sqrt(side * side + cap * cap)
    out[0] = length
    out[1] = (side / length) * ux
    out[2] = (side / length) * uy
    out[3] = (cap / length) * up
    facet[0] = -1
    return
  }
  const flat = cap > side ? 1 : 0
  out[0] = flat === 1 ? cap : side
  out[1] = flat === 1 ? 0 : ux
  out[2] = flat === 1 ? 0 : uy
  out[3] = flat === 1 ? up : 0
  facet[0] = flat === 1 ? (up < 0 ? 0 : 1) : -1
}

function boxDistance({ size, boxFacets }: FieldShape, x: Float64Array, out: Float64Array, facet: Int32Array): void {
  let axis = 0
  let most = -Infinity
  let square = 0
  let beyond = 0
  for (let k = 0; k < 3; k++) {
    const d = Math.abs(x[k]) - size[k]
    if (d > most) {
      most = d
      axis = k
    }
    if (d > 0) {
      square += d * d
      beyond++
    }
  }
  for (let k = 0; k < 3; k++) out[1 + k] = 0
  if (beyond > 1) {
    const length = Math.sqrt(square)
    out[0] = length - size[3]
    for (let k = 0; k < 3; k++) {
      const d = Math.abs(x[k]) - size[k]
      out[1 + k] = d > 0 ? (x[k] < 0 ? -d : d) / length : 0
    }
    facet[0] = -1
    return
  }
  out[0] = most - size[3]
  out[1 + axis] = x[axis] < 0 ? -1 : 1
  facet[0] = boxFacets[2 * axis + (x[axis] < 0 ? 0 : 1)]
}

/** Inside a convex polyhedron, the exact distance; outside, a lower bound, from the first plane beyond the limit if any. */
function planesDistance(
  { facetNormals: N, facetOffsets }: FieldShape,
  x: Float64Array,
  limit: Float64Array,
  k: number,
  out: Float64Array,
  facet: Int32Array,
): void {
  const enough = limit[k]
  let most = -Infinity
  let best = 0
  for (let f = 0; f < facetOffsets.length && most <= enough; f++) {
    const d = N[3 * f] * x[0] + N[3 * f + 1] * x[1] + N[3 * f + 2] * x[2] - facetOffsets[f]
    if (d > most) {
      most = d
      best = f
    }
  }
  out[0] = most
  for (let i = 0; i < 3; i++) out[1 + i] = N[3 * best + i]
  facet[0] = best
}

function surfaceDistance(
  { tree, sampled, facetOfTriangle, facetNormals: N }: FieldShape,
  x: Float64Array,
  out: Float64Array,
  facet: Int32Array,
) {
  if (sampled !== undefined) {
    sampledDistance(sampled, x, out)
    facet[0] = -1
    return
  }
  meshDistance(tree!, x, answer, feature)
  for (let k = 0; k < 4; k++) out[k] = answer[k]
  facet[0] = -1
  if (feature[0] !== MeshFeature.face) return
  const f = facetOfTriangle[feature[1]]
  if (f < 0) return
  const agreement = N[3 * f] * out[1] + N[3 * f + 1] * out[2] + N[3 * f + 2] * out[3]
  if (agreement > 1 - ofFacet) facet[0] = f
}

function terrainDistance({ shape }: FieldShape, x: Float64Array, out: Float64Array, facet: Int32Array): void {
  if (shape.type !== 'heightfield') return
  heightAt(shape, x, surface)
  out[0] = surface[0] === -Infinity ? Infinity : surface[3] * (x[2] - surface[0])
  for (let k = 1; k < 4; k++) out[k] = surface[k]
  facet[0] = -1
}

/**
 * Support function of a convex shape: the greatest n . x along a direction; Infinity for half-spaces.
 *
 * @param n   3, in the shape's axes
 * @param out out, 1
 */
export function reachAlong({ kind, size, corners }: FieldShape, n: Float64Array, out: Float64Array): void {
  switch (kind) {
    case FieldKind.sphere:
    case FieldKind.capsule:
      out[0] = size[0] * Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) + size[1] * Math.abs(n[2])
      break
    case FieldKind.cylinder:
      out[0] = size[0] * Math.sqrt(n[0] * n[0] + n[1] * n[1]) + size[1] * Math.abs(n[2])
      break
    case FieldKind.ellipsoid: {
      const x = size[0] * n[0]
      const y = size[1] * n[1]
      const z = size[2] * n[2]
      out[0] = Math.sqrt(x * x + y * y + z * z)
      break
    }
    case FieldKind.box:
      out[0] = size[0] * Math.abs(n[0]) + size[1] * Math.abs(n[1]) + size[2] * Math.abs(n[2])
      if (size[3] > 0) out[0] += size[3] * Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
      break
    case FieldKind.polyhedron: {
      let most = -Infinity
      for (let i = 0; i < corners.length; i += 3) {
        const d = n[0] * corners[i] + n[1] * corners[i + 1] + n[2] * corners[i + 2]
        if (d > most) most = d
      }
      out[0] = most
      break
    }
    default:
      out[0] = Infinity
  }
}
