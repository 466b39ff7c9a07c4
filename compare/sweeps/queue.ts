/** Chunks of large sweeps through a queue on Redis or Valkey (BullMQ), by any number of workers on any machine. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Job, Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { temporaryFolder } from '../../control/ownFiles.ts'
import { IdleThreads } from '../run/pool.ts'
import { SweepPlan } from '../run/sweepPlan.ts'
import { chunkText, rowsOf, type SweepFolder } from './folder.ts'
import { computeChunks, isIn, type Shard } from './shard.ts'
import { type PackableSweep, unpackSweep } from './spec.ts'

/** The queue cannot be had; the message says what to do. */
export class QueueError extends Error {
  override readonly name = 'QueueError'
}

/** Data of a job: a chunk of a sweep, by the hash of its bundle. */
interface ChunkData {
  readonly digest: string
  readonly chunk: number
}
interface ChunkAnswer {
  /** Its text under gzip, as base64. */
  readonly packed: string
  readonly seconds: number
}

const QUEUE = 'featherbed'
/** Chunks that wait in the queue, are under way or are not yet collected: as many cores are busy at most, and Redis holds no more than these. */
const WINDOW = 1024
/** Between two looks at the chunks under way [ms]. */
const PERIOD = 500
/** A worker that says nothing for so long has lost its chunk to another [ms]; looked for as often as the second says. */
const [LOCK, STALLED] = [15_000, 5_000]
/** Workers that one chunk may lose before it is given up, and times that it may fail by itself. */
const [MOST_STALLED, ATTEMPTS] = [100, 3]

/** Of a chunk's text, which has some 500 bytes a run. */
const MOST_BYTES = 1e8
/** A server's first answer is waited for so long [ms]. */
const FIRST = 5000
/** Between two reports of a chunk's progress [ms]. */
const TOLD = 2000
/** [s] */
const DAY = 86_400

const bundleKey = (queue: string, digest: string) => `${queue}:bundle:${digest}`
const idOf = ({ digest, chunk }: ChunkData) => `${digest}-${chunk}`
/** Without its password. */
const shownUrl = (url: string) => url.replace(/\/\/[^@/]*@/, '//***@')

async function packages() {
  try {
    const [bullmq, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')])
    return { ...bullmq, Redis }
  } catch (error) {
    throw new QueueError('the queue needs two packages that are not installed: npm install bullmq ioredis', { cause: error })
  }
}

/** A connection that waits for a server that restarts. @throws QueueError where none answers at first */
async function connect(url: string, note: (text: string) => void): Promise<Redis> {
  const { Redis } = await packages()
  if (!/^rediss?:\/\//.test(url)) throw new QueueError(`--redis found "${url}", expected redis://HOST:PORT, or rediss:// for TLS`)
  const redis = new Redis(url, { maxRetriesPerRequest: null, enableAutoPipelining: true })
  let reason = `no answer within ${FIRST / 1000} s`
  const first = (error: Error) => {
    reason = error.message
  }
  redis.on('error', first)
  // one that is just starting is waited for
  const ready = new Promise((resolve) => redis.once('ready', () => resolve(true)))
  if (!(await Promise.race([ready, sleep(FIRST, false, { ref: false })]))) {
    redis.disconnect()
    throw new QueueError(
      `${shownUrl(url)}: ${reason.replaceAll(url, shownUrl(url))}; is Redis running there? redis-server --appendonly yes starts one`,
    )
  }
  let isDown = false
  redis.off('error', first).on('error', () => {
    if (!isDown) note(`${shownUrl(url)} does not answer; waiting for it`)
    isDown = true
  })
  redis.on('ready', () => {
    if (isDown) note(`${shownUrl(url)} answers again`)
    isDown = false
  })
  return redis
}

interface QueueOptions {
  readonly url: string
  /** Name of the queue on the server. */
  readonly queue?: string
  readonly note: (text: string) => void
}

/**
 * Has workers compute all chunks of a shard that a folder lacks, and collects them there.
 *
 * @param progress called with the part of all chunks that is done
 * @returns chunks that no worker could compute, with the reason of each
 * @throws QueueError
 */
export async function computeOnQueue(
  { plan, missing, pack }: PackableSweep,
  folder: SweepFolder,
  shard: Shard,
  { url, queue: name = QUEUE, note, progress }: QueueOptions & { readonly progress: (fraction: number) => void },
): Promise<ReadonlyMap<number, string>> {
  if (missing.length > 0)
    throw new QueueError(
      `${missing.join(', ')}: outside of the robot's folders, so that it cannot be sent to workers; --root names its folder`,
    )
  const { Queue } = await packages()
  const redis = await connect(url, note)
  const queue = new Queue<ChunkData, ChunkAnswer>(name, { connection: redis })
  queue.on('error', () => {}) // of the connection, which waits
  const { digest } = plan.spec
  const text = pack()
  const failed = new Map<number, string>()
  try {
    const pending = new Set<number>()
    let next = 0
    let done = 0
    for (;;) {
      await keepBundle(redis, bundleKey(name, digest), text)
      const added: number[] = []
      for (; pending.size < WINDOW && next < plan.chunks; next++) {
        if (!isIn(shard, next)) continue
        if (folder.has(next)) done++
        else {
          pending.add(next)
          added.push(next)
        }
      }
      await add(queue, digest, added)
      if (pending.size === 0) break
      const lost: number[] = []
      const jobs = await Promise.all(
        [...pending].map(async (chunk) => [chunk, await queue.getJob(idOf({ digest, chunk }))] as const),
      )
      for (const [chunk, job] of jobs) {
        if (job === undefined) lost.push(chunk)
        else if (!job.finishedOn) continue
        else if (collect(folder, chunk, job)) done++
        else failed.set(chunk, job.failedReason || 'what a worker sent is no whole chunk')
        if (job === undefined) continue
        pending.delete(chunk)
        // with its last word read, or to be added again by the next command
        await job.remove().catch(() => {})
      }
      await add(queue, digest, lost)
      progress((done * shard.n) / plan.chunks)
      if (pending.size > 0) await sleep(PERIOD)
    }
    // other shards may still need it: it goes a day after the last of them asked for it
    await (shard.n === 1 ? redis.del(bundleKey(name, digest)) : redis.expire(bundleKey(name, digest), DAY))
  } finally {
    await queue.close()
    redis.disconnect()
  }
  return failed
}

/** A server that lost its data gets it again. */
async function keepBundle(redis: Redis, key: string, text: string): Promise<void> {
  if ((await redis.exists(key)) === 0) await redis.set(key, text)
}

/** Adding a chunk that is there already does nothing. */
async function add(queue: Queue<ChunkData, ChunkAnswer>, digest: string, chunks: readonly number[]): Promise<void> {
  if (chunks.length === 0) return
  const opts = { attempts: ATTEMPTS, backoff: { type: 'fixed', delay: 1000 } } as const
  await queue.addBulk(
    chunks.map((chunk) => ({ name: 'chunk', data: { digest, chunk }, opts: { ...opts, jobId: idOf({ digest, chunk }) } })),
  )
}

/** @returns whether it holds a whole chunk, which is then on disk @throws OutputError */
function collect(folder: SweepFolder, chunk: number, { returnvalue }: Job<ChunkData, ChunkAnswer>): boolean {
  let text: string
  try {
    text = gunzipSync(Buffer.from(returnvalue.packed, 'base64'), { maxOutputLength: MOST_BYTES }).toString()
    rowsOf(text, folder.head, '')
  } catch {
    return false
  }
  folder.writeText(chunk, text, returnvalue.seconds)
  return true
}

/**
 * Computes chunks of whatever sweeps are in the queue, until it is closed.
 *
 * @param isTrusted whether scripts of sweeps run with the rights of this process; otherwise in a sandbox
 * @param threads chunks at a time
 */
export async function serveQueue(
  { url, queue: name = QUEUE, note }: QueueOptions,
  { featherbed, isTrusted, threads }: { readonly featherbed: string; readonly isTrusted: boolean; readonly threads: number },
): Promise<{ readonly close: () => Promise<void> }> {
  const { Worker } = await packages()
  const redis = await connect(url, note)
  const idle = new IdleThreads()
  const folder = await temporaryFolder()
  const plans = new Map<string, Promise<SweepPlan>>()
  const fetched = async (digest: string) => {
    const text = await redis.get(bundleKey(name, digest))
    if (text === null) throw new Error('its bundle is not on the server any more')
    return SweepPlan.of(await unpackSweep(text, digest, join(folder, digest), featherbed, isTrusted))
  }
  const planOf = (digest: string) => {
    const plan = plans.get(digest) ?? fetched(digest)
    plans.set(digest, plan)
    plan.catch(async () => {
      plans.delete(digest)
      await rm(join(folder, digest), { recursive: true, force: true })
    })
    return plan
  }
  const compute = async (job: Job<ChunkData, ChunkAnswer>): Promise<ChunkAnswer> => {
    const { digest, chunk } = job.data
    const plan = await planOf(digest)
    let told = 0
    // shown by dashboards of the queue
    const progress = (fraction: number) => {
      if (performance.now() - told < TOLD) return
      told = performance.now()
      job.updateProgress(Math.round(100 * fraction)).catch(() => {})
    }
    let answer: ChunkAnswer | undefined
    await computeChunks(plan, [chunk], { threads: 1, idle, progress }, (_, { rows, seconds }) => {
      answer = { packed: gzipSync(chunkText(rows)).toString('base64'), seconds }
    })
    return answer as ChunkAnswer
  }
  const options = { lockDuration: LOCK, stalledInterval: STALLED, maxStalledCount: MOST_STALLED }
  const worker: Worker = new Worker<ChunkData, ChunkAnswer>(name, compute, {
    connection: redis,
    concurrency: threads,
    ...options,
  })
  worker.on('error', () => {})
  worker.on('failed', (job, error) => note(`chunk ${job?.data.chunk} of ${job?.data.digest}: ${error.message}`))
  return {
    close: async () => {
      await worker.close()
      await idle.end()
      redis.disconnect()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
