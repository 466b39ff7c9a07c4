import { describe, expect, test } from 'vitest'
import {
  aba,
  type BodyDefinition,
  biasForces,
  buildModel,
  crba,
  createRandom,
  createRk4Workspace,
  createState,
  factorize,
  JointType,
  type Model,
  rk4,
  rnea,
  type State,
  solve,
} from '../../dynamics/index.ts'
import { daily } from '../dailyModels.ts'
import { conditionNumber, largestDifference, product, scaledDifference } from '../oracle/dense.ts'
import { exactDynamics } from '../oracle/exact.ts'
import { ourAnswers } from '../oracle/mujoco.ts'
import { accelerationAt, dataAt, filled, freeMotion, stateOf } from './at.ts'
import { gimbal, pointChain, randomChain } from './chains.ts'
import { invariants } from './flight.ts'
import { randomBodies, randomState, randomVector } from './randomTree.ts'

// What makes an implementation return infinities and NaN, or digits that are none. "Right" is meant against answers without
// rounding (oracle/exact.ts) or closed forms, "finite" is not enough.

describe('chains of 100 links', () => {
  const masses: Record<string, (k: number) => number> = {
    'masses 1 : 1e6 by turns': (k) => (k % 2 ? 1e-3 : 1e3),
    'masses that grow by 1e6 towards the tip': (k) => 10 ** (-3 + (6 * k) / 99),
    'masses that fall by 1e6 towards the tip': (k) => 10 ** (3 - (6 * k) / 99),
    'equal links': () => 1,
    'a tip a million times as heavy': (k) => (k === 99 ? 1e6 : 1),
    'a tip a million times as light': (k) => (k === 99 ? 1e-6 : 1),
  }
  for (const [name, mass] of daily(Object.entries(masses), 2)) {
    test(`${name}: M, bias, inverse and forward dynamics are right, in a random pose and with every joint at 0`, () => {
      const random = createRandom(5)
      for (const base of [undefined, 'floating'] as const) {
        const model = randomChain(random, 100, mass, base)
        const state = base ? createState(model) : randomState(random, model)
        state.v.set(randomVector(random, model.nv, 0.3))
        const a = randomVector(random, model.nv, 5)
        const tau = randomVector(random, model.nv, 5)
        const exact = exactDynamics(model, state, a, tau)
        const ours = ourAnswers(model, state, a, tau)
        // 100 additions of 1e-16 each; M's entries are small parts of inertias metres from their axes
        expect(scaledDifference(ours.M, exact.M)).toBeLessThan(2e-12)
        expect(largestDifference(ours.bias, exact.bias)).toBeLessThan(5e-14)
        expect(largestDifference(ours.inverse, exact.inverse)).toBeLessThan(5e-14)
        // the articulated-body algorithm loses less than the condition of M, 1e5 to 1e11, lets one fear
        expect(largestDifference(ours.forward, exact.forward)).toBeLessThan(2e-10)

        // by the factorisation, whose error follows the condition
        const data = dataAt(model, state)
        crba(model, data)
        const x = tau.map((f, k) => f - ours.bias[k])
        factorize(model, data.M, data.L)
        solve(model, data.L, x)
        expect(largestDifference(x, exact.forward)).toBeLessThan(1e-14 + 1e-16 * conditionNumber(exact.M, model.nv))
      }
    })
  }
})

/** [change of energy, kinetic energy at the end] after `steps` of RK4 without efforts. */
function swing(model: Model, state: State, dt: number, steps: number): [number, number] {
  const before = invariants(model, state)
  const workspace = createRk4Workspace(model)
  const acceleration = freeMotion(model)
  for (let n = 0; n < steps; n++) rk4(model, state, acceleration, dt, workspace)
  const { energy, kinetic } = invariants(model, state)
  return [energy - before.energy, kinetic]
}

describe('mass ratios', () => {
  test('a double pendulum with masses 1e6 : 1 either way agrees with its equations', () => {
    // at rest and level, upper rod l1, lower at an angle p below it; from the textbook's two equations
    const g = 9.81
    for (const [m1, m2] of [
      [1, 1e6],
      [1e6, 1],
    ]) {
      const model = pointChain([m1, m2], 0.5)
      for (const p of [0.3, 1.2, -2.5]) {
        const a = accelerationAt(model, stateOf(model, [0, p]))
        const s2 = Math.sin(p) * Math.sin(p)
        // eliminate the lower mass: it adds m2 sin^2 p to what the upper rod carries, and pulls with its weight
        const upper = (g * (m1 + m2 * s2)) / (0.5 * (m1 + m2 * s2))
        const lower = (g * Math.cos(p)) / 0.5 - upper * Math.cos(p)
        expect(Math.abs(a[0] - upper) / upper).toBeLessThan(1e-9)
        expect(Math.abs(a[0] + a[1] - lower) / upper).toBeLessThan(1e-9)
      }
    }
  })

  test('a heavy body that floats from a light arm leaves the arm as it is', () => {
    const random = createRandom(13)
    for (let n = 0; n < 20; n++) {
      // what hangs on six free motions passes on their efforts, here 0, and nothing else
      const arm = randomBodies(random, { bodies: 4 }).map((body) => ({ ...body, jointType: JointType.revolute }))
      const [heavy] = randomBodies(random, { bodies: 1, floatingAnywhere: true })
      const light = arm.map((body) => ({ ...body, mass: 1e-3, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0] as const }))
      const bare = buildModel('arm', light)
      const model = buildModel('arm with a load', [
        ...light,
        { ...heavy, parent: 4, jointType: JointType.floating, mass: 1e3, inertia: [10, 10, 10, 0, 0, 0] },
      ])
      const [state, alone] = [randomState(random, model), createState(bare)]
      alone.q.set(state.q.subarray(0, 4))
      alone.v.set(state.v.subarray(0, 4))
      const tau = new Float64Array(10)
      tau.set(randomVector(random, 4, 0.01))
      const { forward } = ourAnswers(model, state, new Float64Array(10), tau)
      const expected = ourAnswers(bare, alone, new Float64Array(4), tau.slice(0, 4))
      expect(largestDifference(forward.slice(0, 4), expected.forward)).toBeLessThan(1e-11)
    }
  })
})

describe('near-singular poses', () => {
  test('a gimbal near its lock is solved as well as its condition allows, and leaves no residual', () => {
    const model = gimbal([0.01, 0.02, 0.025, 0.001, 0.002, -0.001])
    const tau = Float64Array.of(0.1, 0.2, 0.3)
    for (const off of [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7]) {
      const state = stateOf(model, [0.3, Math.PI / 2 - off, 0.7], [1, -2, 0.5])
      const exact = exactDynamics(model, state, new Float64Array(3), tau)
      const { forward } = ourAnswers(model, state, new Float64Array(3), tau)
      expect(largestDifference(forward, exact.forward)).toBeLessThan(1e-15 + 1e-16 * conditionNumber(exact.M, 3))
      const Ma = product(exact.M, forward)
      const size = product(exact.M.map(Math.abs), forward.map(Math.abs))
      for (let k = 0; k < 3; k++) expect(Math.abs(Ma[k] + exact.bias[k] - tau[k]) / size[k]).toBeLessThan(1e-15)
    }
  })

  test('at the lock itself the joint that has lost its motion is named', () => {
    const model = gimbal([0.01, 0.02, 0.025, 0, 0, 0])
    const state = createState(model)
    state.q[1] = Math.PI / 2
    const data = dataAt(model, state)
    expect(() => aba(model, state, new Float64Array(3), data, new Float64Array(3))).toThrow(/joint "yaw".*inertia/)
    crba(model, data)
    expect(() => factorize(model, data.M, data.L)).toThrow(/not positive definite.*joint "yaw"/)
  })

  test('a body in a gimbal turns as one on a ball joint does, short of the lock', () => {
    const inertia: BodyDefinition['inertia'] = [0.01, 0.02, 0.025, 0.001, 0.002, -0.001]
    const ringed = gimbal(inertia)
    const free = buildModel('ball', [
      { name: 'rotor', jointName: 'ball', parent: 0, jointType: JointType.spherical, mass: 2, inertia },
    ])
    const end = (model: Model, q: number[], v: ArrayLike<number>) => {
      const state = stateOf(model, q, v)
      swing(model, state, 1e-4, 500)
      return dataAt(model, state).R_WB[model.nb - 1]
    }
    const pitch = Math.PI / 2 - 0.35
    const state = stateOf(ringed, [0, pitch, 0], [2, -1.5, 3])
    const data = dataAt(ringed, state)
    const omega = data.V[3].slice(0, 3)
    const ball = end(free, [0, Math.sin(pitch / 2), 0, Math.cos(pitch / 2)], omega)
    // RK4 at 1e-4 s, through rates that the lock nearby makes large
    expect(largestDifference(end(ringed, [0, pitch, 0], state.v), ball)).toBeLessThan(1e-10)
  })

  test('folded and stretched chains are right', () => {
    const random = createRandom(9)
    const model = randomChain(random, 30, () => 1)
    for (const angle of [0, Math.PI, Math.PI / 2, 1e-9]) {
      const state = createState(model)
      state.q.forEach((_, k) => {
        state.q[k] = k % 2 ? angle : -angle
      })
      state.v.set(randomVector(random, 30))
      const a = randomVector(random, 30, 5)
      const tau = randomVector(random, 30, 5)
      const exact = exactDynamics(model, state, a, tau)
      const ours = ourAnswers(model, state, a, tau)
      expect(largestDifference(ours.inverse, exact.inverse)).toBeLessThan(5e-14)
      expect(largestDifference(ours.forward, exact.forward)).toBeLessThan(1e-12)
    }
  })
})

describe('bodies without mass', () => {
  test('fixed leaves without mass change no bit', () => {
    const random = createRandom(10)
    for (let n = 0; n < 20; n++) {
      const bodies = randomBodies(random, { bodies: 1 + random.index(15), everyType: true, floating: n % 2 === 0 })
      const leaves = randomBodies(random, { bodies: 5 }).map(
        (leaf): BodyDefinition => ({
          ...{ ...leaf, parent: random.index(bodies.length + 1), jointType: JointType.fixed },
          ...{ mass: 0, centerOfMass: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0] },
        }),
      )
      const bare = buildModel('bare', bodies)
      if (bare.nv === 0) continue
      const leafy = buildModel('leafy', [...bodies, ...leaves])
      const state = randomState(random, bare)
      const a = randomVector(random, bare.nv)
      const tau = randomVector(random, bare.nv)
      const ours = ourAnswers(leafy, state, a, tau)
      const expected = ourAnswers(bare, state, a, tau)
      for (const key of ['M', 'bias', 'inverse', 'forward'] as const) {
        expect(ours[key].every((x, k) => x === expected[key][k])).toBe(true)
      }
    }
  })

  test('links without mass between heavy ones move as what they carry makes them', () => {
    // every second link of a chain has no mass: M stays definite by what hangs further out
    const random = createRandom(11)
    const model = randomChain(random, 40, (k) => (k % 2 ? 1 : 0))
    const state = randomState(random, model)
    const a = randomVector(random, model.nv)
    const tau = randomVector(random, model.nv)
    const exact = exactDynamics(model, state, a, tau)
    const ours = ourAnswers(model, state, a, tau)
    expect(largestDifference(ours.bias, exact.bias)).toBeLessThan(5e-14)
    expect(largestDifference(ours.forward, exact.forward)).toBeLessThan(1e-15 + 1e-16 * conditionNumber(exact.M, model.nv))
  })

  test('two bodies of no mass at the tip, and inverse dynamics still answers', () => {
    const random = createRandom(12)
    const model = randomChain(random, 10, (k) => (k < 8 ? 1 : 0))
    const state = randomState(random, model)
    const data = dataAt(model, state)
    const c = filled(10, (out) => biasForces(model, state, data, out))
    rnea(model, state, randomVector(random, 10), data, c)
    expect(c.every(Number.isFinite)).toBe(true)
    expect([c[8], c[9]]).toEqual([0, 0])
    expect(() => aba(model, state, new Float64Array(10), data, c)).toThrow(/joint "joint 10".*inertia 0/)
  })
})
