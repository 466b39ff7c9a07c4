import type { SavedConstraint, SavedMember } from '../savedProblem.ts'
import { type ContactConstraints, constraintKind } from './contactConstraints.ts'

const kinds = Object.keys(constraintKind) as SavedConstraint['kind'][]

/**
 * Constraints in the form of a file.
 *
 * @param place per contact: its index in the file, negative where it is not there; the contacts of a constraint are all there or none is
 */
export function savedConstraints(all: ContactConstraints, place: ArrayLike<number>): SavedConstraint[] {
  const { count, kind, memberStart, pushing, contactStart, contact } = all
  const saved: SavedConstraint[] = []
  for (let g = 0; g < count; g++) {
    const first = memberStart[g]
    if (first === memberStart[g + 1] || place[contact[contactStart[first]]] < 0) continue
    const members = Array.from({ length: memberStart[g + 1] - first }, (_, m): SavedMember => {
      const contacts = contact.subarray(contactStart[first + m], contactStart[first + m + 1])
      return { pushes: kind[g] !== constraintKind.cross && m < pushing[g], contacts: Array.from(contacts, (i) => place[i]) }
    })
    saved.push({ kind: kinds.find((name) => constraintKind[name] === kind[g]) as SavedConstraint['kind'], members })
  }
  return saved
}

/** Whether some constraint has several members to choose from. */
export function leaveChoice(constraints: readonly SavedConstraint[]): boolean {
  return constraints.some(({ members }) => members.length > 1 || !members[0].pushes)
}
