/*
 * npm run bench [-- NAME] [--json]
 *
 * The core beside MuJoCo's WASM build, both in this process, on both own robots. NAME keeps the rows whose name contains
 * it. What a row times is a whole evaluation from q and v:
 *   rnea   kinematics and rnea; MuJoCo: mj_kinematics, mj_comPos, mj_comVel, mj_rne
 *   crba   kinematics and crba; MuJoCo: mj_kinematics, mj_comPos, mj_makeM
 *   aba    kinematics and aba; MuJoCo, which has no ABA: mj_forward with contacts and constraints disabled
 *   step   one 1 ms step on the ground, contact included, efforts held constant; MuJoCo: mj_step with the same shapes,
 *          friction, joint damping, limits and step, semi-implicit Euler, elliptic cones off as it comes
 */

import { contactModels } from '../contact/index.ts'
import { createControllerLoop, hold } from '../control/index.ts'
import { aba, crba, createData, createRandom, createState, kinematics, type Model, rnea } from '../dynamics/index.ts'
import { loadOwnRobot } from '../robots/files.ts'
import type { Robot } from '../robots/index.ts'
import { World } from '../simulation/index.ts'
import { mujocoOf, qposOf } from '../test/oracle/mujoco.ts'
import { compareSides, type Row } from './measure.ts'
import { mujocoScene } from './mujocoScene.ts'

const args = process.argv.slice(2)
const json = args.includes('--json')
const wanted = args.find((arg) => !arg.startsWith('--')) ?? ''

/** Dynamics calls a sample, and steps a sample: from the start again for each. */
const CALLS = 100
const STEPS = 250

const rows: Row[] = []
for (const name of ['diffdrive', 'humanoid'] as const) {
  const robot = loadOwnRobot(name)
  await dynamicsRows(name, robot.model)
  await stepRows(name, robot)
}
if (json) console.log(JSON.stringify({ rows }))

async function row(name: string, ours: () => void, theirs: () => void, calls: number): Promise<void> {
  if (!name.includes(wanted)) return
  const result = await compareSides(name, { run: ours, calls }, 'MuJoCo WASM', { run: theirs, calls })
  rows.push(result)
  if (json) return
  const { ours_us, peer, peer_us, ratio } = result
  console.log(
    `${name.padEnd(36)} ${ours_us.toFixed(2).padStart(9)} µs   ${peer} ${peer_us.toFixed(2).padStart(8)} µs   ratio ${ratio.toFixed(2)}`,
  )
}

async function dynamicsRows(robot: string, model: Model): Promise<void> {
  const mujoco = await mujocoOf(model)
  const { mj, model: mjModel, data: mjData } = mujoco
  const data = createData(model)
  const state = createState(model)
  const random = createRandom(1)
  for (let i = 0; i < model.nv; i++) state.v[i] = random.next() - 0.5
  for (let i = 7; i < model.nq; i++) state.q[i] = random.next() - 0.5 // the joints of a floating robot
  mjData.qpos.set(qposOf(mujoco, model, state))
  mjData.qvel.set(state.v)
  const a = new Float64Array(model.nv)
  const tau = new Float64Array(model.nv)
  const out = new mj.DoubleBuffer(model.nv)

  await row(
    `${robot} rnea`,
    () => {
      for (let i = 0; i < CALLS; i++) {
        kinematics(model, state, data)
        rnea(model, state, a, data, tau)
      }
    },
    () => {
      for (let i = 0; i < CALLS; i++) {
        mj.mj_kinematics(mjModel, mjData)
        mj.mj_comPos(mjModel, mjData)
        mj.mj_comVel(mjModel, mjData)
        mj.mj_rne(mjModel, mjData, 1, out)
      }
    },
    CALLS,
  )
  await row(
    `${robot} crba`,
    () => {
      for (let i = 0; i < CALLS; i++) {
        kinematics(model, state, data)
        crba(model, data)
      }
    },
    () => {
      for (let i = 0; i < CALLS; i++) {
        mj.mj_kinematics(mjModel, mjData)
        mj.mj_comPos(mjModel, mjData)
        mj.mj_makeM(mjModel, mjData)
      }
    },
    CALLS,
  )
  await row(
    `${robot} aba`,
    () => {
      for (let i = 0; i < CALLS; i++) {
        kinematics(model, state, data)
        aba(model, state, tau, data, a)
      }
    },
    () => {
      for (let i = 0; i < CALLS; i++) mj.mj_forward(mjModel, mjData)
    },
    CALLS,
  )
  out.delete()
  mujoco.delete()
}

async function stepRows(name: string, robot: Robot): Promise<void> {
  const dt = 1e-3
  // what holds the robot at home, taken once and then held, so that both engines step the same open-loop robot
  const efforts = new World({ robot, contactModel: 'penalty', dt, controller: createControllerLoop(hold(), robot) })
  efforts.step()
  const scene = await mujocoScene(robot, dt, efforts.tau)
  for (const contactModel of Object.keys(contactModels)) {
    const world = new World({ robot, contactModel, dt })
    world.tau.set(efforts.tau)
    const start = world.checkpoint()
    await row(
      `${name} step ${contactModel}`,
      () => {
        world.restore(start)
        for (let i = 0; i < STEPS; i++) world.step()
      },
      () => {
        scene.reset()
        for (let i = 0; i < STEPS; i++) scene.step()
      },
      STEPS,
    )
  }
  if (!json && `${name} step`.includes(wanted)) console.log(`  ${name}: MuJoCo has ${scene.contactCount()} contacts at the end`)
  scene.delete()
}
