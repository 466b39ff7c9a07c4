import {
  addCrossForce,
  addDot6,
  addScaled,
  addScaledCross,
  addXTransposed,
  mulInertia,
  mulX,
  setZero,
  subtract,
} from '../math/index.ts'
import { checkLength } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import type { State } from '../model/state.ts'
import { addGravityCompensation } from '../passive/joints.ts'
import { rnea } from './fast/rnea.ts'

export { rnea } from './fast/rnea.ts'

/**
 * Inverse dynamics, tau = M(q) a + c(q, v), by the recursive Newton-Euler algorithm. Featherstone, Rigid Body Dynamics Algorithms (2008),
 * Table 5.1, plus each rotor's inertia (`model.armature`) times its own acceleration. Rigid bodies only: joint damping and friction are not
 * included. `rnea` is a faster form. @unchecked
 *
 * Reads data.X, so call `kinematics` for this q first. Writes data.V, data.A, data.F: [angular; linear], each in its own body's axes. A
 * carries -gravity, as body 0 does.
 *
 * @param a   generalised acceleration, nv [rad/s^2, m/s^2]; for a floating, planar or spherical joint the derivative of its v, body axes
 * @param tau out: generalised force, nv [N m, N]
 * @throws RangeError if v, a or tau has not nv entries
 */
export function rneaTable(model: Model, state: State, a: Float64Array, data: Data, tau: Float64Array): void {
  checkLength('v', state.v, model.nv)
  checkLength('a', a, model.nv)
  checkLength('tau', tau, model.nv)
  motions(model, state, a, data)
  forces(model, a, data, tau)
}

function motions(model: Model, { v }: State, a: Float64Array, data: Data): void {
  const { nb, parent, sStart, vOfS, gravity } = model
  const { X, S, V, A } = data

  // body 0 is the world: at rest, and accelerating upwards in place of gravity
  setZero(V[0])
  setZero(A[0])
  subtract(A[0], gravity)
  for (let i = 1; i < nb; i++) {
    const p = parent[i]
    mulX(V[i], X[i], V[p])
    mulX(A[i], X[i], A[p])
    for (let k = sStart[i]; k < sStart[i + 1]; k++) addScaled(V[i], v, vOfS[k], S[k]) // V = X Vp + S v
    for (let k = sStart[i]; k < sStart[i + 1]; k++) {
      addScaled(A[i], a, vOfS[k], S[k])
      addScaledCross(A[i], v, vOfS[k], V[i], S[k]) //                                    A = X Ap + S a + V x S v
    }
  }
}

function forces(model: Model, a: Float64Array, data: Data, tau: Float64Array): void {
  const { nb, nv, parent, sStart, vOfS, I, armature } = model
  const { X, S, V, A, F } = data
  const { b6: IV } = data.scratch

  setZero(F[0])
  for (let i = 1; i < nb; i++) {
    mulInertia(F[i], I[i], A[i])
    mulInertia(IV, I[i], V[i])
    addCrossForce(F[i], V[i], IV) //      F = I A + V x* I V
  }
  for (let k = 0; k < nv; k++) tau[k] = armature[k] * a[k]
  for (let i = nb - 1; i > 0; i--) {
    for (let k = sStart[i]; k < sStart[i + 1]; k++) addDot6(tau, vOfS[k], S[k], F[i]) // tau = S^T F + armature a
    addXTransposed(F[parent[i]], X[i], F[i]) // Fp += X^T F
  }
}

/**
 * The bias force c(q, v) of tau = M a + c: Coriolis, centrifugal and gravity terms: `rnea` at a = 0, which it reads, writes and throws
 * like. @unchecked
 *
 * @param c out: nv [N m, N]
 */
export function biasForces(model: Model, state: State, data: Data, c: Float64Array): void {
  rnea(model, state, data.scratch.zero, data, c)
}

/**
 * The force that holds the mechanism at rest at q, tau = c(q, 0): `rnea` at v = 0 and a = 0, without its velocity terms; less the weight that
 * `Model.compensation` holds. @unchecked
 *
 * Reads data.X (`kinematics`). Writes data.A and data.F. `state` is not read, since q is already in `data`; it makes the signatures equal.
 *
 * @param g out: nv [N m, N]
 * @throws RangeError if g has not nv entries
 */
export function gravityForces(model: Model, _state: State, data: Data, g: Float64Array): void {
  const { nb, nv, parent, sStart, vOfS, gravity, I } = model
  const { X, S, A, F } = data
  checkLength('g', g, nv)

  for (let k = 0; k < nv; k++) g[k] = 0

  setZero(A[0])
  setZero(F[0])
  subtract(A[0], gravity)
  for (let i = 1; i < nb; i++) {
    mulX(A[i], X[i], A[parent[i]])
    mulInertia(F[i], I[i], A[i])
  }
  for (let i = nb - 1; i > 0; i--) {
    for (let k = sStart[i]; k < sStart[i + 1]; k++) addDot6(g, vOfS[k], S[k], F[i])
    addXTransposed(F[parent[i]], X[i], F[i])
  }
  addGravityCompensation(model, data, g, -1)
}
