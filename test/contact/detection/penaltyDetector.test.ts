import { describe, expect, test } from 'vitest'
import { createCollider, hullOf, type PlacedShape, place, type Shape, signedDistance } from '../../../contact/geometry/index.ts'
import { ContactDetector, type DetectorOptions, FeatureContactSet } from '../../../contact/index.ts'
import { type BodyDefinition, buildModel, createData, createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { angle, boxMesh, torus } from '../geometry/meshes.ts'
import { identity, origin, product, randomRotation, randomShapes, randomUnit, rotation } from '../geometry/poses.ts'
import { floating, type Vector } from '../laws/scenes.ts'
import { Crowd } from './crowd.ts'
import { type Contact, contactsOf, fixedBox, ground, Scene } from './scene.ts'

const penalty: DetectorOptions = { reading: 'penalty' }
/** Rounded boxes are refused. */
const sharp = Object.keys(randomShapes).filter((name) => name !== 'rounded box')
const fixed = (shape: Shape, p: readonly number[] = [0, 0, 0]): PlacedShape => ({
  name: 'fixed',
  body: 0,
  shape,
  R: identity,
  p: Float64Array.from(p),
})
const plain: Shape = { type: 'heightfield', rows: 21, columns: 21, spacing: [0.1, 0.1], heights: new Float64Array(441) }
/** All with their upper side at z = 0. */
const floors: [string, PlacedShape][] = [
  ['half-space', ground],
  ['box', fixedBox('floor', [2, 2, 1], [0, 0, -0.5])],
  ['mesh', fixed({ type: 'mesh', mesh: boxMesh(2, 2, 1) }, [0, 0, -0.5])],
  ['height field', fixed(plain)],
]

/** Greatest depth and the sum of all, and the normals' z. */
function summary(contacts: readonly Contact[]) {
  return {
    deepest: Math.max(0, ...contacts.map(({ gap }) => -gap)),
    up: Math.min(1, ...contacts.map(({ normal }) => normal[2])),
    features: new Set(contacts.map(({ feature }) => feature)).size,
  }
}

describe('the penalty reading of a shape on a floor', () => {
  const shapes: [string, Shape, number][] = [
    ['sphere', { type: 'sphere', radius: 0.1 }, 0.1],
    ['capsule', { type: 'capsule', radius: 0.1, length: 0.2 }, 0.2],
    ['box', { type: 'box', size: [0.3, 0.2, 0.2] }, 0.1],
    ['cylinder', { type: 'cylinder', radius: 0.1, length: 0.2 }, 0.1],
    [
      'hull',
      { type: 'hull', polyhedron: hullOf(Float64Array.from([0, 0, -0.2, 0.2, 0, 0.1, -0.2, 0.1, 0.1, 0, -0.2, 0.1])) },
      0.2,
    ],
    ['mesh', { type: 'mesh', mesh: angle }, 0.15],
  ]
  for (const [floorName, floor] of floors) {
    for (const [name, shape, height] of shapes) {
      test(`${name} on ${floorName}: as deep as it stands below it, midway, upwards; nothing above`, () => {
        const scene = new Scene(shape, [floor], penalty)
        for (const depth of [1e-6, 1e-3, 0.01]) {
          const p = [-0.05, 0.02, height - depth]
          const contacts = contactsOf(scene.detect(identity, p))
          const { deepest, up, features } = summary(contacts)
          expect(deepest).toBeCloseTo(depth, 12)
          expect(up).toBeCloseTo(1, 9)
          expect(features).toBe(contacts.length)
          for (const { gap, point } of contacts) if (-gap > 0.999 * depth) expect(point[2]).toBeCloseTo(-0.5 * depth, 9)
        }
        // however far ahead is looked, for it knows only what penetrates
        expect(scene.detect(identity, [-0.05, 0.02, height + 1e-6], 0.1).count).toBe(0)
      })
    }
  }

  test('a tilted box meets a half-space, a box and a mesh in the same corners', () => {
    const random = createRandom(201)
    const shape: Shape = { type: 'box', size: [0.3, 0.2, 0.2] }
    const scenes = floors.slice(0, 3).map(([, floor]) => new Scene(shape, [floor], penalty))
    for (let n = 0; n < 30; n++) {
      const R = rotation(randomUnit(random), random.between(0, 0.2))
      const [first, ...others] = scenes.map((scene) => contactsOf(scene.detect(R, [0, 0, 0.095])))
      expect(first.length).toBeGreaterThan(0)
      for (const other of others) {
        const deep = other.filter(({ gap }) => gap < -1e-9)
        for (const { point, gap } of first) {
          const near = deep.find((c) => Math.hypot(...c.point.map((x, k) => x - point[k])) < 1e-9)
          expect(near?.gap).toBeCloseTo(gap, 9)
        }
      }
    }
  })
})

describe('meshes that move', () => {
  const meshOnMesh = (mesh: Shape, floor: PlacedShape, options: DetectorOptions) => new Scene(mesh, [floor], options)
  test('touch anything', () => {
    const mesh: Shape = { type: 'mesh', mesh: angle }
    for (const [, floor] of floors.slice(1)) {
      for (const options of [{}, penalty]) {
        expect(meshOnMesh(mesh, floor, options).detect(identity, [0, 0, 0.14]).count).toBeGreaterThan(3)
      }
    }
  })

  test('a ring hangs on a bar through its hole, and the bar may stand in the hole without a touch', () => {
    const ring: Shape = { type: 'mesh', mesh: torus(0.3, 0.1, 48, 24) }
    const bar = fixedBox('bar', [1, 0.1, 0.1], [0, 0, 0])
    const scene = new Scene(ring, [bar], penalty)
    const upright = rotation([0, 1, 0], Math.PI / 2) // its axis along the bar
    expect(scene.detect(upright, [0, 0, 0]).count).toBe(0)
    // let down until the bar's upper edges, 0.05 m from the middle, are 2.4 mm above the circle of radius 0.2 m
    const hanging = contactsOf(scene.detect(upright, [0, 0, -0.146]))
    expect(hanging.length).toBeGreaterThan(0)
    const { deepest } = summary(hanging)
    expect(deepest).toBeGreaterThan(0)
    expect(deepest).toBeLessThan(4e-3)
    for (const { normal } of hanging) expect(normal[2]).toBeGreaterThan(0.9)
  })

  test('a hull without volume has the manifold in its place', () => {
    const flat: Shape = {
      type: 'hull',
      polyhedron: hullOf(Float64Array.from([-0.2, -0.1, 0, 0.2, -0.1, 0, 0.2, 0.1, 0, -0.2, 0.1, 0])),
    }
    // triangles of a mesh touch only what has its middle outside, which such a hull has not once it is in
    for (const [name, floor] of floors) {
      if (name === 'mesh') continue
      const contacts = contactsOf(new Scene(flat, [floor], penalty).detect(identity, [0, 0, -0.004]))
      const { deepest, up } = summary(contacts)
      expect(contacts).toHaveLength(4)
      expect(deepest).toBeCloseTo(0.004, 12)
      expect(up).toBeCloseTo(1, 12)
    }
  })
})

/** Two unit cubes, each free. */
class Cubes {
  readonly data
  readonly contacts = new FeatureContactSet()
  readonly detector: ContactDetector

  constructor(options: DetectorOptions, shape: Shape = { type: 'box', size: [1, 1, 1] }) {
    const bodies = [0, 1].map(
      (i): BodyDefinition => ({ ...floating, name: `${i}`, jointName: `free ${i}`, mass: 1, inertia: [1, 1, 1, 0, 0, 0] }),
    )
    const model = buildModel('cubes', bodies)
    this.data = createData(model)
    for (const R of this.data.R_WB) R.set(identity)
    const shapes = [1, 2].map((body) => ({ name: `cube ${body}`, body, shape, R: identity, p: origin }))
    const robotOf = Int32Array.of(0, 1)
    this.detector = new ContactDetector(model, shapes, [], { friction: 0.5, restitution: 0 }, { robotOf, ...options })
  }

  detect(p: Vector, memory: Float64Array): readonly Contact[] {
    this.data.p_WB[2].set(p)
    this.detector.detect(this.data, new Float64Array(1), this.contacts, memory)
    return contactsOf(this.contacts)
  }
}

describe('what detection remembers', () => {
  for (const reading of ['penalty', 'manifold'] as const) {
    const axisOf = ({ normal }: Contact) => normal.findIndex((x) => Math.abs(x) > 0.9)
    test(`${reading}: two cubes corner to corner, out of line by a tenth of a millimetre this way and that, keep their normal`, () => {
      const cubes = new Cubes({ reading })
      const memory = new Float64Array(cubes.detector.memorySize)
      const kept = new Set<number>()
      const anew = new Set<number>()
      for (let n = 0; n < 30; n++) {
        // overlap by 0.1 along all axes, but for which is least
        const p = [0, 1, 2].map((k) => 0.9 + (n % 3 === k ? 1e-4 : 0)) as unknown as Vector
        kept.add(axisOf(cubes.detect(p, memory)[0]))
        anew.add(axisOf(cubes.detect(p, new Float64Array(memory.length))[0]))
      }
      expect(anew.size).toBe(3)
      expect(kept.size).toBe(1)
      // parted, they forget, and another normal may come
      expect(cubes.detect([2, 2, 2], memory)).toHaveLength(0)
      expect(memory.every((x) => x === 0)).toBe(true)
      const [axis] = kept
      const p = [0.9, 0.9, 0.9].map((x, k) => x + (k === (axis + 1) % 3 ? 1e-4 : 0)) as unknown as Vector
      expect(axisOf(cubes.detect(p, memory)[0])).toBe((axis + 1) % 3)
    })

    test(`${reading}: the same poses and memory give the same contacts and memory, to the last bit`, () => {
      const [one, other] = [new Crowd(30, 77, { reading }, sharp), new Crowd(30, 77, { reading }, sharp)]
      for (let n = 0; n < trials(20); n++) {
        for (const crowd of [one, other]) crowd.move(0.01)
        one.detect()
        // the other begins anew each time with what the first had remembered, and asks for some other pose in between
        const before = n === 0 ? new Float64Array(one.memory.length) : other.memory.slice()
        const poses = other.data.p_WB.map((p) => p.slice())
        other.data.p_WB.forEach((p, i) => {
          p[2] += i % 3 === 0 ? 0.1 : 0
        })
        other.detect()
        other.data.p_WB.forEach((p, i) => {
          p.set(poses[i])
        })
        other.memory.set(before)
        other.detect()
        expect(other.memory).toEqual(one.memory)
        const { count } = one.contacts
        expect(other.contacts.count).toBe(count)
        expect(other.contacts.gap.subarray(0, count)).toEqual(one.contacts.gap.subarray(0, count))
        expect(other.contacts.point.subarray(0, 3 * count)).toEqual(one.contacts.point.subarray(0, 3 * count))
      }
    })
  }

  test('a memory of another size is refused', () => {
    const cubes = new Cubes(penalty)
    expect(() => cubes.detect([0, 0, 5], new Float64Array(7))).toThrow(/memory has 7 entries, expected memorySize, \d+/)
    expect(new Scene({ type: 'sphere', radius: 1 }, [ground]).detector.memorySize).toBe(0)
  })
})

test('a crowd touches in exactly the pairs whose shapes overlap, with normals from A to B', () => {
  const crowd = new Crowd(40, 35, penalty, sharp)
  const { shapes, data, contacts, detector } = crowd
  const colliders = shapes.map(({ shape }) => createCollider(shape))
  const distance = new Float64Array(10)
  let touching = 0
  for (let n = 0; n < trials(15); n++) {
    crowd.move(0.05)
    crowd.detect()
    shapes.forEach((placed, i) => {
      place(colliders[i], data.R_WB[placed.body], data.p_WB[placed.body], placed)
    })
    const found = new Set(contacts.pair.subarray(0, contacts.count))
    for (let i = 0; i < shapes.length; i++) {
      for (let j = i + 1; j < shapes.length; j++) {
        signedDistance(colliders[i], colliders[j], distance)
        expect(found.has(detector.pairs.numberOf(i, j))).toBe(distance[0] <= 0)
        touching += distance[0] <= 0 ? 1 : 0
      }
    }
    for (let c = 0; c < contacts.count; c++) {
      // pushed apart along the normal, the middle of B moves away from that of A in most, and never a depth is negative
      expect(contacts.gap[c]).toBeLessThanOrEqual(0)
      expect(Math.hypot(...contacts.normal.subarray(3 * c, 3 * c + 3))).toBeCloseTo(1, 12)
    }
    const pairs = contacts.pair.subarray(0, contacts.count)
    expect(pairs).toEqual(pairs.slice().sort())
  }
  expect(touching).toBeGreaterThan(trials(100))
})

test('a rigid motion of a world moves its contacts along', () => {
  const random = createRandom(202)
  for (let n = 0; n < 20; n++) {
    const shape: Shape = { type: 'mesh', mesh: angle }
    const floor = fixedBox('floor', [2, 2, 1], [0, 0, -0.5])
    const R = rotation(randomUnit(random), 0.05)
    const straight = contactsOf(new Scene(shape, [floor], penalty).detect(R, [0, 0, 0.14]))
    const T = randomRotation(random)
    const turned = (x: ArrayLike<number>) => [0, 1, 2].map((k) => T[3 * k] * x[0] + T[3 * k + 1] * x[1] + T[3 * k + 2] * x[2])
    const tilted = fixedBox('floor', [2, 2, 1], turned([0, 0, -0.5]), T)
    const contacts = contactsOf(new Scene(shape, [tilted], penalty).detect(product(T, R), turned([0, 0, 0.14])))
    expect(contacts).toHaveLength(straight.length)
    contacts.forEach(({ gap, point, normal }, k) => {
      expect(gap).toBeCloseTo(straight[k].gap, 9)
      turned(straight[k].point).forEach((x, d) => {
        expect(point[d]).toBeCloseTo(x, 9)
      })
      turned(straight[k].normal).forEach((x, d) => {
        expect(normal[d]).toBeCloseTo(x, 9)
      })
    })
  }
})
