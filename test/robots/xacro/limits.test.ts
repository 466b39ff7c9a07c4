import { describe, expect, test } from 'vitest'
import { codes, errorOf } from '../lookalike.ts'
import { type Expanding, expand, expanded, textOf } from './expanding.ts'

const limit = (run: () => unknown) => codes(errorOf(run).diagnostics, 'error')

/** Macros m0 to m30, each of which calls the one before twice. */
const doubling = (innermost: string) =>
  innermost +
  Array.from({ length: 30 }, (_, k) => `<xacro:macro name="m${k + 1}"><xacro:m${k}/><xacro:m${k}/></xacro:macro>`).join('')

const doublings = (value: string, twice: (name: string) => string) =>
  `<xacro:property name="p0" value="${value}"/>` +
  Array.from({ length: 60 }, (_, k) => `<xacro:property name="p${k + 1}" value="${twice(`p${k}`)}"/>`).join('')

describe('an expression without bounds is refused', () => {
  test.each([
    "'a' * 10**9",
    '[0] * 10**9',
    'range(10**9)',
    '10**10**10',
    '2 ** 100000',
    '1 << 10**9',
    'factorial(10**6)',
    'sum([x * y * z for x in range(1000) for y in range(1000) for z in range(1000)])',
    '[[[x for x in range(1000)] for y in range(1000)] for z in range(1000)]',
    "str([['a' * 1000] * 1000] * 1000)",
    "('a' * 100000).join(['b' * 1000] * 90000)",
    "('a' * 100000).replace('a', 'b' * 100000)",
    "('a' * 100000).replace('', 'b' * 100000)",
    "[('a' * 100000).upper() for i in range(100000)]",
    "{str(x): 'a' * 1000 for x in range(100000)}",
    "'%1000000000d' % 1",
    "'%*d' % (10**9, 1)",
    "'%.1000000000f' % 1",
    "'{:>1000000000}'.format(1)",
    "'a'.zfill(10**9)",
    "'a'.center(10**9)",
    "int('9' * 100000)",
    '[x in range(10000) for x in range(10000)]',
    '(lambda f: f(f))(lambda f: f(f))',
    'sorted([[x] * 100 for x in range(900)] * 100)',
    `${'('.repeat(4000)}1${')'.repeat(4000)}`,
    `${'-'.repeat(4000)}1`,
    `${'not '.repeat(2000)}1`,
    `1${'+1'.repeat(4000)}`,
    `[1]${'[0]'.repeat(3000)}`,
    `str${'()'.repeat(4000)}`,
    `1${'+1'.repeat(20_000)}`,
  ])('%.60s', (expression) => {
    expect(limit(() => textOf(expression))).toEqual(['xacro-limit:1'])
  })
})

describe('an expansion without bounds is refused', () => {
  test.each<[string, string, string, Expanding?]>([
    ['a macro that calls itself', '<xacro:macro name="m"><xacro:m/></xacro:macro>\n<xacro:m/>', 'xacro-limit:2'],
    ['a macro that nests itself', '<xacro:macro name="m">\n<l><xacro:m/></l></xacro:macro>\n<xacro:m/>', 'xacro-limit:3'],
    ['macros that double', `${doubling('<xacro:macro name="m0"><l/></xacro:macro>')}\n<xacro:m30/>`, 'xacro-limit:3'],
    ['macros that double nothing', `${doubling('<xacro:macro name="m0"/>')}\n<xacro:m30/>`, 'xacro-limit:3'],
    ['properties that double a text', `${doublings('0123456789', (p) => `\${${p}}\${${p}}`)}<l v="\${p60}"/>`, 'xacro-limit:2'],
    ['properties that double a list', `${doublings(`\${[1]}`, (p) => `\${[${p}, ${p}]}`)}<l v="\${p60}"/>`, 'xacro-limit:2'],
    [
      'lists that double, compared',
      `${doublings(`\${[1]}`, (p) => `\${[${p}, ${p}]}`)}<l v="\${p60 == [p59, p59]}"/>`,
      'xacro-limit:2',
    ],
    [
      'a long chain of properties',
      Array.from({ length: 3000 }, (_, k) => `<xacro:property name="p${k}" value="\${p${k + 1}}"/>`).join('') + `<l v="\${p0}"/>`,
      'xacro-limit:2',
    ],
    [
      'a block that inserts itself',
      '<xacro:property name="b"><xacro:insert_block name="b"/></xacro:property>\n<xacro:insert_block name="b"/>',
      'xacro-limit:2',
    ],
    ['a text of many substitutions', `<l v="${`\${1}`.repeat(10_000)}"/>`, 'xacro-limit:2'],
    ['substitutions inside of substitutions', `<l v="${'${'.repeat(3000)}1${'}'.repeat(3000)}"/>`, 'xacro-limit:2'],
    [
      'an include of itself',
      '<xacro:include filename="self.xacro"/>',
      'xacro-limit:1',
      { files: { 'self.xacro': '<robot><xacro:include filename="self.xacro"/></robot>' } },
    ],
    ['few elements, where few are allowed', '<l/><l/>\n<l/>', 'xacro-limit:3', { maxElements: 3 }],
    [
      'YAML of aliases of aliases',
      `<l v="\${load_yaml('a.yaml')}"/>`,
      'xacro-limit:2',
      {
        files: {
          'a.yaml': `a: &a [x, x]\n${[...'bcdefghij'].map((key, k) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghij'[k]}`)}]`).join('\n')}`,
        },
      },
    ],
    ['YAML that holds itself', `<l v="\${load_yaml('a.yaml')}"/>`, 'xacro-limit:2', { files: { 'a.yaml': '&a [*a]' } }],
    [
      'YAML that is nested deep',
      `<l v="\${load_yaml('a.yaml')}"/>`,
      'xacro-limit:2',
      { files: { 'a.yaml': '['.repeat(20_000) } },
    ],
    ['YAML that is long', `<l v="\${load_yaml('a.yaml')}"/>`, 'xacro-limit:2', { files: { 'a.yaml': '- 1\n'.repeat(100_000) } }],
    [
      'YAML with a huge number',
      `<l v="\${load_yaml('a.yaml')}"/>`,
      'xacro-limit:2',
      { files: { 'a.yaml': '!degrees 10**10**10' } },
    ],
  ])('%s', (_, body, code, options) => {
    expect(limit(() => expand(body, options))).toEqual([code])
  })
})

test('a macro may call itself three hundred times', () => {
  const body = `<xacro:macro name="m" params="n"><l n="\${n}"/><xacro:if value="\${n != 1}"><xacro:m n="\${n - 1}"/></xacro:if></xacro:macro>`
  expect(expand(`${body}<xacro:m n="300"/>`).root.children.length).toBe(300)
})

test('keys of YAML that objects have are just keys', () => {
  const files = { 'a.yaml': '__proto__: {x: 1}\nconstructor: 5\n' }
  expect(expanded(`<l v="\${load_yaml('a.yaml').__proto__.x + load_yaml('a.yaml').constructor}"/>`, { files })).toBe('<l v="6"/>')
  expect(() => expanded(`<l v="\${load_yaml('a.yaml').toString}"/>`, { files })).toThrow('no key "toString"')
})
