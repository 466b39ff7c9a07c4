import { type Collider, Core } from '../../geometry/index.ts'
import { lengthRounding, shapeTolerance, standingSine, uprightProduct } from '../../tolerances.ts'
import {
  addBallPoint,
  addEllipsoidPoint,
  addPoint,
  addVertices,
  noPoints,
  startHalfSpace,
} from '../manifold/halfSpaceManifold.ts'
import { keepChosen, type Manifold } from '../manifold/manifold.ts'
import { ringX, ringY, steepestAgainst } from '../manifold/rim.ts'
import { BottomPoints, selectBottom, setPlaneDirections } from './bottomPoints.ts'

/** 4: the plane in the shape's axes. */
const own = new Float64Array(4)
/** Points that face the plane; `source` is their index in the manifold. */
const facing = new BottomPoints()
/** The world's axes. */
const world = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
/** Two directions in the plane. */
const u = new Float64Array(3)
const v = new Float64Array(3)

/**
 * The penetration query of a convex shape and a half-space in closed form: the points on the bottom of the volume of intersection, with
 * their depths as negative gaps, in the order of their features. `penaltyReading` agrees for shapes without Steiner points and with
 * stations only at the ends of axes; its further points are shallow, where a side of the shape crosses the plane, and depend on the spacing
 * of such points.
 *
 * Features: those of `halfSpaceManifold`, but for cylinders, whose rims have eight points each: 0 to 7 at -z, 8 to 15 at +z.
 *
 * @param plane    4: outward unit normal and offset [m] in the world; solid where normal . x < offset
 * @param manifold out; its margin is read, and must be 0
 */
export function halfSpaceBottom(collider: Collider, plane: Float64Array, manifold: Manifold): void {
  if (!startHalfSpace(collider, plane, own, manifold)) return
  const { shape } = collider
  switch (shape.type) {
    case 'sphere':
      addBallPoint(collider, plane, own, 0, 0, manifold)
      break
    case 'ellipsoid':
      addEllipsoidPoint(collider, plane, own, manifold)
      break
    case 'capsule':
      addBallPoint(collider, plane, own, -1, 0, manifold)
      addBallPoint(collider, plane, own, 1, 1, manifold)
      if (manifold.count > 1 && isUpright(0.9)) select(collider, plane, manifold)
      break
    case 'box':
      addVertices(collider, plane, own, manifold)
      // a corner, the ends of an edge, corners of a face or the three beside one: all face the plane, none is inside the others' polygon
      if (manifold.count > 4) select(collider, plane, manifold)
      break
    case 'hull':
      addVertices(collider, plane, own, manifold)
      if (manifold.count > 1) select(collider, plane, manifold)
      break
    case 'cylinder':
      addRimPoints(collider, plane, manifold)
      // points of one rim form a convex polygon, unless the rim is seen edge-on
      if (manifold.count > 2 && !(isOfOneRim(manifold) && isUpright(0.1))) select(collider, plane, manifold)
      break
    default:
      noPoints(shape)
  }
}

/** Whether the angle between the shape's axis and the plane's normal has at least this cosine. */
function isUpright(cosine: number): boolean {
  return Math.abs(own[2]) > cosine
}

function isOfOneRim({ count, feature }: Manifold): boolean {
  return feature[0] >> 3 === feature[count - 1] >> 3
}

/** 2, in a cylinder's axes: direction of steepest descent on its caps. */
const steepest = new Float64Array(2)
const sin45 = Math.SQRT1_2
/** 3: a point in a cylinder's axes. */
const local = new Float64Array(3)

function addRimPoints(cylinder: Collider, n: Float64Array, manifold: Manifold): void {
  const { coreRadius: radius, halfLength } = cylinder
  steepestAgainst(own, steepest)
  const x = radius * steepest[0]
  const y = radius * steepest[1]
  const leans = own[0] * own[0] + own[1] * own[1] > standingSine * standingSine
  // depth below the cap's centre of the neighbours of the first point, the lowest of the rim
  const beside = sin45 * (own[0] * x + own[1] * y)
  for (let side = -1; side < 2; side += 2) {
    const first = side < 0 ? 0 : 8
    local[0] = x
    local[1] = y
    local[2] = side * halfLength
    addPoint(cylinder, n, own, local, first, manifold)
    if (leans && own[3] + own[2] * local[2] + beside > manifold.margin[0]) continue
    for (let j = 1; j < 8; j++) {
      local[0] = ringX[j] * x - ringY[j] * y
      local[1] = ringX[j] * y + ringY[j] * x
      addPoint(cylinder, n, own, local, first + j, manifold)
    }
  }
}

/** Keeps the points below the plane that face it and are on the bottom of the volume, as in `penaltyReading`. */
function select(collider: Collider, n: Float64Array, manifold: Manifold): void {
  const { count, gap, point, feature, chosen } = manifold
  setPlaneDirections(world, n, 0, n, u, v)
  facing.reserve(count)
  facing.count = 0
  for (let k = 0; k < count; k++) {
    if (!looksDown(collider, feature[k])) continue
    const i = facing.count++
    const px = point[3 * k]
    const py = point[3 * k + 1]
    const pz = point[3 * k + 2]
    facing.x[i] = u[0] * px + u[1] * py + u[2] * pz
    facing.y[i] = v[0] * px + v[1] * py + v[2] * pz
    facing.depth[i] = 0 - gap[k]
    facing.source[i] = k
  }
  facing.tolerance[0] = lengthRounding * collider.radius
  facing.tolerance[1] = shapeTolerance * collider.radius
  selectBottom(facing)

  chosen.fill(0, 0, count)
  for (let i = 0; i < facing.chosenCount; i++) chosen[facing.source[facing.chosen[i]]] = 1
  keepChosen(manifold)
}

/** Whether the surface at a point faces the plane. */
function looksDown({ kind, shape, core, vertexFaces, vertexFaceStart }: Collider, feature: number): boolean {
  if (shape.type === 'capsule') return true
  if (kind === Core.cylinder) {
    const down = feature < 8 ? own[2] : -own[2]
    const j = feature & 7
    const x = ringX[j] * steepest[0] - ringY[j] * steepest[1]
    const y = ringX[j] * steepest[1] + ringY[j] * steepest[0]
    return down > uprightProduct || -(own[0] * x + own[1] * y) > uprightProduct
  }
  const { faceNormals, faces } = core!
  // a hull without volume has no side that faces away
  if (faces.length < 4) return true
  for (let k = vertexFaceStart[feature]; k < vertexFaceStart[feature + 1]; k++) {
    const f = 3 * vertexFaces[k]
    const product = faceNormals[f] * own[0] + faceNormals[f + 1] * own[1] + faceNormals[f + 2] * own[2]
    if (-product > uprightProduct) return true
  }
  return false
}
