/** Surfaces side by side: where they are flush they are one, where they end they have no wall. */
import { describe, expect, test } from 'vitest'
import type { HeightField, PlacedShape, Shape } from '../../../contact/geometry/index.ts'
import type { Reading } from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { boxMesh } from '../geometry/meshes.ts'
import { identity, rotation } from '../geometry/poses.ts'
import { contactsOf, fixedBox, ground, Scene } from './scene.ts'

const at = (name: string, shape: Shape, p: readonly number[], R: Float64Array = identity): PlacedShape => ({
  name,
  body: 0,
  shape,
  R,
  p: Float64Array.from(p),
})
function flat(columns: number, rows: number, spacing: number): HeightField {
  return { type: 'heightfield', rows, columns, spacing: [spacing, spacing], heights: new Float64Array(rows * columns) }
}
const solid = (size: readonly [number, number, number]): Shape => ({ type: 'mesh', mesh: boxMesh(...size) })
const field = at('field', flat(21, 21, 0.1), [-1, 0, 0])

/** Fixtures whose tops are flush at z = 0 along x = 0. */
const floors: Record<string, readonly PlacedShape[]> = {
  'two fields': [field, at('next', flat(21, 21, 0.1), [1, 0, 0])],
  'fields of other grids': [field, at('next', flat(17, 17, 0.125), [1, 0.033, 0])],
  'a field and one turned by a right angle': [field, at('next', flat(21, 21, 0.1), [1, 0, 0], rotation([0, 0, 1], Math.PI / 2))],
  'a field and a mesh': [field, at('mesh', solid([2, 2, 0.3]), [1, 0, -0.15])],
  'a mesh and a field': [at('mesh', solid([2, 2, 0.3]), [-1, 0, -0.15]), at('next', flat(21, 21, 0.1), [1, 0, 0])],
  'two meshes': [at('mesh', solid([2, 2, 0.3]), [-1, 0, -0.15]), at('next', solid([2, 2, 0.2]), [1, 0, -0.1])],
  'a box and a field': [fixedBox('box', [2, 2, 0.3], [-1, 0, -0.15]), at('next', flat(21, 21, 0.1), [1, 0, 0])],
  'a mesh and a box': [at('mesh', solid([2, 2, 0.3]), [-1, 0, -0.15]), fixedBox('box', [2, 2, 0.2], [1, 0, -0.1])],
  'two boxes': [fixedBox('box', [2, 2, 0.3], [-1, 0, -0.15]), fixedBox('next', [2, 2, 0.2], [1, 0, -0.1])],
  'the ground and a mesh flush with it': [ground, at('mesh', solid([2, 2, 0.2]), [1, 0, -0.1])],
}
const sizes = [0.3, 0.2, 0.1] as const
const sliders: Record<string, Shape> = { box: { type: 'box', size: sizes }, mesh: solid(sizes) }
const readings: readonly Reading[] = ['manifold', 'penalty', 'volume']

/** Largest component of a contact's normal across z. */
const sideways = (scene: Scene, R: Float64Array, p: readonly number[]): number =>
  Math.max(0, ...contactsOf(scene.detect(R, p, 1e-3)).map(({ normal }) => Math.hypot(normal[0], normal[1])))

for (const [name, fixtures] of Object.entries(floors)) {
  for (const [kind, shape] of Object.entries(sliders)) {
    for (const reading of readings) {
      test(`${name}: a slab, a ${kind}, is pushed up alone as it slides over the seam (${reading})`, () => {
        const scene = new Scene(shape, fixtures, { reading })
        scene.data.V[1].set([0, 0, 0, 2, 0, 0])
        const random = createRandom(71)
        // an edge of a mesh may lean by 6 degrees
        const leaning = kind === 'mesh' ? 0.1 : 1e-6
        for (let n = 0; n <= 24; n++) {
          const x = n % 2 === 0 ? -0.17 + 0.34 * (n / 24) : (n % 4 === 1 ? 0.15 : -0.15) + random.between(-1e-4, 1e-4)
          for (const sunk of [-1e-5, 0, 1e-9, 1e-4])
            expect(sideways(scene, identity, [x, 0.04, 0.05 - sunk])).toBeLessThan(leaning)
        }
      })
    }
  }
}

describe('a fixture that is not flush', () => {
  const wall = fixedBox('wall', [0.2, 2, 2], [0.1, 0, 0])
  for (const reading of readings) {
    test(`stops a slab: a wall that stands in the floor (${reading})`, () => {
      const scene = new Scene(sliders.box, [field, wall], { reading })
      expect(sideways(scene, identity, [-0.1499, 0.04, 0.05])).toBeCloseTo(1, 9)
    })
  }

  test('stops a slab: a tile that is 1 mm higher', () => {
    for (const tile of [solid([2, 2, 0.2]), flat(21, 21, 0.1)]) {
      const z = tile.type === 'mesh' ? -0.099 : 0.001
      const scene = new Scene(sliders.box, [field, at('tile', tile, [1, 0, z])])
      expect(sideways(scene, identity, [-0.1501, 0.04, 0.05])).toBeCloseTo(1, 3)
    }
  })
})

describe('the border of a height field', () => {
  const cube: Shape = { type: 'box', size: [0.2, 0.2, 0.2] }
  for (const reading of readings) {
    test(`carries a box that hangs over it, and none below (${reading})`, () => {
      const scene = new Scene(cube, [field], { reading })
      for (const x of [-0.05, 0.05, 0.09]) expect(scene.detect(identity, [x, 0.04, 0.1 - 1e-4]).count).toBeGreaterThan(0)
      // a corner swung under the border, as of a box that fell over it
      for (const deep of [0.3, 1]) expect(scene.detect(rotation([0, 1, 0], 0.6), [0.05, 0.04, -deep]).count).toBe(0)
      expect(scene.detect(identity, [-0.2, 0.04, -0.8]).count).toBe(0)
    })
  }

  test('touches a pole that leans on it from below, along the normal of the pole', () => {
    const scene = new Scene({ type: 'box', size: [0.1, 0.1, 2] }, [field])
    const tilt = -0.5
    const n = [Math.cos(tilt), 0, -Math.sin(tilt)]
    const middle = [0.049 * n[0] + 0.5 * n[2], 0.04, 0.049 * n[2] - 0.5 * n[0]]
    const contacts = contactsOf(scene.detect(rotation([0, 1, 0], tilt), middle))
    expect(contacts.length).toBeGreaterThan(0)
    for (const { normal } of contacts) for (let d = 0; d < 3; d++) expect(normal[d]).toBeCloseTo(n[d], 6)
  })
})

test('a wheel of which an end lies on a grid line is pushed up, as deep as it has sunk', () => {
  const wheel: Shape = { type: 'cylinder', radius: 0.1, length: 0.04 }
  const scene = new Scene(wheel, [field], { reading: 'penalty' })
  for (const y of [0.02, 0.08, 0.12]) {
    const contacts = contactsOf(scene.detect(rotation([1, 0, 0], Math.PI / 2), [-0.53, y, 0.1 - 5e-4]))
    expect(contacts.length).toBeGreaterThan(0)
    for (const { normal, gap } of contacts) {
      expect(normal[2]).toBeCloseTo(1, 9)
      expect(gap).toBeCloseTo(-5e-4, 9)
    }
  }
})

test('a round shape on a grid under springs is touched at its lowest point alone, whatever grid points it covers', () => {
  const shapes: readonly Shape[] = [
    { type: 'sphere', radius: 0.1 },
    { type: 'ellipsoid', radii: [0.1, 0.12, 0.1] },
  ]
  const fine = [at('fine', flat(201, 201, 0.002), [0, 0, 0]), at('mesh', solid([0.4, 0.4, 0.1]), [0, 0, -0.05])]
  for (const shape of shapes) {
    for (const floor of fine) {
      const scene = new Scene(shape, [floor], { reading: 'penalty' })
      for (const x of [0, 0.0007, 0.0013]) {
        const contacts = contactsOf(scene.detect(identity, [x, 0.0004, 0.1 - 2e-4]))
        expect(contacts).toHaveLength(1)
        expect(contacts[0].point[0]).toBeCloseTo(x, 9)
      }
    }
  }
})

test('a ball in a trough under springs is touched at its own triangle, not at the one below its centre', () => {
  const rows = 3
  const columns = 41
  const heights = Float64Array.from({ length: rows * columns }, (_, k) => (0.1 * ((k % columns) - 20)) ** 2)
  const trough: HeightField = { type: 'heightfield', rows, columns, spacing: [0.1, 0.5], heights }
  const scene = new Scene({ type: 'sphere', radius: 0.1 }, [at('trough', trough, [0, 0, 0])], { reading: 'penalty' })
  // over the middle of the chord from x = 0.5 to 0.6, of slope 1.1
  const length = Math.hypot(1.1, 1)
  const n = [-1.1 / length, 0, 1 / length]
  const contacts = contactsOf(scene.detect(identity, [0.55 + 0.0999 * n[0], 0.1, 0.305 + 0.0999 * n[2]]))
  expect(contacts).toHaveLength(1)
  expect(contacts[0].gap).toBeCloseTo(-1e-4, 9)
  for (let d = 0; d < 3; d++) expect(contacts[0].normal[d]).toBeCloseTo(n[d], 9)
})
