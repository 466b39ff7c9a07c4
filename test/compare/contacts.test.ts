/** Readings of pairs against figures worked out by hand, and against each other. */
import { describe, expect, test } from 'vitest'
import type { Contacts, FeatureContact, Vector } from '../../compare/inspect/contactsAt.ts'
import { createRandom } from '../../dynamics/index.ts'
import { ball, blockObj, box, forkObj, type Given, ground, readingsOf, turn } from './contactsPairs.ts'

/** A few roundings of lengths below 1 m. */
const rounding = 1e-14

function expectNear(found: readonly number[] | null | undefined, expected: readonly number[], tolerance = rounding): void {
  expect(found).toHaveLength(expected.length)
  expected.forEach((x, k) => {
    expect(Math.abs(found![k] - x), `${found} is not ${expected}`).toBeLessThan(tolerance)
  })
}

const sorted = (points: readonly Vector[]) =>
  points.map((p) => p.map((x) => Math.round(1e9 * x) / 1e9 + 0)).sort((p, q) => p[0] - q[0] || p[1] - q[1] || p[2] - q[2])

describe('two spheres', () => {
  test('apart: the gap is the distance of the centres less the radii, midway on the line between them', () => {
    const found = readingsOf(ball(0.1), ball(0.05, [0.2, 0, 0]), { margin: 0.1 })
    expectNear([found.distance!], [0.05])
    expectNear(found.normal, [1, 0, 0])
    expectNear(found.pointA, [0.1, 0, 0])
    expectNear(found.pointB, [0.15, 0, 0])
    expect(found.manifold).toHaveLength(1)
    expectNear(found.manifold[0].point, [0.125, 0, 0])
    expectNear([found.manifold[0].gap], [0.05])
  })

  test('apart: the penalty reading and the features are empty and say why', () => {
    const { penalty, features, groups, notes } = readingsOf(ball(0.1), ball(0.05, [0.2, 0, 0]))
    expect({ penalty, features, groups }).toEqual({ penalty: null, features: [], groups: [] })
    expect(notes.penalty).toContain('apart')
    expect(notes.features).toContain('sphere')
    expect(notes.manifold).toContain('margin')
    expect(notes.groups).toBeDefined()
  })

  test('overlapping: the penalty depth is the distance, turned round', () => {
    const { distance, penalty } = readingsOf(ball(0.1), ball(0.05, [0, 0.12, 0]))
    expectNear([distance!, penalty!.deepest.depth], [-0.03, 0.03])
    expectNear(penalty!.normal, [0, 1, 0])
  })

  test('with sides they have features, and the reading says of what', () => {
    const { features, notes } = readingsOf(ball(0.1, [0, 0, 0], { sides: 8 }), box([1, 1, 1], [0, 0, 0.59]))
    expect(features.length).toBeGreaterThan(0)
    expect(notes.features).toBe("A's sphere is read as a polyhedron of 8 sides, inscribed")
  })
})

describe('a box 1 mm deep in the ground', () => {
  const found = readingsOf(ground, box([0.2, 0.1, 0.05], [0, 0, 0.024]))
  const corners = (z: number) => [-0.1, 0.1].flatMap((x) => [-0.05, 0.05].map((y) => [x, y, z]))

  test('closest features: the plane and the face below', () => {
    expectNear([found.distance!], [-0.001])
    expectNear(found.normal, [0, 0, 1])
    expect(found.pointA![2]).toBe(0)
    expect(Math.abs(found.pointB![2] + 0.001)).toBeLessThan(rounding)
    expect(found.closest).toEqual({ a: 'plane', b: 'face 4' })
  })

  test('manifold: four corners, midway', () => {
    expect(sorted(found.manifold.map(({ point }) => point))).toEqual(corners(-0.0005))
    for (const { gap, normal } of found.manifold) expectNear([gap, ...normal], [-0.001, 0, 0, 1])
  })

  test('penalty: four corners on the bottom, of B', () => {
    expect(sorted(found.penalty!.bottom.map(({ point }) => point))).toEqual(corners(-0.001))
    for (const { of, depth } of found.penalty!.bottom) {
      expect(of).toBe('B')
      expectNear([depth], [0.001])
    }
    expectNear(found.penalty!.normal, [0, 0, 1])
    expect(found.penalty!.deepest).toBe(found.penalty!.bottom[0])
  })

  test('features: the plane and each corner below, applicable at the limit', () => {
    expect(sorted(found.features.map(({ point }) => point))).toEqual(corners(-0.0005))
    for (const { kind, a, gap, applicable, applicability } of found.features) {
      expect({ kind, a, applicable }).toEqual({ kind: 'face-vertex', a: 0, applicable: true })
      expectNear([gap, applicability], [-0.001, 0])
    }
    expect(found.features.map(({ b }) => b)).toEqual([0, 1, 2, 3])
  })
})

describe('a cube pressed into a plane has as many points on the bottom as corners there', () => {
  // edges of 0.1 m, so that half the diagonal of a face is 0.0707 m and half that of the cube 0.0866 m
  const cases: [name: string, orientation: number[], height: number, count: number][] = [
    ['face', [0, 0, 0, 1], 0.05, 4],
    ['edge', turn([1, 0, 0], Math.PI / 4), 0.1 * Math.SQRT1_2, 2],
    ['corner', turn([1, -1, 0], Math.acos(1 / Math.sqrt(3))), 0.05 * Math.sqrt(3), 1],
  ]
  for (const [name, orientation, height, count] of cases) {
    test(`${name}: ${count}`, () => {
      const found = readingsOf(ground, box([0.1, 0.1, 0.1], [0, 0, height - 0.005], orientation), { margin: 1e-4 })
      expectNear([found.distance!, found.penalty!.deepest.depth], [-0.005, 0.005])
      expect(found.penalty!.bottom).toHaveLength(count)
      expect(found.manifold).toHaveLength(count)
      expect(found.features.filter(({ applicable }) => applicable)).toHaveLength(count)
    })
  }
})

test('two edges that cross: one point between them, and one pair of edges', () => {
  // roofs of 45 degrees along x and along y; each edge is 0.04 sqrt(2) from its centre
  const up = 2 * 0.04 * Math.SQRT2 + 0.003
  const found = readingsOf(
    box([0.14, 0.08, 0.08], [0, 0, 0], turn([1, 0, 0], Math.PI / 4)),
    box([0.08, 0.14, 0.08], [0, 0, up], turn([0, 1, 0], Math.PI / 4)),
    { margin: 0.005 },
  )
  expectNear([found.distance!], [0.003])
  expectNear(found.normal, [0, 0, 1])
  expect(found.closest).toEqual({ a: expect.stringMatching(/^edge /), b: expect.stringMatching(/^edge /) })
  expect(found.manifold).toHaveLength(1)
  expectNear(found.manifold[0].point, [0, 0, 0.5 * up])
  expect(found.features.map(({ kind, applicable }) => ({ kind, applicable }))).toEqual([{ kind: 'edge-edge', applicable: true }])
  expectNear(found.features[0].point, [0, 0, 0.5 * up])
  expectNear([found.features[0].gap], [0.003])
})

test('a half-space may be given by a normal of any length, and be turned and moved', () => {
  const resting = readingsOf({ shape: { type: 'halfspace', normal: [0, 0, 4], offset: 2 } }, ball(0.1, [0, 0, 0.7]))
  expectNear([resting.distance!], [0.1])
  const wall: Given = { shape: ground.shape, position: [0.3, 0, 0], orientation: turn([0, 1, 0], Math.PI / 2) }
  const beside = readingsOf(wall, ball(0.1, [0.45, 0.2, 0]), { margin: 0.1 })
  expectNear([beside.distance!, beside.manifold[0].gap], [0.05, 0.05])
  expectNear(beside.normal, [1, 0, 0])
  expectNear(beside.manifold[0].point, [0.325, 0.2, 0])
})

describe('meshes', () => {
  test('a convex mesh is read as its hull: a block as a box', () => {
    const block: Given = { shape: { type: 'mesh', file: 'block.obj' }, position: [-0.1, -0.05, -0.001] }
    const mesh = readingsOf(ground, block, {}, { 'block.obj': blockObj([0.2, 0.1, 0.05]) })
    const plain = readingsOf(ground, box([0.2, 0.1, 0.05], [0, 0, 0.024]))
    expectNear([mesh.distance!], [plain.distance!])
    for (const of of ['manifold', 'features'] as const) {
      const points = (contacts: Contacts) => sorted(contacts[of].map(({ point }) => point))
      expect(points(mesh)).toEqual(points(plain))
    }
    expect(sorted(mesh.penalty!.bottom.map(({ point }) => point))).toEqual(
      sorted(plain.penalty!.bottom.map(({ point }) => point)),
    )
  })

  const fork: Given = { shape: { type: 'mesh', file: 'fork.obj' } }
  const files = { 'fork.obj': forkObj }

  test('one that is not convex touches the ground where its hull does', () => {
    const found = readingsOf(ground, { ...fork, position: [0, 0, -0.1] }, {}, files)
    expectNear([found.distance!, found.penalty!.deepest.depth], [-0.1, 0.1])
    expect(found.manifold).toHaveLength(4)
    expect(found.notes.features).toContain('not convex')
  })

  test('a box between the prongs of a fork is in none of them: only its depth in the base counts', () => {
    const found = readingsOf(box([0.8, 0.8, 0.8], [1.5, 0.5, 1.35]), fork, {}, files)
    expect(found).toMatchObject({ distance: null, normal: null, pointA: null, pointB: null, closest: null, manifold: [] })
    for (const reading of ['distance', 'manifold', 'features'] as const) expect(found.notes[reading]).toContain('not convex')
    expectNear([found.penalty!.deepest.depth], [0.05])
    expectNear(found.penalty!.normal, [0, 0, -1])
  })
})

/** A random unit quaternion and box. */
const random = createRandom(11)
const number = (low: number, high: number) => low + (high - low) * random.next()
const anyTurn = () => turn([number(-1, 1), number(-1, 1), number(-1, 1)], number(0, Math.PI))
const anyBox = (reach: number) =>
  box(
    [number(0.5, 1), number(0.5, 1), number(0.5, 1)],
    [number(-reach, reach), number(-reach, reach), number(-reach, reach)],
    anyTurn(),
  )

test('readings agree: where boxes overlap, the greatest gap of the features that are applicable is the distance', () => {
  let overlapping = 0
  for (let i = 0; i < 100; i++) {
    const { distance, features } = readingsOf(anyBox(0.4), anyBox(0.4), { epsilon: 0 })
    if (!(distance! < -0.01)) continue
    overlapping++
    const gaps = features.filter(({ applicable }) => applicable).map(({ gap }) => gap)
    expect(Math.abs(Math.max(...gaps) - distance!)).toBeLessThan(1e-12) // both exact to rounding
  }
  expect(overlapping).toBeGreaterThan(50)
})

describe('swapping the bodies turns normals round and changes nothing else', () => {
  const flip = (n: readonly number[] | null) => n!.map((x) => 0 - x)
  const other = { 'vertex-face': 'face-vertex', 'face-vertex': 'vertex-face', 'edge-edge': 'edge-edge' } as const
  const key = ({ kind, a, b }: Pick<FeatureContact, 'kind' | 'a' | 'b'>) => `${kind} ${a} ${b}`
  const pairs: [name: string, a: Given, b: Given][] = [
    ['box, ground', box([0.2, 0.1, 0.05], [0, 0, 0.024]), ground],
    ['cylinder, sphere', { shape: { type: 'cylinder', radius: 0.1, length: 0.2, sides: 8 } }, ball(0.1, [0.15, 0.01, 0.05])],
    ...Array.from({ length: 20 }, (_, i): [string, Given, Given] => [`random boxes ${i}`, anyBox(0.3), anyBox(0.3)]),
  ]
  for (const [name, a, b] of pairs) {
    test(name, () => {
      const there = readingsOf(a, b)
      const back = readingsOf(b, a)
      expect(back.distance).toBe(there.distance)
      expectNear(back.normal, flip(there.normal))
      expectNear(back.pointA, there.pointB!)
      expectNear(back.pointB, there.pointA!)
      const points = ({ manifold }: Contacts) => sorted(manifold.map(({ point }) => point))
      expect(points(back)).toEqual(points(there))
      for (const { normal } of back.manifold) expectNear(normal, flip(there.manifold[0].normal))
      expect(back.penalty === null).toBe(there.penalty === null)
      if (there.penalty !== null) {
        expectNear(back.penalty!.normal, flip(there.penalty.normal))
        expectNear([back.penalty!.deepest.depth], [there.penalty.deepest.depth], 1e-12)
        expect(back.penalty!.bottom).toHaveLength(there.penalty.bottom.length)
      }
      const kept = new Map(there.features.map((f) => [key(f), f]))
      expect(back.features).toHaveLength(kept.size)
      for (const { kind, a: i, b: j, gap, normal, applicable } of back.features) {
        const same = kept.get(key({ kind: other[kind], a: j, b: i }))!
        expect(same.applicable).toBe(applicable)
        expectNear([same.gap], [gap])
        expectNear(same.normal, flip(normal))
      }
    })
  }
})

describe('groups', () => {
  const indices = ({ groups }: Contacts, rule: string) =>
    groups.filter((group) => group.rule === rule).map(({ kind, members }) => [kind, members.map(({ contacts }) => contacts)])

  test('a small box on a large one: each corner below by itself, by both rules', () => {
    const found = readingsOf(box([1, 1, 0.1], [0, 0, -0.05]), box([0.1, 0.1, 0.1], [0, 0, 0.051]), { margin: 0.005 })
    for (const rule of ['exact', 'literal']) {
      expect(indices(found, rule)).toEqual([0, 1, 2, 3].map((i) => ['unilateral', [[i]]]))
    }
  })

  test('a corner over an edge may go past either side: one constraint, all of whose contacts are applicable features', () => {
    // a cube on its tip beside the upper edge of another
    const tip = turn([1, -1, 0], Math.acos(1 / Math.sqrt(3)))
    const found = readingsOf(box([1, 1, 1], [0, 0, -0.5]), box([0.2, 0.2, 0.2], [0.501, 0, 0.1 * Math.sqrt(3) - 0.002], tip), {
      margin: 0.01,
    })
    const exact = found.groups.filter(({ rule }) => rule === 'exact')
    expect(exact.map(({ kind }) => kind)).toEqual(['inter'])
    for (const { pushes, contacts } of exact[0].members) {
      expect(pushes).toBe(true)
      for (const i of contacts) expect(found.features[i].applicable).toBe(true)
    }
    // its greatest gap is the distance along the direction that parts the boxes best, as the features tell it
    const gaps = exact[0].members.map(({ contacts }) => Math.min(...contacts.map((i) => found.features[i].gap)))
    const best = found.features.filter(({ applicable }) => applicable).map(({ gap }) => gap)
    expect(Math.max(...gaps)).toBe(Math.max(...best))
  })
})

test('the answer has the shape that people build on', () => {
  const found = readingsOf(box([0.1, 0.1, 0.1]), box([0.1, 0.1, 0.1], [0.02, 0, 0.099]))
  const vector = [expect.any(Number), expect.any(Number), expect.any(Number)]
  const deep = { point: vector, of: expect.stringMatching(/^[AB]$/), depth: expect.any(Number) }
  expect(found).toEqual({
    distance: expect.any(Number),
    normal: vector,
    pointA: vector,
    pointB: vector,
    closest: { a: expect.any(String), b: expect.any(String) },
    manifold: expect.arrayContaining([{ point: vector, gap: expect.any(Number), normal: vector, id: expect.any(Number) }]),
    penalty: { deepest: deep, normal: vector, bottom: expect.arrayContaining([deep]) },
    features: expect.arrayContaining([
      {
        kind: expect.stringMatching(/^(vertex-face|face-vertex|edge-edge)$/),
        a: expect.any(Number),
        b: expect.any(Number),
        point: vector,
        normal: vector,
        gap: expect.any(Number),
        aside: expect.any(Number),
        applicable: true,
        applicability: expect.any(Number),
      },
    ]),
    groups: expect.arrayContaining([
      {
        rule: expect.stringMatching(/^(exact|literal)$/),
        kind: expect.stringMatching(/^(unilateral|inter|cross)$/),
        members: expect.arrayContaining([{ pushes: true, contacts: expect.arrayContaining([expect.any(Number)]) }]),
      },
    ]),
    notes: {},
  })
  expect(JSON.parse(JSON.stringify(found))).toEqual(found) // nothing is lost on the way out
})
