import { type Collider, coreDistance, writeNormal, writeVertex } from '../../geometry/index.ts'

/**
 * Edges count as parallel below this sine of the angle between them, if nearer than `near`, relative to the smaller shape. Half of `near`
 * should exceed the penetration that a model allows: beyond, the minimum translation decides again.
 */
const sideBySide = 0.05
const near = 2e-3
/** Sine of the half-angle of a normal cone below which two faces count as parallel, and a face's normal replaces the bisector. */
const narrow = 0.02

/** Candidates for the touching edges, and their unit directions. */
const listA = new Int32Array(256)
const listB = new Int32Array(256)
const directionsA = new Float64Array(3 * 256)
const directionsB = new Float64Array(3 * 256)
/** 2: the chosen edges, of A and of B. */
const edge = new Int32Array(2)
/** Origin of each edge, and the vector to its other end. */
const A = new Float64Array(6)
const B = new Float64Array(6)
/** Vector from A's edge to B's at the start of their overlap, and its change along the overlap. */
const first = new Float64Array(3)
const second = new Float64Array(3)
/** 1 each: sine of the angle of two edges; a score, that sine plus their least distance, each over its limit; the best score so far. */
const sine = new Float64Array(1)
const off = new Float64Array(1)
const least = new Float64Array(1)
/** 1: distance within which edges count [m]. */
const reach = new Float64Array(1)
/** Unit: along the edges, and two directions across. */
const along = new Float64Array(3)
const x = new Float64Array(3)
const y = new Float64Array(3)
/** The common cone across the edges, in x and y: its borders, clockwise and counter-clockwise. */
const cone = new Float64Array(4)
const borders = new Float64Array(4)
const faceNormal = new Float64Array(3)
const middle = new Float64Array(3)
const shift = new Float64Array(3)
const moved = new Float64Array(10)

/**
 * The normal of two polyhedra that touch along nearly parallel edges. Every direction in the normal cones of both edges separates the
 * shapes there, and the distance, zero along all of them, distinguishes none. The normal chosen is the direction of the distance after B is
 * translated along the bisector of the cones' intersection, away from A, by `near` less the offset of the nearest points: the bisector
 * where edges touch, the direction of the distance where they are that far apart, and the normal of a face where the cone narrows to it or
 * the edge passes over onto that face. The separation along it is no less than minus the translation.
 *
 * @param distance the signed distance and a direction, from A to B, along which the separation is equal or nearly equal to it
 * @param tips     2: the support vertices of A and of B along that direction and against it
 * @param normal   out, where there are such edges
 * @returns whether there are
 */
export function bisectEdges(a: Collider, b: Collider, distance: Float64Array, tips: Int32Array, normal: Float64Array): boolean {
  if (a.rounding > 0 || b.rounding > 0 || !isSolid(a) || !isSolid(b)) return false
  reach[0] = near * (a.radius < b.radius ? a.radius : b.radius)
  if (!(distance[0] < reach[0])) return false
  if (!chooseEdges(a, b, distance, tips)) return false
  measureEdges(a, edge[0], b, edge[1])
  if (!setMiddle(a, edge[0], b, edge[1], distance)) return false
  // crossing edges have a unique normal
  reach[0] *= 1 - sine[0] / sideBySide
  for (let d = 0; d < 3; d++) shift[d] = reach[0] * middle[d]
  coreDistance(a, b, shift, moved)
  if (!(moved[0] > 0)) return false
  let offset = 0
  for (let d = 0; d < 3; d++) {
    const between = moved[7 + d] - shift[d] - moved[4 + d]
    offset += between * between
  }
  const way = reach[0] - Math.sqrt(offset)
  if (!(way > 0)) return false
  for (let d = 0; d < 3; d++) shift[d] = way * middle[d]
  coreDistance(a, b, shift, moved)
  if (!(moved[0] > 0)) return false
  for (let d = 0; d < 3; d++) normal[d] = moved[1 + d]
  return true
}

/** Writes the two most parallel and nearest edges to `edge`. @returns false if there are none */
function chooseEdges(a: Collider, b: Collider, distance: Float64Array, tips: Int32Array): boolean {
  const countB = gatherEdges(b, tips[1], distance, -1, listB, directionsB)
  if (countB === 0) return false
  const countA = gatherEdges(a, tips[0], distance, 1, listA, directionsA)
  least[0] = 1
  for (let i = 0; i < countA; i++) {
    for (let j = 0; j < countB; j++) {
      const cosine =
        directionsA[3 * i] * directionsB[3 * j] +
        directionsA[3 * i + 1] * directionsB[3 * j + 1] +
        directionsA[3 * i + 2] * directionsB[3 * j + 2]
      if (!(cosine * cosine > 1 - sideBySide * sideBySide)) continue
      if (!measureEdges(a, listA[i], b, listB[j]) || !(off[0] < least[0])) continue
      least[0] = off[0]
      edge[0] = listA[i]
      edge[1] = listB[j]
    }
  }
  return least[0] < 1
}

function isSolid({ core }: Collider): boolean {
  return core !== undefined && core.faces.length > 2
}

/** Lists the edges of the faces at a support vertex that extend about as far along sign * the direction, and lie across it. */
function gatherEdges(
  { core, R, vertexFaces, vertexFaceStart, faceEdges }: Collider,
  tip: number,
  distance: Float64Array,
  sign: number,
  list: Int32Array,
  directions: Float64Array,
): number {
  const { edges, vertices: V } = core!
  // the direction in the shape's axes
  const nx = sign * (R[0] * distance[1] + R[3] * distance[2] + R[6] * distance[3])
  const ny = sign * (R[1] * distance[1] + R[4] * distance[2] + R[7] * distance[3])
  const nz = sign * (R[2] * distance[1] + R[5] * distance[2] + R[8] * distance[3])
  const level = nx * V[3 * tip] + ny * V[3 * tip + 1] + nz * V[3 * tip + 2] - reach[0]
  let count = 0
  for (let k = vertexFaceStart[tip]; k < vertexFaceStart[tip + 1]; k++) {
    const around = faceEdges[vertexFaces[k]]
    for (let m = 0; m < around.length && count < list.length; m++) {
      const e = around[m]
      const i = 3 * edges[2 * e]
      const j = 3 * edges[2 * e + 1]
      const high = nx * V[i] + ny * V[i + 1] + nz * V[i + 2]
      const x = V[j] - V[i]
      const y = V[j + 1] - V[i + 1]
      const z = V[j + 2] - V[i + 2]
      const rise = nx * x + ny * y + nz * z
      if (high < level && high + rise < level) continue
      const square = x * x + y * y + z * z
      if (!(rise * rise < sideBySide * sideBySide * square) || isListed(list, count, e)) continue
      const scale = 1 / Math.sqrt(square)
      for (let d = 0; d < 3; d++) directions[3 * count + d] = scale * (R[3 * d] * x + R[3 * d + 1] * y + R[3 * d + 2] * z)
      list[count++] = e
    }
  }
  return count
}

/** Whether an edge is listed already: edges between two of the faces come twice. */
function isListed(list: Int32Array, count: number, e: number): boolean {
  for (let k = 0; k < count; k++) if (list[k] === e) return true
  return false
}

function setEdge(collider: Collider, e: number, out: Float64Array): void {
  const { edges } = collider.core!
  writeVertex(collider, edges[2 * e], out, 0)
  writeVertex(collider, edges[2 * e + 1], out, 1)
  for (let d = 0; d < 3; d++) out[3 + d] -= out[d]
}

/** Whether two nearly parallel edges overlap over some length; then writes `along`, `sine` and `off`. */
function measureEdges(a: Collider, e: number, b: Collider, f: number): boolean {
  setEdge(a, e, A)
  setEdge(b, f, B)
  const AA = A[3] * A[3] + A[4] * A[4] + A[5] * A[5]
  const BB = B[3] * B[3] + B[4] * B[4] + B[5] * B[5]
  const AB = A[3] * B[3] + A[4] * B[4] + A[5] * B[5]
  const sine2 = 1 - (AB * AB) / (AA * BB)
  sine[0] = sine2 > 0 ? Math.sqrt(sine2) : 0
  // mean of both directions, symmetric in the shapes
  const scaleA = 1 / Math.sqrt(AA)
  const scaleB = (AB < 0 ? -1 : 1) / Math.sqrt(BB)
  for (let d = 0; d < 3; d++) along[d] = scaleA * A[3 + d] + scaleB * B[3 + d]
  const length = Math.sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2])
  let startA = 0
  let startB = 0
  let lengthA = 0
  let lengthB = 0
  for (let d = 0; d < 3; d++) {
    along[d] /= length
    startA += along[d] * A[d]
    startB += along[d] * B[d]
    lengthA += along[d] * A[3 + d]
    lengthB += along[d] * B[3 + d]
  }
  const low = Math.max(Math.min(startA, startA + lengthA), Math.min(startB, startB + lengthB))
  const high = Math.min(Math.max(startA, startA + lengthA), Math.max(startB, startB + lengthB))
  if (!(high > low)) return false
  let start = 0
  let length2 = 0
  let back = 0
  for (let d = 0; d < 3; d++) {
    const slopeA = A[3 + d] / lengthA
    const slopeB = B[3 + d] / lengthB
    first[d] = B[d] + (low - startB) * slopeB - A[d] - (low - startA) * slopeA
    second[d] = (high - low) * (slopeB - slopeA)
    start += first[d] * first[d]
    back -= first[d] * second[d]
    length2 += second[d] * second[d]
  }
  // minimum of |first + t second|² over t from 0 to 1
  const t = back > 0 ? (back < length2 ? back / length2 : 1) : 0
  const square = start - t * (2 * back - t * length2)
  off[0] = sine[0] / sideBySide + (square > 0 ? Math.sqrt(square) / reach[0] : 0)
  return true
}

/** Writes the bisector of the normal cones' intersection, orthogonal to the edges. @returns false if that is empty or narrow */
function setMiddle(a: Collider, e: number, b: Collider, f: number, distance: Float64Array): boolean {
  const slope = along[0] * distance[1] + along[1] * distance[2] + along[2] * distance[3]
  const length = Math.sqrt(1 - slope * slope)
  if (!(length > 0.5)) return false
  for (let d = 0; d < 3; d++) x[d] = (distance[1 + d] - slope * along[d]) / length
  y[0] = along[1] * x[2] - along[2] * x[1]
  y[1] = along[2] * x[0] - along[0] * x[2]
  y[2] = along[0] * x[1] - along[1] * x[0]
  setBorders(a, e, 1)
  for (let k = 0; k < 4; k++) cone[k] = borders[k]
  setBorders(b, f, -1)
  // both cones contain the x direction, so that their borders are less than half a turn apart
  if (cone[0] * borders[1] - cone[1] * borders[0] > 0) for (let k = 0; k < 2; k++) cone[k] = borders[k]
  if (cone[2] * borders[3] - cone[3] * borders[2] < 0) for (let k = 2; k < 4; k++) cone[k] = borders[k]
  if (!(cone[0] * cone[3] - cone[1] * cone[2] > narrow)) return false
  const u = cone[0] + cone[2]
  const v = cone[1] + cone[3]
  const scale = 1 / Math.sqrt(u * u + v * v)
  for (let d = 0; d < 3; d++) middle[d] = scale * (u * x[d] + v * y[d])
  return true
}

/** Writes the normals, times sign, of the two faces at an edge, the clockwise one first. */
function setBorders(collider: Collider, e: number, sign: number): void {
  for (let side = 0; side < 2; side++) {
    writeNormal(collider, collider.edgeFaces[2 * e + side], faceNormal)
    borders[2 * side] = 0
    borders[2 * side + 1] = 0
    for (let d = 0; d < 3; d++) {
      borders[2 * side] += sign * x[d] * faceNormal[d]
      borders[2 * side + 1] += sign * y[d] * faceNormal[d]
    }
  }
  if (borders[0] * borders[3] - borders[1] * borders[2] > 0) return
  for (let k = 0; k < 2; k++) {
    const border = borders[k]
    borders[k] = borders[2 + k]
    borders[2 + k] = border
  }
}
