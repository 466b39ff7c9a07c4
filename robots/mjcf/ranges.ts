import type { Polynomial } from '../../dynamics/index.ts'
import type { Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

/**
 * A range that holds: where `limited` says so or, with autolimits, says nothing. Two equal or exchanged numbers are no range; one that is
 * said to hold is an error, as is one of which nothing is said without autolimits.
 *
 * @param key before `range` and `limited`, such as `ctrl`
 */
export function readRange(
  reader: Reader,
  element: XmlElement,
  place: XmlElement,
  what: string,
  key: string,
  autolimits: boolean,
): readonly [number, number] | undefined {
  const [range, limited] = [`${key}range`, `${key}limited`]
  const { [range]: text, [limited]: stated = 'auto' } = element.attributes
  const numbers = text === undefined ? [0, 0] : reader.numbers(element, range, 2, what)
  if (!numbers) return undefined
  const [low, high] = numbers
  const refuse = (message: string, remedy: string) => void reader.findings.error('mjcf-range', place, what, message, remedy)
  if (stated === 'true' && !(low < high))
    refuse(`${range} ${low} ${high} is to hold and is none.`, 'State two numbers, the smaller first.')
  if (stated === 'auto' && !autolimits && (low !== 0 || high !== 0))
    refuse(`it has a ${range}, and autolimits is off.`, `State ${limited}="true" or "false".`)
  return low < high && (stated === 'true' || (stated === 'auto' && autolimits)) ? [low, high] : undefined
}

/** A coefficient of a spring or damper: the linear term, 0 or more, and those of the next two powers. */
export function readPolynomial(reader: Reader, element: XmlElement, key: string, what: string): Polynomial {
  const stated = element.attributes[key] === undefined ? [] : (reader.numbers(element, key, undefined, what) ?? [])
  const [value = 0, second = 0, third = 0] = stated
  if (value >= 0) return [value, second, third]
  reader.findings.repair(`${key}-negative`, element, what, `${key} ${value} is negative.`, 'Its magnitude is used.')
  return [-value, second, third]
}
