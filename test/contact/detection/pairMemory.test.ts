import { expect, test } from 'vitest'
import { PairMemory } from '../../../contact/detection/manifold/pairMemory.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'

const values = 3

/** Opens the pairs, asks `write` what to remember of each, and answers what had been remembered. */
function step(memory: PairMemory, data: Float64Array, pairs: readonly number[], write: (pair: number) => number): number[][] {
  memory.begin(data)
  const known = pairs.map((pair) => {
    const at = memory.open(pair)
    const before = Array.from(data.subarray(at, at + values))
    for (let k = 0; k < values; k++) data[at + k] = write(pair) * (k + 1)
    memory.close()
    return before
  })
  memory.end()
  return known
}

test('remembers of each pair what was written last, as a map does that is emptied of the pairs left out', () => {
  const random = createRandom(71)
  const memory = new PairMemory(values, 64)
  const data = new Float64Array(memory.size)
  let map = new Map<number, number>()
  for (let n = 0; n < trials(500); n++) {
    const pairs = Array.from({ length: 60 }, (_, pair) => pair).filter(() => random.between(0, 1) < 0.5)
    const next = new Map(pairs.map((pair) => [pair, Math.floor(random.between(0, 4))]))
    const known = step(memory, data, pairs, (pair) => next.get(pair)!)
    known.forEach((before, k) => {
      const value = map.get(pairs[k]) ?? 0
      expect(before).toEqual([value, 2 * value, 3 * value])
    })
    map = new Map([...next].filter(([, value]) => value !== 0))
    expect(data[0]).toBe(map.size)
  }
  step(memory, data, [], () => 0)
  expect(data.every((x) => x === 0)).toBe(true)
})

test('two histories that end alike have equal memories, whatever was near before', () => {
  const memory = new PairMemory(values, 8)
  const [one, other] = [new Float64Array(memory.size), new Float64Array(memory.size)]
  step(memory, one, [1, 2, 3, 5, 7], () => 9)
  for (const data of [one, other]) step(memory, data, [2, 6], () => 4)
  expect(one).toEqual(other)
  // the memory belongs to the caller: two are served in turn
  expect(step(memory, other, [2], () => 1)).toEqual([[4, 8, 12]])
  expect(step(memory, one, [2, 6], () => 1)).toEqual([
    [4, 8, 12],
    [4, 8, 12],
  ])
})

test('pairs beyond its capacity are new in every step, and harm no other', () => {
  const memory = new PairMemory(values, 2)
  const data = new Float64Array(memory.size)
  for (let n = 0; n < 3; n++) {
    const known = step(memory, data, [3, 4, 5, 6], (pair) => pair)
    if (n > 0) expect(known.map(([first]) => first)).toEqual([3, 4, 0, 0])
  }
  expect(new PairMemory(values, 0).size).toBe(0)
})
