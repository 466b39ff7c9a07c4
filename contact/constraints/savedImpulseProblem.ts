import type { ContactStep } from '../contactModel.ts'
import type { SavedProblem, SavedRow } from '../savedProblem.ts'
import { GroupKind, spring } from '../solvers/index.ts'
import type { CompliantContact } from './impulseLaw.ts'
import type { ImpulseProblem } from './impulseProblem.ts'

/** Note in the output of `solve` for a problem whose friction depends on the direction. */
const DIRECTED =
  'friction by direction: rows across its axis are shortened (docs/contact-models.md#by-direction), so that numbers along tangents are no lengths'

/** Chooses the island to be saved: that of an aborted step, else the first that failed or fell back, else the largest. */
export class IslandToSave {
  readonly name: string
  step: ContactStep | undefined
  /** The island being solved, -1 between steps; kept after an aborted step. */
  present = -1
  private kept = -1
  private rows = 0
  private failed = false

  /** @param name of the contact model */
  constructor(name: string) {
    this.name = name
  }

  /** -1 for none. */
  get island(): number {
    return this.present >= 0 ? this.present : this.kept
  }

  begin(step: ContactStep): void {
    this.step = step
  }

  clear(): void {
    this.present = -1
    this.kept = -1
    this.rows = 0
    this.failed = false
  }

  note(island: number, rows: number, failed: boolean): void {
    if (!(failed && !this.failed) && !(failed === this.failed && rows > this.rows)) return
    this.kept = island
    this.rows = rows
    this.failed = failed
  }

  finish(): void {
    this.present = -1
  }
}

/**
 * The last built island as plain data; tangents are rotated with the pyramids.
 *
 * @param M nv x nv: M~, its lower triangle
 */
export function savedProblemOf(
  problem: ImpulseProblem,
  name: string,
  step: ContactStep,
  M: Float64Array,
  compliant: CompliantContact | undefined,
): Omit<SavedProblem, 'law'> {
  const { system, vFree } = problem
  const { rows, friction, gap } = problem.contacts
  const { contactCount, rowCount, first, corner, soft, added, springs } = system
  const nv = vFree.length
  const list = Array.from(system.index.subarray(0, contactCount))
  const softness = list.flatMap((_, m) => {
    const r = first[m]
    return first[m + 1] - r === 3 ? [soft[r], soft[r + 1], soft[r + 2]] : [soft[r], 0, 0]
  })
  return {
    kind: 'contact',
    M: Array.from({ length: nv }, (_, i) => Array.from({ length: nv }, (_, j) => M[Math.max(i, j) * nv + Math.min(i, j)])),
    J: list.flatMap((i, m) => {
      const [normal, t1, t2] = [0, 1, 2].map((r) => rows.denseRow(i, r))
      const [c, s] = [corner[2 * m], corner[2 * m + 1]]
      return [normal, t1.map((x, k) => c * x + s * t2[k]), t2.map((x, k) => c * x - s * t1[k])]
    }),
    vFree: Array.from(vFree),
    gap: list.map((i) => gap[i]),
    mu: list.map((i) => friction[i]),
    dt: step.dt,
    allowed: list.map((_, m) => added[first[m]]),
    ...((compliant || step.contacts.runs) && { addedSlip: list.map((_, m) => addedSlip(problem, step, m)) }),
    rows: otherRows(problem),
    softness: [...softness, ...soft.subarray(first[contactCount], rowCount)],
    ...(compliant?.writeSpring && {
      springs: list.map((_, m) => Array.from(springs.subarray(spring.size * m, spring.size * (m + 1)))),
    }),
    origin: {
      ...(list.some((i) => step.contacts.inverse2[i] !== 1) && { note: DIRECTED }),
      contactModel: name,
      time: step.state.t[0],
      solvers: step.events.solvers.map((count) => ({ ...count })),
    },
  }
}

/** Rows of joints, loops, torsion and rolling, in this order. */
function otherRows({ system, contacts }: ImpulseProblem): SavedRow[] {
  const { contactCount, groupCount, first, kind, limit, added, list, size, at } = system
  return Array.from({ length: groupCount - contactCount }, (_, n): SavedRow => {
    const g = contactCount + n
    const row = { J: contacts.rows.dense(list[g], size[g], at[g], 1), added: added[first[g]] }
    if (kind[g] === GroupKind.unilateral) return { kind: 'unilateral', ...row }
    return kind[g] === GroupKind.bilateral ? { kind: 'bilateral', ...row } : { kind: 'bounded', ...row, limit: limit[g] }
  })
}

/** Velocities added along the rotated tangents of the island's contact m. */
function addedSlip({ system }: ImpulseProblem, { contacts: { running } }: ContactStep, m: number): readonly number[] {
  const { first, corner, added, index } = system
  const r = first[m]
  if (first[m + 1] - r !== 3) return [0, 0]
  const [c, s] = [corner[2 * m], corner[2 * m + 1]]
  const x = added[r + 1] + running[3 * index[m] + 1]
  const y = added[r + 2] + running[3 * index[m] + 2]
  return [c * x + s * y, c * y - s * x]
}
