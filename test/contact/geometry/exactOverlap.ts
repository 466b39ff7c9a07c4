import { type Collider, placeCollider, placeCore } from '../../../contact/geometry/index.ts'
import { identity, origin } from './poses.ts'

/*
 * Whether two convex polyhedra overlap, and by how much, by the theorem of separating axes in its plainest form: every normal of a face
 * and every cross product of two edges, all vertices projected on each. Nothing is shared with the detection of contacts.
 */

/** Sine of the angle of two edges below which they are taken as parallel. */
const parallel = 1e-9

export function place(collider: Collider, R: Float64Array, p: ArrayLike<number>): void {
  placeCollider(collider, R, Float64Array.from(p), identity, origin)
  placeCore(collider)
}

/**
 * The largest separation over all candidate directions [m]: positive exactly when they are apart, and then at most their distance;
 * when they overlap, minus the depth.
 */
export function exactSeparation(a: Collider, b: Collider): number {
  const A = a.verticesW
  const B = b.verticesW
  let best = -Infinity
  for (const { normalsW: N } of [a, b]) {
    for (let f = 0; f < N.length; f += 3) {
      best = Math.max(best, along(A, B, N[f], N[f + 1], N[f + 2]))
    }
  }
  const edgesB = b.core!.edges
  const edgesA = a.core!.edges
  for (let i = 0; i < edgesA.length; i += 2) {
    const p = 3 * edgesA[i]
    const q = 3 * edgesA[i + 1]
    const ux = A[q] - A[p]
    const uy = A[q + 1] - A[p + 1]
    const uz = A[q + 2] - A[p + 2]
    const lengthA = Math.sqrt(ux * ux + uy * uy + uz * uz)
    for (let j = 0; j < edgesB.length; j += 2) {
      const r = 3 * edgesB[j]
      const s = 3 * edgesB[j + 1]
      const wx = B[s] - B[r]
      const wy = B[s + 1] - B[r + 1]
      const wz = B[s + 2] - B[r + 2]
      const x = uy * wz - uz * wy
      const y = uz * wx - ux * wz
      const z = ux * wy - uy * wx
      const size = Math.sqrt(x * x + y * y + z * z)
      if (size <= parallel * lengthA * Math.sqrt(wx * wx + wy * wy + wz * wz)) continue
      best = Math.max(best, along(A, B, x / size, y / size, z / size))
    }
  }
  return best
}

/** How far the two are apart along a unit vector, either way. */
function along(A: Float64Array, B: Float64Array, x: number, y: number, z: number): number {
  let lowA = Infinity
  let highA = -Infinity
  for (let i = 0; i < A.length; i += 3) {
    const s = A[i] * x + A[i + 1] * y + A[i + 2] * z
    if (s < lowA) lowA = s
    if (s > highA) highA = s
  }
  let lowB = Infinity
  let highB = -Infinity
  for (let i = 0; i < B.length; i += 3) {
    const s = B[i] * x + B[i + 1] * y + B[i + 2] * z
    if (s < lowB) lowB = s
    if (s > highB) highB = s
  }
  return Math.max(lowB - highA, lowA - highB)
}
