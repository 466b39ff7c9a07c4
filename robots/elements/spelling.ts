const longestWord = 32

/**
 * How many letters have to be inserted, deleted, replaced or swapped with their neighbour to make one word of the other:
 * Damerau and Levenshtein's distance in its restricted form, which edits no letter twice.
 */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + Number(a[i - 1] !== b[j - 1]))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1)
    }
    before = last
    last = row
  }
  return last[b.length]
}

/**
 * The candidate that was probably meant by a misspelt word: one edit away for each three letters, capitals aside.
 * Undefined if none is near. The first of the nearest wins.
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

/** Text from a file, as short as a message can bear. */
export function shorten(text: string, most = 60): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`
}

export function quote(name: string): string {
  return `"${shorten(name)}"`
}
