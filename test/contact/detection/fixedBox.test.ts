import { describe, expect, test } from 'vitest'
import { hullOf, type Shape } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { product, randomRotation, rotation } from '../geometry/poses.ts'
import { contactsOf, fixedBox, ground, Scene } from './scene.ts'

const slab = fixedBox('slab', [4, 4, 1], [0, 0, -0.5])
const lying = rotation([1, 0, 0], Math.PI / 2)

const random = createRandom(41)

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
