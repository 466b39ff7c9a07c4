/** The verdict, which is a rule: health first, then laws, errors and counted work. docs/verdict.md says why. */

import { grouped } from '../measure/grouped.ts'
import type { RunHealth } from '../measure/health.ts'
import { isKept, type LawCheck, lawDefinitions, lawSentence } from '../measure/laws.ts'
import { percent } from '../measure/numbers.ts'
import { mean } from '../measure/statistics.ts'
import { ALIKE, type Cost, type Work, workOf } from '../run/cost.ts'
import type { Limits } from '../scenario/index.ts'
import { type LawName, lawNames } from '../scenario/limits.ts'
import type { Answer } from './answer.ts'
import type { Divergence } from './divergence.ts'
import { creepOf, type HealthNote, healthOf } from './health.ts'
import { outcomesMet } from './record.ts'
import type { RunError } from './reference.ts'
import type { ReportedTruth } from './truth.ts'
import {
  anyWords,
  choiceWords,
  inSentence,
  isOption,
  nameOf,
  openWords,
  quantityWords,
  reasonsOut,
  repeated,
  sourceWords,
  splitLines,
  splitWords,
  takeWords,
} from './verdictWords.ts'

/** The part of a run that the verdict reads. */
export interface Judged {
  readonly model: string
  /** [s] */
  readonly dt: number
  readonly status: 'ok' | 'failed'
  /** Of a simulated second; null if it was not taken. No verdict hangs on it. */
  readonly cost: Pick<Cost, 'perSecond'> | null
  /** Counted, a step; null of a run that did not begin. */
  readonly work: Work | null
  /** null where nothing could be compared. */
  readonly error: (Pick<RunError, 'tracking' | 'energy'> & Partial<RunError>) | null
  readonly laws: readonly LawCheck[]
  /** The sweep's values for this run, by the path of the field. Options of the model, `models.NAME.OPTION`, are part of the choice. */
  readonly variant?: Readonly<Record<string, unknown>> | null
  /** Whether a contact passed on a force; a run that does not say counts as one that did. */
  readonly touched?: boolean
  readonly health?: RunHealth | null
  readonly firstShaking?: string | null
}

/** The part of a world's truth that the verdict reads. */
export type JudgedBy = Pick<ReportedTruth, 'kind' | 'camps' | 'parting'> &
  Partial<Pick<ReportedTruth, 'models' | 'atSteps' | 'loadShares' | 'indeterminate'>> & { readonly divergence: Divergence | null }

/** The scene that is judged. */
export interface JudgedScene {
  /** [s] */
  readonly duration: number
  /** Advice on a start that overlaps by more than the limit, a clause; or null. */
  readonly overlap: string | null
}

/**
 * A limit that a run did not keep: a law, or `failed`, a run that broke off, `reference`, one whose error could not be taken,
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
 * `take`: any pair of the set. `any`: nothing acted that contact models differ in. `undecided`: models that keep every law and limit
 * contradict each other. `unhealthy`: the scene itself has to be mended first. `none`: no pair keeps the laws and limits. `withheld`: the
 * robot lacks data for a simulation.
 */
export type VerdictState = 'take' | 'any' | 'undecided' | 'unhealthy' | 'none' | 'withheld'

export interface Verdict {
  readonly robot: string
  readonly state: VerdictState
  /** Pairs that are as good as each other, the one to take without a reason for another first; empty where there is none. */
  readonly set: readonly ReportedChoice[]
  /** The first of the set. */
  readonly model: string | null
  readonly dt: number | null
  /** The options of the model that was chosen, by the paths of the sweep, where they are swept. */
  readonly variant?: Readonly<Record<string, unknown>>
  /** Faults of the scene itself, one of which may be the verdict. */
  readonly health: readonly HealthNote[]
  readonly limits: Limits
  /** The limits that each excluded pair missed, in the order of the runs. */
  readonly missed: readonly Missed[]
  /** If there is no pair to take: the one that keeps all laws and comes closest, by the largest of its errors over their limits. */
  readonly closest: ReportedChoice | null
  /** A few sentences: what to take, why, for how long it holds, what was not judged. */
  readonly sentence: string
  /** How often pairs succeed, and where in a sweep; none where neither is asked for. */
  readonly answer?: Answer
  /** A line each: contradictions; health; why pairs are out, physics first, those with the same reason together; other notes. */
  readonly reasons: readonly string[]
}

export interface ReportedChoice {
  readonly model: string
  readonly dt: number
  readonly variant?: Readonly<Record<string, unknown>>
}

/** The limits that one run missed: laws in their order, then errors. A value at its limit is within it. @unchecked */
export function missedLimits({ status, error, laws }: Omit<Judged, 'work'>, limits: Limits): readonly MissedLimit[] {
  if (status === 'failed' || error === null) return [{ limit: 'failed', value: null, words: 'breaks off' }]
  const missed: MissedLimit[] = laws
    .filter((check) => !isKept(check))
    .map((check) => ({ limit: check.law, value: check.value, words: lawSentence(check) }))
  const isLawful = missed.length === 0
  if (error.tracking === null || error.energy === null)
    missed.push({ limit: 'reference', value: null, words: error.note || 'has no errors' })
  for (const limit of ['tracking', 'energy'] as const) {
    const value = error[limit]
    if (value === null || value <= limits[limit]) continue // NaN is not within its limit
    const { source = null } = error
    const of = limit === 'tracking' && error.trackingOf ? ` of ${quantityWords(error.trackingOf)}` : ''
    const why = source === null ? '' : `: ${sourceWords(source, error.against ?? 'reference', isLawful)}`
    const article = limit === 'energy' ? 'an' : 'a'
    const words = `has ${article} ${limitWords[limit]} of ${percent(value)} (limit ${percent(limits[limit])})${of}${why}`
    missed.push({ limit, value, source, words })
  }
  return missed
}

export type Options = Readonly<Record<string, unknown>> | null

/** A model and step, with the model's options that a sweep varies, and all its runs: one a seed and other variant. */
export type Candidate = Readonly<ReturnType<typeof candidatesOf>[number]>

/**
 * The set of the verdict. Pairs of model and step have to keep every law, drop no stated input and be within the limits of error. The set has those
 * that need up to `ALIKE` times the least counted work of a simulated second, each model at its best step. All of them may be taken; the
 * first is the one of least creep, then of the best record. No computing time enters, so that the same runs have the same verdict on any
 * machine. Where models that keep every law and are within the limits contradict each other, no pair is taken. @unchecked
 *
 * Where a pair has several runs, by seeds and by variants of the world, all of them have to be within the limits.
 *
 * @param truths of each of the robot's worlds
 */
export function judge(
  robot: string,
  runs: readonly Judged[],
  limits: Limits,
  truths: readonly JudgedBy[] = [],
  scene: JudgedScene = { duration: Infinity, overlap: null },
): Verdict {
  const candidates = candidatesOf(runs, limits)
  const fitting = candidates.filter(({ missed }) => missed.length === 0)
  const missed = candidates
    .filter((candidate) => candidate.missed.length > 0)
    .map((candidate) => ({ ...shownChoice(candidate), limits: candidate.missed }))
  const health = healthOf(runs, fitting.length > 0 ? fitting.flatMap((candidate) => candidate.runs) : runs, scene)
  const decisive = health.find(({ decides }) => decides)
  const split = fitting.length > 0 ? truths.find(({ kind }) => kind === 'split') : undefined
  const reasonsOf = (inSentence: readonly HealthNote['code'][]) => [
    ...(split ? splitLines(split, limits) : []),
    ...health.filter((note) => note !== decisive && !inSentence.includes(note.code)).map(({ words }) => words),
    ...reasonsOut(candidates, limits),
    ...repeated(candidates),
  ]
  const reasons = reasonsOf(['self-overlap', 'untouched'])
  const none: Verdict = {
    robot,
    state: 'none',
    set: [],
    model: null,
    dt: null,
    health,
    limits,
    missed,
    closest: null,
    sentence: '',
    reasons,
  }
  if (candidates.length === 0) return { ...none, sentence: `${robot}: no verdict, because nothing was run.` }
  if (decisive !== undefined && decisive.code !== 'untouched')
    return { ...none, state: 'unhealthy', sentence: `${robot}: no verdict on contact, because ${decisive.words}.` }
  const open = openWords(truths, health)
  const told = (words: string) => `${robot}: ${words} ${open}`
  if (split !== undefined) return { ...none, state: 'undecided', sentence: told(splitWords(split, scene)) }
  if (fitting.length === 0) {
    const closest = closestOf(candidates)
    const nearest = closest === null ? '' : `; closest comes ${choiceWords(closest)}, which ${closest.missed[0].words}`
    const sentence = told(`no pair of model and step keeps the laws and the limits${nearest}.`)
    return { ...none, closest: closest && shownChoice(closest), sentence }
  }
  const least = Math.min(...fitting.map(({ work }) => work))
  const alike = fitting.filter(
    (own) => own.work <= ALIKE * least && fitting.every((other) => nameOf(other) !== nameOf(own) || other.work >= own.work),
  )
  const set = alike.toSorted((a, b) => creepOf(a) - creepOf(b) || outcomesMet(b.model) - outcomesMet(a.model) || before(a, b))
  const chosen = { set, fitting: fitting.length, all: candidates.length, truths, scene, health }
  const choice = { ...none, ...shownChoice(set[0]), set: set.map(shownChoice), reasons: reasonsOf(inSentence) }
  if (decisive !== undefined) return { ...choice, state: 'any', sentence: `${robot}: ${anyWords(chosen)}` }
  return { ...choice, state: 'take', sentence: told(takeWords(chosen)) }
}

const before = (a: Candidate, b: Candidate) => b.dt - a.dt || (nameOf(a) < nameOf(b) ? -1 : 1)

const shownChoice = ({ model, dt, variant }: Candidate): ReportedChoice => ({
  model,
  dt,
  ...(variant === null ? {} : { variant }),
})

function candidatesOf(runs: readonly Judged[], limits: Limits) {
  const groups = grouped(runs, (run) => JSON.stringify([run.model, run.dt, optionsOf(run)]))
  return [...groups.values()].map((group) => {
    const [{ model, dt }] = group
    const costs = group.flatMap((run) => run.cost?.perSecond ?? [])
    return {
      model,
      dt,
      variant: optionsOf(group[0]),
      runs: group,
      /** Of all runs, each limit with its worst value. */
      missed: worst(group.flatMap((run) => missedLimits(run, limits))),
      /** Mean over the runs of the counted work of a simulated second. */
      work: mean(group.map(({ work }) => (work === null ? Infinity : workOf(work, dt)))),
      /** Measured time of a simulated second, the mean over the runs; null unless all were timed. */
      cost: costs.length < group.length ? null : mean(costs),
      /** The largest share that any error or depth is of its limit; Infinity where one is not known. */
      share: Math.max(...group.map((run) => shareOf(run, limits))),
    }
  })
}

/** The part of a run's variant that belongs to its model. */
function optionsOf({ variant }: Judged): Options {
  const own = Object.entries(variant ?? {}).filter(isOption)
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

/** The verdict on a robot that lacks data for a simulation: none, whatever the runs show. */
export function withheld(robot: string, lacks: readonly string[], limits: Limits): Verdict {
  const sentence = `${robot}: no verdict, because ${lacks.join(', and ')}. Any motion here rests on invented values; complete the robot's file.`
  const none = { set: [], model: null, dt: null, health: [], missed: [], closest: null, reasons: [] }
  return { robot, state: 'withheld', ...none, limits, sentence }
}

/** The limits in words. */
export const limitWords: Readonly<Record<LimitName, string>> = {
  failed: 'the run failed',
  reference: 'its errors could not be taken',
  tracking: 'motion error',
  energy: 'energy error',
  ...(Object.fromEntries(lawNames.map((law) => [law, lawDefinitions[law].label])) as Record<LawName, string>),
}

/** A label inside of a sentence: without its capital, unless it is a person's name. */
export const inText = (label: string) => (label.startsWith('Signorini') ? label : label.charAt(0).toLowerCase() + label.slice(1))
