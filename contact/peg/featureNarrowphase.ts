import type { Data } from '../../dynamics/index.ts'
import { createManifold, type Manifold } from '../detection/manifold/manifold.ts'
import { ManifoldNarrowphase, manifoldCapacityOf } from '../detection/manifold/manifoldNarrowphase.ts'
import type { PairMemory } from '../detection/manifold/pairMemory.ts'
import type { PairMaterials } from '../detection/materials.ts'
import type { CreateNarrowphase, Narrowphase, NarrowphaseScene, ShapePair } from '../detection/narrowphase.ts'
import { appendManifold } from '../detection/pairContacts.ts'
import type { Collider } from '../geometry/index.ts'
import { FeatureContactSet } from './featureContactSet.ts'
import { FeaturePairs } from './featurePairs.ts'
import type { FeatureReading } from './featureReading.ts'

/**
 * Every pair of features that may touch within the horizon, and in `FeatureContactSet.constraints` the conditions on them (`FeaturePairs`),
 * also for the separation of bodies that overlap by more than the margin. Shapes without features have their manifold, each of whose points
 * is a unilateral constraint; of curved shapes without a warm start.
 */
class FeatureNarrowphase implements Narrowphase {
  readonly looksAhead = true
  readonly memorySize: number
  readonly #features: FeaturePairs
  readonly #manifolds: ManifoldNarrowphase
  readonly #colliders: readonly Collider[]
  readonly #materials: PairMaterials
  readonly #onPlane: Manifold
  #data: Data | undefined
  #horizon: Float64Array = new Float64Array(1)

  constructor(scene: NarrowphaseScene, reading: FeatureReading) {
    const { colliders, robotShapes, materials, maxPoints } = scene
    this.#features = new FeaturePairs(scene, reading)
    this.#manifolds = new ManifoldNarrowphase(scene)
    this.memorySize = this.#manifolds.memorySize
    this.#colliders = colliders
    this.#materials = materials
    this.#onPlane = createManifold(manifoldCapacityOf(colliders, robotShapes), maxPoints)
  }

  remembers(a: number, b: number): boolean {
    return !this.#features.has(a, b) && !this.#features.areCurved(a, b) && this.#manifolds.remembers(a, b)
  }

  createContacts(): FeatureContactSet {
    return new FeatureContactSet()
  }

  begin(data: Data, horizon: Float64Array, contacts: FeatureContactSet): void {
    contacts.constraints.clear()
    this.#features.begin()
    this.#manifolds.begin(data, horizon)
    this.#data = data
    this.#horizon = horizon
  }

  readHalfSpace(pair: ShapePair, plane: Float64Array, contacts: FeatureContactSet): void {
    if (!contacts.admits(pair.bodyA, pair.bodyB)) return
    const manifold = this.#onPlane
    const first = contacts.count
    manifold.margin[0] = pair.margin[0]
    this.#features.readHalfSpace(pair.b, this.#colliders[pair.b], plane, manifold)
    appendManifold(manifold, pair, this.#materials, contacts)
    this.#features.asUnilateral(contacts, first, 0)
  }

  read(pair: ShapePair, memory: PairMemory, contacts: FeatureContactSet): void {
    if (!contacts.admits(pair.bodyA, pair.bodyB)) return
    const isConcave = this.#manifolds.isConcave(pair.a, pair.b)
    if (!isConcave && this.#features.has(pair.a, pair.b)) {
      this.#features.read(pair.a, pair.b, pair.number, this.#data!, pair.margin, this.#horizon, contacts)
      return
    }
    const first = contacts.count
    if (!isConcave && this.#features.areCurved(pair.a, pair.b) && !this.#manifolds.isSurface(pair.a)) {
      // a warm start would keep the last normal where there is a nearer one
      this.#manifolds.readCold(pair, contacts)
      this.#features.asUnilateral(contacts, first, 1)
      return
    }
    this.#manifolds.read(pair, memory, contacts)
    this.#features.asUnilateral(contacts, first, 0)
  }
}

/** The feature narrow phase, for a detector. */
export function readFeatures(reading: FeatureReading): CreateNarrowphase {
  return (scene) => new FeatureNarrowphase(scene, reading)
}
