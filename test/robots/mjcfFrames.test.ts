import { expect, test } from 'vitest'
import { Motors } from '../../control/index.ts'
import { biasForces, crba, createData, createState, kinematics, passiveForces, velocities } from '../../dynamics/index.ts'
import { loadRobot, type Robot } from '../../robots/index.ts'
import { errorOf } from './lookalike.ts'

/* `<frame scale massscale scaling>` as MuJoCo 4.0.0 has it; npm's 3.14 does not know it. Joints in frames: mjcf/framed-joints.xml. */

const load = (inside: string): Robot =>
  loadRobot(`<mujoco><compiler angle="radian"/>${inside}</mujoco>`, { file: 'frame.xml', ground: false })

const arm = `<body name="b" pos="0 0 0.5">
  <joint name="h" pos="0.1 0 0" axis="0 1 0" range="-1 2" stiffness="3" damping="4" armature="5" ref="0.1" springref="0.2"/>
  <joint name="s" type="slide" axis="1 0 0" range="-1 2" stiffness="3" damping="4" armature="5" springref="0.2"/>
  <geom type="box" size=".1 .2 .3" pos="1 2 3"/><geom type="sphere" size=".1" mass="2"/>
  <body name="c" pos="0 1 0"><inertial pos="1 0 0" mass="2" diaginertia="1 2 2.5" quat="1 1 0 0"/><joint name="k" axis="1 1 0" pos="0 0.2 0"/></body></body>`
const actuators = `<actuator><position joint="h" kp="10" kv="2" ctrlrange="-1 1"/><position joint="s" kp="10" kv="2"/>
  <motor joint="h" gear="2"/><velocity joint="s" kv="3" ctrlrange="-0.02 0.02"/>
  <general joint="s" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="4 5 -6"/><motor joint="k"/></actuator>`

/** Upper half of M, bias, passive forces and forces of actuators in qpos0 at speeds of 0.3 and inputs of 0.05. */
const wanted: readonly [outer: string, inner: string, ...terms: number[][]][] = [
  [
    'scale="2"',
    '',
    [15412.096, 2304, 105.443763211, 456, 0, 102.08],
    [-6588.71876693, -71.1275220716, -249.585413541],
    [-28.8, 0, 0],
    [-32, 43.72, 1.6],
  ],
  [
    'scale="2" scaling="geometry"',
    '',
    [15257.096, 2304, 105.443763211, 421, 0, 102.08],
    [-6588.71876693, -71.1275220716, -249.585413541],
    [-0.9, 0, 0],
    [-1, 1.415, 0.05],
  ],
  [
    'massscale="3"',
    '',
    [1444.884, 432, 9.88535280099, 171, 0, 9.57],
    [-1235.3847688, -13.3364103884, -46.7972650389],
    [-2.7, -1.8, 0],
    [-3, 4.065, 0.15],
  ],
  [
    'massscale="3" scaling="geometry"',
    '',
    [1434.884, 432, 9.88535280099, 161, 0, 9.57],
    [-1235.3847688, -13.3364103884, -46.7972650389],
    [-0.9, -0.6, 0],
    [-1, 1.355, 0.05],
  ],
  [
    'scale="0.5" massscale="3"',
    '',
    [361.221, 216, 2.47133820025, 171, 0, 2.3925],
    [-617.692384399, -6.66820519421, -23.3986325194],
    [-0.675, -2.7, 0],
    [-0.75, -2.1, 0.0375],
  ],
  [
    'scale="2" scaling="geometry"',
    'scale="1.5" massscale="2"',
    [68656.932, 6912, 474.496934447, 842, -2.84217094304e-14, 459.36],
    [-19766.1563008, -213.382566215, -748.756240622],
    [-4.05, 1.2, 0],
    [-4.5, 6.94, 0.225],
  ],
  [
    'scale="2"',
    'scale="0.25" scaling="geometry"',
    [174.894625, 9, 0.10297242501, 46.5, 0, 0.0996875],
    [-25.7371826833, -0.277841883092, -0.974943021643],
    [-28.8, -7.2, 0],
    [-32, 43, 1.6],
  ],
]

test.each(wanted)('a frame of %s, in it one of %s', (outer, inner, ...terms) => {
  const robot = load(
    `<worldbody><frame pos="0 0 1" ${outer}><frame pos="1 0 0" euler="0.3 0 0" ${inner}>${arm}</frame></frame></worldbody>${actuators}`,
  )
  const { model } = robot
  const state = createState(model)
  state.q.set([0.1, 0, 0])
  state.v.fill(0.3)
  const data = createData(model)
  kinematics(model, state, data)
  velocities(model, state, data)
  crba(model, data)
  const upper = [0, 1, 2, 4, 5, 8].map((k) => data.M[k])
  const [bias, passive, efforts] = [0, 1, 2].map(() => new Float64Array(3))
  biasForces(model, state, data, bias)
  passiveForces(model, state, passive)
  const motors = new Motors(robot, Array(6).fill(0.05))
  motors.start(model, 1e-3)
  motors.tick(state, data, efforts, efforts)
  ;[upper, bias, passive, efforts].forEach((ours, n) => {
    ours.forEach((x, k) => {
      expect(Math.abs(x - terms[n][k])).toBeLessThan(1e-10 * Math.max(1, ...terms[n].map(Math.abs)))
    })
  })
  // the range of a slide is a length, that of a hinge none
  expect([model.lower[0], model.upper[0]]).toEqual([-1, 2])
  const length = [outer, inner].reduce((k, text) => k * Number(/(?<!s)scale="(.*?)"/.exec(text)?.[1] ?? 1), 1)
  expect([model.lower[1], model.upper[1]]).toEqual([-length, 2 * length])
})

test('masses of meshes, cylinders, copies and free bodies in frames', () => {
  const mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1 0.5 0.5 0.8" scale="0.3 0.4 0.5"/></asset>'
  const geoms = '<geom type="mesh" mesh="m" pos="0.1 0 0"/><geom type="ellipsoid" size="0.1 0.2 0.3" pos="0 0.3 0"/>'
  expect(load(`${mesh}<worldbody><frame scale="0.7"><body><freejoint/>${geoms}</body></frame></worldbody>`).massUsed).toBeCloseTo(
    14.794530282339174,
    10,
  )
  const copies =
    '<replicate count="3" offset="1 0 0"><body pos="0 1 0"><joint axis="0 1 0"/><geom type="mesh" mesh="m"/></body></replicate>'
  const robot = load(`${mesh}<worldbody><frame scale="1.4" massscale="2" scaling="geometry">${copies}</frame></worldbody>`)
  expect(robot.massUsed).toBeCloseTo(3 * 36.00000023841857, 10)
  expect(robot.model.XT.slice(1).map((XT) => XT[9])).toEqual([0, 1.4, 2.8])
  const cylinder = '<body><freejoint/><geom type="cylinder" size="0.1 0.2"/></body>'
  expect(load(`<worldbody><frame scale="2">${cylinder}</frame></worldbody>`).massUsed).toBeCloseTo(100.5309649148734, 10)
})

test('lengths of surfaces, couplings and keyframes scale too', () => {
  const slides = (attributes: string, behind: string) =>
    load(`<worldbody><frame ${attributes}><body name="a"><joint name="s" type="slide"/><geom name="g" size="0.1" friction="0.5 0.1 0.2"/>
      <body name="c"><joint name="h" axis="0 1 0"/><geom size="0.1"/></body></body></frame></worldbody>${behind}`)
  const { shapes } = slides('scale="2"', '')
  expect(shapes[0].geom).toMatchObject({ spin: 0.2, roll: 0.4, softness: { solimp: [0.9, 0.95, 0.002, 0.5, 2] } })
  const coupling = '<equality><joint joint1="s" joint2="h" polycoef="0.1 0.5 0 0 0"/></equality>'
  expect(slides('scale="2"', coupling).mimics).toMatchObject([{ name: 's', multiplier: 1, offset: 0.2 }])
  const other = '<equality><joint joint1="h" joint2="s" polycoef="0.1 0.5 0 0 0"/></equality>'
  expect(slides('scale="2"', other).mimics).toMatchObject([{ name: 'h', multiplier: 0.25, offset: 0.1 }])
  const { poses, diagnostics } = slides(
    'scale="2"',
    '<keyframe><key name="k" qpos="1 1" ctrl="1"/></keyframe><actuator><position joint="s"/></actuator>',
  )
  expect([...poses[0].q]).toEqual([2, 1])
  expect(diagnostics.filter(({ code }) => code === 'mjcf-unsupported').length).toBe(1)
})

test('<pid>, bounds of forces, softness of limits, sites and speeds of keyframes scale too', () => {
  const robot = load(`<worldbody><frame scale="2" massscale="3"><body name="b">
      <joint name="j" type="slide" range="-1 1" solimplimit=".9 .95 .01 .5 2" frictionloss="1" actuatorfrcrange="-3 4"/>
      <geom size=".1" margin=".01"/><site name="s" size=".1" pos="1 0 0"/></body></frame></worldbody>
    <actuator><pid joint="j" kp="1" kv=".1" ki="2" imax="3" slewmax="4" input="pos vel ff" posrange="-1 1" velrange="-2 2" ffrange="-3 3"
      forcerange="-5 5"/></actuator>
    <sensor><framepos objtype="site" objname="s"/></sensor>
    <equality><joint joint1="j" polycoef=".5 0 0 0 0"/></equality><keyframe><key qpos="1" qvel="2"/></keyframe>`)
  const [{ pid, bias, force, jointForce }] = robot.actuators!
  expect(pid).toMatchObject({
    integral: 6,
    windup: 6,
    slew: 8,
    ranges: [
      [-2, 2],
      [-4, 4],
      [-18, 18],
    ],
  })
  expect([bias[1], force, jointForce]).toEqual([-3, [-30, 30], [-18, 24]])
  expect(bias[2]).toBeCloseTo(-0.3, 14)
  expect([robot.poses[0].q[0], robot.poses[0].v![0]]).toEqual([2, 4])
  // held at a point by the equality
  expect([robot.model.lower[0], robot.model.upper[0]]).toEqual([1, 1])
  expect(robot.shapes[0].geom!.margin).toBe(0.02)
  expect(robot.frames.find(({ name }) => name === 's')!.p[0]).toBe(2)
  expect(robot.joints[0].softness!.limit!.solimp[2]).toBe(0.02)
})

test('a scale that differs by axis is told, one that is not positive refused', () => {
  const told = load(`<worldbody><frame scale="1 2 3" scaling="geometry">${arm}</frame></worldbody>`)
  expect(told.diagnostics.filter(({ repaired }) => repaired).map(({ code }) => code)).toEqual(['mjcf-unsupported'])
  for (const scale of ['scale="0"', 'scale="-1"', 'scale="1 2"', 'massscale="-1"', 'scale="1 0 1"'])
    expect([scale, errorOf(() => load(`<worldbody><frame ${scale}>${arm}</frame></worldbody>`)).message]).toEqual([
      scale,
      expect.stringContaining('not positive'),
    ])
})
