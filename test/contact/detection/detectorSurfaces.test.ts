import { describe, expect, test } from 'vitest'
import { type HeightField, type PlacedShape, type Shape, signedDistance } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { boxMesh, extruded, moved } from '../geometry/meshes.ts'
import {
  colliderAt,
  dot,
  identity,
  origin,
  plus,
  product,
  randomRotation,
  randomShapes,
  randomUnit,
  rotation,
  turned,
} from '../geometry/poses.ts'
import { contactsOf, fixedBox, ground, Scene } from './scene.ts'

function field(rows: number, columns: number, spacing: number, height: (x: number, y: number) => number): HeightField {
  const heights = Float64Array.from({ length: rows * columns }, (_, k) => {
    const x = ((k % columns) - 0.5 * (columns - 1)) * spacing
    return height(x, (Math.floor(k / columns) - 0.5 * (rows - 1)) * spacing)
  })
  return { type: 'heightfield', rows, columns, spacing: [spacing, spacing], heights }
}

const fixed = (shape: Shape, R: Float64Array = identity, p: Float64Array = origin): PlacedShape => ({
  name: 'fixed',
  body: 0,
  shape,
  R,
  p,
})

const boxOf = (size: readonly [number, number, number]): Shape => ({ type: 'mesh', mesh: boxMesh(...size) })

/** Two bars at a right angle, 1 m long, 0.5 m wide and high. */
const bars = extruded(
  [
    [0, 0],
    [1, 0],
    [1, 0.5],
    [0.5, 0.5],
    [0.5, 1],
    [0, 1],
  ],
  0.5,
)
const angleMesh: Shape = { type: 'mesh', mesh: moved(bars, [0, 0, 0.25]) }

describe('a flat height field', () => {
  const flat = fixed(field(17, 17, 0.25, () => 0))

  test('touches every shape along z as the ground does, as deep, with nothing caught on the seams', () => {
    const random = createRandom(61)
    for (const [kind, make] of Object.entries(randomShapes)) {
      for (let n = 0; n < trials(12); n++) {
        const shape = make(random)
        const onField = new Scene(shape, [flat])
        const onGround = new Scene(shape, [ground])
        for (let m = 0; m < 6; m++) {
          const R = randomRotation(random)
          const p = [random.between(-1, 1), random.between(-1, 1), random.between(-0.1, 0.4)]
          const expected = contactsOf(onGround.detect(R, p))
          const found = contactsOf(onField.detect(R, p))
          expect(found.length > 0, kind).toBe(expected.length > 0)
          if (found.length === 0) continue
          for (const { normal } of found) for (let k = 0; k < 3; k++) expect(normal[k]).toBeCloseTo([0, 0, 1][k], 9)
          const deepest = (all: typeof found) => Math.min(...all.map(({ gap }) => gap))
          expect(Math.abs(deepest(found) - deepest(expected))).toBeLessThan(1e-9)
        }
      }
    }
  })

  test('carries a box that slides over it on the same four corners throughout', () => {
    const scene = new Scene({ type: 'box', size: [0.6, 0.4, 0.2] }, [flat])
    const R = rotation([0, 0, 1], 0.3)
    for (let n = 0; n <= 400; n++) {
      const contacts = contactsOf(scene.detect(R, [-1 + 0.005 * n, 0.001 * n, 0.099]))
      const corners = contacts.map(({ feature }) => feature).filter((feature) => feature < 8)
      expect(corners.sort()).toEqual([0, 1, 2, 3])
      for (const { gap } of contacts) expect(gap).toBeCloseTo(-0.001, 12)
    }
  })
})

describe('a height field that is not flat', () => {
  test('tilted, touches along its normal with the height over the slope', () => {
    const slope = 0.4
    const scene = new Scene({ type: 'sphere', radius: 0.3 }, [fixed(field(9, 9, 0.5, (x) => slope * x))])
    const n = [-slope, 0, 1].map((x) => x / Math.hypot(slope, 1))
    const random = createRandom(62)
    for (let m = 0; m < 50; m++) {
      const foot = [random.between(-1, 1), random.between(-1, 1)]
      const height = random.between(0.2, 0.29)
      const contacts = contactsOf(scene.detect(identity, [foot[0] + height * n[0], foot[1], slope * foot[0] + height * n[2]]))
      expect(contacts).toHaveLength(1)
      expect(contacts[0].gap).toBeCloseTo(height - 0.3, 12)
      for (let k = 0; k < 3; k++) expect(contacts[0].normal[k]).toBeCloseTo(n[k], 9)
    }
  })

  test('touches a ball over a ridge at the ridge, and one in a valley on both sides', () => {
    const ball: Shape = { type: 'sphere', radius: 0.3 }
    const ridge = new Scene(ball, [fixed(field(9, 9, 0.5, (x) => -Math.abs(x)))])
    for (const angle of [-0.7, -0.3, 0, 0.2, 0.6]) {
      const way = [Math.sin(angle), 0, Math.cos(angle)]
      const contacts = contactsOf(ridge.detect(identity, [0.28 * way[0], 0.1, 0.28 * way[2]]))
      expect(contacts).toHaveLength(1)
      expect(contacts[0].gap).toBeCloseTo(-0.02, 9)
      for (let k = 0; k < 3; k++) expect(contacts[0].normal[k]).toBeCloseTo(way[k], 6)
    }
    const valley = new Scene(ball, [fixed(field(9, 9, 0.5, (x) => Math.abs(x)))])
    const contacts = contactsOf(valley.detect(identity, [0, 0.1, 0.29 * Math.SQRT2]))
    expect(contacts).toHaveLength(2)
    expect(contacts.map(({ normal }) => Math.round(1e6 * normal[0])).sort((a, b) => a - b)).toEqual([-707107, 707107])
    for (const { gap } of contacts) expect(gap).toBeCloseTo(-0.01, 9)
  })

  test('pushes out from any depth up to the way to its border, and has nothing beside it', () => {
    const scene = new Scene({ type: 'sphere', radius: 0.1 }, [fixed(field(5, 5, 0.5, () => 0))])
    expect(contactsOf(scene.detect(identity, [0.1, 0.2, -0.7]))[0].gap).toBeCloseTo(-0.8, 12)
    expect(scene.detect(identity, [0.1, 0.2, -0.9]).count).toBe(0)
    expect(scene.detect(identity, [1.2, 0, -3]).count).toBe(0)
  })

  test('turned in the world, touches as it does unturned, turned', () => {
    const hills = field(9, 9, 0.5, (x, y) => 0.2 * Math.sin(3 * x + y) - 0.1 * y)
    const random = createRandom(63)
    let touching = 0
    for (let n = 0; n < 30; n++) {
      const shape = randomShapes[['box', 'capsule', 'hull'][n % 3]](random)
      const R = randomRotation(random)
      const x = [random.between(-1, 1), random.between(-1, 1), random.between(-0.1, 0.4)]
      const T = randomRotation(random)
      const shift = randomUnit(random)
      const straight = contactsOf(new Scene(shape, [fixed(hills)]).detect(R, x))
      const place = plus(turned(T, x), shift)
      const tilted = contactsOf(new Scene(shape, [fixed(hills, T, shift)]).detect(product(T, R), place))
      // which of several points stand for one normal may turn on rounding; how deep it is may not
      const deepest = (all: typeof straight, n: ArrayLike<number>) =>
        Math.min(...all.filter(({ normal }) => dot(normal, n) > 1 - 1e-9).map(({ gap }) => gap))
      expect(tilted.length > 0).toBe(straight.length > 0)
      for (const { normal } of straight) expect(deepest(tilted, turned(T, normal))).toBeCloseTo(deepest(straight, normal), 9)
      touching += straight.length > 0 ? 1 : 0
    }
    expect(touching).toBeGreaterThan(15)
  })
})

describe('a mesh', () => {
  test('of a box touches balls and capsules from outside as the box does', () => {
    const size = [1, 0.8, 0.6] as const
    const mesh = fixed(boxOf(size))
    const random = createRandom(64)
    const distance = new Float64Array(10)
    let touching = 0
    for (let n = 0; n < trials(600); n++) {
      const shape = randomShapes[n % 2 ? 'sphere' : 'capsule'](random)
      const R = randomRotation(random)
      const p = randomUnit(random).map((x) => random.between(0.5, 1) * x)
      const other = colliderAt(shape, R, p)
      signedDistance(colliderAt({ type: 'box', size }, identity, origin), other, distance)
      // from outside: what lies in the box is the other way round for some triangles
      if (distance[0] < -0.05) continue
      const contacts = contactsOf(new Scene(shape, [mesh]).detect(R, p))
      expect(contacts.length > 0).toBe(distance[0] <= 0)
      if (contacts.length === 0) continue
      touching++
      expect(Math.min(...contacts.map(({ gap }) => gap))).toBeCloseTo(distance[0], 9)
    }
    expect(touching).toBeGreaterThan(trials(30))
  })

  test('that is hollow does not touch in the hollow', () => {
    const scene = new Scene({ type: 'sphere', radius: 0.2 }, [fixed(angleMesh)])
    expect(scene.detect(identity, [0.75, 0.75, 0.25]).count).toBe(0)
    const contacts = contactsOf(scene.detect(identity, [0.69, 0.69, 0.25]))
    expect(contacts).toHaveLength(2)
    for (const { gap } of contacts) expect(gap).toBeCloseTo(-0.01, 9)
  })

  test('that moves touches the ground where its hull does, and what is bounded as the solid that it is', () => {
    const scene = new Scene(angleMesh, [ground])
    expect(contactsOf(scene.detect(identity, [0, 0, -0.01])).map(({ gap }) => gap)).toEqual(new Array(5).fill(-0.01))
    for (const reading of ['manifold', 'penalty', 'volume'] as const) {
      const inTheHollow = new Scene(angleMesh, [fixedBox('post', [0.2, 0.2, 1], [0.65, 0.65, 0])], { reading })
      expect(inTheHollow.detect(identity, [0, 0, 0]).count).toBe(0)
      expect(inTheHollow.detect(identity, [0.06, 0, 0]).count).toBeGreaterThan(0)
    }
  })
})
