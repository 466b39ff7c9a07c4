import type { MainModule, MjData, MjModel } from '@mujoco/mujoco'
import { describe, expect, test } from 'vitest'
import { type Controller, type ControllerState, createControllerLoop, type SensorOptions, scaled } from '../../control/index.ts'
import { createRandom, JointType, quaternionStart } from '../../dynamics/index.ts'
import { loadRobot, type Robot, separated } from '../../robots/index.ts'
import { FrameSource, World } from '../../simulation/index.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'

/* Sensors of a file beside MuJoCo's sensordata of the same file and state. */

const tree = `<compiler angle="radian" autolimits="true"/><option timestep="0.001" magnetic="0.1 -0.4 0.2"/>
<asset><mesh name="wedge" vertex="0 0 0 0.25 0 0 0 0.125 0 0 0 0.0625 0.125 0.125 0.125"/></asset>
<worldbody><site name="fixed" pos="0.3 -0.2 0.5" euler="0.3 0.2 0.1"/><camera name="above" pos="0 0 3" xyaxes="1 0 0 0 1 1"/>
<body name="base" pos="0 0 1" quat="0.9 0.1 -0.3 0.2"><freejoint name="root"/><geom name="trunk" type="box" size="0.2 0.1 0.05" mass="3"/>
  <geom name="side" type="mesh" mesh="wedge" pos="0.1 0.2 0" euler="0.2 0.3 0.4" mass="0.7"/>
  <site name="imu" pos="0.05 0.02 0.03" euler="0.4 -0.2 0.7"/><camera name="eye" pos="0.2 0 0" euler="0 1 0.3"/>
  <body name="arm" pos="0.2 0 0.1" euler="0.1 0.2 0.3"><joint name="shoulder" axis="0 1 0" pos="0.01 0 0.02" ref="0.2" range="-0.4 0.5" damping="0.1" armature="0.02"/>
    <joint name="slide" type="slide" axis="1 0.2 0" range="-0.1 0.1" stiffness="3"/><inertial pos="0.1 0.02 0" mass="0.8" euler="0.1 0.3 0.2" diaginertia="0.01 0.02 0.015"/>
    <geom name="bar" type="capsule" fromto="0 0 0 0.3 0.05 0" size="0.02"/>
    <body name="hand" pos="0.3 0 0" euler="0.5 0 0"><geom name="palm" type="sphere" size="0.04" mass="0.2"/><site name="wrist" euler="0.1 0.5 0.2"/>
      <body name="finger" pos="0.05 0 0"><joint name="ball" type="ball"/><geom name="tip" type="ellipsoid" size="0.01 0.02 0.03" pos="0 0 -0.05" mass="0.1" euler="0.2 0.1 0"/>
        <site name="end" pos="0 0 -0.1" type="box" size="0.02 0.03 0.04"/></body></body></body></body>
<body name="target" mocap="true" pos="0.5 0.4 0.8" euler="0.3 0.1 0.2"><geom name="mark" size="0.05" pos="0.1 0 0" contype="0" conaffinity="0"/><site name="goal" pos="0.02 0 0.1" euler="0.2 0.4 0.1"/></body></worldbody>
<tendon><fixed name="sum"><joint joint="shoulder" coef="0.5"/><joint joint="slide" coef="-2"/></fixed></tendon>
<actuator><motor name="m" joint="shoulder" gear="3"/><position name="s" joint="slide" kp="20" gear="2"/></actuator>`

const frames = [
  'body base',
  'xbody base',
  'body arm',
  'geom side',
  'geom tip',
  'geom bar',
  'site imu',
  'camera eye',
  'body finger',
  'body hand',
  'site end',
  'site goal',
  'body target',
  'geom mark',
]
const referenced = ['xbody arm', 'site fixed', 'camera above', 'body finger', 'geom palm', 'site goal']
const ofFrame = (tag: string) => ofFrames(tag, frames, referenced)
const ofFrames = (tag: string, objects: readonly string[], references: readonly string[]) =>
  objects.flatMap((object, i) => {
    const [objtype, objname] = object.split(' ')
    const [reftype, refname] = references[i % references.length].split(' ')
    const own = `<${tag} objtype="${objtype}" objname="${objname}"`
    return /acc/.test(tag) ? [`${own}/>`] : [`${own}/>`, `${own} reftype="${reftype}" refname="${refname}"/>`]
  })

/** Of positions and velocities alone. */
const ofState = [
  ...['jointpos', 'jointvel', 'jointlimitpos', 'jointlimitvel'].flatMap((tag) =>
    ['shoulder', 'slide'].map((joint) => `<${tag} joint="${joint}"/>`),
  ),
  '<ballquat joint="ball"/><ballangvel joint="ball"/><tendonpos tendon="sum"/><tendonvel tendon="sum"/>',
  ...['m', 's'].map((name) => `<actuatorpos actuator="${name}"/><actuatorvel actuator="${name}"/>`),
  ...['framepos', 'framequat', 'framexaxis', 'frameyaxis', 'framezaxis', 'framelinvel', 'frameangvel'].flatMap(ofFrame),
  ...['gyro', 'velocimeter', 'magnetometer'].flatMap((tag) =>
    ['imu', 'wrist', 'end', 'fixed', 'goal'].map((site) => `<${tag} site="${site}"/>`),
  ),
  ...['subtreecom', 'subtreelinvel', 'subtreeangmom'].flatMap((tag) =>
    ['base', 'arm', 'hand', 'finger', 'target', 'world'].map((body) => `<${tag} body="${body}"/>`),
  ),
  ...['geom tip', 'body hand', 'site wrist'].map(
    (object) => `<insidesite site="end" objtype="${object.split(' ')[0]}" objname="${object.split(' ')[1]}"/>`,
  ),
  '<e_potential/><e_kinetic/><clock/>',
]

type Seen = ControllerState<unknown>

/** A robot of a file with its objects in a world of its own, whose controller keeps what its sensors show. */
function started(text: string, efforts: readonly number[] = [], contactModel: 'ncp' | 'mujoco' = 'ncp', isOne = false) {
  const robot = loadRobot(text, { file: 'm.xml', ground: false })
  const { rest, objects } = isOne ? { rest: robot, objects: [] } : separated(robot)
  const seen: Record<string, readonly number[]> = {}
  const update = ({ sensors }: Seen) => {
    for (const [name, shown] of Object.entries(sensors)) seen[name] = [...shown]
    return Float64Array.from(robot.joints, (_, k) => efforts[k] ?? 0)
  }
  const controller = createControllerLoop({ rate: 1000, init: () => 0, update }, rest)
  const fixtures = robot.surroundings ?? []
  const robots = [{ robot: rest, controller }, ...objects.map((object) => ({ robot: object }))]
  const world = new World({ robots, dt: 1e-3, contactModel, fixtures, loops: robot.loops })
  return { robot, world, seen }
}

/** Writes a state into MuJoCo's own coordinates, by the names of joints. */
function setState(mj: MainModule, model: MjModel, data: MjData, { model: own }: Robot, q: Float64Array, v: Float64Array): void {
  const jointOf = (i: number) => mj.mj_name2id(model, mj.mjtObj.mjOBJ_JOINT.value, own.jointName[i])
  for (let i = 1; i < own.nb; i++) {
    const list = [...q.subarray(own.qStart[i], own.qStart[i + 1])]
    if (own.jointType[i] === JointType.mocap) {
      data.mocap_pos.set(list.slice(0, 3))
      data.mocap_quat.set([list[6], ...list.slice(3, 6)])
      continue
    }
    if (list.length >= 4) list.push(...list.splice(-4, 3))
    if (list.length > 0) data.qpos.set(list, model.jnt_qposadr[jointOf(i)])
  }
  mj.mj_kinematics(model, data)
  for (let i = 1; i < own.nb; i++) {
    const list = [...v.subarray(own.vStart[i], own.vStart[i + 1])]
    if (own.jointType[i] === JointType.floating) {
      // velocity in world axes, then angular velocity in the body's
      const at = 9 * model.jnt_bodyid[jointOf(i)]
      const R = data.xmat.slice(at, at + 9)
      list.unshift(...[0, 3, 6].map((r) => R[r] * list[3] + R[r + 1] * list[4] + R[r + 2] * list[5]))
      list.length = 6
    }
    if (list.length > 0) data.qvel.set(list, model.jnt_dofadr[jointOf(i)])
  }
}

/** Of each sensor that shows other numbers than MuJoCo, both; a quaternion of principal axes may have the other sign. */
async function differing(
  text: string,
  { robot, seen }: ReturnType<typeof started>,
  q: Float64Array,
  v: Float64Array,
  tolerance: number,
  ctrl: readonly number[] = [],
) {
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  setState(mj, model, data, robot, q, v)
  data.ctrl.set(ctrl)
  mj.mj_forward(model, data)
  const wrong: string[] = []
  let at = 0
  for (const [name, own] of Object.entries(seen)) {
    const theirs = [...data.sensordata.slice(at, (at += own.length))]
    const error = (sign: number) =>
      Math.max(...own.map((x, k) => Math.abs(sign * x - theirs[k]) / Math.max(1, Math.abs(theirs[k]))))
    const isTurn = own.length === 4
    if (!(Math.min(error(1), isTurn ? error(-1) : Infinity) < tolerance))
      wrong.push(`${name}: ${own.join(' ')} for ${theirs.join(' ')}`)
  }
  expect(at).toBe(model.nsensordata)
  data.delete()
  model.delete()
  return wrong
}

function disturb({ state, robot: { home, model } }: World, seed: number, most = 0.6): void {
  const random = createRandom(seed)
  for (let k = 0; k < state.q.length; k++) state.q[k] = home[k] + random.between(-most, most)
  for (let i = 1; i < model.nb; i++) {
    const at = quaternionStart(model, i)
    if (at < 0) continue
    const length = Math.hypot(...state.q.subarray(at, at + 4))
    for (let k = 0; k < 4; k++) state.q[at + k] /= length
  }
  for (let k = 0; k < state.v.length; k++) state.v[k] = random.between(-2, 2)
}

describe('sensors of a file show what MuJoCo shows:', () => {
  test.each([1, 2, 3, 4, 5, 6])('positions and velocities in random state %i', async (seed) => {
    const text = `<mujoco>${tree}<sensor>${ofState.join('')}</sensor></mujoco>`
    const run = started(text)
    disturb(run.world, seed)
    run.world.runControllers()
    // MuJoCo 3.14 ends its search for principal axes up to 1e-8 before them
    expect(await differing(text, run, run.world.state.q, run.world.state.v, 2e-8)).toEqual([])
  })

  const overStep = [
    ...['accelerometer', 'force', 'torque'].flatMap((tag) =>
      ['imu', 'wrist', 'end', 'goal'].map((site) => `<${tag} site="${site}"/>`),
    ),
    ...['framelinacc', 'frameangacc'].flatMap(ofFrame),
    '<accelerometer site="fixed"/><jointactuatorfrc joint="shoulder"/><jointactuatorfrc joint="slide"/>',
  ]

  test.each([1, 2, 3, 4, 5, 6])('accelerations and forces of the last step from random state %i', async (seed) => {
    // nothing is implicit without damping, springs and limits, so that the mean acceleration is that at the start of the step
    const plain = tree
      .replace(/ (damping|stiffness|range)="[^"]*"/g, '')
      .replace('position name="s" joint="slide" kp="20"', 'motor name="s" joint="slide"')
    const text = `<mujoco>${plain}<sensor>${overStep.join('')}</sensor></mujoco>`
    // MuJoCo's Euler, as of all files of its own under its law: the acceleration at the start, in flight too
    const run = started(text, [1.5, -2], 'mujoco')
    disturb(run.world, seed)
    const [q, v] = [run.world.state.q.slice(), run.world.state.v.slice()]
    run.world.step()
    run.world.runControllers()
    expect(await differing(text, run, q, v, 1e-9, [0.5, -1])).toEqual([])
  })

  test.each([1, 2, 3, 4])('forces and torques where connects and welds hold links, from random state %i', async (seed) => {
    const text = `<mujoco><option timestep="0.001"/><worldbody><body name="a" pos="0 0 1"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.5" contype="0" conaffinity="0"/>
      <site name="root" euler="0.2 0.3 0.1"/><body name="b" pos="0.3 0 0"><joint name="b" axis="0 1 0.2"/><geom type="capsule" fromto="0 0 0 0.3 0.1 0" size="0.02" mass="0.5" contype="0" conaffinity="0"/><site name="elbow" pos="0.05 0 0"/>
      <body name="c" pos="0.3 0.1 0" euler="0 0 0.4"><joint name="c" type="ball"/><geom type="box" size="0.05 0.1 0.02" mass="0.3" contype="0" conaffinity="0"/><site name="wrist" euler="0.4 0 0"/></body></body></body>
      <body name="d" pos="0.6 0.3 1"><joint name="d" axis="1 0 0"/><geom type="box" size="0.05 0.1 0.02" mass="0.4" contype="0" conaffinity="0"/><site name="other"/></body></worldbody>
      <equality><connect body1="b" anchor="0.1 0 0.05"/><weld body1="c" body2="d" relpose="0 0.2 0.1 1 0 0 0"/><connect body1="d" body2="a" anchor="0 0 0.1"/></equality>
      <sensor>${['root', 'elbow', 'wrist', 'other'].map((site) => `<force site="${site}"/><torque site="${site}"/>`).join('')}</sensor></mujoco>`
    const run = started(text, [], 'mujoco')
    disturb(run.world, seed, 0.1)
    const [q, v] = [run.world.state.q.slice(), run.world.state.v.slice()]
    run.world.step()
    run.world.runControllers()
    expect(await differing(text, run, q, v, 1e-8)).toEqual([])
  })

  test('principal axes of a stated inertia, to the accuracy of its own diagonalisation', async () => {
    const text = `<mujoco><worldbody><body name="b"><freejoint name="root"/><inertial pos="0.1 0 0.2" mass="1" fullinertia="0.01 0.02 0.015 0.002 0.001 -0.003"/></body></worldbody>
      <sensor><framequat objtype="body" objname="b"/><framexaxis objtype="body" objname="b"/><framepos objtype="body" objname="b"/></sensor></mujoco>`
    const run = started(text)
    run.world.runControllers()
    expect(await differing(text, run, run.world.state.q, run.world.state.v, 1e-8)).toEqual([])
  })

  const scene = `<option timestep="0.001"/><worldbody><geom name="floor" type="plane" size="5 5 1"/><geom name="wall" type="box" size="0.1 1 1" pos="2 0 1"/>
    <body name="box" pos="0 0 0.1"><freejoint name="root"/><geom type="box" size="0.2 0.1 0.1" mass="4"/><site name="all" type="box" size="0.3 0.2 0.11"/>
    <site name="front" type="sphere" size="0.08" pos="0.2 0.1 -0.1"/><site name="edge" type="capsule" fromto="0.2 -0.1 -0.05 0.2 0.1 -0.05" size="0.03"/><site name="roof" size="0.05" pos="0 0 0.3"/>
    <site name="ahead" pos="0.1 0 0.02" zaxis="1 0 0"/><site name="slant" zaxis="1 0 -0.2"/><site name="up" zaxis="0 0 1"/>
    <body name="lid" pos="0 0 0.5"><geom type="sphere" size="0.05" mass="1"/><site name="below" type="cylinder" size="0.2 0.3"/></body></body></worldbody>`

  test('touch and distances of a box that rests on the ground', async () => {
    const sites = ['all', 'front', 'edge', 'roof', 'below'].map((site) => `<touch name="${site}" site="${site}"/>`)
    const rays = ['ahead', 'slant', 'up'].map((site) => `<rangefinder name="${site} ray" site="${site}"/>`)
    const text = `<mujoco>${scene}<sensor>${[...sites, ...rays].join('')}<force site="below"/><torque site="below"/></sensor></mujoco>`
    const run = started(text, [], 'mujoco')
    for (let n = 0; n < 1500; n++) run.world.step()
    const [q, v] = [run.world.state.q.slice(), run.world.state.v.slice()]
    run.world.step()
    run.world.runControllers()
    // both hold it as softly, but for half a percent of its weight
    expect(await differing(text, run, q, v, 5e-3)).toEqual([])
    expect(run.seen.all[0]).toBeCloseTo(5 * 9.81, 3)
    expect(run.seen.front[0]).toBeCloseTo((5 * 9.81) / 4, 1)
    expect(run.seen['up ray']).toEqual([expect.closeTo(0.45, 5)])
  })

  test('cutoff bounds both sides, of touch the upper one, and no direction', async () => {
    const text = `<mujoco>${tree}<sensor><jointvel joint="shoulder" cutoff="0.3"/><gyro site="imu" cutoff="0.5"/><subtreecom body="arm" cutoff="0.2"/><framepos objtype="geom" objname="tip" cutoff="0.4"/>
      <insidesite site="end" objtype="site" objname="end" cutoff="0.7"/><actuatorpos actuator="m" cutoff="0.1"/></sensor></mujoco>`
    const run = started(text)
    disturb(run.world, 11)
    run.world.runControllers()
    expect(Math.max(...Object.values(run.seen).flat())).toBe(0.7)
    expect(await differing(text, run, run.world.state.q, run.world.state.v, 1e-9)).toEqual([])
  })
})

describe('sensors on objects of a file, beside its robot, show what MuJoCo shows:', () => {
  /** Objects before and behind the robot, which has a free tree of its own. */
  const beside = `<option timestep="0.001" magnetic="0.1 -0.4 0.2"/><compiler angle="radian"/><worldbody>
  <geom name="floor" type="plane" size="5 5 1" pos="0 0 -3"/><site name="fixed" pos="0.3 -0.2 0.5" euler="0.3 0.2 0.1"/><site name="down" pos="0.3 -0.2 0.5" euler="3 0.1 0"/>
  <body name="ball" pos="0.2 0.9 1"><freejoint name="ball"/><geom name="ball" type="ellipsoid" size="0.05 0.06 0.07" pos="0.01 0 0.02" mass="0.3"/><site name="ball" pos="0 0.1 0" euler="0.1 0.2 0.5"/></body>
  <body name="post" pos="-0.4 0 0.6"><geom name="post" type="box" size="0.02 0.02 0.3" mass="2"/><site name="mast" pos="0.7 -0.2 -0.1" euler="0.3 0.2 0.1"/>
    <body name="arm" pos="0.1 0 0.3"><joint name="shoulder" axis="0 1 0" ref="0.1"/><geom name="bar" type="capsule" fromto="0 0 0 0.3 0.05 0" size="0.02" mass="0.5"/>
      <body name="hand" pos="0.3 0 0"><joint name="wrist" axis="0 0 1"/><geom name="palm" type="box" size="0.03 0.04 0.05" mass="0.2"/><site name="grip" pos="0.05 0 0.02" euler="0.3 0 0.2"/></body></body></body>
  <body name="cube" pos="0.6 0 1.3" quat="0.9 0.1 -0.3 0.2"><freejoint name="cube"/><geom name="cube" type="box" size="0.05 0.06 0.07" mass="0.2"/><camera name="eye" pos="0.2 0 0" euler="0 1 0.3"/>
    <body name="lid" pos="0 0 0.1" euler="0.2 0 0.3"><geom name="lid" type="cylinder" size="0.05 0.01" mass="0.1"/><site name="lid" pos="0.02 0.01 0.03" type="box" size="0.3 0.5 0.4"/></body></body>
  <body name="kite" pos="-0.6 0.8 1.6"><freejoint name="kite"/><geom type="box" size="0.1 0.1 0.01" mass="0.1"/>
    <body name="tail" pos="-0.1 0 0"><joint name="tail" type="ball"/><geom type="capsule" fromto="0 0 0 -0.2 0 0" size="0.01" mass="0.05"/></body></body></worldbody>
  <actuator><motor name="m" joint="shoulder" gear="2"/><motor name="w" joint="wrist"/></actuator>`
  const objects = ['body cube', 'xbody cube', 'geom lid', 'site lid', 'camera eye', 'body ball', 'geom ball', 'site ball', 'xbody kite', 'site grip', 'xbody tail'] // biome-ignore format: a list
  const references = ['xbody arm', 'site grip', 'body ball', 'camera eye', 'site fixed', 'site lid', 'xbody kite']
  const all = (tags: string, attribute: string, names: string) =>
    tags.split(' ').flatMap((tag) => names.split(' ').map((name) => `<${tag} ${attribute}="${name}"/>`))
  const atOnce = [
    ...['framepos', 'framequat', 'framexaxis', 'framezaxis', 'framelinvel', 'frameangvel'].flatMap((tag) =>
      ofFrames(tag, objects, references),
    ),
    ...all('gyro velocimeter magnetometer', 'site', 'lid ball grip fixed'),
    ...all('subtreecom subtreelinvel subtreeangmom', 'body', 'world cube lid ball kite tail post arm'),
    ...all('jointpos jointvel', 'joint', 'shoulder wrist'),
    ...all('ballquat ballangvel', 'joint', 'tail'),
    ...['xbody ball', 'body hand', 'xbody cube', 'geom lid', 'geom bar'].map(
      (object) => `<insidesite site="lid" objtype="${object.split(' ')[0]}" objname="${object.split(' ')[1]}"/>`,
    ),
    '<e_potential/><e_kinetic/><clock/>',
  ]
  const textOf = (sensors: readonly string[]) => `<mujoco>${beside}<sensor>${sensors.join('')}</sensor></mujoco>`

  test.each([1, 2, 3, 4, 5, 6])('positions and velocities in random state %i', async (seed) => {
    const run = started(textOf(atOnce))
    expect(run.world.robots.map(({ robot }) => robot.model.bodyName[1])).toEqual(['arm', 'ball', 'cube'])
    disturb(run.world, seed)
    run.world.runControllers()
    expect(await differing(textOf(atOnce), run, run.world.state.q, run.world.state.v, 1e-9)).toEqual([])
  })

  test.each([1, 2, 3, 4, 5, 6])('accelerations and forces of the last step from random state %i', async (seed) => {
    const overStep = [
      ...['framelinacc', 'frameangacc'].flatMap((tag) => ofFrames(tag, objects, references)),
      ...all('accelerometer torque', 'site', 'lid ball grip mast'),
      ...all('force', 'site', 'lid ball grip mast fixed'),
      ...all('jointactuatorfrc', 'joint', 'shoulder wrist'),
      ...all('touch', 'site', 'lid ball fixed'),
    ]
    const run = started(textOf(overStep), [1.5, -2], 'mujoco')
    disturb(run.world, seed)
    const [q, v] = [run.world.state.q.slice(), run.world.state.v.slice()]
    run.world.step()
    run.world.runControllers()
    expect(await differing(textOf(overStep), run, q, v, 1e-9, [0.75, -2])).toEqual([])
  })

  test('and the same where a world has them as parts of the robot', () => {
    const [apart, one] = [false, true].map((isOne) => {
      const run = started(textOf([...atOnce, ...all('accelerometer force', 'site', 'lid ball grip')]), [1.5, -2], 'mujoco', isOne)
      disturb(run.world, 1)
      run.world.step()
      run.world.runControllers()
      return Object.values(run.seen).flat()
    })
    expect(one).toEqual(apart.map((x) => expect.closeTo(x, 9)))
  })

  test('but for the torque at a site of the world, of which MuJoCo adds that of each tree about its own centre of mass', async () => {
    const run = started(textOf(all('torque', 'site', 'fixed mast')), [1.5, -2], 'mujoco')
    disturb(run.world, 1)
    run.world.step()
    run.world.runControllers()
    const [fixed, mast] = Object.values(run.seen)
    fixed.forEach((x, k) => {
      expect(x).toBeCloseTo(mast[k], 9)
    })
  })

  test('touch and distances where objects lie and a robot stands among them', async () => {
    const text = `<mujoco><option timestep="0.001" cone="elliptic"/><worldbody><geom name="floor" type="plane" size="5 5 1"/><site name="ground" type="box" size="1 1 0.1"/><site name="down" pos="1 0 1" zaxis="0.1 0 -1"/><site name="at cube" pos="0.5 0 1" zaxis="0 0 -1"/>
      <body name="cube" pos="0.5 0 0.05"><freejoint name="cube"/><geom name="cube" type="box" size="0.1 0.08 0.05" mass="2"/><site name="cube" type="box" size="0.2 0.2 0.06"/><site name="corner" pos="0.1 0.08 -0.05" size="0.03"/><site name="back" pos="-0.05 0 0.02" zaxis="-1 0 0"/>
        <body name="hat" pos="0 0 0.05"><geom type="cylinder" size="0.03 0.02" pos="0 0 0.02" mass="0.1"/><site name="hat" pos="0 0 0.01" size="0.2"/></body></body>
      <body name="post"><geom name="post" type="box" size="0.05 0.05 0.4" pos="0 0 0.4"/><site name="post" type="box" size="0.1 0.1 0.9"/>
        <body name="arm" pos="0 0 0.3"><joint name="shoulder" axis="0 1 0"/><geom name="bar" type="capsule" fromto="0.1 0 0 0.3 0 0" size="0.02" mass="0.5"/><site name="ahead" pos="0.2 0 0" zaxis="1 0 -0.75"/><site name="aback" pos="0.2 0 0" zaxis="-1 0 0"/></body></body>
      <body name="top" pos="0.5 0 0.105"><freejoint name="top"/><geom name="top" type="box" size="0.02 0.02 0.005" pos="0.06 0 0" mass="0.05"/><site name="top" type="box" size="0.1 0.1 0.1"/></body></worldbody>
      <actuator><motor name="m" joint="shoulder"/></actuator><sensor>${all('touch', 'site', 'cube corner hat top post').join('')}<touch site="ground"/>
      ${all('rangefinder force', 'site', 'ahead aback back down hat cube').join('')}<rangefinder site="at cube"/></sensor></mujoco>`
    const run = started(text, [1.2], 'mujoco')
    for (let n = 0; n < 1000; n++) run.world.step()
    const [q, v] = [run.world.state.q.slice(), run.world.state.v.slice()]
    run.world.step()
    run.world.runControllers()
    expect(await differing(text, run, q, v, 5e-3, [1.2])).toEqual([])
  })
})

describe('sensors of a file', () => {
  const noisy = `<mujoco>${tree}<sensor><gyro name="g" site="imu" noise="0.2"/><jointpos name="j" joint="shoulder"/></sensor></mujoco>`
  const shown = (sensors: Record<string, SensorOptions>, log?: readonly string[]) => {
    const robot = loadRobot(noisy, { file: 'm.xml', ground: false })
    const seen: number[][] = []
    const controller: Controller = {
      rate: 1000,
      log,
      init: () => 0,
      update({ sensors: all }) {
        seen.push(Object.values(all).flatMap((own) => [...own]))
        return new Float64Array(2)
      },
    }
    const loop = createControllerLoop(controller, robot, { sensors })
    const world = new World({ robot, dt: 1e-3, contactModel: 'ncp', fixtures: [], controller: loop })
    for (let n = 0; n < 400; n++) world.step()
    return { robot, world, seen, loop }
  }

  test('have no noise, and that of the file where they are named', () => {
    expect(shown({}).robot.sensors).toMatchObject([
      { name: 'g', noise: 0.2 },
      { name: 'j', noise: 0 },
    ])
    const cases: Record<string, SensorOptions>[] = [{}, { g: { type: 'file' } }, { g: { type: 'file', noise: 0.01, rate: 100 } }]
    const [without, named, stated] = cases.map((sensors) => shown(sensors).seen)
    const deviation = (list: number[][]) =>
      Math.sqrt(list.reduce((sum, [x], n) => sum + (x - without[n][0]) ** 2, 0) / list.length)
    expect(deviation(named)).toBeGreaterThan(0.17)
    expect(deviation(named)).toBeLessThan(0.23)
    expect(deviation(stated)).toBeLessThan(0.015)
    expect(stated[1]).toEqual(stated[9])
  })

  test('give way to others of their name, and stand beside others', () => {
    const { seen, loop } = shown({ j: { type: 'encoder', joint: 'slide' }, more: { type: 'encoder', joint: 'shoulder' } })
    expect(seen[0].length).toBe(2 + 2 + 3)
    expect(loop.log!.names).toEqual([
      'sensors.j/0',
      'sensors.j/1',
      'sensors.more/0',
      'sensors.more/1',
      'sensors.g/0',
      'sensors.g/1',
      'sensors.g/2',
    ])
    expect(() => shown({ k: { type: 'file' } })).toThrow('sensor "k": the file of')
  })

  test('are recorded beside the channels of the controller', () => {
    const { world, seen, loop } = shown({}, ['own'])
    const frame = new FrameSource(world).read()
    expect([...frame.log]).toEqual([NaN, ...seen[seen.length - 1]])
    expect(scaled(loop, 2).log).toBe(loop.log)
  })

  test('go on after a checkpoint as they would have', () => {
    const text = `<mujoco>${tree}<sensor><accelerometer name="a" site="imu" noise="0.1"/><force site="wrist"/><touch site="imu"/></sensor></mujoco>`
    const run = started(text)
    disturb(run.world, 3)
    for (let n = 0; n < 20; n++) run.world.step()
    const saved = run.world.checkpoint()
    run.world.step()
    const after = { ...run.seen }
    for (let n = 0; n < 5; n++) run.world.step()
    run.world.restore(saved)
    run.world.step()
    expect(run.seen).toEqual(after)
  })

  test('of contacts count their points, of geoms, bodies, subtrees and all, where they are touching', async () => {
    const thing = (name: string, pos: string, geom: string) =>
      `<body name="${name}" pos="${pos}"><freejoint name="${name}"/><geom name="${name}" mass="1" ${geom}/></body>`
    const pairs =
      'geom1="ball" geom2="floor",geom2="ball",geom1="floor" geom2="rod",body1="rod" body2="ball",geom1="brick" body2="world",subtree1="world" geom2="near",subtree1="post",body1="arm",subtree1="world" subtree2="post",body1="post" geom2="tip",geom1="near" geom2="floor",geom1="seen",geom1="ball" subtree2="post",'
    const sensors = pairs
      .split(',')
      .map((own, k) => `<contact name="c${k}" ${own} ${k % 2 === 0 ? 'reduce="mindist" num="1" data="found"' : ''}/>`)
    const text = `<mujoco><option timestep="0.001" cone="elliptic"/><worldbody><geom name="floor" type="plane" size="5 5 1"/>
      ${thing('ball', '0 1 0.0999', 'size="0.1"')}${thing('rod', '1 0 0.0499', 'type="capsule" size="0.05 0.2" euler="0 90 0"')}${thing('brick', '-1 0 0.0499', 'type="box" size="0.1 0.1 0.05"')}
      ${thing('near', '-1 1 0.103', 'size="0.1" margin="0.01"')}<body name="post" pos="0 -1 0.3"><geom name="seen" size="0.02" contype="0" conaffinity="0"/><geom name="post" type="box" size="0.05 0.05 0.2"/>
        <body name="arm" pos="0.2 0 0"><joint name="j" axis="0 1 0" range="-1 1" damping="1"/><geom name="bar" type="capsule" fromto="0 0 0 0.1 0 0" size="0.02"/><body name="end" pos="0.4 0 0"><geom name="tip" size="0.05"/></body></body></body>
      ${thing('target', '0.7 -1 0.2', 'size="0.2"')}</worldbody><sensor>${sensors.join('')}</sensor></mujoco>`
    const run = started(text, [0.5], 'mujoco')
    for (let n = 0; n < 300; n++) {
      const [q, v] = [run.world.state.q.slice(), run.world.state.v.slice()]
      run.world.step()
      run.world.runControllers()
      if (n % 50 === 0) expect(await differing(text, run, q, v, 1e-9), `step ${n}`).toEqual([])
    }
    expect(Object.values(run.seen).flat()).toEqual([1, 1, 2, 0, 4, 1, 1, 0, 1, 0, 1, 0, 0, 10])
  })

  test('on objects beside the robot go on after a checkpoint as they would have, and the objects must be there', () => {
    const cube =
      '<geom type="plane" size="9 9 1"/><body name="cube" pos="0 0 0.2"><freejoint/><geom size="0.1"/><site name="cube" size="0.2"/></body></worldbody>'
    const sensors = [
      '<accelerometer name="a" site="cube" noise="0.1"/><touch site="cube"/><e_kinetic/>',
      '<subtreecom body="base"/>',
    ]
    const [text, own] = sensors.map((all) => `<mujoco>${tree.replace('</worldbody>', cube)}<sensor>${all}</sensor></mujoco>`)
    const run = started(text)
    disturb(run.world, 3, 0.1)
    run.world.state.v.fill(0)
    for (let n = 0; n < 300; n++) run.world.step()
    const saved = run.world.checkpoint()
    run.world.step()
    const after = { ...run.seen }
    for (let n = 0; n < 5; n++) run.world.step()
    run.world.restore(saved)
    run.world.step()
    expect(run.seen).toEqual(after)
    expect(run.seen.sensor2[0]).toBeGreaterThan(1)
    const alone = (file: string) => {
      const robot = separated(loadRobot(file, { file: 'm.xml' })).rest
      const controller = createControllerLoop({ init: () => 0, update: () => [0, 0] }, robot)
      return () => new World({ robot, dt: 1e-3, contactModel: 'ncp', controller })
    }
    expect(alone(text)).toThrow('are on its object "cube" too; put all that `separated` gives into the world, in its order')
    expect(alone(own)).not.toThrow()
  })

  test('that cannot be measured are told, and names that are not there are errors', () => {
    const told = (inside: string) => {
      const { sensors = [], diagnostics } = loadRobot(`<mujoco>${tree}<sensor>${inside}</sensor></mujoco>`, { file: 'm.xml' })
      return [
        sensors.length,
        diagnostics.filter(({ code }) => /^(sensor|name-unknown)/.test(code)).map(({ severity }) => severity),
      ]
    }
    expect(told('<user name="u" dim="1"/><contact name="c" geom1="tip" data="found force"/><clock/>')).toEqual([
      1,
      ['warning', 'warning'],
    ])
    expect(told('<rangefinder camera="eye"/><jointlimitfrc joint="slide"/>')).toEqual([0, ['warning', 'warning']])
    expect(told('<accelerometer site="imu" interval="0.1"/>')).toEqual([1, ['warning']])
    expect(told('<contact site="end" body1="arm"/><contact num="2"/><contact body1="arm" subtree2="base"/>')).toEqual([
      1,
      ['warning', 'warning'],
    ])
    expect(() => told('<contact geom1="trunk" geom2="trunc"/>')).toThrow('there is no geom "trunc"')
    expect(() => told('<gyro site="imo"/>')).toThrow('there is no site "imo"')
    expect(() => told('<jointpos joint="ball"/>')).toThrow('there is no revolute or prismatic joint "ball"')
    expect(() => told('<framepos objtype="light" objname="x"/>')).toThrow('there is no light "x"')
    expect(() => told('<clock name="t"/><clock name="t"/>')).toThrow('there is a sensor "t" already')
    expect(() => told('<clock noise="-1"/>')).toThrow('noise -1 is negative')
  })
})
