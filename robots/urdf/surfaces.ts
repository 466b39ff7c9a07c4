import type { ContactDescription, Triple } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Surface parameters of a link by the extensions of Gazebo and Bullet. */
export interface Surface {
  friction?: number
  frictionAcross?: number
  frictionAxis?: Triple | 'world'
  restitution?: number
  contact?: Mutable<ContactDescription>
  gravity?: boolean
}

const gazeboContact: ReadonlyMap<string, keyof ContactDescription> = new Map([
  ['kp', 'stiffness'],
  ['kd', 'damping'],
  ['minDepth', 'minDepth'],
  ['min_depth', 'minDepth'],
  ['maxVel', 'maxVelocity'],
  ['max_vel', 'maxVelocity'],
  ['maxContacts', 'maxContacts'],
  ['max_contacts', 'maxContacts'],
])
const bulletContact: ReadonlyMap<string, keyof ContactDescription> = new Map([
  ['stiffness', 'stiffness'],
  ['damping', 'damping'],
  ['rolling_friction', 'rollingFriction'],
  ['spinning_friction', 'spinningFriction'],
])
/** Of a joint: a spring towards a reference [N m/rad, N/m; rad, m]. */
export interface JointSpring {
  stiffness?: number
  springReference?: number
}

export interface GazeboExtensions {
  readonly surfaces: ReadonlyMap<string, Surface>
  readonly springs: ReadonlyMap<string, JointSpring>
  readonly selfCollide: ReadonlyMap<string, boolean>
}

/**
 * `<gazebo reference="...">` of links and joints: values are text or an attribute `value`. Plugins and sensors are ignored. Where a
 * link has several, the last value stated counts.
 */
export function readGazebo(
  reader: Reader,
  elements: readonly XmlElement[],
  links: ReadonlySet<string>,
  joints: ReadonlySet<string>,
): GazeboExtensions {
  const surfaces = new Map<string, Surface>()
  const springs = new Map<string, JointSpring>()
  const selfCollide = new Map<string, boolean>()
  for (const element of elements) {
    const reference = reader.attribute(element, 'reference', '<gazebo>')
    if (reference === undefined) continue // for the whole robot: plugins and the like
    const what = `<gazebo reference=${quote(reference)}>`
    if (!links.has(reference)) {
      if (joints.has(reference)) readJointGazebo(reader, element, reference, springs, what)
      else {
        const message = 'there is no link or joint of this name.'
        reader.note('gazebo-reference', element, what, message, 'Passed by; correct the name.', 'warning')
      }
      continue
    }
    const surface = surfaces.get(reference) ?? {}
    surfaces.set(reference, surface)
    readLinkGazebo(reader, element, surface, what)
    for (const child of element.children) {
      if (child.name !== 'selfCollide' && child.name !== 'self_collide') continue
      const flag = reader.flag(child, `<${child.name}> of ${what}`)
      if (flag !== undefined) selfCollide.set(reference, flag)
      reader.account.use(child)
    }
    markGazebo(reader, element)
  }
  return { surfaces, springs, selfCollide }
}

function readJointGazebo(
  reader: Reader,
  element: XmlElement,
  joint: string,
  springs: Map<string, JointSpring>,
  what: string,
): void {
  const { account, findings } = reader
  const spring = springs.get(joint) ?? {}
  springs.set(joint, spring)
  for (const child of element.children) {
    const whatChild = `<${child.name}> of ${what}`
    if (child.name === 'springStiffness') {
      const value = reader.value(child, whatChild)
      if (value !== undefined && value < 0)
        findings.repair('stiffness-negative', child, whatChild, `${value} would push away from its reference.`, 'Left out.')
      else spring.stiffness = value
      account.use(child)
    } else if (child.name === 'springReference') {
      spring.springReference = reader.value(child, whatChild)
      account.use(child)
    } else if (child.name === 'mu' || child.name === 'mu1' || child.name === 'mu2') {
      const remedy = 'Passed by; refer to the link that touches.'
      findings.warning('gazebo-reference', child, whatChild, 'it gives friction to a joint.', remedy)
    }
  }
  markGazebo(reader, element)
}

function readLinkGazebo(reader: Reader, element: XmlElement, surface: Surface, what: string): void {
  const { account, findings } = reader
  const friction: { mu1?: number; mu2?: number } = {}
  let axis: readonly number[] | undefined
  for (const child of element.children) {
    const whatChild = `<${child.name}> of ${what}`
    const key = gazeboContact.get(child.name)
    if (child.name === 'mu') {
      account.carry(child)
      const remedy = "The scenario's friction holds; state mu1 and mu2."
      findings.warning('gazebo-mu', child, whatChild, 'Gazebo reads mu1 and mu2 alone.', remedy)
    } else if (child.name === 'mu1' || child.name === 'mu2') {
      const value = readCoefficient(reader, child, whatChild)
      if (value !== undefined) friction[child.name] = value
      account.use(child)
    } else if (child.name === 'fdir1') {
      axis = reader.numbers({ ...child, attributes: { value: child.attributes.value ?? child.text } }, 'value', 3, whatChild)
      account.use(child)
    } else if (key) {
      keepContact(reader, child, surface, key, whatChild)
    } else if (child.name === 'turnGravityOff' || child.name === 'gravity') {
      readGravity(reader, child, surface, whatChild)
    }
  }
  const { mu1, mu2 = mu1 } = friction
  if (mu2 === undefined) return
  const along = mu1 ?? mu2
  const own = along === mu2 ? { friction: along } : directedFriction(reader, element, what, [along, mu2], axis)
  Object.assign(surface, { frictionAcross: undefined, frictionAxis: undefined }, own)
}

/** Friction by direction of Gazebo's two coefficients; in axes of the world if no direction is stated, which is a finding. */
export function directedFriction(
  { findings }: Reader,
  element: XmlElement,
  what: string,
  [friction, frictionAcross]: readonly [number, number],
  axis: readonly number[] | undefined,
): { friction: number; frictionAcross: number; frictionAxis: Triple | 'world' } {
  const [x, y, z] = axis ?? [0, 0, 0]
  if (x !== 0 || y !== 0 || z !== 0) return { friction, frictionAcross, frictionAxis: [x, y, z] }
  const message = `friction ${friction} and ${frictionAcross} differ, and no direction is stated.`
  const remedy = `As in Gazebo the first acts on level ground along the world's y axis, however the link turns; state fdir1.`
  findings.warning('friction-anisotropic', element, what, message, remedy)
  return { friction, frictionAcross, frictionAxis: 'world' }
}

function readGravity(reader: Reader, element: XmlElement, surface: Surface, what: string): void {
  reader.account.carry(element)
  const flag = reader.flag(element, what)
  if (flag === undefined) return
  const off = element.name === 'turnGravityOff' ? flag : !flag
  if (!off) {
    surface.gravity = undefined
    return
  }
  surface.gravity = false
}

/** `<gazebo>` is used if something in it is, else carried if something in it is. */
function markGazebo({ account }: Reader, element: XmlElement): void {
  for (const child of element.children) {
    if (account.isUsed(child)) account.use(element)
    else if (account.isKept(child)) account.carry(element)
  }
}

/** `<contact>` of a link, as Bullet reads it. */
export function readBulletContact(reader: Reader, element: XmlElement, link: string, surface: Surface): void {
  const { account } = reader
  for (const child of element.children) {
    const what = `<${child.name}> in <contact> of link ${quote(link)}`
    const key = bulletContact.get(child.name)
    if (child.name === 'lateral_friction') {
      const friction = readCoefficient(reader, child, what)
      if (friction !== undefined) Object.assign(surface, { friction, frictionAcross: undefined, frictionAxis: undefined })
    } else if (child.name === 'restitution') surface.restitution = readCoefficient(reader, child, what) ?? surface.restitution
    else if (key) {
      keepContact(reader, child, surface, key, what)
      account.carry(element)
      continue
    } else continue
    account.use(child)
    account.use(element)
  }
}

function keepContact(reader: Reader, element: XmlElement, surface: Surface, key: keyof ContactDescription, what: string): void {
  reader.account.carry(element)
  const value = reader.value(element, what, 'warning')
  if (value === undefined) return
  surface.contact ??= {}
  surface.contact[key] = value
}

/** The friction of one collision in `<drake:proximity_properties>`: the dynamic coefficient, else the static one. */
export function readProximity(reader: Reader, element: XmlElement, what: string): number | undefined {
  const { account } = reader
  let dynamic: number | undefined
  let still: number | undefined
  for (const child of element.children) {
    const whatChild = `<${child.name}> in the ${what}`
    if (child.name === 'drake:mu_dynamic') dynamic = readCoefficient(reader, child, whatChild)
    else if (child.name === 'drake:mu_static') still = readCoefficient(reader, child, whatChild)
    else continue
    account.use(child)
    account.use(element)
  }
  return dynamic ?? still
}

/** A coefficient of friction or restitution: a negative one is ignored. */
function readCoefficient(reader: Reader, element: XmlElement, what: string): number | undefined {
  const value = reader.value(element, what)
  if (value === undefined || value >= 0) return value
  reader.findings.repair('friction-negative', element, what, `${value} is negative.`, 'Passed by; coefficients are 0 or more.')
  return undefined
}
