import type { Data } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import type { Collider, PlacedShape } from '../geometry/index.ts'
import type { PairMemory } from './manifold/pairMemory.ts'
import type { PairMaterials } from './materials.ts'

/** A candidate pair of shapes; one object, reused for each pair. */
export interface ShapePair {
  /** Number of the pair, as in `CollisionPairs`. */
  number: number
  /** Numbers of the shapes: robot shapes, then fixtures. `a` is on body A of the contacts; `b` is a robot shape. */
  a: number
  b: number
  bodyA: number
  bodyB: number
  /** 1: contacts with a larger gap are dropped [m]. */
  readonly margin: Float64Array
}

/** Shapes, materials and limits given to a narrow phase. The detector places the colliders and shares them. */
export interface NarrowphaseScene {
  /** Robot shapes, then fixtures. */
  readonly placed: readonly PlacedShape[]
  readonly colliders: readonly Collider[]
  /** Number of robot shapes, which come first. */
  readonly robotShapes: number
  /** Whether a shape is in any pair with a bounded shape. */
  meetsBounded(shape: number): boolean
  /** 6 a shape: least x, y, z, then greatest, of its AABB in world axes, widened by the margin [m]. */
  readonly bounds: Float64Array
  readonly materials: PairMaterials
  /** Most points of a pair with one normal. */
  readonly maxPoints: number
}

/** Narrow phase: finds the contacts of two shapes. Contact models may bring their own. */
export interface Narrowphase {
  /** Whether contacts are detected before shapes touch; if not, margins are 0. */
  readonly looksAhead: boolean
  /** Number of entries stored for a pair from call to call. */
  readonly memorySize: number
  /** Whether `read` uses the memory of a pair. */
  remembers(a: number, b: number): boolean
  /** A set of contacts that `read` can write to. */
  createContacts(): ContactSet
  /**
   * Starts a call of the detector, before any pair is read.
   *
   * @param horizon  1: time ahead for which contacts are detected [s]
   * @param contacts from `createContacts`, empty
   */
  begin(data: Data, horizon: Float64Array, contacts: ContactSet): void
  /**
   * Appends the contacts of b with a half-space.
   *
   * @param plane 4: outward unit normal and offset [m] in the world
   */
  readHalfSpace(pair: ShapePair, plane: Float64Array, contacts: ContactSet): void
  /** Appends the contacts of two bounded shapes. */
  read(pair: ShapePair, memory: PairMemory, contacts: ContactSet): void
}

export type CreateNarrowphase = (scene: NarrowphaseScene) => Narrowphase
