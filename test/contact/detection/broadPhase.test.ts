import { describe, expect, test } from 'vitest'
import { BroadPhase } from '../../../contact/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { MovingBoxes } from './movingBoxes.ts'

const pairsOf = ({ pairCount, pairA, pairB }: BroadPhase) => Array.from({ length: pairCount }, (_, k) => [pairA[k], pairB[k]])

/** All pairs of boxes that have a point in common, every pair compared. */
function everyPair(bounds: Float64Array, allows: (a: number, b: number) => boolean = () => true): number[][] {
  const count = bounds.length / 6
  const pairs: number[][] = []
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      const meet = [0, 1, 2].every(
        (k) => bounds[6 * a + k] <= bounds[6 * b + 3 + k] && bounds[6 * b + k] <= bounds[6 * a + 3 + k],
      )
      if (meet && allows(a, b)) pairs.push([a, b])
    }
  }
  return pairs
}

/** A box whose corners are whole numbers, so that many ends are equal. */
function setCoarse(bounds: Float64Array, i: number, random: Random): void {
  for (let k = 0; k < 3; k++) {
    bounds[6 * i + k] = random.index(8)
    bounds[6 * i + 3 + k] = bounds[6 * i + k] + random.index(3)
  }
}

describe('the pairs are those whose boxes have a point in common, in order', () => {
  test('1,000 boxes in coherent motion', () => {
    const boxes = new MovingBoxes(1000, 1)
    const broad = new BroadPhase(1000)
    for (let step = 0; step < 40; step++) {
      boxes.move(0.01)
      boxes.write(broad.bounds)
      broad.update()
      if (step % 5 === 0) expect(pairsOf(broad)).toEqual(everyPair(broad.bounds))
    }
    expect(broad.pairCount).toBeGreaterThan(300)
    expect(broad.statistics.rebuilds).toBe(1)
    const { added, removed, refits, updates } = broad.statistics
    expect(removed).toBeGreaterThan(0)
    expect(added - removed).toBeGreaterThan(broad.pairCount)
    // most boxes stay in their rooms most of the time
    expect(refits).toBeLessThan(0.2 * 1000 * updates)
  })

  test('boxes that jump anywhere, one or all of them', () => {
    const random = createRandom(2)
    const boxes = new MovingBoxes(150, 3)
    const broad = new BroadPhase(150)
    for (let step = 0; step < trials(200); step++) {
      const jumps = step % 20 === 0 ? 150 : random.index(4)
      for (let k = 0; k < jumps; k++) boxes.place(random.index(150))
      boxes.write(broad.bounds)
      broad.update()
      expect(pairsOf(broad)).toEqual(everyPair(broad.bounds))
    }
  })

  test('equal ends: boxes that only touch, points, and copies of one box', () => {
    const random = createRandom(4)
    const broad = new BroadPhase(40)
    for (let step = 0; step < 400; step++) {
      if (step % 50 === 0) for (let i = 0; i < 40; i++) setCoarse(broad.bounds, i, random)
      for (let k = 0; k < 5; k++) setCoarse(broad.bounds, random.index(40), random)
      if (step % 7 === 0) broad.bounds.copyWithin(6 * random.index(40), 0, 6)
      broad.update()
      expect(pairsOf(broad)).toEqual(everyPair(broad.bounds))
    }
  })

  test('boxes without end on some sides or all, also when that changes', () => {
    const random = createRandom(5)
    const broad = new BroadPhase(30)
    for (let step = 0; step < 200; step++) {
      for (let k = 0; k < 4; k++) {
        const i = random.index(30)
        setCoarse(broad.bounds, i, random)
        for (let side = 0; side < 6; side++) {
          if (random.next() < 0.2) broad.bounds[6 * i + side] = side < 3 ? -Infinity : Infinity
        }
        if (random.next() < 0.2) for (let side = 0; side < 6; side++) broad.bounds[6 * i + side] = side < 3 ? -Infinity : Infinity
      }
      broad.update()
      expect(pairsOf(broad)).toEqual(everyPair(broad.bounds))
    }
  })

  test('only pairs that the filter allows, and sizes from none to two', () => {
    const allows = (a: number, b: number) => (a + b) % 3 === 0
    const boxes = new MovingBoxes(200, 6)
    const broad = new BroadPhase(200, { allows })
    for (let step = 0; step < 20; step++) {
      boxes.move(0.1)
      boxes.write(broad.bounds)
      broad.update()
      expect(pairsOf(broad)).toEqual(everyPair(broad.bounds, allows))
    }
    for (let count = 0; count < 3; count++) {
      const few = new BroadPhase(count)
      few.update()
      few.update()
      expect(few.pairCount).toBe(count === 2 ? 1 : 0)
    }
  })
})

test('the pairs depend on the boxes alone, not on where they were before', () => {
  const wandered = new BroadPhase(300)
  const boxes = new MovingBoxes(300, 7)
  for (let step = 0; step < 100; step++) {
    boxes.move(0.05)
    boxes.write(wandered.bounds)
    wandered.update()
  }
  const fresh = new BroadPhase(300)
  boxes.write(fresh.bounds)
  fresh.update()
  expect(pairsOf(fresh)).toEqual(pairsOf(wandered))
})

test('the work of a run grows in proportion to the number of boxes', () => {
  const compares = (count: number) => {
    const boxes = new MovingBoxes(count, 8)
    const broad = new BroadPhase(count)
    // The density is the same, so a box has that many more others beside it along an axis as the room is wider: steps that much
    // shorter make as many changes of the order.
    const dt = 0.01 * Math.cbrt(1000 / count)
    boxes.write(broad.bounds)
    broad.update()
    const before = broad.statistics.compares
    for (let step = 0; step < 50; step++) {
      boxes.move(dt)
      boxes.write(broad.bounds)
      broad.update()
    }
    expect(broad.statistics.rebuilds).toBe(1)
    return (broad.statistics.compares - before) / 50 / count
  }
  const [few, many] = [compares(250), compares(4000)]
  // every pair would be (count - 1) / 2 a box, 125 and 2000
  expect(few).toBeLessThan(12)
  expect(many).toBeLessThan(1.5 * few)
})

test('a box whose ends are the wrong way round or not a number is refused by its number', () => {
  const broad = new BroadPhase(2)
  broad.bounds.set([0, 0, 0, 1, -1, 1], 6)
  expect(() => broad.update()).toThrow('box 1 are [0, 0, 0, 1, -1, 1]')
  broad.bounds.set([0, 0, 0, 1, Number.NaN, 1], 6)
  expect(() => broad.update()).toThrow('NaN')
})
