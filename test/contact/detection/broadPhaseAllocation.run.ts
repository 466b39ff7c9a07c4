/* Run by broadPhase.test.ts in a process of its own, with COUNT. Prints what so many updates of 1,000 boxes allocated. */
import { BroadPhase } from '../../../contact/detection/broadPhase.ts'
import { measureAllocation } from '../../allocation.ts'
import { MovingBoxes } from './movingBoxes.ts'

const boxes = new MovingBoxes(1000, 1)
const broad = new BroadPhase(1000)
// one call for many updates, so that the loop below is no part of what is measured
function pass(): void {
  for (let n = 0; n < 50; n++) {
    boxes.move(0.01)
    boxes.write(broad.bounds)
    broad.update()
  }
}
function run(count: number): void {
  for (let n = 0; n < count; n += 50) pass()
}

const count = Number(process.argv[2])
run(5000)
const allocation = await measureAllocation(() => run(count))
process.stdout.write(JSON.stringify({ ...allocation, pairs: broad.pairCount }))
