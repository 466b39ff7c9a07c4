/** Which controller survives which contact model: every controller under every model and step. */
import { isKept } from '../laws.ts'
import type { Job, Outcome } from '../run.ts'
import type { ModelChoice, Scenario } from '../scenario/index.ts'
import type { PreparedWorld } from '../setup.ts'
import type { Trajectory } from '../trajectory.ts'
import type { Grid } from './grid.ts'
import { limitsOf, type TransferLimit } from './limits.ts'

/** A robot has fallen whose base is below this part of its height at the start, or tilted farther from it than this [rad]. */
const LOW = 0.5
const TILT = Math.PI / 4

export interface TransferCell {
  readonly controller: string
  readonly model: string
  readonly options: ModelChoice['options']
  readonly dt: number
  readonly ended: boolean
  readonly failure: string | null
  /** When it first was too low or too tilted [s]; null where it never was, or its base is fixed. */
  readonly fell_s: number | null
  /** It came to the end and did not fall. */
  readonly survives: boolean
  readonly trackingRms_rad: number | null
  readonly trackingRms_m: number | null
  readonly torqueRms_Nm: number | null
  readonly stickSlip_m: number | null
  /** Least height of the base over that at the start, and its largest tilt [rad]; null where the base is fixed. */
  readonly height: number | null
  readonly tilt_rad: number | null
  readonly broken: readonly string[]
}

export interface TransferResult {
  readonly version: 1
  readonly kind: 'transfer'
  readonly robot: string
  readonly duration: number
  readonly cells: readonly TransferCell[]
  /** How far inputs may be off; empty unless asked for. */
  readonly limits: readonly TransferLimit[]
}

/** @param scenarios one a controller, by its name @param limits whether to search for how far inputs may be off, too */
export async function transferOf(
  scenarios: ReadonlyMap<string, Scenario>,
  robot: string,
  { prepared, grid, limits = false }: { prepared: PreparedWorld; grid: Grid; limits?: boolean },
): Promise<TransferResult> {
  const runs = [...scenarios].flatMap(([controller, scenario]) =>
    scenario.models.flatMap((model) =>
      scenario.dt.map((dt) => {
        const job: Job = { kind: 'run', scenario: { ...scenario, variants: [], sweep: {} }, robot, model, dt }
        return { controller, job }
      }),
    ),
  )
  const ground = prepared.groundHeight ?? 0
  const figures = await grid.run(runs, (run) => figuresOf(run, ground))
  const cells = runs.map(({ controller, job: { model, dt } }, i) => ({
    controller,
    model: model.name,
    options: model.options,
    dt,
    ...figures[i],
  }))
  const [{ duration }] = scenarios.values()
  const found = limits ? await limitsOf(scenarios, robot, grid, (run) => figuresOf(run, ground).survives) : []
  return { version: 1, kind: 'transfer', robot: prepared.robot.name, duration, cells, limits: found }
}

function figuresOf(run: Outcome, ground: number): Omit<TransferCell, 'controller' | 'model' | 'options' | 'dt'> {
  const { metrics, trajectory, laws } = run
  const ended = run.status === 'ok'
  const stance = trajectory && trajectory.position.length > 0 ? stanceOf(trajectory, ground) : null
  return {
    ended,
    failure: run.failure || null,
    fell_s: stance?.fell ?? null,
    survives: ended && (stance?.fell ?? null) === null,
    trackingRms_rad: metrics?.trackingRms_rad ?? null,
    trackingRms_m: metrics?.trackingRms_m ?? null,
    torqueRms_Nm: metrics?.torqueRms_Nm ?? null,
    stickSlip_m: metrics?.stickSlip_m ?? null,
    height: stance?.height ?? null,
    tilt_rad: stance?.tilt ?? null,
    broken: laws.filter((law) => !isKept(law)).map(({ law }) => law),
  }
}

/** How the base stood over the run, and when it first stood no more. */
export function stanceOf(
  { t, position, orientation }: Trajectory,
  ground: number,
): { height: number; tilt: number; fell: number | null } {
  const start = position[2] - ground
  /** The world's vertical in the base's axes: the third row of its rotation. */
  const up = (row: number) => {
    const [x, y, z, w] = orientation.slice(4 * row, 4 * row + 4)
    return [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
  }
  const first = up(0)
  let [height, tilt, fell] = [1, 0, null as number | null]
  t.forEach((time, row) => {
    const now = up(row)
    const part = start > 0 ? (position[3 * row + 2] - ground) / start : 1
    const angle = Math.acos(Math.max(-1, Math.min(1, now[0] * first[0] + now[1] * first[1] + now[2] * first[2])))
    height = Math.min(height, part)
    tilt = Math.max(tilt, angle)
    if (fell === null && (part < LOW || angle > TILT)) fell = time
  })
  return { height, tilt, fell }
}
