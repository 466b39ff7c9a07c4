import type { Limits } from './scenario.ts'

/** What the verdict needs to know of a run. */
export interface Judged {
  readonly model: string
  /** [s] */
  readonly dt: number
  readonly status: 'ok' | 'failed'
  /** Computing time per simulated second; null if it was not taken. */
  readonly cost: number | null
  /** null where nothing could be compared. */
  readonly error: { readonly penetration_m: number; readonly tracking: number | null; readonly energy: number | null } | null
}

/** A limit that a run did not keep: `failed` is a run that broke off, `reference` one whose error or cost could not be taken. */
export type LimitName = 'failed' | 'reference' | 'penetration' | 'tracking' | 'energy'

export interface Missed {
  readonly model: string
  readonly dt: number
  readonly limits: readonly { readonly limit: LimitName; readonly value: number | null }[]
}

export interface Verdict {
  readonly robot: string
  /** The pair that was chosen; null if none kept every limit. */
  readonly model: string | null
  readonly dt: number | null
  readonly limits: Limits
  /** If none was chosen: the limits that each pair missed, in the order of the runs. Else empty. */
  readonly missed: readonly Missed[]
  readonly sentence: string
}

/**
 * Costs this close are the same: repeated timings of one run differ by about as much, and a verdict should not turn with
 * the machine's mood.
 */
export const COST_TIE = 0.1

/** The limits that one run missed, in the order penetration, tracking, energy. An error equal to its limit is within it. */
export function missedLimits({ status, error, cost }: Judged, limits: Limits): Missed['limits'] {
  if (status === 'failed' || error === null) return [{ limit: 'failed', value: null }]
  const missed: { limit: LimitName; value: number | null }[] = []
  const within = (value: number, limit: number) => value <= limit // false for NaN
  if (!within(error.penetration_m, limits.penetration)) missed.push({ limit: 'penetration', value: error.penetration_m })
  if (error.tracking === null || error.energy === null || cost === null) missed.push({ limit: 'reference', value: null })
  if (error.tracking !== null && !within(error.tracking, limits.tracking))
    missed.push({ limit: 'tracking', value: error.tracking })
  if (error.energy !== null && !within(error.energy, limits.energy)) missed.push({ limit: 'energy', value: error.energy })
  return missed
}

/**
 * The verdict, which is a rule: of the pairs of model and step whose penetration, tracking error and energy error are all
 * within the limits, the one that costs the least computing time per simulated second. Those within `COST_TIE` of the
 * cheapest count as equally cheap: of them the model that stands first in `registry` wins, and of one model's steps the
 * smallest. If no pair is within the limits, the verdict names the limits that each missed.
 *
 * @param registry names of the contact models in the order of their registry
 */
export function judge(robot: string, runs: readonly Judged[], limits: Limits, registry: readonly string[]): Verdict {
  const judged = runs.map((run) => ({ run, missed: missedLimits(run, limits) }))
  const fitting = judged.filter(({ missed }) => missed.length === 0).map(({ run }) => run)
  const rank = ({ model }: Judged) => {
    const place = registry.indexOf(model)
    return place < 0 ? registry.length : place
  }
  const least = Math.min(...fitting.map(({ cost }) => cost as number))
  const cheapest = fitting.filter(({ cost }) => (cost as number) <= least * (1 + COST_TIE))
  const best = cheapest.toSorted((a, b) => rank(a) - rank(b) || a.dt - b.dt)[0]
  if (best === undefined) {
    const missed = judged.map(({ run: { model, dt }, missed: list }) => ({ model, dt, limits: list }))
    return { robot, model: null, dt: null, limits, missed, sentence: noneSentence(robot, missed, limits) }
  }
  return {
    robot,
    model: best.model,
    dt: best.dt,
    limits,
    missed: [],
    sentence: bestSentence(robot, best, cheapest.length, fitting.length, runs.length, limits),
  }
}

function bestSentence(
  robot: string,
  { model, dt, cost, error }: Judged,
  cheapest: number,
  fitting: number,
  all: number,
  limits: Limits,
): string {
  const { penetration_m, tracking, energy } = error as { penetration_m: number; tracking: number; energy: number }
  const place =
    fitting === 1
      ? 'only this one is within the limits'
      : cheapest === 1
        ? `${fitting} are within the limits, and this is the cheapest`
        : `${fitting} are within the limits; ${cheapest} of them cost the same within ${percent(COST_TIE)}, and this model is listed first`
  return (
    `${robot}: take ${model} at a step of ${milliseconds(dt)}. Of ${all} pairs of model and step, ${place}. ` +
    `Penetration is ${millimetres(penetration_m)} of ${millimetres(limits.penetration)} allowed, ` +
    `the motion error ${percent(tracking)} of ${percent(limits.tracking)}, ` +
    `the energy error ${percent(energy)} of ${percent(limits.energy)}. ` +
    `A simulated second takes ${seconds(cost as number)} to compute, ${speed(cost as number)}.`
  )
}

/** How a cost compares with real time. */
export function speed(cost: number): string {
  return cost <= 1
    ? `${significant(1 / cost, 2)} times faster than real time`
    : `${significant(cost, 2)} times slower than real time`
}

function noneSentence(robot: string, missed: readonly Missed[], limits: Limits): string {
  if (missed.length === 0) return `${robot}: no verdict, because nothing was run.`
  const each = missed.map(
    ({ model, dt, limits: list }) => `${model} at ${milliseconds(dt)}: ${list.map((m) => missedWords(m, limits)).join(', ')}`,
  )
  return `${robot}: no pair of model and step is within the limits. Missed by ${each.join('; by ')}.`
}

/** The limits in words. */
export const limitWords = {
  failed: 'the run failed',
  reference: 'its errors or its cost could not be taken',
  penetration: 'penetration',
  tracking: 'motion error',
  energy: 'energy error',
} as const satisfies Record<LimitName, string>

function missedWords({ limit, value }: Missed['limits'][number], limits: Limits): string {
  if (limit === 'failed' || limit === 'reference') return limitWords[limit]
  if (limit === 'penetration') return `${limitWords[limit]} ${millimetres(value as number)} > ${millimetres(limits.penetration)}`
  return `${limitWords[limit]} ${percent(value as number)} > ${percent(limits[limit])}`
}

/** A number to so many digits, without an exponent between 1e-4 and 1e6. */
export function significant(x: number, digits: number): string {
  if (!Number.isFinite(x)) return String(x)
  if (x === 0) return '0'
  const size = Math.abs(x)
  if (size < 1e-4 || size >= 1e6) return Number(x.toPrecision(digits)).toExponential().replace('e+', 'e')
  return String(Number(x.toPrecision(digits)))
}

export const milliseconds = (s: number) => `${significant(s * 1e3, 3)} ms`
export const millimetres = (m: number) => `${significant(m * 1e3, 3)} mm`
export const percent = (x: number) => `${significant(x * 100, 3)} %`
export const seconds = (s: number) =>
  s < 1e-3 ? `${significant(s * 1e6, 2)} \u00b5s` : s < 1 ? `${significant(s * 1e3, 2)} ms` : `${significant(s, 2)} s`
