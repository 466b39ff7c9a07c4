import { expect, test } from 'vitest'
import { TestForceMatrix } from '../../../contact/index.ts'
import {
  bodyJacobianW,
  crba,
  createData,
  createRandom,
  createState,
  type Data,
  JointType,
  kinematics,
  type Model,
  type Random,
  type State,
} from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { randomChain } from '../../dynamics/chains.ts'
import { randomState, randomTree, randomUnit, randomVector } from '../../dynamics/randomTree.ts'
import { choleskySolve } from '../../oracle/dense.ts'

// Algorithms that share no operation lose what the condition of M takes, up to 1e6 on these trees.
const AGREE = 1e-10

interface Row {
  readonly kind: 'force' | 'couple' | 'joint'
  readonly bodies: readonly [number, number]
  readonly point: Float64Array
  readonly axis: Float64Array
  readonly joint: number
  readonly sign: 1 | -1
}

interface Trial {
  readonly model: Model
  readonly state: State
  readonly data: Data
  readonly added: Float64Array
  readonly rows: readonly Row[]
}

/** Rows of all kinds: on fixed bodies, on one body twice, between bodies of one tree and of two, and in joints. */
function trialOf(random: Random, model: Model, count: number): Trial {
  const { nb, nv, bodyOfV, jointType } = model
  const state = randomState(random, model)
  const data = createData(model)
  kinematics(model, state, data)
  const rows = Array.from({ length: count }, (): Row => {
    const joint = random.index(nv)
    const inJoint = random.next() < 0.2 && jointType[bodyOfV[joint]] !== JointType.floating
    return {
      kind: inJoint ? 'joint' : random.next() < 0.8 ? 'force' : 'couple',
      bodies: [random.next() < 0.5 ? 0 : random.index(nb), random.index(nb)],
      point: randomVector(random, 3, 2),
      axis: Float64Array.from(randomUnit(random)),
      joint,
      sign: random.next() < 0.5 ? 1 : -1,
    }
  })
  const added = Float64Array.from({ length: nv }, () => (random.next() < 0.5 ? 0 : random.between(0, 0.3)))
  return { model, state, data, added, rows }
}

function built({ model, data, added, rows }: Trial, matrix = new TestForceMatrix(model)): Float64Array {
  const W = new Float64Array(rows.length ** 2).fill(7)
  matrix.begin(data, added)
  for (const { kind, bodies, point, axis, joint, sign } of rows) {
    if (kind === 'joint') matrix.addJoint(joint, sign)
    else if (kind === 'couple') matrix.addCouple(bodies[0], bodies[1], axis, 0)
    else matrix.addForce(bodies[0], bodies[1], point, 0, axis, 0)
  }
  matrix.build(W)
  return W
}

/** J, a row of nv numbers each, from the Jacobians of the bodies. Motion of both bodies alike cancels but for rounding, and is taken for 0. */
function jacobian({ model, data, rows }: Trial): Float64Array[] {
  const { nv } = model
  const ofBody = new Float64Array(6 * nv)
  return rows.map(({ kind, bodies, point: [x, y, z], axis: [a, b, c], joint, sign }) => {
    const J = new Float64Array(nv)
    if (kind === 'joint') {
      J[joint] = sign
      return J
    }
    const size = new Float64Array(nv)
    const F = kind === 'couple' ? [a, b, c, 0, 0, 0] : [y * c - z * b, z * a - x * c, x * b - y * a, a, b, c]
    bodies.forEach((body, side) => {
      bodyJacobianW(model, data, body, ofBody)
      for (let k = 0; k < nv; k++) {
        for (let d = 0; d < 6; d++) {
          J[k] += (2 * side - 1) * F[d] * ofBody[d * nv + k]
          size[k] += Math.abs(F[d] * ofBody[d * nv + k])
        }
      }
    })
    return J.map((value, k) => (Math.abs(value) < 1e-13 * size[k] ? 0 : value))
  })
}

/** J M~^-1 J^T by a dense Cholesky factorisation. */
function denseMatrix(trial: Trial): Float64Array {
  const { model, state, added } = trial
  const data = createData(model)
  kinematics(model, state, data)
  crba(model, data)
  for (let k = 0; k < model.nv; k++) data.M[k * model.nv + k] += added[k]
  const J = jacobian(trial)
  const responses = J.map((row) => choleskySolve(data.M, row))
  return Float64Array.from(J.flatMap((row) => responses.map((x) => x.reduce((sum, xk, k) => sum + row[k] * xk, 0))))
}

/** Largest |A - B| relative to sqrt(Bii Bjj), which bounds |Bij|: rows that hardly move count as much as those that do. */
function matrixError(A: Float64Array, B: Float64Array, m: number): number {
  let largest = 0
  let scale = 0
  for (let r = 0; r < m; r++) scale = Math.max(scale, B[r * m + r])
  for (let r = 0; r < m; r++) {
    for (let c = 0; c < m; c++) {
      const size = Math.sqrt(B[r * m + r] * B[c * m + c])
      const error = Math.abs(A[r * m + c] - B[r * m + c])
      if (!Number.isFinite(error)) return Number.NaN
      // rows that nothing moves
      largest = Math.max(largest, size > 1e-12 * scale ? error / size : error / (scale || 1))
    }
  }
  return largest
}

test('W is J M~^-1 J^T, symmetric to the bit, on random trees and forests of every joint type, with followers and floating bodies anywhere', () => {
  const random = createRandom(601)
  for (let n = 0; n < trials(120); n++) {
    const model = randomTree(random, {
      bodies: 1 + random.index(n % 4 === 0 ? 59 : 15),
      floating: n % 2 === 0,
      everyType: n % 4 > 1,
      armature: n % 3 !== 1,
      followers: n % 5 === 1,
      floatingAnywhere: n % 5 === 2,
    })
    if (model.nv === 0) continue
    const trial = trialOf(random, model, 1 + random.index(15))
    const m = trial.rows.length
    const W = built(trial)
    for (let r = 0; r < m; r++) for (let c = 0; c < r; c++) expect(W[r * m + c]).toBe(W[c * m + r])
    expect(matrixError(W, denseMatrix(trial), m)).toBeLessThan(AGREE)
  }
})

test.each([
  [20, undefined],
  [60, undefined],
  [60, 'floating'],
] as const)('the same on chains of %i links with rows all along (%s)', (links, base) => {
  const random = createRandom(613)
  const trial = trialOf(
    random,
    randomChain(random, links, () => 1, base),
    60,
  )
  expect(matrixError(built(trial), denseMatrix(trial), 60)).toBeLessThan(AGREE)
})

test('a matrix that is used again gives the bits of a new one', () => {
  const random = createRandom(606)
  for (let n = 0; n < 20; n++) {
    const model = randomTree(random, { bodies: 12, floating: n % 2 === 0, everyType: n % 3 === 0 })
    if (model.nv === 0) continue
    const used = new TestForceMatrix(model)
    for (let k = 0; k < 4; k++) {
      const trial = trialOf(random, model, k === 1 ? 0 : 1 + random.index(24))
      expect(built(trial, used)).toEqual(built(trial))
    }
  }
})

test('rows that no velocity moves are zero', () => {
  const random = createRandom(607)
  const trial = trialOf(random, randomTree(random, { bodies: 8, floating: true }), 1)
  const rows = [[0, 0] as const, [3, 3] as const, [0, 4] as const].map((bodies) => ({
    ...trial.rows[0],
    kind: 'force' as const,
    bodies,
  }))
  const W = built({ ...trial, rows })
  expect([...W.subarray(0, 8)].every((x) => x === 0)).toBe(true)
  expect(W[8]).toBeGreaterThan(0)
})

test('a robot a kilometre away has the same matrix', () => {
  const random = createRandom(608)
  for (let n = 0; n < 10; n++) {
    const near = trialOf(random, randomTree(random, { bodies: 20, floating: true }), 12)
    const { model } = near
    const state = createState(model)
    state.q.set(near.state.q)
    for (let k = 0; k < 3; k++) state.q[k] += 1000
    const data = createData(model)
    kinematics(model, state, data)
    const rows = near.rows.map((row) => ({ ...row, point: row.point.map((x) => x + 1000) }))
    // a point at 1000 m is known to 1e-13 m, which the conditions of the trees enlarge
    expect(matrixError(built({ ...near, state, data, rows }), built(near), rows.length)).toBeLessThan(1e-9)
  }
})

test('errors name the missing configuration, the length, and the body', () => {
  const random = createRandom(609)
  const { model, data } = trialOf(random, randomTree(random, { bodies: 5, floating: true }), 0)
  const matrix = new TestForceMatrix(model)
  const one = new Float64Array(3)
  expect(() => matrix.build(one)).toThrow('call begin')
  expect(() => matrix.begin(data, new Float64Array(2))).toThrow('added has 2 entries')
  matrix.begin(data, new Float64Array(model.nv))
  matrix.addForce(0, 6, one, 0, one, 0)
  expect(() => matrix.build(one)).toThrow('body is 6')
})
