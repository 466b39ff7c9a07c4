/** The thread that jobs run in; `thread.ts` starts it. One job at a time, answers in order. */
import { createHook } from 'node:async_hooks'
import { fstatSync } from 'node:fs'
import { clearTimeout, setImmediate, setTimeout } from 'node:timers'
import { workerData } from 'node:worker_threads'
import { describeThrown } from '../../control/index.ts'
import type { RobotCache } from '../scenario/world/files.ts'
import { BuiltinsSnapshot } from './builtinsSnapshot.ts'
import { oneLine } from './observers.ts'
import { doJob, failed, type Job, runsScript } from './run.ts'
import type { Answer, Robots } from './thread.ts'

/** To the worker: do this job. */
export interface Request {
  readonly index: number
  readonly job: Job
  /** Robots that were read already, and that it has not been sent before. */
  readonly robots: Robots
  /** For the watchdog: how long a controller may compute without an answer [s], and the memory limit of the run [bytes]. */
  readonly patience: number
  readonly memory: number
}

/** To the process around it: a job, or that the one under way is to end behind its step. */
export type Order = Request | 'stop'

/** From the worker: how far the job is, or its result, and whether the thread is fit for another. */
export type Reply =
  | { readonly index: number; readonly fraction: number }
  | { readonly index: number; readonly answer: Answer; readonly isFit: boolean }

export interface WorkerStart {
  /** A port of `worker_threads`; the package's types need none of Node's. */
  readonly port: {
    on(event: 'message', listener: (order: Request) => void): unknown
    postMessage(reply: Reply): void
  }
  /** Three shared integers: the controller's heartbeat, a count of signs of life, and whether the run is to stop. */
  readonly signals: Int32Array
}

/**
 * Leftovers of a controller are awaited for so long after the run's end, on a clock of its own on which timers take their set time
 * and a turn of the event loop takes a millisecond [ms].
 */
const DRAIN = 100
/** Turns of the event loop after which a request that certainly ends, such as reading a file, counts as hung. */
const MOST_TURNS = 10_000
/** Kinds of resources that certainly end: requests to files and cryptography. */
const request = /^FSREQ|REQUEST$/

if (workerData?.signals) {
  const { port, signals } = workerData as WorkerStart
  // a script can reach `parentPort` and `workerData`, too
  for (const key of Object.keys(workerData)) delete workerData[key]
  const heartbeat = signals.subarray(0, 1)
  const robots: RobotCache = new Map()
  let leftovers: GlobalChanges | undefined

  port.on('message', async ({ index, job, robots: read }: Request) => {
    for (const [key, robot] of read) robots.set(key, Promise.resolve(robot))
    const progress = (fraction: number) => {
      Atomics.add(signals, 1, 1)
      port.postMessage({ index, fraction } satisfies Reply)
    }
    const hooks = { heartbeat, progress, robots, isStopped: () => Atomics.load(signals, 2) !== 0 }
    try {
      if (!runsScript(job)) {
        port.postMessage({ index, answer: await doJob(job, hooks), isFit: true } satisfies Reply)
        return
      }
      leftovers ??= await GlobalChanges.watch()
      const outcome = await doJob(job, hooks)
      // before the next job, so that late work is charged to its own
      const { changed, stray, isFit } = await leftovers.drain()
      Atomics.store(heartbeat, 0, 0)
      // a change of the simulation's needs explains all other failures
      const failure = changed ?? outcome.failure ?? stray
      const answer = failure === undefined || failure === outcome.failure ? outcome : failed(failure)
      port.postMessage({ index, answer, isFit } satisfies Reply)
    } catch (error) {
      // this code too needs the shared objects, and a controller may have changed it
      port.postMessage({ index, answer: oneLine(error), isFit: false } satisfies Reply)
    }
  })
}

/** Kinds of resources that are gone only when they are collected as garbage, and do nothing by themselves until then. */
const idleKinds = new Set(['PROMISE', 'FILEHANDLE', 'TickObject', 'Microtask'])

interface Timer extends NodeJS.Timeout {
  readonly _idleTimeout: number
}

/** Something that is not done yet. */
interface Left {
  /** When it is over, on the clock of `DRAIN` [ms]; Infinity: perhaps never. */
  due: number
  /** From when it was begun, or came last. */
  readonly period: number
  readonly timer: Timer | undefined
}

/** GlobalChanges of a controller in a thread. A thread that keeps any of it is not used again, so there is nothing to reset. */
class GlobalChanges {
  private stray: string | undefined
  /** Timers, ports, threads and the like that are not done yet, those too that keep no process from its end. */
  private readonly open = new Map<number, Left>()
  /** On the clock of `DRAIN`. */
  private now = 0
  private isOwn = false
  private readonly commons: BuiltinsSnapshot
  private readonly files: string

  private constructor() {
    // uncaught errors of timers and promises that a controller has begun
    const keep = (error: unknown) => {
      this.stray ??= `the controller left a timer or a promise behind that failed: ${describeThrown(error)}`
    }
    process.on('uncaughtException', keep).on('unhandledRejection', keep)
    const { open } = this
    createHook({
      init: (id, kind, _, resource) => {
        if (this.isOwn || idleKinds.has(kind)) return
        const period =
          kind === 'Timeout' ? (resource as Timer)._idleTimeout : kind === 'Immediate' ? 1 : request.test(kind) ? 0 : Infinity
        open.set(id, { due: this.now + period, period, timer: kind === 'Timeout' ? (resource as Timer) : undefined })
      },
      // a timer that repeats is due again
      before: (id) => {
        const left = open.get(id)
        if (left === undefined || left.period === Infinity) return
        this.now = Math.max(this.now, left.due)
        left.due = this.now + left.period
      },
      destroy: (id) => {
        open.delete(id)
      },
    }).enable()
    this.commons = new BuiltinsSnapshot()
    this.files = openFiles()
  }

  static async watch(): Promise<GlobalChanges> {
    // esbuild keeps a process of its own, which is not the controller's
    await (await import('esbuild')).transform('')
    return new GlobalChanges()
  }

  /**
   * Waits for short work. Timers that are due later are cleared: they might come early, on a machine that was stopped in between.
   *
   * @returns needs of the simulation that a controller changed, and late failures, in words; and whether nothing is left that could
   *   reach the next job
   */
  async drain(): Promise<{ changed?: string; stray?: string; isFit: boolean }> {
    const { open } = this
    this.now = 0
    for (const left of open.values()) left.due = left.period
    let isLeft = false
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      for (const { due, timer } of open.values()) {
        if (timer === undefined || due <= DRAIN) continue
        isLeft = true
        clearTimeout(timer)
      }
      await this.turn(turn < DRAIN)
      const { destroyed, writableLength } = process.stdout
      const isAwaited = (writableLength > 0 && !destroyed) || [...open.values()].some(({ due }) => due <= DRAIN)
      if (!isAwaited && (open.size === 0 || turn >= DRAIN)) break
    }
    const { stray } = this
    const path = this.commons.changed()
    const isFit = stray === undefined && path === undefined && !isLeft && open.size === 0 && openFiles() === this.files
    return { changed: path ? `the controller changed ${path}, which the simulation needs as it was` : undefined, stray, isFit }
  }

  /** A turn of the event loop: at once, or after a rest. */
  private turn(isAtOnce: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.isOwn = true
      if (isAtOnce) setImmediate(resolve)
      else setTimeout(resolve, 1)
      this.isOwn = false
    })
  }
}

/** Descriptors beyond this one are not checked. */
const MOST_FILES = 64

/** Open files of this process, by descriptor: one that a controller closed would be another file of the next job. */
function openFiles(): string {
  let all = ''
  for (let fd = 0; fd < MOST_FILES; fd++) {
    try {
      const { dev, ino } = fstatSync(fd)
      all += `${dev}:${ino}`
    } catch {}
    all += ' '
  }
  return all
}
