/**
 * Globals of a script in a sandbox besides the language. Comes before `scriptMath`, which adopts the functions of `Math`. The host
 * passes its functions in a global `host`, which is removed here.
 */
import { pack, unpack } from '../packed.ts'

interface Host {
  readonly print: (line: string) => void
  /** Calls the function of t with this number among the options. */
  readonly call: (index: number, t: number) => number
  /** Functions of `Math` of the host: engines differ in the last bit. */
  readonly math: Readonly<Record<string, (...x: number[]) => number>>
}

const scope = globalThis as unknown as Record<string, unknown>
export const host = scope.host as Host
delete scope.host

const math = Math as unknown as Record<string, unknown>
math.random = () => {
  throw new Error('Math.random cannot be repeated; use createRandom(seed) of featherbed/dynamics')
}
for (const [name, f] of Object.entries(host.math)) {
  if (name === 'hypot') math[name] = (...all: number[]) => f(...all.map(Number))
  else if (name === 'atan2' || name === 'pow') math[name] = (x: number, y: number) => f(+x, +y)
  else math[name] = (x: number) => f(+x)
}

const LONGEST_LINE = 1000
const print = (...parts: unknown[]) => host.print(parts.map(String).join(' ').slice(0, LONGEST_LINE))
scope.console = { log: print, info: print, debug: print, warn: print, error: print }
scope.structuredClone = (value: unknown) => unpack(pack(value))
