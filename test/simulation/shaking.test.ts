import { describe, expect, test } from 'vitest'
import type { Integrator } from '../../contact/index.ts'
import { actuated, type Controller, createControllerLoop } from '../../control/index.ts'
import { loadRobot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

/* A servo that is too stiff for its tick swings from side to side for ever: told, with the largest stable tick. */

const robotOf = ({ type = 'revolute', chain = false } = {}) => {
  const link = (name: string) =>
    `<link name="${name}"><inertial><origin xyz="0.05 0 0"/><mass value="0.1"/><inertia ixx="1e-5" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>`
  const joint = (name: string, parent: string, at: string) =>
    `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${name}_link"/><origin xyz="${at}"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="3" velocity="20"/></joint>`
  const more = chain ? link('k_link') + joint('k', 'j_link', '0.1 0 0') : ''
  return loadRobot(`<robot name="r"><link name="world"/>${link('j_link')}${joint('j', 'world', '0 0 0')}${more}</robot>`, {
    file: 'r.urdf',
  })
}
const inertia = 1e-4 + 0.1 * 0.05 ** 2

type Law = (state: { q: Float64Array; v: Float64Array; t: number }) => number[]
const servo =
  (kp: number, kd: number, limit = Infinity): Law =>
  ({ q, v, t }) =>
    Array.from(q, (angle, j) => Math.max(-limit, Math.min(limit, kp * ((t < 0.1 ? 0 : 0.3) - angle) - kd * v[j])))

function worldOf(
  law: Law,
  {
    dt = 5e-3,
    rate = 1 / dt,
    contactModel = 'ncp',
    gravity = 9.81,
    ...how
  }: { dt?: number; rate?: number; contactModel?: string; type?: string; chain?: boolean; gravity?: number } = {},
): World {
  const robot = robotOf(how)
  const controller = createControllerLoop({ rate, init: () => ({}), update: law } as Controller, robot)
  const world = new World({ robot, contactModel, dt, fixtures: [], controller } as never)
  world.model.gravity.fill(0)
  world.model.gravity[5] = -gravity
  return world
}

function told(world: World, duration = 0.6): string {
  while (world.state.t[0] < duration) world.step()
  return world.events.firstShaking
}

/** [s] */
const largest = (text: string) => 1e-3 * Number(/stable up to a tick of (\S+) ms/.exec(text)?.[1])

describe.each(['ncp', 'mujoco', 'penalty', 'convex'])('%s', (contactModel) => {
  test('kp 20 and kd 0.5 shake a light joint at 2 and 5 ms, not at 1 ms, nor at the tick that is told', () => {
    expect(told(worldOf(servo(20, 0.5), { contactModel, dt: 1e-3 }))).toBe('')
    // T (2 kd + T kp) = 4 I
    const bound = (-1 + Math.sqrt(1 + 4 * 20 * 4 * inertia)) / 40
    for (const dt of [2e-3, 5e-3]) {
      const text = told(worldOf(servo(20, 0.5), { contactModel, dt }))
      expect(text).toMatch(/^joint "j" of "r" shakes: from t = 0\.\d+ s .* at each tick of [25] ms, by ±3 N m/)
      expect(largest(text)).toBeGreaterThan(0.9 * bound)
      expect(largest(text)).toBeLessThan(bound)
      expect(told(worldOf(servo(20, 0.5), { contactModel, dt: 0.98 * largest(text) }))).toBe('')
    }
  })
})

test('a damper is stable up to a tick of 2 I / c, of several steps too', () => {
  const damper: Law = ({ v, t }) => [(t < 0.1 ? 0.01 : 0) - 0.3 * v[0]]
  const bound = (2 * inertia) / 0.3
  for (const dt of [1e-3, 2.5e-3, 5e-3])
    expect(largest(told(worldOf(damper, { dt, rate: 200, gravity: 0 }))) / bound).toBeCloseTo(1, 2)
  expect(told(worldOf(damper, { dt: 0.97 * bound, gravity: 0 }))).toBe('') // swings too, and dies out
  expect(told(worldOf(damper, { dt: 1.1 * bound, gravity: 0 }), 2)).not.toBe('')
})

test('a sliding joint has kilograms and newtons', () => {
  const text = told(worldOf(servo(5, 100), { type: 'prismatic', dt: 5e-3 }))
  expect(text).toMatch(/±3 N, .*100 N per m\/s on 0\.1 kg are stable up to a tick of 2 ms/)
})

test('joints of a chain shake each other at a tick at which the same servo on one alone is stable', () => {
  const text = told(worldOf(servo(5, 0.3), { chain: true, dt: 2e-3 }))
  expect(text).toMatch(/^joint "[jk]" of "r" shakes/)
  expect(told(worldOf(servo(5, 0.3), { dt: 2e-3 }))).toBe('')
})

test('a law that limits itself hides its slope', () => {
  expect(told(worldOf(servo(20, 0.5, 2), { dt: 5e-3 }))).toMatch(/stable at shorter ticks only, how short is not seen/)
})

test('servos of actuators are told under RK4, where they are explicit', () => {
  const robot = robotOf()
  const of = (integrator: Integrator) => {
    const loop = createControllerLoop({ rate: 50, init: () => ({}), update: () => [0.5] }, robot)
    const controller = actuated(loop, robot, [{ joints: ['j'], interface: 'position', kp: 20, kd: 0.5 }])
    return new World({ robot, contactModel: 'ncp', integrator, dt: 5e-3, fixtures: [], controller } as never)
  }
  expect(told(of('rk4'))).toMatch(/shakes/)
  expect(told(of('semi-implicit-euler'))).toBe('')
})

test('what turns round at each tick otherwise is not told: noise, a servo against its stop', () => {
  let seed = 1
  const noise = () => {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647 - 0.5
  }
  const noisy: Law = ({ q, v }) => [2 * (0.3 - q[0]) - 0.02 * (v[0] + 5 * noise())]
  expect(told(worldOf(noisy, { dt: 1e-3 }), 4)).toBe('')
  const stopped: Law = ({ q, v }) => [2 * (3 - q[0]) - 0.05 * v[0]]
  expect(told(worldOf(stopped, { dt: 2e-3 }), 2)).toBe('')
})

test('a checkpoint keeps what was told', () => {
  const world = worldOf(servo(20, 0.5))
  const text = told(world)
  const other = worldOf(servo(20, 0.5))
  other.restore(world.checkpoint())
  expect(other.events.firstShaking).toBe(text)
  expect(text).not.toBe('')
})
