/** Parameters of a scene that bring a contact model nearest to nature in it, and how sure they are: friction and restitution from a film, say. */

import { mean } from '../../compare/measure/statistics.ts'
import { canUseThreads } from '../../compare/run/pool.ts'
import { ScenarioError } from '../../compare/scenario/index.ts'
import { Random } from '../../compare/scenario/world/random.ts'
import { onLanes } from '../lanes.ts'
import { parseScene } from '../scene.ts'
import { type CaseError, evaluate, type PointJob } from './evaluation.ts'
import { descend, squaresAt } from './leastSquares.ts'
import { paraboloidOf, paraboloidOfSquares, studentOf, termsOf, type Uncertainty, uncertaintyOf } from './quadratic.ts'
import { evolve, normal, type Point } from './search.ts'

/** A parameter and the range that is searched. */
export interface Varied {
  readonly name: string
  readonly from: number
  readonly to: number
}

export interface FitOptions {
  readonly source: string
  readonly file: string
  readonly vary: readonly Varied[]
  readonly column: string
  /** [s] */
  readonly dt: number
  /** Values of further parameters, in place of the scene's. */
  readonly fixed?: Readonly<Record<string, number>>
  /** Starts of the search, the first at the scene's values, the others anywhere. */
  readonly starts?: number
  /** Generations of the search without derivatives; default 25. */
  readonly generations?: number
  /** It sees every so manieth case. */
  readonly every?: number
  /** Whether each half of the cases is predicted by a fit of its own to the other half: two more searches. */
  readonly halves?: boolean
  /** 0: in this thread. */
  readonly threads?: number
  readonly progress?: (part: number) => void
}

/** Parameters in the order of `vary`. */
export interface Fitted {
  readonly column: string
  readonly values: readonly number[]
  /** 95 %; NaN of too few cases. */
  readonly intervals: readonly (readonly [number, number])[]
  /** Whether the cases say more of it than its range does; of one case, whether its error changes at all. */
  readonly isDetermined: readonly boolean[]
  readonly correlations: readonly (readonly number[])[]
  /** Mean over the cases: as it stands, fitted, and of cases that the fit has not seen (by tenths); NaN of too few. */
  readonly error: number
  readonly errorBefore: number
  readonly errorUnseen: number
  /** Fitted, at half the step: where it is another, values make up for the error of the step. */
  readonly errorHalfStep: number
  /** Mean of each measure's distance from nature, likewise. */
  readonly means: readonly number[]
  readonly meansBefore: readonly number[]
  readonly meansUnseen: readonly number[]
  /** Of each half of the cases, every other one: values fitted to it, and means of the measures in the other half under these; of `halves`. */
  readonly halves: readonly { readonly values: readonly number[]; readonly meansUnseen: readonly number[] }[]
  /** Rise of the error of unseen cases where this one stays as the scene has it, and its standard error. */
  readonly worth: readonly { readonly rise: number; readonly deviation: number }[]
  /** All cases, as fitted. */
  readonly cases: readonly CaseError[]
}

/** Generations of the search without derivatives, and steps down before it and after. */
const GENERATIONS = 25
const DESCENTS = 6
const SMOOTH_DESCENTS = 20
/** Points of a cloud over the numbers of a paraboloid. */
const POINTS = 2
/** Largest spread of a cloud, in ranges; the rise of the error to which it is narrowed, as a part of it, and how often by three. */
const WIDEST = 0.15
const RISE = 0.1
const NARROWINGS = 8
/** Fewer cases have no uncertainty. */
const LEAST_CASES = 4
const FOLDS = 10
/** Cases, or parts of these, over parameters, where errors are smooth. */
const PARTS = 4

/** @throws ScenarioError for a scene that cannot be read, also under some value in a range */
export async function fitOf(options: FitOptions): Promise<Fitted> {
  const { source, file, vary, fixed = {} } = options
  const scene = await parseScene(source, file, fixed)
  const count = scene.cases.length
  const stated = vary.map(({ name }) => Number(scene.parameters[name]))
  const points = new Points(options)
  const [before] = await points.at([stated])
  const all = (xs: readonly (readonly number[])[]) => points.inCube(xs, { isFull: true })
  // where nothing touches, runs and so errors are smooth in the parameters, and derivatives suffice
  const isSmooth = scene.contactless && scene.cases[0].path !== undefined
  const whole = Array.from({ length: count }, (_, c) => c)
  const x = vary.length === 0 ? [] : await searched(points, points.cubeOf(stated), whole, isSmooth, options)
  let [cases] = await all([x])
  // never farther off than the scene as it stands, where that is within the ranges
  const isWithin = vary.every(({ from, to }, i) => from <= stated[i] && stated[i] <= to)
  const errorBefore = mean(before.map(({ error }) => error))
  const isWorse = isWithin && errorBefore < mean(cases.map(({ error }) => error))
  if (isWorse) cases = (await all([points.cubeOf(stated)]))[0]
  const base = isWorse ? points.cubeOf(stated) : x
  const sure = count < LEAST_CASES || vary.length === 0 ? undefined : await uncertaintyAt(base, points, cases, isSmooth)
  const unseen = sure && (await unseenErrors(base, points, sure, Math.min(FOLDS, count), count))
  return {
    column: options.column,
    values: points.valuesOf(base),
    ...(sure ? statistics(base, sure, vary) : await unsure(base, points, mean(cases.map(({ error }) => error)))),
    error: mean(cases.map(({ error }) => error)),
    errorBefore,
    errorUnseen: unseen ? mean(unseen.map(({ error }) => error)) : NaN,
    errorHalfStep:
      vary.length === 0 ? NaN : mean((await points.inCube([base], { dt: options.dt / 2 }))[0].map(({ error }) => error)),
    means: meansOf(cases),
    meansBefore: meansOf(before),
    meansUnseen: unseen ? meansOf(unseen) : cases[0].distances.map(() => NaN),
    halves:
      options.halves === true && vary.length > 0 && count > 1 ? await halvesOf(points, whole, isSmooth, stated, options) : [],
    worth: sure && unseen ? await worthOf(base, points, sure, unseen, points.cubeOf(stated)) : [],
    cases,
  }
}

async function halvesOf(
  points: Points,
  whole: readonly number[],
  isSmooth: boolean,
  stated: readonly number[],
  options: FitOptions,
): Promise<Fitted['halves']> {
  const halves: Fitted['halves'][number][] = []
  for (const half of [0, 1]) {
    const seen = whole.filter((c) => c % 2 === half)
    const own = await searched(points, points.cubeOf(stated), seen, isSmooth, options)
    const [others] = await points.inCube([own], { cases: whole.filter((c) => c % 2 !== half) })
    halves.push({ values: points.valuesOf(own), meansUnseen: meansOf(others) })
  }
  return halves
}

/** The best point of some cases: down by derivatives from each start, about the best of these without them, and down again. */
async function searched(
  points: Points,
  stated: readonly number[],
  seen: readonly number[],
  isSmooth: boolean,
  { every = 1, starts = 1, generations = GENERATIONS }: FitOptions,
) {
  const cases = seen.filter((_, i) => i % every === 0)
  const errors = async (xs: readonly (readonly number[])[]) =>
    (await points.inCube(xs, { cases })).map((found) => mean(found.map(({ error }) => error)))
  const random = new Random(1)
  const inside = stated.map((x) => Math.min(0.98, Math.max(0.02, x)))
  const all = (xs: readonly (readonly number[])[]) => points.inCube(xs, { cases: seen, isFull: true })
  const down = async (from: readonly number[], steps: number) => descend({ x: from, error: Infinity }, all, steps)
  let best: Point | undefined
  for (let k = 0; k < starts; k++) {
    const start = k === 0 ? inside : stated.map(() => random.next())
    const found = await down(start, isSmooth ? SMOOTH_DESCENTS : DESCENTS)
    if (best === undefined || found.error < best.error) best = found
  }
  if (isSmooth) return (best as Point).x
  const evolved = await evolve((best as Point).x, errors, generations, random)
  return (await down(evolved.x, DESCENTS)).x
}

type How = Partial<Pick<PointJob, 'cases' | 'isFull' | 'dt'>>

/** Evaluates points, on threads. */
class Points {
  private readonly options: FitOptions
  private done = 0

  constructor(options: FitOptions) {
    this.options = options
  }

  cubeOf(values: readonly number[]): number[] {
    return this.options.vary.map(({ from, to }, i) => (values[i] - from) / (to - from))
  }

  valuesOf(x: readonly number[]): number[] {
    return this.options.vary.map(({ from, to }, i) => Number((from + x[i] * (to - from)).toPrecision(12)))
  }

  inCube(xs: readonly (readonly number[])[], how: How = {}): Promise<CaseError[][]> {
    return this.at(
      xs.map((x) => this.valuesOf(x)),
      xs.map(() => how),
    )
  }

  /** @param how of each */
  async at(values: readonly (readonly number[])[], how: readonly How[] = []): Promise<CaseError[][]> {
    const { source, file, column, dt, vary, fixed, threads = 0, progress } = this.options
    const jobs = values.map((own, k): PointJob => {
      const named = { ...fixed, ...Object.fromEntries(vary.map(({ name }, i) => [name, own[i]])) }
      return { source, file, column, dt, values: named, ...how[k] }
    })
    const results: CaseError[][] = []
    let problem: Error | undefined
    const take = (index: number, result: Awaited<ReturnType<typeof evaluate>> | string) => {
      if (typeof result === 'string') problem ??= new Error(result)
      else if ('problems' in result) problem ??= new ScenarioError(result.problems)
      else results[index] = [...result]
    }
    await onLanes(jobs, canUseThreads() ? threads : 0, evaluate, take)
    if (problem !== undefined) throw problem
    this.done += jobs.length
    // how many there will be is not known before
    progress?.(this.done / (this.done + 100))
    return results
  }
}

/** By derivatives where errors are smooth; else by a cloud as wide along each axis as the error lets it be. */
async function uncertaintyAt(
  base: readonly number[],
  points: Points,
  here: readonly CaseError[],
  isSmooth: boolean,
): Promise<Uncertainty> {
  if (isSmooth) {
    // few cases say little of a spread in many directions; their parts, long beside the noise, say more
    const parts = Math.ceil((PARTS * base.length) / here.length)
    const squares = await squaresAt(base, (xs) => points.inCube(xs, { isFull: true }), parts)
    const { paraboloid, axes, spreads, error } = paraboloidOfSquares(squares, RISE, WIDEST)
    return uncertaintyOf(paraboloid, axes, spreads, error)
  }
  const random = new Random(2)
  const error = mean(here.map((one) => one.error))
  const spreads = await spreadsAt(base, points, here, error)
  const axes = spreads.flatMap((spread, i) => (spread > 0 ? [i] : []))
  if (axes.length === 0) return uncertaintyOf({ gradients: [], hessian: [] }, axes, spreads, error)
  const count = Math.ceil(POINTS * termsOf(axes.length))
  const cloud = Array.from({ length: count }, () => base.map((x, i) => Math.min(1, Math.max(0, x + spreads[i] * normal(random)))))
  const errors = (await points.inCube(cloud)).map((cases) => cases.map((one) => one.error))
  const offsets = cloud.map((x) => axes.map((i) => (x[i] - base[i]) / spreads[i]))
  return uncertaintyOf(await paraboloidOf(offsets, errors), axes, spreads, error)
}

/** Per axis how far the error has risen by `RISE` of itself, at most `WIDEST`; 0 where no case's error changes at all. */
async function spreadsAt(base: readonly number[], points: Points, here: readonly CaseError[], error: number): Promise<number[]> {
  const spreads = base.map(() => WIDEST)
  let open = base.map((_, i) => i)
  for (let pass = 0; pass < NARROWINGS && open.length > 0; pass++) {
    // within the ranges, to the side where there is more room
    const sides = open.map((i) => base.with(i, base[i] > 0.5 ? base[i] - spreads[i] : base[i] + spreads[i]))
    const found = await points.inCube(sides)
    open = open.filter((i, k) => {
      const change = Math.max(...found[k].map((one, c) => Math.abs(one.error - here[c].error)))
      if (change < 1e-9 && pass === 0) spreads[i] = 0
      if (change < 1e-9 || mean(found[k].map((one) => one.error)) - error < RISE * error) return false
      spreads[i] /= 3
      return true
    })
  }
  return spreads
}

function statistics(
  base: readonly number[],
  { covariance, isDetermined, spreads, freedom }: Uncertainty,
  vary: readonly Varied[],
) {
  const factor = studentOf(freedom)
  const intervals = vary.map(({ from, to }, i): [number, number] => {
    const half = factor * Math.sqrt(covariance[i][i])
    const at = (x: number) => from + Math.min(1, Math.max(0, x)) * (to - from)
    return [at(base[i] - half), at(base[i] + half)]
  })
  return {
    intervals,
    // at the edge of its range the best is outside, where no cloud is
    isDetermined: isDetermined.map(
      (is, i) => is || ((base[i] <= 0 || base[i] >= 1) && spreads[i] > 0 && spreads[i] < WIDEST / 2),
    ),
    correlations: covariance.map((row, i) => row.map((c, j) => c / Math.sqrt(covariance[i][i] * covariance[j][j]))),
  }
}

/** Of too few cases: whether the error is any other at the ends of the ranges. */
async function unsure(base: readonly number[], points: Points, error: number) {
  const ends = await points.inCube(base.flatMap((_, i) => [base.with(i, 0), base.with(i, 1)]))
  const rises = ends.map((cases) => Math.abs(mean(cases.map((one) => one.error)) - error) > 1e-6)
  return {
    intervals: base.map((): [number, number] => [NaN, NaN]),
    isDetermined: base.map((_, i) => rises[2 * i] || rises[2 * i + 1]),
    correlations: base.map(() => base.map(() => NaN)),
  }
}

/** Errors of each case under the parameters of the other folds. @param held parameters that stay at these offsets */
async function unseenErrors(
  base: readonly number[],
  points: Points,
  sure: Uncertainty,
  folds: number,
  count: number,
  held?: ReadonlyMap<number, number>,
): Promise<CaseError[]> {
  const all = Array.from({ length: count }, (_, c) => c)
  const values: number[][] = []
  const how: { cases: number[] }[] = []
  for (let fold = 0; fold < folds; fold++) {
    const offset = sure.refit(
      all.filter((c) => c % folds !== fold),
      held,
    )
    values.push(points.valuesOf(base.map((x, i) => (held?.has(i) ? x + offset[i] : Math.min(1, Math.max(0, x + offset[i]))))))
    how.push({ cases: all.filter((c) => c % folds === fold) })
  }
  const errors = await points.at(values, how)
  return all.map((c) => errors[c % folds][Math.floor(c / folds)])
}

async function worthOf(
  base: readonly number[],
  points: Points,
  sure: Uncertainty,
  unseen: readonly CaseError[],
  stated: readonly number[],
): Promise<Fitted['worth']> {
  const worth: { rise: number; deviation: number }[] = []
  for (const [i, x] of base.entries()) {
    const held = new Map([[i, stated[i] - x]])
    const without = await unseenErrors(base, points, sure, Math.min(FOLDS, unseen.length), unseen.length, held)
    const rises = without.map(({ error }, c) => error - unseen[c].error)
    const rise = mean(rises)
    const variance = mean(rises.map((one) => (one - rise) ** 2))
    worth.push({ rise, deviation: Math.sqrt(variance / Math.max(1, rises.length - 1)) })
  }
  return worth
}

const meansOf = (cases: readonly CaseError[]): number[] =>
  cases[0].distances.map((_, m) => mean(cases.map(({ distances }) => distances[m])))
