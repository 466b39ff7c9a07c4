import { describe, expect, test } from 'vitest'
import {
  aba,
  addSpringEnergy,
  type BodyDefinition,
  buildModel,
  crba,
  createData,
  createDataWithoutM,
  createRandom,
  type Data,
  factorize,
  JointType,
  kinematics,
  type Model,
  rnea,
} from '../../dynamics/index.ts'
import { trials } from '../dailyModels.ts'
import { dataAt, stateOf } from './at.ts'
import { body, hinge, solid } from './bodies.ts'
import { randomState, randomTree, treeKind } from './randomTree.ts'

const link = body('link', hinge('hinge', 0, [0, 0, 1]), solid(1, [1, 1, 1]))

describe('buildModel', () => {
  test('numbers the positions and velocities of a mixed tree', () => {
    const model = buildModel('mixed', [
      { ...link, jointType: JointType.floating },
      { ...link, parent: 1 },
      { ...link, parent: 2, jointType: JointType.fixed },
      { ...link, parent: 3, jointType: JointType.prismatic },
      { ...link, parent: 1 },
      { ...link, parent: 0, jointType: JointType.fixed },
      { ...link, parent: 6 },
    ])
    expect(model.nb).toBe(8)
    expect(model.nq).toBe(11)
    expect(model.nv).toBe(10)
    expect([...model.qStart]).toEqual([0, 0, 7, 8, 8, 9, 10, 10, 11])
    expect([...model.vStart]).toEqual([0, 0, 6, 7, 7, 8, 9, 9, 10])
    expect([...model.bodyOfV]).toEqual([1, 1, 1, 1, 1, 1, 2, 4, 5, 7])
    // the fixed body 3 is passed over; body 7 hangs on a body that is fixed to the world
    expect([...model.vParent]).toEqual([-1, 0, 1, 2, 3, 4, 5, 6, 5, -1])
    expect(model.vLast[3]).toBe(6)
    expect(model.vLast[6]).toBe(-1)
    expect(model.I.reduce((mass, [m]) => mass + m, 0)).toBe(7)
  })

  test('defaults: no limits, no friction, earthly gravity', () => {
    const model = buildModel('one', [link])
    expect(model.lower[0]).toBe(Number.NEGATIVE_INFINITY)
    expect(model.upper[0]).toBe(Number.POSITIVE_INFINITY)
    expect(model.effortLimit[0]).toBe(Number.POSITIVE_INFINITY)
    expect([model.damping[0], model.friction[0], model.armature[0]]).toEqual([0, 0, 0])
    expect([...model.gravity]).toEqual([0, 0, 0, 0, 0, -9.81])
  })

  test('moves the inertia to the origin by Steiner', () => {
    const model = buildModel('one', [{ ...link, mass: 2, centerOfMass: [1, 2, 3], inertia: [4, 5, 6, 0.1, 0.2, 0.3] }])
    expect([...model.I[1]]).toEqual([2, 2, 4, 6, 4 + 26, 5 + 20, 6 + 10, 0.1 - 4, 0.2 - 6, 0.3 - 12])
  })

  test('places a turned joint where it stands', () => {
    // joint at [1, 2, 3], its x axis along the parent's y: columns of `rotation` are the joint's axes in the parent
    const model = buildModel('one', [
      { ...link, jointType: JointType.prismatic, axis: [1, 0, 0], position: [1, 2, 3], rotation: [0, -1, 0, 1, 0, 0, 0, 0, 1] },
    ])
    const data = dataAt(model, stateOf(model, [0.5]))
    expect([...data.p_WB[1]]).toEqual([1, 2.5, 3])
    expect([...data.R_WB[1]]).toEqual([0, -1, 0, 1, 0, 0, 0, 0, 1])
  })

  const wrong: [string, Partial<BodyDefinition>, RegExp][] = [
    ['a parent that comes later', { parent: 1 }, /body 1 "link" \(joint "hinge"\): parent is 1; expected .* 0/],
    ['a parent that is no whole number', { parent: 0.5 }, /parent is 0.5/],
    ['an unknown joint type', { jointType: 9 as JointType }, /jointType is 9; expected one of 0, 1/],
    ['a missing axis', { axis: undefined }, /revolute joint needs an axis/],
    ['an axis of length 2', { axis: [0, 0, 2] }, /axis \[0,0,2\] has length 2; expected 1/],
    ['an axis with NaN', { axis: [0, 0, Number.NaN] }, /axis is \[0, 0, NaN\]; expected 3 finite numbers/],
    ['a negative mass', { mass: -1 }, /mass is -1; expected a finite number of at least 0/],
    ['an infinite mass', { mass: Number.POSITIVE_INFINITY }, /mass is Infinity/],
    [
      'an inertia with five entries',
      { inertia: [1, 1, 1, 0, 0] as never },
      /inertia is \[1, 1, 1, 0, 0\]; expected 6 finite numbers/,
    ],
    ['a reflection', { rotation: [1, 0, 0, 0, 1, 0, 0, 0, -1] }, /rotation is .*expected the 9 numbers of a rotation/],
    ['a scaled rotation', { rotation: [2, 0, 0, 0, 2, 0, 0, 0, 2] }, /rotation is .*expected the 9 numbers of a rotation/],
    ['a position with infinity', { position: [0, Number.NEGATIVE_INFINITY, 0] }, /position is \[0, -Infinity, 0\]/],
    ['limits the wrong way round', { lower: 1, upper: -1 }, /lower limit 1 .* upper limit -1/],
    ['negative damping', { damping: -0.1 }, /damping is -0.1/],
    ['a limit that is NaN', { effortLimit: Number.NaN }, /effortLimit is NaN/],
    ['stiffness on a floating joint', { jointType: JointType.floating, stiffness: 1 }, /stiffness is 1; a floating joint/],
    [
      'armature on a planar joint',
      { jointType: JointType.planar, axis: [0, 0, 1], armature: 1 },
      /armature is 1; a planar joint/,
    ],
    ['limits on a floating joint', { jointType: JointType.floating, lower: -1 }, /floating joint, which has none/],
  ]
  for (const [what, change, message] of wrong) {
    test(`refuses ${what}`, () => {
      expect(() => buildModel('wrong', [{ ...link, ...change }])).toThrow(message)
      expect(() => buildModel('wrong', [{ ...link, ...change }])).toThrow(RangeError)
    })
  }

  test('tells limits of one value from limits the wrong way round', () => {
    expect([...buildModel('locked', [{ ...link, lower: 0.5, upper: 0.5 }]).upper]).toEqual([0.5])
    expect(() => buildModel('wrong', [{ ...link, lower: Number.NaN }])).toThrow(/lower is NaN/)
  })

  const followers: [string, Partial<BodyDefinition>, RegExp][] = [
    ['a joint that follows itself', { follows: 2 }, /body 2 "tip" .*follows body 2; expected the number of another body, 1 to 3/],
    ['a joint that follows the world', { follows: 0 }, /follows body 0/],
    ['a joint that follows nobody', { follows: 4 }, /follows body 4; .* 1 to 3/],
    ['a joint that follows half a body', { follows: 1.5 }, /follows body 1.5/],
    [
      'a joint that follows a ball',
      { follows: 3 },
      /follows joint "ball"; both have to be revolute or prismatic, found spherical/,
    ],
    ['a plane that follows', { follows: 1, jointType: JointType.planar }, /both have to be .*, found planar/],
    ['a multiplier that is no number', { follows: 1, multiplier: Number.NaN }, /multiplier is NaN/],
    ['an offset without end', { follows: 1, offset: Number.POSITIVE_INFINITY }, /offset is Infinity/],
  ]
  for (const [what, change, message] of followers) {
    test(`refuses ${what}`, () => {
      const bodies: BodyDefinition[] = [
        link,
        { ...link, name: 'tip', parent: 1, ...change },
        { ...link, jointName: 'ball', jointType: JointType.spherical },
      ]
      expect(() => buildModel('wrong', bodies)).toThrow(message)
      expect(() => buildModel('wrong', bodies)).toThrow(RangeError)
    })
  }

  test('refuses a joint that follows one which follows', () => {
    const bodies = [link, { ...link, parent: 1, follows: 1 }, { ...link, parent: 2, follows: 2 }]
    expect(() => buildModel('wrong', bodies)).toThrow(
      /body 3 .*which follows one itself\. Name the joint at the end of the chain/,
    )
  })

  test('the losses of a follower act on the joint that it follows: by power m^2 damping and rotor, |m| dry friction', () => {
    const model = buildModel('gears', [
      { ...link, damping: 0.5, friction: 2, armature: 0.25 },
      { ...link, follows: 1, multiplier: -3, damping: 0.1, friction: 0.2, armature: 0.3 },
    ])
    expect([model.damping[0], model.friction[0], model.armature[0]]).toEqual([0.5 + 9 * 0.1, 2 + 3 * 0.2, 0.25 + 9 * 0.3])
  })

  test('springs of followers act on the joint that they follow: the energy is that of all springs, but for a constant', () => {
    const springs = [
      { stiffness: 5, springReference: 0.3, multiplier: 1, offset: 0 },
      { stiffness: 2, springReference: -0.4, multiplier: -3, offset: 0.2 },
      { stiffness: 7, springReference: 0.1, multiplier: 0.5, offset: -1 },
    ]
    // the joint that is followed stands between its followers
    const [own, ...others] = springs
    const model = buildModel('gears', [
      { ...link, ...others[0], follows: 2 },
      { ...link, stiffness: own.stiffness, springReference: own.springReference },
      { ...link, ...others[1], follows: 2 },
    ])
    const change = (q: number) => {
      const out = new Float64Array(2)
      addSpringEnergy(model, Float64Array.of(q), out, 0)
      addSpringEnergy(model, Float64Array.of(0), out, 1)
      return out[0] - out[1]
    }
    const energy = (q: number) =>
      springs.reduce((sum, { stiffness: k, springReference, multiplier, offset }) => {
        return sum + 0.5 * k * (multiplier * q + offset - springReference) ** 2
      }, 0)
    for (const q of [-2, -0.1, 0.7, 3]) expect(Math.abs(change(q) - (energy(q) - energy(0)))).toBeLessThan(1e-12)
  })

  test("a plane's x is the world's x turned the shortest way from z to the normal, and x itself for a plane upside down", () => {
    const planeX = (axis: [number, number, number]) => [
      ...buildModel('puck', [{ ...link, jointType: JointType.planar, axis }])
        .planeAxis.slice(3)
        .map((x) => x + 0), // no -0
    ]
    expect(planeX([0, 0, 1])).toEqual([1, 0, 0])
    expect(planeX([1, 0, 0])).toEqual([0, 0, -1])
    expect(planeX([0, 1, 0])).toEqual([1, 0, 0])
    expect(planeX([0, 0, -1])).toEqual([1, 0, 0])
  })

  test('refuses a gravity that is not finite', () => {
    expect(() => buildModel('wrong', [link], [0, 0, Number.NaN])).toThrow(/gravity is \[0, 0, NaN\]/)
  })
})

/** Which velocities move each body, by walking over the bodies alone. */
function moversOf({ nb, parent, vStart, follows }: Model): Set<number>[] {
  const movers: Set<number>[] = [new Set()]
  for (let i = 1; i < nb; i++) {
    const driver = follows[i] < 0 ? i : follows[i]
    const own = Array.from({ length: vStart[driver + 1] - vStart[driver] }, (_, k) => vStart[driver] + k)
    movers.push(new Set([...movers[parent[i]], ...own]))
  }
  return movers
}

/** Where L of M = L^T L may not be 0, by elimination on a full matrix of what meets in M: fill and all. */
function patternOfL(model: Model): boolean[][] {
  const { nv } = model
  const L = Array.from({ length: nv }, () => new Array<boolean>(nv).fill(false))
  for (const movers of moversOf(model)) for (const k of movers) for (const l of movers) L[k][l] = true
  for (let k = nv - 1; k >= 0; k--) {
    for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) if (L[k][i] && L[k][j]) L[i][j] = true
  }
  return L
}

describe('the tree of velocities', () => {
  const random = createRandom(40)
  const models = Array.from({ length: trials(300) }, (_, n) =>
    randomTree(random, { bodies: 2 + random.index(24), ...treeKind(n), followers: n % 4 !== 0 }),
  )

  test('is the elimination tree of M: the parent of k is the largest l < k with L[k, l] not 0', () => {
    let fill = 0
    for (const model of models) {
      const L = patternOfL(model)
      expect([...model.vParent]).toEqual(L.map((row, k) => row.slice(0, k).lastIndexOf(true)))
      // what is not 0 lies on the way to the root, but not all of that way need be
      for (let k = 0; k < model.nv; k++) {
        const way = new Set<number>()
        for (let l = model.vParent[k]; l >= 0; l = model.vParent[l]) way.add(l)
        expect(L[k].every((is, l) => !is || l >= k || way.has(l))).toBe(true)
      }
      const movers = moversOf(model)
      for (let k = 0; k < model.nv; k++) {
        for (let l = 0; l < k; l++) if (L[k][l] && !movers.some((m) => m.has(k) && m.has(l))) fill++
      }
    }
    // else these trees would not show the difference between M's zeros and L's
    expect(fill).toBeGreaterThan(trials(100))
  })

  test('leads from the last velocity that moves a body past all others that do', () => {
    for (const model of models) {
      moversOf(model).forEach((movers, i) => {
        expect(model.vLast[i]).toBe(Math.max(-1, ...movers))
        for (let k = model.vLast[i]; k >= 0; k = model.vParent[k]) movers.delete(k)
        expect(movers.size).toBe(0)
      })
    }
  })
})

describe('data without room for M', () => {
  const random = createRandom(41)
  const model = randomTree(random, { bodies: 12, floating: true, everyType: true })
  const state = randomState(random, model)
  const [whole, small] = [createData(model), createDataWithoutM(model)]
  for (const data of [whole, small]) kinematics(model, state, data)

  test('gives the same bits for poses, inverse and forward dynamics', () => {
    const of = (data: Data) => {
      const [tau, a] = [new Float64Array(model.nv), new Float64Array(model.nv)]
      rnea(model, state, state.v, data, tau)
      aba(model, state, tau, data, a)
      return [...data.p_WB, ...data.R_WB, ...data.SW, tau, a]
    }
    expect(of(small)).toEqual(of(whole))
  })

  test('is refused by what needs M', () => {
    expect(() => crba(model, small)).toThrow(/^M has 0 entries/)
    expect(() => factorize(model, small.M, small.L)).toThrow(/^M has 0 entries/)
  })
})
