/*
 * node --import ./scripts/typescript.mjs bench/stepWork.ts [MODELS] [SCENES]
 *
 * How well the work that steps count stands for the time that they take: multiply-adds and processor time of a step of several scenes under
 * every contact model, and how many multiply-adds a nanosecond that makes. The limit on a step's work is in force, as in any world; a step
 * that exceeds it is timed too, and marked.
 */

import { hullOf } from '../contact/geometry/index.ts'
import { type ContactModelName, contactModelNames } from '../contact/index.ts'
import { createRandom, workSpent } from '../dynamics/index.ts'
import { loadOwnRobot } from '../robots/files.ts'
import { createFreeBody, type Robot } from '../robots/index.ts'
import { makeWorld } from '../test/contact/laws/scenes.ts'
import { clock } from './clock.ts'
import { apart, heap, inOneAnother, legged, mast, plate, stack, type Things, walker } from './contact/contactScenes.ts'

const SETTLING = 20
/** Processor time of a scene under one model, at least a step [µs]. */
const SPENT = 300e3

/** A ball of so many vertices. */
function pebble(count: number): Robot {
  const random = createRandom(count)
  const vertices = Array.from({ length: count }, () => {
    const p = [0, 0, 0].map(() => random.between(-1, 1))
    const length = Math.hypot(...p)
    return p.map((x) => (0.1 * x) / length)
  })
  return createFreeBody({
    name: 'pebble',
    shape: { type: 'hull', polyhedron: hullOf(Float64Array.from(vertices.flat()), count) },
    mass: 1,
  })
}

const can = () => createFreeBody({ name: 'can', shape: { type: 'cylinder', radius: 0.08, length: 0.2 }, mass: 1 })
const egg = () => createFreeBody({ name: 'egg', shape: { type: 'ellipsoid', radii: [0.06, 0.08, 0.1] }, mass: 1 })

const scenes: Readonly<Record<string, () => Things>> = {
  humanoid: () => ({ robot: loadOwnRobot('humanoid') }),
  diffdrive: () => ({ robot: loadOwnRobot('diffdrive') }),
  plate: () => plate(64),
  apart: () => apart(25),
  stack: () => stack(20),
  mast: () => mast(30),
  legged: () => legged(3),
  walker: () => walker(6),
  heap: () => heap(40),
  'in one another, 12': () => inOneAnother(12),
  'in one another, 30': () => inOneAnother(30),
  'in one another, 60': () => inOneAnother(60),
  'in one another, pebbles': () => inOneAnother(10, () => pebble(100)),
  'in one another, cans': () => inOneAnother(12, can),
  'in one another, eggs': () => inOneAnother(12, egg),
}

function row(scene: string, model: ContactModelName): string {
  const world = makeWorld({ ...scenes[scene](), model })
  const settling = scene.startsWith('in') ? 0 : SETTLING
  let failed = ''
  let work = 0
  let steps = 0
  let time = 0
  let most = 0
  try {
    for (let k = 0; k < settling; k++) world.step()
    while (time < SPENT && steps < 400) {
      const from = clock()
      try {
        world.step()
      } finally {
        time += clock() - from
        work += workSpent()
        most = Math.max(most, workSpent())
        steps++
      }
    }
  } catch (error) {
    failed = (error as Error).message.replace(/^.*: step/, 'step')
  }
  const ratio = work / (1e3 * time)
  return `${scene.padEnd(20)} ${model.padEnd(16)} ${String(world.contacts.count).padStart(4)} contacts ${(time / steps / 1e3).toFixed(3).padStart(10)} ms ${(work / steps).toExponential(2)} ${ratio.toFixed(2).padStart(6)} a ns ${failed}`
}

const [models = '', names = ''] = process.argv.slice(2)
for (const scene of Object.keys(scenes)) {
  if (names !== '' && !names.split(',').some((name) => scene.includes(name))) continue
  for (const model of contactModelNames) {
    if (models === '' || models.split(',').includes(model)) console.log(row(scene, model))
  }
}
