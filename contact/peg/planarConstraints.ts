import { type ContactConstraints, constraintKind } from './contactConstraints.ts'
import { type FeatureContacts, type FeatureLimits, featureKind } from './featureSet.ts'
import type { PlanarBody } from './planarFeatures.ts'
import { constrainVertices } from './vertexConstraints.ts'

/**
 * The constraints of Williams, Lu and Trinkle (2014) on two polygons: of each vertex as `constrainVertices`, and for each pair of
 * vertices at up to the margin the cross constraints of equation (17). These pair edges on the same side: the vertex of A with the
 * edge out of B's, and B's vertex with the edge into A's; and the other way round. A pair neither of which may push is left out, for
 * nothing could satisfy it, and so is one of which only one is near.
 *
 * @param contacts found with the choice `partners`
 */
export function constrainPlanarLiterally(
  a: PlanarBody,
  b: PlanarBody,
  contacts: FeatureContacts,
  limits: FeatureLimits,
  offset: number,
  out: ContactConstraints,
): void {
  constrainVertices(contacts, offset, out)
  for (let v = 0; v < a.count; v++) {
    const intoA = v === 0 ? a.count - 1 : v - 1
    for (let w = 0; w < b.count; w++) {
      if (!areNear(a, v, b, w, limits)) continue
      const intoB = w === 0 ? b.count - 1 : w - 1
      addCross(
        contacts,
        find(contacts, featureKind.vertexFace, v, w),
        find(contacts, featureKind.faceVertex, intoA, w),
        offset,
        out,
      )
      addCross(
        contacts,
        find(contacts, featureKind.vertexFace, v, intoB),
        find(contacts, featureKind.faceVertex, v, w),
        offset,
        out,
      )
    }
  }
}

function areNear(a: PlanarBody, v: number, b: PlanarBody, w: number, { margin }: FeatureLimits): boolean {
  const x = b.verticesW[2 * w] - a.verticesW[2 * v]
  const y = b.verticesW[2 * w + 1] - a.verticesW[2 * v + 1]
  return x * x + y * y <= margin[0] * margin[0]
}

/** The number of a contact, or -1. */
function find({ count, kind, featureA, featureB }: FeatureContacts, wanted: number, a: number, b: number): number {
  for (let i = 0; i < count; i++) if (kind[i] === wanted && featureA[i] === a && featureB[i] === b) return i
  return -1
}

function addCross({ applicable }: FeatureContacts, i: number, j: number, offset: number, out: ContactConstraints): void {
  if (i < 0 || j < 0 || (applicable[i] === 0 && applicable[j] === 0)) return
  out.begin(constraintKind.cross)
  out.addMember(false)
  out.addContact(offset + i)
  out.addMember(false)
  out.addContact(offset + j)
}
