import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../dynamics/index.ts'
import { loadRobotFile, OWN_ROBOTS, openRobotFile, ownRobotPath } from '../../robots/files.ts'
import { type LoadOptions, loadExamined, loadRobot, memoryResolver, type Robot, writeSdf } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { randomState, randomVector } from '../dynamics/randomTree.ts'
import { differences, ourAnswers } from '../oracle/mujoco.ts'
import { errorOf } from './lookalike.ts'

const load = (name: string): Robot => loadRobotFile(fileURLToPath(new URL(`./sdf/${name}`, import.meta.url)), { ground: false })
const modelOf = (inside: string, version = '1.9') =>
  loadRobot(`<sdf version="${version}"><model name="m">${inside}</model></sdf>`, { file: 'm.sdf' })
const inertial = '<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>'

describe('SDF', () => {
  test('a model with frames is its twin in URDF', () => {
    const [sdf, urdf] = [load('arm.sdf'), load('arm.urdf')]
    expect([...sdf.model.jointType]).toEqual([...urdf.model.jointType])
    const random = createRandom(3)
    for (let n = 0; n < 10; n++) {
      const state = randomState(random, sdf.model)
      const [a, tau] = [randomVector(random, sdf.model.nv, 5), randomVector(random, sdf.model.nv, 5)]
      const found = differences(ourAnswers(sdf.model, state, a, tau), ourAnswers(urdf.model, state, a, tau))
      for (const value of Object.values(found)) expect(value).toBeLessThan(1e-12)
    }
    sdf.home.forEach((x, k) => {
      expect(Math.abs(x - urdf.home[k])).toBeLessThan(1e-12)
    })
    sdf.shapes.forEach(({ R, p }, s) => {
      for (let k = 0; k < 9; k++) expect(Math.abs(R[k] - urdf.shapes[s].R[k])).toBeLessThan(1e-12)
      for (let k = 0; k < 3; k++) expect(Math.abs(p[k] - urdf.shapes[s].p[k])).toBeLessThan(1e-12)
    })
    const { model, joints } = sdf
    const k = joints[0].vIndex
    expect([model.lower[k], model.upper[k], model.effortLimit[k], model.damping[k], model.friction[k]]).toEqual([
      -1, 2, 30, 0.5, 0.1,
    ])
    expect([model.stiffness[k], model.springReference[k], model.lower[joints[1].vIndex]]).toEqual([3, 0.2, -Infinity])
    expect(sdf.shapes[0].friction).toBe(0.7)
    expect(sdf.frames.map(({ name }) => name)).toEqual(['base', 'upper', 'elbow::joint', 'lower', 'mount', 'tip'])
  })

  test('a world: static models stand around, the others move, with their places and the names of their models', () => {
    const robot = load('world.sdf')
    expect(robot.surroundings).toMatchObject([
      { shape: { type: 'halfspace' } },
      { name: 'wall::l', shape: { type: 'box', size: [0.1, 2, 1] } },
    ])
    expect([...robot.surroundings![1].p].map((x) => Number(x.toFixed(12)))).toEqual([2, 0, 0.6])
    expect(robot.frames.map(({ name }) => name)).toEqual(['first::ball', 'cart::body', 'cart::tower::top'])
    expect([...robot.home.slice(0, 7)]).toEqual([0, 0, 0.6, 0, 0, 0, 1])
    expect([...robot.home.slice(7, 14)]).toEqual([0, 1, 0.2, 0, 0, 0, 1])
    expect(robot.joints.map(({ name }) => name)).toEqual(['cart::turn'])
    expect([...robot.model.gravity.slice(3)]).toEqual([0, 0, -3.7])
    const world = new World({ robot, dt: 1e-3, contactModel: 'stewart-trinkle' })
    for (let n = 0; n < 300; n++) world.step()
    expect(world.state.q.every(Number.isFinite)).toBe(true)
  })

  test('axes are in the joint, in the model where the file says so, and in versions before 1.5', () => {
    const arm = (axis: string, version: string) =>
      modelOf(
        `<link name="a">${inertial}</link><link name="b"><pose>0 0 1 0 0 1.5707963267948966</pose>${inertial}</link>
        <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis>${axis}</axis></joint>`,
        version,
      ).model
    const axisOf = (axis: string, version: string) => {
      const model = arm(axis, version)
      return [...model.jointAxis.slice(3 * (model.nb - 1))].map((x) => Math.round(x))
    }
    expect(axisOf('<xyz>1 0 0</xyz>', '1.9')).toEqual([1, 0, 0])
    expect(axisOf('<xyz expressed_in="a">1 0 0</xyz>', '1.9')).toEqual([0, -1, 0])
    expect(axisOf('<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>', '1.6')).toEqual([0, -1, 0])
    expect(axisOf('<xyz>1 0 0</xyz>', '1.4')).toEqual([0, -1, 0])
  })

  test('poses in degrees and as quaternions', () => {
    const at = (attributes: string, numbers: string) =>
      modelOf(`<pose ${attributes}>${numbers}</pose><link name="a">${inertial}</link>`).home
    const half = Math.sqrt(0.5)
    for (const [attributes, numbers] of [
      ['degrees="true"', '1 2 3 0 0 90'],
      ['rotation_format="quat_xyzw"', `1 2 3 0 0 ${half} ${half}`],
    ]) {
      const home = at(attributes, numbers)
      expect(Math.abs(home[5] - half) + Math.abs(home[6] - half)).toBeLessThan(1e-15)
    }
  })

  test('followers follow, with a reference', () => {
    const robot = modelOf(`<link name="a">${inertial}</link><link name="b">${inertial}</link><link name="c">${inertial}</link>
      <joint name="lead" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="copy" type="revolute"><parent>a</parent><child>c</child><axis><xyz>0 0 1</xyz>
        <mimic joint="lead"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic></axis></joint>`)
    expect(robot.mimics).toMatchObject([{ name: 'copy', follows: 'lead', multiplier: 2, offset: 0.3 }])
  })

  test.each([
    [
      'frames in a circle that nothing refers to',
      `<link name="a">${inertial}</link><frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>`,
      'frame',
    ],
    ['an attachment that is not there', `<link name="a">${inertial}</link><frame name="f" attached_to="x"/>`, 'frame'],
    ['a frame that is not there', `<link name="a"><pose relative_to="x"/>${inertial}</link>`, 'frame'],
    [
      'frames in a circle',
      `<link name="a"><pose relative_to="b"/>${inertial}</link><link name="b"><pose relative_to="a"/>${inertial}</link>`,
      'frame',
    ],
    [
      'a link that is not there',
      `<link name="a">${inertial}</link><joint name="j" type="revolute"><parent>a</parent><child>b</child></joint>`,
      'frame',
    ],
    [
      'a joint type',
      `<link name="a">${inertial}</link><joint name="j" type="helix"><parent>world</parent><child>a</child></joint>`,
      'joint-type',
    ],
    ['a number', '<link name="a"><inertial><mass>x</mass></inertial></link>', 'number'],
    ['nothing that moves', '<static>true</static><link name="a"/>', 'no-links'],
    [
      'a link called world',
      `<link name="world"/><link name="a">${inertial}</link><joint name="j" type="fixed"><parent>world</parent><child>a</child></joint>`,
      'name-reserved',
    ],
    ['two links of a name', `<link name="a">${inertial}</link><link name="a">${inertial}</link>`, 'repeated-name'],
  ])('%s is an error', (_, inside, code) => {
    expect(
      errorOf(() => modelOf(inside))
        .diagnostics.filter(({ severity }) => severity === 'error')
        .map((finding) => finding.code),
    ).toContain(code)
  })

  test('what a world includes and is not there is told, and a link without inertial weighs what SDF says', () => {
    const robot = loadRobot(
      `<sdf version="1.9"><world name="w"><include><uri>model://gone</uri></include><model name="m"><link name="a"/></model></world></sdf>`,
      {
        file: 'w.sdf',
      },
    )
    expect(robot.diagnostics.map(({ code }) => code)).toEqual(['include-missing', 'inertial-missing', 'inertia-placeholder'])
    expect(robot.massUsed).toBe(1)
  })
})

/** Of a world of several files, by their names. */
const worldOf = (files: Readonly<Record<string, string>>, more: Partial<LoadOptions> = {}) => {
  const bytes = new Map(Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)]))
  return loadRobot(files['main.sdf'], { file: 'main.sdf', resolver: memoryResolver(bytes), ground: false, ...more })
}
const sdf = (inside: string, version = '1.9') => `<sdf version="${version}">${inside}</sdf>`
const linkAt = (name: string, pose = '') => `<link name="${name}">${pose}${inertial}</link>`
const place = (robot: Robot, name: string) => {
  const { body, p } = robot.frames.find((frame) => frame.name === name)!
  return [body, ...p].map((x) => Math.round(x * 1e9) / 1e9)
}
const codesOf = (robot: Robot) => robot.diagnostics.map(({ code }) => code).filter((code) => code !== 'inertia-placeholder')

describe('SDF of today', () => {
  test('versions are numbers of two parts: 1.10 to 1.12 are later than 1.9', () => {
    for (const version of ['1.5', '1.9', '1.10', '1.11', '1.12']) {
      const robot = modelOf(
        `${linkAt('a')}${linkAt('b', '<pose>0 0 1 0 0 1.5707963267948966</pose>')}
        <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint>`,
        version,
      )
      expect([...robot.model.jointAxis.slice(3 * (robot.model.nb - 1))].map(Math.round)).toEqual([1, 0, 0])
      expect(codesOf(robot)).toEqual([])
    }
    expect(codesOf(modelOf(linkAt('a'), '1.13'))).toEqual(['version'])
    expect(codesOf(modelOf(linkAt('a'), 'x'))).toEqual(['version'])
  })

  test('limits may be infinite', () => {
    const limits = (lower: string, upper: string, effort: string) => {
      const { model } = modelOf(`${linkAt('a')}${linkAt('b')}<joint name="j" type="revolute"><parent>a</parent><child>b</child>
        <axis><xyz>0 0 1</xyz><limit><lower>${lower}</lower><upper>${upper}</upper><effort>${effort}</effort></limit></axis></joint>`)
      return [model.lower[6], model.upper[6], model.effortLimit[6]]
    }
    expect(limits('-inf', 'inf', 'inf')).toEqual([-Infinity, Infinity, Infinity])
    expect(limits('-Infinity', '+inf', '-1')).toEqual([-Infinity, Infinity, Infinity])
    expect(limits('-1e16', '2', '3')).toEqual([-Infinity, 2, 3])
    expect(errorOf(() => limits('inf', '-inf', 'nan')).diagnostics.map(({ code }) => code)).toContain('number')
    expect(errorOf(() => modelOf(`<link name="a"><inertial><mass>inf</mass></inertial></link>`)).message).toContain('"inf"')
  })

  test('until 1.6 a joint may bear the name of a link', () => {
    const arm = (version: string) =>
      modelOf(`${linkAt('a')}${linkAt('b')}<joint name="b" type="revolute"><parent>a</parent><child>b</child></joint>`, version)
    expect(arm('1.6').joints.map(({ name }) => name)).toEqual(['b'])
    expect(errorOf(() => arm('1.7')).diagnostics.map(({ code }) => code)).toContain('repeated-name')
  })

  test('a file of static models alone is surroundings', () => {
    const robot = modelOf(
      `<static>1</static><link name="board"><pose>0 0 1 0 0 0</pose><collision name="c"><geometry><box><size>1 0.3 0.02</size></box></geometry></collision></link>`,
    )
    expect([robot.model.nv, robot.surroundings!.map(({ name, p }) => [name, p[2]])]).toEqual([0, [['m::board', 1]]])
  })

  test('poses of shapes are relative to what they say', () => {
    const robot = modelOf(`${linkAt('a')}<frame name="f" attached_to="a"><pose>0 0 1 0 0 0</pose></frame>
      <link name="b"><pose>0 2 0 0 0 0</pose>${inertial}
        <collision name="own"><pose relative_to="b">0 0 3 0 0 0</pose><geometry><sphere/></geometry></collision>
        <collision name="far"><pose relative_to="f">0 0 3 0 0 0</pose><geometry><sphere/></geometry></collision>
        <collision name="model"><pose relative_to="__model__">1 0 0 0 0 0</pose><geometry><sphere/></geometry></collision></link>
      <joint name="j" type="revolute"><parent>a</parent><child>b</child></joint>`)
    expect(robot.shapes.map(({ p }) => [...p])).toEqual([
      [0, 0, 3],
      [0, -2, 4],
      [1, -2, 0],
    ])
    expect(codesOf(robot)).toEqual([])
  })

  test('an inertia of shapes: of their densities, with the mass that is stated', () => {
    const auto = (inside: string, shape: string) =>
      modelOf(`<link name="a"><inertial auto="true">${inside}</inertial>${shape}</link>`).model.I[1]
    const box = (density: string, at = '0 0 0') =>
      `<collision name="c${at}"><pose>${at} 0 0 0</pose>${density}<geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision>`
    const masses = [
      auto('', box('')),
      auto('<density>500</density>', box('')),
      auto('<density>500</density>', box('<density>2000</density>')),
      auto('<mass>7</mass>', box('')),
      auto('', box('', '0.2 0 0') + box('<density>500</density>', '-0.2 0 0')),
    ]
    expect(masses.map((I) => Number(I[0].toPrecision(12)))).toEqual([6, 3, 12, 7, 9])
    expect(masses[4][1]).toBeCloseTo(6 * 0.2 - 3 * 0.2, 12)
    expect(masses[3][4]).toBeCloseTo((7 * (0.04 + 0.09)) / 12, 12)
  })

  test.each([
    ['kinematic', '<kinematic>true</kinematic>', ['sdf-unsupported']],
    ['kinematic off', '<kinematic>false</kinematic>', []],
    ['velocity_decay', '<velocity_decay><linear>0.1</linear></velocity_decay>', ['sdf-unsupported']],
    ['gravity', '<gravity>false</gravity>', ['gravity-off']],
    ['gravity on', '<gravity>true</gravity>', []],
  ])('what acts elsewhere is named as a change: %s', (_, text, codes) => {
    const robot = modelOf(`<link name="a">${text}${inertial}</link>`)
    expect(codesOf(robot)).toEqual(codes)
    expect(robot.diagnostics.filter(({ repaired }) => repaired).length).toBe(codes.length)
  })

  test('models that do not collide with themselves do not', () => {
    const pairs = (model: string, link = '') =>
      modelOf(`${model}${linkAt('a').replace('</link>', `${link}${ball}</link>`)}${linkAt('b').replace('</link>', `${ball}</link>`)}
        <joint name="j" type="ball"><parent>a</parent><child>b</child></joint>`).disabledCollisions
    const ball = '<collision name="c"><geometry><sphere/></geometry></collision>'
    expect(pairs('')).toEqual([])
    expect(pairs('<self_collide>false</self_collide>')).toEqual([['a', 'b']])
    expect(pairs('<self_collide>false</self_collide>', '<self_collide>1</self_collide>')).toEqual([])
  })
})

describe('joints of several parts', () => {
  const link = (name: string, pose = '0 0 0 0 0 0') => `<link name="${name}"><pose>${pose}</pose>${inertial}</link>`
  const joint = (name: string, type: string, child: string, inside: string, parent = 'base') =>
    `<joint name="${name}" type="${type}"><parent>${parent}</parent><child>${child}</child>${inside}</joint>`
  const axis = (xyz: string, tag = 'axis', inside = '') => `<${tag}><xyz>${xyz}</xyz>${inside}</${tag}>`
  const bolted = `${link('base')}${joint('bolt', 'fixed', 'base', '', 'world')}`

  test('a screw goes along by its pitch a turn, that of the older word to the other side, and has to state one', () => {
    const screw = (pitch: string) => modelOf(`${bolted}${link('nut')}${joint('thread', 'screw', 'nut', axis('0 0 1') + pitch)}`)
    const { joints, mimics, model } = screw('<screw_thread_pitch>0.005</screw_thread_pitch>')
    expect(joints).toMatchObject([{ name: 'thread', type: 'revolute' }])
    expect(mimics).toMatchObject([{ name: 'thread::travel', type: 'prismatic', follows: 'thread', offset: 0 }])
    expect(mimics[0].multiplier).toBeCloseTo(0.005 / (2 * Math.PI), 15)
    expect(model.nv).toBe(1)
    expect(screw('<thread_pitch>-1256.6370614359173</thread_pitch>').mimics[0].multiplier).toBeCloseTo(1 / 1256.6370614359173, 15)
    expect(errorOf(() => screw('')).diagnostics.map(({ code }) => code)).toContain('screw-without-pitch')
  })

  test('a universal joint turns about two axes, each with limits, damping and friction of its own', () => {
    const limits =
      '<limit><lower>-1</lower><upper>0.5</upper></limit><dynamics><damping>0.2</damping><friction>0.3</friction></dynamics>'
    for (const type of ['universal', 'revolute2']) {
      const both = axis('1 0 0', 'axis', '<dynamics><damping>0.1</damping></dynamics>') + axis('0 1 0', 'axis2', limits)
      const { joints, model } = modelOf(`${bolted}${link('rod', '0 0 1 0 0 0')}${joint('cardan', type, 'rod', both)}`)
      expect(joints.map(({ name }) => name)).toEqual(['cardan', 'cardan::axis2'])
      expect([...model.damping]).toEqual([0.1, 0.2])
      expect([...model.friction]).toEqual([0, 0.3])
      expect([...model.lower]).toEqual([-Infinity, -1])
    }
  })

  test('damping and friction of a ball joint are about each axis alike', () => {
    const { model } = modelOf(
      `${bolted}${link('rod')}${joint('ball', 'ball', 'rod', axis('1 0 0', 'axis', '<dynamics><damping>0.2</damping><friction>0.1</friction></dynamics>'))}`,
    )
    expect([[...model.damping], [...model.friction]]).toEqual([Array(3).fill(0.2), Array(3).fill(0.1)])
  })

  test('a gearbox couples two hinges of its reference body, the child by -ratio, whatever way they are stated', () => {
    const gears = (second: string, ratio = 3, reference = 'base') =>
      modelOf(
        `${bolted}${link('a', '1 0 0 0 0 0')}${link('b', '2 0 0 0 0 0')}${joint('ha', 'revolute', 'a', axis('0 0 1'))}${second}
        ${joint('gears', 'gearbox', 'b', `${axis('0 0 1')}${axis('0 0 1', 'axis2')}<gearbox_ratio>${ratio}</gearbox_ratio><gearbox_reference_body>${reference}</gearbox_reference_body>`, 'a')}`,
      )
    const up = gears(joint('hb', 'revolute', 'b', axis('0 0 1')))
    expect(up.mimics).toMatchObject([{ name: 'hb', follows: 'ha', multiplier: -3 }])
    expect(gears(joint('hb', 'continuous', 'b', axis('0 0 -1'))).mimics[0].multiplier).toBe(3)
    const apart = errorOf(() => gears(joint('hb', 'revolute', 'b', axis('1 0 0'))))
    expect(apart.diagnostics.map(({ code }) => code)).toEqual(['gearbox-without-hinges'])
  })
})

describe('SDF made of parts', () => {
  const hand = sdf(`<model name="hand">${linkAt('palm')}${linkAt('finger', '<pose>0.1 0 0 0 0 0</pose>')}
    <joint name="grip" type="prismatic"><parent>palm</parent><child>finger</child><axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>
    <frame name="tip" attached_to="finger"><pose>0 0 0.2 0 0 0</pose></frame></model>`)
  const arm = `${linkAt('base')}${linkAt('flange', '<pose>0 0 0.5 0 0 0</pose>')}
    <joint name="lift" type="prismatic"><parent>base</parent><child>flange</child></joint>`

  test('merged includes have names of their own, placed ones the frame that is named, in models and worlds', () => {
    const merged = worldOf({
      'hand.sdf': hand,
      'main.sdf':
        sdf(`<model name="arm">${arm}<include merge="true"><uri>hand.sdf</uri><pose relative_to="flange">0 0 0.1 0 0 0</pose></include>
        <joint name="mount" type="fixed"><parent>flange</parent><child>palm</child></joint></model>`),
    })
    expect(merged.joints.map(({ name }) => name)).toEqual(['lift', 'grip'])
    expect(place(merged, 'palm')).toEqual([2, 0, 0, 0.1])
    const placed = worldOf({
      'hand.sdf': hand,
      'main.sdf':
        sdf(`<model name="arm">${arm}<include placement_frame="tip"><uri>hand.sdf</uri><pose relative_to="flange">0 0 0.1 0 0 0</pose></include>
        <joint name="mount" type="fixed"><parent>flange</parent><child>hand::palm</child></joint></model>`),
    })
    // the tip stands where the pose is, 0.1 m aside and 0.2 m above the palm
    expect(place(placed, 'hand::palm')).toEqual([2, -0.1, 0, -0.1])
    expect(place(placed, 'hand::tip')).toEqual([3, 0, 0, 0.2])
    expect(codesOf(placed)).toEqual([])
  })

  test('a world has joints, frames and poses of its own, and takes URDF', () => {
    const urdf = `<robot name="arm"><link name="base"><inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="tool"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="flange"/>
      <joint name="turn" type="continuous"><origin xyz="0 0 0.3"/><parent link="base"/><child link="tool"/><axis xyz="0 0 1"/></joint>
      <joint name="end" type="fixed"><origin xyz="0.4 0 0"/><parent link="tool"/><child link="flange"/></joint></robot>`
    const robot = worldOf({
      'arm.urdf': urdf,
      'hand.sdf': hand,
      'main.sdf': sdf(`<world name="cell"><frame name="dock"><pose>3 0 0 0 0 0</pose></frame>
        <include><uri>arm.urdf</uri><name>robot</name><pose relative_to="dock">0 1 0 0 0 0</pose></include>
        <joint name="bolt" type="fixed"><parent>world</parent><child>robot::base</child></joint>
        <include><uri>hand.sdf</uri><pose relative_to="robot::flange">0.05 0 0 0 0 0</pose></include>
        <joint name="weld" type="fixed"><parent>robot::tool</parent><child>hand::palm</child></joint></world>`),
    })
    expect([robot.floating, robot.joints.map(({ name }) => name)]).toEqual([false, ['robot::turn', 'hand::grip']])
    expect(place(robot, 'robot::base')).toEqual([0, 3, 1, 0])
    expect(place(robot, 'hand::palm')).toEqual([1, 0.45, 0, 0])
    expect(place(robot, 'robot::flange')).toEqual([1, 0.4, 0, 0])
    expect(codesOf(robot).filter((code) => code !== 'mass-on-world')).toEqual([])
  })

  test('the file that model.config names is read, the newest that is known', () => {
    const config = `<model><name>hand</name><sdf version="1.4">old.sdf</sdf><sdf version="1.9">new.sdf</sdf><sdf version="9.9">later.sdf</sdf></model>`
    const files = {
      'models/hand/model.config': config,
      'models/hand/new.sdf': hand,
      'models/hand/old.sdf': sdf('<model name="old"/>'),
    }
    const main = (uri: string) => sdf(`<world name="w"><include><uri>${uri}</uri></include></world>`)
    for (const uri of ['model://hand', 'hand', 'models/hand', 'model://hand/new.sdf'])
      expect(worldOf({ ...files, 'main.sdf': main(uri) }).joints.map(({ name }) => name)).toEqual(['grip'])
  })

  test('a joint to a static model is one to the world, and the same file included twice is two models', () => {
    const robot = worldOf({
      'hand.sdf': hand,
      'main.sdf': sdf(`<world name="w"><model name="table"><static>true</static><pose>0 0 1 0 0 0</pose>${linkAt('top')}</model>
        <include><uri>hand.sdf</uri><name>a</name><pose>0 0 1 0 0 0</pose></include><include><uri>hand.sdf</uri><name>b</name></include>
        <joint name="fix" type="fixed"><parent>table::top</parent><child>a::palm</child></joint></world>`),
    })
    expect([robot.floating, robot.model.nv]).toEqual([true, 8])
    expect(robot.frames.map(({ name }) => name).sort()).toContain('b::finger')
  })

  test('a part in a place where none is read is the subject of a finding', () => {
    const model = (name: string) => `<model name="${name}">${linkAt('a')}</model>`
    const lost = (inside: string) =>
      loadRobot(sdf(inside), { file: 'm.sdf' }).diagnostics.flatMap(({ code, element }) =>
        code === 'element-lost' ? element : [],
      )
    expect(lost(`<world name="w">${model('m')}</world><world name="v">${model('n')}</world>`)).toEqual([
      '<world name="v"> in <sdf>',
    ])
    expect(lost(`<world name="w">${model('m')}</world>${model('n')}`)).toEqual(['<model name="n"> in <sdf>'])
    expect(lost(`<model name="m">${linkAt('a').replace('</link>', '<link name="b"/><link name="c"/></link>')}</model>`)).toEqual([
      '<link name="b"> in <link> of model "m"',
    ])
    // every link of thirty models in one another is read
    const nested = Array.from({ length: 30 }, (_, i) => `<model name="m${i}">${linkAt('a')}`).join('')
    const { frames, diagnostics } = loadRobot(sdf(`${nested}${'</model>'.repeat(30)}`), { file: 'm.sdf' })
    expect(frames).toHaveLength(30)
    expect(diagnostics.filter(({ code }) => code === 'element-lost')).toEqual([])
  })

  test('models are nested deep, and without end is an error; a missing include is said before anything else', () => {
    const nested = (depth: number) => `${'<model name="m">'.repeat(depth)}${linkAt('a')}${'</model>'.repeat(depth)}`
    expect(loadRobot(sdf(nested(30)), { file: 'm.sdf' }).model.nb).toBe(2)
    expect(errorOf(() => loadRobot(sdf(nested(60)), { file: 'm.sdf' })).message).toContain('nested more than 50 deep')
    const loop = sdf('<model name="m"><include><uri>main.sdf</uri></include></model>')
    expect(errorOf(() => worldOf({ 'main.sdf': loop })).message).toContain('nested more than 50 deep')
    const missing = errorOf(() =>
      worldOf({ 'main.sdf': sdf('<world name="w"><include><uri>model://gone</uri></include></world>') }),
    )
    expect(missing.message).toContain('a model that it includes was not found')
  })
})

test("Drake's rotors and groups of links that do not collide act", () => {
  const robot = modelOf(`${linkAt('a')}${linkAt('b')}${linkAt('c')}
    <joint name="j" type="revolute"><parent>a</parent><child>b</child><drake:rotor_inertia>0.01</drake:rotor_inertia><drake:gear_ratio>3</drake:gear_ratio></joint>
    <joint name="k" type="revolute"><parent>b</parent><child>c</child></joint>
    <drake:collision_filter_group name="g"><drake:member>a</drake:member><drake:member>c</drake:member>
      <drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group></drake:collision_filter_group>`)
  expect([...robot.model.armature.slice(6)]).toEqual([0.09, 0])
  expect(robot.disabledCollisions).toEqual([['a', 'c']])
})

test('a cell of parts: URDF, a placed model with a merged one, joints of the world', () => {
  const robot = load('cell.sdf')
  expect([robot.floating, robot.joints.map(({ name }) => name)]).toEqual([
    false,
    ['robot::shoulder', 'robot::elbow_joint', 'hand::press'],
  ])
  expect(robot.disabledCollisions).toEqual([['hand::ball', 'hand::palm']])
  expect(robot.surroundings!.map(({ name }) => name)).toEqual(['table::top'])
})

describe('SDF that is written', () => {
  const rewritten = (text: string, options: LoadOptions) => {
    const { robot, examined } = loadExamined(text, options)
    const { text: written, lost } = writeSdf(examined.repaired, { semantic: examined.semantic })
    return { robot, again: loadRobot(written, { ...options, srdf: undefined }), written, lost }
  }

  test.each(OWN_ROBOTS)('%s is the same robot to the bit when read again', (name) => {
    const { text, options } = openRobotFile(ownRobotPath(name))
    const { robot, again } = rewritten(text, options)
    for (const key of [
      'I',
      'XT',
      'jointAxis',
      'lower',
      'upper',
      'effortLimit',
      'velocityLimit',
      'damping',
      'friction',
      'armature',
    ] as const)
      expect(again.model[key], key).toEqual(robot.model[key])
    // the joint of a floating base is named by its link
    const first = robot.floating ? 2 : 1
    expect([...again.model.jointName].slice(first)).toEqual([...robot.model.jointName].slice(first))
    expect(again.home).toEqual(robot.home)
    expect(again.mimics).toEqual(robot.mimics)
    const shapes = ({ shapes }: Robot) =>
      shapes.map(({ body, shape, R, p, friction, restitution }) => ({ body, shape, R, p, friction, restitution }))
    expect(shapes(again)).toEqual(shapes(robot))
    expect(again.diagnostics.filter(({ repaired }) => repaired)).toEqual([])
  })
})
