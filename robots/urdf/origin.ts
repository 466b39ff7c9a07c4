import { rpyOfQuaternion } from '../compile/pose.ts'
import type { OriginDescription, Triple } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
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

/** Deviation of a quaternion from unit length that is not reported: the error of rounding to three digits. */
const unitTolerance = 1e-3

/**
 * The attributes xyz and rpy of an element, each zero where it is left out, or URDF 1.1's quat_xyzw in place of rpy; undefined
 * if one cannot be read.
 */
export function readPlacement(reader: Reader, element: XmlElement, what: string): OriginDescription | undefined {
  const xyz = element.attributes.xyz === undefined ? zero : reader.triple(element, 'xyz', what)
  const rpy = element.attributes.rpy === undefined ? zero : reader.triple(element, 'rpy', what)
  if (element.attributes.quat_xyzw === undefined) return xyz && rpy && { xyz, rpy }
  const turned = readQuaternion(reader, element, what)
  if (element.attributes.rpy !== undefined) {
    const message = 'it states both rpy and quat_xyzw; URDF 1.1 allows one of them.'
    reader.findings.repair('origin-twice', element, what, message, 'quat_xyzw is used; remove one of them.')
  }
  return xyz && rpy && turned && { xyz, rpy: turned }
}

function readQuaternion(reader: Reader, element: XmlElement, what: string): Triple | undefined {
  const numbers = reader.numbers(element, 'quat_xyzw', 4, what)
  if (!numbers) return undefined
  const largest = Math.max(...numbers.map(Math.abs))
  const text = `quat_xyzw=${quote(element.attributes.quat_xyzw)}`
  if (largest === 0) {
    reader.findings.error('quaternion-zero', element, what, `${text} is no rotation.`, 'No turn is 0 0 0 1.')
    return undefined
  }
  const [x, y, z, w] = numbers.map((entry) => entry / largest)
  const length = Math.sqrt(x * x + y * y + z * z + w * w)
  if (Math.abs(length * largest - 1) > unitTolerance) {
    const message = `${text} has length ${(length * largest).toPrecision(4)}.`
    reader.findings.repair('quaternion-length', element, what, message, 'Used at length 1.')
  }
  return rpyOfQuaternion([x / length, y / length, z / length, w / length])
}
