import { describe, expect, test } from 'vitest'
import {
  aba,
  accelerations,
  addPassiveForces,
  bodyFrames,
  bodyJacobianW,
  bodyVelocityW,
  buildModel,
  directionRow,
  frameAcceleration,
  frameIndex,
  frameJacobian,
  frameJacobianDotTimesV,
  frameJacobianLocal,
  frameJacobianLocalDotTimesV,
  framePose,
  frameVelocity,
  frameVelocityLocal,
  JOINT_STICK_SPEED,
  JointType,
  kinematics,
  mulX,
  place3,
  pointAcceleration,
  pointJacobian,
  pointJacobianDotTimesV,
  pointVelocity,
  power,
  rnea,
  rotateTransposed3,
  velocities,
} from '../../dynamics/index.ts'
import { dataAt, energiesOf, filled, stateOf } from './at.ts'
import { body, slide, solid } from './bodies.ts'
import { randomVector, relativeError } from './randomTree.ts'
import { derivative, forEachTrial, largestDifference, moved, product, randomFrame, size } from './trials.ts'

// Central differences of order 4 with h = 1e-3: 1e-13 from rounding, 1e-12 times a fifth derivative from cutting off, which
// in chains of ten joints at 1 rad/s each reaches 1e5.
const DIFFERENCE = 1e-6
/** Sums of at most 100 terms of either sign, of which few cancel. */
const ROUNDING = 1e-12

describe('accelerations', () => {
  test('the acceleration of a point of a body is the derivative of its velocity', () => {
    forEachTrial(101, (trial) => {
      const { random, model, state, data } = trial
      const body = random.index(model.nb)
      const local = randomVector(random, 3, 0.5)
      const a = randomVector(random, model.nv)
      const point = new Float64Array(3)
      accelerations(model, state, a, data)
      place3(point, data.R_WB[body], data.p_WB[body], local)
      const out = filled(3, (out) => pointAcceleration(data, body, point, out))

      const velocity = (h: number) => {
        const next = moved(trial, a, h).data
        const at = new Float64Array(3)
        place3(at, next.R_WB[body], next.p_WB[body], local)
        pointVelocity(next, body, at, at)
        return at
      }
      expect(largestDifference(derivative(velocity, 1e-3), out) / (1 + size(out))).toBeLessThan(DIFFERENCE)
    })
  })

  test('accelerations are those of inverse dynamics with gravity taken off again', () => {
    forEachTrial(102, ({ random, model, state, data }) => {
      const a = randomVector(random, model.nv)
      rnea(model, state, a, data, new Float64Array(model.nv))
      accelerations(model, state, a, data)
      const g = new Float64Array(6)
      for (let i = 1; i < model.nb; i++) {
        rotateTransposed3(g, data.R_WB[i], model.gravity.slice(3))
        const expected = data.A[i].map((x, k) => (k < 3 ? x : x + g[k - 3]))
        expect(largestDifference(data.trueA[i], expected) / (1 + size(expected))).toBeLessThan(ROUNDING)
      }
    })
  })
})

describe('Jacobians', () => {
  test('a point: its acceleration is J a + Jdot v', () => {
    forEachTrial(103, ({ random, model, state, data }) => {
      const { nb, nv } = model
      const body = random.index(nb)
      const a = randomVector(random, nv)
      const point = randomVector(random, 3)
      const out = new Float64Array(3)
      const J = filled(3 * nv, (out) => pointJacobian(model, data, body, point, out))
      const bias = filled(3, (out) => pointJacobianDotTimesV(model, state, data, body, point, out))
      accelerations(model, state, a, data)
      pointAcceleration(data, body, point, out)
      const sum = product(J, a).map((x, r) => x + bias[r])
      expect(largestDifference(sum, out) / (1 + size(out))).toBeLessThan(ROUNDING)
    })
  })

  test('Jdot v of a point is the derivative of its Jacobian along the motion, times v', () => {
    forEachTrial(104, (trial) => {
      const { random, model, state, data } = trial
      const { nb, nv } = model
      const body = random.index(nb)
      const local = randomVector(random, 3, 0.5)
      const point = new Float64Array(3)
      place3(point, data.R_WB[body], data.p_WB[body], local)
      const out = filled(3, (out) => pointJacobianDotTimesV(model, state, data, body, point, out))
      const still = new Float64Array(nv)
      const rows = (h: number) => {
        const next = moved(trial, still, h).data
        place3(point, next.R_WB[body], next.p_WB[body], local)
        const J = filled(3 * nv, (out) => pointJacobian(model, next, body, point, out))
        return product(J, state.v)
      }
      expect(largestDifference(derivative(rows, 1e-3), out) / (1 + size(out))).toBeLessThan(DIFFERENCE)
    })
  })

  test("a frame's velocity is the derivative of its pose", () => {
    forEachTrial(105, (trial) => {
      const { data } = trial
      const frame = randomFrame(trial)
      const still = new Float64Array(trial.model.nv)
      const pose = (h: number) => {
        const R = new Float64Array(9)
        const p = filled(3, (out) => framePose(moved(trial, still, h).data, frame, R, out))
        return Float64Array.of(...R, ...p)
      }
      const rate = derivative(pose, 1e-3)
      const now = pose(0)
      // Rdot R^T = omega~
      const W = (r: number, c: number) => [0, 1, 2].reduce((sum, k) => sum + rate[3 * r + k] * now[3 * c + k], 0)
      const out = filled(6, (out) => frameVelocity(data, frame, out))
      expect(largestDifference(out, [W(2, 1), W(0, 2), W(1, 0), ...rate.slice(9)])).toBeLessThan(DIFFERENCE)
    })
  })

  test('a frame: J v is its velocity, in world axes and in its own', () => {
    forEachTrial(106, (trial) => {
      const { model, state, data } = trial
      const frame = randomFrame(trial)
      const out = filled(6, (out) => frameVelocity(data, frame, out))
      const J = filled(6 * model.nv, (out) => frameJacobian(model, data, frame, out))
      expect(largestDifference(product(J, state.v), out) / (1 + size(out))).toBeLessThan(ROUNDING)

      const R = new Float64Array(9)
      framePose(data, frame, R, new Float64Array(3))
      const turned = new Float64Array(6)
      rotateTransposed3(turned, R, out)
      const linear = out.slice(3)
      rotateTransposed3(linear, R, linear)
      turned.set(linear, 3)
      frameVelocityLocal(data, frame, out)
      expect(largestDifference(out, turned) / (1 + size(turned))).toBeLessThan(ROUNDING)
      frameJacobianLocal(model, data, frame, J)
      expect(largestDifference(product(J, state.v), turned) / (1 + size(turned))).toBeLessThan(ROUNDING)
    })
  })

  test('a frame: the derivative of its velocity is J a + Jdot v, in world axes and in its own', () => {
    forEachTrial(107, (trial) => {
      const { random, model, state, data } = trial
      const frame = randomFrame(trial)
      const a = randomVector(random, model.nv)
      const J = new Float64Array(6 * model.nv)
      const bias = new Float64Array(6)
      for (const [velocity, jacobian, dotTimesV] of [
        [frameVelocity, frameJacobian, frameJacobianDotTimesV],
        [frameVelocityLocal, frameJacobianLocal, frameJacobianLocalDotTimesV],
      ] as const) {
        jacobian(model, data, frame, J)
        dotTimesV(model, state, data, frame, bias)
        const sum = product(J, a).map((x, r) => x + bias[r])
        const at = (h: number) => filled(6, (out) => velocity(moved(trial, a, h).data, frame, out))
        expect(largestDifference(derivative(at, 1e-3), sum) / (1 + size(sum))).toBeLessThan(DIFFERENCE)
      }
      const sum = new Float64Array(6)
      frameJacobian(model, data, frame, J)
      frameJacobianDotTimesV(model, state, data, frame, bias)
      product(J, a).forEach((x, r) => {
        sum[r] = x + bias[r]
      })
      accelerations(model, state, a, data)
      const out = filled(6, (out) => frameAcceleration(data, frame, out))
      expect(largestDifference(out, sum) / (1 + size(sum))).toBeLessThan(ROUNDING)
    })
  })

  test("a body's own frame moves as the body: spatial velocity in its axes, and by the Jacobian about the world's origin", () => {
    forEachTrial(108, ({ random, model, state, data }) => {
      const { nb, nv } = model
      const frames = bodyFrames(model)
      const body = 1 + random.index(nb - 1)
      const out = filled(6, (out) => frameVelocityLocal(data, frames[body], out))
      expect(largestDifference(out, data.V[body]) / (1 + size(out))).toBeLessThan(ROUNDING)

      const J = filled(6 * nv, (out) => bodyJacobianW(model, data, body, out))
      bodyVelocityW(data, body, out)
      expect(largestDifference(product(J, state.v), out) / (1 + size(out))).toBeLessThan(ROUNDING)

      // and moved from the world's origin to the body's it is the velocity in the body's axes again
      const back = new Float64Array(6)
      const R = data.R_WB[body]
      const E = Float64Array.of(R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8], ...data.p_WB[body])
      mulX(back, E, out)
      expect(largestDifference(back, data.V[body]) / (1 + size(back))).toBeLessThan(ROUNDING)
    })
  })

  test('a body that does not exist is refused by number', () => {
    forEachTrial(109, ({ model, state, data }) => {
      const { nb, nv } = model
      const point = new Float64Array(3)
      const J = new Float64Array(3 * nv)
      const expected = new RegExp(`^body is ${nb}; expected a whole number from 0`)
      expect(() => pointJacobian(model, data, nb, point, J)).toThrow(expected)
      expect(() => directionRow(model, data, nb, point, 0, point, 0, 1, J, 0)).toThrow(expected)
      expect(() => pointJacobianDotTimesV(model, state, data, nb, point, point)).toThrow(expected)
      expect(() => pointAcceleration(data, -1, point, point)).toThrow(/^body is -1/)
      const frame = { ...bodyFrames(model)[0], body: nb }
      expect(() => frameJacobian(model, data, frame, new Float64Array(6 * nv))).toThrow(expected)
      expect(() => frameVelocity(data, bodyFrames(model)[0], point)).toThrow(/^out has 3 entries/)
    })
  })
})

describe('power', () => {
  test('efforts and losses are the rate of change of mechanical energy, with gravity that of kinetic energy', () => {
    forEachTrial(110, (trial) => {
      const { random, model, state, data } = trial
      const { nv } = model
      // more than one joint in four sticks, slower than the stick speed
      for (let k = 0; k < nv; k++) {
        model.damping[k] = random.between(0, 2)
        model.friction[k] = random.between(0, 2)
        if (random.next() < 0.3) state.v[k] *= JOINT_STICK_SPEED
        if (model.jointType[model.bodyOfV[k]] <= JointType.prismatic) model.stiffness[k] = random.between(0, 2)
        model.springReference[k] = random.between(-1, 1)
      }
      kinematics(model, state, data)
      velocities(model, state, data)
      const tau = randomVector(random, nv, 5)
      const total = Float64Array.from(tau)
      addPassiveForces(model, state, JOINT_STICK_SPEED, total)
      const a = filled(nv, (out) => aba(model, state, total, data, out))
      const out = filled(3, (out) => power(model, state, tau, data, out))

      // dT/dt and dV/dt by the chain rule: along v for the configuration, along a for the velocity
      const unit = 1 / (1 + size(a)) // an acceleration of 1e3 would make h of 1e-3 too long
      const energies = (h: number) => {
        const next = moved(trial, a, h)
        return Float64Array.from(energiesOf(model, next.state, next.data))
      }
      const [kinetic, potential] = derivative(energies, 1e-2 * unit)
      const scale = 1 + size(out) + tau.reduce((sum, f, k) => sum + Math.abs(f * state.v[k]), 0)
      // rounding of energies of 1e2 J over steps of 1e-2 unit
      const tolerance = DIFFERENCE + 1e-12 / unit
      expect(Math.abs(kinetic - (out[0] + out[1] + out[2])) / scale).toBeLessThan(tolerance)
      expect(Math.abs(-potential - out[1]) / scale).toBeLessThan(tolerance)
      expect(out[2]).toBeLessThanOrEqual(0)
    })
  })

  test('a sliding block: friction takes f |v|, damping d v^2, gravity gives m g v', () => {
    const model = buildModel('block', [
      body('block', slide('rail', 0, [0, 0, 1]), solid(2, [1, 1, 1]), { damping: 3, friction: 5 }),
    ])
    const state = stateOf(model, [], [-0.5])
    const data = dataAt(model, state)
    const out = filled(3, (out) => power(model, state, Float64Array.of(4), data, out))
    expect(relativeError(out, [-2, 2 * 9.81 * 0.5, -(3 * 0.25 + 5 * 0.5)])).toBeLessThan(1e-15)
  })
})

describe('frames by name', () => {
  const model = buildModel('arm', [
    {
      name: 'upper_arm',
      jointName: 'shoulder',
      parent: 0,
      jointType: JointType.spherical,
      mass: 1,
      inertia: [1, 1, 1, 0, 0, 0],
    },
    { name: 'forearm', jointName: 'elbow', parent: 1, jointType: JointType.fixed, mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
  ])

  test('a frame is found by its name', () => {
    const frames = bodyFrames(model)
    expect(frames.map(({ name }) => name)).toEqual(['world', 'upper_arm', 'forearm'])
    expect(frameIndex(frames, 'forearm')).toBe(2)
  })

  test('a name that is not there is answered with those nearest to it', () => {
    const frames = bodyFrames(model)
    expect(() => frameIndex(frames, 'fore_arm')).toThrow('no frame "fore_arm" among 3; the nearest names are "forearm"')
    expect(() => frameIndex(frames, 'constructor')).toThrow(RangeError)
    expect(() => frameIndex([], 'x')).toThrow('empty')
  })
})
