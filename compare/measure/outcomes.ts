/** Measures that a scenario states, taken of one run, and whether it succeeded. docs/scenario.md defines them. */
import { type Frame, framePose } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'
import { evaluatorOf, type MeasureChoice, type Scenario } from '../scenario/index.ts'
import { jointOf, thingOf } from '../scenario/world/measured.ts'
import type { MeasuredStep } from './measuredStep.ts'
import { millimetres, significant } from './numbers.ts'

/** Figures of a measure: its own `value`, 1 or 0 where that is yes or no, and its parts; null where there is none. */
export type MeasureFigures = Readonly<Record<string, number | null>>

/** Outcome of one run. */
export interface RunOutcome {
  readonly measures: Readonly<Record<string, MeasureFigures>>
  /** null where the scenario states no success. */
  readonly success: boolean | null
}

/** One measure of one run. */
interface Watch {
  /** At the start of the run, and at the end of each step within the time that counts. */
  note(step: MeasuredStep, t: number): void
  figures(): Record<string, number>
}
type Of<K extends MeasureChoice['kind']> = Extract<MeasureChoice, { kind: K }>

/** Follows a frame's pose. */
function pose(frame: Frame) {
  const [R, p] = [new Float64Array(9), new Float64Array(3)]
  return { R, p, read: ({ end }: MeasuredStep) => framePose(end, frame, R, p) }
}

function held(world: World, name: string, { body, by = [], pause, above }: Of<'held'>): Watch {
  const own = thingOf(world, body, name)
  const at = pose(own.frame)
  const last = new Float64Array(by.length).fill(Number.NaN)
  const holders = new Map<number, number[]>()
  by.forEach((holder, h) => {
    for (const a of thingOf(world, holder, name).shapes)
      for (const b of own.shapes) {
        const pair = a === b ? -1 : world.pairs.numberOf(Math.min(a, b), Math.max(a, b))
        if (pair >= 0) holders.set(pair, [...(holders.get(pair) ?? []), h])
      }
  })
  let lost = Number.POSITIVE_INFINITY
  return {
    note(step, t) {
      const { count, active, world } = step
      const { impulse, pair } = world.contacts
      for (let i = 0; i < count; i++) {
        const c = active[i]
        const of = impulse[3 * c] > 0 ? holders.get(pair[c]) : undefined
        if (of) for (const h of of) last[h] = t
      }
      for (let h = 0; h < last.length; h++) {
        if (Number.isNaN(last[h])) last[h] = t
        if (t - last[h] > pause) lost = Math.min(lost, last[h])
      }
      at.read(step)
      if (above !== undefined && at.p[2] < above) lost = Math.min(lost, t)
    },
    // forces of contacts are not known of an engine from outside
    figures: () => {
      const isUnknown = by.length > 0 && world.contactModel.isOutside
      return { value: isUnknown ? Number.NaN : lost === Number.POSITIVE_INFINITY ? 1 : 0, t: isUnknown ? Number.NaN : lost }
    },
  }
}

function slipped(world: World, name: string, { body, on }: Of<'slipped'>): Watch {
  const [a, b] = [pose(thingOf(world, on, name).frame), pose(thingOf(world, body, name).frame)]
  // of b in the axes of a: where it was, and is
  const [p0, R0, p, R] = [new Float64Array(3), new Float64Array(9), new Float64Array(3), new Float64Array(9)]
  let [isFirst, most, angle] = [true, 0, 0]
  return {
    note(step) {
      a.read(step)
      b.read(step)
      for (let i = 0; i < 3; i++) {
        p[i] = 0
        for (let k = 0; k < 3; k++) p[i] += a.R[3 * k + i] * (b.p[k] - a.p[k])
        for (let j = 0; j < 3; j++) R[3 * i + j] = a.R[i] * b.R[j] + a.R[3 + i] * b.R[3 + j] + a.R[6 + i] * b.R[6 + j]
      }
      if (isFirst) {
        p0.set(p)
        R0.set(R)
      }
      isFirst = false
      most = Math.max(most, Math.hypot(p[0] - p0[0], p[1] - p0[1], p[2] - p0[2]))
      angle = Math.max(angle, angleBetween(R0, R))
    },
    figures: () => ({ value: most, angle }),
  }
}

/** Of the rotation from R0 to R, exact for small ones too [rad]. */
function angleBetween(R0: Float64Array, R: Float64Array): number {
  const entry = (i: number, j: number) => R0[i] * R[j] + R0[3 + i] * R[3 + j] + R0[6 + i] * R[6 + j]
  const sine = Math.hypot(entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1))
  return Math.atan2(sine, entry(0, 0) + entry(1, 1) + entry(2, 2) - 1)
}

function fell(world: World, name: string, { body, tilt, below }: Of<'fell'>): Watch {
  const at = pose(thingOf(world, body, name).frame)
  const least = tilt === undefined ? Number.NEGATIVE_INFINITY : Math.cos(tilt)
  let up: Float64Array | undefined
  let t = Number.POSITIVE_INFINITY
  return {
    note(step, now) {
      at.read(step)
      up ??= at.R.slice(6)
      const upright = at.R[6] * up[0] + at.R[7] * up[1] + at.R[8] * up[2]
      if (upright < least || (below !== undefined && at.p[2] < below)) t = Math.min(t, now)
    },
    figures: () => ({ value: t === Number.POSITIVE_INFINITY ? 0 : 1, t }),
  }
}

function reached(world: World, name: string, choice: Of<'reached'>): Watch {
  const { body, point = [0, 0, 0], offset = [0, 0, 0], joint, value = 0, tolerance, when } = choice
  const q = joint === undefined ? -1 : jointOf(world, joint, name)
  const at = pose(body === undefined ? world.robot.frames[0] : thingOf(world, body, name).frame)
  let t = Number.POSITIVE_INFINITY
  let distance = Number.POSITIVE_INFINITY
  return {
    note(step, now) {
      let here = Math.abs(world.state.q[q] - value)
      if (q < 0) {
        at.read(step)
        here = 0
        for (let i = 0; i < 3; i++) {
          let off = at.p[i] - point[i]
          for (let k = 0; k < 3; k++) off += at.R[3 * i + k] * offset[k]
          here += off * off
        }
        here = Math.sqrt(here)
      }
      distance = when === 'any' ? Math.min(distance, here) : here
      if (here <= tolerance) t = Math.min(t, now)
    },
    figures: () => ({ value: distance <= tolerance ? 1 : 0, t, distance }),
  }
}

const kinds = { held, slipped, fell, reached } as {
  readonly [K in MeasureChoice['kind']]: (world: World, name: string, choice: never) => Watch
}

/** Part of a step by which times may be off their own. */
const ROUNDING = 1e-9

/** A measure in its window of time. */
interface Timed {
  readonly name: string
  readonly from: number
  readonly until: number
  readonly watch: Watch
  isBegun: boolean
}

/** Takes all measures of a scenario. */
export class OutcomeMeter {
  private readonly timed: readonly Timed[]
  private readonly success: Scenario['success']

  /** @param start with the kinematics of the run's start at its end @throws SetupError for a name that is not there */
  constructor(start: MeasuredStep, { measure, success }: Pick<Scenario, 'measure' | 'success'>) {
    this.timed = Object.entries(measure).map(([name, choice]) => {
      const { kind, from, until = Number.POSITIVE_INFINITY } = choice
      return { name, from, until, watch: kinds[kind](start.world, name, choice as never), isBegun: false }
    })
    this.success = success
    this.measure(start)
  }

  measure(step: MeasuredStep): void {
    const t = step.world.state.t[0]
    for (const one of this.timed) {
      if (t < one.from - ROUNDING || t > one.until + ROUNDING) continue
      one.isBegun = true
      one.watch.note(step, t)
    }
  }

  /** @param isWhole whether the run came to its end: one that broke off is no success, nor is one that ended before a measure began */
  outcome(isWhole: boolean): RunOutcome | null {
    const { timed, success } = this
    if (timed.length === 0 && !success) return null
    const figures = new Map(timed.map(({ name, watch }) => [name, watch.figures()]))
    const measures = timed.map(({ name, isBegun }) => {
      const known = Object.entries(figures.get(name) as object).map(([part, x]) => [
        part,
        isBegun && Number.isFinite(x) ? x : null,
      ])
      return [name, Object.fromEntries(known)]
    })
    const values = (success?.names ?? []).map((variable) => {
      const [name, part = 'value'] = variable.split('.')
      return figures.get(name)?.[part] ?? Number.NaN
    })
    const isMeasured = [...figures.values()].every(({ value }) => !Number.isNaN(value))
    const isKnown = isWhole && timed.every(({ isBegun }) => isBegun)
    return {
      measures: Object.fromEntries(measures),
      success: success && isMeasured ? isKnown && evaluatorOf(success)(Float64Array.from(values)) !== 0 : null,
    }
  }
}

/** `yes, t = 0.31 s` of one run; of several `19 of 20`, or the range of a length. */
function figureWords(figures: readonly MeasureFigures[]): string {
  const values = figures.flatMap(({ value }) => value ?? [])
  if (values.length === 0) return '-'
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const [{ t, distance }] = figures
  if (t === undefined) return low === high ? millimetres(high) : `${significant(1e3 * low, 3)} to ${millimetres(high)}`
  if (figures.length > 1) return `${values.filter((value) => value === 1).length} of ${figures.length}`
  const parts = [t === null ? '' : `, t = ${significant(t, 3)} s`, distance ? `, ${significant(distance, 3)} off` : '']
  return (high === 1 ? 'yes' : 'no') + parts.join('')
}

/** Each measure, and success, of runs of one scenario in words. */
export function outcomeWords(runs: readonly { readonly outcome?: RunOutcome | null }[]): { name: string; words: string }[] {
  const known = runs.flatMap(({ outcome }) => outcome ?? [])
  const figures = known.map(({ measures, success }) =>
    success === null ? measures : { ...measures, success: { value: success ? 1 : 0, t: null } },
  )
  return Object.keys(figures[0] ?? {}).map((name) => ({ name, words: figureWords(figures.map((own) => own[name])) }))
}
