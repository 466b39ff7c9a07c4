/** The process that `main.ts` starts for one subject: times its rows and sends them back. */
import { contactModels } from '../contact/index.ts'
import { createControllerLoop, hold } from '../control/index.ts'
import { isOwnRobot } from '../robots/files.ts'
import { World } from '../simulation/index.ts'
import { mujocoOf } from '../test/oracle/mujoco.ts'
import { dynamicsPairs } from './dynamicsPairs.ts'
import { compareSides } from './measure.ts'
import { mujocoScene } from './mujocoScene.ts'
import { hasSteps, modelOf, robotOf, rowNames, stepRow } from './subjects.ts'

const [subject, wanted] = process.argv.slice(2)

/** Dynamics calls a sample, and steps a sample: from the start again for each. On legs and open loop a robot stands no longer. */
const CALLS = 100
const STEPS = isOwnRobot(subject) ? 250 : 150

await dynamicsRows()
if (hasSteps(subject)) await stepRows(subject)

async function row(name: string, ours: () => void, theirs: () => void, calls: number, compares?: string): Promise<void> {
  if (!name.includes(wanted)) return
  process.send?.(await compareSides(name, { run: ours, calls }, 'MuJoCo WASM', { run: theirs, calls }, compares))
}

async function dynamicsRows(): Promise<void> {
  const model = modelOf(subject)
  const mujoco = await mujocoOf(model)
  for (const [algorithm, { ours, theirs }] of Object.entries(dynamicsPairs(model, mujoco))) {
    await row(
      `${subject} ${algorithm}`,
      () => {
        for (let i = 0; i < CALLS; i++) ours()
      },
      () => {
        for (let i = 0; i < CALLS; i++) theirs()
      },
      CALLS,
    )
  }
  mujoco.delete()
}

async function stepRows(name: string): Promise<void> {
  if (!rowNames(name).some((row) => row.startsWith(stepRow(name, '')) && row.includes(wanted))) return
  const robot = robotOf(name)
  const dt = 1e-3
  // what holds the robot at home, taken once and then held, so that both engines step the same open-loop robot
  const efforts = new World({ robot, contactModel: 'penalty', dt, controller: createControllerLoop(hold(), robot) })
  efforts.step()
  const scene = await mujocoScene(robot, dt, efforts.tau)
  for (const contactModel of Object.keys(contactModels)) {
    const world = new World({ robot, contactModel, dt })
    world.tau.set(efforts.tau)
    const start = world.checkpoint()
    for (let i = 0; i < STEPS; i++) world.step()
    const { residualMax, failures, fallbacks } = world.events
    const outcome =
      world.contactModel.solvers.length === 0
        ? ''
        : `, residual up to ${residualMax.toExponential(1)}, ${failures} failures, ${fallbacks} fallbacks`
    await row(
      stepRow(name, contactModel),
      () => {
        world.restore(start)
        for (let i = 0; i < STEPS; i++) world.step()
      },
      () => {
        scene.reset()
        for (let i = 0; i < STEPS; i++) scene.step()
      },
      STEPS,
      `${world.contacts.count} contacts, steps of 1 ms, semi-implicit Euler in both${outcome}`,
    )
  }
  console.error(`  ${name}: MuJoCo has ${scene.contactCount()} contacts at the end`)
  scene.delete()
}
