import type { Collider } from './collider.ts'
import { coreDistance } from './gjk.ts'

/**
 * The direction along which two overlapping cores are parted by the shortest move.
 *
 * Along a unit n from A to B, B starts where A ends plus separation(n) = min over B of n . x - max over A of n . x; the depth is
 * the least of -separation(n) over all n. The least stands on the normal of a smooth piece of the boundary of B - A
 * (the ball that it carries touches from inside), so it is enough to try, with full supports, every normal that such
 * a piece can have:
 *
 * - polyhedra: the faces of A, the faces of B, and the cross products of their edges (Gottschalk, Lin and Manocha, OBBTree,
 *   1996), the last only where the arcs of the two edges cross on the Gauss sphere (Gregorius, The Separating
 *   Axis Test between Convex Polyhedra, 2013);
 * - a cylinder and a polyhedron: the polyhedron's faces, the axis, axis x edge, from the axis straight to a vertex, and,
 *   for a rim against an edge, the nearest point of the ellipse as which the rim is seen along the edge.
 *
 * Two cylinders also have pieces where rim meets rim, without a closed form; a local search from several starts finds
 * these, to about 1e-9 of the size.
 */

const axis = new Float64Array(3)
const spanA = new Float64Array(2)
const spanB = new Float64Array(2)
const found = new Float64Array(4)
/** 1: how much better than what was found a direction must be [m]. Keeps noise from turning a face's normal into an edge's. */
const advantage = new Float64Array(1)

/** Relative to the size of the pair: edges must beat faces by this. */
const facePreference = 1e-11
/** Sine of the angle of two edges below which their cross product is too noisy to go without full supports. */
const nearlyParallel = 1e-5
const parallel = 1e-12

/**
 * Both colliders placed, with their cores; neither a half-space.
 *
 * @param out out, 4: the largest separation [m], and its unit normal from A to B. At most 0 when the cores overlap, where
 *            it is minus the depth; when positive, a lower bound of the distance.
 */
export function largestSeparation(a: Collider, b: Collider, out: Float64Array): void {
  found[0] = -Infinity
  advantage[0] = 0
  tryFaces(a, a, b)
  tryFaces(b, a, b)
  advantage[0] = found[0] > -Infinity ? facePreference * (a.radius + b.radius) : 0
  if (a.core === undefined) {
    if (b.core === undefined) tryCylinders(a, b)
    else tryCylinder(a, b, a, b)
  } else if (b.core === undefined) tryCylinder(b, a, a, b)
  else tryEdges(a, b)
  if (found[0] === -Infinity) tryAny(a, b)
  out[0] = found[0]
  out[1] = found[1]
  out[2] = found[2]
  out[3] = found[3]
}

/** Extent of the core along `axis`. */
function project({ shape, core, verticesW, R, p, halfLength }: Collider, out: Float64Array): void {
  if (core) {
    let low = Infinity
    let high = -Infinity
    for (let i = 0; i < verticesW.length; i += 3) {
      const x = verticesW[i] * axis[0] + verticesW[i + 1] * axis[1] + verticesW[i + 2] * axis[2]
      if (x < low) low = x
      if (x > high) high = x
    }
    out[0] = low
    out[1] = high
    return
  }
  if (shape.type !== 'cylinder') return
  const x = axis[1] * R[8] - axis[2] * R[5]
  const y = axis[2] * R[2] - axis[0] * R[8]
  const z = axis[0] * R[5] - axis[1] * R[2]
  const along = axis[0] * R[2] + axis[1] * R[5] + axis[2] * R[8]
  const reach = Math.abs(along) * halfLength + shape.radius * Math.sqrt(x * x + y * y + z * z)
  const middle = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]
  out[0] = middle - reach
  out[1] = middle + reach
}

/** Tries the unit vector in `axis`, and its opposite. */
function tryAxis(a: Collider, b: Collider): void {
  project(a, spanA)
  project(b, spanB)
  const forward = spanB[0] - spanA[1]
  const backward = spanA[0] - spanB[1]
  const separation = forward >= backward ? forward : backward
  if (!(separation > found[0] + advantage[0])) return
  const sign = forward >= backward ? 1 : -1
  found[0] = separation
  found[1] = sign * axis[0]
  found[2] = sign * axis[1]
  found[3] = sign * axis[2]
}

/** Makes `axis` a unit vector; false if it has no direction. */
function normalizeAxis(): boolean {
  const length = Math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
  if (!(length > 0)) return false
  axis[0] /= length
  axis[1] /= length
  axis[2] /= length
  return true
}

function tryFaces({ normalsW }: Collider, a: Collider, b: Collider): void {
  for (let f = 0; f < normalsW.length; f += 3) {
    axis[0] = normalsW[f]
    axis[1] = normalsW[f + 1]
    axis[2] = normalsW[f + 2]
    if (normalizeAxis()) tryAxis(a, b)
  }
}

function tryEdges(a: Collider, b: Collider): void {
  const edgesA = a.core!.edges
  const edgesB = b.core!.edges
  const VA = a.verticesW
  const VB = b.verticesW
  const solid = a.core!.faces.length > 2 && b.core!.faces.length > 2
  for (let i = 0; i < edgesA.length; i += 2) {
    const p = 3 * edgesA[i]
    const q = 3 * edgesA[i + 1]
    const ax = VA[q] - VA[p]
    const ay = VA[q + 1] - VA[p + 1]
    const az = VA[q + 2] - VA[p + 2]
    const lengthA = ax * ax + ay * ay + az * az
    for (let j = 0; j < edgesB.length; j += 2) {
      if (solid && !arcsCross(a, i, b, j)) continue
      const r = 3 * edgesB[j]
      const s = 3 * edgesB[j + 1]
      const bx = VB[s] - VB[r]
      const by = VB[s + 1] - VB[r + 1]
      const bz = VB[s + 2] - VB[r + 2]
      const x = ay * bz - az * by
      const y = az * bx - ax * bz
      const z = ax * by - ay * bx
      const sine = Math.sqrt((x * x + y * y + z * z) / (lengthA * (bx * bx + by * by + bz * bz)))
      if (!(sine > parallel)) continue
      axis[0] = x
      axis[1] = y
      axis[2] = z
      if (!normalizeAxis()) continue
      if (!solid || sine < nearlyParallel) {
        tryAxis(a, b)
        continue
      }
      // the edges are the supports, so they alone give the separation; the axis must leave A
      const f = 3 * a.edgeFaces[i]
      const g = 3 * a.edgeFaces[i + 1]
      const N = a.normalsW
      const out = axis[0] * (N[f] + N[g]) + axis[1] * (N[f + 1] + N[g + 1]) + axis[2] * (N[f + 2] + N[g + 2])
      const sign = out < 0 ? -1 : 1
      const separation =
        sign * (axis[0] * (VB[r] - VA[p]) + axis[1] * (VB[r + 1] - VA[p + 1]) + axis[2] * (VB[r + 2] - VA[p + 2]))
      if (!(separation > found[0] + advantage[0])) continue
      found[0] = separation
      found[1] = sign * axis[0]
      found[2] = sign * axis[1]
      found[3] = sign * axis[2]
    }
  }
}

/** Whether the arc between the normals beside edge i of A crosses the arc of the negated normals beside edge j of B. */
function arcsCross(a: Collider, i: number, b: Collider, j: number): boolean {
  const N = a.normalsW
  const M = b.normalsW
  const f = 3 * a.edgeFaces[i]
  const g = 3 * a.edgeFaces[i + 1]
  const h = 3 * b.edgeFaces[j]
  const k = 3 * b.edgeFaces[j + 1]
  // u = Nf x Ng, w = Mh x Mk; negating both normals of B leaves w as it is
  const ux = N[f + 1] * N[g + 2] - N[f + 2] * N[g + 1]
  const uy = N[f + 2] * N[g] - N[f] * N[g + 2]
  const uz = N[f] * N[g + 1] - N[f + 1] * N[g]
  const c = -(M[h] * ux + M[h + 1] * uy + M[h + 2] * uz)
  const d = -(M[k] * ux + M[k + 1] * uy + M[k + 2] * uz)
  if (!(c * d < 0)) return false
  const wx = M[h + 1] * M[k + 2] - M[h + 2] * M[k + 1]
  const wy = M[h + 2] * M[k] - M[h] * M[k + 2]
  const wz = M[h] * M[k + 1] - M[h + 1] * M[k]
  const e = N[f] * wx + N[f + 1] * wy + N[f + 2] * wz
  const l = N[g] * wx + N[g + 1] * wy + N[g + 2] * wz
  // each arc crosses the other's great circle, and both on the same side of the sphere
  return e * l < 0 && c * l > 0
}

/** A cylinder against a polyhedral core; (a, b) is the pair in its order. */
function tryCylinder(cylinder: Collider, other: Collider, a: Collider, b: Collider): void {
  const { R, p } = cylinder
  const V = other.verticesW
  const { edges } = other.core!
  axis[0] = R[2]
  axis[1] = R[5]
  axis[2] = R[8]
  tryAxis(a, b)
  for (let i = 0; i < V.length; i += 3) {
    const x = V[i] - p[0]
    const y = V[i + 1] - p[1]
    const z = V[i + 2] - p[2]
    const along = x * R[2] + y * R[5] + z * R[8]
    axis[0] = x - along * R[2]
    axis[1] = y - along * R[5]
    axis[2] = z - along * R[8]
    // a vertex on the axis is as far from every side
    if (!(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] > 1e-28 * cylinder.radius * cylinder.radius)) {
      axis[0] = R[0]
      axis[1] = R[3]
      axis[2] = R[6]
    }
    if (normalizeAxis()) tryAxis(a, b)
  }
  for (let e = 0; e < edges.length; e += 2) {
    const i = 3 * edges[e]
    const j = 3 * edges[e + 1]
    const x = V[j] - V[i]
    const y = V[j + 1] - V[i + 1]
    const z = V[j + 2] - V[i + 2]
    axis[0] = R[5] * z - R[8] * y
    axis[1] = R[8] * x - R[2] * z
    axis[2] = R[2] * y - R[5] * x
    const length = Math.sqrt(x * x + y * y + z * z)
    const sine = Math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]) / length
    if (!(sine > 1e-9)) continue
    if (normalizeAxis()) tryAxis(a, b)
    tryRim(cylinder, -1, other, e, a, b)
    tryRim(cylinder, 1, other, e, a, b)
  }
}

/** An edge of the core that cuts into the rim on the cap `side`, both seen along the edge: the rim's nearest point. */
function tryRim(cylinder: Collider, side: number, other: Collider, e: number, a: Collider, b: Collider): void {
  const { shape, R, p, halfLength } = cylinder
  if (shape.type !== 'cylinder') return
  const V = other.verticesW
  const { edges } = other.core!
  const i = 3 * edges[e]
  const j = 3 * edges[e + 1]
  let x = V[j] - V[i]
  let y = V[j + 1] - V[i + 1]
  let z = V[j + 2] - V[i + 2]
  const length = Math.sqrt(x * x + y * y + z * z)
  x /= length
  y /= length
  z /= length
  // long half axis along u = edge x axis, short one along w = edge x u
  let ux = y * R[8] - z * R[5]
  let uy = z * R[2] - x * R[8]
  let uz = x * R[5] - y * R[2]
  const sine = Math.sqrt(ux * ux + uy * uy + uz * uz)
  ux /= sine
  uy /= sine
  uz /= sine
  const wx = y * uz - z * uy
  const wy = z * ux - x * uz
  const wz = x * uy - y * ux
  const long = shape.radius
  const short = shape.radius * Math.abs(x * R[2] + y * R[5] + z * R[8])
  if (!(short > 1e-9 * long)) return
  // the edge, seen from the middle of the rim
  const dx = V[i] - p[0] - side * halfLength * R[2]
  const dy = V[i + 1] - p[1] - side * halfLength * R[5]
  const dz = V[i + 2] - p[2] - side * halfLength * R[8]
  const s = dx * ux + dy * uy + dz * uz
  const t = dx * wx + dy * wy + dz * wz

  // Points of the ellipse whose normals pass through (s, t) are (long^2 s / (k + long^2), short^2 t / (k + short^2)) for k
  // with F(k) = 1, F being the sum below (Eberly, Distance from a Point to an Ellipse, 2013). The nearest point on the side
  // of the edge has k in (-short^2, 0), when the edge passes inside; the nearest on the other side, which a deep edge has
  // passed through, has the larger of the two k in (-long^2, -short^2). F falls in the first range and is convex in the
  // second, so that bisection cannot miss.
  const as = Math.abs(s)
  const at = Math.abs(t)
  const long2 = long * long
  const short2 = short * short
  for (let branch = 0; branch < 2; branch++) {
    let low = branch === 0 ? short * (at - short) : -long2
    let high = branch === 0 ? 0 : -short2
    if (branch === 0) {
      if (!((s * s) / long2 + (t * t) / short2 < 1)) continue
    } else {
      // least F: where its derivative, negative at the left pole and positive at the right one, changes sign
      for (let n = 0; n < 128; n++) {
        const k = 0.5 * (low + high)
        if (k <= low || k >= high) break
        const f = k + long2
        const g = k + short2
        if ((long2 * as * as) / (f * f * f) + (short2 * at * at) / (g * g * g) > 0) low = k
        else high = k
      }
      const f = (long * as) / (low + long2)
      const g = (short * at) / (low + short2)
      if (!(f * f + g * g < 1)) continue
      high = -short2
    }
    for (let n = 0; n < 128; n++) {
      const k = 0.5 * (low + high)
      if (k <= low || k >= high) break
      const f = (long * as) / (k + long2)
      const g = (short * at) / (k + short2)
      if (f * f + g * g > 1 === (branch === 0)) low = k
      else high = k
    }
    // the normal there is (its first coordinate / long^2, its second / short^2); the second from the ellipse, for t may be 0
    const ns = s / (0.5 * (low + high) + long2)
    const onEllipse = Math.sqrt(Math.max(0, 1 - long2 * ns * ns)) / short
    const nt = t < 0 === (branch === 0) ? -onEllipse : onEllipse
    axis[0] = ns * ux + nt * wx
    axis[1] = ns * uy + nt * wy
    axis[2] = ns * uz + nt * wz
    if (normalizeAxis()) tryAxis(a, b)
  }
}

/** The best of all climbs. */
const best = new Float64Array(4)
const shift = new Float64Array(3)
const touch = new Float64Array(10)
const climbSteps = 200

/** Two cylinders: both axes, their common perpendicular, and climbs from these, the line of centres and the cap's axes. */
function tryCylinders(a: Collider, b: Collider): void {
  const A = a.R
  const B = b.R
  const x = b.p[0] - a.p[0]
  const y = b.p[1] - a.p[1]
  const z = b.p[2] - a.p[2]
  best.set(found)
  for (let n = 0; n < 24; n++) {
    const c = n % 2 === 0 ? A : B
    const sign = n % 4 < 2 ? 1 : -1
    const kind = n >> 2
    const along = x * c[2] + y * c[5] + z * c[8]
    if (kind === 0) setAxis(c[2], c[5], c[8])
    else if (kind === 1) setAxis(A[5] * B[8] - A[8] * B[5], A[8] * B[2] - A[2] * B[8], A[2] * B[5] - A[5] * B[2])
    else if (kind === 2) setAxis(x - along * c[2], y - along * c[5], z - along * c[8])
    else if (kind === 3) setAxis(c[0], c[3], c[6])
    else if (kind === 4) setAxis(c[1], c[4], c[7])
    else setAxis(x, y, z)
    if (!normalizeAxis()) continue
    found[0] = -Infinity
    tryAxis(a, b)
    climb(a, b, sign)
    if (found[0] > best[0]) best.set(found)
  }
  found.set(best)
}

function setAxis(x: number, y: number, z: number): void {
  axis[0] = x
  axis[1] = y
  axis[2] = z
}

/**
 * From sign * `axis`: parts the cores along a direction until they are just apart, takes the normal of their distance there
 * as the next direction, and so on. A direction that is best near by stays; another nears it by the ratio of depth to
 * radius of curvature at each step.
 */
function climb(a: Collider, b: Collider, sign: number): void {
  advantage[0] = 0
  const clearance = 1e-3 * (a.radius + b.radius)
  for (let d = 0; d < 3; d++) axis[d] *= sign
  for (let n = 0; n < climbSteps; n++) {
    const before = found[0]
    project(a, spanA)
    project(b, spanB)
    const way = spanA[1] - spanB[0] + clearance
    for (let d = 0; d < 3; d++) shift[d] = way * axis[d]
    coreDistance(a, b, shift, touch)
    if (!(touch[0] > 0)) return
    for (let d = 0; d < 3; d++) axis[d] = touch[1 + d]
    tryAxis(a, b)
    if (n > 3 && !(found[0] > before)) return
  }
}

/** Cores without faces whose edges do not cross: any direction across the first edge, or up. */
function tryAny(a: Collider, b: Collider): void {
  const c = a.core && a.core.edges.length > 0 ? a : b
  if (c.core && c.core.edges.length > 0) {
    // R's columns are the shape's axes; for a segment along z these lie across it
    const V = c.verticesW
    const x = V[3] - V[0]
    const y = V[4] - V[1]
    const z = V[5] - V[2]
    const flat = Math.abs(z) <= Math.abs(x) || Math.abs(z) <= Math.abs(y)
    setAxis(flat ? y : 0, flat ? -x : z, flat ? 0 : -y)
  } else setAxis(0, 0, 1)
  if (normalizeAxis()) tryAxis(a, b)
}
