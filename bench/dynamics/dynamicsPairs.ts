import { compileDynamics } from '../../dynamics/compile/index.ts'
import {
  aba,
  crba,
  createData,
  createRandom,
  createState,
  factorize,
  JointType,
  kinematics,
  type Model,
  rnea,
  type State,
  solve,
} from '../../dynamics/index.ts'
import { type Mujoco, qposOf } from '../../test/oracle/mujoco.ts'

/** Longer chains take seconds to compile. */
const MOST_COMPILED = 40

/** One call of each side. */
export interface Pair {
  ours(): void
  theirs(): void
}

/**
 * One call of each side for each algorithm, as the head of main.ts says, from the same q and v: hinges and slides within half a radian or metre, the base
 * at the origin, speeds within a half.
 */
export async function dynamicsPairs(model: Model, mujoco: Mujoco): Promise<Readonly<Record<string, Pair>>> {
  const { mj, model: mjModel, data: mjData } = mujoco
  const random = createRandom(1)
  const state = createState(model)
  for (let k = 0; k < model.nv; k++) state.v[k] = random.next() - 0.5
  for (let i = 1; i < model.nb; i++) {
    const single = model.jointType[i] === JointType.revolute || model.jointType[i] === JointType.prismatic
    if (single && model.follows[i] < 0) state.q[model.qStart[i]] = random.next() - 0.5
  }
  mjData.qpos.set(qposOf(mujoco, model, state))
  // MuJoCo orders velocities otherwise, and has more where joints follow others; for the time it takes any will do
  mjData.qvel.set(Float64Array.from(mjData.qvel, () => random.next() - 0.5))
  mj.mj_forward(mjModel, mjData)

  const data = createData(model)
  const [a, tau, x] = Array.from({ length: 3 }, () => new Float64Array(model.nv))
  const out = new mj.DoubleBuffer(mjModel.nv)
  kinematics(model, state, data)
  crba(model, data)
  const pairs = {
    rnea: {
      ours() {
        kinematics(model, state, data)
        rnea(model, state, a, data, tau)
      },
      theirs() {
        mj.mj_kinematics(mjModel, mjData)
        mj.mj_comPos(mjModel, mjData)
        mj.mj_comVel(mjModel, mjData)
        mj.mj_rne(mjModel, mjData, 1, out)
      },
    },
    crba: {
      ours() {
        kinematics(model, state, data)
        crba(model, data)
      },
      theirs() {
        mj.mj_kinematics(mjModel, mjData)
        mj.mj_comPos(mjModel, mjData)
        mj.mj_makeM(mjModel, mjData)
      },
    },
    aba: {
      ours() {
        kinematics(model, state, data)
        aba(model, state, tau, data, x)
      },
      theirs() {
        mj.mj_forward(mjModel, mjData)
      },
    },
    'factor+solve': {
      ours() {
        factorize(model, data.M, data.L)
        x.set(tau)
        solve(model, data.L, x)
      },
      theirs() {
        mj.mj_factorM(mjModel, mjData)
        mj.mj_fwdAcceleration(mjModel, mjData)
      },
    },
  }
  return { ...pairs, ...(await compiledPairs(model, state, pairs)) }
}

/** The same calls of the compiled algorithms. */
async function compiledPairs(
  model: Model,
  { q, v }: State,
  { rnea, crba, aba }: Readonly<Record<string, Pair>>,
): Promise<Readonly<Record<string, Pair>>> {
  if (model.nb > MOST_COMPILED) return {}
  const compiled = await compileDynamics(model)
  const a = new Float64Array(v.length)
  const tau = new Float64Array(v.length)
  return {
    'rnea compiled': { ...rnea, ours: () => compiled.inverseDynamics(q, v, a, tau) },
    'crba compiled': { ...crba, ours: () => compiled.massMatrix(q) },
    'aba compiled': { ...aba, ours: () => compiled.forwardDynamics(q, v, tau, a) },
  }
}
