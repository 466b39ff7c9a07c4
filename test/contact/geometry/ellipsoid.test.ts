import { describe, expect, test } from 'vitest'
import { createFieldShape, placeFieldShape, pointDistance } from '../../../contact/detection/manifold/fieldShape.ts'
import { PenetrationQuery, penaltyMemorySize, penaltyReading } from '../../../contact/detection/penetration/penetrationQuery.ts'
import {
  type Ellipsoid,
  type HalfSpace,
  pointToEllipsoid,
  polyhedralVersion,
  type Shape,
  separationAlong,
  solidOf,
  supportPoint,
  writeBounds,
} from '../../../contact/geometry/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { full, trials } from '../../dailyModels.ts'
import { ground, Scene } from '../detection/scene.ts'
import { colliderAt, distanceOf, dot, identity, origin, randomRotation, randomShapes, randomUnit, scaled, unit } from './poses.ts'

const rounds = full ? 20_000 : 70

const randomEllipsoid = (random: Random): Ellipsoid => ({
  type: 'ellipsoid',
  radii: [random.between(0.05, 0.6), random.between(0.05, 0.6), random.between(0.05, 0.6)],
})
const partners = { ...randomShapes, ellipsoid: randomEllipsoid } as const

describe('distance of a point', () => {
  test('is how far it was moved along the outward normal of a point of the surface, outside and up to the centre of curvature inside', () => {
    const random = createRandom(811)
    const out = new Float64Array(4)
    for (let n = 0; n < 10 * rounds; n++) {
      const e = Float64Array.from({ length: 3 }, () => random.between(0.01, 1))
      if (n % 5 === 0) e[1] = e[0]
      if (n % 7 === 0) e[2] = e[0]
      const u = randomUnit(random)
      const normal = u.map((x, k) => x / e[k])
      const length = Math.hypot(...normal)
      // the least radius of curvature
      const least = Math.min(...e) ** 2 / Math.max(...e)
      const moved = n % 2 === 0 ? random.between(0, 3) : -0.999 * least * random.between(0, 1)
      const x = u.map((x, k) => e[k] * x + (moved * normal[k]) / length)
      pointToEllipsoid(x, e, out)
      expect(Math.abs(out[0] - moved)).toBeLessThan(1e-14)
      const onSurface = x.map((x, k) => (x - out[0] * out[1 + k]) / e[k])
      expect(Math.abs(Math.hypot(...onSurface) - 1)).toBeLessThan(1e-12)
    }
  })

  test('from the centre is the least radius; of a sphere what it is of a sphere', () => {
    const out = new Float64Array(4)
    for (const e of [
      [1, 2, 3],
      [3, 2, 1],
      [1, 1, 1],
      [2, 1, 1],
    ]) {
      pointToEllipsoid(origin, Float64Array.from(e), out)
      expect(out[0]).toBe(-1)
      expect(Math.hypot(out[1], out[2], out[3])).toBe(1)
    }
    pointToEllipsoid(Float64Array.of(0.3, -0.4, 1.2), Float64Array.of(1, 1, 1), out)
    expect(out[0]).toBeCloseTo(0.3, 15)
  })

  test('beyond the centres of curvature no point of the surface is nearer', () => {
    const random = createRandom(812)
    const out = new Float64Array(4)
    for (let n = 0; n < rounds; n++) {
      const e = Float64Array.from({ length: 3 }, () => random.between(0.05, 1))
      const x = randomUnit(random).map((u, k) => u * e[k] * random.between(0, 1) * (n % 3 === k ? 0 : 1))
      pointToEllipsoid(x, e, out)
      expect(out[0]).toBeLessThan(0)
      for (let k = 0; k < 100; k++) {
        const y = randomUnit(random).map((u, k) => u * e[k])
        expect(Math.hypot(...y.map((y, k) => y - x[k]))).toBeGreaterThan(-out[0] - 1e-12)
      }
    }
  })
})

describe.each(Object.keys(partners) as (keyof typeof partners)[])('an ellipsoid and a %s', (kind) => {
  test('are as far apart along no direction as along the normal, and the points of the distance are on both', () => {
    const random = createRandom(813)
    const separation = new Float64Array(1)
    const support = new Float64Array(3)
    let overlaps = 0
    for (let n = 0; n < rounds; n++) {
      const a = colliderAt(randomEllipsoid(random), randomRotation(random), origin)
      const p = randomUnit(random).map((x) => x * random.between(0, 1.5))
      const b = colliderAt(partners[kind](random), randomRotation(random), p)
      const out = distanceOf(a, b)
      const normal = out.subarray(1, 4)
      expect(Math.abs(Math.hypot(...normal) - 1)).toBeLessThan(1e-14)
      separationAlong(a, b, normal, separation)
      expect(Math.abs(separation[0] - out[0])).toBeLessThan(1e-14)
      // locally where they overlap, which is what the search promises there
      for (let k = 0; k < 40; k++) {
        const far = 10 ** random.between(-7, out[0] > 0 ? 1 : -2)
        const turned = randomUnit(random).map((x, i) => normal[i] + far * x)
        separationAlong(a, b, unit(turned), separation)
        expect(separation[0]).toBeLessThan(out[0] + 1e-13)
      }
      if (out[0] < 0) overlaps++
      else {
        for (const [c, from, sign] of [
          [a, 4, 1],
          [b, 7, -1],
        ] as const) {
          supportPoint(c.shape, c.R, c.p, scaled(normal, sign), support)
          const end = out.subarray(from, from + 3)
          expect(Math.abs(dot(normal, support) - dot(normal, end))).toBeLessThan(1e-13)
        }
      }
      // B and A: the same, the normal turned round
      const back = distanceOf(b, a)
      expect(back[0]).toBe(out[0])
      for (let k = 0; k < 3; k++) expect(back[1 + k]).toBe(-out[1 + k])
    }
    expect(overlaps).toBeGreaterThan(rounds / 10)
  })

  test('are as far apart as the sphere and it are, where the radii are one', () => {
    const random = createRandom(814)
    for (let n = 0; n < rounds; n++) {
      const radius = random.between(0.05, 0.5)
      const p = randomUnit(random).map((x) => x * random.between(0.3, 1.5))
      const other = colliderAt(partners[kind](random), randomRotation(random), p)
      const R = randomRotation(random)
      const round = distanceOf(colliderAt({ type: 'ellipsoid', radii: [radius, radius, radius] }, R, origin), other)
      const sphere = distanceOf(colliderAt({ type: 'sphere', radius }, R, origin), other)
      // deep in each other the two searches end at 1e-7 of the size or at an equal
      expect(Math.abs(round[0] - sphere[0])).toBeLessThan(sphere[0] > -0.5 * radius ? 1e-12 : 1e-6)
    }
  })
})

test('over a half-space it is as high as its farthest point, sqrt(n . Q n) below the centre, and has one contact there', () => {
  const random = createRandom(815)
  for (let n = 0; n < rounds; n++) {
    const shape = randomEllipsoid(random)
    const R = randomRotation(random)
    const p = [random.between(-1, 1), random.between(-1, 1), random.between(-0.5, 0.8)]
    const reach = Math.hypot(...shape.radii.map((e, k) => e * R[6 + k]))
    const half: HalfSpace = { type: 'halfspace', normal: [0, 0, 1], offset: 0 }
    const out = distanceOf(colliderAt(half, identity, origin), colliderAt(shape, R, p))
    expect(Math.abs(out[0] - (p[2] - reach))).toBeLessThan(1e-14)
    const found = new Scene(shape, [ground]).detect(R, p, 1)
    expect(found.count).toBe(1)
    expect(Math.abs(found.gap[0] - out[0])).toBeLessThan(1e-14)
    // of the surface
    const at = [found.point[0] - p[0], found.point[1] - p[1], found.point[2] - 0.5 * found.gap[0] - p[2]]
    const own = [0, 1, 2].map((k) => R[k] * at[0] + R[3 + k] * at[1] + R[6 + k] * (at[2] + found.gap[0]))
    expect(Math.abs(Math.hypot(...own.map((x, k) => x / shape.radii[k])) - 1)).toBeLessThan(1e-12)
  }
})

test('its box, its inertia and its polyhedral versions are those of the ellipsoid', () => {
  const random = createRandom(816)
  const bounds = new Float64Array(6)
  const support = new Float64Array(3)
  for (let n = 0; n < 50; n++) {
    const shape = randomEllipsoid(random)
    const collider = colliderAt(shape, randomRotation(random), randomUnit(random))
    writeBounds(collider, new Float64Array(1), 0, bounds, 0)
    for (let k = 0; k < 6; k++) {
      const d = new Float64Array(3)
      d[k % 3] = k < 3 ? -1 : 1
      supportPoint(shape, collider.R, collider.p, d, support)
      expect(bounds[k]).toBeCloseTo(support[k % 3], 12)
    }
  }
  const [a, b, c] = [0.2, 0.3, 0.5]
  const shape: Ellipsoid = { type: 'ellipsoid', radii: [a, b, c] }
  const { volume, inertia } = solidOf(shape)
  const [inside, outside] = (['inscribed', 'circumscribed'] as const).map((fit) =>
    solidOf({ type: 'hull', polyhedron: polyhedralVersion(shape, { sides: 160, fit }) }),
  )
  expect(volume).toBeCloseTo((4 / 3) * Math.PI * a * b * c, 14)
  expect(inertia[0] / volume).toBeCloseTo((b * b + c * c) / 5, 14)
  for (const k of [0, 1, 2] as const) {
    expect(inside.inertia[k]).toBeLessThan(inertia[k])
    expect(outside.inertia[k]).toBeGreaterThan(inertia[k])
    expect(outside.inertia[k] / inside.inertia[k]).toBeLessThan(1.02)
  }
})

describe('what penalty methods read of it', () => {
  const read = (a: Shape, b: Shape, R: Float64Array, p: ArrayLike<number>) => {
    const [A, B] = [createFieldShape(a), createFieldShape(b)]
    placeFieldShape(A, identity, origin, identity, origin)
    placeFieldShape(B, R, Float64Array.from(p), identity, origin)
    const out = new PenetrationQuery()
    penaltyReading(A, B, new Float64Array(penaltyMemorySize), 0, out)
    return out
  }

  test('in a box: the depth along the face that it dips through, at its farthest point', () => {
    const random = createRandom(817)
    for (let n = 0; n < 100; n++) {
      const shape = randomEllipsoid(random)
      const R = randomRotation(random)
      const reach = Math.hypot(...shape.radii.map((e, k) => e * R[6 + k]))
      const depth = 0.05 * reach
      const reading = read({ type: 'box', size: [4, 4, 4] }, shape, R, [0.1, 0.2, 2 + reach - depth])
      expect(reading.status).toBe('overlapping')
      expect(Math.abs(reading.depth[0] - depth)).toBeLessThan(1e-9)
      for (let k = 0; k < 3; k++) expect(Math.abs(reading.normal[k] - (k === 2 ? 1 : 0))).toBeLessThan(1e-9)
    }
  })

  test('with equal radii: what is read of the sphere', () => {
    const random = createRandom(818)
    for (const kind of ['box', 'cylinder', 'capsule'] as const) {
      for (let n = 0; n < trials(100); n++) {
        const other = randomShapes[kind](random)
        const p = randomUnit(random).map((x) => x * random.between(0.3, 0.7))
        const R = randomRotation(random)
        const one = read(other, { type: 'ellipsoid', radii: [0.2, 0.2, 0.2] }, R, p)
        const two = read(other, { type: 'sphere', radius: 0.2 }, R, p)
        expect(one.status === 'apart').toBe(two.status === 'apart')
        if (one.distanceDepth[0] < 0.1 && two.status === 'overlapping')
          expect(Math.abs(one.depth[0] - two.depth[0])).toBeLessThan(1e-6)
      }
    }
  })

  test('a field is the distance of a point', () => {
    const field = createFieldShape({ type: 'ellipsoid', radii: [0.1, 0.2, 0.3] })
    const out = new Float64Array(4)
    const facet = new Int32Array(1)
    pointDistance(field, Float64Array.of(0, 0, 0.5), out, facet)
    expect(out[0]).toBeCloseTo(0.2, 15)
    expect([...out.subarray(1), facet[0]]).toEqual([0, 0, 1, -1])
  })
})

test('an ellipsoid without thickness is refused by the name of the shape', () => {
  expect(() => new Scene({ type: 'ellipsoid', radii: [0.1, 0, 0.1] }, [ground])).toThrow(
    /radii\[1\] is 0; expected a positive number \[m\]/,
  )
})
