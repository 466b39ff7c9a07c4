import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../robots/robot.ts'
import { decodeXml, parseXml } from '../../robots/xml.ts'
import { refusal as errorOf, placed } from './reading.ts'

const codes = (diagnostics: readonly Diagnostic[]) => placed({ diagnostics })

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

  test('refuses an attribute that is stated twice', () => {
    const error = errorOf(() => parseXml('<a>\n<b\n x="1" y="2" x="3"/></a>', 'f.xml'))
    expect(codes(error.diagnostics)).toEqual(['xml-attribute-twice:2'])
    expect(error.message).toContain('the attribute x twice, "1" and "3"')
  })

  test('takes any name of an attribute as just a name', () => {
    const { attributes } = parseXml('<a hasOwnProperty="1" __proto__="2" constructor="3" b="4"/>', 'f')
    expect(Object.entries(attributes)).toEqual([
      ['hasOwnProperty', '1'],
      ['__proto__', '2'],
      ['constructor', '3'],
      ['b', '4'],
    ])
  })

  test('takes comments anywhere, with dashes in them, and nowhere else', () => {
    const text = '<!-- -- -->\n<a><!--- x ---><b/><!----><!-- <c/>\n--><d x="1"/><![CDATA[<!-- kept -->]]></a>\n<!-- end -->'
    const root = parseXml(text, 'f')
    expect(root.children.map(({ name, line }) => `${name}:${line}`)).toEqual(['b:2', 'd:3'])
    expect([root.line, root.text]).toEqual([2, '<!-- kept -->'])
    expect(codes(errorOf(() => parseXml('<a>\n<!-- open </a>', 'f')).diagnostics)).toEqual(['xml-syntax:2'])
  })

  test('knows the entities of XML, and passes processing instructions by', () => {
    const root = parseXml('<?xml version="1.0"?><?pi <!-- ?><a x="&lt;&amp;&#65;&quot;">&gt;</a>', 'f')
    expect([root.attributes.x, root.text]).toEqual(['<&A"', '>'])
    expect(codes(errorOf(() => parseXml('<a>&unknown;</a>', 'f')).diagnostics)).toEqual(['xml-syntax:1'])
  })

  test('keeps the prefixes of names, declared or not', () => {
    const root = parseXml('<a xmlns:d="x"><d:b/><e:c f:g="1"/></a>', 'f')
    expect(root.children.map(({ name }) => name)).toEqual(['d:b', 'e:c'])
    expect(root.children[1].attributes['f:g']).toBe('1')
  })

  test('refuses text after the end', () => {
    expect(codes(errorOf(() => parseXml('<a/>\n\nnoise', 'f')).diagnostics)).toEqual(['xml-syntax:3'])
  })
})

describe('the text of a file', () => {
  const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
  const utf16 = (text: string, big: boolean) =>
    Uint8Array.from(
      [...text].flatMap((letter) => {
        const code = letter.charCodeAt(0)
        return big ? [code >> 8, code & 255] : [code & 255, code >> 8]
      }),
    )
  const nameIn = (bytes: Uint8Array) => parseXml(decodeXml(bytes, 'f'), 'f').attributes.name

  test('is UTF-8, or what its first bytes or its declaration say', () => {
    expect(nameIn(new TextEncoder().encode('<a name="ü机"/>'))).toBe('ü机')
    expect(nameIn(new TextEncoder().encode('\ufeff<?xml version="1.0" encoding="UTF-8"?><a name="ü"/>'))).toBe('ü')
    expect(nameIn(utf16('\ufeff<?xml version="1.0" encoding="utf-16"?><a name="ü"/>', false))).toBe('ü')
    expect(nameIn(utf16('\ufeff<a name="ü"/>', true))).toBe('ü')
    expect(nameIn(utf16('<a name="ü"/>', false))).toBe('ü')
    expect(nameIn(utf16('<a name="ü"/>', true))).toBe('ü')
    expect(nameIn(ascii('<?xml version="1.0" encoding="ISO-8859-1"?><a name="\xfc"/>'))).toBe('ü')
    expect(nameIn(ascii("<?xml version='1.0' encoding='us-ascii'?><a name='x'/>"))).toBe('x')
    // a declaration that can be read byte by byte is not in UTF-16, whatever it says
    expect(nameIn(ascii('<?xml version="1.0" encoding="UTF-16"?><a name="x"/>'))).toBe('x')
    expect(decodeXml(new Uint8Array(0), 'f')).toBe('')
  })

  test('in an encoding that is not known is refused', () => {
    const unknown = ascii('<?xml version="1.0" encoding="klingon"?><a/>')
    expect(errorOf(() => decodeXml(unknown, 'f')).message).toBe('f:1: the encoding "klingon" is unknown. Save the file as UTF-8.')
    expect(codes(errorOf(() => decodeXml(Uint8Array.of(0, 0, 0xfe, 0xff), 'f')).diagnostics)).toEqual(['xml-encoding:1'])
    const misread = new TextDecoder('latin1').decode(utf16('<a/>', false))
    expect(codes(errorOf(() => parseXml(misread, 'f')).diagnostics)).toEqual(['xml-encoding:1'])
  })
})
