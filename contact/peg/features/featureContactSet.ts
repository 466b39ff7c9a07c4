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
 * Near contacts to be listed.
 *
 * - `applicable`: those applicable within the relaxation.
 * - `partners`: also a vertex near a face that it cannot touch in its orientation. It has no force, but lists the faces around
 *   the vertex, so that the vertex may pass the plane of one of them. The default.
 * - `all`: also pairs of edges that do not face each other. Both directions of their normal are then wrong; the less wrong one is used, and
 *   may switch.
 */
export type FeatureChoice = 'applicable' | 'partners' | 'all'

/** Limits of near and of applicable features. The arrays may be rewritten from step to step. */
export type FeatureLimits = Readonly<ReturnType<typeof featureLimits>>

export interface FeatureOptions {
  /** [m] */
  readonly margin: number
  /** Greatest depth [m], at least the margin, which is the default. Infinity lists every overlap. */
  readonly depth?: number
  /** 0 is classical applicability, which rounding decides for flush features. */
  readonly epsilon?: number
  /** Default: `epsilon`. */
  readonly edgeEpsilon?: number
  readonly choice?: FeatureChoice
}

/** Relaxation of about half a degree: more than a body turns in a millisecond step, and small compared with any edge. */
export const defaultEpsilon = options.search.epsilon.default

/** @unchecked @throws RangeError for a negative margin, a depth below the margin, or an epsilon outside 0 to 1 */
export function featureLimits({
  margin,
  depth = margin,
  epsilon = defaultEpsilon,
  edgeEpsilon = epsilon,
  choice = 'partners',
}: FeatureOptions) {
  if (!(margin >= 0 && margin < Infinity)) throw new RangeError(`margin is ${margin}, expected a length of at least 0 m`)
  if (!(depth >= margin)) throw new RangeError(`depth is ${depth}, expected at least the margin, ${margin} m`)
  for (const [name, value] of Object.entries({ epsilon, edgeEpsilon })) {
    if (!(value >= 0 && value <= 1)) throw new RangeError(`${name} is ${value}, expected the sine of an angle, 0 to 1`)
  }
  return {
    /** 1 [m]: features farther from each other are omitted, except deeper ones. */
    margin: Float64Array.of(margin),
    /** 1 [m]: deeper contacts are omitted; used if more than the margin. */
    depth: Float64Array.of(depth),
    /** 1: tolerance of the applicability of a vertex and a face, a sine. */
    epsilon: Float64Array.of(epsilon),
    /** 1: tolerance of the applicability of two edges, a sine. */
    edgeEpsilon: Float64Array.of(edgeEpsilon),
    choice,
  }
}

/** Role of a contact of `FeatureContactSet.constraints` in the step. */
export const contactRole = {
  /** Inactive: its gap is unconstrained, or it is in no constraint. */
  idle: 0,
  /** In one of several disjuncts, of which another separates the bodies. */
  passedBy: 1,
  /** Its gap must not be negative, and it may have an impulse. */
  active: 2,
} as const

/** Applicability above which features may separate two bodies, whatever other pairs are listed; negative, to allow for rounding. */
export const CLASSICALLY_APPLICABLE = -1e-9
/** Applicability of contacts without features, each of which must hold by itself. */
export const STANDS_ALONE = 1

/** Instead of a part's number: contacts between two parts. */
export const BETWEEN = -2

/** Contacts of pairs of features, and their joint constraints. @unchecked */
export class FeatureContactSet extends ContactSet {
  /** One of `featureKind`, and the features of A and B, numbered as in their polyhedra. */
  kind = new Uint8Array(this.capacity)
  featureA = new Int32Array(this.capacity)
  featureB = new Int32Array(this.capacity)
  /** Tangential offset of the features [m]. */
  aside = new Float64Array(this.capacity)
  /** Sine of the angle between the features' orientation and the limit of applicability, positive inside. */
  applicability = new Float64Array(this.capacity)
  /** 0: not applicable; 1: only by the relaxation; 2: classically, at least 0. Valid for the current pair, before its constraints. */
  applicable = new Uint8Array(this.capacity)
  /** 1 for contacts of two bounded shapes, one of them curved: normal and gap are those of the shapes themselves. */
  ofCurved = new Uint8Array(this.capacity)
  /** One of `contactRole`, written by contact models that select active contacts. */
  role = new Uint8Array(this.capacity)
  /** Contacts in none of these are inactive. */
  readonly constraints = new ContactConstraints()

  /** Per body: its part of the world (`Partition`); and the part whose contacts this set takes. Undefined: all. */
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
   * Separation of the pair whose contacts begin at `start`. @returns the end of its contacts
   *
   * @param out 2 [m]: greatest gap of contacts that may separate it, minus infinity if there are none; least gap of those without features,
   * infinity if none
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

  /** Sets the data of features to 0 for a contact without features, such as one of an impact. */
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

  /** Copies contact `from` over contact `to`, for rules that drop contacts; the caller then sets `count`. */
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

  /** Appends the contacts of another set that `admits` permits, and the constraints on them. */
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

/** @unchecked @throws TypeError for contacts that are not feature contacts */
export function featuresOf(contacts: ContactSet): FeatureContactSet {
  if (contacts instanceof FeatureContactSet) return contacts
  throw new TypeError('these contacts were not read of features')
}

/** A step whose contacts are feature contacts. */
export interface FeatureStep extends ContactStep {
  readonly contacts: FeatureContactSet
}

/** @throws TypeError for a step without feature contacts */
export function featureStep(step: ContactStep): FeatureStep {
  featuresOf(step.contacts)
  return step as FeatureStep
}
