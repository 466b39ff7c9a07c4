import { type BodyDefinition, buildModel, createData, type Data, JointType, type Model } from '../../dynamics/index.ts'
import type { JointDescription, RobotDescription } from '../description.ts'
import { sharedLimits } from '../doctor/mimics.ts'
import { type Base, type Group, groupLinks } from './groups.ts'
import { compileElements } from './lengths.ts'
import { type MassMoments, momentsOfLinks } from './massProperties.ts'
import { identityPose } from './pose.ts'

/** The bodies of a description, by number. */
export interface Bodies {
  readonly base: Base
  readonly groups: readonly Group[]
  readonly moments: readonly MassMoments[]
  readonly model: Model
  /** Scratch of the model. */
  readonly data: Data
}

export function compileBodies(
  description: RobotDescription,
  base: Base,
  groups: readonly Group[] = groupLinks(description, base),
  moments: readonly MassMoments[] = groups.map(({ links }) => momentsOfLinks(links)),
): Bodies {
  const built = buildModel(description.name, bodyDefinitions(groups, moments, base), description.gravity)
  const data = createData(built)
  const model = { ...built, ...compileElements(description, built, groups, base.floats, data) }
  return { base, groups, moments, model, data }
}

function bodyDefinitions(groups: readonly Group[], moments: readonly MassMoments[], base: Base): BodyDefinition[] {
  const bodyOf = new Map(groups.map(({ joint }, body) => [joint?.name, body]))
  const followers = new Map<string, JointDescription[]>()
  for (const { joint } of groups) {
    if (!joint?.mimic) continue
    const others = followers.get(joint.mimic.joint)
    if (others) others.push(joint)
    else followers.set(joint.mimic.joint, [joint])
  }
  return groups.slice(1).map((group, k): BodyDefinition => {
    const { name, parent, joint, type } = group
    // the coordinates of a floating base are its place in the world, wherever the file puts its joint
    const pose = (k === 0 && base.floats) || type === JointType.mocap ? identityPose() : group.pose
    const { mass, first, inertia } = moments[k + 1]
    const isMocap = type === JointType.mocap
    const simple = joint && (type === JointType.revolute || type === JointType.prismatic) ? joint : undefined
    const { mimic } = simple ?? {}
    const driving = mimic ? undefined : simple
    const lossy = simple ?? (type === JointType.spherical || type === JointType.floating ? joint : undefined)
    const limits = driving && sharedLimits(driving, followers.get(driving.name) ?? [])
    // one literal for all, so that many bodies take little time
    return {
      name,
      jointName: joint?.name ?? 'base',
      parent,
      jointType: type,
      rotation: pose.R,
      position: [pose.p[0], pose.p[1], pose.p[2]],
      mass: isMocap ? 0 : mass,
      firstMoment: isMocap ? [0, 0, 0] : [first[0], first[1], first[2]],
      inertia: isMocap ? [0, 0, 0, 0, 0, 0] : [inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]],
      compensation: isMocap ? undefined : compensationOf(group),
      compensationRange: joint?.compensates && (joint.effortRange ?? [-Infinity, Infinity]),
      axis: simple || type === JointType.planar ? joint?.axis : undefined,
      damping: lossy?.damping,
      dampingPolynomial: lossy?.dampingPolynomial,
      friction: lossy?.friction,
      armature: lossy?.armature,
      stiffness: simple?.stiffness,
      springReference: simple?.springReference,
      follows: mimic && bodyOf.get(mimic.joint),
      multiplier: mimic?.multiplier,
      offset: mimic?.offset,
      lower: limits?.lower,
      upper: limits?.upper,
      effortLimit: limits?.effort,
      velocityLimit: limits?.velocity,
    }
  })
}

/** Mass whose weight the links of a body hold, and its first moment. */
function compensationOf({ links }: Group): BodyDefinition['compensation'] {
  if (!links.some(({ link }) => link.gravityCompensation)) return undefined
  const sum = Float64Array.of(0, 0, 0, 0)
  for (const own of links) {
    const { mass, first } = momentsOfLinks([own])
    const share = own.link.gravityCompensation ?? 0
    for (const [k, x] of [mass, ...first].entries()) sum[k] += share * x
  }
  return [sum[0], sum[1], sum[2], sum[3]]
}
