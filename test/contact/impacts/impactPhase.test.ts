import { describe, expect, test } from 'vitest'
import {
  type BodyDefinition,
  buildModel,
  crba,
  createData,
  createRandom,
  createState,
  JointType,
  kinematics,
  type Model,
  type Random,
  type State,
} from '../../../dynamics/index.ts'
import { full } from '../../dailyModels.ts'
import { body, hinge, slide, solid } from '../../dynamics/bodies.ts'
import { randomBodies, randomState, randomUnit } from '../../dynamics/randomTree.ts'
import {
  ball,
  energyOf,
  freeBodies,
  generalisedImpulse,
  type HandContact,
  hypotheses,
  momentumOf,
  relativeVelocity,
  Scene,
  type Vector,
} from './scene.ts'

const x: Vector = [1, 0, 0]
const z: Vector = [0, 0, 1]

/** 10,000 impacts by FEATHERBED_FULL, few otherwise. */
const IMPACTS = full ? 10_000 : 35

describe('free bodies', () => {
  test('a small ball between a wall and a block a hundred times as heavy is struck 31 times, as the digits of pi say', () => {
    // Galperin, Playing pool with pi, Regular and Chaotic Dynamics 8 (2003): 10^k times pi, rounded down, for a ratio 100^k
    for (const [ratio, count] of [
      [1, 3],
      [100, 31],
      [10_000, 314],
    ]) {
      const { model, state } = freeBodies([ball(1, 0.1, 0), ball(ratio, 0.1, 0.2, [-1, 0, 0])])
      const { impulses, fallbacks } = new Scene(model, state, { impacts: 'stronge' }).impact([
        { a: 0, b: 1, point: [-0.1, 0, 0], normal: x, e: 1, pair: 0 },
        { a: 1, b: 2, point: [0.1, 0, 0], normal: x, e: 1, pair: 1 },
      ])
      // the last needs more than the 50 sweeps of two patches: what is left is no matter of impulses, and counted
      expect(impulses).toBe(Math.min(count, 100))
      expect(fallbacks).toBe(count > 100 ? 1 : 0)
    }
  })
})

describe('robots', () => {
  const rod = (l: number, parent: number, position: Vector, mass = 1.5): BodyDefinition => {
    const I = (mass * l * l) / 12
    return body(
      `rod ${parent + 1}`,
      hinge(`hinge ${parent + 1}`, parent, [0, 1, 0], position),
      solid(mass, [I, I, 1e-6], [0, 0, -l / 2]),
    )
  }

  test('two feet on the ground that are struck in turns come to what both impulses at once would give, to 1e-6', () => {
    // a trunk on two legs that are hinged to it: sticking feet make a closed loop
    const bodies: BodyDefinition[] = [
      { name: 'trunk', jointName: 'free', parent: 0, jointType: JointType.floating, mass: 5, inertia: [0.1, 0.1, 0.1, 0, 0, 0] },
      { ...rod(0.5, 1, [0.2, 0, 0]), name: 'left', jointName: 'left hip' },
      { ...rod(0.5, 1, [-0.2, 0, 0]), name: 'right', jointName: 'right hip' },
    ]
    const model = buildModel('biped', bodies)
    const feet = (state: State): Vector[] => {
      const data = createData(model)
      kinematics(model, state, data)
      return [2, 3].map((body) => {
        const [R, p] = [data.R_WB[body], data.p_WB[body]]
        return [p[0] - 0.5 * R[2], p[1] - 0.5 * R[5], p[2] - 0.5 * R[8]]
      })
    }
    for (const impacts of hypotheses) {
      const state = createState(model)
      state.q.set([0, 0, 0.48, 0, 0, 0, 1, -0.3, 0.3])
      state.v.set([0, 0.3, 0, 0.1, 0, -1, 0.2, -0.1])
      const points = feet(state)
      const scene = new Scene(model, state, { impacts })
      const { before, v, fallbacks } = scene.impact(points.map((point, i) => ({ a: 0, b: 2 + i, point, normal: z, mu: 2 })))
      expect(fallbacks).toBe(0)
      // stopped dead: M (v - before) = Jᵀ p with J v = 0, of the two feet's x and z (y is one constraint twice)
      const after = constrained(model, state, before, points)
      for (let k = 0; k < model.nv; k++) expect(Math.abs(v[k] - after[k])).toBeLessThan(1e-6)
    }
  })
})

/** The velocity nearest to v in the metric of M at which the points of bodies 2 and 3 stand still. */
function constrained(model: Model, state: State, v: Float64Array, points: readonly Vector[]): Float64Array {
  const { nv } = model
  const data = createData(model)
  kinematics(model, state, data)
  crba(model, data)
  // project by Gram-Schmidt in M: subtract what moves the points, row after row
  const rows: number[][] = []
  const unit = (k: number) => Float64Array.from({ length: nv }, (_, j) => (j === k ? 1 : 0))
  points.forEach((point, i) => {
    const columns = Array.from({ length: nv }, (_, k) => relativeVelocity(model, state, unit(k), 0, 2 + i, point))
    for (const d of [0, 1, 2]) rows.push(columns.map((column) => column[d]))
  })
  const M = (i: number, j: number) => data.M[Math.max(i, j) * nv + Math.min(i, j)]
  const solveM = (b: readonly number[]): number[] => {
    const a = Array.from({ length: nv }, (_, i) => [...Array.from({ length: nv }, (_, j) => M(i, j)), b[i]])
    for (let i = 0; i < nv; i++) {
      for (let r = 0; r < nv; r++) {
        if (r === i) continue
        const factor = a[r][i] / a[i][i]
        for (let c = i; c <= nv; c++) a[r][c] -= factor * a[i][c]
      }
    }
    return a.map((row, i) => row[nv] / row[i])
  }
  const basis: { row: number[]; x: number[] }[] = []
  for (const row of rows) {
    let rest = row
    for (const { row: other, x: dual } of basis) {
      const along = rest.reduce((sum, r, k) => sum + r * dual[k], 0) / other.reduce((sum, r, k) => sum + r * dual[k], 0)
      rest = rest.map((r, k) => r - along * other[k])
    }
    if (Math.hypot(...rest) > 1e-9) basis.push({ row: rest, x: solveM(rest) })
  }
  const out = v.slice()
  for (const { row, x: dual } of basis) {
    const along = row.reduce((sum, r, k) => sum + r * out[k], 0) / row.reduce((sum, r, k) => sum + r * dual[k], 0)
    for (let k = 0; k < nv; k++) out[k] -= along * dual[k]
  }
  return out
}

/** Two random trees side by side, and two or three contacts between bodies of one or both of them, anywhere. */
function randomScene(random: Random, floating: boolean): { model: Model; state: State; contacts: HandContact[] } {
  const first = randomBodies(random, { bodies: 1 + random.index(5), floating, armature: false })
  const second = randomBodies(random, { bodies: 1 + random.index(5), floating: true, armature: false })
  const moved = second.map((body) => ({
    ...body,
    name: `other ${body.name}`,
    jointName: `other ${body.jointName}`,
    parent: body.parent === 0 ? 0 : body.parent + first.length,
  }))
  const model = buildModel('two robots', [...first, ...moved], [0, 0, 0])
  const state = randomState(random, model)
  const contacts: HandContact[] = []
  const count = 1 + random.index(3)
  for (let pair = 0; pair < count; pair++) {
    const a = random.index(model.nb)
    const b = random.index(model.nb)
    if (a === b || (floating && (a === 0 || b === 0))) continue
    const mu = random.between(0, 2)
    const e = random.next()
    const normal = randomUnit(random)
    const at = [0, 1, 2].map(() => random.between(-1, 1))
    // a patch of up to four points
    const size = 1 + random.index(4)
    for (let k = 0; k < size; k++) {
      const [px, py, pz] = at.map((y) => y + random.between(-0.1, 0.1))
      contacts.push({ a: Math.min(a, b), b: Math.max(a, b), point: [px, py, pz], normal, mu, muStatic: 1.1 * mu, e, pair })
    }
  }
  return { model, state, contacts }
}

describe('random robots', () => {
  test('what contacts report is what moved the robots: M (v+ - v) = Jᵀ impulse, by full Jacobians', () => {
    const random = createRandom(91)
    let impacts = 0
    for (let n = 0; n < 60; n++) {
      const { model, state, contacts } = randomScene(random, n % 2 === 0)
      const hypothesis = hypotheses[n % 3]
      const outcome = new Scene(model, state, { impacts: hypothesis }).impact(contacts)
      impacts += outcome.impulses
      const data = createData(model)
      kinematics(model, state, data)
      crba(model, data)
      const expected = generalisedImpulse(model, state, outcome.contacts)
      const size = Math.max(1, ...expected.map(Math.abs))
      for (let i = 0; i < model.nv; i++) {
        let sum = 0
        for (let j = 0; j < model.nv; j++) {
          sum += data.M[Math.max(i, j) * model.nv + Math.min(i, j)] * (outcome.v[j] - outcome.before[j])
        }
        expect(Math.abs(sum - expected[i]) / size).toBeLessThan(1e-11)
      }
    }
    expect(impacts).toBeGreaterThan(60)
  })

  test('floating robots that collide in zero gravity keep their momentum, linear and angular, to 1e-10, by all hypotheses', () => {
    const random = createRandom(92)
    let struck = 0
    for (let n = 0; n < 60; n++) {
      const { model, state, contacts } = randomScene(random, true)
      const start = state.v.slice()
      for (const impacts of hypotheses) {
        state.v.set(start)
        const { before, v, impulses } = new Scene(model, state, { impacts }).impact(contacts)
        if (impulses === 0) continue
        struck++
        const was = momentumOf(model, state.q, before)
        const is = momentumOf(model, state.q, v)
        for (let k = 0; k < 6; k++) expect(Math.abs(is[k] - was[k])).toBeLessThan(1e-10)
      }
    }
    expect(struck).toBeGreaterThan(60)
  })

  test(`energy never grows: ${IMPACTS} random collisions of random robots, friction 0 to 2, e 0 to 1`, () => {
    const random = createRandom(93)
    let struck = 0
    for (let n = 0; struck < IMPACTS; n++) {
      const { model, state, contacts } = randomScene(random, n % 2 === 0)
      const start = state.v.slice()
      let some = false
      for (const impacts of hypotheses) {
        state.v.set(start)
        const { before, v, impulses } = new Scene(model, state, { impacts }).impact(contacts)
        if (impulses > 0) some = true
        // rounding of speeds that M's condition multiplies
        expect(energyOf(model, state.q, v)).toBeLessThan(energyOf(model, state.q, before) * (1 + 1e-11))
      }
      if (some) struck++
    }
  })
})

describe('states of a pair', () => {
  const ground = (speed: number) => {
    const { model, state } = freeBodies([ball(1, 0.1, 0, [0, 0, speed])])
    return { scene: new Scene(model, state, { impacts: 'stronge' }), state }
  }
  const touch: HandContact = { a: 0, b: 1, point: [0, 0, -0.1], normal: z, e: 0.5 }

  test('none: what begins to touch and approaches impacts; what does not approach rests', () => {
    for (const [speed, after] of [
      [-1, 0.5],
      [0, 0],
      [-1e-9, -1e-9], // below epsilon, 1e-8 m/s
      [0.3, 0.3],
    ]) {
      const { scene } = ground(speed)
      expect(Math.abs(scene.impact([touch]).v[5] - after)).toBeLessThan(1e-15)
    }
  })

  test('resting: a pair that touched in the step before is left to forces, however fast it approaches', () => {
    const { scene, state } = ground(0)
    scene.impact([touch])
    state.v[5] = -3
    expect(scene.impact([touch]).v[5]).toBe(-3)
    expect(scene.impact([touch]).impulses).toBe(0)
  })

  test('none again: a pair that has parted for a step impacts when it comes back', () => {
    const { scene, state } = ground(0)
    scene.impact([touch])
    scene.impact([])
    state.v[5] = -3
    expect(scene.impact([touch]).v[5]).toBe(1.5)
  })

  test('resting, and hit by a third body: it impacts again', () => {
    const one = ball(1, 0.1, 0)
    const falling: Vector = [0, 0, -2]
    const { model, state } = freeBodies([one, { ...ball(1, 0.1, 0, falling), position: [0, 0, 0.2] }])
    const scene = new Scene(model, state, { impacts: 'stronge' })
    const below: HandContact = { ...touch, e: 0, pair: 0 }
    const above: HandContact = { a: 1, b: 2, point: [0, 0, 0.1], normal: z, e: 0, pair: 1 }
    scene.impact([below])
    const { v, contacts } = scene.impact([below, above])
    // both stop on the ground, which takes the whole momentum
    for (const k of [5, 11]) expect(Math.abs(v[k])).toBeLessThan(2e-8)
    expect(Math.abs(contacts.impact[0] - 2)).toBeLessThan(2e-8)
  })

  test('resting beside an impact of other bodies: it stays at rest', () => {
    const { model, state } = freeBodies([ball(1, 0.1, 0), { ...ball(1, 0.1, 2, [0, 0, -1]) }])
    const scene = new Scene(model, state, { impacts: 'stronge' })
    scene.impact([{ ...touch, pair: 0 }])
    state.v[5] = -0.2
    const { v } = scene.impact([
      { ...touch, pair: 0 },
      { ...touch, b: 2, point: [2, 0, -0.1], pair: 1 },
    ])
    expect(v[5]).toBe(-0.2)
    expect(v[11]).toBe(0.5)
  })

  test('resting on one foot while the other strikes the ground: the jolt goes through the joints, and the first impacts too', () => {
    const bodies: BodyDefinition[] = [
      { name: 'beam', jointName: 'free', parent: 0, jointType: JointType.floating, mass: 1, inertia: [0.01, 0.2, 0.2, 0, 0, 0] },
      body('left', slide('a', 1, [1, 0, 0], [-1, 0, 0]), solid(1, [0.01, 0.01, 0.01])),
      body('right', slide('b', 1, [1, 0, 0], [1, 0, 0]), solid(1, [0.01, 0.01, 0.01])),
    ]
    const model = buildModel('seesaw', bodies, [0, 0, 0])
    const state = createState(model)
    state.q[6] = 1
    const scene = new Scene(model, state, { impacts: 'stronge' })
    const left: HandContact = { a: 0, b: 2, point: [-1, 0, 0], normal: z, pair: 0 }
    const right: HandContact = { a: 0, b: 3, point: [1, 0, 0], normal: z, pair: 1 }
    scene.impact([left])
    // turning about the left contact: the right one comes down, and its impulse would press the left one down
    state.v.set([0, 1, 0, 0, 0, -1, 0, 0])
    const { v, contacts } = scene.impact([left, right])
    expect(contacts.impact[0]).toBeGreaterThan(0)
    for (const [body, contact] of [
      [2, left],
      [3, right],
    ] as const)
      expect(relativeVelocity(model, state, v, 0, body, contact.point)[2]).toBeGreaterThan(-1.1e-8)
  })

  test('what gravity adds to a speed in one step, g dt, is no impact; what is faster is', () => {
    // steps of 1 ms
    for (const [speed, after] of [
      [-0.00999, -0.00999],
      [-0.01001, 0.5 * 0.01001],
    ]) {
      const { model, state } = freeBodies([ball(1, 0.1, 0, [0, 0, speed])])
      const scene = new Scene(model, state, { impacts: 'stronge', gravity: 10 })
      expect(Math.abs(scene.impact([touch]).v[5] - after)).toBeLessThan(1e-15)
    }
  })

  test('resting, and hit by a third body so lightly that it changes the approach by less than g dt: it stays at rest', () => {
    const below: HandContact = { ...touch, e: 0, pair: 0 }
    const above: HandContact = { a: 1, b: 2, point: [0, 0, 0.1], normal: z, e: 0, pair: 1 }
    for (const small of [1e-3, 1e-2]) {
      const falling = { ...ball(small, 0.1, 0, [0, 0, -2.3]), position: [0, 0, 0.2] as const }
      const { model, state } = freeBodies([ball(1, 0.1, 0), falling])
      const scene = new Scene(model, state, { impacts: 'stronge', gravity: 10 })
      scene.impact([below])
      // what rests goes down at a speed of its own, a matter of forces
      state.v[5] = -0.3
      const { v, contacts } = scene.impact([below, above])
      // both go on together, faster by 2 mm/s in the first case and by 2 cm/s in the second
      const change = (2 * small) / (1 + small)
      expect(contacts.impact[0] > 0).toBe(change > 0.01)
      if (change < 0.01) expect(Math.abs(v[5] + 0.3 + change)).toBeLessThan(1e-14)
      else expect(Math.abs(v[5])).toBeLessThan(0.01)
    }
  })

  test('pairs of shapes of one pair of bodies are one pair: a second sole that lands is no impact', () => {
    const { model, state } = freeBodies([ball(1, 0.1, 0)])
    const scene = new Scene(model, state, { impacts: 'stronge', pairCount: 2, bodyPairs: Int32Array.of(0, 0) })
    scene.impact([{ ...touch, pair: 0 }])
    state.v[5] = -1
    expect(
      scene.impact([
        { ...touch, pair: 0 },
        { ...touch, pair: 1 },
      ]).impulses,
    ).toBe(0)
  })

  test('a copy of the memory between the impact and rest goes on to the same bits', () => {
    const { scene, state } = ground(-1)
    scene.impact([touch])
    const memory = scene.memory.slice()
    state.v[5] = -0.7
    const rested = scene.impact([touch]).v[5]
    scene.memory.set(memory)
    state.v[5] = -0.7
    expect(scene.impact([touch]).v[5]).toBe(rested)
    scene.memory.fill(0)
    state.v[5] = -0.7
    expect(scene.impact([touch]).v[5]).not.toBe(rested)
  })
})

describe('patches', () => {
  test('a box that lands flat is struck once, at the middle of its four corners, and shares that equally', () => {
    const { model, state } = freeBodies([{ mass: 2, inertia: [0.1, 0.1, 0.1], velocity: [0.4, 0, -1] }])
    const corners = [-1, 1].flatMap((i) => [-1, 1].map((j): Vector => [0.2 * i, 0.1 * j, -0.1]))
    const { v, contacts, impulses } = new Scene(model, state, { impacts: 'stronge' }).impact(
      corners.map((point) => ({ a: 0, b: 1, point, normal: z, e: 0.5, mu: 0.1, pair: 0 })),
    )
    expect(impulses).toBe(1)
    expect(Math.abs(v[5] - 0.5)).toBeLessThan(1e-14)
    for (let i = 0; i < 4; i++) {
      expect(Math.abs(contacts.impact[3 * i] - (1.5 * 2) / 4)).toBeLessThan(1e-14)
      expect(Math.abs(Math.hypot(contacts.impact[3 * i + 1], contacts.impact[3 * i + 2]) - 0.1 * 0.75)).toBeLessThan(1e-14)
    }
  })

  test('a ball in a groove of one fixture has two patches, and stops on both', () => {
    const { model, state } = freeBodies([ball(1, 0.1, 0, [0, 0, -1])])
    const s = Math.SQRT1_2
    const { v } = new Scene(model, state, { impacts: 'stronge' }).impact([
      { a: 0, b: 1, point: [-0.1 * s, 0, -0.1 * s], normal: [s, 0, s], pair: 0 },
      { a: 0, b: 1, point: [0.1 * s, 0, -0.1 * s], normal: [-s, 0, s], pair: 0 },
    ])
    expect(Math.hypot(v[3], v[4], v[5])).toBeLessThan(2e-8)
  })

  test('restitution holds from the threshold on', () => {
    for (const [speed, e] of [
      [0.0099, 0],
      [0.0101, 0.5],
    ]) {
      const { model, state } = freeBodies([ball(1, 0.1, 0, [0, 0, -speed])])
      const scene = new Scene(model, state, { impacts: 'stronge', threshold: 0.01 })
      const { v } = scene.impact([{ a: 0, b: 1, point: [0, 0, -0.1], normal: z, e: 0.5 }])
      expect(Math.abs(v[5] - e * speed)).toBeLessThan(1e-15)
    }
  })
})
