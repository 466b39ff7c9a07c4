import { shortened } from '../../dynamics/index.ts'
import { baseOf, groupLinks } from '../compile/groups.ts'
import { poseAt, poseToOrigin, rotationOf, rotationToZ } from '../compile/pose.ts'
import { frictionOf } from '../compile/shapes.ts'
import {
  type JointDescription,
  type LinkDescription,
  type OriginDescription,
  type RobotDescription,
  type SemanticDescription,
  type ShapeDescription,
  type SurroundingDescription,
  shownShapes,
  type Triple,
} from '../description.ts'
import { quote } from '../elements/index.ts'
import type { Place } from '../robot.ts'
import { hasOwnContact, lostMedium, lostTendons } from './lostInUrdf.ts'
import type { Written } from './writeMjcf.ts'
import { axisText } from './writeUrdf.ts'
import { writtenLinks } from './writtenLinks.ts'
import { written, XmlWriter } from './xmlWriter.ts'

export interface WriteSdfOptions {
  readonly semantic?: SemanticDescription
  /** The text written for the file name of a mesh. Default: the name unchanged. */
  readonly meshReference?: (filename: string, place: Place) => string
  /** Write the model alone, without gravity and surroundings: what an `<include>` takes. Default: no. */
  readonly model?: boolean
}

/** Mass [kg] and moment [kg m^2] of a frame between joints, and of a link that the world holds: sdformat takes none without. */
const frameMass = 1e-12

/**
 * Writes a repaired description as SDF: read again it gives the same mechanism, but for the parts in `lost`. Links without mass that are
 * fixed to others become frames, as sdformat makes them of URDF, and their shapes those of the link that carries them. The version is 1.9,
 * 1.11 where a joint follows another. @unchecked
 */
export function writeSdf(description: RobotDescription, options: WriteSdfOptions = {}): Written {
  return new SdfWriter(description, options).write()
}

class SdfWriter extends XmlWriter {
  private readonly description: RobotDescription
  private readonly options: WriteSdfOptions
  private readonly losses = new Map<string, string[]>()
  private readonly links: readonly LinkDescription[]
  private readonly carriers = new Map<string, string>()
  private readonly jointOf: ReadonlyMap<string, JointDescription>
  /** SDF has one space of names, URDF one of links and one of joints. */
  private readonly jointNames = new Map<string, string>()

  constructor(description: RobotDescription, options: WriteSdfOptions) {
    super(1)
    this.description = description
    this.options = options
    const { links, lumped, least } = writtenLinks(description, options.semantic, true)
    this.links = links
    for (const name of lumped) this.lose('masses are counted with the link to which these are fixed', name)
    for (const name of least) this.lose('bodies without mass or moment get the least of 1e-12', name)
    this.jointOf = new Map(description.joints.map((joint) => [joint.child, joint]))
    const names = new Set([...links, ...description.frames].map(({ name }) => name))
    for (const { name } of description.joints) {
      let own = name
      while (names.has(own)) own += '_joint'
      names.add(own)
      this.jointNames.set(name, own)
      if (own !== name) this.lose('joints that are called as a link is get _joint behind their names', name)
    }
    const base = baseOf(description, 'auto', options.semantic)
    const massOf = new Map(links.map((link) => [link.name, link.inertial?.mass ?? 0]))
    for (const { links: group } of groupLinks(description, base).slice(1)) {
      for (const { link } of group.slice(1)) {
        if (massOf.get(link.name)! > 0) continue
        const parent = this.jointOf.get(link.name)!.parent
        this.carriers.set(link.name, this.carriers.get(parent) ?? parent)
      }
    }
  }

  write(): Written {
    const { description, options } = this
    const { name, joints, surroundings = [], gravity } = description
    const version = joints.some(({ mimic }) => mimic) ? '1.11' : '1.9'
    const own = options.model !== true && (surroundings.length > 0 || gravity?.some((g, k) => g !== [0, 0, -9.81][k]))
    if (own) {
      this.element('world', { name: name === '' ? 'world' : name }, () => {
        if (gravity) this.textElement('gravity', numbers(gravity))
        if (surroundings.length > 0) this.surroundings(surroundings)
        this.model()
      })
    } else this.model()
    this.unsaid()
    const lost = Array.from(this.losses, ([what, names]) => `${what}: ${shortened(names.map(quote), 5)}.`)
    const head = `<?xml version="1.0" encoding="utf-8"?>\n<sdf version="${version}" xmlns:drake="http://drake.mit.edu">`
    return { text: `${[head, ...this.lines, '</sdf>'].join('\n')}\n`, lost }
  }

  private model(): void {
    const { description } = this
    const { joints, root, frames, selfCollide } = description
    this.element('model', { name: description.name === '' ? 'robot' : description.name }, () => {
      const apart = [...selfCollide].filter(([, collides]) => !collides)
      if (apart.length > 0 && apart.length === this.links.length) this.textElement('self_collide', 'false')
      for (const link of this.links) if (!(link.name === 'world' && root === 'world')) this.link(link)
      for (const joint of joints) this.joint(joint)
      const base = baseOf(description, 'auto', this.options.semantic)
      if (!base.floats && root !== 'world') {
        this.element('joint', { name: `${root}_to_world`, type: 'fixed' }, () => this.ends('world', root))
      }
      for (const { name, link, origin } of frames) {
        this.element('frame', { name, attached_to: link }, () => this.pose(origin))
      }
      this.filters()
    })
  }

  private link(link: LinkDescription): void {
    const { name } = link
    const joint = this.jointOf.get(name)
    if (this.carriers.has(name)) {
      this.element('frame', { name, attached_to: joint!.parent }, () => this.pose(joint!.origin))
      return
    }
    this.element('link', { name }, () => {
      if (joint?.type === 'floating') this.pose(freeStart(joint), joint.parent === 'world' ? undefined : joint.parent)
      else if (joint) this.pose(none, joint.type === 'planar' ? `${joint.name}/turn` : this.jointNames.get(joint.name))
      this.inertial(link)
      if (link.gravity === false) this.textElement('gravity', 'false')
      for (const each of this.links) {
        if (each.name !== name && this.carriers.get(each.name) !== name) continue
        const frame = each.name === name ? undefined : each.name
        shownShapes(each).forEach((shape, k) => {
          this.shape('visual', shape, each, k, frame)
        })
        each.collisions.forEach((shape, k) => {
          this.shape('collision', shape, each, k, frame)
        })
      }
      const collides = this.description.selfCollide.get(name)
      if (collides !== undefined) this.textElement('self_collide', String(collides))
    })
  }

  private inertial({ inertial }: LinkDescription): void {
    const least = { mass: frameMass, inertia: [frameMass, frameMass, frameMass, 0, 0, 0], origin: none }
    const { mass, inertia, origin } = inertial && inertial.mass > 0 ? inertial : least
    this.element('inertial', {}, () => {
      this.pose(origin)
      this.textElement('mass', written(mass))
      this.element('inertia', {}, () => {
        const names = ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz']
        names.forEach((name, k) => {
          this.textElement(name, written(inertia[k]))
        })
      })
    })
  }

  private readonly shapeNames = new Set<string>()

  private shape(
    tag: 'visual' | 'collision',
    shape: ShapeDescription | SurroundingDescription,
    link: Pick<LinkDescription, 'name' | 'friction' | 'frictionAcross' | 'frictionAxis' | 'restitution'>,
    k: number,
    frame?: string,
  ): void {
    const { geometry, origin, name, place } = shape
    if (geometry.type === 'points' || geometry.type === 'heightfield') {
      this.lose('hulls of points and height fields', link.name)
      return
    }
    let own = name === '' ? `${link.name}_${tag}_${k + 1}` : name
    while (this.shapeNames.has(`${tag} ${own}`)) own += '_'
    this.shapeNames.add(`${tag} ${own}`)
    this.element(tag, { name: own }, () => {
      this.pose(origin, frame)
      this.element('geometry', {}, () => this.geometry(geometry, place))
      const { rgba } = shape.material ?? {}
      if (tag === 'visual' && rgba) this.element('material', {}, () => this.textElement('diffuse', numbers(rgba)))
      const { friction, frictionAcross = friction, frictionAxis } = frictionOf(shape, link)
      if (tag === 'visual' || (friction === undefined && link.restitution === undefined)) return
      this.element('surface', {}, () => {
        if (friction !== undefined) {
          this.element('friction', {}, () =>
            this.element('ode', {}, () => {
              this.textElement('mu', written(friction))
              this.textElement('mu2', written(frictionAcross ?? friction))
              if (frictionAxis && frictionAxis !== 'world') this.textElement('fdir1', numbers(frictionAxis))
            }),
          )
        }
        if (link.restitution !== undefined)
          this.element('bounce', {}, () => this.textElement('restitution_coefficient', written(link.restitution!)))
      })
    })
  }

  private geometry(
    geometry: Exclude<SurroundingDescription['geometry'], { type: 'heightfield' | 'points' }>,
    place: Place,
  ): void {
    const { meshReference = (file: string) => file } = this.options
    this.element(geometry.type, {}, () => {
      if (geometry.type === 'plane') this.textElement('normal', '0 0 1')
      else if (geometry.type === 'mesh') {
        this.textElement('uri', meshReference(geometry.filename, place))
        if (geometry.scale.some((x) => x !== 1)) this.textElement('scale', numbers(geometry.scale))
      } else {
        const { type: _, ...sizes } = geometry
        for (const [name, size] of Object.entries<number | Triple>(sizes))
          this.textElement(name, typeof size === 'number' ? written(size) : numbers(size))
      }
    })
  }

  private joint(joint: JointDescription): void {
    const { name, type, parent, child, origin, axis } = joint
    if (type === 'floating') {
      if (parent !== 'world') this.lose('names of floating joints', name)
      return
    }
    if (this.carriers.has(child)) return
    if (type === 'planar') {
      this.lose('a planar joint becomes two prismatic ones and a revolute one', name)
      this.planar(joint)
      return
    }
    const word = type === 'spherical' ? 'ball' : type
    this.element('joint', { name: this.jointNames.get(name), type: word }, () => {
      this.pose(origin, parent === 'world' ? '__model__' : parent)
      this.ends(parent, child)
      if (word !== 'fixed' && word !== 'ball') this.axis(joint, axis)
      if (joint.armature > 0) {
        this.textElement('drake:rotor_inertia', written(joint.armature))
        this.textElement('drake:gear_ratio', '1')
      }
    })
  }

  private planar(joint: JointDescription): void {
    const { name, parent, child, origin, axis } = joint
    const [x0, y0, , x1, y1, , x2, y2] = rotationToZ(axis)
    const steps = [
      { part: 'x', type: 'prismatic', direction: [x0, x1, x2] },
      { part: 'y', type: 'prismatic', direction: [y0, y1, y2] },
      { part: 'turn', type: 'revolute', direction: axis },
    ] as const
    let carrier = parent
    for (const { part, type, direction } of steps) {
      const next = part === 'turn' ? child : `${name}/${part}_frame`
      if (part !== 'turn') {
        this.element('link', { name: next }, () => {
          this.pose(none, `${name}/${part}`)
          this.inertial({ name: next, visuals: [], collisions: [], place: joint.place })
        })
      }
      const from = carrier
      this.element('joint', { name: `${name}/${part}`, type }, () => {
        this.pose(part === 'x' ? origin : none, from === 'world' ? '__model__' : from)
        this.ends(from, next)
        this.element('axis', {}, () => this.textElement('xyz', axisText(direction as Triple)))
      })
      carrier = next
    }
  }

  private ends(parent: string, child: string): void {
    this.textElement('parent', parent)
    this.textElement('child', child)
  }

  private axis(joint: JointDescription, axis: Triple): void {
    const { mimic, damping, friction, stiffness = 0, springReference = 0 } = joint
    this.element('axis', {}, () => {
      this.textElement('xyz', axisText(axis))
      this.element(
        'limit',
        {},
        () => {
          const { lower, upper, effort, velocity } = joint
          if (joint.type !== 'continuous') {
            this.textElement('lower', bound(lower))
            this.textElement('upper', bound(upper))
          }
          if (Number.isFinite(effort)) this.textElement('effort', written(effort))
          if (Number.isFinite(velocity)) this.textElement('velocity', written(velocity))
        },
        true,
      )
      const values = { damping, friction, spring_stiffness: stiffness, spring_reference: stiffness === 0 ? 0 : springReference }
      this.element(
        'dynamics',
        {},
        () => {
          for (const [name, value] of Object.entries(values)) if (value !== 0) this.textElement(name, written(value))
        },
        true,
      )
      if (!mimic) return
      this.element('mimic', { joint: this.jointNames.get(mimic.joint) }, () => {
        this.textElement('multiplier', written(mimic.multiplier))
        this.textElement('offset', written(mimic.offset))
        this.textElement('reference', '0')
      })
    })
  }

  private surroundings(surroundings: readonly SurroundingDescription[]): void {
    this.element('model', { name: 'surroundings' }, () => {
      this.textElement('static', 'true')
      surroundings.forEach((shape, k) => {
        this.element('link', { name: shape.name === '' ? `shape_${k + 1}` : `${shape.name}_${k + 1}` }, () => {
          this.shape('collision', shape, { name: shape.name }, k)
        })
      })
    })
  }

  /** Pairs that do not collide, in Drake's words. */
  private filters(): void {
    const { disabledCollisions } = this.description
    const pairs = [...disabledCollisions, ...(this.options.semantic?.disabledCollisions ?? [])]
    pairs.forEach(({ link1, link2 }, k) => {
      const [a, b] = [link1, link2].map((link) => this.carriers.get(link) ?? link)
      if (a === b) return
      const name = `apart_${k + 1}`
      this.element('drake:collision_filter_group', { name }, () => {
        this.textElement('drake:member', a)
        this.textElement('drake:member', b)
        this.textElement('drake:ignored_collision_filter_group', name)
      })
    })
  }

  private pose({ xyz, rpy }: OriginDescription, relativeTo?: string): void {
    const still = [...xyz, ...rpy].every((x) => Object.is(x, 0))
    if (still && relativeTo === undefined) return
    this.textElement('pose', numbers([...xyz, ...rpy]), { relative_to: relativeTo })
  }

  private unsaid(): void {
    const { joints, loops = [], actuators = [], sensors = [], gravity, surroundings = [] } = this.description
    for (const { name } of loops) this.lose('closed loops', name)
    for (const { name } of this.description.lengths ?? []) this.lose('limits, friction and couplings of lengths', name)
    for (const { name } of sensors) this.lose('sensors', name)
    for (const { name } of this.description.tendons ?? []) this.lose(lostTendons, name)
    if (this.description.fluid) this.lose(lostMedium, this.description.name)
    for (const { name, springDamper } of joints) if (springDamper) this.lose('springs by a time and a ratio', name)
    for (const { child, mocap } of joints) if (mocap) this.lose('mocap bodies stand still', child)
    for (const { name, gravityCompensation } of this.description.links)
      if (gravityCompensation) this.lose('weights that are held', name)
    for (const { name } of actuators) this.lose('motors and servos but for their efforts', name)
    for (const { name } of this.options.semantic?.poses ?? []) this.lose('named poses, which SRDF has', name)
    for (const { name, initial, type, effort, softLower, softUpper, softness, acceleration, deceleration, jerk } of joints) {
      if (softness) this.lose('solref and solimp of limits and dry friction', name)
      if (initial && type !== 'floating') this.lose('where joints start', name)
      if (effort === 0 && type !== 'fixed') this.lose('joints without a motor, which an effort of 0 says', name)
      if (softLower !== undefined || softUpper !== undefined) this.lose('soft limits', name)
      if ([acceleration, deceleration, jerk].some((x) => x !== undefined)) this.lose('limits of acceleration and jerk', name)
    }
    for (const { name, contact, massless, collisions } of this.description.links) {
      if (collisions.some(hasOwnContact))
        this.lose('condim, priority, softness, margins, bits, pairs, adhesion and surfaces that run', name)
      if (massless) this.lose('frames without mass between joints get 1e-12 kg', name)
      if (contact) this.lose('stiffness and damping of contacts and what else tools say of them', name)
    }
    if (this.options.model && surroundings.length > 0) this.lose('surroundings', this.description.name)
    if (this.options.model && gravity) this.lose('gravity', gravity.join(' '))
  }

  private lose(what: string, name: string): void {
    const names = this.losses.get(what)
    if (names) names.push(name)
    else this.losses.set(what, [name])
  }
}

const none: OriginDescription = { xyz: [0, 0, 0], rpy: [0, 0, 0] }

/** The pose of a floating link: that of its joint, or where it starts. */
const freeStart = ({ origin, initial }: JointDescription): OriginDescription =>
  initial?.length === 7 ? poseToOrigin(poseAt(initial.slice(0, 3), rotationOf(initial.slice(3)))) : origin

/** Without a bound sdformat 12 and Drake take plus and minus 1e16. */
const bound = (x: number) => (Number.isFinite(x) ? written(x) : `${x < 0 ? '-' : ''}1e16`)

const numbers = (list: ArrayLike<number>) => Array.from(list, written).join(' ')
