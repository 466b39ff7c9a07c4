import type { ContactSet } from '../contactSet.ts'
import { constraintKind } from './contactConstraints.ts'
import { contactRole, type FeatureContactSet, featuresOf } from './features/featureContactSet.ts'

/** Counts of all contacts of a `FeatureMoment`. */
export type FeatureCounts = Readonly<ReturnType<typeof countsOf>>

/**
 * The feature contacts of one step for display: plain data that structuredClone copies, in world axes and, being for pictures, in single
 * precision. Entry i of each array is contact i, for i < count.
 */
export type FeatureMoment = Readonly<ReturnType<typeof featureMoment>>

/** Lists of `ContactConstraints`, cut to size, without unlisted contacts and disjuncts that have no listed ones. */
export type ConstraintLists = Readonly<ReturnType<typeof listsOf>>

/** Most contacts shown; more are not legible. */
export const shownContacts = 2000

/**
 * Snapshot of a contact set after a step of a model with feature narrow phase. @unchecked
 *
 * @param dt [s]
 * @param most most contacts listed, the first ones
 */
export function featureMoment(seen: ContactSet, dt: number, most = shownContacts) {
  const contacts = featuresOf(seen)
  const { point, normal, gap, impulse, kind, featureA, featureB, role, pair } = contacts
  const count = Math.min(contacts.count, most)
  return {
    count,
    /** Counts that include contacts beyond this list. */
    counts: countsOf(contacts),
    /** 3 a contact: midway between the features [m]; unit, from A to B. */
    point: Float32Array.from(point.subarray(0, 3 * count)),
    normal: Float32Array.from(normal.subarray(0, 3 * count)),
    /** [m], negative when penetrating. */
    gap: Float32Array.from(gap.subarray(0, count)),
    /** Mean normal force over the step [N]. */
    force: Float32Array.from({ length: count }, (_, i) => impulse[3 * i] / dt),
    /** `featureKind`, and the numbers of the features of A and B. */
    kind: kind.slice(0, count),
    featureA: featureA.slice(0, count),
    featureB: featureB.slice(0, count),
    /** `contactRole`. */
    role: role.slice(0, count),
    /** The pair of shapes, as in `ContactSet`. */
    pair: pair.slice(0, count),
    constraints: listsOf(contacts, count),
  }
}

function countsOf({ count, role, impulse, constraints }: FeatureContactSet) {
  const kinds = [0, 0, 0]
  let active = 0
  let pushing = 0
  let activeDisjuncts = 0
  for (let i = 0; i < count; i++) {
    if (role[i] === contactRole.active) active++
    if (impulse[3 * i] > 0) pushing++
  }
  const { contactStart, contact } = constraints
  for (let g = 0; g < constraints.count; g++) kinds[constraints.kind[g]]++
  for (let m = 0; m < constraints.disjunctCount; m++) {
    const own = contact.subarray(contactStart[m], contactStart[m + 1])
    if (own.some((i) => role[i] === contactRole.active)) activeDisjuncts++
  }
  return {
    contacts: count,
    /** Number of active contacts, and of those with an impulse. */
    active,
    pushing,
    unilateral: kinds[constraintKind.unilateral],
    inter: kinds[constraintKind.inter],
    cross: kinds[constraintKind.cross],
    /** Number of all constraints, and of those with an active contact. A disjunct of two constraints counts twice. */
    disjuncts: constraints.disjunctCount,
    activeDisjuncts,
  }
}

function listsOf({ constraints }: FeatureContactSet, count: number) {
  const { kind, disjunctStart, pushing, contactStart, contact } = constraints
  const shown = { kind: [] as number[], disjunctStart: [0], pushing: [] as number[], contactStart: [0], contact: [] as number[] }
  for (let g = 0; g < constraints.count; g++) {
    let disjuncts = 0
    let mayPush = 0
    for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
      const own = contact.subarray(contactStart[m], contactStart[m + 1]).filter((i) => i < count)
      if (own.length === 0) continue
      disjuncts++
      if (m < disjunctStart[g] + pushing[g]) mayPush++
      shown.contact.push(...own)
      shown.contactStart.push(shown.contact.length)
    }
    if (disjuncts === 0) continue
    shown.kind.push(kind[g])
    shown.pushing.push(mayPush)
    shown.disjunctStart.push(shown.contactStart.length - 1)
  }
  return {
    kind: Uint8Array.from(shown.kind),
    disjunctStart: Int32Array.from(shown.disjunctStart),
    pushing: Int32Array.from(shown.pushing),
    contactStart: Int32Array.from(shown.contactStart),
    contact: Int32Array.from(shown.contact),
  }
}

/** A line for display, between contacts of one constraint. */
export interface ConstraintLink {
  /** `constraintKind` of its constraint. */
  readonly kind: number
  /** Whether its disjunct has an active contact. */
  readonly isActive: boolean
  readonly from: Point
  readonly to: Point
}
type Point = readonly [number, number, number]

/**
 * The constraints as lines: from the mean position of each constraint to the means of its disjuncts, and from those to their contacts.
 * Lines of length zero are omitted: those of a constraint on one contact, and of a disjunct of one. @unchecked
 */
export function constraintLinks({ point, role, constraints }: FeatureMoment): ConstraintLink[] {
  const { kind, disjunctStart, contactStart, contact } = constraints
  const at = (i: number): Point => [point[3 * i], point[3 * i + 1], point[3 * i + 2]]
  const links: ConstraintLink[] = []
  const add = (kind: number, isActive: boolean, from: Point, to: Point) => {
    if (from.some((x, k) => x !== to[k])) links.push({ kind, isActive, from, to })
  }
  for (let g = 0; g < kind.length; g++) {
    const disjuncts = Array.from({ length: disjunctStart[g + 1] - disjunctStart[g] }, (_, k) => {
      const m = disjunctStart[g] + k
      const own = [...contact.subarray(contactStart[m], contactStart[m + 1])]
      return { points: own.map(at), isActive: own.some((i) => role[i] === contactRole.active) }
    })
    const middles = disjuncts.map(({ points }) => middleOf(points))
    const center = middleOf(middles)
    disjuncts.forEach(({ points, isActive }, k) => {
      add(kind[g], isActive, center, middles[k])
      for (const p of points) add(kind[g], isActive, middles[k], p)
    })
  }
  return links
}

function middleOf(points: readonly Point[]): Point {
  if (points.length === 1) return points[0]
  const sum = [0, 0, 0]
  for (const p of points) for (let k = 0; k < 3; k++) sum[k] += p[k] / points.length
  return [sum[0], sum[1], sum[2]]
}
