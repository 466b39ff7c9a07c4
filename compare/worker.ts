/** The thread that jobs run in; `pool.ts` starts it. One job at a time, answers in order. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Robot } from '../robots/index.ts'
import { doJob, type Job, type Outcome, runsScript } from './run.ts'
import type { RobotCache } from './setup.ts'

/** To the worker: do this job. */
export interface Request {
  readonly index: number
  readonly job: Job
  /** Robots that were read already, and that it has not been sent before. */
  readonly robots: readonly (readonly [string, Robot])[]
}

/** From the worker: how far the job is, or what came of it, and whether the thread is fit for another. */
export type Reply =
  | { readonly index: number; readonly fraction: number }
  | { readonly index: number; readonly outcome: Outcome; readonly isFit: boolean }

export interface WorkerStart {
  /** Three shared integers: the controller's heartbeat, a count of signs of life, and whether the run is to stop. */
  readonly signals: Int32Array
}

/** What a controller left behind, such as a timer, may take so long to come to its end [ms]. */
const DRAIN = 100

if (parentPort) {
  const port = parentPort
  const { signals } = workerData as WorkerStart
  const heartbeat = signals.subarray(0, 1)
  const robots: RobotCache = new Map()
  // errors that nobody catches: of timers and promises that a controller has begun
  let stray: string | undefined
  const keep = (error: unknown) => {
    stray ??= error instanceof Error ? error.message : String(error)
  }
  process.on('uncaughtException', keep).on('unhandledRejection', keep)
  const own = new Set(process.getActiveResourcesInfo())
  const isBusy = () => process.getActiveResourcesInfo().some((resource) => resource !== 'Immediate' && !own.has(resource))
  const drain = async () => {
    const end = performance.now() + DRAIN
    do await new Promise((resolve) => setImmediate(resolve))
    while (isBusy() && performance.now() < end)
  }

  port.on('message', async ({ index, job, robots: read }: Request) => {
    for (const [key, robot] of read) robots.set(key, Promise.resolve(robot))
    const progress = (fraction: number) => {
      Atomics.add(signals, 1, 1)
      port.postMessage({ index, fraction } satisfies Reply)
    }
    stray = undefined
    let outcome = await doJob(job, { heartbeat, progress, robots, isStopped: () => Atomics.load(signals, 2) !== 0 })
    const isForeign = runsScript(job)
    // before the next job, so that what comes late is charged to its own
    if (isForeign) await drain()
    if (stray !== undefined && outcome.failure === null)
      outcome = { ...outcome, status: 'failed', failure: `the controller left a timer or a promise behind that failed: ${stray}` }
    const isFit = !isForeign || (stray === undefined && !isBusy())
    port.postMessage({ index, outcome, isFit } satisfies Reply)
  })
}
