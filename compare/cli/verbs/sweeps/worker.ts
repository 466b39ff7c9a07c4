import { availableParallelism } from 'node:os'
import { serveQueue } from '../../../sweeps/queue.ts'
import { whenInterrupted } from '../../atEnd.ts'
import { UsageError } from '../../errors.ts'
import { note } from '../../terminal.ts'
import type { FlagsOf, Verb } from '../../verb.ts'
import { version } from '../../version.ts'
import { threadsOf } from '../compare.ts'

const flags = {
  '--redis <url>':
    'the server of the queue: redis://HOST:PORT, with USER:PASSWORD@ where it asks, rediss:// for TLS (default: FEATHERBED_REDIS)',
  '--queue <name>': 'name of the queue on that server (default: featherbed)',
  '--threads <n>': 'chunks at a time (default: one per processor, at most 8)',
  '--trust': 'trust whoever fills the queue: controller scripts run with your rights (default: in a sandbox)',
} as const

export const verb: Verb = {
  example:
    '  featherbed worker --redis redis://127.0.0.1:6379\n' +
    '  featherbed worker --redis rediss://user:password@queue.example:6380 --threads 4\n\n' +
    'Computes chunks of the sweeps that featherbed sweep --redis puts there, until it is interrupted; the chunk under way is finished first.\n' +
    'Any number of workers may serve a queue, and each may end at any time. They and the sweep are of the same version.',
  flags,
  run: worker,
}

async function worker({
  redis = process.env.FEATHERBED_REDIS,
  queue,
  trust,
  quiet,
  threads: asked,
}: FlagsOf<typeof flags>): Promise<void> {
  if (redis === undefined) throw new UsageError('no queue is named; give --redis redis://HOST:PORT, or set FEATHERBED_REDIS')
  const threads = threadsOf({ threads: asked }) ?? Math.min(8, availableParallelism())
  const serving = await serveQueue({ url: redis, queue, note }, { featherbed: version, isTrusted: trust === true, threads })
  if (!quiet) note(`serving with ${threads} ${threads === 1 ? 'thread' : 'threads'}`)
  await new Promise<void>((resolve) => {
    const calm = whenInterrupted(() => {
      calm()
      resolve()
    })
  })
  await serving.close()
}
