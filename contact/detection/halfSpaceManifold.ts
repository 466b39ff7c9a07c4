import type { Collider } from '../geometry/index.ts'
import { type Manifold, take } from './manifold.ts'
import { lowerCap, rimFeature, rimPoint, steepestOnCap } from './rim.ts'

/** A hull keeps at most this many of its vertices within the margin. */
const maxHullPoints = 8

/**
 * Contact points of a shape above a half-space. The gap of a point is its height over the plane.
 *
 * - sphere: its lowest point (feature 0);
 * - capsule: the lowest points of its ends at -z and +z (0, 1);
 * - box: its corners, numbered as in `boxPolyhedron`;
 * - hull: its vertices, numbered as in the polyhedron; of more than 8, the deepest and those that span most along eight
 *   directions fixed in the body;
 * - cylinder: the lowest point of the rims at -z and +z (0, 1), and two more at 120 degrees on the lower of the two
 *   (2, 3 at -z; 4, 5 at +z). A wheel thus touches along one line, a standing cylinder on three feet.
 *
 * @param plane    4: outward unit normal and offset [m] in the world; solid where normal . x < offset
 * @param manifold out; its margin is read
 */
export function halfSpaceManifold(collider: Collider, plane: Float64Array, manifold: Manifold): void {
  const { shape } = collider
  manifold.count = 0
  manifold.normal[0] = plane[0]
  manifold.normal[1] = plane[1]
  manifold.normal[2] = plane[2]
  if (isAbove(collider, plane, manifold.margin)) return
  switch (shape.type) {
    case 'sphere':
      takeBall(collider, plane, 0, 0, manifold)
      break
    case 'capsule':
      takeBall(collider, plane, -1, 0, manifold)
      takeBall(collider, plane, 1, 1, manifold)
      break
    case 'box':
      takeVertices(collider, plane, manifold)
      break
    case 'hull':
      takeVertices(collider, plane, manifold)
      reduceHullPoints(collider, manifold)
      break
    case 'cylinder':
      takeCylinder(collider, plane, manifold)
  }
}

/** Whether the ball around the shape is higher than the margin. */
function isAbove({ centerW: c, radius }: Collider, n: Float64Array, margin: Float64Array): boolean {
  return n[0] * c[0] + n[1] * c[1] + n[2] * c[2] - n[3] - radius > margin[0]
}

/** The lowest point of the ball at the end `side` (-1, 1) of a capsule, or of a sphere (0). */
function takeBall(
  { R, p, halfLength, rounding: radius }: Collider,
  n: Float64Array,
  side: number,
  feature: number,
  manifold: Manifold,
): void {
  const z = side * halfLength
  const { point, gap, count } = manifold
  const x = p[0] + R[2] * z - radius * n[0]
  const y = p[1] + R[5] * z - radius * n[1]
  const w = p[2] + R[8] * z - radius * n[2]
  point[3 * count] = x
  point[3 * count + 1] = y
  point[3 * count + 2] = w
  gap[count] = n[0] * x + n[1] * y + n[2] * w - n[3]
  take(manifold, feature)
}

function takeVertices({ core, R, p }: Collider, n: Float64Array, manifold: Manifold): void {
  const { vertices } = core!
  const { point, gap, margin } = manifold
  // the plane in the shape's axes
  const nx = R[0] * n[0] + R[3] * n[1] + R[6] * n[2]
  const ny = R[1] * n[0] + R[4] * n[1] + R[7] * n[2]
  const nz = R[2] * n[0] + R[5] * n[1] + R[8] * n[2]
  const height = n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - n[3]
  for (let i = 0; i < vertices.length; i += 3) {
    const x = vertices[i]
    const y = vertices[i + 1]
    const z = vertices[i + 2]
    const g = height + nx * x + ny * y + nz * z
    if (g > margin[0]) continue
    const k = manifold.count
    point[3 * k] = p[0] + R[0] * x + R[1] * y + R[2] * z
    point[3 * k + 1] = p[1] + R[3] * x + R[4] * y + R[5] * z
    point[3 * k + 2] = p[2] + R[6] * x + R[7] * y + R[8] * z
    gap[k] = g
    take(manifold, i / 3)
  }
}

/** Of more than 8 points keeps the deepest and those that span most, seen along the normal, in directions fixed in the body. */
export function reduceHullPoints({ R }: Collider, manifold: Manifold): void {
  if (manifold.count <= maxHullPoints) return
  const { count, normal: n, point, gap, feature, chosen } = manifold
  // the two body axes least along the normal, as directions in the world
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

  let next = 0
  for (let k = 0; k < count; k++) {
    if (chosen[k] === 0) continue
    feature[next] = feature[k]
    gap[next] = gap[k]
    point[3 * next] = point[3 * k]
    point[3 * next + 1] = point[3 * k + 1]
    point[3 * next + 2] = point[3 * k + 2]
    next++
  }
  manifold.count = next
}

const steepest = new Float64Array(2)

function takeCylinder(cylinder: Collider, n: Float64Array, manifold: Manifold): void {
  steepestOnCap(cylinder, n, steepest)
  takeRim(cylinder, n, -1, 0, manifold)
  takeRim(cylinder, n, 1, 0, manifold)
  const lower = lowerCap(cylinder, n)
  takeRim(cylinder, n, lower, 1, manifold)
  takeRim(cylinder, n, lower, -1, manifold)
}

function takeRim(cylinder: Collider, n: Float64Array, side: number, third: number, manifold: Manifold): void {
  const { point, gap, count } = manifold
  rimPoint(cylinder, side, third, steepest, point, count)
  gap[count] = n[0] * point[3 * count] + n[1] * point[3 * count + 1] + n[2] * point[3 * count + 2] - n[3]
  take(manifold, rimFeature(side, third))
}
