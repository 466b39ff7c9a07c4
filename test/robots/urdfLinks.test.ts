import { describe, expect, test } from 'vitest'
import type { GeometryDescription, LinkDescription } from '../../robots/description.ts'
import { describeElements, fixed, jointText, refusal, twoLinks, verdict, verdictOn } from './reading.ts'

const linkText = (inside: string) => `<link name="a">${inside}</link>`
const linkOf = (inside: string): LinkDescription => describeElements(linkText(inside)).links[0]
const shape = (geometry: string, tag = 'collision', more = '') => `<${tag}><geometry>${geometry}</geometry>${more}</${tag}>`
const ball = '<sphere radius="1"/>'

describe('geometry', () => {
  test.each<[string, GeometryDescription]>([
    ['<box size="1 2 3"/>', { type: 'box', size: [1, 2, 3] }],
    ['<sphere radius="0"/>', { type: 'sphere', radius: 0 }],
    ['<box size="0 0 0"/>', { type: 'box', size: [0, 0, 0] }],
    ['<cylinder radius="0.1" length="0"/>', { type: 'cylinder', radius: 0.1, length: 0 }],
    ['<capsule radius="0.1" length="0.2"/>', { type: 'capsule', radius: 0.1, length: 0.2 }],
    ['<mesh filename="package://p/a b.stl"/>', { type: 'mesh', filename: 'package://p/a b.stl', scale: [1, 1, 1] }],
    ['<mesh filename="a.dae" scale="1 -1 0.001"/>', { type: 'mesh', filename: 'a.dae', scale: [1, -1, 0.001] }],
  ])('%s is read without a finding', (text, geometry) => {
    for (const tag of ['collision', 'visual']) {
      const described = describeElements(linkText(shape(text, tag)))
      const [{ visuals, collisions }] = described.links
      expect([...visuals, ...collisions].map((one) => one.geometry)).toEqual([geometry])
      expect(described.diagnostics).toEqual([])
    }
  })

  test.each<[string, string[], number]>([
    ['', ['warning geometry-missing!'], 0],
    ['<cone radius="1"/>', ['warning geometry-missing!'], 0],
    ['<constructor/>', ['warning geometry-missing!'], 0],
    ['<shpere radius="1"/>', ['warning geometry-missing!', 'warning element-misspelt!'], 0],
    [`${ball}<box size="1 1 1"/>`, ['warning geometry-two-shapes!'], 1],
    ['<mesh filename=""/>', ['warning geometry-missing!'], 0],
    ['<mesh filename="a" scale="0.001"/>', ['warning scale-uniform!'], 1],
    ['<mesh filename="a" scale="1 0 1"/>', ['warning scale-zero'], 1],
    ['<mesh filename="a" scale="2 2 2 1"/>', ['warning scale-long!'], 1],
  ])('%s is odd', (text, findings, count) => {
    const described = describeElements(linkText(shape(text)))
    expect(verdict(described)).toEqual(findings)
    expect(described.links[0].collisions).toHaveLength(count)
  })

  test.each<[string, string[]]>([
    ['<sphere radius="-1"/>', ['error size-negative']],
    ['<box size="1 -1 1"/>', ['error size-negative']],
    ['<box size="1 1"/>', ['error number-count']],
    ['<cylinder radius="-1" length="-1"/>', ['error size-negative', 'error size-negative']],
    ['<cylinder radius="1" lenght="1"/>', ['error attribute-missing']],
    ['<mesh filename="a" scale="1 1"/>', ['error number-count']],
    ['<mesh filename="a" scale="x"/>', ['error number']],
    ['<mesh file="a"/>', ['error attribute-missing']],
  ])('%s is refused', (text, findings) => {
    expect(verdictOn(linkText(shape(text)))).toEqual(findings)
  })

  test('a misspelt attribute that is missed is named in the error', () => {
    expect(refusal(() => linkOf(shape('<cylinder radius="1" lenght="1"/>'))).message).toContain(
      'length is missing; lenght="..." may be meant.',
    )
  })

  test('that nothing shows is no repair of a visual', () => {
    expect(verdictOn(linkText(shape('', 'visual')))).toEqual(['warning geometry-missing'])
    expect(verdictOn(linkText(shape('<mesh filename=""/>', 'visual')))).toEqual(['warning geometry-missing'])
    expect(verdictOn(linkText('<visual/>'))).toEqual(['warning geometry-missing'])
    expect(verdictOn(linkText('<collision/>'))).toEqual(['warning geometry-missing!'])
  })
})

test('a link may have several visuals and collisions, named or not, each where it is', () => {
  const at = (x: number) => `<origin xyz="${x} 0 0" rpy="0 0 ${x}"/>`
  const { visuals, collisions } = linkOf(
    `<visual name="v">${at(1)}<geometry>${ball}</geometry></visual>${shape(ball, 'visual')}` +
      `<collision name="c"><geometry>${ball}</geometry></collision><collision name="c">${at(2)}<geometry>${ball}</geometry></collision>`,
  )
  expect(visuals.map(({ name, origin }) => [name, origin.xyz[0], origin.rpy[2]])).toEqual([
    ['v', 1, 1],
    ['', 0, 0],
  ])
  expect(collisions.map(({ name, origin }) => [name, origin.xyz[0]])).toEqual([
    ['c', 0],
    ['c', 2],
  ])
})

describe('inertial', () => {
  test('is what the file says, and 0 where it says nothing', () => {
    const whole = '<origin xyz="1 2 3" rpy="0.1 0 0"/><mass value="2"/><inertia ixx="1" iyy="2" izz="3" ixy="4" ixz="5" iyz="6"/>'
    expect(linkOf(`<inertial>${whole}</inertial>`).inertial).toMatchObject({
      origin: { xyz: [1, 2, 3], rpy: [0.1, 0, 0] },
      mass: 2,
      inertia: [1, 2, 3, 4, 5, 6],
    })
    expect(linkOf('').inertial).toBeUndefined()
    expect(linkOf('<inertial><mass value="2"/></inertial>').inertial).toMatchObject({ mass: 2, inertia: [0, 0, 0, 0, 0, 0] })
  })

  test.each<[string, string[]]>([
    ['<inertial/>', ['warning mass-missing!']],
    ['<inertial><mass/></inertial>', ['error attribute-missing']],
    ['<inertial><mass value="1"/><inertia ixx="1" iyy="1"/></inertial>', ['error attribute-missing']],
    ['<inertial><mass value="1"/></inertial><inertial><mass value="2"/></inertial>', ['warning repeated-element!']],
    ['<inertail><mass value="1"/></inertail>', ['warning element-misspelt!']],
    ['<inertial><origin xyz="0 0 1" rpq="0 0 1"/><mass value="1"/></inertial>', ['warning attribute-misspelt!']],
    ['<inertial><origin xyz="0 0 1" rpy="0 0 1" rpz="1"/><mass value="1"/></inertial>', ['warning attribute-misspelt']],
  ])('%s', (text, findings) => {
    expect(verdictOn(linkText(text))).toEqual(findings)
  })
})

describe('materials', () => {
  const visual = (material: string) => shape(ball, 'visual', material)
  const red = '<material name="red"><color rgba="1 0 0 1"/></material>'

  test.each<[string, string, string[]]>([
    ['defined above', red + linkText(visual('<material name="red"/>')), []],
    ['defined below', linkText(visual('<material name="red"/>')) + red, []],
    ['defined in another visual', linkText(visual('<material name="red"/>') + visual(red)), []],
    ['defined twice alike', red + linkText(visual(red)), []],
    ['defined twice', red + linkText(visual(red.replace('1 0 0', '0 1 0'))), ['info material-twice']],
    ['undefined', linkText(visual('<material name="red"/>') + visual('<material name="blue"/>')), ['info material-undefined']],
    ['without a name', linkText(visual(red.replace('red', ''))), ['info material-unnamed']],
    ['empty', linkText(visual('<material/>')), ['info material-empty']],
    ['of a wrong colour', linkText(visual(red.replace('1 0 0 1', '1 0 0'))), ['info material-color']],
    ['called constructor', linkText(visual('<material name="constructor"/>')), ['info material-undefined']],
  ])('%s', (_, text, findings) => {
    const described = describeElements(text)
    expect(verdict(described)).toEqual(findings)
    expect(described.tags.carried).toContain('material')
  })
})

describe('surfaces', () => {
  test('have friction from wherever files state it', () => {
    const drake =
      '<drake:proximity_properties><drake:mu_static value="0.7"/><drake:mu_dynamic value="0.4"/></drake:proximity_properties>'
    const described = describeElements(`
      <link name="a">${shape(ball)}${shape(ball, 'collision', drake)}
        <contact><lateral_friction value="0.9"/><restitution value="0.5"/><stiffness value="3"/></contact></link>
      <link name="b">${shape(ball)}</link><link name="c"/><link name="d"/>
      ${fixed('1', 'a', 'b')}${fixed('2', 'a', 'c')}${fixed('3', 'a', 'd')}
      <gazebo reference="b"><mu1>0.3</mu1><mu2 value="0.2"/></gazebo>
      <gazebo reference="d"><mu> 0.6 </mu></gazebo>`)
    expect(described.links.map(({ friction, restitution, contact }) => [friction, restitution, contact])).toEqual([
      [0.9, 0.5, { stiffness: 3 }],
      [0.3, undefined, undefined],
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ])
    expect(described.links[0].collisions.map(({ friction }) => friction)).toEqual([undefined, 0.4])
    expect(verdict(described)).toEqual(['warning friction-anisotropic', 'warning gazebo-mu'])
  })

  test('keep what Gazebo and Bullet say of contacts, as text or as an attribute', () => {
    const { links, tags, diagnostics } = describeElements(
      `<link name="a"><contact><rolling_friction value="0.1"/><spinning_friction value="0.2"/><contact_cfm value="0"/></contact></link>
      <gazebo reference="a"><kp>1e6</kp><kd value="10"/><minDepth>0.001</minDepth><maxVel>0.1</maxVel><maxContacts>4</maxContacts></gazebo>`,
    )
    expect(links[0].contact).toEqual({
      ...{ stiffness: 1e6, damping: 10, minDepth: 0.001, maxVelocity: 0.1, maxContacts: 4 },
      ...{ rollingFriction: 0.1, spinningFriction: 0.2 },
    })
    expect(tags.carried).toEqual(
      expect.arrayContaining(['gazebo', 'gazebo/kp', 'gazebo/maxContacts', 'contact/rolling_friction']),
    )
    expect(tags.ignored).toEqual([])
    expect(diagnostics).toEqual([])
  })

  test('that turn gravity off are kept for the doctor to say, and which links collide with their own robot is kept', () => {
    const described = describeElements(`${twoLinks}${jointText('fixed')}
      <gazebo reference="a"><turnGravityOff>true</turnGravityOff><selfCollide>true</selfCollide></gazebo>
      <gazebo reference="b"><gravity value="0"/><self_collide>0</self_collide><turnGravityOff>maybe</turnGravityOff></gazebo>`)
    expect(described.links.map(({ gravity }) => gravity)).toEqual([false, false])
    expect([...described.selfCollide]).toEqual([
      ['a', true],
      ['b', false],
    ])
    expect(verdict(described)).toEqual(['warning flag'])
    expect(described.tags.used).toContain('gazebo/selfCollide')
    expect(described.tags.carried).toContain('gazebo/turnGravityOff')
  })

  test.each<[string, string[]]>([
    ['<gazebo reference="nobody"><mu1>0.3</mu1></gazebo>', ['warning gazebo-reference']],
    ['<gazebo reference=""><mu1>0.3</mu1></gazebo>', ['warning gazebo-reference']],
    ['<gazebo reference="j"><mu1>0.3</mu1></gazebo>', ['warning gazebo-reference']],
    ['<gazebo reference="j"><stopKp value="1"/><provideFeedback>true</provideFeedback></gazebo>', []],
    ['<gazebo><plugin name="p"><mu1>x</mu1></plugin></gazebo>', []],
    ['<gazebo reference="a"><material>Gazebo/Red</material></gazebo>', []],
    ['<gazebo reference="a"><mu1>-0.3</mu1></gazebo>', ['warning friction-negative!']],
    ['<gazebo reference="a"><mu1></mu1></gazebo>', ['error number-count']],
    ['<gazebo reference="a"><mu1>0,3</mu1></gazebo>', ['error number']],
    // nothing depends on it
    ['<gazebo reference="a"><kp>stiff</kp></gazebo>', ['warning number']],
    ['<gazebo refrence="a"><mu1>0.3</mu1></gazebo>', ['warning attribute-misspelt!']],
  ])('%s', (text, findings) => {
    expect(verdictOn(twoLinks + jointText('fixed') + text)).toEqual(findings)
  })
})

test('a coefficient that is stated as often as a file can hold is still one coefficient', () => {
  const { links } = describeElements(`${linkText('')}<gazebo reference="a">${'<mu1>0.5</mu1>'.repeat(150_000)}</gazebo>`)
  expect(links[0].friction).toBe(0.5)
})

describe('frames', () => {
  test('are named places on links', () => {
    const { frames, tags } = describeElements(
      `<frame name="tool" link="a" xyz="1 2 3" rpy="0 0 1"/>${linkText('')}<frame name="f" link="a"/>`,
    )
    expect(frames.map(({ name, link, origin }) => [name, link, origin.xyz, origin.rpy])).toEqual([
      ['tool', 'a', [1, 2, 3], [0, 0, 1]],
      ['f', 'a', [0, 0, 0], [0, 0, 0]],
    ])
    expect(tags.used).toContain('frame')
  })

  test.each<[string, string[]]>([
    ['<frame name="f" link="nobody"/>', ['warning frame-link']],
    ['<frame name="a" link="a"/>', ['warning frame-name']],
    ['<frame name="f" link="a"/><frame name="f" link="a"/>', ['warning frame-name']],
    ['<frame link="a"/>', ['error name-missing']],
    ['<frame name="f"/>', ['error attribute-missing']],
    ['<frame name="f" link="a" xyz="0 0"/>', ['error number-count']],
  ])('%s', (text, findings) => {
    expect(verdictOn(linkText('') + text)).toEqual(findings)
  })
})

describe('collision filter groups', () => {
  const links = ['a', 'b', 'c', 'd'].map((name) => `<link name="${name}"/>`).join('')
  const robot = links + fixed('1', 'a', 'b') + fixed('2', 'a', 'c') + fixed('3', 'a', 'd')
  const member = (name: string) => `<drake:member link="${name}"/>`
  const ignored = (name: string) => `<drake:ignored_collision_filter_group name="${name}"/>`
  const group = (name: string, inside: string, more = '') =>
    `<drake:collision_filter_group name="${name}"${more}>${inside}</drake:collision_filter_group>`
  const pairsOf = (text: string) => describeElements(robot + text).disabledCollisions.map(({ link1, link2 }) => link1 + link2)

  test('that ignore themselves keep their members apart, each pair once', () => {
    const text = group('g', member('c') + member('b') + member('d') + ignored('g') + ignored('g'))
    expect(pairsOf(text).sort()).toEqual(['bc', 'bd', 'cd'])
    expect(pairsOf(text + text.replaceAll('"g"', '"h"')).sort()).toEqual(['bc', 'bd', 'cd'])
  })

  test('may ignore others, hold others, and be left out', () => {
    const g = group('g', member('a'))
    const h = group('h', member('b') + member('c') + ignored('g'))
    expect(pairsOf(h + g).sort()).toEqual(['ab', 'ac'])
    expect(pairsOf(g + group('h', '<drake:member_group name="g"/>' + member('b') + ignored('h')))).toEqual(['ab'])
    expect(pairsOf(g + group('h', '<drake:member_group name="h"/>' + member('b') + ignored('h')))).toEqual([])
    expect(pairsOf(g + group('h', member('b') + ignored('g'), ' ignore="true"'))).toEqual([])
  })

  test.each<[string, string[]]>([
    [group('g', member('nobody')), ['warning filter-member']],
    [group('g', ignored('nobody')), ['warning filter-group']],
    [group('g', '<drake:member_group name="nobody"/>'), ['warning filter-group']],
    [group('', member('a')), ['error name-missing']],
    [group('g', '<drake:member name="a"/>'), ['error attribute-missing']],
  ])('%s', (text, findings) => {
    expect(verdictOn(robot + text)).toEqual(findings)
  })

  test('of a thousand links each, many times over, are refused in good time', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `l${i}`)
    const bodies = many.map((name, i) => `<link name="${name}"/>${i === 0 ? '' : fixed(name, 'l0', name)}`).join('')
    const groups = Array.from({ length: 20 }, (_, i) =>
      group(`g${i}`, many.map(member).join('') + Array.from({ length: 20 }, (_, k) => ignored(`g${k}`)).join('')),
    )
    expect(verdictOn(bodies + groups.join(''))).toEqual(['error filter-limit'])
  })
})
