import { poseToOrigin } from '../compile/pose.ts'
import type { LengthDescription, PartDescription, SeatDescription, TendonDescription } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Bodies, Seat } from './bodies.ts'
import { readSoftness } from './geoms.ts'
import type { Compiler } from './options.ts'
import { readPolynomial, readRange } from './ranges.ts'
import { unscaled } from './scale.ts'

/** Limits and dry friction along a tendon. */
export function constraintsOf(
  reader: Reader,
  element: XmlElement,
  filled: XmlElement,
  what: string,
  { name, parts }: TendonDescription,
  { off, autolimits }: Compiler,
): LengthDescription[] {
  const range = readRange(reader, filled, element, what, '', autolimits)
  const friction = reader.optional(filled, 'frictionloss', what, 0) ?? 0
  const own = (of: 'limit' | 'friction') => ({ name, kind: of, parts, ...readSoftness(reader, filled, what, of), place: element })
  return [
    ...(range && !off.has('limit') ? [{ ...own('limit'), lower: range[0], upper: range[1] }] : []),
    ...(friction > 0 && !off.has('frictionloss') ? [{ ...own('friction'), friction }] : []),
  ]
}

/** The frame of a site, a geom or a camera as a description has it. */
export const placed = ({ link, pose }: Seat): SeatDescription => ({ link, origin: poseToOrigin(pose) })

/**
 * Reads a `<fixed>` or `<spatial>`: its path, and what acts along it.
 *
 * @param filled with the attributes of its class; `element` has the path
 * @returns undefined where the path is not complete, which is an error
 */
export function readTendon(
  reader: Reader,
  element: XmlElement,
  filled: XmlElement,
  what: string,
  bodies: Bodies,
  { off }: Compiler,
): TendonDescription | undefined {
  const parts = element.name === 'fixed' ? jointsOf(reader, element, what, bodies) : pathOf(reader, element, what, bodies)
  if (!parts) return undefined
  const none = [0, 0, 0] as const
  // in radians or metres always, where that of a hinge is in the file's unit of angles
  const yielding = reader.optional(filled, 'springyield', what, 0) ?? 0
  const stated = filled.attributes.springlength === undefined ? [-1] : reader.numbers(filled, 'springlength', undefined, what)
  const [low = -1, high = low] = stated ?? []
  const armature = reader.optional(filled, 'armature', what, 0) ?? 0
  return {
    name: element.attributes.name ?? '',
    parts,
    stiffness: off.has('spring') ? none : readPolynomial(reader, filled, 'stiffness', what),
    damping: off.has('damper') ? none : readPolynomial(reader, filled, 'damping', what),
    ...(!(low === -1 && high === -1) && { free: [low, high] as const }),
    ...(yielding > 0 && { yield: yielding }),
    ...(armature > 0 && { armature }),
    place: element,
  }
}

function jointsOf(reader: Reader, element: XmlElement, what: string, bodies: Bodies): PartDescription[] | undefined {
  const parts: PartDescription[] = []
  for (const child of element.children) {
    if (child.name !== 'joint') continue
    reader.account.use(child)
    const name = reader.required(child, 'joint', what)
    const factor = reader.number(child, 'coef', what)
    if (name === undefined || factor === undefined) return undefined
    const joint = bodies.joints.find((one) => one.name === name)
    if (!joint) return unknown(reader, child, what, 'joint', name)
    const { scale } = bodies.coordinates.find((one) => one.joint === name) ?? { scale: unscaled }
    if (scale !== unscaled)
      reader.findings.repair('mjcf-unsupported', element, what, 'a tendon in a frame of another scale.', 'Passed by.')
    if (joint.type !== 'revolute' && joint.type !== 'prismatic') {
      reader.findings.error('tendon', child, what, `joint ${quote(name)} has several coordinates.`, 'Name hinges and slides.')
      return undefined
    }
    parts.push({ type: 'joint', joint: name, factor })
  }
  return parts
}

function unknown(reader: Reader, child: XmlElement, what: string, key: string, name: string): undefined {
  reader.findings.error('name-unknown', child, what, `${key}: there is none called ${quote(name)}.`, 'Correct the name.')
  return undefined
}

/** Sites, pulleys and geoms; a geom stands between two sites, a pulley between two branches. */
function pathOf(reader: Reader, element: XmlElement, what: string, bodies: Bodies): PartDescription[] | undefined {
  const parts: PartDescription[] = []
  for (const child of element.children) {
    if (!['site', 'geom', 'pulley'].includes(child.name)) continue
    reader.account.use(child)
    const part = child.name === 'pulley' ? pulleyOf(reader, child, what) : placeOf(reader, child, what, bodies)
    if (!part) return undefined
    parts.push(part)
  }
  const wrong = parts.findIndex(
    ({ type }, k) => type === 'wrap' && (parts[k - 1]?.type !== 'site' || parts[k + 1]?.type !== 'site'),
  )
  const sites = parts.filter(({ type }) => type === 'site').length
  if (wrong < 0 && sites > 1) return parts
  const message = wrong < 0 ? `its path has ${sites} sites.` : 'a geom of its path stands between two sites.'
  reader.findings.error('tendon', element, what, message, 'A path goes from site to site; a geom or a pulley stands between two.')
  return undefined
}

function pulleyOf(reader: Reader, child: XmlElement, what: string): PartDescription | undefined {
  const divisor = reader.number(child, 'divisor', what)
  if (divisor === undefined || divisor > 0) return divisor === undefined ? undefined : { type: 'pulley', divisor }
  reader.findings.error('tendon', child, what, `divisor ${divisor} of a pulley.`, 'Let it be above 0.')
  return undefined
}

function placeOf(reader: Reader, child: XmlElement, what: string, bodies: Bodies): PartDescription | undefined {
  const name = reader.required(child, child.name, what)
  if (name === undefined) return undefined
  const seat = bodies.seats.get(`${child.name} ${name}`)
  if (!seat) return unknown(reader, child, what, child.name, name)
  if (child.name === 'site') return { type: 'site', at: placed(seat) }
  const { shape } = seat
  if (shape?.type !== 'sphere' && shape?.type !== 'cylinder') {
    reader.findings.error(
      'tendon',
      child,
      what,
      `geom ${quote(name)} is neither a sphere nor a cylinder.`,
      'Wrap round one of these.',
    )
    return undefined
  }
  const sidesite = child.attributes.sidesite
  const side = sidesite === undefined ? undefined : bodies.seats.get(`site ${sidesite}`)
  if (sidesite !== undefined && !side) return unknown(reader, child, what, 'sidesite', sidesite)
  return {
    ...{ type: 'wrap', at: placed(seat), radius: shape.radius, isCylinder: shape.type === 'cylinder' },
    ...(side && { other: placed(side) }),
  }
}
