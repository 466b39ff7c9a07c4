import { ExpressionError, LimitError } from './failures.ts'

/** A stretch of an attribute or of text: as it is, `${expression}`, or `$(command)`. */
export interface Piece {
  readonly kind: 'text' | 'expression' | 'command'
  readonly source: string
}

/** Longest text that may hold substitutions [characters]. */
const maxLength = 20_000

/**
 * Cuts a text at its `${...}` and `$(...)`. Of several dollars before a bracket one is removed and the rest is text:
 * `$${x}` means `${x}`.
 *
 * @throws ExpressionError where a bracket is not closed, LimitError beyond the longest text
 */
export function splitSubstitutions(text: string): readonly Piece[] {
  if (!text.includes('$')) return text === '' ? [] : [{ kind: 'text', source: text }]
  if (text.length > maxLength) {
    throw new LimitError(`a text of ${text.length} characters with substitutions; at most ${maxLength}.`, 'Split it.')
  }
  const pieces: Piece[] = []
  let plain = ''
  const flush = () => {
    if (plain !== '') pieces.push({ kind: 'text', source: plain })
    plain = ''
  }
  for (let at = 0; at < text.length; ) {
    const dollar = text.indexOf('$', at)
    if (dollar < 0) {
      plain += text.slice(at)
      break
    }
    plain += text.slice(at, dollar)
    let after = dollar
    while (text[after] === '$') after++
    const bracket = text[after]
    if (bracket !== '{' && bracket !== '(') {
      plain += text.slice(dollar, after)
      at = after
    } else if (after - dollar > 1) {
      plain += text.slice(dollar + 1, after + 1)
      at = after + 1
    } else {
      const isExpression = bracket === '{'
      const isPython = isExpression || text.startsWith('(eval ', after)
      const end = closingBracket(text, after, isPython)
      if (end < 0) {
        throw new ExpressionError(
          `"$${bracket}" is not closed in "${text.slice(dollar, dollar + 40)}".`,
          `Close it with "${isExpression ? '}' : ')'}", or write $$${bracket} for the characters themselves.`,
        )
      }
      flush()
      pieces.push({ kind: isExpression ? 'expression' : 'command', source: text.slice(after + 1, end) })
      at = end + 1
    }
  }
  flush()
  return pieces
}

/** The bracket that closes the one at `open`. Quotation marks count in Python and not in a command, where a `'` is a letter. */
function closingBracket(text: string, open: number, isPython: boolean): number {
  const [opening, closing] = text[open] === '{' ? ['{', '}'] : ['(', ')']
  let depth = 0
  for (let at = open; at < text.length; at++) {
    const character = text[at]
    if (isPython && (character === "'" || character === '"')) {
      at = endOfString(text, at)
      if (at < 0) return -1
    } else if (character === opening) {
      if (isPython || at === open || text[at - 1] === '$') depth++
    } else if (character === closing && --depth === 0) return at
  }
  return -1
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[start]) return at
  }
  return -1
}
