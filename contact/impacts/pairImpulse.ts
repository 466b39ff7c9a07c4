import {
  type ArticulatedInertias,
  addImpulse,
  addWork,
  articulatedInertias,
  type Branches,
  createArticulatedInertias,
  createBranches,
  type Data,
  type Model,
  pointVelocityChange,
  velocityChangeAlong,
} from '../../dynamics/index.ts'
import type { Trees } from '../contactModel.ts'

/**
 * Response of two bodies and their trees to an impulse between both at one point, by the articulated-body algorithm. The bodies may be in
 * one tree or two, or fixed. @unchecked
 */
export class PairImpulse {
  /** Per body: its tree, -1 if fixed. With joints that follow others, which couples trees, all moving bodies count as one tree. */
  readonly treeOf: Int32Array
  private readonly model: Model
  private readonly inertias: ArticulatedInertias
  /** The velocities of all trees, tree by tree, rising in each; and the start of each tree. */
  private readonly velocities: Int32Array
  private readonly first: Int32Array
  private readonly branches: Branches
  private readonly wrench = new Float64Array(6)
  private readonly change = new Float64Array(3)
  private readonly dv: Float64Array

  constructor(model: Model, trees: Trees) {
    const { nv, ns, bodyOfV } = model
    this.model = model
    this.treeOf = ns > nv ? trees.treeOf.map((tree) => Math.min(tree, 0)) : trees.treeOf
    this.inertias = createArticulatedInertias(model)
    this.branches = createBranches(model)
    this.dv = new Float64Array(nv)
    const count = Math.max(-1, ...this.treeOf) + 1
    const lists: number[][] = Array.from({ length: count }, () => [])
    for (let k = 0; k < nv; k++) lists[this.treeOf[bodyOfV[k]]].push(k)
    this.velocities = Int32Array.from(lists.flat())
    this.first = new Int32Array(count + 1)
    lists.forEach((list, tree) => {
      this.first[tree + 1] = this.first[tree] + list.length
    })
  }

  /** Prepares a configuration from the results of `kinematics`. */
  begin(data: Data): void {
    articulatedInertias(this.model, data, this.inertias)
  }

  /** Selects the two bodies of the following calls. */
  select(bodyA: number, bodyB: number): void {
    const { treeOf, branches } = this
    const a = treeOf[bodyA]
    const b = treeOf[bodyB]
    branches.count[0] = 0
    if (a >= 0) this.appendTree(a)
    if (b >= 0 && b !== a) this.appendTree(b)
  }

  private appendTree(tree: number): void {
    const { first, velocities, branches } = this
    let n = branches.count[0]
    for (let s = first[tree]; s < first[tree + 1]; s++) branches.velocities[n++] = velocities[s]
    branches.count[0] = n
  }

  /**
   * K = J M^-1 J^T, the response of the velocity of B's point relative to A's to an impulse on B and its opposite on A.
   *
   * @param point 3 at 3 i: in world axes from the world's origin [m]
   * @param axes  9 at 9 i: three axes, in world axes
   * @param K     out: 9 row-major, in these axes [1/kg for unit axes]
   */
  inertia(data: Data, bodyA: number, bodyB: number, point: Float64Array, axes: Float64Array, i: number, K: Float64Array): void {
    const { change } = this
    for (let c = 0; c < 3; c++) {
      this.push(data, bodyA, bodyB, point, axes, i, 3 * c)
      for (let r = 0; r < 3; r++) K[3 * r + c] = 0
      this.changeOf(data, bodyB, point, i)
      for (let r = 0; r < 3; r++) for (let d = 0; d < 3; d++) K[3 * r + c] += axes[9 * i + 3 * r + d] * change[d]
      this.changeOf(data, bodyA, point, i)
      for (let r = 0; r < 3; r++) for (let d = 0; d < 3; d++) K[3 * r + c] -= axes[9 * i + 3 * r + d] * change[d]
    }
    // symmetric entries differ by rounding
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < r; c++) {
        K[3 * r + c] = 0.5 * (K[3 * r + c] + K[3 * c + r])
        K[3 * c + r] = K[3 * r + c]
      }
    }
  }

  /**
   * v += M^-1 J^T impulse.
   *
   * @param impulse 3 at 9 i: on B, in world axes [N s]
   */
  apply(data: Data, bodyA: number, bodyB: number, point: Float64Array, impulse: Float64Array, i: number, v: Float64Array): void {
    const { branches, dv } = this
    this.push(data, bodyA, bodyB, point, impulse, i, 0)
    for (let s = 0; s < branches.count[0]; s++) {
      const k = branches.velocities[s]
      v[k] += dv[k]
    }
  }

  /**
   * Change of the velocity of B's point relative to A's by the last impulse, along three axes; of any two bodies; those outside the
   * selected trees count as unmoved.
   *
   * @param u out: += 3 at 3 i [m/s]
   */
  addRelativeChange(
    data: Data,
    bodyA: number,
    bodyB: number,
    ofA: boolean,
    ofB: boolean,
    point: Float64Array,
    axes: Float64Array,
    i: number,
    u: Float64Array,
  ): void {
    const { change } = this
    if (ofB) {
      this.changeOf(data, bodyB, point, i)
      for (let r = 0; r < 3; r++) for (let d = 0; d < 3; d++) u[3 * i + r] += axes[9 * i + 3 * r + d] * change[d]
    }
    if (ofA) {
      this.changeOf(data, bodyA, point, i)
      for (let r = 0; r < 3; r++) for (let d = 0; d < 3; d++) u[3 * i + r] -= axes[9 * i + 3 * r + d] * change[d]
    }
  }

  private push(data: Data, bodyA: number, bodyB: number, point: Float64Array, force: Float64Array, i: number, row: number): void {
    const { model, inertias, wrench, branches, dv } = this
    addWork(branches.count[0] + 10, 15, 1)
    const x = point[3 * i]
    const y = point[3 * i + 1]
    const z = point[3 * i + 2]
    const fx = force[9 * i + row]
    const fy = force[9 * i + row + 1]
    const fz = force[9 * i + row + 2]
    wrench[0] = y * fz - z * fy
    wrench[1] = z * fx - x * fz
    wrench[2] = x * fy - y * fx
    wrench[3] = fx
    wrench[4] = fy
    wrench[5] = fz
    addImpulse(model, data, inertias, bodyB, wrench)
    for (let k = 0; k < 6; k++) wrench[k] = -wrench[k]
    addImpulse(model, data, inertias, bodyA, wrench)
    velocityChangeAlong(model, inertias, branches, dv)
  }

  private changeOf(data: Data, body: number, point: Float64Array, i: number): void {
    pointVelocityChange(this.model, data, this.inertias, body, point, this.change, 3 * i, 0)
  }
}
