import type { PartDescription, SeatDescription, TendonDescription } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Bodies } from './bodies.ts'
import { placed } from './tendons.ts'

/**
 * What an actuator acts on: a joint of one coordinate, or lengths (`LengthPart`), one or the three of an orientation, or none, where it attracts
 * what a link touches.
 */
export type Transmission =
  | { readonly joint: Bodies['joints'][number] }
  | { readonly lengths: readonly (readonly PartDescription[])[]; readonly inSite?: boolean; readonly attracts?: string }

type Triple = readonly [number, number, number]

const axes: readonly Triple[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]
const still: Triple = [0, 0, 0]

/** Reads the transmission of an actuator; of a wrench, all six numbers of `gear` are in its lengths. */
export class TransmissionReader {
  private readonly reader: Reader
  private readonly sites: Bodies['sites']
  private readonly joints: ReadonlyMap<string, Bodies['joints'][number]>
  private readonly links: ReadonlyMap<string, Bodies['links'][number]>
  private readonly tendons: ReadonlyMap<string, TendonDescription>

  constructor(reader: Reader, bodies: Bodies, tendons: ReadonlyMap<string, TendonDescription>) {
    this.reader = reader
    this.sites = bodies.sites
    this.joints = new Map(bodies.joints.map((joint) => [joint.name, joint]))
    this.links = new Map(bodies.links.map((link) => [link.name, link]))
    this.tendons = tendons
  }

  /** @returns undefined after a finding */
  read(element: XmlElement, place: XmlElement, what: string): Transmission | undefined {
    const { attributes } = element
    const isTurn = element.name === 'orientation'
    const key = ['joint', 'jointinparent', 'tendon', 'site', 'cranksite', 'body'].find((one) => attributes[one] !== undefined)
    switch (key) {
      case 'joint':
      case 'jointinparent':
        return this.ofJoint(element, what, key, isTurn)
      case 'tendon': {
        const tendon = this.named(element, key, what, this.tendons)
        return tendon && { lengths: [tendon.parts] }
      }
      case 'site':
        return this.ofSite(element, what, isTurn)
      case 'cranksite':
        return this.ofCrank(element, what)
      case 'body': {
        const link = this.named(element, key, what, this.links)
        return link && { lengths: [[]], attracts: link.name }
      }
      default:
        this.reader.findings.repair('mjcf-unsupported', place, what, 'it acts on nothing that is named.', 'Passed by.')
        return undefined
    }
  }

  private named<T>(element: XmlElement, key: string, what: string, among: ReadonlyMap<string, T>): T | undefined {
    const name = this.reader.required(element, key, what)
    const found = name === undefined ? undefined : among.get(name)
    if (name !== undefined && found === undefined)
      this.reader.findings.error(
        'name-unknown',
        element,
        what,
        `${key}: there is none called ${quote(name)}.`,
        'Correct the name.',
      )
    return found
  }

  private seat(element: XmlElement, key: string, what: string): SeatDescription | undefined {
    const seat = this.named(element, key, what, this.sites)
    return seat && placed(seat)
  }

  /** Force and moment of `gear`. */
  private wrench(element: XmlElement, what: string): readonly [Triple, Triple] {
    const stated = element.attributes.gear === undefined ? [1] : (this.reader.numbers(element, 'gear', undefined, what) ?? [])
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = stated
    return [
      [a, b, c],
      [d, e, f],
    ]
  }

  private ofJoint(element: XmlElement, what: string, key: string, isTurn: boolean): Transmission | undefined {
    const joint = this.named(element, key, what, this.joints)
    if (!joint) return undefined
    const inParent = key === 'jointinparent'
    if (joint.type === 'spherical') {
      const along = isTurn ? axes : [this.wrench(element, what)[0]]
      return { lengths: along.map((axis) => [{ type: 'axis', joint: joint.name, axis, inParent }]) }
    }
    if (joint.type !== 'floating') return { joint }
    // a free joint: the force along the world's axes, the moment about the body's or, in the parent, the world's
    const [force, moment] = this.wrench(element, what)
    const at: SeatDescription = { link: joint.child, origin: { xyz: [0, 0, 0], rpy: [0, 0, 0] } }
    const push: PartDescription = { type: 'wrench', at, force, moment: inParent ? moment : still, inWorld: true }
    const turn: PartDescription = { type: 'wrench', at, force: still, moment, inWorld: false }
    return { lengths: [inParent ? [push] : [push, turn]] }
  }

  private ofSite(element: XmlElement, what: string, isTurn: boolean): Transmission | undefined {
    const at = this.seat(element, 'site', what)
    const hasReference = element.attributes.refsite !== undefined
    const other = hasReference ? this.seat(element, 'refsite', what) : undefined
    if (!at || (hasReference && !other)) return undefined
    if (isTurn) {
      if (other) return { lengths: axes.map((moment) => [{ type: 'offset', at, other, force: still, moment }]), inSite: true }
      this.reader.findings.error('actuator', element, what, 'an orientation of a site without a refsite.', 'State the refsite.')
      return undefined
    }
    const [force, moment] = this.wrench(element, what)
    if (other) return { lengths: [[{ type: 'offset', at, other, force, moment }]] }
    return { lengths: [[{ type: 'wrench', at, force, moment, inWorld: false }]] }
  }

  private ofCrank(element: XmlElement, what: string): Transmission | undefined {
    const other = this.seat(element, 'cranksite', what)
    const at = this.seat(element, 'slidersite', what)
    const rod = this.reader.number(element, 'cranklength', what)
    return at && other && rod !== undefined ? { lengths: [[{ type: 'crank', at, other, rod }]] } : undefined
  }
}

/** Joints of one coordinate that move what the lengths depend on. */
export function jointsAlong(lengths: readonly (readonly PartDescription[])[], joints: Bodies['joints']): Set<string> {
  const byChild = new Map(joints.map((joint) => [joint.child, joint]))
  const found = new Set<string>()
  for (const { joint, at, other } of lengths.flat()) {
    if (joint !== undefined) found.add(joint)
    for (const seat of [at, other]) {
      let own = seat && byChild.get(seat.link)
      while (own && !found.has(own.name)) {
        found.add(own.name)
        own = byChild.get(own.parent)
      }
    }
  }
  return found
}
