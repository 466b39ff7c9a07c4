import type { LoopSwitches } from '../../simulation/index.ts'

/**
 * Loops of a world that are on at times only, for a controller: 1 for one that is on at this tick, else 0, whatever it writes; what it writes is
 * asked for from this step on.
 */
export function loopsSeen(
  names: readonly string[],
  read: (loop: number) => number,
  ask: (loop: number, isOn: boolean) => unknown,
): Record<string, number> {
  const seen: Record<string, number> = {}
  names.forEach((name, i) => {
    Object.defineProperty(seen, name, {
      enumerable: true,
      get: () => read(i),
      set: (value: unknown) => ask(i, Number(value) > 0),
    })
  })
  return Object.preventExtensions(seen)
}

/** The same of a world's switches. */
export const loopsOf = (switches: LoopSwitches | undefined): Record<string, number> =>
  loopsSeen(
    switches?.names ?? [],
    (i) => switches?.read(i) ?? 0,
    (i, isOn) => switches?.ask(i, isOn),
  )
