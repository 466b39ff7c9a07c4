import { normalizeQuaternion, sincos } from '../../dynamics/index.ts'
import type { PoseDescription, RobotDescription, SemanticDescription } from '../description.ts'
import { type Findings, robotError } from '../diagnostics.ts'
import { type Case, listedNames, report } from '../doctor/gather.ts'
import { quote } from '../elements/index.ts'
import type { NamedPose, Place, Robot } from '../robot.ts'
import { Pairs } from './pairs.ts'

/** The parts of a robot that a pose depends on. */
export type Posed = Pick<Robot, 'model' | 'floating' | 'joints' | 'freeJoints' | 'mimics' | 'mocaps'>

/** Number of coordinates of a joint. */
const coordinates = { floating: 7, planar: 3, spherical: 4 } as const

/**
 * Applies poses to q, one after the other, and collects what does not fit the robot. Fixed joints and a base that does not
 * float stay where they are.
 */
export class Poses {
  private readonly robot: Posed
  private readonly joints: ReadonlyMap<string, Posed['joints'][number]>
  private readonly freeJoints: ReadonlyMap<string, Posed['freeJoints'][number]>
  /** Names of the base in a pose, among them the common `root_joint`. */
  private readonly baseNames: ReadonlySet<string>
  private readonly miscounted: Case[] = []
  private readonly beyond: Case[] = []
  private readonly apart: Case[] = []

  /** @param baseJoint the joint of the file that carries the base, if one does */
  constructor(robot: Posed, description: RobotDescription, semantic: SemanticDescription, baseJoint: string | undefined) {
    this.robot = robot
    this.joints = new Map(robot.joints.map((joint) => [joint.name, joint]))
    this.freeJoints = new Map(robot.freeJoints.map((joint) => [joint.name, joint]))
    const virtual = semantic.virtualJoints.filter(({ childLink }) => childLink === description.root).map(({ name }) => name)
    this.baseNames = new Set(['root_joint', ...virtual, ...(baseJoint === undefined ? [] : [baseJoint])])
  }

  /** Sets the coordinates that the pose states. @returns whether it states the pose of a floating base */
  apply(pose: PoseDescription, q: Float64Array): boolean {
    const { model, floating, mimics } = this.robot
    let baseStated = false
    for (const [name, values] of pose.joints) {
      const counts = (n: number) => {
        if (values.length === n) return true
        const message = `${quote(pose.name)} gives it ${values.length} numbers; expected ${n}.`
        this.miscounted.push({ place: pose.place, name, message })
        return false
      }
      const joint = this.joints.get(name)
      const free = this.freeJoints.get(name)
      if (joint) {
        if (!counts(1)) continue
        q[joint.qIndex] = values[0]
        const { lower, upper } = { lower: model.lower[joint.vIndex], upper: model.upper[joint.vIndex] }
        // tolerance for rounding of printed digits
        if (values[0] < lower - 1e-6 || values[0] > upper + 1e-6) {
          const message = `${quote(pose.name)} puts it at ${values[0]}, outside its limits ${lower} to ${upper}.`
          this.beyond.push({ place: pose.place, name, message })
        }
      } else if (free) {
        if (!counts(coordinates[free.type])) continue
        q.set(values, free.qIndex)
        if (free.type !== 'planar') this.normalize(q, free.qIndex + (free.type === 'floating' ? 3 : 0), pose.place, name)
      } else if (this.baseNames.has(name)) {
        if (!floating) continue
        if (values.length === 3) setPlanar(q, values)
        else if (counts(7)) {
          q.set(values)
          this.normalize(q, 3, pose.place, name)
        } else continue
        baseStated = true
      }
    }
    for (const { name, qIndex } of this.robot.mocaps ?? []) {
      const place = pose.mocaps?.get(name)
      if (!place) continue
      q.set(place, qIndex)
      this.normalize(q, qIndex + 3, pose.place, name)
    }
    for (const { name, follows, multiplier, offset } of mimics) {
      const values = pose.joints.get(name)
      if (values?.length !== 1) continue
      const { qIndex } = this.joints.get(follows)!
      const position = multiplier * q[qIndex] + offset
      if (Math.abs(values[0] - position) <= 1e-4 * Math.max(1, Math.abs(position))) continue
      const message = `${quote(pose.name)} puts it at ${values[0]}, but it follows ${quote(follows)} and is at ${Number(position.toPrecision(6))}.`
      this.apart.push({ place: pose.place, name, message })
    }
    return baseStated
  }

  /** nv: those that the pose states; undefined where it states none. */
  velocitiesOf({ velocities }: PoseDescription): Float64Array | undefined {
    if (!velocities) return undefined
    const v = new Float64Array(this.robot.model.nv)
    for (const [name, values] of velocities) {
      const joint = this.joints.get(name) ?? this.freeJoints.get(name)
      if (joint) v.set(values, joint.vIndex)
      else if (this.robot.floating && this.baseNames.has(name)) v.set(values)
    }
    return v
  }

  report(findings: Findings): void {
    const kind = (code: string, message: string, remedy: string) =>
      ({ severity: 'warning', code, element: '<group_state> of joint', message, remedy }) as const
    report(findings, kind('pose-values', 'poses give joints a wrong count of numbers.', 'Left out.'), this.miscounted)
    report(findings, kind('pose-limits', 'poses put joints outside their limits.', 'Used as it is.'), this.beyond)
    const follows = 'poses put joints where they cannot be, for they follow others.'
    report(findings, kind('pose-mimic', follows, 'The joint that is followed decides.'), this.apart)
  }

  private normalize(q: Float64Array, k: number, place: Place, name: string): void {
    const length = Math.hypot(q[k], q[k + 1], q[k + 2], q[k + 3])
    if (length > 1e-6) normalizeQuaternion(q, k)
    else {
      q.set([0, 0, 0, 1], k)
      this.miscounted.push({ place, name, message: 'a quaternion of length 0.' })
    }
  }
}

/** x, y and the angle about z, as a planar virtual joint has them; the height stays. */
function setPlanar(q: Float64Array, [x, y, angle]: readonly number[]): void {
  const sc = new Float64Array(2)
  sincos(sc, Float64Array.of(angle / 2), 0)
  q[0] = x
  q[1] = y
  q.set([0, 0, sc[0], sc[1]], 3)
}

/**
 * The poses of a name: those of this name in every group, or the one of `group/name`.
 *
 * @throws RobotError that lists the names if there is none
 */
export function posesNamed(wanted: string, semantic: SemanticDescription | undefined, place: Place): readonly PoseDescription[] {
  const poses = semantic?.poses ?? []
  const found = poses.filter(({ name, group }) => wanted === name || wanted === `${group}/${name}`)
  if (found.length > 0) return found
  throw robotError(
    'pose-unknown',
    place,
    `pose ${quote(wanted)}`,
    semantic === undefined ? 'named poses stand in an SRDF file, and none was given.' : 'the SRDF file has no such pose.',
    poses.length === 0
      ? 'Give the SRDF file that has it.'
      : `It has ${listedNames([...new Set(poses.map(({ name }) => name))], 20)}.`,
  )
}

/**
 * Every named pose as a configuration.
 *
 * @param home   positions of joints and base that a pose does not state
 * @param settle places a base that a pose does not state on the ground
 */
export function namedPoses(
  semantic: SemanticDescription,
  poses: Poses,
  home: Float64Array,
  settle: (q: Float64Array) => void,
): NamedPose[] {
  return semantic.poses.map((pose) => {
    const q = home.slice()
    if (!poses.apply(pose, q)) settle(q)
    const v = poses.velocitiesOf(pose)
    return {
      name: pose.name,
      group: pose.group,
      q,
      ...(v && { v }),
      ...(pose.ctrl && { ctrl: pose.ctrl }),
      ...(pose.act && { act: pose.act }),
      ...(pose.springSets && { springSets: pose.springSets }),
    }
  })
}

/**
 * Pairs of links, or a link and `world`, that are not to collide: those named by the file and its SRDF, and those of two links that are excluded
 * from collision with their own robot. Each pair once.
 */
export function disabledPairs(
  { links, disabledCollisions, selfCollide, surroundings = [] }: RobotDescription,
  semantic: SemanticDescription | undefined,
): (readonly [string, string])[] {
  const known = new Set(links.map(({ name }) => name))
  // geoms of a world are surroundings
  if (surroundings.some(({ geom }) => geom)) known.add('world')
  const seen = new Pairs()
  const pairs: (readonly [string, string])[] = []
  const add = (a: string, b: string) => {
    if (a !== b && known.has(a) && known.has(b) && seen.add(a, b)) pairs.push([a, b])
  }
  for (const { link1, link2 } of disabledCollisions) add(link1, link2)
  for (const { link1, link2 } of semantic?.disabledCollisions ?? []) add(link1, link2)
  const aloof = links.filter(({ name, collisions }) => collisions.length > 0 && selfCollide.get(name) === false)
  for (let i = 0; i < aloof.length; i++) for (let j = i + 1; j < aloof.length; j++) add(aloof[i].name, aloof[j].name)
  return pairs
}
