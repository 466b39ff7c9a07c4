import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Vocabulary } from '../../robots/elements/index.ts'
import { type LoadOptions, loadExamined, loadRobot } from '../../robots/index.ts'
import { sdfVocabulary } from '../../robots/sdf/schema.ts'
import { srdfVocabulary } from '../../robots/srdf.ts'
import { urdfVocabulary } from '../../robots/urdf/vocabulary.ts'

/*
 * The table of elements in docs/robots.md is made from the vocabularies. Here each of its cells is tried: what is told is a finding, and what no
 * motion depends on leaves the model the same to the bit, for a robot that has the element's parent.
 */

const inertial = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.11" izz="0.12" ixy="0" ixz="0" iyz="0"/></inertial>'
const shape = '<geometry><mesh filename="none.stl"/></geometry>'
const urdf = `<robot name="r"><link name="a">${inertial}<visual>${shape}</visual><collision name="c"><geometry><box size="1 1 1"/></geometry></collision>
  <collision>${shape}</collision><contact><lateral_friction value="1"/></contact></link><link name="b">${inertial}</link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <gazebo reference="a"><mu1>1</mu1></gazebo><material name="red"><color rgba="1 0 0 1"/></material>
  <transmission name="t"><joint name="j"/><actuator name="m"/></transmission></robot>`
const mass = '<mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>'
const sdf = `<sdf version="1.9"><world name="w"><include><uri>none</uri></include><model name="m"><link name="a"><inertial>${mass}</inertial>
  <collision name="c"><geometry><box><size>1 1 1</size></box></geometry><surface><friction><ode><mu>1</mu></ode></friction><bounce><restitution_coefficient>0.1</restitution_coefficient></bounce><contact/></surface></collision></link>
  <link name="b"><inertial>${mass}</inertial></link><frame name="f" attached_to="a"/>
  <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit><dynamics><damping>1</damping></dynamics></axis></joint>
  <link name="c"><inertial>${mass}</inertial></link><joint name="u" type="universal"><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
  </model></world></sdf>`

const load = (text: string, more: Partial<LoadOptions> = {}) => loadRobot(text, { file: 'r.urdf', ground: false, ...more })
const bits = ({ model, shapes, home }: ReturnType<typeof load>) =>
  JSON.stringify([
    model.I.map((I) => [...I]),
    [...model.XT.map((X) => [...X])],
    [...model.lower],
    [...model.damping],
    [...model.stiffness],
    shapes,
    [...home],
  ])

/** A file with an element put into the first of a name. */
function withElement(text: string, parent: string, element: string): string | undefined {
  const tag = parent.slice(parent.lastIndexOf('/') + 1)
  const inside = parent.includes('/') ? text.indexOf(`<${parent.slice(0, parent.lastIndexOf('/'))}`) : 0
  const start = new RegExp(`<${tag}(?=[\\s>/])[^>]*>`).exec(text.slice(inside))
  if (!start) return undefined
  const at = inside + start.index + start[0].length
  if (start[0].endsWith('/>')) return `${text.slice(0, at - 2)}>${element}</${tag}>${text.slice(at)}`
  return text.slice(0, at) + element + text.slice(at)
}

const cells = (vocabulary: Vocabulary, kind: 'idle' | 'told' | 'reported') =>
  [...vocabulary].flatMap(([parent, word]) => {
    const names = word[kind] ?? []
    return (Array.isArray(names) ? names : Object.keys(names)).map((name: string) => [parent, name] as const)
  })

describe.each([
  ['URDF', urdf, urdfVocabulary],
  ['SDF', sdf, sdfVocabulary],
] as const)('%s', (_, base, vocabulary) => {
  test.each(cells(vocabulary, 'idle'))('in <%s> no motion depends on <%s>', (parent, name) => {
    const text = withElement(base, parent, `<${name}/>`)!
    const robot = load(text)
    expect(bits(robot)).toBe(bits(load(base)))
    expect(robot.tags.ignored.filter((label) => label === name || label.endsWith(`/${name}`))).toEqual([])
  })

  test.each(cells(vocabulary, 'told'))('in <%s> <%s> is told', (parent, name) => {
    const changes = load(withElement(base, parent, `<${name}>1</${name}>`)!).diagnostics.filter(({ repaired }) => repaired)
    expect(changes.map(({ code }) => code)).toContain(vocabulary === urdfVocabulary ? 'urdf-unsupported' : 'sdf-unsupported')
    expect(changes.some(({ element }) => element.startsWith(`<${name}>`))).toBe(true)
  })

  test.each(cells(vocabulary, 'reported'))('in <%s> <%s> is a finding of its own', (parent, name) => {
    const value = name === 'gravity' ? 'false' : name === 'turnGravityOff' ? 'true' : '0.3'
    const { diagnostics } = load(withElement(base, parent, `<${name}>${value}</${name}>`)!)
    expect(diagnostics.map(({ code }) => code)).toContain(vocabulary.get(parent)!.reported![name])
  })
})

/** Elements that act are used in a file of the tests. */
test('what acts is used by a file of these tests', () => {
  const used = new Set<string>()
  const gather = (text: string, file: string) => {
    try {
      const { robot, examined } = loadExamined(text, { file })
      for (const tag of [...robot.tags.used, ...(examined.semantic?.tags.used ?? [])]) used.add(tag)
    } catch {} // refused files are tested elsewhere
  }
  const folder = new URL('./quirks/', import.meta.url)
  for (const name of readdirSync(folder)) if (name.endsWith('.urdf')) gather(readFileSync(new URL(name, folder), 'utf8'), name)
  for (const name of ['arm.sdf', 'world.sdf']) gather(readFileSync(new URL(`./sdf/${name}`, import.meta.url), 'utf8'), name)
  gather(
    sdf
      .replace('<frame', '<self_collide>true</self_collide><frame')
      .replace('<geometry>', '<density>10</density><geometry>')
      .replace(
        '</model>',
        `<link name="d"><inertial>${mass}</inertial></link><link name="e"><inertial>${mass}</inertial></link>
        <joint name="s" type="screw"><parent>a</parent><child>d</child><screw_thread_pitch>1</screw_thread_pitch></joint>
        <joint name="s2" type="screw"><parent>d</parent><child>e</child><thread_pitch>1</thread_pitch></joint>
        <link name="h"><inertial>${mass}</inertial></link><joint name="r" type="revolute"><parent>a</parent><child>h</child></joint>
        <link name="k"><inertial>${mass}</inertial></link><joint name="l" type="revolute"><parent>a</parent><child>k</child></joint>
        <joint name="g" type="gearbox"><parent>h</parent><child>k</child><gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body></joint></model>`,
      )
      .replace(
        '<xyz>',
        '<use_parent_model_frame>1</use_parent_model_frame><mimic joint="k"><multiplier>1</multiplier><offset>0</offset><reference>0</reference></mimic><xyz>',
      ),
    'm.sdf',
  )
  gather(
    urdf.replace(
      '</robot>',
      '<gazebo reference="b"><mu1>0.2</mu1><mu2>0.1</mu2><fdir1>0 1 0</fdir1></gazebo><gazebo reference="j"><springStiffness>1</springStiffness><springReference>1</springReference></gazebo><gazebo reference="b"><selfCollide>1</selfCollide><self_collide>1</self_collide></gazebo></robot>',
    ),
    'r.urdf',
  )
  const unused = [...urdfVocabulary, ...sdfVocabulary].flatMap(([parent, { children = [] }]) =>
    children.filter(
      (name) => ![...used].some((label) => label === name || label === `${parent}/${name}` || label.endsWith(`/${name}`)),
    ),
  )
  expect([...new Set(unused)].sort()).toEqual([])
})

test('SRDF: groups and end effectors move nothing, rotors are told', () => {
  const srdf = (inside: string) => ({ file: 'r.srdf', text: `<robot name="r">${inside}</robot>` })
  const names = srdfVocabulary.get('robot')!.idle!
  for (const name of names) {
    const robot = load(urdf, { srdf: srdf(`<${name} name="g"/>`) })
    expect(bits(robot)).toBe(bits(load(urdf)))
  }
  const told = load(urdf, { srdf: srdf('<rotor_params><joint name="j" mass="1" gear_ratio="2"/></rotor_params>') })
  expect(told.diagnostics.map(({ code }) => code)).toContain('rotor-unused')
})
