import type { ImpulseStep } from '../models/velocityLevel/impulseStep.ts'
import type { SavedConstraint, SavedMember, SavedProblem } from '../savedProblem.ts'
import type { ConstrainedContacts } from './constrainedContacts.ts'
import { type ContactConstraints, constraintKind } from './contactConstraints.ts'
import type { FeatureContactSet } from './features/featureContactSet.ts'

const kinds = Object.keys(constraintKind) as SavedConstraint['kind'][]

/**
 * Constraints in the format of a file.
 *
 * @param place per contact: its index in the file, negative if absent; a constraint's contacts are all present or all absent
 */
export function savedConstraints(all: ContactConstraints, place: ArrayLike<number>): SavedConstraint[] {
  const { count, kind, disjunctStart, pushing, contactStart, contact } = all
  const saved: SavedConstraint[] = []
  for (let g = 0; g < count; g++) {
    const first = disjunctStart[g]
    if (first === disjunctStart[g + 1] || place[contact[contactStart[first]]] < 0) continue
    const members = Array.from({ length: disjunctStart[g + 1] - first }, (_, m): SavedMember => {
      const contacts = contact.subarray(contactStart[first + m], contactStart[first + m + 1])
      return { pushes: kind[g] !== constraintKind.cross && m < pushing[g], contacts: Array.from(contacts, (i) => place[i]) }
    })
    saved.push({ kind: kinds.find((name) => constraintKind[name] === kind[g]) as SavedConstraint['kind'], members })
  }
  return saved
}

/** Whether some constraint has several disjuncts. */
function leaveChoice(constraints: readonly SavedConstraint[]): boolean {
  return constraints.some(({ members }) => members.length > 1 || !members[0].pushes)
}

/** The problem of the last step. If constraints have several disjuncts, it has all of their contacts, active or not. */
export function saveConstrained(
  impulses: ImpulseStep,
  choice: ConstrainedContacts,
  { count, constraints: all }: FeatureContactSet,
): SavedProblem | undefined {
  const { islands, savedIsland } = impulses.problem
  const { contacts: lists, contactStart } = islands
  const sizeOf = (i: number) => contactStart[i + 1] - contactStart[i]
  let island = savedIsland
  if (island < 0) {
    // none of its contacts is active
    for (let i = 0; i < islands.count; i++) if (sizeOf(i) > (island < 0 ? 0 : sizeOf(island))) island = i
  }
  if (island < 0) return undefined
  const here = Array.from(lists.subarray(contactStart[island], contactStart[island + 1]))
  const place = new Int32Array(count).fill(-1)
  for (const i of here) place[i] = 0
  if (!leaveChoice(savedConstraints(all, place))) return savedIsland < 0 ? undefined : impulses.save()
  const named = new Set(all.contact.subarray(0, all.contactStart[all.disjunctCount]))
  const listed = here.filter((i) => named.has(i))
  place.fill(-1)
  listed.forEach((i, k) => {
    place[i] = k
  })
  const { gap, exact, active: chosen } = choice.rows
  const active = chosen.slice()
  for (const i of here) active[i] = place[i] < 0 ? 0 : 1
  const saved = impulses.save(island, { active, gap, exact })
  return (
    saved && {
      ...saved,
      constraints: savedConstraints(all, place),
      path: choice.startGap !== undefined,
      active: listed.flatMap((i, k) => (chosen[i] === 1 ? [k] : [])),
    }
  )
}
