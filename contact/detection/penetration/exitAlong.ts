import type { MeshTree } from '../../geometry/index.ts'
import { uprightProduct } from '../../tolerances.ts'
import { FieldKind, type FieldShape, pointDistance } from '../manifold/fieldShape.ts'

/** 3: the direction of the line, unit, in the shape's axes. */
const direction = new Float64Array(3)
const x = new Float64Array(3)
const distance = new Float64Array(4)
const facet = new Int32Array(1)
/** Bisections of four times the extent, to less than the tolerance. */
const halvings = 34
/** Newton steps on a surface that the line crosses at an angle. */
const polishes = 2
const steep = 0.05
/** Newton steps on terrain; on a flat part one suffices. */
const maxSteps = 24

/**
 * Distance along a line from a point in or on a shape to the point where the line leaves it, disregarding surfaces parallel to the line: 0
 * if it leaves at once, 0 or less for points slightly outside.
 *
 * @param from      3, in the shape's axes [m]
 * @param way       unit direction in the shape's axes: `sign` times the 3 entries from `at`
 * @param tolerance its first entry: points outside by no more count as inside [m]
 * @param out       out, 1 [m]
 */
export function exitAlong(
  field: FieldShape,
  from: Float64Array,
  way: Float64Array,
  at: number,
  sign: number,
  tolerance: Float64Array,
  out: Float64Array,
): void {
  for (let k = 0; k < 3; k++) direction[k] = sign * way[at + k]
  if (field.polyhedral) exitPlanes(field, from, out)
  else if (field.kind === FieldKind.mesh) exitMesh(field.tree!, from, tolerance, out)
  else if (field.kind === FieldKind.heightfield) exitTerrain(field, from, tolerance, out)
  else exitRound(field, from, tolerance, out)
}

function exitPlanes({ facetNormals: n, facetOffsets }: FieldShape, from: Float64Array, out: Float64Array): void {
  let far = Infinity
  for (let f = 0; f < facetOffsets.length; f++) {
    const along = n[3 * f] * direction[0] + n[3 * f + 1] * direction[1] + n[3 * f + 2] * direction[2]
    if (!(along > uprightProduct)) continue
    const height = facetOffsets[f] - (n[3 * f] * from[0] + n[3 * f + 1] * from[1] + n[3 * f + 2] * from[2])
    far = Math.min(far, height / along)
  }
  out[0] = far
}

/** Distance is convex along a line, so the part within the tolerance is an interval. */
function exitRound(field: FieldShape, from: Float64Array, tolerance: Float64Array, out: Float64Array): void {
  let low = 0
  let high = 4 * field.halfExtent
  for (let step = 0; step < halvings; step++) {
    const t = 0.5 * (low + high)
    for (let k = 0; k < 3; k++) x[k] = from[k] + t * direction[k]
    pointDistance(field, x, distance, facet)
    if (distance[0] <= tolerance[0]) low = t
    else high = t
  }
  let far = low
  for (let step = 0; step < polishes; step++) {
    for (let k = 0; k < 3; k++) x[k] = from[k] + far * direction[k]
    pointDistance(field, x, distance, facet)
    const along = distance[1] * direction[0] + distance[2] * direction[1] + distance[3] * direction[2]
    far -= along > steep ? distance[0] / along : 0
  }
  out[0] = far
}

/** Newton's method: one step where terrain is flat, with steps back after overshoot. */
function exitTerrain(field: FieldShape, from: Float64Array, tolerance: Float64Array, out: Float64Array): void {
  let far = 0
  for (let step = 0; step < maxSteps; step++) {
    for (let k = 0; k < 3; k++) x[k] = from[k] + far * direction[k]
    pointDistance(field, x, distance, facet)
    if (!(Math.abs(distance[0]) < Infinity)) break
    const along = distance[1] * direction[0] + distance[2] * direction[1] + distance[3] * direction[2]
    far -= distance[0] / Math.max(along, steep)
    if (Math.abs(distance[0]) <= tolerance[0]) break
  }
  out[0] = far
}

const stack = new Int32Array(128)
/** Widening of triangles, relative to their size, so that no line passes between neighbours. */
const seam = 1e-9

/**
 * The first triangle through which the line leaves the solid. Moeller and Trumbore, Fast, Minimum Storage Ray/Triangle
 * Intersection (1997).
 */
function exitMesh(
  { bounds, links, corners, faceNormals: n }: MeshTree,
  from: Float64Array,
  tolerance: Float64Array,
  out: Float64Array,
): void {
  const dx = direction[0]
  const dy = direction[1]
  const dz = direction[2]
  let far = Infinity
  let depth = 1
  stack[0] = 0
  while (depth > 0) {
    const node = stack[--depth]
    // the part of the line in the node's box
    let begin = -tolerance[0]
    let end = far
    for (let k = 0; k < 3; k++) {
      const d = direction[k]
      const low = bounds[6 * node + k] - tolerance[0] - from[k]
      const high = bounds[6 * node + 3 + k] + tolerance[0] - from[k]
      if (d === 0) {
        if (low > 0 || high < 0) end = -Infinity
        continue
      }
      const s = low / d
      const t = high / d
      begin = Math.max(begin, Math.min(s, t))
      end = Math.min(end, Math.max(s, t))
    }
    if (begin > end) continue
    const first = links[2 * node]
    const count = links[2 * node + 1]
    if (count === 0) {
      stack[depth++] = first + 1
      stack[depth++] = first
      continue
    }
    for (let slot = first; slot < first + count; slot++) {
      const along = n[3 * slot] * dx + n[3 * slot + 1] * dy + n[3 * slot + 2] * dz
      if (!(along > uprightProduct)) continue
      const c = 9 * slot
      const ax = corners[c + 3] - corners[c]
      const ay = corners[c + 4] - corners[c + 1]
      const az = corners[c + 5] - corners[c + 2]
      const bx = corners[c + 6] - corners[c]
      const by = corners[c + 7] - corners[c + 1]
      const bz = corners[c + 8] - corners[c + 2]
      const px = dy * bz - dz * by
      const py = dz * bx - dx * bz
      const pz = dx * by - dy * bx
      const det = ax * px + ay * py + az * pz
      const sx = from[0] - corners[c]
      const sy = from[1] - corners[c + 1]
      const sz = from[2] - corners[c + 2]
      const u = (sx * px + sy * py + sz * pz) / det
      const qx = sy * az - sz * ay
      const qy = sz * ax - sx * az
      const qz = sx * ay - sy * ax
      const v = (dx * qx + dy * qy + dz * qz) / det
      if (!(u >= -seam && v >= -seam && u + v <= 1 + seam)) continue
      const t = (bx * qx + by * qy + bz * qz) / det
      if (t >= -tolerance[0] / along && t < far) far = t
    }
  }
  out[0] = far < Infinity ? far : 0
}
