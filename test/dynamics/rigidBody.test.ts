import { describe, expect, test } from 'vitest'
import {
  aba,
  abaWithForces,
  biasForces,
  bodyJacobianW,
  buildModel,
  centerOfMass,
  configurationDifference,
  crba,
  createData,
  createRandom,
  createState,
  type Data,
  directionRow,
  factorize,
  gravityForces,
  integrateConfiguration,
  JointType,
  kinematics,
  kineticEnergy,
  lastVelocity,
  type Model,
  momentumW,
  mulMatrix3,
  place3,
  pointJacobian,
  pointVelocity,
  potentialEnergy,
  quaternionOfRotationVector,
  quaternionStart,
  type Random,
  rnea,
  rotationOfQuaternion,
  type State,
  solve,
  solveL,
  solveLTransposed,
  solveLTransposedOnBranch,
  velocities,
} from '../../dynamics/index.ts'
import { cholesky, choleskySolve, product, transposedProduct } from '../oracle/dense.ts'
import { randomRotation, randomState, randomTree, randomVector, relativeError } from './randomTree.ts'

interface Trial {
  random: Random
  model: Model
  state: State
  data: Data
}

/** 60 random mechanisms at random states: fixed and floating bases, every joint type anywhere, armatures, forests, followers. */
function forEachTrial(seed: number, run: (trial: Trial) => void): void {
  const random = createRandom(seed)
  for (let n = 0; n < 60; n++) {
    const model = randomTree(random, {
      bodies: 1 + random.index(25),
      floating: n % 2 === 0,
      everyType: n % 4 > 1,
      armature: n % 3 === 0,
      followers: n % 5 > 2,
      masslessLeaves: n % 7 === 0,
    })
    if (model.nv === 0) continue
    const state = randomState(random, model)
    const data = createData(model)
    kinematics(model, state, data)
    velocities(model, state, data)
    run({ random, model, state, data })
  }
}

/** The state a short time on at constant acceleration a, to second order in h. */
function moved({ model, state }: Trial, a: Float64Array, h: number): { state: State; data: Data } {
  const next = createState(model)
  next.q.set(state.q)
  next.v.set(state.v)
  const mean = state.v.map((v, k) => v + 0.5 * h * a[k])
  integrateConfiguration(model, state.q, mean, h, next.q)
  for (let k = 0; k < model.nv; k++) next.v[k] += h * a[k]
  const data = createData(model)
  kinematics(model, next, data)
  velocities(model, next, data)
  return { state: next, data }
}

/** Derivative at 0 of a vector-valued function, by central differences of order 4 with the step h. */
function derivative(f: (h: number) => Float64Array, h: number): Float64Array {
  const [a, b, c, d] = [f(-2 * h), f(-h), f(h), f(2 * h)]
  return a.map((_, k) => (a[k] - 8 * b[k] + 8 * c[k] - d[k]) / (12 * h))
}

// Differences of order 4 with h = 1e-3: about 1e-16 / 1e-3 from rounding and 1e-12 times a fifth derivative from
// cutting off, which for speeds near 2 rad/s in chains of ten joints reaches 1e5.
const DIFFERENCE = 1e-6

describe('inverse and forward dynamics', () => {
  test('forward dynamics undoes inverse dynamics on random trees', () => {
    forEachTrial(1, ({ random, model, state, data }) => {
      const a = randomVector(random, model.nv, 5)
      const tau = new Float64Array(model.nv)
      const back = new Float64Array(model.nv)
      rnea(model, state, a, data, tau)
      aba(model, state, tau, data, back)
      expect(relativeError(back, a)).toBeLessThan(1e-10)
    })
  })

  test('M^-1 by forward dynamics is M^-1 by the factorisation, and a dense one', () => {
    forEachTrial(23, ({ model, state, data }) => {
      const { nv } = model
      const rest = createState(model)
      rest.q.set(state.q)
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
    forEachTrial(24, ({ random, model, data }) => {
      crba(model, data)
      // throws at the first pivot that is not positive
      expect(cholesky(data.M, model.nv).every(Number.isFinite)).toBe(true)
      const x = randomVector(random, model.nv)
      expect(dotProduct(x, product(data.M, x))).toBeGreaterThan(0)
    })
  })

  test('the columns of M are the forces of unit accelerations', () => {
    forEachTrial(2, ({ model, state, data }) => {
      const { nv } = model
      const c = new Float64Array(nv)
      const tau = new Float64Array(nv)
      biasForces(model, state, data, c)
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
    forEachTrial(3, ({ model, data }) => {
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
      const near = createData(model)
      const far = createData(model)
      kinematics(model, state, near)
      crba(model, near)
      for (let k = 0; k < 3; k++) state.q[k] += 1000
      kinematics(model, state, far)
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
      const near = new Float64Array(model.nv)
      const far = new Float64Array(model.nv)
      const data = createData(model)
      kinematics(model, state, data)
      aba(model, state, tau, data, near)
      for (let k = 0; k < 3; k++) state.q[k] += 1000
      kinematics(model, state, data)
      aba(model, state, tau, data, far)
      // positions lose four digits there, 1e-13 m; the condition of M multiplies that by up to 1e6
      expect(relativeError(far, near)).toBeLessThan(1e-7)
    }
  })

  test('gravity forces are the gradient of potential energy, and the bias force at rest', () => {
    forEachTrial(4, ({ model, state, data }) => {
      const { nv } = model
      state.v.fill(0)
      const g = new Float64Array(nv)
      const c = new Float64Array(nv)
      gravityForces(model, state, data, g)
      biasForces(model, state, data, c)
      expect(relativeError(g, c)).toBeLessThan(1e-14)

      const energy = new Float64Array(1)
      const gradient = g.map((_, k) => {
        const along = new Float64Array(nv)
        along[k] = 1
        const at = (h: number) => {
          const next = createState(model)
          integrateConfiguration(model, state.q, along, h, next.q)
          kinematics(model, next, data)
          potentialEnergy(model, data, energy)
          return Float64Array.from(energy)
        }
        return derivative(at, 1e-3)[0]
      })
      expect(relativeError(gradient, g)).toBeLessThan(1e-10) // sines and cosines only: cut off at 1e-12, rounded at 1e-13
    })
  })

  test('power: tau . v is the rate of change of mechanical energy', () => {
    forEachTrial(5, (trial) => {
      const { random, model, state, data } = trial
      const a = randomVector(random, model.nv, 3)
      const tau = new Float64Array(model.nv)
      rnea(model, state, a, data, tau)
      const power = tau.reduce((sum, f, k) => sum + f * state.v[k], 0)

      // dE/dt by the chain rule: along v for the configuration, along a for the velocity
      const energy = (at: { state: State; data: Data }) => {
        const out = new Float64Array(2)
        const one = new Float64Array(1)
        kineticEnergy(model, at.state, at.data, one)
        out[0] = one[0]
        potentialEnergy(model, at.data, one)
        return Float64Array.of(out[0] + one[0])
      }
      const rate = derivative((h) => energy(moved(trial, a, h)), 1e-3)[0]
      const size = tau.reduce((sum, f, k) => sum + Math.abs(f * state.v[k]), 0)
      expect(Math.abs(rate - power) / size).toBeLessThan(DIFFERENCE)
    })
  })

  test('kinetic energy is half of v . M v', () => {
    forEachTrial(6, ({ model, state, data }) => {
      const T = new Float64Array(1)
      crba(model, data)
      const Mv = product(data.M, state.v)
      kineticEnergy(model, state, data, T)
      const half = Mv.reduce((sum, p, k) => sum + 0.5 * p * state.v[k], 0)
      expect(Math.abs(T[0] - half) / half).toBeLessThan(1e-12)
    })
  })

  test('forces on bodies do what the generalised forces of their Jacobians do', () => {
    forEachTrial(7, ({ random, model, state, data }) => {
      const { nb, nv } = model
      const tau = randomVector(random, nv, 5)
      const forcesW = randomVector(random, 6 * nb, 5)
      const total = Float64Array.from(tau)
      const J = new Float64Array(6 * nv)
      for (let i = 1; i < nb; i++) {
        bodyJacobianW(model, data, i, J)
        for (let k = 0; k < nv; k++) for (let r = 0; r < 6; r++) total[k] += J[r * nv + k] * forcesW[6 * i + r]
      }
      const direct = new Float64Array(nv)
      const through = new Float64Array(nv)
      abaWithForces(model, state, tau, forcesW, data, direct)
      aba(model, state, total, data, through)
      expect(relativeError(direct, through)).toBeLessThan(1e-10)
    })
  })

  test('momentum changes by the forces from outside: gravity, and the moment of gravity', () => {
    const random = createRandom(8)
    for (let n = 0; n < 20; n++) {
      // floating, no armature: a rotor's inertia, seen only at its own joint, has no momentum in space
      const model = randomTree(random, { bodies: 1 + random.index(12), floating: true })
      const state = randomState(random, model)
      const data = createData(model)
      const a = new Float64Array(model.nv)
      const forcesW = randomVector(random, 6 * model.nb, 5)
      forcesW.fill(0, 0, 6)
      kinematics(model, state, data)
      // the joints' motors push between bodies; the base has none
      const tau = new Float64Array(model.nv)
      for (let k = 6; k < model.nv; k++) tau[k] = random.between(-5, 5)
      abaWithForces(model, state, tau, forcesW, data, a)

      const c = new Float64Array(3)
      centerOfMass(model, data, c)
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

      const momentum = (h: number) => {
        const out = new Float64Array(6)
        momentumW(model, moved({ random, model, state, data }, a, h).data, out)
        return out
      }
      expect(relativeError(derivative(momentum, 1e-3), expected)).toBeLessThan(DIFFERENCE)
    }
  })

  test('linear momentum is mass times the velocity of the centre of mass', () => {
    forEachTrial(9, (trial) => {
      const { model, data } = trial
      const momentum = new Float64Array(6)
      momentumW(model, data, momentum)
      const zero = new Float64Array(model.nv)
      const center = (h: number) => {
        const out = new Float64Array(3)
        centerOfMass(model, moved(trial, zero, h).data, out)
        return out
      }
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
    const data = createData(model)
    const a = new Float64Array(model.nv)
    kinematics(model, state, data)
    expect(() => aba(model, state, new Float64Array(model.nv), data, a)).toThrow(/joint "joint 3".*inertia 0/)
    crba(model, data)
    expect(() => factorize(model, data.M, data.L)).toThrow(/not positive definite.*joint "joint 3"/)
  })

  test('vectors of the wrong length are refused by name', () => {
    const model = randomTree(createRandom(11), { bodies: 5, floating: true })
    const state = createState(model)
    const data = createData(model)
    const right = new Float64Array(model.nv)
    const wrong = new Float64Array(model.nv - 1)
    kinematics(model, state, data)
    expect(() => rnea(model, state, wrong, data, right)).toThrow(/^a has/)
    expect(() => rnea(model, state, right, data, wrong)).toThrow(/^tau has/)
    expect(() => aba(model, state, wrong, data, right)).toThrow(/^tau has/)
    expect(() => factorize(model, data.M, wrong)).toThrow(/^L has/)
    expect(() => kinematics(model, { ...state, q: wrong.slice(1) }, data)).toThrow(/^q has/)
  })
})

describe('factorisation', () => {
  test('L^T L x is M x', () => {
    forEachTrial(12, ({ random, model, data }) => {
      const x = randomVector(random, model.nv)
      crba(model, data)
      factorize(model, data.M, data.L)
      const L = lowerTriangle(data.L)
      expect(relativeError(transposedProduct(L, product(L, x)), product(data.M, x))).toBeLessThan(1e-13)
    })
  })

  test('L keeps the zeros between branches', () => {
    forEachTrial(13, ({ model, data }) => {
      crba(model, data)
      factorize(model, data.M, data.L)
      const { nv, vParent } = model
      for (let k = 0; k < nv; k++) {
        const ancestors = new Set<number>()
        for (let j = k; j >= 0; j = vParent[j]) ancestors.add(j)
        for (let j = 0; j < k; j++) if (!ancestors.has(j)) expect(data.L[k * nv + j]).toBe(0)
      }
    })
  })

  test('solve agrees with a dense Cholesky solution, in place or not', () => {
    forEachTrial(14, ({ random, model, data }) => {
      const b = randomVector(random, model.nv)
      crba(model, data)
      const dense = choleskySolve(data.M, b)
      const x = Float64Array.from(b)
      factorize(model, data.M, data.L)
      solve(model, data.L, x)
      // condition numbers reach 1e6
      expect(relativeError(x, dense)).toBeLessThan(1e-9)

      const y = Float64Array.from(b)
      factorize(model, data.M, data.M)
      solve(model, data.M, y)
      expect(y).toEqual(x)
    })
  })

  test('solveL and solveLTransposed undo L and L^T', () => {
    forEachTrial(15, ({ random, model, data }) => {
      crba(model, data)
      factorize(model, data.M, data.L)
      const L = lowerTriangle(data.L)
      const b = randomVector(random, model.nv)
      const x = product(L, b)
      solveL(model, data.L, x)
      expect(relativeError(x, b)).toBeLessThan(1e-10)
      const y = transposedProduct(L, b)
      solveLTransposed(model, data.L, y)
      expect(relativeError(y, b)).toBeLessThan(1e-10)
    })
  })

  test('the branch form of solveLTransposed gives the same bits on a Jacobian row', () => {
    forEachTrial(16, ({ random, model, data }) => {
      const { nb, nv } = model
      crba(model, data)
      factorize(model, data.M, data.L)
      const body = random.index(nb)
      const rows = new Float64Array(3 * nv)
      const numbers = randomVector(random, 6)
      directionRow(model, data, body, numbers, 0, numbers, 3, 1, rows, nv)
      const whole = rows.slice(nv, 2 * nv)
      solveLTransposed(model, data.L, whole)
      solveLTransposedOnBranch(model, data.L, lastVelocity(model, body), rows, nv)
      expect(rows.slice(nv, 2 * nv)).toEqual(whole)
      expect(rows.slice(0, nv)).toEqual(new Float64Array(nv))
      expect(rows.slice(2 * nv)).toEqual(new Float64Array(nv))
    })
  })
})

describe('kinematics', () => {
  test('a revolute joint turns its body about the axis, along a coordinate axis or not', () => {
    const random = createRandom(22)
    const r = Math.SQRT1_2
    const axes: [number, number, number][] = [
      ...([
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [-1, 0, 0],
        [0, -1, 0],
        [0, 0, -1],
      ] as [number, number, number][]),
      ...([
        [r, r, 0],
        [0, -r, r],
        [0.48, -0.6, 0.64],
      ] as [number, number, number][]),
    ]
    for (const axis of axes) {
      const rotation = randomRotation(random)
      const model = buildModel('one joint', [
        {
          name: 'b',
          jointName: 'j',
          parent: 0,
          jointType: JointType.revolute,
          axis,
          rotation,
          mass: 1,
          inertia: [1, 1, 1, 0, 0, 0],
        },
      ])
      const state = createState(model)
      const data = createData(model)
      state.q[0] = random.between(-3, 3)
      kinematics(model, state, data)
      const turn = new Float64Array(4)
      const R = new Float64Array(9)
      quaternionOfRotationVector(
        turn,
        0,
        Float64Array.from(axis, (x) => x * state.q[0]),
        0,
      )
      rotationOfQuaternion(R, turn, 0)
      mulMatrix3(R, rotation, R)
      expect(relativeError(data.R_WB[1], R)).toBeLessThan(1e-14)
    }
  })

  test('a point Jacobian is the derivative of the point with respect to each velocity', () => {
    forEachTrial(17, ({ random, model, state, data }) => {
      const { nb, nv } = model
      const body = random.index(nb)
      const local = randomVector(random, 3)
      const point = new Float64Array(3)
      place3(point, data.R_WB[body], data.p_WB[body], local)
      const J = new Float64Array(3 * nv)
      pointJacobian(model, data, body, point, J)

      const next = createData(model)
      const columns = new Float64Array(3 * nv)
      for (let k = 0; k < nv; k++) {
        const along = new Float64Array(nv)
        along[k] = 1
        const at = (h: number) => {
          const moving = createState(model)
          integrateConfiguration(model, state.q, along, h, moving.q)
          kinematics(model, moving, next)
          const out = new Float64Array(3)
          place3(out, next.R_WB[body], next.p_WB[body], local)
          return out
        }
        derivative(at, 1e-3).forEach((x, r) => {
          columns[r * nv + k] = x
        })
      }
      if (lastVelocity(model, body) < 0) expect(J).toEqual(new Float64Array(3 * nv))
      else expect(relativeError(columns, J)).toBeLessThan(1e-10) // as for the gradient of potential energy
    })
  })

  test('J v is the velocity of the point, by rows, by directions and by the spatial Jacobian', () => {
    forEachTrial(18, ({ random, model, state, data }) => {
      const { nb, nv } = model
      const body = 1 + random.index(nb - 1)
      const point = randomVector(random, 3)
      const velocity = new Float64Array(3)
      pointVelocity(data, body, point, velocity)

      const J = new Float64Array(3 * nv)
      pointJacobian(model, data, body, point, J)
      const Jv = velocity.map((_, r) => state.v.reduce((sum, v, k) => sum + J[r * nv + k] * v, 0))
      const size = 1 + Math.hypot(...velocity)
      for (let r = 0; r < 3; r++) expect(Math.abs(Jv[r] - velocity[r]) / size).toBeLessThan(1e-12)

      const JW = new Float64Array(6 * nv)
      bodyJacobianW(model, data, body, JW)
      const V = Array.from({ length: 6 }, (_, r) => state.v.reduce((sum, v, k) => sum + JW[r * nv + k] * v, 0))
      const fromSpatial = [
        V[3] + V[1] * point[2] - V[2] * point[1],
        V[4] + V[2] * point[0] - V[0] * point[2],
        V[5] + V[0] * point[1] - V[1] * point[0],
      ]
      for (let r = 0; r < 3; r++) expect(Math.abs(fromSpatial[r] - velocity[r]) / size).toBeLessThan(1e-12)

      const direction = randomVector(random, 3)
      const row = new Float64Array(nv)
      directionRow(model, data, body, point, 0, direction, 0, -1, row, 0)
      const speed = state.v.reduce((sum, v, k) => sum + row[k] * v, 0)
      const expected = -(direction[0] * velocity[0] + direction[1] * velocity[1] + direction[2] * velocity[2])
      expect(Math.abs(speed - expected) / size).toBeLessThan(1e-12)
    })
  })

  test('q0 (+) (q1 (-) q0) is q1', () => {
    forEachTrial(19, ({ random, model, state }) => {
      const other = randomState(random, model)
      const d = new Float64Array(model.nv)
      const back = new Float64Array(model.nq)
      configurationDifference(model, state.q, other.q, d)
      integrateConfiguration(model, state.q, d, 1, back)
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
})

function dotProduct(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, x, k) => sum + x * b[k], 0)
}

/** What of L is written and read. */
function lowerTriangle(L: Float64Array): Float64Array {
  const n = Math.sqrt(L.length)
  return L.map((l, k) => (k % n <= Math.floor(k / n) ? l : 0))
}

/** Mass of all bodies [kg]. */
function totalMass({ I }: Model): number {
  return I.reduce((mass, [m]) => mass + m, 0)
}
