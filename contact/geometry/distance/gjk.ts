import { addWork } from '../../../dynamics/index.ts'
import { gjkPrecision, parallelSine2 } from '../../tolerances.ts'
import { type Collider, cubeCell, writeVertex } from '../collider.ts'
import { Core } from '../shapes/index.ts'

/**
 * Distance between the cores of two separated colliders, by the algorithm of Gilbert, Johnson and Keerthi (1988).
 *
 * The sub-algorithm tries every sub-simplex with the newest vertex and keeps the nearest valid one, which stays correct on flat
 * simplices, where Johnson's signs do not (van den Bergen, Collision Detection in Interactive 3D Environments, 2004, section
 * 4.3.3).
 */

/** Cost of one step of a search, in multiply-adds. */
const SEARCH_STEP = 200

/** Distance, relative to the size of the pair, below which cores count as touching. */
const touching = 1e-12
const maxIterations = 128

/** Simplex: vertices of B - A, and their support points on A and B, 3 each; four slots and a spare one. */
const W = new Float64Array(15)
const PA = new Float64Array(15)
const PB = new Float64Array(15)
/** Numbers of these vertices on the cores of A and B; -1 on a cylinder or ellipsoid. */
const IA = new Int32Array(5)
const IB = new Int32Array(5)
const count = new Int32Array(1)
const weight = new Float64Array(4)
/** The best sub-simplex so far: vertex slots, weights, and nearest point. */
const bestSlot = new Int32Array(4)
const bestWeight = new Float64Array(4)
const bestV = new Float64Array(3)
const bestSquare = new Float64Array(1)
let bestSize = 0
const v = new Float64Array(3)
const noShift = new Float64Array(3)
/** 1: `gjkPrecision`, or the caller's. */
const precision = new Float64Array(1)
/** 1: whether the search has proven separation. */
const separated = new Uint8Array(1)

/** Final simplex of a search, to warm-start another. */
export class Simplex {
  count = 0
  /** Numbers of its vertices on the cores of A and B; -1 on a cylinder or ellipsoid. */
  readonly IA = new Int32Array(4)
  readonly IB = new Int32Array(4)
  /** Its vertices, of B - A; four are a tetrahedron that contains the origin. */
  readonly W = new Float64Array(12)
}

function writeSimplex(simplex: Simplex): void {
  const n = count[0]
  simplex.count = n
  for (let i = 0; i < n; i++) {
    simplex.IA[i] = IA[i]
    simplex.IB[i] = IB[i]
  }
  for (let i = 0; i < 3 * n; i++) simplex.W[i] = W[i]
}

/**
 * Support point of the core along sign * d, world axes. Of several, one. @unchecked
 *
 * @param sign  -1 or 1
 * @param out   out: the point, its k-th triple
 * @param index out: its k-th entry, the number of the vertex, -1 on a cylinder or ellipsoid
 */
export function supportCore(
  collider: Collider,
  d: Float64Array,
  sign: number,
  out: Float64Array,
  k: number,
  index: Int32Array,
): void {
  const { kind, R } = collider
  if (kind === Core.cylinder) {
    supportCylinder(collider, d, sign, out, k)
    index[k] = -1
    return
  }
  if (kind === Core.ellipsoid) {
    supportEllipsoid(collider, d, sign, out, k)
    index[k] = -1
    return
  }
  if (kind === Core.many) {
    index[k] = climbed(collider, d, sign)
    writeVertex(collider, index[k], out, k)
    return
  }
  const { verticesW } = collider
  let best = 0
  if (kind === Core.box) {
    if (sign * (R[0] * d[0] + R[3] * d[1] + R[6] * d[2]) > 0) best |= 1
    if (sign * (R[1] * d[0] + R[4] * d[1] + R[7] * d[2]) > 0) best |= 2
    if (sign * (R[2] * d[0] + R[5] * d[1] + R[8] * d[2]) > 0) best |= 4
  } else best = highest(verticesW, d, sign)
  index[k] = best
  out[3 * k] = verticesW[3 * best]
  out[3 * k + 1] = verticesW[3 * best + 1]
  out[3 * k + 2] = verticesW[3 * best + 2]
}

function highest(verticesW: Float64Array, d: Float64Array, sign: number): number {
  const x = sign * d[0]
  const y = sign * d[1]
  const z = sign * d[2]
  addWork(verticesW.length, 1, 1)
  let best = 0
  let height = -Infinity
  for (let i = 0; i < verticesW.length; i += 3) {
    const h = verticesW[i] * x + verticesW[i + 1] * y + verticesW[i + 2] * z
    if (h <= height) continue
    height = h
    best = i
  }
  return best / 3
}

/**
 * Support vertex by hill climbing: from that of a nearby direction to its farthest neighbour, while that is farther. In the shape's axes,
 * so that no other vertices are transformed.
 */
function climbed(collider: Collider, d: Float64Array, sign: number): number {
  const { R, neighbours, neighbourStart, climbStart } = collider
  const { vertices } = collider.core!
  const x = sign * (R[0] * d[0] + R[3] * d[1] + R[6] * d[2])
  const y = sign * (R[1] * d[0] + R[4] * d[1] + R[7] * d[2])
  const z = sign * (R[2] * d[0] + R[5] * d[1] + R[8] * d[2])
  let best = climbStart[cubeCell(x, y, z)]
  let height = vertices[3 * best] * x + vertices[3 * best + 1] * y + vertices[3 * best + 2] * z
  for (;;) {
    const from = best
    for (let k = neighbourStart[from]; k < neighbourStart[from + 1]; k++) {
      const i = neighbours[k]
      const h = vertices[3 * i] * x + vertices[3 * i + 1] * y + vertices[3 * i + 2] * z
      if (h <= height) continue
      height = h
      best = i
    }
    if (best === from) return best
  }
}

/** Support point of an ellipsoid, where the outward normal is d: E² d / |E d| with E the diagonal matrix of radii. */
function supportEllipsoid({ R, p, radii: e }: Collider, d: Float64Array, sign: number, out: Float64Array, k: number): void {
  const x = sign * e[0] * (R[0] * d[0] + R[3] * d[1] + R[6] * d[2])
  const y = sign * e[1] * (R[1] * d[0] + R[4] * d[1] + R[7] * d[2])
  const z = sign * e[2] * (R[2] * d[0] + R[5] * d[1] + R[8] * d[2])
  const length = Math.sqrt(x * x + y * y + z * z)
  const scale = length > 0 ? 1 / length : 0
  const sx = length > 0 ? scale * e[0] * x : e[0]
  const sy = scale * e[1] * y
  const sz = scale * e[2] * z
  out[3 * k] = p[0] + R[0] * sx + R[1] * sy + R[2] * sz
  out[3 * k + 1] = p[1] + R[3] * sx + R[4] * sy + R[5] * sz
  out[3 * k + 2] = p[2] + R[6] * sx + R[7] * sy + R[8] * sz
}

function supportCylinder(
  { R, p, coreRadius, halfLength }: Collider,
  d: Float64Array,
  sign: number,
  out: Float64Array,
  k: number,
): void {
  // in the cylinder's axes, so that vectors orthogonal to the axis stay so
  const x = sign * (R[0] * d[0] + R[3] * d[1] + R[6] * d[2])
  const y = sign * (R[1] * d[0] + R[4] * d[1] + R[7] * d[2])
  const along = sign * (R[2] * d[0] + R[5] * d[1] + R[8] * d[2])
  const across = Math.sqrt(x * x + y * y)
  // along the axis, all points of the cap are support points: the centre is chosen
  const scale = across > 1e-14 * Math.abs(along) ? coreRadius / across : 0
  const sx = scale * x
  const sy = scale * y
  const sz = (along < 0 ? -1 : 1) * halfLength
  out[3 * k] = p[0] + R[0] * sx + R[1] * sy + R[2] * sz
  out[3 * k + 1] = p[1] + R[3] * sx + R[4] * sy + R[5] * sz
  out[3 * k + 2] = p[2] + R[6] * sx + R[7] * sy + R[8] * sz
}

/**
 * Distance of two placed colliders' cores, B translated by `shift`. @unchecked
 *
 * @param shift 3 [m]
 * @param out   out, 10: distance [m], unit normal from A to B, nearest points on A and on B [m]. Distance 0 when the cores touch or
 * overlap; normal and points are then undefined.
 */
export function coreDistance(a: Collider, b: Collider, shift: Float64Array, out: Float64Array): void {
  v[0] = b.centerW[0] + shift[0] - a.centerW[0]
  v[1] = b.centerW[1] + shift[1] - a.centerW[1]
  v[2] = b.centerW[2] + shift[2] - a.centerW[2]
  precision[0] = gjkPrecision
  startCold()
  search(a, b, shift, out)
}

/**
 * `coreDistance` without a shift, to an error of relative[0] times the size of the pair.
 *
 * @param simplex out: final simplex of the search
 */
export function roughDistance(a: Collider, b: Collider, relative: Float64Array, simplex: Simplex, out: Float64Array): void {
  for (let k = 0; k < 3; k++) v[k] = b.centerW[k] - a.centerW[k]
  precision[0] = relative[0]
  startCold()
  search(a, b, noShift, out)
  writeSimplex(simplex)
}

/**
 * The distance to a smaller error, directly after `roughDistance` of the same pair and without another search between: the same bits as
 * `roughDistance` with that error.
 */
export function finerDistance(a: Collider, b: Collider, relative: Float64Array, simplex: Simplex, out: Float64Array): void {
  precision[0] = relative[0]
  search(a, b, noShift, out)
  writeSimplex(simplex)
}

/** `coreDistance`, but faster, for cores known to be separated along `n` after the shift. */
export function partedDistance(a: Collider, b: Collider, shift: Float64Array, n: Float64Array, out: Float64Array): void {
  v[0] = n[0]
  v[1] = n[1]
  v[2] = n[2]
  precision[0] = gjkPrecision
  startCold()
  search(a, b, shift, out)
}

/** Entries of a pair's memory for `warmDistance`. */
export const simplexSize = 9

/**
 * `coreDistance` without a shift, for polyhedral cores, warm-started from the pair's last simplex. Same result, to rounding.
 *
 * @param memory  in and out: `simplexSize` entries from `at` on, zeros at first
 * @param simplex out: final simplex of the search
 */
export function warmDistance(
  a: Collider,
  b: Collider,
  memory: Float64Array,
  at: number,
  simplex: Simplex,
  out: Float64Array,
): void {
  precision[0] = gjkPrecision
  startCold()
  const remembered = memory[at]
  if (remembered > 0) {
    for (let i = 0; i < remembered; i++) {
      setVertex(a, b, memory[at + 1 + i] | 0, memory[at + 5 + i] | 0)
      const before = bestSquare[0]
      nearest(count[0] + 1)
      // a vertex that brings the simplex no nearer is omitted
      if (bestSquare[0] < before) count[0] = pack()
    }
    for (let k = 0; k < 3; k++) v[k] = bestV[k]
  } else {
    for (let k = 0; k < 3; k++) v[k] = b.centerW[k] - a.centerW[k]
  }
  search(a, b, noShift, out)
  writeSimplex(simplex)
  // of a tetrahedron that contains the origin, the face with which the search started is stored
  const n = count[0] < 3 ? count[0] : 3
  memory[at] = n
  for (let i = 0; i < n; i++) {
    memory[at + 1 + i] = IA[i]
    memory[at + 5 + i] = IB[i]
  }
}

function startCold(): void {
  count[0] = 0
  bestSquare[0] = Infinity
  separated[0] = 0
}

/** Searches from `v`; if the simplex is not empty, `v` must be its nearest point. */
function search(a: Collider, b: Collider, shift: Float64Array, out: Float64Array): void {
  const size = a.radius + b.radius
  const smallest = touching * size
  const allowed = precision[0] * size
  out[0] = 0
  if (v[0] === 0 && v[1] === 0 && v[2] === 0) {
    if (count[0] > 0) return
    v[2] = 1
  }
  if (count[0] > 0 && Math.sqrt(bestSquare[0]) <= smallest) return
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    addWork(SEARCH_STEP, 1, 1)
    addVertex(a, b, shift)
    const n = 3 * count[0]
    const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if (n > 0) {
      // |v| is an upper bound of the distance, v . w / |v| a lower one
      const bound = (v[0] * W[n] + v[1] * W[n + 1] + v[2] * W[n + 2]) / length
      if (length - bound <= allowed) break
      // a positive lower bound proves separation, even if the signs of a flat tetrahedron contradict later
      if (bound > smallest) separated[0] = 1
    }
    const before = bestSquare[0]
    nearest(count[0] + 1)
    if (count[0] === 3 && separated[0] === 0 && isInside()) {
      count[0] = 4
      return
    }
    if (!(bestSquare[0] < before)) break
    v[0] = bestV[0]
    v[1] = bestV[1]
    v[2] = bestV[2]
    count[0] = pack()
    if (Math.sqrt(bestSquare[0]) <= smallest) return
  }
  const distance = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
  out[0] = distance
  for (let k = 0; k < 3; k++) {
    out[1 + k] = v[k] / distance
    out[4 + k] = 0
    out[7 + k] = 0
    for (let i = 0; i < count[0]; i++) {
      out[4 + k] += weight[i] * PA[3 * i + k]
      out[7 + k] += weight[i] * PB[3 * i + k]
    }
  }
}

/** Writes the support vertex of B - A along -v to the next slot. */
function addVertex(a: Collider, b: Collider, shift: Float64Array): void {
  const k = count[0]
  supportCore(a, v, 1, PA, k, IA)
  supportCore(b, v, -1, PB, k, IB)
  const n = 3 * k
  PB[n] += shift[0]
  PB[n + 1] += shift[1]
  PB[n + 2] += shift[2]
  W[n] = PB[n] - PA[n]
  W[n + 1] = PB[n + 1] - PA[n + 1]
  W[n + 2] = PB[n + 2] - PA[n + 2]
}

/** Writes the difference of vertex j of B and vertex i of A to the next slot. */
function setVertex(a: Collider, b: Collider, i: number, j: number): void {
  const k = count[0]
  IA[k] = i
  IB[k] = j
  writeVertex(a, i, PA, k)
  writeVertex(b, j, PB, k)
  for (let d = 3 * k; d < 3 * k + 3; d++) W[d] = PB[d] - PA[d]
}

/** Moves the slots of the best sub-simplex to the front, with their weights. @returns their number */
function pack(): number {
  // the newest vertex is first and has the highest slot; in rising order each moves to a lower slot, or stays
  for (let i = 0; i < bestSize; i++) {
    const j = i + 1 === bestSize ? 0 : i + 1
    const from = bestSlot[j]
    weight[i] = bestWeight[j]
    if (from === i) continue
    const s = 3 * from
    const t = 3 * i
    W[t] = W[s]
    W[t + 1] = W[s + 1]
    W[t + 2] = W[s + 2]
    PA[t] = PA[s]
    PA[t + 1] = PA[s + 1]
    PA[t + 2] = PA[s + 2]
    PB[t] = PB[s]
    PB[t + 1] = PB[s + 1]
    PB[t + 2] = PB[s + 2]
    IA[i] = IA[from]
    IB[i] = IB[from]
  }
  return bestSize
}

/** The point of the simplex nearest to the origin, over all sub-simplices with the newest vertex. */
function nearest(size: number): void {
  const last = size - 1
  tryVertex(last)
  for (let i = 0; i < last; i++) tryEdge(last, i)
  for (let i = 0; i < last; i++) {
    for (let j = i + 1; j < last; j++) tryTriangle(last, i, j)
  }
}

function tryVertex(i: number): void {
  const x = W[3 * i]
  const y = W[3 * i + 1]
  const z = W[3 * i + 2]
  const square = x * x + y * y + z * z
  if (square >= bestSquare[0]) return
  bestSquare[0] = square
  bestV[0] = x
  bestV[1] = y
  bestV[2] = z
  bestSize = 1
  bestSlot[0] = i
  bestWeight[0] = 1
}

function tryEdge(i: number, j: number): void {
  const a = 3 * i
  const b = 3 * j
  const x = W[b] - W[a]
  const y = W[b + 1] - W[a + 1]
  const z = W[b + 2] - W[a + 2]
  const length = x * x + y * y + z * z
  if (!(length > 0)) return
  const t = -(W[a] * x + W[a + 1] * y + W[a + 2] * z) / length
  if (!(t > 0 && t < 1)) return
  const px = W[a] + t * x
  const py = W[a + 1] + t * y
  const pz = W[a + 2] + t * z
  const square = px * px + py * py + pz * pz
  if (square >= bestSquare[0]) return
  bestSquare[0] = square
  bestV[0] = px
  bestV[1] = py
  bestV[2] = pz
  bestSize = 2
  bestSlot[0] = i
  bestSlot[1] = j
  bestWeight[0] = 1 - t
  bestWeight[1] = t
}

function tryTriangle(i: number, j: number, k: number): void {
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
  const area = nx * nx + ny * ny + nz * nz
  if (!(area > parallelSine2 * (ux * ux + uy * uy + uz * uz) * (wx * wx + wy * wy + wz * wz))) return
  // weights of b and c: ratios of areas, (n . (w x p)) and (n . (p x u)) for p = -a, relative to a
  const px = -W[a]
  const py = -W[a + 1]
  const pz = -W[a + 2]
  const s = (nx * (py * wz - pz * wy) + ny * (pz * wx - px * wz) + nz * (px * wy - py * wx)) / area
  const t = (nx * (uy * pz - uz * py) + ny * (uz * px - ux * pz) + nz * (ux * py - uy * px)) / area
  if (!(s > 0 && t > 0 && s + t < 1)) return
  // from the weights, not along the normal: a sliver's normal may have any direction, but this point stays on the triangle
  const x = W[a] + s * ux + t * wx
  const y = W[a + 1] + s * uy + t * wy
  const z = W[a + 2] + s * uz + t * wz
  const square = x * x + y * y + z * z
  if (square >= bestSquare[0]) return
  bestSquare[0] = square
  bestV[0] = x
  bestV[1] = y
  bestV[2] = z
  bestSize = 3
  bestSlot[0] = i
  bestSlot[1] = j
  bestSlot[2] = k
  bestWeight[0] = 1 - s - t
  bestWeight[1] = s
  bestWeight[2] = t
}

/** Whether the tetrahedron of all four slots contains the origin: on the inner side of all its faces. */
function isInside(): boolean {
  return sameSide(0, 1, 2, 3) && sameSide(0, 1, 3, 2) && sameSide(0, 2, 3, 1) && sameSide(1, 2, 3, 0)
}

/** Whether the origin lies strictly on the side of the plane (i, j, k) on which vertex l lies. */
function sameSide(i: number, j: number, k: number, l: number): boolean {
  const a = 3 * i
  const b = 3 * j
  const c = 3 * k
  const d = 3 * l
  const ux = W[b] - W[a]
  const uy = W[b + 1] - W[a + 1]
  const uz = W[b + 2] - W[a + 2]
  const wx = W[c] - W[a]
  const wy = W[c + 1] - W[a + 1]
  const wz = W[c + 2] - W[a + 2]
  const nx = uy * wz - uz * wy
  const ny = uz * wx - ux * wz
  const nz = ux * wy - uy * wx
  const origin = -(nx * W[a] + ny * W[a + 1] + nz * W[a + 2])
  const vertex = nx * (W[d] - W[a]) + ny * (W[d + 1] - W[a + 1]) + nz * (W[d + 2] - W[a + 2])
  return origin * vertex > 0
}
