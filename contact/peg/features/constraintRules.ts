import { addWork } from '../../../dynamics/index.ts'
import { type ContactConstraints, constraintKind } from '../contactConstraints.ts'
import type { FeatureBody } from './featureBody.ts'
import {
  CLASSICALLY_APPLICABLE,
  type FeatureChoice,
  type FeatureContactSet,
  type FeatureLimits,
  featureKind,
} from './featureContactSet.ts'

/** Rule that combines the feature contacts of two bodies into constraints. */
export interface ConstraintRule {
  /** Choice of near contacts that the rule requires. */
  readonly choice: FeatureChoice
  /**
   * Adds the constraints on the feature contacts of one pair of polyhedra. Contacts in no constraint are inactive.
   *
   * @param a, b     placed, as for `featureContacts`
   * @param contacts of a and b; the rule may drop some (`FeatureContactSet.keep`)
   * @param limits   with which they were detected
   * @param offset   number of contact 0 in the constraints
   * @param out      the constraints are appended
   */
  constrain(
    a: FeatureBody,
    b: FeatureBody,
    contacts: FeatureContactSet,
    limits: FeatureLimits,
    offset: number,
    out: ContactConstraints,
  ): void
}

/**
 * Adds the constraints of a rule on two polyhedra (`ConstraintRule.constrain`); over a half-space every applicable vertex has a unilateral
 * constraint. @unchecked
 */
export function constrainFeatures(
  a: FeatureBody,
  b: FeatureBody,
  contacts: FeatureContactSet,
  rule: ConstraintRule,
  limits: FeatureLimits,
  offset: number,
  out: ContactConstraints,
): void {
  if (a.topology.vertexCount > 0 && b.topology.vertexCount > 0) rule.constrain(a, b, contacts, limits, offset, out)
  else for (let i = 0; i < contacts.count; i++) if (contacts.applicable[i] > 0) out.addUnilateral(offset + i)
}

/** Contacts that are in some constraint, or must be in none. */
let done = new Uint8Array(64)

/**
 * Adds one constraint per vertex, over all faces of the other body near it: it must stay in front of one of these. Faces that it can touch
 * in its orientation may push, others only separate. A vertex near one face has a unilateral constraint; one that can touch none, and pairs
 * of edges, have none. Williams, Lu and Trinkle (2014), equations 18, 20, 22 and 23. @unchecked
 *
 * @param asPrinted whether at a corner, of three faces and more, all may push, as (22) and (23) have it, and not the applicable ones alone
 */
export function constrainVertices(contacts: FeatureContactSet, offset: number, out: ContactConstraints, asPrinted = false): void {
  const { count, kind, featureA, featureB, applicable } = contacts
  if (count > done.length) done = new Uint8Array(2 * count)
  done.fill(0, 0, count)
  for (let i = 0; i < count; i++) {
    if (done[i] === 1 || kind[i] === featureKind.edgeEdge) continue
    const vertices = kind[i] === featureKind.vertexFace ? featureA : featureB
    let faces = 0
    let pushing = 0
    for (let j = i; j < count; j++) {
      if (kind[j] !== kind[i] || vertices[j] !== vertices[i]) continue
      done[j] = 1
      faces++
      if (applicable[j] > 0) pushing++
    }
    const all = asPrinted && faces > 2
    if (pushing === 0 && !all) continue
    if (faces === 1) {
      out.addUnilateral(offset + i)
      continue
    }
    out.begin(constraintKind.inter)
    for (let pass = 0; pass < 2; pass++) {
      for (let j = i; j < count; j++) {
        if (kind[j] !== kind[i] || vertices[j] !== vertices[i] || (all || applicable[j] > 0) !== (pass === 0)) continue
        out.addDisjunct(pass === 0)
        out.addContact(offset + j)
      }
    }
  }
}

/** Locally non-convex contact (Nguyen, 2011): one inter-contact constraint per vertex, over the faces near it. */
export const vertexRule: ConstraintRule = {
  choice: 'partners',
  constrain: (_a, _b, contacts, _limits, offset, out) => constrainVertices(contacts, offset, out),
}

/** Directions that differ by less than the relaxation and this angle [rad] belong to features flat on each other. */
const flattest = 0.02
/** Lower bound of that angle for any relaxation: the rounding of a normal. */
const rounding = 1e-6

// relative to the size of the smaller body
/** Tangential offset below which features touch. */
const meeting = 1e-7
/** Distance below which contacts coincide. */
const coincident = 1e-6
/** Distance to a face at which vertices replace crossings of nearly parallel edges, which are not contacts. */
const sliver = 2e-3

/**
 * Union-find over the contacts of one pair, the faces of A and the faces of B: features flat on each other are one disjunct.
 *
 * `isLinked` marks the faces with a contact.
 */
let parent = new Int32Array(256)
let isLinked = new Uint8Array(256)
/** At the root contact of a disjunct: 1 if one of its contacts has a direction in which the bodies, in their orientation, end. */
let holds = new Uint8Array(64)
/** Contacts of the current disjunct. */
let taken = new Int32Array(64)
/** 1: lengths of the pair. */
const size = new Float64Array(1)
/** 1: distance below which contacts coincide. */
const within = new Float64Array(1)
/** Cosine and sine of the angle below which directions coincide. */
const flat = new Float64Array(2)

/** Whether capacity is too small, or too large to keep (after a pair of a million features). */
const isFar = (room: number, needed: number) => needed > room || room > MUCH_ROOM + 64 * needed
const MUCH_ROOM = 65536

/**
 * The exact constraints of two convex polyhedra: they are apart if, and only if, some direction separates them, and each candidate is a
 * face of one or a pair of crossing edges. So there is one inter-contact constraint, whose disjuncts are the candidate separating
 * directions:
 *
 * - a face with all vertices of the other body that may be lowest over it, the lowest being decisive;
 * - a pair of edges;
 * - where faces and edges lie flat on each other, within `flattest`, all of these together. Of such a disjunct, the contacts whose features
 *   touch count: they are the corners of the common area, and the bodies stay apart if these do.
 *
 * A disjunct counts if one of its contacts is applicable without the relaxation; for others a body does not end in that direction. A single
 * disjunct is equivalent to a unilateral constraint on each of its contacts.
 *
 * First-order prediction of gaps at the end of a step has a second-order error, except for edges that are parallel at the start and pass
 * each other: docs/contact-models.md.
 */
function constrainExactly(
  a: FeatureBody,
  b: FeatureBody,
  contacts: FeatureContactSet,
  limits: FeatureLimits,
  offset: number,
  out: ContactConstraints,
): void {
  const { count, kind, featureA, featureB, normal, applicable, applicability } = contacts
  const N = a.normalW
  const M = b.normalW
  const edgesOfA = a.topology.edgeFaces
  const edgesOfB = b.topology.edgeFaces
  const facesA = a.offsetW.length
  const facesB = b.offsetW.length
  setFlat(limits)
  size[0] = Math.min(a.collider.radius, b.collider.radius)
  begin(count, facesA + facesB)
  const firstB = count + facesA
  for (let i = 0; i < count; i++) {
    if (applicable[i] === 0) continue
    if (kind[i] === featureKind.vertexFace) link(i, firstB + featureB[i], count)
    else if (kind[i] === featureKind.faceVertex) link(i, count + featureA[i], count)
    else if (applicability[i] >= -flat[1]) {
      for (let s = 0; s < 2; s++) {
        const f = edgesOfA[2 * featureA[i] + s]
        const g = edgesOfB[2 * featureB[i] + s]
        const alongA = N[3 * f] * normal[3 * i] + N[3 * f + 1] * normal[3 * i + 1] + N[3 * f + 2] * normal[3 * i + 2]
        const alongB = M[3 * g] * normal[3 * i] + M[3 * g + 1] * normal[3 * i + 1] + M[3 * g + 2] * normal[3 * i + 2]
        if (alongA >= flat[0]) link(i, count + f, count)
        if (alongB <= -flat[0]) link(i, firstB + g, count)
      }
    }
  }
  for (let f = 0; f < facesA; f++) {
    if (isLinked[f] === 0) continue
    for (let g = 0; g < facesB; g++) {
      if (isLinked[facesA + g] === 0) continue
      const along = N[3 * f] * M[3 * g] + N[3 * f + 1] * M[3 * g + 1] + N[3 * f + 2] * M[3 * g + 2]
      if (along <= -flat[0]) join(count + f, firstB + g)
    }
  }
  writeDisjuncts(contacts, offset, out)
}

/** One inter-contact constraint per pair, over all directions that can separate its bodies. */
export const exactRule: ConstraintRule = { choice: 'applicable', constrain: constrainExactly }

function setFlat({ epsilon }: FeatureLimits): void {
  flat[1] = epsilon[0]
  if (flat[1] > flattest) flat[1] = flattest
  if (flat[1] < rounding) flat[1] = rounding
  flat[0] = Math.sqrt(1 - flat[1] * flat[1])
}

function begin(count: number, faces: number): void {
  const nodes = count + faces
  if (isFar(parent.length, nodes)) parent = new Int32Array(2 * nodes)
  if (faces > isLinked.length) isLinked = new Uint8Array(2 * faces)
  if (isFar(taken.length, count)) {
    taken = new Int32Array(2 * count)
    holds = new Uint8Array(2 * count)
  }
  for (let k = 0; k < nodes; k++) parent[k] = k
  isLinked.fill(0, 0, faces)
}

function root(k: number): number {
  let r = k
  while (parent[r] !== r) r = parent[r]
  return r
}

function join(i: number, j: number): void {
  const p = root(i)
  const q = root(j)
  // the lowest number is the root
  if (p < q) parent[q] = p
  else parent[p] = q
}

/** @param count number of contacts, after which faces are numbered */
function link(contact: number, face: number, count: number): void {
  isLinked[face - count] = 1
  join(contact, face)
}

function writeDisjuncts(contacts: FeatureContactSet, offset: number, out: ContactConstraints): void {
  const { count } = contacts
  let disjuncts = countDisjuncts(contacts, true)
  // the one remaining direction may be that of nearly parallel edges, which are not contacts: its neighbours are better than none
  if (disjuncts === 0) disjuncts = countDisjuncts(contacts, false)
  if (disjuncts === 0) return
  if (disjuncts > 1) out.begin(constraintKind.inter)
  for (let i = 0; i < count; i++) {
    if (holds[i] === 0) continue
    const n = takeDisjunct(i, contacts)
    if (disjuncts > 1) out.addDisjunct(true)
    for (let k = 0; k < n; k++) {
      if (disjuncts > 1) out.addContact(offset + taken[k])
      else out.addUnilateral(offset + taken[k])
    }
  }
}

/** Marks in `holds` the disjuncts with an applicable contact, or, if `classically`, a classically applicable one. @returns their number */
function countDisjuncts({ count, applicable, applicability }: FeatureContactSet, classically: boolean): number {
  holds.fill(0, 0, count)
  let disjuncts = 0
  for (let i = 0; i < count; i++) {
    if (applicable[i] === 0 || (classically && !(applicability[i] >= CLASSICALLY_APPLICABLE))) continue
    const r = root(i)
    if (holds[r] === 0) disjuncts++
    holds[r] = 1
  }
  return disjuncts
}

/**
 * Writes to `taken` the relevant contacts of the disjunct that starts with contact `first`.
 *
 * Vertices flat on a face count if inside it; outside, the crossings of its border count, if one of the touching contacts separates the
 * bodies in their orientation. Other vertices over the face rise from it at an angle, and always count, since they may become the lowest.
 *
 * @returns their number
 */
function takeDisjunct(first: number, contacts: FeatureContactSet): number {
  const { count, aside, applicable, applicability } = contacts
  const meet = meeting * size[0]
  const near = sliver * size[0]
  addWork(count - first, 3, 1)
  let some = false
  for (let i = first; i < count; i++) {
    if (applicable[i] > 0 && aside[i] <= meet && applicability[i] >= CLASSICALLY_APPLICABLE && root(i) === first) some = true
  }
  let n = 0
  within[0] = coincident * size[0]
  for (let i = first; i < count; i++) {
    if (applicable[i] === 0 || root(i) !== first) continue
    if (some && applicability[i] >= -flat[1] && (aside[i] > meet || isTaken(contacts, i, n))) continue
    taken[n++] = i
  }
  if (!some) return n
  for (let i = first; i < count; i++) {
    if (applicable[i] === 0 || !(aside[i] > meet && aside[i] <= near) || root(i) !== first) continue
    within[0] = 3 * aside[i]
    if (applicability[i] >= -flat[1] && !isTaken(contacts, i, n)) taken[n++] = i
  }
  return n
}

/** Whether one of the n contacts in `taken` is within `within` of contact i. */
function isTaken({ point }: FeatureContactSet, i: number, n: number): boolean {
  for (let k = 0; k < n; k++) {
    let squared = 0
    for (let d = 0; d < 3; d++) {
      const x = point[3 * taken[k] + d] - point[3 * i + d]
      squared += x * x
    }
    if (squared <= within[0] * within[0]) return true
  }
  return false
}
