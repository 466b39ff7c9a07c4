import { boxPolyhedron } from './hull.ts'
import type { Polyhedron, Shape } from './shape.ts'

/**
 * A shape prepared for queries, at a place in the world that may change. A bounded shape is the sum of a core and a ball:
 * the core is a polyhedron (a point for spheres, a segment for capsules) or a cylinder, the ball has radius `rounding`.
 */
export interface Collider {
  readonly shape: Shape
  /** The core in the shape's axes; undefined for cylinders and half-spaces. */
  readonly core: Polyhedron | undefined
  /** [m] */
  readonly rounding: number
  /** Half the length of capsules and cylinders, else 0 [m]. */
  readonly halfLength: number
  /** A ball around the whole shape: centre in the shape's axes [m] and radius [m], Infinity for half-spaces. */
  readonly center: Float64Array
  readonly radius: number
  /** e x 2: the faces on both sides of each edge of the core, -1 where there is none. */
  readonly edgeFaces: Int32Array
  /** Per face of the core: the edge that leads from each vertex of its loop to the next. */
  readonly faceEdges: readonly Int32Array[]

  // written by `placeCollider`
  /** 9, row-major: turns the shape's axes into the world's. */
  readonly R: Float64Array
  /** 3: the shape's origin in the world [m]. */
  readonly p: Float64Array
  /** 3: the centre of the ball in the world [m]. */
  readonly centerW: Float64Array

  // written by `placeCore`
  /** The core's vertices and face normals in world axes. */
  readonly verticesW: Float64Array
  readonly normalsW: Float64Array
}

const point: Polyhedron = {
  vertices: new Float64Array(3),
  faces: [],
  faceNormals: new Float64Array(0),
  edges: new Int32Array(0),
}

function segment(length: number): Polyhedron {
  const vertices = Float64Array.from([0, 0, -0.5 * length, 0, 0, 0.5 * length])
  return { vertices, faces: [], faceNormals: new Float64Array(0), edges: Int32Array.from([0, 1]) }
}

function coreOf(shape: Shape): Polyhedron | undefined {
  switch (shape.type) {
    case 'sphere':
      return point
    case 'capsule':
      return shape.length > 0 ? segment(shape.length) : point
    case 'box':
      return boxPolyhedron(shape.size)
    case 'hull':
      return shape.polyhedron
    default:
      return undefined
  }
}

export function createCollider(shape: Shape): Collider {
  const core = coreOf(shape)
  const rounding = shape.type === 'sphere' || shape.type === 'capsule' ? shape.radius : 0
  const center = new Float64Array(3)
  let radius = Infinity
  if (shape.type === 'cylinder') radius = Math.hypot(shape.radius, 0.5 * shape.length)
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
  return {
    shape,
    core,
    rounding,
    halfLength: shape.type === 'capsule' || shape.type === 'cylinder' ? 0.5 * shape.length : 0,
    center,
    radius,
    edgeFaces: core ? edgeFacesOf(core, faceEdges) : new Int32Array(0),
    faceEdges,
    R: Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1]),
    p: new Float64Array(3),
    centerW: new Float64Array(3),
    verticesW: new Float64Array(core ? core.vertices.length : 0),
    normalsW: new Float64Array(core ? core.faceNormals.length : 0),
  }
}

/** For each face, the edges along its loop. */
function faceEdgesOf({ edges, faces }: Polyhedron): Int32Array[] {
  const numberOf = new Map<string, number>()
  for (let e = 0; e < edges.length; e += 2) numberOf.set(`${edges[e]} ${edges[e + 1]}`, e / 2)
  return faces.map((loop) =>
    loop.map((a, k) => {
      const b = loop[(k + 1) % loop.length]
      return numberOf.get(`${Math.min(a, b)} ${Math.max(a, b)}`)!
    }),
  )
}

function edgeFacesOf({ edges }: Polyhedron, faceEdges: readonly Int32Array[]): Int32Array {
  const out = new Int32Array(edges.length).fill(-1)
  faceEdges.forEach((list, f) => {
    for (const e of list) out[out[2 * e] < 0 ? 2 * e : 2 * e + 1] = f
  })
  return out
}

/**
 * Puts a collider where a shape sits on a body.
 *
 * @param R_WB 9, row-major, and `p_WB` 3: the body's place in the world
 * @param R    9, row-major, and `p` 3: the shape's place on the body
 */
export function placeCollider(
  collider: Collider,
  R_WB: Float64Array,
  p_WB: Float64Array,
  R: Float64Array,
  p: Float64Array,
): void {
  const { R: RW, p: pW, center: c, centerW } = collider
  for (let i = 0; i < 9; i += 3) {
    for (let j = 0; j < 3; j++) RW[i + j] = R_WB[i] * R[j] + R_WB[i + 1] * R[3 + j] + R_WB[i + 2] * R[6 + j]
    const k = i / 3
    pW[k] = p_WB[k] + R_WB[i] * p[0] + R_WB[i + 1] * p[1] + R_WB[i + 2] * p[2]
    centerW[k] = pW[k] + RW[i] * c[0] + RW[i + 1] * c[1] + RW[i + 2] * c[2]
  }
}

/** Brings the core's vertices and normals into the world, after `placeCollider`. */
export function placeCore({ core, R, p, verticesW, normalsW }: Collider): void {
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
