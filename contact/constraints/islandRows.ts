import { spring } from '../solvers/index.ts'
import type { ContactRows } from './contactRows.ts'
import { sources } from './rowSource.ts'

const SOURCES = Object.keys(sources).length

/**
 * Constraint rows of one island in one layout, whatever their source. Rows come in groups: three of a contact with friction, along its
 * normal and tangents, and one of every other constraint. J of a group has entries for its `size` velocities alone.
 */
export class IslandRows {
  rowCount = 0
  groupCount = 0
  /** Groups of source s, in the order of `sources`, are start[s] to start[s + 1] - 1. */
  readonly start = new Int32Array(SOURCES + 1)
  /** groupCount + 1: rows of group g are first[g] to first[g + 1] - 1. */
  first = new Int32Array(1)
  /** J and lists of velocities of all rows of the step. */
  readonly jacobian: ContactRows

  // per group
  /** Per group: number of its constraint within its source. */
  index = new Int32Array(0)
  /**
   * Per group: its first velocity in jacobian.velocities, their number, and its start in jacobian.J (a contact has 3 entries a velocity).
   */
  list = new Int32Array(0)
  size = new Int32Array(0)
  at = new Int32Array(0)
  /** Kind of each group, as in `NewtonProblem`. */
  kind = new Uint8Array(0)
  limit = new Float64Array(0)
  scale = new Float64Array(0)
  corner = new Float64Array(0)
  springs = new Float64Array(0)

  // per row
  /** Per row: J v of the velocity without impulses, plus `added`; and compliance, the diagonal added to W [1/kg, 1/(kg m²)]. */
  rhs = new Float64Array(0)
  soft = new Float64Array(0)
  /** Per row: velocity added for gaps and drift [m/s, rad/s]; and the distance to where the row becomes active [m, rad]. */
  added = new Float64Array(0)
  distance = new Float64Array(0)
  /** Impulse [N s, N m s], and w = p - u / scale. */
  p = new Float64Array(0)
  w = new Float64Array(0)

  constructor(jacobian: ContactRows) {
    this.jacobian = jacobian
  }

  get contactCount(): number {
    return this.start[1]
  }

  /** Removes all rows, and reserves capacity. */
  protected clear(contacts: number, others: number): void {
    this.rowCount = 0
    this.groupCount = 0
    for (let s = 0; s <= SOURCES; s++) this.start[s] = 0
    const groups = contacts + others
    const rows = 3 * contacts + others
    if (rows > this.rhs.length) {
      this.rhs = new Float64Array(2 * rows)
      this.soft = new Float64Array(2 * rows)
      this.added = new Float64Array(2 * rows)
      this.distance = new Float64Array(2 * rows)
      this.p = new Float64Array(2 * rows)
      this.w = new Float64Array(2 * rows)
    }
    this.first[0] = 0
    if (groups < this.kind.length) return
    this.first = new Int32Array(2 * groups + 2)
    this.index = new Int32Array(2 * groups + 1)
    this.list = new Int32Array(2 * groups + 1)
    this.size = new Int32Array(2 * groups + 1)
    this.at = new Int32Array(2 * groups + 1)
    this.kind = new Uint8Array(2 * groups + 1)
    this.limit = new Float64Array(2 * groups + 1)
    this.scale = new Float64Array(2 * groups + 1)
    this.corner = new Float64Array(4 * groups + 2)
    this.springs = new Float64Array(spring.size * (2 * groups + 1))
  }

  /**
   * Adds a group. Call source by source.
   *
   * @param width 3 for a contact with friction, else 1
   */
  add(index: number, width: number, list: number, size: number, at: number): void {
    const g = this.groupCount++
    this.index[g] = index
    this.list[g] = list
    this.size[g] = size
    this.at[g] = at
    this.first[g] = this.rowCount
    this.rowCount += width
    this.first[g + 1] = this.rowCount
  }
}
