import { describe, expect, test } from 'vitest'
import { balance, type Controller, createControllerLoop, type WholeBodyMemory } from '../../control/index.ts'
import { crba, createData, createState, kinematics } from '../../dynamics/index.ts'
import { loadOwnRobot, loadRobotFile } from '../../robots/files.ts'
import type { Robot } from '../../robots/index.ts'
import { World, type WorldPush } from '../../simulation/index.ts'

import { dailyModels, full } from '../dailyModels.ts'
import { dataAt, stateOf } from '../dynamics/at.ts'

const biped = loadRobotFile('docs/examples/biped.urdf')
const quadruped = loadOwnRobot('quadruped')

/** With bent knees: straight ones cannot push. */
function crouched(robot: Robot): Float64Array {
  const bend: Record<string, number> = { hip_pitch: -0.4, knee: 0.8, ankle_pitch: -0.4 }
  const q = robot.home.slice()
  for (const { name, qIndex } of robot.joints) {
    const part = Object.keys(bend).find((key) => name.includes(key))
    if (part !== undefined) q[qIndex] = bend[part]
  }
  const data = createData(robot.model)
  const state = createState(robot.model)
  state.q.set(q)
  kinematics(robot.model, state, data)
  // the lowest point is a sphere without a radius, or with one
  const lowest = robot.shapes.map(({ body, p, shape }) => {
    const R = data.R_WB[body]
    const radius = shape.type === 'sphere' ? shape.radius : 0
    return data.p_WB[body][2] + R[6] * p[0] + R[7] * p[1] + R[8] * p[2] - radius
  })
  q[2] -= Math.min(...lowest)
  return q
}

interface Run {
  readonly world: World
  /** Largest miss of equations of motion, motors' limits and cones over all ticks, over the weight. */
  readonly worst: number
}

function run(robot: Robot, seconds: number, model = 'ncp', pushes: WorldPush[] = [], controller = balance()): Run {
  let worst = 0
  const watched: Controller<WholeBodyMemory> = {
    ...controller,
    update(seen, dt) {
      const efforts = controller.update(seen, dt)
      worst = Math.max(worst, missOf(robot, seen.memory, seen.state, efforts))
      return efforts
    },
  }
  const q = robot === biped ? crouched(robot) : robot.home
  const loop = createControllerLoop(watched as Controller, robot)
  const world = new World({ robot, contactModel: model as never, dt: 1e-3, q, pushes, controller: loop })
  for (let k = 0; k < seconds * 1000; k++) world.step()
  expect(loop.metrics()).toEqual({ limitsGivenUp: 0, ticksWithoutAnswer: 0 })
  return { world, worst }
}

/** From x alone: M a + c = [0; tau] + Jᵀ f by the controller's own J, cones, and limits. */
function missOf(
  { model, joints, massUsed }: Robot,
  memory: WholeBodyMemory,
  { q, v }: { q: Float64Array; v: Float64Array },
  efforts: ArrayLike<number>,
) {
  const { program, ground, bias, scale } = memory
  if (program === undefined || ground === undefined) throw new Error('there was no tick')
  const data = dataAt(model, stateOf(model, q, v))
  crba(model, data)
  const { nv } = model
  const f = program.x.slice(nv).map((x) => scale[0] * x)
  let worst = 0
  for (let k = 0; k < nv; k++) {
    const j = joints.findIndex(({ vIndex }) => vIndex === k)
    let sum = bias[k] - (j < 0 ? 0 : efforts[j])
    for (let l = 0; l < nv; l++) sum += data.M[k * nv + l] * program.x[l]
    for (let r = 0; r < f.length; r++) sum -= ground.J[r * nv + k] * f[r]
    worst = Math.max(worst, Math.abs(sum))
    if (j >= 0) worst = Math.max(worst, Math.abs(efforts[j]) - model.effortLimit[k])
  }
  for (let p = 0; p < f.length; p += 3) worst = Math.max(worst, Math.hypot(f[p], f[p + 1]) - 0.5 * f[p + 2])
  return worst / (massUsed * 9.81)
}

describe('a biped with bent knees', () => {
  // from eight sides in the full run
  test('stands still, and takes pushes of 8 N s from all sides, within the motors and the cones at every tick', () => {
    for (let side = -1; side < 8; side += full ? 1 : 4) {
      const [x, y] = side < 0 ? [0, 0] : [8 * Math.cos((side * Math.PI) / 4), 8 * Math.sin((side * Math.PI) / 4)]
      const pushes = [{ link: 'pelvis', impulse: [x, y, 0], at: 0.1, duration: 0.1 }]
      const { world, worst } = run(biped, side < 0 ? 0.5 : 2, 'ncp', pushes)
      const home = crouched(biped)
      for (let k = 0; k < 3; k++) expect(Math.abs(world.state.q[k] - home[k])).toBeLessThan(side < 0 ? 1e-6 : 5e-3)
      expect(worst).toBeLessThan(1e-6)
    }
  })

  test('squats by 8 cm and comes up again', () => {
    const height = (t: number) => [0, 0, -0.04 * (1 - Math.cos(Math.PI * t))]
    const down = run(biped, 1, 'ncp', [], balance({ shift: height })).world
    expect(down.state.q[2] - crouched(biped)[2]).toBeLessThan(-0.06)
    const up = run(biped, 2, 'ncp', [], balance({ shift: height })).world
    expect(Math.abs(up.state.q[2] - crouched(biped)[2])).toBeLessThan(2e-3)
  })
})

test.each(dailyModels)('a quadruped takes a push of 4 N s under %s', (model) => {
  const { world, worst } = run(quadruped, 1.5, model, [
    { impulse: [0, 4, 0], at: 0.1, duration: 0.1, link: quadruped.frames[0].name },
  ])
  // springs give way by a millimetre, and creep
  for (let k = 0; k < 3; k++) expect(Math.abs(world.state.q[k] - quadruped.home[k])).toBeLessThan(0.01)
  expect(worst).toBeLessThan(1e-6)
})
