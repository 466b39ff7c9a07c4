import { defaultSoftness } from '../../contact/detection/index.ts'
import { bitsMeet, type GeomPair, type GeomSurface } from '../../contact/geometry/index.ts'
import { rotateTransposed3 } from '../../dynamics/index.ts'
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
} from '../compile/pose.ts'
import type {
  ActuatorDescription,
  DisabledCollision,
  LengthDescription,
  LoopDescription,
  OriginDescription,
  PartDescription,
  PoseDescription,
  TendonDescription,
} from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import { defaultFriction } from '../write/writeMjcf.ts'
import type { XmlElement } from '../xml.ts'
import { inputsOf, largestForce, readActuator, statesOf } from './actuators.ts'
import type { Bodies } from './bodies.ts'
import type { Defaults } from './document.ts'
import { CouplingReader } from './equality/couplings.ts'
import { readAdhesion, readCondim, readSoftness } from './geoms.ts'
import type { Compiler } from './options.ts'
import { coordinateFactor, type Scale, scaledActuator, unscaled } from './scale.ts'
import { mjcfVocabulary } from './schema.ts'
import { constraintsOf, readTendon } from './tendons.ts'
import { jointsAlong, TransmissionReader } from './transmissions.ts'

/** Reads all sections beside the tree, by their names; elements have the attributes of their classes. */
export class RelationReader {
  private readonly reader: Reader
  private readonly defaults: Defaults
  private readonly root: XmlElement
  private readonly bodies: Bodies
  private readonly compiler: Compiler
  /** Links that are placed from outside, in the order of the file. */
  private readonly mocaps: readonly string[]
  /** All tendons, and those with a name by it. */
  readonly descriptions: TendonDescription[] = []
  readonly paths = new Map<string, TendonDescription>()
  /** Limits and dry friction of tendons, and couplings. */
  readonly lengths: LengthDescription[] = []
  /** Names of control inputs, in their order; and by actuator its name, the index of its first one, and the length of its `act`. */
  readonly controls: string[] = []
  private readonly inputs = new Map<XmlElement, readonly [name: string, input: number, states: number]>()
  /** Actuators that act. */
  private readonly acting = new Map<XmlElement, ActuatorDescription>()

  constructor(reader: Reader, defaults: Defaults, root: XmlElement, bodies: Bodies, compiler: Compiler) {
    this.reader = reader
    this.defaults = defaults
    this.root = root
    this.bodies = bodies
    this.compiler = compiler
    this.mocaps = bodies.joints.flatMap(({ mocap, child }) => (mocap ? [child] : []))
  }

  private *section(name: string): Generator<{ element: XmlElement; filled: XmlElement; what: string }> {
    const { account } = this.reader
    const read = mjcfVocabulary.get(name)?.children ?? []
    for (const section of this.root.children) {
      if (section.name !== name) continue
      account.use(section)
      for (const element of section.children) {
        if (name !== 'contact') this.reader.ask('relations', 1 + element.children.length, element, `<${name}>`)
        const what = `<${element.name}${element.attributes.name === undefined ? '' : ` name=${quote(element.attributes.name)}`}> in <${name}>`
        const key = name === 'equality' || name === 'tendon' ? name : undefined
        const filled = this.defaults.filled(element, undefined, key)
        if (name === 'actuator') this.nameInputs(element, filled)
        if (!read.includes(element.name)) continue
        account.use(element)
        yield { element, filled, what }
      }
    }
  }

  /** Names an actuator and its inputs, as `ctrl` has them. */
  private nameInputs(element: XmlElement, filled: XmlElement): void {
    const name = element.attributes.name ?? `actuator${this.inputs.size + 1}`
    this.inputs.set(element, [name, this.controls.length, statesOf(filled)])
    for (const input of inputsOf(filled)) this.controls.push(input === '' ? name : `${name}/${input}`)
  }

  /** A name that has to exist in the tree; else an error. */
  private known(
    element: XmlElement,
    attribute: string,
    what: string,
    names: ReadonlyMap<string, unknown> | ReadonlySet<string>,
  ): string | undefined {
    const name = this.reader.required(element, attribute, what)
    if (name === undefined || names.has(name)) return name
    this.reader.findings.error(
      'name-unknown',
      element,
      what,
      `${attribute}: there is none called ${quote(name)}.`,
      'Correct the name.',
    )
    return undefined
  }

  private scaleOf(joint: string): Scale {
    return this.bodies.coordinates.find((one) => one.joint === joint)?.scale ?? unscaled
  }

  private unsupported(place: XmlElement, what: string, message: string): void {
    this.reader.findings.repair('mjcf-unsupported', place, what, message, 'Passed by.')
  }

  readTendons(): void {
    for (const { element, filled, what } of this.section('tendon')) {
      const own = readTendon(this.reader, element, filled, what, this.bodies, this.compiler)
      if (!own) continue
      if (own.armature !== undefined) this.unsupported(element, what, 'the armature of a tendon.')
      this.descriptions.push(own)
      this.lengths.push(...constraintsOf(this.reader, element, filled, what, own, this.compiler))
      if (own.name === '') continue
      this.paths.set(own.name, own)
    }
  }

  /** Followers become mimics of their joints, other couplings constraints of lengths; points and welds are loops, also those that are off at first. */
  readEqualities(): LoopDescription[] {
    const loops: LoopDescription[] = []
    const couplings = new CouplingReader(this.reader, this.bodies, this.paths, this.lengths)
    for (const { element, filled, what } of this.section('equality')) {
      const isOff = filled.attributes.active === 'false'
      const isCoupling = element.name === 'joint' || element.name === 'tendon'
      if (isOff && isCoupling) this.reader.findings.info('equality-off', element, what, 'it is switched off.', 'Passed by.')
      if ((isOff && isCoupling) || this.compiler.off.has('equality')) continue
      if (isCoupling) couplings.read(element, filled, what)
      else {
        const loop = this.loop(element, filled, what, loops.length + 1)
        const { solref, solimp } = readSoftness(this.reader, filled, what)?.softness ?? defaultSoftness
        const turnScale = this.reader.optional(filled, 'torquescale', what, 1) ?? 1
        if (loop) loops.push({ ...loop, softness: { solref, solimp, turnScale }, ...(isOff && { active: false }) })
      }
    }
    return loops
  }

  private loop(place: XmlElement, element: XmlElement, what: string, number: number): LoopDescription | undefined {
    const { attributes } = element
    const name = attributes.name ?? `loop${number}`
    const kind = element.name === 'weld' ? 'weld' : 'point'
    if (attributes.site1 !== undefined) {
      const a = this.site(element, 'site1', what)
      const b = this.site(element, 'site2', what)
      if (!a || !b) return undefined
      // welded sites have one pose
      const relative = kind === 'weld' && { relative: poseToOrigin(compose(a.pose, inversePose(b.pose))) }
      const [first, second] = [a, b].map(({ link, pose: { p } }) => ({ link, point: [p[0], p[1], p[2]] as const }))
      return { name, kind, a: relative ? { link: a.link } : first, b: second, ...relative, place }
    }
    const links = new Set(['world', ...this.bodies.links.map((link) => link.name)])
    const link1 = this.known(element, 'body1', what, links)
    const link2 = attributes.body2 === undefined ? 'world' : this.known(element, 'body2', what, links)
    const anchor = attributes.anchor === undefined ? undefined : this.reader.triple(element, 'anchor', what)
    if (link1 === undefined || link2 === undefined) return undefined
    const [pose1, pose2] = [link1, link2].map((link) => this.bodies.poses.get(link) ?? identityPose())
    const [scale, scale2] = [link1, link2].map((link) => this.bodies.scales.get(link)?.length ?? 1)
    const inFirst = compose(inversePose(pose1), pose2)
    if (kind === 'point') {
      const [x, y, z] = anchor ?? [0, 0, 0]
      const point = [x * scale, y * scale, z * scale] as const
      const other = compose(inversePose(inFirst), poseAt(point)).p
      return { name, kind, a: { link: link1, point }, b: { link: link2, point: [other[0], other[1], other[2]] }, place }
    }
    const relative = this.relativePose(element, what, inFirst, scale, scale2)
    const [x, y, z] = anchor ?? [0, 0, 0]
    const point = anchor && ([x * scale2, y * scale2, z * scale2] as const)
    return { name, kind, a: { link: link1 }, b: { link: link2, point }, relative, place }
  }

  /** Of the second body of a weld in the first: `relpose`, which is that of its `anchor`, or where the file's reference configuration has it. */
  private relativePose(element: XmlElement, what: string, reference: Pose, scale1: number, scale2: number): OriginDescription {
    const numbers = element.attributes.relpose === undefined ? undefined : this.reader.numbers(element, 'relpose', 7, what)
    if (!numbers || numbers.slice(3).every((x) => x === 0)) return poseToOrigin(reference)
    const [w, x, y, z] = numbers.slice(3)
    const length = Math.hypot(w, x, y, z)
    const anchor =
      element.attributes.anchor === undefined ? [0, 0, 0] : (this.reader.triple(element, 'anchor', what) ?? [0, 0, 0])
    const at = numbers.slice(0, 3).map((x) => x * scale1)
    const turn = rotationOf([x, y, z, w].map((q) => q / length))
    return poseToOrigin(compose(poseAt(at, turn), poseAt(anchor.map((a) => -a * scale2))))
  }

  private site(element: XmlElement, attribute: string, what: string): { link: string; pose: Pose } | undefined {
    const name = this.known(element, attribute, what, this.bodies.sites)
    return name === undefined ? undefined : this.bodies.sites.get(name)
  }

  /**
   * Actuators of joints. Of those at a joint the largest forces add up to its effort limit; a joint without any has the limit 0 if the
   * file has actuators at all. Those of a joint that follows act on the joint at the end of its chain, times the ratio.
   */
  readActuators(): ActuatorDescription[] {
    const actuators: ActuatorDescription[] = []
    const joints = new Map(this.bodies.joints.map((joint) => [joint.name, joint]))
    const pulled = new Set<string>()
    const transmissions = new TransmissionReader(this.reader, this.bodies, this.paths)
    let some = false
    for (const { element, filled, what } of this.section('actuator')) {
      some = true
      const transmission = transmissions.read(filled, element, what)
      if (!transmission) continue
      const [name, input] = this.inputs.get(element)!
      const { reader, compiler } = this
      const read = readActuator({ reader, element: filled, place: element, what, name, input, compiler }, transmission)
      if (!read) continue
      const actuator = 'joint' in transmission ? this.atJoint(read, transmission.joint, filled) : read
      if ('lengths' in transmission) {
        for (const along of jointsAlong(transmission.lengths, this.bodies.joints)) pulled.add(along)
        this.dampAlong(read, transmission.lengths, element, what)
      }
      actuators.push(actuator)
      this.acting.set(element, actuator)
    }
    if (some && !this.compiler.off.has('actuation')) {
      const largest = new Map<string, number>()
      const add = (joint: string, force: number) => largest.set(joint, (largest.get(joint) ?? 0) + force)
      for (const actuator of actuators) add(actuator.joint, largestForce(actuator))
      const driven = this.bodies.joints.filter(
        ({ name, type }) => (type === 'revolute' || type === 'prismatic') && !pulled.has(name),
      )
      for (const joint of driven) joint.effort = Math.min(joint.effort, largest.get(joint.name) ?? 0)
      const own = new Map(driven.map(({ name, effort }) => [name, effort]))
      for (const { name } of driven) {
        let joint = joints.get(name)!
        let ratio = 1
        // joints that follow each other in a circle are freed later; no chain is longer than there are joints
        for (let links = 0; joint.mimic && links < joints.size; links++) {
          ratio *= Math.abs(joint.mimic.multiplier)
          joint = joints.get(joint.mimic.joint)!
        }
        const effort = own.get(name)!
        if (joint.name === name || !(ratio * effort > 0)) continue
        joint.effort += ratio * effort
        joints.get(name)!.effort = Infinity // counted at the leader
      }
    }
    return actuators
  }

  /** An actuator of a joint of one coordinate, to which its rotor belongs. */
  private atJoint(read: ActuatorDescription, joint: Bodies['joints'][number], { attributes }: XmlElement): ActuatorDescription {
    const inherits = Number(attributes.inheritrange ?? 0) > 0
    const actuator = scaledActuator(read, joint.type, this.scaleOf(joint.name), inherits)
    const { gear, armature, damping } = actuator
    joint.armature += armature * gear * gear
    joint.damping += damping * gear * gear
    return actuator
  }

  /** Damping of an actuator of a length is a tendon's along it. */
  private dampAlong(
    { name, gear, damping, armature }: ActuatorDescription,
    lengths: readonly (readonly PartDescription[])[],
    place: XmlElement,
    what: string,
  ): void {
    if (armature !== 0) this.unsupported(place, what, 'the armature of an actuator that is not of a joint.')
    if (damping === 0) return
    for (const parts of lengths)
      this.descriptions.push({
        name: `${name} damping`,
        parts,
        stiffness: [0, 0, 0],
        damping: [damping * gear * gear, 0, 0],
        free: [0, 0],
        place,
      })
  }

  /** Bodies that are excluded by name, and those none of whose shapes may touch by their bits. */
  readContacts(): DisabledCollision[] {
    const disabled: DisabledCollision[] = []
    const links = new Set(['world', ...this.bodies.links.map(({ name }) => name)])
    for (const { element, what } of this.section('contact')) {
      if (element.name !== 'exclude') {
        for (const key of ['geom1', 'geom2']) this.known(element, key, what, this.bodies.linkOfGeom)
        continue
      }
      const link1 = this.known(element, 'body1', what, links)
      const link2 = this.known(element, 'body2', what, links)
      if (link1 !== undefined && link2 !== undefined) disabled.push({ link1, link2, reason: 'exclude', place: element })
    }
    const solid = [...this.bodies.geoms]
      .filter(([, geoms]) => geoms.length > 0)
      .map(([link, geoms]) => {
        const together = (key: 'contype' | 'conaffinity') => geoms.reduce((bits, { shape }) => bits | shape.geom[key], 0)
        return { link, place: geoms[0].shape.place, contype: together('contype'), conaffinity: together('conaffinity') }
      })
    for (const [i, a] of solid.entries()) {
      for (const b of solid.slice(i + 1)) {
        if (!bitsMeet(a, b)) disabled.push({ link1: a.link, link2: b.link, reason: 'contype', place: a.place })
      }
    }
    return disabled
  }

  /** Keyframes as poses: qpos and qvel in the order of the joints in the file; what they do not state is as in qpos0, at rest. */
  readKeyframes(): PoseDescription[] {
    const poses: PoseDescription[] = []
    for (const { element, what } of this.section('keyframe')) {
      const { name = `key${poses.length}` } = element.attributes
      const stated = (key: string, count?: number) =>
        element.attributes[key] === undefined ? undefined : this.reader.numbers(element, key, count, what)
      const joints = this.byJoint(stated('qpos', this.sizeOf(positions)), positions) ?? this.reference()
      const velocities = this.byJoint(stated('qvel', this.sizeOf(rates)), rates)
      for (const { joint, type } of this.bodies.coordinates) {
        const q = joints.get(joint)
        const v = velocities?.get(joint)
        // quaternions are w x y z in the file; of free joints it has the velocity along the world's axes before that about the body's
        if (q && q.length >= 4) joints.set(joint, [...q.slice(0, -4), ...unit([...q.slice(-3), q[q.length - 4]])])
        if (v && type === 'floating') velocities!.set(joint, [...v.slice(3), ...alongBody(v, joints.get(joint)!)])
      }
      const ctrl = stated('ctrl', this.controls.length)
      const act = this.activations(element, stated('act'), what)
      if ((ctrl ?? act) && this.bodies.coordinates.some(({ type, scale }) => coordinateFactor(type, scale) !== 1))
        this.unsupported(element, what, 'inputs of servos at slides in a frame of another scale.')
      const mocaps = this.mocapsAt(stated('mpos', 3 * this.mocaps.length), stated('mquat', 4 * this.mocaps.length))
      const springSets = this.springSets(stated('plastic'))
      const inputs = {
        ...(springSets && { springSets }),
        ...(mocaps && { mocaps }),
        ...(velocities && { velocities }),
        ...(ctrl && { ctrl }),
        ...(act && { act }),
      }
      poses.push({ name, group: '', joints, ...inputs, place: element })
    }
    return poses
  }

  /**
   * Sets of springs of a keyframe's `plastic`, one a tendon of the description: of joints one number each, of tendons the free range as it has
   * moved; what the list leaves out is as at first.
   */
  private springSets(stated: readonly number[] | undefined): readonly number[] | undefined {
    let at = 0
    const next = (own: TendonDescription, first: number) =>
      own.yield === undefined || !stated ? 0 : (stated[at] ?? first) - first
    return (
      stated && [
        ...this.bodies.elements.tendons.map((own) => {
          const set = next(own, 0)
          at += own.yield === undefined ? 0 : 1
          return set
        }),
        ...this.descriptions.map((own) => {
          const set = next(own, own.free?.[0] ?? stated[at])
          at += own.yield === undefined ? 0 : 2
          return set
        }),
      ]
    )
  }

  /** Mocap bodies of a keyframe: their positions, and their quaternions w x y z, in the order of the file. */
  private mocapsAt(positions: readonly number[] | undefined, turns: readonly number[] | undefined) {
    if (!positions && !turns) return undefined
    return new Map(
      this.mocaps.map((link, k) => {
        const pose = this.bodies.poses.get(link)!
        const [w, x, y, z] = turns?.slice(4 * k, 4 * k + 4) ?? []
        const turn = turns ? unit([x, y, z, w]) : quaternionOf(pose.R)
        return [link, [...(positions?.slice(3 * k, 3 * k + 3) ?? pose.p), ...turn]] as const
      }),
    )
  }

  /** Of a keyframe's `act`, the numbers of the actuators that act here and have one. */
  private activations(place: XmlElement, act: readonly number[] | undefined, what: string): readonly number[] | undefined {
    const all = [...this.inputs]
    const count = all.reduce((sum, [, [, , states]]) => sum + states, 0)
    if (act && Number.isNaN(count)) this.unsupported(place, what, 'act of a file with a dcmotor or a plugin.')
    else if (act && act.length !== count) {
      const message = `act has ${act.length} numbers, where the actuators of the file have ${count}.`
      this.reader.findings.error('number-count', place, what, message, 'State one for each.')
    }
    if (act?.length !== count) return undefined
    let at = 0
    return all.flatMap(([element, [, , states]]) => {
      const own = act.slice(at, (at += states))
      const actuator = this.acting.get(element)
      return actuator && actuator.dynamics !== 'none' ? own.slice(0, 1) : []
    })
  }

  private sizeOf(sizes: Readonly<Record<string, number>>): number {
    return this.bodies.coordinates.reduce((sum, { type }) => sum + (sizes[type] ?? 1), 0)
  }

  /** A list of the file by the joints that it is of. */
  private byJoint(list: readonly number[] | undefined, sizes: Readonly<Record<string, number>>) {
    if (!list) return undefined
    let at = 0
    return new Map(
      this.bodies.coordinates.map(({ joint, type, scale }) => {
        const factor = type === 'floating' ? scale.length : coordinateFactor(type, scale)
        const own = list.slice(at, (at += sizes[type] ?? 1))
        return [joint, own.map((x, k) => (k < 3 ? x * factor : x))] as const
      }),
    )
  }

  /** qpos0, by joint. */
  private reference(): Map<string, readonly number[]> {
    const places = new Map(
      this.bodies.joints.map(({ name, initial, origin }) => [name, { initial, origin: poseOfOrigin(origin) }]),
    )
    return new Map(
      this.bodies.coordinates.map(({ joint, type, ref }) => {
        const { initial, origin } = places.get(joint)!
        const [x, y, z, w] = type === 'floating' ? (initial?.slice(3) ?? quaternionOf(origin.R)) : [0, 0, 0, 1]
        if (type === 'spherical') return [joint, [w, x, y, z]]
        return [joint, type === 'floating' ? [...(initial?.slice(0, 3) ?? origin.p), w, x, y, z] : [ref]]
      }),
    )
  }
}

/** Numbers of a joint in qpos and in qvel; of others 1. */
const positions = { floating: 7, spherical: 4 }
const rates = { floating: 6, spherical: 3 }

/** A velocity along the world's axes, in those of a body at the pose q. */
function alongBody([x, y, z]: readonly number[], q: readonly number[]): Float64Array {
  const out = Float64Array.of(x, y, z)
  rotateTransposed3(out, rotationOf(q.slice(3)), out)
  return out
}

/** A quaternion of length 1; one of length 0 is left to the pose. */
function unit(q: readonly number[]): readonly number[] {
  const length = Math.hypot(...q)
  return length > 0 && length !== 1 ? q.map((x) => x / length) : q
}

/** `solreffriction`; of zeros, its default, `solref` holds. */
function readFrictionReference(reader: Reader, element: XmlElement, what: string): Pick<GeomSurface, 'frictionReference'> {
  if (element.attributes.solreffriction === undefined) return {}
  const [a = 0, b = 0] = reader.numbers(element, 'solreffriction', undefined, what) ?? []
  return a === 0 && b === 0 ? {} : { frictionReference: [a, b] }
}

/** The pairs of `<contact>`, by the names of their geoms; read before the bodies, whose geoms they let touch. */
export function readPairs(reader: Reader, defaults: Defaults, root: XmlElement): ReadonlyMap<string, readonly GeomPair[]> {
  const pairs = new Map<string, GeomPair[]>()
  for (const element of root.children.filter(({ name }) => name === 'contact').flatMap(({ children }) => children)) {
    if (element.name !== 'pair') continue
    const filled = defaults.filled(element, undefined)
    const { geom1, geom2 } = filled.attributes
    const what = `<pair> of ${quote(geom1 ?? '')} and ${quote(geom2 ?? '')}`
    const stated = filled.attributes.friction === undefined ? [] : reader.numbers(filled, 'friction', undefined, what)
    const condim = readCondim(reader, filled, what)
    if (geom1 === undefined || geom2 === undefined || !stated || condim === undefined) continue
    const { sliding, spin: byNormal, roll: rolling } = defaultFriction
    const [along = sliding, across = sliding, spin = byNormal, roll = rolling, rollAcross = rolling] = stated
    if (condim > 4 && roll !== rollAcross) {
      const message = `friction ${[along, across, spin, roll, rollAcross].join(' ')}: rolling resistance differs by direction; here it is the same in all.`
      reader.findings.repair('friction-anisotropic', element, what, message, 'The smaller is used.')
    }
    const margin = reader.optional(filled, 'margin', what, 0)
    const geom = {
      ...{ priority: 0, condim, spin, roll: Math.min(roll, rollAcross) },
      ...(margin && { margin }),
      ...readAdhesion(reader, filled, what),
      ...readFrictionReference(reader, filled, what),
      ...readSoftness(reader, filled, what),
    }
    const pair: GeomPair = {
      geoms: [geom1, geom2],
      surface: { friction: along, ...(across !== along && { frictionAcross: across }), geom },
    }
    for (const name of new Set(pair.geoms)) {
      const others = pairs.get(name)
      if (others) others.push(pair)
      else pairs.set(name, [pair])
    }
  }
  return pairs
}
