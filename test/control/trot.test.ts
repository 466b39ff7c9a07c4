import { describe, expect, test } from 'vitest'
import type { World } from '../../simulation/index.ts'
import { degree, playScene, tiltOf, yawOf } from '../compare/playScene.ts'
import { dailyModels, exact, full, hasRobots, tellWhatIsNotRun } from '../dailyModels.ts'

const isHere = hasRobots('the A1 that trots over steps')
tellWhatIsNotRun('trots over steps, and those of the A1 beyond the first two,')

interface Course {
  /** Over the last 2 s [m/s], and its largest error of all times after 2 s, over means of a stride [m/s]. */
  readonly worst: number
  readonly tilt: number
  readonly x: number
  readonly y: number
}

/** From 2 s on, when it has its speed of 0.5 m/s. */
async function course(scene: string, model: string, duration: number): Promise<Course> {
  const stride = 500
  const places: number[] = []
  let [worst, tilt, steps] = [0, 0, 0]
  const { state } = await playScene(
    scene,
    model,
    1e-3,
    (world) => {
      tilt = Math.max(tilt, tiltOf(world))
      places.push(world.state.q[0])
      const speed = (world.state.q[0] - places[steps - stride]) / (stride * 1e-3)
      if (steps++ >= 2000 + stride) worst = Math.max(worst, Math.abs(speed - 0.5))
    },
    { duration },
  )
  return { worst, tilt, x: state.q[0], y: state.q[1] }
}

describe.each(['ncp', 'penalty'])('a quadruped whose legs are straight at home, under %s', (model) => {
  const vole = async (controller?: { file: string }) => {
    const places: number[] = []
    const watch = (world: World) => places.push(world.state.q[0])
    const world = await playScene('tutorial/vole', model, 1e-3, watch, controller && { controller })
    return { world, places }
  }

  test('trots at its speed in the pose that the scenario states', async () => {
    const { world, places } = await vole()
    expect((places[3999] - places[1999]) / 2).toBeCloseTo(0.4, 2)
    expect(tiltOf(world)).toBeLessThan(degree)
  })

  test('walks by the script of the tutorial', async () => {
    const { world, places } = await vole({ file: 'vole.ts' })
    // 0.1 m in 0.3 s on the ground, less what the springs at the joints give way by
    expect(places[3999]).toBeGreaterThan(0.8)
    expect(places[3999]).toBeLessThan(1.3)
    expect(tiltOf(world)).toBeLessThan(5 * degree)
  })
})

describe('a trot that feels the ground', () => {
  test.each(full ? exact : dailyModels)('takes our quadruped up and down steps of 5 cm at its speed under %s', async (model) => {
    const { worst, tilt, x } = await course('trot-steps', model, full ? 12 : 5)
    expect(worst).toBeLessThan(full ? 0.2 : 0.1)
    expect(tilt).toBeLessThan(5 * degree)
    expect(x).toBeGreaterThan(full ? 5.5 : 2)
  })

  test.runIf(isHere).each(full ? exact : (['ncp'] as const))('takes the A1 20 m over steps of 5 cm under %s', async (model) => {
    const duration = full ? 42 : 6
    const { tilt, x, y } = await course('real/trot-steps-a1', model, duration)
    // a second to get up speed takes a quarter of a metre, standing before it 5 cm
    expect(Math.abs(x / (0.5 * (duration - 0.6)) - 1)).toBeLessThan(full ? 0.02 : 0.05)
    expect(Math.abs(y)).toBeLessThan(0.2)
    expect(tilt).toBeLessThan(5 * degree)
  })

  test.runIf(isHere).each(full ? exact : (['ncp'] as const))('turns the A1 as it is told under %s', async (model) => {
    let tilt = 0
    const duration = full ? 12 : 4
    const options = { speed: '0.3 * min(1, 2*t)', turn: '0.4 * min(1, 2*t)', feels: true }
    let turned = 0
    let before = 0
    await playScene(
      'real/trot-steps-a1',
      model,
      1e-3,
      (now) => {
        tilt = Math.max(tilt, tiltOf(now))
        const yaw = yawOf(now)
        turned += Math.atan2(Math.sin(yaw - before), Math.cos(yaw - before))
        before = yaw
      },
      { duration, boxes: [], controller: { name: 'trot', options } },
    )
    expect(tilt).toBeLessThan(3 * degree)
    // a quarter of a second is lost in getting up to it; over a half each stride
    expect(Math.abs(turned / (0.4 * (duration - 0.25)) - 1)).toBeLessThan(0.1)
  })

  test('turns as it is told, and on level ground goes as fast as by the clock', async () => {
    const ends = []
    for (const feels of [true, false]) {
      let tilt = 0
      const options = { speed: '0.3 * min(1, 2*t)', turn: '0.5 * min(1, 2*t)', feels }
      const world = await playScene('trot-steps', 'ncp', 1e-3, (now) => void (tilt = Math.max(tilt, tiltOf(now))), {
        duration: 4,
        boxes: [],
        controller: { name: 'trot', options },
      })
      expect(tilt).toBeLessThan(3 * degree)
      // a quarter of a second is lost in getting up to it
      expect(Math.abs(yawOf(world) - 0.5 * 3.75)).toBeLessThan(0.05)
      ends.push(world.state.q.slice(0, 2))
    }
    for (let k = 0; k < 2; k++) expect(Math.abs(ends[0][k] - ends[1][k])).toBeLessThan(0.05)
  })
})
