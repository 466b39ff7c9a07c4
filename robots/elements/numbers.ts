import { quote } from './spelling.ts'

/** The problem of a text that is no list of numbers: with a code of its own for a wrong count. */
export interface NumberProblem {
  readonly code: 'number' | 'number-count'
  readonly message: string
}

/** A decimal number as XML files write it; longer tokens are refused before they are matched. */
const numberPattern = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/
const longestNumber = 100
/** [characters] of a list of a few numbers, with separators. */
const longestList = 10_000

/**
 * Reads numbers separated by blanks, tabs or line breaks. Anything else is refused, and so are numbers that overflow a double,
 * for a wrong number does more harm than none.
 *
 * @param count required number of them; undefined for one or more
 */
export function parseNumbers(text: string, count: number | undefined): number[] | NumberProblem {
  if (count !== undefined && text.length > longestList) {
    return { code: 'number', message: `that is a text of ${text.length} characters` }
  }
  const numbers: number[] = []
  // word by word: all words of a text of megabytes at once are more to collect than its numbers are to read
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    for (end = start; end < text.length && !isBlank(text.charCodeAt(end)); ) end++
    if (end === start) continue
    const token = text.slice(start, end)
    if (token.length > longestNumber || !numberPattern.test(token)) {
      const bare = token.replace(/,$/, '')
      const hint = bare !== token && numberPattern.test(bare) ? '; without the comma it is' : ''
      return { code: 'number', message: `${quote(token)} is no number${hint}` }
    }
    const value = Number(token)
    if (!Number.isFinite(value)) return { code: 'number', message: `${quote(token)} is too large` }
    numbers.push(value)
  }
  if (count === undefined ? numbers.length > 0 : numbers.length === count) return numbers
  return { code: 'number-count', message: numbers.length === 1 ? 'that is 1 number' : `that is ${numbers.length} numbers` }
}

/** As `\s` of regular expressions. */
function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || (code >= 0xa0 && /\s/.test(String.fromCharCode(code)))
}

/** A colour with its opacity, 1 where it states three numbers; another where it is none, for no motion depends on it. */
export function parseColor(text = '', otherwise: Color = [1, 1, 1, 1]): Color {
  const numbers = parseNumbers(text, undefined)
  if (!Array.isArray(numbers) || numbers.length < 3) return otherwise
  const [r, g, b, a = 1] = numbers.map((x) => Math.min(1, Math.max(0, x)))
  return [r, g, b, a]
}
type Color = readonly [number, number, number, number]
