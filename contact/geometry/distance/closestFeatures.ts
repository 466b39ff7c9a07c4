import { flushSine } from '../../tolerances.ts'
import type { Collider } from '../collider.ts'
import { Core } from '../shapes/index.ts'

/** Kinds of features. Those of polyhedra are numbered as in `Polyhedron`, others as in `closestFeatures`. */
export const Feature = { vertex: 0, edge: 1, face: 2, rim: 3, side: 4 } as const

/** Height below the support vertex within which others belong to the feature, relative to the shape's radius. */
const level = 1e-9

const top = new Float64Array(1)
const first = new Int32Array(2)

/**
 * The closest or deepest features of two shapes: the support set of each along the normal of a signed distance. A corner above the
 * middle of a face is a vertex and a face; a box on a box is two faces. @unchecked
 *
 * Features of polyhedra are vertices, edges and faces; of a sphere its centre, vertex 0; of a capsule an end (vertex 0 at -z, 1 at
 * +z) or edge 0; of an ellipsoid its side (0); of a cylinder a cap (face 0 at -z, 1 at +z), a rim (0, 1 likewise) or its side (0);
 * of a half-space its face 0.
 *
 * @param distance result of `signedDistance` for the two
 * @param out      out, 4: kind and number of A's feature, kind and number of B's
 */
export function closestFeatures(a: Collider, b: Collider, distance: Float64Array, out: Int32Array): void {
  writeFeature(a, distance, 1, out, 0)
  writeFeature(b, distance, -1, out, 2)
}

/** The feature farthest along sign * n, n being entries 1 to 3. */
function writeFeature(collider: Collider, n: Float64Array, sign: number, out: Int32Array, at: number): void {
  const { kind } = collider
  if (kind === Core.halfspace) {
    out[at] = Feature.face
    out[at + 1] = 0
  } else if (kind === Core.ellipsoid) {
    out[at] = Feature.side
    out[at + 1] = 0
  } else if (kind === Core.cylinder) writeOfCylinder(collider, n, sign, out, at)
  else writeOfPolyhedron(collider, n, sign, out, at)
}

function writeOfCylinder({ R }: Collider, n: Float64Array, sign: number, out: Int32Array, at: number): void {
  const cosine = sign * (R[2] * n[1] + R[5] * n[2] + R[8] * n[3])
  const upper = cosine > 0 ? 1 : 0
  out[at + 1] = upper
  if (cosine * cosine > 1 - flushSine * flushSine) out[at] = Feature.face
  else if (Math.abs(cosine) > flushSine) out[at] = Feature.rim
  else {
    out[at] = Feature.side
    out[at + 1] = 0
  }
}

function writeOfPolyhedron(collider: Collider, n: Float64Array, sign: number, out: Int32Array, at: number): void {
  const { core, verticesW: V, radius, rounding, vertexFaces, vertexFaceStart, faceEdges } = collider
  const x = sign * n[1]
  const y = sign * n[2]
  const z = sign * n[3]
  let highest = -Infinity
  for (let i = 0; i < V.length; i += 3) {
    const h = V[i] * x + V[i + 1] * y + V[i + 2] * z
    if (h > highest) highest = h
  }
  top[0] = highest - level * (radius - rounding)
  let count = 0
  for (let i = 0; i < V.length; i += 3) {
    if (V[i] * x + V[i + 1] * y + V[i + 2] * z < top[0]) continue
    if (count < 2) first[count] = i / 3
    count++
  }
  out[at] = Feature.vertex
  out[at + 1] = first[0]
  if (count === 1) return
  if (core!.faces.length === 0) {
    out[at] = Feature.edge
    out[at + 1] = 0
    return
  }
  // the face or edge at the first of them that contains all
  for (let k = vertexFaceStart[first[0]]; k < vertexFaceStart[first[0] + 1]; k++) {
    const f = vertexFaces[k]
    const loop = core!.faces[f]
    let level = 0
    for (let m = 0; m < loop.length; m++) {
      const i = 3 * loop[m]
      const here = V[i] * x + V[i + 1] * y + V[i + 2] * z >= top[0]
      if (here) level++
      const j = 3 * loop[m + 1 === loop.length ? 0 : m + 1]
      const next = V[j] * x + V[j + 1] * y + V[j + 2] * z >= top[0]
      if (!here || !next || out[at] === Feature.face) continue
      out[at] = Feature.edge
      out[at + 1] = faceEdges[f][m]
    }
    if (level < 3 || level < count) continue
    out[at] = Feature.face
    out[at + 1] = f
    return
  }
}
