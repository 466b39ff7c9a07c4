import { DOMParser } from '@xmldom/xmldom'
import { describe, expect, test } from 'vitest'
import { loadRobotFileSync } from '../../robots/files.ts'
import { type LoadOptions, loadRobotOrXacro, memoryResolver } from '../../robots/index.ts'
import type { DomParserClass, XacroOptions } from '../../robots/xacro.ts'
import { codes, errorOf, lookalike, lookalikePath, lookalikeText, rejectionOf } from './lookalike.ts'

/** An expression as xacro writes it. */
const expression = (inner: string) => `\u0024{${inner}}`

const domParser = DOMParser as unknown as DomParserClass

function expand(body: string, options: Partial<LoadOptions & XacroOptions> = {}) {
  const text = `<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">\n${body}\n</robot>`
  return loadRobotOrXacro(text, { file: 'r.xacro', domParser, ...options })
}

describe('xacro', () => {
  test('inside a .urdf is expanded: properties, arguments, expressions, macros', async () => {
    const robot = await lookalike('urdf/diffdrive.urdf')
    expect(robot.name).toBe('two_wheels')
    expect(robot.frames.map(({ name }) => name)).toEqual(['base_footprint', 'base_link', 'left_wheel', 'right_wheel'])
    expect(robot.joints.map(({ name, type }) => `${name} ${type}`)).toEqual(['left_joint continuous', 'right_joint continuous'])
    expect(robot.massDeclared).toBeCloseTo(3.4, 14)
    // the wheels' lowest point: 0.06 - 0.01 - 0.05 above the footprint
    expect(robot.home[2]).toBeCloseTo(0, 15)
    const [, left] = robot.model.XT.slice(1)
    expect([...left.subarray(9)].map((x) => Math.round(1e12 * x) / 1e12)).toEqual([0, 0.12, 0.05])
    expect(robot.diagnostics).toEqual([])
  })

  test('takes arguments', async () => {
    const robot = await lookalike('urdf/diffdrive.urdf', { xacroArgs: { namespace: 'robot1_', typo: 'x' } })
    expect(robot.frames[0].name).toBe('robot1_base_footprint')
    expect(codes(robot.diagnostics)).toEqual(['xacro-argument:1'])
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

  test('findings name the file and the line of what was expanded, inside macros and includes', async () => {
    const robot = await lookalike('xacro/biped.xacro')
    expect(robot.diagnostics.map(({ file, line, code }) => `${file.split('/').at(-1)}:${line} ${code}`)).toEqual([
      'legs.xacro:18 inertia-triangle',
      'legs.xacro:18 inertia-triangle',
    ])
  })

  test('has to be awaited: the function that loads at once says so', () => {
    const error = errorOf(() => loadRobotFileSync(lookalikePath('urdf/diffdrive.urdf')))
    expect(codes(error.diagnostics)).toEqual(['xacro:3'])
  })

  test('runs over files in memory, several at once', async () => {
    const bytes = (name: string) => new TextEncoder().encode(lookalikeText(name))
    const resolver = memoryResolver(
      new Map([
        ['lookalike/xacro/biped.xacro', bytes('xacro/biped.xacro')],
        ['lookalike/xacro/legs.xacro', bytes('xacro/legs.xacro')],
      ]),
    )
    const load = () =>
      loadRobotOrXacro(lookalikeText('xacro/biped.xacro'), { file: 'lookalike/xacro/biped.xacro', resolver, domParser })
    const robots = await Promise.all([load(), load(), load()])
    expect(robots.map(({ counts }) => counts.links)).toEqual([3, 3, 3])
    expect((globalThis as { DOMParser?: unknown }).DOMParser).toBeUndefined()
  })

  test('knows sines and powers by our own arithmetic', async () => {
    const robot = await expand(
      `<link name="a"><inertial><mass value="${expression('sin(pi / 6) + cos(0) + 2 ** 3 + pow(4, 0.5)')}"/><inertia ixx="1.1" iyy="1" izz="1"/></inertial></link>`,
    )
    expect(robot.massDeclared).toBeCloseTo(11.5, 14)
  })

  test.each([
    ['<link name="a"/>\n<xacro:nobody/>', 'xacro-expression:3', 'Cannot find macro'],
    [`<link name="a"/>\n<link name="${expression('1 + ')}"/>`, 'xacro-expression:3', '1 +'],
    ['<link name="a"/>\n<link name="$(dirname)"/>', 'xacro-expression:3', 'not supported'],
    [
      `<link name="a"/>\n<xacro:property name="p" value="${expression("xacro.load_yaml('x.yaml')")}"/><link name="${expression('p.y')}"/>`,
      'xacro-expression:3',
      'has no value',
    ],
    ['<link name="a"/>\n<xacro:include filename="none.xacro"/>', 'xacro-include:3', 'none.xacro'],
    ['<link name="a"/>\n<xacro:element name="b"/>', 'xacro-expression:3', 'not supported'],
  ])('that cannot be expanded is refused with the line: %s', async (body, code, words) => {
    const error = await rejectionOf(expand(body))
    expect(codes(error.diagnostics, 'error')).toEqual([code])
    expect(error.message).toContain(words)
  })

  test('goes without packages that are not here until something needs them', async () => {
    const robot = await expand('<xacro:include filename="$(find sensors)/camera.xacro"/>\n<link name="a"/>')
    expect(codes(robot.diagnostics)).toEqual(['xacro-package:2', 'massless-body:3'])
    const error = await rejectionOf(
      expand('<xacro:include filename="$(find sensors)/camera.xacro"/>\n<link name="a"/>\n<xacro:camera/>'),
    )
    expect(codes(error.diagnostics, 'error')).toEqual(['xacro-expression:4'])
  })

  test('that never ends is stopped', async () => {
    const endless = (body: string) =>
      rejectionOf(expand(`<xacro:macro name="m" params="">${body}<xacro:m/></xacro:macro>\n<xacro:m/>`, { maxElements: 1000 }))
    for (const body of ['', '<link name="a"/>']) {
      expect(codes((await endless(body)).diagnostics, 'error')).toEqual(['xacro-limit:1'])
    }
  })

  test('reads nothing from the environment', async () => {
    const robot = await expand('<link name="$(optenv HOME no home)"/>')
    expect(robot.frames[0].name).toBe('no home')
  })

  test('needs a DOM parser', async () => {
    const error = await rejectionOf(expand('<xacro:property name="p" value="1"/>', { domParser: undefined }))
    expect(codes(error.diagnostics)).toEqual(['xacro-dom:1'])
  })
})
