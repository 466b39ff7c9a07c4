import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Judged, type JudgedBy, judge, missedLimits, type Verdict } from '../../compare/judge/verdict.ts'
import type { RunHealth } from '../../compare/measure/health.ts'
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

/** A run that was timed, if a cost is given [s], with one iteration a step. */
const run = (
  model: string,
  dt: number,
  cost: number | null = null,
  error: Judged['error'] = good,
  more: Partial<Judged> = {},
): Judged => ({
  model,
  dt,
  status: 'ok',
  cost: cost === null ? null : { perSecond: cost },
  work: { iterations: 1, contacts: 4 },
  error,
  laws: deep(5e-4),
  ...more,
})
const failed = (model: string, dt: number) => run(model, dt, 1, null, { status: 'failed' })
const iterations = (n: number): Partial<Judged> => ({ work: { iterations: n, contacts: 4 } })
const healthy: RunHealth = {
  selfOverlap: null,
  acted: { limits: [], dryJoints: [], loops: 0 },
  fell: null,
  saturated: null,
  missedTarget: null,
  creep: null,
  indeterminate: 0,
}
const withHealth = (health: Partial<RunHealth>): Partial<Judged> => ({ health: { ...healthy, ...health } })
const scene = { duration: 2, overlap: null }

const camp = {
  models: ['lcp', 'penalty'],
  families: ['complementarity', 'springs'],
  kinds: ['rigid' as const, 'compliant' as const],
}
const agreed: JudgedBy = { kind: 'consensus', camps: [camp], models: ['lcp', 'penalty', 'ncp'], parting: null, divergence: null }

describe('the verdict', () => {
  test('is the pair that keeps the laws and the limits at the least counted work', () => {
    const runs = [run('penalty', 1e-3, 0.03), run('stewart-trinkle', 1e-2, 0.1), run('stewart-trinkle', 1e-3, 0.01)]
    const verdict = judge('r', runs, limits, [agreed], scene)
    expect(verdict).toMatchObject({ state: 'take', model: 'stewart-trinkle', dt: 1e-2, limits, missed: [], health: [] })
    expect(verdict.set).toEqual([{ model: 'stewart-trinkle', dt: 1e-2 }])
    expect(verdict.sentence).toBe(
      'r: take stewart-trinkle at a step of 10 ms. 3 of 3 pairs of model and step keep every law and limit; of these this one needs the least work, counted in steps and iterations. A simulated second took 100 ms of computing here. Judged over the 2 s simulated, by what 2 of 3 models agree on. Not judged: longer times and other starts.',
    )
  })

  test('is the same without computing times, and whatever they are', () => {
    const runs = (cost: number | null) => [run('penalty', 1e-3, cost), run('ncp', 1e-3, cost && 100 * cost), run('lcp', 1e-2, 1)]
    const bare = (verdict: Verdict) => ({
      ...verdict,
      sentence: verdict.sentence.replace(/ A simulated second took [^.]*\./, ''),
    })
    const verdicts = [null, 0.01, 10].map((cost) => bare(judge('r', runs(cost), limits, [agreed], scene)))
    expect(verdicts[1]).toEqual(verdicts[0])
    expect(verdicts[2]).toEqual(verdicts[0])
  })

  test('passes over a cheaper pair that misses any one limit of error', () => {
    for (const bad of [{ tracking: 0.0101 }, { energy: 0.0101 }, { tracking: null }, { energy: null }, { energy: Number.NaN }]) {
      const verdict = judge('r', [run('penalty', 1e-2, 0.001, { ...good, ...bad }), run('penalty', 1e-3, 0.5)], limits)
      expect(verdict).toMatchObject({ model: 'penalty', dt: 1e-3 })
      expect(verdict.sentence).toContain('Of 2 pairs of model and step it alone keeps every law and limit.')
    }
  })

  test('passes over whatever breaks a law, however small its errors and its cost', () => {
    const broken = run('convex', 1e-2, 1e-3, good, { laws: [law('energyGain', 0.011, 0.01, 'at t = 0.2 s')] })
    const verdict = judge('r', [broken, run('penalty', 1e-3, 0.5)], limits)
    expect(verdict.model).toBe('penalty')
    expect(verdict.reasons).toEqual(['convex at 10 ms gains 1.1 % of its energy (limit 1 %), most at t = 0.2 s'])
    expect(verdict.missed).toMatchObject([{ model: 'convex', dt: 1e-2, limits: [{ limit: 'energyGain', value: 0.011 }] }])
  })

  test('counts what is equal to its limit as within it, and a law without meaning as kept', () => {
    const edge = run('penalty', 1e-3, 1, { tracking: 0.01, energy: 0.01 }, { laws: [...deep(1e-3), law('restitution', null)] })
    expect(missedLimits(edge, limits)).toEqual([])
  })

  test('names all that need up to 1.6 times the least work, and how far apart their motions are', () => {
    const runs = [
      run('penalty', 1e-3),
      run('drake', 1e-3, null, good, iterations(2.2)),
      run('lcp', 1e-3, null, good, iterations(2.3)),
    ]
    const models = ['penalty', 'drake', 'lcp']
    const motion = [
      [0, 0.002, 0.9],
      [0.002, 0, 0.9],
      [0.9, 0.9, 0],
    ]
    const verdict = judge('r', runs, limits, [{ ...agreed, models, atSteps: [{ dt: 1e-3, motion }] }], scene)
    expect(verdict.set).toEqual([
      { model: 'penalty', dt: 1e-3 },
      { model: 'drake', dt: 1e-3 },
    ])
    expect(verdict.sentence).toContain(
      'take penalty at a step of 1 ms; drake will do too, within 0.2 % of the motion of penalty.',
    )
    const same = motion.map((row) => row.map((x) => x / 1e3))
    const alike = judge('r', runs, limits, [{ ...agreed, models, atSteps: [{ dt: 1e-3, motion: same }] }], scene)
    expect(alike.sentence).toContain('take penalty or drake at a step of 1 ms, whose motions differ by less than 0.01 %.')
  })

  test('the first of the set has the best record over known outcomes, and says so', () => {
    const verdict = judge('r', [run('penalty', 1e-3), run('ncp', 1e-3), run('drake', 1e-3)], limits, [agreed], scene)
    expect(verdict.model).toBe('ncp')
    expect(verdict.sentence).toMatch(/If in doubt, take ncp: it passes \d+ of \d+ benchmark rows, the most of these\./)
  })

  test('a model is in the set once, at the step that needs the least work', () => {
    const runs = [run('ncp', 1e-3, null, good, iterations(0.1)), run('ncp', 1.2e-3), run('lcp', 1.2e-3)]
    expect(judge('r', runs, limits).set).toEqual([
      { model: 'ncp', dt: 1e-3 },
      { model: 'lcp', dt: 1.2e-3 },
    ])
    expect(
      judge(
        'r',
        runs.map((one) => ({ ...one, work: { iterations: 1, contacts: 4 } })),
        limits,
      ).set,
    ).toEqual([
      { model: 'ncp', dt: 1.2e-3 },
      { model: 'lcp', dt: 1.2e-3 },
    ])
  })

  test('what creeps comes behind what holds, and the rate stands in the sentence', () => {
    const creep = { of: 'block on ground', speed: 1.2e-3, unit: 'm/s' as const }
    const runs = [run('ncp', 1e-3, null, good, withHealth({ creep })), run('lcp', 1e-3, null, good, withHealth({}))]
    const { model, sentence } = judge('r', runs, limits, [agreed], scene)
    expect(model).toBe('lcp')
    expect(sentence).toContain('If in doubt, take lcp: under it nothing creeps.')
    expect(sentence).toContain(
      'Judged over the 2 s simulated, by what 2 of 3 models agree on. Do not trust ncp for longer: block on ground, which should stand still, slides at up to 1.2 mm/s, 72 mm in a minute.',
    )
  })

  test('never falls on a run that failed or that nothing could be compared with', () => {
    const unknown = run('penalty', 1e-3, 1, { tracking: null, energy: null, note: 'the reference run failed' })
    const verdict = judge('r', [failed('penalty', 1e-2), unknown], limits)
    expect(verdict).toMatchObject({ state: 'none', model: null, dt: null, set: [] })
    expect(verdict.missed.map(({ limits: list }) => list.map(({ limit }) => limit))).toEqual([['failed'], ['reference']])
  })

  test('calls none the closest that breaks a law other than that of penetration', () => {
    const passed = run('penalty', 1e-2, 0.001, { tracking: 0.011, energy: 0 }, { laws: [law('tunnelling', 2, 0)] })
    const deeper = run('penalty', 1e-3, 0.5, good, { laws: deep(2e-3) })
    expect(judge('r', [passed, deeper], limits)).toMatchObject({ state: 'none', closest: { model: 'penalty', dt: 1e-3 } })
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
      'convex breaks the laws of contact (Signorini, Coulomb) with 40 % of its contact impulses (limit 5 %)',
      "penalty at 10 ms has a motion error of 5 % (limit 1 %) of joint arm: the controller's rate, not contact; lcp and ncp at 10 ms too",
    ])
  })

  test('of nothing says so', () => expect(judge('r', [], limits)).toMatchObject({ state: 'none', model: null, missed: [] }))

  test('does not depend on the order of the runs', () => {
    const arbitraryRun = fc.record({
      model: fc.constantFrom('penalty', 'lcp', 'ncp'),
      dt: fc.constantFrom(1e-3, 1e-2),
      status: fc.constantFrom('ok' as const, 'failed' as const),
      cost: fc.constant(null),
      work: fc.constantFrom({ iterations: 1, contacts: 4 }, { iterations: 3, contacts: 4 }),
      error: fc.record({ tracking: fc.constantFrom(1e-3, 2e-3, 0.1, null), energy: fc.constantFrom(1e-3, 0.1) }),
      laws: fc.constantFrom(deep(1e-4), deep(2e-3)),
    })
    const runs = fc.uniqueArray(arbitraryRun, { selector: ({ model, dt }) => `${model} ${dt}`, maxLength: 6 })
    fc.assert(
      fc.property(runs, (list) => {
        const { set } = judge('r', list, limits)
        expect(judge('r', list.toReversed(), limits).set).toEqual(set)
        const fitting = list.filter((r) => missedLimits(r, limits).length === 0)
        const work = (r: { dt: number; work: { iterations: number } }) => (1 + r.work.iterations) / r.dt
        const least = Math.min(...fitting.map(work))
        expect(set.length > 0).toBe(fitting.length > 0)
        for (const choice of set) {
          const own = fitting.find((r) => r.model === choice.model && r.dt === choice.dt)
          expect(own && work(own)).toBeLessThanOrEqual(1.6 * least)
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
    parting: {
      t: 0.31,
      a: 'lcp',
      b: 'penalty',
      quantity: 'base position',
      distance: 0.24,
      moved: { of: 'base position', a: 0.5, b: 0.01, unit: 'm' },
    },
    divergence: null,
  }

  test('the verdict is undecided, and says who says what, when they part and by how much', () => {
    const verdict = judge('r', [run('lcp', 1e-3, 0.1), run('penalty', 1e-3, 0.01)], limits, [split], scene)
    expect(verdict).toMatchObject({ state: 'undecided', model: null })
    expect(verdict.sentence).toBe(
      "r: undecided, because models that keep every law contradict each other: the base's position moves by 500 mm under lcp and ncp, by 10 mm under penalty. Judged over the 2 s simulated. Not judged: longer times and other starts.",
    )
    expect(verdict.reasons).toEqual([
      'A, rigid: lcp and ncp',
      'B, compliant: penalty',
      "A and B are farther apart than the limit, 1 %, from t = 0.31 s on, over the run by 24 % of the scale of the base's position",
    ])
  })

  test('where both move as far, it says how far they part, and from when on', () => {
    const moved = { of: 'base position', a: 0.5, b: 0.49, unit: 'm' } as const
    const alike = { ...split, parting: { ...split.parting, moved } } as JudgedBy
    expect(judge('r', [run('lcp', 1e-3), run('penalty', 1e-3)], limits, [alike], scene).sentence).toContain(
      "contradict each other: the base's position under lcp and ncp and under penalty parts by 24 % of its scale, from t = 0.31 s on.",
    )
  })

  test('where contact itself has several answers, it says that it may hold or fall', () => {
    const open = { ...split, indeterminate: { model: 'lcp', problems: 384 } }
    const { state, sentence } = judge('r', [run('lcp', 1e-3), run('penalty', 1e-3)], limits, [open], scene)
    expect(state).toBe('undecided')
    expect(sentence).toBe(
      "r: undecided: it may hold or fall, the base's position moves by 500 mm under lcp and ncp, by 10 mm under penalty. Rigid contact with Coulomb friction allows both: lcp met 384 problems with several solutions. Judged over the 2 s simulated. Not judged: longer times and other starts.",
    )
  })

  test('a load that models of one motion share differently is said not to be judged', () => {
    const models = ['lcp', 'ncp']
    const camps = [{ models, families: ['complementarity'], kinds: ['rigid' as const] }]
    const words = (share: number) => {
      const loadShares = [
        [0, share],
        [share, 0],
      ]
      return judge('r', [run('lcp', 1e-3, 0.1)], limits, [{ ...agreed, camps, models, loadShares }]).sentence
    }
    expect(words(0.86)).toContain(
      'Not judged: the force on any single pair of shapes, for lcp and ncp put 86 % of the load on different ones; longer times and other starts.',
    )
    expect(words(0.01)).not.toContain('of the load')
  })

  test('there is none where no pair keeps the limits anyway', () => {
    expect(judge('r', [failed('lcp', 1e-3)], limits, [split]).state).toBe('none')
  })

  test('a motion that forgets its start is said to be judged up to there, in a main clause', () => {
    const divergent = { ...agreed, divergence: { t: 0.54, growth: 340 } }
    expect(judge('r', [run('lcp', 1e-3)], limits, [divergent], scene).sentence).toContain(
      'Only the first 0.54 s of 2 s are judged, 27 % of the run, by what 2 of 3 models agree on: from then on the motion forgets its start',
    )
  })

  test('one kind of model alone is said to be no more than that', () => {
    const { sentence } = judge('r', [run('lcp', 1e-3)], limits, [{ ...split, kind: 'one kind' }])
    expect(sentence).toContain('Not judged: compliant surfaces, for no compliant model was run; longer times and other starts.')
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
    expect(verdict.sentence).toContain('A simulated second took 200 ms of computing here.') // the mean of both
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
    expect(verdict.sentence).toContain('take penalty with lambda 0.9 at a step of 1 ms. Of 2 pairs of model and step it alone')
  })
})

describe('health comes before contact', () => {
  const free = ['penalty', 'lcp', 'ncp'].map((model) => run(model, 1e-3, null, good, { touched: false, ...withHealth({}) }))
  const codes = ({ health }: Verdict) => health.map(({ code }) => code)

  test('if nothing acted, any model will do', () => {
    const verdict = judge('r', free, limits, [agreed], scene)
    expect(verdict).toMatchObject({ state: 'any', model: 'ncp' })
    expect(verdict.sentence).toContain(
      'r: any model will do, at a step of 1 ms. No contact, joint stop, dry friction of a joint or loop was active in the 2 s simulated',
    )
    expect(judge('r', [...free, run('penalty', 1e-2)], limits).state).toBe('take')
  })

  test('where a stop, a dry joint or a loop acts and no contact, the verdict is on these', () => {
    const acted = { limits: ['elbow'], dryJoints: ['hinge'], loops: 1 }
    const runs = free.map((one) => ({ ...one, ...withHealth({ acted }) }))
    const verdict = judge('r', runs, limits, [agreed], scene)
    expect(verdict.state).toBe('take')
    expect(verdict.reasons).toContain(
      'no contact acted: this tests the stop of elbow (law jointLimits), the dry friction of hinge (law jointFriction) and a closed loop (law loopOpening)',
    )
  })

  test('an arm that passes through its own post has no verdict', () => {
    const selfOverlap = { robot: 'arm', a: 'hand', b: 'post', depth_m: 0.043, t: 0.4 }
    const through = free.map((one) => ({ ...one, ...withHealth({ selfOverlap }) }))
    const verdict = judge('r', through, limits, [agreed], scene)
    expect(verdict).toMatchObject({ state: 'unhealthy', set: [] })
    expect(verdict.sentence).toContain(
      'contact between "hand" and "post" of arm is off (selfCollision, or a pair left out), and they overlapped by 43 mm at t = 0.4 s',
    )
    const touching = judge(
      'r',
      through.map((one) => ({ ...one, touched: true })),
      limits,
      [agreed],
      scene,
    )
    expect(touching.state).toBe('take')
    expect(touching.sentence).toContain('Not judged: contact between "hand" and "post" of arm is off')
  })

  test('a controller that shakes the robot whatever the model is the verdict', () => {
    const firstShaking = 'joint "hip" shakes'
    const shaken = ['penalty', 'lcp', 'ncp'].map((model) => run(model, 1e-3, null, good, { firstShaking }))
    const verdict = judge('r', shaken, limits, [agreed], scene)
    expect(verdict.state).toBe('unhealthy')
    expect(verdict.sentence).toBe(
      'r: no verdict on contact, because the controller alone is unstable, whatever the model: joint "hip" shakes.',
    )
    const coarse = judge('r', [run('lcp', 1e-3), run('lcp', 1e-2, null, good, { firstShaking })], limits, [agreed], scene)
    expect(coarse.state).toBe('take')
    expect(coarse.reasons[0]).toContain('the controller shakes the robot, at 10 ms under every model')
  })

  test('a start that overlaps is the verdict where nothing fits by it', () => {
    const overlap = 'before the first step "a" and "b" are 12 mm deep in each other'
    const deepRuns = [run('lcp', 1e-3, null, good, { laws: deep(0.012) })]
    expect(judge('r', deepRuns, limits, [agreed], { ...scene, overlap })).toMatchObject({ state: 'unhealthy' })
    expect(codes(judge('r', [run('lcp', 1e-3)], limits, [agreed], { ...scene, overlap }))).toEqual(['start-overlap'])
  })

  test('falls, saturated motors, missed targets and dropped inputs are told beside the verdict', () => {
    const sick = withHealth({
      fell: { robot: 'biped', t: 0.81 },
      saturated: { joint: 'knee', part: 0.64 },
      missedTarget: { joint: 'elbow', distance: 0.3, unit: 'rad', robot: 'biped' },
    })
    const dropping = run('mujoco', 1e-3, null, good, { laws: [law('inputs', 1, 0, 'restitution')] })
    const { sentence, reasons } = judge('r', [run('lcp', 1e-3, null, good, sick), dropping], limits, [agreed], scene)
    expect(sentence).toContain(
      'But biped falls, at t = 0.81 s, under lcp (1 of 2 runs); the motor of joint knee stands at its effort limit for 64 % of the run; joint elbow is 0.3 rad from its target at the end.',
    )
    expect(reasons[0]).toBe('mujoco cannot do what is stated of surfaces: restitution')
    // under a model that is out it is no fault of those that are taken
    const out = run('convex', 1e-3, null, good, { ...sick, laws: deep(1) })
    const verdict = judge('r', [run('lcp', 1e-3), out], limits, [agreed], scene)
    expect(verdict.sentence).not.toContain('falls')
    expect(verdict.reasons[0]).toBe('biped falls, at t = 0.81 s, under convex (1 of 2 runs)')
    const few = withHealth({ saturated: { joint: 'knee', part: 0.05 } })
    expect(judge('r', [run('lcp', 1e-3, null, good, few)], limits, [agreed], scene).health).toEqual([])
  })
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
