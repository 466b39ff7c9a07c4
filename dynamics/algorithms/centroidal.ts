import {
  addCrossForce,
  addForceToWorld,
  addInertia,
  addScaledCross,
  inertiaToWorld,
  mulInertia,
  mulX,
  setZero,
  shiftMotion,
} from '../math/index.ts'
import { checkLength } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import { views } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import type { State } from '../model/state.ts'
import { centerOfMass } from './energy.ts'

/*
 * The mechanism as a whole: its centre of mass G, and its momentum h_G = [angular about G; linear] in world axes, which only external
 * forces change. All bodies are included, also of several trees. Rotors (`model.armature`) are not included: they enter M at their own
 * joints alone, and their spin has no axis in space. So with armature h_G is the momentum of the bodies only, and motors change it by the
 * momentum of their rotors.
 */

/** Scratch of the functions of this file, made once for a model. */
export type CentroidalWorkspace = Readonly<ReturnType<typeof createCentroidalWorkspace>>

/** @unchecked @throws RangeError if the model has no mass, and so no centre of it */
export function createCentroidalWorkspace(model: Model) {
  const mass = totalMass(model)
  if (!(mass > 0)) throw new RangeError(`model "${model.name}" has mass ${mass}; a centre of mass needs more than 0`)
  return {
    /** 1: mass of all bodies [kg]. */
    mass: Float64Array.of(mass),
    /** 3: centre of mass, world axes [m]. */
    center: new Float64Array(3),
    /** Per body, 10: composite inertia of its subtree, in world axes about the centre of mass. */
    IG: views(model.nb, 10),
    /** Per body, 6: acceleration at a = 0, in its own axes. */
    A: views(model.nb, 6),
    p: new Float64Array(3),
    S: new Float64Array(6),
    F: new Float64Array(6),
    IV: new Float64Array(6),
  }
}

/** Mass of all bodies but the world [kg]. Not for hot code; a `CentroidalWorkspace` holds it. @unchecked */
export function totalMass({ nb, I }: Model): number {
  let mass = 0
  for (let i = 1; i < nb; i++) mass += I[i][0]
  return mass
}

/**
 * Velocity of the centre of mass, in world axes [m/s]. (Its position is `centerOfMass`.) @unchecked
 *
 * Reads data.R_WB, data.p_WB (`kinematics`) and data.V (`velocities`).
 *
 * @param out out: 3
 * @throws RangeError if out has not 3 entries
 */
export function centerOfMassVelocity(model: Model, data: Data, workspace: CentroidalWorkspace, out: Float64Array): void {
  checkLength('out', out, 3)
  const { F, mass } = workspace
  centroidalMomentum(model, data, workspace, F)
  for (let r = 0; r < 3; r++) out[r] = F[3 + r] / mass[0]
}

/**
 * Jacobian of the centre of mass: J v is `centerOfMassVelocity`. The linear rows of the centroidal momentum matrix over
 * the mass. @unchecked
 *
 * Reads data.R_WB, data.p_WB and data.SW (`kinematics`).
 *
 * @param J out: 3 x nv row-major
 * @throws RangeError if J has not 3 nv entries
 */
export function centerOfMassJacobian(model: Model, data: Data, workspace: CentroidalWorkspace, J: Float64Array): void {
  const { nb, nv, sStart, vOfS } = model
  const { IG, S, mass, center } = workspace
  checkLength('J', J, 3 * nv)
  composeInertias(model, data, workspace)
  J.fill(0)
  const inverse = 1 / mass[0]
  for (let i = 1; i < nb; i++) {
    // [m, h = m (c - G)] of the subtree of body i: the speed of its centre is v + omega x c
    const m = inverse * IG[i][0]
    const hx = inverse * IG[i][1]
    const hy = inverse * IG[i][2]
    const hz = inverse * IG[i][3]
    for (let s = sStart[i]; s < sStart[i + 1]; s++) {
      const k = vOfS[s]
      shiftMotion(S, data.SW[s], center)
      J[k] += m * S[3] + (S[1] * hz - S[2] * hy)
      J[nv + k] += m * S[4] + (S[2] * hx - S[0] * hz)
      J[2 * nv + k] += m * S[5] + (S[0] * hy - S[1] * hx)
    }
  }
}

/**
 * Jdot v of the centre of mass, in world axes [m/s^2]: its acceleration is J a + Jdot v. @unchecked
 *
 * Reads state.v, data.X, data.S, data.R_WB, data.p_WB (`kinematics`) and data.V (`velocities`).
 *
 * @param out out: 3
 * @throws RangeError if v has not nv entries, or out not 3
 */
export function centerOfMassJacobianDotTimesV(
  model: Model,
  state: State,
  data: Data,
  workspace: CentroidalWorkspace,
  out: Float64Array,
): void {
  checkLength('out', out, 3)
  const { S: rate, mass } = workspace
  centroidalMomentumMatrixDotTimesV(model, state, data, workspace, rate)
  for (let r = 0; r < 3; r++) out[r] = rate[3 + r] / mass[0]
}

/**
 * h_G, momentum of all bodies: [angular about the centre of mass; linear] in world axes [kg m^2/s, kg m/s]. @unchecked
 *
 * Reads data.R_WB, data.p_WB (`kinematics`) and data.V (`velocities`).
 *
 * @param h out: 6
 * @throws RangeError if h has not 6 entries
 */
export function centroidalMomentum(model: Model, data: Data, workspace: CentroidalWorkspace, h: Float64Array): void {
  const { nb, I } = model
  const { R_WB, p_WB, V } = data
  const { center, p, IV } = workspace
  checkLength('h', h, 6)
  centerOfMass(model, data, center)
  setZero(h)
  for (let i = 1; i < nb; i++) {
    fromCenter(p, p_WB[i], center)
    mulInertia(IV, I[i], V[i])
    addForceToWorld(h, R_WB[i], p, IV)
  }
}

/**
 * A_G, the centroidal momentum matrix: A_G v = h_G. Orin and Goswami, Centroidal momentum matrix of a humanoid robot
 * (IROS 2008); Orin, Goswami and Lee, Centroidal dynamics of a humanoid robot, Autonomous Robots 35 (2013). Column k is
 * the momentum of its subtree at unit velocity k, IC S, with both about the centre of mass. @unchecked
 *
 * Reads data.R_WB, data.p_WB and data.SW (`kinematics`).
 *
 * @param AG out: 6 x nv row-major, angular rows first
 * @throws RangeError if AG has not 6 nv entries
 */
export function centroidalMomentumMatrix(model: Model, data: Data, workspace: CentroidalWorkspace, AG: Float64Array): void {
  const { nb, nv, sStart, vOfS } = model
  const { IG, S, F, center } = workspace
  checkLength('AG', AG, 6 * nv)
  composeInertias(model, data, workspace)
  AG.fill(0)
  for (let i = 1; i < nb; i++) {
    for (let s = sStart[i]; s < sStart[i + 1]; s++) {
      shiftMotion(S, data.SW[s], center)
      mulInertia(F, IG[i], S)
      for (let r = 0; r < 6; r++) AG[r * nv + vOfS[s]] += F[r]
    }
  }
}

/**
 * Adot_G v, the rate of h_G while all generalised accelerations are 0: the external forces, moments about the centre
 * of mass, are A_G a + Adot_G v [N m, N]. @unchecked
 *
 * Reads state.v, data.X, data.S, data.R_WB, data.p_WB (`kinematics`) and data.V (`velocities`).
 *
 * @param out out: 6
 * @throws RangeError if v has not nv entries, or out not 6
 */
export function centroidalMomentumMatrixDotTimesV(
  model: Model,
  { v }: State,
  data: Data,
  workspace: CentroidalWorkspace,
  out: Float64Array,
): void {
  const { nb, nv, parent, sStart, vOfS, I } = model
  const { X, S, V, R_WB, p_WB } = data
  const { A, F, IV, p, center } = workspace
  checkLength('v', v, nv)
  checkLength('out', out, 6)
  centerOfMass(model, data, center)
  setZero(out)
  setZero(A[0])
  for (let i = 1; i < nb; i++) {
    mulX(A[i], X[i], A[parent[i]])
    for (let s = sStart[i]; s < sStart[i + 1]; s++) addScaledCross(A[i], v, vOfS[s], V[i], S[s]) // A = X Ap + V x S v
    mulInertia(F, I[i], A[i])
    mulInertia(IV, I[i], V[i])
    addCrossForce(F, V[i], IV) // F = I A + V x* I V
    fromCenter(p, p_WB[i], center)
    // about a point that moves with the centre of mass the same holds, since that moves along the momentum
    addForceToWorld(out, R_WB[i], p, F)
  }
}

/** The centre of mass, and about it the composite inertia of each body's subtree. */
function composeInertias(model: Model, data: Data, { IG, center }: CentroidalWorkspace): void {
  const { nb, parent, I } = model
  const { R_WB, p_WB } = data
  centerOfMass(model, data, center)
  for (let i = 1; i < nb; i++) inertiaToWorld(IG[i], R_WB[i], p_WB[i], center, I[i])
  for (let i = nb - 1; i > 0; i--) if (parent[i] > 0) addInertia(IG[parent[i]], IG[i])
}

function fromCenter(out: Float64Array, p: Float64Array, center: Float64Array): void {
  out[0] = p[0] - center[0]
  out[1] = p[1] - center[1]
  out[2] = p[2] - center[2]
}
