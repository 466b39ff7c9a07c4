import type { Collider } from '../collider.ts'
import type { PolytopeFace } from './expandingPolytope.ts'
import { coreDistance, type Simplex, supportCore } from './gjk.ts'
import { project, type SeparatingAxis } from './separation.ts'

/*
 * Candidate directions of the largest separation of a pair with a cylinder. Each is exact to rounding, given the closest features of an
 * approximate search.
 *
 * - cap and anything: the axis; a face and anything: its normal
 * - vertex and side: the perpendicular from the axis; vertex and rim: from the rim's nearest point
 * - edge and side: across both; edge and rim: the root of one increasing function (apart), or the point of the ellipse to
 *   which the rim projects along the edge (overlapping)
 * - rim and rim: Newton's method on the direction
 *
 * A cylinder's axis acts as an edge in the pairs of its side with the other's rim and side.
 */

/** Sine of the angle to a cylinder's axis below which a direction counts as parallel to it. And its square. */
const leastSine = 1e-9
const leastSine2 = 1e-18

const spanA = new Float64Array(2)
const spanB = new Float64Array(2)

const axisEnds = new Float64Array(6)
const vertex = new Int32Array(4)

/** Writes the ends of a cylinder's axis to `axisEnds`. */
function setAxisEnds({ R, p, halfLength }: Collider): void {
  for (let k = 0; k < 3; k++) {
    axisEnds[k] = p[k] - halfLength * R[3 * k + 2]
    axisEnds[3 + k] = p[k] + halfLength * R[3 * k + 2]
  }
}

/** Tests the direction; if it is the best so far, its support is the point at fraction `place` from V[i] to V[j]. */
function tryAt(search: SeparatingAxis, V: Float64Array, i: number, j: number, place: Float64Array): void {
  if (!search.normalize()) return
  const { found, foot } = search
  const before = found[0]
  search.tryBoth()
  if (!(found[0] > before)) return
  search.hasFoot = true
  const t = place[0]
  for (let k = 0; k < 3; k++) foot[k] = V[i + k] + t * (V[j + k] - V[i + k])
}

/** Tests the direction, without a known support point. */
function tryLoose(search: SeparatingAxis): void {
  if (!search.normalize()) return
  const before = search.found[0]
  search.tryBoth()
  if (search.found[0] > before) search.hasFoot = false
}

function tryOwnAxis(search: SeparatingAxis, { R }: Collider): void {
  search.setColumn(R, 2)
  tryLoose(search)
}

/** Tests both axes, their cross product, and, for parallel axes, the perpendicular from each axis to the other's centre. */
function tryStraightAxes(search: SeparatingAxis): void {
  const { a, b, axis } = search
  const A = a.R
  const B = b.R
  tryOwnAxis(search, a)
  tryOwnAxis(search, b)
  axis[0] = A[5] * B[8] - A[8] * B[5]
  axis[1] = A[8] * B[2] - A[2] * B[8]
  axis[2] = A[2] * B[5] - A[5] * B[2]
  if (axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] > leastSine2) tryLoose(search)
  tryStraight(search, a, b.p, 0)
  tryStraight(search, b, a.p, 0)
}

/** 1: fraction along the segment, 0 to 1. */
const place = new Float64Array(1)
/** 2: a function of that fraction, and its slope. */
const slope = new Float64Array(2)
const from = new Float64Array(3)
const way = new Float64Array(3)

/** Half the derivative of the squared distance from a cylinder at from + t way, and its slope. */
function evaluateSlope({ coreRadius: r, halfLength: h }: Collider): void {
  const t = place[0]
  const x = from[0] + t * way[0]
  const y = from[1] + t * way[1]
  const z = from[2] + t * way[2]
  const across = Math.sqrt(x * x + y * y)
  let f = 0
  let g = 0
  if (across > r) {
    const along = x * way[0] + y * way[1]
    const part = 1 - r / across
    f += part * along
    g += part * (way[0] * way[0] + way[1] * way[1]) + (r * along * along) / (across * across * across)
  }
  const cap = Math.abs(z) - h
  if (cap > 0) {
    f += z < 0 ? -cap * way[2] : cap * way[2]
    g += way[2] * way[2]
  }
  slope[0] = f
  slope[1] = g
}

/** Sets `place` to the segment's fraction nearest to a cylinder, from V[i] to V[j]; and `from`, `way` in the cylinder's axes. */
function nearestPlace(cylinder: Collider, V: Float64Array, i: number, j: number): void {
  const { R, p } = cylinder
  for (let k = 0; k < 3; k++) {
    from[k] = R[k] * (V[i] - p[0]) + R[3 + k] * (V[i + 1] - p[1]) + R[6 + k] * (V[i + 2] - p[2])
    way[k] = R[k] * (V[j] - V[i]) + R[3 + k] * (V[j + 1] - V[i + 1]) + R[6 + k] * (V[j + 2] - V[i + 2])
  }
  let low = 0
  let high = 1
  place[0] = 0
  evaluateSlope(cylinder)
  if (slope[0] >= 0) return
  place[0] = 1
  evaluateSlope(cylinder)
  if (slope[0] <= 0) return
  place[0] = 0.5
  // the distance is convex along the segment, so its derivative increases: Newton's method, safeguarded by a bracket
  for (let n = 0; n < 100; n++) {
    evaluateSlope(cylinder)
    const t = place[0]
    if (slope[0] > 0) high = t
    else low = t
    const newton = t - slope[0] / slope[1]
    // converged
    if (slope[0] === 0 || Math.abs(newton - t) <= 2e-16) return
    place[0] = newton > low && newton < high ? newton : 0.5 * (low + high)
  }
}

const atStart = new Float64Array(1)

/** Tests the separating directions of a cylinder and a segment outside it. */
function trySegment(search: SeparatingAxis, cylinder: Collider, V: Float64Array, i: number, j: number): void {
  const { axis } = search
  const { R, coreRadius: r, halfLength: h } = cylinder
  nearestPlace(cylinder, V, i, j)
  const t = place[0]
  const x = from[0] + t * way[0]
  const y = from[1] + t * way[1]
  const z = from[2] + t * way[2]
  const across = Math.sqrt(x * x + y * y)
  // from the nearest point of the cylinder
  const part = across > r ? 1 - r / across : 0
  const dx = part * x
  const dy = part * y
  const dz = z > h ? z - h : z < -h ? z + h : 0
  axis[0] = dx
  axis[1] = dy
  axis[2] = dz
  turn(axis, R)
  tryAt(search, V, i, j, place)
  if (!(across > 0)) return
  if (!(t > 0 && t < 1)) {
    // an end near the side: the perpendicular from the axis, which does not depend on the distance
    axis[0] = x
    axis[1] = y
    axis[2] = 0
    turn(axis, R)
    tryAt(search, V, i, j, place)
    return
  }
  // edge x axis; edge x rim's tangent (-y, x, 0)
  axis[0] = way[1]
  axis[1] = -way[0]
  axis[2] = 0
  turn(axis, R)
  if (way[0] * way[0] + way[1] * way[1] > leastSine2 * way[2] * way[2]) tryAt(search, V, i, j, place)
  axis[0] = -way[2] * x
  axis[1] = -way[2] * y
  axis[2] = way[0] * x + way[1] * y
  turn(axis, R)
  tryAt(search, V, i, j, place)
}

/** Turns a direction from a cylinder's axes into the world's. */
function turn(axis: Float64Array, R: Float64Array): void {
  const x = axis[0]
  const y = axis[1]
  const z = axis[2]
  for (let k = 0; k < 3; k++) axis[k] = R[3 * k] * x + R[3 * k + 1] * y + R[3 * k + 2] * z
}

/** Tests the perpendicular from the axis to vertex V[i]; the shape's x for a vertex on the axis. */
function tryStraight(search: SeparatingAxis, cylinder: Collider, V: Float64Array, i: number): void {
  setStraight(search.axis, cylinder, V, i)
  tryAt(search, V, i, i, atStart)
}

function setStraight(axis: Float64Array, { R, p, radius }: Collider, V: Float64Array, i: number): void {
  const x = V[i] - p[0]
  const y = V[i + 1] - p[1]
  const z = V[i + 2] - p[2]
  const along = x * R[2] + y * R[5] + z * R[8]
  axis[0] = x - along * R[2]
  axis[1] = y - along * R[5]
  axis[2] = z - along * R[8]
  if (!(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] > 1e-28 * radius * radius)) {
    axis[0] = R[0]
    axis[1] = R[3]
    axis[2] = R[6]
  }
}

/** Tests the faces around vertex i of a polyhedron whose normals point along the direction found, towards the other core. */
function tryFacesAround(search: SeparatingAxis, { vertexFaces, vertexFaceStart, normalsW: N }: Collider, i: number): void {
  const { found } = search
  // outward of A, opposite for B
  const sign = N === search.a.normalsW ? 1 : -1
  const x = sign * found[1]
  const y = sign * found[2]
  const z = sign * found[3]
  for (let k = vertexFaceStart[i]; k < vertexFaceStart[i + 1]; k++) {
    const f = 3 * vertexFaces[k]
    if (!(N[f] * x + N[f + 1] * y + N[f + 2] * z > 0.5)) continue
    search.setAxis(N, f)
    tryLoose(search)
  }
}

/** Moves the distinct numbers among the first `count` of `list` to the front of `vertex`. @returns their count */
function different(list: Int32Array, count: number): number {
  let n = 0
  for (let k = 0; k < count; k++) {
    let known = false
    for (let l = 0; l < n; l++) if (vertex[l] === list[k]) known = true
    if (!known) vertex[n++] = list[k]
  }
  return n
}

/** Tests, for a separated cylinder and polyhedral core, the directions of the closest features of the GJK search. */
export function polishApart(search: SeparatingAxis, cylinder: Collider, other: Collider, simplex: Simplex): void {
  const count = different(other === search.a ? simplex.IA : simplex.IB, simplex.count)
  const V = other.verticesW
  search.advantage[0] = 0
  for (let k = 0; k < count; k++) tryFacesAround(search, other, vertex[k])
  tryOwnAxis(search, cylinder)
  if (count === 1) trySegment(search, cylinder, V, 3 * vertex[0], 3 * vertex[0])
  for (let k = 0; k < count; k++) {
    for (let l = k + 1; l < count; l++) trySegment(search, cylinder, V, 3 * vertex[k], 3 * vertex[l])
  }
}

/** Tests, for overlapping cores, the directions of the closest features of `expandPolytope`. */
export function polishOverlap(search: SeparatingAxis, cylinder: Collider, other: Collider, face: PolytopeFace): void {
  const count = different(other === search.a ? face.IA : face.IB, 3)
  const V = other.verticesW
  search.advantage[0] = 0
  for (let k = 0; k < count; k++) tryFacesAround(search, other, vertex[k])
  tryOwnAxis(search, cylinder)
  for (let k = 0; k < count; k++) tryStraight(search, cylinder, V, 3 * vertex[k])
  for (let k = 0; k < count; k++) {
    for (let l = k + 1; l < count; l++) tryEdgeInside(search, cylinder, V, 3 * vertex[k], 3 * vertex[l])
  }
}

/** Tests in addition all edges at the vertices of the face, for cases that `polishOverlap` leaves inexact. */
export function polishAround(search: SeparatingAxis, cylinder: Collider, other: Collider, face: PolytopeFace): void {
  const { core, vertexFaces, vertexFaceStart, verticesW: V } = other
  const count = different(other === search.a ? face.IA : face.IB, 3)
  const { edges, faces } = core!
  if (faces.length === 0 && edges.length === 2) tryEdgeInside(search, cylinder, V, 3 * edges[0], 3 * edges[1])
  for (let k = 0; k < count; k++) {
    const v = vertex[k]
    for (let f = vertexFaceStart[v]; f < vertexFaceStart[v + 1]; f++) {
      const loop = faces[vertexFaces[f]]
      for (let m = 0; m < loop.length; m++) {
        const next = loop[m + 1 === loop.length ? 0 : m + 1]
        if (loop[m] === v) tryEdgeInside(search, cylinder, V, 3 * v, 3 * next)
      }
    }
  }
}

/** Tests the directions of a cylinder and an edge inside it, from V[i] to V[j]. */
function tryEdgeInside(search: SeparatingAxis, cylinder: Collider, V: Float64Array, i: number, j: number): void {
  if (!setAcross(search.axis, cylinder, V, i, j)) return
  tryLoose(search)
  const { found } = search
  const before = found[0]
  tryRim(search, cylinder, -1, V, i, j)
  tryRim(search, cylinder, 1, V, i, j)
  if (found[0] > before) search.hasFoot = false
}

/** Cross product of a cylinder's axis and the edge from V[i] to V[j]. @returns false if they are parallel */
function setAcross(axis: Float64Array, { R }: Collider, V: Float64Array, i: number, j: number): boolean {
  const x = V[j] - V[i]
  const y = V[j + 1] - V[i + 1]
  const z = V[j + 2] - V[i + 2]
  axis[0] = R[5] * z - R[8] * y
  axis[1] = R[8] * x - R[2] * z
  axis[2] = R[2] * y - R[5] * x
  const sine2 = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]
  return sine2 > leastSine2 * (x * x + y * y + z * z)
}

/** Refines the direction found for two separated cylinders. */
export function polishCylindersApart(search: SeparatingAxis): void {
  const { a, b } = search
  search.advantage[0] = 0
  polishRims(search)
  tryStraightAxes(search)
  setAxisEnds(b)
  trySegment(search, a, axisEnds, 0, 3)
  setAxisEnds(a)
  trySegment(search, b, axisEnds, 0, 3)
  search.hasFoot = false
}

/** Refines the direction found for two overlapping cylinders. */
export function polishCylindersOverlap(search: SeparatingAxis): void {
  const { a, b } = search
  search.advantage[0] = 0
  polishRims(search)
  tryStraightAxes(search)
  for (let side = -1; side <= 1; side += 2) {
    setAxisEnds(b)
    tryRim(search, a, side, axisEnds, 0, 3)
    setAxisEnds(a)
    tryRim(search, b, side, axisEnds, 0, 3)
  }
  search.hasFoot = false
}

const endA = new Float64Array(3)
const endB = new Float64Array(3)
const index = new Int32Array(1)
const normal = new Float64Array(3)
/** Two directions across the normal. */
const basis = new Float64Array(6)
/** The rim's tangent at the farthest point, and the sine of the angle between normal and axis. */
const acrossA = new Float64Array(4)
const acrossB = new Float64Array(4)
const maxNewtonSteps = 12

/**
 * Newton's method for the direction of the greatest separation of two rims. With the support points a of A and b of B, the part of b - a
 * across n is the gradient of the separation; a change of n moves these points along w, the rim's tangent, by k = radius / |n across the
 * axis|, so that the second derivative is -(separation + kA wA wA^T + kB wB wB^T). Stops at the first step without gain.
 */
function polishRims(search: SeparatingAxis): void {
  const { a, b, axis, found } = search
  for (let step = 0; step < maxNewtonSteps; step++) {
    setTangent(a, found, acrossA)
    setTangent(b, found, acrossB)
    // along an axis the tangent is undefined
    if (!(acrossA[3] > leastSine && acrossB[3] > leastSine)) return
    const kA = a.coreRadius / acrossA[3]
    const kB = b.coreRadius / acrossB[3]
    for (let k = 0; k < 3; k++) normal[k] = found[1 + k]
    supportCore(a, normal, 1, endA, 0, index)
    supportCore(b, normal, -1, endB, 0, index)
    setBasis(found)
    let g1 = 0
    let g2 = 0
    let a1 = 0
    let a2 = 0
    let b1 = 0
    let b2 = 0
    for (let k = 0; k < 3; k++) {
      const d = endB[k] - endA[k]
      g1 += d * basis[k]
      g2 += d * basis[3 + k]
      a1 += acrossA[k] * basis[k]
      a2 += acrossA[k] * basis[3 + k]
      b1 += acrossB[k] * basis[k]
      b2 += acrossB[k] * basis[3 + k]
    }
    const s = found[0]
    const h11 = s + kA * a1 * a1 + kB * b1 * b1
    const h12 = kA * a1 * a2 + kB * b1 * b2
    const h22 = s + kA * a2 * a2 + kB * b2 * b2
    const determinant = h11 * h22 - h12 * h12
    if (!(h11 > 0 && determinant > 0)) return
    const x = (h22 * g1 - h12 * g2) / determinant
    const y = (h11 * g2 - h12 * g1) / determinant
    for (let k = 0; k < 3; k++) axis[k] = found[1 + k] + x * basis[k] + y * basis[3 + k]
    if (!search.normalize()) return
    const before = found[0]
    search.tryBoth()
    if (!(found[0] > before)) return
  }
}

/** Unit vector across a cylinder's axis and the normal found, and its length before normalization. */
function setTangent({ R }: Collider, found: Float64Array, out: Float64Array): void {
  const x = R[5] * found[3] - R[8] * found[2]
  const y = R[8] * found[1] - R[2] * found[3]
  const z = R[2] * found[2] - R[5] * found[1]
  const sine = Math.sqrt(x * x + y * y + z * z)
  out[0] = x / sine
  out[1] = y / sine
  out[2] = z / sine
  out[3] = sine
}

function setBasis(found: Float64Array): void {
  const x = found[1]
  const y = found[2]
  const z = found[3]
  // across the coordinate axis most nearly perpendicular to the normal
  const flat = Math.abs(z) <= Math.abs(x) || Math.abs(z) <= Math.abs(y)
  const length = flat ? Math.sqrt(x * x + y * y) : Math.sqrt(y * y + z * z)
  basis[0] = flat ? y / length : 0
  basis[1] = flat ? -x / length : z / length
  basis[2] = flat ? 0 : -y / length
  basis[3] = y * basis[2] - z * basis[1]
  basis[4] = z * basis[0] - x * basis[2]
  basis[5] = x * basis[1] - y * basis[0]
}

/** Tests a cylinder against a polyhedral core, without an initial guess. */
export function tryCylinder(search: SeparatingAxis, cylinder: Collider, other: Collider): void {
  const V = other.verticesW
  const { axis } = search
  const { edges } = other.core!
  search.setColumn(cylinder.R, 2)
  search.tryBoth()
  for (let i = 0; i < V.length; i += 3) {
    setStraight(axis, cylinder, V, i)
    if (search.normalize()) search.tryBoth()
  }
  for (let e = 0; e < edges.length; e += 2) {
    const i = 3 * edges[e]
    const j = 3 * edges[e + 1]
    if (!setAcross(axis, cylinder, V, i, j)) continue
    if (search.normalize()) search.tryBoth()
    tryRim(search, cylinder, -1, V, i, j)
    tryRim(search, cylinder, 1, V, i, j)
  }
}

/**
 * Tests an edge from V[i] to V[j] that cuts into the rim of the cap `side`: the direction to the rim's nearest point, both projected along
 * the edge. The edge may be the axis of another cylinder.
 */
function tryRim(search: SeparatingAxis, cylinder: Collider, side: number, V: Float64Array, i: number, j: number): void {
  const { axis } = search
  const { coreRadius, R, p, halfLength } = cylinder
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
  if (!(sine > leastSine)) return
  ux /= sine
  uy /= sine
  uz /= sine
  const wx = y * uz - z * uy
  const wy = z * ux - x * uz
  const wz = x * uy - y * ux
  const long = coreRadius
  const short = coreRadius * Math.abs(x * R[2] + y * R[5] + z * R[8])
  if (!(short > leastSine * long)) return
  // the edge, relative to the centre of the rim
  const dx = V[i] - p[0] - side * halfLength * R[2]
  const dy = V[i + 1] - p[1] - side * halfLength * R[5]
  const dz = V[i + 2] - p[2] - side * halfLength * R[8]
  const s = dx * ux + dy * uy + dz * uz
  const t = dx * wx + dy * wy + dz * wz

  // Points of the ellipse whose normals pass through (s, t) are (long^2 s / (k + long^2), short^2 t / (k + short^2)) for k with F(k) = 1, F
  // being the sum below (Eberly, Distance from a Point to an Ellipse, 2013). The nearest point on the side of the edge has k in (-short^2,
  // 0), when the edge passes inside; the nearest on the other side, beyond which a deep edge has passed, has the larger of the two k in
  // (-long^2, -short^2). F falls in the first range and is convex in the second, so that bisection cannot miss.
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
      // minimum of F, where its derivative, negative at the left pole and positive at the right one, changes sign
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
    // the normal there is (x / long², y / short²) at the ellipse's point (x, y), with y from the ellipse, since t may be 0
    const ns = s / (0.5 * (low + high) + long2)
    const onEllipse = Math.sqrt(Math.max(0, 1 - long2 * ns * ns)) / short
    const nt = t < 0 === (branch === 0) ? -onEllipse : onEllipse
    axis[0] = ns * ux + nt * wx
    axis[1] = ns * uy + nt * wy
    axis[2] = ns * uz + nt * wz
    if (search.normalize()) search.tryBoth()
  }
}

/** The best result of all climbs. */
const best = new Float64Array(4)
const shift = new Float64Array(3)
const touch = new Float64Array(10)
const climbSteps = 200

/**
 * Tests two cylinders, without an initial guess: both axes, their common perpendicular, and climbs from these, the line of centres
 * and the caps' axes.
 */
export function tryCylinders(search: SeparatingAxis): void {
  const { a, b, axis, found } = search
  const x = b.p[0] - a.p[0]
  const y = b.p[1] - a.p[1]
  const z = b.p[2] - a.p[2]
  best.set(found)
  for (let n = 0; n < 24; n++) {
    const c = n % 2 === 0 ? a.R : b.R
    const sign = n % 4 < 2 ? 1 : -1
    const kind = n >> 2
    if (kind === 0) search.setColumn(c, 2)
    else if (kind === 1) {
      axis[0] = a.R[5] * b.R[8] - a.R[8] * b.R[5]
      axis[1] = a.R[8] * b.R[2] - a.R[2] * b.R[8]
      axis[2] = a.R[2] * b.R[5] - a.R[5] * b.R[2]
    } else if (kind === 3) search.setColumn(c, 0)
    else if (kind === 4) search.setColumn(c, 1)
    else {
      const along = kind === 2 ? x * c[2] + y * c[5] + z * c[8] : 0
      axis[0] = x - along * c[2]
      axis[1] = y - along * c[5]
      axis[2] = z - along * c[8]
    }
    if (!search.normalize()) continue
    found[0] = -Infinity
    search.tryBoth()
    climb(search, sign)
    polishRims(search)
    if (found[0] > best[0]) best.set(found)
  }
  found.set(best)
  search.advantage[0] = 0
  tryStraightAxes(search)
}

/**
 * Fixed-point iteration from sign * `axis`: separates the cores along a direction until they are just apart; the normal of their
 * distance there is the next direction. Local optima are fixed points; the error decreases by the ratio of depth to radius of
 * curvature at each step.
 */
function climb(search: SeparatingAxis, sign: number): void {
  const { a, b, axis, found, advantage } = search
  advantage[0] = 0
  const clearance = 1e-3 * (a.radius + b.radius)
  for (let d = 0; d < 3; d++) axis[d] *= sign
  for (let n = 0; n < climbSteps; n++) {
    const before = found[0]
    project(a, axis, spanA)
    project(b, axis, spanB)
    const way = spanA[1] - spanB[0] + clearance
    for (let d = 0; d < 3; d++) shift[d] = way * axis[d]
    coreDistance(a, b, shift, touch)
    if (!(touch[0] > 0)) return
    for (let d = 0; d < 3; d++) axis[d] = touch[1 + d]
    search.tryBoth()
    if (n > 3 && !(found[0] > before)) return
  }
}
