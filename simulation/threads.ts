/** Batches of worlds over the worker threads of Node. This module is what its threads run, too. */
import { MessageChannel, type MessagePort, parentPort, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads'
import { moduleUrl } from '../assets.ts'
import { compilation } from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import { type BatchArrays, type BatchOptions, createBatchArrays, WorldBatch } from './batch/worldBatch.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { WorldOptions } from './worldOptions.ts'

/** Makes `BatchOptions.controllers` in each thread, of worlds numbered in the whole batch. */
export type CreateControllers = (options: WorldOptions, data: unknown) => NonNullable<BatchOptions['controllers']>

/** Options of `createWorldThreads`, beside those of each of its worlds. */
export interface ThreadsOptions {
  /** Number of worlds; and of threads, with that of the caller. */
  readonly count: number
  readonly threads: number
  /**
   * Source of controllers, since functions cannot be passed to a thread: URL of a module whose default export is a `CreateControllers`, and data
   * for it, copied but for shared memory. The robot of its options is that of the thread. Default: no controllers.
   */
  readonly controllers?: { readonly module: string; readonly data?: unknown }
}

/** A `WorldBatch` in parts, one for each thread, on shared memory: the bits of each world are those in one thread. */
export interface WorldThreads extends BatchArrays {
  /** As `WorldBatch.step`. */
  step(n?: number): void
  /** As `WorldBatch.reset`. */
  reset(i: number): void
  /** Why a world failed, if it did. */
  failure(i: number): Error | undefined
  /** Of one world, for a `World` of the same options. */
  checkpoint(i: number): Checkpoint
  /** Ends the threads. */
  close(): Promise<void>
}

const calls = {
  step: (batch: WorldBatch, n: number): void => batch.step(n),
  reset: (batch: WorldBatch, i: number): void => batch.reset(i),
  failure: (batch: WorldBatch, i: number): Error | undefined => batch.failure(i),
  checkpoint: (batch: WorldBatch, i: number): Checkpoint => batch.visit(i, (world) => world.checkpoint()),
}
type Name = keyof typeof calls
/** Begins a call. @returns its end, which waits for the answer */
type Caller = <Of extends Name>(name: Of, argument: number) => () => ReturnType<(typeof calls)[Of]>

/** A thread that completes no world for so long has ended [ms]: more than the budgets of many steps. */
const PATIENCE = 600e3

/** A part of the worlds, which one thread computes. */
interface Part extends Omit<ThreadsOptions, 'threads'> {
  readonly options: WorldOptions
  /** Number of its first world. */
  readonly first: number
  readonly arrays?: BatchArrays
}

/** What a thread starts with; `signal` (2) is 1 while a call is to be answered, and counts the worlds that were stepped. */
interface Start extends Part {
  readonly isBatch: true
  readonly port: MessagePort
  readonly signal: Int32Array
}

/**
 * Spreads a batch over threads; the caller's own computes a part.
 *
 * ```ts
 * const batch = await createWorldThreads({ count: 4096, threads: 2, robot, contactModel: 'ncp', dt: 1e-3 })
 * batch.step(20)
 * await batch.close()
 * ```
 *
 * @throws as `WorldBatch`; DataCloneError for options with functions, which cannot be passed to a thread
 */
export async function createWorldThreads(stated: ThreadsOptions & WorldOptions): Promise<WorldThreads> {
  const { count, threads, controllers, ...options } = stated
  is.check({ count, threads, controllers }, threadsKind)
  const firsts = Array.from({ length: threads + 1 }, (_, k) => Math.round((k * count) / threads))
  const parts = firsts.slice(0, -1).map((first, k) => ({ options, controllers, first, count: firsts[k + 1] - first }))
  let arrays = {} as BatchArrays
  const own = await batchOf(parts[0], (nq, nv) => {
    arrays = createBatchArrays(count, nq, nv, true)
    return partOf(arrays, parts[0], count)
  })
  const others = parts.slice(1).map((part) => startThread({ ...part, arrays: partOf(arrays, part, count) }))
  const started = await Promise.all(others)
  const callers: Caller[] = [(name, argument) => () => calls[name](own, argument) as never, ...started.map(([, one]) => one)]
  const call: <Of extends Name>(name: Of, i: number) => ReturnType<(typeof calls)[Of]> = (name, i) => {
    const k = firsts.findIndex((first, k) => i >= first && i < firsts[k + 1])
    if (k < 0 || !Number.isInteger(i)) throw new RangeError(`there is no world ${i}; the batch has ${count}, numbered from 0`)
    return callers[k](name, i - firsts[k])()
  }
  return {
    ...arrays,
    step(n = 1) {
      // the caller's own part is computed at its end, while the others are
      for (const end of callers.map((caller) => caller('step', n))) end()
    },
    reset: (i) => call('reset', i),
    failure: (i) => call('failure', i),
    checkpoint: (i) => call('checkpoint', i),
    async close() {
      for (const [worker] of started) await worker.terminate()
    },
  }
}

async function startThread(part: Part): Promise<readonly [Worker, Caller]> {
  const { port1, port2: port } = new MessageChannel()
  const signal = new Int32Array(new SharedArrayBuffer(8))
  const workerData: Start = { ...part, isBatch: true, port, signal }
  const worker = new Worker(moduleUrl('simulation/threads'), { workerData, transferList: [port] })
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve()).once('error', reject)
  })
  worker.unref()
  const caller: Caller = (name, argument) => {
    port1.postMessage({ name, argument })
    Atomics.store(signal, 0, 1)
    Atomics.notify(signal, 0)
    return () => {
      let stepped: number
      do stepped = Atomics.load(signal, 1)
      while (Atomics.wait(signal, 0, 1, PATIENCE) === 'timed-out' && Atomics.load(signal, 1) !== stepped)
      const { value, error } = receiveMessageOnPort(port1)?.message ?? { error: new Error(`a thread gives no answer to ${name}`) }
      if (error !== undefined) throw error
      return value
    }
  }
  return [worker, caller]
}

/** Views of the arrays for a part of all worlds. */
function partOf(arrays: BatchArrays, { first, count }: Part, all: number): BatchArrays {
  const part = ([name, array]: [string, Float64Array | Int32Array | Uint8Array]) => {
    const width = array.length / all
    return [name, array.subarray(first * width, (first + count) * width)]
  }
  return Object.fromEntries(Object.entries(arrays).map(part))
}

async function batchOf({ options, controllers, first, count }: Part, arrays: BatchOptions['arrays']): Promise<WorldBatch> {
  // a thread waits for calls, and so for nothing that is loaded later
  await compilation.load()
  if (controllers === undefined) return new WorldBatch({ count, arrays, ...options })
  const { default: create } = (await import(/* @vite-ignore */ controllers.module)) as { default: CreateControllers }
  const all = create(options, controllers.data)
  return new WorldBatch({ count, arrays, controllers: (world, robot) => all(first + world, robot), ...options })
}

/** Answers the calls of a thread, for ever. */
async function answer({ port, signal, ...part }: Start): Promise<void> {
  const batch = await batchOf(part, () => part.arrays as BatchArrays)
  parentPort?.postMessage('ready')
  const count = () => Atomics.add(signal, 1, 1)
  for (;;) {
    Atomics.wait(signal, 0, 0)
    const { name, argument }: { name: Name; argument: number } = receiveMessageOnPort(port)!.message
    try {
      port.postMessage({ value: name === 'step' ? batch.step(argument, count) : calls[name](batch, argument) })
    } catch (error) {
      port.postMessage({ error })
    }
    Atomics.store(signal, 0, 0)
    Atomics.notify(signal, 0)
  }
}

const threadsKind = is.fields<ThreadsOptions>(
  { count: is.whole(1), threads: is.whole(1) },
  { controllers: is.made('a module', 'module') },
)

if ((workerData as Partial<Start> | null)?.isBatch) void answer(workerData)
