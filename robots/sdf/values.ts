import { poseAt, poseOfOrigin, rotationOf, type StatedPose } from '../compile/pose.ts'
import type { Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

/** Values of SDF, which stand in elements of their own. An element that is missing has its default; one that is wrong is a finding. */
export class Values {
  readonly reader: Reader

  constructor(reader: Reader) {
    this.reader = reader
  }

  numbers(element: XmlElement, count: number, what: string): number[] | undefined {
    const { name, text } = element
    return this.reader.numbers({ ...element, attributes: { value: text } }, 'value', count, `<${name}> of ${what}`)
  }

  number(element: XmlElement, name: string, what: string, otherwise: number): number {
    const found = element.children.find((child) => child.name === name)
    if (!found) return otherwise
    this.reader.account.use(found)
    return this.numbers(found, 1, what)?.[0] ?? otherwise
  }

  /** The same, infinite too: `inf`, `-inf`. */
  extended(element: XmlElement, name: string, what: string, otherwise: number): number {
    const found = element.children.find((child) => child.name === name)
    const infinite = /^([+-]?)inf(?:inity)?$/i.exec(found?.text ?? '')
    if (!found || !infinite) return this.number(element, name, what, otherwise)
    this.reader.account.use(found)
    return infinite[1] === '-' ? -Infinity : Infinity
  }

  /** The `<pose>` in an element, not yet resolved. */
  pose(element: XmlElement, what: string): StatedPose | undefined {
    const found = element.children.find(({ name }) => name === 'pose')
    if (!found || found.text === '') return poseAt([0, 0, 0])
    if (element.name !== 'visual') this.reader.account.use(found)
    if (found.attributes.rotation_format === 'quat_xyzw') {
      const numbers = this.numbers(found, 7, what)
      if (!numbers) return undefined
      const [x, y, z, w] = numbers.slice(3)
      const length = Math.hypot(x, y, z, w)
      if (!(length > 0)) {
        this.reader.findings.error('quaternion-zero', found, what, '0 0 0 0 is no rotation.', 'No turn is 0 0 0 1.')
        return undefined
      }
      return poseAt(numbers.slice(0, 3), rotationOf([x / length, y / length, z / length, w / length]))
    }
    const numbers = this.numbers(found, 6, what)
    if (!numbers) return undefined
    const unit = found.attributes.degrees === 'true' ? Math.PI / 180 : 1
    const [x, y, z, roll, pitch, yaw] = numbers
    const origin = { xyz: [x, y, z], rpy: [roll * unit, pitch * unit, yaw * unit] } as const
    return { ...poseOfOrigin(origin), origin }
  }
}

/** The child of a name at the end of a path of names; undefined if one is missing. */
export function descend(element: XmlElement, names: readonly string[]): XmlElement[] | undefined {
  const path: XmlElement[] = []
  let at: XmlElement | undefined = element
  for (const name of names) {
    at = at?.children.find((child) => child.name === name)
    if (!at) return undefined
    path.push(at)
  }
  return path
}
