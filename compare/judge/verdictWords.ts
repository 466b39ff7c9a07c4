/** The verdict's sentences and lines. */

import { listed } from '../../dynamics/index.ts'
import { grouped } from '../measure/grouped.ts'
import { counted, millimetres, milliseconds, percent, seconds, significant } from '../measure/numbers.ts'
import type { Limits } from '../scenario/index.ts'
import { lawNames } from '../scenario/limits.ts'
import { isOutside } from '../scenario/world/files.ts'
import { kindOf } from './families.ts'
import { creepOf, type HealthNote, span } from './health.ts'
import { OUTCOMES, outcomesMet } from './record.ts'
import type { RunError } from './reference.ts'
import type { Candidate, JudgedBy, JudgedScene, LimitName, Options } from './verdict.ts'

export interface Chosen {
  /** Not empty; the default first. */
  readonly set: readonly Candidate[]
  /** How many pairs keep the laws and the limits, and how many there are. */
  readonly fitting: number
  readonly all: number
  readonly truths: readonly JudgedBy[]
  readonly scene: JudgedScene
  readonly health: readonly HealthNote[]
}

/** What to take, why, and for how long it holds. */
export function takeWords({ set, fitting, all, truths, scene, health }: Chosen): string {
  const costs = set.flatMap(({ cost }) => cost ?? [])
  const cost = costs.length < set.length ? '' : ` A simulated second took ${span(costs, seconds)} of computing here.`
  const least =
    set.length === fitting
      ? ''
      : `; of these ${set.length === 1 ? 'this one needs' : 'the ones named need'} the least work, counted in steps and iterations`
  const why =
    all === 1
      ? 'It is the only pair of model and step, and keeps every law and limit.'
      : fitting === 1
        ? `Of ${all} pairs of model and step it alone keeps every law and limit.`
        : `${fitting} of ${all} pairs of model and step keep every law and limit${least}.`
  return `${setWords(set, truths)}.${butWords(health)}${defaultWords(set)} ${why}${cost} ${holdsWords(set, truths, scene)}`
}

/** Where nothing acted that models of contact differ in. */
export function anyWords({ set, fitting, all, scene, health }: Chosen): string {
  return `any model will do, at a step of ${milliseconds(set[0].dt)}.${butWords(health)} No contact, joint stop, dry friction of a joint or loop was active in the ${lasting(scene)} simulated, so that models differ in their integration alone. ${fitting} of ${all} pairs of model and step keep the limits of error, and this step is the longest that does. Not judged: contact, longer times and other starts.`
}

const lasting = ({ duration }: JudgedScene) => `${significant(duration, 4)} s`

/** What goes wrong with the robot under any model that is taken. */
function butWords(health: readonly HealthNote[]): string {
  const wrong = health.filter(({ code }) => inBut.includes(code)).map(({ words }) => words)
  return wrong.length > 0 ? ` But ${wrong.join('; ')}.` : ''
}
const inBut: readonly HealthNote['code'][] = ['fell', 'effort', 'target']

/** Notes that stand in the sentence of a verdict that takes something. */
export const inSentence: readonly HealthNote['code'][] = ['self-overlap', 'untouched', ...inBut]

/** Distance of motions up to which they are the same to the digits that are shown. */
const SAME = 1e-4

const either = (names: readonly string[]) => listed(names).replace(/ and (?=[^,]*$)/, ' or ')

/** `take lcp, ncp or peg at a step of 5 ms, whose motions differ by less than 0.01 %`, and others of the set with by how much. */
function setWords(set: readonly Candidate[], truths: readonly JudgedBy[]): string {
  const [first, ...others] = set
  const step = `at a step of ${milliseconds(first.dt)}`
  if (others.some(({ dt }) => dt !== first.dt)) return `take ${either(set.map(choiceWords))}`
  const distances = others.map((other) => distanceOf(first, other, truths))
  const same = [first, ...others.filter((_, i) => (distances[i] ?? 1) < SAME)]
  const rest = others.filter((_, i) => (distances[i] ?? 1) >= SAME)
  const take = `take ${either(same.map(nameOf))} ${step}${same.length === 1 ? '' : ', whose motions differ by less than 0.01 %'}`
  if (rest.length === 0) return take
  const most = percent(Number(Math.max(...distances.map((distance) => distance ?? 0)).toPrecision(2)))
  return `${take}; ${listed(rest.map(nameOf))} will do too${distances.includes(null) ? '' : `, within ${most} of the motion of ${nameOf(first)}`}`
}

/** The largest distance of two motions of one step over all worlds; null where it is not known of all. */
function distanceOf(a: Candidate, b: Candidate, truths: readonly JudgedBy[]): number | null {
  const distances = truths.map(({ models = [], atSteps = [] }) => {
    const motion = atSteps.find(({ dt }) => dt === a.dt)?.motion
    return motion?.[models.indexOf(nameOf(a))]?.[models.indexOf(nameOf(b))] ?? null
  })
  return distances.length === 0 || distances.includes(null) ? null : Math.max(...(distances as number[]))
}

/** Why the first of the set is the one to take without a reason for another. */
function defaultWords(set: readonly Candidate[]): string {
  const [first, ...others] = set
  if (others.length === 0) return ''
  const least = creepOf(first)
  const rivals = others.filter((other) => creepOf(other) <= least)
  const met = outcomesMet(first.model)
  const most = rivals.some(({ model }) => model !== first.model && outcomesMet(model) === met) ? 'as many as any' : 'the most'
  const why =
    rivals.length === 0
      ? `: under it ${least === 0 ? 'nothing' : 'the least'} creeps`
      : met === 0
        ? ''
        : `: it passes ${met} of ${OUTCOMES} benchmark rows, ${most} of these`
  return ` If in doubt, take ${nameOf(first)}${why}.`
}

/** For how long it holds: what was judged, and what creeps. */
function holdsWords(set: readonly Candidate[], truths: readonly JudgedBy[], scene: JudgedScene): string {
  const run = lasting(scene)
  const creeping = set.filter((candidate) => creepOf(candidate) > 0)
  const [worst] = creeping
    .flatMap(({ runs }) => runs.flatMap(({ health }) => health?.creep ?? []))
    .toSorted((a, b) => b.speed - a.speed)
  const [divergence] = truths.flatMap((truth) => truth.divergence ?? []).toSorted((a, b) => a.t - b.t)
  if (divergence !== undefined) {
    const { t, growth } = divergence
    return `Only the first ${significant(t, 3)} s of ${run} are judged, ${percent(Number((t / scene.duration).toPrecision(2)))} of the run${againstWords(truths)}: from then on the motion forgets its start, any error of which has grown ${significant(growth, 2)} times.`
  }
  const judged = `Judged over the ${run} simulated${againstWords(truths)}`
  if (worst === undefined) return `${judged}.`
  const speed = `${significant(1e3 * worst.speed, 2)} ${worst.unit === 'm/s' ? 'mm/s' : 'mrad/s'}`
  const minute = lengthOf(Number((60 * worst.speed).toPrecision(2)), worst.unit === 'm/s' ? 'm' : 'rad')
  return `${judged}. Do not trust ${listed(creeping.map(nameOf))} for longer: ${worst.of}, which should stand still, slides at up to ${speed}, ${minute} in a minute.`
}

/** What the motions are judged against, where it is more than each model itself. */
function againstWords([truth]: readonly JudgedBy[]): string {
  if (truth?.kind === 'closed form') return ', against the exact solution that the scenario states'
  if (truth?.kind !== 'consensus' && truth?.kind !== 'one kind') return ''
  return `, by what ${truth.camps[0]?.models.length} of ${oursOf(truth.models).length} models agree on`
}

/** Without engines from outside, which have no say. */
const oursOf = (models: readonly string[] = []) => models.filter((model) => !isOutside(model.split(' ')[0]))

/** Limits of the judgement: surfaces, loads, times and starts that it does not cover. */
export function openWords(truths: readonly JudgedBy[], health: readonly HealthNote[]): string {
  const { camps: [camp] = [], models = [] } = truths.find(({ kind }) => kind === 'one kind') ?? {}
  const others = oursOf(models).filter((model) => kindOf(model.split(' ')[0]) !== camp?.kinds[0])
  const other = camp?.kinds[0] === 'rigid' ? 'compliant' : 'rigid'
  const isFree = health.some(({ code }) => code === 'joints')
  const isAlone = truths.length > 0 && truths.every(({ kind }) => kind === 'alone')
  const open = [
    ...health.filter(({ code }) => code === 'self-overlap').map(({ words }) => words),
    ...(isFree ? ['contact, for none acted'] : []),
    ...(camp && !isFree
      ? [
          `${other} surfaces, for ${others.length > 0 ? `${listed(others)} ${others.length > 1 ? 'are out or contradict' : 'is out or contradicts'} these` : `no ${other} model was run`}`,
        ]
      : []),
    ...(isAlone
      ? ['the choice of model, for no two passed that could be compared: each is held against itself at a finer step']
      : []),
    ...(truths.some(({ kind }) => kind === 'split') ? [] : sharedLoad(truths)),
    `longer times${truths.length > 1 ? '' : ' and other starts'}`,
  ]
  return `Not judged: ${open.join('; ')}.`
}

/** Why no model is taken. */
export function splitWords({ camps, indeterminate, parting }: JudgedBy, scene: JudgedScene): string {
  const sides = camps.slice(0, 2).map(({ models }) => listed(models))
  const moved = parting?.moved
  const isAlike = moved && Math.min(moved.a, moved.b) > ALIKE_LENGTHS * Math.max(moved.a, moved.b)
  const ways = isAlike
    ? `${quantityWords(moved.of)} under ${sides[0]} and under ${sides[1]} parts by ${percent(parting.distance)} of its scale, from t = ${significant(parting.t, 3)} s on`
    : moved
      ? `${quantityWords(moved.of)} moves by ${lengthOf(moved.a, moved.unit)} under ${sides[0]}, by ${lengthOf(moved.b, moved.unit)} under ${sides[1]}`
      : `${sides.join(' say one thing, ')} another`
  if (!indeterminate)
    return `undecided, because models that keep every law contradict each other: ${ways}. Judged over the ${lasting(scene)} simulated.`
  const isHeld = moved && Math.min(moved.a, moved.b) < HELD * Math.max(moved.a, moved.b)
  return `undecided: it may ${isHeld ? 'hold or fall' : 'go either way'}, ${ways}. Rigid contact with Coulomb friction allows both: ${indeterminate.model} met ${counted(indeterminate.problems, 'problem')} with several solutions. Judged over the ${lasting(scene)} simulated.`
}

/** Of two lengths of ways, from which on they say nothing of how far apart these lead. */
const ALIKE_LENGTHS = 0.9
/** Part of the other motion up to which something holds. */
const HELD = 0.05

/** Reasons that are reported; the table has them all. */
const MOST_REASONS = 6
/** Characters of a line up to which it says more than it has to. */
const ROOM = 140

/** Why pairs are out, a line for those with the same first reason: laws first. Each is on the pair that is out the farthest. */
export function reasonsOut(candidates: readonly Candidate[], limits: Limits): string[] {
  // health has those of inputs
  const out = candidates.filter(({ missed: [first] }) => first !== undefined && first.limit !== 'inputs')
  const groups = grouped(out, ({ missed: [{ limit, source }] }) => `${order.indexOf(limit)} ${source ?? ''}`)
  const sorted = [...groups].sort(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1))
  const told = sorted.slice(0, MOST_REASONS).map(([, out]) => {
    const most = out.toSorted((a, b) => (b.missed[0].value ?? 0) - (a.missed[0].value ?? 0))[0]
    const isOne = new Set(out.map(nameOf)).size === 1
    const line = `${isOne ? outWords(out, candidates) : choiceWords(most)} ${most.missed[0].words}`
    const others = isOne ? [] : out.filter((candidate) => candidate !== most)
    const named = others.length === 0 ? '' : `; ${outWords(others, candidates)} too`
    const full =
      line +
      (named === '' || line.length + named.length <= ROOM ? named : `; the same for ${counted(others.length, 'other pair')}`)
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
  const far = lengthOf(distance, unit)
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
export function splitLines({ camps, parting }: JudgedBy, limits: Limits): string[] {
  const lines = camps.slice(0, CAMPS.length).map(({ models, kinds }, i) => `${CAMPS[i]}, ${listed(kinds)}: ${listed(models, 8)}`)
  const rest = camps.slice(CAMPS.length).flatMap(({ models }) => models)
  if (rest.length > 0) lines.push(`neither with these nor with each other: ${listed(rest, 8)}`)
  if (parting !== null) {
    const { t, distance, quantity } = parting
    const limit = percent(quantity === 'energy' ? limits.energy : limits.tracking)
    lines.push(
      `A and B are farther apart than the limit, ${limit}, from t = ${significant(t, 3)} s on, over the run by ${percent(distance)} of the scale of ${quantityWords(quantity)}`,
    )
  }
  return lines
}

const lengthOf = (x: number, unit: 'm' | 'rad') =>
  x < 1e-6 ? `less than 0.001 ${unit === 'm' ? 'mm' : 'mrad'}` : unit === 'm' ? millimetres(x) : `${significant(x, 3)} rad`

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

/** Part of the load beyond which models are said to share it differently. */
const OPEN_LOAD = 0.05

/** The load that models of one camp put on different pairs of shapes, as in indeterminate statics. */
function sharedLoad(truths: readonly JudgedBy[]): string[] {
  let most = { share: OPEN_LOAD, words: [] as string[] }
  for (const { camps, models = [], loadShares = [] } of truths) {
    const indices = (camps[0]?.models ?? []).map((name) => models.indexOf(name))
    for (const i of indices) {
      for (const k of indices) {
        const share = loadShares[i]?.[k] ?? 0
        if (share <= most.share) continue
        const words = `the force on any single pair of shapes, for ${models[i]} and ${models[k]} put ${percent(share)} of the load on different ones`
        most = { share, words: [words] }
      }
    }
  }
  return most.words
}

/** How often each pair ran, where it was more than once. */
export function repeated(candidates: readonly Candidate[]): string[] {
  const counts = candidates.map(({ runs }) => runs.length)
  const most = Math.max(0, ...counts)
  if (most <= 1) return []
  const each = counts.every((count) => count === most) ? `${most} times` : `up to ${most} times`
  return [`each pair ran ${each}, and its worst run counts`]
}

type Swept = { readonly variant?: Options }
export const isOption = ([path]: readonly [string, unknown]) => path.startsWith('models.')
export const valueText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** `penalty`, or with swept options `penalty with lambda 0.9`: they are part of which model it is, everything else that is swept of its world. */
export function nameOf({ model, variant }: Swept & { readonly model: string }): string {
  const options = Object.entries(variant ?? {}).filter(isOption)
  const words = options.map(([path, value]) => `${path.split('.').slice(2).join('.')} ${valueText(value)}`)
  return words.length > 0 ? `${model} with ${words.join(', ')}` : model
}

/** Sweep values of a run's world: `physical.friction 0.8`; '' without one. */
export function worldWords({ variant }: Swept): string {
  const own = Object.entries(variant ?? {}).filter((entry) => !isOption(entry))
  return own.map(([path, value]) => `${path} ${valueText(value)}`).join(', ')
}

export const choiceWords = (choice: Swept & { readonly model: string; readonly dt: number }) =>
  `${nameOf(choice)} at ${milliseconds(choice.dt)}`

/** Source of an error. */
export function sourceWords(source: NonNullable<RunError['source']>, against: RunError['against'], isLawful: boolean): string {
  if (source === 'controllerRate') return "the controller's rate, not contact"
  if (source === 'integrator') return 'by the step, and less at a smaller one'
  if (against === 'closed form') return 'contact, by the closed form'
  return isLawful ? 'it breaks no law, but differs from what the models agree on' : 'contact, against what the models agree on'
}
