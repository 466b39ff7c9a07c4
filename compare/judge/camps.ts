/** Which of several answers say the same. */

/**
 * Camps by single linkage: two answers are of one camp if a chain of answers leads from one to the other in which neighbours are no farther
 * apart than the limit. So two camps are apart by more than the limit wherever they come closest, which is the gap between them.
 *
 * @param distance symmetric; null where two answers cannot be compared, which are then not linked
 * @returns indices, the largest camp first, of equal ones the one with the smallest index
 */
export function campsOf(distance: readonly (readonly (number | null)[])[], limit: number): number[][] {
  const camps: number[][] = []
  const isKnown = new Set<number>()
  distance.forEach((_, seed) => {
    if (isKnown.has(seed)) return
    const camp = [seed]
    isKnown.add(seed)
    for (const i of camp) {
      distance[i].forEach((d, k) => {
        if (isKnown.has(k) || d === null || !(d <= limit)) return
        camp.push(k)
        isKnown.add(k)
      })
    }
    camps.push(camp.sort((a, b) => a - b))
  })
  return camps.sort((a, b) => b.length - a.length || a[0] - b[0])
}

/** The member of a camp with the least sum of distances to the others. */
export function medoidOf(camp: readonly number[], distance: readonly (readonly (number | null)[])[]): number {
  const sum = (i: number) => camp.reduce((total, k) => total + (k === i ? 0 : (distance[i][k] ?? Infinity)), 0)
  return camp.reduce((best, i) => (sum(i) < sum(best) ? i : best), camp[0])
}
