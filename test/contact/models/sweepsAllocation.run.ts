/*
 * Run by sweepsAllocation.test.ts in a process of its own, with SOLVER BALLS. Prints what windows of 1,000 steps allocated in which a column
 * of balls stands.
 */
import { contactChoice } from '../../../contact/index.ts'
import { World } from '../../../simulation/index.ts'
import { measureWindows } from '../../allocation.ts'
import { sphere } from '../laws/scenes.ts'

const [solver, balls] = process.argv.slice(2)
const world = new World({
  robots: Array.from({ length: Number(balls) }, (_, i) => ({
    robot: sphere(0.1, 1),
    q: [0, 0, 0.2 * (i + 0.5), 0, 0, 0, 1],
  })),
  ...contactChoice('ncp', { solver }),
  dt: 1e-3,
})
for (let k = 0; k < 10_000; k++) world.step()
const allocation = await measureWindows(() => {
  for (let k = 0; k < 1000; k++) world.step()
})
process.stdout.write(JSON.stringify(allocation))
