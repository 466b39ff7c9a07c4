/** Runs beside recorded paths: how far a run is from each row of a film or a log, from a start that is fitted to the rows before it touches. */
import { evaluatorOf, parseExpression, type Scenario, variablesOf } from '../../compare/scenario/index.ts'
import {
  mulQuaternion,
  normalizeQuaternion,
  quaternionOfRotationVector,
  rotationOfQuaternion,
  rotationVectorOfQuaternion,
} from '../../dynamics/index.ts'
import type { Checkpoint } from '../../simulation/index.ts'
import { Quantities } from '../quantities.ts'
import type { Path, PathMeasure } from '../scene.ts'
import { columnWorld } from '../trial.ts'

/** Distance of a sample from a run that broke off, in scales. */
const LOST = 10
/** Passes of the start's fit, and the change at which it ends, in scales. */
const PASSES = 8
const SETTLED = 1e-5
/** Rows that a start is fitted to at least. */
const FEWEST = 4

/** A run beside its path. */
export interface PathRun {
  /** Per sample the differences of all measures, seen less run, over their scale: of a turn the rotation vector, in world axes. */
  readonly differences: Float64Array
  /** Samples before anything touched. */
  readonly free: number
  /** Per sample: most contact points that bore since the last one. */
  readonly touching: Uint8Array
  readonly failure: string
}

/** How many differences a measure has. */
export const widthOf = ({ of, isTurn }: PathMeasure): number => (isTurn ? 3 : of.length)

type OwnWorld = Awaited<ReturnType<typeof columnWorld>>

interface Compared {
  readonly measure: PathMeasure
  readonly evaluate: readonly ((values: Float64Array) => number)[]
}

/** The world of one scenario under one column, started again for each path. */
export class PathWorld {
  private readonly start: Checkpoint
  private k = 0
  /** Most contact points since the last sample. */
  private touching = 0
  private readonly before: Float64Array
  private readonly now: Float64Array

  private readonly own: OwnWorld
  private readonly quantities: Quantities
  private readonly measures: readonly Compared[]
  private readonly dt: number

  private constructor(own: OwnWorld, quantities: Quantities, measures: readonly Compared[], dt: number) {
    this.own = own
    this.quantities = quantities
    this.measures = measures
    this.dt = dt
    this.start = own.world.checkpoint()
    const size = measures.reduce((sum, { measure }) => sum + measure.of.length, 0)
    this.before = new Float64Array(size)
    this.now = new Float64Array(size)
  }

  static async of(scenario: Scenario, of: Path['of'], column: string, dt: number): Promise<PathWorld> {
    const own = await columnWorld(scenario, column, dt)
    const quantities = new Quantities(own.world)
    const measures = await Promise.all(
      of.map(async (measure) => {
        const programs = await Promise.all(measure.of.map((word) => parseExpression(word, quantities.names)))
        for (const program of programs) quantities.want(variablesOf(program))
        return { measure, evaluate: programs.map(evaluatorOf) }
      }),
    )
    return new PathWorld(own, quantities, measures, dt)
  }

  get state(): StartState {
    return this.start
  }

  delete(): void {
    this.own.outside?.delete()
  }

  /** @param guess q and v of the start, changed to those that are fitted; those of the scenario without a body that starts freely */
  run(path: Path, guess: StartState | undefined): PathRun {
    if (path.start !== undefined && guess !== undefined) this.fitStart(path, path.start, guess)
    return this.beside(path, guess, false)
  }

  /** The run, or its part before anything touches. */
  private beside({ times, rows }: Path, from: StartState | undefined, isFree: boolean): PathRun {
    const { dt, measures, before, now } = this
    const { world } = this.own
    world.restore({ ...this.start, ...from })
    this.k = 0
    this.touching = 0
    this.read(now)
    const width = measures.reduce((sum, { measure }) => sum + widthOf(measure), 0)
    const differences = new Float64Array(rows.length * width)
    const touching = new Uint8Array(rows.length)
    let free = rows.length
    let failure = ''
    for (const [i, t] of times.entries()) {
      if (t < 0) continue
      const whole = Math.floor(t / dt + 1e-9)
      const part = t / dt - whole > 1e-6 ? t / dt - whole : 0
      try {
        if (failure === '') this.advanceTo(whole + (part > 0 ? 1 : 0))
      } catch (error) {
        failure = (error as Error).message.split('\n')[0]
      }
      touching[i] = this.touching
      this.touching = 0
      if (touching[i] > 0 && free === rows.length) free = i
      if (isFree && free <= i && i >= FEWEST) break
      const share = part > 0 ? part : this.k === whole ? 1 : 0
      let at = i * width
      let from = 0
      for (const { measure } of measures) {
        differ(differences, at, rows[i], measure, before, now, from, share)
        if (failure !== '') differences.fill(LOST / Math.sqrt(widthOf(measure)), at, at + widthOf(measure))
        at += widthOf(measure)
        from += measure.of.length
      }
    }
    return { differences, free, touching, failure }
  }

  private advanceTo(step: number): void {
    const { world, outside } = this.own
    while (this.k < step) {
      if (this.k === step - 1) this.read(this.before)
      world.step()
      this.k++
      this.touching = Math.max(this.touching, outside?.engine?.contacts() ?? bearing(world.contacts))
      if (this.k === step) this.read(this.now)
    }
  }

  private read(out: Float64Array): void {
    const values = this.quantities.at(this.own.world.state)
    let to = 0
    for (const { evaluate } of this.measures) for (const one of evaluate) out[to++] = one(values)
  }

  /**
   * Gauss-Newton for the start of a free body, by the rows before it touches: what differs there is a shift and a velocity, a turn and an
   * angular velocity, each by a straight line through the differences over time. The rest, as of a centre of mass that is off, by repetition.
   */
  private fitStart(path: Path, body: string, start: StartState): void {
    const { world } = this.own
    const robot = world.robots.find(({ name }) => name === body)?.start ?? { q: 0, v: 0 }
    const place = this.measures.findIndex(({ measure }) => !measure.isTurn)
    const turn = this.measures.findIndex(({ measure }) => measure.isTurn)
    const offset = (m: number) => this.measures.slice(0, m).reduce((sum, { measure }) => sum + widthOf(measure), 0)
    const width = offset(this.measures.length)
    for (let pass = 0; pass < PASSES; pass++) {
      const { differences, free } = this.beside(path, start, true)
      const count = Math.max(FEWEST, free - 1)
      const line = (m: number) =>
        [0, 1, 2].map((axis) =>
          lineThrough(path.times, count, (i) => differences[i * width + offset(m) + axis] * path.of[m].scale),
        )
      const [shift, tilt] = [line(place), line(turn)]
      moveStart(start, robot, shift, tilt)
      const change = (m: number, lines: readonly (readonly number[])[]) =>
        Math.hypot(...lines.map(([a, b]) => a + b * path.times[count - 1])) / path.of[m].scale
      if (change(place, shift) + change(turn, tilt) < SETTLED) break
    }
  }
}

export interface StartState {
  readonly q: Float64Array
  readonly v: Float64Array
}

/** A start by the first rows: their pose, and differences for velocities. */
export function guessOf(world: { readonly q: Float64Array; readonly v: Float64Array }, path: Path): StartState {
  const place = path.of.find(({ isTurn }) => !isTurn)?.columns ?? []
  const turn = path.of.find(({ isTurn }) => isTurn)?.columns ?? []
  const start = { q: world.q.slice(), v: world.v.slice() }
  const { times, rows } = path
  for (let k = 0; k < 3; k++) start.q[k] = rows[0][place[k]]
  for (let k = 0; k < 4; k++) start.q[3 + k] = rows[0][turn[k]]
  const T = times[FEWEST - 1] - times[0]
  const R = new Float64Array(9)
  rotationOfQuaternion(R, start.q, 3)
  const way = [0, 1, 2].map((k) => (rows[FEWEST - 1][place[k]] - rows[0][place[k]]) / T)
  const w = turnBetween(
    turn.map((k) => rows[FEWEST - 1][k]),
    turn.map((k) => rows[0][k]),
  ).map((x) => x / T)
  for (let k = 0; k < 3; k++) {
    start.v[k] = R[k] * w[0] + R[3 + k] * w[1] + R[6 + k] * w[2]
    start.v[3 + k] = R[k] * way[0] + R[3 + k] * way[1] + R[6 + k] * way[2]
  }
  return start
}

const bearing = ({ count, impulse }: { readonly count: number; readonly impulse: Float64Array }) => {
  let n = 0
  for (let i = 0; i < count; i++) if (impulse[3 * i] > 0) n++
  return n
}

/** Moves a start by `shift` (place and velocity, world axes) and `tilt` (rotation and angular velocity, likewise). */
function moveStart(
  { q, v }: StartState,
  { q: at, v: from }: { readonly q: number; readonly v: number },
  shift: readonly (readonly number[])[],
  tilt: readonly (readonly number[])[],
): void {
  const R = new Float64Array(9)
  rotationOfQuaternion(R, q, at + 3)
  const world = (k: number, o: number) => R[3 * k] * v[from + o] + R[3 * k + 1] * v[from + o + 1] + R[3 * k + 2] * v[from + o + 2]
  const w = [0, 1, 2].map((k) => world(k, 0) + tilt[k][1])
  const u = [0, 1, 2].map((k) => world(k, 3) + shift[k][1])
  for (let k = 0; k < 3; k++) q[at + k] += shift[k][0]
  const small = new Float64Array(4)
  quaternionOfRotationVector(
    small,
    0,
    Float64Array.from(tilt, ([a]) => a),
    0,
  )
  mulQuaternion(q, at + 3, small, 0, q, at + 3)
  normalizeQuaternion(q, at + 3)
  rotationOfQuaternion(R, q, at + 3)
  for (let k = 0; k < 3; k++) {
    v[from + k] = R[k] * w[0] + R[3 + k] * w[1] + R[6 + k] * w[2]
    v[from + 3 + k] = R[k] * u[0] + R[3 + k] * u[1] + R[6 + k] * u[2]
  }
}

/** a and b of a + b t in the least squares sense, of the first samples. */
function lineThrough(times: readonly number[], count: number, value: (i: number) => number): [number, number] {
  let [n, t1, t2, y1, ty] = [0, 0, 0, 0, 0]
  for (let i = 0; i < count; i++) {
    const t = times[i]
    if (t < 0) continue
    const y = value(i)
    n++
    t1 += t
    t2 += t * t
    y1 += y
    ty += t * y
  }
  const slope = (n * ty - t1 * y1) / (n * t2 - t1 * t1)
  return [(y1 - slope * t1) / n, slope]
}

/** Rotation vector from b to a, in the axes that both turn into [rad]. */
function turnBetween(a: readonly number[], b: readonly number[]): number[] {
  const product = new Float64Array(4)
  mulQuaternion(product, 0, Float64Array.from(a), 0, Float64Array.of(-b[0], -b[1], -b[2], b[3]), 0)
  normalizeQuaternion(product, 0)
  const r = new Float64Array(3)
  rotationVectorOfQuaternion(r, 0, product, 0)
  return [...r]
}

/** out[at..] := the row less the run, over the scale; the run is between two steps. */
function differ(
  out: Float64Array,
  at: number,
  row: readonly number[],
  { of, columns, isTurn, scale }: PathMeasure,
  before: Float64Array,
  now: Float64Array,
  from: number,
  share: number,
): void {
  let sign = 1
  if (isTurn) {
    let product = 0
    for (let k = 0; k < 4; k++) product += before[from + k] * now[from + k]
    if (product < 0) sign = -1
  }
  const run = of.map((_, k) => (share === 1 ? now[from + k] : (1 - share) * sign * before[from + k] + share * now[from + k]))
  const seen = columns.map((column) => row[column])
  const difference = isTurn ? turnBetween(seen, run) : seen.map((x, k) => x - run[k])
  for (const [k, x] of difference.entries()) out[at + k] = x / scale
}
