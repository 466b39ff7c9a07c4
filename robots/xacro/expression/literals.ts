import { ExpressionError } from '../failures.ts'
import { readFloat, readInt } from './numbers.ts'
import { described, isTrue, type Value } from './values.ts'

/** Longer texts are no numbers. */
const maxLiteral = 400

/**
 * The value of the text of a property or of a macro's parameter: an int, a float or a boolean where it can be read as one,
 * otherwise the text, without the single quotation marks around it. Underscores make no number: `1_2` is a name.
 */
export function literalValue(value: Value): Value {
  if (typeof value !== 'string') return value
  if (value.length >= 2 && value.startsWith("'") && value.endsWith("'")) return value.slice(1, -1)
  if (value.length > maxLiteral || value.includes('_')) return value
  return readInt(value) ?? readFloat(value) ?? readBoolean(value) ?? value
}

function readBoolean(text: string): boolean | undefined {
  if (text === 'true' || text === 'True') return true
  return text === 'false' || text === 'False' ? false : undefined
}

/**
 * The truth of a condition: a text has to be a boolean or a number, every other value is true as Python has it.
 *
 * @throws ExpressionError for a text that is neither
 */
export function conditionValue(value: Value): boolean {
  if (typeof value !== 'string') return isTrue(value)
  const truth = readBoolean(value) ?? readInt(value) ?? readFloat(value)
  if (truth === undefined) {
    throw new ExpressionError(
      `the condition is ${described(value)}, which is neither true nor false.`,
      `Write true, false or a number, or compare: \${name == 'text'}.`,
    )
  }
  return isTrue(truth)
}
