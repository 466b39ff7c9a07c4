import type {
  GeometryDescription,
  InertialDescription,
  JointDescription,
  JointDescriptionType,
  LinkDescription,
  MimicDescription,
  OriginDescription,
  RobotDescription,
  ShapeDescription,
  Triple,
} from './description.ts'
import { Findings, RobotError } from './diagnostics.ts'
import type { Diagnostic, Place } from './robot.ts'
import type { XmlElement } from './xml.ts'

export interface DescribeOptions {
  /** Most links that a file may have. Default 1000. */
  readonly maxLinks?: number
}

const zero: Triple = [0, 0, 0]
const identityOrigin: OriginDescription = { xyz: zero, rpy: zero }

/** A decimal number as URDF writes it; longer tokens are refused before they are matched. */
const numberPattern = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/
const longestNumber = 100

/** Placeholders that exporters leave behind: 1, 0.1, 0.01, ... on the diagonal and zeros beside it. */
const placeholderMoments: ReadonlySet<number> = new Set([1, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
const largestGyration = 3

/**
 * Reads an expanded URDF tree. What is wrong with it is reported all at once; what is odd is repaired by the rule that
 * the finding states.
 *
 * @param earlier findings of what was done to the text before, such as macro expansion
 * @throws RobotError with every error of the file
 */
export function describeUrdf(
  root: XmlElement,
  file: string,
  options: DescribeOptions = {},
  earlier: readonly Diagnostic[] = [],
): RobotDescription {
  return new UrdfReader(root, file, options, earlier).read()
}

interface Surface {
  friction?: number
  restitution?: number
}

class UrdfReader {
  private readonly root: XmlElement
  private readonly file: string
  private readonly maxLinks: number
  private readonly findings = new Findings()
  private readonly used = new Set<string>()
  private readonly carried = new Set<string>()
  private readonly ignored = new Set<string>()

  constructor(root: XmlElement, file: string, options: DescribeOptions, earlier: readonly Diagnostic[]) {
    this.root = root
    this.file = file
    this.maxLinks = options.maxLinks ?? 1000
    this.findings.list.push(...earlier)
  }

  read(): RobotDescription {
    const { root, findings } = this
    if (root.name !== 'robot') {
      findings.error(
        'no-robot',
        root,
        `<${root.name}>`,
        'the root element is not <robot>.',
        root.name === 'sdf' || root.name === 'mujoco' ? 'This is not URDF; convert it first.' : 'Check that it is a URDF file.',
      )
      throw new RobotError(findings.list)
    }
    this.used.add('robot')

    const linkElements: XmlElement[] = []
    const jointElements: XmlElement[] = []
    const surfaceElements: XmlElement[] = []
    for (const element of root.children) {
      if (element.name === 'link') linkElements.push(element)
      else if (element.name === 'joint') jointElements.push(element)
      else if (element.name === 'gazebo') surfaceElements.push(element)
      else if (element.name === 'material') this.carryTree(element)
      else this.ignored.add(element.name)
    }
    if (linkElements.length === 0) {
      findings.error(
        'no-links',
        root,
        `<robot name="${root.attributes.name ?? ''}">`,
        'it describes no <link>, so there is no robot in it.',
        'If the file is meant to be included by others, load the file that includes it.',
      )
      throw new RobotError(findings.list)
    }
    if (linkElements.length > this.maxLinks) {
      findings.error(
        'too-many-links',
        root,
        '<robot>',
        `${linkElements.length} links; at most ${this.maxLinks} are loaded.`,
        'Set maxLinks if the robot really has that many.',
      )
      throw new RobotError(findings.list)
    }

    const surfaces = this.readSurfaces(surfaceElements, linkElements, jointElements)
    const links = this.readLinks(linkElements, surfaces)
    const joints = this.readJoints(jointElements)
    const { rootName, worldUndeclared } = this.checkTree(links, joints, joints.length < jointElements.length)
    this.checkMimics(joints)
    findings.throwIfWrong()
    return {
      name: root.attributes.name ?? '',
      file: this.file,
      place: root,
      links,
      joints,
      root: rootName,
      worldUndeclared,
      tags: { used: [...this.used], carried: [...this.carried], ignored: [...this.ignored] },
      diagnostics: findings.list,
    }
  }

  // Links

  private readLinks(elements: readonly XmlElement[], surfaces: ReadonlyMap<string, Surface>): LinkDescription[] {
    const links: LinkDescription[] = []
    const seen = new Map<string, XmlElement>()
    for (const element of elements) {
      const name = this.requiredName(element)
      if (name === undefined) continue
      const first = seen.get(name)
      if (first) {
        this.findings.error(
          'duplicate-link',
          element,
          `<link name="${name}">`,
          `there is a link of this name at line ${first.line} already.`,
          'Rename one of the two.',
        )
        continue
      }
      seen.set(name, element)
      links.push(this.readLink(element, name, surfaces.get(name)))
    }
    return links
  }

  private readLink(element: XmlElement, name: string, gazebo: Surface | undefined): LinkDescription {
    this.used.add('link')
    const visuals: ShapeDescription[] = []
    const collisions: ShapeDescription[] = []
    const surface: Surface = { ...gazebo }
    let inertial: InertialDescription | undefined
    for (const child of element.children) {
      switch (child.name) {
        case 'inertial':
          if (inertial) {
            this.findings.warning('two-inertials', child, `<inertial> of link "${name}"`, 'a second one.', 'The first is used.')
          } else inertial = this.readInertial(child, name)
          break
        case 'visual': {
          this.carryTree(child)
          const shape = this.readShape(child, `<visual> of link "${name}"`, false)
          if (shape) visuals.push(shape)
          break
        }
        case 'collision': {
          const shape = this.readShape(child, `<collision> of link "${name}"`, true)
          if (shape) collisions.push(shape)
          break
        }
        case 'contact':
          this.readBulletContact(child, name, surface)
          break
        default:
          this.ignored.add(`link/${child.name}`)
      }
    }
    return { name, inertial, visuals, collisions, ...surface, place: element }
  }

  private readInertial(element: XmlElement, link: string): InertialDescription | undefined {
    this.used.add('inertial')
    const what = `<inertial> of link "${link}"`
    const origin = this.readOrigin(element, what)
    const massElement = this.only(element, 'mass', what)
    const inertiaElement = this.only(element, 'inertia', what)
    for (const child of element.children) {
      if (!['origin', 'mass', 'inertia'].includes(child.name)) this.ignored.add(`inertial/${child.name}`)
    }
    let mass: number | undefined = 0
    if (massElement) {
      this.used.add('mass')
      mass = this.requiredNumber(massElement, 'value', `<mass> of link "${link}"`)
    } else {
      this.findings.warning('mass-missing', element, what, 'it states no <mass>.', 'Taken as 0; add <mass value="..."/>.')
    }
    if (mass !== undefined && mass < 0) {
      this.findings.error(
        'mass-negative',
        massElement ?? element,
        `<mass> of link "${link}"`,
        `mass ${mass} kg is negative.`,
        'State the mass in kilograms.',
      )
      mass = undefined
    }
    let inertia: [number, number, number, number, number, number] = [0, 0, 0, 0, 0, 0]
    if (inertiaElement) {
      this.used.add('inertia')
      const whatInertia = `<inertia> of link "${link}"`
      const read = (['ixx', 'iyy', 'izz'] as const).map((key) => this.requiredNumber(inertiaElement, key, whatInertia))
      const off = (['ixy', 'ixz', 'iyz'] as const).map((key) => this.number(inertiaElement, key, whatInertia, 0))
      const all = [...read, ...off]
      if (all.some((value) => value === undefined)) return undefined
      inertia = all as [number, number, number, number, number, number]
      if (mass !== undefined && mass > 0) this.checkPlaceholder(inertia, mass, inertiaElement, whatInertia)
    }
    if (mass === undefined || origin === undefined) return undefined
    return { origin, mass, inertia, place: element, inertiaPlace: inertiaElement ?? element }
  }

  private checkPlaceholder(inertia: readonly number[], mass: number, place: Place, what: string): void {
    const [xx, yy, zz, xy, xz, yz] = inertia
    const gyration = Math.sqrt(Math.max(xx, yy, zz) / mass)
    if (gyration > largestGyration) {
      this.findings.warning(
        'inertia-large',
        place,
        what,
        `a radius of gyration of ${gyration.toPrecision(3)} m for ${mass} kg.`,
        'Used as it is; check the units (kg m^2) and the exporter.',
      )
    } else if (xx === yy && yy === zz && xy === 0 && xz === 0 && yz === 0 && placeholderMoments.has(xx)) {
      this.findings.warning(
        'inertia-placeholder',
        place,
        what,
        `${xx} on the diagonal and 0 beside it looks like a placeholder.`,
        'Used as it is; put in the inertia of the real part.',
      )
    }
  }

  private readShape(element: XmlElement, what: string, collides: boolean): ShapeDescription | undefined {
    if (collides) this.used.add('collision')
    const origin = this.readOrigin(element, what)
    const geometry = this.only(element, 'geometry', what)
    let friction: number | undefined
    for (const child of element.children) {
      if (child.name === 'origin' || child.name === 'geometry') continue
      if (collides && child.name === 'drake:proximity_properties') friction = this.readProximity(child, what)
      else if (collides) this.ignored.add(`collision/${child.name}`)
    }
    if (!geometry) {
      this.findings.warning('geometry-missing', element, what, 'it has no <geometry>.', 'Left out.')
      return undefined
    }
    if (collides) this.used.add('geometry')
    const shapes = geometry.children.filter((child) => child.name in readers)
    for (const child of geometry.children) {
      if (!(child.name in readers)) this.ignored.add(`geometry/${child.name}`)
    }
    if (shapes.length === 0) {
      const found = geometry.children.length === 0 ? 'nothing' : `<${geometry.children[0].name}>`
      this.findings.warning(
        'geometry-unknown',
        geometry,
        `<geometry> in the ${what}`,
        `it holds ${found}, where one of ${Object.keys(readers).join(', ')} is expected.`,
        'Left out.',
      )
      return undefined
    }
    if (shapes.length > 1) {
      this.findings.warning(
        'geometry-two-shapes',
        geometry,
        `<geometry> in the ${what}`,
        `${shapes.length} shapes; URDF allows one.`,
        `The first, <${shapes[0].name}>, is used; give each shape a ${collides ? '<collision>' : '<visual>'} of its own.`,
      )
    }
    if (collides) this.used.add(shapes[0].name)
    const read = readers[shapes[0].name](this, shapes[0], `<${shapes[0].name}> in the ${what}`)
    if (read === undefined || origin === undefined) return undefined
    return { name: element.attributes.name ?? '', origin, geometry: read, friction, place: element }
  }

  readBox(element: XmlElement, what: string): GeometryDescription | undefined {
    const size = this.triple(element, 'size', what)
    if (size === undefined || !this.checkSizes(size, element, what)) return undefined
    return { type: 'box', size }
  }

  readSphere(element: XmlElement, what: string): GeometryDescription | undefined {
    const radius = this.requiredNumber(element, 'radius', what)
    if (radius === undefined || !this.checkSizes([radius], element, what)) return undefined
    return { type: 'sphere', radius }
  }

  readRound(type: 'cylinder' | 'capsule', element: XmlElement, what: string): GeometryDescription | undefined {
    const radius = this.requiredNumber(element, 'radius', what)
    const length = this.requiredNumber(element, 'length', what)
    if (radius === undefined || length === undefined || !this.checkSizes([radius, length], element, what)) return undefined
    return { type, radius, length }
  }

  readMesh(element: XmlElement, what: string): GeometryDescription | undefined {
    const filename = this.attribute(element, 'filename', what)
    const scale = element.attributes.scale === undefined ? ([1, 1, 1] as const) : this.triple(element, 'scale', what)
    if (filename === undefined || filename === '') {
      if (filename === '' || element.attributes.filename === undefined) {
        this.findings.error('attribute-missing', element, what, 'filename is missing.', 'Add filename="...".')
      }
      return undefined
    }
    return scale && { type: 'mesh', filename, scale }
  }

  private checkSizes(sizes: readonly number[], element: XmlElement, what: string): boolean {
    if (sizes.every((size) => size >= 0)) return true
    this.findings.error(
      'size-negative',
      element,
      what,
      `a length is negative: ${sizes.join(' ')}.`,
      'Lengths are metres, 0 or more.',
    )
    return false
  }

  // Surfaces

  /** `<gazebo reference="link">` with mu1 and mu2, as text or as a `value` attribute. */
  private readSurfaces(
    elements: readonly XmlElement[],
    links: readonly XmlElement[],
    joints: readonly XmlElement[],
  ): Map<string, Surface> {
    const linkNames = new Set(links.map((link) => link.attributes.name))
    const jointNames = new Set(joints.map((joint) => joint.attributes.name))
    const surfaces = new Map<string, Surface>()
    for (const element of elements) {
      const reference = element.attributes.reference
      const friction: number[] = []
      for (const child of element.children) {
        if (reference !== undefined && (child.name === 'mu1' || child.name === 'mu2')) {
          this.used.add(`gazebo/${child.name}`)
          const what = `<${child.name}> of <gazebo reference="${reference}">`
          const value = this.surfaceNumber(child, what)
          if (value !== undefined) friction.push(value)
        } else this.ignored.add(`gazebo/${child.name}`)
      }
      if (friction.length === 0 || reference === undefined) continue
      if (!linkNames.has(reference)) {
        this.findings.warning(
          'gazebo-reference',
          element,
          `<gazebo reference="${reference}">`,
          jointNames.has(reference) ? 'it gives friction to a joint.' : 'there is no link of this name.',
          'Ignored.',
        )
        continue
      }
      if (friction.length > 1 && friction[0] !== friction[1]) {
        this.findings.warning(
          'friction-anisotropic',
          element,
          `<gazebo reference="${reference}">`,
          `mu1 ${friction[0]} and mu2 ${friction[1]} differ; friction here is the same in all directions.`,
          'The smaller is used.',
        )
      }
      surfaces.set(reference, { friction: Math.min(...friction) })
    }
    return surfaces
  }

  private surfaceNumber(element: XmlElement, what: string): number | undefined {
    const value = element.attributes.value ?? element.text
    const read = this.parseNumbers(value, 1, element, what, 'value')?.[0]
    if (read !== undefined && read < 0) {
      this.findings.warning('friction-negative', element, what, `${read} is negative.`, 'Ignored; friction is 0 or more.')
      return undefined
    }
    return read
  }

  /** `<contact>` of a link, as Bullet reads it. */
  private readBulletContact(element: XmlElement, link: string, surface: Surface): void {
    for (const child of element.children) {
      const what = `<${child.name}> of link "${link}"`
      if (child.name === 'lateral_friction') surface.friction = this.surfaceNumber(child, what) ?? surface.friction
      else if (child.name === 'restitution') surface.restitution = this.surfaceNumber(child, what) ?? surface.restitution
      else {
        this.ignored.add(`contact/${child.name}`)
        continue
      }
      this.used.add(`contact/${child.name}`)
    }
  }

  private readProximity(element: XmlElement, what: string): number | undefined {
    let friction: number | undefined
    for (const child of element.children) {
      if (child.name === 'drake:mu_dynamic') friction = this.surfaceNumber(child, `<${child.name}> in the ${what}`)
      else if (child.name === 'drake:mu_static') friction ??= this.surfaceNumber(child, `<${child.name}> in the ${what}`)
      else {
        this.ignored.add(child.name)
        continue
      }
      this.used.add(child.name)
    }
    return friction
  }

  // Joints

  private readJoints(elements: readonly XmlElement[]): JointDescription[] {
    const joints: JointDescription[] = []
    const seen = new Map<string, XmlElement>()
    for (const element of elements) {
      const name = this.requiredName(element)
      if (name === undefined) continue
      const first = seen.get(name)
      if (first) {
        this.findings.error(
          'duplicate-joint',
          element,
          `<joint name="${name}">`,
          `there is a joint of this name at line ${first.line} already.`,
          'Rename one of the two.',
        )
        continue
      }
      seen.set(name, element)
      const joint = this.readJoint(element, name)
      if (joint) joints.push(joint)
    }
    return joints
  }

  private readJoint(element: XmlElement, name: string): JointDescription | undefined {
    this.used.add('joint')
    const what = `<joint name="${name}">`
    const type = this.readJointType(element, what)
    const origin = this.readOrigin(element, what)
    const parent = this.linkReference(element, 'parent', what)
    const child = this.linkReference(element, 'child', what)
    for (const tag of element.children) {
      if (['origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic'].includes(tag.name)) this.used.add(tag.name)
      else this.ignored.add(`joint/${tag.name}`)
    }
    if (type === undefined || origin === undefined || parent === undefined || child === undefined) return undefined
    const moves = type === 'revolute' || type === 'continuous' || type === 'prismatic'
    const axis = moves ? this.readAxis(element, what) : ([1, 0, 0] as const)
    const limits = moves ? this.readLimits(element, type, name) : unlimited
    const { damping, friction } = moves ? this.readDynamics(element, name) : noDynamics
    const mimic = moves ? this.readMimic(element, name) : undefined
    if (axis === undefined || limits === undefined) return undefined
    return { name, type, parent, child, origin, axis, ...limits, damping, friction, mimic, place: element }
  }

  private readJointType(element: XmlElement, what: string): JointDescriptionType | undefined {
    const type = this.attribute(element, 'type', what)
    switch (type) {
      case 'revolute':
      case 'continuous':
      case 'prismatic':
      case 'fixed':
      case 'floating':
        return type
      case 'planar':
        this.findings.error(
          'joint-unsupported',
          element,
          what,
          'planar joints are not supported by this version.',
          'Use two prismatic joints and a revolute one.',
        )
        return undefined
      default:
        if (type !== undefined || element.attributes.type === undefined) {
          this.findings.error(
            'joint-type',
            element,
            what,
            type === undefined ? 'it states no type.' : `type "${type}" is unknown.`,
            'Known are revolute, continuous, prismatic, fixed and floating.',
          )
        }
        return undefined
    }
  }

  private linkReference(element: XmlElement, tag: 'parent' | 'child', what: string): string | undefined {
    const found = this.only(element, tag, what)
    if (!found) {
      this.findings.error(`${tag}-missing`, element, what, `it has no <${tag}>.`, `Add <${tag} link="..."/>.`)
      return undefined
    }
    const link = this.attribute(found, 'link', `<${tag}> of ${what}`)
    if (link === undefined && found.attributes.link === undefined) {
      this.findings.error('attribute-missing', found, `<${tag}> of ${what}`, 'link is missing.', 'Add link="...".')
    }
    return link
  }

  private readAxis(element: XmlElement, what: string): Triple | undefined {
    const found = this.only(element, 'axis', what)
    if (!found) return [1, 0, 0]
    const whatAxis = `<axis> of ${what}`
    if (found.attributes.xyz === undefined) {
      this.findings.warning('axis-missing', found, whatAxis, 'it states no xyz.', 'The default, 1 0 0, is used.')
      return [1, 0, 0]
    }
    const axis = this.triple(found, 'xyz', whatAxis)
    if (!axis) return undefined
    // scaled first, so that neither tiny nor huge entries lose their direction to under- or overflow
    const largest = Math.max(Math.abs(axis[0]), Math.abs(axis[1]), Math.abs(axis[2]))
    if (largest === 0) {
      this.findings.error(
        'axis-zero',
        found,
        whatAxis,
        '0 0 0 has no direction.',
        'State the axis that the joint moves along or about.',
      )
      return undefined
    }
    const [x, y, z] = axis.map((entry) => entry / largest)
    const length = Math.sqrt(x * x + y * y + z * z)
    return [x / length, y / length, z / length]
  }

  private readLimits(element: XmlElement, type: JointDescriptionType, name: string): Limits | undefined {
    const found = this.only(element, 'limit', `<joint name="${name}">`)
    const what = found ? `<limit> of joint "${name}"` : `<joint name="${name}">`
    const place = found ?? element
    const needsRange = type !== 'continuous'
    if (!found) {
      if (needsRange) {
        this.findings.warning('limit-missing', place, what, `a ${type} joint without <limit>.`, 'Taken as unlimited.')
      }
      return unlimited
    }
    let lower = -Infinity
    let upper = Infinity
    if (needsRange) {
      if (found.attributes.lower === undefined && found.attributes.upper === undefined) {
        this.findings.warning('limit-missing', place, what, 'it states neither lower nor upper.', 'Taken as unlimited.')
      } else {
        const readLower = this.number(found, 'lower', what, 0)
        const readUpper = this.number(found, 'upper', what, 0)
        if (readLower === undefined || readUpper === undefined) return undefined
        lower = readLower
        upper = readUpper
        if (lower > upper) {
          this.findings.warning('limit-reversed', place, what, `lower ${lower} is above upper ${upper}.`, 'Swapped.')
          lower = readUpper
          upper = readLower
        }
      }
    }
    const effort = this.readMost(found, 'effort', what)
    const velocity = this.readMost(found, 'velocity', what)
    if (effort === undefined || velocity === undefined) return undefined
    return { lower, upper, effort, velocity }
  }

  /** A largest effort or speed: 0 cannot mean that the joint never moves, so it counts as not stated. */
  private readMost(element: XmlElement, attribute: 'effort' | 'velocity', what: string): number | undefined {
    const value = this.number(element, attribute, what, Infinity)
    if (value === 0) {
      this.findings.warning(
        `${attribute}-zero`,
        element,
        what,
        `${attribute} is 0.`,
        `Taken as not stated: no ${attribute} limit.`,
      )
      return Infinity
    }
    if (value !== undefined && value < 0) {
      this.findings.warning(
        `${attribute}-negative`,
        element,
        what,
        `${attribute} ${value} is negative.`,
        'Its magnitude is used.',
      )
      return -value
    }
    return value
  }

  private readDynamics(element: XmlElement, name: string): { damping: number; friction: number } {
    const found = this.only(element, 'dynamics', `<joint name="${name}">`)
    if (!found) return noDynamics
    const what = `<dynamics> of joint "${name}"`
    const read = (attribute: 'damping' | 'friction') => {
      const value = this.number(found, attribute, what, 0) ?? 0
      if (value >= 0) return value
      this.findings.warning(`${attribute}-negative`, found, what, `${attribute} ${value} is negative.`, 'Its magnitude is used.')
      return -value
    }
    return { damping: read('damping'), friction: read('friction') }
  }

  private readMimic(element: XmlElement, name: string): MimicDescription | undefined {
    const found = this.only(element, 'mimic', `<joint name="${name}">`)
    if (!found) return undefined
    const what = `<mimic> of joint "${name}"`
    const joint = this.attribute(found, 'joint', what)
    const multiplier = this.number(found, 'multiplier', what, 1)
    const offset = this.number(found, 'offset', what, 0)
    this.findings.warning(
      'mimic-free',
      found,
      what,
      'this version does not couple mimic joints.',
      'The joint moves freely and has an effort of its own; command it to follow.',
    )
    if (joint === undefined || multiplier === undefined || offset === undefined) return undefined
    return { joint, multiplier, offset, place: found }
  }

  private checkMimics(joints: readonly JointDescription[]): void {
    const byName = new Map(joints.map((joint) => [joint.name, joint]))
    for (const { name, mimic } of joints) {
      if (!mimic) continue
      const master = byName.get(mimic.joint)
      if (master && master.type !== 'fixed') continue
      this.findings.warning(
        'mimic-master',
        mimic.place,
        `<mimic> of joint "${name}"`,
        master ? `its master "${mimic.joint}" is fixed.` : `there is no joint "${mimic.joint}".`,
        'The joint moves freely.',
      )
    }
  }

  // The tree

  /** Every link but the root has exactly one parent, and all are reached from the root. */
  private checkTree(
    links: readonly LinkDescription[],
    joints: readonly JointDescription[],
    jointsRefused: boolean,
  ): { rootName: string; worldUndeclared: boolean } {
    const { findings } = this
    const byName = new Map(links.map((link) => [link.name, link]))
    const parentJoint = new Map<string, JointDescription>()
    const childJoints = new Map<string, JointDescription[]>()
    let worldUndeclared = false
    let undeclared = false
    for (const joint of joints) {
      const what = `<joint name="${joint.name}">`
      if (!byName.has(joint.parent)) {
        if (joint.parent === 'world') worldUndeclared = true
        else {
          undeclared = true
          findings.error(
            'undeclared-link',
            joint.place,
            what,
            `its parent "${joint.parent}" is no <link>.`,
            'Declare the link or correct the name.',
          )
        }
      }
      if (!byName.has(joint.child)) {
        undeclared = true
        findings.error(
          'undeclared-link',
          joint.place,
          what,
          `its child "${joint.child}" is no <link>.`,
          'Declare the link or correct the name.',
        )
        continue
      }
      const first = parentJoint.get(joint.child)
      if (first) {
        findings.error(
          'two-parents',
          joint.place,
          what,
          `link "${joint.child}" has a parent already, by joint "${first.name}" at line ${first.place.line}.`,
          'A URDF robot is a tree: remove one of the two joints.',
        )
        continue
      }
      parentJoint.set(joint.child, joint)
      const siblings = childJoints.get(joint.parent)
      if (siblings) siblings.push(joint)
      else childJoints.set(joint.parent, [joint])
    }

    const roots = links.filter((link) => !parentJoint.has(link.name)).map((link) => link.name)
    if (worldUndeclared) roots.unshift('world')
    // a joint that was refused leaves a root behind, which is no second mistake
    if (roots.length > 1 && !undeclared && !jointsRefused) {
      const second = byName.get(roots[1])
      const shown = roots.slice(0, 5).map((name) => `"${name}"`)
      findings.error(
        'several-roots',
        second?.place ?? this.root,
        `<link name="${roots[1]}">`,
        `${roots.length} links have no parent: ${shown.join(', ')}${roots.length > 5 ? ', ...' : ''}.`,
        'Connect them by joints; a robot has one root.',
      )
    }

    const reached = new Set<string>(roots)
    const queue = [...roots]
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      for (const joint of childJoints.get(name) ?? []) {
        if (reached.has(joint.child)) continue
        reached.add(joint.child)
        queue.push(joint.child)
      }
    }
    const lost = links.find((link) => !reached.has(link.name))
    if (lost && !undeclared) this.reportCycle(lost, parentJoint)

    const rootName = roots[0] ?? ''
    for (const joint of joints) {
      if (joint.type !== 'floating' || (joint.parent === 'world' && rootName === 'world')) continue
      findings.error(
        'joint-unsupported',
        joint.place,
        `<joint name="${joint.name}">`,
        `a floating joint under "${joint.parent}"; this version takes one only directly under a root link "world".`,
        'Remove the joint if its child is the base: a base is floating unless it is fixed to "world".',
      )
    }
    const floating = joints.filter((joint) => joint.type === 'floating')
    if (floating.length > 1) {
      findings.error(
        'joint-unsupported',
        floating[1].place,
        `<joint name="${floating[1].name}">`,
        'a second floating joint; this version takes one.',
        'Put each free body into a file of its own.',
      )
    }
    return { rootName, worldUndeclared }
  }

  /** Going up from a link that no root reaches ends in a loop; names the links on it. */
  private reportCycle(lost: LinkDescription, parentJoint: ReadonlyMap<string, JointDescription>): void {
    const seen = new Set<string>()
    let name = lost.name
    while (!seen.has(name)) {
      seen.add(name)
      const joint = parentJoint.get(name)
      if (!joint) return
      name = joint.parent
    }
    const loop = [name]
    for (let next = parentJoint.get(name)!.parent; next !== name; next = parentJoint.get(next)!.parent) loop.push(next)
    const shown = [...loop.reverse(), loop[0]].slice(0, 8).map((link) => `"${link}"`)
    const joint = parentJoint.get(name)!
    this.findings.error(
      'cycle',
      joint.place,
      `<joint name="${joint.name}">`,
      `the links ${shown.join(' -> ')}${loop.length > 7 ? ' -> ...' : ''} form a loop.`,
      'A URDF robot is a tree: remove the joint that closes the loop.',
    )
  }

  // Elements and numbers

  private carryTree(element: XmlElement): void {
    const stack = [element]
    for (let top = stack.pop(); top; top = stack.pop()) {
      this.carried.add(top.name)
      stack.push(...top.children)
    }
  }

  private only(element: XmlElement, name: string, what: string): XmlElement | undefined {
    const found = element.children.filter((child) => child.name === name)
    if (found.length > 1) {
      this.findings.warning(
        'repeated-element',
        found[1],
        `<${name}> of ${what}`,
        `there are ${found.length} of it.`,
        'The first is used.',
      )
    }
    return found[0]
  }

  private requiredName(element: XmlElement): string | undefined {
    const name = this.attribute(element, 'name', `<${element.name}>`)
    if (name === undefined || name === '') {
      if (name === '' || element.attributes.name === undefined) {
        this.findings.error('name-missing', element, `<${element.name}>`, 'it has no name.', 'Add name="...".')
      }
      return undefined
    }
    return name
  }

  /** An attribute's text; undefined if it is not there or still holds an expression, which is reported. */
  private attribute(element: XmlElement, name: string, what: string): string | undefined {
    const value = element.attributes[name]
    if (value === undefined) return undefined
    if (value.includes('${') || value.includes('$(')) {
      this.findings.error(
        'xacro-leftover',
        element,
        what,
        `${name}="${shorten(value)}" still holds an expression.`,
        'Expand the file with xacro; the file declares no xmlns:xacro, or its macros were expanded only in part.',
      )
      return undefined
    }
    return value
  }

  private readOrigin(element: XmlElement, what: string): OriginDescription | undefined {
    const found = this.only(element, 'origin', what)
    if (!found) return identityOrigin
    this.used.add('origin')
    const xyz = found.attributes.xyz === undefined ? zero : this.triple(found, 'xyz', `<origin> of ${what}`)
    const rpy = found.attributes.rpy === undefined ? zero : this.triple(found, 'rpy', `<origin> of ${what}`)
    return xyz && rpy && { xyz, rpy }
  }

  private requiredNumber(element: XmlElement, attribute: string, what: string): number | undefined {
    if (element.attributes[attribute] === undefined) {
      this.findings.error('attribute-missing', element, what, `${attribute} is missing.`, `Add ${attribute}="...".`)
      return undefined
    }
    return this.number(element, attribute, what, 0)
  }

  private number(element: XmlElement, attribute: string, what: string, byDefault: number): number | undefined {
    if (element.attributes[attribute] === undefined) return byDefault
    const value = this.attribute(element, attribute, what)
    return value === undefined ? undefined : this.parseNumbers(value, 1, element, what, attribute)?.[0]
  }

  private triple(element: XmlElement, attribute: string, what: string): Triple | undefined {
    if (element.attributes[attribute] === undefined) {
      this.findings.error('attribute-missing', element, what, `${attribute} is missing.`, `Add ${attribute}="x y z".`)
      return undefined
    }
    const value = this.attribute(element, attribute, what)
    if (value === undefined) return undefined
    return this.parseNumbers(value, 3, element, what, attribute) as Triple | undefined
  }

  /** Blanks, tabs and line breaks separate numbers; anything else is refused, as is what overflows a double. */
  private parseNumbers(text: string, count: number, place: Place, what: string, attribute: string): number[] | undefined {
    const tokens = text.split(/\s+/).filter((token) => token !== '')
    const wanted = count === 1 ? 'a number' : `${count} numbers separated by blanks`
    const numbers: number[] = []
    for (const token of tokens) {
      const value = token.length <= longestNumber && numberPattern.test(token) ? Number(token) : NaN
      if (!Number.isFinite(value)) {
        this.findings.error(
          'number',
          place,
          what,
          `${attribute}="${shorten(text)}": "${shorten(token)}" is no number.`,
          `Expected ${wanted}.`,
        )
        return undefined
      }
      numbers.push(value)
    }
    if (numbers.length !== count) {
      this.findings.error(
        'number-count',
        place,
        what,
        `${attribute}="${shorten(text)}" holds ${numbers.length === 1 ? '1 number' : `${numbers.length} numbers`}.`,
        `Expected ${wanted}.`,
      )
      return undefined
    }
    return numbers
  }
}

type Limits = Pick<JointDescription, 'lower' | 'upper' | 'effort' | 'velocity'>
const unlimited: Limits = { lower: -Infinity, upper: Infinity, effort: Infinity, velocity: Infinity }
const noDynamics = { damping: 0, friction: 0 }

type ReadGeometry = (reader: UrdfReader, element: XmlElement, what: string) => GeometryDescription | undefined

const readers: Readonly<Record<string, ReadGeometry>> = Object.assign(Object.create(null), {
  box: (reader, element, what) => reader.readBox(element, what),
  sphere: (reader, element, what) => reader.readSphere(element, what),
  cylinder: (reader, element, what) => reader.readRound('cylinder', element, what),
  capsule: (reader, element, what) => reader.readRound('capsule', element, what),
  mesh: (reader, element, what) => reader.readMesh(element, what),
} satisfies Record<string, ReadGeometry>)

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`
}
