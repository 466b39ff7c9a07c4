import { describe, expect, test } from 'vitest'
import {
  buildModel,
  configurationDifference,
  createRandom,
  createState,
  integrateConfiguration,
  JointType,
  quaternionStart,
  rotationOfQuaternion,
} from '../../dynamics/index.ts'
import { filled, stateOf } from './at.ts'
import { randomState, randomTree, relativeError } from './randomTree.ts'
import { forEachTree } from './trials.ts'

describe('the exponential map', () => {
  test('a constant body velocity in one step or in many leads to the same pose', () => {
    const random = createRandom(6)
    for (let n = 0; n < 20; n++) {
      const model = randomTree(random, { bodies: 5, everyType: true, floatingAnywhere: true })
      const state = randomState(random, model)
      const many = Float64Array.from(state.q)
      const once = filled(model.nq, (out) => integrateConfiguration(model, state.q, state.v, 1, out))
      for (let k = 0; k < 64; k++) integrateConfiguration(model, many, state.v, 1 / 64, many)
      expect(relativeError(many, once)).toBeLessThan(1e-13)
    }
  })

  test('a screw motion: half a turn about z while moving along x ends on the y axis', () => {
    const model = buildModel('stone', [
      { name: 'stone', jointName: 'free', parent: 0, jointType: JointType.floating, mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
    ])
    const state = stateOf(model, [5, 0, 0])
    const v = Float64Array.of(0, 0, Math.PI, Math.PI, 0, 1)
    integrateConfiguration(model, state.q, v, 1, state.q)
    // a circle of radius 1 (speed / rate), entered along x and turning left: 2 to the left after half of it
    const expected = [5, 2, 1, 0, 0, 1, 0]
    expected.forEach((x, k) => {
      expect(state.q[k]).toBeCloseTo(x, 14)
    })
  })

  test('small and large turns meet where the series takes over', () => {
    const model = buildModel('stone', [
      { name: 'stone', jointName: 'free', parent: 0, jointType: JointType.floating, mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
    ])
    // a^2 = 0.03 on either side
    for (const a of [Math.sqrt(0.03) * (1 - 1e-15), Math.sqrt(0.03) * (1 + 1e-15)]) {
      const state = createState(model)
      integrateConfiguration(model, state.q, Float64Array.of(0, 0, a, 1, 0, 0), 1, state.q)
      // the closed form, cos and sin by Math
      expect(state.q[0]).toBeCloseTo(Math.sin(a) / a, 15)
      expect(state.q[1]).toBeCloseTo((2 * Math.sin(a / 2) ** 2) / a, 15)
    }
  })

  test('the difference of two configurations undoes small steps and large, for every joint type', () => {
    const random = createRandom(9)
    for (let n = 0; n < 20; n++) {
      const model = randomTree(random, { bodies: 8, everyType: true, followers: n % 2 === 0 })
      const { q, v } = randomState(random, model)
      const q1 = new Float64Array(model.nq)
      const d = new Float64Array(model.nv)
      // turns from 1e-7 to 2.9 rad: a rotation vector, or a turn in a plane, comes back while it is shorter than pi
      for (const size of [1e-7, 1e-3, 0.1, 0.17, 0.18, 1, 2.9]) {
        const step = v.map((x) => (x * size) / (2 * Math.sqrt(3)))
        integrateConfiguration(model, q, step, 1, q1)
        configurationDifference(model, q, q1, d)
        for (let k = 0; k < model.nv; k++) expect(Math.abs(d[k] - step[k])).toBeLessThan(1e-14)
      }
    }
  })

  test('quaternions keep length 1 over 10,000 steps, of floating and of spherical joints', () => {
    const random = createRandom(7)
    for (const jointType of [JointType.floating, JointType.spherical]) {
      const model = buildModel('stone', [
        { name: 'stone', jointName: 'free', parent: 0, jointType, mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
      ])
      const { q, v } = randomState(random, model)
      for (let n = 0; n < 10_000; n++) integrateConfiguration(model, q, v, 1e-3, q)
      // one scaling leaves 3e-16; without it the roundings of 10,000 products add up to 1e-14
      expect(Math.abs(Math.hypot(...q.slice(quaternionStart(model, 1))) - 1)).toBeLessThan(3e-16)
    }
  })

  test('the velocity of a floating body is the derivative of its pose in body axes', () => {
    const random = createRandom(8)
    const model = randomTree(random, { bodies: 1, floating: true })
    const { q, v } = randomState(random, model)
    const R = new Float64Array(9)
    rotationOfQuaternion(R, q, 3)
    const h = 1e-5
    const forth = filled(7, (out) => integrateConfiguration(model, q, v, h, out))
    const back = filled(7, (out) => integrateConfiguration(model, q, v, -h, out))
    for (let r = 0; r < 3; r++) {
      const rate = (forth[r] - back[r]) / (2 * h)
      const expected = R[3 * r] * v[3] + R[3 * r + 1] * v[4] + R[3 * r + 2] * v[5]
      expect(Math.abs(rate - expected)).toBeLessThan(1e-9) // h^2 and 1e-16 / h
    }
  })

  test('q0 (+) (q1 (-) q0) is q1', () => {
    forEachTree(19, ({ random, model, state }) => {
      const other = randomState(random, model)
      const d = filled(model.nv, (out) => configurationDifference(model, state.q, other.q, out))
      const back = filled(model.nq, (out) => integrateConfiguration(model, state.q, d, 1, out))
      for (let i = 1; i < model.nb; i++) {
        const k = quaternionStart(model, i)
        if (k >= 0) {
          // a quaternion and its negative are one rotation
          const dot = [0, 1, 2, 3].reduce((sum, j) => sum + back[k + j] * other.q[k + j], 0)
          if (dot < 0) for (let j = 0; j < 4; j++) back[k + j] *= -1
        }
        if (model.jointType[i] === JointType.planar) {
          // and so are angles that differ by a whole turn
          const angle = model.qStart[i] + 2
          back[angle] += 2 * Math.PI * Math.round((other.q[angle] - back[angle]) / (2 * Math.PI))
        }
      }
      expect(relativeError(back, other.q)).toBeLessThan(1e-13)
    })
  })

  test('whole turns of a planar joint count for nothing in a difference, which is the shorter way round', () => {
    const model = buildModel('puck', [
      {
        ...{ name: 'puck', jointName: 'ice', parent: 0, jointType: JointType.planar, axis: [0, 0, 1] },
        ...{ mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
      },
    ])
    const d = new Float64Array(3)
    // three turns and 0.5 rad, in place
    configurationDifference(model, Float64Array.of(1, 2, 0.25), Float64Array.of(1, 2, 0.75 + 6 * Math.PI), d)
    expect([d[0], d[1]]).toEqual([0, 0])
    expect(d[2]).toBeCloseTo(0.5, 13)
    // 3.2 rad one way is 2 pi - 3.2 the other
    configurationDifference(model, Float64Array.of(0, 0, 1.5), Float64Array.of(0, 0, -1.5 - 0.2), d)
    expect(d[2]).toBeCloseTo(2 * Math.PI - 3.2, 13)
  })
})
