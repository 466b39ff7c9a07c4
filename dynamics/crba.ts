import type { Data } from './data.ts'
import { addInertia, inertiaToWorld, mulInertia, setZero, shiftMotion } from './math/index.ts'
import type { Model } from './model.ts'

/**
 * Joint-space inertia M(q) by the composite-rigid-body algorithm: M[k, l] = S_l . IC S_k for k and each l between k and
 * the root, where IC is the inertia of all that k carries. Featherstone (2008), section 6.2, plus each rotor's inertia
 * (`model.armature`) on the diagonal.
 *
 * Unlike Table 6.2 it works in world axes for all bodies, where nothing needs to be transformed on the way to the root.
 * Each tree's centre of mass serves as the origin: about a far one, inertias of metres squared would swallow a finger's.
 *
 * Reads data.SW, data.R_WB and data.p_WB, so call `kinematics` first. Writes data.IC, data.SC and all of data.M (nv x nv,
 * row-major, symmetric; 0 where two velocities lie on different branches).
 */
export function crba(model: Model, data: Data): void {
  const { nb, nv, parent, vStart, vParent, I, armature } = model
  const { R_WB, p_WB, SW, SC, IC, M } = data
  const { a6: F, root, center } = data.scratch

  treeCenters(model, data)
  for (let i = 1; i < nb; i++) {
    const c = center[root[i]]
    inertiaToWorld(IC[i], R_WB[i], p_WB[i], c, I[i])
    for (let k = vStart[i]; k < vStart[i + 1]; k++) shiftMotion(SC[k], SW[k], c)
  }

  M.fill(0)
  for (let i = nb - 1; i > 0; i--) {
    if (parent[i] > 0) addInertia(IC[parent[i]], IC[i]) // ICp += IC
    for (let k = vStart[i]; k < vStart[i + 1]; k++) {
      mulInertia(F, IC[i], SC[k]) //                       F = IC S
      for (let l = k; l >= 0; l = vParent[l]) setPair(M, nv, k, l, SC[l], F)
      M[k * nv + k] += armature[k]
    }
  }
}

/** center[root] = where a tree has its centre of mass, in world axes; its root's origin if it has no mass. */
function treeCenters(model: Model, data: Data): void {
  const { nb, I } = model
  const { R_WB, p_WB } = data
  const { a6: sum, root, center } = data.scratch
  for (let i = 1; i < nb; i++) {
    if (root[i] !== i) continue
    setZero(sum)
    for (let j = i; j < nb; j++) {
      if (root[j] !== i) continue
      const Ij = I[j]
      const R = R_WB[j]
      const p = p_WB[j]
      const m = Ij[0]
      sum[0] += m
      sum[1] += m * p[0] + R[0] * Ij[1] + R[1] * Ij[2] + R[2] * Ij[3]
      sum[2] += m * p[1] + R[3] * Ij[1] + R[4] * Ij[2] + R[5] * Ij[3]
      sum[3] += m * p[2] + R[6] * Ij[1] + R[7] * Ij[2] + R[8] * Ij[3]
    }
    const c = center[i]
    for (let r = 0; r < 3; r++) c[r] = sum[0] > 0 ? sum[r + 1] / sum[0] : p_WB[i][r]
  }
}

/** M[k, l] = M[l, k] = Sl . F */
function setPair(M: Float64Array, nv: number, k: number, l: number, Sl: Float64Array, F: Float64Array): void {
  const m = Sl[0] * F[0] + Sl[1] * F[1] + Sl[2] * F[2] + Sl[3] * F[3] + Sl[4] * F[4] + Sl[5] * F[5]
  M[k * nv + l] = m
  M[l * nv + k] = m
}
