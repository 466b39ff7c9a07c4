import { type Collider, GeometryError, type Topology, topologyOf } from '../geometry/index.ts'

/**
 * A polyhedral collider with the data of the search for feature contacts. Created once a shape. A point is one vertex without edges and
 * faces.
 *
 * Contacts number vertices, edges and faces as `topology` does, which lists the neighbours of each. A half-space is one face
 * without edges and vertices.
 */
export interface FeatureBody {
  readonly collider: Collider
  readonly topology: Topology
  /** In the shape's axes: 3 a face, unit; 1 a face [m]: the plane through the outermost vertex. */
  readonly faceNormals: Float64Array
  readonly faceOffsets: Float64Array

  // written by `placeFaces`
  /** 3 a face, unit, world axes. */
  readonly normalW: Float64Array
  /** 1 a face [m]: solid where normalW . x <= offsetW. */
  readonly offsetW: Float64Array
  // written by `placeBox`
  /** 6 [m]: least, then greatest coordinates, world axes; without bounds for half-spaces. */
  readonly boxW: Float64Array
  // written by `placeEdges`
  /** 3 an edge, unit, from tail to head, world axes. */
  readonly directionW: Float64Array

  // scratch of `featureContacts`
  /** 1 a vertex [m]: its extent towards the other body. */
  readonly reach: Float64Array
  /** Vertices and edges that are near the other body, ascending, and 2: how many of each. */
  readonly nearVertices: Int32Array
  readonly nearEdges: Int32Array
  readonly near: Int32Array
  /** 6 an entry of `nearEdges` [m]: least, then greatest coordinates of the part that is near. */
  readonly edgeBox: Float64Array
}

const plane: Topology = topologyOf({
  vertices: new Float64Array(0),
  faces: [],
  faceNormals: new Float64Array(0),
  edges: new Int32Array(0),
})

/**
 * @throws GeometryError for a shape that is neither a half-space, nor a polyhedron with faces, nor a point: a curved shape has a
 *         polyhedral version
 */
export function createFeatureBody(collider: Collider): FeatureBody {
  const { shape, core, rounding } = collider
  if (shape.type === 'halfspace') {
    const length = Math.hypot(...shape.normal)
    const normal = Float64Array.from(shape.normal, (x) => x / length)
    return withScratch(collider, plane, normal, Float64Array.of(shape.offset / length))
  }
  if (core === undefined || rounding > 0 || (core.faces.length === 0 && core.vertices.length > 3)) {
    throw new GeometryError(
      `a ${shape.type} without flat faces has no feature contacts; expected a half-space, a polyhedron with faces or a point. Use the shape's polyhedral version.`,
    )
  }
  const { vertices, faceNormals: N } = core
  // the outermost vertex: a face merged from nearly coplanar triangles then has no vertex in front of it
  const faceOffsets = Float64Array.from(core.faces, (_, f) => {
    let farthest = -Infinity
    for (let i = 0; i < vertices.length; i += 3) {
      farthest = Math.max(farthest, N[3 * f] * vertices[i] + N[3 * f + 1] * vertices[i + 1] + N[3 * f + 2] * vertices[i + 2])
    }
    return farthest
  })
  return withScratch(collider, topologyOf(core), N, faceOffsets)
}

function withScratch(collider: Collider, topology: Topology, faceNormals: Float64Array, faceOffsets: Float64Array): FeatureBody {
  const { vertexCount, edgeCount } = topology
  return {
    collider,
    topology,
    faceNormals,
    faceOffsets,
    normalW: new Float64Array(faceNormals.length),
    offsetW: new Float64Array(faceOffsets.length),
    boxW: new Float64Array(6),
    directionW: new Float64Array(3 * edgeCount),
    reach: new Float64Array(vertexCount),
    nearVertices: new Int32Array(vertexCount),
    nearEdges: new Int32Array(edgeCount),
    near: new Int32Array(2),
    edgeBox: new Float64Array(6 * edgeCount),
  }
}

/** Transforms edges and faces to world axes. The collider has to be placed, with its core. */
export function placeFeatures(body: FeatureBody): void {
  placeBox(body)
  placeFaces(body)
  placeEdges(body)
}

/** Only the edges: bodies that are far by their faces need none. */
export function placeEdges({ collider, topology, directionW }: FeatureBody): void {
  turn(directionW, collider.R, topology.edgeDirections)
}

/** Only the edges of vertices that are near the other body, as `nearVertices` has them. */
export function placeNearEdges({ collider, topology, directionW, nearVertices, near }: FeatureBody): void {
  const { edgeDirections: u, vertexStart, vertexEdges } = topology
  const { R } = collider
  for (let n = 0; n < near[0]; n++) {
    const v = nearVertices[n]
    for (let k = vertexStart[v]; k < vertexStart[v + 1]; k++) {
      const i = 3 * vertexEdges[k]
      const x = u[i]
      const y = u[i + 1]
      const z = u[i + 2]
      directionW[i] = R[0] * x + R[1] * y + R[2] * z
      directionW[i + 1] = R[3] * x + R[4] * y + R[5] * z
      directionW[i + 2] = R[6] * x + R[7] * y + R[8] * z
    }
  }
}

/** Only the faces. */
export function placeFaces({ collider, faceNormals, normalW, faceOffsets, offsetW }: FeatureBody): void {
  const { R, p } = collider
  turn(normalW, R, faceNormals)
  for (let f = 0; f < offsetW.length; f++) {
    offsetW[f] = faceOffsets[f] + normalW[3 * f] * p[0] + normalW[3 * f + 1] * p[1] + normalW[3 * f + 2] * p[2]
  }
}

/** Only the box around the body. */
export function placeBox({ collider, boxW }: FeatureBody): void {
  const { verticesW } = collider
  const isBounded = verticesW.length > 0
  for (let k = 0; k < 3; k++) {
    let low = isBounded ? Infinity : -Infinity
    let high = -low
    for (let i = k; i < verticesW.length; i += 3) {
      const x = verticesW[i]
      if (x < low) low = x
      if (x > high) high = x
    }
    boxW[k] = low
    boxW[3 + k] = high
  }
}

function turn(out: Float64Array, R: Float64Array, vectors: Float64Array): void {
  for (let i = 0; i < vectors.length; i += 3) {
    const x = vectors[i]
    const y = vectors[i + 1]
    const z = vectors[i + 2]
    out[i] = R[0] * x + R[1] * y + R[2] * z
    out[i + 1] = R[3] * x + R[4] * y + R[5] * z
    out[i + 2] = R[6] * x + R[7] * y + R[8] * z
  }
}
