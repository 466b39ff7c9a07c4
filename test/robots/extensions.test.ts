import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadRobotFile } from '../../robots/files.ts'
import { loadRobot, type Robot, writeUrdf } from '../../robots/index.ts'
import { loadExamined } from '../../robots/load.ts'
import { expandXacro } from '../../robots/xacro/index.ts'
import { parseXml } from '../../robots/xml.ts'
import { inertial } from './lookalike.ts'

const codes = (robot: Robot) => robot.diagnostics.map(({ code }) => code)
const arm = (more: string, type = 'revolute') => `<robot name="r"><link name="world"/><link name="a">${inertial}</link>
  <joint name="j" type="${type}"><parent link="world"/><child link="a"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>${more}</robot>`
const spring = (inside: string) => `<gazebo reference="j">${inside}</gazebo>`

describe('springs of joints in <gazebo>', () => {
  test.each([
    ['as text', spring('<springStiffness>50</springStiffness><springReference>-0.3</springReference>'), [50, -0.3]],
    ['as attributes', spring('<springStiffness value="5"/><springReference value="0.2"/>'), [5, 0.2]],
    ['about 0', spring('<springStiffness>5</springStiffness>'), [5, 0]],
    [
      'in two elements',
      spring('<springStiffness>5</springStiffness>') + spring('<springReference>0.1</springReference>'),
      [5, 0.1],
    ],
    ['of no stiffness', spring('<springStiffness>0</springStiffness><springReference>0.1</springReference>'), [0, 0]],
    ['that push', spring('<springStiffness>-5</springStiffness>'), [0, 0]],
  ])('%s', (_, text, wanted) => {
    const { stiffness, springReference } = loadRobot(arm(text), { file: 'r.urdf' }).model
    expect([stiffness[0], springReference[0]]).toEqual(wanted)
  })

  test('act on sliders and wheels, not on joints without an axis, and are written back', () => {
    const text = spring('<springStiffness>50</springStiffness><springReference>-0.3</springReference>')
    for (const type of ['prismatic', 'continuous'])
      expect(loadRobot(arm(text, type), { file: 'r.urdf' }).model.stiffness[0]).toBe(50)
    expect(codes(loadRobot(arm(text, 'floating'), { file: 'r.urdf' }))).toContain('dynamics-unused')
    expect(codes(loadRobot(arm(spring('<springStiffness>-5</springStiffness>')), { file: 'r.urdf' }))).toContain(
      'stiffness-negative',
    )
    const { examined, robot } = loadExamined(arm(text), { file: 'r.urdf' })
    for (const source of [undefined, examined.root]) {
      const again = loadRobot(writeUrdf(examined.repaired, { source }), { file: 'r.urdf' })
      expect([again.model.stiffness, again.model.springReference]).toEqual([robot.model.stiffness, robot.model.springReference])
    }
  })
})

describe('friction of links', () => {
  test.each([
    ['mu', '<mu>0.3</mu>', undefined, ['gazebo-mu']],
    ['mu1', '<mu1>0.3</mu1>', 0.3, []],
    ['mu beside mu1 and mu2', '<mu>0.9</mu><mu1>0.3</mu1><mu2>0.3</mu2>', 0.3, ['gazebo-mu']],
    ['two that differ', '<mu1>0.3</mu1><mu2>0.1</mu2>', 0.3, ['friction-anisotropic'], [0.1, 'world']],
    ['two that differ, with a direction', '<mu1>0.3</mu1><mu2>0.1</mu2><fdir1>0 2 0</fdir1>', 0.3, [], [0.1, [0, 2, 0]]],
  ])('%s', (_, inside, friction, found, across: unknown = [undefined, undefined]) => {
    const text = `<robot name="r"><link name="a">${inertial}<collision><geometry><sphere radius="1"/></geometry></collision></link><gazebo reference="a">${inside}</gazebo></robot>`
    const robot = loadRobot(text, { file: 'r.urdf' })
    const [{ friction: along, frictionAcross, frictionAxis }] = robot.shapes
    expect([along, codes(robot), [frictionAcross, frictionAxis]]).toEqual([friction, found, across])
  })
})

test('a comma behind a number is named as what is wrong', () => {
  for (const [text, hint] of [
    ['0.5, 0.3 0.1', '"0.5," is no number; without the comma it is'],
    ['1, 2, 3', '"1," is no number; without the comma it is'],
    ['1,2,3', '"1,2,3" is no number.'],
    ['1 2 3,', '"3," is no number; without the comma it is'],
    ['a, 2 3', '"a," is no number.'],
  ]) {
    const load = () => loadRobot(arm('').replace('<limit', `<origin xyz="${text}"/><limit`), { file: 'r.urdf' })
    expect(load).toThrow(hint)
  }
})

test('numbers of YAML are those of PyYAML', () => {
  const yaml = 'a: -3e-1\nb: 3e5\nc: 1e-3\nd: 1.5e3\ne: 1.5e+3\nf: .5\ng: -0.3\nh: 1_000\n'
  const source = `<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="p" value="\${xacro.load_yaml('y.yaml')}"/>
    <link name="\${p['a']} \${p['b']} \${p['c']} \${p['d']} \${p['e']} \${p['f']} \${p['g'] * 2} \${p['h']} \${float(p['a']) * 2}"/></robot>`
  const resolver = { roots: [''], exists: (path: string) => path === 'y.yaml', read: () => new TextEncoder().encode(yaml) }
  const { root } = expandXacro(parseXml(source, 'r.xacro'), { file: 'r.xacro', resolver })
  expect(root.children[0].attributes.name).toBe('-3e-1 3e5 1e-3 1.5e3 1500.0 0.5 -0.6 1000 -0.6')
})

describe('files beside a robot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-beside-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const cube = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n'
  const meshed = (filename: string) =>
    `<robot name="bot"><link name="a">${inertial}<collision><geometry><mesh filename="${filename}"/></geometry></collision></link></robot>`

  test.each([
    ['../../far/cube.obj', '../far'],
    ['package://other/cube.obj', 'other'],
    ['../../far/../far/cube.obj', '../far'],
    ['../parts/gone.obj', undefined],
    ['../parts/secret.txt', undefined],
  ])('a mesh that may not be read names the --root that allows it: %s', (reference, allowed) => {
    const base = `case${reference.length}/deep`
    for (const name of ['parts/cube.obj', 'other/cube.obj', '../far/cube.obj', 'parts/secret.txt']) write(`${base}/${name}`, cube)
    const file = write(`${base}/arm/arm.urdf`, meshed(reference))
    const { message, remedy } = loadRobotFile(file).diagnostics.find(({ code }) => code.startsWith('mesh-'))!
    expect(message).toMatch(/was not found|is not read/)
    if (allowed === undefined) expect(remedy).not.toContain('--root')
    else expect(remedy).toContain(`--root ${join(folder, base, allowed)}`)
  })

  test.each([
    ['bot.srdf', 'named as the robot'],
    ['arm.srdf', 'named as the file'],
    ['../srdf/bot.srdf', 'in srdf'],
    ['../config/arm.srdf', 'in config'],
    ['other.srdf', undefined],
  ])('an SRDF %s is told', (name, where) => {
    const base = `srdf${name.length}${name[3]}`
    write(`${base}/package.xml`, '<package><name>bot</name></package>')
    write(`${base}/urdf/${name}`, '<robot name="bot"/>')
    const file = write(`${base}/urdf/arm.urdf`, `<robot name="bot"><link name="a">${inertial}</link></robot>`)
    expect(codes(loadRobotFile(file)).includes('srdf-beside')).toBe(where !== undefined)
    expect(codes(loadRobotFile(file, { srdf: join(dirname(file), name) }))).not.toContain('srdf-beside')
  })
})
