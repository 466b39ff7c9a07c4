import { describe, expect, test } from 'vitest'
import {
  type Acceleration,
  aba,
  buildModel,
  createData,
  createEulerWorkspace,
  createImplicitPassiveWorkspace,
  createRandom,
  createRk4Workspace,
  createState,
  implicitPassiveEuler,
  JointType,
  kinematics,
  type Model,
  passiveForces,
  rk4,
  type State,
  semiImplicitEuler,
} from '../../dynamics/index.ts'
import { stateOf } from './at.ts'
import { body, hinge, solid } from './bodies.ts'
import { randomState, randomTree, relativeError } from './randomTree.ts'

type Method = 'semi-implicit Euler' | 'implicit damping Euler' | 'RK4'

/** No efforts, but what the joints lose. */
function freeMotion(model: Model): Acceleration {
  const data = createData(model)
  const tau = new Float64Array(model.nv)
  return {
    evaluate(state, a) {
      kinematics(model, state, data)
      passiveForces(model, state, tau)
      aba(model, state, tau, data, a)
    },
  }
}

function simulate(model: Model, start: State, method: Method, dt: number, steps: number): State {
  const state = stateOf(model, start.q, start.v)
  state.t.set(start.t)
  const acceleration = freeMotion(model)
  const rk4Workspace = createRk4Workspace(model)
  const eulerWorkspace = createEulerWorkspace(model)
  const implicitWorkspace = createImplicitPassiveWorkspace(model)
  const data = createData(model)
  const tau = new Float64Array(model.nv)
  const a = new Float64Array(model.nv)
  for (let n = 0; n < steps; n++) {
    if (method === 'RK4') {
      rk4(model, state, acceleration, dt, rk4Workspace)
    } else if (method === 'implicit damping Euler') {
      kinematics(model, state, data)
      implicitPassiveEuler(model, state, tau, dt, data, implicitWorkspace)
    } else {
      acceleration.evaluate(state, a)
      semiImplicitEuler(model, state, a, dt, eulerWorkspace)
    }
    state.t[0] += dt
  }
  expect(implicitWorkspace.unsettled[0]).toBe(0)
  return state
}

/** log2 of how much the error falls when the step is halved. */
function observedOrder(errorOf: (steps: number) => number, steps: number): number {
  return Math.log2(errorOf(steps) / errorOf(2 * steps))
}

/** A floating base with moving limbs, no armature (rotors have no momentum in space). */
function flyingTree(seed: number, gravity: boolean): { model: Model; state: State } {
  const random = createRandom(seed)
  const model = randomTree(random, { bodies: 7, floating: true })
  if (!gravity) model.gravity.fill(0)
  return { model, state: randomState(random, model) }
}

describe('free flight of a floating tree', () => {
  for (const [method, order, steps] of [
    ['semi-implicit Euler', 1, 1000],
    ['RK4', 4, 100],
  ] as const) {
    test(`the state converges at order ${order} under ${method}`, () => {
      for (let seed = 1; seed <= 4; seed++) {
        const { model, state } = flyingTree(seed, true)
        const exact = simulate(model, state, 'RK4', 0.4 / 1600, 1600)
        const error = (n: number) => {
          const end = simulate(model, state, method, 0.4 / n, n)
          return relativeError(end.q, exact.q) + relativeError(end.v, exact.v)
        }
        const observed = observedOrder(error, steps)
        expect(observed).toBeGreaterThan(order - 0.15)
        expect(observed).toBeLessThan(order + 0.3)
      }
    })
  }
})

/**
 * A tree with every joint type, in gravity, some joints with damping, and on every second one joints that follow others.
 * Damping of 0.5 on inertias of 0.1 or more stays clear of what an explicit step of 1e-3 s bears.
 */
function anyTree(seed: number): { model: Model; state: State } {
  const random = createRandom(seed)
  const model = randomTree(random, { bodies: 8, everyType: true, followers: seed % 2 === 0, armature: true })
  for (let k = 0; k < model.nv; k++) if (random.next() < 0.5) model.damping[k] = random.between(0, 0.5)
  const state = randomState(random, model)
  for (let k = 0; k < model.nv; k++) state.v[k] *= 0.5
  return { model, state }
}

describe('trees of every joint type, with followers and damping', () => {
  for (const [method, order, steps] of [
    ['semi-implicit Euler', 1, 800],
    ['implicit damping Euler', 1, 800],
    ['RK4', 4, 60],
  ] as const) {
    test(`the state converges at order ${order} under ${method}`, () => {
      const types = new Set<number>()
      let followers = 0
      for (let seed = 30; seed < 36; seed++) {
        const { model, state } = anyTree(seed)
        for (const type of model.jointType) types.add(type)
        followers += model.ns - model.nv
        const exact = simulate(model, state, 'RK4', 0.3 / 600, 600)
        const error = (n: number) => {
          const end = simulate(model, state, method, 0.3 / n, n)
          return relativeError(end.q, exact.q) + relativeError(end.v, exact.v)
        }
        const observed = observedOrder(error, steps)
        expect(observed).toBeGreaterThan(order - 0.15)
        expect(observed).toBeLessThan(order + 0.4)
      }
      // all but mocap bodies, which do not move
      expect(types.size).toBe(Object.keys(JointType).length - 1)
      expect(followers).toBeGreaterThan(3)
    })
  }
})

describe('a step in axes that stand still', () => {
  test('a thrown spinning body keeps its speed under semi-implicit Euler, however fast it spins', () => {
    const model = buildModel(
      'ball',
      [{ name: 'ball', jointName: 'free', parent: 0, jointType: JointType.floating, mass: 2, inertia: [1, 1, 1, 0, 0, 0] }],
      [0, 0, 0],
    )
    const state = createState(model)
    state.v.set([60, -50, 70, 3, 0, 4]) // a radian a step
    const end = simulate(model, state, 'semi-implicit Euler', 0.01, 1000)
    // one rounding a step
    expect(Math.abs(Math.hypot(end.v[3], end.v[4], end.v[5]) - 5)).toBeLessThan(1e-12)
    for (const [k, x] of [30, 0, 40].entries()) expect(Math.abs(end.q[k] - x)).toBeLessThan(1e-11)
  })

  test('a puck on ice too, on a planar joint with a tilted plane', () => {
    const model = buildModel(
      'puck',
      [
        {
          name: 'puck',
          jointName: 'ice',
          parent: 0,
          jointType: JointType.planar,
          axis: [0.48, -0.6, 0.64],
          mass: 2,
          inertia: [1, 1, 1, 0, 0, 0],
        },
      ],
      [0, 0, 0],
    )
    const state = createState(model)
    state.q[2] = 0.3
    state.v.set([3, 4, 100])
    const end = simulate(model, state, 'semi-implicit Euler', 0.01, 1000)
    expect(Math.abs(Math.hypot(end.v[0], end.v[1]) - 5)).toBeLessThan(1e-12)
    // along a straight line, turned by the angle at the start
    expect(Math.abs(end.q[0] - 10 * (3 * Math.cos(0.3) - 4 * Math.sin(0.3)))).toBeLessThan(1e-11)
    expect(Math.abs(end.q[1] - 10 * (3 * Math.sin(0.3) + 4 * Math.cos(0.3)))).toBeLessThan(1e-11)
    expect(end.q[2]).toBeCloseTo(1000.3, 9)
  })

  test('a falling body gains g dt a step, spinning or not', () => {
    const model = buildModel('ball', [
      { name: 'ball', jointName: 'free', parent: 0, jointType: JointType.floating, mass: 2, inertia: [1, 1, 1, 0, 0, 0] },
    ])
    const state = stateOf(model, [], [60, -50, 70, 0, 0, 0])
    for (const method of ['semi-implicit Euler', 'implicit damping Euler'] as const) {
      const end = simulate(model, state, method, 0.01, 100)
      expect(Math.hypot(end.v[3], end.v[4], end.v[5])).toBeCloseTo(9.81, 11)
      // sum of n g dt^2: half a step ahead of the parabola
      expect(end.q[2]).toBeCloseTo(-0.5 * 9.81 * 1.01, 11)
    }
  })
})

describe('closed forms', () => {
  const g = 9.81
  const pendulum = (armature: number) =>
    buildModel('pendulum', [body('bob', hinge('hinge', 0, [0, 1, 0]), solid(2, [0.1, 0.2, 0.15], [0, 0, -0.7]), { armature })])

  test('a pendulum of 1 rad swings with the period of the elliptic integral', () => {
    const model = pendulum(0)
    const state = stateOf(model, [1])
    const rate = Math.sqrt((2 * g * 0.7) / (0.2 + 2 * 0.49))
    // T = 2 pi / (rate agm(1, cos(q0/2))): Gauss's arithmetic-geometric mean
    let [x, y] = [1, Math.cos(0.5)]
    for (let n = 0; n < 6; n++) [x, y] = [(x + y) / 2, Math.sqrt(x * y)]
    const period = (2 * Math.PI) / (rate * x)
    const end = simulate(model, state, 'RK4', period / 4000, 4000)
    expect(end.q[0]).toBeCloseTo(1, 10)
    expect(end.v[0]).toBeCloseTo(0, 9)
  })
})
