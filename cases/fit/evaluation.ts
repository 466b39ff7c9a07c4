/** Errors of a scene's cases under one column for given parameters: what a fit makes small. */
import { mean } from '../../compare/measure/statistics.ts'
import { type Scenario, ScenarioError } from '../../compare/scenario/index.ts'
import { SetupError } from '../../compare/scenario/world/files.ts'
import { UnsupportedScene } from '../../engines/index.ts'
import { type PathMeasure, parseScene, type Scene, type SceneCase } from '../scene.ts'
import { trialOf } from '../trial.ts'
import { guessOf, type PathRun, PathWorld, widthOf } from './paths.ts'

/** Differences below this, in scales or in noises, weigh as if they were so large. */
const ROUND = 0.02

/** A case under some parameters. */
export interface CaseError {
  /** Mean over the path of its distances over their scales, or of log(1 + distance / noise); of measures from 0, as nature, to 1, nothing alike. */
  readonly error: number
  /** Per measure its distance from nature, over a path the mean; in its unit, % being of its scale. */
  readonly distances: readonly number[]
  /** The error is the sum of weights times squares of these; the weights make it that of a robust loss (iteratively reweighted least squares). */
  readonly residuals: Float64Array
  readonly weights: Float64Array
  readonly run: PathRun | undefined
}

/** One point of a search: a scene with these values for its parameters, under a column. */
export interface PointJob {
  readonly source: string
  readonly file: string
  readonly column: string
  /** [s] */
  readonly dt: number
  readonly values: Readonly<Record<string, number>>
  /** Indices of the scene's cases; default: all. */
  readonly cases?: readonly number[]
  /** Whether residuals and runs are wanted; else they are empty. */
  readonly isFull?: boolean
}

/** The errors of the cases asked for; or, structured-cloneable, why the scene cannot be. */
export async function evaluate(job: PointJob): Promise<readonly CaseError[] | { readonly problems: readonly string[] }> {
  const worlds = new Map<Scenario, PathWorld>()
  try {
    const scene = await parseScene(job.source, job.file, job.values)
    const errors: CaseError[] = []
    for (const at of job.cases ?? scene.cases.keys()) {
      const one = await caseAt(scene, at, job, worlds)
      errors.push(job.isFull ? one : { ...one, residuals: none, weights: none, run: undefined })
    }
    return errors
  } catch (error) {
    if (error instanceof ScenarioError) return { problems: error.problems }
    if (error instanceof UnsupportedScene)
      return { problems: [`${job.column} cannot run this scene: it has no ${error.message}`] }
    if (error instanceof SetupError) return { problems: [error.message] }
    throw error
  } finally {
    for (const world of worlds.values()) world.delete()
  }
}

const none = new Float64Array(0)

async function caseAt(scene: Scene, at: number, { column, dt }: PointJob, worlds: Map<Scenario, PathWorld>): Promise<CaseError> {
  const { scenario, path, measures } = scene.cases[at]
  if (path === undefined) {
    const { status, why, values } = await trialOf({ scene, at, column, dt })
    if (status === 'blocked') throw new UnsupportedScene(why)
    const distances = measures.map(({ nature }, m) => (status === 'measured' ? values[m] - nature : Infinity))
    const residuals = Float64Array.from(distances, (off, m) => bounded(off / measures[m].within))
    const weights = residuals.map(() => 1 / residuals.length)
    return { error: mean(residuals.map((r) => r * r)), distances: distances.map(Math.abs), residuals, weights, run: undefined }
  }
  const world = worlds.get(scenario) ?? (await PathWorld.of(scenario, path.of, column, dt))
  worlds.set(scenario, world)
  const run = world.run(path, path.start === undefined ? undefined : guessOf(world.state, path))
  return { ...pathError(run, scene.cases[at]), run }
}

/** r / sqrt(1 + r²): a case that goes another way altogether, as chaotic ones do, counts as one and no more (Geman and McClure, 1985). */
const bounded = (r: number) => (Number.isFinite(r) ? r / Math.sqrt(1 + r * r) : 1)

function pathError({ differences }: PathRun, { path }: SceneCase): Omit<CaseError, 'run'> {
  const of = path?.of ?? []
  const widths = of.map(widthOf)
  const noises = of.map(({ noise, scale }) => (noise === undefined ? undefined : noise / scale))
  const samples = differences.length / widths.reduce((sum, one) => sum + one, 0)
  const each = 1 / (samples * widths.length)
  const sums = widths.map(() => 0)
  let error = 0
  const weights = new Float64Array(differences.length)
  for (let i = 0, at = 0; i < samples; i++) {
    for (const [m, n] of widths.entries()) {
      let square = 0
      for (let k = 0; k < n; k++) square += differences[at + k] ** 2
      const size = Math.sqrt(square)
      sums[m] += size / samples
      const noise = noises[m]
      error += each * (noise === undefined ? size : Math.log1p(size / noise))
      // squares of differences with these weights have the gradient of the error (iteratively reweighted least squares)
      const round = ROUND * (noise ?? 1)
      const weight = each / Math.max(size, round) / (noise === undefined ? 1 : noise + size)
      for (let k = 0; k < n; k++) weights[at++] = weight
    }
  }
  return { error, residuals: differences, weights, distances: sums.map((sum, m) => sum * unitOf(of[m])) }
}

/** The scale in the unit that is shown. */
const unitOf = ({ unit, scale, isTurn }: PathMeasure): number =>
  unit === '%' ? 100 : isTurn && unit === 'deg' ? (180 / Math.PI) * scale : scale
