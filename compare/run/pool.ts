/**
 * Jobs on worker threads. Every job is one run by itself, so the outcomes are the same bits whatever the number of
 * threads and whatever order they end in. Those that run scripts are done in processes of their own (see `ownProcess.ts`). A run whose
 * controller never returns, or whose thread or process dies, ends as a failed outcome; it is replaced and the other jobs go on.
 */
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { isBuilt } from '../../assets.ts'
import { IN_METRICS, IN_SAVE } from '../../control/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Scenario } from '../scenario/index.ts'
import type { RobotCache } from '../scenario/world/files.ts'
import { LEAVING, LOADING } from './heartbeat.ts'
import type { JobStore } from './jobStore.ts'
import { OwnProcess } from './ownProcess.ts'
import { SANDBOX_PATIENCE, STEP_PATIENCE, STOP_PERIOD, STOP_PERIODS } from './patience.ts'
import { doJob, failed, INTERRUPTED, isWorld, type Job, type Outcome, runsScript, scriptsOf, stepOf } from './run.ts'
import { type Answer, type Hung, type Robots, type Runner, Thread } from './thread.ts'

export interface PoolOptions {
  /** How many at once. 0 runs in this thread, one after the other, without a watchdog. Default: one per processor, at most 8. */
  readonly threads?: number
  /** A script that has computed for so long without returning ends its run [s]. */
  readonly patience: number
  /** Robots that were read before; threads are given copies, so that not each of them reads them again. */
  readonly robots?: RobotCache
  /** Threads of earlier jobs, whose code is compiled; where they go when there is nothing left to do. Default: they end. */
  readonly idle?: IdleThreads
  /** Times are taken in idle threads too, which have done nothing but the run that is timed. */
  readonly timesInIdle?: boolean
  /** Keeps outcomes, and has those of jobs that were done before. */
  readonly store?: JobStore
  /** Ends the jobs under way: runs end as failed, with their results so far. */
  readonly stop?: AbortSignal
  /** Called as jobs get on: the part of all work that is done, 0 to 1. */
  readonly progress?: (fraction: number) => void
  /** Called with each outcome when it is there; outcomes are then not kept, and `runJobs` returns none. */
  readonly done?: (index: number, outcome: Outcome) => void
}

const MANY = 100 // jobs

/** Whether threads can be had: a worker loads JavaScript, so not when this is running from TypeScript sources. */
export function canUseThreads(): boolean {
  return isBuilt
}

/** Does all jobs; outcome i is that of job i. @unchecked */
export async function runJobs(jobs: readonly Job[], options: PoolOptions): Promise<Outcome[]> {
  const threads = options.threads ?? (canUseThreads() ? Math.min(8, availableParallelism()) : 0)
  const fractions = new Float64Array(jobs.length)
  const weights = jobs.map(weightOf)
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
  // the longest first, so that no thread is left with one at the end; of many in their order, so that related ones are
  // there together
  const queue = jobs.map((_, i) => i)
  if (jobs.length <= MANY) queue.sort((a, b) => weights[b] - weights[a] || a - b)
  // optimised code is there after so many calls, and not when a compiler's thread got a processor: times hang on it
  const isTiming = jobs.some(({ kind }) => kind === 'timing')
  if (isTiming) waitForCompiler(true) // threads take it over when they begin
  const robots = await Promise.all([...(options.robots ?? [])].map(async ([key, robot]) => [key, await robot] as const))
  // earlier work of a thread shows in its times: those are taken in one of their own
  const idle = (isTiming && !options.timesInIdle) || options.idle === undefined ? new IdleThreads() : options.idle
  const lane = async () => {
    try {
      for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
        const i = index
        const job = jobs[i]
        await doOne(i, async () => {
          const isForeign = runsScript(job)
          const runner = idle.take(isForeign) ?? (isForeign ? new OwnProcess(isTiming ? [WAITING] : []) : new Thread())
          const request = { index: i, job, patience: patienceWith(job, options.patience), memory: 1e9 * memoryOf(job) }
          const running = runner.run({ ...request, robots: idle.unsent(runner, robots) }, (fraction) => advance(i, fraction))
          const answer = await untilStopped(running, runner, job, options.stop)
          if (runner.alive) idle.keep(runner)
          else await runner.end()
          return outcomeOf(job, answer)
        })
      }
    } catch (error) {
      queue.length = 0 // the other lanes end after the jobs they are at
      throw error
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: Math.min(threads, jobs.length) }, lane))
  if (isTiming) waitForCompiler(false)
  if (idle !== options.idle) await idle.end()
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return outcomes
}

/** Of a job beside others: its steps, and twice those of a run that is measured. */
const weightOf = (job: Job) => (isWorld(job) ? (job.scenario.duration / stepOf(job)) * (job.kind === 'reference' ? 1 : 2) : 1)

const WAITING = '--no-concurrent-recompilation'

/** Of threads that begin from now on: whether they wait for the compiler's code, so that times do not hang on when it had a processor. */
export function waitForCompiler(isWanted: boolean): void {
  setFlagsFromString(isWanted ? WAITING : '--concurrent-recompilation')
}

/** Threads, and processes for scripts, with nothing to do. Its creator ends it. */
export class IdleThreads {
  private readonly runners: Runner[] = []
  private readonly sent = new WeakMap<Runner, Set<Robot>>()

  /** @internal */
  take(isForeign: boolean): Runner | undefined {
    const at = this.runners.findLastIndex((runner) => runner.alive && runner instanceof OwnProcess === isForeign)
    return at < 0 ? undefined : this.runners.splice(at, 1)[0]
  }

  /** @internal */
  keep(runner: Runner): void {
    this.runners.push(runner)
  }

  /** Begins a thread, which loads its code while this one does something else. */
  begin(): void {
    this.runners.push(new Thread())
  }

  /** The robots that this one has not been sent before, and is now. @internal */
  unsent(runner: Runner, robots: Robots): Robots {
    const sent = this.sent.get(runner) ?? new Set()
    this.sent.set(runner, sent)
    const unknown = robots.filter(([, robot]) => !sent.has(robot))
    for (const [, robot] of unknown) sent.add(robot)
    return unknown
  }

  async end(): Promise<void> {
    await Promise.all(this.runners.splice(0).map((runner) => runner.end()))
  }
}

const scenariosOf = (job: Job): readonly Scenario[] => (job.kind === 'timing' ? job.runs : [job]).map(({ scenario }) => scenario)

const memoryOf = (job: Job): number => Math.max(...scenariosOf(job).map(({ memory }) => memory))

/** Processor time that the watchdog of a job's process or thread allows its controllers [s]. */
function patienceWith(job: Job, patience: number): number {
  const scripts = scenariosOf(job).flatMap(scriptsOf)
  if (scripts.length === 0) return STEP_PATIENCE
  return scripts.every(({ untrusted }) => untrusted) ? SANDBOX_PATIENCE * patience : patience
}

/** Its answer; once it is to stop, its partial result at the end of its step. */
async function untilStopped(
  running: Promise<Answer>,
  runner: Runner,
  job: Job,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  if (signal === undefined) return running
  let watch: ReturnType<typeof setInterval> | undefined
  let onStop = () => {}
  const givenUp = new Promise<Answer>((resolve) => {
    const giveUp = () => {
      void runner.end()
      resolve(INTERRUPTED)
    }
    onStop = () => {
      if (!isWorld(job)) return giveUp()
      runner.stop()
      let periods = 0
      watch = setInterval(() => {
        if (++periods === STOP_PERIODS) giveUp()
      }, STOP_PERIOD)
    }
  })
  if (signal.aborted) onStop()
  signal.addEventListener('abort', onStop)
  const answer = await Promise.race([running, givenUp])
  clearInterval(watch)
  signal.removeEventListener('abort', onStop)
  return answer
}

function outcomeOf(job: Job, answer: Answer): Outcome {
  if (typeof answer === 'string') return failed(answer)
  return 'tick' in answer ? failed(hung(job, answer)) : answer
}

function hung(job: Job, { tick, waited }: Hung): string {
  // no step waits: the wait around it never ends
  const isKept = tick === 0 && waited.endsWith('waiting') && runsScript(job)
  if (tick === LEAVING || isKept) return `controller left something behind that did not let its thread go on within ${waited}`
  if (tick === 0) return `a step did not return within ${waited}; this is a defect of the contact model or of the simulation`
  if (tick === LOADING) return `controller could not be loaded within ${waited}: its top level did not return`
  if (tick === IN_METRICS) return `controller did not return from metrics within ${waited}`
  if (tick === IN_SAVE) return `controller's memory could not be saved within ${waited}`
  if (tick < 0) return `controller did not return from init within ${waited}`
  if (job.kind === 'chunk') return `a run did not return within ${waited}`
  if (job.kind === 'timing') return `controller did not return within ${waited} in step ${tick - 1} of a run that was timed`
  const t = (tick - 1) * stepOf(job)
  return `controller did not return within ${waited} at t = ${Number(t.toPrecision(6))} s`
}
