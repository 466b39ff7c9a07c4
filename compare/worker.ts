/** The thread that jobs run in; `pool.ts` starts it. One job at a time, answers in order. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Robot } from '../robots/index.ts'
import { doJob, type Job, type Outcome } from './run.ts'
import type { RobotCache } from './setup.ts'

/** To the worker: do this job. */
export interface Request {
  readonly index: number
  readonly job: Job
  /** Robots that were read already, and that it has not been sent before. */
  readonly robots: readonly (readonly [string, Robot])[]
}

/** From the worker: how far the job is, or what came of it. */
export type Reply = { readonly index: number; readonly fraction: number } | { readonly index: number; readonly outcome: Outcome }

export interface WorkerStart {
  /** Two shared integers: the controller's heartbeat and a count of signs of life. */
  readonly signals: Int32Array
}

if (parentPort) {
  const port = parentPort
  const { signals } = workerData as WorkerStart
  const heartbeat = signals.subarray(0, 1)
  const robots: RobotCache = new Map()
  port.on('message', async ({ index, job, robots: read }: Request) => {
    for (const [key, robot] of read) robots.set(key, Promise.resolve(robot))
    const progress = (fraction: number) => {
      Atomics.add(signals, 1, 1)
      port.postMessage({ index, fraction } satisfies Reply)
    }
    const outcome = await doJob(job, { heartbeat, progress, robots })
    port.postMessage({ index, outcome } satisfies Reply)
  })
}
