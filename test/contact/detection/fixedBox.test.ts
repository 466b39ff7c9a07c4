import { describe, expect, test } from 'vitest'
import { hullOf, type Shape, signedDistance } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import {
  colliderAt,
  dot,
  identity,
  product,
  randomHull,
  randomRotation,
  randomShapes,
  randomUnit,
  rotation,
  separationAlong,
} from '../geometry/poses.ts'
import { type Contact, contactsOf, fixedBox, ground, onRobot, Scene } from './scene.ts'

const slab = fixedBox('slab', [4, 4, 1], [0, 0, -0.5])
const lying = rotation([1, 0, 0], Math.PI / 2)

/** The contact's two points, checked to lie on (or, for overlapping shapes, in) the two shapes. */
function expectOnShapes(contact: Contact, scene: Scene, shape: Shape, fixture: typeof slab, tolerance: number): void {
  const robotPoint = onRobot(contact)
  const fixturePoint = contact.point.map((x, k) => x - 0.5 * contact.gap * contact.normal[k])
  const robot = colliderAt(shape, scene.data.R_WB[1], scene.data.p_WB[1])
  const fixed = colliderAt(fixture.shape, fixture.R, fixture.p)
  const [onRobotShape, onFixture] = [robotPoint, fixturePoint].map((p) => colliderAt({ type: 'sphere', radius: 0 }, identity, p))
  let most = -Infinity
  for (let k = 0; k < 30; k++) {
    const n = randomUnit(random)
    most = Math.max(most, separationAlong(robot, onRobotShape, n), separationAlong(fixed, onFixture, n))
  }
  expect(most).toBeLessThan(tolerance)
}

const random = createRandom(41)

test('a box at rest on a fixed box keeps its four corners over 1,000 tremors, and no normal is zero or NaN', () => {
  const scene = new Scene({ type: 'box', size: [0.4, 0.6, 0.2] }, [slab])
  for (let n = 0; n < 1000; n++) {
    const R = product(rotation(randomUnit(random), random.between(0, 1e-4)), rotation([0, 0, 1], random.between(-3, 3)))
    const contacts = contactsOf(scene.detect(R, [0.1, -0.2, 0.099]))
    expect(contacts.map((c) => c.feature)).toEqual([0, 1, 2, 3])
    for (const c of contacts) {
      expect(c.normal[2]).toBeGreaterThan(1 - 1e-7)
      expect(Math.hypot(...c.normal)).toBeCloseTo(1, 12)
    }
  }
})

test('a box exactly flush, or of exactly the size of the fixture below it, keeps its four corners', () => {
  for (const size of [4, 0.5]) {
    const scene = new Scene({ type: 'box', size: [0.5, 0.5, 0.2] }, [fixedBox('below', [size, size, 1], [0, 0, -0.5])])
    for (const height of [0.1, 0.1 - 1e-9, 0.1 - 1e-3]) {
      const contacts = contactsOf(scene.detect(identity, [0, 0, height]))
      expect(contacts.map((c) => c.feature)).toEqual([0, 1, 2, 3])
      for (const c of contacts) {
        expect(c.normal).toEqual([0, 0, 1])
        expect(c.gap).toBeCloseTo(height - 0.1, 14)
      }
    }
  }
})

test('on the inside of a wide slab every shape touches as it does on the ground', () => {
  const shapes: Shape[] = [
    { type: 'sphere', radius: 0.3 },
    { type: 'capsule', radius: 0.1, length: 0.5 },
    { type: 'box', size: [0.4, 0.5, 0.3] },
    { type: 'cylinder', radius: 0.2, length: 0.3 },
    { type: 'hull', polyhedron: hullOf(Float64Array.from({ length: 60 }, () => random.between(-0.3, 0.3))) },
  ]
  for (const shape of shapes) {
    const onSlab = new Scene(shape, [slab])
    const onGround = new Scene(shape, [ground])
    for (let n = 0; n < 200; n++) {
      const R = randomRotation(random)
      // deepest point 1 mm to 5 cm deep, and one shape in five a little above, within a horizon of 5 cm
      onGround.detect(R, [0, 0, 0], 10)
      const lowest = Math.min(...contactsOf(onGround.contacts).map((c) => c.gap))
      const p = [0.3, 0.2, -lowest + random.between(-0.05, 0.01)]
      const a = contactsOf(onSlab.detect(R, p, 0.07))
      const b = contactsOf(onGround.detect(R, p, 0.07))
      expect(a.map((c) => c.feature)).toEqual(b.map((c) => c.feature))
      a.forEach((c, i) => {
        expect(Math.abs(c.gap - b[i].gap)).toBeLessThan(1e-12)
        for (let k = 0; k < 3; k++) expect(Math.abs(c.point[k] - b[i].point[k])).toBeLessThan(1e-12)
      })
    }
  }
})

test('the deepest contact has the signed distance, and its points are on the shapes', () => {
  let leaning = 0
  for (const [name, make] of Object.entries(randomShapes)) {
    for (let n = 0; n < trials(150); n++) {
      const shape = make(random)
      const solid: Shape = n % 4 === 0 ? randomHull(random, 12) : { type: 'box', size: [0.8, 1, 0.5] }
      const fixture = { ...slab, name: 'fixture', shape: solid, R: randomRotation(random), p: randomUnit(random) }
      const scene = new Scene(shape, [fixture])
      const way = random.between(0, 0.8)
      const p = Array.from(randomUnit(random), (x, k) => fixture.p[k] + way * x)
      const contacts = contactsOf(scene.detect(randomRotation(random), p, 0.05))
      const distance = new Float64Array(10)
      const { R_WB, p_WB } = scene.data
      signedDistance(colliderAt(solid, fixture.R, fixture.p), colliderAt(shape, R_WB[1], p_WB[1]), distance)
      // the margin at rest: fall under gravity for 0.05 s, and the slack
      if (distance[0] > 9.81 * 0.05 * 0.05 + 1e-4) {
        expect(contacts).toEqual([])
        continue
      }
      const deepest = contacts.reduce((a, b) => (a.gap < b.gap ? a : b))
      // A corner may be taken for the witness up to 1e-7 of the size away. Faces that lie on each other at up to 0.02 rad are
      // measured along the normal of one of them: 4 times the angle's square.
      const exact = Math.abs(deepest.gap - distance[0]) < 1e-7
      if (!exact) leaning++
      expect(Math.abs(deepest.gap - distance[0]), name).toBeLessThan(exact ? 1e-7 : 1.6e-3)
      expectOnShapes(deepest, scene, shape, fixture, exact ? 1e-6 : 0.02)
      for (const c of contacts) expect(dot(c.normal, c.normal)).toBeCloseTo(1, 12)
      expect(new Set(contacts.map((c) => c.feature)).size).toBe(contacts.length)
    }
  }
  expect(leaning).toBeLessThan(5)
})

describe('a wheel against a step', () => {
  const wheel: Shape = { type: 'cylinder', radius: 0.3, length: 0.1 }
  // edge of the step at x = 0, z = 0.1
  const step = fixedBox('step', [1, 2, 0.1], [0.5, 0, 0.05])

  test('touches the edge along its width, at the distance of edge and axis less the radius', () => {
    const scene = new Scene(wheel, [step])
    for (let n = 0; n < 500; n++) {
      const angle = random.between(0.1, Math.PI / 2 - 0.1)
      const reach = 0.3 + random.between(-0.05, 0.001)
      const p = [-reach * Math.cos(angle), random.between(-0.5, 0.5), 0.1 + reach * Math.sin(angle)]
      const R = product(rotation([0, 1, 0], random.between(-3, 3)), lying)
      const contacts = contactsOf(scene.detect(R, p, 0.02))
      expect(contacts.length).toBe(2)
      const ends = contacts.map((c) => c.point[1] - p[1]).sort((a, b) => a - b)
      expect(ends[0]).toBeCloseTo(-0.05, 9)
      expect(ends[1]).toBeCloseTo(0.05, 9)
      for (const c of contacts) {
        expect(Math.abs(c.gap - (reach - 0.3))).toBeLessThan(1e-9)
        expect(Math.abs(c.normal[0] + Math.cos(angle)) + Math.abs(c.normal[2] - Math.sin(angle))).toBeLessThan(1e-6)
        expect(Math.abs(c.point[0] - 0.5 * c.gap * c.normal[0])).toBeLessThan(1e-8)
        expect(Math.abs(c.point[2] - 0.1 - 0.5 * c.gap * c.normal[2])).toBeLessThan(1e-8)
      }
    }
  })

  test('hangs over the side of the step with as much of its line as lies on it', () => {
    const scene = new Scene(wheel, [step])
    const contacts = contactsOf(scene.detect(lying, [0.5, 0.98, 0.399]))
    expect(contacts.length).toBe(2)
    const ends = contacts.map((c) => c.point[1]).sort((a, b) => a - b)
    expect(ends[0]).toBeCloseTo(0.93, 12)
    expect(ends[1]).toBeCloseTo(1, 9)
  })
})

test('a box half over the edge of a fixed box touches with two corners and the two crossings of the edges', () => {
  const scene = new Scene({ type: 'box', size: [0.4, 0.2, 0.2] }, [fixedBox('table', [2, 2, 1], [-1, 0, -0.5])])
  const contacts = contactsOf(scene.detect(identity, [0.1, 0, 0.099]))
  expect(contacts.length).toBe(4)
  expect(contacts.map((c) => c.feature).slice(0, 2)).toEqual([0, 2])
  const crossings = contacts.slice(2)
  for (const c of crossings) {
    expect(c.point[0]).toBeCloseTo(0, 12)
    expect(Math.abs(c.point[1])).toBeCloseTo(0.1, 12)
  }
  // the same crossings keep their numbers as the box slides
  const later = contactsOf(scene.detect(identity, [0.12, 0.01, 0.0985]))
  expect(later.map((c) => c.feature)).toEqual(contacts.map((c) => c.feature))
})

test('a large box on a small fixed one touches with the corners of the small one', () => {
  const scene = new Scene({ type: 'box', size: [1, 1, 0.2] }, [fixedBox('post', [0.1, 0.2, 1], [0, 0, -0.5])])
  const contacts = contactsOf(scene.detect(rotation([0, 0, 1], 0.4), [0, 0, 0.099]))
  expect(contacts.length).toBe(4)
  for (const c of contacts) {
    expect(Math.abs(c.point[0])).toBeCloseTo(0.05, 12)
    expect(Math.abs(c.point[1])).toBeCloseTo(0.1, 12)
    expect(c.gap).toBeCloseTo(-0.001, 12)
  }
})

test('two crossed edges touch in one point', () => {
  // a bar with an edge up along y, a box with an edge down along x
  const bar = fixedBox('bar', [0.2, 2, 0.2], [0, 0, 0], rotation([0, 1, 0], Math.PI / 4))
  const scene = new Scene({ type: 'box', size: [2, 0.2, 0.2] }, [bar])
  const up = 0.1 * Math.SQRT2
  const [contact, ...others] = contactsOf(scene.detect(rotation([1, 0, 0], Math.PI / 4), [0.02, 0.03, 2 * up - 0.001]))
  expect(others).toEqual([])
  expect(contact.gap).toBeCloseTo(-0.001, 12)
  expect(contact.normal[2]).toBeCloseTo(1, 12)
  expect(contact.point[0]).toBeCloseTo(0, 9)
  expect(contact.point[1]).toBeCloseTo(0.03, 9)
})
