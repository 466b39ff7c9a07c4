import { GeometryError } from '../geometryError.ts'
import type { Polyhedron } from '../shapes/index.ts'
import { edgeKey } from './hull.ts'

/**
 * The adjacency of vertices, edges and faces of a convex polyhedron. All in the polyhedron's axes. Points and segments have no faces; flat
 * polygons have two, back to back.
 */
export interface Topology {
  readonly vertexCount: number
  readonly edgeCount: number
  readonly faceCount: number
  /** f + 1: the loop of face i is entries faceStart[i] to faceStart[i + 1] - 1 of the next two lists. */
  readonly faceStart: Int32Array
  /** Vertices along the loops, counter-clockwise seen from outside. */
  readonly faceVertices: Int32Array
  /** Per entry: the edge from its vertex to the next of the loop. */
  readonly faceEdges: Int32Array
  /** e x 2: tail and head. */
  readonly edgeVertices: Int32Array
  /** e x 2: f1, whose loop runs from tail to head, and f2, whose loop runs back; -1 if there is none. */
  readonly edgeFaces: Int32Array
  /** e x 3: unit vectors from tail to head. */
  readonly edgeDirections: Float64Array
  /** e [m]. */
  readonly edgeLengths: Float64Array
  /** n + 1: the star of vertex i is entries vertexStart[i] to vertexStart[i + 1] - 1 of the next lists. */
  readonly vertexStart: Int32Array
  /** Edges around each vertex, counter-clockwise seen from outside. */
  readonly vertexEdges: Int32Array
  /** The other ends of those edges. */
  readonly vertexNeighbours: Int32Array
  /** Per entry: the face between its edge and the next around the vertex; -1 if there is none. */
  readonly vertexFaces: Int32Array
}

const topologies = new WeakMap<Polyhedron, Topology>()

/**
 * The adjacency of a polyhedron; made once for each polyhedron object. @unchecked
 *
 * @throws GeometryError if the loops do not close a surface: each edge must be in two loops, in opposite directions
 */
export function topologyOf(polyhedron: Polyhedron): Topology {
  const known = topologies.get(polyhedron)
  if (known) return known
  const made = makeTopology(polyhedron)
  topologies.set(polyhedron, made)
  return made
}

function makeTopology({ vertices, faces, edges }: Polyhedron): Topology {
  const vertexCount = vertices.length / 3
  const edgeCount = edges.length / 2
  const faceCount = faces.length
  const faceStart = new Int32Array(faceCount + 1)
  faces.forEach((loop, f) => {
    faceStart[f + 1] = faceStart[f] + loop.length
  })
  const faceVertices = new Int32Array(faceStart[faceCount])
  const faceEdges = new Int32Array(faceStart[faceCount])
  const edgeFaces = new Int32Array(2 * edgeCount).fill(-1)

  const numberOf = new Map<number, number>()
  for (let e = 0; e < edgeCount; e++) numberOf.set(edgeKey(edges[2 * e], edges[2 * e + 1]), e)
  faces.forEach((loop, f) => {
    loop.forEach((a, k) => {
      const b = loop[(k + 1) % loop.length]
      const e = numberOf.get(edgeKey(a, b))
      if (e === undefined) throw new GeometryError(`face ${f} runs from vertex ${a} to ${b}, which is none of the edges`)
      const side = 2 * e + (a === edges[2 * e] ? 0 : 1)
      if (edgeFaces[side] >= 0) {
        throw new GeometryError(
          `faces ${edgeFaces[side]} and ${f} both run from vertex ${a} to ${b}; expected one of them turned`,
        )
      }
      edgeFaces[side] = f
      faceVertices[faceStart[f] + k] = a
      faceEdges[faceStart[f] + k] = e
    })
  })
  if (faceCount > 0) {
    const open = edgeFaces.indexOf(-1)
    if (open >= 0) {
      const e = open >> 1
      throw new GeometryError(`edge ${e} from vertex ${edges[2 * e]} to ${edges[2 * e + 1]} has one face only, expected two`)
    }
  }
  return {
    vertexCount,
    edgeCount,
    faceCount,
    faceStart,
    faceVertices,
    faceEdges,
    edgeVertices: edges,
    edgeFaces,
    ...edgeVectors(vertices, edges),
    ...aroundVertices(vertexCount, faceStart, faceVertices, faceEdges, edges, edgeFaces),
  }
}

function edgeVectors(vertices: Float64Array, edges: Int32Array) {
  const count = edges.length / 2
  const edgeDirections = new Float64Array(3 * count)
  const edgeLengths = new Float64Array(count)
  for (let e = 0; e < count; e++) {
    const tail = 3 * edges[2 * e]
    const head = 3 * edges[2 * e + 1]
    for (let k = 0; k < 3; k++) edgeDirections[3 * e + k] = vertices[head + k] - vertices[tail + k]
    edgeLengths[e] = normalizeAt(edgeDirections, 3 * e)
  }
  return { edgeDirections, edgeLengths }
}

/** @returns the length before */
function normalizeAt(v: Float64Array, i: number): number {
  const length = Math.hypot(v[i], v[i + 1], v[i + 2])
  for (let k = 0; k < 3; k++) v[i + k] /= length
  return length
}

/** Lists each vertex's star from its first loop on: outgoing edge, face, and the incoming edge, which is the next face's outgoing one. */
function aroundVertices(
  vertexCount: number,
  faceStart: Int32Array,
  faceVertices: Int32Array,
  faceEdges: Int32Array,
  edges: Int32Array,
  edgeFaces: Int32Array,
) {
  const vertexStart = new Int32Array(vertexCount + 1)
  for (const i of edges) vertexStart[i + 1]++
  for (let i = 0; i < vertexCount; i++) vertexStart[i + 1] += vertexStart[i]
  const vertexEdges = new Int32Array(edges.length)
  const vertexNeighbours = new Int32Array(edges.length)
  const vertexFaces = new Int32Array(edges.length).fill(-1)
  const otherEnd = (e: number, i: number) => (edges[2 * e] === i ? edges[2 * e + 1] : edges[2 * e])
  if (faceStart.length === 1) {
    const next = vertexStart.slice()
    edges.forEach((i, k) => {
      vertexEdges[next[i]] = k >> 1
      vertexNeighbours[next[i]++] = otherEnd(k >> 1, i)
    })
    return { vertexStart, vertexEdges, vertexNeighbours, vertexFaces }
  }
  const firstEdge = new Int32Array(vertexCount).fill(-1)
  faceVertices.forEach((i, k) => {
    if (firstEdge[i] < 0) firstEdge[i] = faceEdges[k]
  })
  for (let i = 0; i < vertexCount; i++) {
    let e = firstEdge[i]
    for (let k = vertexStart[i]; k < vertexStart[i + 1]; k++) {
      const f = edgeFaces[edges[2 * e] === i ? 2 * e : 2 * e + 1] // runs from i along e
      vertexEdges[k] = e
      vertexNeighbours[k] = otherEnd(e, i)
      vertexFaces[k] = f
      const at = faceVertices.indexOf(i, faceStart[f])
      e = faceEdges[at === faceStart[f] ? faceStart[f + 1] - 1 : at - 1]
    }
    if (e !== firstEdge[i]) throw new GeometryError(`the faces at vertex ${i} make more than one fan, expected one around it`)
  }
  return { vertexStart, vertexEdges, vertexNeighbours, vertexFaces }
}
