import { describe, expect, test } from 'vitest'
import { createFieldShape, type FieldShape, reachAlong } from '../../../contact/detection/manifold/fieldShape.ts'
import { NormalPath } from '../../../contact/detection/penetration/contactNormal.ts'
import { createCollider, type Shape, signedDistance } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { full, trials } from '../../dailyModels.ts'
import {
  dot,
  identity,
  plus,
  product,
  randomHull,
  randomRotation,
  randomShapes,
  randomTriple,
  rotation,
  turned,
} from '../geometry/poses.ts'
import { corners, fieldAt, ground, placed, read, slab, slabAt } from './penaltyScene.ts'

const cube: Shape = { type: 'box', size: [1, 1, 1] }

/** Moves B towards A until they overlap by a depth along the normal between them. */
function pressed(a: FieldShape, b: FieldShape, depth: number): void {
  const out = new Float64Array(10)
  signedDistance(a.collider!, b.collider!, out)
  placed(b, b.R.slice(), plus(b.p, out.subarray(1), -(out[0] + depth)))
}

/** All directions that face normals of two polyhedra give, from A to B. */
function faceNormals(a: FieldShape, b: FieldShape): Float64Array[] {
  return [a, b].flatMap((field, k) =>
    Array.from({ length: field.facetOffsets.length }, (_, f) =>
      turned(field.R, field.facetNormals.subarray(3 * f, 3 * f + 3)).map((x) => (k === 0 ? x : -x)),
    ),
  )
}

/** How far B has to move along n to leave A, by the farthest corners. */
function travelAlong(a: FieldShape, b: FieldShape, n: Float64Array): number {
  const heights = ({ R, p, corners: x }: FieldShape) =>
    Array.from({ length: x.length / 3 }, (_, i) => dot(n, turned(R, x.subarray(3 * i, 3 * i + 3))) + dot(n, p))
  return Math.max(...heights(a)) - Math.min(...heights(b))
}

describe('equation (4)', () => {
  test('of all facets of two polyhedra, the normal is that with the shortest way out', () => {
    const random = createRandom(31)
    const memory = new Float64Array(1)
    let contacts = 0
    for (let n = 0; n < (full ? 5_000 : 140); n++) {
      const [s, t] = [0, 1].map((k) => ((n >> k) % 2 === 0 ? randomShapes.box(random) : randomHull(random, 12)))
      const a = fieldAt(s, randomRotation(random), [0.1, 0.2, 0.3])
      const b = fieldAt(t, randomRotation(random), [0.5, 0.7, 0.2])
      pressed(a, b, random.between(1e-4, 0.15))
      memory[0] = 0
      const out = read(a, b, memory)
      expect(out.status).toBe('overlapping')
      if (out.path === NormalPath.closest) continue
      contacts++
      const best = Math.min(...faceNormals(a, b).map((m) => travelAlong(a, b, m)))
      // facets are flat to 1e-6 of the extent
      expect(out.plane.travel[0] - best).toBeLessThan(1e-6)
      expect(travelAlong(a, b, out.normal) - best).toBeLessThan(1e-6)
      expect(Math.hypot(...out.normal)).toBeCloseTo(1, 12)
    }
    expect(contacts).toBeGreaterThan(full ? 2_500 : 70)
  })

  test('the depth of the deepest point <= the shortest way out <= the way along the normal', () => {
    const random = createRandom(32)
    const distance = new Float64Array(10)
    const names = Object.keys(randomShapes)
    for (let n = 0; n < (full ? 5_000 : 170); n++) {
      const [s, t] = [n, Math.floor(n / 5)].map((k) => randomShapes[names[k % 5]](random))
      if ([s, t].some((shape) => shape.type === 'sphere' && shape.radius < 0.01)) continue
      const a = fieldAt(s, randomRotation(random), [0, 0, 0])
      const b = fieldAt(t, randomRotation(random), [0.6, -0.5, 0.4])
      pressed(a, b, random.between(1e-4, 0.04))
      const out = read(a, b)
      signedDistance(a.collider!, b.collider!, distance)
      expect(out.status, `${s.type} and ${t.type}, pair ${n}`).toBe('overlapping')
      expect(out.distanceDepth[0]).toBeLessThan(-distance[0] + 1e-6)
      expect(out.plane.travel[0]).toBeGreaterThan(-distance[0] - 1e-6)
      for (const x of [...out.normal, ...out.pointA, ...out.pointB, out.depth[0]]) expect(Number.isFinite(x)).toBe(true)
    }
  })

  test('the nearest facet of the deepest point is taken when no point is deeper below it', () => {
    const a = fieldAt(slab, identity, slabAt)
    const b = fieldAt(cube, rotation([1, 2, 0], 0.2), [0.1, 0.2, 0.55])
    const out = read(a, b)
    expect(out.path).toBe(NormalPath.fast)
    expect(Array.from(out.normal)).toEqual([0, 0, 1])
    expect(out.plane.travel[0]).toBeCloseTo(out.distanceDepth[0], 12)
    expect(Array.from(out.paths)).toEqual([1, 0, 0])
  })

  test('boxes stacked a micrometre out of line: their corners are nearest to side walls, but the way out is up', () => {
    const memory = new Float64Array(1)
    for (const options of [corners, {}]) {
      const a = fieldAt(cube, identity, [0, 0, 0], options)
      for (const [x, y] of [
        [1e-6, 0],
        [1e-6, -2e-6],
        [0, 0],
        [-1e-9, 3e-10],
      ]) {
        const b = fieldAt(cube, identity, [x, y, 0.999], options)
        memory[0] = 0
        const out = read(a, b, memory)
        expect(Array.from(out.normal)).toEqual([0, 0, 1])
        expect(out.depth[0]).toBeCloseTo(1e-3, 12)
        if (options === corners) expect(out.path).toBe(NormalPath.full)
      }
    }
  })

  test('a shape swallowed whole comes out by the nearest face', () => {
    const a = fieldAt(cube, identity, [0, 0, 0])
    const out = read(a, fieldAt({ type: 'box', size: [0.2, 0.1, 0.1] }, identity, [0.05, -0.31, 0.1]))
    expect(Array.from(out.normal)).toEqual([0, -1, 0])
    expect(out.plane.travel[0]).toBeCloseTo(0.5 - 0.31 + 0.05, 12)
    const ball = read(a, fieldAt({ type: 'sphere', radius: 0.1 }, identity, [0.05, 0.1, 0.31]))
    expect(Array.from(ball.normal)).toEqual([0, 0, 1])
    expect(ball.plane.travel[0]).toBeCloseTo(0.5 - 0.31 + 0.1, 12)
  })

  test('a peg deep in a plate goes back the way it came, not through', () => {
    const plate = fieldAt({ type: 'box', size: [1, 1, 0.1] }, identity, [0, 0, -0.05])
    const out = read(plate, fieldAt({ type: 'box', size: [0.05, 0.05, 0.4] }, identity, [0, 0, 0.2 - 0.09]))
    expect(Array.from(out.normal)).toEqual([0, 0, 1])
    expect(out.depth[0]).toBeCloseTo(0.09, 12)
  })
})

describe('from step to step', () => {
  /** Corner of a cube in the corner of another, both on the diagonal, but for noise. */
  const cornerInCorner = (
    random: ReturnType<typeof createRandom>,
    a: FieldShape,
    b: FieldShape,
    noise: number,
    memory: Float64Array,
  ) => {
    placed(b, identity, plus([0.95, 0.95, 0.95], randomTriple(random), noise))
    return read(a, b, memory).normal.join()
  }

  test('at a corner, where three facets are as near, the one of the last step stays; without memory it changes', () => {
    const random = createRandom(33)
    const [a, b] = [fieldAt(cube, identity, [0, 0, 0]), fieldAt(cube, identity, [0, 0, 0])]
    const memory = new Float64Array(1)
    const remembered = new Set<string>()
    const fresh = new Set<string>()
    for (let n = 0; n < 1000; n++) {
      remembered.add(cornerInCorner(random, a, b, 1e-4, memory))
      fresh.add(cornerInCorner(random, a, b, 1e-4, new Float64Array(1)))
    }
    expect(remembered.size).toBe(1)
    expect(fresh.size).toBe(3)
  })

  test('another facet takes over when its way is shorter by more than a hundredth', () => {
    const [a, b] = [fieldAt(cube, identity, [0, 0, 0]), fieldAt(cube, identity, [0.95, 0.9, 0.9])]
    const memory = new Float64Array(1)
    expect(Array.from(read(a, b, memory).normal)).toEqual([1, 0, 0])
    placed(b, identity, [0.95, 0.9502, 0.9])
    const kept = read(a, b, memory)
    expect(Array.from(kept.normal)).toEqual([1, 0, 0])
    expect(kept.kept).toBe(true)
    placed(b, identity, [0.95, 0.952, 0.9])
    const changed = read(a, b, memory)
    expect(Array.from(changed.normal)).toEqual([0, 1, 0])
    expect(changed.kept).toBe(false)
  })

  test('contact that ends is forgotten', () => {
    const [a, b] = [fieldAt(cube, identity, [0, 0, 0]), fieldAt(cube, identity, [0.95, 0.9, 0.9])]
    const memory = new Float64Array(1)
    read(a, b, memory)
    expect(memory[0]).not.toBe(0)
    placed(b, identity, [1.01, 0.9, 0.9])
    expect(read(a, b, memory).status).toBe('apart')
    expect(memory[0]).toBe(0)
  })

  test('a box at rest on another keeps normal, depth and four corners of the footprint through jittered poses', () => {
    const random = createRandom(34)
    for (const [size, depth] of [
      [1, 1e-3],
      [1, 1e-5],
      [0.01, 1e-5],
      [100, 1e-3],
    ]) {
      const box: Shape = { type: 'box', size: [size, size, size] }
      const [a, b] = [fieldAt(box, identity, [0, 0, 0]), createFieldShape(box)]
      const memory = new Float64Array(1)
      for (let n = 0; n < trials(250); n++) {
        const noise = () => 0.1 * depth * random.between(-1, 1)
        const tilt = (noise() / size) * 0.5
        placed(b, product(rotation([1, 0, 0], tilt), rotation([0, 1, 0], -tilt)), [noise(), noise(), size - depth])
        const out = read(a, b, memory)
        expect(out.normal[2]).toBeGreaterThan(1 - 1e-6)
        expect(Math.abs(out.depth[0] - depth)).toBeLessThan(0.2 * depth)
        for (const x of [-1, 1]) {
          for (const y of [-1, 1]) {
            const at = (i: number, k: number) => out.bottomPoint[3 * i + k]
            const near = Array.from({ length: out.bottomCount }, (_, i) =>
              Math.hypot(at(i, 0) - 0.5 * size * x, at(i, 1) - 0.5 * size * y),
            )
            // the jitter, and the slide of a tilted box's corner
            expect(Math.min(...near)).toBeLessThan(depth)
          }
        }
      }
    }
  })
})

test('reach along a direction is the support of the shape', () => {
  const random = createRandom(35)
  const reach = new Float64Array(1)
  for (const make of Object.values(randomShapes)) {
    const shape = make(random)
    const field = createFieldShape(shape)
    const collider = createCollider(shape)
    const probe = fieldAt(ground, identity, [0, 0, 0])
    for (let n = 0; n < 20; n++) {
      const n3 = turned(randomRotation(random), [0, 0, 1])
      reachAlong(field, n3, reach)
      // a half-space that faces the shape from beyond measures the same
      const plane = fieldAt({ type: 'halfspace', normal: [-n3[0], -n3[1], -n3[2]], offset: -5 }, identity, [0, 0, 0])
      const out = new Float64Array(10)
      signedDistance(plane.collider!, placed(field, identity, [0, 0, 0]).collider ?? collider, out)
      expect(reach[0]).toBeCloseTo(5 - out[0], 11)
    }
    reachAlong(probe, Float64Array.of(1, 0, 0), reach)
    expect(reach[0]).toBe(Infinity)
  }
})
