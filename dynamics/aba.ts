import { addFreeJointForce, nothingToMove } from './articulated.ts'
import { checkLength } from './checkLength.ts'
import type { Data } from './data.ts'
import {
  add,
  addCrossForce,
  addLessOuter6,
  addScaled,
  addScaledCross,
  addSymmetric6,
  copy6,
  dot6,
  inertiaToWorld,
  matrixOfInertia,
  mulInertia,
  mulSymmetric6,
  setZero,
  shiftMotion,
  subtract,
  subtractOuter6,
  sum6,
} from './math/index.ts'
import type { Model } from './model.ts'
import type { State } from './state.ts'

export { aba, abaWithForces } from './fast/aba.ts'

/**
 * Forward dynamics, a = M^-1 (tau - c), by the articulated-body algorithm. Featherstone (2008), Table 7.1, with each
 * rotor's inertia (`model.armature`) added to S^T IA S. Rigid bodies only: joint damping and friction are left out, so
 * that it undoes rnea. `aba` does the same faster, and with forces on the bodies and joints that follow others.
 *
 * It works in world axes about one point for all bodies of a tree (`data.center`), where the table's X are 1.
 *
 * Reads data.SW, data.R_WB and data.p_WB, so call `kinematics` for this q first. Writes data.SC, VC, AC, C, IA, pA, U, Dinv, u.
 *
 * @param tau generalised force, nv [N m, N]
 * @param a   out: generalised acceleration, nv [rad/s^2, m/s^2]; for a floating, planar or spherical joint the derivative of
 *   its v, body axes
 * @throws RangeError if v, tau or a has not nv entries, or if a joint follows another
 * @throws Error if a joint has nothing to move: S^T IA S not positive, as with a massless last body
 */
export function abaTable(model: Model, state: State, tau: Float64Array, data: Data, a: Float64Array): void {
  checkLength('v', state.v, model.nv)
  checkLength('tau', tau, model.nv)
  checkLength('a', a, model.nv)
  if (model.ns > model.nv) {
    throw new RangeError(`abaTable: in model "${model.name}" a joint follows another, which Table 7.1 does not cover; call aba.`)
  }
  outward(model, state, data)
  inward(model, tau, data)
  accelerate(model, data, a)
}

/** First pass: velocities, and each body on its own. */
function outward(model: Model, { v }: State, data: Data): void {
  const { nb, parent, vStart } = model
  const { p_WB, SW, SC: S, VC, C, center } = data

  setZero(VC[0])
  for (let i = 1; i < nb; i++) {
    copy6(VC[i], VC[parent[i]])
    for (let k = vStart[i]; k < vStart[i + 1]; k++) {
      shiftMotion(S[k], SW[k], p_WB[center[i]])
      addScaled(VC[i], v, k, S[k]) //                                                     V = Vp + S v
    }
    setZero(C[i])
    for (let k = vStart[i]; k < vStart[i + 1]; k++) addScaledCross(C[i], v, k, VC[i], S[k]) // C = V x S v
  }
  startBodies(model, data)
}

/** Each body on its own. A function by itself: V8 inlines only so many helpers into one. */
function startBodies({ nb, I }: Model, data: Data): void {
  const { R_WB, p_WB, VC, IA, pA, center } = data
  const { a6: IV, a10: IW } = data.scratch
  for (let i = 1; i < nb; i++) {
    inertiaToWorld(IW, R_WB[i], p_WB[i], p_WB[center[i]], I[i])
    matrixOfInertia(IA[i], IW) //       IA = I
    mulInertia(IV, IW, VC[i])
    setZero(pA[i])
    addCrossForce(pA[i], VC[i], IV) //  pA = V x* I V
  }
}

/** Second pass: what each joint's motion meets, and what is handed on to the parent. */
function inward(model: Model, tau: Float64Array, data: Data): void {
  const { nb, parent, vStart, armature } = model
  const { SC: S, C, IA, pA, U, Dinv, u, R_WB, p_WB, center } = data
  const { a6: pa, b6: rest, one } = data.scratch

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

      // Ia = IA - U D^-1 U^T, pa = pA + Ia C + U D^-1 u, in which Ia C = IA C - U D^-1 U^T C
      addLessOuter6(IA[p], IA[i], Dinv[i], 0, U[first]) // IAp += Ia
      mulSymmetric6(pa, IA[i], C[i])
      add(pa, pA[i])
      dot6(rest, 0, U[first], C[i])
      rest[0] = Dinv[i][0] * (u[first] - rest[0])
      addScaled(pa, rest, 0, U[first])
      add(pA[p], pa) //                                            pAp += pa
    } else {
      // the same for the columns of a joint with several velocities, or with none
      for (let r = 0; r < n; r++) {
        mulSymmetric6(U[first + r], IA[i], S[first + r])
        dot6(u, first + r, S[first + r], pA[i])
        u[first + r] = tau[first + r] - u[first + r]
      }
      for (let r = 0; r < n; r++) {
        for (let c = 0; c <= r; c++) dot6(Dinv[i], n * r + c, S[first + r], U[first + c])
        Dinv[i][n * r + r] += armature[first + r]
      }
      if (n > 0) invertSymmetric(model, i, Dinv[i], n, data.scratch.a36)
      if (p === 0) continue
      if (n === 6) {
        addFreeJointForce(pA[p], R_WB[i], p_WB[i], p_WB[center[i]], tau, first)
        continue
      }

      addSymmetric6(IA[p], IA[i])
      mulSymmetric6(pa, IA[i], C[i])
      add(pa, pA[i])
      for (let r = 0; r < n; r++) {
        dot6(rest, r, U[first + r], C[i])
        rest[r] = u[first + r] - rest[r]
      }
      for (let r = 0; r < n; r++) {
        one[0] = 0
        for (let c = 0; c < n; c++) {
          subtractOuter6(IA[p], Dinv[i], n * r + c, U[first + r], U[first + c])
          one[0] += Dinv[i][n * r + c] * rest[c]
        }
        addScaled(pa, one, 0, U[first + r])
      }
      add(pA[p], pa)
    }
  }
}

/** Third pass: accelerations from the root outward. */
function accelerate(model: Model, data: Data, a: Float64Array): void {
  const { nb, parent, vStart, gravity } = model
  const { SC: S, AC, C, U, Dinv, u } = data
  const { a6: rest } = data.scratch

  setZero(AC[0])
  subtract(AC[0], gravity)
  for (let i = 1; i < nb; i++) {
    const first = vStart[i]
    const n = vStart[i + 1] - first
    sum6(AC[i], AC[parent[i]], C[i]) //                  A' = Ap + C
    if (n === 1) {
      dot6(rest, 0, U[first], AC[i])
      a[first] = Dinv[i][0] * (u[first] - rest[0]) //    a = D^-1 (u - U^T A')
      addScaled(AC[i], a, first, S[first]) //            A = A' + S a
    } else {
      for (let r = 0; r < n; r++) {
        dot6(rest, r, U[first + r], AC[i])
        rest[r] = u[first + r] - rest[r]
      }
      for (let r = 0; r < n; r++) {
        a[first + r] = 0
        for (let c = 0; c < n; c++) a[first + r] += Dinv[i][n * r + c] * rest[c]
      }
      for (let r = 0; r < n; r++) addScaled(AC[i], a, first + r, S[first + r])
    }
  }
}

/**
 * D := D^-1 for the symmetric n x n joint-space block of a body, of which the lower triangle is read, by Cholesky's
 * D = G G^T and D^-1 = G^-T G^-1. G's diagonal holds its reciprocals.
 */
function invertSymmetric(model: Model, body: number, D: Float64Array, n: number, G: Float64Array): void {
  for (let r = 0; r < n; r++) {
    for (let c = 0; c <= r; c++) {
      let sum = D[n * r + c]
      for (let k = 0; k < c; k++) sum -= G[n * r + k] * G[n * c + k]
      if (c < r) {
        G[n * r + c] = sum * G[n * c + c]
      } else {
        if (!(sum > 0)) throw nothingToMove(model, body, sum)
        G[n * r + r] = 1 / Math.sqrt(sum)
      }
    }
  }
  // G := G^-1, column by column
  for (let c = 0; c < n; c++) {
    for (let r = c + 1; r < n; r++) {
      let sum = 0
      for (let k = c; k < r; k++) sum -= G[n * r + k] * G[n * k + c]
      G[n * r + c] = sum * G[n * r + r]
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
