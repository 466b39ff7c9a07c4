import loadMujoco, { type MainModule, type MjData, type MjModel } from '@mujoco/mujoco'
import {
  aba,
  biasForces,
  crba,
  createData,
  JointType,
  kinematics,
  type Model,
  quaternionOfRotation,
  rnea,
  rotationOfQuaternion,
  type State,
} from '../../dynamics/index.ts'

/*
 * MuJoCo beside our own dynamics. The same mechanism is written as MJCF with every digit, and what MuJoCo answers is
 * brought into our coordinates. A free joint is where they differ:
 *   q: MuJoCo has x y z, then the quaternion as w x y z
 *   v: MuJoCo has the origin's velocity in world axes, then the angular velocity in body axes: vm = [R v_B; omega_B]
 *   a: MuJoCo's is the plain derivative of vm: am = [R (dv_B + omega_B x v_B); domega_B]
 */

let loading: Promise<MainModule> | undefined

/** A `Model` inside MuJoCo. `delete()` it when done: its memory is not garbage-collected. */
export interface Mujoco {
  readonly mj: MainModule
  readonly model: MjModel
  readonly data: MjData
  /** nb: MuJoCo's first qpos and first dof of the joint under each of our bodies; -1 for a fixed one. */
  readonly qposStart: Int32Array
  readonly dofStart: Int32Array
  delete(): void
}

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

/** The model in MuJoCo. Floating joints must hang on the world, without a transform of their own. */
export async function mujocoOf(model: Model, extras?: MjcfExtras): Promise<Mujoco> {
  loading ??= loadMujoco()
  const mj = await loading
  const mjModel = mj.MjModel.from_xml_string(mjcfOf(model, extras))
  const data = new mj.MjData(mjModel)
  const qposStart = new Int32Array(model.nb).fill(-1)
  const dofStart = new Int32Array(model.nb).fill(-1)
  const qposadr = mjModel.jnt_qposadr
  const dofadr = mjModel.jnt_dofadr
  for (let i = 1; i < model.nb; i++) {
    if (model.jointType[i] === JointType.fixed) continue
    const id = mj.mj_name2id(mjModel, mj.mjtObj.mjOBJ_JOINT.value, `j${i}`)
    if (id < 0) throw new Error(`MuJoCo has no joint j${i} ("${model.jointName[i]}")`)
    qposStart[i] = qposadr[id]
    dofStart[i] = dofadr[id]
  }
  return {
    mj,
    model: mjModel,
    data,
    qposStart,
    dofStart,
    delete() {
      data.delete()
      mjModel.delete()
    },
  }
}

/** What a scene adds to the bare mechanism, as MJCF. */
export interface MjcfExtras {
  /** Attributes of <option> besides gravity, and of its <flag>. */
  readonly option: string
  readonly flags: string
  /** Geoms of the world, and of each body. */
  readonly world: string
  geoms(body: number): string
}

const rigidBodyOnly: MjcfExtras = {
  option: '',
  flags: 'constraint="disable" contact="disable" spring="disable" damper="disable" autoreset="disable"',
  world: '',
  geoms: () => '',
}

/**
 * MJCF of the bodies and joints. Without extras it is rigid-body physics only: no damping, no friction, no limits, no
 * contacts; with extras joints carry their damping, dry friction and limits.
 */
export function mjcfOf(model: Model, extras: MjcfExtras = rigidBodyOnly): string {
  const children: number[][] = Array.from({ length: model.nb }, () => [])
  for (let i = 1; i < model.nb; i++) children[model.parent[i]].push(i)

  const bodyOf = (i: number): string => {
    const X = model.XT[i]
    const q = new Float64Array(4)
    quaternionOfRotation(q, 0, transposed(X))
    const free = model.jointType[i] === JointType.floating
    if (free && (model.parent[i] !== 0 || X.some((x, k) => x !== (k < 9 && k % 4 === 0 ? 1 : 0)))) {
      throw new Error(`"${model.jointName[i]}": MuJoCo has free joints at the world's origin only`)
    }
    return [
      `<body name="b${i}" pos="${X[9]} ${X[10]} ${X[11]}" quat="${q[3]} ${q[0]} ${q[1]} ${q[2]}">`,
      inertialOf(model.I[i]),
      jointOf(model, i, extras !== rigidBodyOnly),
      extras.geoms(i),
      ...children[i].map(bodyOf),
      '</body>',
    ].join('')
  }

  const [, , , gx, gy, gz] = model.gravity
  return `<mujoco><compiler angle="radian" inertiafromgeom="false"/>
    <option gravity="${gx} ${gy} ${gz}" ${extras.option}><flag ${extras.flags}/></option>
    <worldbody>${extras.world}${children[0].map(bodyOf).join('')}</worldbody></mujoco>`
}

/** MuJoCo's answers at a state, an acceleration and a force in our coordinates. */
export function askMujoco(mujoco: Mujoco, model: Model, state: State, a: Float64Array, tau: Float64Array): MujocoAnswers {
  const { mj, model: mjModel, data } = mujoco
  const { nv } = model
  const T = velocityTransform(mujoco, model, state)

  data.qpos.set(qposOf(mujoco, model, state))
  data.qvel.set(applied(T, state.v))
  data.qfrc_applied.set(applied(T, tau))
  mj.mj_forward(mjModel, data)
  const forward = shifted(model, state, transposeApplied(T, data.qacc), -1)
  const biasM = Float64Array.from(data.qfrc_bias)
  const buffer = new mj.DoubleBuffer(nv * nv)
  mj.mj_fullM(mjModel, data, buffer)
  const MM = Float64Array.from(buffer.GetView())
  buffer.delete()

  data.qacc.set(applied(T, shifted(model, state, a, 1)))
  mj.mj_inverse(mjModel, data)
  const inverse = transposeApplied(T, data.qfrc_inverse)

  // our bias is the force at which our acceleration, not MuJoCo's, is zero
  const am = applied(T, shifted(model, state, new Float64Array(nv), 1))
  const biasForce = biasM.map((c, r) => {
    let sum = c
    for (let k = 0; k < nv; k++) sum += MM[r * nv + k] * am[k]
    return sum
  })
  const bias = transposeApplied(T, biasForce)

  // M = T^T MM T
  const M = new Float64Array(nv * nv)
  for (let k = 0; k < nv; k++) {
    const unit = new Float64Array(nv)
    unit[k] = 1
    const column = applied(T, unit)
    const force = new Float64Array(nv)
    for (let r = 0; r < nv; r++) for (let c = 0; c < nv; c++) force[r] += MM[r * nv + c] * column[c]
    transposeApplied(T, force).forEach((x, r) => {
      M[r * nv + k] = x
    })
  }
  return { M, bias, inverse, forward }
}

/**
 * How far our answers are from MuJoCo's: for M the largest |difference| / sqrt(Mii Mjj), for the vectors the largest
 * |difference| / largest |entry|.
 */
export function compareWithMujoco(
  mujoco: Mujoco,
  model: Model,
  state: State,
  a: Float64Array,
  tau: Float64Array,
): Record<keyof MujocoAnswers, number> {
  const { nv } = model
  const theirs = askMujoco(mujoco, model, state, a, tau)
  const data = createData(model)
  const bias = new Float64Array(nv)
  const inverse = new Float64Array(nv)
  const forward = new Float64Array(nv)
  kinematics(model, state, data)
  crba(model, data)
  biasForces(model, state, data, bias)
  rnea(model, state, a, data, inverse)
  aba(model, state, tau, data, forward)

  let errorM = 0
  for (let r = 0; r < nv; r++) {
    for (let c = 0; c < nv; c++) {
      const scale = Math.sqrt(theirs.M[r * nv + r] * theirs.M[c * nv + c])
      const error = Math.abs(data.M[r * nv + c] - theirs.M[r * nv + c]) / scale
      if (!(error <= errorM)) errorM = error
    }
  }
  return {
    M: errorM,
    bias: difference(bias, theirs.bias),
    inverse: difference(inverse, theirs.inverse),
    forward: difference(forward, theirs.forward),
  }
}

function difference(ours: Float64Array, theirs: Float64Array): number {
  let error = 0
  let size = 0
  for (let k = 0; k < theirs.length; k++) {
    const e = Math.abs(ours[k] - theirs[k])
    if (!(e <= error)) error = e
    size = Math.max(size, Math.abs(theirs[k]))
  }
  return size > 0 ? error / size : error
}

function inertialOf([m, hx, hy, hz, xx, yy, zz, xy, xz, yz]: Float64Array): string {
  if (m === 0) return ''
  const x = hx / m
  const y = hy / m
  const z = hz / m
  const c = [
    xx - m * (y * y + z * z),
    yy - m * (x * x + z * z),
    zz - m * (x * x + y * y),
    xy + m * x * y,
    xz + m * x * z,
    yz + m * y * z,
  ]
  return `<inertial pos="${x} ${y} ${z}" mass="${m}" fullinertia="${c.join(' ')}"/>`
}

function jointOf(model: Model, i: number, passive: boolean): string {
  const type = model.jointType[i]
  if (type === JointType.fixed) return ''
  if (type === JointType.floating) return `<freejoint name="j${i}"/>`
  const axis = model.jointAxis.slice(3 * i, 3 * i + 3).join(' ')
  const k = model.vStart[i]
  const kind = type === JointType.revolute ? 'hinge' : 'slide'
  const limited = passive && Number.isFinite(model.lower[k]) && Number.isFinite(model.upper[k])
  const limits = limited ? `limited="true" range="${model.lower[k]} ${model.upper[k]}"` : ''
  const losses = passive ? `damping="${model.damping[k]}" frictionloss="${model.friction[k]}"` : ''
  return `<joint name="j${i}" type="${kind}" axis="${axis}" armature="${model.armature[k]}" ${losses} ${limits}/>`
}

function transposed(E: Float64Array): Float64Array {
  return Float64Array.of(E[0], E[3], E[6], E[1], E[4], E[7], E[2], E[5], E[8])
}

/** The rotation of each floating body, and where each of our velocities stands in MuJoCo's list: vm = T v. */
interface VelocityTransform {
  readonly nv: number
  /** nv: MuJoCo's dof for our velocity; for a floating joint, angular and linear triples swap places. */
  readonly dof: Int32Array
  /** First of our velocities of a floating joint's linear triple -> its rotation. */
  readonly rotations: ReadonlyMap<number, Float64Array>
}

function velocityTransform({ dofStart }: Mujoco, model: Model, { q }: State): VelocityTransform {
  const dof = new Int32Array(model.nv)
  const rotations = new Map<number, Float64Array>()
  for (let i = 1; i < model.nb; i++) {
    const k = model.vStart[i]
    if (model.jointType[i] === JointType.floating) {
      const R = new Float64Array(9)
      rotationOfQuaternion(R, q, model.qStart[i] + 3)
      rotations.set(k + 3, R)
      for (let j = 0; j < 3; j++) {
        dof[k + j] = dofStart[i] + 3 + j
        dof[k + 3 + j] = dofStart[i] + j
      }
    } else if (dofStart[i] >= 0) {
      dof[k] = dofStart[i]
    }
  }
  return { nv: model.nv, dof, rotations }
}

/** T x: a velocity or acceleration to MuJoCo; a force too, as T^-T = T. */
function applied({ nv, dof, rotations }: VelocityTransform, x: Float64Array): Float64Array {
  const out = new Float64Array(nv)
  for (let k = 0; k < nv; k++) out[dof[k]] = x[k]
  for (const [k, R] of rotations) {
    for (let r = 0; r < 3; r++) out[dof[k + r]] = R[3 * r] * x[k] + R[3 * r + 1] * x[k + 1] + R[3 * r + 2] * x[k + 2]
  }
  return out
}

/** T^T y, which is also T^-1 y, T being orthogonal. */
function transposeApplied({ nv, dof, rotations }: VelocityTransform, y: ArrayLike<number>): Float64Array {
  const out = new Float64Array(nv)
  for (let k = 0; k < nv; k++) out[k] = y[dof[k]]
  for (const [k, R] of rotations) {
    const [x0, x1, x2] = [y[dof[k]], y[dof[k + 1]], y[dof[k + 2]]]
    for (let r = 0; r < 3; r++) out[k + r] = R[r] * x0 + R[3 + r] * x1 + R[6 + r] * x2
  }
  return out
}

/** a with sign * (omega x v) added to the linear part of each floating joint. */
function shifted(model: Model, { v }: State, a: Float64Array, sign: number): Float64Array {
  const out = Float64Array.from(a)
  for (let i = 1; i < model.nb; i++) {
    if (model.jointType[i] !== JointType.floating) continue
    const k = model.vStart[i]
    const [wx, wy, wz, vx, vy, vz] = v.slice(k, k + 6)
    out[k + 3] += sign * (wy * vz - wz * vy)
    out[k + 4] += sign * (wz * vx - wx * vz)
    out[k + 5] += sign * (wx * vy - wy * vx)
  }
  return out
}

/** A configuration of ours as MuJoCo's qpos. */
export function qposOf({ model: mjModel, qposStart }: Mujoco, model: Model, { q }: Pick<State, 'q'>): Float64Array {
  const qpos = new Float64Array(mjModel.nq)
  for (let i = 1; i < model.nb; i++) {
    const k = model.qStart[i]
    if (model.jointType[i] === JointType.floating) {
      for (let j = 0; j < 3; j++) qpos[qposStart[i] + j] = q[k + j]
      qpos[qposStart[i] + 3] = q[k + 6]
      for (let j = 0; j < 3; j++) qpos[qposStart[i] + 4 + j] = q[k + 3 + j]
    } else if (qposStart[i] >= 0) {
      qpos[qposStart[i]] = q[k]
    }
  }
  return qpos
}
