import { getHeapSpaceStatistics } from 'node:v8'
import { full } from '../dailyModels.ts'

/** Work whose garbage is counted. */
export interface Running {
  readonly step: () => void
  /** Solves, queries or readings of a step, to which all bounds refer; one if it is left out. */
  readonly units?: number
  /** What the work has come to so far, such as contacts found: a step that does nothing allocates nothing either. */
  readonly seen?: () => number
  /** Anything else that a test reads, after the last step. */
  readonly report?: () => unknown
}

/** In bytes a unit. */
export interface Bounds {
  /** Of the quietest window. */
  readonly quietest: number
  /** Of the middle window. */
  readonly middle: number
  /** What the heap holds more after all windows and a collection. */
  readonly growth: number
}

/** A boxed number a unit would be 16 bytes in every window, and kept 16 bytes of growth. */
const nothing: Bounds = { quietest: 0, middle: 1.6, growth: 1 }

export interface Subject {
  /** Names of the suite and of the test; subjects of the same names are one test. */
  readonly suite?: string
  readonly name: string
  readonly setup: () => Running
  /** Steps of a window. */
  readonly steps: number
  /** Steps after which the bounds must be met, until when the engine compiles. */
  readonly limit: number
  readonly bounds?: Partial<Bounds>
  /** A unit must come to more than this. */
  readonly seen?: number
}

export interface Allocation extends Bounds {
  /** Of a unit. */
  readonly seen: number
  readonly report?: unknown
}

export const boundsOf = ({ bounds }: Subject): Bounds => ({ ...nothing, ...bounds })

/** Windows in a row. */
export const WINDOWS = full ? 10 : 4

/**
 * Garbage of a subject over windows of its steps in a row, between two collections: the first that meet its bounds, or else the last
 * within its limit. Work that makes garbage at every step makes it in every window; the interpreter, which boxes numbers, and the engine
 * when it compiles make it in the first ones and now and then. For a process of its own, started with `steadyFlags`, in whose nursery
 * nothing is collected meanwhile.
 */
export async function measured(subject: Subject): Promise<Allocation> {
  const { steps, limit } = subject
  const { step, units = 1, seen = () => 0, report } = subject.setup()
  const bounds = boundsOf(subject)
  const scale = 1 / (steps * units)
  for (let taken = 0; ; ) {
    // collections only around windows after quiet ones: each takes as long as hundreds of steps
    taken += WINDOWS * steps
    const warm = windowsOf(steps, step, scale)
    const isLast = taken + 2 * WINDOWS * steps > limit
    if (!isQuiet(warm, bounds) && !isLast) continue
    const before = await bytesThatStay()
    const seenBefore = seen()
    taken += WINDOWS * steps
    const windows = windowsOf(steps, step, scale)
    const seenOfUnit = ((seen() - seenBefore) * scale) / WINDOWS
    const growth = (((await bytesThatStay()) - before) * scale) / WINDOWS
    if (isLast || (isQuiet(windows, bounds) && growth < bounds.growth)) {
      return { ...windows, growth, seen: seenOfUnit, report: report?.() }
    }
  }
}

const isQuiet = ({ quietest, middle }: Windows, bounds: Bounds) => quietest <= bounds.quietest && middle < bounds.middle

type Windows = Pick<Allocation, 'quietest' | 'middle'>

/** Bytes of a unit that each window adds to the nursery. */
function windowsOf(steps: number, step: () => void, scale: number): Windows {
  const windows = new Float64Array(WINDOWS)
  // the statistics are objects themselves, fewer once they are compiled
  let own = younger(0, step)
  for (let k = 0; k < WINDOWS; k++) windows[k] = younger(steps, step)
  for (let k = 0; k < 3; k++) own = Math.min(own, younger(0, step))
  for (let k = 0; k < WINDOWS; k++) {
    // less than before: there was a collection, after more garbage than the nursery holds
    windows[k] = windows[k] < 0 ? Number.MAX_VALUE : Math.max(0, windows[k] - own) * scale
  }
  windows.sort()
  return { quietest: windows[0], middle: windows[WINDOWS >> 1] }
}

/** Bytes that so many steps add to the nursery. */
function younger(steps: number, step: () => void): number {
  const young = bytesOf(isYoung)
  for (let i = 0; i < steps; i++) step()
  return bytesOf(isYoung) - young
}

/** What the heap holds after collections. */
async function bytesThatStay(): Promise<number> {
  const collect = globalThis.gc as () => void
  collect()
  await new Promise(setImmediate)
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
