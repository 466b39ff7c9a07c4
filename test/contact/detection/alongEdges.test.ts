import { describe, expect, test } from 'vitest'
import { convexManifold, createManifoldScratch } from '../../../contact/detection/manifold/convexManifold.ts'
import { createManifold } from '../../../contact/detection/manifold/manifold.ts'
import { type Collider, hullOf, type Shape, signedDistance } from '../../../contact/geometry/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { colliderAt, dot, plus, randomRotation, rotation, scaled, separationAlong, turned } from '../geometry/poses.ts'

const scratch = createManifoldScratch(100)
const manifold = createManifold(100)
manifold.margin[0] = 1

interface Contacts {
  readonly normal: number[]
  readonly gaps: number[]
}

function contactsOf(a: Collider, b: Collider): Contacts {
  convexManifold(a, b, scratch, manifold)
  return { normal: [...manifold.normal], gaps: [...manifold.gap.slice(0, manifold.count)] }
}

const degrees = Math.PI / 180
const along = [0, 1, 0]

/** A direction across y, at an angle from x towards z. */
const at = (angle: number) => [Math.cos(angle), 0, Math.sin(angle)]

/**
 * A wedge with its edge along y through the origin of its axes, whose outward normals beside it are at the angles from and to:
 * a prism over a triangle with sides of 1 and a depth of 2 along y.
 */
function wedge(from: number, to: number): Shape {
  // the sides lead back from the edge, a quarter of a turn outside of the normals
  const down = at(from - 90 * degrees)
  const up = at(to + 90 * degrees)
  const points = [-1, 1].flatMap((y) => [0, y, 0, down[0], y, down[2], up[0], y, up[2]])
  return { type: 'hull', polyhedron: hullOf(Float64Array.from(points)) }
}

/**
 * A wedge A with a cone of directions about x, a wedge B with one against -x, and what both cones have in common. No face of A is
 * in one plane with one of B: then the two faces are the contact.
 */
function randomWedges(random: Random) {
  const a = [random.between(-80, -5) * degrees, random.between(5, 80) * degrees]
  const b = [0, 0]
  do {
    b[0] = random.between(-80, -5) * degrees
    b[1] = random.between(5, 80) * degrees
  } while (Math.min(Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1])) < 1.2 * degrees)
  const low = Math.max(a[0], b[0])
  const high = Math.min(a[1], b[1])
  return { a: wedge(a[0], a[1]), b: wedge(b[0] + Math.PI, b[1] + Math.PI), low, high, middle: 0.5 * (low + high) }
}

function angleBetween(u: ArrayLike<number>, v: ArrayLike<number>): number {
  return 2 * Math.asin(0.5 * Math.hypot(u[0] - v[0], u[1] - v[1], u[2] - v[2]))
}

describe('where two edges lie along each other', () => {
  test('cards that lean on each other press horizontally, whether they are apart or overlap by a little', () => {
    const card: Shape = { type: 'box', size: [0.002, 0.06, 0.1] }
    for (const lean of [2, 5, 20, 40, 60].map((angle) => angle * degrees)) {
      // from the upper inner edge to the middle
      const aside = 0.05 * Math.sin(lean) + 0.001 * Math.cos(lean)
      for (const gap of [-4e-5, -1e-9, -1e-17, 0, 1e-17, 1e-9, 4e-5, 4e-4]) {
        const left = colliderAt(card, rotation(along, lean), [-aside - 0.5 * gap, 0, 0])
        const right = colliderAt(card, rotation(along, -lean), [aside + 0.5 * gap, 0, 0])
        const { normal, gaps } = contactsOf(left, right)
        expect(angleBetween(normal, [1, 0, 0])).toBeLessThan(1e-9)
        // both ends of the edge
        expect(gaps).toHaveLength(2)
        for (const g of gaps) expect(Math.abs(g - gap)).toBeLessThan(1e-15)
      }
    }
  })

  test('that touch, the normal is the middle of what their cones have in common', () => {
    const random = createRandom(811)
    for (let n = 0; n < 100; n++) {
      const { a, b, middle } = randomWedges(random)
      const R = randomRotation(random)
      const p = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)]
      const aside = turned(R, [0, random.between(-0.5, 0.5), 0])
      const A = colliderAt(a, R, p)
      const B = colliderAt(b, R, plus(p, aside))
      const { normal } = contactsOf(A, B)
      expect(angleBetween(normal, turned(R, at(middle)))).toBeLessThan(1e-9)
      const back = contactsOf(B, A).normal.map((x) => -x)
      expect(angleBetween(normal, back)).toBeLessThan(1e-12)
    }
  })

  test('and a little apart or in each other, along the normal both end with these edges, and no direction parts them by 0.2 % more', () => {
    const random = createRandom(812)
    for (let n = 0; n < 100; n++) {
      const { a, b } = randomWedges(random)
      const size = colliderAt(a, rotation(along, 0), [0, 0, 0]).radius
      const offset = at(random.between(-180, 180) * degrees).map((x) => x * size * 3e-3 * random.next())
      const A = colliderAt(a, rotation(along, 0), [0, 0, 0])
      const B = colliderAt(b, rotation(along, 0), offset)
      const { normal, gaps } = contactsOf(A, B)
      const separation = separationAlong(A, B, Float64Array.from(normal))
      const edges = dot(normal, offset)
      expect(separation).toBeLessThanOrEqual(edges + 1e-14)
      expect(Math.min(...gaps)).toBeCloseTo(separation, 12)
      const shortest = new Float64Array(10)
      signedDistance(A, B, shortest)
      expect(separation).toBeGreaterThan(shortest[0] - 2e-3 * size)
    }
  })

  test('and farther apart than 0.2 % of their size, the normal is that of the distance', () => {
    const random = createRandom(813)
    const shortest = new Float64Array(10)
    for (let n = 0; n < 100; n++) {
      const { a, b, low, high } = randomWedges(random)
      const gap = random.between(4e-3, 1e-2)
      const A = colliderAt(a, rotation(along, 0), [0, 0, 0])
      const B = colliderAt(b, rotation(along, 0), scaled(at(random.between(low, high)), gap))
      signedDistance(A, B, shortest)
      expect(contactsOf(A, B).normal).toEqual([...shortest.slice(1, 4)])
    }
  })
})

/** The largest turn of the normal from step to step, over count steps. */
function largestTurn(count: number, pair: (t: number) => readonly [Collider, Collider]): number {
  let largest = 0
  let before: number[] | undefined
  for (let k = 0; k <= count; k++) {
    const { normal } = contactsOf(...pair(k / count))
    if (before) largest = Math.max(largest, angleBetween(normal, before))
    before = normal
  }
  return largest
}

describe('the normal of two edges is continuous', () => {
  const a = wedge(-20 * degrees, 70 * degrees)
  const b = wedge(110 * degrees, 200 * degrees)
  const A = colliderAt(a, rotation(along, 0), [0, 0, 0])
  const upright = rotation(along, 0)

  test('as one body turns about the edge, until faces lie on each other', () => {
    // B's cone against -x is from -70 to 20 degrees, the common one from -20 to 20: 38 degrees on, 2 are left
    const turn = 38 * degrees
    for (const sign of [-1, 1]) {
      const largest = largestTurn(1000, (t) => [A, colliderAt(b, rotation(along, sign * t * turn), [0, 0, 0])])
      // a border moves with the body, the middle half as fast
      expect(largest).toBeLessThan(0.51e-3 * turn)
    }
  })

  test('where faces begin to lie on each other it turns by half of their angle, which is 1.1 degrees at most', () => {
    const largest = largestTurn(1000, (t) => [A, colliderAt(b, rotation(along, t * 40 * degrees), [0, 0, 0])])
    expect(largest).toBeLessThan(0.6 * degrees)
  })

  test('as they part, move along each other and go over onto a face', () => {
    const size = Math.min(A.radius, colliderAt(b, upright, [0, 0, 0]).radius)
    for (const from of [-0.4, 0, 1, 3]) {
      for (const to of [-180, -90, -20, 0, 30, 90, 180]) {
        const start = [from * 2e-3 * size, 0, 0]
        const end = at(to * degrees).map((x) => x * 3e-3 * size)
        // beyond this a shortest move leads out of the other face
        const largest = largestTurn(500, (t) => {
          const p = [0, 1, 2].map((k) => start[k] + t * (end[k] - start[k]))
          return [A, colliderAt(b, upright, p[0] < -8e-4 * size ? [-8e-4 * size, 0, p[2]] : p)]
        })
        expect(largest).toBeLessThan(0.1)
      }
    }
  })

  test('as they turn out of line, crosswise or with an end of one on the other', () => {
    const size = Math.min(A.radius, colliderAt(b, upright, [0, 0, 0]).radius)
    for (const overlap of [-1e-4, 0, 1e-4]) {
      const crossed = largestTurn(500, (t) => [A, colliderAt(b, rotation([1, 0, 0], 0.1 * t), [-overlap * size, 0, 0])])
      expect(crossed).toBeLessThan(1e-6)
      const leaving = largestTurn(2000, (t) => [
        A,
        // its end at y = 1 stays where it is
        colliderAt(b, rotation([0, 0, 1], 0.04 * t), [-overlap * size + Math.sin(0.04 * t), 0, 0]),
      ])
      expect(leaving).toBeLessThan(0.05)
    }
  })
})
