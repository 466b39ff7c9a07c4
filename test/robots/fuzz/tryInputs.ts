import { existsSync, readFileSync, writeSync } from 'node:fs'
import type { Verdict } from './guard.ts'

/** CPU time that one input may take on any machine [s]. */
const longest = 2
/** Where it takes longer: CPU time in units of `referenceTime`, 0.1 s on an ordinary machine; beside other work memory slows the one more than the other. */
const mostReferences = 40
const REFERENCE_LINES = 100_000
/** Memory of the whole process, with what of it is yet to be collected [MB]. */
const mostMegabytes = 700

/**
 * Tries inputs one after the other and prints what came of it, for `guarded`: before each its name, so that the guard knows
 * which one it had to stop.
 *
 * @param attempt returns how the input ended, if that way is allowed, and throws otherwise
 */
export async function tryInputs(names: Iterable<string>, attempt: (name: string) => string | Promise<string>): Promise<void> {
  const outcomes: Record<string, number> = {}
  const failures: string[] = []
  let peak = 0
  let slowest = 0
  for (const name of names) {
    writeSync(1, `${name}\n`)
    const start = process.cpuUsage()
    try {
      const outcome = await attempt(name)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`.slice(0, 1000))
    }
    const seconds = secondsSince(start)
    const megabytes = peakMemory()
    if (megabytes > Math.max(mostMegabytes, peak)) failures.push(`${name}: the process had ${megabytes.toFixed(0)} MB`)
    peak = Math.max(peak, megabytes)
    slowest = Math.max(slowest, seconds)
    if (seconds <= longest) continue
    // the machine as it is now: others that run on it slow an input and the reference alike
    const most = mostReferences * referenceTime()
    if (seconds > most) failures.push(`${name}: took ${seconds.toFixed(1)} s of CPU time; at most ${most.toFixed(1)} here`)
  }
  const verdict: Verdict = { seconds: slowest, megabytes: peak, outcomes, failures: failures.slice(0, 20) }
  writeSync(1, `${JSON.stringify(verdict)}\n`)
}

/** Most memory of this process so far [MB]. Linux counts into maxRSS what the process that started this one had then, and not into VmHWM. */
function peakMemory(): number {
  const own = existsSync('/proc/self/status') && /VmHWM:\s*(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))
  return (own ? Number(own[1]) : process.resourceUsage().maxRSS) / 1024
}

/** CPU time of what reading a file is made of: scanning characters, cutting strings, and objects in maps; the longer of two [s]. */
function referenceTime(): number {
  let most = 0
  for (let n = 0; n < 2; n++) {
    const start = process.cpuUsage()
    const text = '<link name="a"/>\n'.repeat(REFERENCE_LINES)
    const elements = new Map<string, { readonly text: string; readonly line: number }>()
    let line = 1
    let from = 0
    for (let i = 0; i < text.length; i++) {
      if (text.charCodeAt(i) !== 10) continue
      elements.set(`${text.slice(from, i)} ${line}`, { text: text.slice(from, i), line })
      from = i + 1
      line++
    }
    if (elements.size !== REFERENCE_LINES) throw new Error(`${elements.size} elements; expected ${REFERENCE_LINES}`)
    most = Math.max(most, secondsSince(start))
  }
  return most
}

function secondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return 1e-6 * (user + system)
}
