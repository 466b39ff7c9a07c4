import { describe, expect, test } from 'vitest'
import {
  type ContactMatrix,
  type ContactMatrixName,
  createContactMatrix,
  FactoredMatrix,
  isArticulated,
  RecursiveMatrix,
  RowKind,
  RowSet,
  TestForceMatrix,
} from '../../../contact/index.ts'
import {
  bodyJacobianW,
  crba,
  createData,
  createDataWithoutM,
  createRandom,
  createState,
  type Data,
  integrateConfiguration,
  JointType,
  kinematics,
  type Model,
  type Random,
  type State,
} from '../../../dynamics/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { trials } from '../../dailyModels.ts'
import { randomChain } from '../../dynamics/chains.ts'
import { randomState, randomTree, randomUnit, randomVector, type TreeOptions } from '../../dynamics/randomTree.ts'
import { choleskySolve } from '../../oracle/dense.ts'
import { turned, turnedBack } from '../geometry/poses.ts'
import { mujocoContacts } from './mujocoContacts.ts'

const articulated = ['test-forces', 'recursive'] as const
const names: readonly ContactMatrixName[] = ['factored', ...articulated]

// Algorithms that share no operation lose what the condition of M takes, up to 1e6 on these trees.
const AGREE = 1e-10

interface Trial {
  readonly random: Random
  readonly model: Model
  readonly state: State
  readonly data: Data
  readonly added: Float64Array
  readonly rows: RowSet
}

/** Entries of all kinds and widths: on fixed bodies, on one body twice, between bodies of one tree and of two, and in joints. */
function randomRows(random: Random, { nb, nv }: Model, entries: number): RowSet {
  const rows = new RowSet(1)
  for (let n = 0; n < entries; n++) {
    if (random.next() < 0.2) {
      rows.addJoint(random.index(nv), random.next() < 0.5 ? 1 : -1)
      continue
    }
    const a = random.next() < 0.5 ? 0 : random.index(nb)
    const b = random.index(nb)
    const width = 1 + random.index(3)
    const i = random.next() < 0.8 ? rows.addForce(a, b, width) : rows.addCouple(a, b, width)
    rows.point.set(randomVector(random, 3, 2), 3 * i)
    for (let r = 0; r < 3; r++) rows.axes.set(randomUnit(random), 9 * i + 3 * r)
  }
  return rows
}

function trialOf(random: Random, options: TreeOptions, entries: number): Trial | undefined {
  const model = randomTree(random, options)
  return model.nv === 0 ? undefined : trialWith(random, model, entries)
}

function trialWith(random: Random, model: Model, entries: number): Trial {
  const state = randomState(random, model)
  const data = createData(model)
  kinematics(model, state, data)
  const added = Float64Array.from({ length: model.nv }, () => (random.next() < 0.5 ? 0 : random.between(0, 0.3)))
  return { random, model, state, data, added, rows: randomRows(random, model, entries) }
}

/** Mechanisms of up to 60 bodies: fixed and floating bases, forests, every joint type, rotors. */
function forEachTrial(seed: number, run: (trial: Trial) => void): void {
  const random = createRandom(seed)
  for (let n = 0; n < trials(120); n++) {
    const options = {
      bodies: 1 + random.index(n % 4 === 0 ? 59 : 15),
      floating: n % 2 === 0,
      everyType: n % 4 > 1,
      armature: n % 3 !== 1,
    }
    const trial = trialOf(random, options, 1 + random.index(9))
    if (trial !== undefined && isArticulated(trial.model)) run(trial)
  }
}

/** J, rowCount x nv, from what the rows mean. What moves both bodies alike cancels but for rounding, and is taken for 0. */
function jacobian({ model, data, rows }: Trial): Float64Array {
  const { nv } = model
  const J = new Float64Array(rows.rowCount * nv)
  const size = new Float64Array(rows.rowCount * nv)
  const ofBody = new Float64Array(6 * nv)
  for (let i = 0; i < rows.count; i++) {
    if (rows.kind[i] === RowKind.joint) {
      J[rows.firstRow[i] * nv + rows.joint[i]] = rows.sign[i]
      size[rows.firstRow[i] * nv + rows.joint[i]] = 1
      continue
    }
    const [x, y, z] = rows.point.slice(3 * i, 3 * i + 3)
    for (const [body, sign] of [
      [rows.bodyB[i], 1],
      [rows.bodyA[i], -1],
    ]) {
      bodyJacobianW(model, data, body, ofBody)
      for (let r = 0; r < rows.width[i]; r++) {
        const [dx, dy, dz] = rows.axes.slice(9 * i + 3 * r, 9 * i + 3 * r + 3)
        const F =
          rows.kind[i] === RowKind.couple
            ? [dx, dy, dz, 0, 0, 0]
            : [y * dz - z * dy, z * dx - x * dz, x * dy - y * dx, dx, dy, dz]
        for (let k = 0; k < nv; k++) {
          for (let c = 0; c < 6; c++) {
            J[(rows.firstRow[i] + r) * nv + k] += sign * F[c] * ofBody[c * nv + k]
            size[(rows.firstRow[i] + r) * nv + k] += Math.abs(F[c] * ofBody[c * nv + k])
          }
        }
      }
    }
  }
  return J.map((x, k) => (Math.abs(x) < 1e-13 * size[k] ? 0 : x))
}

/** The same by central differences of order 4 of where points and axes are, at constant velocities e_k. */
function jacobianByDifferences({ model, state, data, rows }: Trial): Float64Array {
  const { nv } = model
  const J = new Float64Array(rows.rowCount * nv)
  const h = 1e-3
  const weights = [
    [-2, 1],
    [-1, -8],
    [1, 8],
    [2, -1],
  ]
  const there = createData(model)
  const moved = createState(model)
  const rate = new Float64Array(nv)
  for (let k = 0; k < nv; k++) {
    for (const [steps, weight] of weights) {
      rate.fill(0)
      rate[k] = 1
      integrateConfiguration(model, state.q, rate, steps * h, moved.q)
      kinematics(model, moved, there)
      for (let i = 0; i < rows.count; i++) {
        const row = rows.firstRow[i]
        if (rows.kind[i] === RowKind.joint) {
          J[row * nv + k] = rows.joint[i] === k ? rows.sign[i] : 0
          continue
        }
        for (const [body, sign] of [
          [rows.bodyB[i], 1],
          [rows.bodyA[i], -1],
        ]) {
          const R = data.R_WB[body]
          const T = there.R_WB[body]
          for (let r = 0; r < rows.width[i]; r++) {
            const axis = rows.axes.slice(9 * i + 3 * r, 9 * i + 3 * r + 3)
            let x = 0
            if (rows.kind[i] === RowKind.force) {
              const offset = rows.point.slice(3 * i, 3 * i + 3).map((p, c) => p - data.p_WB[body][c])
              const place = turned(T, turnedBack(R, offset))
              for (let c = 0; c < 3; c++) x += axis[c] * (there.p_WB[body][c] + place[c])
            } else {
              // about axis a, from b to c of a right-handed frame
              const [b, c] = frameOf(axis)
              const b2 = turned(T, turnedBack(R, b))
              x = b2[0] * c[0] + b2[1] * c[1] + b2[2] * c[2]
            }
            J[(row + r) * nv + k] += (sign * weight * x) / (12 * h)
          }
        }
      }
    }
  }
  // of what cancels, rounding stays
  return J.map((x) => (Math.abs(x) < 1e-10 ? 0 : x))
}

/** b and c, with which `a` makes a right-handed frame a, b, c. */
function frameOf([x, y, z]: Float64Array): [Float64Array, Float64Array] {
  const size = Math.hypot(x, y)
  const b = size > 0.1 ? Float64Array.of(-y / size, x / size, 0) : Float64Array.of(0, z / Math.hypot(y, z), -y / Math.hypot(y, z))
  return [b, Float64Array.of(y * b[2] - z * b[1], z * b[0] - x * b[2], x * b[1] - y * b[0])]
}

/** M~, dense. */
function inertia({ model, state, added }: Trial): Float64Array {
  const data = createData(model)
  kinematics(model, state, data)
  crba(model, data)
  const M = Float64Array.from(data.M)
  for (let k = 0; k < model.nv; k++) M[k * model.nv + k] += added[k]
  return M
}

/** J M~^-1 J^T by a dense Cholesky factorisation. */
function denseMatrix(trial: Trial, J: Float64Array): Float64Array {
  const { nv } = trial.model
  const m = trial.rows.rowCount
  const M = inertia(trial)
  const W = new Float64Array(m * m)
  for (let c = 0; c < m; c++) {
    const x = choleskySolve(M, J.slice(c * nv, (c + 1) * nv))
    for (let r = 0; r < m; r++) W[r * m + c] = x.reduce((sum, xk, k) => sum + J[r * nv + k] * xk, 0)
  }
  return W
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

function built(name: ContactMatrixName, { model, data, added, rows }: Trial): { matrix: ContactMatrix; W: Float64Array } {
  const matrix = createContactMatrix(name, model)
  const W = new Float64Array(rows.rowCount * rows.rowCount).fill(7)
  matrix.begin(data, added)
  matrix.build(rows, W)
  return { matrix, W }
}

for (const name of names) {
  describe(name, () => {
    test('W is J M~^-1 J^T, symmetric to the bit, on random trees and forests', () => {
      forEachTrial(601, (trial) => {
        const { W } = built(name, trial)
        const m = trial.rows.rowCount
        for (let r = 0; r < m; r++) for (let c = 0; c < r; c++) expect(W[r * m + c]).toBe(W[c * m + r])
        expect(matrixError(W, denseMatrix(trial, jacobian(trial)), m)).toBeLessThan(AGREE)
      })
    })

    test('J is the derivative of where points and axes are', () => {
      forEachTrial(602, (trial) => {
        const { W } = built(name, trial)
        // differences of order 4 with steps of 1e-3: 1e-12 of the third and higher derivatives, 1e-13 of rounding
        const J = jacobianByDifferences(trial)
        expect(matrixError(W, denseMatrix(trial, J), trial.rows.rowCount)).toBeLessThan(1e-7)
      })
    })

    test('a matrix that is used again gives the bits of a new one', () => {
      const random = createRandom(606)
      for (let n = 0; n < 20; n++) {
        const model = randomTree(random, { bodies: 12, floating: n % 2 === 0, everyType: n % 3 === 0 })
        if (model.nv === 0 || !isArticulated(model)) continue
        const used = createContactMatrix(name, model)
        for (let k = 0; k < 4; k++) {
          const trial = trialWith(random, model, k === 1 ? 0 : 1 + random.index(12))
          const m = trial.rows.rowCount
          const W = new Float64Array(m * m).fill(3)
          used.begin(trial.data, trial.added)
          used.build(trial.rows, W)
          expect(W).toEqual(built(name, trial).W)
        }
      }
    })

    test('what nothing moves has rows of zeros', () => {
      const random = createRandom(607)
      const model = randomTree(random, { bodies: 8, floating: true })
      const trial = trialWith(random, model, 0)
      const { rows } = trial
      for (const [a, b] of [
        [0, 0],
        [3, 3],
        [0, 4],
      ]) {
        const i = rows.addForce(a, b, 3)
        rows.axes.set([1, 0, 0, 0, 1, 0, 0, 0, 1], 9 * i)
      }
      const { W } = built(name, trial)
      for (let r = 0; r < 9; r++) for (let c = 0; c < 9; c++) expect(W[9 * r + c] !== 0 && (r < 6 || c < 6)).toBe(false)
      expect(W[60]).toBeGreaterThan(0)
    })

    test('a robot a kilometre away has the same matrix', () => {
      const random = createRandom(608)
      for (let n = 0; n < 10; n++) {
        const near = trialWith(random, randomTree(random, { bodies: 20, floating: true }), 6)
        const { model, state, rows, added } = near
        const far = createState(model)
        far.q.set(state.q)
        const data = createData(model)
        for (let k = 0; k < 3; k++) far.q[k] += 1000
        kinematics(model, far, data)
        const W = built(name, near).W
        // both bodies of an entry move with the base, or the ground's point does
        for (let k = 0; k < 3 * rows.count; k++) rows.point[k] += 1000
        const away = built(name, { ...near, state: far, data, added }).W
        // a point at 1000 m is known to 1e-13 m, which the conditions of the trees enlarge
        expect(matrixError(away, W, rows.rowCount)).toBeLessThan(1e-9)
      }
    })

    test('it says what is wrong with what it is given', () => {
      const random = createRandom(609)
      const model = randomTree(random, { bodies: 5, floating: true })
      const { data, rows } = trialWith(random, model, 3)
      const matrix = createContactMatrix(name, model)
      const W = new Float64Array(rows.rowCount * rows.rowCount)
      const v = new Float64Array(model.nv)
      expect(() => matrix.build(rows, W)).toThrow('call begin')
      expect(() => matrix.begin(data, new Float64Array(2))).toThrow('added has 2 entries')
      matrix.begin(data, v)
      expect(() => matrix.build(rows, new Float64Array(3))).toThrow('W has 3 entries; expected at least')
      rows.addForce(0, 6, 1)
      expect(() => matrix.build(rows, new Float64Array(400))).toThrow('expected whole numbers from 0 (the world) to 5')
    })
  })
}

describe('recursive', () => {
  test('it leaves M alone, and takes data that has none', () => {
    const random = createRandom(612)
    const { model, state, added, rows } = trialWith(random, randomTree(random, { bodies: 9, floating: true }), 4)
    const W = new Float64Array(rows.rowCount * rows.rowCount)
    const expected = new Float64Array(rows.rowCount * rows.rowCount)
    const data = createDataWithoutM(model)
    const whole = createData(model)
    kinematics(model, state, data)
    kinematics(model, state, whole)
    for (const make of [RecursiveMatrix, TestForceMatrix]) {
      const [one, other] = [new make(model), new make(model)]
      one.begin(data, added)
      one.build(rows, W)
      other.begin(whole, added)
      other.build(rows, expected)
      expect(W).toEqual(expected)
    }
    expect(whole.M).toEqual(new Float64Array(model.nv * model.nv))
  })
})

describe('both', () => {
  test.each([
    [20, undefined],
    [60, undefined],
    [60, 'floating'],
  ] as const)('agree with the factored way on chains of %i links with rows all along (%s)', (links, base) => {
    const random = createRandom(613)
    const trial = trialWith(
      random,
      randomChain(random, links, () => 1, base),
      30,
    )
    const m = trial.rows.rowCount
    const factored = new FactoredMatrix(trial.model)
    const expected = new Float64Array(m * m)
    factored.begin(trial.data, trial.added)
    factored.build(trial.rows, expected)
    for (const name of articulated) expect(matrixError(built(name, trial).W, expected, m)).toBeLessThan(AGREE)
  })

  test('a model with joints that follow others, or with a floating joint inside a tree, is refused', () => {
    const random = createRandom(614)
    const trees = (options: Partial<TreeOptions>) =>
      Array.from({ length: 20 }, () => randomTree(random, { bodies: 20, ...options }))
    const followed = trees({ followers: true }).find(({ ns, nv }) => ns > nv)
    const floating = trees({ floatingAnywhere: true }).find((m) =>
      m.jointType.some((type, i) => type === JointType.floating && m.parent[i] > 0),
    )
    for (const model of [followed, floating]) {
      if (model === undefined) throw new Error('no such tree among twenty')
      expect(isArticulated(model)).toBe(false)
      for (const name of articulated) {
        expect(() => createContactMatrix(name, model)).toThrow('joints that follow others, or a floating joint inside a tree')
      }
    }
  })

  test("of the humanoid on 12 contacts are MuJoCo's A", async () => {
    const { model } = loadOwnRobot('humanoid')
    const random = createRandom(615)
    const state = createState(model)
    for (let i = 1; i < model.nb; i++) {
      if (model.jointType[i] === JointType.revolute) state.q[model.qStart[i]] = random.between(-0.5, 0.5)
    }
    state.q[2] = 1
    const bodies = Array.from({ length: 12 }, () => 1 + random.index(model.nb - 1))
    const { mujoco, rows, project, matrix } = await mujocoContacts(model, state, bodies)
    project()
    const A = matrix()
    mujoco.delete()
    const data = createData(model)
    kinematics(model, state, data)
    const trial = { random, model, state, data, added: new Float64Array(model.nv), rows }
    // MuJoCo regularises nothing here but the diagonal, which \`matrix\` takes off: 1e-11 is what this costs
    for (const name of names) expect(matrixError(built(name, trial).W, A, rows.rowCount)).toBeLessThan(1e-9)
  })
})
