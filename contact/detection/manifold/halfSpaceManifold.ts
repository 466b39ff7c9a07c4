import { type Collider, Core, GeometryError, type HalfSpace, type HeightField, type MeshShape } from '../../geometry/index.ts'
import { keepChosen, type Manifold } from './manifold.ts'
import { rimFeature, steepestAgainst } from './rim.ts'

/** Most vertices of a hull within the margin that are kept. */
const maxHullPoints = 8

/**
 * Contact points of a shape above a half-space. The gap of a point is its height over the plane. @unchecked
 *
 * - sphere: its lowest point (feature 0);
 * - ellipsoid: its lowest point (feature 0);
 * - capsule: the lowest points of its ends at -z and +z (0, 1);
 * - box: its corners, numbered as in `boxPolyhedron`; of a rounded box, the lowest points of the balls at those of its core;
 * - hull: its vertices, numbered as in the polyhedron; of more than 8, the deepest and those that span most along eight
 *   directions fixed in the body;
 * - cylinder: the lowest point of the rims at -z and +z (0, 1), and two more at 120 degrees on the lower of the two
 *   (2, 3 at -z; 4, 5 at +z). A wheel thus touches along one line, a standing cylinder on three feet.
 *
 * @param plane    4: outward unit normal and offset [m] in the world; solid where normal . x < offset
 * @param manifold out; its margin is read
 */
export function halfSpaceManifold(collider: Collider, plane: Float64Array, manifold: Manifold): void {
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
      break
    case 'box':
      addVertices(collider, plane, own, manifold)
      break
    case 'hull':
      addVertices(collider, plane, own, manifold)
      reduceHullPoints(collider, manifold)
      break
    case 'cylinder':
      addFeet(collider, plane, manifold)
      break
    default:
      noPoints(shape)
  }
}

/** Exhaustiveness check of the cases above: throws for shapes without contact points on a plane. */
export function noPoints({ type }: HalfSpace | MeshShape | HeightField): void {
  throw new GeometryError(`a ${type} has no contact points on a half-space`)
}

/** 4: the plane in the shape's axes. */
const own = new Float64Array(4)

/**
 * Empties the manifold and puts the plane's normal into it.
 *
 * @param own out, 4: the plane in the shape's axes, normal and height of the shape's origin over it; read by `addBallPoint`, `addVertices`
 * and `addPoint`
 * @returns whether the shape may reach the margin: exact, to rounding, for boxes and cylinders, else by its bounding ball
 */
export function startHalfSpace(collider: Collider, n: Float64Array, own: Float64Array, manifold: Manifold): boolean {
  const { R, p, centerW: c, radius, rounding, kind, core, coreRadius, halfLength } = collider
  const { normal } = manifold
  const margin = manifold.margin[0]
  manifold.count = 0
  normal[0] = n[0]
  normal[1] = n[1]
  normal[2] = n[2]
  if (n[0] * c[0] + n[1] * c[1] + n[2] * c[2] - n[3] - radius > margin) return false
  const x = R[0] * n[0] + R[3] * n[1] + R[6] * n[2]
  const y = R[1] * n[0] + R[4] * n[1] + R[7] * n[2]
  const z = R[2] * n[0] + R[5] * n[1] + R[8] * n[2]
  const height = n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - n[3]
  own[0] = x
  own[1] = y
  own[2] = z
  own[3] = height
  let reach = 0
  if (kind === Core.cylinder) reach = coreRadius * Math.sqrt(x * x + y * y) + halfLength * Math.abs(z)
  else if (kind === Core.box) {
    const half = core!.vertices // its last corner has all three half lengths
    reach = Math.abs(x) * half[21] + Math.abs(y) * half[22] + Math.abs(z) * half[23] + rounding
  } else return true
  // differs from the height of the points only by rounding
  return height - reach <= margin + heightRounding * (Math.abs(height) + reach)
}

/** Relative rounding difference between two summations of a corner's height. */
const heightRounding = 1e-14

/** Adds the lowest point of the ball at end `side` (-1, 1) of a capsule, or of a sphere (0). */
export function addBallPoint(
  { R, p, halfLength, rounding: radius }: Collider,
  n: Float64Array,
  own: Float64Array,
  side: number,
  feature: number,
  manifold: Manifold,
): void {
  const z = side * halfLength
  const { point, gap, count, margin } = manifold
  const g = own[3] + own[2] * z - radius
  if (!(g <= margin[0])) return
  // midway to the plane
  const down = radius + 0.5 * g
  point[3 * count] = p[0] + R[2] * z - down * n[0]
  point[3 * count + 1] = p[1] + R[5] * z - down * n[1]
  point[3 * count + 2] = p[2] + R[8] * z - down * n[2]
  gap[count] = g
  manifold.feature[count] = feature
  manifold.count = count + 1
}

/** Adds the lowest point of an ellipsoid, E² n / |E n| below its centre: E has the radii, n is in the ellipsoid's axes. */
export function addEllipsoidPoint(collider: Collider, n: Float64Array, own: Float64Array, manifold: Manifold): void {
  const { radii: e } = collider
  const reach = Math.sqrt(e[0] * e[0] * own[0] * own[0] + e[1] * e[1] * own[1] * own[1] + e[2] * e[2] * own[2] * own[2])
  for (let k = 0; k < 3; k++) lowest[k] = (-e[k] * e[k] * own[k]) / reach
  addPoint(collider, n, own, lowest, 0, manifold)
}

const lowest = new Float64Array(3)

export function addVertices({ core, rounding, R, p }: Collider, n: Float64Array, own: Float64Array, manifold: Manifold): void {
  const { vertices } = core!
  const { point, gap, feature } = manifold
  const margin = manifold.margin[0]
  const nx = own[0]
  const ny = own[1]
  const nz = own[2]
  const height = own[3]
  let k = 0
  for (let i = 0; i < vertices.length; i += 3) {
    const x = vertices[i]
    const y = vertices[i + 1]
    const z = vertices[i + 2]
    const g = height + nx * x + ny * y + nz * z - rounding
    if (!(g <= margin)) continue
    const half = rounding + 0.5 * g
    point[3 * k] = p[0] + R[0] * x + R[1] * y + R[2] * z - half * n[0]
    point[3 * k + 1] = p[1] + R[3] * x + R[4] * y + R[5] * z - half * n[1]
    point[3 * k + 2] = p[2] + R[6] * x + R[7] * y + R[8] * z - half * n[2]
    gap[k] = g
    feature[k] = i / 3
    k++
  }
  manifold.count = k
}

/** Adds a point of the core, given in the shape's axes, or the lowest point of the ball around it, if it is within the margin. */
export function addPoint(
  { R, p, rounding }: Collider,
  n: Float64Array,
  own: Float64Array,
  local: Float64Array,
  feature: number,
  manifold: Manifold,
): void {
  const { point, gap, count, margin } = manifold
  const x = local[0]
  const y = local[1]
  const z = local[2]
  const g = own[3] + own[0] * x + own[1] * y + own[2] * z - rounding
  if (!(g <= margin[0])) return
  const half = rounding + 0.5 * g
  point[3 * count] = p[0] + R[0] * x + R[1] * y + R[2] * z - half * n[0]
  point[3 * count + 1] = p[1] + R[3] * x + R[4] * y + R[5] * z - half * n[1]
  point[3 * count + 2] = p[2] + R[6] * x + R[7] * y + R[8] * z - half * n[2]
  gap[count] = g
  manifold.feature[count] = feature
  manifold.count = count + 1
}

/** Reduces more than 8 points to the deepest and the extreme ones, projected along the normal, in directions fixed in the body. */
export function reduceHullPoints({ R }: Collider, manifold: Manifold): void {
  if (manifold.count <= maxHullPoints) return
  const { count, normal: n, point, gap, chosen } = manifold
  // the two body axes most nearly perpendicular to the normal, in world axes
  const along0 = Math.abs(R[0] * n[0] + R[3] * n[1] + R[6] * n[2])
  const along1 = Math.abs(R[1] * n[0] + R[4] * n[1] + R[7] * n[2])
  const along2 = Math.abs(R[2] * n[0] + R[5] * n[1] + R[8] * n[2])
  const skipped = along2 >= along0 && along2 >= along1 ? 2 : along1 >= along0 ? 1 : 0
  const a = skipped === 0 ? 1 : 0
  const b = skipped === 2 ? 1 : 2

  chosen.fill(0, 0, count)
  let deepest = 0
  for (let k = 1; k < count; k++) if (gap[k] < gap[deepest]) deepest = k
  chosen[deepest] = 1
  let kept = 1
  for (let d = 0; d < 8 && kept < maxHullPoints; d++) {
    // +a, -a, +b, -b, then the diagonals
    const ca = d < 4 ? (d === 0 ? 1 : d === 1 ? -1 : 0) : d & 1 ? -1 : 1
    const cb = d < 4 ? (d === 2 ? 1 : d === 3 ? -1 : 0) : d & 2 ? -1 : 1
    const x = ca * R[a] + cb * R[b]
    const y = ca * R[3 + a] + cb * R[3 + b]
    const z = ca * R[6 + a] + cb * R[6 + b]
    let best = 0
    let farthest = -Infinity
    for (let k = 0; k < count; k++) {
      const reach = point[3 * k] * x + point[3 * k + 1] * y + point[3 * k + 2] * z
      if (reach <= farthest) continue
      farthest = reach
      best = k
    }
    kept += 1 - chosen[best]
    chosen[best] = 1
  }

  keepChosen(manifold)
}

/** 2, in a cylinder's axes: the direction of steepest descent on its caps. */
const steepest = new Float64Array(2)
/** 3: a point in a cylinder's axes. */
const local = new Float64Array(3)

const cos120 = -0.5
const sin120 = Math.sqrt(0.75)

function addFeet(cylinder: Collider, n: Float64Array, manifold: Manifold): void {
  const { coreRadius: radius, halfLength } = cylinder
  steepestAgainst(own, steepest)
  const x = radius * steepest[0]
  const y = radius * steepest[1]
  local[0] = x
  local[1] = y
  local[2] = -halfLength
  addPoint(cylinder, n, own, local, rimFeature(-1, 0), manifold)
  local[2] = halfLength
  addPoint(cylinder, n, own, local, rimFeature(1, 0), manifold)
  const lower = own[2] > 0 ? -1 : 1
  local[2] = lower * halfLength
  local[0] = cos120 * x - sin120 * y
  local[1] = cos120 * y + sin120 * x
  addPoint(cylinder, n, own, local, rimFeature(lower, 1), manifold)
  local[0] = cos120 * x + sin120 * y
  local[1] = cos120 * y - sin120 * x
  addPoint(cylinder, n, own, local, rimFeature(lower, -1), manifold)
}
