/*
 * Boxes with rounded edges beside what they are made of: the balls at the corners of the core, the core itself, integrals and capsules.
 */
import { describe, expect, test } from 'vitest'
import { createFieldShape, pointDistance } from '../../../contact/detection/index.ts'
import {
  boxPolyhedron,
  checkShape,
  closedMesh,
  meshOfPolyhedron,
  type PlacedShape,
  polyhedralVersion,
  RayTarget,
  type Shape,
  solidOf,
  supportPoint,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { createFreeBody, type Robot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { trials } from '../../dailyModels.ts'
import { solid } from '../../dynamics/bodies.ts'
import { bruteForceDistance } from '../geometry/bruteForce.ts'
import {
  colliderAt,
  distanceOf,
  dot,
  identity,
  origin,
  plus,
  randomRotation,
  randomUnit,
  rotation,
  scaled,
  turned,
} from '../geometry/poses.ts'
import { floating, makeRobot, run } from '../laws/scenes.ts'
import { type Contact, contactsOf, fixedBox, ground, Scene } from './scene.ts'

type Three = readonly [number, number, number]
type RoundedBox = Extract<Shape, { type: 'box' }> & { readonly rounding: number }
type Random = ReturnType<typeof createRandom>

const randomSize = (random: Random): Three => [random.between(0.2, 1), random.between(0.2, 1), random.between(0.2, 1)]
function randomBox(random: Random): RoundedBox {
  const size = randomSize(random)
  return { type: 'box', size, rounding: random.between(0.02, 0.45) * Math.min(...size) }
}
const innerSize = ({ size, rounding }: RoundedBox) => size.map((x) => x - 2 * rounding) as unknown as Three
const inner = (shape: RoundedBox): Shape => ({ type: 'box', size: innerSize(shape) })
/** Corners of the core, numbered as those of a box. */
const corners = (shape: RoundedBox): Three[] =>
  Array.from({ length: 8 }, (_, i) => innerSize(shape).map((x, k) => ((i >> k) & 1 ? 0.5 : -0.5) * x) as unknown as Three)
const fixed = (shape: Shape, R: Float64Array = identity, p: ArrayLike<number> = origin): PlacedShape => ({
  name: 'fixture',
  body: 0,
  shape,
  R,
  p: Float64Array.from(p),
})

describe('mass', () => {
  /** Volume and ∫ x², by columns along x over a grid of the section across it. */
  function columns([a, b, c]: Three, r: number, n: number): [number, number] {
    let volume = 0
    let second = 0
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const y = Math.max(0, ((i + 0.5) / n) * 0.5 * b - (0.5 * b - r))
        const z = Math.max(0, ((j + 0.5) / n) * 0.5 * c - (0.5 * c - r))
        if (y * y + z * z > r * r) continue
        const half = 0.5 * a - r + Math.sqrt(r * r - y * y - z * z)
        volume += (2 * half * b * c) / (n * n)
        second += ((2 / 3) * half * half * half * b * c) / (n * n)
      }
    }
    return [volume, second]
  }

  test('volume and inertia are those of numerical integration', () => {
    for (const [[a, b, c], r] of [
      [[0.3, 0.4, 0.7], 0.1],
      [[0.3, 0.4, 0.7], 0.15],
      [[0.5, 0.2, 0.2], 0.02],
    ] as const) {
      const { volume, inertia } = solidOf({ type: 'box', size: [a, b, c], rounding: r })
      const [V, x] = columns([a, b, c], r, 2000)
      const y = columns([b, a, c], r, 2000)[1]
      const z = columns([c, a, b], r, 2000)[1]
      // the grid's error at the border falls with n^-1.5
      expect(volume / V).toBeCloseTo(1, 5)
      for (const [k, value] of [y + z, x + z, x + y].entries()) expect(inertia[k] / value).toBeCloseTo(1, 5)
      expect(inertia.slice(3)).toEqual([0, 0, 0])
    }
  })

  test('all rounding, it is a ball or a capsule; without, the box to the bit', () => {
    const cases: [Shape, Shape][] = [
      [
        { type: 'box', size: [0.4, 0.4, 0.4], rounding: 0.2 },
        { type: 'sphere', radius: 0.2 },
      ],
      [
        { type: 'box', size: [0.4, 0.4, 1], rounding: 0.2 },
        { type: 'capsule', radius: 0.2, length: 0.6 },
      ],
    ]
    for (const [one, other] of cases) {
      expect(solidOf(one).volume / solidOf(other).volume).toBeCloseTo(1, 13)
      for (let k = 0; k < 3; k++) expect(solidOf(one).inertia[k] / solidOf(other).inertia[k]).toBeCloseTo(1, 13)
    }
    const size = [0.3, 0.4, 0.7] as const
    expect(solidOf({ type: 'box', size, rounding: 0 })).toEqual(solidOf({ type: 'box', size }))
  })

  test('polyhedra inscribed come near it, faces flush; circumscribed is the box', () => {
    const shape: RoundedBox = { type: 'box', size: [0.3, 0.4, 0.7], rounding: 0.1 }
    const lack = (sides: number) =>
      1 - solidOf({ type: 'hull', polyhedron: polyhedralVersion(shape, { sides }) }).volume / solidOf(shape).volume
    expect(lack(16)).toBeGreaterThan(0)
    expect(lack(16) / lack(32)).toBeCloseTo(4, 1)
    expect(lack(64)).toBeLessThan(1e-3)
    for (const rounding of [0.1, 0.15]) {
      const { vertices } = polyhedralVersion({ ...shape, rounding })
      for (let k = 0; k < 3; k++) expect(Math.max(...vertices.filter((_, i) => i % 3 === k))).toBe(0.5 * shape.size[k])
    }
    expect(polyhedralVersion(shape, { fit: 'circumscribed' })).toEqual(boxPolyhedron(shape.size))
  })

  test('more rounding than half the least side is refused', () => {
    expect(() => checkShape({ type: 'box', size: [0.4, 0.3, 1], rounding: 0.151 }, 'block')).toThrow(
      'shape "block" (box): rounding is 0.151 m, expected at most half the least side',
    )
    expect(() => checkShape({ type: 'box', size: [0.4, 0.3, 1], rounding: -0.1 }, 'block')).toThrow(/rounding is -0.1/)
    checkShape({ type: 'box', size: [0.4, 0.3, 1], rounding: 0.15 }, 'block')
  })
})

describe('distance', () => {
  test('from spheres and capsules: that of their cores from the core, less both radii, along the same normal', () => {
    const random = createRandom(81)
    let apart = 0
    for (let n = 0; n < trials(500); n++) {
      const shape = randomBox(random)
      const [R, Q] = [randomRotation(random), randomRotation(random)]
      const p = randomUnit(random)
      const radius = random.between(0.05, 0.3)
      const x = turned(R, p).map((_, k) => dot([R[k], R[3 + k], R[6 + k]], p))
      // a point over a box in closed form
      const beyond = innerSize(shape).map((s, k) => Math.max(0, Math.abs(x[k]) - 0.5 * s))
      const found = distanceOf(colliderAt(shape, R, origin), colliderAt({ type: 'sphere', radius }, Q, p))
      if (Math.hypot(...beyond) > 0) {
        expect(found[0]).toBeCloseTo(Math.hypot(...beyond) - shape.rounding - radius, 12)
        const normal = turned(
          R,
          beyond.map((d, k) => (d * Math.sign(x[k])) / Math.hypot(...beyond)),
        )
        for (let k = 0; k < 3; k++) expect(found[1 + k]).toBeCloseTo(normal[k], 12)
        apart++
      }
      const capsule: Shape = { type: 'capsule', radius, length: 0.4 }
      // the least over points of the axis, a convex function
      let [low, high] = [-0.2, 0.2]
      const over = (t: number) => {
        const y = plus(p, turned(Q, [0, 0, t]))
        return Math.hypot(...innerSize(shape).map((s, k) => Math.max(0, Math.abs(dot([R[k], R[3 + k], R[6 + k]], y)) - 0.5 * s)))
      }
      for (let step = 0; step < 100; step++) {
        const [s, t] = [low + (high - low) / 3, high - (high - low) / 3]
        if (over(s) < over(t)) high = t
        else low = s
      }
      if (over(low) > 0) {
        const distance = distanceOf(colliderAt(shape, R, origin), colliderAt(capsule, Q, p))
        expect(Math.abs(distance[0] - (over(low) - shape.rounding - radius))).toBeLessThan(1e-9)
      }
    }
    expect(apart).toBeGreaterThan(trials(200))
  })

  test('from boxes, rounded or not: that of the cores by brute force less the radii, apart and overlapping', () => {
    const random = createRandom(82)
    const counts = [0, 0]
    for (let n = 0; n < trials(400); n++) {
      const [s, t] = [randomBox(random), n % 2 === 0 ? randomBox(random) : { ...randomBox(random), rounding: 0 }]
      const [R, Q] = [randomRotation(random), randomRotation(random)]
      const p = randomUnit(random).map((x) => x * random.between(0.2, 1.2))
      const [a, b] = [colliderAt(inner(s), R, origin), colliderAt(inner(t), Q, p)]
      const expected = bruteForceDistance(a, b)
      const found = distanceOf(colliderAt(s, R, origin), colliderAt(t, Q, p))
      expect(Math.abs(found[0] - (expected - s.rounding - t.rounding))).toBeLessThan(1e-9)
      counts[expected > 0 ? 0 : 1]++
      // ties of an overlap have any of their normals
      if (expected > 1e-3) for (let k = 0; k < 3; k++) expect(found[1 + k]).toBeCloseTo(distanceOf(a, b)[1 + k], 9)
    }
    expect(Math.min(...counts)).toBeGreaterThan(trials(50))
  })

  test('rays and points: where the distance of the core is the rounding', () => {
    const random = createRandom(83)
    const out = new Float64Array(4)
    let hits = 0
    for (let n = 0; n < trials(300); n++) {
      const shape = randomBox(random)
      const over = (x: ArrayLike<number>) => {
        const d = innerSize(shape).map((s, k) => Math.abs(x[k]) - 0.5 * s)
        return (Math.max(...d) > 0 ? Math.hypot(...d.map((y) => Math.max(0, y))) : Math.max(...d)) - shape.rounding
      }
      const from = randomUnit(random).map((x) => 2 * x)
      const aim = plus(
        randomUnit(random).map((x) => 0.4 * x),
        from,
        -1,
      )
      const direction = aim.map((x) => x / Math.hypot(...aim))
      const length = Float64Array.of(10)
      const target = new RayTarget(fixed(shape))
      target.place(identity, origin)
      target.cast(from, direction, length, 0)
      if (length[0] < 10) {
        hits++
        expect(Math.abs(over(plus(from, direction, length[0])))).toBeLessThan(2e-9)
      } else for (let t = 0; t < 4; t += 0.01) expect(over(plus(from, direction, t))).toBeGreaterThan(-1e-3)
      const x = randomUnit(random).map((c) => 0.7 * c)
      pointDistance(createFieldShape(shape, { maxArea: Infinity }), x, out, new Int32Array(1))
      expect(out[0]).toBeCloseTo(over(x), 12)
    }
    expect(hits).toBeGreaterThan(trials(100))
  })
})

/** Free bodies of one mass at the same place: the rounded box, and eight balls at the corners of its core. */
function twins(shape: RoundedBox): [Robot, Robot] {
  const bodies = [{ ...floating, name: 'body', ...solid(2, [0.02, 0.03, 0.04]) }]
  const balls = corners(shape).map((p) => ({ body: 1, shape: { type: 'sphere', radius: shape.rounding } as const, p }))
  return [makeRobot('box', bodies, [{ body: 1, shape }]), makeRobot('balls', bodies, balls)]
}

describe('on a plane', () => {
  test('its contacts are those of eight balls', () => {
    const random = createRandom(84)
    let seen = 0
    for (let n = 0; n < trials(300); n++) {
      const shape = randomBox(random)
      const R = randomRotation(random)
      const p = [0.1, 0.2, random.between(-0.1, 0.5)]
      const found = contactsOf(new Scene(shape, [ground]).detect(R, p, 0.02))
      const expected = corners(shape).flatMap((corner, feature) => {
        const ball: Shape = { type: 'sphere', radius: shape.rounding }
        return contactsOf(new Scene(ball, [ground]).detect(R, plus(p, turned(R, corner)), 0.02)).map((c) => ({ ...c, feature }))
      })
      expect(found.map(({ feature }) => feature)).toEqual(expected.map(({ feature }) => feature))
      found.forEach((contact, i) => {
        expect(Math.abs(contact.gap - expected[i].gap)).toBeLessThan(1e-15)
        for (let k = 0; k < 3; k++) expect(Math.abs(contact.point[k] - expected[i].point[k])).toBeLessThan(1e-15)
      })
      seen += found.length
    }
    expect(seen).toBeGreaterThan(trials(300))
  })

  test.each(['ncp', 'convex', 'lcp', 'stewart-trinkle', 'hunt-crossley', 'penalty', 'peg'] as const)(
    '%s: its motion is that of a body of eight balls, to the bit while one touches',
    (contactModel) => {
      const [box, balls] = twins({ type: 'box', size: [0.3, 0.2, 0.4], rounding: 0.04 }).map((robot) => {
        const physical = { friction: 0.5, restitution: 0 }
        const world = new World({ robot, contactModel, dt: 2e-3, fixtures: [ground], physical })
        const length = Math.hypot(0.3, 0.1, 0.2, 1)
        world.state.q.set([0, 0, 0.35, ...[0.3, 0.1, 0.2, 1].map((x) => x / length)])
        world.state.v.set([2, -3, 1, 0.3, 0, -1])
        return world
      })
      const numbers = ({ state: { q, v } }: World) => [...q, ...v]
      let touching = 0
      for (let n = 0; n < 200; n++) {
        for (const world of [box, balls]) world.step()
        // a body's pairs share stiffness and stop at a solver's tolerance each by itself
        if (box.contacts.count > 1) break
        touching += box.contacts.count
        expect(numbers(box)).toEqual(numbers(balls))
      }
      expect(touching).toBeGreaterThan(20)
      if (contactModel === 'hunt-crossley' || contactModel === 'penalty') return
      run(box, 0.2)
      run(balls, 0.2)
      expect(box.contacts.count).toBeGreaterThan(1)
      for (const [k, x] of numbers(box).entries()) expect(Math.abs(x - numbers(balls)[k])).toBeLessThan(1e-4)
    },
  )

  test('it rolls over its edge: the axis of the edge goes on by radius times angle, at the height of the radius', () => {
    const [size, rounding] = [[0.2, 0.2, 0.2] as const, 0.05]
    const angle = 0.6
    const across = [0.05, -0.05] as const
    const half = Math.sin(angle / 2)
    const robot = createFreeBody({ name: 'body', shape: { type: 'box', size, rounding }, mass: 1 })
    const world = new World({
      robot,
      contactModel: 'ncp',
      dt: 1e-4,
      fixtures: [ground],
      physical: { friction: 5, restitution: 0 },
    })
    const R = rotation([0, 1, 0], angle)
    const axis = (turn: Float64Array) => turned(turn, [across[0], 0, across[1]])
    const start = axis(R)
    world.state.q.set([0, 0, rounding - start[2], 0, half, 0, Math.cos(angle / 2)])
    // the angular velocity about the line of contact that carries it over the edge
    const omega = 2
    const arm = plus([0, 0, rounding - start[2]], [start[0], 0, 0], -1)
    const v = [omega * arm[2], 0, -omega * arm[0]]
    world.state.v.set([0, omega, 0, ...[0, 1, 2].map((c) => R[c] * v[0] + R[3 + c] * v[1] + R[6 + c] * v[2])])
    let turn = 0
    for (let n = 0; n < 5000 && turn < 0.8; n++) {
      world.step()
      const { q } = world.state
      turn = 2 * Math.atan2(q[4], q[6]) - angle
      const edge = plus(q, axis(rotation([0, 1, 0], turn + angle)))
      expect(Math.abs(edge[2] - rounding)).toBeLessThan(1e-5)
      expect(Math.abs(edge[0] - start[0] - rounding * turn)).toBeLessThan(1e-4)
    }
    expect(turn).toBeGreaterThan(0.8)
  })
})

describe('on other shapes', () => {
  const size = [0.3, 0.2, 0.1] as const
  const cases: [string, PlacedShape][] = [
    ['a box', fixedBox('box', [2, 2, 1], [0, 0, -0.5])],
    ['a rounded box', fixed({ type: 'box', size: [2, 2, 1], rounding: 0.1 }, identity, [0, 0, -0.5])],
    ['a hull', fixed({ type: 'hull', polyhedron: boxPolyhedron([2, 2, 1]) }, identity, [0, 0, -0.5])],
    ['a cylinder', fixed({ type: 'cylinder', radius: 1, length: 1 }, identity, [0, 0, -0.5])],
    ['a mesh', fixed({ type: 'mesh', mesh: meshOfPolyhedron(boxPolyhedron([2, 2, 1])) }, identity, [0, 0, -0.5])],
    ['a height field', fixed({ type: 'heightfield', rows: 9, columns: 9, spacing: [0.3, 0.3], heights: new Float64Array(81) })],
  ]
  const rounding = 0.03
  const key = ({ point }: Contact) =>
    point
      .slice(0, 2)
      .map((x) => x.toFixed(6))
      .join(' ')

  test.each(cases)('flat and tilted on %s: the contacts of its core set lower, and of its balls on a plane', (_, fixture) => {
    for (const tilt of [0, 1e-3, 0.01, 0.1, 0.6]) {
      for (const depth of [-2e-3, 1e-3]) {
        const R = rotation([0, 1, 0], tilt)
        const shape: RoundedBox = { type: 'box', size, rounding }
        const lowest = Math.min(...corners(shape).map((corner) => turned(R, corner)[2])) - rounding
        const p = [0.021, 0.013, -lowest - depth]
        // within the margin there are one edge's balls or a face's, never those of the upper face
        const found = contactsOf(new Scene(shape, [fixture]).detect(R, p, 5e-3))
        // triangles add points on their sides, to sharp boxes as well
        const hasTriangles = fixture.shape.type === 'mesh' || fixture.shape.type === 'heightfield'
        const expected = hasTriangles
          ? contactsOf(new Scene(inner(shape), [fixture]).detect(R, plus(p, [0, 0, -rounding]), 5e-3))
          : contactsOf(new Scene(shape, [ground]).detect(R, p, 5e-3))
        const deepest = Math.min(...expected.map(({ gap }) => gap))
        const near = (list: Contact[]) =>
          list.filter(({ gap }) => gap < deepest + 4e-3).sort((a, b) => key(a).localeCompare(key(b)))
        expect(near(found).map(key)).toEqual(near(expected).map(key))
        near(found).forEach((contact, i) => {
          expect(contact.gap).toBeCloseTo(near(expected)[i].gap, 12)
          for (let k = 0; k < 3; k++) expect(contact.normal[k]).toBeCloseTo(near(expected)[i].normal[k], 9)
          for (let k = 0; k < 3; k++) expect(contact.point[k]).toBeCloseTo(near(expected)[i].point[k], 9)
        })
      }
    }
  })

  test('beyond the edge of a box its face is clipped to the flat part of both', () => {
    const below: Shape = { type: 'box', size: [0.4, 0.4, 0.2], rounding: 0.05 }
    const found = contactsOf(
      new Scene({ type: 'box', size: [0.4, 0.2, 0.2], rounding: 0.03 }, [fixed(below)]).detect(identity, [0.2, 0, 0.2], 1e-3),
    )
    const xy = found.map(({ point, gap }) => [point[0], Math.abs(point[1]), point[2], gap])
    expect(found).toHaveLength(4)
    for (const [x, y, z, gap] of xy) {
      // from the upper core's left end, 0.2 - 0.17, to the lower core's right end, 0.15
      expect(Math.min(Math.abs(x - 0.03), Math.abs(x - 0.15))).toBeLessThan(1e-12)
      expect(y).toBeCloseTo(0.07, 12)
      expect(z).toBeCloseTo(0.1, 12)
      expect(gap).toBeCloseTo(0, 12)
    }
  })

  test.each(cases)('ncp: it rests on %s at the height of its half, on a slope too, and slides from atan(mu) on', (_, fixture) => {
    for (const [slope, slides] of [
      [0, false],
      [0.35, false],
      [0.55, true],
    ] as const) {
      const tilt = rotation([0, 1, 0], slope)
      const R = fixture.R
      const up = turned(tilt, [0, 0, 1])
      const robot = createFreeBody({
        name: 'body',
        shape: { type: 'box', size, rounding },
        mass: 1,
        position: up.map((x) => 0.05 * x) as unknown as Three,
        quaternion: [0, Math.sin(slope / 2), 0, Math.cos(slope / 2)],
      })
      expect(R).toBe(identity)
      const fixtures = [{ ...fixture, R: tilt, p: turned(tilt, fixture.p) }]
      const world = new World({ robot, contactModel: 'ncp', dt: 1e-3, fixtures, physical: { friction: 0.5, restitution: 0 } })
      run(world, 0.3)
      const { q } = world.state
      expect(dot(q, up)).toBeCloseTo(0.05, 6)
      const along = dot(q, turned(tilt, [1, 0, 0]))
      const expected = slides ? 0.5 * 9.81 * (Math.sin(slope) - 0.5 * Math.cos(slope)) * 0.3 * 0.3 : 0
      expect(Math.abs(along - expected)).toBeLessThan(slides ? 2e-3 * expected + 1e-3 : 1e-6)
      expect(world.contacts.count).toBeGreaterThan(3)
    }
  })

  test.each<[string, Shape, Shape]>([
    ['ball', { type: 'box', size: [0.3, 0.3, 0.3], rounding: 0.15 }, { type: 'sphere', radius: 0.15 }],
    ['capsule', { type: 'box', size: [0.3, 0.3, 0.5], rounding: 0.15 }, { type: 'capsule', radius: 0.15, length: 0.2 }],
  ])('all rounding, it touches anything where a %s does', (_, cube, ball) => {
    const random = createRandom(86)
    const shapes: Shape[] = [
      { type: 'box', size: [0.6, 0.5, 0.4] },
      { type: 'capsule', radius: 0.2, length: 0.4 },
      { type: 'cylinder', radius: 0.3, length: 0.4 },
      { type: 'ellipsoid', radii: [0.3, 0.2, 0.25] },
      { type: 'mesh', mesh: meshOfPolyhedron(boxPolyhedron([0.6, 0.5, 0.4])) },
    ]
    let seen = 0
    for (let n = 0; n < trials(400); n++) {
      const fixture = fixed(shapes[n % shapes.length], randomRotation(random))
      const p = scaled(randomUnit(random), random.between(0.3, 0.55))
      const Q = randomRotation(random)
      const [one, other] = [cube, ball].map((shape) => contactsOf(new Scene(shape, [fixture]).detect(Q, p, 0.02)))
      const gaps = (list: Contact[]) => list.map(({ gap }) => gap).sort((x, y) => x - y)
      expect(one).toHaveLength(other.length)
      seen += one.length
      for (const [i, gap] of gaps(one).entries()) expect(Math.abs(gap - gaps(other)[i])).toBeLessThan(1e-9)
      one.forEach(({ normal }, i) => {
        for (let k = 0; k < 3; k++) expect(Math.abs(normal[k] - other[i].normal[k])).toBeLessThan(1e-6)
      })
    }
    expect(seen).toBeGreaterThan(trials(100))
  })

  test('fast, with ccd it stops at a thin wall where a ball does', () => {
    const ends = [
      { type: 'box', size: [0.1, 0.1, 0.1], rounding: 0.05 } as const,
      { type: 'box', size: [0.1, 0.2, 0.3], rounding: 0.05 } as const,
      { type: 'sphere', radius: 0.05 } as const,
    ].map((shape) => {
      const robot = createFreeBody({ name: 'body', shape, mass: 1, position: [-0.6, 0, 0] })
      const fixtures = [fixedBox('wall', [0.01, 2, 2], [0, 0, 0])]
      const world = new World({
        robot,
        contactModel: 'ncp',
        dt: 0.01,
        fixtures,
        ccd: true,
        physical: { friction: 0, restitution: 0 },
      })
      world.state.v.set([0, 0, 0, 100, 0, 0])
      run(world, 0.05)
      return world.state.q[0]
    })
    for (const x of ends) expect(Math.abs(x + 0.055)).toBeLessThan(1e-4)
  })
})

describe('refused by name', () => {
  const shape = { type: 'box', size: [0.2, 0.2, 0.2], rounding: 0.02 } as const
  const robot = () => createFreeBody({ name: 'block', shape, mass: 1, position: [0, 0, 1] })
  const block: Shape = {
    type: 'mesh',
    mesh: closedMesh(boxPolyhedron([1, 1, 1]).vertices, meshOfPolyhedron(boxPolyhedron([1, 1, 1])).triangles),
  }

  test('volumes of intersection with bounded shapes', () => {
    const make = (contactModel: 'penalty' | 'penalty-deepest') =>
      new World({ robot: robot(), contactModel, dt: 1e-3, fixtures: [fixedBox('table', [1, 1, 1], [0, 0, 0])] })
    expect(() => make('penalty')).toThrow(/shape "block": a box with rounding/)
    expect(() => make('penalty-deepest')).toThrow(/\(penalty, penalty-deepest\).* use another model/)
  })

  test('moving meshes', () => {
    const other = createFreeBody({ name: 'other', shape: block, mass: 1, position: [0, 0, 3] })
    expect(() => new World({ robots: [{ robot: robot() }, { robot: other }], contactModel: 'ncp', dt: 1e-3 })).toThrow(
      /shape "block\S*": a box with rounding/,
    )
  })
})

test('support points, faces up: on the flat face, and on the arc of the edge', () => {
  const shape: Shape = { type: 'box', size: [2, 2, 2], rounding: 0.5 }
  const out = new Float64Array(3)
  supportPoint(shape, identity, origin, Float64Array.of(0, 0, 3), out)
  expect([...out]).toEqual([0.5, 0.5, 1])
  supportPoint(shape, identity, origin, Float64Array.of(3, 0, 4), out)
  expect([...out].map((x) => Number(x.toFixed(12)))).toEqual([0.8, 0.5, 0.9])
})
