/**
 * Reference of a world's runs besides themselves: the consensus of the contact models that keep the laws, or a closed form. Where they
 * do not agree there is no truth to be had, and the camps are named.
 */
import type { PairLoad } from '../measure/metrics.ts'
import type { Trajectory } from '../measure/trajectory.ts'
import type { ClosedForm, Limits } from '../scenario/index.ts'
import type { RobotScale } from '../scenario/world/assemble.ts'
import { campsOf, medoidOf } from './camps.ts'
import { withClosedForm } from './closedForm.ts'
import { medianMotion } from './consensus.ts'
import { familyOf, kindOf } from './families.ts'
import { type Difference, differenceOf, type Part, rangesOf, type Scales, type Slack, scalesOf, slackOf } from './reference.ts'

/** The answer of one model in one world: its motion at the reference's step. */
export interface Answer {
  /** The model's name, with the options that a sweep gave it. */
  readonly label: string
  /** Its name in the registry. */
  readonly model: string
  /** null: the reference failed, or shapes passed through each other in it. */
  readonly motion: Trajectory | null
  /** Reason for abstaining; '' if it votes. */
  readonly abstains: string
  /** How deep it sinks [m]: nothing may be made of where things stand to within this, see `slackOf`. */
  readonly penetration: number
  /** Loads of its pairs of shapes in the run at the scenario's smallest step; null if that broke off. */
  readonly loads: readonly PairLoad[] | null
  /** How many of that run's problems had more than one solution of rigid contact. */
  readonly indeterminate: number
  /** Its runs, one a step, the finest first; the motion is null of one that broke off. */
  readonly runs: readonly { readonly dt: number; readonly motion: Trajectory | null }[]
}

export interface WorldContext {
  readonly scale: RobotScale
  readonly exact: ClosedForm | undefined
  readonly limits: Limits
  /** Motions are compared up to here [s]. */
  readonly until?: number
}

/** Answers that say the same within the limits. */
export type Camp = Readonly<ReturnType<typeof shownCamp>>

/** When and by how much two answers part. */
export type Parting = Readonly<ReturnType<typeof partingOf>>

/** A model's finest run that came to problems of which rigid contact has several solutions. */
export interface Indeterminate {
  readonly model: string
  readonly problems: number
}

/**
 * Kind of reference. `closed form`: the scenario's, with the consensus for the rest. `consensus`: the median of the
 * models that keep the laws, of which rigid and compliant ones agree. `one kind`: the same, but all of them are rigid, or all compliant.
 * `split`: they do not agree. `alone`: there is one such model, or none; each is judged against itself.
 */
export type TruthKind = 'closed form' | 'consensus' | 'one kind' | 'split' | 'alone'

/** Of one world, as results show it. */
export type ReportedTruth = Omit<Truth, 'scales' | 'contact' | 'against'>

export type Truth = Readonly<ReturnType<typeof truthOf>>

/** Rows of two motions that are compared for the matrices, about. */
const MATRIX_ROWS = 500

/** @throws RangeError without any motion */
export function truthOf(given: readonly Answer[], world: WorldContext) {
  const { scale, exact, limits, until } = world
  const answers = exact === undefined ? given : given.map((answer) => refuted(answer, given, world))
  const known = answers.flatMap(({ motion }, i) => (motion ? [i] : []))
  const stated = answers.map(({ motion }) => motion && withClosedForm(motion, exact))
  const voters = answers.flatMap(({ abstains, motion }, i) => (abstains === '' && motion ? [i] : []))
  const median = (indices: readonly number[]) => medianMotion(indices.map((i) => stated[i] as Trajectory))
  const scales = scalesOf(median(voters.length > 0 ? voters : known), scale)
  const sunk = Math.max(0, ...voters.map((i) => answers[i].penetration))
  const slack = slackOf(scales, Math.min(limits.penetration, sunk), scale)
  const loadShares = answers.map((a) => answers.map((b) => loadsApart(a.loads, b.loads)))
  const { motion, energy } = matricesOf(stated, scales, until, slack)
  const motionsAt = (r: number) => given.map(({ runs }) => runs[r].motion)
  const atSteps = given[0].runs.map(({ dt }, r) => ({ dt, motion: matricesOf(motionsAt(r), scales, until).motion }))
  // in limits, so that one number says whether two answers are the same
  const apart = voters.map((i) => voters.map((k) => inLimits(motion[i][k], energy[i][k], limits)))
  const camps = campsOf(apart, 1).map((camp) => camp.map((v) => voters[v]))
  const indeterminate = exact === undefined ? indeterminateOf(camps, answers) : null
  const kind = indeterminate === null ? kindOfTruth(camps, answers, exact !== undefined) : 'split'
  const agreed = kind === 'split' || camps.length === 0 || (kind === 'alone' && exact === undefined) ? null : median(camps[0])
  const against = answers.map(({ motion: own }) => (own === null ? null : (agreed ?? withClosedForm(own, exact))))
  const contact = answers.map(({ motion: own }, i): Part | null => {
    const other = against[i]
    if (own === null || other === null || (agreed === null && exact === undefined)) return null
    const difference = differenceOf(own, other, scales, { until, slack })
    return partOf(difference)
  })
  return {
    kind,
    /** Rows and columns of the matrices. */
    models: answers.map(({ label }) => label),
    /** Distance of each model's motion from each other's, of the worst quantity as a fraction of its scale; null where one has none. */
    motion,
    /** Likewise of the mechanical energy. */
    energy,
    /** The distances of the motions in the runs themselves, penetration included, at each step, the smallest first. */
    atSteps,
    /**
     * Of the runs at the scenario's smallest step: the part of the load that two models put on different pairs of shapes, half the sum of the
     * differences of the pairs' shares; `runs[].loads` has the largest pairs.
     */
    loadShares,
    /** The largest camp first; of models that have a say. */
    camps: camps.map((camp) => shownCamp(camp.map((i) => answers[i]))),
    abstaining: answers.flatMap(({ label, abstains }) => (abstains === '' ? [] : [{ model: label, why: abstains }])),
    /** Of the two largest camps; null where there are not two. */
    parting: camps.length < 2 ? null : partingOf(camps, apart, voters, answers, stated, { scales, slack, until, limits }),
    /** Where rigid models part as contact has several solutions, the model that came to the most such problems; else null. */
    indeterminate,
    scales,
    /** The distance of each model's answer from the truth; null where there is none, or no answer. */
    contact,
    /** The motion that each run is drawn against: the truth, or the model's own answer; null without either. */
    against,
  }
}

/** Where friction jams or lets go, and either is a solution, no majority of models is right. */
function indeterminateOf(camps: readonly (readonly number[])[], answers: readonly Answer[]): Indeterminate | null {
  const rigid = camps.filter((camp) => camp.some((i) => kindOf(answers[i].model) === 'rigid'))
  const [most] = answers.toSorted((a, b) => b.indeterminate - a.indeterminate)
  if (rigid.length < 2 || !(most.indeterminate > 0)) return null
  return { model: most.label, problems: most.indeterminate }
}

/** An answer that is farther from the closed form than the limits abstains on all that it does not state. */
function refuted(answer: Answer, all: readonly Answer[], { scale, exact, limits, until }: WorldContext): Answer {
  const { motion, abstains, penetration } = answer
  if (motion === null || abstains !== '') return answer
  const right = withClosedForm(motion, exact)
  const scales = scalesOf(medianMotion(all.flatMap((other) => (other.motion ? withClosedForm(other.motion, exact) : []))), scale)
  const slack = slackOf(scales, Math.min(limits.penetration, penetration), scale)
  const { motion: far, energy } = differenceOf(motion, right, scales, { until, slack })
  return (inLimits(far, energy, limits) ?? Infinity) <= 1 ? answer : { ...answer, abstains: 'it contradicts the closed form' }
}

export const partOf = ({ motion, worst, farthest, energy }: Difference): Part | null =>
  motion === null || energy === null ? null : { motion, of: worst?.name ?? '', farthest, energy }

/** Its entry in results. */
export function shownTruth({ scales: _, contact: __, against: ___, ...shown }: Truth): ReportedTruth {
  return shown
}

const inLimits = (motion: number | null, energy: number | null, limits: Limits) =>
  motion === null || energy === null ? null : Math.max(motion / limits.tracking, energy / limits.energy)

/**
 * Models agree where they are of one camp, or where the largest holds two thirds of all and half of each kind, rigid and compliant, that
 * has a say: a compliant model that rigid ones agree with is no witness for them where most others of its kind contradict it.
 */
function kindOfTruth(camps: readonly (readonly number[])[], answers: readonly Answer[], isStated: boolean): TruthKind {
  const all = camps.flat()
  const kinds = (indices: readonly number[]) => new Set(indices.map((i) => kindOf(answers[i].model))).size
  const ofKind = (kind: string, indices: readonly number[]) => indices.filter((i) => kindOf(answers[i].model) === kind).length
  const isHeld = (kind: string) => 2 * ofKind(kind, camps[0]) >= ofKind(kind, all)
  const agree = camps.length <= 1 || (3 * camps[0].length >= 2 * all.length && ['rigid', 'compliant'].every(isHeld))
  if (!agree) return 'split'
  if (isStated) return 'closed form'
  if (all.length <= 1) return 'alone'
  return kinds(camps[0]) > 1 ? 'consensus' : 'one kind'
}

function shownCamp(answers: readonly Answer[]) {
  const unique = <T>(values: readonly T[]) => [...new Set(values)]
  return {
    models: answers.map(({ label }) => label),
    families: unique(answers.map(({ model }) => familyOf(model))),
    kinds: unique(answers.map(({ model }) => kindOf(model))),
  }
}

function matricesOf(motions: readonly (Trajectory | null)[], scales: Scales, until: number | undefined, slack?: Slack) {
  const none = (): (number | null)[][] => motions.map(() => motions.map(() => null))
  const [motion, energy] = [none(), none()]
  motions.forEach((a, i) => {
    for (let k = 0; k <= i; k++) {
      const b = motions[k]
      if (a === null || b === null) continue
      const every = Math.max(1, Math.floor(a.t.length / MATRIX_ROWS))
      const difference = differenceOf(a, b, scales, { until, every, slack })
      motion[i][k] = motion[k][i] = finite(difference.motion)
      energy[i][k] = energy[k][i] = finite(difference.energy)
    }
  })
  return { motion, energy }
}

function loadsApart(a: Answer['loads'], b: Answer['loads']): number | null {
  if (a === null || b === null) return null
  const shares = new Map(a.map(({ pair, share }) => [pair, share]))
  for (const { pair, share } of b) shares.set(pair, (shares.get(pair) ?? 0) - share)
  return 0.5 * [...shares.values()].reduce((sum, difference) => sum + Math.abs(difference), 0)
}

/** JSON has no Infinity and no NaN: an answer that is nowhere is infinitely far from all others, which null says too. */
const finite = (x: number | null) => (x !== null && Number.isFinite(x) ? x : null)

interface Measures {
  readonly scales: Scales
  readonly slack: Slack
  readonly until: number | undefined
  readonly limits: Limits
}

/** First time two camps' middles are apart beyond the limit, and quantity. */
function partingOf(
  [first, second]: readonly (readonly number[])[],
  apart: readonly (readonly (number | null)[])[],
  voters: readonly number[],
  answers: readonly Answer[],
  stated: readonly (Trajectory | null)[],
  { scales, slack, until, limits }: Measures,
) {
  const place = (camp: readonly number[]) =>
    voters[
      medoidOf(
        camp.map((i) => voters.indexOf(i)),
        apart,
      )
    ]
  const [a, b] = [place(first), place(second)]
  const { series, motion, worst, energy } = differenceOf(stated[a] as Trajectory, stated[b] as Trajectory, scales, {
    until,
    slack,
  })
  const isEnergy = (motion ?? 0) / limits.tracking < (energy ?? 0) / limits.energy
  const moved = (answer: number) =>
    rangesOf(stated[answer] as Trajectory)[scales.quantities.findIndex(({ name }) => name === worst?.name)]
  const row = series.t.findIndex((_, i) => series.tracking[i] > limits.tracking || series.energy[i] > limits.energy)
  return {
    /** First time at which their distance is beyond the limit [s]. */
    t: series.t[Math.max(0, row)] ?? 0,
    a: answers[a].label,
    b: answers[b].label,
    /** The quantity whose distance is largest over the whole time, and that distance as a fraction of its scale. */
    quantity: isEnergy ? 'energy' : (worst?.name ?? ''),
    distance: (isEnergy ? energy : motion) ?? 0,
    /** Of the motion that is farthest apart, how far it goes from its start at most, in the answer of a and in that of b. */
    moved: worst === undefined ? null : { of: worst.name, a: moved(a), b: moved(b), unit: worst.unit },
  }
}
