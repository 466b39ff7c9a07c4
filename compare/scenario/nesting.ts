/**
 * Whether a value is nested deeper than so many levels, or holds itself, so that a recursive walk over it would not come to
 * its end. This walk calls nothing.
 */
export function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= levels; depth++) {
    const next = new Set<unknown>() // what several entries of a level share counts once
    for (const entry of level) {
      if (typeof entry !== 'object' || entry === null || ArrayBuffer.isView(entry)) continue
      for (const inner of Object.values(entry)) if (typeof inner === 'object' && inner !== null) next.add(inner)
    }
    if (next.size === 0) return false
    level = [...next]
  }
  return true
}
