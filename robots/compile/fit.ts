import { type Shape, solidOf, supportPoint } from '../../contact/geometry/index.ts'
import { cos, sin } from '../../dynamics/index.ts'
import type { GeometryDescription } from '../description.ts'
import { eigenSymmetric3 } from './massProperties.ts'
import { identityPose, type Pose } from './pose.ts'

/** A primitive shape in place of a hull, in the hull's axes. */
export interface Fit {
  readonly geometry: Exclude<GeometryDescription, { type: 'mesh' | 'ellipsoid' | 'points' }>
  readonly pose: Pose
  /** Hausdorff distance between the two [m], and of the hull's largest extent. */
  readonly deviation: number
  readonly relative: number
}

/** Half the width of a hull along three axes, and the middle between its ends. */
interface Extents {
  readonly half: readonly number[]
  readonly middle: readonly number[]
}

/**
 * The cylinder, sphere, capsule or box that is nearest to a convex hull, along its principal axes; none if its distance is above
 * `mostRelative` of the hull's largest extent. The Hausdorff distance of convex shapes is the largest difference of their support
 * functions over all directions, here over a spiral of 1,000.
 */
export function fitOf(hull: Extract<Shape, { type: 'hull' }>, mostRelative: number): Fit | undefined {
  const { volume, inertia } = solidOf(hull)
  if (!(volume > 0)) return undefined
  const { vectors } = eigenSymmetric3(inertia)
  const size = Math.max(...extentsOf(hull, identityPose().R).half) * 2
  const reaches = new Float64Array(directions).fill(Number.NaN)
  const reachOfHull = (n: number) => {
    if (Number.isNaN(reaches[n])) reaches[n] = reach(hull, place)
    return reaches[n]
  }
  let best: Fit | undefined
  for (let axis = 0; axis < 3; axis++) {
    const R = axesWith(vectors, axis)
    const { half, middle } = extentsOf(hull, R)
    const p = Float64Array.from([0, 1, 2], (r) => R[3 * r] * middle[0] + R[3 * r + 1] * middle[1] + R[3 * r + 2] * middle[2])
    const radius = (half[0] + half[1]) / 2
    const candidates: Fit['geometry'][] = [{ type: 'cylinder', radius, length: 2 * half[2] }]
    if (half[2] > 1.05 * radius) candidates.push({ type: 'capsule', radius, length: 2 * (half[2] - radius) })
    if (axis === 0) {
      candidates.push({ type: 'sphere', radius: (half[0] + half[1] + half[2]) / 3 })
      candidates.push({ type: 'box', size: [2 * half[0], 2 * half[1], 2 * half[2]] })
    }
    for (const geometry of candidates) {
      const deviation = distance(reachOfHull, geometry, { R, p }, best?.deviation ?? mostRelative * size)
      if (deviation !== undefined) best = { geometry, pose: { R, p }, deviation, relative: deviation / size }
    }
  }
  return best
}

/** The axes in the columns, turned round so that one of them is z, and right-handed. */
function axesWith(vectors: Float64Array, axis: number): Float64Array {
  const column = (k: number) => [0, 1, 2].map((r) => vectors[3 * r + k])
  const [x, z] = [column((axis + 1) % 3), column(axis)]
  const y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]]
  return Float64Array.of(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
}

const place = identityPose()
const direction = new Float64Array(3)
const point = new Float64Array(3)

function reach(shape: Shape, { R, p }: Pose): number {
  supportPoint(shape, R, p, direction, point)
  return point[0] * direction[0] + point[1] * direction[1] + point[2] * direction[2]
}

function extentsOf(hull: Shape, R: Float64Array): Extents {
  const half: number[] = []
  const middle: number[] = []
  for (let k = 0; k < 3; k++) {
    for (let r = 0; r < 3; r++) direction[r] = R[3 * r + k]
    const high = reach(hull, place)
    for (let r = 0; r < 3; r++) direction[r] = -R[3 * r + k]
    const low = -reach(hull, place)
    half.push((high - low) / 2)
    middle.push((high + low) / 2)
  }
  return { half, middle }
}

const goldenAngle = Math.PI * (3 - Math.sqrt(5))
const directions = 1000
const spiral = Array.from({ length: directions }, (_, n) => {
  const z = 1 - (2 * n + 1) / directions
  const level = Math.sqrt(1 - z * z)
  return [level * cos(n * goldenAngle), level * sin(n * goldenAngle), z]
})

/** Stride along the spiral that soon covers all directions: few are enough to reject most shapes. */
const stride = 377

/**
 * None if it is `limit` or more.
 *
 * @param reachOfHull support of the hull in a direction of the spiral, which is in `direction`
 */
function distance(reachOfHull: (n: number) => number, geometry: Fit['geometry'], pose: Pose, limit: number): number | undefined {
  let most = 0
  for (let i = 0; i < directions; i++) {
    const n = (i * stride) % directions
    direction.set(spiral[n])
    most = Math.max(most, Math.abs(reachOfHull(n) - reach(geometry, pose)))
    if (!(most < limit)) return undefined
  }
  return most
}
