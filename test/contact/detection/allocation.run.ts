/* Run by allocation.test.ts in a process of its own, with COUNT FIXTURE READING, where `box of meshes` is a box that meshes touch. Prints what so many detections of each shape allocated. */
import { hullOf, type Shape } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { measureAllocation } from '../../allocation.ts'
import { channel, torus } from '../geometry/meshes.ts'
import { randomRotation } from '../geometry/poses.ts'
import { fixedBox, ground, Scene } from './scene.ts'

const random = createRandom(51)
const meshes: readonly Shape[] = [
  { type: 'mesh', mesh: channel },
  { type: 'mesh', mesh: torus(0.3, 0.1, 16, 8) },
]
const convex: readonly Shape[] = [
  { type: 'sphere', radius: 0.3 },
  { type: 'capsule', radius: 0.1, length: 0.5 },
  { type: 'box', size: [0.4, 0.5, 0.3] },
  { type: 'cylinder', radius: 0.2, length: 0.3 },
  { type: 'hull', polyhedron: hullOf(Float64Array.from({ length: 60 }, () => random.between(-0.3, 0.3))) },
]
const poses = Array.from({ length: 50 }, () => randomRotation(random))
const places = poses.map(() => Float64Array.from([random.between(-0.6, 0.6), 0, random.between(0, 0.3)]))
const shapes = process.argv[3] === 'box of meshes' ? meshes : convex
const fixture = process.argv[3].startsWith('box') ? fixedBox('step', [1, 1, 0.2], [0.5, 0, 0.1]) : ground
const reading = process.argv[4] as 'manifold' | 'penalty' | 'volume'
const scenes = shapes.map((shape) => new Scene(shape, [fixture], { reading }))

// one call a pose, so that the loop below is no part of what is measured
const contacts = new Int32Array(1)
function pass(): void {
  for (let n = 0; n < 50; n++) {
    for (let s = 0; s < scenes.length; s++) {
      scenes[s].detect(poses[n], places[n])
      contacts[0] += scenes[s].contacts.count
    }
  }
}
function run(count: number): void {
  for (let n = 0; n < count; n += 50) pass()
}

const count = Number(process.argv[2])
run(count)
contacts[0] = 0
const allocation = await measureAllocation(() => run(count))
process.stdout.write(JSON.stringify({ ...allocation, contacts: contacts[0], detections: count * scenes.length }))
