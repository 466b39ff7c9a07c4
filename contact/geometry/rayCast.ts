import { mulMatrix3, place3, rotateTransposed3 } from '../../dynamics/index.ts'
import { type Collider, createCollider, placeCollider, placeCore } from './collider.ts'
import { type MeshTree, meshDistance, meshTreeOf } from './distance/meshDistance.ts'
import { place, signedDistance } from './distance/signedDistance.ts'
import { heightAt } from './mesh/heightField.ts'
import type { PlacedShape } from './placedShape.ts'
import type { HalfSpace, HeightField } from './shapes/index.ts'

/** Distance that counts as a hit [m]. */
const MET = 1e-9
/** Most steps of a ray towards a convex shape: one for a plane face, and a dozen for a curved one. */
const MOST_STEPS = 500
/** Overlap of neighbouring triangles, in barycentric coordinates, so that a ray along their common edge meets one of them. */
const SEAM = 1e-12

const identity = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
const zero = new Float64Array(3)

/**
 * Ray casting against one shape, at any angle. Convex shapes: steps to the plane that separates the ray's point from the shape, to 1 nm (van
 * den Bergen, Ray casting against general convex objects with application to continuous collision detection, 2004). Meshes: the first triangle
 * (Moeller and Trumbore 1997). Half-spaces have a closed form; over a height field the height above it is linear between the lines of its
 * triangles. @unchecked
 */
export class RayTarget {
  private readonly placed: PlacedShape
  private readonly collider: Collider | undefined
  private readonly tree: MeshTree | undefined
  private readonly point = createCollider({ type: 'sphere', radius: 0 })
  private readonly R = new Float64Array(9)
  private readonly p = new Float64Array(3)
  private readonly x = new Float64Array(3)
  private readonly local = new Float64Array(3)
  private readonly out = new Float64Array(10)
  private readonly feature = new Int32Array(2)
  /** 3: a ray's direction in the shape's axes. */
  private readonly along = new Float64Array(3)
  /** 3: the start of the last ray, in the mesh's axes; and whether it is inside. */
  private readonly from = new Float64Array(3).fill(NaN)
  private startsInside = false
  /** Nodes of the tree to visit. */
  private readonly stack = new Int32Array(128)
  /** 3, over a height field: lines along y, along x and diagonals passed since the start of a ray, and the distances of the next ones. */
  private readonly line = new Float64Array(3)
  private readonly next = new Float64Array(3)

  constructor(placed: PlacedShape) {
    const { shape } = placed
    this.placed = placed
    if (shape.type === 'mesh') this.tree = meshTreeOf(shape.mesh)
    else if (shape.type !== 'heightfield' && shape.type !== 'halfspace') this.collider = createCollider(shape)
  }

  /** Places the shape. @param R_WB 9, row-major, and `p_WB` 3: its body's pose in the world */
  place(R_WB: Float64Array, p_WB: Float64Array): void {
    const { placed, collider, R, p } = this
    if (collider !== undefined) place(collider, R_WB, p_WB, placed)
    mulMatrix3(R, R_WB, placed.R)
    place3(p, R_WB, p_WB, placed.p)
  }

  /**
   * Shortens out[i], the length of a ray, to its hit with the shape; 0 from inside [m].
   *
   * @param origin 3 [m] @param direction 3, a unit vector, in world axes
   */
  cast(origin: Float64Array, direction: Float64Array, out: Float64Array, i: number): void {
    if (this.placed.shape.type === 'heightfield') {
      this.over(this.placed.shape, origin, direction, out, i)
      return
    }
    if (this.placed.shape.type === 'halfspace') {
      this.onto(this.placed.shape, origin, direction, out, i)
      return
    }
    if (this.tree !== undefined) {
      this.into(this.tree, origin, direction, out, i)
      return
    }
    const { collider, point, x, out: found } = this
    if (collider === undefined) return
    let far = 0
    for (let step = 0; step < MOST_STEPS && far <= out[i]; step++) {
      for (let k = 0; k < 3; k++) x[k] = origin[k] + far * direction[k]
      placeCollider(point, identity, x, identity, zero)
      placeCore(point)
      signedDistance(point, collider, found)
      const distance = found[0]
      if (distance < MET) {
        out[i] = far
        return
      }
      const closing = found[1] * direction[0] + found[2] * direction[1] + found[3] * direction[2]
      if (!(closing > 0)) return
      far += distance / closing
    }
  }

  private into(tree: MeshTree, origin: Float64Array, direction: Float64Array, out: Float64Array, i: number): void {
    const { local, along, out: start, stack, from } = this
    this.intoShape(origin, direction)
    // rays mostly start at one point
    if (from[0] !== local[0] || from[1] !== local[1] || from[2] !== local[2]) {
      from.set(local)
      meshDistance(tree, local, start, this.feature)
      this.startsInside = start[0] < MET
    }
    if (this.startsInside) {
      out[i] = 0
      return
    }
    const { bounds, links, corners } = tree
    let depth = 1
    stack[0] = 0
    while (depth > 0) {
      const node = stack[--depth]
      if (!reaches(bounds, 6 * node, local, along, out[i])) continue
      const first = links[2 * node]
      const count = links[2 * node + 1]
      if (count === 0) {
        stack[depth++] = first
        stack[depth++] = first + 1
      }
      for (let slot = first; slot < first + count; slot++) hitTriangle(corners, 9 * slot, local, along, out, i)
    }
  }

  /** Writes a ray's origin and direction in the shape's axes to `local` and `along`. */
  private intoShape(origin: Float64Array, direction: Float64Array): void {
    const { R, p, local, along } = this
    for (let d = 0; d < 3; d++) local[d] = origin[d] - p[d]
    rotateTransposed3(local, R, local)
    rotateTransposed3(along, R, direction)
  }

  private onto({ normal, offset }: HalfSpace, origin: Float64Array, direction: Float64Array, out: Float64Array, i: number): void {
    const { R, p } = this
    let height = -offset
    let falling = 0
    for (let r = 0; r < 3; r++) {
      const n = R[3 * r] * normal[0] + R[3 * r + 1] * normal[1] + R[3 * r + 2] * normal[2]
      height += n * (origin[r] - p[r])
      falling -= n * direction[r]
    }
    if (height <= 0) out[i] = 0
    else if (height < falling * out[i]) out[i] = height / falling
  }

  private over(field: HeightField, origin: Float64Array, direction: Float64Array, out: Float64Array, i: number): void {
    const { local, along, next } = this
    this.intoShape(origin, direction)
    let far = 0
    let end = out[i]
    for (let k = 0; k < 2; k++) {
      const half = 0.5 * field.spacing[k] * ((k === 0 ? field.columns : field.rows) - 1)
      if (along[k] === 0 && Math.abs(local[k]) > half) return
      if (along[k] === 0) continue
      far = Math.max(far, (-Math.sign(along[k]) * half - local[k]) / along[k])
      end = Math.min(end, (Math.sign(along[k]) * half - local[k]) / along[k])
    }
    if (!(far <= end)) return
    this.beginLines(field, far)
    let height = this.heightOver(field, far)
    while (height > 0 && far < end) {
      const before = far
      const above = height
      far = Math.min(next[0], next[1], next[2], end)
      height = this.heightOver(field, far)
      for (let k = 0; k < 3; k++) if (next[k] <= far) this.passLine(field, k)
      if (height <= 0) far = before + ((far - before) * above) / (above - height)
    }
    if (height <= 0) out[i] = far
  }

  /** Height of the ray's point at distance `far` above the field [m]. */
  private heightOver(field: HeightField, far: number): number {
    const { local, along, x, out } = this
    for (let k = 0; k < 3; k++) x[k] = local[k] + far * along[k]
    for (let k = 0; k < 2; k++) {
      const half = 0.5 * field.spacing[k] * ((k === 0 ? field.columns : field.rows) - 1)
      x[k] = Math.min(half, Math.max(-half, x[k]))
    }
    heightAt(field, x, out)
    return x[2] - out[0]
  }

  private beginLines(field: HeightField, far: number): void {
    for (let k = 0; k < 3; k++) {
      const rate = this.rateAcross(field, k)
      const at = this.placeAcross(field, k) + far * rate
      this.line[k] = rate > 0 ? Math.floor(at) : Math.ceil(at)
      this.passLine(field, k)
    }
  }

  /** Sets the distance of the next line of family k: of constant x, of constant y, and diagonals, where their difference in cells is constant. */
  private passLine(field: HeightField, k: number): void {
    const rate = this.rateAcross(field, k)
    this.line[k] += Math.sign(rate)
    this.next[k] = rate === 0 ? Infinity : (this.line[k] - this.placeAcross(field, k)) / rate
  }

  /** Position across the lines of family k at the start of the ray, in cells. */
  private placeAcross({ spacing, columns, rows }: HeightField, k: number): number {
    const u = this.local[0] / spacing[0] + 0.5 * (columns - 1)
    const v = this.local[1] / spacing[1] + 0.5 * (rows - 1)
    return k === 0 ? u : k === 1 ? v : u - v
  }

  /** Cells of that a metre of the ray. */
  private rateAcross({ spacing }: HeightField, k: number): number {
    const u = this.along[0] / spacing[0]
    const v = this.along[1] / spacing[1]
    return k === 0 ? u : k === 1 ? v : u - v
  }
}

/** Whether a ray of this length meets the box bounds[at..at+5]. */
function reaches(bounds: Float64Array, at: number, origin: Float64Array, along: Float64Array, length: number): boolean {
  let from = 0
  let to = length
  for (let k = 0; k < 3; k++) {
    const low = bounds[at + k] - origin[k]
    const high = bounds[at + 3 + k] - origin[k]
    if (along[k] === 0) {
      if (low > 0 || high < 0) return false
    } else {
      from = Math.max(from, Math.min(low / along[k], high / along[k]))
      to = Math.min(to, Math.max(low / along[k], high / along[k]))
    }
  }
  return from <= to * (1 + SEAM) + MET
}

/** Shortens out[i] to where the ray meets the triangle at corners[c..c+8]. */
function hitTriangle(P: Float64Array, c: number, o: Float64Array, d: Float64Array, out: Float64Array, i: number): void {
  const ux = P[c + 3] - P[c]
  const uy = P[c + 4] - P[c + 1]
  const uz = P[c + 5] - P[c + 2]
  const vx = P[c + 6] - P[c]
  const vy = P[c + 7] - P[c + 1]
  const vz = P[c + 8] - P[c + 2]
  // x = o - corner = a u + b v - far d, and n = u x v
  const x = o[0] - P[c]
  const y = o[1] - P[c + 1]
  const z = o[2] - P[c + 2]
  const nx = uy * vz - uz * vy
  const ny = uz * vx - ux * vz
  const nz = ux * vy - uy * vx
  const falling = -(nx * d[0] + ny * d[1] + nz * d[2])
  if (falling === 0) return
  const sx = y * d[2] - z * d[1]
  const sy = z * d[0] - x * d[2]
  const sz = x * d[1] - y * d[0]
  const a = (vx * sx + vy * sy + vz * sz) / falling
  const b = -(ux * sx + uy * sy + uz * sz) / falling
  if (!(a >= -SEAM && b >= -SEAM && a + b <= 1 + SEAM)) return
  const far = (nx * x + ny * y + nz * z) / falling
  if (far >= 0 && far < out[i]) out[i] = far
}
