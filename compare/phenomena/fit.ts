/** Parameters of a scene that bring a contact model nearest to what nature did in it: friction and restitution from a log, say. */
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
  /** One standard deviation each, from leaving out one case after the other (jackknife) and the spacing of the search; NaN with a single case. */
  readonly deviations: readonly number[]
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
  const all = FIRST ** vary.length + (passes - 1) * NEXT ** vary.length
  const tried: Tried[] = []
  const known = new Set<string>()
  const scene = await parseScene(source, file)
  const before = await errorsOf(scene, column, dt)
  const stated = vary.map(({ name }) => Number(scene.parameters[name]))
  if (stated.every(Number.isFinite)) tried.push({ values: stated, ...before })
  let ranges = vary.map(({ from, to }) => [from, to] as const)
  for (let pass = 0; pass < passes; pass++) {
    const count = pass === 0 ? FIRST : NEXT
    for (const values of grid(ranges, count)) {
      const key = values.join(' ')
      if (known.has(key)) continue
      known.add(key)
      const parameters = Object.fromEntries(vary.map(({ name }, i) => [name, values[i]]))
      tried.push({ values, ...(await errorsOf(await parseScene(source, file, parameters), column, dt)) })
      progress(tried.length / all)
    }
    const { values } = bestOf(tried)
    ranges = vary.map(({ from, to }, i) => {
      const reach = (to - from) / (FIRST - 1) / 2 ** pass
      return [Math.max(from, values[i] - reach), Math.min(to, values[i] + reach)] as const
    })
  }
  const best = bestOf(tried)
  const cases = best.errors.length
  // values are known no better than the last grid is fine
  const spacings = ranges.map(([from, to]) => (to - from) / (NEXT - 1))
  const without = Array.from({ length: cases }, (_, left) => bestOf(tried, left).values)
  return {
    column,
    values: best.values,
    deviations: best.values.map((_, i) => Math.hypot(jackknife(without.map((values) => values[i])), spacings[i] / Math.sqrt(12))),
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

const mean = (list: readonly number[]) => list.reduce((sum, x) => sum + x, 0) / list.length

function bestOf(tried: readonly Tried[], left = -1): Tried {
  const errorOf = ({ errors }: Tried) => mean(errors.filter((_, at) => at !== left))
  return tried.reduce((best, one) => (errorOf(one) < errorOf(best) ? one : best))
}

const grid = (ranges: readonly (readonly [number, number])[], count: number): number[][] =>
  ranges.reduce<number[][]>(
    (points, [from, to]) =>
      points.flatMap((point) => Array.from({ length: count }, (_, i) => [...point, from + ((to - from) * i) / (count - 1)])),
    [[]],
  )

/** The standard deviation of what all cases say, from what all but one say. */
function jackknife(values: readonly number[]): number {
  const n = values.length
  if (n < 2) return NaN
  const middle = mean(values)
  return Math.sqrt(((n - 1) / n) * values.reduce((sum, x) => sum + (x - middle) ** 2, 0))
}

function mediansOf(distances: readonly (readonly number[])[]): number[] {
  return distances[0].map((_, m) => {
    const sorted = distances.map((ofCase) => ofCase[m]).sort((a, b) => a - b)
    const half = sorted.length >> 1
    return sorted.length % 2 === 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half])
  })
}
