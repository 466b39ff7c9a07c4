import { describe, expect, test } from 'vitest'
import { buildModel, crba, createRandom, JointType, type Model } from '../../dynamics/index.ts'
import { inspectRobot, type Robot } from '../../robots/index.ts'
import { dataAt, stateOf } from '../dynamics/at.ts'
import { body, free, hinge } from '../dynamics/bodies.ts'
import { turnedInertia } from '../dynamics/randomTree.ts'
import { codes, errorOf, inertial, lookalike, rejectionOf, robotOf } from './lookalike.ts'

/** R = Rz(yaw) Ry(pitch) Rx(roll) as a product of elementary rotations, with the engine's own sine and cosine. */
function rotation([roll, pitch, yaw]: number[]): number[] {
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((angle) => [Math.cos(angle), Math.sin(angle)])
  const times = (a: number[], b: number[]) =>
    Array.from({ length: 9 }, (_, k) => [0, 1, 2].reduce((sum, m) => sum + a[3 * Math.floor(k / 3) + m] * b[3 * m + (k % 3)], 0))
  return times(times([cy, -sy, 0, sy, cy, 0, 0, 0, 1], [cp, 0, sp, 0, 1, 0, -sp, 0, cp]), [1, 0, 0, 0, cr, -sr, 0, sr, cr])
}

/** The inertia R I R' of a link whose `<inertial>` is turned. */
const turned = (I: number[], rpy: number[]) => turnedInertia(I, rotation(rpy))

/** The quadruped of the look-alikes by hand, with nothing merged: fixed joints are joints of their own. */
function unmergedQuadruped(): Model {
  const none = { mass: 0, inertia: [0, 0, 0, 0, 0, 0] } as const
  const weld = (name: string, parent: number, position: [number, number, number], rpy: number[]) =>
    ({ jointName: name, parent, jointType: JointType.fixed, position, rotation: rotation(rpy) }) as const
  return buildModel('unmerged', [
    body('base', free('base'), none),
    body('trunk', weld('trunk', 1, [0, 0, 0.05], [0, 0, 0.3]), {
      mass: 5.66,
      centerOfMass: [0.0127, 0.0022, 0.0005],
      inertia: turned([0.0168, 0.0566, 0.0647, 8.4e-5, 6e-4, 2.5e-5], [-0.2, 0.1, 0.4]),
    }),
    body('shoulder', weld('shoulder', 2, [0.18, 0.05, 0], [0, 0.7, 0]), {
      mass: 0.7,
      centerOfMass: [-0.003, 0.001, 0],
      inertia: turned([4.7e-4, 8e-4, 5.5e-4, -9.4e-6, -3.4e-7, -4.7e-7], [0, 0, 1]),
    }),
    body(
      'calf',
      hinge('calf', 3, [0, 0.6, 0.8], [0, 0.08, -0.1]),
      { mass: 0.166, centerOfMass: [0.0065, 0, -0.107], inertia: [0.003, 0.003, 3.2e-5, 0, -1.4e-4, 0] },
      { rotation: rotation([0.2, -0.3, 0.5]) },
    ),
    body('foot', weld('foot', 4, [0.01, -0.02, -0.2], [0.4, -0.5, 0.6]), {
      mass: 0.06,
      centerOfMass: [0, 0, 0.001],
      inertia: turned([9.6e-6, 9.7e-6, 9.8e-6, 0, 0, 1e-7], [0.1, 0.2, 0.3]),
    }),
  ])
}

function massMatrixAt(model: Model, q: Float64Array) {
  const data = dataAt(model, stateOf(model, q))
  crba(model, data)
  return { M: data.M, data }
}

function jointNamed(robot: Robot, name: string) {
  return robot.joints.find((joint) => joint.name === name)!
}

describe('merging links behind fixed joints', () => {
  test('leaves the joint-space inertia and every link where they are without merging', async () => {
    const robot = await lookalike('urdf/quadruped.urdf')
    const unmerged = unmergedQuadruped()
    expect(robot.model.nb).toBe(3)
    expect(robot.model.nv).toBe(unmerged.nv)
    const random = createRandom(5)
    for (let trial = 0; trial < 20; trial++) {
      const q = new Float64Array(8).map(() => 2 * random.next() - 1)
      const length = Math.hypot(q[3], q[4], q[5], q[6])
      for (let k = 3; k < 7; k++) q[k] /= length
      const ours = massMatrixAt(robot.model, q)
      const theirs = massMatrixAt(unmerged, q)
      // both sum the same handful of terms in another order: a few ulps of the largest entry
      for (let k = 0; k < 49; k++) expect(Math.abs(ours.M[k] - theirs.M[k])).toBeLessThan(1e-14 * 8)
      unmerged.bodyName.slice(1).forEach((name, i) => {
        const { R, p } = placeOf(robot, q, name)
        for (const [a, x] of p.entries()) expect(x).toBeCloseTo(theirs.data.p_WB[i + 1][a], 14)
        for (const [k, turn] of R.entries()) expect(turn).toBeCloseTo(theirs.data.R_WB[i + 1][k], 14)
      })
    }
  })

  test('keeps names, masses, limits, friction, and reads no limits of fixed joints', async () => {
    const robot = await lookalike('urdf/quadruped.urdf')
    expect(robot.floating).toBe(true)
    expect(robot.model.bodyName).toEqual(['world', 'base', 'calf'])
    expect(robot.frames.map(({ name, body }) => `${name}:${body}`)).toEqual([
      'base:1',
      'trunk:1',
      'shoulder:1',
      'calf:2',
      'foot:2',
    ])
    expect(robot.massDeclared).toBeCloseTo(5.66 + 0.7 + 0.166 + 0.06, 12)
    expect(robot.massUsed).toBeCloseTo(robot.massDeclared, 12)
    const knee = jointNamed(robot, 'knee')
    expect(knee).toEqual({ name: 'knee', type: 'revolute', body: 2, qIndex: 7, vIndex: 6 })
    const { lower, upper, effortLimit, velocityLimit, damping, friction } = robot.model
    expect([lower, upper, effortLimit, velocityLimit, damping, friction].map((array) => array[6])).toEqual([
      -2.7, -0.9, 33.5, 21, 0.01, 0.2,
    ])
    expect(robot.shapes.map(({ name, body, friction }) => [name, body, friction])).toEqual([
      ['trunk', 1, 0.3],
      ['foot', 2, 0.6],
    ])
    expect(codes(robot.diagnostics, 'warning')).toEqual(['friction-anisotropic:35', 'axis-length:53'])
    expect(codes(robot.diagnostics, 'info')).toEqual(['limit-unused:17'])
  })
})

describe('the base', () => {
  test('floats unless its root is the world', async () => {
    const rail = await lookalike('urdf/undeclared_world.urdf')
    expect(rail.floating).toBe(false)
    expect(rail.model.nv).toBe(1)
    expect(rail.counts.links).toBe(1)
    expect(codes(rail.diagnostics)).toEqual(['limit-missing:3'])
    const declared = robotOf(`<link name="world"/><link name="a">${inertial}</link>
      <joint name="j" type="fixed"><parent link="world"/><child link="a"/></joint>`)
    expect([declared.floating, declared.model.nv, declared.worldMoments[0]]).toEqual([false, 0, 1])
    expect(robotOf(`<link name="a">${inertial}</link>`).floating).toBe(true)
  })

  test('does what it is told', async () => {
    const free = robotOf(
      `<link name="a">${inertial}</link><joint name="j" type="fixed"><parent link="world"/><child link="a"/></joint>`,
      { base: 'floating' },
    )
    expect([free.floating, free.model.nv, free.model.bodyName[1]]).toEqual([true, 6, 'a'])
    const rail = await rejectionOf(lookalike('urdf/undeclared_world.urdf', { base: 'floating' }))
    expect(codes(rail.diagnostics, 'error')).toEqual(['base-floating:2'])
    const held = await lookalike('urdf/quadruped.urdf', { base: 'fixed' })
    expect([held.floating, held.model.nv, held.model.nb]).toEqual([false, 1, 2])
    expect(held.shapes.map(({ body }) => body)).toEqual([0, 1])
  })

  test('may float by a joint under the world, which comes first in q', () => {
    const robot = robotOf(`<link name="world"/><link name="post">${inertial}</link><link name="a">${inertial}</link>
      <joint name="turn" type="continuous"><parent link="world"/><child link="post"/></joint>
      <joint name="free" type="floating"><parent link="world"/><child link="a"/></joint>`)
    expect(robot.floating).toBe(true)
    expect(robot.model.jointName.slice(1)).toEqual(['free', 'turn'])
    expect(robot.joints).toEqual([{ name: 'turn', type: 'continuous', body: 2, qIndex: 7, vIndex: 6 }])
  })
})

describe('home', () => {
  test('sets the lowest point of each kind of shape on z = 0', () => {
    const height = (collision: string, origin: string) =>
      robotOf(`<link name="a">${inertial}<collision><origin ${origin}/><geometry>${collision}</geometry></collision></link>`)
        .home[2]
    const [c, s] = [Math.cos(0.3), Math.sin(0.3)]
    expect(height('<sphere radius="0.2"/>', 'xyz="0 0 0.1"')).toBeCloseTo(0.1, 15)
    expect(height('<sphere radius="0"/>', 'xyz="0 0 -0.3"')).toBeCloseTo(0.3, 15)
    expect(height('<box size="0.2 0.4 0.6"/>', 'rpy="0.3 0 0"')).toBeCloseTo(0.2 * s + 0.3 * c, 15)
    expect(height('<cylinder radius="0.2" length="0.6"/>', 'rpy="0.3 0 1"')).toBeCloseTo(0.2 * s + 0.3 * c, 15)
    expect(height('<capsule radius="0.2" length="0.6"/>', 'rpy="0 0.3 1"')).toBeCloseTo(0.2 + 0.3 * c, 15)
  })

  test('clamps zero into the limits and measures the height there', async () => {
    const robot = await lookalike('urdf/quadruped.urdf')
    expect(robot.home[7]).toBe(-0.9)
    expect([...robot.home.slice(3, 7)]).toEqual([0, 0, 0, 1])
    expect(placeOf(robot, robot.home, 'foot').p[2]).toBeCloseTo(0.02, 15) // the foot's radius
  })

  test('leaves the base at the origin if it is not to be set on the ground', () => {
    const ball = '<collision><geometry><sphere radius="0.2"/></geometry></collision>'
    const height = (ground?: boolean) => robotOf(`<link name="a">${inertial}${ball}</link>`, { ground }).home[2]
    expect([height(), height(true), height(false)]).toEqual([0.2, 0.2, 0])
  })

  test('is z = 0 for a robot without shapes', () => {
    expect([...robotOf(`<link name="a">${inertial}</link>`).home]).toEqual([0, 0, 0, 0, 0, 0, 1])
  })
})

describe('shapes', () => {
  test('without extent become points, without thickness thin hulls, and of two in a geometry the first counts', async () => {
    const { shapes, diagnostics } = await lookalike('urdf/contact_points.urdf')
    expect(shapes.map(({ name, shape }) => `${name} ${shape.type}`)).toEqual([
      'sole#1 sphere',
      'sole#2 sphere',
      'sole#3 box',
      'sole#4 hull',
      'sole#5 hull',
    ])
    expect(shapes[0].shape).toEqual({ type: 'sphere', radius: 0 })
    expect([...shapes[0].p]).toEqual([0.1, 0.05, -0.07])
    const thin = shapes.slice(3).map(({ shape }) => (shape.type === 'hull' ? shape.polyhedron.vertices.length / 3 : 0))
    expect(thin).toEqual([4, 2])
    expect(codes(diagnostics)).toEqual(['geometry-two-shapes:8'])
  })
})

describe('inspection', () => {
  test('counts what the file holds and finds the centre of mass at home', () => {
    const seen = inspectRobot(
      robotOf(`<link name="world"/><link name="post">${inertial}</link><link name="arm">${inertial}</link><link name="copy">${inertial}</link>
      <joint name="1" type="fixed"><parent link="world"/><child link="post"/><origin xyz="3 0 0"/></joint>
      <joint name="2" type="revolute"><parent link="post"/><child link="arm"/><origin xyz="0 3 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
      <joint name="3" type="continuous"><parent link="post"/><child link="copy"/><origin xyz="0 0 3"/><mimic joint="2"/></joint>`),
    )
    expect(seen).toMatchObject({ name: 'test', links: 4, dof: 1, nq: 1, nv: 1, mass: 3, massUsed: 3 })
    expect(seen.joints).toEqual({ revolute: 1, continuous: 1, prismatic: 0, fixed: 1, floating: 0, planar: 0, mimic: 1 })
    expect(seen.centerOfMass.map((x) => Math.round(1e12 * x) / 1e12)).toEqual([3, 1, 1])
    expect(codes(seen.doctor)).toEqual(['mass-on-world:1'])
  })

  test('counts a joint of several coordinates once, and says spherical only where there is one', () => {
    const seen = inspectRobot(
      robotOf(`${['world', 'a', 'b', 'c'].map((name) => `<link name="${name}">${inertial}</link>`).join('')}
      ${joint('free', 'floating', 'world', 'a')}${joint('table', 'planar', 'a', 'b')}${joint('ball', 'spherical', 'b', 'c')}`),
    )
    expect(seen).toMatchObject({ dof: 2, nq: 7 + 3 + 4, nv: 6 + 3 + 3 })
    expect(seen.joints).toMatchObject({ floating: 1, planar: 1, spherical: 1 })
  })
})

/** A joint of unlimited range between two links. */
function joint(name: string, type: string, parent: string, child: string, more = ''): string {
  const limit = type === 'revolute' || type === 'prismatic' ? '<limit lower="-9" upper="9" effort="1" velocity="1"/>' : ''
  return `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${limit}${more}</joint>`
}

const links = (...names: string[]) => names.map((name) => `<link name="${name}">${inertial}</link>`).join('')

describe('joints of several coordinates', () => {
  test('may stand anywhere, are at identity at home, and are no joints that a motor drives', () => {
    const robot = robotOf(`${links('world', 'a', 'b', 'c', 'd')}
      ${joint('turn', 'continuous', 'world', 'a')}
      ${joint('free', 'floating', 'a', 'b', '<origin xyz="1 2 3" rpy="0 0 1"/>')}
      ${joint('table', 'planar', 'a', 'c', '<axis xyz="0 1 0"/>')}
      ${joint('ball', 'spherical', 'c', 'd')}`)
    expect(robot.floating).toBe(false)
    expect(robot.joints.map(({ name }) => name)).toEqual(['turn'])
    expect(robot.freeJoints).toEqual([
      { name: 'free', type: 'floating', body: 2, qIndex: 1, vIndex: 1 },
      { name: 'table', type: 'planar', body: 3, qIndex: 8, vIndex: 7 },
      { name: 'ball', type: 'spherical', body: 4, qIndex: 11, vIndex: 10 },
    ])
    expect([...robot.home]).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1])
    const b = placeOf(robot, robot.home, 'b')
    expect(b.p.map((x) => Math.round(1e12 * x) / 1e12)).toEqual([1, 2, 3])
    expect(b.R[0]).toBeCloseTo(Math.cos(1), 15)
    // a planar joint about y moves in the plane of x and z
    const moved = robot.home.slice()
    moved[8] = 0.3
    moved[9] = 0.4
    expect(placeOf(robot, moved, 'c').p[1]).toBeCloseTo(0, 15)
    expect(Math.hypot(...placeOf(robot, moved, 'c').p)).toBeCloseTo(0.5, 15)
  })

  test('several bodies may float; the first under the world is the base, and a fixed base holds that one alone', () => {
    const two = `${links('world', 'shelf', 'a', 'b')}${joint('shelf', 'fixed', 'world', 'shelf', '<origin xyz="0 0 2"/>')}
      ${joint('turn', 'continuous', 'world', 'b')}${joint('one', 'floating', 'shelf', 'a', '<origin xyz="1 0 0" rpy="0 0 0.5"/>')}`
    const robot = robotOf(two)
    expect([robot.floating, robot.model.jointName[1], robot.freeJoints]).toEqual([true, 'one', []])
    // the base's coordinates are its place in the world, with the way to its joint composed in
    const angle = [0, 0, Math.sin(0.25), Math.cos(0.25)]
    const expected = [1, 0, 2, ...angle, 0]
    robot.home.forEach((x, k) => {
      expect(x).toBeCloseTo(expected[k], 15)
    })
    expect(placeOf(robot, robot.home, 'a').p.map((x) => Math.round(1e12 * x) / 1e12)).toEqual([1, 0, 2])
    const held = robotOf(two, { base: 'fixed' })
    expect([held.floating, held.model.nv, held.model.jointName.slice(1)]).toEqual([false, 1, ['turn']])
    expect(placeOf(held, held.home, 'a').p.map((x) => Math.round(1e12 * x) / 1e12)).toEqual([1, 0, 2])
  })

  test('a root that is only a frame from which floating joints lead is the world', () => {
    const robot = robotOf(
      `<link name="map"/>${links('a', 'b')}${joint('one', 'floating', 'map', 'a')}${joint('two', 'floating', 'map', 'b')}`,
    )
    expect([robot.floating, robot.model.nb, robot.model.nv]).toEqual([true, 3, 12])
    expect(robot.freeJoints.map(({ name, qIndex }) => [name, qIndex])).toEqual([['two', 7]])
    expect(robot.diagnostics).toEqual([])
  })
})

/** A world without mass, and links. */
const frameAnd = (...names: string[]) => `<link name="world"/>${links(...names)}`

describe('joints that follow others', () => {
  const limited = (name: string, parent: string, child: string, range: string, more = '') =>
    `<joint name="${name}" type="revolute"><parent link="${parent}"/><child link="${child}"/><axis xyz="0 0 1"/><limit ${range} effort="1" velocity="1"/>${more}</joint>`

  test('have no coordinate, are where multiplier and offset put them, and may stand before what they follow', () => {
    const robot = robotOf(`${frameAnd('a', 'b', 'c')}
      ${limited('late', 'world', 'a', 'lower="-9" upper="9"', '<mimic joint="middle" multiplier="-2" offset="0.1"/>')}
      ${limited('middle', 'world', 'b', 'lower="-9" upper="9"', '<mimic joint="master" multiplier="0.5" offset="0.2"/>')}
      ${limited('master', 'world', 'c', 'lower="-2" upper="2"')}`)
    expect(robot.joints.map(({ name }) => name)).toEqual(['master'])
    expect([robot.model.nq, robot.model.nv]).toEqual([1, 1])
    expect(
      robot.mimics.map(({ name, follows, multiplier, offset }) => [name, follows, multiplier, Number(offset.toFixed(12))]),
    ).toEqual([
      ['late', 'master', -1, -0.3], // -2 (0.5 q + 0.2) + 0.1
      ['middle', 'master', 0.5, 0.2],
    ])
    expect(robot.diagnostics).toEqual([])
    const q = Float64Array.of(0.7)
    const angle = (link: string) => Math.atan2(placeOf(robot, q, link).R[3], placeOf(robot, q, link).R[0])
    expect(angle('c')).toBeCloseTo(0.7, 14)
    expect(angle('b')).toBeCloseTo(0.55, 14)
    expect(angle('a')).toBeCloseTo(-1, 14)
  })

  test('narrow the range of what they follow, and home lies in what is left', () => {
    const robot = robotOf(`${frameAnd('a', 'b')}${limited('master', 'world', 'a', 'lower="-1" upper="1"')}
      ${limited('copy', 'world', 'b', 'lower="0.2" upper="0.8"', '<mimic joint="master" multiplier="-2" offset="0.5"/>')}`)
    // 0.2 <= -2 q + 0.5 <= 0.8
    expect(robot.model.lower[0]).toBeCloseTo(-0.15, 15)
    expect(robot.model.upper[0]).toBeCloseTo(0.15, 15)
    expect([...robot.home]).toEqual([0])
    expect(codes(robot.diagnostics)).toEqual(['mimic-limits:2'])
    const shifted = robotOf(`${frameAnd('a', 'b')}${limited('master', 'world', 'a', 'lower="-1" upper="1"')}
      ${limited('copy', 'world', 'b', 'lower="0.2" upper="0.8"', '<mimic joint="master"/>')}`)
    expect([...shifted.home]).toEqual([0.2])
  })

  test('bring their damping, friction and rotor to it', () => {
    const robot =
      robotOf(`${frameAnd('a', 'b')}${limited('master', 'world', 'a', 'lower="-1" upper="1"', '<dynamics damping="1" friction="2"/>')}
      ${limited('copy', 'world', 'b', 'lower="-9" upper="9"', '<dynamics damping="1" friction="2"/><mimic joint="master" multiplier="-3"/>')}`)
    // power: damping m^2, friction |m|
    expect([robot.model.damping[0], robot.model.friction[0]]).toEqual([1 + 9, 2 + 6])
  })
})

describe('semantics', () => {
  const text = `${links('base', 'a', 'b', 'c')}
    ${joint('hip', 'revolute', 'base', 'a')}${joint('knee', 'revolute', 'a', 'b')}${joint('ball', 'spherical', 'base', 'c')}`
  const srdf = (elements: string) => ({ file: 'test.srdf', text: `<robot name="test">${elements}</robot>` })
  const poses = `<group name="leg"/><group name="all"/>
    <group_state name="bent" group="leg"><joint name="hip" value="0.5"/><joint name="knee" value="-1"/></group_state>
    <group_state name="bent" group="all"><joint name="ball" value="0 0 2 0"/></group_state>
    <group_state name="up" group="all"><joint name="root_joint" value="1 2 3 0 0 0 1"/></group_state>
    <group_state name="far" group="leg"><joint name="hip" value="10"/><joint name="knee" value="1 2"/></group_state>`

  test('give named poses as configurations, the rest as at home', () => {
    const robot = robotOf(text, { srdf: srdf(poses) })
    const base = [0, 0, 0, 0, 0, 0, 1]
    expect(robot.poses.map(({ name, group, q }) => [name, group, [...q]])).toEqual([
      ['bent', 'leg', [...base, 0.5, -1, 0, 0, 0, 1]],
      ['bent', 'all', [...base, 0, 0, 0, 0, 1, 0]],
      ['up', 'all', [1, 2, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]],
      ['far', 'leg', [...base, 10, 0, 0, 0, 0, 1]],
    ])
    expect(codes(robot.diagnostics)).toEqual(['pose-values:5', 'pose-limits:5'])
  })

  test('let a pose be home: of one group, or of all that have the name', () => {
    const base = [0, 0, 0, 0, 0, 0, 1]
    expect([...robotOf(text, { srdf: srdf(poses), pose: 'leg/bent' }).home]).toEqual([...base, 0.5, -1, 0, 0, 0, 1])
    expect([...robotOf(text, { srdf: srdf(poses), pose: 'bent' }).home]).toEqual([...base, 0.5, -1, 0, 0, 1, 0])
    const unknown = errorOf(() => robotOf(text, { srdf: srdf(poses), pose: 'bend' }))
    expect(unknown.message).toContain('It has "bent", "up" and "far".')
    expect(codes(errorOf(() => robotOf(text, { pose: 'bent' })).diagnostics)).toEqual(['pose-unknown:1'])
  })

  test('decide about the base only where neither the option nor the file does', () => {
    const fixed = srdf('<virtual_joint name="v" type="fixed" parent_frame="map" child_link="base"/>')
    expect(robotOf(text, { srdf: fixed }).floating).toBe(false)
    expect(robotOf(text, { srdf: fixed, base: 'floating' }).floating).toBe(true)
    const planar = srdf('<virtual_joint name="v" type="planar" parent_frame="map" child_link="base"/>')
    const rolling = robotOf(text, { srdf: planar })
    expect([rolling.floating, codes(rolling.diagnostics)]).toEqual([true, ['base-planar:1']])
    const onWorld = `${links('world', 'a')}${joint('j', 'continuous', 'world', 'a')}`
    const floating = srdf('<virtual_joint name="v" type="floating" parent_frame="map" child_link="world"/>')
    expect(robotOf(onWorld, { srdf: floating }).floating).toBe(false)
  })

  test('collect pairs that do not collide, each once', () => {
    const pairs = srdf(`<disable_collisions link1="a" link2="b" reason="Adjacent"/><disable_collisions link1="b" link2="a"/>
      <disable_collisions link1="a" link2="nobody"/>`)
    expect(robotOf(text, { srdf: pairs }).disabledCollisions).toEqual([['a', 'b']])
  })
})

describe('overlaps', () => {
  const ball = (x: number, radius = 0.1) =>
    `<collision><origin xyz="${x} 0 0"/><geometry><sphere radius="${radius}"/></geometry></collision>`
  const part = (name: string, shapes: string) => `<link name="${name}">${inertial}${shapes}</link>`

  test('are found between bodies at home, told by kind, and silent where the pair is disabled', () => {
    const text = `${part('base', ball(0))}${part('hand', ball(0.19))}${part('tip', ball(0.05, 0.2))}${part('far', ball(0.4))}${part('cap', ball(0))}
      ${joint('cap', 'fixed', 'base', 'cap')}${joint('1', 'revolute', 'base', 'hand')}${joint('2', 'revolute', 'hand', 'tip')}${joint('3', 'revolute', 'base', 'far')}`
    const robot = robotOf(text)
    // centres 0.19, 0.14 and 0.05 apart, radii 0.1 and 0.2; cap and base are one body
    expect(robot.overlaps).toEqual([
      ['base', 'hand'],
      ['base', 'tip'],
      ['cap', 'hand'],
      ['cap', 'tip'],
      ['hand', 'tip'],
    ])
    expect(codes(robot.diagnostics)).toEqual(['overlap-neighbours:1', 'overlap:1'])
    expect(robot.diagnostics[1].message).toContain(
      '2 pairs of links that other parts lie between overlap in the home pose: "base" with "tip" and "cap" with "tip".',
    )
    const pairs = '<disable_collisions link1="tip" link2="base"/><disable_collisions link1="tip" link2="cap"/>'
    const told = robotOf(text, { srdf: { file: 's.srdf', text: `<robot name="test">${pairs}</robot>` } })
    expect(codes(told.diagnostics)).toEqual(['overlap-neighbours:1'])
    expect(told.overlaps.length).toBe(5)
  })
})

describe('frames', () => {
  test('of the file ride on the body that carries their link', () => {
    const robot =
      robotOf(`${links('world', 'a', 'b')}${joint('turn', 'continuous', 'world', 'a')}${joint('weld', 'fixed', 'a', 'b', '<origin xyz="1 0 0"/>')}
      <frame name="grip" link="b" xyz="0 2 0" rpy="0 0 0"/>`)
    expect(robot.frames.find(({ name }) => name === 'grip')).toMatchObject({ body: 1, p: Float64Array.of(1, 2, 0) })
  })
})

/** Where a link is in the world. */
function placeOf(robot: Robot, q: Float64Array, link: string): { R: number[]; p: number[] } {
  const { data } = massMatrixAt(robot.model, q)
  const frame = robot.frames.find(({ name }) => name === link)!
  const [B, o] = [data.R_WB[frame.body], data.p_WB[frame.body]]
  const p = [0, 1, 2].map((k) => o[k] + [0, 1, 2].reduce((sum, j) => sum + B[3 * k + j] * frame.p[j], 0))
  const R = Array.from({ length: 9 }, (_, i) => {
    const [a, b] = [Math.floor(i / 3), i % 3]
    return [0, 1, 2].reduce((sum, j) => sum + B[3 * a + j] * frame.R[3 * j + b], 0)
  })
  return { R, p }
}
