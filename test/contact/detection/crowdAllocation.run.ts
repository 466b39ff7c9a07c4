/* Run by detector.test.ts in a process of its own, with COUNT FIXTURE. Prints what so many detections in a crowd allocated. */
import { measureAllocation } from '../../allocation.ts'
import { identity, origin } from '../geometry/poses.ts'
import { Crowd } from './crowd.ts'

const heights = Float64Array.from({ length: 21 * 21 }, (_, k) => 0.3 + 0.1 * ((k * 7) % 5))
const hills = { type: 'heightfield', rows: 21, columns: 21, spacing: [0.3, 0.3], heights } as const
const crowd =
  process.argv[3] === 'hills'
    ? new Crowd(
        10,
        42,
        { selfCollision: 'none' },
        ['sphere', 'box'],
        [{ name: 'hills', body: 0, shape: hills, R: identity, p: origin }],
      )
    : new Crowd(40, 41, { reading: process.argv[3] === 'penalty' ? 'penalty' : 'manifold' }, ['sphere', 'box'])
// places are made beforehand, for making them allocates
const poses = Array.from({ length: 50 }, () => {
  crowd.move(0.02)
  return { R: crowd.data.R_WB.map((R) => R.slice()), p: crowd.data.p_WB.map((p) => p.slice()) }
})
const contacts = new Int32Array(1)

// one call for many detections, so that the loop below is no part of what is measured; there and back, so that nothing jumps
function pass(): void {
  for (let n = 0; n < 100; n++) {
    const { R, p } = poses[n < 50 ? n : 99 - n]
    for (let i = 1; i < R.length; i++) {
      crowd.data.R_WB[i].set(R[i])
      crowd.data.p_WB[i].set(p[i])
    }
    crowd.detect()
    contacts[0] += crowd.contacts.count
  }
}
function run(count: number): void {
  for (let n = 0; n < count; n += 100) pass()
}

const count = Number(process.argv[2])
run(count)
contacts[0] = 0
const allocation = await measureAllocation(() => run(count))
process.stdout.write(JSON.stringify({ ...allocation, contacts: contacts[0] }))
