import { describe, expect, test } from 'vitest'
import {
  describeElements,
  describeLookalike,
  describeText,
  fixed,
  jointText,
  placed,
  refusal,
  twoLinks,
  verdict,
  verdictOn,
} from './reading.ts'

const link = (name: string) => `<link name="${name}"/>`

describe('numbers', () => {
  test('that are wrong are all told of at once, each with its line', () => {
    const error = refusal(() => describeLookalike('bad_numbers.urdf'))
    expect(placed(error)).toEqual([
      'number:5', // commas
      'number:6', // NaN
      'number:7', // -1.57.
      'number-count:10', // four for three
      'number-count:11', // two for three
      'size-negative:15', // the tag begins a line before the attribute
      'xacro-leftover:22',
      'number:23', // overflows a double
      'joint-type:26',
    ])
    const lines = error.message.split('\n')
    expect(lines).toHaveLength(9)
    expect(lines[0]).toBe(
      'bad_numbers.urdf:5 <origin> of <inertial> of link "a": xyz="0, 0, 1": "0," is no number; without the comma it is. Expected 3 numbers separated by blanks.',
    )
    expect(lines[3]).toBe(
      'bad_numbers.urdf:10 <origin> of <collision> of link "a": xyz="0 0 0 1": that is 4 numbers. Expected 3 numbers separated by blanks.',
    )
    expect(lines[6]).toBe(
      `bad_numbers.urdf:22 <mass> of link "b": value="\${b_mass}" is a xacro expression that was not expanded. Expand the file with xacro, or declare xmlns:xacro in its <robot> if it is xacro.`,
    )
    expect(lines[7]).toContain('"1e999" is too large')
  })

  const massOf = (text: string) =>
    describeElements(`<link name="a"><inertial><mass value="${text}"/></inertial></link>`).links[0].inertial?.mass

  test.each([
    ['1', 1],
    ['+1.', 1],
    ['.5', 0.5],
    ['-2e-3', -0.002],
    [' \t7\r\n', 7],
    ['1E+2', 100],
    ['0000000000000000000000012', 12],
  ])('%j is a number', (text, value) => {
    expect(massOf(text)).toBe(value)
  })

  test.each([
    '',
    ' ',
    'NaN',
    'nan',
    'Infinity',
    'inf',
    '-inf',
    '1e999',
    '0x10',
    '1.0f',
    '1,5',
    '1_000',
    '1e',
    '--1',
    '1 2',
    '9'.repeat(101),
  ])('%j is none', (text) => {
    expect(() => massOf(text)).toThrow(/Expected a number/)
  })

  test('of a list may stand on several lines, with tabs and blanks between', () => {
    const { joints } = describeElements(`${twoLinks}${jointText('fixed', '<origin xyz="\t1\n   2\r\n 3 " rpy="0  0\t1"/>')}`)
    expect(joints[0].origin).toEqual({ xyz: [1, 2, 3], rpy: [0, 0, 1] })
  })
})

describe('expressions of xacro in a file that is none', () => {
  test.each([
    ['<link name="$(arg b)"/>', 3],
    [`<link name="a"/>\n<gazebo reference="\${x}"><mu1>1</mu1></gazebo>`, 4],
    [`<link name="a"/>\n<gazebo reference="a">\n<mu1>\${mu}</mu1></gazebo>`, 5],
    [
      `<link name="a"><visual><geometry><sphere radius="1"/></geometry>\n<material name="m"><color rgba="\${255/255} 0 0 1"/></material></visual></link>`,
      4,
    ],
    [`<link name="a"><visual><geometry><mesh filename="$(find x)/a.stl"/></geometry></visual></link>`, 3],
  ])('%s are refused with the line', (elements, line) => {
    expect(placed(refusal(() => describeText(`<robot name="r">\n\n${elements}</robot>`)))).toEqual([`xacro-leftover:${line}`])
  })
})

describe('the tree', () => {
  test('that is none is refused with every reason', () => {
    const error = refusal(() => describeLookalike('bad_tree.urdf'))
    expect(placed(error)).toEqual(['duplicate-link:7', 'cycle:11', 'two-parents:12', 'duplicate-joint:13'])
    expect(error.message).toContain('the links "b" -> "c" -> "a" -> "b" form a loop')
    expect(error.message).toContain('link "b" has a parent already, by joint "ab" at line 9')
  })

  test.each([
    ['several-roots', link('a') + link('b')],
    ['cycle', link('a') + link('b') + fixed('1', 'a', 'b') + fixed('2', 'b', 'a')],
    ['cycle', link('a') + fixed('1', 'a', 'a')],
    ['undeclared-link', link('a') + fixed('1', 'a', 'ghost')],
    ['undeclared-link', link('a') + fixed('1', 'ghost', 'a')],
    ['undeclared-link', link('a') + fixed('1', 'a', 'world')],
    ['name-missing', `${link('a')}<link/>`],
    ['name-missing', `${link('a')}<link name=""/>`],
    ['name-missing', `${link('a')}${link('b')}<joint type="fixed"><parent link="a"/><child link="b"/></joint>`],
    ['no-links', '<material name="red"/>'],
    ['duplicate-link', link('a') + link('a')],
    ['parent-missing', `${link('a')}<joint name="j" type="fixed"><child link="a"/></joint>`],
    ['child-missing', `${link('a')}<joint name="j" type="fixed"><parent link="a"/></joint>`],
    ['attribute-missing', `${link('a')}<joint name="j" type="fixed"><parent/><child link="a"/></joint>`],
  ])('%s is the whole verdict on %s', (code, elements) => {
    expect(verdictOn(elements)).toEqual([`error ${code}`])
  })

  test('names the roots, the loops, and what may be meant', () => {
    const message = (elements: string) => refusal(() => describeElements(elements)).message
    expect(message(link('a') + link('b') + link('c'))).toContain('3 links have no parent: "a", "b", "c".')
    expect(message(link('a') + fixed('1', 'a', 'a'))).toContain('it joins link "a" to itself')
    expect(message(link('base_link') + link('arm') + fixed('1', 'base_lnik', 'arm'))).toContain(
      'its parent "base_lnik" is no <link>; "base_link" may be meant.',
    )
    const loops = 'abcd'
      .split('')
      .map(link)
      .concat(fixed('1', 'a', 'b'), fixed('2', 'b', 'a'), fixed('3', 'c', 'd'), fixed('4', 'd', 'c'))
    expect(placed(refusal(() => describeElements(loops.join('\n'))))).toEqual(['cycle:6', 'cycle:8'])
  })

  test('may hang on a world that is not declared', () => {
    const { root, worldUndeclared, links } = describeElements(link('a') + fixed('1', 'world', 'a'))
    expect({ root, worldUndeclared, links: links.length }).toEqual({ root: 'world', worldUndeclared: true, links: 1 })
    const declared = describeElements(link('a') + link('world') + fixed('1', 'world', 'a'))
    expect([declared.root, declared.worldUndeclared]).toEqual(['world', false])
    expect(verdictOn(link('a') + link('b') + fixed('1', 'world', 'a'))).toEqual(['error several-roots'])
  })

  test('may have children before their parents, joints before links, and joints called like links', () => {
    const { root } = describeElements(fixed('b', 'a', 'b') + link('b') + link('a'))
    expect(root).toBe('a')
  })

  test('of more links than the limit needs the limit raised', () => {
    const chain = Array.from({ length: 1001 }, (_, i) => link(`l${i}`) + (i === 0 ? '' : fixed(`j${i}`, `l${i - 1}`, `l${i}`)))
    expect(verdictOn(chain.join(''))).toEqual(['error too-many-links'])
    expect(describeText(`<robot>${chain.join('')}</robot>`, 'f', { maxLinks: 1001 }).links).toHaveLength(1001)
    expect(verdictOn(link('a') + fixed('j', 'a', 'a').repeat(1001))).toEqual(['error too-many-joints'])
  })

  test.each([
    ['<sdf/>', 'no-robot:1'],
    ['\n<mujoco/>', 'no-robot:2'],
    ['<launch><robot name="x"><link name="a"/></robot></launch>', 'no-robot:1'],
  ])('%s is no robot', (text, code) => {
    expect(placed(refusal(() => describeText(text)))).toEqual([code])
  })
})

describe('names', () => {
  test('of properties that every object has are just names', () => {
    const { name, root, links, joints, diagnostics } = describeLookalike('names.urdf')
    expect([name, root]).toEqual(['toString', 'constructor'])
    expect(links.map((one) => [one.name, one.friction])).toEqual([
      ['constructor', undefined],
      ['__proto__', 0.1],
    ])
    expect(joints.map((one) => one.name)).toEqual(['hasOwnProperty'])
    expect(diagnostics).toEqual([])
  })

  test('may be long, foreign and full of blanks, and are cut in messages only', () => {
    const long = 'x'.repeat(100_000)
    const { links } = describeElements(link(long) + link(' ünï 机器人 ') + fixed('1', long, ' ünï 机器人 '))
    expect(links.map(({ name }) => name.length)).toEqual([100_000, 9])
    const { message } = refusal(() => describeElements(link(long) + link(long)))
    expect(message.length).toBeLessThan(300)
  })
})

test('findings stand in the order of the file', () => {
  const described = describeText(`<robot name="r">
    ${twoLinks}
    ${jointText('revolute', '\n<limit effort="1" velocity="-1"/>\n<axis xyz="0 0 2"/>')}
    <gazebo reference="nobody"/>
  </robot>`)
  expect(placed(described)).toEqual(['limit-missing:4', 'velocity-negative:4', 'axis-length:5', 'gazebo-reference:6'])
  expect(verdict(described)).toEqual([
    'warning limit-missing!',
    'warning velocity-negative!',
    'warning axis-length!',
    'warning gazebo-reference',
  ])
})
