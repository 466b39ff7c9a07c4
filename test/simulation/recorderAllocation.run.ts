/*
 * Run by recorder.test.ts in a process of its own, with ROBOT_FILE CONTACT_MODEL WARM_UP STEPS. Prints what each of ten times
 * STEPS steps after the warm-up allocated, every one of them read into a frame.
 */
import { contactModelNamed } from '../../contact/index.ts'
import { loadRobotFile } from '../../robots/files.ts'
import { FrameSource, World } from '../../simulation/index.ts'
import { measureWindows } from '../allocation.ts'

const [file, contactModel, warmUp, steps] = process.argv.slice(2)
const source = new FrameSource(new World({ robot: loadRobotFile(file), contactModel: contactModelNamed(contactModel), dt: 1e-3 }))
const run = (count: number) => {
  for (let i = 0; i < count; i++) {
    source.world.step()
    source.read()
  }
}
run(Number(warmUp))
process.stdout.write(JSON.stringify(await measureWindows(() => run(Number(steps)))))
