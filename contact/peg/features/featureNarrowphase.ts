import type { Data } from '../../../dynamics/index.ts'
import { hasInside } from '../../detection/manifold/fieldShape.ts'
import { addVertices, halfSpaceManifold, reduceHullPoints, startHalfSpace } from '../../detection/manifold/halfSpaceManifold.ts'
import { createManifold, type Manifold } from '../../detection/manifold/manifold.ts'
import { ManifoldNarrowphase, manifoldCapacityOf } from '../../detection/manifold/manifoldNarrowphase.ts'
import type { PairMemory } from '../../detection/manifold/pairMemory.ts'
import type { PairMaterials } from '../../detection/materials.ts'
import type { CreateNarrowphase, Narrowphase, NarrowphaseScene, ShapePair } from '../../detection/narrowphase.ts'
import { addContacts, appendManifold, writePair, writeTangents } from '../../detection/pairContacts.ts'
import type { Collider, PlacedShape } from '../../geometry/index.ts'
import { type ConstraintRule, constrainFeatures } from './constraintRules.ts'
import {
  createFeatureBody,
  type FeatureBody,
  leastLeaving,
  placeBox,
  placeEdges,
  placeFaces,
  placeFeatures,
} from './featureBody.ts'
import { CLASSICALLY_APPLICABLE, FeatureContactSet, type FeatureLimits, featureKind, STANDS_ALONE } from './featureContactSet.ts'
import {
  faceContacts,
  findNearFaces,
  findSeparatingPlane,
  isBeyond,
  nearFeatureContacts,
  nearness,
  proveSeparatingPlane,
  separatingPlane,
} from './featureContacts.ts'

/** Options of the feature narrow phase. */
export interface FeatureReading {
  readonly rule: ConstraintRule
  /** Tolerance of applicability, a sine. */
  readonly epsilon: number
}

/** Vertices of a hull beyond which its manifold's vertices are used near a half-space. */
const mostOnPlane = 16

/** Ratio of the numbers of faces above which the body with fewer faces is tested first. */
const manyMore = 2

/** Flags of the placed parts of a body. */
const boxPlaced = 1
const facesPlaced = 2
const edgesPlaced = 4

/** 4: the last half-space, in the shape's axes. */
const ownPlane = new Float64Array(4)

/**
 * Lists every pair of features that may touch within the horizon, and in `FeatureContactSet.constraints` their constraints, also for the
 * separation of bodies that overlap by more than the margin.
 *
 * Boxes and hulls have features; spheres of radius 0 are points, polyhedra of one vertex. Curved shapes have no features but an exact,
 * smooth normal and gap: each point of their manifold, without warm start, has a unilateral constraint. Manifolds are also used for hulls
 * without volume, which some direction always separates from a point or each other; for fixed meshes and height fields, whose features are
 * unknown; and for two points.
 */
class FeatureNarrowphase implements Narrowphase {
  readonly looksAhead = true
  readonly memorySize: number
  readonly #manifolds: ManifoldNarrowphase
  readonly #onPlane: Manifold
  readonly #colliders: readonly Collider[]
  readonly #materials: PairMaterials
  readonly #robotShapes: number
  /** Per shape, robot shapes first; undefined for shapes without features or only in pairs with half-spaces. */
  readonly #bodies: readonly (FeatureBody | undefined)[]
  /** Per shape: 1 if curved; 1 if a point; flags of its placed parts. */
  readonly #isCurved: Uint8Array
  readonly #isPoint: Uint8Array
  readonly #placed: Uint8Array
  readonly #limits: FeatureLimits
  readonly #epsilon: number
  readonly #rule: ConstraintRule
  readonly #found = new FeatureContactSet()
  #data: Data | undefined
  #horizon: Float64Array = new Float64Array(1)

  constructor(scene: NarrowphaseScene, { rule, epsilon }: FeatureReading) {
    const { placed, colliders, robotShapes, materials, maxPoints } = scene
    this.#manifolds = new ManifoldNarrowphase(scene)
    this.memorySize = this.#manifolds.memorySize
    this.#onPlane = createManifold(manifoldCapacityOf(colliders, robotShapes), maxPoints)
    this.#colliders = colliders
    this.#materials = materials
    this.#robotShapes = robotShapes
    this.#epsilon = epsilon
    this.#rule = rule
    this.#isCurved = Uint8Array.from(placed, ({ shape }) => (isCurved(shape) ? 1 : 0))
    this.#isPoint = Uint8Array.from(placed, ({ shape }) => (isPoint(shape) ? 1 : 0))
    this.#bodies = bodiesOf(scene)
    this.#placed = new Uint8Array(placed.length).fill(boxPlaced | facesPlaced | edgesPlaced)
    for (const body of this.#bodies.slice(robotShapes)) if (body !== undefined) placeFeatures(body)
    this.#limits = {
      margin: new Float64Array(1),
      depth: new Float64Array(1),
      epsilon: new Float64Array(1),
      edgeEpsilon: new Float64Array(1),
      choice: rule.choice,
    }
  }

  remembers(a: number, b: number): boolean {
    return !this.#haveFeatures(a, b) && !this.#areCurved(a, b) && this.#manifolds.remembers(a, b)
  }

  createContacts(): FeatureContactSet {
    return new FeatureContactSet()
  }

  begin(data: Data, horizon: Float64Array, contacts: FeatureContactSet): void {
    contacts.constraints.clear()
    this.#placed.fill(0, 0, this.#robotShapes)
    this.#manifolds.begin(data, horizon)
    this.#data = data
    this.#horizon = horizon
  }

  /**
   * Lists all vertices of a polyhedron within the margin (of hulls with more than 16, those of its manifold), all of which must stay above;
   * or the manifold of a curved shape.
   */
  readHalfSpace(pair: ShapePair, plane: Float64Array, contacts: FeatureContactSet): void {
    if (!contacts.admits(pair.bodyA, pair.bodyB)) return
    const manifold = this.#onPlane
    const first = contacts.count
    const body = this.#isPoint[pair.b] === 1 ? undefined : this.#bodies[pair.b]
    manifold.margin[0] = pair.margin[0]
    if (body === undefined) halfSpaceManifold(this.#colliders[pair.b], plane, manifold)
    else if (startHalfSpace(body.collider, plane, ownPlane, manifold)) {
      addVertices(body.collider, plane, ownPlane, manifold)
      if (manifold.count > mostOnPlane) reduceHullPoints(body.collider, manifold)
    }
    appendManifold(manifold, pair, this.#materials, contacts)
    addUnilateral(contacts, first, 0)
    for (let c = first; c < contacts.count && body !== undefined; c++) {
      const { topology } = body
      leastLeaving(topology, topology.edgeDirections, contacts.feature[c], ownPlane, 0, contacts.applicability, c)
    }
  }

  read(pair: ShapePair, memory: PairMemory, contacts: FeatureContactSet): void {
    const { a, b } = pair
    if (!contacts.admits(pair.bodyA, pair.bodyB)) return
    const isConcave = this.#manifolds.isConcave(a, b)
    if (!isConcave && this.#haveFeatures(a, b)) {
      if (!this.#manifolds.isBuried(pair)) this.#readFeatures(pair, contacts)
      return
    }
    const first = contacts.count
    if (!isConcave && this.#areCurved(a, b) && !this.#manifolds.isSurface(a)) {
      // a warm start would keep the last normal although another one is nearer
      this.#manifolds.readCold(pair, contacts)
      addUnilateral(contacts, first, 1)
      return
    }
    this.#manifolds.read(pair, memory, contacts)
    addUnilateral(contacts, first, 0)
  }

  /** Whether two shapes use feature contacts; otherwise their manifold. */
  #haveFeatures(a: number, b: number): boolean {
    const A = this.#bodies[a]
    const B = this.#bodies[b]
    return A !== undefined && B !== undefined && A.topology.vertexCount + B.topology.vertexCount > 2
  }

  #areCurved(a: number, b: number): boolean {
    return this.#isCurved[a] + this.#isCurved[b] > 0
  }

  /** Appends all feature contacts of two shapes, and their constraints. */
  #readFeatures(pair: ShapePair, contacts: FeatureContactSet): void {
    const { a, b } = pair
    const A = this.#bodies[a]!
    const B = this.#bodies[b]!
    const limits = this.#limits
    const found = this.#found
    limits.margin[0] = pair.margin[0]
    limits.depth[0] = pair.margin[0]
    this.#setEpsilon(pair)
    let how: number = nearness.any
    if (isLarge(A, B)) how = this.#readFaces(a, A, b, B, 1)
    else if (isLarge(B, A)) how = this.#readFaces(b, B, a, A, -1)
    if (how === nearness.none) return
    if (how === nearness.any && !this.#readAll(a, A, b, B)) return
    constrainFeatures(A, B, found, this.#rule, limits, contacts.count, contacts.constraints)
    if (found.count === 0) return
    const first = append(found, contacts)
    writePair(contacts, first, pair.number, pair.bodyA, pair.bodyB, this.#materials)
    writeTangents(contacts, first)
  }

  /**
   * Tests two shapes by the faces of `a`, and lists all contacts if only faces of it are near.
   *
   * @param side 1 if `a` is the contacts' A, else -1
   * @returns one of `nearness`
   */
  #readFaces(a: number, A: FeatureBody, b: number, B: FeatureBody, side: number): number {
    const limits = this.#limits
    this.#place(a, A, boxPlaced | facesPlaced)
    if (isBeyond(A, B.collider, limits)) return nearness.none
    this.#place(b, B, boxPlaced)
    const how = findNearFaces(A, B, side, limits)
    if (how !== nearness.faces) return how
    this.#place(a, A, edgesPlaced)
    faceContacts(A, B, side, limits, this.#found)
    return how
  }

  /** Lists all contacts of two shapes. @returns false if they are farther apart than the margin */
  #readAll(a: number, A: FeatureBody, b: number, B: FeatureBody): boolean {
    const limits = this.#limits
    const found = this.#found
    const { margin, depth } = limits
    this.#place(a, A, boxPlaced | facesPlaced)
    this.#place(b, B, boxPlaced | facesPlaced)
    if (!findSeparatingPlane(A, B, limits)) return false
    this.#place(a, A, edgesPlaced)
    this.#place(b, B, edgesPlaced)
    nearFeatureContacts(A, B, limits, found)
    if (!(separatingPlane[5] < -margin[0]) || someApplicable(found)) return true
    // no face separates them, and every penetration is deeper than the margin: they overlap deeply, or edges separate them
    proveSeparatingPlane(A, B)
    if (separatingPlane[5] > margin[0]) return false
    if (separatingPlane[5] < -margin[0]) {
      depth[0] = -2 * separatingPlane[5] + 2 * margin[0]
      nearFeatureContacts(A, B, limits, found)
    }
    return true
  }

  /** Places the wanted parts of a body that are not placed yet. */
  #place(i: number, body: FeatureBody, wanted: number): void {
    const missing = wanted & ~this.#placed[i]
    this.#placed[i] |= wanted
    if ((missing & boxPlaced) !== 0) placeBox(body)
    if ((missing & facesPlaced) !== 0) placeFaces(body)
    if ((missing & edgesPlaced) !== 0) placeEdges(body)
  }

  /** Sets the relaxation to the bodies' rotation within the horizon, to first order; twice that for two edges. */
  #setEpsilon({ bodyA, bodyB }: ShapePair): void {
    const { epsilon, edgeEpsilon } = this.#limits
    epsilon[0] = this.#epsilon
    edgeEpsilon[0] = this.#epsilon
    const h = this.#horizon[0]
    if (!(h > 0)) return
    const V = this.#data!.V[bodyA]
    const W = this.#data!.V[bodyB]
    const turn = h * (Math.sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2]) + Math.sqrt(W[0] * W[0] + W[1] * W[1] + W[2] * W[2]))
    epsilon[0] = Math.max(this.#epsilon, Math.min(1, turn))
    edgeEpsilon[0] = Math.max(this.#epsilon, Math.min(1, 2 * turn))
  }
}

/** Creates the feature narrow phase for a detector. @unchecked */
export function readFeatures(reading: FeatureReading): CreateNarrowphase {
  return (scene) => new FeatureNarrowphase(scene, reading)
}

function bodiesOf(scene: NarrowphaseScene): (FeatureBody | undefined)[] {
  const { placed, colliders, robotShapes } = scene
  const onPlanes = placed.some(({ shape }) => shape.type === 'halfspace')
  return placed.map((one, i) => {
    if (!hasFeatures(one)) return undefined
    const liesByVertices = onPlanes && i < robotShapes && !isPoint(one.shape)
    if (!liesByVertices && !scene.meetsBounded(i)) return undefined
    // the points of a mesh may all lie in a plane
    return isPoint(one.shape) || colliders[i].core!.faces.length >= 4 ? createFeatureBody(colliders[i]) : undefined
  })
}

/**
 * Adds a unilateral constraint on each contact from `first` on, the points of a manifold.
 *
 * @param ofCurved 1 for contacts of two bounded shapes, one of them curved; else 0
 */
function addUnilateral(contacts: FeatureContactSet, first: number, ofCurved: number): void {
  for (let c = first; c < contacts.count; c++) {
    contacts.kind[c] = featureKind.faceVertex
    contacts.ofCurved[c] = ofCurved
    contacts.featureA[c] = 0
    contacts.featureB[c] = contacts.feature[c]
    contacts.aside[c] = 0
    contacts.applicability[c] = STANDS_ALONE
    contacts.role[c] = 0
    contacts.constraints.addUnilateral(c)
  }
}

/** Returns the first contact. */
function append(found: FeatureContactSet, contacts: FeatureContactSet): number {
  const first = addContacts(contacts, found.count)
  for (let k = 0; k < found.count; k++) {
    const c = first + k
    contacts.feature[c] = found.feature[k]
    contacts.kind[c] = found.kind[k]
    contacts.featureA[c] = found.featureA[k]
    contacts.featureB[c] = found.featureB[k]
    for (let d = 0; d < 3; d++) {
      contacts.point[3 * c + d] = found.point[3 * k + d]
      contacts.normal[3 * c + d] = found.normal[3 * k + d]
    }
    contacts.gap[c] = found.gap[k]
    contacts.aside[c] = found.aside[k]
    contacts.applicability[c] = found.applicability[k]
    contacts.ofCurved[c] = 0
    contacts.role[c] = 0
  }
  return first
}

/** Whether a shape is a point, or a polyhedron (also as the hull of a mesh) with volume. */
function hasFeatures(placed: PlacedShape): boolean {
  const { shape } = placed
  if (shape.type === 'halfspace' || shape.type === 'heightfield' || isCurved(shape)) return false
  if (shape.type === 'mesh') return placed.body !== 0
  return isPoint(shape) || hasInside(placed)
}

function isCurved(shape: PlacedShape['shape']): boolean {
  return (
    (shape.type === 'sphere' && shape.radius > 0) ||
    (shape.type === 'box' && Number(shape.rounding) > 0) ||
    shape.type === 'capsule' ||
    shape.type === 'cylinder' ||
    shape.type === 'ellipsoid'
  )
}

const isPoint = (shape: PlacedShape['shape']) => shape.type === 'sphere' && shape.radius === 0

/** Whether a body has few faces compared with the other, or the other is a point. */
function isLarge({ offsetW: few }: FeatureBody, { offsetW: many }: FeatureBody): boolean {
  return many.length === 0 || (few.length > 0 && many.length > manyMore * few.length)
}

function someApplicable({ count, applicability }: FeatureContactSet): boolean {
  for (let i = 0; i < count; i++) if (applicability[i] >= CLASSICALLY_APPLICABLE) return true
  return false
}
