import { describe, expect, test } from 'vitest'
import type { World } from '../../simulation/index.ts'
import { degree, playScene, tiltOf } from '../compare/playScene.ts'
import { exact, full, hasRobots, whole } from '../dailyModels.ts'

const models = full ? exact : (['ncp'] as const)
const isHere = hasRobots('steps of Atlas')
if (!full) console.log(`not run: steps of Atlas, and of bipeds under other models than ${models.join(', ')}; set FEATHERBED_FULL`)

interface End {
  readonly world: World
  readonly steps: number
  readonly low: number
  readonly tilt: number
}

async function push(scene: string, model: string, impulse: readonly number[], options: object = {}): Promise<End> {
  let [low, tilt] = [Infinity, 0]
  const pushes = [{ name: 'push', link: 'pelvis', impulse: [...impulse], at: 0.3, duration: 0.1 }]
  const controller = { name: 'capture-step', options: scene.startsWith('real') ? { duration: 0.35, ...options } : options }
  const world = await playScene(
    scene,
    model,
    1e-3,
    (now) => {
      low = Math.min(low, now.state.q[2])
      tilt = Math.max(tilt, tiltOf(now))
    },
    { pushes, controller },
  )
  const { metrics } = world.robots[0].controller as unknown as { metrics(): { steps: number } }
  return { world, steps: metrics.call(world.robots[0].controller).steps, low, tilt }
}

const speed = ({ state: { v } }: World) => Math.hypot(...v)

describe('a biped that steps to its capture point', () => {
  whole.each(models)('stands still, and stands a push of 20 N s without a step, under %s', async (model) => {
    for (const size of [0, 20]) {
      const { world, steps } = await push('capture-step', model, [size, 0, 0])
      expect(steps).toBe(0)
      expect(speed(world)).toBeLessThan(0.02)
    }
  })

  test.each(models)('takes 60 N s from behind and 50 from before by a step, where standing it falls, under %s', async (model) => {
    for (const size of [60, -50]) {
      const { world, steps, low, tilt } = await push('capture-step', model, [size, 0, 0])
      expect(steps).toBeGreaterThan(0)
      expect(steps).toBeLessThan(4)
      expect(low).toBeGreaterThan(0.8)
      expect(tilt).toBeLessThan(20 * degree)
      expect(speed(world)).toBeLessThan(0.05)
      expect(Math.sign(world.state.q[0] - 0.02)).toBe(Math.sign(size))
      expect((await push('capture-step', model, [size, 0, 0], { steps: false })).low).toBeLessThan(0.5)
    }
  })

  whole('shifts its weight onto one foot and back', async () => {
    const shift = ['0', '0.06 * (1 - cos(pi*t)) / 2 * (t < 2 ? 1 : 0)', '0']
    let most = 0
    let start: number | undefined
    const world = await playScene(
      'capture-step',
      'ncp',
      1e-3,
      ({ state }) => {
        start ??= state.q[1]
        most = Math.max(most, state.q[1] - start)
      },
      { pushes: [], duration: 3, controller: { name: 'capture-step', options: { shift } } },
    )
    expect(most).toBeGreaterThan(0.04)
    expect(Math.abs(world.state.q[1])).toBeLessThan(5e-3)
  })
})

test.runIf(isHere && full).each(exact)('Atlas takes 150 N s from behind by a step, under %s', async (model) => {
  const { world, steps, low } = await push('real/step-atlas', model, [150, 0, 0])
  expect(steps).toBeGreaterThan(0)
  expect(low).toBeGreaterThan(0.7)
  expect(speed(world)).toBeLessThan(0.1)
  expect((await push('real/step-atlas', model, [150, 0, 0], { steps: false })).low).toBeLessThan(0.6)
})
