import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import type { Allocation } from './ownProcess.ts'

/** What `work` allocates. For a process of its own, started with `allocationFlags`; warm up before. */
export async function measureAllocation(work: () => void): Promise<Allocation> {
  let collections = 0
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length
  })
  observer.observe({ entryTypes: ['gc'] })
  const collect = globalThis.gc as () => void
  collect()
  await setTimeout(20) // the collector's entries arrive on the next turn
  collections = 0

  collect()
  const before = process.memoryUsage().heapUsed
  work()
  const after = process.memoryUsage().heapUsed
  await setTimeout(20)
  const scavenges = collections - 1 // the collection before the work
  collect()
  const collected = process.memoryUsage().heapUsed
  observer.disconnect()
  return { scavenges, growth: after - before, growthAfterCollection: collected - before }
}
