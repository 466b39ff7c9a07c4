import { type Frame, JointType } from '../../dynamics/index.ts'
import type { RobotDescription, SeatDescription, SensorDescription } from '../description.ts'
import type { RobotActuator, RobotFreeJoint, RobotJoint, RobotMimic, RobotSensor } from '../robot.ts'
import type { Group } from './groups.ts'
import { BodyFrames } from './lengths.ts'
import { momentsOfLinks } from './massProperties.ts'
import { compose, poseOfOrigin } from './pose.ts'

/** What sensors are attached to. */
interface Attached {
  readonly groups: readonly Group[]
  readonly joints: readonly RobotJoint[]
  readonly mimics: readonly RobotMimic[]
  readonly freeJoints: readonly RobotFreeJoint[]
  readonly actuators: readonly RobotActuator[]
}

/** The sensors of a file at the coordinates and on the bodies of its model. */
export function compileSensors(description: RobotDescription, attached: Attached): RobotSensor[] {
  const { groups, joints, mimics, freeJoints, actuators } = attached
  const frames = new Map(groups.flatMap(({ links }, body) => links.map(({ link, pose }) => [link.name, { body, pose }] as const)))
  const frameOf = ({ link, origin }: SeatDescription): Frame => {
    const { body, pose } = frames.get(link) ?? { body: 0, pose: poseOfOrigin({ xyz: [0, 0, 0], rpy: [0, 0, 0] }) }
    return { name: link, body, ...compose(pose, poseOfOrigin(origin)) }
  }
  const termsOf = ({ joints: summed = [], actuator }: SensorDescription): RobotSensor['terms'] => {
    if (actuator !== undefined)
      return actuators.flatMap(({ name, gear, multiplier, offset, qIndex, vIndex }) =>
        name === actuator && vIndex >= 0 ? [{ qIndex, vIndex, slope: gear * multiplier, offset: gear * offset }] : [],
      )
    return summed.flatMap(([name, factor]) => {
      const mimic = mimics.find((one) => one.name === name)
      const joint = [...joints, ...freeJoints].find((one) => one.name === (mimic?.follows ?? name))
      if (!joint) return []
      const { multiplier = 1, offset = 0 } = mimic ?? {}
      return [{ qIndex: joint.qIndex, vIndex: joint.vIndex, slope: factor * multiplier, offset: factor * offset }]
    })
  }
  const bodies = new BodyFrames(groups)
  const alongOf = ({ length, actuator }: SensorDescription): RobotSensor['along'] => {
    if (length) return { parts: bodies.parts(length), factor: 1 }
    const own = actuator === undefined ? undefined : actuators.find(({ name }) => name === actuator)
    return own?.lengths && { parts: own.lengths[0], factor: own.gear }
  }
  const subtreeOf = subtreesOf(description, groups)
  return (description.sensors ?? []).map((sensor): RobotSensor => {
    const { name, type, zone, field, noise, cutoff, object, reference, actuator, sides } = sensor
    const limited = description.joints.find((joint) => joint.name === sensor.joints?.[0][0])
    const along = alongOf(sensor)
    const isOfMass = type === 'force' || type === 'torque' || type.startsWith('subtree')
    return {
      ...{ name, type, noise, cutoff, terms: termsOf(sensor) },
      ...(along && { along }),
      ...(zone && { zone }),
      ...(field && { field }),
      ...(type.startsWith('jointlimit') && limited && { limits: [limited.lower, limited.upper] as const }),
      ...(actuator !== undefined && { actuator: actuators.findIndex((one) => one.name === actuator) }),
      ...(object && { object: frameOf(object) }),
      ...(reference && { reference: frameOf(reference) }),
      ...(sides && {
        sides: sides.map(({ link, geom, isTree }) => ({
          links: isTree ? subtreeOf(link).links : [link],
          ...(geom !== undefined && { geom }),
        })),
      }),
      ...(object && isOfMass && subtreeOf(object.link)),
      // masses that no joint moves
      ...(type === 'e_potential' && {
        subtree: massesOf(groups.map(({ type, links }) => (type === JointType.fixed || type === JointType.mocap ? links : []))),
      }),
    }
  })
}

type Subtree = Required<Pick<RobotSensor, 'subtree' | 'links'>>

/** The parts of bodies in the tree under a link. */
function subtreesOf({ joints }: RobotDescription, groups: readonly Group[]): (root: string) => Subtree {
  const below = new Map<string, string[]>()
  for (const { parent, child } of joints) {
    const others = below.get(parent)
    if (others) others.push(child)
    else below.set(parent, [child])
  }
  const known = new Map<string, Subtree>()
  return (root) => {
    const before = known.get(root)
    if (before) return before
    const inside = new Set([root])
    for (const link of inside) for (const child of below.get(link) ?? []) inside.add(child)
    const subtree = massesOf(groups.map(({ links }) => links.filter(({ link }) => inside.has(link.name))))
    const found = { subtree, links: [...inside] }
    known.set(root, found)
    return found
  }
}

/** Of each body the moments of these links of it, if they have mass. */
const massesOf = (links: readonly Group['links'][]): NonNullable<RobotSensor['subtree']> =>
  links.flatMap((own, body) => {
    if (own.length === 0) return []
    const { mass, first, inertia } = momentsOfLinks(own)
    return mass > 0 ? [{ body, I: Float64Array.of(mass, ...first, ...inertia) }] : []
  })
