import { expect, test } from 'vitest'
import { aba, crba, rnea } from '../../dynamics/index.ts'
import { full } from '../dailyModels.ts'
import { conditionNumber, largestDifference, product } from '../oracle/dense.ts'
import { exactDynamics, fixed, sine } from '../oracle/exact.ts'
import { differences, ourAnswers } from '../oracle/mujoco.ts'
import { dataAt, filled } from './at.ts'
import { randomQuestions, relativeError } from './randomTree.ts'

const count = full ? 300 : 10

/** What a rounding of tau or M, 2e-16, may do to an acceleration. */
const leftByCondition = (M: Float64Array, n: number) => 2e-16 * conditionNumber(M, n)

test(`M, bias, inverse and forward dynamics of ${count} random trees are right to the last digits`, () => {
  for (const { model, state, a, tau } of randomQuestions(count)) {
    const exact = exactDynamics(model, state, a, tau)
    const errors = differences(ourAnswers(model, state, a, tau), exact)
    // sums over 60 bodies in doubles of 1e-16; an entry of M is a small part of its composite inertias, metres from their axes
    expect(errors.M).toBeLessThan(2e-12)
    expect(errors.bias).toBeLessThan(5e-14)
    expect(errors.inverse).toBeLessThan(5e-14)
    // the articulated inertias lose two digits to such arms, and a rounding is multiplied by the condition of M
    expect(errors.forward).toBeLessThan(1e-12 + leftByCondition(exact.M, model.nv))
  }
})

test(`forward dynamics undoes inverse dynamics on ${count} random trees, and inverse dynamics forward dynamics`, () => {
  for (const { model, state, a, tau } of randomQuestions(count)) {
    const data = dataAt(model, state)
    const force = filled(model.nv, (out) => rnea(model, state, a, data, out))
    const back = filled(model.nv, (out) => aba(model, state, force, data, out))
    crba(model, data)
    // 1e-10 but for the few trees (6 of 300) in which the roundings of 60 bodies in tau, up to 5e-15, are worth more
    expect(relativeError(back, a)).toBeLessThan(Math.max(1e-10, 30 * leftByCondition(data.M, model.nv)))

    aba(model, state, tau, data, back)
    rnea(model, state, back, data, force)
    // the other way round no condition enters: what is left over is small beside the terms of M a
    const terms = product(data.M.map(Math.abs), back.map(Math.abs))
    expect(largestDifference(force, tau, terms)).toBeLessThan(1e-12)
  }
})

test('the exact oracle knows the sine of 1 to 70 digits', () => {
  // Knuth, The Art of Computer Programming 1, appendix A
  const digits = 8414709848078965066525023216302989996225630607983710656727517099919104n
  const found = (sine(fixed(1)) * 10n ** 70n) >> 256n
  expect(found - digits < 2n && digits - found < 2n).toBe(true)
})
