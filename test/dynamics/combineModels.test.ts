import { describe, expect, test } from 'vitest'
import {
  aba,
  type BodyDefinition,
  biasForces,
  buildModel,
  combineModels,
  crba,
  createRandom,
  factorize,
  gravityForces,
  JointType,
  type Model,
  partOfModel,
  rotate3,
  type State,
  solve,
} from '../../dynamics/index.ts'
import { trials } from '../dailyModels.ts'
import { concatenated, dataAt, energiesOf, filled } from './at.ts'
import { body, free, solid } from './bodies.ts'
import { randomBodies, randomRotation, randomState, randomVector, relativeError, treeKind } from './randomTree.ts'

const gravity = [0.3, -0.2, -9.7] as const

/** Two to four mechanisms of all kinds at random states; joints that follow others in half of the forests. */
function* randomForests(count: number) {
  const random = createRandom(31)
  for (let n = 0; n < count; n++) {
    const followers = n % 2 === 1
    const models = Array.from({ length: 2 + random.index(3) }, (_, k) => {
      const kind = { ...treeKind(n + k), followers }
      return buildModel(`part ${k}`, randomBodies(random, { bodies: 1 + random.index(12), ...kind }), gravity)
    })
    const states = models.map((model) => randomState(random, model))
    const whole = combineModels(
      'forest',
      models.map((model, k) => ({ model, prefix: `${k}/` })),
    )
    yield { random, models, states, whole, state: joined(states), followers }
  }
}

const joined = (states: readonly State[]): State => ({
  q: concatenated(states.map(({ q }) => q)),
  v: concatenated(states.map(({ v }) => v)),
  t: new Float64Array(1),
})

describe('mechanisms side by side', () => {
  test('taken apart again are each what it was, entry by entry', () => {
    for (const { models } of randomForests(trials(40))) {
      const whole = combineModels(
        'forest',
        models.map((model) => ({ model, prefix: '' })),
      )
      let from = 1
      for (const model of models) {
        expect(partOfModel(model.name, whole, from, from + model.nb - 1)).toEqual(model)
        from += model.nb - 1
      }
    }
  })

  test('have the inertia matrices of each as blocks, and nothing between, to the last bit', () => {
    for (const { models, states, whole, state } of randomForests(trials(40))) {
      const data = dataAt(whole, state)
      crba(whole, data)
      let start = 0
      const expected = new Float64Array(whole.nv * whole.nv)
      models.forEach((model, k) => {
        const own = dataAt(model, states[k])
        crba(model, own)
        for (let r = 0; r < model.nv; r++) {
          expected.set(own.M.subarray(r * model.nv, (r + 1) * model.nv), (start + r) * whole.nv + start)
        }
        start += model.nv
      })
      expect(data.M).toEqual(expected)
    }
  })

  test('have the bias forces and the accelerations of each, to the last bit but where joints follow others', () => {
    for (const { random, models, states, whole, state, followers } of randomForests(40)) {
      const taus = models.map(({ nv }) => randomVector(random, nv, 5))
      const data = dataAt(whole, state)
      const c = filled(whole.nv, (out) => biasForces(whole, state, data, out))
      const a = filled(whole.nv, (out) => aba(whole, state, concatenated(taus), data, out))
      const apart = models.map((model, k) => {
        const own = dataAt(model, states[k])
        const bias = filled(model.nv, (out) => biasForces(model, states[k], own, out))
        const acceleration = filled(model.nv, (out) => aba(model, states[k], taus[k], own, out))
        return { bias, acceleration }
      })
      expect(c).toEqual(concatenated(apart.map(({ bias }) => bias)))
      const expected = concatenated(apart.map(({ acceleration }) => acceleration))
      // with a follower anywhere accelerations come from M, in one system of equations for all, here as badly scaled as 1e6
      if (followers) expect(relativeError(a, expected)).toBeLessThan(1e-9)
      else expect(a).toEqual(expected)
    }
  })

  test('are factorised as each is, to the last bit', () => {
    for (const { random, models, states, whole, state } of randomForests(20)) {
      const right = models.map(({ nv }) => randomVector(random, nv, 5))
      const answer = (model: Model, at: State, b: Float64Array) => {
        const data = dataAt(model, at)
        crba(model, data)
        const L = filled(model.nv * model.nv, (out) => factorize(model, data.M, out))
        const x = b.slice()
        solve(model, L, x)
        return x
      }
      expect(answer(whole, state, concatenated(right))).toEqual(
        concatenated(models.map((model, k) => answer(model, states[k], right[k]))),
      )
    }
  })

  test('have the sum of the energies', () => {
    for (const { models, states, whole, state } of randomForests(20)) {
      const apart = models.map((model, k) => energiesOf(model, states[k]))
      energiesOf(whole, state).forEach((energy, kind) => {
        const expected = apart.reduce((sum, own) => sum + own[kind], 0)
        const size = apart.reduce((sum, own) => sum + Math.abs(own[kind]), 0)
        expect(Math.abs(energy - expected)).toBeLessThan(1e-13 * size + 1e-15) // rounding of another order of summation
      })
    }
  })

  test('nested or in one go, they are the same model', () => {
    const random = createRandom(32)
    const [a, b, c] = [0, 1, 2].map((k) => buildModel(`part ${k}`, randomBodies(random, { bodies: 6, ...treeKind(k) }), gravity))
    const part = (model: Model, prefix: string) => ({ model, prefix })
    const inner = combineModels('inner', [part(b, 'b/'), part(c, 'c/')])
    const nested = combineModels('forest', [part(a, 'a/'), part(inner, '')])
    expect(nested).toEqual(combineModels('forest', [part(a, 'a/'), part(b, 'b/'), part(c, 'c/')]))
  })

  test('bodies, joints and their places follow one another, names begin with the prefix, the parts stay as they were', () => {
    const [one, two] = [twoLinks('one'), twoLinks('two')]
    const copies = structuredClone([one, two])
    const whole = combineModels('pair', [
      { model: one, prefix: 'left/' },
      { model: two, prefix: 'right/' },
    ])
    expect(whole.bodyName).toEqual([one.bodyName[0], 'left/base', 'left/tip', 'right/base', 'right/tip'])
    expect(whole.jointName.slice(1)).toEqual(['left/free', 'left/hinge', 'right/free', 'right/hinge'])
    expect([...whole.parent]).toEqual([-1, 0, 1, 0, 3])
    expect([...whole.qStart]).toEqual([0, 0, 7, 8, 15, 16])
    expect([...whole.vStart]).toEqual([0, 0, 6, 7, 13, 14])
    expect([...whole.bodyOfV]).toEqual([1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 4])
    expect([...whole.upper].filter(Number.isFinite)).toEqual([0.7, 0.7])
    whole.I[1][0] = 99
    expect([one, two]).toEqual(copies)
  })
})

describe('a mechanism that is bolted to the world', () => {
  test('stands where it is put: every body is turned and moved with it', () => {
    const random = createRandom(33)
    const bodies = randomBodies(random, { bodies: 7 })
    const model = buildModel('arm', bodies, gravity)
    const state = randomState(random, model)
    const R = randomRotation(random)
    const p = Float64Array.of(0.3, -2, 1)
    const placed = combineModels('placed', [{ model, prefix: '', R, p }])
    const own = dataAt(model, state)
    const data = dataAt(placed, state)
    const expected = new Float64Array(3)
    for (let i = 1; i < model.nb; i++) {
      rotate3(expected, R, own.p_WB[i])
      for (let d = 0; d < 3; d++) expect(Math.abs(data.p_WB[i][d] - expected[d] - p[d])).toBeLessThan(1e-13)
    }
  })

  test('weighs as it would where it was, with gravity turned the other way', () => {
    const random = createRandom(34)
    const bodies = randomBodies(random, { bodies: 7, everyType: false })
    const R = randomRotation(random)
    const turned = [0, 1, 2].map((c) => R[c] * gravity[0] + R[3 + c] * gravity[1] + R[6 + c] * gravity[2])
    const model = buildModel('arm', bodies, gravity)
    const other = buildModel('arm', bodies, [turned[0], turned[1], turned[2]])
    const state = randomState(random, model)
    const placed = combineModels('placed', [{ model, prefix: '', R }])
    const weight = (of: Model) => filled(of.nv, (out) => gravityForces(of, state, dataAt(of, state), out))
    const expected = weight(other)
    expect(relativeError(weight(placed), expected)).toBeLessThan(1e-12)
  })

  test('a floating one has its place in q, and is left alone', () => {
    const model = twoLinks('free')
    const placed = combineModels('placed', [{ model, prefix: '', p: Float64Array.of(1, 2, 3) }])
    expect(placed.XT).toEqual(model.XT)
  })
})

test('there must be a part, and one gravity for all', () => {
  expect(() => combineModels('nothing', [])).toThrow(/"nothing" has no parts.*at least one/)
  const [here, moon] = [twoLinks('here'), twoLinks('moon', [0, 0, -1.62])]
  const parts = [here, moon].map((model) => ({ model, prefix: `${model.name}/` }))
  expect(() => combineModels('both', parts)).toThrow(/\[0,0,-1.62\] for "moon" and \[0,0,-9.81\] for "here"/)
})

function twoLinks(name: string, gravity?: readonly [number, number, number]): Model {
  const base = body('base', free('free'), solid(2, [0.1, 0.2, 0.3]))
  const tip: BodyDefinition = {
    ...base,
    name: 'tip',
    jointName: 'hinge',
    parent: 1,
    jointType: JointType.revolute,
    axis: [0, 1, 0],
    lower: -0.7,
    upper: 0.7,
  }
  return buildModel(name, [base, tip], gravity)
}
