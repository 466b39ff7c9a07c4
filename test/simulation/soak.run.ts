/*
 * Run by soak.test.ts in a process of its own, with FROM COUNT ALLOWED FILES. Prints of all worlds what they came to, of those that have
 * something to them all of it, and what the heap and typed arrays hold after each hundred, less what the engine compiled.
 */
import { setTimeout } from 'node:timers/promises'
import { getHeapCodeStatistics } from 'node:v8'
import { noEvents } from '../../contact/index.ts'
import { type SoakOutcome, soak } from './soakOutcome.ts'
import { soakRobots, soakWorld } from './soakWorlds.ts'

export interface SoakRun {
  readonly worlds: number
  readonly steps: number
  /** How many ended in each kind of error; '' for none. */
  readonly ends: Readonly<Record<string, number>>
  /** Those with an error, a defect, an event or more than a twentieth of invented energy. */
  readonly noted: readonly SoakOutcome[]
  readonly bytes: readonly number[]
  /** Whether worlds audit their energy themselves. */
  readonly audited: boolean
}

/** Numbers of typed arrays are beside the heap, and are given back some time after a collection. */
async function bytesThatStay(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 6; round++) {
    globalThis.gc?.()
    await setTimeout(50)
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    least = Math.min(least, heapUsed + arrayBuffers - getHeapCodeStatistics().code_and_metadata_size)
  }
  return least
}

const [from, count, allowed] = process.argv.slice(2, 5).map(Number)
const files = process.argv.slice(5)
let robots = soakRobots(files)
const noted: SoakOutcome[] = []
const ends: Record<string, number> = {}
const bytes: number[] = []
let steps = 0
for (let n = from; n < from + count; n++) {
  const outcome = soak(soakWorld(n, robots), allowed)
  steps += outcome.steps
  const end = outcome.error.split(':')[0]
  ends[end] = (ends[end] ?? 0) + 1
  if (outcome.error !== '' || outcome.defects.length > 0 || outcome.energyGains > 0 || !(outcome.invented <= 0.05))
    noted.push(outcome)
  if ((n - from) % 100 !== 99) continue
  // what is kept of a robot, as the trees of its meshes are, goes with it
  robots = []
  bytes.push(await bytesThatStay())
  robots = soakRobots(files)
}
const run: SoakRun = { worlds: count, steps, ends, noted, bytes, audited: 'energyGains' in noEvents([]) }
process.stdout.write(JSON.stringify(run))
