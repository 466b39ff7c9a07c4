/** The thread that jobs run in; `pool.ts` starts it. One job at a time, answers in order. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Robot } from '../robots/index.ts'
import { doJob, type Job, type Outcome } from './run.ts'
import type { RobotCache } from './setup.ts'

/** To the worker: do this job. */
export interface Request {
  readonly index: number
  readonly job: Job
}

/** From the worker: how far the job is, or what came of it. */
export type Reply = { readonly index: number; readonly fraction: number } | { readonly index: number; readonly outcome: Outcome }

export interface WorkerStart {
  /** Two shared integers: the controller's heartbeat and a count of signs of life. */
  readonly signals: Int32Array
  /** Robots that were read already. */
  readonly robots: readonly (readonly [string, Robot])[]
}

if (parentPort) {
  const port = parentPort
  const { signals, robots: read } = workerData as WorkerStart
  const heartbeat = signals.subarray(0, 1)
  const robots: RobotCache = new Map(read.map(([key, robot]) => [key, Promise.resolve(robot)]))
  port.on('message', async ({ index, job }: Request) => {
    const progress = (fraction: number) => {
      Atomics.add(signals, 1, 1)
      port.postMessage({ index, fraction } satisfies Reply)
    }
    const outcome = await doJob(job, { heartbeat, progress, robots })
    port.postMessage({ index, outcome } satisfies Reply)
  })
}
