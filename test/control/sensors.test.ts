import { describe, expect, test } from 'vitest'
import { type ContactModelName, contactModelNames } from '../../contact/index.ts'
import { type Controller, type ControllerState, createControllerLoop, type SensorOptions } from '../../control/index.ts'
import { log } from '../../control/policy/exponential.ts'
import { createFreeBody, loadRobot, type Robot } from '../../robots/index.ts'
import { World, type WorldRobot, type WorldSetup } from '../../simulation/index.ts'

type Seen = ControllerState<unknown>

/** Runs a robot whose controller only looks, and gives what it saw at each tick. */
function look<T>(
  robot: Robot,
  steps: number,
  what: (seen: Seen) => T,
  {
    sensors = {},
    seed,
    rate = 1000,
    efforts,
    ...world
  }: {
    sensors?: Record<string, SensorOptions>
    seed?: number
    rate?: number
    efforts?: number[]
    others?: WorldRobot[]
    q?: number[]
    v?: number[]
    contactModel?: ContactModelName
    integrator?: 'rk4'
    act?: (world: World) => void
  } & Pick<WorldSetup, 'fixtures' | 'pushes' | 'loops'> = {},
): T[] {
  const list: T[] = []
  const controller: Controller = {
    rate,
    init: () => ({}),
    update(seen) {
      list.push(what(seen as Seen))
      return efforts ?? new Float64Array(robot.joints.length)
    },
  }
  const loop = createControllerLoop(controller, robot, { sensors, seed })
  const { others = [], q, v, contactModel = 'ncp', act, ...setup } = world
  const sim = new World({ robots: [{ robot, controller: loop, q, v }, ...others], contactModel, dt: 1e-3, ...setup })
  act?.(sim)
  for (let k = 0; k < steps; k++) sim.step()
  return list
}

const urdf = (inner: string) => `<robot name="r">${inner}</robot>`
const inertial = (mass: number, z = 0) =>
  `<inertial><origin xyz="0 0 ${z}"/><mass value="${mass}"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>`
/** A box of 2 kg, 20 cm wide. */
const block = loadRobot(
  urdf(`<link name="base">${inertial(2)}<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>`),
  { file: 'block.urdf', base: 'floating' },
)
/** A bob of 3 kg on a rod of 0.5 m that hangs from a hinge about y. */
const pendulum = loadRobot(
  urdf(
    `<link name="world"/><link name="rod">${inertial(3, -0.5)}</link><joint name="hinge" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint>`,
  ),
  { file: 'pendulum.urdf' },
)
const lying = [0, 0, 0.1, 0, 0, 0, 1]

describe('an inertial unit', () => {
  const sensors = { imu: { type: 'imu', link: 'base' } } as const
  const force = (seen: Seen) => seen.sensors.imu.slice(7, 10)

  test('reads g upwards at rest, and nothing in free fall', () => {
    for (const at of look(block, 20, force, { sensors, q: lying })) expect([...at]).toEqual([0, 0, expect.closeTo(9.81, 3)])
    const falling = look(block, 20, force, { sensors, q: [0, 0, 2, 0, 0, 0, 1] })
    for (const at of falling.slice(1)) for (const x of at) expect(Math.abs(x)).toBeLessThan(1e-9)
  })

  test('that goes round on a pendulum reads the weight and the centripetal acceleration, in its own axes', () => {
    const bob = { type: 'imu', link: 'rod', position: [0, 0, -0.5] } as const
    const readings = look(pendulum, 3, (seen) => seen.sensors.bob.slice(), { sensors: { bob }, v: [4] })
    const [, , after] = readings
    // upwards in the rod's axes: g + omega² l, to the order of the step
    expect(after[9]).toBeCloseTo(9.81 + 16 * 0.5, 1)
    expect(after[5]).toBeCloseTo(4, 1)
  })
})

describe('an inertial unit on what turns', () => {
  /** A ball of 1 kg that spins about an axis aslant, without gravity. */
  const ball = (gravity: [number, number, number]) =>
    createFreeBody({ name: 'ball', mass: 1, shape: { type: 'sphere', radius: 0.1 }, gravity })
  const spin = [3, -4, 12].map((x) => (x * 20) / 13)

  test.each([1000, 200, 50, 20])('reads the steady centripetal acceleration in its own axes at %d Hz', (rate) => {
    const at = [0.4, 0.1, -0.2]
    const sensors = { imu: { type: 'imu', link: 'ball', position: at, rate } } as const
    const seen = look(ball([0, 0, 0]), 200, ({ sensors: { imu } }) => [...imu.slice(7, 10)], {
      sensors,
      v: [...spin, 2, 0, 1],
      fixtures: [],
    })
    // omega x (omega x r)
    const along = spin.reduce((sum, x, k) => sum + x * at[k], 0)
    const wanted = spin.map((x, k) => expect.closeTo(along * x - 400 * at[k], 8))
    for (const force of seen.slice(1000 / rate)) expect(force).toEqual(wanted)
  })

  test('reads the mean of gravity in its own axes at every rate where it turns in place', () => {
    const turner = loadRobot(
      urdf(
        `<link name="world"/><link name="wheel">${inertial(3)}</link><joint name="hinge" type="continuous"><parent link="world"/><child link="wheel"/><axis xyz="0 1 0"/></joint>`,
      ),
      { file: 'turner.urdf' },
    )
    for (const rate of [1000, 100, 20]) {
      const sensors = { imu: { type: 'imu', link: 'wheel', rate } } as const
      const seen = look(turner, 200, ({ t, sensors: { imu } }) => [t, imu[7], imu[9]], { sensors, v: [20] })
      const turned = (t: number) => 20 * t
      for (let k = 1000 / rate; k < 200; k += 1000 / rate) {
        const [t, x, z] = seen[k]
        const [from, to] = [turned(t - 1 / rate), turned(t)]
        expect(x).toBeCloseTo((9.81 * (Math.cos(from) - Math.cos(to))) / (from - to), 9)
        expect(z).toBeCloseTo((9.81 * (Math.sin(to) - Math.sin(from))) / (to - from), 9)
      }
    }
  })

  test('sees a force fixed in the world to (omega T)² / 12 of it', () => {
    const pushes = [{ impulse: [3, 0, 0], at: 0, duration: 1 }]
    const sensors = { imu: { type: 'imu', link: 'ball' } } as const
    const seen = look(ball([0, 0, 0]), 100, ({ t, sensors: { imu } }) => [t, imu[7], imu[8]], {
      sensors,
      v: [0, 0, 20, 0, 0, 0],
      fixtures: [],
      pushes,
    })
    for (const [t, x, y] of seen.slice(1)) {
      const [from, to] = [20 * (t - 1e-3), 20 * t]
      const mean = [(Math.sin(to) - Math.sin(from)) / 0.02, (Math.cos(to) - Math.cos(from)) / 0.02]
      expect(Math.hypot(x - 3 * mean[0], y - 3 * mean[1])).toBeLessThan((3.01 * 0.02 ** 2) / 12)
      expect(Math.hypot(x - 3 * mean[0], y - 3 * mean[1])).toBeGreaterThan((2.99 * 0.02 ** 2) / 12)
    }
  })

  test('and of another robot a pose, show orientations without a jump of sign', () => {
    const sensors = { imu: { type: 'imu', link: 'base' }, pose: { type: 'pose', of: 'ball' } } as const
    const read = ({ sensors: { imu, pose } }: Seen) => [...imu.slice(0, 4), ...pose.slice(3, 7)]
    const seen = look(block, 700, read, {
      sensors,
      fixtures: [],
      v: [7, 11, -5, 0, 0, 0],
      others: [{ robot: ball([0, 0, -9.81]), q: [5, 0, 0, 0, 0, 0, 1], v: [...spin, 0, 0, 0] }],
    })
    for (let n = 1; n < seen.length; n++)
      for (const from of [0, 4]) {
        let dot = 0
        for (let k = from; k < from + 4; k++) dot += seen[n][k] * seen[n - 1][k]
        expect(dot).toBeGreaterThan(0.99)
      }
  })
})

describe.each(contactModelNames)('a force-torque sensor under %s', (contactModel) => {
  const sensors = { ft: { type: 'force-torque', joint: 'hinge' } } as const
  const read = (seen: Seen) => [...seen.sensors.ft]
  const near = (values: number[], digits: number) => values.map((x) => expect.closeTo(x, digits))

  test('feels a push: less what pushes, its moment about the joint', () => {
    // level, held by the motor against its weight and the push's moment about y
    const pushes = [{ link: 'rod', point: [0, 0, -0.2], impulse: [0.05, 0.03, 0], at: 0, duration: 5e-3 }]
    const seen = look(pendulum, 6, read, { sensors, contactModel, pushes, efforts: [0.2 * 10] })
    for (const at of seen.slice(1, 6)) expect(at).toEqual(near([-0.2 * 6, 2, 0, -10, -6, 3 * 9.81], 6))
    expect(look(pendulum, 8, read, { sensors, contactModel, pushes })[7][4]).toBeCloseTo(0, 6)
  })

  test('feels a pull', () => {
    const act = (world: World) =>
      world.act({ type: 'pull', link: 'rod', point: [0, 0, -0.2], to: [0, 1, -0.2], stiffness: 6, damping: 0 })
    expect(look(pendulum, 2, read, { sensors, contactModel, act })[1]).toEqual(near([-0.2 * 6, 0, 0, 0, -6, 3 * 9.81], 6))
  })

  test('feels a loop that carries half of a beam, and one that carries a moment too', () => {
    const beam = loadRobot(
      urdf(
        `<link name="world"/><link name="beam">${inertial(3)}</link><joint name="hinge" type="continuous"><parent link="world"/><child link="beam"/><origin xyz="-0.5 0 1"/><axis xyz="0 1 0"/></joint>`.replace(
          inertial(3),
          inertial(3).replace('xyz="0 0 0"', 'xyz="0.5 0 0"'),
        ),
      ),
      { file: 'beam.urdf' },
    )
    for (const kind of ['point', 'hinge', 'weld'] as const) {
      const loops = [
        { kind, a: { link: 'beam', point: [1, 0, 0], ...(kind === 'hinge' && { axis: [0, 1, 0] }) }, b: { link: 'world' } },
      ]
      const last = look(beam, 300, read, { sensors, contactModel, loops, fixtures: [] }).at(-1) as number[]
      // the hinge gives no moment; a weld carries as much of the beam's as is stiff
      expect(last[1]).toBeCloseTo(0, 4)
      if (kind !== 'weld') expect(last[5]).toBeCloseTo(1.5 * 9.81, 2)
      expect(last[3]).toBeCloseTo(0, 2)
    }
  })
})

test('loads on a force-torque sensor are part of a checkpoint', () => {
  const loop = createControllerLoop(
    {
      rate: 1000,
      log: ['force'],
      init: () => 0,
      update({ sensors: { ft }, log }) {
        log.force = ft[3]
        return new Float64Array(1)
      },
    },
    pendulum,
    { sensors: { ft: { type: 'force-torque', joint: 'hinge' } } },
  )
  const pushes = [{ link: 'rod', impulse: [1, 0, 0], at: 0, duration: 0.1 }]
  const world = new World({ robot: pendulum, controller: loop, contactModel: 'ncp', dt: 1e-3, pushes })
  for (let k = 0; k < 3; k++) world.step()
  const checkpoint = world.checkpoint()
  world.step()
  const force = loop.log?.values[0]
  expect(force).toBeCloseTo(-10, 1)
  for (let k = 0; k < 150; k++) world.step()
  world.restore(checkpoint)
  world.step()
  expect(loop.log?.values[0]).toBe(force)
})

test('a force-torque sensor at a hinge reads what hangs on it: its weight, and at speed the centripetal force', () => {
  const sensors = { hinge: { type: 'force-torque', joint: 'hinge' } } as const
  const read = (seen: Seen) => seen.sensors.hinge.slice()
  const [, still] = look(pendulum, 2, read, { sensors })
  expect([...still]).toEqual([0, 0, 0, 0, 0, expect.closeTo(3 * 9.81, 9)].map((x) => (x === 0 ? expect.closeTo(0, 9) : x)))
  const moving = look(pendulum, 3, read, { sensors, v: [4] })[2]
  expect(moving[5]).toBeCloseTo(3 * (9.81 + 16 * 0.5), 0)
  // held out level by an effort: the lever's moment is the motor's, about the hinge
  const held = look(pendulum, 2, read, { sensors, q: [-Math.PI / 2], efforts: [-3 * 9.81 * 0.5] })[1]
  expect(Math.abs(held[1])).toBeCloseTo(3 * 9.81 * 0.5, 6)
})

test('a force-torque sensor does not count what the ground carries', () => {
  const presser = loadRobot(
    urdf(
      `<link name="world"/><link name="foot">${inertial(3)}<collision><geometry><sphere radius="0.1"/></geometry></collision></link><joint name="slide" type="prismatic"><parent link="world"/><child link="foot"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="100" velocity="10"/></joint>`,
    ),
    { file: 'presser.urdf' },
  )
  const sensors = { slide: { type: 'force-torque', joint: 'slide' } } as const
  for (const effort of [0, -10]) {
    const read = ({ sensors: { slide }, contacts }: Seen) => [...slide, contacts.force('foot', new Float64Array(6))[5]]
    const last = look(presser, 20, read, { sensors, q: [0.1], efforts: [effort] })[19]
    expect(last[5]).toBeCloseTo(effort, 2)
    expect(last[6]).toBeCloseTo(3 * 9.81 - effort, 2)
  }
})

test('rays end at boxes, spheres, the ground and other robots, and pass the robot itself', () => {
  const ball = createFreeBody({ name: 'ball', mass: 1, shape: { type: 'sphere', radius: 0.25 } })
  const directions = [1, 0, 0, 0, 1, 0, 0, 0, -1, 0.8, 0, -0.6]
  const sensors = { rays: { type: 'rays', link: 'base', directions, range: 5 } } as const
  const [first] = look(block, 1, (seen) => [...seen.sensors.rays], {
    sensors,
    q: [0, 0, 0.6, 0, 0, 0, 1],
    others: [{ robot: ball, q: [2, 0, 0.6, 0, 0, 0, 1] }],
  })
  expect(first[0]).toBeCloseTo(1.75, 8)
  expect(first[1]).toBe(5)
  expect(first[2]).toBeCloseTo(0.6, 8)
  expect(first[3]).toBeCloseTo(1, 8)
  // down onto the ground there is no rounding but that of the height
  const along = [0.6, 0, -0.8]
  const [ground] = look(block, 1, (seen) => [...seen.sensors.rays], {
    sensors: { rays: { type: 'rays', link: 'base', directions: [...along, 0, 0, 1, 1, 0, -1e-6], range: 5 } },
    q: [0, 0, 0.6, 0, 0, 0, 1],
  })
  expect(ground).toEqual([expect.closeTo(0.75, 15), 5, 5])
})

test('the logarithm of our own is that of the language to the last bits', () => {
  const x = new Float64Array(1)
  for (let k = -60; k <= 60; k++) {
    const value = 1.37 ** k * (1 + 1e-3 * k)
    x[0] = value
    log(x, 0)
    expect(Math.abs(x[0] - Math.log(value))).toBeLessThanOrEqual(4e-16 * Math.max(1, Math.abs(x[0])))
  }
  for (const value of [0, 1, Infinity, -1, 5e-324]) {
    x[0] = value
    log(x, 0)
    expect(x[0]).toBe(Math.log(value))
  }
})

describe('errors of sensors', () => {
  const encoder = (more: object) => ({ angle: { type: 'encoder', joint: 'hinge', ...more } as SensorOptions })
  const angles = (sensors: Record<string, SensorOptions>, seed?: number, steps = 400) =>
    look(pendulum, steps, (seen) => [seen.sensors.angle[0], seen.q[0]] as const, { sensors, seed, v: [1] })

  test('noise has the stated deviation and no mean, is the same for a seed, and another for another', () => {
    const errors = angles(encoder({ noise: { position: 0.01 } }), 5, 4000).map(([seen, truth]) => seen - truth)
    const mean = errors.reduce((a, b) => a + b, 0) / errors.length
    const deviation = Math.sqrt(errors.reduce((sum, x) => sum + x * x, 0) / errors.length)
    expect(Math.abs(mean)).toBeLessThan(0.01 * (4 / Math.sqrt(4000)))
    expect(Math.abs(deviation / 0.01 - 1)).toBeLessThan(4 / Math.sqrt(2 * 4000))
    // normal: 68.27 % within one deviation, 4.55 % beyond two, 0.27 % beyond three, each to four deviations of its count
    for (const [bound, share] of [
      [1, 0.3173],
      [2, 0.0455],
      [3, 0.0027],
    ]) {
      const beyond = errors.filter((error) => Math.abs(error) > 0.01 * bound).length
      expect(Math.abs(beyond - 4000 * share)).toBeLessThan(4 * Math.sqrt(4000 * share))
    }
    expect(angles(encoder({ noise: 0.01 }), 5)).toEqual(angles(encoder({ noise: 0.01 }), 5))
    expect(angles(encoder({ noise: 0.01 }), 5)).not.toEqual(angles(encoder({ noise: 0.01 }), 6))
  })

  test('a resolution makes readings whole multiples of it, next to the truth; a bias is added', () => {
    for (const [seen, truth] of angles(encoder({ resolution: { position: 0.02 } }))) {
      expect(Math.abs(seen / 0.02 - Math.round(seen / 0.02))).toBeLessThan(1e-9)
      expect(Math.abs(seen - truth)).toBeLessThanOrEqual(0.01 + 1e-12)
    }
    for (const [seen, truth] of angles(encoder({ bias: { position: 0.1 } }))) expect(seen - truth).toBeCloseTo(0.1, 12)
  })

  test('a rate holds readings between samples, and a delay shows what was', () => {
    const readings = angles(encoder({ rate: 100, delay: 0.02 }))
    for (let k = 40; k < readings.length; k++) {
      const sample = Math.floor(k / 10) * 10
      expect(readings[k][0]).toBe(readings[sample - 20][1])
    }
  })

  test('what is not there is named', () => {
    const start = (sensors: Record<string, unknown>) => () => look(pendulum, 1, () => 0, { sensors: sensors as never })
    expect(start({ a: { type: 'encoder', joint: 'knee' } })).toThrow(/sensor "a".*no moving joint "knee"; it has hinge/)
    expect(start({ a: { type: 'imu', link: 'hand' } })).toThrow(/sensor "a".*no frame "hand"/)
    expect(start({ a: { type: 'encoder', joint: 'hinge', noise: { angle: 1 } } })).toThrow(
      /noise names "angle"; the sensor has position, velocity/,
    )
  })

  test('a delay that would hold more samples than a checkpoint should is refused by name, those of all sensors together', () => {
    const late = (delay: number): SensorOptions => ({ type: 'encoder', joint: 'hinge', delay })
    const start = (sensors: Record<string, SensorOptions>) => () => look(pendulum, 1, () => 0, { sensors })
    expect(start({ a: late(50_000) })).toThrow(
      /sensor "a": a delay of 50000 s holds 50000001 samples of 2 numbers; all sensors of a robot hold at most 1000000/,
    )
    expect(start({ a: late(300), b: late(300) })).toThrow(/sensor "b": a delay of 300 s/)
    expect(start({ a: late(200), b: late(200) })).not.toThrow()
  })
})

test('after a checkpoint sensors go on as they would have', () => {
  const robot = pendulum
  const shown: number[] = []
  const sensors = {
    angle: { type: 'encoder', joint: 'hinge', noise: 0.01, rate: 200, delay: 0.015 },
    imu: { type: 'imu', link: 'rod' },
  } as const
  const controller: Controller = {
    rate: 1000,
    log: ['angle'],
    init: () => ({}),
    update({ sensors: { angle, imu }, log }) {
      shown.push(angle[0], ...imu)
      log.angle = angle[0]
      return [angle[0]]
    },
  }
  const loop = createControllerLoop(controller, robot, { sensors })
  const world = new World({ robot, controller: loop, contactModel: 'ncp', dt: 1e-3, v: [2] })
  const run = (steps: number) => {
    shown.length = 0
    for (let k = 0; k < steps; k++) world.step()
    return [...shown, loop.log?.values[0]]
  }
  run(37)
  const checkpoint = structuredClone(world.checkpoint())
  const first = run(50)
  world.restore(checkpoint)
  expect(loop.log?.values[0]).not.toBeNaN()
  expect(run(50)).toEqual(first)
})

describe('contacts by name', () => {
  const brick = createFreeBody({ name: 'brick', mass: 1, shape: { type: 'box', size: [0.2, 0.2, 0.1] } })

  test('say who pushes with what, and where its centre is', () => {
    const others = [{ robot: brick, q: [0.05, 0, 0.25, 0, 0, 0, 1] }]
    const all = look(
      block,
      5,
      ({ contacts }) => ({
        all: [...contacts.force('base', new Float64Array(6))],
        ground: [...contacts.force('base', new Float64Array(6), 'ground')],
        brick: [...contacts.force('base', new Float64Array(6), 'brick')],
        touches: [contacts.touches('base', 'ground'), contacts.touches('base', 'brick')],
      }),
      { q: lying, others },
    )
    const { ground, brick: load, touches, all: sum } = all[4]
    expect(touches).toEqual([true, true])
    expect(ground[5]).toBeCloseTo(3 * 9.81, 3)
    expect(load[5]).toBeCloseTo(-9.81, 3)
    // the brick's weight is 5 cm before the middle
    expect(load[1]).toBeCloseTo(9.81 * 0.05, 4)
    for (let k = 0; k < 6; k++) expect(sum[k]).toBeCloseTo(ground[k] + load[k], 9)
  })

  test('the centre of pressure lies under the common centre of mass', () => {
    const others = [{ robot: brick, q: [0.05, 0, 0.25, 0, 0, 0, 1] }]
    const out = new Float64Array(3)
    const centers = look(block, 5, ({ contacts }) => [contacts.centerOfPressure('base', out, 0, 'ground'), ...out], {
      q: lying,
      others,
    })
    expect(centers[0][0]).toBe(false) // nothing has pushed yet
    expect(centers[4][0]).toBe(true)
    expect(centers[4][1]).toBeCloseTo((1 * 0.05) / 3, 6)
    expect(centers[4][2]).toBeCloseTo(0, 6)
  })

  test('names that are not there are named', () => {
    const ask = (what: (seen: Seen) => unknown) => () => look(block, 1, what, { q: lying })
    expect(ask(({ contacts }) => contacts.touches('foot'))).toThrow(/no frame "foot"/)
    expect(ask(({ contacts }) => contacts.touches('base', 'wall'))).toThrow(
      /there is no "wall" that could touch; there are ground, r/,
    )
    expect(ask((seen) => seen.joint('knee'))).toThrow(/no moving joint "knee"/)
  })
})

test('a joint by name has its position, velocity, limits, and the effort that acted', () => {
  const seen = look(
    pendulum,
    3,
    (state) => {
      const { position, velocity, effort, upper } = state.joint('hinge')
      return [position - state.q[0], velocity - state.v[0], effort, upper]
    },
    { efforts: [0.25], v: [1] },
  )
  expect(seen[0]).toEqual([0, 0, 0, Infinity])
  expect(seen[2]).toEqual([0, 0, 0.25, Infinity])
})

test('a channel that is written something else than a number is an error', () => {
  const controller: Controller = {
    log: ['height'],
    init: () => ({}),
    update({ log }) {
      ;(log as Record<string, unknown>).height = 'tall'
      return [0]
    },
  }
  const loop = createControllerLoop(controller, pendulum)
  const world = new World({ robot: pendulum, controller: loop, contactModel: 'ncp', dt: 1e-3 })
  expect(() => world.step()).toThrow('log.height is string tall; it must be a number')
})

test('a channel that was not declared is an error', () => {
  const controller: Controller = {
    log: ['known'],
    init: () => ({}),
    update({ log }) {
      log.unknown = 1
      return [0]
    },
  }
  const loop = createControllerLoop(controller, pendulum)
  const world = new World({ robot: pendulum, controller: loop, contactModel: 'ncp', dt: 1e-3 })
  expect(() => world.step()).toThrow(/there is no channel "unknown"; name it in the controller's log/)
})
