/**
 * Whether a comparison of trajectories means anything: how far starts that a micrometre parts are apart at the end.
 * Chung and Pollard, Predictable behavior during contact simulation (Computer Animation and Virtual Worlds 27, 2016): growth of a
 * small spread of starts, by engine.
 */

import type { Trajectory, TrajectoryPart } from '../measure/trajectory.ts'
import type { Job, Outcome } from '../run/run.ts'
import type { Scenario } from '../scenario/index.ts'
import type { PreparedWorld } from '../scenario/world/files.ts'
import type { Grid } from './grid.ts'

/** How far a start is off, either way: positions [m], joints [rad, m]. */
const SHIFT = 1e-6
const STARTS = 32
/** Moments of a run at which the spread is taken. */
const MOMENTS = 40

export type Spread = PredictabilityResult['spreads'][number]

export type PredictabilityResult = Readonly<Awaited<ReturnType<typeof predictabilityOf>>>

/** More growth than this, and differences of starts as small as rounding come within reach of the run's end. */
const FADING = 1e3

export async function predictabilityOf(
  scenario: Scenario,
  robot: string,
  { prepared, grid }: { prepared: PreparedWorld; grid: Grid },
) {
  const perturb = {
    position: [SHIFT, SHIFT, SHIFT] as const,
    rotation: 0,
    joints: SHIFT,
    linearVelocity: [0, 0, 0] as const,
    angularVelocity: [0, 0, 0] as const,
  }
  const variants = scenario.variants.length > 0 ? scenario.variants : [{ values: {}, scenario }]
  const rows = variants.flatMap(({ values, scenario: own }) =>
    own.models.flatMap((model) => own.dt.map((dt) => ({ values, own, model, dt }))),
  )
  const cells = rows.flatMap(({ own, model, dt }) =>
    Array.from({ length: STARTS }, (_, seed) => {
      const job: Job = { kind: 'run', scenario: { ...own, perturb, seed, variants: [], sweep: {} }, robot, model, dt }
      return { job }
    }),
  )
  const { size, others = [] } = prepared.scale
  const paths = await grid.run(cells, (run) => pathOf(run, [size, ...others]))
  const limit = scenario.limits.tracking
  const spreads = rows.map(({ values, model, dt }, r) => ({
    model: model.name,
    options: model.options,
    variant: Object.keys(values).length > 0 ? values : null,
    dt,
    ...spreadOver(
      paths.slice(r * STARTS, (r + 1) * STARTS).filter((path) => path !== null),
      size,
      limit,
    ),
  }))
  const { duration } = scenario
  return {
    version: 1 as const,
    kind: 'predictability' as const,
    robot: prepared.robot.name,
    duration,
    starts: STARTS,
    shift_m: SHIFT,
    /** The limit of the motion error. */
    limit,
    spreads,
  }
}

interface Path {
  readonly t: readonly number[]
  /** Configurations as points [m]: a turn counts half the size of its robot a radian. */
  readonly points: readonly (readonly number[])[]
}

function spreadOver(ended: readonly Path[], size: number, limit: number) {
  const spread = ended.length > 1 ? ended[0].points.map((_, k) => spreadOf(ended.map(({ points }) => points[k]))) : []
  const whole = ended.length === STARTS
  const growth = whole && spread[0] > 0 ? (spread.at(-1) as number) / spread[0] : null
  const travelled = Math.max(size / 10, ...(whole ? meanPath(ended.map(({ points }) => points)) : []))
  const part = whole ? (spread.at(-1) as number) / travelled : null
  const meaning: 'sound' | 'fading' | 'none' =
    part === null || part > limit ? 'none' : growth !== null && growth > FADING ? 'fading' : 'sound'
  return {
    /** Runs that came to their end, of `STARTS`. */
    ended: ended.length,
    /** Root mean square distance of the configurations from their mean [m], and when [s]. */
    t: ended[0]?.t ?? [],
    spread,
    /** The spread at the end over that at the start, and its logarithm to base 10; null where runs broke off. */
    growth,
    log10: growth === null ? null : Math.log10(growth),
    /** The spread at the end over the largest distance of the mean from its start: a motion error that no model is to blame for. */
    part,
    meaning,
  }
}

function pathOf({ status, trajectory }: Outcome, sizes: readonly number[]): Path | null {
  if (status !== 'ok' || trajectory === null) return null
  const last = trajectory.t.length - 1
  const rows = [...new Set(Array.from({ length: MOMENTS + 1 }, (_, k) => Math.round((k / MOMENTS) * last)))]
  return { t: rows.map((row) => trajectory.t[row]), points: rows.map((row) => pointOf(trajectory, row, sizes)) }
}

function pointOf(trajectory: Trajectory, row: number, sizes: readonly number[]): number[] {
  return [trajectory, ...trajectory.others].flatMap((part: TrajectoryPart, p) => {
    const half = sizes[p] / 2
    const n = part.joints.length
    const turns = part.orientation.slice(4 * row, 4 * row + 4)
    // a quaternion and its negative are one orientation; its entries change by half the angle
    const sign = turns.findLast((entry) => Math.abs(entry) > 0.5) ?? 1
    return [
      ...part.position.slice(3 * row, 3 * row + 3),
      ...turns.map((entry) => 2 * half * entry * Math.sign(sign)),
      ...part.joints.map((_, j) => part.angles[n * row + j] * (part.turns[j] ? half : 1)),
    ]
  })
}

/** Root mean square distance from the mean [m]. */
function spreadOf(points: readonly (readonly number[])[]): number {
  const mean = points[0].map((_, i) => points.reduce((sum, point) => sum + point[i], 0) / points.length)
  const squares = points.map((point) => point.reduce((sum, x, i) => sum + (x - mean[i]) ** 2, 0))
  return Math.sqrt(squares.reduce((a, b) => a + b, 0) / points.length)
}

/** Distance of the mean configuration from where it started, at each moment [m]. */
function meanPath(paths: readonly (readonly (readonly number[])[])[]): number[] {
  const mean = paths[0].map((point, k) => point.map((_, i) => paths.reduce((sum, path) => sum + path[k][i], 0) / paths.length))
  return mean.map((point) => Math.hypot(...point.map((x, i) => x - mean[0][i])))
}
