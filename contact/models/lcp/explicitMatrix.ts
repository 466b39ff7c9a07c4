import type { Model } from '../../../dynamics/index.ts'
import { type ImpulseProblem, sources, type WrittenMatrix } from '../../constraints/index.ts'
import type { ContactStep } from '../../contactModel.ts'
import { type ContactMatrix, type ContactMatrixName, createContactMatrix, RowSet } from '../../matrix/index.ts'

/** W of an island by articulated-body inertias, from the geometry of its rows (`RowSet`). */
export class ExplicitMatrix implements WrittenMatrix {
  private readonly matrix: ContactMatrix
  private readonly rows = new RowSet()
  /** nv: diagonal of M~ - M. */
  private readonly added: Float64Array
  private readonly nv: number

  constructor(way: ContactMatrixName, model: Model) {
    this.matrix = createContactMatrix(way, model)
    this.nv = model.nv
    this.added = new Float64Array(model.nv)
  }

  write(
    { system, joints, loops: { loops }, torsionRolling, contacts: { rows: jacobian } }: ImpulseProblem,
    { data, contacts: set }: ContactStep,
    W: Float64Array,
  ): void {
    const { matrix, rows, added, nv } = this
    const { contactCount, start, index, size, at, first, corner } = system
    for (let k = 0; k < nv; k++) added[k] = system.M[k * nv + k] - data.M[k * nv + k]
    matrix.begin(data, added)
    rows.clear()
    for (let m = 0; m < contactCount; m++) {
      const width = first[m + 1] - first[m]
      rows.addContact(set, index[m], width)
      if (width === 3) this.turnAxes(corner, m)
    }
    for (let g = start[sources.joint]; g < start[sources.joint + 1]; g++) {
      const j = index[g]
      rows.addJoint(joints.velocity[j], joints.sign[j] > 0 ? 1 : -1)
    }
    for (let g = start[sources.loop]; g < start[sources.loop + 1]; g++) {
      const r = index[g]
      const { bodyA, bodyB, isCouple, point, direction } = loops
      const i = isCouple[r] === 1 ? rows.addCouple(bodyA[r], bodyB[r], 1) : rows.addForce(bodyA[r], bodyB[r], 1)
      // a row of J that is rounding alone moves nothing, as across the plane of a planar linkage
      let moves = 0
      for (let e = at[g]; e < at[g] + size[g]; e++) if (jacobian.J[e] !== 0) moves = 1
      for (let d = 0; d < 3; d++) {
        rows.point[3 * i + d] = point[3 * r + d]
        rows.axes[9 * i + d] = moves * direction[3 * r + d]
      }
    }
    for (let g = start[sources.torsionRolling]; g < start[sources.torsionRolling + 1]; g++) {
      const { contact, direction } = torsionRolling.rows
      const j = index[g]
      const i = rows.addCouple(set.bodyA[contact[j]], set.bodyB[contact[j]], 1)
      for (let d = 0; d < 3; d++) rows.axes[9 * i + d] = direction[3 * j + d]
    }
    matrix.build(rows, W)
  }

  /** Rotates the tangents of the last entry, the island's contact m. */
  private turnAxes(corner: Float64Array, m: number): void {
    const { axes, count } = this.rows
    const c = corner[2 * m]
    const s = corner[2 * m + 1]
    const t1 = 9 * count - 6
    const t2 = t1 + 3
    for (let d = 0; d < 3; d++) {
      const x = axes[t1 + d]
      const y = axes[t2 + d]
      axes[t1 + d] = c * x + s * y
      axes[t2 + d] = c * y - s * x
    }
  }
}
