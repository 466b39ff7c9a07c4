import { describe, expect, test } from 'vitest'
import {
  type BodyDefinition,
  buildModel,
  crba,
  createData,
  createRandom,
  createState,
  JointType,
  kinematics,
  type Model,
} from '../../dynamics/index.ts'
import { inspectRobot, type Robot } from '../../robots/index.ts'
import { codes, inertial, lookalike, rejectionOf, robotOf } from './lookalike.ts'

/** R = Rz(yaw) Ry(pitch) Rx(roll) as a product of elementary rotations, with the engine's own sine and cosine. */
function rotation([roll, pitch, yaw]: number[]): number[] {
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((angle) => [Math.cos(angle), Math.sin(angle)])
  const times = (a: number[], b: number[]) =>
    Array.from({ length: 9 }, (_, k) => [0, 1, 2].reduce((sum, m) => sum + a[3 * Math.floor(k / 3) + m] * b[3 * m + (k % 3)], 0))
  return times(times([cy, -sy, 0, sy, cy, 0, 0, 0, 1], [cp, 0, sp, 0, 1, 0, -sp, 0, cp]), [1, 0, 0, 0, cr, -sr, 0, sr, cr])
}

/** The inertia R I R' of a link whose `<inertial>` is turned. */
function turned([xx, yy, zz, xy, xz, yz]: number[], rpy: number[]): [number, number, number, number, number, number] {
  const R = rotation(rpy)
  const matrix = [xx, xy, xz, xy, yy, yz, xz, yz, zz]
  const entry = (i: number, j: number) => {
    let sum = 0
    for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) sum += R[3 * i + a] * matrix[3 * a + b] * R[3 * j + b]
    return sum
  }
  return [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}

/** The quadruped of the look-alikes by hand, with nothing merged: fixed joints are joints of their own. */
function unmergedQuadruped(): Model {
  const body = (
    name: string,
    parent: number,
    jointType: BodyDefinition['jointType'],
    xyz: [number, number, number],
    rpy: number[],
    mass: number,
    centerOfMass: [number, number, number],
    inertia: BodyDefinition['inertia'],
    axis?: [number, number, number],
  ): BodyDefinition => ({
    name,
    jointName: name,
    parent,
    jointType,
    position: xyz,
    rotation: rotation(rpy),
    mass,
    centerOfMass,
    inertia,
    axis,
  })
  const none: BodyDefinition['inertia'] = [0, 0, 0, 0, 0, 0]
  return buildModel('unmerged', [
    body('base', 0, JointType.floating, [0, 0, 0], [0, 0, 0], 0, [0, 0, 0], none),
    body(
      'trunk',
      1,
      JointType.fixed,
      [0, 0, 0.05],
      [0, 0, 0.3],
      5.66,
      [0.0127, 0.0022, 0.0005],
      turned([0.0168, 0.0566, 0.0647, 8.4e-5, 6e-4, 2.5e-5], [-0.2, 0.1, 0.4]),
    ),
    body(
      'shoulder',
      2,
      JointType.fixed,
      [0.18, 0.05, 0],
      [0, 0.7, 0],
      0.7,
      [-0.003, 0.001, 0],
      turned([4.7e-4, 8e-4, 5.5e-4, -9.4e-6, -3.4e-7, -4.7e-7], [0, 0, 1]),
    ),
    body(
      'calf',
      3,
      JointType.revolute,
      [0, 0.08, -0.1],
      [0.2, -0.3, 0.5],
      0.166,
      [0.0065, 0, -0.107],
      [0.003, 0.003, 3.2e-5, 0, -1.4e-4, 0],
      [0, 0.6, 0.8],
    ),
    body(
      'foot',
      4,
      JointType.fixed,
      [0.01, -0.02, -0.2],
      [0.4, -0.5, 0.6],
      0.06,
      [0, 0, 0.001],
      turned([9.6e-6, 9.7e-6, 9.8e-6, 0, 0, 1e-7], [0.1, 0.2, 0.3]),
    ),
  ])
}

function massMatrixAt(model: Model, q: Float64Array) {
  const state = createState(model)
  state.q.set(q)
  const data = createData(model)
  kinematics(model, state, data)
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
        const frame = robot.frames.find((candidate) => candidate.name === name)!
        const { R_WB, p_WB } = ours.data
        for (let a = 0; a < 3; a++) {
          const R = R_WB[frame.body]
          const world = p_WB[frame.body][a] + R[3 * a] * frame.p[0] + R[3 * a + 1] * frame.p[1] + R[3 * a + 2] * frame.p[2]
          expect(world).toBeCloseTo(theirs.data.p_WB[i + 1][a], 14)
          for (let b = 0; b < 3; b++) {
            const turn = R[3 * a] * frame.R[b] + R[3 * a + 1] * frame.R[3 + b] + R[3 * a + 2] * frame.R[6 + b]
            expect(turn).toBeCloseTo(theirs.data.R_WB[i + 1][3 * a + b], 14)
          }
        }
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
      ['trunk', 1, 0.2],
      ['foot', 2, 0.6],
    ])
    expect(codes(robot.diagnostics)).toEqual(['friction-anisotropic:35'])
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
    const { data } = massMatrixAt(robot.model, robot.home)
    const foot = robot.frames.find(({ name }) => name === 'foot')!
    const R = data.R_WB[foot.body]
    const z = data.p_WB[foot.body][2] + R[6] * foot.p[0] + R[7] * foot.p[1] + R[8] * foot.p[2]
    expect(z).toBeCloseTo(0.02, 15) // the foot's radius
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

describe('masses', () => {
  const free = (link: string) => robotOf(`<link name="a">${link}</link>`)
  const collision = (geometry: string, origin = '') =>
    `<collision><origin ${origin}/><geometry>${geometry}</geometry></collision>`

  test('of moving bodies without any are those of water in their shape, at its place', () => {
    const robot = free(collision('<box size="0.1 0.2 0.3"/>', 'xyz="1 2 3"'))
    expect(codes(robot.diagnostics)).toEqual(['massless-body:1'])
    expect(robot.massDeclared).toBe(0)
    expect(robot.massUsed).toBeCloseTo(6, 12) // 1000 kg/m^3 x 0.006 m^3
    const [m, mx, my, mz, xx] = robot.model.I[1]
    expect([mx / m, my / m, mz / m].map((x) => Math.round(1e12 * x) / 1e12)).toEqual([1, 2, 3])
    expect(xx).toBeCloseTo((6 * (0.04 + 0.09)) / 12 + 6 * (4 + 9), 10)
  })

  test('fall back on what is seen, then on a gram', () => {
    const seen = free('<visual><geometry><sphere radius="0.1"/></geometry></visual>')
    expect(seen.massUsed).toBeCloseTo((4000 / 3) * Math.PI * 1e-3, 12)
    const nothing = free('')
    expect(nothing.massUsed).toBe(1e-3)
    expect(nothing.diagnostics[0].remedy).toBe('0.001 kg in a ball of 0.01 m is used; add an <inertial>.')
  })

  test('that fixed links bring count before anything is estimated', () => {
    const robot = robotOf(`<link name="a">${collision('<sphere radius="1"/>')}</link><link name="b">${inertial}</link>
      <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>`)
    expect(robot.massUsed).toBe(1)
    expect(robot.diagnostics).toEqual([])
  })

  const withInertia = (ixx: number, iyy: number, izz: number, more = '') =>
    free(`<inertial><mass value="2"/><inertia ixx="${ixx}" iyy="${iyy}" izz="${izz}"/></inertial>${more}`)

  test('a broken triangle inequality is repaired to the nearest body', () => {
    const robot = withInertia(1, 2, 5)
    expect(codes(robot.diagnostics)).toEqual(['inertia-triangle:1'])
    // second moments (yy + zz - xx) / 2 = 3, 2, -1: the last one is raised to 1e-6 of the largest
    const floor = 3e-6
    expect([...robot.model.I[1].slice(4)].map((x) => Math.round(1e9 * x) / 1e9)).toEqual([2 + floor, 3 + floor, 5, 0, 0, 0])
  })

  test('flat bodies and printed rounding are no mistake, negative moments are', () => {
    expect(withInertia(1, 2, 3).diagnostics).toEqual([])
    expect(withInertia(1, 2, 3.0000001).diagnostics).toEqual([])
    expect(codes(withInertia(1, 2, 3.001).diagnostics)).toEqual(['inertia-triangle:1'])
    expect(codes(withInertia(-1, 2, 2).diagnostics)).toEqual(['inertia-not-positive:1'])
    expect(codes(withInertia(0, 2, 2).diagnostics)).toEqual(['inertia-not-positive:1'])
  })

  test('a mass without inertia gets that of its shapes, or of a ball of water', () => {
    const shaped = withInertia(0, 0, 0, collision('<box size="0.1 0.2 0.3"/>', 'rpy="0 0 1.5707963267948966"'))
    expect(codes(shaped.diagnostics)).toEqual(['inertia-zero:1'])
    expect(shaped.model.I[1][4]).toBeCloseTo((2 * (0.01 + 0.09)) / 12, 12) // turned: x and y change places
    expect(shaped.model.I[1][5]).toBeCloseTo((2 * (0.04 + 0.09)) / 12, 12)
    const ball = withInertia(0, 0, 0)
    const radius = (2 / 1000 / ((4 / 3) * Math.PI)) ** (1 / 3)
    expect(ball.model.I[1][4]).toBeCloseTo(0.4 * 2 * radius * radius, 12)
  })

  test('placeholders are used and named', () => {
    expect(codes(withInertia(0.01, 0.01, 0.01).diagnostics)).toEqual(['inertia-placeholder:1'])
    expect(codes(withInertia(30, 30, 31).diagnostics)).toEqual(['inertia-large:1'])
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
    expect(seen).toMatchObject({ name: 'test', links: 4, dof: 1, nq: 2, nv: 2, mass: 3, massUsed: 3 })
    expect(seen.joints).toEqual({ revolute: 1, continuous: 1, prismatic: 0, fixed: 1, floating: 0, planar: 0, mimic: 1 })
    expect(seen.centerOfMass.map((x) => Math.round(1e12 * x) / 1e12)).toEqual([3, 1, 1])
    expect(codes(seen.doctor)).toEqual(['mimic-free:4'])
  })
})
