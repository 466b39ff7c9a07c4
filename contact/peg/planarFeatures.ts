import { sincos } from '../../dynamics/index.ts'
import { GeometryError } from '../geometry/index.ts'
import { type FeatureContacts, type FeatureLimits, featureKind } from './featureSet.ts'

/**
 * A convex polygon in the plane, as bodies on planar joints have. Edge i leads from vertex i to vertex i + 1, the last back to
 * vertex 0; so edge i - 1 comes into vertex i and edge i goes out of it.
 */
export interface PlanarBody {
  readonly count: number
  /** 2 a vertex [m], counter-clockwise, in the body's axes. */
  readonly vertices: Float64Array
  /** 2 an edge, unit, in the body's axes. */
  readonly direction: Float64Array
  /** 1 an edge [m]. */
  readonly length: Float64Array

  // written by `placePlanar`
  /** The same in the world, and 2 an edge: the unit normal, to the right of its direction and so outward. */
  readonly verticesW: Float64Array
  readonly directionW: Float64Array
  readonly normalW: Float64Array
}

/** Corners flatter than this, as the sine of the turn, count as part of an edge. */
const flat = 1e-9

/**
 * @param vertices n x 2 [m], counter-clockwise
 * @throws GeometryError unless there are at least three vertices, finite, and each turns left
 */
export function createPlanarBody(vertices: Float64Array): PlanarBody {
  const count = vertices.length / 2
  if (!(Number.isInteger(count) && count >= 3)) {
    throw new GeometryError(`a polygon has ${vertices.length} coordinates; expected x and y of at least three vertices`)
  }
  const direction = new Float64Array(2 * count)
  const length = new Float64Array(count)
  let turns = 0
  for (let i = 0; i < count; i++) {
    const j = (i + 1) % count
    const x = vertices[2 * j] - vertices[2 * i]
    const y = vertices[2 * j + 1] - vertices[2 * i + 1]
    length[i] = Math.hypot(x, y)
    if (!(length[i] > 0 && length[i] < Infinity)) {
      throw new GeometryError(`edge ${i} of a polygon has length ${length[i]}; expected distinct, finite vertices`)
    }
    direction[2 * i] = x / length[i]
    direction[2 * i + 1] = y / length[i]
  }
  for (let i = 0; i < count; i++) {
    const h = (i + count - 1) % count
    const sine = direction[2 * h] * direction[2 * i + 1] - direction[2 * h + 1] * direction[2 * i]
    const cosine = direction[2 * h] * direction[2 * i] + direction[2 * h + 1] * direction[2 * i + 1]
    turns += Math.atan2(sine, cosine)
    if (!(sine > flat)) {
      throw new GeometryError(
        `vertex ${i} of a polygon does not turn left; expected a convex polygon, counter-clockwise, without flat corners`,
      )
    }
  }
  if (turns > 7) throw new GeometryError('a polygon winds more than once about its middle; expected a simple one')
  return {
    count,
    vertices: vertices.slice(),
    direction,
    length,
    verticesW: new Float64Array(2 * count),
    directionW: new Float64Array(2 * count),
    normalW: new Float64Array(2 * count),
  }
}

const turn = new Float64Array(2)
const frame = new Float64Array(4)

/** @param pose 3, as of a planar joint: x, y [m], angle [rad] */
function placeAt(body: PlanarBody, pose: Float64Array): void {
  sincos(turn, pose, 2)
  frame[0] = pose[0]
  frame[1] = pose[1]
  frame[2] = turn[1]
  frame[3] = turn[0]
  placePlanar(body, frame)
}

/** @param at 4: x, y [m], cosine and sine of the angle */
export function placePlanar(body: PlanarBody, at: Float64Array): void {
  const { count, vertices, direction, verticesW, directionW, normalW } = body
  const c = at[2]
  const s = at[3]
  for (let i = 0; i < 2 * count; i += 2) {
    verticesW[i] = at[0] + c * vertices[i] - s * vertices[i + 1]
    verticesW[i + 1] = at[1] + s * vertices[i] + c * vertices[i + 1]
    const x = c * direction[i] - s * direction[i + 1]
    const y = s * direction[i] + c * direction[i + 1]
    directionW[i] = x
    directionW[i + 1] = y
    normalW[i] = y
    normalW[i + 1] = -x
  }
}

/**
 * The complementarity reading in the plane: every pair of a vertex and an edge of two convex polygons that can touch while
 * they move by at most the margin against each other; kinds, limits and guarantees as in `featureContacts`. Pairs of edges are
 * not needed: where two edges touch, so do their ends.
 *
 * The applicability of a vertex against an edge with outward normal n is the least n . u over the unit vectors u along
 * the two edges that leave the vertex (equation 5 of the paper).
 *
 * @param poseA, poseB 3, as of a planar joint: x, y [m], angle [rad]
 * @param out of dimension 2
 * @throws RangeError if `out` is of dimension 3
 */
export function planarFeatureContacts(
  a: PlanarBody,
  poseA: Float64Array,
  b: PlanarBody,
  poseB: Float64Array,
  limits: FeatureLimits,
  out: FeatureContacts,
): void {
  if (out.dimension !== 2) throw new RangeError('contacts of polygons need a FeatureContacts of dimension 2')
  placeAt(a, poseA)
  placeAt(b, poseB)
  placedPlanarContacts(a, b, limits, out)
}

/** The same of polygons that `placePlanar` has placed. */
export function placedPlanarContacts(a: PlanarBody, b: PlanarBody, limits: FeatureLimits, out: FeatureContacts): void {
  out.count = 0
  for (let v = 0; v < a.count; v++) {
    for (let e = 0; e < b.count; e++) {
      if (vertexMeetsEdge(a, v, b, e, limits))
        append(featureKind.vertexFace, v, e, v * b.count + e, b.normalW, e, -1, limits, out)
    }
  }
  const first = a.count * b.count
  for (let e = 0; e < a.count; e++) {
    for (let v = 0; v < b.count; v++) {
      if (vertexMeetsEdge(b, v, a, e, limits)) {
        append(featureKind.faceVertex, e, v, first + e * b.count + v, a.normalW, e, 1, limits, out)
      }
    }
  }
  let deep = out.count > 0
  for (let i = 0; i < out.count; i++) if (out.gap[i] >= -limits.margin[0]) deep = false
  if (!deep) return
  planarSeparation(a, b, separation)
  if (separation[0] > 0) out.count = 0
}

const separation = new Float64Array(1)

/** The largest distance by which an edge's line parts the polygons: minus their depth where none does. out, 1 [m] */
export function planarSeparation(a: PlanarBody, b: PlanarBody, out: Float64Array): void {
  out[0] = -Infinity
  raiseByEdges(a, b, out)
  raiseByEdges(b, a, out)
}

function raiseByEdges({ count, normalW: N, verticesW: V }: PlanarBody, { verticesW: W }: PlanarBody, out: Float64Array): void {
  for (let e = 0; e < 2 * count; e += 2) {
    let lowest = Infinity
    for (let i = 0; i < W.length; i += 2) {
      const height = N[e] * (W[i] - V[e]) + N[e + 1] * (W[i + 1] - V[e + 1])
      if (height < lowest) lowest = height
    }
    if (lowest > out[0]) out[0] = lowest
  }
}

/** 5: point, gap, how far aside, applicability. */
const found = new Float64Array(5)

function vertexMeetsEdge(body: PlanarBody, v: number, other: PlanarBody, e: number, limits: FeatureLimits): boolean {
  const { margin, depth, epsilon, choice } = limits
  const { count, verticesW: V, directionW: u } = body
  const N = other.normalW
  const nx = N[2 * e]
  const ny = N[2 * e + 1]
  const x = V[2 * v] - other.verticesW[2 * e]
  const y = V[2 * v + 1] - other.verticesW[2 * e + 1]
  const gap = nx * x + ny * y
  if (!(gap <= margin[0] && gap >= -depth[0])) return false
  const along = other.directionW[2 * e] * x + other.directionW[2 * e + 1] * y
  const aside = along < 0 ? -along : along > other.length[e] ? along - other.length[e] : 0
  if (!(gap >= -margin[0] ? gap * gap + aside * aside <= margin[0] * margin[0] : aside <= margin[0])) return false
  const before = v === 0 ? count - 1 : v - 1
  const out = nx * u[2 * v] + ny * u[2 * v + 1]
  const back = -(nx * u[2 * before] + ny * u[2 * before + 1])
  const least = out < back ? out : back
  if (choice === 'applicable' && least < -epsilon[0]) return false
  found[0] = V[2 * v] - 0.5 * gap * nx
  found[1] = V[2 * v + 1] - 0.5 * gap * ny
  found[2] = gap
  found[3] = aside
  found[4] = least
  return true
}

function append(
  kind: number,
  featureA: number,
  featureB: number,
  id: number,
  N: Float64Array,
  edge: number,
  sign: number,
  { epsilon }: FeatureLimits,
  out: FeatureContacts,
): void {
  const c = out.count
  if (c === out.capacity) out.reserve(2 * c)
  out.id[c] = id
  out.kind[c] = kind
  out.featureA[c] = featureA
  out.featureB[c] = featureB
  out.point[2 * c] = found[0]
  out.point[2 * c + 1] = found[1]
  out.normal[2 * c] = sign * N[2 * edge]
  out.normal[2 * c + 1] = sign * N[2 * edge + 1]
  out.gap[c] = found[2]
  out.aside[c] = found[3]
  out.applicability[c] = found[4]
  out.applicable[c] = found[4] >= 0 ? 2 : found[4] >= -epsilon[0] ? 1 : 0
  out.count = c + 1
}
