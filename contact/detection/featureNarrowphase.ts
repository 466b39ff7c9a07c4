import type { Data, Model } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import type { Collider } from '../geometry/index.ts'
import { FeaturePairs } from './featurePairs.ts'
import type { FeatureReading } from './featureReading.ts'
import { createManifold, type Manifold } from './manifold.ts'
import { ManifoldNarrowphase, manifoldCapacityOf } from './manifoldNarrowphase.ts'
import type { PairMaterials } from './materials.ts'
import type { Narrowphase, NarrowphaseScene, ShapePair } from './narrowphase.ts'
import { appendManifold } from './pairContacts.ts'
import type { PairMemory } from './pairMemory.ts'
import type { CollisionPairs } from './pairs.ts'

/**
 * Every pair of features that may meet within the horizon, and in `ContactSet.constraints` the conditions on them
 * (`FeaturePairs`), also on how bodies that are deeper in each other than the margin may be parted again. Shapes without
 * features have their manifold, each of whose points is a unilateral constraint.
 */
export class FeatureNarrowphase implements Narrowphase {
  readonly looksAhead = true
  readonly meshPartners = 'half-spaces alone'
  readonly memorySize: number
  readonly surplus: Float64Array
  readonly #features: FeaturePairs
  readonly #manifolds: ManifoldNarrowphase
  readonly #colliders: readonly Collider[]
  readonly #materials: PairMaterials
  readonly #onPlane: Manifold
  #data: Data | undefined
  #horizon: Float64Array = new Float64Array(1)

  constructor(scene: NarrowphaseScene, model: Model, pairs: CollisionPairs, reading: FeatureReading | undefined) {
    const { placed, colliders, robotShapes, materials, maxPoints } = scene
    const [shapes, fixtures] = [placed.slice(0, robotShapes), placed.slice(robotShapes)]
    const [robot, onWorld] = [colliders.slice(0, robotShapes), colliders.slice(robotShapes)]
    const wanted = (i: number) => scene.meetsBounded(i)
    this.#features = new FeaturePairs(model, pairs, shapes, fixtures, robot, onWorld, materials, wanted, reading)
    this.#manifolds = new ManifoldNarrowphase(scene)
    this.memorySize = this.#manifolds.memorySize
    this.surplus = this.#features.surplus
    this.#colliders = colliders
    this.#materials = materials
    this.#onPlane = createManifold(manifoldCapacityOf(colliders, robotShapes) + this.#features.mostVertices, maxPoints)
  }

  handlesMeshes(): boolean {
    return false
  }

  remembers(a: number, b: number): boolean {
    return !this.#features.has(a, b)
  }

  begin(data: Data, horizon: Float64Array): void {
    this.#features.begin()
    this.#data = data
    this.#horizon = horizon
  }

  readHalfSpace(pair: ShapePair, plane: Float64Array, contacts: ContactSet): void {
    const manifold = this.#onPlane
    const first = contacts.count
    manifold.margin[0] = pair.margin[0]
    this.#features.readHalfSpace(pair.b, this.#colliders[pair.b], plane, manifold)
    appendManifold(manifold, pair, this.#materials, contacts)
    this.#features.asUnilateral(contacts, first)
  }

  read(pair: ShapePair, memory: PairMemory, contacts: ContactSet): void {
    if (this.#features.has(pair.a, pair.b)) {
      this.#features.read(pair.a, pair.b, pair.number, this.#data!, pair.margin, this.#horizon, contacts)
      return
    }
    const first = contacts.count
    this.#manifolds.read(pair, memory, contacts)
    this.#features.asUnilateral(contacts, first)
  }
}
