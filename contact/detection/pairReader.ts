import type { Data, Model } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import type { Collider, PlacedShape } from '../geometry/index.ts'
import type { Manifold } from './manifold.ts'
import type { PairMaterials } from './materials.ts'
import type { CollisionPairs } from './pairs.ts'

/** The shapes of one world as a detector has them, for a reader of pairs. Shapes are counted through: robot shapes, then fixtures. */
export interface ReaderScene {
  readonly model: Model
  readonly pairs: CollisionPairs
  readonly shapes: readonly PlacedShape[]
  readonly fixtures: readonly PlacedShape[]
  /** Of robot shapes and of fixtures; their places are shared. */
  readonly robot: readonly Collider[]
  readonly onWorld: readonly Collider[]
  readonly materials: PairMaterials
  /** Per shape: whether it may meet anything but a half-space. */
  wanted(shape: number): boolean
}

/** Finds contacts of pairs of shapes in a way that a contact model brings with it; what it does not know keeps its manifold. */
export interface PairReader {
  /** Most points that it finds of a shape beyond the shape's own vertices. */
  readonly mostVertices: number
  /** Per shape: by how much what is read of it stands out of it [m]. */
  readonly surplus: Float64Array
  /** Before anything of a configuration is read. */
  begin(contacts: ContactSet): void
  has(a: number, b: number): boolean
  /**
   * @param a, b    as `has` knows them; `a` is the contacts' A
   * @param margin  1 [m]
   * @param horizon 1 [s]: how far ahead is looked
   */
  read(a: number, b: number, pair: number, data: Data, margin: Float64Array, horizon: Float64Array, contacts: ContactSet): void
  /**
   * A robot's shape over a half-space.
   *
   * @param collider of the shape, placed
   * @param manifold out; its margin is read
   */
  readHalfSpace(i: number, collider: Collider, plane: Float64Array, manifold: Manifold): void
  /** After the contacts from `first` on have been added from a manifold. */
  added(contacts: ContactSet, first: number): void
}

/** What a contact model asks of detection in place of manifolds. */
export interface PairReading {
  /** Whether a reader knows two shapes. */
  has(a: PlacedShape, b: PlacedShape): boolean
  create(scene: ReaderScene): PairReader
  /** A set that its readers can write to. */
  createContacts(): ContactSet
}
