/** A large sweep as data: its cells in their order, and the chunks that it is computed in. */
import { createHash } from 'node:crypto'
import { dirname, isAbsolute, relative, sep } from 'node:path'
import { type Combinations, checkSweep, type ModelChoice, type RawScenario, type Scenario } from '../scenario/index.ts'
import { mapPaths, resolvePaths, strangers, subjectsOf, takenFromFile } from '../scenario/world/files.ts'

/** What a thread on any machine needs to make every run of a sweep. Structured-cloneable. */
export interface SweepSpec {
  /** As its file and the command line state it. */
  readonly raw: RawScenario
  /** Path of the scenario file, from which its paths start. */
  readonly file: string
  /** Where files are instead, by their path from the scenario's folder; of a sweep that was sent. */
  readonly moved?: Readonly<Record<string, string>>
  /** Of one whose scripts are not trusted: the folders below which its files lie. */
  readonly border?: readonly string[]
  /** Of one whose scripts are not trusted: what its own limits count up to. */
  readonly limits?: RunLimits
  /** Hash of all that a run's outcome depends on, but for the values of its cell and its seed. */
  readonly digest: string
}

export type RunLimits = Pick<Scenario, 'patience' | 'memory' | 'stepBudget'>

/** A robot under a model at a step, with one combination of values, and all of its seeds. */
export interface SweepCell {
  readonly index: number
  readonly combination: number
  /** Of the base scenario's subjects. */
  readonly subject: number
  readonly model: string
  readonly dt: number
}

/** Runs of a chunk at most, but for cells of more seeds. */
const CHUNK_RUNS = 200

/** Path of a file as any machine may state it. */
export const slashed = (path: string) => (sep === '/' ? path : path.replaceAll(sep, '/'))
export const besideOf = (file: string, path: string) => slashed(relative(dirname(file), path))

/** Indexing of a sweep's cells and chunks; identical on every machine. */
export class SweepPlan {
  readonly spec: SweepSpec
  readonly combinations: Combinations
  /** Without the values of any cell. */
  readonly base: Scenario
  readonly cells: number
  readonly cellsPerChunk: number
  readonly chunks: number
  private readonly sizes: readonly number[]
  /** The last combination: its models and steps are cells in a row. */
  private last: { combination: number; made: ReturnType<SweepPlan['make']> } | undefined

  private constructor(spec: SweepSpec, combinations: Combinations, base: Scenario) {
    const { kinds } = combinations
    this.spec = spec
    this.combinations = combinations
    this.base = base
    const worlds = subjectsOf(base).length * base.dt.length
    this.sizes = kinds.map(({ paths, models }) => combinations.sizeOf(paths) * models.length * worlds)
    const groups = combinations.count / kinds.reduce((sum, { paths }) => sum + combinations.sizeOf(paths), 0)
    this.cells = groups * this.groupSize
    this.cellsPerChunk = Math.max(1, Math.floor(CHUNK_RUNS / base.seeds.length))
    this.chunks = Math.ceil(this.cells / this.cellsPerChunk)
  }

  /** @throws ScenarioError */
  static async of(spec: SweepSpec, combinations?: Combinations): Promise<SweepPlan> {
    const own = combinations ?? (await checkSweep(spec.raw))
    return new SweepPlan(spec, own, await placed(own.base, spec))
  }

  /** If every seed is run. */
  get runs(): number {
    return this.cells * this.base.seeds.length
  }

  private get groupSize(): number {
    return this.sizes.reduce((a, b) => a + b)
  }

  /** The cells of a chunk. */
  cellsOf(chunk: number): SweepCell[] {
    const first = chunk * this.cellsPerChunk
    return Array.from({ length: Math.min(this.cellsPerChunk, this.cells - first) }, (_, i) => this.cell(first + i))
  }

  private cell(index: number): SweepCell {
    const { combinations, base, sizes } = this
    const { kinds } = combinations
    const group = Math.floor(index / this.groupSize)
    let rest = index % this.groupSize
    let before = 0
    const k = sizes.findIndex((size, i) => {
      if (rest < size) return true
      rest -= size
      before += combinations.sizeOf(kinds[i].paths)
      return false
    })
    const { models } = kinds[k]
    const take = (count: number) => {
      const own = rest % count
      rest = Math.floor(rest / count)
      return own
    }
    const dt = base.dt[take(base.dt.length)]
    const model = models[take(models.length)]
    const subject = take(subjectsOf(base).length)
    const perGroup = kinds.reduce((sum, { paths }) => sum + combinations.sizeOf(paths), 0)
    return { index, combination: group * perGroup + before + rest, subject, model, dt }
  }

  /** The scenario of a combination with the paths of this machine. @throws ScenarioError */
  scenarioOf(combination: number): Promise<Scenario> {
    if (this.last?.combination !== combination) this.last = { combination, made: this.make(combination) }
    return this.last.made
  }

  private async make(combination: number): Promise<Scenario> {
    return this.placed((await this.combinations.at(combination)).scenario)
  }

  /** The scenario with the paths of this machine, and with no more trust than the sweep has. */
  placed(scenario: Scenario): Promise<Scenario> {
    return placed(scenario, this.spec)
  }

  /** Name of a run: the hash of its whole configuration. */
  runName(values: Readonly<Record<string, unknown>>, { subject, dt }: SweepCell, model: ModelChoice, seed: number): string {
    const text = JSON.stringify([this.spec.digest, values, subject, model, dt, seed])
    return createHash('sha256').update(text).digest('hex').slice(0, NAME)
  }
}

/** Digits of a run's name: 128 bits. */
const NAME = 32

async function placed(scenario: Scenario, { file, moved, border, limits }: SweepSpec): Promise<Scenario> {
  const resolved = resolvePaths({ ...scenario, sample: undefined }, file)
  const here = (path: string) => moved?.[besideOf(file, path)] ?? moved?.[path] ?? path
  const robot = (source: string) => (isAbsolute(source) ? here(source) : (moved?.[source] ?? source))
  const found = moved ? mapPaths(resolved, { robot, file: here, folder: here }) : resolved
  const own = border ? strangers(found, border) : found
  const names = Object.keys(limits ?? {}) as (keyof RunLimits)[]
  const bounded = Object.fromEntries(names.map((name) => [name, Math.min(own[name], (limits as RunLimits)[name])]))
  return takenFromFile({ ...own, ...bounded })
}
