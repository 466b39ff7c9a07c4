import { ContactSet } from '../contactSet.ts'
import type { Collider, PlacedShape } from '../geometry/index.ts'
import {
  convexManifold,
  convexManifoldWarm,
  createManifoldScratch,
  type ManifoldScratch,
  manifoldMemorySize,
} from './convexManifold.ts'
import { halfSpaceManifold } from './halfSpaceManifold.ts'
import { createManifold, type Manifold } from './manifold.ts'
import type { PairMaterials } from './materials.ts'
import type { Narrowphase, NarrowphaseScene, ShapePair } from './narrowphase.ts'
import { appendManifold } from './pairContacts.ts'
import type { PairMemory } from './pairMemory.ts'
import { mostOfNormal, SurfaceContacts } from './surfaceContacts.ts'

/** More points than a pair makes beyond the vertices of both shapes and the crossings of their edges. */
const manifoldCapacity = 32

/**
 * Points that stand for the whole contact, apart or not, with the normal of the minimum translation. Robot shapes may be spheres,
 * capsules, boxes, cylinders and hulls; against half-spaces also meshes, which touch them as their hulls do. Fixtures may be
 * half-spaces, the same convex shapes, closed meshes and height fields; on the latter two, pairs have points of several
 * normals (`SurfaceContacts`).
 */
export class ManifoldNarrowphase implements Narrowphase {
  readonly looksAhead = true
  readonly meshPartners = 'half-spaces alone'
  readonly memorySize = manifoldMemorySize
  readonly #colliders: readonly Collider[]
  readonly #materials: PairMaterials
  /** Per shape: its triangles, of fixed meshes and height fields, whose collider means nothing. */
  readonly #surfaces: readonly (SurfaceContacts | undefined)[]
  readonly #bounds: Float64Array
  readonly #manifold: Manifold
  /** Of one normal of a surface. */
  readonly #ofNormal: Manifold
  readonly #scratch: ManifoldScratch

  /** @param withSurfaces whether fixed meshes and height fields are read */
  constructor({ placed, colliders, robotShapes, bounds, materials, maxPoints }: NarrowphaseScene, withSurfaces = true) {
    const capacity = manifoldCapacityOf(colliders, robotShapes)
    let radius = 0
    for (let i = 0; i < robotShapes; i++) radius = Math.max(radius, colliders[i].radius)
    this.#colliders = colliders
    this.#materials = materials
    this.#bounds = bounds
    this.#manifold = createManifold(capacity, maxPoints)
    this.#ofNormal = createManifold(capacity, Math.min(maxPoints, mostOfNormal))
    this.#scratch = createManifoldScratch(capacity)
    this.#surfaces = placed.map((fixture, i) =>
      withSurfaces && i >= robotShapes && isSurface(fixture)
        ? new SurfaceContacts(fixture, radius, this.#scratch, this.#manifold)
        : undefined,
    )
  }

  handlesMeshes(): boolean {
    return false
  }

  remembers(): boolean {
    return true
  }

  createContacts(): ContactSet {
    return new ContactSet()
  }

  begin(): void {}

  readHalfSpace(pair: ShapePair, plane: Float64Array, contacts: ContactSet): void {
    const manifold = this.#manifold
    manifold.margin[0] = pair.margin[0]
    halfSpaceManifold(this.#colliders[pair.b], plane, manifold)
    appendManifold(manifold, pair, this.#materials, contacts)
  }

  read(pair: ShapePair, memory: PairMemory, contacts: ContactSet): void {
    if (this.#surfaces[pair.a] !== undefined) {
      this.#readSurface(pair, contacts)
      return
    }
    const manifold = this.#manifold
    manifold.margin[0] = pair.margin[0]
    const at = memory.open(pair.number)
    convexManifoldWarm(this.#colliders[pair.a], this.#colliders[pair.b], memory.values, at, this.#scratch, manifold)
    memory.close()
    appendManifold(manifold, pair, this.#materials, contacts)
  }

  /** Whether a shape is a fixed mesh or a height field. */
  isSurface(shape: number): boolean {
    return this.#surfaces[shape] !== undefined
  }

  /** As `read`, without a memory. */
  readCold(pair: ShapePair, contacts: ContactSet): void {
    if (this.#surfaces[pair.a] !== undefined) {
      this.#readSurface(pair, contacts)
      return
    }
    const manifold = this.#manifold
    manifold.margin[0] = pair.margin[0]
    convexManifold(this.#colliders[pair.a], this.#colliders[pair.b], this.#scratch, manifold)
    appendManifold(manifold, pair, this.#materials, contacts)
  }

  #readSurface(pair: ShapePair, contacts: ContactSet): void {
    const surface = this.#surfaces[pair.a]!
    this.#manifold.margin[0] = pair.margin[0]
    surface.find(this.#colliders[pair.b], this.#bounds, 6 * pair.b)
    for (let g = 0; g < surface.normalCount; g++) {
      surface.take(g, this.#ofNormal)
      appendManifold(this.#ofNormal, pair, this.#materials, contacts)
    }
  }
}

/** At least the points that any pair makes before they are thinned. */
export function manifoldCapacityOf(colliders: readonly Collider[], robotShapes: number): number {
  let ofRobot = 8
  let ofAny = 8
  colliders.forEach(({ verticesW }, i) => {
    ofAny = Math.max(ofAny, verticesW.length / 3)
    if (i < robotShapes) ofRobot = ofAny
  })
  return manifoldCapacity + 2 * (ofRobot + ofAny)
}

/** Whether a fixture is no convex shape. */
export function isSurface({ shape }: PlacedShape): boolean {
  return shape.type === 'mesh' || shape.type === 'heightfield'
}
