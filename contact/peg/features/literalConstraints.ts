import { type ContactConstraints, constraintKind } from '../contactConstraints.ts'
import { type ConstraintRule, constrainVertices } from './constraintRules.ts'
import type { FeatureBody } from './featureBody.ts'
import { type FeatureContactSet, type FeatureLimits, featureKind } from './featureContactSet.ts'

/**
 * The constraints of Williams, Lu and Trinkle (2014) on two polyhedra, equations (18) to (24):
 *
 * - a vertex near one face: U (18); near several, of an edge or a corner: I over them (20), (22), (23). As `vertexRule`;
 * - a vertex near an edge: for each edge that leaves the vertex and may touch the other, X of that contact with the face at whose side
 *   it leaves (21);
 * - a vertex near a vertex: for each pair of faces beside them, X of both vertices with these faces and the contacts of the edges of the
 *   one with those of the other (24), if there are any;
 * - other edges: U (19).
 *
 * Mended where the print is damaged or undefined: (7) as `edgeEdgeApplicability`; (21) reads (v_k - v_a) . (e_b x -(n_1 + n_2)) > 0 for
 * the first face, since with the printed normal the test is inverted; (24) does not define which edge is e_1, so that all applicable
 * crossings of both edges with both count. C_iota of (20), (22) and (23) are the applicable contacts, as the section on heuristics has
 * it; a vertex without any has no constraint, since C_iota may not be empty.
 *
 * No impulse belongs to X (16), thus none to a pair of edges beside a vertex. Vertices are near each other, or near an edge, at up to the
 * margin. For comparisons: it allocates, and tries all pairs of vertices.
 */
export const literalRule: ConstraintRule = literal(false)

/** `literalRule` with (22) and (23) as printed: at a corner all faces may push, whether the vertex can touch them or not. */
export const literalRuleAsPrinted: ConstraintRule = literal(true)

function literal(asPrinted: boolean): ConstraintRule {
  const constrain: ConstraintRule['constrain'] = (a, b, contacts, limits, offset, out) => {
    constrainVertices(contacts, offset, out, asPrinted)
    const crossings = new CrossConstraints(contacts, offset, out)
    verticesNearVertices(a, b, contacts, limits, crossings)
    verticesNearEdges(a, b, featureKind.vertexFace, contacts, limits, crossings)
    verticesNearEdges(b, a, featureKind.faceVertex, contacts, limits, crossings)
    for (let i = 0; i < contacts.count; i++) {
      if (contacts.kind[i] !== featureKind.edgeEdge || contacts.applicable[i] === 0 || crossings.named.has(i)) continue
      if (contacts.aside[i] <= meeting * limits.margin[0]) out.addUnilateral(offset + i)
    }
  }
  return { choice: 'partners', constrain }
}

/** Offset of edges, relative to the margin, above which they do not touch. */
const meeting = 1e-6

/** X-constraints that contain pairs of edges. */
class CrossConstraints {
  readonly named = new Set<number>()
  readonly #contacts: FeatureContactSet
  readonly #offset: number
  readonly #out: ContactConstraints

  constructor(contacts: FeatureContactSet, offset: number, out: ContactConstraints) {
    this.#contacts = contacts
    this.#offset = offset
    this.#out = out
  }

  /** Adds X over vertices with faces and applicable pairs of edges, if there are any of these. Negative indices are skipped. */
  add(points: readonly number[], edges: readonly number[]): void {
    const crossings = edges.filter((i) => i >= 0 && this.#contacts.applicable[i] > 0)
    if (crossings.length === 0) return
    addCross([...points.filter((i) => i >= 0), ...crossings], this.#offset, this.#out)
    for (const i of crossings) this.named.add(i)
  }
}

function addCross(contacts: readonly number[], offset: number, out: ContactConstraints): void {
  out.begin(constraintKind.cross)
  for (const i of contacts) {
    out.addDisjunct(false)
    out.addContact(offset + i)
  }
}

/** Equation (24), for each pair of vertices at up to the margin. */
function verticesNearVertices(
  a: FeatureBody,
  b: FeatureBody,
  contacts: FeatureContactSet,
  limits: FeatureLimits,
  crossings: CrossConstraints,
): void {
  for (let v = 0; v < a.topology.vertexCount; v++) {
    if (!hasVertex(contacts, featureKind.vertexFace, v)) continue
    for (let w = 0; w < b.topology.vertexCount; w++) {
      if (!areNear(a, v, b, w, limits)) continue
      for (const { face, beside } of facesAround(a, v)) {
        for (const other of facesAround(b, w)) {
          crossings.add(
            [find(contacts, featureKind.vertexFace, v, other.face), find(contacts, featureKind.faceVertex, face, w)],
            beside.flatMap((e) => other.beside.map((f) => find(contacts, featureKind.edgeEdge, e, f))),
          )
        }
      }
    }
  }
}

/** The faces around a vertex, each with its two edges at the vertex. */
function facesAround({ topology: { vertexStart, vertexFaces, vertexEdges } }: FeatureBody, v: number) {
  const faces = [...vertexFaces.subarray(vertexStart[v], vertexStart[v + 1])]
  const edges = vertexEdges.subarray(vertexStart[v], vertexStart[v + 1])
  // face i lies between edges i and i + 1 around the vertex
  return faces.map((face, i) => ({ face, beside: [edges[i], edges[(i + 1) % edges.length]] }))
}

/** Equation (21), for each vertex of a body near both faces of an edge, and near neither of its ends. */
function verticesNearEdges(
  body: FeatureBody,
  other: FeatureBody,
  kind: number,
  contacts: FeatureContactSet,
  limits: FeatureLimits,
  crossings: CrossConstraints,
): void {
  const { vertexCount, vertexStart, vertexEdges, vertexNeighbours } = body.topology
  const { edgeCount, edgeFaces, edgeVertices } = other.topology
  const V = body.collider.verticesW
  const N = other.normalW
  const u = other.directionW
  const isA = kind === featureKind.vertexFace
  const contactOf = (of: number, own: number, others: number) =>
    isA ? find(contacts, of, own, others) : find(contacts, of, others, own)
  for (let v = 0; v < vertexCount; v++) {
    if (!hasVertex(contacts, kind, v)) continue
    for (let e = 0; e < edgeCount; e++) {
      const [f, g] = [edgeFaces[2 * e], edgeFaces[2 * e + 1]]
      const first = contactOf(kind, v, f)
      const second = contactOf(kind, v, g)
      if (first < 0 || second < 0) continue
      if (areNear(body, v, other, edgeVertices[2 * e], limits) || areNear(body, v, other, edgeVertices[2 * e + 1], limits))
        continue
      const [x, y, z] = [0, 1, 2].map((d) => -(N[3 * f + d] + N[3 * g + d]))
      // out of the edge, towards its first face
      const side = [u[3 * e + 1] * z - u[3 * e + 2] * y, u[3 * e + 2] * x - u[3 * e] * z, u[3 * e] * y - u[3 * e + 1] * x]
      for (let k = vertexStart[v]; k < vertexStart[v + 1]; k++) {
        const w = 3 * vertexNeighbours[k]
        const along = side.reduce((sum, s, d) => sum + (V[w + d] - V[3 * v + d]) * s, 0)
        crossings.add([along > 0 ? first : second], [contactOf(featureKind.edgeEdge, vertexEdges[k], e)])
      }
    }
  }
}

/** Index of a contact, -1 if there is none. */
function find({ count, kind, featureA, featureB }: FeatureContactSet, wanted: number, a: number, b: number): number {
  for (let i = 0; i < count; i++) if (kind[i] === wanted && featureA[i] === a && featureB[i] === b) return i
  return -1
}

function hasVertex({ count, kind, featureA, featureB }: FeatureContactSet, wanted: number, v: number): boolean {
  const vertices = wanted === featureKind.vertexFace ? featureA : featureB
  for (let i = 0; i < count; i++) if (kind[i] === wanted && vertices[i] === v) return true
  return false
}

function areNear(a: FeatureBody, v: number, b: FeatureBody, w: number, { margin }: FeatureLimits): boolean {
  const [V, W] = [a.collider.verticesW, b.collider.verticesW]
  const apart = [0, 1, 2].map((d) => W[3 * w + d] - V[3 * v + d])
  return apart.reduce((sum, x) => sum + x * x, 0) <= margin[0] * margin[0]
}

/** Heights and z components of normals below this count as zero. */
const level = 1e-9

/**
 * Restricts a rule to polygons, represented by upright prisms between the same heights: its input are the contacts of upper vertices with
 * sides, at height 0. @unchecked
 */
export const inPlane = (rule: ConstraintRule): ConstraintRule => ({
  choice: rule.choice,
  constrain(a, b, contacts, limits, offset, out) {
    const { kind, featureA, featureB, normal, point } = contacts
    let kept = 0
    for (let i = 0; i < contacts.count; i++) {
      if (kind[i] === featureKind.edgeEdge || Math.abs(normal[3 * i + 2]) > level) continue
      const isOfA = kind[i] === featureKind.vertexFace
      if (!isUpper(isOfA ? a : b, isOfA ? featureA[i] : featureB[i])) continue
      point[3 * i + 2] = 0
      contacts.keep(i, kept++)
    }
    contacts.count = kept
    rule.constrain(a, b, contacts, limits, offset, out)
  },
})

const isUpper = ({ collider: { verticesW, centerW } }: FeatureBody, v: number) => verticesW[3 * v + 2] > centerW[2]

/**
 * The paper's constraints on two polygons (`inPlane`): for each vertex as `vertexRule`, and for each pair of vertices at up to the margin
 * the cross constraints of equation (17), where both of their contacts are near. Which sides they pair is in a figure that is not in the
 * text: corresponding ones, the vertex of A with the side out of B's, and B's vertex with the side into A's; and the other way round.
 */
export const literalRuleInPlane = inPlane({
  choice: 'partners',
  constrain(a, b, contacts, limits, offset, out) {
    constrainVertices(contacts, offset, out)
    for (let v = 0; v < a.topology.vertexCount; v++) {
      for (let w = 0; w < b.topology.vertexCount; w++) {
        if (!isUpper(a, v) || !isUpper(b, w) || !areNear(a, v, b, w, limits)) continue
        const [intoA, outOfA] = sidesOf(a, v)
        const [intoB, outOfB] = sidesOf(b, w)
        for (const [ofA, ofB] of [
          [outOfB, intoA],
          [intoB, outOfA],
        ]) {
          const pair = [find(contacts, featureKind.vertexFace, v, ofA), find(contacts, featureKind.faceVertex, ofB, w)]
          if (pair.every((i) => i >= 0)) addCross(pair, offset, out)
        }
      }
    }
  },
})

/** The sides into and out of a corner, counter-clockwise seen from above. */
function sidesOf({ topology: { vertexStart, vertexFaces }, normalW: N }: FeatureBody, v: number): readonly [number, number] {
  const [f, g] = vertexFaces.subarray(vertexStart[v], vertexStart[v + 1]).filter((i) => Math.abs(N[3 * i + 2]) < level)
  return N[3 * f] * N[3 * g + 1] - N[3 * f + 1] * N[3 * g] > 0 ? [f, g] : [g, f]
}
