/* Run by distanceField.test.ts in a process of its own, with COUNT. Prints what so many queries of each kind allocated. */
import {
  distanceFieldOf,
  fieldDistance,
  fieldGradient,
  heightAt,
  meshDistance,
  meshTreeOf,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { measureAllocation } from '../../allocation.ts'
import { angle, refinedBox } from './meshes.ts'

const random = createRandom(3)
const points = Array.from({ length: 500 }, () => Float64Array.from({ length: 3 }, () => random.between(-0.6, 0.9)))
const fields = [angle, refinedBox].map((mesh) => distanceFieldOf(mesh, { tolerance: 1e-3 }))
const trees = [angle, refinedBox].map(meshTreeOf)
const ground = {
  type: 'heightfield',
  rows: 3,
  columns: 3,
  spacing: [0.4, 0.4],
  heights: new Float64Array(9).map((_, i) => 0.1 * i),
} as const
const [out, feature] = [new Float64Array(7), new Int32Array(2)]
const sum = new Float64Array(1)

function pass(): void {
  for (let n = 0; n < 500; n++) {
    for (let m = 0; m < 2; m++) {
      fieldDistance(fields[m], points[n], out)
      sum[0] += out[0]
      fieldGradient(fields[m], points[n], out)
      sum[0] += out[0]
      meshDistance(trees[m], points[n], out, feature)
      sum[0] -= 2 * out[0]
    }
    heightAt(ground, points[n], out)
  }
}
function run(count: number): void {
  for (let n = 0; n < count; n += 500) pass()
}

const count = Number(process.argv[2])
run(count)
const allocation = await measureAllocation(() => run(count))
process.stdout.write(JSON.stringify({ ...allocation, queries: 7 * count }))
