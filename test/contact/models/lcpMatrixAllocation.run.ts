/*
 * Run by lcpMatrix.test.ts in a process of its own, with ROBOT_FILE CONTACT_MODEL MATRIX WARM_UP STEPS. Prints what each of ten times
 * STEPS steps after the warm-up allocated.
 */
import { contactChoice } from '../../../contact/index.ts'
import { createControllerLoop, hold } from '../../../control/index.ts'
import { loadRobotFile } from '../../../robots/files.ts'
import { World } from '../../../simulation/index.ts'
import { measureWindows } from '../../allocation.ts'

const [file, contactModel, matrix, warmUp, steps] = process.argv.slice(2)
const robot = loadRobotFile(file)
const world = new World({
  robot,
  ...contactChoice(contactModel, { matrix }),
  dt: 1e-3,
  controller: createControllerLoop(hold(), robot),
})
for (let i = 0; i < Number(warmUp); i++) world.step()
const allocation = await measureWindows(() => {
  for (let i = 0; i < Number(steps); i++) world.step()
})
process.stdout.write(JSON.stringify(allocation))
