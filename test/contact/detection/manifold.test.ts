import { describe, expect, test } from 'vitest'
import {
  convexManifold,
  convexManifoldWarm,
  createManifoldScratch,
  manifoldMemorySize,
} from '../../../contact/detection/manifold/convexManifold.ts'
import { createManifold, type Manifold } from '../../../contact/detection/manifold/manifold.ts'
import { boxPolyhedron, type Collider, type Shape, signedDistance } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { place } from '../geometry/exactOverlap.ts'
import {
  colliderAt,
  dot,
  identity,
  plus,
  product,
  randomHull,
  randomRotation,
  randomShapes,
  randomTriple,
  randomUnit,
  rotation,
  scaled,
} from '../geometry/poses.ts'

const scratch = createManifoldScratch(1000)

interface Point {
  readonly feature: number
  readonly point: readonly number[]
  readonly gap: number
}

function pointsOf({ count, feature, point, gap }: Manifold): Point[] {
  return Array.from({ length: count }, (_, k) => ({
    feature: feature[k],
    point: [...point.slice(3 * k, 3 * k + 3)],
    gap: gap[k],
  }))
}

function manifoldOf(a: Collider, b: Collider, margin = 0, limit = Infinity): { normal: number[]; points: Point[] } {
  const manifold = createManifold(1000, limit)
  manifold.margin[0] = margin
  convexManifold(a, b, scratch, manifold)
  return { normal: [...manifold.normal], points: pointsOf(manifold) }
}

/** Follows a pair from step to step with a memory. */
class Follower {
  readonly manifold = createManifold(1000)
  readonly #memory = new Float64Array(manifoldMemorySize)

  constructor(margin = 0) {
    this.manifold.margin[0] = margin
  }

  step(a: Collider, b: Collider): { normal: number[]; points: Point[] } {
    convexManifoldWarm(a, b, this.#memory, 0, scratch, this.manifold)
    return { normal: [...this.manifold.normal], points: pointsOf(this.manifold) }
  }
}

const features = (points: readonly Point[]) => points.map((p) => p.feature)
const cube: Shape = { type: 'box', size: [0.5, 0.5, 0.5] }
const cubeHull: Shape = { type: 'hull', polyhedron: boxPolyhedron([0.5, 0.5, 0.5]) }
const can: Shape = { type: 'cylinder', radius: 0.3, length: 0.4 }

describe('a box at rest on a box keeps its four corners', () => {
  for (const [name, shapeA, shapeB] of [
    ['congruent', cube, cube],
    ['congruent, the upper one a hull', cube, cubeHull],
    ['congruent, the lower one a hull', cubeHull, cube],
    ['a small one on a large one', { type: 'box', size: [3, 3, 0.5] }, cube],
    ['a large one on a small one', cube, { type: 'box', size: [3, 3, 0.5] }],
  ] as const) {
    test(`${name}, over many tremors, alone and followed, and with at most four points asked for`, () => {
      const random = createRandom(61)
      const a = colliderAt(shapeA, identity, [0, 0, 0])
      const b = colliderAt(shapeB, identity, [0, 0, 0.5])
      const follower = new Follower(1e-3)
      for (let n = 0; n < trials(1000); n++) {
        const tremor = 10 ** random.between(-12, -4)
        const shift = randomUnit(random).map((x) => tremor * x)
        place(b, rotation(randomUnit(random), tremor), [shift[0], shift[1], 0.4999 + shift[2]])
        for (const { normal, points } of [manifoldOf(a, b, 1e-3), follower.step(a, b), manifoldOf(a, b, 1e-3, 4)]) {
          expect(normal[2]).toBeGreaterThan(1 - 1e-7)
          expect(Math.hypot(...normal)).toBeCloseTo(1, 12)
          // one point near each corner of the square on which they meet
          for (const x of [-0.25, 0.25]) {
            for (const y of [-0.25, 0.25]) {
              const near = points.filter(({ point }) => Math.hypot(point[0] - x, point[1] - y) < 2e-3)
              expect(near.length).toBeGreaterThanOrEqual(1)
              for (const { gap } of near) expect(Math.abs(gap + 1e-4)).toBeLessThan(3e-4)
            }
          }
        }
      }
    })
  }

  test('exactly flush and exactly congruent: four points, at the corners', () => {
    for (const gap of [0, 1e-9, -1e-9, -1e-3, 1e-3]) {
      const { normal, points } = manifoldOf(
        colliderAt(cube, identity, [0, 0, 0]),
        colliderAt(cube, identity, [0, 0, 0.5 + gap]),
        0.01,
      )
      expect(normal.map(Math.abs)).toEqual([0, 0, 1])
      expect(features(points)).toEqual([0, 1, 2, 3])
      for (const p of points) {
        expect(Math.abs(p.gap - gap)).toBeLessThan(1e-14)
        expect(p.point.map(Math.abs)).toEqual([0.25, 0.25, expect.closeTo(0.25 + 0.5 * gap, 14)])
      }
    }
  })

  test('half over the edge, turned and tilted by up to 0.01: the four corners of what lies on what', () => {
    const random = createRandom(62)
    const a = colliderAt(cube, identity, [0, 0, 0])
    const b = colliderAt(cube, identity, [0, 0, 0])
    for (let n = 0; n < 300; n++) {
      const tilt = rotation(
        [random.between(-1, 1), random.between(-1, 1), 0].map((x, _, v) => x / Math.hypot(...v)),
        random.between(0, 0.01),
      )
      place(b, tilt, [0.25, 0.1, 0.495])
      const { normal, points } = manifoldOf(a, b, 0.01)
      expect(normal[2]).toBeGreaterThan(0.999)
      for (const x of [0, 0.25]) {
        for (const y of [-0.15, 0.25]) {
          expect(points.some(({ point }) => Math.hypot(point[0] - x, point[1] - y) < 0.02)).toBe(true)
        }
      }
    }
  })
})

describe('any two shapes', () => {
  const makers = Object.entries(randomShapes)

  test('answer finite numbers, a unit normal, points on both and the depth of the signed distance', () => {
    const random = createRandom(63)
    const distance = new Float64Array(10)
    let leaning = 0
    for (const [nameA, makeA] of makers) {
      for (const [nameB, makeB] of makers) {
        for (let n = 0; n < trials(60); n++) {
          const a = colliderAt(makeA(random), randomRotation(random), [0, 0, 0])
          const way = random.between(0, 0.8)
          const b = colliderAt(makeB(random), randomRotation(random), scaled(randomUnit(random), way))
          const { normal, points } = manifoldOf(a, b, 0.02)
          signedDistance(a, b, distance)
          if (distance[0] > 0.02) {
            expect(points).toEqual([])
            continue
          }
          expect(Math.abs(Math.hypot(...normal) - 1)).toBeLessThan(1e-12)
          expect(points.length).toBeGreaterThan(0)
          const deepest = Math.min(...points.map((p) => p.gap))
          // two faces, or a face and an edge, that lean on each other at up to 0.02 rad are measured along the face
          if (Math.abs(deepest - distance[0]) > 1e-7) leaning++
          expect(Math.abs(deepest - distance[0]), `${nameA} ${nameB}`).toBeLessThan(1e-3)
          expect(new Set(features(points)).size).toBe(points.length)
          const dust = colliderAt({ type: 'sphere', radius: 0 }, identity, [0, 0, 0])
          for (const { point, gap } of points) {
            // half the gap to either side along the normal is a point of the shape
            for (const [shape, side] of [
              [a, -0.5],
              [b, 0.5],
            ] as const) {
              place(dust, identity, plus(point, normal, side * gap))
              signedDistance(shape, dust, distance)
              expect(distance[0], `${nameA} ${nameB}`).toBeLessThan(Math.abs(deepest - gap) + 2e-3)
            }
          }
        }
      }
    }
    expect(leaning).toBeLessThan(8)
  })

  test('answer the same points for B and A, with the normal turned round', () => {
    const random = createRandom(64)
    for (const [, makeA] of makers) {
      for (const [, makeB] of makers) {
        for (let n = 0; n < trials(40); n++) {
          const R = randomRotation(random)
          const a = colliderAt(makeA(random), R, [0, 0, 0])
          const shapeB = makeB(random)
          // every third pair stands face on face, where their shapes have faces
          const b = colliderAt(shapeB, n % 3 === 0 ? R : randomRotation(random), scaled(randomUnit(random), 0.4))
          const there = manifoldOf(a, b, 0.01)
          const back = manifoldOf(b, a, 0.01)
          const sorted = (points: readonly Point[]) =>
            points.map(({ point, gap }) => [...point, gap]).sort((p, q) => p[0] - q[0] || p[1] - q[1] || p[2] - q[2])
          const [p, q] = [sorted(there.points), sorted(back.points)]
          expect(q.length).toBe(p.length)
          p.forEach((numbers, i) => {
            numbers.forEach((x, k) => {
              expect(Math.abs(x - q[i][k])).toBeLessThan(1e-9)
            })
          })
          if (p.length > 0) for (let k = 0; k < 3; k++) expect(Math.abs(there.normal[k] + back.normal[k])).toBeLessThan(1e-12)
        }
      }
    }
  })

  test('keep features and normal over 200 small steps, where neither face nor edge is passed', () => {
    const random = createRandom(65)
    const scenes: [Shape, Shape, number[]][] = [
      [cube, cube, [0.1, 0.05, 0.49]],
      [cube, can, [0.05, 0, 0.449]],
      [can, can, [0.1, 0, 0.399]],
      [can, cube, [0, 0.05, 0.449]],
      [cube, { type: 'capsule', radius: 0.1, length: 0.3 }, [0, 0, 0.495]],
      [randomHull(random, 30), randomHull(random, 30), [0.1, 0.1, 0.5]],
    ]
    for (const [shapeA, shapeB, p] of scenes) {
      const a = colliderAt(shapeA, identity, [0, 0, 0])
      const b = colliderAt(shapeB, identity, p)
      const follower = new Follower(0.05)
      const first = follower.step(a, b)
      for (let n = 0; n < 200; n++) {
        const shake = 1e-7
        place(b, rotation(randomUnit(random), shake * random.next()), plus(p, randomTriple(random), shake))
        const next = follower.step(a, b)
        expect(features(next.points)).toEqual(features(first.points))
        expect(dot(next.normal, first.normal)).toBeGreaterThan(1 - 1e-9)
      }
    }
  })
})

describe('a normal turns with cause only', () => {
  test('a small cube equally deep from two or three sides keeps the side it came in by, however it trembles', () => {
    const random = createRandom(66)
    const a = colliderAt({ type: 'box', size: [1, 1, 1] }, identity, [0, 0, 0])
    const b = colliderAt({ type: 'box', size: [0.2, 0.2, 0.2] }, identity, [0, 0, 0])
    for (const side of [0, 1, 2]) {
      const follower = new Follower()
      // sinks in along one side until it is as deep from the others
      for (let n = 0; n <= 50; n++) {
        const p = [0.5, 0.5, 0.5]
        p[side] = 0.55 - 0.001 * n
        place(b, identity, p)
        if (n < 50) follower.step(a, b)
      }
      for (let n = 0; n < 200; n++) {
        place(b, rotation(randomUnit(random), 1e-5 * random.next()), plus([0.5, 0.5, 0.5], randomTriple(random), 1e-5))
        expect(follower.step(a, b).normal[side]).toBeGreaterThan(0.999)
      }
      // once another way out is shorter by a good deal, it is taken
      const p = [0.5, 0.5, 0.5]
      p[(side + 1) % 3] = 0.55
      place(b, identity, p)
      expect(follower.step(a, b).normal[(side + 1) % 3]).toBeGreaterThan(0.999)
    }
  })

  test('a ball at the middle of a cube, and one inside the other exactly, stay as they were', () => {
    const random = createRandom(67)
    const a = colliderAt(cube, identity, [0, 0, 0])
    for (const shape of [cube, cubeHull, can, { type: 'sphere', radius: 0.1 } as const]) {
      const b = colliderAt(shape, identity, [0, 0, 0])
      const follower = new Follower()
      const first = follower.step(a, b).normal
      expect(Math.abs(Math.hypot(...first) - 1)).toBeLessThan(1e-12)
      for (let n = 0; n < 100; n++) {
        place(b, rotation(randomUnit(random), 1e-6), scaled(randomTriple(random), 1e-6))
        expect(dot(follower.step(a, b).normal, first)).toBeGreaterThan(0.999)
      }
    }
  })

  test('over a motion that slides, tilts and sinks, steps of 1e-3 turn the normal by no more than the shapes turn', () => {
    const a = colliderAt({ type: 'box', size: [2, 2, 0.5] }, identity, [0, 0, -0.25])
    const b = colliderAt(cube, identity, [0, 0, 0])
    const follower = new Follower(0.01)
    for (let n = 0; n < 1000; n++) {
      const t = n / 1000
      place(b, product(rotation([0, 0, 1], t), rotation([1, 0, 0], 0.002 * Math.sin(30 * t))), [0.5 * t, 0, 0.25 - 0.02 * t])
      const { normal, points } = follower.step(a, b)
      expect(normal[2]).toBeGreaterThan(0.99999)
      expect(features(points)).toEqual([0, 1, 2, 3])
    }
  })
})

describe('at most N points', () => {
  test('the deepest stays, and the area of what stays is that of the best choice of as many to a fifth', () => {
    const random = createRandom(68)
    const slab = colliderAt({ type: 'box', size: [4, 4, 1] }, identity, [0, 0, -0.5])
    for (let n = 0; n < 200; n++) {
      const prism = Array.from({ length: 8 }, (_, i) => {
        const angle = 0.7 * i + 0.1 * random.next()
        return [0.4 * Math.cos(angle), 0.4 * Math.sin(angle)]
      })
      // flat at the bottom, eight corners
      const b = colliderAt(prismOf(prism), rotation([Math.SQRT1_2, Math.SQRT1_2, 0], 1e-3 * random.next()), [0, 0, 0.0995])
      const all = manifoldOf(slab, b, 0.01).points
      const four = manifoldOf(slab, b, 0.01, 4).points
      expect(all.length).toBe(8)
      expect(four.length).toBe(4)
      const deepest = Math.min(...all.map((p) => p.gap))
      expect(Math.min(...four.map((p) => p.gap))).toBeLessThan(deepest + 1e-6)
      const area = (points: readonly Point[]) => {
        const round = [...points].sort((p, q) => Math.atan2(p.point[1], p.point[0]) - Math.atan2(q.point[1], q.point[0]))
        let sum = 0
        round.forEach(({ point: p }, i) => {
          const q = round[(i + 1) % round.length].point
          sum += 0.5 * (p[0] * q[1] - q[0] * p[1])
        })
        return sum
      }
      let best = 0
      for (let mask = 0; mask < 256; mask++) {
        const chosen = all.filter((_, i) => (mask >> i) & 1)
        if (chosen.length === 4) best = Math.max(best, area(chosen))
      }
      expect(area(four)).toBeGreaterThan(0.8 * best)
      for (const limit of [1, 2, 3, 7]) expect(manifoldOf(slab, b, 0.01, limit).points.length).toBe(limit)
    }
  })

  function prismOf(outline: number[][]): Shape {
    const count = outline.length
    const vertices = Float64Array.from([-0.1, 0.1].flatMap((z) => outline.flatMap(([x, y]) => [x, y, z])))
    const ring = outline.map((_, i) => i)
    const faces = [
      ring.toReversed(),
      ring.map((i) => i + count),
      ...ring.map((i) => [i, (i + 1) % count, ((i + 1) % count) + count, i + count]),
    ].map((loop) => Int32Array.from(loop))
    const faceNormals = Float64Array.from([
      ...[0, 0, -1, 0, 0, 1],
      ...ring.flatMap((i) => {
        const [x, y] = [0, 1].map((k) => outline[(i + 1) % count][k] - outline[i][k])
        const length = Math.hypot(x, y)
        return [y / length, -x / length, 0]
      }),
    ])
    const edges = Int32Array.from(
      ring
        .flatMap((i) => [Math.min(i, (i + 1) % count), Math.max(i, (i + 1) % count)])
        .concat(
          ring.flatMap((i) => [Math.min(i, (i + 1) % count) + count, Math.max(i, (i + 1) % count) + count]),
          ring.flatMap((i) => [i, i + count]),
        ),
    )
    return { type: 'hull', polyhedron: { vertices, faces, faceNormals, edges } }
  }
})

describe('round shapes', () => {
  const lying = rotation([1, 0, 0], Math.PI / 2)

  test('two barrels on each other touch on three feet or more, side by side along a line, end over end in one point', () => {
    const a = colliderAt(can, identity, [0, 0, 0])
    const stacked = manifoldOf(a, colliderAt(can, identity, [0, 0, 0.399]))
    expect(stacked.points.length).toBeGreaterThanOrEqual(3)
    for (const { point, gap } of stacked.points) {
      expect(gap).toBeCloseTo(-0.001, 12)
      expect(Math.hypot(point[0], point[1])).toBeCloseTo(0.3, 9)
    }
    // half beside: every point is on both caps, and both corners of the lens are among them
    const beside = manifoldOf(a, colliderAt(can, identity, [0.3, 0, 0.399])).points
    for (const { point } of beside) {
      expect(Math.hypot(point[0], point[1])).toBeLessThan(0.3 + 1e-9)
      expect(Math.hypot(point[0] - 0.3, point[1])).toBeLessThan(0.3 + 1e-9)
    }
    expect(beside.length).toBeGreaterThanOrEqual(3)
    const line = manifoldOf(colliderAt(can, lying, [0, 0, 0]), colliderAt(can, lying, [0, 0.1, 0.599])).points
    expect(line.length).toBe(2)
    expect(line.map(({ point }) => point[1]).sort((x, y) => x - y)).toEqual([expect.closeTo(-0.1, 12), expect.closeTo(0.2, 12)])
    expect(manifoldOf(a, colliderAt(can, rotation([1, 0, 0], 1), [0, 0, 0.4])).points.length).toBeGreaterThanOrEqual(1)
  })

  test('a box on a barrel: the corners inside the rim, and where its edges pass the rim', () => {
    const barrel = colliderAt({ type: 'cylinder', radius: 1, length: 1 }, identity, [0, 0, 0])
    const inside = manifoldOf(barrel, colliderAt(cube, rotation([0, 0, 1], 0.3), [0.1, 0.2, 0.749])).points
    expect(features(inside)).toEqual([0, 1, 2, 3])
    const over = manifoldOf(barrel, colliderAt(cube, identity, [1, 0, 0.749])).points
    // two corners inside, two edges out over the rim at y = -+0.25
    const crossings = over.filter(({ point }) => Math.abs(Math.abs(point[1]) - 0.25) < 1e-9 && point[0] > 0.8)
    expect(crossings.length).toBe(2)
    for (const { point } of crossings) expect(point[0]).toBeCloseTo(Math.sqrt(1 - 0.0625), 9)
    for (const { point } of over) expect(Math.hypot(point[0], point[1])).toBeLessThan(1 + 1e-9)
  })

  test('a large box on a small barrel: the rim', () => {
    const post = colliderAt({ type: 'cylinder', radius: 0.1, length: 1 }, identity, [0, 0, 0])
    const { points, normal } = manifoldOf(post, colliderAt({ type: 'box', size: [2, 2, 0.2] }, identity, [0.3, 0, 0.599]))
    expect(normal.map(Math.abs)).toEqual([0, 0, 1])
    expect(points.length).toBeGreaterThanOrEqual(3)
    for (const { point, gap } of points) {
      expect(Math.hypot(point[0], point[1])).toBeCloseTo(0.1, 9)
      expect(gap).toBeCloseTo(-0.001, 12)
    }
  })
})

test('shapes of 1e-4 to 1e3 in one pair: a small box on a large one keeps its corners, and nothing is NaN', () => {
  const random = createRandom(69)
  for (const large of [1e3, 1, 1e-2]) {
    for (const small of [1e-4, 1e-2, 1]) {
      if (2 * small > large) continue
      const slab = colliderAt({ type: 'box', size: [large, large, large] }, identity, [0, 0, -0.5 * large])
      const box = colliderAt({ type: 'box', size: [small, small, small] }, identity, [0, 0, 0])
      for (let n = 0; n < 50; n++) {
        const sink = 1e-3 * small * random.next()
        place(box, rotation([0, 0, 1], random.between(-1, 1)), [0.2 * large, 0.1 * large, 0.5 * small - sink])
        const { normal, points } = manifoldOf(slab, box, 0.01 * small)
        expect(normal.map(Math.abs)).toEqual([0, 0, 1])
        expect(features(points)).toEqual([0, 1, 2, 3])
        // rounding in coordinates of the large one's size
        for (const { gap } of points) expect(Math.abs(gap + sink)).toBeLessThan(1e-15 * large + 1e-12 * small)
      }
    }
  }
})

test('a ball that turns about the end of a capsule, deep in it, is touched along the line of their cores at any speed', () => {
  const capsule = colliderAt({ type: 'capsule', radius: 0.09, length: 0.14 }, identity, [0, 0, 0])
  const ball = colliderAt({ type: 'sphere', radius: 0.075 }, identity, [0, 0, 0])
  const follower = new Follower()
  for (const angle of [0.2, 0.25, 0.3, 0.37, 0.44, 0.5, 0.6]) {
    const along = [Math.sin(angle), 0, Math.cos(angle)]
    place(ball, identity, [0.14 * along[0], 0, 0.07 + 0.14 * along[2]])
    const { normal, points } = follower.step(capsule, ball)
    normal.forEach((x, k) => {
      expect(x).toBeCloseTo(along[k], 12)
    })
    expect(points[0].gap).toBeCloseTo(0.14 - 0.165, 12)
  }
})
