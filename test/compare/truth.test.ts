import { describe, expect, test } from 'vitest'
import { campsOf, medoidOf } from '../../compare/judge/camps.ts'
import { medianMotion } from '../../compare/judge/consensus.ts'
import { disputeOf, divergenceOf } from '../../compare/judge/divergence.ts'
import { judgeWorld, type Left, type ModelInWorld } from '../../compare/judge/judgeWorld.ts'
import type { Trajectory } from '../../compare/measure/trajectory.ts'
import { parseExpression } from '../../compare/scenario/index.ts'

const limits = { penetration: 1e-3, tracking: 0.01, energy: 0.01 }
const world = { scale: { size: 1, weight: 10 }, exact: undefined, limits, duration: 1 }

/** Along x by a law of motion, at 101 times from 0 to 1 s. */
function along(x: (t: number) => number, energy: (t: number) => number = () => 0): Trajectory {
  const t = Array.from({ length: 101 }, (_, i) => i / 100)
  return {
    t,
    name: '',
    others: [],
    joints: [],
    turns: [],
    position: t.flatMap((s) => [x(s), 0, 0]),
    orientation: t.flatMap(() => [0, 0, 0, 1]),
    angles: [],
    kinetic: t.map(energy),
    potential: t.map(() => 0),
  }
}

const left = (trajectory: Trajectory | null, tunnelling: string | null = null): Left => ({
  status: trajectory ? 'ok' : 'failed',
  failure: trajectory ? null : 'broke',
  trajectory,
  tunnelling,
})

/** A model whose answer is a law of motion, with a step error that adds to it. */
function model(
  name: string,
  x: (t: number) => number,
  {
    abstains = '',
    step = () => 0,
    rate,
    reference,
    penetration = 0,
    indeterminate = 0,
  }: Partial<{
    abstains: string
    step: (t: number) => number
    rate: (t: number) => number
    reference: Left
    penetration: number
    indeterminate: number
  }> = {},
): ModelInWorld {
  return {
    label: name,
    model: name,
    abstains,
    reference: reference ?? left(along(x)),
    runs: [
      {
        dt: 1e-3,
        left: left(along((t) => x(t) + step(t))),
        penetration,
        loads: [],
        indeterminate,
        atItsRate: rate ? left(along((t) => x(t) + rate(t))) : null,
      },
    ],
  }
}

const forward = (t: number) => t

describe('camps', () => {
  const far = (points: readonly number[]) => points.map((a) => points.map((b) => Math.abs(a - b)))

  test('are chains of neighbours; the largest comes first', () => {
    expect(campsOf(far([0, 5, 0.9, 1.8, 5.5]), 1)).toEqual([
      [0, 2, 3],
      [1, 4],
    ])
    expect(campsOf(far([0, 2]), 1)).toEqual([[0], [1]])
    expect(campsOf([], 1)).toEqual([])
  })

  test('do not link what cannot be compared', () => {
    expect(
      campsOf(
        [
          [0, null],
          [null, 0],
        ],
        1,
      ),
    ).toEqual([[0], [1]])
  })

  test('have a member in their middle', () => expect(medoidOf([0, 1, 2], far([0, 4, 5]))).toBe(1))
})

describe('the median motion', () => {
  test('is between its members, coordinate by coordinate, and does not move with one that is far off', () => {
    const median = medianMotion([along((t) => t), along((t) => 1.01 * t), along((t) => 99 * t)])
    expect(median.position[3 * 100]).toBeCloseTo(1.01, 12)
    expect(median.orientation.slice(0, 4)).toEqual([0, 0, 0, 1])
  })

  test('ends with the first of its members', () => {
    const short = along(forward)
    const cut = { ...short, t: short.t.slice(0, 50) }
    expect(medianMotion([along(forward), cut]).t).toHaveLength(50)
  })
})

describe('the error of a run', () => {
  const others = [model('lcp', forward), model('ncp', forward), model('penalty', forward)]

  test('is the distance of its model from what the others agree on, however well it agrees with itself', () => {
    const { truth, errors } = judgeWorld([...others, model('lotstedt', (t) => 1.3 * t, { step: (t) => 1e-3 * t })], world)
    const { error } = errors[3][0]
    expect(truth?.kind).toBe('consensus')
    expect(error).toMatchObject({ against: 'consensus', source: 'contact', trackingOf: 'base position' })
    expect(error?.tracking).toBeCloseTo(0.3 / Math.sqrt(3), 2) // root mean square of 0.3 t
    expect(error?.parts.contact?.farthest).toMatchObject({ t: 1, unit: 'm', up_m: 0 })
    expect(errors[0][0].error?.tracking).toBeLessThan(1e-12)
  })

  test('is its step error where that is larger', () => {
    const { errors } = judgeWorld([...others, model('drake', forward, { step: (t) => 0.1 * t })], world)
    expect(errors[3][0].error).toMatchObject({ source: 'integrator', against: 'consensus' })
    expect(errors[3][0].error?.tracking).toBeCloseTo(0.1 / Math.sqrt(3), 2)
  })

  test("is the controller's where the same model at a fine step is off by as much under a controller at the run's rate", () => {
    const slow = model('drake', forward, { step: (t) => 0.1 * t, rate: (t) => 0.099 * t })
    const { error } = judgeWorld([...others, slow], world).errors[3][0]
    expect(error?.source).toBe('controllerRate')
    expect(error?.parts.integrator?.motion).toBeCloseTo(0.001 / Math.sqrt(3), 3)
  })

  test('is against a closed form where the scenario states one, whatever the models agree on', async () => {
    const exact = { x: await parseExpression('2*t', ['t']), joints: {} }
    const { truth, errors } = judgeWorld(others, { ...world, exact })
    expect(truth?.kind).toBe('closed form')
    expect(errors[0][0].error).toMatchObject({ against: 'closed form', source: 'contact' })
    expect(errors[0][0].error?.tracking).toBeCloseTo(0.5 / Math.sqrt(3), 2) // t of 2 t
  })

  test('leaves no say to a model that a closed form refutes', async () => {
    const exact = { x: await parseExpression('t', ['t']), joints: {} }
    const wrong = (name: string) => model(name, (t) => 2 * t)
    const { truth } = judgeWorld([...others.slice(0, 2), wrong('penalty'), wrong('drake')], { ...world, exact })
    expect(truth?.kind).toBe('closed form')
    expect(truth?.abstaining.map((one) => one.model)).toEqual(['penalty', 'drake'])
  })

  test('leaves out how deep springs sink, up to what is allowed', () => {
    const sunk = (depth: number) => model('penalty', (t) => t + depth, { penetration: depth })
    const at = { ...world, scale: { size: 0.02, weight: 10 } }
    const still = [model('lcp', () => 0), model('ncp', () => 0)]
    const resting = { ...sunk(5e-4), ...model('penalty', () => 5e-4, { penetration: 5e-4 }) }
    expect(judgeWorld([...still, resting], at).truth?.kind).toBe('consensus')
    const deep = model('penalty', () => 5e-3, { penetration: 5e-3 })
    expect(judgeWorld([...still, deep], at).truth?.kind).toBe('split')
  })
})

describe('what models are judged by', () => {
  test('is split where two camps say different things, and when they part is told', () => {
    const late = (t: number) => (t < 0.5 ? t : 0.5)
    const { truth, errors } = judgeWorld(
      [model('lcp', forward), model('ncp', forward), model('penalty', late), model('drake', late)],
      world,
    )
    expect(truth?.kind).toBe('split')
    expect(truth?.camps.map(({ models, kinds }) => [models, kinds])).toEqual([
      [['lcp', 'ncp'], ['rigid']],
      [['penalty', 'drake'], ['compliant']],
    ])
    expect(truth?.parting).toMatchObject({ a: 'lcp', b: 'penalty', quantity: 'base position' })
    expect(truth?.parting?.t).toBeCloseTo(0.51, 1)
    expect(errors[0][0].error).toMatchObject({ against: 'reference', parts: { contact: null } })
  })

  test('is what two thirds say, rigid and compliant, whatever the others agree on', () => {
    const most = ['lcp', 'ncp', 'penalty', 'drake'].map((name) => model(name, forward))
    const others = ['convex', 'penalty-deepest'].map((name) => model(name, (t) => 1.1 * t))
    const { truth, errors } = judgeWorld([...most, ...others], world)
    expect(truth?.kind).toBe('consensus')
    expect(errors[4][0].error?.source).toBe('contact')
    expect(judgeWorld([...most.slice(1), ...others], world).truth?.kind).toBe('split')
  })

  test('is split where most compliant models contradict what two thirds of all say', () => {
    const most = ['lcp', 'ncp', 'peg', 'lotstedt', 'penalty-deepest'].map((name) => model(name, forward))
    const others = ['penalty', 'drake'].map((name) => model(name, (t) => 1.1 * t))
    expect(judgeWorld([...most, others[0]], world).truth?.kind).toBe('consensus')
    expect(judgeWorld([...most, ...others], world).truth?.kind).toBe('split')
  })

  test('is no camp of one that breaks the laws, which has no say', () => {
    const { truth } = judgeWorld(
      [model('lcp', forward), model('penalty', forward), model('convex', (t) => 3 * t, { abstains: 'gains energy' })],
      world,
    )
    expect(truth?.kind).toBe('consensus')
    expect(truth?.abstaining).toEqual([{ model: 'convex', why: 'gains energy' }])
    expect(truth?.motion[2][0]).toBeGreaterThan(1)
  })

  test('is split where contact has several answers and rigid models part, however few', () => {
    const most = ['ncp', 'stewart-trinkle', 'anitescu-potra', 'penalty', 'drake'].map((name) => model(name, forward))
    const few = (indeterminate: number) => model('lcp', () => 0, { indeterminate })
    expect(judgeWorld([...most, few(0)], world).truth).toMatchObject({ kind: 'consensus', indeterminate: null })
    const { truth } = judgeWorld([...most, few(38)], world)
    expect(truth).toMatchObject({ kind: 'split', indeterminate: { model: 'lcp', problems: 38 } })
    expect(truth?.parting?.moved).toMatchObject({ b: 0, unit: 'm' })
    // where they agree it does not matter
    expect(judgeWorld([...most, model('lcp', forward, { indeterminate: 38 })], world).truth?.kind).toBe('consensus')
  })

  test('is what one kind of model says only with that remark, and split where the other kind disagrees', () => {
    const rigid = [model('lcp', forward), model('ncp', forward)]
    expect(judgeWorld(rigid, world).truth?.kind).toBe('one kind')
    expect(judgeWorld([...rigid, model('penalty', (t) => 2 * t)], world).truth?.kind).toBe('split')
    expect(judgeWorld([rigid[0]], world).truth?.kind).toBe('alone')
  })

  test('leaves out a model in whose reference shapes passed through each other', () => {
    const passed = model('penalty', (t) => 5 * t, {
      reference: left(
        along((t) => 5 * t),
        'a passed through b',
      ),
    })
    const { truth, errors } = judgeWorld([model('lcp', forward), model('ncp', forward), passed], world)
    expect(truth?.kind).toBe('one kind')
    expect(errors[2][0].error).toMatchObject({ tracking: null, note: expect.stringContaining('a passed through b') })
  })
})

describe('a motion that forgets its start', () => {
  const grow = (by: number) => (t: number) => t + by * Math.exp(12 * t)
  const models = [model('lcp', grow(1e-6)), model('ncp', grow(2e-6)), model('penalty', grow(9e-6)), model('drake', grow(1.2e-5))]

  test('is judged up to there, where a start a little aside grows as fast', () => {
    const { truth } = judgeWorld(models, world)
    if (truth === null) throw new Error('found no truth')
    expect(truth.kind).toBe('split')
    const dispute = disputeOf(truth, models, limits)
    if (dispute === null) throw new Error('found no dispute')
    const run = along(grow(1e-6))
    const twin = along((t) => grow(1e-6)(t) + dispute.before * Math.exp(12 * t))
    const divergence = divergenceOf(dispute, run, [twin], truth.scales, limits)
    expect(divergence?.t).toBe(dispute.t)
    expect(divergence?.growth).toBeGreaterThan(100)
    const { truth: early, errors } = judgeWorld(models, { ...world, until: dispute.t })
    expect(early?.kind).toBe('consensus')
    expect(errors[0][0].error?.until_s).toBe(dispute.t)
  })

  test('is not one whose answers part for another reason', () => {
    const { truth } = judgeWorld(models, world)
    const dispute = truth && disputeOf(truth, models, limits)
    if (!truth || !dispute) throw new Error('found no dispute')
    const aside = along((t) => grow(1e-6)(t) + dispute.before)
    expect(divergenceOf(dispute, along(grow(1e-6)), [aside], truth.scales, limits)).toBeNull()
  })
})
