import { type JointDescription, type JointDescriptionType, unlimited } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

export type Limits = Pick<JointDescription, 'lower' | 'upper' | 'effort' | 'velocity' | 'acceleration' | 'deceleration' | 'jerk'>

/** Limits from this value on mean none, as written by exporters for which a number is mandatory (SDF's convention). */
const NO_LIMIT = 1e16

/**
 * The limits of a revolute, continuous or prismatic joint.
 *
 * A continuous joint has no range, even if one is stated. Without lower and upper the range is unlimited: the standard's
 * default, 0 to 0, would lock joints that are meant to move. If only one of them is stated the other is the standard's 0.
 * From URDF 1.2 on limits that are not stated are infinite. An effort or velocity of 0 cannot mean that the joint never moves, so it
 * counts as not stated.
 *
 * @param version of the file's `<robot>`, 1 where it states none
 */
export function readLimits(
  reader: Reader,
  element: XmlElement,
  type: JointDescriptionType,
  name: string,
  version: number,
): Limits | undefined {
  const { findings } = reader
  const joint = `joint ${quote(name)}`
  const found = reader.only(element, 'limit', `<joint name=${quote(name)}>`)
  if (!found) {
    if (type === 'continuous') return unlimited
    const message = `a ${type} joint without <limit>.`
    findings.repair('limit-missing', element, `<joint name=${quote(name)}>`, message, 'Taken as unlimited.')
    return unlimited
  }
  reader.account.use(found)
  const what = `<limit> of ${joint}`
  const range = type === 'continuous' ? unlimited : readRange(reader, found, what, version)
  if (type === 'continuous' && (found.attributes.lower !== undefined || found.attributes.upper !== undefined)) {
    reader.note('limit-continuous', found, what, 'it gives a range to a continuous joint.', 'The range is passed by.')
  }
  const effort = readMost(reader, found, 'effort', what)
  const velocity = readMost(reader, found, 'velocity', what)
  if (!range || effort === undefined || velocity === undefined) return undefined
  return { lower: range.lower, upper: range.upper, effort, velocity, ...readRates(reader, found, what) }
}

/** The limits on rates of change that URDF 1.2 adds, where they are stated. */
function readRates(reader: Reader, found: XmlElement, what: string): Pick<Limits, 'acceleration' | 'deceleration' | 'jerk'> {
  const rates: { acceleration?: number; deceleration?: number; jerk?: number } = {}
  for (const attribute of ['acceleration', 'deceleration', 'jerk'] as const) {
    if (found.attributes[attribute] === undefined) continue
    const value = readMost(reader, found, attribute, what)
    if (value !== undefined && value < Infinity) rates[attribute] = value
  }
  return rates
}

function readRange(
  reader: Reader,
  found: XmlElement,
  what: string,
  version: number,
): Pick<Limits, 'lower' | 'upper'> | undefined {
  const { findings } = reader
  const newer = version >= 1.2
  const stated = (['lower', 'upper'] as const).filter((attribute) => found.attributes[attribute] !== undefined)
  if (stated.length === 0) {
    if (newer) return unlimited
    findings.repair('limit-missing', found, what, 'it states neither lower nor upper.', 'Taken as unlimited.')
    return unlimited
  }
  const statedLower = reader.optional(found, 'lower', what, newer ? -Infinity : 0)
  const statedUpper = reader.optional(found, 'upper', what, newer ? Infinity : 0)
  if (statedLower === undefined || statedUpper === undefined) return undefined
  const [lower, upper] = [statedLower, statedUpper].map((limit) => (Math.abs(limit) >= NO_LIMIT ? limit * Infinity : limit))
  if (stated.length === 1 && !newer) {
    const missing = stated[0] === 'lower' ? 'upper' : 'lower'
    findings.repair('limit-half', found, what, `it states no ${missing}.`, `Taken as 0, as the standard has it.`)
  }
  if (lower > upper) {
    findings.repair('limit-reversed', found, what, `lower ${lower} is above upper ${upper}.`, 'Swapped.')
    return { lower: upper, upper: lower }
  }
  if (lower === upper) {
    const message = `lower and upper are both ${lower}, so that the joint cannot move.`
    findings.warning('limit-locked', found, what, message, 'Used as it is; a joint that is not to move can be a fixed one.')
  }
  return { lower, upper }
}

/** The largest effort, speed or rate. */
function readMost(reader: Reader, found: XmlElement, attribute: keyof Limits, what: string): number | undefined {
  if (found.attributes[attribute] === undefined) {
    reader.note(`${attribute}-missing`, found, what, `it states no ${attribute}.`, `No ${attribute} limit.`)
    return Infinity
  }
  const value = reader.number(found, attribute, what)
  if (value !== undefined && value >= NO_LIMIT) return Infinity
  if (value === 0) {
    const remedy = `Taken as not stated: no ${attribute} limit.`
    reader.findings.repair(`${attribute}-zero`, found, what, `${attribute} is 0.`, remedy)
    return Infinity
  }
  if (value !== undefined && value < 0) {
    const message = `${attribute} ${value} is negative.`
    reader.findings.repair(`${attribute}-negative`, found, what, message, 'Its magnitude is used.')
    return -value
  }
  return value
}

/** The soft limits of `<safety_controller>`, which are kept and not enforced. */
export function readSoftLimits(
  reader: Reader,
  element: XmlElement,
  type: JointDescriptionType,
  name: string,
): Pick<JointDescription, 'softLower' | 'softUpper'> {
  const found = reader.only(element, 'safety_controller', `<joint name=${quote(name)}>`)
  if (!found) return {}
  const what = `<safety_controller> of joint ${quote(name)}`
  if (found.attributes.k_velocity === undefined) {
    const message = 'k_velocity is missing, for which urdfdom (Pinocchio, ROS) and urdf_parser_py refuse the robot.'
    reader.findings.warning('safety-k-velocity', found, what, message, 'Passed by; state k_velocity.')
  }
  if (type === 'continuous') return {}
  const read = (attribute: 'soft_lower_limit' | 'soft_upper_limit') =>
    found.attributes[attribute] === undefined ? undefined : reader.number(found, attribute, what)
  return { softLower: read('soft_lower_limit'), softUpper: read('soft_upper_limit') }
}
