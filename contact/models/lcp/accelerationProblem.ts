import type { ContactSet } from '../../contactSet.ts'
import type { LoopRows } from '../../loops/index.ts'
import type { RowSet } from '../../matrix/index.ts'
import { type ContactProblem, GroupKind } from '../../solvers/index.ts'
import type { ContactRows } from '../contactRows.ts'
import type { Islands } from '../velocityLevel/islands.ts'
import type { JointRows } from '../velocityLevel/jointRows.ts'
import type { RowMatrix } from '../velocityLevel/rowMatrix.ts'
import type { TreeInertia } from './treeInertia.ts'

/** Slower than this there is no direction of slip, and friction is static [m/s]. */
const NO_SLIP = 1e-6
/** A velocity below this has no direction [m/s]. */
const NO_DIRECTION = 1e-9
/** Softness of tangents and of joint limits, and of loops, as shares of what normals have. */
const TANGENT_SHARE = 0.1
const LOOP_SHARE = 1e-3

/**
 * The matrix A = J M⁻¹ Jᵀ of one island, in groups: its contacts, of three rows each (one without friction), the joint limits that are
 * near, and the rows of its loops, in this order. Forces f give rows the accelerations A f + right; impulses, velocities.
 *
 * The first tangent of a contact is turned along its slip, or along that which it would have without contact, so that a pyramid has a
 * corner there, and a box the middle of a side.
 *
 * All pairs of shapes of an island are equally soft, shared among their points, as a share of the inverse mass of its heaviest tree, a tenth of it in tangents: that settles
 * loads that are indeterminate, as equal springs would share them, and keeps matrices regular.
 */
export class AccelerationProblem implements ContactProblem {
  rowCount = 0
  groupCount = 0
  /** The first of them are contacts, then limits, then loops. */
  contactCount = 0
  limitCount = 0
  first = new Int32Array(1)
  kind = new Uint8Array(0)
  /** Per group: coefficient of friction. */
  limit = new Float64Array(0)
  right = new Float64Array(0)
  /**
   * 2 a group: the unit vector of its slip at the start of the step in its tangents, zeros where it does not slip. Of use where tangents
   * are turned along that slip.
   */
  slip = new Float64Array(0)
  /** Per group: the contact, row of joints or row of loops that it is. */
  member = new Int32Array(0)
  /** Per row: what was added to the diagonal. */
  soft = new Float64Array(0)
  /** Per contact: the points of its pair of shapes, which share its softness. */
  private points = new Int32Array(0)
  private readonly inertia: TreeInertia
  /** 2 a contact: cosine and sine of the angle from its tangent 1 to the first tangent here. */
  private turn = new Float64Array(0)
  private readonly rows: ContactRows
  private readonly joints: JointRows
  private readonly loops: LoopRows
  /** loops.count x nv. */
  private readonly loopJ: Float64Array
  private readonly nv: number
  /** 1 */
  private readonly softness: Float64Array
  /** 3: along a contact's own normal and tangents. */
  private readonly own = new Float64Array(3)

  /** @param compliance softness of normals times the mass of the heaviest tree */
  constructor(
    rows: ContactRows,
    joints: JointRows,
    loops: LoopRows,
    loopJ: Float64Array,
    inertia: TreeInertia,
    nv: number,
    compliance: number,
  ) {
    this.softness = Float64Array.of(compliance)
    this.inertia = inertia
    this.rows = rows
    this.joints = joints
    this.loops = loops
    this.loopJ = loopJ
    this.nv = nv
  }

  get W(): Float64Array {
    return this.inertia.W
  }

  /**
   * The groups of an island.
   *
   * @param u     3 a contact: its velocity at the start of the step
   * @param along 3 a contact: the velocity that tangents are turned along, where that is not nothing
   */
  gather(contacts: ContactSet, islands: Islands, island: number, u: Float64Array, along: Float64Array): void {
    const { contactStart, jointStart, loopStart } = islands
    const { mu } = contacts
    this.contactCount = contactStart[island + 1] - contactStart[island]
    this.limitCount = jointStart[island + 1] - jointStart[island]
    const loopCount = loopStart[island + 1] - loopStart[island]
    const groups = this.contactCount + this.limitCount + loopCount
    this.reserve(groups)
    if (2 * contacts.capacity > this.turn.length) this.turn = new Float64Array(2 * contacts.capacity)
    const { member, first, kind, limit, slip, contactCount, limitCount } = this
    let row = 0
    for (let g = 0; g < contactCount; g++) {
      const i = islands.contacts[contactStart[island] + g]
      member[g] = i
      first[g] = row
      limit[g] = mu[i]
      kind[g] = mu[i] > 0 ? GroupKind.frictional : GroupKind.unilateral
      row += mu[i] > 0 ? 3 : 1
      this.setSlip(g, i, u)
      this.setTurn(i, along)
    }
    for (let n = 0; n < limitCount + loopCount; n++) {
      const g = contactCount + n
      const isLimit = n < limitCount
      member[g] = isLimit ? islands.joints[jointStart[island] + n] : islands.loops[loopStart[island] + n - limitCount]
      kind[g] = isLimit ? GroupKind.unilateral : GroupKind.bilateral
      first[g] = row++
      limit[g] = 0
      slip[2 * g] = 0
      slip[2 * g + 1] = 0
    }
    this.countPoints(contacts)
    this.groupCount = groups
    first[groups] = row
    this.rowCount = row
    if (row > this.right.length) {
      this.right = new Float64Array(2 * row)
      this.soft = new Float64Array(2 * row)
    }
  }

  /** How many points the pair of each contact has; they stand one behind the other. */
  private countPoints({ pair }: ContactSet): void {
    const { member, points, contactCount } = this
    for (let g = 0; g < contactCount; ) {
      let end = g + 1
      while (end < contactCount && pair[member[end]] === pair[member[g]]) end++
      for (let k = g; k < end; k++) points[k] = end - g
      g = end
    }
  }

  private reserve(groups: number): void {
    if (groups <= this.member.length) return
    const capacity = 2 * groups
    this.points = new Int32Array(capacity)
    this.member = new Int32Array(capacity)
    this.first = new Int32Array(capacity + 1)
    this.kind = new Uint8Array(capacity)
    this.limit = new Float64Array(capacity)
    this.slip = new Float64Array(2 * capacity)
  }

  private setSlip(g: number, i: number, u: Float64Array): void {
    const x = u[3 * i + 1]
    const y = u[3 * i + 2]
    this.slip[2 * g] = x * x + y * y > NO_SLIP * NO_SLIP ? 1 : 0
    this.slip[2 * g + 1] = 0
  }

  private setTurn(i: number, along: Float64Array): void {
    const { turn } = this
    const x = along[3 * i + 1]
    const y = along[3 * i + 2]
    const speed = Math.sqrt(x * x + y * y)
    const turns = speed > NO_DIRECTION
    turn[2 * i] = turns ? x / speed : 1
    turn[2 * i + 1] = turns ? y / speed : 0
  }

  /** The matrix. The contacts are those of `gather`. */
  build(contacts: ContactSet): void {
    this.inertia.build(this, contacts)
  }

  /** Adds all rows. @param L the factor of M */
  addRows(matrix: RowMatrix, L: Float64Array): void {
    const { joints, loops, loopJ, member, first, turn, groupCount, contactCount, limitCount, nv } = this
    for (let g = 0; g < contactCount; g++) {
      const i = member[g]
      matrix.addContact(first[g], first[g + 1] - first[g], i, turn, L)
    }
    for (let g = contactCount; g < contactCount + limitCount; g++) {
      matrix.addJoint(first[g], joints.velocity[member[g]], joints.sign, member[g], L)
    }
    for (let g = contactCount + limitCount; g < groupCount; g++) {
      const r = member[g]
      matrix.addRow(first[g], loopJ, r * nv, loops.velocities, loops.first[r], loops.first[r] + loops.size[r], L)
    }
  }

  /** Appends all rows as what they mean. */
  listRows(set: RowSet, contacts: ContactSet): void {
    const { joints, member, first, groupCount, contactCount, limitCount } = this
    for (let g = 0; g < contactCount; g++) {
      const width = first[g + 1] - first[g]
      set.addContact(contacts, member[g], width)
      if (width === 3) this.turnAxes(set, member[g])
    }
    for (let g = contactCount; g < contactCount + limitCount; g++) {
      set.addJoint(joints.velocity[member[g]], joints.sign[member[g]] > 0 ? 1 : -1)
    }
    for (let g = contactCount + limitCount; g < groupCount; g++) this.listLoopRow(set, member[g])
  }

  /** Turns the tangents of the last entry, which is contact i. */
  private turnAxes({ axes, count }: RowSet, i: number): void {
    const c = this.turn[2 * i]
    const s = this.turn[2 * i + 1]
    const t1 = 9 * count - 6
    const t2 = t1 + 3
    for (let d = 0; d < 3; d++) {
      const x = axes[t1 + d]
      const y = axes[t2 + d]
      axes[t1 + d] = c * x + s * y
      axes[t2 + d] = c * y - s * x
    }
  }

  private listLoopRow(set: RowSet, r: number): void {
    const { loops, loopJ, nv } = this
    const { bodyA, bodyB, isCouple, point, direction, first, size, velocities } = loops
    const i = isCouple[r] === 1 ? set.addCouple(bodyA[r], bodyB[r], 1) : set.addForce(bodyA[r], bodyB[r], 1)
    // a row of which J has rounding alone moves nothing, as across the plane of a planar linkage
    let moves = 0
    for (let a = first[r]; a < first[r] + size[r]; a++) if (loopJ[r * nv + velocities[a]] !== 0) moves = 1
    for (let d = 0; d < 3; d++) {
      set.point[3 * i + d] = point[3 * r + d]
      set.axes[9 * i + d] = moves * direction[3 * r + d]
    }
  }

  /** x += Jᵀ f. */
  addGeneralisedForces(f: Float64Array, x: Float64Array): void {
    const { rows, joints, loops, loopJ, member, first, own, groupCount, contactCount, limitCount, nv } = this
    for (let g = 0; g < contactCount; g++) {
      this.writeOwn(g, f, own)
      this.addContactForce(rows, member[g], x)
    }
    for (let g = contactCount; g < contactCount + limitCount; g++) {
      x[joints.velocity[member[g]]] += joints.sign[member[g]] * f[first[g]]
    }
    for (let g = contactCount + limitCount; g < groupCount; g++) {
      const r = member[g]
      const end = loops.first[r] + loops.size[r]
      for (let a = loops.first[r]; a < end; a++) {
        const k = loops.velocities[a]
        x[k] += loopJ[r * nv + k] * f[first[g]]
      }
    }
  }

  /** x += Jᵀ own of contact i. */
  private addContactForce({ J, velocities, first, size, entry }: ContactRows, i: number, x: Float64Array): void {
    const { own } = this
    const end = first[i] + size[i]
    for (let a = first[i], e = 3 * entry[i]; a < end; a++, e += 3) {
      x[velocities[a]] += J[e] * own[0] + J[e + 1] * own[1] + J[e + 2] * own[2]
    }
  }

  /** Adds softness to W. @param mass per island: its heaviest tree's [kg] */
  soften(mass: Float64Array, island: number): void {
    const { groupCount, contactCount, limitCount, first, soft, softness, W, rowCount } = this
    const compliance = softness[0]
    const share = mass[island] > 0 ? 1 / mass[island] : 0
    // a row that moves nothing here, as across the plane of a planar linkage, is as soft as the lightest
    let lightest = 0
    for (let g = contactCount + limitCount; g < groupCount; g++) {
      const own = W[first[g] * rowCount + first[g]]
      if (own > lightest) lightest = own
    }
    if (lightest === 0) lightest = 1
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      const own = W[n * rowCount + n]
      if (g < contactCount) {
        soft[n] = this.points[g] * compliance * (share > 0 ? share : own)
        for (let r = n + 1; r < first[g + 1]; r++) soft[r] = TANGENT_SHARE * soft[n]
      } else if (g < contactCount + limitCount) soft[n] = TANGENT_SHARE * compliance * own
      else soft[n] = LOOP_SHARE * compliance * (own > 0 ? own : lightest)
    }
    for (let r = 0; r < rowCount; r++) W[r * rowCount + r] += soft[r]
  }

  /** Row r of group g := what the contact's own tangents say, turned. `at` is where the contact's three numbers stand in u. */
  turnTangents(g: number, u: Float64Array, at: number, out: Float64Array): void {
    const { turn, first, member } = this
    const c = turn[2 * member[g]]
    const s = turn[2 * member[g] + 1]
    out[first[g] + 1] = c * u[at + 1] + s * u[at + 2]
    out[first[g] + 2] = c * u[at + 2] - s * u[at + 1]
  }

  /** out (3 a contact, along its own normal and tangents) := p, of the island's contacts. */
  scatter(p: Float64Array, out: Float64Array): void {
    const { contactCount, member, own } = this
    for (let g = 0; g < contactCount; g++) {
      this.writeOwn(g, p, own)
      for (let d = 0; d < 3; d++) out[3 * member[g] + d] = own[d]
    }
  }

  /** out := p of contact group g along the contact's own normal and tangents. */
  private writeOwn(g: number, p: Float64Array, out: Float64Array): void {
    const { member, first, kind, turn } = this
    const i = member[g]
    const r = first[g]
    out[0] = p[r]
    if (kind[g] !== GroupKind.frictional) {
      out[1] = 0
      out[2] = 0
      return
    }
    const c = turn[2 * i]
    const s = turn[2 * i + 1]
    out[1] = c * p[r + 1] - s * p[r + 2]
    out[2] = s * p[r + 1] + c * p[r + 2]
  }

  /** The three rows of a contact of nv, as they were turned. Allocates. */
  contactRows(i: number): number[][] {
    const { rows, turn } = this
    const [normal, t1, t2] = [0, 1, 2].map((r) => rows.denseRow(i, r))
    const [c, s] = [turn[2 * i], turn[2 * i + 1]]
    return [normal, t1.map((x, k) => c * x + s * t2[k]), t2.map((x, k) => c * x - s * t1[k])]
  }
}
