import { describe, expect, test } from 'vitest'
import { ConcaveContacts } from '../../../contact/detection/manifold/concaveContacts.ts'
import { createManifold } from '../../../contact/detection/manifold/manifold.ts'
import { meshVolume, type Shape, type TriangleMesh } from '../../../contact/geometry/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { beaker, boxMesh, channel, channelParts, torus } from '../geometry/meshes.ts'
import {
  colliderAt,
  distanceOf,
  dot,
  identity,
  origin,
  plus,
  product,
  randomRotation,
  rotation,
  turned,
} from '../geometry/poses.ts'
import { fieldAt } from './penaltyScene.ts'

interface Posed {
  readonly shape: Shape
  readonly R: Float64Array<ArrayBufferLike>
  readonly p: ArrayLike<number>
}
interface Found {
  readonly point: readonly number[]
  readonly normal: readonly number[]
  readonly gap: number
}

const concave = new ConcaveContacts()
const manifold = createManifold(64, 8)
const solid = (mesh: TriangleMesh): Shape => ({ type: 'mesh', mesh })
const posed = (shape: Shape, p: ArrayLike<number> = origin, R: Float64Array = identity): Posed => ({ shape, R, p })

const fieldOf = ({ shape, R, p }: Posed) => fieldAt(shape, R, p)

function contactsOf(a: Posed, b: Posed, margin = 0): Found[] {
  concave.find(fieldOf(a), fieldOf(b), Float64Array.of(margin))
  const found: Found[] = []
  for (let g = 0; g < concave.points.normalCount; g++) {
    concave.points.take(g, manifold)
    for (let k = 0; k < manifold.count; k++) {
      const point = [...manifold.point.subarray(3 * k, 3 * k + 3)]
      found.push({ point, normal: [...manifold.normal], gap: manifold.gap[k] })
    }
  }
  return found
}

const least = (contacts: readonly Found[]) => Math.min(Infinity, ...contacts.map(({ gap }) => gap))

/** The channel's boxes where the channel is. */
const partsOf = ({ shape, R, p }: Posed) =>
  shape.type === 'mesh'
    ? channelParts.map(({ size, at }) => {
        return colliderAt({ type: 'box', size }, R, plus(turned(R, at), p))
      })
    : [colliderAt(shape, R, p)]

/** The least signed distance of the convex parts of both. */
const leastDistance = (a: Posed, b: Posed) =>
  Math.min(...partsOf(a).flatMap((one) => partsOf(b).map((other) => distanceOf(one, other)[0])))

const kinds: Readonly<Record<string, (random: Random) => Shape>> = {
  channel: () => solid(channel),
  box: (random) => ({ type: 'box', size: [random.between(0.1, 0.5), random.between(0.1, 0.5), random.between(0.1, 0.5)] }),
  sphere: (random) => ({ type: 'sphere', radius: random.between(0.02, 0.14) }),
  capsule: (random) => ({ type: 'capsule', radius: random.between(0.02, 0.1), length: random.between(0.1, 0.5) }),
}

describe('a channel and another solid', () => {
  for (const [kind, make] of Object.entries(kinds)) {
    test(`${kind}: apart, the least gap is their distance; the normals lead from A to B; turned about, they turn`, () => {
      const random = createRandom(311)
      const margin = 0.03
      let near = 0
      for (let n = 0; near < trials(60) && n < 6000; n++) {
        const a = posed(solid(channel), [0, 0, 0], randomRotation(random))
        const p = [random.between(-0.5, 0.5), random.between(-0.5, 0.5), random.between(-0.5, 0.5)]
        const b = posed(make(random), p, randomRotation(random))
        const distance = leastDistance(a, b)
        if (distance < 0 || distance > margin) continue
        near++
        const contacts = contactsOf(a, b, margin)
        expect(least(contacts)).toBeCloseTo(distance, 8)
        const nearest = contacts.find(({ gap }) => gap === least(contacts))!
        // half the gap against the normal is A's surface: farther by a little it is in A
        const { point, normal, gap } = nearest
        const inA = point.map((x, k) => x - (0.5 * gap + 1e-6) * normal[k])
        expect(leastDistance(a, posed({ type: 'sphere', radius: 0 }, inA))).toBeLessThan(0)
        const reversed = contactsOf(b, a, margin)
        const same = reversed.filter((c) => Math.abs(c.gap - gap) < 1e-10 && dot(c.normal, normal) < -1 + 1e-9)
        expect(same.length).toBeGreaterThan(0)
        expect(Math.min(...same.map((c) => Math.hypot(...c.point.map((x, k) => x - point[k]))))).toBeLessThan(1e-6)
      }
      expect(near).toBe(trials(60))
    })

    test(`${kind}: overlapping, they touch, and never else`, () => {
      const random = createRandom(17)
      let overlapping = 0
      for (let n = 0; n < trials(400); n++) {
        const a = posed(solid(channel), [0, 0, 0], randomRotation(random))
        const p = [random.between(-0.4, 0.4), random.between(-0.4, 0.4), random.between(-0.4, 0.4)]
        const b = posed(make(random), p, randomRotation(random))
        const distance = leastDistance(a, b)
        if (Math.abs(distance) < 1e-9) continue
        if (distance < 0) overlapping++
        expect(contactsOf(a, b).length > 0, `${n}: ${distance}`).toBe(distance < 0)
      }
      expect(overlapping).toBeGreaterThan(trials(40))
    })
  }
})

describe('what the parts of a concave solid touch', () => {
  // open downwards, its web on top
  const down = rotation([1, 0, 0], -Math.PI / 2)

  /** Some contact within 2 mm of each corner of a rectangle about the middle, and none outside. */
  function expectCorners(contacts: readonly Found[], x: number, y: number): void {
    for (const { point } of contacts) {
      expect(Math.abs(point[0])).toBeLessThan(x + 1e-9)
      expect(Math.abs(point[1])).toBeLessThan(y + 1e-9)
    }
    for (const corner of [-1, 1].flatMap((i) => [-1, 1].map((j) => [i * x, j * y]))) {
      const away = contacts.map(({ point }) => Math.hypot(point[0] - corner[0], point[1] - corner[1]))
      expect(Math.min(...away)).toBeLessThan(2e-3)
    }
  }

  test('a channel over a rail stands on its web, and beside the rail nothing touches', () => {
    const rail = posed({ type: 'box', size: [0.2, 2, 0.4] })
    // the web's lower side is 0.1 m above the middle of the channel, the rail's upper side at 0.2
    const contacts = contactsOf(rail, posed(solid(channel), [0, 0, 0.1 - 1e-3], down))
    for (const { gap, normal } of contacts) {
      expect(gap).toBeCloseTo(-1e-3, 12)
      expect(normal[2]).toBeCloseTo(1, 12)
    }
    // an edge leaves the rail a depth beside its corner
    expectCorners(contacts, 0.1, 0.3)
  })

  test('pushed aside until a wall touches too, it has two normals', () => {
    const rail = posed({ type: 'box', size: [0.2, 2, 0.4] })
    const contacts = contactsOf(rail, posed(solid(channel), [0.05 + 2e-3, 0, 0.1 - 1e-3], down))
    const ups = contacts.filter(({ normal }) => normal[2] > 0.999)
    const sides = contacts.filter(({ normal }) => normal[0] < -0.999)
    // the rail's edge is 2 mm in the wall and 1 mm in the web, and leaves both at the corner between them
    for (const { normal, gap } of contacts) {
      if (normal[2] > 0.999 || normal[0] < -0.999) continue
      expect(gap).toBeCloseTo(-1e-3 * Math.sqrt(5), 9)
      expect(normal[2] / normal[0]).toBeCloseTo(-0.5, 9)
    }
    expect(least(ups)).toBeCloseTo(-1e-3, 9)
    expect(least(sides)).toBeCloseTo(-2e-3, 9)
    // the wall reaches down to -0.05, where the rail is still as wide
    expect(Math.min(...sides.map(({ point }) => point[2]))).toBeCloseTo(-0.05 - 1e-3, 9)
  })

  test('two channels across each other touch in the corners that their webs have in common', () => {
    const up = rotation([1, 0, 0], Math.PI / 2)
    const upper = rotation([0, 0, 1], Math.PI / 2)
    const contacts = contactsOf(
      posed(solid(channel), origin, down),
      posed(solid(channel), [0, 0, 0.3 - 1e-3], product(upper, up)),
    )
    for (const { gap, normal } of contacts) {
      expect(gap).toBeCloseTo(-1e-3, 9)
      expect(normal[2]).toBeCloseTo(1, 9)
    }
    expectCorners(contacts, 0.2, 0.2)
  })

  test('walls across a bar touch along their lower edges alone', () => {
    const bar = posed({ type: 'box', size: [2, 0.1, 0.1] })
    const contacts = contactsOf(bar, posed(solid(channel), [0, 0, 0.05 + 0.15 - 1e-3], down))
    for (const { gap, normal, point } of contacts) {
      expect(gap).toBeCloseTo(-1e-3, 9)
      expect(normal[2]).toBeCloseTo(1, 9)
      expect(Math.abs(point[0])).toBeGreaterThan(0.15)
    }
    expectCorners(contacts, 0.2, 0.05)
  })

  test('an edge on an edge: one point between them', () => {
    // two bars on their edges, crossed, 0.1 m thick: their edges are 0.05 sqrt 2 off their middles
    const bar = (axis: readonly number[]): Posed => {
      const long: Shape = { type: 'box', size: [axis[0] > 0 ? 2 : 0.1, axis[1] > 0 ? 2 : 0.1, 0.1] }
      return posed(long, origin, rotation(axis as [number, number, number], Math.PI / 4))
    }
    const height = 0.1 * Math.SQRT2 - 1e-3
    const lower = bar([1, 0, 0])
    const upper = { ...bar([0, 1, 0]), p: [0.02, 0.03, height] }
    const contacts = contactsOf(lower, upper).filter(({ gap }) => gap < -1e-4)
    for (const { gap } of contacts) expect(gap).toBeGreaterThan(-1e-3 - 1e-9)
    // straight up neither leaves by less than 1 mm, across a face by 1 mm / sqrt 2
    expect(least(contacts)).toBeCloseTo(-1e-3 / Math.SQRT2, 6)
    let [x, y, z] = [0, 0, 0]
    for (const { normal, point } of contacts) {
      x += normal[0]
      y += normal[1]
      z += normal[2]
      expect(Math.hypot(point[0] - 0.02, point[1])).toBeLessThan(0.04)
    }
    expect(z).toBeGreaterThan(0)
    expect(Math.abs(x) + Math.abs(y)).toBeLessThan(z)
  })

  test('the edges of a solid are its own, also where its distance is sampled coarsely', () => {
    const turned45 = (axis: readonly [number, number, number]) => rotation(axis, Math.PI / 4)
    const lower = posed({ type: 'box', size: [2, 0.1, 0.1] }, origin, turned45([1, 0, 0]))
    const upper = (sampled?: number) =>
      posed({ type: 'mesh', mesh: boxMesh(0.1, 2, 0.1), sampled }, [0.02, 0.03, 0.1 * Math.SQRT2 - 1e-3], turned45([0, 1, 0]))
    // the edges cross far from all vertices: without those of the mesh the lower bar's alone would be found, in the sampled distance
    for (const sampled of [undefined, 0.01]) {
      const ofMesh = contactsOf(lower, upper(sampled)).filter(({ normal }) => Math.abs(normal[1]) > 0.5)
      expect(least(ofMesh)).toBeCloseTo(-1e-3 / Math.SQRT2, 6)
    }
  })

  test('a peg in a ring touches nothing; at its side, the nearest of the ring', () => {
    const ring = posed(solid(torus(0.3, 0.1, 48, 24)))
    const peg = (x: number) => posed({ type: 'cylinder', radius: 0.15, length: 1 }, [x, 0, 0])
    expect(contactsOf(ring, peg(0))).toHaveLength(0)
    const contacts = contactsOf(ring, peg(0.051))
    // at a corner of the ring's inner polygon 1 mm; in the middle of a side 0.2 (1 - cos(pi / 48)) more
    expect(least(contacts)).toBeLessThanOrEqual(-1e-3)
    expect(least(contacts)).toBeGreaterThan(-1.43e-3)
    for (const { normal } of contacts) expect(normal[0]).toBeLessThan(-0.98)
  })

  test('a beaker in a wider one stands on its bottom, and its wall is apart', () => {
    const outer = posed(solid(beaker(0.1, 0.2, 0.01)))
    const inner = posed(solid(beaker(0.08, 0.2, 0.01)), [0, 0, 0.01 - 1e-4])
    const contacts = contactsOf(outer, inner)
    expect(contacts.length).toBeGreaterThanOrEqual(4)
    for (const { normal, gap } of contacts) {
      expect(gap).toBeCloseTo(-1e-4, 9)
      expect(normal[2]).toBeCloseTo(1, 9)
    }
    const [x, y] = [0, 1].map((k) => contacts.map(({ point }) => point[k]))
    for (const side of [x, y]) {
      expect(Math.max(...side)).toBeGreaterThan(0.05)
      expect(Math.min(...side)).toBeLessThan(-0.05)
    }
    expect(dot(contacts[0].normal, contacts[1].normal)).toBeCloseTo(1, 9)
  })

  test('the solids of these tests are what they say', () => {
    const volume = channelParts.reduce((sum, { size: [x, y, z] }) => sum + x * y * z, 0)
    // the web's ends are in the walls too
    expect(meshVolume(channel)).toBeCloseTo(volume - 2 * 0.05 * 0.05 * 0.6, 12)
    const area = 0.5 * 24 * Math.sin((2 * Math.PI) / 24)
    expect(meshVolume(beaker(0.1, 0.2, 0.01))).toBeCloseTo(area * (0.1 ** 2 * 0.2 - 0.09 ** 2 * 0.19), 12)
  })
})
