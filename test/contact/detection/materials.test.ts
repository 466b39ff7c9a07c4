import { expect, test } from 'vitest'
import {
  type Combination,
  ContactDetector,
  ContactSet,
  combinations,
  frictionAtSpeed,
  pairFriction,
  pairMaterial,
  pairRestitution,
} from '../../../contact/index.ts'
import { buildModel, createData, JointType } from '../../../dynamics/index.ts'
import { identity, origin } from '../geometry/poses.ts'
import { ground } from './scene.ts'

test('friction is the smaller of two statements, the only one, or the default', () => {
  expect(pairFriction({ friction: 0.3 }, { friction: 0.6 }, 0.8)).toBe(0.3)
  expect(pairFriction({ friction: 1.5 }, {}, 0.8)).toBe(1.5)
  expect(pairFriction({}, { friction: 0 }, 0.8)).toBe(0)
  expect(pairFriction({}, {}, 0.8)).toBe(0.8)
})

test('restitution is the larger of two statements, the only one, or the default', () => {
  expect(pairRestitution({ restitution: 0.3 }, { restitution: 0.6 }, 0.1)).toBe(0.6)
  expect(pairRestitution({ restitution: 0 }, {}, 0.1)).toBe(0)
  expect(pairRestitution({}, { restitution: 0.5 }, 0.1)).toBe(0.5)
  expect(pairRestitution({}, {}, 0.1)).toBe(0.1)
})

test('rules make of 0.2 and 0.8 what their names say, in either order', () => {
  const expected: Record<Combination, number> = {
    min: 0.2,
    max: 0.8,
    product: 0.16,
    average: 0.5,
    'geometric-mean': 0.4,
    'harmonic-mean': 0.32,
  }
  expect(Object.keys(combinations).sort()).toEqual(Object.keys(expected).sort())
  for (const [rule, value] of Object.entries(expected) as [Combination, number][]) {
    expect(pairFriction({ friction: 0.2 }, { friction: 0.8 }, 1, { friction: rule })).toBeCloseTo(value, 15)
    expect(pairRestitution({ restitution: 0.8 }, { restitution: 0.2 }, 0, { restitution: rule })).toBeCloseTo(value, 15)
    expect(pairFriction({ friction: 0 }, { friction: 0 }, 1, { friction: rule })).toBe(0)
  }
})

test("a silent surface counts as the other one, or as the world's default where every surface has a value", () => {
  const mujoco = { friction: 'max', unstated: 'default' } as const
  expect(pairFriction({ friction: 0.3 }, {}, 1, mujoco)).toBe(1)
  expect(pairFriction({ friction: 0.3 }, {}, 1, { friction: 'max' })).toBe(0.3)
  expect(pairFriction({}, {}, 1, mujoco)).toBe(1)
})

test('friction falls from static to sliding over the Stribeck velocity, and then grows with the viscous part', () => {
  const { friction, staticFriction, viscousFriction, stribeckVelocity } = pairMaterial(
    { friction: 0.5, staticFriction: 0.9, viscousFriction: 0.02, stribeckVelocity: 0.1 },
    { friction: 0.6, stribeckVelocity: 0.3 },
    { friction: 1, restitution: 0 },
  )
  // the other surface sticks with what it slides with
  expect([friction, staticFriction, viscousFriction, stribeckVelocity]).toEqual([0.5, 0.6, 0.02, 0.2])
  const at = (speed: number) => frictionAtSpeed(friction, staticFriction, viscousFriction, stribeckVelocity, speed)
  expect(at(0)).toBe(0.6)
  expect(at(0.2)).toBeCloseTo(0.5 + 0.1 / Math.E + 0.004, 15)
  expect(at(10)).toBeCloseTo(0.7, 12)
  expect([0, 1e-9].map((speed) => frictionAtSpeed(0.5, 0.6, 0, 0, speed))).toEqual([0.6, 0.5])
})

test('two stated stiffnesses act in series; dampings weigh by how much each surface gives way', () => {
  const defaults = { friction: 1, restitution: 0 }
  const pair = pairMaterial({ stiffness: 1000, damping: 6 }, { stiffness: 3000, damping: 2 }, defaults)
  expect(pair.stiffness).toBeCloseTo(750, 12)
  // at force 750 the soft one gives way by 0.75 of the whole: d = 0.75 * 6 + 0.25 * 2
  expect(pair.damping).toBeCloseTo(5, 12)
  expect(pairMaterial({ stiffness: 1000 }, {}, defaults)).toMatchObject({ stiffness: 1000, damping: undefined })
})

test('contacts carry the material of their own pair, in the order of shapes, then fixtures, then features', () => {
  const body = (name: string) =>
    ({ name, jointName: `free ${name}`, parent: 0, jointType: JointType.floating, mass: 1, inertia: [1, 1, 1, 0, 0, 0] }) as const
  const model = buildModel('two balls', [body('a'), body('b')])
  const ball = { shape: { type: 'sphere', radius: 1 }, R: identity, p: origin } as const
  const shapes = [
    { ...ball, name: 'slick', body: 2, friction: 0.1 },
    { ...ball, name: 'plain', body: 1 },
  ]
  const ice = { ...ground, name: 'ice', friction: 0.05, restitution: 0.4 }
  const detector = new ContactDetector(model, shapes, [ground, ice], { friction: 0.8, restitution: 0.2 })
  const data = createData(model)
  for (let i = 0; i < 3; i++) data.R_WB[i].set(identity)
  const contacts = new ContactSet()
  contacts.impulse.fill(7)
  detector.detect(data, new Float64Array(1), contacts, new Float64Array(detector.memorySize))
  expect(detector.pairCount).toBe(4)
  expect(contacts.count).toBe(4)
  expect(Array.from(contacts.pair.subarray(0, 4))).toEqual([0, 1, 2, 3])
  expect(Array.from(contacts.bodyA.subarray(0, 4))).toEqual([0, 0, 0, 0])
  expect(Array.from(contacts.bodyB.subarray(0, 4))).toEqual([2, 2, 1, 1])
  expect(Array.from(contacts.mu.subarray(0, 4))).toEqual([0.1, 0.05, 0.8, 0.05])
  expect(Array.from(contacts.restitution.subarray(0, 4))).toEqual([0.2, 0.4, 0.2, 0.4])
  expect(Array.from(contacts.impulse.subarray(0, 12))).toEqual(new Array(12).fill(0))
})

test('shapes that cannot take part are refused by name', () => {
  const model = buildModel('nothing', [
    { name: 'a', jointName: 'free', parent: 0, jointType: JointType.floating, mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
  ])
  const physical = { friction: 0.8, restitution: 0 }
  expect(() => new ContactDetector(model, [{ ...ground, body: 1 }], [], physical)).toThrow(
    '"ground" of the robot is a half-space',
  )
  expect(() => new ContactDetector(model, [], [{ ...ground, body: 1 }], physical)).toThrow('body 1, expected the world')
  const ball = { ...ground, name: 'ball', shape: { type: 'sphere', radius: 1 } } as const
  expect(() => new ContactDetector(model, [{ ...ball, body: 5 }], [], physical)).toThrow('on body 5')
  const field = { type: 'heightfield', rows: 2, columns: 2, spacing: [1, 1], heights: new Float64Array(4) } as const
  expect(() => new ContactDetector(model, [{ ...ball, body: 1, shape: field }], [], physical)).toThrow(
    '"ball" of the robot is a height field',
  )
  expect(() => new ContactDetector(model, [{ ...ball, body: 1, friction: -1 }], [], physical)).toThrow(
    'shape "ball": friction is -1',
  )
  const sticky = { ...ball, body: 1, friction: 0.5, staticFriction: 0.4 }
  expect(() => new ContactDetector(model, [sticky], [], physical)).toThrow(
    'staticFriction of shape "ball" is 0.4, below its friction 0.5',
  )
  const bouncy = { ...ball, body: 1, restitution: 1.2 }
  expect(() => new ContactDetector(model, [bouncy], [], physical)).toThrow(
    'shape "ball": restitution is 1.2; expected a number from 0 to 1',
  )
  expect(() => new ContactDetector(model, [], [], physical, { maxPoints: 0 })).toThrow('maxPoints is 0')
})
