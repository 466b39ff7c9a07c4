/** Every reading that contact models take of two shapes at rest, as data. */

import {
  type Collider,
  closestFeatures,
  createCollider,
  Feature,
  GeometryError,
  type Polyhedron,
  placeCollider,
  placeCore,
  polyhedralVersion,
  type Shape,
  signedDistance,
} from '../../contact/geometry/index.ts'
import {
  ContactConstraints,
  constrainFeatures,
  convexManifold,
  createFeatureBody,
  createFieldShape,
  createManifold,
  createManifoldScratch,
  exactRule,
  type FeatureBody,
  FeatureContactSet,
  featureContacts,
  featureLimits,
  halfSpaceManifold,
  literalRule,
  type Manifold,
  PenetrationQuery,
  penaltyMemorySize,
  penaltyReading,
  placeFieldShape,
} from '../../contact/index.ts'
import type { Pair, PairBody } from './pairFile.ts'

export type Vector = readonly [number, number, number]

/** Output of `featherbed contacts --json`. Lengths in metres; points and normals in world axes, normals from A to B. */
export interface Contacts {
  /** Negative when they overlap; null for shapes that have no such distance, and then so are normal and points. */
  readonly distance: number | null
  readonly normal: Vector | null
  /** The points on the surfaces that the distance is measured between. */
  readonly pointA: Vector | null
  readonly pointB: Vector | null
  /** Nearest or deepest features, as `face 5`; numbers as in the polyhedron. */
  readonly closest: { readonly a: string; readonly b: string } | null
  readonly manifold: readonly ManifoldPoint[]
  readonly penalty: PenaltyContacts | null
  readonly features: readonly FeatureContact[]
  /** Feature contacts that belong together: the constraints of PEG on them, by the exact rule and by the paper's. */
  readonly groups: readonly FeatureGroup[]
  /** Reason for an empty reading, or its subject. */
  readonly notes: Readonly<Partial<Record<'distance' | 'manifold' | 'penalty' | 'features' | 'groups', string>>>
}

export interface ManifoldPoint {
  /** Midway between the surfaces. */
  readonly point: Vector
  readonly gap: number
  readonly normal: Vector
  /** The same for the same features of the two shapes, whatever the pose. */
  readonly id: number
}

export interface DeepPoint {
  /** On the surface of the body that it is of, inside the other. */
  readonly point: Vector
  readonly of: 'A' | 'B'
  /** To the other surface, along the normal. */
  readonly depth: number
}

export interface PenaltyContacts {
  readonly deepest: DeepPoint
  readonly normal: Vector
  /** On the bottom of the volume of intersection, the deepest first. */
  readonly bottom: readonly DeepPoint[]
}

/** Kinds of `featureKind`, in its order; the first word is A's feature. */
export const featureKinds = ['vertex-face', 'face-vertex', 'edge-edge'] as const

export type FeatureContact = Readonly<ReturnType<typeof featureAt>>

export const groupRules = ['exact', 'literal'] as const
const rules = { exact: exactRule, literal: literalRule }
/** Kinds of `constraintKind`, in its order. */
export const groupKinds = ['unilateral', 'inter', 'cross'] as const

/** One constraint: of its members one has to stay apart, with all of its contacts. */
export interface FeatureGroup {
  readonly rule: (typeof groupRules)[number]
  readonly kind: (typeof groupKinds)[number]
  readonly members: readonly {
    /** Whether it may push the bodies apart, or only report their gap. */
    readonly pushes: boolean
    /** Places in the list of features. */
    readonly contacts: readonly number[]
  }[]
}

const origin = Float64Array.from([0, 0, 0])
const axes = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
/** Adding zero turns -0, which JSON does not have, into 0; so it does below. */
const vectorAt = (list: ArrayLike<number>, i = 0): Vector => [list[3 * i] + 0, list[3 * i + 1] + 0, list[3 * i + 2] + 0]

/** A shape prepared for queries, where the body is. */
function colliderOf(shape: Shape, { R, p }: PairBody): Collider {
  const collider = createCollider(shape)
  placeCollider(collider, axes, origin, R, p)
  placeCore(collider)
  return collider
}

/**
 * All readings of one pair.
 *
 * Features are searched as deep as their polyhedra overlap: `FeatureOptions.depth` is that depth plus the margin.
 */
export function contactsAt(pair: Pair): Contacts {
  const notes: Record<string, string> = {}
  return {
    ...closestOf(pair, notes),
    manifold: manifoldOf(pair, notes),
    penalty: penaltyOf(pair, notes),
    ...featuresOf(pair, notes),
    notes,
  }
}

/** A body as reading 1 and 2 take it: a mesh touches a half-space where its hull does. */
function solidFor(body: PairBody, other: PairBody): Shape | undefined {
  if (body.convex !== undefined) return body.convex
  return other.shape.type === 'halfspace' ? { type: 'hull', polyhedron: body.hull! } : undefined
}

const bent = (name: string) =>
  `${name} is a mesh that is not convex; this reading takes convex shapes, and such a mesh on a half-space alone`

type Closest = Pick<Contacts, 'distance' | 'normal' | 'pointA' | 'pointB' | 'closest'>

function closestOf({ a, b }: Pair, notes: Record<string, string>): Closest {
  const [solidA, solidB] = [solidFor(a, b), solidFor(b, a)]
  if (solidA === undefined || solidB === undefined) {
    notes.distance = bent(solidA === undefined ? 'A' : 'B')
    return { distance: null, normal: null, pointA: null, pointB: null, closest: null }
  }
  const [A, B] = [colliderOf(solidA, a), colliderOf(solidB, b)]
  const out = new Float64Array(10)
  signedDistance(A, B, out)
  const features = new Int32Array(4)
  closestFeatures(A, B, out, features)
  return {
    distance: out[0] + 0,
    normal: vectorAt(out.subarray(1)),
    pointA: vectorAt(out.subarray(4)),
    pointB: vectorAt(out.subarray(7)),
    closest: { a: nameOf(a, features[0], features[1]), b: nameOf(b, features[2], features[3]) },
  }
}

const kindNames = Object.keys(Feature)

function nameOf({ shape }: PairBody, kind: number, index: number): string {
  if (shape.type === 'sphere' || shape.type === 'ellipsoid') return 'surface'
  if (shape.type === 'capsule') return kind === Feature.edge ? 'side' : `end ${index}`
  if (shape.type === 'halfspace') return 'plane'
  if (shape.type === 'cylinder') return kind === Feature.side ? 'side' : `${kind === Feature.face ? 'cap' : 'rim'} ${index}`
  return `${kindNames[kind]} ${index}`
}

function manifoldOf({ a, b, margin }: Pair, notes: Record<string, string>): ManifoldPoint[] {
  const [solidA, solidB] = [solidFor(a, b), solidFor(b, a)]
  if (solidA === undefined || solidB === undefined) {
    notes.manifold = bent(solidA === undefined ? 'A' : 'B')
    return []
  }
  const [A, B] = [colliderOf(solidA, a), colliderOf(solidB, b)]
  const capacity = 64 + 2 * (A.verticesW.length + B.verticesW.length)
  const manifold = createManifold(capacity)
  manifold.margin[0] = margin
  let sign = 1
  if (solidA.type === 'halfspace') halfSpaceManifold(B, planeOf(A), manifold)
  else if (solidB.type === 'halfspace') {
    halfSpaceManifold(A, planeOf(B), manifold)
    sign = -1
  } else convexManifold(A, B, createManifoldScratch(capacity), manifold)
  if (manifold.count === 0) notes.manifold = `the shapes are farther apart than the margin of ${margin} m`
  return pointsOf(manifold, sign)
}

function pointsOf({ count, point, gap, normal, feature }: Manifold, sign: number): ManifoldPoint[] {
  const n = vectorAt(normal.map((x) => sign * x))
  return Array.from({ length: count }, (_, i) => ({ point: vectorAt(point, i), gap: gap[i] + 0, normal: n, id: feature[i] }))
}

/** 4: outward normal and offset in the world. */
function planeOf({ shape, R, p }: Collider): Float64Array {
  const plane = new Float64Array(4)
  if (shape.type !== 'halfspace') return plane
  plane[3] = shape.offset
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 3; k++) plane[i] += R[3 * i + k] * shape.normal[k]
    plane[3] += plane[i] * p[i]
  }
  return plane
}

function penaltyOf({ a, b }: Pair, notes: Record<string, string>): PenaltyContacts | null {
  const fields = []
  for (const [name, body] of [
    ['A', a],
    ['B', b],
  ] as const) {
    try {
      const field = createFieldShape(body.shape)
      placeFieldShape(field, axes, origin, body.R, body.p)
      fields.push(field)
    } catch (error) {
      if (!(error instanceof GeometryError)) throw error
      notes.penalty = `${name}: ${error.message}`
      return null
    }
  }
  const reading = new PenetrationQuery()
  penaltyReading(fields[0], fields[1], new Float64Array(penaltyMemorySize), 0, reading)
  if (reading.status === 'apart') {
    notes.penalty = 'the shapes are apart: there is no volume of intersection'
    return null
  }
  const { bottomCount, bottomSide, bottomPoint, bottomDepth, normal } = reading
  const bottom = Array.from(
    { length: bottomCount },
    (_, i): DeepPoint => ({
      point: vectorAt(bottomPoint, i),
      of: bottomSide[i] === 0 ? 'A' : 'B',
      depth: bottomDepth[i] + 0,
    }),
  )
  return { deepest: bottom[0], normal: vectorAt(normal), bottom }
}

/**
 * A body for feature contacts: flat shapes as they are, curved ones as the polyhedron that the file requests.
 *
 * @throws GeometryError for a curved shape of which the file asks for none, and a mesh that is not convex
 */
export function flatVersion({ convex, polyhedral }: PairBody): Shape {
  if (convex === undefined) throw new GeometryError('a mesh that is not convex; features are those of convex polyhedra')
  if (convex.type === 'halfspace' || (convex.type === 'box' && !convex.rounding) || convex.type === 'hull') return convex
  if (polyhedral === undefined) throw new GeometryError(`a ${convex.type}, which is curved`)
  return { type: 'hull', polyhedron: polyhedralVersion(convex, polyhedral) }
}

function featuresOf({ a, b, margin, epsilon }: Pair, notes: Record<string, string>): Pick<Contacts, 'features' | 'groups'> {
  const bodies: FeatureBody[] = []
  const remarks = []
  for (const [name, body] of [
    ['A', a],
    ['B', b],
  ] as const) {
    const { convex, polyhedral } = body
    try {
      bodies.push(createFeatureBody(colliderOf(flatVersion(body), body)))
    } catch (error) {
      if (!(error instanceof GeometryError)) throw error
      const isCurved = convex !== undefined && convex.type !== 'hull'
      notes.features = isCurved
        ? `${name} is ${error.message}: features are those of polyhedra; give its shape "sides", such as 16`
        : `${name}${convex === undefined ? ' is' : ':'} ${error.message}`
      notes.groups = 'there are no features'
      return { features: [], groups: [] }
    }
    if (polyhedral === undefined) continue
    const { sides, fit = 'inscribed' } = polyhedral
    remarks.push(`${name}'s ${convex!.type} is read as a polyhedron of ${sides} sides, ${fit}`)
  }
  const distance = new Float64Array(10)
  signedDistance(bodies[0].collider, bodies[1].collider, distance)
  const found = new FeatureContactSet()
  const limits = featureLimits({ margin, depth: Math.max(0, -distance[0]) + margin, epsilon })
  featureContacts(bodies[0], bodies[1], limits, found)
  if (found.count === 0) remarks.push(`no features are within the margin of ${margin} m of each other`)
  if (remarks.length > 0) notes.features = remarks.join('; ')
  const groups = groupRules.flatMap((rule) => {
    const lists = new ContactConstraints()
    constrainFeatures(bodies[0], bodies[1], found, rules[rule], limits, 0, lists)
    return groupsOf(rule, lists)
  })
  if (groups.length === 0) notes.groups = found.count === 0 ? 'there are no features' : 'no feature can touch as it is turned'
  const features = Array.from({ length: found.count }, (_, i) => featureAt(found, i))
  return { features, groups }
}

const featureAt = (found: FeatureContactSet, i: number) => ({
  kind: featureKinds[found.kind[i]],
  /** Numbers of the vertex, face or edge on A and on B, as in their polyhedra. */
  a: found.featureA[i],
  b: found.featureB[i],
  /** Midway between the features. */
  point: vectorAt(found.point, i),
  normal: vectorAt(found.normal, i),
  gap: found.gap[i] + 0,
  /** How far the features miss each other beside the normal. */
  aside: found.aside[i] + 0,
  /** Within the relaxation. */
  applicable: found.applicable[i] > 0,
  /** Sine of the angle by which the features face each other beyond the limit; below 0 they do not. */
  applicability: found.applicability[i] + 0,
})

function groupsOf(rule: FeatureGroup['rule'], lists: ContactConstraints): FeatureGroup[] {
  const { count, kind, disjunctStart, pushing, contactStart, contact } = lists
  return Array.from({ length: count }, (_, g) => ({
    rule,
    kind: groupKinds[kind[g]],
    members: Array.from({ length: disjunctStart[g + 1] - disjunctStart[g] }, (_, k) => {
      const m = disjunctStart[g] + k
      return { pushes: k < pushing[g], contacts: [...contact.subarray(contactStart[m], contactStart[m + 1])] }
    }),
  }))
}

/** The polyhedron that a body's features are numbered in, if it has one. */
export function featurePolyhedron(body: PairBody): Polyhedron | undefined {
  try {
    return createCollider(flatVersion(body)).core
  } catch (error) {
    if (error instanceof GeometryError) return undefined
    throw error
  }
}
