/** Computing time of a simulated second: timed in rounds over all runs of a comparison, so that a slow moment hits them all. */
import type { Checkpoint, World } from '../../simulation/index.ts'

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
 * Counted work of a simulated second: how often the equations of the step are set up and solved, once a step and once more an iteration of
 * the solver. An integer of the run and no time: the same in every repetition, on every machine.
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

/** Note on a machine that had other work, or ''. */
export function busyNote({ load, processors }: Load): string {
  return load > processors ? `the machine was busy: load ${load.toFixed(1)} on ${processors} processors` : ''
}

/** Computing time of a step [s] and half the width of its interval over it. */
export interface StepTime {
  readonly seconds: number
  readonly spread: number
}

/** A run to take the time of. */
export interface TimedWorld {
  readonly create: () => World
  /**
   * Where in the run it is timed, in the order of `samplePoints`. Empty where the controller cannot be saved: it is timed from the start
   * alone.
   */
  readonly samples: readonly Checkpoint[]
}

/** Places in a run where it is timed, and steps timed at each, behind one that fills the caches. */
const PLACES = 8
const STEPS = 16
/** Checkpoints of one run hold no more than this [B]. */
const MOST_BYTES = 2e6
/** A run whose places take longer than this is timed at fewer steps, then at fewer places [ms]. */
const ROUND = 50
/** For the compiler all runs go on in turns, for so much processor time in a turn; and in all, with so much more for each run [ms]. */
const TURN = 3
const WARM = 600
const WARM_EACH = 20
/** A run that is timed alone is compiled once the steps of so many turns are no faster than those before, but for this part. */
const CALM = 20
const FASTER = 0.03
/** Processor time for the rounds, for each run; where costs have not settled by then to that part, up to so many times as much [ms]. */
const BUDGET = 50
const SETTLED = 0.06
const LONGEST = 8
const LEAST_ROUNDS = 10
/** Measured in fresh processes, the same run differs by as much whatever else the machine does, by its compilation. */
const FLOOR = 0.03

/**
 * The steps at whose start a run of this many steps is timed: evenly spread over the run, in an order whose beginnings are spread evenly
 * too (van der Corput).
 *
 * @param bytes of a checkpoint
 */
export function samplePoints(first: number, steps: number, bytes: number): number[] {
  const places = Math.max(2, Math.min(PLACES, Math.floor(MOST_BYTES / bytes)))
  const room = Math.max(0, steps - first - STEPS - 1)
  const inOrder = Array.from({ length: places }, (_, i) => first + Math.floor(((i + 0.5) / places) * room))
  const key = (i: number) => Number.parseInt([...i.toString(2).padStart(3, '0')].reverse().join(''), 2)
  return [...new Set(inOrder.map((_, i) => i).toSorted((a, b) => key(a) - key(b)).map((i) => inOrder[i]))] // biome-ignore format: one thing
}

/**
 * Takes the time of steps of all runs. In each round every run goes through the same steps, at some places of the run that checkpoints
 * lead back to, place by place in turns with all others. A slowdown of all of them, such as a processor that others heat, is the same
 * for all runs in a turn, and is divided out; delays of one chunk of steps can only add to it, so that a low quantile of the rounds
 * counts. The cost is the mean over the places. Its interval is the difference of even and odd rounds, never less than `FLOOR`.
 *
 * @param progress called now and then with the part that is done, 0 to 1
 * @returns null for a run that broke off
 */
export function timeSteps(runs: readonly TimedWorld[], progress: (fraction: number) => void = () => {}): (StepTime | null)[] {
  if (runs.length === 0) return []
  const begin = processorTime()
  const spent = () => processorTime() - begin
  const warm = WARM + WARM_EACH * runs.length
  const rounds = BUDGET * runs.length
  let told = 0
  const tell = () => {
    const now = performance.now()
    if (now < told + 100) return
    told = now
    progress(Math.min(0.99, spent() / (warm + rounds)))
  }
  const timed = runs.map((run) => new Timed(run))
  const isAlone = timed.length === 1
  for (let turn = 0; turn < 3 || (spent() < warm && !(isAlone && timed[0].isSettled)); turn++) {
    for (const run of timed) {
      run.warmUp(turn)
      tell()
    }
  }
  for (const run of timed) run.plan()
  const from = spent()
  for (let round = 0; ; round++) {
    for (let place = 0; place < PLACES; place++) {
      for (const run of timed) {
        run.visit(place)
        tell()
      }
    }
    const used = spent() - from
    if (round + 1 < LEAST_ROUNDS || used < rounds) continue
    const times = timesOf(timed)
    const isSettled = times.every((time, i) => time === null || time.spread <= SETTLED || !timed[i].isWhole)
    if (isSettled || used > LONGEST * rounds) return times
  }
}

/** Runs in a turn that measure the machine's speed then: of fewer, one that is slow of itself would pass for it. */
const ENOUGH = 5
/** Of the times of a place, the part below the one that counts. */
const LOW = 0.25

function timesOf(timed: readonly Timed[]): (StepTime | null)[] {
  const whole = timed.filter(({ isBroken }) => !isBroken)
  const rounds = whole[0]?.times[0].length ?? 0
  // how much slower than at its best the machine was in each turn: the median of the runs
  const slowness = Array.from({ length: PLACES }, (_, place) => {
    const own = whole.filter(({ places }) => place < places).map(({ times }) => times[place])
    if (own.length < ENOUGH) return new Float64Array(rounds).fill(1)
    const typical = own.map((times) => quantile(times, LOW))
    return Float64Array.from({ length: rounds }, (_, k) => quantile(own.map((times, i) => times[k] / typical[i]), 0.5)) // biome-ignore format: short
  })
  const best = quantile(slowness.flatMap((turns) => [...turns]), 0.1) // biome-ignore format: short
  return timed.map(({ isBroken, times, places, isWhole }) => {
    if (isBroken) return null
    const alike = Array.from({ length: places }, (_, p) => times[p].map((time, k) => (time * best) / slowness[p][k]))
    const meanOver = (wanted: (k: number) => boolean) => meanOf(alike.map((own) => quantile(own.filter((_, k) => wanted(k)), LOW))) // biome-ignore format: short
    const mean = meanOver(() => true)
    const difference = Math.abs(meanOver((k) => k % 2 === 0) - meanOver((k) => k % 2 === 1)) / mean
    // another measurement may choose other steps for one that crawls: the places differ by as much
    const sampling = isWhole ? 0 : (2 * deviationOf(alike.map((own) => quantile(own, LOW)))) / mean / Math.sqrt(places)
    return { seconds: mean / 1e3, spread: Math.max(FLOOR, Math.hypot(difference, sampling)) }
  })
}

/** Of this process [ms]: its work by then is the same on a busy machine. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3
}

/** One run while it is timed. */
class Timed {
  /** Times of a step at each place, one a round [ms]. */
  readonly times: readonly number[][]
  /** Places that are timed, and steps at each. */
  places: number
  isBroken = false
  private steps = STEPS
  private readonly run: TimedWorld
  private world: World
  /** Least time of a step in each turn for the compiler, which makes the later ones faster [ms]. */
  private readonly turns: number[] = []

  constructor(run: TimedWorld) {
    this.run = run
    this.world = run.create()
    this.places = Math.max(1, run.samples.length)
    this.times = Array.from({ length: this.places }, () => [])
  }

  /** Whether it is timed at all steps that were meant to be. */
  get isWhole(): boolean {
    return this.steps === STEPS
  }

  /** Whether the compiler seems to be done with it. */
  get isSettled(): boolean {
    const [before, last] = [this.turns.slice(0, -CALM), this.turns.slice(-CALM)]
    return before.length > 0 && Math.min(...last) > (1 - FASTER) * Math.min(...before)
  }

  warmUp(turn: number): void {
    this.attempt(() => {
      this.goTo(turn % this.places)
      const { world } = this
      const end = processorTime() + TURN
      let least = Infinity
      for (let k = 0; k < STEPS * PLACES && processorTime() < end; k++) {
        const start = performance.now()
        world.step()
        least = Math.min(least, performance.now() - start)
      }
      this.turns.push(least)
    })
  }

  /** Fewer steps, then fewer places, for one that crawls. */
  plan(): void {
    const step = quantile(this.turns.slice(this.turns.length >> 1), 0.25)
    const time = () => this.places * (this.steps + 1) * step
    while (time() > ROUND && this.steps > 1) this.steps >>= 1
    while (time() > ROUND && this.places > 2) this.places--
  }

  /** At one of the places, if it is among its own. */
  visit(place: number): void {
    if (place >= this.places) return
    this.attempt(() => {
      this.goTo(place)
      const { world, steps } = this
      world.step() // after a restore it also looks for contacts anew, which takes several times as long
      const start = performance.now()
      for (let k = 0; k < steps; k++) world.step()
      this.times[place].push((performance.now() - start) / steps)
    })
  }

  private goTo(place: number): void {
    const checkpoint = this.run.samples[place]
    if (checkpoint === undefined) this.world = this.run.create()
    else this.world.restore(checkpoint)
  }

  private attempt(action: () => void): void {
    if (this.isBroken) return
    try {
      action()
    } catch {
      this.isBroken = true
    }
  }
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1))
}

/** The value that this part of them is less than. */
const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))]
