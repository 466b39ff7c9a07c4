import { addInertia, inertiaToWorld, rotate3, rotateTransposed3, rotationOfQuaternion, shiftMotion } from '../math/index.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import type { State } from '../model/state.ts'
import { type CentroidalWorkspace, centroidalMomentum, createCentroidalWorkspace } from './centroidal.ts'
import { kineticEnergy } from './energy.ts'
import { solve3 } from './freeRotation.ts'
import { kinematics, velocities } from './kinematics.ts'

/** Largest relative change of the joints' speeds in a step that restores energy. */
const MOST_CHANGE = 0.1

/**
 * Momentum and kinetic energy of a floating tree of bodies, of the start of a step, and the projection of the state at its end onto them, here
 * nearest in the metric of M (Hairer, Lubich, Wanner, Geometric Numerical Integration, 2006, section IV.4): to the motion of the root a rigid
 * one is added that restores the linear and angular momentum, which changes no joint's speed; then the motion relative to the mean rigid one,
 * M-orthogonal to it, is scaled to restore the kinetic energy.
 */
export class Invariants {
  private readonly model: Model
  private readonly data: Data
  private readonly whole: CentroidalWorkspace
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
  /** Views of `root`. */
  private readonly omega = this.root.subarray(0, 3)
  private readonly v = this.root.subarray(3)
  private readonly R = new Float64Array(9)
  private readonly a3 = new Float64Array(3)

  /** @param data scratch, whose kinematics `begin` reads and `restore` writes */
  constructor(model: Model, data: Data) {
    this.model = model
    this.data = data
    this.whole = createCentroidalWorkspace(model)
  }

  /** Sets them to those of the start, of which `data` holds the kinematics. */
  begin(start: State): void {
    this.weigh(start, this.momentum, this.energy)
    for (let d = 0; d < 3; d++) this.center[d] = this.whole.center[d]
  }

  /** Adds the momentum of a step by gravity, and by the effort on the root at tau[at..], in its axes at the start. */
  addExternal(start: State, gravity: Float64Array, tau: Float64Array, at: number, dt: number): void {
    const { model, momentum: h, whole, root, omega, v, center, R, a3 } = this
    for (let d = 0; d < 6; d++) root[d] = dt * tau[at + d]
    rotationOfQuaternion(R, start.q, 3)
    rotate3(omega, R, omega)
    rotate3(v, R, v)
    for (let d = 0; d < 3; d++) {
      h[3 + d] += root[3 + d] + dt * whole.mass[0] * gravity[3 + d]
      a3[d] = start.q[d] + model.XT[1][9 + d] - center[d]
    }
    h[0] += root[0] + a3[1] * root[5] - a3[2] * root[4]
    h[1] += root[1] + a3[2] * root[3] - a3[0] * root[5]
    h[2] += root[2] + a3[0] * root[4] - a3[1] * root[3]
  }

  /** Restores momentum, and if it does energy, at the end, and puts the centre of mass where that momentum leads in a step. */
  restore(end: State, dt: number, keepsEnergy: boolean): void {
    const { model, momentum: h, momentumEnd: h1, energyEnd, whole, rigid, missing, root, omega, v, data, center, R, a3 } = this
    const { mass } = whole
    kinematics(model, end, data)
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
    shiftMotion(rigid, rigid, a3)
    shiftMotion(missing, missing, a3)
    for (let d = 0; d < 6; d++) root[d] = end.v[d]
    rotate3(omega, R, omega)
    rotate3(v, R, v)
    for (let d = 0; d < 6; d++) root[d] = rigid[d] + share * (root[d] + missing[d] - rigid[d])
    for (let k = 6; k < end.v.length; k++) end.v[k] *= share
    rotateTransposed3(omega, R, omega)
    rotateTransposed3(v, R, v)
    for (let d = 0; d < 6; d++) end.v[d] = root[d]
  }

  /** Momentum and energy of a state, of which `data` holds the kinematics. */
  private weigh(state: State, momentum: Float64Array, energy: Float64Array): void {
    const { model, data, whole } = this
    velocities(model, state, data)
    centroidalMomentum(model, data, whole, momentum)
    kineticEnergy(model, state, data, energy)
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
}

/** Entries of a symmetric matrix in a body's inertia. */
const ENTRY = Int32Array.of(4, 7, 8, 7, 5, 9, 8, 9, 6)
