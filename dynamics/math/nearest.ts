/** Length above which words are not corrected. */
const longestWord = 32

/**
 * Letters to insert, delete, replace or swap with a neighbour between two words (Damerau 1964, Levenshtein 1966; optimal string alignment:
 * no letter is edited twice).
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

/**
 * The likely intended candidate for a misspelt word: at most one edit per three letters, ignoring case; the first of the nearest. Undefined
 * if none is near. @unchecked
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined
  const small = word.toLowerCase()
  let best: string | undefined
  let least = Infinity
  for (const candidate of candidates) {
    if (candidate === word || candidate.length > longestWord) continue
    const most = Math.max(1, Math.floor(Math.min(word.length, candidate.length) / 3))
    if (Math.abs(candidate.length - word.length) > most) continue
    const distance = editDistance(small, candidate.toLowerCase())
    if (distance <= most && distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** `. Did you mean WORD?` for the likely intended known word, by `closest`; else ''. @unchecked */
export function didYouMean(found: unknown, known: Iterable<string>): string {
  const best = typeof found === 'string' ? closest(found, known) : undefined
  return best === undefined ? '' : `. Did you mean ${best}?`
}
