import { rotate3 } from '../../dynamics/index.ts'
import {
  compose,
  identityPose,
  inversePose,
  originOf,
  type Pose,
  poseAt,
  poseOfOrigin,
  poseToOrigin,
  quaternionOf,
  scaledUnitOf,
} from '../compile/pose.ts'
import {
  type DisabledCollision,
  type FrameDescription,
  type InertialDescription,
  type JointDescription,
  type LinkDescription,
  plain,
  type RobotDescription,
  type ShapeDescription,
  type SurroundingDescription,
  type Tags,
  type Triple,
} from '../description.ts'
import { quote, Reader } from '../elements/index.ts'
import { Includes } from '../files/includes.ts'
import type { Resolver } from '../files/resolve.ts'
import { readMaterial } from '../looks/sdf.ts'
import { readCollisionFilters } from '../urdf/collisionFilters.ts'
import { checkCount, checkTree } from '../urdf/tree.ts'
import type { XmlElement } from '../xml.ts'
import { WorldFrames } from './frames.ts'
import { type Gearbox, gearCoupling } from './gearbox.ts'
import { isTrue, ModelReader, type Scope, versionOf } from './models.ts'
import { sdfVocabulary } from './schema.ts'
import { type SdfShape, Shapes, shapePose } from './shapes.ts'
import { Values } from './values.ts'

/** Limits from this value on mean none. */
const noLimit = 1e16
/** Types of joints, as those of their parts. */
const jointTypes = {
  revolute: 'revolute',
  continuous: 'continuous',
  prismatic: 'prismatic',
  fixed: 'fixed',
  ball: 'spherical',
  screw: 'screw',
  universal: 'universal',
  revolute2: 'universal',
  gearbox: 'gearbox',
} as const
type PartType = Exclude<(typeof jointTypes)[keyof typeof jointTypes], 'gearbox'>
/** A joint without its place in the tree. */
type JointPart = Omit<JointDescription, 'parent' | 'child' | 'origin'>

/** Of bodies whose inertia is that of their shapes, where the file states none [kg/m^3]. */
const standardDensity = 1000

/**
 * Reads SDF, Gazebo's format, from 1.4 to 1.12: one model, or a world. Links and joints of all models that move become one robot,
 * each connected to the world by its joints, else floating; static models are surroundings. Poses are resolved by `relative_to`,
 * frames of the world and of nested and included models among them. Anything without a counterpart is a repair that names it.
 *
 * @throws RobotError with every error of the file
 */
export function describeSdf(
  root: XmlElement,
  file: string,
  resolver: Resolver | undefined,
  options: { readonly maxLinks?: number } = {},
): RobotDescription {
  return new SdfReader(root, file, resolver, options.maxLinks ?? 1000).read()
}

class SdfReader {
  private readonly reader = new Reader()
  private readonly values = new Values(this.reader)
  private readonly shapes = new Shapes(this.values)
  private readonly links: LinkDescription[] = []
  private readonly joints: JointDescription[] = []
  private readonly named: FrameDescription[] = []
  private readonly surroundings: SurroundingDescription[] = []
  private readonly selfCollide = new Map<string, boolean>()
  private readonly disabled: DisabledCollision[] = []
  private readonly gearboxes: Gearbox[] = []
  /** Poses of links in the world by their labels. */
  private readonly poses = new Map<string, Pose>()
  /** Links of models that do not move, by their names in the file. */
  private readonly fixed = new Set<string>()
  private readonly root: XmlElement
  private readonly file: string
  private readonly maxLinks: number
  private readonly models: ModelReader
  private readonly world: Scope
  private readonly frames: WorldFrames
  /** Left out of the names of links and joints: the name of the only model that moves. */
  private readonly implied: string

  constructor(root: XmlElement, file: string, resolver: Resolver | undefined, maxLinks: number) {
    this.root = root
    this.file = file
    this.maxLinks = maxLinks
    this.reader.account.use(root)
    this.models = new ModelReader(this.reader, new Includes(resolver))
    this.world = this.models.world(root)
    this.frames = new WorldFrames(this.world, {
      stated: (element, what) => this.values.pose(element, what),
      refuse: (code, place, what, message, remedy) => this.reader.findings.error(code, place, what, message, remedy),
    })
    const moving = this.moving
    this.implied = moving.length === 1 ? moving[0].prefix : ''
  }

  private get moving(): readonly Scope[] {
    return this.world.models.filter(({ isStatic }) => !isStatic)
  }

  read(): RobotDescription {
    const { reader, root, world } = this
    const { account, findings } = reader
    // before the links are read: a small file may include one many times
    const links = this.countLinks(world)
    if (links > this.maxLinks) {
      checkCount(findings, root, '<sdf>', links, this.maxLinks, '', '')
      reader.finish()
    }
    this.collectFixed(world)
    this.scope(world)
    this.readGearboxes()
    const gravity = world.element.children.find(({ name }) => name === 'gravity')
    if (gravity) account.use(gravity)
    const g = gravity && this.values.numbers(gravity, 3, '<gravity>')
    const none = this.models.missing ? 'a model that it includes was not found, and no other moves.' : 'no model in it moves.'
    // a file of static models alone is surroundings
    if (this.links.length === 0 && this.surroundings.length > 0) {
      if (this.models.missing)
        findings.error('no-links', root, '<sdf>', none, 'Put the model there, or name its folder with --root.')
    } else if (
      checkCount(findings, root, '<sdf>', this.links.length, this.maxLinks, none, 'Load a file with a <model> that moves.')
    )
      this.tie()
    checkTree(findings, root, this.links, this.joints, true)
    const tags = this.tags()
    reader.finish()
    const { moving } = this
    const { name } = (moving.length === 1 ? moving[0] : world.element.name === 'world' ? world : (world.models[0] ?? world))
      .element.attributes
    return {
      name: name ?? '',
      file: this.file,
      place: root,
      links: this.links,
      joints: this.joints,
      frames: this.named,
      root: 'world',
      worldUndeclared: true,
      disabledCollisions: this.disabled,
      selfCollide: this.selfCollide,
      surroundings: this.surroundings,
      ...(g && { gravity: [g[0], g[1], g[2]] as Triple }),
      tags,
      diagnostics: findings.list,
    }
  }

  /** Of the file and of those that it includes. */
  private tags(): Tags {
    const { account, findings } = this.reader
    const all = [this.root, ...this.models.roots].map((root) => account.settle(root, sdfVocabulary, findings, 'sdf-unsupported'))
    const of = (kind: keyof Tags) => [...new Set(all.flatMap((tags) => tags[kind]))]
    const [used, carried] = [of('used'), of('carried')]
    return { used, carried, ignored: of('ignored').filter((label) => !used.includes(label) && !carried.includes(label)) }
  }

  /** The name of a link or joint in the description. */
  private label(name: string): string {
    return name.startsWith(this.implied) ? name.slice(this.implied.length) : name
  }

  /** Of the models that move. */
  private countLinks({ element, isStatic, models }: Scope): number {
    const own = isStatic ? 0 : element.children.reduce((sum, { name }) => sum + (name === 'link' ? 1 : 0), 0)
    return models.reduce((sum, model) => sum + this.countLinks(model), own)
  }

  private collectFixed(scope: Scope): void {
    for (const child of scope.element.children) {
      const name = child.name === 'link' && scope.isStatic ? this.frames.nameOf(child, scope) : undefined
      if (name !== undefined) this.fixed.add(name)
    }
    for (const model of scope.models) this.collectFixed(model)
  }

  private scope(scope: Scope): void {
    const { account } = this.reader
    if (scope.outer) account.use(scope.element)
    for (const child of scope.element.children) {
      if (child.name === 'link') this.link(child, scope)
      else if (child.name === 'joint' && !scope.isStatic) this.joint(child, scope)
      else if (child.name === 'frame') this.frame(child, scope)
    }
    for (const model of scope.models) this.scope(model)
    if (!scope.isStatic) this.readFilters(scope)
  }

  private frame(element: XmlElement, scope: Scope): void {
    const { frames } = this
    this.reader.account.use(element)
    for (const child of element.children) this.reader.account.use(child)
    const name = frames.nameOf(element, scope)
    const link = name === undefined ? undefined : frames.linkOf(name)
    if (name === undefined || link === undefined || link === 'world' || this.fixed.has(link)) return
    const pose = frames.poseIn(link, name)
    if (!pose) return
    const origin = originOf(pose)
    this.named.push({ name: this.label(name), link: this.label(link), origin, place: element })
  }

  private link(element: XmlElement, scope: Scope): void {
    const { account } = this.reader
    account.use(element)
    if (this.reader.name(element) === undefined) return
    const full = this.frames.nameOf(element, scope)
    const pose = full === undefined ? undefined : this.frames.poseOf(full)
    if (full === undefined || !pose) return
    const name = this.label(full)
    const visuals: ShapeDescription[] = []
    const collisions: ShapeDescription[] = []
    let restitution: number | undefined
    for (const child of element.children) {
      if (child.name === 'pose' || child.name === 'gravity' || child.name === 'self_collide') account.use(child)
      if (child.name !== 'visual' && child.name !== 'collision') continue
      const what = `<${child.name}> of link ${quote(name)}`
      const shape = this.shapes.read(child, what)
      const origin = shape && this.shapeOrigin(child, what, shape, scope, full)
      if (!shape || !origin) continue
      const { geometry, friction, density } = shape
      restitution ??= shape.restitution
      if (scope.isStatic || geometry.type === 'plane') {
        if (child.name === 'visual') continue
        const placed = poseToOrigin(compose(pose, poseOfOrigin(origin)))
        this.surroundings.push({ name: full, origin: placed, geometry, ...friction, place: child })
      } else if (geometry.type !== 'heightfield') {
        const list = child.name === 'visual' ? visuals : collisions
        const material = child.name === 'visual' ? readMaterial(child) : undefined
        list.push({ name: child.attributes.name ?? '', origin, geometry, ...friction, density, material, place: child })
      }
    }
    if (scope.isStatic) {
      for (const child of element.children) if (!account.isKept(child)) account.carryTree(child)
      return
    }
    const own = (parent: XmlElement, tag: string) => parent.children.find((child) => child.name === tag)
    const collide = own(element, 'self_collide') ?? own(scope.element, 'self_collide')
    if (collide) this.selfCollide.set(name, isTrue(collide))
    const weightless = own(element, 'gravity')
    const gravity = weightless && /^(0|false)$/i.test(weightless.text) ? { gravity: false } : {}
    this.poses.set(name, pose)
    this.links.push({
      name,
      inertial: this.inertial(element, name),
      visuals,
      collisions,
      restitution,
      ...gravity,
      place: element,
    })
  }

  /** The pose of a shape in the axes of its link. */
  private shapeOrigin(element: XmlElement, what: string, shape: SdfShape, scope: Scope, link: string) {
    const own = this.values.pose(element, what)
    const relativeTo = element.children.find(({ name }) => name === 'pose')?.attributes.relative_to
    if (!own || relativeTo === undefined || relativeTo === '') return own && originOf(shapePose(own, shape))
    const frame = this.frames.poseIn(link, this.frames.resolve(relativeTo, scope))
    return frame && originOf(shapePose(compose(frame, own), shape))
  }

  /** Mass 1 and moments of 1 where nothing is stated, as the standard has it. */
  private inertial(link: XmlElement, name: string): InertialDescription | undefined {
    const { reader, values } = this
    const what = `<inertial> of link ${quote(name)}`
    const element = reader.only(link, 'inertial', `link ${quote(name)}`)
    if (!element) {
      const remedy = '1 kg and 1 kg m^2 are used, as SDF has it; state its own.'
      reader.findings.repair('inertial-missing', link, `link ${quote(name)}`, 'it has no <inertial>.', remedy)
      return { origin: poseToOrigin(poseAt([0, 0, 0])), mass: 1, inertia: [1, 1, 1, 0, 0, 0], place: link, inertiaPlace: link }
    }
    reader.account.use(element)
    const pose = values.pose(element, what)
    const inertia = reader.only(element, 'inertia', what)
    if (inertia) reader.account.use(inertia)
    const auto = /^(1|true)$/.test(element.attributes.auto ?? '')
    const mass = values.number(element, 'mass', what, auto ? 0 : 1)
    const [xx, yy, zz, xy, xz, yz] = ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'].map((key, k) =>
      inertia ? values.number(inertia, key, what, k < 3 ? 1 : 0) : k < 3 ? 1 : 0,
    )
    const ofShapes = auto ? { ofShapes: values.number(element, 'density', what, standardDensity) } : {}
    return (
      pose && {
        origin: originOf(pose),
        mass,
        inertia: [xx, yy, zz, xy, xz, yz],
        place: element,
        inertiaPlace: inertia ?? element,
        ...ofShapes,
      }
    )
  }

  private joint(element: XmlElement, scope: Scope): void {
    const { reader, frames } = this
    reader.account.use(element)
    const name = reader.name(element)
    const type = reader.required(element, 'type', `<joint name=${quote(name ?? '')}>`)
    if (name === undefined || type === undefined) return
    const what = `<joint name=${quote(name)}>`
    const refuse = (code: string, message: string, remedy: string) => reader.findings.error(code, element, what, message, remedy)
    const ends = ['parent', 'child'].map((tag) => this.stated(element, tag, what))
    for (const child of element.children) if (child.name === 'pose') reader.account.use(child)
    if (ends[0] === undefined || ends[1] === undefined) return
    const kind = Object.hasOwn(jointTypes, type) ? jointTypes[type as keyof typeof jointTypes] : undefined
    if (kind === undefined) {
      const known = Object.keys(jointTypes).join(', ')
      refuse('joint-type', `type ${quote(type)} has no counterpart here.`, `Known: ${known}.`)
      return
    }
    const full = frames.nameOf(element, scope)
    const [parent, child] = ends.map((end) => this.carrier(end as string, scope))
    const pose = full === undefined ? undefined : frames.poseOf(full)
    if (full === undefined || (parent === 'world' && child === 'world')) return
    const parentPose = parent === undefined || parent === 'world' ? pose : frames.poseOf(parent)
    const childPose = child === undefined || child === 'world' ? pose : frames.poseOf(child)
    if (parent === undefined || child === undefined || (child === 'world' && kind !== 'gearbox') || !pose) {
      const wrong = quote((parent === undefined ? ends[0] : ends[1]) as string)
      const message = `${wrong} is no link or frame of the model that may stand there.`
      refuse('undeclared-link', message, 'Declare it or correct the name.')
      return
    }
    if (!parentPose || !childPose) return // reported already
    if (kind === 'gearbox') {
      this.gearbox(element, what, scope, pose, [this.label(parent), this.label(child)])
      return
    }
    const inParent = parent === 'world' ? pose : frames.poseIn(parent, full)
    // the child's own axes, in those of the joint at zero
    const toChild = frames.poseIn(full, child)
    const parts = this.partsOf(element, what, scope, pose, kind, this.label(scope.prefix + name))
    if (inParent && toChild && parts) this.connect(parts, this.label(parent), this.label(child), inParent, toChild)
  }

  /** The text of a child element, which has to be there; else an error. */
  private stated(element: XmlElement, tag: string, what: string): string | undefined {
    const found = this.reader.only(element, tag, what)
    if (found) this.reader.account.use(found)
    else this.reader.findings.error(`${tag}-missing`, element, what, `it has no <${tag}>.`, `Add <${tag}>.`)
    return found?.text
  }

  /** The link that a frame is on; what is fixed to the world is the world. */
  private carrier(end: string, scope: Scope): string | undefined {
    const link = this.frames.linkOf(this.frames.resolve(end, scope))
    return link !== undefined && this.fixed.has(link) ? 'world' : link
  }

  /** The one or two joints that a joint is: a screw turns and goes along as it turns, `universal` and `revolute2` turn about two axes. */
  private partsOf(element: XmlElement, what: string, scope: Scope, pose: Pose, type: PartType, label: string) {
    const isCompound = type === 'screw' || type === 'universal'
    const first = this.part(element, what, scope, pose, 'axis', isCompound ? 'revolute' : type, label)
    if (!first || !isCompound) return first && [first]
    if (type === 'universal') {
      const second = this.part(element, what, scope, pose, 'axis2', 'revolute', `${label}::axis2`)
      return second && [first, second]
    }
    const travel = { joint: label, multiplier: this.lead(element, what) / (2 * Math.PI), offset: 0, place: element }
    const { axis } = first
    return [first, { ...plain, name: `${label}::travel`, type: 'prismatic' as const, axis, mimic: travel, place: element }]
  }

  /** Way along the axis in a turn [m]; the older `thread_pitch` is of the other sign and in radians per metre. */
  private lead(element: XmlElement, what: string): number {
    const { values } = this
    const has = (tag: string) => element.children.some(({ name }) => name === tag)
    if (has('screw_thread_pitch')) return values.number(element, 'screw_thread_pitch', what, 0)
    const pitch = values.number(element, 'thread_pitch', what, 1)
    if (has('thread_pitch') && pitch !== 0) return (-2 * Math.PI) / pitch
    const message = 'a screw that states no <screw_thread_pitch>.'
    this.reader.findings.error('screw-without-pitch', element, what, message, 'State it, in metres a turn.')
    return 0
  }

  private part(
    element: XmlElement,
    what: string,
    scope: Scope,
    pose: Pose,
    tag: 'axis' | 'axis2',
    type: Exclude<PartType, 'screw' | 'universal'>,
    name: string,
  ): JointPart | undefined {
    const moves = type === 'revolute' || type === 'continuous' || type === 'prismatic'
    const axis = moves ? this.axis(element, what, scope, pose, tag) : ([1, 0, 0] as const)
    if (!axis) return undefined
    const axisElement = element.children.find((inner) => inner.name === tag)
    return {
      name,
      type,
      ...plain,
      axis,
      ...(moves && axisElement && this.limits(axisElement, what, type)),
      ...(type === 'spherical' && axisElement && this.lossesOfBall(axisElement, what)),
      ...(moves && { armature: this.armature(element, what) }),
      ...(moves && axisElement && this.mimic(axisElement, what, scope)),
      place: element,
    }
  }

  /** Damping and friction of a ball joint, about each axis alike. */
  private lossesOfBall(axis: XmlElement, what: string): Pick<JointDescription, 'damping' | 'friction'> {
    this.reader.account.use(axis)
    const { damping, friction } = this.limits(axis, what, 'ball')
    return { damping, friction }
  }

  /** Adds joints one behind the other, with massless frames between them and, where the child's axes are others than the joint's, before it. */
  private connect(parts: readonly JointPart[], parent: string, child: string, inParent: Pose, toChild: Pose): void {
    const { name, type, place } = parts[0]
    const seated =
      toChild.p.every((x) => Math.abs(x) < 1e-15) && toChild.R.every((x, k) => Math.abs(x - (k % 4 === 0 ? 1 : 0)) < 1e-15)
    if (type === 'fixed') {
      const origin = seated ? originOf(inParent) : poseToOrigin(compose(inParent, toChild))
      this.joints.push({ ...parts[0], parent, child, origin })
      return
    }
    let before = parent
    parts.forEach((part, k) => {
      const isLast = k === parts.length - 1
      const next = !isLast ? `${name}::between` : seated ? child : `${name}::joint`
      if (next !== child) this.links.push({ name: next, visuals: [], collisions: [], massless: true, place })
      this.joints.push({ ...part, parent: before, child: next, origin: originOf(k === 0 ? inParent : identityPose()) })
      before = next
    })
    if (seated) return
    const seat = { name: `${name}::seat`, type: 'fixed', parent: before, child, origin: poseToOrigin(toChild) } as const
    this.joints.push({ ...seat, ...plain, place })
  }

  private gearbox(element: XmlElement, what: string, scope: Scope, pose: Pose, [parent, child]: readonly string[]): void {
    const stated = this.stated(element, 'gearbox_reference_body', what)
    const [axis1, axis2] = (['axis', 'axis2'] as const).map((tag) => this.axis(element, what, scope, pose, tag))
    const ratio = this.values.number(element, 'gearbox_ratio', what, 1)
    const found = stated === undefined ? undefined : this.carrier(stated, scope)
    if (found === undefined || !axis1 || !axis2) return
    const inWorld = (axis: Triple): Triple => {
      const out = new Float64Array(3)
      rotate3(out, pose.R, Float64Array.from(axis))
      return [out[0], out[1], out[2]]
    }
    const axes = { axis1: inWorld(axis1), axis2: inWorld(axis2) }
    this.gearboxes.push({ reference: this.label(found), parent, child, ...axes, ratio, place: element })
  }

  /** Makes hinges of gearboxes follow each other, once all joints are known. */
  private readGearboxes(): void {
    for (const gearbox of this.gearboxes) {
      const coupling = gearCoupling(gearbox, this.joints, (link) => this.poses.get(link) ?? identityPose())
      const { place, parent, child, reference } = gearbox
      if (coupling) this.joints[this.joints.indexOf(coupling.joint)] = { ...coupling.joint, mimic: coupling.mimic }
      else
        this.reader.findings.error(
          'gearbox-without-hinges',
          place,
          `<joint name=${quote(place.attributes.name ?? '')}>`,
          `${quote(parent)} and ${quote(child)} are not each on a free hinge of ${quote(reference)} along the gearbox's axes.`,
          'Connect both to the reference body by revolute joints along <axis> and <axis2>.',
        )
    }
  }

  /** Drake's rotor behind a gear, reflected to the joint: inertia times the square of the ratio [kg m^2, kg]. */
  private armature(element: XmlElement, what: string): number {
    const ratio = this.values.number(element, 'drake:gear_ratio', what, 1)
    return Math.max(0, this.values.number(element, 'drake:rotor_inertia', what, 0)) * ratio * ratio
  }

  /** Drake's groups of links that do not collide, in the words of URDF. */
  private readFilters(scope: Scope): void {
    const groups = scope.element.children.filter(({ name }) => name === 'drake:collision_filter_group')
    if (groups.length === 0) return
    const link = (text: string) => this.label(this.frames.linkOf(this.frames.resolve(text, scope)) ?? text)
    const inUrdf = groups.map((group) => ({
      ...group,
      children: group.children.map((child) => {
        this.reader.account.use(child)
        return { ...child, attributes: { name: child.text, link: link(child.text) } }
      }),
    }))
    for (const group of groups) this.reader.account.use(group)
    const known = new Set(this.links.map(({ name }) => name))
    this.disabled.push(...readCollisionFilters(this.reader, inUrdf, known))
  }

  /** In the axes of the joint. Until 1.4 it was written in those of the model; later by an element, then by an attribute. */
  private axis(element: XmlElement, what: string, scope: Scope, pose: Pose, tag: 'axis' | 'axis2'): Triple | undefined {
    const { reader, frames } = this
    const found = reader.only(element, tag, what)
    const xyz = found?.children.find(({ name }) => name === 'xyz')
    if (found) reader.account.use(found)
    if (xyz) reader.account.use(xyz)
    const stated = xyz ? this.values.numbers(xyz, 3, what) : [0, 0, 1]
    const unit = stated && scaledUnitOf([stated[0], stated[1], stated[2]])
    if (!unit) {
      if (stated) reader.findings.error('axis-zero', element, what, '0 0 0 has no direction.', 'State the axis.')
      return undefined
    }
    const flag = found?.children.find(({ name }) => name === 'use_parent_model_frame')
    if (flag) reader.account.use(flag)
    const expressedIn = xyz?.attributes.expressed_in
    const inModel = scope.version < versionOf('1.5') || (flag !== undefined && /^(1|true)$/.test(flag.text))
    const from = expressedIn
      ? frames.poseOf(frames.resolve(expressedIn, scope))
      : inModel
        ? frames.poseOf(scope.frame)
        : undefined
    if (expressedIn && !from) return undefined // reported already
    if (!from) return unit
    const R = compose(inversePose(pose), from).R
    const [x, y, z] = unit
    return [R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z]
  }

  private limits(axis: XmlElement, what: string, type: string) {
    const { reader, values } = this
    const { account, findings } = reader
    const limit = reader.only(axis, 'limit', what)
    const dynamics = reader.only(axis, 'dynamics', what)
    for (const part of [limit, dynamics]) if (part) account.use(part)
    const bound = (x: number) => (Math.abs(x) >= noLimit ? Math.sign(x) * Infinity : x)
    const read = (name: string, otherwise: number) => (limit ? values.extended(limit, name, what, otherwise) : otherwise)
    let [lower, upper] = [bound(read('lower', -noLimit)), bound(read('upper', noLimit))]
    if (lower > upper) {
      findings.repair('limit-reversed', limit!, what, `lower ${lower} is above upper ${upper}.`, 'Swapped.')
      ;[lower, upper] = [upper, lower]
    }
    const most = (name: string) => {
      const value = read(name, -1)
      return value < 0 ? Infinity : value
    }
    const loss = (name: string) => Math.max(0, dynamics ? values.number(dynamics, name, what, 0) : 0)
    const stiffness = loss('spring_stiffness')
    return {
      ...(type === 'continuous' ? {} : { lower, upper }),
      effort: most('effort'),
      velocity: most('velocity'),
      damping: loss('damping'),
      friction: loss('friction'),
      ...(stiffness > 0 && { stiffness, springReference: values.number(dynamics!, 'spring_reference', what, 0) }),
    }
  }

  /** position = multiplier (position of the leader - reference) + offset. */
  private mimic(axis: XmlElement, what: string, scope: Scope): Pick<JointDescription, 'mimic'> {
    const found = this.reader.only(axis, 'mimic', what)
    if (!found) return {}
    const { values } = this
    this.reader.account.use(found)
    const joint = this.reader.required(found, 'joint', what)
    if (joint === undefined) return {}
    const multiplier = values.number(found, 'multiplier', what, 1)
    const offset = values.number(found, 'offset', what, 0) - multiplier * values.number(found, 'reference', what, 0)
    return { mimic: { joint: this.label(this.frames.resolve(joint, scope)), multiplier, offset, place: found } }
  }

  /** Connects links without a parent to the world by a floating joint, at their poses. */
  private tie(): void {
    const carried = new Set(this.joints.map(({ child }) => child))
    const roots = this.links.filter(({ name, massless }) => !carried.has(name) && !massless)
    const weighs = this.links.some(({ inertial }) => inertial && (inertial.mass > 0 || inertial.ofShapes !== undefined))
    roots.forEach(({ name, inertial, place }, k) => {
      if (weighs && inertial?.mass === 0 && inertial.ofShapes === undefined) {
        const origin = poseToOrigin(this.poses.get(name)!)
        this.joints.push({ name: `${name}_fixed`, type: 'fixed', parent: 'world', child: name, origin, ...plain, place })
        const remedy = 'It is fixed to the world; state a mass if it moves.'
        this.reader.findings.warning(
          'root-without-mass',
          place,
          `<link name=${quote(name)}>`,
          'the root has no mass, and others have.',
          remedy,
        )
        return
      }
      const pose = this.poses.get(name)!
      const { xyz, rpy } = poseToOrigin(pose)
      const first = k === 0
      const q = quaternionOf(pose.R)
      this.joints.push({
        ...{ name: `${name}_free`, type: 'floating', parent: 'world', child: name },
        origin: first ? { xyz, rpy } : poseToOrigin(identityPose()),
        initial: first ? undefined : [...xyz, ...q],
        ...{ ...plain, place },
      })
    })
  }
}
