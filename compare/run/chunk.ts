/** The runs of one chunk of a large sweep, in their order. */
import { performance } from 'node:perf_hooks'
import { ScenarioError } from '../scenario/index.ts'
import { subjectsOf } from '../scenario/world/files.ts'
import { Decision } from './decision.ts'
import { failed, type Outcome, type RunJob } from './run.ts'
import { type SweepCell, SweepPlan, type SweepSpec } from './sweepPlan.ts'
import { rowOf, type SweepRow } from './sweepRows.ts'

/** Rows, and what is no part of them. */
export interface ChunkResult {
  readonly rows: readonly SweepRow[]
  /** Of computing, for all of its runs [s]. */
  readonly seconds: number
}

/** The sweeps that this thread has read. */
const plans = new Map<string, Promise<SweepPlan>>()

export function planOf(spec: SweepSpec): Promise<SweepPlan> {
  const plan = plans.get(spec.digest) ?? SweepPlan.of(spec)
  plans.set(spec.digest, plan)
  return plan
}

/**
 * Makes the rows of a chunk. A cell ends before its last seed where `decide` is stated and its success is decided.
 *
 * @param run makes one run; never throws
 * @param done called with the part of the chunk that is done
 */
export async function doChunk(
  plan: SweepPlan,
  chunk: number,
  run: (job: RunJob) => Promise<Outcome>,
  done: (fraction: number) => void = () => {},
): Promise<ChunkResult> {
  const start = performance.now()
  const cells = plan.cellsOf(chunk)
  const rows: SweepRow[] = []
  const { seeds } = plan.base
  for (const [i, cell] of cells.entries()) {
    const of = await jobsOf(plan, cell)
    const decision = plan.base.decide && new Decision(plan.base.decide)
    for (const [s, seed] of seeds.entries()) {
      const { job, name } = of(seed)
      const outcome = job instanceof Error ? failed(job.message) : await run(job)
      rows.push(rowOf(plan, name, outcome))
      done((i + (s + 1) / seeds.length) / cells.length)
      if (decision?.isDecidedBy(outcome.outcome?.success === true)) break
    }
  }
  return { rows, seconds: (performance.now() - start) / 1000 }
}

/** The runs of a cell by their seeds; an error in place of a run whose values no scenario may have. */
async function jobsOf(plan: SweepPlan, cell: SweepCell) {
  const { combination, subject, model: modelName, dt, index } = cell
  const made = await plan.scenarioOf(combination).catch((error: Error) => {
    if (error instanceof ScenarioError) return error
    throw error
  })
  const { values } = plan.combinations.entry(combination)
  const own = made instanceof Error ? plan.base : made
  const model = own.models.find(({ name }) => name === modelName) ?? { name: modelName, options: {} }
  const robot = subjectsOf(own)[subject]
  // as the scenario's file names it, which is the same on every machine
  const robotName = subjectsOf(plan.combinations.base)[subject]
  return (seed: number) => {
    const job = made instanceof Error ? made : ({ kind: 'run', scenario: { ...own, seed }, robot, model, dt } as RunJob)
    const run = plan.runName(values, cell, model as RunJob['model'], seed)
    return { job, name: { run, cell: index, robot: robotName, model: modelName, dt, values, seed } }
  }
}
