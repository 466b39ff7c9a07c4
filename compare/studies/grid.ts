/** A grid of runs and a figure of each: map, transfer, sensitivity and predictability are its views. */
import type { StepTime } from '../run/cost.ts'
import { canUseThreads, type PoolOptions, runJobs } from '../run/pool.ts'
import type { Job, Outcome, RunJob, TimedRun, WorldJob } from '../run/run.ts'

/** One run of a grid. */
export interface Cell {
  /** Of kind `run`. */
  readonly job: RunJob
  /** Its reference, if it has one; run once for all cells that share it. */
  readonly against?: WorldJob
}

export interface GridOptions extends Pick<PoolOptions, 'threads' | 'robots' | 'store' | 'idle'> {
  readonly patience: number
  /** The part of the present round of runs that is done, 0 to 1. */
  readonly progress?: (stage: string, fraction: number) => void
}

/** Runs cells, and their references, which it keeps for later rounds. */
export class Grid {
  private readonly options: GridOptions
  private readonly references = new Map<string, Outcome>()

  constructor(options: GridOptions) {
    this.options = options
  }

  /**
   * @param figure of one run; its outcome is not kept, so data wanted of it have to be in the figure
   * @returns one figure a cell, in their order
   */
  async run<F>(
    cells: readonly Cell[],
    figure: (outcome: Outcome, against: Outcome | undefined, cell: Cell) => F,
    stage = `simulating ${cells.length} runs`,
  ): Promise<F[]> {
    const { references } = this
    const key = (job: WorldJob | undefined) => job && JSON.stringify(job)
    const keys = cells.map(({ against }) => key(against))
    const missing = new Map<string, WorldJob>()
    cells.forEach(({ against }, i) => {
      const k = keys[i]
      if (k !== undefined && !references.has(k)) missing.set(k, against as WorldJob)
    })
    const names = [...missing.keys()]
    await this.do([...missing.values()], `simulating ${missing.size} references`, (i, outcome) =>
      references.set(names[i], outcome),
    )
    const figures: F[] = new Array(cells.length)
    await this.do(
      cells.map(({ job }) => job),
      stage,
      (i, outcome) => {
        figures[i] = figure(outcome, references.get(keys[i] ?? ''), cells[i])
      },
    )
    return figures
  }

  /** Computing time of a step of each run, in turns in one thread; null for one that broke off. */
  async time(runs: readonly TimedRun[]): Promise<readonly (StepTime | null)[]> {
    if (runs.length === 0) return []
    const { progress, ...options } = this.options
    const oneThread = options.threads === 0 || !canUseThreads() ? 0 : 1
    const told = (fraction: number) => progress?.(`timing ${runs.length} runs`, fraction)
    const [{ stepTimes }] = await runJobs([{ kind: 'timing', runs }], { ...options, threads: oneThread, progress: told })
    return stepTimes
  }

  private async do(jobs: readonly Job[], stage: string, done: (index: number, outcome: Outcome) => void): Promise<void> {
    if (jobs.length === 0) return
    const { progress, ...options } = this.options
    await runJobs(jobs, { ...options, done, progress: (fraction) => progress?.(stage, fraction) })
  }
}
