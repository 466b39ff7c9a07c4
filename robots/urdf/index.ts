import type { RobotDescription } from '../description.ts'
import { RobotError } from '../diagnostics.ts'
import { quote, Reader } from '../elements/index.ts'
import type { Diagnostic } from '../robot.ts'
import type { XmlElement } from '../xml.ts'
import { readCollisionFilters } from './collisionFilters.ts'
import { readFrames } from './frames.ts'
import { readJoints } from './joints.ts'
import { readLinks } from './links.ts'
import { checkMaterials, collectMaterials, readMaterial } from './materials.ts'
import { readGazebo } from './surfaces.ts'
import { readTransmissions } from './transmissions.ts'
import { checkCount, checkTree } from './tree.ts'
import { urdfVocabulary } from './vocabulary.ts'

export interface DescribeOptions {
  /** Most links that a file may have. Default 1000. */
  readonly maxLinks?: number
}

/**
 * Reads an expanded URDF tree, value by value, and checks that it makes a tree. All errors are reported at once; where the
 * file leaves a choice, the finding states which was made. Whether masses are physically possible and mimic joints valid is
 * not checked here. @unchecked
 *
 * The description's places are the elements of `root` themselves.
 *
 * @param earlier findings of earlier stages, such as macro expansion
 * @throws RobotError with every error of the file
 */
export function describeUrdf(
  root: XmlElement,
  file: string,
  options: DescribeOptions = {},
  earlier: readonly Diagnostic[] = [],
): RobotDescription {
  const reader = new Reader(earlier)
  const { account, findings } = reader
  const parts = sort(root)
  checkRoot(reader, root, parts, options.maxLinks ?? 1000)
  account.use(root)

  const linkNames = namesOf(parts.links)
  const jointNames = namesOf(parts.joints)
  const materials = collectMaterials(root)
  const { surfaces, springs, selfCollide } = readGazebo(reader, parts.gazebo, linkNames, jointNames)
  const links = readLinks(reader, parts.links, surfaces, materials)
  const version = readVersion(reader, root)
  const joints = readJoints(reader, parts.joints, readTransmissions(reader, parts.transmissions, jointNames), springs, version)
  const frames = readFrames(reader, parts.frames, linkNames)
  const disabledCollisions = readCollisionFilters(reader, parts.collisionFilters, linkNames)
  for (const material of parts.materials) readMaterial(reader, material, materials)
  checkMaterials(reader, materials)

  const tree = checkTree(findings, root, links, joints, joints.length === parts.joints.length)
  const tags = account.settle(root, urdfVocabulary, findings, 'urdf-unsupported')
  reader.finish()
  return {
    name: root.attributes.name ?? '',
    file,
    place: root,
    ...{ links, joints, frames },
    root: tree.name,
    worldUndeclared: tree.worldUndeclared,
    ...{ disabledCollisions, selfCollide, tags },
    diagnostics: findings.list,
  }
}

/** The version of URDF that a file states, 1 where it states none or one that is no number. */
function readVersion({ findings }: Reader, root: XmlElement): number {
  const { version } = root.attributes
  const stated = version === undefined ? 1 : Number(version)
  if (stated > 0) return stated
  findings.warning('version', root, '<robot>', `version=${quote(version)} is no number.`, 'Read as URDF 1.0.')
  return 1
}

interface Parts {
  readonly links: XmlElement[]
  readonly joints: XmlElement[]
  readonly frames: XmlElement[]
  readonly materials: XmlElement[]
  readonly gazebo: XmlElement[]
  readonly transmissions: XmlElement[]
  readonly collisionFilters: XmlElement[]
}

/** The elements under `<robot>` by their kinds; unknown ones are in no list. */
function sort(root: XmlElement): Parts {
  const parts: Parts = {
    ...{ links: [], joints: [], frames: [], materials: [] },
    ...{ gazebo: [], transmissions: [], collisionFilters: [] },
  }
  const lists = new Map<string, XmlElement[]>([
    ['link', parts.links],
    ['joint', parts.joints],
    ['drake:joint', parts.joints],
    ['frame', parts.frames],
    ['material', parts.materials],
    ['gazebo', parts.gazebo],
    ['transmission', parts.transmissions],
    ['drake:collision_filter_group', parts.collisionFilters],
  ])
  for (const element of root.children) lists.get(element.name)?.push(element)
  return parts
}

function namesOf(elements: readonly XmlElement[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { attributes } of elements) if (attributes.name !== undefined) names.add(attributes.name)
  return names
}

/** Requirements without which reading cannot continue. */
function checkRoot({ findings }: Reader, root: XmlElement, { links, joints }: Parts, maxLinks: number): void {
  if (root.name !== 'robot') {
    findings.error('no-robot', root, `<${root.name}>`, 'the root element is not <robot>.', 'Check that it is a URDF file.')
  } else {
    const none = 'it describes no <link>, so there is no robot in it.'
    const remedy = 'If the file is meant to be included by others, load the file that includes it.'
    const what = `<robot name=${quote(root.attributes.name ?? '')}>`
    if (checkCount(findings, root, what, links.length, maxLinks, none, remedy)) {
      if (joints.length <= maxLinks) return
      const message = `${joints.length} joints; a tree of at most ${maxLinks} links has fewer.`
      findings.error('too-many-joints', root, what, message, 'Set maxLinks to load more.')
    }
  }
  throw new RobotError(findings.list)
}
