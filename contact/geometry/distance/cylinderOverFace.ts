import type { Collider } from '../collider.ts'

/** Most faces that are tried. */
const few = 8
/** Distance to the face's border, relative to the size and to the depth, from which on it is proven to be the nearest. */
const least = 1e-6
const deep = 3
/** Relative rounding of a separation. */
const rounding = 1e-9

/** 2: the best face's number and its separation [m]; and the foot of the cylinder's lowest point over it. */
const best = new Float64Array(2)
const foot = new Float64Array(3)

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
  findFace(a, cylinder)
  out[0] = best[1]
  if (best[1] > limit[0] + rounding * (a.radius + cylinder.radius)) return true
  const n = 3 * (best[0] | 0)
  for (let k = 0; k < 3; k++) out[1 + k] = a.normalsW[n + k]
  setFoot(cylinder, out)
  return hasRoom(a, cylinder)
}

/** Sets `best` to the face with the largest separation. */
function findFace({ normalsW: N, verticesW: V, core }: Collider, { R, p, coreRadius, halfLength }: Collider): void {
  const { faces } = core!
  best[1] = -Infinity
  for (let f = 0; f < faces.length; f++) {
    const v = 3 * faces[f][0]
    const x = N[3 * f]
    const y = N[3 * f + 1]
    const z = N[3 * f + 2]
    const middle = x * (p[0] - V[v]) + y * (p[1] - V[v + 1]) + z * (p[2] - V[v + 2])
    if (!(middle - (coreRadius < halfLength ? coreRadius : halfLength) > best[1])) continue
    const cosine = x * R[2] + y * R[5] + z * R[8]
    const across = 1 - cosine * cosine
    const separation = middle - Math.abs(cosine) * halfLength - coreRadius * Math.sqrt(across > 0 ? across : 0)
    if (!(separation > best[1])) continue
    best[0] = f
    best[1] = separation
  }
}

/** Sets `foot`. @param out separation and normal */
function setFoot({ R, p, coreRadius, halfLength }: Collider, out: Float64Array): void {
  const along = out[1] * R[2] + out[2] * R[5] + out[3] * R[8]
  const up = along > 0 ? -halfLength : halfLength
  let square = 0
  for (let k = 0; k < 3; k++) {
    foot[k] = out[1 + k] - along * R[3 * k + 2]
    square += foot[k] * foot[k]
  }
  const scale = square > 1e-20 ? -coreRadius / Math.sqrt(square) : 0
  for (let k = 0; k < 3; k++) foot[k] = p[k] + up * R[3 * k + 2] + scale * foot[k] - out[0] * out[1 + k]
}

/** Whether a ball around `foot` that is large enough lies behind all faces but the best. */
function hasRoom({ normalsW: N, verticesW: V, core, radius }: Collider, cylinder: Collider): boolean {
  const { faces } = core!
  const room = Math.max(least * (radius + cylinder.radius), -deep * best[1])
  for (let f = 0; f < faces.length; f++) {
    const v = 3 * faces[f][0]
    const x = foot[0] - V[v]
    const y = foot[1] - V[v + 1]
    const z = foot[2] - V[v + 2]
    if (f !== best[0] && N[3 * f] * x + N[3 * f + 1] * y + N[3 * f + 2] * z > -room) return false
  }
  return true
}
