import { describe, expect, test } from 'vitest'
import { GeometryError } from '../../../contact/geometry/index.ts'
import { FeatureContacts, type FeatureOptions, featureKind, featureLimits } from '../../../contact/peg/featureSet.ts'
import { createPlanarBody, planarFeatureContacts } from '../../../contact/peg/planarFeatures.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { rotation } from '../geometry/poses.ts'
import { bodyAt, contactsOf, hull, type Listed, largestGap, listed } from './featureScene.ts'

const pairs = process.env.FEATHERBED_FULL === undefined ? 500 : 50_000
const { vertexFace, faceVertex } = featureKind

interface Placed {
  readonly vertices: Float64Array
  readonly pose: Float64Array
}

function contactsBetween(a: Placed, b: Placed, options: FeatureOptions): Listed[] {
  const out = new FeatureContacts(2)
  planarFeatureContacts(createPlanarBody(a.vertices), a.pose, createPlanarBody(b.vertices), b.pose, featureLimits(options), out)
  return listed(out)
}

function corners({ vertices, pose: [x, y, angle] }: Placed): number[][] {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  return Array.from({ length: vertices.length / 2 }, (_, i) => {
    const [u, w] = vertices.subarray(2 * i, 2 * i + 2)
    return [x + c * u - s * w, y + s * u + c * w]
  })
}

/** The largest separation over the normals of all edges, all corners projected: positive exactly when apart. */
function separation(a: Placed, b: Placed): number {
  const [P, Q] = [corners(a), corners(b)]
  let best = -Infinity
  for (const polygon of [P, Q]) {
    polygon.forEach(([x, y], i) => {
      const [u, w] = polygon[(i + 1) % polygon.length]
      const length = Math.hypot(u - x, w - y)
      const n = [(w - y) / length, (x - u) / length]
      const along = (points: number[][]) => points.map(([px, py]) => px * n[0] + py * n[1])
      const [hp, hq] = [along(P), along(Q)]
      best = Math.max(best, Math.min(...hq) - Math.max(...hp), Math.min(...hp) - Math.max(...hq))
    })
  }
  return best
}

/** Corners on an ellipse, so that every one is a true corner. */
function randomPolygon(random: Random): Float64Array {
  const n = 3 + random.index(6)
  const [rx, ry] = [random.between(0.1, 0.5), random.between(0.1, 0.5)]
  const points: number[] = []
  for (let i = 0; i < n; i++) {
    const angle = (2 * Math.PI * (i + random.between(-0.2, 0.2))) / n
    points.push(rx * Math.cos(angle), ry * Math.sin(angle))
  }
  return Float64Array.from(points)
}

/** Two polygons within 5 cm of touching; two of five pairs are the same polygon, turned by half a turn or nearly. */
function randomNearPair(random: Random): [Placed, Placed] {
  const vertices = randomPolygon(random)
  const aligned = random.next() < 0.4
  const turn = random.between(-Math.PI, Math.PI)
  const a = { vertices, pose: Float64Array.of(0, 0, turn) }
  const other = aligned ? vertices : randomPolygon(random)
  const angle = aligned ? turn + Math.PI * random.index(2) + 10 ** random.between(-14, -1) : random.between(-Math.PI, Math.PI)
  const direction = random.between(-Math.PI, Math.PI)
  const at = (t: number) => ({
    vertices: other,
    pose: Float64Array.of(t * Math.cos(direction), t * Math.sin(direction), angle),
  })
  let [low, high] = [0, 2]
  for (let k = 0; k < 20; k++) {
    const middle = 0.5 * (low + high)
    if (separation(a, at(middle)) > 0) high = middle
    else low = middle
  }
  return [a, at(high + random.between(-0.05, 0.05))]
}

describe('polygons', () => {
  test(`over ${pairs} random pairs near touching, the largest gap of the applicable contacts is positive exactly when they are apart, and minus the depth when not`, () => {
    const random = createRandom(71)
    let [apart, wrong, worst] = [0, 0, 0]
    for (let k = 0; k < pairs; k++) {
      const [a, b] = randomNearPair(random)
      const exact = separation(a, b)
      const contacts = contactsBetween(a, b, { margin: 0.1, depth: 2, epsilon: 1e-9, choice: 'applicable' })
      const largest = largestGap(contacts)
      if (exact > 1e-8) {
        apart++
        if (!(largest > 0 && largest < exact + 1e-8)) wrong++
      } else worst = Math.max(worst, Math.abs(largest - exact))
    }
    expect(apart).toBeGreaterThan(pairs / 10)
    expect(wrong).toBe(0)
    // 1e-9 of relaxation over lengths of 1 m
    expect(worst).toBeLessThan(1e-8)
  })

  test('contacts are those of prisms on them, which do not reach each other at the ends', () => {
    const random = createRandom(72)
    const prism = (vertices: Float64Array, half: number) =>
      hull(
        ...[-half, half].flatMap((z) =>
          Array.from({ length: vertices.length / 2 }, (_, i) => [vertices[2 * i], vertices[2 * i + 1], z]).flat(),
        ),
      )
    for (let k = 0; k < 50; k++) {
      const [a, b] = randomNearPair(random)
      const options = { margin: 0.06, epsilon: 0.01 }
      const flat = contactsBetween(a, b, options)
      // the corners of the shorter prism meet the sides of the longer
      const tall = bodyAt(prism(a.vertices, 5), rotation([0, 0, 1], a.pose[2]), [a.pose[0], a.pose[1], 0])
      const short = bodyAt(prism(b.vertices, 1), rotation([0, 0, 1], b.pose[2]), [b.pose[0], b.pose[1], 0])
      const key = (gap: number, n: ArrayLike<number>, value: number) =>
        [gap, n[0], n[1], value].map((x) => (x + 0).toFixed(9)).join(' ')
      const below = contactsOf(tall, short, options).filter((c) => c.kind === faceVertex && c.point[2] < 0)
      expect(
        new Set(below.filter((c) => c.applicable > 0).map((c) => key(c.gap, c.normal, Math.min(0, c.applicability)))),
      ).toEqual(
        new Set(
          flat
            .filter((c) => c.kind === faceVertex && c.applicable > 0)
            .map((c) => key(c.gap, c.normal, Math.min(0, c.applicability))),
        ),
      )
    }
  })

  test('a contact is the same with the polygons swapped, the normal turned', () => {
    const random = createRandom(73)
    for (let k = 0; k < 100; k++) {
      const [a, b] = randomNearPair(random)
      const here = contactsBetween(a, b, { margin: 0.1 })
      const back = contactsBetween(b, a, { margin: 0.1 })
      expect(back.length).toBe(here.length)
      for (const c of back) {
        const twin = here.find((x) => x.kind === (c.kind === vertexFace ? faceVertex : vertexFace) && x.a === c.b && x.b === c.a)!
        expect([twin.gap, twin.aside, twin.applicability, ...twin.point]).toEqual([c.gap, c.aside, c.applicability, ...c.point])
        expect(twin.normal[0] + c.normal[0]).toBe(0)
        expect(twin.normal[1] + c.normal[1]).toBe(0)
      }
    }
  })

  test('two squares side by side keep four contacts that push, whatever the jitter', () => {
    const random = createRandom(74)
    const square = Float64Array.of(-0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5)
    const a = { vertices: square, pose: new Float64Array(3) }
    const ids = (x: number, y: number, angle: number) =>
      contactsBetween(a, { vertices: square, pose: Float64Array.of(x, y, angle) }, { margin: 0.01 }).map((c) => [
        c.id,
        c.applicable > 0,
      ])
    const ideal = ids(0, 1, 0)
    expect(ideal.filter(([, pushes]) => pushes).length).toBe(4)
    for (let k = 0; k < 1000; k++) {
      const jitter = () => random.between(-1, 1) * 10 ** random.between(-17, -4)
      expect(ids(jitter(), 1 + jitter(), jitter())).toEqual(ideal)
    }
  })

  test('what is no convex polygon, counter-clockwise, is refused', () => {
    const create =
      (...points: number[]) =>
      () =>
        createPlanarBody(Float64Array.from(points))
    expect(create(0, 0, 1, 0)).toThrow(GeometryError)
    expect(create(0, 0, 1, 0, 1)).toThrow(/x and y/)
    expect(create(0, 0, 0, 1, 1, 0)).toThrow(/counter-clockwise/)
    expect(create(0, 0, 1, 0, 2, 0, 0, 1)).toThrow(/vertex 1/)
    expect(create(0, 0, 1, 0, 1, 0, 0, 1)).toThrow(/edge 1/)
    expect(create(0, 0, Number.NaN, 0, 0, 1)).toThrow(/edge 0/)
    const star = Array.from({ length: 5 }, (_, i) => [Math.cos(0.8 * Math.PI * i), Math.sin(0.8 * Math.PI * i)]).flat()
    expect(create(...star)).toThrow(/more than once/)
    const out = new FeatureContacts(3)
    const body = createPlanarBody(Float64Array.of(0, 0, 1, 0, 0, 1))
    expect(() =>
      planarFeatureContacts(body, new Float64Array(3), body, new Float64Array(3), featureLimits({ margin: 1 }), out),
    ).toThrow(/dimension 2/)
  })
})

test('limits that make no sense are refused', () => {
  expect(() => featureLimits({ margin: -1 })).toThrow(/margin/)
  expect(() => featureLimits({ margin: 1, depth: 0.5 })).toThrow(/depth/)
  expect(() => featureLimits({ margin: 1, epsilon: 2 })).toThrow(/epsilon/)
  expect(() => featureLimits({ margin: 1, edgeEpsilon: Number.NaN })).toThrow(/edgeEpsilon/)
})
