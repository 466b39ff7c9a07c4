import { describe, expect, test } from 'vitest'
import {
  aba,
  abaWithForces,
  type BodyDefinition,
  biasForces,
  bodyJacobianW,
  buildModel,
  crba,
  createData,
  createRandom,
  createState,
  type Data,
  factorize,
  gravityForces,
  JointType,
  kinematics,
  type Model,
  momentumW,
  type Random,
  rnea,
  type State,
  solve,
} from '../../dynamics/index.ts'
import { choleskySolve, product, transposedProduct } from '../oracle/dense.ts'
import { accelerationAt, dataAt, energiesOf, filled, stateOf } from './at.ts'
import { randomBodies, randomState, randomTriple, randomVector, relativeError } from './randomTree.ts'

/** The same mechanism twice: with joints that follow others, and with all joints free, where those are told where to be. */
interface Pair {
  readonly random: Random
  readonly model: Model
  readonly free: Model
  readonly state: State
  readonly freeState: State
  readonly data: Data
  readonly freeData: Data
  /** free nv x nv row-major: velocities of the free mechanism = G v. */
  readonly G: Float64Array
}

function forEachPair(seed: number, run: (pair: Pair) => void): void {
  const random = createRandom(seed)
  for (let n = 0; n < 40; ) {
    const bodies = randomBodies(random, {
      bodies: 3 + random.index(25),
      everyType: true,
      floating: n % 2 === 0,
      followers: true,
      masslessLeaves: n % 3 === 0,
    })
    if (!bodies.some(({ follows }) => follows !== undefined)) continue
    n++
    const gravity = randomTriple(random, 10)
    const model = buildModel('followed', bodies, gravity)
    const free = buildModel(
      'free',
      bodies.map((body) => ({ ...body, follows: undefined })),
      gravity,
    )
    const state = randomState(random, model)
    const freeState = createState(free)
    const G = new Float64Array(free.nv * model.nv)
    for (let i = 1; i < model.nb; i++) {
      const { follows, multiplier = 1, offset = 0 } = bodies[i - 1]
      if (follows !== undefined) {
        freeState.q[free.qStart[i]] = multiplier * state.q[model.qStart[follows]] + offset
        G[free.vStart[i] * model.nv + model.vStart[follows]] = multiplier
        continue
      }
      freeState.q.set(state.q.subarray(model.qStart[i], model.qStart[i + 1]), free.qStart[i])
      for (let k = 0; k < model.vStart[i + 1] - model.vStart[i]; k++) G[(free.vStart[i] + k) * model.nv + model.vStart[i] + k] = 1
    }
    freeState.v.set(product(G, state.v))
    const data = dataAt(model, state)
    const freeData = dataAt(free, freeState)
    run({ random, model, free, state, freeState, data, freeData, G })
  }
}

/** G^T A G */
function projected(A: Float64Array, G: Float64Array, n: number): Float64Array {
  const m = G.length / n
  const out = new Float64Array(n * n)
  for (let c = 0; c < n; c++) {
    const column = transposedProduct(
      G,
      product(
        A,
        Float64Array.from({ length: m }, (_, r) => G[r * n + c]),
      ),
    )
    for (let r = 0; r < n; r++) out[r * n + c] = column[r]
  }
  return out
}

describe('joints that follow others are the free mechanism, projected', () => {
  test('poses and velocities of the bodies are those of joints at m q + offset and m v', () => {
    forEachPair(1, ({ model, data, freeData }) => {
      for (let i = 1; i < model.nb; i++) {
        expect(data.R_WB[i]).toEqual(freeData.R_WB[i])
        expect(data.p_WB[i]).toEqual(freeData.p_WB[i])
        expect(Math.max(...data.V[i].map((x, k) => Math.abs(x - freeData.V[i][k])))).toBeLessThan(1e-12)
      }
    })
  })

  test('M is G^T M G', () => {
    forEachPair(2, ({ model, free, data, freeData, G }) => {
      crba(model, data)
      crba(free, freeData)
      expect(relativeError(data.M, projected(freeData.M, G, model.nv))).toBeLessThan(1e-13)
    })
  })

  test('inverse dynamics, bias and gravity are G^T of those at G v and G a', () => {
    forEachPair(3, ({ random, model, free, state, freeState, data, freeData, G }) => {
      const a = randomVector(random, model.nv, 5)
      const tau = filled(model.nv, (out) => rnea(model, state, a, data, out))
      const freeTau = filled(free.nv, (out) => rnea(free, freeState, product(G, a), freeData, out))
      expect(relativeError(tau, transposedProduct(G, freeTau))).toBeLessThan(1e-13)
      biasForces(model, state, data, tau)
      biasForces(free, freeState, freeData, freeTau)
      expect(relativeError(tau, transposedProduct(G, freeTau))).toBeLessThan(1e-13)
      gravityForces(model, state, data, tau)
      gravityForces(free, freeState, freeData, freeTau)
      expect(relativeError(tau, transposedProduct(G, freeTau))).toBeLessThan(1e-13)
    })
  })

  test('forward dynamics, with forces on bodies too, solves the projected equations', () => {
    forEachPair(4, ({ random, model, free, state, freeState, data, freeData, G }) => {
      const { nb, nv } = model
      const tau = randomVector(random, nv, 5)
      crba(free, freeData)
      const c = filled(free.nv, (out) => biasForces(free, freeState, freeData, out))
      const M = projected(freeData.M, G, nv)
      const right = transposedProduct(G, c).map((bias, k) => tau[k] - bias)
      const a = filled(nv, (out) => aba(model, state, tau, data, out))
      // the condition of M reaches 1e6
      expect(relativeError(a, choleskySolve(M, right))).toBeLessThan(1e-10)

      const forcesW = randomVector(random, 6 * nb, 5)
      const J = new Float64Array(6 * free.nv)
      for (let i = 1; i < nb; i++) {
        bodyJacobianW(free, freeData, i, J)
        transposedProduct(G, transposedProduct(J, forcesW.subarray(6 * i, 6 * i + 6))).forEach((f, k) => {
          right[k] += f
        })
      }
      abaWithForces(model, state, tau, forcesW, data, a)
      expect(relativeError(a, choleskySolve(M, right))).toBeLessThan(1e-10)
    })
  })

  test('the factorisation solves with the projected M', () => {
    forEachPair(5, ({ random, model, free, data, freeData, G }) => {
      crba(model, data)
      crba(free, freeData)
      factorize(model, data.M, data.L)
      const x = randomVector(random, model.nv)
      const dense = choleskySolve(projected(freeData.M, G, model.nv), x)
      solve(model, data.L, x)
      expect(relativeError(x, dense)).toBeLessThan(1e-10)
    })
  })

  test('Jacobians are J G, energy and momentum the same', () => {
    forEachPair(6, ({ model, free, state, freeState, data, freeData, G }) => {
      const J = new Float64Array(6 * model.nv)
      const freeJ = new Float64Array(6 * free.nv)
      for (let i = 1; i < model.nb; i++) {
        bodyJacobianW(model, data, i, J)
        bodyJacobianW(free, freeData, i, freeJ)
        for (let r = 0; r < 6; r++) {
          const row = transposedProduct(G, freeJ.slice(r * free.nv, (r + 1) * free.nv))
          expect(Math.max(0, ...row.map((x, k) => Math.abs(x - J[r * model.nv + k])))).toBeLessThan(1e-12)
        }
      }
      const ours = filled(6, (out) => momentumW(model, data, out))
      const theirs = filled(6, (out) => momentumW(free, freeData, out))
      expect(relativeError(ours, theirs)).toBeLessThan(1e-12)
      const [T] = energiesOf(model, state, data)
      expect(relativeError([T], [energiesOf(free, freeState, freeData)[0]])).toBeLessThan(1e-13)
    })
  })
})

describe('closed forms', () => {
  const point = { inertia: [0, 0, 0, 0, 0, 0] as BodyDefinition['inertia'] }

  test('a gear turns with the inertia J1 + n^2 J2, rotors included', () => {
    const wheel = (name: string, J: number): BodyDefinition => ({
      ...{ name, jointName: name, parent: 0, jointType: JointType.revolute, axis: [0, 0, 1], mass: 1 },
      inertia: [1, 1, J, 0, 0, 0],
    })
    const model = buildModel('gears', [
      { ...wheel('pinion', 0.5), follows: 2, multiplier: -3, offset: 1, armature: 0.1 },
      { ...wheel('wheel', 2), armature: 0.25 },
    ])
    expect(model.nv).toBe(1)
    const state = stateOf(model, [], [4])
    const a = accelerationAt(model, state, Float64Array.of(10))
    expect(a[0]).toBeCloseTo(10 / (2 + 0.25 + 9 * (0.5 + 0.1)), 14)
  })

  test('a rack on a pinion falls at m g r / (J + m r^2)', () => {
    const [J, m, r] = [0.3, 4, 0.2]
    const model = buildModel('rack', [
      {
        ...{ name: 'pinion', jointName: 'axle', parent: 0, jointType: JointType.revolute, axis: [0, 1, 0], mass: 1 },
        inertia: [1, J, 1, 0, 0, 0],
      },
      {
        ...{ name: 'rack', jointName: 'teeth', parent: 0, jointType: JointType.prismatic, axis: [0, 0, 1], mass: m },
        ...{ ...point, follows: 1, multiplier: -r },
      },
    ])
    const state = createState(model)
    expect(accelerationAt(model, state)[0]).toBeCloseTo((m * 9.81 * r) / (J + m * r * r), 13)
  })

  test('a four-bar parallelogram, its coupler kept level by a follower, swings as two pendulums and a point', () => {
    // links of length l and mass m with the mass at their middle, coupler of mass M that does not turn:
    // (2 m l^2/4 + M l^2) q'' = - (m + M) g l sin q
    const [l, m, M] = [0.5, 0.7, 1.3]
    const crank = (name: string, x: number, parent: number): BodyDefinition => ({
      ...{ name, jointName: name, parent, jointType: JointType.revolute, axis: [0, 1, 0], position: [x, 0, 0] },
      ...{ ...point, mass: m, centerOfMass: [0, 0, -l / 2] },
    })
    const model = buildModel('parallelogram', [
      crank('left', 0, 0),
      { ...crank('right', 1, 0), follows: 1 },
      {
        ...crank('coupler', 0, 1),
        ...{ position: [0, 0, -l], mass: M, centerOfMass: [0.5, 0, 0], inertia: [1, 5, 1, 0, 0, 0] },
        ...{ follows: 1, multiplier: -1 },
      },
    ])
    const state = createState(model)
    const data = createData(model)
    const a = new Float64Array(1)
    for (const q of [0.2, 1.1, -2]) {
      state.q[0] = q
      state.v[0] = 3
      kinematics(model, state, data)
      aba(model, state, new Float64Array(1), data, a)
      expect(a[0]).toBeCloseTo((-(m + M) * 9.81 * l * Math.sin(q)) / ((m * l * l) / 2 + M * l * l), 12)
    }
  })
})
