import { Pairs } from './compile/pairs.ts'
import type {
  DisabledCollision,
  PoseDescription,
  RobotDescription,
  SemanticDescription,
  VirtualJointDescription,
} from './description.ts'
import { robotError } from './diagnostics.ts'
import { entriesOf, quote, Reader, type Vocabulary } from './elements/index.ts'
import type { XmlElement } from './xml.ts'

export const srdfVocabulary: Vocabulary = new Map(
  entriesOf(`
robot: name version | | group_state virtual_joint disable_collisions enable_collisions disable_default_collisions | group passive_joint end_effector joint_property link_sphere_approximation gripper specificities
  reported rotor_params: rotor-unused
group: name | | link joint chain group
group/link: name
group/joint: name
group/group: name
group/chain: base_link tip_link
group_state: name group | | joint
group_state/joint: name value
virtual_joint: name type parent_frame child_link
passive_joint: name
end_effector: name parent_link group | parent_group
disable_collisions: link1 link2 reason | reason
enable_collisions: link1 link2 | reason
disable_default_collisions: link`),
)

/**
 * Reads an SRDF tree, which adds to a robot's URDF: pairs that do not collide, named poses,
 * the joint between root and world. Groups, end effectors, passive joints and rotor parameters are carried. @unchecked
 *
 * @param robot of the URDF. Elements that name unknown links or joints are left out, with one warning for each kind;
 *   without it names are not checked, and links that collide with nothing by default have no pairs
 * @throws RobotError with every error of the file
 */
export function describeSrdf(root: XmlElement, file: string, robot?: RobotDescription): SemanticDescription {
  if (root.name !== 'robot') {
    const place = { file, line: root.line }
    throw robotError('no-robot', place, `<${root.name}>`, 'the root element is not <robot>.', 'Check that it is an SRDF file.')
  }
  const link = root.children.find(({ name }) => name === 'link' || name === 'joint')
  if (link) {
    const message = 'this file describes the robot itself: it is a URDF and no SRDF.'
    throw robotError(
      'srdf-urdf',
      link,
      `<${link.name} name=${quote(link.attributes.name ?? '')}>`,
      message,
      'Give the SRDF file.',
    )
  }
  return new SrdfReader(root, robot).read()
}

/** Each named pose is kept as a whole configuration. */
const mostPoses = 1000

class SrdfReader {
  private readonly root: XmlElement
  private readonly robot: RobotDescription | undefined
  private readonly reader = new Reader()
  private readonly links: ReadonlySet<string>
  private readonly joints: ReadonlySet<string>
  private readonly groups = new Set<string>()

  constructor(root: XmlElement, robot: RobotDescription | undefined) {
    this.root = root
    this.robot = robot
    this.links = new Set(robot?.links.map(({ name }) => name))
    this.joints = new Set(robot?.joints.map(({ name }) => name))
  }

  read(): SemanticDescription {
    const { root, robot, reader } = this
    reader.account.use(root)
    const name = reader.attribute(root, 'name', '<robot>') ?? ''
    if (robot && name !== '' && robot.name !== '' && name !== robot.name) {
      const message = `it is for ${quote(name)}, and the robot is called ${quote(robot.name)}.`
      reader.findings.info('srdf-robot', root, `<robot name=${quote(name)}>`, message, 'Used all the same.')
    }
    for (const child of root.children) {
      if (child.name === 'group' && child.attributes.name !== undefined) this.groups.add(child.attributes.name)
    }
    const virtualJoints = this.each('virtual_joint', (element) => this.virtualJoint(element))
    const baseNames = new Set(['root_joint', ...virtualJoints.map((joint) => joint.name)])
    this.checkCount(root)
    const poses = this.each('group_state', (element) => this.pose(element, baseNames))
    const disabledCollisions = this.disabledCollisions()
    for (const element of root.children) this.carry(element)
    const tags = reader.account.settle(root, srdfVocabulary, reader.findings)
    reader.finish()
    return { disabledCollisions, poses, virtualJoints, tags, diagnostics: reader.findings.list }
  }

  private checkCount({ children }: XmlElement): void {
    const states = children.filter(({ name }) => name === 'group_state')
    if (states.length <= mostPoses) return
    const message = `${states.length} named poses; at most ${mostPoses} are read.`
    throw robotError('srdf-limit', states[mostPoses], '<group_state>', message, 'Split the file.')
  }

  private each<T>(name: string, read: (element: XmlElement) => T | undefined): T[] {
    const all: T[] = []
    for (const element of this.root.children) {
      if (element.name !== name) continue
      this.reader.account.use(element)
      const one = read(element)
      if (one !== undefined) all.push(one)
    }
    return all
  }

  private virtualJoint(element: XmlElement): VirtualJointDescription | undefined {
    const { reader } = this
    const name = reader.name(element)
    if (name === undefined) return undefined
    const what = `<virtual_joint name=${quote(name)}>`
    const type = reader.required(element, 'type', what)
    const parentFrame = reader.required(element, 'parent_frame', what)
    const childLink = reader.required(element, 'child_link', what)
    if (type !== undefined && type !== 'fixed' && type !== 'floating' && type !== 'planar') {
      const message = `type ${quote(type)} is unknown.`
      reader.findings.error('joint-type', element, what, message, 'Known are fixed, floating and planar.')
      return undefined
    }
    if (type === undefined || parentFrame === undefined || childLink === undefined) return undefined
    if (!this.knowsLink(childLink, element, what)) return undefined
    return { name, type, parentFrame, childLink, place: element }
  }

  private pose(element: XmlElement, baseNames: ReadonlySet<string>): PoseDescription | undefined {
    const { reader } = this
    const name = reader.name(element)
    if (name === undefined) return undefined
    const what = `<group_state name=${quote(name)}>`
    const group = reader.attribute(element, 'group', what) ?? ''
    this.checkGroup(group, element, what)
    const joints = new Map<string, readonly number[]>()
    for (const child of element.children) {
      if (child.name !== 'joint') continue
      reader.account.use(child)
      const joint = reader.name(child)
      if (joint === undefined) continue
      const values = reader.numbers(child, 'value', undefined, `<joint name=${quote(joint)}> of ${what}`)
      if (values && (baseNames.has(joint) || this.knowsJoint(joint, child, what))) joints.set(joint, values)
    }
    return { name, group, joints, place: element }
  }

  /**
   * Links named by `<disable_default_collisions>` collide only with those that `<enable_collisions>` allows;
   * `<disable_collisions>` overrides both.
   */
  private disabledCollisions(): DisabledCollision[] {
    const stated = this.each('disable_collisions', (element) => this.pair(element))
    const allowed = new Pairs()
    for (const { link1, link2 } of this.each('enable_collisions', (element) => this.pair(element))) allowed.add(link1, link2)
    const named = new Set<string>()
    const alone = this.each('disable_default_collisions', (element) => {
      const what = '<disable_default_collisions>'
      const link = this.reader.required(element, 'link', what)
      if (link === undefined || named.has(link) || !this.knowsLink(link, element, what)) return undefined
      named.add(link)
      return { link, place: element }
    })
    const seen = new Pairs()
    const disabled = stated.filter(({ link1, link2 }) => seen.add(link1, link2))
    for (const { link, place } of alone) {
      for (const other of this.links) {
        if (other === link || allowed.has(link, other) || !seen.add(link, other)) continue
        disabled.push({ link1: link, link2: other, reason: 'disable_default_collisions', place })
      }
    }
    return disabled
  }

  private pair(element: XmlElement): DisabledCollision | undefined {
    const { reader } = this
    const what = `<${element.name}>`
    const link1 = reader.required(element, 'link1', what)
    const link2 = reader.required(element, 'link2', what)
    const reason = reader.attribute(element, 'reason', what) ?? ''
    if (link1 === undefined || link2 === undefined || link1 === link2) return undefined
    const known = [link1, link2].every((link) => this.knowsLink(link, element, what))
    return known ? { link1, link2, reason, place: element } : undefined
  }

  /** Keeps an element without use, and checks the names in it. */
  private carry(element: XmlElement): void {
    const { account } = this.reader
    const { attributes } = element
    const what = `<${element.name} name=${quote(attributes.name ?? '')}>`
    switch (element.name) {
      case 'group':
        account.carryTree(element)
        for (const child of element.children) {
          const inner = child.attributes
          if (child.name === 'link') this.knowsLink(inner.name, child, what)
          else if (child.name === 'joint') this.knowsJoint(inner.name, child, what)
          else if (child.name === 'group') this.checkGroup(inner.name ?? '', child, what)
          else if (child.name === 'chain') {
            for (const link of [inner.base_link, inner.tip_link]) this.knowsLink(link, child, what)
          }
        }
        break
      case 'end_effector':
        account.carryTree(element)
        this.knowsLink(attributes.parent_link, element, what)
        this.checkGroup(attributes.group ?? '', element, what)
        break
      case 'passive_joint':
        account.carryTree(element)
        this.knowsJoint(attributes.name, element, what)
        break
      case 'rotor_params':
        account.carryTree(element)
        this.noteRotors(element)
        break
      case 'joint_property':
      case 'link_sphere_approximation':
        account.carryTree(element)
    }
  }

  private noteRotors(element: XmlElement): void {
    for (const { name, attributes, ...place } of element.children) {
      if (name !== 'joint' || Number(attributes.mass) === 0 || Number(attributes.gear_ratio) === 0) continue
      const message = 'it states a rotor.'
      const remedy = 'Carried; rotor inertia is used where the robot file has it, as <drake:rotor_inertia>.'
      this.reader.note(
        'rotor-unused',
        place,
        `<rotor_params> of joint ${quote(attributes.name ?? '')}`,
        message,
        remedy,
        'warning',
      )
    }
  }

  private knowsLink(link: string | undefined, element: XmlElement, what: string): boolean {
    if (link === undefined || this.robot === undefined || this.links.has(link)) return true
    if (link === 'world' && this.robot.worldUndeclared) return false
    const message = `the robot has no link ${quote(link)}.`
    this.reader.note('srdf-link', element, what, message, 'Left out; check that the SRDF belongs to this robot.', 'warning')
    return false
  }

  private knowsJoint(joint: string | undefined, element: XmlElement, what: string): boolean {
    if (joint === undefined || this.robot === undefined || this.joints.has(joint)) return true
    const message = `the robot has no joint ${quote(joint)}.`
    this.reader.note('srdf-joint', element, what, message, 'Left out; check that the SRDF belongs to this robot.', 'warning')
    return false
  }

  private checkGroup(group: string, element: XmlElement, what: string): void {
    if (group === '' || this.groups.has(group)) return
    const message = `there is no group ${quote(group)}.`
    this.reader.note('srdf-group', element, what, message, 'Nothing depends on it here.')
  }
}
