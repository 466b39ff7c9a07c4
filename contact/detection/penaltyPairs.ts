import type { Data } from '../../dynamics/index.ts'
import { type Collider, GeometryError, type PlacedShape } from '../geometry/index.ts'
import { createFieldShape, FieldKind, type FieldShape, placeFieldShape } from './fieldShape.ts'
import { createManifold, type Manifold } from './manifold.ts'
import { PenaltyReading, penaltyReading } from './penaltyReading.ts'

const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const zero = new Float64Array(3)

/** The shapes of a world as the penalty reading takes them, and what it reads of two of them as a manifold. */
export class PenaltyPairs {
  /** Robot shapes, then fixtures; undefined for those that have no inside and those that are not asked for. */
  readonly #fields: readonly (FieldShape | undefined)[]
  /** Shapes that move and have a place of their own. */
  readonly #meshes: readonly { readonly field: FieldShape; readonly placed: PlacedShape }[]
  readonly #reading = new PenaltyReading()
  readonly #limit: number
  #manifold: Manifold

  /**
   * @param colliders of robot shapes, then of fixtures, which are placed; their places are shared
   * @param wanted    per shape: whether it may meet anything but a half-space
   * @param limit     of points of a pair
   * @throws GeometryError that names the shape if a mesh does not bound a solid
   */
  constructor(
    shapes: readonly PlacedShape[],
    fixtures: readonly PlacedShape[],
    colliders: readonly Collider[],
    wanted: (shape: number) => boolean,
    limit: number,
  ) {
    this.#fields = [...shapes, ...fixtures].map((placed, i) => (wanted(i) ? fieldOf(placed, colliders[i]) : undefined))
    this.#meshes = shapes.flatMap((placed, i) => {
      const field = this.#fields[i]
      return field !== undefined && field.collider === undefined ? [{ field, placed }] : []
    })
    fixtures.forEach(({ R, p }, j) => {
      const field = this.#fields[shapes.length + j]
      if (field !== undefined && field.collider === undefined) placeFieldShape(field, identity, zero, R, p)
    })
    this.#limit = limit
    this.#manifold = createManifold(64, limit)
  }

  /** Whether the reading is asked: it knows both, and they are no two spheres, which have one point however they are read. */
  has(a: number, b: number): boolean {
    const fieldA = this.#fields[a]
    const fieldB = this.#fields[b]
    if (fieldA === undefined || fieldB === undefined) return false
    return !(fieldA.kind === FieldKind.sphere && fieldB.kind === FieldKind.sphere)
  }

  /** Puts the shapes that share no collider's place where they are. */
  place({ R_WB, p_WB }: Data): void {
    for (let k = 0; k < this.#meshes.length; k++) {
      const { field, placed } = this.#meshes[k]
      placeFieldShape(field, R_WB[placed.body], p_WB[placed.body], placed.R, placed.p)
    }
  }

  /**
   * The points on the bottom of the volume in which two shapes overlap, in the order of their features; none when apart.
   *
   * @param memory in and out: `penaltyMemorySize` entries from `at` on
   */
  read(a: number, b: number, memory: Float64Array, at: number): Manifold {
    const reading = this.#reading
    const fieldA = this.#fields[a]!
    const fieldB = this.#fields[b]!
    if (areApart(fieldA, fieldB)) {
      memory[at] = 0
      this.#manifold.count = 0
      return this.#manifold
    }
    penaltyReading(fieldA, fieldB, memory, at, reading)
    const { bottomCount, bottomDepth, bottomMiddle, bottomSide, bottomFeature } = reading
    if (bottomCount > this.#manifold.feature.length) this.#manifold = createManifold(2 * bottomCount, this.#limit)
    const manifold = this.#manifold
    const { feature, gap, point, normal } = manifold
    for (let d = 0; d < 3; d++) normal[d] = reading.normal[d]
    let count = 0
    for (let k = 0; k < bottomCount; k++) {
      // what is outside by no more than rounding touches and is not deep
      if (!(bottomDepth[k] >= 0)) continue
      const number = featureNumber(bottomFeature[k], bottomSide[k])
      let c = count++
      for (; c > 0 && feature[c - 1] > number; c--) {
        feature[c] = feature[c - 1]
        gap[c] = gap[c - 1]
        for (let d = 0; d < 3; d++) point[3 * c + d] = point[3 * c - 3 + d]
      }
      feature[c] = number
      gap[c] = 0 - bottomDepth[k]
      for (let d = 0; d < 3; d++) point[3 * c + d] = bottomMiddle[3 * k + d]
    }
    manifold.count = count
    return manifold
  }
}

/** Whether the balls around two convex shapes are. */
function areApart({ collider: a }: FieldShape, { collider: b }: FieldShape): boolean {
  if (a === undefined || b === undefined) return false
  const x = b.centerW[0] - a.centerW[0]
  const y = b.centerW[1] - a.centerW[1]
  const z = b.centerW[2] - a.centerW[2]
  const reach = a.radius + b.radius
  return x * x + y * y + z * z > reach * reach
}

/** Of both shapes' vertices and running points, crossings, and the closest features: no two alike, none negative. */
function featureNumber(feature: number, side: number): number {
  if (feature === -1) return 2
  return feature >= 0 ? 4 * feature + side : 4 * (-2 - feature) + 6 + side
}

/** A hull without volume has no inside. */
export function hasInside({ shape }: PlacedShape): boolean {
  return shape.type !== 'hull' || shape.polyhedron.faces.length >= 4
}

function fieldOf(placed: PlacedShape, collider: Collider): FieldShape | undefined {
  if (!hasInside(placed)) return undefined
  const { shape, name } = placed
  const shared = shape.type === 'mesh' || shape.type === 'heightfield' ? undefined : collider
  try {
    return createFieldShape(shape, {}, shared)
  } catch (error) {
    if (error instanceof GeometryError) throw new GeometryError(`shape "${name}": ${error.message}`)
    throw error
  }
}
