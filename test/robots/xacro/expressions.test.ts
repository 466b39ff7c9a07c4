import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cos, sin } from '../../../dynamics/index.ts'
import { textOf } from './expanding.ts'

const table = readFileSync(new URL('./pythonValues.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const arrow = line.lastIndexOf(' => ')
    return arrow < 0 ? [] : [[line.slice(0, arrow), line.slice(arrow + 4)]]
  })

describe('expressions', () => {
  test('are as many as the table has', () => {
    expect(table.length).toBeGreaterThan(350)
  })

  test.each(table)('Python: %s is %s', (expression, text) => {
    expect(textOf(expression)).toBe(text)
  })

  test('sine and cosine are those of the project, to the last bit', () => {
    for (let k = -50; k <= 50; k++) {
      const x = k * 0.137
      expect(Number(textOf(`sin(${x})`))).toBe(sin(x))
      expect(Number(textOf(`math.cos(${x})`))).toBe(cos(x))
    }
  })

  test('powers of any exponent agree with their logarithm', () => {
    // the part that is no integer is off by about |y log x| / 2 units in the last place: fewer than 15 of 1.1e-16 here
    for (const [x, y] of [
      [2.5, 1.7],
      [0.3, -2.4],
      [1e-3, 0.25],
      [7, 1 / 3],
      [1e4, 3.1],
    ]) {
      expect(Math.log(Number(textOf(`${x} ** ${y}`))) / (y * Math.log(x))).toBeCloseTo(1, 14)
    }
    expect(textOf('(-8.0) ** 3')).toBe('-512.0')
    expect(textOf('2.0 ** -1074')).toBe('5e-324')
    expect(textOf('pow(-2, -3)')).toBe('-0.125')
  })

  test('reads what a file may have that Python would not see: brackets in strings', () => {
    expect(textOf("'{' + '}'")).toBe('{}')
    expect(textOf("{'a': {'b': 1}}['a']['b']")).toBe('1')
  })

  test.each([
    ['1/0', 'division by zero'],
    ['1//0.0', 'division by zero'],
    ['5 % 0', 'division by zero'],
    ['sqrt(-1)', 'no value that is a number'],
    ['asin(2)', 'no value that is a number'],
    ['log(0)', 'no value that is a number'],
    ['(-8) ** 0.5', 'complex'],
    ['0.0 ** -1', 'negative power'],
    ["'a' + 1", 'str(x) makes text of a number'],
    ["'2' * 1.5", 'float(x) a number of text'],
    ["1 < 'a'", 'no order'],
    ['[1][1]', 'out of range: the list has 1 items'],
    ["'abc'['a']", 'indexed by integers'],
    ["dict(length=1)['lenght']", 'Did you mean "length"?'],
    ["dict(a=1)['zzz']", 'Its keys are a.'],
    ['dict(a=1).b', 'no key "b"'],
    ["'a'.uper()", 'Did you mean "upper"?'],
    ['[1].append(2)', 'list + [item]'],
    ['nobody', 'the name "nobody" is not defined'],
    ['math.sine(1)', '"math" has no "sine"'],
    ['5(1)', '5 cannot be called'],
    ['sin()', 'sin() wants 1 arguments'],
    ["sin('x')", 'float(x) reads a number from text'],
    ["int('x')", "int() cannot read the string 'x'"],
    ['{[1]: 2}', 'a list cannot be the key of a dict'],
    ['[a for a, b in [(1, 2, 3)]]', '3 values for the 2 names'],
    ['range(1, 2, 0)', 'step 0'],
    ["'%d' % 'a'", 'not for the string'],
    ["'%s %s' % 1", 'wants more values'],
    ["'%s' % (1, 2)", 'does not use all values'],
    ["'{}'.format()", 'not given'],
    ['1 +', 'it ends where a value is expected'],
    ['1 2', 'there is "2" where the end is expected'],
    ['2m', '"2m" is no number'],
    ['012', 'no leading zeros'],
    ["'abc", 'is not closed'],
    ['a = 1', 'there is "=" where the end is expected'],
    ['1 if 2', '"else" is expected'],
    ['f(a=1, 2)', 'another argument with a name'],
    ['import os', 'there is "import" where a value is expected'],
    ["f'{1}'", 'prefix "f"'],
    ['1 ? 2', '"?" means nothing'],
    ['', 'the expression is empty'],
  ])('that mean nothing say why: %s', (expression, words) => {
    expect(() => textOf(expression)).toThrow(words)
  })

  test.each([
    "''.constructor",
    "''.__class__",
    '().__class__.__bases__',
    '[].__proto__',
    'str.call',
    'math.constructor',
    'xacro.__proto__',
    'dict(a=1).hasOwnProperty',
    'toString',
    'globalThis',
    'process',
    '__import__',
    'eval',
    'constructor',
    '(lambda: 0).constructor',
  ])('lead nowhere out of the file: %s', (expression) => {
    expect(() => textOf(expression)).toThrow(/has no|not defined/)
  })
})
