import { JointType } from '../../dynamics/index.ts'
import type { JointDescription, LinkDescription, RobotDescription, SemanticDescription } from '../description.ts'
import { robotError } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'
import { compose, identityPose, type Pose, poseOfOrigin } from './pose.ts'

export type BaseOption = 'auto' | 'floating' | 'fixed'

/** Connection of the base to the world. */
export interface Base {
  readonly floats: boolean
  /** The floating joint of the file that carries the base; without one the root link itself is the base. */
  readonly joint?: JointDescription
  /** Origin of the decision: the caller's option, the file by its world or by a mass of 0, its SRDF, or the default. */
  readonly by: 'option' | 'file' | 'mass' | 'srdf' | 'default'
}

/** A link in the body that carries it. */
export interface PlacedLink {
  readonly link: LinkDescription
  readonly pose: Pose
}

/** Links connected by fixed joints alone: one body. Number 0 is the world. */
export interface Group {
  /** Of its first link. */
  name: string
  readonly parent: number
  /** The joint that carries it; none under the world and under a base that floats without a joint of the file. */
  readonly joint: JointDescription | undefined
  readonly type: JointType
  /** Pose of the joint on the parent. */
  readonly pose: Pose
  readonly links: PlacedLink[]
}

/**
 * Decides about the base. In this order: @unchecked
 *
 * 1. the option, if it is not `auto`;
 * 2. the file, if it has a world: a root link `world`, or a root without mass and shapes from which only floating joints
 *    lead. The base then floats if a floating joint is attached to that world, directly or behind fixed joints, and is fixed
 *    otherwise. Of several such joints the first in the file carries the base, or the one that `freeBodies` names, the others are
 *    joints like any other;
 * 3. the file, if its root and the links fixed to it have no mass while others have, or the root states 0 (Bullet's word for static);
 * 4. the SRDF, if a virtual joint carries the root link: fixed or floating (planar counts as floating);
 * 5. it floats.
 *
 * A floating joint that carries the base becomes a fixed one if the option asks for a fixed base.
 */
export function baseOf(description: RobotDescription, option: BaseOption = 'auto', semantic?: SemanticDescription): Base {
  const hasWorld = description.root === 'world' || isBareFrame(description)
  const joint = hasWorld ? baseJoint(description) : undefined
  if (option !== 'auto') return { floats: option === 'floating', joint, by: 'option' }
  if (hasWorld) return { floats: joint !== undefined, joint, by: 'file' }
  if (isStatic(description)) return { floats: false, by: 'mass' }
  const virtual = semantic?.virtualJoints.find(({ childLink }) => childLink === description.root)
  if (virtual) return { floats: virtual.type !== 'fixed', by: 'srdf' }
  return { floats: true, by: 'default' }
}

function isBareFrame({ root, links, joints }: RobotDescription): boolean {
  const link = links.find(({ name }) => name === root)
  const leaving = joints.filter(({ parent }) => parent === root)
  return (
    link !== undefined &&
    !(link.inertial && link.inertial.mass > 0) &&
    link.visuals.length + link.collisions.length === 0 &&
    leaving.length > 0 &&
    leaving.every(({ type }) => type === 'floating')
  )
}

function isStatic(description: RobotDescription): boolean {
  const held = fixedToRoot(description)
  const heavy = description.links.filter(({ inertial }) => (inertial?.mass ?? 0) > 0)
  if (heavy.some(({ name }) => held.has(name))) return false
  const root = description.links.find(({ name }) => name === description.root)
  return heavy.length > 0 || root?.inertial?.mass === 0
}

/** The root and the links fixed to it. */
function fixedToRoot({ root, joints }: RobotDescription): ReadonlySet<string> {
  const held = new Set([root])
  for (let before = 0; before < held.size; ) {
    before = held.size
    for (const { type, parent, child } of joints) if (type === 'fixed' && held.has(parent)) held.add(child)
  }
  return held
}

/** The floating joint that the file names, or else the first under the root or under a link fixed to it. */
function baseJoint(description: RobotDescription): JointDescription | undefined {
  const { freeBodies } = description
  if (freeBodies) return description.joints.find(({ name }) => name === freeBodies.base)
  const held = fixedToRoot(description)
  return description.joints.find(({ type, parent }) => type === 'floating' && held.has(parent))
}

/**
 * Groups links into bodies. Links behind fixed joints are merged into the body before them. Bodies are numbered depth first, in
 * the order of the joints in the file, but for a base that floats by a joint of its own, which is body 1, so that its
 * coordinates lead q, and for objects (`freeBodies`), which are the last.
 *
 * @throws RobotError if the base is to float and nothing is fixed to the root `world`
 */
export function groupLinks(description: RobotDescription, base: Base): Group[] {
  const { joints, root } = description
  const links = new Map(description.links.map((link) => [link.name, link]))
  const below = new Map<string, JointDescription[]>()
  for (const joint of joints) {
    const siblings = below.get(joint.parent)
    if (siblings) siblings.push(joint)
    else below.set(joint.parent, [joint])
  }
  if (base.joint) leadTo(base.joint, joints, below)

  const groups: Group[] = [
    { name: 'world', parent: -1, joint: undefined, type: JointType.fixed, pose: identityPose(), links: [] },
  ]
  const rootFloats = base.floats && base.joint === undefined
  if (rootFloats) {
    groups.push({ name: '', parent: 0, joint: undefined, type: JointType.floating, pose: identityPose(), links: [] })
  }

  // children are pushed last first, so that they are popped in the order of the file
  const stack: { joint: JointDescription; body: number; pose: Pose }[] = []
  const objects: typeof stack = []
  const areObjects = new Set(description.freeBodies?.objects)
  const visit = (name: string, body: number, pose: Pose) => {
    const group = groups[body]
    const link = links.get(name)
    if (link) group.links.push({ link, pose })
    // a floating root called `world` is no name for a body: body 0 has it
    if (group.name === '' && name !== 'world') group.name = name
    const children = below.get(name) ?? []
    for (let k = children.length - 1; k >= 0; k--) {
      const joint = children[k]
      // a base that is made to float takes none along
      if (areObjects.has(joint.name)) objects.push({ joint, body: 0, pose: poseOfOrigin(joint.origin) })
      else stack.push({ joint, body, pose: compose(pose, poseOfOrigin(joint.origin)) })
    }
  }
  visit(root, groups.length - 1, identityPose())
  for (let next = stack.pop() ?? objects.pop(); next; next = stack.pop() ?? objects.pop()) {
    const { joint, body, pose } = next
    const type = joint === base.joint && !base.floats ? JointType.fixed : joint.mocap ? JointType.mocap : jointTypes[joint.type]
    if (type === JointType.fixed) visit(joint.child, body, pose)
    else {
      groups.push({ name: '', parent: joint.mocap ? 0 : body, joint, type, pose, links: [] })
      visit(joint.child, groups.length - 1, identityPose())
    }
  }
  if (rootFloats && groups[1].name === '') {
    throw robotError(
      'base-floating',
      description.place,
      `<robot name=${quote(description.name)}>`,
      'the base is to float, but no link is fixed to "world": all that hangs from it moves on joints.',
      'Load it with a fixed base.',
    )
  }
  return groups
}

const jointTypes: Readonly<Record<JointDescription['type'], JointType>> = {
  fixed: JointType.fixed,
  revolute: JointType.revolute,
  continuous: JointType.revolute,
  prismatic: JointType.prismatic,
  floating: JointType.floating,
  planar: JointType.planar,
  spherical: JointType.spherical,
}

/** Moves the joints on the path from the root to `target` to the front among their siblings. */
function leadTo(target: JointDescription, joints: readonly JointDescription[], below: Map<string, JointDescription[]>): void {
  const above = new Map(joints.map((joint) => [joint.child, joint]))
  for (let joint: JointDescription | undefined = target; joint; joint = above.get(joint.parent)) {
    const way: JointDescription = joint
    below.get(way.parent)!.sort((a, b) => Number(b === way) - Number(a === way))
  }
}
