import { crba, createData, createState, factorize, kinematics, type Model, solveLTransposed } from '../../dynamics/index.ts'
import type { ContactModelContext } from '../contactModel.ts'
import { staticFrequency } from './physicalGains.ts'

/** Velocities with joint limits, and the indices of their positions in q. */
export class LimitedJoints {
  readonly v: Int32Array
  readonly q: Int32Array

  constructor({ nv, lower, upper, bodyOfV, qStart, vStart }: Model) {
    const limited: number[] = []
    for (let k = 0; k < nv; k++) if (lower[k] > -Infinity || upper[k] < Infinity) limited.push(k)
    this.v = Int32Array.from(limited)
    this.q = Int32Array.from(limited, (k) => qStart[bodyOfV[k]] + k - vStart[bodyOfV[k]])
  }
}

/**
 * Joint limits as springs and dampers that push back and never pull, for force-level models. A joint's spring has the frequency of its tree
 * on a contact (`staticFrequency`), for the joint's own inertia 1 / (M⁻¹)_kk at the zero configuration (clamped into the limits), and
 * critical damping. Evaluated at the end of the step like the contacts.
 */
export class LimitSprings {
  private readonly nv: number
  private readonly lower: Float64Array
  private readonly upper: Float64Array
  private readonly joints: LimitedJoints
  /** Per limited joint: stiffness [N m/rad, N/m] and damping [N m s/rad, N s/m]. */
  private readonly stiffness: Float64Array
  private readonly damping: Float64Array
  /** Per limited joint: +1 beyond the lower limit, -1 beyond the upper, 0 inside; and the excess [rad, m]. */
  private readonly side: Int8Array
  private readonly depth: Float64Array

  constructor(context: ContactModelContext) {
    const { model, trees } = context
    this.nv = model.nv
    this.lower = model.lower
    this.upper = model.upper
    this.joints = new LimitedJoints(model)
    const count = this.joints.v.length
    const inertia = ownInertia(model, this.joints)
    const massOf = (k: number) => trees.mass[trees.treeOf[model.bodyOfV[k]]]
    const frequency = Float64Array.from(this.joints.v, (k) => staticFrequency(context, massOf(k)))
    this.stiffness = inertia.map((m, i) => m * frequency[i] * frequency[i])
    this.damping = inertia.map((m, i) => 2 * m * frequency[i])
    this.side = new Int8Array(count)
    this.depth = new Float64Array(count)
  }

  /** Finds the joints beyond a limit at configuration q. */
  begin(q: Float64Array): void {
    const { joints, lower, upper, side, depth } = this
    for (let i = 0; i < side.length; i++) {
      const k = joints.v[i]
      const x = q[joints.q[i]]
      side[i] = x < lower[k] ? 1 : x > upper[k] ? -1 : 0
      depth[i] = side[i] > 0 ? lower[k] - x : side[i] < 0 ? x - upper[k] : 0
    }
  }

  /** Adds the implicit part to the diagonal of H, and the force at velocity v to f. */
  add(H: Float64Array, f: Float64Array, v: Float64Array, dt: number): void {
    const { joints, side, depth, stiffness, damping, nv } = this
    for (let i = 0; i < side.length; i++) {
      if (side[i] === 0) continue
      const k = joints.v[i]
      const slope = damping[i] + dt * stiffness[i]
      H[k * nv + k] += dt * slope
      f[k] += side[i] * stiffness[i] * depth[i] - slope * v[k]
    }
  }

  /** Releases the limits that would pull at the end-of-step velocity v. @returns whether there was one */
  settle(v: Float64Array, dt: number): boolean {
    const { joints, side, depth, stiffness, damping } = this
    let changed = false
    for (let i = 0; i < side.length; i++) {
      if (side[i] === 0) continue
      const force = stiffness[i] * depth[i] - (damping[i] + dt * stiffness[i]) * side[i] * v[joints.v[i]]
      if (force >= 0) continue
      side[i] = 0
      changed = true
    }
    return changed
  }

  /** f += the limits' forces at configuration q and velocity v, for explicit integration. */
  addExplicit(f: Float64Array, q: Float64Array, v: Float64Array): void {
    this.begin(q)
    const { joints, side, depth, stiffness, damping } = this
    for (let i = 0; i < side.length; i++) {
      if (side[i] === 0) continue
      const k = joints.v[i]
      const force = stiffness[i] * depth[i] - damping[i] * side[i] * v[k]
      if (force > 0) f[k] += side[i] * force
    }
  }
}

/** 1 / (M⁻¹)_kk of each limited joint at the zero configuration: its effective inertia with all other joints free. */
function ownInertia(model: Model, joints: LimitedJoints): Float64Array {
  const { nv, lower, upper } = model
  const state = createState(model)
  const data = createData(model)
  joints.v.forEach((k, i) => {
    state.q[joints.q[i]] = Math.min(Math.max(0, lower[k]), upper[k])
  })
  kinematics(model, state, data)
  crba(model, data)
  factorize(model, data.M, data.L)
  const column = new Float64Array(nv)
  return Float64Array.from(joints.v, (k) => {
    // (M⁻¹)_kk = |L⁻ᵀ e_k|² because M = Lᵀ L
    column.fill(0)
    column[k] = 1
    solveLTransposed(model, data.L, column)
    return 1 / column.reduce((sum, x) => sum + x * x, 0)
  })
}
