import { describe, expect, test } from 'vitest'
import { forms, models, problemOf, rowOf, strayEntries } from '../../bench/forms/check.ts'
import { type Form, kindOf, limitOf, type Measured, orderOf } from '../../bench/forms/form.ts'
import { full } from './laws/law.ts'

/** The daily selection, forms that tell models apart; the full run has all. */
const daily = [
  'force at an angle',
  'height of a box that slides at 5 m/s',
  'square puck that slides and spins: yaw',
  'pad on one point that spins down',
  'square that spins down, patch: uniform',
  'spool pulled by its thread',
  'ball that strikes at an angle and slips',
  'gap that closes within a step',
]

describe('closed forms under every contact model', () => {
  for (const form of forms.filter(({ name }) => full || daily.includes(name))) {
    test(`${form.name}: exact or of first order, or as is known of a model`, () => {
      expect(models.flatMap((model) => rowOf(form, model).problem ?? [])).toEqual([])
    })
  }

  test('what is known is of forms that exist, and said once', () => {
    expect(strayEntries()).toEqual([])
    expect(daily.filter((name) => !forms.some((form) => form.name === name))).toEqual([])
    expect(new Set(forms.map(({ name }) => name)).size).toBe(forms.length)
  })
})

describe('the order of convergence', () => {
  const form = { name: 'a form', exact: () => 2 } as Form
  const of = (...values: [number, number, number]): Measured => ({
    form,
    model: 'ncp',
    steps: [4, 2, 1],
    exact: 2,
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
    const limit = { kind: 'limit', value: 3 } as const
    expect(problemOf(of(3, 3, 3), undefined)).toContain('neither exact nor of first order')
    expect(problemOf(of(3, 3, 3), limit)).toBeUndefined()
    expect(problemOf(of(2, 2, 2), limit)).toContain('tends to')
    expect(problemOf(of(2, 2, 2), undefined)).toBeUndefined()
    expect(problemOf(of(2, 2, 2), { kind: 'failed' })).toContain('no longer fails')
    expect(problemOf({ ...of(2, 2, 2), failure: 'it broke' }, limit)).toContain('it broke')
  })
})
