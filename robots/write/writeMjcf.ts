import type { GeomPair, Softness } from '../../contact/geometry/index.ts'
import { rotate3, shortened } from '../../dynamics/index.ts'
import { baseOf } from '../compile/groups.ts'
import { addBody, emptyMoments } from '../compile/massProperties.ts'
import {
  compose,
  identityPose,
  inversePose,
  type Pose,
  poseAt,
  poseOfOrigin,
  quaternionOf,
  rotationAbout,
  rotationOf,
  rotationToZ,
} from '../compile/pose.ts'
import { frictionOf } from '../compile/shapes.ts'
import type {
  GeometryDescription,
  InertialDescription,
  JointDescription,
  LinkDescription,
  RobotDescription,
  SemanticDescription,
  ShapeDescription,
  SurroundingDescription,
  Triple,
} from '../description.ts'
import { quote } from '../elements/index.ts'
import type { Place } from '../robot.ts'
import { lostMedium, lostTendons } from './lostInUrdf.ts'
import { writtenLinks } from './writtenLinks.ts'
import { type Attributes, attributeText, positive, written, XmlWriter } from './xmlWriter.ts'

export interface WriteMjcfOptions {
  /** Source of named poses. */
  readonly semantic?: SemanticDescription
  /** Pairs of links that overlap in the home pose and therefore do not collide here; MuJoCo would push them apart. */
  readonly overlaps?: readonly (readonly [string, string])[]
  /** The text written for the file name of a mesh. Default: the name unchanged. */
  readonly meshReference?: (filename: string, place: Place) => string
}

export interface Written {
  readonly text: string
  /** Parts that the format cannot express, a sentence each. */
  readonly lost: readonly string[]
}

const lossesOf = ({ damping, dampingPolynomial = [0, 0], friction, armature, springDamper }: JointDescription): Attributes => ({
  damping: dampingPolynomial.some((x) => x !== 0) ? numbers([damping, ...dampingPolynomial]) : positive(damping),
  ...{ frictionloss: positive(friction), armature: positive(armature), springdamper: springDamper && numbers(springDamper) },
})

/** A joint whose position and axis are still to be transformed into the axes of its body. */
interface PlacedJoint {
  readonly attributes: Attributes
  readonly at?: Pose
  readonly direction?: Triple
}

/**
 * Writes a repaired description as MJCF: read again it gives the same mechanism, but for the parts in `lost`.
 * Joints between links become those of bodies, frames without mass joints of one body, planar joints two slides and a hinge. @unchecked
 */
export function writeMjcf(description: RobotDescription, options: WriteMjcfOptions = {}): Written {
  return new MjcfWriter(description, options).write()
}

class MjcfWriter extends XmlWriter {
  private readonly description: RobotDescription
  private readonly options: WriteMjcfOptions
  private readonly losses = new Map<string, string[]>()
  private readonly links: ReadonlyMap<string, LinkDescription>
  private readonly below = new Map<string, JointDescription[]>()
  private readonly meshes = new Map<string, Attributes>()
  private readonly fields: Attributes[] = []
  /** Name of the joint of a base that floats by itself. */
  private readonly freeJoint: string
  /** Joints in the order in which they are written, as keyframes need them. */
  private readonly order: { readonly name: string; readonly size: number; readonly rest: readonly number[] }[] = []

  constructor(description: RobotDescription, options: WriteMjcfOptions) {
    super(1)
    this.description = description
    this.options = options
    const { links, lumped, least } = writtenLinks(description, options.semantic)
    for (const name of lumped) this.lose('masses are counted with the body to which these are fixed', name)
    for (const name of least) this.lose('bodies without mass or moment, which get the least that MuJoCo takes', name)
    this.links = new Map(links.map((link) => [link.name, link]))
    this.freeJoint = description.joints.reduce((name, joint) => (joint.name === name ? `${name}_free` : name), 'base')
    for (const joint of description.joints) {
      const others = this.below.get(joint.parent)
      if (others) others.push(joint)
      else this.below.set(joint.parent, [joint])
    }
  }

  write(): Written {
    const { description } = this
    const { gravity, root } = description
    const base = baseOf(description, 'auto', this.options.semantic)
    this.element('worldbody', {}, () => {
      for (const shape of description.surroundings ?? []) this.geom(shape, true)
      this.loopSites('world')
      const top = this.links.get(root)
      if (root === 'world' || base.joint) {
        const told = top && (top.collisions.length > 0 || (top.inertial?.mass ?? 0) > 0)
        if (told || (top && root !== 'world')) this.lose('the link that the world holds', root)
        for (const joint of this.below.get(root) ?? []) this.chain(joint, true)
        return
      }
      if (base.floats) this.order.push({ name: this.freeJoint, size: 7, rest: [0, 0, 0, 0, 0, 0, 1] })
      this.body(root, identityPose(), base.floats ? [{ name: this.freeJoint, type: 'free' }] : [])
    })
    const body = this.lines.splice(0)
    this.element('compiler', { angle: 'radian', inertiafromgeom: 'false' })
    const touching = description.selfCollision === 'all'
    if (gravity || touching) {
      this.element('option', { gravity: gravity && numbers(gravity) }, () => {
        if (touching) this.element('flag', { filterparent: 'disable' })
      })
    }
    if (this.meshes.size + this.fields.length > 0) {
      this.element('asset', {}, () => {
        for (const asset of this.meshes.values()) this.element('mesh', asset)
        for (const asset of this.fields) this.element('hfield', asset)
      })
    }
    this.lines.push(...body)
    this.contacts()
    this.equalities()
    this.actuators()
    this.keyframes()
    for (const { name } of this.description.sensors ?? []) this.lose('sensors', name)
    for (const { name } of this.description.lengths ?? []) this.lose('limits, friction and couplings of lengths', name)
    for (const { name } of this.description.tendons ?? []) this.lose(lostTendons, name)
    if (this.description.fluid) this.lose(lostMedium, description.name)
    this.unsaid()
    const head = `<mujoco${attributeText({ model: description.name })}>`
    const lost = Array.from(this.losses, ([what, names]) => `${what}: ${shortened(names.map(quote), 5)}.`)
    return { text: `${[head, ...this.lines, '</mujoco>'].join('\n')}\n`, lost }
  }

  // Bodies

  /** A joint with those that follow it through frames without mass, and the body that they carry. */
  private chain(first: JointDescription, onWorld: boolean): void {
    let pose = identityPose()
    const joints: PlacedJoint[] = []
    let joint: JointDescription = first
    for (;;) {
      pose = compose(pose, poseOfOrigin(joint.origin))
      joints.push(...this.jointsOf(joint, pose, onWorld && joints.length === 0))
      const [ref = 0] = joint.initial ?? []
      if (joint.type === 'revolute' || joint.type === 'continuous')
        pose = compose(pose, { R: rotationAbout(joint.axis, ref), p: new Float64Array(3) })
      if (joint.type === 'prismatic')
        pose = compose(pose, { R: identityPose().R, p: Float64Array.from(joint.axis, (x) => ref * x) })
      if (joint.type === 'floating' && joint.initial?.length === 7)
        pose = poseAt(joint.initial.slice(0, 3), rotationOf(joint.initial.slice(3)))
      const next: readonly JointDescription[] = this.below.get(joint.child) ?? []
      if (!this.links.get(joint.child)?.massless || next.length !== 1) break
      joint = next[0]
    }
    const inBody = inversePose(pose)
    for (const { attributes, at, direction } of joints) {
      if (!at) continue
      const seen = compose(inBody, at)
      // a slide has no position
      if (attributes.type !== 'slide' && seen.p.some((x) => x !== 0)) attributes.pos = numbers(seen.p)
      if (direction) attributes.axis = numbers(turned(seen.R, direction))
    }
    this.body(
      joint.child,
      pose,
      joints.map(({ attributes }) => attributes),
      joint.mocap,
    )
  }

  private body(name: string, pose: Pose, joints: readonly Attributes[], isMocap?: boolean): void {
    const link = this.links.get(name)
    const gravcomp = positive(link?.gravityCompensation ?? 0)
    this.element('body', { name, mocap: isMocap ? 'true' : undefined, ...placed(pose), gravcomp }, () => {
      for (const joint of joints) this.element('joint', joint)
      if (link?.inertial && link.inertial.mass > 0) {
        this.inertial(link.inertial)
      }
      for (const shape of link?.collisions ?? []) this.geom({ ...shape, ...(link && this.friction(shape, link)) }, true)
      for (const shape of link?.visuals ?? []) this.geom(shape, false)
      for (const { name: site, link: carrier, origin } of this.description.frames) {
        if (carrier === name) this.element('site', { name: site, ...placed(poseOfOrigin(origin)) })
      }
      this.loopSites(name)
      for (const joint of this.below.get(name) ?? []) this.chain(joint, false)
    })
  }

  /** The smaller coefficient where friction has directions, which a geom has not. */
  private friction(shape: ShapeDescription, link: LinkDescription): { friction: number | undefined } {
    const { friction, frictionAcross = friction } = frictionOf(shape, link)
    if (frictionAcross === friction || friction === undefined) return { friction }
    this.lose('friction by direction, of which the smaller coefficient is written', link.name)
    return { friction: Math.min(friction, frictionAcross as number) }
  }

  /** The points on a link that loops connect. */
  private loopSites(link: string): void {
    for (const { name, kind, a, b } of this.description.loops ?? []) {
      for (const [side, end] of Object.entries({ a, b })) {
        if (kind !== 'point' || end.link !== link) continue
        this.element('site', { name: `${name}/${side}`, pos: numbers(end.point ?? [0, 0, 0]) })
      }
    }
  }

  /** Moments about the axes of `<origin>` where they are diagonal; MuJoCo accepts others in the axes of the body alone. */
  private inertial({ origin, mass, inertia }: InertialDescription): void {
    const { pos = '0 0 0', quat } = placed(poseOfOrigin(origin))
    const diagonal = inertia.slice(3).every((x) => x === 0)
    const turned = emptyMoments()
    addBody(turned, mass, inertia, { ...poseOfOrigin(origin), p: new Float64Array(3) })
    const moments = diagonal ? { quat, diaginertia: numbers(inertia.slice(0, 3)) } : { fullinertia: numbers(turned.inertia) }
    this.element('inertial', { pos, mass: written(mass), ...moments })
  }

  /** The MJCF joints of a joint: none for a fixed one, three or four for one of several coordinates inside the tree. */
  private jointsOf(joint: JointDescription, at: Pose, onWorld: boolean): PlacedJoint[] {
    const { name, type, axis, stiffness, springReference, initial } = joint
    const losses = lossesOf(joint)
    const remember = (size: number, rest: readonly number[]) => this.order.push({ name, size, rest })
    switch (type) {
      case 'fixed':
        return []
      case 'floating': {
        if (onWorld) {
          const q = quaternionOf(at.R)
          remember(7, initial ?? [...at.p, ...q])
          return [{ attributes: { name, type: 'free', ...losses } }]
        }
        remember(7, [0, 0, 0, 0, 0, 0, 1])
        this.lose('a floating joint inside the tree becomes three slides and a ball', name)
        const slides = axes.map((direction, k) => ({ attributes: { name: `${name}/${'xyz'[k]}`, type: 'slide' }, at, direction }))
        return [...slides, { attributes: { name: `${name}/ball`, type: 'ball' }, at }]
      }
      case 'planar': {
        remember(3, [0, 0, 0])
        this.lose('a planar joint becomes two slides and a hinge', name)
        const [x0, y0, , x1, y1, , x2, y2] = rotationToZ(axis)
        return [
          { attributes: { name: `${name}/x`, type: 'slide' }, at, direction: [x0, x1, x2] },
          { attributes: { name: `${name}/y`, type: 'slide' }, at, direction: [y0, y1, y2] },
          { attributes: { name: `${name}/turn`, type: 'hinge' }, at, direction: axis },
        ]
      }
      case 'spherical':
        remember(4, [0, 0, 0, 1])
        return [{ attributes: { name, type: 'ball', range: coneOf(joint), ...losses }, at }]
      default: {
        const [ref = 0] = initial ?? []
        remember(1, [ref])
        const limited = Number.isFinite(joint.lower) || Number.isFinite(joint.upper)
        const bound = (x: number) => (Number.isFinite(x) ? written(x) : `${x < 0 ? '-' : ''}1e16`)
        if (limited && !(Number.isFinite(joint.lower) && Number.isFinite(joint.upper)))
          this.lose('a range with one end is one with an end at 1e16', name)
        return [
          {
            attributes: {
              name,
              type: type === 'prismatic' ? 'slide' : 'hinge',
              range: limited ? `${bound(joint.lower)} ${bound(joint.upper)}` : undefined,
              ref: positive(ref),
              ...losses,
              stiffness: positive(stiffness ?? 0),
              springref: positive(springReference ?? 0),
              ...softnessOf(joint.softness?.limit, 'limit'),
              ...softnessOf(joint.softness?.friction, 'friction'),
              actuatorfrcrange: joint.effortRange
                ? numbers(joint.effortRange)
                : Number.isFinite(joint.effort) && joint.effort > 0
                  ? `${written(-joint.effort)} ${written(joint.effort)}`
                  : undefined,
              actuatorgravcomp: joint.compensates && 'true',
            },
            at,
            direction: axis,
          },
        ]
      }
    }
  }

  private geom(shape: SurroundingDescription | ShapeDescription, collides: boolean): void {
    const { name, origin, geometry, place } = shape
    const attributes: Attributes = {}
    // names of shapes need not be unique in a description
    if (name !== '' && !this.named.has(name)) {
      attributes.name = name
      this.named.add(name)
    }
    let pose = poseOfOrigin(origin)
    if (geometry.type === 'plane') Object.assign(attributes, { type: 'plane', size: '0 0 1' })
    else if (geometry.type === 'heightfield') {
      // MuJoCo counts heights from the lowest
      pose = compose(pose, poseAt([0, 0, rangeOf(geometry.heights)[0]]))
      Object.assign(attributes, this.heightField(geometry))
    } else Object.assign(attributes, this.shapeAttributes(geometry, place, name, collides))
    if (attributes.type === undefined) return
    const { material, isShown = true } = shape
    const surface = collides ? this.surface(shape) : { contype: '0', conaffinity: '0', group: isShown ? '2' : '3' }
    this.element('geom', { ...attributes, ...placed(pose), ...surface, rgba: material && numbers(material.rgba) })
  }

  /** What differs from MuJoCo's defaults, of a geom of MJCF; else its friction alone. */
  private surface({ friction, geom }: SurroundingDescription | ShapeDescription): Attributes {
    const sliding = friction === undefined ? undefined : written(friction)
    if (!geom) return { friction: sliding }
    const { contype, conaffinity, geomPairs = [], surfaceVelocity } = geom
    const { condim, priority, spin, roll } = geom.geom
    for (const pair of geomPairs) this.geomPairs.add(pair)
    const other = (value: number, byDefault: number) => (value === byDefault ? undefined : String(value))
    const isUsual = spin === defaultFriction.spin && roll === defaultFriction.roll
    return {
      contype: other(contype, 1),
      conaffinity: other(conaffinity, 1),
      condim: other(condim, 3),
      priority: other(priority, 0),
      friction: isUsual ? sliding : numbers([friction ?? defaultFriction.sliding, spin, roll]),
      margin: positive(geom.geom.margin ?? 0),
      gap: positive(geom.geom.gap ?? 0),
      adhesion: positive(geom.geom.adhesion ?? 0),
      ...softnessOf(geom.geom.softness),
      solmix: geom.geom.softness && written(geom.geom.softness.solmix),
      surfacevel: surfaceVelocity && numbers(surfaceVelocity),
    }
  }

  private readonly geomPairs = new Set<GeomPair>()

  private readonly named = new Set<string>()

  private shapeAttributes(geometry: GeometryDescription, place: Place, name: string, collides: boolean): Attributes {
    const { meshReference = (file: string) => file } = this.options
    switch (geometry.type) {
      case 'sphere':
        return { type: 'sphere', size: written(Math.max(geometry.radius, pointRadius)) }
      case 'capsule':
      case 'cylinder':
        if (!(geometry.radius > 0 && geometry.length > 0)) this.lose('shapes without extent are left out', name)
        return geometry.radius > 0 && geometry.length > 0
          ? { type: geometry.type, size: numbers([geometry.radius, geometry.length / 2]) }
          : {}
      case 'box':
        if (!geometry.size.every((x) => x > 0)) this.lose('shapes without extent are left out', name)
        return geometry.size.every((x) => x > 0) ? { type: 'box', size: numbers(geometry.size.map((x) => x / 2)) } : {}
      case 'ellipsoid':
        return { type: 'ellipsoid', size: numbers(geometry.radii) }
      case 'points':
        return this.mesh({ vertex: numbers(geometry.points) })
      case 'mesh': {
        const file = meshReference(geometry.filename, place)
        if (!/\.(stl|obj)$/i.test(file)) {
          this.lose(
            `${collides ? '' : 'visual '}meshes that MuJoCo does not read (it reads STL and OBJ)${collides ? '' : ' are left out'}`,
            file,
          )
          if (!collides) return {}
        }
        return this.mesh({ file, scale: geometry.scale.every((x) => x === 1) ? undefined : numbers(geometry.scale) })
      }
    }
  }

  /** A geom's reference to a field of the assets, whose first row is that at the least y here and at the greatest in MJCF. */
  private heightField({ rows, columns, spacing, heights }: Extract<SurroundingDescription['geometry'], { type: 'heightfield' }>) {
    const half = [(spacing[0] * (columns - 1)) / 2, (spacing[1] * (rows - 1)) / 2]
    const [low, high] = rangeOf(heights)
    const turned = Array.from({ length: rows }, (_, r) => heights.slice((rows - 1 - r) * columns, (rows - r) * columns)).flat()
    const name = `field${this.fields.length + 1}`
    const size = numbers([...half, high > low ? high - low : 1, fieldBase])
    this.fields.push({ name, nrow: String(rows), ncol: String(columns), size, elevation: numbers(turned) })
    return { type: 'hfield', hfield: name }
  }

  /** A geom's reference to a mesh of the assets, each of which is there once. */
  private mesh(asset: Attributes): Attributes {
    const key = JSON.stringify(asset)
    const known = this.meshes.get(key) ?? { name: `mesh${this.meshes.size + 1}`, ...asset }
    this.meshes.set(key, known)
    return { type: 'mesh', mesh: known.name }
  }

  // Beside the tree

  private contacts(): void {
    const { disabledCollisions, selfCollide, links } = this.description
    const aloof = links.filter(({ name, collisions }) => collisions.length > 0 && selfCollide.get(name) === false)
    const { semantic, overlaps = [] } = this.options
    const stated = [...disabledCollisions, ...(semantic?.disabledCollisions ?? [])]
    const pairs: (readonly string[])[] = [...stated.map(({ link1, link2 }) => [link1, link2]), ...overlaps]
    for (const [i, a] of aloof.entries()) for (const b of aloof.slice(i + 1)) pairs.push([a.name, b.name])
    const seen = new Set<string>()
    const isThere = (link: string) => this.links.has(link) || link === 'world'
    const known = pairs.filter(
      ([a, b]) => isThere(a) && isThere(b) && !seen.has(`${a} ${b}`) && seen.add(`${a} ${b}`).add(`${b} ${a}`),
    )
    if (known.length + this.geomPairs.size === 0) return
    this.element('contact', {}, () => {
      for (const { geoms, surface: stated } of this.geomPairs) {
        const { friction, frictionAcross = friction, geom } = stated
        const { condim, spin, roll } = geom
        const [geom1, geom2] = geoms
        const surface = { condim: String(condim), friction: numbers([friction, frictionAcross, spin, roll, roll]) }
        this.element('pair', {
          geom1,
          geom2,
          ...surface,
          margin: positive(geom.margin ?? 0),
          solreffriction: geom.frictionReference && numbers(geom.frictionReference),
          gap: positive(geom.gap ?? 0),
          adhesion: positive(geom.adhesion ?? 0),
          ...softnessOf(geom.softness),
        })
      }
      for (const [body1, body2] of known) this.element('exclude', { body1, body2 })
    })
  }

  private equalities(): void {
    const { joints, loops = [] } = this.description
    const refOf = (name: string) => joints.find((joint) => joint.name === name)?.initial?.[0] ?? 0
    const followers = joints.filter(({ mimic }) => mimic)
    if (followers.length + loops.length === 0) return
    this.element('equality', {}, () => {
      for (const { name, mimic } of followers) {
        const { joint, multiplier, offset } = mimic!
        const constant = offset - refOf(name) + multiplier * refOf(joint)
        this.element('joint', { joint1: name, joint2: joint, polycoef: numbers([constant, multiplier, 0, 0, 0]) })
      }
      for (const { name, kind, a, b, relative, softness, active } of loops) {
        const off = active === false ? 'false' : undefined
        if (kind === 'point') {
          this.element('connect', { name, site1: `${name}/a`, site2: `${name}/b`, active: off, ...softnessOf(softness) })
          continue
        }
        const body2 = b.link === 'world' ? undefined : b.link
        const pose = relative && poseOfOrigin(relative)
        const [x, y, z, w] = pose ? quaternionOf(pose.R) : [0, 0, 0, 1]
        const at = pose && compose(pose, poseAt(b.point ?? [0, 0, 0])).p
        this.element('weld', {
          ...{ name, body1: a.link, body2, relpose: at && numbers([...at, w, x, y, z]), anchor: b.point && numbers(b.point) },
          ...softnessOf(softness),
          active: off,
          torquescale: softness && softness.turnScale !== 1 ? written(softness.turnScale) : undefined,
        })
      }
    })
  }

  /** Those of the file; else a motor at each joint that may be driven. */
  private actuators(): void {
    const { actuators: all, joints } = this.description
    const actuators = all?.filter(({ lengths, muscle, attracts }) => (!lengths || attracts !== undefined) && !muscle)
    for (const own of all ?? [])
      if (!actuators!.includes(own)) this.lose('muscles, and actuators of tendons, sites and balls', own.name)
    const driven = joints.filter(
      ({ type, mimic, effort }) => (type === 'revolute' || type === 'continuous' || type === 'prismatic') && !mimic && effort > 0,
    )
    const range = ([low, high]: readonly number[]) =>
      Number.isFinite(low) && Number.isFinite(high) ? numbers([low, high]) : undefined
    if (actuators ? actuators.length === 0 : driven.length === 0) return
    this.element('actuator', {}, () => {
      for (const actuator of actuators ?? []) {
        const { name, joint, attracts, gear, gain, bias, dynamics, timeConstant, control, force, activation, pid, early } =
          actuator
        const isMotor =
          !pid && attracts === undefined && [gain[0] - 1, gain[1], gain[2], ...bias].every((x) => x === 0) && dynamics === 'none'
        const general = {
          gaintype: gain[1] === 0 && gain[2] === 0 ? undefined : 'affine',
          gainprm: numbers(gain),
          biastype: bias.every((x) => x === 0) ? undefined : 'affine',
          biasprm: bias.every((x) => x === 0) ? undefined : numbers(bias),
          dyntype: dynamics === 'none' ? undefined : dynamics,
          dynprm: dynamics === 'none' ? undefined : written(timeConstant),
        }
        const servo = pid && {
          ...{ kp: written(-bias[1]), ...(bias[2] > 0 ? { dampratio: written(bias[2]) } : { kv: written(-bias[2]) }) },
          ...{ ki: written(pid.integral), imax: written(pid.windup), slewmax: written(pid.slew), input: pid.inputs.join(' ') },
          ...Object.fromEntries(pid.inputs.map((input, k) => [`${input}range`, range(pid.ranges[k])])),
        }
        const limits = {
          ...(pid ? {} : { ctrlrange: range(control) }),
          actearly: early && 'true',
          forcerange: range(force),
          actrange: range(activation),
        }
        this.element(pid ? 'pid' : isMotor ? 'motor' : 'general', {
          ...{
            name,
            joint: attracts === undefined ? joint : undefined,
            body: attracts,
            gear: gear === 1 ? undefined : written(gear),
          },
          ...(servo ?? (isMotor ? {} : general)),
          ...limits,
        })
      }
      if (actuators) return
      for (const { name, effort } of driven) this.element('motor', { name, joint: name, ctrlrange: range([-effort, effort]) })
    })
  }

  private keyframes(): void {
    const poses = this.options.semantic?.poses ?? []
    if (poses.length === 0) return
    const mimics = new Map(this.description.joints.map(({ name, mimic }) => [name, mimic]))
    const rests = new Map(this.order.map(({ name, rest }) => [name, rest]))
    const names = new Set<string>()
    this.element('keyframe', {}, () => {
      for (const { name, group, joints, velocities, mocaps, ctrl, act } of poses) {
        const qpos = this.order.flatMap(({ name: joint, size, rest }) => {
          const mimic = mimics.get(joint)
          const leader = mimic && (joints.get(mimic.joint) ?? rests.get(mimic.joint) ?? [0])
          // a follower is where its leader puts it, whatever the pose says
          const stated = mimic ? [mimic.multiplier * leader![0] + mimic.offset] : joints.get(joint)
          const q = stated?.length === size ? stated : rest
          const k = size === 7 ? 3 : 0
          return size < 4 ? q : [...q.slice(0, k), q[k + 3], q[k], q[k + 1], q[k + 2]]
        })
        let key = group === '' ? name : `${group}/${name}`
        while (names.has(key)) key += '_'
        names.add(key)
        const qvel =
          velocities && this.order.flatMap((joint) => this.rates(joint, velocities, joints.get(joint.name) ?? joint.rest))
        const places = mocaps && [...mocaps.values()]
        const inputs = {
          ...{ ctrl: ctrl && numbers(ctrl), act: act && numbers(act) },
          mpos: places && numbers(places.flatMap((place) => place.slice(0, 3))),
          mquat: places && numbers(places.flatMap(([, , , x, y, z, w]) => [w, x, y, z])),
        }
        this.element('key', { name: key, qpos: numbers(qpos), qvel: qvel && numbers(qvel), ...inputs })
      }
    })
  }

  /** Velocities of a joint at the position q: of a free one along the world's axes before that about the body's. */
  private rates(
    { name, size }: { readonly name: string; readonly size: number },
    velocities: ReadonlyMap<string, readonly number[]>,
    q: readonly number[],
  ): readonly number[] {
    const { mimic } = this.description.joints.find((joint) => joint.name === name) ?? {}
    if (mimic) return [mimic.multiplier * (velocities.get(mimic.joint)?.[0] ?? 0)]
    const v = velocities.get(name) ?? Array<number>(size - Math.floor(size / 4)).fill(0)
    if (size !== 7) return v
    const [wx, wy, wz, x, y, z] = v
    return [...turned(rotationOf(q.slice(3)), [x, y, z]), wx, wy, wz]
  }

  /** Lists the parts of a description that MJCF cannot express. */
  private unsaid(): void {
    const { links, joints } = this.description
    for (const { name, restitution, contact, gravity } of links) {
      if (restitution !== undefined) this.lose('restitution', name)
      if (contact?.stiffness !== undefined || contact?.damping !== undefined) this.lose('stiffness and damping of contacts', name)
      if (gravity !== undefined) this.lose('gravity of single links', name)
    }
    for (const { name, type, velocity, acceleration, deceleration, jerk, softLower, softUpper } of joints) {
      if (type === 'fixed') continue
      if (Number.isFinite(velocity)) this.lose('limits of speed', name)
      if ([acceleration, deceleration, jerk].some((x) => x !== undefined)) this.lose('limits of acceleration and jerk', name)
      if (softLower !== undefined || softUpper !== undefined) this.lose('soft limits', name)
    }
    const fixed = joints.filter(({ type, parent }) => type === 'fixed' && parent !== 'world')
    if (fixed.length > 0) for (const { name } of fixed) this.lose('names of fixed joints', name)
  }

  private lose(what: string, name: string): void {
    const names = this.losses.get(what)
    if (names) names.push(name)
    else this.losses.set(what, [name])
  }
}

const rangeOf = (heights: readonly number[]) =>
  heights.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, -Infinity])

/** Thickness of the base below a height field, which MuJoCo requires and nothing here depends on [m]. */
const fieldBase = 0.1

/** solref and solimp where they are stated, with the end of their names. */
function softnessOf(softness: Softness | undefined, of = ''): Attributes {
  return softness ? { [`solref${of}`]: numbers(softness.solref), [`solimp${of}`]: numbers(softness.solimp) } : {}
}

/** MuJoCo's, of geoms and pairs that state none. */
export const defaultFriction = { sliding: 1, spin: 0.005, roll: 0.0001 }

/** Radius of the sphere in place of a contact point, of radius 0, which MuJoCo refuses; spheres as small are read as points [m]. */
export const pointRadius = 1e-9

const axes: readonly Triple[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]

const numbers = (list: ArrayLike<number>) => Array.from(list, written).join(' ')

function placed({ R, p }: Pose): { pos?: string; quat?: string } {
  const [x, y, z, w] = quaternionOf(R)
  const unturned = R.every((entry, k) => entry === (k % 4 === 0 ? 1 : 0))
  return { pos: p.every((entry) => entry === 0) ? undefined : numbers(p), quat: unturned ? undefined : numbers([w, x, y, z]) }
}

function turned(R: Float64Array, direction: Triple): Float64Array {
  const out = new Float64Array(3)
  rotate3(out, R, Float64Array.from(direction))
  return out
}

const coneOf = ({ upper }: JointDescription) => (upper < Infinity ? `0 ${written(upper)}` : undefined)
