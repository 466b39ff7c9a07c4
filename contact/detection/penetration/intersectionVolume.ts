import { addWork } from '../../../dynamics/index.ts'
import { signedDistance } from '../../geometry/index.ts'
import { grown } from '../../grown.ts'
import {
  FieldKind,
  type FieldShape,
  isBallApart,
  pointDistance,
  pointDistanceWithin,
  relativePose,
  ringPoints,
} from '../manifold/fieldShape.ts'
import { ringX, ringY, steepestAgainst } from '../manifold/rim.ts'

/**
 * The penetration volume of two shapes, as the surface points of each shape inside the other: entry i of each array is point i, for i <
 * count. First A's points, then B's, each in the order of its tree, then its running points; the order depends only on the relative pose.
 *
 * Capacity grows when a count first exceeds it, so that a steady simulation allocates nothing.
 */
export class IntersectionVolume {
  count = 0
  /** Points that `addCrossings` has appended. */
  crossingCount = 0
  capacity = 0
  /** 0: a point of A's surface; 1: of B's. */
  side = new Uint8Array(0)
  /**
   * A vertex has its number; a crossing -2 minus the index of its edge; a running point the number of vertices plus 8 times its station,
   * plus 1 to 7 along a rim.
   */
  feature = new Int32Array(0)
  /** 3 a point, world axes [m]. */
  point = new Float64Array(0)
  /** Negated signed distance from the other shape: positive inside [m]. */
  depth = new Float64Array(0)
  /** 3 a point, unit, world axes: gradient of the other shape's distance, which points out of it. */
  exit = new Float64Array(0)
  /** The facet of the other shape to which the depth is measured, or -1. */
  facet = new Int32Array(0)
  /** 3 a point, world axes: outward normal at a running point; 0 at a vertex, whose normals are those of its facets. */
  outward = new Float64Array(0)
  /** The cap, as a facet, on which a running point lies, or -1. */
  cap = new Int32Array(0)
  /** 1: distance outside up to which points are included [m]. */
  readonly tolerance = new Float64Array(1)

  constructor(capacity = 64) {
    this.reserve(capacity)
  }

  /** Reserves space for `capacity` points, keeping the present ones. */
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

/** Relative pose of one shape in the other's axes: x_other = Q x + s. */
const Q = new Float64Array(9)
const s = new Float64Array(3)
const x = new Float64Array(3)
const distance = new Float64Array(4)
const facet = new Int32Array(1)
/** Work of a point's distance query, in multiply-adds, for shapes that count none. */
const POINT = 50
/** Stack of tree nodes to visit: at most one a level, in balanced trees. */
const stack = new Int32Array(64)

/**
 * Finds all surface points of each shape inside the other by a traversal of its ball tree; a node is culled if its centre is farther
 * outside the other shape than its radius.
 *
 * Drumwright, A Fast and Stable Penalty Method for Rigid Body Simulation (2008), appendix I-A, tests the vertices of intersecting triangles
 * and proceeds from those inside to their neighbours. It finds the same vertices if the volume is connected and one of its triangles
 * intersects one of the other shape.
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
    if (isBallApart(other, x, balls, 4 * node + 3, tolerance, distance)) continue
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

/** Adds point points[at] of shape `own`, with its query result in `distance` and `facet`. */
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

/** A running point in its shape's axes, and the unit vector from the station to it. */
const run = new Float64Array(3)
const way = new Float64Array(3)
/** The best `way` so far, and the distance of its point. */
const deepestWay = new Float64Array(4)
/** The current station on the axis [m]. */
const stationZ = new Float64Array(1)
/** The gradient in a disc's axes, without its axial component. */
const up = new Float64Array(2)
/** Length of a gradient below which its direction is undefined; the running point is then on the x axis. */
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
    const onTerrain = other.kind === FieldKind.heightfield
    if (distance[0] > radius + volume.tolerance[0] && (!onTerrain || distance[0] === Infinity)) continue
    const onDisc = kind === FieldKind.cylinder
    setWay(onDisc)
    stationZ[0] = z
    if (onTerrain) lean(own, other, onDisc)
    const ux = way[0]
    const uy = way[1]
    const uz = way[2]
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

/** `way` := against the gradient in `distance`, which is in the other's axes, to which Q maps; on a disc in its plane. */
function setWay(onDisc: boolean): void {
  for (let k = 0; k < 3; k++) way[k] = -(Q[k] * distance[1] + Q[3 + k] * distance[2] + Q[6 + k] * distance[3])
  if (onDisc) {
    for (let k = 0; k < 2; k++) up[k] = -way[k]
    steepestAgainst(up, way)
    way[2] = 0
  }
  const length = Math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
  const leans = length > leadsNowhere
  const scale = leans ? 1 / length : 0
  way[0] = leans ? scale * way[0] : 1
  way[1] *= scale
  way[2] *= scale
}

/**
 * Turns `way` to the deepest point on a height field, whose triangle below a ball's centre is not the one that the ball touches: against the
 * gradient at the point found, while that gets deeper.
 */
function lean({ size }: FieldShape, other: FieldShape, onDisc: boolean): void {
  deepestWay[3] = Infinity
  for (let round = 0; round < ellipsoidRounds; round++) {
    for (let k = 0; k < 3; k++) run[k] = size[0] * way[k]
    run[2] += stationZ[0]
    transform(run, 0)
    pointDistance(other, x, distance, facet)
    if (!(distance[0] < deepestWay[3])) break
    for (let k = 0; k < 3; k++) deepestWay[k] = way[k]
    deepestWay[3] = distance[0]
    setWay(onDisc)
  }
  if (deepestWay[3] < Infinity) for (let k = 0; k < 3; k++) way[k] = deepestWay[k]
}

/** 10: result of `signedDistance`, if both shapes are convex. */
const closest = new Float64Array(10)
/** Iterations if the other shape is not convex: from its gradient at the ellipsoid's centre, then from that at the point found. */
const ellipsoidRounds = 4

/** Adds an ellipsoid's one point: along the minimum translation from a convex shape; else with its outward normal against the gradient. */
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
      // the negated gradient in own axes, which Q maps to the other's
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

/** `run` := the point of an ellipsoid with radii e at which `way` is the outward normal. */
function setFarthest(e: Float64Array): void {
  let square = 0
  for (let k = 0; k < 3; k++) square += e[k] * e[k] * way[k] * way[k]
  const length = Math.sqrt(square)
  for (let k = 0; k < 3; k++) run[k] = (e[k] * e[k] * way[k]) / length
}
