/** Computes chunks of a large sweep on the threads of this machine. */

import type { ChunkResult } from '../run/chunk.ts'
import { doChunk } from '../run/chunk.ts'
import { type PoolOptions, runJobs } from '../run/pool.ts'
import type { ChunkJob, Outcome } from '../run/run.ts'
import type { SweepPlan } from '../run/sweepPlan.ts'

/** Which chunks: every n-th, from the i-th on, both counted from 1. */
export interface Shard {
  readonly i: number
  readonly n: number
}

export const isIn = ({ i, n }: Shard, chunk: number) => chunk % n === i - 1

/**
 * Computes chunks, and hands on each when it is there. Where a thread ends or hangs, the chunk's runs are made one by one, so that one
 * run alone fails.
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
  const broken: number[] = []
  await runJobs(jobs, {
    ...pool,
    done: (k, { chunk }) => {
      if (chunk === null) broken.push(chunks[k])
      else done(chunks[k], chunk)
    },
  })
  for (const chunk of broken) {
    const alone = { ...pool, threads: pool.threads === 0 ? 0 : 1, progress: undefined }
    done(chunk, await doChunk(plan, chunk, async (job) => (await runJobs([job], alone))[0] as Outcome))
  }
}
