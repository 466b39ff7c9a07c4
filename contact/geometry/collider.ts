import { edgeKey } from './mesh/hull.ts'
import { Core, checkShape, coreOf, type Polyhedron, type Shape } from './shapes/index.ts'

/**
 * A shape prepared for queries, at a variable pose in the world. A bounded convex shape is the Minkowski sum of a core and a ball:
 * the core is a polyhedron (a point for spheres, a segment for capsules, a smaller box for rounded boxes) or a cylinder or ellipsoid, the
 * ball has radius `rounding`. @unchecked
 */
export class Collider {
  readonly shape: Shape
  /** One of `Core`. */
  readonly kind: number
  /** The core in the shape's axes; undefined for cylinders, ellipsoids and half-spaces. */
  readonly core: Polyhedron | undefined
  /** [m] */
  readonly rounding: number
  /** Radius of a cylinder, else 0 [m]. */
  readonly coreRadius: number
  /** 3: radii of an ellipsoid, else 0 [m]. */
  readonly radii: Float64Array
  /** Half the length of capsules and cylinders, else 0 [m]. */
  readonly halfLength: number
  /** Bounding ball of the whole shape: centre in the shape's axes [m] and radius [m], Infinity for half-spaces. */
  readonly center: Float64Array
  readonly radius: number
  /** 2 per edge of the core: the faces on both sides, -1 if there is none. */
  readonly edgeFaces: Int32Array
  /** Per face of the core: the edge from each vertex of its loop to the next. */
  readonly faceEdges: readonly Int32Array[]
  /** The faces around vertex i of the core are vertexFaces[k] for vertexFaceStart[i] <= k < vertexFaceStart[i + 1]. */
  readonly vertexFaces: Int32Array
  readonly vertexFaceStart: Int32Array
  /** Vertices that share a face with vertex i, in the same layout; empty except for `Core.many`. */
  readonly neighbours: Int32Array
  readonly neighbourStart: Int32Array
  /** Start of hill climbing: for each cell of a cube of directions (`cubeCell`), the support vertex along its centre. */
  readonly climbStart: Int32Array

  // written by `placeCollider`
  /** 9, row-major: turns the shape's axes into the world's. */
  readonly R = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  /** 3: the shape's origin in the world [m]. */
  readonly p = new Float64Array(3)
  /** 3: the centre of the bounding ball in the world [m]. */
  readonly centerW = new Float64Array(3)

  /** 1: nonzero while `verticesW` and `normalsW` are out of date. */
  readonly behind = new Int32Array(1)
  private readonly vertices: Float64Array
  private readonly normals: Float64Array

  constructor(shape: Shape) {
    const { polyhedron: core, rounding = 0, radius: coreRadius = 0, radii = [0, 0, 0], halfLength = 0, ...rest } = coreOf(shape)
    let { kind, bound: radius = Infinity } = rest
    const center = new Float64Array(3)
    if (core) {
      const { vertices } = core
      for (let k = 0; k < 3; k++) {
        let low = Infinity
        let high = -Infinity
        for (let i = k; i < vertices.length; i += 3) {
          low = Math.min(low, vertices[i])
          high = Math.max(high, vertices[i])
        }
        center[k] = 0.5 * (low + high)
      }
      radius = 0
      for (let i = 0; i < vertices.length; i += 3) {
        radius = Math.max(radius, Math.hypot(vertices[i] - center[0], vertices[i + 1] - center[1], vertices[i + 2] - center[2]))
      }
      radius += rounding
    }
    const faceEdges = core ? faceEdgesOf(core) : []
    const [vertexFaces, vertexFaceStart] = core ? vertexFacesOf(core) : none
    let [neighbours, neighbourStart] = core && kind === Core.few ? besideVertices(core, vertexFaces, vertexFaceStart) : none
    const corners = neighbourStart.length - 1
    // climbing visits the neighbours of about two vertices, in a less predictable order than that of all vertices
    if (neighbours.length > 0 && 4 * neighbours.length < corners * corners) kind = Core.many
    else [neighbours, neighbourStart] = none
    this.shape = shape
    this.kind = kind
    this.core = core
    this.rounding = rounding
    this.coreRadius = coreRadius
    this.radii = Float64Array.from(radii)
    this.halfLength = halfLength
    this.center = center
    this.radius = radius
    this.edgeFaces = core ? edgeFacesOf(core, faceEdges) : new Int32Array(0)
    this.faceEdges = faceEdges
    this.vertexFaces = vertexFaces
    this.vertexFaceStart = vertexFaceStart
    this.neighbours = neighbours
    this.neighbourStart = neighbourStart
    this.climbStart = core && kind === Core.many ? climbStartOf(core) : new Int32Array(0)
    this.vertices = new Float64Array(core ? core.vertices.length : 0)
    this.normals = new Float64Array(core ? core.faceNormals.length : 0)
  }

  // updated by `placeCore`; for `Core.many`, at the next read
  /** The core's vertices in world axes. */
  get verticesW(): Float64Array {
    if (this.behind[0] !== 0) bringCore(this.core, this.R, this.p, this.vertices, this.normals, this.behind)
    return this.vertices
  }

  /** The core's face normals in world axes. */
  get normalsW(): Float64Array {
    if (this.behind[0] !== 0) bringCore(this.core, this.R, this.p, this.vertices, this.normals, this.behind)
    return this.normals
  }
}

/** @unchecked @throws GeometryError for a shape with invalid numbers or one that is not convex */
export function createCollider(shape: Shape): Collider {
  checkShape(shape, 'of a query')
  return new Collider(shape)
}

/** For each face, the edges along its loop. */
function faceEdgesOf({ edges, faces }: Polyhedron): Int32Array[] {
  const numberOf = new Map<number, number>()
  for (let e = 0; e < edges.length; e += 2) numberOf.set(edgeKey(edges[e], edges[e + 1]), e / 2)
  return faces.map((loop) => loop.map((a, k) => numberOf.get(edgeKey(a, loop[(k + 1) % loop.length]))!))
}

function edgeFacesOf({ edges }: Polyhedron, faceEdges: readonly Int32Array[]): Int32Array {
  const out = new Int32Array(edges.length).fill(-1)
  faceEdges.forEach((list, f) => {
    for (const e of list) out[out[2 * e] < 0 ? 2 * e : 2 * e + 1] = f
  })
  return out
}

/** Concatenated lists, and the start of each. */
type Lists = readonly [Int32Array, Int32Array]

const none: Lists = [new Int32Array(0), new Int32Array(1)]

/** For each vertex, its faces. */
function vertexFacesOf({ vertices, faces }: Polyhedron): Lists {
  const start = new Int32Array(vertices.length / 3 + 1)
  for (const loop of faces) for (let k = 0; k < loop.length; k++) start[loop[k] + 1]++
  for (let i = 1; i < start.length; i++) start[i] += start[i - 1]
  const out = new Int32Array(start[start.length - 1])
  const next = start.slice()
  faces.forEach((loop, f) => {
    for (let k = 0; k < loop.length; k++) out[next[loop[k]]++] = f
  })
  return [out, start]
}

/**
 * Per vertex: all vertices that share a face with it, in order, not only along its edges. A face merged from triangles may deviate from a
 * plane by `shapeTolerance`, and hill climbing along its edges alone could stop that much too low.
 */
function besideVertices({ faces }: Polyhedron, vertexFaces: Int32Array, vertexFaceStart: Int32Array): Lists {
  const count = vertexFaceStart.length - 1
  const start = new Int32Array(count + 1)
  const found: number[] = []
  const seenBy = new Int32Array(count).fill(-1)
  for (let i = 0; i < count; i++) {
    seenBy[i] = i
    const own: number[] = []
    for (let f = vertexFaceStart[i]; f < vertexFaceStart[i + 1]; f++) {
      const loop = faces[vertexFaces[f]]
      for (let k = 0; k < loop.length; k++) {
        if (seenBy[loop[k]] === i) continue
        seenBy[loop[k]] = i
        own.push(loop[k])
      }
    }
    own.sort((a, b) => a - b)
    for (const j of own) found.push(j)
    start[i + 1] = found.length
  }
  return [Int32Array.from(found), start]
}

/** Cells along each side of the cube of directions. */
const cells = 8

/**
 * The cell of a cube around the origin through which a direction passes: face by its longest coordinate and the sign of that, then row and
 * column. The zero vector has cell 0. @unchecked
 */
export function cubeCell(x: number, y: number, z: number): number {
  const ax = Math.abs(x)
  const ay = Math.abs(y)
  const az = Math.abs(z)
  let face = 0
  let row = 0
  let column = 0
  if (ax >= ay && ax >= az) {
    face = x < 0 ? 1 : 0
    row = (0.5 * cells * (1 + y / ax)) | 0
    column = (0.5 * cells * (1 + z / ax)) | 0
  } else if (ay >= az) {
    face = y < 0 ? 3 : 2
    row = (0.5 * cells * (1 + z / ay)) | 0
    column = (0.5 * cells * (1 + x / ay)) | 0
  } else {
    face = z < 0 ? 5 : 4
    row = (0.5 * cells * (1 + x / az)) | 0
    column = (0.5 * cells * (1 + y / az)) | 0
  }
  // a coordinate equal to the longest is on the far border of the last cell
  if (row === cells) row = cells - 1
  if (column === cells) column = cells - 1
  return (face * cells + row) * cells + column
}

function climbStartOf({ vertices }: Polyhedron): Int32Array {
  const start = new Int32Array(6 * cells * cells)
  for (let face = 0; face < 6; face++) {
    const axis = face >> 1
    for (let row = 0; row < cells; row++) {
      for (let column = 0; column < cells; column++) {
        const d = [0, 0, 0]
        d[axis] = face & 1 ? -1 : 1
        d[(axis + 1) % 3] = (2 * row + 1) / cells - 1
        d[(axis + 2) % 3] = (2 * column + 1) / cells - 1
        let best = 0
        let highest = -Infinity
        for (let i = 0; i < vertices.length; i += 3) {
          const height = d[0] * vertices[i] + d[1] * vertices[i + 1] + d[2] * vertices[i + 2]
          if (height <= highest) continue
          highest = height
          best = i / 3
        }
        start[(face * cells + row) * cells + column] = best
      }
    }
  }
  return start
}

/**
 * Places a collider by the pose of its shape on a body. @unchecked
 *
 * @param R_WB 9, row-major, and `p_WB` 3: the body's pose in the world
 * @param R    9, row-major, and `p` 3: the shape's pose on the body
 */
export function placeCollider(
  collider: Collider,
  R_WB: Float64Array,
  p_WB: Float64Array,
  R: Float64Array,
  p: Float64Array,
): void {
  const { R: RW, p: pW, center, centerW } = collider
  const r0 = R[0]
  const r1 = R[1]
  const r2 = R[2]
  const r3 = R[3]
  const r4 = R[4]
  const r5 = R[5]
  const r6 = R[6]
  const r7 = R[7]
  const r8 = R[8]
  const px = p[0]
  const py = p[1]
  const pz = p[2]
  const cx = center[0]
  const cy = center[1]
  const cz = center[2]
  for (let k = 0; k < 3; k++) {
    const i = 3 * k
    const a = R_WB[i]
    const b = R_WB[i + 1]
    const c = R_WB[i + 2]
    const x = a * r0 + b * r3 + c * r6
    const y = a * r1 + b * r4 + c * r7
    const z = a * r2 + b * r5 + c * r8
    const middle = p_WB[k] + a * px + b * py + c * pz
    RW[i] = x
    RW[i + 1] = y
    RW[i + 2] = z
    pW[k] = middle
    centerW[k] = middle + x * cx + y * cy + z * cz
  }
}

/** Transforms the core's vertices and normals into the world, after `placeCollider`; for large hulls, only once read. @unchecked */
export function placeCore(collider: Collider): void {
  const { kind, core, R, p, behind } = collider
  if (kind === Core.many) behind[0] = 1
  else bringCore(core, R, p, collider.verticesW, collider.normalsW, behind)
}

function bringCore(
  core: Polyhedron | undefined,
  R: Float64Array,
  p: Float64Array,
  verticesW: Float64Array,
  normalsW: Float64Array,
  behind: Int32Array,
): void {
  behind[0] = 0
  if (core === undefined) return
  const { vertices, faceNormals } = core
  for (let i = 0; i < vertices.length; i += 3) {
    const x = vertices[i]
    const y = vertices[i + 1]
    const z = vertices[i + 2]
    verticesW[i] = p[0] + R[0] * x + R[1] * y + R[2] * z
    verticesW[i + 1] = p[1] + R[3] * x + R[4] * y + R[5] * z
    verticesW[i + 2] = p[2] + R[6] * x + R[7] * y + R[8] * z
  }
  for (let i = 0; i < faceNormals.length; i += 3) {
    const x = faceNormals[i]
    const y = faceNormals[i + 1]
    const z = faceNormals[i + 2]
    normalsW[i] = R[0] * x + R[1] * y + R[2] * z
    normalsW[i + 1] = R[3] * x + R[4] * y + R[5] * z
    normalsW[i + 2] = R[6] * x + R[7] * y + R[8] * z
  }
}

/** Vertex i of the core in world axes, to the k-th triple of `out`. @unchecked */
export function writeVertex(collider: Collider, i: number, out: Float64Array, k: number): void {
  const { vertices } = collider.core!
  const { R, p } = collider
  const x = vertices[3 * i]
  const y = vertices[3 * i + 1]
  const z = vertices[3 * i + 2]
  out[3 * k] = p[0] + R[0] * x + R[1] * y + R[2] * z
  out[3 * k + 1] = p[1] + R[3] * x + R[4] * y + R[5] * z
  out[3 * k + 2] = p[2] + R[6] * x + R[7] * y + R[8] * z
}

/** The outward unit normal of face f of the core in world axes; `out` 3. @unchecked */
export function writeNormal(collider: Collider, f: number, out: Float64Array): void {
  const { faceNormals } = collider.core!
  const { R } = collider
  const x = faceNormals[3 * f]
  const y = faceNormals[3 * f + 1]
  const z = faceNormals[3 * f + 2]
  out[0] = R[0] * x + R[1] * y + R[2] * z
  out[1] = R[3] * x + R[4] * y + R[5] * z
  out[2] = R[6] * x + R[7] * y + R[8] * z
}
