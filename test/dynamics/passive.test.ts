import { describe, expect, test } from 'vitest'
import {
  type BodyDefinition,
  biasForces,
  buildModel,
  clampEfforts,
  crba,
  createData,
  createImplicitPassiveWorkspace,
  createRandom,
  createState,
  HOLD_SPEED,
  implicitPassiveEuler,
  JOINT_STICK_SPEED,
  JointType,
  kinematics,
  lossPower,
  type Model,
  passiveForces,
  type State,
} from '../../dynamics/index.ts'
import { trials } from '../dailyModels.ts'
import { energiesOf, filled, stateOf } from './at.ts'
import { randomBodies, randomState, randomTree, randomVector } from './randomTree.ts'
import { largestDifference, product } from './trials.ts'

/** A flywheel on an axle, or a block on a level rail: one velocity, inertia 2. */
function single(losses: Partial<BodyDefinition>): Model {
  return buildModel('one joint', [
    {
      name: 'block',
      jointName: 'rail',
      parent: 0,
      jointType: JointType.prismatic,
      axis: [1, 0, 0],
      mass: 2,
      inertia: [1, 1, 1, 0, 0, 0],
      ...losses,
    },
  ])
}

/** Runs `steps` implicit steps from `state`, which it changes, at constant efforts. */
function run(model: Model, state: State, tau: Float64Array, dt: number, steps: number): void {
  const data = createData(model)
  const workspace = createImplicitPassiveWorkspace(model)
  for (let n = 0; n < steps; n++) {
    kinematics(model, state, data)
    implicitPassiveEuler(model, state, tau, dt, data, workspace)
  }
  expect(workspace.unsettled[0]).toBe(0)
}

describe('joint losses', () => {
  test('damping is d v; friction is f against the motion, and viscous below the stick speed', () => {
    const model = single({ damping: 3, friction: 5 })
    const out = new Float64Array(1)
    for (const [v, expected] of [
      [2, -6 - 5],
      [-2, 6 + 5],
      [0, 0],
      [JOINT_STICK_SPEED / 2, -1.5 * JOINT_STICK_SPEED - 2.5],
      [-JOINT_STICK_SPEED / 4, 0.75 * JOINT_STICK_SPEED + 1.25],
    ]) {
      passiveForces(model, { ...createState(model), v: Float64Array.of(v) }, out)
      expect(Math.abs(out[0] - expected)).toBeLessThan(1e-15)
    }
  })

  test('they never give energy', () => {
    const random = createRandom(1)
    for (let n = 0; n < 100; n++) {
      const model = randomTree(random, { bodies: 6, everyType: true, followers: true })
      model.damping.set(randomVector(random, model.nv).map(Math.abs))
      model.friction.set(randomVector(random, model.nv).map(Math.abs))
      const v = randomVector(random, model.nv, random.next() < 0.5 ? 2 : 2e-3)
      const power = new Float64Array(1)
      const out = filled(model.nv, (out) => passiveForces(model, { ...createState(model), v }, out))
      lossPower(model, v, power, 0)
      const expected = out.reduce((sum, f, k) => sum + f * v[k], 0)
      expect(expected).toBeLessThanOrEqual(0)
      expect(Math.abs(power[0] - expected)).toBeLessThan(1e-14)
    }
  })

  test('efforts are clamped into what the motors give, in both directions', () => {
    const model = randomTree(createRandom(2), { bodies: 5 })
    model.effortLimit.set([3, 0].slice(0, model.nv))
    const tau = new Float64Array(model.nv).fill(-7)
    tau[1] = 7
    clampEfforts(model, tau)
    expect(Array.from(tau.slice(0, 3))).toEqual([-3, 0, -7])
    expect(() => clampEfforts(model, new Float64Array(1))).toThrow(/^tau has/)
  })
})

describe('losses at the end of the step', () => {
  test('a heavily damped light joint decays by 1 / (1 + dt d / I) a step, where an explicit step explodes', () => {
    // dt d / I = 1000; explicitly v would be multiplied by 1 - 1000 a step
    const model = single({ mass: 1e-4, damping: 10 })
    const dt = 1e-2
    const state = stateOf(model, [], [1])
    for (let n = 1; n <= 5; n++) {
      run(model, state, new Float64Array(1), dt, 1)
      expect(Math.abs(state.v[0] * 1001 ** n - 1)).toBeLessThan(1e-12)
    }
  })

  test('an oscillator takes the steps of implicit Euler, at any stiffness', () => {
    for (const stiffness of [10, 1e4, 1e12]) {
      const model = single({ damping: 3, stiffness, springReference: 0.2 })
      const [dt, tau] = [1e-2, 5]
      const state = stateOf(model, [0.5])
      for (let n = 0; n < 100; n++) {
        // 2 (v' - v) / h = tau - d v' - k (q' - rest), q' = q + h v'
        const v = (2 * state.v[0] + dt * (tau - stiffness * (state.q[0] - 0.2))) / (2 + 3 * dt + stiffness * dt * dt)
        const q = state.q[0] + dt * v
        run(model, state, Float64Array.of(tau), dt, 1)
        expect(Math.abs(state.q[0] - q)).toBeLessThan(1e-14)
      }
      if (stiffness === 1e12) expect(Math.abs(state.q[0] - 0.2 - tau / stiffness)).toBeLessThan(1e-15)
    }
  })

  test('on ever stiffer springs with dry friction, trees come to rest where the springs do', () => {
    const random = createRandom(7)
    for (let n = 0; n < 10; n++) {
      const model = randomTree(random, { bodies: 8 })
      model.gravity.fill(0)
      for (let k = 0; k < model.nv; k++) {
        model.friction[k] = random.between(5, 20)
        model.stiffness[k] = 10 ** random.between(5, 9)
        model.springReference[k] = random.between(-1, 1)
      }
      const state = randomState(random, model)
      run(model, state, new Float64Array(model.nv), 1e-2, 1000)
      // friction holds a spring away from its rest by up to f / k
      for (let k = 0; k < model.nv; k++)
        expect(Math.abs(state.q[k] - model.springReference[k])).toBeLessThan(model.friction[k] / model.stiffness[k] + 1e-9)
    }
  })

  test('a joint with ever more damping becomes a weld: the others move as if it were one', () => {
    const random = createRandom(3)
    for (let n = 0; n < 10; n++) {
      const bodies = randomBodies(random, { bodies: 8, floating: true })
      const at = bodies.findIndex(({ jointType }, i) => i > 1 && jointType === JointType.revolute)
      const gravity: [number, number, number] = [0, 0, -9.81]
      const free = buildModel('damped', bodies, gravity)
      const { jointType: _, axis: __, ...rest } = bodies[at]
      const welded = buildModel('welded', bodies.with(at, { ...rest, jointType: JointType.fixed }), gravity)
      const k = free.vStart[at + 1]
      const without = (x: Float64Array, index: number) => x.filter((_, j) => j !== index)

      // the joint at 0, where its body stands as the weld holds it
      const state = randomState(random, free)
      state.q[free.qStart[at + 1]] = 0
      state.v[k] = 0
      const stiff = stateOf(welded, without(state.q, free.qStart[at + 1]), without(state.v, k))
      free.damping[k] = 1e10
      const tau = randomVector(random, free.nv)
      run(free, state, tau, 1e-3, 5)
      run(welded, stiff, without(tau, k), 1e-3, 5)
      expect(Math.abs(state.v[k])).toBeLessThan(1e-6) // load / d, of loads of some 1e3
      expect(largestDifference(without(state.v, k), stiff.v)).toBeLessThan(1e-6)
    }
  })

  test('trees with damping of 1e4 on every joint come to rest against it, never faster than before', () => {
    const random = createRandom(4)
    for (let n = 0; n < trials(10); n++) {
      const model = randomTree(random, { bodies: 8, everyType: true, followers: n % 2 === 0 })
      model.gravity.fill(0)
      model.damping.fill(1e4)
      const state = randomState(random, model)
      const kinetic = () => energiesOf(model, state)[0]
      let before = kinetic()
      for (let k = 0; k < 100; k++) {
        run(model, state, new Float64Array(model.nv), 1e-2, 1)
        const after = kinetic()
        expect(after).toBeLessThanOrEqual(before)
        before = after
      }
      expect(before).toBeLessThan(1e-12)
    }
  })

  test('dry friction stops a block after v^2 m / 2 f, and does not turn it round', () => {
    const model = single({ friction: 4 })
    const [v0, dt] = [3, 1e-3]
    const state = stateOf(model, [], [v0])
    for (let n = 0; n < 200; n++) {
      run(model, state, new Float64Array(1), dt, 10)
      expect(state.v[0]).toBeGreaterThanOrEqual(0)
    }
    expect(state.v[0]).toBeLessThan(1e-12)
    // the end-of-step velocity lags by half a step of v0
    expect(Math.abs(state.q[0] - (v0 * v0 * 2) / (2 * 4))).toBeLessThan(v0 * dt)
  })

  test('a joint under a load below its friction stands still: less than 1e-9 rad in 30 s', () => {
    const model = single({ friction: 4 })
    for (const load of [-3.9, -1, 0.5, 3]) {
      const state = createState(model)
      state.v[0] = 0.02 * Math.sign(load) // sliding at first
      run(model, state, Float64Array.of(load), 1e-2, 3000)
      const stopped = state.q[0]
      run(model, state, Float64Array.of(load), 1e-2, 3000)
      expect(Math.abs(state.q[0] - stopped)).toBeLessThan(1e-9)
    }
  })

  test('trees with dry friction on every joint come to rest', () => {
    const random = createRandom(5)
    for (let n = 0; n < trials(10); n++) {
      const model = randomTree(random, { bodies: 8, everyType: true, followers: n % 2 === 0, armature: true })
      model.gravity.fill(0)
      for (let k = 0; k < model.nv; k++) model.friction[k] = random.between(5, 20)
      const state = randomState(random, model)
      run(model, state, new Float64Array(model.nv), 5e-3, 3000)
      for (const v of state.v) expect(Math.abs(v)).toBeLessThan(HOLD_SPEED)
    }
  })

  test('what is missing from M dv = dt (tau - c - D v) is friction: at most f, against the motion, f where it slides', () => {
    const random = createRandom(6)
    let sliding = 0
    let sticking = 0
    for (let n = 0; n < trials(20); n++) {
      // revolute and prismatic joints, whose velocities need no change of axes in a step
      const model = randomTree(random, { bodies: 20, followers: n % 2 === 0, armature: true })
      const { nv } = model
      for (let k = 0; k < nv; k++) {
        model.friction[k] = random.between(0.01, 100)
        model.damping[k] = random.between(0, 1)
      }
      const state = randomState(random, model)
      const tau = randomVector(random, nv, 30)
      const dt = 5e-3
      const data = createData(model)
      const c = new Float64Array(nv)
      for (let step = 0; step < 20; step++) {
        kinematics(model, state, data)
        crba(model, data)
        biasForces(model, state, data, c)
        const before = state.v.slice()
        run(model, state, tau, dt, 1)
        const momentum = product(
          data.M,
          state.v.map((v, k) => v - before[k]),
        )
        for (let k = 0; k < nv; k++) {
          const v = state.v[k]
          const lost = tau[k] - c[k] - model.damping[k] * v - momentum[k] / dt
          // M dv / dt is a sum of terms of up to 1e5 N m
          const rounding = 1e-8 * (1 + Math.abs(c[k]) + Math.abs(momentum[k] / dt))
          const f = model.friction[k]
          expect(Math.abs(lost)).toBeLessThan(f + rounding)
          expect(lost * v).toBeGreaterThan(-rounding * Math.abs(v))
          if (Math.abs(v) > HOLD_SPEED * (1 + 1e-6)) {
            sliding++
            expect(Math.abs(Math.abs(lost) - f)).toBeLessThan(rounding)
          } else sticking++
        }
      }
    }
    expect(Math.min(sliding, sticking)).toBeGreaterThan(trials(500))
  })
})
