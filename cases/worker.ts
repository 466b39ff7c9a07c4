/** The thread that rows of the benchmark, and points of a fit, are computed in; `lanes.ts` starts it. */
import { parentPort } from 'node:worker_threads'
import { evaluate, type PointJob } from './fit/evaluation.ts'
import { doRow, type RowJob } from './job.ts'

parentPort?.on('message', async (job: RowJob | PointJob) =>
  parentPort?.postMessage(await ('values' in job ? evaluate(job) : doRow(job))),
)
