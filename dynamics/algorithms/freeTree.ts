import { rotateTransposed3, rotationOfQuaternion } from '../math/index.ts'
import { createData, type Data } from '../model/data.ts'
import { configurationDifference } from '../model/integrateConfiguration.ts'
import { JointType, type Model } from '../model/model.ts'
import { partOfModel } from '../model/partOfModel.ts'
import { createState, type State } from '../model/state.ts'
import { factorize, solve } from '../sparse/factorization.ts'
import { crbaOnBranches } from './fast/crba.ts'
import { Invariants } from './invariants.ts'
import { kinematics } from './kinematics.ts'
import { RestFrame } from './restFrame.ts'
import { rnea } from './rnea.ts'
import { TrapezoidalDynamics } from './trapezoidalDynamics.ts'

/**
 * Free flight of a floating tree of bodies over one step: M(q) dv/dt + c(q, v) = 0 without forces and gravity, that is, seen from its fall. @unchecked
 *
 *   1  the trapezoidal rule of `TrapezoidalDynamics`, of order 2: v⁺ = v - h M~⁻¹ c~, q⁺ = q + h (v + v⁺) / 2
 *   2  projection onto momentum and energy by `Invariants`
 *
 * Both keep order 2, the step being off by h³. A step with the bias force of its start alone is of order 1, and the energy of a tumbling
 * tree grows or falls with it. With `RestFrame`, the result becomes the mean acceleration of the step and the difference of the velocity that
 * moves positions from the new one; so forces and impulses act besides as they do at rest.
 */
export class FreeTree {
  /** nv of the tree: M⁻¹ c of the start less that of the step [rad/s², m/s²], for `RestFrame.acceleration`. */
  readonly correction: Float64Array
  /** nv of the tree, for `RestFrame.shift`. */
  readonly shift: Float64Array
  private readonly model: Model
  private readonly gravity: Float64Array
  private readonly trapezoidal: TrapezoidalDynamics
  /** In axes held fixed, of the origin of the root. */
  private readonly frame: RestFrame
  private readonly start: State
  private readonly end: State
  private readonly data: Data
  private readonly invariants: Invariants
  private readonly L: Float64Array
  private readonly c: Float64Array
  /** nv: velocity at the end in the axes of the start, and that which moves positions. */
  private readonly next: Float64Array
  private readonly mean: Float64Array
  private readonly R = new Float64Array(9)
  private readonly a3 = new Float64Array(3)

  /** @param from, to bodies of `all`: from its root to before the next tree's */
  constructor(all: Model, from: number, to: number) {
    const model = { ...partOfModel(all.name, all, from, to), gravity: new Float64Array(6) }
    const { nv } = model
    this.model = model
    this.gravity = all.gravity
    this.trapezoidal = new TrapezoidalDynamics(model)
    this.frame = new RestFrame(model, Infinity)
    this.start = createState(model)
    this.end = createState(model)
    this.data = createData(model)
    this.invariants = new Invariants(model, this.data)
    this.L = new Float64Array(nv * nv)
    this.c = new Float64Array(nv)
    this.next = new Float64Array(nv)
    this.mean = new Float64Array(nv)
    this.correction = new Float64Array(nv)
    this.shift = new Float64Array(nv)
  }

  /** Whether the bodies are a tree that this flies: several with mass, its root floats from the world's axes, no other joint floats or is planar. */
  static isOne({ parent, jointType, XT, follows, I }: Model, from: number, to: number): boolean {
    if (to - from < 2 || jointType[from] !== JointType.floating || parent[from] !== 0 || !(I[from][0] > 0)) return false
    if (XT[from][0] !== 1 || XT[from][4] !== 1 || XT[from][8] !== 1) return false
    for (let i = from + 1; i < to; i++) {
      if (parent[i] < from || jointType[i] === JointType.floating || jointType[i] === JointType.planar) return false
      if (follows[i] >= 0 && (follows[i] < from || follows[i] >= to)) return false
    }
    return true
  }

  /** Sets `correction` and `shift` for q[atQ..] and v[atV..] at the start of a step of dt. */
  fly(q: Float64Array, atQ: number, v: Float64Array, atV: number, dt: number): void {
    const { model, trapezoidal, frame, start, end, data, invariants, L, c, next, mean, correction } = this
    const { nq, nv } = model
    for (let k = 0; k < nv; k++) start.v[k] = v[atV + k]
    for (let k = 0; k < nq; k++) start.q[k] = q[atQ + k]
    kinematics(model, start, data)
    crbaOnBranches(model, data)
    frame.begin(start.v, dt)
    rnea(model, start, frame.acceleration, data, c)
    invariants.begin(start)

    for (let k = 0; k < nv; k++) correction[k] = -c[k]
    factorize(model, data.M, L)
    solve(model, L, correction)
    for (let k = 0; k < nv; k++) next[k] = start.v[k] + dt * correction[k]
    trapezoidal.average(start, dt, frame, next, data.M, c)
    for (let k = 0; k < nv; k++) next[k] = -dt * trapezoidal.c[k]
    factorize(model, trapezoidal.M, L)
    solve(model, L, next)
    for (let k = 0; k < nv; k++) {
      mean[k] = start.v[k] + 0.5 * next[k]
      next[k] += start.v[k]
    }
    end.q.set(start.q)
    frame.finish(end.q, end.v, next, dt, mean)
    invariants.restore(end, dt, true)
    this.report(dt)
  }

  /**
   * Gives the tree at the end of the step the momentum of its start and that of gravity and of the effort on its root, all of external forces:
   * those between its bodies, at work along the step, change it by their own h².
   *
   * @param q, v in and out: at the end; the tree's own begin at atQ and atV, as its efforts in tau
   */
  land(q: Float64Array, atQ: number, v: Float64Array, atV: number, tau: Float64Array, dt: number): void {
    const { start, end, invariants } = this
    invariants.addExternal(start, this.gravity, tau, atV, dt)
    for (let k = 0; k < end.q.length; k++) end.q[k] = q[atQ + k]
    for (let k = 0; k < end.v.length; k++) end.v[k] = v[atV + k]
    invariants.restore(end, dt, false)
    for (let d = 0; d < 3; d++) q[atQ + d] = end.q[d]
    for (let d = 0; d < 6; d++) v[atV + d] = end.v[d]
  }

  /** Sets `correction` and `shift`. */
  private report(dt: number): void {
    const { model, start, end, next, correction, shift, R, a3 } = this
    configurationDifference(model, start.q, end.q, shift)
    // the root moves straight, and its angular velocity at the end is in the axes there, as in `RestFrame`
    next.set(end.v)
    this.frame.turnBack(start.q, end.q, next)
    for (let d = 0; d < 3; d++) next[d] = end.v[d]
    rotationOfQuaternion(R, start.q, 3)
    for (let d = 0; d < 3; d++) a3[d] = end.q[d] - start.q[d]
    rotateTransposed3(a3, R, a3)
    for (let d = 0; d < 3; d++) shift[3 + d] = a3[d]
    for (let k = 0; k < next.length; k++) {
      shift[k] = shift[k] / dt - next[k]
      correction[k] -= (next[k] - start.v[k]) / dt
    }
  }
}
