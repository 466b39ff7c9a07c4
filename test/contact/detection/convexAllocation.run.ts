/* Run by convexAllocation.test.ts in a process of its own, with COUNT distance|warm|manifold. Prints what so many queries of every pair of shapes allocated. */
import { convexManifoldWarm, createManifoldScratch, manifoldMemorySize } from '../../../contact/detection/convexManifold.ts'
import { createManifold } from '../../../contact/detection/manifold.ts'
import { hullOf, pairMemorySize, type Shape, signedDistance, signedDistanceWarm } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { measureAllocation } from '../../allocation.ts'
import { colliderAt, randomRotation } from '../geometry/poses.ts'

const random = createRandom(51)
const cloud = (count: number) => hullOf(Float64Array.from({ length: 3 * count }, () => random.between(-0.3, 0.3)))
const shapes: readonly Shape[] = [
  { type: 'sphere', radius: 0.3 },
  { type: 'capsule', radius: 0.1, length: 0.5 },
  { type: 'box', size: [0.4, 0.5, 0.3] },
  { type: 'cylinder', radius: 0.2, length: 0.3 },
  { type: 'ellipsoid', radii: [0.3, 0.2, 0.1] },
  { type: 'hull', polyhedron: cloud(20) },
  { type: 'hull', polyhedron: cloud(300) },
]
const pairs = shapes.flatMap((a) =>
  shapes.flatMap((b) =>
    Array.from({ length: 10 }, () => {
      const way = [random.between(-0.6, 0.6), random.between(-0.3, 0.3), random.between(-0.3, 0.3)]
      return [colliderAt(a, randomRotation(random), [0, 0, 0]), colliderAt(b, randomRotation(random), way)] as const
    }),
  ),
)
const what = process.argv[3]
const out = new Float64Array(10)
const memory = new Float64Array(pairs.length * manifoldMemorySize)
const manifold = createManifold(1200, 4)
manifold.margin[0] = 0.01
const scratch = createManifoldScratch(1200)
const contacts = new Int32Array(1)

// one call a pass over all pairs, so that the loop below is no part of what is measured
function pass(): void {
  for (let i = 0; i < pairs.length; i++) {
    const a = pairs[i][0]
    const b = pairs[i][1]
    if (what === 'distance') {
      signedDistance(a, b, out)
      contacts[0] += out[0] < 0 ? 1 : 0
    } else if (what === 'warm') {
      signedDistanceWarm(a, b, memory, i * pairMemorySize, out)
      contacts[0] += out[0] < 0 ? 1 : 0
    } else {
      convexManifoldWarm(a, b, memory, i * manifoldMemorySize, scratch, manifold)
      contacts[0] += manifold.count
    }
  }
}
function run(count: number): void {
  for (let n = 0; n < count; n += pairs.length) pass()
}

const count = Number(process.argv[2])
run(count)
contacts[0] = 0
const allocation = await measureAllocation(() => run(count))
process.stdout.write(JSON.stringify({ ...allocation, contacts: contacts[0], queries: count }))
