import { expect, test } from 'vitest'
import { ConvexOverlap } from '../../../contact/detection/penetration/convexOverlap.ts'
import { type Collider, type Shape, signedDistance } from '../../../contact/geometry/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { full } from '../../dailyModels.ts'
import { colliderAt, dot, identity, product, randomHull, randomRotation, rotation } from '../geometry/poses.ts'

const poses = full ? 10_000 : 100

const x = Float64Array.of(1, 0, 0)
const y = Float64Array.of(0, 1, 0)
const z = Float64Array.of(0, 0, 1)

function overlapOf(a: Collider, b: Collider, n = z, u = x, v = y): ConvexOverlap {
  const overlap = new ConvexOverlap()
  overlap.begin(b)
  overlap.cutByFaces(a)
  if (overlap.isEmpty) overlap.volume[0] = 0
  else overlap.integrate(n, u, v)
  return overlap
}

const box = (size: readonly [number, number, number]): Shape => ({ type: 'box', size })

type Point = readonly number[]
const mix = (p: Point, q: Point, t: number): Point => p.map((c, d) => c + t * (q[d] - c))

/**
 * The volume by another way: the face that each plane of either shape has in what is inside of all planes, from a large square cut by
 * one plane after another, as the base of a pyramid up to a point inside. Planes alike to 1e-9 count once.
 */
function volumeByFaces(a: Collider, b: Collider): number {
  const planes: { n: Point; h: number }[] = []
  for (const { core, normalsW: N, verticesW: V } of [a, b]) {
    core!.faces.forEach((loop, f) => {
      const n = [N[3 * f], N[3 * f + 1], N[3 * f + 2]]
      const h = dot(n, V.subarray(3 * loop[0], 3 * loop[0] + 3))
      if (!planes.some((p) => dot(p.n, n) > 1 - 1e-12 && Math.abs(p.h - h) < 1e-9)) planes.push({ n, h })
    })
  }
  const faces = planes.map(({ n, h }, i) => {
    const across = Math.abs(n[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0]
    const u = [n[1] * across[2] - n[2] * across[1], n[2] * across[0] - n[0] * across[2], n[0] * across[1] - n[1] * across[0]]
    const v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]]
    let loop: Point[] = [
      [9, 9],
      [-9, 9],
      [-9, -9],
      [9, -9],
    ].map(([s, t]) => n.map((c, d) => h * c + s * u[d] + t * v[d]))
    planes.forEach((plane, j) => {
      if (j === i) return
      loop = loop.flatMap((p, k) => {
        const q = loop[(k + 1) % loop.length]
        const from = dot(plane.n, p) - plane.h
        const to = dot(plane.n, q) - plane.h
        const kept = from <= 0 ? [p] : []
        return from <= 0 === to <= 0 ? kept : [...kept, mix(p, q, from / (from - to))]
      })
    })
    return { n, h, loop }
  })
  const corners = faces.flatMap(({ loop }) => loop)
  if (corners.length === 0) return 0
  const middle = [0, 1, 2].map((d) => corners.reduce((sum, p) => sum + p[d] / corners.length, 0))
  let volume = 0
  for (const { n, h, loop } of faces) {
    for (let k = 2; k < loop.length; k++) {
      const p = loop[0].map((c, d) => loop[k - 1][d] - c)
      const q = loop[0].map((c, d) => loop[k][d] - c)
      const twice = n[0] * (p[1] * q[2] - p[2] * q[1]) + n[1] * (p[2] * q[0] - p[0] * q[2]) + n[2] * (p[0] * q[1] - p[1] * q[0])
      volume += ((h - dot(n, middle)) * twice) / 6
    }
  }
  return volume
}

/** Two shapes that overlap, of every kind of pose: any; faces flush and sides in line but for `off`; turned by a right angle. */
function randomPair(random: Random): [Collider, Collider, number] {
  const shape = () =>
    random.between(0, 1) < 0.5
      ? box([random.between(0.1, 1), random.between(0.1, 1), random.between(0.1, 1)])
      : randomHull(random, 12)
  const R = random.between(0, 1) < 0.3 ? identity : randomRotation(random)
  const kind = random.between(0, 1)
  if (kind < 0.5) {
    const at = [random.between(-0.4, 0.4), random.between(-0.4, 0.4), random.between(-0.4, 0.4)]
    return [colliderAt(shape(), R, [0, 0, 0]), colliderAt(shape(), randomRotation(random), at), 0]
  }
  // equal shapes in one place, or moved along an axis of theirs, all but for a disturbance from 1e-17 to 1e-6
  const off = 10 ** random.between(-17, -6) * (random.between(0, 1) < 0.3 ? 0 : 1)
  const turn = rotation(R.subarray(0, 3), off)
  const quarter = rotation(z, Math.round(random.between(-0.5, 3.5)) * (Math.PI / 2))
  const along = Math.round(random.between(-0.5, 2.5))
  const by = random.between(0, 1) < 0.3 ? 0 : random.between(0, 0.1)
  const one = random.between(0, 1) < 0.6 ? box([0.3, 0.3, 0.5]) : shape()
  const at = [0, 1, 2].map((d) => by * R[3 * d + along] + off * random.between(-1, 1))
  return [colliderAt(one, R, [0, 0, 0]), colliderAt(one, product(turn, product(R, quarter)), at), off]
}

test('the volume of two polyhedra is that of what lies inside of all planes, in any pose, and where faces are coplanar but for rounding', () => {
  const random = createRandom(4)
  let overlapping = 0
  for (let k = 0; k < poses; k++) {
    const [a, b, off] = randomPair(random)
    const { volume } = overlapOf(a, b)
    const expected = volumeByFaces(a, b)
    if (expected > 1e-9) overlapping++
    // by the other way planes alike to 1e-9 are one, and where two are nearly parallel a sliver of a square metre counts twice or
    // not at all; else it loses a digit or two at corners of nearly parallel planes
    const allowed = off === 0 ? 1e-11 : 1e-8 + 4 * off
    expect(Math.abs(volume[0] - expected), `pose ${k}`).toBeLessThan(allowed)
    // the same from the other one, and along any direction
    const n = a.R.subarray(0, 3)
    const back = overlapOf(b, a, n, a.R.subarray(3, 6), a.R.subarray(6, 9)).volume
    expect(Math.abs(volume[0] - back[0]), `pose ${k}`).toBeLessThan(1e-13)
  }
  expect(overlapping).toBeGreaterThan(0.8 * poses)
})

test('it is the share of points drawn at random that are inside of both, to three standard deviations', () => {
  const random = createRandom(7)
  for (let k = 0; k < (full ? 200 : 20); k++) {
    const [a, b] = randomPair(random)
    const { volume, centroid, origin } = overlapOf(a, b)
    const inside = (p: Point) =>
      [a, b].every(({ core, normalsW: N, verticesW: V }) =>
        core!.faces.every(
          (loop, f) =>
            dot(N.subarray(3 * f, 3 * f + 3), p) <= dot(N.subarray(3 * f, 3 * f + 3), V.subarray(3 * loop[0], 3 * loop[0] + 3)),
        ),
      )
    const count = 4000
    const half = 0.8
    let hits = 0
    let sum = 0
    for (let n = 0; n < count; n++) {
      const p = [0, 1, 2].map((d) => b.p[d] + random.between(-half, half))
      if (!inside(p)) continue
      hits++
      sum += p[0] - origin[0]
    }
    const share = volume[0] / (2 * half) ** 3
    expect(Math.abs(hits / count - share)).toBeLessThan(3.5 * Math.sqrt((share * (1 - share)) / count) + 1e-3)
    if (hits > 100) expect(Math.abs(sum / hits - centroid[0])).toBeLessThan(3.5 * (0.5 / Math.sqrt(hits)))
  }
})

test('integrals over the overlap of a tilted box and a plane are those of a prism', () => {
  // a box 2a wide and w long, turned by t about y, its lower edge d below the plane: a triangle of height d and legs d / sin, d / cos
  const [a, c, w, t, d] = [0.1, 0.05, 0.3, 0.2, 0.004]
  const [sin, cos] = [Math.sin(t), Math.cos(t)]
  const overlap = new ConvexOverlap()
  overlap.begin(colliderAt(box([2 * a, w, 2 * c]), rotation(y, t), [0, 0, a * sin + c * cos - d]))
  overlap.cutByPlane(Float64Array.of(0, 0, 1, 0))
  overlap.integrate(z, x, y)
  const { volume, area, centroid, middle, spread } = overlap
  const [left, right] = [d / Math.tan(t), d * Math.tan(t)] // of the edge, on the plane
  const edge = a * cos - c * sin
  expect(volume[0]).toBeCloseTo((w * d * (left + right)) / 2, 14)
  expect(area[0]).toBeCloseTo(w * (left + right), 14)
  expect(centroid[0]).toBeCloseTo(edge + (right - left) / 3, 13)
  expect(centroid[1]).toBeCloseTo(0, 13)
  expect(middle[0]).toBeCloseTo(edge + (right - left) / 2, 13)
  expect(spread[0]).toBeCloseTo((left + right) ** 2 / 12, 14)
  expect(spread[1]).toBeCloseTo(0, 14)
  expect(spread[2]).toBeCloseTo(w ** 2 / 12, 14)
})

test('shapes that only touch have no volume but for rounding, and those apart none', () => {
  const random = createRandom(11)
  for (let k = 0; k < poses; k++) {
    const R = randomRotation(random)
    const a = colliderAt(box([0.4, 0.6, 0.2]), R, [0, 0, 0])
    const by = 0.2 + random.between(-1e-16, 1e-16)
    const b = colliderAt(box([0.4, 0.6, 0.2]), R, [by * R[2], by * R[5], by * R[8]])
    expect(Math.abs(overlapOf(a, b).volume[0])).toBeLessThan(1e-15)
    const c = colliderAt(randomHull(random, 20), randomRotation(random), [random.between(-1, 1), random.between(-1, 1), 0])
    const distance = new Float64Array(10)
    signedDistance(a, c, distance)
    if (distance[0] > 1e-12) expect(overlapOf(a, c).isEmpty).toBe(true)
  }
})
