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
  /** What a sweep gave this run, by the path of the field. Options of the model, `models.NAME.OPTION`, are part of the choice. */
  readonly variant?: Readonly<Record<string, unknown>> | null
  /** Whether anything passed on a force; a run that does not say counts as one that did. */
  readonly touched?: boolean
  /** How often two shapes passed through each other; a run that does not say counts as one in which none did. */
  readonly metrics?: { readonly tunnelled?: number } | null
}

/**
 * A limit that a run did not keep: `failed` is a run that broke off, `reference` one whose error or cost could not be taken, `tunnelled`
 * one in which shapes passed through each other: the depth of a contact that was missed is not known.
 */
export type LimitName = 'failed' | 'reference' | 'tunnelled' | 'penetration' | 'tracking' | 'energy'

export interface Missed {
  readonly model: string
  readonly dt: number
  /** The model's options, where a sweep varies them. */
  readonly variant?: Readonly<Record<string, unknown>>
  readonly limits: readonly { readonly limit: LimitName; readonly value: number | null }[]
}

export interface Verdict {
  readonly robot: string
  /** The pair that was chosen; null if none kept every limit. */
  readonly model: string | null
  readonly dt: number | null
  /** The options of the model that was chosen, by the paths of the sweep, where they are swept. */
  readonly variant?: Readonly<Record<string, unknown>>
  readonly limits: Limits
  /** If none was chosen: the limits that each pair missed, in the order of the runs. Else empty. */
  readonly missed: readonly Missed[]
  /** If none was chosen: the pair that came closest, by the largest of its errors over their limits; null if every pair failed. */
  readonly closest: ShownChoice | null
  readonly sentence: string
}

export interface ShownChoice {
  readonly model: string
  readonly dt: number
  readonly variant?: Readonly<Record<string, unknown>>
}

/**
 * Costs this close are the same: repeated timings of one run differ by about as much, and a verdict should not turn with
 * the machine's mood.
 */
export const COST_TIE = 0.1

/** The limits that one run missed, in the order tunnelled, penetration, tracking, energy. An error equal to its limit is within it. */
export function missedLimits({ status, error, cost, metrics }: Judged, limits: Limits): Missed['limits'] {
  if (status === 'failed' || error === null) return [{ limit: 'failed', value: null }]
  const missed: { limit: LimitName; value: number | null }[] = []
  const within = (value: number, limit: number) => value <= limit // false for NaN
  const tunnelled = metrics?.tunnelled ?? 0
  if (tunnelled > 0) missed.push({ limit: 'tunnelled', value: tunnelled })
  if (!within(error.penetration_m, limits.penetration)) missed.push({ limit: 'penetration', value: error.penetration_m })
  if (error.tracking === null || error.energy === null || cost === null) missed.push({ limit: 'reference', value: null })
  if (error.tracking !== null && !within(error.tracking, limits.tracking))
    missed.push({ limit: 'tracking', value: error.tracking })
  if (error.energy !== null && !within(error.energy, limits.energy)) missed.push({ limit: 'energy', value: error.energy })
  return missed
}

interface Choice {
  readonly model: string
  readonly dt: number
  /** The model's options that a sweep varies; null if there are none. */
  readonly variant: Readonly<Record<string, unknown>> | null
}

/** One pair of model and step, with the model's options that a sweep varies, and all its runs: one a seed and other variant. */
interface Candidate extends Choice {
  readonly runs: readonly Judged[]
  /** Of all runs, each limit with its worst value. */
  readonly missed: Missed['limits']
  /** Mean over the runs [s a simulated second]; null unless all were timed. */
  readonly cost: number | null
  /** Largest errors of all runs; null if one has none. */
  readonly error: { readonly penetration_m: number; readonly tracking: number | null; readonly energy: number | null } | null
}

/**
 * The verdict, which is a rule: of the pairs of model and step whose penetration, tracking error and energy error are all
 * within the limits, and in which nothing passed through anything, the one that costs the least computing time per simulated second. Those within `COST_TIE` of the
 * cheapest count as equally cheap: of them the model that stands first in `registry` wins, and of one model's steps the
 * smallest. If no pair is within the limits, the verdict names the limits that each missed, and the pair that came closest.
 *
 * Where a pair has several runs, by seeds and by variants of the world, all of them have to be within the limits.
 *
 * @param registry names of the contact models in the order of their registry
 */
export function judge(robot: string, runs: readonly Judged[], limits: Limits, registry: readonly string[]): Verdict {
  const candidates = candidatesOf(runs, limits)
  const fitting = candidates.filter(({ missed }) => missed.length === 0)
  const rank = ({ model }: Candidate) => {
    const place = registry.indexOf(model)
    return place < 0 ? registry.length : place
  }
  const least = Math.min(...fitting.map(({ cost }) => cost as number))
  const cheapest = fitting.filter(({ cost }) => (cost as number) <= least * (1 + COST_TIE))
  const best = cheapest.toSorted((a, b) => rank(a) - rank(b) || a.dt - b.dt)[0]
  const remarks = [repeated(candidates), untouched(runs)].filter((text) => text !== '').join('')
  if (best === undefined) {
    const missed = candidates.map((candidate) => ({ ...shownChoice(candidate), limits: candidate.missed }))
    const closest = closestOf(candidates, limits)
    const sentence = noneSentence(robot, candidates, closest, limits) + remarks
    return { robot, model: null, dt: null, limits, missed, closest: closest && shownChoice(closest), sentence }
  }
  return {
    robot,
    ...shownChoice(best),
    limits,
    missed: [],
    closest: null,
    sentence: bestSentence(robot, best, cheapest.length, fitting.length, candidates.length, limits) + remarks,
  }
}

const shownChoice = ({ model, dt, variant }: Choice): ShownChoice => ({ model, dt, ...(variant === null ? {} : { variant }) })

function candidatesOf(runs: readonly Judged[], limits: Limits): Candidate[] {
  const groups = new Map<string, Judged[]>()
  for (const run of runs) {
    const key = JSON.stringify([run.model, run.dt, optionsOf(run)])
    groups.set(key, [...(groups.get(key) ?? []), run])
  }
  return [...groups.values()].map((group) => {
    const [{ model, dt }] = group
    const costs = group.map(({ cost }) => cost)
    return {
      model,
      dt,
      variant: optionsOf(group[0]),
      runs: group,
      missed: worst(group.flatMap((run) => missedLimits(run, limits))),
      cost: costs.includes(null) ? null : (costs as number[]).reduce((sum, cost) => sum + cost, 0) / costs.length,
      error: worstError(group),
    }
  })
}

/** The part of a run's variant that belongs to its model. */
function optionsOf({ variant }: Judged): Choice['variant'] {
  const own = Object.entries(variant ?? {}).filter(([path]) => path.startsWith('models.'))
  return own.length > 0 ? Object.fromEntries(own) : null
}

/** Each limit once, with its largest value. */
function worst(missed: Missed['limits']): Missed['limits'] {
  const largest = new Map<LimitName, number | null>()
  for (const { limit, value } of missed) {
    const before = largest.get(limit)
    if (before === undefined || (value !== null && !(value <= (before as number)))) largest.set(limit, value)
  }
  const order: readonly LimitName[] = ['failed', 'tunnelled', 'penetration', 'reference', 'tracking', 'energy']
  return order.flatMap((limit) => (largest.has(limit) ? [{ limit, value: largest.get(limit) as number | null }] : []))
}

function worstError(runs: readonly Judged[]): Candidate['error'] {
  const errors = runs.flatMap(({ error }) => (error === null ? [] : [error]))
  if (errors.length < runs.length) return null
  const largest = (values: readonly (number | null)[]) => (values.includes(null) ? null : Math.max(...(values as number[])))
  return {
    penetration_m: Math.max(...errors.map(({ penetration_m }) => penetration_m)),
    tracking: largest(errors.map(({ tracking }) => tracking)),
    energy: largest(errors.map(({ energy }) => energy)),
  }
}

/** By the largest of its errors over their limits, each of which has to be known, of a motion in which nothing was passed through. */
function closestOf(candidates: readonly Candidate[], limits: Limits): Candidate | null {
  const ratio = ({ error, missed }: Candidate) => {
    if (
      error === null ||
      error.tracking === null ||
      error.energy === null ||
      missed.some(({ limit }) => limit === 'failed' || limit === 'tunnelled')
    )
      return Infinity
    const worstRatio = Math.max(
      error.penetration_m / limits.penetration,
      error.tracking / limits.tracking,
      error.energy / limits.energy,
    )
    return Number.isNaN(worstRatio) ? Infinity : worstRatio
  }
  const best = candidates.toSorted((a, b) => ratio(a) - ratio(b))[0]
  return best !== undefined && ratio(best) < Infinity ? best : null
}

/** How often each pair ran, where it was more than once. */
function repeated(candidates: readonly Candidate[]): string {
  const counts = candidates.map(({ runs }) => runs.length)
  const most = Math.max(0, ...counts)
  if (most <= 1) return ''
  const each = counts.every((count) => count === most) ? `${most} times` : `up to ${most} times`
  return ` Each pair ran ${each}, and its worst run counts.`
}

function untouched(runs: readonly Judged[]): string {
  if (runs.length === 0 || runs.some(({ touched = true, status }) => touched || status === 'failed')) return ''
  return ' Nothing was touched in any run: the contact model does not matter here, and the models differ in cost alone.'
}

/** The verdict on a robot that lacks what a simulation needs: none, whatever the runs show. */
export function withheld(robot: string, lacks: readonly string[], limits: Limits): Verdict {
  const sentence = `${robot}: no verdict, because ${lacks.join(', and ')}. Whatever moves here is made up; complete the robot's file.`
  return { robot, model: null, dt: null, limits, missed: [], closest: null, sentence }
}

/** `penalty`, or with swept options `penalty with lambda 0.9`. */
function nameOf({ model, variant }: Choice): string {
  const options = Object.entries(variant ?? {}).map(
    ([path, value]) => `${path.split('.').slice(2).join('.')} ${shownValue(value)}`,
  )
  return options.length > 0 ? `${model} with ${options.join(', ')}` : model
}

const shownValue = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

function bestSentence(robot: string, best: Candidate, cheapest: number, fitting: number, all: number, limits: Limits): string {
  const { dt, cost, error } = best
  const { penetration_m, tracking, energy } = error as { penetration_m: number; tracking: number; energy: number }
  const place =
    fitting === 1
      ? 'only this one is within the limits'
      : cheapest === 1
        ? `${fitting} are within the limits, and this is the cheapest`
        : `${fitting} are within the limits; ${cheapest} of them cost the same within ${percent(COST_TIE)}, and this model is listed first`
  return (
    `${robot}: take ${nameOf(best)} at a step of ${milliseconds(dt)}. Of ${all} pairs of model and step, ${place}. ` +
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

function noneSentence(robot: string, candidates: readonly Candidate[], closest: Candidate | null, limits: Limits): string {
  if (candidates.length === 0) return `${robot}: no verdict, because nothing was run.`
  const each = candidates.map(
    (candidate) =>
      `${nameOf(candidate)} at ${milliseconds(candidate.dt)}: ${candidate.missed.map((m) => missedWords(m, limits)).join(', ')}`,
  )
  const nearest = closest === null ? '' : ` Closest comes ${nameOf(closest)} at ${milliseconds(closest.dt)}.`
  return `${robot}: no pair of model and step is within the limits. Missed by ${each.join('; by ')}.${nearest}`
}

/** The limits in words. */
export const limitWords = {
  failed: 'the run failed',
  reference: 'its errors or its cost could not be taken',
  tunnelled: 'shapes passed through each other',
  penetration: 'penetration',
  tracking: 'motion error',
  energy: 'energy error',
} as const satisfies Record<LimitName, string>

function missedWords({ limit, value }: Missed['limits'][number], limits: Limits): string {
  if (limit === 'failed' || limit === 'reference') return limitWords[limit]
  if (limit === 'tunnelled') return `${limitWords[limit]} ${times(value as number)}`
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

export const times = (n: number) => (n === 1 ? 'once' : `${n} times`)
export const milliseconds = (s: number) => `${significant(s * 1e3, 3)} ms`
export const millimetres = (m: number) => `${significant(m * 1e3, 3)} mm`
export const percent = (x: number) => `${significant(x * 100, 3)} %`
export const seconds = (s: number) =>
  s < 1e-3 ? `${significant(s * 1e6, 2)} \u00b5s` : s < 1 ? `${significant(s * 1e3, 2)} ms` : `${significant(s, 2)} s`
