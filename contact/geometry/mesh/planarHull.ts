/** The corners of the convex hull of points projected along z, counter-clockwise (Andrew's monotone chain). @unchecked */
export function planarHull<T extends readonly number[]>(points: readonly T[]): readonly T[] {
  const all = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1])
  if (all.length < 3) return all
  const half = (list: readonly T[]) => {
    const chain: T[] = []
    for (const p of list) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2)
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break
        chain.pop()
      }
      chain.push(p)
    }
    return chain.slice(0, -1)
  }
  return [...half(all), ...half([...all].reverse())]
}
