import {
  compose,
  identityPose,
  inversePose,
  type Pose,
  poseAt,
  poseOfOrigin,
  poseToOrigin,
  quaternionOf,
  rotationOf,
  rotationToZ,
  unitOf,
} from '../compile/pose.ts'
import {
  type FrameDescription,
  type InertialDescription,
  type JointDescription,
  type LinkDescription,
  plain,
  type RobotDescription,
  type ShapeDescription,
  type SurroundingDescription,
  type Triple,
} from '../description.ts'
import { quote, Reader } from '../elements/index.ts'
import { Includes } from '../files/includes.ts'
import type { Resolver } from '../files/resolve.ts'
import { checkCount, checkTree } from '../urdf/tree.ts'
import type { XmlElement } from '../xml.ts'
import { type FrameGraph, scopedFrames } from './frames.ts'
import { carriedElements, sdfVocabulary } from './schema.ts'

/** Models inside models, and files included in all. */
const maxNesting = 20
const maxIncludes = 1000
/** Limits from this value on mean none. */
const noLimit = 1e16

/** A model being read: names are those of the file with the names of the enclosing models. */
interface Scope {
  readonly element: XmlElement
  /** Such as `arm::`; empty for the outermost. */
  readonly prefix: string
  readonly frames: FrameGraph
  readonly isStatic: boolean
  readonly version: number
}

/**
 * Reads SDF, Gazebo's format, from 1.4 on: one model, or a world. Links and joints of all models that move become one robot, each
 * connected to the world by its joints, else floating; static models are surroundings. Poses are resolved by `relative_to`, frames
 * and nested models included. Anything without a counterpart is a repair that names it.
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
  private readonly links: LinkDescription[] = []
  private readonly joints: JointDescription[] = []
  private readonly named: FrameDescription[] = []
  private readonly surroundings: SurroundingDescription[] = []
  private readonly poses = new Map<string, Pose>()
  private includes = 0
  private readonly root: XmlElement
  private readonly file: string
  private readonly files: Includes
  private readonly maxLinks: number

  constructor(root: XmlElement, file: string, resolver: Resolver | undefined, maxLinks: number) {
    this.root = root
    this.file = file
    this.files = new Includes(resolver)
    this.maxLinks = maxLinks
  }

  read(): RobotDescription {
    const { reader, root } = this
    const { account, findings } = reader
    account.use(root)
    const version = Number(root.attributes.version ?? 1.6)
    if (!(version >= 1.4))
      findings.warning('version', root, '<sdf>', `version=${quote(root.attributes.version ?? '')}.`, 'Read as 1.6.')
    const world = root.children.find(({ name }) => name === 'world')
    if (world) account.use(world)
    const models = this.modelsIn(world ?? root, 0)
    const moving = models.filter((model) => !isStatic(model))
    for (const model of models) {
      // the world's own pose of a model
      const pose = this.poseIn(model, '<model>')
      const prefix = moving.length > 1 || isStatic(model) ? `${model.attributes.name ?? ''}::` : ''
      if (pose) this.model(model, prefix, pose, isStatic(model), version, 0)
    }
    const gravity = world?.children.find(({ name }) => name === 'gravity')
    if (gravity) account.use(gravity)
    const g = gravity && this.numbers(gravity, 3, '<gravity>')
    const none = 'no model in it moves.'
    if (checkCount(findings, root, '<sdf>', this.links.length, this.maxLinks, none, 'Load a file with a <model> that moves.'))
      this.tie()
    checkTree(findings, root, this.links, this.joints, true)
    const tags = account.settle(root, sdfVocabulary, findings)
    reader.finish()
    const [only] = moving
    return {
      name: (moving.length === 1 ? only.attributes.name : world?.attributes.name) ?? '',
      file: this.file,
      place: root,
      links: this.links,
      joints: this.joints,
      frames: this.named,
      root: 'world',
      worldUndeclared: true,
      disabledCollisions: [],
      selfCollide: new Map(),
      surroundings: this.surroundings,
      ...(g && { gravity: [g[0], g[1], g[2]] as Triple }),
      tags,
      diagnostics: findings.list,
    }
  }

  /** The models of an element; in those of included files, values of the include replace their own. */
  private modelsIn(element: XmlElement, depth: number): XmlElement[] {
    const { account, findings } = this.reader
    return element.children.flatMap((child): XmlElement[] => {
      if (carriedElements.has(child.name)) account.carryTree(child)
      if (child.name === 'model') return [child]
      if (child.name !== 'include') return []
      account.use(child)
      for (const inner of child.children) account.use(inner)
      const text = (name: string) => child.children.find((inner) => inner.name === name)
      const uri = text('uri')?.text ?? ''
      const what = `<include> of ${quote(uri)}`
      if (depth > maxNesting || ++this.includes > maxIncludes) {
        findings.error('include-loop', child, what, 'models include each other without end.', 'Remove one of the includes.')
        return []
      }
      const path = [uri, `${uri}/model.sdf`, `models/${uri.replace(/^model:\/\//, '')}/model.sdf`]
        .map((way) => this.files.find(way, [this.file])?.path)
        .find((found) => found !== undefined && /\.(sdf|world|xml)$/i.test(found))
      if (path === undefined) {
        const remedy = 'Gone without; put it there, or add its folder to the roots.'
        findings.repair('include-missing', child, what, 'the model was not found.', remedy)
        return []
      }
      const included = this.modelsIn(this.files.tree(path), depth + 1)
      const own = ['name', 'pose', 'static'].flatMap((name) => text(name) ?? [])
      return included.slice(0, 1).map((model) => ({
        ...model,
        attributes: { ...model.attributes, name: text('name')?.text ?? model.attributes.name },
        children: [
          ...own.filter(({ name }) => name !== 'name'),
          ...model.children.filter(({ name }) => !own.some((mine) => mine.name === name)),
        ],
      }))
    })
  }

  private model(element: XmlElement, prefix: string, pose: Pose, fixed: boolean, version: number, depth: number): void {
    const { account } = this.reader
    account.use(element)
    for (const child of element.children) {
      if (['pose', 'static', 'self_collide', 'allow_auto_disable'].includes(child.name)) account.use(child)
      if (carriedElements.has(child.name)) account.carryTree(child)
    }
    const nested = depth < maxNesting ? this.modelsIn(element, depth) : []
    const frames = scopedFrames(
      { ...element, children: [...element.children.filter(({ name }) => name !== 'model'), ...nested] },
      pose,
      (place, what) => this.poseIn(place, what),
      (place, what, message) => this.reader.findings.error('frame', place, what, message, 'Correct the name.'),
    )
    const scope: Scope = { element, prefix, frames, isStatic: fixed, version }
    for (const child of element.children) {
      if (child.name === 'link') this.link(child, scope)
      else if (child.name === 'joint' && !fixed) this.joint(child, scope)
      else if (child.name === 'frame') this.frame(child, scope)
    }
    for (const model of nested) {
      const name = model.attributes.name ?? ''
      const own = frames.poseOf(name)
      if (own) this.model(model, `${prefix}${name}::`, own, fixed, version, depth + 1)
    }
  }

  private frame(element: XmlElement, { prefix, frames }: Scope): void {
    this.reader.account.use(element)
    for (const child of element.children) this.reader.account.use(child)
    const name = element.attributes.name
    const link = name === undefined ? undefined : frames.linkOf(name)
    const pose = name === undefined ? undefined : frames.poseOf(name)
    const carrier = link === undefined ? undefined : frames.poseOf(link)
    if (name === undefined || link === undefined || !pose || !carrier) return
    this.named.push({
      name: prefix + name,
      link: prefix + link,
      origin: poseToOrigin(compose(inversePose(carrier), pose)),
      place: element,
    })
  }

  private link(element: XmlElement, { prefix, frames, isStatic: fixed }: Scope): void {
    const { account } = this.reader
    account.use(element)
    const own = this.reader.name(element)
    const pose = own === undefined ? undefined : frames.poseOf(own)
    if (own === undefined || !pose) return
    const name = prefix + own
    const visuals: ShapeDescription[] = []
    const collisions: ShapeDescription[] = []
    let restitution: number | undefined
    for (const child of element.children) {
      if (child.name === 'pose' || child.name === 'gravity') account.use(child)
      else if (carriedElements.has(child.name)) account.carryTree(child)
      if (child.name !== 'visual' && child.name !== 'collision') continue
      const shape = this.shape(child, name)
      restitution ??= shape?.restitution
      if (!shape) continue
      if (fixed || shape.geometry.type === 'plane') {
        if (child.name === 'collision')
          this.surroundings.push({
            ...shape,
            name: prefix + own,
            origin: poseToOrigin(compose(pose, poseOfOrigin(shape.origin))),
          })
      } else (child.name === 'visual' ? visuals : collisions).push(shape as ShapeDescription)
    }
    if (fixed) {
      const inertial = element.children.find((child) => child.name === 'inertial')
      if (inertial) account.carryTree(inertial)
      return
    }
    this.poses.set(name, pose)
    this.links.push({ name, inertial: this.inertial(element, name), visuals, collisions, restitution, place: element })
  }

  /** Mass 1 and moments of 1 where nothing is stated, as the standard has it. */
  private inertial(link: XmlElement, name: string): InertialDescription | undefined {
    const { reader } = this
    const what = `<inertial> of link ${quote(name)}`
    const element = reader.only(link, 'inertial', `link ${quote(name)}`)
    if (!element) {
      const remedy = '1 kg and 1 kg m^2 are used, as SDF has it; state its own.'
      reader.findings.repair('inertial-missing', link, `link ${quote(name)}`, 'it has no <inertial>.', remedy)
      return { origin: poseToOrigin(poseAt([0, 0, 0])), mass: 1, inertia: [1, 1, 1, 0, 0, 0], place: link, inertiaPlace: link }
    }
    reader.account.use(element)
    const pose = this.poseIn(element, what)
    const mass = this.number(element, 'mass', what, 1)
    const inertia = reader.only(element, 'inertia', what)
    if (inertia) reader.account.use(inertia)
    const [xx, yy, zz, xy, xz, yz] = ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'].map((key, k) =>
      inertia ? this.number(inertia, key, what, k < 3 ? 1 : 0) : k < 3 ? 1 : 0,
    )
    if (element.attributes.auto === 'true') {
      this.unsupported(element, what, 'auto="true": moments of the shapes.', 'The stated ones are used.')
    }
    return (
      pose && {
        origin: poseToOrigin(pose),
        mass,
        inertia: [xx, yy, zz, xy, xz, yz],
        place: element,
        inertiaPlace: inertia ?? element,
      }
    )
  }

  private shape(element: XmlElement, link: string): (SurroundingDescription & { restitution?: number }) | undefined {
    const { account } = this.reader
    const collides = element.name === 'collision'
    const what = `<${element.name}> of link ${quote(link)}`
    if (collides) account.use(element)
    else account.carryTree(element)
    const pose = this.poseIn(element, what)
    const geometry = this.reader.only(element, 'geometry', what)
    const shape = geometry?.children[0]
    if (!pose || !geometry || !shape) return undefined
    if (collides) for (const part of [geometry, shape, ...shape.children]) account.use(part)
    const relative = element.children.find(({ name }) => name === 'pose')?.attributes.relative_to
    if (relative !== undefined && relative !== '') {
      this.unsupported(element, what, `its pose is relative to ${quote(relative)}.`, 'Taken relative to its link.')
    }
    const read = this.geometry(shape, what, collides)
    if (!read) return undefined
    const mu = descend(element, ['surface', 'friction', 'ode', 'mu'])
    const bounce = descend(element, ['surface', 'bounce', 'restitution_coefficient'])
    const value = (parts: readonly XmlElement[] | undefined) => {
      if (!parts || !collides) return undefined
      for (const part of parts) account.use(part)
      const number = this.numbers(parts[parts.length - 1], 1, what)?.[0]
      return number !== undefined && number >= 0 ? number : undefined
    }
    const origin = poseToOrigin(read.pose ? compose(pose, read.pose) : pose)
    return {
      name: element.attributes.name ?? '',
      origin,
      geometry: read.geometry,
      friction: value(mu),
      restitution: value(bounce),
      place: element,
    }
  }

  private geometry(
    shape: XmlElement,
    what: string,
    collides: boolean,
  ): { geometry: SurroundingDescription['geometry']; pose?: Pose } | undefined {
    const { findings } = this.reader
    const size = (name: string) => this.number(shape, name, what, 1)
    const positive = <T extends SurroundingDescription['geometry']>(geometry: T, sizes: readonly number[]) => {
      if (sizes.every((x) => x >= 0)) return { geometry }
      const message = `a ${shape.name} of size ${sizes.join(' ')}.`
      findings.error('size-negative', shape, what, message, 'Lengths are metres, 0 or more.')
      return undefined
    }
    const child = (name: string) => shape.children.find((inner) => inner.name === name)
    const triple = (name: string, otherwise: Triple) => {
      const found = child(name)
      const numbers = found ? this.numbers(found, 3, what) : otherwise
      return numbers && ([numbers[0], numbers[1], numbers[2]] as Triple)
    }
    switch (shape.name) {
      case 'box': {
        const sizes = triple('size', [1, 1, 1])
        return sizes && positive({ type: 'box', size: sizes }, sizes)
      }
      case 'sphere':
        return positive({ type: 'sphere', radius: size('radius') }, [size('radius')])
      case 'cylinder':
      case 'capsule': {
        const sizes = { radius: size('radius'), length: size('length') }
        return positive({ type: shape.name, ...sizes }, Object.values(sizes))
      }
      case 'ellipsoid': {
        const radii = triple('radii', [1, 1, 1])
        return radii && positive({ type: 'ellipsoid', radii }, radii)
      }
      case 'plane': {
        const normal = triple('normal', [0, 0, 1])
        const unit = normal && unitOf(normal)
        return unit && { geometry: { type: 'plane' }, pose: poseAt([0, 0, 0], rotationToZ(unit)) }
      }
      case 'mesh': {
        const uri = child('uri')?.text ?? ''
        const scale = triple('scale', [1, 1, 1])
        return scale && { geometry: { type: 'mesh', filename: uri, scale } }
      }
      case 'empty':
        return undefined
      default:
        if (collides)
          this.unsupported(shape, `<${shape.name}> in the ${what}`, 'this shape has no counterpart here.', 'Left out.')
        return undefined
    }
  }

  private joint(element: XmlElement, scope: Scope): void {
    const { reader } = this
    const { account, findings } = reader
    const { prefix, frames } = scope
    account.use(element)
    const name = reader.name(element)
    const type = reader.required(element, 'type', `<joint name=${quote(name ?? '')}>`)
    if (name === undefined || type === undefined) return
    const what = `<joint name=${quote(name)}>`
    const refuse = (code: string, message: string, remedy: string) => findings.error(code, element, what, message, remedy)
    const known = (
      { revolute: 'revolute', continuous: 'continuous', prismatic: 'prismatic', fixed: 'fixed', ball: 'spherical' } as const
    )[type]
    const ends = ['parent', 'child'].map((tag) => {
      const found = reader.only(element, tag, what)
      if (!found) refuse(`${tag}-missing`, `it has no <${tag}>.`, `Add <${tag}>.`)
      else account.use(found)
      return found?.text
    })
    for (const child of element.children) if (child.name === 'pose') account.use(child)
    if (ends[0] === undefined || ends[1] === undefined) return
    if (known === undefined) {
      refuse('joint-type', `type ${quote(type)} has no counterpart here.`, 'Known: revolute, continuous, prismatic, fixed, ball.')
      return
    }
    const [parent, child] = ends.map((end) => (end === 'world' ? 'world' : frames.linkOf(end as string)))
    const pose = frames.poseOf(name)
    const parentPose = parent === undefined || parent === 'world' ? pose : frames.poseOf(parent)
    const childPose = child === undefined || child === 'world' ? pose : frames.poseOf(child)
    if (parent === undefined || child === undefined || child === 'world' || !pose) {
      const wrong = quote((parent === undefined ? ends[0] : ends[1]) as string)
      refuse(
        'undeclared-link',
        `${wrong} is no link or frame of the model that may stand there.`,
        'Declare it or correct the name.',
      )
      return
    }
    if (!parentPose || !childPose) return // reported already
    const inParent = parent === 'world' ? pose : compose(inversePose(parentPose), pose)
    // the child's own axes, in those of the joint at zero
    const toChild = compose(inversePose(pose), childPose)
    const moves = known === 'revolute' || known === 'continuous' || known === 'prismatic'
    const axis = moves ? this.axis(element, what, scope, pose) : ([1, 0, 0] as const)
    if (!axis) return
    const axisElement = element.children.find((inner) => inner.name === 'axis')
    const joint: JointDescription = {
      name: prefix + name,
      type: known,
      parent: parent === 'world' ? 'world' : prefix + parent,
      child: prefix + child,
      origin: poseToOrigin(inParent),
      ...{ ...plain, axis },
      ...(moves && axisElement && this.limits(axisElement, what, known)),
      ...(moves && axisElement && this.mimic(axisElement, what, prefix)),
      place: element,
    }
    const seated =
      toChild.p.every((x) => Math.abs(x) < 1e-15) && toChild.R.every((x, k) => Math.abs(x - (k % 4 === 0 ? 1 : 0)) < 1e-15)
    if (seated || known === 'fixed') {
      const origin = known === 'fixed' ? poseToOrigin(compose(inParent, toChild)) : joint.origin
      this.joints.push({ ...joint, origin })
      return
    }
    // a massless frame at the joint, with the link fixed to it at its own axes
    const frame = `${prefix}${name}::joint`
    this.links.push({ name: frame, visuals: [], collisions: [], massless: true, place: element })
    this.joints.push({ ...joint, child: frame })
    const seat = {
      name: `${prefix}${name}::seat`,
      type: 'fixed',
      parent: frame,
      child: joint.child,
      origin: poseToOrigin(toChild),
    } as const
    this.joints.push({ ...seat, ...plain, place: element })
  }

  /** In the axes of the joint. Until 1.4 it was written in those of the model; later by an element, then by an attribute. */
  private axis(element: XmlElement, what: string, { frames, version, element: model }: Scope, pose: Pose): Triple | undefined {
    const { reader } = this
    const found = reader.only(element, 'axis', what)
    const xyz = found?.children.find(({ name }) => name === 'xyz')
    if (found) reader.account.use(found)
    if (xyz) reader.account.use(xyz)
    const stated = xyz ? this.numbers(xyz, 3, what) : [0, 0, 1]
    const unit = stated && unitOf([stated[0], stated[1], stated[2]])
    if (!unit) {
      if (stated) reader.findings.error('axis-zero', element, what, '0 0 0 has no direction.', 'State the axis.')
      return undefined
    }
    const flag = found?.children.find(({ name }) => name === 'use_parent_model_frame')
    if (flag) reader.account.use(flag)
    const expressedIn = xyz?.attributes.expressed_in
    const inModel = version < 1.5 || (flag !== undefined && /^(1|true)$/.test(flag.text))
    const from = expressedIn ? frames.poseOf(expressedIn) : inModel ? frames.poseOf('__model__') : undefined
    if (expressedIn && !from) {
      const message = `expressed_in: there is no frame ${quote(expressedIn)} in model ${quote(model.attributes.name ?? '')}.`
      reader.findings.error('frame', element, what, message, 'Correct the name.')
      return undefined
    }
    if (!from) return unit
    const R = compose(inversePose(pose), from).R
    const [x, y, z] = unit
    return [R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z]
  }

  private limits(axis: XmlElement, what: string, type: string) {
    const { account, findings } = this.reader
    const limit = this.reader.only(axis, 'limit', what)
    const dynamics = this.reader.only(axis, 'dynamics', what)
    for (const part of [limit, dynamics]) if (part) account.use(part)
    const bound = (x: number) => (Math.abs(x) >= noLimit ? x * Infinity : x)
    const read = (name: string, otherwise: number) => (limit ? this.number(limit, name, what, otherwise) : otherwise)
    let [lower, upper] = [bound(read('lower', -noLimit)), bound(read('upper', noLimit))]
    if (lower > upper) {
      findings.repair('limit-reversed', limit!, what, `lower ${lower} is above upper ${upper}.`, 'Swapped.')
      ;[lower, upper] = [upper, lower]
    }
    const most = (name: string) => {
      const value = read(name, -1)
      return value < 0 ? Infinity : value
    }
    const loss = (name: string) => Math.max(0, dynamics ? this.number(dynamics, name, what, 0) : 0)
    const stiffness = loss('spring_stiffness')
    return {
      ...(type === 'continuous' ? {} : { lower, upper }),
      effort: most('effort'),
      velocity: most('velocity'),
      damping: loss('damping'),
      friction: loss('friction'),
      ...(stiffness > 0 && { stiffness, springReference: this.number(dynamics!, 'spring_reference', what, 0) }),
    }
  }

  /** position = multiplier (position of the leader - reference) + offset. */
  private mimic(axis: XmlElement, what: string, prefix: string): Pick<JointDescription, 'mimic'> {
    const found = this.reader.only(axis, 'mimic', what)
    if (!found) return {}
    this.reader.account.use(found)
    const joint = this.reader.required(found, 'joint', what)
    if (joint === undefined) return {}
    const multiplier = this.number(found, 'multiplier', what, 1)
    const offset = this.number(found, 'offset', what, 0) - multiplier * this.number(found, 'reference', what, 0)
    return { mimic: { joint: prefix + joint, multiplier, offset, place: found } }
  }

  /** Connects links without a parent to the world by a floating joint, at their poses. */
  private tie(): void {
    const carried = new Set(this.joints.map(({ child }) => child))
    const roots = this.links.filter(({ name, massless }) => !carried.has(name) && !massless)
    roots.forEach(({ name, place }, k) => {
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

  private unsupported(place: XmlElement, what: string, message: string, done: string): void {
    this.reader.findings.repair('sdf-unsupported', place, what, message, done)
  }

  // Values

  private numbers(element: XmlElement, count: number, what: string): number[] | undefined {
    return this.reader.numbers(
      { ...element, attributes: { value: element.text } },
      'value',
      count,
      `<${element.name}> of ${what}`,
    )
  }

  private number(element: XmlElement, name: string, what: string, otherwise: number): number {
    const found = element.children.find((child) => child.name === name)
    if (!found) return otherwise
    this.reader.account.use(found)
    return this.numbers(found, 1, what)?.[0] ?? otherwise
  }

  /** The `<pose>` in an element, not yet resolved. */
  private poseIn(element: XmlElement, what: string): Pose | undefined {
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
    return poseOfOrigin({ xyz: [x, y, z], rpy: [roll * unit, pitch * unit, yaw * unit] })
  }
}

function isStatic({ children }: XmlElement): boolean {
  return /^(1|true)$/.test(children.find(({ name }) => name === 'static')?.text ?? '')
}

/** The elements on the path down by names; undefined if one is missing. */
function descend(element: XmlElement, names: readonly string[]): XmlElement[] | undefined {
  const way: XmlElement[] = []
  let at: XmlElement | undefined = element
  for (const name of names) {
    at = at?.children.find((child) => child.name === name)
    if (!at) return undefined
    way.push(at)
  }
  return way
}
