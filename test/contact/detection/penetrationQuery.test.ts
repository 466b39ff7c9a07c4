import { describe, expect, test } from 'vitest'
import { createFieldShape, type FieldShape, pointDistance } from '../../../contact/detection/manifold/fieldShape.ts'
import { NormalPath } from '../../../contact/detection/penetration/contactNormal.ts'
import type { PenetrationQuery } from '../../../contact/detection/penetration/penetrationQuery.ts'
import {
  boxPolyhedron,
  hullOf,
  meshDistance,
  meshOfPolyhedron,
  meshTreeOf,
  polyhedralVersion,
  refineMesh,
  type Shape,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { angle, boxMesh, torus } from '../geometry/meshes.ts'
import { dot, identity, plus, product, randomHull, randomRotation, randomShapes, rotation, turned } from '../geometry/poses.ts'
import {
  apart,
  asSet,
  bottomOf,
  corners,
  fieldAt,
  ground,
  outsideBy,
  placed,
  planeHull,
  read,
  slab,
  slabAt,
} from './penaltyScene.ts'

const cube: Shape = { type: 'box', size: [1, 1, 1] }
const onEdge = rotation([1, 0, 0], Math.PI / 4)
const onCorner = product(rotation([0, 1, 0], Math.atan(Math.SQRT1_2)), onEdge)
/** A way to press a cube into z = 0 by a depth: its rotation, the height of its centre when it touches, and the points below. */
const presses: [string, Float64Array, number, number][] = [
  ['face', identity, 0.5, 4],
  ['edge', onEdge, Math.SQRT1_2, 2],
  ['corner', onCorner, 0.5 * Math.sqrt(3), 1],
]

/** The corners of a cube whose height is the least, by their coordinates. */
function lowestCorners(R: Float64Array, p: readonly number[]): number[][] {
  const all = Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => ((i >> k) & 1) - 0.5))
  const world = all.map((x) => Array.from(turned(R, x), (value, k) => value + p[k]))
  const least = Math.min(...world.map((x) => x[2]))
  return world.filter((x) => x[2] < least + 1e-9)
}

function expectUp(out: PenetrationQuery, depth: number): void {
  expect(out.status).toBe('overlapping')
  for (let k = 0; k < 3; k++) expect(out.normal[k]).toBeCloseTo(k === 2 ? 1 : 0, 12)
  expect(out.depth[0]).toBeCloseTo(depth, 12)
  expect(out.distanceDepth[0]).toBeLessThan(depth + 1e-12)
}

describe('a cube pressed into a plane', () => {
  for (const [how, R, height, count] of presses) {
    for (const [kind, options] of [
      ['unrefined', corners],
      ['refined', {}],
    ] as const) {
      test(`${kind}, by its ${how}: ${count} points on the bottom, its lowest corners`, () => {
        for (const depth of [1e-9, 1e-4, 0.01, 0.1]) {
          const p = [0.3, -0.2, height - depth]
          const b = fieldAt(cube, R, p, options)
          for (const [name, a] of [
            ['half-space', fieldAt(ground, identity, [0, 0, 0])],
            ['slab', fieldAt(slab, identity, slabAt)],
          ] as const) {
            const out = read(a, b)
            expect(out.bottomCount, name).toBe(count)
            expect(out.normal[2]).toBeCloseTo(1, 12)
            expect(out.depth[0]).toBeCloseTo(depth, 12)
            // seen from above, for a point of the slab's face stands for the corner below if they are in line
            const seen = bottomOf(out).map(({ middle }) => middle.slice(0, 2))
            expect(asSet(seen)).toEqual(asSet(lowestCorners(R, p).map((x) => x.slice(0, 2))))
            for (const { depth: d } of bottomOf(out)) expect(d).toBeCloseTo(depth, 12)
          }
        }
      })
    }
  }

  test('the points of its own surface carry the numbers of its corners', () => {
    const out = read(fieldAt(ground, identity, [0, 0, 0]), fieldAt(cube, identity, [0, 0, 0.49], corners))
    expect(
      bottomOf(out)
        .map(({ side, feature }) => `${side} ${feature}`)
        .sort(),
    ).toEqual(['1 0', '1 1', '1 2', '1 3'])
    expect(asSet(bottomOf(out).map(({ point }) => point))).toEqual(asSet(lowestCorners(identity, [0, 0, 0.49])))
    expect(asSet(bottomOf(out).map(({ middle }) => middle))).toEqual(asSet(lowestCorners(identity, [0, 0, 0.495])))
    expect(out.pointA[2]).toBeCloseTo(0, 15)
    expect(out.pointB[2]).toBeCloseTo(-0.01, 15)
  })

  test('apart: nothing; at zero gap: touching with all its points at depth 0; no step between', () => {
    const b = createFieldShape(cube)
    for (const a of [fieldAt(ground, identity, [0, 0, 0]), fieldAt(slab, identity, slabAt)]) {
      for (const [, R, height, count] of presses) {
        expect(read(a, placed(b, R, [0, 0, height + 1e-6])).status).toBe('apart')
        expect(read(a, placed(b, R, [0, 0, height + 1e-6])).bottomCount).toBe(0)
        const touching = read(a, placed(b, R, [0, 0, height]))
        expect(touching.status).toBe('touching')
        expect(touching.depth[0]).toBeCloseTo(0, 12)
        expect(touching.bottomCount).toBe(count)
        expect(touching.normal[2]).toBeCloseTo(1, 12)
      }
    }
  })

  test('inclined a little it keeps four corners, unless they leave the plane', () => {
    const a = fieldAt(ground, identity, [0, 0, 0])
    const b = createFieldShape(cube)
    for (const tilt of [1e-12, 1e-8, 1e-4, 5e-3]) {
      const out = read(a, placed(b, rotation([1, 2, 0], tilt), [0, 0, 0.49]))
      expect(
        bottomOf(out)
          .map(({ feature }) => feature)
          .sort(),
      ).toEqual([0, 1, 2, 3])
    }
  })
})

describe("the paper's figure 4: an extruded isosceles trapezoid in the ground", () => {
  /** Half widths at the lower and the upper end, from z = 0 to 1, along y from -1 to 1. */
  const trapezoid = (below: number, above: number): Shape => {
    const points = [-1, 1].flatMap((y) => [-below, y, 0, below, y, 0, -above, y, 1, above, y, 1])
    return { type: 'hull', polyhedron: hullOf(Float64Array.from(points)) }
  }
  /** Corners and Steiner points below the ground, and those of them with a facet that faces down, of the mesh alone. */
  function byDefinition(b: FieldShape): { inside: number[][]; facing: number[][] } {
    const inside: number[][] = []
    const facing: number[][] = []
    for (let i = 0; i < b.vertices.length / 3; i++) {
      const x = Array.from(turned(b.R, b.vertices.subarray(3 * i, 3 * i + 3)), (value, k) => value + b.p[k])
      if (x[2] >= 0) continue
      inside.push(x)
      const facets = b.vertexFacets.subarray(b.vertexFacetStart[i], b.vertexFacetStart[i + 1])
      if (facets.some((f) => turned(b.R, b.facetNormals.subarray(3 * f, 3 * f + 3))[2] < -1e-6)) facing.push(x)
    }
    return { inside, facing }
  }
  const box: [string, FieldShape][] = [
    ['half-space', fieldAt(ground, identity, [0, 0, 0])],
    ['box', fieldAt({ type: 'box', size: [10, 10, 2] }, identity, [0, 0, -1])],
  ]

  test('wide at the bottom: the four bottom corners and none of the points on its sides', () => {
    for (const [name, a] of box) {
      const b = fieldAt(trapezoid(2, 1), identity, [0, 0, -0.4], { maxArea: 0.02 })
      const { inside, facing } = byDefinition(b)
      expect(inside.length).toBeGreaterThan(facing.length)
      const out = read(a, b)
      expectUp(out, 0.4)
      const wanted = [-2, 2].flatMap((x) => [-1, 1].map((y) => [x, y, -0.4]))
      expect(asSet(bottomOf(out).map(({ point }) => point)), name).toEqual(asSet(wanted))
      // the corners are those of the outline of all points on the bottom
      expect(asSet(planeHull(facing.map((x) => [x[0], x[1]])))).toEqual(asSet(wanted.map((x) => x.slice(0, 2))))
    }
  })

  test('narrow at the bottom: its four bottom corners, and none of the points where its sides dip under', () => {
    for (const [name, a] of box) {
      const b = fieldAt(trapezoid(1, 2), identity, [0, 0, -0.4], { maxArea: 0.02 })
      const { facing } = byDefinition(b)
      // the sides face down, so points on them would do; they would come and go with their spacing
      expect(facing.length).toBeGreaterThan(50)
      const out = read(a, b)
      expectUp(out, 0.4)
      const wanted = [-1, 1].flatMap((x) => [-1, 1].map((y) => [x, y, -0.4]))
      expect(asSet(bottomOf(out).map(({ point }) => point)), name).toEqual(asSet(wanted))
    }
  })
})

test('hulls in the ground: every chosen point faces down, and no point that does lies outside of the chosen', () => {
  const random = createRandom(41)
  const a = fieldAt(ground, identity, [0, 0, 0])
  for (let n = 0; n < trials(200); n++) {
    const shape = randomHull(random, 8 + (n % 30))
    const b = fieldAt(shape, randomRotation(random), [0, 0, random.between(-0.1, 0.3)], n % 2 === 0 ? corners : {})
    const out = read(a, b)
    if (out.status === 'apart' || shape.type !== 'hull') continue
    const { vertices, faces, faceNormals } = shape.polyhedron
    const faceUp = (f: number) => turned(b.R, faceNormals.subarray(3 * f, 3 * f + 3))[2]
    const points = bottomOf(out)
    for (const { feature, depth, point } of points) {
      expect(depth).toBeCloseTo(-point[2], 12)
      if (feature < vertices.length / 3) expect(faces.some((loop, f) => loop.includes(feature) && faceUp(f) < 0)).toBe(true)
    }
    const outline = planeHull(points.map(({ point }) => [point[0], point[1]]))
    let lowest = 0
    for (let i = 0; i < vertices.length / 3; i++) {
      const x = turned(b.R, vertices.subarray(3 * i, 3 * i + 3)).map((value, k) => value + b.p[k])
      lowest = Math.min(lowest, x[2])
      if (x[2] >= 0 || outline.length < 3 || !faces.some((loop, f) => loop.includes(i) && faceUp(f) < -1e-6)) continue
      expect(outsideBy(outline, [x[0], x[1]])).toBeLessThan(1e-7)
    }
    expect(out.depth[0]).toBeCloseTo(-lowest, 12)
  }
})

describe('round shapes', () => {
  const grounds: [string, FieldShape][] = [
    ['half-space', fieldAt(ground, identity, [0, 0, 0])],
    ['slab', fieldAt(slab, identity, slabAt)],
  ]
  const depth = 1e-3
  const wheel: Shape = { type: 'cylinder', radius: 0.1, length: 0.05 }

  test('a wheel stands on the ends of one line at every angle, as deep as the circle is', () => {
    for (const [, a] of grounds) {
      for (let k = 0; k < 60; k++) {
        const roll = product(rotation([0, 0, 1], 0.3), product(onAxis(), rotation([0, 0, 1], 0.1 * k)))
        const out = read(a, fieldAt(wheel, roll, [0.01 * k, 0.2, 0.1 - depth]))
        expectUp(out, depth)
        expect(out.bottomCount).toBe(2)
        for (const { depth: d } of bottomOf(out)) expect(d).toBeCloseTo(depth, 12)
        const [s, t] = bottomOf(out).map(({ middle }) => middle)
        expect(Math.hypot(...s.map((x, i) => x - t[i]))).toBeCloseTo(0.05, 12)
        expect(0.5 * (s[0] + t[0])).toBeCloseTo(0.01 * k, 12)
      }
    }
  })
  const onAxis = () => rotation([1, 0, 0], 0.5 * Math.PI)

  test('an upright cylinder stands on eight points of its rim, a leaning one on its lowest', () => {
    for (const [, a] of grounds) {
      const out = read(a, fieldAt(wheel, rotation([0, 0, 1], 1), [0.1, 0.2, 0.025 - depth]))
      expectUp(out, depth)
      expect(out.bottomCount).toBe(8)
      for (const { middle } of bottomOf(out)) expect(Math.hypot(middle[0] - 0.1, middle[1] - 0.2)).toBeCloseTo(0.1, 12)
      const lean = 0.3
      const touching = 0.1 * Math.sin(lean) + 0.025 * Math.cos(lean)
      const leaning = read(
        a,
        fieldAt(
          wheel,
          rotation(
            [1, 1, 0].map((x) => x * Math.SQRT1_2),
            lean,
          ),
          [0.1, 0.2, touching - depth],
        ),
      )
      expectUp(leaning, depth)
      expect(leaning.bottomCount).toBe(1)
    }
  })

  test('a sphere has its lowest point, a lying capsule those of its ends, a standing one that of its end', () => {
    const capsule: Shape = { type: 'capsule', radius: 0.1, length: 0.4 }
    for (const [, a] of grounds) {
      const ball = read(a, fieldAt({ type: 'sphere', radius: 0.1 }, rotation([0, 1, 0], 1), [0.3, 0.1, 0.1 - depth]))
      expectUp(ball, depth)
      expect(bottomOf(ball)).toHaveLength(1)
      expect(asSet([ball.bottomMiddle.subarray(0, 3)])).toEqual(asSet([[0.3, 0.1, -0.5 * depth]]))
      const lying = read(a, fieldAt(capsule, onAxis(), [0.3, 0.1, 0.1 - depth]))
      expectUp(lying, depth)
      expect(asSet(bottomOf(lying).map(({ middle }) => middle))).toEqual(
        asSet([-0.2, 0.2].map((y) => [0.3, 0.1 + y, -0.5 * depth])),
      )
      const standing = read(a, fieldAt(capsule, identity, [0.3, 0.1, 0.3 - depth]))
      expectUp(standing, depth)
      expect(standing.bottomCount).toBe(1)
    }
  })

  test('two spheres, and crossed capsules of which no point runs to the other: depth and normal of the closed form', () => {
    const random = createRandom(42)
    const ball = (radius: number): Shape => ({ type: 'sphere', radius })
    for (let n = 0; n < 50; n++) {
      const way = turned(randomRotation(random), [0, 0, 0.29])
      const out = read(fieldAt(ball(0.1), identity, [1, 2, 3]), fieldAt(ball(0.2), identity, plus([1, 2, 3], way)))
      expect(out.depth[0]).toBeCloseTo(0.01, 12)
      for (let k = 0; k < 3; k++) expect(out.normal[k]).toBeCloseTo(way[k] / 0.29, 12)
      expect(out.bottomCount).toBe(1)
    }
    const capsule: Shape = { type: 'capsule', radius: 0.1, length: 0.5 }
    const out = read(
      fieldAt(capsule, onAxis(), [0, 0, 0]),
      fieldAt(capsule, rotation([0, 1, 0], 0.5 * Math.PI), [0.1, 0.13, 0.191]),
    )
    expectUp(out, 0.009)
    expect(out.path).toBe(NormalPath.closest)
    expect(asSet([out.bottomMiddle.subarray(0, 3)])).toEqual(asSet([[0, 0.13, 0.0955]]))
  })

  test('a block on a fallen cylinder rests on the line that both share', () => {
    const drum: Shape = { type: 'cylinder', radius: 0.2, length: 1 }
    const out = read(
      fieldAt(drum, onAxis(), [0, 0, 0]),
      fieldAt({ type: 'box', size: [0.5, 2, 0.1] }, identity, [0.02, 0, 0.249]),
    )
    expectUp(out, depth)
    expect(asSet(bottomOf(out).map(({ middle }) => middle))).toEqual(asSet([-0.5, 0.5].map((y) => [0, y, 0.1995])))
  })
})

describe('boxes on boxes', () => {
  test('a footprint ends where the lower box ends, and at the corners that both outlines make', () => {
    for (const options of [corners, {}]) {
      const a = fieldAt(cube, identity, [0, 0, 0], options)
      const shifted = read(a, fieldAt(cube, identity, [0.3, 0.4, 0.999], options))
      expectUp(shifted, 1e-3)
      const rectangle = [-0.2, 0.5].flatMap((x) => [-0.1, 0.5].map((y) => [x, y, 0.4995]))
      expect(asSet(bottomOf(shifted).map(({ middle }) => middle))).toEqual(asSet(rectangle))
      for (const { depth } of bottomOf(shifted)) expect(depth).toBeCloseTo(1e-3, 12)
    }
    // turned by an eighth, no corner is inside: Steiner points lead to the octagon
    const turnedBy = read(fieldAt(cube, identity, [0, 0, 0]), fieldAt(cube, rotation([0, 0, 1], Math.PI / 4), [0, 0, 0.999]))
    expectUp(turnedBy, 1e-3)
    const octagon = Array.from({ length: 8 }, (_, k) => {
      const r = 0.5 / Math.cos(Math.PI / 8)
      return [r * Math.cos((Math.PI * (2 * k + 1)) / 8), r * Math.sin((Math.PI * (2 * k + 1)) / 8), 0.4995]
    })
    expect(asSet(bottomOf(turnedBy).map(({ middle }) => middle))).toEqual(asSet(octagon))
  })

  test('identical boxes touch at four corners, stacked and side by side; in one place they part by one edge length', () => {
    for (const options of [corners, {}]) {
      const a = fieldAt(cube, identity, [0, 0, 0], options)
      const b = createFieldShape(cube, options)
      const stacked = read(a, placed(b, identity, [0, 0, 1 - 1e-3]))
      expectUp(stacked, 1e-3)
      expect(stacked.bottomCount).toBe(4)
      const beside = read(a, placed(b, identity, [1, 0, 0]))
      expect(beside.status).toBe('touching')
      expect(Array.from(beside.normal)).toEqual([1, 0, 0])
      expect(beside.bottomCount).toBe(4)
      const same = read(a, placed(b, identity, [0, 0, 0]))
      expect(same.depth[0]).toBeCloseTo(1, 12)
      expect(Math.hypot(...same.normal)).toBeCloseTo(1, 12)
      expect(same.bottomCount).toBe(4)
    }
  })

  test('edges that cross without a point inside: the closest features are the one contact', () => {
    const a = fieldAt(cube, onEdge, [0, 0, -0.7], corners)
    const b = fieldAt(cube, product(rotation([0, 0, 1], 0.5 * Math.PI), onEdge), [0, 0, 0.7], corners)
    const out = read(a, b)
    expect(out.volumeCount).toBe(0)
    expect(out.path).toBe(NormalPath.closest)
    expectUp(out, Math.SQRT2 - 1.4)
    expect(asSet([out.bottomMiddle.subarray(0, 3)])).toEqual(asSet([[0, 0, 0]]))
    placed(b, Float64Array.from(b.R), [0, 0, 0.72])
    expect(read(a, b).status).toBe('apart')
  })

  test('a foot on a ramp has its four corners, at the ramp’s slope', () => {
    const foot: Shape = { type: 'box', size: [0.25, 0.1, 0.05] }
    for (const slope of [0.05, 0.3, 0.7]) {
      const R = rotation([0, 1, 0], -slope)
      const n = turned(R, [0, 0, 1])
      const ramp = fieldAt({ type: 'box', size: [3, 2, 0.2] }, R, [0, 0, 0])
      const p = Array.from(n, (x) => x * (0.1 + 0.025 - 1e-3))
      const out = read(ramp, fieldAt(foot, R, p))
      expect(out.depth[0]).toBeCloseTo(1e-3, 12)
      for (let k = 0; k < 3; k++) expect(out.normal[k]).toBeCloseTo(n[k], 12)
      expect(out.bottomCount).toBe(4)
      const local = bottomOf(out).map(({ point }) => [0, 1].map((k) => dot(point, [R[k], R[3 + k], R[6 + k]])))
      expect(asSet(local)).toEqual(asSet([-0.125, 0.125].flatMap((x) => [-0.05, 0.05].map((y) => [x, y]))))
    }
  })
})

describe('shapes that are not convex', () => {
  test('a mesh of a box reads like the box', () => {
    const random = createRandom(43)
    const box = createFieldShape({ type: 'box', size: [0.4, 0.3, 0.2] })
    const mesh = createFieldShape({ type: 'mesh', mesh: boxMesh(0.4, 0.3, 0.2) })
    const under = fieldAt({ type: 'box', size: [1, 1, 0.2] }, identity, [0, 0, -0.1])
    for (let n = 0; n < 40; n++) {
      const R = product(rotation([1, 0, 0], random.between(-0.05, 0.05)), rotation([0, 0, 1], random.between(-3, 3)))
      // the footprint stays on the slab, where the contact points of the mesh say all about it
      const p = [random.between(-0.2, 0.2), random.between(-0.2, 0.2), random.between(0.08, 0.11)]
      const wanted = read(under, placed(box, R, p))
      const out = read(under, placed(mesh, R, p))
      expect(out.status).toBe(wanted.status)
      expect(out.depth[0]).toBeCloseTo(wanted.depth[0], 9)
      for (let k = 0; k < 3; k++) expect(out.normal[k]).toBeCloseTo(wanted.normal[k], 9)
      const middles = [out, wanted].map((reading) => bottomOf(reading).map(({ middle }) => middle))
      expect(apart(middles[0], middles[1])).toBeLessThan(1e-7)
    }
  })

  test('a ring that lies on the ground stands on all of its outline, and a ball falls through it', () => {
    const ring = fieldAt({ type: 'mesh', mesh: torus(0.3, 0.1, 24, 16) }, identity, [0, 0, 0.099], { maxArea: Infinity })
    const out = read(fieldAt(ground, identity, [0, 0, 0]), ring)
    expectUp(out, 1e-3)
    expect(out.bottomCount).toBe(24)
    for (const { point } of bottomOf(out)) expect(Math.hypot(point[0], point[1])).toBeCloseTo(0.3, 9)
    expect(read(ring, fieldAt({ type: 'sphere', radius: 0.15 }, identity, [0, 0, 0.1])).status).toBe('apart')
  })

  test('a box in the corner of an angle touches the leg that it is pressed against', () => {
    const a = fieldAt({ type: 'mesh', mesh: angle }, identity, [0, 0, 0])
    const distance = new Float64Array(7)
    const feature = new Int32Array(2)
    // above the lower leg, wherever the outline has solid below
    const x = Float64Array.of(0.4, 0, 0)
    let top = 0
    for (let y = -1; y < 1; y += 1e-3) {
      x[1] = y
      meshDistance(meshTreeOf(angle), x, distance, feature)
      if (distance[0] < 0) top = y
    }
    const floor = Math.round(100 * top) / 100
    const out = read(a, fieldAt({ type: 'box', size: [0.1, 0.1, 0.1] }, identity, [0.4, floor + 0.05 - 1e-3, 0]))
    expect(out.depth[0]).toBeCloseTo(1e-3, 9)
    for (let k = 0; k < 3; k++) expect(out.normal[k]).toBeCloseTo(k === 1 ? 1 : 0, 9)
    expect(out.bottomCount).toBe(4)
  })

  test('a foot on level terrain has its corners; on a peak, the peak', () => {
    const size = 21
    const heights = new Float64Array(size * size)
    const terrain: Shape = { type: 'heightfield', rows: size, columns: size, spacing: [0.1, 0.1], heights }
    const foot: Shape = { type: 'box', size: [0.25, 0.12, 0.05] }
    const level = read(fieldAt(terrain, identity, [0, 0, 0]), fieldAt(foot, rotation([0, 0, 1], 0.4), [0.03, 0.04, 0.024]))
    expectUp(level, 1e-3)
    expect(level.bottomCount).toBe(4)
    heights[10 * size + 10] = 0.05
    const peak = read(fieldAt(terrain, identity, [0, 0, 0]), fieldAt(foot, identity, [0.01, 0.01, 0.05 + 0.024]))
    expectUp(peak, 1e-3)
    expect(peak.bottomCount).toBe(1)
    expect(asSet([peak.bottomPoint.subarray(0, 3)])).toEqual(asSet([[0, 0, 0.05]]))
  })
})

describe('laws of every reading', () => {
  const random = createRandom(44)
  const names = Object.keys(randomShapes)
  const pairs = Array.from({ length: trials(120) }, (_, n) => {
    const [s, t] = [n, Math.floor(n / 5)].map((k) => randomShapes[names[k % 5]](random))
    const poses = [randomRotation(random), randomRotation(random)]
    return { s, t, poses, p: turned(randomRotation(random), [0, 0, random.between(0.1, 0.6)]) }
  })
  const middles = (out: PenetrationQuery, R = identity, p: ArrayLike<number> = [0, 0, 0]) =>
    bottomOf(out).map(({ middle }) => Array.from(turned(R, middle), (x, k) => x + p[k]))

  test('B and A read as A and B with the normal turned round', () => {
    let contacts = 0
    for (const { s, t, poses, p } of pairs) {
      const [a, b] = [fieldAt(s, poses[0], [0, 0, 0]), fieldAt(t, poses[1], p)]
      const there = read(a, b)
      const back = read(b, a)
      expect(back.status).toBe(there.status)
      if (there.status === 'apart') continue
      contacts++
      for (let k = 0; k < 3; k++) {
        expect(back.normal[k]).toBeCloseTo(-there.normal[k], 9)
        expect(back.pointA[k]).toBeCloseTo(there.pointB[k], 9)
      }
      expect(back.depth[0]).toBeCloseTo(there.depth[0], 9)
      expect(apart(middles(back), middles(there))).toBeLessThan(1e-8)
    }
    expect(contacts).toBeGreaterThan(trials(60))
  })

  test('a rigid motion of both moves the answer along', () => {
    for (const { s, t, poses, p } of pairs) {
      const [a, b] = [fieldAt(s, poses[0], [0, 0, 0]), fieldAt(t, poses[1], p)]
      const still = read(a, b)
      const R = Float64Array.from(randomRotation(random))
      const by = [1, 2, 3].map(() => random.between(-2, 2))
      const moved = read(placed(a, product(R, poses[0]), by), placed(b, product(R, poses[1]), plus(turned(R, p), by)))
      expect(moved.status).toBe(still.status)
      if (still.status === 'apart') continue
      expect(moved.depth[0]).toBeCloseTo(still.depth[0], 9)
      const normal = turned(R, still.normal)
      for (let k = 0; k < 3; k++) expect(moved.normal[k]).toBeCloseTo(normal[k], 9)
      // the closest features of a cylinder are proven to 1e-9 of its size in depth, and so along its surface to a root of that
      expect(apart(middles(moved), middles(still, R, by))).toBeLessThan(still.path === NormalPath.closest ? 1e-5 : 1e-8)
    }
  })

  test('the same pose gives the same bits, whatever was read before', () => {
    const used = new Float64Array(1)
    for (const { s, t, poses, p } of pairs) {
      const [a, b] = [fieldAt(s, poses[0], [0, 0, 0]), fieldAt(t, poses[1], p)]
      const text = (out: PenetrationQuery) => JSON.stringify([out.status, out.path, Array.from(out.normal), bottomOf(out)])
      const first = text(read(a, b))
      used[0] = 0
      expect(text(read(a, b, used))).toBe(first)
    }
  })

  test('no pose gives NaN or a normal that is none: sizes from 1e-4 to 1e4, vertex on vertex, edge in edge', () => {
    const sizes = [1e-4, 1e-2, 1, 1e2, 1e4]
    for (const sa of sizes) {
      for (const sb of sizes) {
        for (const [k, shift] of [
          [0, [1, 1, 1]],
          [1, [1, 1, 0]],
          [2, [1, 0, 0]],
          [3, [0, 0, 0]],
        ] as const) {
          const scaled = (s: number): Shape => ({ type: 'box', size: [s, s, s] })
          const a = fieldAt(scaled(sa), identity, [0, 0, 0])
          const b = fieldAt(
            scaled(sb),
            k % 2 === 0 ? identity : rotation([0, 0, 1], 0),
            shift.map((x) => 0.5 * x * (sa + sb)),
          )
          const out = read(a, b)
          expect(out.status).toBe(k === 3 ? 'overlapping' : 'touching')
          expect(Math.hypot(...out.normal)).toBeCloseTo(1, 12)
          expect(out.bottomCount).toBeGreaterThan(0)
          for (const { depth, middle } of bottomOf(out)) expect([depth, ...middle].every(Number.isFinite)).toBe(true)
        }
      }
    }
  })
})

test('the signed distance of a prepared shape is that of its closed form or of its mesh', () => {
  const random = createRandom(45)
  const out = new Float64Array(4)
  const facet = new Int32Array(1)
  const exact = new Float64Array(7)
  const feature = new Int32Array(2)
  for (const [shape, polyhedron, slack] of [
    [cube, boxPolyhedron([1, 1, 1]), 1e-12],
    [randomHull(random, 30), undefined, 1e-12],
    // meshes of so many sides lie within the round shape by r (1 - cos(pi / n)), and for the sphere a little more
    ...(['sphere', 'capsule', 'cylinder'] as const).map((type) => {
      const round = { type, radius: 0.5, ...(type !== 'sphere' && { length: 0.6 }) } as Shape & { type: 'capsule' }
      return [round, polyhedralVersion(round, { sides: 128 }), 1e-3] as const
    }),
  ] as const) {
    const field = createFieldShape(shape)
    const solid = polyhedron ?? (shape.type === 'hull' ? shape.polyhedron : boxPolyhedron([1, 1, 1]))
    const tree = meshTreeOf(refineMesh(meshOfPolyhedron(solid), Infinity))
    for (let n = 0; n < trials(200); n++) {
      const x = Float64Array.from([1, 2, 3], () => random.between(-1, 1))
      pointDistance(field, x, out, facet)
      meshDistance(tree, x, exact, feature)
      expect(Math.abs(out[0] - exact[0]), `${shape.type} at ${x.join(' ')}`).toBeLessThan(slack)
      expect(Math.hypot(out[1], out[2], out[3])).toBeCloseTo(1, 12)
      // along the gradient to the surface
      const foot = x.map((value, k) => value - out[0] * out[1 + k])
      const here = out[0]
      pointDistance(field, foot, out, facet)
      if (here > 0) expect(out[0]).toBeCloseTo(0, 9)
    }
  }
})

test('options and shapes that make no sense are refused with a reason', () => {
  expect(() => createFieldShape(cube, { stations: 1 })).toThrow('1 stations along an axis were asked for, expected 2 to 64')
  expect(() => createFieldShape(cube, { maxArea: 0 })).toThrow('expected a positive area')
  const flat: Shape = { type: 'hull', polyhedron: hullOf(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0)) }
  expect(() => createFieldShape(flat)).toThrow('a hull without volume has no inside')
  const open = { vertices: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), triangles: Int32Array.of(0, 1, 2) }
  expect(() => createFieldShape({ type: 'mesh', mesh: open })).toThrow('closed')
})
