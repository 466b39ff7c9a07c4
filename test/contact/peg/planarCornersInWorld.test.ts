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
    /** Seeds whose answer is none of all, is not the nearest, or was not found. */
    const missed: number[] = []
    for (const corner of planarCorners()) {
      if (solved === wanted) break
      const outcome = outcomeOf(corner, { name: model, model, options })
      const scene = sceneOf(outcome, outcome.contacts)
      const answers = answersOf(scene, rank, wholeWay)
      const impulse = Float64Array.from({ length: scene.count }, (_, i) => outcome.contacts.impulse[3 * i])
      const own = answerWith(scene, impulse)
      if (outcome.events.fallbacks > 0) {
        // where there is something to find
        if (answers.length > 0) missed.push(corner.seed)
        continue
      }
      solved++
      if (answers.length > 1) several++
      if (own.cost > 0) pushed++
      const least = Math.min(...answers.map(({ cost }) => cost))
      const same = answers.some(({ gap }) => gap.every((x, i) => Math.abs(x - own.gap[i]) < 1e-8))
      const isNearest = Math.abs(own.cost - least) <= 1e-7 * (1 + least)
      if (!holds(scene, own, wholeWay) || !isNearest || !same) missed.push(corner.seed)
    }
    // of a thousand three: 1058, 1229 and 1739 of peg; 1220, 1262 and 3668 of lnc
    expect(missed.length).toBeLessThanOrEqual(wanted / 300)
    // the scenes are no mere flights, and there is a choice
    expect(pushed).toBeGreaterThan(wanted / 3)
    expect(several).toBeGreaterThan(wanted / 20)
  })
})
