import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../dynamics/index.ts'
import { loadRobotFile } from '../../robots/files.ts'
import { loadRobot, type Robot } from '../../robots/index.ts'
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
      `<link name="a">${inertial}</link><joint name="j" type="screw"><parent>world</parent><child>a</child></joint>`,
      'joint-type',
    ],
    ['a number', '<link name="a"><inertial><mass>x</mass></inertial></link>', 'number'],
    ['nothing that moves', '<static>true</static><link name="a"/>', 'no-links'],
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
