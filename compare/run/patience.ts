/**
 * Bounds of hangs. A run's use is counted elsewhere (`stepBudget`, `memory`, the instructions of a sandbox); these end runs that would never
 * end by itself. They count processor time, or periods in which a process was there to work, and not the time on a clock, which goes on for a
 * machine that is busy, slow or stopped. Imports nothing: a process of its own has little else to load.
 */

/** Processor time of all of a process's threads in which our own code gives no sign of life [s]. A step's budget is some ten seconds. */
export const STEP_PATIENCE = 1000
/** The same of a row of the benchmark, for each thread that computes rows [s]. */
export const ROW_PATIENCE = 1800
/** Of a script, besides its own patience: for its modules to be compiled [s]. */
export const LOADING_PATIENCE = 1
/**
 * The patience with a process over that of the sandbox in it. A sandbox counts by itself, all but a call of a function of the
 * language that does not come back. Loops of small objects take eight times what a sandbox counts for them, and machines are slower than ours.
 */
export const SANDBOX_PATIENCE = 50
/** Besides, for each gigabyte that a process has grown by meanwhile: a leak ends by its memory limit, however slowly it gets pages [s/GB]. */
const FILLING_PATIENCE = 60
/** Seconds in which a process does nothing although its answer is awaited, as one does that waits in the system. */
export const WAITING_PATIENCE = 60
/** A process that has not said in so many periods of so long that it is there has been stopped [ms]. */
export const [SILENT_PERIODS, SILENT_PERIOD] = [12, 5000]
/** A run that is to stop and has not come to the end of its step in so many periods of so long is given up [ms]. */
export const [STOP_PERIODS, STOP_PERIOD] = [20, 1000]

/** How often a silence is checked [ms]. */
export const WATCH_PERIOD = 100
const LOOKS = 1000 / WATCH_PERIOD
/** Processor time in a second of one that waits [s]; looking at it takes a tenth of that. */
const IDLE = 0.02

/** Time that this process has used and waited without a sign of life of its thread's job. `isOver` is to be called every `WATCH_PERIOD`. */
export class Silence {
  private begin = processorTime()
  private memory = process.memoryUsage.rss()
  private before = this.begin
  private looks = 0
  private waited = 0

  /** There was a sign of life. */
  break(): void {
    this.begin = this.before = processorTime()
    this.memory = process.memoryUsage.rss()
    this.looks = this.waited = 0
  }

  /** @param patience processor time [s]. @returns how long it was, in words, once it was too long */
  isOver(patience: number): string | undefined {
    const now = processorTime()
    const grown = 1e-9 * (process.memoryUsage.rss() - this.memory)
    if (now - this.begin > patience + FILLING_PATIENCE * Math.max(0, grown)) return `${Number(patience.toPrecision(3))} s`
    if (++this.looks % LOOKS === 0) {
      if (now - this.before < IDLE) this.waited++
      this.before = now
    }
    return this.waited < WAITING_PATIENCE ? undefined : `${WAITING_PATIENCE} s of waiting`
  }
}

/** Of all threads of this process [s]. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return 1e-6 * (user + system)
}
