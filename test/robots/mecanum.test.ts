import { describe, expect, test } from 'vitest'
import { createRandom, createState, rotate3 } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { dataAt, filled, stateOf } from '../dynamics/at.ts'

const mecanum = loadOwnRobot('mecanum')
const { model, joints, shapes } = mecanum
const R = 0.1
/** How the wheels turn for a base that goes forward, to the left, and round counter-clockwise, over R [1/m, 1/m, 1]. */
const wheels = {
  front_left: [1, -1, -0.36],
  front_right: [1, 1, 0.36],
  rear_left: [1, 1, -0.36],
  rear_right: [1, -1, 0.36],
} as const
const jointOf = (name: string) => joints.find((joint) => joint.name === name)!

function placed(q: Readonly<Record<string, number>> = {}) {
  const state = stateOf(model, mecanum.home)
  for (const [name, angle] of Object.entries(q)) state.q[jointOf(name).qIndex] = angle
  return dataAt(model, state)
}

describe('mecanum', () => {
  test('weighs what its parts do, and drives nothing but its wheels', () => {
    expect(mecanum.massUsed).toBeCloseTo(8 + 4 * (0.6 + 9 * 0.06), 12)
    expect(joints.length).toBe(4 + 4 * 9)
    for (const { name, vIndex } of joints) expect(model.effortLimit[vIndex], name).toBe(/roller/.test(name) ? 1e-6 : 4)
  })

  test('each wheel is round: at whatever angle its lowest ball is 0 to 0.85 R (1 - cos 4 degrees) above the ground, at 8 whole degrees 0', () => {
    const random = createRandom(1)
    for (let n = 0; n < 90; n++) {
      const isWhole = n < 45
      const angle = isWhole ? (n * 8 * Math.PI) / 180 : 2 * Math.PI * random.next()
      const data = placed(Object.fromEntries(Object.keys(wheels).map((wheel) => [`${wheel}_joint`, angle])))
      for (const wheel of Object.keys(wheels)) {
        const heights = shapes.flatMap(({ link, body, p, shape }) => {
          if (!link.startsWith(`${wheel}_roller`) || shape.type !== 'sphere') return []
          const local = filled(3, (out) => rotate3(out, data.R_WB[body], Float64Array.from(p)))
          return [data.p_WB[body][2] + local[2] - shape.radius]
        })
        expect(heights.length).toBe(45)
        const lowest = Math.min(...heights)
        // rounding of sums and rotations of lengths below 1 m
        expect(lowest).toBeGreaterThan(-1e-12)
        expect(lowest).toBeLessThan(isWhole ? 1e-12 : 0.855 * R * (1 - Math.cos((4 * Math.PI) / 180)))
      }
    }
  })

  test('where wheels turn as its kinematics say, no roller on the ground slips along its own axis', () => {
    const data = placed()
    const random = createRandom(2)
    for (let n = 0; n < 20; n++) {
      const [vx, vy, wz] = [random.next(), random.next(), random.next()]
      for (const [wheel, [x, y, z]] of Object.entries(wheels)) {
        const speed = (x * vx + y * vy + z * wz) / R
        const { body } = jointOf(`${wheel}_joint`)
        const [px, py] = data.p_WB[body]
        // of the wheel's point on the ground, its axis along y
        const u = [vx - wz * py - speed * R, vy + wz * px]
        const axis = data.SW[model.sStart[jointOf(`${wheel}_roller_0_joint`).body]]
        expect(Math.abs(axis[2])).toBeLessThan(1e-12)
        expect(Math.abs(u[0] * axis[0] + u[1] * axis[1])).toBeLessThan(1e-12)
      }
    }
  })
})

test('the wrist of wrist-gripper turns the pads forward and up to its own height', () => {
  const robot = loadOwnRobot('wrist-gripper')
  const state = createState(robot.model)
  const { qIndex } = robot.joints.find(({ name }) => name === 'wrist_joint')!
  for (const [angle, x, z] of [
    [0, 0, 0.02],
    [Math.PI / 2, 0.13, 0.15],
  ]) {
    state.q[qIndex] = angle
    const data = dataAt(robot.model, state)
    for (const [link, y] of [
      ['left_finger', 0.06],
      ['right_finger', -0.06],
    ] as const) {
      const { body } = robot.frames.find(({ name }) => name === link)!
      const p = [...data.p_WB[body]]
      for (const [k, expected] of [x, y, z].entries()) expect(p[k], `${link} ${k}`).toBeCloseTo(expected, 12)
    }
  }
})
