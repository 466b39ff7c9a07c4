/**
 * Letters to insert, delete, replace or swap with their neighbour to turn one word into another (Damerau 1964, Levenshtein 1966;
 * optimal string alignment: no letter is edited twice).
 */
export function editDistance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1)
    }
    ;[before, last] = [last, row]
  }
  return last[b.length]
}

/** `. Did you mean WORD?` for the known word nearest to one that is not known, if a third of its letters or fewer differ; else ''. */
export function didYouMean(found: unknown, known: Iterable<string>): string {
  if (typeof found !== 'string' || found.length > 60) return ''
  let [best, least] = ['', Math.max(1, Math.floor(found.length / 3)) + 1]
  for (const word of known) {
    const distance = editDistance(found.toLowerCase(), word.toLowerCase())
    if (distance < least) [best, least] = [word, distance]
  }
  return best === '' || best === found ? '' : `. Did you mean ${best}?`
}
