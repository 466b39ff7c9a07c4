import { describe, expect, test } from 'vitest'
import type { World } from '../../simulation/index.ts'
import { degree, playScene, tiltOf } from '../compare/playScene.ts'
import { exact, full, hasRobots } from '../dailyModels.ts'

const models = full ? exact : (['ncp'] as const)
const isHere = hasRobots('Atlas that stands, squats, and takes pushes')
if (isHere && !full) console.log('not run: Atlas under models other than ncp, from all sides, for a minute; set FEATHERBED_FULL')

/** How far the base is from where it began [m]. */
const away = ({ state: { q } }: World, start: Float64Array) => Math.hypot(q[0] - start[0], q[1] - start[1], q[2] - start[2])

describe.runIf(isHere)('Atlas, by whole-body inverse dynamics,', () => {
  test.each(models)('takes 30 N s from eight sides under %s', async (model) => {
    for (let side = 0; side < (full ? 8 : 1); side++) {
      const angle = (side * Math.PI) / 4
      let tilt = 0
      let start: Float64Array | undefined
      const impulse = [30 * Math.cos(angle), 30 * Math.sin(angle), 0]
      const world = await playScene(
        'real/push-atlas',
        model,
        1e-3,
        (now) => {
          start ??= now.state.q.slice()
          tilt = Math.max(tilt, tiltOf(now))
        },
        { duration: full ? 4 : 2, sweep: {}, pushes: [{ name: 'push', link: 'pelvis', impulse, at: 0.3, duration: 0.1 }] },
      )
      expect(tilt).toBeLessThan(15 * degree)
      expect(away(world, start as Float64Array)).toBeLessThan(0.05)
    }
  })

  test.each(models)('squats ten times by 10 cm and stands until a minute is over under %s', async (model) => {
    let [tilt, lowest] = [0, 0]
    let start: Float64Array | undefined
    const world = await playScene(
      'real/squats-atlas',
      model,
      1e-3,
      (now) => {
        start ??= now.state.q.slice()
        tilt = Math.max(tilt, tiltOf(now))
        lowest = Math.min(lowest, now.state.q[2] - start[2])
      },
      full ? {} : { duration: 4 },
    )
    expect(tilt).toBeLessThan(2 * degree)
    expect(lowest).toBeLessThan(-0.08)
    expect(away(world, start as Float64Array)).toBeLessThan(full ? 2e-3 : 4e-3)
  })
})
