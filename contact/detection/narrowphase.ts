import type { Data } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import type { Collider, PlacedShape } from '../geometry/index.ts'
import type { PairMaterials } from './materials.ts'
import type { PairMemory } from './pairMemory.ts'

/** Two shapes that are near each other. One object, filled anew for each pair. */
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

/** What a narrow phase is made for. Colliders are placed by the detector; their places are shared. */
export interface NarrowphaseScene {
  /** Robot shapes, then fixtures. */
  readonly placed: readonly PlacedShape[]
  readonly colliders: readonly Collider[]
  /** How many of them are robot shapes. */
  readonly robotShapes: number
  /** Whether a shape may meet anything but a half-space. */
  meetsBounded(shape: number): boolean
  /** 6 a shape: least and greatest x, y, z of its box in the world, widened by the margin [m]. */
  readonly bounds: Float64Array
  readonly materials: PairMaterials
  /** Points of one normal of a pair are thinned to so many. */
  readonly maxPoints: number
}

/** Finds the contacts of two shapes: what a contact model sees of a pair. Contact models may bring their own. */
export interface Narrowphase {
  /** Whether contacts are found ahead of touching; else margins are 0. */
  readonly looksAhead: boolean
  /** Numbers remembered of a pair from call to call. */
  readonly memorySize: number
  /** Whether `read` remembers anything of two shapes. */
  remembers(a: number, b: number): boolean
  /** A set that it can write to. */
  createContacts(): ContactSet
  /**
   * Once per call of the detector, before pairs are read.
   *
   * @param horizon  1: how far ahead to look [s]
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
