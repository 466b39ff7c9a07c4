import { describe, expect, test } from 'vitest'
import { describeRobot, type RobotDescription } from '../../robots/index.ts'
import { codes, errorOf, inertial, lookalikeText, robotOf } from './lookalike.ts'

function describeFile(name: string): RobotDescription {
  return describeRobot(lookalikeText(`urdf/${name}`), { file: name })
}

describe('a wrong file', () => {
  test('yields all its bad numbers at once, each with its line', () => {
    const error = errorOf(() => describeFile('bad_numbers.urdf'))
    expect(codes(error.diagnostics, 'error')).toEqual([
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
      'bad_numbers.urdf:5 <origin> of <inertial> of link "a": xyz="0, 0, 1": "0," is no number. Expected 3 numbers separated by blanks.',
    )
    expect(lines[3]).toBe(
      'bad_numbers.urdf:10 <origin> of <collision> of link "a": xyz="0 0 0 1" holds 4 numbers. Expected 3 numbers separated by blanks.',
    )
  })

  test('that is no tree is refused with every reason', () => {
    const error = errorOf(() => describeFile('bad_tree.urdf'))
    expect(codes(error.diagnostics, 'error')).toEqual([
      'duplicate-link:7',
      'duplicate-joint:13',
      'joint-unsupported:14',
      'two-parents:12',
      'cycle:11',
    ])
    expect(error.message).toContain('the links "b" -> "c" -> "a" -> "b" form a loop')
  })

  const link = (name: string) => `<link name="${name}"/>`
  const fixed = (name: string, parent: string, child: string) =>
    `<joint name="${name}" type="fixed"><parent link="${parent}"/><child link="${child}"/></joint>`

  test.each([
    ['several-roots:1', link('a') + link('b')],
    ['cycle:1', link('a') + link('b') + fixed('1', 'a', 'b') + fixed('2', 'b', 'a')],
    ['cycle:1', link('a') + fixed('1', 'a', 'a')],
    ['undeclared-link:1', link('a') + fixed('1', 'a', 'ghost')],
    ['undeclared-link:1', link('a') + fixed('1', 'ghost', 'a')],
    ['name-missing:1', link('a') + '<link/>'],
    ['name-missing:1', link('a') + '<link name=""/>'],
    ['no-links:1', '<material name="red"/>'],
    ['parent-missing:1', link('a') + '<joint name="j" type="fixed"><child link="a"/></joint>'],
    ['attribute-missing:1', link('a') + '<joint name="j" type="fixed"><parent/><child link="a"/></joint>'],
    [
      'axis-zero:1',
      link('a') + link('b') + fixed('j', 'a', 'b').replace('fixed', 'revolute').replace('</j', '<axis xyz="0 0 0"/></j'),
    ],
    ['joint-unsupported:1', link('a') + link('b') + fixed('j', 'a', 'b').replace('fixed', 'floating')],
    ['mass-negative:1', '<link name="a"><inertial><mass value="-1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'],
  ])('%s is the whole verdict on %s', (code, elements) => {
    expect(codes(errorOf(() => robotOf(elements)).diagnostics, 'error')).toEqual([code])
  })

  test('of another kind is named as what it is', () => {
    expect(codes(errorOf(() => describeRobot('<sdf/>', { file: 'f' })).diagnostics)).toEqual(['no-robot:1'])
  })

  test('with too many links needs the limit raised', () => {
    const chain = Array.from(
      { length: 1001 },
      (_, i) => link(`l${i}`) + (i === 0 ? '' : fixed(`j${i}`, `l${i - 1}`, `l${i}`)),
    ).join('')
    expect(codes(errorOf(() => robotOf(chain)).diagnostics)).toEqual(['too-many-links:1'])
    expect(robotOf(chain, { maxLinks: 1001 }).frames).toHaveLength(1001)
  })

  test('with an expression in a file that is not xacro is refused with the line', () => {
    const text = '<robot name="r">\n<link name="a"/>\n<link name="$(arg b)"/>\n</robot>'
    expect(codes(errorOf(() => describeRobot(text, { file: 'f' })).diagnostics)).toEqual(['xacro-leftover:3'])
  })
})

describe('an odd file', () => {
  test('loads by stated rules', () => {
    const { joints, diagnostics } = describeFile('odd_joints.urdf')
    const joint = (name: string) => joints.find((candidate) => candidate.name === name)!
    expect(joint('no_limit')).toMatchObject({ axis: [1, 0, 0], lower: -Infinity, upper: Infinity, effort: Infinity })
    expect(joint('reversed')).toMatchObject({ lower: 0.1, upper: 0.3, effort: Infinity, velocity: Infinity })
    expect(joint('round')).toMatchObject({ axis: [0, 0, 1], lower: -Infinity, upper: Infinity, effort: 5, velocity: Infinity })
    expect(joint('effort_only')).toMatchObject({ lower: -Infinity, upper: Infinity, effort: 7, velocity: 3 })
    expect(joint('copy').mimic).toMatchObject({ joint: 'nobody', multiplier: 1, offset: 0 })
    expect(codes(diagnostics)).toEqual([
      'limit-missing:11',
      'limit-reversed:13',
      'effort-zero:13',
      'velocity-zero:13',
      'effort-negative:17',
      'limit-missing:18',
      'mimic-free:20',
      'mimic-master:20',
    ])
  })

  test('takes an axis of any length to unit length', () => {
    const axisOf = (xyz: string) =>
      describeRobot(
        `<robot><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="${xyz}"/></joint></robot>`,
        { file: 'f' },
      ).joints[0].axis
    expect(axisOf('0 3 4')).toEqual([0, 0.6, 0.8])
    expect(axisOf('0 0 -1e-300')).toEqual([0, 0, -1])
    expect(axisOf('1e300 0 0')).toEqual([1, 0, 0])
  })

  test('tells what it used, what it kept for the eye only, and what it passed by', () => {
    const { tags } = describeRobot(
      `<robot name="r"><link name="a">${inertial}<visual><geometry><sphere radius="1"/></geometry><material name="m"/></visual></link>
       <transmission name="t"><type>x</type></transmission><gazebo reference="a"><mu1>1</mu1><kp>1</kp></gazebo></robot>`,
      { file: 'f' },
    )
    expect(tags.used).toEqual(expect.arrayContaining(['robot', 'link', 'inertial', 'mass', 'inertia', 'gazebo/mu1']))
    expect(tags.carried).toEqual(expect.arrayContaining(['visual', 'material']))
    expect(tags.ignored).toEqual(['transmission', 'gazebo/kp'])
  })

  test('of Object.prototype names is just a robot', () => {
    const robot = robotOf(lookalikeText('urdf/names.urdf').split('\n').slice(2, -2).join(''))
    expect(robot.frames.map(({ name }) => name)).toEqual(['constructor', '__proto__'])
    expect(robot.joints.map(({ name }) => name)).toEqual(['hasOwnProperty'])
  })

  test('takes friction from wherever files state it', () => {
    const sphere = (inside = '') => `<collision><geometry><sphere radius="1"/></geometry>${inside}</collision>`
    const { shapes, diagnostics } = robotOf(`
      <link name="a">${inertial}${sphere()}${sphere('<drake:proximity_properties><drake:mu_static value="0.7"/><drake:mu_dynamic value="0.4"/></drake:proximity_properties>')}
        <contact><lateral_friction value="0.9"/><restitution value="0.5"/></contact></link>
      <link name="b">${sphere()}</link><link name="c">${sphere()}</link>
      <joint name="1" type="fixed"><parent link="a"/><child link="b"/></joint>
      <joint name="2" type="fixed"><parent link="a"/><child link="c"/></joint>
      <gazebo reference="b"><mu1>0.3</mu1><mu2 value="0.2"/></gazebo>
      <gazebo reference="nobody"><mu1>0.3</mu1></gazebo>`)
    expect(shapes.map(({ name, friction, restitution }) => [name, friction, restitution])).toEqual([
      ['a#1', 0.9, 0.5],
      ['a#2', 0.4, 0.5],
      ['b', 0.2, undefined],
      ['c', undefined, undefined],
    ])
    expect(codes(diagnostics)).toEqual(['friction-anisotropic:7', 'gazebo-reference:8'])
  })
})
