import { addWork } from '../../dynamics/index.ts'
import { signedDistance } from '../geometry/index.ts'
import { grown } from '../grown.ts'
import { FieldKind, type FieldShape, pointDistance, pointDistanceWithin, relativePose, ringPoints } from './fieldShape.ts'
import { ringX, ringY, steepestAgainst } from './rim.ts'

/**
 * The volume in which two shapes overlap, as the surface points of each that lie inside of the other: entry i of each array
 * is point i, for i < count. First those of A, then those of B, each in the order of its tree and after these the running
 * points; the order depends on the relative pose alone.
 *
 * Capacity grows when a count first exceeds it, so that a steady simulation allocates nothing.
 */
export class IntersectionVolume {
  count = 0
  /** Points that `addCrossings` has put behind these. */
  crossingCount = 0
  capacity = 0
  /** 0: a point of A's surface; 1: of B's. */
  side = new Uint8Array(0)
  /**
   * Number of the vertex; of crossings minus 2 minus the place of the edge; of running points, the number of vertices and
   * then stations times 8, and 1 to 7 on along a rim.
   */
  feature = new Int32Array(0)
  /** 3 a point, world axes [m]. */
  point = new Float64Array(0)
  /** Signed distance from the other shape, turned round: positive inside [m]. */
  depth = new Float64Array(0)
  /** 3 a point, unit, world axes: the direction out of the other shape, the gradient of its distance. */
  exit = new Float64Array(0)
  /** The facet of the other shape that the depth is from, or -1. */
  facet = new Int32Array(0)
  /** 3 a point, world axes: outward normal of the surface at a running point, 0 at vertices, which have those of their facets. */
  outward = new Float64Array(0)
  /** The cap that a running point is on, as a facet, or -1. */
  cap = new Int32Array(0)
  /** 1: points that are outside by no more than this count too [m]. */
  readonly tolerance = new Float64Array(1)

  constructor(capacity = 64) {
    this.reserve(capacity)
  }

  /** Makes room for `capacity` points and keeps those that are there. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    this.side = grown(this.side, capacity)
    this.feature = grown(this.feature, capacity)
    this.point = grown(this.point, 3 * capacity)
    this.depth = grown(this.depth, capacity)
    this.exit = grown(this.exit, 3 * capacity)
    this.facet = grown(this.facet, capacity)
    this.outward = grown(this.outward, 3 * capacity)
    this.cap = grown(this.cap, capacity)
    this.capacity = capacity
  }
}

/** From the axes of one shape into those of the other: x_other = Q x + s. */
const Q = new Float64Array(9)
const s = new Float64Array(3)
const x = new Float64Array(3)
const distance = new Float64Array(4)
const facet = new Int32Array(1)
/** Work of a point's distance, in multiply-adds, where its shape counts none. */
const POINT = 50
/** Nodes to come back to: at most one a level, and trees are balanced. */
const stack = new Int32Array(64)

/**
 * Finds the points of each surface inside of the other shape, all of them: a ball around a part of the vertices whose centre
 * is farther out of the other shape than its radius holds none inside, and any other is looked into. So regions that are
 * swallowed whole need no search from neighbour to neighbour.
 *
 * Drumwright, A Fast and Stable Penalty Method for Rigid Body Simulation (2008), appendix I-A, asks the vertices of
 * intersecting triangles and goes on from those inside to their neighbours, which finds the same vertices where the volume
 * holds together and some triangle of it meets one of the other shape.
 *
 * @param volume out; its tolerance is read
 */
export function intersectionVolume(a: FieldShape, b: FieldShape, volume: IntersectionVolume): void {
  volume.count = 0
  volume.crossingCount = 0
  takeInside(a, b, 0, volume)
  takeInside(b, a, 1, volume)
}

function takeInside(own: FieldShape, other: FieldShape, side: number, volume: IntersectionVolume): void {
  const { vertices, balls, links, order, stationCount } = own
  if (order.length === 0 && stationCount === 0) return
  relativePose(own, other, Q, s)
  const { tolerance } = volume
  let depth = 0
  if (order.length > 0) {
    stack[0] = 0
    depth = 1
  }
  while (depth > 0) {
    const node = stack[--depth]
    addWork(POINT, 1, 1)
    transform(balls, 4 * node)
    pointDistanceWithin(other, x, balls, 4 * node + 3, distance, facet)
    if (distance[0] > balls[4 * node + 3] + tolerance[0]) continue
    const first = links[2 * node]
    const count = links[2 * node + 1]
    if (count === 0) {
      stack[depth++] = first + 1
      stack[depth++] = first
      continue
    }
    addWork(count, POINT, 1)
    for (let k = first; k < first + count; k++) {
      transform(vertices, 3 * order[k])
      pointDistanceWithin(other, x, tolerance, 0, distance, facet)
      if (distance[0] <= tolerance[0]) takePoint(own, other, side, vertices, 3 * order[k], order[k], volume)
    }
  }
  if (stationCount > 0) takeRunning(own, other, side, volume)
}

function transform(points: Float64Array, at: number): void {
  const px = points[at]
  const py = points[at + 1]
  const pz = points[at + 2]
  x[0] = s[0] + Q[0] * px + Q[1] * py + Q[2] * pz
  x[1] = s[1] + Q[3] * px + Q[4] * py + Q[5] * pz
  x[2] = s[2] + Q[6] * px + Q[7] * py + Q[8] * pz
}

/** Takes the point points[at] of its own shape, of which `distance` and `facet` hold the answer. */
function takePoint(
  { R, p }: FieldShape,
  { R: RO }: FieldShape,
  side: number,
  points: Float64Array,
  at: number,
  feature: number,
  volume: IntersectionVolume,
): void {
  if (volume.count === volume.capacity) volume.reserve(2 * volume.capacity)
  const i = volume.count++
  const { point, exit, outward } = volume
  volume.side[i] = side
  volume.feature[i] = feature
  volume.depth[i] = -distance[0]
  volume.facet[i] = facet[0]
  volume.cap[i] = -1
  for (let k = 0; k < 3; k++) {
    point[3 * i + k] = p[k] + R[3 * k] * points[at] + R[3 * k + 1] * points[at + 1] + R[3 * k + 2] * points[at + 2]
    exit[3 * i + k] = RO[3 * k] * distance[1] + RO[3 * k + 1] * distance[2] + RO[3 * k + 2] * distance[3]
    outward[3 * i + k] = 0
  }
}

/** A running point in its own axes, and the way from the station to it, a unit vector. */
const run = new Float64Array(3)
const way = new Float64Array(3)
/** The gradient in a disc's axes, of which the part along it does not count. */
const up = new Float64Array(2)
/** Shorter than this, a way leads nowhere, and the running point stays at the x axis. */
const leadsNowhere = 1e-9

function takeRunning(own: FieldShape, other: FieldShape, side: number, volume: IntersectionVolume): void {
  const { kind, size, stationCount, vertices } = own
  if (kind === FieldKind.ellipsoid) {
    takeOfEllipsoid(own, other, side, volume)
    return
  }
  const radius = size[0]
  for (let station = 0; station < stationCount; station++) {
    const last = stationCount - 1
    const z = stationCount === 1 ? 0 : size[1] * ((2 * station - last) / last)
    run[0] = 0
    run[1] = 0
    run[2] = z
    transform(run, 0)
    pointDistance(other, x, distance, facet)
    if (distance[0] > radius + volume.tolerance[0]) continue
    // the gradient in own axes, turned round: Q maps these to the other's
    for (let k = 0; k < 3; k++) way[k] = -(Q[k] * distance[1] + Q[3 + k] * distance[2] + Q[6 + k] * distance[3])
    const onDisc = kind === FieldKind.cylinder
    if (onDisc) {
      for (let k = 0; k < 2; k++) up[k] = -way[k]
      steepestAgainst(up, way)
      way[2] = 0
    }
    const length = Math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
    const leans = length > leadsNowhere
    const scale = leans ? 1 / length : 0
    const ux = leans ? scale * way[0] : 1
    const uy = scale * way[1]
    const uz = scale * way[2]
    const atEnd = onDisc && (station === 0 || station === last)
    const count = atEnd ? ringPoints : 1
    const feature = vertices.length / 3 + ringPoints * station
    for (let j = 0; j < count; j++) {
      way[0] = ringX[j] * ux - ringY[j] * uy
      way[1] = ringY[j] * ux + ringX[j] * uy
      way[2] = uz
      run[0] = radius * way[0]
      run[1] = radius * way[1]
      run[2] = z + radius * way[2]
      transform(run, 0)
      pointDistance(other, x, distance, facet)
      if (!(distance[0] <= volume.tolerance[0])) continue
      takePoint(own, other, side, run, 0, feature + j, volume)
      const i = volume.count - 1
      volume.cap[i] = atEnd ? (station === 0 ? 0 : 1) : -1
      for (let k = 0; k < 3; k++) {
        volume.outward[3 * i + k] = own.R[3 * k] * way[0] + own.R[3 * k + 1] * way[1] + own.R[3 * k + 2] * way[2]
      }
    }
  }
}

/** 10: of the two shapes, where both are convex. */
const closest = new Float64Array(10)
/** Where the other is not convex: from where its gradient points at the ellipsoid's middle, and again from the point found. */
const ellipsoidRounds = 4

/** One point: along the shortest way out of a convex shape, else by the other's gradient, that of which the outward normal leads into it. */
function takeOfEllipsoid(own: FieldShape, other: FieldShape, side: number, volume: IntersectionVolume): void {
  const { size: e, halfExtent, vertices, R } = own
  run.fill(0)
  transform(run, 0)
  pointDistance(other, x, distance, facet)
  if (distance[0] > halfExtent + volume.tolerance[0]) return
  if (own.collider !== undefined && other.collider !== undefined) {
    signedDistance(own.collider, other.collider, closest)
    for (let k = 0; k < 3; k++) way[k] = R[k] * closest[1] + R[3 + k] * closest[2] + R[6 + k] * closest[3]
    setFarthest(e)
  } else {
    for (let round = 0; round < ellipsoidRounds; round++) {
      // the gradient in own axes, turned round
      for (let k = 0; k < 3; k++) way[k] = -(Q[k] * distance[1] + Q[3 + k] * distance[2] + Q[6 + k] * distance[3])
      setFarthest(e)
      transform(run, 0)
      pointDistance(other, x, distance, facet)
    }
  }
  transform(run, 0)
  pointDistance(other, x, distance, facet)
  if (!(distance[0] <= volume.tolerance[0])) return
  takePoint(own, other, side, run, 0, vertices.length / 3, volume)
  const i = volume.count - 1
  for (let k = 0; k < 3; k++) volume.outward[3 * i + k] = R[3 * k] * way[0] + R[3 * k + 1] * way[1] + R[3 * k + 2] * way[2]
}

/** `run` := the point of an ellipsoid of radii e whose outward normal is `way`. */
function setFarthest(e: Float64Array): void {
  let square = 0
  for (let k = 0; k < 3; k++) square += e[k] * e[k] * way[k] * way[k]
  const length = Math.sqrt(square)
  for (let k = 0; k < 3; k++) run[k] = (e[k] * e[k] * way[k]) / length
}
