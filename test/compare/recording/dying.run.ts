/**
 * Records a robot until something ends it. Arguments: path, how: `endless` stops making steps after 250 and says so on
 * stdout, `full` records until the disk takes no more and prints the error as JSON.
 */

import { openRecording, RecordingError } from '../../../compare/recording/files.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { World } from '../../../simulation/index.ts'

const [path, how] = process.argv.slice(2)
const world = new World({ robot: loadOwnRobot('diffdrive'), contactModel: 'penalty', dt: 1e-3 })
try {
  const recording = openRecording(path, world, { flushFrames: 50, flushSeconds: 3600 })
  recording.record()
  for (let step = 1; how === 'full' || step <= 260; step++) {
    world.step()
    recording.record()
  }
  process.stdout.write('hanging\n')
  for (;;) Math.hypot(1, 2)
} catch (error) {
  if (!(error instanceof RecordingError)) throw error
  const { name, message, code, bytes, frames } = error
  process.stdout.write(JSON.stringify({ name, message, code, bytes, frames, path: error.path }))
}
