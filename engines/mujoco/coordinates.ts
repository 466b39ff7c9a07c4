import {
  JointType,
  type Model,
  quaternionStart,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
  type State,
} from '../../dynamics/index.ts'

/** Numbers of ours or of MuJoCo's memory. */
interface Numbers {
  [k: number]: number
}

/** Coordinates of a model in MuJoCo, whose quaternions are w x y z, and whose free joints have linear velocities in world axes. */
export class MujocoCoordinates {
  private readonly model: Model
  private readonly qposStart: ArrayLike<number>
  private readonly dofStart: ArrayLike<number>
  private readonly R = new Float64Array(9)
  private readonly a3 = new Float64Array(3)

  /** @param qposStart nb: first qpos, and first dof, of the joint under each body; -1 for none */
  constructor(model: Model, qposStart: ArrayLike<number>, dofStart: ArrayLike<number>) {
    this.model = model
    this.qposStart = qposStart
    this.dofStart = dofStart
  }

  /** qpos and qvel := those of a state; of followers too. */
  write({ q, v }: Pick<State, 'q' | 'v'>, qpos: Numbers, qvel: Numbers): void {
    const { model, qposStart, dofStart, R, a3 } = this
    const { nb, qStart, vStart, follows, multiplier, offset, jointType } = model
    for (let i = 1; i < nb; i++) {
      const [at, dof, lead] = [qposStart[i], dofStart[i], follows[i]]
      if (at < 0) continue
      const turn = quaternionStart(model, i)
      const k = vStart[lead >= 0 ? lead : i]
      if (turn < 0) {
        qpos[at] = lead >= 0 ? multiplier[i] * q[qStart[lead]] + offset[i] : q[qStart[i]]
        qvel[dof] = (lead >= 0 ? multiplier[i] : 1) * v[k]
        continue
      }
      const shift = turn - qStart[i]
      for (let d = 0; d < shift; d++) qpos[at + d] = q[qStart[i] + d]
      qpos[at + shift] = q[turn + 3]
      for (let d = 0; d < 3; d++) {
        qpos[at + shift + 1 + d] = q[turn + d]
        qvel[dof + shift + d] = v[k + d]
      }
      if (jointType[i] !== JointType.floating) continue
      for (let d = 0; d < 3; d++) a3[d] = v[k + 3 + d]
      rotationOfQuaternion(R, q, turn)
      rotate3(a3, R, a3)
      for (let d = 0; d < 3; d++) qvel[dof + d] = a3[d]
    }
  }

  /** The state := that of qpos and qvel. */
  read(qpos: Numbers, qvel: Numbers, { q, v }: Pick<State, 'q' | 'v'>): void {
    const { model, qposStart, dofStart, R, a3 } = this
    const { nb, qStart, vStart, follows, jointType } = model
    for (let i = 1; i < nb; i++) {
      const [at, dof, k] = [qposStart[i], dofStart[i], vStart[i]]
      if (at < 0 || follows[i] >= 0) continue
      const turn = quaternionStart(model, i)
      if (turn < 0) {
        q[qStart[i]] = qpos[at]
        v[k] = qvel[dof]
        continue
      }
      const shift = turn - qStart[i]
      for (let d = 0; d < shift; d++) q[qStart[i] + d] = qpos[at + d]
      q[turn + 3] = qpos[at + shift]
      for (let d = 0; d < 3; d++) {
        q[turn + d] = qpos[at + shift + 1 + d]
        v[k + d] = qvel[dof + shift + d]
        a3[d] = qvel[dof + d]
      }
      if (jointType[i] !== JointType.floating) continue
      rotationOfQuaternion(R, q, turn)
      rotateTransposed3(a3, R, a3)
      for (let d = 0; d < 3; d++) v[k + 3 + d] = a3[d]
    }
  }
}
