import { describe, expect, test } from 'vitest'
import { speedOf, timeSteps } from '../../compare/run/cost.ts'
import { doJob, type RunJob } from '../../compare/run/run.ts'
import { checkScenario } from '../../compare/scenario/index.ts'

const scenario = await checkScenario({ name: 'drop', bodies: [{ name: 'ball', shape: { type: 'sphere', radius: '5 cm' }, mass: 1, position: [0, 0, 0.06] }], duration: 0.2, dt: 1e-3, models: ['stewart-trinkle', 'penalty'] }) // biome-ignore format: a scenario

const jobOf = (model: number): RunJob => ({
  kind: 'run',
  scenario,
  robot: '',
  model: scenario.models[model],
  dt: 1e-3,
})

describe('cost', () => {
  test('its metrics: microseconds a step, and simulated over computing time', () => {
    expect(speedOf({ perSecond: 0.02 }, 1e-3)).toEqual({ step_us: 20, realTimeFactor: 50 })
    expect(speedOf(null, 1e-3)).toEqual({ step_us: null, realTimeFactor: null })
  })

  test('what a run counts is the same whenever it runs', async () => {
    const first = await doJob(jobOf(0))
    const again = await doJob(jobOf(0))
    expect(first.failure).toBeNull()
    expect(first.work).toEqual(again.work)
    // it falls 1 cm in 45 ms, and has one contact from then on
    expect(first.work?.contacts).toBeGreaterThan(0.7)
    expect(first.work?.contacts).toBeLessThan(0.9)
  })

  test('runs that are timed together all get a time; one that breaks off gets none and keeps none from theirs', async () => {
    const [rigid, soft] = [jobOf(0), jobOf(1)]
    const broken = { ...soft, scenario: { ...scenario, stepBudget: 1 } }
    const timing = await doJob({ kind: 'timing', runs: [rigid, broken, soft] })
    expect(timing.failure).toBeNull()
    const [a, b, c] = timing.stepTimes
    for (const time of [a, c]) {
      expect(time?.seconds).toBeGreaterThan(0)
      expect(time?.spread).toBeGreaterThanOrEqual(0.03)
    }
    expect(b).toBe(null)
  })

  test('nothing to time takes no time', () => {
    expect(timeSteps([])).toEqual([])
  })
})
