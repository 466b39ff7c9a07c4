import type { InertialDescription } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import { readOrigin } from './origin.ts'

const diagonal = ['ixx', 'iyy', 'izz'] as const
const products = ['ixy', 'ixz', 'iyz'] as const

/**
 * `<inertial>` as stated; physical consistency is checked elsewhere. A mass or an inertia that is not stated
 * is 0, products of inertia that are not stated are 0.
 */
export function readInertial(reader: Reader, element: XmlElement, link: string): InertialDescription | undefined {
  const { account, findings } = reader
  account.use(element)
  const what = `<inertial> of link ${quote(link)}`
  const origin = readOrigin(reader, element, what)
  const massElement = reader.only(element, 'mass', what)
  const inertiaElement = reader.only(element, 'inertia', what)

  let mass: number | undefined = 0
  if (massElement) {
    account.use(massElement)
    mass = reader.number(massElement, 'value', `<mass> of link ${quote(link)}`)
  } else findings.repair('mass-missing', element, what, 'it states no <mass>.', 'Taken as 0; add <mass value="..."/>.')

  const inertia: number[] = []
  if (inertiaElement) {
    account.use(inertiaElement)
    const whatInertia = `<inertia> of link ${quote(link)}`
    for (const key of diagonal) push(inertia, reader.number(inertiaElement, key, whatInertia))
    for (const key of products) push(inertia, reader.optional(inertiaElement, key, whatInertia, 0))
  } else inertia.push(0, 0, 0, 0, 0, 0)

  if (origin === undefined || mass === undefined || inertia.length < 6) return undefined
  const [xx, yy, zz, xy, xz, yz] = inertia
  return { origin, mass, inertia: [xx, yy, zz, xy, xz, yz], place: element, inertiaPlace: inertiaElement ?? element }
}

function push(list: number[], value: number | undefined): void {
  if (value !== undefined) list.push(value)
}
