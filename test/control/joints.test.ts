import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../compare/scenario/index.ts'
import { createWorld, prepare, resolvePaths } from '../../compare/scenario/world/files.ts'
import {
  type Controller,
  createControllerLoop,
  type DifferentialKinematicsOptions,
  differentialKinematics,
  type FrameTrajectory,
  impedance,
} from '../../control/index.ts'
import { cos, createData, frameIndex, framePose, kinematics, sin } from '../../dynamics/index.ts'
import { loadRobot, type Robot } from '../../robots/index.ts'
import { World, type WorldPush } from '../../simulation/index.ts'

const link = (name: string, at: number) =>
  `<link name="${name}"><inertial><origin xyz="${at} 0 0"/><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>`
const joint = (name: string, parent: string, child: string, x: number, range: number) =>
  `<joint name="${name}" type="revolute"><origin xyz="${x} 0 0"/><parent link="${parent}"/><child link="${child}"/><axis xyz="0 1 0"/><limit lower="${-range}" upper="${range}" effort="200" velocity="2"/></joint>`
/** Three links of 40 cm in a vertical plane. */
const urdf =
  `<robot name="arm"><link name="world"/>${link('upper', 0.2)}${link('lower', 0.2)}${link('hand', 0.2)}<link name="tip"/>` +
  joint('shoulder', 'world', 'upper', 0, 2.5) +
  joint('elbow', 'upper', 'lower', 0.4, 2.5) +
  joint('wrist', 'lower', 'hand', 0.4, 1) +
  '<joint name="end" type="fixed"><origin xyz="0.4 0 0"/><parent link="hand"/><child link="tip"/></joint></robot>'
const arm = loadRobot(urdf, { file: 'arm.urdf' })
const bent = [-0.4, 0.9, 0.3]

function run(
  robot: Robot,
  controller: Controller,
  q: number[],
  seconds: number,
  watch: (world: World) => void,
  pushes: WorldPush[] = [],
) {
  const loop = createControllerLoop(controller, robot)
  const world = new World({ robot, controller: loop, contactModel: 'ncp', dt: 1e-3, q, fixtures: [], pushes })
  for (let k = 0; k < seconds * 1000; k++) {
    world.step()
    watch(world)
  }
  return world
}

function tip({ state }: { state: World['state'] }): Float64Array {
  const data = createData(arm.model)
  kinematics(arm.model, state, data)
  const [R, p] = [new Float64Array(9), new Float64Array(3)]
  framePose(data, arm.frames[frameIndex(arm.frames, 'tip')], R, p)
  return p
}

describe('differential kinematics', () => {
  /** Round a circle of this radius once in 2 pi / rate. */
  const circle = (radius: number, rate: number): FrameTrajectory => ({
    axis: [0, 1, 0],
    sample([t], s, ds, dds) {
      s.set([0, radius * (1 - cos(rate * t)), 0, radius * sin(rate * t)])
      ds.set([0, radius * rate * sin(rate * t), 0, radius * rate * cos(rate * t)])
      dds.fill(0)
    },
  })
  const start = tip({ state: { q: Float64Array.from(bent), v: new Float64Array(3), t: new Float64Array(1) } })
  const follow = (more: Partial<DifferentialKinematicsOptions>) =>
    differentialKinematics({ link: 'tip', turning: 0, ...more }) as Controller

  test('takes a tip round a circle within a millimetre', () => {
    let worst = 0
    run(arm, follow({ trajectory: circle(0.05, 2) }), bent, 4, (world) => {
      const t = world.state.t[0]
      const p = tip(world)
      if (t > 1)
        worst = Math.max(worst, Math.hypot(p[0] - start[0] - 0.05 * (1 - cos(2 * t)), p[2] - start[2] - 0.05 * sin(2 * t)))
    })
    expect(worst).toBeLessThan(1e-3)
  })

  test('keeps every limit of position and speed where the way asks for more, and goes on from there', () => {
    const { lower, upper, velocityLimit } = arm.model
    let fastest = 0
    const world = run(arm, follow({ trajectory: circle(0.6, 3) }), bent, 6, ({ state: { q, v } }) => {
      for (let k = 0; k < 3; k++) {
        expect(q[k]).toBeGreaterThan(lower[k] - 1e-3)
        expect(q[k]).toBeLessThan(upper[k] + 1e-3)
        fastest = Math.max(fastest, Math.abs(v[k]) / velocityLimit[k])
      }
    })
    expect(fastest).toBeGreaterThan(0.98)
    expect(fastest).toBeLessThan(1.02)
    expect(world.failure).toBeUndefined()
  })
})

describe('impedance', () => {
  test('a steady effort from outside moves joints by what their stiffness says', () => {
    // 5 N downwards at the tip for ever: moments of 5 N times the levers
    const pushes = [{ link: 'tip', impulse: [0, 0, -5e3], at: 0, duration: 1000 }] as const
    const stiffness = { shoulder: 200, elbow: 100, wrist: 50 }
    const world = run(arm, impedance({ stiffness, damping: 20 }) as Controller, bent, 12, () => {}, [...pushes])
    const { q } = world.state
    const p = tip(world)
    const lever = [p[0], p[0] - 0.4 * cos(q[0]), p[0] - 0.4 * cos(q[0]) - 0.4 * cos(q[0] + q[1])]
    for (const [k, own] of Object.values(stiffness).entries())
      expect(Math.abs((q[k] - bent[k]) / ((5 * lever[k]) / own) - 1)).toBeLessThan(0.01)
  })

  test('without what cancels weight an arm hangs in its springs', () => {
    const sag =
      run(arm, impedance({ stiffness: 200, damping: 20, cancels: 'nothing' }) as Controller, bent, 8, () => {}).state.q[0] -
      bent[0]
    expect(sag).toBeGreaterThan(0.05)
    const none = run(arm, impedance({ stiffness: 200, damping: 20 }) as Controller, bent, 1, () => {}).state.q[0] - bent[0]
    expect(Math.abs(none)).toBeLessThan(1e-9)
  })
})

describe('a trajectory in a table', () => {
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-table-'))
  writeFileSync(join(folder, 'arm.urdf'), urdf)
  const scene = async (table: string, duration = 2) => {
    writeFileSync(join(folder, 'way.csv'), table)
    const file = join(folder, 'way.yaml')
    const text = `robot: arm.urdf\nground: false\nmodels: [ncp]\ndt: 1 ms\nduration: ${duration}\ncontroller: { name: computed-torque, options: { omega: 60, trajectory: { kind: quintic, file: way.csv } } }\n`
    const scenario = resolvePaths(await parseScenario(text, file), file)
    const prepared = await prepare(scenario, scenario.robots[0])
    return createWorld(scenario, prepared, scenario.models[0], 1e-3).world
  }

  test('is gone through', async () => {
    const world = await scene('t,shoulder,elbow\n0,0,0\n1,0.5,-0.4\n2,0.2,0.3\n')
    for (let k = 0; k < 1000; k++) world.step()
    expect(world.state.q[0]).toBeCloseTo(0.5, 2)
    expect(world.state.q[1]).toBeCloseTo(-0.4, 2)
    for (let k = 0; k < 1000; k++) world.step()
    expect(world.state.q[0]).toBeCloseTo(0.2, 2)
  })

  test('that cannot be read is told with its line', async () => {
    await expect(scene('t,sholder\n0,0\n1,1\n')).rejects.toThrow(/way.csv:2: "arm" has no moving joint "sholder".*shoulder/)
    await expect(scene('shoulder\n0\n1\n')).rejects.toThrow(/way.csv:2: states no time/)
    await expect(scene('t,shoulder\n0,0\n1,high\n')).rejects.toThrow(/way.csv:3: shoulder is "high", no number/)
  })
})
