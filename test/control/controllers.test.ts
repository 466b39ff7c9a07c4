import { describe, expect, test } from 'vitest'
import {
  arc,
  type Controller,
  ControllerError,
  computedTorque,
  createControllerLoop,
  defaultControllerFor,
  driveAndWave,
  driveWheels,
  figureEight,
  hold,
  jointInertia,
  PATH_SIZE,
  unicycle,
  wave,
} from '../../control/index.ts'
import { crba, createState } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import type { Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { dailyModels } from '../dailyModels.ts'
import { dataAt, filled, stateOf } from '../dynamics/at.ts'
import { arm, box, pendulum, run } from '../simulation/robots.ts'

const names = dailyModels
const diffdrive = loadOwnRobot('diffdrive')
const humanoid = loadOwnRobot('humanoid')

function worldOf(
  robot: Robot,
  controller: Controller<never> | Controller,
  options: { dt?: number; contactModel?: (typeof names)[number]; q?: number[] } = {},
): World {
  const loop = createControllerLoop(controller as Controller, robot)
  return new World({ robot, contactModel: names[0], dt: 1e-3, controller: loop, ...options })
}

/** At home, but with every joint off by this. */
const off = (robot: Robot, by: number) => ({ q: [...robot.home].map((x) => x + by) })

describe('the loop', () => {
  test.each([
    [1000, 1e-3, 1],
    [500, 1e-3, 2],
    [300, 1e-3, 3],
    [500, 1e-2, 1],
    [60, 1e-4, 167],
  ])('%d Hz at a step of %d s ticks every %d steps', (rate, dt, everySteps) => {
    const robot = pendulum()
    let ticks = 0
    const periods = new Set<number>()
    const counting: Controller = { rate, init: () => null, update: (_, period) => [++ticks && periods.add(period) ? 0 : 0] }
    const world = worldOf(robot, counting, { dt })
    expect(world.robots[0].controller?.everySteps).toBe(everySteps)
    run(world, 5 * everySteps)
    expect(ticks).toBe(5)
    expect([...periods]).toEqual([everySteps * dt])
  })

  test('efforts hold between ticks', () => {
    const robot = pendulum()
    const steps: number[] = []
    const ramp: Controller = { rate: 250, init: () => null, update: ({ t }) => [t] }
    const world = worldOf(robot, ramp)
    for (let i = 0; i < 8; i++) {
      world.step()
      steps.push(world.tau[0])
    }
    expect(steps).toEqual([0, 0, 0, 0, 0.004, 0.004, 0.004, 0.004])
  })

  const failing = (message: string) => () => {
    throw new Error(message)
  }
  test.each<[string, Controller, RegExp]>([
    ['throws', { init: () => null, update: failing('out of ideas') }, /update threw at t = .*out of ideas/],
    [
      'answers too few',
      { init: () => null, update: () => [1] },
      /returned 1 entries.*one effort for each of the 6 moving joints of "arm"/,
    ],
    ['answers too many', { init: () => null, update: () => new Float64Array(7) }, /returned 7 entries/],
    ['answers nothing', { init: () => null, update: () => undefined as never }, /returned undefined/],
    ['answers later', { init: () => null, update: (async () => []) as never }, /promise \(update must not be async\)/],
    [
      'answers NaN',
      { init: () => null, update: () => [0, 0, NaN, 0, 0, 0] },
      /returned NaN in entry 2, the effort of joint "joint2", at t = 0/,
    ],
    [
      'answers infinity',
      { init: () => null, update: () => Float64Array.of(0, 0, 0, 0, 0, -Infinity) },
      /returned -Infinity in entry 5/,
    ],
    ['answers text', { init: () => null, update: () => ['1', 0, 0, 0, 0, 0] as never }, /returned string 1 in entry 0/],
    ['has an init that throws', { init: failing('no'), update: () => [] }, /init threw: no/],
  ])('a controller that %s ends its own run with its name', (_, controller, message) => {
    const robot = arm()
    const other = worldOf(robot, hold())
    let error: unknown
    try {
      const loop = createControllerLoop(controller, robot, { name: 'mine.ts' })
      run(new World({ robot, contactModel: names[0], dt: 1e-3, controller: loop }), 1)
    } catch (caught) {
      error = caught
    }
    expect(error).toBeInstanceOf(ControllerError)
    expect((error as Error).message).toMatch(message)
    expect((error as Error).message).toContain('"mine.ts"')
    run(other, 10)
    expect(other.failure).toBeUndefined()
  })

  test('what a controller writes into its arrays does not reach the simulation', () => {
    const robot = box()
    const vandal: Controller = {
      init: () => null,
      update: ({ q, v, data, state }) => {
        q.fill(7)
        v.fill(7)
        state.t.fill(7)
        for (const X of data.X) X.fill(7)
        return [0]
      },
    }
    const idle: Controller = { init: () => null, update: () => [0] }
    expect(run(worldOf(robot, vandal), 100).hash()).toBe(run(worldOf(robot, idle), 100).hash())
  })

  test.each(['quadruped', 'humanoid'] as const)(
    'nothing that a controller of the %s is handed reaches the simulation, or another loop',
    async (name) => {
      const robot = await loadOwnRobot(name)
      const before = structuredClone(robot)
      const options = { list: [1], gains: { k: Float64Array.of(1) }, of: (t: number) => t }
      const reached = new Set<unknown>()
      /** Writes to all arrays of numbers, empties all lists and takes every field away, but for these. */
      const spoil = (value: unknown, ...but: unknown[]): void => {
        if (typeof value !== 'object' || value === null || reached.has(value) || but.includes(value)) return
        reached.add(value)
        if (ArrayBuffer.isView(value)) {
          ;(value as Float64Array).fill(77)
          return
        }
        for (const key of Object.keys(value)) {
          spoil((value as Record<string, unknown>)[key], ...but)
          try {
            ;(value as Record<string, unknown>)[key] = undefined
          } catch {}
        }
        if (Array.isArray(value)) value.length = 0
      }
      const efforts = Float64Array.from(robot.joints, (_, j) => 0.1 * (j + 1))
      const calm: Controller = { init: () => ({}), update: () => efforts }
      const vandal: Controller = {
        init(setup) {
          spoil(setup)
          return {}
        },
        update(state) {
          const { memory, data } = state
          // the first time and later: what is refreshed is taken away again
          reached.clear()
          spoil(state, memory)
          spoil(data)
          return efforts
        },
        metrics(state) {
          reached.clear()
          spoil(state)
          return {}
        },
      }
      const ended = (controller: Controller) => {
        const loop = createControllerLoop(controller, robot, { options })
        const world = run(new World({ robot, contactModel: names[0], dt: 1e-3, controller: loop }), 60)
        loop.metrics()
        return world.hash()
      }
      const expected = ended(calm)
      expect(ended(vandal)).toBe(expected)
      expect(ended(calm)).toBe(expected)
      expect(robot).toEqual(before)
      expect(options).toEqual({ list: [1], gains: { k: Float64Array.of(1) }, of: options.of })
    },
  )

  test('what cannot be read, and what a controller gives away, is its error', () => {
    const fails = (update: Controller['update']) => () => run(worldOf(pendulum(), { init: () => ({}), update }), 5)
    const lying = new Proxy([0], { get: () => { throw new Error('mine') } }) // biome-ignore format: one line
    expect(fails(() => lying)).toThrow(/update threw at t = 0\.00000 s: mine/)
    expect(fails(() => Object.create(Float64Array.prototype))).toThrow(ControllerError)
    const giving: Controller['update'] = ({ q }) => {
      structuredClone(q, { transfer: [q.buffer as ArrayBuffer] })
      return [0]
    }
    expect(fails(giving)).toThrow(/gave away \(transferred\) an array that it was handed; pass on a copy/)
    const mute = Object.defineProperty(new Error(), 'message', { get: () => { throw new Error('no') } }) // biome-ignore format: one line
    const throwing: Controller['update'] = () => {
      throw mute
    }
    expect(fails(throwing)).toThrow(/update threw .*: something that cannot be shown/)
  })

  test('the heartbeat says which step the controller is in, and that it left', () => {
    const robot = pendulum()
    const heartbeat = new Int32Array(new SharedArrayBuffer(4))
    const seen: number[] = []
    const watched: Controller = {
      rate: 500,
      init: () => seen.push(heartbeat[0]),
      update: () => {
        seen.push(heartbeat[0])
        return [0]
      },
    }
    const loop = createControllerLoop(watched, robot, { heartbeat })
    const world = new World({ robot, contactModel: names[0], dt: 1e-3, controller: loop })
    for (let i = 0; i < 5; i++) {
      world.step()
      expect(heartbeat[0]).toBe(0)
    }
    expect(seen).toEqual([-1, 1, 3, 5])
  })

  test('views of one buffer are views of one buffer again', () => {
    const counting: Controller<Record<'all' | 'same', Float64Array>> = {
      init: () => {
        const all = new Float64Array(1)
        return { all, same: new Float64Array(all.buffer) }
      },
      update: ({ memory: { all, same } }) => {
        all[0]++
        return [same[0]]
      },
    }
    const world = worldOf(pendulum(), counting as Controller)
    world.restore(world.checkpoint())
    run(world, 1)
    expect(world.tau[0]).toBe(1)
  })

  test('memory that cannot be cloned is an error that says what can', () => {
    const world = worldOf(pendulum(), { init: () => ({ f: () => 1 }), update: () => [0] })
    expect(() => world.checkpoint()).toThrow(/cannot be saved.*typed arrays and plain objects/)
  })

  test("metrics are the controller's own", () => {
    const robot = pendulum()
    const loop = createControllerLoop(
      {
        init: () => ({ n: 0 }),
        update: ({ memory }) => [0 * (memory as { n: number }).n++],
        metrics: ({ memory }) => ({ n: (memory as { n: number }).n }),
      },
      robot,
    )
    run(new World({ robot, contactModel: names[0], dt: 1e-3, controller: loop }), 10)
    expect(loop.metrics()).toEqual({ n: 5 })
  })

  test('what no controller may be is an error that names it', () => {
    const started = (controller: object) =>
      worldOf(pendulum(), { init: () => ({}), update: () => [0], ...controller } as Controller)
    expect(() => started({ rate: '500' })).toThrow(/rate is "500"; expected a positive number/)
    expect(() => started({ rate: Infinity })).toThrow(/expected a positive number/)
    expect(() => started({ init: async () => ({}) })).toThrow(/init returned a promise; return the memory itself/)
    const robot = pendulum()
    const loop = createControllerLoop({ init: () => ({}), update: () => [0], metrics: () => ({ f: () => 1 }) as never }, robot)
    run(new World({ robot, contactModel: names[0], dt: 1e-3, controller: loop }), 10)
    expect(() => loop.metrics()).toThrow(/metrics returned a function as "f"; it must be a number/)
  })
})

describe('joint inertia', () => {
  test('of one rod about its end is m (2 l)^2 / 3', () => {
    const robot = pendulum(2, 0.4)
    expect(jointInertia(robot, dataAt(robot.model, createState(robot.model)))[0]).toBeCloseTo((2 * 0.8 ** 2) / 3, 12)
  })

  test("is 1 / (M^-1)_ii by Gauss's elimination, and less than M_ii", () => {
    const robot = humanoid
    const { model } = robot
    const data = dataAt(model, stateOf(model, robot.home))
    const inertia = jointInertia(robot, data)
    crba(model, data)
    const n = model.nv
    const rows = Array.from({ length: n }, (_, i) => [
      ...data.M.subarray(i * n, (i + 1) * n),
      ...Array.from({ length: n }, (_, k) => +(i === k)),
    ])
    for (let i = 0; i < n; i++) {
      for (let r = 0; r < n; r++) {
        if (r === i) continue
        const factor = rows[r][i] / rows[i][i]
        for (let c = 0; c < 2 * n; c++) rows[r][c] -= factor * rows[i][c]
      }
    }
    robot.joints.forEach(({ vIndex: k }, j) => {
      expect(inertia[j] / (rows[k][k] / rows[k][n + k])).toBeCloseTo(1, 8)
      expect(inertia[j]).toBeLessThan(data.M[k * n + k])
    })
  })
})

describe('hold', () => {
  test('a displaced pendulum comes back as the critically damped oscillator e (1 + w t) exp(-w t)', () => {
    // Around a horizontal home gravity's torque is stationary in the angle, so compensation leaves the PD alone.
    const robot = pendulum(2, 0.4, Math.PI / 2)
    const start = 1e-3
    const world = worldOf(robot, hold({ omega: 20, damping: 1 }), { dt: 1e-4, ...off(robot, start) })
    for (let i = 1; i <= 5000; i++) {
      world.step()
      const t = i * 1e-4
      const expected = start * (1 + 20 * t) * Math.exp(-20 * t)
      // ticks at 1 kHz: half a period of delay is 1 % of the oscillator's time constant
      expect(Math.abs(world.state.q[0] - Math.PI / 2 - expected)).toBeLessThan(0.02 * start)
    }
  })

  test('an arm on a fixed base stays at home to 1e-9 and returns there from 0.2 rad away', () => {
    const robot = arm()
    const still = run(worldOf(robot, hold()), 2000)
    for (const [i, x] of still.state.q.entries()) expect(Math.abs(x - robot.home[i])).toBeLessThan(1e-9)
    const away = run(worldOf(robot, hold(), off(robot, 0.2)), 3000)
    for (const [i, x] of away.state.q.entries()) expect(Math.abs(x - robot.home[i])).toBeLessThan(1e-3)
  })

  test('stays stable at a step of 10 ms, where gains lag by a whole step', () => {
    const robot = arm()
    const away = run(worldOf(robot, hold(), { dt: 1e-2, ...off(robot, 0.2) }), 1000)
    for (const [i, x] of away.state.q.entries()) expect(Math.abs(x - robot.home[i])).toBeLessThan(1e-2)
  })
})

describe('computed torque', () => {
  test('an arm on a fixed base follows its trajectory to 1e-3 rad', () => {
    const robot = arm()
    const world = worldOf(robot, { ...computedTorque({ trajectory: (r) => wave(r, { amplitude: 0.5 }) }), rate: 1000 })
    const trajectory = wave(robot, { amplitude: 0.5 })
    const [q, v, a] = [0, 1, 2].map(() => new Float64Array(6))
    let largest = 0
    let moved = 0
    for (let i = 0; i < 3000; i++) {
      world.step()
      trajectory.sample(world.state.t, q, v, a)
      for (let j = 0; j < 6; j++) {
        largest = Math.max(largest, Math.abs(world.state.q[j] - q[j]))
        moved = Math.max(moved, Math.abs(q[j] - robot.home[j]))
      }
    }
    expect(moved).toBeGreaterThan(0.3)
    expect(largest).toBeLessThan(1e-3)
  })

  test('an error dies out like one oscillator in every joint, whatever the coupling', () => {
    const robot = arm()
    const start = 1e-2
    const rest = (r: Robot) => wave(r, { amplitude: 0 })
    const controller = { ...computedTorque({ trajectory: rest, omega: 20 }), rate: 1e4 }
    const world = worldOf(robot, controller, { dt: 1e-4, ...off(robot, start) })
    run(world, 1000)
    const expected = start * (1 + 20 * 0.1) * Math.exp(-20 * 0.1)
    // first order in the step: omega dt = 2e-3 of the start
    for (const [i, x] of world.state.q.entries()) expect(Math.abs(x - robot.home[i] - expected)).toBeLessThan(4e-3 * start)
  })
})

describe('trajectories', () => {
  test.each([
    ['figure eight', figureEight()],
    ['arc', arc({ speed: 0.4, curvature: 0.7 })],
    ['line', arc({ speed: 0.3 })],
  ])('%s: velocity, acceleration and turn are the derivatives, by central differences', (_, path) => {
    const at = (t: number) => filled(PATH_SIZE, (out) => path.sample(Float64Array.of(t), out))
    const e = 1e-5
    for (const t of [0.1, 0.4, 0.77, 1.6, 3.1, 5.2]) {
      const [a, b, c] = [at(t - e), at(t), at(t + e)]
      for (const k of [0, 1, 2, 3]) expect(b[k + 2]).toBeCloseTo((c[k] - a[k]) / (2 * e), 6)
      expect(b[6]).toBeCloseTo(Math.hypot(b[2], b[3]), 10)
      expect(b[8] * b[6]).toBeCloseTo(b[2], 10)
      expect(b[9] * b[6]).toBeCloseTo(b[3], 10)
      const turned = Math.atan2(a[8] * c[9] - a[9] * c[8], a[8] * c[8] + a[9] * c[9])
      expect(b[7]).toBeCloseTo(turned / (2 * e), 6)
    }
    expect([...at(0)].slice(0, 9)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1])
  })

  test('a figure eight closes after one period at full speed', () => {
    const out = [4, 10].map((t) => {
      return filled(PATH_SIZE, (out) => figureEight({ period: 6 }).sample(Float64Array.of(t), out))
    })
    for (const [k, x] of out[0].entries()) expect(out[1][k]).toBeCloseTo(x, 12)
  })

  test('wave stays within limits, leaves the wheels alone, and its v and a are derivatives', () => {
    const trajectory = wave(humanoid, { amplitude: 2 })
    const at = (t: number) => {
      const arrays = [0, 1, 2].map(() => new Float64Array(humanoid.joints.length))
      trajectory.sample(Float64Array.of(t), arrays[0], arrays[1], arrays[2])
      return arrays
    }
    const e = 1e-5
    for (let t = 0.05; t < 5; t += 0.1) {
      const [a, b, c] = [at(t - e), at(t), at(t + e)]
      for (const [j, { type, vIndex }] of humanoid.joints.entries()) {
        if (type === 'continuous') {
          expect(b[0][j]).toBeNaN()
          continue
        }
        expect(b[0][j]).toBeGreaterThanOrEqual(humanoid.model.lower[vIndex])
        expect(b[0][j]).toBeLessThanOrEqual(humanoid.model.upper[vIndex])
        expect(b[1][j]).toBeCloseTo((c[0][j] - a[0][j]) / (2 * e), 6)
        expect(b[2][j]).toBeCloseTo((c[1][j] - a[1][j]) / (2 * e), 6)
      }
    }
  })
})

describe('drive wheels', () => {
  test.each([
    [diffdrive, 0.36],
    [humanoid, 0.52],
  ])('are found with their radius, track and side', (robot, track) => {
    const wheels = driveWheels(robot)
    expect(wheels?.left.map(({ name, radius, sign }) => [name, radius, sign])).toEqual([['left_wheel_joint', 0.1, 1]])
    expect(wheels?.right.map(({ name, radius, sign }) => [name, radius, sign])).toEqual([['right_wheel_joint', 0.1, 1]])
    expect(wheels?.track).toBeCloseTo(track, 12)
    expect(wheels?.axleX).toBeCloseTo(0, 12)
  })

  test('a robot without them has none, and a path follower says so', () => {
    expect(driveWheels(arm())).toBeUndefined()
    expect(driveWheels(box())).toBeUndefined()
    expect(() => worldOf(box(), unicycle(figureEight()) as Controller)).toThrow(/"box" has no drive wheels.*hold/)
  })
})

describe.each(names)('under %s', (name) => {
  test('diffdrive follows the figure eight', () => {
    const world = worldOf(diffdrive, unicycle(figureEight()) as Controller, { contactModel: name })
    const { target } = world.robots[0].controller as ReturnType<typeof createControllerLoop>
    let sum = 0
    let travelled = 0
    for (let i = 0; i < 5000; i++) {
      const [x, y] = world.state.q
      world.step()
      travelled += Math.hypot(world.state.q[0] - x, world.state.q[1] - y)
      sum += (world.state.q[0] - target.base[0]) ** 2 + (world.state.q[1] - target.base[1]) ** 2
    }
    expect(travelled).toBeGreaterThan(2)
    // wheels roll and the follower feeds back: a hundredth of the path's size
    expect(Math.sqrt(sum / 5000)).toBeLessThan(0.015)
  })

  test('humanoid drives its turn while its arms follow', () => {
    const world = worldOf(humanoid, driveAndWave() as Controller, { contactModel: name })
    const { target } = world.robots[0].controller as ReturnType<typeof createControllerLoop>
    let joints = 0
    let base = 0
    for (let i = 0; i < 3000; i++) {
      world.step()
      humanoid.joints.forEach(({ qIndex }, j) => {
        if (!Number.isNaN(target.joints[j])) joints = Math.max(joints, Math.abs(world.state.q[qIndex] - target.joints[j]))
      })
      base = Math.max(base, Math.hypot(world.state.q[0] - target.base[0], world.state.q[1] - target.base[1]))
    }
    expect(target.joints.filter(Number.isNaN)).toHaveLength(2)
    expect(joints).toBeLessThan(0.05)
    expect(base).toBeLessThan(0.05)
  })
})

test('each robot has a default that runs at 1 ms and at 10 ms', () => {
  for (const robot of [diffdrive, humanoid, arm(), box(), pendulum()]) {
    for (const dt of [1e-3, 1e-2]) {
      const world = run(worldOf(robot, defaultControllerFor(robot), { dt, contactModel: 'stewart-trinkle' }), 1 / dt)
      expect(world.failure).toBeUndefined()
    }
  }
})
