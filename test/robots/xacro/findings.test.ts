import { describe, expect, test } from 'vitest'
import { codes, errorOf } from '../lookalike.ts'
import { type Expanding, expand } from './expanding.ts'

const macro = `<xacro:macro name="leg" params="name length:=1 *origin"><link name="\${name}" x="\${lenght}"/></xacro:macro>`

describe('a file that is wrong', () => {
  test.each<[string, string, string, string, Expanding?]>([
    ['an unknown name', `<l v="\${nobody}"/>`, 'xacro-expression:2', 'the name "nobody" is not defined.'],
    [
      'a misspelt name',
      `<xacro:property name="length" value="1"/>\n<l v="\${lenght / 2}"/>`,
      'xacro-expression:3',
      `main.xacro:3 <l> v="\${lenght / 2}": the name "lenght" is not defined. Did you mean "length"?`,
    ],
    [
      'a property that fails where it is used is wrong where it stands',
      `<xacro:property name="a" value="\${1 / 0}"/>\n<l v="\${a}"/>\n<l v="\${a}"/>`,
      'xacro-expression:2',
      'division by zero. It is used at main.xacro:3.',
    ],
    [
      'a property that needs itself',
      `<xacro:property name="a" value="\${b}"/>\n<xacro:property name="b" value="\${a}"/>\n<l v="\${a}"/>`,
      'xacro-expression:3',
      'the property "a" (main.xacro:2) needs its own value.',
    ],
    ['an unknown macro', '<link/>\n<xacro:nobody/>', 'xacro-macro:3', 'there is no macro "nobody". Include the file'],
    ['a misspelt macro', `${macro}\n<xacro:lge/>`, 'xacro-macro:3', 'Did you mean "leg"?'],
    ['a misspelt element of xacro', '<xacro:proprety name="a"/>', 'xacro-macro:2', 'there is no macro "proprety".'],
    ['a macro by an unknown name', `<xacro:call macro="\${'x'}"/>`, 'xacro-macro:2', 'there is no macro "x"'],
    [
      'a parameter that is missing',
      `${macro}\n<xacro:leg><origin/></xacro:leg>`,
      'xacro-macro:3',
      'the macro "leg" (main.xacro:2) needs "name". Give name="...".',
    ],
    [
      'a parameter that is not there',
      `${macro}\n<xacro:leg name="a" lenght="2"><origin/></xacro:leg>`,
      'xacro-macro:3',
      'has no parameter "lenght". Did you mean "length"?',
    ],
    ['a block that is missing', `${macro}\n<xacro:leg name="a"/>`, 'xacro-macro:3', 'needs an element for "*origin"'],
    [
      'a block too many',
      `${macro}\n<xacro:leg name="a"><origin/>\n<limit/></xacro:leg>`,
      'xacro-macro:4',
      'takes no further element',
    ],
    ['a block that nobody holds', '<xacro:insert_block name="o"/>', 'xacro-macro:2', 'there is no block "o"'],
    [
      'an error inside a macro names the call',
      `${macro}\n<xacro:leg name="a"><origin/></xacro:leg>\n<xacro:leg name="b"><origin/></xacro:leg>`,
      'xacro-expression:2',
      '(In macro "leg", called at main.xacro:3.)',
    ],
    [
      'a value to forward that nobody has',
      '<xacro:macro name="m" params="a:=^"/>\n<xacro:m/>',
      'xacro-expression:3',
      'takes "a" from where it is called',
    ],
    [
      'a quotation mark without its other half',
      '<xacro:macro name="m" params="a:=\'0 0"/>\n<xacro:m/>',
      'xacro-expression:2',
      "has no closing '",
    ],
    ['a macro called like an element of xacro', '<xacro:macro name="call"/>', 'xacro-macro:2', 'cannot be called "call"'],
    ['a macro with a dot', '<xacro:macro name="a.b"/>', 'xacro-macro:2', 'without a dot'],
    ['a condition that is none', '<xacro:if value="yes"/>', 'xacro-expression:2', "the condition is the string 'yes'"],
    ['a condition without a value', '<xacro:if cond="1"/>', 'xacro-element:2', 'the attribute "value" is missing'],
    ['a property without a name', '<xacro:property value="1"/>', 'xacro-element:2', 'the attribute "name" is missing'],
    ['a property with value and default', '<xacro:property name="a" value="1" default="2"/>', 'xacro-element:2', 'more than one'],
    ['an element without a name', '<xacro:element xacro:name=""/>', 'xacro-element:2', 'the name is empty'],
    [
      'an argument that nobody declared',
      '<l v="$(arg x)"/>',
      'xacro-expression:2',
      'the argument "x" is not declared. Give x:=...',
    ],
    [
      'an argument without a default',
      '<xacro:arg name="x"/>',
      'xacro-argument:2',
      'has no default, and no value is given. Give x:=...',
    ],
    ['an environment without the variable', '<l v="$(env X)"/>', 'xacro-expression:2', 'no variable "X"'],
    ['anon', '<l v="$(anon x)"/>', 'xacro-expression:2', 'new each time'],
    ['cwd', '<l v="$(cwd)"/>', 'xacro-expression:2', '$(dirname)'],
    ['an unknown command', '<l v="$(fnid x)"/>', 'xacro-expression:2', 'Did you mean "find"?'],
    ['a bracket that stays open', `<l v="\${1 + "/>`, 'xacro-expression:2', 'is not closed'],
    [
      'a file that is missing',
      `<xacro:include filename="a/none.xacro"/>\n<xacro:m/>\n<l v="\${x}"/>`,
      'xacro-include:2',
      '"a/none.xacro" was not found',
    ],
    [
      'a file that is no XML',
      '<xacro:include filename="bad.xacro"/>\n<xacro:m/>',
      'xml-syntax:2',
      'bad.xacro:2',
      { files: { 'bad.xacro': '<robot>\n<a></robot>' } },
    ],
    ['YAML that is missing', `<l v="\${xacro.load_yaml('a.yaml')}"/>`, 'xacro-expression:2', '"a.yaml" was not found'],
    [
      'YAML of a package that is missing',
      `<l v="\${xacro.load_yaml('$(find gone)/a.yaml')}"/>`,
      'xacro-expression:2',
      'the package "gone" is not here',
    ],
    [
      'YAML that is none',
      `<l v="\${xacro.load_yaml('a.yaml')}"/>`,
      'xacro-expression:2',
      'at line 2',
      { files: { 'a.yaml': 'a: 1\nb: c: d\n' } },
    ],
    [
      'YAML of a type that is not known',
      `<l v="\${xacro.load_yaml('a.yaml')}"/>`,
      'xacro-expression:2',
      'Unresolved tag',
      { files: { 'a.yaml': 'a: !!python/object:os.system x\n' } },
    ],
    ['what the file itself refuses', `<l v="\${xacro.fatal('no', 1)}"/>`, 'xacro-expression:2', 'the file gives up: no 1'],
  ])('%s', (_, body, code, words, options) => {
    const error = errorOf(() => expand(body, options))
    expect(codes(error.diagnostics, 'error')).toEqual([code])
    expect(error.message).toContain(words)
  })

  test('says all that is wrong at once, each thing once', () => {
    const error = errorOf(() => expand(`<l v="\${a}" w="\${b}"/>\n<xacro:c/>\n<xacro:if value="x"/>`))
    expect(codes(error.diagnostics)).toEqual(['xacro-expression:2', 'xacro-expression:2', 'xacro-macro:3', 'xacro-expression:4'])
  })

  test('stops after twenty errors', () => {
    const error = errorOf(() => expand(Array.from({ length: 50 }, (_each, k) => `<l v="\${u${k}}"/>`).join('\n')))
    expect(error.diagnostics.length).toBe(20)
  })
})

describe('a warning is given of', () => {
  test.each<[string, string, string, string, Expanding?]>([
    [
      'an argument that the file does not declare',
      '<xacro:arg name="mass" default="1"/>',
      'xacro-argument:1',
      'Did you mean "mass"?',
      { xacroArgs: { mas: '1' } },
    ],
    [
      'such an argument that is like none, with those that there are',
      '<xacro:arg name="mass" default="1"/><xacro:arg name="side" default="left"/>',
      'xacro-argument:1',
      'It declares mass, side.',
      { xacroArgs: { x: '1' } },
    ],
    ['an attribute that xacro does not know', '<xacro:if value="1" vaule="0"/>', 'xacro-attribute:2', 'Did you mean "value"?'],
    ['a name that no expression can use', '<xacro:property name="a-b" value="1"/>', 'xacro-property:2', '"a-b"'],
    ['a scope around that of the file', '<xacro:property name="a" value="1" scope="parent"/>', 'xacro-property:2', 'no scope'],
    ['what the file says', `<l>\${xacro.warning('mind', 2)}</l>`, 'xacro-message:2', 'the file says: mind 2'],
    ['a pattern that no file fits', '<xacro:include filename="*.none"/>', 'xacro-include:2', 'no file fits'],
    [
      'a pattern that only a folder fits',
      '<xacro:include filename="*.none"/>',
      'xacro-include:2',
      'no file fits',
      { files: { 'folder.none/part.xacro': '<robot/>' } },
    ],
    [
      'another letter case',
      '<xacro:include filename="PART.xacro"/>',
      'xacro-case:2',
      'Correct the letter case',
      { files: { 'part.xacro': '<robot/>' } },
    ],
    [
      'a package that is gone without',
      '<xacro:include filename="$(find gone)/a.xacro"/>',
      'xacro-package:2',
      'the package "gone" was not found',
    ],
  ])('%s', (_, body, code, words, options) => {
    const { diagnostics } = expand(body, options)
    expect(codes(diagnostics)).toEqual([code])
    expect(`${diagnostics[0].message} ${diagnostics[0].remedy}`).toContain(words)
  })

  test('a package once, and its macro that is called after all is an error that says so', () => {
    const body = '<xacro:include filename="$(find gone)/camera.xacro"/>\n<xacro:camera/>'
    const error = errorOf(() => expand(body))
    expect(codes(error.diagnostics)).toEqual(['xacro-package:2', 'xacro-macro:3'])
    expect(error.diagnostics[0].repaired).toBe(true)
    expect(error.message).toContain('Perhaps it is in the package "gone" (main.xacro:2).')
  })
})
