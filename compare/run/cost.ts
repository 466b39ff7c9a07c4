/** Work of a simulated second, counted, and its computing time. */
import type { World } from '../../simulation/index.ts'
import { mean, median } from '../measure/statistics.ts'

/** Computing time of a simulated second, and its spread. */
export interface Cost {
  /** Computing time per simulated second, controllers included [s]. */
  readonly perSecond: number
  /** Half the width of the interval that repeated measurements fall into, over `perSecond`. */
  readonly spread: number
}

/** The counted work of a run, as means over its steps. */
export interface Work {
  /** Passes, pivots, sweeps or Newton steps of the solvers: `SolverEvents.iterations`. */
  readonly iterations: number
  /** Contacts that detection found for the model. */
  readonly contacts: number
}

/** Work up to so many times the least counts as the same: halving the step, which takes nearly twice as much, still counts. */
export const ALIKE = 1.6

/**
 * Work of a simulated second, counted: steps plus solver iterations [1/s]. The same in every repetition and on every machine, unlike a
 * computing time.
 */
export const workOf = ({ iterations }: Pick<Work, 'iterations'>, dt: number): number => (1 + iterations) / dt

/** The metrics that follow from a cost. */
export const speedOf = (cost: Pick<Cost, 'perSecond'> | null, dt: number) => ({
  step_us: cost && cost.perSecond * dt * 1e6,
  realTimeFactor: cost && 1 / cost.perSecond,
})

/** The machine that took the times. */
export interface Load {
  readonly processors: number
  /** Mean number of threads that wanted a processor in the minute before (`os.loadavg`), 0 on Windows. */
  readonly load: number
}

/** Computing time of a step [s] and half the width of its interval over it. */
export interface StepTime {
  readonly seconds: number
  readonly spread: number
}

/** A run to take the time of. */
export interface TimedWorld {
  /** A world at the run's start. */
  readonly create: () => World
  /** The step count at its end. */
  readonly steps: number
}

/** Over all runs in turns, the first for the compiler; after two more, others until a run's budget is spent [ms]. */
const PASSES = 5
const WARM = 150
const BUDGET = 60
/** A pass over a run that crawls ends after so long: its beginning stands for the whole [ms]. */
const LONGEST = 1000
/** Steps that are timed together: what delays one chunk in one pass is gone in another. */
const CHUNK = 16
/** Measured in fresh processes, the same run differs by as much whatever else the machine does, by its compilation. */
const FLOOR = 0.03

/**
 * Takes the time of a step of each run, nothing measured beside it: the whole run again, chunk by chunk, several times in turns with all
 * others. Of each chunk the least time counts, for other work can only add to it; the spread is that of the median chunk's passes.
 *
 * @param progress called with the part that is done, 0 to 1
 * @returns null for a run that broke off
 */
export function timeSteps(runs: readonly TimedWorld[], progress: (fraction: number) => void = () => {}): (StepTime | null)[] {
  const timed = runs.map((run) => ({ run, spent: 0, isBroken: false, chunks: [[], []] as [number[], number[]] }))
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [r, one] of timed.entries()) {
      if (one.isBroken || (pass > 2 && one.spent > BUDGET)) continue
      try {
        one.spent += passOver(one.run, pass === 0 ? [] : one.chunks[pass % 2], pass === 0 ? WARM : LONGEST)
      } catch {
        one.isBroken = true
      }
      progress((pass + (r + 1) / timed.length) / PASSES)
    }
  }
  return timed.map(({ isBroken, chunks: [even, odd] }) => {
    if (isBroken) return null
    const least = odd.map((time, k) => Math.min(time, even[k] ?? Infinity))
    const difference = even.length > 0 ? Math.abs(median(odd.map((time, k) => time / even[k])) - 1) : 0
    return { seconds: mean(least) / 1e3, spread: Math.max(FLOOR, difference) }
  })
}

/** Writes the least time of a step in each chunk [ms]. @returns the time it took */
function passOver({ create, steps }: TimedWorld, chunks: number[], most: number): number {
  const world = create()
  const start = performance.now()
  let now = start
  for (let chunk = 0; world.stepCount < steps && now < start + most; chunk++) {
    const count = Math.min(CHUNK, steps - world.stepCount)
    for (let k = 0; k < count; k++) world.step()
    const end = performance.now()
    chunks[chunk] = Math.min(chunks[chunk] ?? Infinity, (end - now) / count)
    now = end
  }
  return now - start
}
