import {
  add,
  addScaled,
  addSymmetric6,
  addWork,
  dot6,
  mulSymmetric6,
  subtractShiftedForce,
  subtractSquare6,
} from '../../math/index.ts'
import { checkLength } from '../../model/checkLength.ts'
import type { Data } from '../../model/data.ts'
import { JointType, type Model } from '../../model/model.ts'
import type { State } from '../../model/state.ts'
import { factorize, solve } from '../../sparse/factorization.ts'
import { addFreeJointForce, nothingToMove } from '../articulated.ts'
import { addBodyForces } from '../jacobians.ts'
import { massMatrix } from './crba.ts'
import { rnea } from './rnea.ts'

/**
 * Forward dynamics, a = M^-1 (tau - c), by the articulated-body algorithm, with each rotor's inertia (`model.armature`). Rigid bodies only:
 * joint damping and friction are not included, so that aba inverts rnea; add them to tau. @unchecked
 *
 * Differs from Featherstone's Table 7.1 (test/dynamics/tables.ts) in three ways. It works in world axes about one point for all bodies of a
 * tree (`data.center`), as crba does. The bodies' accelerations at a = 0 are subtracted beforehand, so that pA holds their forces, I biasAC
 * + V x* I V, and no velocity term is left in the recursion. And a joint with several velocities is treated as a chain of joints with one
 * each, from the last to the first, which is equivalent to inverting its D.
 *
 * Reads data.SW, data.R_WB and data.p_WB, so call `kinematics` for this q first. Writes data.SC, VC, IA, pA, U, u, and in data.flat biasAC,
 * addedAC and Dinv. If joints follow others it also reads data.X, and writes the outputs of rnea and crba except data.M.
 *
 * @param tau generalised force, nv [N m, N]
 * @param a   out: generalised acceleration, nv [rad/s^2, m/s^2]; for a floating, planar or spherical joint the derivative of its v, body
 * axes
 * @throws RangeError if v, tau or a has not nv entries
 * @throws Error if a joint moves no inertia: S . IA S not positive, as for a massless last body
 */
export function aba(model: Model, state: State, tau: Float64Array, data: Data, a: Float64Array): void {
  checkLength('v', state.v, model.nv)
  checkLength('tau', tau, model.nv)
  checkLength('a', a, model.nv)
  addWork(model.nb, 250, 1)
  if (model.ns > model.nv) {
    a.set(tau)
    accelerateThroughM(model, state, data, a)
    return
  }
  moveAtZero(model, state, data)
  startBodies(model, data)
  eliminateJoints(model, tau, data)
  accelerate(model, data, a)
}

/**
 * `aba` with an external force on each body. @unchecked
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
  const { nb, nv } = model
  const { pA, p_WB, center } = data
  checkLength('v', state.v, nv)
  checkLength('tau', tau, nv)
  checkLength('forcesW', forcesW, 6 * nb)
  checkLength('a', a, nv)
  addWork(nb, 250, 1)
  if (model.ns > nv) {
    a.set(tau)
    addBodyForces(model, forcesW, data, a)
    accelerateThroughM(model, state, data, a)
    return
  }
  moveAtZero(model, state, data)
  startBodies(model, data)
  for (let i = 1; i < nb; i++) subtractShiftedForce(pA[i], forcesW, 6 * i, p_WB[center[i]])
  eliminateJoints(model, tau, data)
  accelerate(model, data, a)
}

/**
 * a := M^-1 (a - c), for models in which joints follow others. Such a joint couples bodies possibly far apart in the tree, so that a single
 * body has no articulated inertia: solves with the factor of M, which preserves its remaining sparsity.
 */
function accelerateThroughM(model: Model, state: State, data: Data, a: Float64Array): void {
  const { zero, aNv: c, aNvNv: M } = data.scratch
  rnea(model, state, zero, data, c)
  for (let k = 0; k < model.nv; k++) a[k] -= c[k]
  massMatrix(model, data, M)
  factorize(model, M, M)
  solve(model, M, a)
}

/** From the roots outward: S about the tree's center, V = Vp + S v, and the acceleration at a = 0, biasAC = biasACp + V x S v. */
function moveAtZero({ nb, parent, vStart }: Model, { v }: State, data: Data): void {
  const { center } = data
  const { p_WB: P, SW, SC, VC: V, biasAC: A } = data.flat
  for (let k = 0; k < 6; k++) {
    V[k] = 0
    A[k] = 0
  }
  for (let i = 1; i < nb; i++) {
    const c = 3 * center[i]
    const cx = P[c]
    const cy = P[c + 1]
    const cz = P[c + 2]
    // J = S v
    let jx = 0
    let jy = 0
    let jz = 0
    let lx = 0
    let ly = 0
    let lz = 0
    for (let k = vStart[i]; k < vStart[i + 1]; k++) {
      const s = 6 * k
      const sx = SW[s]
      const sy = SW[s + 1]
      const sz = SW[s + 2]
      const tx = SW[s + 3] + (sy * cz - sz * cy)
      const ty = SW[s + 4] + (sz * cx - sx * cz)
      const tz = SW[s + 5] + (sx * cy - sy * cx)
      SC[s] = sx
      SC[s + 1] = sy
      SC[s + 2] = sz
      SC[s + 3] = tx
      SC[s + 4] = ty
      SC[s + 5] = tz
      jx += v[k] * sx
      jy += v[k] * sy
      jz += v[k] * sz
      lx += v[k] * tx
      ly += v[k] * ty
      lz += v[k] * tz
    }
    // V x J = Vp x J
    const p = 6 * parent[i]
    const wx = V[p]
    const wy = V[p + 1]
    const wz = V[p + 2]
    const vx = V[p + 3]
    const vy = V[p + 4]
    const vz = V[p + 5]
    const n = 6 * i
    V[n] = wx + jx
    V[n + 1] = wy + jy
    V[n + 2] = wz + jz
    V[n + 3] = vx + lx
    V[n + 4] = vy + ly
    V[n + 5] = vz + lz
    A[n] = A[p] + (wy * jz - wz * jy)
    A[n + 1] = A[p + 1] + (wz * jx - wx * jz)
    A[n + 2] = A[p + 2] + (wx * jy - wy * jx)
    A[n + 3] = A[p + 3] + (wy * lz - wz * ly + (vy * jz - vz * jy))
    A[n + 4] = A[p + 4] + (wz * lx - wx * lz + (vz * jx - vx * jz))
    A[n + 5] = A[p + 5] + (wx * ly - wy * lx + (vx * jy - vy * jx))
  }
}

/**
 * Each body on its own: IA = I, in world axes about the tree's center as in crba, and pA = I biasAC + V x* I V.
 */
function startBodies({ nb }: Model, data: Data): void {
  const { center } = data
  const { I, R_WB: R, p_WB: P, VC: V, biasAC: A, IA, pA } = data.flat
  for (let i = 1; i < nb; i++) {
    const r = 9 * i
    const r0 = R[r]
    const r1 = R[r + 1]
    const r2 = R[r + 2]
    const r3 = R[r + 3]
    const r4 = R[r + 4]
    const r5 = R[r + 5]
    const r6 = R[r + 6]
    const r7 = R[r + 7]
    const r8 = R[r + 8]
    const p = 3 * i
    const c = 3 * center[i]
    const dx = P[p] - P[c]
    const dy = P[p + 1] - P[c + 1]
    const dz = P[p + 2] - P[c + 2]
    const b = 10 * i
    const m = I[b]
    const h0 = I[b + 1]
    const h1 = I[b + 2]
    const h2 = I[b + 3]
    const Ixx = I[b + 4]
    const Iyy = I[b + 5]
    const Izz = I[b + 6]
    const Ixy = I[b + 7]
    const Ixz = I[b + 8]
    const Iyz = I[b + 9]
    const gx = r0 * h0 + r1 * h1 + r2 * h2
    const gy = r3 * h0 + r4 * h1 + r5 * h2
    const gz = r6 * h0 + r7 * h1 + r8 * h2
    // rows of R Ibar
    const a0 = r0 * Ixx + r1 * Ixy + r2 * Ixz
    const a1 = r0 * Ixy + r1 * Iyy + r2 * Iyz
    const a2 = r0 * Ixz + r1 * Iyz + r2 * Izz
    const a3 = r3 * Ixx + r4 * Ixy + r5 * Ixz
    const a4 = r3 * Ixy + r4 * Iyy + r5 * Iyz
    const a5 = r3 * Ixz + r4 * Iyz + r5 * Izz
    const a6 = r6 * Ixx + r7 * Ixy + r8 * Ixz
    const a7 = r6 * Ixy + r7 * Iyy + r8 * Iyz
    const a8 = r6 * Ixz + r7 * Iyz + r8 * Izz
    const ux = gx + 0.5 * m * dx
    const uy = gy + 0.5 * m * dy
    const uz = gz + 0.5 * m * dz
    const qx = 2 * dx * ux
    const qy = 2 * dy * uy
    const qz = 2 * dz * uz
    const hx = gx + m * dx
    const hy = gy + m * dy
    const hz = gz + m * dz
    const xx = a0 * r0 + a1 * r1 + a2 * r2 + qy + qz
    const yy = a3 * r3 + a4 * r4 + a5 * r5 + qx + qz
    const zz = a6 * r6 + a7 * r7 + a8 * r8 + qx + qy
    const xy = a0 * r3 + a1 * r4 + a2 * r5 - (dx * uy + ux * dy)
    const xz = a0 * r6 + a1 * r7 + a2 * r8 - (dx * uz + ux * dz)
    const yz = a3 * r6 + a4 * r7 + a5 * r8 - (dy * uz + uy * dz)
    const n = 36 * i
    IA[n] = xx
    IA[n + 1] = xy
    IA[n + 2] = xz
    IA[n + 3] = 0
    IA[n + 4] = -hz
    IA[n + 5] = hy
    IA[n + 7] = yy
    IA[n + 8] = yz
    IA[n + 9] = hz
    IA[n + 10] = 0
    IA[n + 11] = -hx
    IA[n + 14] = zz
    IA[n + 15] = -hy
    IA[n + 16] = hx
    IA[n + 17] = 0
    IA[n + 21] = m
    IA[n + 22] = 0
    IA[n + 23] = 0
    IA[n + 28] = m
    IA[n + 29] = 0
    IA[n + 35] = m

    const j = 6 * i
    const wx = V[j]
    const wy = V[j + 1]
    const wz = V[j + 2]
    const vx = V[j + 3]
    const vy = V[j + 4]
    const vz = V[j + 5]
    const bx = A[j]
    const by = A[j + 1]
    const bz = A[j + 2]
    const ex = A[j + 3]
    const ey = A[j + 4]
    const ez = A[j + 5]
    // [n; f] = I V
    const nx = xx * wx + xy * wy + xz * wz + (hy * vz - hz * vy)
    const ny = xy * wx + yy * wy + yz * wz + (hz * vx - hx * vz)
    const nz = xz * wx + yz * wy + zz * wz + (hx * vy - hy * vx)
    const fx = m * vx - (hy * wz - hz * wy)
    const fy = m * vy - (hz * wx - hx * wz)
    const fz = m * vz - (hx * wy - hy * wx)
    pA[j] = xx * bx + xy * by + xz * bz + (hy * ez - hz * ey) + (wy * nz - wz * ny + (vy * fz - vz * fy))
    pA[j + 1] = xy * bx + yy * by + yz * bz + (hz * ex - hx * ez) + (wz * nx - wx * nz + (vz * fx - vx * fz))
    pA[j + 2] = xz * bx + yz * by + zz * bz + (hx * ey - hy * ex) + (wx * ny - wy * nx + (vx * fy - vy * fx))
    pA[j + 3] = m * ex - (hy * bz - hz * by) + (wy * fz - wz * fy)
    pA[j + 4] = m * ey - (hz * bx - hx * bz) + (wz * fx - wx * fz)
    pA[j + 5] = m * ez - (hx * by - hy * bx) + (wx * fy - wy * fx)
  }
}

/** From the leaves inward: D and u of each joint motion; adds articulated inertia and bias force to the parent's. */
function eliminateJoints(model: Model, tau: Float64Array, data: Data): void {
  const { nb, parent, vStart, armature } = model
  const { u } = data
  const { SC: S, IA, pA, U, Dinv } = data.flat
  for (let i = nb - 1; i > 0; i--) {
    const k = vStart[i]
    if (vStart[i + 1] - k !== 1) {
      eliminateEach(model, i, tau, data)
      continue
    }
    const n = 36 * i
    const a00 = IA[n]
    const a01 = IA[n + 1]
    const a02 = IA[n + 2]
    const a03 = IA[n + 3]
    const a04 = IA[n + 4]
    const a05 = IA[n + 5]
    const a11 = IA[n + 7]
    const a12 = IA[n + 8]
    const a13 = IA[n + 9]
    const a14 = IA[n + 10]
    const a15 = IA[n + 11]
    const a22 = IA[n + 14]
    const a23 = IA[n + 15]
    const a24 = IA[n + 16]
    const a25 = IA[n + 17]
    const a33 = IA[n + 21]
    const a34 = IA[n + 22]
    const a35 = IA[n + 23]
    const a44 = IA[n + 28]
    const a45 = IA[n + 29]
    const a55 = IA[n + 35]
    const s = 6 * k
    const s0 = S[s]
    const s1 = S[s + 1]
    const s2 = S[s + 2]
    const s3 = S[s + 3]
    const s4 = S[s + 4]
    const s5 = S[s + 5]

    // U = IA S, D = S . U + armature, u = tau - S . pA
    const u0 = a00 * s0 + a01 * s1 + (a02 * s2 + a03 * s3) + (a04 * s4 + a05 * s5)
    const u1 = a01 * s0 + a11 * s1 + (a12 * s2 + a13 * s3) + (a14 * s4 + a15 * s5)
    const u2 = a02 * s0 + a12 * s1 + (a22 * s2 + a23 * s3) + (a24 * s4 + a25 * s5)
    const u3 = a03 * s0 + a13 * s1 + (a23 * s2 + a33 * s3) + (a34 * s4 + a35 * s5)
    const u4 = a04 * s0 + a14 * s1 + (a24 * s2 + a34 * s3) + (a44 * s4 + a45 * s5)
    const u5 = a05 * s0 + a15 * s1 + (a25 * s2 + a35 * s3) + (a45 * s4 + a55 * s5)
    const D = s0 * u0 + s1 * u1 + (s2 * u2 + s3 * u3) + (s4 * u4 + s5 * u5) + armature[k]
    if (!(D > 0)) throw nothingToMove(model, i, D)
    const inverse = 1 / D
    const j = 6 * i
    const p0 = pA[j]
    const p1 = pA[j + 1]
    const p2 = pA[j + 2]
    const p3 = pA[j + 3]
    const p4 = pA[j + 4]
    const p5 = pA[j + 5]
    const rest = tau[k] - (s0 * p0 + s1 * p1 + (s2 * p2 + s3 * p3) + (s4 * p4 + s5 * p5))
    U[s] = u0
    U[s + 1] = u1
    U[s + 2] = u2
    U[s + 3] = u3
    U[s + 4] = u4
    U[s + 5] = u5
    Dinv[k] = inverse
    u[k] = rest
    if (parent[i] === 0) continue

    // IAp += IA - U D^-1 U^T, pAp += pA + U D^-1 u
    const f0 = inverse * u0
    const f1 = inverse * u1
    const f2 = inverse * u2
    const f3 = inverse * u3
    const f4 = inverse * u4
    const f5 = inverse * u5
    const o = 36 * parent[i]
    IA[o] += a00 - f0 * u0
    IA[o + 1] += a01 - f0 * u1
    IA[o + 2] += a02 - f0 * u2
    IA[o + 3] += a03 - f0 * u3
    IA[o + 4] += a04 - f0 * u4
    IA[o + 5] += a05 - f0 * u5
    IA[o + 7] += a11 - f1 * u1
    IA[o + 8] += a12 - f1 * u2
    IA[o + 9] += a13 - f1 * u3
    IA[o + 10] += a14 - f1 * u4
    IA[o + 11] += a15 - f1 * u5
    IA[o + 14] += a22 - f2 * u2
    IA[o + 15] += a23 - f2 * u3
    IA[o + 16] += a24 - f2 * u4
    IA[o + 17] += a25 - f2 * u5
    IA[o + 21] += a33 - f3 * u3
    IA[o + 22] += a34 - f3 * u4
    IA[o + 23] += a35 - f3 * u5
    IA[o + 28] += a44 - f4 * u4
    IA[o + 29] += a45 - f4 * u5
    IA[o + 35] += a55 - f5 * u5
    const q = 6 * parent[i]
    pA[q] += p0 + rest * f0
    pA[q + 1] += p1 + rest * f1
    pA[q + 2] += p2 + rest * f2
    pA[q + 3] += p3 + rest * f3
    pA[q + 4] += p4 + rest * f4
    pA[q + 5] += p5 + rest * f5
  }
}

/** Does the same for a joint with several velocities, one after another, or none. */
function eliminateEach(model: Model, i: number, tau: Float64Array, data: Data): void {
  const { parent, vStart, jointType, armature } = model
  const { SC: S, IA, pA, U, u, R_WB, p_WB, center } = data
  const { Dinv } = data.flat
  const { one } = data.scratch
  for (let k = vStart[i + 1] - 1; k >= vStart[i]; k--) {
    mulSymmetric6(U[k], IA[i], S[k])
    dot6(Dinv, k, S[k], U[k])
    const D = Dinv[k] + armature[k]
    if (!(D > 0)) throw nothingToMove(model, i, D)
    Dinv[k] = 1 / D
    dot6(u, k, S[k], pA[i])
    u[k] = tau[k] - u[k]
    if (k === vStart[i] && (parent[i] === 0 || jointType[i] === JointType.floating)) break
    subtractSquare6(IA[i], Dinv, k, U[k])
    one[0] = Dinv[k] * u[k]
    addScaled(pA[i], one, 0, U[k])
  }
  if (parent[i] === 0) return
  if (jointType[i] === JointType.floating) {
    addFreeJointForce(pA[parent[i]], R_WB[i], p_WB[i], p_WB[center[i]], tau, vStart[i])
    return
  }
  addSymmetric6(IA[parent[i]], IA[i])
  add(pA[parent[i]], pA[i])
}

/**
 * From the roots outward: a = D^-1 (u - U . A), A += S a, A being the part due to gravity and the joints before this one. Gravity enters
 * here, as body 0's acceleration, not with biasAC, since weights that cancel in pA would cost digits.
 */
function accelerate({ nb, parent, vStart, gravity }: Model, data: Data, a: Float64Array): void {
  const { u } = data
  const { SC: S, U, Dinv, addedAC: A } = data.flat
  for (let k = 0; k < 6; k++) A[k] = -gravity[k]
  for (let i = 1; i < nb; i++) {
    const p = 6 * parent[i]
    let A0 = A[p]
    let A1 = A[p + 1]
    let A2 = A[p + 2]
    let A3 = A[p + 3]
    let A4 = A[p + 4]
    let A5 = A[p + 5]
    for (let k = vStart[i]; k < vStart[i + 1]; k++) {
      const s = 6 * k
      const UA = U[s] * A0 + U[s + 1] * A1 + (U[s + 2] * A2 + U[s + 3] * A3) + (U[s + 4] * A4 + U[s + 5] * A5)
      const ak = Dinv[k] * (u[k] - UA)
      a[k] = ak
      A0 += ak * S[s]
      A1 += ak * S[s + 1]
      A2 += ak * S[s + 2]
      A3 += ak * S[s + 3]
      A4 += ak * S[s + 4]
      A5 += ak * S[s + 5]
    }
    const j = 6 * i
    A[j] = A0
    A[j + 1] = A1
    A[j + 2] = A2
    A[j + 3] = A3
    A[j + 4] = A4
    A[j + 5] = A5
  }
}

/** For the compiler: what this file's functions refer to. */
// biome-ignore format: a list
export const abaParts = () => ({
  aba, accelerateThroughM, moveAtZero, startBodies, eliminateJoints, eliminateEach, accelerate, rnea, massMatrix, factorize, solve,
  addFreeJointForce, nothingToMove, JointType, add, addScaled, addSymmetric6, dot6, mulSymmetric6, subtractSquare6, addWork, checkLength,
})
