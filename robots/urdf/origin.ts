import type { OriginDescription, Triple } from '../description.ts'
import type { Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

const zero: Triple = [0, 0, 0]
const identity: OriginDescription = { xyz: zero, rpy: zero }

/** The `<origin>` in an element, the identity where there is none; undefined if it cannot be read. */
export function readOrigin(reader: Reader, element: XmlElement, what: string): OriginDescription | undefined {
  const origin = reader.only(element, 'origin', what)
  if (!origin) return identity
  reader.account.use(origin)
  return readPlacement(reader, origin, `<origin> of ${what}`)
}

/** The attributes xyz and rpy of an element, each zero where it is left out; undefined if one cannot be read. */
export function readPlacement(reader: Reader, element: XmlElement, what: string): OriginDescription | undefined {
  const xyz = element.attributes.xyz === undefined ? zero : reader.triple(element, 'xyz', what)
  const rpy = element.attributes.rpy === undefined ? zero : reader.triple(element, 'rpy', what)
  return xyz && rpy && { xyz, rpy }
}
