/**
 * Gains of the penalty models for one robot, controller and step: those of rules, and a search over kp, kv, ki and lambda.
 * Drumwright, A fast and stable penalty method for rigid body simulation, IEEE TVCG 14 (2008), section III-C, names the rules.
 */
import { defaultPhysicalInputs, type Integrator } from '../../contact/index.ts'
import { errorsOf } from '../judge/reference.ts'
import type { Outcome, RunJob } from '../run/run.ts'
import type { ModelChoice, Scenario } from '../scenario/index.ts'
import { type PreparedWorld, SetupError } from '../scenario/world/files.ts'
import { type Bracket, firstBracket, narrowed, nextOf, stabilityLimit } from './border.ts'
import type { Grid } from './grid.ts'

export const tunedModels = ['penalty', 'penalty-deepest'] as const

/** The options that gains are made of: each rule's override the scenario's. */
const gainOptions = ['kp', 'kv', 'ki', 'gains', 'integral', 'lambda', 'kiRatio']

/** Steps of a run that shows whether an oscillation lasts; `Series` has an entry for each of them. */
const STEPS = 500
/** Steps after which a contact that begins to bear does not lift any more. */
const ONSET = 20
/** An oscillation lasts whose force still changes from step to step by this part of its mean over the last fifth of these. */
const RIPPLE = 0.05
/**
 * And whose period is below so many steps: RK4 damps a slower one too little to tell it from a robot that bounces on undamped springs, and
 * of one at its limit the period is 3.29 steps.
 */
const FASTEST = 6
/** How close the two ends of the ultimate gain are in the end, as a ratio. */
const TOLERANCE = 0.02
/** Searched from the program's own spring, or this times all mass over dt² if that is less, ... */
const SOFTEST = 0.25
/** ... up to so many times that and the most that a model takes [N/m], by factors of 4. */
const STIFFEST = 256
const MOST_GAIN = 1e12

/** Steps of the search on log2 axes, its first and its last, and how many runs it may take over kp and kv, then over all. */
const WIDEST = 2
const FINEST = 0.25
export const MOST_RUNS = [60, 140] as const
/** A step is taken that leaves less than this part of the cost: along a gain that hardly matters it would go on to the last run. */
const WORTH = 0.99
/** Where the best rule has no integral, the search tries the one that the models have by default: ki over kp, and lambda. */
const INTEGRAL = { kiRatio: 0.02, lambda: 0.85 } as const
/** Steps over which an integral may forget, 1 / (1 - lambda): the models' bounds of lambda, 0 and 0.999. */
const MEMORY = [1, 1000] as const

/**
 * The gain of the spring alone (kv = ki = 0) at which an oscillation lasts. A mass m on one spring, q'' = -w² q with w² = kp / m, has it
 * where the eigenvalues of the integrator's map leave the unit circle (`stabilityLimit`):
 *
 * - RK4: |R(i w h)| = 1 at (w h)² = 8, so kp = 8 m / h². There R = -1/3 - i 0.943, and the samples turn by arccos(-1/3) a step: the
 *   period is 2 pi h / arccos(-1/3) = 3.29 h.
 * - With the spring taken at the start of the step, v+ = v - h w² q, q+ = q + h v+ has eigenvalues of product 1 and sum 2 - (w h)², so
 *   it would be 4 m / h² and 2 h. No contact model here does that: the semi-implicit step takes the spring at its end, and has no limit.
 */
export interface UltimateGain {
  readonly integrator: Integrator
  /** The largest gain up to which none lasts, to 2 %; null if one lasts at the least that was tried [N/m]. */
  readonly kp: number | null
  /** Whether none lasts at the largest gain that was tried, so that there is no ultimate gain. */
  readonly beyond: boolean
  /** Of the oscillation just below it; null without one [s]. */
  readonly period_s: number | null
  /** That of all mass on one spring; null where the integrator has none [N/m]. */
  readonly theory: number | null
}

interface Rule {
  readonly rule: string
  /** Options that override those of the scenario. */
  readonly options: ModelChoice['options']
}

export type GainFigure = Rule & Readonly<ReturnType<typeof figureOf>>

export type TuneResult = Readonly<Awaited<ReturnType<typeof tuneOf>>>

const RIGID = 'ncp'

interface TuneOptions {
  readonly model: ModelChoice
  readonly prepared: PreparedWorld
  readonly grid: Grid
}

/** @throws SetupError if nothing touches anything, so that no gain makes a difference */
export async function tuneOf(scenario: Scenario, robot: string, { model, prepared, grid }: TuneOptions) {
  const [dt] = scenario.dt
  const own: Scenario = { ...scenario, variants: [], sweep: {} }
  const others = Object.fromEntries(Object.entries(model.options).filter(([name]) => !gainOptions.includes(name)))
  const jobOf = (options: ModelChoice['options'], of: Scenario = own): RunJob => {
    const choice = { name: model.name, options: { ...others, ...options } }
    return { kind: 'run', scenario: of, robot, model: choice, dt }
  }
  const rigid: RunJob = { kind: 'run', scenario: own, robot, model: { name: RIGID, options: {} }, dt }
  const { allowedPenetration } = { ...defaultPhysicalInputs, ...own.physical }
  const mass = prepared.members.reduce((sum, member) => sum + member.robot.massUsed, 0)

  /** Of the first run that touched anything, in the order of the rules. */
  let loads: Outcome['loads'] = []
  const tryAll = async (rules: readonly Rule[], stage: string): Promise<GainFigure[]> => {
    const runs = await grid.run(
      rules.map(({ options }) => ({ job: jobOf(options), against: rigid })),
      (run, reference, { job }) => ({
        figure: figureOf(run, reference, job, prepared, allowedPenetration),
        loads: run.loads,
      }),
      stage,
    )
    if (loads.length === 0) loads = runs.find((run) => run.loads.length > 0)?.loads ?? []
    return runs.map(({ figure }, i) => ({ ...rules[i], ...figure }))
  }

  const rules = await tryAll(
    [
      { rule: 'physical', options: {} },
      { rule: 'mass rule', options: { gains: 'paper', integral: true } },
    ],
    'the rules of the program and of the paper',
  )
  const bodies = chainOf(loads, prepared)
  if (loads.length === 0) throw untouched(rules[0])

  const ultimate: UltimateGain[] = []
  for (const integrator of new Set<Integrator>([own.integrator, 'rk4'])) {
    if (ultimate.some(({ beyond }) => !beyond)) break
    const brief: Scenario = { ...own, integrator, duration: STEPS * dt }
    const chatters = (gains: readonly number[]) =>
      grid.run(
        gains.map((kp) => ({ job: jobOf({ kp, kv: 0, integral: false }, brief) })),
        (run) => chatterOf(run),
        'looking for the ultimate gain',
      )
    const found = await ultimateOf({ integrator, own: rules[0].kp ?? Infinity, mass, dt }, chatters)
    if (found) ultimate.push(found)
  }
  const limit = ultimate.find(({ period_s }) => period_s !== null)
  if (limit) rules.push(...(await tryAll(zieglerNichols(limit, dt), 'the rules of Ziegler and Nichols')))
  const search = await searched(rules, (points) => tryAll(points, 'searching'))
  return {
    version: 1 as const,
    kind: 'tune' as const,
    robot: prepared.robot.name,
    model: model.name,
    duration: own.duration,
    dt,
    integrator: own.integrator,
    /** Model that the motion is compared with. */
    rigid: RIGID,
    allowedPenetration_m: allowedPenetration,
    motionLimit: own.limits.tracking,
    /** That of the scenario's integrator; and of RK4, as in the paper, where that has none. Empty if nothing touches in the first 500 steps. */
    ultimate,
    rules,
    /** The best gains over kp and kv alone, and from there over all four. */
    search,
    /** Most bodies on top of each other by contacts, and Kass's bound on the step, 1 / n [s]. */
    kass: { bodies, largest_s: bodies > 0 ? 1 / bodies : null },
  }
}

function untouched({ failure }: GainFigure): SetupError {
  const because = failure === null ? '' : ` (${failure})`
  return new SetupError(
    `nothing touches anything in this run${because}, so that no gain makes a difference; take a scenario with contact, or a longer --duration`,
  )
}

/**
 * The rules of Ziegler and Nichols (Trans. ASME 64, 1942) for a controller of kp e + kd e' + ki ∫ e dt, e the depth: 0.8 kp_u and
 * kd = kp_u T_u / 10; 0.6 kp_u, kd = 0.075 kp_u T_u and ki = 1.2 kp_u / T_u. The model's sum grows by the depth once a step, as ∫ e dt
 * / dt does, so its ki is dt times that; it forgets over dt / (1 - lambda), and the integral of the rule does not.
 */
function zieglerNichols({ kp, period_s }: UltimateGain, dt: number): Rule[] {
  const [K, T] = [kp as number, period_s as number]
  return [
    { rule: 'Ziegler-Nichols PD', options: { kp: 0.8 * K, kv: (K * T) / 10, integral: false } },
    { rule: 'Ziegler-Nichols PID', options: { kp: 0.6 * K, kv: 0.075 * K * T, ki: ((1.2 * K) / T) * dt, integral: true } },
  ]
}

/**
 * @param of the program's own gain [N/m], all mass [kg] and the step [s]
 * @returns undefined if nothing touches anything in so short a run
 */
async function ultimateOf(
  { integrator, own, mass, dt }: { integrator: Integrator; own: number; mass: number; dt: number },
  chatters: (gains: readonly number[]) => Promise<readonly Chatter[]>,
): Promise<UltimateGain | undefined> {
  const unit = mass / dt ** 2
  const values: number[] = []
  for (let kp = Math.min(own, SOFTEST * unit); kp <= Math.min(STIFFEST * unit, MOST_GAIN); kp *= 4) values.push(kp)
  const limit = stabilityLimit(integrator, 0) ** 2
  const theory = limit === Infinity ? null : limit * unit
  const tried = new Map((await chatters(values)).map((chatter, i) => [values[i], chatter]))
  if (![...tried.values()].some((chatter) => chatter.touched)) return undefined
  const first = firstBracket(
    values,
    [...tried.values()].map(({ lasts }) => !lasts),
  )
  if (first === null || first.outside === Infinity) {
    return { integrator, kp: first?.inside ?? null, beyond: first !== null, period_s: null, theory }
  }
  let bracket: Bracket = first
  for (let kp = nextOf(bracket, TOLERANCE); kp !== undefined; kp = nextOf(bracket, TOLERANCE)) {
    const [chatter] = await chatters([kp])
    tried.set(kp, chatter)
    bracket = narrowed(bracket, kp, !chatter.lasts)
  }
  const period_s = (tried.get(bracket.inside) as Chatter).period * dt
  return { integrator, kp: bracket.inside, beyond: false, period_s: Number.isFinite(period_s) ? period_s : null, theory }
}

interface Chatter {
  readonly touched: boolean
  /** Whether an oscillation lasts to the end, or energy was invented, or the run broke off. */
  readonly lasts: boolean
  /** Of decaying ones: in a fifth of the run from `ONSET` on [steps]. */
  readonly period: number
}

/** The oscillation of the normal force, by its differences from step to step. */
function chatterOf({ status, metrics, series, touched }: Outcome): Chatter {
  const force = series?.force.slice(1) ?? []
  const fifth = Math.floor(force.length / 5)
  const last = rippleOf(force.slice(-fifth))
  const lasts = status !== 'ok' || metrics === null || metrics.energyGains > 0 || (last.part > RIPPLE && last.period < FASTEST)
  return { touched, lasts, period: rippleOf(force.slice(ONSET, ONSET + fifth)).period }
}

/**
 * Root mean square of the differences d of a force over its mean, and the period of d in steps, by Prony's method: d2 = a d1 - b d0 in the
 * least squares sense, of which each of one damped oscillation is a solution with b = r² and a = 2 r cos(w h).
 */
function rippleOf(force: readonly number[]): { part: number; period: number } {
  const d = force.slice(1).map((f, i) => f - force[i])
  /** Sum of the products of d with itself, shifted by i and by j. */
  const product = (i: number, j: number) => d.slice(2).reduce((sum, _, k) => sum + d[k + i] * d[k + j], 0)
  const [s00, s01, s02, s11, s12] = [product(0, 0), product(0, 1), product(0, 2), product(1, 1), product(1, 2)]
  const determinant = s00 * s11 - s01 * s01
  const a = (s12 * s00 - s02 * s01) / determinant
  const b = (s12 * s01 - s02 * s11) / determinant
  // of two real roots a pair that alternates has a period of two steps, and one that decays has none
  const cosine = b > 0 ? a / (2 * Math.sqrt(b)) : a
  const mean = force.reduce((sum, f) => sum + f, 0) / force.length
  const part = Math.sqrt(d.reduce((sum, x) => sum + x * x, 0) / d.length) / mean
  return { part, period: (2 * Math.PI) / Math.acos(Math.max(-1, Math.min(1, cosine))) }
}

function figureOf(
  run: Outcome,
  rigid: Outcome | undefined,
  { scenario }: RunJob,
  { scale }: PreparedWorld,
  allowedPenetration: number,
) {
  const { metrics, trajectory, parameters, laws } = run
  const shown = [...(parameters?.used ?? []), ...(parameters?.derived ?? [])]
  const gain = (name: string) => (shown.find((parameter) => parameter.name === name)?.value ?? null) as number | null
  const holds = run.status === 'ok' && metrics?.energyGains === 0
  const isThere = rigid?.status === 'ok' && rigid.trajectory !== null && trajectory !== null && run.status === 'ok'
  const motion = isThere ? errorsOf(trajectory, rigid.trajectory, scale, scenario.exact).error.tracking : null
  const depthMax = metrics?.penetrationMax_m ?? null
  return {
    /** As the model shows them, those of the heaviest tree where pairs have gains of their own; ki per step of depth [N/m, N s/m, N/m]. */
    kp: gain('kp'),
    kv: gain('kv'),
    ki: gain('ki'),
    /** Share of the integral kept each step; null without one. */
    lambda: gain('lambda'),
    /** The run came to its end and invented no energy (`SolverEvents.energyGains`). */
    holds,
    failure: run.failure,
    depthMax_m: depthMax,
    depthEnd_m: run.series?.penetration.at(-1) ?? null,
    /** Distance from the run of rigid contact at the same step, or from the closed form, as a motion error is taken. */
    motion,
    /** Energy that nothing accounts for, as a part of the run's energy input. */
    invented: laws.find(({ law }) => law === 'energyGain')?.value ?? null,
    /** depthMax over the allowed penetration, plus motion over its limit; null, infinite, where the run does not hold. */
    cost:
      holds && depthMax !== null && motion !== null ? depthMax / allowedPenetration + motion / scenario.limits.tracking : null,
  }
}

const costAt = (figure: GainFigure | undefined) => figure?.cost ?? Infinity

/** The one of least cost; the first of equals. */
export const bestOf = (figures: readonly GainFigure[]): GainFigure | undefined =>
  figures.toSorted((a, b) => costAt(a) - costAt(b))[0]

/** log2 of each gain over that of the start: kp, kv, ki, and the memory 1 / (1 - lambda). Without an integral ki is -Infinity. */
type Point = readonly [number, number, number, number]
const KI = 2
const ALL = [0, 1, KI, 3] as const

/**
 * Compass search (Kolda, Lewis and Torczon, SIAM Review 45, 2003, section 2) on logarithmic axes from the gains of the best rule, whose other
 * options stay: the best of the neighbours, two an axis, or half the step where none is better. First over kp and kv; from there over
 * all four. Its result costs no more than that rule.
 */
export async function searched(rules: readonly GainFigure[], tryAll: (rules: readonly Rule[]) => Promise<GainFigure[]>) {
  const start = bestOf(rules.filter(({ kp, kv, cost }) => cost !== null && (kp ?? 0) * (kv ?? 0) > 0))
  if (start === undefined) return { runs: 0, springAndDamper: null, found: null }
  const hasIntegral = (start.ki ?? 0) > 0
  const unit = {
    kp: start.kp as number,
    kv: start.kv as number,
    ki: hasIntegral ? (start.ki as number) : INTEGRAL.kiRatio * (start.kp as number),
    memory: 1 / (1 - (hasIntegral ? (start.lambda as number) : INTEGRAL.lambda)),
  }
  const rule = ([i, j, k, l]: Point): Rule => {
    const options = { ...start.options, kp: unit.kp * 2 ** i, kv: unit.kv * 2 ** j }
    if (k === -Infinity) return { rule: 'search', options: { ...options, ki: 0, integral: false } }
    const lambda = 1 - 1 / (unit.memory * 2 ** l)
    return { rule: 'search', options: { ...options, ki: unit.ki * 2 ** k, lambda, integral: true } }
  }
  const tried = new Map<string, GainFigure>()
  const visit = async (points: readonly Point[], most: number) => {
    const fresh = points.filter((point) => !tried.has(String(point))).slice(0, most - tried.size)
    const figures = await tryAll(fresh.map(rule))
    for (const [k, point] of fresh.entries()) tried.set(String(point), figures[k])
  }
  const cost = (point: Point) => costAt(tried.get(String(point)))
  const compass = async (from: Point, axes: readonly number[], most: number): Promise<Point> => {
    let best = from
    await visit([best], most)
    for (let reach = WIDEST; reach >= FINEST && tried.size < most; ) {
      const around = axes.flatMap((axis) => neighbours(best, axis, reach, unit.memory))
      await visit(around, most)
      const next = around.toSorted((a, b) => cost(a) - cost(b))[0]
      if (cost(next) < WORTH * cost(best)) best = next
      else reach /= 2
    }
    return best
  }
  // the rule itself, where its gains differ from pair to pair and one for all costs more
  const found = (point: Point) => bestOf([tried.get(String(point)) as GainFigure, start]) as GainFigure
  const two = await compass([0, 0, hasIntegral ? 0 : -Infinity, 0], [0, 1], MOST_RUNS[0])
  const all = await compass(two, ALL, MOST_RUNS[1])
  return { runs: tried.size, springAndDamper: found(two), found: found(all) }
}

/** Without an integral the one along the axis of ki is the default integral, and there is none along that of its memory. */
function neighbours(point: Point, axis: number, reach: number, memory: number): Point[] {
  const at = (value: number) => point.with(axis, value) as unknown as Point
  if (point[KI] === -Infinity && axis >= KI) return axis === KI ? [at(0)] : []
  const both = [point[axis] + reach, point[axis] - reach]
  if (axis <= KI) return both.map(at)
  return both.filter((value) => memory * 2 ** value >= MEMORY[0] && memory * 2 ** value <= MEMORY[1]).map(at)
}

/** The most robots and bodies that contacts stack on something fixed, by the fewest contacts each; of those that carried the most load. */
function chainOf(loads: Outcome['loads'], { members, fixtures }: PreparedWorld): number {
  const names = members.map(({ name, robot }) => name ?? robot.name)
  const fixed = new Set(fixtures.map(({ name }) => name))
  // the shapes of one that is alone go by its links' names
  const owner = (shape: string) => (fixed.has(shape) ? -1 : members.length === 1 ? 0 : names.indexOf(shape.split('/')[0]))
  const edges = loads.map(({ pair }) => pair.split(' on ').map(owner))
  const level = new Map([[-1, 0]])
  for (const [at, n] of level) {
    for (const [a, b] of edges) {
      if (a === at && !level.has(b)) level.set(b, n + 1)
      if (b === at && !level.has(a)) level.set(a, n + 1)
    }
  }
  return Math.max(...level.values())
}
