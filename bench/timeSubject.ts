/** The process that `main.ts` starts for one subject: times its rows and sends them back. */
import { contactModelNames } from '../contact/index.ts'
import { createControllerLoop, hold } from '../control/index.ts'
import { compilation } from '../dynamics/index.ts'
import { isOwnRobot } from '../robots/files.ts'
import { World } from '../simulation/index.ts'
import { mujocoOf } from '../test/oracle/mujoco.ts'
import { dynamicsPairs } from './dynamics/dynamicsPairs.ts'
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
  for (const [algorithm, { ours, theirs }] of Object.entries(await dynamicsPairs(model, mujoco))) {
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
  // as after some thousand steps of any run
  await compilation.load()
  compilation.after = 0
  scene.reset()
  const theirs = contactsOf(() => scene.step(), () => scene.contactCount()) // biome-ignore format: short
  for (const contactModel of contactModelNames) {
    const world = new World({ robot, contactModel, dt })
    world.tau.set(efforts.tau)
    const start = world.checkpoint()
    const ours = contactsOf(() => world.step(), () => world.contacts.count) // biome-ignore format: short
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
      `${ours} contacts, MuJoCo ${theirs}, ${STEPS} steps of 1 ms, semi-implicit Euler in both${outcomeOf(world)}`,
    )
  }
  scene.delete()
}

/** Takes the steps of a sample: '16', or '15 to 16' contacts after them. The first step is looked at by neither: it lands. */
function contactsOf(step: () => void, count: () => number): string {
  const counts = Array.from({ length: STEPS }, () => {
    step()
    return count()
  }).slice(1)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  return least === most ? `${most}` : `${least} to ${most}`
}

/** What became of the problems of a sample: the largest residual, and which solvers answered. */
function outcomeOf({ events }: World): string {
  const { residualMax, failures, fallbacks, solvers } = events
  if (solvers.length === 0) return ''
  const answered = solvers.filter(({ solved }) => solved > 0).map(({ solver, solved }) => `${solved} by ${solver}`)
  return `, residual up to ${residualMax.toExponential(1)}, ${answered.join(' and ')}, ${fallbacks} fallbacks, ${failures} failures`
}
