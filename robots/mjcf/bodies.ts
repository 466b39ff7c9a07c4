import type { Shape } from '../../contact/geometry/index.ts'
import type { Polynomial } from '../../dynamics/index.ts'
import {
  addBody,
  addMoments,
  centralOf,
  eigenSymmetric3,
  emptyMoments,
  nearestInertia,
  type SymmetricInertia,
} from '../compile/massProperties.ts'
import {
  compose,
  identityPose,
  type Pose,
  poseAt,
  poseOfOrigin,
  poseToOrigin,
  quaternionOf,
  rotationAbout,
  unitOf,
} from '../compile/pose.ts'
import {
  type FrameDescription,
  type InertialDescription,
  type JointDescription,
  type LinkDescription,
  type OriginDescription,
  plain,
  type ShapeDescription,
  type SurroundingDescription,
  type TendonDescription,
  type Triple,
  unlimited,
} from '../description.ts'
import { robotError } from '../diagnostics.ts'
import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Defaults } from './document.ts'
import { type Geom, type GeomContext, isBounded, readGeom, readSoftness, spanned } from './geoms.ts'
import type { Immersed } from './medium.ts'
import type { Compiler } from './options.ts'
import { readPose, rotationOfEuler } from './orientation.ts'
import { principalAxes, principalFrame } from './principalAxes.ts'
import { readPolynomial, readRange } from './ranges.ts'
import { coordinateFactor, type Scale, scaledGeom, scaledInertial, scaledJoint, scaledPose, scaleIn, unscaled } from './scale.ts'

/** Coordinates of a joint in the file's own order of qpos. */
export interface Coordinates {
  readonly joint: string
  readonly type: JointDescription['type']
  /** Its coordinate in the file's reference configuration; 0 for joints of several coordinates. */
  readonly ref: number
  /** By the frames around it. */
  readonly scale: Scale
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The tree under `<worldbody>` as links and joints. */
export type Bodies = Omit<BodyReader, 'read'>

/** A pose on a link. */
export interface Seat {
  readonly link: string
  readonly pose: Pose
  /** Volume of a site, or of a geom that a tendon may go round. */
  readonly shape?: Shape
  /** Why its pose is another in MuJoCo, as of a camera that follows a body. */
  readonly moves?: string
}

interface Place {
  readonly link: string
  /** Of the elements' axes in those of the link. */
  readonly pose: Pose
  readonly childclass: string | undefined
  readonly scale: Scale
  /** Whether no joint moves the link: then free joints may be attached to it. */
  readonly isWorld: { still: boolean }
}

/** A joint with the place of the frames between it and its body. */
interface PlacedJoint {
  readonly element: XmlElement
  readonly at: Place
}

/** A geom of less mass makes no inertial frame [kg]. */
const lightest = 1e-14
const noTurn: OriginDescription = { xyz: [0, 0, 0], rpy: [0, 0, 0] }
const none: Polynomial = [0, 0, 0]
/** Bodies that copies of one element may make. */
const mostCopies = 1000

/** Of a file; more bodies than are loaded by default, many times over. */
const mostJoints = 50_000

export class BodyReader {
  readonly links: Mutable<LinkDescription>[] = []
  readonly joints: Mutable<JointDescription>[] = []
  readonly frames: FrameDescription[] = []
  readonly surroundings: SurroundingDescription[] = []
  readonly coordinates: Coordinates[] = []
  /** Shapes that may collide, by link. */
  readonly geoms = new Map<string, Geom[]>()
  /** The link that carries each geom and each site with a name, and the pose of a site on it. */
  readonly linkOfGeom = new Map<string, string>()
  readonly sites = new Map<string, Seat>()
  /** Frames that a sensor may measure, by kind and name: `site toe`, `geom foot`, `camera eye`, `xbody arm`; `body arm` has the principal axes at its centre of mass. */
  readonly seats = new Map<string, Seat>()
  /** Of links in the file's reference configuration, qpos0, in the axes of the world. */
  readonly poses = new Map<string, Pose>()
  /** Of links in scaled frames. */
  readonly scales = new Map<string, Scale>()
  /**
   * Springs of joints that are more than linear, or of several coordinates; and what a medium would act on, with poses and inertias that are final
   * once all is read.
   */
  readonly elements: { readonly tendons: TendonDescription[]; readonly immersed: Immersed[] } = { tendons: [], immersed: [] }
  private readonly reader: Reader
  private readonly defaults: Defaults
  private readonly compiler: Compiler
  private readonly context: GeomContext
  private readonly names = new Set(['world'])
  /** By used or requested name, the last number appended to it. */
  private readonly jointNames = new Map<string, number>()
  private copies = 0
  private suffix = ''

  constructor(reader: Reader, defaults: Defaults, compiler: Compiler, context: GeomContext) {
    this.reader = reader
    this.defaults = defaults
    this.compiler = compiler
    this.context = context
  }

  read(root: XmlElement): Bodies {
    for (const kind of ['body', 'xbody']) this.seats.set(`${kind} world`, { link: 'world', pose: identityPose() })
    for (const element of root.children) {
      if (element.name !== 'worldbody') continue
      this.reader.account.use(element)
      const geoms: Geom[] = []
      this.content(
        element,
        { link: 'world', pose: identityPose(), childclass: undefined, scale: unscaled, isWorld: { still: true } },
        geoms,
        [],
        [],
      )
      for (const geom of geoms) this.surround(geom)
    }
    this.scaleMasses()
    return this
  }

  /** Everything in a body, a frame or the world: geoms and joints are collected, bodies read. */
  private content(element: XmlElement, at: Place, geoms: Geom[], joints: PlacedJoint[], bodies: (() => void)[]): void {
    const { reader, suffix } = this
    const { account } = reader
    reader.ask('elements', element.children.length, element, `<${element.name}>`)
    for (const child of element.children) {
      const filled = () => this.defaults.filled(child, at.childclass)
      switch (child.name) {
        case 'geom': {
          account.use(child)
          const geom = readGeom(reader, filled(), child, at.link, this.context, this.suffix)
          if (!geom) break
          const placed = moved(scaledGeom(geom, at.scale), at.pose)
          geoms.push(placed)
          if (geom.name === '') break
          this.linkOfGeom.set(geom.name, at.link)
          this.seatOf(`geom ${geom.name}`, at.link, () => frameOfGeom(placed), placed.shape.geometry)
          break
        }
        case 'joint':
        case 'freejoint':
          account.use(child)
          joints.push({
            element: child.name === 'freejoint' ? { ...child, attributes: { ...child.attributes, type: 'free' } } : filled(),
            at,
          })
          break
        case 'site':
          account.use(child)
          this.site(filled(), at)
          break
        case 'inertial':
          account.use(child)
          break
        case 'camera':
          account.carryTree(child)
          this.camera(filled(), at)
          break
        case 'frame': {
          account.use(child)
          const pose = readPose(reader, child, '<frame>', this.compiler)
          if (!pose) break
          const scale = scaleIn(reader, child, at.scale)
          const childclass = child.attributes.childclass ?? at.childclass
          const inner = { ...at, pose: compose(at.pose, scaledPose(pose, at.scale)), childclass, scale }
          this.content(child, inner, geoms, joints, bodies)
          break
        }
        case 'replicate':
          account.use(child)
          this.replicate(child, at, geoms, joints, bodies)
          break
        case 'body':
          bodies.push(() => this.body(child, at, suffix))
          break
      }
    }
    if (element.name === 'worldbody') for (const body of bodies) body()
  }

  private replicate(element: XmlElement, at: Place, geoms: Geom[], joints: PlacedJoint[], bodies: (() => void)[]): void {
    const { reader } = this
    const what = '<replicate>'
    const count = reader.number(element, 'count', what)
    const offset = element.attributes.offset === undefined ? [0, 0, 0] : reader.triple(element, 'offset', what)
    const turns = element.attributes.euler === undefined ? [0, 0, 0] : reader.triple(element, 'euler', what)
    if (count === undefined || !offset || !turns) return
    const R = rotationOfEuler(turns.map((x) => x * this.compiler.unit) as unknown as Triple, this.compiler.sequence)
    const before = this.suffix
    let pose = at.pose
    const digits = String(count - 1).length
    for (let n = 0; n < count; n++) {
      if (++this.copies > mostCopies) {
        reader.findings.error('replicate', element, what, `more than ${mostCopies} copies.`, 'Make fewer.')
        break
      }
      // the inner of two comes first
      this.suffix = `${element.attributes.sep ?? ''}${String(n).padStart(digits, '0')}${before}`
      this.content(element, { ...at, pose }, geoms, joints, bodies)
      pose = compose(pose, scaledPose(poseAt(offset, R), at.scale))
    }
    this.suffix = before
  }

  private body(element: XmlElement, parent: Place, suffix: string): void {
    const { reader } = this
    const { account, findings } = reader
    account.use(element)
    const before = this.suffix
    this.suffix = suffix
    const name = this.unique(
      element.attributes.name === undefined ? `body${this.links.length + 1}` : element.attributes.name + suffix,
      element,
    )
    const what = `<body name=${quote(name)}>`
    const stated = readPose(reader, element, what, this.compiler)
    if (stated) {
      const own = scaledPose(stated, parent.scale)
      if (parent.scale !== unscaled) this.scales.set(name, parent.scale)
      const isMocap = element.attributes.mocap === 'true'
      if (isMocap) {
        const remedy = 'A controller places it (`state.mocap`); without one it stands where it is drawn.'
        findings.info('mocap', element, what, 'it is placed from outside (mocap).', remedy)
      }
      const gravityCompensation = reader.optional(element, 'gravcomp', what, 0) ?? 0
      const held = gravityCompensation === 0 ? {} : { gravityCompensation }
      const link: Mutable<LinkDescription> = { name, visuals: [], collisions: [], ...held, place: element }
      const geoms: Geom[] = []
      const joints: PlacedJoint[] = []
      const bodies: (() => void)[] = []
      const childclass = element.attributes.childclass ?? parent.childclass
      this.links.push(link)
      const outer = this.poses.get(parent.link) ?? identityPose()
      this.poses.set(name, compose(outer, compose(parent.pose, own)))
      const { scale } = parent
      const inner: Place = { link: name, pose: identityPose(), childclass, scale, isWorld: { still: false } }
      this.content(element, inner, geoms, joints, bodies)
      // joints come before those of the bodies inside
      if (isMocap && (parent.link !== 'world' || joints.length > 0))
        findings.error(
          'mocap',
          element,
          what,
          'a mocap body stands in the world, without joints.',
          'Move it there, or leave mocap out.',
        )
      const isWorld = this.chain(joints, link, compose(parent.pose, own), parent, isMocap) && parent.isWorld.still
      inner.isWorld.still = isWorld && !isMocap
      this.shapes(link, geoms, isWorld)
      link.inertial = this.inertial(element, what, geoms, isWorld, scale)
      if (!isWorld) this.elements.immersed.push(this.immersedOf(element, link, geoms))
      this.seats.set(`xbody ${name}`, { link: name, pose: identityPose() })
      this.seatOf(`body ${name}`, name, () => this.inertialFrame(element, link, geoms))
      for (const read of bodies) read()
    }
    this.suffix = before
  }

  /** The joints of a body one after the other, with frames between them. @returns whether there are none */
  private chain(elements: readonly PlacedJoint[], link: LinkDescription, pose: Pose, parent: Place, isMocap: boolean): boolean {
    const { name, place } = link
    const fix = (from: string, origin: OriginDescription) =>
      this.joints.push({
        ...{ name: this.uniqueJoint(`${name}_${isMocap ? 'mocap' : 'fixed'}`), type: 'fixed', parent: from, child: name, origin },
        ...{ ...plain, place, ...(isMocap && { mocap: true as const }) },
      })
    let from = parent.link
    let at = pose
    let anchor: Triple = [0, 0, 0]
    const between: (typeof this.links)[number][] = []
    elements.forEach(({ element, at: frame }, k) => {
      const read = this.joint(element, name, parent)
      if (!read) return
      const { joint, pos, ref } = this.inFrame(read, frame)
      const step = poseAt([pos[0] - anchor[0], pos[1] - anchor[1], pos[2] - anchor[2]])
      let origin = compose(at, step)
      if (ref !== 0) {
        const back =
          joint.type === 'prismatic'
            ? poseAt(joint.axis.map((x) => -ref * x))
            : poseAt([0, 0, 0], rotationAbout(joint.axis, -ref))
        origin = compose(origin, back)
      }
      const isLast = k === elements.length - 1
      const ends = isLast && pos.every((x) => x === 0)
      const child = ends ? name : this.unique(`${name}/${joint.name}`, element)
      if (!ends) between.push({ name: child, visuals: [], collisions: [], massless: true, place: element })
      const initial = ref === 0 ? undefined : [ref]
      this.joints.push({ ...joint, parent: from, child, origin: poseToOrigin(origin), initial })
      from = child
      at = identityPose()
      anchor = pos
    })
    const own = between.length === 0 ? this.links.length : this.links.lastIndexOf(link)
    const after = this.links.splice(own)
    for (const frame of [...between, ...after]) this.links.push(frame)
    if (elements.length === 0) fix(from, poseToOrigin(pose))
    else if (from !== name) fix(from, { ...noTurn, xyz: [-anchor[0], -anchor[1], -anchor[2]] })
    return elements.length === 0
  }

  /** A joint of a frame inside its body. */
  private inFrame(read: NonNullable<ReturnType<BodyReader['joint']>>, { pose, scale }: Place) {
    const { joint, pos, ref } = read
    if (scale === unscaled && isIdentity(pose)) return read
    const place = compose(pose, scaledPose(poseAt(pos), scale)).p
    const [x, y, z] = compose({ R: pose.R, p: new Float64Array(3) }, poseAt(joint.axis)).p
    const own = this.coordinates.pop()!
    const scaled = ref * coordinateFactor(joint.type, scale)
    this.coordinates.push({ ...own, ref: scaled, scale })
    return {
      joint: scaledJoint({ ...joint, axis: [x, y, z] as Triple }, scale),
      pos: [place[0], place[1], place[2]] as Triple,
      ref: scaled,
    }
  }

  private joint(element: XmlElement, body: string, parent: Place) {
    const { reader, compiler } = this
    const { findings } = reader
    const { attributes } = element
    const kind = attributes.type ?? 'hinge'
    const type = ({ hinge: 'revolute', slide: 'prismatic', ball: 'spherical', free: 'floating' } as const)[kind]
    if (this.jointNames.size > mostJoints) {
      const message = `more than ${mostJoints} joints, with all copies.`
      throw robotError('too-many-links', element, `<joint> of ${quote(body)}`, message, 'Check the count of <replicate>.')
    }
    const name = this.uniqueJoint(attributes.name === undefined ? `${body}_joint` : attributes.name + this.suffix)
    const what = `<joint name=${quote(name)}>`
    if (type === undefined) {
      findings.error('joint-type', element, what, `type="${kind}" is unknown.`, 'Known are hinge, slide, ball and free.')
      return undefined
    }
    if (type === 'floating' && !parent.isWorld.still) {
      findings.error(
        'free-joint',
        element,
        what,
        'a free joint inside a moving body.',
        'Free bodies stand directly under <worldbody>.',
      )
      return undefined
    }
    const unit = type === 'prismatic' ? 1 : compiler.unit
    const pos = attributes.pos === undefined || type === 'floating' ? [0, 0, 0] : reader.triple(element, 'pos', what)
    const stated = attributes.axis === undefined ? [0, 0, 1] : reader.triple(element, 'axis', what)
    const number = (key: string) => reader.optional(element, key, what, 0) ?? 0
    const nonnegative = (key: string) => this.coefficients(element, key, what)[0]
    const axis = stated && unitOf([stated[0], stated[1], stated[2]])
    if (stated && !axis) findings.error('axis-zero', element, what, 'axis 0 0 0 has no direction.', 'State the axis.')
    const simple = type === 'revolute' || type === 'prismatic'
    const { off, autolimits } = compiler
    const rangeOf = (key: string) => readRange(reader, element, element, what, key, autolimits)
    const range = type === 'floating' ? undefined : rangeOf('')
    const forces = simple ? rangeOf('actuatorfrc') : undefined
    if (type === 'floating' && attributes.limited !== 'false' && attributes.range !== undefined)
      findings.repair('ball-range', element, what, `a ${kind} joint with a range.`, 'Left out: such joints move freely here.')
    if (!pos || !axis) return undefined
    const ref = simple ? number('ref') * unit : 0
    this.coordinates.push({ joint: name, type, ref, scale: unscaled })
    const limit = readSoftness(reader, element, what, 'limit')?.softness
    const friction = readSoftness(reader, element, what, 'friction')?.softness
    const joint = {
      name,
      type,
      axis: simple ? axis : ([1, 0, 0] as const),
      ...unlimited,
      ...(range && !off.has('limit') && { ...(simple && { lower: range[0] * unit }), upper: range[1] * unit }),
      ...(forces && { effort: Math.max(Math.abs(forces[0]), Math.abs(forces[1])), effortRange: forces }),
      ...(simple && attributes.actuatorgravcomp === 'true' && { compensates: true as const }),
      ...this.passive(element, what, name, type, parent),
      friction: off.has('frictionloss') ? 0 : nonnegative('frictionloss'),
      armature: nonnegative('armature'),
      ...(type !== 'floating' && (limit || friction) && { softness: { ...(limit && { limit }), ...(friction && { friction }) } }),
      place: element,
    }
    return { joint, pos: [pos[0], pos[1], pos[2]] as Triple, ref }
  }

  /** A coefficient of at least 0; of a polynomial the linear one. */
  private coefficients(element: XmlElement, key: string, what: string): Polynomial {
    return readPolynomial(this.reader, element, key, what)
  }

  /**
   * Spring and damping of a joint: linear springs of one coordinate are its own, all others are tendons. A joint's yield is an angle
   * in the file's unit, or a length.
   */
  private passive(element: XmlElement, what: string, name: string, type: JointDescription['type'], { scale }: Place) {
    const { reader, compiler } = this
    const { off } = compiler
    const simple = type === 'revolute' || type === 'prismatic'
    const stiffness = off.has('spring') ? none : this.coefficients(element, 'stiffness', what)
    const damping = off.has('damper') ? none : this.coefficients(element, 'damping', what)
    const unit = type === 'prismatic' ? 1 : compiler.unit
    const yields = (reader.optional(element, 'springyield', what, 0) ?? 0) * unit
    const yielding = simple ? yields : 0
    if (yields > 0 && !simple)
      reader.findings.repair('mjcf-unsupported', element, what, 'a spring of a ball that yields.', 'It is elastic.')
    const reference = simple ? (reader.optional(element, 'springref', what, 0) ?? 0) * unit : 0
    const stated = element.attributes.springdamper === undefined ? [] : reader.numbers(element, 'springdamper', 2, what)
    const [timeConstant = 0, ratio = 0] = off.has('spring') || off.has('damper') ? [] : (stated ?? [])
    const isTuned = timeConstant > 0 && ratio > 0
    const own = simple && !(yielding > 0)
    const higher = damping[1] !== 0 || damping[2] !== 0
    if (type === 'floating' && higher)
      reader.findings.repair(
        'mjcf-unsupported',
        element,
        what,
        'a polynomial of damping of a free joint.',
        'It is along the axes of the body.',
      )
    this.addSprings(element, name, type, own ? [0, stiffness[1], stiffness[2]] : stiffness, yielding, reference)
    if (scale !== unscaled && (higher || !own || stiffness[1] !== 0 || stiffness[2] !== 0))
      reader.findings.repair('mjcf-unsupported', element, what, 'its spring in a frame of another scale.', 'Not scaled.')
    return {
      damping: damping[0],
      ...(higher && { dampingPolynomial: [damping[1], damping[2]] as const }),
      ...(own && stiffness[0] > 0 && { stiffness: stiffness[0] }),
      ...(reference !== 0 || (own && stiffness[0] > 0) ? { springReference: reference } : {}),
      ...(isTuned && { springDamper: [timeConstant, ratio] as const }),
    }
  }

  /** Springs as tendons: along a coordinate, or a ball's along its rotation and a free joint's along its way too. */
  private addSprings(
    place: XmlElement,
    joint: string,
    type: JointDescription['type'],
    stiffness: Polynomial,
    yielding: number,
    reference: number,
  ): void {
    if (stiffness.every((x) => x === 0)) return
    const add = (name: string, parts: TendonDescription['parts'], at: number) =>
      this.elements.tendons.push({
        name,
        parts,
        stiffness,
        damping: none,
        free: [at, at],
        ...(yielding > 0 && { yield: yielding }),
        place,
      })
    if (type === 'revolute' || type === 'prismatic') {
      add(joint, [{ type: 'joint', joint, factor: 1 }], reference)
      return
    }
    const link = this.links[this.links.length - 1].name
    const pose = this.poses.get(link) ?? identityPose()
    const [x, y, z, w] = type === 'floating' ? quaternionOf(pose.R) : [0, 0, 0, 1]
    add(joint, [{ type: 'turn', joint, reference: [x, y, z, w] }], 0)
    if (type !== 'floating') return
    const start = { link: 'world', origin: poseToOrigin({ R: identityPose().R, p: pose.p }) }
    const path = [start, { link, origin: noTurn }].map((at) => ({ type: 'site', at }) as const)
    add(`${joint} along`, path, 0)
  }

  private shapes(link: Mutable<LinkDescription>, geoms: readonly Geom[], isWorld: boolean): void {
    const bounded = geoms.filter((geom) => {
      const { shape, name } = geom
      if (isBounded(shape)) return true
      if (isWorld) {
        this.surround(moved(geom, this.poses.get(link.name)!))
        return false
      }
      const what = `<geom name=${quote(name)}> of body ${quote(link.name)}`
      this.reader.findings.repair(
        'plane-on-body',
        shape.place,
        what,
        `a ${shape.geometry.type} on a body.`,
        'Left out: only the world has them here.',
      )
      return false
    })
    // a body of which nothing is shown is drawn by what collides
    const isBare = !bounded.some(({ shape, collides }) => shape.isShown && !(this.compiler.discardVisual && !collides))
    const shapesOf = (list: readonly Geom[]) =>
      list.map(({ shape, collides }) => ({ ...shape, ...(isBare && collides && { isShown: true }) }) as ShapeDescription)
    link.collisions = shapesOf(bounded.filter(({ collides }) => collides))
    link.visuals = this.compiler.discardVisual ? [] : shapesOf(bounded.filter(({ collides }) => !collides))
    this.geoms.set(
      link.name,
      bounded.filter(({ collides }) => collides),
    )
  }

  private surround({ shape, collides }: Geom): void {
    if (collides) this.surroundings.push(shape)
  }

  private site(element: XmlElement, at: Place): void {
    const { name, type = 'sphere', fromto } = element.attributes
    if (name === undefined) return
    const { reader } = this
    const what = `<site name=${quote(name)}>`
    const stated = element.attributes.size === undefined ? [0.005] : reader.numbers(element, 'size', undefined, what)
    const own = stated && (fromto === undefined ? readPose(reader, element, what, this.compiler) : undefined)
    const placed = stated && (fromto === undefined ? own && { size: stated, pose: own } : spanned(reader, element, what, stated))
    if (!placed) return
    const pose = compose(at.pose, scaledPose(placed.pose, at.scale))
    const seat = {
      link: at.link,
      pose,
      shape: zoneOf(
        type,
        placed.size.map((x) => x * at.scale.length),
      ),
    }
    this.sites.set(name + this.suffix, seat)
    this.seats.set(`site ${name}${this.suffix}`, seat)
    if (at.link === 'world') return
    this.frames.push({ name: name + this.suffix, link: at.link, origin: poseToOrigin(pose), place: element })
  }

  private camera(element: XmlElement, at: Place): void {
    const { name, mode = 'fixed' } = element.attributes
    const pose = name === undefined ? undefined : readPose(this.reader, element, `<camera name=${quote(name)}>`, this.compiler)
    if (!pose) return
    const moves = mode === 'fixed' ? {} : { moves: `a camera of mode ${mode} is turned from step to step.` }
    this.seats.set(`camera ${name}${this.suffix}`, {
      link: at.link,
      pose: compose(at.pose, scaledPose(pose, at.scale)),
      ...moves,
    })
  }

  // Mass

  private inertial(
    element: XmlElement,
    what: string,
    geoms: readonly Geom[],
    isWorld: boolean,
    scale: Scale,
  ): InertialDescription | undefined {
    const { compiler, reader } = this
    const stated = element.children.find(({ name }) => name === 'inertial')
    const fromGeoms = compiler.inertiaFromGeom === 'true' || (compiler.inertiaFromGeom === 'auto' && stated === undefined)
    let own = fromGeoms ? this.inertialOfGeoms(element, geoms) : stated && readInertial(reader, stated, what, compiler)
    if (own && !fromGeoms) own = scaledInertial(own, scale)
    if (isWorld || !own) return own
    const mass = Math.max(own.mass, compiler.boundMass)
    own = { ...own, mass, inertia: bounded(own.inertia, compiler) }
    return own
  }

  /** A seat whose pose is computed when a sensor asks for it. */
  private seatOf(key: string, link: string, poseOf: () => Pose, geometry?: Geom['shape']['geometry']): void {
    this.seats.set(key, {
      link,
      ...((geometry?.type === 'sphere' || geometry?.type === 'cylinder') && { shape: geometry }),
      get pose() {
        return poseOf()
      },
    })
  }

  private immersedOf(element: XmlElement, link: LinkDescription, geoms: readonly Geom[]): Immersed {
    const frameOf = () => this.inertialFrame(element, link, geoms)
    return {
      link,
      get frame() {
        return frameOf()
      },
      shaped: geoms.flatMap((geom) => (geom.fluid ? [{ geom, frame: frameOfGeom(geom) }] : [])),
    }
  }

  /** Principal axes at the centre of mass, as MuJoCo chooses them. */
  private inertialFrame(element: XmlElement, { inertial }: LinkDescription, geoms: readonly Geom[]): Pose {
    if (!inertial) return identityPose()
    const own = poseOfOrigin(inertial.origin)
    if (inertial.place !== element) {
      const stated = element.children.find(({ name }) => name === 'inertial')
      return stated?.attributes.fullinertia === undefined ? own : compose(own, poseAt([0, 0, 0], principalAxes(inertial.inertia)))
    }
    const heavy = this.counted(geoms).filter(({ moments }) => moments.mass > lightest)
    return heavy.length === 1 ? frameOfGeom(heavy[0]) : poseAt(own.p, principalAxes(inertial.inertia))
  }

  /** Those whose group counts for the inertia of a body. */
  private counted(geoms: readonly Geom[]): Geom[] {
    const [low, high] = this.compiler.inertiaGroups
    return geoms.filter(({ group }) => group >= low && group <= high)
  }

  private inertialOfGeoms(place: XmlElement, geoms: readonly Geom[]): InertialDescription | undefined {
    const sum = emptyMoments()
    for (const { moments } of this.counted(geoms)) addMoments(sum, moments)
    if (sum.mass === 0) return undefined
    const { centerOfMass, inertia } = centralOf(sum)
    return { origin: { xyz: centerOfMass, rpy: [0, 0, 0] }, mass: sum.mass, inertia, place, inertiaPlace: place }
  }

  /** `settotalmass`. */
  private scaleMasses(): void {
    const { totalMass } = this.compiler
    const sum = this.links.reduce((total, { inertial }) => total + (inertial?.mass ?? 0), 0)
    if (!(totalMass > 0) || sum === 0) return
    const k = totalMass / sum
    for (const link of this.links) {
      if (!link.inertial) continue
      const [xx, yy, zz, xy, xz, yz] = link.inertial.inertia
      link.inertial = {
        ...link.inertial,
        mass: k * link.inertial.mass,
        inertia: [k * xx, k * yy, k * zz, k * xy, k * xz, k * yz],
      }
    }
  }

  // Names

  private unique(name: string, place: XmlElement): string {
    if (this.names.has(name)) {
      const message = `there is a body ${quote(name)} already.`
      this.reader.findings.error(
        'duplicate-link',
        place,
        `<${place.name} name=${quote(name)}>`,
        message,
        'Rename one of the two.',
      )
    }
    this.names.add(name)
    return name
  }

  private uniqueJoint(wanted: string): string {
    let name = wanted
    let n = this.jointNames.get(wanted) ?? 0
    while (this.jointNames.has(name)) name = `${wanted}_${++n}`
    this.jointNames.set(wanted, Math.max(n, 1))
    this.jointNames.set(name, 1)
    return name
  }
}

/** MuJoCo's frame of a geom: that of a mesh has the principal axes of its solid. */
function frameOfGeom({ shape, moments, axes }: Geom): Pose {
  const isMesh = shape.geometry.type === 'mesh' || shape.geometry.type === 'points'
  return isMesh && moments.mass > 0 ? principalFrame(moments, axes.R) : poseOfOrigin(shape.origin)
}

/** The volume of a site. */
function zoneOf(type: string, [a = 0, b = 0, c = 0]: readonly number[]): Shape | undefined {
  switch (type) {
    case 'sphere':
      return { type, radius: a }
    case 'capsule':
    case 'cylinder':
      return { type, radius: a, length: 2 * b }
    case 'box':
      return { type, size: [2 * a, 2 * b, 2 * c] }
    case 'ellipsoid':
      return { type, radii: [a, b, c] }
    default:
      return undefined
  }
}

function moved(geom: Geom, pose: Pose): Geom {
  if (pose.p.every((x) => x === 0) && pose.R.every((x, k) => x === (k % 4 === 0 ? 1 : 0))) return geom
  const at = compose(pose, poseOfOrigin(geom.shape.origin))
  const moments = emptyMoments()
  if (geom.moments.mass > 0) {
    const { centerOfMass, inertia } = centralOf(geom.moments)
    addBody(moments, geom.moments.mass, inertia, compose(pose, poseAt(centerOfMass)))
  }
  return { ...geom, moments, axes: compose(pose, geom.axes), shape: { ...geom.shape, origin: poseToOrigin(at) } }
}

/** `<inertial>`: the mass, and a diagonal in axes of its own or all six moments. */
function readInertial(reader: Reader, element: XmlElement, body: string, compiler: Compiler): InertialDescription | undefined {
  const what = `<inertial> of ${body}`
  const pose = readPose(reader, element, what, compiler)
  const mass = reader.number(element, 'mass', what)
  const { diaginertia, fullinertia } = element.attributes
  const full = fullinertia === undefined ? undefined : reader.numbers(element, 'fullinertia', 6, what)
  const diagonal = diaginertia === undefined ? undefined : reader.triple(element, 'diaginertia', what)
  if (fullinertia === undefined && diaginertia === undefined) reader.missing(element, 'diaginertia', what, 'xx yy zz')
  if (!pose || mass === undefined || (fullinertia !== undefined && !full)) return undefined
  if (!full && !diagonal) return undefined
  const [xx, yy, zz, xy = 0, xz = 0, yz = 0] = full ?? diagonal!
  return { origin: poseToOrigin(pose), mass, inertia: [xx, yy, zz, xy, xz, yz], place: element, inertiaPlace: element }
}

/** `boundinertia` and `balanceinertia`, in the axes of the principal moments. */
function bounded(inertia: SymmetricInertia, { boundInertia, balanceInertia }: Compiler): SymmetricInertia {
  if (!balanceInertia && boundInertia <= 0) return inertia
  const { values, vectors } = eigenSymmetric3(inertia)
  const [low, middle, high] = [...values].sort((a, b) => a - b)
  const mean = (low + middle + high) / 3
  if (balanceInertia && low + middle < high && nearestInertia(inertia).verdict !== 'zero') return [mean, mean, mean, 0, 0, 0]
  if (low >= boundInertia) return inertia
  const raised = values.map((value) => Math.max(value, boundInertia))
  const entry = (i: number, j: number) =>
    raised.reduce((sum, value, k) => sum + vectors[3 * i + k] * value * vectors[3 * j + k], 0)
  return [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}

const isIdentity = ({ R, p }: Pose) => R[0] === 1 && R[4] === 1 && R[8] === 1 && p[0] === 0 && p[1] === 0 && p[2] === 0
