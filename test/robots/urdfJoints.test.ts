import { describe, expect, test } from 'vitest'
import type { JointDescription } from '../../robots/description.ts'
import { describeElements, describeLookalike, fixed, jointText, refusal, twoLinks, verdict, verdictOn } from './reading.ts'

const limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'

function jointOf(type: string, inside = '', outside = ''): JointDescription {
  return describeElements(twoLinks + jointText(type, inside) + outside).joints[0]
}

function verdictOf(type: string, inside = '', outside = ''): string[] {
  return verdictOn(twoLinks + jointText(type, inside) + outside)
}

describe('joint types', () => {
  test.each([
    ['revolute', 'revolute', limit],
    ['continuous', 'continuous', ''],
    ['prismatic', 'prismatic', limit],
    ['fixed', 'fixed', ''],
    ['floating', 'floating', ''],
    ['planar', 'planar', ''],
    ['spherical', 'spherical', ''],
    ['ball', 'spherical', ''],
  ])('%s is read as %s without a finding', (type, read, inside) => {
    const described = describeElements(twoLinks + jointText(type, inside))
    expect(described.joints[0]).toMatchObject({ type: read, axis: [1, 0, 0] })
    expect(described.diagnostics).toEqual([])
  })

  test("Drake's ball joint is a spherical one", () => {
    const text = jointText('ball', '<dynamics damping="0.5"/>').replaceAll('joint', 'drake:joint')
    const { joints, tags } = describeElements(twoLinks + text)
    expect(joints[0]).toMatchObject({ name: 'j', type: 'spherical', damping: 0.5 })
    expect(tags.used).toContain('drake:joint')
  })

  test.each([
    ['hinge', 'type "hinge" is unknown.'],
    ['revolut', 'type "revolut" is unknown; "revolute" may be meant.'],
    ['Continuous', 'type "Continuous" is unknown; "continuous" may be meant.'],
    ['', 'type "" is unknown.'],
    ['constructor', 'type "constructor" is unknown.'],
  ])('%s is refused, with the nearest that is known', (type, message) => {
    const error = refusal(() => jointOf(type))
    expect(error.diagnostics.map(({ code }) => code)).toEqual(['joint-type'])
    expect(error.message).toContain(message)
    expect(error.message).toContain('Known are revolute, continuous, prismatic, fixed, floating, planar and spherical.')
  })

  test('a joint without a type is refused', () => {
    const text = jointText('fixed').replace(' type="fixed"', '')
    expect(verdictOn(twoLinks + text)).toEqual(['error joint-type'])
  })

  test('any number of floating joints may stand anywhere', () => {
    const links = ['a', 'b', 'c', 'd'].map((name) => `<link name="${name}"/>`).join('')
    const joints = fixed('1', 'a', 'b') + fixed('2', 'b', 'c') + fixed('3', 'b', 'd')
    const described = describeElements(links + joints.replaceAll('fixed', 'floating'))
    expect(described.joints.map(({ type }) => type)).toEqual(['floating', 'floating', 'floating'])
    expect(described.diagnostics).toEqual([])
  })
})

describe('limits', () => {
  const unlimited = { lower: -Infinity, upper: Infinity }

  test.each<[string, string, string, Partial<JointDescription>, string[]]>([
    [
      'both stated',
      'revolute',
      '<limit lower="-1" upper="2" effort="3" velocity="4"/>',
      { lower: -1, upper: 2, effort: 3, velocity: 4 },
      [],
    ],
    ['beyond a turn', 'revolute', '<limit lower="-7" upper="20" effort="3" velocity="4"/>', { lower: -7, upper: 20 }, []],
    ['no <limit>', 'revolute', '', { ...unlimited, effort: Infinity, velocity: Infinity }, ['warning limit-missing!']],
    ['no <limit>', 'prismatic', '', unlimited, ['warning limit-missing!']],
    [
      'neither stated',
      'prismatic',
      '<limit effort="3" velocity="4"/>',
      { ...unlimited, effort: 3, velocity: 4 },
      ['warning limit-missing!'],
    ],
    // the standard's default for either is 0
    ['lower alone', 'revolute', '<limit lower="-1" effort="3" velocity="4"/>', { lower: -1, upper: 0 }, ['warning limit-half!']],
    ['upper alone', 'revolute', '<limit upper="1" effort="3" velocity="4"/>', { lower: 0, upper: 1 }, ['warning limit-half!']],
    [
      'reversed',
      'revolute',
      '<limit lower="2" upper="-1" effort="3" velocity="4"/>',
      { lower: -1, upper: 2 },
      ['warning limit-reversed!'],
    ],
    [
      'equal',
      'revolute',
      '<limit lower="1" upper="1" effort="3" velocity="4"/>',
      { lower: 1, upper: 1 },
      ['warning limit-locked'],
    ],
    [
      'of zero effort and velocity',
      'revolute',
      '<limit lower="-1" upper="1" effort="0" velocity="0.0"/>',
      { effort: Infinity, velocity: Infinity },
      ['warning effort-zero!', 'warning velocity-zero!'],
    ],
    [
      'of negative effort and velocity',
      'revolute',
      '<limit lower="-1" upper="1" effort="-5" velocity="-2"/>',
      { effort: 5, velocity: 2 },
      ['warning effort-negative!', 'warning velocity-negative!'],
    ],
    [
      'without effort and velocity',
      'revolute',
      '<limit lower="-1" upper="1"/>',
      { effort: Infinity, velocity: Infinity },
      ['info effort-missing', 'info velocity-missing'],
    ],
    ['on a continuous joint', 'continuous', limit, { ...unlimited, effort: 1, velocity: 1 }, ['info limit-continuous']],
    ['on a fixed joint', 'fixed', limit, { ...unlimited, effort: Infinity }, ['info limit-unused']],
    ['on a floating joint', 'floating', limit, { ...unlimited, effort: Infinity }, ['info limit-unused']],
    ['on a planar joint', 'planar', limit, { ...unlimited, effort: Infinity }, ['info limit-unused']],
  ])('%s (%s)', (_, type, inside, expected, findings) => {
    const described = describeElements(twoLinks + jointText(type, inside))
    expect(described.joints[0]).toMatchObject(expected)
    expect(verdict(described)).toEqual(findings)
  })

  test('of safety controllers are kept, whatever the others are', () => {
    const soft = '<safety_controller soft_lower_limit="-0.9" soft_upper_limit="0.8" k_position="100" k_velocity="1"/>'
    const { joints, tags, diagnostics } = describeElements(twoLinks + jointText('revolute', limit + soft))
    expect(joints[0]).toMatchObject({ lower: -1, upper: 1, softLower: -0.9, softUpper: 0.8 })
    expect(tags.carried).toEqual([
      'safety_controller',
      'joint/safety_controller@k_position',
      'joint/safety_controller@k_velocity',
    ])
    expect(diagnostics).toEqual([])
    expect(jointOf('revolute', `${limit}<safety_controller k_velocity="1"/>`).softLower).toBeUndefined()
  })

  test('many joints with the same unused limit make one finding', () => {
    const links = ['a', 'b', 'c', 'd'].map((name) => `<link name="${name}"/>`).join('')
    const joints = fixed('1', 'a', 'b') + fixed('2', 'a', 'c') + fixed('3', 'a', 'd')
    const { diagnostics } = describeElements(links + joints.replaceAll('</joint>', `${limit}</joint>`))
    expect(diagnostics.map(({ message }) => message)).toEqual(['a fixed joint has no use for it. So with 2 more.'])
  })
})

describe('an axis', () => {
  const axisOf = (xyz: string) => jointOf('continuous', `<axis xyz="${xyz}"/>`).axis

  test('has unit length, and its direction whatever its length', () => {
    expect(axisOf('0 3 4')).toEqual([0, 0.6, 0.8])
    expect(axisOf('0 0 -1e-300')).toEqual([0, 0, -1])
    expect(axisOf('1e300 0 0')).toEqual([1, 0, 0])
    expect(axisOf('5e-324 0 0')).toEqual([1, 0, 0])
    expect(axisOf('0 -1 0')).toEqual([0, -1, 0])
  })

  test.each<[string, string, string, string[]]>([
    ['missing', 'revolute', '', []],
    ['without xyz', 'revolute', '<axis/>', ['warning axis-missing!']],
    // what three digits leave of an oblique axis
    ['rounded', 'revolute', '<axis xyz="0.577 0.577 0.577"/>', []],
    ['of half length', 'revolute', '<axis xyz="0.5 0 0"/>', ['warning axis-length!']],
    ['zero', 'revolute', '<axis xyz="0 0 0"/>', ['error axis-zero']],
    ['zero', 'continuous', '<axis xyz="0 -0 0"/>', ['error axis-zero']],
    ['zero', 'planar', '<axis xyz="0 0 0"/>', ['error axis-zero']],
    ['zero', 'fixed', '<axis xyz="0 0 0"/>', []],
    ['zero', 'floating', '<axis xyz="0 0 0"/>', []],
    ['twice', 'revolute', '<axis xyz="0 0 1"/><axis xyz="0 1 0"/>', ['warning repeated-element!']],
    ['misspelt', 'revolute', '<axis xzy="0 0 1"/>', ['warning attribute-misspelt!', 'warning axis-missing!']],
  ])('%s on a %s joint', (_, type, inside, findings) => {
    const inner = type === 'revolute' ? limit : ''
    expect(verdictOf(type, inner + inside).sort()).toEqual(findings.toSorted())
  })

  test('is the normal of a planar joint', () => {
    expect(jointOf('planar', '<axis xyz="0 0 1"/>').axis).toEqual([0, 0, 1])
  })
})

describe('dynamics', () => {
  test('of a joint are damping and friction, and others are carried by name', () => {
    const inside = '<dynamics damping="0.3" friction="0.2" D="1" K="7000" mu_coulomb="0" mu_viscous="16"/>'
    const { joints, tags, diagnostics } = describeElements(twoLinks + jointText('continuous', inside))
    expect(joints[0]).toMatchObject({ damping: 0.3, friction: 0.2 })
    expect(tags.carried).toEqual(['D', 'K', 'mu_coulomb', 'mu_viscous'].map((name) => `joint/dynamics@${name}`))
    expect(diagnostics).toEqual([])
  })

  test('that would drive the joint lose their sign', () => {
    const inside = '<dynamics damping="-0.3" friction="-0.2"/>'
    expect(jointOf('continuous', inside)).toMatchObject({ damping: 0.3, friction: 0.2 })
    expect(verdictOf('continuous', inside)).toEqual(['warning damping-negative!', 'warning friction-negative!'])
  })

  test('of a fixed joint mean nothing', () => {
    expect(jointOf('fixed', '<dynamics damping="0.3"/>').damping).toBe(0)
    expect(verdictOf('fixed', '<dynamics damping="0.3"/>')).toEqual(['info dynamics-unused'])
  })
})

describe('mimic', () => {
  test('has multiplier 1 and offset 0 by default', () => {
    expect(jointOf('continuous', '<mimic joint="k"/>').mimic).toMatchObject({ joint: 'k', multiplier: 1, offset: 0 })
    expect(jointOf('continuous', '<mimic joint="k" multiplier="-2" offset="0.5"/>').mimic).toMatchObject({
      multiplier: -2,
      offset: 0.5,
    })
  })

  test('has to say of what', () => {
    expect(verdictOf('continuous', '<mimic multiplier="2"/>')).toEqual(['error attribute-missing'])
    expect(refusal(() => jointOf('continuous', '<mimic jiont="k"/>')).message).toContain(
      'joint is missing; jiont="..." may be meant.',
    )
  })
})

describe('a transmission', () => {
  const transmission = (inside: string) => `<transmission name="t">${inside}</transmission>`
  const actuator = (inside: string) => `<actuator name="m">${inside}</actuator>`
  const rotor = '<drake:rotor_inertia value="0.0001321"/>'
  const gear = '<drake:gear_ratio value="160.0"/>'

  test("gives the joint its rotor's inertia times the square of the reduction", () => {
    const text = transmission(`<type>x</type><joint name="j"/>${actuator(rotor + gear)}`)
    const { joints, tags, diagnostics } = describeElements(twoLinks + jointText('continuous') + text)
    expect(joints[0].armature).toBe(0.0001321 * 160 * 160)
    expect(tags.used).toEqual(
      expect.arrayContaining(['transmission', 'transmission/joint', 'drake:rotor_inertia', 'drake:gear_ratio']),
    )
    expect(tags.carried).toContain('type')
    expect(diagnostics).toEqual([])
  })

  test.each<[string, string, number, string[]]>([
    ['without a reduction', `<joint name="j"/>${actuator(rotor)}`, 0.0001321, []],
    [
      'with mechanicalReduction',
      `<joint name="j"/>${actuator(rotor + '<mechanicalReduction>10</mechanicalReduction>')}`,
      0.01321,
      [],
    ],
    [
      'with mechanicalReduction outside',
      `<joint name="j"/>${actuator(rotor)}<mechanicalReduction>-10</mechanicalReduction>`,
      0.01321,
      [],
    ],
    [
      'with a reduction alone',
      `<joint name="j"/>${actuator('<mechanicalReduction>10</mechanicalReduction>')}`,
      0,
      ['info reduction-alone'],
    ],
    ['with a reduction of 1', `<joint name="j"/>${actuator('<mechanicalReduction>1</mechanicalReduction>')}`, 0, []],
    ['of an unknown joint', `<joint name="nobody"/>${actuator(rotor)}`, 0, ['warning transmission-joint']],
    ['with two actuators', `<joint name="j"/>${actuator(rotor)}${actuator(rotor)}`, 0, ['warning transmission-coupled!']],
    [
      'with a negative rotor',
      `<joint name="j"/>${actuator('<drake:rotor_inertia value="-1"/>')}`,
      0,
      ['warning rotor-inertia-negative!'],
    ],
    [
      'with a misspelt value',
      `<joint name="j"/>${actuator('<drake:rotor_inertia valeu="1"/>')}`,
      NaN,
      ['error attribute-missing'],
    ],
  ])('%s', (_, inside, armature, findings) => {
    const text = twoLinks + jointText('continuous') + transmission(inside)
    expect(verdictOn(text)).toEqual(findings)
    // one rounding in each of two products
    if (!Number.isNaN(armature)) expect(describeElements(text).joints[0].armature).toBeCloseTo(armature, 15)
  })

  test('adds to another of the same joint, and gives a fixed joint nothing', () => {
    const text = transmission(`<joint name="j"/>${actuator('<drake:rotor_inertia value="2"/>')}`)
    expect(jointOf('continuous', '', text + text).armature).toBe(4)
    expect(jointOf('fixed', '', text).armature).toBe(0)
  })

  test('of ros2_control is carried', () => {
    const { tags } = describeElements(
      `<link name="a"/><ros2_control name="x" type="system"><joint name="j"><command_interface name="position"/></joint></ros2_control>`,
    )
    expect(tags.carried).toEqual(['ros2_control', 'ros2_control/joint', 'joint/command_interface'])
    expect(tags.ignored).toEqual([])
  })
})

test('joints that are odd in many ways load by stated rules', () => {
  const described = describeLookalike('odd_joints.urdf')
  const joint = (name: string) => described.joints.find((candidate) => candidate.name === name)!
  expect(joint('no_limit')).toMatchObject({ axis: [1, 0, 0], lower: -Infinity, upper: Infinity, effort: Infinity })
  expect(joint('reversed')).toMatchObject({ lower: 0.1, upper: 0.3, effort: Infinity, velocity: Infinity })
  expect(joint('round')).toMatchObject({ axis: [0, 0, 1], lower: -Infinity, upper: Infinity, effort: 5, velocity: Infinity })
  expect(joint('effort_only')).toMatchObject({ lower: -Infinity, upper: Infinity, effort: 7, velocity: 3 })
  expect(joint('copy').mimic).toMatchObject({ joint: 'nobody', multiplier: 1, offset: 0 })
  expect(described.diagnostics.map(({ code, line }) => `${code}:${line}`)).toEqual([
    'limit-missing:11',
    'limit-reversed:13',
    'effort-zero:13',
    'velocity-zero:13',
    'effort-negative:17',
    'limit-continuous:17',
    'velocity-missing:17',
    'limit-missing:18',
  ])
})
