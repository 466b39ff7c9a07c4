import { type ContactConstraints, constraintKind } from '../contactConstraints.ts'
import { PUSHING } from './disjunctViolations.ts'

/** Rounding of gaps at the start over the step [m/s]. */
const TOLERANCE = 1e-9

/**
 * Violation of the constraints by psi and normal impulses [m/s]. It is the greatest of: a constraint's value below zero; for each
 * constraint with an impulse, its value or the contact's own psi above zero, or its disjunct's value below the contact's psi. Infinite for
 * an impulse that no constraint permits. @unchecked
 *
 * @param psi      per contact: gap over the step at its end [m/s]
 * @param startGap per contact: gap over the step at its start, if paths count: a disjunct that holds only at the end does not forbid the
 * impulse of another
 */
export function constraintViolation(
  constraints: ContactConstraints,
  psi: Float64Array,
  impulse: Float64Array,
  startGap: Float64Array = psi.map(() => 0),
): number {
  const { count, kind, disjunctStart, pushing, contactStart, contact } = constraints
  const least = PUSHING * impulse.reduce((most, x) => Math.max(most, x), 0)
  const mayPush = new Uint8Array(psi.length)
  const [startGaps, endGaps] = [startGap, psi].map((gap) => {
    const least = new Float64Array(constraints.disjunctCount)
    constraints.leastGaps(gap, least)
    return least
  })
  let worst = 0
  for (let g = 0; g < count; g++) {
    const disjuncts = Array.from({ length: disjunctStart[g + 1] - disjunctStart[g] }, (_, m) => disjunctStart[g] + m)
    if (disjuncts.length === 0) continue
    const ends = disjuncts.map((m) => endGaps[m])
    const starts = disjuncts.map((m) => startGaps[m])
    const floor = Math.min(0, Math.max(...starts)) - TOLERANCE
    const value = Math.max(...ends.filter((_, m) => starts[m] >= floor))
    worst = Math.max(worst, -Math.max(...ends))
    if (kind[g] === constraintKind.cross) continue
    disjuncts.slice(0, pushing[g]).forEach((m, k) => {
      for (const i of contact.subarray(contactStart[m], contactStart[m + 1])) {
        mayPush[i] = 1
        if (impulse[i] > least) worst = Math.max(worst, value, psi[i], psi[i] - ends[k])
      }
    })
  }
  return impulse.some((x, i) => mayPush[i] === 0 && x > least) ? Number.POSITIVE_INFINITY : worst
}

/**
 * The greatest violation of a constraint (value below zero, or below its value at the start if that is less) on the straight path from
 * `start` to `end` [m/s]. As a maximum of minima of straight lines, the value is lowest at an end or where two lines cross. @unchecked
 */
export function pathViolation(constraints: ContactConstraints, start: Float64Array, end: Float64Array): number {
  const { count, disjunctStart, contactStart, contact } = constraints
  let worst = 0
  for (let g = 0; g < count; g++) {
    const valueAt = (t: number) => {
      let value = Number.NEGATIVE_INFINITY
      for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
        let least = Number.POSITIVE_INFINITY
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          least = Math.min(least, (1 - t) * start[contact[k]] + t * end[contact[k]])
        }
        value = Math.max(value, least)
      }
      return value
    }
    const floor = Math.min(0, valueAt(0))
    worst = Math.max(worst, floor - valueAt(1))
    const first = contactStart[disjunctStart[g]]
    const last = contactStart[disjunctStart[g + 1]]
    for (let k = first; k < last; k++) {
      for (let l = first; l < k; l++) {
        const before = start[contact[k]] - start[contact[l]]
        const after = end[contact[k]] - end[contact[l]]
        if (before * after < 0) worst = Math.max(worst, floor - valueAt(before / (before - after)))
      }
    }
  }
  return worst
}
