import { cpus } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { counted } from '../../../measure/numbers.ts'
import { IdleThreads } from '../../../run/pool.ts'
import type { SweepPlan } from '../../../run/sweepPlan.ts'
import { headOf, SweepFolder } from '../../../sweeps/folder.ts'
import { Merged, type Written, writeMerged } from '../../../sweeps/merge.ts'
import { computeOnQueue } from '../../../sweeps/queue.ts'
import { computeChunks, isIn, type Shard } from '../../../sweeps/shard.ts'
import { type PackableSweep, sweepOf } from '../../../sweeps/spec.ts'
import { codeOf, whenInterrupted } from '../../atEnd.ts'
import { exitCodes, UsageError } from '../../errors.ts'
import { io } from '../../io.ts'
import { outputFolder } from '../../output.ts'
import { isScenarioFile, rawSweepOf, scenarioFlags } from '../../scenarioArguments.ts'
import { note, Progress, paintFor } from '../../terminal.ts'
import { type FlagsOf, jobFlags, type Verb } from '../../verb.ts'
import { version } from '../../version.ts'
import { threadsOf } from '../compare.ts'

const flags = {
  ...scenarioFlags,
  '--models <a,b|all>': "contact models (default: the scenario's)",
  '--dt <a,b>': "time steps (default: the scenario's)",
  '--out <dir>': { meaning: 'folder of the chunks, and of the merged results', isRequired: true },
  '--shard <i/n>': 'compute every n-th chunk, from the i-th on, as one of n machines; featherbed merge makes one result of all',
  '--redis <url>': 'have workers compute (featherbed worker): redis://HOST:PORT, rediss:// for TLS',
  '--queue <name>': 'name of the queue on that server (default: featherbed)',
  ...jobFlags,
} as const
export type SweepFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed sweep docs/examples/scale/brake.yaml --out results\n' +
    '  featherbed sweep docs/examples/scale/brake.yaml --shard 3/8 --out shard3\n' +
    '  featherbed sweep docs/examples/scale/brake.yaml --redis redis://127.0.0.1:6379 --out results\n\n' +
    "Runs every combination of a scenario's sweep, every draw of its sample and every seed, any number of them, without references and\n" +
    'verdicts: a row a run, with its metrics, broken laws, measures and success (docs/scale.md). The rows have the same bits by threads,\n' +
    'by shards and by workers. Exit code 1 if a chunk could not be computed.',
  flags,
  run: sweep,
}

export async function sweep(scenario: string, flags: SweepFlags): Promise<void> {
  if (!isScenarioFile(scenario)) throw new UsageError(`found "${scenario}", expected a scenario file with a sweep or a sample`)
  const shard = shardOf(flags.shard)
  const { raw, combinations, trust } = await rawSweepOf(scenario, flags)
  if (!combinations.varies && combinations.base.seeds.length === 1)
    throw new UsageError(`${scenario}: has no sweep, no sample and one seed, which is one run; featherbed run makes it`)
  const folder = await outputFolder(flags.out)
  const sent = await sweepOf(raw, resolve(scenario), combinations, version, trust)
  const { plan } = sent
  const chunks = SweepFolder.make(folder, headOf(plan, version), flags.resume === true)
  if (!flags.quiet)
    note(
      `${counted(plan.runs, 'run')} in ${counted(plan.cells, 'cell')}, ${counted(plan.chunks, 'chunk')} of up to ${plan.cellsPerChunk * plan.base.seeds.length} runs`,
    )
  const failed =
    flags.redis === undefined ? await onThreads(sent, chunks, shard, flags) : await onQueue(sent, chunks, shard, flags)
  for (const [chunk, reason] of failed) note(`chunk ${chunk}: ${reason}`)
  if (failed.size > 0) {
    io.exitCode = exitCodes.failed
    return
  }
  if (shard.n > 1) {
    const own = chunksOf(plan, shard).length
    io.stdout.write(
      `Shard ${shard.i} of ${shard.n}: ${counted(own, 'chunk')} in ${relative('.', folder) || '.'}; featherbed merge DIR... --out RESULTS makes one result of all shards.\n`,
    )
    return
  }
  const written = await writeMerged(new Merged([chunks]), folder, machine())
  io.stdout.write(flags.json ? `${JSON.stringify(written, null, 2)}\n` : writtenText(written, folder))
}

/** Of the times alone. */
export const machine = () => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  processor: cpus()[0]?.model.trim() ?? '',
})

export function writtenText({ files, runs, cells, failed }: Written, folder: string): string {
  const { bad } = paintFor(io.stdout)
  const broken = failed > 0 ? bad(`, of which ${failed} broke off`) : ''
  const place = relative('.', folder) || '.'
  const named = files.map((file) => join(place, file)).join(', ')
  return `${counted(runs, 'run')} in ${counted(cells, 'cell')}${broken}.\nWritten: ${named}\nNext: featherbed report ${place}\n`
}

const chunksOf = ({ chunks }: SweepPlan, shard: Shard) =>
  Array.from({ length: chunks }, (_, k) => k).filter((k) => isIn(shard, k))

/** @throws UsageError */
function shardOf(text = '1/1'): Shard {
  const [, i, n] = (/^([1-9]\d{0,6})\/([1-9]\d{0,6})$/.exec(text) ?? []).map(Number)
  if (n === undefined || i > n) throw new UsageError(`--shard found "${text}", expected I/N such as 3/8, counted from 1`)
  return { i, n }
}

async function onThreads(
  { plan, robots }: PackableSweep,
  folder: SweepFolder,
  shard: Shard,
  flags: SweepFlags,
): Promise<Map<number, string>> {
  const progress = new Progress(flags.quiet === true)
  const open = chunksOf(plan, shard).filter((chunk) => !folder.has(chunk))
  const calm = whenInterrupted((signal) => {
    progress.end()
    io.stderr.write('Interrupted. The same command with --resume goes on from the chunks that are done.\n')
    process.exit(codeOf(signal))
  })
  const idle = io.idle ?? new IdleThreads()
  try {
    const show = (fraction: number) => progress.show(`simulating ${counted(open.length, 'chunk')}`, fraction)
    await computeChunks(plan, open, { threads: threadsOf(flags), robots, idle, progress: show }, (chunk, result) =>
      folder.write(chunk, result),
    )
  } finally {
    if (idle !== io.idle) await idle.end()
    progress.end()
    calm()
  }
  return new Map()
}

async function onQueue(
  sent: PackableSweep,
  folder: SweepFolder,
  shard: Shard,
  { redis = '', queue, quiet }: SweepFlags,
): Promise<ReadonlyMap<number, string>> {
  const progress = new Progress(quiet === true)
  try {
    return await computeOnQueue(sent, folder, shard, {
      url: redis,
      queue,
      note,
      progress: (part) => progress.show('by workers', part),
    })
  } finally {
    progress.end()
  }
}
