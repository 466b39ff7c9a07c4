import type { ContactSet } from '../contactSet.ts'
import { GroupKind } from '../solvers/index.ts'
import type { ContactSource } from './contactSource.ts'
import type { ImpulseProblem } from './impulseProblem.ts'
import { RowSource, sources } from './rowSource.ts'
import { resistedMotion, TorsionRollingRows } from './torsionRollingRows.ts'
import type { VelocitySystem } from './velocitySystem.ts'

/** Relative tolerance of the bounds of moments. */
const SAME_BOUND = 1e-6

/** Torsional friction and rolling resistance of contacts, each bounded by the load of its contact. */
export class TorsionRollingSource extends RowSource {
  readonly rows: TorsionRollingRows
  private readonly contacts: ContactSource
  /** Warm-start key of pair 0 and axis 0, below those of joints and loops. */
  private readonly firstKey: number
  private set: ContactSet | undefined

  /** @param loops number of rows of loops */
  constructor(contacts: ContactSource, loops: number) {
    super(sources.torsionRolling)
    const { model } = contacts.rows.pattern
    this.rows = new TorsionRollingRows(model)
    this.contacts = contacts
    this.firstKey = -1 - model.nv - loops
  }

  prepare(contacts: ContactSet): void {
    this.set = contacts
    this.count = this.rows.count
    if (3 * this.count > this.guess.length) this.reserve(2 * this.count)
  }

  addRows({ system }: ImpulseProblem): void {
    const { rows } = this
    const { first, size } = this.contacts.rows
    for (let m = 0; m < system.contactCount; m++) {
      const i = system.index[m]
      for (let j = rows.first[i]; j < rows.first[i + 1]; j++) system.add(j, 1, first[i], size[i], rows.at[j])
    }
  }

  /** Sets the bounds from the last step's load; `updateBounds` replaces them by this step's. */
  fill({ system, softness }: ImpulseProblem): void {
    const { rows, contacts } = this
    const { start, index, first, kind, limit, soft, scale } = system
    for (let g = start[sources.torsionRolling]; g < start[sources.torsionRolling + 1]; g++) {
      const load = contacts.guess[3 * rows.contact[index[g]]]
      kind[g] = GroupKind.bounded
      limit[g] = load > 0 ? load * rows.lever[index[g]] : 0
      soft[first[g]] = softness[1] * softness[0] * scale[g]
    }
  }

  setTargets({ system, vFree }: ImpulseProblem): void {
    const { J, velocities } = this.contacts.rows
    const { start, first, rhs, added, distance, index, list, size, at } = system
    for (let g = start[sources.torsionRolling]; g < start[sources.torsionRolling + 1]; g++) {
      let u = 0
      for (let c = 0; c < size[g]; c++) u += J[at[g] + c] * vFree[velocities[list[g] + c]]
      const { contact, axis } = this.rows
      added[first[g]] = axis[index[g]] === resistedMotion.spin ? (this.set as ContactSet).spin[contact[index[g]]] : 0
      rhs[first[g]] = u + added[first[g]]
      distance[first[g]] = 0
    }
  }

  /** Sets the bounds of moments from the loads found. @returns whether the solution changes */
  updateBounds({ start, index, first, limit, p }: VelocitySystem): boolean {
    const { rows } = this
    let changes = false
    for (let g = start[sources.torsionRolling], m = 0; g < start[sources.torsionRolling + 1]; g++) {
      const j = index[g]
      while (index[m] !== rows.contact[j]) m++
      const bound = p[first[m]] * rows.lever[j]
      const before = limit[g]
      const moment = Math.abs(p[first[g]])
      const isFull = moment >= before * (1 - SAME_BOUND)
      if (moment > bound * (1 + SAME_BOUND) || (isFull && bound > before * (1 + SAME_BOUND))) changes = true
      limit[g] = bound
    }
    return changes
  }

  /** Writes the moments of the last solve into the contacts. */
  report(contacts: ContactSet): void {
    const { rows, impulse } = this
    for (let j = 0; j < this.count; j++) {
      if (this.contacts.isActive(rows.contact[j])) rows.addMoment(contacts, j, impulse, 3 * j)
    }
  }

  protected pairOf(j: number): number {
    const { contact, axis } = this.rows
    return this.set === undefined ? 0 : this.firstKey - 3 * this.set.pair[contact[j]] - axis[j]
  }

  protected featureOf(j: number): number {
    return this.set === undefined ? 0 : this.set.feature[this.rows.contact[j]]
  }

  protected override isKept(j: number): boolean {
    return this.contacts.isActive(this.rows.contact[j]) && !Number.isNaN(this.guess[3 * j])
  }
}
