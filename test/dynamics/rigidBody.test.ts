import { describe, expect, test } from 'vitest'
import {
  aba,
  abaWithForces,
  addBodyForces,
  biasForces,
  bodyJacobianW,
  centerOfMass,
  crba,
  createRandom,
  createState,
  type Data,
  factorize,
  gravityForces,
  integrateConfiguration,
  JointType,
  kinematics,
  type Model,
  momentumW,
  potentialEnergy,
  rnea,
  type State,
  solve,
} from '../../dynamics/index.ts'
import { cholesky, choleskySolve, product } from '../oracle/dense.ts'
import { dataAt, energiesOf, filled, stateOf } from './at.ts'
import { pointChain } from './chains.ts'
import { randomState, randomTree, randomVector, relativeError } from './randomTree.ts'
import { derivative, forEachTree, moved } from './trials.ts'

// Differences of order 4 with h = 1e-3: about 1e-16 / 1e-3 from rounding and 1e-12 times a fifth derivative from
// cutting off, which for speeds near 2 rad/s in chains of ten joints reaches 1e5.
const DIFFERENCE = 1e-6

describe('inverse and forward dynamics', () => {
  test('forward dynamics undoes inverse dynamics on random trees', () => {
    forEachTree(1, ({ random, model, state, data }) => {
      const a = randomVector(random, model.nv, 5)
      const tau = filled(model.nv, (out) => rnea(model, state, a, data, out))
      const back = filled(model.nv, (out) => aba(model, state, tau, data, out))
      expect(relativeError(back, a)).toBeLessThan(1e-10)
    })
  })

  test('M^-1 by forward dynamics is M^-1 by the factorisation, and a dense one', () => {
    forEachTree(23, ({ model, state, data }) => {
      const { nv } = model
      const rest = stateOf(model, state.q)
      const still = { ...model, gravity: new Float64Array(6) }
      crba(model, data)
      factorize(model, data.M, data.L)
      const byAba = new Float64Array(nv * nv)
      const byFactor = new Float64Array(nv * nv)
      const dense = new Float64Array(nv * nv)
      const a = new Float64Array(nv)
      for (let k = 0; k < nv; k++) {
        const unit = new Float64Array(nv)
        unit[k] = 1
        // at rest and without gravity there is no bias force: a = M^-1 tau
        aba(still, rest, unit, data, a)
        byAba.set(a, k * nv)
        dense.set(choleskySolve(data.M, unit), k * nv)
        solve(model, data.L, unit)
        byFactor.set(unit, k * nv)
      }
      expect(relativeError(byAba, byFactor)).toBeLessThan(1e-10)
      expect(relativeError(byFactor, dense)).toBeLessThan(1e-10)
    })
  })

  test('M is positive definite', () => {
    forEachTree(24, ({ random, model, data }) => {
      crba(model, data)
      // throws at the first pivot that is not positive
      expect(cholesky(data.M, model.nv).every(Number.isFinite)).toBe(true)
      const x = randomVector(random, model.nv)
      expect(dotProduct(x, product(data.M, x))).toBeGreaterThan(0)
    })
  })

  test('the columns of M are the forces of unit accelerations', () => {
    forEachTree(2, ({ model, state, data }) => {
      const { nv } = model
      const tau = new Float64Array(nv)
      const c = filled(nv, (out) => biasForces(model, state, data, out))
      crba(model, data)
      const columns = new Float64Array(nv * nv)
      for (let k = 0; k < nv; k++) {
        const a = new Float64Array(nv)
        a[k] = 1
        rnea(model, state, a, data, tau)
        for (let r = 0; r < nv; r++) columns[r * nv + k] = tau[r] - c[r]
      }
      expect(relativeError(columns, data.M)).toBeLessThan(1e-11) // tau - c cancels up to three digits
    })
  })

  test('M is symmetric, and zero between branches', () => {
    forEachTree(3, ({ model, data }) => {
      const { nv, vParent } = model
      data.M.fill(7) // whatever stood there before
      crba(model, data)
      for (let k = 0; k < nv; k++) {
        const ancestors = new Set<number>()
        for (let j = k; j >= 0; j = vParent[j]) ancestors.add(j)
        for (let j = 0; j <= k; j++) {
          expect(data.M[k * nv + j]).toBe(data.M[j * nv + k])
          if (!ancestors.has(j)) expect(data.M[k * nv + j]).toBe(0)
        }
      }
    })
  })

  test('M is the same a kilometre from the origin', () => {
    const random = createRandom(20)
    for (let n = 0; n < 10; n++) {
      const model = randomTree(random, { bodies: 12, floating: true })
      const state = randomState(random, model)
      const near = dataAt(model, state)
      crba(model, near)
      for (let k = 0; k < 3; k++) state.q[k] += 1000
      const far = dataAt(model, state)
      crba(model, far)
      const { nv } = model
      for (let r = 0; r < nv; r++) {
        for (let c = 0; c < nv; c++) {
          const scale = Math.sqrt(near.M[r * nv + r] * near.M[c * nv + c])
          // positions lose four digits there, 1e-13 m; the shortest arms of these inertias are centimetres
          expect(Math.abs(far.M[r * nv + c] - near.M[r * nv + c]) / scale).toBeLessThan(1e-10)
        }
      }
    }
  })

  test('forward dynamics is the same a kilometre from the origin', () => {
    const random = createRandom(21)
    for (let n = 0; n < 10; n++) {
      const model = randomTree(random, { bodies: 12, floating: true })
      const state = randomState(random, model)
      const tau = randomVector(random, model.nv, 5)
      const data = dataAt(model, state)
      const near = filled(model.nv, (out) => aba(model, state, tau, data, out))
      for (let k = 0; k < 3; k++) state.q[k] += 1000
      kinematics(model, state, data)
      const far = filled(model.nv, (out) => aba(model, state, tau, data, out))
      // positions lose four digits there, 1e-13 m; the condition of M multiplies that by up to 1e6
      expect(relativeError(far, near)).toBeLessThan(1e-7)
    }
  })

  test('gravity forces are the gradient of potential energy, and the bias force at rest', () => {
    forEachTree(4, ({ model, state, data }) => {
      const { nv } = model
      state.v.fill(0)
      const g = filled(nv, (out) => gravityForces(model, state, data, out))
      const c = filled(nv, (out) => biasForces(model, state, data, out))
      expect(relativeError(g, c)).toBeLessThan(1e-14)

      const energy = new Float64Array(1)
      const gradient = g.map((_, k) => {
        const along = new Float64Array(nv)
        along[k] = 1
        const at = (h: number) => {
          const next = createState(model)
          integrateConfiguration(model, state.q, along, h, next.q)
          kinematics(model, next, data)
          potentialEnergy(model, state, data, energy)
          return Float64Array.from(energy)
        }
        return derivative(at, 1e-3)[0]
      })
      expect(relativeError(gradient, g)).toBeLessThan(1e-10) // sines and cosines only: cut off at 1e-12, rounded at 1e-13
    })
  })

  test('power: tau . v is the rate of change of mechanical energy', () => {
    forEachTree(5, (trial) => {
      const { random, model, state, data } = trial
      const a = randomVector(random, model.nv, 3)
      const tau = filled(model.nv, (out) => rnea(model, state, a, data, out))
      const power = tau.reduce((sum, f, k) => sum + f * state.v[k], 0)

      // dE/dt by the chain rule: along v for the configuration, along a for the velocity
      const energy = (at: { state: State; data: Data }) => {
        const [kinetic, potential] = energiesOf(model, at.state, at.data)
        return Float64Array.of(kinetic + potential)
      }
      const rate = derivative((h) => energy(moved(trial, a, h)), 1e-3)[0]
      const size = tau.reduce((sum, f, k) => sum + Math.abs(f * state.v[k]), 0)
      expect(Math.abs(rate - power) / size).toBeLessThan(DIFFERENCE)
    })
  })

  test('kinetic energy is half of v . M v', () => {
    forEachTree(6, ({ model, state, data }) => {
      crba(model, data)
      const Mv = product(data.M, state.v)
      const [T] = energiesOf(model, state, data)
      const half = Mv.reduce((sum, p, k) => sum + 0.5 * p * state.v[k], 0)
      expect(Math.abs(T - half) / half).toBeLessThan(1e-12)
    })
  })

  test('forces on bodies do what the generalised forces of their Jacobians do', () => {
    forEachTree(7, ({ random, model, state, data }) => {
      const { nb, nv } = model
      const tau = randomVector(random, nv, 5)
      const forcesW = randomVector(random, 6 * nb, 5)
      const total = Float64Array.from(tau)
      const J = new Float64Array(6 * nv)
      for (let i = 1; i < nb; i++) {
        bodyJacobianW(model, data, i, J)
        for (let k = 0; k < nv; k++) for (let r = 0; r < 6; r++) total[k] += J[r * nv + k] * forcesW[6 * i + r]
      }
      const direct = filled(nv, (out) => abaWithForces(model, state, tau, forcesW, data, out))
      const through = filled(nv, (out) => aba(model, state, total, data, out))
      expect(relativeError(direct, through)).toBeLessThan(1e-10)

      addBodyForces(model, forcesW, data, tau)
      // sums of 25 bodies in another order
      expect(relativeError(tau, total)).toBeLessThan(1e-13)
    })
  })

  test('generalised forces of forces on bodies are the rate of the work that those do, point by point', () => {
    forEachTree(9, (at) => {
      const { random, model, state, data } = at
      const { nv, nb } = model
      const body = 1 + random.index(nb - 1)
      const place = randomVector(random, 3, 0.5)
      const [fx, fy, fz] = randomVector(random, 3, 5)
      const pointOf = ({ R_WB, p_WB }: Data) =>
        Float64Array.from([0, 3, 6], (row, d) => p_WB[body][d] + place.reduce((sum, x, c) => sum + R_WB[body][row + c] * x, 0))
      const [x, y, z] = pointOf(data)
      const forcesW = new Float64Array(6 * nb)
      forcesW.set([y * fz - z * fy, z * fx - x * fz, x * fy - y * fx, fx, fy, fz], 6 * body)
      const tau = filled(nv, (out) => addBodyForces(model, forcesW, data, out))
      const power = tau.reduce((sum, t, k) => sum + t * state.v[k], 0)
      const [ux, uy, uz] = derivative((h) => pointOf(moved(at, new Float64Array(nv), h).data), 1e-3)
      const size = Math.hypot(fx, fy, fz) * Math.hypot(ux, uy, uz)
      expect(Math.abs(fx * ux + fy * uy + fz * uz - power)).toBeLessThan(DIFFERENCE * Math.max(1, size))
    })
  })

  test('a hanging chain whose end is pulled sideways: each joint takes the weights and the pull by their lever arms', () => {
    // rods of 0.4 m about y; downwards is q = 90 degrees, and all but the first hang straight on
    const l = 0.4
    const model = pointChain([1, 2, 3], l)
    const state = stateOf(model, [Math.PI / 3, Math.PI / 12, 0])
    const data = dataAt(model, state)
    const forcesW = new Float64Array(6 * model.nb)
    const F = 7
    // where the end is: three rods at 60, 75 and 75 degrees below the horizontal
    const below = [60, 75, 75].map((angle) => (angle * Math.PI) / 180)
    const z = -l * below.reduce((sum, angle) => sum + Math.sin(angle), 0)
    forcesW.set([0, z * F, 0, F, 0, 0], 6 * 3)
    const tau = filled(3, (out) => rnea(model, state, new Float64Array(3), data, out))
    const pulled = filled(3, (out) => addBodyForces(model, forcesW, data, out))
    for (let k = 0; k < 3; k++) {
      const arm = (from: number, to: number, of: (x: number) => number) =>
        l * below.slice(from, to).reduce((sum, angle) => sum + of(angle), 0)
      // about y, a force along x at a height z turns by z F, a weight at x by m g x upwards to carry
      const weight = [1, 2, 3].reduce((sum, m, i) => sum - (i < k ? 0 : m * 9.81 * arm(k, i + 1, Math.cos)), 0)
      expect(pulled[k]).toBeCloseTo(-F * arm(k, 3, Math.sin), 12)
      expect(tau[k] - pulled[k]).toBeCloseTo(weight + F * arm(k, 3, Math.sin), 12)
    }
  })

  test('momentum changes by the forces from outside: gravity, and the moment of gravity', () => {
    const random = createRandom(8)
    for (let n = 0; n < 20; n++) {
      // floating, no armature: a rotor's inertia, seen only at its own joint, has no momentum in space
      const model = randomTree(random, { bodies: 1 + random.index(12), floating: true })
      const state = randomState(random, model)
      const forcesW = randomVector(random, 6 * model.nb, 5)
      forcesW.fill(0, 0, 6)
      const data = dataAt(model, state)
      // the joints' motors push between bodies; the base has none
      const tau = new Float64Array(model.nv)
      for (let k = 6; k < model.nv; k++) tau[k] = random.between(-5, 5)
      const a = filled(model.nv, (out) => abaWithForces(model, state, tau, forcesW, data, out))

      const c = filled(3, (out) => centerOfMass(model, data, out))
      const m = totalMass(model)
      const [, , , gx, gy, gz] = model.gravity
      const expected = Float64Array.of(
        m * (c[1] * gz - c[2] * gy),
        m * (c[2] * gx - c[0] * gz),
        m * (c[0] * gy - c[1] * gx),
        m * gx,
        m * gy,
        m * gz,
      )
      for (let i = 1; i < model.nb; i++) for (let r = 0; r < 6; r++) expected[r] += forcesW[6 * i + r]

      const momentum = (h: number) => filled(6, (out) => momentumW(model, moved({ random, model, state, data }, a, h).data, out))
      expect(relativeError(derivative(momentum, 1e-3), expected)).toBeLessThan(DIFFERENCE)
    }
  })

  test('linear momentum is mass times the velocity of the centre of mass', () => {
    forEachTree(9, (trial) => {
      const { model, data } = trial
      const momentum = filled(6, (out) => momentumW(model, data, out))
      const zero = new Float64Array(model.nv)
      const center = (h: number) => filled(3, (out) => centerOfMass(model, moved(trial, zero, h).data, out))
      const velocity = derivative(center, 1e-3).map((x) => x * totalMass(model))
      expect(relativeError(velocity, momentum.subarray(3))).toBeLessThan(DIFFERENCE)
    })
  })

  test('a body without mass at the end of a chain is named, not divided by', () => {
    const random = createRandom(10)
    const model = randomTree(random, { bodies: 3 })
    model.I[3].fill(0)
    if (model.jointType[3] === JointType.fixed) throw new Error('this seed should give a moving last body')
    const state = randomState(random, model)
    const a = new Float64Array(model.nv)
    const data = dataAt(model, state)
    expect(() => aba(model, state, new Float64Array(model.nv), data, a)).toThrow(/joint "joint 3".*inertia 0/)
    crba(model, data)
    expect(() => factorize(model, data.M, data.L)).toThrow(/not positive definite.*joint "joint 3"/)
  })
})

function dotProduct(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, x, k) => sum + x * b[k], 0)
}

/** Mass of all bodies [kg]. */
function totalMass({ I }: Model): number {
  return I.reduce((mass, [m]) => mass + m, 0)
}
