import { describe, expect, test } from 'vitest'
import { allClaims, kindOf, limitOf, type Measured, orderOf, problemOf, rowOf } from '../cases/convergence.ts'
import { contactModelNames } from '../contact/index.ts'
import { full } from './dailyModels.ts'

/** The daily selection, cases that tell models apart; the full run has all. */
const daily = [
  'sliding/force-at-an-angle',
  'sliding/fast-box',
  'spinning/square-puck',
  'surfaces/pad',
  'surfaces/spins-down',
  'rolling/spool',
  'impacts/oblique',
  'step/gap-closes',
]
const dailyNames = ['force at an angle', 'square that spins down, patch: uniform', 'ball that strikes at an angle and slips']
const claims = (await allClaims(full ? [] : daily)).filter(
  (claim, _, all) => full || dailyNames.includes(claim.name) || all.filter(({ file }) => file === claim.file).length === 1,
)

for (const claim of claims) {
  describe(`${claim.name}: exact or of first order, or as the case says of a model`, () => {
    for (const model of contactModelNames)
      test(model, async () => {
        expect((await rowOf(claim, model)).problem).toBeUndefined()
      })
  })
}

test('names of cases are there once, and exceptions are of measures that exist, each model once', async () => {
  const all = full ? claims : await allClaims(daily)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  for (const { file, scene } of all) {
    const names = all.filter((claim) => claim.file === file).map(({ name }) => name)
    const entries = scene.except.flatMap(({ models, of }) =>
      (of === undefined ? names : [of]).flatMap((name) => models.map((model) => `${name}, ${model}`)),
    )
    expect(entries.filter((entry, i) => entries.indexOf(entry) !== i || !names.some((name) => entry.startsWith(name)))).toEqual(
      [],
    )
  }
})

describe('the order of convergence', () => {
  const of = (...values: [number, number, number]): Measured => ({
    claim: { name: 'a case' },
    model: 'ncp',
    steps: [4, 2, 1],
    exact: 2,
    scale: 2,
    values,
    errors: values.map((value) => (value - 2) / 2) as [number, number, number],
    orders: [0, 0],
  })

  test('is 1 and 2 where errors fall twofold and fourfold a halving of the step, and 1/2 where by its root', () => {
    expect(orderOf(of(2.4, 2.2, 2.1))).toBeCloseTo(1, 12)
    expect(orderOf(of(3.6, 2.4, 2.1))).toBeCloseTo(2, 12)
    expect(kindOf(of(2.4, 2.2, 2.1))).toBe('first')
    expect(kindOf(of(2.4, 2 + 0.4 / Math.SQRT2, 2.2))).toBe('half')
    expect(kindOf(of(2.4, 2.4, 2.4))).toBe('limit')
    expect(kindOf(of(2 + 1e-9, 2 - 1e-9, 2))).toBe('exact')
  })

  test('of values that tend elsewhere the limit is the end of their geometric series', () => {
    expect(limitOf([3 + 0.4, 3 + 0.2, 3 + 0.1])).toBeCloseTo(3, 12)
    expect(limitOf([3, 3, 3])).toBe(3)
  })

  test('what is better or worse than known is a problem', () => {
    const limit = { tendsTo: 3 }
    expect(problemOf(of(3, 3, 3), undefined)).toContain('neither exact nor of first order')
    expect(problemOf(of(3, 3, 3), limit)).toBeUndefined()
    expect(problemOf(of(2, 2, 2), limit)).toContain('tends to')
    expect(problemOf(of(2, 2, 2), undefined)).toBeUndefined()
    expect(problemOf(of(2, 2, 2), { fails: true })).toContain('no longer fails')
    expect(problemOf({ ...of(2, 2, 2), failure: 'it broke' }, limit)).toContain('it broke')
  })
})
