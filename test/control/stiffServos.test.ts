import { describe, expect, test } from 'vitest'
import { contactModelNames, type Integrator } from '../../contact/index.ts'
import { type ActuatorOptions, actuated, createControllerLoop, withRotors } from '../../control/index.ts'
import { loadRobot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

/* Servos of light joints: a step longer than their own time takes them at its end, where they are as well damped as in nature. */

const robotOf = (effort: number, chain = false) => {
  const link = (name: string) =>
    `<link name="${name}"><inertial><origin xyz="0.05 0 0"/><mass value="0.1"/><inertia ixx="1e-5" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>`
  const joint = (name: string, parent: string, at: string) =>
    `<joint name="${name}" type="revolute"><parent link="${parent}"/><child link="${name}_link"/><origin xyz="${at}"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="${effort}" velocity="20"/></joint>`
  const more = chain ? link('k_link') + joint('k', 'j_link', '0.1 0 0') : ''
  return loadRobot(`<robot name="r"><link name="world"/>${link('j_link')}${joint('j', 'world', '0 0 0')}${more}</robot>`, {
    file: 'r.urdf',
  })
}
/** Inertia and weight's moment at the joint, level. */
const inertia = 1e-4 + 0.1 * 0.05 ** 2
const moment = 0.1 * 9.81 * 0.05

function worldOf(
  options: Omit<ActuatorOptions, 'joints'>,
  {
    command = 0.5,
    effort = 3,
    dt = 5e-3,
    contactModel = 'ncp',
    integrator = 'semi-implicit-euler',
    chain = false,
  }: {
    command?: number
    effort?: number
    dt?: number
    contactModel?: string
    integrator?: Integrator
    chain?: boolean
  } = {},
): World {
  const actuators = [{ joints: ['*'], ...options }]
  const robot = withRotors(robotOf(effort, chain), actuators)
  const loop = createControllerLoop({ rate: 50, init: () => ({}), update: () => robot.joints.map(() => command) }, robot)
  return new World({ robot, contactModel, integrator, dt, fixtures: [], controller: actuated(loop, robot, actuators) } as never)
}

/** Largest speed over the last fifth of a run. */
function unrest(world: World, duration: number): number {
  let most = 0
  while (world.state.t[0] < duration) {
    world.step()
    if (world.state.t[0] > 0.8 * duration) most = Math.max(most, ...world.state.v.map(Math.abs))
  }
  return most
}

describe.each(contactModelNames)('%s', (contactModel) => {
  test.each([1e-3, 2e-3, 5e-3, 2e-2])(
    'a position servo of kp 20, kd 0.5 settles where its weight lets it, at a step of %f s',
    (dt) => {
      const world = worldOf({ interface: 'position', kp: 20, kd: 0.5 }, { dt, contactModel })
      expect(unrest(world, 1)).toBeLessThan(1e-6)
      const [q] = world.state.q
      expect(20 * (0.5 - q)).toBeCloseTo(-moment * Math.cos(q), 6) // the weight turns it on
      expect(world.tau[0]).toBeCloseTo(-moment * Math.cos(q), 6)
    },
  )

  test('a velocity servo of 100 times its damping keeps its speed', () => {
    const world = worldOf({ interface: 'velocity', kd: 5 }, { command: 1, contactModel })
    for (let n = 0; n < 20; n++) world.step()
    expect(world.state.v[0]).toBeCloseTo(1 + (moment * Math.cos(world.state.q[0])) / 5, 3)
  })

  test('effort stays within the limit, by which a servo that is far off accelerates', () => {
    const world = worldOf({ interface: 'position', kp: 200, kd: 1 }, { effort: 0.06, command: -1.5, contactModel, dt: 5e-3 })
    for (let n = 0; n < 10; n++) {
      world.step()
      expect(Math.abs(world.tau[0])).toBeLessThanOrEqual(0.06)
    }
    const effective = (-world.state.v[0] / world.state.t[0]) * inertia
    expect(effective).toBeGreaterThan(0.06 - moment)
    expect(unrest(world, 3)).toBeLessThan(1e-6)
  })

  test('servos of a chain settle together', () => {
    expect(unrest(worldOf({ interface: 'position', kp: 20, kd: 0.5 }, { contactModel, chain: true, dt: 5e-3 }), 2)).toBeLessThan(
      1e-6,
    )
  })
})

test('a step response tends to that of the overdamped oscillator with order 1', () => {
  const [kp, kd] = [20, 0.5]
  const error = (dt: number) => {
    const world = worldOf({ interface: 'position', kp, kd }, { dt, effort: 1e3 })
    world.model.gravity.fill(0)
    while (world.state.t[0] < 0.0399) world.step()
    const [a, b] = [1, -1].map((s) => (-kd + s * Math.sqrt(kd * kd - 4 * kp * inertia)) / (2 * inertia))
    const t = world.state.t[0]
    return world.state.q[0] - 0.5 * (1 + (b * Math.exp(a * t) - a * Math.exp(b * t)) / (a - b))
  }
  const errors = [4e-3, 2e-3, 1e-3].map(error)
  expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(0.8)
  expect(Math.log2(errors[1] / errors[2])).toBeGreaterThan(0.8)
  expect(Math.abs(errors[2])).toBeLessThan(5e-3)
})

test('the work of a stiff servo and of its weight is the kinetic energy that the joint has, less what its steps lose', () => {
  const world = worldOf({ interface: 'position', kp: 20, kd: 0.5 }, { dt: 2e-3 })
  let work = 0
  for (let n = 0; n < 200; n++) {
    const before = world.state.q[0]
    world.step()
    work += (world.tau[0] + moment * Math.cos(before)) * (world.state.q[0] - before)
    const kinetic = 0.5 * inertia * world.state.v[0] ** 2
    expect(kinetic).toBeLessThan(work + 1e-9)
  }
})

test('a servo that the step resolves acts from its start, as ever; so does one with a lag, a torque-speed line or under RK4', () => {
  const [kp, kd] = [20, 0.5]
  const first = (more: object, dt: number, integrator?: Integrator) => {
    const world = worldOf({ interface: 'position', kp, kd, ...more }, { dt, integrator, contactModel: 'penalty' })
    world.step()
    return world.tau[0]
  }
  expect(first({}, 2e-4)).toBe(3) // 20 times 0.5 is beyond its limit of 3
  expect(first({}, 5e-3)).toBeLessThan(3)
  expect(first({ noLoadSpeed: 100 }, 5e-3)).toBe(3)
  expect(first({}, 5e-3, 'rk4')).toBe(3)
})

test('a run with stiff servos goes on from a checkpoint with the same bits', () => {
  const world = worldOf({ interface: 'position', kp: 20, kd: 0.5 })
  for (let n = 0; n < 11; n++) world.step()
  const saved = world.checkpoint()
  for (let n = 0; n < 20; n++) world.step()
  const hash = world.hash()
  world.restore(saved)
  for (let n = 0; n < 20; n++) world.step()
  expect(world.hash()).toBe(hash)
})
