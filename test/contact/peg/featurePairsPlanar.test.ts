import { describe, expect, test } from 'vitest'
import { boxPolyhedron, type PlacedShape, type Shape } from '../../../contact/geometry/index.ts'
import { ContactDetector, FeatureContactSet, readFeatures } from '../../../contact/index.ts'
import { fairPolyhedron } from '../../../contact/peg/fairPolyhedron.ts'
import { FeatureContacts, featureKind, featureLimits } from '../../../contact/peg/featureSet.ts'
import { createPlanarBody, planarFeatureContacts } from '../../../contact/peg/planarFeatures.ts'
import {
  type BodyDefinition,
  buildModel,
  createData,
  createRandom,
  createState,
  type Data,
  JointType,
  kinematics,
  type Model,
  velocities,
} from '../../../dynamics/index.ts'
import { fixedBox } from '../detection/scene.ts'
import { dot, identity, origin, product, randomRotation, rotation, turned } from '../geometry/poses.ts'
import { freed, movingInPlane, type PlanarScene } from './planarScene.ts'

const features = readFeatures({ rule: 'exact', sides: 12, roundOnPlanes: 'exact', epsilon: 0.01 })
const physical = { friction: 0.5, restitution: 0 }
const horizon = Float64Array.of(0.05)

class Reader {
  readonly contacts = new FeatureContactSet()
  readonly #detector: ContactDetector
  readonly #memory: Float64Array

  constructor(model: Model, shapes: readonly PlacedShape[], fixtures: readonly PlacedShape[]) {
    this.#detector = new ContactDetector(model, shapes, fixtures, physical, {
      reading: 'features',
      features,
      selfCollision: 'all',
    })
    this.#memory = new Float64Array(this.#detector.memorySize)
  }

  read(data: Data): FeatureContactSet {
    this.#detector.detect(data, horizon, this.contacts, this.#memory)
    return this.contacts
  }
}

/** Per pair the greatest gap of what is applicable but for rounding. */
function largestGaps({ count, pair, gap, applicability }: FeatureContactSet): Map<number, number> {
  const gaps = new Map<number, number>()
  for (let c = 0; c < count; c++) {
    if (applicability[c] >= -1e-9) gaps.set(pair[c], Math.max(gap[c], gaps.get(pair[c]) ?? -Infinity))
  }
  return gaps
}

/** How far a shape reaches down and up along n. */
function extent({ body, shape, R, p }: PlacedShape, data: Data, n: ArrayLike<number>): [number, number] {
  const { vertices } =
    shape.type === 'hull'
      ? shape.polyhedron
      : shape.type === 'box'
        ? boxPolyhedron(shape.size)
        : fairPolyhedron(shape as never, 12)
  const heights: number[] = []
  for (let i = 0; i < vertices.length; i += 3) {
    const onBody = turned(R, vertices.subarray(i, i + 3)).map((x, k) => x + p[k])
    heights.push(dot(n, data.p_WB[body]) + dot(n, turned(data.R_WB[body], onBody)))
  }
  return [Math.min(...heights), Math.max(...heights)]
}

describe('prisms that move in a plane', () => {
  const random = createRandom(811)
  const turns = [identity, randomRotation(random), randomRotation(random)]

  /** The same bodies in the plane and free, at the same places and speeds. */
  function bothReadings(
    scene: PlanarScene,
    visit: (inPlane: FeatureContactSet, inSpace: FeatureContactSet, data: Data) => void,
  ): void {
    const { model, shapes, fixtures, state, drift } = scene
    const free = freed(scene)
    const inPlane = new Reader(model, shapes, fixtures)
    const inSpace = new Reader(free.model, free.shapes, fixtures)
    const data = createData(model)
    const other = createData(free.model)
    for (let n = 0; n < 25; n++) {
      drift()
      kinematics(model, state, data)
      velocities(model, state, data)
      for (let i = 0; i < model.nb; i++) {
        other.R_WB[i].set(data.R_WB[i])
        other.p_WB[i].set(data.p_WB[i])
        other.V[i].set(data.V[i])
      }
      visit(inPlane.read(data), inSpace.read(other), data)
    }
  }

  test('are as far apart or deep as they are in space, whatever the plane', () => {
    let compared = 0
    for (const turn of turns) {
      bothReadings(movingInPlane(8, turn), (inPlane, inSpace) => {
        const there = largestGaps(inSpace)
        for (const [pair, gap] of largestGaps(inPlane)) {
          // all have 0.1 m of height in common, so that no deeper one has a shorter way out across the plane
          if (gap < -0.08) continue
          compared++
          expect(Math.abs(gap - (there.get(pair) ?? Number.NaN))).toBeLessThan(1e-9)
        }
        for (const [pair, gap] of there) if (gap > -0.08) expect(largestGaps(inPlane).has(pair)).toBe(true)
      })
    }
    expect(compared).toBeGreaterThan(80)
  })

  test('have normals in the plane, and points in the middle of the height that both have in common', () => {
    for (const turn of turns) {
      const scene = movingInPlane(8, turn)
      const n = turned(turn, [0, 0, 1])
      const placed = [...scene.fixtures, ...scene.shapes]
      let count = 0
      bothReadings(scene, (found, _, data) => {
        for (let c = 0; c < found.count; c++) {
          count++
          expect(found.kind[c]).not.toBe(featureKind.edgeEdge)
          expect(Math.abs(dot(n, found.normal.subarray(3 * c, 3 * c + 3)))).toBeLessThan(1e-12)
          const [lowA, highA] = extent(placed.find(({ body }) => body === found.bodyA[c])!, data, n)
          const [lowB, highB] = extent(placed.find(({ body }) => body === found.bodyB[c])!, data, n)
          const middle = 0.5 * (Math.max(lowA, lowB) + Math.min(highA, highB))
          expect(dot(n, found.point.subarray(3 * c, 3 * c + 3))).toBeCloseTo(middle, 9)
        }
      })
      expect(count).toBeGreaterThan(200)
    }
  })

  test('have far fewer contacts than in space', () => {
    let counts = [0, 0]
    bothReadings(movingInPlane(8), (inPlane, inSpace) => {
      counts = [counts[0] + inPlane.count, counts[1] + inSpace.count]
    })
    expect(counts[1]).toBeGreaterThan(1.8 * counts[0])
  })

  test('have the contacts of the polygons, to rounding', () => {
    const size = [0.4, 0.3, 0.2] as const
    const model = buildModel('one', [body({ jointType: JointType.planar, axis: [0, 0, 1] })])
    const shape: PlacedShape = { name: 'box', body: 1, shape: { type: 'box', size }, R: identity, p: origin }
    const reader = new Reader(model, [shape], [fixedBox('post', [0.5, 0.6, 0.3], [0, 0, 0.05])])
    const rectangle = (x: number, y: number) => createPlanarBody(Float64Array.of(-x, -y, x, -y, x, y, -x, y))
    const [state, data, out] = [createState(model), createData(model), new FeatureContacts(2)]
    const limits = featureLimits({ margin: 9.81 * horizon[0] ** 2 + 1e-4, epsilon: 0.01, choice: 'applicable' })
    let compared = 0
    for (let n = 0; n < 200; n++) {
      for (let k = 0; k < 3; k++) state.q[k] = random.between(-0.5, 0.5)
      kinematics(model, state, data)
      const found = reader.read(data)
      planarFeatureContacts(rectangle(0.25, 0.3), new Float64Array(3), rectangle(0.2, 0.15), state.q, limits, out)
      // deeper than the margin, the detector looks deeper
      if (out.count === 0 || found.count !== out.count) continue
      compared++
      const describe = (x: number, y: number, nx: number, ny: number, gap: number) =>
        [x, y, nx, ny, gap].map((v) => v.toFixed(9).replace(/^-(0\.0*)$/, '$1')).join(' ')
      const all = (contacts: { point: Float64Array; normal: Float64Array; gap: Float64Array }, d: number) =>
        Array.from({ length: out.count }, (_, c) =>
          describe(
            contacts.point[d * c],
            contacts.point[d * c + 1],
            contacts.normal[d * c],
            contacts.normal[d * c + 1],
            contacts.gap[c],
          ),
        ).sort()
      expect(all(found, 3)).toEqual(all(out, 2))
      for (let c = 0; c < found.count; c++) expect(found.point[3 * c + 2]).toBeCloseTo(0, 12)
    }
    expect(compared).toBeGreaterThan(20)
  })
})

function body(definition: Partial<BodyDefinition>): BodyDefinition {
  return {
    name: 'body',
    jointName: 'joint',
    parent: 0,
    jointType: JointType.floating,
    mass: 1,
    inertia: [1, 1, 1, 0, 0, 0],
    ...definition,
  }
}

describe('whether a pair is read in a plane', () => {
  const block: Shape = { type: 'box', size: [0.4, 0.4, 0.4] }
  const wheel: Shape = { type: 'cylinder', radius: 0.2, length: 0.4 }
  const ball: Shape = { type: 'sphere', radius: 0.2 }
  const post = fixedBox('post', [1, 1, 0.2], [-0.7, 0, 0])
  const slide = body({ name: 'slide', jointName: 'slide', jointType: JointType.prismatic, axis: [1, 0, 0] })
  const hinge = body({ jointType: JointType.revolute, axis: [0, 0, -1], parent: 1 })
  const tilted = { ...post, R: rotation([1, 0, 0], 0.1) }
  const lying = product(rotation([1, 0, 0], Math.PI / 2), identity)

  test.each<[string, boolean, readonly BodyDefinition[], Shape, PlacedShape, Float64Array?]>([
    ['on a planar joint', true, [body({ jointType: JointType.planar, axis: [0, 0, 1] })], block, post],
    ['on a slide and a hinge', true, [slide, hinge], block, post],
    ['a wheel on its axle', true, [slide, hinge], wheel, post],
    ['a wheel that lies', false, [slide, hinge], wheel, post, lying],
    ['with a hinge across', false, [slide, { ...hinge, axis: [0, 1, 0] }], block, post],
    ['with a hinge a little askew', false, [slide, { ...hinge, axis: [0, Math.sin(1e-6), Math.cos(1e-6)] }], block, post],
    ['free', false, [body({})], block, post],
    [
      'on a planar joint in another plane',
      false,
      [body({ jointType: JointType.planar, axis: [0, Math.SQRT1_2, Math.SQRT1_2] })],
      block,
      post,
    ],
    ['against a tilted box', false, [slide, hinge], block, tilted],
    ['a ball', false, [slide, hinge], ball, post, rotation([1, 1, 0], 0.3)],
  ])('%s: %s', (_, isPlanar, bodies, shape, fixture, R = identity) => {
    const model = buildModel('table', bodies)
    const reader = new Reader(model, [{ name: 'shape', body: bodies.length, shape, R, p: origin }], [fixture])
    const [state, data] = [createState(model), createData(model)]
    kinematics(model, state, data)
    const found = reader.read(data)
    expect(found.count).toBeGreaterThan(0)
    // in space, contacts are at the corners of what touches, 0.1 m above and below
    const atMiddle = Array.from({ length: found.count }, (_, c) => Math.abs(found.point[3 * c + 2]) < 1e-9)
    expect(atMiddle.every(Boolean)).toBe(isPlanar)
  })

  test('prisms with no height in common never touch', () => {
    const model = buildModel('levels', [slide, hinge])
    const shape: PlacedShape = { name: 'shape', body: 2, shape: block, R: identity, p: Float64Array.of(0, 0, 0.301) }
    const reader = new Reader(model, [shape], [post])
    const data = createData(model)
    kinematics(model, createState(model), data)
    expect(reader.read(data).count).toBe(0)
  })
})
