import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Judged, type JudgedBy, judge, missedLimits } from '../../compare/judge/verdict.ts'
import type { LawCheck } from '../../compare/measure/laws.ts'
import type { LawName } from '../../compare/scenario/limits.ts'

const limits = { penetration: 1e-3, tracking: 0.01, energy: 0.01 }
const good = { tracking: 0.005, energy: 0.002 }
const law = (name: LawName, value: number | null, limit = 0.01, detail?: string): LawCheck => ({
  law: name,
  value,
  limit,
  detail,
})
const deep = (depth: number) => [law('penetration', depth, limits.penetration)]

/** A run whose cost is known to 2 %. */
const run = (
  model: string,
  dt: number,
  cost: number | null,
  error: Judged['error'] = good,
  more: Partial<Judged> = {},
): Judged => ({
  model,
  dt,
  status: 'ok',
  cost: cost === null ? null : { perSecond: cost, spread: 0.02 },
  error,
  laws: deep(5e-4),
  ...more,
})
const failed = (model: string, dt: number) => run(model, dt, 1, null, { status: 'failed' })

const agreed: JudgedBy = { kind: 'consensus', camps: [], parting: null, divergence: null }

describe('the verdict', () => {
  test('is the cheapest pair that keeps the laws and the limits', () => {
    const runs = [run('penalty', 1e-3, 0.03), run('stewart-trinkle', 1e-2, 0.01), run('stewart-trinkle', 1e-3, 0.1)]
    const verdict = judge('r', runs, limits, [agreed])
    expect(verdict).toMatchObject({ kind: 'take', model: 'stewart-trinkle', dt: 1e-2, limits, missed: [] })
    expect(verdict.equal).toEqual([{ model: 'stewart-trinkle', dt: 1e-2 }])
    expect(verdict.sentence).toContain(
      'r: take stewart-trinkle at a step of 10 ms. 3 of 3 pairs keep the laws and the limits; it is the cheapest: 10 ms a simulated second, 100 times faster than real time.',
    )
  })

  test('passes over a cheaper pair that misses any one limit of error', () => {
    for (const bad of [{ tracking: 0.0101 }, { energy: 0.0101 }, { tracking: null }, { energy: null }, { energy: Number.NaN }]) {
      const verdict = judge('r', [run('penalty', 1e-2, 0.001, { ...good, ...bad }), run('penalty', 1e-3, 0.5)], limits)
      expect(verdict).toMatchObject({ model: 'penalty', dt: 1e-3 })
      expect(verdict.sentence).toContain('Of 2 pairs it alone keeps the laws and the limits:')
    }
  })

  test('passes over whatever breaks a law, however small its errors and its cost', () => {
    const broken = run('convex', 1e-2, 1e-3, good, { laws: [law('energyGain', 0.011, 0.01, 'at t = 0.2 s')] })
    const verdict = judge('r', [broken, run('penalty', 1e-3, 0.5)], limits)
    expect(verdict.model).toBe('penalty')
    expect(verdict.reasons).toEqual(['convex at 10 ms gains 1.1 % of its energy (limit 1 %), at t = 0.2 s'])
    expect(verdict.missed).toMatchObject([{ model: 'convex', dt: 1e-2, limits: [{ limit: 'energyGain', value: 0.011 }] }])
  })

  test('counts what is equal to its limit as within it, and a law without meaning as kept', () => {
    const edge = run('penalty', 1e-3, 1, { tracking: 0.01, energy: 0.01 }, { laws: [...deep(1e-3), law('restitution', null)] })
    expect(missedLimits(edge, limits)).toEqual([])
  })

  test('of pairs that are alike in cost and in errors, none has more room than the others', () => {
    const verdict = judge('r', [run('penalty', 1e-3, 0.03), run('drake', 1e-3, 0.0301)], limits, [agreed])
    expect(verdict).toMatchObject({ kind: 'take', model: 'drake' })
    expect(verdict.sentence).toContain(
      'it costs about as little as penalty at 1 ms, and none of them has more room in its limits:',
    )
  })

  test('names all that cost up to 1.6 times as much as the cheapest, and takes the one with the most room in its limits', () => {
    const runs = [
      run('penalty', 1e-3, 0.1, { tracking: 0.009, energy: 0.001 }),
      run('drake', 1e-3, 0.16, { tracking: 0.002, energy: 0.001 }),
      run('lcp', 1e-3, 0.161, { tracking: 0, energy: 0 }),
    ]
    const verdict = judge('r', runs, limits)
    expect(verdict).toMatchObject({ model: 'drake', equal: [{ model: 'penalty' }, { model: 'drake' }] })
    expect(verdict.sentence).toContain('it costs about as little as penalty at 1 ms, and has the most room in its limits:')
    // costs that trade places within their noise change neither
    const noisy = [
      { ...runs[0], cost: { perSecond: 0.103, spread: 0.3 } },
      { ...runs[1], cost: { perSecond: 0.1, spread: 0.02 } },
    ]
    const again = judge('r', noisy, limits)
    expect(again).toMatchObject({ model: 'drake', equal: verdict.equal })
    expect(again.reasons).toEqual(['penalty at 1 ms: the cost is uncertain, by up to 30 %'])
  })

  test('never falls on a run that failed or was not timed', () => {
    const verdict = judge('r', [failed('penalty', 1e-2), run('penalty', 1e-3, null)], limits)
    expect(verdict).toMatchObject({ kind: 'none', model: null, dt: null })
    expect(verdict.missed.map(({ limits: list }) => list.map(({ limit }) => limit))).toEqual([['failed'], ['reference']])
  })

  test('calls none the closest that breaks a law other than that of penetration', () => {
    const passed = run('penalty', 1e-2, 0.001, { tracking: 0.011, energy: 0 }, { laws: [law('tunnelling', 2, 0)] })
    const deeper = run('penalty', 1e-3, 0.5, good, { laws: deep(2e-3) })
    expect(judge('r', [passed, deeper], limits)).toMatchObject({ kind: 'none', closest: { model: 'penalty', dt: 1e-3 } })
    expect(judge('r', [passed, failed('lcp', 1e-3)], limits).closest).toBe(null)
  })

  test('says why pairs are out, laws first, those with the same reason together', () => {
    const rate = { tracking: 0.05, energy: 0.001, source: 'controllerRate' as const, trackingOf: 'arm' }
    const runs = [
      ...['penalty', 'lcp', 'ncp'].flatMap((model) => [run(model, 1e-3, 0.1), run(model, 1e-2, 0.01, rate)]),
      ...[1e-3, 1e-2].map((dt) => run('convex', dt, 0.1, good, { laws: [law('signorini', 0.4, 0.05)] })),
    ]
    const { reasons } = judge('r', runs, limits)
    expect(reasons).toEqual([
      'convex breaks Signorini and Coulomb with 40 % of its contact impulses (limit 5 %)',
      "penalty at 10 ms has a motion error of 5 % (limit 1 %) of joint arm: the controller's rate, not contact; lcp and ncp at 10 ms too",
    ])
  })

  test('of nothing says so', () => expect(judge('r', [], limits)).toMatchObject({ kind: 'none', model: null, missed: [] }))

  test('does not depend on the order of the runs', () => {
    const arbitraryRun = fc.record({
      model: fc.constantFrom('penalty', 'lcp', 'ncp'),
      dt: fc.constantFrom(1e-3, 1e-2),
      status: fc.constantFrom('ok' as const, 'failed' as const),
      cost: fc.constantFrom({ perSecond: 0.1, spread: 0.02 }, { perSecond: 0.2, spread: 0.02 }, null),
      error: fc.record({ tracking: fc.constantFrom(1e-3, 2e-3, 0.1, null), energy: fc.constantFrom(1e-3, 0.1) }),
      laws: fc.constantFrom(deep(1e-4), deep(2e-3)),
    })
    const runs = fc.uniqueArray(arbitraryRun, { selector: ({ model, dt }) => `${model} ${dt}`, maxLength: 6 })
    fc.assert(
      fc.property(runs, (list) => {
        const { model, dt } = judge('r', list, limits)
        expect(judge('r', list.toReversed(), limits)).toMatchObject({ model, dt })
        const fitting = list.filter((r) => missedLimits(r, limits).length === 0)
        if (model === null) expect(fitting).toEqual([])
        else {
          const costs = fitting.map(({ cost }) => (cost as { perSecond: number }).perSecond)
          expect(fitting.find((r) => r.model === model && r.dt === dt)?.cost?.perSecond).toBeLessThanOrEqual(
            1.6 * Math.min(...costs),
          )
        }
      }),
      { seed: 1 },
    )
  })
})

describe('where models that keep the laws contradict each other', () => {
  const split: JudgedBy = {
    kind: 'split',
    camps: [
      { models: ['lcp', 'ncp'], families: ['complementarity'], kinds: ['rigid'] },
      { models: ['penalty'], families: ['springs'], kinds: ['compliant'] },
    ],
    parting: { t: 0.31, a: 'lcp', b: 'penalty', quantity: 'base position', distance: 0.24 },
    divergence: null,
  }

  test('the verdict is undecided, and says who says what, when they part and by how much', () => {
    const verdict = judge('r', [run('lcp', 1e-3, 0.1), run('penalty', 1e-3, 0.01)], limits, [agreed, split])
    expect(verdict).toMatchObject({ kind: 'undecided', model: null })
    expect(verdict.sentence).toBe('r: undecided, because models that keep every law contradict each other.')
    expect(verdict.reasons).toEqual([
      'A, rigid: lcp and ncp',
      'B, compliant: penalty',
      "A and B part at t = 0.31 s, by 24 % of the scale of the base's position (limit 1 %)",
    ])
  })

  test('a load that models of one motion share differently is said to be open', () => {
    const models = ['lcp', 'ncp']
    const camps = [{ models, families: ['complementarity'], kinds: ['rigid' as const] }]
    const reasons = (share: number) =>
      judge('r', [run('lcp', 1e-3, 0.1)], limits, [
        {
          ...agreed,
          camps,
          models,
          loadShares: [
            [0, share],
            [share, 0],
          ],
        },
      ]).reasons.join('; ')
    expect(reasons(0.86)).toContain('lcp and ncp put 86 % of the load on different pairs of shapes, though their motion')
    expect(reasons(0.01)).not.toContain('of the load')
  })

  test('there is none where no pair keeps the limits anyway', () => {
    expect(judge('r', [failed('lcp', 1e-3)], limits, [split]).kind).toBe('none')
  })

  test('a motion that forgets its start is said to be judged up to there', () => {
    const { reasons } = judge('r', [run('lcp', 1e-3, 0.1)], limits, [{ ...agreed, divergence: { t: 2.1, growth: 340 } }])
    expect(reasons).toEqual([
      'errors are of the time up to t = 2.1 s: by then what differs at the start is 340 times as large, whatever the model',
    ])
  })

  test('one kind of model alone is said to be no more than that', () => {
    const { reasons } = judge('r', [run('lcp', 1e-3, 0.1)], limits, [{ ...split, kind: 'one kind' }])
    expect(reasons).toEqual(['only rigid models agree on what is right'])
  })
})

describe('a pair of model and step with several runs', () => {
  const bad = { ...good, tracking: 0.02 }

  test('has to keep the limits in all of them, and is judged by the worst', () => {
    const runs = [
      run('penalty', 1e-3, 0.01),
      run('penalty', 1e-3, 0.01, bad),
      run('stewart-trinkle', 1e-3, 0.1),
      run('stewart-trinkle', 1e-3, 0.3, good, { laws: deep(9e-4) }),
    ]
    const verdict = judge('r', runs, limits)
    expect(verdict).toMatchObject({ model: 'stewart-trinkle', dt: 1e-3 })
    expect(verdict.sentence).toContain('Of 2 pairs it alone keeps the laws and the limits: 200 ms a simulated second') // the mean of both
    expect(verdict.reasons.at(-1)).toBe('each pair ran 2 times, and its worst run counts')
    const none = judge('r', [run('penalty', 1e-3, 0.01, bad), run('penalty', 1e-3, 0.01, { ...bad, tracking: 0.03 })], limits)
    expect(none.missed).toMatchObject([{ model: 'penalty', dt: 1e-3, limits: [{ limit: 'tracking', value: 0.03 }] }])
  })

  test('is one pair a value of a swept option of the model, and one over all other values', () => {
    const runs = [0.8, 0.9].flatMap((lambda) =>
      [0.2, 0.5].map((friction) => ({
        ...run('penalty', 1e-3, lambda, lambda === 0.8 && friction === 0.5 ? bad : good),
        variant: { 'physical.friction': friction, 'models.penalty.lambda': lambda },
      })),
    )
    const verdict = judge('r', runs, limits)
    expect(verdict).toMatchObject({ model: 'penalty', variant: { 'models.penalty.lambda': 0.9 } })
    expect(verdict.sentence).toContain('take penalty with lambda 0.9 at a step of 1 ms. Of 2 pairs it alone')
  })
})

test('if nothing was touched in any run, the verdict says that the model does not matter, and goes by cost', () => {
  const free = ['penalty', 'lcp', 'ncp'].map((model, i) => run(model, 1e-3, 0.3 - 0.1 * i, good, { touched: false }))
  const verdict = judge('r', free, limits)
  expect(verdict.model).toBe('ncp')
  expect(verdict.reasons).toEqual([expect.stringContaining('nothing was touched in any run: the contact model does not matter')])
  expect(judge('r', [...free, run('penalty', 1e-2, 1)], limits).reasons).toEqual([])
})

test('if nothing fits, the pair whose worst error is least over its limit is the closest', () => {
  const runs = [
    run('penalty', 1e-3, 1, { tracking: 0, energy: 0 }, { laws: deep(3e-3) }),
    run('stewart-trinkle', 1e-3, 1, { tracking: 0.02, energy: 0.011 }, { laws: deep(0) }),
    failed('penalty-deepest', 1e-3),
  ]
  expect(judge('r', runs, limits).closest).toEqual({ model: 'stewart-trinkle', dt: 1e-3 })
  expect(judge('r', runs.slice(2), limits).closest).toBeNull()
})
