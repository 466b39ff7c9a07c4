/** Parameters of a scene that bring a contact model nearest to nature in it: friction and restitution from a log, say. */
import { mean, median } from '../compare/measure/statistics.ts'
import { Random } from '../compare/scenario/world/random.ts'
import { parseScene, type Scene } from './scene.ts'
import { trialOf } from './trial.ts'

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
  readonly progress?: (part: number) => void
}

/** Values of the parameters, in the order of `vary`. */
export interface Fitted {
  readonly column: string
  readonly values: readonly number[]
  /**
   * One standard deviation each, from drawing the cases anew (bootstrap; Efron, 1979) and from values that are `alike` or as close as the search
   * is fine; NaN with a single case.
   */
  readonly deviations: readonly number[]
  /** Least and largest value with the same error, the others being as they are: the whole range where a parameter is without effect. */
  readonly alike: readonly (readonly [number, number])[]
  /** Of the fit, and of the scene as it stands: from 0, as nature, to 1, nothing alike. */
  readonly error: number
  readonly errorBefore: number
  /** Median over the cases of each measure's distance from nature, likewise. */
  readonly medians: readonly number[]
  readonly mediansBefore: readonly number[]
}

/** Values of each parameter in the first pass, and in each that follows, in a range half as wide about the best. */
const FIRST = 7
const NEXT = 5
const passes = 4
/** How often the cases are drawn anew: a standard deviation is then known to a twentieth of itself. */
const DRAWS = 200
/** Errors closer than this are the same: less than any log says, more than solvers leave. */
const ALIKE = 1e-6

/** A point that was tried: each case's error, and each measure's distance from nature in each case. */
interface Tried {
  readonly values: readonly number[]
  readonly errors: readonly number[]
  readonly distances: readonly (readonly number[])[]
}

/**
 * Searches a grid, then finer ones about the best. The error of a measure is r² / (1 + r²) with r its distance from nature over its
 * bound, so that a case that goes another way altogether, as chaotic ones do, counts as one and no more (Geman and McClure, 1985).
 *
 * @throws ScenarioError for a scene that cannot be read, also under some value in a range
 */
export async function fitOf({ source, file, vary, column, dt, progress = () => {} }: FitOptions): Promise<Fitted> {
  const all = FIRST ** vary.length + (passes - 1) * NEXT ** vary.length + FIRST * vary.length
  const tried: Tried[] = []
  const known = new Set<string>()
  const scene = await parseScene(source, file)
  const before = await errorsOf(scene, column, dt)
  const stated = vary.map(({ name }) => Number(scene.parameters[name]))
  if (vary.every(({ from, to }, i) => from <= stated[i] && stated[i] <= to)) tried.push({ values: stated, ...before })
  const tryValues = async (values: readonly number[]) => {
    const key = values.join(' ')
    if (known.has(key)) return
    known.add(key)
    const parameters = Object.fromEntries(vary.map(({ name }, i) => [name, values[i]]))
    tried.push({ values, ...(await errorsOf(await parseScene(source, file, parameters), column, dt)) })
    progress(tried.length / all)
  }
  let ranges = vary.map(({ from, to }) => [from, to] as const)
  let spacings: number[] = []
  for (let pass = 0; pass < passes; pass++) {
    const count = pass === 0 ? FIRST : NEXT
    // values are known no better than the last grid is fine
    spacings = ranges.map(([from, to]) => (to - from) / (count - 1))
    for (const values of grid(ranges, count)) await tryValues(values)
    const { values } = bestOf(tried)
    ranges = vary.map(({ from, to }, i) => {
      const reach = (to - from) / (FIRST - 1) / 2 ** pass
      return [Math.max(from, values[i] - reach), Math.min(to, values[i] + reach)] as const
    })
  }
  // how far values are alike shows over the whole range, and the last grids are narrow
  const { values: found } = bestOf(tried)
  for (const [i, { from, to }] of vary.entries())
    for (const [value] of grid([[from, to]], FIRST)) await tryValues(found.with(i, value))
  const best = bestOf(tried)
  const alike = best.values.map((_, i) => alikeIn(tried, best, i))
  const cases = best.errors.length
  const random = new Random(1)
  const draw = () => Array.from({ length: cases }, () => Math.floor(random.next() * cases))
  const redrawn = Array.from({ length: DRAWS }, () => bestOf(tried, draw()).values)
  return {
    column,
    values: best.values,
    deviations: alike.map(([low, high], i) =>
      Math.hypot(
        cases > 1 ? deviation(redrawn.map((values) => values[i])) : NaN,
        Math.max(spacings[i], high - low) / Math.sqrt(12),
      ),
    ),
    alike,
    error: mean(best.errors),
    errorBefore: mean(before.errors),
    medians: mediansOf(best.distances),
    mediansBefore: mediansOf(before.distances),
  }
}

async function errorsOf(scene: Scene, column: string, dt: number): Promise<Omit<Tried, 'values'>> {
  const distances: number[][] = []
  for (const [at, { measures }] of scene.cases.entries()) {
    const { status, values } = await trialOf({ scene, at, column, dt })
    distances.push(measures.map(({ nature }, m) => (status === 'measured' ? Math.abs(values[m] - nature) : Infinity)))
  }
  const errors = distances.map((ofCase, at) => mean(ofCase.map((off, m) => robust(off / scene.cases[at].measures[m].within))))
  return { errors, distances }
}

const robust = (r: number) => (Number.isFinite(r) ? (r * r) / (1 + r * r) : 1)

/** @param cases whose errors count, each as often as it is listed; default: all */
function bestOf(tried: readonly Tried[], cases?: readonly number[]): Tried {
  const errors = tried.map(({ errors }) => mean(cases?.map((at) => errors[at]) ?? errors))
  return tried[errors.indexOf(Math.min(...errors))]
}

/** The values of parameter i on either side of the best up to the first that is worse. */
function alikeIn(tried: readonly Tried[], best: Tried, i: number): readonly [number, number] {
  const line = tried
    .filter(({ values }) => values.every((value, k) => k === i || value === best.values[k]))
    .sort((a, b) => a.values[i] - b.values[i])
  const isWorse = ({ errors }: Tried) => mean(errors) > mean(best.errors) + ALIKE
  const at = line.findIndex(({ values }) => values[i] === best.values[i])
  const above = line.slice(at).findIndex(isWorse)
  const last = above < 0 ? line.length - 1 : at + above - 1
  const first = line.slice(0, at).findLastIndex(isWorse) + 1
  return [line[first].values[i], line[last].values[i]]
}

const grid = (ranges: readonly (readonly [number, number])[], count: number): number[][] =>
  ranges.reduce<number[][]>(
    (points, [from, to]) =>
      points.flatMap((point) =>
        Array.from({ length: count }, (_, i) => [...point, short(from + ((to - from) * i) / (count - 1))]),
      ),
    [[]],
  )

/** So that a value that several grids share is the same in all. */
const short = (value: number) => Number(value.toPrecision(12))

function deviation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((x) => (x - middle) ** 2)))
}

function mediansOf(distances: readonly (readonly number[])[]): number[] {
  return distances[0].map((_, m) => median(distances.map((ofCase) => ofCase[m])))
}
