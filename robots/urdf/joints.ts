import { listed } from '../../dynamics/index.ts'
import { scaledUnitOf } from '../compile/pose.ts'
import {
  type JointDescription,
  type JointDescriptionType,
  type MimicDescription,
  type Triple,
  unlimited,
} from '../description.ts'
import { closest, quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import { readLimits, readSoftLimits } from './limits.ts'
import { firstOfEachName } from './names.ts'
import { readOrigin } from './origin.ts'
import type { JointSpring } from './surfaces.ts'

const types: ReadonlyMap<string, JointDescriptionType> = new Map([
  ['revolute', 'revolute'],
  ['continuous', 'continuous'],
  ['prismatic', 'prismatic'],
  ['fixed', 'fixed'],
  ['floating', 'floating'],
  ['planar', 'planar'],
  ['spherical', 'spherical'],
  ['ball', 'spherical'],
])

const noAxis: Triple = [1, 0, 0]
const still = { damping: 0, friction: 0, armature: 0 }
/** Deviation of an axis from unit length that is not reported: the error of rounding to three digits. */
const axisTolerance = 1e-3

/**
 * @param armatures rotor inertia by joint, reflected to the joint
 * @param springs   of Gazebo, by joint
 * @param version   of URDF, as the file states it
 */
export function readJoints(
  reader: Reader,
  elements: readonly XmlElement[],
  armatures: ReadonlyMap<string, number>,
  springs: ReadonlyMap<string, JointSpring>,
  version: number,
): JointDescription[] {
  const joints: JointDescription[] = []
  for (const [name, element] of firstOfEachName(reader, elements, 'joint')) {
    const joint = readJoint(reader, element, name, armatures.get(name) ?? 0, version)
    if (joint) joints.push(withSpring(reader, joint, springs.get(name) ?? {}))
  }
  return joints
}

/** With the spring of `<gazebo>`, where it states one, in place of that of `<dynamics>`. */
function withSpring(reader: Reader, joint: JointDescription, ofGazebo: JointSpring): JointDescription {
  const { name, type, place } = joint
  const { stiffness = 0, springReference = 0 } = (ofGazebo.stiffness ?? 0) > 0 ? ofGazebo : joint
  if (stiffness === 0) return joint
  if (type === 'revolute' || type === 'continuous' || type === 'prismatic') return { ...joint, stiffness, springReference }
  const message = `a ${type} joint has no axis for a spring.`
  reader.findings.repair('dynamics-unused', place, `<joint name=${quote(name)}>`, message, 'Left out.')
  return { ...joint, stiffness: undefined, springReference: undefined }
}

function readJoint(
  reader: Reader,
  element: XmlElement,
  name: string,
  armature: number,
  version: number,
): JointDescription | undefined {
  const what = `<joint name=${quote(name)}>`
  const type = readType(reader, element, what)
  const origin = readOrigin(reader, element, what)
  const parent = readLink(reader, element, 'parent', what)
  const child = readLink(reader, element, 'child', what)
  for (const tag of element.children) {
    if (tag.name === 'safety_controller') reader.account.carry(tag)
  }
  if (type === undefined) return undefined

  const moves = type === 'revolute' || type === 'continuous' || type === 'prismatic'
  const axis = moves || type === 'planar' ? readAxis(reader, element, what) : noAxis
  const limits = moves ? readLimits(reader, element, type, name, version) : unlimited
  const soft = moves ? readSoftLimits(reader, element, type, name) : undefined
  const dynamics = type === 'fixed' ? still : readDynamics(reader, element, name)
  const mimic = readMimic(reader, element, name)
  if (!moves) noteUnused(reader, element, type)
  if (origin === undefined || parent === undefined || child === undefined || axis === undefined || !limits) return undefined
  return {
    ...{ name, type, parent, child, origin, axis },
    ...limits,
    ...dynamics,
    armature: type === 'fixed' ? 0 : armature + dynamics.armature,
    ...soft,
    mimic,
    place: element,
  }
}

function readType(reader: Reader, element: XmlElement, what: string): JointDescriptionType | undefined {
  const text = reader.attribute(element, 'type', what)
  if (text === undefined && element.attributes.type !== undefined) return undefined
  const type = text === undefined ? undefined : types.get(text)
  if (type) return type
  const known = [...types.keys()].filter((word) => word !== 'ball')
  const meant = text === undefined ? undefined : closest(text, known)
  reader.findings.error(
    'joint-type',
    element,
    what,
    text === undefined
      ? 'it states no type.'
      : `type ${quote(text)} is unknown${meant === undefined ? '' : `; "${meant}" may be meant`}.`,
    `Known are ${listed(known)}.`,
  )
  return undefined
}

function readLink(reader: Reader, element: XmlElement, tag: 'parent' | 'child', what: string): string | undefined {
  const found = reader.only(element, tag, what)
  if (!found) {
    reader.findings.error(`${tag}-missing`, element, what, `it has no <${tag}>.`, `Add <${tag} link="..."/>.`)
    return undefined
  }
  reader.account.use(found)
  return reader.required(found, 'link', `<${tag}> of ${what}`)
}

/** The axis at unit length; 1 0 0 where none is stated. */
function readAxis(reader: Reader, element: XmlElement, what: string): Triple | undefined {
  const found = reader.only(element, 'axis', what)
  if (!found) return noAxis
  reader.account.use(found)
  const whatAxis = `<axis> of ${what}`
  if (found.attributes.xyz === undefined) {
    reader.findings.repair('axis-missing', found, whatAxis, 'it states no xyz.', 'The default, 1 0 0, is used.')
    return noAxis
  }
  const axis = reader.triple(found, 'xyz', whatAxis)
  if (!axis) return undefined
  const unit = scaledUnitOf(axis)
  if (!unit) {
    const remedy = 'State the axis that the joint moves along or about.'
    reader.findings.error('axis-zero', found, whatAxis, '0 0 0 has no direction.', remedy)
    return undefined
  }
  const length = Math.hypot(...axis)
  if (Math.abs(length - 1) > axisTolerance) {
    const message = `xyz=${quote(found.attributes.xyz)} has length ${length.toPrecision(4)}.`
    reader.findings.repair('axis-length', found, whatAxis, message, 'Its direction is used, at length 1.')
  }
  return unit
}

type Dynamics = Pick<JointDescription, 'damping' | 'friction' | 'armature' | 'stiffness' | 'springReference'>

/** `<dynamics>` with the rotor's inertia and the spring that simulators' extensions of URDF and SDF state in it. */
function readDynamics(reader: Reader, element: XmlElement, name: string): Dynamics {
  const found = reader.only(element, 'dynamics', `<joint name=${quote(name)}>`)
  if (!found) return still
  reader.account.use(found)
  const what = `<dynamics> of joint ${quote(name)}`
  const read = (attribute: string, code: string, bad: string, remedy: string): number => {
    const value = reader.optional(found, attribute, what, 0) ?? 0
    if (value >= 0) return value
    reader.findings.repair(`${code}-negative`, found, what, `${attribute} ${value} is negative${bad}`, remedy)
    return remedy === magnitude ? -value : 0
  }
  const magnitude = 'Its magnitude is used.'
  const damping = read('damping', 'damping', ', which would drive the joint.', magnitude)
  const friction = read('friction', 'friction', ', which would drive the joint.', magnitude)
  const armature = read('armature', 'rotor-inertia', '.', 'Taken as 0.')
  const stiffness = read('spring_stiffness', 'stiffness', ': it would push away from its reference.', 'Left out.')
  const springReference = reader.optional(found, 'spring_reference', what, 0) ?? 0
  return { damping, friction, armature, ...(stiffness > 0 && { stiffness, springReference }) }
}

/** The joint that it follows, and how; validity is checked elsewhere. */
function readMimic(reader: Reader, element: XmlElement, name: string): MimicDescription | undefined {
  const found = reader.only(element, 'mimic', `<joint name=${quote(name)}>`)
  if (!found) return undefined
  reader.account.use(found)
  const what = `<mimic> of joint ${quote(name)}`
  const joint = reader.required(found, 'joint', what)
  const multiplier = reader.optional(found, 'multiplier', what, 1)
  const offset = reader.optional(found, 'offset', what, 0)
  if (joint === undefined || multiplier === undefined || offset === undefined) return undefined
  return { joint, multiplier, offset, place: found }
}

/** Notes elements without meaning for joints of this type, which exporters write all the same. */
function noteUnused(reader: Reader, element: XmlElement, type: JointDescriptionType): void {
  for (const child of element.children) {
    const { name } = child
    const unused = name === 'limit' || (name === 'dynamics' && type === 'fixed')
    if (!unused) continue
    const what = `<${name}> of joint ${quote(element.attributes.name)}`
    reader.note(`${name}-unused`, child, what, `a ${type} joint has no use for it.`, 'Passed by.')
  }
}
