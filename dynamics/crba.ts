import type { Data } from './data.ts'
import { addDot6, addInertia, inertiaToWorld, mulInertia, shiftMotion } from './math/index.ts'
import type { Model } from './model.ts'

export { crba, crbaOnBranches, massMatrix } from './fast/crba.ts'

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
