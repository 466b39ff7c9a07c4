import type { ContactStep } from '../../contactModel.ts'
import type { SavedProblem, SavedRow } from '../../savedProblem.ts'
import { GroupKind, spring } from '../../solvers/index.ts'
import type { CompliantContact } from './impulseLaw.ts'
import type { ImpulseProblem } from './impulseProblem.ts'

/** Data from which an `ImpulseProblem` has built its rows. */
interface Built {
  readonly name: string
  readonly step: ContactStep
  /** nv x nv: M~, its lower triangle. */
  readonly M: Float64Array
  readonly vFree: Float64Array
  /** Per contact [m]. */
  readonly gap: Float64Array
  /** Per row of the island: velocity added for gaps and drift to the free one [m/s]. */
  readonly added: Float64Array
  readonly compliant: CompliantContact | undefined
}

/** The island that was built last as plain data; its tangents are rotated as the pyramids are. */
export function savedProblemOf(problem: ImpulseProblem, built: Built): Omit<SavedProblem, 'law'> {
  const { system, rows, friction } = problem
  const { name, step, M, vFree, gap, added, compliant } = built
  const nv = vFree.length
  const list = Array.from(system.contacts.subarray(0, system.contactCount))
  const softness = list.flatMap((_, m) => {
    const r = system.first[m]
    return system.first[m + 1] - r === 3 ? [system.soft[r], system.soft[r + 1], system.soft[r + 2]] : [system.soft[r], 0, 0]
  })
  for (let r = system.jointRow; r < system.rowCount; r++) softness.push(system.soft[r])
  return {
    kind: 'contact',
    M: Array.from({ length: nv }, (_, i) => Array.from({ length: nv }, (_, j) => M[Math.max(i, j) * nv + Math.min(i, j)])),
    J: list.flatMap((i, m) => {
      const [normal, t1, t2] = [0, 1, 2].map((r) => rows.denseRow(i, r))
      const [c, s] = [system.corner[2 * m], system.corner[2 * m + 1]]
      return [normal, t1.map((x, k) => c * x + s * t2[k]), t2.map((x, k) => c * x - s * t1[k])]
    }),
    vFree: Array.from(vFree),
    gap: list.map((i) => gap[i]),
    mu: list.map((i) => friction[i]),
    dt: step.dt,
    allowed: list.map((_, m) => added[system.first[m]]),
    ...(compliant && { addedSlip: list.map((_, m) => addedSlip(problem, added, m)) }),
    rows: otherRows(problem, added, nv),
    softness,
    ...(compliant?.writeSpring && {
      springs: list.map((_, m) => Array.from(system.springs.subarray(spring.size * m, spring.size * (m + 1)))),
    }),
    origin: {
      contactModel: name,
      time: step.state.t[0],
      solvers: step.events.solvers.map((count) => ({ ...count })),
    },
  }
}

/** Rows of joints, loops, torsion and rolling, in this order. */
function otherRows(
  { system, joints, islands, loopJ, rows, turning }: ImpulseProblem,
  added: Float64Array,
  nv: number,
): SavedRow[] {
  const jointRows = Array.from({ length: system.jointCount }, (_, n): SavedRow => {
    const j = islands.joints[system.jointAt + n]
    const row = Array<number>(nv).fill(0)
    row[joints.velocity[j]] = joints.sign[j]
    const fields = { J: row, added: added[system.jointRow + n] }
    return joints.kind[j] === GroupKind.unilateral
      ? { kind: 'unilateral', ...fields }
      : { kind: 'bounded', ...fields, limit: joints.limit[j] }
  })
  const loopRows = Array.from({ length: system.loopCount }, (_, n): SavedRow => {
    const r = islands.loops[system.loopAt + n]
    return { kind: 'bilateral', J: Array.from(loopJ.subarray(r * nv, (r + 1) * nv)), added: added[system.loopRow + n] }
  })
  const turnRows = Array.from({ length: system.turnCount }, (_, n): SavedRow => {
    const j = system.turns[n]
    const { contact, entry, J } = turning
    const row = Array<number>(nv).fill(0)
    for (let e = entry[j]; e < entry[j + 1]; e++) row[rows.velocities[rows.first[contact[j]] - entry[j] + e]] = J[e]
    return { kind: 'bounded', J: row, added: 0, limit: system.limit[system.groupCount - system.turnCount + n] }
  })
  return [...jointRows, ...loopRows, ...turnRows]
}

/** Velocities added along the rotated tangents of the island's contact m. */
function addedSlip({ system }: ImpulseProblem, added: Float64Array, m: number): readonly number[] {
  const r = system.first[m]
  if (system.first[m + 1] - r !== 3) return [0, 0]
  const [c, s] = [system.corner[2 * m], system.corner[2 * m + 1]]
  return [c * added[r + 1] + s * added[r + 2], c * added[r + 2] - s * added[r + 1]]
}
