import type { Data } from '../../../dynamics/index.ts'
import { ContactSet } from '../../contactSet.ts'
import type { Collider, PlacedShape } from '../../geometry/index.ts'
import type { PairMaterials } from '../materials.ts'
import type { Narrowphase, NarrowphaseScene, ShapePair } from '../narrowphase.ts'
import { appendManifold } from '../pairContacts.ts'
import { Passing } from '../passing.ts'
import { mostOfNormal, type PointsByNormal } from '../penetration/pointsByNormal.ts'
import { ConcaveContacts } from './concaveContacts.ts'
import {
  convexManifold,
  convexManifoldWarm,
  createManifoldScratch,
  type ManifoldScratch,
  manifoldMemorySize,
} from './convexManifold.ts'
import { type FieldShape, fieldOfPlaced, placeFieldShape } from './fieldShape.ts'
import { type FlushSurfaces, flushFixtures } from './flushSurfaces.ts'
import { halfSpaceManifold } from './halfSpaceManifold.ts'
import { createManifold, type Manifold } from './manifold.ts'
import type { PairMemory } from './pairMemory.ts'
import { SurfaceContacts } from './surfaceContacts.ts'

const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const zero = new Float64Array(3)

/** Most points of a pair besides the vertices of both shapes and the crossings of their edges. */
const manifoldCapacity = 32

/**
 * Contact manifolds, of separated and of overlapping shapes, with the normal of the minimum translation. Robot shapes may be convex,
 * or closed meshes, which touch half-spaces as their hulls do. Fixtures may be half-spaces, convex shapes, closed meshes and
 * height fields. Pairs with a mesh or height field have points of several normals (`SurfaceContacts`; for moving meshes,
 * `ConcaveContacts`).
 */
export class ManifoldNarrowphase implements Narrowphase {
  readonly looksAhead = true
  readonly memorySize = manifoldMemorySize
  readonly #colliders: readonly Collider[]
  readonly #materials: PairMaterials
  /** Per shape: the triangles of a fixed mesh or height field, whose collider is a placeholder. */
  readonly #surfaces: readonly (SurfaceContacts | undefined)[]
  /** Per fixture with triangles: what is flush with it. */
  readonly #flush: readonly (FlushSurfaces | undefined)[]
  /** Per shape: its signed distance field; only in pairs of bounded shapes of which some mesh moves. */
  readonly #fields: readonly (FieldShape | undefined)[]
  /** Meshes that move. */
  readonly #moving: readonly { readonly field: FieldShape; readonly placed: PlacedShape }[]
  readonly #isMoving: Uint8Array
  readonly #concave = new ConcaveContacts()
  readonly #passing = new Passing()
  /** Arguments of the detector's current call. */
  #data!: Data
  #horizon!: Float64Array
  readonly #bounds: Float64Array
  readonly #manifold: Manifold
  /** The points of a surface with one normal. */
  readonly #ofNormal: Manifold
  readonly #scratch: ManifoldScratch

  /** @param surfaces supports fixed meshes and height fields; @param concave supports moving meshes; @param nearby see `createManifoldScratch` */
  constructor(
    { placed, colliders, robotShapes, bounds, materials, maxPoints, meetsBounded }: NarrowphaseScene,
    {
      surfaces = true,
      concave = true,
      nearby,
    }: { readonly surfaces?: boolean; readonly concave?: boolean; readonly nearby?: number } = {},
  ) {
    const capacity = manifoldCapacityOf(colliders, robotShapes)
    let radius = 0
    for (let i = 0; i < robotShapes; i++) radius = Math.max(radius, colliders[i].radius)
    const moves = (i: number) => i < robotShapes && placed[i].shape.type === 'mesh' && meetsBounded(i)
    const withMoving = concave && placed.some((_, i) => moves(i))
    this.#colliders = colliders
    this.#materials = materials
    this.#bounds = bounds
    this.#manifold = createManifold(capacity, maxPoints)
    this.#ofNormal = createManifold(capacity, Math.min(maxPoints, mostOfNormal))
    this.#scratch = createManifoldScratch(capacity, nearby)
    const fixtures = placed.slice(robotShapes)
    const flush = surfaces ? flushFixtures(fixtures) : []
    this.#flush = placed.map((_, i) => flush[i - robotShapes])
    this.#surfaces = placed.map((fixture, i) =>
      this.#flush[i] !== undefined && isSurface(fixture)
        ? new SurfaceContacts(fixture, this.#flush[i], radius, this.#scratch, this.#manifold)
        : undefined,
    )
    this.#fields = placed.map((one, i) => (withMoving && meetsBounded(i) ? fieldOfPlaced(one, colliders[i]) : undefined))
    this.#fields.forEach((field, i) => {
      const { R, p } = placed[i]
      if (field !== undefined && i >= robotShapes && field.collider === undefined) placeFieldShape(field, identity, zero, R, p)
    })
    this.#moving = placed.flatMap((one, i) => (withMoving && moves(i) ? [{ field: this.#fields[i]!, placed: one }] : []))
    this.#isMoving = Uint8Array.from(placed, (_, i) => (withMoving && moves(i) ? 1 : 0))
  }

  remembers(a: number, b: number): boolean {
    return !this.isConcave(a, b)
  }

  createContacts(): ContactSet {
    return new ContactSet()
  }

  /** Places the moving meshes. */
  begin(data: Data, horizon: Float64Array): void {
    const { R_WB, p_WB } = data
    this.#data = data
    this.#horizon = horizon
    for (let k = 0; k < this.#moving.length; k++) {
      const { field, placed } = this.#moving[k]
      placeFieldShape(field, R_WB[placed.body], p_WB[placed.body], placed.R, placed.p)
    }
  }

  readHalfSpace(pair: ShapePair, plane: Float64Array, contacts: ContactSet): void {
    const manifold = this.#manifold
    manifold.margin[0] = pair.margin[0]
    halfSpaceManifold(this.#colliders[pair.b], plane, manifold)
    appendManifold(manifold, pair, this.#materials, contacts)
  }

  read(pair: ShapePair, memory: PairMemory, contacts: ContactSet): void {
    if (this.isConcave(pair.a, pair.b)) {
      this.#concave.find(this.#fields[pair.a]!, this.#fields[pair.b]!, pair.margin)
      this.#append(this.#concave.points, pair, contacts, this.#flush[pair.a])
      return
    }
    if (this.#surfaces[pair.a] !== undefined) {
      this.#readSurface(pair, contacts)
      return
    }
    const manifold = this.#manifold
    manifold.margin[0] = pair.margin[0]
    const at = memory.open(pair.number)
    const a = this.#colliders[pair.a]
    const b = this.#colliders[pair.b]
    convexManifoldWarm(a, b, memory.values, at, this.#scratch, manifold)
    memory.close()
    this.#letPass(a, b, pair)
    if (this.#flush[pair.a]?.buriesAll(-1, this.#manifold, b)) return
    appendManifold(manifold, pair, this.#materials, contacts)
  }

  /** Whether one of two shapes is a moving mesh, which is treated as the solid that it encloses. */
  isConcave(a: number, b: number): boolean {
    return this.#isMoving[a] === 1 || this.#isMoving[b] === 1
  }

  /** Whether a shape is a fixed mesh or a height field. */
  isSurface(shape: number): boolean {
    return this.#surfaces[shape] !== undefined
  }

  /** Whether the manifold of two convex shapes, of which `a` is a fixture, is buried in others that are flush with it. */
  isBuried({ a, b, margin }: ShapePair): boolean {
    const flush = this.#flush[a]
    if (!flush?.mayBury(this.#colliders[b], margin)) return false
    this.#manifold.margin[0] = margin[0]
    convexManifold(this.#colliders[a], this.#colliders[b], this.#scratch, this.#manifold)
    return flush.buriesAll(-1, this.#manifold, this.#colliders[b])
  }

  /** `read` without a memory. */
  readCold(pair: ShapePair, contacts: ContactSet): void {
    if (this.#surfaces[pair.a] !== undefined) {
      this.#readSurface(pair, contacts)
      return
    }
    const manifold = this.#manifold
    manifold.margin[0] = pair.margin[0]
    const a = this.#colliders[pair.a]
    const b = this.#colliders[pair.b]
    convexManifold(a, b, this.#scratch, manifold)
    this.#letPass(a, b, pair)
    if (this.#flush[pair.a]?.buriesAll(-1, this.#manifold, b)) return
    appendManifold(manifold, pair, this.#materials, contacts)
  }

  /** Replaces the contact of shapes separated by more than rounding by that of `Passing`, if they slide past each other. */
  #letPass(a: Collider, b: Collider, pair: ShapePair): void {
    if (this.#manifold.count === 0 || !(this.#scratch.distance[0] > 1e-6 * Math.min(a.radius, b.radius))) return
    this.#passing.turn(a, b, pair, this.#manifold, this.#data, this.#horizon)
  }

  #readSurface(pair: ShapePair, contacts: ContactSet): void {
    const surface = this.#surfaces[pair.a]!
    this.#manifold.margin[0] = pair.margin[0]
    surface.find(this.#colliders[pair.b], this.#bounds, 6 * pair.b)
    this.#append(surface.points, pair, contacts)
  }

  #append(points: PointsByNormal, pair: ShapePair, contacts: ContactSet, flush?: FlushSurfaces): void {
    for (let g = 0; g < points.normalCount; g++) {
      points.take(g, this.#ofNormal)
      flush?.dropDeep(this.#ofNormal, this.#colliders[pair.b])
      if (flush?.buriesAll(-1, this.#ofNormal, this.#colliders[pair.b])) continue
      appendManifold(this.#ofNormal, pair, this.#materials, contacts)
    }
  }
}

/** Bound of the number of points of any pair before reduction. */
export function manifoldCapacityOf(colliders: readonly Collider[], robotShapes: number): number {
  let ofRobot = 8
  let ofAny = 8
  colliders.forEach(({ verticesW }, i) => {
    ofAny = Math.max(ofAny, verticesW.length / 3)
    if (i < robotShapes) ofRobot = ofAny
  })
  return manifoldCapacity + 2 * (ofRobot + ofAny)
}

/** Whether a fixture is a mesh or a height field. */
export function isSurface({ shape }: PlacedShape): boolean {
  return shape.type === 'mesh' || shape.type === 'heightfield'
}
