import { rotate3 } from '../../dynamics/index.ts'
import { compose, type Pose, poseOfOrigin } from '../compile/pose.ts'
import type { JointDescription, MimicDescription, Triple } from '../description.ts'
import type { XmlElement } from '../xml.ts'

/** A gearbox: theta2 = -ratio theta1, the angles of the parent and of the child against a third link, about `axis1` and `axis2` in the world at zero. */
export interface Gearbox {
  readonly reference: string
  readonly parent: string
  readonly child: string
  readonly axis1: Triple
  readonly axis2: Triple
  readonly ratio: number
  readonly place: XmlElement
}

/** A hinge between two links, and the sign with which its coordinate turns the second one about an axis. */
interface Turned {
  readonly joint: JointDescription
  readonly sign: number
}

/**
 * The coupling of two hinges that a gearbox is: the joint that follows, and what it follows; undefined where parent and child are not on hinges of
 * the reference link along the gearbox's axes, or both follow others.
 *
 * @param poseOf pose of a link in the world at zero
 */
export function gearCoupling(
  gearbox: Gearbox,
  joints: readonly JointDescription[],
  poseOf: (link: string) => Pose,
): { readonly joint: JointDescription; readonly mimic: MimicDescription } | undefined {
  const { reference, parent, child, axis1, axis2, ratio, place } = gearbox
  const first = turnedBy(joints, reference, parent, axis1, poseOf)
  const second = turnedBy(joints, reference, child, axis2, poseOf)
  if (!first || !second || ratio === 0) return undefined
  const multiplier = -ratio * first.sign * second.sign
  const follow = (joint: JointDescription, leader: JointDescription, factor: number) => ({
    joint,
    mimic: { joint: leader.name, multiplier: factor, offset: 0, place },
  })
  if (!second.joint.mimic) return follow(second.joint, first.joint, multiplier)
  return first.joint.mimic ? undefined : follow(first.joint, second.joint, 1 / multiplier)
}

function turnedBy(
  joints: readonly JointDescription[],
  reference: string,
  link: string,
  axis: Triple,
  poseOf: (link: string) => Pose,
): Turned | undefined {
  for (const [inner, outer, way] of [
    [reference, link, 1],
    [link, reference, -1],
  ] as const) {
    const joint = carrierOf(joints, outer)
    if (!joint || joint.parent !== inner || (joint.type !== 'revolute' && joint.type !== 'continuous')) continue
    const own = new Float64Array(3)
    rotate3(own, compose(poseOf(inner), poseOfOrigin(joint.origin)).R, Float64Array.from(joint.axis))
    const along = own[0] * axis[0] + own[1] * axis[1] + own[2] * axis[2]
    if (Math.abs(along) > 1 - 1e-6) return { joint, sign: way * Math.sign(along) }
  }
  return undefined
}

/** The joint that moves a link, behind the fixed joint at which the link is seated. */
function carrierOf(joints: readonly JointDescription[], link: string): JointDescription | undefined {
  const joint = joints.find(({ child }) => child === link)
  return joint?.name.endsWith('::seat') ? carrierOf(joints, joint.parent) : joint
}
