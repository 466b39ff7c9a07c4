/** The verdict, which is a rule: laws first, then errors, then cost. docs/verdict.md says why. */

import { listed } from '../../dynamics/index.ts'
import { isKept, type LawCheck, lawDefinitions, lawSentence } from '../measure/laws.ts'
import { millimetres, milliseconds, percent, seconds, significant } from '../measure/numbers.ts'
import { ALIKE, type Cost, UNCERTAIN } from '../run/cost.ts'
import type { Limits } from '../scenario/index.ts'
import { type LawName, lawNames } from '../scenario/limits.ts'
import type { Divergence } from './divergence.ts'
import type { RunError } from './reference.ts'
import type { ReportedTruth } from './truth.ts'

type Price = Pick<Cost, 'perSecond' | 'spread'>

/** The part of a run that the verdict reads. */
export interface Judged {
  readonly model: string
  /** [s] */
  readonly dt: number
  readonly status: 'ok' | 'failed'
  /** Of a simulated second; null if it was not taken. */
  readonly cost: Price | null
  /** null where nothing could be compared. */
  readonly error: (Pick<RunError, 'tracking' | 'energy'> & Partial<RunError>) | null
  readonly laws: readonly LawCheck[]
  /** The sweep's values for this run, by the path of the field. Options of the model, `models.NAME.OPTION`, are part of the choice. */
  readonly variant?: Readonly<Record<string, unknown>> | null
  /** Whether anything passed on a force; a run that does not say counts as one that did. */
  readonly touched?: boolean
}

/** The part of a world's truth that the verdict reads. */
export type JudgedBy = Pick<ReportedTruth, 'kind' | 'camps' | 'parting'> &
  Partial<Pick<ReportedTruth, 'models' | 'loadShares'>> & { readonly divergence: Divergence | null }

/**
 * A limit that a run did not keep: a law, or `failed`, a run that broke off, `reference`, one whose error or cost could not be taken,
 * `tracking`, the motion error, `energy`, the energy error.
 */
export type LimitName = 'failed' | 'reference' | 'tracking' | 'energy' | LawName

/** One limit that was not kept. */
export interface MissedLimit {
  readonly limit: LimitName
  readonly value: number | null
  /** Of an error, the largest of its parts: see `RunError.source`. */
  readonly source?: RunError['source']
  /** In words: "gains 340 % of its energy (limit 1 %), at t = 0.2 s". */
  readonly words: string
}

export interface Missed extends ReportedChoice {
  readonly limits: readonly MissedLimit[]
}

/**
 * `take`: this pair. `undecided`: models that keep every law and limit contradict each other. `none`: no pair keeps them. `withheld`: the robot
 * lacks data for a simulation.
 */
export type VerdictKind = 'take' | 'undecided' | 'none' | 'withheld'

export interface Verdict {
  readonly robot: string
  readonly kind: VerdictKind
  /** The pair to take; null where there is none. */
  readonly model: string | null
  readonly dt: number | null
  /** The options of the model that was chosen, by the paths of the sweep, where they are swept. */
  readonly variant?: Readonly<Record<string, unknown>>
  /** All pairs that are within the limits and cost the same as the cheapest, that one among them, in the order of the runs. */
  readonly equal: readonly ReportedChoice[]
  readonly limits: Limits
  /** The limits that each excluded pair missed, in the order of the runs. */
  readonly missed: readonly Missed[]
  /** If there is no pair to take: the one that keeps all laws and comes closest, by the largest of its errors over their limits. */
  readonly closest: ReportedChoice | null
  /** One or two sentences: the choice, its reason and its cost. */
  readonly sentence: string
  /** A line each: why pairs are out, physics first, those with the same reason together; contradictions; other notes. */
  readonly reasons: readonly string[]
}

export interface ReportedChoice {
  readonly model: string
  readonly dt: number
  readonly variant?: Readonly<Record<string, unknown>>
}

/** The limits that one run missed: laws in their order, then errors. A value at its limit is within it. */
export function missedLimits({ status, error, cost, laws }: Judged, limits: Limits): readonly MissedLimit[] {
  if (status === 'failed' || error === null) return [{ limit: 'failed', value: null, words: 'breaks off' }]
  const missed: MissedLimit[] = laws
    .filter((check) => !isKept(check))
    .map((check) => ({ limit: check.law, value: check.value, words: lawSentence(check) }))
  if (error.tracking === null || error.energy === null || cost === null)
    missed.push({ limit: 'reference', value: null, words: error.note || 'has no errors or no cost' })
  for (const limit of ['tracking', 'energy'] as const) {
    const value = error[limit]
    if (value === null || value <= limits[limit]) continue // NaN is not within its limit
    const { source = null } = error
    const of = limit === 'tracking' && error.trackingOf ? ` of ${quantityWords(error.trackingOf)}` : ''
    const why = source === null ? '' : `: ${sourceWords(source, error.against)}`
    const article = limit === 'energy' ? 'an' : 'a'
    const words = `has ${article} ${limitWords[limit]} of ${percent(value)} (limit ${percent(limits[limit])})${of}${why}`
    missed.push({ limit, value, source, words })
  }
  return missed
}

/** Source of an error. */
function sourceWords(source: NonNullable<RunError['source']>, against: RunError['against'] = 'reference'): string {
  if (source === 'controllerRate') return "the controller's rate, not contact"
  if (source === 'integrator') return 'the step, and less at a smaller one'
  return against === 'closed form' ? 'contact, by the closed form' : 'contact, against the consensus'
}

type Options = Readonly<Record<string, unknown>> | null

/** A model and step, with the model's options that a sweep varies, and all its runs: one a seed and other variant. */
interface Candidate {
  readonly model: string
  readonly dt: number
  readonly variant: Options
  readonly runs: readonly Judged[]
  /** Of all runs, each limit with its worst value. */
  readonly missed: readonly MissedLimit[]
  /** Mean over the runs; null unless all were timed. */
  readonly cost: Price | null
  /** The largest share that any error or depth is of its limit; Infinity where one is not known. */
  readonly share: number
}

/**
 * Of the pairs of model and step that keep every law, drop no input that was stated and are within the limits of error, the cheapest in
 * computing time per simulated second. Those up to `ALIKE` times as dear count as equal: all are named, and of them the one with the most
 * room in its limits is taken, which is the same however the times turn out. Where models that keep every law and are within the limits contradict each other, no pair is.
 *
 * Where a pair has several runs, by seeds and by variants of the world, all of them have to be within the limits.
 *
 * @param truths of each of the robot's worlds
 */
export function judge(robot: string, runs: readonly Judged[], limits: Limits, truths: readonly JudgedBy[] = []): Verdict {
  const candidates = candidatesOf(runs, limits)
  const fitting = candidates.filter(({ missed }) => missed.length === 0)
  const missed = candidates
    .filter((candidate) => candidate.missed.length > 0)
    .map((candidate) => ({ ...shownChoice(candidate), limits: candidate.missed }))
  const reasons = [...reasonsOut(candidates, limits), ...judgedBy(truths), ...repeated(candidates), ...untouched(runs)]
  const none = { robot, model: null, dt: null, equal: [], limits, missed, closest: null, reasons }
  if (candidates.length === 0) return { ...none, kind: 'none', sentence: `${robot}: no verdict, because nothing was run.` }
  const split = truths.find(({ kind }) => kind === 'split')
  if (split !== undefined && fitting.length > 0) {
    const sentence = `${robot}: undecided, because models that keep every law contradict each other.`
    return { ...none, kind: 'undecided', sentence, reasons: [...splitLines(split, limits), ...reasons] }
  }
  if (fitting.length === 0) {
    const closest = closestOf(candidates)
    const nearest = closest === null ? '' : `; closest comes ${choiceWords(closest)}`
    const sentence = `${robot}: no pair of model and step keeps the laws and the limits${nearest}.`
    return { ...none, kind: 'none', closest: closest && shownChoice(closest), sentence }
  }
  const cost = (candidate: Candidate) => candidate.cost as Price
  const cheapest = fitting.reduce((best, candidate) => (cost(candidate).perSecond < cost(best).perSecond ? candidate : best))
  const equal = fitting.filter((candidate) => cost(candidate).perSecond <= ALIKE * cost(cheapest).perSecond)
  const best = equal.toSorted((a, b) => a.share - b.share || a.dt - b.dt || (a.model < b.model ? -1 : 1))[0]
  const sentence = `${robot}: take ${nameOf(best)} at a step of ${milliseconds(best.dt)}. ${whyWords(best, equal, fitting.length, candidates.length)}`
  return {
    ...none,
    kind: 'take',
    ...shownChoice(best),
    equal: equal.map(shownChoice),
    reasons: [...reasons, ...uncertain(equal)],
    sentence,
  }
}

const shownChoice = ({ model, dt, variant }: Candidate): ReportedChoice => ({
  model,
  dt,
  ...(variant === null ? {} : { variant }),
})

function candidatesOf(runs: readonly Judged[], limits: Limits): Candidate[] {
  const groups = new Map<string, Judged[]>()
  for (const run of runs) {
    const key = JSON.stringify([run.model, run.dt, optionsOf(run)])
    groups.set(key, [...(groups.get(key) ?? []), run])
  }
  return [...groups.values()].map((group) => {
    const [{ model, dt }] = group
    const costs = group.flatMap((run) => run.cost ?? [])
    const mean = (of: (cost: Price) => number) => costs.reduce((sum, cost) => sum + of(cost), 0) / costs.length
    const perSecond = mean((cost) => cost.perSecond)
    return {
      model,
      dt,
      variant: optionsOf(group[0]),
      runs: group,
      missed: worst(group.flatMap((run) => missedLimits(run, limits))),
      cost: costs.length < group.length ? null : { perSecond, spread: mean((cost) => cost.spread * cost.perSecond) / perSecond },
      share: Math.max(...group.map((run) => shareOf(run, limits))),
    }
  })
}

/** The part of a run's variant that belongs to its model. */
function optionsOf({ variant }: Judged): Options {
  const own = Object.entries(variant ?? {}).filter(([path]) => path.startsWith('models.'))
  return own.length > 0 ? Object.fromEntries(own) : null
}

/** Each limit once, with its largest value. */
function worst(missed: readonly MissedLimit[]): readonly MissedLimit[] {
  const largest = new Map<LimitName, MissedLimit>()
  for (const one of missed) {
    const before = largest.get(one.limit)
    if (before === undefined || (one.value !== null && !(one.value <= (before.value ?? -Infinity)))) largest.set(one.limit, one)
  }
  const order: readonly LimitName[] = ['failed', ...lawNames, 'reference', 'tracking', 'energy']
  return order.flatMap((limit) => largest.get(limit) ?? [])
}

/** The largest share that an error, or a law with a limit above 0, is of its limit. */
function shareOf({ error, laws }: Judged, limits: Limits): number {
  if (error === null || error.tracking === null || error.energy === null) return Infinity
  const kept = laws.map(({ value, limit }) => (value === null || value === 0 ? 0 : value / limit))
  const share = Math.max(error.tracking / limits.tracking, error.energy / limits.energy, ...kept)
  return Number.isNaN(share) ? Infinity : share
}

/** Of those whose errors are known and that keep all laws but that of penetration. */
function closestOf(candidates: readonly Candidate[]): Candidate | null {
  const errors: readonly LimitName[] = ['tracking', 'energy', 'penetration']
  const lawful = candidates.filter(({ missed, share }) => share < Infinity && missed.every(({ limit }) => errors.includes(limit)))
  return lawful.toSorted((a, b) => a.share - b.share)[0] ?? null
}

function whyWords(best: Candidate, equal: readonly Candidate[], fitting: number, all: number): string {
  const { perSecond } = best.cost as Price
  const cost = `${seconds(perSecond)} a simulated second, ${speed(perSecond)}`
  if (all === 1) return `It is the only pair of model and step, and keeps the laws and the limits: ${cost}.`
  if (fitting === 1) return `Of ${all} pairs it alone keeps the laws and the limits: ${cost}.`
  const others = equal.filter((candidate) => candidate !== best).map(choiceWords)
  const hasTies = equal.some((other) => other !== best && other.share === best.share)
  const room = hasTies ? 'and none of them has more room in its limits' : 'and has the most room in its limits'
  const why = others.length === 0 ? 'is the cheapest' : `costs about as little as ${listed(others, 5)}, ${room}`
  return `${fitting} of ${all} pairs keep the laws and the limits; it ${why}: ${cost}.`
}

/** Which costs among the cheapest were hard to measure. */
function uncertain(equal: readonly Candidate[]): string[] {
  const loose = equal.filter(({ cost }) => cost !== null && cost.spread > UNCERTAIN)
  if (loose.length === 0) return []
  const most = Math.max(...loose.map(({ cost }) => (cost as Price).spread))
  return [`${listed(loose.map(choiceWords), 5)}: the cost is uncertain, by up to ${percent(most)}`]
}

/** Reasons that are reported; the table has them all. */
const MOST_REASONS = 6
/** Characters of a line up to which it says more than it has to. */
const ROOM = 140

/** Why pairs are out, a line for those with the same first reason: laws first. Each is on the pair that is out the farthest. */
function reasonsOut(candidates: readonly Candidate[], limits: Limits): string[] {
  const groups = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    const [first] = candidate.missed
    if (first === undefined) continue
    const key = `${order.indexOf(first.limit)} ${first.source ?? ''}`
    groups.set(key, [...(groups.get(key) ?? []), candidate])
  }
  const sorted = [...groups].sort(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1))
  const told = sorted.slice(0, MOST_REASONS).map(([, out]) => {
    const most = out.toSorted((a, b) => (b.missed[0].value ?? 0) - (a.missed[0].value ?? 0))[0]
    const isOne = new Set(out.map(nameOf)).size === 1
    const line = `${isOne ? outWords(out, candidates) : choiceWords(most)} ${most.missed[0].words}`
    const others = isOne ? [] : out.filter((candidate) => candidate !== most)
    const named = others.length === 0 ? '' : `; ${outWords(others, candidates)} too`
    const full = line + (line.length + named.length <= ROOM ? named : `; ${others.length} more too`)
    const off = offWords(most, limits)
    return full.length + off.length <= ROOM ? full + off : full
  })
  const rest = sorted.slice(MOST_REASONS).reduce((sum, [, out]) => sum + out.length, 0)
  return rest === 0 ? told : [...told, `${rest} more are out for other reasons`]
}

const order: readonly LimitName[] = [...lawNames, 'tracking', 'energy', 'failed', 'reference']

/** Where a pair that breaks a law ends up by it, as far as that is known and beyond the limits. */
function offWords({ runs, missed }: Candidate, limits: Limits): string {
  if (missed[0].source !== undefined) return ''
  const parts = runs.flatMap(({ error }) =>
    error?.parts?.contact ? [{ part: error.parts.contact, against: error.against }] : [],
  )
  const [worst] = parts.toSorted((a, b) => b.part.motion - a.part.motion)
  if (worst === undefined || !(worst.part.motion > limits.tracking) || worst.part.farthest === null) return ''
  const { t, distance, unit, up_m } = worst.part.farthest
  if (!(distance < LOST)) return ''
  const far = unit === 'm' ? millimetres(distance) : `${significant(distance, 3)} rad`
  const isUpright = up_m !== null && Math.abs(up_m) > UPRIGHT * distance
  const off = isUpright ? `${millimetres(Math.abs(up_m))} too ${up_m > 0 ? 'high' : 'low'}` : `${far} off`
  return `; ${quantityWords(worst.part.of)} is ${off} at t = ${significant(t, 3)} s`
}

/** Part of a distance from which on its height alone is reported. */
const UPRIGHT = 0.95

/** A distance that no scene has [m, rad]. */
const LOST = 1e4

/** `convex`, or where it is not out at every step `convex at 10 ms`; all of a step together. */
function outWords(out: readonly Candidate[], all: readonly Candidate[]): string {
  const steps = new Map<string, { names: Set<string>; total: number }>()
  for (const candidate of out) {
    const own = (list: readonly Candidate[]) => list.filter((other) => nameOf(other) === nameOf(candidate))
    const isAlways = own(out).length === own(all).length && own(all).length > 1
    const step = isAlways ? '' : ` at ${milliseconds(candidate.dt)}`
    const total = all.filter(({ dt }) => dt === candidate.dt).length
    const entry = steps.get(step) ?? { names: new Set<string>(), total }
    entry.names.add(nameOf(candidate))
    steps.set(step, entry)
  }
  const parts = [...steps].map(([step, { names, total }]) => {
    if (step !== '' && names.size === total && total > 2) return `all ${total}${step}`
    return `${listed([...names], 5)}${step}`
  })
  // pairs out at every step come last, and say so, beside those out at some
  const always = steps.size > 1 ? steps.get('') : undefined
  const some = parts.filter((_, i) => always === undefined || [...steps.keys()][i] !== '')
  return listed(always === undefined ? some : [...some, `${listed([...always.names], 5)} at every step`])
}

/** "A, rigid: lcp, ncp", a line a camp, and when and by how much the first two part. */
function splitLines({ camps, parting }: JudgedBy, limits: Limits): string[] {
  const lines = camps.slice(0, CAMPS.length).map(({ models, kinds }, i) => `${CAMPS[i]}, ${listed(kinds)}: ${listed(models, 8)}`)
  const rest = camps.slice(CAMPS.length).flatMap(({ models }) => models)
  if (rest.length > 0) lines.push(`neither with these nor with each other: ${listed(rest, 8)}`)
  if (parting !== null) {
    const { t, distance, quantity } = parting
    const limit = percent(quantity === 'energy' ? limits.energy : limits.tracking)
    lines.push(
      `A and B part at t = ${significant(t, 3)} s, by ${percent(distance)} of the scale of ${quantityWords(quantity)} (limit ${limit})`,
    )
  }
  return lines
}

/** Camps that are reported one by one. */
const CAMPS = ['A', 'B', 'C', 'D']

/** `the base's position`, `the orientation of cube`, `joint elbow`, `joint elbow of arm`, `the energy`. */
export function quantityWords(name: string): string {
  if (name === 'energy') return 'the energy'
  const [what, owner] = name.split('/').toReversed()
  const base = /^base (position|orientation)$/.exec(what)
  if (base !== null) return owner === undefined ? `the base's ${base[1]}` : `the ${base[1]} of ${owner}`
  return owner === undefined ? `joint ${what}` : `joint ${what} of ${owner}`
}

/** Reference of the motions, where it has to be known to read the verdict. */
function judgedBy(truths: readonly JudgedBy[]): string[] {
  const words: string[] = []
  const one = truths.find(({ kind }) => kind === 'one kind')
  if (one !== undefined) words.push(`only ${one.camps[0].kinds[0]} models agree on what is right`)
  if (truths.length > 0 && truths.every(({ kind }) => kind === 'alone'))
    words.push('each model is judged against itself alone: no two that keep the laws were compared')
  words.push(...sharedLoad(truths))
  const divergences = truths.flatMap(({ divergence }) => divergence ?? [])
  if (divergences.length > 0) {
    const { t, growth } = divergences.reduce((first, other) => (other.t < first.t ? other : first))
    words.push(
      `errors are of the time up to t = ${significant(t, 3)} s: by then what differs at the start is ${significant(growth, 2)} times as large, whatever the model`,
    )
  }
  return words
}

/** Part of the load beyond which models are said to share it differently. */
const OPEN_LOAD = 0.05

/** That models of one camp, or of two, put the load on different pairs of shapes, as in indeterminate statics. */
function sharedLoad(truths: readonly JudgedBy[]): string[] {
  let most = { share: OPEN_LOAD, words: [] as string[] }
  for (const { kind, camps, models = [], loadShares = [] } of truths) {
    const agree = kind === 'split' ? camps.flatMap((camp) => camp.models) : (camps[0]?.models ?? [])
    const indices = agree.map((name) => models.indexOf(name))
    for (const i of indices) {
      for (const k of indices) {
        const share = loadShares[i]?.[k] ?? 0
        if (share <= most.share) continue
        const but = kind === 'split' ? '' : ', though their motion is the same: no force on a single pair is to be trusted'
        most = {
          share,
          words: [`${models[i]} and ${models[k]} put ${percent(share)} of the load on different pairs of shapes${but}`],
        }
      }
    }
  }
  return most.words
}

/** How often each pair ran, where it was more than once. */
function repeated(candidates: readonly Candidate[]): string[] {
  const counts = candidates.map(({ runs }) => runs.length)
  const most = Math.max(0, ...counts)
  if (most <= 1) return []
  const each = counts.every((count) => count === most) ? `${most} times` : `up to ${most} times`
  return [`each pair ran ${each}, and its worst run counts`]
}

function untouched(runs: readonly Judged[]): string[] {
  if (runs.length === 0 || runs.some(({ touched = true, status }) => touched || status === 'failed')) return []
  return [
    'nothing was touched in any run: the contact model does not matter here, and the models differ in their integration and in cost alone',
  ]
}

/** The verdict on a robot that lacks data for a simulation: none, whatever the runs show. */
export function withheld(robot: string, lacks: readonly string[], limits: Limits): Verdict {
  const sentence = `${robot}: no verdict, because ${lacks.join(', and ')}. Whatever moves here is made up; complete the robot's file.`
  return { robot, kind: 'withheld', model: null, dt: null, equal: [], limits, missed: [], closest: null, sentence, reasons: [] }
}

/** `penalty`, or with swept options `penalty with lambda 0.9`. */
export function nameOf({ model, variant }: { readonly model: string; readonly variant?: Options }): string {
  const options = Object.entries(variant ?? {}).map(
    ([path, value]) => `${path.split('.').slice(2).join('.')} ${shownValue(value)}`,
  )
  return options.length > 0 ? `${model} with ${options.join(', ')}` : model
}

const shownValue = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
const choiceWords = (choice: Candidate) => `${nameOf(choice)} at ${milliseconds(choice.dt)}`

/** How a cost compares with real time. */
export function speed(cost: number): string {
  return cost <= 1
    ? `${significant(1 / cost, 2)} times faster than real time`
    : `${significant(cost, 2)} times slower than real time`
}

/** The limits in words. */
export const limitWords: Readonly<Record<LimitName, string>> = {
  failed: 'the run failed',
  reference: 'its errors or its cost could not be taken',
  tracking: 'motion error',
  energy: 'energy error',
  ...(Object.fromEntries(lawNames.map((law) => [law, lawDefinitions[law].label])) as Record<LawName, string>),
}

/** A label inside of a sentence: without its capital, unless it is a person's name. */
export const inText = (label: string) => (label.startsWith('Signorini') ? label : label.charAt(0).toLowerCase() + label.slice(1))
