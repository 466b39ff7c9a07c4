import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadRobotFile, openRobotFile } from '../../robots/files.ts'
import { describeRobot, examineRobot, loadExamined, loadRobot } from '../../robots/index.ts'
import { codes, errorOf, inertial, lookalikePath } from './lookalike.ts'

const xacro = `<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="wheels" default="1"/>
  <xacro:macro name="wheel" params="k">
    <link name="wheel_\${k}">${inertial}</link>
    <joint name="turn_\${k}" type="continuous"><parent link="base"/><child link="wheel_\${k}"/></joint>
  </xacro:macro>
  <link name="base">${inertial}</link>
  <xacro:wheel k="1"/>
  <xacro:if value="\${$(arg wheels) > 1}"><xacro:wheel k="2"/></xacro:if>
</robot>`

describe('loading a text', () => {
  test('expands xacro, whatever the file is called', () => {
    expect(loadRobot(xacro, { file: 'r.urdf' }).joints.map(({ name }) => name)).toEqual(['turn_1'])
    const two = loadRobot(xacro, { file: 'r.xacro', xacroArgs: { wheels: '2' } })
    expect(two.joints.map(({ name }) => name)).toEqual(['turn_1', 'turn_2'])
  })

  test('shows each stage: elements, what they say, and what was repaired', () => {
    const text = `<robot name="r"><link name="a">${inertial}</link><link name="b"/>
      <joint name="j" type="prismatic"><parent link="a"/><child link="b"/></joint></robot>`
    const { root, description, repaired, findings } = examineRobot(text, { file: 'r.urdf' })
    expect(root.children.map(({ name }) => name)).toEqual(['link', 'link', 'joint'])
    expect(description.links[1].inertial).toBeUndefined()
    expect(repaired.links[1].inertial?.mass).toBe(1e-3)
    expect(describeRobot(text, { file: 'r.urdf' })).toEqual(description)
    expect(codes(findings)).toEqual(['limit-missing:2', 'massless-body:1'])
    const { robot, examined } = loadExamined(text, { file: 'r.urdf' })
    expect(examined.repaired).toEqual(repaired)
    expect([robot.massDeclared, robot.massUsed]).toEqual([1, 1.001])
    // all that is found on the way reaches the robot
    expect(codes(robot.diagnostics)).toEqual(codes(findings))
  })

  test('of a robot counts what the file holds, not what was repaired', () => {
    const text = `<robot name="r"><link name="world"/><link name="b">${inertial}</link><link name="c">${inertial}</link>
      <joint name="still" type="fixed"><parent link="world"/><child link="b"/></joint>
      <joint name="copy" type="continuous"><parent link="b"/><child link="c"/><mimic joint="still"/></joint></robot>`
    const { counts, model } = loadRobot(text, { file: 'r.urdf' })
    expect(counts.joints).toMatchObject({ fixed: 1, continuous: 1, mimic: 1 })
    expect(model.nv).toBe(0)
  })

  test('twice gives the same to the last bit', () => {
    const bits = () => {
      const { model, home } = loadRobot(xacro, { file: 'r.xacro' })
      return [...home, ...model.I.flatMap((I) => [...I]), ...model.XT.flatMap((X) => [...X])]
    }
    expect(bits()).toEqual(bits())
  })
})

describe('loading a file', () => {
  let folder = ''
  const mesh =
    'solid t\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n'

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'featherbed-'))
    mkdirSync(join(folder, 'robot/urdf'), { recursive: true })
    mkdirSync(join(folder, 'elsewhere/parts'), { recursive: true })
    writeFileSync(
      join(folder, 'robot/urdf/r.urdf'),
      `<robot name="r"><link name="a">${inertial}<collision><geometry><mesh filename="package://parts/plate.stl"/></geometry></collision></link>
        <link name="b">${inertial}</link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>`,
    )
    writeFileSync(join(folder, 'elsewhere/parts/plate.stl'), mesh)
    writeFileSync(
      join(folder, 'robot/r.srdf'),
      `<robot name="r"><group name="g"><joint name="j"/></group><group_state name="bent" group="g"><joint name="j" value="1"/></group_state></robot>`,
    )
    writeFileSync(
      join(folder, 'robot/urdf/env.xacro'),
      `<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="$(optenv FEATHERBED_TEST_NAME none)">${inertial}</link></robot>`,
    )
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('finds packages outside the roots only where they are said to be', () => {
    const file = join(folder, 'robot/urdf/r.urdf')
    const roots = [join(folder, 'robot')]
    expect(codes(loadRobotFile(file, { roots }).diagnostics)).toContain('mesh-missing:1')
    const found = loadRobotFile(file, { roots, packages: { parts: join(folder, 'elsewhere/parts') } })
    expect([found.shapes.length, codes(found.diagnostics)]).toEqual([1, ['srdf-beside:1']])
  })

  test('reads its SRDF', () => {
    const srdf = join(folder, 'robot/r.srdf')
    const robot = loadRobotFile(join(folder, 'robot/urdf/r.urdf'), { srdf, pose: 'bent' })
    expect(robot.poses.map(({ name }) => name)).toEqual(['bent'])
    expect(robot.home[7]).toBe(1)
    const missing = errorOf(() => loadRobotFile(join(folder, 'robot/urdf/r.urdf'), { srdf: join(folder, 'no.srdf') }))
    expect(missing.message).toContain('no.srdf: there is no such file. Give the path of an SRDF file.')
  })

  test('gives xacro the environment', () => {
    const file = join(folder, 'robot/urdf/env.xacro')
    expect(loadRobotFile(file).frames[0].name).toBe('none')
    process.env.FEATHERBED_TEST_NAME = 'some'
    try {
      expect(loadRobotFile(file).frames[0].name).toBe('some')
      expect(loadRobotFile(file, { environment: { FEATHERBED_TEST_NAME: 'other' } }).frames[0].name).toBe('other')
    } finally {
      delete process.env.FEATHERBED_TEST_NAME
    }
  })

  test('says what is wrong with a path', () => {
    expect(errorOf(() => loadRobotFile(join(folder, 'nothing.urdf'))).message).toContain('nothing.urdf: there is no such file.')
    expect(errorOf(() => loadRobotFile(folder)).message).toContain('this is a folder.')
  })

  test('can be taken in two steps', () => {
    const { text, options } = openRobotFile(lookalikePath('urdf/quadruped.urdf'), { base: 'fixed' })
    expect(loadRobot(text, options).model.nv).toBe(1)
    expect(examineRobot(text, options).repaired.links.length).toBe(5)
  })
})
