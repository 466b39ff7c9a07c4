import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Tags } from '../../robots/description.ts'
import { closest } from '../../robots/elements/index.ts'
import { parseXml, type XmlElement } from '../../robots/xml.ts'
import { describeElements, describeText, jointText, twoLinks, verdict, verdictOn } from './reading.ts'

const inertial = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.11" izz="0.12"/></inertial>'

describe('the account of tags', () => {
  test('tells what was used, what was kept, and what was passed by', () => {
    const { tags } = describeElements(
      `<link name="a">${inertial}<visual><geometry><sphere radius="1"/></geometry><material name="m"/></visual><mass_of_fluid/></link>
       <transmission name="t"><type>x</type></transmission>
       <gazebo reference="a"><mu1>1</mu1><kp>1</kp><plugin><link/></plugin></gazebo><mujoco><compiler meshdir="m"/></mujoco>`,
    )
    expect(tags).toEqual({
      used: ['robot', 'link', 'inertial', 'mass', 'inertia', 'gazebo', 'gazebo/mu1'],
      carried: [
        'visual',
        'geometry',
        'sphere',
        'material',
        'transmission',
        'type',
        'gazebo/kp',
        'gazebo/plugin',
        'plugin/link',
        'mujoco',
        'mujoco/compiler',
      ],
      ignored: ['link/mass_of_fluid'],
    })
  })

  test('has attributes that are carried or unknown', () => {
    const { tags } = describeElements(
      `<link name="a" type="laser" color="red"/><link name="b"/>${jointText('continuous', '<limit effort="1" velocity="1" drake:acceleration="8"/><axis xyz="1 0 0" quality="high"/>')}`,
    )
    expect(tags.carried).toEqual(['robot/link@type', 'joint/limit@drake:acceleration'])
    expect(tags.ignored).toEqual(['robot/link@color', 'joint/axis@quality'])
  })

  test('has namespaces nowhere', () => {
    const { tags, diagnostics } = describeText(
      '<robot name="r" version="1.0" xmlns:xacro="x" xmlns="y"><link name="a" xmlns:drake="z"/></robot>',
    )
    expect(tags).toEqual({ used: ['robot', 'link'], carried: [], ignored: [] })
    expect(diagnostics).toEqual([])
  })
})

describe('a misspelt name', () => {
  const joint = (inside: string) =>
    twoLinks + jointText('revolute', `<limit lower="0" upper="1" effort="1" velocity="1"/>${inside}`)

  test.each<[string, string, string]>([
    [joint('<axis xyz="0 0 1" xzy="0 1 0"/>'), 'attribute-misspelt', 'xzy is unknown, beside xyz.'],
    [joint('<origin rpq="0 0 1"/>'), 'attribute-misspelt!', 'rpq is unknown; rpy may be meant.'],
    [joint('<dynamics dampning="1"/>'), 'attribute-misspelt!', 'dampning is unknown; damping may be meant.'],
    [joint('<dynamics Friction="1"/>'), 'attribute-misspelt!', 'Friction is unknown; friction may be meant.'],
    [joint('<orgin xyz="0 0 1"/>'), 'element-misspelt!', 'this element is unknown; <origin> may be meant.'],
    [joint('<dynamic damping="1"/>'), 'element-misspelt!', 'this element is unknown; <dynamics> may be meant.'],
    ['<link name="a"/><Material name="m"/>', 'element-misspelt!', 'this element is unknown; <material> may be meant.'],
    ['<link name="a"><colision/></link>', 'element-misspelt!', 'this element is unknown; <collision> may be meant.'],
  ])('%s: %s', (text, code, message) => {
    const described = describeElements(text)
    expect(verdict(described)).toEqual([`warning ${code}`])
    expect(described.diagnostics[0].message).toBe(message)
    expect(described.tags.ignored).toHaveLength(1)
  })

  test('is not seen in what is merely unknown', () => {
    expect(verdictOn('<link name="a"/><sensor/><foo/><link_extra/>')).toEqual([])
    expect(verdictOn('<link name="a"><sensor/></link><gazebo><links/></gazebo>')).toEqual([])
  })

  test('is one edit away for each three letters', () => {
    expect(closest('xyy', ['rpy', 'xyz'])).toBe('xyz')
    expect(closest('abc', ['xyz'])).toBeUndefined()
    expect(closest('XYZ', ['rpy', 'xyz'])).toBe('xyz')
    expect(closest('x'.repeat(1e6), ['x'.repeat(1e6 - 1)])).toBeUndefined()
  })
})

const folder = process.env.FEATHERBED_ROBOTS

function isXacro(root: XmlElement): boolean {
  return root.children.some(({ name }) => name.startsWith('xacro:'))
}

/** The elements of a tree that are in no list, by their own name or with their parent's before it. */
function missingIn(tags: Tags, root: XmlElement): string[] {
  const listed = new Set([...tags.used, ...tags.carried, ...tags.ignored])
  const missing: string[] = []
  const visit = (element: XmlElement, parent: string) => {
    if (!listed.has(element.name) && !listed.has(`${parent}/${element.name}`)) missing.push(`${parent}/${element.name}`)
    for (const child of element.children) visit(child, element.name)
  }
  visit(root, '')
  return missing
}

if (folder === undefined) {
  test('tags of real robots', () => {
    console.log('FEATHERBED_ROBOTS is not set: the tags of real robots are not counted')
  })
} else {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.urdf'))
  const robots = files
    .map((file): [string, XmlElement] => [file, parseXml(readFileSync(join(folder, file), 'utf8'), file)])
    .filter(([, root]) => root.children.some(({ name }) => name === 'link') && !isXacro(root))

  test('there are real robots to read', () => {
    expect(robots.length).toBeGreaterThan(20)
  })

  test.each(robots)('every element of %s is in the account, and nothing in it is misspelt', (file, root) => {
    const { tags, diagnostics } = describeText(readFileSync(join(folder, file), 'utf8'), file)
    expect(missingIn(tags, root)).toEqual([])
    expect(diagnostics.filter(({ code }) => code.endsWith('misspelt'))).toEqual([])
  })
}
