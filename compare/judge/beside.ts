/** Engines from outside beside our models: whether, when and where their motion parts from that of the exact laws at the same step. */
import { counted, degrees, millimetres, milliseconds, significant } from '../measure/numbers.ts'
import type { MeasureFigures } from '../measure/outcomes.ts'
import { stanceOf } from '../measure/stance.ts'
import type { Trajectory } from '../measure/trajectory.ts'
import type { Outcome } from '../run/run.ts'
import type { Limits } from '../scenario/index.ts'
import { isOutside } from '../scenario/world/files.ts'
import { medianMotion } from './consensus.ts'
import { familyOf } from './families.ts'
import { differenceOf, type Farthest, type Scales } from './reference.ts'

/** One run of an engine. */
export interface Beside {
  readonly engine: string
  readonly dt: number
  /** `parts`: off by more than the bound; `unknown`: none of our models has a motion to compare with. */
  readonly state: 'with' | 'parts' | 'failed' | 'unknown'
  readonly failure: string | null
  /** Root mean square of its distance from the median of the exact laws, of the quantity that is worst, over that one's scale. */
  readonly motion: number | null
  readonly of: string
  readonly farthest: Farthest | null
  /** Of one that parts: when it first was off by more than the bound [s]. */
  readonly t: number | null
  /** Three times the largest distance of an exact law from their median, at least the limit of errors. */
  readonly bound: number | null
  /** The exact laws, and whichever of our models its motion is nearest to, with the distance. */
  readonly laws: readonly string[]
  /** What the engine leaves out of the scene. */
  readonly lacks: readonly string[]
  readonly nearest: { readonly model: string; readonly motion: number } | null
  /** When its base first was too low or too tilted, see `stanceOf` [s]; null where it stands, or its base is fixed. */
  readonly fell_s: number | null
  /** What its scenario measures, by name. */
  readonly measures: Readonly<Record<string, MeasureFigures>>
}

/** Distances up to so many times that of the exact laws from each other are no difference of engines. */
const SPREADS = 3

/** Rigid, with Coulomb's cone or its pyramid unrelaxed. */
const isExact = (model: string) => familyOf(model) === 'complementarity'

interface Run {
  readonly model: string
  readonly dt: number
  readonly outcome: Outcome
}

interface World {
  readonly scales: Scales | undefined
  readonly limits: Limits
  /** Height of its ground [m]. */
  readonly ground: number
  /** When its motion forgets its start [s]. */
  readonly until?: number
}

/** Of the runs of one world. */
export function besideOf(runs: readonly Run[], world: World): Beside[] {
  return runs.filter(({ model }) => isOutside(model)).map((run) => comparedWith(run, runs, world))
}

function comparedWith({ model, dt, outcome }: Run, runs: readonly Run[], { scales, limits, ground, until }: World): Beside {
  const own = runs.flatMap(({ model: law, dt: step, outcome: { status, trajectory } }) =>
    isOutside(law) || step !== dt || status === 'failed' || trajectory === null ? [] : [{ law, trajectory }],
  )
  const exact = own.filter(({ law }) => isExact(law))
  const floats = outcome.trajectory !== null && outcome.trajectory.position.length > 0
  const fell_s = floats ? stanceOf(outcome.trajectory as Trajectory, ground).fell : null
  const lacks = outcome.parameters?.unused ?? []
  const measures = outcome.outcome?.measures ?? {}
  const shared = { engine: model, dt, fell_s, lacks, measures, laws: exact.map(({ law }) => law) }
  const nothing = { motion: null, of: '', farthest: null, t: null, bound: null, nearest: null }
  if (outcome.status === 'failed' || outcome.trajectory === null)
    return { ...shared, ...nothing, state: 'failed', failure: outcome.failure }
  if (scales === undefined || exact.length === 0) return { ...shared, ...nothing, state: 'unknown', failure: null }
  const apart = (a: Trajectory, b: Trajectory) => differenceOf(a, b, scales, { until })
  const middle = medianMotion(exact.map(({ trajectory }) => trajectory))
  const spread = Math.max(...exact.map(({ trajectory }) => apart(trajectory, middle).motion ?? 0))
  const bound = Math.max(SPREADS * spread, limits.tracking)
  const { trajectory } = outcome
  const { motion, worst, farthest, series } = apart(trajectory, middle)
  const row = series.tracking.findIndex((x, k) => !(x <= bound) && series.t[k] <= (until ?? Infinity))
  const distances = own.map(({ law, trajectory: other }) => ({ model: law, motion: apart(trajectory, other).motion ?? Infinity }))
  const isWith = motion !== null && motion <= bound
  return {
    ...shared,
    state: isWith ? 'with' : 'parts',
    failure: null,
    motion,
    of: worst?.name ?? '',
    farthest,
    t: isWith || row < 0 ? null : series.t[row],
    bound,
    nearest: distances.reduce((best, one) => (one.motion < best.motion ? one : best)),
  }
}

/** A run in a sentence. */
export function besideWords(beside: Beside): string {
  const { engine, dt, state, failure, motion, of, farthest, t, bound, laws, lacks, nearest, fell_s, measures } = beside
  const who = `${engine} at ${milliseconds(dt)}`
  const measured = Object.entries(measures).map(([name, { value, t: when }]) =>
    when === undefined
      ? ''
      : `${name}: ${value === null ? 'unknown' : value === 1 ? 'yes' : 'no'}${when ? ` at ${significant(when, 3)} s` : ''}`,
  )
  const left = lacks.length === 0 ? '' : `without ${lacks.join(', ')}`
  const all = [left, fell_s === null ? '' : `falls at ${significant(fell_s, 3)} s`, ...measured].filter((text) => text !== '')
  const also = all.length > 0 ? `; ${all.join(', ')}` : ''
  if (state === 'failed') return `${who} failed: ${failure}`
  if (state === 'unknown') return `${who} is compared with nothing: no exact law came to its end at this step${also}`
  const share = (x: number) => `${significant(100 * x, 2)} %`
  const off = `${share(motion ?? Number.NaN)} of the motion of ${of || 'nothing'}`
  const near = nearest ? `, nearest to ${nearest.model} (${share(nearest.motion)})` : ''
  if (state === 'with') return `${who} goes with ${laws.join(', ')}: off by ${off}, bound ${share(bound ?? 0)}${near}${also}`
  const where = farthest
    ? `, at most ${farthest.unit === 'm' ? millimetres(farthest.distance) : degrees(farthest.distance)} at ${significant(farthest.t, 3)} s`
    : ''
  return `${who} parts from ${laws.join(', ')}${t === null ? '' : ` at ${significant(t, 3)} s`}: off by ${off}${where}${near}${also}`
}

/** Runs of several worlds: how many go with the exact laws, then for each engine and step the one that is farthest off. */
export function besideLines(beside: readonly Beside[]): string[] {
  if (beside.length === 0) return []
  const farness = ({ state, motion }: Beside) => (state === 'failed' ? Infinity : (motion ?? -1))
  const worst = new Map<string, Beside>()
  for (const one of beside) {
    const key = `${one.engine} ${one.dt}`
    const before = worst.get(key)
    if (before === undefined || farness(one) > farness(before)) worst.set(key, one)
  }
  const going = beside.filter(({ state }) => state === 'with').length
  const fallen = beside.filter(({ fell_s }) => fell_s !== null).length
  const fall = fallen > 0 ? ` ${counted(fallen, 'run')} fell.` : ''
  return [
    `Engines beside: ${going} of ${counted(beside.length, 'run')} with the exact laws.${fall}`,
    ...[...worst.values()].map(besideWords),
  ]
}
