/** Which controller survives which contact model: every controller under every model and step. */

import { isKept } from '../measure/laws.ts'
import { stanceOf } from '../measure/stance.ts'
import { median } from '../measure/statistics.ts'
import type { Outcome, RunJob } from '../run/run.ts'
import type { ModelChoice, Scenario } from '../scenario/index.ts'
import type { PreparedWorld } from '../scenario/world/files.ts'
import { type DomainInputs, domainsOf } from './domain.ts'
import type { Grid } from './grid.ts'
import { limitsOf, withInput } from './limits.ts'

export interface TransferCell {
  readonly controller: string
  readonly model: string
  readonly options: ModelChoice['options']
  readonly dt: number
  /** Factor on every coefficient of friction. */
  readonly friction: number
  /** Runs, one a seed, and those of them that came to the end and did not fall. */
  readonly runs: number
  readonly survived: number
  /** All did. */
  readonly survives: boolean
  /** All came to the end; why the first that did not broke off. */
  readonly ended: boolean
  readonly failure: string | null
  /** When one first was too low or too tilted [s]; null where none ever was, or its base is fixed. */
  readonly fell_s: number | null
  /** These four are medians over the runs. */
  readonly trackingRms_rad: number | null
  readonly trackingRms_m: number | null
  readonly torqueRms_Nm: number | null
  readonly stickSlip_m: number | null
  /** Of all runs: least height of the base over that at the start, and its largest tilt [rad]; null where the base is fixed. */
  readonly height: number | null
  readonly tilt_rad: number | null
  readonly broken: readonly string[]
}

export type TransferResult = Readonly<Awaited<ReturnType<typeof transferOf>>>

export interface TransferOptions {
  readonly prepared: PreparedWorld
  readonly grid: Grid
  /** Factors on every coefficient of friction; default: as stated. */
  readonly friction?: readonly number[]
  /** Whether to search for how far inputs may be off, one at a time. */
  readonly limits?: boolean
  /** Two inputs over which to map where each controller survives. */
  readonly domain?: DomainInputs
}

type Figures = Omit<TransferCell, 'controller' | 'model' | 'options' | 'dt' | 'friction'>

/** @param scenarios one a controller, by its name; a run for each of its seeds */
export async function transferOf(
  scenarios: ReadonlyMap<string, Scenario>,
  robot: string,
  { prepared, grid, friction = [1], limits = false, domain }: TransferOptions,
) {
  const wanted = [...scenarios].flatMap(([controller, scenario]) =>
    scenario.models.flatMap((model) =>
      scenario.dt.flatMap((dt) => friction.map((factor) => ({ controller, scenario, model, dt, factor }))),
    ),
  )
  const runs = wanted.flatMap(({ scenario, model, dt, factor }, cell) =>
    scenario.seeds.map((seed) => {
      const job: RunJob = { kind: 'run', scenario: { ...scenario, seed, variants: [], sweep: {} }, robot, model, dt }
      return { cell, job: factor === 1 ? job : withInput(job, 'friction', factor) }
    }),
  )
  const ground = prepared.groundHeight ?? 0
  const figures = await grid.run(runs, (run) => figuresOf(run, ground))
  const cells = wanted.map(({ controller, model, dt, factor }, cell) => ({
    controller,
    model: model.name,
    options: model.options,
    dt,
    friction: factor,
    ...together(figures.filter((_, i) => runs[i].cell === cell)),
  }))
  const [{ duration }] = scenarios.values()
  const survived = (run: Outcome) => figuresOf(run, ground).survives
  // of several starts none is the one to search from
  const stated = new Map([...scenarios].map(([name, own]) => [name, own.seeds.length > 1 ? { ...own, perturb: undefined } : own]))
  return {
    version: 1 as const,
    kind: 'transfer' as const,
    robot: prepared.robot.name,
    duration,
    cells,
    /** How far inputs may be off; empty unless asked for. */
    limits: limits ? await limitsOf(stated, robot, grid, survived) : [],
    /** Within which pairs of inputs each controller survives; empty unless asked for. */
    domains: domain ? await domainsOf(stated, robot, domain, grid, survived) : [],
  }
}

/** The figures of several runs as those of one cell. */
function together(runs: readonly Figures[]): Figures {
  const all = <T>(of: (run: Figures) => T | null) => runs.map(of).filter((value) => value !== null)
  const least = (values: readonly number[]) => (values.length === 0 ? null : Math.min(...values))
  const medianOf = (of: (run: Figures) => number | null) => {
    const values = all(of)
    return values.length === 0 ? null : median(values)
  }
  const tilts = all(({ tilt_rad }) => tilt_rad)
  return {
    runs: runs.length,
    survived: runs.filter(({ survives }) => survives).length,
    survives: runs.every(({ survives }) => survives),
    ended: runs.every(({ ended }) => ended),
    failure: all(({ failure }) => failure)[0] ?? null,
    fell_s: least(all(({ fell_s }) => fell_s)),
    trackingRms_rad: medianOf((run) => run.trackingRms_rad),
    trackingRms_m: medianOf((run) => run.trackingRms_m),
    torqueRms_Nm: medianOf((run) => run.torqueRms_Nm),
    stickSlip_m: medianOf((run) => run.stickSlip_m),
    height: least(all(({ height }) => height)),
    tilt_rad: tilts.length === 0 ? null : Math.max(...tilts),
    broken: [...new Set(runs.flatMap(({ broken }) => broken))],
  }
}

function figuresOf(run: Outcome, ground: number): Figures {
  const { metrics, trajectory, laws } = run
  const ended = run.status === 'ok'
  const stance = trajectory && trajectory.position.length > 0 ? stanceOf(trajectory, ground) : null
  const survives = ended && (stance?.fell ?? null) === null
  return {
    runs: 1,
    survived: survives ? 1 : 0,
    survives,
    ended,
    failure: run.failure || null,
    fell_s: stance?.fell ?? null,
    trackingRms_rad: metrics?.trackingRms_rad ?? null,
    trackingRms_m: metrics?.trackingRms_m ?? null,
    torqueRms_Nm: metrics?.torqueRms_Nm ?? null,
    stickSlip_m: metrics?.stickSlip_m ?? null,
    height: stance?.height ?? null,
    tilt_rad: stance?.tilt ?? null,
    broken: laws.filter((law) => !isKept(law)).map(({ law }) => law),
  }
}
