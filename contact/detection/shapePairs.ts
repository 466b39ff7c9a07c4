import type { Model } from '../../dynamics/index.ts'
import type { PlacedShape } from '../geometry/index.ts'
import { type CollisionPairs, rigidGroups } from './pairs.ts'

/** `ContactModelContext.caps` of the shapes of robots and fixtures, in the order of `pairs`. @unchecked */
export function capsOf(pairs: CollisionPairs, shapes: readonly PlacedShape[], fixtures: readonly PlacedShape[]): Float64Array {
  const all = [...shapes, ...fixtures].map(({ shape }) => (shape.type === 'cylinder' ? shape.radius : Number.POSITIVE_INFINITY))
  const caps = new Float64Array(pairs.count)
  for (let a = 0; a < shapes.length; a++) {
    for (let b = a + 1; b < all.length; b++) {
      const pair = pairs.numberOf(a, b)
      const radius = Math.min(all[a], all[b])
      if (pair >= 0 && radius < Number.POSITIVE_INFINITY) caps[pair] = radius
    }
  }
  return caps
}

/**
 * Body pair of each pair of shapes: `ContactModelContext.bodyPairs`. Each fixture counts as a body, so that a robot on the ground can also
 * hit a wall; links joined by fixed joints are one body. @unchecked
 *
 * @param shapes of robots, in the order of `pairs`
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
