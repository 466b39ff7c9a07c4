import type { Collider } from '../collider.ts'

/** Most faces that are tried. */
const few = 8
/** Distance to the face's border, relative to the size and to the depth, from which on it is proven to be the nearest. */
const least = 1e-6
const deep = 3
/** Relative rounding of a separation. */
const rounding = 1e-9

/** 2: the best face's number and its separation [m]; and the cylinder's lowest point over it. */
const best = new Float64Array(2)
const lowest = new Float64Array(3)

/**
 * Whether the signed distance of a polyhedron and a cylinder is the separation along the normal of a face, as that of a wheel on a step. It is
 * if the foot q of the cylinder's lowest point lies on the face, with a ball of radius r around it behind all other faces: the shapes are
 * apart, or r is at least 2.5 times the depth d. For then they overlap by d and more along any other direction, at an angle t from the normal:
 * by d cos t + r sin t up to 135 degrees, then by (r - d) |cos t|.
 *
 * @param limit 1: separation beyond which its direction is not wanted [m]
 * @param out   4, out: the distance, or, beyond the limit, a lower bound; and the normal from the polyhedron to the cylinder
 */
export function isOverFace(a: Collider, cylinder: Collider, limit: Float64Array, out: Float64Array): boolean {
  if (a.core === undefined || a.rounding > 0) return false
  const count = a.core.faces.length
  if (count < 4 || count > few) return false
  const size = a.radius + cylinder.radius
  findFace(a, cylinder)
  const separation = best[1]
  out[0] = separation
  if (separation > limit[0] + rounding * size) return true
  const face = best[0]
  const { normalsW: N } = a
  setLowest(cylinder, N, 3 * face)
  for (let k = 0; k < 3; k++) {
    out[1 + k] = N[3 * face + k]
    lowest[k] -= separation * out[1 + k]
  }
  const room = Math.max(least * size, -deep * separation)
  for (let f = 0; f < count; f++) {
    if (f !== face && height(a, f, lowest) > -room) return false
  }
  return true
}

/** Sets `best` to the face with the largest separation. */
function findFace(a: Collider, { R, p, coreRadius, halfLength }: Collider): void {
  const { normalsW: N } = a
  const count = a.core!.faces.length
  const within = Math.min(coreRadius, halfLength)
  best[1] = -Infinity
  for (let f = 0; f < count; f++) {
    const middle = height(a, f, p)
    if (!(middle - within > best[1])) continue
    const cosine = N[3 * f] * R[2] + N[3 * f + 1] * R[5] + N[3 * f + 2] * R[8]
    const across = 1 - cosine * cosine
    const separation = middle - Math.abs(cosine) * halfLength - coreRadius * Math.sqrt(across > 0 ? across : 0)
    if (!(separation > best[1])) continue
    best[0] = f
    best[1] = separation
  }
}

/** Height of a point above the plane of a face [m]. */
function height({ normalsW: N, verticesW: V, core }: Collider, f: number, x: Float64Array): number {
  const v = 3 * core!.faces[f][0]
  return N[3 * f] * (x[0] - V[v]) + N[3 * f + 1] * (x[1] - V[v + 1]) + N[3 * f + 2] * (x[2] - V[v + 2])
}

/** Sets `lowest` to a cylinder's point farthest against the normal N[n]. */
function setLowest({ R, p, coreRadius, halfLength }: Collider, N: Float64Array, n: number): void {
  const along = N[n] * R[2] + N[n + 1] * R[5] + N[n + 2] * R[8]
  const up = along > 0 ? -halfLength : halfLength
  let square = 0
  for (let k = 0; k < 3; k++) {
    lowest[k] = N[n + k] - along * R[3 * k + 2]
    square += lowest[k] * lowest[k]
  }
  const scale = square > 1e-20 ? -coreRadius / Math.sqrt(square) : 0
  for (let k = 0; k < 3; k++) lowest[k] = p[k] + up * R[3 * k + 2] + scale * lowest[k]
}
