import type { Data } from '../../../dynamics/index.ts'
import type { ContactSet } from '../../contactSet.ts'
import { type Collider, Core, signedDistanceWarm } from '../../geometry/index.ts'
import { flushSine } from '../../tolerances.ts'
import { addBallPoint, addPoint, halfSpaceManifold, startHalfSpace } from '../manifold/halfSpaceManifold.ts'
import { createManifold, type Manifold } from '../manifold/manifold.ts'
import { ManifoldNarrowphase, manifoldCapacityOf } from '../manifold/manifoldNarrowphase.ts'
import type { PairMemory } from '../manifold/pairMemory.ts'
import type { PairMaterials } from '../materials.ts'
import type { Narrowphase, NarrowphaseScene, ShapePair } from '../narrowphase.ts'
import { appendManifold } from '../pairContacts.ts'

/** Difference from 1 of the cosine between a plane's normal and an axis below which the shape stands flat on the plane. */
const FLAT = 1e-7

/**
 * One contact point for two shapes that overlap, as Drake has it. On a half-space: the deepest point, or the middle of a face or line that
 * lies flat (`halfSpacePoint`). Of two boxes, and of shapes that are not convex: the deepest of `ManifoldNarrowphase`, the first of equal
 * ones. Of other convex shapes: midway between the witness points of the minimum translation. docs/contact-models.md compares with Drake.
 */
export class PointNarrowphase implements Narrowphase {
  readonly looksAhead = false
  readonly memorySize: number
  readonly #colliders: readonly Collider[]
  readonly #materials: PairMaterials
  readonly #manifolds: ManifoldNarrowphase
  readonly #manifold: Manifold
  /** 10: the result of `signedDistanceWarm`. */
  readonly #distance = new Float64Array(10)

  constructor(scene: NarrowphaseScene) {
    this.#colliders = scene.colliders
    this.#materials = scene.materials
    this.#manifolds = new ManifoldNarrowphase({ ...scene, maxPoints: Number.POSITIVE_INFINITY }, { nearby: -Infinity })
    this.#manifold = createManifold(manifoldCapacityOf(scene.colliders, scene.robotShapes))
    this.memorySize = this.#manifolds.memorySize
  }

  remembers(a: number, b: number): boolean {
    return this.#manifolds.remembers(a, b)
  }

  createContacts(): ContactSet {
    return this.#manifolds.createContacts()
  }

  begin(data: Data, horizon: Float64Array): void {
    this.#manifolds.begin(data, horizon)
  }

  readHalfSpace(pair: ShapePair, plane: Float64Array, contacts: ContactSet): void {
    halfSpacePoint(this.#colliders[pair.b], plane, this.#manifold)
    this.#append(pair, contacts)
  }

  read(pair: ShapePair, memory: PairMemory, contacts: ContactSet): void {
    const first = contacts.count
    const a = this.#colliders[pair.a]
    const b = this.#colliders[pair.b]
    const manifolds = this.#manifolds
    const areBoxes = a.shape.type === 'box' && b.shape.type === 'box'
    if (areBoxes || manifolds.isSurface(pair.a) || manifolds.isConcave(pair.a, pair.b)) {
      manifolds.read(pair, memory, contacts)
      keepDeepest(contacts, first)
      return
    }
    const distance = this.#distance
    const at = memory.open(pair.number)
    signedDistanceWarm(a, b, memory.values, at, distance)
    memory.close()
    const { point, normal, gap } = this.#manifold
    for (let d = 0; d < 3; d++) {
      normal[d] = distance[1 + d]
      point[d] = 0.5 * (distance[4 + d] + distance[7 + d])
    }
    gap[0] = distance[0]
    this.#manifold.count = 1
    this.#append(pair, contacts)
  }

  #append(pair: ShapePair, contacts: ContactSet): void {
    const first = contacts.count
    appendManifold(this.#manifold, pair, this.#materials, contacts)
    keepDeepest(contacts, first)
  }
}

/** Reduces the contacts from `first` on to the deepest; to none if it only touches. */
function keepDeepest(contacts: ContactSet, first: number): void {
  const { count, gap, point, normal, tangent1, tangent2, feature } = contacts
  if (count === first) return
  let deepest = first
  for (let c = first + 1; c < count; c++) if (gap[c] < gap[deepest]) deepest = c
  for (let d = 0; d < 3; d++) {
    const at = 3 * first + d
    const from = 3 * deepest + d
    point[at] = point[from]
    normal[at] = normal[from]
    tangent1[at] = tangent1[from]
    tangent2[at] = tangent2[from]
  }
  gap[first] = gap[deepest]
  feature[first] = 0
  contacts.count = gap[first] < -Number.EPSILON ? first + 1 : first
}

/** 4: the plane in the shape's axes; 3: a point in these axes. */
const own = new Float64Array(4)
const local = new Float64Array(3)

/** The deepest point of a shape on a half-space; the middle of a face or line of a box, cylinder or capsule that lies flat on it. */
function halfSpacePoint(collider: Collider, plane: Float64Array, manifold: Manifold): void {
  const { shape, kind, core, coreRadius, halfLength } = collider
  // a rounded box may have a core without volume
  if (kind !== Core.box && shape.type !== 'cylinder' && shape.type !== 'capsule') {
    halfSpaceManifold(collider, plane, manifold)
    return
  }
  if (!startHalfSpace(collider, plane, own, manifold)) return
  if (kind === Core.box) {
    let flat = -1
    for (let k = 2; k >= 0; k--) {
      local[k] = (own[k] > 0 ? -1 : 1) * core!.vertices[21 + k]
      if (1 - Math.abs(own[k]) < FLAT) flat = k
    }
    addPoint(collider, plane, own, local, 0, manifold)
    if (flat >= 0 && manifold.count > 0) centre(collider, flat, plane, manifold)
    return
  }
  const side = Math.abs(own[2]) < flushSine ? 0 : own[2] > 0 ? -1 : 1
  if (shape.type === 'capsule') {
    addBallPoint(collider, plane, own, side, 0, manifold)
    return
  }
  const sine = Math.sqrt(own[0] * own[0] + own[1] * own[1])
  const out = 1 - Math.abs(own[2]) < FLAT ? 0 : coreRadius / sine
  local[0] = -out * own[0]
  local[1] = -out * own[1]
  local[2] = side * halfLength
  addPoint(collider, plane, own, local, 0, manifold)
}

/** Moves the point of a box from the corner `local` to the middle of the face across axis k, half the depth above it. */
function centre({ R, p, rounding }: Collider, k: number, n: Float64Array, { point, gap }: Manifold): void {
  for (let d = 0; d < 3; d++) point[d] = p[d] + R[3 * d + k] * local[k] - (rounding + 0.5 * gap[0]) * n[d]
}
