import type { Collider } from './collider.ts'

/**
 * Distance between the cores of two colliders that are apart, by the algorithm of Gilbert, Johnson and Keerthi (1988).
 *
 * The sub-algorithm tries every face of the simplex that holds the newest vertex and keeps the nearest valid one, which
 * stays correct on flat simplices, where Johnson's signs do not (van den Bergen, Collision Detection in Interactive 3D
 * Environments, 2004, section 4.3.3).
 */

/** Relative to the size of the pair; the error of the distance that ends the search. */
const tolerance = 1e-13
/** Cores nearer than this, relative to the size of the pair, count as touching. */
const touching = 1e-12
const maxIterations = 128

/** Simplex: vertices of B - A, and where they come from on A and B, 3 each. */
const W = new Float64Array(12)
const PA = new Float64Array(12)
const PB = new Float64Array(12)
const weight = new Float64Array(4)
/** The best sub-simplex so far: vertex slots, weights, and nearest point. */
const bestSlot = new Int32Array(4)
const bestWeight = new Float64Array(4)
const bestV = new Float64Array(3)
const bestSquare = new Float64Array(1)
let bestSize = 0
const v = new Float64Array(3)
const direction = new Float64Array(3)
const support = new Float64Array(3)
/** W, PA and PB while the slots are moved. */
const packed = new Float64Array(36)

/** The farthest point of the core along a direction, world axes. Where several tie, any of them. */
export function supportCore(collider: Collider, d: Float64Array, out: Float64Array): void {
  const { shape, core, R, p, verticesW } = collider
  if (core) {
    let best = 0
    let highest = -Infinity
    for (let i = 0; i < verticesW.length; i += 3) {
      const height = verticesW[i] * d[0] + verticesW[i + 1] * d[1] + verticesW[i + 2] * d[2]
      if (height <= highest) continue
      highest = height
      best = i
    }
    out[0] = verticesW[best]
    out[1] = verticesW[best + 1]
    out[2] = verticesW[best + 2]
    return
  }
  if (shape.type !== 'cylinder') return
  // in the cylinder's axes, so that what is across the axis stays across it
  const x = R[0] * d[0] + R[3] * d[1] + R[6] * d[2]
  const y = R[1] * d[0] + R[4] * d[1] + R[7] * d[2]
  const along = R[2] * d[0] + R[5] * d[1] + R[8] * d[2]
  const across = Math.sqrt(x * x + y * y)
  // straight above a cap its middle is as far as its rim
  const scale = across > 1e-14 * Math.abs(along) ? shape.radius / across : 0
  const sx = scale * x
  const sy = scale * y
  const sz = along < 0 ? -collider.halfLength : collider.halfLength
  out[0] = p[0] + R[0] * sx + R[1] * sy + R[2] * sz
  out[1] = p[1] + R[3] * sx + R[4] * sy + R[5] * sz
  out[2] = p[2] + R[6] * sx + R[7] * sy + R[8] * sz
}

/**
 * Both colliders placed, with their cores. B is moved by `shift` for the query.
 *
 * @param shift 3 [m]
 * @param out   out, 10: distance [m], unit normal from A to B, nearest points on A and on B [m]. Distance 0 when the cores
 *              touch or overlap; normal and points then mean nothing.
 */
export function coreDistance(a: Collider, b: Collider, shift: Float64Array, out: Float64Array): void {
  const size = a.radius + b.radius
  const smallest = touching * size
  v[0] = b.centerW[0] + shift[0] - a.centerW[0]
  v[1] = b.centerW[1] + shift[1] - a.centerW[1]
  v[2] = b.centerW[2] + shift[2] - a.centerW[2]
  if (v[0] === 0 && v[1] === 0 && v[2] === 0) v[2] = 1
  let count = 0
  let separated = false
  bestSquare[0] = Infinity
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    addVertex(a, b, shift, count)
    const n = 3 * count
    const square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    if (count > 0) {
      // |v| is an upper bound of the distance, v . w / |v| a lower one
      const bound = v[0] * W[n] + v[1] * W[n + 1] + v[2] * W[n + 2]
      if (square - bound <= tolerance * size * Math.sqrt(square)) break
      // a positive lower bound proves that they are apart, whatever a flat tetrahedron's signs may say later
      if (bound > smallest * Math.sqrt(square)) separated = true
    }
    const before = bestSquare[0]
    nearest(count + 1)
    if (count === 3 && !separated && isInside()) {
      out[0] = 0
      return
    }
    if (!(bestSquare[0] < before)) break
    v[0] = bestV[0]
    v[1] = bestV[1]
    v[2] = bestV[2]
    count = pack()
    if (Math.sqrt(bestSquare[0]) <= smallest) {
      out[0] = 0
      return
    }
  }
  const distance = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
  out[0] = distance
  for (let k = 0; k < 3; k++) {
    out[1 + k] = v[k] / distance
    out[4 + k] = 0
    out[7 + k] = 0
    for (let i = 0; i < count; i++) {
      out[4 + k] += weight[i] * PA[3 * i + k]
      out[7 + k] += weight[i] * PB[3 * i + k]
    }
  }
}

/** Puts the vertex of B - A farthest against v into slot `count`. */
function addVertex(a: Collider, b: Collider, shift: Float64Array, count: number): void {
  const n = 3 * count
  supportCore(a, v, support)
  PA[n] = support[0]
  PA[n + 1] = support[1]
  PA[n + 2] = support[2]
  direction[0] = -v[0]
  direction[1] = -v[1]
  direction[2] = -v[2]
  supportCore(b, direction, support)
  for (let k = 0; k < 3; k++) {
    PB[n + k] = support[k] + shift[k]
    W[n + k] = PB[n + k] - PA[n + k]
  }
}

/** Moves the slots of the best sub-simplex to the front, with their weights, and answers how many there are. */
function pack(): number {
  for (let i = 0; i < bestSize; i++) {
    const s = 3 * bestSlot[i]
    for (let k = 0; k < 3; k++) {
      packed[3 * i + k] = W[s + k]
      packed[12 + 3 * i + k] = PA[s + k]
      packed[24 + 3 * i + k] = PB[s + k]
    }
  }
  for (let i = 0; i < 3 * bestSize; i++) {
    W[i] = packed[i]
    PA[i] = packed[12 + i]
    PB[i] = packed[24 + i]
  }
  for (let i = 0; i < bestSize; i++) weight[i] = bestWeight[i]
  return bestSize
}

/** The point of the simplex nearest to the origin, over all sub-simplices that hold the newest vertex. */
function nearest(count: number): void {
  const last = count - 1
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
  if (!(area > 1e-24 * (ux * ux + uy * uy + uz * uz) * (wx * wx + wy * wy + wz * wz))) return
  // weights of b and c: ratios of areas, (n . (w x p)) and (n . (p x u)) for p = -a seen from a
  const px = -W[a]
  const py = -W[a + 1]
  const pz = -W[a + 2]
  const s = (nx * (py * wz - pz * wy) + ny * (pz * wx - px * wz) + nz * (px * wy - py * wx)) / area
  const t = (nx * (uy * pz - uz * py) + ny * (uz * px - ux * pz) + nz * (ux * py - uy * px)) / area
  if (!(s > 0 && t > 0 && s + t < 1)) return
  // From the weights, not along the normal: on a sliver the normal may point anywhere, but this stays on the triangle.
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

/** Whether the tetrahedron of all four slots holds the origin: on the inner side of all its faces. */
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
