import { describe, expect, test } from 'vitest'
import { ContactSet } from '../../../contact/contactSet.ts'
import { dampingRatioOfRestitution } from '../../../contact/index.ts'
import { type PenaltyGainsUse, readPenaltyGains } from '../../../contact/models/penaltyGains.ts'
import { OptionReader } from '../../../contact/options.ts'
import { treesOf } from '../../../contact/trees.ts'
import { type BodyDefinition, buildModel, JointType } from '../../../dynamics/index.ts'
import { floating, g } from '../laws/scenes.ts'

const free = (name: string, mass: number): BodyDefinition => ({
  ...floating,
  name,
  jointName: `${name} free`,
  mass,
  inertia: [1, 1, 1, 0, 0, 0],
})
// two free balls, and a robot of 6 kg: a trunk of 5 with an arm of 1
const model = buildModel('three', [
  free('light', 1),
  free('heavy', 3),
  free('trunk', 5),
  { ...free('arm', 1), parent: 3, jointType: JointType.revolute, axis: [0, 0, 1] },
])
const [light, heavy, trunk, arm] = [1, 2, 3, 4]
const noFriction = { name: 'stickSpeed', value: 0, unit: 'm/s', meaning: 'of no meaning here' }

interface Given {
  readonly options?: Record<string, number | string | boolean>
  readonly physical?: { stiffness?: number; damping?: number; restitution?: number }
  readonly dt?: number
  readonly use?: Partial<PenaltyGainsUse>
}

function gainsOf({ options, physical, dt = 1e-3, use }: Given) {
  return readPenaltyGains(
    new OptionReader('penalty', options),
    {
      model,
      trees: treesOf(model),
      physical: { allowedPenetration: 1e-3, friction: 0.5, restitution: 0, ...physical },
      integrator: 'semi-implicit-euler',
      dt,
      gravity: g,
      pairCount: 10,
    },
    { integral: false, impulsive: false, loads: true, ...use },
    noFriction,
  )
}

/** [kp, kv, ki] of a contact of two bodies, whose surfaces state what is given. */
function gains(given: Given, a: number, b: number, surface: { stiffness?: number; damping?: number; restitution?: number } = {}) {
  const contacts = new ContactSet()
  contacts.count = 1
  contacts.bodyA[0] = a
  contacts.bodyB[0] = b
  contacts.stiffness[0] = surface.stiffness ?? Number.NaN
  contacts.damping[0] = surface.damping ?? Number.NaN
  contacts.restitution[0] = surface.restitution ?? given.physical?.restitution ?? 0
  const out = new Float64Array(3)
  const derived = gainsOf(given)
  derived.write(out, contacts, 0, new Float64Array(derived.memorySize))
  return Array.from(out)
}

const weight = g / 1e-3
const critical = (K: number, m: number) => 2 * Math.sqrt(K * m)

function expectGains(found: readonly number[], expected: readonly number[]): void {
  expected.forEach((value, k) => {
    if (value === 0) expect(found[k]).toBe(0)
    else expect(found[k] / value).toBeCloseTo(1, 12)
  })
}

describe('stiffness and damping of a pair', () => {
  test('on something fixed: the weight of the tree over the allowed penetration, critical for its mass', () => {
    for (const [body, mass] of [
      [light, 1],
      [heavy, 3],
      [trunk, 6],
      [arm, 6],
    ]) {
      const K = mass * weight
      expectGains(gains({}, 0, body), [K, critical(K, mass), 0])
    }
  })

  test('of two free bodies: the weight of the heavier, critical for the reduced mass', () => {
    const K = 3 * weight
    expectGains(gains({}, light, heavy), [K, critical(K, 0.75), 0])
    expectGains(gains({}, heavy, light), [K, critical(K, 0.75), 0])
    expectGains(gains({}, light, arm), [6 * weight, critical(6 * weight, 6 / 7), 0])
  })

  test('of two bodies of one tree: as of that tree on something fixed', () => {
    expectGains(gains({}, trunk, arm), gains({}, 0, trunk))
  })

  test('what the surfaces state goes before what the inputs state, and that before the rule', () => {
    const physical = { stiffness: 5e4, damping: 70 }
    expectGains(gains({ physical }, 0, light), [5e4, 70, 0])
    expectGains(gains({ physical }, 0, light, { stiffness: 2e4 }), [2e4, 70, 0])
    expectGains(gains({ physical }, 0, light, { damping: 30 }), [5e4, 30, 0])
    expectGains(gains({}, light, heavy, { stiffness: 2e4 }), [2e4, critical(2e4, 0.75), 0])
  })

  test("the damping ratio gives the pair's own restitution, unless impulses see to that", () => {
    for (const restitution of [0, 0.2, 0.7, 1]) {
      const kv = critical(weight, 1) * dampingRatioOfRestitution(restitution)
      expectGains(gains({}, 0, light, { restitution }), [weight, kv, 0])
      expectGains(gains({ use: { impulsive: true } }, 0, light, { restitution }), [weight, critical(weight, 1), 0])
    }
  })

  test('with an integral the static stiffness kp + ki / (1 - lambda) is the same', () => {
    for (const [lambda, kiRatio] of [
      [0.8, 0.02],
      [0.9, 0.1],
    ]) {
      const [kp, kv, ki] = gains({ options: { lambda, kiRatio }, use: { integral: true } }, light, heavy)
      expect((kp + ki / (1 - lambda)) / (3 * weight)).toBeCloseTo(1, 12)
      expect(ki / kp).toBeCloseTo(kiRatio, 12)
      expect(kv / critical(3 * weight, 0.75)).toBeCloseTo(1, 12)
    }
  })
})

describe('gains in numbers', () => {
  const paper = { kp: 5000, kv: 2500, ki: 100 }
  test('are those of every pair, and ki brings the integral with it', () => {
    for (const [a, b] of [
      [0, light],
      [light, heavy],
    ]) {
      expectGains(gains({ options: paper }, a, b), [5000, 2500, 100])
      expectGains(gains({ options: { ...paper, gains: 'paper' } }, a, b), [5000, 2500, 100])
    }
    expect(gainsOf({ options: paper })).toMatchObject({ integral: true, lambda: 0.85 })
  })

  test('one alone: the others follow from the rule on the static stiffness that comes of it', () => {
    const integral = { integral: true, lambda: 0.8, kiRatio: 0.02 }
    expectGains(gains({ options: { kp: 400 } }, 0, light), [400, critical(400, 1), 0])
    expectGains(gains({ options: { kp: 400, ...integral } }, 0, light), [400, critical(440, 1), 8])
    expectGains(gains({ options: { kv: 7 } }, 0, light), [weight, 7, 0])
    expectGains(gains({ options: { ki: 100, ...integral } }, 0, light), [weight - 500, critical(weight, 1), 100])
  })

  test('are shown as used, what follows as derived, and inputs that no longer count as unused', () => {
    const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name)
    const { used, derived, unused } = gainsOf({ options: paper }).parameters
    expect(names(used)).toEqual(['friction', 'gains', 'lambda', 'kp', 'kv', 'ki'])
    expect(derived.find(({ name }) => name === 'staticStiffness')?.value).toBeCloseTo(5000 + 100 / 0.15, 9)
    expect([...unused].sort()).toEqual(['allowedPenetration', 'restitution'])
    const spring = gainsOf({ options: { kp: 400 }, physical: { stiffness: 3, damping: 30 } }).parameters
    expect([...spring.unused].sort()).toEqual(['allowedPenetration', 'restitution', 'stiffness'])
    expect(names(spring.used)).toContain('damping')
    expect(spring.derived.find(({ name }) => name === 'kv')?.value).toBe(30)
    const impulsive = gainsOf({ use: { impulsive: true } }).parameters
    expect(impulsive.unused).toEqual(['restitution'])
  })
})

describe("the paper's mass rule", () => {
  const options = { gains: 'paper', integral: true }
  test('100, 50 and 2 times the sum of the masses of the two bodies, fixed things without mass', () => {
    expectGains(gains({ options }, 0, light), [100, 50, 2])
    expectGains(gains({ options }, light, heavy), [400, 200, 8])
    expectGains(gains({ options }, 0, arm), [100, 50, 2]) // the link's own mass, not the robot's
    expectGains(gains({ options }, trunk, arm), [600, 300, 12])
  })

  test('kv is 50 times the reduced mass where 50 (m1 + m2) h exceeds 2.5 times the lighter mass', () => {
    // 200 h against 2.5: h = 12.5 ms
    expectGains(gains({ options, dt: 0.0124 }, light, heavy), [400, 200, 8])
    expectGains(gains({ options, dt: 0.0126 }, light, heavy), [400, 50 * 0.75, 8])
    expectGains(gains({ options, dt: 0.1 }, 0, light), [100, 50, 2])
  })
})
