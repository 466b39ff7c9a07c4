import { describe, expect, test } from 'vitest'
import {
  boxPolyhedron,
  type Collider,
  closedMesh,
  hullOf,
  meshOfPolyhedron,
  type PlacedShape,
  polyhedralVersion,
  type Shape,
  signedDistance,
} from '../../../contact/geometry/index.ts'
import { constraintKind, type DetectorOptions, type FeatureReading, readFeatures } from '../../../contact/index.ts'
import { createFeatureBody } from '../../../contact/peg/features/featureBody.ts'
import { FeatureContactSet, featureKind, featureLimits } from '../../../contact/peg/features/featureContactSet.ts'
import { featureContacts } from '../../../contact/peg/features/featureContacts.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { Crowd } from '../detection/crowd.ts'
import { contactsOf, fixedBox, ground, Scene } from '../detection/scene.ts'
import { exactSeparation } from '../geometry/exactOverlap.ts'
import { colliderAt, dot, identity, origin, randomRotation, randomShapes, randomUnit } from '../geometry/poses.ts'
import { rules } from './constraintScene.ts'
import { randomNearPair } from './featureScene.ts'

const exact: FeatureReading = { rule: rules.exact, epsilon: 0.01 }
const reading = (changes: Partial<FeatureReading> = {}): DetectorOptions => ({
  reading: 'features',
  features: readFeatures({ ...exact, ...changes }),
})

const fixed = (shape: Shape, R: Float64Array, p: Float64Array): PlacedShape => ({ name: 'fixed', body: 0, shape, R, p })

/** What is looked ahead of bodies at rest in one step: g dt² and the slack. */
const marginOf = (dt: number) => 9.81 * dt * dt + 1e-4

/** The greatest gap of the contacts that are applicable but for rounding. */
function largestGap({ count, gap, applicability }: FeatureContactSet): number {
  let largest = -Infinity
  for (let c = 0; c < count; c++) if (applicability[c] >= -1e-9) largest = Math.max(largest, gap[c])
  return largest
}

/** 0.07 s at rest look 4.8 cm ahead. */
const horizon = 0.07

describe('two polyhedra', () => {
  const random = createRandom(701)
  const pairs = Array.from({ length: trials(150) }, () => randomNearPair(random))

  const sceneOf = ([a, b]: readonly [Collider, Collider], options: DetectorOptions) =>
    new Scene(b.shape, [fixed(a.shape, a.R.slice(), a.p.slice())], options)

  test('have the feature contacts that a search of their own finds, in its order', () => {
    let compared = 0
    for (const [a, b] of pairs) {
      const found = sceneOf([a, b], reading({ rule: rules.lnc })).detect(b.R, b.p, horizon)
      const direct = new FeatureContactSet()
      const margin = marginOf(horizon)
      featureContacts(createFeatureBody(a), createFeatureBody(b), featureLimits({ margin, epsilon: 0.01 }), direct)
      // deeper ones are listed up to a depth of the detector's own
      if (exactSeparation(a, b) < -margin || exactSeparation(a, b) > margin) continue
      // where none is applicable but by the relaxation, it looks deeper too
      if (!(largestGap(found) > -margin)) continue
      expect(found.count).toBeGreaterThanOrEqual(direct.count)
      if (found.count > direct.count) continue
      compared++
      for (let c = 0; c < found.count; c++) {
        expect(found.feature[c]).toBe(direct.feature[c])
        expect(found.kind[c]).toBe(direct.kind[c])
        expect(found.featureA[c]).toBe(direct.featureA[c])
        expect(found.featureB[c]).toBe(direct.featureB[c])
        expect(found.gap[c]).toBe(direct.gap[c])
        expect(found.aside[c]).toBe(direct.aside[c])
        expect(found.applicability[c]).toBe(direct.applicability[c])
        expect(found.role[c]).toBe(0)
        expect(found.bodyA[c]).toBe(0)
        expect(found.bodyB[c]).toBe(1)
        for (let k = 0; k < 3; k++) {
          expect(found.normal[3 * c + k]).toBe(direct.normal[3 * c + k])
          expect(found.point[3 * c + k]).toBe(direct.point[3 * c + k])
        }
      }
    }
    expect(compared).toBeGreaterThan(trials(60))
  })

  test('are apart by the greatest gap of what is applicable only if every direction parts them, and else as deep as it says', () => {
    let overlaps = 0
    for (const [a, b] of pairs) {
      const margin = marginOf(horizon)
      const found = sceneOf([a, b], reading()).detect(b.R, b.p, horizon)
      const parted = exactSeparation(a, b)
      if (parted > margin + 1e-9) continue
      // what nearly parallel edges are left out for: 1e-3 epsilon times 1 m
      if (parted < -1e-5) expect(Math.abs(largestGap(found) - parted)).toBeLessThan(1e-5)
      if (parted > 1e-5) expect(largestGap(found) > 0 || found.count === 0).toBe(true)
      if (parted < 0) overlaps++
    }
    expect(overlaps).toBeGreaterThan(trials(30))
  })

  test('beyond the margin have none; within it some', () => {
    const out = new Float64Array(10)
    for (const pair of pairs) {
      const [a, b] = pair
      signedDistance(a, b, out)
      const { count } = sceneOf(pair, reading()).detect(b.R, b.p, horizon)
      if (out[0] > marginOf(horizon) + 1e-9) expect(count).toBe(0)
      if (out[0] < marginOf(horizon) - 1e-9) expect(count).toBeGreaterThan(0)
    }
  })

  test('deep in each other keep the shallowest way out', () => {
    const out = new Float64Array(10)
    for (let n = 0; n < 60; n++) {
      const shapes = [randomShapes.hull(random), randomShapes.box(random)]
      const R = randomRotation(random)
      const p = randomUnit(random).map((x) => 0.1 * x)
      const a = colliderAt(shapes[0], identity, origin)
      const b = colliderAt(shapes[1], R, p)
      signedDistance(a, b, out)
      expect(out[0]).toBeLessThan(0)
      const found = new Scene(shapes[1], [fixed(shapes[0], identity, origin)], reading()).detect(R, p, 1e-3)
      expect(Math.abs(largestGap(found) - out[0])).toBeLessThan(1e-5)
      // and no way that leads farther than through the whole body
      for (let c = 0; c < found.count; c++) expect(found.gap[c]).toBeGreaterThan(4 * out[0] - 1)
    }
  })

  test('have unit normals with right-handed tangents, and points midway between features that face each other', () => {
    const [n, t1, t2] = [0, 0, 0].map(() => new Float64Array(3))
    for (const [a, b] of pairs.slice(0, 60)) {
      const found = sceneOf([a, b], reading()).detect(b.R, b.p, horizon)
      for (let c = 0; c < found.count; c++) {
        for (let k = 0; k < 3; k++) {
          n[k] = found.normal[3 * c + k]
          t1[k] = found.tangent1[3 * c + k]
          t2[k] = found.tangent2[3 * c + k]
        }
        expect(dot(n, n)).toBeCloseTo(1, 12)
        expect(dot(t1, t1)).toBeCloseTo(1, 12)
        expect(dot(n, t1)).toBeCloseTo(0, 12)
        for (let k = 0; k < 3; k++) {
          expect(t2[k]).toBeCloseTo(n[(k + 1) % 3] * t1[(k + 2) % 3] - n[(k + 2) % 3] * t1[(k + 1) % 3], 12)
        }
      }
    }
  })

  test('large ones are searched across the gulf that their distance shows, and lose nothing by it', () => {
    // 60 vertices on 110 faces each are more than all faces are tried for; a search without limits looks at every pair
    const round = (seed: number): Shape => {
      const own = createRandom(seed)
      const points = new Float64Array(180)
      for (let i = 0; i < 60; i++) points.set(randomUnit(own), 3 * i)
      return { type: 'hull', polyhedron: hullOf(points) }
    }
    const shapes = [round(1), round(2)]
    for (let n = 0; n < trials(20); n++) {
      const [R, S] = [randomRotation(random), randomRotation(random)]
      const direction = randomUnit(random)
      const a = colliderAt(shapes[0], R, origin)
      const p = direction.map((x) => 1.95 * x)
      const b = colliderAt(shapes[1], S, p)
      const all = new FeatureContactSet()
      const margin = marginOf(horizon)
      featureContacts(createFeatureBody(a), createFeatureBody(b), featureLimits({ margin, depth: 10, epsilon: 0.01 }), all)
      const found = new Scene(shapes[1], [fixed(shapes[0], R, origin)], reading({ rule: rules.lnc })).detect(S, p, horizon)
      const ids = new Set(found.feature.subarray(0, found.count))
      let expected = 0
      for (let c = 0; c < all.count; c++) {
        if (!(all.gap[c] >= -margin)) continue
        expected++
        expect(ids.has(all.feature[c])).toBe(true)
      }
      if (exactSeparation(a, b) > margin) expect(found.count).toBe(0)
      else expect(expected).toBeGreaterThan(0)
    }
  })
})

describe('on a half-space', () => {
  test('a box and a hull have the vertices that their manifold has, each a unilateral constraint', () => {
    const random = createRandom(702)
    for (let n = 0; n < 100; n++) {
      const shape = n % 2 === 0 ? randomShapes.box(random) : randomShapes.hull(random)
      const R = randomRotation(random)
      const p = [0, 0, random.between(0, 0.4)]
      const found = new Scene(shape, [ground], reading()).detect(R, p, horizon)
      const expected = new Scene(shape, [ground]).detect(R, p, horizon)
      // of more a hull keeps 8 at most there
      if (found.count <= 8) expect(contactsOf(found)).toEqual(contactsOf(expected))
      expect(found.constraints.count).toBe(found.count)
      for (let c = 0; c < found.count; c++) {
        expect(found.constraints.kind[c]).toBe(constraintKind.unilateral)
        expect(found.constraints.contact[c]).toBe(c)
        expect(found.kind[c]).toBe(featureKind.faceVertex)
        expect(found.featureB[c]).toBe(found.feature[c])
      }
    }
  })

  test('a vertex of a tilted box is applicable by the sine at which its lowest edge rises', () => {
    const angle = 0.1
    const R = Float64Array.of(1, 0, 0, 0, Math.cos(angle), -Math.sin(angle), 0, Math.sin(angle), Math.cos(angle))
    const size = [0.4, 0.4, 0.4] as const
    const found = new Scene({ type: 'box', size }, [ground], reading()).detect(R, [0, 0, 0.2], 0.1)
    const gaps = [...found.gap.subarray(0, found.count)]
    const lowest = Math.min(...gaps)
    expect(found.count).toBe(4)
    gaps.forEach((gap, c) => {
      // along x the edges are level; along y they rise from the lowest two and fall from the others
      expect(found.applicability[c]).toBeCloseTo(gap < lowest + 1e-9 ? 0 : -Math.sin(angle), 12)
    })
  })

  test('round shapes lie as they are, to the bit', () => {
    const random = createRandom(703)
    for (const kind of ['sphere', 'capsule', 'cylinder', 'rounded box']) {
      for (let n = 0; n < 20; n++) {
        const shape = randomShapes[kind](random)
        const R = randomRotation(random)
        const p = [0, 0, random.between(0, 0.3)]
        const found = new Scene(shape, [ground], reading()).detect(R, p, horizon)
        expect(contactsOf(found)).toEqual(contactsOf(new Scene(shape, [ground]).detect(R, p, horizon)))
        expect(found.constraints.count).toBe(found.count)
        for (let c = 0; c < found.count; c++) expect([found.aside[c], found.applicability[c]]).toEqual([0, 1])
      }
    }
  })
})

describe('what has no features', () => {
  const flat: Shape = {
    type: 'hull',
    polyhedron: hullOf(Float64Array.of(-0.3, -0.3, 0, 0.3, -0.3, 0, 0.3, 0.3, 0, -0.3, 0.3, 0)),
  }
  const block: Shape = { type: 'mesh', mesh: meshOfPolyhedron(boxPolyhedron([1, 1, 1])) }
  const heights = new Float64Array(25)
  const field: Shape = { type: 'heightfield', rows: 5, columns: 5, spacing: [0.5, 0.5], heights }

  test.each<[string, Shape, PlacedShape, number?]>([
    ['a hull without volume', flat, fixedBox('box', [1, 1, 1], [0, 0, -0.5]), 5e-5],
    ['a fixed mesh', { type: 'box', size: [0.2, 0.3, 1e-3] }, fixed(block, identity, Float64Array.of(0, 0, -0.5))],
    ['a height field', { type: 'box', size: [0.2, 0.3, 1e-3] }, fixed(field, identity, origin)],
  ])('%s keeps its manifold, each point a unilateral constraint', (_, shape, fixture, height = 5e-4) => {
    const p = [0.01, 0.02, height]
    const found = new Scene(shape, [fixture], reading()).detect(identity, p, 1e-3)
    const expected = new Scene(shape, [fixture]).detect(identity, p, 1e-3)
    expect(found.count).toBeGreaterThan(0)
    expect(contactsOf(found)).toEqual(contactsOf(expected))
    expect(found.constraints.count).toBe(found.count)
  })

  test('a mesh of the robot lies on a half-space by its hull', () => {
    const mesh: Shape = {
      type: 'mesh',
      mesh: closedMesh(boxPolyhedron([1, 1, 1]).vertices, meshOfPolyhedron(boxPolyhedron([1, 1, 1])).triangles),
    }
    const found = new Scene(mesh, [ground], reading()).detect(identity, [0, 0, 0.5], 1e-3)
    expect(found.count).toBe(4)
    expect(found.constraints.count).toBe(4)
  })
})

describe('a curved shape', () => {
  const curved = ['sphere', 'capsule', 'cylinder', 'rounded box'] as const
  test.each(curved)('%s against any shape has its manifold, each point a unilateral constraint', (kind) => {
    const random = createRandom(704)
    const seen: Record<string, number> = {}
    for (let n = 0; n < trials(300); n++) {
      const shape = randomShapes[kind](random)
      const other = Object.keys(randomShapes)[n % Object.keys(randomShapes).length]
      const fixture = fixed(randomShapes[other](random), randomRotation(random), origin)
      const R = randomRotation(random)
      const p = randomUnit(random).map((x) => x * random.between(0.2, 0.8))
      const found = new Scene(shape, [fixture], reading()).detect(R, p, horizon)
      expect(contactsOf(found)).toEqual(contactsOf(new Scene(shape, [fixture]).detect(R, p, horizon)))
      expect(found.constraints.count).toBe(found.count)
      for (let c = 0; c < found.count; c++) expect([found.applicability[c], found.ofCurved[c]]).toEqual([1, 1])
      if (found.count > 0) seen[other] = (seen[other] ?? 0) + 1
    }
    for (const other of Object.keys(randomShapes)) expect(seen[other]).toBeGreaterThan(3)
  })
})

describe('a hull of many faces', () => {
  test.each<[string, Shape & { type: 'sphere' | 'cylinder' }]>([
    ['a ball', { type: 'sphere', radius: 0.2 }],
    ['a wheel', { type: 'cylinder', radius: 0.2, length: 0.1 }],
  ])('%s of flat faces about a box has what a search of all its faces and edges finds, to the bit', (_, shape) => {
    const random = createRandom(707)
    const hull: Shape = { type: 'hull', polyhedron: polyhedralVersion(shape, { sides: 16 }) }
    const box = fixedBox('box', [1, 1, 1], [0, 0, 0])
    const scene = new Scene(hull, [box], reading({ rule: rules.lnc }))
    const margin = marginOf(horizon)
    const limits = featureLimits({ margin, epsilon: 0.01 })
    const fixture = createFeatureBody(colliderAt(box.shape, identity, origin))
    const all = new FeatureContactSet()
    const seen = { onFace: 0, aboutEdge: 0 }
    for (let n = 0; n < trials(400); n++) {
      const R = randomRotation(random)
      // on top, and in two of five about an edge
      const y = n % 5 < 2 ? random.between(0.5, 0.7) : random.between(-0.3, 0.3)
      const p = [random.between(-0.3, 0.3), y, random.between(0.5, 0.75)]
      const body = colliderAt(hull, R, p)
      featureContacts(fixture, createFeatureBody(body), limits, all)
      const found = scene.detect(R, p, horizon)
      // deeper ones are listed up to a depth of the detector's own
      if (found.count > 0 && largestGap(found) < -margin) continue
      expect(found.feature.slice(0, found.count)).toEqual(all.feature.slice(0, all.count))
      expect(found.gap.slice(0, found.count)).toEqual(all.gap.slice(0, all.count))
      expect(found.aside.slice(0, found.count)).toEqual(all.aside.slice(0, all.count))
      expect(found.applicability.slice(0, found.count)).toEqual(all.applicability.slice(0, all.count))
      expect(found.point.slice(0, 3 * found.count)).toEqual(all.point.slice(0, 3 * all.count))
      expect(found.normal.slice(0, 3 * found.count)).toEqual(all.normal.slice(0, 3 * all.count))
      if (found.count > 0 && y < 0.5) seen.onFace++
      if (found.count > 0 && y > 0.5) seen.aboutEdge++
    }
    expect(seen.onFace).toBeGreaterThan(trials(30))
    expect(seen.aboutEdge).toBeGreaterThan(trials(30))
  })
})

describe('a crowd of all shapes', () => {
  const crowdOf = (features: Partial<FeatureReading> = {}) => new Crowd(24, 705, reading(features))

  test('has the same contacts to the bit in the same places, however it came there', () => {
    const [one, two] = [crowdOf(), crowdOf()]
    for (let n = 0; n < 10; n++) {
      one.move(0.02)
      two.move(0.02)
      one.detect(0.01)
    }
    const first = one.detect(0.01)
    const second = two.detect(0.01)
    expect(first.count).toBeGreaterThan(10)
    expect(second.count).toBe(first.count)
    const again = crowdOf().contacts
    again.copy(first)
    const third = one.detect(0.01)
    for (const name of [
      'bodyA',
      'bodyB',
      'pair',
      'feature',
      'kind',
      'featureA',
      'featureB',
      'gap',
      'aside',
      'applicability',
    ] as const) {
      expect(third[name].subarray(0, third.count)).toEqual(again[name].subarray(0, again.count))
      expect(second[name].subarray(0, second.count)).toEqual(again[name].subarray(0, again.count))
    }
    for (const name of ['point', 'normal', 'tangent1', 'tangent2'] as const) {
      expect(third[name].subarray(0, 3 * third.count)).toEqual(again[name].subarray(0, 3 * again.count))
    }
    expect(third.constraints.count).toBe(again.constraints.count)
  })

  test('has each pair of two bodies in the order of their numbers, and all contacts in that of pair and feature within it', () => {
    const crowd = crowdOf()
    const found = crowd.detect(0.01)
    for (let c = 0; c < found.count; c++) {
      expect(found.bodyA[c]).toBeLessThan(found.bodyB[c])
      if (c > 0 && found.pair[c] === found.pair[c - 1]) expect(found.feature[c]).toBeGreaterThan(found.feature[c - 1])
    }
  })

  test('touches where the manifold says that it does, of all shapes', () => {
    const crowd = new Crowd(30, 706, reading())
    const other = new Crowd(30, 706, {})
    let pairs = 0
    for (let n = 0; n < 20; n++) {
      crowd.move(0.05)
      other.move(0.05)
      const features = crowd.detect(0.005)
      const manifold = other.detect(0.005)
      const inFeatures = new Set(features.pair.subarray(0, features.count))
      const inManifold = new Set(manifold.pair.subarray(0, manifold.count))
      expect([...inFeatures].sort((a, b) => a - b)).toEqual([...inManifold].sort((a, b) => a - b))
      pairs += inFeatures.size
    }
    expect(pairs).toBeGreaterThan(100)
  })

  test('every constraint names contacts that are there', () => {
    for (const rule of [rules.exact, rules.literal, rules.lnc, rules.unilateral]) {
      const { constraints, count } = crowdOf({ rule }).detect(0.01)
      expect(constraints.count).toBeGreaterThan(0)
      for (let g = 0; g < constraints.count; g++) {
        expect(constraints.disjunctStart[g + 1]).toBeGreaterThan(constraints.disjunctStart[g])
      }
      for (let k = 0; k < constraints.contactStart[constraints.disjunctCount]; k++) {
        expect(constraints.contact[k]).toBeLessThan(count)
      }
    }
  })
})
