/*
 * npm run bench -- worlds [COUNT] [MODEL] [--json]
 *
 * COUNT (4,096) of our humanoids in motion on the ground, each with joint velocities of its own, under constant efforts: steps of one `World`, of a
 * `WorldBatch` by calls of 1 and 20 steps, and of `createWorldThreads` on two threads, beside native MuJoCo's `rollout` of the same robots on one thread
 * and two, where `featherbed engines mujoco-native` has installed it. A sample is 100 steps of 1 ms from the start, the best of three in turns.
 * Contacts are compared after each 20 steps, world by world. Rows have the time of the clock, and in words that of all processors.
 */

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createControllerLoop, hold } from '../../control/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { installedVersion, pythonOf } from '../../engines/index.ts'
import { mjcfOf } from '../../engines/mujoco/model.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { type BatchArrays, World, WorldBatch, type WorldOptions } from '../../simulation/index.ts'
import { createWorldThreads, type WorldThreads } from '../../simulation/threads.ts'
import { clock } from '../clock.ts'
import { type Row, rowOf } from '../measure.ts'
import { onGround } from '../mujocoScene.ts'

const [STEPS, CHUNK, ROUNDS, THREADS, DT] = [100, 20, 3, 2, 1e-3]
/** Joint velocities at the start are below [rad/s]. */
const SPEED = 0.3

/** Seconds of a sample, those of processor time of all threads, and each world's contacts in the last of each `CHUNK`. */
type Sample = readonly [seconds: number, processor: number, contacts: readonly number[]]
type Start = (to: Pick<BatchArrays, 'v' | 'tau'>, i: number) => void

const robot = loadOwnRobot('humanoid')
const { model } = robot

/** Samples of native MuJoCo with the same robots, on so many threads. */
function rollouts(python: string, v: readonly number[][], tau: Float64Array) {
  const child = spawn(python, [fileURLToPath(new URL('rollout.py', import.meta.url))], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const [x, y, z, qx, qy, qz, qw] = robot.home
  const joints = [...robot.joints].sort((a, b) => a.body - b.body)
  const qpos = [x, y, z, qw, qx, qy, qz, ...joints.map(({ qIndex }) => robot.home[qIndex])]
  const order = { bodies: robot.joints.map(({ body }) => body), tau: robot.joints.map(({ vIndex }) => tau[vIndex]) }
  const start = { mjcf: mjcfOf(model, onGround(robot, DT)), threads: THREADS, steps: STEPS, chunk: CHUNK, qpos, v, ...order }
  child.stdin.write(`${JSON.stringify(start)}\n`)
  return async (threads: number): Promise<Sample> => {
    child.stdin.write(`${threads}\n`)
    const { value: line, done } = await lines.next()
    if (done === true) throw new Error(`${python} has ended; its message stands above`)
    return JSON.parse(line)
  }
}

function timed(run: () => void): readonly [seconds: number, processor: number] {
  const [then, spent] = [performance.now(), clock()]
  run()
  return [(performance.now() - then) / 1e3, (clock() - spent) / 1e6]
}

/** @param n steps of a call */
function sampleOf(batch: WorldBatch | WorldThreads, begin: Start, n: number): Sample {
  for (let i = 0; i < batch.active.length; i++) {
    batch.reset(i)
    begin(batch, i)
  }
  const contacts: number[] = []
  const times = timed(() => {
    for (let k = n; k <= STEPS; k += n) {
      batch.step(n)
      if (k % CHUNK === 0) contacts.push(...batch.contactCounts)
    }
  })
  if (batch.active.includes(0)) throw new Error('a world has failed')
  return [...times, contacts]
}

/** The first world by itself, the best of a hundred times. */
function sampleOfOne(options: WorldOptions, begin: Start): Sample {
  const world = new World(options)
  const start = world.checkpoint()
  const times = Array.from({ length: 100 }, () => {
    world.restore(start)
    begin({ v: world.state.v, tau: world.tau }, 0)
    return timed(() => {
      for (let k = 0; k < STEPS; k++) world.step()
    })
  })
  return [Math.min(...times.map(([seconds]) => seconds)), Math.min(...times.map(([, spent]) => spent)), []]
}

export async function worldsRows([count = '4096', contactModel = 'ncp']: readonly string[]): Promise<Row[]> {
  const worlds = Number(count)
  const options = { robot, contactModel, dt: DT } as WorldOptions
  // what holds the robot at home
  const holding = new World({ ...options, controller: createControllerLoop(hold(), robot) })
  holding.step()
  const { tau } = holding
  const random = createRandom(1)
  const speeds = Array.from({ length: worlds }, () => robot.joints.map(() => random.between(-SPEED, SPEED)))
  const begin: Start = (to, i) => {
    to.tau.set(tau, i * model.nv)
    robot.joints.forEach(({ vIndex }, j) => {
      to.v[i * model.nv + vIndex] = speeds[i][j]
    })
  }
  let one!: WorldBatch
  const [, built] = timed(() => {
    one = new WorldBatch({ count: worlds, ...options })
  })
  const two = await createWorldThreads({ count: worlds, threads: THREADS, ...options })
  const python = installedVersion('mujoco-native') === undefined ? undefined : pythonOf('mujoco-native')
  const native = python === undefined ? undefined : rollouts(python, speeds, tau)
  const sides: Readonly<Record<string, () => Sample | Promise<Sample>>> = {
    ...(native && { 'MuJoCo rollout': () => native(1), [`MuJoCo rollout, ${THREADS} threads`]: () => native(THREADS) }),
    'one world': () => sampleOfOne(options, begin),
    'batch, 1 step a call': () => sampleOf(one, begin, 1),
    'batch, 20 steps a call': () => sampleOf(one, begin, CHUNK),
    [`batch, ${THREADS} threads`]: () => sampleOf(two, begin, CHUNK),
  }
  const best: Record<string, [us: number, processor: number]> = {}
  let seen: string | undefined
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(sides)) {
      const [seconds, spent, contacts] = await run()
      const each = 1e6 / STEPS / (contacts.length === 0 ? 1 : worlds)
      const [us, processor] = best[name] ?? [Infinity, Infinity]
      best[name] = [Math.min(us, seconds * each), Math.min(processor, spent * each)]
      if (contacts.length > 0 && contacts.join() !== (seen ??= contacts.join())) throw new Error(`${name} has other contacts`)
    }
  }
  await two.close()
  return Object.entries(best).map(([name, [us, spent]]) => {
    const peer =
      native === undefined ? 'one world' : name.includes('threads') ? `MuJoCo rollout, ${THREADS} threads` : 'MuJoCo rollout'
    const kinds = [...new Set(seen?.split(','))].join(' or ')
    const what = `${spent.toFixed(2)} and ${best[peer][1].toFixed(2)} µs of processor time, ${kinds} contacts a world, built in ${built.toFixed(2)} s`
    return rowOf(`humanoid ${contactModel} ${name}`, us, peer, best[peer][0], what)
  })
}
