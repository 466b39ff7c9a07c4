import { type Collider, GeometryError, type Topology, topologyOf } from '../../geometry/index.ts'

/**
 * A polyhedral collider with data for the search of feature contacts; made once per shape. A point is one vertex without edges and faces.
 *
 * Contacts number vertices, edges and faces as `topology` does, which lists their neighbours. A half-space is one face without edges and
 * vertices.
 */
export type FeatureBody = Readonly<ReturnType<typeof withScratch>>

const plane: Topology = topologyOf({
  vertices: new Float64Array(0),
  faces: [],
  faceNormals: new Float64Array(0),
  edges: new Int32Array(0),
})

/**
 * @unchecked @throws GeometryError for a shape that is neither a half-space, nor a polyhedron with faces, nor a point (curved shapes have a polyhedral
 * version)
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
      `a ${shape.type} ${rounding > 0 && core?.faces.length ? 'with rounding' : 'without flat faces'} has no feature contacts; expected a half-space, a polyhedron with faces or a point. Use the shape's polyhedral version.`,
    )
  }
  const { vertices, faceNormals: N } = core
  // through the outermost vertex: no vertex of a face merged from nearly coplanar triangles is then in front of it
  const faceOffsets = Float64Array.from(core.faces, (_, f) => {
    let farthest = -Infinity
    for (let i = 0; i < vertices.length; i += 3) {
      farthest = Math.max(farthest, N[3 * f] * vertices[i] + N[3 * f + 1] * vertices[i + 1] + N[3 * f + 2] * vertices[i + 2])
    }
    return farthest
  })
  return withScratch(collider, topologyOf(core), N, faceOffsets)
}

function withScratch(collider: Collider, topology: Topology, faceNormals: Float64Array, faceOffsets: Float64Array) {
  const { vertexCount, edgeCount } = topology
  return {
    collider,
    topology,
    /** In the shape's axes: 3 a face, unit normal; 1 a face [m]: offset of the plane through the outermost vertex. */
    faceNormals,
    faceOffsets,
    // written by `placeFaces`
    /** 3 a face, unit, world axes. */
    normalW: new Float64Array(faceNormals.length),
    /** 1 a face [m]: solid where normalW . x <= offsetW. */
    offsetW: new Float64Array(faceOffsets.length),
    // written by `placeBox`
    /** 6 [m]: least, then greatest coordinates in world axes; infinite for half-spaces. */
    boxW: new Float64Array(6),
    // written by `placeEdges`
    /** 3 an edge: unit direction from tail to head, world axes. */
    directionW: new Float64Array(3 * edgeCount),
    // scratch of `featureContacts`
    /** 1 a vertex [m]: its extent towards the other body. */
    reach: new Float64Array(vertexCount),
    /** Vertices and edges near the other body, ascending; and 2: their numbers. */
    nearVertices: new Int32Array(vertexCount),
    nearEdges: new Int32Array(edgeCount),
    near: new Int32Array(2),
    /** 6 an entry of `nearEdges` [m]: least, then greatest coordinates of its near part. */
    edgeBox: new Float64Array(6 * edgeCount),
  }
}

/** Transforms edges and faces to world axes. The collider and its core must be placed. */
export function placeFeatures(body: FeatureBody): void {
  placeBox(body)
  placeFaces(body)
  placeEdges(body)
}

/** Transforms only the edges: bodies that are separated by faces need none. */
export function placeEdges({ collider, topology, directionW }: FeatureBody): void {
  turn(directionW, collider.R, topology.edgeDirections)
}

/** Transforms only the edges at vertices near the other body (`nearVertices`). */
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

/** Transforms only the box around the body. */
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

/*
 * Applicability of a pair of features (Donald, 1984; Latombe, 1991; relaxed by Williams, Lu and Trinkle, 2014, equations 5 to 7): whether A
 * ends at one feature and B begins at the other along some direction, so that bodies with this orientation can touch there. Each value is
 * the sine of the angle to the limit, at least 0 when applicable, and the relaxed test is value >= -epsilon.
 */

/**
 * Applicability of a vertex to a face with outward normal n of the other body (equation 6): the least n . u over unit vectors u along the
 * edges that leave the vertex. No edge may lead through the face's plane. A point has no edges and may touch any face: `ofPoint`. For
 * upright prisms and their sides this is equation 5: the third edge lies along the side. @unchecked
 *
 * @param at start of n in `n`
 * @param out out, 1
 */
export function vertexFaceApplicability(body: FeatureBody, vertex: number, n: Float64Array, at: number, out: Float64Array): void {
  if (body.topology.edgeCount === 0) out[0] = ofPoint
  else leastLeaving(body.topology, body.directionW, vertex, n, at, out, 0)
}

/** out[to] = the least n . u over unit vectors u along the edges that leave the vertex, at most 1; n and `directions` in the same axes. */
export function leastLeaving(
  { vertexStart, vertexEdges, edgeVertices }: Topology,
  directions: Float64Array,
  vertex: number,
  n: Float64Array,
  at: number,
  out: Float64Array,
  to: number,
): void {
  const x = n[at]
  const y = n[at + 1]
  const z = n[at + 2]
  let least = 1
  for (let k = vertexStart[vertex]; k < vertexStart[vertex + 1]; k++) {
    const e = vertexEdges[k]
    const along = x * directions[3 * e] + y * directions[3 * e + 1] + z * directions[3 * e + 2]
    const leaving = edgeVertices[2 * e] === vertex ? along : -along
    if (leaving < least) least = leaving
  }
  out[to] = least
}

/**
 * Applicability of an edge of A to an edge of B. Equation (7) as printed takes the least n_b . t_a over the faces beside the edges, which
 * does not contain the direction in which two edges touch. That direction is @unchecked
 *
 *     n = ± e_a x e_b / |e_a x e_b|,    and the value    max over the sign of min(-n . t_a1, -n . t_a2, n . t_b1, n . t_b2),
 *
 * where t lies in a face beside the edge, at right angles to it, pointing into the face (equation 4): both faces of A are behind the plane
 * across n, and B's in front. For parallel edges there is no n.
 *
 * @param out out, 5: the value, the unit normal n from A to B, and the sine of the angle of the edges; if that is below `parallelSine`, the
 * others are unchanged
 */
export function edgeEdgeApplicability(a: FeatureBody, edgeA: number, b: FeatureBody, edgeB: number, out: Float64Array): void {
  const u = a.directionW
  const w = b.directionW
  const N = a.normalW
  const M = b.normalW
  const facesA = a.topology.edgeFaces
  const facesB = b.topology.edgeFaces
  const i = 3 * edgeA
  const j = 3 * edgeB
  let x = u[i + 1] * w[j + 2] - u[i + 2] * w[j + 1]
  let y = u[i + 2] * w[j] - u[i] * w[j + 2]
  let z = u[i] * w[j + 1] - u[i + 1] * w[j]
  const sine = Math.sqrt(x * x + y * y + z * z)
  out[4] = sine
  if (!(sine >= parallelSine)) return
  x /= sine
  y /= sine
  z /= sine
  // with t1 = n1 x e and t2 = e x n2, n . t1 = n1 . (e x n) and n . t2 = -n2 . (e x n)
  const px = u[i + 1] * z - u[i + 2] * y
  const py = u[i + 2] * x - u[i] * z
  const pz = u[i] * y - u[i + 1] * x
  const qx = w[j + 1] * z - w[j + 2] * y
  const qy = w[j + 2] * x - w[j] * z
  const qz = w[j] * y - w[j + 1] * x
  const f = 3 * facesA[2 * edgeA]
  const g = 3 * facesA[2 * edgeA + 1]
  const h = 3 * facesB[2 * edgeB]
  const k = 3 * facesB[2 * edgeB + 1]
  const a1 = -(N[f] * px + N[f + 1] * py + N[f + 2] * pz)
  const a2 = N[g] * px + N[g + 1] * py + N[g + 2] * pz
  const b1 = M[h] * qx + M[h + 1] * qy + M[h + 2] * qz
  const b2 = -(M[k] * qx + M[k + 1] * qy + M[k + 2] * qz)
  const forward = Math.min(a1, a2, b1, b2)
  const backward = -Math.max(a1, a2, b1, b2)
  const sign = forward >= backward ? 1 : -1
  out[0] = sign > 0 ? forward : backward
  out[1] = sign * x
  out[2] = sign * y
  out[3] = sign * z
}

/**
 * Applicability of a point to any face: far above zero, and below `STANDS_ALONE`, since one of the faces around a corner suffices to
 * separate a point.
 */
const ofPoint = 0.5

/** Sine of the angle of edges below which they have no normal: rounding would turn it by more than 1e-7. */
export const parallelSine = 1e-9
