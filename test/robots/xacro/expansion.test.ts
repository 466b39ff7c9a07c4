import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { diskResolver } from '../../../robots/files.ts'
import { expandXacro, isXacro, parseXml } from '../../../robots/index.ts'
import { expand, expanded, print } from './expanding.ts'

const folder = fileURLToPath(new URL('./files', import.meta.url))
const cases = readFileSync(new URL('./cases.txt', import.meta.url), 'utf8')
  .split('\n\n# ')
  .slice(1)
  .map((block) => {
    const [, name, options = '', body, expected] = /^(.*)\n(?:with (.*)\n)?([\s\S]*)\n=> (.*)\s*$/.exec(block)!
    const words = options.split(' ').filter((word) => word !== '')
    const pairs = (separator: RegExp) => words.flatMap((word) => (separator.test(word) ? [word.split(separator)] : []))
    return { name, body, expected, args: Object.fromEntries(pairs(/:=/)), environment: Object.fromEntries(pairs(/(?<!:)=/)) }
  })

describe("as ROS' xacro", () => {
  test('in as many cases as the table has', () => {
    expect(cases.length).toBeGreaterThan(75)
  })

  test.each(cases)('$name', ({ body, expected, args, environment }) => {
    const file = `${folder}/main.xacro`
    const text = `<robot xmlns:xacro="http://www.ros.org/wiki/xacro">${body}</robot>`
    const options = { file, resolver: diskResolver([folder]), xacroArgs: args, environment }
    const { root } = expandXacro(parseXml(text, file), options)
    expect(root.text + root.children.map(print).join('')).toBe(expected)
    expect(isXacro(root)).toBeUndefined()
  })
})

describe("beyond ROS' xacro", () => {
  test.each([
    ['brackets nest in expressions', `<l v="\${{'a': {'b': 2}}['a']['b']} \${'}'}"/>`, '<l v="2 }"/>'],
    ['commands nest', '<xacro:arg name="a" default="b"/><xacro:arg name="b" default="1"/><l v="$(arg $(arg a))"/>', '<l v="1"/>'],
    [
      'eval knows arguments, with brackets',
      `<xacro:arg name="n" default="2"/><l v="$(eval n * (n + 1)) $(eval arg('n') == 2 and true)"/>`,
      '<l v="6 True"/>',
    ],
    [
      'an attribute is added from inside a condition',
      '<l><xacro:if value="1"><xacro:attribute name="v" value="1"/></xacro:if></l>',
      '<l v="1"/>',
    ],
    [
      'and from a macro',
      '<xacro:macro name="m"><xacro:attribute name="v" value="2"/></xacro:macro><l><xacro:m/></l>',
      '<l v="2"/>',
    ],
    ['1.0 is true', '<xacro:if value="1.0"><a/></xacro:if><xacro:unless value="0.0"><b/></xacro:unless>', '<a/><b/>'],
    [
      'the functions of Python are known without a prefix',
      `<l v="\${abs(-2)} \${sum([1, 2])} \${any([0])}"/>`,
      '<l v="2 3 False"/>',
    ],
    ['but stand back behind properties', `<xacro:property name="sum" default="7"/><l v="\${sum}"/>`, '<l v="7"/>'],
    [
      'the name of a block may be computed',
      `<xacro:property name="b"><c/></xacro:property><xacro:insert_block name="\${'b'}"/>`,
      '<c/>',
    ],
    [
      'names that objects have are just names',
      '<xacro:property name="constructor" value="1"/><xacro:property name="__proto__" value="2"/>' +
        `<xacro:macro name="toString" params="__proto__ valueOf:=3"><l constructor="\${__proto__}" __proto__="\${valueOf}"/></xacro:macro>` +
        `<xacro:toString __proto__="9"/><l v="\${constructor + __proto__}$(optenv toString x)"/>`,
      '<l constructor="9" __proto__="3"/><l v="3x"/>',
    ],
  ])('%s', (_, body, expected) => {
    expect(expanded(body)).toBe(expected)
  })

  test('dirname is the folder of the file in which it stands', () => {
    const files = { 'a/b.xacro': '<robot><l v="$(dirname)"/></robot>' }
    expect(expanded('<l v="$(dirname)"/><xacro:include filename="a/b.xacro"/>', { files })).toBe('<l v="."/><l v="a"/>')
  })

  test('a package that is not here stays in a reference for who reads it', () => {
    const body = '<mesh filename="file://$(find gone)/a.stl"/><mesh filename="$(find gone)/a.stl"/>'
    const mesh = '<mesh filename="package://gone/a.stl"/>'
    expect(expanded(body)).toBe(mesh + mesh)
  })
})

describe('places', () => {
  const files = {
    'legs.xacro':
      '<robot xmlns:xacro="x">\n<xacro:macro name="leg" params="*o">\n<link>\n<xacro:insert_block name="o"/>\n</link>\n</xacro:macro>\n</robot>',
  }

  test('of an element are where it is written: in the body of a macro, in an included file, in a call', () => {
    const body = '<xacro:include filename="legs.xacro"/>\n<xacro:leg>\n<origin/>\n</xacro:leg>'
    const { root } = expand(body, { files })
    const [link] = root.children
    expect([link.file, link.line]).toEqual(['legs.xacro', 3])
    expect([link.children[0].file, link.children[0].line]).toEqual(['main.xacro', 4])
    expect([root.file, root.line]).toEqual(['main.xacro', 1])
  })

  test('of expanded elements are no longer xacro, and plain URDF never was', () => {
    expect(isXacro(expand(`<l v="\${1}"/>`, {}).root)).toBeUndefined()
    expect(isXacro(parseXml(`<robot><l v="\${1}"/></robot>`, 'f'))).toBeUndefined()
    expect(isXacro(parseXml(`<robot xmlns:xacro="x">\n<l>\${1}</l></robot>`, 'f'))?.line).toBe(2)
    expect(isXacro(parseXml('<robot><a/>\n<xacro:if value="1"/></robot>', 'f'))?.line).toBe(2)
  })
})
