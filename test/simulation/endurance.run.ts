/*
 * Run by endurance.test.ts in a process of its own, with ROBOT_FILE MODEL STEPS. Prints what the heap holds after each tenth of the
 * steps, less what the engine compiled, and whether the state is finite.
 */

import { setTimeout } from 'node:timers/promises'
import { getHeapCodeStatistics } from 'node:v8'
import { contactModelNamed } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { loadRobotFile } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'

const [file, contactModel, steps] = process.argv.slice(2)
const robot = loadRobotFile(file)
const world = new World({
  robot,
  contactModel: contactModelNamed(contactModel),
  dt: 1e-3,
  controller: createControllerLoop(defaultControllerFor(robot), robot),
})
const bytes: number[] = []
for (let tenth = 1; tenth <= 10; tenth++) {
  for (let i = 0; i < Number(steps) / 10; i++) world.step()
  globalThis.gc?.()
  await setTimeout(20)
  globalThis.gc?.()
  // machine code is in the heap too: a function that is compiled late, as much as half a megabyte, is no leak
  bytes.push(process.memoryUsage().heapUsed - getHeapCodeStatistics().code_and_metadata_size)
}
process.stdout.write(
  JSON.stringify({
    steps: world.stepCount,
    finite: [...world.state.q, ...world.state.v].every(Number.isFinite),
    bytes,
    height: world.state.q[2],
    failures: world.events.failures,
    fallbacks: world.events.fallbacks,
    solvers: world.events.solvers,
  }),
)
