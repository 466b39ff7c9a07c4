/** Health of a scene: faults that precede a verdict on contact, or replace it. */

import { listed } from '../../dynamics/index.ts'
import type { RunHealth } from '../measure/health.ts'
import { millimetres, milliseconds, percent, significant } from '../measure/numbers.ts'
import type { Judged, JudgedScene } from './verdict.ts'

export interface HealthNote {
  readonly code:
    | 'start-overlap'
    | 'controller'
    | 'untouched'
    | 'self-overlap'
    | 'joints'
    | 'fell'
    | 'fell-elsewhere'
    | 'effort'
    | 'target'
    | 'inputs'
  /** A clause. */
  readonly words: string
  /** Whether it is the verdict. */
  readonly decides: boolean
}

/** Part of the runs of the smallest step that a controller has to shake for the scene to be unstable by itself. */
const MOST = 2 / 3
/** Part of a run at its limit from which on an effort is said to be saturated. */
const OFTEN = 0.2

/** The largest speed at which something creeps that should stand still [m/s, rad/s]. */
export const creepOf = ({ runs }: { readonly runs: readonly Judged[] }) =>
  Math.max(0, ...runs.map(({ health }) => health?.creep?.speed ?? 0))

/** @param good the runs that keep the laws and limits, or where there are none all */
export function healthOf(runs: readonly Judged[], good: readonly Judged[], { overlap }: JudgedScene): HealthNote[] {
  const whole = runs.filter(({ status }) => status === 'ok')
  const note = (code: HealthNote['code'], words: string | null, decides = false): HealthNote[] =>
    words === null ? [] : [{ code, words, decides }]
  const isFree = whole.length === runs.length && whole.length > 0 && whole.every(({ touched = true }) => !touched)
  const acted = isFree ? actedWords(whole) : null
  const through = overlapWords(good)
  const isUntouched = isFree && acted === null
  return [
    ...note('start-overlap', overlap, overlap !== null && good === runs),
    ...shakenNote(runs),
    ...note('self-overlap', through, isUntouched),
    ...note('untouched', isUntouched ? 'nothing acted that contact models differ in' : null, through === null),
    ...note('joints', acted),
    ...note(good.some(({ health }) => health?.fell) ? 'fell' : 'fell-elsewhere', fellWords(whole)),
    ...note('effort', effortWords(good)),
    ...note('target', targetWords(good)),
    ...note('inputs', inputsWords(runs)),
  ]
}

/** A controller that shakes the robot under most models at the smallest step does so by itself. */
function shakenNote(runs: readonly Judged[]): HealthNote[] {
  const smallest = Math.min(...runs.map(({ dt }) => dt))
  const finest = runs.filter(({ dt }) => dt === smallest)
  const shaken = runs.filter(({ firstShaking }) => firstShaking)
  const own = shaken.filter(({ dt }) => dt === smallest)
  const [first] = own.length > 0 ? own : shaken
  if (first === undefined) return []
  // what shakes as it lies there has another trouble first
  const decides = own.length >= MOST * finest.length && !own.every(({ health }) => health?.fell)
  const words = decides
    ? 'the controller alone is unstable, whatever the model'
    : `the controller shakes the robot, ${whoWords(shaken, runs)}`
  return [{ code: 'controller', words: `${words}: ${first.firstShaking}`, decides }]
}

function overlapWords(good: readonly Judged[]): string | null {
  const [deepest] = figures(good, 'selfOverlap').toSorted((a, b) => b.depth_m - a.depth_m)
  if (deepest === undefined) return null
  const { robot, a, b, depth_m, t } = deepest
  return `contact between "${a}" and "${b}" of ${robot} is off (selfCollision, or a pair left out), and they overlapped by ${millimetres(depth_m)} at t = ${significant(t, 3)} s`
}

/** Stops, dry joints and loops, where they act and contacts do not. */
function actedWords(whole: readonly Judged[]): string | null {
  const all = figures(whole, 'acted')
  const names = (key: 'limits' | 'dryJoints') => [...new Set(all.flatMap((acted) => acted[key]))]
  const [limits, dry] = [names('limits'), names('dryJoints')]
  const loops = Math.max(0, ...all.map((acted) => acted.loops))
  const what = [
    ...(limits.length > 0 ? [`the stop of ${listed(limits, 4)} (law jointLimits)`] : []),
    ...(dry.length > 0 ? [`the dry friction of ${listed(dry, 4)} (law jointFriction)`] : []),
    ...(loops > 0 ? [`${loops === 1 ? 'a closed loop' : `${loops} closed loops`} (law loopOpening)`] : []),
  ]
  return what.length === 0 ? null : `no contact acted: this tests ${listed(what)}`
}

function fellWords(whole: readonly Judged[]): string | null {
  const fallen = whole.filter(({ health }) => health?.fell)
  const times = figures(fallen, 'fell').map(({ t }) => t)
  if (times.length === 0) return null
  const [{ robot }] = figures(fallen, 'fell')
  return `${robot} falls, at t = ${span(times, (t) => `${significant(t, 3)} s`)}, ${whoWords(fallen, whole)}`
}

function effortWords(good: readonly Judged[]): string | null {
  const often = figures(good, 'saturated').filter(({ part }) => part >= OFTEN)
  if (often.length === 0) return null
  const most = often.reduce((a, b) => (b.part > a.part ? b : a))
  return `the motor of joint ${most.joint} stands at its effort limit for ${percent(Number(most.part.toPrecision(2)))} of the run`
}

function targetWords(good: readonly Judged[]): string | null {
  const missed = figures(good, 'missedTarget')
  if (good.length === 0 || missed.length < MOST * good.length) return null
  const { joint, distance, unit, robot } = missed.reduce((a, b) => (b.distance > a.distance ? b : a))
  const far = unit === 'm' ? millimetres(distance) : `${significant(distance, 3)} rad`
  return `${joint === 'base' ? `the base of ${robot}` : `joint ${joint}`} is ${far} from its target at the end`
}

/** Stated properties of surfaces that the models of these runs drop. */
export function inputsWords(runs: readonly Pick<Judged, 'model' | 'laws'>[]): string | null {
  const dropping = runs.filter(({ laws }) => laws.some(({ law, value }) => law === 'inputs' && (value ?? 0) > 0))
  const inputs = dropping.flatMap(({ laws }) =>
    laws.flatMap(({ law, detail }) => (law === 'inputs' && detail ? detail.split(', ') : [])),
  )
  if (dropping.length === 0) return null
  return `${listed([...new Set(dropping.map(({ model }) => model))], 6)} cannot do what is stated of surfaces: ${listed([...new Set(inputs)])}`
}

/** A figure of every run that has it. */
function figures<K extends keyof RunHealth>(runs: readonly Judged[], key: K): NonNullable<RunHealth[K]>[] {
  return runs.flatMap(({ health }) => health?.[key] ?? []) as NonNullable<RunHealth[K]>[]
}

/** `under every model`, `at 5 ms under every model`, `under lcp and 3 more`. */
function whoWords(some: readonly Judged[], all: readonly Judged[]): string {
  if (some.length === all.length) return 'under every model'
  const steps = [...new Set(some.map(({ dt }) => dt))]
  const isWholeSteps = steps.every(
    (dt) => some.filter((run) => run.dt === dt).length === all.filter((run) => run.dt === dt).length,
  )
  if (isWholeSteps) return `at ${listed(steps.map(milliseconds))} under every model`
  const names = [...new Set(some.map(({ model }) => model))]
  return `under ${listed(names, 5)} (${some.length} of ${all.length} runs)`
}

/** `2 s`, or `1.5 to 2 s`. */
export function span(values: readonly number[], print: (x: number) => string): string {
  const [low, high] = [print(Math.min(...values)), print(Math.max(...values))]
  if (low === high) return high
  const [number, unit] = low.split(' ')
  return `${high.endsWith(` ${unit}`) ? number : low} to ${high}`
}
