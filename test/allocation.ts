import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import type { Allocation, WindowedAllocation } from './ownProcess.ts'

/** Windows in which `measureWindows` counts. */
const WINDOWS = 10

/**
 * What `work` allocates, called once a window: the bytes of the quietest and of the middle window, and what stays after all of
 * them. Work that makes garbage at every call makes it in every window; what the engine makes once, when it compiles a function
 * anew, falls into some. For a process of its own, started with `windowFlags`, in whose nursery nothing is collected meanwhile.
 */
export async function measureWindows(work: () => void): Promise<WindowedAllocation> {
  const before = await bytesThatStay()
  const nothing = windowsOf(() => {})[0] // the statistics are objects themselves
  const windows = windowsOf(work).map((bytes) => bytes - nothing)
  const growthAfterCollection = (await bytesThatStay()) - before
  return { quietest: windows[0], middle: windows[WINDOWS / 2], loudest: windows[WINDOWS - 1], growthAfterCollection }
}

/** Rising: what the nursery holds more after each window. */
function windowsOf(work: () => void): Float64Array {
  const windows = new Float64Array(WINDOWS)
  for (let k = 0; k < WINDOWS; k++) {
    const young = bytesOf(isYoung)
    work()
    windows[k] = bytesOf(isYoung) - young
  }
  return windows.sort()
}

/** What `work` allocates. For a process of its own, started with `allocationFlags`; warm up before. */
export async function measureAllocation(work: () => void): Promise<Allocation> {
  let scavenges = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if ((entry as unknown as { detail: { kind: number } }).detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) scavenges++
    }
  })
  observer.observe({ entryTypes: ['gc'] })

  const before = await bytesThatStay()
  scavenges = 0
  const young = bytesOf(isYoung)
  work()
  const growth = bytesOf(isYoung) - young
  const growthAfterCollection = (await bytesThatStay()) - before
  observer.disconnect()
  return { scavenges, growth, growthAfterCollection }
}

/** What the heap holds after collections, once the compiler and the collector's entries have had a turn. */
async function bytesThatStay(): Promise<number> {
  const collect = globalThis.gc as () => void
  collect()
  await setTimeout(50)
  collect()
  return bytesOf(isData)
}

/** Where every object is born that is not very large. */
const isYoung = (space: string): boolean => space === 'new_space'
/** Not machine code, of which the compiler may finish some hundred kilobytes at any time. */
const isData = (space: string): boolean => !space.startsWith('code')

function bytesOf(counts: (space: string) => boolean): number {
  let sum = 0
  for (const { space_name, space_used_size } of getHeapSpaceStatistics()) if (counts(space_name)) sum += space_used_size
  return sum
}
