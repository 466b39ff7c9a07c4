import { describe, expect, test } from 'vitest'
import {
  addImpulse,
  articulatedInertias,
  bodyJacobianW,
  buildModel,
  crba,
  createArticulatedInertias,
  createBranches,
  createRandom,
  createState,
  delassusMatrix,
  directionRow,
  factorize,
  halfSolveTransposedJacobian,
  impulseResponse,
  impulseResponseAlong,
  JointType,
  type Model,
  pointJacobian,
  pointVelocityChange,
  selectBranches,
  solve,
  solveTransposedJacobian,
  velocityChange,
  velocityChangeAlong,
} from '../../dynamics/index.ts'
import { trials } from '../dailyModels.ts'
import { dataAt, filled, stateOf } from './at.ts'
import { body, hinge, solid } from './bodies.ts'
import { randomState, randomTree, randomVector, relativeError } from './randomTree.ts'
import { forEachTrial, largestDifference, product, size, type Trial } from './trials.ts'

// Two algorithms, of which each loses what the condition of M takes: up to 1e6 on these trees.
const AGREE = 1e-10

/** M^-1 J^T impulse by the factor of M. */
function byFactor({ model, data }: Trial, body: number, impulseW: Float64Array): Float64Array {
  const { nv } = model
  const J = filled(6 * nv, (out) => bodyJacobianW(model, data, body, out))
  const x = Float64Array.from({ length: nv }, (_, k) => impulseW.reduce((sum, f, r) => sum + J[r * nv + k] * f, 0))
  crba(model, data)
  factorize(model, data.M, data.L)
  solve(model, data.L, x)
  return x
}

describe('impulse response', () => {
  test('it is M^-1 J^T impulse by the factor of M, on random trees', () => {
    let followers = 0
    let forests = 0
    forEachTrial(301, (trial) => {
      const { random, model, data } = trial
      const inertias = createArticulatedInertias(model)
      articulatedInertias(model, data, inertias)
      if (model.ns > model.nv) followers++
      if (model.parent.filter((p) => p === 0).length > 1) forests++
      for (let n = 0; n < 4; n++) {
        const body = random.index(model.nb)
        const impulseW = randomVector(random, 6)
        const dv = new Float64Array(model.nv).fill(7)
        impulseResponse(model, data, inertias, body, impulseW, dv)
        if (model.vLast[body] < 0) expect(dv).toEqual(new Float64Array(model.nv))
        else expect(relativeError(dv, byFactor(trial, body, impulseW))).toBeLessThan(AGREE)
      }
    })
    expect(followers).toBeGreaterThan(trials(5))
    expect(forests).toBeGreaterThan(trials(5))
  })

  test('with something added to the diagonal of M it is that of the sum, floating joints inside a tree included', () => {
    const random = createRandom(309)
    for (let n = 0; n < 40; n++) {
      const model = randomTree(random, {
        bodies: 10,
        floatingAnywhere: n % 2 === 0,
        everyType: n % 3 === 0,
        followers: n % 5 === 0,
      })
      const { nb, nv } = model
      if (nv === 0) continue
      const data = dataAt(model, randomState(random, model))
      const inertias = createArticulatedInertias(model)
      const dv = new Float64Array(nv)
      // used for one sum after another, the last of them M itself
      for (const size of [0.5, 0.1, 0]) {
        const added = Float64Array.from({ length: nv }, () => size * random.next())
        articulatedInertias(model, data, inertias, added)
        const body = random.index(nb)
        const impulseW = randomVector(random, 6)
        impulseResponse(model, data, inertias, body, impulseW, dv)
        if (model.vLast[body] < 0) continue
        const J = filled(6 * nv, (out) => bodyJacobianW(model, data, body, out))
        const x = Float64Array.from({ length: nv }, (_, k) => impulseW.reduce((sum, f, r) => sum + J[r * nv + k] * f, 0))
        crba(model, data)
        for (let k = 0; k < nv; k++) data.M[k * nv + k] += added[k]
        factorize(model, data.M, data.L)
        solve(model, data.L, x)
        expect(relativeError(dv, x)).toBeLessThan(AGREE)
      }
      expect(() => articulatedInertias(model, data, inertias, new Float64Array(nv + 1))).toThrow('added has')
    }
  })

  test('along branches it gives the same bits, and leaves the other entries alone', () => {
    forEachTrial(302, ({ random, model, data }) => {
      const { nb, nv } = model
      const inertias = createArticulatedInertias(model)
      const branches = createBranches(model)
      articulatedInertias(model, data, inertias)
      const bodies = Int32Array.from({ length: 3 }, () => random.index(nb))
      selectBranches(model, bodies, 3, branches)
      const asked = new Set(branches.velocities.slice(0, branches.count[0]))
      const J = new Float64Array(6 * nv)
      for (const body of bodies) {
        bodyJacobianW(model, data, body, J)
        for (let k = 0; k < 6 * nv; k++) if (J[k] !== 0) expect(asked.has(k % nv)).toBe(true)
      }
      for (let n = 0; n < 3; n++) {
        const impulseW = randomVector(random, 6)
        const body = random.index(nb)
        const part = new Float64Array(nv).fill(7)
        const whole = filled(nv, (out) => impulseResponse(model, data, inertias, body, impulseW, out))
        impulseResponseAlong(model, data, inertias, body, impulseW, branches, part)
        for (let k = 0; k < nv; k++) expect(part[k]).toBe(asked.has(k) ? whole[k] : 7)
        // nothing of an impulse stays behind on branches that were not asked for
        impulseResponse(model, data, inertias, body, impulseW, part)
        expect(part).toEqual(whole)
      }
    })
  })

  test('branches and inertias are used again without a trace of what was in them', () => {
    forEachTrial(308, ({ random, model, data }) => {
      const { nb, nv } = model
      const used = createArticulatedInertias(model)
      const [again, fresh] = [createBranches(model), createBranches(model)]
      selectBranches(
        model,
        Int32Array.from({ length: nb }, (_, i) => i),
        nb,
        again,
      )
      const bodies = Int32Array.of(random.index(nb))
      selectBranches(model, bodies, 1, again)
      selectBranches(model, bodies, 1, fresh)
      expect(again.count).toEqual(fresh.count)
      expect(again.velocities.slice(0, again.count[0])).toEqual(fresh.velocities.slice(0, fresh.count[0]))

      // an impulse that was not answered is forgotten with the configuration
      const impulseW = randomVector(random, 6)
      const [dv, expected] = [new Float64Array(nv), new Float64Array(nv)]
      articulatedInertias(model, data, used)
      addImpulse(model, data, used, random.index(nb), randomVector(random, 6))
      articulatedInertias(model, data, used)
      impulseResponse(model, data, used, bodies[0], impulseW, dv)
      const inertias = createArticulatedInertias(model)
      articulatedInertias(model, data, inertias)
      impulseResponse(model, data, inertias, bodies[0], impulseW, expected)
      expect(dv).toEqual(expected)

      // nor does one remain that was answered along other branches alone, of another tree perhaps
      for (let n = 0; n < 3; n++) addImpulse(model, data, used, random.index(nb), randomVector(random, 6))
      velocityChangeAlong(model, used, again, new Float64Array(nv))
      impulseResponse(model, data, used, bodies[0], impulseW, dv)
      expect(dv).toEqual(expected)
    })
  })

  test('impulses on several bodies add up', () => {
    forEachTrial(303, (trial) => {
      const { random, model, data } = trial
      const { nb, nv } = model
      const inertias = createArticulatedInertias(model)
      articulatedInertias(model, data, inertias)
      const expected = new Float64Array(nv)
      for (let n = 0; n < 3; n++) {
        const body = random.index(nb)
        const impulses = randomVector(random, 9)
        addImpulse(model, data, inertias, body, impulses, 2)
        byFactor(trial, body, impulses.slice(2, 8)).forEach((x, k) => {
          expected[k] += x
        })
      }
      const dv = new Float64Array(nv + 5)
      velocityChange(model, inertias, dv, 4)
      expect(largestDifference(dv.slice(4, 4 + nv), expected) / (1e-300 + size(expected))).toBeLessThan(AGREE)
      expect(dv.slice(0, 4)).toEqual(new Float64Array(4))
    })
  })

  test('the change of velocity of a point is its Jacobian times the change of all velocities', () => {
    forEachTrial(304, ({ random, model, data }) => {
      const { nb, nv } = model
      const inertias = createArticulatedInertias(model)
      const branches = createBranches(model)
      articulatedInertias(model, data, inertias)
      const dv = filled(nv, (out) => impulseResponse(model, data, inertias, random.index(nb), randomVector(random, 6), out))
      const J = new Float64Array(3 * nv)
      const points = randomVector(random, 5)
      const out = new Float64Array(4)
      for (let body = 0; body < nb; body++) {
        pointJacobian(model, data, body, points.slice(2), J)
        pointVelocityChange(model, data, inertias, body, points, out, 2, 1)
        expect(largestDifference(out.slice(1), product(J, dv))).toBeLessThan(1e-12 * (1 + size(dv)))
      }
      // the same of a body on branches that were asked for, wherever the push was
      const body = random.index(nb)
      const impulse = randomVector(random, 6)
      const pushed = random.index(nb)
      impulseResponse(model, data, inertias, pushed, impulse, dv)
      pointJacobian(model, data, body, points.slice(2), J)
      const expected = product(J, dv)
      selectBranches(model, Int32Array.of(body), 1, branches)
      addImpulse(model, data, inertias, pushed, impulse)
      velocityChangeAlong(model, inertias, branches, dv)
      pointVelocityChange(model, data, inertias, body, points, out, 2, 1)
      expect(largestDifference(out.slice(1), expected)).toBeLessThan(1e-12 * (1 + size(dv)))
    })
  })

  test('a heavy body that floats from a light arm is pushed alone', () => {
    const model = buildModel('tether', [
      body('arm', hinge('pivot', 0, [0, 0.6, 0.8]), solid(1e-3, [1e-6, 1e-6, 1e-6])),
      {
        name: 'load',
        jointName: 'free',
        parent: 1,
        jointType: JointType.floating,
        position: [0.3, 0.1, 0],
        mass: 1e3,
        centerOfMass: [0.1, 0.2, 0.3],
        inertia: [50, 60, 70, 0, 0, 0],
      },
    ])
    const inertias = createArticulatedInertias(model)
    const data = dataAt(model, stateOf(model, [0.7]))
    articulatedInertias(model, data, inertias)
    const dv = filled(7, (out) => impulseResponse(model, data, inertias, 2, Float64Array.of(1, 2, 3, 4, 5, 6), out))
    expect(dv[0]).toBe(0)
    // and the arm without it: the moment along the axis over its inertia about that, which is a hundred times as large when
    // seen from the load, 0.3 m away
    impulseResponse(model, data, inertias, 1, Float64Array.of(0, 3, 4, 0, 0, 0), dv)
    expect(Math.abs(dv[0] * (1e-6 / (0.6 * 3 + 0.8 * 4)) - 1)).toBeLessThan(1e-13)
  })

  test('a body without mass at the end of a chain is named, not divided by', () => {
    const random = createRandom(10)
    const model = randomTree(random, { bodies: 3 })
    model.I[3].fill(0)
    const data = dataAt(model, randomState(random, model))
    expect(() => articulatedInertias(model, data, createArticulatedInertias(model))).toThrow(/joint "joint 3".*inertia 0/)
  })

  test('what does not fit is refused by name', () => {
    const model = randomTree(createRandom(11), { bodies: 4, floating: true })
    const data = dataAt(model, createState(model))
    const inertias = createArticulatedInertias(model)
    const [six, dv] = [new Float64Array(6), new Float64Array(model.nv)]
    expect(() => impulseResponse(model, data, inertias, 5, six, dv)).toThrow(/^body is 5/)
    expect(() => impulseResponse(model, data, inertias, 1, dv.slice(1), dv)).toThrow(/^impulseW has/)
    expect(() => impulseResponse(model, data, inertias, 1, six, six)).toThrow(/^dv has/)
    expect(() => velocityChange(model, inertias, dv, 1)).toThrow(/^dv has .* from 1 on/)
    expect(() => selectBranches(model, Int32Array.of(9), 1, createBranches(model))).toThrow(/^body is 9/)
  })
})

describe('M^-1 J^T by the factor of M', () => {
  /** Rows of relative speeds between points of pairs of bodies, as of contacts. */
  function contactRows({ random, model, data }: Trial, count: number): { J: Float64Array; bodies: Int32Array } {
    const { nb, nv } = model
    const J = new Float64Array(count * nv)
    const bodies = new Int32Array(2 * count)
    for (let i = 0; i < count; i++) {
      const point = randomVector(random, 3)
      const direction = randomVector(random, 3)
      for (let side = 0; side < 2; side++) {
        bodies[2 * i + side] = random.index(nb)
        directionRow(model, data, bodies[2 * i + side], point, 0, direction, 0, 2 * side - 1, J, i * nv)
      }
    }
    return { J, bodies }
  }

  function solved(model: Model, L: Float64Array, row: Float64Array): Float64Array {
    const x = Float64Array.from(row)
    solve(model, L, x)
    return x
  }

  test('rows of any two bodies are solved as whole vectors are', () => {
    forEachTrial(306, (trial) => {
      const { model, data } = trial
      const { nv } = model
      const { J, bodies } = contactRows(trial, 5)
      crba(model, data)
      factorize(model, data.M, data.L)
      const rows = Float64Array.from(J)
      solveTransposedJacobian(model, data.L, bodies, 5, rows)
      for (let i = 0; i < 5; i++) {
        const expected = solved(model, data.L, J.slice(i * nv, (i + 1) * nv))
        // the same sums in the same order, but for zeros left out
        expect(largestDifference(rows.slice(i * nv, (i + 1) * nv), expected)).toBeLessThan(1e-14 * (1e-300 + size(expected)))
      }
    })
  })

  test('W = G^T G is J M^-1 J^T, symmetric to the bit, and agrees with impulse responses', () => {
    forEachTrial(307, (trial) => {
      const { model, data } = trial
      const { nv } = model
      const count = 6
      const { J, bodies } = contactRows(trial, count)
      crba(model, data)
      factorize(model, data.M, data.L)
      const G = Float64Array.from(J)
      halfSolveTransposedJacobian(model, data.L, bodies, count, G)
      const W = filled(count * count, (out) => delassusMatrix(model, bodies, count, G, out))
      const expected = new Float64Array(count * count)
      for (let j = 0; j < count; j++) {
        product(J, solved(model, data.L, J.slice(j * nv, (j + 1) * nv))).forEach((x, i) => {
          expected[i * count + j] = x
        })
      }
      expect(relativeError(W, expected)).toBeLessThan(1e-12)
      for (let i = 0; i < count; i++) for (let j = 0; j < i; j++) expect(W[i * count + j]).toBe(W[j * count + i])
    })
  })

  test('arrays that are too short are refused', () => {
    const model = randomTree(createRandom(12), { bodies: 4, floating: true })
    const { nv } = model
    const L = new Float64Array(nv * nv).fill(1)
    const rows = new Float64Array(2 * nv)
    expect(() => solveTransposedJacobian(model, L, new Int32Array(6), 3, rows)).toThrow(/^the array of rows has/)
    expect(() => solveTransposedJacobian(model, L, new Int32Array(3), 2, rows)).toThrow(/^bodies has 3/)
    expect(() => solveTransposedJacobian(model, L, Int32Array.of(1, 0, 9, 0), 2, rows)).toThrow(/^bodies 9 and 0/)
    expect(() => delassusMatrix(model, new Int32Array(4), 2, rows, new Float64Array(3))).toThrow(/^W has 3/)
  })
})
