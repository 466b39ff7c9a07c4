/** Which step, which stiffness: where on a grid of both each model is stable and within the limits, and the borders of that. */

import { errorsOf } from '../judge/reference.ts'
import { missedLimits } from '../judge/verdict.ts'
import { isKept } from '../measure/laws.ts'
import type { Trajectory } from '../measure/trajectory.ts'
import type { Outcome, RunJob } from '../run/run.ts'
import { REFERENCE_REFINEMENT } from '../run/run.ts'
import type { ModelChoice, Scenario } from '../scenario/index.ts'
import type { RobotScale } from '../scenario/world/assemble.ts'
import type { PreparedWorld } from '../scenario/world/files.ts'
import type { Axis } from './axes.ts'
import { type Bracket, firstBracket, narrowed, nextOf, stabilityLimit } from './border.ts'
import type { Cell, Grid } from './grid.ts'

/** How close the two ends of a border are in the end, as a ratio. */
const TOLERANCE = 0.01
/** The reference step is the smallest of the map over this: the map is of large steps. */
const MAP_REFINEMENT = 4
/** A run diverges whose kinetic energy, in its second half, is so many times the largest of the reference. */
const DIVERGED = 1e3
/** Part of the robot's size whose fall gives the least kinetic energy that a reference is taken to have, so that rest has a scale. */
const LEAST_FALL = 1e-6

export type MapFigure = Readonly<ReturnType<typeof figureOf>>

export type Border = Readonly<ReturnType<typeof borderOf>>

export type ModelMap = MapResult['models'][number]

export type MapResult = Readonly<Awaited<ReturnType<typeof mapOf>>>

interface Column {
  readonly scenario: Scenario
  readonly value: number
  readonly model: ModelChoice
  readonly figures: Map<number, MapFigure>
  readonly isTimed: boolean
  outcome?: Pick<Outcome, 'parameters'>
}

interface MapOptions {
  readonly axes: readonly [Axis, Axis]
  /** The step that margins are taken of [s]. */
  readonly chosen: number
  readonly prepared: PreparedWorld
  readonly grid: Grid
  /** Whether computing times are taken. */
  readonly timing?: boolean
}

/**
 * @param scenario whose variants are the values of the second axis
 */
export async function mapOf(scenario: Scenario, robot: string, { axes, chosen, prepared, grid, timing = false }: MapOptions) {
  const [{ values: steps }, other] = axes
  const columns: Column[] = scenario.variants.flatMap(({ values, scenario: own }) =>
    own.models.map((model) => {
      const value = Number(values[other.path])
      // a model that makes no use of the input is timed at the first value
      const isTimed = timing && [other.values[0], middleOf(other.values)].includes(value)
      return { scenario: own, value, model, figures: new Map(), isTimed }
    }),
  )
  const referenceStep = steps[0] / MAP_REFINEMENT
  const tryAll = async (wanted: readonly { column: Column; dt: number }[], stage?: string) => {
    const cells = wanted.map(({ column, dt }) => cellOf(column, robot, dt, steps))
    const figures = await grid.run(
      cells,
      (outcome, against, { job }) => {
        return { figure: figureOf(job, outcome, against, prepared.scale), parameters: outcome.parameters }
      },
      stage,
    )
    wanted.forEach(({ column, dt }, i) => {
      const { figure, parameters } = figures[i]
      column.figures.set(dt, figure)
      column.outcome ??= { parameters }
    })
  }
  // a model that makes no use of the input is run once
  const first = columns.filter(({ value }) => value === other.values[0])
  await tryAll(first.flatMap((column) => steps.map((dt) => ({ column, dt }))))
  const property = other.path.split('.').at(-1) as string
  const idle = (column: Column) =>
    first.find((c) => c.model.name === column.model.name)?.outcome?.parameters?.unused.includes(property) ?? false
  const rest = columns.filter((column) => !first.includes(column) && !idle(column))
  await tryAll(rest.flatMap((column) => steps.map((dt) => ({ column, dt }))))
  const live = [...first, ...rest]
  const borders = await bordersOf(live, steps, tryAll)

  const names = [...new Map(columns.map(({ model }) => [model.name, model])).values()]
  const models = names.map((model) => {
    const own = columns.filter((column) => column.model.name === model.name)
    const shown = own.map((column) => {
      const source = live.includes(column) ? column : (first.find((c) => c.model.name === model.name) as Column)
      return {
        value: column.value,
        cells: steps.map((dt) => source.figures.get(dt) as MapFigure),
        stable: borderOf(chosen, borders.get(source)?.stable),
        safe: borderOf(chosen, borders.get(source)?.safe),
        ...theoryOf(source, prepared),
      }
    })
    // a robot whose file states the input keeps its own value
    const isSame = shown.every(({ cells }) => JSON.stringify(cells) === JSON.stringify(shown[0].cells))
    return {
      model: model.name,
      options: model.options,
      /** Whether the varied input makes a difference to this model. */
      varies: !own.some(idle) && !isSame,
      columns: shown,
    }
  })
  const { duration, limits } = scenario
  return {
    version: 1 as const,
    kind: 'map' as const,
    robot: prepared.robot.name,
    duration,
    limits,
    chosen_s: chosen,
    referenceStep_s: referenceStep,
    axes,
    models,
    /** Stable runs alone; empty where no times were taken. */
    work: timing ? await workOf(live, robot, grid, steps) : [],
  }
}

const borderOf = (chosen: number, bracket?: (Bracket & { again: boolean }) | null) => ({
  /** The largest step up to which it holds, to 1 %; null if it does not hold at the smallest of the map [s]. */
  largest: bracket?.inside ?? null,
  /** Whether it holds at the largest step of the map too, so that the border lies beyond. */
  beyond: bracket?.outside === Infinity,
  /** Whether it holds again at some larger step of the grid. */
  again: bracket?.again ?? false,
  /** The largest step over the chosen one; null without a border. */
  margin: bracket ? bracket.inside / chosen : null,
})

const middleOf = (values: readonly number[]) => values[(values.length - 1) >> 1]

/**
 * Cost of each model's motion error, error over computing time [s a simulated second] with half the width of its interval over it, in its
 * last column that is to be timed: at the middle value of the second axis, or the only one.
 */
async function workOf(columns: readonly Column[], robot: string, grid: Grid, steps: readonly number[]) {
  const timed = new Map(columns.filter(({ isTimed }) => isTimed).map((column) => [column.model.name, column]))
  const runs = [...timed.values()].flatMap(({ scenario, model, figures }) => {
    const own: Scenario = { ...scenario, variants: [], sweep: {} }
    const fit = steps.filter((dt) => figures.get(dt)?.stable && figures.get(dt)?.motion !== null)
    return fit.map((dt) => ({ scenario: own, robot, model, dt }))
  })
  const times = await grid.time(runs)
  return [...timed.values()].map(({ model, value, figures }) => ({
    model: model.name,
    value,
    points: runs.flatMap((run, i) => {
      const time = times[i]
      if (run.model !== model || time === null) return []
      const motion = figures.get(run.dt)?.motion as number
      return [{ dt: run.dt, motion, perSecond: time.seconds / run.dt, spread: time.spread }]
    }),
  }))
}

function cellOf({ scenario, model }: Column, robot: string, dt: number, steps: readonly number[]): Cell {
  const own: Scenario = { ...scenario, dt: steps, variants: [], sweep: {} }
  const job: RunJob = { kind: 'run', scenario: own, robot, model, dt }
  return {
    job,
    against: { ...job, kind: 'reference', dt: (steps[0] * REFERENCE_REFINEMENT) / MAP_REFINEMENT },
  }
}

function figureOf({ dt, scenario }: RunJob, run: Outcome, reference: Outcome | undefined, scale: RobotScale) {
  const { metrics, trajectory } = run
  const known = trajectory && metrics && reference?.status === 'ok' && reference.trajectory
  const gainsEnergy = run.laws.some((law) => law.law === 'energyGain' && !isKept(law))
  const stable = run.status === 'ok' && trajectory !== null && !gainsEnergy && (!known || isBounded(trajectory, known, scale))
  const error = known && run.status === 'ok' ? errorsOf(trajectory, known, scale, scenario.exact).error : null
  const judged = {
    model: '',
    dt,
    status: run.status,
    cost: { perSecond: 0, spread: 0 },
    error: metrics && { tracking: error?.tracking ?? null, energy: error?.energy ?? null },
    laws: run.laws,
  }
  const missed = missedLimits(judged, scenario.limits).map(({ limit }) => limit)
  return {
    dt,
    /** The run came to its end, made no energy beyond the limit of that law, and its kinetic energy did not diverge. */
    stable,
    /** Stable, and every limit kept. */
    safe: stable && missed.length === 0,
    /** The laws that were broken, and `tracking`, `energy` where an error is over its limit or could not be taken. */
    missed,
    failure: run.failure || null,
    penetration_m: finite(metrics?.penetrationMax_m),
    /** Errors against the same model at the reference step, as fractions of their scales. */
    motion: finite(error?.tracking),
    energy: finite(error?.energy),
  }
}

const finite = (value: number | null | undefined) => (Number.isFinite(value) ? (value as number) : null)

/** Whether the kinetic energy of the run's second half stays within reach of the largest of the reference. */
function isBounded({ kinetic }: Trajectory, reference: Trajectory, { weight, size }: RobotScale): boolean {
  const most = reference.kinetic.reduce((a, b) => Math.max(a, b), LEAST_FALL * weight * size)
  return kinetic.slice(kinetic.length >> 1).every((e) => e <= DIVERGED * most)
}

const kinds = ['stable', 'safe'] as const
type Borders = Record<(typeof kinds)[number], (Bracket & { again: boolean }) | null>

/** The borders of each column, all at once, each round the middle of the rest. */
async function bordersOf(
  columns: readonly Column[],
  steps: readonly number[],
  tryAll: (wanted: readonly { column: Column; dt: number }[], stage?: string) => Promise<void>,
): Promise<Map<Column, Borders>> {
  const at = (column: Column, dt: number) => column.figures.get(dt) as MapFigure
  const borders = new Map<Column, Borders>()
  for (const column of columns) {
    const first = (kind: 'stable' | 'safe') => {
      const holds = steps.map((dt) => at(column, dt)[kind])
      return firstBracket(steps, holds)
    }
    borders.set(column, { stable: first('stable'), safe: first('safe') })
  }
  for (;;) {
    const open = [...borders].flatMap(([column, own]) =>
      kinds.flatMap((kind) => {
        const bracket = own[kind]
        const dt = bracket === null || bracket.outside === Infinity ? undefined : nextOf(bracket, TOLERANCE)
        return bracket === null || dt === undefined ? [] : [{ column, own, kind, bracket, dt }]
      }),
    )
    if (open.length === 0) return borders
    // a step that both borders of a column wait for is run once
    const wanted = open.filter(
      ({ column, dt }, i) => !column.figures.has(dt) && open.findIndex((one) => one.column === column && one.dt === dt) === i,
    )
    await tryAll(wanted, 'narrowing the borders')
    for (const { column, own, kind, bracket, dt } of open)
      own[kind] = { ...bracket, ...narrowed(bracket, dt, at(column, dt)[kind]) }
  }
}

/**
 * The step beyond which the contact's own oscillation grows, the whole mass on the spring of one pair, from the stiffness and damping
 * ratio that the model shows [s]: null where the model has no such spring; Infinity (null in JSON, `isUnlimited`) where its integrator has
 * no limit.
 */
function theoryOf({ outcome, scenario }: Column, { robot }: PreparedWorld): { theory: number | null; isUnlimited: boolean } {
  const shown = (name: string) => outcome?.parameters?.derived.find((parameter) => parameter.name === name)?.value
  const [stiffness, ratio] = [shown('staticStiffness'), shown('dampingRatio')]
  if (typeof stiffness !== 'number' || typeof ratio !== 'number') return { theory: null, isUnlimited: false }
  const radian = Math.sqrt(robot.massUsed / stiffness)
  const limit = stabilityLimit(scenario.integrator, ratio)
  return limit === Infinity ? { theory: null, isUnlimited: true } : { theory: limit * radian, isUnlimited: false }
}
