import { describe, expect, test } from 'vitest'
import { PairImpulse, treesOf } from '../../../contact/index.ts'
import { crba, factorize, pointJacobian, solve } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { randomRotation, randomTriple, randomVector, relativeError } from '../../dynamics/randomTree.ts'
import { forEachTree } from '../../dynamics/trials.ts'

// two algorithms, of which each loses what the condition of M takes: up to 1e6 on these trees
const AGREE = 1e-10

describe('an impulse between two bodies', () => {
  test('K by the articulated-body algorithm is J M^-1 Jᵀ by the factor of M; bodies of one tree, of two, or fixed; joints that follow', () => {
    const seen = { oneTree: 0, twoTrees: 0, fixed: 0, followers: 0 }
    forEachTree(71, ({ random, model, state, data }) => {
      const { nb, nv } = model
      const trees = treesOf(model)
      const pair = new PairImpulse(model, trees)
      pair.begin(data)
      crba(model, data)
      factorize(model, data.M, data.L)
      for (let n = 0; n < 5; n++) {
        const [a, b] = [random.index(nb), random.index(nb)]
        if (a === b) continue
        const [treeA, treeB] = [trees.treeOf[a], trees.treeOf[b]]
        if (treeA < 0 || treeB < 0) seen.fixed++
        else if (treeA === treeB) seen.oneTree++
        else seen.twoTrees++
        if (model.ns > nv) seen.followers++

        // two points, of which the second is asked for, and two sets of axes
        const point = Float64Array.from([...randomTriple(random, 1), ...randomTriple(random, 1)])
        const axes = Float64Array.from([...randomRotation(random), ...randomRotation(random)])
        const J = new Float64Array(3 * nv)
        const [JA, JB] = [new Float64Array(3 * nv), new Float64Array(3 * nv)]
        pointJacobian(model, data, a, point.slice(3), JA)
        pointJacobian(model, data, b, point.slice(3), JB)
        for (let r = 0; r < 3; r++)
          for (let k = 0; k < nv; k++)
            for (let d = 0; d < 3; d++) J[r * nv + k] += axes[9 + 3 * r + d] * (JB[d * nv + k] - JA[d * nv + k])
        const expected = new Float64Array(9)
        for (let c = 0; c < 3; c++) {
          const x = J.slice(c * nv, (c + 1) * nv)
          solve(model, data.L, x)
          for (let r = 0; r < 3; r++) for (let k = 0; k < nv; k++) expected[3 * r + c] += J[r * nv + k] * x[k]
        }

        const K = new Float64Array(9)
        pair.select(a, b)
        pair.inertia(data, a, b, point, axes, 1, K)
        if (expected.some((x) => x !== 0)) expect(relativeError(K, expected)).toBeLessThan(AGREE)
        else expect(K).toEqual(expected)

        // and what an impulse does to all velocities
        const impulse = new Float64Array(18)
        impulse.set(randomVector(random, 3), 9)
        const x = new Float64Array(nv)
        for (let k = 0; k < nv; k++) for (let d = 0; d < 3; d++) x[k] += (JB[d * nv + k] - JA[d * nv + k]) * impulse[9 + d]
        solve(model, data.L, x)
        const v = state.v.slice()
        pair.apply(data, a, b, point, impulse, 1, v)
        if (x.some((y) => Math.abs(y) > 1e-12))
          expect(
            relativeError(
              v.map((y, k) => y - state.v[k]),
              x,
            ),
          ).toBeLessThan(AGREE)
      }
    })
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(trials(20))
  })
})
