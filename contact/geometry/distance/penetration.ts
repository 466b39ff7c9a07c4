import { addWork } from '../../../dynamics/index.ts'
import { parallelSine2 } from '../../tolerances.ts'
import { type Collider, writeNormal, writeVertex } from '../collider.ts'
import { Core } from '../shapes/index.ts'
import { tryCylinder, tryCylinders } from './cylinderSeparation.ts'
import { expandPolytope, type PolytopeFace } from './expandingPolytope.ts'
import type { Simplex } from './gjk.ts'
import { SeparatingAxis } from './separation.ts'

/**
 * Direction of the minimum translation that separates two overlapping cores.
 *
 * The depth is the least of -separation(n) over all unit n. The minimiser is the normal of a smooth piece of the boundary of the
 * Minkowski difference B - A (the ball of that radius touches it from inside), so it is enough to test, with full supports, every
 * normal that such a piece can have:
 *
 * - polyhedra: the faces of A, the faces of B, and the cross products of their edges (Gottschalk, Lin and Manocha, OBBTree,
 *   1996), the last only where the arcs of the two edges cross on the Gauss sphere (Gregorius, The Separating
 *   Axis Test between Convex Polyhedra, 2013);
 * - a cylinder and a polyhedron: the polyhedron's faces, the axis, axis x edge, the perpendicular from the axis to a vertex, and,
 *   for a rim against an edge, the nearest point of the ellipse to which the rim projects along the edge.
 *
 * Two cylinders also have pieces of rim and rim, without a closed form; a local search from several starts finds these.
 */

/** Margin, relative to the size of the pair, by which an edge direction must exceed face normals. */
const facePreference = 1e-11
/** Sine of the angle of two edges below which their cross product is too inaccurate without full supports. */
const nearlyParallel = 1e-5
const nearlyParallelInBoxes = 1e-3
const parallel = Math.sqrt(parallelSine2)

/**
 * Tests every candidate direction. Both colliders must be placed, with their cores, and not be half-spaces.
 *
 * @param out out, 4: the largest separation [m], and its unit normal from A to B. At most 0 when the cores overlap, where it is minus the
 * depth; when positive, a lower bound of the distance.
 */
export function largestSeparation(a: Collider, b: Collider, out: Float64Array): void {
  search.begin(a, b)
  search.clear()
  if (a.kind === Core.box && b.kind === Core.box) {
    tryBoxFaces(a, b)
    tryBoxEdges(a, b)
  } else {
    tryFaces(a)
    tryFaces(b)
    advantage[0] = found[0] > -Infinity ? facePreference * (a.radius + b.radius) : 0
    if (a.kind === Core.cylinder) {
      if (b.kind === Core.cylinder) tryCylinders(search)
      else tryCylinder(search, a, b)
    } else if (b.kind === Core.cylinder) tryCylinder(search, b, a)
    else tryEdges()
  }
  if (found[0] === -Infinity) tryAny()
  answer(out)
}

const search = new SeparatingAxis()
const { axis, found, advantage } = search

function answer(out: Float64Array): void {
  for (let k = 0; k < 4; k++) out[k] = found[k]
}

/**
 * `largestSeparation` for two boxes, with an early out: if a face normal separates them by more than enough[0] of their size, edges are not
 * tested.
 *
 * @returns whether edges were tested
 */
export function boxSeparation(a: Collider, b: Collider, enough: Float64Array, out: Float64Array): boolean {
  found[0] = -Infinity
  tryBoxFaces(a, b)
  const close = !(found[0] > enough[0] * (a.radius + b.radius))
  if (close) tryBoxEdges(a, b)
  answer(out)
  return close
}

/** Largest difference of the two bounds of a polyhedral depth, relative to the size. */
const proof = Float64Array.from([1e-12])
const polytope = new Float64Array(5)

/**
 * `largestSeparation` of polyhedra with many edges, which overlap or touch according to GJK: by the expanding polytope, with proven bounds;
 * if that fails, by testing all directions.
 *
 * @param simplex final simplex of GJK
 * @param face    out: face of the polytope with the normal found
 * @returns whether the polytope succeeded
 */
export function provenSeparation(a: Collider, b: Collider, simplex: Simplex, face: PolytopeFace, out: Float64Array): boolean {
  const proven = expandPolytope(a, b, proof, simplex, face, polytope)
  if (!proven) {
    largestSeparation(a, b, out)
    return false
  }
  search.begin(a, b)
  for (let k = 0; k < 4; k++) found[k] = polytope[k]
  tryFaceOf(a, face.IA, 1)
  tryFaceOf(b, face.IB, -1)
  answer(out)
  return true
}

/**
 * Replaces the direction in `found` by the normal of a shape's own face, if three of its vertices form the polytope's last face.
 * Otherwise two edges form it, and the direction already is their cross product.
 */
function tryFaceOf(collider: Collider, I: Int32Array, sign: number): void {
  if (I[0] === I[1] || I[0] === I[2] || I[1] === I[2]) return
  const { a, b } = search
  const before = found[0]
  found[0] -= snapped * (a.radius + b.radius)
  const least = found[0]
  advantage[0] = 0
  for (let k = 0; k < 3; k++) wanted[k] = found[1 + k]
  tryFacesAround(collider, I[0], sign)
  if (found[0] === least) found[0] = before
}

/** Loss of separation, relative to the size, up to which a feature's own normal is preferred. */
const snapped = 1e-12
const snappedNear = 1e-11

/**
 * `largestSeparation` of polyhedra that are slightly separated according to GJK, from its closest features.
 *
 * @param simplex  the search's final simplex
 * @param distance the search's result
 */
export function nearSeparation(a: Collider, b: Collider, simplex: Simplex, distance: Float64Array, out: Float64Array): void {
  search.begin(a, b)
  for (let k = 0; k < 4; k++) found[k] = distance[k]
  tryFeatures(simplex)
  answer(out)
}

/** Cosine of the largest angle between a search's normal and that of its feature. */
const alike = 0.9999
const wanted = new Float64Array(3)
const ends = new Float64Array(12)

/**
 * Replaces the direction found by the exact normal of a face or of two edges, if the loss of separation is negligible: of the faces around
 * the simplex's vertices, then of the edges between these.
 */
function tryFeatures({ IA, IB, count }: Simplex): void {
  const { a, b } = search
  const before = found[0]
  found[0] -= snappedNear * (a.radius + b.radius)
  const least = found[0]
  advantage[0] = 0
  for (let k = 0; k < 3; k++) wanted[k] = found[1 + k]
  for (let k = 0; k < count; k++) {
    if (isNew(IA, k)) tryFacesAround(a, IA[k], 1)
    if (isNew(IB, k)) tryFacesAround(b, IB[k], -1)
  }
  if (found[0] === least) {
    for (let k = 0; k < count; k++) {
      for (let l = k + 1; l < count; l++) {
        if (IA[k] === IA[l]) continue
        for (let m = 0; m < count; m++) {
          for (let n = m + 1; n < count; n++) if (IB[m] !== IB[n]) tryCross(IA[k], IA[l], IB[m], IB[n])
        }
      }
    }
  }
  if (found[0] === least) found[0] = before
}

function isNew(list: Int32Array, k: number): boolean {
  for (let l = 0; l < k; l++) if (list[l] === list[k]) return false
  return true
}

function tryFacesAround(collider: Collider, i: number, sign: number): void {
  const { vertexFaces, vertexFaceStart } = collider
  for (let k = vertexFaceStart[i]; k < vertexFaceStart[i + 1]; k++) {
    writeNormal(collider, vertexFaces[k], axis)
    const cosine = sign * (axis[0] * wanted[0] + axis[1] * wanted[1] + axis[2] * wanted[2])
    if (cosine > alike && search.normalize()) search.tryOne(sign)
  }
}

/** Tests the cross product of A's edge from vertex i to j and B's from k to l. */
function tryCross(i: number, j: number, k: number, l: number): void {
  const { a, b } = search
  writeVertex(a, i, ends, 0)
  writeVertex(a, j, ends, 1)
  writeVertex(b, k, ends, 2)
  writeVertex(b, l, ends, 3)
  const ux = ends[3] - ends[0]
  const uy = ends[4] - ends[1]
  const uz = ends[5] - ends[2]
  const wx = ends[9] - ends[6]
  const wy = ends[10] - ends[7]
  const wz = ends[11] - ends[8]
  axis[0] = uy * wz - uz * wy
  axis[1] = uz * wx - ux * wz
  axis[2] = ux * wy - uy * wx
  const sine2 = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]
  if (!(sine2 > 1e-10 * (ux * ux + uy * uy + uz * uz) * (wx * wx + wy * wy + wz * wz))) return
  if (!search.normalize()) return
  const cosine = axis[0] * wanted[0] + axis[1] * wanted[1] + axis[2] * wanted[2]
  if (Math.abs(cosine) > alike) search.tryOne(cosine < 0 ? -1 : 1)
}

function tryFaces({ normalsW }: Collider): void {
  addWork(normalsW.length, 20, 1)
  for (let f = 0; f < normalsW.length; f += 3) {
    search.setAxis(normalsW, f)
    if (search.normalize()) search.tryBoth()
  }
}

/** R_AB row-major, its absolute values, and the vector from A's centre to B's in A's axes and in B's. */
const turn = new Float64Array(9)
const absolute = new Float64Array(9)
const inA = new Float64Array(3)
const inB = new Float64Array(3)

/** Tests the 6 face normals of two boxes, whose extents follow from the half lengths. */
function tryBoxFaces(a: Collider, b: Collider): void {
  const A = a.R
  const B = b.R
  const half = a.core!.vertices
  const halfB = b.core!.vertices
  const x = b.p[0] - a.p[0]
  const y = b.p[1] - a.p[1]
  const z = b.p[2] - a.p[2]
  for (let i = 0; i < 3; i++) {
    inA[i] = A[i] * x + A[3 + i] * y + A[6 + i] * z
    inB[i] = B[i] * x + B[3 + i] * y + B[6 + i] * z
    for (let j = 0; j < 3; j++) {
      const c = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j]
      turn[3 * i + j] = c
      absolute[3 * i + j] = Math.abs(c)
    }
  }
  // the last corner, at 21, has all three half lengths
  for (let i = 0; i < 3; i++) {
    const reach = half[21 + i] + halfB[21] * absolute[3 * i] + halfB[22] * absolute[3 * i + 1] + halfB[23] * absolute[3 * i + 2]
    const separation = Math.abs(inA[i]) - reach
    if (separation > found[0]) setFound(separation, A, i, inA[i] < 0 ? -1 : 1)
  }
  for (let j = 0; j < 3; j++) {
    const reach = halfB[21 + j] + half[21] * absolute[j] + half[22] * absolute[3 + j] + half[23] * absolute[6 + j]
    const separation = Math.abs(inB[j]) - reach
    if (separation > found[0]) setFound(separation, B, j, inB[j] < 0 ? -1 : 1)
  }
}

/** Tests the 9 cross products of the boxes' edges, after `tryBoxFaces`. */
function tryBoxEdges(a: Collider, b: Collider): void {
  const A = a.R
  const B = b.R
  const half = a.core!.vertices
  const halfB = b.core!.vertices
  advantage[0] = facePreference * (a.radius + b.radius)
  for (let i = 0; i < 3; i++) {
    const i1 = (i + 1) % 3
    const i2 = (i + 2) % 3
    for (let j = 0; j < 3; j++) {
      const j1 = (j + 1) % 3
      const j2 = (j + 2) % 3
      const cosine = turn[3 * i + j]
      const sine = Math.sqrt(turn[3 * i1 + j] * turn[3 * i1 + j] + turn[3 * i2 + j] * turn[3 * i2 + j])
      if (!(sine > parallel)) continue
      const middle = inA[i2] * turn[3 * i1 + j] - inA[i1] * turn[3 * i2 + j]
      const reach =
        half[21 + i1] * absolute[3 * i2 + j] +
        half[21 + i2] * absolute[3 * i1 + j] +
        halfB[21 + j1] * absolute[3 * i + j2] +
        halfB[21 + j2] * absolute[3 * i + j1]
      const separation = (Math.abs(middle) - reach) / sine
      const careful = sine < nearlyParallelInBoxes && Math.abs(cosine) > 0.5
      if (!careful && !(separation > found[0] + advantage[0])) continue
      // e of A x e of B
      axis[0] = A[3 + i] * B[6 + j] - A[6 + i] * B[3 + j]
      axis[1] = A[6 + i] * B[j] - A[i] * B[6 + j]
      axis[2] = A[i] * B[3 + j] - A[3 + i] * B[j]
      if (!search.normalize()) continue
      if (careful) {
        search.begin(a, b)
        search.tryBoth()
        continue
      }
      const sign = middle < 0 ? -1 : 1
      found[0] = separation
      found[1] = sign * axis[0]
      found[2] = sign * axis[1]
      found[3] = sign * axis[2]
    }
  }
}

/** Column k of R, by sign. */
function setFound(separation: number, R: Float64Array, k: number, sign: number): void {
  found[0] = separation
  found[1] = sign * R[k]
  found[2] = sign * R[3 + k]
  found[3] = sign * R[6 + k]
}

function tryEdges(): void {
  const { a, b } = search
  const edgesA = a.core!.edges
  const edgesB = b.core!.edges
  const VA = a.verticesW
  const VB = b.verticesW
  const solid = a.core!.faces.length > 2 && b.core!.faces.length > 2
  for (let i = 0; i < edgesA.length; i += 2) {
    addWork(edgesB.length, 8, 1)
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
      if (!search.normalize()) continue
      if (!solid || sine < nearlyParallel) {
        search.tryBoth()
        continue
      }
      // both edges are support edges, so they alone give the separation; the axis must point out of A
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
  // u = Nf x Ng, w = Mh x Mk; negation of both normals of B leaves w unchanged
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

/** Tests, for cores without faces whose edges do not cross, any direction orthogonal to the first edge, or up. */
function tryAny(): void {
  const { a, b } = search
  const c = a.core && a.core.edges.length > 0 ? a : b
  if (c.core && c.core.edges.length > 0) {
    // R's columns are the shape's axes; x and y are orthogonal to a segment along z
    const V = c.verticesW
    const x = V[3] - V[0]
    const y = V[4] - V[1]
    const z = V[5] - V[2]
    const flat = Math.abs(z) <= Math.abs(x) || Math.abs(z) <= Math.abs(y)
    axis[0] = flat ? y : 0
    axis[1] = flat ? -x : z
    axis[2] = flat ? 0 : -y
  } else {
    axis[0] = 0
    axis[1] = 0
    axis[2] = 1
  }
  if (search.normalize()) search.tryBoth()
}
