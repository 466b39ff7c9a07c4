import { addWork } from '../../../dynamics/index.ts'
import { type Collider, writeVertex } from '../collider.ts'
import { type Simplex, supportCore } from './gjk.ts'

/**
 * Penetration of two cores by the expanding polytope of van den Bergen (Proximity Queries and Penetration Depth Computation
 * on 3D Game Objects, 2001): a polytope inside B - A that contains the origin is expanded at its face nearest to the origin.
 * That face's distance is a lower bound of the depth, and the extent of B - A along its normal an upper bound; when the two agree,
 * the depth is proven.
 */

const maxVertices = 256
const maxFaces = 2 * maxVertices
const maxHorizon = 256

/** Vertices of B - A, and the vertices of A and B whose differences they are. */
const W = new Float64Array(3 * maxVertices)
const IA = new Int32Array(maxVertices)
const IB = new Int32Array(maxVertices)
/** Per face: corners, counter-clockwise seen from outside; and the neighbours across the sides from corner k to the next. */
const corner = new Int32Array(3 * maxFaces)
const neighbour = new Int32Array(3 * maxFaces)
/** 4 a face: outward unit normal and distance from the origin. */
const plane = new Float64Array(4 * maxFaces)
const alive = new Uint8Array(maxFaces)
const free = new Int32Array(maxFaces)
let freeCount = 0
let faceCount = 0
let vertexCount = 0
/** The horizon: sides of kept faces next to removed ones, as 3 * face + k, in order around the hole. */
const horizon = new Int32Array(maxHorizon)
let horizonCount = 0
const stack = new Int32Array(4 * maxHorizon)
const pointA = new Float64Array(3)
const pointB = new Float64Array(3)
const indexA = new Int32Array(1)
const indexB = new Int32Array(1)
const m = new Float64Array(3)
/** 1: tolerance of the visibility of a face from a vertex [m]. */
const above = new Float64Array(1)

/** Tolerance of visibility relative to the size, so that nearly coplanar faces are merged into the new ones. */
const flat = 1e-13

/** Least height of the initial tetrahedron, relative to the size. */
const thin = 1e-9

/** A face of the polytope: the numbers of its corners on A and B, 3 each, and the differences B - A, 3 x 3. */
export class PolytopeFace {
  readonly IA = new Int32Array(3)
  readonly IB = new Int32Array(3)
  readonly W = new Float64Array(9)
}

/**
 * Deepest point of A, a polyhedron: the point with the barycentric coordinates of the face's point nearest to the origin.
 *
 * @param out out: to entries 4 to 6 [m]
 * @returns false, without writing, if that point is outside the face by more than rounding
 */
export function writeDeepest(a: Collider, { IA: I, W: F }: PolytopeFace, out: Float64Array): boolean {
  const ux = F[3] - F[0]
  const uy = F[4] - F[1]
  const uz = F[5] - F[2]
  const vx = F[6] - F[0]
  const vy = F[7] - F[1]
  const vz = F[8] - F[2]
  // normal equations of the origin in the face
  const uu = ux * ux + uy * uy + uz * uz
  const uv = ux * vx + uy * vy + uz * vz
  const vv = vx * vx + vy * vy + vz * vz
  const pu = -(F[0] * ux + F[1] * uy + F[2] * uz)
  const pv = -(F[0] * vx + F[1] * vy + F[2] * vz)
  const determinant = uu * vv - uv * uv
  const s = (vv * pu - uv * pv) / determinant
  const t = (uu * pv - uv * pu) / determinant
  if (!(s >= -inFace && t >= -inFace && s + t <= 1 + inFace)) return false
  for (let k = 0; k < 3; k++) writeVertex(a, I[k], pointsA, k)
  for (let k = 0; k < 3; k++) out[4 + k] = (1 - s - t) * pointsA[k] + s * pointsA[3 + k] + t * pointsA[6 + k]
  return true
}

const pointsA = new Float64Array(9)
/** Tolerance for negative weights. */
const inFace = 1e-10

/**
 * Penetration depth from the final simplex of a GJK search with distance 0 to rounding.
 *
 * @param relative 1: final difference of the bounds of the depth, relative to the size
 * @param face     out: the face with the normal found
 * @param out      out, 5: the separation (see `largestSeparation`) along the best normal found and that unit normal from A to B, and an
 * upper bound of all separations
 * @returns false if the polytope could not be built or expanded; the bounds are then not proven
 */
export function expandPolytope(
  a: Collider,
  b: Collider,
  relative: Float64Array,
  simplex: Simplex,
  face: PolytopeFace,
  out: Float64Array,
): boolean {
  const size = a.radius + b.radius
  const slack = relative[0] * size
  above[0] = flat * size
  out[0] = -Infinity
  out[4] = 0
  if (!startPolytope(a, b, simplex)) return false
  for (;;) {
    addWork(faceCount + 300, 1, 1)
    const f = nearestFace()
    const lower = plane[4 * f + 3]
    for (let k = 0; k < 3; k++) m[k] = plane[4 * f + k]
    if (vertexCount === maxVertices) return false
    const n = vertexCount
    setVertex(a, b, 1)
    const reach = m[0] * W[3 * n] + m[1] * W[3 * n + 1] + m[2] * W[3 * n + 2]
    out[4] = -lower
    const done = reach - lower <= slack
    if (-reach > out[0] || done) {
      out[0] = -reach
      out[1] = -m[0]
      out[2] = -m[1]
      out[3] = -m[2]
      for (let k = 0; k < 3; k++) {
        const i = corner[3 * f + k]
        face.IA[k] = IA[i]
        face.IB[k] = IB[i]
        for (let d = 0; d < 3; d++) face.W[3 * k + d] = W[3 * i + d]
      }
    }
    if (done || -out[0] - lower <= slack) return true
    vertexCount = n + 1
    if (!grow(f, n)) return false
  }
}

/** Builds the initial tetrahedron from the search's simplex, extended if it has fewer vertices. */
function startPolytope(a: Collider, b: Collider, simplex: Simplex): boolean {
  vertexCount = simplex.count
  for (let i = 0; i < vertexCount; i++) {
    IA[i] = simplex.IA[i]
    IB[i] = simplex.IB[i]
    for (let k = 0; k < 3; k++) W[3 * i + k] = simplex.W[3 * i + k]
  }
  while (vertexCount < 4) if (!addDimension(a, b)) return false
  freeCount = 0
  faceCount = 4
  // the sign of the volume gives the orientation
  setPlane(0, 0, 1, 2)
  const side = plane[0] * W[9] + plane[1] * W[10] + plane[2] * W[11] - plane[3]
  if (!(Math.abs(side) > thin * (a.radius + b.radius))) return false
  const i = side > 0 ? 2 : 1
  const j = 3 - i
  setFace(0, 0, i, j)
  setFace(1, 0, 3, i)
  setFace(2, i, 3, j)
  setFace(3, j, 3, 0)
  // across 0-i: 1; i-j: 2; j-0: 3
  join(0, 0, 1, 2)
  join(0, 1, 2, 2)
  join(0, 2, 3, 2)
  join(1, 1, 2, 0)
  join(2, 1, 3, 0)
  join(3, 1, 1, 0)
  return plane[3] > -Infinity && plane[7] > -Infinity && plane[11] > -Infinity && plane[15] > -Infinity
}

const probes = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const off = new Float64Array(1)

/** Adds a vertex of B - A well away from the point, line or plane of the present ones. */
function addDimension(a: Collider, b: Collider): boolean {
  let best = -1
  let farthest = 1e-6 * (a.radius + b.radius)
  for (let probe = 0; probe < 6; probe++) {
    tryProbe(a, b, probe)
    if (!(off[0] > farthest)) continue
    farthest = off[0]
    best = probe
  }
  if (best < 0) return false
  tryProbe(a, b, best)
  vertexCount++
  return true
}

/** Writes the support vertex along one of six directions to the next slot, and its distance from the span of the others to `off`. */
function tryProbe(a: Collider, b: Collider, probe: number): void {
  const sign = probe < 3 ? 1 : -1
  const n = 3 * vertexCount
  for (let k = 0; k < 3; k++) m[k] = probes[3 * (probe % 3) + k]
  off[0] = 0
  if (vertexCount === 3) {
    setPlane(0, 0, 1, 2)
    if (!(plane[3] > -Infinity)) return
    for (let k = 0; k < 3; k++) m[k] = plane[k]
  }
  setVertex(a, b, sign)
  const dx = W[n] - W[0]
  const dy = W[n + 1] - W[1]
  const dz = W[n + 2] - W[2]
  if (vertexCount === 3) off[0] = Math.abs(m[0] * dx + m[1] * dy + m[2] * dz)
  else if (vertexCount < 2) off[0] = Math.sqrt(dx * dx + dy * dy + dz * dz)
  else {
    const ux = W[3] - W[0]
    const uy = W[4] - W[1]
    const uz = W[5] - W[2]
    const cx = uy * dz - uz * dy
    const cy = uz * dx - ux * dz
    const cz = ux * dy - uy * dx
    off[0] = Math.sqrt((cx * cx + cy * cy + cz * cz) / (ux * ux + uy * uy + uz * uz))
  }
}

/** Writes the support vertex of B - A along sign * m to the next slot, without counting it. */
function setVertex(a: Collider, b: Collider, sign: number): void {
  const n = vertexCount
  supportCore(b, m, sign, pointB, 0, indexB)
  supportCore(a, m, -sign, pointA, 0, indexA)
  W[3 * n] = pointB[0] - pointA[0]
  W[3 * n + 1] = pointB[1] - pointA[1]
  W[3 * n + 2] = pointB[2] - pointA[2]
  IA[n] = indexA[0]
  IB[n] = indexB[0]
}

/** Writes the plane of a face; distance -Infinity if the corners are collinear. */
function setPlane(f: number, i: number, j: number, k: number): void {
  const a = 3 * i
  const b = 3 * j
  const c = 3 * k
  const ux = W[b] - W[a]
  const uy = W[b + 1] - W[a + 1]
  const uz = W[b + 2] - W[a + 2]
  const wx = W[c] - W[a]
  const wy = W[c + 1] - W[a + 1]
  const wz = W[c + 2] - W[a + 2]
  const nx = uy * wz - uz * wy
  const ny = uz * wx - ux * wz
  const nz = ux * wy - uy * wx
  const square = nx * nx + ny * ny + nz * nz
  const solid = square > 1e-20 * (ux * ux + uy * uy + uz * uz) * (wx * wx + wy * wy + wz * wz)
  const length = Math.sqrt(square)
  plane[4 * f] = nx / length
  plane[4 * f + 1] = ny / length
  plane[4 * f + 2] = nz / length
  plane[4 * f + 3] = solid ? (nx * W[a] + ny * W[a + 1] + nz * W[a + 2]) / length : -Infinity
}

function setFace(f: number, i: number, j: number, k: number): void {
  corner[3 * f] = i
  corner[3 * f + 1] = j
  corner[3 * f + 2] = k
  alive[f] = 1
  setPlane(f, i, j, k)
}

/** Makes side k of face f and side l of face g neighbours. */
function join(f: number, k: number, g: number, l: number): void {
  neighbour[3 * f + k] = 3 * g + l
  neighbour[3 * g + l] = 3 * f + k
}

function nearestFace(): number {
  let best = 0
  let least = Infinity
  for (let f = 0; f < faceCount; f++) {
    if (alive[f] === 0 || plane[4 * f + 3] >= least) continue
    least = plane[4 * f + 3]
    best = f
  }
  return best
}

/** Whether face f is visible from vertex n. */
function sees(f: number, n: number): boolean {
  const p = 4 * f
  return plane[p] * W[3 * n] + plane[p + 1] * W[3 * n + 1] + plane[p + 2] * W[3 * n + 2] - plane[p + 3] > -above[0]
}

/** Replaces the faces visible from vertex n, including f, by a fan from n. @returns false if the result is not a polytope */
function grow(f: number, n: number): boolean {
  // depth-first traversal of the visible faces, around each from the side of entry, lists the horizon in order
  horizonCount = 0
  alive[f] = 0
  release(f)
  let top = 0
  for (let k = 2; k >= 0; k--) stack[top++] = neighbour[3 * f + k]
  while (top > 0) {
    const side = stack[--top]
    const g = (side / 3) | 0
    if (alive[g] === 0) continue
    if (sees(g, n)) {
      alive[g] = 0
      release(g)
      const k = side - 3 * g
      stack[top++] = neighbour[3 * g + ((k + 2) % 3)]
      stack[top++] = neighbour[3 * g + ((k + 1) % 3)]
    } else {
      if (horizonCount === maxHorizon) return false
      horizon[horizonCount++] = side
    }
  }
  if (horizonCount < 3) return false
  let first = -1
  let last = -1
  for (let h = 0; h < horizonCount; h++) {
    const side = horizon[h]
    const g = (side / 3) | 0
    const k = side - 3 * g
    // the side of the kept face runs from i to j, that of the new face from j to i
    const i = corner[side]
    const j = corner[3 * g + ((k + 1) % 3)]
    if (freeCount === 0 && faceCount === maxFaces) return false
    const t = freeCount > 0 ? free[--freeCount] : faceCount++
    setFace(t, j, i, n)
    if (!(plane[4 * t + 3] > -Infinity)) return false
    neighbour[3 * t] = side
    neighbour[side] = 3 * t
    if (last < 0) first = t
    else {
      // around the hole: each side starts at the end of the previous one
      if (corner[3 * last + 1] !== j) return false
      join(last, 1, t, 2)
    }
    last = t
  }
  if (corner[3 * last + 1] !== corner[3 * first]) return false
  join(last, 1, first, 2)
  return true
}

function release(f: number): void {
  free[freeCount++] = f
}
