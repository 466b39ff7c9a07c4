import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RobotDescription, SemanticDescription } from '../../robots/description.ts'
import { describeSrdf } from '../../robots/srdf.ts'
import { parseXml } from '../../robots/xml.ts'
import { describeElements, describeText, fixed, refusal, verdict } from './reading.ts'

const links = ['a', 'b', 'c'].map((name) => `<link name="${name}"/>`).join('')
const robot = describeElements(links + fixed('ab', 'a', 'b') + fixed('bc', 'b', 'c').replace('fixed', 'floating'))

function srdf(elements: string, of: RobotDescription | undefined = robot): SemanticDescription {
  return describeSrdf(parseXml(`<robot name="test">${elements}</robot>`, 'test.srdf'), 'test.srdf', of)
}

const pairsOf = ({ disabledCollisions }: SemanticDescription) =>
  disabledCollisions.map(({ link1, link2, reason }) => `${link1} ${link2} ${reason}`)

describe('collisions', () => {
  test('are disabled pair by pair, each once', () => {
    const read = srdf(
      '<disable_collisions link1="a" link2="b" reason="Adjacent"/><disable_collisions link1="b" link2="a" reason="Never"/>' +
        '<disable_collisions link1="c" link2="a"/><disable_collisions link1="c" link2="c"/>',
    )
    expect(pairsOf(read)).toEqual(['a b Adjacent', 'c a '])
    expect(read.diagnostics).toEqual([])
    expect(read.tags.used).toEqual(['robot', 'disable_collisions'])
  })

  test('that are off by default are on where the file says so, and off again by its last word', () => {
    const off = '<disable_default_collisions link="a"/>'
    const on = '<enable_collisions link1="b" link2="a"/>'
    expect(pairsOf(srdf(off)).sort()).toEqual(['a b disable_default_collisions', 'a c disable_default_collisions'])
    expect(pairsOf(srdf(off + on))).toEqual(['a c disable_default_collisions'])
    expect(pairsOf(srdf(`${off}${on}<disable_collisions link1="a" link2="b"/>`)).sort()).toEqual([
      'a b ',
      'a c disable_default_collisions',
    ])
  })

  test('of unknown links are left out with one warning, and kept if the robot is not known', () => {
    const text = ['d', 'e'].map((name) => `<disable_collisions link1="a" link2="${name}"/>`).join('')
    const read = srdf(text)
    expect(pairsOf(read)).toEqual([])
    expect(read.diagnostics.map(({ severity, message }) => [severity, message])).toEqual([
      ['warning', 'the robot has no link "d". So with 1 more.'],
    ])
    const unknown = describeSrdf(parseXml(`<robot name="x">${text}</robot>`, 'f'), 'f')
    expect(pairsOf(unknown)).toEqual(['a d ', 'a e '])
    expect(unknown.diagnostics).toEqual([])
  })
})

describe('poses', () => {
  test('have a number or a list for each joint', () => {
    const { poses, diagnostics } = srdf(
      '<group name="all"/><group_state name="home" group="all"><joint name="ab" value="0.5"/><joint name="bc" value="0 0 1  0 0 0 1"/></group_state>',
    )
    expect(poses.map(({ name, group, joints }) => [name, group, [...joints]])).toEqual([
      ['home', 'all', [['ab', [0.5]], ['bc', [0, 0, 1, 0, 0, 0, 1]]]], // biome-ignore format: one pose a line
    ])
    expect(diagnostics).toEqual([])
  })

  test('may place the base by the name of its virtual joint', () => {
    const read = srdf(
      '<virtual_joint name="v" type="planar" parent_frame="map" child_link="a"/>' +
        '<group_state name="p" group=""><joint name="v" value="1 2 3"/><joint name="root_joint" value="1"/></group_state>',
    )
    expect([...read.poses[0].joints.keys()]).toEqual(['v', 'root_joint'])
    expect(read.virtualJoints).toMatchObject([{ name: 'v', type: 'planar', parentFrame: 'map', childLink: 'a' }])
    expect(read.diagnostics).toEqual([])
  })

  test.each<[string, string[]]>([
    ['<group_state name="p" group="g"/>', ['info srdf-group']],
    ['<group_state name="p" group=""><joint name="x" value="1"/></group_state>', ['warning srdf-joint']],
    ['<virtual_joint name="v" type="fixed" parent_frame="map" child_link="x"/>', ['warning srdf-link']],
  ])('%s is odd', (text, findings) => {
    expect(verdict(srdf(text))).toEqual(findings)
  })

  test.each<[string, string[]]>([
    ['<group_state group="g"/>', ['error name-missing']],
    ['<group_state name="p"><joint name="ab" value="x"/></group_state>', ['error number']],
    ['<group_state name="p"><joint name="ab" value=""/></group_state>', ['error number-count']],
    ['<group_state name="p"><joint name="ab"/></group_state>', ['error attribute-missing']],
    ['<group_state name="p"><joint name="ab" vaule="1"/></group_state>', ['error attribute-missing']],
    ['<link name="a"/>', ['error srdf-urdf']],
    ['<virtual_joint name="v" type="ball" parent_frame="map" child_link="a"/>', ['error joint-type']],
    ['<virtual_joint name="v" type="fixed"/>', ['error attribute-missing', 'error attribute-missing']],
    ['<disable_collisions link1="a"/>', ['error attribute-missing']],
  ])('%s is refused', (text, findings) => {
    expect(verdict(refusal(() => srdf(text)))).toEqual(findings)
  })
})

test('groups, end effectors, passive joints and rotors are carried; what is unknown is ignored by name', () => {
  const { tags, diagnostics } = srdf(
    `<group name="g"><chain base_link="a" tip_link="c"/><joint name="ab"/><link name="b"/><group name="g"/></group>
     <end_effector name="e" parent_link="c" group="g"/><passive_joint name="bc"/>
     <rotor_params><joint name="ab" mass="0" gear_ratio="100"/><joint name="bc" mass="0.1" gear_ratio="100"/></rotor_params>
     <specificities><feet/></specificities>`,
  )
  expect(tags.carried).toEqual([
    ...['group', 'group/chain', 'group/joint', 'group/link', 'group/group', 'end_effector', 'passive_joint'],
    ...['rotor_params', 'rotor_params/joint', 'specificities', 'specificities/feet'],
  ])
  expect(tags.ignored).toEqual([])
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([['rotor-unused', 'it states a rotor.']])
})

test.each<[string, string[]]>([
  [
    '<group name="g"><joint name="x"/><link name="y"/><chain base_link="a" tip_link="z"/></group>',
    ['warning srdf-joint', 'warning srdf-link'],
  ],
  ['<group name="g"><group name="h"/></group>', ['info srdf-group']],
  ['<passive_joint name="x"/>', ['warning srdf-joint']],
  ['<end_effector name="e" parent_link="x" group="g"/>', ['warning srdf-link', 'info srdf-group']],
])('%s names what is not there', (text, findings) => {
  expect(verdict(srdf(text))).toEqual(findings)
})

test('a file of another robot, or of none, is told of', () => {
  const other = describeSrdf(parseXml('<robot name="other"/>', 'f'), 'f', robot)
  expect(verdict(other)).toEqual(['info srdf-robot'])
  expect(verdict(refusal(() => describeSrdf(parseXml('<sdf/>', 'f'), 'f', robot)))).toEqual(['error no-robot'])
})

const folder = process.env.FEATHERBED_ROBOTS

/** Robot, its SRDF, pairs, poses and joints in each, as counted by a search for the tags; what is odd about it. */
const known: [string, string, number, Record<string, number>, string[]][] = [
  ['panda/example-robot-data/robots/panda_description', 'panda', 35, { default: 8 }, []],
  ['ur5/example-robot-data/robots/ur_description', 'ur5_gripper', 17, {}, []],
  // its groups name links of an older robot
  [
    'simple_humanoid/example-robot-data/robots/simple_humanoid_description',
    'simple_humanoid',
    0,
    { half_sitting: 29 },
    ['warning srdf-link', 'info srdf-group'],
  ],
  [
    'simple_humanoid/example-robot-data/robots/simple_humanoid_description',
    'simple_humanoid_classical',
    0,
    { half_sitting: 29 },
    ['info srdf-robot', 'warning srdf-link', 'info srdf-group'],
  ],
]

if (folder === undefined) {
  test('SRDF of real robots', () => {
    console.log('FEATHERBED_ROBOTS is not set: the SRDF files of real robots are not read')
  })
} else {
  test.each(known)('%s %s', (path, name, pairs, poses, findings) => {
    const text = (extension: string) => {
      const file = join(folder, path, extension, `${name}.${extension}`)
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    }
    const file = `${name}.srdf`
    const read = describeSrdf(parseXml(text('srdf')!, file), file, describeText(text('urdf')!))
    expect(read.disabledCollisions).toHaveLength(pairs)
    expect(Object.fromEntries(read.poses.map((pose) => [pose.name, pose.joints.size]))).toEqual(poses)
    expect(verdict(read)).toEqual(findings)
  })
}
