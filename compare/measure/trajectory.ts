import { createData, type Data, kinematics, kineticEnergy, potentialEnergy, velocities } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'

/** Where one robot or body was. */
export interface TrajectoryPart {
  /** '' for the robot that is compared; a companion's or body's own. */
  readonly name: string
  /** Names of the joints. */
  readonly joints: readonly string[]
  /** Which of them turn; the others slide. */
  readonly turns: readonly boolean[]
  /** Position of the base in the world [m], 3 a row, and its orientation, a unit quaternion x, y, z, w, 4 a row; empty for a fixed base. */
  readonly position: readonly number[]
  readonly orientation: readonly number[]
  /** Joint positions [rad, m], one per joint a row. */
  readonly angles: readonly number[]
}

/** Where the robot that is compared was, and all else that moved, at equal distances in time. Row i is at t[i]. Structured-cloneable. */
export interface Trajectory extends TrajectoryPart {
  readonly t: readonly number[]
  /** Kinetic and potential energy of everything [J]. */
  readonly kinetic: readonly number[]
  readonly potential: readonly number[]
  readonly others: readonly TrajectoryPart[]
}

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E extends number)[] ? E[] : T[K] }

/** Writes down a world's trajectory: its state now, and after every so many steps. @unchecked */
export class TrajectoryRecorder {
  private readonly rows: Writable<Omit<Trajectory, keyof TrajectoryPart | 'others'>> = { t: [], kinetic: [], potential: [] }
  private readonly parts: readonly Writable<TrajectoryPart>[]
  private readonly world: World
  private readonly every: number
  private readonly data: Data
  private readonly energy = new Float64Array(1)

  constructor(world: World, every: number) {
    this.world = world
    this.every = every
    this.data = createData(world.model)
    this.parts = world.robots.map(({ name, robot: { joints } }, i) => ({
      name: i === 0 ? '' : name,
      joints: joints.map((joint) => joint.name),
      turns: joints.map(({ type }) => type !== 'prismatic'),
      position: [],
      orientation: [],
      angles: [],
    }))
    this.record()
  }

  /** After each step. */
  after(): void {
    if (this.world.stepCount % this.every === 0) this.record()
  }

  private record(): void {
    const { rows, world, data, energy } = this
    const { model, state } = world
    kinematics(model, state, data)
    velocities(model, state, data)
    rows.t.push(state.t[0])
    kineticEnergy(model, state, data, energy)
    rows.kinetic.push(energy[0])
    potentialEnergy(model, state, data, energy)
    rows.potential.push(energy[0])
    world.robots.forEach(({ robot, state: { q } }, i) => {
      const part = this.parts[i]
      if (robot.floating) {
        for (let k = 0; k < 3; k++) part.position.push(q[k])
        for (let k = 3; k < 7; k++) part.orientation.push(q[k])
      }
      for (const { qIndex } of robot.joints) part.angles.push(q[qIndex])
    })
  }

  trajectory(): Trajectory {
    const [own, ...others] = this.parts
    return { ...this.rows, ...own, others }
  }
}

/**
 * The row of a trajectory at time t, linearly between its neighbours; exactly a row where one is at t.
 *
 * @returns the index of the row at or before t, and how far on towards the next, 0 to 1; undefined outside
 */
export function place(times: readonly number[], t: number): { row: number; fraction: number } | undefined {
  if (times.length === 0) return undefined
  const step = times.length > 1 ? times[1] - times[0] : 1
  const exact = (t - times[0]) / step
  const nearest = Math.round(exact)
  const snapped = Math.abs(exact - nearest) < 1e-6 ? nearest : exact
  if (snapped < 0 || snapped > times.length - 1) return undefined
  const row = Math.min(Math.floor(snapped), Math.max(0, times.length - 2))
  return { row, fraction: snapped - row }
}

/** Rotation angle between two orientations [rad]; `a` and `b` hold quaternions at 4 i and 4 k. */
export function angleBetween(a: ArrayLike<number>, i: number, b: ArrayLike<number>, k: number): number {
  let [same, opposite] = [0, 0]
  for (let n = 0; n < 4; n++) {
    const difference = a[4 * i + n] - b[4 * k + n]
    const sum = a[4 * i + n] + b[4 * k + n]
    same += difference * difference
    opposite += sum * sum
  }
  // |a - b| = 2 sin(angle / 4), for the nearer of b and -b, which turn the same way
  return 4 * Math.asin(Math.min(1, 0.5 * Math.sqrt(Math.min(same, opposite))))
}
