import { RowSet } from '../../../contact/index.ts'
import type { Model, State } from '../../../dynamics/index.ts'
import { type Mujoco, mujocoOf, qposOf } from '../../oracle/mujoco.ts'

/** A mechanism in MuJoCo with one contact at each of some bodies, and the same contacts as rows of ours. */
export interface MujocoContacts {
  readonly mujoco: Mujoco
  readonly rows: RowSet
  /** From q to MuJoCo's A = J M⁻¹ Jᵀ. */
  project(): void
  /** A, rowCount x rowCount; of models with fewer than 60 velocities, whose matrices MuJoCo keeps dense. */
  matrix(): Float64Array
}

/**
 * A small ball at a place of its own on each of the bodies, over a plane whose margin is wide enough that all of them count as
 * contacts. MuJoCo's dual solver is chosen, without which it forms no A; elliptic cones give three rows a contact: along its
 * normal and two tangents.
 */
export async function mujocoContacts(model: Model, state: State, bodies: readonly number[]): Promise<MujocoContacts> {
  const ball = (n: number) => {
    const at = [0.03 * ((n % 5) - 2), 0.04 * ((n % 3) - 1), -0.05 - 0.01 * (n % 7)]
    return `<geom name="ball ${n}" type="sphere" size="0.01" pos="${at.join(' ')}" contype="2" conaffinity="1" friction="0.8 0 0"/>`
  }
  const mujoco = await mujocoOf(model, {
    option: 'solver="PGS" cone="elliptic" jacobian="auto"',
    flags: 'autoreset="disable" limit="disable" frictionloss="disable" damper="disable"',
    world: '<geom name="plane" type="plane" size="0 0 1" contype="1" conaffinity="2" margin="1000" friction="0.8 0 0"/>',
    geoms: (body) => bodies.map((b, n) => (b === body ? ball(n) : '')).join(''),
  })
  const { mj, model: mjModel, data } = mujoco
  data.qpos.set(qposOf(mujoco, model, state))
  mj.mj_forward(mjModel, data)

  const rows = new RowSet()
  for (let i = 0; i < data.ncon; i++) {
    const contact = data.contact.get(i)
    if (contact === undefined) throw new Error(`MuJoCo has no contact ${i}`)
    const name = mj.mj_id2name(mjModel, mj.mjtObj.mjOBJ_GEOM.value, contact.geom2)
    const entry = rows.addForce(0, bodies[Number(name.replace('ball ', ''))], 3)
    rows.point.set(contact.pos, 3 * entry)
    rows.axes.set(contact.frame, 9 * entry)
    contact.delete()
  }
  if (rows.count !== bodies.length) throw new Error(`MuJoCo has ${rows.count} contacts; expected ${bodies.length}`)
  return {
    mujoco,
    rows,
    project() {
      mj.mj_kinematics(mjModel, data)
      mj.mj_comPos(mjModel, data)
      mj.mj_makeM(mjModel, data)
      mj.mj_factorM(mjModel, data)
      mj.mj_makeConstraint(mjModel, data)
      mj.mj_projectConstraint(mjModel, data)
    },
    matrix() {
      if (mj.mj_isSparse(mjModel) !== 0) throw new Error('MuJoCo packs the matrices of so large a model')
      const n = data.nefc
      return Float64Array.from(data.efc_AR as ArrayLike<number>, (x, k) => (k % (n + 1) === 0 ? x - data.efc_R[k / (n + 1)] : x))
    },
  }
}
