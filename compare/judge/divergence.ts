/**
 * Whether answers diverge as the motion itself is sensitive to its start: a can that is just hit or just missed, a double pendulum.
 * Then no model is wrong afterwards, and errors are of the time before.
 */

import { place, type Trajectory } from '../measure/trajectory.ts'
import type { Limits } from '../scenario/index.ts'
import { medoidOf } from './camps.ts'
import type { ModelInWorld } from './judgeWorld.ts'
import { differenceOf, type Scales } from './reference.ts'
import type { Truth } from './truth.ts'

/** Answers that part, and how to find out why. */
export interface Dispute {
  /** The model to start again from a little aside: the one in the middle of the largest camp. */
  readonly model: number
  /** When the first of them part [s]. */
  readonly t: number
  /** How far apart they are a little before, as a fraction of the scales: how far aside to start. */
  readonly before: number
}

/** A motion that depends on its start as much as on its contact model. */
export interface Divergence {
  /** Errors are of the time before [s]. */
  readonly t: number
  /** By then the distance of a run from one that starts beside it has grown by so much. */
  readonly growth: number
}

/** A distance that has grown by less is no sign of anything: a pendulum that swings a little wider gets out of step. */
const LEAST_GROWTH = 10
/** Of the time of parting: where the distance before it is taken. */
const BEFORE = 0.8
const SMALLEST = 1e-6

/** null where enough models agree, with each other and with themselves at their reference's step. */
export function disputeOf(truth: Truth, models: readonly ModelInWorld[], limits: Limits): Dispute | null {
  const index = (label: string) => models.findIndex((model) => model.label === label)
  const [first, ...rest] = truth.camps.map((camp) => camp.models.map(index))
  if (first === undefined) return null
  const center = medoidOf(first, truth.motion)
  const answer = (m: number) => models[m].reference.trajectory as Trajectory
  const own = [...first, ...rest.flat()].flatMap((m): Trajectory[][] => {
    const { trajectory } = models[m].runs[0].left
    return trajectory === null ? [] : [[trajectory, answer(m)]]
  })
  const pairs = [...(truth.kind === 'split' ? rest.flat().map((m) => [answer(center), answer(m)]) : [])]
  const unsure = own.filter(([a, b]) => !((differenceOf(a, b, truth.scales).motion ?? 0) <= limits.tracking))
  if (2 * unsure.length > own.length) pairs.push(...unsure)
  const partings = pairs.flatMap(([a, b]) => {
    const { t, tracking } = differenceOf(a, b, truth.scales).series
    const row = tracking.findIndex((x) => !(x <= limits.tracking))
    return row < 0 ? [] : [{ t: t[row], before: tracking[Math.floor(BEFORE * row)] }]
  })
  if (partings.length === 0) return null
  const t = Math.min(...partings.map((parting) => parting.t))
  const befores = partings.map(({ before }) => before).sort((a, b) => a - b)
  const before = Math.min(limits.tracking / 2, Math.max(SMALLEST, befores[befores.length >> 1]))
  return { model: center, t, before }
}

/**
 * How far aside a run starts: of each position and joint so much of its scale, in the order of the quantities; orientations are left.
 * Up and down nothing moves, so that nothing starts in the ground.
 */
export const nudgeOf = ({ quantities }: Scales, { before }: Dispute): number[] => quantities.map(({ scale }) => before * scale)

/** null where the start is not the cause. */
export function divergenceOf(
  { t, before }: Dispute,
  run: Trajectory,
  twins: readonly Trajectory[],
  scales: Scales,
  limits: Limits,
): Divergence | null {
  const growths = twins.map((twin) => {
    const { series } = differenceOf(run, twin, scales)
    const at = place(series.t, t)
    const end = at === undefined ? series.tracking.length - 1 : at.row + Math.ceil(at.fraction)
    return series.tracking[end] / series.tracking[0]
  })
  const growth = Math.max(0, ...growths.filter((value) => Number.isFinite(value)))
  // the earlier difference has to have grown to the present one, or something else separates the answers: an impact, say
  return growth >= LEAST_GROWTH && growth * before >= limits.tracking ? { t, growth } : null
}
