import { type Collider, writeNormal, writeVertex } from '../collider.ts'
import { Core } from '../shapes/index.ts'
import { pointToEllipsoid } from './ellipsoidDistance.ts'
import { supportCore } from './gjk.ts'
import type { SeparatingAxis } from './separation.ts'

/**
 * The direction of the distance or minimum translation of an ellipsoid and another core: the greatest separation
 *
 *     f(n) = min over B of n . x - max over A of n . x        over unit n from A to B.
 *
 * An approximate search gives the closest features; each of these has a maximum of f near its normal that Newton's method on the sphere
 * finds to rounding, and full supports select the best:
 *
 * - a vertex, or a rim or another ellipsoid: over all n;
 * - an edge, or a cylinder's side: over n across it;
 * - a face or a cap: its normal.
 *
 * With w from the support point of A to that of B, the gradient on the sphere is the part of w orthogonal to n, and the second derivative
 * -(K + f) with K the sum of the second derivatives of both supports, which for an ellipsoid h(n) = sqrt(n . Q n), Q = R diag(e²) Rᵀ, is (Q
 * - Q n nᵀ Q / h²) / h, and for a rim of radius r, r / |n across the axis| along the rim. So a step solves (K + f) dn = w across n.
 */

/** Most Newton steps; from a search precise to 1e-7 of the size, three or four suffice. */
const mostSteps = 24
/** A step shorter than this is rounding. */
const shortest = 4e-16
/** Most times that the features are updated from the resulting normal. */
const mostRounds = 4
/** Cosine of the largest angle between a search's normal and that of its face. */
const alike = 0.999
/** Sine of the angle to a cylinder's axis below which the support point on its rim is undefined. */
const leastSine = 1e-9

/** 3 each: the direction, from A to B; the vector between the support points, from A to B; both support points. */
const n = new Float64Array(3)
const w = new Float64Array(3)
const endA = new Float64Array(3)
const endB = new Float64Array(3)
const index = new Int32Array(1)
/** 9: K. 3 each: two directions across n, K times these, and scratch. */
const K = new Float64Array(9)
const t1 = new Float64Array(3)
const t2 = new Float64Array(3)
const Kt1 = new Float64Array(3)
const Kt2 = new Float64Array(3)
const Qn = new Float64Array(3)
/** 3: the edge that n is kept orthogonal to; 6: ends of an edge. */
const edge = new Float64Array(3)
const ends = new Float64Array(6)
/** Candidate vertices of the other core, without repeats. */
const vertices = new Int32Array(4)
const normal = new Float64Array(3)

/**
 * Refines `search.found`, starting from its direction. B is an ellipsoid; A is a core of any kind.
 *
 * @param I     vertices on A of the search's final simplex, `count` of them; read for polyhedra
 */
export function polishEllipsoid(search: SeparatingAxis, I: Int32Array, count: number): void {
  const { a, found } = search
  for (let round = 0; round < mostRounds; round++) {
    const before = found[0]
    if (a.kind === Core.ellipsoid) climb(search, -1, false)
    else if (a.kind === Core.cylinder) tryCylinder(search)
    else tryVertices(search, I, round === 0 ? count : 0)
    if (!(found[0] > before)) return
  }
}

function tryCylinder(search: SeparatingAxis): void {
  const { R } = search.a
  search.setColumn(R, 2)
  search.tryBoth()
  for (let k = 0; k < 3; k++) edge[k] = R[3 * k + 2]
  climb(search, -1, true)
  climb(search, -1, false)
}

/** Tests the search's final vertices and the support vertex along the normal; edges between them; faces around them. */
function tryVertices(search: SeparatingAxis, I: Int32Array, given: number): void {
  const { a, found } = search
  let count = 0
  for (let k = 0; k < 3; k++) normal[k] = found[1 + k]
  supportCore(a, normal, 1, endA, 0, index)
  vertices[count++] = index[0]
  for (let k = 0; k < given && count < 4; k++) {
    let isNew = true
    for (let l = 0; l < count; l++) if (vertices[l] === I[k]) isNew = false
    if (isNew) vertices[count++] = I[k]
  }
  for (let k = 0; k < count; k++) {
    climb(search, vertices[k], false)
    tryFaces(search, vertices[k])
    for (let l = 0; l < k; l++) {
      writeVertex(a, vertices[l], ends, 0)
      writeVertex(a, vertices[k], ends, 1)
      let square = 0
      for (let d = 0; d < 3; d++) {
        edge[d] = ends[3 + d] - ends[d]
        square += edge[d] * edge[d]
      }
      if (!(square > 0)) continue
      const length = Math.sqrt(square)
      for (let d = 0; d < 3; d++) edge[d] /= length
      climb(search, vertices[k], true)
    }
  }
}

/** Tests the faces around vertex i of A with normals nearly along the direction. */
function tryFaces(search: SeparatingAxis, i: number): void {
  const { a, axis } = search
  const { vertexFaces, vertexFaceStart } = a
  for (let k = vertexFaceStart[i]; k < vertexFaceStart[i + 1]; k++) {
    writeNormal(a, vertexFaces[k], axis)
    const cosine = axis[0] * normal[0] + axis[1] * normal[1] + axis[2] * normal[2]
    if (cosine > alike && search.normalize()) search.tryOne(1)
  }
}

/**
 * Newton's method from the direction in `found`.
 *
 * @param vertex  fixed vertex of A; -1: A's support point, of a curved core
 * @param across  whether the direction stays orthogonal to `edge`
 */
function climb(search: SeparatingAxis, vertex: number, across: boolean): void {
  const { a, b, axis, found } = search
  for (let k = 0; k < 3; k++) n[k] = found[1 + k]
  if (across) leaveOut(edge, n)
  if (!toUnit(n)) return
  for (let step = 0; step < mostSteps; step++) {
    supportCore(b, n, -1, endB, 0, index)
    if (vertex >= 0) writeVertex(a, vertex, endA, 0)
    else supportCore(a, n, 1, endA, 0, index)
    for (let k = 0; k < 3; k++) w[k] = endB[k] - endA[k]
    K.fill(0)
    addEllipsoid(b)
    if (a.kind === Core.ellipsoid) addEllipsoid(a)
    else if (a.kind === Core.cylinder) addRim(a)
    if (!setStep(across)) break
    const square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    for (let k = 0; k < 3; k++) n[k] += w[k]
    if (across) leaveOut(edge, n)
    if (!toUnit(n) || square < shortest * shortest) break
  }
  for (let k = 0; k < 3; k++) axis[k] = n[k]
  search.tryOne(1)
}

function leaveOut(u: Float64Array, v: Float64Array): void {
  const along = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
  for (let k = 0; k < 3; k++) v[k] -= along * u[k]
}

function toUnit(v: Float64Array): boolean {
  const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
  if (!(length > 0)) return false
  for (let k = 0; k < 3; k++) v[k] /= length
  return true
}

function addEllipsoid({ R, radii: e }: Collider): void {
  let h = 0
  Qn.fill(0)
  for (let j = 0; j < 3; j++) {
    const along = e[j] * (R[j] * n[0] + R[3 + j] * n[1] + R[6 + j] * n[2])
    h += along * along
    for (let k = 0; k < 3; k++) Qn[k] += e[j] * along * R[3 * k + j]
  }
  h = Math.sqrt(h)
  for (let k = 0; k < 3; k++) {
    for (let l = 0; l < 3; l++) {
      let q = 0
      for (let j = 0; j < 3; j++) q += e[j] * e[j] * R[3 * k + j] * R[3 * l + j]
      K[3 * k + l] += (q - (Qn[k] / h) * (Qn[l] / h)) / h
    }
  }
}

function addRim({ R, coreRadius }: Collider): void {
  const x = n[1] * R[8] - n[2] * R[5]
  const y = n[2] * R[2] - n[0] * R[8]
  const z = n[0] * R[5] - n[1] * R[2]
  const sine = Math.sqrt(x * x + y * y + z * z)
  if (!(sine > leastSine)) return
  const scale = coreRadius / (sine * sine * sine)
  Qn[0] = x
  Qn[1] = y
  Qn[2] = z
  for (let k = 0; k < 3; k++) for (let l = 0; l < 3; l++) K[3 * k + l] += scale * Qn[k] * Qn[l]
}

/** Writes the Newton step to `w`. @returns false if f has no maximum nearby */
function setStep(across: boolean): boolean {
  const f = n[0] * w[0] + n[1] * w[1] + n[2] * w[2]
  if (across) {
    t1[0] = edge[1] * n[2] - edge[2] * n[1]
    t1[1] = edge[2] * n[0] - edge[0] * n[2]
    t1[2] = edge[0] * n[1] - edge[1] * n[0]
    multiply(t1, Kt1)
    const curvature = t1[0] * Kt1[0] + t1[1] * Kt1[1] + t1[2] * Kt1[2] + f
    if (!(curvature > 0)) return false
    const g = (t1[0] * w[0] + t1[1] * w[1] + t1[2] * w[2]) / curvature
    for (let k = 0; k < 3; k++) w[k] = g * t1[k]
    return true
  }
  // orthogonal to the axis of n's smallest entry
  const x = Math.abs(n[0])
  const y = Math.abs(n[1])
  const z = Math.abs(n[2])
  t1.fill(0)
  if (x <= y && x <= z) t1[0] = 1
  else if (y <= z) t1[1] = 1
  else t1[2] = 1
  leaveOut(n, t1)
  toUnit(t1)
  t2[0] = n[1] * t1[2] - n[2] * t1[1]
  t2[1] = n[2] * t1[0] - n[0] * t1[2]
  t2[2] = n[0] * t1[1] - n[1] * t1[0]
  multiply(t1, Kt1)
  multiply(t2, Kt2)
  const a = t1[0] * Kt1[0] + t1[1] * Kt1[1] + t1[2] * Kt1[2] + f
  const c = t2[0] * Kt2[0] + t2[1] * Kt2[1] + t2[2] * Kt2[2] + f
  const b = t1[0] * Kt2[0] + t1[1] * Kt2[1] + t1[2] * Kt2[2]
  const determinant = a * c - b * b
  if (!(a > 0 && determinant > 0)) return false
  const g1 = t1[0] * w[0] + t1[1] * w[1] + t1[2] * w[2]
  const g2 = t2[0] * w[0] + t2[1] * w[1] + t2[2] * w[2]
  const s1 = (c * g1 - b * g2) / determinant
  const s2 = (a * g2 - b * g1) / determinant
  for (let k = 0; k < 3; k++) w[k] = s1 * t1[k] + s2 * t2[k]
  return true
}

/** out := K v */
function multiply(v: Float64Array, out: Float64Array): void {
  for (let k = 0; k < 3; k++) out[k] = K[3 * k] * v[0] + K[3 * k + 1] * v[1] + K[3 * k + 2] * v[2]
}

const local = new Float64Array(3)
const ofPoint = new Float64Array(4)

/** Signed distance of a point core A and an ellipsoid B, in the form of `signedDistance`. */
export function pointOnEllipsoid(a: Collider, b: Collider, out: Float64Array): void {
  const { R, p, radii } = b
  const A = a.verticesW
  const x = A[0] - p[0]
  const y = A[1] - p[1]
  const z = A[2] - p[2]
  for (let k = 0; k < 3; k++) local[k] = R[k] * x + R[3 + k] * y + R[6 + k] * z
  pointToEllipsoid(local, radii, ofPoint)
  out[0] = ofPoint[0]
  for (let k = 0; k < 3; k++) {
    out[1 + k] = -(R[3 * k] * ofPoint[1] + R[3 * k + 1] * ofPoint[2] + R[3 * k + 2] * ofPoint[3])
    out[4 + k] = A[k]
    out[7 + k] = A[k] + out[0] * out[1 + k]
  }
}
