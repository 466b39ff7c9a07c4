import { grown } from '../../grown.ts'
import { insertFeature, type Manifold, reduceManifold } from '../manifold/manifold.ts'

/** Normals count as equal when 1 - cos of the angle between them is below this. */
const sameNormal = 1e-6
/** Distance within which points count as equal, relative to the extent. */
const samePoint = 1e-6

/** Most points of one normal. */
export const mostOfNormal = 8

/** Contact points of two shapes with several normals, grouped by normal. Grows, but allocates nothing in a steady scene. */
export class PointsByNormal {
  /** Number of different normals. */
  normalCount = 0
  /** 1: extent of the touching shape [m]; points within a millionth of it count as one. */
  readonly extent = new Float64Array(1)
  #count = 0
  #feature = new Int32Array(64)
  #group = new Int32Array(64)
  #point = new Float64Array(192)
  #gap = new Float64Array(64)
  #normal = new Float64Array(192)

  clear(): void {
    this.#count = 0
    this.normalCount = 0
  }

  /**
   * Adds a point unless an equal one with the same normal is present.
   *
   * @param gap   its k-th entry; likewise 3 entries from 3 k on of `point` [m]
   * @param normal 3, unit
   */
  add(feature: number, gap: Float64Array, point: Float64Array, k: number, normal: Float64Array): void {
    let group = 0
    for (; group < this.normalCount; group++) {
      const g = 3 * group
      const cosine = this.#normal[g] * normal[0] + this.#normal[g + 1] * normal[1] + this.#normal[g + 2] * normal[2]
      if (cosine > 1 - sameNormal) break
    }
    const near = samePoint * this.extent[0]
    for (let j = 0; j < this.#count; j++) {
      if (this.#group[j] !== group) continue
      const x = this.#point[3 * j] - point[3 * k]
      const y = this.#point[3 * j + 1] - point[3 * k + 1]
      const z = this.#point[3 * j + 2] - point[3 * k + 2]
      if (Math.abs(x) + Math.abs(y) + Math.abs(z) <= near) return
    }
    if (this.#count === this.#gap.length) this.#grow()
    if (group === this.normalCount) {
      this.normalCount++
      for (let d = 0; d < 3; d++) this.#normal[3 * group + d] = normal[d]
    }
    const c = this.#count++
    this.#feature[c] = feature
    this.#group[c] = group
    this.#gap[c] = gap[k]
    for (let d = 0; d < 3; d++) this.#point[3 * c + d] = point[3 * k + d]
  }

  /**
   * Copies the points of one normal into a manifold, in the order of their features, and reduces them; of equal points those with lower
   * features are kept.
   */
  take(group: number, manifold: Manifold): void {
    const { feature, gap, point, normal } = manifold
    manifold.count = 0
    for (let d = 0; d < 3; d++) normal[d] = this.#normal[3 * group + d]
    for (let k = 0; k < this.#count; k++) {
      if (this.#group[k] !== group || manifold.count === feature.length) continue
      const c = insertFeature(manifold, this.#feature[k])
      gap[c] = this.#gap[k]
      for (let d = 0; d < 3; d++) point[3 * c + d] = this.#point[3 * k + d]
    }
    reduceManifold(manifold)
  }

  #grow(): void {
    const room = 2 * this.#gap.length
    this.#feature = grown(this.#feature, room)
    this.#group = grown(this.#group, room)
    this.#gap = grown(this.#gap, room)
    this.#point = grown(this.#point, 3 * room)
    this.#normal = grown(this.#normal, 3 * room)
  }
}
