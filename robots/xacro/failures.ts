import { closest, quote } from '../elements/index.ts'

/** Something that cannot be evaluated. Whoever knows where it stands turns it into a finding. */
export class ExpressionError extends Error {
  readonly remedy: string

  constructor(message: string, remedy = '') {
    super(message)
    this.name = 'ExpressionError'
    this.remedy = remedy
  }
}

/** A name that nothing defines; it may stand in a file that could not be read. */
export class UnknownName extends ExpressionError {}

/** Stops the whole expansion: what is asked for has no bounds. */
export class LimitError extends ExpressionError {}

/** What failed has been reported where it failed; whoever wanted it goes without. */
export class AlreadyReported extends Error {}

/**
 * The name that a misspelt one may mean, as a remedy; what else there is to say if none is near. Of a name of one or two
 * letters everything is near.
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
