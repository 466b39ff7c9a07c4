import type { Data } from '../../dynamics/index.ts'
import { hasInside } from '../detection/manifold/fieldShape.ts'
import { addVertices, halfSpaceManifold, reduceHullPoints, startHalfSpace } from '../detection/manifold/halfSpaceManifold.ts'
import type { Manifold } from '../detection/manifold/manifold.ts'
import type { PairMaterials } from '../detection/materials.ts'
import type { NarrowphaseScene } from '../detection/narrowphase.ts'
import { addContacts, writePair, writeTangents } from '../detection/pairContacts.ts'
import type { Collider, PlacedShape } from '../geometry/index.ts'
import { createFeatureBody, type FeatureBody, placeBox, placeEdges, placeFaces, placeFeatures } from './featureBody.ts'
import { constrainFeatures } from './featureConstraints.ts'
import type { FeatureContactSet } from './featureContactSet.ts'
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
import type { ConstraintRule, FeatureReading } from './featureReading.ts'
import { FeatureContacts, type FeatureLimits, featureKind } from './featureSet.ts'

/** Hulls with more vertices than this near a half-space use those of their manifold. */
const mostOnPlane = 16

/** Ratio of numbers of faces from which on the faces of the other body are tested first. */
const manyMore = 2

/** Placed parts of a body, as a sum of flags. */
const boxPlaced = 1
const facesPlaced = 2
const edgesPlaced = 4

/** Applicability above this counts as classical: the deficit of flush features is rounding. */
const flush = -1e-9

/** 4: the last half-space, in the shape's axes. */
const ownPlane = new Float64Array(4)

/**
 * Shapes of a world in the feature narrow phase, and its contacts of two of them.
 *
 * Boxes and hulls have their own features. Spheres of radius 0 are points, polyhedra of one vertex. Curved shapes have no features, but a
 * normal and a gap that are exact and vary smoothly: their manifold is used, each point a unilateral constraint. Hulls without volume,
 * whose two sides coincide, always have a direction that separates a point or another such hull, and fixed meshes and height fields have no
 * known features: these use their manifolds too, and so do two points.
 */
export class FeaturePairs {
  /** Robot shapes, then fixtures; undefined for those without features and those that touch half-spaces alone. */
  readonly #bodies: readonly (FeatureBody | undefined)[]
  /** Robot shapes in contact with half-spaces by their vertices; undefined where it is by the manifold. */
  readonly #onPlane: readonly (FeatureBody | undefined)[]
  /** Per shape, fixtures last: 1 where it is curved. */
  readonly #isCurved: Uint8Array
  readonly #shapes: readonly PlacedShape[]
  readonly #robot: readonly Collider[]
  readonly #materials: PairMaterials
  /** Robot shapes: their placed parts. */
  readonly #placed: Uint8Array
  readonly #limits: FeatureLimits
  readonly #epsilon: number
  readonly #rule: ConstraintRule
  readonly #found = new FeatureContacts()
  /** 1: robot shape whose vertices are in the manifold of `readHalfSpace`, -1 for none. */
  readonly #vertices = Int32Array.of(-1)

  constructor(scene: NarrowphaseScene, { rule, epsilon }: FeatureReading) {
    const { placed: all, colliders, robotShapes, materials } = scene
    const shapes = all.slice(0, robotShapes)
    this.#epsilon = epsilon
    this.#rule = rule
    this.#shapes = shapes
    this.#robot = colliders.slice(0, robotShapes)
    this.#materials = materials
    this.#placed = new Uint8Array(robotShapes)
    this.#isCurved = Uint8Array.from(all, ({ shape }) => (isCurved(shape) ? 1 : 0))
    const onPlanes = all.some(({ shape }) => shape.type === 'halfspace')
    const bodies = all.map((placed, i) => {
      if (!hasFeatures(placed)) return undefined
      const liesByVertices = onPlanes && i < robotShapes && !isPoint(placed.shape)
      if (!liesByVertices && !scene.meetsBounded(i)) return undefined
      const collider = colliders[i]
      if (isPoint(placed.shape)) return createFeatureBody(collider)
      // the points of a mesh may all lie in a plane
      return collider.core!.faces.length < 4 ? undefined : createFeatureBody(collider)
    })
    this.#bodies = bodies
    this.#onPlane = shapes.map(({ shape }, i) => (isPoint(shape) ? undefined : bodies[i]))
    for (const body of bodies.slice(robotShapes)) if (body !== undefined) placeFeatures(body)
    this.#limits = {
      margin: new Float64Array(1),
      depth: new Float64Array(1),
      epsilon: new Float64Array(1),
      edgeEpsilon: new Float64Array(1),
      choice: rule.choice,
    }
  }

  /** Discards the placement of shapes. */
  begin(): void {
    this.#placed.fill(0)
  }

  /** Whether features of two shapes are used, robot shapes counted first, then fixtures; else their manifold is. */
  has(a: number, b: number): boolean {
    const A = this.#bodies[a]
    const B = this.#bodies[b]
    return A !== undefined && B !== undefined && A.topology.vertexCount + B.topology.vertexCount > 2
  }

  /** Whether one of two shapes is curved. */
  areCurved(a: number, b: number): boolean {
    return this.#isCurved[a] + this.#isCurved[b] > 0
  }

  /**
   * Contacts of a robot's shape over a half-space: all vertices of a polyhedron within the margin (of hulls with more than 16, those of its
   * manifold), which all have to stay above; or the manifold of a curved shape.
   *
   * @param collider of the robot's shape, placed
   * @param manifold out; its margin is read
   */
  readHalfSpace(i: number, collider: Collider, plane: Float64Array, manifold: Manifold): void {
    const body = this.#onPlane[i]
    this.#vertices[0] = -1
    if (body === undefined) {
      halfSpaceManifold(collider, plane, manifold)
      return
    }
    if (!startHalfSpace(body.collider, plane, ownPlane, manifold)) return
    addVertices(body.collider, plane, ownPlane, manifold)
    if (manifold.count > mostOnPlane) reduceHullPoints(body.collider, manifold)
    if (manifold.count > 0) this.#vertices[0] = i
  }

  /**
   * Adds a unilateral constraint on each contact from `first` on, those of a manifold.
   *
   * @param ofCurved 1 for those of two bounded shapes of which one is curved, else 0
   */
  asUnilateral(contacts: FeatureContactSet, first: number, ofCurved: number): void {
    const i = this.#vertices[0]
    this.#vertices[0] = -1
    const body = i >= 0 ? this.#onPlane[i] : undefined
    for (let c = first; c < contacts.count; c++) {
      contacts.kind[c] = featureKind.faceVertex
      contacts.ofCurved[c] = ofCurved
      contacts.featureA[c] = 0
      contacts.featureB[c] = contacts.feature[c]
      contacts.aside[c] = 0
      contacts.applicability[c] = 1
      contacts.role[c] = 0
      if (body !== undefined) writePlaneApplicability(body, contacts, c)
      contacts.constraints.addUnilateral(c)
    }
  }

  /**
   * Adds all feature contacts of two shapes for which `has` is true, and the constraints over them.
   *
   * @param a, b    robot shapes counted first, then fixtures; `a` is the contacts' A
   * @param margin  1 [m]
   * @param horizon 1 [s]: duration of their rotation
   */
  read(
    a: number,
    b: number,
    pair: number,
    data: Data,
    margin: Float64Array,
    horizon: Float64Array,
    contacts: FeatureContactSet,
  ): void {
    const A = this.#bodies[a]!
    const B = this.#bodies[b]!
    const limits = this.#limits
    const found = this.#found
    limits.margin[0] = margin[0]
    limits.depth[0] = margin[0]
    let how: number = nearness.any
    if (isLarge(A, B)) how = this.#readFaces(a, A, b, B, 1, data, horizon)
    else if (isLarge(B, A)) how = this.#readFaces(b, B, a, A, -1, data, horizon)
    if (how === nearness.none) return
    if (how === nearness.any && !this.#readAll(a, A, b, B, data, horizon)) return
    constrainFeatures(A, B, found, this.#rule, limits, contacts.count, contacts.constraints)
    if (found.count === 0) return
    const first = this.#add(found, contacts)
    writePair(contacts, first, pair, this.#bodyOf(a), this.#bodyOf(b), this.#materials)
    writeTangents(contacts, first)
  }

  /**
   * Tests two shapes by the faces of the one, `a`; finds all contacts if only faces of it are near.
   *
   * @param side 1 if `a` is the contacts' A, else -1
   * @returns one of `nearness`
   */
  #readFaces(a: number, A: FeatureBody, b: number, B: FeatureBody, side: number, data: Data, horizon: Float64Array): number {
    const limits = this.#limits
    this.#placeFaces(a, A)
    if (isBeyond(A, this.#placeOf(b), limits)) return nearness.none
    this.#placeBox(b, B)
    const how = findNearFaces(A, B, side, limits)
    if (how !== nearness.faces) return how
    this.#placeEdges(a, A)
    this.#setEpsilon(this.#bodyOf(a), this.#bodyOf(b), data, horizon)
    faceContacts(A, B, side, limits, this.#found)
    return how
  }

  /** Finds all contacts of two shapes; false if they are farther apart than the margin. */
  #readAll(a: number, A: FeatureBody, b: number, B: FeatureBody, data: Data, horizon: Float64Array): boolean {
    const limits = this.#limits
    const found = this.#found
    const { margin, depth } = limits
    this.#placeFaces(a, A)
    this.#placeFaces(b, B)
    if (!findSeparatingPlane(A, B, limits)) return false
    this.#placeEdges(a, A)
    this.#placeEdges(b, B)
    this.#setEpsilon(this.#bodyOf(a), this.#bodyOf(b), data, horizon)
    found.count = 0
    nearFeatureContacts(A, B, limits, found)
    if (!(separatingPlane[5] < -margin[0]) || someApplicable(found)) return true
    // no face separates them, and no penetration is shallower than the margin: deep in each other, or separated by a pair of edges
    proveSeparatingPlane(A, B)
    if (separatingPlane[5] > margin[0]) return false
    if (separatingPlane[5] < -margin[0]) {
      depth[0] = -2 * separatingPlane[5] + 2 * margin[0]
      nearFeatureContacts(A, B, limits, found)
    }
    return true
  }

  /** Returns the first contact. */
  #add(found: FeatureContacts, contacts: FeatureContactSet): number {
    const first = addContacts(contacts, found.count)
    for (let k = 0; k < found.count; k++) {
      const c = first + k
      contacts.feature[c] = found.id[k]
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

  /** A collider at the placement of the shape. */
  #placeOf(shape: number): Collider {
    return shape < this.#shapes.length ? this.#robot[shape] : this.#bodies[shape]!.collider
  }

  #bodyOf(shape: number): number {
    return shape < this.#shapes.length ? this.#shapes[shape].body : 0
  }

  #placeBox(i: number, body: FeatureBody): void {
    if (i >= this.#shapes.length || (this.#placed[i] & boxPlaced) !== 0) return
    this.#placed[i] |= boxPlaced
    placeBox(body)
  }

  /** And the box. */
  #placeFaces(i: number, body: FeatureBody): void {
    this.#placeBox(i, body)
    if (i >= this.#shapes.length || (this.#placed[i] & facesPlaced) !== 0) return
    this.#placed[i] |= facesPlaced
    placeFaces(body)
  }

  #placeEdges(i: number, body: FeatureBody): void {
    if (i >= this.#shapes.length || (this.#placed[i] & edgesPlaced) !== 0) return
    this.#placed[i] |= edgesPlaced
    placeEdges(body)
  }

  /** The angle by which bodies turn within the horizon, to first order; the normal of two edges at right angles turns twice that. */
  #setEpsilon(bodyA: number, bodyB: number, data: Data, horizon: Float64Array): void {
    const { epsilon, edgeEpsilon } = this.#limits
    epsilon[0] = this.#epsilon
    edgeEpsilon[0] = this.#epsilon
    const h = horizon[0]
    if (!(h > 0)) return
    const V = data.V[bodyA]
    const W = data.V[bodyB]
    const turn = h * (Math.sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2]) + Math.sqrt(W[0] * W[0] + W[1] * W[1] + W[2] * W[2]))
    epsilon[0] = Math.max(this.#epsilon, Math.min(1, turn))
    edgeEpsilon[0] = Math.max(this.#epsilon, Math.min(1, 2 * turn))
  }
}

/** Whether a shape is, or has, a polyhedron with volume, or is a point. */
function hasFeatures(placed: PlacedShape): boolean {
  const { shape } = placed
  if (shape.type === 'halfspace' || shape.type === 'heightfield' || isCurved(shape)) return false
  if (shape.type === 'mesh') return placed.body !== 0
  return isPoint(shape) || hasInside(placed)
}

function isCurved(shape: PlacedShape['shape']): boolean {
  return (
    (shape.type === 'sphere' && shape.radius > 0) ||
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

/** The least sine at which an edge leaves a vertex away from the plane last begun. */
function writePlaneApplicability({ topology }: FeatureBody, { feature, applicability }: FeatureContactSet, c: number): void {
  const { vertexStart, vertexEdges, edgeVertices, edgeDirections: u } = topology
  const v = feature[c]
  let least = 1
  for (let k = vertexStart[v]; k < vertexStart[v + 1]; k++) {
    const e = vertexEdges[k]
    const along = ownPlane[0] * u[3 * e] + ownPlane[1] * u[3 * e + 1] + ownPlane[2] * u[3 * e + 2]
    const leaving = edgeVertices[2 * e] === v ? along : -along
    if (leaving < least) least = leaving
  }
  applicability[c] = least
}

function someApplicable({ count, applicability }: FeatureContacts): boolean {
  for (let i = 0; i < count; i++) if (applicability[i] >= flush) return true
  return false
}
