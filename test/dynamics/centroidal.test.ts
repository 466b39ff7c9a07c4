import { describe, expect, test } from 'vitest'
import {
  abaWithForces,
  buildModel,
  centerOfMass,
  centerOfMassJacobian,
  centerOfMassJacobianDotTimesV,
  centerOfMassVelocity,
  centroidalMomentum,
  centroidalMomentumMatrix,
  centroidalMomentumMatrixDotTimesV,
  createCentroidalWorkspace,
  createData,
  createRandom,
  createState,
  integrateConfiguration,
  JointType,
  kinematics,
  momentumW,
  totalMass,
} from '../../dynamics/index.ts'
import { dataAt, filled } from './at.ts'
import { randomState, randomTree, randomVector } from './randomTree.ts'
import { derivative, forEachTrial, largestDifference, moved, product, size } from './trials.ts'

// Central differences of order 4 with h = 1e-3: 1e-13 from rounding, 1e-12 times a fifth derivative from cutting off, which
// in chains of ten joints at 1 rad/s each reaches 1e5.
const DIFFERENCE = 1e-6
/** Sums of some hundred terms of either sign. */
const ROUNDING = 1e-12

describe('the centre of mass', () => {
  test('its velocity and its Jacobian times v are the derivative of its position', () => {
    forEachTrial(201, (trial) => {
      const { model, state, data } = trial
      const workspace = createCentroidalWorkspace(model)
      const still = new Float64Array(model.nv)
      const position = (h: number) => filled(3, (out) => centerOfMass(model, moved(trial, still, h).data, out))
      const out = filled(3, (out) => centerOfMassVelocity(model, data, workspace, out))
      expect(largestDifference(derivative(position, 1e-3), out)).toBeLessThan(DIFFERENCE)
      const J = filled(3 * model.nv, (out) => centerOfMassJacobian(model, data, workspace, out))
      expect(largestDifference(product(J, state.v), out)).toBeLessThan(ROUNDING)
    })
  })

  test('each column of its Jacobian is its derivative with respect to that velocity', () => {
    forEachTrial(202, ({ model, state, data }) => {
      const { nv } = model
      const workspace = createCentroidalWorkspace(model)
      const J = filled(3 * nv, (out) => centerOfMassJacobian(model, data, workspace, out))
      const next = createState(model)
      const nextData = createData(model)
      for (let k = 0; k < nv; k++) {
        const along = new Float64Array(nv)
        along[k] = 1
        const position = (h: number) => {
          integrateConfiguration(model, state.q, along, h, next.q)
          kinematics(model, next, nextData)
          return filled(3, (out) => centerOfMass(model, nextData, out))
        }
        // sines and cosines only: cut off at 1e-12, rounded at 1e-13, for positions of metres
        expect(largestDifference(derivative(position, 1e-3), [J[k], J[nv + k], J[2 * nv + k]])).toBeLessThan(1e-11)
      }
    })
  })

  test('its acceleration is J a + Jdot v', () => {
    forEachTrial(203, (trial) => {
      const { random, model, state, data } = trial
      const workspace = createCentroidalWorkspace(model)
      const a = randomVector(random, model.nv)
      const J = filled(3 * model.nv, (out) => centerOfMassJacobian(model, data, workspace, out))
      const bias = filled(3, (out) => centerOfMassJacobianDotTimesV(model, state, data, workspace, out))
      const sum = product(J, a).map((x, r) => x + bias[r])
      const velocity = (h: number) => filled(3, (out) => centerOfMassVelocity(model, moved(trial, a, h).data, workspace, out))
      expect(largestDifference(derivative(velocity, 1e-3), sum) / (1 + size(sum))).toBeLessThan(DIFFERENCE)
    })
  })

  test('a mechanism without mass has none, and says so', () => {
    const model = buildModel('ghost', [
      { name: 'a', jointName: 'j', parent: 0, jointType: JointType.spherical, mass: 0, inertia: [0, 0, 0, 0, 0, 0] },
    ])
    expect(totalMass(model)).toBe(0)
    expect(() => createCentroidalWorkspace(model)).toThrow('model "ghost" has mass 0')
  })
})

describe('centroidal momentum', () => {
  test('A_G v is the momentum of the bodies moved to the centre of mass', () => {
    forEachTrial(204, ({ model, state, data }) => {
      const workspace = createCentroidalWorkspace(model)
      const AG = filled(6 * model.nv, (out) => centroidalMomentumMatrix(model, data, workspace, out))
      const h = filled(6, (out) => momentumW(model, data, out))
      const c = filled(3, (out) => centerOfMass(model, data, out))
      // about c: n - c x f
      const [n0, n1, n2, f0, f1, f2] = h
      const expected = [n0 - (c[1] * f2 - c[2] * f1), n1 - (c[2] * f0 - c[0] * f2), n2 - (c[0] * f1 - c[1] * f0), f0, f1, f2]
      const scale = 1 + size(h)
      expect(largestDifference(product(AG, state.v), expected) / scale).toBeLessThan(ROUNDING)
      centroidalMomentum(model, data, workspace, h)
      expect(largestDifference(h, expected) / scale).toBeLessThan(ROUNDING)
    })
  })

  test('its derivative is A_G a + Adot_G v', () => {
    forEachTrial(206, (trial) => {
      const { random, model, state, data } = trial
      const workspace = createCentroidalWorkspace(model)
      const a = randomVector(random, model.nv)
      const AG = filled(6 * model.nv, (out) => centroidalMomentumMatrix(model, data, workspace, out))
      const bias = filled(6, (out) => centroidalMomentumMatrixDotTimesV(model, state, data, workspace, out))
      const sum = product(AG, a).map((x, r) => x + bias[r])
      const momentum = (h: number) => filled(6, (out) => centroidalMomentum(model, moved(trial, a, h).data, workspace, out))
      expect(largestDifference(derivative(momentum, 1e-3), sum) / (1 + size(sum))).toBeLessThan(DIFFERENCE)
    })
  })

  test('Euler: it changes by the forces from outside alone, whatever the motors do', () => {
    const random = createRandom(207)
    for (let n = 0; n < 20; n++) {
      // floating, without armature: what a motor gives to its rotor is not in it
      const model = randomTree(random, { bodies: 2 + random.index(12), floating: true, followers: n % 2 === 0 })
      const state = randomState(random, model)
      const workspace = createCentroidalWorkspace(model)
      const data = dataAt(model, state)
      const forcesW = randomVector(random, 6 * model.nb, 5)
      forcesW.fill(0, 0, 6)
      const tau = randomVector(random, model.nv, 5)
      tau.fill(0, 0, 6) // the base has no motor
      const a = filled(model.nv, (out) => abaWithForces(model, state, tau, forcesW, data, out))

      const c = filled(3, (out) => centerOfMass(model, data, out))
      const expected = new Float64Array(6)
      for (let i = 1; i < model.nb; i++) {
        const [n0, n1, n2, f0, f1, f2] = forcesW.slice(6 * i)
        expected[0] += n0 - (c[1] * f2 - c[2] * f1)
        expected[1] += n1 - (c[2] * f0 - c[0] * f2)
        expected[2] += n2 - (c[0] * f1 - c[1] * f0)
        expected[3] += f0
        expected[4] += f1
        expected[5] += f2
      }
      for (let r = 0; r < 3; r++) expected[3 + r] += totalMass(model) * model.gravity[3 + r]

      const AG = filled(6 * model.nv, (out) => centroidalMomentumMatrix(model, data, workspace, out))
      const bias = filled(6, (out) => centroidalMomentumMatrixDotTimesV(model, state, data, workspace, out))
      const rate = product(AG, a).map((x, r) => x + bias[r])
      // A_G a and Adot_G v are up to 1e4 times what is left of them, and a carries the condition of M
      expect(largestDifference(rate, expected) / (size(bias) + size(expected))).toBeLessThan(1e-9)
    }
  })

  test('rotors have no part in it', () => {
    forEachTrial(208, ({ model, data }) => {
      const workspace = createCentroidalWorkspace(model)
      const before = filled(6 * model.nv, (out) => centroidalMomentumMatrix(model, data, workspace, out))
      model.armature.fill(3)
      const after = filled(6 * model.nv, (out) => centroidalMomentumMatrix(model, data, workspace, out))
      expect(after).toEqual(before)
    })
  })
})
