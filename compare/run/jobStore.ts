/** Outcomes of finished jobs on disk, so that a comparison that was interrupted goes on where it was. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { controllerFiles } from '../../control/files.ts'
import type { Robot } from '../../robots/index.ts'
import { OutputError, reasonOf, writeWhole } from '../recording/wholeFile.ts'
import type { RobotCache } from '../scenario/world/files.ts'
import { isWorld, type Job, type Outcome, type WorldJob } from './run.ts'
import type { RowName } from './sweepRows.ts'

/** One finished run, as far as it is known without its reference. */
export type FinishedRun = Pick<Outcome, 'status' | 'failure' | 'hash' | 'metrics' | 'laws'> &
  Pick<RowName, 'robot' | 'model' | 'dt' | 'seed'>

/**
 * A file a job, named after the hash of all that its outcome depends on: the job, the robots and files that it reads, and the version of
 * this package. Times are taken again. In front of each outcome stands its own hash, so that none is read that was cut short or changed.
 */
export class JobStore {
  /** Of this comparison, in the order in which they were done. */
  readonly runs: FinishedRun[] = []
  /** Why the last outcome that could not be kept was not, or ''; its run is done again when the comparison goes on. */
  failure = ''
  /** Called when one more was kept. */
  onKept = () => {}
  private readonly folder: string
  private readonly version: string
  private robots = ''
  private readonly hashes = new WeakMap<Robot, string>()
  /** Of each file that a scenario names, and of its imports. */
  private files = new Map<string, string>()

  /** @param resumes whether a kept state is continued; else it is removed @throws OutputError if the folder cannot be made */
  constructor(folder: string, version: string, resumes: boolean) {
    this.folder = folder
    this.version = version
    try {
      if (!resumes) this.remove()
      mkdirSync(folder, { recursive: true })
    } catch (error) {
      throw new OutputError(
        `${folder}: finished runs cannot be kept there (${reasonOf(error)}); remove it, or choose another --out`,
        {
          cause: error,
        },
      )
    }
  }

  /** Call it before jobs with all robots that they read. */
  async reads(robots: RobotCache, jobs: readonly Job[]): Promise<void> {
    const scenarios = new Set(jobs.flatMap((job) => (isWorld(job) ? job.scenario : [])))
    const named = new Set([...scenarios].flatMap((scenario) => [...filesIn(scenario)]))
    this.files = new Map(await Promise.all([...named].map(async (file) => [file, await hashOfFile(file)] as const)))
    const all: string[] = []
    for (const [key, loading] of robots) {
      const robot = await loading
      const hash = this.hashes.get(robot) ?? hashOf(serialize(robot))
      this.hashes.set(robot, hash)
      all.push(key, hash)
    }
    this.robots = all.join(' ')
  }

  /** The outcome of this job if it was kept; a file that was cut short or changed counts as none. */
  load(job: Job): Outcome | undefined {
    if (!isWorld(job)) return undefined
    const file = this.fileOf(job)
    if (!existsSync(file)) return undefined
    try {
      const bytes = readFileSync(file)
      const body = bytes.subarray(HASH)
      if (!sha256(body).equals(bytes.subarray(0, HASH))) return undefined
      const outcome = deserialize(body) as Outcome
      this.note(job, outcome)
      return outcome
    } catch {
      return undefined
    }
  }

  /** A job that was never begun, or was broken off from outside, is not kept: it may end otherwise the next time. */
  keep(job: Job, outcome: Outcome): void {
    if (!isWorld(job) || (outcome.status === 'failed' && outcome.hash === '')) return
    const body = serialize(outcome)
    try {
      writeWhole(this.fileOf(job), Buffer.concat([sha256(body), body]), false)
    } catch (error) {
      this.failure = (error as Error).message // the result is there all the same
      return
    }
    this.note(job, outcome)
    this.onKept()
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  private note(job: WorldJob, { status, failure, hash, metrics, laws }: Outcome): void {
    const { kind, robot, model, dt, scenario } = job
    if (kind === 'run' && job.nudge === undefined)
      this.runs.push({ robot, model: model.name, dt, seed: scenario.seed, status, failure, hash, metrics, laws })
  }

  private fileOf(job: WorldJob): string {
    const files = [...filesIn(job.scenario)].map((file) => this.files.get(file) ?? '')
    return join(this.folder, hashOf(serialize([this.version, this.robots, files, job])))
  }
}

/** Bytes of a hash. */
const HASH = 32
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest()
const hashOf = (data: Uint8Array) => sha256(data).toString('hex')

/** Of a script all that it imports counts too, and of a policy its network. '' for a file that cannot be read: its runs say why. */
async function hashOfFile(file: string): Promise<string> {
  if (!existsSync(file)) return ''
  const own = hashOf(readFileSync(file))
  if (!/\.(ts|mts|js|mjs|onnx|ya?ml)$/.test(file)) return own
  const imported = await controllerFiles(file).catch(() => undefined)
  return imported === undefined ? own : hashOf(serialize([...imported.files.values()].map(hashOf)))
}

/** Every file that a scenario names: controllers and meshes. */
function* filesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
  for (const [key, field] of Object.entries(value)) {
    if (key === 'file' && typeof field === 'string') yield field
    else yield* filesIn(field)
  }
}
