import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Judged, judge, missedLimits } from '../../compare/verdict.ts'

const limits = { penetration: 1e-3, tracking: 0.01, energy: 0.01 }
const registry = ['penalty-deepest', 'penalty', 'stewart-trinkle']
const good = { penetration_m: 5e-4, tracking: 0.005, energy: 0.002 }
const run = (
  model: string,
  dt: number,
  cost: number | null,
  error: Judged['error'] = good,
  status: Judged['status'] = 'ok',
): Judged => ({ model, dt, status, cost, error })

describe('the verdict', () => {
  test('is the cheapest pair within all limits', () => {
    const verdict = judge(
      'r',
      [run('penalty', 1e-3, 0.03), run('stewart-trinkle', 1e-2, 0.01), run('stewart-trinkle', 1e-3, 0.1)],
      limits,
      registry,
    )
    expect(verdict).toMatchObject({ robot: 'r', model: 'stewart-trinkle', dt: 1e-2, limits, missed: [] })
    expect(verdict.sentence).toContain(
      'r: take stewart-trinkle at a step of 10 ms. Of 3 pairs of model and step, 3 are within the limits, and this is the cheapest.',
    )
  })

  test('passes over a cheaper pair that misses any one limit', () => {
    for (const bad of [
      { penetration_m: 1.01e-3 },
      { tracking: 0.0101 },
      { energy: 0.0101 },
      { tracking: null },
      { energy: null },
      { energy: Number.NaN },
    ]) {
      const verdict = judge('r', [run('penalty', 1e-2, 0.001, { ...good, ...bad }), run('penalty', 1e-3, 0.5)], limits, registry)
      expect(verdict).toMatchObject({ model: 'penalty', dt: 1e-3 })
      expect(verdict.sentence).toContain('Of 2 pairs of model and step, only this one is within the limits.')
    }
  })

  test('counts an error equal to its limit as within it', () => {
    const edge = { penetration_m: 1e-3, tracking: 0.01, energy: 0.01 }
    expect(missedLimits(run('penalty', 1e-3, 1, edge), limits)).toEqual([])
  })

  test('takes costs within a tenth of the cheapest for equal', () => {
    const close = [run('penalty', 1e-3, 0.1), run('penalty-deepest', 1e-3, 0.109), run('stewart-trinkle', 1e-3, 0.2)]
    expect(judge('r', close, limits, registry)).toMatchObject({ model: 'penalty-deepest' })
    expect(judge('r', close, limits, registry).sentence).toContain(
      '3 are within the limits; 2 of them cost the same within 10 %, and this model is listed first',
    )
    const apart = [run('penalty', 1e-3, 0.1), run('penalty-deepest', 1e-3, 0.111)]
    expect(judge('r', apart, limits, registry)).toMatchObject({ model: 'penalty' })
  })

  test('gives ties to the registry’s order, then to the smaller step', () => {
    const tied = [run('stewart-trinkle', 1e-3, 0.1), run('penalty', 1e-2, 0.1), run('penalty', 1e-3, 0.1)]
    expect(judge('r', tied, limits, registry)).toMatchObject({ model: 'penalty', dt: 1e-3 })
    expect(judge('r', tied.toReversed(), limits, registry)).toMatchObject({ model: 'penalty', dt: 1e-3 })
  })

  test('puts a model that is in no registry behind all that are', () => {
    expect(judge('r', [run('own', 1e-3, 0.1), run('stewart-trinkle', 1e-3, 0.1)], limits, registry).model).toBe('stewart-trinkle')
  })

  test('never falls on a run that failed or was not timed', () => {
    const verdict = judge('r', [run('penalty', 1e-2, 0.001, null, 'failed'), run('penalty', 1e-3, null)], limits, registry)
    expect(verdict).toMatchObject({ model: null, dt: null })
    expect(verdict.missed.map(({ limits: list }) => list.map(({ limit }) => limit))).toEqual([['failed'], ['reference']])
  })

  test('never falls on a run in which shapes passed through each other, nor calls it the closest', () => {
    const passed = { ...run('penalty', 1e-2, 0.001), metrics: { tunnelled: 2 } }
    const whole = { ...run('penalty', 1e-3, 0.5), metrics: { tunnelled: 0 } }
    expect(missedLimits(passed, limits)).toEqual([{ limit: 'tunnelled', value: 2 }])
    expect(judge('r', [passed, whole], limits, registry)).toMatchObject({ model: 'penalty', dt: 1e-3 })
    const deep = { ...whole, error: { ...good, penetration_m: 2e-3 } }
    const none = judge('r', [passed, { ...passed, metrics: { tunnelled: 1 } }, deep], limits, registry)
    expect(none).toMatchObject({ model: null, closest: { model: 'penalty', dt: 1e-3 } })
    expect(none.sentence).toContain('Missed by penalty at 10 ms: shapes passed through each other 2 times; by penalty at 1 ms')
    expect(judge('r', [passed], limits, registry).closest).toBe(null)
  })

  test('names every limit that every pair missed if none fits', () => {
    const verdict = judge(
      'r',
      [
        run('penalty', 1e-2, 1, { penetration_m: 2e-3, tracking: 0.02, energy: 0.03 }),
        run('stewart-trinkle', 1e-2, 1, { ...good, tracking: 0.5 }),
      ],
      limits,
      registry,
    )
    expect(verdict.missed).toEqual([
      {
        model: 'penalty',
        dt: 1e-2,
        limits: [
          { limit: 'penetration', value: 2e-3 },
          { limit: 'tracking', value: 0.02 },
          { limit: 'energy', value: 0.03 },
        ],
      },
      { model: 'stewart-trinkle', dt: 1e-2, limits: [{ limit: 'tracking', value: 0.5 }] },
    ])
    expect(verdict.sentence).toBe(
      'r: no pair of model and step is within the limits. Missed by penalty at 10 ms: penetration 2 mm > 1 mm, motion error 2 % > 1 %, ' +
        'energy error 3 % > 1 %; by stewart-trinkle at 10 ms: motion error 50 % > 1 %. Closest comes penalty at 10 ms.',
    )
  })

  test('of nothing says so', () => expect(judge('r', [], limits, registry)).toMatchObject({ model: null, missed: [] }))

  test('does not depend on the order of the runs', () => {
    const arbitraryRun = fc.record({
      model: fc.constantFrom(...registry),
      dt: fc.constantFrom(1e-3, 1e-2),
      status: fc.constantFrom('ok' as const, 'failed' as const),
      cost: fc.constantFrom(0.1, 0.2, null),
      error: fc.record({
        penetration_m: fc.constantFrom(1e-4, 2e-3),
        tracking: fc.constantFrom(1e-3, 0.1, null),
        energy: fc.constantFrom(1e-3, 0.1),
      }),
    })
    const runs = fc.uniqueArray(arbitraryRun, { selector: ({ model, dt }) => `${model} ${dt}`, maxLength: 6 })
    fc.assert(
      fc.property(runs, (list) => {
        const { model, dt } = judge('r', list, limits, registry)
        expect(judge('r', list.toReversed(), limits, registry)).toMatchObject({ model, dt })
        const fitting = list.filter((r) => missedLimits(r, limits).length === 0)
        if (model === null) expect(fitting).toEqual([])
        else
          expect(fitting.find((r) => r.model === model && r.dt === dt)?.cost).toBe(
            Math.min(...fitting.map((r) => r.cost as number)),
          )
      }),
      { seed: 1 },
    )
  })
})

describe('a pair of model and step with several runs', () => {
  const bad = { ...good, tracking: 0.02 }

  test('has to be within the limits in all of them, and is judged by the worst', () => {
    const runs = [
      run('penalty', 1e-3, 0.01),
      run('penalty', 1e-3, 0.01, bad),
      run('stewart-trinkle', 1e-3, 0.1),
      run('stewart-trinkle', 1e-3, 0.3, { ...good, penetration_m: 9e-4 }),
    ]
    const verdict = judge('r', runs, limits, registry)
    expect(verdict).toMatchObject({ model: 'stewart-trinkle', dt: 1e-3 })
    expect(verdict.sentence).toContain('Of 2 pairs of model and step, only this one is within the limits.')
    expect(verdict.sentence).toContain('Penetration is 0.9 mm of 1 mm allowed')
    expect(verdict.sentence).toContain('takes 200 ms to compute') // the mean of both
    expect(verdict.sentence).toContain('Each pair ran 2 times, and its worst run counts.')
    const none = judge(
      'r',
      [run('penalty', 1e-3, 0.01, bad), run('penalty', 1e-3, 0.01, { ...bad, tracking: 0.03 })],
      limits,
      registry,
    )
    expect(none.missed).toEqual([{ model: 'penalty', dt: 1e-3, limits: [{ limit: 'tracking', value: 0.03 }] }])
  })

  test('is one pair a value of a swept option of the model, and one over all other values', () => {
    const runs = [0.8, 0.9].flatMap((lambda) =>
      [0.2, 0.5].map((friction) => ({
        ...run('penalty', 1e-3, lambda, lambda === 0.8 && friction === 0.5 ? bad : good),
        variant: { 'physical.friction': friction, 'models.penalty.lambda': lambda },
      })),
    )
    const verdict = judge('r', runs, limits, registry)
    expect(verdict).toMatchObject({ model: 'penalty', variant: { 'models.penalty.lambda': 0.9 } })
    expect(verdict.sentence).toContain('take penalty with lambda 0.9 at a step of 1 ms. Of 2 pairs')
  })
})

test('if nothing was touched in any run, the verdict says that the model does not matter, and goes by cost', () => {
  const free = registry.map((model, i) => ({ ...run(model, 1e-3, 0.3 - 0.1 * i), touched: false }))
  const verdict = judge('r', free, limits, registry)
  expect(verdict.model).toBe('stewart-trinkle')
  expect(verdict.sentence).toContain('Nothing was touched in any run: the contact model does not matter here')
  expect(judge('r', [...free, run('penalty', 1e-2, 1)], limits, registry).sentence).not.toContain('Nothing was touched')
})

test('if nothing fits, the pair whose worst error is least over its limit is the closest', () => {
  const runs = [
    run('penalty', 1e-3, 1, { penetration_m: 3e-3, tracking: 0, energy: 0 }),
    run('stewart-trinkle', 1e-3, 1, { penetration_m: 0, tracking: 0.02, energy: 0.011 }),
    run('penalty-deepest', 1e-3, 1, null, 'failed'),
  ]
  expect(judge('r', runs, limits, registry).closest).toEqual({ model: 'stewart-trinkle', dt: 1e-3 })
  expect(judge('r', runs.slice(2), limits, registry).closest).toBeNull()
})
