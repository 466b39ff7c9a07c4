import { describe, expect, test } from 'vitest'
import {
  type ControllerState,
  type FrameTrajectory,
  type OperationalSpaceMemory,
  type OperationalSpaceOptions,
  operationalSpace,
  rotationError,
} from '../../control/index.ts'
import {
  aba,
  accelerations,
  addPassiveForces,
  bodyFrames,
  createData,
  createRandom,
  frameAcceleration,
  frameIndex,
  framePose,
  frameVelocity,
  kinematics,
  velocities,
} from '../../dynamics/index.ts'
import { loadRobotFile } from '../../robots/files.ts'
import type { Robot } from '../../robots/index.ts'
import { hasRobots } from '../dailyModels.ts'
import { filled, stateOf } from '../dynamics/at.ts'
import { arm } from '../simulation/robots.ts'

/** [robot, link, a pose that is not singular] */
const own = arm()
const arms: [string, Robot, string, number[]][] = [
  ['our own', { ...own, frames: bodyFrames(own.model) }, 'link5', [0.2, 0.6, -0.9, 0.4, 0.7, -0.3]],
]
if (hasRobots('tasks that panda, iiwa14 and ur5 follow')) {
  arms.push(
    ['panda', loadRobotFile('panda', { base: 'fixed' }), 'panda_hand_tcp', [0.1, -0.3, 0.2, -2.2, 0.1, 2.1, 0.8, 0.02]],
    ['iiwa14', loadRobotFile('iiwa14', { base: 'fixed' }), 'iiwa_link_ee', [0.1, 0.5, 0.2, -1.2, 0.1, 0.9, 0.3]],
    ['ur5', loadRobotFile('ur5', { base: 'fixed' }), 'tool0', [0.1, -1.2, 1.5, -1.8, -1.4, 0.2]],
  )
}

/** One controller of a robot in continuous time: accelerations by forward dynamics of its efforts, without limits. */
function loopOf(robot: Robot, q: readonly number[], options: OperationalSpaceOptions) {
  const { model, joints } = robot
  const controller = operationalSpace(options)
  const memory = controller.init({ robot, model, period: 1e-3, options: {} })
  const state = stateOf(model, q)
  const data = createData(model)
  const target = { joints: new Float64Array(joints.length), base: new Float64Array(3) }
  const contactForces = new Float64Array(6 * model.nb)
  const tau = new Float64Array(model.nv)
  const a = new Float64Array(model.nv)
  return {
    memory,
    state,
    data,
    /** a of the present state. */
    accelerate(): Float64Array {
      kinematics(model, state, data)
      const seen = { t: state.t[0], q: state.q, v: state.v, memory, robot, model, state, data, contactForces, target }
      const efforts = controller.update(seen as unknown as ControllerState<OperationalSpaceMemory>, 1e-3)
      tau.fill(0)
      joints.forEach(({ vIndex }, j) => {
        tau[vIndex] = efforts[j]
      })
      addPassiveForces(model, state, 1e-3, tau)
      aba(model, state, tau, data, a)
      return a.slice()
    },
  }
}

describe.each(arms)('operational space control of %s', (_, robot, link, pose) => {
  const { model, frames } = robot
  const frame = frames[frameIndex(frames, link)]

  test('the task accelerates as wanted, whatever the posture does', () => {
    const random = createRandom(7)
    for (let sample = 0; sample < 20; sample++) {
      const q = pose.map((x) => x + 0.2 * (random.next() - 0.5))
      const v = pose.map(() => random.next() - 0.5)
      const seen = [0, 5, 20].map((postureOmega) => {
        const loop = loopOf(robot, pose, { link, postureOmega })
        loop.accelerate() // holds the pose
        loop.state.q.set(q)
        loop.state.v.set(v)
        const a = loop.accelerate()
        velocities(model, loop.state, loop.data)
        accelerations(model, loop.state, a, loop.data)
        const out = filled(6, (out) => frameAcceleration(loop.data, frame, out))
        const { wanted, bias } = loop.memory
        return { a, out, miss: Math.max(...out.map((x, k) => Math.abs(x - wanted[k] - bias[k]))) }
      })
      for (const { miss } of seen) expect(miss).toBeLessThan(1e-9)
      for (let k = 0; k < 6; k++) expect(Math.abs(seen[0].out[k] - seen[2].out[k])).toBeLessThan(1e-9)
      // the posture does something, where there is a null space
      const moved = Math.max(...seen[0].a.map((x, k) => Math.abs(x - seen[2].a[k])))
      if (model.nv > 6) expect(moved).toBeGreaterThan(0.1)
    }
  })

  // RK4's own error at 1 ms and 20 rad/s is near 1e-9 of the start's
  test("errors of place and turn die out as a damped oscillator's", () => {
    const damping = 0.7
    const omega = 20
    const start = [0.3, 0.01, -0.02, 0.015]
    const axis = [0.6, 0, 0.8]
    const step: FrameTrajectory = { axis, sample: (_, s, ds, dds) => [s.set(start), ds.fill(0), dds.fill(0)] }
    const loop = loopOf(robot, pose, { link, omega, damping, trajectory: step })
    const { state, data } = loop
    kinematics(model, state, data)
    const R0 = new Float64Array(9)
    const p0 = filled(3, (out) => framePose(data, frame, R0, out))
    const h = 1e-3
    for (let k = 0; k < 300; k++) rungeKutta(loop, h)
    kinematics(model, state, data)
    velocities(model, state, data)
    const t = 300 * h
    const wd = omega * Math.sqrt(1 - damping * damping)
    const share = Math.exp(-damping * omega * t) * (Math.cos(wd * t) + ((damping * omega) / wd) * Math.sin(wd * t))
    const R = new Float64Array(9)
    const p = filled(3, (out) => framePose(data, frame, R, out))
    const turned = filled(3, (out) => rotationError(R, R0, out))
    for (let k = 0; k < 3; k++) {
      expect(Math.abs(turned[k] - start[0] * axis[k] * (1 - share))).toBeLessThan(1e-8)
      expect(Math.abs(p[k] - p0[k] - start[1 + k] * (1 - share))).toBeLessThan(1e-8)
    }
    const velocity = filled(6, (out) => frameVelocity(data, frame, out))
    expect(Math.hypot(...velocity)).toBeGreaterThan(1e-3) // it is still under way
  })
})

/** One step of the classic Runge-Kutta method; joints of one coordinate alone. */
function rungeKutta(loop: ReturnType<typeof loopOf>, h: number): void {
  const { state } = loop
  const q0 = state.q.slice()
  const v0 = state.v.slice()
  const t0 = state.t[0]
  const dq = new Float64Array(q0.length)
  const dv = new Float64Array(v0.length)
  for (const [ahead, weight, share] of [
    [0, 1, 0.5],
    [0.5, 2, 0.5],
    [0.5, 2, 1],
    [1, 1, 0],
  ]) {
    state.t[0] = t0 + ahead * h
    const a = loop.accelerate()
    for (let k = 0; k < v0.length; k++) {
      dq[k] += (weight / 6) * state.v[k]
      dv[k] += (weight / 6) * a[k]
    }
    const v = state.v.slice()
    for (let k = 0; k < v0.length; k++) {
      state.q[k] = q0[k] + share * h * v[k]
      state.v[k] = v0[k] + share * h * a[k]
    }
  }
  for (let k = 0; k < v0.length; k++) {
    state.q[k] = q0[k] + h * dq[k]
    state.v[k] = v0[k] + h * dv[k]
  }
  state.t[0] = t0 + h
}

test('a floating base and an unknown link are refused', () => {
  const [, robot] = arms[0]
  const { model } = robot
  const start = (given: Robot, link: string) => () =>
    operationalSpace({ link }).init({ robot: given, model, period: 1e-3, options: {} })
  expect(start(robot, 'hand')).toThrow(/no frame "hand".*link3/)
  expect(start({ ...robot, floating: true }, 'link5')).toThrow(/bolt it down with base: fixed/)
})
