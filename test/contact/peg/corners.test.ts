/*
 * Two convex bodies that meet corner-on within one large step, judged by tests that belong to no model: true overlap by all separating
 * axes, gaps and momentum from contacts and impulses, legal motions that were changed.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { largestSeparation } from '../../../contact/geometry/distance/penetration.ts'
import { full, trials } from '../../dailyModels.ts'
import { exactSeparation, place } from '../geometry/exactOverlap.ts'
import { cornerOf } from './corners.ts'
import { distanceInM, freeMotion, moved, outcomeOf, separationAt } from './outcome.ts'
import { contenders, judge, questionOf, Tally } from './tally.ts'

const count = full ? 10_000 : 35
/** Of models that only have to be counted. */
const countOfOthers = full ? 1000 : 30

describe('the configurations', () => {
  const corners = Array.from({ length: trials(100) }, (_, seed) => cornerOf(seed))

  test('bodies are apart at the start, and most would overlap at the end', () => {
    let overlaps = 0
    for (const corner of corners) {
      const free = freeMotion(corner)
      expect(separationAt(corner, free)).toBeGreaterThan(0)
      const end = free.map((motion) => moved(motion, corner.dt))
      if (separationAt(corner, [end[0], end[1]]) < 0) overlaps++
    }
    expect(overlaps).toBeGreaterThan(corners.length / 2)
    expect(overlaps).toBeLessThan(corners.length)
  })

  test('the free motion is what a model does that sees no contact', () => {
    for (const corner of corners) {
      // Anitescu and Potra's acts on touch alone, and all are apart
      const { end } = outcomeOf(corner, { name: '', model: 'anitescu-potra', options: { activeDistance: 0, drift: 'none' } })
      const free = freeMotion(corner)
      const still = free.map((motion) => ({ ...motion, omega: new Float64Array(3), v: new Float64Array(3) }))
      expect(distanceInM(corner, end, free)).toBeLessThan(1e-12 * distanceInM(corner, free, [still[0], still[1]]))
    }
  })

  test('the exact test of overlap agrees with the depth of the geometry', () => {
    const out = new Float64Array(4)
    for (const corner of corners) {
      if (corner.planar) continue
      const free = freeMotion(corner)
      const [a, b] = corner.bodies.map(({ collider }, i) => {
        const { R, p } = moved(free[i], corner.dt)
        place(collider, R, p)
        return collider
      })
      largestSeparation(a, b, out)
      // crossings of nearly parallel edges have normals to 1e-7 of their length
      expect(Math.abs(exactSeparation(a, b, false) - out[0])).toBeLessThan(1e-8)
    }
  })
})

const contender = (name: string) => contenders.find((one) => one.name === name)!
function tallyOf(name: string, seeds: number, motions: number): Tally {
  const tally = new Tally()
  for (let seed = 0; seed < seeds; seed++) tally.add(judge(questionOf(seed), contender(name), motions), contender(name).hasGaps)
  return tally
}

describe(`peg over ${count} corners`, () => {
  let tally: Tally
  beforeAll(() => {
    tally = tallyOf('peg', count, 32)
  }, 3_600_000)

  test('most push', () => {
    expect(tally.pushed).toBeGreaterThan(count / 2)
  })
  test('in 999 of 1000 the end is found without fallback', () => {
    expect(tally.fallbacks.length).toBeLessThanOrEqual(Math.floor(count / 1000))
    expect(tally.failures).toBe(0)
  })
  test('no more than those that fell back overlap at the end by 1e-8 m', () => {
    expect(tally.overlap.count).toBeLessThanOrEqual(tally.fallbacks.length)
  })
  // 3017, 3467, 3480, 3839, 7439, 8603, 9572, 9698: a constraint of the last problem is missed by up to 9 cm, of bodies that are apart
  test('linearised gaps hold to 1e-10 m in 999 of 1000, and impulse times gap to 1e-8 m a kilogram in all', () => {
    expect(tally.gapMissed.count).toBeLessThanOrEqual(Math.floor(count / 1000))
    expect([tally.product.count, tally.product.seed]).toEqual([0, -1])
  })
  // 8999: by 2e-6 of it
  test('momentum changes by the impulses, and nothing else, in 999 of 1000', () => {
    expect(tally.momentum.count).toBeLessThanOrEqual(Math.floor(count / 1000))
  })
  test('what pushes touches at the end of the step, in 999 of 1000', () => {
    expect(tally.aside.count).toBeLessThanOrEqual(tally.fallbacks.length + Math.floor(count / 1000))
    expect(tally.apart.count).toBeLessThanOrEqual(tally.fallbacks.length + Math.floor(count / 1000))
  })
  test('no motion that is legal all the way is changed', () => {
    expect(tally.legal).toBeGreaterThan(count / 10)
    expect([tally.trapped.count, tally.trapped.seed]).toEqual([0, -1])
  })
})

describe('peg where plain iteration', () => {
  /** What is wrong with the end of each step of these seeds, if anything is. */
  const flaws = (seeds: readonly number[]) =>
    seeds.flatMap((seed) => {
      const { fellBack, end, aside, apart } = judge(questionOf(seed), contender('peg'), 0)
      return fellBack || end < -1e-8 || aside > 1e-8 || apart > 1e-8 ? [seed] : []
    })
  // alternates between two answers, or wanders: 303 and 190 through many features, 1228 between one edge of a face and the next
  test('does not settle finds an end by damping', () => {
    expect(flaws([190, 303, 1228, 9354])).toEqual([])
  })
  // by a third of the miss a pass
  test('converges slowly is not cut off', () => {
    expect(flaws([2430, 6403, 6779])).toEqual([])
  })
})

describe(`the older models over ${countOfOthers} corners`, () => {
  test('lnc lets corners through', () => {
    expect(tallyOf('lnc', countOfOthers, 0).overlap.count).toBeGreaterThan(countOfOthers / 5)
  })
  for (const name of ['stewart-trinkle on features', 'stewart-trinkle']) {
    // Newton's method leaves 1e-9 of some gaps at the least compliance
    const known = name === 'stewart-trinkle on features' ? test.fails : test
    known(`${name} changes motions that are legal, and pushes where nothing is`, () => {
      const tally = tallyOf(name, countOfOthers, 0)
      expect(tally.trapped.count).toBeGreaterThan(tally.legal / 5)
      expect(tally.aside.count).toBeGreaterThan(countOfOthers / 10)
      // but for 788 with points of manifolds, whose momentum is 1.4e-3 off
      expect(tally.product.count).toBe(0)
      expect(tally.momentum.count).toBeLessThanOrEqual(Math.ceil(countOfOthers / 1000))
    })
  }
})
