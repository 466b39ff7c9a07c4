/*
 * The configurations of figures 3 to 10 of Williams, Lu and Trinkle, A Complementarity Based Contact Model for Geometrically
 * Accurate Treatment of Polytopes in Simulation (2014), in coordinates of our own: what their captions and the text around
 * them say must come back.
 */

import { describe, expect, test } from 'vitest'
import { type FeatureOptions, featureKind } from '../../../contact/peg/features/featureContactSet.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { full, trials } from '../../dailyModels.ts'
import { exactSeparation } from '../geometry/exactOverlap.ts'
import { dot, identity, product, randomUnit, rotation } from '../geometry/poses.ts'
import { bodyAt, contactsOf, cube, edgeBetween, faceAlong, hull, type Listed, largestGap, vertexAt } from './featureScene.ts'
import { polygonContacts } from './polygons.ts'

const { vertexFace, faceVertex, edgeEdge } = featureKind

type Polygon = readonly (readonly [number, number])[]
type Pose = readonly [number, number, number]

function planarContacts(a: Polygon, poseA: Pose, b: Polygon, poseB: Pose, options: FeatureOptions): Listed[] {
  const placed = (points: Polygon, pose: Pose) => ({ vertices: Float64Array.from(points.flat()), pose: Float64Array.from(pose) })
  return polygonContacts(placed(a, poseA), placed(b, poseB), 'lnc in the plane', options).contacts
}

const names = ({ kind, a, b }: Listed) => [kind, a, b]
const gapOf = (contacts: readonly Listed[], kind: number, a: number, b: number) =>
  contacts.find((c) => c.kind === kind && c.a === a && c.b === b)?.gap
const unturned: Pose = [0, 0, 0]

describe('figure 3: two edges at the border of applicability', () => {
  // the crossing edges of two boxes whose touching faces are parallel: along the normal each face beside them is just left behind
  const slab = { type: 'box', size: [2, 2, 0.5] } as const
  const pose = (random: Random, jitter: number) =>
    [
      bodyAt(slab, identity, [-1, 0, -0.25]),
      bodyAt(slab, product(rotation([0, 0, 1], 0.5), rotation(randomUnit(random), jitter)), [0.95, 0.2, 0.26]),
    ] as const

  const crossings = (jitter: number, epsilon: number) => {
    const random = createRandom(61)
    return Array.from({ length: 200 }, () =>
      contactsOf(...pose(random, jitter), { margin: 0.05, epsilon, choice: 'applicable' }).filter(
        ({ kind }) => kind === edgeEdge,
      ),
    )
  }

  test('classical applicability depends on the rounding error', () => {
    const counts = new Set(crossings(1e-15, 0).map((list) => list.length))
    expect(counts.size).toBeGreaterThan(1)
  })

  test('relaxation removes the dependence: the same edges, the same normal', () => {
    const [first, ...others] = crossings(1e-15, 0.01)
    expect(first.length).toBeGreaterThan(0)
    for (const { normal, gap } of first) {
      expect(normal[2]).toBeCloseTo(1, 12)
      expect(gap).toBeCloseTo(0.01, 12)
    }
    for (const list of others) expect(list.map(names)).toEqual(first.map(names))
    // jitter of a hundredth of the relaxation too
    for (const list of crossings(1e-4, 0.01)) expect(list.map(names)).toEqual(first.map(names))
  })
})

describe('figure 4: a vertex near two edges', () => {
  // B is a rectangle, e_b1 its top (edge 2), e_b2 its right side (edge 1); v_a is the lowest corner of a triangle above
  const b: Polygon = [
    [-1, -1],
    [1, -1],
    [1, 0],
    [-1, 0],
  ]
  const a: Polygon = [
    [0.95, 0.02],
    [1.4, 0.8],
    [0.2, 0.7],
  ]
  const contacts = planarContacts(a, unturned, b, unturned, { margin: 0.1 })
  const of = (edge: number) => contacts.find((c) => c.kind === vertexFace && c.a === 0 && c.b === edge)!

  test('both are contacts, so that the dynamics knows the corner', () => {
    expect(of(2).gap).toBeCloseTo(0.02, 14)
    expect(of(1).gap).toBeCloseTo(-0.05, 14)
  })

  test('the first can bear a force, the second cannot', () => {
    expect(of(2).applicable).toBe(2)
    expect(of(1).applicable).toBe(0)
    expect([...of(2).normal]).toEqual([-0, -1])
  })
})

describe('figure 5: a vertex near two edges, and the same the other way', () => {
  const wedge = (left: number, right: number): Polygon => [
    [0, 0],
    [-Math.sin(left), -Math.cos(left)],
    [Math.sin(right), -Math.cos(right)],
  ]
  // edge 0 leaves the tip (vertex 0), edge 2 comes in
  const four = [
    [vertexFace, 0, 0],
    [vertexFace, 0, 2],
    [faceVertex, 0, 0],
    [faceVertex, 2, 0],
  ] as const

  test('four contacts, each of which may push', () => {
    const contacts = planarContacts(wedge(0.5, 0.5), unturned, wedge(0.5, 0.5), [0.01, 0.02, Math.PI], { margin: 0.1 })
    expect(contacts.map(names)).toEqual(four)
    for (const { applicable } of contacts) expect(applicable).toBeGreaterThan(0)
  })

  test('constraint (17): cross pairs of edges on the same side exclude every overlap; of edges on opposite sides, half of the legal poses', () => {
    const random = createRandom(62)
    const counts = { legal: 0, overlap: 0, trap: 0, sameAccepts: 0, sameRejects: 0, oppositeRejects: 0 }
    for (let k = 0; k < (full ? 50_000 : 1700); k++) {
      const half = () => random.between(0.2, 1.2)
      const tilt = () => random.between(-0.6, 0.6)
      const at = () => random.between(-0.03, 0.03)
      const contacts = planarContacts(
        wedge(half(), half()),
        [0, 0, tilt()],
        wedge(half(), half()),
        [at(), at(), Math.PI + tilt()],
        { margin: 0.1, depth: 0.3, epsilon: 1e-9 },
      )
      const corner = four.map(([kind, i, j]) => contacts.find((c) => c.kind === kind && c.a === i && c.b === j))
      // some of these wedges are turned so far that their tips cannot touch
      if (!corner.every((c) => c !== undefined) || !corner.some((c) => c.applicable > 0)) continue
      const [vaOut, vaIn, vbOut, vbIn] = corner.map(({ gap }) => gap)
      const legal = largestGap(contacts.filter((c) => c.applicable > 0)) >= 0
      const inter = Math.max(vaOut, vaIn) >= 0 && Math.max(vbOut, vbIn) >= 0
      const same = inter && Math.max(vaOut, vbIn) >= 0 && Math.max(vaIn, vbOut) >= 0
      const opposite = inter && Math.max(vaOut, vbOut) >= 0 && Math.max(vaIn, vbIn) >= 0
      counts[legal ? 'legal' : 'overlap']++
      if (!legal && inter) counts.trap++
      if (!legal && same) counts.sameAccepts++
      if (legal && !same) counts.sameRejects++
      if (legal && !opposite) counts.oppositeRejects++
    }
    expect(counts.overlap).toBeGreaterThan(trials(1000))
    // the inter-contact constraints alone let some overlaps through: the trap of the locally non-convex model
    expect(counts.trap).toBeGreaterThan(0)
    expect(counts.sameAccepts).toBe(0)
    // seen: 0.07 % against 55 %
    expect(counts.sameRejects / counts.legal).toBeLessThan(0.01)
    expect(counts.oppositeRejects / counts.legal).toBeGreaterThan(0.4)
  })
})

describe('figure 7: the vertex of a tetrahedron near an edge', () => {
  // the edge of B runs along y, its faces fall off at 45 degrees: f_b1 towards -x, f_b2 towards +x
  const b = bodyAt(hull(0, -2, 0, 0, 2, 0, -2, -2, -2, -2, 2, -2, 2, -2, -2, 2, 2, -2), identity, [0, 0, 0])
  // from v_a, two edges rise beyond the planes of both faces; the third, to v_k3, runs down to -x, steeper than f_b2 would let it
  const corners = [
    [0.3, 0.8, 1],
    [0.3, -0.8, 1],
    [-1, 0, -0.8],
  ]
  const tip = [-0.01, 0, 0.02]
  const a = bodyAt(hull(0, 0, 0, ...corners.flat()), identity, tip)
  const va = vertexAt(a, 0, 0, 0)
  const edgesOfA = corners.map((corner) => edgeBetween(a, va, vertexAt(a, ...corner)))
  const f1 = faceAlong(b, -1, 0, 1)
  const eb = edgeBetween(b, vertexAt(b, 0, -2, 0), vertexAt(b, 0, 2, 0))

  test('past the plane of f_b1 the edge to v_k3 is what keeps the bodies apart', () => {
    for (let k = -60; k <= 60; k++) {
      const moved = bodyAt(a.collider.shape, identity, [0.02, 0, k * 1e-3])
      const contacts = contactsOf(moved, b, { margin: 0.1 })
      const first = gapOf(contacts, vertexFace, va, f1)!
      const crossing = gapOf(contacts, edgeEdge, edgesOfA[2], eb)!
      expect(Math.max(first, crossing) > 1e-12).toBe(exactSeparation(moved.collider, b.collider) > 1e-12)
    }
  })

  test('rule (21) with the direction of the edge out of the vertex, over the applicable edges, decides every pose', () => {
    const random = createRandom(63)
    const counts = { legal: 0, overlap: 0, accepts: 0, rejects: 0, printedRejects: 0 }
    for (let k = 0; k < (full ? 20_000 : 350); k++) {
      const roof = [random.between(0.2, 1.3), random.between(0.2, 1.3)]
      const [l, r] = roof
      const points = [-2, 2].flatMap((y) => [
        0,
        y,
        0,
        -2 * Math.sin(l),
        y,
        -2 * Math.cos(l),
        2 * Math.sin(r),
        y,
        -2 * Math.cos(r),
      ])
      const edged = bodyAt(hull(...points), identity, [0, 0, 0])
      const n = 3 + random.index(3)
      const cone = Array.from({ length: n }, (_, i) => {
        const angle = (2 * Math.PI * (i + random.between(-0.3, 0.3))) / n
        const reach = random.between(0.3, 2)
        return [reach * Math.cos(angle), reach * Math.sin(angle), 1]
      })
      const turn = random.between(0, 2 * Math.PI)
      const R = rotation([Math.cos(turn), Math.sin(turn), 0], random.between(-0.6, 0.6))
      const place = [random.between(-0.05, 0.05), random.between(-0.5, 0.5), random.between(-0.08, 0.04)]
      const pointed = bodyAt(hull(0, 0, 0, ...cone.flat()), R, place)
      const v = vertexAt(pointed, 0, 0, 0)
      const e = edgeBetween(edged, vertexAt(edged, 0, -2, 0), vertexAt(edged, 0, 2, 0))
      const contacts = contactsOf(pointed, edged, { margin: 0.15, depth: 0.4, epsilon: 1e-9 })
      const [g1, g2] = [0, 1].map((s) => gapOf(contacts, vertexFace, v, edged.topology.edgeFaces[2 * e + s]))
      const { vertexStart, vertexEdges, vertexNeighbours } = pointed.topology
      const around = Array.from({ length: vertexStart[v + 1] - vertexStart[v] }, (_, i) => vertexStart[v] + i)
      const crossings = contacts.filter((c) => c.kind === edgeEdge && c.b === e && around.some((i) => vertexEdges[i] === c.a))
      const local = contacts.filter((c) => crossings.includes(c) || (c.kind === vertexFace && c.a === v))
      // some are turned so far that the vertex cannot touch the edge, or come nearer to each other elsewhere
      const nearest = (among: readonly Listed[]) => largestGap(among.filter((c) => c.applicable > 0))
      if (g1 === undefined || g2 === undefined || nearest(local) < nearest(contacts)) continue

      const normals = [0, 1].map((s) =>
        edged.normalW.subarray(3 * edged.topology.edgeFaces[2 * e + s], 3 * edged.topology.edgeFaces[2 * e + s] + 3),
      )
      const u = edged.directionW.subarray(3 * e, 3 * e + 3)
      const down = [0, 1, 2].map((d) => -(normals[0][d] + normals[1][d]))
      const side = [u[1] * down[2] - u[2] * down[1], u[2] * down[0] - u[0] * down[2], u[0] * down[1] - u[1] * down[0]]
      const V = pointed.collider.verticesW
      const out = (c: Listed) => {
        const k = vertexNeighbours[around.find((i) => vertexEdges[i] === c.a)!]
        return dot(
          [0, 1, 2].map((d) => V[3 * k + d] - V[3 * v + d]),
          side,
        )
      }
      const legal = exactSeparation(pointed.collider, edged.collider) >= 0
      const inter = Math.max(g1, g2) >= 0
      const accepted = inter && crossings.every((c) => Math.max(out(c) > 0 ? g1 : g2, c.gap) >= 0)
      const printed = inter && crossings.every((c) => Math.max(dot(c.normal, side) < 0 ? g1 : g2, c.gap) >= 0)
      counts[legal ? 'legal' : 'overlap']++
      if (!legal && accepted) counts.accepts++
      if (legal && !accepted) counts.rejects++
      if (legal && !printed) counts.printedRejects++
    }
    expect(Math.min(counts.legal, counts.overlap)).toBeGreaterThan(trials(300))
    expect([counts.accepts, counts.rejects]).toEqual([0, 0])
    // the predicate as printed, on the normal from A to B: a third
    expect(counts.printedRejects / counts.legal).toBeGreaterThan(0.2)
  })
})

describe('figure 8: a vertex over a vertex', () => {
  // a cube on its tip over a cube tip up, turned by 1 rad about the vertical
  const upright = product(rotation([0, 1, 0], Math.atan(Math.SQRT2)), rotation([0, 0, 1], Math.PI / 4))
  const tip = Math.sqrt(3) / 2
  const pair = (x: number, y: number, z: number) => {
    const lower = bodyAt(cube, upright, [0, 0, -tip])
    return [bodyAt(cube, product(rotation([0, 0, 1], 1), upright), [x, y, tip + z]), lower] as const
  }

  test('each vertex with the three faces at the other, and edges with edges', () => {
    const [a, b] = pair(0.003, 0.002, 0.01)
    const lowest = ({ collider: { verticesW: V } }: typeof a, sign: number) => {
      const heights = Array.from({ length: 8 }, (_, v) => sign * V[3 * v + 2])
      return heights.indexOf(Math.min(...heights))
    }
    const [va, vb] = [lowest(a, 1), lowest(b, -1)]
    const facesAt = ({ topology: { vertexStart, vertexFaces } }: typeof a, v: number) =>
      [...vertexFaces.subarray(vertexStart[v], vertexStart[v + 1])].sort((x, y) => x - y)
    const edgesAt = ({ topology: { vertexStart, vertexEdges } }: typeof a, v: number) =>
      [...vertexEdges.subarray(vertexStart[v], vertexStart[v + 1])].sort((x, y) => x - y)
    const contacts = contactsOf(a, b, { margin: 0.05, choice: 'all' })
    const of = (kind: number) => contacts.filter((c) => c.kind === kind)
    expect(of(vertexFace).map(names)).toEqual(facesAt(b, vb).map((f) => [vertexFace, va, f]))
    expect(of(faceVertex).map(names)).toEqual(facesAt(a, va).map((f) => [faceVertex, f, vb]))
    expect(of(edgeEdge).map(names)).toEqual(edgesAt(a, va).flatMap((e) => edgesAt(b, vb).map((g) => [edgeEdge, e, g])))
  })

  test('the vertex may pass the plane of a face of B as long as the edges are apart', () => {
    const random = createRandom(64)
    let passed = 0
    for (let k = 0; k < trials(2000); k++) {
      const [a, b] = pair(random.between(-0.04, 0.04), random.between(-0.04, 0.04), random.between(-0.03, 0.02))
      const contacts = contactsOf(a, b, { margin: 0.15, epsilon: 1e-9 })
      const free = exactSeparation(a.collider, b.collider) > 0
      expect(largestGap(contacts.filter((c) => c.applicable > 0)) > 0).toBe(free)
      const below = contacts.some((c) => c.kind === vertexFace && c.gap < 0)
      if (free && below) passed++
    }
    expect(passed).toBeGreaterThan(trials(200))
  })
})

describe('figure 9: two like triangles on one surface', () => {
  const triangle: Polygon = [
    [-1, 0],
    [1, 0],
    [0, 1],
  ]
  const at = (gap: number) => planarContacts(triangle, unturned, triangle, [2 + gap, 0, 0], { margin: 0.3, epsilon: 0.01 })

  test('tip on tip: four contacts, those with the flush bases at gap 0 and not applicable', () => {
    const contacts = at(0.1)
    expect(contacts.map(names)).toEqual([
      [vertexFace, 1, 0],
      [vertexFace, 1, 2],
      [faceVertex, 0, 0],
      [faceVertex, 1, 0],
    ])
    for (const c of contacts) {
      const base = c.kind === vertexFace ? c.b === 0 : c.a === 0
      expect(c.gap).toBeCloseTo(base ? 0 : 0.1 * Math.SQRT1_2, 14)
      expect(c.applicable > 0).toBe(!base)
    }
  })

  test('the flush bases satisfy every inter-contact constraint in an overlap, the applicable contacts do not', () => {
    const contacts = at(-0.1)
    const group = (kind: number) => largestGap(contacts.filter((c) => c.kind === kind))
    expect(group(vertexFace)).toBe(0)
    expect(group(faceVertex)).toBe(0)
    expect(largestGap(contacts.filter((c) => c.applicable > 0))).toBeLessThan(0)
  })
})

describe('figure 10: a block falling on a block of the same size', () => {
  const blocks = (height: number) => [bodyAt(cube, identity, [0, 0, 0]), bodyAt(cube, identity, [0, 0, 1 + height])] as const

  test('four vertex-vertex cases: at each corner every vertex with three faces, and the crossing edges', () => {
    const contacts = contactsOf(...blocks(0.01), { margin: 0.05 })
    const corner = ({ point }: Listed) => `${Math.sign(point[0])} ${Math.sign(point[1])}`
    const corners = new Set(contacts.map(corner))
    expect(corners.size).toBe(4)
    for (const c of corners) {
      const here = contacts.filter((contact) => corner(contact) === c)
      expect([vertexFace, faceVertex, edgeEdge].map((kind) => here.filter((x) => x.kind === kind).length)).toEqual([3, 3, 2])
      for (const { applicable, normal, gap } of here) {
        const upwards = normal[2] === 1
        expect(applicable > 0).toBe(upwards)
        expect(gap).toBeCloseTo(upwards ? 0.01 : 0, 14)
      }
    }
  })

  test('the flush sides, at gap 0, satisfy every inter-contact constraint in an overlap, the applicable contacts do not', () => {
    const contacts = contactsOf(...blocks(-0.01), { margin: 0.05 })
    for (const kind of [vertexFace, faceVertex]) expect(largestGap(contacts.filter((c) => c.kind === kind))).toBeCloseTo(0, 14)
    expect(largestGap(contacts.filter((c) => c.applicable > 0))).toBeCloseTo(-0.01, 14)
  })

  test('a stack of identical cubes keeps its contacts, their kinds and their normals over jittered poses', () => {
    const random = createRandom(65)
    const ideal = contactsOf(...blocks(0), { margin: 0.01 })
    expect(ideal.length).toBe(32)
    let [changes, turned, moved] = [0, 1, 0]
    for (let k = 0; k < trials(1000); k++) {
      // a stack of three; jitter of a hundredth of the relaxation and of the margin
      const stack = [0, 1, 2].map((i) => {
        const p = [0, 0, i].map((x) => x + random.between(-1e-4, 1e-4))
        return bodyAt(
          cube,
          rotation(randomUnit(random), k % 2 === 0 ? random.between(0, 1e-4) : 10 ** random.between(-17, -4)),
          p,
        )
      })
      for (let i = 0; i < 2; i++) {
        const contacts = contactsOf(stack[i], stack[i + 1], { margin: 0.01 })
        expect(contacts.map((c) => c.id)).toEqual(ideal.map((c) => c.id))
        contacts.forEach((c, j) => {
          if (c.applicable > 0 !== ideal[j].applicable > 0) changes++
          turned = Math.min(turned, dot(c.normal, ideal[j].normal))
          moved = Math.max(moved, Math.abs(c.gap - ideal[j].gap))
        })
      }
    }
    expect(changes).toBe(0)
    // the normals turn and the corners move with both cubes
    expect(turned).toBeGreaterThan(1 - 1e-7)
    expect(moved).toBeLessThan(1e-3)
  })
})
