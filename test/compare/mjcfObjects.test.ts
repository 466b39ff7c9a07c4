/** MJCF files that hold objects beside a robot, or objects alone: where they start, where they end, and the names that they bear. */
import { describe, expect, test } from 'vitest'
import type { MeasuredStep } from '../../compare/measure/measuredStep.ts'
import { LoopMeter } from '../../compare/measure/meters/loopOpening.ts'
import { parseScenario } from '../../compare/scenario/index.ts'
import { createWorld, prepare, resolvePaths, subjectsOf } from '../../compare/scenario/world/files.ts'
import { createRandom, type Random } from '../../dynamics/index.ts'
import { examineRobot, loadRobot, lostInUrdf, placesAt, writeMjcf, writeSdf } from '../../robots/index.ts'
import { FrameSource, hasActingMocap, type World } from '../../simulation/index.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'
import { temporaryFolder } from './command.ts'

const folder = temporaryFolder()

async function worldOf(text: string, more: Record<string, unknown> = {}) {
  folder.write('scene.xml', text)
  const file = `${folder.path}/a.yaml`
  const scenario = resolvePaths(
    await parseScenario(JSON.stringify({ robot: 'scene.xml', controller: 'none', models: 'mujoco', ...more }), file),
    file,
  )
  const prepared = await prepare(scenario, subjectsOf(scenario)[0])
  return { prepared, ...createWorld(scenario, prepared, scenario.models[0], 1e-3) }
}

/** Position and quaternion (x, y, z, w) of each body of MuJoCo by its name, after some seconds. */
async function theirs(text: string, seconds: number): Promise<Map<string, number[]>> {
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  model.opt.timestep = 1e-3
  for (let n = 0; n < 1000 * seconds; n++) mj.mj_step(model, data)
  mj.mj_kinematics(model, data)
  const poses = new Map<string, number[]>()
  for (let i = 1; i < model.nbody; i++) {
    const [w, x, y, z] = data.xquat.subarray(4 * i, 4 * i + 4)
    poses.set(model.body(i).name, [...data.xpos.subarray(3 * i, 3 * i + 3), x, y, z, w])
  }
  data.delete()
  model.delete()
  return poses
}

/** The largest distance [m] between objects here and bodies in MuJoCo of the same names, after some seconds. */
async function apart(text: string, seconds: number, world: World): Promise<number> {
  for (let n = 0; n < 1000 * seconds; n++) world.step()
  const wanted = await theirs(text, seconds)
  const objects = world.robots.filter(({ robot }) => robot.floating)
  return Math.max(
    ...objects.map(({ name, state: { q } }) => {
      const pose = wanted.get(name)!
      const turn = Math.abs([3, 4, 5, 6].reduce((sum, k) => sum + q[k] * pose[k], 0))
      // of a point 5 cm away that turns along
      return Math.hypot(q[0] - pose[0], q[1] - pose[1], q[2] - pose[2]) + 0.1 * Math.sqrt(Math.max(0, 1 - turn * turn))
    }),
  )
}

const floor = '<option cone="elliptic"/><worldbody><geom name="floor" type="plane" size="2 2 0.1"/>'
const box = (name: string, pos: string, more = '') =>
  `<body name="${name}" pos="${pos}"><freejoint/><geom name="${name}" type="box" size="0.05 0.05 0.05" mass="0.1" ${more}/></body>`
const table = '<body name="table" pos="0 0 0.2"><geom name="top" type="box" size="0.3 0.3 0.2"/></body>'
const arm =
  '<body name="arm" pos="0.6 0 0.5"><joint name="shoulder" axis="0 0 1"/><geom name="bar" type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="1"/></body>'

describe('objects of a file', () => {
  test('lie on its table and on each other, and a file without a robot has the names of its objects', async () => {
    const text = `<mujoco model="table">${floor}${table}${box('low', '0 0 0.45')}${box('high', '0 0 0.56')}</worldbody></mujoco>`
    const { world, prepared } = await worldOf(text)
    expect(prepared.name).toBe('table')
    expect(world.robots.map(({ name }) => name)).toEqual(['low', 'high'])
    expect(world.robots.map(({ state }) => state.q[2])).toEqual([0.45, 0.56])
    expect(await apart(text, 1, world)).toBeLessThan(1e-4)
    expect(world.robots[0].state.q[2]).toBeCloseTo(0.45, 3)
    expect(world.robots[1].state.q[2]).toBeCloseTo(0.55, 3)
  })

  test('stay beside a robot where the file has them, and its robot is fixed', async () => {
    const geom = '<geom name="table" type="box" pos="0.5 0 0.2" size="0.3 0.3 0.2"/>'
    const text = `<mujoco model="scene">${floor}${geom}${arm}${box('cube', '0.5 0 0.45')}</worldbody></mujoco>`
    const { world } = await worldOf(text)
    expect(world.robots.map(({ name, robot }) => [name, robot.floating])).toEqual([
      ['scene', false],
      ['cube', true],
    ])
    expect(await apart(text, 0.5, world)).toBeLessThan(1e-5)
    expect(world.robots[1].state.q[2]).toBeCloseTo(0.45, 3)
  })
})

test('<exclude> and <pair> count between a robot and objects, and between objects', async () => {
  const text = (
    contact: string,
  ) => `<mujoco model="scene">${floor}${table}${arm}${box('low', '0 0 0.45')}${box('high', '0 0 0.551')}
    </worldbody><contact>${contact}</contact></mujoco>`
  const heights = async (contact: string) => {
    const { world } = await worldOf(text(contact))
    expect(await apart(text(contact), 0.4, world)).toBeLessThan(1e-4)
    return world.robots.slice(1).map(({ state }) => Number(state.q[2].toFixed(2)))
  }
  expect(await heights('')).toEqual([0.45, 0.55])
  expect(await heights('<exclude body1="low" body2="high"/>')).toEqual([0.45, 0.45])
  expect(await heights('<exclude body1="low" body2="high"/><pair geom1="high" geom2="low"/>')).toEqual([0.45, 0.55])
  const through = await heights(
    '<exclude body1="low" body2="table"/><exclude body1="high" body2="table"/><exclude body1="low" body2="world"/>',
  )
  expect(through[0]).toBeLessThan(-0.3)
})

test('a loop of the file connects a robot with an object, an object with a still body, and two objects', async () => {
  const text = (bodies: string, welds: string) =>
    `<mujoco model="scene">${floor}${table}${bodies}</worldbody><equality>${welds}</equality></mujoco>`
  const carried = text(`${arm}${box('load', '0.8 0 0.6')}`, '<weld body1="arm" body2="load"/>')
  expect((await worldOf(carried)).world.loops).toMatchObject([{ kind: 'weld', bodyA: 1, bodyB: 2 }])
  const hung = text(
    `${box('a', '0.1 0 0.7')}${box('b', '0.1 0 0.9')}`,
    '<weld body1="table" body2="a"/><connect body1="b" body2="a" anchor="0 0 -0.1"/>',
  )
  const { world } = await worldOf(hung)
  for (let n = 0; n < 100; n++) world.step()
  // the weld gives way by 0.6 mm, as MuJoCo's
  expect(world.robots[0].state.q[2]).toBeCloseTo(0.7, 2)
  expect(Math.hypot(...world.robots[1].state.q.slice(0, 3).map((x, k) => x - [0.1, 0, 0.9][k]))).toBeLessThan(0.01)
})

test('of a companion, too, and what a scenario says of a robot that is not there is refused', async () => {
  folder.write(
    'laid.xml',
    `<mujoco model="laid">${floor}${table}${box('cube', '0 0 0.45')}${box('other', '0.2 0 0.45')}</worldbody></mujoco>`,
  )
  const alone = `<mujoco model="alone">${floor}${arm}</worldbody></mujoco>`
  const { world } = await worldOf(alone, { companions: [{ name: 'set', robot: 'laid.xml' }] })
  expect(world.robots.map(({ name }) => name)).toEqual(['alone', 'set-cube', 'set-other'])
  for (let n = 0; n < 200; n++) world.step()
  expect(world.robots[2].state.q[2]).toBeCloseTo(0.45, 2)
  const two = `<mujoco model="two">${floor}${box('a', '0 0 0.05')}${box('b', '1 0 0.05')}</worldbody></mujoco>`
  await expect(worldOf(two, { start: { position: [0, 0, 1] } })).rejects.toThrow('"two" holds objects alone')
  await expect(worldOf(two, { controller: 'hold' })).rejects.toThrow('"two" holds objects alone, and no robot')
})

describe('sensors of the file on objects', () => {
  const file = (base = '0.6 0 0.5', more = '') => `<mujoco model="scene">${floor}
    <body name="arm" pos="${base}" ${more}><joint name="shoulder" axis="0 0 1" ref="0.1"/><geom name="bar" type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="1"/></body>
    ${box('cube', '0.1 0 0.7')}${box('low', '-0.5 0 0.0499')}</worldbody>
    <actuator><motor name="m" joint="shoulder"/></actuator><sensor><framepos name="cube" objtype="body" objname="cube" reftype="xbody" refname="arm"/>
    <framelinvel name="speed" objtype="geom" objname="cube" reftype="geom" refname="bar"/><subtreecom name="all" body="world"/><framequat name="turn" objtype="xbody" objname="cube" reftype="xbody" refname="arm"/><e_potential name="fall"/><e_kinetic name="motion"/><contact name="on" geom1="low" geom2="floor"/></sensor></mujoco>`
  /** What the sensors of a robot show at the last tick, by name. */
  const shown = ({ robots }: World, of = 0) => {
    const { names, values } = robots[of].controller!.log!
    return Object.fromEntries(names.map((name, k) => [name, values[k]]))
  }
  /** Likewise in MuJoCo's own state after as many of its steps. */
  const theirs = async (text: string, steps: number) => {
    const { mj, model } = await mjcfModelOf(text)
    const data = new mj.MjData(model)
    model.opt.timestep = 1e-3
    for (let n = 0; n < steps; n++) mj.mj_step(model, data)
    mj.mj_forward(model, data)
    const list = [...data.sensordata]
    data.delete()
    model.delete()
    return list
  }
  const compared = async (text: string, world: World, of?: number) => {
    for (let n = 0; n < 50; n++) world.step()
    world.runControllers()
    const [own, wanted] = [Object.values(shown(world, of)), await theirs(text, 50)]
    expect(own.length).toBe(wanted.length)
    own.forEach((x, k) => {
      expect(x, Object.keys(shown(world, of))[k]).toBeCloseTo(wanted[k], 6)
    })
  }

  test('are recorded', async () => {
    const { world } = await worldOf(file())
    await compared(file(), world)
    const { names, values } = world.robots[0].controller!.log!
    expect(names.slice(0, 3)).toEqual(['sensors.cube/0', 'sensors.cube/1', 'sensors.cube/2'])
    expect([...new FrameSource(world).read().log]).toEqual([...values])
  })

  test('see a robot that stands elsewhere, with rotors, under another gravity, and objects where they are', async () => {
    const { world } = await worldOf(file(), {
      start: { position: [1, 0.3, 0.8], rpy: [0, 0, 0.5] },
      gravity: [0.5, 0, -4],
      actuators: [{ joints: ['shoulder'], rotorInertia: 0.02, gearRatio: 3, damping: 0.1 }],
    })
    // a position is that of the axes of the file
    const base = `${1 + 0.6 * Math.cos(0.5)} ${0.3 + 0.6 * Math.sin(0.5)} 1.3`
    const other = file(base, `euler="0 0 ${(0.5 * 180) / Math.PI}"`)
    await compared(
      other.replace('cone=', 'gravity="0.5 0 -4" cone=').replace('axis="0 0 1"', 'axis="0 0 1" armature="0.18" damping="0.1"'),
      world,
    )
  })

  test('of a companion are on its own', async () => {
    folder.write('laid.xml', file())
    const elsewhere = ['0.6 0 0.5', '0.1 0 0.7', '-0.5 0 0.0499'].reduce((text, at, k) => text.replace(at, `3 ${k} 1`), file())
    const { world } = await worldOf(elsewhere, { companions: [{ name: 'set', robot: 'laid.xml' }] })
    expect(world.robots.map(({ name }) => name)).toEqual(['scene', 'cube', 'low', 'set', 'set-cube', 'set-low'])
    await compared(file(), world, 3)
    const own = Object.values(shown(world))
    const wanted = await theirs(elsewhere, 50)
    own.forEach((x, k) => {
      expect(x).toBeCloseTo(wanted[k], 6)
    })
  })
})

/** A robot of all kinds of joints and actuators with objects, in the air and turning, at a keyframe. */
function keyed(random: Random): string {
  const some = (count: number, reach: number) =>
    Array.from({ length: count }, () => random.between(-reach, reach).toFixed(4)).join(' ')
  const turn = () => `0.9 ${some(3, 0.3)}`
  const thing = (name: string) =>
    `<body name="${name}" pos="${some(2, 3)} 3"><freejoint/><geom type="box" size="0.03 0.04 0.05"/></body>`
  const limb = `<body pos="0.2 0 0"><joint name="hip" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.03"/>
    <body pos="0.2 0 0"><joint name="wrist" type="ball"/><geom size="0.05" pos="0.05 0 0"/></body></body>`
  const torso = `<body name="torso" pos="0 0 5"><freejoint/><geom type="box" size="0.1 0.2 0.05"/>${limb}</body>`
  const motors = `<actuator><position joint="hip" kp="3" kv="0.1"/><general joint="hip" dyntype="filter" dynprm="0.05" gainprm="2"/>
    <intvelocity joint="hip" kp="1" actrange="-2 2"/></actuator>`
  const key = `qpos="${some(2, 3)} 6 ${turn()} ${some(2, 3)} 4 ${turn()} 0.3 ${turn()} ${some(2, 3)} 5 ${turn()}" qvel="${some(22, 1)}" act="${some(2, 0.5)}" ctrl="${some(3, 0.5)}"`
  return `<mujoco model="keyed"><worldbody>${thing('a')}${torso}${thing('b')}</worldbody>${motors}
    <keyframe><key name="rest"/><key name="go" ${key}/></keyframe></mujoco>`
}

test('ten random keyframes: a run that starts in one, with its velocities and inputs, goes as in MuJoCo, as read and as written', async () => {
  const random = createRandom(3)
  for (let n = 0; n < 10; n++) {
    const text = keyed(random)
    const { repaired, semantic } = examineRobot(text, { file: 'keyed.xml' })
    for (const file of [text, writeMjcf(repaired, { semantic }).text]) {
      const { mj, model } = await mjcfModelOf(file)
      const data = new mj.MjData(model)
      mj.mj_resetDataKeyframe(model, data, 1)
      model.opt.timestep = 1e-3
      const { world } = await worldOf(text, { start: { key: 'go' }, ground: false, duration: 1 })
      expect(world.robots.map(({ name }) => name)).toEqual(['keyed', 'a', 'b'])
      for (let k = 0; k < 100; k++) {
        mj.mj_step(model, data)
        world.step()
      }
      world.robots.forEach(({ state: { q } }, i) => {
        const [x, y, z, qw, qx, qy, qz] = data.qpos.subarray([7, 0, 19][i])
        const wanted = [x, y, z, qx, qy, qz, qw]
        // of the robot its hinge and its ball, too
        if (i === 0) wanted.push(data.qpos[14], ...data.qpos.subarray(16, 19), data.qpos[15])
        wanted.forEach((value, k) => {
          expect(q[k]).toBeCloseTo(value, 4)
        })
      })
      data.delete()
      model.delete()
    }
  }
})

test('what a scenario states of the start takes the place of a keyframe, and --key of its pose', async () => {
  const text = keyed(createRandom(1))
  const { world } = await worldOf(text, { start: { pose: 'go', linearVelocity: [0, 0, 1], joints: { hip: 1 } }, ground: false })
  const [{ robot, state }, a] = world.robots
  expect(state.q[robot.joints[0].qIndex]).toBe(1)
  expect(Math.hypot(...state.v.slice(3, 6))).toBeCloseTo(1, 12)
  expect(Math.hypot(...a.state.v)).toBeGreaterThan(0.1)
  await expect(worldOf(text, { start: { pose: 'go', key: 'rest' } })).rejects.toThrow('is the same as pose')
  await expect(worldOf(text, { start: { key: 'gone' } })).rejects.toThrow('has no pose "gone"; it has rest, go')
})

/** Two to five boxes and balls that fall a little on tables, some of which are bodies, and on the boxes there. */
function laid(random: Random): string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random.between(0, list.length))]
  const at = (x: number) => x.toFixed(4)
  const tables = [0, 0.8].map((x, k) => {
    const geom = '<geom type="box" size="0.3 0.3 0.2"/>'
    return random.between(0, 1) < 0.5
      ? `<body name="table${k}" pos="${x} 0 0.2">${geom}</body>`
      : geom.replace('/>', ` pos="${x} 0 0.2"/>`)
  })
  const bodies = Array.from({ length: 2 + random.index(4) }, (_, k) => {
    const [type, size, half] = pick(
      [
        ['box', '0.06 0.07 0.05', 0.05],
        ['sphere', '0.05', 0.05],
      ].slice(0, k < 2 ? 1 : 2) as [string, string, number][],
    )
    const z = 0.4 + half + 0.01 + 0.11 * (k >> 1)
    const pos = [0.8 * (k % 2) + random.between(-0.01, 0.01), random.between(-0.01, 0.01), z].map(at).join(' ')
    return `<body name="thing${k}" pos="${pos}"><freejoint/><geom type="${type}" size="${size}" density="500"/></body>`
  })
  const robot = random.between(0, 1) < 0.5 ? arm.replace('0.6 0 0.5', '0.4 0 1.5') : ''
  return `<mujoco model="laid">${floor}${tables.join('')}${robot}${bodies.join('')}</worldbody></mujoco>`
}

test('twelve random sets of objects on tables begin where MuJoCo has them, as read and as written, and are within 1 mm of it after half a second', async () => {
  const random = createRandom(8)
  for (let n = 0; n < 12; n++) {
    const text = laid(random)
    const { world } = await worldOf(text)
    expect(await apart(text, 0, world)).toBeLessThan(1e-7)
    const written = writeMjcf(examineRobot(text, { file: 'laid.xml' }).repaired).text
    expect(await apart(written, 0, world)).toBeLessThan(1e-7)
    expect(await apart(text, 0.5, world), text).toBeLessThan(1e-3)
  }
})

describe('mocap bodies', () => {
  const mocap = (name: string, pos: string, geom = '') => `<body name="${name}" mocap="true" pos="${pos}">${geom}</body>`
  const hand = mocap('hand', '0 0 1', '<geom name="hand" type="box" size="0.1 0.1 0.02"/>')
  const carrier = `<mujoco model="carrier"><option cone="elliptic"/><worldbody>${hand}${box('load', '0 0 1.07')}${arm}</worldbody>
    <keyframe><key name="aside" mpos="1 2 3" mquat="0 0 2 0"/></keyframe></mujoco>`
  /** A lift that turns. */
  const lift = '[0.1 * t, 0, 1 + 0.1 * t * t, 0, 0, Math.sin(0.2 * t), Math.cos(0.2 * t)]'

  let scripts = 0
  /** A controller that places the one mocap body, in position and quaternion x, y, z, w. */
  const placing = (path: string) =>
    folder.write(
      `places${scripts++}.mjs`,
      `export const path = (t) => ${path}
      export default { rate: 1000, init: () => null, update({ t, mocap, robot }) { mocap.set(path(t)); return robot.joints.map(() => 0) } }`,
    )

  /** The largest and last distance [m] from a body of MuJoCo while its mocap body, too, goes along the path; how far that body is behind the path at most. */
  async function beside(text: string, path: string, seconds: number, name: string, models = 'mujoco') {
    const controller = placing(path)
    const { path: poseAt } = (await import(controller)) as { path(t: number): number[] }
    const { world } = await worldOf(text, { ground: false, controller, models })
    const { mj, model } = await mjcfModelOf(text)
    const data = new mj.MjData(model)
    model.opt.timestep = 1e-3
    const i = model.body(name).id
    const { robot, state } = world.robots.find((one) => one.robot.model.bodyName.includes(name))!
    let [most, behind, last] = [0, 0, 0]
    for (let n = 0; n < 1000 * seconds; n++) {
      const [x, y, z, qx, qy, qz, qw] = poseAt(n * 1e-3)
      data.mocap_pos.set([x, y, z])
      data.mocap_quat.set([qw, qx, qy, qz])
      mj.mj_step(model, data)
      world.step()
      mj.mj_kinematics(model, data)
      const theirs = data.xpos.slice(3 * i, 3 * i + 3)
      const ours = placesAt(robot, state.q).p_WB[robot.model.bodyName.indexOf(name)]
      const from = (to: ArrayLike<number>) => Math.hypot(theirs[0] - to[0], theirs[1] - to[1], theirs[2] - to[2])
      last = from(ours)
      most = Math.max(most, last)
      behind = Math.max(behind, from([x, y, z]))
    }
    data.delete()
    model.delete()
    return { most, behind, last, world }
  }

  test('carry what lies on them, stand where a keyframe says, and add no velocities', async () => {
    const { world, prepared } = await worldOf(carrier, { ground: false })
    const { robot } = prepared
    expect([robot.model.nq, robot.model.nv, robot.mocaps]).toEqual([8, 1, [{ name: 'hand', body: 1, qIndex: 0 }]])
    expect(await apart(carrier, 0.3, world)).toBeLessThan(1e-5)
    expect(world.robots[1].state.q[2]).toBeCloseTo(1.07, 3)
    const aside = await worldOf(carrier, { ground: false, start: { key: 'aside' } })
    expect([...aside.world.robots[0].state.q.slice(0, 7)]).toEqual([1, 2, 3, 0, 1, 0, 0])
  })

  test('go where a controller places them, with what lies on them', async () => {
    const { most, world } = await beside(carrier, lift, 0.5, 'load')
    expect(world.robots[1].state.q[2]).toBeGreaterThan(1.09)
    expect(most).toBeLessThan(1e-3)
    expect(world.robots[0].state.q[2]).toBeCloseTo(1 + 0.1 * 0.499 ** 2, 12)
  })

  test('push objects along the ground', async () => {
    const pusher = mocap('hand', '-0.2 0 0.05', '<geom type="box" size="0.02 0.1 0.04"/>')
    for (const y of [0, 0.03]) {
      const text = `<mujoco>${floor}${pusher}${box('cube', `0 ${y} 0.05`)}${arm}</worldbody></mujoco>`
      const { most, world } = await beside(text, '[-0.2 + 0.3 * t, 0, 0.05, 0, 0, 0, 1]', 1, 'cube')
      expect(world.robots[1].state.q[0]).toBeGreaterThan(0.155)
      expect(most).toBeLessThan(2e-3)
    }
  })

  test('swing what hangs from them on joints', async () => {
    const finger = `<body name="finger" pos="0.1 0 0"><joint name="f1" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="0.3"/>
      <body name="tip" pos="0.2 0 0"><joint name="f2" axis="0 0 1"/><geom size="0.03" mass="0.1" pos="0.05 0.01 0"/></body></body>`
    const text = `<mujoco><worldbody><body name="hand" mocap="true" pos="0 0 1"><geom size="0.04"/>${finger}</body></worldbody></mujoco>`
    const path = '[0.3 * Math.sin(5 * t), 0.2 * t, 1 + t * t, 0, Math.sin(t), 0, Math.cos(t)]'
    expect((await beside(text, path, 0.5, 'tip')).most).toBeLessThan(1e-12)
  })

  test('pull objects and the gripper of an arm by a weld or a point, as far behind as in MuJoCo', async () => {
    const bare = mocap('hand', '0.3 0 0.5')
    const load = `<mujoco><worldbody>${bare}${box('load', '0.3 0 0.2')}${arm}</worldbody><equality><weld body1="hand" body2="load"/></equality></mujoco>`
    const still = 'contype="0" conaffinity="0"'
    const reach = `<body name="b" pos="0 0 0.3"><joint axis="0 0 1" damping="1"/><geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.03" mass="2" ${still}/>
      <body pos="0 0 0.2"><joint axis="0 1 0" damping="1"/><geom type="capsule" fromto="0 0 0 0.25 0 0.2" size="0.03" mass="1" ${still}/>
      <body pos="0.25 0 0.2"><joint axis="0 1 0" damping="1"/><geom type="capsule" fromto="0 0 0 0.05 0 -0.2" size="0.03" mass="1" ${still}/>
      <body name="gripper" pos="0.05 0 -0.2"><joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/><geom type="box" size="0.03 0.05 0.04" mass="0.5" ${still}/></body></body></body></body>`
    const held = (how: string) => `<mujoco><worldbody>${bare}${reach}</worldbody><equality>${how}</equality></mujoco>`
    const weld = held('<weld body1="hand" body2="gripper"/>')
    const point = held('<connect body1="hand" body2="gripper" anchor="0 0 0.02"/>')
    const soft = held('<weld body1="hand" body2="gripper" solref="0.01 1" solimp="0.25 0.25 0.001"/>')
    const random = createRandom(1)
    for (let n = 0; n < 5; n++) {
      const [x, y, z] = [0, 1, 2].map(() => random.between(-0.1, 0.1))
      const k = `Math.sin(${random.between(2, 6)} * t)`
      const path = `[0.3 + ${x} * ${k}, ${y} * ${k}, 0.5 + ${z} * ${k}, 0, 0, Math.sin(${k} / 5), Math.cos(${k} / 5)]`
      expect((await beside(load, path, 0.5, 'load')).most).toBeLessThan(1e-4)
      for (const text of [weld, point, soft]) {
        const { most, behind } = await beside(text, path, 1, 'gripper')
        expect(behind).toBeGreaterThan(3e-3)
        expect(most).toBeLessThan(0.06 * behind)
      }
    }
    // springs of penalty models hang deeper
    for (const model of ['stewart-trinkle', 'anitescu-potra', 'lcp', 'penalty'])
      expect((await beside(load, '[0.3 + 0.5 * t, 0, 0.5, 0, 0, 0, 1]', 0.2, 'load', model)).most).toBeLessThan(4e-3)
    // from where it is, as a keyframe would have it, and out of reach
    expect((await beside(weld, '[0.25, 0.02, 0.45, 0, 0, 0.1, 1]', 0.2, 'gripper')).most).toBeLessThan(3e-3)
    const far = await beside(weld, '[t > 0.1 ? 0.6 : 0.3, 0, 0.5, 0, 0, 0, 1]', 1, 'gripper')
    expect(far.last).toBeLessThan(1e-4)
    expect(far.world.events.energyGains).toBe(0)
    const marker = carrier.replace('size="0.1 0.1 0.02"', 'size="0.1 0.1 0.02" contype="0" conaffinity="0"')
    for (const [text, acts] of [
      [carrier, true],
      [marker, false],
      [weld, true],
    ] as const)
      expect(hasActingMocap((await worldOf(text)).world)).toBe(acts)
    const written = writeMjcf(examineRobot(soft, { file: 'm.xml' }).repaired).text
    expect(written).toContain('solref="0.01 1" solimp="0.25 0.25 0.001 0.5 2"')
  })

  test('come after a base that floats, in the order of the file, and stay where they are if all else moves', async () => {
    const dog = `<body name="dog" pos="0 1 1"><freejoint/><geom size="0.1" mass="1"/>${arm}</body>`
    const text = `<mujoco>${floor}${mocap('a', '1 0 0')}${dog}<frame pos="0 0 1">${mocap('b', '2 0 0')}</frame></worldbody></mujoco>`
    const { world } = await worldOf(text)
    expect([...world.state.q]).toEqual([0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 2, 0, 1, 0, 0, 0, 1])
    const held = await worldOf(
      `<mujoco><worldbody>${mocap('a', '1 0 0')}<body name="base"><geom size="0.1" mass="1"/>${arm}</body></worldbody></mujoco>`,
      {
        base: 'floating',
        start: { position: [3, 0, 1] },
      },
    )
    expect([...held.world.state.q.slice(7, 14)]).toEqual([1, 0, 0, 0, 0, 0, 1])
    const [{ q, v }] = new FrameSource(held.world).entries
    expect([q[7].name, v.length]).toEqual(['a_mocap/x', 7])
  })

  test('a script in a sandbox places them to the same bits, and a pose that is none ends the run', async () => {
    const [trusted, boxed] = await Promise.all(
      [false, true].map(async (untrusted) => {
        const { world } = await worldOf(carrier, { ground: false, controller: { file: placing(lift), untrusted } })
        for (let n = 0; n < 100; n++) world.step()
        return world.hash()
      }),
    )
    expect(boxed).toBe(trusted)
    const { world } = await worldOf(carrier, { ground: false, controller: placing(lift.replace('0.1 * t', 'NaN')) })
    expect(() => world.step()).toThrow('mocap has NaN, 0, 1, 0, 0, 0, 1 for "hand"')
  })

  test('stand in the world, without joints', async () => {
    const inside = carrier.replace(hand, `<body name="on">${hand}</body>`)
    for (const text of [
      inside,
      carrier.replace('/></body>', '/><joint/></body>'),
      carrier.replace('/></body>', '/><freejoint/></body>'),
    ])
      expect(() => loadRobot(text, { file: 'm.xml' })).toThrow('a mocap body stands in the world')
    const joined = carrier
      .replace(' mpos="1 2 3" mquat="0 0 2 0"', '')
      .replace('</worldbody>', `${mocap('other', '0 0 2')}</worldbody><equality><weld body1="hand" body2="other"/></equality>`)
    await expect(worldOf(joined)).rejects.toThrow('cannot move against each other')
    const short = carrier.replace('mpos="1 2 3"', 'mpos="1 2"')
    expect(() => loadRobot(short, { file: 'm.xml' })).toThrow('Expected 3 numbers')
  })

  test('keep their pose in a checkpoint, and in what is written', async () => {
    const { world } = await worldOf(carrier, { ground: false, controller: placing(lift) })
    for (let n = 0; n < 50; n++) world.step()
    const saved = world.checkpoint()
    for (let n = 0; n < 50; n++) world.step()
    const hash = world.hash()
    world.restore(saved)
    for (let n = 0; n < 50; n++) world.step()
    expect(world.hash()).toBe(hash)
    const { repaired, semantic } = examineRobot(carrier, { file: 'm.xml' })
    const written = loadRobot(writeMjcf(repaired, { semantic }).text, { file: 'm.xml' })
    expect(written.mocaps).toEqual([{ name: 'hand', body: 1, qIndex: 0 }])
    expect([...written.poses[0].q.slice(0, 7)]).toEqual([1, 2, 3, 0, 1, 0, 0])
    for (const { lost } of [writeSdf(repaired), { lost: lostInUrdf(repaired) }])
      expect(lost).toContain('mocap bodies stand still: "hand".')
  })

  test('a loop by which one pulls another is not held to stay closed', async () => {
    const welded = (ends: string) => carrier.replace('<keyframe>', `<equality><weld ${ends}/></equality><keyframe>`)
    const meter = async (ends: string) => {
      const { world } = await worldOf(welded(ends), { ground: false })
      return new LoopMeter({ world, end: world.data } as MeasuredStep).value
    }
    expect(await meter('body1="hand" body2="load"')).toBe(null)
    expect(await meter('body1="arm" body2="load"')).toBe(0)
  })
})
