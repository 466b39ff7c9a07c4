import type { MainModule, MjSpec, MjsBody } from '@mujoco/mujoco'
import {
  aba,
  biasForces,
  crba,
  JointType,
  type Model,
  quaternionStart,
  rnea,
  rotationOfQuaternion,
  type State,
} from '../../dynamics/index.ts'
import { isFree, type Mujoco, mujocoFrom, mujocoModule, partsOf } from '../../engines/mujoco/model.ts'
import { dataAt, filled } from '../dynamics/at.ts'
import { choleskySolve, largestDifference, scaledDifference } from './dense.ts'

export { type Mujoco, mujocoFrom, mujocoOf } from '../../engines/mujoco/model.ts'

/*
 * MuJoCo beside our own dynamics. It gets the same mechanism by one of two ways: as MJCF written from the model with every
 * digit, or as URDF, read by MuJoCo's own reader. What it answers is brought into our coordinates.
 *
 *   a: MuJoCo's is the plain derivative of its velocities: d/dt (R v) = R (dv + omega x v) for the slides
 * A joint that follows another is one of its own in MuJoCo. So with G for the motions that our velocities drive:
 *   vm = K v, am = K a + k, K = T G, k = dK/dt v;   M = K^T Mm K, tau = K^T fm
 */

/** What MuJoCo answers, in our coordinates and our order of velocities. */
export interface MujocoAnswers {
  /** nv x nv row-major */
  readonly M: Float64Array
  /** c(q, v) of tau = M a + c for our a */
  readonly bias: Float64Array
  /** tau that gives the acceleration asked for */
  readonly inverse: Float64Array
  /** acceleration under the tau asked for */
  readonly forward: Float64Array
}

/**
 * The model in MuJoCo, by the URDF that it came from. Joints are matched by name, whatever their order. Joints of several
 * coordinates have to stand in the text as fixed ones, as MuJoCo's reader has no floating joint inside a tree and its own idea
 * of a planar one's axes; the joints are then added to the links that they carry. Armature is taken from the model, which
 * URDF proper has no word for.
 *
 * @param childLink the link that a joint of several coordinates carries, by the joint's name
 */
export async function mujocoOfUrdf(urdf: string, model: Model, childLink: (jointName: string) => string): Promise<Mujoco> {
  const mj = await mujocoModule()
  const compiler = '<mujoco><compiler fusestatic="true" balanceinertia="false"/></mujoco>'
  const spec = mj.parseXMLString(urdf.replace(/<robot\b[^>]*>/, (tag) => `${tag}${compiler}`))
  for (let i = 1; i < model.nb; i++) {
    const type = model.jointType[i]
    if (type !== JointType.floating && type !== JointType.planar && type !== JointType.spherical) continue
    const link = childLink(model.jointName[i])
    const body = mj.mjs_findBody(spec, link)
    if (!body) throw new Error(`MuJoCo has no body for link "${link}"`)
    addJoints(mj, spec, body, model, i)
  }
  const mjModel = mj.mj_compile(spec)
  spec.delete()
  const { mjDSBL_CONSTRAINT, mjDSBL_CONTACT, mjDSBL_SPRING, mjDSBL_DAMPER, mjDSBL_AUTORESET } = mj.mjtDisableBit
  const rigidOnly = [mjDSBL_CONSTRAINT, mjDSBL_CONTACT, mjDSBL_SPRING, mjDSBL_DAMPER, mjDSBL_AUTORESET]
  mjModel.opt.disableflags = rigidOnly.reduce((flags, { value }) => flags | value, 0)
  mjModel.opt.gravity.set(model.gravity.subarray(3, 6))
  const mujoco = mujocoFrom(mj, mjModel, model, (i) => firstJointName(model, i))
  for (let k = 0; k < model.nv; k++) {
    if (model.armature[k] !== 0) mjModel.dof_armature[mujoco.dofStart[model.bodyOfV[k]]] = model.armature[k]
  }
  return mujoco
}

/** The name of the first of MuJoCo's joints that stand for the one under body i. */
function firstJointName(model: Model, i: number): string {
  const name = model.jointName[i]
  return model.vStart[i + 1] - model.vStart[i] > 1 ? `${name}/0` : name
}

/** What stands for a joint of several coordinates, in the order of qpos: a free joint, or slides and then what turns. */
function addJoints(mj: MainModule, spec: MjSpec, body: MjsBody, model: Model, i: number): void {
  const defaults = mj.mjs_getSpecDefault(spec)
  if (!defaults) throw new Error('MuJoCo gives no defaults')
  if (isFree(model, i)) {
    const joint = mj.mjs_addFreeJoint(body)
    if (joint) mj.mjs_setName(joint.element, `${model.jointName[i]}/0`)
    return
  }
  partsOf(model, i).forEach(({ kind, axis }, n) => {
    const joint = mj.mjs_addJoint(body, defaults)
    if (!joint) throw new Error('MuJoCo adds no joint')
    joint.type = { slide: mj.mjtJoint.mjJNT_SLIDE, hinge: mj.mjtJoint.mjJNT_HINGE, ball: mj.mjtJoint.mjJNT_BALL }[kind]
    joint.axis.set(axis)
    mj.mjs_setName(joint.element, `${model.jointName[i]}/${n}`)
  })
}

/** MuJoCo's answers at a state, an acceleration and a force in our coordinates. */
export function askMujoco(mujoco: Mujoco, model: Model, state: State, a: Float64Array, tau: Float64Array): MujocoAnswers {
  const { mj, model: mjModel, data } = mujoco
  const { nv } = model
  const nvm = mjModel.nv
  const K = velocityMap(mujoco, model, state)

  data.qpos.set(qposOf(mujoco, model, state))
  data.qvel.set(applied(K, nvm, state.v))
  // K^-T = K where no joint follows another; where one does, this acceleration is not asked for
  data.qfrc_applied.set(applied(K, nvm, tau))
  mj.mj_forward(mjModel, data)
  const freely = transposeApplied(
    K,
    Float64Array.from(data.qacc as ArrayLike<number>, (x, d) => x - K.drift[d]),
  )
  const biasM = Float64Array.from(data.qfrc_bias)
  const buffer = new mj.DoubleBuffer(nvm * nvm)
  mj.mj_fullM(mjModel, data, buffer)
  const MM = Float64Array.from(buffer.GetView())
  buffer.delete()

  data.qacc.set(applied(K, nvm, a).map((x, d) => x + K.drift[d]))
  mj.mj_inverse(mjModel, data)
  const inverse = transposeApplied(K, data.qfrc_inverse)

  // our bias is the force at which our acceleration, not MuJoCo's, is zero
  const bias = transposeApplied(
    K,
    biasM.map((c, r) => {
      let sum = c
      for (let d = 0; d < nvm; d++) sum += MM[r * nvm + d] * K.drift[d]
      return sum
    }),
  )

  const M = new Float64Array(nv * nv)
  for (let l = 0; l < nv; l++) {
    for (let k = 0; k < nv; k++) {
      let sum = 0
      for (const { dof: r, value: x } of K.columns[k]) {
        for (const { dof: c, value: y } of K.columns[l]) sum += x * MM[r * nvm + c] * y
      }
      M[k * nv + l] = sum
    }
  }
  const followed = model.ns > nv
  const forward = followed
    ? choleskySolve(
        M,
        bias.map((c, k) => tau[k] - c),
      )
    : freely
  return { M, bias, inverse, forward }
}

/**
 * How far our answers are from MuJoCo's: for M the largest |difference| / sqrt(Mii Mjj), for the vectors the largest
 * |difference| / largest |entry|. Bias forces are measured against those of inverse dynamics, as they may be 0 but for
 * rounding.
 */
export function compareWithMujoco(
  mujoco: Mujoco,
  model: Model,
  state: State,
  a: Float64Array,
  tau: Float64Array,
): Record<keyof MujocoAnswers, number> {
  return differences(ourAnswers(model, state, a, tau), askMujoco(mujoco, model, state, a, tau))
}

/** The same questions to our own algorithms. */
export function ourAnswers(model: Model, state: State, a: Float64Array, tau: Float64Array): MujocoAnswers {
  const { nv } = model
  const data = dataAt(model, state)
  crba(model, data)
  const bias = filled(nv, (out) => biasForces(model, state, data, out))
  const inverse = filled(nv, (out) => rnea(model, state, a, data, out))
  const forward = filled(nv, (out) => aba(model, state, tau, data, out))
  return { M: Float64Array.from(data.M), bias, inverse, forward }
}

/** The measure of `compareWithMujoco` for any two lists of answers. */
export function differences(ours: MujocoAnswers, theirs: MujocoAnswers): Record<keyof MujocoAnswers, number> {
  return {
    M: scaledDifference(ours.M, theirs.M),
    bias: largestDifference(ours.bias, theirs.bias, theirs.inverse),
    inverse: largestDifference(ours.inverse, theirs.inverse),
    forward: largestDifference(ours.forward, theirs.forward),
  }
}

/** vm = K v, am = K a + drift. */
interface VelocityMap {
  /** nv: the entries of each column of K that are not 0. */
  readonly columns: { readonly dof: number; readonly value: number }[][]
  /** MuJoCo's nv */
  readonly drift: Float64Array
}

function velocityMap({ model: mjModel, dofStart }: Mujoco, model: Model, { q, v }: State): VelocityMap {
  const { jointType, follows, multiplier, vStart, qStart } = model
  const columns: VelocityMap['columns'] = Array.from({ length: model.nv }, () => [])
  const drift = new Float64Array(mjModel.nv)
  for (let i = 1; i < model.nb; i++) {
    const dof = dofStart[i]
    const k = vStart[follows[i] < 0 ? i : follows[i]]
    switch (jointType[i]) {
      case JointType.revolute:
      case JointType.prismatic:
        columns[k].push({ dof, value: multiplier[i] })
        break
      case JointType.spherical:
        for (let j = 0; j < 3; j++) columns[k + j].push({ dof: dof + j, value: 1 })
        break
      case JointType.floating: {
        const R = new Float64Array(9)
        rotationOfQuaternion(R, q, quaternionStart(model, i))
        const [wx, wy, wz, vx, vy, vz] = v.subarray(k, k + 6)
        const turning = [wy * vz - wz * vy, wz * vx - wx * vz, wx * vy - wy * vx]
        for (let r = 0; r < 3; r++) {
          columns[k + r].push({ dof: dof + 3 + r, value: 1 })
          for (let c = 0; c < 3; c++) {
            columns[k + 3 + c].push({ dof: dof + r, value: R[3 * r + c] })
            drift[dof + r] += R[3 * r + c] * turning[c]
          }
        }
        break
      }
      case JointType.planar: {
        const c = Math.cos(q[qStart[i] + 2])
        const s = Math.sin(q[qStart[i] + 2])
        const [vx, vy, w] = v.subarray(k, k + 3)
        columns[k].push({ dof, value: c }, { dof: dof + 1, value: s })
        columns[k + 1].push({ dof, value: -s }, { dof: dof + 1, value: c })
        columns[k + 2].push({ dof: dof + 2, value: 1 })
        drift[dof] = -c * w * vy - s * w * vx
        drift[dof + 1] = -s * w * vy + c * w * vx
        break
      }
    }
  }
  return { columns, drift }
}

/** K x. */
function applied({ columns }: VelocityMap, nvm: number, x: Float64Array): Float64Array {
  const out = new Float64Array(nvm)
  columns.forEach((column, k) => {
    for (const { dof, value } of column) out[dof] += value * x[k]
  })
  return out
}

/** K^T y. */
function transposeApplied({ columns }: VelocityMap, y: ArrayLike<number>): Float64Array {
  return Float64Array.from(columns, (column) => column.reduce((sum, { dof, value }) => sum + value * y[dof], 0))
}

/** A configuration of ours as MuJoCo's qpos. */
export function qposOf({ model: mjModel, qposStart }: Mujoco, model: Model, { q }: Pick<State, 'q'>): Float64Array {
  const { jointType, follows, multiplier, offset, qStart } = model
  const qpos = new Float64Array(mjModel.nq)
  for (let i = 1; i < model.nb; i++) {
    if (jointType[i] === JointType.fixed) continue
    const to = qposStart[i]
    if (follows[i] >= 0) {
      qpos[to] = multiplier[i] * q[qStart[follows[i]]] + offset[i]
      continue
    }
    const from = qStart[i]
    const quaternion = quaternionStart(model, i)
    const end = quaternion < 0 ? qStart[i + 1] : quaternion
    for (let k = from; k < end; k++) qpos[to + k - from] = q[k]
    if (quaternion < 0) continue
    qpos[to + end - from] = q[end + 3]
    for (let j = 0; j < 3; j++) qpos[to + end - from + 1 + j] = q[end + j]
  }
  return qpos
}
