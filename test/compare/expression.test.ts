import { describe, expect, test } from 'vitest'
import { constantOf, ExpressionError, evaluator, fits, type Kind, parseExpression } from '../../compare/scenario/index.ts'
import { cos, sin } from '../../dynamics/index.ts'

const value = async (text: string) => constantOf(await parseExpression(text))
const functionOf = async (text: string) => evaluator(await parseExpression(text, ['t']))

describe('numbers with units and arithmetic', () => {
  for (const [text, expected] of [
    ['10 cm', 0.1],
    ['1 mm', 1e-3],
    ['2*pi/3', (2 * Math.PI) / 3],
    ['90 deg', Math.PI / 2],
    ['1 %', 0.01],
    ['5 min', 300],
    ['3 km/hour', 3000 / 3600],
    ['2 kN/m', 2000],
    ['40 N s/m', 40],
    ['3 lbf', 3 * 4.4482216152605],
    ['-3^2', -9],
    ['2^-2', 0.25],
    ['2^0.5', Math.SQRT2],
    ['sqrt(16) + abs(-2) + max(1, 3) + mod(7, 4)', 12],
    ['1 < 2 ? 5 : 6', 5],
    ['not (1 < 2) or 0 ? 5 : 6', 6],
    ['1e-3', 1e-3],
  ] as const) {
    // one rounding for each unit and each operation
    test(`${text} is ${expected}`, async () =>
      expect(Math.abs((await value(text)) - expected)).toBeLessThanOrEqual(4e-16 * Math.abs(expected)))
  }

  for (const [text, kind, expected] of [
    ['10 cm', 'length', true],
    ['10 kg', 'length', false],
    ['0.3', 'length', true],
    ['30 deg', 'angle', true],
    ['3 rad/s', 'angularSpeed', true],
    ['0.3 m/s', 'speed', true],
    ['0.3 m', 'speed', false],
    ['1 N/mm', 'stiffness', true],
    ['5 %', 'number', true],
    ['5 m', 'number', false],
    ['2 m * 3 m / 1 m', 'length', true],
    ['sqrt(4 m^2)', 'length', true],
  ] as const) {
    test(`${text} ${expected ? 'is' : 'is no'} ${kind}`, async () =>
      expect(await fits(await parseExpression(text), kind as Kind)).toBe(expected))
  }
})

describe('functions of t', () => {
  test('sine and cosine are our own, to the last bit', async () => {
    const f = await functionOf('0.2*sin(2*pi*t/5) + cos(t)')
    for (const t of [0, 0.1, 1.7, 33.3]) expect(f(t)).toBe(0.2 * sin((2 * Math.PI * t) / 5) + cos(t))
  })

  test('whole powers are products', async () => {
    const f = await functionOf('t^7 + t^-2')
    const t = 1.3
    const t2 = t * t
    const t4 = t2 * t2
    expect(f(t)).toBe(t * t2 * t4 + 1 / t2)
  })

  test('a condition switches in time', async () => {
    const f = await functionOf('t < 1 ? 0 : t >= 2 and t != 3 ? 20 cm : 1 m')
    expect([f(0.5), f(1), f(2), f(3)]).toEqual([0, 1, 0.2, 1])
  })

  test('a program survives being sent to a worker', async () => {
    const program = await parseExpression('atan2(t, 2) * exp(-t) + floor(t) - ceil(t) + sign(t - 1)', ['t'])
    const there = evaluator(structuredClone(program))
    const here = evaluator(program)
    for (const t of [0, 0.3, 2.5]) expect(there(t)).toBe(here(t))
  })
})

describe('what is not understood is named', () => {
  for (const [text, message] of [
    ['10 blub', 'holds "blub"'],
    ['sin(', 'is no expression'],
    ['0.4*min(1', 'put the whole text in quotes'],
    ['=2*pi', 'begins with "=" in the options of a script alone'],
    ['import("fs")', 'calls "import"'],
    ['[1, 2]', 'uses a array'],
    ['x = 3', 'uses a assignment'],
    ['"text"', 'which is no number'],
    ['1 m + 1 s', 'two different kinds of unit'],
    ['sin(3 m)', 'sin of something that has a unit'],
    ['20 degC', 'whose zero is not at zero'],
    ['t', 'changes with t'],
    ['min(1, 2, 3)', 'it takes 2'],
    ['toString(1)', 'calls "toString"'],
    ['constructor', 'holds "constructor"'],
    ['1+'.repeat(400) + '1', 'characters long'],
    ['true', 'holds "true"'],
  ] as const) {
    test(text.slice(0, 30), async () => {
      await expect(parseExpression(text)).rejects.toThrow(ExpressionError)
      await expect(parseExpression(text)).rejects.toThrow(message)
    })
  }
})
