import { type ContactConstraints, constraintKind } from './contactConstraints.ts'
import type { ConstraintRule } from './featureReading.ts'
import { type FeatureContacts, featureKind } from './featureSet.ts'

/** Contacts that some constraint names, or that none may name. */
let done = new Uint8Array(64)

/**
 * One constraint a vertex, over all faces of the other body that it is near: it stays in front of one of these. Those that it can touch in
 * its orientation may push, the others only hold. A vertex near one face has a unilateral constraint; one that can touch none has no
 * constraint. Pairs of edges have none. Of Williams, Lu and Trinkle (2014) equations 18, 20, 22 and 23.
 */
export function constrainVertices(contacts: FeatureContacts, offset: number, out: ContactConstraints): void {
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
    if (pushing === 0) continue
    if (faces === 1) {
      out.addUnilateral(offset + i)
      continue
    }
    out.begin(constraintKind.inter)
    for (let pass = 0; pass < 2; pass++) {
      for (let j = i; j < count; j++) {
        if (kind[j] !== kind[i] || vertices[j] !== vertices[i] || applicable[j] > 0 !== (pass === 0)) continue
        out.addMember(pass === 0)
        out.addContact(offset + j)
      }
    }
  }
}

/** Locally non-convex contact (Nguyen, 2011): one inter-contact constraint a vertex, over the faces near it. */
export const vertexRule: ConstraintRule = {
  choice: 'partners',
  constrain: (_a, _b, contacts, _limits, offset, out) => constrainVertices(contacts, offset, out),
}
