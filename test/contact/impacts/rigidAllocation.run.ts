/*
 * Run by allocation.test.ts in a process of its own, with MODEL IMPULSES. Prints what windows of 2,000 steps allocated in which elastic balls hop on the
 * ground.
 */

import { contactChoice } from '../../../contact/index.ts'
import { World } from '../../../simulation/index.ts'
import { measureWindows } from '../../allocation.ts'
import { sphere } from '../laws/scenes.ts'

const [contactModel, impulses] = process.argv.slice(2)
const world = new World({
  robots: Array.from({ length: 6 }, (_, i) => ({
    robot: sphere(0.05, 1 + 0.1 * i),
    q: [0.3 * i, 0, 0.06 + 0.005 * i, 0, 0, 0, 1],
  })),
  ...contactChoice(contactModel, { impulses }),
  dt: 5e-3,
  physical: { restitution: 1, friction: 0.3 },
})
for (let k = 0; k < 4000; k++) world.step()
let impacts = 0
const allocation = await measureWindows(() => {
  for (let k = 0; k < 2000; k++) {
    world.step()
    const { count, impact } = world.contacts
    for (let i = 0; i < count; i++) if (impact[3 * i] > 0) impacts++
  }
})
process.stdout.write(JSON.stringify({ ...allocation, impacts }))
