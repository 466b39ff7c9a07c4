import type { Model } from '../../dynamics/index.ts'
import { type CollisionPairs, rigidGroups } from '../detection/index.ts'

/**
 * Which pairs of shapes are of one pair of bodies: `ContactModelContext.bodyPairs`. Each fixture is a body of its own, or a robot on
 * the ground would never hit a wall; links that fixed joints join are one.
 *
 * @param shapes of robots, in the order in which `pairs` counts them
 */
export function bodyPairsOf(model: Model, pairs: CollisionPairs, shapes: readonly { readonly body: number }[]): Int32Array {
  const rigid = rigidGroups(model)
  const numbers = new Map<string, number>()
  const { shapeCount, fixtureCount, count } = pairs
  const things = Array.from({ length: shapeCount + fixtureCount }, (_, i) =>
    i < shapeCount ? `body ${rigid[shapes[i].body]}` : `fixture ${i - shapeCount}`,
  )
  const bodyPairs = new Int32Array(count)
  for (let a = 0; a < shapeCount; a++) {
    for (let b = a + 1; b < things.length; b++) {
      const pair = pairs.numberOf(a, b)
      if (pair < 0) continue
      const key = [things[a], things[b]].sort().join(', ')
      let number = numbers.get(key)
      if (number === undefined) {
        number = numbers.size
        numbers.set(key, number)
      }
      bodyPairs[pair] = number
    }
  }
  return bodyPairs
}
