import { describe, expect, test } from 'vitest'
import { allClaims } from '../cases/convergence.ts'
import { barOf, barsOf, errorBar, ROUNDING, withBar } from '../compare/judge/errorBars.ts'
import { millimetres, percent } from '../compare/measure/numbers.ts'
import { refinedOptions } from '../contact/index.ts'
import { createRandom } from '../dynamics/index.ts'
import { dailyPair, full } from './dailyModels.ts'
import { applies, type Barred, barred, coverage, halfOf } from './errorBars.ts'
import { slow } from './slowCases.ts'

/** Values of f(h) = 2 + error(h) at h, h/2, h/4. */
const sequence = (error: (h: number) => number) => [1, 0.5, 0.25].map((h) => 2 + error(h)) as [number, number, number]

describe('an error bar', () => {
  test('of a figure of order one is its error and a quarter', () => {
    expect(
      errorBar(
        sequence((h) => 0.1 * h),
        1,
      ),
    ).toBeCloseTo(0.125, 8)
    expect(
      errorBar(
        sequence((h) => -0.1 * h),
        1,
      ),
    ).toBeCloseTo(0.125, 8)
  })

  test('holds the limit at every order from a half to two, and at mixtures of orders', () => {
    for (const order of [0.5, 0.7, 1, 1.5, 2])
      for (const second of [0, 0.3]) {
        const error = (h: number) => h ** order + second * h * h
        const bar = errorBar(
          sequence((h) => error(h)),
          1,
        )
        expect(bar, `${order}, ${second}`).toBeGreaterThan(Math.abs(error(1)))
        expect(bar, `${order}, ${second}`).toBeLessThan(6 * Math.abs(error(1)))
      }
  })

  test('holds the limit under an error of order one whose share varies, as of impacts that fall anywhere in a step', () => {
    const random = createRandom(1)
    let [held, none] = [0, 0]
    for (let i = 0; i < 1000; i++) {
      const values = sequence((h) => h * (1 + random.between(-0.15, 0.15)))
      const bar = errorBar(values, 1)
      if (bar === null) none++
      else if (bar >= values[0] - 2) held++
    }
    expect(held / (1000 - none)).toBeGreaterThan(0.95)
    expect(none / 1000).toBeLessThan(0.1)
  })

  test('of values that alternate about their limit is three times the first difference', () => {
    expect(errorBar([2.1, 1.96, 2.01], 1)).toBeCloseTo(0.42, 8)
  })

  test('is not there where differences grow, stay or hardly fall, or a value is missing', () => {
    for (const values of [
      [1, 2, 4],
      [1, 2, 3],
      [1, 2, 1],
      [0, 1, 1.9],
      [0, 0, 1],
      [Number.NaN, 1, 1],
    ] as const)
      expect(errorBar(values, 1), `${values}`).toBeNull()
  })

  test('of values that are the same but for rounding is that rounding', () => {
    expect(errorBar([2, 2, 2], 1)).toBe(ROUNDING)
    expect(errorBar([2, 2 + 1e-15, 2 - 3e-15], 1)).toBeLessThan(2 * ROUNDING)
    expect(errorBar([2e3, 2e3, 2e3], 1e3)).toBe(1e3 * ROUNDING)
  })
})

describe('shown beside its figure', () => {
  test('a bar is in the unit of the figure, rounded up, and not below the rounding of what is shown', () => {
    expect(withBar(1.3123e-3, 0.0191e-3, millimetres)).toBe('1.31 ± 0.02 mm')
    expect(withBar(1.3123e-3, 1e-9, millimetres)).toBe('1.31 ± 0.005 mm')
    expect(withBar(0.00868, 0.00291, percent)).toBe('0.868 ± 0.3 %')
    expect(withBar(0.5, 0.1, (x) => `${x}/s`)).toBe('0.5 ± 0.1/s')
    expect(withBar(0, 0, millimetres)).toBe('0 ± 0 mm')
    expect(withBar(1.3123e-3, undefined, millimetres)).toBe('1.31 mm')
    expect(withBar(1.3123e-3, null, millimetres)).toBe('1.31 mm, no bar')
  })

  test('of several runs the largest bar counts, and one without a bar has the word', () => {
    expect(barOf([{ bars: { a: 1 } }, { bars: { a: 2 } }], 'a')).toBe(2)
    expect(barOf([{ bars: { a: 1 } }, { bars: { a: null } }], 'a')).toBeNull()
    expect(barOf([{}, {}], 'a')).toBeUndefined()
  })
})

test('a run whose refinement failed has no bars but those of its errors', () => {
  const level = (status: 'ok' | 'failed') => ({ status, metrics: { penetrationMax_m: 1e-3 } as never, outcome: null })
  const finest = { parts: { integrator: { motion: 0.03, energy: 0.06 } } } as never
  const bars = barsOf([level('ok'), level('ok'), level('failed')], finest)
  expect(bars?.penetrationMax_m).toBeNull()
  expect(bars?.tracking).toBeCloseTo(0.01, 8)
  expect(bars?.energy).toBeCloseTo(0.02, 8)
  expect(barsOf([level('failed'), level('ok'), level('ok')], finest)).toBeNull()
  expect(barsOf([level('ok')], finest)).toBeNull()
})

test('refined options are those of the limits, from what is stated or the default, within their range', () => {
  expect(refinedOptions('stewart-trinkle', {}, 1)).toEqual({ sides: 8, compliance: 1.25e-6 })
  expect(refinedOptions('stewart-trinkle', { sides: 8, loops: 'tangent' }, 2)).toEqual({
    ...{ sides: 16, compliance: 5e-6 / 16, loops: 'tangent' },
  })
  expect(refinedOptions('penalty', { stickSpeed: 1e-3 }, 2)).toEqual({ stickSpeed: 2.5e-4 })
  expect(refinedOptions('mujoco', { timeConstant: -100 }, 1).timeConstant).toBe(-100)
  expect(refinedOptions('drake', { approximation: 'sap' }, 1)).not.toHaveProperty('stictionTolerance')
})

const isQuick = ({ file }: { readonly file: string }) => !slow.some((name) => file.endsWith(`${name}.yaml`))
const claims = (await allClaims()).filter((claim, i) => full || (i % 2 === 0 && isQuick(claim)))

describe('on the closed forms', () => {
  const all: Barred[] = []
  for (const claim of claims)
    test(claim.name, async () => {
      for (const model of dailyPair) {
        if (!applies(claim, model)) continue
        for (const dt of full ? [5e-3, 2e-3, 1e-3] : [5e-3])
          all.push(...[await barred(claim, model, dt)].filter((one) => one !== undefined))
      }
    })

  test('95 % of the bars hold the truth, their median is at most 3 errors, 10 % of the figures have none', () => {
    const of = (name: string, some: readonly Barred[]) => {
      const { count, held, median, none } = coverage(some)
      const share = (x: number) => `${(100 * x).toFixed(1)} %`
      console.log(
        `${name}: ${count} figures, ${share(held)} held, median ${median.toFixed(2)} errors, ${share(none)} without a bar`,
      )
    }
    const by = (name: string, key: (one: Barred) => unknown) => {
      for (const value of new Set(all.map(key)))
        of(
          `${name} ${value}`,
          all.filter((one) => key(one) === value),
        )
    }
    by('half', halfOf)
    by('step', ({ dt }) => dt)
    by('model', ({ model }) => model)
    of('all', all)
    const { held, median, none } = coverage(all)
    expect(held).toBeGreaterThanOrEqual(0.95)
    expect(median).toBeLessThanOrEqual(3)
    expect(none).toBeLessThanOrEqual(0.1)
  })
})
