/** The thread that rows of the benchmark are computed in; `lanes.ts` starts it. */
import { parentPort } from 'node:worker_threads'
import { doRow, type RowJob } from './job.ts'

parentPort?.on('message', async (job: RowJob) => parentPort?.postMessage(await doRow(job)))
