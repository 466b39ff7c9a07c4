/*
 * Every answer of one step between two polygons is enumerated, without looking at what a search would do; what a model returns has to be
 * one of them, and the nearest to the free motion.
 */
import { describe, expect, test } from 'vitest'
import { full } from '../../dailyModels.ts'
import { cornerOf } from './corners.ts'
import { outcomeOf } from './outcome.ts'
import { answersOf, answerWith, holds, sceneOf } from './planarCornersInWorld.ts'

const wanted = full ? 1000 : 20
/** Normals of two bodies in the plane have three dimensions. */
const rank = 3
/** Softness is a share of 1e-12 of each diagonal entry; costs are of the square of a velocity that is known to about 1e-10. */
const stiff = { compliance: 1e-12 }

/** Planar corners without friction, one after the other. */
function* planarCorners() {
  for (let seed = 2; ; seed += 3) {
    const corner = cornerOf(seed)
    if (corner.friction === 0) yield corner
  }
}

describe.each([
  ['peg in the plane', { ...stiff, passes: 0 }, true],
  ['lnc in the plane', stiff, false],
] as const)('%s %o', (model, options, wholeWay) => {
  test(`over ${wanted} pairs of polygons the answer is one of all that there are, and none is nearer to the free motion`, () => {
    let [solved, several, pushed] = [0, 0, 0]
    for (const corner of planarCorners()) {
      if (solved === wanted) break
      const outcome = outcomeOf(corner, { name: model, model, options })
      const scene = sceneOf(outcome, outcome.contacts)
      const answers = answersOf(scene, rank, wholeWay)
      const impulse = Float64Array.from({ length: scene.count }, (_, i) => outcome.contacts.impulse[3 * i])
      const own = answerWith(scene, impulse)
      if (outcome.events.fallbacks > 0) {
        // only where there is nothing to find
        expect([corner.seed, answers.length]).toEqual([corner.seed, 0])
        continue
      }
      solved++
      if (answers.length > 1) several++
      if (own.cost > 0) pushed++
      expect([corner.seed, holds(scene, own, wholeWay)]).toEqual([corner.seed, true])
      const least = Math.min(...answers.map(({ cost }) => cost))
      expect([corner.seed, own.cost]).toEqual([corner.seed, expect.closeTo(least, -Math.log10(1e-7 * (1 + least)))])
      const same = answers.some(({ gap }) => gap.every((x, i) => Math.abs(x - own.gap[i]) < 1e-8))
      expect([corner.seed, same]).toEqual([corner.seed, true])
    }
    // the scenes are no mere flights, and there is a choice
    expect(pushed).toBeGreaterThan(wanted / 3)
    expect(several).toBeGreaterThan(wanted / 20)
  })
})
