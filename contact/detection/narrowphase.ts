import type { Data } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import type { Collider, PlacedShape } from '../geometry/index.ts'
import type { PairMemory } from './manifold/pairMemory.ts'
import type { PairMaterials } from './materials.ts'

/** A candidate pair of shapes. One object, overwritten for each pair. */
export interface ShapePair {
  /** As `CollisionPairs` numbers it. */
  number: number
  /** Robot shapes counted first, then fixtures; `a` is the contacts' A, and b is a robot's shape. */
  a: number
  b: number
  bodyA: number
  bodyB: number
  /** 1: contacts with a larger gap are left out [m]. */
  readonly margin: Float64Array
}

/** Shapes, materials and limits that a narrow phase is made for. Colliders are shared with the detector, which places them. */
export interface NarrowphaseScene {
  /** Robot shapes, then fixtures. */
  readonly placed: readonly PlacedShape[]
  readonly colliders: readonly Collider[]
  /** How many of them are robot shapes. */
  readonly robotShapes: number
  /** Whether a shape is in any pair other than with half-spaces. */
  meetsBounded(shape: number): boolean
  /** 6 a shape: least x, y, z, then greatest, of its AABB in the world, widened by the margin [m]. */
  readonly bounds: Float64Array
  readonly materials: PairMaterials
  /** Most points of one normal of a pair. */
  readonly maxPoints: number
}

/** Narrow phase: finds the contacts of two shapes. Contact models may bring their own. */
export interface Narrowphase {
  /** Whether contacts are detected before shapes touch; else margins are 0. */
  readonly looksAhead: boolean
  /** Entries of a pair's memory, kept from call to call. */
  readonly memorySize: number
  /** Whether `read` uses the memory of a pair. */
  remembers(a: number, b: number): boolean
  /** A set that it can write to. */
  createContacts(): ContactSet
  /**
   * Once per call of the detector, before pairs are read.
   *
   * @param horizon  1: time ahead for which contacts are detected [s]
   * @param contacts of `createContacts`, emptied
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
