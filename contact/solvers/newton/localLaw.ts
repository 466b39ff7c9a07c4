import { type FrictionLaw, GroupKind, isCompliant, spring } from '../contactProblem.ts'
import { onPolygon, pyramidOf } from '../contactResidual.ts'
import { compliantNormal, lagged, similar, tamsi } from './huntCrossleyLaw.ts'
import { type Projection, slot } from './slot.ts'

/*
 * Laws of contact as projections. An impulse p and a velocity u obey the law of their constraint if
 *
 *   p = P(w),   w = p - u,
 *
 * P the projection on the impulses that the law admits (the natural map; Alart and Curnier 1991 for friction). Impulses and velocities are
 * first scaled to equal units, by the group's scale (`NewtonProblem.scale`). Newton's method needs the derivative D = dP/dw; and, far from
 * a solution, a smooth P: every max(0, x) is (x + sqrt(x² + 4 s)) / 2 with smoothing s >= 0 (Chen and Harker 1993; Kanzow 1996), under
 * which p = P(w) means p u = s instead of p u = 0: the central path of interior-point methods.
 *
 * A group's numbers are in one array, at the offsets of `slot`, so that calls pass no numbers.
 */

// two results of `plus`: (x + sqrt(x² + 4 s)) / 2, and its derivative; x is passed in the first
const part = new Float64Array(2)
const other = new Float64Array(2)
const tangent = new Float64Array(3)
/** A square: cosine and sine of its first edge's normal, half its width, and the derivative of that by w_n. */
const side = new Float64Array(4)
/** A disc: its radius, and the derivative of that by w_n. */
const radius = new Float64Array(2)

/** y[0], y[1] := the smoothed max(0, y[0]) and its derivative. */
function plus(y: Float64Array, b: Float64Array, o: number): void {
  const s = b[o + slot.smoothing]
  const x = y[0]
  if (s === 0) {
    y[0] = x > 0 ? x : 0
    y[1] = x > 0 ? 1 : 0
    return
  }
  const root = Math.sqrt(x * x + 4 * s)
  y[0] = x > 0 ? 0.5 * (x + root) : (2 * s) / (root - x)
  y[1] = 0.5 * (1 + x / root)
}

/** p >= 0 ⟂ u >= 0 (Baraff's survey, eqs. 5 and 7; Williams, Lu and Trinkle, 2014, eq. 9). */
export const unilateral: Projection = (b, o) => {
  part[0] = b[o]
  plus(part, b, o)
  b[o + 3] = part[0]
  b[o + 6] = part[1]
}

/** u = 0, p of any sign. */
export const bilateral: Projection = (b, o) => {
  b[o + 3] = b[o]
  b[o + 6] = 1
}

/** |p| <= parameter, u = 0 inside. */
export const bounded: Projection = (b, o) => {
  const bound = b[o + slot.parameter]
  part[0] = b[o] - bound
  other[0] = -b[o] - bound
  plus(part, b, o)
  plus(other, b, o)
  b[o + 3] = b[o] - part[0] + other[0]
  b[o + 6] = 1 - part[1] - other[1]
}

/** Coulomb's law: p_n as `unilateral`; p_t in the disc of radius mu p_n (Baraff's survey, eq. 14), against the slip. The parameter is mu. */
export const cone: Projection = (b, o) => {
  startFriction(b, o)
  slideInCone(b, o)
}

/** `cone` with a normal impulse of at least `slot.cosine`. */
const pressed: Projection = (b, o) => {
  const least = b[o + slot.cosine]
  b[o] -= least
  startFriction(b, o)
  b[o] += least
  b[o + 3] += least
  slideInCone(b, o)
}

/** Friction of `cone`, for a known normal. */
function slideInCone(b: Float64Array, o: number): void {
  radius[0] = b[o + slot.parameter] * b[o + 3]
  radius[1] = b[o + slot.parameter] * b[o + 6]
  intoDisc(b, o)
}

/** Friction of a given bound: p_t in the disc of that radius, opposite to the slip. The parameter is the bound. */
const disc: Projection = (b, o) => {
  startFriction(b, o)
  radius[0] = b[o + slot.parameter]
  radius[1] = 0
  intoDisc(b, o)
}

/** p_t := w_t projected on the disc of `radius`, and its derivative. */
function intoDisc(b: Float64Array, o: number): void {
  const s = b[o + slot.smoothing]
  const x = b[o + 1]
  const y = b[o + 2]
  const r = radius[0]
  const slope = radius[1]
  if (s === 0) {
    const length = Math.sqrt(x * x + y * y)
    if (length <= r) {
      b[o + 4] = x
      b[o + 5] = y
      b[o + 10] = 1
      b[o + 14] = 1
    } else if (r > 0) {
      const c = x / length
      const d = y / length
      const k = r / length
      b[o + 4] = r * c
      b[o + 5] = r * d
      b[o + 9] = slope * c
      b[o + 12] = slope * d
      b[o + 10] = k * d * d
      b[o + 11] = -k * c * d
      b[o + 13] = b[o + 11]
      b[o + 14] = k * c * c
    }
    return
  }
  // p_t = w_t r / max(|w_t|, r), both smoothed
  const length = Math.sqrt(x * x + y * y + s)
  const root = Math.sqrt((length - r) * (length - r) + 4 * s)
  const larger = 0.5 * (length + r + root)
  const byLength = 0.5 * (1 + (length - r) / root)
  const f = r / larger
  const fOfLength = (-f / larger) * (byLength / length)
  const fOfNormal = ((1 - f * (1 - byLength)) / larger) * slope
  b[o + 4] = f * x
  b[o + 5] = f * y
  b[o + 9] = fOfNormal * x
  b[o + 12] = fOfNormal * y
  b[o + 10] = f + fOfLength * x * x
  b[o + 11] = fOfLength * x * y
  b[o + 13] = b[o + 11]
  b[o + 14] = f + fOfLength * y * y
}

/** Friction mu p_n against a given slip along the corner (Baraff's survey, eqs. 15 and 16). The parameter is mu. */
const sliding: Projection = (b, o) => {
  startFriction(b, o)
  const x = -b[o + slot.parameter] * b[o + slot.cosine]
  const y = -b[o + slot.parameter] * b[o + slot.sine]
  b[o + 4] = x * b[o + 3]
  b[o + 5] = y * b[o + 3]
  b[o + 9] = x * b[o + 6]
  b[o + 12] = y * b[o + 6]
}

/** `cone` with a square in place of the disc, corners at mu p_n along the pyramid's axes (Stewart and Trinkle 1996). */
function square(b: Float64Array, o: number): void {
  startFriction(b, o)
  if (!(b[o + 3] > 0)) return
  // along the normals of the square's edges, at 45 degrees to its corners
  side[0] = (b[o + slot.cosine] - b[o + slot.sine]) * Math.SQRT1_2
  side[1] = (b[o + slot.cosine] + b[o + slot.sine]) * Math.SQRT1_2
  side[2] = b[o + slot.parameter] * b[o + 3] * Math.SQRT1_2
  side[3] = b[o + slot.parameter] * b[o + 6] * Math.SQRT1_2
  clampTangents(b, o)
}

/** p_t := w_t projected on the square of `side`, and its derivative. */
function clampTangents(b: Float64Array, o: number): void {
  const c = side[0]
  const d = side[1]
  const bound = side[2]
  const slope = side[3]
  const along = c * b[o + 1] + d * b[o + 2]
  const across = c * b[o + 2] - d * b[o + 1]
  part[0] = along - bound
  other[0] = -along - bound
  plus(part, b, o)
  plus(other, b, o)
  const p0 = along - part[0] + other[0]
  const d0 = 1 - part[1] - other[1]
  const n0 = (part[1] - other[1]) * slope
  part[0] = across - bound
  other[0] = -across - bound
  plus(part, b, o)
  plus(other, b, o)
  const p1 = across - part[0] + other[0]
  const d1 = 1 - part[1] - other[1]
  const n1 = (part[1] - other[1]) * slope
  b[o + 4] = c * p0 - d * p1
  b[o + 5] = d * p0 + c * p1
  b[o + 9] = c * n0 - d * n1
  b[o + 12] = d * n0 + c * n1
  b[o + 10] = c * c * d0 + d * d * d1
  b[o + 11] = c * d * (d0 - d1)
  b[o + 13] = b[o + 11]
  b[o + 14] = d * d * d0 + c * c * d1
}

/**
 * `cone` with a regular polygon of more sides, the first corner along the pyramid's first axis. While smoothed it is the cone; the polygon
 * applies at the end of smoothing.
 */
function polygon(sides: number): Projection {
  const corners = pyramidOf(sides)
  return (b, o) => {
    if (b[o + slot.smoothing] > 0) {
      cone(b, o)
      return
    }
    startFriction(b, o)
    if (!(b[o + 3] > 0)) return
    const c = b[o + slot.cosine]
    const d = b[o + slot.sine]
    const x = c * b[o + 1] + d * b[o + 2]
    const y = c * b[o + 2] - d * b[o + 1]
    const mu = b[o + slot.parameter]
    tangent[0] = x
    tangent[1] = y
    tangent[2] = mu * b[o + 3]
    onPolygon(sides, corners, tangent)
    const px = tangent[0]
    const py = tangent[1]
    b[o + 4] = c * px - d * py
    b[o + 5] = d * px + c * py
    if (px === x && py === y) {
      b[o + 10] = 1
      b[o + 14] = 1
      return
    }
    // on an edge the component along it is free; P is homogeneous in (w_t, p_n), which gives the part proportional to p_n
    let edge = 0
    let most = Number.NEGATIVE_INFINITY
    for (let k = 0; k < sides; k++) {
      const far = corners[2 * (sides + k)] * x + corners[2 * (sides + k) + 1] * y
      if (far > most) {
        most = far
        edge = k
      }
    }
    const ex = -corners[2 * (sides + edge) + 1]
    const ey = corners[2 * (sides + edge)]
    const along = ex * x + ey * y
    const free = Math.abs(along - (ex * px + ey * py)) <= 1e-12 * (Math.abs(x) + Math.abs(y)) ? 1 : 0
    const nx = (px - free * along * ex) / b[o + 3]
    const ny = (py - free * along * ey) / b[o + 3]
    b[o + 9] = b[o + 6] * (c * nx - d * ny)
    b[o + 12] = b[o + 6] * (d * nx + c * ny)
    const gx = c * ex - d * ey
    const gy = d * ex + c * ey
    b[o + 10] = free * gx * gx
    b[o + 11] = free * gx * gy
    b[o + 13] = b[o + 11]
    b[o + 14] = free * gy * gy
  }
}

/** The projection on the cone itself: u lies in the dual cone (Anitescu 2006), the optimality conditions of a convex problem. */
export const associated: Projection = (b, o) => {
  const mu = b[o + slot.parameter]
  const n = b[o]
  const x = b[o + 1]
  const y = b[o + 2]
  const s = b[o + slot.smoothing]
  const length = Math.sqrt(x * x + y * y + s)
  if (s === 0) {
    startFriction(b, o)
    if (length <= mu * n) {
      b[o + 4] = x
      b[o + 5] = y
      b[o + 10] = 1
      b[o + 14] = 1
      return
    }
    // on the cone's surface, or at its tip
    const t = (n + mu * length) / (1 + mu * mu)
    b[o + 3] = t > 0 ? t : 0
    b[o + 6] = 0
    if (!(t > 0)) return
    const c = x / length
    const e = y / length
    const by = 1 / (1 + mu * mu)
    const k = (mu * t) / length
    const m = mu * mu * by
    b[o + 4] = mu * t * c
    b[o + 5] = mu * t * e
    b[o + 6] = by
    b[o + 7] = mu * by * c
    b[o + 8] = mu * by * e
    b[o + 9] = b[o + 7]
    b[o + 12] = b[o + 8]
    b[o + 10] = m * c * c + k * e * e
    b[o + 11] = (m - k) * c * e
    b[o + 13] = b[o + 11]
    b[o + 14] = m * e * e + k * c * c
    return
  }
  // w = l1 e1 + l2 e2, e1 along the cone's surface and e2 out of it; P = w - max(0, l2) e2 + max(0, -l1) e1
  const d = Math.sqrt(1 + mu * mu)
  const c = length > 0 ? x / length : 0
  const e = length > 0 ? y / length : 0
  part[0] = (length - mu * n) / d
  other[0] = -(n + mu * length) / d
  plus(part, b, o)
  plus(other, b, o)
  const outOf = part[0] / d
  const up = other[0] / d
  const outN = (-part[1] * mu) / (d * d)
  const outT = part[1] / (d * d)
  const upN = -other[1] / (d * d)
  const upT = (-other[1] * mu) / (d * d)
  // P_n = n + mu outOf + up;  P_t = w_t + f w_t / |w_t|, f = mu up - outOf
  const f = mu * up - outOf
  const fN = mu * upN - outN
  const fT = mu * upT - outT
  const g = length > 0 ? f / length : 0
  b[o + 3] = n + mu * outOf + up
  b[o + 4] = x + f * c
  b[o + 5] = y + f * e
  b[o + 6] = 1 + mu * outN + upN
  b[o + 7] = (mu * outT + upT) * c
  b[o + 8] = (mu * outT + upT) * e
  b[o + 9] = fN * c
  b[o + 12] = fN * e
  b[o + 10] = 1 + g + (fT - g) * c * c
  b[o + 11] = (fT - g) * c * e
  b[o + 13] = b[o + 11]
  b[o + 14] = 1 + g + (fT - g) * e * e
}

/** Sets the normal part of a law with friction, and zero friction. */
function startFriction(b: Float64Array, o: number): void {
  unilateral(b, o)
  for (let k = 4; k < 6; k++) b[o + k] = 0
  for (let k = 7; k < 15; k++) b[o + k] = 0
}

/** The law of a contact without friction; or of a joint limit, which has no stiffness and is rigid. */
const compliantOr =
  (rigid: Projection): Projection =>
  (b, o) => {
    if (b[o + slot.spring + spring.stiffness] > 0) compliantNormal(b, o)
    else rigid(b, o)
  }

const frictionOf = (law: FrictionLaw, sides: number): Projection => {
  if (law === 'lagged') return lagged
  if (law === 'similar') return similar
  if (law === 'tamsi') return tamsi
  if (law === 'associated') return associated
  if (law === 'cone') return cone
  return sides === 4 ? square : polygon(sides)
}

/** By `GroupKind`: the projection of a group. */
export function projectionsOf(law: FrictionLaw, sides: number): readonly Projection[] {
  const byKind: Projection[] = []
  byKind[GroupKind.unilateral] = isCompliant(law) ? compliantOr(unilateral) : unilateral
  byKind[GroupKind.frictional] = frictionOf(law, sides)
  byKind[GroupKind.sliding] = sliding
  byKind[GroupKind.disc] = disc
  byKind[GroupKind.bilateral] = bilateral
  byKind[GroupKind.bounded] = bounded
  byKind[GroupKind.pressed] = pressed
  return byKind
}
