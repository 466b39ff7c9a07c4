import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { diskResolver } from '../../../robots/files.ts'
import { expandXacro, parseXml, type XmlElement } from '../../../robots/index.ts'
import { codes, errorOf } from '../lookalike.ts'

const folder = process.env.FEATHERBED_ROBOTS

function read(robot: string, file: string): XmlElement {
  const path = `${folder}/${robot}/${file}`
  return parseXml(readFileSync(path, 'utf8'), path)
}

function expandRobot(robot: string, file: string, xacroArgs: Readonly<Record<string, string>> = {}) {
  const resolver = diskResolver([`${folder}/${robot}`])
  return expandXacro(read(robot, file), { file: `${folder}/${robot}/${file}`, resolver, xacroArgs })
}

/** Links and joints by their names. */
function named(root: XmlElement): ReadonlyMap<string, XmlElement> {
  const parts = root.children.filter(({ name }) => name === 'link' || name === 'joint')
  return new Map(parts.map((part) => [`${part.name} ${part.attributes.name}`, part]))
}

function isSame(a: string, b: string, tolerance: number): boolean {
  const [x, y] = [a.trim().split(/\s+/), b.trim().split(/\s+/)]
  return x.length === y.length && x.every((word, k) => word === y[k] || Math.abs(Number(word) - Number(y[k])) <= tolerance)
}

/** Attributes and children in which two elements differ, except inside of elements of some names. */
function differences(a: XmlElement, b: XmlElement, tolerance: number, except: readonly string[], path = a.name): string[] {
  if (except.includes(a.name) && a.name === b.name) return []
  const names = new Set([...Object.keys(a.attributes), ...Object.keys(b.attributes)])
  const attributes = [...names].flatMap((name) => {
    const [x = '', y = ''] = [a.attributes[name], b.attributes[name]]
    return isSame(x, y, tolerance) ? [] : [`${path} ${name}: ${x} and ${y}`]
  })
  const kinds = ({ children }: XmlElement) => children.map(({ name }) => name).join(' ')
  if (kinds(a) !== kinds(b)) return [...attributes, `${path}: ${kinds(a)} and ${kinds(b)}`]
  return [
    ...attributes,
    ...a.children.flatMap((child, k) => differences(child, b.children[k], tolerance, except, `${path}/${child.name}`)),
  ]
}

function compare(robot: string, source: string, expected: string, tolerance: number, except: readonly string[] = []): void {
  const ours = named(expandRobot(robot, source).root)
  const theirs = named(read(robot, expected))
  expect([...ours.keys()].sort()).toEqual([...theirs.keys()].sort())
  for (const [name, part] of ours) expect(differences(part, theirs.get(name)!, tolerance, except), name).toEqual([])
}

if (folder === undefined) {
  test('real robots', () => {
    console.log('FEATHERBED_ROBOTS is not set: husky, a1, panda, fr3 and hector_quadrotor are not expanded')
  })
} else {
  describe("real robots expand as by ROS' xacro", () => {
    const franka = 'franka_description/robots'
    // the expected files print as many digits as the numbers have
    test.each([
      ['husky', 'husky_description/urdf/husky.urdf.xacro', 'expected/clearpathHusky.urdf'],
      ['panda', `${franka}/panda/panda.urdf.xacro`, 'expected/panda.urdf'],
      ['panda', `${franka}/dual_panda/dual_panda_example.urdf.xacro`, 'expected/dual_panda.urdf'],
      ['panda', `${franka}/fr3/fr3.urdf.xacro`, 'expected/fr3.urdf'],
    ])('%s: every link and joint of %s', (robot, source, expected) => {
      compare(robot, source, expected, 1e-12)
    })

    test('a1: every link and joint; masses and joint friction are those of its constants, not of the file beside it', () => {
      // the URDF beside it was printed with 12 digits
      compare('a1', 'a1_description/xacro/robot.xacro', 'a1_description/urdf/a1.urdf', 1e-11, ['inertial', 'dynamics'])
      const { root } = expandRobot('a1', 'a1_description/xacro/robot.xacro')
      const inside = (elements: readonly XmlElement[], name: string) =>
        elements.flatMap(({ children }) => children.filter((child) => child.name === name))
      const links = root.children.filter(({ name }) => name === 'link')
      const masses = inside(inside(links, 'inertial'), 'mass')
      expect(masses.reduce((sum, mass) => sum + Number(mass.attributes.value), 0)).toBeCloseTo(12.777, 12)
    })

    test('panda: the hand with the arm is the hand alone', () => {
      const withHand = named(expandRobot('panda', `${franka}/panda/panda.urdf.xacro`, { hand: 'true' }).root)
      const hand = named(expandRobot('panda', `${franka}/common/hand.urdf.xacro`).root)
      expect(withHand.size).toBe(17 + 16 + hand.size + 1) // and the joint between
      for (const [name, part] of hand) expect(differences(part, withHand.get(name)!, 0, []), name).toEqual([])
    })

    test('panda: simulated in Gazebo it has the masses of its YAML file', () => {
      const { root } = expandRobot('panda', `${franka}/panda/panda.urdf.xacro`, { gazebo: 'true' })
      const link = named(root).get('link panda_link0')!
      const inertial = link.children.find(({ name }) => name === 'inertial')!
      expect(inertial.children.map(({ name, attributes }) => `${name} ${Object.values(attributes).join(' ')}`)).toEqual([
        'origin 0 0 0 -0.041018 -0.00014 0.049974',
        'mass 0.629769',
        'inertia 0.00315 8.2904e-07 0.00015 0.00388 8.2299e-06 0.004285',
      ])
    })

    test('husky: warns of the packages of sensors that it goes without', () => {
      const found = expandRobot('husky', 'husky_description/urdf/husky.urdf.xacro').diagnostics
      const diagnostics = found.filter(({ severity }) => severity !== 'info')
      expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(['xacro-package']))
      const missing = diagnostics.map(({ message }) => /"(.*)"/.exec(message)?.[1])
      expect(missing).toEqual(['fath_pivot_mount_description', 'flir_camera_description', 'lms1xx', 'velodyne_description'])
    })

    test('husky: says which package a sensor would need', () => {
      const error = errorOf(() => expandRobot('husky', 'husky_description/urdf/husky.urdf.xacro', { laser_enabled: '1' }))
      expect(error.message).toContain('there is no macro "sick_lms1xx"')
      expect(error.message).toContain('in one of 3 others that were not found')
    })

    test('hector_quadrotor: an include from a folder that is not there is refused with its line', () => {
      const file = 'example-robot-data/robots/hector_description/robots/quadrotor_base.xacro'
      const error = errorOf(() => expandRobot('hector_quadrotor', file))
      expect(codes(error.diagnostics)).toEqual(['xacro-include:3'])
      expect(error.message).toContain('hector_description/urdf/quadrotor_base.urdf.xacro" was not found.')
    })
  })
}
