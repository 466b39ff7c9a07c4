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
  rneaTable,
  type State,
} from '../../dynamics/index.ts'
import { product } from '../oracle/dense.ts'
import { concatenated, dataAt, energiesOf, filled } from './at.ts'
import { randomState, randomTree, randomVector, relativeError } from './randomTree.ts'
import { derivative, forEachTree, moved } from './trials.ts'

// Differences of order 4 with h = 1e-3: about 1e-16 / 1e-3 from rounding and 1e-12 times a fifth derivative from
// cutting off, which for speeds near 2 rad/s in chains of ten joints reaches 1e5.
const DIFFERENCE = 1e-6

describe('inverse and forward dynamics', () => {
  test("the book's table of inverse dynamics gives the same efforts, velocities, accelerations and forces of bodies", () => {
    forEachTree(1, ({ random, model, state, data }) => {
      const a = randomVector(random, model.nv, 5)
      const table = dataAt(model, state)
      const tau = filled(model.nv, (out) => rnea(model, state, a, data, out))
      expect(
        relativeError(
          tau,
          filled(model.nv, (out) => rneaTable(model, state, a, table, out)),
        ),
      ).toBeLessThan(1e-13)
      for (const name of ['V', 'A'] as const)
        expect(relativeError(concatenated(data[name]), concatenated(table[name]))).toBeLessThan(1e-13)
      // what body 0 gets is summed by the table alone
      expect(relativeError(concatenated(data.F.slice(1)), concatenated(table.F.slice(1)))).toBeLessThan(1e-13)
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

/** Mass of all bodies [kg]. */
function totalMass({ I }: Model): number {
  return I.reduce((mass, [m]) => mass + m, 0)
}
