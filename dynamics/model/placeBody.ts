import { motionToWorld, poseOfChild } from '../math/index.ts'
import type { Data } from './data.ts'
import { joints } from './joints.ts'
import type { Model } from './model.ts'

/** Sets X, R_WB, p_WB and SW of body i; its parent must have its pose. @unchecked */
export function placeBody(model: Model, i: number, q: Float64Array, data: Data): void {
  const { parent, jointType, qStart, sStart, follows, multiplier, offset } = model
  const { X, S, R_WB, p_WB, SW } = data
  const { followed } = data.scratch
  const p = parent[i]
  if (follows[i] < 0) joints[jointType[i]].transform(X[i], model, i, q, qStart[i])
  else {
    followed[0] = multiplier[i] * q[qStart[follows[i]]] + offset[i]
    joints[jointType[i]].transform(X[i], model, i, followed, 0)
  }
  poseOfChild(R_WB[i], p_WB[i], R_WB[p], p_WB[p], X[i])
  for (let k = sStart[i]; k < sStart[i + 1]; k++) motionToWorld(SW[k], R_WB[i], p_WB[i], S[k])
}

/** For the compiler: what this file's functions refer to. */
export const placeBodyParts = () => ({ placeBody, joints, poseOfChild, motionToWorld })
