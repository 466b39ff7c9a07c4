import { describe, expect, test } from 'vitest'
import { loadRobot, type Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

/*
 * Limits and dry friction of tendons, limits of ball joints and couplings of MJCF. Under the contact model `mujoco` the motion is MuJoCo's own:
 * figures of native MuJoCo 4.0.0 after 400 steps of 1 ms, tolerance 1e-14.
 */

const geom = (fromto: string, mass: number) =>
  `<geom type="capsule" fromto="${fromto}" size="0.02" mass="${mass}" contype="0" conaffinity="0"/>`
const tree = (ball = '') => `<worldbody><site name="w" pos="0 0 2"/>
  <body name="a" pos="0 0 1"><joint name="a" type="hinge" axis="0 1 0" damping="0.05"/>${geom('0 0 0 0.3 0 0', 0.5)}
    <body name="b" pos="0.3 0 0"><joint name="b" type="hinge" axis="0 1 0" damping="0.05"/>${geom('0 0 0 0.25 0 0.05', 0.4)}<site name="tip" pos="0.25 0 0.05"/>
      <body name="c" pos="0.25 0 0.05"><joint name="c" type="slide" axis="1 0 0.3" damping="0.1"/><geom type="sphere" size="0.04" mass="0.3" contype="0" conaffinity="0"/><site name="end"/></body></body></body>
  <body name="d" pos="0 1 1"><joint name="d" type="hinge" axis="1 0 0"/>${geom('0 0 0 0 0.3 0', 0.6)}<site name="dtip" pos="0 0.3 0"/></body>
  <body name="ball" pos="2 0 1"><joint name="ball" type="ball" ${ball}/>${geom('0 0 0 0.3 0.1 0', 0.6)}</body></worldbody>`
const robotOf = (inside: string, ball = ''): Robot =>
  loadRobot(`<mujoco><compiler angle="radian"/>${tree(ball)}${inside}</mujoco>`, { file: 'lengths.xml' })
const joint = (name: string, coef: number) => `<joint joint="${name}" coef="${coef}"/>`
const path = (name: string, end: string, more = '') =>
  `<spatial name="${name}" ${more}><site site="w"/><site site="${end}"/></spatial>`
const equality = (inside: string) => `<equality>${inside}</equality>`

describe('as native MuJoCo 4.0.0 moves', () => {
  // without anything: 1.60069497699, -0.493310316619, 0.553321975783, -2.67326528136
  test.each([
    [
      'a limit of a fixed tendon with a softness of its own',
      `<tendon><fixed name="t" range="-0.2 0.3" solreflimit="0.05 0.8" solimplimit="0.7 0.9 0.1 0.4 3">${joint('a', 1)}${joint('b', -0.5)}</fixed></tendon>`,
      [0.740166323858, 0.763852452717, 0.571951454523, -2.67326528136],
    ],
    [
      'a limit of a path',
      `<tendon>${path('t', 'end', 'range="0.5 1.2"')}</tendon>`,
      [1.63969850427, -1.87045544445, 0.0366547652275, -2.67326528136],
    ],
    [
      'dry friction of a fixed tendon',
      `<tendon><fixed name="t" frictionloss="0.6">${joint('a', 1)}${joint('d', 0.7)}</fixed></tendon>`,
      [1.69855700107, -0.601175264507, 0.586308260236, -2.43020010346],
    ],
    [
      'dry friction of a path',
      `<tendon>${path('t', 'tip', 'frictionloss="2"')}</tendon>`,
      [1.551066446, -0.732175421441, 0.315940460575, -2.67326528136],
    ],
    [
      'a joint that follows a polynomial of degree 4',
      equality('<joint joint1="a" joint2="d" polycoef="0.1 0.5 0.3 -0.2 0.1"/>'),
      [0.282504474581, 1.22075293565, 0.47069976561, -1.0865481869],
    ],
    [
      'a coupling of three joints',
      `<tendon><fixed name="t">${joint('a', 1)}</fixed><fixed name="u">${joint('b', 0.5)}${joint('d', 0.5)}</fixed></tendon>${equality('<tendon tendon1="t" tendon2="u" polycoef="0 1 0.2 0 0"/>')}`,
      [0.151468081565, 1.57745853749, 0.731918905954, -1.28864500969],
    ],
    [
      'a coupling of two paths',
      `<tendon>${path('t', 'tip')}${path('u', 'dtip')}</tendon>${equality('<tendon tendon1="t" tendon2="u" solref="0.03 1"/>')}`,
      [1.32466881451, -2.39622474386, 0.102766154168, -1.7759209745],
    ],
    [
      'a path that is held longer than it begins',
      `<tendon>${path('t', 'end')}</tendon>${equality('<tendon tendon1="t" polycoef="0.05 0 0 0 0"/>')}`,
      [1.65085107671, -2.00070880983, 0.0865629541115, -2.67326528136],
    ],
  ])('%s', (_, inside, wanted) => {
    const robot = robotOf(inside)
    expect(robot.diagnostics.filter(({ repaired }) => repaired)).toEqual([])
    const world = run(robot, 'mujoco')
    // integration over 400 steps of two programs
    for (const [k, x] of wanted.entries()) expect(Math.abs(world.state.q[k] - x)).toBeLessThan(1e-9)
  })

  test('a limit of a ball joint', () => {
    const { state } = run(robotOf('', 'range="0 0.5"'), 'mujoco')
    const wanted = [-0.0838718649451, 0.251615594835, 0, 0.9641862386]
    for (const [k, x] of wanted.entries()) expect(Math.abs(state.q[4 + k] - x)).toBeLessThan(1e-9)
  })
})

function run(robot: Robot, contactModel: 'mujoco' | 'ncp'): World {
  const world = new World({ robot, dt: 1e-3, fixtures: [], contactModel })
  for (let n = 0; n < 400; n++) world.step()
  return world
}

test('a ball joint stops at its cone under a rigid model, in degrees where the file has them', () => {
  const text = `<mujoco>${tree('range="0 30"')}</mujoco>`
  const { state } = run(loadRobot(text, { file: 'ball.xml' }), 'ncp')
  expect(2 * Math.acos(state.q[7])).toBeCloseTo(Math.PI / 6, 6)
})

test('one joint that follows one other by a straight line is a follower; a second leader, or a curve, is a coupling beside', () => {
  const robot = robotOf(
    equality(
      '<joint joint1="b" joint2="a" polycoef="0 2 0 0 0"/><joint joint1="b" joint2="d"/><joint name="curve" joint1="c" joint2="d" polycoef="0 1 1"/>',
    ),
  )
  expect(robot.mimics).toMatchObject([{ name: 'b', follows: 'a', multiplier: 2 }])
  expect(robot.model.lengths).toMatchObject([
    { kind: 'coupling', polynomial: [0, 1] },
    { name: 'curve', polynomial: [0, 1, 1] },
  ])
  const { q } = run(robot, 'ncp').state
  const [a, c, d] = [...q]
  expect(2 * a).toBeCloseTo(d, 4)
  expect(c).toBeCloseTo(d + d * d, 4)
})

test('flags switch limits and dry friction of tendons and balls off', () => {
  const tendon = `<tendon><fixed name="t" range="-0.2 0.3" frictionloss="1">${joint('a', 1)}</fixed></tendon>`
  const flags = '<option><flag limit="disable" frictionloss="disable"/></option>'
  expect(robotOf(tendon, 'range="0 1"').model.lengths?.map(({ kind }) => kind)).toEqual(['limit', 'limit', 'friction'])
  expect(robotOf(tendon + flags, 'range="0 1"').model.lengths).toBeUndefined()
})

test('a weld that is not active is a loop that is off at first; couplings that are not are told', () => {
  const robot = robotOf(
    equality('<weld name="grasp" body1="a" body2="d" active="false"/><joint joint1="a" joint2="d" active="false"/>'),
  )
  expect(robot.loops).toMatchObject([{ name: 'grasp', active: false }])
  expect(robot.diagnostics.map(({ code }) => code).filter((code) => code.startsWith('equality'))).toEqual(['equality-off'])
  const loops = [{ name: 'grasp', kind: 'weld', a: { link: 'a' }, b: { link: 'd' }, active: false }] as const
  const world = new World({ robot, loops, dt: 1e-3, fixtures: [], contactModel: 'ncp' })
  const free = new World({ robot, dt: 1e-3, fixtures: [], contactModel: 'ncp' })
  for (let n = 0; n < 20; n++) {
    world.step()
    free.step()
  }
  expect([...world.state.q]).toEqual([...free.state.q])
})
