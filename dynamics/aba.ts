import { checkLength } from './checkLength.ts'
import type { Data } from './data.ts'
import {
  add,
  addCrossForce,
  addScaled,
  addSymmetricToParent,
  addXTransposed,
  crossMotion,
  dot6,
  matrixOfInertia,
  mulInertia,
  mulSymmetric6,
  mulX,
  setZero,
  subtract,
  subtractForceFromWorld,
  subtractOuter6,
} from './math/index.ts'
import type { Model } from './model.ts'
import type { State } from './state.ts'

/**
 * Forward dynamics, a = M^-1 (tau - c), by the articulated-body algorithm. Featherstone (2008), Table 7.1, with each
 * rotor's inertia (`model.armature`) added to S^T IA S. Rigid bodies only: joint damping and friction are left out, so
 * that aba undoes rnea; put them into tau.
 *
 * Reads data.X, so call `kinematics` for this q first. Writes data.V, C, IA, pA, U, Dinv, u and data.A
 * ([angular; linear] in each body's axes; A carries -gravity, as body 0 does).
 *
 * @param tau generalised force, nv [N m, N]
 * @param a   out: generalised acceleration, nv [rad/s^2, m/s^2]; for a floating joint the derivative of its v, body axes
 * @throws RangeError if v, tau or a has not nv entries
 * @throws Error if a joint has nothing to move: S^T IA S not positive, as with a massless last body
 */
export function aba(model: Model, state: State, tau: Float64Array, data: Data, a: Float64Array): void {
  checkLength('v', state.v, model.nv)
  checkLength('tau', tau, model.nv)
  checkLength('a', a, model.nv)
  outward(model, state, data)
  inward(model, tau, data)
  accelerate(model, data, a)
}

/**
 * `aba` with a force on each body from outside.
 *
 * Reads data.R_WB and data.p_WB too (`kinematics`).
 *
 * @param forcesW nb x 6: per body [moment; force] in world axes about the world's origin [N m, N]; body 0's is not read
 * @throws RangeError if forcesW has not 6 nb entries; else as `aba`
 */
export function abaWithForces(
  model: Model,
  state: State,
  tau: Float64Array,
  forcesW: Float64Array,
  data: Data,
  a: Float64Array,
): void {
  checkLength('v', state.v, model.nv)
  checkLength('tau', tau, model.nv)
  checkLength('forcesW', forcesW, 6 * model.nb)
  checkLength('a', a, model.nv)
  outward(model, state, data)
  for (let i = 1; i < model.nb; i++) subtractForceFromWorld(data.pA[i], data.R_WB[i], data.p_WB[i], forcesW, 6 * i)
  inward(model, tau, data)
  accelerate(model, data, a)
}

/** First pass: velocities, and each body on its own. */
function outward(model: Model, { v }: State, data: Data): void {
  const { nb, parent, vStart, I } = model
  const { X, S, V, C, IA, pA } = data
  const { a6: VJ, b6: IV } = data.scratch

  setZero(V[0])
  for (let i = 1; i < nb; i++) {
    setZero(VJ)
    for (let k = vStart[i]; k < vStart[i + 1]; k++) addScaled(VJ, v, k, S[k])
    mulX(V[i], X[i], V[parent[i]])
    add(V[i], VJ) //                    V = X Vp + S v
    crossMotion(C[i], V[i], VJ) //      C = V x S v
    matrixOfInertia(IA[i], I[i]) //     IA = I
    mulInertia(IV, I[i], V[i])
    setZero(pA[i])
    addCrossForce(pA[i], V[i], IV) //   pA = V x* I V
  }
}

/** Second pass: what each joint's motion meets, and what is handed on to the parent. */
function inward(model: Model, tau: Float64Array, data: Data): void {
  const { nb, parent, vStart, armature } = model
  const { X, S, C, IA, pA, U, Dinv, u } = data
  const { a36: Ia, a6: pa, one } = data.scratch

  for (let i = nb - 1; i > 0; i--) {
    const first = vStart[i]
    const n = vStart[i + 1] - first
    const p = parent[i]

    if (n === 1) {
      mulSymmetric6(U[first], IA[i], S[first]) //        U = IA S
      dot6(Dinv[i], 0, S[first], U[first])
      const D = Dinv[i][0] + armature[first] //          D = S^T U + armature
      if (!(D > 0)) throw nothingToMove(model, i, D)
      Dinv[i][0] = 1 / D
      dot6(u, first, S[first], pA[i])
      u[first] = tau[first] - u[first] //                u = tau - S^T pA
      if (p === 0) continue

      subtractOuter6(Ia, IA[i], Dinv[i], 0, U[first], U[first]) // Ia = IA - U D^-1 U^T
      mulSymmetric6(pa, Ia, C[i])
      add(pa, pA[i])
      one[0] = Dinv[i][0] * u[first]
      addScaled(pa, one, 0, U[first]) //                 pa = pA + Ia C + U D^-1 u
      addSymmetricToParent(IA[p], X[i], Ia) //           IAp += X^T Ia X
      addXTransposed(pA[p], X[i], pa) //                 pAp += X^T pa
    } else {
      for (let r = 0; r < n; r++) {
        mulSymmetric6(U[first + r], IA[i], S[first + r])
        dot6(u, first + r, S[first + r], pA[i])
        u[first + r] = tau[first + r] - u[first + r]
      }
      for (let r = 0; r < n; r++) {
        for (let c = 0; c <= r; c++) dot6(Dinv[i], n * r + c, S[first + r], U[first + c])
        Dinv[i][n * r + r] += armature[first + r]
      }
      if (n > 0) invertSymmetric(model, i, Dinv[i], n, data.scratch.b36)
      if (p === 0) continue

      for (let k = 0; k < 36; k++) Ia[k] = IA[i][k]
      for (let r = 0; r < n; r++) {
        for (let c = 0; c < n; c++) subtractOuter6(Ia, Ia, Dinv[i], n * r + c, U[first + r], U[first + c])
      }
      mulSymmetric6(pa, Ia, C[i])
      add(pa, pA[i])
      for (let r = 0; r < n; r++) {
        one[0] = 0
        for (let c = 0; c < n; c++) one[0] += Dinv[i][n * r + c] * u[first + c]
        addScaled(pa, one, 0, U[first + r])
      }
      addSymmetricToParent(IA[p], X[i], Ia)
      addXTransposed(pA[p], X[i], pa)
    }
  }
}

/** Third pass: accelerations from the root outward. */
function accelerate(model: Model, data: Data, a: Float64Array): void {
  const { nb, parent, vStart, gravity } = model
  const { X, S, A, C, U, Dinv, u } = data
  const { one, a6: rest } = data.scratch

  setZero(A[0])
  subtract(A[0], gravity)
  for (let i = 1; i < nb; i++) {
    const first = vStart[i]
    const n = vStart[i + 1] - first
    mulX(A[i], X[i], A[parent[i]])
    add(A[i], C[i]) //                                   A' = X Ap + C
    if (n === 1) {
      dot6(one, 0, U[first], A[i])
      a[first] = Dinv[i][0] * (u[first] - one[0]) //     a = D^-1 (u - U^T A')
      addScaled(A[i], a, first, S[first]) //             A = A' + S a
    } else {
      for (let r = 0; r < n; r++) {
        dot6(rest, r, U[first + r], A[i])
        rest[r] = u[first + r] - rest[r]
      }
      for (let r = 0; r < n; r++) {
        a[first + r] = 0
        for (let c = 0; c < n; c++) a[first + r] += Dinv[i][n * r + c] * rest[c]
      }
      for (let r = 0; r < n; r++) addScaled(A[i], a, first + r, S[first + r])
    }
  }
}

/** D := D^-1 for the symmetric n x n joint-space block of a body, of which the lower triangle is read, by Cholesky's D = G G^T and D^-1 = G^-T G^-1. */
function invertSymmetric(model: Model, body: number, D: Float64Array, n: number, G: Float64Array): void {
  for (let r = 0; r < n; r++) {
    for (let c = 0; c <= r; c++) {
      let sum = D[n * r + c]
      for (let k = 0; k < c; k++) sum -= G[n * r + k] * G[n * c + k]
      if (c < r) {
        G[n * r + c] = sum / G[n * c + c]
      } else {
        if (!(sum > 0)) throw nothingToMove(model, body, sum)
        G[n * r + r] = Math.sqrt(sum)
      }
    }
  }
  // G := G^-1, column by column
  for (let c = 0; c < n; c++) {
    G[n * c + c] = 1 / G[n * c + c]
    for (let r = c + 1; r < n; r++) {
      let sum = 0
      for (let k = c; k < r; k++) sum -= G[n * r + k] * G[n * k + c]
      G[n * r + c] = sum / G[n * r + r]
    }
  }
  for (let r = 0; r < n; r++) {
    for (let c = 0; c <= r; c++) {
      let sum = 0
      for (let k = r; k < n; k++) sum += G[n * k + r] * G[n * k + c]
      D[n * r + c] = sum
      D[n * c + r] = sum
    }
  }
}

function nothingToMove(model: Model, body: number, D: number): Error {
  return new Error(
    `aba: joint "${model.jointName[body]}" of model "${model.name}" meets the inertia ${D}; expected more than 0. ` +
      'If it is 0, the bodies that it carries have no mass to resist it: give them some, or give the joint an armature; ' +
      'if it is NaN, q is not finite.',
  )
}
