import { describe, expect, test } from 'vitest'
import { parseXml } from '../../robots/xml.ts'
import { codes, errorOf } from './lookalike.ts'

const limits = { maxLength: 10_000, maxDepth: 5, maxElements: 20 }

describe('the XML reader', () => {
  test('knows the line on which each tag begins, also of tags over several lines and in files with CRLF', () => {
    const text = '<?xml version="1.0"?>\n<a\n  x="1">\n  <!-- a\n comment -->\n  <b/><c\n y="2"/>\n <d>text\n</d>\n</a>\n'
    for (const source of [text, text.replaceAll('\n', '\r\n')]) {
      const root = parseXml(source, 'f.xml')
      expect([root, ...root.children].map(({ name, line }) => `${name}:${line}`)).toEqual(['a:2', 'b:6', 'c:6', 'd:8'])
      expect(root.children[2].text).toBe('text')
    }
  })

  test('keeps children in the order of the file, whatever their names', () => {
    const root = parseXml('<a><x/><y/><x/><constructor/><__proto__/><x/></a>', 'f.xml')
    expect(root.children.map(({ name }) => name)).toEqual(['x', 'y', 'x', 'constructor', '__proto__', 'x'])
  })

  test('attributes have no prototype', () => {
    const root = parseXml('<a constructor="1"/>', 'f.xml')
    expect(root.attributes.constructor).toBe('1')
    expect(root.attributes.toString).toBeUndefined()
  })

  test('takes a byte order mark, white space before the declaration, a trailing NUL, and undeclared prefixes', () => {
    expect(parseXml('\ufeff<a/>', 'f').name).toBe('a')
    expect(parseXml(' \n<?xml version="1.0"?>\n<a/>', 'f').line).toBe(3)
    expect(parseXml('<a/>\n\0', 'f').name).toBe('a')
    expect(parseXml('<a><drake:joint/></a>', 'f').children[0].name).toBe('drake:joint')
  })

  test('refuses document types, so that no entity is ever expanded', () => {
    const bomb = '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY x "y">]>\n<a>&x;</a>'
    expect(codes(errorOf(() => parseXml(bomb, 'f')).diagnostics)).toEqual(['xml-doctype:2'])
    expect(codes(errorOf(() => parseXml('<a>\n&x;</a>', 'f')).diagnostics)).toEqual(['xml-syntax:2'])
  })

  test('refuses a second root with its line', () => {
    const error = errorOf(() => parseXml('<a/>\n<b/>', 'f.xml'))
    expect(codes(error.diagnostics)).toEqual(['xml-second-root:2'])
    expect(error.message).toBe(
      'f.xml:2 <b>: a second root element; the first is at line 1. An XML file has one root: remove the other, or put both into one.',
    )
  })

  test('says where a file stops being XML', () => {
    expect(codes(errorOf(() => parseXml('<a>\n<b>\n</a>', 'f')).diagnostics)).toEqual(['xml-syntax:3'])
    expect(codes(errorOf(() => parseXml('<a>\n<b>', 'f')).diagnostics)).toEqual(['xml-syntax:2'])
    expect(codes(errorOf(() => parseXml('', 'f')).diagnostics)).toEqual(['xml-empty:1'])
    expect(codes(errorOf(() => parseXml('{"a": 1}', 'f')).diagnostics)).toEqual(['xml-syntax:1'])
  })

  test('refuses what exceeds its limits', () => {
    const nested = (n: number) => '<a>'.repeat(n) + '</a>'.repeat(n)
    expect(parseXml(nested(5), 'f', limits).name).toBe('a')
    expect(codes(errorOf(() => parseXml(nested(6), 'f', limits)).diagnostics)).toEqual(['xml-limit:1'])
    expect(parseXml(`<r>${'<a/>'.repeat(19)}</r>`, 'f', limits).children.length).toBe(19)
    expect(codes(errorOf(() => parseXml(`<r>\n${'<a/>\n'.repeat(20)}</r>`, 'f', limits)).diagnostics)).toEqual(['xml-limit:21'])
    expect(codes(errorOf(() => parseXml(`<r>${' '.repeat(10_000)}</r>`, 'f', limits)).diagnostics)).toEqual(['xml-limit:1'])
  })

  test('depth costs no stack', () => {
    const deep = '<a>'.repeat(20_000) + '</a>'.repeat(20_000)
    expect(codes(errorOf(() => parseXml(deep, 'f')).diagnostics)).toEqual(['xml-limit:1'])
    expect(parseXml(deep, 'f', { maxLength: 1e7, maxDepth: 1e6, maxElements: 1e6 }).name).toBe('a')
  })
})
