import { type ContactConstraints, constraintKind } from './contactConstraints.ts'
import type { FeatureBody } from './featureBody.ts'
import { type FeatureContacts, type FeatureLimits, featureKind } from './featureSet.ts'
import { constrainVertices } from './vertexConstraints.ts'

/** Edges that miss each other by more than this share of the margin do not meet. */
const meeting = 1e-6

/** Pairs of edges that some constraint has named. */
let named = new Uint8Array(64)
/** Contacts of the constraint in the making, vertices and faces, then edges, and how many of each. */
let points = new Int32Array(64)
let crossings = new Int32Array(64)
const taken = new Int32Array(2)
/** 3: the way out of e_b to the side of its first face. */
const side = new Float64Array(3)

/**
 * The constraints of Williams, Lu and Trinkle (2014) on two polyhedra, equations (18) to (24), corrected:
 *
 * - a vertex near one face: U (18); near several, of an edge or a corner: I over them (20), (22), (23). As `constrainVertices`;
 * - a vertex near an edge: for each edge that leaves the vertex and may touch the other, X of that contact with the face at whose side
 *   it leaves (21), read as (v_k - v_a) . (e_b x -(n_1 + n_2)) > 0 for the first face;
 * - a vertex near a vertex: for each pair of faces beside them, X of both vertices with these faces and the contacts of the edges of the
 *   one with those of the other (24), if there are any;
 * - other edges: U (19).
 *
 * Nothing in the paper pushes along a pair of edges beside a vertex, which leaves cross constraints without anybody to satisfy them. Here the
 * first constraint that names such a contact is an inter-contact constraint: the edges may push for it, what else it names holds.
 *
 * Vertices are near each other, or near an edge, at up to the margin.
 *
 * @param contacts found with the choice `partners`
 */
export function constrainLiterally(
  a: FeatureBody,
  b: FeatureBody,
  contacts: FeatureContacts,
  limits: FeatureLimits,
  offset: number,
  out: ContactConstraints,
): void {
  const { count, kind, aside, applicable } = contacts
  if (count > named.length) {
    named = new Uint8Array(2 * count)
    points = new Int32Array(2 * count)
    crossings = new Int32Array(2 * count)
  }
  named.fill(0, 0, count)
  constrainVertices(contacts, offset, out)
  verticesNearVertices(a, b, contacts, limits, offset, out)
  verticesNearEdges(a, b, featureKind.vertexFace, contacts, limits, offset, out)
  verticesNearEdges(b, a, featureKind.faceVertex, contacts, limits, offset, out)
  for (let i = 0; i < count; i++) {
    if (kind[i] !== featureKind.edgeEdge || applicable[i] === 0 || named[i] === 1) continue
    if (aside[i] <= meeting * limits.margin[0]) out.addUnilateral(offset + i)
  }
}

/** Equation (24), for each pair of vertices at up to the margin. */
function verticesNearVertices(
  a: FeatureBody,
  b: FeatureBody,
  contacts: FeatureContacts,
  limits: FeatureLimits,
  offset: number,
  out: ContactConstraints,
): void {
  const { vertexCount: countA, vertexStart: startA, vertexFaces: facesA } = a.topology
  const { vertexCount: countB, vertexStart: startB, vertexFaces: facesB } = b.topology
  for (let v = 0; v < countA; v++) {
    if (!hasVertex(contacts, featureKind.vertexFace, v)) continue
    for (let w = 0; w < countB; w++) {
      if (!areNear(a, v, b, w, limits)) continue
      for (let i = startA[v]; i < startA[v + 1]; i++) {
        for (let j = startB[w]; j < startB[w + 1]; j++) {
          taken[0] = 0
          taken[1] = 0
          takePoint(find(contacts, featureKind.vertexFace, v, facesB[j]))
          takePoint(find(contacts, featureKind.faceVertex, facesA[i], w))
          // the face lies between the edge in its place and the next around the vertex
          for (let s = 0; s < 2; s++) {
            const edgeA = a.topology.vertexEdges[s === 0 ? i : i + 1 === startA[v + 1] ? startA[v] : i + 1]
            for (let t = 0; t < 2; t++) {
              const edgeB = b.topology.vertexEdges[t === 0 ? j : j + 1 === startB[w + 1] ? startB[w] : j + 1]
              takeCrossing(contacts, find(contacts, featureKind.edgeEdge, edgeA, edgeB))
            }
          }
          addCross(offset, out)
        }
      }
    }
  }
}

/** Equation (21), for each vertex of a body that is near both faces of an edge, and near neither of its ends. */
function verticesNearEdges(
  body: FeatureBody,
  other: FeatureBody,
  kind: number,
  contacts: FeatureContacts,
  limits: FeatureLimits,
  offset: number,
  out: ContactConstraints,
): void {
  const { vertexCount, vertexStart, vertexEdges, vertexNeighbours } = body.topology
  const { edgeCount, edgeFaces, edgeVertices } = other.topology
  const V = body.collider.verticesW
  const N = other.normalW
  const u = other.directionW
  const isA = kind === featureKind.vertexFace
  for (let v = 0; v < vertexCount; v++) {
    if (!hasVertex(contacts, kind, v)) continue
    for (let e = 0; e < edgeCount; e++) {
      const f = edgeFaces[2 * e]
      const g = edgeFaces[2 * e + 1]
      const first = isA ? find(contacts, kind, v, f) : find(contacts, kind, f, v)
      const second = isA ? find(contacts, kind, v, g) : find(contacts, kind, g, v)
      if (first < 0 || second < 0) continue
      if (areNear(body, v, other, edgeVertices[2 * e], limits) || areNear(body, v, other, edgeVertices[2 * e + 1], limits))
        continue
      const x = -(N[3 * f] + N[3 * g])
      const y = -(N[3 * f + 1] + N[3 * g + 1])
      const z = -(N[3 * f + 2] + N[3 * g + 2])
      side[0] = u[3 * e + 1] * z - u[3 * e + 2] * y
      side[1] = u[3 * e + 2] * x - u[3 * e] * z
      side[2] = u[3 * e] * y - u[3 * e + 1] * x
      for (let k = vertexStart[v]; k < vertexStart[v + 1]; k++) {
        const crossing = isA
          ? find(contacts, featureKind.edgeEdge, vertexEdges[k], e)
          : find(contacts, featureKind.edgeEdge, e, vertexEdges[k])
        taken[0] = 0
        taken[1] = 0
        takeCrossing(contacts, crossing)
        if (taken[1] === 0) continue
        const w = 3 * vertexNeighbours[k]
        let along = 0
        for (let d = 0; d < 3; d++) along += (V[w + d] - V[3 * v + d]) * side[d]
        takePoint(along > 0 ? first : second)
        addCross(offset, out)
      }
    }
  }
}

/** The number of a contact, or -1. */
function find({ count, kind, featureA, featureB }: FeatureContacts, wanted: number, a: number, b: number): number {
  for (let i = 0; i < count; i++) if (kind[i] === wanted && featureA[i] === a && featureB[i] === b) return i
  return -1
}

function hasVertex({ count, kind, featureA, featureB }: FeatureContacts, wanted: number, v: number): boolean {
  const vertices = wanted === featureKind.vertexFace ? featureA : featureB
  for (let i = 0; i < count; i++) if (kind[i] === wanted && vertices[i] === v) return true
  return false
}

function areNear(a: FeatureBody, v: number, b: FeatureBody, w: number, { margin }: FeatureLimits): boolean {
  const V = a.collider.verticesW
  const W = b.collider.verticesW
  const x = W[3 * w] - V[3 * v]
  const y = W[3 * w + 1] - V[3 * v + 1]
  const z = W[3 * w + 2] - V[3 * v + 2]
  return x * x + y * y + z * z <= margin[0] * margin[0]
}

function takePoint(i: number): void {
  if (i >= 0) points[taken[0]++] = i
}

function takeCrossing({ applicable }: FeatureContacts, i: number): void {
  if (i >= 0 && applicable[i] > 0) crossings[taken[1]++] = i
}

/** The constraint on what has been taken; none without a pair of edges. */
function addCross(offset: number, out: ContactConstraints): void {
  if (taken[1] === 0) return
  let fresh = false
  for (let k = 0; k < taken[1]; k++) if (named[crossings[k]] === 0) fresh = true
  out.begin(fresh ? constraintKind.inter : constraintKind.cross)
  for (let k = 0; k < taken[1]; k++) {
    if (named[crossings[k]] === 1) continue
    out.addMember(true)
    out.addContact(offset + crossings[k])
  }
  for (let k = 0; k < taken[0]; k++) {
    out.addMember(false)
    out.addContact(offset + points[k])
  }
  for (let k = 0; k < taken[1]; k++) {
    if (named[crossings[k]] === 0) continue
    out.addMember(false)
    out.addContact(offset + crossings[k])
  }
  for (let k = 0; k < taken[1]; k++) named[crossings[k]] = 1
}
