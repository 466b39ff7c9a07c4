import type { LoopSwitches } from '../../simulation/index.ts'

/** The loops of a world that are on at times only, for a controller: 1 for one that is on, else 0; what is written is asked for from this step on. */
export function loopsSeen(switches: LoopSwitches | undefined): Record<string, number> {
  const seen: Record<string, number> = {}
  switches?.names.forEach((name, i) => {
    Object.defineProperty(seen, name, {
      enumerable: true,
      get: () => switches.read(i),
      set: (value: unknown) => switches.ask(i, Number(value) > 0),
    })
  })
  return Object.preventExtensions(seen)
}
