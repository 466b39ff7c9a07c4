import { describe, expect, test } from 'vitest'
import type { PlacedShape, Shape } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import {
  dot,
  identity,
  plus,
  product,
  randomHull,
  randomRotation,
  randomShapes,
  randomUnit,
  rotation,
  turned,
} from '../geometry/poses.ts'
import { contactsOf, ground, onRobot, Scene } from './scene.ts'

const random = createRandom(31)
/** So far ahead that every point of the shape is within the margin. */
const always = 10

/** A half-space through a random point with a random normal, and both in the world. */
function randomPlane(): { fixture: PlacedShape; n: Float64Array; offset: number } {
  const R = randomRotation(random)
  const p = randomUnit(random)
  const offset = random.between(-0.3, 0.3)
  const normal = randomUnit(random)
  const n = turned(R, normal)
  const shape = { type: 'halfspace', normal: [normal[0], normal[1], normal[2]], offset } as const
  return { fixture: { ...ground, shape, R, p }, n, offset: offset + dot(n, p) }
}

describe('closed forms over a plane at any attitude, to 1e-12', () => {
  test('a sphere touches with the point radius below its centre', () => {
    for (let n = 0; n < trials(500); n++) {
      const plane = randomPlane()
      const radius = n % 5 === 0 ? 0 : random.between(0, 0.5)
      const p = randomUnit(random)
      const [contact, ...others] = contactsOf(new Scene({ type: 'sphere', radius }, [plane.fixture]).detect(identity, p, always))
      expect(others).toEqual([])
      expect(Math.abs(contact.gap - (dot(plane.n, p) - plane.offset - radius))).toBeLessThan(1e-12)
      const surface = onRobot(contact)
      for (let k = 0; k < 3; k++) expect(Math.abs(surface[k] - (p[k] - radius * plane.n[k]))).toBeLessThan(1e-12)
    }
  })

  test('a box touches with its corners', () => {
    for (let n = 0; n < trials(500); n++) {
      const plane = randomPlane()
      const size = [random.between(0.1, 1), random.between(0.1, 1), random.between(0.1, 1)] as const
      const R = randomRotation(random)
      const p = randomUnit(random)
      const contacts = contactsOf(new Scene({ type: 'box', size }, [plane.fixture]).detect(R, p, always))
      expect(contacts.map((c) => c.feature)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
      for (const contact of contacts) {
        const sign = [1, 2, 4].map((bit) => (contact.feature & bit ? 0.5 : -0.5))
        const own = size.map((s, k) => sign[k] * s)
        const corner = plus(turned(R, own), p)
        expect(Math.abs(contact.gap - (dot(plane.n, corner) - plane.offset))).toBeLessThan(1e-12)
        const surface = onRobot(contact)
        for (let k = 0; k < 3; k++) expect(Math.abs(surface[k] - corner[k])).toBeLessThan(1e-12)
      }
    }
  })

  test('a cylinder touches with the lowest points of its rims: centre height minus radius times the sine of the tilt', () => {
    for (let n = 0; n < trials(1000); n++) {
      const plane = randomPlane()
      const [radius, length] = [random.between(0.05, 0.5), random.between(0.05, 1)]
      const R = randomRotation(random)
      const p = randomUnit(random)
      const contacts = contactsOf(new Scene({ type: 'cylinder', radius, length }, [plane.fixture]).detect(R, p, always))
      const axis = turned(R, [0, 0, 1])
      const cosine = dot(axis, plane.n)
      const height = dot(plane.n, p) - plane.offset
      const rims = [-0.5, 0.5].map((end) => height + end * length * cosine - radius * Math.sqrt(1 - cosine * cosine))
      expect(Math.abs(contacts[0].gap - rims[0])).toBeLessThan(1e-12)
      expect(Math.abs(contacts[1].gap - rims[1])).toBeLessThan(1e-12)
      expect(contacts.map((c) => c.feature)).toEqual(cosine > 0 ? [0, 1, 2, 3] : [0, 1, 4, 5])
      for (const contact of contacts) {
        const arm = onRobot(contact).map((x, k) => x - p[k])
        const along = dot(arm, axis)
        expect(Math.abs(Math.abs(along) - 0.5 * length)).toBeLessThan(1e-12)
        expect(Math.abs(Math.sqrt(dot(arm, arm) - along * along) - radius)).toBeLessThan(1e-12)
      }
    }
  })

  test('a capsule touches with the lowest points of its ends', () => {
    for (let n = 0; n < trials(500); n++) {
      const plane = randomPlane()
      const [radius, length] = [random.between(0.05, 0.5), random.between(0.05, 1)]
      const R = randomRotation(random)
      const p = randomUnit(random)
      const contacts = contactsOf(new Scene({ type: 'capsule', radius, length }, [plane.fixture]).detect(R, p, always))
      expect(contacts.map((c) => c.feature)).toEqual([0, 1])
      const rise = 0.5 * length * dot(turned(R, [0, 0, 1]), plane.n)
      const height = dot(plane.n, p) - plane.offset - radius
      expect(Math.abs(contacts[0].gap - (height - rise))).toBeLessThan(1e-12)
      expect(Math.abs(contacts[1].gap - (height + rise))).toBeLessThan(1e-12)
    }
  })

  test('a hull touches with its vertices; of many, the deepest and the outermost', () => {
    for (let n = 0; n < trials(300); n++) {
      const plane = randomPlane()
      const shape = randomHull(random, n % 2 ? 6 : 80)
      if (shape.type !== 'hull') throw new Error('a hull was asked for')
      const { vertices } = shape.polyhedron
      const R = randomRotation(random)
      const p = randomUnit(random)
      const contacts = contactsOf(new Scene(shape, [plane.fixture]).detect(R, p, always))
      expect(contacts.length).toBeLessThanOrEqual(8)
      expect(contacts.length).toBeGreaterThanOrEqual(4)
      if (vertices.length <= 24) expect(contacts.length).toBe(vertices.length / 3)
      let deepest = Infinity
      for (let i = 0; i < vertices.length; i += 3) {
        deepest = Math.min(deepest, dot(plane.n, turned(R, vertices.subarray(i, i + 3))) + dot(plane.n, p) - plane.offset)
      }
      expect(Math.abs(Math.min(...contacts.map((c) => c.gap)) - deepest)).toBeLessThan(1e-12)
      for (const contact of contacts) {
        const vertex = turned(R, vertices.subarray(3 * contact.feature, 3 * contact.feature + 3)).map((x, k) => x + p[k])
        const surface = onRobot(contact)
        for (let k = 0; k < 3; k++) expect(Math.abs(surface[k] - vertex[k])).toBeLessThan(1e-12)
      }
    }
  })
})

test('normal and tangents are right-handed, orthonormal, and the same for the same plane', () => {
  for (let n = 0; n < trials(300); n++) {
    const plane = randomPlane()
    const scene = new Scene(randomShapes.box(random), [plane.fixture])
    for (const { normal: z, tangent1: x, tangent2: y } of contactsOf(
      scene.detect(randomRotation(random), randomUnit(random), always),
    )) {
      for (let k = 0; k < 3; k++) expect(Math.abs(z[k] - plane.n[k])).toBeLessThan(1e-15)
      const cross = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
      for (let k = 0; k < 3; k++) expect(Math.abs(cross[k] - z[k])).toBeLessThan(1e-14)
      expect(Math.abs(dot(x, x) - 1) + Math.abs(dot(x, y)) + Math.abs(dot(x, z))).toBeLessThan(1e-14)
    }
  }
  const [onGround] = contactsOf(new Scene({ type: 'sphere', radius: 1 }, [ground]).detect(identity, [0, 0, 0.9]))
  expect([onGround.tangent1, onGround.tangent2, onGround.normal].flat().map(Math.abs)).toEqual(Array.from(identity))
})

describe('what is near enough', () => {
  const sphere: Shape = { type: 'sphere', radius: 0.5 }

  test('at horizon 0 touching counts and apart does not', () => {
    const scene = new Scene(sphere, [ground])
    expect(scene.detect(identity, [0, 0, 0.5]).count).toBe(1)
    expect(scene.detect(identity, [0, 0, 0.5 + 1e-12]).count).toBe(0)
  })

  test('ahead, the margin is horizon times speed of origin and spin, and fall under gravity', () => {
    const scene = new Scene(sphere, [ground])
    scene.data.V[1].set([0, 2, 0, 0, 3, -4])
    const horizon = 0.01
    const margin = 0.01 * (5 + 2 * 0.5 + 9.81 * 0.01) + 1e-4
    expect(scene.detect(identity, [0, 0, 0.5 + margin - 1e-9], horizon).count).toBe(1)
    expect(scene.detect(identity, [0, 0, 0.5 + margin + 1e-4], horizon).count).toBe(0)
  })
})

describe('a wheel rolls over the ground', () => {
  const wheel: Shape = { type: 'cylinder', radius: 0.3, length: 0.1 }
  const lying = rotation([1, 0, 0], Math.PI / 2)

  test('its two contact points stay where they are at every angle of the roll', () => {
    const scene = new Scene(wheel, [ground])
    const count = trials(2000)
    for (let n = 0; n < count; n++) {
      const R = rotation([0, 1, 0], (n * 2 * Math.PI) / count)
      const turnedWheel = product(R, lying)
      const contacts = contactsOf(scene.detect(turnedWheel, [1, 2, 0.299], 1e-3))
      expect(contacts.map((c) => c.feature)).toEqual([0, 1])
      for (const c of contacts) {
        // rounding of the rotation turns the lowest point by 1e-16; its height is that of a circle's bottom
        expect(Math.abs(c.gap + 0.001)).toBeLessThan(1e-14)
        expect(Math.abs(c.point[0] - 1)).toBeLessThan(1e-14)
        expect(Math.abs(Math.abs(c.point[1] - 2) - 0.05)).toBeLessThan(1e-14)
        expect(Math.abs(c.point[2] + 0.0005)).toBeLessThan(1e-14)
      }
    }
  })

  test('its points move as little as the wheel when it wobbles', () => {
    const scene = new Scene(wheel, [ground])
    for (let n = 0; n < 300; n++) {
      const axis = randomUnit(random)
      const before = contactsOf(scene.detect(lying, [0, 0, 0.299]))
      const R = product(rotation(axis, 1e-6), lying)
      const after = contactsOf(scene.detect(R, [0, 0, 0.299]))
      expect(after.map((c) => c.feature)).toEqual([0, 1])
      after.forEach((c, i) => {
        for (let k = 0; k < 3; k++) expect(Math.abs(c.point[k] - before[i].point[k])).toBeLessThan(1e-6)
      })
    }
  })
})

test('a standing cylinder keeps its feet when it trembles', () => {
  const scene = new Scene({ type: 'cylinder', radius: 0.2, length: 0.4 }, [ground])
  const still = contactsOf(scene.detect(identity, [0, 0, 0.1999]))
  expect(still.map((c) => c.feature)).toEqual([0, 2, 3])
  for (let n = 0; n < 500; n++) {
    const contacts = contactsOf(scene.detect(rotation(randomUnit(random), 1e-6), [0, 0, 0.1999]))
    expect(contacts.map((c) => c.feature)).toEqual([0, 2, 3])
    contacts.forEach((c, i) => {
      // the feet turn by up to a thousandth of a radian (tilt over the sine of standing), 0.2 m from the axis
      for (let k = 0; k < 3; k++) expect(Math.abs(c.point[k] - still[i].point[k])).toBeLessThan(3e-4)
    })
  }
})

test('a box at rest keeps its four corners and their normals over 1,000 tremors', () => {
  const scene = new Scene({ type: 'box', size: [0.4, 0.6, 0.2] }, [ground])
  for (let n = 0; n < 1000; n++) {
    const contacts = contactsOf(scene.detect(rotation(randomUnit(random), random.between(0, 1e-4)), [0, 0, 0.099]))
    expect(contacts.map((c) => c.feature)).toEqual([0, 1, 2, 3])
    for (const c of contacts) expect(c.normal).toEqual([0, 0, 1])
  }
})
