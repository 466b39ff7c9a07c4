/** Computes chunks of a large sweep on the threads of this machine. */
import { availableParallelism } from 'node:os'
import { type ChunkResult, doChunk } from '../run/chunk.ts'
import { type PoolOptions, runJobs } from '../run/pool.ts'
import { type ChunkJob, type RunJob, scriptsOf } from '../run/run.ts'
import type { SweepPlan } from '../run/sweepPlan.ts'

/** Which chunks: every n-th, from the i-th on, both counted from 1. */
export interface Shard {
  readonly i: number
  readonly n: number
}

export const isIn = ({ i, n }: Shard, chunk: number) => chunk % n === i - 1

/**
 * Computes chunks, and hands on each when it is there. Runs of scripts are jobs of their own, after each of which is looked at what it left
 * behind; others are made a chunk at a time. Where a thread ends or hangs, the chunk's runs are made one by one, so that one run alone
 * fails.
 *
 * @param done called with each chunk's rows
 */
export async function computeChunks(
  plan: SweepPlan,
  chunks: readonly number[],
  options: Omit<PoolOptions, 'patience' | 'done' | 'store'>,
  done: (chunk: number, result: ChunkResult) => void,
): Promise<void> {
  const { spec, base } = plan
  const pool = { ...options, patience: base.patience }
  const scenario = { ...base, seeds: base.seeds.slice(0, 1) }
  const jobs = chunks.map((chunk): ChunkJob => ({ kind: 'chunk', spec, chunk, scenario }))
  const single: number[] = []
  if (hasScripts(plan)) single.push(...chunks)
  else
    await runJobs(jobs, {
      ...pool,
      done: (k, { chunk }) => {
        if (chunk === null) single.push(chunks[k])
        else done(chunks[k], chunk)
      },
    })
  const count = single.length
  const { threads = Math.min(8, availableParallelism()), progress } = options
  const alone = { ...pool, threads: Math.min(1, threads), progress: undefined }
  const run = async (job: RunJob) => (await runJobs([job], alone))[0]
  const lane = async () => {
    for (let chunk = single.shift(); chunk !== undefined; chunk = single.shift()) {
      done(chunk, await doChunk(plan, chunk, run))
      progress?.(1 - single.length / count)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, threads) }, lane))
}

/** Whether any cell has a script. */
const hasScripts = ({ base, combinations }: SweepPlan) =>
  scriptsOf(base).length > 0 || combinations.paths.some((path) => /^(controller|companions)(\.|$)/.test(path))
