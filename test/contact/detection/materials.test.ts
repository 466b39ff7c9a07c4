import { expect, test } from 'vitest'
import { ContactDetector, ContactSet, pairFriction, pairRestitution } from '../../../contact/index.ts'
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
  const contacts = new ContactSet(1)
  contacts.impulse.fill(7)
  detector.detect(data, new Float64Array(1), contacts)
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
  expect(() => new ContactDetector(model, [], [ball], physical)).toThrow('"ball" is a sphere')
})
