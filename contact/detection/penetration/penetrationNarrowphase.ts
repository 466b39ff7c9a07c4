import type { Data } from '../../../dynamics/index.ts'
import { ContactSet } from '../../contactSet.ts'
import type { Collider, PlacedShape } from '../../geometry/index.ts'
import { areBallsApart, FieldKind, type FieldShape, fieldOfPlaced, hasInside, placeFieldShape } from '../manifold/fieldShape.ts'
import { type FlushSurfaces, flushFixtures } from '../manifold/flushSurfaces.ts'
import { createManifold, insertFeature, type Manifold } from '../manifold/manifold.ts'
import { ManifoldNarrowphase, manifoldCapacityOf } from '../manifold/manifoldNarrowphase.ts'
import type { PairMemory } from '../manifold/pairMemory.ts'
import type { PairMaterials } from '../materials.ts'
import type { Narrowphase, NarrowphaseScene, ShapePair } from '../narrowphase.ts'
import { appendManifold } from '../pairContacts.ts'
import { halfSpaceBottom } from './halfSpaceBottom.ts'
import { PenetrationQuery, penaltyMemorySize, penaltyReading } from './penetrationQuery.ts'

const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const zero = new Float64Array(3)

/**
 * Penetration query of Drumwright's penalty method: the points on the bottom of the volume of intersection, with one normal and their
 * depths (`penaltyReading`; against half-spaces in closed form, `halfSpaceBottom`). Only penetrating points are found, at any horizon. A
 * robot's mesh may collide with any shape. Hulls without volume, and pairs of spheres, use their manifold.
 */
export class PenetrationNarrowphase implements Narrowphase {
  readonly looksAhead = false
  readonly memorySize: number = penaltyMemorySize
  /** Robot shapes, then fixtures; undefined for shapes without an inside and those in pairs only with half-spaces. */
  readonly #fields: readonly (FieldShape | undefined)[]
  /** Moving shapes without a collider whose placement they could share. */
  readonly #meshes: readonly { readonly field: FieldShape; readonly placed: PlacedShape }[]
  readonly #colliders: readonly Collider[]
  readonly #materials: PairMaterials
  readonly #manifolds: ManifoldNarrowphase
  /** Per fixture with triangles: what is flush with it. */
  protected readonly flush: readonly (FlushSurfaces | undefined)[]
  readonly #reading = new PenetrationQuery()
  readonly #steiner: boolean
  /** Of a half-space, whose facet is known: the memory of no pair. */
  readonly #ofPlane = new Float64Array(penaltyMemorySize)
  readonly #onPlane: Manifold
  /** Replaced by a larger one when the bottom has more points. */
  #manifold: Manifold

  /**
   * @param steiner as of `penaltyReading`, of half-spaces too
   * @throws GeometryError with the name of the shape if a mesh does not bound a solid
   */
  constructor(scene: NarrowphaseScene, steiner = false) {
    this.#steiner = steiner
    const { placed, colliders, robotShapes, materials, maxPoints } = scene
    this.#fields = placed.map((one, i) => (steiner || scene.meetsBounded(i) ? fieldOfPlaced(one, colliders[i]) : undefined))
    this.#meshes = placed.flatMap((one, i) => {
      const field = this.#fields[i]
      if (field === undefined || field.collider !== undefined) return []
      if (i < robotShapes) return [{ field, placed: one }]
      placeFieldShape(field, identity, zero, one.R, one.p)
      return []
    })
    this.#colliders = colliders
    this.#materials = materials
    this.#manifolds = new ManifoldNarrowphase(scene, { surfaces: !placed.slice(0, robotShapes).every(hasInside), concave: false })
    const flush = flushFixtures(placed.slice(robotShapes))
    this.flush = placed.map((_, i) => flush[i - robotShapes])
    this.#onPlane = createManifold(manifoldCapacityOf(colliders, robotShapes), maxPoints)
    this.#manifold = createManifold(64, maxPoints)
  }

  remembers(): boolean {
    return true
  }

  createContacts(): ContactSet {
    return new ContactSet()
  }

  /** Places the shapes that share no collider's placement. */
  begin({ R_WB, p_WB }: Data): void {
    for (let k = 0; k < this.#meshes.length; k++) {
      const { field, placed } = this.#meshes[k]
      placeFieldShape(field, R_WB[placed.body], p_WB[placed.body], placed.R, placed.p)
    }
  }

  readHalfSpace(pair: ShapePair, plane: Float64Array, contacts: ContactSet): void {
    const a = this.#fields[pair.a]
    const b = this.#fields[pair.b]
    if (this.#steiner && a !== undefined && b?.stationCount === 0) {
      this.#ofPlane.fill(0)
      this.#readBottom(a, b, this.#ofPlane, 0)
      appendManifold(this.#manifold, pair, this.#materials, contacts)
      return
    }
    halfSpaceBottom(this.#colliders[pair.b], plane, this.#onPlane)
    appendManifold(this.#onPlane, pair, this.#materials, contacts)
  }

  read(pair: ShapePair, memory: PairMemory, contacts: ContactSet): void {
    const a = this.#fields[pair.a]
    const b = this.#fields[pair.b]
    // two spheres have one point by either query
    if (a === undefined || b === undefined || (a.kind === FieldKind.sphere && b.kind === FieldKind.sphere)) {
      this.#manifolds.readCold(pair, contacts)
      return
    }
    const at = memory.open(pair.number)
    this.#readBottom(a, b, memory.values, at)
    memory.close()
    this.flush[pair.a]?.dropDeep(this.#manifold, this.#colliders[pair.b])
    if (this.flush[pair.a]?.buriesAll(-1, this.#manifold, this.#colliders[pair.b])) return
    appendManifold(this.#manifold, pair, this.#materials, contacts)
  }

  /** Writes the points on the bottom of the volume of intersection, in the order of their features; none if apart. */
  #readBottom(a: FieldShape, b: FieldShape, memory: Float64Array, at: number): void {
    const reading = this.#reading
    if (areBallsApart(a, b)) {
      memory[at] = 0
      this.#manifold.count = 0
      return
    }
    penaltyReading(a, b, memory, at, reading, this.#steiner)
    const { bottomCount, bottomDepth, bottomMiddle, bottomSide, bottomFeature } = reading
    if (bottomCount > this.#manifold.feature.length) this.#manifold = createManifold(2 * bottomCount, this.#manifold.limit)
    const manifold = this.#manifold
    const { gap, point, normal } = manifold
    manifold.count = 0
    for (let d = 0; d < 3; d++) normal[d] = reading.normal[d]
    for (let k = 0; k < bottomCount; k++) {
      // points outside by rounding touch, at depth 0
      if (!(bottomDepth[k] >= 0)) continue
      const c = insertFeature(manifold, featureNumber(bottomFeature[k], bottomSide[k]))
      gap[c] = 0 - bottomDepth[k]
      for (let d = 0; d < 3; d++) point[3 * c + d] = bottomMiddle[3 * k + d]
    }
  }
}

/** Feature number, unique and not negative: vertices and running points of both shapes, crossings, and the closest features. */
function featureNumber(feature: number, side: number): number {
  if (feature === -1) return 2
  return feature >= 0 ? 4 * feature + side : 4 * (-2 - feature) + 6 + side
}
