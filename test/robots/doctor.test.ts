import { describe, expect, test } from 'vitest'
import { examineRobot, loadRobot, memoryResolver, type Robot } from '../../robots/index.ts'
import { accelerationAt, stateOf } from '../dynamics/at.ts'
import { codes, errorOf, inertial, robotOf } from './lookalike.ts'

const free = (link: string, options: Parameters<typeof robotOf>[1] = {}) => robotOf(`<link name="a">${link}</link>`, options)
const collision = (geometry: string, origin = '') => `<collision><origin ${origin}/><geometry>${geometry}</geometry></collision>`
const withInertia = (ixx: number, iyy: number, izz: number, more = '', mass = 2) =>
  free(`<inertial><mass value="${mass}"/><inertia ixx="${ixx}" iyy="${iyy}" izz="${izz}"/></inertial>${more}`)
const hinge = (name: string, parent: string, child: string, more = '', type = 'revolute') =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/><axis xyz="0 0 1"/>
    ${type === 'revolute' || type === 'prismatic' ? '<limit lower="-1" upper="1" effort="1" velocity="1"/>' : ''}${more}</joint>`
const links = (...names: string[]) => names.map((name) => `<link name="${name}">${inertial}</link>`).join('')

/** Findings that changed something, as their codes. */
const repairs = ({ diagnostics }: Robot) => diagnostics.filter(({ repaired }) => repaired).map(({ code }) => code)

describe('masses', () => {
  test('of moving bodies without any are those of water in their shape, at its place', () => {
    const robot = free(collision('<box size="0.1 0.2 0.3"/>', 'xyz="1 2 3"'))
    expect(repairs(robot)).toEqual(['massless-body'])
    expect(robot.massDeclared).toBe(0)
    expect(robot.massUsed).toBeCloseTo(6, 12) // 1000 kg/m^3 x 0.006 m^3
    const [m, mx, my, mz, xx] = robot.model.I[1]
    expect([mx / m, my / m, mz / m].map((x) => Math.round(1e12 * x) / 1e12)).toEqual([1, 2, 3])
    expect(xx).toBeCloseTo((6 * (0.04 + 0.09)) / 12 + 6 * (4 + 9), 10)
    expect(free(collision('<box size="0.1 0.2 0.3"/>'), { density: 500 }).massUsed).toBeCloseTo(3, 12)
    expect(() => free(collision('<box size="1 1 1"/>'), { density: 0 })).toThrow(RangeError)
  })

  test('fall back on what is seen, then on a thousandth of the lightest neighbour, then on a gram', () => {
    const seen = free('<visual><geometry><sphere radius="0.1"/></geometry></visual>')
    expect(seen.massUsed).toBeCloseTo((4000 / 3) * Math.PI * 1e-3, 12)
    const nothing = free('')
    expect(nothing.massUsed).toBe(1e-3)
    expect(nothing.diagnostics[0].remedy).toMatch(/^0.001 kg in a ball of 1000 kg.m.3 is used; add an <inertial>[.]/)
    const heavy = '<inertial><mass value="50"/><inertia ixx="1" iyy="1.1" izz="1.2"/></inertial>'
    const light = '<inertial><mass value="20"/><inertia ixx="1" iyy="1.1" izz="1.2"/></inertial>'
    const end = robotOf(`<link name="a">${heavy}</link><link name="b">${light}</link><link name="c"/>
      ${hinge('1', 'a', 'b')}${hinge('2', 'b', 'c')}`)
    expect(end.model.I[3][0]).toBe(0.02)
    const radius = Math.cbrt((3 * 0.02) / (4000 * Math.PI))
    expect(end.model.I[3][4]).toBeCloseTo(0.4 * 0.02 * radius * radius, 15)
  })

  test('that fixed links bring count before anything is estimated', () => {
    const robot = robotOf(`<link name="a">${collision('<sphere radius="1"/>')}</link><link name="b">${inertial}</link>
      <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>`)
    expect(robot.massUsed).toBe(1)
    expect(robot.diagnostics).toEqual([])
  })

  test('each link of a massless body gets that of its own shapes, so that the repaired file says the same', () => {
    const text = `<robot name="r"><link name="a">${collision('<sphere radius="0.1"/>')}</link><link name="b">${collision('<box size="1 1 1"/>')}</link>
      <joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="1 0 0" rpy="0.3 0 0"/></joint></robot>`
    const { repaired, findings } = examineRobot(text, { file: 'r.urdf' })
    const [ball, box] = repaired.links.map(({ inertial }) => inertial?.mass ?? 0)
    expect(ball).toBeCloseTo((4000 / 3) * Math.PI * 1e-3, 12)
    expect(box).toBeCloseTo(1000, 9)
    expect(findings.filter(({ repaired }) => repaired).length).toBe(1)
  })

  test('a part inside a coarser one does not weigh twice', () => {
    const box = (size: number, x = 0) => collision(`<box size="${size} ${size} ${size}"/>`, `xyz="${x} 0 0"`)
    const mass = (shapes: string) => free(shapes).massUsed
    expect(mass(box(0.1) + box(0.1))).toBeCloseTo(1, 12)
    expect(mass(box(0.1) + box(0.05))).toBeCloseTo(1, 12)
    expect(mass(box(0.1) + box(0.1, 0.05))).toBeCloseTo(1.5, 12)
    expect(mass(box(0.1) + box(0.1, 1))).toBeCloseTo(2, 12)
    // a capsule made of a cylinder and two balls, whose hull is sampled
    const ball = (z: number) => collision('<sphere radius="0.1"/>', `xyz="0 0 ${z}"`)
    const capsule = Math.PI * 0.01 * 0.5 * 1000 + (4000 / 3) * Math.PI * 1e-3
    const made = mass(collision('<cylinder radius="0.1" length="0.5"/>') + ball(-0.25) + ball(0.25))
    expect(Math.abs(made / capsule - 1)).toBeLessThan(0.03)
  })

  test('a robot without any mass falls as it should: kinematics alone is enough to load it', () => {
    const robot = robotOf(
      `<link name="a"/><link name="b"/><link name="c"/>${hinge('1', 'a', 'b')}${hinge('2', 'b', 'c', '', 'prismatic')}`,
    )
    const { model } = robot
    const state = stateOf(model, robot.home)
    const a = accelerationAt(model, state)
    // free fall: nothing moves against the base
    const expected = [0, 0, 0, 0, 0, -9.81, 0, 0]
    for (let k = 0; k < 8; k++) expect(a[k]).toBeCloseTo(expected[k], 10)
  })

  test('what is fixed to the world needs none and is told', () => {
    const robot =
      robotOf(`<link name="world"/><link name="table">${collision('<box size="1 1 1"/>')}</link><link name="post">${inertial}</link>
      <joint name="1" type="fixed"><parent link="world"/><child link="table"/></joint>
      <joint name="2" type="fixed"><parent link="world"/><child link="post"/></joint>`)
    expect(codes(robot.diagnostics)).toEqual(['mass-on-world:1'])
    expect(robot.massUsed).toBe(1)
  })

  test('below 0 are refused', () => {
    expect(codes(errorOf(() => withInertia(1, 1, 1, '', -1)).diagnostics)).toEqual(['mass-negative:1'])
  })

  test('and places that no part of a robot has are named', () => {
    expect(codes(withInertia(1e4, 1e4, 1.1e4, '', 2e4).diagnostics)).toEqual(['mass-implausible:1'])
    expect(codes(withInertia(1e-9, 1.1e-9, 1.2e-9, '', 1e-7).diagnostics)).toEqual(['mass-implausible:1'])
    const far = (x: number) =>
      free(`<inertial><origin xyz="${x} 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.11" izz="0.12"/></inertial>
        ${collision('<box size="0.2 0.2 0.2"/>')}`)
    expect(codes(far(0.4).diagnostics)).toEqual([]) // 0.3 m out of a box of 0.346 m
    expect(codes(far(0.5).diagnostics)).toEqual(['center-of-mass-outside:1'])
  })
})

describe('inertias', () => {
  test('a broken triangle inequality is repaired to the nearest body', () => {
    const robot = withInertia(1, 2, 5)
    expect(repairs(robot)).toEqual(['inertia-triangle'])
    // second moments (yy + zz - xx) / 2 = 3, 2, -1: the last one is raised to 1e-6 of the largest
    const floor = 3e-6
    expect([...robot.model.I[1].slice(4)].map((x) => Math.round(1e9 * x) / 1e9)).toEqual([2 + floor, 3 + floor, 5, 0, 0, 0])
  })

  test('flat bodies and printed rounding are no mistake, negative moments are', () => {
    expect(withInertia(1, 2, 3).diagnostics).toEqual([])
    expect(withInertia(1, 2, 3.0000001).diagnostics).toEqual([])
    expect(repairs(withInertia(1, 2, 3.001))).toEqual(['inertia-triangle'])
    expect(repairs(withInertia(-1, 2, 2))).toEqual(['inertia-not-positive'])
    expect(repairs(withInertia(0, 2, 2))).toEqual(['inertia-not-positive'])
  })

  test('a mass without inertia gets that of its shapes, or of a ball of water', () => {
    const shaped = withInertia(0, 0, 0, collision('<box size="0.1 0.2 0.3"/>', 'rpy="0 0 1.5707963267948966"'))
    expect(repairs(shaped)).toEqual(['inertia-zero'])
    expect(shaped.model.I[1][4]).toBeCloseTo((2 * (0.01 + 0.09)) / 12, 12) // turned: x and y change places
    expect(shaped.model.I[1][5]).toBeCloseTo((2 * (0.04 + 0.09)) / 12, 12)
    const ball = withInertia(0, 0, 0)
    const radius = (2 / 1000 / ((4 / 3) * Math.PI)) ** (1 / 3)
    expect(ball.model.I[1][4]).toBeCloseTo(0.4 * 2 * radius * radius, 12)
    const seen = withInertia(0, 0, 0, '<visual><geometry><sphere radius="0.5"/></geometry></visual>')
    expect(seen.model.I[1][4]).toBeCloseTo(0.4 * 2 * 0.25, 12)
  })

  test('bodies are judged whole: parts fixed to a proper body stay as stated, whatever body they would be alone', () => {
    const part = (mass: number, ixx: number, izz: number) =>
      `<link name="b"><inertial><origin xyz="0 0 1"/><mass value="${mass}"/><inertia ixx="${ixx}" iyy="${ixx}" izz="${izz}"/></inertial></link>`
    const glued = (text: string) =>
      robotOf(`<link name="a">${inertial}</link>${text}<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>`)
    const parts = [part(0.5, 0, 0), part(0.5, 1e-3, 0.01), part(0.5, 1e-3, -1e-4), part(0, 0, 0), part(0.5, 0, 1e-3)]
    for (const [k, text] of parts.entries()) {
      const robot = glued(text)
      expect(repairs(robot)).toEqual([])
      const [mass, ixx, izz] = [k === 3 ? 0 : 0.5, [0, 1e-3, 1e-3, 0, 0][k], [0, 0.01, -1e-4, 0, 1e-3][k]]
      expect(robot.model.I[1][4]).toBeCloseTo(0.1 + ixx + mass, 15)
      expect(robot.model.I[1][6]).toBeCloseTo(glued(part(0, 0, 0)).model.I[1][6] + izz, 15)
    }
    expect(codes(glued(parts[1]).diagnostics)).toEqual(['inertia-of-part:1'])
    // alone or with too little beside it the same part is mended, and both numbers are given
    const heavy = glued(part(0.5, 1, 10))
    expect(repairs(heavy)).toEqual(['inertia-triangle'])
    expect(heavy.diagnostics[0].message).toMatch(/principal moments 1, 1, 10 .* Its body has/)
  })

  test('a point mass or a massless cross between hinges stays where the mass matrix is regular', () => {
    const arm = (x: number) =>
      robotOf(`<link name="a">${inertial}</link><link name="b"/><link name="c"><inertial><origin xyz="${x} 0 0"/><mass value="2"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>
        ${hinge('1', 'a', 'b')}${hinge('2', 'b', 'c', '<origin rpy="1.5707963267948966 0 0"/>')}`)
    expect(repairs(arm(0.5))).toEqual([])
    expect(codes(arm(0.5).diagnostics)).toContain('inertia-zero:1')
    expect(arm(0.5).model.I[3].slice(4)).toEqual(Float64Array.of(0, 0.5, 0.5, 0, 0, 0))
    expect(repairs(arm(0))).toEqual(['inertia-zero'])
  })

  test('a root without mass is fixed where others have mass, and says so', () => {
    const text = `<link name="a"/><link name="b">${inertial}</link>${hinge('1', 'a', 'b')}`
    expect(codes(robotOf(text).diagnostics)).toEqual(['root-without-mass:1'])
    expect([robotOf(text).floating, robotOf(text, { base: 'floating' }).floating]).toEqual([false, true])
    expect(repairs(robotOf(text, { base: 'floating' }))).toEqual(['massless-body'])
  })

  test('an inertia without mass adds to the body that it is fixed to, as in Pinocchio', () => {
    const robot =
      robotOf(`<link name="a">${inertial}</link><link name="b"><inertial><mass value="0"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>`)
    expect(repairs(robot)).toEqual([])
    expect(robot.model.I[1][4]).toBeCloseTo(1.1, 15)
  })

  test('placeholders and impossible radii of gyration are used and named, one line a kind', () => {
    expect(codes(withInertia(0.01, 0.01, 0.01).diagnostics)).toEqual(['inertia-placeholder:1'])
    expect(codes(withInertia(30, 30, 31).diagnostics)).toEqual(['inertia-large:1'])
    expect(codes(withInertia(1e-11, 1e-11, 1.1e-11, '', 0.01).diagnostics)).toEqual(['inertia-small:1'])
    const one = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const robot = robotOf(
      names.map((name) => `<link name="${name}">${one}</link>`).join('') +
        names
          .slice(1)
          .map((name) => hinge(`to_${name}`, 'a', name))
          .join(''),
    )
    expect(codes(robot.diagnostics)).toEqual(['inertia-placeholder:1'])
    expect(robot.diagnostics[0].element).toBe('<inertia> of links "a", "b", "c", "d" and 3 more')
  })
})

describe('mimic joints', () => {
  const mimic = (joint: string, more = '') => `<mimic joint="${joint}" ${more}/>`
  const follower = (text: string, type = 'revolute') =>
    robotOf(`${links('world', 'a', 'b')}${hinge('master', 'world', 'a', '', type)}${text}`)

  test('that follow nothing, themselves, each other, or a joint of several coordinates move freely', () => {
    expect(repairs(follower(hinge('copy', 'world', 'b', mimic('nobody'))))).toEqual(['mimic-unknown'])
    expect(repairs(follower(hinge('copy', 'world', 'b', mimic('copy'))))).toEqual(['mimic-cycle'])
    expect(repairs(follower(hinge('copy', 'world', 'b', mimic('master')), 'planar'))).toEqual(['mimic-type'])
    const circle =
      robotOf(`${links('world', 'a', 'b', 'c')}${hinge('1', 'world', 'a', mimic('2'))}${hinge('2', 'world', 'b', mimic('1'))}
      ${hinge('3', 'world', 'c', mimic('2', 'multiplier="2"'))}`)
    expect(repairs(circle)).toEqual(['mimic-cycle', 'mimic-cycle', 'mimic-limits'])
    expect(circle.diagnostics[0].message).toBe('the joints "1" -> "2" follow each other.')
    expect(circle.joints.map(({ name }) => name)).toEqual(['1', '2'])
    expect(circle.mimics).toMatchObject([{ name: '3', follows: '2', multiplier: 2 }])
  })

  test('of a fixed joint, or with multiplier 0, are fixed where their offset puts them', () => {
    const robot = robotOf(`${links('world', 'a', 'b', 'c', 'd')}${hinge('still', 'world', 'a', '', 'fixed')}
      ${hinge('turned', 'world', 'b', `<origin xyz="1 0 0" rpy="0.2 0 0"/>${mimic('still', 'offset="0.4" multiplier="3"')}`)}
      ${hinge('slid', 'b', 'c', mimic('turned', 'multiplier="0.5" offset="0.1"'), 'prismatic')}
      ${hinge('free', 'world', 'd', '', 'continuous')}`)
    expect(repairs(robot)).toEqual(['mimic-master-fixed', 'mimic-master-fixed'])
    expect([robot.model.nv, robot.mimics, robot.counts.joints.mimic]).toEqual([1, [], 2])
    const b = robot.frames.find(({ name }) => name === 'b')!
    // Rx(0.2) Rz(0.4)
    const [s, c] = [Math.sin(0.4), Math.cos(0.4)]
    const expected = [c, -s, 0, s * Math.cos(0.2), c * Math.cos(0.2), -Math.sin(0.2)]
    expected.forEach((x, k) => {
      expect(b.R[k]).toBeCloseTo(x, 14)
    })
    // 0.5 x 0.4 + 0.1 along b's z, which is Rx(0.2) z
    const slid = robot.frames.find(({ name }) => name === 'c')!
    expect(slid.p[1] - b.p[1]).toBeCloseTo(-0.3 * Math.sin(0.2), 14)
    expect(slid.p[2] - b.p[2]).toBeCloseTo(0.3 * Math.cos(0.2), 14)
    expect(repairs(follower(hinge('copy', 'world', 'b', mimic('master', 'multiplier="0" offset="0.3"'))))).toEqual([
      'mimic-multiplier',
    ])
  })

  test('with gears that no robot has move freely, however the chain makes them', () => {
    const robot = robotOf(`${links('world', 'a', 'b', 'c')}${hinge('1', 'world', 'a', '', 'continuous')}
      ${hinge('2', 'world', 'b', mimic('1', 'multiplier="1e5"'), 'continuous')}${hinge('3', 'world', 'c', mimic('2', 'multiplier="1e5"'), 'continuous')}`)
    expect(repairs(robot)).toEqual(['mimic-range'])
    expect(robot.joints.map(({ name }) => name)).toEqual(['1', '3'])
  })

  test('whose limits leave no way to move lose them', () => {
    const apart = follower(hinge('copy', 'world', 'b', mimic('master', 'offset="5"')))
    expect(repairs(apart)).toEqual(['mimic-limits-apart'])
    expect([apart.model.lower[0], apart.model.upper[0]]).toEqual([-1, 1])
    // the range of the copy has the wrong sign, as in a gripper that is sold: the ranges meet in one point
    const gripper = robotOf(`${links('world', 'a', 'b')}
      <joint name="master" type="revolute"><parent link="world"/><child link="a"/><limit lower="0" upper="0.8" effort="1" velocity="1"/></joint>
      <joint name="copy" type="revolute"><parent link="world"/><child link="b"/><limit lower="0" upper="0.9" effort="1" velocity="1"/>${mimic('master', 'multiplier="-1"')}</joint>`)
    expect(repairs(gripper)).toEqual(['mimic-limits-apart'])
    expect([gripper.model.lower[0], gripper.model.upper[0]]).toEqual([0, 0.8])
  })
})

describe('meshes', () => {
  const stl = (scale: number) => {
    const corners = [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ].map((p) => p.map((x) => x * scale))
    const faces = [
      [0, 2, 1],
      [0, 1, 3],
      [1, 2, 3],
      [0, 3, 2],
    ]
    const vertex = (k: number) => `vertex ${corners[k].join(' ')}`
    return `solid t\n${faces.map((f) => `facet normal 0 0 0\nouter loop\n${f.map(vertex).join('\n')}\nendloop\nendfacet`).join('\n')}\nendsolid t\n`
  }
  const bytes = (text: string) => new TextEncoder().encode(text)
  const files = memoryResolver(
    new Map([
      ['m/good.stl', bytes(stl(0.1))],
      ['m/Case.stl', bytes(stl(0.1))],
      ['m/millimetres.stl', bytes(stl(100))],
      ['m/broken.stl', bytes('solid t\nfacet\nvertex 1 2\n')],
    ]),
  )
  const mesh = (name: string) => `<geometry><mesh filename="${name}"/></geometry>`
  const load = (text: string) => robotOf(`<link name="a">${inertial}${text}</link>`, { file: 'm/r.urdf', resolver: files })

  test('that collide and cannot be had are left out', () => {
    for (const [name, code] of [
      ['none.stl', 'mesh-missing'],
      ['broken.stl', 'mesh-broken'],
      ['good.step', 'mesh-format'],
      ['http://x/y.stl', 'mesh-remote'],
    ]) {
      const robot = load(`<collision>${mesh(name)}</collision><collision>${mesh('good.stl')}</collision>`)
      expect([name, ...repairs(robot)]).toEqual([name, code])
      expect(robot.shapes.map(({ shape }) => shape.type)).toEqual(['hull'])
    }
  })

  test('that are only seen are missed in one line, and nothing moves otherwise', () => {
    const robot = load(`<visual>${mesh('x.dae')}</visual><visual>${mesh('y.dae')}</visual><visual>${mesh('x.dae')}</visual>`)
    expect(codes(robot.diagnostics)).toEqual(['visual-mesh-missing:1'])
    expect(robot.diagnostics[0].message).toBe('2 meshes were not found, the first is "x.dae".')
    expect(repairs(robot)).toEqual([])
  })

  test('in another letter case are used with a warning', () => {
    const robot = load(`<collision>${mesh('case.stl')}</collision>`)
    expect(codes(robot.diagnostics)).toEqual(['mesh-case:1'])
    expect(robot.shapes.length).toBe(1)
  })

  test('in millimetres are named', () => {
    expect(codes(load(`<collision>${mesh('millimetres.stl')}</collision>`).diagnostics)).toContain('mesh-scale:1')
    const beside = ['good.stl', 'good.stl', 'good.stl'].map((name) => `<collision>${mesh(name)}</collision>`).join('')
    const giant = load(`${beside}<collision><geometry><box size="20 1 1"/></geometry></collision>`)
    expect(codes(giant.diagnostics)).toEqual(['mesh-scale:1'])
    expect(giant.diagnostics[0].message).toMatch(/^the box measures 20 m across, other parts 0\.17/)
  })
})

describe('other findings', () => {
  test('numbers with which nothing would be finite are refused, all at once', () => {
    const text = `<link name="a"><inertial><mass value="1e300"/><inertia ixx="1e300" iyy="1" izz="1"/></inertial></link><link name="b"/>
      <joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 1e200 0"/></joint>`
    expect(codes(errorOf(() => robotOf(text)).diagnostics)).toEqual(['magnitude:1', 'magnitude:1', 'magnitude:2'])
  })

  test('velocity limits that no joint reaches, elastic contacts that gain energy', () => {
    const robot = robotOf(
      `${links('a', 'b')}<joint name="j" type="continuous"><parent link="a"/><child link="b"/><limit effort="1" velocity="1e6"/></joint>`,
    )
    expect(codes(robot.diagnostics)).toEqual(['velocity-implausible:1'])
    expect(codes(free(`${inertial}<contact><restitution value="1.5"/></contact>`).diagnostics)).toEqual(['restitution:1'])
  })

  test('wheels whose axis is a right angle written to few digits, in the joint or in the shape', () => {
    const wheel = (joint: string, shape: string, type = 'continuous') =>
      robotOf(
        `${links('a')}<link name="b">${inertial}<collision><origin rpy="${shape}"/><geometry><cylinder radius="1" length="0.1"/></geometry></collision></link>
        <joint name="j" type="${type}"><parent link="a"/><child link="b"/><origin rpy="${joint}"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>`,
      ).diagnostics.flatMap(({ code, message }) => (code === 'wheel-tilted' ? message : []))
    expect(wheel('-1.57 0 0', '0 0 0')).toEqual(['its wheel is 0.80 mrad out of line: a right angle written to few digits.'])
    expect(wheel('0 0 0', '3.14159 0 0')).toEqual(['its wheel is 2.7 urad out of line: a right angle written to few digits.'])
    for (const meant of ['0 0 0', '-1.5707963267948966 0 0', '1.55 0 0']) expect(wheel(meant, '0 0 0')).toEqual([])
    expect(wheel('1.57 0 0', '0 0 0', 'revolute')).toEqual([])
  })

  test('damping of a ball is about each of its axes, and a planar joint has no axle that it could act on', () => {
    const robot = robotOf(
      `${links('world', 'a', 'b')}${hinge('1', 'world', 'a', '<dynamics damping="2"/>', 'spherical')}`.replace(
        '<link name="b">',
        '<link name="b">',
      ) + hinge('2', 'a', 'b', '<dynamics friction="1"/>', 'planar'),
    )
    expect(repairs(robot)).toEqual(['dynamics-unused'])
    expect([...robot.model.damping]).toEqual([2, 2, 2, 0, 0, 0])
    expect(robot.model.friction.every((x) => x === 0)).toBe(true)
  })
})

describe('loading strictly', () => {
  const text = `<robot name="r"><link name="a">${inertial}</link><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3"/></inertial></link>
    <link name="c"/>${hinge('1', 'a', 'b', '<mimic joint="nobody"/>')}
    <joint name="2" type="prismatic"><parent link="b"/><child link="c"/></joint></robot>`

  test('refuses every repair at once, and says what would be done', () => {
    const repaired = repairs(loadRobot(text, { file: 'r.urdf' }))
    expect(repaired.sort()).toEqual(['inertia-triangle', 'limit-missing', 'massless-body', 'mimic-unknown'])
    const error = errorOf(() => loadRobot(text, { file: 'r.urdf', strict: true }))
    const refused = error.diagnostics.filter(({ severity }) => severity === 'error')
    expect(refused.map(({ code }) => code).sort()).toEqual(repaired)
    expect(refused.every(({ remedy }) => remedy.startsWith('Refused; if not strict: '))).toBe(true)
    expect(error.message.split('\n').length).toBe(4)
  })

  test('refuses nothing that is only worth a word', () => {
    const sound = `<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>`
    expect(codes(loadRobot(sound, { file: 'r.urdf', strict: true }).diagnostics)).toEqual(['inertia-placeholder:1'])
  })

  test('a repaired description needs no repairs', () => {
    const { repaired } = examineRobot(text, { file: 'r.urdf' })
    expect(repaired.joints.map(({ mimic }) => mimic)).toEqual([undefined, undefined])
    expect(repaired.links.every(({ inertial }) => (inertial?.mass ?? 0) > 0)).toBe(true)
  })
})
