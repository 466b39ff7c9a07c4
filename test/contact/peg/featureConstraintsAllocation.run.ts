/* Run by featureConstraintsAllocation.test.ts in a process of its own, with COUNT. Prints what so many pairs' constraints allocated. */

import { ContactConstraints, exactRule, vertexRule } from '../../../contact/index.ts'
import { createFeatureBody } from '../../../contact/peg/featureBody.ts'
import { constrainFeatures } from '../../../contact/peg/featureConstraints.ts'
import { featureContacts } from '../../../contact/peg/featureContacts.ts'
import { FeatureContacts, featureLimits } from '../../../contact/peg/featureSet.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { measureAllocation } from '../../allocation.ts'
import { colliderAt, identity } from '../geometry/poses.ts'
import { cube, randomNearPair } from './featureScene.ts'

const random = createRandom(82)
const pairs = Array.from({ length: 20 }, () => randomNearPair(random).map(createFeatureBody))
for (let i = 0; i < 5; i++) {
  pairs.push([colliderAt(cube, identity, [0, 0, 0]), colliderAt(cube, identity, [0.2 * i, 0, 1])].map(createFeatureBody))
}
const limits = featureLimits({ margin: 0.03, depth: 0.3 })
const found = pairs.map(([a, b]) => {
  const out = new FeatureContacts()
  featureContacts(a, b, limits, out)
  return out
})
const rules = [exactRule, vertexRule]
const lists = new ContactConstraints()
const constraints = new Int32Array(1)
function pass(): void {
  lists.clear()
  for (let i = 0; i < pairs.length; i++) {
    for (let r = 0; r < rules.length; r++) {
      constrainFeatures(pairs[i][0], pairs[i][1], found[i], rules[r], limits, 3 * i, lists)
    }
  }
  constraints[0] += lists.count
}
function run(count: number): void {
  for (let n = 0; n < count; n += pairs.length) pass()
}

const count = Number(process.argv[2])
run(count)
constraints[0] = 0
const allocation = await measureAllocation(() => run(count))
process.stdout.write(JSON.stringify({ ...allocation, constraints: constraints[0], pairs: count }))
