import type { Collider } from '../../../contact/geometry/index.ts'
import { exactSeparation } from './exactOverlap.ts'

/*
 * Distance and depth of two polyhedra by trying everything: no search, no adjacency, no pruning. Apart: every vertex against every
 * triangle of every face, every edge against every edge. Overlapping: every face's normal and every cross product of two
 * edges as a direction to part them along, by the extents of all vertices.
 */

/** Signed distance of two polyhedra with faces. */
export function bruteForceDistance(a: Collider, b: Collider): number {
  const separation = exactSeparation(a, b)
  return separation <= 0 ? separation : featureDistance(a, b)
}

function featureDistance(a: Collider, b: Collider): number {
  const { verticesW: A } = a
  const { verticesW: B } = b
  let least = Math.min(verticesToFaces(A, b), verticesToFaces(B, a))
  const edgesA = a.core!.edges
  const edgesB = b.core!.edges
  for (let e = 0; e < edgesA.length; e += 2) {
    for (let f = 0; f < edgesB.length; f += 2) {
      least = Math.min(least, segments(A, 3 * edgesA[e], 3 * edgesA[e + 1], B, 3 * edgesB[f], 3 * edgesB[f + 1]))
    }
  }
  return Math.sqrt(least)
}

/** Least square of the distance of a vertex from the inside of a face. */
function verticesToFaces(P: Float64Array, { core, verticesW: V }: Collider): number {
  let least = Infinity
  for (const loop of core!.faces) {
    for (let k = 1; k + 1 < loop.length; k++) {
      for (let p = 0; p < P.length; p += 3)
        least = Math.min(least, pointTriangle(P, p, V, 3 * loop[0], 3 * loop[k], 3 * loop[k + 1]))
    }
  }
  return least
}

/** Square of the distance from a triangle's plane; Infinity where the foot of the perpendicular is outside the triangle. */
function pointTriangle(P: Float64Array, p: number, V: Float64Array, a: number, b: number, c: number): number {
  const ux = V[b] - V[a]
  const uy = V[b + 1] - V[a + 1]
  const uz = V[b + 2] - V[a + 2]
  const wx = V[c] - V[a]
  const wy = V[c + 1] - V[a + 1]
  const wz = V[c + 2] - V[a + 2]
  const px = P[p] - V[a]
  const py = P[p + 1] - V[a + 1]
  const pz = P[p + 2] - V[a + 2]
  // barycentric weights from the normal equations
  const uu = ux * ux + uy * uy + uz * uz
  const uw = ux * wx + uy * wy + uz * wz
  const ww = wx * wx + wy * wy + wz * wz
  const pu = px * ux + py * uy + pz * uz
  const pw = px * wx + py * wy + pz * wz
  const determinant = uu * ww - uw * uw
  if (!(determinant > 1e-20)) return Infinity
  const s = (ww * pu - uw * pw) / determinant
  const t = (uu * pw - uw * pu) / determinant
  if (s < 0 || t < 0 || s + t > 1) return Infinity
  const nx = uy * wz - uz * wy
  const ny = uz * wx - ux * wz
  const nz = ux * wy - uy * wx
  const height = px * nx + py * ny + pz * nz
  return (height * height) / (nx * nx + ny * ny + nz * nz)
}

/** Square of the distance of two segments: each end against the other segment, and the common perpendicular where it meets both. */
function segments(A: Float64Array, a: number, b: number, B: Float64Array, c: number, d: number): number {
  let least = Math.min(
    pointSegment(A, a, B, c, d),
    pointSegment(A, b, B, c, d),
    pointSegment(B, c, A, a, b),
    pointSegment(B, d, A, a, b),
  )
  const ux = A[b] - A[a]
  const uy = A[b + 1] - A[a + 1]
  const uz = A[b + 2] - A[a + 2]
  const vx = B[d] - B[c]
  const vy = B[d + 1] - B[c + 1]
  const vz = B[d + 2] - B[c + 2]
  const wx = B[c] - A[a]
  const wy = B[c + 1] - A[a + 1]
  const wz = B[c + 2] - A[a + 2]
  const nx = uy * vz - uz * vy
  const ny = uz * vx - ux * vz
  const nz = ux * vy - uy * vx
  const nn = nx * nx + ny * ny + nz * nz
  if (nn > 1e-20) {
    const s = ((wy * vz - wz * vy) * nx + (wz * vx - wx * vz) * ny + (wx * vy - wy * vx) * nz) / nn
    const t = ((wy * uz - wz * uy) * nx + (wz * ux - wx * uz) * ny + (wx * uy - wy * ux) * nz) / nn
    const height = wx * nx + wy * ny + wz * nz
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) least = Math.min(least, (height * height) / nn)
  }
  return least
}

function pointSegment(P: Float64Array, p: number, V: Float64Array, a: number, b: number): number {
  const ux = V[b] - V[a]
  const uy = V[b + 1] - V[a + 1]
  const uz = V[b + 2] - V[a + 2]
  const px = P[p] - V[a]
  const py = P[p + 1] - V[a + 1]
  const pz = P[p + 2] - V[a + 2]
  const t = Math.max(0, Math.min(1, (px * ux + py * uy + pz * uz) / (ux * ux + uy * uy + uz * uz)))
  const x = px - t * ux
  const y = py - t * uy
  const z = pz - t * uz
  return x * x + y * y + z * z
}
