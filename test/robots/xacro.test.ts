import { describe, expect, test } from 'vitest'
import { loadRobot, memoryResolver } from '../../robots/index.ts'
import { codes, errorOf, lookalike, lookalikeText } from './lookalike.ts'

describe('a robot in xacro', () => {
  test('inside a .urdf is expanded: properties, arguments, expressions, macros', async () => {
    const robot = await lookalike('urdf/diffdrive.urdf')
    expect(robot.name).toBe('two_wheels')
    expect(robot.frames.map(({ name }) => name)).toEqual(['base_footprint', 'base_link', 'left_wheel', 'right_wheel'])
    expect(robot.joints.map(({ name, type }) => `${name} ${type}`)).toEqual(['left_joint continuous', 'right_joint continuous'])
    expect(robot.massDeclared).toBeCloseTo(3.4, 14)
    const [, left] = robot.model.XT.slice(1)
    expect([...left.subarray(9)].map((x) => Math.round(1e12 * x) / 1e12)).toEqual([0, 0.12, 0.05])
  })

  test('takes arguments', async () => {
    const robot = await lookalike('urdf/diffdrive.urdf', { xacroArgs: { namespace: 'robot1_', typo: 'x' } })
    expect(robot.frames[0].name).toBe('robot1_base_footprint')
    expect(codes(robot.diagnostics)).toContain('xacro-argument:2')
  })

  test('includes files of packages, inserts blocks, and compares as Python does', async () => {
    const robot = await lookalike('xacro/biped.xacro')
    const { lower, upper } = robot.model
    expect(robot.joints.map(({ vIndex }) => [lower[vIndex], upper[vIndex]])).toEqual([
      [-1, 0.5],
      [-0.5, 1],
    ])
    expect(robot.massDeclared).toBe(5)
    expect(robot.counts.links).toBe(3)
    const fancy = await lookalike('xacro/biped.xacro', { xacroArgs: { fancy: 'true', leg_mass: '1' } })
    expect([fancy.counts.links, fancy.massDeclared]).toEqual([4, 6])
  })

  test('has findings of the file and the line of what was expanded, inside macros and includes', async () => {
    const robot = await lookalike('xacro/biped.xacro')
    const triangles = robot.diagnostics.filter(({ code }) => code === 'inertia-triangle')
    expect(triangles.map(({ file, line }) => `${file.split('/').at(-1)}:${line}`)).toEqual(['legs.xacro:18', 'legs.xacro:18'])
  })

  test('loads from files in memory', () => {
    const bytes = (name: string) => new TextEncoder().encode(lookalikeText(name))
    const resolver = memoryResolver(
      new Map([
        ['lookalike/xacro/biped.xacro', bytes('xacro/biped.xacro')],
        ['lookalike/xacro/legs.xacro', bytes('xacro/legs.xacro')],
      ]),
    )
    const robot = loadRobot(lookalikeText('xacro/biped.xacro'), { file: 'lookalike/xacro/biped.xacro', resolver })
    expect(robot.counts.links).toBe(3)
  })

  test('without links, such as a file of macros, is refused', () => {
    const text = '<robot xmlns:xacro="x" name="parts"><xacro:property name="a" value="1"/></robot>'
    expect(codes(errorOf(() => loadRobot(text, { file: 'parts.urdf' })).diagnostics, 'error').length).toBe(1)
  })

  test('is refused, when loaded strictly, if it goes without a package', () => {
    const text = '<robot name="r" xmlns:xacro="x"><xacro:include filename="$(find gone)/a.xacro"/><link name="a"/></robot>'
    const load = (strict: boolean) => loadRobot(text, { file: 'r.xacro', strict, base: 'fixed' })
    expect(codes(load(false).diagnostics)).toContain('xacro-package:1')
    expect(codes(errorOf(() => load(true)).diagnostics, 'error')).toContain('xacro-package:1')
  })
})
