import { ExpressionError } from './failures.ts'

/** One parameter of a macro. */
export interface Parameter {
  /** With the asterisks: `*block` is bound to an element, `**block` to its content. */
  readonly name: string
  /** `:=^`: the value that the name has where the macro is called. */
  readonly forwarded: boolean
  /** Its value where the call gives none; with quotation marks and substitutions. */
  readonly default?: string
}

/**
 * Reads `params`: names between white space, each with a default by `:=` or `=` or without. `name:=^` takes the caller's
 * value of that name, `name:=^|text` that or else the text.
 *
 * @throws ExpressionError where a quotation mark or a bracket is not closed
 */
export function parseParameters(text: string): readonly Parameter[] {
  const parameters: Parameter[] = []
  let at = skipBlank(text, 0)
  while (at < text.length) {
    const start = at
    while (at < text.length && !/[\s:=]/.test(text[at])) at++
    const name = text.slice(start, at)
    const next = skipBlank(text, at)
    const sign = text.startsWith(':=', next) ? 2 : text[next] === '=' ? 1 : 0
    if (sign === 0) {
      // no default; a colon that begins none belongs to the name
      while (at < text.length && !/\s/.test(text[at])) at++
      parameters.push({ name: text.slice(start, at), forwarded: false })
    } else {
      if (name === '') throw new ExpressionError(`the default "${text.slice(next, next + 20)}" belongs to no name.`)
      at = skipBlank(text, next + sign)
      const forwarded = text[at] === '^'
      if (forwarded) at += text[at + 1] === '|' ? 2 : 1
      const end = endOfDefault(text, at)
      parameters.push({ name, forwarded, default: end > at ? text.slice(at, end) : undefined })
      at = end
    }
    at = skipBlank(text, at)
  }
  return parameters
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at])) at++
  return at
}

/** Blanks end a default unless they are between quotation marks or in a substitution. */
function endOfDefault(text: string, start: number): number {
  let at = start
  while (at < text.length && !/\s/.test(text[at])) {
    const close = closingOf(text, at)
    if (close === '') at++
    else {
      const end = text.indexOf(close, at + 1)
      if (end < 0) {
        throw new ExpressionError(
          `the default ${text.slice(start, start + 30)} has no closing ${close}.`,
          "Close it; a default with blanks stands between quotation marks: p:='0 0 0'.",
        )
      }
      at = end + 1
    }
  }
  return at
}

function closingOf(text: string, at: number): string {
  const character = text[at]
  if (character === "'" || character === '"') return character
  if (character !== '$') return ''
  return text[at + 1] === '{' ? '}' : text[at + 1] === '(' ? ')' : ''
}
