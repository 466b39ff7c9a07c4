/*
 * Run by allocation.test.ts: node --expose-gc run.mjs ROBOT CONTACT_MODEL WARM_UP STEPS. Prints the hash after 10,000 steps,
 * and what the steps after the warm-up allocated.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { loadRobotFileSync } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'

const [file, contactModel, warmUp, steps] = process.argv.slice(2)
const robot = loadRobotFileSync(file)
const world = new World({ robot, contactModel, dt: 1e-3, controller: createControllerLoop(defaultControllerFor(robot), robot) })

let collections = 0
const observer = new PerformanceObserver((list) => {
  collections += list.getEntries().length
})
observer.observe({ entryTypes: ['gc'] })

let hash = ''
for (let i = 0; i < Number(warmUp); i++) {
  world.step()
  if (world.stepCount === 10_000) hash = world.hash()
}
const collect = globalThis.gc as () => void
collect()
await setTimeout(20) // the collector's entries arrive on the next turn
collections = 0

collect()
const before = process.memoryUsage().heapUsed
for (let i = 0; i < Number(steps); i++) world.step()
const after = process.memoryUsage().heapUsed
await setTimeout(20)
const scavenges = collections - 1 // the collection before the steps
collect()
const collected = process.memoryUsage().heapUsed
process.stdout.write(
  JSON.stringify({
    scavenges,
    growth: after - before,
    growthAfterCollection: collected - before,
    hash,
  }),
)
