import { addFreeJointForce, nothingToMove } from '../../dynamics/algorithms/articulated.ts'
import {
  add,
  addCrossForce,
  addDot6,
  addInertia,
  addLessOuter6,
  addScaled,
  addScaledCross,
  addSymmetric6,
  dot6,
  inertiaToWorld,
  matrixOfInertia,
  mulInertia,
  mulSymmetric6,
  setZero,
  shiftMotion,
  subtract,
} from '../../dynamics/math/index.ts'
import { checkLength } from '../../dynamics/model/checkLength.ts'
import { type Data, views } from '../../dynamics/model/data.ts'
import type { Model } from '../../dynamics/model/model.ts'
import { placeBody } from '../../dynamics/model/placeBody.ts'
import type { State } from '../../dynamics/model/state.ts'

/*
 * Algorithms as the book's tables have them (Featherstone, Rigid Body Dynamics Algorithms, 2008), over one vector per body: what `kinematics`,
 * `crba` and `aba` are held against, which do the same faster.
 */

/**
 * Where everything is at q: X = XJ XT (Featherstone 2008, section 4.4), and from it the poses. `kinematics` does the same faster.
 *
 * Reads state.q. Writes data.X, data.R_WB, data.p_WB, data.SW (world axes, about the world's origin).
 *
 * @throws RangeError if q has not nq entries
 */
export function kinematicsTable(model: Model, { q }: State, data: Data): void {
  checkLength('q', q, model.nq)
  const R_WW = data.R_WB[0]
  R_WW[0] = 1
  R_WW[4] = 1
  R_WW[8] = 1
  for (let i = 1; i < model.nb; i++) placeBody(model, i, q, data)
}

/**
 * Joint-space inertia M(q) by the composite-rigid-body algorithm: M[k, l] = S_l . IC S_k for k and each l between k and
 * the root, where IC is the inertia of all that k carries. Featherstone (2008), section 6.2, plus each rotor's inertia
 * (`model.armature`) on the diagonal. `crba` does the same faster.
 *
 * Unlike Table 6.2 it works in world axes about one origin for all bodies of a tree (`data.center`), where nothing needs
 * to be transformed on the way to the root. Where joints follow others, motions add up at the velocities that drive them.
 *
 * Reads data.SW, data.R_WB and data.p_WB, so call `kinematics` first. Writes data.IC, data.SC, data.FC and all of data.M
 * (nv x nv, row-major, symmetric; 0 where two velocities move no body both).
 */
export function crbaTable(model: Model, data: Data): void {
  const { nb, nv, ns, parent, sStart, sParent, vOfS, I, armature } = model
  const { R_WB, p_WB, SW, SC: S, IC, FC: F, M, center } = data

  for (let i = 1; i < nb; i++) {
    const c = p_WB[center[i]]
    inertiaToWorld(IC[i], R_WB[i], p_WB[i], c, I[i])
    for (let s = sStart[i]; s < sStart[i + 1]; s++) shiftMotion(S[s], SW[s], c)
  }
  for (let i = nb - 1; i > 0; i--) {
    for (let s = sStart[i]; s < sStart[i + 1]; s++) mulInertia(F[s], IC[i], S[s]) // F = IC S
    if (parent[i] > 0) addInertia(IC[parent[i]], IC[i]) //                           ICp += IC
  }

  M.fill(0)
  for (let s = ns - 1; s >= 0; s--) {
    const k = vOfS[s]
    addDot6(M, k * nv + k, S[s], F[s])
    for (let t = sParent[s]; t >= 0; t = sParent[t]) {
      const l = vOfS[t]
      addDot6(M, k * nv + l, S[t], F[s]) // M[k, l] = M[l, k] = S_l . F_k
      addDot6(M, l * nv + k, S[t], F[s])
    }
  }
  for (let k = 0; k < nv; k++) M[k * nv + k] += armature[k]
}

/** `Data`, and what Table 7.1 has besides. */
interface Table extends Data {
  /** Per body, 6, as SC: spatial acceleration; carries -gravity, as body 0 does. */
  readonly AC: readonly Float64Array[]
  /** Per body, 6, as SC: velocity-product acceleration, C = V x S v. */
  readonly C: readonly Float64Array[]
  /** Per body, up to 6 x 6: D^-1, D = S^T U + armature. */
  readonly Dinv: readonly Float64Array[]
}

/**
 * Forward dynamics, a = M^-1 (tau - c), by the articulated-body algorithm. Featherstone (2008), Table 7.1, with each
 * rotor's inertia (`model.armature`) added to S^T IA S. Rigid bodies only: joint damping and friction are left out, so
 * that it undoes rnea. `aba` does the same faster, and with forces on the bodies and joints that follow others.
 *
 * It works in world axes about one point for all bodies of a tree (`data.center`), where the table's X are 1.
 *
 * Reads data.SW, data.R_WB and data.p_WB, so call `kinematics` for this q first. Writes data.SC, VC, IA, pA, U, u.
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
  const table: Table = { ...data, AC: views(model.nb, 6), C: views(model.nb, 6), Dinv: views(model.nb, 36) }
  outward(model, state, table)
  inward(model, tau, table)
  accelerate(model, table, a)
}

/** First pass: velocities, and each body on its own. */
function outward(model: Model, { v }: State, data: Table): void {
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
function startBodies({ nb, I }: Model, data: Table): void {
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
function inward(model: Model, tau: Float64Array, data: Table): void {
  const { nb, parent, vStart, armature } = model
  const { SC: S, C, IA, pA, U, Dinv, u, R_WB, p_WB, center } = data
  const { a6: pa, b6: rest } = data.scratch
  const one = new Float64Array(1)

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
      if (n > 0) invertSymmetric(model, i, Dinv[i], n, new Float64Array(36))
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
function accelerate(model: Model, data: Table, a: Float64Array): void {
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

/** out -= s[k] a b^T, upper triangle, 6 x 6 (36, row-major). */
function subtractOuter6(out: Float64Array, s: Float64Array, k: number, a: Float64Array, b: Float64Array): void {
  for (let r = 0; r < 6; r++) {
    const f = s[k] * a[r]
    for (let c = r; c < 6; c++) out[6 * r + c] -= f * b[c]
  }
}

/** out = a */
function copy6(out: Float64Array, a: Float64Array): void {
  out[0] = a[0]
  out[1] = a[1]
  out[2] = a[2]
  out[3] = a[3]
  out[4] = a[4]
  out[5] = a[5]
}

/** out = a + b */
function sum6(out: Float64Array, a: Float64Array, b: Float64Array): void {
  out[0] = a[0] + b[0]
  out[1] = a[1] + b[1]
  out[2] = a[2] + b[2]
  out[3] = a[3] + b[3]
  out[4] = a[4] + b[4]
  out[5] = a[5] + b[5]
}
