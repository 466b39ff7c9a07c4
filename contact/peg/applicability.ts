import type { FeatureBody } from './featureBody.ts'

/*
 * Applicability of a pair of features (Donald, 1984; Latombe, 1991; relaxed by Williams, Lu and Trinkle, 2014, equations 5 to 7):
 * whether there is a direction in which A ends at the one feature and B begins at the other, so that bodies with this
 * orientation can touch there. Each value is the sine of the angle to the limit, at least 0 when applicable, and the relaxed
 * test is value >= -epsilon.
 */

/**
 * Applicability of a vertex to a face with outward normal n of the other body (equation 6): the least n . u over unit vectors u along the
 * edges that leave the vertex. No edge may lead through the face's plane. A point has no edges and may touch any face: `ofPoint`. Of
 * upright prisms and their sides, equation 5: the third edge lies along the side.
 *
 * @param at start of n in `n`
 * @param out out, 1
 */
export function vertexFaceApplicability(body: FeatureBody, vertex: number, n: Float64Array, at: number, out: Float64Array): void {
  const { topology, directionW: u } = body
  const { vertexStart, vertexEdges, edgeVertices, edgeCount } = topology
  const x = n[at]
  const y = n[at + 1]
  const z = n[at + 2]
  let least = 1
  for (let k = vertexStart[vertex]; k < vertexStart[vertex + 1]; k++) {
    const e = vertexEdges[k]
    const along = x * u[3 * e] + y * u[3 * e + 1] + z * u[3 * e + 2]
    const leaving = edgeVertices[2 * e] === vertex ? along : -along
    if (leaving < least) least = leaving
  }
  out[0] = least
  if (edgeCount === 0) out[0] = ofPoint
}

/**
 * Applicability of an edge of A to an edge of B. Equation (7) as printed takes the least n_b . t_a over the faces beside the edges, which
 * is no test of this: the direction in which two edges touch does not occur in it. That direction is
 *
 *     n = ± e_a x e_b / |e_a x e_b|,    and the value    max over the sign of min(-n . t_a1, -n . t_a2, n . t_b1, n . t_b2),
 *
 * where t lies in a face beside the edge, at right angles to it, pointing into the face (equation 4): n leaves both faces
 * of A behind, and B's lie ahead. For parallel edges there is no n.
 *
 * @param out out, 5: the value, the unit normal n from A to B, and the sine of the angle of the edges; where that is below
 *            `parallelSine`, the others are as they were
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
 * Applicability of a point to any face: far above zero, and below 1, that of contacts that hold each by itself; a point's do not, for one
 * of the faces around a corner is enough.
 */
const ofPoint = 0.5

/** Edges at a smaller angle, as its sine, have no normal: rounding would turn it by more than 1e-7. */
export const parallelSine = 1e-9
