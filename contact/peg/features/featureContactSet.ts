import type { ContactStep } from '../../contactModel.ts'
import { ContactSet } from '../../contactSet.ts'
import { grown } from '../../grown.ts'
import { options } from '../../modelOptions.ts'
import { ContactConstraints } from '../contactConstraints.ts'

/** Kinds of feature pairs; `A` and `B` are the bodies in the order of the call. */
export const featureKind = {
  /** A vertex of A against a face of B. */
  vertexFace: 0,
  /** A face of A against a vertex of B. */
  faceVertex: 1,
  /** An edge of A against an edge of B. */
  edgeEdge: 2,
} as const

/**
 * Which of the near contacts are listed.
 *
 * - `applicable`: those that are applicable within the relaxation.
 * - `partners`: also a vertex near a face that it cannot touch in its orientation. It will carry no force, but it lists the faces around
 *   the vertex, so that the vertex may pass the plane of one of them. The default.
 * - `all`: also pairs of edges that do not face each other. Both directions of their normal are then wrong; the less wrong one is used, and
 *   may switch.
 */
export type FeatureChoice = 'applicable' | 'partners' | 'all'

/** Limits of near and of applicable features. The arrays may be rewritten from step to step. */
export interface FeatureLimits {
  /** 1 [m]: features farther from each other are left out, except deeper ones. */
  readonly margin: Float64Array
  /** 1 [m]: deeper contacts are left out. Counts where it is more than the margin. */
  readonly depth: Float64Array
  /** 1: tolerance of the applicability of a vertex and a face, a sine. */
  readonly epsilon: Float64Array
  /** 1: the same for two edges. */
  readonly edgeEpsilon: Float64Array
  readonly choice: FeatureChoice
}

export interface FeatureOptions {
  /** [m] */
  readonly margin: number
  /** [m]; at least the margin, its default. Infinity finds every overlap. */
  readonly depth?: number
  /** 0 is classical applicability, which decides by rounding errors where features are flush. */
  readonly epsilon?: number
  /** Default: `epsilon`. */
  readonly edgeEpsilon?: number
  readonly choice?: FeatureChoice
}

/** A relaxation of about half a degree: beyond what a body turns in a millisecond step, and small beside any edge. */
export const defaultEpsilon = options.search.epsilon.default

/** @throws RangeError for a negative margin, a depth below the margin, or an epsilon outside 0 to 1 */
export function featureLimits({
  margin,
  depth = margin,
  epsilon = defaultEpsilon,
  edgeEpsilon = epsilon,
  choice = 'partners',
}: FeatureOptions): FeatureLimits {
  if (!(margin >= 0 && margin < Infinity)) throw new RangeError(`margin is ${margin}, expected a length of at least 0 m`)
  if (!(depth >= margin)) throw new RangeError(`depth is ${depth}, expected at least the margin, ${margin} m`)
  for (const [name, value] of Object.entries({ epsilon, edgeEpsilon })) {
    if (!(value >= 0 && value <= 1)) throw new RangeError(`${name} is ${value}, expected the sine of an angle, 0 to 1`)
  }
  return {
    margin: Float64Array.of(margin),
    depth: Float64Array.of(depth),
    epsilon: Float64Array.of(epsilon),
    edgeEpsilon: Float64Array.of(edgeEpsilon),
    choice,
  }
}

/** Role of a contact of `FeatureContactSet.constraints` in the step. */
export const contactRole = {
  /** Inactive: its gap is unconstrained, or no constraint names it. */
  idle: 0,
  /** One of several alternatives of which another separates the bodies. */
  passedBy: 1,
  /** Kept apart, and may push. */
  active: 2,
} as const

/** Applicability from which on features may separate two bodies, whatever other pairs are listed: the deficit of flush ones is rounding. */
export const CLASSICALLY_APPLICABLE = -1e-9
/** Applicability of contacts without features, which hold each by itself. */
export const STANDS_ALONE = 1

/** In place of a part: contacts between two parts. */
export const BETWEEN = -2

/** Contacts of pairs of features, and their joint constraints. */
export class FeatureContactSet extends ContactSet {
  /** One of `featureKind`, and the features of A and B, as their polyhedra number them. */
  kind = new Uint8Array(this.capacity)
  featureA = new Int32Array(this.capacity)
  featureB = new Int32Array(this.capacity)
  /** Tangential offset of the features [m]. */
  aside = new Float64Array(this.capacity)
  /** Sine of the angle by which the features face each other beyond the limit of applicability. */
  applicability = new Float64Array(this.capacity)
  /** 0: not applicable; 1: only by the relaxation; 2: classically, applicability at least 0. Of one pair alone, before its constraints. */
  applicable = new Uint8Array(this.capacity)
  /** 1: of two bounded shapes of which one is curved, so that normal and gap are those of the shapes themselves. */
  ofCurved = new Uint8Array(this.capacity)
  /** One of `contactRole`, written by contact models that choose among contacts. */
  role = new Uint8Array(this.capacity)
  /** Contacts that none of them names are inactive. */
  readonly constraints = new ContactConstraints()

  /** Per body: its part of the world (`Partition`); and the part whose contacts are detected into this set. Undefined: all are. */
  partOf: Int32Array | undefined
  part = 0
  private place = new Int32Array(0)

  /** Whether contacts of the two bodies belong to this set. */
  admits(bodyA: number, bodyB: number): boolean {
    const { partOf, part } = this
    if (partOf === undefined) return true
    const a = partOf[bodyA]
    const b = partOf[bodyB]
    if (part === BETWEEN) return a >= 0 && b >= 0 && a !== b
    return (a < 0 || a === part) && (b < 0 || b === part)
  }

  /**
   * Separation of the pair whose contacts begin at `start`; returns their end.
   *
   * @param out 2 [m]: the greatest gap of those that may separate it, minus infinity without; the least of those without features, infinity
   *            without
   */
  separationOfPair(start: number, out: Float64Array): number {
    const { count, pair, gap, applicability } = this
    out[0] = Number.NEGATIVE_INFINITY
    out[1] = Number.POSITIVE_INFINITY
    let i = start
    for (; i < count && pair[i] === pair[start]; i++) {
      if (applicability[i] === STANDS_ALONE && gap[i] < out[1]) out[1] = gap[i]
      if (applicability[i] >= CLASSICALLY_APPLICABLE && gap[i] > out[0]) out[0] = gap[i]
    }
    return i
  }

  override reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    super.reserve(capacity)
    this.kind = grown(this.kind, capacity)
    this.featureA = grown(this.featureA, capacity)
    this.featureB = grown(this.featureB, capacity)
    this.aside = grown(this.aside, capacity)
    this.applicability = grown(this.applicability, capacity)
    this.applicable = grown(this.applicable, capacity)
    this.ofCurved = grown(this.ofCurved, capacity)
    this.role = grown(this.role, capacity)
  }

  /** Of a contact without features, such as that of an impact, these figures are 0. */
  override append(other: ContactSet, k: number): void {
    const i = this.count
    super.append(other, k)
    const own = other instanceof FeatureContactSet ? other : undefined
    this.kind[i] = own?.kind[k] ?? 0
    this.featureA[i] = own?.featureA[k] ?? 0
    this.featureB[i] = own?.featureB[k] ?? 0
    this.aside[i] = own?.aside[k] ?? 0
    this.applicability[i] = own?.applicability[k] ?? 0
    this.applicable[i] = own?.applicable[k] ?? 0
    this.ofCurved[i] = own?.ofCurved[k] ?? 0
    this.role[i] = own?.role[k] ?? contactRole.idle
  }

  /** Writes contact `from` over contact `to`: a rule that leaves contacts out moves the others up, and sets `count`. */
  keep(from: number, to: number): void {
    const { count } = this
    this.count = to
    this.append(this, from)
    this.count = count
  }

  override copy(other: FeatureContactSet): void {
    this.clear()
    this.reserve(other.capacity)
    this.take(other)
  }

  clear(): void {
    this.count = 0
    this.constraints.clear()
  }

  /** Adds copies of the contacts of another set that `admits` allows, and of the constraints on them. */
  take(other: FeatureContactSet): void {
    if (other.count > this.place.length) this.place = new Int32Array(other.capacity)
    const { place, constraints } = this
    for (let k = 0; k < other.count; k++) {
      place[k] = -1
      if (!this.admits(other.bodyA[k], other.bodyB[k])) continue
      place[k] = this.count
      this.append(other, k)
    }
    constraints.take(other.constraints, place)
  }
}

/** @throws TypeError for contacts that are not of features */
export function featuresOf(contacts: ContactSet): FeatureContactSet {
  if (contacts instanceof FeatureContactSet) return contacts
  throw new TypeError('these contacts were not read of features')
}

/** A step whose contacts are of features. */
export interface FeatureStep extends ContactStep {
  readonly contacts: FeatureContactSet
}

/** @throws TypeError for one whose contacts are not */
export function featureStep(step: ContactStep): FeatureStep {
  featuresOf(step.contacts)
  return step as FeatureStep
}
