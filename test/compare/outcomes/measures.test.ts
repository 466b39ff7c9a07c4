/** Measures of one's own against closed forms. */
import { describe, expect, test } from 'vitest'
import { doJob } from '../../../compare/run/run.ts'
import { checkScenario, type RawScenario, ScenarioError } from '../../../compare/scenario/index.ts'
import { checkWorlds, prepareWorld } from '../../../compare/scenario/world/files.ts'

const g = 9.81
const box = (size: readonly number[], position: readonly number[], friction: number, more: object = {}) => ({
  name: 'box',
  shape: { type: 'box', size },
  mass: 1,
  position,
  friction,
  ...more,
})

async function outcomeOf(raw: RawScenario, model = 'ncp') {
  const scenario = await checkScenario({ dt: 1e-3, models: [model], ...raw })
  const ended = await doJob({
    kind: 'run',
    scenario,
    robot: scenario.robots[0] ?? '',
    model: scenario.models[0],
    dt: scenario.dt[0],
  })
  expect(ended.failure).toBeNull()
  return ended.outcome
}

/** Gravity that is turned by an angle stands for an incline. */
const inclined = (angle: number) => [g * Math.sin(angle), 0, -g * Math.cos(angle)]

describe('slipped', () => {
  const raw = (friction: number, t = 0.5) => ({
    bodies: [box([0.1, 0.1, 0.02], [0, 0, 0.01], friction)],
    gravity: inclined(0.4),
    duration: t,
    measure: { slipped: { body: 'box', on: 'ground' } },
    success: 'slipped < 1 cm',
  })

  test('on an incline it is g (sin a - mu cos a) t^2 / 2 below the angle of friction, and nothing above', async () => {
    for (const mu of [0.1, 0.3]) {
      const outcome = await outcomeOf(raw(mu))
      const exact = 0.5 * g * (Math.sin(0.4) - mu * Math.cos(0.4)) * 0.25
      // a first-order step: relative error dt / t
      expect(outcome?.measures.slipped.value).toBeCloseTo(exact, 2)
      expect(Math.abs((outcome?.measures.slipped.value as number) / exact - 1)).toBeLessThan(3e-3)
      expect(outcome?.success).toBe(false)
    }
    const held = await outcomeOf(raw(0.5))
    expect(held?.measures.slipped.value).toBeLessThan(1e-6)
    expect(held?.success).toBe(true)
  })

  test('counts from the time that it states', async () => {
    const { bodies, gravity } = raw(0.1)
    const measure = { slipped: { body: 'box', on: 'ground', from: '0.3 s', until: 0.4 } }
    const outcome = await outcomeOf({ bodies, gravity, duration: 0.5, measure })
    const a = g * (Math.sin(0.4) - 0.1 * Math.cos(0.4))
    expect(Math.abs((outcome?.measures.slipped.value as number) / (0.5 * a * (0.16 - 0.09)) - 1)).toBeLessThan(5e-3)
    expect(outcome?.success).toBeNull()
  })

  test('a run that ends before it begins has none, and is no success', async () => {
    const { bodies, gravity } = raw(0.5)
    const measure = { slipped: { body: 'box', on: 'ground', from: 2 } }
    const outcome = await outcomeOf({ bodies, gravity, duration: 0.1, measure, success: 'slipped < 1 m' })
    expect(outcome).toEqual({ measures: { slipped: { value: null, angle: null } }, success: false })
  })

  test('its angle is that by which the body turned', async () => {
    const spinning = box([0.1, 0.1, 0.02], [0, 0, 1], 0, { angularVelocity: [0, 0, 2] })
    const outcome = await outcomeOf({
      bodies: [spinning],
      ground: false,
      duration: 0.5,
      gravity: 0,
      measure: { slipped: { body: 'box', on: 'world' } },
    })
    expect(outcome?.measures.slipped.angle).toBeCloseTo(1, 9)
    expect(outcome?.measures.slipped.value).toBeLessThan(1e-9)
  })
})

describe('fell', () => {
  test('a box tips over where the slope is steeper than its width over its height', async () => {
    const tips = async (angle: number) => {
      const outcome = await outcomeOf({
        bodies: [box([0.1, 0.1, 0.4], [0, 0, 0.2], 2)],
        gravity: inclined(angle),
        duration: 1.5,
        measure: { fell: { body: 'box', tilt: '45 deg' } },
        success: 'not fell',
      })
      return [outcome?.measures.fell.value, outcome?.success]
    }
    const border = Math.atan(0.1 / 0.4)
    expect(await tips(0.95 * border)).toEqual([0, true])
    expect(await tips(1.05 * border)).toEqual([1, false])
  })

  test('a free fall passes a height at the time of Galilei', async () => {
    const measure = { fell: { body: 'box', below: '50 cm' } }
    const outcome = await outcomeOf({
      bodies: [box([0.1, 0.1, 0.1], [0, 0, 1], 0)],
      ground: false,
      duration: 1,
      measure,
      success: 'fell.t < 1',
    })
    expect(Math.abs((outcome?.measures.fell.t as number) - Math.sqrt(1 / g))).toBeLessThan(2e-3)
    expect(outcome?.success).toBe(true)
  })
})

describe('reached', () => {
  test('at the end or at any time, a point by a body and a value by a joint', async () => {
    const thrown = box([0.1, 0.1, 0.1], [0, 0, 1], 0, { linearVelocity: [0, 0, 2] })
    const top = 1 + 4 / (2 * g)
    const outcome = await outcomeOf({
      bodies: [thrown],
      ground: false,
      duration: 1,
      measure: {
        top: { kind: 'reached', body: 'box', point: [0, 0, top], tolerance: '5 mm', when: 'any' },
        stays: { kind: 'reached', body: 'box', point: [0, 0, top], tolerance: '5 mm' },
        corner: { kind: 'reached', body: 'box', offset: [0.05, 0, 0], point: [0.05, 0, top], tolerance: '5 mm', when: 'any' },
      },
      success: 'top and not stays and corner and abs(top.t - 0.2 s) < 0.04',
    })
    expect(outcome?.success).toBe(true)
    const arm = await outcomeOf({
      robot: 'gripper',
      duration: 0.2,
      measure: { reached: { joint: 'slide_joint', value: '0 mm', tolerance: '1 mm' } },
      success: 'reached',
    })
    expect(arm?.success).toBe(true)
  })
})

describe('held', () => {
  /** The gripper of the default scene, with friction of its bar. */
  const grip = (friction: number) => ({
    robot: 'gripper',
    duration: 1.3,
    dt: 5e-3,
    start: { joints: { left_finger_joint: 0.038, right_finger_joint: 0.038 } },
    bodies: [{ name: 'bar', shape: { type: 'box', size: [0.12, 0.04, 0.04] }, mass: 0.2, position: [0, 0, 0.02], friction }],
    controller: {
      name: 'computed-torque',
      rate: 200,
      options: {
        joints: { slide_joint: '5 cm * (1 - cos(pi * min(1, max(0, t - 0.3) / 0.5)))' },
        efforts: { left_finger_joint: 6, right_finger_joint: 6 },
      },
    },
    measure: {
      held: { body: 'bar', by: ['left_finger', 'right_finger'], from: '0.2 s' },
      lifted: { kind: 'held', body: 'bar', above: '9 cm', from: '0.9 s' },
      slipped: { body: 'bar', on: 'left_finger', from: '0.3 s' },
    },
    success: 'held and lifted and slipped < 5 mm',
  })

  test('two fingers hold by friction as long as 2 mu F is above m (g + a)', async () => {
    // the lift accelerates at most by 5 cm (2 pi)^2 / 4 ... = 0.05 (pi / 0.5)^2
    const most = g + 0.05 * (Math.PI / 0.5) ** 2
    const border = (0.2 * most) / (2 * 6)
    const strong = await outcomeOf(grip(1.3 * border))
    expect(strong).toMatchObject({ success: true, measures: { held: { value: 1, t: null }, lifted: { value: 1 } } })
    const weak = await outcomeOf(grip(0.7 * ((0.2 * g) / 12)))
    expect(weak).toMatchObject({ success: false, measures: { lifted: { value: 0 } } })
  })
})

describe('mistakes', () => {
  const bodies = [box([0.1, 0.1, 0.1], [0, 0, 0.05], 0.5)]
  const problem = async (more: RawScenario) => {
    const read = checkScenario({ bodies, dt: 1e-3, models: ['ncp'], duration: 1, ...more }).then(async (scenario) => {
      checkWorlds(scenario, await prepareWorld(scenario, ''))
    })
    return read.then(
      () => 'none',
      (error) => `${error instanceof ScenarioError ? 'scenario' : (error as Error).name}: ${(error as Error).message}`,
    )
  }

  test('each is one error that says where, what and what to do', async () => {
    expect(await problem({ measure: { held: { body: 'box' } } })).toMatch(/measure.held: needs by or above/)
    expect(await problem({ measure: { lost: { body: 'box' } } })).toMatch(
      /names no kind, expected one of held, slipped, fell, reached/,
    )
    expect(await problem({ measure: { mm: { kind: 'fell', body: 'box', below: 0 } } })).toMatch(/measure.mm: cannot be a name/)
    expect(await problem({ measure: { fell: { body: 'box', below: '3 s' } } })).toMatch(/measure.fell.below: .*unit does not fit/)
    expect(await problem({ measure: { fell: { body: 'box', below: 0 } }, success: 'fel' })).toMatch(
      /success holds "fel"; expected a measure, of fell, fell.t.*Did you mean/,
    )
    expect(await problem({ measure: { fell: { body: 'box', below: 0 } }, success: 'fell <' })).toMatch(
      /success found "fell <", which is no expression/,
    )
    expect(await problem({ measure: { fell: { body: 'bix', below: 0 } } })).toMatch(
      /SetupError: measure fell: there is no "bix"; there are box, .*ground/,
    )
    expect(await problem({ measure: { slipped: { body: 'box', on: 'table' } } })).toMatch(/there is no "table"/)
    expect(await problem({ measure: { reached: { joint: 'elbow', value: 1, tolerance: 1 } } })).toMatch(
      /there is no joint "elbow"/,
    )
  })

  test('a stranger cannot ask for more than a run may cost', async () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`fell${i}`, { kind: 'fell', body: 'box', below: 0 }]))
    expect(await problem({ measure: many })).toMatch(/holds 21 measures; at most 20/)
    const by = Array.from({ length: 9 }, () => 'ground')
    expect(await problem({ measure: { held: { body: 'box', by } } })).toMatch(/names more than 8/)
    expect(await problem({ measure: { fell: { body: 'box', below: 0 } }, success: `fell${' or fell'.repeat(100)}` })).toMatch(
      /at most 500/,
    )
  })
})
