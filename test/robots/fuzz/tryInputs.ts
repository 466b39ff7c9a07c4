import { writeSync } from 'node:fs'
import type { Verdict } from './guard.ts'

/** Processor time that one input may take [s]. */
const longest = 2

/**
 * Tries inputs one after the other and prints what came of it, for `guarded`: before each its name, so that the guard knows
 * which one it had to stop.
 *
 * @param attempt returns how the input ended, if that way is allowed, and throws otherwise
 */
export function tryInputs(names: Iterable<string>, attempt: (name: string) => string): void {
  const outcomes: Record<string, number> = {}
  const failures: string[] = []
  for (const name of names) {
    writeSync(1, `${name}\n`)
    const start = process.cpuUsage()
    try {
      const outcome = attempt(name)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`.slice(0, 1000))
    }
    const { user, system } = process.cpuUsage(start)
    const seconds = 1e-6 * (user + system)
    if (seconds > longest) failures.push(`${name}: took ${seconds.toFixed(1)} s; at most ${longest}`)
  }
  const verdict: Verdict = { outcomes, failures: failures.slice(0, 20) }
  writeSync(1, `${JSON.stringify(verdict)}\n`)
}
