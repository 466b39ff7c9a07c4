import { addWork } from '../../math/index.ts'
import { checkLength } from '../../model/checkLength.ts'
import type { Data } from '../../model/data.ts'
import type { Model } from '../../model/model.ts'

/**
 * Joint-space inertia M(q) by the composite-rigid-body algorithm (Featherstone 2008, section 6.2), in two loops over flat arrays. @unchecked
 *
 * Reads data.SW, data.R_WB and data.p_WB, so call `kinematics` first. Writes data.IC, data.SC, data.FC and all of data.M
 * (nv x nv, row-major, symmetric; 0 for two velocities that move no common body).
 */
export function crba(model: Model, data: Data): void {
  massMatrix(model, data, data.M)
}

/**
 * `crba` without the zeros: writes only the entries of data.M for velocities on one branch; all others keep the 0 of `createData`. For a
 * hundred free bodies that is one per cent of M. @unchecked
 *
 * @throws RangeError if data.M has not nv x nv entries
 */
export function crbaOnBranches(model: Model, data: Data): void {
  checkLength('M', data.M, model.nv * model.nv)
  if (data.compiled?.crbaOnBranches(model) === true) return
  composeInertias(model, data)
  if (model.ns === model.nv) fillBranches(model, data, data.M)
  else {
    clearBranches(model, data.M)
    fillFollowed(model, data, data.M)
  }
}

/**
 * `crbaOnBranches` into any nv x nv matrix. @unchecked
 *
 * @throws RangeError if M has not nv x nv entries
 */
export function massMatrix(model: Model, data: Data, M: Float64Array): void {
  checkLength('M', M, model.nv * model.nv)
  composeInertias(model, data)
  M.fill(0)
  if (model.ns === model.nv) fillBranches(model, data, M)
  else fillFollowed(model, data, M)
}

/**
 * From the leaves inward: each body's inertia in world axes about the tree's center, h' = R h + m d and Ibar' = R Ibar R^T + 2 (d . u) 1 -
 * d u^T - u d^T with d = p - c and u = R h + m d / 2 (Featherstone 2008, section 2.13), summed over its subtree; and the force F = IC S of
 * each of its joint's motions. One loop, not two, so that the processor overlaps a body's transformation with the sum of the last; and the
 * first child sets the sum, so that nothing is cleared.
 */
function composeInertias({ nb, parent, sStart }: Model, data: Data): void {
  const { center, tip, lastChild } = data
  const { I, R_WB: R, p_WB: P, SW, SC, IC, FC } = data.flat
  addWork(nb, 100, 1)
  for (let i = nb - 1; i > 0; i--) {
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
    const cx = P[c]
    const cy = P[c + 1]
    const cz = P[c + 2]
    const dx = P[p] - cx
    const dy = P[p + 1] - cy
    const dz = P[p + 2] - cz
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
    const hx = r0 * h0 + r1 * h1 + r2 * h2
    const hy = r3 * h0 + r4 * h1 + r5 * h2
    const hz = r6 * h0 + r7 * h1 + r8 * h2
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
    const ux = hx + 0.5 * m * dx
    const uy = hy + 0.5 * m * dy
    const uz = hz + 0.5 * m * dz
    const qx = 2 * dx * ux
    const qy = 2 * dy * uy
    const qz = 2 * dz * uz
    let mass = m
    let gx = hx + m * dx
    let gy = hy + m * dy
    let gz = hz + m * dz
    let xx = a0 * r0 + a1 * r1 + a2 * r2 + qy + qz
    let yy = a3 * r3 + a4 * r4 + a5 * r5 + qx + qz
    let zz = a6 * r6 + a7 * r7 + a8 * r8 + qx + qy
    let xy = a0 * r3 + a1 * r4 + a2 * r5 - (dx * uy + ux * dy)
    let xz = a0 * r6 + a1 * r7 + a2 * r8 - (dx * uz + ux * dz)
    let yz = a3 * r6 + a4 * r7 + a5 * r8 - (dy * uz + uy * dz)
    if (tip[i] === 0) {
      mass += IC[b]
      gx += IC[b + 1]
      gy += IC[b + 2]
      gz += IC[b + 3]
      xx += IC[b + 4]
      yy += IC[b + 5]
      zz += IC[b + 6]
      xy += IC[b + 7]
      xz += IC[b + 8]
      yz += IC[b + 9]
    }
    IC[b] = mass
    IC[b + 1] = gx
    IC[b + 2] = gy
    IC[b + 3] = gz
    IC[b + 4] = xx
    IC[b + 5] = yy
    IC[b + 6] = zz
    IC[b + 7] = xy
    IC[b + 8] = xz
    IC[b + 9] = yz
    for (let s = 6 * sStart[i]; s < 6 * sStart[i + 1]; s += 6) {
      const wx = SW[s]
      const wy = SW[s + 1]
      const wz = SW[s + 2]
      const vx = SW[s + 3] + (wy * cz - wz * cy)
      const vy = SW[s + 4] + (wz * cx - wx * cz)
      const vz = SW[s + 5] + (wx * cy - wy * cx)
      SC[s] = wx
      SC[s + 1] = wy
      SC[s + 2] = wz
      SC[s + 3] = vx
      SC[s + 4] = vy
      SC[s + 5] = vz
      FC[s] = xx * wx + xy * wy + xz * wz + (gy * vz - gz * vy)
      FC[s + 1] = xy * wx + yy * wy + yz * wz + (gz * vx - gx * vz)
      FC[s + 2] = xz * wx + yz * wy + zz * wz + (gx * vy - gy * vx)
      FC[s + 3] = mass * vx - (gy * wz - gz * wy)
      FC[s + 4] = mass * vy - (gz * wx - gx * wz)
      FC[s + 5] = mass * vz - (gx * wy - gy * wx)
    }

    if (parent[i] === 0) continue
    const o = 10 * parent[i]
    if (lastChild[i] !== 0) {
      IC[o] = mass
      IC[o + 1] = gx
      IC[o + 2] = gy
      IC[o + 3] = gz
      IC[o + 4] = xx
      IC[o + 5] = yy
      IC[o + 6] = zz
      IC[o + 7] = xy
      IC[o + 8] = xz
      IC[o + 9] = yz
    } else {
      IC[o] += mass
      IC[o + 1] += gx
      IC[o + 2] += gy
      IC[o + 3] += gz
      IC[o + 4] += xx
      IC[o + 5] += yy
      IC[o + 6] += zz
      IC[o + 7] += xy
      IC[o + 8] += xz
      IC[o + 9] += yz
    }
  }
}

/**
 * M[k, l] = M[l, k] = S_l . F_k for each k, and for l = k and its ancestors. If k's parent p is k - 1, as in every chain, both are done
 * together, so that S_l is read once.
 */
function fillBranches({ nv, vParent, armature }: Model, { flat }: Data, M: Float64Array): void {
  const { SC: S, FC: F } = flat
  for (let k = nv - 1; k >= 0; k--) {
    const rowK = k * nv
    const f = 6 * k
    const f0 = F[f]
    const f1 = F[f + 1]
    const f2 = F[f + 2]
    const f3 = F[f + 3]
    const f4 = F[f + 4]
    const f5 = F[f + 5]
    M[rowK + k] = S[f] * f0 + S[f + 1] * f1 + S[f + 2] * f2 + S[f + 3] * f3 + S[f + 4] * f4 + S[f + 5] * f5 + armature[k]

    const p = vParent[k]
    if (p < 0) continue
    if (p !== k - 1) {
      for (let l = p; l >= 0; l = vParent[l]) {
        const s = 6 * l
        const m = S[s] * f0 + S[s + 1] * f1 + S[s + 2] * f2 + S[s + 3] * f3 + S[s + 4] * f4 + S[s + 5] * f5
        M[rowK + l] = m
        M[l * nv + k] = m
      }
      continue
    }

    const rowP = p * nv
    const g = 6 * p
    const g0 = F[g]
    const g1 = F[g + 1]
    const g2 = F[g + 2]
    const g3 = F[g + 3]
    const g4 = F[g + 4]
    const g5 = F[g + 5]
    for (let l = p; l >= 0; l = vParent[l]) {
      const s = 6 * l
      const s0 = S[s]
      const s1 = S[s + 1]
      const s2 = S[s + 2]
      const s3 = S[s + 3]
      const s4 = S[s + 4]
      const s5 = S[s + 5]
      const m = s0 * f0 + s1 * f1 + s2 * f2 + s3 * f3 + s4 * f4 + s5 * f5
      const n = s0 * g0 + s1 * g1 + s2 * g2 + s3 * g3 + s4 * g4 + s5 * g5
      M[rowK + l] = m
      M[l * nv + k] = m
      M[rowP + l] = n
      M[l * nv + p] = n
    }
    M[rowP + p] += armature[p]
    k--
  }
}

function clearBranches({ nv, vParent }: Model, M: Float64Array): void {
  for (let k = 0; k < nv; k++) {
    for (let l = k; l >= 0; l = vParent[l]) {
      M[k * nv + l] = 0
      M[l * nv + k] = 0
    }
  }
}

/** Fills M if joints follow others: motion s adds S_t . F_s to the velocities that drive s and t, in effect G^T M G. */
function fillFollowed({ nv, ns, sParent, vOfS, armature }: Model, { flat }: Data, M: Float64Array): void {
  const { SC: S, FC: F } = flat
  for (let n = ns - 1; n >= 0; n--) {
    const k = vOfS[n]
    const f = 6 * n
    for (let o = n; o >= 0; o = sParent[o]) {
      const l = vOfS[o]
      const s = 6 * o
      const m =
        S[s] * F[f] + S[s + 1] * F[f + 1] + S[s + 2] * F[f + 2] + S[s + 3] * F[f + 3] + S[s + 4] * F[f + 4] + S[s + 5] * F[f + 5]
      M[k * nv + l] += m
      if (o !== n) M[l * nv + k] += m
    }
  }
  for (let k = 0; k < nv; k++) M[k * nv + k] += armature[k]
}

/** For the compiler: what this file's functions refer to. */
// biome-ignore format: a list
export const crbaParts = () => ({
  crba, crbaOnBranches, massMatrix, composeInertias, fillBranches, fillFollowed, clearBranches, addWork, checkLength,
})
