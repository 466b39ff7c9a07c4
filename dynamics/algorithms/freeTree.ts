import { addInertia, inertiaToWorld, rotateTransposed3, rotationOfQuaternion } from '../math/index.ts'
import { createData, type Data } from '../model/data.ts'
import { configurationDifference } from '../model/integrateConfiguration.ts'
import { JointType, type Model } from '../model/model.ts'
import { partOfModel } from '../model/partOfModel.ts'
import { createState, type State } from '../model/state.ts'
import { factorize, solve } from '../sparse/factorization.ts'
import { type CentroidalWorkspace, centroidalMomentum, createCentroidalWorkspace } from './centroidal.ts'
import { kineticEnergy } from './energy.ts'
import { crbaOnBranches } from './fast/crba.ts'
import { solve3 } from './freeRotation.ts'
import { kinematics, velocities } from './kinematics.ts'
import { RestFrame } from './restFrame.ts'
import { rnea } from './rnea.ts'
import { TrapezoidalDynamics } from './trapezoidalDynamics.ts'

/** Largest relative change of the joints' speeds in a step that restores energy. */
const MOST_CHANGE = 0.1

/**
 * Free flight of a floating tree of bodies over one step: M(q) dv/dt + c(q, v) = 0 without forces and gravity, that is, seen from its fall.
 *
 *   1  the trapezoidal rule of `TrapezoidalDynamics`, of order 2: v⁺ = v - h M~⁻¹ c~, q⁺ = q + h (v + v⁺) / 2
 *   2  projection onto the invariants, here nearest in the metric of M (Hairer, Lubich, Wanner, Geometric Numerical Integration, 2006, section
 *      IV.4): to the motion of the root a rigid one is added that restores the linear and angular momentum, which changes no joint's
 *      speed; then the motion relative to the mean rigid one, M-orthogonal to it, is scaled to restore the kinetic energy
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
  private readonly whole: CentroidalWorkspace
  private readonly L: Float64Array
  private readonly c: Float64Array
  /** nv: velocity at the end in the axes of the start, and that which moves positions. */
  private readonly next: Float64Array
  private readonly mean: Float64Array
  /** 6: momentum about the centre of mass [angular; linear]; 1: kinetic energy; at the start and the end. */
  private readonly momentum = new Float64Array(6)
  private readonly momentumEnd = new Float64Array(6)
  private readonly energy = new Float64Array(1)
  private readonly energyEnd = new Float64Array(1)
  /** 3: centre of mass at the start. 10, 10, 9: inertia about that at the end of the tree and of a body, and the tree's as a matrix. */
  private readonly center = new Float64Array(3)
  private readonly I = new Float64Array(10)
  private readonly own = new Float64Array(10)
  private readonly I3 = new Float64Array(9)
  /** 6: mean rigid motion, its correction, and motion of the root, each [omega; v] of the root's origin in world axes. */
  private readonly rigid = new Float64Array(6)
  private readonly missing = new Float64Array(6)
  private readonly root = new Float64Array(6)
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
    this.whole = createCentroidalWorkspace(model)
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
    const { model, trapezoidal, frame, start, end, data, L, c, next, mean, correction } = this
    const { nq, nv } = model
    for (let k = 0; k < nv; k++) start.v[k] = v[atV + k]
    for (let k = 0; k < nq; k++) start.q[k] = q[atQ + k]
    kinematics(model, start, data)
    crbaOnBranches(model, data)
    frame.begin(start.v, dt)
    rnea(model, start, frame.acceleration, data, c)
    this.weigh(start, this.momentum, this.energy)
    for (let d = 0; d < 3; d++) this.center[d] = this.whole.center[d]

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
    kinematics(model, end, data)
    this.project(dt, true)
    this.report(dt)
  }

  /**
   * Gives the tree at the end of the step the momentum of its start and that of gravity and of the effort on its root, all of external forces:
   * those between its bodies, at work along the step, change it by their own h².
   *
   * @param q, v in and out: at the end; the tree's own begin at atQ and atV, as its efforts in tau
   */
  land(q: Float64Array, atQ: number, v: Float64Array, atV: number, tau: Float64Array, dt: number): void {
    const { model, start, end, data, momentum: h, whole, gravity, root, center, R, a3 } = this
    for (let d = 0; d < 6; d++) root[d] = dt * tau[atV + d]
    rotationOfQuaternion(R, start.q, 3)
    turnBoth(root, R, root)
    for (let d = 0; d < 3; d++) {
      h[3 + d] += root[3 + d] + dt * whole.mass[0] * gravity[3 + d]
      a3[d] = start.q[d] + model.XT[1][9 + d] - center[d]
    }
    h[0] += root[0] + a3[1] * root[5] - a3[2] * root[4]
    h[1] += root[1] + a3[2] * root[3] - a3[0] * root[5]
    h[2] += root[2] + a3[0] * root[4] - a3[1] * root[3]
    for (let k = 0; k < end.q.length; k++) end.q[k] = q[atQ + k]
    for (let k = 0; k < end.v.length; k++) end.v[k] = v[atV + k]
    kinematics(model, end, data)
    this.project(dt, false)
    for (let d = 0; d < 3; d++) q[atQ + d] = end.q[d]
    for (let d = 0; d < 6; d++) v[atV + d] = end.v[d]
  }

  /** Momentum and energy of a state, of which `data` holds the kinematics. */
  private weigh(state: State, momentum: Float64Array, energy: Float64Array): void {
    const { model, data, whole } = this
    velocities(model, state, data)
    centroidalMomentum(model, data, whole, momentum)
    kineticEnergy(model, state, data, energy)
  }

  /** Restores momentum, and if it does energy, at the end, and puts the centre of mass where that momentum leads in a step. */
  private project(dt: number, keepsEnergy: boolean): void {
    const { end, momentum: h, momentumEnd: h1, energyEnd, whole, rigid, missing, root, data, center, R, a3 } = this
    const { mass } = whole
    this.weigh(end, h1, energyEnd)
    for (let d = 0; d < 3; d++) end.q[d] += center[d] + (dt * h[3 + d]) / mass[0] - whole.center[d]
    for (let d = 0; d < 6; d++) {
      rigid[d] = d < 3 ? h[d] : h[d] / mass[0]
      missing[d] = d < 3 ? h[d] - h1[d] : (h[d] - h1[d]) / mass[0]
    }
    this.compose()
    if (!solve3(this.I3, rigid) || !solve3(this.I3, missing)) return
    let spread = 2 * this.energy[0]
    let spreadEnd = 2 * energyEnd[0]
    for (let d = 0; d < 6; d++) {
      spread -= rigid[d] * h[d]
      spreadEnd += missing[d] * (h[d] + h1[d]) - rigid[d] * h[d]
    }
    const scale = keepsEnergy && spread > 0 && spreadEnd > 0 ? Math.sqrt(spread / spreadEnd) : 1
    const share = Math.min(Math.max(scale, 1 - MOST_CHANGE), 1 + MOST_CHANGE)

    R.set(data.R_WB[1])
    for (let d = 0; d < 3; d++) a3[d] = data.p_WB[1][d] - whole.center[d]
    carry(rigid, a3)
    carry(missing, a3)
    turnBoth(root, R, end.v)
    for (let d = 0; d < 6; d++) root[d] = rigid[d] + share * (root[d] + missing[d] - rigid[d])
    for (let k = 6; k < end.v.length; k++) end.v[k] *= share
    for (let part = 0; part < 6; part += 3) {
      for (let d = 0; d < 3; d++) a3[d] = root[part + d]
      rotateTransposed3(a3, R, a3)
      for (let d = 0; d < 3; d++) end.v[part + d] = a3[d]
    }
  }

  /** I3 := inertia of the tree at the end about its centre of mass, in world axes. */
  private compose(): void {
    const { model, data, whole, I, own, I3 } = this
    I.fill(0)
    for (let i = 1; i < model.nb; i++) {
      inertiaToWorld(own, data.R_WB[i], data.p_WB[i], whole.center, model.I[i])
      addInertia(I, own)
    }
    for (let n = 0; n < 9; n++) I3[n] = I[ENTRY[n]]
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

/** Entries of a symmetric matrix in a body's inertia. */
const ENTRY = Int32Array.of(4, 7, 8, 7, 5, 9, 8, 9, 6)

/** v += omega × p of a motion [omega; v]. */
function carry(motion: Float64Array, p: Float64Array): void {
  motion[3] += motion[1] * p[2] - motion[2] * p[1]
  motion[4] += motion[2] * p[0] - motion[0] * p[2]
  motion[5] += motion[0] * p[1] - motion[1] * p[0]
}

/** out := both vectors of a motion or force, turned; may be v itself. */
function turnBoth(out: Float64Array, R: Float64Array, v: Float64Array): void {
  for (let k = 0; k < 6; k += 3) {
    const x = v[k]
    const y = v[k + 1]
    const z = v[k + 2]
    for (let d = 0; d < 3; d++) out[k + d] = R[3 * d] * x + R[3 * d + 1] * y + R[3 * d + 2] * z
  }
}
