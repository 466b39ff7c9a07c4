/** By how much a run changes when one of its inputs does: a tornado, the input that matters most on top. */
import { errorsOf } from '../judge/reference.ts'
import type { Outcome, RunJob } from '../run/run.ts'
import type { Scenario } from '../scenario/index.ts'
import type { PreparedWorld } from '../scenario/world/files.ts'
import type { Variation } from '../scenario/world/vary.ts'
import type { Grid } from './grid.ts'

/** One run whose input is off. */
export type Swing = Readonly<ReturnType<typeof swing>>

export interface SensitivityRow {
  readonly input: 'friction' | 'stiffness' | 'mass' | 'delay' | 'step'
  /** With less of it, and with more; a delay has no less. */
  readonly less: Swing | null
  readonly more: Swing
}

export type ModelSensitivity = SensitivityResult['models'][number]

export type SensitivityResult = Readonly<Awaited<ReturnType<typeof sensitivityOf>>>

const shown = ['penetrationMax_m', 'trackingRms_rad', 'trackingRms_m', 'torqueRms_Nm', 'stickSlip_m', 'energyGain_J'] as const

/** How far from the stated run counts as the most there is: beyond it a swing is a run of its own. */
export const swingOf = ({ less, more }: SensitivityRow): number => {
  const of = (swing: Swing | null) => (swing === null ? 0 : (swing.motion ?? Infinity))
  return Math.max(of(less), of(more))
}

/** @param part by how much each input is off, below 1 */
export async function sensitivityOf(
  scenario: Scenario,
  robot: string,
  { part, prepared, grid }: { part: number; prepared: PreparedWorld; grid: Grid },
) {
  const [dt] = scenario.dt
  const [low, high] = [1 - part, 1 + part]
  const has = prepared.members[0].drive !== undefined
  const factors = (['friction', 'stiffness', 'mass'] as const).flatMap((input) => [
    { input, by: low, vary: { [input]: low } },
    { input, by: high, vary: { [input]: high } },
  ])
  const all: { input: SensitivityRow['input']; by: number; vary: Variation; dt?: number }[] = [
    ...factors,
    { input: 'step', by: low, vary: {}, dt: low * dt },
    { input: 'step', by: high, vary: {}, dt: high * dt },
    ...(has ? [{ input: 'delay' as const, by: 1, vary: { delay: 1 } }] : []),
  ]
  const own: Scenario = { ...scenario, variants: [], sweep: {} }
  const jobs = scenario.models.map((model): RunJob => ({ kind: 'run', scenario: own, robot, model, dt }))
  const cells = jobs.flatMap((job) => [
    { job, against: job },
    ...all.map((off) => ({ job: { ...job, dt: off.dt ?? dt, vary: off.vary }, against: job })),
  ])
  const figures = await grid.run(cells, (run, nominal, { job }) => swing(run, nominal as Outcome, job, prepared))
  const models = scenario.models.map((model, m) => {
    const [nominal, ...swings] = figures.slice(m * (all.length + 1), (m + 1) * (all.length + 1))
    const of = (input: string, by: number) => {
      const i = all.findIndex((off) => off.input === input && off.by === by)
      return { ...swings[i], by: input === 'delay' ? '1 period of the controller' : `${by}` }
    }
    const rows = [...new Set(all.map(({ input }) => input))].map(
      (input): SensitivityRow =>
        input === 'delay' ? { input, less: null, more: of(input, 1) } : { input, less: of(input, low), more: of(input, high) },
    )
    return {
      model: model.name,
      options: model.options,
      failure: nominal.failure,
      /** Largest first. */
      rows: nominal.failure === null ? rows.toSorted((a, b) => swingOf(b) - swingOf(a) || 0) : [],
    }
  })
  return {
    version: 1 as const,
    kind: 'sensitivity' as const,
    robot: prepared.robot.name,
    duration: scenario.duration,
    dt,
    /** By how much each input is off, as a part of it. */
    part,
    models,
  }
}

function swing(run: Outcome, nominal: Outcome, job: RunJob, { scale }: PreparedWorld) {
  const isThere = run.status === 'ok' && nominal.status === 'ok' && run.trajectory && nominal.trajectory
  const change = shown.flatMap((key) => {
    const [now, before] = [run.metrics?.[key], nominal.metrics?.[key]]
    return typeof now === 'number' && typeof before === 'number' ? [[key, now - before] as const] : []
  })
  return {
    /** Which way: a factor, or periods of delay. */
    by: String(job.dt),
    status: run.status,
    failure: run.failure || null,
    /** Distance of its motion from that of the run as stated, as a motion error is taken; null where it broke off. */
    motion: isThere
      ? errorsOf(run.trajectory, nominal.trajectory as NonNullable<Outcome['trajectory']>, scale).error.tracking
      : null,
    /** Figures that changed, as they are now less as they were. */
    change: Object.fromEntries(change),
  }
}
