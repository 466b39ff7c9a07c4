/** Rows of the benchmark on threads, each by itself: an engine that crashes or never returns ends its row alone. */
import { Worker } from 'node:worker_threads'
import { moduleUrl } from '../assets.ts'
import { ROW_PATIENCE, Silence, WATCH_PERIOD } from '../compare/run/patience.ts'
import { canUseThreads } from '../compare/run/pool.ts'
import { doRow, type RowJob } from './job.ts'
import type { Trial } from './trial.ts'

/**
 * @param done called with each row as it is there
 * @param threads 0: in this thread
 */
export async function doRows(
  jobs: readonly RowJob[],
  threads: number,
  done: (index: number, trials: readonly Trial[]) => void,
): Promise<void> {
  let next = 0
  if (threads === 0 || !canUseThreads()) {
    for (; next < jobs.length; next++) done(next, await doRow(jobs[next]))
    return
  }
  const lanes = Math.min(threads, jobs.length)
  const lane = async () => {
    let worker: Worker | undefined
    while (next < jobs.length) {
      const index = next++
      worker ??= new Worker(moduleUrl('cases/worker'), { stdout: true })
      const trials = await answer(worker, jobs[index], ROW_PATIENCE * lanes)
      if (typeof trials === 'string') {
        await worker.terminate()
        worker = undefined
        done(index, [broken(trials)])
      } else done(index, trials)
    }
    await worker?.terminate()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** The trials, or the thread's failure. @param patience processor time of this process [s] */
function answer(worker: Worker, job: RowJob, patience: number): Promise<readonly Trial[] | string> {
  return new Promise((resolve) => {
    const finish = (result: readonly Trial[] | string) => {
      clearInterval(watch)
      worker.off('message', finish).off('error', onError).off('exit', onExit)
      resolve(result)
    }
    const onError = (error: Error) => finish(error.message)
    const onExit = (code: number) => finish(`its thread ended with code ${code}`)
    const silence = new Silence()
    const watch = setInterval(() => {
      const waited = silence.isOver(patience)
      if (waited !== undefined) finish(`no answer within ${waited}`)
    }, WATCH_PERIOD)
    worker.on('message', finish).on('error', onError).on('exit', onExit)
    worker.postMessage(job)
  })
}

const broken = (why: string): Trial => ({
  status: 'failed',
  why,
  values: [],
  lacks: [],
  failures: 0,
  fallbacks: 0,
  contacts: 0,
  cost: 0,
})
