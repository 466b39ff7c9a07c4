import type { ContactStep } from '../contactModel.ts'
import { ContactSet } from '../contactSet.ts'
import { grown } from '../grown.ts'
import { ContactConstraints } from './contactConstraints.ts'
import { BETWEEN } from './partition.ts'

/** Role of a contact of `FeatureContactSet.constraints` in the step. */
export const contactRole = {
  /** Inactive: its gap is unconstrained, or no constraint names it. */
  idle: 0,
  /** One of several alternatives of which another separates the bodies. */
  passedBy: 1,
  /** Kept apart, and may push. */
  active: 2,
} as const

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

  override reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    super.reserve(capacity)
    this.kind = grown(this.kind, capacity)
    this.featureA = grown(this.featureA, capacity)
    this.featureB = grown(this.featureB, capacity)
    this.aside = grown(this.aside, capacity)
    this.applicability = grown(this.applicability, capacity)
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
    this.ofCurved[i] = own?.ofCurved[k] ?? 0
    this.role[i] = own?.role[k] ?? contactRole.idle
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
