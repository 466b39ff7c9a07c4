/* Run by penaltyReadingAllocation.test.ts in a process of its own, with COUNT. Prints what so many readings allocated. */
import { createFieldShape, type FieldShape, placeFieldShape } from '../../../contact/detection/fieldShape.ts'
import { PenaltyReading, penaltyMemorySize, penaltyReading } from '../../../contact/detection/penaltyReading.ts'
import type { Shape } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { measureAllocation } from '../../allocation.ts'
import { angle } from '../geometry/meshes.ts'
import { identity, origin, product, randomHull, randomRotation, randomShapes, rotation } from '../geometry/poses.ts'

const random = createRandom(91)
const slab: Shape = { type: 'box', size: [2, 2, 1] }
const ground: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: 0 }
const terrain: Shape = { type: 'heightfield', rows: 9, columns: 9, spacing: [0.2, 0.2], heights: new Float64Array(81) }
const under = Float64Array.of(0, 0, -0.5)
interface Pair {
  readonly a: FieldShape
  readonly b: FieldShape
  readonly R: Float64Array
  readonly p: Float64Array
}
const pairs: Pair[] = []
function pair(s: Shape, at: Float64Array, t: Shape, R: Float64Array, p: readonly number[]): void {
  const a = createFieldShape(s)
  placeFieldShape(a, identity, at, identity, origin)
  pairs.push({ a, b: createFieldShape(t), R, p: Float64Array.from(p) })
}
const foot: Shape = { type: 'box', size: [0.25, 0.1, 0.05] }
for (const [s, at] of [
  [ground, origin],
  [slab, under],
  [terrain, origin],
] as const) {
  pair(s, at, foot, rotation([0, 1, 0], 0.01), [0, 0, 0.024])
  pair(s, at, { type: 'cylinder', radius: 0.1, length: 0.05 }, rotation([1, 0, 0], 0.5 * Math.PI), [0.1, 0.2, 0.099])
  pair(s, at, { type: 'mesh', mesh: angle }, identity, [0, 0, 0.01])
  pair(s, at, randomHull(random, 40), randomRotation(random), [0, 0, 0.2])
}
// cylinders only on flat ground: off it they ask for the closest features, which have an allocation test of their own
const names = Object.keys(randomShapes).filter((name) => name !== 'cylinder')
for (let n = 0; n < 16; n++) {
  const [s, t] = [n, Math.floor(n / 4)].map((k) => randomShapes[names[k % 4]](random))
  pair(s, origin, t, product(identity, randomRotation(random)), [0.2, 0.1, 0.3])
}
const memory = new Float64Array(penaltyMemorySize * pairs.length)
const out = new PenaltyReading()
const points = new Int32Array(1)
const step = new Int32Array(1)

function pass(): void {
  // sliding by the width of a few points and back, so that features come and go
  const shift = 1e-4 * (step[0]++ % 100)
  for (let i = 0; i < pairs.length; i++) {
    const { a, b, R, p } = pairs[i]
    p[0] += shift
    placeFieldShape(b, R, p, identity, origin)
    p[0] -= shift
    penaltyReading(a, b, memory, i, out)
    points[0] += out.bottomCount
  }
}
function run(count: number): void {
  for (let n = 0; n < count; n += pairs.length) pass()
}

const count = Number(process.argv[2])
run(count)
points[0] = 0
const allocation = await measureAllocation(() => run(count))
process.stdout.write(JSON.stringify({ ...allocation, points: points[0], readings: count }))
