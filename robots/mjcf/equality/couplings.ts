import { defaultSoftness } from '../../../contact/detection/index.ts'
import type { LengthDescription, PartDescription, TendonDescription } from '../../description.ts'
import { quote, type Reader } from '../../elements/index.ts'
import type { XmlElement } from '../../xml.ts'
import type { Bodies } from '../bodies.ts'
import { readSoftness } from '../geoms.ts'
import { coordinateFactor, unscaled } from '../scale.ts'

/** A length relative to the reference configuration: the sum of the coordinates of joints, each times a factor; undefined of a path. */
type Terms = readonly (readonly [joint: string, factor: number])[] | undefined

/** One side of an equality. */
interface Side {
  readonly parts: readonly PartDescription[]
  readonly terms: Terms
}

/**
 * Reads equalities of joints and tendons, l1 = p(l2), both relative to the reference configuration. Where that is one joint that follows one other by
 * a straight line, the joint is a follower of the mechanism itself, and rigid; all others are constraints of lengths.
 */
export class CouplingReader {
  private readonly reader: Reader
  private readonly bodies: Bodies
  private readonly paths: ReadonlyMap<string, TendonDescription>
  private readonly lengths: LengthDescription[]

  /** @param paths tendons by their names @param lengths out: constraints of lengths */
  constructor(reader: Reader, bodies: Bodies, paths: ReadonlyMap<string, TendonDescription>, lengths: LengthDescription[]) {
    this.reader = reader
    this.bodies = bodies
    this.paths = paths
    this.lengths = lengths
  }

  /** @param filled with the attributes of its class */
  read(place: XmlElement, filled: XmlElement, what: string): void {
    const key = place.name
    const stated = filled.attributes.polycoef === undefined ? [0, 1] : this.reader.numbers(filled, 'polycoef', undefined, what)
    const first = this.reader.required(filled, `${key}1`, what)
    const second = filled.attributes[`${key}2`]
    if (!stated || first === undefined) return
    const sides = [first, ...(second === undefined ? [] : [second])].map((name, k) =>
      this.side(filled, what, `${key}${k + 1}`, name),
    )
    const [one, other] = sides
    if (!one || (second !== undefined && !other)) return
    const degree = stated.reduce((most, x, k) => (x !== 0 ? k : most), 0)
    const terms = degree < 2 ? sumOf(one.terms, other ? other.terms : [], -(stated[1] ?? 0)) : undefined
    const isPair = terms?.length === 2 && (key === 'tendon' || terms[0][0] === first)
    if (terms?.length === 1 && this.holds(terms, stated[0] ?? 0)) return
    if (isPair && this.follows(place, filled, what, terms, stated[0] ?? 0)) return
    const { solref, solimp } = readSoftness(this.reader, filled, what)?.softness ?? defaultSoftness
    this.lengths.push({
      ...{ name: filled.attributes.name ?? `coupling${this.lengths.length + 1}`, kind: 'coupling', place },
      parts: one.parts,
      ...(other && { other: other.parts }),
      polynomial: other ? stated : [stated[0] ?? 0],
      softness: { solref, solimp },
    })
  }

  private side(element: XmlElement, what: string, key: string, name: string): Side | undefined {
    if (key.startsWith('tendon')) {
      const path = this.paths.get(name)
      if (path) return { parts: path.parts, terms: termsOf(path.parts) }
    } else {
      const joint = this.bodies.joints.find((one) => one.name === name)
      const factor = joint && 1 / coordinateFactor(joint.type, this.scaleOf(name))
      if (joint?.type === 'revolute' || joint?.type === 'prismatic')
        return { parts: [{ type: 'joint', joint: name, factor: factor! }], terms: [[name, factor!]] }
      if (joint) {
        this.reader.findings.repair('mjcf-unsupported', element, what, `it couples a ${joint.type} joint.`, 'Passed by.')
        return undefined
      }
    }
    this.reader.findings.error('name-unknown', element, what, `${key}: there is none called ${quote(name)}.`, 'Correct the name.')
    return undefined
  }

  private scaleOf(joint: string) {
    return this.bodies.coordinates.find((one) => one.joint === joint)?.scale ?? unscaled
  }

  private refOf(name: string): number {
    return this.bodies.coordinates.find(({ joint }) => joint === name)?.ref ?? 0
  }

  private jointOf(name: string) {
    return this.bodies.joints.find((joint) => joint.name === name)!
  }

  /** factor (q - ref) = constant: a range of that one point. */
  private holds([[name, factor]]: NonNullable<Terms>, constant: number): boolean {
    const at = constant / factor + this.refOf(name)
    Object.assign(this.jointOf(name), { lower: at, upper: at })
    return true
  }

  /** factor1 (q1 - ref1) + factor2 (q2 - ref2) = constant. @returns whether joint 1 follows joint 2 now */
  private follows(place: XmlElement, element: XmlElement, what: string, terms: NonNullable<Terms>, constant: number): boolean {
    const [[joint1, factor1], [joint2, factor2]] = terms
    const joint = this.jointOf(joint1)
    if (joint.mimic) return false
    if (element.attributes.solref !== undefined || element.attributes.solimp !== undefined)
      this.reader.findings.info('mjcf-softness', place, what, 'softness of a joint that follows.', 'Here it follows rigidly.')
    const multiplier = -factor2 / factor1
    const offset = constant / factor1 + this.refOf(joint1) - multiplier * this.refOf(joint2)
    joint.mimic = { joint: joint2, multiplier, offset, place }
    return true
  }
}

const termsOf = (parts: readonly PartDescription[]): Terms =>
  parts.every(({ type }) => type === 'joint')
    ? parts.flatMap((part) => (part.type === 'joint' && part.joint !== undefined ? [[part.joint, part.factor] as const] : []))
    : undefined

/** a + factor b, without terms that cancel. */
function sumOf(a: Terms, b: Terms, factor: number): Terms {
  if (!a || !b) return undefined
  const sum = new Map<string, number>()
  for (const [joint, c] of a) sum.set(joint, (sum.get(joint) ?? 0) + c)
  for (const [joint, c] of b) sum.set(joint, (sum.get(joint) ?? 0) + factor * c)
  return [...sum].filter(([, c]) => c !== 0)
}
