import type { Polynomial } from '../../dynamics/index.ts'
import type { Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

/** A coefficient of a spring or damper: the linear term, 0 or more, and those of the next two powers. */
export function readPolynomial(reader: Reader, element: XmlElement, key: string, what: string): Polynomial {
  const stated = element.attributes[key] === undefined ? [] : (reader.numbers(element, key, undefined, what) ?? [])
  const [value = 0, second = 0, third = 0] = stated
  if (value >= 0) return [value, second, third]
  reader.findings.repair(`${key}-negative`, element, what, `${key} ${value} is negative.`, 'Its magnitude is used.')
  return [-value, second, third]
}
