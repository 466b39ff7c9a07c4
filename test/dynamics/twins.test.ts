import { describe, expect, test } from 'vitest'
import {
  aba,
  buildModel,
  crba,
  createData,
  createRandom,
  type Data,
  JointType,
  kinematics,
  type Model,
  type Random,
  rnea,
  rneaTable,
  type State,
} from '../../dynamics/index.ts'
import { trials } from '../dailyModels.ts'
import { concatenated } from './at.ts'
import { randomBodies, randomState, randomTree, randomVector, relativeError, treeKind } from './randomTree.ts'
import { abaTable, crbaTable, kinematicsTable } from './tables.ts'

/*
 * Each algorithm stands in the project twice: as the book's table has it, over one vector per body, and faster, over flat
 * arrays. Both compute the same sums in another order.
 */

interface Twins {
  readonly random: Random
  readonly model: Model
  readonly state: State
  readonly fast: Data
  readonly table: Data
}

/** Trees of every kind, and as many with hinges alone whose axes are those of most robots' files. */
function forEachTree(seed: number, run: (twins: Twins) => void): void {
  const random = createRandom(seed)
  for (let n = 0; n < trials(120); n++) {
    const options = { bodies: 2 + random.index(39), ...treeKind(n) }
    const model = n % 2 === 0 ? randomTree(random, options) : legged(random, options.bodies)
    if (model.nv === 0) continue
    const state = randomState(random, model)
    const fast = createData(model)
    const table = createData(model)
    kinematics(model, state, fast)
    kinematicsTable(model, state, table)
    run({ random, model, state, fast, table })
  }
}

/** A floating trunk and hinges along and against coordinate axes; of their frames most are parallel to the parent's. */
function legged(random: Random, bodies: number): Model {
  const list = randomBodies(random, { bodies, floating: true, armature: true }).map((body, index) => {
    if (index === 0) return body
    const axis: [number, number, number] = [0, 0, 0]
    axis[random.index(3)] = random.next() < 0.5 ? 1 : -1
    const rotation = random.next() < 0.7 ? undefined : body.rotation
    return { ...body, jointType: JointType.revolute, axis, rotation }
  })
  return buildModel('legged', list)
}

/** Largest difference over all rows of a table of Data, by the largest entry of all. */
function difference(a: readonly Float64Array[], b: readonly Float64Array[]): number {
  return relativeError(concatenated(a), concatenated(b))
}

describe('the faster twin and the table agree', () => {
  test('kinematics: X, poses and motion subspaces', () => {
    let straight = 0
    let free = 0
    forEachTree(1, ({ model, fast, table }) => {
      free += fast.free.filter((is) => is !== 0).length
      straight += fast.straight.filter((along) => along >= 0).length
      // 40 bodies in a row at most, each a few roundings
      for (const name of ['X', 'R_WB', 'p_WB'] as const) expect(difference(fast[name], table[name]), name).toBeLessThan(1e-13)
      if (model.ns > 0) expect(difference(fast.SW, table.SW)).toBeLessThan(1e-13)
    })
    expect(straight).toBeGreaterThan(trials(500))
    expect(free).toBeGreaterThan(trials(20))
  })

  test('kinematics: a state that is not finite leaves nothing behind', () => {
    forEachTree(2, ({ model, state, fast, table }) => {
      kinematicsTable(model, { ...state, q: new Float64Array(model.nq).fill(Number.NaN) }, fast)
      kinematics(model, state, fast)
      for (const name of ['X', 'R_WB', 'p_WB', 'SW'] as const)
        expect(difference(fast[name], table[name]), name).toBeLessThan(1e-13)
    })
  })

  test('inverse dynamics: efforts, and velocities, accelerations and forces of all bodies', () => {
    forEachTree(3, ({ random, model, state, fast, table }) => {
      const a = randomVector(random, model.nv, 5)
      const [tau, expected] = [new Float64Array(model.nv), new Float64Array(model.nv)]
      rnea(model, state, a, fast, tau)
      rneaTable(model, state, a, table, expected)
      // the same sums in another order: a few roundings a body
      expect(relativeError(tau, expected)).toBeLessThan(1e-13)
      for (const name of ['V', 'A'] as const) expect(difference(fast[name], table[name]), name).toBeLessThan(1e-13)
      // what body 0 gets is summed by the table alone
      expect(difference(fast.F.slice(1), table.F.slice(1))).toBeLessThan(1e-13)
    })
  })

  test('joint-space inertia: M, composite inertias and the forces of unit accelerations', () => {
    forEachTree(4, ({ model, fast, table }) => {
      crba(model, fast)
      crbaTable(model, table)
      for (const name of ['SC', 'FC', 'IC'] as const) expect(difference(fast[name], table[name]), name).toBeLessThan(1e-13)
      expect(relativeError(fast.M, table.M)).toBeLessThan(1e-13)
    })
  })

  test('forward dynamics', () => {
    let compared = 0
    forEachTree(5, ({ random, model, state, fast, table }) => {
      const tau = randomVector(random, model.nv, 5)
      const [a, expected] = [new Float64Array(model.nv), new Float64Array(model.nv)]
      if (model.ns > model.nv) {
        expect(() => abaTable(model, state, tau, table, expected)).toThrow(/a joint follows another.*call aba/)
        return
      }
      compared++
      aba(model, state, tau, fast, a)
      abaTable(model, state, tau, table, expected)
      // two ways through a matrix whose condition reaches 1e6
      expect(relativeError(a, expected)).toBeLessThan(1e-10)
      for (const name of ['SC', 'VC'] as const) expect(difference(fast[name], table[name]), name).toBeLessThan(1e-12)
    })
    expect(compared).toBeGreaterThan(trials(60))
  })
})
