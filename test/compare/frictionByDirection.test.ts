import { expect, test } from 'vitest'
import { MeasuredStep } from '../../compare/measure/measuredStep.ts'
import { ConeMeter } from '../../compare/measure/meters/cone.ts'
import { DissipationMeter } from '../../compare/measure/meters/dissipation.ts'
import { SignoriniMeter } from '../../compare/measure/meters/signorini.ts'
import { parseScenario } from '../../compare/scenario/index.ts'
import { varied } from '../../compare/scenario/world/vary.ts'
import { contactChoice } from '../../contact/index.ts'
import { World } from '../../simulation/index.ts'
import { floor, slider } from '../contact/laws/scenes.ts'

const [mu1, mu2] = [0.6, 0.15]

/** What the laws of contact say of a block that slides askew, its reported impulses changed by `tell`. */
function judged(model: string, tell: (impulse: Float64Array, r: number) => void = () => {}) {
  const robot = slider([0.2, 0.2, 0.1], 10)
  const q = Float64Array.from(robot.home)
  q[2] = model === 'penalty' ? 0.049 : 0.05
  const world = new World({
    robot,
    fixtures: [{ ...floor, friction: mu1, frictionAcross: mu2, frictionAxis: [1, 1, 0] }],
    q,
    v: Float64Array.of(1, 0.2, 0),
    dt: 1e-3,
    ...contactChoice(model),
  })
  const step = new MeasuredStep(world)
  const [cone, dissipation, signorini] = [new ConeMeter(step), new DissipationMeter(), new SignoriniMeter(step)]
  for (let k = 0; k < 50; k++) {
    step.before()
    world.step()
    for (let i = 0; i < world.contacts.count; i++) tell(world.contacts.impulse.subarray(3 * i, 3 * i + 3), mu2 / mu1)
    step.after()
    for (const meter of [cone, dissipation, signorini]) meter.measure(step)
  }
  return {
    cone: cone.value ?? 0,
    dissipation: dissipation.deficit / dissipation.demand,
    demand: dissipation.demand,
    signorini: signorini.value ?? 0,
  }
}

test('what friction by direction does is right by the laws of contact', () => {
  for (const model of ['ncp', 'lcp', 'stewart-trinkle', 'penalty']) {
    const { cone, dissipation, signorini, demand } = judged(model)
    expect(cone).toBeLessThan(2e-3)
    expect(dissipation).toBeLessThan(2e-3)
    expect(signorini).toBeLessThan(2e-2)
    expect(demand).toBeGreaterThan(0.1)
  }
})

test('one coefficient in all directions, and friction against the slip in place of the ellipse, are wrong by them', () => {
  const truly = ([, a, b]: Float64Array, r: number) => Math.hypot(a, r * b)
  // the larger coefficient against the true slip, r u2 being what the tangent across has of it
  const larger = judged('ncp', (p, r) => {
    const [x, y] = [p[1], p[2] / r]
    p[1] = (mu1 * p[0] * x) / Math.hypot(x, y)
    p[2] = (mu1 * p[0] * y) / Math.hypot(x, y) / r
  })
  expect(larger.cone).toBeGreaterThan(0.1)
  // as long as it should be, across to it
  const askew = judged('ncp', (p, r) => {
    const size = truly(p, r)
    p[1] = size * 0.6 * Math.sign(p[1])
    p[2] = ((size * 0.8) / r) * Math.sign(p[2])
    const beyond = Math.hypot(p[1], p[2]) / (mu1 * p[0])
    p[1] /= Math.max(beyond, 1)
    p[2] /= Math.max(beyond, 1)
  })
  expect(askew.dissipation).toBeGreaterThan(0.01)
  const smaller = judged('ncp', (p) => {
    p[1] *= mu2 / mu1
    p[2] *= mu2 / mu1
  })
  expect(smaller.dissipation).toBeGreaterThan(0.5)
})

const scenario = (surface: string) =>
  parseScenario(
    `bodies: [{ name: b, shape: { type: box, size: [1, 1, 1] }, mass: 1, position: [0, 0, 0.5] }]\nground: ${surface}\n`,
    's.yaml',
  )

test('a scenario says it, with units and arithmetic, and what is wrong stands at its field', async () => {
  const { ground } = await scenario('{ friction: 0.5, frictionAcross: 20 %, frictionAxis: ["cos(30 deg)", 0.5, 0] }')
  expect(ground).toMatchObject({
    friction: 0.5,
    frictionAcross: 0.2,
    frictionAxis: [expect.closeTo(Math.sqrt(0.75), 14), 0.5, 0],
  })
  for (const surface of [
    '{ friction: 0.5, frictionAcross: 0.2 }',
    '{ frictionAcross: 0.2, frictionAxis: [1, 0, 0] }',
    '{ friction: 0.5, frictionAcross: 0.2, frictionAxis: [0, 0, 0] }',
  ]) {
    await expect(scenario(surface)).rejects.toThrow(
      /ground.frictionAcross: friction by direction is friction, frictionAcross and/,
    )
  }
})

test('sensitivities vary both coefficients', () => {
  const surface = { ...floor, friction: 0.5, frictionAcross: 0.2, frictionAxis: [1, 0, 0] as const }
  const { prepared } = varied({ physical: {} } as never, { members: [], fixtures: [surface], controllers: [] } as never, {
    friction: 2,
  })
  expect(prepared.fixtures[0]).toMatchObject({ friction: 1, frictionAcross: 0.4, frictionAxis: [1, 0, 0] })
})
