/**
 * A large sweep by threads, by 8 shards, and by 4 workers of a queue while they and the server are killed at 30 random moments: the same
 * bytes, memory and speed beside `featherbed compare`.
 *
 *     node --import ./scripts/typescript.mjs test/compare/sweepsAtScale.run.ts [RUNS] [threads,shards,queue,compare]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createRandom } from '../../dynamics/index.ts'
import { OwnRedis, OwnWorker } from './redis.ts'

const [, , count = '100000', parts = 'threads,shards,queue,compare'] = process.argv
const runs = Number(count)
const main = fileURLToPath(new URL('../../dist/command/compare/cli/main.js', import.meta.url))
const [SEEDS, SHARDS, WORKERS, KILLS, SAMPLE] = [10, 8, 4, 30, 2000]
const folder = mkdtempSync(join(tmpdir(), 'featherbed-scale-'))
const scenario = (count: number) => {
  const file = join(folder, `cart${count}.yaml`)
  const over = 'physical.friction: { from: 0.2, to: 1 }, vary.mass: { from: 0.8, to: 1.25, scale: log }'
  const measure = 'measure: { moved: { kind: slipped, body: diffdrive, on: ground } }\nsuccess: moved < 1 mm'
  writeFileSync(
    file,
    `name: cart\nrobot: diffdrive\nduration: 0.1 s\ndt: [1 ms]\nmodels: [ncp]\nseeds: ${SEEDS}\nperturb: { linearVelocity: 0.05 }\n${measure}\nsample: { count: ${count / SEEDS}, over: { ${over} } }\n`,
  )
  return file
}
const file = scenario(runs)

/** Largest resident memory of each process [MB], looked at four times a second. */
const peaks = new Map<number, number>()
const watched = new Set<number>()
setInterval(() => {
  for (const pid of watched) {
    try {
      const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      if (kb !== undefined) peaks.set(pid, Math.max(peaks.get(pid) ?? 0, Number(kb) / 1024))
    } catch {}
  }
}, 250).unref()
const largest = () => Math.round(Math.max(...peaks.values()))

function command(...words: string[]): ChildProcess {
  const own = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'ignore', 'inherit'] })
  watched.add(own.pid as number)
  return own
}
async function ended(own: ChildProcess): Promise<void> {
  const [code] = (await once(own, 'exit')) as [number]
  if (code !== 0) throw new Error(`a command ended with ${code}`)
}
const run = (...words: string[]) => ended(command(...words))

async function timed(what: string, count: number, work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  peaks.clear()
  watched.clear()
  await work()
  const seconds = (performance.now() - start) / 1000
  console.log(`${what}: ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(1)} runs a second, largest process ${largest()} MB`)
  return count / seconds
}

const results: string[] = []
if (parts.includes('threads')) {
  await timed('threads', runs, () => run('sweep', file, '--out', join(folder, 'threads'), '--quiet'))
  results.push('threads')
}
if (parts.includes('shards')) {
  const shards = Array.from({ length: SHARDS }, (_, i) => join(folder, `shard${i + 1}`))
  await timed(`${SHARDS} shards, two at a time`, runs, async () => {
    const queue = [...shards.entries()]
    const lane = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        await run('compare', file, '--shard', `${next[0] + 1}/${SHARDS}`, '--out', next[1], '--threads', '1', '--quiet')
    }
    await Promise.all([lane(), lane()])
    await run('merge', ...shards, '--out', join(folder, 'shards'))
  })
  results.push('shards')
}
if (parts.includes('queue')) {
  mkdirSync(join(folder, 'redis'))
  const redis = await OwnRedis.start(join(folder, 'redis'))
  const workers = Array.from({ length: WORKERS }, () => new OwnWorker(redis.url, 1))
  await timed(`${WORKERS} workers, ${KILLS} kills`, runs, async () => {
    const sweep = run('sweep', file, '--redis', redis.url, '--out', join(folder, 'queue'), '--quiet')
    let isDone = false
    sweep.finally(() => (isDone = true))
    const random = createRandom(1)
    // 30 kills lie within the time that two cores take
    const pause = runs / KILLS / 150
    let kills = 0
    for (; kills < KILLS && !isDone; kills++) {
      await sleep(1000 * pause * random.next())
      for (const { pid } of workers) watched.add(pid)
      await [redis, ...workers][random.index(WORKERS + 1)].killAndRestart()
    }
    console.log(`${kills} kills`)
    for (const { pid } of workers) watched.add(pid)
    await sweep
  })
  for (const worker of workers) await worker.stop()
  await redis.kill()
  results.push('queue')
}
for (const one of results.slice(1))
  for (const name of ['runs.parquet', 'cells.parquet'])
    if (!readFileSync(join(folder, one, name)).equals(readFileSync(join(folder, results[0], name))))
      throw new Error(`${one}: ${name} differs`)
if (results.length > 1) console.log(`${results.join(', ')}: the same bytes`)
if (results.length > 0) await timed('report', runs, () => run('report', join(folder, results[0])))
if (parts.includes('compare')) {
  const small = scenario(SAMPLE)
  const sweep = await timed(`sweep of ${SAMPLE}`, SAMPLE, () => run('sweep', small, '--out', join(folder, 'small'), '--quiet'))
  const timedRuns = await timed('compare', SAMPLE, () => run('compare', small, '--out', join(folder, 'compare'), '--quiet'))
  const bare = await timed('compare --no-timing', SAMPLE, () =>
    run('compare', small, '--out', join(folder, 'bare'), '--no-timing', '--quiet'),
  )
  console.log(`sweep over compare: ${(sweep / timedRuns).toFixed(1)}, over compare without times: ${(sweep / bare).toFixed(1)}`)
}
console.log(folder)
