import { convexManifoldWarm, createManifoldScratch, manifoldMemorySize } from '../../contact/detection/manifold/convexManifold.ts'
import { createFieldShape, type FieldShape, placeFieldShape } from '../../contact/detection/manifold/fieldShape.ts'
import { createManifold } from '../../contact/detection/manifold/manifold.ts'
import { PenetrationQuery, penaltyMemorySize, penaltyReading } from '../../contact/detection/penetration/penetrationQuery.ts'
import {
  hullOf,
  type PlacedShape,
  pairMemorySize,
  type Shape,
  signedDistance,
  signedDistanceWarm,
} from '../../contact/geometry/index.ts'
import { BroadPhase, type DetectorOptions, type FeatureContactSet } from '../../contact/index.ts'
import { createRandom, type Data, type Random } from '../../dynamics/index.ts'
import { Crowd } from '../contact/detection/crowd.ts'
import { MovingBoxes } from '../contact/detection/movingBoxes.ts'
import { fixedBox, ground, Scene } from '../contact/detection/scene.ts'
import { angle, channel, torus } from '../contact/geometry/meshes.ts'
import {
  colliderAt,
  identity,
  origin,
  product,
  randomHull,
  randomRotation,
  randomShapes,
  rotation,
} from '../contact/geometry/poses.ts'
import type { Running, Subject } from './subject.ts'

const hull = (random: Random, count: number): Shape => ({
  type: 'hull',
  polyhedron: hullOf(Float64Array.from({ length: 3 * count }, () => random.between(-0.3, 0.3))),
})
const round: readonly Shape[] = [
  { type: 'sphere', radius: 0.3 },
  { type: 'capsule', radius: 0.1, length: 0.5 },
  { type: 'box', size: [0.4, 0.5, 0.3] },
  { type: 'cylinder', radius: 0.2, length: 0.3 },
]
const meshes: readonly Shape[] = [
  { type: 'mesh', mesh: channel },
  { type: 'mesh', mesh: torus(0.3, 0.1, 16, 8) },
]
const step = fixedBox('step', [1, 1, 0.2], [0.5, 0, 0.1])

/** 50 detections of each shape on each fixture. */
function detections(fixture: PlacedShape, reading: DetectorOptions['reading'], onlyMeshes = false): Running {
  const random = createRandom(51)
  const convex = [...round, hull(random, 20)]
  const poses = Array.from({ length: 50 }, () => randomRotation(random))
  const places = poses.map(() => Float64Array.of(random.between(-0.6, 0.6), 0, random.between(0, 0.3)))
  const scenes = (onlyMeshes ? meshes : convex).map((shape) => new Scene(shape, [fixture], { reading }))
  let contacts = 0
  return {
    units: 50 * scenes.length,
    seen: () => contacts,
    step() {
      for (let n = 0; n < 50; n++) {
        for (let s = 0; s < scenes.length; s++) {
          scenes[s].detect(poses[n], places[n])
          contacts += scenes[s].contacts.count
        }
      }
    },
  }
}

type Pose = Pick<Data, 'R_WB' | 'p_WB'>
export const poseOf = ({ R_WB, p_WB }: Data): Pose => ({ R_WB: R_WB.map((R) => R.slice()), p_WB: p_WB.map((p) => p.slice()) })

/** Detections in poses that were made beforehand, for making them allocates, there and back, so that nothing jumps. */
export function throughPoses(
  poses: readonly Pose[],
  scene: { readonly data: Data; readonly contacts: FeatureContactSet; detect(horizon: number): unknown },
  horizon: number,
): Running {
  let found = 0
  return {
    units: 2 * poses.length,
    seen: () => found,
    step() {
      for (let n = 0; n < 2 * poses.length; n++) {
        const { R_WB, p_WB } = poses[n < poses.length ? n : 2 * poses.length - 1 - n]
        for (let i = 1; i < R_WB.length; i++) {
          scene.data.R_WB[i].set(R_WB[i])
          scene.data.p_WB[i].set(p_WB[i])
        }
        scene.detect(horizon)
        found += scene.contacts.count
      }
    },
  }
}

export function inCrowd(crowd: Crowd, horizon = 0): Running {
  const poses = Array.from({ length: 20 }, () => {
    crowd.move(0.02)
    return poseOf(crowd.data)
  })
  return throughPoses(poses, crowd, horizon)
}

/** Balls and boxes in a height field. */
function hills(): Running {
  const heights = Float64Array.from({ length: 21 * 21 }, (_, k) => 0.3 + 0.1 * ((k * 7) % 5))
  const shape = { type: 'heightfield', rows: 21, columns: 21, spacing: [0.3, 0.3], heights } as const
  const fixture = { name: 'hills', body: 0, shape, R: identity, p: origin }
  return inCrowd(new Crowd(10, 42, { selfCollision: 'none' }, ['sphere', 'box'], [fixture]))
}

/** Updates of 1,000 boxes. */
function broadPhase(): Running {
  const boxes = new MovingBoxes(1000, 1)
  const broad = new BroadPhase(1000)
  let pairs = 0
  return {
    seen: () => pairs,
    step() {
      boxes.move(0.01)
      boxes.write(broad.bounds)
      broad.update()
      pairs += broad.pairCount
    },
  }
}

/** Queries of every pair of shapes. */
function queries(what: 'distance' | 'warm' | 'manifold'): Running {
  const random = createRandom(51)
  const ellipsoid: Shape = { type: 'ellipsoid', radii: [0.3, 0.2, 0.1] }
  const shapes = [...round, ellipsoid, hull(random, 20), hull(random, 300)]
  const pairs = shapes.flatMap((a) =>
    shapes.flatMap((b) =>
      Array.from({ length: 10 }, () => {
        const way = [random.between(-0.6, 0.6), random.between(-0.3, 0.3), random.between(-0.3, 0.3)]
        return [colliderAt(a, randomRotation(random), [0, 0, 0]), colliderAt(b, randomRotation(random), way)] as const
      }),
    ),
  )
  const out = new Float64Array(10)
  const memory = new Float64Array(pairs.length * manifoldMemorySize)
  const manifold = createManifold(1200, 4)
  manifold.margin[0] = 0.01
  const scratch = createManifoldScratch(1200)
  let contacts = 0
  return {
    units: pairs.length,
    seen: () => contacts,
    step() {
      for (let i = 0; i < pairs.length; i++) {
        const [a, b] = pairs[i]
        if (what === 'distance') {
          signedDistance(a, b, out)
          if (out[0] < 0) contacts++
        } else if (what === 'warm') {
          signedDistanceWarm(a, b, memory, i * pairMemorySize, out)
          if (out[0] < 0) contacts++
        } else {
          convexManifoldWarm(a, b, memory, i * manifoldMemorySize, scratch, manifold)
          contacts += manifold.count
        }
      }
    },
  }
}

/** Penalty readings of flat grounds and of shapes of all kinds. */
function readings(): Running {
  const random = createRandom(91)
  const slab: Shape = { type: 'box', size: [2, 2, 1] }
  const ground: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: 0 }
  const terrain: Shape = { type: 'heightfield', rows: 9, columns: 9, spacing: [0.2, 0.2], heights: new Float64Array(81) }
  const foot: Shape = { type: 'box', size: [0.25, 0.1, 0.05] }
  const pairs: { a: FieldShape; b: FieldShape; R: Float64Array; p: Float64Array }[] = []
  function pair(s: Shape, at: Float64Array, t: Shape, R: Float64Array, p: readonly number[]): void {
    const a = createFieldShape(s)
    placeFieldShape(a, identity, at, identity, origin)
    pairs.push({ a, b: createFieldShape(t), R, p: Float64Array.from(p) })
  }
  for (const [s, at] of [
    [ground, origin],
    [slab, Float64Array.of(0, 0, -0.5)],
    [terrain, origin],
  ] as const) {
    pair(s, at, foot, rotation([0, 1, 0], 0.01), [0, 0, 0.024])
    pair(s, at, { type: 'cylinder', radius: 0.1, length: 0.05 }, rotation([1, 0, 0], 0.5 * Math.PI), [0.1, 0.2, 0.099])
    pair(s, at, { type: 'mesh', mesh: angle }, identity, [0, 0, 0.01])
    pair(s, at, randomHull(random, 40), randomRotation(random), [0, 0, 0.2])
  }
  // cylinders only on flat ground: off it they need the closest features, which have a test of their own
  const names = Object.keys(randomShapes).filter((name) => name !== 'cylinder')
  for (let n = 0; n < 16; n++) {
    const [s, t] = [n, Math.floor(n / 4)].map((k) => randomShapes[names[k % 4]](random))
    pair(s, origin, t, product(identity, randomRotation(random)), [0.2, 0.1, 0.3])
  }
  const memory = new Float64Array(penaltyMemorySize * pairs.length)
  const out = new PenetrationQuery()
  let points = 0
  let n = 0
  return {
    units: pairs.length,
    seen: () => points,
    step() {
      // sliding by the width of a few points and back, so that features come and go
      const shift = 1e-4 * (n++ % 100)
      for (let i = 0; i < pairs.length; i++) {
        const { a, b, R, p } = pairs[i]
        p[0] += shift
        placeFieldShape(b, R, p, identity, origin)
        p[0] -= shift
        penaltyReading(a, b, memory, i, out)
        points += out.bottomCount
      }
    },
  }
}

const alone = 'in a process of its own'
const penalty = 'allocation under the penalty reading'

const detection: Subject[] = [
  {
    name: 'detection of every shape on the ground allocates nothing',
    steps: 20,
    limit: 1_600,
    seen: 1,
    setup: () => detections(ground, 'manifold'),
  },
  {
    name: 'detection of every shape on a fixed box keeps nothing, and allocates no more than two numbers',
    steps: 20,
    limit: 1_600,
    // V8 may leave numbers of convexManifold boxed, up to 30 bytes a detection as seen
    bounds: { quietest: 32, middle: 40 },
    setup: () => detections(step, 'manifold'),
  },
  {
    name: 'the penalty reading allocates nothing, whatever the shapes',
    steps: 25,
    limit: 5_000,
    seen: 1,
    setup: readings,
  },
  {
    suite: alone,
    name: '10,000 updates of 1,000 moving boxes allocate nothing',
    steps: 200,
    limit: 15_000,
    seen: 300,
    setup: broadPhase,
  },
  {
    suite: alone,
    name: 'a crowd of touching balls and boxes is detected without allocating',
    steps: 1,
    limit: 200,
    seen: 20,
    setup: () => inCrowd(new Crowd(40, 41, { reading: 'manifold' }, ['sphere', 'box'])),
  },
  {
    suite: alone,
    name: 'balls and boxes in the hills of a height field leave no garbage that grows with the detections',
    steps: 1,
    limit: 200,
    // one boxed number a triangle would be 1,500 bytes
    bounds: { quietest: 1000, middle: 1000, growth: 20 },
    seen: 5,
    setup: hills,
  },
  {
    suite: penalty,
    name: 'detection of every shape on the ground allocates nothing',
    steps: 20,
    limit: 800,
    seen: 1 / 2,
    setup: () => detections(ground, 'penalty'),
  },
  {
    suite: penalty,
    name: 'a crowd of touching balls and boxes leaves no garbage that grows with the detections',
    steps: 1,
    limit: 100,
    bounds: { quietest: 800, middle: 800, growth: 20 },
    seen: 20,
    setup: () => inCrowd(new Crowd(40, 41, { reading: 'penalty' }, ['sphere', 'box'])),
  },
]

const polyhedra: Subject[] = [
  ...[ground, step].map((fixture) => ({
    name: 'nor do the volumes of polyhedra on the ground and on a fixed box',
    steps: 4,
    limit: 160,
    // one boxed number a detection would be 16 bytes
    bounds: { quietest: 4, middle: 4 },
    seen: 0,
    setup: () => detections(fixture, 'volume'),
  })),
  {
    name: 'nor do meshes that move, on a fixed box',
    steps: 2,
    limit: 80,
    seen: 1,
    setup: () => detections(step, 'manifold', true),
  },
  ...[ground, step].map((fixture) => ({
    name: 'nor do single points on the ground and on a fixed box',
    steps: 4,
    limit: 160,
    bounds: { quietest: 4, middle: 4 },
    seen: 0,
    setup: () => detections(fixture, 'point'),
  })),
]

const queriesOfPairs: Subject[] = (
  [
    ['distance', 'signed distances'],
    ['warm', 'signed distances from where the last ones ended'],
    ['manifold', 'manifolds of at most four points, with a memory'],
  ] as const
).map(([what, name]) => ({
  name: `${name} of all pairs of shapes, apart and overlapping, allocate nothing`,
  steps: 4,
  limit: 240,
  // two boxed numbers a query would be 32 bytes; V8 leaves a few, of a few pairs
  bounds: { quietest: 4, middle: 4 },
  seen: 1 / 3,
  setup: () => queries(what),
}))

export const groups = { detection, polyhedra, queriesOfPairs }
