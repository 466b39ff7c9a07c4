/** The errors of all runs in one world, with their parts. */
import type { PairLoad } from '../measure/metrics.ts'
import type { Trajectory } from '../measure/trajectory.ts'
import type { ErrorSeries } from '../recording/replay/series.ts'
import { REFERENCE_REFINEMENT } from '../run/run.ts'
import type { Limits } from '../scenario/index.ts'
import { withClosedForm } from './closedForm.ts'
import { differenceOf, type ErrorParts, type Part, type RunError, slackOf } from './reference.ts'
import { type Answer, partOf, type Truth, truthOf, type WorldContext } from './truth.ts'

/** The outcome of a run or a reference. */
export interface Left {
  readonly status: 'ok' | 'failed'
  readonly failure: string | null
  readonly trajectory: Trajectory | null
  /** Shapes that passed through each other, in words; null if none did. */
  readonly tunnelling: string | null
}

/** One model in one world. */
export interface ModelInWorld {
  readonly label: string
  readonly model: string
  /** Reason for abstaining, by the laws that its finest run broke; '' if it votes. */
  readonly abstains: string
  /** One a step, the finest first. */
  readonly runs: readonly RunInWorld[]
  readonly reference: Left
}

export interface RunInWorld {
  readonly dt: number
  readonly left: Left
  /** null where the run took no measures. */
  readonly penetration: number | null
  readonly loads: readonly PairLoad[]
  /** See `RunHealth.indeterminate`. */
  readonly indeterminate: number
  /** The reference under a controller at the rate of this run; null where that is the rate of the reference. */
  readonly atItsRate: Left | null
}

export interface Judgement {
  readonly truth: Truth | null
  /** Of each model, of each of its runs. */
  readonly errors: readonly (readonly { readonly error: RunError | null; readonly series: ErrorSeries | null }[])[]
}

export interface JudgedWorld extends WorldContext {
  /** [s] */
  readonly duration: number
}

export function judgeWorld(models: readonly ModelInWorld[], world: JudgedWorld): Judgement {
  const answers = models.map(answerOf)
  const truth = answers.every(({ motion }) => motion === null) ? null : truthOf(answers, world)
  const errors = models.map((model, m) => model.runs.map((run) => errorOf(run, model, m, truth, world)))
  return { truth, errors }
}

function answerOf({ label, model, abstains, runs, reference }: ModelInWorld): Answer {
  const isWhole = reference.status === 'ok' && reference.tunnelling === null
  const why = reference.status === 'failed' ? 'its reference failed' : 'shapes passed through each other in its reference'
  return {
    label,
    model,
    motion: isWhole ? reference.trajectory : null,
    abstains: isWhole ? abstains : abstains || why,
    penetration: runs[0].penetration ?? 0,
    loads: runs[0].left.status === 'ok' ? runs[0].loads : null,
    indeterminate: runs[0].indeterminate,
    runs: runs.map(({ dt, left }) => ({ dt, motion: left.status === 'ok' ? left.trajectory : null })),
  }
}

function errorOf(
  { left, penetration, atItsRate, dt: _ }: RunInWorld,
  { reference, runs }: ModelInWorld,
  m: number,
  truth: Truth | null,
  world: JudgedWorld,
): { error: RunError | null; series: ErrorSeries | null } {
  if (left.status === 'failed' || left.trajectory === null || penetration === null) return { error: null, series: null }
  const { limits, exact, duration, until } = world
  const unknown = {
    penetration_m: penetration,
    tracking: null,
    trackingOf: '',
    trackingScale: 0,
    trackingUnit: 'm' as const,
    energy: null,
    energyScale_J: 0,
    against: 'reference' as const,
    parts: { integrator: null, controllerRate: null, contact: null },
    source: null,
    until_s: until ?? duration,
  }
  const other = truth?.against[m]
  if (truth === null || !other || reference.trajectory === null) {
    const step = runs[0].dt / REFERENCE_REFINEMENT
    const why =
      reference.status === 'failed'
        ? `the reference run at ${step} s failed: ${reference.failure}`
        : `in the reference run at ${step} s ${reference.tunnelling}`
    return { error: { ...unknown, note: why }, series: null }
  }
  const { scales, kind } = truth
  const step = differenceOf(left.trajectory, reference.trajectory, scales, { until })
  const slack = slackOf(scales, Math.min(limits.penetration, penetration), world.scale)
  // quantities absent from a closed form are compared with the run's own reference
  const stated = exact && differenceOf(left.trajectory, withClosedForm(reference.trajectory, exact), scales, { until, slack })
  const rate = atItsRate?.trajectory && atItsRate.status === 'ok' ? atItsRate.trajectory : null
  const parts: ErrorParts = {
    integrator: partOf(rate === null ? step : differenceOf(left.trajectory, rate, scales, { until })),
    controllerRate: rate === null ? null : partOf(differenceOf(rate, reference.trajectory, scales, { until })),
    contact: truth.contact[m],
  }
  // the run itself is compared with a closed form; a consensus is no more exact than its members, and agreeing with it by chance
  // at a large step is no merit
  const whole = [partOf(step), parts.contact, stated ? partOf(stated) : null].filter((part) => part !== null)
  const motion = largest(whole, (part) => part.motion)
  const energy = largest(whole, (part) => part.energy)
  const quantity = scales.quantities.find(({ name }) => name === motion?.of)
  return {
    error: {
      ...unknown,
      tracking: motion?.motion ?? null,
      trackingOf: motion?.of ?? '',
      trackingScale: quantity?.scale ?? 0,
      trackingUnit: quantity?.unit ?? 'm',
      energy: energy?.energy ?? null,
      energyScale_J: scales.energy_J,
      against: exact ? 'closed form' : kind === 'consensus' || kind === 'one kind' ? 'consensus' : 'reference',
      parts,
      source: sourceOf(parts, limits),
      note: '',
    },
    series: differenceOf(left.trajectory, other, scales, { slack }).series,
  }
}

/** NaN counts as larger than anything. */
function largest(parts: readonly Part[], of: (part: Part) => number): Part | undefined {
  return parts.toSorted((a, b) => (Number.isNaN(of(a)) ? -1 : Number.isNaN(of(b)) ? 1 : of(b) - of(a)))[0]
}

/** The part that is the largest share of its limit. */
function sourceOf(parts: ErrorParts, limits: Limits): RunError['source'] {
  const share = (part: Part | null) => (part === null ? -1 : Math.max(part.motion / limits.tracking, part.energy / limits.energy))
  const names = (Object.keys(parts) as (keyof ErrorParts)[]).filter((name) => parts[name] !== null)
  return names.toSorted((a, b) => share(parts[b]) - share(parts[a]))[0] ?? null
}
