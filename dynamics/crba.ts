import type { Data } from './data.ts'
import { addInertia, dot6, inertiaToWorld, mulInertia, shiftMotion } from './math/index.ts'
import type { Model } from './model.ts'

/**
 * Joint-space inertia M(q) by the composite-rigid-body algorithm: M[k, l] = S_l . IC S_k for k and each l between k and
 * the root, where IC is the inertia of all that k carries. Featherstone (2008), section 6.2, plus each rotor's inertia
 * (`model.armature`) on the diagonal.
 *
 * Unlike Table 6.2 it works in world axes about one origin for all bodies of a tree (`data.center`), where nothing needs
 * to be transformed on the way to the root.
 *
 * Reads data.SW, data.R_WB and data.p_WB, so call `kinematics` first. Writes data.IC, data.SC, data.FC and all of data.M
 * (nv x nv, row-major, symmetric; 0 where two velocities lie on different branches).
 */
export function crba(model: Model, data: Data): void {
  toCenter(model, data)
  composeInertias(model, data)
  data.M.fill(0)
  fillBranches(model, data)
}

/** Each body's inertia and each motion subspace in world axes about the tree's center. */
function toCenter({ nb, vStart, I }: Model, { R_WB, p_WB, SW, SC, IC, center }: Data): void {
  for (let i = 1; i < nb; i++) {
    const c = p_WB[center[i]]
    inertiaToWorld(IC[i], R_WB[i], p_WB[i], c, I[i])
    for (let k = vStart[i]; k < vStart[i + 1]; k++) shiftMotion(SC[k], SW[k], c)
  }
}

/** ICp += IC from the tips inward, and F = IC S. */
function composeInertias({ nb, parent, vStart }: Model, { SC, IC, FC }: Data): void {
  for (let i = nb - 1; i > 0; i--) {
    for (let k = vStart[i]; k < vStart[i + 1]; k++) mulInertia(FC[k], IC[i], SC[k])
    if (parent[i] > 0) addInertia(IC[parent[i]], IC[i])
  }
}

/**
 * M[k, l] = M[l, k] = S_l . F_k for each k, and for l = k and its ancestors. Where k's parent p is k - 1, as along every
 * chain, both go together, so that S_l is read once for the two.
 */
function fillBranches({ nv, vParent, armature }: Model, { SC, FC, M }: Data): void {
  for (let k = nv - 1; k >= 0; k--) {
    const rowK = k * nv
    const F = FC[k]
    const f0 = F[0]
    const f1 = F[1]
    const f2 = F[2]
    const f3 = F[3]
    const f4 = F[4]
    const f5 = F[5]
    dot6(M, rowK + k, SC[k], F)
    M[rowK + k] += armature[k]

    const p = vParent[k]
    if (p < 0) continue
    if (p !== k - 1) {
      for (let l = p; l >= 0; l = vParent[l]) {
        const S = SC[l]
        const m = S[0] * f0 + S[1] * f1 + S[2] * f2 + S[3] * f3 + S[4] * f4 + S[5] * f5
        M[rowK + l] = m
        M[l * nv + k] = m
      }
      continue
    }

    const rowP = p * nv
    const G = FC[p]
    const g0 = G[0]
    const g1 = G[1]
    const g2 = G[2]
    const g3 = G[3]
    const g4 = G[4]
    const g5 = G[5]
    for (let l = p; l >= 0; l = vParent[l]) {
      const S = SC[l]
      const s0 = S[0]
      const s1 = S[1]
      const s2 = S[2]
      const s3 = S[3]
      const s4 = S[4]
      const s5 = S[5]
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
