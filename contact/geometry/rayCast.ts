import { type Collider, createCollider, placeCollider, placeCore } from './collider.ts'
import { type MeshTree, meshDistance, meshTreeOf } from './distance/meshDistance.ts'
import { place, signedDistance } from './distance/signedDistance.ts'
import { heightAt } from './mesh/heightField.ts'
import type { PlacedShape } from './placedShape.ts'
import type { HalfSpace, HeightField } from './shapes/index.ts'

/** Distance that counts as a hit [m]. */
const MET = 1e-9
/** Most steps of a ray; a grazing ray, whose steps become small, then counts as a miss. */
const MOST_STEPS = 500
/** Step over a height field, as a fraction of a cell. */
const PART_OF_CELL = 0.25

const identity = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
const zero = new Float64Array(3)

/**
 * Ray casting against one shape by sphere tracing (Hart 1996): steps of the distance to the shape, to 1 nm. Half-spaces have a closed form;
 * height fields are sampled at quarters of a cell, and the crossing is found by bisection.
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
  /** Distance along a ray over a height field [m]. */
  private readonly far = new Float64Array(1)

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
    for (let r = 0; r < 3; r++) {
      p[r] = p_WB[r]
      for (let c = 0; c < 3; c++) {
        p[r] += R_WB[3 * r + c] * placed.p[c]
        let sum = 0
        for (let k = 0; k < 3; k++) sum += R_WB[3 * r + k] * placed.R[3 * k + c]
        R[3 * r + c] = sum
      }
    }
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
    let far = 0
    for (let step = 0; step < MOST_STEPS && far <= out[i]; step++) {
      for (let k = 0; k < 3; k++) this.x[k] = origin[k] + far * direction[k]
      this.distance()
      const distance = this.out[0]
      if (distance < MET) {
        out[i] = far
        return
      }
      far += distance
    }
  }

  /** Writes the distance of `x` to the shape to out[0]. */
  private distance(): void {
    const { collider, tree, point, x, out } = this
    if (collider !== undefined) {
      placeCollider(point, identity, x, identity, zero)
      placeCore(point)
      signedDistance(point, collider, out)
    } else if (tree !== undefined) {
      this.intoShape()
      meshDistance(tree, this.local, out, this.feature)
    }
  }

  /** Writes `x` in the shape's axes to `local`. */
  private intoShape(): void {
    const { R, p, x, local } = this
    for (let c = 0; c < 3; c++) local[c] = R[c] * (x[0] - p[0]) + R[3 + c] * (x[1] - p[1]) + R[6 + c] * (x[2] - p[2])
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
    const { far } = this
    const stride = PART_OF_CELL * Math.min(field.spacing[0], field.spacing[1])
    for (far[0] = 0; far[0] <= out[i]; far[0] += stride) {
      if (!this.isBelow(field, origin, direction)) continue
      let below = far[0]
      let above = Math.max(0, below - stride)
      while (below - above > MET) {
        far[0] = (above + below) / 2
        if (this.isBelow(field, origin, direction)) below = far[0]
        else above = far[0]
      }
      out[i] = below
      return
    }
  }

  /** Whether the ray's point at distance `far` is below the field. */
  private isBelow(field: HeightField, origin: Float64Array, direction: Float64Array): boolean {
    for (let k = 0; k < 3; k++) this.x[k] = origin[k] + this.far[0] * direction[k]
    this.intoShape()
    heightAt(field, this.local, this.out)
    return this.local[2] <= this.out[0]
  }
}
