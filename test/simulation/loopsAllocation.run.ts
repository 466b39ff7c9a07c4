/*
 * Run by loops.test.ts in a process of its own, with ROBOT_FILE CONTACT_MODEL INTEGRATOR STEPS OPTIONS. Prints what each of ten times STEPS steps
 * of a linkage that goes round beside two welded bodies on the ground allocated after a warm-up.
 */

import type { Integrator } from '../../contact/index.ts'
import { contactModelNamed } from '../../contact/index.ts'
import { createFreeBody } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { measureWindows } from '../allocation.ts'
import { closing, couplerRates, fourbar } from '../contact/loops/linkages.ts'

const [file, contactModel, integrator, counted, options] = process.argv.slice(2)
const box = (name: string, position: [number, number, number]) =>
  createFreeBody({ name, shape: { type: 'box', size: [0.2, 0.3, 0.1] }, mass: 2, position })
const { elbow, swing } = couplerRates(0)
const world = new World({
  robots: [
    { robot: fourbar({ file }), v: [3, 3 * elbow, 3 * swing] },
    { robot: box('table', [1, 0, 0.05]) },
    { robot: box('leaf', [1.2, 0, 0.1]) },
  ],
  contactModel: contactModelNamed(contactModel),
  contactOptions: JSON.parse(options),
  integrator: integrator as Integrator,
  dt: 1e-3,
  loops: [closing('hinge'), { kind: 'weld', a: { robot: 'table' }, b: { robot: 'leaf' } }],
})
for (let i = 0; i < 10_000; i++) world.step()
const allocation = await measureWindows(() => {
  for (let i = 0; i < Number(counted); i++) world.step()
})
process.stdout.write(JSON.stringify(allocation))
