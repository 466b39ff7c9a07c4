/*
 * Run by allocation.test.ts in a process of its own, with ROBOT_FILE CONTACT_MODEL WARM_UP STEPS COMPARED [hold | balance | pull]. Prints the hash
 * after COMPARED steps, and what each of ten times STEPS steps after the warm-up allocated.
 */
import { contactModelNamed } from '../../contact/index.ts'
import { balance, type Controller, createControllerLoop, defaultControllerFor, hold } from '../../control/index.ts'
import { loadRobotFile } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'
import { measureWindows } from '../allocation.ts'

const [file, contactModel, warmUp, steps, compared, controller] = process.argv.slice(2)
const robot = loadRobotFile(file)
const named = { hold, balance, pull: hold }[controller as string]
const definition = (named?.() ?? defaultControllerFor(robot)) as Controller
const world = new World({
  robot,
  contactModel: contactModelNamed(contactModel),
  dt: 1e-3,
  controller: createControllerLoop(definition, robot),
})

// a gentle one, in the same direction all the time
if (controller === 'pull') world.act({ type: 'pull', link: robot.frames[0].name, to: [0, 0, 1], stiffness: 2, damping: 1 })

let hash = ''
for (let i = 0; i < Number(warmUp); i++) {
  world.step()
  if (world.stepCount === Number(compared)) hash = world.hash()
}
const allocation = await measureWindows(() => {
  for (let i = 0; i < Number(steps); i++) world.step()
})
process.stdout.write(JSON.stringify({ ...allocation, hash }))
