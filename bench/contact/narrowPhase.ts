import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import rapier from '@dimforge/rapier3d-compat'
import loadMujoco, { type MainModule } from '@mujoco/mujoco'
import { convexManifold, createManifoldScratch } from '../../contact/detection/manifold/convexManifold.ts'
import { halfSpaceManifold } from '../../contact/detection/manifold/halfSpaceManifold.ts'
import { createManifold } from '../../contact/detection/manifold/manifold.ts'
import {
  type Collider,
  createCollider,
  hullOf,
  placeCollider,
  placeCore,
  type Shape,
  signedDistance,
} from '../../contact/geometry/index.ts'
import { createRandom, quaternionOfRotation, type Random } from '../../dynamics/index.ts'
import { compareSides, type Row, rowOf } from '../measure.ts'

/*
 * One query of two shapes, without help from the last one: from the pose of B to the distance with its points, or to the manifold.
 * A stands still. Beside us, in one process:
 *   MuJoCo WASM   mj_geomDistance, with the two points; mj_collision of a model of these two geoms, whose broad phase passes the
 *                 pair on. Poses are written where its kinematics would leave them.
 *   Rapier        Collider.contactCollider after setting the pose; for manifolds its own profiler's time of the narrow phase of a
 *                 step of the two bodies, in single precision. It has a thread of its own in this process: once the memory of its
 *                 WASM has grown, V8 checks every typed array of that thread for having lost its buffer, which would cost us a
 *                 quarter and more.
 *
 * In the manifolds of boxes and hulls we are behind by a factor of 1.5 to 2: our depth is proven to 1e-12 of the size and its normal is
 * that of the features that meet, in JavaScript. Half of our time on hulls is GJK finding the
 * overlap. A pair that is followed with a memory (`signedDistanceWarm`, `convexManifoldWarm`) takes a third of the time when apart,
 * and 1 to 1.5 microseconds less when it overlaps; these rows do without.
 */

interface Pair {
  readonly name: string
  readonly a: Shape
  readonly b: Shape
  /** Rotation and place of B for one of the poses. */
  pose(random: Random, manifold: boolean): readonly [Float64Array, Float64Array]
}

const poseCount = 64
const rounds = 20
const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const zero = new Float64Array(3)

/** Points on an ellipsoid of half axes 0.3, 0.4 and 0.5 m, all of them corners of their hull. */
function hull(count: number, seed: number): Shape {
  const random = createRandom(seed)
  const cloud = new Float64Array(3 * count)
  for (let i = 0; i < count; i++) {
    const v = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)]
    const length = Math.hypot(...v)
    for (let k = 0; k < 3; k++) cloud[3 * i + k] = ((0.3 + 0.1 * k) * v[k]) / length
  }
  return { type: 'hull', polyhedron: hullOf(cloud) }
}

function rotationAbout(axis: readonly number[], angle: number): Float64Array {
  const length = Math.hypot(...axis)
  const [x, y, z] = axis.map((c) => c / length)
  const c = Math.cos(angle)
  const s = Math.sin(angle)
  const d = 1 - c
  return Float64Array.from([
    ...[c + d * x * x, d * x * y - s * z, d * x * z + s * y],
    ...[d * x * y + s * z, c + d * y * y, d * y * z - s * x],
    ...[d * x * z - s * y, d * y * z + s * x, c + d * z * z],
  ])
}

const anyRotation = (random: Random) =>
  rotationAbout([random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)], random.between(-3, 3))

const distance = new Float64Array(10)

/** Apart by 0.05 m to 0.3 m in any direction, or overlapping by 1 mm. */
function anywhere(a: Shape, b: Shape): Pair['pose'] {
  return (random, manifold) => {
    const R = anyRotation(random)
    const way = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)]
    const length = Math.hypot(...way)
    const target = manifold ? -0.001 : random.between(0.05, 0.3)
    const ca = placed(a, identity, zero)
    let reach = 2
    const at = () => Float64Array.from(way, (x) => (reach * x) / length)
    // the distance falls no faster than B moves
    for (let n = 0; n < 100; n++) {
      signedDistance(ca, placed(b, R, at()), distance)
      reach -= distance[0] - target
    }
    return [R, at()]
  }
}

function placed(shape: Shape, R: Float64Array, p: Float64Array): Collider {
  const collider = createCollider(shape)
  placeCollider(collider, R, p, identity, zero)
  placeCore(collider)
  return collider
}

const box: Shape = { type: 'box', size: [1, 0.8, 0.6] }
const small: Shape = { type: 'box', size: [0.5, 0.4, 0.3] }
const cylinder: Shape = { type: 'cylinder', radius: 0.2, length: 0.3 }
const plane: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: 0 }
const [hull32, other32] = [hull(32, 1), hull(32, 2)]
const [hull256, other256] = [hull(256, 3), hull(256, 4)]

/** Standing or resting on A with its lowest face 1 mm deep, turned about the vertical and tilted by up to 1e-4. */
const resting =
  (height: number): Pair['pose'] =>
  (random) => {
    const R = rotationAbout([random.between(-1e-4, 1e-4), random.between(-1e-4, 1e-4), 1], random.between(-3, 3))
    return [R, Float64Array.from([random.between(-0.2, 0.2), random.between(-0.2, 0.2), height - 0.001])]
  }

const pairs: readonly Pair[] = [
  {
    name: 'box-box',
    a: box,
    b: small,
    pose: (random, manifold) => (manifold ? resting(0.45) : anywhere(box, small))(random, manifold),
  },
  {
    name: 'cylinder-plane',
    a: plane,
    b: cylinder,
    pose: (random, manifold) =>
      manifold ? resting(0.15)(random, true) : [anyRotation(random), Float64Array.from([0, 0, random.between(0.3, 0.6)])],
  },
  { name: 'hull-hull 32', a: hull32, b: other32, pose: anywhere(hull32, other32) },
  { name: 'hull-hull 256', a: hull256, b: other256, pose: anywhere(hull256, other256) },
]

export const narrowPhaseRowNames: readonly string[] = pairs.flatMap(({ name }) => [`${name} distance`, `${name} manifold`])

/** Rows whose name contains `wanted`, each with the faster of the two peers; `report` hears of each as it is there. */
export async function narrowPhaseRows(wanted: string, report: (row: Row) => void): Promise<void> {
  const mj = await loadMujoco()
  // a thread does not inherit what lets this one read TypeScript
  const loader = new URL('../../scripts/typescript.mjs', import.meta.url).href
  const entry = `import { register } from 'node:module'; register('${loader}'); await import('${import.meta.url}')`
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(entry)}`), { workerData: 'rapier' })
  for (const [i, pair] of pairs.entries()) {
    for (const manifold of [false, true]) {
      const name = `${pair.name} ${manifold ? 'manifold' : 'distance'}`
      if (!name.includes(wanted)) continue
      const poses = posesOf(pair, manifold)
      const mine = ourSide(pair, poses, manifold)
      const calls = rounds * poseCount
      const mujoco = mujocoSide(mj, pair, poses, manifold)
      expectSame(name, 'MuJoCo', mine.answer, mujoco.answer)
      const beside = await compareSides(name, { run: mine.run, calls }, 'MuJoCo WASM', { run: mujoco.run, calls })
      mujoco.delete()
      thread.postMessage([i, manifold])
      const [other] = (await once(thread, 'message')) as [RapierAnswer]
      expectSame(name, 'Rapier', mine.answer, other.answer)
      const { ours_us } = beside
      const { us } = other
      report(us < beside.peer_us ? rowOf(name, ours_us, 'Rapier', us) : beside)
    }
  }
  await thread.terminate()
}

interface RapierAnswer {
  /** Summed over the poses [m]. */
  readonly answer: number
  /** A query. */
  readonly us: number
}

function posesOf(pair: Pair, manifold: boolean): (readonly [Float64Array, Float64Array])[] {
  const random = createRandom(7)
  return Array.from({ length: poseCount }, () => pair.pose(random, manifold))
}

/** The sum over all poses of the distance, or of the deepest gap: that all sides answer the same question. */
function expectSame(name: string, peer: string, ours: number, theirs: number): void {
  const mean = Math.abs(ours - theirs) / poseCount
  if (!(mean < 1e-3)) throw new Error(`${name}: ${peer} answers ${theirs / poseCount} m in the mean, we ${ours / poseCount} m`)
}

type Timed = ReturnType<typeof ourSide>

function ourSide({ a, b }: Pair, poses: readonly (readonly [Float64Array, Float64Array])[], manifold: boolean) {
  const A = placed(a, identity, zero)
  const B = createCollider(b)
  const out = new Float64Array(10)
  const points = createManifold(1000)
  const scratch = createManifoldScratch(1000)
  const ground = Float64Array.from([0, 0, 1, 0])
  const query = (i: number) => {
    const [R, p] = poses[i]
    placeCollider(B, R, p, identity, zero)
    if (manifold) {
      if (a.type === 'halfspace') halfSpaceManifold(B, ground, points)
      else {
        placeCore(B)
        convexManifold(A, B, scratch, points)
      }
    } else {
      placeCore(B)
      signedDistance(A, B, out)
    }
  }
  const run = () => {
    for (let round = 0; round < rounds; round++) for (let i = 0; i < poses.length; i++) query(i)
  }
  let answer = 0
  for (let i = 0; i < poses.length; i++) {
    query(i)
    answer += manifold ? Math.min(...points.gap.subarray(0, points.count)) : out[0]
  }
  return { run, /** Summed over the poses [m]. */ answer }
}

function mujocoSide(
  mj: MainModule,
  { a, b }: Pair,
  poses: readonly (readonly [Float64Array, Float64Array])[],
  manifold: boolean,
): Timed & { delete(): void } {
  const geomOf = (shape: Shape, name: string): [string, string] => {
    switch (shape.type) {
      case 'halfspace':
        return ['', '<geom type="plane" size="0 0 1"/>']
      case 'box':
        return ['', `<geom type="box" size="${shape.size.map((x) => x / 2).join(' ')}"/>`]
      case 'cylinder':
        return ['', `<geom type="cylinder" size="${shape.radius} ${shape.length / 2}"/>`]
      case 'hull':
        return [`<mesh name="${name}" vertex="${shape.polyhedron.vertices.join(' ')}"/>`, `<geom type="mesh" mesh="${name}"/>`]
      default:
        throw new Error(`no row has a ${shape.type}`)
    }
  }
  const [assetA, geomA] = geomOf(a, 'a')
  const [assetB, geomB] = geomOf(b, 'b')
  const model = mj.MjModel.from_xml_string(
    `<mujoco><asset>${assetA}${assetB}</asset><worldbody>${geomA}<body><freejoint/>${geomB}</body></worldbody></mujoco>`,
  )
  if (model === null) throw new Error('MuJoCo did not compile the pair')
  const data = new mj.MjData(model)
  // each pose as the kinematics leave it
  const live = [data.xpos, data.xquat, data.xmat, data.xipos, data.ximat, data.geom_xpos, data.geom_xmat] as Float64Array[]
  const q = new Float64Array(4)
  const kept = poses.map(([R, p]) => {
    quaternionOfRotation(q, 0, R)
    data.qpos.set([...p, q[3], q[0], q[1], q[2]])
    mj.mj_kinematics(model, data)
    mj.mj_comPos(model, data)
    return live.map((array) => array.slice())
  })
  const fromTo = new mj.DoubleBuffer(6)
  const geomPlaces = live.length - 2
  const query = (i: number): number => {
    // the bodies' places matter to the broad phase alone
    for (let k = manifold ? 0 : geomPlaces; k < live.length; k++) live[k].set(kept[i][k])
    if (!manifold) return mj.mj_geomDistance(model, data, 0, 1, 10, fromTo)
    mj.mj_collision(model, data)
    return 0
  }
  const run = () => {
    for (let round = 0; round < rounds; round++) for (let i = 0; i < poses.length; i++) query(i)
  }
  let answer = 0
  for (let i = 0; i < poses.length; i++) {
    const d = query(i)
    if (!manifold) answer += d
    else {
      let deepest = 0
      for (let c = 0; c < data.ncon; c++) deepest = Math.min(deepest, data.contact.get(c)?.dist ?? 0)
      answer += deepest
    }
  }
  return {
    run,
    answer,
    delete: () => {
      fromTo.delete()
      data.delete()
      model.delete()
    },
  }
}

function rapierSide({ a, b }: Pair, poses: readonly (readonly [Float64Array, Float64Array])[], manifold: boolean): RapierAnswer {
  const descOf = (shape: Shape) => {
    switch (shape.type) {
      case 'halfspace':
        return new rapier.ColliderDesc(new rapier.HalfSpace({ x: 0, y: 0, z: 1 }))
      case 'box':
        return rapier.ColliderDesc.cuboid(shape.size[0] / 2, shape.size[1] / 2, shape.size[2] / 2)
      case 'cylinder':
        // its cylinders lie along y
        return rapier.ColliderDesc.cylinder(shape.length / 2, shape.radius).setRotation({
          x: Math.SQRT1_2,
          y: 0,
          z: 0,
          w: Math.SQRT1_2,
        })
      case 'hull':
        return rapier.ColliderDesc.convexHull(Float32Array.from(shape.polyhedron.vertices))
      default:
        return null
    }
  }
  const [descA, descB] = [descOf(a), descOf(b)]
  if (!descA || !descB) throw new Error('Rapier makes no collider of this shape')
  const world = new rapier.World({ x: 0, y: 0, z: 0 })
  world.profilerEnabled = true
  world.timestep = 1e-6
  const colliderA = world.createCollider(descA)
  const body = world.createRigidBody(rapier.RigidBodyDesc.dynamic().setCanSleep(false))
  const colliderB = world.createCollider(descB, body)
  const places = poses.map(([R, p]) => {
    const q = new Float64Array(4)
    quaternionOfRotation(q, 0, R)
    return [
      { x: p[0], y: p[1], z: p[2] },
      { x: q[0], y: q[1], z: q[2], w: q[3] },
    ] as const
  })
  const put = (i: number) => {
    body.setTranslation(places[i][0], true)
    body.setRotation(places[i][1], true)
  }
  const step = (i: number): number => {
    put(i)
    body.setLinvel({ x: 0, y: 0, z: 0 }, true)
    body.setAngvel({ x: 0, y: 0, z: 0 }, true)
    world.step()
    return 1e3 * world.timingNarrowPhase()
  }
  const query = (i: number): number => {
    put(i)
    world.propagateModifiedBodyPositionsToColliders()
    return colliderA.contactCollider(colliderB, 10)?.distance ?? 10
  }
  let answer = 0
  for (let i = 0; i < poses.length; i++) {
    if (!manifold) answer += query(i)
    else {
      step(i)
      let deepest = 0
      world.contactPair(colliderA, colliderB, (points) => {
        for (let c = 0; c < points.numContacts(); c++) deepest = Math.min(deepest, points.contactDist(c))
      })
      answer += deepest
    }
  }
  const samples: number[] = []
  for (let round = 0; round < 10 * rounds; round++) {
    const start = performance.now()
    let spent = 0
    for (let i = 0; i < poses.length; i++) spent += manifold ? step(i) : query(i) * 0
    // its own clock is coarse, so the sum over the poses is one sample
    samples.push((manifold ? spent : 1e3 * (performance.now() - start)) / poses.length)
  }
  samples.sort((x, y) => x - y)
  return { answer, us: samples[samples.length >> 1] }
}

if (!isMainThread && workerData === 'rapier') {
  await rapier.init()
  parentPort?.on('message', ([i, manifold]: [number, boolean]) => {
    parentPort?.postMessage(rapierSide(pairs[i], posesOf(pairs[i], manifold), manifold))
  })
}
