import { closest, quote } from '../elements/index.ts'

/** An expression that cannot be evaluated. The caller that knows its place makes a finding of it. */
export class ExpressionError extends Error {
  readonly remedy: string

  constructor(message: string, remedy = '') {
    super(message)
    this.name = 'ExpressionError'
    this.remedy = remedy
  }
}

/** An undefined name; it may be defined in a file that could not be read. */
export class UnknownName extends ExpressionError {}

/** Stops the whole expansion: the requested result is unbounded. */
export class LimitError extends ExpressionError {}

/** A failure that has been reported at its place; the caller continues without the value. */
export class AlreadyReported extends Error {}

/**
 * The name nearest to a misspelt one, as a remedy; `otherwise` if none is near. To a name of one or two
 * letters all are near.
 */
export function didYouMean(name: string, known: Iterable<string>, otherwise: string): string {
  const near = name.length < 3 ? undefined : closest(name, firstOf(known, 2000))
  return near === undefined ? otherwise : `Did you mean ${quote(near)}?`
}

function* firstOf(names: Iterable<string>, count: number): Iterable<string> {
  let left = count
  for (const name of names) {
    if (left-- === 0) return
    yield name
  }
}
