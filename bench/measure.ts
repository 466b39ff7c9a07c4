import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Bench } from 'tinybench'
import { median } from '../compare/measure/statistics.ts'

/**
 * One line of `npm run bench`: microseconds a call and calls a second, which of step rows are steps, and ratio = peer_us / ours_us,
 * so that above 1 is ahead.
 */
export interface Row {
  readonly name: string
  /** What both sides do, where the name does not say it all. */
  readonly compares?: string
  readonly ours_us: number
  readonly ours_per_second: number
  readonly peer: string
  readonly peer_us: number
  readonly peer_per_second: number
  readonly ratio: number
}

export function rowOf(name: string, ours_us: number, peer: string, peer_us: number, compares?: string): Row {
  const rates = { ours_per_second: 1e6 / ours_us, peer_per_second: 1e6 / peer_us }
  return { name, compares, ours_us, peer, peer_us, ...rates, ratio: peer_us / ours_us }
}

/** One side of a comparison: `run` does `calls` calls. */
export interface Side {
  readonly run: () => void
  readonly calls: number
}

/**
 * Median microseconds a call of both sides, measured in turns in this process, so that a slow moment of the machine hits
 * both: rounds of ours, theirs, ours, theirs; the median over all samples of each.
 */
export async function compareSides(name: string, ours: Side, peer: string, theirs: Side, compares?: string): Promise<Row> {
  const samples: [number[], number[]] = [[], []]
  for (let round = 0; round < 5; round++) {
    const bench = new Bench({
      time: 120,
      iterations: 8,
      warmupTime: round === 0 ? 200 : 20,
      warmupIterations: 2,
      retainSamples: true,
    })
    bench.add('ours', ours.run).add('theirs', theirs.run)
    await bench.run()
    bench.tasks.forEach((task, side) => {
      const { result } = task
      if (result.state !== 'completed') throw new Error(`${name}: ${task.name} ended as ${result.state}`)
      for (const milliseconds of result.latency.samples ?? []) samples[side].push(milliseconds)
    })
  }
  const ours_us = (1e3 * median(samples[0])) / ours.calls
  const peer_us = (1e3 * median(samples[1])) / theirs.calls
  return rowOf(name, ours_us, peer, peer_us, compares)
}

/** Runs a module in a process of its own, whose messages go to `take`. @param what it times, in words */
export async function inItsOwnProcess<Message>(
  module: URL,
  args: readonly string[],
  take: (message: Message) => void,
  what: string,
): Promise<void> {
  const child = fork(fileURLToPath(module), args)
  child.on('message', (message) => take(message as Message))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the process that timed ${what} ended with code ${code}; its message stands above`)
}
