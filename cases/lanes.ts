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
export function doRows(
  jobs: readonly RowJob[],
  threads: number,
  done: (index: number, trials: readonly Trial[]) => void,
): Promise<void> {
  const take = (index: number, trials: readonly Trial[] | string) =>
    done(index, typeof trials === 'string' ? [broken(trials)] : trials)
  return onLanes(jobs, threads, doRow, take)
}

/**
 * Jobs of `cases/worker.ts`, each on the next thread that is free.
 *
 * @param done with a job's result, or why there is none
 */
export async function onLanes<Job, Result extends object>(
  jobs: readonly Job[],
  threads: number,
  here: (job: Job) => Promise<Result>,
  done: (index: number, result: Result | string) => void,
): Promise<void> {
  let next = 0
  if (threads === 0 || !canUseThreads()) {
    for (; next < jobs.length; next++) done(next, await here(jobs[next]))
    return
  }
  const lanes = Math.min(threads, jobs.length)
  const lane = async () => {
    let worker: Worker | undefined = idle.pop()
    while (next < jobs.length) {
      const index = next++
      worker ??= new Worker(moduleUrl('cases/worker'), { stdout: true })
      worker.ref()
      const result = await answer<Result>(worker, jobs[index], ROW_PATIENCE * lanes)
      done(index, result)
      if (typeof result !== 'string') continue
      await worker.terminate()
      worker = undefined
    }
    worker?.unref()
    if (worker) idle.push(worker)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Threads that wait: a search has hundreds of batches of jobs, and a log is read once a thread. */
const idle: Worker[] = []

/** The result, or the thread's failure. @param patience processor time of this process [s] */
function answer<Result>(worker: Worker, job: unknown, patience: number): Promise<Result | string> {
  return new Promise((resolve) => {
    const finish = (result: Result | string) => {
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
