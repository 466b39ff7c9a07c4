import { parallelSine2 } from '../../tolerances.ts'
import type { Collider } from '../collider.ts'

/**
 * Closed forms of signed distances of cores. All require placed colliders and write distance, unit normal from A to B, and the points on A
 * and on B, like `signedDistance` but for the cores without their rounding.
 */

/** Two points. If they coincide, the normal is z. */
export function pointToPoint({ verticesW: A }: Collider, { verticesW: B }: Collider, out: Float64Array): void {
  for (let k = 0; k < 3; k++) {
    out[4 + k] = A[k]
    out[7 + k] = B[k]
  }
  if (!separate(out)) setNormal(out, 0, 0, 1)
}

/** A point and a segment. If the point is on the segment, the normal is orthogonal to it. */
export function pointToSegment({ verticesW: A }: Collider, b: Collider, out: Float64Array): void {
  const B = b.verticesW
  for (let k = 0; k < 3; k++) out[4 + k] = A[k]
  const x = B[3] - B[0]
  const y = B[4] - B[1]
  const z = B[5] - B[2]
  const along = ((A[0] - B[0]) * x + (A[1] - B[1]) * y + (A[2] - B[2]) * z) / (x * x + y * y + z * z)
  const t = along < 0 ? 0 : along > 1 ? 1 : along
  out[7] = B[0] + t * x
  out[8] = B[1] + t * y
  out[9] = B[2] + t * z
  if (!separate(out)) setAcross(b, out)
}

const local = new Float64Array(3)

/** The point of A in B's axes. */
function toLocal(A: Float64Array, { R, p }: Collider): void {
  const x = A[0] - p[0]
  const y = A[1] - p[1]
  const z = A[2] - p[2]
  local[0] = R[0] * x + R[3] * y + R[6] * z
  local[1] = R[1] * x + R[4] * y + R[7] * z
  local[2] = R[2] * x + R[5] * y + R[8] * z
}

/** A point and a solid box: inside, the distance to the nearest face; of equally near faces the first in the order x, y, z. */
export function pointToBox({ verticesW: A }: Collider, b: Collider, out: Float64Array): void {
  toLocal(A, b)
  const half = b.core!.vertices // its last corner has all three half lengths
  const hx = half[21]
  const hy = half[22]
  const hz = half[23]
  const dx = Math.abs(local[0]) - hx
  const dy = Math.abs(local[1]) - hy
  const dz = Math.abs(local[2]) - hz
  // from the point to the nearest point of the box, in its axes
  let x = 0
  let y = 0
  let z = 0
  let distance = 0
  if (dx > 0 || dy > 0 || dz > 0) {
    x = dx > 0 ? (local[0] < 0 ? dx : -dx) : 0
    y = dy > 0 ? (local[1] < 0 ? dy : -dy) : 0
    z = dz > 0 ? (local[2] < 0 ? dz : -dz) : 0
    distance = Math.sqrt(x * x + y * y + z * z)
    x /= distance
    y /= distance
    z /= distance
  } else if (dx >= dy && dx >= dz) {
    distance = dx
    x = local[0] < 0 ? 1 : -1
  } else if (dy >= dz) {
    distance = dy
    y = local[1] < 0 ? 1 : -1
  } else {
    distance = dz
    z = local[2] < 0 ? 1 : -1
  }
  out[0] = distance
  local[0] = x
  local[1] = y
  local[2] = z
  fromLocal(A, b, out)
}

/** A point and a solid cylinder: inside, the distance to the nearer of cap and side; the side if equal. */
export function pointToCylinder({ verticesW: A }: Collider, b: Collider, out: Float64Array): void {
  toLocal(A, b)
  const across = Math.sqrt(local[0] * local[0] + local[1] * local[1])
  const side = across - b.coreRadius
  const cap = Math.abs(local[2]) - b.halfLength
  const up = local[2] < 0 ? 1 : -1 // back to the middle
  // away from the axis; for a point on it, along x
  const rx = across > 0 ? local[0] / across : 1
  const ry = across > 0 ? local[1] / across : 0
  if (side > 0 && cap > 0) {
    const distance = Math.sqrt(side * side + cap * cap)
    out[0] = distance
    local[0] = (-rx * side) / distance
    local[1] = (-ry * side) / distance
    local[2] = (up * cap) / distance
  } else {
    const onSide = side >= cap
    out[0] = onSide ? side : cap
    local[0] = onSide ? -rx : 0
    local[1] = onSide ? -ry : 0
    local[2] = onSide ? 0 : up
  }
  fromLocal(A, b, out)
}

/** Completes the result for a point A and a solid B. In: `local`, the unit vector to B's surface in B's axes, and out[0], the distance. */
function fromLocal(A: Float64Array, { R }: Collider, out: Float64Array): void {
  for (let k = 0; k < 3; k++) {
    out[1 + k] = R[3 * k] * local[0] + R[3 * k + 1] * local[1] + R[3 * k + 2] * local[2]
    out[4 + k] = A[k]
    out[7 + k] = A[k] + out[0] * out[1 + k]
  }
}

/** Distance, relative to the longer segment, below which the direction between the nearest points is rounding. */
const coincident = 1e-10

/**
 * Two segments: an end and its nearest point on the other segment, or the nearest points of the lines if inside both. The normal of
 * crossing segments is orthogonal to both, of collinear overlapping ones orthogonal to their line.
 */
export function segmentToSegment(a: Collider, { verticesW: B }: Collider, out: Float64Array): void {
  const A = a.verticesW
  const ux = A[3] - A[0]
  const uy = A[4] - A[1]
  const uz = A[5] - A[2]
  const vx = B[3] - B[0]
  const vy = B[4] - B[1]
  const vz = B[5] - B[2]
  const wx = B[0] - A[0]
  const wy = B[1] - A[1]
  const wz = B[2] - A[2]
  const uu = ux * ux + uy * uy + uz * uz
  const vv = vx * vx + vy * vy + vz * vz
  const uv = ux * vx + uy * vy + uz * vz
  const uw = ux * wx + uy * wy + uz * wz
  const vw = vx * wx + vy * wy + vz * wz
  const nx = uy * vz - uz * vy
  const ny = uz * vx - ux * vz
  const nz = ux * vy - uy * vx
  const nn = nx * nx + ny * ny + nz * nz

  // from A to B at the places s of A and t of B: w + t v - s u
  let s = 0
  let t = 0
  let least = Infinity
  for (let k = 0; k < 5; k++) {
    let si = 0
    let ti = 0
    if (k < 2) {
      // an end of A
      si = k
      ti = clamped((si * uv - vw) / vv)
    } else if (k < 4) {
      ti = k - 2
      si = clamped((uw + ti * uv) / uu)
    } else {
      if (!(nn > parallelSine2 * uu * vv)) continue
      // s n.n = w . (v x n), t n.n = w . (u x n)
      si = (wx * (vy * nz - vz * ny) + wy * (vz * nx - vx * nz) + wz * (vx * ny - vy * nx)) / nn
      ti = (wx * (uy * nz - uz * ny) + wy * (uz * nx - ux * nz) + wz * (ux * ny - uy * nx)) / nn
      if (!(si > 0 && si < 1 && ti > 0 && ti < 1)) continue
    }
    const x = wx + ti * vx - si * ux
    const y = wy + ti * vy - si * uy
    const z = wz + ti * vz - si * uz
    const square = x * x + y * y + z * z
    if (!(square < least)) continue
    least = square
    s = si
    t = ti
  }
  out[4] = A[0] + s * ux
  out[5] = A[1] + s * uy
  out[6] = A[2] + s * uz
  out[7] = B[0] + t * vx
  out[8] = B[1] + t * vy
  out[9] = B[2] + t * vz
  separate(out)
  const longer = uu > vv ? uu : vv
  const inside = s > 0 && s < 1 && t > 0 && t < 1
  const near = out[0] * out[0] <= coincident * coincident * longer
  // the vector between the points is more accurate at larger distances, the common perpendicular at larger angles
  const sharper = nn * longer > out[0] * out[0] * uu * vv
  if ((inside && sharper) || (near && nn > 1e-20 * uu * vv)) {
    const n = Math.sqrt(nn)
    const height = (wx * nx + wy * ny + wz * nz) / n
    const sign = height < 0 ? -1 : 1
    setNormal(out, (sign * nx) / n, (sign * ny) / n, (sign * nz) / n)
    out[0] = Math.abs(height)
    // for nearly parallel lines the perpendicular's error is along both
    straighten(A, out)
  } else if (near) setAcross(a, out)
  else if (s > 0 && s < 1) straighten(A, out)
  else if (t > 0 && t < 1) straighten(B, out)
}

/** Removes the normal's component along a segment, which is rounding. */
function straighten(V: Float64Array, out: Float64Array): void {
  const x = V[3] - V[0]
  const y = V[4] - V[1]
  const z = V[5] - V[2]
  const along = (out[1] * x + out[2] * y + out[3] * z) / (x * x + y * y + z * z)
  const nx = out[1] - along * x
  const ny = out[2] - along * y
  const nz = out[3] - along * z
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz)
  out[1] = nx / length
  out[2] = ny / length
  out[3] = nz / length
}

function clamped(t: number): number {
  return t < 0 ? 0 : t > 1 ? 1 : t
}

/** Sets distance and normal from the two points. @returns false, with distance 0, if they coincide */
function separate(out: Float64Array): boolean {
  const x = out[7] - out[4]
  const y = out[8] - out[5]
  const z = out[9] - out[6]
  const distance = Math.sqrt(x * x + y * y + z * z)
  out[0] = distance
  if (!(distance > 0)) return false
  out[1] = x / distance
  out[2] = y / distance
  out[3] = z / distance
  return true
}

function setNormal(out: Float64Array, x: number, y: number, z: number): void {
  out[1] = x
  out[2] = y
  out[3] = z
}

/** Writes a normal orthogonal to the segment. */
function setAcross({ verticesW: V }: Collider, out: Float64Array): void {
  const x = V[3] - V[0]
  const y = V[4] - V[1]
  const z = V[5] - V[2]
  const flat = Math.abs(z) <= Math.abs(x) || Math.abs(z) <= Math.abs(y)
  if (flat) {
    const length = Math.sqrt(x * x + y * y)
    setNormal(out, y / length, -x / length, 0)
  } else {
    const length = Math.sqrt(y * y + z * z)
    setNormal(out, 0, z / length, -y / length)
  }
}
