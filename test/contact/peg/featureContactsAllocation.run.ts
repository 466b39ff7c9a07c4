/* Run by featureContactsAllocation.test.ts in a process of its own, with COUNT. Prints what so many searches allocated. */
import { createFeatureBody } from '../../../contact/peg/featureBody.ts'
import { featureContacts } from '../../../contact/peg/featureContacts.ts'
import { FeatureContacts, featureLimits } from '../../../contact/peg/featureSet.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { measureAllocation } from '../../allocation.ts'
import { colliderAt, identity } from '../geometry/poses.ts'
import { featureMargin, randomNearPair } from './featureScene.ts'

const random = createRandom(81)
const pairs = Array.from({ length: 25 }, () => randomNearPair(random).map(createFeatureBody))
const ground = createFeatureBody(colliderAt({ type: 'halfspace', normal: [0, 0, 1], offset: 0 }, identity, [0, 0, 0]))
for (let k = 0; k < 25; k++) pairs.push([ground, pairs[k][1]])
const limits = featureLimits({ margin: 0.05, depth: 0.5 })
const out = new FeatureContacts()
const speeds = Float64Array.of(1, 2, 0.3, 0.4, 0.5, 0.6, 9.81)
const dt = Float64Array.of(0.01)
const reach = new Float64Array(2)

const contacts = new Int32Array(1)
function pass(): void {
  for (let i = 0; i < pairs.length; i++) {
    featureMargin(speeds, dt, reach)
    limits.margin[0] = reach[0]
    featureContacts(pairs[i][0], pairs[i][1], limits, out)
    contacts[0] += out.count
  }
}
function run(count: number): void {
  for (let n = 0; n < count; n += pairs.length) pass()
}

const count = Number(process.argv[2])
run(count)
contacts[0] = 0
const allocation = await measureAllocation(() => run(count))
process.stdout.write(JSON.stringify({ ...allocation, contacts: contacts[0], searches: count }))
