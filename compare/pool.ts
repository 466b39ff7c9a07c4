/**
 * Jobs on worker threads. Every job is one run by itself, so the outcomes are the same bits whatever the number of
 * threads and whatever order they end in. A run whose controller never returns, or whose thread dies, ends as a failed
 * outcome; its thread is replaced and the other jobs go on.
 */
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { IN_METRICS } from '../control/index.ts'
import type { Robot } from '../robots/index.ts'
import type { JobStore } from './jobStore.ts'
import { doJob, failed, INTERRUPTED, type Job, LOADING, type Outcome, stepOf } from './run.ts'
import type { RobotCache } from './setup.ts'
import type { Reply, Request, WorkerStart } from './worker.ts'

export interface PoolOptions {
  /** How many at once. 0 runs in this thread, one after the other, without a watchdog. Default: one per processor, at most 8. */
  readonly threads?: number
  /** A controller that has not returned for this long ends its run [s]. */
  readonly patience: number
  /** Robots that were read before; threads are given copies, so that not each of them reads them again. */
  readonly robots?: RobotCache
  /** Threads of earlier jobs, whose code is compiled; where they go when there is nothing left to do. Default: they end. */
  readonly idle?: IdleThreads
  /** Where outcomes are kept, and jobs looked up that were done before. */
  readonly store?: JobStore
  /** Ends the jobs under way: runs end with what they have come to, as failed ones. */
  readonly stop?: AbortSignal
  /** Called as jobs get on: the part of all work that is done, 0 to 1. */
  readonly progress?: (fraction: number) => void
  /** Called with each outcome when it is there; outcomes are then not kept, and what `runJobs` returns is empty. */
  readonly done?: (index: number, outcome: Outcome) => void
}

/** A step that takes longer than this without the controller being to blame has hung [s]. */
const STEP_PATIENCE = 120
/** More time for a script to be loaded, which compiles it [s]. */
const LOADING_PATIENCE = 5
const WATCH_PERIOD = 100 // ms
/** A run that is to stop and has not come to the end of its step by then is given up [ms]. */
const STOP_PATIENCE = 2000
const MANY = 100 // jobs

/** Whether threads can be had: a worker loads JavaScript, so not when this is running from TypeScript sources. */
export function canUseThreads(): boolean {
  return import.meta.url.endsWith('.js')
}

/** Does all jobs; outcome i is that of job i. */
export async function runJobs(jobs: readonly Job[], options: PoolOptions): Promise<Outcome[]> {
  const threads = options.threads ?? (canUseThreads() ? Math.min(8, availableParallelism()) : 0)
  const fractions = new Float64Array(jobs.length)
  const weights = jobs.map((job) =>
    job.kind === 'timing' ? 1 : (job.scenario.duration / stepOf(job)) * (job.kind === 'reference' ? 1 : 2),
  )
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let done = 0
  const advance = (index: number, fraction: number) => {
    done += (fraction - fractions[index]) * weights[index]
    fractions[index] = fraction
    options.progress?.(done / total)
  }
  const outcomes: Outcome[] = []
  const { store } = options
  await store?.reads(options.robots ?? new Map(), jobs)
  const doOne = async (index: number, work: () => Promise<Outcome>) => {
    const known = store?.load(jobs[index])
    const outcome = known ?? (await work())
    if (known === undefined) store?.keep(jobs[index], outcome)
    if (options.done) options.done(index, outcome)
    else outcomes[index] = outcome
    advance(index, 1)
  }
  if (threads === 0) {
    const robots: RobotCache = options.robots ?? new Map()
    for (let i = 0; i < jobs.length; i++) {
      await doOne(i, () => doJob(jobs[i], { robots, progress: (fraction) => advance(i, fraction) }))
    }
    return outcomes
  }
  // the longest first, so that no thread is left with one at the end; of many in their order, so that what belongs together is
  // there together
  const queue = jobs.map((_, i) => i)
  if (jobs.length <= MANY) queue.sort((a, b) => weights[b] - weights[a] || a - b)
  // optimised code is there after so many calls, and not when a compiler's thread got a processor: times hang on it
  const isTiming = jobs.some(({ kind }) => kind === 'timing')
  if (isTiming) setFlagsFromString('--no-concurrent-recompilation') // threads take it over when they begin
  const robots = await Promise.all([...(options.robots ?? [])].map(async ([key, robot]) => [key, await robot] as const))
  const lane = async () => {
    let thread: Thread | undefined
    try {
      for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
        const i = index
        await doOne(i, async () => {
          if (!thread?.alive) {
            await thread?.end()
            thread = (isTiming ? undefined : options.idle?.take()) ?? new Thread()
          }
          return thread.run(i, jobs[i], robots, options, (fraction) => advance(i, fraction))
        })
      }
    } catch (error) {
      queue.length = 0 // the other lanes end after the jobs they are at
      throw error
    } finally {
      // what a thread has done before shows in its times: those are taken in one of their own
      if (thread?.alive && !isTiming && options.idle) options.idle.keep(thread)
      else await thread?.end()
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: Math.min(threads, jobs.length) }, lane))
  if (isTiming) setFlagsFromString('--concurrent-recompilation')
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return outcomes
}

/** Threads with nothing to do. Whoever makes one ends it. */
export class IdleThreads {
  private readonly threads: Thread[] = []

  /** @internal */
  take(): Thread | undefined {
    for (let thread = this.threads.pop(); thread; thread = this.threads.pop()) if (thread.alive) return thread
    return undefined
  }

  /** @internal */
  keep(thread: Thread): void {
    this.threads.push(thread)
  }

  async end(): Promise<void> {
    await Promise.all(this.threads.splice(0).map((thread) => thread.end()))
  }
}

type Robots = readonly (readonly [string, Robot])[]

/** One worker and what this thread knows of it. */
class Thread {
  alive = true
  private readonly signals = new Int32Array(new SharedArrayBuffer(12))
  private readonly worker: Worker
  private readonly sent = new Set<Robot>()

  constructor() {
    const workerData: WorkerStart = { signals: this.signals }
    // what a controller prints goes to stderr: stdout belongs to the result
    this.worker = new Worker(new URL('./worker.js', import.meta.url), { workerData, stdout: true })
    this.worker.stdout.on('data', (chunk) => process.stderr.write(chunk))
    // it may also die between two jobs
    const isOver = () => {
      this.alive = false
    }
    this.worker.on('error', isOver).on('exit', isOver)
  }

  async end(): Promise<void> {
    this.alive = false
    await this.worker.terminate()
  }

  run(
    index: number,
    job: Job,
    robots: Robots,
    { patience, stop }: PoolOptions,
    progress: (fraction: number) => void,
  ): Promise<Outcome> {
    const { worker, signals } = this
    return new Promise((resolve) => {
      const finish = (outcome: Outcome) => {
        clearInterval(watch)
        clearTimeout(deadline)
        stop?.removeEventListener('abort', onStop)
        worker.off('message', onMessage).off('error', onError).off('exit', onExit)
        resolve(outcome)
      }
      const giveUp = (failure: string) => {
        this.alive = false
        void worker.terminate()
        finish(failed(failure))
      }
      const onMessage = (reply: Reply) => {
        if (reply.index !== index) return
        if ('outcome' in reply) {
          if (!reply.isFit) this.alive = false
          finish(reply.outcome)
        } else progress(reply.fraction)
      }
      const onError = (error: Error & { code?: string }) => {
        this.alive = false
        finish(
          failed(
            error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'the run needed more memory than its thread may have' : error.message,
          ),
        )
      }
      const onExit = (code: number) => {
        this.alive = false
        finish(failed(`the run's thread ended by itself with code ${code}; a controller must not call process.exit`))
      }
      let deadline: ReturnType<typeof setTimeout> | undefined
      const onStop = () => {
        if (job.kind === 'timing') return giveUp(INTERRUPTED)
        Atomics.store(signals, 2, 1)
        deadline = setTimeout(() => giveUp(INTERRUPTED), STOP_PATIENCE)
      }
      if (stop?.aborted) onStop()
      stop?.addEventListener('abort', onStop)
      let [tick, life, since] = [0, 0, performance.now()]
      const watch = setInterval(() => {
        const [nowTick, nowLife] = [Atomics.load(signals, 0), Atomics.load(signals, 1)]
        if (nowTick !== tick || nowLife !== life) {
          ;[tick, life, since] = [nowTick, nowLife, performance.now()]
          return
        }
        const waited = (performance.now() - since) / 1e3
        const limit = tick === LOADING ? patience + LOADING_PATIENCE : patience
        if (tick !== 0 && waited > limit) giveUp(hung(job, tick, limit))
        else if (waited > STEP_PATIENCE)
          giveUp(`a step did not return within ${STEP_PATIENCE} s; this is a defect of the contact model or of the simulation`)
      }, WATCH_PERIOD)
      worker.on('message', onMessage).on('error', onError).on('exit', onExit)
      const unknown = robots.filter(([, robot]) => !this.sent.has(robot))
      for (const [, robot] of unknown) this.sent.add(robot)
      worker.postMessage({ index, job, robots: unknown } satisfies Request)
    })
  }
}

function hung(job: Job, tick: number, patience: number): string {
  if (tick === LOADING) return `controller could not be loaded within ${patience} s: its top level did not return`
  if (tick === IN_METRICS) return `controller did not return from metrics within ${patience} s`
  if (tick < 0) return `controller did not return from init within ${patience} s`
  if (job.kind === 'timing') return `controller did not return within ${patience} s in step ${tick - 1} of a run that was timed`
  const t = (tick - 1) * stepOf(job)
  return `controller did not return within ${patience} s at t = ${Number(t.toPrecision(6))} s`
}
