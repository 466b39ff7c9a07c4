import {
  type ArticulatedInertias,
  addImpulse,
  addJointImpulse,
  addWork,
  articulatedInertias,
  type Branches,
  bodyVelocityChange,
  createArticulatedInertias,
  createBranches,
  type Data,
  type Model,
  selectBranches,
  velocityChangeAlong,
} from '../../../dynamics/index.ts'
import { type ImpulseProblem, sources, type WrittenMatrix } from '../../constraints/index.ts'
import type { ContactStep } from '../../contactModel.ts'

/** Cost in multiply-adds: of a test force at a joint, inward or outward; and of an entry of W. */
const OF_JOINT = 12
const OF_ENTRY = 6

/**
 * W = J M~⁻¹ Jᵀ by test forces, M~ = M + diag(added). A column of W is the response of all rows to a unit impulse along one row, propagated
 * inward to the root and outward again by the articulated-body algorithm. Mirtich, Impulse-based dynamic simulation of rigid body systems
 * (1996), section 4.2; Kokkevis, Practical physics for articulated characters (GDC 2004). O(m n) for m rows, after O(n) for the inertias;
 * outward only along paths to bodies with rows. @unchecked
 */
export class TestForceMatrix implements WrittenMatrix {
  rowCount = 0
  private readonly model: Model
  private readonly inertias: ArticulatedInertias
  private readonly branches: Branches
  /** nv: number of velocities on the path from each one to its root, itself included. */
  private readonly depth: Int32Array
  /** nv: diagonal of M~ - M; change of velocity. */
  private readonly added: Float64Array
  private readonly dv: Float64Array
  private data: Data | undefined

  /**
   * 2 a row: its bodies A and B; 6: wrench of its unit impulse on B about the world's origin; and a joint row's velocity, else -1, and
   * sign.
   */
  private bodies = new Int32Array(0)
  private wrench = new Float64Array(0)
  private joint = new Int32Array(0)
  private sign = new Int8Array(0)
  private readonly impulse = new Float64Array(6)
  private readonly axis = new Float64Array(3)
  /** 12: changes of the velocities of a row's bodies A and B. */
  private readonly change = [new Float64Array(6), new Float64Array(6)] as const

  constructor(model: Model) {
    const { nv, vParent } = model
    this.model = model
    this.inertias = createArticulatedInertias(model)
    this.branches = createBranches(model)
    this.depth = new Int32Array(nv)
    for (let k = 0; k < nv; k++) this.depth[k] = vParent[k] < 0 ? 1 : this.depth[vParent[k]] + 1
    this.added = new Float64Array(nv)
    this.dv = new Float64Array(nv)
  }

  write(
    { system, joints, loops: { loops }, torsionRolling, contacts }: ImpulseProblem,
    { data, contacts: set }: ContactStep,
    W: Float64Array,
  ): void {
    const { added, axis } = this
    const { nv } = this.model
    const { J } = contacts.rows
    const { contactCount, start, index, size, at, first, corner } = system
    for (let k = 0; k < nv; k++) added[k] = system.M[k * nv + k] - data.M[k * nv + k]
    this.begin(data, added)
    for (let m = 0; m < contactCount; m++) {
      const i = index[m]
      this.addForce(set.bodyA[i], set.bodyB[i], set.point, i, set.normal, i)
      if (first[m + 1] - first[m] < 3) continue
      const { tangent1, tangent2 } = set
      const c = corner[2 * m]
      const s = corner[2 * m + 1]
      for (let d = 0; d < 3; d++) axis[d] = c * tangent1[3 * i + d] + s * tangent2[3 * i + d]
      this.addForce(set.bodyA[i], set.bodyB[i], set.point, i, axis, 0)
      for (let d = 0; d < 3; d++) axis[d] = c * tangent2[3 * i + d] - s * tangent1[3 * i + d]
      this.addForce(set.bodyA[i], set.bodyB[i], set.point, i, axis, 0)
    }
    for (let g = start[sources.joint]; g < start[sources.joint + 1]; g++) {
      const j = index[g]
      this.addJoint(joints.velocity[j], joints.sign[j] > 0 ? 1 : -1)
    }
    for (let g = start[sources.loop]; g < start[sources.loop + 1]; g++) {
      const r = index[g]
      const { bodyA, bodyB, isCouple, point, direction } = loops
      // rows of rounding errors, such as normals of the plane of a planar linkage, move nothing
      let moves = 0
      for (let e = at[g]; e < at[g] + size[g]; e++) if (J[e] !== 0) moves = 1
      for (let d = 0; d < 3; d++) axis[d] = moves * direction[3 * r + d]
      if (isCouple[r] === 1) this.addCouple(bodyA[r], bodyB[r], axis, 0)
      else this.addForce(bodyA[r], bodyB[r], point, r, axis, 0)
    }
    for (let g = start[sources.torsionRolling]; g < start[sources.torsionRolling + 1]; g++) {
      const i = torsionRolling.rows.contact[index[g]]
      this.addCouple(set.bodyA[i], set.bodyB[i], torsionRolling.rows.direction, index[g])
    }
    this.build(W)
  }

  /**
   * Sets the configuration, without rows; needs `kinematics`. `data` is read until the next `begin`.
   *
   * @param added nv, not below 0: added to M's diagonal in M~, such as the step times the joints' damping [kg m², kg]
   * @throws RangeError if added has not nv entries
   * @throws Error if M~ is not positive definite
   */
  begin(data: Data, added: Float64Array): void {
    articulatedInertias(this.model, data, this.inertias, added)
    this.data = data
    this.rowCount = 0
  }

  /** Appends a row: velocity of B's point relative to A's along an axis; the point is 3 at 3 p, the axis 3 at 3 a, in world axes. */
  addForce(bodyA: number, bodyB: number, point: Float64Array, p: number, axis: Float64Array, a: number): void {
    const w = 6 * this.addRow(bodyA, bodyB)
    const { wrench } = this
    const x = point[3 * p]
    const y = point[3 * p + 1]
    const z = point[3 * p + 2]
    const fx = axis[3 * a]
    const fy = axis[3 * a + 1]
    const fz = axis[3 * a + 2]
    wrench[w] = y * fz - z * fy
    wrench[w + 1] = z * fx - x * fz
    wrench[w + 2] = x * fy - y * fx
    wrench[w + 3] = fx
    wrench[w + 4] = fy
    wrench[w + 5] = fz
  }

  /** Appends a row: angular velocity of B relative to A about an axis, 3 at 3 a in world axes. */
  addCouple(bodyA: number, bodyB: number, axis: Float64Array, a: number): void {
    const w = 6 * this.addRow(bodyA, bodyB)
    for (let d = 0; d < 3; d++) {
      this.wrench[w + d] = axis[3 * a + d]
      this.wrench[w + 3 + d] = 0
    }
  }

  /** Appends the row sign * v[velocity], for example of a joint limit. */
  addJoint(velocity: number, sign: 1 | -1): void {
    const r = this.addRow(0, this.model.bodyOfV[velocity])
    this.joint[r] = velocity
    this.sign[r] = sign
  }

  private addRow(bodyA: number, bodyB: number): number {
    const r = this.rowCount++
    if (r === this.joint.length) this.reserve(2 * r + 24)
    this.bodies[2 * r] = bodyA
    this.bodies[2 * r + 1] = bodyB
    this.joint[r] = -1
    return r
  }

  private reserve(rows: number): void {
    const { bodies, wrench, joint, sign } = this
    this.bodies = new Int32Array(2 * rows)
    this.wrench = new Float64Array(6 * rows)
    this.joint = new Int32Array(rows)
    this.sign = new Int8Array(rows)
    this.bodies.set(bodies)
    this.wrench.set(wrench)
    this.joint.set(joint)
    this.sign.set(sign)
  }

  /** @param W out: rowCount x rowCount, row-major in the first entries, symmetric to the bit */
  build(W: Float64Array): void {
    const { model, inertias, branches, bodies, data, rowCount: n, dv } = this
    if (data === undefined) throw new Error('the contact matrix has no configuration yet; call begin(data, added) first.')
    selectBranches(model, bodies, 2 * n, branches)
    let passed = n * branches.count[0]
    for (let r = 0; r < n; r++) {
      passed += this.push(data, r)
      velocityChangeAlong(model, inertias, branches, dv)
      this.read(data, r, W)
    }
    addWork(passed, OF_JOINT, 1)
    addWork(n, n + 1, OF_ENTRY / 2)
  }

  /** Propagates a unit impulse along row r. @returns the number of joints passed inward */
  private push(data: Data, r: number): number {
    const { model, inertias, bodies, joint, sign, wrench, impulse, depth } = this
    if (joint[r] >= 0) {
      addJointImpulse(model, inertias, joint[r], sign[r])
      return depth[joint[r]]
    }
    let passed = 0
    for (let side = 0; side < 2; side++) {
      const body = bodies[2 * r + side]
      for (let c = 0; c < 6; c++) impulse[c] = side === 0 ? -wrench[6 * r + c] : wrench[6 * r + c]
      addImpulse(model, data, inertias, body, impulse)
      if (model.vLast[body] >= 0) passed += depth[model.vLast[body]]
    }
    return passed
  }

  /** Writes column r of W, for rows 0 to r, and by symmetry row r. */
  private read(data: Data, r: number, W: Float64Array): void {
    const { model, inertias, bodies, joint, sign, wrench, change, dv, rowCount: n } = this
    const [ofA, ofB] = change
    for (let j = 0, seen = -1; j <= r; j++) {
      let u = 0
      if (joint[j] >= 0) u = sign[j] * dv[joint[j]]
      else {
        if (seen < 0 || bodies[2 * j] !== bodies[2 * seen] || bodies[2 * j + 1] !== bodies[2 * seen + 1]) {
          bodyVelocityChange(model, data, inertias, bodies[2 * j], ofA)
          bodyVelocityChange(model, data, inertias, bodies[2 * j + 1], ofB)
          seen = j
        }
        for (let c = 0; c < 6; c++) u += wrench[6 * j + c] * (ofB[c] - ofA[c])
      }
      W[j * n + r] = u
      W[r * n + j] = u
    }
  }
}
