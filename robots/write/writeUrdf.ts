import { scaledUnitOf } from '../compile/pose.ts'
import { frictionOf } from '../compile/shapes.ts'
import {
  type GeometryDescription,
  type InertialDescription,
  type JointDescription,
  type LinkDescription,
  type MaterialDescription,
  type MimicDescription,
  type OriginDescription,
  type RobotDescription,
  type ShapeDescription,
  shownShapes,
  type Triple,
} from '../description.ts'
import type { Place } from '../robot.ts'
import type { XmlElement } from '../xml.ts'
import { type Attributes, escapeText, positive, written, XmlWriter } from './xmlWriter.ts'

export interface WriteUrdfOptions {
  /** Whether to write visuals and collisions. Default: both. */
  readonly visuals?: boolean
  readonly collisions?: boolean
  /** Lines of a comment at the top of the file. */
  readonly header?: readonly string[]
  /** Write `<link name="world"/>` where joints name a world that no link declares, as several parsers ask. Default: no. */
  readonly declareWorld?: boolean
  /** The text written for the file name of a mesh. Default: the name unchanged. */
  readonly meshReference?: (filename: string, place: Place) => string
  /**
   * The tree that the description was read from. Its parts that a description does not hold (materials, sensors, plugins,
   * attributes of other programs) are then copied unchanged.
   */
  readonly source?: XmlElement
}

/** Children that a description holds, and which are therefore written from it and not from the source. */
const heldByRobot: ReadonlySet<string> = new Set(['link', 'joint', 'drake:joint', 'frame', 'gazebo'])
const heldByLink: ReadonlySet<string> = new Set(['inertial', 'visual', 'collision', 'contact'])
const heldByShape: ReadonlySet<string> = new Set(['origin', 'geometry', 'drake:proximity_properties'])
const heldByJoint: ReadonlySet<string> = new Set([
  ...['origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic', 'safety_controller'],
])
const heldByGeometry: ReadonlySet<string> = new Set(['box', 'sphere', 'cylinder', 'capsule', 'mesh'])
const heldByGazebo: ReadonlySet<string> = new Set(['mu1', 'mu2', 'fdir1', 'gravity', 'turnGravityOff'])
const heldByGazeboJoint: ReadonlySet<string> = new Set(['springStiffness', 'springReference'])
const heldByContact: ReadonlySet<string> = new Set(['lateral_friction', 'restitution'])

/**
 * Writes a description as URDF: read again it gives the same description, but for the places, the
 * tags and the findings. Numbers are written with enough digits to be read back to the same bits. @unchecked
 *
 * Friction of a link is written as `<gazebo>`'s mu1 and mu2, restitution as Bullet's `<contact>`, friction of a collision,
 * armature and pairs that do not collide as Drake's elements. With `source`, its transmissions and filter groups are
 * carried over instead of the last two.
 */
export function writeUrdf(description: RobotDescription, options: WriteUrdfOptions = {}): string {
  return new UrdfWriter(description, options).write()
}

class UrdfWriter extends XmlWriter {
  private readonly description: RobotDescription
  private readonly options: WriteUrdfOptions
  private readonly sourceLinks = new Map<string, XmlElement>()
  private readonly sourceJoints = new Map<string, XmlElement>()
  /** Elements of the source that were ignored and reported as to be removed or corrected. */
  private readonly refused: Set<XmlElement>
  /** Elements of the source with an attribute that was. */
  private readonly misspelt: ReadonlySet<XmlElement>

  constructor(description: RobotDescription, options: WriteUrdfOptions) {
    super(0)
    this.description = description
    this.options = options
    this.refused = found(description, options.source, ['element-misspelt', 'repeated-element', 'rotor-inertia-negative'])
    this.misspelt = found(description, options.source, ['attribute-misspelt'])
    const coupled = found(description, options.source, ['transmission-coupled'])
    const armatures = new Map(description.joints.map(({ name, armature }) => [name, armature]))
    for (const element of options.source?.children ?? []) {
      if (element.name !== 'transmission') continue
      const joints = element.children.filter(({ name }) => name === 'joint')
      const moved = joints.some(({ attributes }) => armatures.get(attributes.name ?? '') !== 0)
      if (moved && !coupled.has(element)) continue
      for (const { children } of element.children) {
        for (const child of children) if (child.name === 'drake:rotor_inertia') this.refused.add(child)
      }
    }
    for (const element of options.source?.children ?? []) {
      const { name } = element.attributes
      if (name === undefined) continue
      if (element.name === 'link') this.sourceLinks.set(name, element)
      if (element.name === 'joint' || element.name === 'drake:joint') this.sourceJoints.set(name, element)
    }
  }

  write(): string {
    const { description, options, lines } = this
    const { name, joints, frames } = description
    const links = description.links.map(withOwnFriction)
    lines.push('<?xml version="1.0" encoding="utf-8"?>')
    if (options.header && options.header.length > 0) {
      lines.push(
        '<!--',
        ...options.header.flatMap((text) => text.split(/\r\n|\r|\n/)).map((line) => `  ${commentText(line)}`),
        '-->',
      )
    }
    this.element('robot', { name, ...this.robotAttributes() }, () => {
      if (description.worldUndeclared && options.declareWorld) this.element('link', { name: 'world' })
      for (const link of links) this.link(link)
      for (const joint of joints) this.joint(joint)
      for (const { name: frame, link, origin } of frames) {
        this.element('frame', { name: frame, link, xyz: triple(origin.xyz), rpy: triple(origin.rpy) })
      }
      for (const link of links) this.surface(link)
      for (const joint of joints) this.spring(joint)
      if (options.source) {
        for (const element of options.source.children) if (element.name === 'gazebo') this.gazebo(element)
        this.carry(options.source, heldByRobot)
      } else {
        this.transmissions()
        this.filterGroups()
      }
    })
    return `${lines.join('\n')}\n`
  }

  /** Attributes of `<robot>` beside its name. A prefix that is used has to be declared, or namespace-aware readers refuse the file. */
  private robotAttributes(): Attributes {
    const { description, options } = this
    const attributes: Attributes = Object.create(null)
    for (const [key, value] of Object.entries(options.source?.attributes ?? {})) {
      if (key !== 'name' && key !== 'xmlns:xacro') attributes[key] = value
    }
    const drakeShapes =
      (options.collisions ?? true) && description.links.some((link) => withOwnFriction(link).collisions.some(hasFriction))
    const drakeOwn =
      options.source === undefined && (description.joints.some(hasArmature) || description.disabledCollisions.length > 0)
    if (drakeShapes || drakeOwn) attributes['xmlns:drake'] ??= 'http://drake.mit.edu'
    return attributes
  }

  private link(link: LinkDescription): void {
    const { options } = this
    const source = this.sourceLinks.get(link.name)
    this.element('link', { name: link.name, ...this.others(source, ['name']) }, () => {
      if (link.inertial) this.inertial(link.inertial)
      if (options.visuals ?? true) for (const visual of shownShapes(link)) this.shape('visual', visual, source)
      if (options.collisions ?? true) for (const collision of link.collisions) this.shape('collision', collision, source)
      this.contact(link, source)
      this.carry(source, heldByLink)
    })
  }

  private inertial({ origin, mass, inertia }: InertialDescription): void {
    const [ixx, iyy, izz, ixy, ixz, iyz] = inertia.map(written)
    this.element('inertial', {}, () => {
      this.origin(origin)
      this.element('mass', { value: written(mass) })
      this.element('inertia', { ixx, ixy, ixz, iyy, iyz, izz })
    })
  }

  private shape(tag: 'visual' | 'collision', shape: ShapeDescription, link: XmlElement | undefined): void {
    // a description's place is the element it was read from
    const source = link?.children.find((child) => child === shape.place)
    if (shape.geometry.type === 'ellipsoid' || shape.geometry.type === 'points') return // URDF cannot express it
    this.element(tag, { name: shape.name === '' ? undefined : shape.name }, () => {
      this.origin(shape.origin)
      const geometry = source?.children.find(({ name }) => name === 'geometry')
      this.element('geometry', {}, () => {
        this.geometry(shape.geometry, shape.place, geometry)
        this.carry(geometry, heldByGeometry)
      })
      if (tag === 'collision') this.proximity(shape, source)
      else if (!source && shape.material) this.material(shape.material)
      this.carry(source, heldByShape)
    })
  }

  /** Named after its looks, since one name has one look in a file. */
  private material({ rgba, texture }: MaterialDescription): void {
    const color = rgba.map(written).join(' ')
    this.element('material', { name: `${color}${texture === undefined ? '' : ` ${texture}`}` }, () => {
      this.element('color', { rgba: color })
      if (texture !== undefined) this.element('texture', { filename: texture })
    })
  }

  private geometry(geometry: GeometryDescription, place: Place, source: XmlElement | undefined): void {
    const { meshReference = (name: string) => name } = this.options
    const attributes: Attributes = Object.create(null)
    if (geometry.type === 'mesh') {
      attributes.filename = meshReference(geometry.filename, place)
      if (geometry.scale.some((factor) => factor !== 1)) attributes.scale = geometry.scale.map(written).join(' ')
    } else if (geometry.type === 'box') attributes.size = geometry.size.map(written).join(' ')
    else if (geometry.type === 'sphere' || geometry.type === 'cylinder' || geometry.type === 'capsule') {
      attributes.radius = written(geometry.radius)
      if (geometry.type !== 'sphere') attributes.length = written(geometry.length)
    }
    const same = source?.children.find(({ name }) => name === geometry.type)
    this.element(geometry.type, attributes, () => this.carry(same, new Set()))
  }

  private proximity({ friction }: ShapeDescription, source: XmlElement | undefined): void {
    const properties = source?.children.find(({ name }) => name === 'drake:proximity_properties')
    if (friction === undefined && properties === undefined) return
    this.element('drake:proximity_properties', {}, () => {
      if (friction !== undefined) this.element('drake:mu_dynamic', { value: written(friction) })
      this.carry(properties, new Set(['drake:mu_dynamic', 'drake:mu_static']))
    })
  }

  /** Bullet's element for a link's surface. Friction is written there only if the source has it there, else in `<gazebo>`. */
  private contact(link: LinkDescription, source: XmlElement | undefined): void {
    const { friction, restitution, contact = {} } = link
    const old = source?.children.find(({ name }) => name === 'contact')
    const lateral = statesFriction(source) ? friction : undefined
    const own = this.options.source === undefined ? contact : {}
    this.element(
      'contact',
      {},
      () => {
        this.valueElement('lateral_friction', lateral)
        this.valueElement('restitution', restitution)
        this.valueElement('rolling_friction', own.rollingFriction)
        this.valueElement('spinning_friction', own.spinningFriction)
        this.carry(old, heldByContact)
      },
      true,
    )
  }

  private joint(joint: JointDescription): void {
    const { name, type, parent, child, axis, damping, friction, mimic } = joint
    const source = this.sourceJoints.get(name)
    const held = (tag: string, keys: readonly string[]) =>
      this.others(
        source?.children.find((element) => element.name === tag),
        keys,
      )
    const turnsOrSlides = type === 'revolute' || type === 'continuous' || type === 'prismatic'
    this.element('joint', { name, type, ...this.others(source, ['name', 'type']) }, () => {
      this.origin(joint.origin)
      this.element('parent', { link: parent })
      this.element('child', { link: child })
      if (turnsOrSlides || type === 'planar') this.element('axis', { xyz: axisText(axis) })
      if (turnsOrSlides) {
        const { effort, velocity } = joint
        const range = type === 'continuous' ? {} : { lower: boundText(joint.lower), upper: boundText(joint.upper) }
        const rates = {
          acceleration: finite(joint.acceleration ?? Infinity),
          deceleration: finite(joint.deceleration ?? Infinity),
          jerk: finite(joint.jerk ?? Infinity),
        }
        const limit = { ...range, effort: finite(effort), velocity: finite(velocity), ...rates }
        const all = { ...limit, ...held('limit', Object.keys({ lower: 0, upper: 0, ...limit })) }
        // a limit without effort and velocity makes urdfdom refuse the robot
        if (Object.values(all).some((value) => value !== undefined))
          this.element('limit', { ...all, effort: boundText(effort), velocity: boundText(velocity) })
      }
      if (type !== 'fixed') {
        const losses = { damping: positive(damping), friction: positive(friction) }
        // a spring is written in Gazebo's words; a rotor stays as the source has it, like its transmissions
        const rotor = joint.armature === 0 ? ['armature'] : []
        const written = ['damping', 'friction', 'spring_stiffness', 'spring_reference', ...rotor]
        this.elementIfAny('dynamics', { ...losses, ...held('dynamics', written) })
      }
      if (mimic) this.mimic(mimic)
      this.softLimits(joint, held('safety_controller', ['soft_lower_limit', 'soft_upper_limit']))
      this.carry(source, heldByJoint)
    })
  }

  private mimic({ joint, multiplier, offset }: MimicDescription): void {
    this.element('mimic', { joint, multiplier: written(multiplier), offset: written(offset) })
  }

  private softLimits({ softLower, softUpper }: JointDescription, rest: Attributes): void {
    const attributes = {
      soft_lower_limit: softLower === undefined ? undefined : written(softLower),
      soft_upper_limit: softUpper === undefined ? undefined : written(softUpper),
      ...rest,
    }
    // without k_velocity urdfdom refuses the robot
    if (Object.values(attributes).some((value) => value !== undefined))
      this.element('safety_controller', { ...attributes, k_velocity: rest.k_velocity ?? '0' })
  }

  // Beside links and joints

  /** A link's `<gazebo>`. With a source it has friction and gravity alone, for the rest is carried over. */
  private surface({ name, friction, frictionAcross, frictionAxis, gravity, contact = {} }: LinkDescription): void {
    const { source } = this.options
    const mu = statesFriction(this.sourceLinks.get(name)) ? undefined : friction
    this.element(
      'gazebo',
      { reference: name },
      () => {
        this.numberElement('mu1', mu)
        this.numberElement('mu2', mu === undefined ? undefined : (frictionAcross ?? mu))
        if (mu !== undefined && frictionAxis && frictionAxis !== 'world')
          this.textElement('fdir1', triple(frictionAxis) as string)
        if (gravity !== undefined) this.textElement('gravity', String(gravity))
        if (source) return
        this.numberElement('kp', contact.stiffness)
        this.numberElement('kd', contact.damping)
        this.numberElement('minDepth', contact.minDepth)
        this.numberElement('maxVel', contact.maxVelocity)
        this.numberElement('maxContacts', contact.maxContacts)
        const collides = this.description.selfCollide.get(name)
        if (collides !== undefined) this.textElement('selfCollide', String(collides))
      },
      true,
    )
  }

  /** A source's `<gazebo>`, without the friction of links: that is written from the description. */
  private gazebo(source: XmlElement): void {
    const { reference } = source.attributes
    const ofLink = reference !== undefined && this.sourceLinks.has(reference)
    const ofJoint = reference !== undefined && this.sourceJoints.has(reference)
    if (!ofLink && !ofJoint) this.copy(source)
    else
      this.element('gazebo', { ...source.attributes }, () => this.carry(source, ofLink ? heldByGazebo : heldByGazeboJoint), true)
  }

  /** A joint's spring, in Gazebo's words. */
  private spring({ name, stiffness = 0, springReference = 0 }: JointDescription): void {
    if (stiffness === 0) return
    this.element('gazebo', { reference: name }, () => {
      this.numberElement('springStiffness', stiffness)
      if (springReference !== 0) this.numberElement('springReference', springReference)
    })
  }

  private transmissions(): void {
    for (const { name, armature } of this.description.joints.filter(hasArmature)) {
      this.element('transmission', { name: `${name}_transmission` }, () => {
        this.textElement('type', 'transmission_interface/SimpleTransmission')
        this.element('joint', { name })
        this.element('actuator', { name: `${name}_motor` }, () => {
          this.valueElement('drake:gear_ratio', 1)
          this.valueElement('drake:rotor_inertia', armature)
        })
      })
    }
  }

  private filterGroups(): void {
    this.description.disabledCollisions.forEach(({ link1, link2 }, k) => {
      const name = `apart_${k + 1}`
      this.element('drake:collision_filter_group', { name }, () => {
        this.element('drake:member', { link: link1 })
        this.element('drake:member', { link: link2 })
        this.element('drake:ignored_collision_filter_group', { name })
      })
    })
  }

  private origin({ xyz, rpy }: OriginDescription): void {
    this.elementIfAny('origin', { xyz: triple(xyz), rpy: triple(rpy) })
  }

  // XML

  /** Copies the children of a source element, without those that were written from the description. */
  private carry(source: XmlElement | undefined, without: ReadonlySet<string>): void {
    for (const child of source?.children ?? []) {
      if (!without.has(child.name) && !this.refused.has(child)) this.copy(child)
    }
  }

  /** Attributes of a source element but for these. */
  private others(source: XmlElement | undefined, held: readonly string[]): Attributes {
    const rest: Attributes = Object.create(null)
    if (source === undefined || this.misspelt.has(source)) return rest
    for (const [key, value] of Object.entries(source.attributes)) if (!held.includes(key)) rest[key] = value
    return rest
  }

  private copy(element: XmlElement): void {
    const { name, attributes, children, text } = element
    if (children.length === 0 && text !== '') {
      this.textElement(name, text, { ...attributes })
      return
    }
    this.element(name, { ...attributes }, () => {
      if (text !== '') this.line(escapeText(text))
      this.carry(element, new Set())
    })
  }

  private elementIfAny(name: string, attributes: Attributes): void {
    if (Object.values(attributes).some((value) => value !== undefined)) this.element(name, attributes)
  }

  /** A number as an attribute, `<kp value="1"/>`, and as text, `<kp>1</kp>`. */
  private valueElement(name: string, value: number | undefined): void {
    if (value !== undefined) this.element(name, { value: written(value) })
  }

  private numberElement(name: string, value: number | undefined): void {
    if (value !== undefined) this.textElement(name, written(value))
  }
}

/** The elements of a source that findings of these codes are about. */
function found(description: RobotDescription, source: XmlElement | undefined, codes: readonly string[]): Set<XmlElement> {
  const places = new Set<string>()
  for (const { code, file, line, element } of description.diagnostics) {
    if (codes.includes(code)) places.add(`${file}:${line} ${element.split(/[ >]/, 1)[0]}`)
  }
  const elements = new Set<XmlElement>()
  const stack = source && places.size > 0 ? [source] : []
  for (let element = stack.pop(); element; element = stack.pop()) {
    if (places.has(`${element.file}:${element.line} <${element.name}`)) elements.add(element)
    for (const child of element.children) stack.push(child)
  }
  return elements
}

/** A link whose collisions all have the same friction by direction, which in URDF is the link's. */
export function withOwnFriction(link: LinkDescription): LinkDescription {
  const [first] = link.collisions
  const isSame = (other: ShapeDescription) =>
    JSON.stringify(frictionOf(other, other)) === JSON.stringify(frictionOf(first, first))
  if (first?.frictionAcross === undefined || !link.collisions.every(isSame)) return link
  return { ...link, ...frictionOf(first, link), collisions: link.collisions.map(({ friction: _, ...shape }) => shape) }
}

const hasFriction = ({ friction }: ShapeDescription): boolean => friction !== undefined
const hasArmature = ({ armature }: JointDescription): boolean => armature !== 0

/** Whether a link's own element states its friction, and not its `<gazebo>`. */
function statesFriction(link: XmlElement | undefined): boolean {
  return link?.children.some(({ name, children }) => name === 'contact' && children.some(isLateral)) ?? false
}
const isLateral = ({ name }: XmlElement): boolean => name === 'lateral_friction'

/**
 * An axis in a form that is read back unchanged. Readers divide by its length, which may change the last bits even of
 * a unit vector; then a length next to 1 is found that leads to these bits.
 */
export function axisText(axis: Triple): string {
  const scaled = (k: number) => axis.map((x) => x * (1 + k * 1e-9)) as [number, number, number]
  let k = 0
  while (k < 1000 && !scaledUnitOf(scaled(k))!.every((x, i) => x === axis[i])) k++
  return scaled(k < 1000 ? k : 0)
    .map(written)
    .join(' ')
}

function finite(x: number): string | undefined {
  return Number.isFinite(x) ? written(x) : undefined
}

/** URDF cannot express no limit, and absent limits mean 0 to 0 to most programs; SDF writes 1e16. */
const noLimit = 1e16

function boundText(x: number): string {
  return Number.isFinite(x) ? written(x) : `${x < 0 ? '-' : ''}${noLimit}`
}

/** Nothing for three zeros, which is the default. */
function triple(numbers: readonly number[]): string | undefined {
  return numbers.every((x) => Object.is(x, 0)) ? undefined : numbers.map(written).join(' ')
}

/** Two hyphens end a comment early, and control characters have no place in XML. */
export function commentText(line: string): string {
  const visible = Array.from(line, (character) => (character < ' ' || character === '\u007f' ? ' ' : character)).join('')
  return visible.replace(/-(?=-|$)/g, '- ').trimEnd()
}
