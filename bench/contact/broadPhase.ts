import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import rapier from '@dimforge/rapier3d-compat'
import { median } from '../../compare/measure/statistics.ts'
import { BroadPhase, createCollider, placeCollider, writeBounds } from '../../contact/index.ts'
import { MovingBoxes } from '../../test/contact/detection/movingBoxes.ts'
import { type Row, rowOf } from '../measure.ts'

/*
 * The broad phase of boxes that fly about in a room, each with its own constant velocity, beside Rapier's (a bounding volume
 * hierarchy): from the boxes' poses to the pairs that overlap. Rapier's share of a step is from its own profiler's time of its
 * broad phase; its bodies are sensors, so that nothing pushes them. Both run in this process and take turns, Rapier in a thread of its
 * own: once the memory of its WASM has grown, V8 checks every typed array of that thread for having lost its buffer, which
 * would cost us a quarter.
 */

const dt = 0.01
const steps = 50
const rounds = 9

const identity = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
const zero = new Float64Array(3)

const boxes = 1000
export const broadPhaseRowName = `broad phase ${boxes} boxes`

/** One row: microseconds an update, median over rounds that alternate between the two. */
export async function broadPhaseRow(count = boxes): Promise<Row> {
  const ours = ourSide(count)
  // a thread does not inherit what lets this one read TypeScript
  const loader = new URL('../../scripts/typescript.mjs', import.meta.url).href
  const entry = `import { register } from 'node:module'; register('${loader}'); await import('${import.meta.url}')`
  const theirs = new Worker(new URL(`data:text/javascript,${encodeURIComponent(entry)}`), { workerData: count })
  const samples: [number[], number[]] = [[], []]
  for (let round = -2; round < rounds; round++) {
    const a = ours.run()
    theirs.postMessage('run')
    const [b] = (await once(theirs, 'message')) as [number[]]
    if (round < 0) continue // warm-up
    samples[0].push(...a)
    samples[1].push(...b)
  }
  await theirs.terminate()
  const ours_us = median(samples[0])
  const peer_us = median(samples[1])
  return rowOf(`broad phase ${count} boxes`, ours_us, 'Rapier', peer_us)
}

/** Microseconds of each of so many updates. */
type Run = () => number[]

function ourSide(count: number): { run: Run } {
  const boxes = new MovingBoxes(count, 1)
  const { half, center } = boxes
  const colliders = Array.from({ length: count }, (_, i) =>
    createCollider({ type: 'box', size: [2 * half[3 * i], 2 * half[3 * i + 1], 2 * half[3 * i + 2]] }),
  )
  const broad = new BroadPhase(count)
  const p = new Float64Array(3)
  const run = () =>
    Array.from({ length: steps }, () => {
      boxes.move(dt)
      for (let i = 0; i < count; i++) {
        for (let k = 0; k < 3; k++) p[k] = center[3 * i + k]
        placeCollider(colliders[i], identity, p, identity, zero)
      }
      const start = performance.now()
      for (let i = 0; i < count; i++) writeBounds(colliders[i], zero, 0, broad.bounds, 6 * i)
      broad.update()
      return 1e3 * (performance.now() - start)
    })
  return { run }
}

async function rapierSide(count: number): Promise<{ run: Run }> {
  await rapier.init()
  const boxes = new MovingBoxes(count, 1)
  const { half, center, velocity } = boxes
  const world = new rapier.World({ x: 0, y: 0, z: 0 })
  world.timestep = dt
  world.profilerEnabled = true
  const triple = (from: Float64Array, i: number) => ({ x: from[3 * i], y: from[3 * i + 1], z: from[3 * i + 2] })
  const bodies = Array.from({ length: count }, (_, i) => {
    const { x, y, z } = triple(center, i)
    const body = world.createRigidBody(rapier.RigidBodyDesc.dynamic().setTranslation(x, y, z).setCanSleep(false))
    const size = triple(half, i)
    world.createCollider(rapier.ColliderDesc.cuboid(size.x, size.y, size.z).setSensor(true), body)
    return body
  })
  const run = () =>
    Array.from({ length: steps }, () => {
      boxes.move(dt)
      bodies.forEach((body, i) => {
        body.setLinvel(triple(velocity, i), true)
      })
      world.step()
      return 1e3 * world.timingBroadPhase()
    })
  return { run }
}

if (!isMainThread) {
  const theirs = await rapierSide(workerData as number)
  parentPort?.on('message', () => parentPort?.postMessage(theirs.run()))
}
